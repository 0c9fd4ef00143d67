"""Records of a journal as memdown writes them, for every kind: where they go, and the edits that put them there."""

from collections.abc import Callable, Sequence
from datetime import datetime

from msgspec import structs

from memdown import times
from memdown.dialects.journal import KINDS, write_common, write_edits, write_sessions, write_tasks
from memdown.dialects.journal.clock import clock
from memdown.dialects.journal.fields import date_of, list_of, text_of, time_of, zone_of
from memdown.dialects.journal.names import CHUNK, FILES, HISTORY, REGISTRY, kind_of
from memdown.dialects.journal.tasks import registry, task_file
from memdown.dialects.journal.write_tasks import NewTask
from memdown.errors import Refused
from memdown.record import Record
from memdown.text import Edit, Span, after_line, apply, eol_of, line_end, with_eol

_FIXED = ("id", "kind", "path", "dialect", "author", "contributors", "scope", "tags", "links")
_TITLED = ("task", "step", "edit", "error")
"""What has its title in its first line."""
_LABELS = {"last_active": "Last Active", "paused_on": "Paused On", "completed": "Completed", "reason": "Reason"}
"""Fields that only the file of a task has."""


def begin(now: datetime) -> dict[str, str]:
    """The history and the registry of a new journal; the cache comes with the first session."""
    stamp = clock(now).stamp
    return {FILES[HISTORY]: write_edits.new_history(stamp), FILES[REGISTRY]: write_tasks.new_registry(stamp)}


def prepare(record: Record, now: datetime) -> Record:
    """A record stamped with the time; `now` has the name of its zone as the journal spells it."""
    zone = now.tzname() or "UTC"
    at = times.read(f"{now:%Y-%m-%d %H:%M:%S} {zone}")
    stamped: dict[str, str | Sequence[str]] = {"started": f"{now:%Y-%m-%d}"}
    if record.kind != "task":
        stamped = {"date": f"{now:%Y-%m-%d}", "time": f"{now:%H:%M:%S}", "timezone": zone, "tz_explicit": "1"}
    return structs.replace(record, dialect="journal", at=at, extra=stamped | dict(record.extra))


def place(record: Record) -> str:
    """The file of a record, inside the journal."""
    if record.kind == "task" and record.extra.get("source") != "registry":
        return f"tasks/{record.task}.md"
    if record.kind == "session":
        return write_sessions.session_place(date_of(record), text_of(record, "period"))
    return KINDS[record.kind]


def insert(text: str, record: Record) -> list[Edit]:
    """A new edit, task, session or error. An edit's body holds the lines of its modifications."""
    stamp = record.at.text if record.at else ""
    match record.kind:
        case "edit" if kind_of(record.path) == CHUNK:
            if not _is_blank(text):
                raise Refused(f"{record.path} already has text in it.")
            return [Edit(Span(0, len(text)), _chunk(record, stamp))]
        case "edit":
            date, entry = date_of(record), entry_of(record)
            return _into(
                text,
                write_edits.new_history(stamp),
                lambda start: write_edits.insert_entry(start, date=date, entry=entry, now=stamp),
            )
        case "error":
            error = _error(record, stamp)
            begin = write_sessions.new_errors(stamp)
            return _into(text, begin, lambda start: write_sessions.insert_error(start, error, stamp))
        case "task" if record.extra.get("source") == "registry":
            begin = write_tasks.new_registry(stamp)
            return _into(text, begin, lambda start: write_tasks.insert_row(start, _task(record), stamp))
    if not _is_blank(text):
        raise Refused(f"{place(record)} already has text in it.")
    whole = _session(record, stamp) if record.kind == "session" else write_tasks.task_text(_task(record), stamp)
    return [Edit(Span(0, len(text)), whole)]


def _chunk(record: Record, stamp: str) -> str:
    """The file of one edit, with what tells it from others above its entry."""
    front = {
        "kind": "edit_chunk",
        "id": record.path.rpartition("/")[2].removesuffix(".md"),
        "created_at": stamp,
        "task_ids": f"[{', '.join(list_of(record, 'tasks'))}]",
        "source_branch": text_of(record, "source_branch"),
        "source_commit": text_of(record, "source_commit"),
    }
    lines = "".join(f"{key}: {value}\n" for key, value in front.items() if value)
    return f"---\n{lines}---\n\n{entry_of(record)}"


def _into(text: str, begin: str, edits: Callable[[str], list[Edit]]) -> list[Edit]:
    """The edits of a text, or of a new file when it is blank."""
    return [Edit(Span(0, len(text)), apply(begin, edits(begin)))] if _is_blank(text) else edits(text)


def _is_blank(text: str) -> bool:
    return not text.strip("\ufeff \t\r\n")


def entry_of(record: Record) -> str:
    """The lines of an edit."""
    head = write_edits.entry_head(
        time=time_of(record), zone=zone_of(record), tasks=list_of(record, "tasks"), description=record.title or ""
    )
    return head + (f"{record.body.strip()}\n" if record.body else "")


def _error(record: Record, stamp: str) -> str:
    named = {name: text_of(record, name) for name in ("file", "error", "cause", "fix")}
    return write_sessions.error_text(now=stamp, title=record.title or "", task=record.task or None, **named)


def _session(record: Record, stamp: str) -> str:
    return write_sessions.session_text(
        date=date_of(record),
        period=text_of(record, "period"),
        now=stamp,
        focus=text_of(record, "focus") or write_sessions.NO_FOCUS,
    )


def _task(record: Record) -> NewTask:
    return NewTask(
        id=record.task,
        title=record.title or "",
        started=text_of(record, "started"),
        status=record.status or "pending",
        priority=text_of(record, "priority") or "MEDIUM",
        dependencies=tuple(list_of(record, "dependencies")),
        description=record.summary or "",
    )


def update(text: str, old: Record, new: Record) -> list[Edit]:
    """The edits from one state of a record to another: what a task or a session says of itself, the state of a step."""
    changed = [field for field in _FIXED if getattr(old, field) != getattr(new, field)]
    if changed:
        raise Refused(f"A {old.kind} of the journal has no {changed[0]} to change; edit {old.path}:{old.line} by hand.")
    edits = []
    if new.title != old.title and old.kind in _TITLED and old.extra.get("source") != "registry":
        edits.append(_title_edit(text, old, new.title or ""))
        new = structs.replace(new, title=old.title)
    if new.body != old.body:
        edits.append(_body_edit(text, old, new.body or ""))
    if new.summary != old.summary:
        if old.kind != "task" or old.extra.get("source") != "file":
            raise Refused(f"A {old.kind} has no summary here; a task has one in its file, as its description.")
        edits += write_tasks.update_file(text, {"Description": new.summary or ""})
    return [*edits, *_update(text, old, new)]


def _title_edit(text: str, old: Record, title: str) -> Edit:
    """Another title in the first line of a record."""
    whole = text_of(old, "full_title") or old.title or ""
    start = text.find(whole, old.span.start, line_end(text, old.span.start)) if whole else -1
    if start < 0:
        raise Refused(f"The title of this {old.kind} is not in its first line; edit {old.path}:{old.line} by hand.")
    return Edit(Span(start, start + len(whole)), write_common.one_line(title, "title"))


def _body_edit(text: str, old: Record, body: str) -> Edit:
    """Another text below the heading of an error or an edit."""
    if old.kind not in ("error", "edit"):
        raise Refused(f"A {old.kind} has no text that is one value; edit {old.path}:{old.line} by hand.")
    start = after_line(text, old.span.start)
    inner = text[start : old.span.end]
    start += len(inner) - len(inner.lstrip())
    return Edit(Span(start, max(start, old.span.end)), with_eol(body.strip(), eol_of(text)))


def _update(text: str, old: Record, new: Record) -> list[Edit]:
    if (new.title, new.status, new.at, new.extra) == (old.title, old.status, old.at, old.extra):
        return []
    stamp = new.at.text if new.at and new.at != old.at else None
    if old.kind == "step" and new.title == old.title:
        steps = (step for task in task_file(text).tasks for step in task.steps if step.span == old.span)
        return [edit for step in steps for edit in write_tasks.mark_step(text, step, new.status or "pending")]
    if old.kind == "session" and new.title == old.title:
        values = _changed(old, new, {"focus": "Focus Task", "ended": "Ended"})
        values |= {"Status": write_tasks.words(new.status or "pending")} if new.status != old.status else {}
        return write_sessions.update_session(text, values, stamp)
    if old.kind != "task":
        raise Refused(f"A {old.kind} of the journal has no such field to change; edit {old.path}:{old.line} by hand.")
    return _task_update(text, old, new, stamp)


def _changed(old: Record, new: Record, labels: dict[str, str]) -> dict[str, str]:
    """Values that differ and are not gone, by their labels."""
    names = [name for name in labels if new.extra.get(name) and new.extra.get(name) != old.extra.get(name)]
    return {labels[name]: text_of(new, name) for name in names}


def _task_update(text: str, old: Record, new: Record, stamp: str | None) -> list[Edit]:
    values = _changed(old, new, {"priority": "priority", "started": "started"})
    if new.status != old.status:
        values["status"] = new.status or "pending"
    if list_of(new, "dependencies") != list_of(old, "dependencies"):
        values["dependencies"] = ", ".join(list_of(new, "dependencies")) or "-"
    source, id = old.extra.get("source"), old.task
    if source == "registry":
        if values.get("status") == "completed":
            return write_tasks.complete_row(text, id, text_of(new, "completed") or values.get("started", "-"), stamp)
        values |= {"title": new.title or ""} if new.title != old.title else {}
        return write_tasks.update_row(text, id, values, stamp)
    if source == "details":
        if "status" not in values:
            return []
        state = write_tasks.words(values["status"])
        fields = [task.cells.get("status") for task in registry(text).tasks if task.span == old.span]
        return [Edit(field.at, state) if field else _after_heading(text, old.span.start, state) for field in fields]
    labelled = {name.title(): value for name, value in values.items()} | _changed(old, new, _LABELS)
    if "paused_on" in old.extra and "paused_on" not in new.extra and new.at:
        over = write_tasks.pause_over(text, f"{new.at.local:%Y-%m-%d}")
        return _difference(text, apply(over, write_tasks.update_file(over, labelled, stamp)))
    return write_tasks.update_file(text, labelled, stamp)


def _after_heading(text: str, start: int, state: str) -> Edit:
    """A state behind the title of a heading that has none."""
    end = start + len(text[start : line_end(text, start)].rstrip())
    return Edit(Span(end, end), f" {state}")


def _difference(before: str, after: str) -> list[Edit]:
    """One edit from one text to another: what lies between their common beginning and their common end."""
    shorter = min(len(before), len(after))
    start = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    same = next((at for at in range(shorter - start) if before[-1 - at] != after[-1 - at]), shorter - start)
    return [Edit(Span(start, len(before) - same), after[start : len(after) - same])] if before != after else []
