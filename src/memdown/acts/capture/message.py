"""From an assistant's message to a card: which messages are worth keeping, and what to call them.

Only assistant messages of two or more lines are kept, in full. Nothing is summarised and nothing is made up:
the subject is the first telling line, the keywords are the words used most, the scope is what the text names.
Light to import, since hooks capture too.
"""

import re

from memdown.errors import quote
from memdown.index.stopwords import STOP_WORDS
from memdown.markdown import cardfile
from memdown.patterns import lazy

KEYWORDS = 5
"""How many keywords a captured message gets."""

_EOL = lazy(r"\r\n|\n|\r")
_UNSEEN = lazy(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_WORD = lazy(r"[^\W_](?:[\w-]*[^\W_])?")
_MARKS = lazy(r"^(?:#{1,6}\s+|[-*+]\s+|\d{1,9}[.)]\s+|>\s?|\*\*|__)+|(?:\*\*|__|\s#+)$")
_NOT_TELLING = lazy(r"^(?:`{3,}|~{3,}|[-*_=|:\s]{3,}$|<!--)")
_SOURCE = "|".join(
    """c cc cfg clj cpp cs css dart env ex exs go gradle h hpp html ini java json jsx kt kts lua md ml mjs php pl proto
    py pyi r rb rs scala scss sh sql svelte swift tf toml ts tsx txt vue xml yaml yml zig""".split()
)
_PATH = lazy(rf"(?<![\w/:.-])((?:[\w.-]+/)+[\w-][\w.-]*\.[A-Za-z]\w{{0,7}}|[\w-][\w.-]*\.(?:{_SOURCE}))(?![\w/])")
_AREA = lazy(
    r"\b(?:in|for|of)\s+the\s+([a-z][\w-]{2,40})\s+(?:component|module|service|area|section|subsystem|layer|system)\b",
    re.IGNORECASE,
)
_VAGUE = frozenset("same other whole new old current following above below entire next last first".split())


class CardDraft:
    """What a card says, when a message becomes one."""

    __slots__ = ("body", "keywords", "scope", "subject")

    def __init__(self, subject: str, keywords: list[str], scope: str, body: str) -> None:
        self.subject = subject
        self.keywords = keywords
        self.scope = scope
        self.body = body


def from_message(role: str, content: str) -> CardDraft | str:
    """The card a message becomes, or the rule that keeps it out."""
    if role != "assistant":
        return f"only assistant messages are kept, and this one is from {quote(role)}"
    body = cardfile.canonical(content)
    lines = [line.strip() for line in _EOL.split(body) if line.strip()]
    if len(lines) < 2:
        return "a message of a single line is not kept"
    if len(body) < cardfile.CONTENT_MINIMUM:
        return f"the message has fewer than {cardfile.CONTENT_MINIMUM} characters"
    subject, scope = _subject(lines), _scope(body)
    words = _keywords(body) or _keywords(subject) or _keywords(scope.partition(":")[2]) or ["memory"]
    return CardDraft(subject, words, scope, body)


def _subject(lines: list[str]) -> str:
    """The first line that says something, without its Markdown; the first line of all when none does."""
    telling = (line for line in lines if not _NOT_TELLING.match(line))
    bare = (_one_line(_MARKS.sub("", line)) for line in telling)
    subject = next((line for line in bare if _WORD.search(line)), _one_line(lines[0]) or "message")
    if len(subject) > cardfile.SUBJECT_LIMIT:
        subject = subject[: cardfile.SUBJECT_LIMIT - 3].rstrip() + "..."
    return subject


def _one_line(text: str) -> str:
    """Without characters that cannot be seen, which no subject may have."""
    return " ".join(_UNSEEN.sub(" ", text).split())


def _keywords(text: str) -> list[str]:
    """The words used most, in any script; ties go to the one that comes first."""
    counts: dict[str, int] = {}
    for match in _WORD.finditer(text):
        word = match.group().lower()
        if len(word) > (2 if word.isascii() else 1) and not word.isdigit() and word not in STOP_WORDS:
            counts[word] = counts.get(word, 0) + 1
    fitting = [word for word in counts if len(word) <= cardfile.KEYWORD_LIMIT]
    return sorted(fitting, key=lambda word: -counts[word])[:KEYWORDS]


def _scope(text: str) -> str:
    """The one file the text names first, else the area it speaks of, else the whole project."""
    for match in _PATH.finditer(text):
        path = match.group(1)
        if not path.startswith(("/", ".", "-")) and cardfile.scope_fault(f"file:{path}") is None:
            return f"file:{path}"
    area = _AREA.search(text)
    if area and area.group(1).lower() not in STOP_WORDS | _VAGUE:
        return f"area:{area.group(1).lower()}"
    return "global"
