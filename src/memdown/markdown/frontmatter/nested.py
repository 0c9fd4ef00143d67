"""The nested reader: PyYAML's event stream, turned into the same model as the flat reader's.

Events, not nodes: composing recurses, so a few kilobytes of `[` would end the process, and it expands what
aliases mean. Structure and positions come from the events; no value is typed.
"""

from collections.abc import Iterator

import yaml
from msgspec import Struct, field

from memdown.markdown.frontmatter.characters import stand_ins
from memdown.markdown.frontmatter.model import (
    MAX_DEPTH,
    FrontMatterBlock,
    FrontMatterEntry,
    FrontMatterValue,
    Problem,
    duplicates,
)
from memdown.markdown.frontmatter.recover import recover, unread
from memdown.patterns import lazy
from memdown.text import Span, line_end, line_start

_LOADER = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader
_STYLES = {"'": "single", '"': "double", "|": "literal", ">": "folded"}
_HEADER = lazy(r"[|>][-+0-9]*")


def read_block(text: str, inner: Span) -> FrontMatterBlock:
    """All that can be read of these lines: at once, or entry by entry when that fails."""
    found = parse(text, inner)
    if isinstance(found, Problem):
        found = recover(text, inner, parse, found)
    return FrontMatterBlock(found.entries, (*found.problems, *unread(text, inner, found)))


def parse(text: str, span: Span) -> FrontMatterBlock | Problem:
    """The entries of these lines, or why they cannot be read as one YAML map, and where."""
    return _TreeBuilder(text, span).build()


class _Frame(Struct):
    """A list or a map whose end has not come yet."""

    start: int
    kind: str
    flow: bool
    items: list[FrontMatterValue] = field(default_factory=list)
    entries: list[FrontMatterEntry] = field(default_factory=list)
    key: FrontMatterValue | None = None


class _TreeBuilder:
    def __init__(self, text: str, span: Span) -> None:
        self.text = text
        self.base = span.start
        self.readable, self.back = stand_ins(span.of(text))
        self.stack: list[_Frame] = []
        self.problems: list[Problem] = []
        self.root: FrontMatterValue | None = None

    def build(self) -> FrontMatterBlock | Problem:
        try:
            for event in self._events():
                failure = self._take(event)
                if failure is not None:
                    return failure
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            at = self.base + (mark.index if mark else 0)
            return Problem("syntax", f"this is not YAML: {error.problem}", Span(at, at))
        if self.root is not None and self.root.style != "map":
            return Problem("syntax", "front matter must be lines of `key: value`", self.root.span)
        return FrontMatterBlock(self.root.entries if self.root else (), tuple(self.problems))

    def _events(self) -> Iterator[yaml.Event]:
        yield from yaml.parse(self.readable, Loader=_LOADER)

    def _take(self, event: yaml.Event) -> Problem | None:
        span = self._span(event)
        if isinstance(event, yaml.ScalarEvent):
            self._put(self._scalar(event, span))
        elif isinstance(event, yaml.CollectionStartEvent):
            if len(self.stack) == MAX_DEPTH:
                return Problem("too-deep", f"more than {MAX_DEPTH} lists and maps inside each other", span)
            kind = "list" if isinstance(event, yaml.SequenceStartEvent) else "map"
            self._properties(event, span)
            self.stack.append(_Frame(span.start, kind, bool(event.flow_style)))
        elif isinstance(event, yaml.CollectionEndEvent):
            self._put(self._close(self.stack.pop(), span))
        elif isinstance(event, yaml.AliasEvent):
            self.problems.append(Problem("alias", "an alias is kept as the text it is", span))
            self._put(FrontMatterValue(span, "raw", span.of(self.text)))
        elif isinstance(event, yaml.DocumentStartEvent | yaml.DocumentEndEvent) and event.explicit:
            return Problem("syntax", "a second YAML document begins or ends here", span)
        return None

    def _span(self, event: yaml.Event) -> Span:
        start, end = event.start_mark, event.end_mark
        return Span(self.base + (start.index if start else 0), self.base + (end.index if end else 0))

    def _scalar(self, event: yaml.ScalarEvent, span: Span) -> FrontMatterValue:
        style = _STYLES.get(event.style or "", "plain")
        if style in ("folded", "literal"):
            span = self._block_span(span)
        if self._properties(event, span):
            return FrontMatterValue(span, "raw", span.of(self.text))
        if span.start == span.end:
            return FrontMatterValue(span, "empty", "")
        text = event.value.translate(self.back) if self.back else event.value
        return FrontMatterValue(span, style, text)

    def _block_span(self, span: Span) -> Span:
        """Up to the last line that is not blank; only the header when all of them are."""
        raw = span.of(self.text).rstrip("\r\n \t")
        end = span.start + len(raw)
        if "\n" in raw or "\r" in raw:
            return Span(span.start, line_end(self.text, end))
        header = _HEADER.search(raw)
        return Span(span.start, span.start + header.end() if header else end)

    def _properties(self, event: yaml.ScalarEvent | yaml.CollectionStartEvent, span: Span) -> bool:
        if isinstance(event, yaml.CollectionStartEvent):
            span = Span(span.start, span.start + len(span.of(self.text).rstrip("\r\n \t")))
        if event.anchor is not None:
            self.problems.append(Problem("anchor", "an anchor is kept as the text it is", span))
        if event.tag is not None:
            self.problems.append(Problem("tag", "a tag is kept as the text it is", span))
        return event.anchor is not None or event.tag is not None

    def _close(self, frame: _Frame, span: Span) -> FrontMatterValue:
        entries = tuple(frame.entries)
        self.problems += duplicates(entries)
        style = {"list": "flow", "map": "flow-map"}[frame.kind] if frame.flow else frame.kind
        end = span.end
        if not frame.flow or span.start == span.end:
            # The event of a block's end lies where the next thing begins.
            last = frame.items[-1:] or [entry.value for entry in entries[-1:]]
            end = last[0].span.end if last else frame.start
        return FrontMatterValue(Span(frame.start, end), style, None, tuple(frame.items), entries)

    def _put(self, value: FrontMatterValue) -> None:
        frame = self.stack[-1] if self.stack else None
        if frame is None:
            self.root = value
        elif frame.kind == "list":
            frame.items.append(value)
        elif frame.key is None:
            frame.key = value
        else:
            frame.entries.append(self._entry(frame.key, value, frame.flow))
            frame.key = None

    def _entry(self, key: FrontMatterValue, value: FrontMatterValue, flow: bool) -> FrontMatterEntry:
        name = key.text
        if name is None:
            name = key.span.of(self.text)
            self.problems.append(Problem("syntax", "a key must be text, not a list or a map", key.span))
        if name == "<<" and key.style == "plain":
            self.problems.append(Problem("merge", "a merge key is not followed", key.span))
        if value.style == "empty" and self.text[value.span.start - 1] != ":":
            # `? key` and `{key}` have no colon; the event of their value lies where the next thing begins.
            value = FrontMatterValue(Span(key.span.end, key.span.end), "empty", "")
        start, end = key.span.start, value.span.end
        if len(self.stack) == 1:
            start = self._entry_start(start)
        return FrontMatterEntry(name, key.span, value, Span(start, end if flow else line_end(self.text, end)))

    def _entry_start(self, offset: int) -> int:
        """Where the line begins when something is written before this offset, as the `?` of a key."""
        start = line_start(self.text, offset)
        return start if self.text[start:offset].strip(" \t") else offset
