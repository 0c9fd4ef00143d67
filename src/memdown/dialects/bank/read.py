"""From the text of a bank's file to its records: sections, tasks, decisions, milestones, notes."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import structs

from memdown.dialects.bank import dates, decisions, grammar, milestones, names, notes
from memdown.dialects.bank.decisions import Decision
from memdown.dialects.bank.fields import DecisionField, fields, signs
from memdown.dialects.bank.sections import (
    DONE,
    OPEN,
    BankSection,
    ListItem,
    Outline,
    day_of,
    day_of_heading,
    days_below,
    inherited,
    named,
    outline,
    visible,
)
from memdown.dialects.bank.templates import Layer
from memdown.hashes import sha256
from memdown.markdown.line_ends import split_lines
from memdown.markdown.placeholders import is_stock, unfilled
from memdown.patterns import lazy
from memdown.record import ADDED, Extra, Link, Record, people, without_asides
from memdown.text import Span, after_line, encode, line_end, line_start, shorten

_WHO = ("Author", "Owner", "Contributors")
_HEAD_SIZE = 600
_BLANK, _PARAGRAPH_END = lazy(r"[ \t\r\n]*"), lazy(r"\n[ \t]*\r?\n")
_SIGNED_WORDS = (
    "Date",
    "date",
    "uthor",
    "ontributor",
    "leted by",
    "utor",
    "uteur",
    "erfasser",
    "echa",
    "Datum",
    "втор",
    "ата",
    "作者",
    "日期",
    "日付",
)
_SIGNED_HEAD = lazy(
    r"(?:date|authors?|contributors?|autore?|auteur|verfasser|fecha|datum|автор|дата|作者|日期|日付)"
    r"[ \t]{0,3}[*_]{0,2}[ \t]{0,3}[:：]|^[*_]{0,2}completed by ",
    re.IGNORECASE,
)
_OVER = ("superseded", "deprecated")
_LOG_LINE = lazy(
    rf"[ \t]*(?P<open>[*_]{{1,2}})?(?P<bracket>\[)?(?P<stamp>{dates.STAMP}|{dates.BLANK_STAMP})(?![:.]?\d)\]?"
    r"(?P<close>[*_]*)(?:[ \t]*[-–—:：]+[ \t]*|(?(bracket)[ \t]+(?=\S)|(?!)))(?P<text>[^\r\n]*)"
)
_ROLE = lazy(r"(?P<bracket>\[)?(?P<role>[A-Z][\w /-]{1,24}?)(?(bracket)\])[ \t]+-[ \t]+(?=\S)")
_MILESTONE = lazy(
    r"(?:\*\*)?(?:phase|milestone|sprint|stage|fase|hito|marco|meilenstein|этап|фаза|веха|阶段|里程碑|マイルストーン|フェーズ|"
    r"마일스톤|단계|jalon|étape|aşama|kilometre taşı|giai đoạn|cột mốc)[ \t]*(?:\d{1,3}(?:\.\d{1,3})?|[IVX]{1,4})\b",
    re.IGNORECASE,
)
_CJK_PHASE = lazy(r"第[一二三四五六七八九十\d]+阶段|第[一二三四五六七八九十\d]+フェーズ")
_TASK_LAYERS = ("progress.md", "activeContext.md")
_ANYWHERE = (DONE, "in-progress", "upcoming")


def read(path: str, text: str) -> list[Record]:
    """Every record of a file, in order; a task or a decision may stand inside a section."""
    return _BankReader(path, outline(text)).records()


def is_retired(record: Record) -> bool:
    """Whether a decision says itself that it no longer holds."""
    return record.kind == "decision" and (record.status or "").casefold().startswith(_OVER)


class _BankReader:
    """One file being read."""

    def __init__(self, path: str, doc: Outline) -> None:
        self.path, self.doc, self.text = path, doc, doc.text
        self.layer: Layer | None = grammar.layer_of(path)
        self.is_log = grammar.keeps_decisions(path)
        self.day_first = dates.days_come_first(doc.text)
        own = None if self.is_log else self.layer
        self.names = named(doc.sections, own) if not self.is_log else [None] * len(doc.sections)
        self.within = inherited(doc.sections, self.names)
        self.dated = [day_of_heading(each.title, day_first=self.day_first) for each in doc.sections]
        self.days = days_below(doc.sections, self.dated)
        self.noted: dict[int, list[ListItem]] = {}
        """The notes below each heading, in the file for them."""
        for item in doc.items if grammar.is_notes(path) else ():
            if item.section is not None and notes.is_note(doc, item):
                self.noted.setdefault(item.section, []).append(item)

    def records(self) -> list[Record]:
        if self.is_log:
            decided = decisions.read(self.doc)
        else:
            decided = decisions.whole(self.doc) if grammar.is_decision(self.path) else []
        blocks = [each for each in decided if each.form not in ("item", "table")]
        found = [self._decision(each) for each in decided]
        found += self._parts(blocks)
        found += self._tasks()
        found += self._notes(decided)
        return _identified(self.path, sorted(found, key=lambda record: (record.span.start, -record.span.end)))

    # Sections and milestones

    def _parts(self, decided: Sequence[Decision]) -> Iterator[Record]:
        """What is above the first heading, and each heading with its own text, up to a decision that follows."""
        starts = [(each.span.start, each.span.end) for each in decided]
        first = self.doc.sections[0].head.start if self.doc.sections else len(self.text)
        first = min([first, *(start for start, _ in starts)])
        if said := visible(self.text[self.doc.body : first]).strip("\ufeff \t\r\n"):
            yield self._preamble(first, said)
        at = 0
        for number, section in enumerate(self.doc.sections):
            while at < len(starts) and starts[at][1] <= section.head.start:
                at += 1
            if at < len(starts) and starts[at][0] <= section.head.start:
                continue
            end = min(section.end, starts[at][0]) if at < len(starts) else section.end
            yield self._section(number, section, end)

    def _preamble(self, end: int, said: str) -> Record:
        text = self.text[self.doc.body : end]
        start = self.doc.body + len(text) - len(text.lstrip("\ufeff \t\r\n"))
        return self._record(
            "note",
            Span(start, start + len(text.strip("\ufeff \t\r\n"))),
            title=shorten(said[: line_end(said, 0)].strip(" *_#>-")),
            body=text.strip("\ufeff \t\r\n"),
        )

    def _section(self, number: int, section: BankSection, end: int) -> Record:
        end = self._up_to_notes(number, end)
        body = self.text[section.body : end].strip()
        span = Span(section.head.start, section.head.start + len(self.text[section.head.start : end].rstrip()))
        extra: dict[str, str | Sequence[str]] = {"level": str(section.level)}
        name = self.names[number] or self.within[number]
        if name:
            extra["section"] = name
        kind = "milestone" if self._is_milestone(section) else "section"
        title, status = section.title, milestones.of_section(section.title)
        if kind == "milestone":
            title, status = milestones.with_status(_unmarked(section.title))
        if unfilled(body) or dates.is_placeholder(section.title):
            extra["unfilled"] = "yes"
        said = self._head(section, end)
        day = said.get("Date")
        at = self.dated[number] or (dates.moment(day.value, day_first=self.day_first) if day else None)
        if at is None and self.days[number]:
            at, extra["at_from"] = self.days[number], "section"
        author, others = _people({name: field for name, field in said.items() if name != "Owner"})
        if author is None and others:  # who alone is named wrote it
            author, others = others[0], others[1:]
        return self._record(
            kind,
            span,
            title=title,
            body=body or None,
            at=at,
            author=author,
            contributors=others,
            status=status,
            extra=extra,
        )

    def _head(self, section: BankSection, end: int) -> Mapping[str, DecisionField]:
        """The fields of the first lines below a heading, where these say who or when."""
        start = _BLANK.match(self.text, section.body, end)
        begin = start.end() if start else section.body
        blank = _PARAGRAPH_END.search(self.text, begin, min(end, begin + _HEAD_SIZE))
        until = blank.start() if blank else min(end, begin + _HEAD_SIZE)
        head = self.text[begin:until]
        told = any(word in head for word in _SIGNED_WORDS) and _SIGNED_HEAD.search(head)
        return {**signs(self.text, begin, until), **fields(self.text, begin, until)} if told else {}

    def _up_to_notes(self, number: int, end: int) -> int:
        """Where the own text of a heading ends; notes below it, with nothing else after them, say it all themselves."""
        first = at = None
        for item in self.noted.get(number, ()):
            if at is not None and self.text[at : item.start].strip():
                return end
            first, at = item.start if first is None else first, item.span.end
        return end if first is None or at is None or self.text[at:end].strip() else line_start(self.text, first)

    def _is_milestone(self, section: BankSection) -> bool:
        if self.layer is not None and self.layer.file != "progress.md":
            return False
        above = section.above
        if above is not None and self.names[above] == "Milestones":
            return names.canonical(milestones.with_status(section.title)[0], self.layer) is None
        return bool(_MILESTONE.match(section.title.lstrip("✅🔄⏳🚧📋📅🎯 *")) or _CJK_PHASE.search(section.title))

    # Tasks

    def _tasks(self) -> Iterator[Record]:
        for item in self.doc.items:
            if self._is_task(item):
                yield self._task(item)

    def _is_task(self, item: ListItem) -> bool:
        name = self.within[item.section] if item.section is not None else None
        works = self.layer is None or self.layer.file in _TASK_LAYERS
        if item.mark is not None:
            return item.boxed or item.state in _ANYWHERE or works
        if item.depth or not works or self.is_log or item.text.start == item.text.end:
            return False
        return name in names.STATES or (name == "Milestones" and not self._has_headings(item))

    def _has_headings(self, item: ListItem) -> bool:
        """Whether the section of milestones has headings for them, so that its items are their goals."""
        section = self.doc.sections[item.section or 0]
        return self.names[item.section or 0] is None or section.tree_end > section.end

    def _task(self, item: ListItem) -> Record:
        name = self.within[item.section] if item.section is not None else None
        text = self.doc.text_of(item)
        at, title = day_of(visible(text), day_first=self.day_first)
        status = item.state or (names.STATES.get(name or "") if self._counts(item, name) else None) or OPEN
        extra: dict[str, str | Sequence[str]] = {"depth": str(item.depth)}
        day = self.days[item.section] if item.section is not None and status == DONE else None
        if at is None and day and not dates.STAMP_PATTERN.search(text):
            at, extra["at_from"] = day, "section"
        if item.section is not None:
            extra["section"] = name or self.doc.sections[item.section].title
        if dates.is_placeholder(self.text[item.start : line_end(self.text, item.start)]):
            extra["unfilled"] = "yes"
        kind = "milestone" if item.mark is None and name == "Milestones" else "task"
        return self._record(
            kind,
            item.span,
            title=shorten(title.strip()),
            # A nested item is in the body of the one it is in; its own is only what it says itself.
            body=self.text[item.text.start : item.text.end if item.depth else item.span.end].strip(),
            at=at,
            status=status if kind == "task" else None,
            extra=extra,
        )

    def _counts(self, item: ListItem, name: str | None) -> bool:
        """Whether the section tells the state: an empty box among what is done is not done."""
        return not (item.state == "" and names.STATES.get(name or "") == DONE)

    # Decisions and notes

    def _decision(self, each: Decision) -> Record:
        extra: dict[str, str | Sequence[str]] = {"form": each.form}
        if each.number:
            extra["number"] = each.number
        extra |= {_key(name): field.value for name, field in each.fields.items()}
        below = self.text[after_line(self.text, each.head.end) : each.span.end] if each.form != "table" else ""
        blank = dates.is_placeholder(each.title) or dates.is_placeholder(f"- {each.title}")
        is_named = any(map(str.isalnum, each.title))
        # A title in brackets that somebody dated is one.
        if (blank and each.at is None) or unfilled(below) or not is_named:
            extra["unfilled"] = "yes"
        links = [Link("superseded_by", each.superseded_by)] if each.superseded_by else []
        replaced = each.fields.get("Supersedes")
        links += (
            [Link("supersedes", split_lines(replaced.value)[0].strip(' "“”.'))] if replaced and replaced.value else []
        )
        selected = each.fields.get("Selected")
        author, others = _people(each.fields)
        return self._record(
            "decision",
            each.span,
            title=shorten(each.title),
            summary=shorten(split_lines(selected.value)[0]) if selected and selected.value else None,
            body=below.strip() or None,
            at=each.at,
            author=author,
            contributors=others,
            status=each.status,
            links=tuple(links),
            extra=extra,
        )

    def _notes(self, decided: Sequence[Decision]) -> Iterator[Record]:
        """Lines of a log that are neither tasks nor decisions."""
        starts = {each.head.start for each in decided} | {each.line_at for each in decided}
        for block in self.doc.blocks:
            if block.kind == "paragraph" and block.depth == 0:
                yield from self._log_lines(block.span, starts)
        for item in self.doc.items:
            if item.depth == 0 and item.start not in starts and not self._is_task(item):
                line = Span(item.text.start, line_end(self.text, item.text.start))
                match = _LOG_LINE.match(self.text, line.start, line.end)
                if match:
                    yield self._note(item.span, match, item)

    def _log_lines(self, span: Span, starts: Collection[int | None]) -> Iterator[Record]:
        start = line_start(self.text, span.start)
        while start < span.end:
            end = line_end(self.text, start)
            match = _LOG_LINE.match(self.text, start, end) if start not in starts else None
            if match:
                yield self._note(Span(start, end), match)
            start = max(after_line(self.text, start), start + 1)

    def _note(self, span: Span, match: re.Match[str], item: ListItem | None = None) -> Record:
        text = f"{'' if match['close'] else match['open'] or ''}{match['text'].strip()}"
        is_own = grammar.is_notes(self.path)  # whose text is what somebody added, and has no role before it
        text = text if is_own else _unmarked(text)
        role = None if is_own else _ROLE.match(text)
        at = dates.stamp(match["stamp"], day_first=self.day_first)
        extra: dict[str, str | Sequence[str]] = {"form": ADDED if is_own and item else "log"}
        if role:
            extra["role"] = role["role"]
        if at is None or is_stock(text):
            extra["unfilled"] = "yes"
        title = text[role.end() :] if role else text
        body = notes.whole_text(self.text, item, text) if item else text
        return self._record("note", span, title=shorten(title or text), body=body, at=at, extra=extra)

    def _record(self, kind: str, span: Span, *, extra: Extra | None = None, **values: object) -> Record:
        known: dict[str, str | Sequence[str]] = {"layer": self.layer.file.removesuffix(".md")} if self.layer else {}
        record = Record(id="", dialect="bank", kind=kind, path=self.path, span=span, extra={**known, **(extra or {})})
        return structs.replace(record, **values)


def _unmarked(text: str) -> str:
    """A text without the marks of emphasis around all of it; those with a partner inside stay."""
    bare = text.strip(" *_")
    begin, _, end = text.strip().partition(bare) if bare else ("", "", "")
    return f"{begin if begin.strip() in bare else ''}{bare}{end if end.strip() in bare else ''}"


def _people(fields: Mapping[str, DecisionField]) -> tuple[str | None, tuple[str, ...]]:
    """The author as written, else who owns the decision; and others who wrote it too."""
    said = {
        name: _unmarked(split_lines(fields[name].value)[0]) for name in _WHO if name in fields and fields[name].value
    }
    author = without_asides(said.get("Author") or said.get("Owner") or "") or None
    rest = [name for value in (author, said.get("Contributors")) if value for name in people(value)]
    return author, tuple(dict.fromkeys(rest[1:] if author else rest))


def _key(name: str) -> str:
    return name.lower().replace(" ", "_").replace("-", "_")


def _identified(path: str, found: list[Record]) -> list[Record]:
    """Ids that stay when others change: from file, kind, and what the record is called."""
    count: Counter[str] = Counter()
    made = []
    for record in found:
        name = record.title or ""
        if record.kind == "decision":
            name = str(record.extra.get("number") or f"{record.at.text if record.at else ''}\0{record.title}")
        own = f"{path}\0{record.kind}\0{name}"
        count[own] += 1
        numbered = own if count[own] == 1 else f"{own}\0{count[own]}"
        made.append(structs.replace(record, id=sha256(encode(numbered))[:12]))
    return made
