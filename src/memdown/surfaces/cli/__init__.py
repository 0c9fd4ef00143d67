"""The command line: a table of commands, each in a module of its own that is loaded when it is called."""

import gc
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import click

from memdown import VERSION
from memdown.errors import Invalid, MemdownError, Unreadable, quote, without_credentials
from memdown.lazy import LazyModule
from memdown.store.state import reason
from memdown.surfaces import light_imports
from memdown.surfaces.cli.groups import ALIASES, DIALECTS, EVERYDAY, VERBS, listed

if TYPE_CHECKING:
    import sqlite3
    import textwrap

    from memdown.surfaces.cli import overview, usage
    from memdown.surfaces.show import screen
else:  # only its failure, and the list of commands, need them here
    sqlite3, textwrap = LazyModule("sqlite3"), LazyModule("textwrap")
    screen = LazyModule("memdown.surfaces.show.screen")
    overview, usage = LazyModule("memdown.surfaces.cli.overview"), LazyModule("memdown.surfaces.cli.usage")

COMMANDS = {
    "add": "Add a new memory",
    "archive": "Archive completed and expired entries",
    "backup": "Back up all memory to one checksummed file",
    "bank": "Edit a memory bank, entry by entry",
    "blame": "Show who last changed each field of a memory",
    "budget": "Show the token cost of the memory bank",
    "capture": "Save an assistant's message if it is worth keeping",
    "card": "Verify, repair and deduplicate cards",
    "changes": "Show what a branch learned, for a pull request",
    "check": "Check memory against the rules and fix problems",
    "completion": "Generate a shell completion script",
    "context": "Build the context for a task, within a token budget",
    "convert": "Convert older entries to the current format",
    "cost": "Show how many tokens were sent to assistants",
    "delete": "Delete a memory",
    "demo": "Run a tour of memdown on a sample project",
    "diff": "Show what changed in memory, record by record",
    "diff-driver": "Print a memory file record by record (called by git)",
    "doctor": "Diagnose and repair the installation and this project",
    "edit": "Edit a memory",
    "end": "End a session: record what was done and what is next",
    "error": "Record errors with their cause and fix",
    "explain": "Explain a rule, or list all rules",
    "export": "Export a project's memory to one file",
    "for": "Show what memory says about a file",
    "graph": "Show the graph of linked records",
    "health": "Find expired, conflicting and duplicate entries and broken links",
    "help": "Show help for memdown, all commands, or one of them",
    "hook": "Handle an event of a coding assistant",
    "hub": "Manage a hub: one memory shared by many repositories",
    "import": "Import memory from another project",
    "inbox": "Merge the drop box into the log",
    "index": "Update the search index, or keep it up to date",
    "init": "Set up memory for a project",
    "install": "Add memdown to the settings of assistants and git",
    "layer": "Manage layered memory by layer, project and skill",
    "list": "List memories, or those with all given words",
    "log": "Show the history of a memory",
    "mcp": "Serve memory to assistants over the Model Context Protocol",
    "merge-driver": "Merge memory files (called by git)",
    "mode": "Show the mode for a request, and what it may write",
    "open": "Open a memory in your editor",
    "projects": "List projects with a memory bank, or show one",
    "propose": "Propose a memory to a source that others keep",
    "prompt": "Print instructions for assistants about this memory",
    "pull": "Pull changes from the hub",
    "push": "Push changes to the hub",
    "read": "Parse files and account for every line",
    "redo": "Redo the last change that was undone",
    "regenerate": "Render the journal from its records",
    "resolve": "Resolve git conflicts in memory files",
    "restore": "Restore memory from a backup or from git",
    "review": "Review captured memories: keep, drop, edit or merge",
    "rules": "Show the rules files that apply to a file",
    "search": "Search memory, best matches first",
    "serve": "Serve a hub over HTTP, for working copies and assistants",
    "session": "Start, annotate and end the sessions of a journal",
    "show": "Show a memory",
    "skill": "Show or install a skill that teaches agents to write memory",
    "slim": "Shrink memory: archive completed entries, merge duplicates",
    "source": "Manage shared memory in other folders and repositories",
    "sql": "Query the index with SQL, read-only",
    "stale": "List memory that has not been touched for a long time",
    "start": "Start a session with a briefing from the memory bank",
    "stats": "Show statistics: decisions per week, authors, growth, scopes, tags",
    "status": "Show a summary of this project's memory",
    "switch": "Switch to another project",
    "sync": "Pull changes from the hub and push your own",
    "task": "Manage tasks and their dependencies",
    "timeline": "Show memories in chronological order",
    "undo": "Undo the last change, or an earlier one",
    "undocumented": "List important code that memory does not name",
    "update": "Apply several changes to the memory bank at once",
    "validate": "Check that a memory bank has its required files",
    "verify": "Check memory against the code and its history",
    "web": "Show this project's memory in a browser",
    "who": "Show who wrote about a topic, across all projects",
}
"""What `memdown --help` says of each command. The module of a command has its name."""
MODULES = {"diff-driver": "diff_driver", "for": "for_", "import": "import_", "merge-driver": "merge_driver"}
"""But for these: they are words of Python, or none."""


class Commands(click.Group):
    """Loads the module of a command when it is called, and none for the overview."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click calls it so
        return [*COMMANDS]  # `list` may be the module of the command here

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        name = cmd_name if cmd_name in COMMANDS else ALIASES.get(cmd_name, cmd_name)
        if name in DIALECTS:
            return _Verbs(name, help=f"{DIALECTS[name]}.")
        if name not in COMMANDS:
            return None
        light_imports.load("pathlib", "msgspec")
        path = f"memdown.surfaces.cli.{MODULES.get(name, name)}"
        is_new = path not in sys.modules
        module = import_module(path)
        if is_new:
            gc.freeze()  # as there
        command: click.Command = getattr(module, f"{name.replace('-', '_')}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        whole = bool(ctx.meta.get(WHOLE))
        for heading, rows in listed(COMMANDS, whole=whole).items():
            with formatter.section(heading):
                formatter.write_dl(rows)
        if not whole:
            with formatter.section("More commands (memdown help all)"):
                others = [*DIALECTS, *(name for name in COMMANDS if name not in EVERYDAY)]
                room = " " * formatter.current_indent
                lines = textwrap.wrap(
                    ", ".join(sorted(others)),
                    formatter.width,
                    initial_indent=room,
                    subsequent_indent=room,
                    break_on_hyphens=False,
                )
                formatter.write("\n".join([*lines, ""]))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[1:2] and args[1] in VERBS.get(args[0], ()):  # `memdown journal task` is `memdown task`
            args = args[1:]
        if args and args[0] not in COMMANDS and args[0] in ALIASES:
            args = [ALIASES[args[0]], *args[1:]]
        return super().resolve_command(ctx, args)


class _Verbs(click.Group):
    """The commands of a dialect that has none but those that stand at the top too."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return VERBS[self.name or ""]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        assert ctx.parent is not None
        assert isinstance(ctx.parent.command, Commands)
        return ctx.parent.command.get_command(ctx.parent, cmd_name) if cmd_name in VERBS[self.name or ""] else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name]) for name in self.list_commands(ctx)])


WHOLE = "memdown.help.all"
"""Set where the help describes every command."""


@click.command(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Run `memdown demo` for a tour, and `memdown COMMAND --help` for examples.",
)
@click.version_option(VERSION, "-V", "--version", message="memdown %(version)s")
@click.option("--mode", metavar="MODE", help="Refuse writes that this mode does not allow. [env: MEMDOWN_MODE]")
@click.option("--project", metavar="NAME", help="Use this project below MEMORY_BANK_ROOT. [env: MEMDOWN_PROJECT]")
@click.pass_context
def cli(ctx: click.Context, mode: str | None, project: str | None) -> None:  # noqa: ARG001 - read by the session
    """Search, check and maintain the Markdown memory of coding assistants."""
    if ctx.invoked_subcommand is None:
        overview.overview(ctx)


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
        if type(error).__name__ == "NoArgsIsHelpError":  # which older versions of click do not have
            click.echo(error.format_message(), err=True)
            return error.exit_code
        return _fail(without_credentials(usage.sentence_of(error)), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return _fail("interrupted.", 130)
    except SystemExit:
        return 0  # click ends so, and only so, when whoever reads our output has seen enough
    except BrokenPipeError:
        sys.stdout = None  # the same, seen later; what is left in the buffer must not raise again at exit
        return 0
    except OSError as error:
        where = (
            f"{quote(str(error.filename))} cannot be used"
            if error.filename
            else "the operating system refused an operation"
        )
        return _fail(f"{where}: {reason(error)}; fix that and try again", Unreadable.exit_code)
    except UnicodeEncodeError as error:
        given = error.object[max(error.start - 40, 0) : error.end]
        return _fail(f"{quote(given)} is not UTF-8, and cannot be used here; spell it differently", Invalid.exit_code)
    except sqlite3.Error as error:
        return _fail(
            f"SQLite failed: {error}; run `memdown index --rebuild` to rebuild the index", Unreadable.exit_code
        )
    return result if isinstance(result, int) else 0


def _fail(sentence: str, exit_code: int) -> int:
    one_line = " ".join(sentence.split())
    shown = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in one_line)
    screen.warn(shown if shown.endswith((".", "?", "!")) else f"{shown}.")
    return exit_code
