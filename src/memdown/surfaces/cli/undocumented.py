"""The command undocumented: files of code that matter and that memory does not name."""

from collections.abc import Iterator, Sequence

import click

from memdown.acts.undocumented import UndocumentedFile
from memdown.surfaces.cli.common import Invocation, count, examples, standard, style


@click.command("undocumented", epilog=examples("memdown undocumented", "memdown undocumented --limit 50 --json"))
@click.option("-n", "--limit", type=click.IntRange(1), default=20, show_default=True, help="Show at most this many.")
@standard
def undocumented_command(session: Invocation, limit: int) -> None:
    """List code files that matter but that memory does not mention, most important first.

    A file matters when it was changed five times or more in a year, when three files or more import it, or when a
    decision that is no longer in force names it. Memory mentions a file by its path, its folder, or a symbol it
    defines. Tests, migrations and vendored code are left out.
    """
    found = session.memory.undocumented()
    session.answer(found[:limit], lambda: _lines(found[:limit]))
    if len(found) > limit:
        session.note(f"{count(len(found) - limit, 'file')} left out; use --limit {len(found)} to see all.")
    elif not found:
        session.note("No undocumented files found; `memdown undocumented --help` says what counts.")


def _lines(found: Sequence[UndocumentedFile]) -> Iterator[str]:
    width = max((len(each.path) for each in found), default=0)
    for each in found:
        yield f"{style('place', each.path)}{' ' * (width - len(each.path))}  {', '.join(each.why)}"
