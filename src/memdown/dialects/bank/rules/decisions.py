"""Rules about decisions: their date, their status, what replaced them, and why they were made."""

from collections.abc import Iterator, Sequence

from memdown.diagnostics import Finding, first_line, rule, rule_across
from memdown.dialects.bank.grammar import LOST, STATUSES, keeps_decisions
from memdown.dialects.bank.rules.common import filled, line_of
from memdown.errors import quote
from memdown.patterns import lazy
from memdown.record import COMMITTED, Document, Link, Record
from memdown.text import without_bold

_REASONS = ("rationale", "context", "selected")
_YEAR = lazy(r"\b(?:19|20)\d{2}\b")
_UNKNOWN = lazy(r"[ \t]*\|[ \t]*[-–—?][ \t]*\|")
"""A row whose first cell says that nobody knows."""


@rule("BNK030", "warning")
def decision_without_a_date(doc: Document) -> Iterator[Finding]:
    """A decision does not say when it was made.

    Two decisions that contradict each other can only be ordered by their dates. A month or a year is only info, since
    it orders most of them, and so is a dash in a table, since the date is unknown. A log where no decision has a date
    is reported once, as info.

    Bad memory-bank/decisionLog.md:
        # Decision Log

        ## Decision: Use SQLite
        - **Status**: Accepted
    Good memory-bank/decisionLog.md:
        # Decision Log

        ## Decision: Use SQLite
        - **Date**: 2026-02-01
        - **Status**: Accepted
    """
    decisions = [*filled(doc.records, "decision")]
    if len(decisions) > 1 and not any(each.at or each.extra.get("date") for each in decisions):  # the form of this log
        how = f"None of the {len(decisions)} decisions of this file has a date; write one into those you add"
        yield Finding(line_of(doc, decisions[0]), f"{how}, as `- **Date**: YYYY-MM-DD`.", severity="info")
        return
    for record in decisions:
        date = record.extra.get("date")
        if record.at is None and not str(date).startswith("["):  # a placeholder is told by a rule of its own
            what = f"has the date {quote(str(date))}, which is not a valid day" if date else "has no date"
            how = "fill in its cell as YYYY-MM-DD" if record.form == "table" else "write `- **Date**: YYYY-MM-DD`"
            severity = "info" if _YEAR.search(str(date)) or _UNKNOWN.match(line_of(doc, record).of(doc.text)) else None
            yield Finding(line_of(doc, record), f"{_named(record)} {what}; {how}.", severity=severity)


@rule("BNK031", "info")
def decision_without_a_status(doc: Document) -> Iterator[Finding]:
    """A decision in a block of its own has no Status.

    Then nobody knows whether it is still in force. A line of a log or a row of a table does not need one.

    Bad memory-bank/decisionLog.md:
        # Decision Log

        ## Decision: Use SQLite
        - **Date**: 2026-02-01
    Good memory-bank/decisionLog.md:
        # Decision Log

        ## Decision: Use SQLite
        - **Date**: 2026-02-01
        - **Status**: Accepted
    """
    for record in filled(doc.records, "decision"):
        if record.status is None and record.extra.get("form") in ("heading", "adr", "labelled", "document"):
            yield Finding(line_of(doc, record), f"{_named(record)} has no status; write `- **Status**: Accepted`.")


@rule("BNK032", "warning")
def status_unknown(doc: Document) -> Iterator[Finding]:
    """A decision's Status is none of Accepted, Superseded, Deprecated, Proposed and Rejected.

    Tools and people look for these words. A status of several words says more, and is only a note.

    Bad memory-bank/decisionLog.md:
        # Decision Log

        ## Decision: Use SQLite
        - **Date**: 2026-02-01
        - **Status**: Cool
    Good memory-bank/decisionLog.md:
        # Decision Log

        ## Decision: Use SQLite
        - **Date**: 2026-02-01
        - **Status**: Accepted
    """
    for record in filled(doc.records, "decision"):
        if record.status is not None and record.status not in STATUSES:
            message = (
                f"{_named(record)} has the status {quote(record.status)}; "
                f"use {', '.join(STATUSES[:-1])} or {STATUSES[-1]}."
            )
            yield Finding(line_of(doc, record), message, severity="info" if " " in record.status.strip() else None)


@rule("BNK033", "info")
def not_decided(doc: Document) -> Iterator[Finding]:
    """A decision's Status is Proposed or Rejected.

    The log is for what was decided. Until then, a proposal belongs in the active decisions of the active context;
    rejected ideas are listed as options of the decision that was made.

    Bad memory-bank/decisionLog.md:
        # Decision Log

        ## Decision: Use SQLite
        - **Date**: 2026-02-01
        - **Status**: Proposed
    Good memory-bank/decisionLog.md:
        # Decision Log

        ## Decision: Use SQLite
        - **Date**: 2026-02-01
        - **Status**: Accepted
    """
    for record in filled(doc.records, "decision"):
        if record.status in ("Proposed", "Rejected"):
            yield Finding(
                line_of(doc, record),
                f"{_named(record)} is {record.status.lower()}; a log is for decisions that were made.",
            )


@rule("BNK034", "warning")
def superseded_by_nothing(doc: Document) -> Iterator[Finding]:
    """A decision is superseded, but neither does it name what replaced it, nor does another decision say so.

    A reader who finds the old one then only knows what no longer applies. `memdown bank supersede-decision` writes both
    links.

    Bad memory-bank/decisionLog.md:
        # Decision Log

        ## Decision: Use SQLite
        - **Date**: 2026-02-01
        - **Status**: Superseded
    Good memory-bank/decisionLog.md:
        # Decision Log

        ## Decision: Use SQLite
        - **Date**: 2026-02-01
        - **Status**: Superseded by Use PostgreSQL

        ---

        ## Decision: Use PostgreSQL
        - **Date**: 2026-03-01
        - **Status**: Accepted
        - **Supersedes**: Use SQLite
    """
    replaced = {_folded(link.target) for record in doc.records for link in _links(record, "supersedes")}
    for record in filled(doc.records, "decision"):
        if record.status == "Superseded" and not [*_links(record, "superseded_by")] and not _names(record) & replaced:
            yield Finding(
                line_of(doc, record),
                f"{_named(record)} is superseded, but nothing says by what; add `- **Superseded by**: …`.",
            )


@rule("BNK035", "warning")
def replaces_what_is_not_there(doc: Document) -> Iterator[Finding]:
    """A decision names another as its successor or predecessor that the log does not have.

    The title was changed, or the entry was deleted, which never happens to a log that is only appended to.

    Bad memory-bank/decisionLog.md:
        # Decision Log

        ## Decision: Use SQLite
        - **Date**: 2026-02-01
        - **Status**: Superseded by Use PostgreSQL
    Good memory-bank/decisionLog.md:
        # Decision Log

        ## Decision: Use SQLite
        - **Date**: 2026-02-01
        - **Status**: Superseded by Use PostgreSQL

        ---

        ## Decision: Use PostgreSQL
        - **Date**: 2026-03-01
        - **Status**: Accepted
        - **Supersedes**: Use SQLite
    """
    known = {name for record in doc.records if record.kind == "decision" for name in _names(record)}
    for record in filled(doc.records, "decision"):
        for link in record.links:
            target = _folded(link.target)
            first = target.split(" ", 1)[0].strip(":,.;")
            if target not in known and first not in known:
                yield Finding(
                    line_of(doc, record),
                    f"{_named(record)} points at {quote(link.target)}, which the log does not have; correct the title.",
                )


@rule("BNK036", "info")
def decision_without_a_reason(doc: Document) -> Iterator[Finding]:
    """A decision in a block of its own says neither what led to it nor why it was made.

    The reason is what keeps the next session from deciding otherwise.

    Bad memory-bank/decisionLog.md:
        # Decision Log

        ## Decision: Use SQLite
        - **Date**: 2026-02-01
        - **Status**: Accepted
    Good memory-bank/decisionLog.md:
        # Decision Log

        ## Decision: Use SQLite
        - **Date**: 2026-02-01
        - **Status**: Accepted
        - **Rationale**: One file, no server to run.
    """
    for record in filled(doc.records, "decision"):
        block = record.extra.get("form") in ("heading", "adr", "labelled", "document")
        if block and not any(record.extra.get(name) for name in _REASONS):
            yield Finding(line_of(doc, record), f"{_named(record)} does not say why; add `- **Rationale**: …`.")


@rule_across(LOST, "error")
def decision_lost(documents: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """A decision of the last commit is gone from the log and from its archives, or has moved within it.

    The log is append-only, and `memdown slim` moves old decisions to the folder `archive` next to it. Only the Status
    of an old decision may change; a decision that no longer applies is superseded by another. `memdown
    validate` compares the log with the last commit, which is HEAD here.

    Bad HEAD:memory-bank/decisionLog.md:
        # Decision Log

        ## Decision: Use SQLite
        - **Date**: 2026-02-01
        - **Status**: Accepted
    and memory-bank/decisionLog.md:
        # Decision Log

        ## Decision: Use PostgreSQL
        - **Date**: 2026-03-01
        - **Status**: Accepted
    Good HEAD:memory-bank/decisionLog.md:
        # Decision Log

        ## Decision: Use SQLite
        - **Date**: 2026-02-01
        - **Status**: Accepted
    and memory-bank/decisionLog.md:
        # Decision Log

        ## Decision: Use SQLite
        - **Date**: 2026-02-01
        - **Status**: Superseded by Use PostgreSQL

        ---

        ## Decision: Use PostgreSQL
        - **Date**: 2026-03-01
        - **Status**: Accepted
        - **Supersedes**: Use SQLite
    """
    by_path = {doc.path: doc for doc in documents}
    for doc in documents:
        now = by_path.get(doc.path.removeprefix(COMMITTED))
        if doc.path.startswith(COMMITTED) and now is not None:
            archive = f"{now.path.rpartition('/')[0]}/archive/"
            archived = [each for each in documents if each.path.startswith(archive) and keeps_decisions(each.path)]
            yield from ((now, finding) for finding in _lost(doc, now, archived))


def _lost(before: Document, now: Document, archives: Sequence[Document]) -> Iterator[Finding]:
    archived = {_key(record) for doc in archives for record in filled(doc.records, "decision")}
    # Above entries of a lower level, a decision is read as the section that holds them.
    sections = {_text(doc, record) for doc in archives for record in doc.records if record.kind == "section"}
    there: dict[str, list[Record]] = {}
    for record in filled(now.records, "decision"):
        there.setdefault(_key(record), []).append(record)
    last = -1
    for record in filled(before.records, "decision"):
        found = there.get(_key(record))
        if not found and (_key(record) in archived or _text(before, record) in sections):
            continue
        if not found:
            yield Finding(
                first_line(now), f"{_named(record)} of the last commit is gone; the log is append-only, so restore it."
            )
            continue
        same = found.pop(0)
        if same.span.start < last:
            yield Finding(
                line_of(now, same),
                f"{_named(same)} was below others that are now below it; keep the order of the log.",
            )
        last = max(last, same.span.start)


def _text(doc: Document, record: Record) -> str:
    return doc.text[record.span.start : record.span.end].strip()


def _named(record: Record) -> str:
    return f"The decision {quote(without_bold(record.title or ''))}"


def _key(record: Record) -> str:
    return f"{record.extra.get('number')}\0{_folded(record.title or '')}"


def _links(record: Record, kind: str) -> Iterator[Link]:
    return (link for link in record.links if link.type == kind)


def _names(record: Record) -> set[str]:
    names = {_folded(record.title or "")}
    number = record.extra.get("number")
    return names | {_folded(str(number))} if number else names


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
