"""Rules about what the fields of an entry hold: author, summary, rationale, scope, tags."""

import re
from collections.abc import Iterator

from memdown.diagnostics import Finding, Fix, rule, shown_at
from memdown.dialects.sem import grammar
from memdown.dialects.sem.canonical import EntryField
from memdown.dialects.sem.rules.common import entries, fields, place_of
from memdown.errors import quote
from memdown.markdown.merge_comments import without_merge_comments
from memdown.patterns import lazy
from memdown.record import Document
from memdown.text import Edit, Span

_TAG = lazy(r"[^,]+")
_MARKS = lazy(r"\s*[`#]*([^,]*?)`*\s*")


@rule("SEM030", "error")
def author_missing(doc: Document) -> Iterator[Finding]:
    """An entry does not say who wrote it.

    The author is one of the four fields that every entry has: without one, there is nobody to ask about the entry, and
    other readers of the format reject it.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **type:** note
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **type:** note
        **author:** Ann
    """
    for entry in entries(doc):
        field = entry.inside.get("author")
        if field is None:
            yield Finding(
                entry.heading,
                f"The entry {shown_at(doc, entry.heading)} does not say who wrote it; add `**author:** NAME`.",
            )
        elif not field.value:
            yield Finding(
                place_of(field), f"The author of {shown_at(doc, entry.heading)} is empty; write who wrote it."
            )


@rule("SEM031", "error")
def summary_empty(doc: Document) -> Iterator[Finding]:
    """The summary of an entry is empty.

    Lists and search results show the summary. Write one sentence, or leave the field out: then the title is used.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann

        **summary:**

        **details:** It takes a minute after the start.
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann

        **summary:** The cache is warm a minute after the start.
    """
    for _, field in fields(doc, "summary"):
        if not field.value:
            yield Finding(place_of(field), "The summary of the entry is empty; state the point in one sentence.")


@rule("SEM032", "error")
def summary_missing(doc: Document) -> Iterator[Finding]:
    """An entry has no summary.

    It is required: a sentence of at most 120 characters. The title is shown in place of one.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann

        **summary:** The cache is warm a minute after the start.
    """
    for entry in entries(doc):
        if entry.inside.get("summary") is None:
            yield Finding(
                entry.heading,
                f"The entry {shown_at(doc, entry.heading)} has no summary, so its title is used; add `**summary:** …`.",
            )


@rule("SEM033", "error")
def summary_too_long(doc: Document) -> Iterator[Finding]:
    """The summary of an entry has more than 120 characters.

    It is one sentence for lists; the whole text belongs in `details`. Nothing is cut off.

    ## Bad

    ```markdown
    ### 2026-02-15T14:32:15-0800: note: The cache is warm

    **author:** Ann

    **summary:** The cache is warm a minute after the start, because the first request of each worker fills a part of it and there are eight workers.
    ```

    ## Good

    ```markdown
    ### 2026-02-15T14:32:15-0800: note: The cache is warm

    **author:** Ann

    **summary:** The cache is warm a minute after the start.
    ```
    """  # noqa: E501 - a summary is one line
    for _, field in fields(doc, "summary"):
        summary = without_merge_comments(field.value)
        if len(summary) > grammar.SUMMARY_LIMIT:
            message = (
                f"The summary {quote(summary)} has {len(summary)} characters; "
                f"shorten it to {grammar.SUMMARY_LIMIT}, and put the rest into the details."
            )
            yield Finding(place_of(field), message)


@rule("SEM034", "info")
def rationale_missing(doc: Document) -> Iterator[Finding]:
    """A decision or a directive does not say why.

    Without a reason, nobody can tell later whether it still applies. Memories and notes need none.

    Bad:
        ### 2026-02-15T14:32:15-0800: decision: Retry three times

        **author:** Ann
    Good:
        ### 2026-02-15T14:32:15-0800: decision: Retry three times

        **author:** Ann

        **rationale:** One call in a thousand fails for no reason.
    """
    for entry in entries(doc):
        kind = entry.type(doc.text)
        field = entry.inside.get("rationale")
        if kind in ("decision", "directive") and not (field and field.value):
            yield Finding(
                entry.heading, f"The {kind} {shown_at(doc, entry.heading)} does not say why; add `**rationale:** …`."
            )


@rule("SEM040", "error")
def scope_invalid(doc: Document) -> Iterator[Finding]:
    """The scope of an entry is none that the format knows.

    It is `team`, `project`, `agent:<name>` or `skill:<name>`. An entry with another scope is shown to nobody.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **scope:** backend
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **scope:** agent:backend
    """
    for _, field in fields(doc, "scope"):
        if "," not in field.value and not grammar.SCOPE.fullmatch(field.value):
            known = "team, project, agent:<name> or skill:<name>"
            yield Finding(place_of(field), f"The scope {quote(field.value)} is not {known}.")


@rule("SEM041", "error")
def scope_list(doc: Document) -> Iterator[Finding]:
    """An entry has several scopes.

    A scope is one place. Choose `team` or `project`, or write an entry for each.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **scope:** agent:ann, agent:bob
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **scope:** team
    """
    for _, field in fields(doc, "scope"):
        if "," in field.value:
            yield Finding(
                field.value_span,
                f"The scope {quote(field.value)} is a list; choose team or project, or write an entry for each.",
            )


@rule("SEM042", "warning")
def scope_spaces(doc: Document) -> Iterator[Finding]:
    """The name in a scope has spaces.

    memdown compares it as it is; other readers stop at the first space.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **scope:** agent:application engineer
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **scope:** agent:application-engineer

    ## Fix

    The unsafe fix writes hyphens. It is unsafe because the agent may be named with spaces elsewhere.
    """
    for _, field in fields(doc, "scope"):
        if grammar.SCOPE.fullmatch(field.value) and re.search(r"\s", field.value):
            edit = Edit(field.value_span, re.sub(r"\s+", "-", field.value))
            fix = Fix("write hyphens for spaces", (edit,), safe=False)
            yield Finding(
                field.value_span, f"The name in the scope {quote(field.value)} has spaces; write hyphens.", fix
            )


@rule("SEM045", "warning")
def tag_marks(doc: Document) -> Iterator[Finding]:
    """A tag is written with marks around it.

    memdown ignores number signs and backticks when comparing tags; other readers treat them as part of the tag.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **tags:** #cache, `start`
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **tags:** cache, start

    ## Fix

    The safe fix drops the marks.
    """
    for _, field in fields(doc, "tags"):
        edits = tuple(_without_marks(field))
        if edits:
            yield Finding(
                field.value_span,
                f"The tags {quote(field.value)} have marks; write them bare, with commas.",
                Fix("drop the marks", edits),
            )


def _without_marks(field: EntryField) -> Iterator[Edit]:
    for piece in _TAG.finditer(field.value):
        match = _MARKS.fullmatch(piece.group())
        if match and match[1] and match[1] != piece.group().strip():
            start = field.value_span.start + piece.start()
            inner = piece.group().strip()
            start += piece.group().index(inner)
            yield Edit(Span(start, start + len(inner)), match[1])
