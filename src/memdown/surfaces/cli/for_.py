"""The command for: what memory says of a file of the project."""

import os
from collections.abc import Iterator

import click

from memdown.acts.recall.for_path import PathMemory
from memdown.errors import quote
from memdown.index.none import none_of
from memdown.surfaces.cli.common import Invocation, count, examples, standard, style


@click.command("for", epilog=examples("memdown for src/auth/login.py", "memdown for src/auth/login.py --json"))
@click.argument("path")
@click.option("-n", "--limit", type=click.IntRange(1), default=20, show_default=True, help="Show at most this many.")
@standard
def for_command(session: Invocation, path: str, limit: int) -> None:
    """Show what memory says about a file, the most specific first.

    Lists memories about the file or about a folder or area that contains it, decisions and entries that name it, and
    directives in force. Superseded and expired records are left out, and statements that are no longer true are
    marked.
    """
    found = session.memory.for_path(path)
    session.answer(found[:limit], lambda: _lines(found[:limit]))
    if len(found) > limit:
        session.note(f"{count(len(found) - limit, 'record')} left out; use --limit {len(found)} to see all.")
    elif not found:
        is_there = os.path.lexists(session.memory.root / session.memory.files.name_of(path))
        none = "No memories about this file." if is_there else f"No such file, and no memories about it: {quote(path)}."
        session.note(none_of(session.memory.root, none))


def _lines(found: list[PathMemory]) -> Iterator[str]:
    for each in found:
        why = f"{each.why}; {each.standing}" if each.standing else each.why
        yield f"{style('place', f'{each.path}:{each.line}')}  {style('strong', each.title)}  {style('dim', why)}"
        if each.claim:
            yield f"  {each.claim}"
        if each.reason and each.reason not in each.claim:
            yield f"  Why: {each.reason}"
        for state in each.states:
            yield f"  {style('warning', 'no longer true:')} {state}"
