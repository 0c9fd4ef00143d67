"""What assistants are told about the memory of a project: in the rules that `install` writes, and as a system prompt.

Each dialect says its own lines (`guidance.md` in its room); for a memory bank the system prompt is the long one of its
contract, whose lists come from the tables that the commands obey, so they agree.
"""

import re
from collections.abc import Collection, Iterator, Mapping

from memdown import dialects as rooms
from memdown.dialects import guidance, offered, offering
from memdown.dialects.bank.modes import MODES, Mode
from memdown.dialects.bank.templates import LAYERS, UPDATE_ORDER
from memdown.index import none
from memdown.patterns import lazy
from memdown.project import Project

GENERAL = """\
# Memory of this project

What is known about this project is kept as Markdown in the repository. The MCP server or command `memdown` reads and
writes it in the right form.

- Before work, search it for what the task is about; follow decisions and directives in force.
- Write down what was decided or learned, in a sentence or two, with the reason.
- Never put passwords, keys or tokens into it.
- After editing its files by hand, run `memdown check`."""
_NAME = lazy(r"\{(home|read|update|[\w/]+\.md)\}", re.ASCII)

PLAN = (
    "Read ALL Memory Bank files in order",
    "Verify documentation completeness",
    "Analyze project context from code",
    "Develop strategy based on documented patterns",
    "Present approach before execution",
)
ACT = (
    "Check Memory Bank (especially activeContext.md)",
    "Follow .clinerules guidance",
    "Execute using documented patterns",
    "Update Memory Bank after significant changes",
)
TRIGGERS = (
    "Discovering new patterns (≥25% impact)",
    "Completing significant implementation",
    "Making architecture decisions",
    'User requests "update memory bank" or "UMB"',
)
WRITING = (
    "Write for someone with NO context about recent work",
    "Include specific file names, function names, error messages",
    "Remove outdated information",
    "Keep each file readable in under 2 minutes",
    "Use proper markdown formatting",
    "Include dates in progress and decision entries",
)


def dialects(project: Project) -> dict[str, list[str]]:
    """The dialects that a project really uses, and the files of each that are read first, in their order."""
    found: dict[str, list[tuple[int, str]]] = {}
    with project.snapshot():
        for document in project.documents():
            name = document.dialect or ""
            place = offered(name, "read_order")
            order = place(document) if place else None
            found.setdefault(name, []).extend([] if order is None else [(order, document.path)])
        sure = [name for name in found if project.holds(name)]
        return {name: [path for _, path in sorted(found[name])] for name in sure or found}


def rules(project: Project) -> tuple[list[str], str]:
    """The dialects of a project, and the page for an assistant: what holds for all memory, and what for these."""
    used = dialects(project)
    told = [_told(project, name, used) for name in used] or [none.offer(project.root)]
    return list(used), "\n\n".join((GENERAL, *filter(None, told)))


def text(project: Project, mode: Mode | None = None) -> str:
    """The system prompt, and what one mode may do if it is given."""
    used = dialects(project)
    if used and "bank" not in used:
        modes = ("", *_modes(mode)) if mode else ()
        return "\n".join((rules(project)[1], *modes)) + "\n"
    others = [_told(project, name, used) for name in used if name != "bank"]
    return "\n\n".join(("\n".join(_bank(project, mode)), *filter(None, others))) + "\n"


def to_update(project: Project) -> str:
    """What is brought up to date when the user asks for it, in its order; where there is none, how it is written."""
    used = dialects(project)
    ordered = offering("update_order", used)
    if used and not ordered:
        return "\n".join(filter(None, (_told(project, name, used) for name in used)))
    if not used or ordered[0] == "bank":
        there = project.bank_files()
        files = ((there.get(layer.file, layer.file).rpartition("/")[2], layer.when) for layer in UPDATE_ORDER)
        return "\n".join(_numbered(tuple(f"{name}: {when}" for name, when in files)))
    return "\n".join(_numbered(tuple(_steps(project, ordered[0], used))))


def _steps(project: Project, dialect: str, used: Collection[str]) -> list[str]:
    """What is brought up to date in the folder of a dialect, which others may share."""
    home = project.home(dialect)
    return rooms.to_update([each for each in used if project.home(each) == home], project.inside_home(dialect))


def _told(project: Project, dialect: str, used: Mapping[str, list[str]]) -> str:
    """A dialect's lines, with names as they are on disk; the line of what to read only where there is something."""
    home, read = project.home(dialect), used[dialect]

    def named(match: re.Match[str]) -> str:
        if match[1] == "home":
            return home or "."
        if match[1] == "update":
            return ", ".join(step.partition(" ")[0] for step in _steps(project, dialect, used))
        names = read if match[1] == "read" else [project.file_of(dialect, match[1])]
        return ", ".join(name.removeprefix(f"{home}/") for name in names)

    lines = [line for line in guidance(dialect).splitlines() if read or "{read}" not in line]
    return _NAME.sub(named, "\n".join(lines))


def _bank(project: Project, mode: Mode | None) -> Iterator[str]:
    there = {file: name.rpartition("/")[2] for file, name in project.bank_files().items()}
    yield from ("# Memory Bank System", "", "## Critical Principle")
    yield "**I MUST read ALL memory bank files at the start of EVERY task.** There is no exception."
    yield "Nothing carries over from one session to the next: I remember only what is in these files."
    yield f"The files are in `{project.bank_home()}/`."
    yield from ("", "## Read Order (Session Start)")
    for layer in LAYERS:
        missing = "" if layer.file in there or not there else " (not there yet)"
        yield f"{layer.order}. {there.get(layer.file, layer.file)} — {layer.role}{missing}"
    yield from ("", "## Operating Protocol", "", "### Plan Mode")
    yield from _numbered(PLAN)
    yield from ("", "### Act Mode")
    yield from _numbered(ACT)
    yield from ("", "## Update Protocol", "When to update (triggers):")
    yield from (f"- {trigger}" for trigger in TRIGGERS)
    yield from ("", "What to update (in this order):")
    yield from _numbered(tuple(f"{there.get(layer.file, layer.file)} — {layer.when}" for layer in UPDATE_ORDER))
    yield from ("", "## Writing Rules")
    yield from (f"- {rule}" for rule in WRITING)
    yield from ("", *_modes(mode))


def _modes(mode: Mode | None) -> Iterator[str]:
    yield "## Modes"
    if mode is not None:
        yield f"I work in {mode.name} mode: it {mode.does}. It reads {mode.reads}."
        if mode.writes is None:
            yield "It may write every file of the memory bank."
        elif mode.writes:
            yield f"It may write {_writes(mode)}; every other write to the memory bank is refused."
        else:
            yield "It may write nothing: every write to the memory bank is refused."
        return
    yield "The words of a request choose the mode; a write that the mode does not allow is refused."
    yield from ("", "| Mode | Words | May write |", "|---|---|---|")
    yield from (f"| {each.name} | {', '.join(each.triggers) or '-'} | {_writes(each)} |" for each in MODES)


def _numbered(lines: tuple[str, ...]) -> Iterator[str]:
    return (f"{number}. {line}" for number, line in enumerate(lines, 1))


def _writes(mode: Mode) -> str:
    if mode.writes is None:
        return "everything"
    return ", ".join(mode.may_write) or "nothing"
