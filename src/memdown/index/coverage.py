"""No word of a file is lost to the search: whose each stretch of text is, and which words of it no field holds."""

from collections.abc import Iterator, Sequence

from memdown.dialects import offered
from memdown.patterns import lazy
from memdown.record import Document, Record
from memdown.text import Span

PROSE = "prose"
"""The kind of text that belongs to no record."""

_WORD = lazy(r"[^\W_]+")

_FEW = 20
"""Words that are looked for in a text one by one."""

Stretch = tuple[int, int, int | None]
"""From where to where, and the number of the innermost record there."""


def owned(document: Document) -> dict[int, str]:
    """By the number of a record, the text that is its alone and not that of a record inside it."""
    if offered(document.dialect, "ALL_IN_FIELDS"):
        return {}
    found: dict[int, list[str]] = {}
    for start, end, owner in _stretches(document):
        if owner is not None:
            found.setdefault(owner, []).append(without_names(document.dialect, document.text[start:end]))
    return {owner: "\n".join(pieces) for owner, pieces in found.items()}


def without_names(dialect: str | None, text: str) -> str:
    """A text without the names of fields that every entry of its format has, which no entry says anything by."""
    name = offered(dialect, "FIELD_NAME")
    return text if name is None else name.sub("", text)


def missing(text: str, body: str, others: str) -> str:
    """The words of a text that neither its body nor others have, each on a line."""
    at = text.find(body)
    end = at + len(body)
    if at < 0 or text[at - 1 : at].isalnum() or text[end : end + 1].isalnum():
        at = end = 0  # the words of the body are not those of a stretch of the text
    known = set(_WORD.findall(others.casefold()))
    words = dict.fromkeys(_WORD.findall(f"{text[:at]}\n{text[end:]}"))
    left = [word for word in words if word.casefold() not in known]
    folded = body.casefold()
    if len(left) > _FEW or any(word.casefold() in folded for word in left):
        known = set(_WORD.findall(folded))
        left = [word for word in left if word.casefold() not in known]
    return "".join(f"\n{word}" for word in left)


def prose(document: Document) -> Sequence[Record]:
    """A record of its own for each stretch of text that belongs to none."""
    records = document.records
    if len(records) == 1 and records[0].span.start == 0 and records[0].span.end == len(document.text):
        return ()
    return [
        _record(document, start, end)
        for start, end, owner in _stretches(document)
        if owner is None and _WORD.search(document.text, start, end)
    ]


def _stretches(document: Document) -> Iterator[Stretch]:
    """The whole text, cut wherever a record begins or ends."""
    spans = sorted((record.span.start, -record.span.end, number) for number, record in enumerate(document.records))
    inside: list[tuple[int, int]] = []
    at = 0
    for start, end, number in [*spans, (len(document.text), -len(document.text), None)]:
        while inside and inside[-1][0] <= start:
            until, owner = inside.pop()
            if at < until:
                yield at, until, owner
                at = until
        if at < start:
            yield at, start, inside[-1][1] if inside else None
            at = start
        if number is not None:
            inside.append((-end, number))


def _record(document: Document, start: int, end: int) -> Record:
    whole = document.text[start:end]
    body = whole.strip()
    start += len(whole) - len(whole.lstrip())
    end = start + len(body)
    line = document.lines.at(start) + 1
    return Record(
        id=f"{document.path}:{line}",
        dialect=document.dialect or "",
        kind=PROSE,
        path=document.path,
        span=Span(start, end),
        line=line,
        end_line=document.lines.at(end - 1) + 1,
        body=body,
    )
