"""The process that parses code by tree-sitter: texts come in on standard input, what they define goes out.

Grammars are native code, and some texts take them minutes or all memory there is. So they run apart, within limits: the
system ends the process when it worked too long on one text, and whoever asked when no answer comes.
"""

import hashlib
import importlib
import sys
import time
from collections.abc import Iterable, Iterator
from functools import cache
from typing import BinaryIO

import msgspec
from tree_sitter import Language, Node, Parser, Query, QueryCursor

from memdown.evidence.symbols.languages import GRAMMARS
from memdown.evidence.symbols.model import SymbolDefinition, Symbols

try:
    import resource
except ImportError:  # Windows has none
    resource = None  # type: ignore[assignment]

MOST_MEMORY = 1 << 30
MOST_WORK = 3
"""Seconds of the processor for one text: how long that takes on a busy machine is another matter."""
READY = b"ready"
_SIZE = 4
_DEEPEST = 8
"""What a definition is inside of, that its name has."""
_IGNORED = frozenset((b"", b";", b","))
_QUOTES = frozenset((b"'", b'"'))
_SETS = frozenset(
    "variable_declarator pair field_definition public_field_definition assignment_expression assignment const_spec"
    " var_spec init_declarator declaration property_declaration property_element const_element const_item static_item"
    " simple_symbol field_declaration".split()
)
"""Nodes that give a name a value; only a function or a class is a body."""
_BODIES = ("function", "class", "lambda", "closure", "arrow", "accessor", "getter")
_HERITAGE = frozenset(
    "class_heritage extends_clause extends_type_clause superclass super_interfaces extends_interfaces base_list"
    " base_clause class_interface_clause delegation_specifiers inheritance_specifier base_class_clause".split()
)


class Question(msgspec.Struct, frozen=True, array_like=True):
    """A text, the ending of its file, and the names whose bodies are wanted."""

    ending: str
    text: bytes
    names: list[str]


def main() -> None:
    """Answer until nobody asks any more."""
    _limit()
    send(sys.stdout.buffer, READY)
    decoder = msgspec.msgpack.Decoder(Question)
    while (data := received(sys.stdin.buffer)) is not None:
        _limit_work()
        send(sys.stdout.buffer, msgspec.msgpack.encode(answer(decoder.decode(data))))


def received(stream: BinaryIO) -> bytes | None:
    """One message; None at the end."""
    head = stream.read(_SIZE)
    if len(head) < _SIZE:
        return None
    size = int.from_bytes(head, "big")
    data = stream.read(size)
    return data if len(data) == size else None


def send(stream: BinaryIO, data: bytes) -> None:
    stream.write(len(data).to_bytes(_SIZE, "big") + data)
    stream.flush()


def _limit() -> None:
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _limit_work() -> None:
    """Let the system end this process after so much more work."""
    if resource is not None:
        most = int(time.process_time()) + 1 + MOST_WORK
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def answer(question: Question) -> Symbols:
    """What a text defines."""
    parser, query = _grammar(question.ending)
    root = parser.parse(question.text).root_node
    wanted = frozenset(question.names)
    return Symbols(list(_definitions(root, query, wanted)), not root.has_error)


@cache
def _grammar(ending: str) -> tuple[Parser, Query]:
    grammar = GRAMMARS[ending]
    language = Language(getattr(importlib.import_module(grammar.module), grammar.language)())
    return Parser(language), Query(language, grammar.query)


def _definitions(root: Node, query: Query, wanted: frozenset[str]) -> Iterator[SymbolDefinition]:
    found = {}
    for _, captures in QueryCursor(query).matches(root):
        for name in captures["n"]:
            found[name.start_byte, name.end_byte] = captures["d"][0], name, captures.get("o", [])
    around: list[tuple[int, str]] = []
    """What is open at a place: where it ends, and its name."""
    for node, name, owners in sorted(found.values(), key=lambda each: (each[0].start_byte, -each[0].end_byte)):
        while around and around[-1][0] <= node.start_byte:
            around.pop()
        last = _text(name)
        owned = [*(each for _, each in around[-_DEEPEST:]), *(_text(each) for each in owners), last]
        qualified = ".".join(_parts(owned))
        around.append((node.end_byte, last))
        body = _body(node) if last in wanted else None
        yield SymbolDefinition(qualified, body, any(child.type in _HERITAGE for child in node.children))


def _parts(names: Iterable[str]) -> Iterator[str]:
    before = ""
    for each in names:
        if each != before:  # `const Pool = class Pool`
            yield each
        before = each


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace").strip("\"'`:@$#").replace("::", ".")


def _body(node: Node) -> str | None:
    """A hash of the tokens of a definition; None of a plain value, and of what is not understood."""
    if node.has_error or (node.type in _SETS and not _has_body(node)):
        return None
    digest = hashlib.blake2b(digest_size=16)
    for token in _tokens(node):
        digest.update(token + b"\0")
    return digest.hexdigest()


def _has_body(node: Node) -> bool:
    return any(word in child.type for child in node.named_children for word in _BODIES)


def _tokens(node: Node) -> Iterator[bytes]:
    """The tokens below a node, without comments, quotes as one kind, and what formatters add and take away."""
    cursor = node.walk()
    is_down = True
    while True:
        here = cursor.node
        assert here is not None
        if is_down and "comment" not in here.type:
            if cursor.goto_first_child():
                continue
            text = here.text or b""
            if text not in _IGNORED:
                yield b'"' if text in _QUOTES else text
        if cursor.goto_next_sibling():
            is_down = True
        elif cursor.goto_parent():
            is_down = False
        else:
            return


if __name__ == "__main__":
    main()
