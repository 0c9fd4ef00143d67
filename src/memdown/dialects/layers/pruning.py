"""What pruning makes of a memory: a shorter text, a longer archive, and what was done.

Nothing here writes. What leaves a memory is in the archive that is returned with it.
"""

from collections.abc import Sequence
from datetime import date

from msgspec import Struct

from memdown.dialects.layers import headings, issues, summary, write
from memdown.dialects.layers.headings import HISTORIES, History, HistoryEntry
from memdown.dialects.layers.issues import Issue
from memdown.limits import LayerSettings
from memdown.text import Edit, Span, apply, eol_of, with_eol

ISSUES_TITLE = "Known Issues Archive"


class Act(Struct, frozen=True):
    """One thing pruning did."""

    action: str
    """archived, removed or flagged."""
    reason: str


class Pruned(Struct, frozen=True):
    """A memory after pruning; the same text when there was nothing to do."""

    text: str
    archive: str | None
    """Its archive with what left the memory; None when nothing did."""
    acts: tuple[Act, ...]
    warnings: tuple[str, ...] = ()


class Archive(Struct, frozen=True):
    """An archive before pruning, and the sections in it that are not to be added again."""

    text: str | None
    there: frozenset[str]

    def with_more(self, title: str, sections: Sequence[str], today: date, eol: str) -> str:
        """The archive with more sections at its end, in the order given."""
        archive = write.fresh(f"# {title}", today, eol) if self.text is None else self.text
        edits = write.restamped(archive, today)
        new = [plain for section in sections if (plain := _plain(section)) not in self.there]
        if new:
            edits += write.appended(archive, "\n\n".join(new))
        return apply(archive, edits)


def can_shrink(file_type: str) -> bool:
    """Whether a memory of this type is ever shortened."""
    return file_type in HISTORIES or file_type == "known_issues"


def prune(
    file_type: str, text: str, archive: str | None, today: date, policy: LayerSettings, *, complete: bool = False
) -> Pruned:
    """Apply the rules of a memory's type.

    `complete` says that the archive is as the last pruning left it. Otherwise what it holds already is not added
    again: somebody may have stopped between writing the archive and shortening the memory.
    """
    history = HISTORIES.get(file_type)
    there: set[str] = set()
    if archive is not None and not complete and can_shrink(file_type):
        found = headings.entries(archive, history) if history else issues.issues(archive, policy.resolved_words)
        there = {_plain(each.span.of(archive)) for each in found}
    kept = Archive(archive, frozenset(there))
    if history:
        return _history(file_type, history, text, kept, today, policy.keep(file_type))
    if file_type == "known_issues":
        return _issues(text, kept, today, policy)
    return Pruned(text, None, ())


def _history(file_type: str, history: History, text: str, archive: Archive, today: date, keep: int) -> Pruned:
    found = headings.entries(text, history)
    if len(found) <= keep:
        return Pruned(text, None, ())
    leaving = headings.oldest_first(found)[: len(found) - keep]
    acts = tuple(
        Act("archived", f"{entry.title} is older than the {keep} {history.noun}s that are kept.") for entry in leaving
    )
    shorter = without(text, [entry.span for entry in leaving])
    if file_type == "test_results_history":
        shorter = summary.merged(shorter, [_dropped(text, entry) for entry in leaving])
    shorter = apply(shorter, write.restamped(shorter, today))
    longer = archive.with_more(history.title, [entry.span.of(text) for entry in leaving], today, eol_of(text))
    return Pruned(shorter, longer, acts)


def _dropped(text: str, entry: HistoryEntry) -> summary.TestSession:
    return summary.session(entry.title, entry.span.of(text), headings.day_of(entry))


def _issues(text: str, archive: Archive, today: date, policy: LayerSettings) -> Pruned:
    found = issues.issues(text, policy.resolved_words)
    warnings = tuple(f"{issue.title} is resolved without a date, so it stays." for issue in found if _undated(issue))
    due = list(issues.due(found, today, policy))
    if not due:
        return Pruned(text, None, (), warnings)
    gone = [issue.span for issue, what, _ in due if what == "remove"]
    tags = [_tag_edit(text, issue, what) for issue, what, _ in due if what != "remove"]
    shorter = without(text, gone, tags)
    shorter = apply(shorter, write.restamped(shorter, today))
    acts = tuple(_issue_act(*each) for each in due)
    if not gone:
        return Pruned(shorter, None, acts, warnings)
    longer = archive.with_more(ISSUES_TITLE, [span.of(text) for span in gone], today, eol_of(text))
    # A section whose inner issues are gone may be an issue itself now, so that one run does all there is to do.
    rest = _issues(shorter, Archive(longer, archive.there), today, policy)
    return Pruned(rest.text, rest.archive or longer, acts + rest.acts, rest.warnings)


def _undated(issue: Issue) -> bool:
    return issue.state == "resolved" and issue.day is None


def _issue_act(issue: Issue, what: str, days: int) -> Act:
    if what == "remove":
        return Act("removed", f"{issue.title} was resolved {days} days ago; its text is in the archive.")
    if what == "tag":
        return Act("flagged", f"{issue.title} had no status update for {days} days; tagged {issues.TAG}.")
    return Act("flagged", f"{issue.title} has a newer status; the tag {issues.TAG} is taken off.")


def _tag_edit(text: str, issue: Issue, what: str) -> Edit:
    status = issue.status.of(text)
    if what == "tag":
        return Edit(Span(issue.status.end, issue.status.end), f" {issues.TAG}")
    return Edit(issue.status, status.replace(f" {issues.TAG}", "").replace(issues.TAG, "").rstrip())


def without(text: str, spans: Sequence[Span], edits: Sequence[Edit] = ()) -> str:
    """The text with sections cut out; nothing but one line ending is left behind the last that stays."""
    shorter = apply(text, [*edits, *(Edit(span, "") for span in spans)])
    if any(span.end == len(text) for span in spans):
        end = len(shorter.rstrip(" \t\r\n"))
        shorter = apply(shorter, [Edit(Span(end, len(shorter)), eol_of(text) if end else "")])
    return shorter


def _plain(section: str) -> str:
    return with_eol(section, "\n").strip("\n")
