"""Rules about the head of an entry: its heading, its type, and the labels of its fields."""

import re
from collections.abc import Iterator

from memdown.diagnostics import Finding, Fix, rule, shown_at
from memdown.dialects.sem import KINDS, canonical, grammar
from memdown.dialects.sem.rules.common import LogEntry, entries, parts, place_of, with_field
from memdown.errors import quote
from memdown.patterns import lazy
from memdown.record import Document
from memdown.text import Edit, Span

_KINDS = ", ".join(KINDS)
_UNKNOWN_KIND = lazy(rf"(?:{grammar.STAMP.pattern})\s*:\s*([A-Za-z][\w-]*)\s*:", re.ASCII)
_CLOSING = lazy(r"(?<![ \t])[ \t]+#+[ \t]*\Z")


@rule("SEM023", "error")
def head_field_missing(doc: Document) -> Iterator[Finding]:
    """An entry does not repeat its type or its timestamp as a field.

    Both are required. memdown takes them from the heading; readers that only look at fields do not know what the entry
    is.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **type:** note
        **timestamp:** 2026-02-15T14:32:15-0800
        **author:** Ann

    ## Fix

    The safe fix adds the field with what the heading says.
    """
    for entry in entries(doc):
        for name, value in (("type", entry.kind.of(doc.text).lower()), ("timestamp", entry.stamp.text)):
            field = entry.inside.get(name)
            is_known = name == "type" or entry.stamp.moment is not None
            if field is None:
                fix = Fix(f"add the field {name}", (with_field(doc, entry, name, value),))
                yield Finding(
                    entry.heading,
                    f"The entry {shown_at(doc, entry.heading)} has no field {name}; "
                    f"add `**{name}:** {value if is_known else '…'}`.",
                    fix if is_known else None,
                )
            elif not field.value:
                edit = Edit(Span(place_of(field).end, field.value_span.end), f" {value}  ")
                fix = Fix(f"fill in the field {name}", (edit,))
                message = f"The field {name} is empty; {'the heading is used' if is_known else 'say when it was'}."
                yield Finding(place_of(field), message, fix if is_known else None)


@rule("SEM024", "error")
def type_unknown(doc: Document) -> Iterator[Finding]:
    """The type of an entry is none of the four.

    A type is decision, memory, note or directive. With another word in its heading an entry is not seen as one of the
    format at all.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **type:** insight
        **author:** Ann
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **type:** note
        **author:** Ann
    """
    if "**type:**" not in doc.text and "**Type:**" not in doc.text:
        return
    for entry in entries(doc):
        field = entry.inside.get("type")
        if field and field.value and field.value.lower() not in KINDS:
            yield Finding(field.value_span, f"The type {quote(field.value)} is not one of {_KINDS}.")
    for part in parts(doc):
        own = canonical.inside(doc.text, part.text_at, part.end).get("type") if part.form in grammar.LEGACY else None
        match = _UNKNOWN_KIND.match(part.title) if part.form == "dated" else None
        if own and match:
            at = doc.text.index(part.title, part.start)
            yield Finding(
                Span(at + match.start(1), at + match.end(1)), f"The type {quote(match[1])} is not one of {_KINDS}."
            )
        elif own and own.spelled == "type" and own.value and own.value.lower() not in KINDS:
            yield Finding(own.value_span, f"The type {quote(own.value)} is not one of {_KINDS}.")


@rule("SEM025", "warning")
def type_case(doc: Document) -> Iterator[Finding]:
    """The type of an entry is written with capital letters.

    Other readers of the format look for small letters.

    Bad:
        ### 2026-02-15T14:32:15-0800: Note: The cache is warm

        **type:** Note
        **author:** Ann
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **type:** note
        **author:** Ann

    ## Fix

    The safe fix writes it in small letters.
    """
    for entry in entries(doc):
        field = entry.inside.get("type")
        for span in (entry.kind, *([field.value_span] if field else ())):
            written = span.of(doc.text)
            if written != written.lower() and written.lower() in KINDS:
                fix = Fix("write the type in lower case", (Edit(span, written.lower()),))
                yield Finding(
                    span, f"The type {quote(written)} has capital letters; write {quote(written.lower())}.", fix
                )


@rule("SEM026", "warning")
def field_name_case(doc: Document) -> Iterator[Finding]:
    """The name of a field is written with capital letters, or is the one that older entries have.

    Lower case distinguishes a field from a bold label in the text. At the head of an entry, memdown reads both, and
    reads `By` as the author, `What` as the details and `Why` as the rationale.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **Author:** Ann
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann

    ## Fix

    The safe fix writes the name in lower case. If it changes the name, it is unsafe: below `details`, all labels are
    text.
    """
    for entry in entries(doc):
        for field in entry.inside.fields:
            place = Span(field.span.start, field.value_span.start)
            spelled = place.of(doc.text).rstrip()
            if field.name in grammar.FIELDS and spelled != f"**{field.name}:**":
                safe = spelled.lower() == f"**{field.name}:**"
                edit = Edit(Span(place.start, place.start + len(spelled)), f"**{field.name}:**")
                fix = Fix("write the name of the format", (edit,), safe)
                yield Finding(
                    field.label, f"The field {quote(spelled)} is spelled `**{field.name}:**` in the format.", fix
                )


@rule("SEM027", "info")
def field_unknown(doc: Document) -> Iterator[Finding]:
    """A label at the head of an entry is not a field of the format.

    It is kept with the entry under its own name. If it is text, put it below `**details:**`.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **Sprint:** 12
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **tags:** sprint-12
    """
    for entry in entries(doc):
        for field in entry.inside.fields:
            if field.name not in grammar.FIELDS:
                yield Finding(field.label, f"{quote(field.spelled)} is not a field of an entry; it is kept as it is.")


@rule("SEM028", "warning")
def field_duplicate(doc: Document) -> Iterator[Finding]:
    """An entry has the same field twice.

    The first one counts. Where the second is text, put a backslash before it: `\\\\**summary:** …`.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **author:** Bob
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **contributors:** Bob
    """
    for entry in entries(doc):
        seen = set()
        for field in entry.inside.fields:
            if field.name in seen:
                yield Finding(field.label, f"The field {field.name} is repeated here; the first one counts.")
            seen.add(field.name)


@rule("SEM050", "warning")
def heading_level(doc: Document) -> Iterator[Finding]:
    """The heading of an entry has another level than 3.

    Other readers of the format look for three number signs.

    Bad:
        ## 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann

    ## Fix

    The safe fix writes three number signs.
    """
    for entry in entries(doc):
        if entry.part.level != 3:
            marks = Span(entry.heading.start, entry.heading.start + entry.part.level)
            fix = Fix("make it a heading of level 3", (Edit(marks, "###"),))
            yield Finding(
                entry.heading,
                f"The heading {shown_at(doc, entry.heading)} has {entry.part.level} number signs; an entry has `###`.",
                fix,
            )


@rule("SEM056", "warning")
def heading_spacing(doc: Document) -> Iterator[Finding]:
    """The heading of an entry has spaces or marks that the format does not have.

    It is `### timestamp: type: title`, with one space after each colon and no number signs at the end.

    Bad:
        ###  2026-02-15T14:32:15-0800 :  note:The cache is warm ###

        **author:** Ann
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann

    ## Fix

    The safe fix writes the spaces of the format and drops closing marks.
    """
    for entry in entries(doc):
        edits = tuple(edit for edit in _spaces(doc, entry) if edit.span.of(doc.text) != edit.new)
        if edits:
            yield Finding(
                entry.heading,
                f"The heading {shown_at(doc, entry.heading)} is not spaced as `### timestamp: type: title`.",
                Fix("space it", edits),
            )


def _spaces(doc: Document, entry: LogEntry) -> Iterator[Edit]:
    """What should stand between the pieces of a heading."""
    yield Edit(Span(entry.heading.start + entry.part.level, entry.stamp.span.start), " ")
    yield Edit(Span(entry.stamp.span.end, entry.kind.start), ": ")
    if entry.title.end > entry.title.start:
        yield Edit(Span(entry.kind.end, entry.title.start), ": ")
        if _CLOSING.search(doc.text, entry.title.end, entry.heading.end):
            yield Edit(Span(entry.title.end, entry.heading.end), "")


@rule("SEM057", "warning")
def title_empty(doc: Document) -> Iterator[Finding]:
    """The heading of an entry has no title.

    A list of entries shows nothing to choose by, and readers made for the format do not see it.

    Bad:
        ### 2026-02-15T14:32:15-0800: note:

        **author:** Ann
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
    """
    for entry in entries(doc):
        if entry.title.end == entry.title.start:
            yield Finding(
                entry.heading, f"The heading {shown_at(doc, entry.heading)} has no title after its type; write one."
            )
