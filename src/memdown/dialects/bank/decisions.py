"""The decisions of a log, in every form seen in real files, with their dates and fields."""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from memdown.dialects import days
from memdown.dialects.bank import dates
from memdown.dialects.bank.fields import DecisionField, fields, names_field, of_front, signs
from memdown.dialects.bank.grammar import STATUSES
from memdown.dialects.bank.lines import ANY_STAMP, LOG_LINE, STAMP_OR_BLANK, log_lines, table_rows, trimmed
from memdown.dialects.bank.names import folded
from memdown.dialects.bank.sections import BankSection, ListItem, Outline
from memdown.dialects.signed import reached_on
from memdown.markdown import blocks
from memdown.markdown.line_ends import split_lines
from memdown.patterns import lazy
from memdown.text import Span, after_line, line_end
from memdown.times import Moment

_WORD = (
    r"(?:[a-z]{3,14} )?decision(?: record)?|decisión(?: arquitectónica)?|decisão|décision|entscheidung|решение|"
    r"决策|决定|決策|決定|意思決定|결정(?: ?사항)?|karar|quyết định|decyzja"
)
_ADR = r"\[?(?:ADR|AD|DEC|DR|DL|KD|TD|D)[-_ #№]?\d{1,5}[a-z]?\]?"
_TITLED = lazy(
    rf"(?P<number>(?:{_ADR})|(?:{_WORD})(?:[ \t]*(?:[#№-][ \t]*)?\d{{1,5}})?)(?P<about>[ \t]*\([^()]*\))?"
    r"(?:(?:[ \t]*[:：.·|—–-]+|(?<=[\d\]])(?=[ \t]))[ \t]*(?P<title>.*))?[ \t]*",
    re.IGNORECASE,
)
_SYMBOL = lazy(r"^[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?[ \t]+(?=[\d\[])")
"""What decorates a date or a number."""
_DAY_ALONE = lazy(rf"[*_]*\[?(?:{days.WEEKDAY},?[ \t])?{days.DAY}\]?[*_]*")
_DATED = lazy(rf"[*_]*\[?(?P<stamp>{ANY_STAMP})\]?[*_]*(?:[ \t]*[-–—:：|·]*[ \t]*(?P<title>.*))?")
_AFTER_DATE = lazy(r"[)\]）]?[*_]*")
_DATED_ITEM = lazy(
    rf"(?:\*\*|__)?(?P<open>\[)?(?P<stamp>{STAMP_OR_BLANK})(?(open)\]|(?=\)?(?:\*\*|__)?[ \t]*[-–—:：]))\)?"
    r"(?:\*\*|__)?[ \t]*[-–—:：]*[ \t]*(?P<title>.*)"
)
_TITLED_ITEM = lazy(
    rf"(?:\*\*(?P<bold>[^*\r\n]{{3,160}}?):?\*\*|\[(?P<link>[^\]\r\n]{{3,160}})\]\([^()\s]*\))"
    rf"[ \t]*(?:[-–—:,][ \t]*)?\(?(?P<stamp>{ANY_STAMP})\)?(?=[ \t]*(?:[:.;—–-]|\Z))"
)
"""An item with its title first, and the day right behind it."""
_SAYS_DECISION = lazy(
    rf"(?:\*\*|__)?(?:{_WORD})(?:[ \t]*\([^()]*\))?(?:\*\*|__)?[ \t]*[:：][ \t]*(?:\*\*|__)?[ \t]*", re.IGNORECASE
)
_KIND_FIRST = lazy(r"ADR[ \t]*[:：—–-]+[ \t]*(?=\S)", re.IGNORECASE)
_DELIMITER = lazy(r"[ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t:|-]*)?")
_SUPERSEDED_BY = lazy(r"\bsuperseded by:? [\"“]?(?P<by>[^)\"”\r\n|]+)", re.IGNORECASE)
_REMARK = lazy(r"(?<![ \t])[ \t]*\(Superseded by [^()]*\)$")
_STATUS = lazy(rf"\W*({'|'.join(STATUSES)})\b", re.IGNORECASE)

_DATE_NAMES = frozenset(
    ("date", "fecha", "data", "datum", "дата", "日期", "日付", "날짜", "tarih", "ngày", "when", "timestamp", "时间")
)
_DECISION_NAMES = frozenset(
    ("decision", "decisión", "decisão", "décision", "entscheidung", "решение", "决策", "决定", "決定", "결정", "karar")
)
_TABLE_FIELDS = {"rationale": "rationale", "reason": "rationale", "why": "rationale", "status": "status"}


class Decision(Struct, frozen=True):
    """One decision, where it stands and what it says."""

    span: Span
    head: Span
    """The heading, line, item or row that begins it, as far as it is one line."""
    form: str
    """heading, adr, dated, log, item, table, labelled or bare."""
    title: str
    number: str | None
    at: Moment | None
    status: str | None
    fields: Mapping[str, DecisionField]
    """Date, Status, Context and so on, by their canonical names."""
    superseded_by: str | None = None
    note_at: int = 0
    """Where a remark about it can stand, for one that is a line."""
    line_at: int | None = None
    """Where the line below its heading begins that dates it."""


class _OpenDecision:
    """A decision whose end is not reached yet."""

    def __init__(self, form: str, start: int, head: Span, title: str) -> None:
        self.form, self.start, self.head, self.title = form, start, head, title
        self.level = 0
        self.number: str | None = None
        self.stamp: str | None = None
        self.line_at: int | None = None
        self.titled = bool(title)
        self.parts = 0
        self.about = False
        self.holds_others = False
        self.tables: list[int] = []
        self.day_above: Moment | None = None


def read(doc: Outline) -> list[Decision]:
    """All decisions of a log, in order. One in a list or a table may stand inside another."""
    return _Log(doc).read()


def whole(doc: Outline) -> list[Decision]:
    """The one decision that a file of its own is."""
    if not doc.sections:
        return []
    head = doc.sections[0]
    opened = _OpenDecision("document", doc.body, head.head, head.title)
    _take_heading(opened, head.title)
    return [_Log(doc).closed(opened, len(doc.text))]


class _Log:
    """One walk over a log."""

    def __init__(self, doc: Outline) -> None:
        self.doc, self.text = doc, doc.text
        self.day_first = dates.days_come_first(doc.text)
        self.found: list[Decision] = []
        self.open: _OpenDecision | None = None
        self.below = _entries_below(doc.sections)
        self.of_days = _days_with_entries(doc)

    def read(self) -> list[Decision]:
        events: list[tuple[int, int, object]] = [
            (section.head.start, number, section) for number, section in enumerate(self.doc.sections)
        ]
        events += [(line.start, 0, line) for line in log_lines(self.doc)]
        events += [(item.start, 0, item) for item in self.doc.items if item.depth == 0]
        events += [(rows[0].start, 0, rows) for rows in table_rows(self.doc)]
        for start, number, event in sorted(events, key=lambda event: event[0]):
            if isinstance(event, BankSection):
                self.heading(event, number)
            elif isinstance(event, Span):
                self.log_line(start, event)
            elif isinstance(event, ListItem):
                self.item(event)
            elif isinstance(event, list):
                self.table(event)
        self.close(len(self.text))
        return sorted(self.found, key=lambda each: (each.span.start, -each.span.end))

    # Headings

    def heading(self, section: BankSection, number: int) -> None:
        fresh = self._entry(section, number)
        if fresh and not self._is_part(section, fresh):
            if not self._is_above(section):
                self.close(section.head.start)
            self.open = fresh
        elif self.open and self._belongs(section):
            self.open.parts += 1
        else:
            self.close(section.head.start)
            labelled = section.level > 1 and not self.below[number] and self._has_labels(section)
            self.open = self._opened("labelled", section, section.title) if labelled else None

    def _is_above(self, section: BankSection) -> bool:
        """Whether the heading at hand says only what entries below it, of which this is the first, have in common."""
        opened = self.open
        if opened is None or opened.form == "log" or section.level <= opened.level:
            return False
        return not self._says_something(opened, section.head.start)

    def _belongs(self, section: BankSection) -> bool:
        """Whether a heading that begins no decision is inside the one at hand."""
        opened = self.open
        if opened is None or opened.form == "log" or section.level > opened.level:
            return opened is not None
        return section.level == opened.level and names_field(section.title)

    def _is_part(self, section: BankSection, fresh: _OpenDecision) -> bool:
        """Whether a heading `Decision` names a part of the entry at hand, not an entry."""
        if fresh.form != "bare" or fresh.titled or fresh.about or self.open is None:
            return False
        if self.open.form == "log":
            return self.open.parts == 0 or section.level > 2
        sibling = self.open.form != "bare" and self.open.parts > 0 and section.level == self.open.level
        return sibling or section.level > self.open.level

    def _entry(self, section: BankSection, number: int) -> _OpenDecision | None:
        """What a heading begins, when its own words say that it begins a decision."""
        title = _SYMBOL.sub("", section.title.strip(), count=1)
        if section.level == 1 and number == 0:
            return None
        known = _TITLED.fullmatch(title.strip("*_ "))
        if known:
            own = (known["title"] or "").strip()
            adr = bool(re.match(_ADR, known["number"], re.IGNORECASE)) and any(map(str.isdigit, known["number"]))
            opened = self._opened(
                "adr" if adr else "heading" if own or _digits(known["number"]) else "bare", section, own
            )
            opened.number = known["number"].strip("[]") if _digits(known["number"]) else None
            opened.titled = bool(own)
            opened.title = own or title
            opened.about = bool(known["about"])
            _take_date(opened, own)
            about = (known["about"] or "").strip(" \t()")
            if opened.stamp is None and dates.STAMP_PATTERN.fullmatch(about):
                opened.stamp = about
            return opened
        dated = None if number in self.of_days else _DATED.fullmatch(title)
        if dated and (dated["title"] or not self.below[number] or self._has_labels(section)):
            opened = self._opened("dated", section, (dated["title"] or "").strip(" *_-–—:："))
            opened.titled, opened.stamp = bool(opened.title), dated["stamp"]
            opened.title = opened.title or title
            _take_number(opened)
            return opened
        last = _date_last(title)
        if last and section.level > 1 and not self.below[number]:
            opened = self._opened("dated", section, last[0])
            opened.stamp = last[1]
            return opened
        return self._opened("heading", section, title) if section.above in self.of_days else None

    def _opened(self, form: str, section: BankSection, title: str) -> _OpenDecision:
        opened = _OpenDecision(form, section.head.start, section.head, title)
        opened.level, opened.day_above = section.level, self._day_above(section)
        return opened

    def _day_above(self, section: BankSection) -> Moment | None:
        """The date of the nearest heading above that has one."""
        above = section.above
        while above is not None:
            day = dates.moment(self.doc.sections[above].title, day_first=self.day_first)
            if day:
                return day
            above = self.doc.sections[above].above
        return None

    def _has_labels(self, section: BankSection) -> bool:
        found = fields(self.text, section.body, section.end)
        told = {name for name, field in found.items() if field.value}  # a template has the labels alone
        return bool(told & {"Date", "Status", "Selected", "Rationale", "Context"})

    # Lines, items, rows

    def log_line(self, start: int, line: Span) -> None:
        match = LOG_LINE.match(self.text, line.start, line.end)
        if not match:
            return
        title = match["title"].strip()
        if self.open and self._attaches(line):
            self.open.stamp, self.open.line_at = match["stamp"], line.start
            if not self.open.titled:
                self.open.title, self.open.titled = _undressed(title) or self.open.title, True
            return
        self.close(start)
        self.open = _OpenDecision("log", start, Span(start, line.end), _undressed(title))
        self.open.stamp = match["stamp"]

    def _attaches(self, line: Span) -> bool:
        """Whether a line with a date is the first below a heading that has none."""
        opened = self.open
        if opened is None or opened.stamp or opened.form == "log":
            return False
        return not self.text[opened.head.end : line.start].strip()

    def item(self, item: ListItem) -> None:
        if self.open is None and (titled := _TITLED_ITEM.match(" ".join(item.text.of(self.text).split()))):
            self._item(item, titled["bold"] or titled["link"], titled["stamp"])
            return
        if (self.open and self.open.form not in ("bare", "dated", "log")) or not _DATED_ITEM.match(
            self.text, item.text.start
        ):
            return
        below = fields(self.text, line_end(self.text, item.text.start), item.text.end).values()
        first = min((each.line.start for each in below), default=item.text.end)
        text = " ".join(self.text[item.text.start : first].split())
        match = _DATED_ITEM.match(text)
        if not match or (self.open and self.open.form != "bare" and not match["open"]):
            return
        if self.open:
            self.open.holds_others = True
        self._item(item, _undressed(match["title"]), match["stamp"])

    def _item(self, item: ListItem, title: str, stamp: str) -> None:
        opened = _OpenDecision("item", item.start, Span(item.start, line_end(self.text, item.start)), title)
        opened.stamp = stamp
        self.found.append(self.closed(opened, item.span.end))

    def table(self, rows: list[Span]) -> None:
        columns = [folded(cell.of(self.text)) for cell in blocks.cells(self.text, rows[0])]
        dated, named = _date_column(columns) is not None, bool(_DECISION_NAMES & set(columns))
        if self.open and self.open.form != "bare":
            if not (dated and named):
                return  # a table of that decision, as of its options
            self.open.tables.append(rows[0].start)  # its columns say that each row is a decision of its own
        headed = dated or named
        if not headed:
            columns = ["date", "decision", "rationale"]
        for row in rows[1:] if headed or (len(rows) > 1 and _DELIMITER.fullmatch(rows[1].of(self.text))) else rows:
            self._row(row, columns, headed=headed)

    def _row(self, row: Span, columns: Sequence[str], *, headed: bool) -> None:
        line = Span(row.start, line_end(self.text, row.start))
        if _DELIMITER.fullmatch(line.of(self.text)) and "-" in line.of(self.text):
            return
        places = blocks.cells(self.text, row)
        cells = [place.of(self.text).strip().replace("\\|", "|") for place in places]
        day = _date_column(columns)
        stamp = cells[day] if day is not None and day < len(cells) else ""
        if not any(cells) or (not headed and not dates.STAMP_PATTERN.match(stamp)):
            return
        what = next((number for number, name in enumerate(columns) if name in _DECISION_NAMES), None)
        what = what if what is not None and what != day else 1 if day == 0 else 0
        title = cells[what] if what < len(cells) else ""
        values = {
            _TABLE_FIELDS.get(name, name).capitalize(): DecisionField(
                _TABLE_FIELDS.get(name, name).capitalize(), cell, row, row
            )
            for name, cell in zip(columns, cells, strict=False)
            if cell and name not in _DATE_NAMES | _DECISION_NAMES
        }
        at = dates.moment(stamp, day_first=self.day_first)
        if at is None and any(map(str.isalnum, stamp)):  # as 2024 or Dec 2024 is no date, and says when all the same
            values["Date"] = DecisionField("Date", stamp, row, row)
        status, by = status_of(values.get("Status"), title)
        end = places[what].end if what < len(places) else line.end
        self.found.append(Decision(row, line, "table", _undressed(title), None, at, status, values, by, end))
        if self.open:
            self.open.holds_others = True

    # Ends

    def close(self, end: int) -> None:
        if self.open and self._is_entry(self.open, end):
            self.found.append(self.closed(self.open, end))
        self.open = None

    def _is_entry(self, opened: _OpenDecision, end: int) -> bool:
        """A heading without a title of its own is one only when it says something that is not an entry itself."""
        if opened.titled or opened.form not in ("bare", "dated"):
            return True
        return not opened.holds_others and (opened.form == "dated" or self._says_something(opened, end))

    def _says_something(self, opened: _OpenDecision, end: int) -> bool:
        return any(
            not dates.is_empty(line) for line in split_lines(self.text[opened.head.end : end]) if line[:1] != "#"
        )

    def closed(self, opened: _OpenDecision, end: int) -> Decision:
        span = Span(opened.start, trimmed(self.text, opened.start, end))
        start = min(after_line(self.text, opened.head.end), span.end)
        found = fields(self.text, start, span.end, opened.tables)
        front = of_front(self.text) if opened.form == "document" else {}
        if not {"Date", "Author"} <= found.keys():
            front = {**signs(self.text, start, span.end), **front}
        found = {**front, **found}
        day = found.get("Date")
        at = dates.moment(day.value, day_first=self.day_first) if day else None
        at = at or (dates.moment(opened.stamp, day_first=self.day_first) if opened.stamp else None)
        if at is None and (state := found.get("Status")):
            at = dates.moment(reached_on(state.value.partition("\n")[0]), day_first=self.day_first)
        at = at or (None if day or opened.stamp else opened.day_above)
        status, by = status_of(found.get("Status"), opened.head.of(self.text))
        title = opened.title
        if opened.form == "bare" and not opened.titled:
            title = self._first_words(opened, span.end) or title
        elif opened.form == "dated" and not opened.titled and (chosen := found.get("Selected")) and chosen.value:
            title = split_lines(chosen.value)[0].strip(" \t*-+") or title
        end = opened.head.start + len(opened.head.of(self.text).rstrip())
        named = opened.form, title.strip(), opened.number
        return Decision(span, opened.head, *named, at, status, found, by, end, opened.line_at)

    def _first_words(self, opened: _OpenDecision, end: int) -> str:
        """The first line that says something, for a heading that says only `Decision`."""
        for line in split_lines(self.text[opened.head.end : end]):
            words = line.strip(" \t*-+")
            if words and not line.startswith("#"):
                return words
        return ""


def _undressed(title: str) -> str:
    """A title without `Decision:` before it and bold around it."""
    bare = _SAYS_DECISION.sub("", _REMARK.sub("", title.strip()), count=1).strip()
    whole_bold = re.fullmatch(r"\*\*([^*]+)\*\*:?", bare)
    return (whole_bold[1] if whole_bold else bare).strip() or title.strip(" *_")


def _digits(text: str) -> bool:
    return any(map(str.isdigit, text))


def _take_date(opened: _OpenDecision, title: str) -> None:
    last = _date_last(title)
    first = None if last else _DATED.fullmatch(title)
    if last:
        opened.title, opened.stamp = last
    elif first and (rest := (first["title"] or "").strip(" *_·|-–—:：")):
        opened.title, opened.stamp = rest, first["stamp"]


def _date_last(title: str) -> tuple[str, str] | None:
    """What stands before a date at the end of a title, behind a dash, comma, colon or bracket; and the date."""
    for match in dates.STAMP_PATTERN.finditer(title):
        if _AFTER_DATE.fullmatch(title, match.end()):
            before = title[: match.start()]
            bare = before.rstrip(" \t")
            name = before[:-1] if before.endswith(("(", "[", "（")) else bare.rstrip("-–—,:|·")
            is_own = len(name) < len(bare) and not dates.is_to_come(title, match.start())
            # In brackets with more than a date it is another, as of when it was updated.
            is_own = is_own and name.count("(") <= name.count(")")
            return (name.strip(), match.group()) if name.strip() and is_own else None
    return None


def _take_number(opened: _OpenDecision) -> None:
    known = _TITLED.fullmatch(opened.title)
    if known and known["title"]:
        opened.title = known["title"].strip()
        opened.number = known["number"] if _digits(known["number"]) else None


def _take_heading(opened: _OpenDecision, title: str) -> None:
    opened.title = _KIND_FIRST.sub("", title, count=1)
    _take_number(opened)
    _take_date(opened, opened.title)


def status_of(field: DecisionField | None, head: str) -> tuple[str | None, str | None]:
    """The status as one word when it is a known one, and what replaced the decision."""
    value = field.value.strip() if field else ""
    by = _SUPERSEDED_BY.search(value) or _SUPERSEDED_BY.search(head)
    known = _STATUS.match(value)
    if known:
        word: str | None = known[1].capitalize()
    else:
        word = split_lines(value)[0].strip(" *_.") if value else "Superseded" if by else None
    return word or None, by["by"].strip(" .*_") if by else None


def _entries_below(sections: Sequence[BankSection]) -> list[bool]:
    """Whether a heading has others below it that name decisions by number or word."""
    found = [False] * len(sections)
    for number in range(len(sections) - 1, -1, -1):
        section = sections[number]
        known = _TITLED.fullmatch(section.title.strip("*_ "))
        if section.above is not None and (found[number] or (known and (known["title"] or known["about"]))):
            found[section.above] = True
    return found


def _days_with_entries(doc: Outline) -> set[int]:
    """The headings that are a day alone, with nothing below but headings that are no parts of one decision."""
    inner: dict[int, list[int]] = {}
    for number, section in enumerate(doc.sections):
        if section.above is not None and section.level == doc.sections[section.above].level + 1:
            inner.setdefault(section.above, []).append(number)
    return {
        number
        for number, below in inner.items()
        if _DAY_ALONE.fullmatch(doc.sections[number].title.strip())
        and not any(names_field(doc.sections[each].title) for each in below)
        and not doc.text[doc.sections[number].head.end : doc.sections[below[0]].head.start].strip("-*_ \t\r\n")
    }


class DecisionTable(Struct, frozen=True):
    """The table that a log keeps its decisions in."""

    columns: tuple[str, ...]
    """What each cell of a row says: `date`, `decision`, `rationale`, `status`, or a column's own name."""
    first: int
    """Where the first row begins."""
    end: int
    """Where the last row ends."""


def table_of(doc: Outline, known: Sequence[Decision]) -> DecisionTable | None:
    """The table of a log in which every decision is a row; None for a log of another form."""
    if not known or any(each.form != "table" for each in known):
        return None
    rows = next(table_rows(doc))
    columns = [folded(cell.of(doc.text)) for cell in blocks.cells(doc.text, rows[0])]
    if _date_column(columns) is None or not _DECISION_NAMES & set(columns):
        return None
    named = {**dict.fromkeys(_DATE_NAMES, "date"), **dict.fromkeys(_DECISION_NAMES, "decision"), **_TABLE_FIELDS}
    last = max(known, key=lambda each: each.span.end)
    return DecisionTable(tuple(named.get(name, name) for name in columns), known[0].span.start, last.span.end)


def _date_column(columns: Sequence[str]) -> int | None:
    return next((number for number, name in enumerate(columns) if name in _DATE_NAMES), None)
