"""What is over in a memory: entries beyond those that stay, resolved issues; and what of it is left behind."""

from collections.abc import Callable, Collection, Sequence
from datetime import date

from memdown.dialects.due import Due
from memdown.dialects.layers import headings, issues, summary, write
from memdown.dialects.layers.headings import HISTORIES, History
from memdown.dialects.layers.issues import Issue
from memdown.record import Document
from memdown.text import Edit, Span, apply, eol_of, with_eol

ISSUES = "known_issues"
_ISSUES_TITLE = "Known Issues Archive"
There = Callable[[], Collection[str]]
"""Sections that an archive has already. It is asked only when something goes there."""


def can_shrink(file_type: str) -> bool:
    """Whether a memory of this type is ever shortened."""
    return file_type in HISTORIES or file_type == ISSUES


def due(doc: Document, file_type: str, target: str, there: There) -> list[Due]:
    """What the rules of a memory's type do to it today."""
    if file_type in HISTORIES:
        return _old_entries(doc, HISTORIES[file_type], doc.settings.layers.keep(file_type), target, there)
    return _issues(doc, target, there) if file_type == ISSUES else []


def _old_entries(doc: Document, history: History, keep: int, target: str, there: There) -> list[Due]:
    found = headings.entries(doc.text, history)
    reason = f"is older than the {keep} {history.noun}s that are kept."
    return [
        _leaving(doc, each.span, each.title, target, f"{each.title} {reason}", "archived", there, headings.day_of(each))
        for each in headings.oldest_first(found)[: max(len(found) - keep, 0)]
    ]


def _issues(doc: Document, target: str, there: There) -> list[Due]:
    limits = doc.settings.layers
    found = issues.issues(doc.text, limits.resolved_words)
    todo = issues.due(found, _today(doc), limits)
    dues = [_issue(doc, *each, target, there) for each in todo]
    undated = [each for each in found if each.state == "resolved" and each.day is None]
    return dues + [_staying(each, f"{each.title} is resolved without a date, so it stays.") for each in undated]


def _issue(doc: Document, issue: Issue, what: str, days: int, target: str, there: There) -> Due:
    if what == "remove":
        reason = f"{issue.title} was resolved {days} days ago; its text is in the archive."
        return _leaving(doc, issue.span, issue.title, target, reason, "removed", there)
    status = issue.status.of(doc.text)
    if what == "tag":
        reason = f"{issue.title} had no status update for {days} days; tagged {issues.TAG}."
        return _staying(issue, reason, Edit(Span(issue.status.end, issue.status.end), f" {issues.TAG}"))
    reason = f"{issue.title} has a newer status; the tag {issues.TAG} is taken off."
    bare = status.replace(f" {issues.TAG}", "").replace(issues.TAG, "").rstrip()
    return _staying(issue, reason, Edit(issue.status, bare))


def _leaving(
    doc: Document, span: Span, title: str, target: str, reason: str, action: str, there: There, day: date | None = None
) -> Due:
    text = _plain(span.of(doc.text))
    return Due(span.start, span, text, title, target, reason, action, day, there=text in there())


def _staying(issue: Issue, reason: str, *edits: Edit) -> Due:
    return Due(issue.span.start, issue.span, "", issue.title, "", reason, "flagged" if edits else "", edits=edits)


def _today(doc: Document) -> date:
    return doc.now.date() if doc.now else date.min


def sections(file_type: str, text: str, resolved_words: Sequence[str]) -> frozenset[str]:
    """The sections of an archive, each as it was taken in."""
    history = HISTORIES.get(file_type)
    found = headings.entries(text, history) if history else issues.issues(text, resolved_words)
    return frozenset(_plain(each.span.of(text)) for each in found)


def contents(_: str, text: str) -> list[tuple[int, object]]:
    """Where each heading stands and what it says."""
    return [(block.span.start, (block.level, block.content.of(text))) for block in headings.headings(text)]


def begun(doc: Document, file_type: str, text: str | None, eol: str) -> str:
    """An archive before sections come to it, with the stamp of today."""
    if text is None:
        title = HISTORIES[file_type].title if file_type in HISTORIES else _ISSUES_TITLE
        return write.fresh(f"# {title}", _today(doc), eol)
    return apply(text, write.restamped(text, _today(doc)))


def grown(_: str, text: str, going: Sequence[Due]) -> str:
    """The archive with more sections at its end."""
    new = [each.text for each in going if not each.there]
    return apply(text, write.appended(text, "\n\n".join(new))) if new else text


def trimmed(doc: Document, file_type: str, text: str, going: Sequence[Due]) -> str:
    """A memory after sections left it: one line ending at its end, the summary of its test sessions, the stamp."""
    if any(each.cut.end == len(doc.text) for each in going):
        end = len(text.rstrip(" \t\r\n"))
        text = text[:end] + (eol_of(doc.text) if end else "")
    if going and file_type == "test_results_history":
        text = summary.merged(text, [summary.session(each.title, each.text, each.day) for each in going])
    return apply(text, write.restamped(text, _today(doc)))


def _plain(section: str) -> str:
    return with_eol(section, "\n").strip("\n")
