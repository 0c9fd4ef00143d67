"""The command check: memory against the rules, and the fixes of what is wrong."""

import sys
from collections.abc import Iterator, Sequence

import click

from memdown.acts.check import Checked
from memdown.acts.check.engine import all_rules
from memdown.diagnostics import SEVERITIES
from memdown.surfaces.cli.common import Invocation, comma_separated, count, examples, style, writing
from memdown.surfaces.cli.explain import complete_code
from memdown.surfaces.show import render, reports


def _codes(ctx: click.Context, param: click.Parameter, values: Sequence[str]) -> list[str]:  # noqa: ARG001
    return comma_separated(values)


@click.command(
    "check",
    epilog=examples(
        "memdown check",
        "memdown check memories/ --fix",
        "memdown check --fix --diff",
        "memdown check --select CRD06 --ignore CRD063",
        "memdown check --format github",
    ),
)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--changed", is_flag=True, help="Check only memory that changed since git's last commit.")
@click.option("--fix", is_flag=True, help="Apply safe fixes.")
@click.option(
    "--unsafe-fixes", is_flag=True, help="Also apply fixes that may change the meaning of a file; implies --fix."
)
@click.option("--diff", is_flag=True, help="Show what --fix would change, without changing it.")
@click.option("--select", multiple=True, callback=_codes, shell_complete=complete_code, help="Check only these codes.")
@click.option("--ignore", multiple=True, callback=_codes, shell_complete=complete_code, help="Skip these codes.")
@click.option("--strict", is_flag=True, help="Fail on warnings too.")
@click.option("--format", "shape", type=click.Choice(["text", "json", "github", "sarif"]), default="text")
@writing
def check_command(
    session: Invocation,
    paths: Sequence[str],
    changed: bool,
    fix: bool,
    unsafe_fixes: bool,
    diff: bool,
    select: list[str],
    ignore: list[str],
    strict: bool,
    shape: str,
) -> int:
    """Check files, or all memory of the project, against the rules.

    Codes may be shortened to their beginning: CRD is all rules about cards. The exit code is 1 when there is an
    error (with --strict, also when there is a warning) or a file is too large to be read.
    """
    memory = session.memory
    chosen = memory.selection(select, ignore)
    if changed:
        paths = [*paths, *memory.changed()]
        if not paths:  # else it would mean all of them
            session.answer([], lambda: ["No memory changed since the last commit."])
            return 0
    if fix or unsafe_fixes or diff:
        checked = memory.fix(paths, chosen=chosen, unsafe=unsafe_fixes, write=not diff)
    else:
        checked = memory.check(paths, chosen=chosen)
    session.json = session.json or shape == "json"
    if diff and not session.json:
        _diff(session, checked)
    else:
        _report(session, checked, shape)
    failing = ("error", "warning") if strict or memory.config.check.strict else ("error",)
    return int(bool(memory.left_out) or any(each.severity in failing for each in checked.diagnostics))


def _report(session: Invocation, checked: Checked, shape: str) -> None:
    found, documents = checked.diagnostics, checked.documents
    if shape == "sarif" and not session.json:
        click.echo(render.dumps(reports.sarif(found, documents, all_rules())))
    elif shape == "github" and not session.json:
        session.answer(None, lambda: reports.github(found, documents))
    else:
        session.answer(render.diagnostics(found, documents) if session.json else None, lambda: _text(checked))


def _text(checked: Checked) -> Iterator[str]:
    yield from reports.text(checked.diagnostics, checked.documents, style)
    if checked.before:
        yield f"Mended {len(checked.before)} of {count(len(checked.documents), 'file')}."
    counts = [
        f"{number} {style(severity, severity)}"
        for severity in SEVERITIES
        if (number := sum(each.severity == severity for each in checked.diagnostics))
    ]
    if counts:
        fixes = sum(each.fix is not None and each.fix.safe for each in checked.diagnostics)
        mend = f" {fixes} can be mended with --fix." if fixes else ""
        yield f"{count(len(checked.documents), 'file')}: {', '.join(counts)}.{mend} memdown explain CODE says more."
    else:
        yield f"{count(len(checked.documents), 'file')}: nothing to complain about."


def _diff(session: Invocation, checked: Checked) -> None:
    after = {document.path: document for document in checked.documents}
    for before in checked.before:
        for line in reports.diff(before, after[before.path], style):
            if sys.stdout.isatty():
                session.echo(line)
            else:  # a patch, which has to be exact
                click.echo(line)
    if not session.quiet:
        click.echo(f"memdown: {len(checked.before)} of {count(len(after), 'file')} would change.", err=True)
