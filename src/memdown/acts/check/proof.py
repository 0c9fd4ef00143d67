"""The proof that a safe fix keeps what a file says: it is read before and after, and every value has to be the same."""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta

from memdown import times
from memdown.diagnostics import Diagnostic
from memdown.record import Document, Record
from memdown.text import Edit, apply
from memdown.times import Moment

Parse = Callable[[str, str], Document]

_SPELLING = frozenset("verb status_text form content_hash edit".split())
"""Values that only tell how something is spelled, or are worked out from the text."""
_LAST_SECOND = timedelta(hours=23, minutes=59, seconds=59)
_MOST = 64
"""Fixes of one rule that are tried one by one when they are not all proven together."""


def proven(doc: Document, found: Sequence[Diagnostic], parse: Parse) -> list[Diagnostic]:
    """The findings whose safe fixes keep every value: all at once, else rule by rule, else each by itself."""

    def kept_by(some: Sequence[Diagnostic]) -> bool:
        return keeps(doc, parse(doc.path, apply(doc.text, compatible(some)[0])))

    if not found or kept_by(found):
        return list(found)
    by_code: dict[str, list[Diagnostic]] = {}
    for each in found:
        by_code.setdefault(each.code, []).append(each)
    kept: list[Diagnostic] = []
    for some in by_code.values():
        kept += some if kept_by(some) else [each for each in some[:_MOST] if kept_by([each])]
    return kept if kept_by(kept) else _together(kept, kept_by)


def _together(found: Sequence[Diagnostic], kept_by: Callable[[Sequence[Diagnostic]], bool]) -> list[Diagnostic]:
    """Fixes that keep the values each by itself and not all together: those of the first rule that do."""
    kept: list[Diagnostic] = []
    for code in dict.fromkeys(each.code for each in found):
        some = [each for each in found if each.code == code]
        if kept_by([*kept, *some]):
            kept += some
    return kept


def compatible(found: Sequence[Diagnostic]) -> tuple[list[Edit], list[Diagnostic]]:
    """Edits of fixes that do not touch each other, and whose they are; the rest waits for the next round."""
    wanted: dict[tuple[Edit, ...], list[Diagnostic]] = {}
    for each in found:
        if each.fix:
            wanted.setdefault(each.fix.edits, []).append(each)
    taken: list[Edit] = []
    made: list[Diagnostic] = []
    end = -1
    for edits in sorted(wanted, key=_reach):
        start, reach = _reach(edits)
        if start > end:
            taken += edits
            made += wanted[edits]
            end = reach
    return taken, made


def _reach(edits: tuple[Edit, ...]) -> tuple[int, int]:
    return min(edit.span.start for edit in edits), max(edit.span.end for edit in edits)


def keeps(before: Document, after: Document) -> bool:
    """Whether the records of a file say the same, however it is spelled. What was not read before may be now."""
    if len(before.records) != len(after.records):
        return False
    return all(_same(before, after, number) for number in range(len(before.records)))


def _same(before: Document, after: Document, number: int) -> bool:
    old, new = before.records[number], after.records[number]
    letters = (_letters(_own(before, number)), _letters(_own(after, number)))
    gained = old.at is None and new.at is not None  # what dates a record now is no part of its text any more
    return (
        (old.kind, old.scope, old.status, old.author) == (new.kind, new.scope, new.status, new.author)
        and (_letters(old.title), _letters(old.summary)) == (_letters(new.title), _letters(new.summary))
        and (letters[0] == letters[1] or (gained and _is_within(letters[1], letters[0])))
        and (gained or _at(old.at) == _at(new.at))
        and set(old.contributors) == set(new.contributors)
        and {each.casefold() for each in old.tags} == {each.casefold() for each in new.tags}
        and [(each.type, each.target) for each in old.links] == [(each.type, each.target) for each in new.links]
        and all(_same_value(value, new.extra.get(key)) for key, value in old.extra.items() if key not in _SPELLING)
    )


def _at(moment: Moment | None) -> object:
    return moment and (moment.instant(), moment.is_doubtful, moment.precision == "day")


def _same_value(old: str | Sequence[str], new: str | Sequence[str] | None) -> bool:
    """The same text, or the same time in another spelling; a day is the same as its last second."""
    first = times.read(old) if isinstance(old, str) and old != new else None
    last = times.read(new) if first and isinstance(new, str) else None
    if first is None or last is None:
        return old == new
    ends = first.precision == "day" and last.local == first.local + _LAST_SECOND
    return ends or _at(first) == _at(last)


def _own(doc: Document, number: int) -> str:
    """The text of a record without that of the records inside it, which is judged by what those say."""
    record = doc.records[number]
    body = record.body or ""
    for other in _inside(record, doc.records[number + 1 :]) if body else ():
        body = body.replace(other.span.of(doc.text), "", 1)
    return body


def _inside(record: Record, following: Sequence[Record]) -> Iterator[Record]:
    for other in following:
        if other.span.start >= record.span.end:
            return
        yield other


def _letters(text: str | None) -> str:
    return "".join(each for each in text or "" if each.isalnum())


def _is_within(part: str, whole: str) -> bool:
    """Whether letters follow each other in a text, with others between them."""
    left = iter(whole)
    return all(each in left for each in part)
