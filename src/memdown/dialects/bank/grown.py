"""What a file of a bank that has grown can do without: dated entries, finished parts, old decisions, long sections.

Everything goes to the folder `archive` beside it: by month, or for a long section to the file's own details, with a
link in its place.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from datetime import date

from memdown.dialects.bank import dates, due
from memdown.dialects.bank.copies import contents, copies, without_copies
from memdown.dialects.bank.emptied import with_headings
from memdown.dialects.bank.grammar import keeps_decisions, layer_of
from memdown.dialects.bank.items import items_in
from memdown.dialects.bank.lines import cut, whole_lines, with_rule
from memdown.dialects.bank.sections import DONE, BankSection, day_of, named, outline
from memdown.dialects.bank.write import ACTIVE, PROGRESS
from memdown.dialects.due import SORTS, Archivist, Due, GrownFile, Holder, without_newest
from memdown.markdown import tokens
from memdown.patterns import lazy
from memdown.record import Document
from memdown.text import Edit, Span, eol_of, line_end, with_eol

_COMPLETED, _UNDATED_DONE, _DATED, _DECISION, _DETAIL = SORTS
LONG_SECTION = 120
"""Tokens from which a section without dates is worth a file of its own."""
_SHORT_SECTION = 60
"""The same where only one of the newest entries stays."""
_RETIRED = frozenset(("superseded", "deprecated", "rejected"))
_ALWAYS_READ = frozenset(("Current Focus", "Current State", "Active Blockers", "Next Steps", "Open Questions"))
_BRIEF = "projectBrief.md"

_FINISHED = lazy(
    r"^[✅☑✔✓🎉]|[✅☑✔✓🎉]\ufe0f?\W*$|(?:[—–:(\[,]|--?[ \t])[ \t*_✅☑✔✓🎉\ufe0f]*"
    r"(?:complete[d]?|done|finished|shipped|released|closed|resolved|archived|fixed|reverted|superseded|skipped)(?!\w)",
    re.IGNORECASE,
)
_RUNNING = lazy(
    r"(?<!\w)(?:in[ -]progress|ongoing|current(?:ly)?|active|wip|partial(?:ly)?|blocked|paused|on hold|planned|"
    r"upcoming|next|todo|pending|do not repeat)(?!\w)",
    re.IGNORECASE,
)
_OPEN_BOX = lazy(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ ~/>!?-]\][ \t]", re.MULTILINE)
_MONTH = lazy(r"(?<!\d)(\d{4})-(\d\d)(?![-\d])")


def to_slim(project: Holder, keep: int) -> Iterator[GrownFile]:
    """The files of a bank; so many of the newest entries stay in each."""

    def found(doc: Document) -> list[Due]:
        units = _Units(doc)
        dated = sorted(((each.day, -each.start) for each in units.dues if each.day and each.action), reverse=True)
        newest = [-start for _, start in dated]
        kept = without_newest(units.dues, newest, 1 if units.is_active else keep)
        held = project.parsed(units.target).text if units.target in project.names() else None
        details = units.details(kept, held, LONG_SECTION if keep > 1 else _SHORT_SECTION, newest=keep > 1)
        return sorted([*kept, *details], key=lambda each: each.start)

    reason = "without it the rest would be read differently"
    archivist = Archivist(found, contents, _begun, _grown, reason, widens=True, singly=True, emptied=with_headings)
    seven = [project.parsed(name) for name in project.bank_files().values()]
    repeated: dict[str, list[Span]] = {}
    for doc, span, _ in copies(seven):
        repeated.setdefault(doc.path, []).append(span)
    for doc in seven:
        spans = repeated.get(doc.path)
        yield GrownFile(doc, archivist, said_once=without_copies(doc, spans)[0] if spans else None)


class _Units:
    """The entries of a file that may leave it, outermost first, and what is left of each section."""

    def __init__(self, doc: Document) -> None:
        self.doc, self.held = doc, doc.of(outline)
        self._layer = layer_of(doc.canonical_path or doc.path)
        self._day_first = dates.days_come_first(doc.text)
        self._stem = doc.path.rpartition("/")[2].removesuffix(".md")
        self._home = doc.path.rpartition("/")[0]
        self._own = named(self.held.sections, self._layer)
        self.target = f"{self._home}/archive/{self._stem}-details.md"
        """Where its long sections go."""
        self.is_active = self._layer is ACTIVE
        """Whether it says what is so now, and is replaced at every session, not added to."""
        self.dues: list[Due] = []
        for each in sorted(self._candidates(), key=lambda each: (each.cut.start, -each.cut.end)):
            if not self.dues or each.cut.start >= self.dues[-1].cut.end:
                self.dues.append(each)

    def _candidates(self) -> Iterator[Due]:
        if keeps_decisions(self.doc.path):
            yield from self._decisions()
            return
        yield from self._sections()
        yield from self._lines()
        yield from self._done()

    # Decisions

    def _decisions(self) -> Iterator[Due]:
        for record in self.doc.records:
            if record.kind != "decision" or record.form in ("table", "document") or "unfilled" in record.extra:
                continue
            day = record.at.local.date() if record.at else self._month_above(record.span.start)
            retired = (record.status or "").lower() in _RETIRED
            span = with_rule(self.doc.text, whole_lines(self.doc.text, record.span))
            text = span.of(self.doc.text)
            yield self._due(span, text, record.title or "", day, _COMPLETED if retired else _DECISION)

    def _month_above(self, start: int) -> date | None:
        """The last day or month that a heading above names."""
        at = bisect_left(self.held.sections, start, key=lambda each: each.head.start)
        number = at - 1 if at else None
        while number is not None:
            if day := self._day_in(self.held.sections[number].title):
                return day
            number = self.held.sections[number].above
        return None

    # Sections with a date or an end

    def _sections(self) -> Iterator[Due]:
        for number, section in enumerate(self.held.sections):
            span = Span(section.head.start, section.tree_end)
            text = span.of(self.doc.text)
            if section.level == 1 or self._own[number] or _RUNNING.search(section.title) or _OPEN_BOX.search(text):
                continue
            finished, day = bool(_FINISHED.search(section.title)), self._day_in(section.title)
            if not (finished or day):
                continue
            day = day or self._last_day(text) or self._month_above(section.head.start)
            yield self._due(span, text, section.title, day, _COMPLETED if finished else _DATED)

    def _lines(self) -> Iterator[Due]:
        """Lines of a log, and items that begin or end with a date."""
        for record in self.doc.records:
            if record.kind != "note" or record.at is None:
                continue
            span = whole_lines(self.doc.text, self._with_items(record.span))
            text = span.of(self.doc.text)
            if _OPEN_BOX.search(text):
                yield Due(span.start, span, text.rstrip(), record.title or "", reason="something in it is still open")
            else:
                yield self._due(span, text, record.title or "", record.at.local.date(), _DATED)
        unfinished = due.with_open_parts(self.held)
        for item in self.held.items:
            if item.depth or item.start in unfinished or item.state not in (None, DONE):
                continue
            text = self.held.text_of(item)
            at, _ = day_of(text, day_first=self._day_first)
            if at is not None:
                action = _COMPLETED if item.state == DONE else _DATED
                yield self._item(item.start, item.span.end, text, at.local.date(), item.section, action)

    def _with_items(self, line: Span) -> Span:
        """A line of a log with the list right below it, which says more of it."""
        at = bisect_left(self.held.items, line.start, key=lambda item: item.span.start)
        if at and self.held.items[at - 1].span.end > line.start:  # it is an item itself, or in one
            return line
        end = line.end
        for item in self.held.items[at:]:
            if item.start >= end and self.doc.text[end : item.start].strip():
                break
            if not item.depth and day_of(self.held.text_of(item), day_first=self._day_first)[0]:
                break  # an entry of its own
            end = max(end, item.span.end)
        return Span(line.start, end)

    def _done(self) -> Iterator[Due]:
        """Completed items without a date, and what finished milestones leave behind."""
        if self._layer is not PROGRESS:
            return
        for each in due.due(self.doc):
            if each.target and not each.text.lstrip().startswith("#"):
                yield self._due(each.cut, each.text, each.title, each.day, _COMPLETED, each.heading)
        unfinished = due.with_open_parts(self.held)
        for item in items_in(self.held, PROGRESS, ("Completed",)):
            if not item.depth and item.state in (DONE, None) and item.start not in unfinished:
                text = self.held.text_of(item)
                if not dates.is_placeholder(text):
                    yield self._item(item.start, item.span.end, text, None, item.section, _UNDATED_DONE)

    # Long sections

    def details(self, dues: Sequence[Due], there: str | None, least: int, *, newest: bool) -> Iterator[Due]:
        """Long sections without what else goes from them: their text goes to a file of its own, the heading stays.

        `there` is what that file has. With `newest`, not from entries that stay because they are the newest; without,
        sections go with those below them.
        """
        if keeps_decisions(self.doc.path) or self._layer is None or self._layer.file == _BRIEF:
            return
        anchors = _Anchors()
        for known in outline(_begun(self.target, there, eol_of(self.doc.text))).sections:
            anchors.next(known.title)
        going = [each.cut for each in dues if each.target]
        staying = [each.cut for each in dues if each.action and not each.target]
        done = 0
        for number, section in enumerate(self.held.sections):
            if section.head.start < done or self._own[number] in _ALWAYS_READ:
                continue
            whole = not newest and self._goes_whole(number, staying)
            span = Span(section.body, section.tree_end if whole else section.end)
            if _OPEN_BOX.search(span.of(self.doc.text)) or (newest and _overlaps(staying, span)):
                continue
            pieces = [*_without(self.doc.text, span, going)]
            text = "\n".join(each.of(self.doc.text) for each in pieces)
            if tokens.estimate(text) < least or self.target in text or _RUNNING.search(section.title):
                continue
            done = span.end
            yield from self._detail(section, pieces, anchors.next(section.title))
            for below in self.held.sections[number + 1 :] if whole else ():
                if below.head.start >= done:
                    break
                if not _overlaps(going, below.head):
                    anchors.next(below.title)

    def _goes_whole(self, number: int, staying: Sequence[Span]) -> bool:
        """Whether a section has others below it, and nothing in these has to be read, or is still going on."""
        top = self.held.sections[number]
        last = bisect_left(self.held.sections, top.tree_end, key=lambda each: each.head.start)
        below = range(number + 1, last)
        return (
            top.level > 1
            and len(below) > 1
            and not _overlaps(staying, Span(top.body, top.tree_end))
            and not any(self._own[each] or _RUNNING.search(self.held.sections[each].title) for each in below)
            and not _RUNNING.search(top.title)
            and not _OPEN_BOX.search(self.doc.text[top.body : top.tree_end])
        )

    def _detail(self, section: BankSection, pieces: Sequence[Span], anchor: str) -> Iterator[Due]:
        """The text of a section, in as many pieces as what else goes leaves of it; the first leaves the link."""
        eol = eol_of(self.doc.text)
        link = f"See [details](archive/{self._stem}-details.md#{anchor}).{eol}{eol}"
        place = Edit(Span(section.body, section.body), link)
        for piece in pieces:
            text = piece.of(self.doc.text).strip("\r\n")
            if piece is pieces[0]:
                text = f"{'#' * max(section.level, 2)} {section.title}\n\n{text.strip()}"
            edits = (place,) if piece is pieces[0] else ()
            yield Due(piece.start, piece, text, section.title, self.target, action=_DETAIL, edits=edits)

    # What all have in common

    def _item(self, start: int, end: int, title: str, day: date | None, section: int | None, action: str) -> Due:
        end = line_end(self.doc.text, end)
        heading = self.held.sections[section].title if section is not None else ""
        return self._due(cut(self.doc.text, start, end), self.doc.text[start:end], title, day, action, heading)

    def _due(self, span: Span, text: str, title: str, day: date | None, action: str, heading: str = "") -> Due:
        month = day or (self.doc.now.date() if self.doc.now else date.min)
        target = f"{self._home}/archive/{self._stem}-{month:%Y-%m}.md"
        return Due(span.start, span, text.rstrip(), title, target, day=day, heading=heading, action=action)

    def _day_in(self, title: str) -> date | None:
        """The last day that a heading names, or the first of the month."""
        last = self._last_day(title)
        month = None if last else _MONTH.search(title)
        return last or (date(int(month[1]), int(month[2]), 1) if month and 0 < int(month[2]) < 13 else None)

    def _last_day(self, text: str) -> date | None:
        found = (dates.stamp(match.group(), day_first=self._day_first) for match in dates.STAMP_PATTERN.finditer(text))
        return max((at.local.date() for at in found if at), default=None)


def _overlaps(cuts: Sequence[Span], span: Span) -> bool:
    """Whether one of these, which are in order and apart, has something of a span."""
    at = bisect_right(cuts, span.start, key=lambda each: each.end)
    return at < len(cuts) and cuts[at].start < span.end


def _without(text: str, span: Span, cuts: Sequence[Span]) -> Iterator[Span]:
    """What cuts, which are in order and apart, leave of a span that says something."""
    at = span.start
    for each in cuts[bisect_right(cuts, at, key=lambda cut: cut.end) :]:
        if each.start >= span.end:
            break
        if text[at : each.start].strip():
            yield Span(at, each.start)
        at = max(at, each.end)
    if text[at : span.end].strip():
        yield Span(at, span.end)


class _Anchors:
    """The names that renderers of Markdown give the headings of a file, one after the other."""

    def __init__(self) -> None:
        self._taken: dict[str, int] = {}

    def next(self, title: str) -> str:
        """The name of the next heading: the letters of its title, with a number where another has them."""
        name = bare = re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")
        while name in self._taken:
            self._taken[bare] += 1
            name = f"{bare}-{self._taken[bare]}"
        self._taken[name] = 0
        return name


# Archives


def _begun(target: str, text: str | None, eol: str) -> str:
    """An archive before entries come to it."""
    stem = target.rpartition("/")[2].removesuffix(".md")
    return f"# {stem}{eol}" if text is None else text


def _grown(_: str, text: str, going: Sequence[Due]) -> str:
    """An archive with more entries at its end, in the order they had, items below the heading they had."""
    eol = eol_of(text)
    last: str | None = None
    parted = False
    for each in going:
        text += "" if text.endswith(("\n", "\r")) or not text else eol
        is_section = each.text.lstrip().startswith("#")
        before, parted = parted, not each.heading and "\n" in each.text
        if not is_section and each.heading not in ("", last):
            text += with_eol(f"\n## {each.heading}\n", eol)
        elif is_section or last is None or each.heading != last or before or parted:
            text += eol
        last = each.heading or None if is_section else each.heading
        text += with_eol(each.text, eol) + eol
    return text
