"""What every command shares: its options, its session, its colours, its progress."""

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Self

import click

from memdown import homes
from memdown.errors import Invalid, MemdownError, NotFound, UnknownName, Unreadable, telling, typed, way
from memdown.index import none
from memdown.lazy import LazyModule
from memdown.memory import Memory
from memdown.store.files import ALLOWING
from memdown.store.state import reason
from memdown.surfaces.show import render, screen
from memdown.surfaces.show.style import colours_wanted, count, shown, style
from memdown.text import decode

if TYPE_CHECKING:
    from click import shell_completion
else:  # only a shell that completes needs it
    shell_completion = LazyModule("click.shell_completion")

P = ParamSpec("P")
Command = Callable[..., int | None]
__all__ = [
    "Command",
    "CommandGroup",
    "Invocation",
    "comma_separated",
    "complete_id",
    "examples",
    "listening_on",
    "options",
    "standard",
]
_SENTENCE = 1000
"""More letters than the first sentence of any help has."""
_PROGRESS_SECONDS = 1.0
"""How long a terminal shows nothing before it shows how far it is."""
_NOT_KEPT = ", but credentials only if git's last commit has them: memdown does not keep them"
_ALLOWING = "remove it, or allow it with --allow-secret or, in memdown.toml, under `secrets.allow`"
__all__ += ["colours_wanted", "count", "shown", "style", "writing"]  # which every command needs too


class CommandGroup(click.Group):
    """A command with commands of its own, each of which its help describes in a whole sentence, however long."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        named = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [(name, each.get_short_help_str(_SENTENCE)) for name, each in named if each and not each.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class Invocation:
    """One call of one command: which memory, and how to answer."""

    def __init__(self, root: Path | None, *, json: bool, quiet: bool, allow_secret: bool | None = None) -> None:
        """`allow_secret` is None for a command that has no such option."""
        self.json = json
        self.quiet = quiet
        self._allow_secret = allow_secret
        self._root = root
        self._memory: Memory | None = None
        self.lenient = False
        """Whether settings that cannot be read are left out, for a command that reports them."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._memory is None:
            return
        if error is None:
            self._note_rest()
        self._memory.close()
        root = self._memory.root
        if isinstance(error, UnknownName) and not homes.holds_memory(str(root)):
            raise NotFound(none.nothing_found(root)) from error
        step = self._memory.files.step if not isinstance(error, BrokenPipeError) else 0
        if step and isinstance(error, (MemdownError, OSError)):  # so that nobody does again what is done
            code = getattr(error, "exit_code", Unreadable.exit_code)
            why = str(error).rstrip(".") if isinstance(error, MemdownError) else reason(error)
            written_anyway = MemdownError(f"{why}; step {step} was written anyway, and {way('undo')} reverts it")
            written_anyway.exit_code = code
            raise written_anyway from error

    @property
    def memory(self) -> Memory:
        if self._memory is None:
            self._memory = Memory.open(
                self._root,
                project=_project(self._root),
                progress=self._progress,
                mode=nearest_mode(),
                lenient=self.lenient,
            )
            hint = ALLOWING if self._allow_secret is None else _ALLOWING
            self._memory.files.begin_act("cli", _command(), allow_secrets=bool(self._allow_secret), hint=hint)
        return self._memory

    def text(self, given: str | None) -> str | None:
        """The text of an option: itself, - for standard input, or @ and the name of a file of the project."""
        if given == "-":
            return self.piped()
        if given is None or given[:1] != "@" or any(map(str.isspace, given)):
            return given
        return self.memory.text_of(given[1:])

    def piped(self) -> str:
        """What standard input has."""
        if sys.stdin is None or sys.stdin.isatty():
            raise Invalid("There is no content: give it with --content or --file, or pipe it in.")
        return decode(sys.stdin.buffer.read())

    def answer(
        self,
        value: object,
        lines: Callable[[], Iterable[str]],
        *,
        report: bool = True,
        names_removed: bool = False,
        restores: str = "",
    ) -> None:
        """JSON when asked for, else lines for people; these are worked out only when they are shown.

        A command that wrote reports beside its own answer what it removed, and the step that `memdown undo` knows.
        With `names_removed`, the lines say so themselves; `restores` is what undo is said to restore, whatever is gone.
        """
        step = self._memory.files.step if self._memory and report else 0
        gone = self._memory.removed() if self._memory and step else []
        if self.json:
            click.echo(render.dumps(render.with_step(value, step, gone) if step else value))
        elif not self.quiet:
            if step:
                for line in lines():
                    self.echo(line)
            else:
                screen.show(lines())
            for each in gone:
                if each.what != "file" and not (names_removed and each.kept):  # files are named by every command
                    self.echo(f"Removed {each.what} from {each.path} ({count(each.lines, 'line')})")
            if gone or (restores and step):
                one = len({each.path for each in gone} if names_removed else gone) == 1
                but = "" if all(each.kept for each in gone) else _NOT_KEPT
                click.echo(f"{way('undo')} restores {restores or ('it' if one else 'them')}{but}.")
        self._note_rest()

    def _note_rest(self) -> None:
        """What memory has to say beside the answer, each sentence once."""
        for sentence in self._memory.notices() if self._memory else ():
            self.note(f"{sentence}.")

    def echo(self, line: str) -> None:
        """Show a line, whatever is in it."""
        screen.show([line])

    def note(self, sentence: str) -> None:
        """Something people should know, beside the answer."""
        if not self.quiet:
            screen.warn(sentence)

    def _progress(self, names: Iterable[str], doing: str) -> Iterator[str]:
        """Pass names on; after a while, show how far it is on a terminal."""
        listed = list(names)
        shown = not self.quiet and sys.stderr.isatty()
        started = drawn = time.monotonic()
        for number, name in enumerate(listed, 1):
            now = time.monotonic()
            if shown and now - started > _PROGRESS_SECONDS and now - drawn > 0.1:
                drawn = now
                click.echo(f"\r{doing} {number} of {len(listed)}\x1b[K", nl=False, err=True)
            yield name
        if drawn != started:
            click.echo("\r\x1b[K", nl=False, err=True)

    @contextmanager
    def waiting(self, doing: str) -> Iterator[None]:
        """Say on a terminal what is done and for how long, where one step takes so long that nothing else would."""
        if self.quiet or not sys.stderr.isatty():
            yield
            return
        done, drawn = threading.Event(), threading.Event()

        def tell() -> None:
            started = time.monotonic()
            while not done.wait(_PROGRESS_SECONDS):
                seconds = int(time.monotonic() - started)
                click.echo(f"\r{doing} ({seconds} s)\x1b[K", nl=False, err=True)
                drawn.set()

        teller = threading.Thread(target=tell, daemon=True)
        teller.start()
        try:
            yield
        finally:
            done.set()
            teller.join()
            if drawn.is_set():
                click.echo("\r\x1b[K", nl=False, err=True)


def _project(root: Path | None) -> str | None:
    """The project that memdown itself was given; commands have options of this name for projects of their own."""
    named = click.get_current_context().find_root().params.get("project")
    if named is not None and root is not None:
        raise click.UsageError("Give --root or --project, not both.")
    return None if named is None else str(named)


def _command() -> str:
    """The words of the command, without its arguments."""
    words: list[str] = []
    above: click.Context | None = click.get_current_context()
    while above is not None and above.parent is not None:
        words.insert(0, above.info_name or "")
        above = above.parent
    return " ".join(words)


def nearest_mode() -> str | None:
    """The mode that a group above the command was given, the nearest first."""
    above = click.get_current_context().parent
    while above is not None:
        if above.params.get("mode"):
            return str(above.params["mode"])
        above = above.parent
    return None


def examples(*commands: str) -> str:
    """The end of a help text: commands to copy."""
    return "\b\nExamples:\n" + "\n".join(f"  {command}" for command in commands)


def options(*parameters: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options and arguments as one decorator, in the order of the help."""

    def decorate(function: Command) -> Command:
        for parameter in reversed(parameters):
            function = parameter(function)
        return function

    return decorate


def listening_on(*, port: int) -> Callable[[Command], Command]:
    """The options of a command that serves over HTTP."""
    return options(
        click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on."),
        click.option(
            "--port",
            type=click.IntRange(0, 65535),
            default=port,
            show_default=True,
            help="Port to listen on; 0 takes a free one.",
        ),
        click.option(
            "--allow-host",
            "names",
            multiple=True,
            metavar="NAME",
            help="A host name of this server; required to serve other computers. Repeatable.",
        ),
    )


_DAYS = {"d": 1, "w": 7}


def days(least: int = 0) -> Callable[[str], int]:
    """The type of an option that takes an age in days: 30, 30d or 4w."""

    def read(value: str) -> int:
        text = value.strip().lower()
        number, unit = (text[:-1], _DAYS[text[-1]]) if text[-1:] in _DAYS else (text, 1)
        if not (number.isascii() and number.isdigit() and len(number) < 6) or int(number) < least:
            raise click.BadParameter(f"{value!r} is not a number of days; write 30, 30d or 4w.")
        return int(number) * unit

    return read


def comma_separated(values: Iterable[str]) -> list[str]:
    """Values given one by one or with commas between them."""
    return [each.strip() for value in values for each in value.split(",") if each.strip()]


def complete_id(
    ctx: click.Context,
    param: click.Parameter,  # noqa: ARG001 - click gives it
    incomplete: str,
) -> list["shell_completion.CompletionItem"]:
    """Ids that begin so, with their titles."""
    try:
        with Memory.open(ctx.params.get("root")) as memory:
            found = [each for each in memory.records() if each.id.startswith(incomplete)]
    except MemdownError:
        return []  # nothing to offer; the command itself will say what is wrong
    return [shell_completion.CompletionItem(each.id, help=each.title) for each in found]


_COMMON = (
    click.option("--root", type=click.Path(path_type=Path), help="Project folder. [default: detected]"),
    click.option("--global", "personal", is_flag=True, help="Use your personal memory in ~/.memdown."),
    click.option("--json", "as_json", is_flag=True, help="Output one JSON document."),
    click.option("-q", "--quiet", is_flag=True, help="Print nothing; only set the exit code."),
)
"""The options every command has."""
_ALLOW_SECRET = click.option(
    "--allow-secret", is_flag=True, help="Write even if the text seems to contain a credential."
)


def standard(function: Callable[Concatenate[Invocation, P], int | None]) -> Callable[P, int | None]:
    """The options every command has, gathered into a session."""
    return _last(_COMMON, _in_session(function))


def writing(function: Callable[Concatenate[Invocation, P], int | None]) -> Callable[..., int | None]:
    """The options of a command that may write."""
    return _last((_ALLOW_SECRET, *_COMMON), _in_session(function))


def _last(those: Sequence[Callable[[Command], Command]], function: Callable[P, int | None]) -> Callable[P, int | None]:
    """Options that stand in the help below those of the command itself, wherever these are declared."""
    own = function.__dict__.pop("__click_params__", [])
    decorated = options(*those)(function)
    decorated.__dict__["__click_params__"] += own  # click turns the list around
    return decorated


def _in_session(function: Callable[Concatenate[Invocation, P], int | None]) -> Callable[P, int | None]:
    @wraps(function)
    def with_session(*args: P.args, **kwargs: P.kwargs) -> int | None:
        root, is_personal, writes = kwargs.pop("root"), kwargs.pop("personal"), "allow_secret" in kwargs
        if is_personal:
            root = _personal(root, writes=writes)
        with (
            telling(_as_personal) if is_personal else nullcontext(),
            Invocation(
                root if isinstance(root, Path) else None,
                json=bool(kwargs.pop("as_json")),
                quiet=bool(kwargs.pop("quiet")),
                allow_secret=bool(kwargs.pop("allow_secret")) if writes else None,
            ) as session,
        ):
            if is_personal and writes:
                session.note(f"This is your personal memory in {root}.")
            return function(session, *args, **kwargs)

    return with_session


def _as_personal(words: str, arguments: Sequence[str]) -> str:
    """What to do next with personal memory: the command, and which memory is meant."""
    if words.startswith("--"):
        return words
    return f"`{typed(words, arguments)}`" if words.startswith("git ") else f"`{typed(words, arguments)} --global`"


def _personal(root: object, *, writes: bool) -> Path:
    """The folder of personal memory, which the first write makes."""
    if root is not None:
        raise click.UsageError("Give --root or --global, not both.")
    home = Path(homes.personal_home())
    if writes:
        home.mkdir(parents=True, exist_ok=True)
    elif not home.is_dir():
        raise Unreadable(f"No personal memory in {home} yet; run `memdown add TEXT --global` to create it.")
    return home
