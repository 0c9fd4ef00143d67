"""The command capture: an assistant's message, kept as a card if it is worth keeping."""

import click

from memdown.surfaces.cli.add import answer_added, content_of
from memdown.surfaces.cli.common import Invocation, examples, writing
from memdown.surfaces.show import render


@click.command(
    "capture",
    epilog=examples("memdown capture < message.md", "memdown capture --role user < prompt.md"),
)
@click.option("--role", default="assistant", show_default=True, help="Who wrote the message.")
@click.option("--content", help="The message. [default: standard input]")
@click.option("--occurred-at", help="When it was written, such as 2026-01-31T09:30:00Z. [default: now]")
@writing
def capture_command(session: Invocation, role: str, content: str | None, occurred_at: str | None) -> None:
    """Save a message as a card, in full, if it passes the filtering rules.

    Only assistant messages of two or more lines are kept. Subject, keywords and scope are taken from the text.
    """
    captured = session.memory.cards.capture(role, content_of(session, content, None), occurred_at=occurred_at)
    if captured.added is None:
        skipped = {"captured": False, "reason": captured.reason, "id": None, "path": None, "created": False}
        session.answer(skipped, lambda: [f"Not kept: {captured.reason}."])
        return
    if session.json:
        session.answer({"captured": True, "reason": None, **render.added(captured.added)}, list)
    else:
        answer_added(session, captured.added)
