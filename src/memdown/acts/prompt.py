"""The system prompt about a memory bank. The lists come from the tables that the commands obey, so they agree."""

from collections.abc import Iterator

from memdown.dialects.bank.modes import MODES, Mode
from memdown.dialects.bank.templates import LAYERS, UPDATE_ORDER

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


def text(folder: str, mode: Mode | None = None) -> str:
    """The whole instruction, and what one mode may do if it is given."""
    return "\n".join(_lines(folder, mode)) + "\n"


def _lines(folder: str, mode: Mode | None) -> Iterator[str]:
    yield from ("# Memory Bank System", "", "## Critical Principle")
    yield "**I MUST read ALL memory bank files at the start of EVERY task.** There is no exception."
    yield "Nothing of one session is left in the next: I remember only what stands in these files."
    yield f"The files are in `{folder}/`."
    yield from ("", "## Read Order (Session Start)")
    yield from (f"{layer.order}. {layer.file} — {layer.role}" for layer in LAYERS)
    yield from ("", "## Operating Protocol", "", "### Plan Mode")
    yield from _numbered(PLAN)
    yield from ("", "### Act Mode")
    yield from _numbered(ACT)
    yield from ("", "## Update Protocol", "When to update (triggers):")
    yield from (f"- {trigger}" for trigger in TRIGGERS)
    yield from ("", "What to update (in this order):")
    yield from _numbered(tuple(f"{layer.file} — {layer.when}" for layer in UPDATE_ORDER))
    yield from ("", "## Writing Rules")
    yield from (f"- {rule}" for rule in WRITING)
    yield from ("", "## Modes")
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
