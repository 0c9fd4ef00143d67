"""Merging three texts of a memory file: what either side added or changed is in the result, what one took out is not.

Pure: three texts in, one text and a report out. A text is a tree of pieces (`pieces`), the same piece is found in all
three (`pairing`), and each is decided by itself: whether it stays, where it stands, what it says (`leaves`). What it
cannot decide is kept twice, side by side, with a comment that `check` reports. `proof` looks at the result once more.
"""

from bisect import bisect_right

from memdown.acts.merge.apart import settled
from memdown.acts.merge.comments import BOTH, LINES, comment_of, is_told, values_told
from memdown.acts.merge.contained import adds_nothing, is_contained, written_lines
from memdown.acts.merge.leaves import in_lines, merge_key, merge_lines, union
from memdown.acts.merge.order import is_below, list_number, ordered
from memdown.acts.merge.pairing import PieceMatch, matched
from memdown.acts.merge.pieces import DATE, ITEM, MergePiece, closing, is_label, normal, read, words
from memdown.acts.merge.proof import missing
from memdown.acts.merge.renumber import renumber
from memdown.acts.merge.written import MergedChunk, written
from memdown.markdown.merge_comments import NEWER, OTHER
from memdown.patterns import lazy

BOM = "\ufeff"
_SHORT = 15
"""Words of a value that the newer one replaces without a question."""
_STAMPS = lazy(
    r"(?:last[ _-])?(?:updated|modified|edited|reviewed|checked|verified|touched|changed|synced|generated|seen|active)"
    r"(?:[ _-](?:at|on|by|date|time))?|last[ _-](?:update|change|edit|review|sync|session)|date|time|timestamp"
)
"""Names of fields that only say when a file was touched: of two, the newer one is true."""
_RECORD = frozenset(
    "author by consequences context created date decided decision expires id priority rationale reason requested scope"
    " status summary supersedes timestamp type what who why".split()
) | {"decided by", "requested by"}
"""Names of fields that the records of a log have."""
_FIELDS = 2
"""How many of them make a section a record; one does where the heading has its day."""
_LONG = 12
"""Characters of a line that is known again in a text which nothing ends."""
_YAML = "    "
"""Before a comment in front matter, so that nobody takes it for a heading."""


class Merged:
    """What became of three texts."""

    __slots__ = ("notes", "questions", "settled", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.questions: list[str] = []
        """What was kept twice."""
        self.notes: list[str] = []
        """What was decided, and somebody might want to know."""
        self.settled: set[str] = set()
        """Texts of either side that gave way to another."""


def merge(base: str, ours: str, theirs: str) -> Merged:
    """One text with what both sides did since the base."""
    if ours == theirs or theirs == base:
        return Merged(ours)
    if ours == base:
        return Merged(theirs)
    before, mine, others = (plain(each) for each in (base, ours, theirs))
    ranks = _rank(before, mine), _rank(before, others)
    is_turned = ranks[1] > ranks[0] or (ranks[0] == ranks[1] and others < mine)
    if is_turned:  # whichever side is called ours, the same decides
        mine, others, ours, theirs = others, mine, theirs, ours
    mine, others, numbered = renumber(before, mine, others)
    merged = _merged(before, mine, others, is_turned=is_turned)
    merged.notes[:0] = numbered
    for whole, part in ((mine, others), (others, mine)):
        if (
            merged.text not in (mine, others)
            and (adds_nothing(before, whole, part, merged.text) or is_contained(before, whole, part))
            and written_lines(merged.text) not in map(written_lines, (mine, others))
        ):
            merged.text = whole
            merged.questions.clear()
            break
    if lost := missing(before, mine, others, merged.text, merged.settled):
        merged = Merged(f"{in_lines(before, mine, others)}")
        merged.questions.append(f"merged by line, since this was not to be lost: {lost[0][:200]}")
    merged.text = dressed(merged.text, base, ours, theirs)
    return merged


def _merged(base: str, newer: str, older: str, *, is_turned: bool) -> Merged:
    before, mine, others = settled(base, newer, older)
    return Merged(mine) if mine == others else _Merge(before, mine, others, is_turned=is_turned).merged()


def _rank(base: str, side: str) -> tuple[str, int]:
    """What the newer state has more of: the latest day that is new in it, else more text."""
    known = set(base.split("\n"))
    new = "\n".join(line for line in side.split("\n") if line not in known)
    days = sorted(set(DATE.findall(new)), reverse=True)
    return next((day for day in days if day not in base), ""), len(new)


def _eol(text: str) -> str:
    """The line ending that all lines of a text have; empty where they differ, or there is none."""
    lines, pairs, returns = text.count("\n"), text.count("\r\n"), text.count("\r")
    if lines == pairs == returns:
        return "\r\n" if lines else ""
    return "\n" if not returns else ("\r" if not lines else "")


def plain(text: str) -> str:
    """The text with LF for its line ends, and without a byte order mark."""
    eol = _eol(text)
    return text.removeprefix(BOM).replace(eol, "\n") if eol else text.removeprefix(BOM)


def dressed(text: str, base: str, ours: str, theirs: str) -> str:
    """The text with the line ends and the byte order mark that the sides want."""
    eols = [_eol(each) for each in (base, ours, theirs)]
    eol = eols[2] if eols[1] in (eols[0], "") and eols[2] else eols[1]
    if eol in ("\r\n", "\r"):
        text = text.replace("\r\n", "\n").replace("\n", eol)
    marks = [each.startswith(BOM) for each in (base, ours, theirs)]
    return BOM + text if (marks[2] if marks[1] == marks[0] else marks[1]) else text


class _Merge:
    """Of two that say something else, ours is the newer one; `is_turned` where a person calls it theirs."""

    def __init__(self, base: str, ours: str, theirs: str, *, is_turned: bool) -> None:
        self.is_turned = is_turned
        roots = read(base, ours, theirs)
        self.order = [each.all() for each in roots]
        """The pieces of each text, in its order."""
        self.report = Merged("")
        self.told = [values_told(each) for each in self.order[1:]]
        """What the comments of earlier merges in ours and in theirs say that another side had."""
        self.matches = matched(*roots)
        self.below: dict[int, list[PieceMatch]] = {}
        self.heads: dict[int, list[str]] = {}
        self.behind: dict[int, list[str]] = {}
        """Comments that stand behind the last row of a table, since none can stand in it."""

    def merged(self) -> Merged:
        root = self.matches[0]
        self.heads[id(root)] = [""]
        alive = [each for each in self.matches[1:] if self._decide(each)]
        alive += self._whole(alive)
        alive += self._ends(alive)
        labels = self._bare_labels(alive)
        alive = [each for each in alive if id(each) not in labels]
        kept = {id(each) for each in alive}
        stay = {id(root), *kept}
        while alive:
            match = alive.pop()
            parent = self._parent(match)
            if id(parent) not in stay and match.ours and match.theirs:  # moved below what the other side took out
                sides = _parent_of(match.ours), _parent_of(match.theirs)
                parent = next((each for each in sides if isinstance(each, PieceMatch) and id(each) in stay), parent)
            while id(parent) not in kept and parent is not root and match.any.kind == parent.any.kind == "section":
                parent = self._parent(parent)  # a section of its own, under one that a side took out
            self.below.setdefault(id(parent), []).append(match)
            if id(parent) not in kept and parent is not root:  # there is something new below it
                kept.add(id(parent))
                self.heads[id(parent)] = [parent.any.head]
                self.report.notes.append(f"kept because something new is below it: {parent.any.head[:80]}")
                alive.append(parent)
        chunks = self._chunks(root)
        self.report.text = written(chunks, self.order)
        return self.report

    def _decide(self, match: PieceMatch) -> bool:
        """Whether a piece stays by itself; if so, its lines are worked out."""
        base, ours, theirs = match.base, match.ours, match.theirs
        if ours and theirs:
            moved = (
                ours.kind == "row" and ours.parent and theirs.parent and ours.parent.match is not theirs.parent.match
            )
            self.heads[id(match)] = self._moved_row(match, ours, theirs) if moved else self._heads(base, ours, theirs)
            return True
        side = ours or theirs
        if side is None:
            return False
        if base is not None and _same(base, side):
            return False
        self.heads[id(match)] = [self._alone(match, side)]
        if base is not None:
            is_here = bool(ours) is not self.is_turned
            where = "changed here, removed there" if is_here else "removed here, changed there"
            self.report.notes.append(f"{where}, and kept: {side.head[:80]}")
        return True

    def _alone(self, match: PieceMatch, side: MergePiece) -> str:
        """The lines of a piece that one side has alone, without those that are no news."""
        if match.base is None and side.kind == "fence" and closing("fence", side.head):
            # Nothing closes it, so that it holds the rest of its text, with what the other side has in its sections.
            others = [each.head for each in self.order[2 if match.ours else 1] if each.kind != "section"]
            return _without(side.head, "\n".join(others), _LONG)
        if match.base is not None and side.kind == "paragraph":
            return _without(side.head, match.base.head)
        return side.head

    def _whole(self, alive: list[PieceMatch]) -> list[PieceMatch]:
        """What belongs to sections that one side took out and the other changed: they stay as they are.

        Such a change is another heading; of an entry, which has fields, also another value below the heading.
        """
        found = []
        for section in dict.fromkeys(filter(None, map(_changed_section, alive))):
            for piece in [each for child in section.children if child.kind != "section" for each in child.all()]:
                if isinstance(piece.match, PieceMatch) and id(piece.match) not in self.heads:
                    self.heads[id(piece.match)] = [piece.head]
                    found.append(piece.match)
        return found

    def _ends(self, alive: list[PieceMatch]) -> list[PieceMatch]:
        """The line that closes front matter of which a key stays, though a side took it out."""
        found = []
        for match in alive:
            front = match.any.parent if match.any.kind == "key" else None
            end = front.children[-1] if front else None
            if end and end.kind == "end" and isinstance(end.match, PieceMatch) and id(end.match) not in self.heads:
                self.heads[id(end.match)] = [end.head]
                found.append(end.match)
        return found

    def _bare_labels(self, alive: list[PieceMatch]) -> set[int]:
        """Lines like `**Files:**` that one side has alone, and below which everything was taken out."""
        kept = {id(each) for each in alive}
        found = set()
        for match in alive:
            side = match.ours or match.theirs
            if side is None or (match.ours and match.theirs) or side.kind != "line" or not is_label(side.head):
                continue
            siblings = side.parent.children if side.parent else []
            start = end = bisect_right(siblings, side.at, key=lambda each: each.at)
            while end < len(siblings) and siblings[end].kind not in ("line", "section"):
                end += 1
            if end > start and not any(id(each.match) in kept for each in siblings[start:end]):
                found.add(id(match))
        return found

    def _moved_row(self, match: PieceMatch, ours: MergePiece, theirs: MergePiece) -> list[str]:
        """A row that stands in two tables: as the table has it where it belongs now, since columns may differ."""
        self.report.settled |= {ours.head, theirs.head}
        return [ours.head if is_below(ours, self._parent(match)) else theirs.head]

    def _heads(self, base: MergePiece | None, ours: MergePiece, theirs: MergePiece) -> list[str]:
        self.report.settled |= {ours.head, theirs.head} if ours.head != theirs.head else set()
        way = merge_key if ours.kind == "key" else merge_lines
        found = way(base.head if base else None, ours.head, theirs.head)
        if found is not None:
            return [found]
        sides = [(ours, theirs, self.told[0]), (theirs, ours, self.told[1])]
        if kept := next((each for each, other, known in sides if is_told(each, other, base, known)), None):
            return [kept.head]  # a merge has decided it before
        one, other = (theirs, ours) if _is_later(theirs, ours) else (ours, theirs)
        if ours.kind in ("paragraph", "fence", "comment") or (ours.kind == "item" and not ours.loose):
            whole = union(base.head if base else None, one.head, other.head) if ours.kind != "item" else None
            if whole is None:
                self.report.questions.append(ours.head[:200])
                return [theirs.head, ours.head] if self.is_turned else [ours.head, theirs.head]
            lines, values = whole
            is_new = base is None and ours.kind == "paragraph"
            if is_new:
                self.report.notes.append(f"the lines of both: {ours.head[:80]}")
            else:
                self.report.questions.append(ours.head[:200])
            comments = [comment_of(NEWER if is_new else OTHER, each) for each in values]
            return ["\n".join([lines, *comments, *([] if is_new else [LINES])])]
        if len(words(other.head)) > _SHORT and ours.kind not in ("section", "title", "table"):
            self.report.questions.append(other.head[:200])
            return self._with_other(one, other, OTHER)
        self.report.notes.append(f"one of two is kept: {one.head[:80]}, not {other.head[:80]}")
        known = {*words(one.head), *words(base.head if base else "")}
        is_news = any(each not in known for each in words(other.head))
        if not is_news or ours.kind == "table" or _STAMPS.fullmatch(_named(other)):
            return [one.head]
        return self._with_other(one, other, NEWER)

    def _with_other(self, one: MergePiece, other: MergePiece, form: str) -> list[str]:
        """A piece of which there can be only one, with what the other side has in a comment."""
        if one.kind == "key":
            return [f"{one.head}\n{_YAML}# {form.format(' '.join(other.head.split()))}"]
        comment = comment_of(form, other.head)
        if one.kind == "row" and one.parent:
            self.behind.setdefault(id(one.parent.match), []).append(f"\n{comment}")
            return [one.head]
        indent = " " * (one.level + 2) if one.kind == "item" else ""
        return [f"{one.head}\n{indent}{comment}"]

    def _parent(self, match: PieceMatch) -> PieceMatch:
        before, mine, others = (_parent_of(each) if each else None for each in (match.base, match.ours, match.theirs))
        found = others if mine is None or (others is not None and (mine is before or _is_put_by_state(match))) else mine
        assert isinstance(found, PieceMatch)
        return found

    def _chunks(self, root: PieceMatch) -> list[MergedChunk]:
        found: list[MergedChunk] = []
        waiting = [root]
        while waiting:
            match = waiting.pop()
            sources = match.base, match.ours, match.theirs
            heads = self.heads[id(match)]
            if len(heads) == 2:
                sides = (match.base, match.ours, None), (None, None, match.theirs)
                first, second = reversed(sides) if self.is_turned else sides
                found.append(MergedChunk(heads[0], match.any, first))
                found.append(MergedChunk(f"{heads[1]}\n{BOTH}", match.any, second))
            else:
                found.append(MergedChunk(heads[0], match.any, sources))
            below = self.below.get(id(match), [])
            waiting += reversed(
                ordered(match, [each for each in below if each.any.kind == "section"], is_turned=self.is_turned)
            )
            leaves = ordered(match, [each for each in below if each.any.kind != "section"], is_turned=self.is_turned)
            leaves.sort(key=lambda each: each.any.kind != "front")  # anywhere else it is none
            self._count(match, leaves)
            rows = [each for each in leaves if each.any.kind == "row"]
            if rows and id(match) in self.behind:
                self.heads[id(rows[-1])][-1] += "".join(self.behind[id(match)])
            waiting += reversed(leaves)
        return found

    def _count(self, parent: PieceMatch, leaves: list[PieceMatch]) -> None:
        """Number the new items of a list on, where the base and both sides count 1, 2, 3 and both put something in."""
        sides = [
            [*map(list_number, each.children)] if each else [] for each in (parent.base, parent.ours, parent.theirs)
        ]
        numbers = [[number for number in side if number] for side in sides]
        items = [each for each in leaves if list_number(each.any)]
        if not all(side and side == [*range(1, len(side) + 1)] for side in numbers):
            return
        if not all(any(not each.base and getattr(each, side) for each in items) for side in ("ours", "theirs")):
            return
        new: dict[int, str] = {}
        for number, match in enumerate(items, 1):
            head = self.heads[id(match)][0]
            mark = ITEM.match(head)
            if mark is None or mark[2][:-1] == str(number):
                continue
            is_wider = len(mark[2]) != len(str(number)) + 1 and ("\n" in head or id(match) in self.below)
            if match.base or is_wider or len(self.heads[id(match)]) > 1:
                return  # more than the number of a new item would change
            new[id(match)] = f"{mark[1]}{number}{head[mark.end(2) - 1 :]}"
        self.heads.update((key, [head]) for key, head in new.items())


def _changed_section(match: PieceMatch) -> MergePiece | None:
    """The section that a side took out, and the other changed as a whole by changing this piece."""
    side = match.ours or match.theirs
    if side is None or match.base is None or (match.ours and match.theirs):
        return None
    if side.kind == "section":
        # Another state or day of the heading is no change of what stands below it.
        return None if side.loose and side.loose == match.base.loose else side
    section = side.parent
    gone = section.match if section and section.kind == "section" else None
    is_gone = isinstance(gone, PieceMatch) and not (gone.ours and gone.theirs)
    return section if section and is_gone and _is_entry(section) else None


def _is_entry(section: MergePiece) -> bool:
    """Whether a section is a record with its fields, and not a place for notes."""
    fields = sum(each.kind in ("item", "line") and each.loose in _RECORD for each in section.children)
    return fields >= (1 if section.date else _FIELDS)


def _is_later(one: MergePiece, other: MergePiece) -> bool:
    """Whether a piece names a later day than another."""
    mine, others = (max(DATE.findall(each.head), default="") for each in (one, other))
    return bool(others) and mine > others


def _named(piece: MergePiece) -> str:
    """The name of the value that a piece holds; empty where it has none."""
    if piece.kind == "key":
        return normal(piece.head.partition(":")[0])
    return piece.loose if piece.kind in ("item", "line") else ""


def _same(base: MergePiece, side: MergePiece) -> bool:
    """Whether a side left a piece as it was; the state of a task counts."""
    return _state(base) == _state(side) and normal(base.head) == normal(side.head)


def _state(piece: MergePiece) -> str | None:
    """What stands in the check box of a task."""
    mark = ITEM.match(piece.head)
    return mark[4] if mark else None


def _is_put_by_state(match: PieceMatch) -> bool:
    """Whether a task that both sides moved belongs where theirs has it, since only theirs gave it another state."""
    if not (match.base and match.ours and match.theirs) or _parent_of(match.theirs) is _parent_of(match.base):
        return False
    return _state(match.ours) == _state(match.base) != _state(match.theirs)


def _parent_of(piece: MergePiece) -> object:
    return piece.parent.match if piece.parent else None


def _without(text: str, other: str, least: int = 0) -> str:
    """The lines of a text that another does not have, and short ones; all where nothing would be left."""
    known = {normal(line) for line in other.split("\n") if len(line) >= least}
    return "\n".join(line for line in text.split("\n") if normal(line) not in known) or text
