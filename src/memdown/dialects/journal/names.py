"""Which file of a journal a path is: by its name and folder, and by its shape where other files have the name."""

from collections.abc import Callable, Sequence

from memdown import homes
from memdown.homes import bank_of, parts_of
from memdown.patterns import lazy

HOMES = homes.HOMES["journal"]

HAS_TEMPLATES = True
"""Its folder has templates beside memory; elsewhere a folder is called as whoever made it likes."""

HISTORY, CHUNK, REGISTRY, TASK = "history", "chunk", "registry", "task"
SESSION, CACHE, ERRORS = "session", "cache", "errors"
FILES = {HISTORY: "edit_history.md", REGISTRY: "tasks.md", CACHE: "session_cache.md", ERRORS: "errorLog.md"}
"""The usual name of each kind."""

_DAY = lazy(r"\d{4}-\d{2}-\d{2}")
_HISTORY = lazy(r"edit[-_]?history(?:[-_.].*)?\.md", 2)
_ERRORS = lazy(r"error[-_]?log(?:[-_.].*)?\.md", 2)
_REGISTRY = lazy(r"tasks(?:_\d{4}-\d{2}.*)?\.md", 2)
_CACHE = lazy(r"session[-_]?cache(?:[-_.].*)?\.md", 2)
_SESSION = lazy(r".*\d{4}[-_]\d{2}[-_]\d{2}.*\.md")
_SHAPE = lazy(
    r"(?m)^[ \t]*\|[ \t]*(?:[Ii][Dd][ \t]*\|[^\n]*(?i:\b(?:status|title|task|priority)\b)[^\n]*"
    r"|[*_]*(?:T|META-)\d{1,6}[a-z]?[*_]*[ \t]*)\|"
    r"|^#{2,4} (?:T|META-)\d{1,6}[a-z]?:|^# Task Registry"
)
"""What tells a registry from another file of this name, as Kilo's file of repetitive tasks: the head of its table, or a
row or a heading with the id of a task."""

_TASK_FILE = lazy(r"(?P<id>(?:T|META-)\d+[a-z]?|[A-Z]\d{1,3}[a-z]?)(?:[-_. ].*)?\.md")

_BEGINS = lazy(
    r"(?m)^(?:[^\w\n]|[xX_\d])*(?P<id>T\d{1,6}[a-z]?)(?=[\])*_`]{0,4}[ \t]{0,2}(?:[:|)\u2010-\u2015-]|\r?$))"
)
_MENTIONS = lazy(
    r"(?i:\b(?:tasks?|depends on|dependencies|blocks|blocked by))(?:[^\w\n/]{1,6}|(?<=\(tasks)/)"
    r"(?P<ids>T\d{1,6}[a-z]?\b(?:[,/&+ \t]{1,3}(?:and )?T\d{1,6}[a-z]?\b)*)"
)
_HEADED = lazy(r"(?m)^#{1,6}[^\w\n]*(?P<id>T\d{1,6}[a-z]?)(?=[*_`]{0,4}[ \t]{0,2}(?:[:|)\u2010-\u2015-]|\r?$))")
_NUMBERED = lazy(r"T\d{1,6}[a-z]?")


def kind_of(path: str) -> str | None:
    """Which file of a journal a path would be, by its name and folder alone; None when it is none."""
    parts = parts_of(path)
    name, folder = parts[-1], parts[-2] if len(parts) > 1 else ""
    if "edits" in parts[:-1] and name.lower().endswith(".md"):
        return CHUNK if name.lower() != "readme.md" else None
    for pattern, kind in ((_HISTORY, HISTORY), (_ERRORS, ERRORS), (_CACHE, CACHE)):
        if pattern.fullmatch(name):
            return kind
    if folder == "sessions":
        return SESSION if _SESSION.fullmatch(name) else None
    if folder in ("tasks", "archive") and _TASK_FILE.fullmatch(name):
        return TASK
    return REGISTRY if _REGISTRY.fullmatch(name) and folder != "tasks" else None


def holds(names: Sequence[str], text_of: Callable[[str], str]) -> bool:
    """Whether one of the files of a folder is a journal's; a registry is one by its text, others by name.

    An empty one is, where no file beside it is anything else: assistants keep a `tasks.md` of their own in a bank.
    """
    kinds = {name: kind for name in names if (kind := kind_of(name))}
    alone = all(name in kinds for name in names if name.endswith(".md"))
    return any(kind != REGISTRY or _is_registry(text_of(name), empty=alone) for name, kind in kinds.items())


def _is_registry(text: str, *, empty: bool) -> bool:
    return bool(_SHAPE.search(text)) if text.strip() else empty


def other_spelling(place: str, names: Sequence[str]) -> str | None:
    """The file of a journal whose name is spelled otherwise."""
    return next((name for name in names if "/" not in name and kind_of(name) == kind_of(place)), None)


def update_order(names: Sequence[str]) -> list[str]:
    """What is brought up to date when the user asks for it, in the order of the contract, as the folder spells it."""

    def called(file: str) -> str:
        return other_spelling(file, names) or file

    cache, history = called(FILES[CACHE]), called(FILES[HISTORY])
    now = [name for name in names if name.lower() in ("activecontext.md", "progress.md")]
    errors = [f"{name} (newest first)" for name in names if kind_of(name) == ERRORS and "/" not in name]
    steps = ["tasks/ID.md of each task that moved", called(FILES[REGISTRY]), "sessions/YYYY-MM-DD-PERIOD.md"]
    return [*steps, f"{cache} (by section)", *now, *errors, f"{history} (newest first; older entries stay)"]


def append_only(path: str) -> tuple[str, ...]:
    """The kinds of records that never leave a file: what was edited, and what went wrong."""
    return {HISTORY: ("edit",), CHUNK: ("edit",), ERRORS: ("error",)}.get(kind_of(path) or "", ())


def task_named(path: str) -> str:
    """The id that the name of a task's file has."""
    match = _TASK_FILE.fullmatch(parts_of(path)[-1])
    return match["id"] if match else ""


def tasks_named(path: str, text: str) -> set[str]:
    """The ids, `T` and a number, that a file gives to tasks, beside those of its records.

    Where a journal has a task of its own for each id, other words may well be about the tasks of another project:
    only a list of tasks and a heading give ids there, and in the file of one task, or of what was done, a heading.
    In any other file, `T3: …` where a line begins and "task T3" do.
    """
    kind = kind_of(path)
    pattern = _HEADED if kind in (TASK, HISTORY, CHUNK, ERRORS) else _BEGINS
    found = {match["id"] for match in pattern.finditer(text)}
    if kind is not None:
        return found
    return found.union(*(_NUMBERED.findall(match["ids"]) for match in _MENTIONS.finditer(text)))


def day_in(path: str) -> str | None:
    """The day that a path names: the folder of a chunk, the name of a session."""
    return next((match.group() for part in reversed(parts_of(path)) if (match := _DAY.search(part))), None)


def claims(path: str, text: str) -> bool:
    """A file of a journal: by a name that nothing else has, or by its name in a bank; a registry by its shape too."""
    kind = kind_of(path)
    parts = parts_of(path)
    if kind is None or "templates" in parts[:-1] or not path.lower().endswith(".md"):
        return False
    if kind in (HISTORY, CACHE):
        return True
    if kind == CHUNK and any(_DAY.fullmatch(part) for part in parts[:-1]):
        return True
    if bank_of(path) is None:
        return False
    return kind != REGISTRY or bool(_SHAPE.search(text))
