"""What a session should know when it begins: the focus of the memory bank, and what was remembered last.

Nothing is parsed: a few headings of one file, what cards say of themselves, and rows of the index when there is one.
"""

import os

from memdown.index import cardlist, lookup
from memdown.index.hook_state import State
from memdown.markdown.fence import FencedPiece, fenced, line

_NEWEST = 12
_SECTIONS = (("focus", "Focus"), ("blocker", "Blockers"), ("next", "Next steps"))
"""A word in the title of a section of the active context, and what it is called here."""
_SECTION_LINES = 10
_LARGEST = 256 << 10


def begin(state: State, source: str, session: str) -> tuple[str, list[str]]:
    """What to say at the beginning of a session, and the files it is from."""
    budget = state.settings.session_tokens
    if source in ("clear", "compact"):
        # What was said before is gone from the assistant's context.
        with state.db:
            state.db.execute("delete from shown where session = ?", (session,))
    shown = {row[0] for row in state.db.execute("select name from shown where session = ?", (session,))}
    if source == "resume" and shown:
        # What was said before is still there: only what came since is news.
        pieces = _newest(state, shown)
    else:
        pieces = [*_focus(state), *_newest(state, set()), *_entries(state)]
    if source == "compact":
        budget //= 2  # the assistant's own summary says the rest
    text, taken = fenced("What memdown keeps of this project.", pieces, budget)
    return text, [piece.name for piece in taken]


def _newest(state: State, shown: set[str]) -> list[FencedPiece]:
    total = cardlist.look(state)
    pieces = [FencedPiece(card.name, [cardlist.describe(card)]) for card in cardlist.newest(state, _NEWEST, shown)]
    if pieces:
        pieces[0].lines.insert(0, f"Newest of {total} memories:" if total > len(pieces) else "Memories:")
    return pieces


def _entries(state: State) -> list[FencedPiece]:
    """The newest decisions and notes of other kinds, as the index has them."""
    pieces = [
        FencedPiece(path, [f"- {day or ''} {line(title)} ({path}:{number})".replace("-  ", "- ")])
        for title, day, path, number in lookup.newest(state, 6)
    ]
    if pieces:
        pieces[0].lines.insert(0, "Newest entries of logs:")
    return pieces


def _focus(state: State) -> list[FencedPiece]:
    """What the active context of a memory bank says of now."""
    found = _active_context(state)
    if found is None:
        return []
    name, lines = found
    pieces = []
    for word, label in _SECTIONS:
        number, section = _section(lines, word)
        if section:
            pieces.append(FencedPiece(name, [f"{label} ({name}:{number}):", *section]))
    return pieces


def _active_context(state: State) -> tuple[str, list[str]] | None:
    for home in dict.fromkeys(state.settings.homes("bank")):
        folder = os.path.join(state.root, home)
        if not os.path.isdir(folder):
            continue
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            # Banks number their files, and spell them with and without hyphens.
            known = name.lower().replace("-", "").replace("_", "").lstrip("0123456789. ")
            if known == "activecontext.md" and os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    return f"{home}/{name}", file.read(_LARGEST).decode("utf-8", "replace").splitlines()
    return None


def _section(lines: list[str], word: str) -> tuple[int, list[str]]:
    """Where the first section with this word in its title begins, from 1, and its first lines that say something."""
    section: list[str] = []
    begins, fenced = 0, False
    for number, raw in enumerate(lines, 1):
        text = raw.strip()
        if text.startswith(("```", "~~~")):
            fenced = not fenced
        elif text.startswith("#") and not fenced:
            if begins:
                break
            begins = number if text.startswith("##") and word in text.lower() else 0
        elif begins and text and not text.startswith("<!--") and not (text[0] == "[" and text[-1] == "]"):
            section.append(line(text))
            if len(section) == _SECTION_LINES:
                break
    return begins, section
