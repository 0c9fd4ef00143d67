"""From an assistant's message to a card: which messages are worth keeping, and what to call them.

Only assistant messages of two or more lines are kept, in full. Nothing is summarised and nothing is made up:
the subject is the first telling line, the keywords are the words used most, the scope is what the text names.
"""

import re

from msgspec import Struct

from memdown.dialects.cards import grammar, new
from memdown.errors import quote
from memdown.patterns import lazy
from memdown.record import Record

KEYWORDS = 5
"""How many keywords a captured message gets."""

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
_STOP_WORDS = frozenset(
    """a about above after again all also am an and any are as at be because been before being below between both but
    by can could did do does doing done down during each either else ever every few for from further get gets got had
    has have having he her here hers herself him himself his how however i if in into is it its itself just let like
    made make makes many may me might more most much must my myself need needs neither no nor not now of off on once
    one only or other our ours ourselves out over own per please rather really same she should since so some still
    such than that the their theirs them themselves then there these they thing things this those through thus to too
    two under until up upon us use used uses using very via was way we well were what when where whether which while
    who whom whose why will with within without would yes yet you your yours yourself yourselves ve ll re don isn
    doesn didn won wasn aren couldn shouldn wouldn""".split()
)


class Verdict(Struct, frozen=True):
    """Whether a message is kept, and why not when it is not."""

    card: Record | None
    reason: str | None


def from_message(role: str, content: str, *, occurred_at: str) -> Verdict:
    """The card a message becomes, or the rule that keeps it out."""
    if role != "assistant":
        return Verdict(None, f"only assistant messages are kept, and this one is from {quote(role)}")
    body = grammar.canonical(content)
    lines = [line.strip() for line in re.split(r"\r\n|\n|\r", body) if line.strip()]
    if len(lines) < 2:
        return Verdict(None, "a message of a single line is not kept")
    if len(body) < grammar.CONTENT_MINIMUM:
        return Verdict(None, f"the message has fewer than {grammar.CONTENT_MINIMUM} characters")
    subject, scope = _subject(lines), _scope(body)
    words = _keywords(body) or _keywords(subject) or _keywords(scope.partition(":")[2]) or ["memory"]
    return Verdict(new(subject, body, keywords=words, applies_to=scope, occurred_at=occurred_at), None)


def _subject(lines: list[str]) -> str:
    """The first line that says something, without its Markdown; the first line of all when none does."""
    telling = (line for line in lines if not _NOT_TELLING.match(line))
    bare = (" ".join(_MARKS.sub("", line).split()) for line in telling)
    subject = next((line for line in bare if _WORD.search(line)), " ".join(lines[0].split()))
    if len(subject) > grammar.SUBJECT_LIMIT:
        subject = subject[: grammar.SUBJECT_LIMIT - 3].rstrip() + "..."
    return subject


def _keywords(text: str) -> list[str]:
    """The words used most, in any script; ties go to the one that comes first."""
    counts: dict[str, int] = {}
    for match in _WORD.finditer(text):
        word = match.group().lower()
        if len(word) > (2 if word.isascii() else 1) and not word.isdigit() and word not in _STOP_WORDS:
            counts[word] = counts.get(word, 0) + 1
    fitting = [word for word in counts if len(word) <= grammar.KEYWORD_LIMIT]
    return sorted(fitting, key=lambda word: -counts[word])[:KEYWORDS]


def _scope(text: str) -> str:
    """The one file the text names first, else the area it speaks of, else the whole project."""
    for match in _PATH.finditer(text):
        path = match.group(1)
        if not path.startswith(("/", ".", "-")) and grammar.scope_fault(f"file:{path}") is None:
            return f"file:{path}"
    area = _AREA.search(text)
    if area and area.group(1).lower() not in _STOP_WORDS | _VAGUE:
        return f"area:{area.group(1).lower()}"
    return "global"
