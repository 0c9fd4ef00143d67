"""The command source: other folders and repositories that memory is read from."""

from collections.abc import Iterator, Sequence

import click

from memdown.acts.source import Source, SourceReport
from memdown.sources import LEVELS
from memdown.surfaces.cli.common import CommandGroup, Invocation, count, examples, standard, style, writing


@click.group(
    "source",
    cls=CommandGroup,
    invoke_without_command=True,
    epilog=examples("memdown source", "memdown source add ../handbook --read-only"),
)
@standard
def source_command(session: Invocation) -> None:
    """List, add and remove sources: memory of your team or company that this project's searches read too.

    Nothing is fetched except by `source add URL` and `source update`.
    """
    if click.get_current_context().invoked_subcommand is None:
        _list(session)


@source_command.command("list", epilog=examples("memdown source list", "memdown source list --json"))
@standard
def list_sources(session: Invocation) -> None:
    """List the sources, the most specific first. This includes your personal memory, if there is any."""
    _list(session)


def _list(session: Invocation) -> None:
    found = session.memory.sources.listed()
    session.answer(found, lambda: _rows(found))


def _rows(found: Sequence[Source]) -> Iterator[str]:
    for each in found:
        how = "read-only" if each.read_only else ""
        yield "  ".join(filter(None, (style("strong", each.name), each.level, each.url or each.path, how)))
    if not found:
        yield "No sources. `memdown source add PATH|URL` adds one."


_LOCAL = "Sources are local to this machine and not committed; others run `memdown source add` themselves."


@source_command.command(
    "add",
    epilog=examples(
        "memdown source add ../handbook",
        "memdown source add https://example.com/team/memory.git --name team",
        "memdown source add /srv/company --level company --read-only",
    ),
)
@click.argument("place", metavar="PATH|URL")
@click.option("--name", help="What to call it. [default: the last part of the path]")
@click.option("--level", type=click.Choice(LEVELS), default=LEVELS[0], show_default=True, help="Level of the source.")
@click.option("--read-only", is_flag=True, help="Write nothing there, not even an index.")
@writing
def add_source(session: Invocation, place: str, name: str | None, level: str, read_only: bool) -> None:
    """Read from a folder, or from a clone of a git repository, when this project is searched.

    A clone is made in your personal memory. Credentials, control characters and broken front matter are reported, and
    records with the first two are never shown.
    """
    added = session.memory.sources.add(place, name=name, read_only=read_only, level=level)
    session.answer(added, lambda: [*_reported("Added", added), _LOCAL])


@source_command.command("remove", epilog=examples("memdown source remove handbook"))
@click.argument("name")
@writing
def remove_source(session: Invocation, name: str) -> None:
    """Stop reading from a source. A folder stays as it is; a clone that memdown made is kept aside for `undo`."""
    gone = session.memory.sources.remove(name)
    session.answer(gone, lambda: iter((f"Removed {gone.name}",)))


@source_command.command("update", epilog=examples("memdown source update", "memdown source update team"))
@click.argument("names", nargs=-1, metavar="[NAME]...")
@writing
def update_sources(session: Invocation, names: Sequence[str]) -> None:
    """Fetch and check what is new in cloned sources: all of them, or those named."""
    done = session.memory.sources.update(names)
    session.answer(done, lambda: (line for each in done for line in _reported("Updated", each)))


def _reported(what: str, source: SourceReport) -> Iterator[str]:
    held = f"{count(source.records, 'record')} in {count(source.files, 'file')}"
    none = f"no memory found in {source.path}; searches read what is added there"
    yield f"{what} {style('strong', source.name)} ({source.level}): {held if source.files else none}"
    for each in source.doubts:
        yield f"  {style('warning', 'not shown')} {each}"
