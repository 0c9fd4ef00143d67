"""A bank as memdown writes it: active context, progress, milestones, decisions. Old decisions stay as they are."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime

import msgspec
from msgspec import Struct, structs

from memdown import times
from memdown.dialects.bank import KINDS, dates, decisions, milestones, names, notes
from memdown.dialects.bank.decisions import Decision
from memdown.dialects.bank.grammar import STATUSES, layer_named
from memdown.dialects.bank.items import (
    SectionEdit,
    add_item,
    at_the_end,
    boxed,
    checked,
    find_item,
    items_in,
    matching,
    move_item,
    section_of,
    set_section,
    ticked,
)
from memdown.dialects.bank.sections import DOING, DONE, PLANNED, BankSection, ListItem, Outline, day_of, outline
from memdown.errors import Ambiguous, Invalid, NotFound, Refused, quote, way
from memdown.markdown.line_ends import split_lines
from memdown.markdown.placeholders import unfilled
from memdown.patterns import lazy
from memdown.record import Record
from memdown.text import Edit, Lines, Span, after_line, eol_of, is_blank, line_end, with_eol

ACTIVE, PROGRESS, LOG = layer_named("activeContext.md"), layer_named("progress.md"), layer_named("decisionLog.md")
_DONE_ON = lazy(r"(?<![ \t])[ \t]+(?:[—–]|--?)[ \t]+\d{4}-\d{2}-\d{2}$")
_ID_LEAST = 4
"""Characters of an id that are enough to name a decision by."""
_BOXES = {"Completed": "[x] ", "In Progress": "[ ] ", "Upcoming": "[ ] "}
_ONCE = ("Completed", "In Progress", "Upcoming")
"""Sections that hold an item once: what stands in two of them is an error when checked."""
_MILESTONE_LEVEL, _DEEPEST = 3, 6
"""The level of a milestone's heading below that of its section in the template, and of the deepest heading."""
_COLUMNS = frozenset(("date", "decision", "rationale", "status"))
"""What a row of a log that is a table can say."""
_LABELS = ("Context", "Options Considered", "Selected", "Rationale", "Trade-offs", "Consequences")


class Active(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything an active context says."""

    focus: str = ""
    changes: tuple[str, ...] = ()
    state: str = ""
    decisions: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()


class DecisionFields(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything a decision says beside its title."""

    context: str = ""
    options: tuple[str, ...] = ()
    selected: str = ""
    rationale: str = ""
    trade_offs: str = ""
    consequences: str = ""
    status: str = "Accepted"
    author: str = ""


# Active context


def set_text(text: str, name: str, content: str, *, replace: bool = False) -> SectionEdit:
    """The focus or the state."""
    return set_section(outline(text), ACTIVE, name, _paragraphs(content, name.lower()), replace=replace)


def add_line(text: str, name: str, content: str, *, once: bool = False) -> SectionEdit:
    """One more recent change, active decision, open question, blocker or next step; `once` if it is not there yet."""
    doc, line = outline(text), checked(content, "text")
    if once and any(doc.text_of(item) == line for item in items_in(doc, ACTIVE, (name,))):
        return SectionEdit([], Edit(Span(0, 0), ""))
    return add_item(doc, ACTIVE, name, line, numbered=name == "Next Steps")


def active_text(active: Active, eol: str) -> str:
    """A whole active context."""
    bullets = {
        "Recent Changes": active.changes,
        "Active Decisions": active.decisions,
        "Open Questions": active.questions,
        "Blockers": active.blockers,
    }
    parts = [f"# {ACTIVE.title}\n"]
    for section in ACTIVE.sections:
        name = section.heading
        if name in ("Current Focus", "Current State"):
            content = active.focus if name == "Current Focus" else active.state
            body = _paragraphs(content, name.lower()) if content.strip() else ""
        elif name == "Next Steps":
            body = "\n".join(f"{at}. {checked(each, 'next step')}" for at, each in enumerate(active.next_steps, 1))
        else:
            body = "\n".join(f"- {checked(each, name.lower())}" for each in bullets[name])
        parts.append(f"## {name}\n" + (f"{body}\n" if body else ""))
    text = "\n".join(parts)
    if len(outline(text).sections) != len(parts):
        raise Invalid("What is content would hide the sections below it; close its code fences and comments.")
    return with_eol(text, eol)


def _paragraphs(content: str, what: str) -> str:
    """Text for below a heading; a line of it that would be a heading is refused."""
    lines = [line.rstrip() for line in split_lines(content.strip())]
    if not any(lines):
        raise Invalid(f"The {what} is empty.")
    if any(re.match(r" {0,3}#{1,6}(?:\s|$)", line) for line in lines):
        raise Invalid(f"The {what} has a heading in it, which would end its section.")
    return "\n".join(lines)


# Progress


def new_item(text: str, content: str, name: str, day: str = "") -> SectionEdit:
    """A new item of a section, with the box that its items have; one that is done may have the day."""
    box = _BOXES.get(name, "")
    doc = outline(text)
    if name in _ONCE and (place := _stands(doc, content)):
        raise Refused(f"{quote(content)} is in progress.md already, {place}; word the new item differently.")
    return add_item(doc, PROGRESS, name, f"{box}{checked(content, 'item')}{f' — {day}' if day else ''}")


def _stands(doc: Outline, content: str) -> str:
    """Where an item of these words stands; empty where none does."""
    wanted = _words(content)
    for section in _ONCE:
        for item in items_in(doc, PROGRESS, (section,)):
            if item.depth == 0 and _words(day_of(item.text.of(doc.text), day_first=False)[1]) == wanted:
                return f"on line {doc.text.count(chr(10), 0, item.start) + 1} in {section}"
    return ""


def _words(text: str) -> str:
    return " ".join(text.casefold().strip("*_. ").split())


def start(text: str, wanted: str) -> SectionEdit:
    """An item goes from Upcoming to In Progress."""
    doc = outline(text)
    planned = [item for item in items_in(doc, PROGRESS, ("Upcoming", "Next Steps")) if item.state != DONE]
    item = _top(doc, find_item(doc, planned, wanted, "upcoming item"))
    edits = boxed(item, "[ ]") if item.mark is not None and not item.boxed else []
    return move_item(doc, PROGRESS, item, "In Progress", edits)


def complete(text: str, wanted: str, day: str) -> SectionEdit:
    """An item is done: it gets its box ticked and the day, and goes to Completed.

    One inside another item, or below a heading of the project's own, is ticked where it is.
    """
    doc = outline(text)
    item = _open_item(doc, wanted)
    moves = item.depth == 0 and item in items_in(doc, PROGRESS, ("In Progress", "Upcoming", "Next Steps"))
    edits = ticked(item, day)
    if moves:
        return move_item(doc, PROGRESS, item, "Completed", edits)
    return SectionEdit(edits, edits[0])


def put_back(text: str, wanted: str, name: str) -> SectionEdit:
    """An item goes back to In Progress or Upcoming; one that was done is open again, and loses the day it was."""
    doc = outline(text)
    item = _top(doc, find_item(doc, items_in(doc, PROGRESS, ("Completed", "In Progress")), wanted, "item"))
    edits = boxed(item, "[ ]") if item.mark is not None else []
    if day := _DONE_ON.search(item.text.of(text)):
        edits.append(Edit(Span(item.text.start + day.start(), item.text.end), ""))
    return move_item(doc, PROGRESS, item, name, edits)


def _open_item(doc: Outline, wanted: str) -> ListItem:
    """What is meant among the items in progress, else among all that are not done."""
    doing = [item for item in items_in(doc, PROGRESS, ("In Progress",)) if item.state != DONE and not _is_plain(item)]
    others = [item for item in items_in(doc, PROGRESS, ("Upcoming", "Next Steps")) if item.state != DONE]
    others = [item for item in others if not _is_plain(item)]
    marked = [item for item in doc.items if item.mark and item.state != DONE and item.text.start < item.text.end]
    every = list({item.start: item for item in (*doing, *others, *marked)}.values())
    try:
        return find_item(doc, doing, wanted, "open item")
    except NotFound as missing:
        if isinstance(missing, Ambiguous):
            raise
        return find_item(doc, every, wanted, "open item")


def _is_plain(item: ListItem) -> bool:
    """Whether an item is only a remark inside another."""
    return item.depth > 0 and item.mark is None


def _top(doc: Outline, item: ListItem) -> ListItem:
    if item.depth:
        raise Refused(f"{quote(doc.text_of(item))} is inside another item, which moves as a whole; name that one.")
    return item


def resolve(text: str, wanted: str, day: str) -> SectionEdit:
    """A known issue or a debt is over: it goes to Completed with the day."""
    doc = outline(text)
    troubles = [item for item in items_in(doc, PROGRESS, ("Known Issues", "Technical Debt")) if item.depth == 0]
    item = find_item(doc, troubles, wanted, "known issue, debt or open item")
    return move_item(doc, PROGRESS, item, "Completed", ticked(item, day))


# Milestones


def new_milestone(text: str, name: str, status: str, summary: str) -> SectionEdit:
    """A milestone after the others."""
    doc = outline(text)
    section = section_of(doc, PROGRESS, "Milestones")
    block = f"{'#' * _milestone_level(doc, section)} {checked(name, 'name')}"
    block += (f" — {checked(status, 'status')}" if status.strip() else "") + "\n"
    block += f"- {checked(summary, 'summary')}\n" if summary.strip() else ""
    if section is None:
        return set_section(doc, PROGRESS, "Milestones", block.rstrip("\n"), replace=True)
    if section.level == 1:
        raise Refused("The milestones are below a heading of the first level; add this one by hand.")
    eol = eol_of(text)
    body = text[section.body : section.tree_end]
    if not body.strip() or unfilled(body):
        return set_section(doc, PROGRESS, "Milestones", block.rstrip("\n"), replace=True)
    kept = section.body + len(body.rstrip())
    edit = Edit(Span(kept, kept), with_eol(f"\n\n{block}".rstrip("\n"), eol))
    return SectionEdit([edit], edit, 2 * len(eol))


def _milestone_level(doc: Outline, section: BankSection | None) -> int:
    """The level of a milestone's heading: that of the last one, else one below their section's."""
    if section is None:
        return _MILESTONE_LEVEL
    last = [each.level for each in doc.sections if each.above is not None and doc.sections[each.above] is section]
    level = last[-1] if last else section.level + 1
    if level > _DEEPEST:
        raise Refused("The milestones are below a heading of the sixth level; add this one by hand.")
    return level


def set_milestone(text: str, wanted: str, status: str) -> SectionEdit:
    """Another status for a milestone; nothing else of it changes."""
    doc = outline(text)
    section = section_of(doc, PROGRESS, "Milestones")
    inside = [
        each
        for each in doc.sections
        if section and section.head.start < each.head.start < section.tree_end and each.above is not None
    ]
    lines = Lines(text)
    at = matching(
        wanted,
        [each.title for each in inside],
        "milestone",
        lambda number: f"line {lines.at(inside[number].head.start) + 1}",
    )
    edit = milestones.status_edit(text, inside[at].head, checked(status, "status"))
    return SectionEdit([edit], edit, 1)


# Decisions


def new_decision(text: str, title: str, choice: DecisionFields, day: str, supersedes: str | None = None) -> SectionEdit:
    """A decision after all others."""
    block = decision_text(title, choice, day, supersedes)
    doc = outline(text)
    known = decisions.read(doc)
    blank = [each for each in known if dates.is_placeholder(each.title)]
    if len(known) == 1 and blank:
        edit = Edit(known[0].span, with_eol(block.rstrip("\n"), eol_of(text)))
        return SectionEdit([edit], edit)
    if is_blank(text):
        return at_the_end(text, f"# {LOG.title}\n\n{block}", below=f"{LOG.title}\n\n")
    row = None if supersedes else _new_row(doc, known, title, choice, day)
    if row is not None:
        return row
    separated = bool(known) and not _ends_with_rule(text)
    return at_the_end(text, f"---\n\n{block}" if separated else block, below="---\n\n" if separated else "")


def _new_row(
    doc: Outline, known: Sequence[Decision], title: str, choice: DecisionFields, day: str
) -> SectionEdit | None:
    """A row in the table that is the log: last, or first where the newest is.

    None where the log has another form, or the table has no column for something that the decision says.
    """
    table = decisions.table_of(doc, known)
    said = {name: value for name, value in structs.asdict(choice).items() if value and value != "Accepted"}
    values = {**said, "date": day, "decision": checked(title, "title")}
    if table is None or not values.keys() <= set(table.columns) <= _COLUMNS or "\n" in choice.rationale.strip():
        return None
    if "status" in table.columns:
        values["status"] = _status(choice.status)
    cells = (values.get(name, "").strip().replace("\\|", "|").replace("|", "\\|") for name in table.columns)
    row = "| " + " | ".join(cell or "-" for cell in cells) + " |"
    eol, days = eol_of(doc.text), [each.at.local for each in known if each.at]
    if days and days[0] > days[-1]:
        edit = Edit(Span(table.first, table.first), f"{row}{eol}")
        return SectionEdit([edit], edit)
    edit = Edit(Span(table.end, table.end), f"{eol}{row}")
    return SectionEdit([edit], edit, len(eol))


def _ends_with_rule(text: str) -> bool:
    return text.rstrip().endswith(("\n---", "\r---", "\n***", "\n___"))


def decision_text(title: str, choice: DecisionFields, day: str, supersedes: str | None = None) -> str:
    """A decision in the form that every bank is given."""
    status = _status(choice.status)
    lines = [f"## Decision: {checked(title, 'title')}"]
    lines += [f"- **Date**: {day}"] if day else []
    lines.append(f"- **Status**: {status}")
    lines += [f"- **Author**: {checked(choice.author, 'author')}"] if choice.author.strip() else []
    if supersedes:
        lines.append(f"- **Supersedes**: {supersedes}")
    values = (choice.context, "", choice.selected, choice.rationale, choice.trade_offs, choice.consequences)
    for label, value in zip(_LABELS, values, strict=True):
        if label == "Options Considered" and choice.options:
            lines.append(f"- **{label}**:")
            lines += [f"  {at}. {checked(each, 'option')}" for at, each in enumerate(choice.options, 1)]
        elif value.strip():
            lines.append(f"- **{label}**: {_indented(value, label)}")
    return "\n".join(lines) + "\n"


def _indented(value: str, label: str) -> str:
    first, *rest = split_lines(_paragraphs(value, label.lower()))
    return "\n".join([first.strip(), *(f"  {line}" if line else "" for line in rest)])


def find_decision(text: str, wanted: str, records: Sequence[Record] = ()) -> Decision:
    """The decision that is meant: by its number, its title, a part of that, or the id that one of the records has."""
    known = decisions.read(outline(text))
    numbered = [each for each in known if each.number and each.number.casefold() == wanted.strip().casefold()]
    if len(numbered) == 1:
        return numbered[0]
    starts = {each.span.start for each in records if each.kind == "decision" and each.id.startswith(wanted.strip())}
    titles = [" ".join(each.title.split()) for each in known]
    if len(starts) == 1 and len(wanted.strip()) >= _ID_LEAST and wanted not in titles:
        return next(each for each in known if each.span.start in starts)
    lines = Lines(text)
    at = matching(wanted, titles, "decision", lambda number: f"line {lines.at(known[number].span.start) + 1}")
    return known[at]


def supersede(
    text: str,
    old: str,
    title: str,
    choice: DecisionFields,
    day: str,
    read: Callable[[str], Sequence[Record]] | None = None,
) -> SectionEdit:
    """A decision after all others in the place of an old one; each names the other.

    `read` gives the records of the text, so that the old one may be named by its id.
    """
    found = find_decision(text, old, read(text) if read else ())
    named = found.number or " ".join(found.title.split())
    marks = superseded(text, found, " ".join(title.split()))
    added = new_decision(text, title, choice, day, supersedes=named)
    return SectionEdit([*marks, *added.edits], added.main, added.skip)


def superseded(text: str, old: Decision, by: str) -> list[Edit]:
    """The edits that say in an old decision what replaced it: its Status, and nothing else."""
    eol, content = eol_of(text), f"Superseded by {by}"
    if old.status == "Superseded":
        raise Refused(f"{quote(old.title)} is already superseded.")
    status = old.fields.get("Status")
    if status is not None and status.line.start < old.head.start:  # in front matter, where a colon has a meaning
        return [Edit(status.first, content if content.replace(" ", "").isalnum() else _quoted(content))]
    if status is not None and old.form != "table":
        if status.first.start < status.first.end:
            return [Edit(status.first, content)]
        start = status.first.end
        while start < status.line.end and text[start].isspace():
            start += 1
        return [Edit(Span(start, min(line_end(text, start), status.line.end)), content)]
    if old.form in ("log", "item", "table"):
        return [Edit(Span(old.note_at, old.note_at), f" ({content})")]
    day = old.fields.get("Date")
    is_below = day is not None and day.line.start > old.head.start
    at = after_line(text, day.line.start) if day and is_below else after_line(text, old.head.end)
    blank = "" if at == 0 or text[at - 1] in "\r\n" else eol
    return [Edit(Span(at, at), f"{blank}- **Status**: {content}{eol}")]


def _quoted(text: str) -> str:
    """A text as a value of YAML that no reader takes for something else."""
    return f"'{text.replace(chr(39), chr(39) * 2)}'"


# The shape every dialect has


_TASK_STATES = (PLANNED, DOING, DONE)


def prepare(record: Record, now: datetime) -> Record:
    """A decision, an item or a milestone ready to be written; what a bank has no field for is left out."""
    title = checked(record.title or "", "title")
    extra: dict[str, str | Sequence[str]] = {"layer": KINDS[record.kind].removesuffix(".md")}
    if record.kind == "note":
        return _note(record, title, now)
    new = Record(id="", dialect="bank", kind=record.kind, path="", span=record.span, title=title, extra=extra)
    if record.kind == "milestone":
        goals = record.body or record.summary
        return structs.replace(new, status=record.status, body=f"- {checked(goals, 'summary')}" if goals else None)
    if record.kind == "task":
        if record.status not in (None, "", *_TASK_STATES):
            raise Invalid(f"An item of progress.md is {' or '.join(_TASK_STATES)}, not {quote(record.status)}.")
        return structs.replace(new, status=record.status or PLANNED)
    given = {name: record.extra[name] for name in DecisionFields.__struct_fields__ if name in record.extra}
    if record.body and "context" not in given:
        given["context"] = record.body
    if record.summary and record.summary != record.title and "selected" not in given:
        given["selected"] = record.summary
    moment = record.at or times.read(now.date().isoformat())
    replaced = tuple(link for link in record.links if link.type == "supersedes")
    if len(replaced) > 1:
        raise Invalid(f"A decision of a memory bank replaces one other; give {way('--supersedes')} once.")
    return structs.replace(
        new,
        at=moment,
        author=record.author,
        status=record.status and _status(record.status),
        links=replaced,
        extra=extra | given,
    )


def _note(record: Record, title: str, now: datetime) -> Record:
    why = f"Why: {record.rationale}" if record.rationale else ""
    first, _, rest = (record.body or "").strip().partition("\n")
    text = rest.strip() if checked(first or title, "text") == title else f"{first}\n{rest}".strip()
    lines = split_lines("\n\n".join(filter(None, (text, why))))
    body = f"{title}\n{notes.checked_body(lines)}" if lines else None
    moment = record.at or times.read(now.date().isoformat())
    new = Record(id="", dialect="bank", kind="note", path="", span=record.span, title=title, body=body, at=moment)
    return structs.replace(new, extra={"rationale": record.rationale} if why else {})


def place(record: Record) -> str:
    """The file that would hold a record."""
    return KINDS[record.kind]


def insert(text: str, record: Record) -> Sequence[Edit]:
    """A new record in the form of its file."""
    title = record.title or ""
    if record.kind == "decision":
        day = record.at.local.date().isoformat() if record.at else ""
        old = next((link.target for link in record.links if link.type == "supersedes"), None)
        if old is not None:
            return supersede(text, old, title, _choice(record), day).edits
        return new_decision(text, title, _choice(record), day).edits
    if record.kind == "task":
        own = [section.heading for section in PROGRESS.sections]
        section = next((name for name in own if names.STATES.get(name) == record.status), "Upcoming")
        return new_item(text, title, section).edits
    if record.kind == "note":
        day = record.at.local.date().isoformat() if record.at else ""
        return notes.new_note(text, title, (record.body or "").partition("\n")[2], day).edits
    return new_milestone(text, title, record.status or "", (record.body or "").removeprefix("- ")).edits


def _choice(record: Record) -> DecisionFields:
    """What a decision says, under the names that a bank has for it."""
    given = {name: value for name, value in record.extra.items() if name in DecisionFields.__struct_fields__}
    named = {"status": record.status or "Accepted", "author": record.author or ""}
    return msgspec.convert({**given, **named}, DecisionFields)


def _status(status: str) -> str:
    known = next((each for each in STATUSES if each.casefold() == status.strip().casefold()), None)
    if known is None:
        raise Invalid(f"{quote(status)} is not a status of a decision; use {', '.join(STATUSES)}.")
    return known
