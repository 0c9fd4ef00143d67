"""The inside of a canonical entry: its fields, and how text that looks like structure is escaped."""

import re

from msgspec import Struct, structs

from memdown.dialects.sem import grammar
from memdown.dialects.sem.split import closed_by
from memdown.patterns import lazy
from memdown.text import Span

_LINES = lazy(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_FENCE = lazy(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)", re.DOTALL)
_TERMINATOR = lazy(r" {0,3}---[ \t]*")
_DATED_HEADING = lazy(rf" {{0,3}}#{{1,4}}[ \t][^\r\n]*?{grammar.STAMP.pattern}", re.ASCII)
_ESCAPED = lazy(r"( {0,3})\\(\\*)(.*)", re.DOTALL)
_ANY_LABEL = lazy(r"\*\*([A-Za-z][\w -]{0,40}):\*\*[ \t]*([^\r\n]*)")
OLD_NAMES = {
    **dict.fromkeys(("authors", "by", "decided by", "proposed by", "agent", "decider", "deciders", "owner"), "author"),
    "what": "details",
    "why": "rationale",
}
"""Labels of older entries that stand for a field, at the head of an entry that has no such field."""
_OLD_HEAD = frozenset((*OLD_NAMES, "date", "status", "requested by"))
_MARKED_LABEL = lazy(
    rf"(?:[-*+][ \t]+)?\*\*({'|'.join(sorted({*grammar.FIELDS, *_OLD_HEAD}, key=len, reverse=True))})[ \t]*"
    r"(?::[ \t]*\*\*|\*\*[ \t]*:)[ \t]*([^\r\n]*)",
    re.IGNORECASE,
)
"""Such a label in a bullet, or with its colon outside of the bold type."""


class EntryField(Struct, frozen=True):
    """One field of an entry and where it stands."""

    name: str
    """The known name; for other labels of the head, as written."""
    value: str
    span: Span
    """From its label to the end of its value."""
    value_span: Span
    """The value on the label's own line."""
    spelled: str
    """The name as it is written, …"""
    label: Span
    """… and where."""


class Inside(Struct, frozen=True):
    """What stands under the heading of an entry."""

    fields: tuple[EntryField, ...]
    loose: tuple[Span, ...]
    """Stretches of text that stand under no label, which are taken as details."""
    terminator: Span | None
    """The line that ends the entry."""
    dashes: tuple[Span, ...]
    """Lines of three dashes that do not end it."""
    fence: Span | None
    """A fence in it that is never closed."""

    def get(self, name: str) -> EntryField | None:
        return next((field for field in self.fields if field.name == name), None)


class _Line(Struct, frozen=True, gc=False):
    start: int
    end: int
    text: str
    code: bool
    """Whether it is inside a fence, or the fence itself."""


def inside(text: str, start: int, end: int) -> Inside:
    """The fields of an entry whose text lies between two offsets."""
    lines, fence = _lines(text, start, end)
    dashes = [number for number, line in enumerate(lines) if not line.code and _TERMINATOR.fullmatch(line.text)]
    places = [Span(lines[number].start, lines[number].end) for number in dashes]
    # Only dashes with nothing but blank lines after them end the entry.
    is_ended = bool(dashes) and not any(line.text.strip(" \t") for line in lines[dashes[-1] + 1 :])
    terminator = places.pop() if is_ended else None
    fields, loose = _fields(lines[: dashes[-1]] if is_ended else lines)
    own = {field.name for field in fields if field.spelled.lower() == field.name}
    fields = [
        structs.replace(field, name=field.spelled)
        if field.name in own and field.spelled.lower() in OLD_NAMES
        else field
        for field in fields
    ]
    return Inside(tuple(fields), loose, terminator, tuple(places), fence)


def _lines(text: str, start: int, end: int) -> tuple[list[_Line], Span | None]:
    raw = [match for match in _LINES.finditer(text, start, end) if match.end() > match.start()]
    bare = [match.group().rstrip("\r\n") for match in raw]
    code = fenced(bare)
    lines = [
        _Line(match.start(), match.start() + len(line), line, is_code)
        for match, line, is_code in zip(raw, bare, code, strict=True)
    ]
    opener = next((line for line in lines if not line.code and _FENCE.fullmatch(line.text)), None)
    return lines, Span(opener.start, opener.end) if opener else None


def fenced(lines: list[str]) -> list[bool]:
    """Which lines are in closed fences, the fences included. A fence that is never closed is text."""
    code = [False] * len(lines)
    fences = [(number, match) for number, line in enumerate(lines) if (match := _FENCE.fullmatch(line))]
    for opener, closer in closed_by([(match[1], match[2]) for _, match in fences]).items():
        if closer is not None:
            first, last = fences[opener][0], fences[closer][0]
            code[first : last + 1] = [True] * (last + 1 - first)
    return code


def _fields(lines: list[_Line]) -> tuple[list[EntryField], tuple[Span, ...]]:
    fields: list[EntryField] = []
    loose: list[list[_Line]] = [[]]
    number, in_head = 0, True
    while number < len(lines):
        line = lines[number]
        match = None if line.code else _label(line.text, in_head=in_head)
        number += 1
        if match is None:
            is_dashes = not line.code and _TERMINATOR.fullmatch(line.text) is not None
            if line.text.strip(" \t") and not (is_dashes and not loose[-1]):
                in_head = False
                loose[-1].append(line)
            continue
        if loose[-1]:
            loose.append([])
        spelled = match[1].lower()
        name = spelled if spelled in grammar.FIELDS else OLD_NAMES.get(spelled, match[1])
        block = []
        if name not in grammar.LINE_FIELDS and name in grammar.FIELDS:
            in_head = in_head and (name == "summary" or spelled in OLD_NAMES)
            while number < len(lines) and (lines[number].code or not _ends(lines[number].text, name, old=in_head)):
                block.append(lines[number])
                number += 1
        fields.append(_field(name, match, line, block))
    return fields, tuple(Span(run[0].start, run[-1].end) for run in loose if run)


def _ends(text: str, name: str, *, old: bool) -> bool:
    """Whether a line ends the text of a field; what follows dashes is in the details, whatever stands above them."""
    if name == "summary":
        return not text.strip(" \t") or grammar.FIELD.fullmatch(text) is not None
    if name != "details" and _TERMINATOR.fullmatch(text):
        return True
    label = _label(text, in_head=old)
    return label is not None and (label[1] in grammar.FIELDS or label[1].lower() in _OLD_HEAD)


def _label(text: str, *, in_head: bool) -> re.Match[str] | None:
    """A known field; at the head of an entry any bold label, in any case, and those of entries in any form."""
    if not in_head:
        return grammar.FIELD.fullmatch(text)
    return grammar.FIELD.fullmatch(text) or _MARKED_LABEL.fullmatch(text) or _ANY_LABEL.fullmatch(text)


def _field(name: str, match: re.Match[str], line: _Line, block: list[_Line]) -> EntryField:
    while block and not block[-1].text.strip(" \t"):
        block.pop()
    value = match[2].strip(" \t")
    if block:
        value = joined([value, *(each.text if each.code else unescaped(each.text) for each in block)])
    end = block[-1].end if block else line.end
    at = line.start + match.start(2)
    value_span = Span(at, at + len(match[2].rstrip(" \t")))
    label = Span(line.start + match.start(1), line.start + match.end(1))
    return EntryField(name, value, Span(line.start, end), value_span, match[1], label)


def joined(lines: list[str]) -> str:
    """Lines as one text, without blank ones around it."""
    return "\n".join(lines).strip("\n \t")


def body_of(text: str, span: Span) -> str:
    """Text under no label, unescaped."""
    lines, _ = _lines(text, span.start, span.end)
    return joined([line.text if line.code else unescaped(line.text) for line in lines])


def escaped(text: str) -> str:
    """Text for the inside of an entry: lines that would read as structure get a backslash."""
    lines = text.split("\n")
    code = fenced(lines)
    return "\n".join(
        line if is_code or not _needs_escape(line) else _with_backslash(line)
        for line, is_code in zip(lines, code, strict=True)
    )


def unescaped(line: str) -> str:
    match = _ESCAPED.fullmatch(line)
    return f"{match[1]}{match[2]}{match[3]}" if match and _is_structure(match[1] + match[3]) else line


def _needs_escape(line: str) -> bool:
    match = _ESCAPED.fullmatch(line)
    return _is_structure(match[1] + match[3] if match else line)


def _with_backslash(line: str) -> str:
    bare = line.lstrip(" ")
    indent = line[: len(line) - len(bare)]
    return f"{indent}\\{bare}"


def _is_structure(line: str) -> bool:
    return bool(
        grammar.FIELD.fullmatch(line)
        or _TERMINATOR.fullmatch(line)
        or _DATED_HEADING.match(line)
        or _FENCE.fullmatch(line)
    )
