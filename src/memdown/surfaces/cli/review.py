"""The command review: what hooks captured, listed, and kept, dropped, edited or merged."""

from collections.abc import Iterator, Sequence

import click

from memdown.acts.review import ReviewedCards, UnreviewedCard
from memdown.surfaces.cli.common import CommandGroup, Invocation, complete_id, count, examples, standard, style, writing
from memdown.surfaces.show.records import cut


@click.group(
    "review",
    cls=CommandGroup,
    invoke_without_command=True,
    epilog=examples("memdown review", "memdown review keep 1 3"),
)
@standard
def review_command(session: Invocation) -> None:
    """List captured cards that nobody has reviewed yet: those that git ignores, and new ones that are not committed.

    The commands below take the number of a card, as it was last listed, or its id. `memdown undo` takes back any of
    them. Entries that assistants leave for a log of decisions are merged by `memdown inbox`.
    """
    if click.get_current_context().invoked_subcommand is None:
        found = session.memory.review.pending()
        session.answer(found, lambda: _listed(found))
        if not found and (dropped := session.memory.logs.dropped()):
            session.note(f"The drop box of the log has {count(len(dropped), 'file')}; see `memdown inbox list`.")


def _listed(found: Sequence[UnreviewedCard]) -> Iterator[str]:
    for each in found:
        where = "captured" if each.inbox else "card"
        yield f"{each.number:3} {style('strong', each.title)}"
        yield f"    {each.id[:8]}  {each.at[:10]}  {each.scope}  {where}, {count(each.lines, 'line')}"
        yield from (f"    nearly the same: {near.id[:8]} {near.title}" for near in each.similar)
    yield f"{count(len(found), 'card')} to review." if found else "Nothing to review."


def _answer(session: Invocation, done: ReviewedCards) -> None:
    session.answer(done, lambda: _done_lines(done))


def _done_lines(done: ReviewedCards) -> Iterator[str]:
    """What was done, with the title of each card: a number alone may be another than was meant."""
    titles = [cut(title or "(no title)") for title in done.titles]
    if done.done == "merged":
        yield f"Merged {titles[0]} into {done.paths[0]} {titles[1]}"
    else:
        for path, title in zip(done.paths, titles, strict=True):
            yield f"{done.done.capitalize()} {path} {title}"


@review_command.command("keep", epilog=examples("memdown review keep 1 2", "memdown review keep 3f2b8c1e"))
@click.argument("ids", nargs=-1, required=True, metavar="ID...", shell_complete=complete_id)
@writing
def keep(session: Invocation, ids: Sequence[str]) -> None:
    """Keep cards: those in the inbox move to the other cards, all others are marked as confirmed."""
    _answer(session, session.memory.review.keep(ids))


@review_command.command("drop", epilog=examples("memdown review drop 2", "memdown review drop 3f2b8c1e"))
@click.argument("ids", nargs=-1, required=True, metavar="ID...", shell_complete=complete_id)
@writing
def drop(session: Invocation, ids: Sequence[str]) -> None:
    """Delete cards. They are not captured again."""
    _answer(session, session.memory.review.drop(ids))


@review_command.command(
    "edit",
    epilog=examples("memdown review edit 1 --title 'Pool size is 10'", "memdown review edit 1 --content - < text.md"),
)
@click.argument("id", metavar="ID", shell_complete=complete_id)
@click.option("--title", help="The new title.")
@click.option("--content", help="The new text; - reads standard input, @FILE reads a file.")
@writing
def edit(session: Invocation, id: str, title: str | None, content: str | None) -> None:
    """Change the title or the text of a card before it is kept."""
    _answer(session, session.memory.review.edit(id, title=title, content=session.text(content)))


@review_command.command("merge", epilog=examples("memdown review merge 2 1", "memdown review merge 2 3f2b8c1e"))
@click.argument("id", metavar="ID", shell_complete=complete_id)
@click.argument("into", metavar="INTO", shell_complete=complete_id)
@writing
def merge(session: Invocation, id: str, into: str) -> None:
    """Add what a card says to another one, INTO, and delete it. Paragraphs that INTO has are not added again."""
    _answer(session, session.memory.review.merge(id, into))


@review_command.command(
    "scope", epilog=examples("memdown review scope 1 file:src/db.py", "memdown review scope 1 area:billing")
)
@click.argument("id", metavar="ID", shell_complete=complete_id)
@click.argument("scope", metavar="SCOPE")
@writing
def scope_card(session: Invocation, id: str, scope: str) -> None:
    """Set what a card is about: global, file:PATH of a file that is there, or area:NAME."""
    _answer(session, session.memory.review.scope(id, scope))
