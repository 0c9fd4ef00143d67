"""The command completion: scripts that make a shell complete memdown's commands, options, codes and ids."""

import click
from click.shell_completion import get_completion_class

from memdown.surfaces.cli.common import examples


@click.command(
    "completion",
    epilog=examples(
        'eval "$(memdown completion bash)"   # in ~/.bashrc',
        'eval "$(memdown completion zsh)"    # in ~/.zshrc',
        "memdown completion fish > ~/.config/fish/completions/memdown.fish",
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Generate a script that completes memdown's commands, options, codes and ids in a shell."""
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"{shell} is not supported by the installed version of click.")
    click.echo(kind(ctx.find_root().command, {}, "memdown", "_MEMDOWN_COMPLETE").source())
