"""What can be put into a file of another tool: a server, a hook, marked lines, a file of our own.

Each part knows how to put itself into a text, and how to take itself out again to the byte. What looks like ours and
is not as we write it belongs to somebody, and stays.
"""

import json
from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from memdown.acts.install import markers
from memdown.errors import Invalid, quote
from memdown.hashes import sha256
from memdown.markdown import formats, jsonc
from memdown.markdown.jsonc import JsonMember, JsonNode, Plain
from memdown.text import encode, eol_of, with_eol

NAME = "memdown"
RULES = "{rules}"
"""Stands in a body for the rules of the project."""
_QUOTES = "\"'"
_UNQUOTABLE = "\"'$`"
_CURSOR = '{\n  "version":  1\n}\n'
"""A file that is made for a hook of Cursor, without it; the second space tells it from one that was there."""
_NAMED = "^[^ ].*$"
"""The lines that name a record in what is compared."""
_SHELLS = ("sh", "bash", "dash", "zsh", "ksh")


class Unfit(Exception):
    """A text cannot take the part; says why."""


class Command(Struct, frozen=True):
    """How memdown is called on this machine."""

    words: tuple[str, ...] = (NAME,)

    @property
    def line(self) -> str:
        """For a shell."""
        return " ".join(word if _is_plain(word) else f'"{word}"' for word in self.words)


def command(line: str) -> Command:
    """The command that a person gave, as one line."""
    words = tuple(_words(line))
    if not names_us(words):
        raise Invalid(f"the command {quote(line)} does not name memdown; give it as 'uvx --from PATH memdown'")
    if any(char in _UNQUOTABLE or not char.isprintable() for word in words for char in word):
        raise Invalid(f"the command {quote(line)} has a quote, $ or ` or an unprintable character; leave it out")
    return Command(words)


def names_us(words: Sequence[str]) -> bool:
    """Whether the last word of a command is memdown, by its name or its path."""
    last = words[-1] if words else ""
    return last.replace("\\", "/").rpartition("/")[2].lower() in (NAME, f"{NAME}.exe")


class InstallPart(Protocol):
    """Something that stands in one file."""

    @property
    def file(self) -> str: ...

    @property
    def needs(self) -> str: ...

    @property
    def what(self) -> str: ...

    def put(self, text: str | None, called: Command) -> str | None:
        """The text with the part in it; the same text when it is there, or when one of somebody else is."""

    def take(self, text: str) -> str | None:
        """The text without the part; None when the file was made for it."""


def is_in(part: InstallPart, text: str | None, called: Command) -> bool:
    """Whether a text has a part as it is written for this command."""
    return text is not None and part.put(text, called) == text and part.take(text) != text


class PartFields(Struct, frozen=True, kw_only=True):
    """What every part has."""

    file: str
    needs: str
    """The command of memdown that it calls; without that command it is left out."""
    what: str
    """What it is, for people."""


class Server(PartFields, frozen=True, kw_only=True):
    """The MCP server, in a JSON file that lists servers."""

    under: str = "mcpServers"
    typed: bool = False
    """Whether the kind of transport is written."""
    arguments: tuple[str, ...] = ()

    def put(self, text: str | None, called: Command) -> str | None:
        if text is None:
            return jsonc.new((self.under,), NAME, self.value(called.words))
        found = self._found(text)
        if found is None:
            return jsonc.add(text, (self.under,), NAME, self.value(called.words))
        wanted = self.value(called.words)
        if jsonc.plain(text, found.value) == wanted or not self._is_ours(text, found):
            return text
        return jsonc.replace(text, found.value, wanted)

    def take(self, text: str) -> str | None:
        found = self._found(text)
        return jsonc.remove(text, (self.under,), found) if found and self._is_ours(text, found) else text

    def value(self, words: Sequence[str]) -> dict[str, Plain]:
        kind: dict[str, Plain] = {"type": "stdio"} if self.typed else {}
        return {**kind, "command": words[0], "args": [*words[1:], *self._tail()]}

    def words(self, text: str) -> list[str]:
        """The command that starts the server, as the text has it; empty when it has none."""
        found = self._found(text)
        value = jsonc.plain(text, found.value) if found else None
        return [*formats.words(value, "command"), *formats.words(value, "args")]

    def called(self, text: str) -> Command | None:
        found = self._found(text)
        return Command(tuple(self.words(text)[: -len(self._tail())])) if found and self._is_ours(text, found) else None

    def _tail(self) -> list[str]:
        return [self.needs, *self.arguments]

    def _found(self, text: str) -> JsonMember | None:
        trail = jsonc.find(jsonc.scan(text), (self.under,))
        return jsonc.member_of(trail[1], NAME) if len(trail) > 1 else None

    def _is_ours(self, text: str, found: JsonMember) -> bool:
        value = jsonc.plain(text, found.value)
        if not isinstance(value, dict):
            return False
        words = [value.get("command"), *formats.items(value, "args")]
        call = [word for word in words[: -len(self._tail())] if isinstance(word, str)]
        return names_us(call) and value == self.value(call)


class Hook(PartFields, frozen=True, kw_only=True):
    """A command that an assistant calls at an event, as Claude Code and Codex list it."""

    event: str
    matcher: str = ""
    """The tools that it is called for."""
    formerly: str = ""
    """The tools that memdown once had it called for: such a hook is ours, and is brought up to date."""
    only: str = ""
    """The calls of these tools that it is called for, in the assistant's own form."""
    offer: str = ""
    """What a dialect of the project has to offer for it; else it is left out."""

    def put(self, text: str | None, called: Command) -> str | None:
        wanted = self.value(called.line)
        if text is None:
            return jsonc.new(self._path(), None, wanted)
        found = self._found(text)
        if found is None:
            return jsonc.add(text, self._path(), None, wanted)
        same = jsonc.plain(text, found.value) == wanted
        return text if same else jsonc.replace(text, found.value, wanted)

    def take(self, text: str) -> str | None:
        found = self._found(text)
        return jsonc.remove(text, self._path(), found) if found else text

    def value(self, line: str) -> dict[str, Plain]:
        return self._value(line, self.matcher)

    def _value(self, line: str, tools: str) -> dict[str, Plain]:
        matcher: dict[str, Plain] = {"matcher": tools} if tools else {}
        only: dict[str, Plain] = {"if": self.only} if self.only else {}
        return {**matcher, "hooks": [{"type": "command", **only, "command": f"{line}{self._tail()}"}]}

    def line(self, text: str) -> str:
        """The line that the assistant runs, as the text has it; empty when it has none."""
        found = self._found(text)
        return self._line_in(jsonc.plain(text, found.value)) if found else ""

    def called(self, text: str) -> Command | None:
        line = self.line(text)
        return Command(tuple(_words(line.removesuffix(self._tail())))) if line else None

    def _tail(self) -> str:
        return f" {self.needs} {self.event}"

    def _line_in(self, value: Plain) -> str:
        return next((formats.word(hook, "command") for hook in formats.items(value, "hooks")), "")

    def _path(self) -> tuple[str, str]:
        return "hooks", self.event

    def _found(self, text: str) -> JsonMember | None:
        """Ours, the last of several."""
        trail = jsonc.find(jsonc.scan(text), self._path())
        listed: Sequence[JsonMember] = trail[2].members if len(trail) > 2 else ()
        return next((each for each in reversed(listed) if self._is_ours(text, each.value)), None)

    def _is_ours(self, text: str, node: JsonNode) -> bool:
        value = jsonc.plain(text, node)
        called = self._line_in(value)
        line = called.removesuffix(self._tail())
        written = (self.value(line), self._value(line, self.formerly))
        return line != called and names_us(_words(line)) and value in written


class CursorHook(Hook, frozen=True, kw_only=True):
    """The same as Cursor lists it, in a file that begins with a version."""

    def put(self, text: str | None, called: Command) -> str | None:
        return super().put(_CURSOR if text is None else text, called)

    def take(self, text: str) -> str | None:
        left = super().take(text)
        return None if left is not None and with_eol(left, "\n") == _CURSOR else left

    def value(self, line: str) -> dict[str, Plain]:
        return {"command": f"{line}{self._tail()}"}

    def _line_in(self, value: Plain) -> str:
        return formats.word(value, "command")


class MarkedLines(PartFields, frozen=True, kw_only=True):
    """Marked lines in a text file."""

    body: str
    """`{command}` stands for the command as a shell takes it."""
    comment: tuple[str, str] = markers.HASH
    head: str = ""
    """What a new file begins with."""

    def put(self, text: str | None, called: Command) -> str | None:
        lines = markers.block(self.text(called), self.comment)
        if text is None:
            return f"{self.head}{lines}\n"
        span = markers.find(text, self.comment)
        return markers.replace(text, span, lines) if span else markers.put(text, self.place(text), lines)

    def take(self, text: str) -> str | None:
        span = markers.find(text, self.comment)
        return markers.take(text, span, self.head) if span else text

    def text(self, called: Command) -> str:
        return self.body.replace("{command}", called.line).replace("{program}", Command(called.words[:1]).line)

    def place(self, text: str) -> int:
        """Where the lines go."""
        return len(text)


class Script(MarkedLines, frozen=True, kw_only=True):
    """Lines of a shell script. They come first, as a script may end anywhere."""

    head: str = "#!/bin/sh\n"

    def put(self, text: str | None, called: Command) -> str | None:
        if text is None or _is_shell(text):
            return super().put(text, called)
        return text

    def place(self, text: str) -> int:
        if not text.startswith("#!"):
            return 0
        return text.index("\n") + 1 if "\n" in text else len(text)


class TomlTable(MarkedLines, frozen=True, kw_only=True):
    """The MCP server in a TOML file, as a table of its own."""

    body: str = ""
    under: str = "mcp_servers"

    def words(self, text: str) -> list[str]:
        """The command that starts the server, as the text has it; empty when it has none."""
        value = formats.table(_toml(text), self.under, NAME)
        return [*formats.words(value, "command"), *formats.words(value, "args")]

    def called(self, text: str) -> Command | None:
        return Command(tuple(self.words(text)[:-1])) if markers.find(text, self.comment) else None

    def text(self, called: Command) -> str:
        words = json.dumps([*called.words[1:], self.needs], ensure_ascii=False)
        first = json.dumps(called.words[0], ensure_ascii=False)
        return f"[{self.under}.{NAME}]\ncommand = {first}\nargs = {words}"

    def put(self, text: str | None, called: Command) -> str | None:
        own = text is not None and markers.find(text, self.comment) is not None
        if text is not None and not own and NAME in formats.table(_toml(text), self.under):
            return text
        new = super().put(text, called)
        if NAME not in formats.table(_toml(new or ""), self.under):
            raise Unfit(f"a table [{self.under}.{NAME}] cannot be added at its end")
        return new


class CaptureSetting(MarkedLines, frozen=True, kw_only=True):
    """The setting that has messages kept, in the settings of memdown itself."""

    def put(self, text: str | None, called: Command) -> str | None:
        *above, table = self.body.splitlines()[0].strip("[]").split(".")
        own = text is not None and markers.find(text, self.comment) is not None
        if text is not None and not own and table in formats.table(_toml(text), *above):
            raise Unfit(f"it has a table [{table}] already; write `capture = true` there yourself")
        return super().put(text, called)


class Page(PartFields, frozen=True, kw_only=True):
    """A file of our own; `instead` is a file that gets the text as marked lines where it is there.

    Its last line has a hash of the rest. So it is known whether somebody changed it, and it can be brought up to date.
    """

    head: str = ""
    body: str = RULES
    instead: str = ""

    def put(self, text: str | None, called: Command) -> str | None:  # noqa: ARG002 - as every part
        whole = f"{self.head}{self.body}\n\n"
        page = f"{whole}{_seal(whole)}\n"
        return page if text is None else with_eol(page, eol_of(text)) if _is_sealed(text) else text

    def take(self, text: str) -> str | None:
        return None if _is_sealed(text) else text

    def lines(self) -> MarkedLines:
        """The same for a file that is there."""
        return MarkedLines(
            file=self.instead, needs=self.needs, what=self.what, body=self.body, comment=markers.MARKDOWN
        )


def _seal(whole: str) -> str:
    return f"<!-- memdown install: {sha256(encode(whole))[:12]} -->"


def _is_sealed(text: str) -> bool:
    plain = with_eol(text, "\n")
    whole, mark, _ = plain.rpartition("<!-- ")
    return bool(mark) and plain == f"{whole}{_seal(whole)}\n"


class GitSection(PartFields, frozen=True, kw_only=True):
    """A section of git's own settings."""

    driver: str
    """`{command}` stands for the command as a shell takes it."""
    textconv: str
    """What git runs to compare a file; the same stands for the command."""

    def put(self, text: str | None, called: Command) -> str | None:  # noqa: ARG002 - whatever it was
        return section(self.values(called))

    def take(self, text: str) -> str | None:  # noqa: ARG002
        return None

    def values(self, called: Command) -> dict[str, str]:
        return {
            "merge.memdown.name": self.what,
            "merge.memdown.driver": self.driver.replace("{command}", called.line),
            "diff.memdown.textconv": self.textconv.replace("{command}", called.line),
            "diff.memdown.xfuncname": _NAMED,
        }


def section(values: dict[str, str]) -> str:
    """Settings as text, to be shown and compared."""
    return "".join(f"{key} = {value}\n" for key, value in values.items())


def _is_shell(script: str) -> bool:
    first = script.partition("\n")[0]
    return not first.startswith("#!") or any(word.rpartition("/")[2] in _SHELLS for word in first[2:].split())


def _toml(text: str) -> Plain:
    try:
        return formats.read_toml(text.removeprefix("\ufeff"))
    except formats.Unread as error:
        raise Unfit(str(error)) from None


def _words(line: str) -> list[str]:
    """The words of a command line: split at spaces, quotes kept together and taken off; a backslash is a backslash."""
    words, word, quoted, begun = [], "", "", False
    for char in line:
        if quoted:
            quoted, word = ("", word) if char == quoted else (quoted, word + char)
        elif char in _QUOTES:
            quoted, begun = char, True
        elif char.isspace():
            if word or begun:
                words.append(word)
            word, begun = "", False
        else:
            word += char
    return [*words, word] if word or begun else words


def _is_plain(word: str) -> bool:
    return bool(word) and not any(char.isspace() or char in "\\&|;<>()*?!#~" for char in word)
