"""Taking records out of a bank: which of them stay, what goes with each, and which rule between decisions."""

import shlex
from collections.abc import Sequence
from datetime import datetime

from msgspec import structs

from memdown.dialects.bank import decisions, grammar
from memdown.dialects.bank.sections import BankSection, Outline, outline
from memdown.dialects.remove import everything, is_rule, line_after, line_before, without
from memdown.errors import some, way
from memdown.record import Record
from memdown.text import Edit

_SHOWN = 3


def kept(text: str, record: Record, new: Record | None = None) -> str | None:
    """A decision of the log, of which little may change; a heading with others below it."""
    if record.kind == "decision" and grammar.keeps_decisions(record.path):
        if new is not None and _may_change(record, new):
            return None
        name = shlex.quote(record.number or record.title or "")
        replacing = way("bank supersede-decision", name, "'NEW TITLE'")
        return (
            f"{record.path}:{record.line} is a decision, and decision logs are append-only;"
            f" {replacing} replaces it, {way('edit', record.id, '--status deprecated')} retires it,"
            f" and {way('--force')} {'deletes' if new is None else 'changes'} it anyway."
        )
    section = _section(outline(text), record) if new is None else None
    if section is not None and section.tree_end > section.end:
        below = [each for each in outline(text).sections if section.head.start < each.head.start < section.tree_end]
        shown = some([f'"{each.title}"' for each in below], _SHOWN)
        return (
            f'"{section.title}" ({record.path}:{record.line}) has sections below it: {shown};'
            f" delete those first, or all of it with {way('--force')}."
        )
    return None


def _may_change(old: Record, new: Record) -> bool:
    """Whether only the status differs, or a reason comes where there was none: nothing that was decided is lost."""
    if not old.rationale:
        old, new = (structs.replace(each, extra={**each.extra, "rationale": ""}) for each in (old, new))
    differing = [name for name in Record.__struct_fields__ if getattr(old, name) != getattr(new, name)]
    return differing in ([], ["status"])


def reference(record: Record, others: Sequence[Record], now: datetime) -> str:  # noqa: ARG001 - the shape of all rooms
    """How a decision is named by one that replaces it: by its number, else by its title."""
    return record.number or " ".join((record.title or "").split())


def remove(text: str, record: Record) -> list[Edit]:
    """The lines of a record; a section with all that is below it, a decision with the rule beside it."""
    doc = outline(text)
    section = _section(doc, record)
    if section is not None:
        if section.level == 1 and section.tree_end == len(text) and not text[: section.head.start].strip("\ufeff \r\n"):
            return [everything(text)]
        return [without(text, section.head.start, section.tree_end)]
    if record.kind != "decision":
        return [without(text, record.span.start, record.span.end)]
    if record.form == "document":
        return [everything(text)]
    return [_decision(doc, record)]


def _section(doc: Outline, record: Record) -> BankSection | None:
    if record.kind not in ("section", "milestone"):
        return None
    return next((each for each in doc.sections if each.head.start == record.span.start), None)


def _decision(doc: Outline, record: Record) -> Edit:
    text, start, end = doc.text, record.span.start, record.span.end
    before, after = line_before(text, start), line_after(text, end - 1)
    ruled_before = before is not None and is_rule(before.of(text))
    ruled_after = after is not None and is_rule(after.of(text))
    blocks = [each.span for each in decisions.read(doc) if each.form not in ("item", "table")]
    if (
        before
        and ruled_before
        and (ruled_after or (after is None and any(each.end <= before.start for each in blocks)))
    ):
        start = before.start
    elif after and ruled_after:
        follows = line_after(text, after.end)
        if follows and any(each.start == follows.start for each in blocks):
            end = after.end
    return without(text, start, end)
