"""The history and the registry as their records alone would have them: to look at, never in the place of text."""

from msgspec import Struct

from memdown.dialects.journal import names, write_edits, write_tasks
from memdown.dialects.journal.grammar import ACTIONS
from memdown.dialects.journal.lines import lines_of, stamp_of
from memdown.dialects.journal.write_edits import NewModification as File
from memdown.dialects.journal.write_tasks import NewTask
from memdown.errors import MemdownError, Refused
from memdown.memory.journal.place import JournalChange, JournalPlace
from memdown.memory.journal.tasks import JournalTasks, KnownTask
from memdown.record import Record
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
    held = {name: place.text(name) for name in sources.values()}
    history = held[sources[names.HISTORY]]
    if history is not None or any(names.kind_of(name) == names.CHUNK for name in place.below()):
        texts[sources[names.HISTORY]] = _history(place, history or "", left)
    registry = held[sources[names.REGISTRY]]
    if registry is not None:
        texts[sources[names.REGISTRY]] = _registry(place, registry, left)
    written: list[str] = []
    if out is not None:
        folder = place.root.files.name_of(out)
        if not folder:
            raise Refused("The texts go into a folder of their own; name a new one.")
        place.root.files.path(folder)
        new = [JournalChange(f"{folder}/{name.rpartition('/')[2]}", None, text) for name, text in texts.items()]
        written = place.save(new)
    return Regenerated(texts, {name: text for name, text in held.items() if text is not None}, left, written)


def _head(text: str, title: str) -> str:
    return f"# {title}\n" + "".join(f"{line.text}\n" for line in lines_of(text) if stamp_of(line))


def _history(place: JournalPlace, text: str, left: list[NotRegenerated]) -> str:
    days: dict[str, dict[str, tuple[str, str]]] = {}
    for document in place.documents():
        kind = names.kind_of(document.path)
        archived = "archive" in document.path.split("/")
        if kind not in (names.HISTORY, names.CHUNK) or archived:
            continue
        named: dict[str, list[Record]] = {}
        for record in document.records:
            if record.kind == "modification":
                named.setdefault(str(record.extra["edit"]), []).append(record)
        for record in document.records:
            if record.kind == "edit":
                date, time = str(record.extra["date"]), str(record.extra["time"])
                said = _entry(record, named.get(record.id, []), left) if date and time else ""
                if said:
                    days.setdefault(date, {}).setdefault(said, (time, said))
                elif not (date and time):
                    left.append(
                        NotRegenerated(record.path, record.line, record.title or "", "it has no date or no time")
                    )
    parts = [_head(text, write_edits.TITLE)]
    for day in sorted(days, reverse=True):
        entries = sorted(days[day].values(), key=lambda each: each[0], reverse=True)
        parts += [f"### {day}\n", *(said for _, said in entries)]
    return "\n".join(parts)


def _entry(record: Record, named: list[Record], left: list[NotRegenerated]) -> str:
    zone = str(record.extra["timezone"]) if record.extra.get("tz_explicit") == "1" else None
    tasks = record.extra.get("tasks", ())
    try:
        return write_edits.entry_text(
            time=str(record.extra["time"]),
            zone=zone,
            tasks=(tasks,) if isinstance(tasks, str) else tasks,
            said=record.title or "",
            changes=[_file(each, record.title or "") for each in named],
        )
    except MemdownError as error:
        left.append(NotRegenerated(record.path, record.line, record.title or "", str(error)))
        return ""


def _file(record: Record, title: str) -> File:
    """A modification; another verb than the four stays in its description."""
    action, said = str(record.extra["action"]), record.body or ""
    if action in ACTIONS["1.1"]:
        return File(action, str(record.extra["file_path"]), said or title)
    return File("Modified", str(record.extra["file_path"]), f"{action}: {said}" if said else action)


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
