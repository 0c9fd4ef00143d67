"""What kind of memory a text is, when nobody says: by what came with it, its words, and what the project keeps."""

from msgspec import Struct

from memdown.acts.add import NEAREST, keeps
from memdown.dialects.draft import DraftFields
from memdown.markdown.line_ends import split_lines
from memdown.patterns import lazy
from memdown.project import Project

_BY_WORDS = (
    ("task", lazy(r"(?i)\s*(?:todo|fixme|task)\b[:\s]")),
    ("directive", lazy(r"(?i)\s*(?:always|never|do not|don't|must|no one may)\b")),
    (
        "decision",
        lazy(
            r"(?i)\s*(?:adopt|choose|drop|prefer|replace|switch to|use)\b"
            r"|(?s:.){0,200}?\b(?:we (?:decided|agreed|chose|use|will use|went with)|instead of|decided to|decision)\b"
        ),
    ),
    ("memory", lazy(r"(?is).{0,200}?\b(?:learned|learnt|turns out|turned out|found out|discovered|gotcha)\b")),
)
_TITLE = 100
_TODO = lazy(r"(?i)(?:todo|fixme|task)\b[:\s]\s*")
_UNSEEN = lazy(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""What a title cannot have: line ends, and other control characters."""
_SENTENCE = lazy(r"[.!?。](?:\s|$)")


class GuessedMemory(Struct, frozen=True):
    """A kind and a title for a text, and why."""

    kind: str
    title: str
    text: str | None
    """The whole text, when it is more than the title."""
    guessed: list[str]


def guess(project: Project, text: str, kind: str | None, given: DraftFields) -> GuessedMemory:
    """What to write a text as; a kind that was given stays."""
    title, guessed = _title(text), []
    if kind is None:
        wanted, reason = _kind(text, given)
        kind = next((each for each in (wanted, *NEAREST[wanted]) if keeps(project, each)), None)
        if kind is None:
            kind = wanted if wanted in ("decision", "task") else "card"
        if kind != wanted:
            reason += f"; this project keeps no {'memories' if wanted == 'memory' else f'{wanted}s'}"
        guessed.append(f"kind: {kind} ({reason})")
    whole = text.strip()
    if kind == "task":
        title = _TODO.sub("", title) or title
    longer = _UNSEEN.search(whole) or title.endswith("…") or whole.startswith(f"{title}.")
    return GuessedMemory(kind, title, whole if longer or kind == "card" else None, guessed)


def _kind(text: str, given: DraftFields) -> tuple[str, str]:
    for name, option in (("why", "--why"), ("supersedes", "--supersedes")):
        if given.get(name):
            return "decision", f"because of {option}"
    found = next((kind for kind, words in _BY_WORDS if words.match(text)), None)
    return (found, "by its words") if found else ("note", "nothing says otherwise")


def _title(text: str) -> str:
    """The first line, or as much of it as a title has room for: a sentence, or whole words."""
    line = next((each.strip() for each in split_lines(text) if each.strip()), "").lstrip("# ")
    line = _UNSEEN.sub(" ", line).strip()
    if len(line) <= _TITLE:
        return line
    end = _SENTENCE.search(line)
    if end and end.start() <= _TITLE:
        return line[: end.start()]
    return f"{line[: _TITLE - 2].rpartition(' ')[0] or line[: _TITLE - 2]} …"
