"""Proof that a conversion keeps what was there: new entries read back as meant, and have every line of the old."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from memdown.dialects import signed
from memdown.dialects.sem import canonical, grammar
from memdown.dialects.sem.read import read
from memdown.errors import quote
from memdown.patterns import lazy
from memdown.record import Record
from memdown.text import Lines, eol_of, with_eol

_WORD = lazy(r"\w+")
_MARKS = lazy(r"[ \t]*\\?#{0,6}[ \t]*")
_NAMES = ("why", "rationale")


def fault(record: Record, written: str, old: str, path: str) -> str | None:
    """Why a new entry must not take the place of an old one; None when it may."""
    found = [each for each in read(path, written) if each.form not in grammar.LINES]
    if len(found) != 1 or not same(record, found[0]):
        return "it would not read back the same"
    missing = lost_lines(old, written)
    return f"it would lose the line {quote(missing[0])}" if missing else None


def same(meant: Record, found: Record) -> bool:
    """Whether an entry that was read is the one that was meant."""
    return found.form == "sem" and _content(meant) == _content(found)


def _content(record: Record) -> tuple[object, ...]:
    return (
        record.kind,
        (record.title or "").strip(),
        (record.summary or "").strip(),
        record.author,
        (record.at.instant().replace(microsecond=0), record.at.precision == "day") if record.at else None,
        record.contributors,
        record.scope,
        record.tags,
        record.links,
        canonical.joined((record.body or "").split("\n")),
        canonical.joined(record.rationale.split("\n")),
    )


def first_difference(before: Sequence[Record], drafts: Mapping[int, Record], after: Sequence[Record]) -> int | None:
    """The conversion to take back when the whole text is read differently than meant; None when it is not."""
    last = None
    for number, record in enumerate(before):
        draft = drafts.get(record.span.start)
        last = record.span.start if draft else last
        found = after[number] if number < len(after) else None
        if found is None or not (same(draft, found) if draft else _unchanged(record, found)):
            return last if last is not None else next(iter(drafts))
    return last if len(after) > len(before) else None


def _unchanged(old: Record, new: Record) -> bool:
    return (old.title, old.kind, old.at, old.author, old.body) == (new.title, new.kind, new.at, new.author, new.body)


def lost_lines(old: str, new: str) -> list[str]:
    """Lines of an old entry that a new one does not have. A label's words, and the heading's, may have moved."""
    rows = [row for row in re.split(r"\r\n|\n|\r", old) if row.strip()]
    kept = Counter(text for row in re.split(r"\r\n|\n|\r", new) for text in _texts(row))
    lost = []
    for number, row in enumerate(rows):
        text = bare(row)
        if kept[text] > 0:
            kept[text] -= 1
        elif not (_is_separator(row) or _is_moved(row, new, first=number == 0)):
            lost.append(row)
    return lost


def _texts(row: str) -> list[str]:
    """What a line of a new entry holds: itself, and the value of the field it is."""
    field = grammar.FIELD.fullmatch(row)
    return [bare(row), *([bare(field[2])] if field else ())]


def bare(row: str) -> str:
    """A line without indentation, heading marks and the backslash that escapes it."""
    return _MARKS.sub("", row, count=1).rstrip()


def _is_separator(row: str) -> bool:
    return row.strip() == "---"


def _is_moved(row: str, new: str, *, first: bool) -> bool:
    """Whether a heading or a label is written in another way: its words are there."""
    if row.lstrip(" ").startswith("#"):
        name = row.strip(" \t#:").casefold()
        return first or name in _NAMES
    label = grammar.LABEL.fullmatch(row) or grammar.PLAIN_LABEL.fullmatch(row)
    value = label["value"] if label else signed.name_in(row)
    return value is not None and all(word in new for word in _words(value))


def _words(value: str) -> list[str]:
    """Words of a label's value, without the names of other labels on its line and the spelling of times."""
    bare = re.sub(r"\*\*[A-Za-z][A-Za-z ]{0,30}(?::\*\*|\*\*:)", " ", value)
    return _WORD.findall(grammar.STAMP.sub(lambda match: match.group()[:10], bare))


def with_endings_of(old: str, new: str) -> str:
    """New text with the line endings of the old one; where these differ, each line keeps its own."""
    usual = eol_of(old)
    if len(set(re.findall(r"\r\n|\n|\r", old))) < 2:
        return with_eol(new, usual)
    lines = Lines(old)
    endings: dict[str, list[str]] = {}
    for number in range(len(lines)):
        span = lines.span(number)
        row, ending = span.of(old), old[span.end : lines.start(number + 1)] or usual
        endings.setdefault(_unlabelled(row), []).append(ending)
    rows = new.split("\n")
    return "".join(row + _ending(row, endings, usual) for row in rows[:-1]) + rows[-1]


def _ending(row: str, endings: Mapping[str, list[str]], usual: str) -> str:
    left = endings.get(_unlabelled(row))
    return left.pop(0) if left else usual


def _unlabelled(row: str) -> str:
    """A line without the label that may have gone from it."""
    label = grammar.LABEL.fullmatch(row)
    return bare(label["value"] if label and label["value"] else row)
