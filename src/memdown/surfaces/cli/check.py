"""The command check: memory against the rules, and the fixes of what is wrong."""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence

import click

from memdown.acts.check import Checked
from memdown.acts.check.engine import all_rules
from memdown.diagnostics import SEVERITIES, Diagnostic
from memdown.index import none
from memdown.surfaces.cli.common import Invocation, comma_separated, count, examples, style, writing
from memdown.surfaces.cli.explain import complete_code
from memdown.surfaces.show import render, reports


def _codes(ctx: click.Context, param: click.Parameter, values: Sequence[str]) -> list[str]:  # noqa: ARG001
    return comma_separated(values)


_FORMATS = ["text", "json", "github", "sarif"]


@click.command(
    "check",
    epilog=examples(
        "memdown check",
        "memdown check memories/ --fix",
        "memdown check --fix --diff",
        "memdown check --all --fix",
        "memdown check --select CRD06 --ignore CRD063",
        "memdown check --format github",
    ),
)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--changed", is_flag=True, help="Check only memory that changed since the last commit.")
@click.option("--fix", is_flag=True, help="Apply the safe fixes of what is shown.")
@click.option(
    "--unsafe-fixes", is_flag=True, help="Also apply fixes that may change the meaning of a file; implies --fix."
)
@click.option("--diff", is_flag=True, help="Show what --fix would change, without changing it.")
@click.option("--select", multiple=True, callback=_codes, shell_complete=complete_code, help="Check only these codes.")
@click.option("--ignore", multiple=True, callback=_codes, shell_complete=complete_code, help="Skip these codes.")
@click.option("--all", "everything", is_flag=True, help="Also show info, and every occurrence on its own line.")
@click.option("--strict", is_flag=True, help="Fail on warnings too.")
@click.option("--format", "shape", type=click.Choice(_FORMATS), default="text", help="Output format.")
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
    everything: bool,
    strict: bool,
    shape: str,
) -> int:
    """Check files, or all memory of the project, against the rules.

    A code may be a prefix: CRD selects all rules about cards. Errors and warnings are shown, each rule once per file;
    --all shows the rest, and JSON and SARIF contain everything. --fix and --diff cover what is shown; add --all, or
    name a code with --select, to include the rest. The exit code is 1 if there is an error (with --strict, also a
    warning) or a file is too large to read.
    """
    memory = session.memory
    chosen = memory.selection(select, ignore)
    everything = everything or bool(select)
    if changed:
        paths = [*paths, *memory.changed()]
        if not paths:  # else it would mean all of them
            session.answer([], lambda: ["No memory changed since the last commit."])
            return 0
    if fix or unsafe_fixes or diff:
        checked = memory.fix(paths, chosen=chosen, unsafe=unsafe_fixes, hints=everything, write=not diff)
    else:
        checked = memory.check(paths, chosen=chosen)
    session.json = session.json or shape == "json"
    if diff and not session.json:
        _diff(session, checked, everything=everything)
    else:
        fixing = "unsafe" if unsafe_fixes else "safe" if fix else ""
        _report(session, checked, shape, everything=everything, fixing=fixing)
    return int(memory.fails(checked.diagnostics, strict=strict))


def _report(session: Invocation, checked: Checked, shape: str, *, everything: bool, fixing: str) -> None:
    found, documents = checked.diagnostics, checked.documents
    if shape == "sarif" and not session.json:
        click.echo(render.dumps(reports.sarif(found, documents, all_rules())))
    elif shape == "github" and not session.json:
        session.answer(None, lambda: reports.github(found if everything else reports.loud(found), documents))
    else:
        session.answer(
            render.diagnostics(found, documents) if session.json else None,
            lambda: _text(session, checked, everything, fixing),
        )


def _text(session: Invocation, checked: Checked, everything: bool, fixing: str) -> Iterator[str]:
    if not checked.documents:
        yield none.nothing_found(session.memory.root)
        return
    yield from reports.text(checked.diagnostics, checked.documents, style, everything=everything)
    yield from _fixed(checked)
    shown = checked.diagnostics if everything else reports.loud(checked.diagnostics)
    counts = [
        style(severity, reports.counted(number, severity))
        for severity in SEVERITIES
        if (number := sum(each.severity == severity for each in shown))
    ]
    notes = "" if everything else _hidden([each for each in checked.diagnostics if each.severity == "info"])
    files = count(len(checked.documents), "file")
    if counts:
        fixable = _fixable(shown, fixing, fixed=bool(checked.before))
        yield f"Found {', '.join(counts)} in {files}.{fixable}{notes} Run `memdown explain CODE` for details."
    else:
        unread = len(session.memory.left_out)
        verdict = f"Checked {files}; {unread:,} could not be read." if unread else f"All checks passed ({files})."
        yield f"{verdict}{notes}"


def _fixed(checked: Checked) -> Iterator[str]:
    """What was mended, rule by rule."""
    if checked.before:
        of = f"{len(checked.before):,} of {count(len(checked.documents), 'file')}"
        yield f"Fixed {count(len(checked.made), 'finding')} in {of}:"
        times = Counter((each.code, each.name) for each in checked.made)
        yield from (f"  {number:,} {code} ({name})" for (code, name), number in sorted(times.items()))


def _hidden(notes: Sequence[Diagnostic]) -> str:
    """How many findings are not shown, and how many of these can be mended once they are."""
    if not notes:
        return ""
    safe = sum(each.fix is not None and each.fix.safe for each in notes)
    fixable = f" ({safe:,} fixable with --all --fix)" if safe else ""
    return f" {count(len(notes), 'note')} hidden{fixable}; use --all to show {'it' if len(notes) == 1 else 'them'}."


def _fixable(shown: Sequence[Diagnostic], fixing: str, *, fixed: bool) -> str:
    """What --fix would mend, or why it did not."""
    safe = sum(each.fix is not None and each.fix.safe for each in shown)
    unsafe = sum(each.fix is not None and not each.fix.safe for each in shown)
    if not fixing:
        return f" {safe:,} fixable with --fix." if safe else ""
    if fixing == "safe" and unsafe:
        return f" {'' if fixed else 'Nothing to fix safely; '}{unsafe:,} fixable with --unsafe-fixes."
    return "" if fixed else " No automatic fix; edit these by hand."


def _diff(session: Invocation, checked: Checked, *, everything: bool) -> None:
    after = {document.path: document for document in checked.documents}
    for before in checked.before:
        for line in reports.diff(before, after[before.path], style):
            if sys.stdout.isatty():
                session.echo(line)
            else:  # a patch, which has to be exact
                click.echo(line)
    if session.quiet:
        return
    if after:
        notes = [] if everything else [each for each in checked.diagnostics if each.severity == "info"]
        verdict = f"{len(checked.before)} of {count(len(after), 'file')} would change.{_hidden(notes)}"
        click.echo(f"memdown: {verdict}", err=True)
    else:
        click.echo(f"memdown: {none.nothing_found(session.memory.root)}", err=True)
