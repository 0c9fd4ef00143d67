"""The drop box: files of one entry or a few, merged into the log, each entry once."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date

from msgspec import Struct, structs

from memdown.dialects.draft import EntryDraft
from memdown.dialects.sem import canonical, grammar, write
from memdown.dialects.sem.read import entries, read
from memdown.dialects.sem.upgrade import body, proof
from memdown.dialects.sem.upgrade import draft as legacy
from memdown.markdown import frontmatter
from memdown.markdown.blocks import hiding
from memdown.project import Project
from memdown.record import Document, Record
from memdown.store import Group
from memdown.text import BOM, Edit, apply, eol_of, with_eol

NEW_LOG = "# Decisions\n\n"
NEW_HISTORY = "# History\n\n"
_LABELS = {
    **dict.fromkeys(grammar.FRONT_DATES, "Date"),
    **{name: name.capitalize() for name in ("author", "scope", "summary", "tags", "type")},
}
"""Keys of front matter, in small letters, that labels stand for."""

Key = tuple[object, ...]


class Dropped(Struct, frozen=True):
    """A file in the drop box."""

    path: str
    titles: list[str]
    reason: str | None
    """Why it cannot be merged; None when it can."""


class LeftInInbox(Struct, frozen=True):
    """A file that stays in the drop box."""

    path: str
    reason: str


class Overlap(Struct, frozen=True):
    """An entry whose title and day another entry has, with another text. Both are in the log."""

    title: str
    path: str
    """The file it came from."""
    day: str
    other: str
    """The id of the entry that was there before."""


class OutsideText(Struct, frozen=True):
    """Text of a merged file that stands in none of its entries, so that the log does not have it."""

    path: str
    """Where the file is then, with all of its text."""
    lines: int
    first: str
    """The first of these lines."""


class InboxPlan(Struct):
    """What a merge changes in one log or history."""

    log: str
    before: str | None
    after: str
    entries: list[Record]
    """What the log holds then."""
    moves: list[tuple[str, str, str]]
    """Processed files: name, new name, text."""
    merged: int = 0
    duplicates: int = 0
    overlapping: list[Overlap] = []
    left: list[LeftInInbox] = []
    outside: list[OutsideText] = []


class InboxMerge(Struct, frozen=True):
    """What became of everything in the drop boxes."""

    merged: int
    duplicates: int
    overlapping: list[Overlap]
    left: list[LeftInInbox]
    written: list[str]
    archived: list[str]
    outside: list[OutsideText]


class _Entry(Struct, frozen=True):
    """An entry on its way to the log."""

    record: Record
    text: str
    keys: frozenset[Key]


def names(root: Project, home: str) -> list[str]:
    return [name for name in root.below(home) if name.startswith(f"{home}/decisions/inbox/")]


def dropped(root: Project, home: str) -> Iterator[Dropped]:
    """Every file that waits, and whether it can be merged."""
    for name in names(root, home):
        document = _read(root, name, root.files.read(name))
        found = _entries(document)
        reason = found if isinstance(found, str) else None
        yield Dropped(name, [record.title or "" for record in _own_entries(document)], reason)


def plans(root: Project, home: str) -> list[InboxPlan]:
    """What merging the drop box of a home comes to, by file: the log, and for memories the histories of their authors.

    Entries are added in the order of their times. Nothing is written.
    """
    by_log: dict[str, dict[str, str]] = {f"{home}/decisions.md": {}}
    texts = {name: root.files.read(name) for name in names(root, home)}
    found = {name: _own_entries(_read(root, name, text)) for name, text in texts.items()}
    for name in sorted(found, key=lambda name: (_first(found[name]), name)):
        by_log.setdefault(_log_of(root, home, found[name]), {})[name] = texts[name]
    targets: set[str] = set()
    return [_plan(root, log, waiting, targets) for log, waiting in by_log.items()]


def _first(found: Sequence[Record]) -> tuple[bool, float]:
    """When the first of some entries was written; what has no date comes last."""
    moments = [record.at.instant().timestamp() for record in found if record.at]
    return not moments, min(moments, default=0.0)


def _log_of(root: Project, home: str, found: Sequence[Record]) -> str:
    """The file that the entries of a dropped file belong to; a memory that says so is its author's."""
    places = {
        write.place(record) for record in found if record.form == "sem" and record.kind == "memory" and record.author
    }
    if len(places) == 1 and all(record.form == "sem" and record.kind == "memory" for record in found):
        return root.file_of("sem", places.pop())
    return f"{home}/decisions.md"


def _plan(root: Project, log: str, waiting: dict[str, str], targets: set[str]) -> InboxPlan:
    files, old = root.files, f"{log.removesuffix('.md')}-archive.md"
    before = files.find(log)
    text = before if before is not None else NEW_LOG if log.endswith("/decisions.md") else NEW_HISTORY
    planned = InboxPlan(log, before, text, entries(read(log, text)), [], overlapping=[], left=[], outside=[])
    known = _known(root.parse(log, text))
    archived = _known(root.parse(old, files.read(old))) if files.exists(old) else {}
    before_round: int | None = None
    while len(waiting) != before_round:  # what the log hides may be seen after another entry, so it is tried again
        before_round = len(waiting)
        planned.left = list(_round(planned, root, waiting, targets, known, archived))
    if planned.merged == 0:
        planned.after = before or ""
    return planned


def _round(
    planned: InboxPlan,
    root: Project,
    waiting: dict[str, str],
    targets: set[str],
    known: dict[Key, Record],
    archived: Mapping[Key, Record],
) -> Iterator[LeftInInbox]:
    """Merge what can be of the files that wait; what stays waits on. `targets` are names that are taken by now."""
    for name, text in list(waiting.items()):
        document = _read(root, name, text)
        found = _entries(document)
        reason = found if isinstance(found, str) else _merge(planned, name, found, known, archived)
        if reason is not None:
            yield LeftInInbox(name, reason)
            continue
        place = name.replace("/inbox/", "/inbox-archive/")
        target = free_name(lambda each: root.files.exists(each) or each in targets, place)
        targets.add(target)
        planned.moves.append((name, target, text))
        if outside := _outside(document):
            planned.outside.append(OutsideText(target, len(outside), outside[0]))
        del waiting[name]


def _merge(
    planned: InboxPlan, name: str, found: Sequence[_Entry], known: dict[Key, Record], archived: Mapping[Key, Record]
) -> str | None:
    """Add what is new in a file to the log of the plan; a reason when that cannot be done."""
    fresh: list[_Entry] = []
    added: set[Key] = set()
    for entry in found:
        if not any(key in known or key in archived or key in added for key in entry.keys):
            fresh.append(entry)
            added |= entry.keys
    after = planned.after
    for entry in fresh:
        after = write.appended(after, with_eol(entry.text, eol_of(after)))
    grown = entries(read(planned.log, after)) if fresh else planned.entries
    if not _is_grown(planned.entries, grown, fresh):
        return f"the log would hide it with {why}" if (why := hiding(after)) else "the log would not show it as it is"
    for entry in fresh:
        planned.overlapping += _overlaps(entry.record, name, known)
        known |= dict.fromkeys(entry.keys, entry.record)
    planned.after, planned.entries = after, grown
    planned.merged += len(fresh)
    planned.duplicates += len(found) - len(fresh)
    return None


def _is_grown(old: Sequence[Record], new: Sequence[Record], added: Sequence[_Entry]) -> bool:
    """Whether a log holds what it held and the new entries, and nothing else."""
    kept = [each.title for each in new[: len(old)]] == [each.title for each in old]
    return kept and [key_of(each) for each in new[len(old) :]] == [key_of(each.record) for each in added]


def _overlaps(record: Record, name: str, known: Mapping[Key, Record]) -> Iterator[Overlap]:
    for other in {each.id: each for each in known.values()}.values():
        if _title(other) == _title(record) and _day(other) == _day(record):
            yield Overlap(record.title or "", name, str(_day(record)), other.id)


def carry_out(planned: InboxPlan, group: Group) -> None:
    """The changes of a plan, as wishes of one group."""
    if planned.merged:
        group.save(planned.log, planned.after, over=planned.before)
    for name, target, text in planned.moves:
        group.rename(name, target, over=text)


def result(plans: Sequence[InboxPlan]) -> InboxMerge:
    return InboxMerge(
        merged=sum(each.merged for each in plans),
        duplicates=sum(each.duplicates for each in plans),
        overlapping=[overlap for each in plans for overlap in each.overlapping],
        left=[left for each in plans for left in each.left],
        written=[each.log for each in plans if each.merged],
        archived=[target for each in plans for _, target, _ in each.moves],
        outside=[each for planned in plans for each in planned.outside],
    )


def _read(root: Project, name: str, text: str) -> Document:
    """A dropped file; what front matter says of it is read as the labels of its entry."""
    front = frontmatter.read(text)
    if front is None or not front.entries or front.problems or not text[front.body :].strip():
        return root.parse(name, text)
    values = {entry.key: entry.value.text or " ".join(entry.value.span.of(text).split()) for entry in front.entries}
    heading, rest = body.under_heading(text[front.body :].strip())
    heading = heading or values.pop("title", "") or values.get("summary", "")
    labels = [f"**{_LABELS.get(key.lower(), key)}:** {value}" for key, value in values.items() if value != heading]
    if values.get("class", "").upper() == "POLICY":
        labels.append("**Tags:** policy")
    return root.parse(name, "\n\n".join([f"# {heading}", "\n".join(labels), rest]) + "\n")


def _own_entries(document: Document) -> list[Record]:
    """The entries of a dropped file, without a heading that only names the file."""
    found = entries(document.records)
    if len(found) > 1 and found[0].form == "document" and not found[0].body:
        return found[1:]
    return found


def _outside(document: Document) -> list[str]:
    """Lines of a dropped file that say something and stand in no entry; headings only name the file."""
    cuts = [Edit(record.span, "") for record in _own_entries(document)]
    rows = (row.strip() for row in re.split(r"\r\n|\n|\r", apply(document.text, cuts).removeprefix(BOM)))
    return [row for row in rows if row.strip("-*_ ") and not grammar.HEADING.match(row)]


def _entries(document: Document) -> list[_Entry] | str:
    """The entries of a dropped file as the log takes them, or the reason why it cannot."""
    if not document.records:
        return "it is empty"
    drafts = legacy.drafts(document)
    found = []
    for record in _own_entries(document):
        if record.at is None:
            missing = "no date" if record.author else "no author and no date"
            return f"{missing}: {record.title}" if len(_own_entries(document)) > 1 else missing
        draft = drafts.get(record.span.start)
        if draft is None:
            record, text = _canonical(document.text, record)
        elif draft.reason is None:
            text = draft.text
        else:
            text = _wrapped(document, record)
        meant = draft.record if draft and draft.reason is None else record
        found.append(_Entry(meant, text, frozenset(_keys(record, draft))))
    return found


def _canonical(text: str, record: Record) -> tuple[Record, str]:
    """A canonical entry with headings that do not compete; as it stands when writing it anew would lose something."""
    extra = {**record.extra, **({"rationale": body.demoted(record.rationale)} if record.rationale else {})}
    record = structs.replace(record, body=body.demoted(record.body or "") or None, extra=extra)
    old = record.span.of(text).strip()
    written = write.entry_text(record).rstrip()
    if proof.lost_lines(old, written):
        written = old if canonical.inside(old, 0, len(old)).terminator else f"{old}{eol_of(text) * 2}---"
    return record, written


def _wrapped(document: Document, record: Record) -> str:
    """A dated entry whose author nobody knows: its text as it is, under a heading with the date."""
    heading, text = body.under_heading(record.span.of(document.text))
    at = record.at.text if record.at else ""
    dated = heading if grammar.STAMP.search(heading) else f"{at}: {heading or record.title}"
    return f"### {dated}\n\n{body.demoted(text)}".rstrip()


def _known(document: Document) -> dict[Key, Record]:
    """What a log holds, by content."""
    drafts = legacy.drafts(document)
    found = entries(document.records)
    return {key: record for record in found for key in _keys(record, drafts.get(record.span.start))}


def _keys(record: Record, draft: EntryDraft | None) -> Iterator[Key]:
    """An entry's content as it stands and as it would be converted: the log may hold either, whatever was dropped."""
    yield key_of(record)
    if draft:
        yield key_of(draft.record)


def key_of(record: Record) -> Key:
    """The content of an entry: what makes two of them the same."""
    return (
        _title(record),
        record.at.instant().replace(microsecond=0) if record.at else None,
        (record.author or "").casefold(),
        _plain(record.body),
        _plain(record.rationale),
    )


def _title(record: Record) -> str:
    return " ".join((record.title or "").casefold().split())


def _day(record: Record) -> date | None:
    return record.at.local.date() if record.at else None


def _plain(text: str | None) -> str:
    """A text whatever its heading levels, line endings and the line that parts it from the next entry."""
    rows = [proof.bare(row) for row in re.split(r"\r\n|\n|\r", text or "")]
    while rows and rows[-1] in ("", "---"):
        rows.pop()
    return " ".join(" ".join(rows).split())


def free_name(is_used: Callable[[str], bool], name: str, tail: str = "") -> str:
    """A name that no file has: as it is, or with -2, -3, … before its end."""
    stem, dot, end = name.rpartition(".") if not tail else (name, "", "")
    number = 1
    while is_used(found := f"{stem}{'' if number == 1 else f'-{number}'}{dot}{end}{tail}"):
        number += 1
    return found
