"""Rules about entries that are written down and not read: one without a heading, and one behind a stray fence."""

from bisect import bisect
from collections.abc import Iterator

from memdown.diagnostics import Finding, rule, shown_at
from memdown.dialects.sem import grammar, split
from memdown.dialects.sem.rules.common import line_at, role
from memdown.patterns import lazy
from memdown.record import Document
from memdown.text import Span

_FENCE = lazy(r"(?:^|(?<=[\r\n])) {0,3}(?P<run>`{3,}(?=[^`\r\n]*(?:[\r\n]|\Z))|~{3,})(?P<info>[^\r\n]*)")
_DATED = lazy(rf"(?<=[\r\n])#{{1,4}}[ \t]+{grammar.STAMP.pattern}[^\r\n]*")
_SIGNED = lazy(
    r"(?<=[\r\n])---[ \t]*(?:\r\n|[\r\n])\s*(?P<head>\*\*(?:By|Authors?|Decided by|Proposed by|Date)"
    r"(?::\*\*|\*\*:)[^\r\n]*)(?:(?:\r\n|[\r\n])\*\*[^\r\n]*)*\s*(?P<next>[^\r\n]*)"
)
_BEGINS = lazy(rf"---|#{{1,4}}[ \t]\W*{grammar.STAMP.pattern}")


@rule("SEM059", "warning")
def entries_in_code(doc: Document) -> Iterator[Finding]:
    """A code block contains headings of entries, which are not read.

    A stray fence opens a code block instead of closing one, and hides every entry up to the next fence. Delete the
    extra one. Code that shows how an entry is written can say so: ```` ```markdown ````.

    Bad:
        ### 2026-02-15: How to start

        make start
        ```

        ### 2026-02-16: How to stop

        ```
        make stop
        ```
    Good:
        ### 2026-02-15: How to start

        make start

        ### 2026-02-16: How to stop

        ```
        make stop
        ```
    """
    for opening, end, info in _code(doc):
        hidden = [] if info else list(_DATED.finditer(doc.text, opening.end, end))
        if hidden:
            first = Span(hidden[0].start(), hidden[0].end())
            others = f" and {len(hidden) - 1} more" if len(hidden) > 1 else ""
            yield Finding(
                opening,
                f"This fence hides the entry {shown_at(doc, first)}{others} as code; delete the fence if it is stray.",
            )


@rule("SEM063", "warning")
def heading_missing(doc: Document) -> Iterator[Finding]:
    """An entry has no heading, so that it is read as part of the one above.

    After a line `---`, there is a date or an author and a text, as at the head of an entry. Write a heading above them.

    Bad:
        ### 2026-02-15: Use SQLite

        **By:** Ann

        One file is enough.

        ---

        **Date:** 2026-02-16
        **By:** Bob

        We write tests first.
    Good:
        ### 2026-02-15: Use SQLite

        **By:** Ann

        One file is enough.

        ---

        ### 2026-02-16: Write tests first

        **By:** Bob

        We write tests first.
    """
    if role(doc) not in ("log", "archive") or "---" not in doc.text:
        return
    code = [(opening.start, end) for opening, end, _ in _code(doc)]
    starts = [start for start, _ in code]
    for match in _SIGNED.finditer(doc.text):
        at = match.start("head")
        above = bisect(starts, at) - 1
        is_code = above >= 0 and at < code[above][1]
        if match["next"] and not _BEGINS.match(match["next"]) and not is_code:
            yield Finding(
                line_at(doc, at), "This begins an entry without a heading, which is read as part of the one above."
            )


def _code(doc: Document) -> Iterator[tuple[Span, int, str]]:
    """Each fence that opens code, where the code ends, and what the fence says of it."""
    if "```" not in doc.text and "~~~" not in doc.text:
        return
    fences = list(_FENCE.finditer(doc.text))
    for opener, closer in split.closed_by([(each["run"], each["info"]) for each in fences]).items():
        if closer is not None:
            opening = fences[opener]
            yield Span(opening.start("run"), opening.end()), fences[closer].start(), opening["info"].strip()
