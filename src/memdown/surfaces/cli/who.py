"""The command who: who knows about something, by what the hub has of them."""

import click

from memdown.hub import client, working
from memdown.hub.calls import WhoCall
from memdown.surfaces.cli.common import Invocation, examples, standard
from memdown.surfaces.cli.filters import hub_option
from memdown.surfaces.show import hub as hub_views


@click.command("who", epilog=examples("memdown who decided against Kafka", "memdown who 'idempotent webhooks' --json"))
@click.argument("question", nargs=-1, required=True)
@hub_option
@click.option("-n", "--limit", type=click.IntRange(1), default=10, show_default=True, help="Show at most this many.")
@standard
def who_command(session: Invocation, question: tuple[str, ...], hub: str | None, limit: int) -> int:
    """Show who wrote the records that answer QUESTION, across all projects of the hub, most first."""
    dsn, word = hub_views.address(hub or "", words=question)
    memory = session.memory
    asked = " ".join((*word, *question))
    found = client.ask(dsn, WhoCall(question=asked, now=memory.now(), limit=limit, after=working.last_push(memory)))
    session.answer(found, lambda: hub_views.knowers(found))
    return 0 if found else 1
