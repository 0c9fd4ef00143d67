"""Who signs a text outside of labels: rows of a table, a line `by Ann` below the heading, trailers as commits have."""

import re
from collections.abc import Collection

from msgspec import Struct

from memdown.dialects import days
from memdown.markdown.line_ends import split_lines
from memdown.patterns import lazy
from memdown.record import people
from memdown.text import Span

_ROW = lazy(
    r"^[ \t]*\|[ \t]*(?:\*\*|__)?(?P<name>[^\W\d_](?:[^\W\d_]|[ ()-]){0,30}?)[ \t]*"
    r"(?:(?=[:*_]):?(?:\*\*|__)?:?[ \t]*)?\|(?P<value>[^|\r\n]*)(?:\|[ \t]*)?(?=\r?$)",
    re.MULTILINE,
)
"""A row of two cells, as templates have one for each label."""
_DELIMITER = lazy(r"\r?\n[ \t]*\|?[ \t]*:?-")
_VERB = (
    "added agreed authored chosen completed created decided documented drafted logged made noted posted proposed "
    "recorded submitted written"
)
_VERBS = "|".join(f"[{verb[0].upper()}{verb[0]}]{verb[1:]}" for verb in _VERB.split())
_ON = rf"(?:(?:on[ \t]+)?(?P<day>{days.STAMP})[ \t]+)?"
_BY_LINE = lazy(
    rf"[ \t]*(?:>[ \t]?)?(?:<su[bp]>)?[*_—–-]{{0,3}}[ \t]?"
    rf"(?:(?:{_VERBS})[ \t]+{_ON}by|[Bb]y)"
    r"[ \t]+(?P<value>[^\r\n]{2,100})(?=\r?$)",
    re.MULTILINE,
)
_DASHED = lazy(r"[ \t]*[*_]{0,2}(?:[—–]|--)[ \t]?(?P<value>@?[^\W\d_][^\r\n.:;!?]{1,60})(?=\r?$)", re.MULTILINE)
"""A name behind a dash, as a letter is signed."""
_WITH_DAY = lazy(
    rf"[ \t]*(?:>[ \t]?)?[*_]{{0,3}}(?:(?P<before>{days.STAMP})[ \t]*(?:[—–|·•,-]|--)[ \t]*(?:by[ \t]+)?)?"
    r"(?P<value>@?[^\W\d_][^\r\n.:;!?|·•—–,]{1,60}?)"
    rf"(?(before)|[ \t]*(?:[—–|·•,-]|--)[ \t]*(?P<behind>{days.STAMP}))[*_]{{0,3}}[ \t]*(?=\r?$)",
    re.MULTILINE,
)
"""Who and when alone in a line, as "2026-03-02 — Ann" or "Ann, 2 March 2026"."""
_NO_NAMES = frozenset(
    "accepted added afternoon all approved archived blocked closed complete completed consolidated cycle done draft end"
    " evening final implemented merged morning next night none note open part pending phase proposed rejected resolved"
    " revised round see session shipped sprint superseded tbd team update updated wave".split()
)
"""Words that stand where a name could, and are none."""
_REACHED = lazy(
    r"\b(?:accepted|active|adopted|agreed|approved|completed?|decided|done|final|finalized|implemented|in effect|locked"
    rf"|merged|proposed|resolved|shipped)\b[^\d\r\n]{{0,40}}(?P<day>{days.STAMP})",
    re.IGNORECASE,
)
SIGN_OFF = "signed-off-by"
_TRAILER = lazy(rf"^(?P<name>{SIGN_OFF}|co-authored-by):[ \t]*(?P<value>[^\r\n]+)", re.MULTILINE | re.IGNORECASE)
_ADDRESS = lazy(r"[ \t]{0,4}<[^<>\s]*@[^<>\s]*>")
_WORDS_OF_A_NAME = 4
_BLANK, _CLOSING = lazy(r"\s*"), lazy(r"</su[bp]>[ \t]*$")
_STARTS = "@0123456789"
"""What a later word of a name may begin with beside a capital: assistants are called "GLM 4.7"."""


class Signed(Struct, frozen=True):
    """What a row or a line says, as a label with its value would."""

    name: str
    value: str
    span: Span


def is_sentence(value: str) -> bool:
    """Whether a value tells what somebody did, as "Ann approved. All is well." does, and not who it was."""
    return value.startswith("(") or len(people(value)[0].split()) > _WORDS_OF_A_NAME


def rows(text: str, span: Span, names: Collection[str], alone: Collection[str]) -> list[Signed]:
    """Rows that are labels of these names; one row only where it heads no table, and is one of those that say all."""
    if text.find("|", span.start, span.end) < 0:
        return []
    found = [match for match in _ROW.finditer(text, span.start, span.end) if match["name"].strip().lower() in names]
    found = [match for match in found if match["value"].strip() and not is_sentence(match["value"].strip(" *_"))]
    if len(found) == 1 and (_DELIMITER.match(text, found[0].end()) or found[0]["name"].lower() not in alone):
        return []
    return [Signed(each["name"], each["value"].strip(" \t*_"), Span(each.start(), each.end())) for each in found]


def is_name(value: str) -> bool:
    """Whether a value is somebody's name, with a role perhaps: words with capitals, and none that says a state."""
    words = people(value)[0].split()
    if not words or len(words) > _WORDS_OF_A_NAME or value[-1:] in ".:!?":
        return False
    is_first = (words[0][0].isupper() or words[0][0] == "@") and words[0].casefold() not in _NO_NAMES
    return is_first and all(word[0].isupper() or word[0] in _STARTS for word in words[1:])


def by_line(text: str, head: Span, end: int) -> list[Signed]:
    """What the first line says where it is `by Ann` and nothing more but a day, or a name behind a dash.

    Where that signs nothing, the last line before `end` may: it stands alone, and below no quotation.
    """
    first = _BLANK.match(text, head.start, head.end)
    at = first.end() if first else head.start
    both = _WITH_DAY.match(text, at, head.end)
    if both and is_name(both["value"].rstrip()):
        place = Span(both.start(), both.end())
        return [Signed("By", both["value"].rstrip(), place), Signed("Date", both["before"] or both["behind"], place)]
    found = _signature(text, at, head.end)
    if found:
        return found
    kept = len(text[at:end].rstrip("- \t\r\n")) + at
    last = max(text.rfind("\n", at, kept), text.rfind("\r", at, kept)) + 1
    above = text[at:last].rstrip(" \t")
    if not above.endswith(("\n\n", "\n\r\n", "\r\r")) or above.rstrip().rpartition("\n")[2].lstrip().startswith(">"):
        return []
    return _signature(text, last, end)


def name_in(row: str) -> str | None:
    """Who and when a line says that signs a text, and nothing else."""
    found = _signature(row, 0, len(row))
    return " ".join(each.value for each in found) if found else None


def _signature(text: str, start: int, end: int) -> list[Signed]:
    """Who signs in a line, and when where it says so."""
    dashed = _DASHED.match(text, start, end)
    match = _BY_LINE.match(text, start, end) or dashed
    if match is None:
        return []
    value = _CLOSING.sub("", match["value"]).strip(" \t*_")
    day = days.STAMP_PATTERN.search(value)
    before = None if match is dashed else match["day"]
    name = (value[: day.start()] if day else value).rstrip(" ,;|·•—–-([").removesuffix(" on")
    if not is_name(name) or (match is dashed and not match["value"].startswith(name)):
        return []
    place = Span(match.start(), match.end())
    said = before or (value[day.start() :].rstrip(")]") if day else "")
    return [Signed("By", name, place), *([Signed("Date", said, place)] if said else [])]


def reached_on(status: str) -> str:
    """The day on which a state was reached that says so, as in "Accepted (2026-02-15)"."""
    match = _REACHED.search(status)
    return match["day"] if match else ""


def trailers(text: str, span: Span) -> list[Signed]:
    """Who signed a text off or wrote it too, as commits say it in their last lines."""
    if text.find("-by:", span.start, span.end) < 0:
        return []
    last = span.of(text).rstrip("-*_ \t\r\n").replace("\r\n", "\n").rpartition("\n\n")[2].lstrip("\n")
    if not all(map(_TRAILER.match, split_lines(last))):
        return []
    found = _TRAILER.finditer(last)
    return [Signed(each["name"].lower(), _ADDRESS.sub("", each["value"]).strip(), span) for each in found]
