"""Edit histories, their archives and edit chunks: entries with their dates, times, tasks and modifications."""

from msgspec import Struct, structs

from memdown.dialects.journal.bullets import bullet
from memdown.dialects.journal.codes import deviation
from memdown.dialects.journal.grammar import FORM
from memdown.dialects.journal.headings import DAY, ENTRY, OTHER, EntryHeading, heading, ids_in, tasks_of
from memdown.dialects.journal.lines import JournalLine, is_conflict, is_rule, lines_of, odd_spaces, stamp_of
from memdown.dialects.journal.model import Day, Deviation, EditEntry, JournalReading, Modification
from memdown.markdown import frontmatter
from memdown.patterns import lazy
from memdown.text import Span

_CHUNK_TITLE = lazy(r"(?:Edit Chunk|Session)[ ]?(?::|[-\u2010-\u2015])[ ]?(?P<text>.*)")
_CHUNK_TASK = lazy(r"Tasks?:[ ]?(?P<text>.*)")
_DAY = r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|[A-Z][a-z]{2,8}\.?[ ]\d{1,2}(?:st|nd|rd|th)?,?[ ]\d{4})"
_TIME = r"\d{1,2}:\d{2}(?::\d{2})?(?:[ ]?[AaPp]\.?[Mm]\.?)?[*_]*(?:[ \t]+[A-Z]{3,4}[*_]*)?[ \t]*"
_BARE_DAY = lazy(rf"[ \t]*[*_]*{_DAY}[*_]*")
_LOOKS_LIKE = lazy(
    rf"[ \t]*[*_]*(?:{_DAY}[*_]*|(?:{_DAY}[ T,]+)?{_TIME}(?:[-\u2010-\u2015\u2212]|:[ \t])[ \t]*\S.*"
    r"|(?:(?:Created|Modified|Updated|Deleted)|\[[A-Za-z]{3,20}\])[ \t]+`[^`]+`.*)"
)
"""A day, an entry or a modification that has lost the mark it begins with."""
_CAPTION = lazy(
    r"[ \t]*(?:[-*+][ \t]+)?[*_]{0,2}(?P<text>(?:[A-Z][a-z]+[ ]){0,2}(?i:files?|created|added|new|modified|updated"
    r"|changed|deleted|removed)(?:[ ][a-z]+){0,2})(?:[ ]?\(\d+\))?[*_]{0,2}[:\uff1a]?[*_]{0,2}(?<=[:\uff1a*_])[ \t]*"
)
"""What stands above a list of files, as `New files:`, and says what was done to them."""
_TAB = 4
_NESTED = 2
_ENTRY_LEVEL = 4


def history(text: str) -> JournalReading:
    """The reading of an edit history or an archive of one."""
    return _History(text).read()


def chunk(text: str) -> JournalReading:
    """The reading of an edit chunk: entries as in a history, or else the whole file is one.

    The date is in the path and the time may be, so neither is missing here.
    """
    found = _History(text, dated=False).read()
    if found.entries:
        return found
    return _Chunk(text).read()


class _OpenEntry(Struct):
    """The entry that lines are added to."""

    head: EntryHeading
    line: JournalLine
    modifications: list[Modification]
    end: int
    filled: bool = False
    """Whether anything stands below its heading."""
    implied: bool = False
    """It is the heading of a day; whether it is an entry too depends on what follows."""


class _History:
    def __init__(self, text: str, *, dated: bool = True) -> None:
        self.text = text
        self.dated = dated
        self.entries: list[EditEntry] = []
        self.days: list[Day] = []
        self.wrong: list[Deviation] = []
        self.date: str | None = None
        self.level = 0  # of the heading that has the date
        self.open: _OpenEntry | None = None
        self.within = ""
        self.unread: Span | None = None

    def read(self) -> JournalReading:
        for line in lines_of(self.text):
            found = heading(line)
            self.looked_at(line, known=found is not None)
            if found:
                self.wrong += odd_spaces(self.text, line.span)
                self.heading(found, line)
            else:
                self.content(line)
        self.close(None)
        self.end_block()
        wrong = sorted(self.wrong, key=lambda each: each.span.start)
        return JournalReading(tuple(self.entries), tuple(self.days), tuple(wrong))

    def looked_at(self, line: JournalLine, *, known: bool) -> None:
        """Lines in a row, up to a blank one or a heading, that begin like an entry and are none: one finding."""
        if self.unread and (known or line.hidden or self.text.count("\n", self.unread.end, line.span.start) > 1):
            self.end_block()
        if self.unread:
            self.unread = Span(self.unread.start, line.span.end)
        elif not known and not line.hidden and _LOOKS_LIKE.fullmatch(line.text):
            self.unread = line.span
            if _BARE_DAY.fullmatch(line.text):  # entries below it are not of the day above
                self.close(None)
                self.date, self.level = None, 0

    def end_block(self) -> None:
        if self.unread:
            self.wrong.append(deviation("entries-unread", self.unread))
        self.unread = None

    def heading(self, found: EntryHeading, line: JournalLine) -> None:
        inside = self.open if found.kind == OTHER and self.open and not self.open.implied else None
        if inside and found.level > inside.head.level:
            inside.end, inside.filled = line.span.end, True
        else:
            self.close(found)
        self.within = found.text if found.kind == OTHER else ""
        if found.kind == OTHER and self.open is None and not found.clears and found.level > self.level:
            if self.date and found.level == _ENTRY_LEVEL:  # whether it is an entry shows where it is closed
                self.open = _OpenEntry(found, line, [], line.span.end, implied=True)
                return
        elif found.kind == OTHER and self.open is None:
            self.date, self.level = None, 0
        self.wrong += found.deviations
        if found.kind == OTHER:
            return
        if found.kind == DAY:
            self.days.append(Day(line.span, found.date))
        if found.kind == DAY or found.date:
            self.date, self.level = found.date, found.level
        if found.kind == ENTRY and self.date is None and self.dated:
            self.wrong.append(deviation("entry-without-date", line.span))
        self.open = _OpenEntry(found, line, [], line.span.end, implied=found.kind == DAY)

    def content(self, line: JournalLine) -> None:
        text = line.text
        if is_rule(text):
            return
        if is_conflict(text):
            self.wrong.append(deviation("conflict-mark", line.span))
            return
        if stamp_of(line) and (self.open is None or self.open.implied):
            return
        if self.open is None:
            self.outside(line)
            return
        self.open.end, self.open.filled = line.span.end, True
        if line.hidden:
            return
        match = FORM["bullet"].fullmatch(text) if text[:1] in " \t" else None
        depth = _depth(match["indent"]) if match else 0
        if caption := _CAPTION.fullmatch(text):
            self.within = caption["text"]
        found = bullet(line, depth=depth, within=self.within)
        if found is None:
            if self.open.head.kind != OTHER:
                self.wrong.append(deviation("prose-line", line.span))
            return
        self.wrong += found.deviations
        if found.modifications:
            self.wrong += odd_spaces(self.text, line.span)
        if self.open.implied and not self.open.head.text and found.modifications:
            self.wrong.append(deviation("modification-outside-entry", line.span))
        self.open.modifications += found.modifications

    def outside(self, line: JournalLine) -> None:
        found = None if line.hidden else bullet(line)
        # A path without an action is one of a list, as in a report of what git says.
        if found and found.modifications and not any(each.name == "mod-no-action" for each in found.deviations):
            self.wrong.append(deviation("modification-outside-entry", line.span))

    def close(self, following: EntryHeading | None) -> None:
        """Make an entry of what was open, unless it is the heading of a day with entries below it."""
        opened, self.open = self.open, None
        if opened is None:
            return
        if opened.head.kind == OTHER:  # an entry without its time, when files stand below it
            if not opened.modifications:
                self.wrong += opened.head.deviations
                return
            self.wrong += [each for each in opened.head.deviations if each.name != "heading-unknown"]
            self.wrong.append(deviation("time-missing", opened.line.span))
        if opened.implied and not opened.modifications:
            deeper = following is not None and following.kind == ENTRY and following.level > opened.head.level
            titled = bool(opened.head.text)
            if not (titled and opened.filled) and not (titled and not deeper):
                return
        head = opened.head
        self.entries.append(
            EditEntry(
                Span(opened.line.span.start, opened.end),
                opened.line.span,
                head.level,
                head.date or self.date,
                head.time,
                head.zone,
                head.tasks,
                head.text,
                head.end,
                tuple(opened.modifications),
            )
        )


class _Chunk:
    """A chunk without the heading of an entry: everything in it is one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.entry: EditEntry | None = None
        self.end = 0
        self.within = ""
        self.tasks: tuple[str, ...] = ()
        self.found: list[Modification] = []
        self.wrong: list[Deviation] = []

    def read(self) -> JournalReading:
        for line in lines_of(self.text):
            self.end = line.span.end
            if self.entry is None:
                self.entry = EditEntry(line.span, line.span, 0, None, None, None, (), "")
            head = None if line.hidden else heading(line)
            if head:
                self.heading(head, line)
            elif not line.hidden and not is_rule(line.text):
                self.content(line)
        if self.entry is None:
            return JournalReading(())
        span = Span(self.entry.span.start, self.end)
        tasks = self.entry.tasks or self.tasks or _listed(self.text)
        done = structs.replace(self.entry, span=span, tasks=tasks, modifications=tuple(self.found))
        return JournalReading((done,), (), tuple(self.wrong))

    def heading(self, head: EntryHeading, line: JournalLine) -> None:
        text = line.text.lstrip("# ")
        self.within = text if head.level > 1 else ""
        entry = self.entry
        task = _CHUNK_TASK.fullmatch(text)
        if task and not self.tasks:
            self.tasks = tasks_of(f"{task['text']}:").ids or tasks_of(task["text"]).ids
        if entry is None or head.level != 1 or entry.level:
            return
        title = _CHUNK_TITLE.fullmatch(text)
        inner = heading(JournalLine(f"## {title['text']}", line.span, False)) if title else None
        self.wrong += [each for each in head.deviations if each.name == "heading-unknown" and not title]
        named = tasks_of(text)
        self.entry = structs.replace(
            entry,
            head=line.span,
            level=1,
            date=inner.date if inner else None,
            time=inner.time if inner else None,
            zone=inner.zone if inner else None,
            tasks=named.ids or (inner.tasks if inner else ()),
            description=(inner.text or title["text"]) if inner and title else named.rest,
        )

    def content(self, line: JournalLine) -> None:
        if caption := _CAPTION.fullmatch(line.text):
            self.within = caption["text"]
        match = FORM["bullet"].fullmatch(line.text)
        found = bullet(line, depth=_depth(match["indent"]), within=self.within) if match else None
        if found:
            self.wrong += found.deviations
            self.found += found.modifications


def _listed(text: str) -> tuple[str, ...]:
    """The tasks that front matter names."""
    front = frontmatter.read(text)
    named = front.get("task_ids") if front else None
    if named is None:
        return ()
    return ids_in(named.value.text or ", ".join(item.text or "" for item in named.value.items))


def _depth(indent: str) -> int:
    return len(indent.expandtabs(_TAB)) // _NESTED
