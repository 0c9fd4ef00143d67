"""Rules about the text of an entry: where it ends, and what in it other readers take for its end."""

import re
from bisect import bisect
from collections.abc import Iterator

from memdown.diagnostics import Finding, Fix, rule, shown_at
from memdown.dialects.sem import canonical
from memdown.dialects.sem.rules.common import LogEntry, entries, line_at
from memdown.patterns import lazy
from memdown.record import Document
from memdown.text import Edit, Span, eol_of

_LINE = lazy(r"[^\r\n]+")
_STRUCTURE = lazy(r"[ \t]*(?:---[ \t]*|###[ \t].*)")
_HEADING = lazy(r" {0,3}#{1,3}[ \t]+(?!-+[ \t]*\Z)\S.*")


@rule("SEM051", "warning")
def terminator_missing(doc: Document) -> Iterator[Finding]:
    """An entry is not ended by a line `---`.

    It is read up to the next entry, or to the end of the file, with everything in between.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann

        ---

    ## Fix

    The safe fix writes a blank line and `---` after the last line of the entry. Behind a fence that is never closed it
    changes nothing.
    """
    for entry in entries(doc):
        if entry.inside.terminator is None:
            fix = None if entry.inside.fence else Fix("end the entry", (_ending(doc, entry),))
            yield Finding(
                entry.heading, f"The entry {shown_at(doc, entry.heading)} does not end with a line `---`; add one.", fix
            )


def _ending(doc: Document, entry: LogEntry) -> Edit:
    eol = doc.of(eol_of)
    text = doc.text[entry.heading.start : entry.part.end]
    end = entry.heading.start + len(text.rstrip(" \t\r\n"))
    end = doc.lines.span(doc.lines.at(end - 1)).end
    follows = doc.text[end : entry.part.end]
    # Where the next entry begins on the next line, a blank one goes between.
    after = eol if follows and entry.part.end < len(doc.text) and not _has_blank_line(follows) else ""
    return Edit(Span(end, end), f"{eol}{eol}---{after}")


def _has_blank_line(follows: str) -> bool:
    return len(re.findall(r"\r\n|\n|\r", follows)) > 1


@rule("SEM052", "warning")
def dashes_inside(doc: Document) -> Iterator[Finding]:
    """A line `---` is inside an entry and does not end it.

    Text follows it, so it is part of the entry; other readers end the entry there. Write `***` for a rule in
    the text, or put a backslash before the dashes.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann

        **details:**

        It takes a minute.

        ---

        With eight workers it takes two.

        ---
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann

        **details:**

        It takes a minute.

        ***

        With eight workers it takes two.

        ---

    ## Fix

    The unsafe fix puts a backslash before the dashes. memdown drops it when it reads the entry, but a page made from
    the log shows dashes where it had a rule.
    """
    for entry in entries(doc):
        places = sorted(_unescaped(entry)) if entry.inside.dashes else []
        for span in entry.inside.dashes:
            at = span.start + len(span.of(doc.text)) - len(span.of(doc.text).lstrip(" "))
            last = places[bisect(places, Span(at, at)) - 1] if places else Span(0, 0)
            fix = Fix("put a backslash before it", (Edit(Span(at, at), "\\"),), safe=False) if at < last.end else None
            yield Finding(
                span, "This line --- does not end the entry: text follows it, which is taken as details.", fix
            )


def _unescaped(entry: LogEntry) -> Iterator[Span]:
    """Where backslashes before structure are dropped when an entry is read."""
    yield from (field.span for field in entry.inside.fields if field.name in ("details", "rationale"))
    yield from entry.inside.loose


@rule("SEM053", "info")
def structure_in_fence(doc: Document) -> Iterator[Finding]:
    """Code in an entry has a line that other readers mistake for its end.

    memdown sees that `---` or `### ` is inside a fence. Readers that look at single lines do not. Indent the code by
    four spaces if others should read the log too.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: How a card begins

        **author:** Ann

        **details:**

        ```yaml
        ---
        title: Notes
        ```

        ---
    Good:
        ### 2026-02-15T14:32:15-0800: note: How a card begins

        **author:** Ann

        **details:**

        ```yaml
        title: Notes
        ```

        ---
    """
    if "```" not in doc.text and "~~~" not in doc.text:
        return
    for entry in entries(doc):
        for span, is_code in _lines(doc, entry):
            if is_code and _STRUCTURE.fullmatch(span.of(doc.text)):
                yield Finding(
                    span,
                    f"Other readers take the line {shown_at(doc, span)} in this code for the end of the entry; "
                    "indent it.",
                )


@rule("SEM054", "warning")
def fence_unclosed(doc: Document) -> Iterator[Finding]:
    """A fence in an entry is not closed before the entry ends.

    The next entry still ends this one, and the rest of it is text. Other readers treat everything that follows as
    code, entries included.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: How to start

        **author:** Ann

        **details:**

        ```sh
        make start

        ---
    Good:
        ### 2026-02-15T14:32:15-0800: note: How to start

        **author:** Ann

        **details:**

        ```sh
        make start
        ```

        ---
    """
    for entry in entries(doc):
        if entry.inside.fence:
            yield Finding(
                entry.inside.fence,
                f"The fence {shown_at(doc, entry.inside.fence)} is not closed before its entry ends; close it.",
            )


@rule("SEM055", "info")
def body_unlabelled(doc: Document) -> Iterator[Finding]:
    """The text of an entry has no label.

    It is taken as its details. Other readers of the format look for `**details:**`.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann

        It takes a minute after the start.
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann

        **details:** It takes a minute after the start.

    ## Fix

    The safe fix writes `**details:**` above the text, where the entry has no other details.
    """
    for entry in entries(doc):
        can_be_labelled = len(entry.inside.loose) == 1 and entry.inside.get("details") is None
        for span in entry.inside.loose:
            eol = doc.of(eol_of)
            label = (Edit(Span(span.start, span.start), f"**details:**{eol}{eol}"),)
            fix = Fix("label the text", label) if can_be_labelled else None
            yield Finding(
                line_at(doc, span.start),
                f"{shown_at(doc, line_at(doc, span.start))} is under no label and counts as details; "
                "put `**details:**` above it.",
                fix,
            )


@rule("SEM058", "info")
def heading_inside(doc: Document) -> Iterator[Finding]:
    """The text of an entry has a heading of level 1, 2 or 3.

    Only a dated heading begins a new entry here. Other readers end the entry at any such heading, and some treat it as
    a separate entry. Use level 4 and deeper inside an entry.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann

        **details:**

        ## Numbers

        It takes a minute.

        ---
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann

        **details:**

        #### Numbers

        It takes a minute.

        ---
    """
    for entry in entries(doc):
        for span, is_code in _lines(doc, entry):
            if not is_code and _HEADING.fullmatch(span.of(doc.text)):
                yield Finding(
                    span, f"Other readers end the entry at the heading {shown_at(doc, span)}; write it in bold instead."
                )


def _lines(doc: Document, entry: LogEntry) -> list[tuple[Span, bool]]:
    """The lines of an entry's text, and whether each is code."""
    spans = [Span(*match.span()) for match in _LINE.finditer(doc.text, entry.part.text_at, entry.part.end)]
    code = canonical.fenced([span.of(doc.text) for span in spans])
    return list(zip(spans, code, strict=True))
