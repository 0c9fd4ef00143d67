"""The command push: send the memory of this project to a hub."""

from collections.abc import Iterator

import click

from memdown.hub import commits, exchange
from memdown.hub.connection import dsn_of
from memdown.hub.exchange import Exchanged
from memdown.index.none import nothing_found
from memdown.surfaces.cli.common import Invocation, count, examples, options, writing

addressed = options(
    click.argument("dsn", required=False),
    click.option("--as", "name", metavar="NAME", help="Name of this project on the hub. [default: from git's origin]"),
)


@click.command(
    "push",
    epilog=examples(
        "memdown push postgresql://hub.example/memory",
        "memdown push",
        "memdown push --delete memories/old.md",
        "memdown push --commit HEAD",
    ),
)
@addressed
@click.option(
    "--delete", multiple=True, metavar="PATH", help="Delete this document on the hub; it must be gone here. Repeatable."
)
@click.option("--commit", metavar="REV", help="Publish the memory of a commit instead of the files here, as in CI.")
@writing
def push_command(
    session: Invocation, dsn: str | None, name: str | None, delete: tuple[str, ...], commit: str | None
) -> None:
    """Push changed memory to the hub at DSN, in one transaction.

    Changes on the hub are merged, there and here, so a push may change local files. The merge lists what it decided;
    what cannot be merged is kept from both sides and reported by check.
    A file that is missing here is deleted on the hub only with --delete. [env: MEMDOWN_HUB, MEMDOWN_HUB_TOKEN]
    """
    address = dsn_of(dsn)
    if commit is not None and delete:
        raise click.UsageError("--delete is for local files; a commit already says what it deletes.")
    if commit is not None:
        done = commits.push_commit(session.memory, address, commit, name=name)
    else:
        done = exchange.push(session.memory, address, name=name, delete=delete)
    tell(session, done, sends=True)


def tell(session: Invocation, done: Exchanged, *, sends: bool) -> None:
    """Say what went where."""
    nothing = f"{done.project}: the hub has nothing of it that you may see; `memdown push` sends what is here."
    if sends:
        nothing = nothing_found(session.memory.root)
    session.answer(done, lambda: _lines(done, nothing), names_removed=True)
    for each in done.decided:
        session.note(f"{each.path}: {each.what}")
    for path in done.gone:
        session.note(
            f"{path} is gone here but still on the hub; `memdown push --delete {path}` deletes it there,"
            " `memdown pull --restore` brings it back."
        )


def _lines(done: Exchanged, nothing: str) -> Iterator[str]:
    for verb, paths in (
        ("Sent", done.sent),
        ("Received", done.received),
        ("Merged", done.merged),
        ("Deleted", done.deleted),
    ):
        yield from (f"{verb} {path}" for path in paths)
    for each in done.conflicts:
        yield f"Conflict in {each.path}: {each.what}"
    if done.sent or done.received or done.merged or done.deleted:
        facts = [
            count(len(done.sent), "document") + " sent",
            f"{len(done.received)} received",
            f"{len(done.merged)} merged",
        ]
        yield f"{done.project}: {', '.join(facts)}; the hub is at revision {done.revision}."
    elif done.revision:
        yield f"{done.project}: up to date at revision {done.revision}."
    else:
        yield nothing
