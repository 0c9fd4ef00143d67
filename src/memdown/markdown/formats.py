"""Data in the files of other tools: JSON, TOML, YAML and XML, read with bounds and never trusted.

Each reader gives plain values, or raises `Unread` with the reason. Nothing is expanded, resolved or executed: YAML
scalars stay the text they are, aliases share a value, and XML with a document type is refused.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from memdown.errors import fault_of
from memdown.lazy import LazyModule
from memdown.patterns import lazy

if TYPE_CHECKING:
    import json
    import tomllib
    from xml.etree import ElementTree

    import yaml
else:  # most projects need none of them
    json, tomllib = LazyModule("json"), LazyModule("tomllib")
    ElementTree, yaml = LazyModule("xml.etree.ElementTree"), LazyModule("yaml")

DEEPEST = 64
"""Lists and maps inside each other that are read at all."""

MOST_DOTS = 100
"""Dots of one dotted key."""

Plain = str | int | float | bool | list["Plain"] | dict[str, "Plain"] | None
_KEY_ENDS = lazy(r"[={},\n]")


class Unread(Exception):
    """The text is not what its name says, or more than is read."""


class Element(Struct):
    """An element of XML by its local name: namespaces are left out, as manifests use one or none."""

    name: str
    attributes: dict[str, str]
    children: list["Element"]
    text: str = ""

    def all(self, *path: str) -> Iterator["Element"]:
        """The elements at the end of a path of names, in order."""
        found = [self]
        for name in path:
            found = [child for each in found for child in each.children if child.name == name]
        return iter(found)

    def value(self, *path: str) -> str:
        """The text of the first element there, without white space around it."""
        first = next(self.all(*path), None)
        return first.text.strip() if first else ""

    def every(self, name: str) -> Iterator["Element"]:
        """All elements of a name, however deep, in order."""
        pending = [self]
        while pending:
            element = pending.pop()
            if element.name == name:
                yield element
            pending += reversed(element.children)


def read_json(text: str) -> Plain:
    try:
        value: Plain = json.loads(text, parse_int=_number)
    except RecursionError:
        raise Unread("it is nested too deep") from None
    except ValueError as error:
        raise Unread(f"it is not JSON ({error})") from None
    return value


def read_toml(text: str) -> Plain:
    # The parser's time grows with the square of the dots in one key.
    if any(part.count(".") > MOST_DOTS for part in _KEY_ENDS.split(text)):
        raise Unread("it is nested too deep")
    try:
        value: Plain = tomllib.loads(text.replace("\r\n", "\n"))
    except RecursionError:
        raise Unread("it is nested too deep") from None
    except ValueError as error:  # a fault of TOML, or a number of thousands of digits
        raise Unread(f"it is not TOML ({error})") from None
    return value


def read_yaml(text: str) -> Plain:
    """The first document, its scalars as text."""
    try:
        return _XmlBuilder().build(yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise Unread(f"it is not YAML ({' '.join(fault_of(error).split())[:120]})") from None


def read_xml(text: str) -> Element:
    builder = _Elements()
    parser = ElementTree.XMLParser(target=builder)
    try:
        parser.feed(text)
        parser.close()
    except (ElementTree.ParseError, ValueError) as error:
        raise Unread(f"it is not XML ({error})") from None
    if builder.root is None:
        raise Unread("it has no element")
    return builder.root


def table(value: Plain, *path: str) -> dict[str, Plain]:
    """The map at the end of a path of keys; empty when there is none."""
    found = at(value, *path)
    return found if isinstance(found, dict) else {}


def items(value: Plain, *path: str) -> list[Plain]:
    """The list at the end of a path of keys; empty when there is none."""
    found = at(value, *path)
    return found if isinstance(found, list) else []


def word(value: Plain, *path: str) -> str:
    """The text at the end of a path of keys; empty when there is none."""
    found = at(value, *path)
    return found.strip() if isinstance(found, str) else ""


def words(value: Plain, *path: str) -> list[str]:
    """The texts of the list there, or the one text."""
    found = at(value, *path)
    if isinstance(found, str):
        return [found.strip()]
    return [each.strip() for each in found if isinstance(each, str)] if isinstance(found, list) else []


def at(value: Plain, *path: str) -> Plain:
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def _number(digits: str) -> int | str:
    return int(digits) if len(digits) < 20 else digits


class _XmlBuilder:
    """Values out of the events of YAML, without recursion: depth is counted, aliases share what they name."""

    def __init__(self) -> None:
        self._open: list[tuple[list[Plain], str | None]] = []
        self._anchors: dict[str, Plain] = {}
        self._done: Plain = None

    def build(self, events: "Iterator[yaml.Event]") -> Plain:
        for event in events:
            if isinstance(event, yaml.DocumentEndEvent):
                break
            if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                self._open.append(([], event.anchor))
                if len(self._open) > DEEPEST:
                    raise Unread("it is nested too deep")
            elif isinstance(event, yaml.ScalarEvent):
                self._put(event.value, event.anchor)
            elif isinstance(event, yaml.AliasEvent):
                self._put(self._anchors.get(event.anchor or ""), None)
            elif isinstance(event, yaml.SequenceEndEvent):
                values, anchor = self._open.pop()
                self._put(values, anchor)
            elif isinstance(event, yaml.MappingEndEvent):
                values, anchor = self._open.pop()
                self._put(_mapping(values), anchor)
        return self._done

    def _put(self, value: Plain, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = value
        if self._open:
            self._open[-1][0].append(value)
        else:
            self._done = value


def _mapping(values: list[Plain]) -> dict[str, Plain]:
    found: dict[str, Plain] = {}
    merged: dict[str, Plain] = {}
    for key, value in zip(values[::2], values[1::2], strict=False):
        if key == "<<":
            for each in value if isinstance(value, list) else [value]:
                merged |= each if isinstance(each, dict) else {}
        elif isinstance(key, str):
            found[key] = value
    return merged | found


class _Elements:
    """Builds elements; a document type, where entities are declared, ends it."""

    def __init__(self) -> None:
        self.root: Element | None = None
        self._open: list[Element] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        element = Element(_local(tag), {_local(key): value for key, value in attributes.items()}, [])
        if len(self._open) >= DEEPEST:
            raise Unread("it is nested too deep")
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.root = element
        self._open.append(element)

    def end(self, _: str) -> None:
        self._open.pop()

    def data(self, text: str) -> None:
        if self._open:
            self._open[-1].text += text

    def doctype(self, *_: str | None) -> None:
        raise Unread("it has a document type, which manifests do not need")

    def close(self) -> None:
        """Asked for at the end; what was built is `root`."""


def _local(name: str) -> str:
    return name.rpartition("}")[2]
