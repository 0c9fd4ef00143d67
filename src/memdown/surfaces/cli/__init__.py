"""The command line: a table of commands, each in a module of its own that is loaded when it is called."""

import sys
from importlib import import_module
from typing import TYPE_CHECKING

import click

from memdown import VERSION
from memdown.errors import MemdownError, Unreadable, quote, without_credentials
from memdown.lazy import LazyModule
from memdown.store.state import reason

if TYPE_CHECKING:
    import sqlite3
else:  # only its failure needs it here
    sqlite3 = LazyModule("sqlite3")

COMMANDS = {
    "add": "Add a new memory",
    "archive": "Archive completed and expired entries",
    "backup": "Back up all memory to one checksummed file",
    "bank": "Edit a memory bank, entry by entry",
    "budget": "Show the token cost of the memory bank",
    "capture": "Save an assistant's message, if it is worth keeping",
    "card": "Verify, repair and deduplicate cards",
    "check": "Check memory against the rules and fix problems",
    "completion": "Generate a shell completion script",
    "context": "Select what an assistant should read now, within a token budget",
    "convert": "Convert older entries to a dialect's own format",
    "cost": "Show how many tokens were sent to assistants",
    "delete": "Delete a memory",
    "demo": "Run a tour of memdown on a sample project",
    "doctor": "Check the installation and the state of this project, and repair it",
    "edit": "Edit the title, keywords or scope of a memory",
    "end": "End a session: update the active context and progress, commit",
    "error": "Record errors with their cause and fix",
    "explain": "Explain a rule, or list all rules",
    "export": "Export the memory of a project to one file",
    "for": "Show what memory says about a file",
    "graph": "Show the graph of linked records",
    "health": "Find expired, conflicting and duplicate entries and broken links",
    "hook": "Respond to an event of a coding assistant",
    "import": "Import the memory of another project",
    "inbox": "Merge the drop box into the log",
    "index": "Update the search index, or keep it up to date",
    "init": "Set up the memory of a project",
    "install": "Add memdown to the settings of assistants and git",
    "layer": "Manage layered memory by layer, project and skill",
    "list": "List memories, or find those with certain words",
    "mcp": "Serve memory to assistants over the Model Context Protocol",
    "mode": "Show which mode a request calls for and what it may write",
    "open": "Open a memory in your editor",
    "projects": "List projects with a memory bank, or show one",
    "prompt": "Print the instructions for assistants about this memory",
    "read": "Parse files and account for every line",
    "redo": "Redo what was undone last",
    "regenerate": "Render the journal from its records",
    "restore": "Restore memory from a backup, as one step that can be undone",
    "review": "Keep, drop, edit or merge what was captured",
    "rules": "Show the rules files that apply to a file",
    "search": "Search memory, best matches first",
    "session": "Start, annotate and end the sessions of a journal",
    "show": "Show one memory",
    "skill": "Show or install a skill file that teaches agents to write memory",
    "sql": "Query the index with SQL, read-only",
    "start": "Start a session with a briefing from the memory bank",
    "stats": "Show statistics: decisions per week, authors, growth, scopes, tags",
    "status": "Show a summary of this project's memory",
    "switch": "Switch to another project",
    "task": "Add tasks, change their state, show their dependencies",
    "timeline": "Show memories in the order they were written",
    "undo": "Undo the last change that memdown made, or any step before",
    "update": "Update the memory bank with several changes at once",
    "validate": "Check that a memory bank has its required files",
}
"""What `memdown --help` says of each command. The module of a command has its name."""
MODULES = {"for": "for_", "import": "import_"}
"""But for these: they are words of Python."""


class Commands(click.Group):
    """Loads the module of a command when it is called, and none for the overview."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click calls it so
        return [*COMMANDS]  # `list` may be the module of the command here

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"memdown.surfaces.cli.{MODULES.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([*COMMANDS.items()])

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
@click.option("--mode", metavar="MODE", help="Refuse writes that this mode does not allow. [env: MEMDOWN_MODE]")
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
        return _fail(without_credentials(error.format_message()), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return _fail("stopped.", 130)
    except SystemExit:
        return 0  # click ends so, and only so, when whoever reads our output has seen enough
    except BrokenPipeError:
        sys.stdout = None  # the same, seen later; what is left in the buffer must not raise again at exit
        return 0
    except OSError as error:
        where = f"{quote(str(error.filename))} cannot be used" if error.filename else "the system refused something"
        return _fail(f"{where}: {reason(error)}; mend that and try again", Unreadable.exit_code)
    except sqlite3.Error as error:
        return _fail(f"SQLite failed: {error}; `memdown index --rebuild` makes the index anew", Unreadable.exit_code)
    return result if isinstance(result, int) else 0


def _fail(sentence: str, exit_code: int) -> int:
    one_line = " ".join(sentence.split())
    shown = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in one_line)
    click.echo(f"memdown: {shown}{'' if shown.endswith(('.', '?', '!')) else '.'}", err=True)
    return exit_code
