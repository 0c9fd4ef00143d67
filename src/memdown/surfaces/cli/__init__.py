"""The command line: a table of commands, each loaded when it is called.

This table is the only place that knows which module holds a command and what `memdown --help` says of it.
"""

import sys
from importlib import import_module

import click

from memdown import VERSION
from memdown.errors import MemdownError, quote

COMMANDS = {
    "add": ("writing", "Write a new memory."),
    "archive": ("archive", "Move what is over to the archives: old entries, completed items."),
    "bank": ("bank", "Change a memory bank, entry by entry."),
    "budget": ("bank", "Tell what the memory bank costs to read."),
    "capture": ("writing", "Keep an assistant's message, if it is worth keeping."),
    "card": ("card", "Keep cards in order: verify, repair, dedupe."),
    "check": ("checking", "Find what is wrong, and mend it."),
    "completion": ("completion", "Print the completion script of a shell."),
    "context": ("recalling", "Pick what an assistant should read now, within a budget."),
    "convert": ("convert", "Write older entries in a dialect's own form."),
    "cost": ("hooks", "Tell how many tokens assistants were told."),
    "delete": ("writing", "Delete a memory."),
    "demo": ("demo", "Show what memdown does, on a sample project."),
    "edit": ("writing", "Change what a memory says of itself."),
    "end": ("protocol", "End a session: write the active context anew, move progress, commit."),
    "error": ("journal", "Write down an error, its cause and its fix."),
    "explain": ("checking", "Show the page of a rule, or list all rules."),
    "export": ("transfer", "Pack the memory of a project into one file."),
    "graph": ("recalling", "Show how records and files hang together."),
    "health": ("ledger", "Find entries that are over, links that lead nowhere, copies."),
    "hook": ("hooks", "Answer an event of a coding assistant."),
    "import": ("transfer", "Bring in the memory of another project."),
    "inbox": ("inbox", "Merge the drop box into the log."),
    "index": ("index", "Bring the index up to date, or keep it so."),
    "init": ("init", "Begin the memory of a project."),
    "install": ("install", "Put memdown into the settings of assistants and of git."),
    "layer": ("layer", "Use the layered store: memory by layer, project and skill."),
    "list": ("reading", "List memories, or find those with some words."),
    "mcp": ("mcp", "Serve memory to assistants over the Model Context Protocol."),
    "mode": ("modes", "Tell which mode a request asks for, and what it may write."),
    "projects": ("projects", "List the projects that have a memory bank, or show one."),
    "open": ("opening", "Open the file of a memory in your editor, at its line."),
    "prompt": ("modes", "Print what an assistant has to be told of the memory bank."),
    "read": ("reading", "Parse files and account for every line."),
    "regenerate": ("journal", "Render the journal from its records, to look at."),
    "rules": ("modes", "Tell which rules files apply to a file."),
    "search": ("search", "Find the memories that answer a question, the best first."),
    "session": ("journal", "Begin, note and end the sessions of a journal."),
    "show": ("reading", "Show one memory."),
    "skill": ("skill", "Show or install a skill file that teaches an agent to write memory."),
    "sql": ("sql", "Ask the index in SQL, read-only."),
    "start": ("protocol", "Start a session: read the memory bank, and tell where the work stands."),
    "stats": ("ledger", "Count decisions per week, authors, growth, scopes, tags."),
    "status": ("reading", "Tell what is here and how it is."),
    "switch": ("projects", "Go on with another project."),
    "task": ("tasks", "Add tasks, change their state, show what depends on what."),
    "timeline": ("timeline", "Show memories in the order they were written."),
    "undo": ("undo", "Take back the last pruning."),
    "update": ("protocol", "Update the memory bank: several changes at once, or what git shows."),
    "validate": ("bank", "Tell whether a memory bank has what it must have."),
}


class Commands(click.Group):
    """Loads the module of a command when it is called, and none for the overview."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click calls it so
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"memdown.surfaces.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, told) for name, (_, told) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = [name for name in COMMANDS if name.startswith(args[0][:3])]
            hint = f"did you mean {' or '.join(near)}?" if near else "memdown --help lists them."
            raise click.UsageError(f"There is no command {quote(args[0])}; {hint}")
        return super().resolve_command(ctx, args)


@click.command(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="First steps: memdown demo; memdown COMMAND --help shows examples of each command.",
)
@click.version_option(VERSION, "-V", "--version", message="memdown %(version)s")
@click.option("--mode", metavar="MODE", help="Refuse every write that this mode does not make. [env: MEMDOWN_MODE]")
@click.option("--project", metavar="NAME", help="Use this project below MEMORY_BANK_ROOT. [env: MEMDOWN_PROJECT]")
def cli(mode: str | None, project: str | None) -> None:  # read by the session, from the context
    """Reads, checks and protects the Markdown memory of coding assistants."""


def run(args: list[str]) -> int:
    """Run a command; its exit code. Whatever goes wrong is one line on standard error."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")
    try:
        result = cli.main(args, prog_name="memdown", standalone_mode=False)
        sys.stdout.flush()
    except MemdownError as error:
        return _fail(str(error), error.exit_code)
    except click.ClickException as error:
        return _fail(error.format_message(), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return _fail("stopped.", 130)
    except SystemExit:
        return 0  # click ends so, and only so, when whoever reads our output has seen enough
    except BrokenPipeError:
        sys.stdout = None  # the same, seen later; what is left in the buffer must not raise again at exit
        return 0
    return result if isinstance(result, int) else 0


def _fail(sentence: str, exit_code: int) -> int:
    one_line = " ".join(sentence.split())
    shown = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in one_line)
    click.echo(f"memdown: {shown}{'' if shown.endswith(('.', '?', '!')) else '.'}", err=True)
    return exit_code
