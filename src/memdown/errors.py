"""What memdown raises: few classes, one sentence each, told with what to do next.

Only a wrong call is an exception; wrong text in a file is a diagnostic. The command line turns each of
these into one line on standard error and the exit code that the class names.
"""

import os
import sys
from _thread import get_ident  # threading's, for which hooks cannot wait

from memdown.lazy import LazyModule

TYPE_CHECKING = False  # as typing's
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from importlib import metadata
    from urllib import parse

    from memdown import secrets

    Tell = Callable[[str, Sequence[str]], str]
else:
    secrets = LazyModule("memdown.secrets")
    metadata = LazyModule("importlib.metadata")
    parse = LazyModule("urllib.parse")

_SHOWN = 80


def quote(value: str) -> str:
    """A value as a message may show it: on one line, nothing hidden, not too long, without a credential."""
    shown = repr(without_credentials(value))
    return shown if len(shown) <= _SHOWN else shown[: _SHOWN - 2] + "…" + shown[-1]


def fault_of(error: Exception) -> str:
    """Why a text could not be parsed; Python's own words for what is nested too deeply tell nobody what to do."""
    return "it is nested too deeply; make it flatter" if isinstance(error, RecursionError) else str(error)


def nearest(word: str, known: "Iterable[str]", most: int = 3) -> list[str]:
    """Which known words somebody most likely meant: those a few keys away, the nearest first."""
    reach = 1 if len(word.strip("-")) < 5 else 2  # of two keys in a short word, another word is left
    near = [(distance(word, each, reach), each) for each in known if abs(len(each) - len(word)) <= reach]
    least = min((steps for steps, _ in near), default=0)
    return [each for steps, each in sorted(near) if steps <= min(reach, least)][:most]


def some(names: "Sequence[str]", most: int) -> str:
    """The first of them, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def distance(one: str, two: str, reach: int) -> int:
    """How many keys apart two words are: one added, left out, replaced, or two swapped; above `reach`, roughly."""
    before: list[int] = []
    row = list(range(len(two) + 1))
    for at, char in enumerate(one, 1):
        older, before, row = before, row, [at]
        for to, other in enumerate(two, 1):
            cost = min(row[-1] + 1, before[to] + 1, before[to - 1] + (char != other))
            if at > 1 and to > 1 and char == two[to - 2] and other == one[at - 2]:
                cost = min(cost, older[to - 2] + 1)
            row.append(cost)
        if min(row) > reach:
            break
    return max(row[-1], min(row))


def without_credentials(sentence: str) -> str:
    """A sentence as it may be shown or logged: `[redacted: kind]` stands for what looks like a credential."""
    return secrets.redact(sentence)


def _as_command(words: str, arguments: "Sequence[str]") -> str:
    return words if words.startswith("--") else f"`{typed(words, arguments)}`"


def typed(words: str, arguments: "Sequence[str]") -> str:
    """A command as somebody types it: one of git, or of memdown."""
    line = " ".join((words, *arguments))
    return line if words.startswith("git ") else f"memdown {line}"


_tellers: "dict[int, Tell]" = {}
"""Who tells, by thread; the command line elsewhere."""


def way(words: str, *arguments: str) -> str:
    """What to do next, as a message names it: a command with its arguments, or an option, which begins with dashes.

    A command of git begins with its name.

    Messages are for people at the command line, unless a surface tells them its own way (`telling`).
    """
    return _tellers.get(get_ident(), _as_command)(words, arguments)


def installing(extras: str) -> str:
    """The command that installs extras: where memdown runs from a checkout, into its environment."""
    checkout = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120
    try:
        with open(os.path.join(checkout, "pyproject.toml"), encoding="utf-8") as file:  # noqa: PTH118, PTH123
            is_checkout = 'name = "memdown"' in file.read()
    except (OSError, UnicodeDecodeError):
        is_checkout = False
    if not is_checkout:
        return _installing_anew(f"'{origin() or 'memdown'}[{extras}]'")
    return f"`{os.path.join(os.path.dirname(sys.executable), 'pip')} install -e '{checkout}[{extras}]'`"  # noqa: PTH118, PTH120


def _installing_anew(what: str) -> str:
    """The command for memdown as it was installed: by pipx, by uv, or by pip."""
    folders = sys.prefix.replace("\\", "/").split("/")
    if "pipx" in folders:
        return f"`pipx install --force {what}`"
    if "uv" in folders:
        return f"`uv tool install --force {what}` (or `uvx --from {what} memdown`)"
    return f"`pip install {what}`"


def origin() -> str:
    """The folder that memdown was installed from; empty where it came from an index of packages."""
    try:
        found = metadata.distribution("memdown").read_text("direct_url.json") or ""
    except metadata.PackageNotFoundError:
        return ""
    place = found.replace(" ", "").partition('"url":"file://')[2].partition('"')[0]
    return parse.unquote(place)


def too_large(size: int, megabytes: int) -> str | None:
    """What is said of a file of memory, behind its name, that is too large to be read; None for any other."""
    if size <= megabytes << 20:
        return None
    return (
        f"has {size / (1 << 20):,.1f} MB and is not read, as the limit is {megabytes} MB; "
        f"set `max-file-megabytes = {(size >> 20) + 1}` in memdown.toml and run {way('archive')}, or split it"
    )


class telling:
    """Inside, in this thread, messages name what to do as a surface does it."""

    def __init__(self, tell: "Tell") -> None:
        self._tell = tell

    def __enter__(self) -> None:
        _tellers[get_ident()] = self._tell

    def __exit__(self, *_: object) -> None:
        _tellers.pop(get_ident(), None)


class on_failure:
    """Do something when what is inside fails, whatever it is, and let that go on."""

    def __init__(self, act: "Callable[[], object]") -> None:
        self._act = act

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            self._act()


class MemdownError(Exception):
    """Something asked for cannot be done; the message says what, and what to do next, and shows no credential."""

    exit_code = 1

    def __str__(self) -> str:
        return without_credentials(super().__str__())


class NotFound(MemdownError):
    """No record or file has that name."""

    exit_code = 1


class UnknownName(NotFound):
    """No record has that name, which somebody typed."""


class Ambiguous(NotFound):
    """Several records fit where one was asked for."""


class Invalid(MemdownError):
    """A value given to memdown is not one that can be written."""

    exit_code = 2


class Refused(MemdownError):
    """The request is understood and not allowed, as a path outside the root."""

    exit_code = 3


class Exists(MemdownError):
    """A new file would take the place of another."""

    exit_code = 3


class Stale(MemdownError):
    """The file changed after it was read; nothing was written."""

    exit_code = 3


class Locked(MemdownError):
    """Another process is writing and did not finish in time."""

    exit_code = 3


class Unreadable(MemdownError):
    """A file or folder is missing, or cannot be read."""

    exit_code = 4


class BadConfig(MemdownError):
    """The configuration file says something memdown does not understand."""

    exit_code = 4
