"""`memdown` alone: how the memory of a project is and what to do next, or how to get one."""

from collections.abc import Iterator
from pathlib import Path

import click

from memdown import homes
from memdown.memory import Memory
from memdown.surfaces.cli.common import Invocation, count, style
from memdown.surfaces.cli.status import lines

_SETTINGS = (".mcp.json", ".claude/settings.json", ".cursor/mcp.json", ".vscode/mcp.json", ".clinerules/memdown.md")
_STEPS = 3


def overview(ctx: click.Context) -> None:
    """What a person most likely wants who names no command."""
    named = ctx.params.get("project")
    here = homes.find_root(str(Path.cwd()), homes.holds_memory)
    if named is None and not homes.holds_memory(here):
        with Invocation(None, json=False, quiet=False) as session:
            session.answer(None, lambda: _without_memory(session.memory))
        return
    with Invocation(None, json=False, quiet=False) as session:
        status = session.memory.status()
        wanted = [*_steps(session.memory, status.findings)][:_STEPS]
        session.answer(status, lambda: [*lines(status), "", "Next:", *wanted])


def _has_others(path: Path) -> bool:
    """Whether a file or folder of an assistant has more than what `install` wrote."""
    if path.is_dir():
        return any(not each.name.startswith("memdown.") for each in path.iterdir())
    return path.exists()


def _without_memory(memory: Memory) -> Iterator[str]:
    """What is here instead, and what to do first."""
    yield f"{style('strong', 'root')}       {memory.root}"
    yield f"{style('strong', 'memory')}     none yet"
    others = [name for name in homes.ASSISTANTS if _has_others(memory.root / name)]
    if others:
        yield f"{style('strong', 'found')}      {', '.join(others)} (searched as they are)"
    yield from ("", "Next:")
    if memory.config.nested:
        yield _step("memdown status", f"see the memory of {', '.join(memory.config.nested)}")
    yield _step("memdown init", "set up memory from the code and git")
    yield _step('memdown add "..."', "remember one thing, and start with that")
    if not memory.config.nested:
        yield _step("memdown demo", "take a tour of a sample project")
    yield from ("", "Run `memdown --help` for all commands.")


def _steps(memory: Memory, findings: dict[str, int]) -> Iterator[str]:
    """What to do next, the most useful first."""
    faults = [count(findings[name], name) for name in ("error", "warning") if findings.get(name)]
    conflicts = memory.in_conflict() if findings.get("error") else []
    if conflicts:
        yield _step("memdown resolve", f"merge {count(len(conflicts), 'file')} in conflict")
    if faults:
        yield _step("memdown check", f"see {' and '.join(faults)}")
    if not any(_names_memdown(memory.root / name) for name in _SETTINGS):
        yield _step("memdown install", "let your assistants use this memory")
    yield _step('memdown add "..."', "remember something")
    yield _step("memdown search WORDS", "ask what was decided")
    yield _step("memdown context", "what an assistant should read now")


def _step(command: str, does: str) -> str:
    return f"  {style('strong', f'{command:22}')} {does}"


def _names_memdown(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return "memdown" in file.read(100_000)
    except OSError:
        return False
