"""Who signs a text outside of labels: rows of a table, a line `by Ann` below the heading, trailers as commits have."""

import re
from collections.abc import Collection

from msgspec import Struct

from memdown.patterns import lazy
from memdown.record import people
from memdown.text import Span

_ROW = lazy(
    r"^[ \t]*\|[ \t]*(?:\*\*|__)?(?P<name>[^\W\d_](?:[^\W\d_]|[ ()-]){0,30}?)[ \t]*:?(?:\*\*|__)?:?[ \t]*\|"
    r"(?P<value>[^|\r\n]*)(?:\|[ \t]*)?(?=\r?$)",
    re.MULTILINE,
)
"""A row of two cells, as templates have one for each label."""
_DELIMITER = lazy(r"\r?\n[ \t]*\|?[ \t]*:?-")
_BY_LINE = lazy(
    r"\s*(?:>[ \t]?)?[*_—–-]{0,3}[ \t]?(?:[Cc]ompleted[ \t]+by|[Bb]y)[ \t]+(?P<value>[^\r\n]{2,100})(?=\r?$)",
    re.MULTILINE,
)
SIGN_OFF = "signed-off-by"
_TRAILER = lazy(rf"^(?P<name>{SIGN_OFF}|co-authored-by):[ \t]*(?P<value>[^\r\n]+)", re.MULTILINE | re.IGNORECASE)
_ADDRESS = lazy(r"[ \t]{0,4}<[^<>\s]*@[^<>\s]*>")
_WORDS_OF_A_NAME = 4
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


def by_line(text: str, span: Span, date: "re.Pattern[str]") -> list[Signed]:
    """What the first line below a heading says where it is `by Ann` and nothing more but a day."""
    match = _BY_LINE.match(text, span.start, span.end)
    if match is None:
        return []
    value = match["value"].strip(" \t*_")
    day, place = date.search(value), Span(match.start(), match.end())
    name = (value[: day.start()] if day else value).rstrip(" ,;|·•—–-([").removesuffix(" on")
    first, *rest = people(name)[0].split()
    is_name = (first[:1].isupper() or first[:1] == "@") and all(
        word[:1].isupper() or word[0] in _STARTS for word in rest
    )
    if not is_name or is_sentence(name) or name[-1:] in ".:!?":
        return []
    return [Signed("By", name, place), *([Signed("Date", value[day.start() :].rstrip(")]"), place)] if day else [])]


def trailers(text: str, span: Span) -> list[Signed]:
    """Who signed a text off or wrote it too, as commits say it in their last lines."""
    if text.find("-by:", span.start, span.end) < 0:
        return []
    last = span.of(text).rstrip("-*_ \t\r\n").replace("\r\n", "\n").rpartition("\n\n")[2].lstrip("\n")
    if not all(map(_TRAILER.match, last.splitlines())):
        return []
    found = _TRAILER.finditer(last)
    return [Signed(each["name"].lower(), _ADDRESS.sub("", each["value"]).strip(), span) for each in found]
