"""What a session should know when it begins: the focus of the memory bank, and what was remembered last."""

from memdown.index.hook_state import State
from memdown.index.lookup import IndexedRecord, Lookup, ask
from memdown.markdown.fence import FencedPiece, fenced, line

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_CARDS = 12
_ENTRIES = 6
_SECTIONS = (("focus", "Focus"), ("blocker", "Blockers"), ("next", "Next steps"))
"""A word in the title of a section of the active context, and what it is called here."""
_SECTION_LINES = 10


def begin(state: State, source: str, session: str) -> tuple[str, list[str]]:
    """What to say at the beginning of a session, and the records it is from."""
    budget = state.settings.session_tokens
    if source in ("clear", "compact"):
        # What was said before is gone from the assistant's context.
        with state.db:
            state.db.execute("delete from shown where session = ?", (session,))
    shown = {row[0] for row in state.db.execute("select name from shown where session = ?", (session,))}
    # After a resume what was said before is still there: only what came since is news.
    resumed = source == "resume" and bool(shown)
    pieces = ask(state, lambda index: _cards(index, shown) if resumed else _everything(index))
    if source == "compact":
        budget //= 2  # the assistant's own summary says the rest
    text, taken = fenced("What memdown keeps of this project.", pieces, budget)
    return text, [piece.name for piece in taken]


def _everything(index: Lookup) -> list[FencedPiece]:
    return [*_focus(index), *_cards(index, set()), *_entries(index)]


def _cards(index: Lookup, shown: set[str]) -> list[FencedPiece]:
    new = (card for card in index.cards() if card.title and not shown & {card.key, _listed(card)})
    pieces = [FencedPiece(_listed(card), [card.headline()]) for card, _ in zip(new, range(_CARDS), strict=False)]
    if pieces:
        total = index.card_count()
        pieces[0].lines.insert(0, f"Newest of {total} memories:" if total > len(pieces) else "Memories:")
    return pieces


def _entries(index: Lookup) -> list[FencedPiece]:
    """The newest decisions and notes of other kinds."""
    pieces = [FencedPiece(_listed(entry), [entry.headline()]) for entry in _apart(index.entries())]
    if pieces:
        pieces[0].lines.insert(0, "Newest entries of logs:")
    return pieces


def _apart(entries: "Iterable[IndexedRecord]") -> "Iterator[IndexedRecord]":
    """The first few that are not part of one another."""
    taken: list[IndexedRecord] = []
    for entry in entries:
        if entry.title and not any(map(entry.overlaps, taken)):
            taken.append(entry)
            yield entry
        if len(taken) == _ENTRIES:
            return


def _listed(record: IndexedRecord) -> str:
    """That only the title of a record was shown, so that it may still be recalled."""
    return f"title of {record.key}"


def _focus(index: Lookup) -> list[FencedPiece]:
    """What the active context of a memory bank says of now."""
    pieces = []
    sections = index.focus()
    for word, label in _SECTIONS:
        found = ((each, lines) for about, each in sections if word in about and (lines := _lines(each.body)))
        section, lines = next(found, (None, []))
        if section:
            pieces.append(FencedPiece(section.key, [f"{label} ({section.path}:{section.line}):", *lines]))
    return pieces


def _lines(body: str) -> list[str]:
    """The first lines of a section that say something."""
    found = (text for raw in body.splitlines() if (text := raw.strip()))
    return [line(text) for text in found if not text.startswith("<!--") and not (text[0] == "[" and text[-1] == "]")][
        :_SECTION_LINES
    ]
