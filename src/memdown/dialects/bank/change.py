"""Other values for a record of a bank: its title, its text, its status, each where the file has it."""

import re
from collections.abc import Sequence

from msgspec import structs

from memdown.dialects.bank import decisions, write
from memdown.dialects.bank.grammar import STATUSES
from memdown.dialects.bank.items import checked
from memdown.dialects.bank.sections import DONE, OPEN, outline
from memdown.errors import Invalid, Refused, quote, way
from memdown.record import Record
from memdown.text import Edit, Span, after_line, eol_of, line_end, with_eol

_MAY = ("title", "body", "status")


def update(text: str, old: Record, new: Record) -> Sequence[Edit]:
    """The edits from one state of a record to another; they touch only what differs."""
    differing = [name for name in Record.__struct_fields__ if getattr(old, name) != getattr(new, name)]
    if other := [name for name in differing if name not in _MAY]:
        raise Refused(
            f"A {old.kind} of a memory bank has no {other[0]}; its title, its text and its status can be changed."
        )
    edits: list[Edit] = []
    if "title" in differing:
        edits.append(_titled(text, old, new.title or ""))
    if "status" in differing:
        edits += _with_status(text, old, new)
    if "body" in differing:
        edits.append(_with_body(text, old, new.body or ""))
    return edits


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
    new = with_eol("\n".join(line.rstrip() for line in body.strip().splitlines()), eol)
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
        return write.update(text, old, structs.replace(old, status=status))
    if old.kind == "milestone":
        return [_milestone(text, old, status)]
    if old.kind != "decision":
        raise Refused(f"A {old.kind} has no status; its title and its text can be changed.")
    decision = next((each for each in decisions.read(outline(text)) if each.span == old.span), None)
    known = next((each for each in STATUSES if each.casefold() == status.casefold()), None)
    if known is None:
        raise Invalid(f"{quote(status)} is no status of a decision; use {', '.join(STATUSES)}.")
    written = decision.fields.get("Status") if decision else None
    if decision is None or (decision.form in ("log", "item", "table", "document") and written is None):
        raise Refused(f"This decision has no place for a status; edit {old.path}:{old.line} by hand.")
    if written is not None:
        return write.update(text, old, structs.replace(old, status=known))
    day = decision.fields.get("Date")
    at = after_line(text, day.line.start if day else decision.head.end)
    lead = "" if at and text[at - 1] in "\r\n" else eol_of(text)
    return [Edit(Span(at, at), f"{lead}- **Status**: {known}{eol_of(text)}")]


def _milestone(text: str, old: Record, status: str) -> Edit:
    """Another status behind the name of a milestone."""
    end = old.span.start + len(text[old.span.start : line_end(text, old.span.start)].rstrip())
    start = text.rfind(old.status, old.span.start, end) if old.status else -1
    if old.status and start < 0:
        raise Refused(f"The status of this milestone is a picture; edit {old.path}:{old.line} by hand.")
    return (
        Edit(Span(start, start + len(old.status or "")), status) if start >= 0 else Edit(Span(end, end), f" — {status}")
    )
