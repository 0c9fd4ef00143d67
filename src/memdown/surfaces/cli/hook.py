"""The command hook: an answer to an event of a coding assistant."""

import click

from memdown.surfaces import hooks
from memdown.surfaces.cli.common import examples, nearest_mode


@click.command(
    "hook",
    epilog=examples(
        "memdown hook SessionStart < event.json", """echo '{"cwd": "."}' | memdown hook SessionStart""", "memdown cost"
    ),
)
@click.argument("event", metavar="EVENT")
def hook_command(event: str) -> int:
    """Handle an event of a coding assistant, given as JSON on standard input.

    SessionStart gives a new session a briefing; UserPromptSubmit recalls what a prompt needs; PreToolUse reports the
    age of a layered memory before it is read, and problems in those about to be committed; PostToolUse updates
    the date of one that was edited; Stop, SubagentStop, PreCompact and SessionEnd save what the assistant wrote. The
    exit code is always 0; errors are logged in .memdown/hooks.log.
    """
    return hooks.run(event, nearest_mode())
