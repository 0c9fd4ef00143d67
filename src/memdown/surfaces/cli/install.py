"""The command install: memdown in the settings of assistants and of git."""

import shlex
from collections.abc import Iterator

import click
from click.shell_completion import CompletionItem

from memdown.acts.install.plan import InstallPlan, ShownChange, TargetStatus
from memdown.acts.install.selftest import Trial
from memdown.acts.install.targets import SPEAKING, TARGETS
from memdown.errors import way
from memdown.markdown import tokens
from memdown.markdown.line_ends import split_lines
from memdown.surfaces.cli import COMMANDS
from memdown.surfaces.cli.common import Invocation, count, examples, style, writing
from memdown.surfaces.show import reports

_TARGETS = (*TARGETS, "all")
_SHOWN = 8
"""Lines of a briefing that are shown."""


def complete_target(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    return [CompletionItem(name) for name in _TARGETS if name.startswith(incomplete)]


@click.command(
    "install",
    epilog=examples(
        "memdown install",
        "memdown install --list",
        "memdown install --status",
        "memdown install claude --dry-run",
        "memdown install claude --capture",
        "memdown install all --command 'uvx --from /opt/memdown memdown'",
        "memdown install all --remove",
    ),
)
@click.argument("target", required=False, metavar=f"[{'|'.join(_TARGETS)}]", shell_complete=complete_target)
@click.option("--dry-run", is_flag=True, help="Show the changes as a diff, without writing.")
@click.option("--remove", is_flag=True, help="Uninstall: restore every file.")
@click.option(
    "--command",
    "line",
    metavar="TEXT",
    help="Command that runs memdown, such as 'uvx --from PATH memdown'. [default: memdown]",
)
@click.option(
    "--capture", is_flag=True, help="Also capture what the assistant writes, for `memdown review`; git ignores it."
)
@click.option("--list", "listed", is_flag=True, help="List targets, their files and whether they are installed.")
@click.option("--status", "--check", "asked", is_flag=True, help="Check that what is installed is complete and works.")
@click.option("--no-check", is_flag=True, help="Do not test the installed hooks and server.")
@writing
def install_command(
    session: Invocation,
    target: str | None,
    dry_run: bool,
    remove: bool,
    line: str | None,
    capture: bool,
    listed: bool,
    asked: bool,
    no_check: bool,
) -> int | None:
    """Add memdown to the settings of an assistant or of git, next to what is there. Only files of the project are
    written: hooks, the MCP server, and rules that match its memory. Everything else in a file stays as it is, including
    comments and order. Finally, the index is built, and each hook and the server are tested once; the exit code is 1 if
    one does not run. Without a target, it detects what the project uses, and writes nothing. --status exits with 1 if
    an installation is incomplete or does not run.
    """
    if asked:
        found = session.memory.install_status(COMMANDS, target, line=line)
        session.answer(found, lambda: (each for status in found for each in _status(status)))
        return int(any(each.state not in ("installed", *(() if target else ("not installed",))) for each in found))
    if listed:
        shown = session.memory.install_targets(COMMANDS)
        session.answer(shown, lambda: map(_row, shown))
        return None
    if remove:
        session.memory.files.rename_act("install", "install --remove")
    plan = session.memory.install(
        target, able=COMMANDS, line=line, capture=capture, remove=remove, write=not dry_run, check=not no_check
    )
    written = target is not None and not dry_run
    value = {
        "changed": plan.changed,
        "unchanged": plan.unchanged,
        "targets": plan.targets,
        "written": written,
        "notes": plan.notes,
        "details": plan.details,
        "trials": plan.trials,
    }
    session.answer(value, lambda: _lines(plan, remove=remove) if written else _preview(plan, target, remove=remove))
    failed = sum(not trial.ok for trial in plan.trials)
    if target and failed:
        session.note(_failed(plan, failed, target, line))
    return int(failed > 0)


def _row(shown: ShownChange) -> str:
    state = "installed" if shown.files and shown.installed == shown.files else "partly" if shown.installed else "-"
    used = "used here" if shown.detected else "-"
    return f"{style('strong', f'{shown.target:7}')} {shown.title:19} {used:10} {state:10} {', '.join(shown.files)}"


def _status(status: TargetStatus) -> Iterator[str]:
    look = {"installed": "added", "not installed": "dim"}.get(status.state, "warning")
    yield f"{style('strong', f'{status.target:7}')} {status.title:19} {style(look, status.state)}"
    yield from (f"  {problem}" for problem in status.problems)


def _trial(trial: Trial) -> Iterator[str]:
    if not trial.ok:
        yield f"{style('warning', 'Failed')}: {trial.line}: {trial.problem}."
    elif trial.what == "MCP server":
        yield f"OK: {trial.line}: {trial.answer} responds."
    elif trial.asked and trial.answer:
        found = sum(line.startswith("- ") for line in split_lines(trial.answer))
        yield f"OK: {trial.line}: found {count(found, 'record')} for {trial.asked!r}."
    elif trial.answer:
        lines = split_lines(trial.answer.partition("<project-memory>\n")[2])
        yield f"OK: {trial.line}: gives the assistant {tokens.estimate(trial.answer)} tokens:"
        yield from (style("dim", f"  | {line}") for line in lines[:_SHOWN])
    else:
        silent = ": no memory to show yet" if trial.what.startswith(SPEAKING) else ""
        yield f"OK: {trial.line}{silent}."


def _lines(plan: InstallPlan, *, remove: bool) -> Iterator[str]:
    for change in plan.changes:
        verb = "Created" if change.is_new else "Deleted" if change.is_deleted else "Changed"
        yield f"{verb} {change.name}"
    for name in plan.unchanged:
        yield f"Unchanged: {name}"
    yield from plan.details
    for trial in plan.trials:
        yield from _trial(trial)
    if plan.changes and not remove:
        yield "Run `memdown install TARGET --remove` to uninstall."


def _failed(plan: InstallPlan, failed: int, target: str, line: str | None) -> str:
    """What became of an installation that does not run."""
    written = f"Wrote {count(len(plan.changes), 'file')}" if plan.changes else "All files are in place"
    given = ("--command", shlex.quote(line)) if line else ()
    again = way("install", target, "--status", *given)
    tests = f"{failed} of {count(len(plan.trials), 'test')} failed"
    return f"{written}, but {tests}; fix what the lines above report, and check again with {again}."


def _preview(plan: InstallPlan, target: str | None, *, remove: bool) -> Iterator[str]:
    if target is None:
        titles = ", ".join(TARGETS[name].title for name in plan.targets)
        yield f"This project uses {titles or 'no assistant that memdown knows'}."
    for change in plan.changes:
        old, new = (
            "/dev/null" if is_none else f"{side}/{change.name}"
            for side, is_none in (("a", change.is_new), ("b", change.is_deleted))
        )
        yield from reports.text_diff(old, change.before or "", new, change.after or "", style)
    for name in plan.unchanged:
        yield f"Unchanged: {name}"
    yield f"{count(len(plan.changes), 'file')} would change."
    if target is None and (plan.changes or not plan.targets):
        end, what = " --remove" if remove else "", "apply" if plan.changes else "choose one"
        yield f"To {what}, run `memdown install TARGET{end}` with one of {', '.join(TARGETS)}, or all."
