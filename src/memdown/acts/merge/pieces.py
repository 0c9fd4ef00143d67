"""A text as a tree of pieces that covers every character: sections, list items, tables and their rows, paragraphs.

A piece has its own lines (`head`), pieces below it, and what stands between its lines and the next ones (`gap`: line
ends, blank lines, and rules `---`). Nothing here knows a dialect: an entry of any log is a section, an item or a row.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import pairwise

from memdown.patterns import lazy

HEADING = lazy(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?[ \t]*#*[ \t]*\r?$")
ITEM = lazy(r"([ \t]*)([-*+]|\d{1,9}[.)])([ \t]+)(?:\[([ xX~/-])\][ \t]+)?")
_FENCE = lazy(r" {0,3}(`{3,}|~{3,})")
_RULE = lazy(r" {0,3}(?:-[ \t]*){3,}$|^ {0,3}(?:\*[ \t]*){3,}$|^ {0,3}(?:_[ \t]*){3,}$")
_FIELD = lazy(
    r"(?:\*\*([^*]{1,60}?):\*\*|\*\*([^*]{1,60})\*\*[ \t]*:|__([^_]{1,60}?):?__:?|[*_]{0,2}([A-Z][\w /-]{0,30}):)"
    r"(?=[ \t]|\r?$)"
)
_FRONT_KEY = lazy(r"([^\s#:][^:]*):(?=\s|$)")
_WORDS = lazy(r"[^\W_]+(?:[.:/-][^\W_]+)*")
DATE = lazy(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:?\d{2}(?::?\d{2})?)?")
_IDENTIFIER = lazy(r"\d{4}-\d{2}-\d{2}|\b[A-Z]{1,10}-?\d+\b|#\d+|\bv?\d+\.\d+(?:\.\d+)*\b")
_STATE = lazy(
    r"\([^()]*\)|\[[^\[\]]*\]|\b(?:completed?|done|in progress|pending|open|closed|active|wip)\b", re.IGNORECASE
)
_DONE_ON = lazy(
    r"(?:\b(?:completed?|done|finished|closed)\b:? ?)?(?:\b(?:on|at|since) )?"
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:?\d{2}(?::?\d{2})?)?|\b(?:completed?|done|finished|closed)\b"
)
"""The state of a task and its day, in words without capitals."""
_MARKUP = lazy(r"[*`]|(?<!\w)_+|_+(?!\w)")
_STAMPED = lazy(r"\s*(?:\W{0,3}\s?)?\[?\d{4}-\d{2}-\d{2}|\s*[\u2190-\u2bff\U0001f000-\U0001ffff]")
"""The beginning of a line that is an entry by itself, in whatever paragraph it stands."""
_HEADINGS = lazy(r"^ {0,3}#{1,6}(?=[ \t])", re.MULTILINE)
_NAMES = ("root", "title", "section")
SAME = 0.6
"""How many words two texts share at least that may be two wordings of one."""
END = "\0end"
"""The key of the line that closes front matter."""


class MergePiece:
    """One part of a text; `head` has no line end behind its last line."""

    __slots__ = ("at", "children", "gap", "head", "key", "kind", "level", "line", "loose", "match", "parent", "whole")

    def __init__(self, kind: str, head: str, level: int = 0, name: str = "") -> None:
        self.kind = kind
        self.head = head
        self.level = level
        self.gap = ""
        self.children: list[MergePiece] = []
        self.parent: MergePiece | None = None
        self.at = 0
        """Its place among all pieces of its text."""
        self.line = 0
        """The number of its first line."""
        self.key = name or normal(head)
        """What it is known by."""
        self.loose = _loose(self)
        """What it is known by when its wording changed; empty where nothing is."""
        self.whole = 0
        """The same number for pieces that are the same with all below them."""
        self.match: object = None

    def all(self) -> "list[MergePiece]":
        """It and everything below, in the order of the text."""
        found, waiting = [], [self]
        while waiting:
            piece = waiting.pop()
            found.append(piece)
            waiting += reversed(piece.children)
        return found

    def sibling(self, step: int) -> "MergePiece | None":
        """The piece so many places behind it, or before it, below the same one."""
        siblings = self.parent.children if self.parent else []
        place = bisect_left(siblings, self.at, key=lambda each: each.at) + step
        return siblings[place] if 0 <= place < len(siblings) else None

    @property
    def date(self) -> str:
        """The first time in its lines; empty where there is none."""
        found = DATE.search(self.head)
        return found[0].replace("T", " ") if found else ""


def normal(text: str) -> str:
    """The words of a text without what only marks them up: emphasis, white space, the state of a check box."""
    marker = ITEM.match(text)
    bare = text[marker.end() :] if marker else text
    return " ".join(_MARKUP.sub("", bare).split()).strip("# ").casefold()


def tasks_once(lines: Iterable[str]) -> set[str]:
    """What the tasks are known by, those with a check box, that stand once among the items of a list."""
    found: dict[str, int] = {}
    tasks = set()
    for line in lines:
        marker = ITEM.match(line)
        if marker is not None:
            key = normal(line)
            found[key] = found.get(key, 0) + 1
            if marker[4] is not None:
                tasks.add(key)
    return {key for key in tasks if key and found[key] == 1}


def unstamped(text: str) -> str:
    """The words of a task, without its state and the day on which it was done."""
    return " ".join(words(_DONE_ON.sub(" ", text)))


def words(text: str) -> list[str]:
    return _WORDS.findall(text.casefold())


def identifiers(text: str) -> set[str]:
    """What tells one thing from another of the same wording: days, numbers of tasks, versions."""
    return set(_IDENTIFIER.findall(text))


def field(line: str) -> str:
    """The name of a line `**Name**: value`; empty where it is none."""
    marker = ITEM.match(line)
    found = _FIELD.match(line, marker.end() if marker else len(line) - len(line.lstrip(" \t")))
    return normal(next(filter(None, found.groups()))) if found else ""


def is_label(line: str) -> bool:
    """Whether a field has no value on its line: what belongs to it stands below."""
    return line.rstrip().rstrip("*_").endswith(":")


def cells(row: str) -> list[str]:
    """The values of one line of a table."""
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def closing(kind: str, head: str) -> str:
    """The line that a code block or a comment lacks, which so holds the rest of its text; empty for none."""
    if kind == "comment" and "-->" not in head:
        return "-->"
    first, _, rest = head.partition("\n")
    return _mark(first) if kind == "fence" and not _closes(first, rest.rpartition("\n")[2]) else ""


def _closes(first: str, line: str) -> bool:
    mark, line = _mark(first), line.strip()
    return line.startswith(mark) and not line.strip(mark[0])


def _mark(first: str) -> str:
    opened = first.lstrip()
    return opened[: len(opened) - len(opened.lstrip(opened[0]))]


def _loose(piece: MergePiece) -> str:
    if piece.kind == "section" and "\n" not in piece.head:
        days = " ".join(sorted(identifiers(piece.head)))
        title = " ".join(each for each in words(_STATE.sub(" ", piece.key)) if not each.isdecimal())
        return f"{piece.level}:{title}:{days}" if title or days else ""
    if piece.kind in ("item", "line"):
        return field(piece.head.partition("\n")[0])
    if piece.kind == "fence":  # the only diagram, the only program of its language below one heading
        return piece.head.partition("\n")[0].strip().lstrip("`~")
    return ""


def read(*texts: str) -> list[MergePiece]:
    """The trees of texts, whose line ends are LF. A title that each has once at most, and first, holds no sections."""
    same = _common([[chunk for _, chunk in _sections(text)] for text in texts])
    found = [_PieceReader(text, same, with_title=True).read() for text in texts]
    if all(_has_one_title(each) for each in found) and not _are_others(found):
        return found
    return [_PieceReader(text, same, with_title=False).read() for text in texts]


def _sections(text: str) -> list[tuple[int, str]]:
    """Where each line stands that looks like a heading, and all up to the next."""
    starts = [found.start() for found in _HEADINGS.finditer(text)]
    return [(start, text[start:end]) for start, end in zip(starts, [*starts[1:], len(text)], strict=False)]


def _common(texts: list[list[str]]) -> dict[str, int]:
    """Sections that all texts have once, with the number of lines that are in all: nothing is to be merged there.

    What may hold a heading that is none, in a fence or a comment, is left out. In a row of sections, none is above the
    first, and the one behind the row is on its level, so that a row has its place in the tree as one section has.
    """
    once = set.intersection(*({chunk for chunk, count in counts(chunks).items() if count == 1} for chunks in texts))
    once = {
        chunk for chunk in once if not any(mark in chunk for mark in ("```", "~~~", "<!--")) and chunk.endswith("\n")
    }
    following = [dict(pairwise(chunks)) for chunks in texts]
    found: dict[str, int] = {}
    run: list[str] = []
    for chunk in [*texts[0], ""]:
        if run and chunk in once and all(each.get(run[-1]) == chunk for each in following):
            run.append(chunk)
            continue
        for row in _rows(run):
            found[row[-1]] = 0
            if len(row) > 1:
                found[row[0]] = sum(each.count("\n") for each in row[:-1])
        run = [chunk] if chunk in once else []
    return found


def _rows(run: list[str]) -> Iterator[list[str]]:
    """Sections that follow each other, in rows: none is above the first of its row, and the last is on its level."""
    levels = [_level(each) for each in run]
    start = 0
    while start < len(run):
        end = last = start
        while end < len(run) and levels[end] >= levels[start]:
            last = end if levels[end] == levels[start] else last
            end += 1
        yield run[start : last + 1]
        start = last + 1


def counts(chunks: list[str]) -> dict[str, int]:
    """How often each text is in a list."""
    found: dict[str, int] = {}
    for chunk in chunks:
        found[chunk] = found.get(chunk, 0) + 1
    return found


def _level(chunk: str) -> int:
    bare = chunk.lstrip(" ")
    return len(bare) - len(bare.lstrip("#"))


def _are_others(roots: list[MergePiece]) -> bool:
    """Whether two files that were made under one name have titles that say they are not the same."""
    before, *titles = [[each for each in root.children if each.kind == "title"][:1] for root in roots]
    if before or len(titles) != 2 or not all(titles):
        return False
    mine, others = ({each.key for each in root.all() if each.kind not in _NAMES} for root in roots[1:])
    one, other = (each[0].key for each in titles)
    return not alike(one, other) or (one != other and bool(mine and others) and mine.isdisjoint(others))


def alike(one: str, other: str) -> bool:
    """Whether two titles may stand for one thing: half the words of the shorter are in the longer."""
    mine, others = set(words(one)), set(words(other))
    return 2 * len(mine & others) >= min(len(mine), len(others))


def same_title(one: str, other: str) -> bool:
    """Whether two titles have nearly the same words."""
    mine, others = set(words(one)), set(words(other))
    return len(mine & others) >= SAME * len(mine | others)


def _has_one_title(root: MergePiece) -> bool:
    places = [number for number, each in enumerate(root.children) if each.kind in ("title", "section")]
    titles = [number for number in places if root.children[number].kind == "title"]
    return not titles or titles == places[:1]


class _PieceReader:
    def __init__(self, text: str, same: dict[str, int], *, with_title: bool) -> None:
        self.with_title = with_title
        self.same: dict[int, tuple[int, int]] = {}
        """Lines that begin a section which all texts have: how many lines it has, and how many a row of such."""
        line = last = 0
        for start, chunk in _sections(text):
            if chunk in same:
                line, last = line + text.count("\n", last, start), start
                self.same[line] = chunk.count("\n"), same[chunk]
        self.lines = text.split("\n")
        self.at = 0
        self.root = MergePiece("root", "")
        self.open = [self.root]
        """The sections and items that the next line may belong to, outermost first."""
        self.last = self.root
        self.gap_end = -1

    def read(self) -> MergePiece:
        lines = self.lines
        self._front()
        self._gap()
        while self.at < len(lines):
            self._block()
            self._gap()
        pieces = self.root.all()
        for number in reversed(range(len(pieces))):
            piece = pieces[number]
            piece.at = number
            piece.whole = hash((piece.head, *(each.whole for each in piece.children)))
        line = 0
        for piece in pieces:
            piece.line = line
            line += piece.head.count("\n") + piece.gap.count("\n")
        return self.root

    def _gap(self) -> None:
        """What follows the last lines up to the next: the end of their line, blank lines and rules."""
        start = self.at
        if start == self.gap_end:
            return
        while self.at < len(self.lines):
            line = self.lines[self.at]
            after_blank = self.at > start or self.last.kind in ("section", "title", "root")
            if line.strip() and not (after_blank and _RULE.match(line)):
                break
            self.at += 1
        gap = "\n".join(self.lines[start : self.at])
        self.gap_end = self.at
        first = self.last is self.root
        ends = self.at >= len(self.lines)
        if first:
            self.last.gap = gap + ("" if ends or self.at == start else "\n")
        elif ends and self.at == start:
            self.last.gap = ""
        else:
            self.last.gap = "\n" + gap + ("" if ends or self.at == start else "\n")

    def _add(self, piece: MergePiece, parent: MergePiece) -> None:
        piece.parent = parent
        parent.children.append(piece)
        self.last = piece

    def _take(self, count: int) -> str:
        self.at += count
        return "\n".join(self.lines[self.at - count : self.at])

    def _front(self) -> None:
        lines = self.lines
        if lines[0].rstrip() != "---":
            return
        end = next((n for n in range(1, len(lines)) if lines[n].rstrip() in ("---", "...")), 0)
        if not end:
            return
        front = MergePiece("front", self._take(1), name="front matter")
        self._add(front, self.root)
        front.gap = "\n"
        while self.at < end:
            count, name = 1, _FRONT_KEY.match(lines[self.at])
            while self.at + count < end and not _FRONT_KEY.match(lines[self.at + count]):
                count += 1
            piece = MergePiece("key", self._take(count), name=name[1].strip() if name else "")
            self._add(piece, front)
            piece.gap = "\n"
        self._add(MergePiece("end", self._take(1), name=END), front)

    def _block(self) -> None:
        line = self.lines[self.at]
        if heading := HEADING.match(line):
            level = len(heading[1])
            while self.open[-1].kind != "root" and not (
                self.open[-1].kind == "section" and self.open[-1].level < level
            ):
                self.open.pop()
            if level == 1 and self.with_title:
                self._add(MergePiece("title", self._take(1), 1), self.root)
                return
            start = self.at
            count, row = self.same.get(start, (0, 0))
            if row:
                self._known("section", row, level)
                return
            section = MergePiece("section", self._take(1), level)
            self._add(section, self.open[-1])
            self.open.append(section)
            if count:
                self._gap()
                self._known("block", start + count - self.at)
            return
        indent = len(line) - len(line.lstrip(" \t"))
        if marker := ITEM.match(line):
            indent = len(marker[1])
            while self.open[-1].kind == "item" and self.open[-1].level >= indent:
                self.open.pop()
            item = MergePiece("item", self._take(self._item_lines(indent)), indent)
            self._add(item, self.open[-1])
            self.open.append(item)
            return
        while self.open[-1].kind == "item" and self.open[-1].level >= indent:
            self.open.pop()
        parent = self.open[-1]
        if line.lstrip().startswith("|"):
            self._table(parent)
        elif _FENCE.match(line.lstrip()):
            self._add(MergePiece("fence", self._take(self._fence_lines())), parent)
        elif line.lstrip().startswith("<!--"):
            self._add(MergePiece("comment", self._take(self._comment_lines())), parent)
        elif field(line):
            self._add(MergePiece("line", self._take(1)), parent)
        else:
            self._add(MergePiece("paragraph", self._take(self._paragraph_lines())), parent)

    def _known(self, kind: str, count: int, level: int = 0) -> None:
        """Lines that all texts have, as one piece."""
        end = self.at + count
        while end > self.at and (not self.lines[end - 1].strip() or _RULE.match(self.lines[end - 1])):
            end -= 1
        if end > self.at:
            text = self._take(end - self.at)
            self._add(MergePiece(kind, text, level, name=text), self.open[-1])

    def _begins(self, at: int) -> bool:
        """Whether a line begins a block of its own."""
        line = self.lines[at]
        bare = line.lstrip()
        return not bare or bare.startswith(("|", "<!--", "```", "~~~")) or bool(HEADING.match(line) or ITEM.match(line))

    def _item_lines(self, indent: int) -> int:
        count = 1
        while self.at + count < len(self.lines) and not self._begins(self.at + count):
            line = self.lines[self.at + count]
            if len(line) - len(line.lstrip(" \t")) <= indent or field(line):
                break
            count += 1
        return count

    def _paragraph_lines(self) -> int:
        count = 1
        while self.at + count < len(self.lines) and not self._begins(self.at + count):
            if field(self.lines[self.at + count]) or _STAMPED.match(self.lines[self.at + count]):
                break
            count += 1
        return count

    def _fence_lines(self) -> int:
        opened = self.lines[self.at]
        for count in range(1, len(self.lines) - self.at):
            if _closes(opened, self.lines[self.at + count]):
                return count + 1
        return self._trimmed(len(self.lines) - self.at)

    def _comment_lines(self) -> int:
        for count in range(len(self.lines) - self.at):
            if "-->" in self.lines[self.at + count]:
                return count + 1
        return self._trimmed(len(self.lines) - self.at)

    def _trimmed(self, count: int) -> int:
        """Without blank lines at the end of the text, which are no part of a block that nothing closes."""
        while count > 1 and not self.lines[self.at + count - 1].strip():
            count -= 1
        return count

    def _table(self, parent: MergePiece) -> None:
        lines = self.lines
        is_head = (
            self.at + 1 < len(lines)
            and set(lines[self.at + 1].strip()) <= set("|:- \t\r")
            and "-" in lines[self.at + 1]
        )
        if is_head:
            table = MergePiece("table", self._take(2), name=normal(lines[self.at - 2]))
            self._add(table, parent)
            table.gap = "\n"
        else:
            table = parent
        while self.at < len(lines) and lines[self.at].lstrip().startswith("|"):
            values = cells(lines[self.at])
            row = MergePiece("row", self._take(1), name=normal(values[0]) or normal(" ".join(values)))
            self._add(row, table)
            row.gap = "\n"
