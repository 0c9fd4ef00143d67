"""From the text of a journal's file to records: edits, modifications, tasks, steps, sessions, the cache, errors."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import structs

from memdown import times
from memdown.dialects import days
from memdown.dialects.journal import names
from memdown.dialects.journal.headings import clock
from memdown.dialects.journal.model import (
    EditEntry,
    ErrorEntry,
    ErrorLog,
    JournalField,
    JournalReading,
    Modification,
    SessionFile,
    Task,
    TaskList,
)
from memdown.dialects.journal.names import kind_of
from memdown.dialects.journal.readings import READERS
from memdown.dialects.journal.sections import value_of
from memdown.dialects.journal.tasks import own_id
from memdown.hashes import sha256
from memdown.homes import bank_of, parts_of
from memdown.markdown import frontmatter
from memdown.markdown.placeholders import is_placeholder
from memdown.patterns import lazy
from memdown.record import Link, Record
from memdown.text import TITLE, Span, encode, line_end, shorten

ExtraFields = dict[str, str | Sequence[str]]

_FILE_TIME = lazy(r"(?:\d{8}-)?(?P<hour>[01]\d|2[0-3])(?P<minute>[0-5]\d)(?P<second>[0-5]\d)?(?=[-_.])")
_SIGNERS = ("author", "authors", "contributor", "contributors")
"""Fields of a session that say whose it is."""
_CHUNK_KEYS = {"id": "chunk", "source_branch": "source_branch", "source_commit": "source_commit"}
_SHOWN = ("owner", "type", "reason", "paused on", "completed", "details", "updated", "related", "notes", "last active")


def read(path: str, text: str) -> list[Record]:
    """Every record of a file, in order. A modification stands inside its edit, a step inside its task."""
    kind = kind_of(path)
    match READERS[kind](text) if kind else None:
        case JournalReading() as reading:
            return _identified(path, _edits(path, text, reading))
        case TaskList() as reading:
            return _identified(path, _tasks(path, reading))
        case SessionFile() as reading:
            return _identified(path, _session(path, text, reading))
        case ErrorLog(faults):
            return _identified(path, (_fault(path, text, fault) for fault in faults))
    return []


# Edits


def _edits(path: str, text: str, reading: JournalReading) -> Iterator[Record]:
    chunk = kind_of(path) == names.CHUNK
    front = _chunk_front(text) if chunk else {}
    day = (names.day_in(path) or str(front.get("created_at", ""))[:10]) if chunk else None
    time, zone = _chunk_time(path, front) if chunk else (None, None)
    for entry in reading.entries:
        whole = structs.replace(
            entry, date=entry.date or day, time=entry.time or time, zone=entry.zone or (None if entry.time else zone)
        )
        record = _edit(path, text, whole, front)
        yield record
        for each in entry.modifications:
            yield _modification(path, each, record)


def _edit(path: str, text: str, entry: EditEntry, front: Mapping[str, str]) -> Record:
    extra: ExtraFields = {"date": entry.date or "", "time": entry.time or "", "timezone": entry.zone or "UTC"}
    extra["tz_explicit"] = "1" if entry.zone else "0"
    extra["tasks"] = list(entry.tasks)
    extra |= {name: front[key] for key, name in _CHUNK_KEYS.items() if front.get(key)}
    if entry.end:
        extra["end_time"] = entry.end
    links = [Link("task", task) for task in entry.tasks]
    paths = list(dict.fromkeys(each.path for each in entry.modifications))
    links += [Link("file", each) for each in paths]
    body = text[entry.head.end : entry.span.end].strip() if entry.level else entry.span.of(text).strip()
    return _record(
        "edit",
        path,
        entry.span,
        id=_said(entry.date, entry.time, *entry.tasks, entry.description or next(iter(paths), "")),
        title=shorten(entry.description) or None,
        body=body or None,
        at=entry.moment,
        links=tuple(links),
        extra=extra | _whole(entry.description),
    )


def _modification(path: str, each: Modification, edit: Record) -> Record:
    extra: ExtraFields = {"action": each.action, "file_path": each.path, "edit": edit.id}
    if each.verb != each.action:
        extra["verb"] = each.verb
    links = [Link("file", each.path)]
    if each.target:
        extra["target"] = each.target
        links.append(Link("file", each.target))
    return _record(
        "modification",
        path,
        each.span,
        id=_said(edit.id, each.action, each.path, each.description),
        title=shorten(f"{each.action} {each.path}"),
        body=each.description or None,
        at=edit.at,
        links=tuple(links),
        extra=extra,
    )


def _chunk_front(text: str) -> Mapping[str, str]:
    front = frontmatter.read(text)
    return {entry.key: entry.value.text or "" for entry in front.entries} if front else {}


def _chunk_time(path: str, front: Mapping[str, str]) -> tuple[str | None, str | None]:
    """The time in the front matter, or in the name of the file."""
    at = times.read(front.get("created_at", ""))
    if at and at.precision != "day":
        return at.local.strftime("%H:%M:%S"), at.zone or None
    match = _FILE_TIME.match(parts_of(path)[-1])
    return (clock(match["hour"], match["minute"], match["second"] or "00"), None) if match else (None, None)


# Tasks


def _tasks(path: str, found: TaskList) -> Iterator[Record]:
    for task in found.tasks:
        named = structs.replace(task, id=own_id(path, task))
        record = _task(path, named, found.stamps)
        yield record
        for step in task.steps:
            extra: ExtraFields = {"task": named.id, "section": step.section, "position": str(step.position)}
            extra["checked"] = "1" if step.state == "completed" else "0"
            yield _record(
                "step",
                path,
                step.span,
                id=f"{record.id}\0{step.section}\0{step.text}",
                title=shorten(step.text),
                status=step.state,
                extra=extra | _whole(step.text),
            )


def _task(path: str, task: Task, stamps: Mapping[str, JournalField]) -> Record:
    extra: ExtraFields = {"task": task.id, "source": task.source, "priority": task.priority, "started": task.started}
    extra |= {"dependencies": list(task.dependencies), "status_text": task.written, "section": task.section}
    for name in _SHOWN:
        if name in task.cells and task.cells[name].value:
            extra[name.replace(" ", "_")] = task.cells[name].value
    extra |= _whole(task.title)
    links = [Link("depends", id) for id in task.dependencies] + [Link("file", file) for file in task.files]
    updated = stamps.get("last updated") if task.source == "file" else None
    at = times.read(updated.value) if updated else None
    at = at or times.read(task.started) or days.moment(task.started)
    if at is None and task.source == "details":
        reached = (times.read(value_of(task.cells, name)) for name in ("completed", "updated"))
        at = next((day for day in reached if day), None)
    description = task.cells.get("description")
    return _record(
        "task",
        path,
        task.span,
        id=_own(path, task.id if task.source == "file" else f"{task.id}@{task.source}"),
        title=shorten(task.title) or None,
        summary=shorten(description.value) if description and description.value else None,
        at=at,
        status=task.status or task.written or None,
        links=tuple(links),
        extra={key: value for key, value in extra.items() if value},
    )


# Sessions and errors


def _session(path: str, text: str, found: SessionFile) -> Iterator[Record]:
    if not text.strip("\ufeff \t\r\n"):
        return
    kind = "cache" if kind_of(path) == names.CACHE else "session"
    stem = parts_of(path)[-1].removesuffix(".md")
    day = found.date or (names.day_in(path) if kind == "session" else None) or ""
    period = found.period or (stem[11:] if kind == "session" and stem[:10] == day else "")
    extra: ExtraFields = {"date": day, "period": period, "focus": found.focus, "started": found.started}
    extra |= {"tasks": list(found.tasks), "session_file": found.file, "history": list(found.history)}
    extra |= {f"{name}_count": str(number) for name, number in found.counts.items()}
    ended = found.fields.get("ended")
    if ended:
        extra["ended"] = ended.value.strip()
    begin = len(text) - len(text.lstrip("\ufeff \t\r\n"))
    first = text[begin : line_end(text, begin)]
    headings = [first.strip("# \t")] if first.startswith("# ") else []
    yield _record(
        kind,
        path,
        Span(begin, len(text.rstrip())),
        id=_own(path, stem if kind == "cache" else f"session-{stem}"),
        title=shorten(next(filter(_is_filled, (found.title, found.focus, *headings)), "")) or None,
        summary=shorten(found.focus) or None if _is_filled(found.focus) else None,
        body=text.strip("\ufeff \t\r\n"),
        at=times.read(found.started) or times.read(day),
        author=next((found.fields[name].value for name in _SIGNERS if name in found.fields), None) or None,
        status=found.status or None,
        links=tuple(Link("task", id) for id in found.tasks),
        extra={key: value for key, value in extra.items() if value},
    )


def is_unfilled(record: Record) -> bool:
    """Whether a record is called as a template has it."""
    return is_placeholder(record.title or "")


def _is_filled(value: str) -> bool:
    return bool(value) and not is_placeholder(value)


def _fault(path: str, text: str, fault: ErrorEntry) -> Record:
    extra: ExtraFields = {key: field.value for key, field in fault.fields.items() if field.value}
    extra["tasks"] = list(fault.tasks)
    extra |= _whole(fault.title)
    file = fault.fields.get("file")
    links = [Link("task", id) for id in fault.tasks]
    if file and file.value.startswith("`"):
        links.append(Link("file", file.value.split("`")[1]))
    return _record(
        "error",
        path,
        fault.span,
        id=_said(fault.stamp, *fault.tasks, fault.title),
        title=shorten(fault.title) or None,
        body=text[fault.head.end : fault.span.end].strip() or None,
        at=times.read(fault.stamp),
        links=tuple(links),
        extra={key: value for key, value in extra.items() if value},
    )


# What all records share


def _said(*values: str | None) -> str:
    """What a record says, from which its id is made: the same however its line is spelled."""
    return "\0".join("".join(char for char in each or "" if char.isalnum() or char == "\0") for each in values)


def _record(kind: str, path: str, span: Span, **values: object) -> Record:
    record = Record(id="", dialect="journal", kind=kind, path=path, span=span)
    return structs.replace(record, **values)


def _own(path: str, name: str) -> str:
    """A name of its own: with the folder before it when that is not the usual place of a journal."""
    home = bank_of(path) or ""
    folder, _, _ = home.rpartition("/")
    within = "/".join(parts_of(path)[:-1])
    if within.endswith("archive"):
        name = f"{name}@archive"
    return f"{folder}/{name}" if folder else name


def _whole(title: str) -> ExtraFields:
    """All of a title that had to be shortened."""
    return {"full_title": title} if len(title) > TITLE else {}


def _identified(path: str, found: Iterator[Record]) -> list[Record]:
    """Ids that stay when others change: names where there are any, else from what the record says."""
    taken: Counter[str] = Counter()
    made: list[Record] = []
    edit = ""
    for record in found:
        own = record.id
        taken[own] += 1
        number = taken[own]
        if "\0" in own or record.kind in ("edit", "modification", "step", "error"):
            content = f"{path}\0{record.kind}\0{own}" + (f"\0{number}" if number > 1 else "")
            id = sha256(encode(content))[:12]
        else:
            id = own if number == 1 else f"{own}-{number}"
        extra = record.extra
        if record.kind == "edit":
            edit = id
        elif record.kind == "modification":
            extra = {**extra, "edit": edit}
        made.append(structs.replace(record, id=id, extra=extra))
    return made
