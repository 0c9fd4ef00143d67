"""What a session needs to know first of a journal: the task in focus, tasks under way and what they wait for."""

from collections.abc import Iterator

from memdown.dialects.journal import names
from memdown.dialects.journal.lines import lines_of
from memdown.dialects.journal.model import Task
from memdown.dialects.journal.names import kind_of
from memdown.dialects.journal.sections import sections
from memdown.dialects.journal.sessions import cache
from memdown.dialects.journal.tasks import registry, task_file
from memdown.markdown.placeholders import is_placeholder, is_untouched
from memdown.patterns import lazy
from memdown.record import BriefPoint, Document

_BULLET = lazy(r"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+")
_STEPS = 3
_UNDER_WAY = {"in_progress": "doing", "paused": "paused"}
_ORDER = {names.CACHE: 7, names.REGISTRY: 8}
"""Behind the seven files of a memory bank, with which a journal shares its folder."""


def read_order(document: Document) -> int | None:
    """Which place a file has among those that are read first, filled in or not."""
    return _ORDER.get(kind_of(document.canonical_path or document.path) or "")


def points(document: Document) -> Iterator[BriefPoint]:
    """What a file of a journal says of now."""
    kind = kind_of(document.canonical_path or document.path)
    if kind in _ORDER and not is_untouched(document.text):
        yield BriefPoint("read", 0, f"{_ORDER[kind]}")
    if kind == names.REGISTRY:
        found = document.of(registry).tasks
        states = {task.id: task.status for task in found}
        for task in found:
            if task.source == "registry" and task.status in _UNDER_WAY and not is_placeholder(task.title):
                unmet = [each for each in task.dependencies if states.get(each, "completed") != "completed"]
                waits = f"waits for {', '.join(unmet)}" if unmet else ""
                yield BriefPoint(_UNDER_WAY[task.status], task.span.start, _named(task, waits))
    elif kind == names.TASK:
        for task in document.of(task_file).tasks:
            steps = (step.text for step in task.steps if step.state in ("pending", "in_progress"))
            open_steps = [step for step in steps if not is_placeholder(step)]
            if task.status == "in_progress" and open_steps:
                more = f" and {len(open_steps) - _STEPS} more" if len(open_steps) > _STEPS else ""
                id = task.id or names.task_named(document.path)
                yield BriefPoint("step", task.span.start, f"{id}: {'; '.join(open_steps[:_STEPS])}{more}")
    elif kind == names.CACHE:
        read = document.of(cache)
        if read.focus and not is_placeholder(read.focus):
            yield BriefPoint("focus", 0, read.focus)
        for section in sections(list(lines_of(document.text))):
            if section.title.lower().startswith("next session"):
                shown = (_BULLET.sub("", line.text).strip() for line in section.lines if not line.hidden)
                told = (text for text in shown if text and not is_placeholder(text))
                yield from (BriefPoint("next", section.head.start, text) for text in told)


def _named(task: Task, waits: str) -> str:
    about = ", ".join(filter(None, (task.priority.lower(), waits)))
    return f"{task.id} {task.title}{f' ({about})' if about else ''}"
