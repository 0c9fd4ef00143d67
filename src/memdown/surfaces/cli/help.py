"""The command help: that of memdown itself, of all its commands, or of one of them."""

from collections.abc import Sequence

import click

from memdown.surfaces.cli import WHOLE
from memdown.surfaces.cli.common import examples


@click.command("help", epilog=examples("memdown help", "memdown help all", "memdown help add card"))
@click.argument("words", nargs=-1, metavar="[all | COMMAND...]")
@click.pass_context
def help_command(ctx: click.Context, words: Sequence[str]) -> None:
    """Show help for memdown, all commands, or one of them."""
    above = ctx.parent
    assert above is not None
    rest = [] if words == ("all",) else [*words]
    above.meta[WHOLE] = words == ("all",)
    while rest and isinstance(above.command, click.Group):
        name, command, rest = above.command.resolve_command(above, rest)
        assert command is not None
        above = click.Context(command, info_name=name, parent=above)
    click.echo(above.get_help())
