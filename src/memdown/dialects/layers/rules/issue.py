"""Rules about known issues: statuses that say too little to act on."""

import re
from collections.abc import Callable, Iterator
from functools import cache, partial

from memdown.diagnostics import Finding, Fix, rule, shown_at
from memdown.dialects.layers import headings, issues, stamps
from memdown.dialects.layers.issues import Issue
from memdown.dialects.layers.read import address_of
from memdown.patterns import lazy
from memdown.record import Document
from memdown.text import Edit, Span

_NUMBERED = lazy(r"(?:issue\s*)?#?\d+[.):\s]", re.IGNORECASE)
_HALF_RESOLVED = lazy(r"(?:mostly|partially|partly|nearly|almost|largely)[ -](?:resolved|fixed)\b", re.IGNORECASE)
_KNOWN = lazy(
    r"(?:resolved|fixed|in[ -]?progress|open|ongoing|recurring|investigating|acknowledged|monitoring|mitigated|planned"
    r"|pending|blocked|deferred|won'?t fix|critical|fail\w*|minor|pass\w*|new|active|mostly|partially|partly|gradual)",
    re.IGNORECASE,
)


def _issues(doc: Document) -> list[Issue]:
    words = doc.settings.layers.resolved_words
    return doc.of(_reader(words)) if address_of(doc.path).file_type == "known_issues" else []


@cache
def _reader(words: tuple[str, ...]) -> Callable[[str], list[Issue]]:
    """One function for each list of words, so that a document is read once for all rules."""
    return partial(issues.issues, resolved=words)


def _place(issue: Issue) -> Span:
    return issue.status


@rule("LYR050", "warning")
def resolved_undated(doc: Document) -> Iterator[Finding]:
    """An issue is resolved, but has no date.

    A resolved issue is removed from the list after 30 days. Without a date in its status, or a line `**Resolved**:
    YYYY-MM-DD`, it stays forever.

    Bad memory/skills/code-review/my-api/known_issues.md:
        <!-- Last Updated: 2026-01-15 -->

        ### 1. N+1 query in `src/orders.py`

        **Status**: ✅ Resolved
    Good memory/skills/code-review/my-api/known_issues.md:
        <!-- Last Updated: 2026-01-15 -->

        ### 1. N+1 query in `src/orders.py`

        **Status**: ✅ Resolved (2026-01-05)
    """
    for issue in _issues(doc):
        if issue.state == "resolved" and issue.day is None:
            yield Finding(
                _place(issue),
                f"{shown_at(doc, _place(issue))} does not say since when it is resolved, so it never leaves the "
                "list; add the date.",
            )


@rule("LYR051", "info")
def status_undated(doc: Document) -> Iterator[Finding]:
    """The status of an open issue has no date.

    Nobody can tell whether it is still true. A status older than 90 days is tagged `[VERIFY STATUS]` when the list is
    pruned; one without a date never is.

    Bad memory/skills/code-review/my-api/known_issues.md:
        <!-- Last Updated: 2026-01-15 -->

        ### 1. N+1 query in `src/orders.py`

        **Status**: ⚠️ Ongoing
    Good memory/skills/code-review/my-api/known_issues.md:
        <!-- Last Updated: 2026-01-15 -->

        ### 1. N+1 query in `src/orders.py`

        **Status**: ⚠️ Ongoing (2026-01-05)

    ## Fix

    The unsafe fix tags it `[VERIFY STATUS]`.
    """
    for issue in _issues(doc):
        if issue.state == "other" and issue.day is None and not issue.tagged:
            end = issue.status.end
            space = " " if end > issue.status.start else ""
            fix = Fix(f"tag it {issues.TAG}", (Edit(Span(end, end), f"{space}{issues.TAG}"),), safe=False)
            yield Finding(
                _place(issue),
                f"The status {shown_at(doc, _place(issue))} has no date, so nobody knows if it is current; add one.",
                fix,
            )


@rule("LYR052", "info")
def half_resolved(doc: Document) -> Iterator[Finding]:
    """A status says that an issue is resolved in part.

    Such an issue is open: it stays on the list, and is tagged when its status gets old.

    Bad memory/skills/code-review/my-api/known_issues.md:
        <!-- Last Updated: 2026-01-15 -->

        ### 1. N+1 query in `src/orders.py`

        **Status**: ✅ Mostly resolved (2026-01-05)
    Good memory/skills/code-review/my-api/known_issues.md:
        <!-- Last Updated: 2026-01-15 -->

        ### 1. N+1 query in `src/orders.py`

        **Status**: In Progress (2026-01-05)
    """
    for issue in _issues(doc):
        if _HALF_RESOLVED.match(issues.plain_status(issue.status.of(doc.text))):
            yield Finding(
                _place(issue), f"{shown_at(doc, _place(issue))} is resolved in part, so it stays on the list as open."
            )


@rule("LYR053", "warning")
def status_date_impossible(doc: Document) -> Iterator[Finding]:
    """The date of a status is one that no calendar has.

    The status counts as undated.

    Bad memory/skills/code-review/my-api/known_issues.md:
        <!-- Last Updated: 2026-01-15 -->

        ### 1. N+1 query in `src/orders.py`

        **Status**: Resolved (2026-02-30)
    Good memory/skills/code-review/my-api/known_issues.md:
        <!-- Last Updated: 2026-01-15 -->

        ### 1. N+1 query in `src/orders.py`

        **Status**: Resolved (2026-02-28)
    """
    for issue in _issues(doc):
        for match in stamps.DATE.finditer(issue.status.of(doc.text)):
            if stamps.day_of(match[1]) is None:
                yield Finding(_place(issue), f"{match[1]} is not a valid date; write the one that was meant.")


@rule("LYR054", "info")
def issue_without_status(doc: Document) -> Iterator[Finding]:
    """A numbered issue has no `**Status**:` line.

    Pruning leaves it alone, whatever the rest of it says.

    Bad memory/skills/code-review/my-api/known_issues.md:
        <!-- Last Updated: 2026-01-15 -->

        ### 1. N+1 query in `src/orders.py`

        Fixed in January.
    Good memory/skills/code-review/my-api/known_issues.md:
        <!-- Last Updated: 2026-01-15 -->

        ### 1. N+1 query in `src/orders.py`

        **Status**: Resolved (2026-01-05)
    """
    if address_of(doc.path).file_type != "known_issues":
        return
    known = {issue.span.start for issue in _issues(doc)}
    for block in doc.of(headings.headings):
        start = headings.line_start(doc.text, block.span.start)
        if block.level == 3 and start not in known and _NUMBERED.match(block.content.of(doc.text)):
            yield Finding(block.span, f"The issue {shown_at(doc, block.span)} has no status; write `**Status**: open`.")


@rule("LYR055", "info")
def status_unknown(doc: Document) -> Iterator[Finding]:
    """A status begins with a word that says nothing about the issue's state.

    It counts as open. Begin with Resolved, In Progress, Investigating or Open.

    Bad memory/skills/code-review/my-api/known_issues.md:
        <!-- Last Updated: 2026-01-15 -->

        ### 1. N+1 query in `src/orders.py`

        **Status**: see the ticket (2026-01-05)
    Good memory/skills/code-review/my-api/known_issues.md:
        <!-- Last Updated: 2026-01-15 -->

        ### 1. N+1 query in `src/orders.py`

        **Status**: Investigating, see the ticket (2026-01-05)
    """
    for issue in _issues(doc):
        plain = issues.plain_status(issue.status.of(doc.text))
        if not _KNOWN.match(plain) and not _HALF_RESOLVED.match(plain):
            yield Finding(
                _place(issue),
                f"The status {shown_at(doc, _place(issue))} does not begin with a state and counts as open; "
                "write open or resolved.",
            )
