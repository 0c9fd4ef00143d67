"""The archive: old entries moved out of logs that have grown large. Appended, verified, trimmed; never deleted."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from msgspec import Struct, structs

from memdown.acts import convert
from memdown.acts.inbox import appended
from memdown.dialects.sem import grammar
from memdown.limits import SemSettings
from memdown.patterns import lazy
from memdown.record import Document, Record
from memdown.store import Group
from memdown.text import Edit, Span, apply, encode, eol_of, with_eol

_PERMANENT = lazy(
    r"^[ \t>]*(?:[-*+][ \t]+)?[*_]*(?:status[*_]*:[ \t*_`]*permanent|keep[*_]*:[ \t*_`]*active)\b",
    re.IGNORECASE | re.MULTILINE,
)
_PATIENCE = 100
"""How often a plan is tried again when the text around an entry would be read differently without it."""

_TITLES = {"decisions-archive.md": "# Archived decisions\n\n", "history-archive.md": "# Archived history\n\n"}


class Due(Struct, frozen=True):
    """The age from which entries of a file are moved."""

    days: int
    now: datetime


class Moved(Struct, frozen=True, rename={"source": "from", "target": "to"}):
    """An entry that went to the archive."""

    id: str
    title: str
    source: str
    target: str


class KeptEntry(Struct, frozen=True):
    """An entry that is old enough and stays."""

    id: str
    title: str
    path: str
    reason: str


class Undated(Struct, frozen=True):
    """An entry that does not say when it was."""

    id: str
    title: str
    path: str
    line: int


class ArchivePlan(Struct, frozen=True):
    """What archiving changes in one file and its archive."""

    path: str
    before: str
    after: str
    target: str
    held: str | None
    """What the archive holds now."""
    grown: str
    """What it holds then."""
    entries: int
    moved: list[Moved]
    kept: list[KeptEntry]
    undated: list[Undated]


class Archived(Struct, frozen=True):
    """What became of the logs."""

    moved: list[Moved]
    kept: list[KeptEntry]
    undated: list[Undated]
    written: list[str]
    entries_before: int
    entries_left: int


def target_of(path: str) -> str | None:
    """The archive of a log or a history; None for files that have none."""
    folder, _, name = path.rpartition("/")
    target = {"decisions.md": "decisions-archive.md", "history.md": "history-archive.md"}.get(name)
    return target and (f"{folder}/{target}" if folder else target)


def due(
    document: Document, settings: SemSettings, now: datetime, older_than: int | None, size: int | None
) -> Due | None:
    """From which age entries of a file are moved; None when it is not large enough.

    An age that is asked for counts whatever the size, unless a size is asked for too.
    """
    held = len(encode(document.text))
    if older_than is not None:
        return Due(older_than, now) if held >= (size or 0) else None
    if grammar.part_of(document.path) == "history":
        return Due(settings.history_days, now) if held >= _or(size, settings.history_size) else None
    if held >= settings.archive_large_size:
        return Due(settings.archive_large_days, now) if held >= (size or 0) else None
    return Due(settings.archive_days, now) if held >= _or(size, settings.archive_size) else None


def _or(asked: int | None, set: int) -> int:
    return set if asked is None else asked


def replaced(records: Iterable[Record]) -> frozenset[datetime]:
    """The moments of entries that others replace."""
    found = (grammar.moment(link.target) for record in records for link in record.links if link.type == "supersedes")
    return frozenset(moment.instant() for moment in found if moment)


def plan(document: Document, target: str, held: str | None, due: Due, replaced: frozenset[datetime]) -> ArchivePlan:
    """What moving the old entries of a file comes to. Nothing is written."""
    first = _plan(document, target, held, due, replaced)
    moved, last, left = list(first.moved), first, convert.entries(document)
    for _ in range(_PATIENCE):
        if not last.moved:
            break
        # Whether an entry can go depends on what stands around it, so what stayed is tried once more.
        gone = {each.id for each in last.moved}
        left = [each for each in left if each.id not in gone]
        read = convert.entries_of("sem", document.path, last.after)
        named = [structs.replace(new, id=old.id) for new, old in zip(read, left, strict=True)]
        rest = Document(document.path, last.after, dialect="sem", records=named)
        last = _plan(rest, target, last.grown, due, replaced)
        moved += last.moved
    return structs.replace(first, after=last.after, grown=last.grown, moved=moved, kept=last.kept, undated=last.undated)


def _plan(document: Document, target: str, held: str | None, due: Due, replaced: frozenset[datetime]) -> ArchivePlan:
    entries = convert.entries(document)
    old = [record for record in entries if record.at and _age(record, due.now) > due.days]
    reasons = {record.id: reason for record in old if (reason := _protection(document.text, record, due.now, replaced))}
    going = [record for record in old if record.id not in reasons]
    after, grown, tried = document.text, held or "", 0
    while going:
        after = apply(document.text, [Edit(_cut(document.text, record), "") for record in going])
        grown = _grown(target, held, document.text, going)
        wrong = _difference(document.path, entries, going, after, target, held or "", grown)
        if wrong is None:
            break
        tried += 1
        hopeless = {each.id for each in going if each.span.start > wrong.span.start and tried > _PATIENCE}
        reasons |= dict.fromkeys({wrong.id, *hopeless}, "without it the text around it would be read differently")
        going = [each for each in going if each.id not in reasons]
        after, grown = document.text, held or ""
    return ArchivePlan(
        document.path,
        document.text,
        after,
        target,
        held,
        grown,
        len(entries),
        [Moved(record.id, record.title or "", document.path, target) for record in going],
        [KeptEntry(each.id, each.title or "", each.path, reasons[each.id]) for each in old if each.id in reasons],
        [
            Undated(each.id, each.title or "", each.path, document.lines.at(each.span.start) + 1)
            for each in entries
            if each.at is None
        ],
    )


def _age(record: Record, now: datetime) -> int:
    """Whole days since an entry was written."""
    if record.at is None:
        return 0
    if record.at.precision == "day":
        return (now.astimezone(UTC).date() - record.at.local.date()).days
    return (now - record.at.instant()).days


def _protection(text: str, record: Record, now: datetime, replaced: frozenset[datetime]) -> str | None:
    """Why an entry never ages out; None when it does."""
    tags = {tag.casefold() for tag in record.tags}
    in_force = record.at is None or record.at.instant() not in replaced
    expires = grammar.moment(str(record.extra.get("expires") or ""))
    if "permanent" in tags or _PERMANENT.search(record.span.of(text)):
        return "permanent"
    if expires and expires.instant() > now:
        return f"in force until {expires.text}"
    if record.kind == "directive":
        return "a directive"
    if "policy" in tags and in_force and not expires:
        return "a policy"
    if any(link.type == "supersedes" for link in record.links) and in_force:
        return "it replaces another entry and is in force"
    return None


def _cut(text: str, record: Record) -> Span:
    """An entry with the blank lines after it."""
    end = record.span.end
    while end < len(text) and text[end] in " \t\r\n":
        end += 1
    return Span(record.span.start, end)


def _grown(target: str, held: str | None, text: str, going: Sequence[Record]) -> str:
    """The archive with the entries at its end."""
    grown = held if held is not None else with_eol(_TITLES[target.rsplit("/", 1)[-1]], eol_of(text))
    for record in going:
        grown = appended(grown, record.span.of(text).rstrip())
    return grown


def _difference(
    path: str, entries: Sequence[Record], going: Sequence[Record], after: str, target: str, held: str, grown: str
) -> Record | None:
    """An entry that must stay, because log or archive would be read differently than meant; None when there is none."""
    leaving = {record.span.start for record in going}
    left = [record for record in entries if record.span.start not in leaving]
    found = convert.entries_of("sem", path, after)
    for number, record in enumerate(left):
        if number >= len(found) or not _is_same(record, found[number]):
            # It took in the text of the next one, which the last entry between the two kept apart.
            following = left[number + 1].span.start if number + 1 < len(left) else record.span.end
            before = [each for each in going if each.span.start < following]
            return (before or list(going))[-1]
    if len(found) != len(left):
        return going[-1]
    old = convert.entries_of("sem", target, held)
    arrived = convert.entries_of("sem", target, grown)[len(old) :]
    for number, record in enumerate(going):
        if number >= len(arrived) or not _is_same(record, arrived[number]):
            return record
    return going[-1] if len(arrived) != len(going) else None


def _is_same(one: Record, other: Record) -> bool:
    return _content(one) == _content(other)


def _content(record: Record) -> tuple[object, ...]:
    """What an entry says; the lines that part it from the next do not count."""
    body = re.sub(r"(?:\s|^ {0,3}---[ \t]*$)+\Z", "", record.body or "", flags=re.MULTILINE)
    return record.kind, record.title, record.at, record.author, record.links, body


def carry_out(planned: ArchivePlan, group: Group) -> None:
    """The changes of a plan, as wishes of one group."""
    if planned.moved:
        group.save(planned.target, planned.grown, over=planned.held)
        group.save(planned.path, planned.after, over=planned.before)


def told(plans: Sequence[ArchivePlan]) -> Archived:
    changed = [each for each in plans if each.moved]
    moved = [moved for each in plans for moved in each.moved]
    return Archived(
        moved=moved,
        kept=[kept for each in plans for kept in each.kept],
        undated=[undated for each in plans for undated in each.undated],
        written=[name for each in changed for name in (each.target, each.path)],
        entries_before=sum(each.entries for each in plans),
        entries_left=sum(each.entries for each in plans) - len(moved),
    )


def together(one: Archived, other: Archived) -> Archived:
    """Two reports as one."""
    pairs = {name: getattr(one, name) + getattr(other, name) for name in Archived.__struct_fields__}
    return Archived(**pairs)
