"""Rules about where and when a memory holds: scope and time."""

from collections.abc import Iterator

from memdown.diagnostics import Finding, first_line, rule, shown_at
from memdown.dialects.cards import grammar
from memdown.dialects.cards.rules.identity import mending, missing, text_of, value_of, value_span
from memdown.dialects.relations import expires
from memdown.errors import quote
from memdown.markdown import cardfile
from memdown.record import Document


@rule("CRD040", "error")
def applies_to_missing(doc: Document) -> Iterator[Finding]:
    """The front matter has no `applies_to`.

    The scope tells an assistant when to recall the memory: always, for one file, or for one area.

    Bad:
        ---
        subject: Error handling convention
        ---
    Good:
        ---
        subject: Error handling convention
        applies_to: global
        ---
    """
    if missing(doc, "applies_to"):
        yield Finding(
            first_line(doc), "The front matter has no applies_to; write `global`, `file:<path>` or `area:<name>`."
        )


@rule("CRD041", "error")
def applies_to_invalid(doc: Document) -> Iterator[Finding]:
    """`applies_to` is not `global`, `file:<path>` or `area:<name>`.

    A scope that no tool understands is a memory that is never recalled. The words before the colon are
    written in small letters, and something has to follow it.

    Bad:
        ---
        applies_to: src/auth.ts
        ---
    Good:
        ---
        applies_to: 'file:src/auth.ts'
        ---
    """
    if value_of(doc, "applies_to") is None:
        return
    scope = text_of(doc, "applies_to").strip()
    _, colon, rest = scope.partition(":")
    if not cardfile.SCOPE.fullmatch(scope) or (colon and not rest.strip()):
        message = f"The scope {quote(scope)} is not `global`, `file:<path>` or `area:<name>`."
        yield Finding(value_span(doc, "applies_to"), message)


@rule("CRD042", "warning")
def applies_to_outside(doc: Document) -> Iterator[Finding]:
    """The path in `applies_to` is absolute, leaves the project, or uses backslashes.

    Such a path is right on one machine only. Paths are written relative to the project, with forward slashes.

    Bad:
        ---
        applies_to: 'file:/home/ann/project/src/auth.ts'
        ---
    Good:
        ---
        applies_to: 'file:src/auth.ts'
        ---
    """
    scope = text_of(doc, "applies_to").strip()
    fault = cardfile.scope_fault(scope)
    if scope.startswith("file:") and scope[5:].strip() and fault:
        yield Finding(value_span(doc, "applies_to"), f"The scope {scope[:80]!r} {fault}.")


@rule("CRD043", "warning")
def applies_to_several(doc: Document) -> Iterator[Finding]:
    """`applies_to` lists several scopes.

    A scope is one place. With several on one line, tools look for a file with that whole name and find none. Write a
    card for each, or choose the area that holds them all.

    Bad:
        ---
        applies_to: 'file:src/a.ts, file:src/b.ts'
        ---
    Good:
        ---
        applies_to: 'area:src'
        ---
    """
    parts = [part.strip() for part in text_of(doc, "applies_to").split(",")]
    if len(parts) > 1 and all(cardfile.SCOPE.fullmatch(part) for part in parts):
        yield Finding(
            value_span(doc, "applies_to"),
            f"The scope {shown_at(doc, value_span(doc, 'applies_to'))} lists {len(parts)} places; "
            "name one, or write a card for each.",
        )


@rule("CRD044", "info")
def applies_to_gone(doc: Document) -> Iterator[Finding]:
    """The file in `applies_to` is not there.

    It was moved or deleted, or never was a file of this project. The memory is recalled for a file that nobody opens.
    Name the file that has its content now, or an area. If a project has only memory and no code, no scope is reported.

    Bad (json repository):
        {"paths": ["src", "src/auth.ts"]}
    and memories/3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b.md:
        ---
        applies_to: 'file:src/login.ts'
        ---
    Good (json repository):
        {"paths": ["src", "src/auth.ts"]}
    and memories/3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b.md:
        ---
        applies_to: 'file:src/auth.ts'
        ---
    """
    scope = text_of(doc, "applies_to").strip()
    path = scope.removeprefix("file:").strip()
    if doc.around is None or not scope.startswith("file:") or not path or cardfile.scope_fault(scope) or "," in path:
        return
    if not doc.around.is_bare() and not doc.around.has(path):
        yield Finding(
            value_span(doc, "applies_to"),
            f"There is no file {quote(path)} here any more; correct the scope, or delete the card.",
        )


@rule("CRD050", "error")
def occurred_at_missing(doc: Document) -> Iterator[Finding]:
    """The front matter has no `occurred_at`.

    The time orders memories, and together with the content it shows whether this one already exists.

    Bad:
        ---
        subject: Error handling convention
        ---
    Good:
        ---
        subject: Error handling convention
        occurred_at: '2026-01-15T10:30:00Z'
        ---
    """
    if missing(doc, "occurred_at"):
        yield Finding(
            first_line(doc), "The front matter has no occurred_at; write when it was, like 2026-01-31T09:30:00Z."
        )


@rule("CRD051", "error")
def occurred_at_invalid(doc: Document) -> Iterator[Finding]:
    """`occurred_at` is not a date and time as in ISO 8601.

    A date alone is not enough: memories of one day could not be put in order.

    Bad:
        ---
        occurred_at: yesterday at noon
        ---
    Good:
        ---
        occurred_at: '2026-01-15T10:30:00Z'
        ---
    """
    text = text_of(doc, "occurred_at")
    if value_of(doc, "occurred_at") and grammar.moment(text) is None:
        message = f"The time {quote(text.strip())} is not a date and time like 2026-01-31T09:30:00Z."
        yield Finding(value_span(doc, "occurred_at"), message)


@rule("CRD052", "warning")
def occurred_at_without_zone(doc: Document) -> Iterator[Finding]:
    """`occurred_at` does not say in which zone.

    It is taken as UTC. Another tool may take it as local time, and then the same memory has two times.

    Bad:
        ---
        occurred_at: '2026-01-15T10:30:00'
        ---
    Good:
        ---
        occurred_at: '2026-01-15T10:30:00Z'
        ---

    ## Fix

    The unsafe fix adds `Z`.
    """
    moment = grammar.moment(text_of(doc, "occurred_at"))
    if moment and not moment.zone:
        fix = mending(doc, "occurred_at", f"{moment.text}Z", "say that it is UTC", safe=False)
        yield Finding(
            value_span(doc, "occurred_at"),
            f"The time {moment.text} has no zone and is taken as UTC; write {moment.text}Z.",
            fix,
        )


@rule("CRD053", "warning")
def card_expired(doc: Document) -> Iterator[Finding]:
    """A card is past the time that its key `expires` names.

    The format does not have this key, but its author wanted the card to be reviewed by then.

    Bad:
        ---
        occurred_at: '2026-01-15T10:30:00Z'
        expires: '2026-02-01'
        ---
    Good:
        ---
        occurred_at: '2026-01-15T10:30:00Z'
        expires: '2099-02-01'
        ---
    """
    for record in doc.records:
        until = expires(record)
        if until and doc.is_past(until):
            day = until.date().isoformat()
            yield Finding(value_span(doc, "expires"), f"This card expired on {day}; renew it, or delete it.")
