"""Anthropic's memory tool on the same store: six commands on the files below `/memories`.

The words of answers and errors are the documented ones, since models were trained with them.
"""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from memdown.acts import whole
from memdown.errors import Invalid, MemdownError, Refused, quote
from memdown.memory import Memory
from memdown.store.files import ASKING

ROOT = "/memories"
MOST_LINES = 999_999
_DEEP = 2
"""Levels of folders that a listing shows."""
_AROUND = 4
"""Lines before and after a change that its answer shows."""


class ToolAnswer(Struct, frozen=True):
    """What goes into the result of a tool call."""

    text: str
    is_error: bool = False


class _Failed(MemdownError):
    """An error in the words of the tool."""


class MemoryTool:
    """The tool for one memory; `folder` is what `/memories` stands for."""

    def __init__(self, memory: Memory, folder: str = "memories") -> None:
        self._memory = memory
        self._files = memory.files
        self._folder = folder
        self._commands: dict[str, Callable[[Mapping[str, object]], str]] = {
            "view": self._view,
            "create": self._create,
            "str_replace": self._str_replace,
            "insert": self._insert,
            "delete": self._delete,
            "rename": self._rename,
        }

    def run(self, given: Mapping[str, object]) -> ToolAnswer:
        """Carry out the input of a tool call."""
        name = str(given.get("command"))
        command = self._commands.get(name)
        try:
            if command is None:
                raise Invalid(f"there is no command {quote(name)}; use {', '.join(self._commands)}")
            with self._files.act("memory tool", name, hint=ASKING):
                return ToolAnswer(command(given))
        except _Failed as error:
            return ToolAnswer(str(error), is_error=True)
        except MemdownError as error:
            return ToolAnswer(f"Error: {error}", is_error=True)

    # Commands

    def _view(self, given: Mapping[str, object]) -> str:
        path = _text(given, "path")
        name = self._name(path, folder=True)
        if self._is_file(name):
            return self._view_file(path, self._files.read(name), given.get("view_range"))
        below = self._below(name)
        if not below and name != self._folder:
            raise _Failed(f"The path {path} does not exist. Please provide a valid path.")
        rows = [f"{_size(size)}\t{place}" for place, size in self._sizes(path.rstrip("/"), name, below)]
        heading = f"Here're the files and directories up to {_DEEP} levels deep in {path},"
        return "\n".join([f"{heading} excluding hidden items and node_modules:", *rows])

    def _view_file(self, path: str, text: str, wanted: object) -> str:
        lines = _lines(text)
        if len(lines) > MOST_LINES:
            raise _Failed(f"File {path} exceeds maximum line limit of {MOST_LINES:,} lines.")
        first, last = _range(wanted, len(lines))
        return "\n".join([f"Here's the content of {path} with line numbers:", *_numbered(lines, first, last)])

    def _create(self, given: Mapping[str, object]) -> str:
        path, text = _text(given, "path"), _text(given, "file_text")
        name = self._name(path)
        with self._files.lock():
            if self._is_file(name) or self._below(name):
                raise _Failed(f"Error: File {path} already exists")
            self._files.save(name, text, over=None)
        return f"File created successfully at: {path}"

    def _str_replace(self, given: Mapping[str, object]) -> str:
        path, old = _text(given, "path"), _text(given, "old_str")
        new = _text(given, "new_str") if given.get("new_str") is not None else ""
        if not old:
            raise Invalid("old_str is empty; give the text to replace")
        with self._files.lock():
            name, text = self._existing(path, " Please provide a valid path.")
            at = _only(path, text, old)
            after = text[:at] + new + text[at + len(old) :]
            whole.refuse_loss(self._memory, name, text, after)
            self._files.save(name, after, over=text)
        line = after.count("\n", 0, at) + 1
        rows = _numbered(_lines(after), line - _AROUND, line + new.count("\n") + _AROUND)
        heading = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
        return "\n".join([heading, *rows])

    def _insert(self, given: Mapping[str, object]) -> str:
        path, text, line = _text(given, "path"), _text(given, "insert_text"), given.get("insert_line")
        with self._files.lock():
            name, before = self._existing(path)
            lines = _with_ends(before)
            if not isinstance(line, int) or isinstance(line, bool) or not 0 <= line <= len(lines):
                raise _Failed(
                    f"Error: Invalid `insert_line` parameter: {line}."
                    f" It should be within the range of lines of the file: [0, {len(lines)}]"
                )
            head = "".join(lines[:line])
            joined = f"{head}\n" if head and not head.endswith("\n") else head
            after = joined + (text if text.endswith("\n") else f"{text}\n") + "".join(lines[line:])
            self._files.save(name, after, over=before)
        return f"The file {path} has been edited."

    def _delete(self, given: Mapping[str, object]) -> str:
        path = _text(given, "path")
        name = self._name(path, folder=True)
        if name == self._folder:
            raise Refused(f"{ROOT} itself is not deleted; delete files in it")
        with self._files.lock(), self._files.group() as group:
            for each in self._all(path, name):
                group.delete(each, over=self._files.read(each))
        return f"Successfully deleted {path}"

    def _rename(self, given: Mapping[str, object]) -> str:
        old_path, new_path = _text(given, "old_path"), _text(given, "new_path")
        old, new = self._name(old_path), self._name(new_path)
        if old == self._folder or f"{new}/".startswith(f"{old}/"):
            raise Refused(f"{old_path} cannot become {new_path}; choose a name outside it")
        with self._files.lock(), self._files.group() as group:
            if self._is_file(new) or self._below(new):
                raise _Failed(f"Error: The destination {new_path} already exists")
            for each in self._all(old_path, old):
                group.rename(each, new + each.removeprefix(old), over=self._files.read(each))
        return f"Successfully renamed {old_path} to {new_path}"

    # Names

    def _name(self, path: str, *, folder: bool = False) -> str:
        """The name in the root of a path below `/memories`; others are refused, and what a link leads out of it.

        The path of a folder may end with a slash.
        """
        inside = path.removesuffix("/") if folder else path
        if inside != ROOT and not inside.startswith(f"{ROOT}/"):
            raise Refused(f"{quote(path)} is refused: paths begin with {ROOT}")
        name = self._folder + inside.removeprefix(ROOT)
        if not self._files.path(name).is_relative_to(self._files.path(self._folder)):
            raise Refused(f"{quote(path)} is refused: a symbolic link leads out of {ROOT}; remove the link")
        return name

    def _is_file(self, name: str) -> bool:
        return self._files.path(name).is_file() and self._files.exists(name)

    def _below(self, name: str) -> list[str]:
        """Files below a folder, but for what listings leave out."""
        found = self._files.walk(name, suffixes=("",)) if self._files.path(name).is_dir() else ()
        return [each for each in found if "node_modules" not in each.split("/")]

    def _all(self, path: str, name: str) -> list[str]:
        """The file, or all files of the folder; a path that is neither is an error."""
        found = [name] if self._is_file(name) else self._below(name)
        if not found:
            raise _Failed(f"Error: The path {path} does not exist")
        return found

    def _existing(self, path: str, more: str = "") -> tuple[str, str]:
        name = self._name(path)
        if not self._is_file(name):
            dot = "." if more else ""
            raise _Failed(f"Error: The path {path} does not exist{dot}{more}")
        return name, self._files.read(name)

    def _sizes(self, path: str, name: str, below: Sequence[str]) -> list[tuple[str, int]]:
        """Files and folders with their sizes, two levels deep; a folder has the size of all that is in it."""
        sizes = {path: 0}
        for each in below:
            size = self._files.path(each).stat().st_size
            parts = each.removeprefix(f"{name}/").split("/")
            for deep in range(min(len(parts), _DEEP) + 1):
                place = "/".join([path, *parts[:deep]])
                sizes[place] = sizes.get(place, 0) + size
        return sorted(sizes.items())


def _text(given: Mapping[str, object], key: str) -> str:
    value = given.get(key)
    if not isinstance(value, str):
        raise Invalid(f"{key} is missing or is not a text; give it")
    return value


def _range(wanted: object, count: int) -> tuple[int, int]:
    """The first and last line to show."""
    if wanted is None:
        return 1, count
    match wanted:
        case [int(first), int(last)] if first >= 1 and (last == -1 or last >= first):
            return first, count if last == -1 else last
    raise Invalid("view_range is two line numbers, the first and the last; -1 is the end")


def _only(path: str, text: str, old: str) -> int:
    """Where the only occurrence of a text is."""
    at = text.find(old)
    if at < 0:
        raise _Failed(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
    lines, found = [], at
    while found >= 0:
        lines.append(text.count("\n", 0, found) + 1)
        found = text.find(old, found + len(old)) if len(lines) < 100 else -1
    if len(lines) > 1:
        raise _Failed(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines:"
            f" {', '.join(map(str, dict.fromkeys(lines)))}. Please ensure it is unique"
        )
    return at


def _lines(text: str) -> list[str]:
    return [line.removesuffix("\n") for line in _with_ends(text)]


def _with_ends(text: str) -> list[str]:
    """The lines with their ends; a last line without one too."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _numbered(lines: Sequence[str], first: int, last: int) -> list[str]:
    first = max(first, 1)
    return [f"{number:6}\t{line}" for number, line in enumerate(lines[first - 1 : last], first)]


def _size(size: int) -> str:
    """512B, 5.5K, 1.2M."""
    if size < 1024:
        return f"{size}B"
    value, unit = size / 1024, "K"
    for larger in "MG":
        if value >= 1024:
            value, unit = value / 1024, larger
    return f"{value:.1f}{unit}"
