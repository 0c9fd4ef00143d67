"""JSON of other tools, with comments and trailing commas, edited in place: one value comes or goes, all else stays.

What is put in can be taken out again to the byte, without anything kept aside. A container that was there and is empty
gets its first value right behind the bracket; one that is made here has white space in that place. So it is known
later which containers go with their last value.
"""

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from memdown.limits import SETTINGS
from memdown.patterns import lazy
from memdown.text import BOM, Edit, Lines, Span, apply, eol_of

DEEPEST = 64
"""Objects and lists inside each other that are read at all."""
UNIT = "  "
"""One step of indentation, where the text shows none."""

Plain = str | int | float | bool | list["Plain"] | dict[str, "Plain"] | None

_SPACE = " \t\r\n"
_TOKEN = lazy(
    r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"'
    r"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9.\w])|(?:true|false|null)(?!\w)"
)
_BLANK = lazy(r"[ \t\r\n]*")
_LINE_END = lazy(r"[\r\n]|\Z")
_INDENTED = lazy(r"(?:\n|\r(?!\n))([ \t]+)[^ \t\r\n]")


class BrokenJson(Exception):
    """The text is not JSON, or not of the shape that is asked for; says where."""


class JsonNode(Struct, gc=False):
    """A value and where it stands. Containers have members."""

    kind: str
    """The opening bracket of a container; empty for all else."""
    start: int
    end: int
    members: list["JsonMember"]


class JsonMember(Struct, gc=False):
    """One value in a container."""

    start: int
    """Where the key begins, in a list the value."""
    key: str | None
    value: JsonNode
    comma: int = -1
    """Where the comma behind it is; -1 without one."""


_NOTHING: list[JsonMember] = []


@lru_cache(maxsize=4)  # one text is asked for several values in a row
def scan(text: str) -> JsonNode:
    """The outermost value, which has to be an object."""
    if len(text) > SETTINGS:
        raise BrokenJson(f"it has more than {SETTINGS:,} characters, which settings do not have")
    reader = _JsonReader(text)
    root = reader.read()
    if root.kind != "{":
        raise reader.broken("an object is expected", root.start)
    return root


class _JsonReader:
    """One pass over the text, with a list of the containers that are open."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = int(text.startswith(BOM))

    def read(self) -> JsonNode:
        root = self._value()
        stack = [root] if root.kind else []
        while stack:
            self._next(stack)
        self._skip()
        if self._at < len(self._text):
            raise self.broken("nothing may follow the last bracket")
        return root

    def broken(self, why: str, at: int | None = None) -> BrokenJson:
        line, column = Lines(self._text).position(self._at if at is None else at)
        return BrokenJson(f"line {line}, column {column}: {why}")

    def _next(self, stack: list[JsonNode]) -> None:
        """One member of the innermost container, or its end."""
        node = stack[-1]
        self._skip()
        if self._peek() == ("}" if node.kind == "{" else "]"):
            self._at += 1
            node.end = self._at
            stack.pop()
            if stack:
                self._comma(stack[-1])
            return
        if node.members and node.members[-1].comma < 0:
            raise self.broken("a comma or the closing bracket is expected")
        start, key = self._at, None
        if node.kind == "{":
            key = self._key()
        value = self._value()
        node.members.append(JsonMember(start, key, value))
        if value.kind:
            stack.append(value)
            if len(stack) > DEEPEST:
                raise self.broken("it is nested too deep", value.start)
        else:
            self._comma(node)

    def _comma(self, node: JsonNode) -> None:
        self._skip()
        if self._peek() == ",":
            node.members[-1].comma = self._at
            self._at += 1

    def _key(self) -> str:
        if self._peek() != '"':
            raise self.broken("a key in double quotes is expected")
        key = self._value()
        self._skip()
        if self._peek() != ":":
            raise self.broken("a colon is expected")
        self._at += 1
        return str(json.loads(self._text[key.start : key.end]))

    def _value(self) -> JsonNode:
        self._skip()
        start = self._at
        if self._peek() in ("{", "["):
            self._at += 1
            return JsonNode(self._text[start], start, -1, [])
        match = _TOKEN.match(self._text, start)
        if not match:
            raise self.broken("a value is expected")
        self._at = match.end()
        return JsonNode("", start, self._at, _NOTHING)

    def _skip(self) -> None:
        """Past white space and comments."""
        while True:
            blank = _BLANK.match(self._text, self._at)
            self._at = blank.end() if blank else self._at
            opened = self._text[self._at : self._at + 2]
            if opened == "//":
                end_of_line = _LINE_END.search(self._text, self._at)
                self._at = end_of_line.start() if end_of_line else len(self._text)
            elif opened == "/*":
                end = self._text.find("*/", self._at + 2)
                if end < 0:
                    raise self.broken("a comment has no end")
                self._at = end + 2
            else:
                return

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]


def plain(text: str, node: JsonNode) -> Plain:
    """The value itself."""
    if node.kind == "{":
        return {member.key or "": plain(text, member.value) for member in node.members}
    if node.kind == "[":
        return [plain(text, member.value) for member in node.members]
    value: Plain = json.loads(text[node.start : node.end], parse_int=_number)
    return value


def find(root: JsonNode, path: Sequence[str]) -> list[JsonNode]:
    """The containers along a path of keys, the outermost first, as far as there are any."""
    found = [root]
    for key in path:
        member = member_of(found[-1], key)
        if member is None:
            break
        found.append(member.value)
    return found


def member_of(node: JsonNode, key: str) -> JsonMember | None:
    """The member with a key; of several the last, as readers of JSON take it."""
    return next((member for member in reversed(node.members) if member.key == key), None)


def add(text: str, path: Sequence[str], key: str | None, value: dict[str, Plain]) -> str:
    """The text with a member of the object at a path, or without a key with a last element of the list there.

    Containers that are missing are made.
    """
    trail = find(scan(text), path)
    for number, node in enumerate(trail):
        last = number == len(path)
        if node.kind != ("[" if last and key is None else "{"):
            where = ".".join(path[:number])
            raise BrokenJson(f"{where} is not {'a list' if last and key is None else 'an object'}")
    missing = path[len(trail) - 1 :]
    new: Plain = value
    if missing:
        new = [value] if key is None else {key: value}
        for name in reversed(missing[1:]):
            new = {name: new}
        key = missing[0]
    return apply(text, _insertion(text, trail[-1], key, new))


def remove(text: str, path: Sequence[str], member: JsonMember) -> str | None:
    """The text without a member of the container at a path, and without containers made for it; None for no text."""
    trail = find(scan(text), path)
    for depth in reversed(range(len(trail))):
        node = trail[depth]
        if not _made_for(text, node, member):
            return apply(text, _removal(text, node, member))
        if depth:
            member = next(each for each in trail[depth - 1].members if each.value is node)
    root = trail[0]
    return None if not (text[: root.start] + text[root.end :]).strip(_SPACE) else apply(text, [_hollowed(root)])


def replace(text: str, node: JsonNode, value: Plain) -> str:
    """The text with another value in the place of one."""
    return apply(text, [Edit(Span(node.start, node.end), _Style(text).write(value, _indent_at(text, node.start)))])


def new(path: Sequence[str], key: str | None, value: dict[str, Plain]) -> str:
    """A text that holds one value and nothing else."""
    whole: Plain = [value] if key is None else {key: value}
    for name in reversed(path):
        whole = {name: whole}
    return _Style("").write(whole, "") + "\n"


def _hollowed(root: JsonNode) -> Edit:
    return Edit(Span(root.start + 1, root.end - 1), "")


def _insertion(text: str, node: JsonNode, key: str | None, value: Plain) -> Iterator[Edit]:
    style = _Style(text)
    if not node.members:
        at = node.start + 1
        yield Edit(Span(at, at), style.member(key, value, _indent_at(text, at)))
        return
    last = node.members[-1]
    behind = node.end - 1
    at = behind - len(_lead(text, behind))
    lead = _lead(text, last.start)
    commented = at > max(last.value.end, last.comma + 1)
    if _breaks(lead) or (commented and _breaks(text[at:behind])):
        indent = _indent_at(text, last.start)
        separator = style.eol + indent
    else:
        indent, separator = _indent_at(text, at), style.gap
    written = separator + style.member(key, value, indent)
    if last.comma >= 0:
        yield Edit(Span(at, at), written + ",")
    else:
        yield Edit(Span(last.value.end, last.value.end), ",")
        yield Edit(Span(at, at), written)


def _removal(text: str, node: JsonNode, member: JsonMember) -> Iterator[Edit]:
    number = next(place for place, each in enumerate(node.members) if each.start == member.start)
    member = node.members[number]
    start = member.start - len(_lead(text, member.start))
    before = node.members[number - 1] if number else None
    if before is not None and member.comma < 0:
        yield Edit(Span(before.comma, before.comma + 1), "")
        start = max(start, before.comma + 1)
    if member.comma >= 0:
        yield Edit(Span(start, member.value.end), "")
        yield Edit(Span(member.comma, member.comma + 1), "")
    else:
        yield Edit(Span(start, member.value.end), "")


def _made_for(text: str, node: JsonNode, member: JsonMember) -> bool:
    """Whether a container holds nothing else and was made with its member: white space comes before it."""
    if len(node.members) != 1:
        return False
    end = member.comma + 1 if member.comma >= 0 else member.value.end
    before, after = text[node.start + 1 : member.start], text[end : node.end - 1]
    between = text[member.value.end : end].rstrip(",")
    return bool(before) and not (before + between + after).strip(_SPACE)


class _Style:
    """How a text is written, for what is added to it."""

    def __init__(self, text: str) -> None:
        self.eol = eol_of(text)
        self.wide = _breaks(text.strip(_SPACE)) or '"' not in text
        self.gap = " " if self.wide or '": ' in text else ""
        found = _INDENTED.search(text)
        self.unit = found[1] if found else UNIT

    def member(self, key: str | None, value: Plain, indent: str) -> str:
        name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
        return name + self.write(value, indent)

    def write(self, value: Plain, indent: str) -> str:
        """A value; containers have white space inside their brackets, but for lists of words."""
        if isinstance(value, dict):
            inner = indent + self.unit
            return self._container("{}", [self.member(key, each, inner) for key, each in value.items()], indent)
        if isinstance(value, list) and any(isinstance(each, (dict, list)) for each in value):
            inner = indent + self.unit
            return self._container("[]", [self.write(each, inner) for each in value], indent)
        return json.dumps(value, ensure_ascii=False)

    def _container(self, brackets: str, parts: list[str], indent: str) -> str:
        opening, closing = brackets[0], brackets[1]
        if not self.wide:
            return f"{opening} {', '.join(parts)} {closing}"
        between = f",{self.eol}{indent}{self.unit}"
        return f"{opening}{self.eol}{indent}{self.unit}{between.join(parts)}{self.eol}{indent}{closing}"


def _breaks(text: str) -> bool:
    return "\n" in text or "\r" in text


def _lead(text: str, at: int) -> str:
    """The white space before a place."""
    start = at
    while start and text[start - 1] in _SPACE:
        start -= 1
    return text[start:at]


def _indent_at(text: str, at: int) -> str:
    """The white space that the line of a place begins with."""
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    end = start
    while end < len(text) and text[end] in " \t":
        end += 1
    return text[start:end]


def _number(digits: str) -> int | str:
    return int(digits) if len(digits) < 20 else digits
