"""Rules about the structure of any text: front matter, fences, comments, left-over conflicts."""

import re
from collections.abc import Iterator

from memdown.acts.check.outline import body_blocks, outline
from memdown.diagnostics import Finding, Fix, rule, shown_at
from memdown.dialects import days
from memdown.errors import way
from memdown.markdown import frontmatter
from memdown.markdown.merge_comments import MARK, merge_comments
from memdown.patterns import lazy
from memdown.record import Document
from memdown.text import Edit, Span

_SO_NEAR = 200
"""So many characters before and behind a date tell what it dates."""
_KEPT_IN_FRONT = lazy(rf"^[ \t]*# {MARK}.*$", re.MULTILINE)
_BOX = lazy(
    r"^[ \t>]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+(?P<box>\[[ \t]?[xX]?[ \t]?\])(?P<gap>[ \t]*)(?=[^\s(\[:])", re.MULTILINE
)
"""What looks like the box of a task; what a link or a definition begins with does not."""
_BOXES = ("[ ]", "[x]", "[X]")
_CONFLICT = lazy(r"^(<{7}(?= )|\|{7}(?= |$)|={7}$|>{7}(?= ))", re.MULTILINE)


@rule("MD010", "error")
def front_matter_unclosed(doc: Document) -> Iterator[Finding]:
    """The front matter begins and does not end.

    A line `---` has to follow the last key; without it the whole file is front matter to some tools, and none
    of it to others.

    Bad:
        ---
        title: Notes

        Some text.
    Good:
        ---
        title: Notes
        ---

        Some text.
    """
    yield from _front_problems(doc, "unclosed")


@rule("MD011", "error", unread=True)
def front_matter_syntax(doc: Document) -> Iterator[Finding]:
    """Lines of the front matter cannot be read.

    Only the first is reported; the other lines are still read. Most tools drop the whole front matter, or the
    whole file, for one such line.

    Bad:
        ---
        title: Notes
        this line is no key
        ---
    Good:
        ---
        title: Notes
        ---
    """
    yield from _front_problems(doc, "syntax", "character")


@rule("MD012", "error")
def front_matter_duplicate_key(doc: Document) -> Iterator[Finding]:
    """A key is in the front matter twice.

    memdown takes the first; other tools take the last, or refuse the file.

    Bad:
        ---
        title: Notes
        title: Other notes
        ---
    Good:
        ---
        title: Notes
        ---
    """
    yield from _front_problems(doc, "duplicate-key")


@rule("MD013", "error")
def front_matter_reference(doc: Document) -> Iterator[Finding]:
    """The front matter uses an anchor, an alias or a tag.

    A few lines of aliases can expand to gigabytes, and a tag can make a reader build any object. memdown reads them as
    plain text and expands nothing.

    Bad:
        ---
        owner: &ann Ann
        reviewer: *ann
        ---
    Good:
        ---
        owner: Ann
        reviewer: Ann
        ---
    """
    yield from _front_problems(doc, "anchor", "alias", "tag", "merge")


@rule("MD014", "error", unread=True)
def front_matter_too_large(doc: Document) -> Iterator[Finding]:
    """The front matter is larger than 64 KB, or nested too deep.

    Nobody writes that much by hand. It is not read.

    Bad:
        ---
        list: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
        ---
    Good:
        ---
        list: [1]
        ---
    """
    yield from _front_problems(doc, "too-large", "too-deep")


def _front_problems(doc: Document, *kinds: str) -> Iterator[Finding]:
    """A finding for each; what is no YAML is one, and nothing else is told of such a block."""
    front = doc.of(frontmatter.read)
    if front is None:
        return
    faults = front.faults()
    for problem in faults[:1] or front.problems:
        if problem.kind in kinds:
            span = Span(problem.span.start, max(each.span.end for each in faults or [problem]))
            where = f" in {shown_at(doc, problem.span)}" if problem.kind in ("syntax", "duplicate-key") else ""
            yield Finding(span, f"{problem.message[0].upper()}{problem.message[1:]}{where}.")


_A_HEADING = lazy(r"^ {0,3}#{1,6}[ \t]+\S", re.MULTILINE)


@rule("MD020", "warning")
def unclosed_fence(doc: Document) -> Iterator[Finding]:
    """A code fence is opened and never closed.

    Everything after it, headings and records included, is code to every reader. It is info where no heading follows, as
    where the code ends with the file.

    Bad:
        ```sh
        make test

        ## Next steps
    Good:
        ```sh
        make test
        ```

        ## Next steps
    """
    for block in doc.once(outline).unclosed:
        if block.kind == "fence":
            line = doc.lines.span(doc.lines.at(block.span.start))
            yield Finding(
                Span(block.span.start, line.end),
                f"The code fence {shown_at(doc, Span(block.span.start, line.end))} is never closed, so the rest "
                "of the file is code; close it.",
                severity=None if _A_HEADING.search(doc.text, line.end) else "info",
            )


@rule("MD021", "warning")
def unclosed_comment(doc: Document) -> Iterator[Finding]:
    """An HTML comment is opened and never closed.

    Everything after it is hidden when the file is shown.

    Bad:
        <!-- status: draft

        ## Decisions
    Good:
        <!-- status: draft -->

        ## Decisions
    """
    for block in doc.once(outline).unclosed:
        if block.info == "comment":
            yield Finding(
                Span(block.span.start, block.span.start + 4),
                "The comment `<!--` is never closed, so the rest of the file is hidden; add `-->`.",
            )


@rule("MD022", "error")
def conflict_marker(doc: Document) -> Iterator[Finding]:
    """A merge conflict was left in the file.

    Git marked two versions and nobody chose. Both are read, and one of them is wrong. `<<<<<<< SEARCH`, which
    assistants use to edit files, is not reported.

    `memdown resolve` merges both sides entry by entry, whether or not the merge was committed.

    Bad (bytes):
        <<<<<<< HEAD\\nPort 8080.\\n=======\\nPort 9090.\\n>>>>>>> feature\\n
    Good:
        Port 9090.
    """
    if "<<<<<<< " not in doc.text and ">>>>>>> " not in doc.text:
        return  # a row of equals signs alone underlines a heading
    example = False
    for match in _CONFLICT.finditer(doc.text):
        if match[1][0] in "<>":  # else it is as the mark before it
            example = doc.text.startswith((" SEARCH", " REPLACE"), match.end())
        if not example:
            message = f"`{match[1]}` is a merge conflict marker; {way('resolve')} merges both sides."
            yield Finding(Span(*match.span()), message)


@rule("MD023", "warning")
def task_box_misspelled(doc: Document) -> Iterator[Finding]:
    """A checkbox is written in a way that no reader recognizes as a task.

    A task of a list is `- [ ] text` or `- [x] text`, with one character in the box and a space after it. Anything else
    is just text: the item is neither open nor done.

    Bad memory-bank/progress.md:
        # Progress

        ## In Progress
        - [] Refunds
        - [x]Orders
    Good memory-bank/progress.md:
        # Progress

        ## In Progress
        - [ ] Refunds
        - [x] Orders

    ## Fix

    The unsafe fix writes the box as readers know it, so that the item becomes a task.
    """
    found = [match for match in _BOX.finditer(doc.text) if match["box"] not in _BOXES or not match["gap"]]
    items = {each.content.start: each for each in body_blocks(doc) if each.kind == "item"} if found else {}
    for match in found:
        if match.start("box") in items:  # and not in code
            box = "[ ]" if match["box"].strip("[ \t]") == "" else "[x]"
            span = Span(match.start("box"), match.end("gap"))
            fix = Fix(f"write `{box}`", (Edit(span, f"{box} "),), safe=False)
            message = f"`{match['box']}` is not read as a task checkbox; write `{box}` and a space."
            yield Finding(Span(*match.span("box")), message, fix)


@rule("MD024", "warning")
def date_with_two_readings(doc: Document) -> Iterator[Finding]:
    """A date with slashes can be two days, and nothing in the file says which.

    11/12/2026 is a day in November to some and in December to others, and only its author knows: there is no fix.
    Until it is resolved, the record counts as undated. An unambiguous date in the same file, such as 31/12/2026,
    settles how all are read, and so does a label such as `Fecha:` or `Datum:`. ISO dates are unambiguous.

    Bad memory-bank/decisionLog.md:
        # Decision Log

        ## Decision: Use SQLite
        - **Date**: 11/12/2026
        - **Status**: Accepted
        - **Rationale**: One file, no server.
    Good memory-bank/decisionLog.md:
        # Decision Log

        ## Decision: Use SQLite
        - **Date**: 2026-11-12
        - **Status**: Accepted
        - **Rationale**: One file, no server.
    """
    if days.days_are_certain(doc.text):
        return
    told: set[int] = set()
    for record in doc.records:
        undated = record.at is None or "at_from" in record.extra
        for match in days.SLASHED.finditer(doc.text, record.span.start, record.span.end) if undated else ():
            either = days.readings(match.group())
            if either and match.start() not in told and _dates_something(doc.text, match):
                told.add(match.start())
                meant = f"it may mean {either[0]} or {either[1]}; write the one that is meant"
                yield Finding(Span(match.start(), match.end()), f"{match.group()} is ambiguous: {meant}.")


def _dates_something(text: str, date: re.Match[str]) -> bool:
    """Whether a date stands where one of a record does: in a heading, behind a label, or first or last in its line."""
    before = text[max(date.start() - _SO_NEAR, 0) : date.start()].replace("\r", "\n").rpartition("\n")[2]
    behind = text[date.end() : date.end() + _SO_NEAR].replace("\r", "\n").partition("\n")[0]
    is_first = not before.strip(" \t*_-+>|([") or before.rstrip(" \t*_").endswith((":", "："))
    return before.lstrip().startswith("#") or is_first or not behind.strip(" \t*_|.)]")


@rule("MRG001", "warning")
def kept_from_both_sides(doc: Document) -> Iterator[Finding]:
    """A merge could not decide between two texts, so it kept both.

    Both sides changed the same text since they diverged. The comment says where: it has the other text, or follows the
    second of the two. Choose with `memdown resolve -i`, or combine both texts, and delete the comment.

    Bad:
        # Context

        The cache is in memory.

        The cache is in Redis.
        <!-- memdown merge: both sides changed this, and both are kept -->
    Good:
        # Context

        The cache is in Redis.
    """
    for found in _kept(doc):
        if not _is_settled(found.of(doc.text)):
            ask = f"choose one with {way('resolve', '-i')}, or by hand, and delete the comment"
            yield Finding(found, f"Both sides of a merge changed this; {ask}.")


@rule("MRG002", "warning")
def newer_value_kept(doc: Document) -> Iterator[Finding]:
    """A merge kept one of two values, and kept the other in a comment.

    Both sides gave a heading, field or row a different value since they diverged. The file has one of them: the newer
    one, if dates show which that is. If it is right, delete the comment; if not, use the value in the comment.
    `memdown resolve -i` asks which one to keep.

    Bad:
        # Context

        **Focus**: paint the fence green
        <!-- memdown merge: one value is kept; the other side had: **Focus**: cache the sessions -->
    Good:
        # Context

        **Focus**: paint the fence green
    """
    for found in _kept(doc):
        if _is_settled(found.of(doc.text)):
            ask = f"choose one with {way('resolve', '-i')}, or delete the comment if the one in the file is right"
            yield Finding(found, f"A merge kept one of two values; {ask}.")


def _kept(doc: Document) -> list[Span]:
    """Where a merge noted what it did."""
    in_front = (found.span() for found in _KEPT_IN_FRONT.finditer(doc.text))
    return [Span(*found) for found in (*merge_comments(doc.text), *in_front)]


def _is_settled(comment: str) -> bool:
    return comment.partition(MARK)[2].startswith("one value is kept")
