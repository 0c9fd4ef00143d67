"""The history and the registry as their records alone would have them: to look at, never in the place of text."""

from msgspec import Struct, structs

from memdown.dialects.journal import fields, names, write_edits, write_tasks
from memdown.dialects.journal.grammar import ACTIONS
from memdown.dialects.journal.lines import lines_of, stamp_of
from memdown.dialects.journal.write import entry_of
from memdown.dialects.journal.write_edits import NewModification as File
from memdown.dialects.journal.write_tasks import NewTask
from memdown.errors import MemdownError, Refused
from memdown.memory.journal.place import JournalPlace
from memdown.memory.journal.tasks import JournalTasks, KnownTask
from memdown.record import Record
from memdown.store.files import FileEdit
from memdown.text import apply


class NotRegenerated(Struct, frozen=True):
    """Something that the format has no place for."""

    path: str
    line: int
    title: str
    why: str


class Regenerated(Struct, frozen=True):
    """The new texts beside those that are there, by name."""

    texts: dict[str, str]
    before: dict[str, str]
    left_out: list[NotRegenerated]
    written: list[str]


def regenerate(place: JournalPlace, out: str | None) -> Regenerated:
    """Render both files; with `out`, into a folder that has neither of them."""
    left: list[NotRegenerated] = []
    texts = {}
    sources = {kind: place.name(kind) for kind in (names.HISTORY, names.REGISTRY)}
    before = {name: place.text(name) for name in sources.values()}
    history = before[sources[names.HISTORY]]
    if history is not None or any(names.kind_of(name) == names.CHUNK for name in place.below()):
        texts[sources[names.HISTORY]] = _history(place, history or "", left)
    registry = before[sources[names.REGISTRY]]
    if registry is not None:
        texts[sources[names.REGISTRY]] = _registry(place, registry, left)
    written: list[str] = []
    if out is not None:
        folder = place.root.files.name_of(out)
        if not folder:
            raise Refused("The texts go into a folder of their own; name a new one.")
        place.root.files.path(folder)
        new = [FileEdit(f"{folder}/{name.rpartition('/')[2]}", None, text) for name, text in texts.items()]
        written = place.root.files.save_all(new)
    return Regenerated(texts, {name: text for name, text in before.items() if text is not None}, left, written)


def _head(text: str, title: str) -> str:
    return f"# {title}\n" + "".join(f"{line.text}\n" for line in lines_of(text) if stamp_of(line))


def _history(place: JournalPlace, text: str, left: list[NotRegenerated]) -> str:
    days: dict[str, dict[str, str]] = {}
    for document in place.documents():
        kind = names.kind_of(document.path)
        archived = "archive" in document.path.split("/")
        if kind not in (names.HISTORY, names.CHUNK) or archived:
            continue
        named: dict[str, list[Record]] = {}
        for record in document.records:
            if record.kind == "modification":
                named.setdefault(fields.edit_of(record), []).append(record)
        for record in document.records:
            if record.kind == "edit":
                date, time = fields.date_of(record), fields.time_of(record)
                entry = _entry(record, named.get(record.id, []), left) if date and time else ""
                if entry:
                    days.setdefault(date, {}).setdefault(entry, time)
                elif not (date and time):
                    left.append(_left_out(record, "it has no date or no time"))
    parts = [_head(text, write_edits.TITLE)]
    for day in sorted(days, reverse=True):
        parts += [f"### {day}\n", *sorted(days[day], key=days[day].__getitem__, reverse=True)]
    return "\n".join(parts)


def _left_out(record: Record, why: str) -> NotRegenerated:
    return NotRegenerated(record.path, record.line, record.title or "", why)


def _entry(record: Record, named: list[Record], left: list[NotRegenerated]) -> str:
    try:
        lines = [write_edits.change_text(_file(each, record.title or "")) for each in named]
        return entry_of(structs.replace(record, body="".join(lines) or None))
    except MemdownError as error:
        left.append(_left_out(record, str(error)))
        return ""


def _file(record: Record, title: str) -> File:
    """A modification; another verb than the four stays in its description."""
    action, path, description = fields.action_of(record), fields.file_of(record), record.body or ""
    if action in ACTIONS["1.1"]:
        return File(action, path, description or title)
    return File("Modified", path, f"{action}: {description}" if description else action)


def _registry(place: JournalPlace, text: str, left: list[NotRegenerated]) -> str:
    blank = write_tasks.new_registry("2000-01-01")
    rendered = _head(text, "Task Registry") + blank[blank.index("\n## ") :]
    for task in JournalTasks(place).all():
        why = "it has no title" if not task.title else "its status is none of the five" if not task.status else ""
        if why:
            left.append(NotRegenerated(task.path, task.line, task.title or task.id, why))
        else:
            rendered = _with_row(rendered, task, place.home())
    return rendered


def _with_row(text: str, task: KnownTask, home: str) -> str:
    new = NewTask(
        id=task.id,
        title=task.title,
        started=task.started or "-",
        status=task.status or "",
        priority=task.priority or "-",
        dependencies=task.dependencies,
    )
    text = apply(text, write_tasks.insert_row(text, new))
    if task.status == "completed":
        text = apply(text, write_tasks.complete_row(text, task.id, task.completed or "-"))
    own = task.path.removeprefix(f"{home}/")
    link = f"[Details]({own})" if own.endswith(f"/{task.id}.md") else "-"
    return apply(text, write_tasks.update_row(text, task.id, {"details": link}))
