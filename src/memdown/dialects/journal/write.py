"""Records of a journal as memdown writes them, for every kind: where they go, and the edits that put them there."""

from memdown.dialects.journal import write_edits, write_sessions, write_tasks
from memdown.dialects.journal.tasks import task_file
from memdown.dialects.journal.write_tasks import NewTask
from memdown.errors import Invalid, Refused
from memdown.record import Record
from memdown.text import Edit, Span, apply

_FIXED = ("id", "kind", "path", "dialect", "author", "contributors", "scope", "tags", "links", "summary", "body", "at")


def place(record: Record) -> str:
    """The file of a record, inside the journal."""
    match record.kind:
        case "edit" | "modification":
            return "edit_history.md"
        case "task" | "step":
            return "tasks.md" if record.extra.get("source") == "registry" else f"tasks/{_text(record, 'task')}.md"
        case "session":
            return write_sessions.session_place(_text(record, "date"), _text(record, "period"))
        case "cache":
            return "session_cache.md"
        case "error":
            return "errorLog.md"
    raise Invalid(f"A journal has no {record.kind}.")


def insert(text: str, record: Record) -> list[Edit]:
    """A new edit, task, session or error. An edit's body holds the lines of its modifications."""
    match record.kind:
        case "edit":
            return _edit(text, record)
        case "task":
            return _task(text, record)
        case "session" | "error" | "cache":
            if text.strip() and record.kind != "error":
                raise Refused(f"{place(record)} already has text in it.")
            return _whole(text, record)
    raise Refused(f"A {record.kind} is written with what holds it.")


def _edit(text: str, record: Record) -> list[Edit]:
    date, time = _text(record, "date"), _text(record, "time")
    zone = _text(record, "timezone") if record.extra.get("tz_explicit") == "1" else None
    head = write_edits.entry_text(
        time=time, zone=zone, tasks=_list(record, "tasks"), said=record.title or "", changes=()
    )
    entry = head + (f"{record.body.strip()}\n" if record.body else "")
    if text.strip("\ufeff \t\r\n"):
        return write_edits.insert_entry(text, date=date, entry=entry)
    begun = write_edits.new_history(f"{date} {time}{f' {zone}' if zone else ''}")
    return [Edit(Span(0, len(text)), f"{begun}\n### {date}\n\n{entry}")]


def _task(text: str, record: Record) -> list[Edit]:
    task = NewTask(
        id=_text(record, "task"),
        title=record.title or "",
        started=_text(record, "started"),
        status=record.status or "in_progress",
        priority=_text(record, "priority") or "MEDIUM",
        dependencies=tuple(_list(record, "dependencies")),
        description=record.summary or "",
    )
    if record.extra.get("source") == "registry":
        begun = text if text.strip() else write_tasks.new_registry(task.started)
        if begun is text:
            return write_tasks.insert_row(text, task)
        edits = write_tasks.insert_row(begun, task)
        return [Edit(Span(0, len(text)), apply(begun, edits))]
    if text.strip():
        raise Refused(f"{place(record)} already has text in it.")
    return [Edit(Span(0, len(text)), write_tasks.task_text(task, task.started))]


def _whole(text: str, record: Record) -> list[Edit]:
    if not record.body:
        raise Invalid(f"The {record.kind} says nothing.")
    if record.kind == "error" and text.strip():
        stamp = record.at.text if record.at else ""
        return write_sessions.insert_error(text, f"## {stamp}: {record.title}\n{record.body.strip()}\n")
    return [Edit(Span(0, len(text)), f"{record.body.strip()}\n")]


def update(text: str, old: Record, new: Record) -> list[Edit]:
    """The edits from one state of a record to another: the status and title of a task, the state of a step."""
    changed = [field for field in _FIXED if getattr(old, field) != getattr(new, field)]
    if changed:
        raise Refused(f"The {changed[0]} of a {old.kind} follows from its text and cannot be edited.")
    if old.kind == "step" and new.status != old.status:
        steps = (step for task in task_file(text).tasks for step in task.steps if step.span == old.span)
        return [edit for step in steps for edit in write_tasks.mark_step(text, step, new.status or "pending")]
    if old.kind != "task":
        if (new.title, new.status, new.extra) == (old.title, old.status, old.extra):
            return []
        raise Refused(f"A {old.kind} of the journal is not changed afterwards; write another.")
    return _task_update(text, old, new)


def _task_update(text: str, old: Record, new: Record) -> list[Edit]:
    values = {}
    if new.status != old.status:
        values["status"] = new.status or "pending"
    for name in ("priority", "started"):
        if new.extra.get(name) != old.extra.get(name):
            values[name] = _text(new, name)
    if _list(new, "dependencies") != _list(old, "dependencies"):
        values["dependencies"] = ", ".join(_list(new, "dependencies")) or "-"
    id = _text(old, "task")
    if old.extra.get("source") == "registry":
        if new.title != old.title:
            values["title"] = new.title or ""
        return write_tasks.update_row(text, id, values)
    if new.title != old.title:
        raise Refused("The title of a task is in the heading of its file; edit that.")
    if old.extra.get("source") != "file":
        raise Refused(f"{old.id} is told in another place; change its file.")
    return write_tasks.update_file(text, {name.title(): value for name, value in values.items()})


def _text(record: Record, key: str) -> str:
    value = record.extra.get(key, "")
    return value if isinstance(value, str) else ", ".join(value)


def _list(record: Record, key: str) -> list[str]:
    value = record.extra.get(key, ())
    return [value] if isinstance(value, str) and value else list(value)
