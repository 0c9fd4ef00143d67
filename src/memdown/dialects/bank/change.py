"""Other values for a record of a bank: its title, its text, its status, each where the file has it."""

import re
from collections.abc import Sequence

from memdown.dialects.bank import decisions, milestones
from memdown.dialects.bank.decisions import Decision
from memdown.dialects.bank.grammar import STATUSES
from memdown.dialects.bank.items import boxed, checked
from memdown.dialects.bank.sections import DONE, OPEN, outline
from memdown.errors import Invalid, Refused, quote, way
from memdown.markdown.line_ends import split_lines
from memdown.record import Record
from memdown.text import Edit, Span, after_line, eol_of, line_end, line_start, with_eol

_MAY = ("title", "body", "status", "extra")
_ABOVE_WHY = ("Date", "Status", "Supersedes", "Context", "Options Considered", "Selected")
"""What a decision says before its rationale."""


def update(text: str, old: Record, new: Record) -> Sequence[Edit]:
    """The edits from one state of a record to another; they touch only what differs."""
    differing = [name for name in Record.__struct_fields__ if getattr(old, name) != getattr(new, name)]
    if other := [name for name in differing if name not in _MAY]:
        raise Refused(
            f"A {old.kind} of a memory bank has no {other[0]}; its title, its text and its status can be changed."
        )
    if foreign := [name for name in {**old.extra, **new.extra} if old.extra.get(name) != new.extra.get(name)]:
        _check_extra(old, foreign, differing)
    edits: list[Edit] = []
    if "title" in differing:
        edits.append(_titled(text, old, new.title or ""))
    if "status" in differing:
        edits += _with_status(text, old, new)
    if "body" in differing:
        edits.append(_with_body(text, old, new.body or ""))
    if new.rationale != old.rationale:
        edits.append(_with_rationale(text, old, new.rationale))
    return edits


def _check_extra(old: Record, names: Sequence[str], differing: Sequence[str]) -> None:
    """Of the fields that only a bank has, the rationale of a decision can change, apart from the text it is in."""
    if names != ["rationale"] or old.kind != "decision":
        raise Refused(f"A {old.kind} of a memory bank has no {names[0]} that can be changed; edit {old.path} by hand.")
    if "body" in differing:
        raise Invalid("The rationale of a decision is a part of its text; give one or the other.")


def _with_rationale(text: str, old: Record, why: str) -> Edit:
    """Another reason after its label, or one more field behind those that come before it."""
    value = _reason(why)
    decision = _decision(text, old)
    if decision is None or decision.form in ("log", "item", "table"):
        raise Refused(f"This decision has no place for a rationale; edit {old.path}:{old.line} by hand.")
    eol, field = eol_of(text), decision.fields.get("Rationale")
    if field is not None:
        start = field.first.start
        there = text[start : field.line.end]
        below = there[: len(there) - len(there.lstrip())]
        label = text[line_start(text, field.line.start) : start]
        if there.strip():
            start += len(below)
            lone = "\n" in below or "\r" in below
            return Edit(Span(start, field.line.end), with_eol(value if lone else _hanging(value, label), eol))
        lead = "\n" if label.lstrip().startswith("#") or ":" not in label else "" if label[-1:] in " \t" else " "
        return Edit(Span(start, start), with_eol(f"{lead}{value if lead == chr(10) else _hanging(value, label)}", eol))
    above = [each for name, each in decision.fields.items() if name in _ABOVE_WHY]
    last = max(above, key=lambda each: each.line.end, default=None)
    if last is None:
        at = decision.span.end
        return Edit(Span(at, at), with_eol(f"\n\n- **Rationale**: {_hanging(value, '- ')}", eol))
    at, label = last.line.end, text[last.line.start : last.first.start].lstrip()
    if label.startswith("#"):
        marks = label[: len(label) - len(label.lstrip("#"))]
        return Edit(Span(at, at), with_eol(f"\n\n{marks} Rationale\n{value}", eol))
    dash = "- " if label.startswith(("-", "*   ", "+")) or label[:2] == "* " else ""
    gap = "\n" if dash else "\n\n"
    return Edit(Span(at, at), with_eol(f"{gap}{dash}**Rationale**: {_hanging(value, dash)}", eol))


def _reason(why: str) -> str:
    value = "\n".join(line.rstrip() for line in split_lines(why.strip()))
    if not value:
        raise Invalid("The rationale is empty; say why, or leave it as it is.")
    if re.search(r"^ {0,3}#{1,6}(?:\s|$)", value, re.MULTILINE):
        raise Invalid("The rationale has a heading in it, which would end it; leave it out.")
    return value


def _hanging(value: str, label: str) -> str:
    """Lines after a label; below a bullet they are its own."""
    indent = "  " if label.lstrip()[:2] in ("- ", "* ", "+ ") else ""
    first, *rest = split_lines(value)
    return "\n".join([first, *(f"{indent}{line}".rstrip() for line in rest)])


def _decision(text: str, old: Record) -> Decision | None:
    """Where a decision stands and what its fields are."""
    doc = outline(text)
    known = decisions.whole(doc) if old.form == "document" else decisions.read(doc)
    return next((each for each in known if each.span == old.span), None)


def _titled(text: str, old: Record, title: str) -> Edit:
    """Another title in the line that begins the record."""
    line = Span(old.span.start, line_end(text, old.span.start))
    start = text.find(old.title or "", line.start, line.end) if old.title else -1
    if start < 0:
        raise Refused(f"The title of this {old.kind} is not on one line; edit {old.path}:{old.line} by hand.")
    return Edit(Span(start, start + len(old.title or "")), checked(title, "title"))


def _with_body(text: str, old: Record, body: str) -> Edit:
    """Another text below the heading; that of sections below it stays."""
    if old.kind not in ("section", "milestone", "decision") or old.form in ("item", "table", "log"):
        raise Refused(f"A {old.kind} is one line here, its title; change that with {way('--title')}.")
    if re.search(r"^ {0,3}#{1,6}(?:\s|$)", body, re.MULTILINE) and old.kind != "decision":
        raise Invalid("The text has a heading in it, which would end its section; leave it out.")
    eol = eol_of(text)
    start = after_line(text, old.span.start)
    inner = text[start : old.span.end]
    new = with_eol("\n".join(line.rstrip() for line in split_lines(body.strip())), eol)
    if inner.strip():
        start += len(inner) - len(inner.lstrip())
        return Edit(Span(start, old.span.end), new)
    lead = "" if start and text[start - 1] in "\r\n" else eol
    return Edit(Span(start, start), f"{lead}{new}{eol}")


def _with_status(text: str, old: Record, new: Record) -> Sequence[Edit]:
    status = checked(new.status or "", "status")
    if old.kind == "task":
        if status not in (DONE, OPEN):
            raise Refused(
                f"A task is {DONE} or {OPEN} by its box; {way('bank start-item')} and {way('bank complete')}"
                " move it to another section."
            )
        item = next((each for each in outline(text).items if each.span == old.span), None)
        if item is None:
            raise Refused(f"{old.path} does not have the box of this task.")
        return boxed(item, "[x]" if status == DONE else "[ ]")
    if old.kind == "milestone":
        line = Span(old.span.start, line_end(text, old.span.start))
        return [milestones.status_edit(text, line, status)]
    if old.kind != "decision":
        raise Refused(f"A {old.kind} has no status; its title and its text can be changed.")
    decision = _decision(text, old)
    known = next((each for each in STATUSES if each.casefold() == status.casefold()), None)
    if known is None:
        raise Invalid(f"{quote(status)} is not a status of a decision; use {', '.join(STATUSES)}.")
    written = decision.fields.get("Status") if decision else None
    if decision is None or (decision.form in ("log", "item", "table", "document") and written is None):
        raise Refused(f"This decision has no place for a status; edit {old.path}:{old.line} by hand.")
    if written is not None and written.first.start < written.first.end:
        return [Edit(written.first, known)]
    if written is not None:
        raise Refused(f"{old.path} has no place for this status.")
    day = decision.fields.get("Date")
    at = after_line(text, day.line.start if day else decision.head.end)
    lead = "" if at and text[at - 1] in "\r\n" else eol_of(text)
    return [Edit(Span(at, at), f"{lead}- **Status**: {known}{eol_of(text)}")]
