"""What is over in a memory: entries beyond those that stay, resolved issues; and what of it is left behind."""

from collections.abc import Iterator, Sequence
from datetime import date
from functools import partial

from msgspec import structs

from memdown.dialects.due import LIST_KEEPS, Archivist, Contents, Due, GrownFile, Holder
from memdown.dialects.layers import grammar, headings, issues, summary, write
from memdown.dialects.layers.headings import HISTORIES, History
from memdown.limits.settings import LayerSettings
from memdown.record import Document
from memdown.text import Edit, Span, apply, eol_of, with_eol

TYPES = (*HISTORIES, "known_issues")
"""The memories that are ever shortened."""


def archivist(file_type: str, target: str, memory: Document, keep: int | None = None) -> Archivist:
    """For what the rules of a memory's type do today.

    Of a history so many of the newest entries stay; without a number, as many as the settings say.
    """
    today, limits = memory.now.date() if memory.now else date.min, memory.settings.layers
    history = HISTORIES.get(file_type)
    title = history.title if history else "Known Issues Archive"

    def due(doc: Document) -> list[Due]:
        kept = limits.keep(file_type) if keep is None else keep
        found = _old_entries(doc.text, history, kept) if history else _issues(doc.text, today, limits)
        return [structs.replace(each, target=target) if each.text else each for each in found]

    def begun(_: str, text: str | None, eol: str) -> str:
        return write.fresh(f"# {title}", today, eol) if text is None else apply(text, write.restamped(text, today))

    def trimmed(doc: Document, text: str, going: Sequence[Due]) -> str:
        if any(each.cut.end == len(doc.text) for each in going):
            end = len(text.rstrip(" \t\r\n"))
            text = text[:end] + (eol_of(doc.text) if end else "")
        if going and file_type == "test_results_history":
            text = summary.merged(text, [summary.session(each.title, each.text, each.day) for each in going])
        return apply(text, write.restamped(text, today))

    reason = "Its archive would not show what leaves it, so it is left; close the code fences of both."
    taken = partial(_sections, file_type, limits)
    return Archivist(due, _contents, begun, _grown, reason, trimmed, repeats=history is None, sections=taken)


def shortens(file_type: str, *texts: str) -> bool:
    """Whether a memory of a type is ever shortened, and neither it nor its archive is damaged."""
    return file_type in TYPES and not any(map(write.is_damaged, texts))


def to_slim(project: Holder, keep: int) -> Iterator[GrownFile]:
    """Memories that the rules of their types shorten."""
    home, inside = project.home("layers"), project.inside_home("layers")
    for place in inside:
        address = grammar.located(place)
        if address is None or address.is_archive or grammar.is_structural(place):
            continue
        doc, archive = project.parsed(f"{home}/{place}"), address.archive.place
        held = project.parsed(f"{home}/{archive}").text if archive in inside else ""
        if shortens(address.file_type, doc.text, held):
            yield GrownFile(doc, archivist(address.file_type, f"{home}/{archive}", doc, LIST_KEEPS * keep))


def _old_entries(text: str, history: History, keep: int) -> list[Due]:
    found = headings.entries(text, history)
    aged = headings.oldest_first(found)
    dues = [
        Due(
            each.span.start,
            each.span,
            _plain(each.span.of(text)),
            each.title,
            reason=f"{each.title} is older than the {keep} {history.noun}s that are kept.",
            action="archived",
            day=headings.day_of(each),
        )
        for each in aged[: max(len(aged) - keep, 0)]
    ]
    known = {each.position for each in aged}
    return dues + [
        Due(
            each.span.start,
            each.span,
            "",
            each.title,
            reason=f"{each.title} has no date that can be read, so it stays.",
        )
        for each in (found if len(found) > keep else ())
        if each.position not in known
    ]


def _issues(text: str, today: date, limits: LayerSettings) -> list[Due]:
    found = issues.issues(text, limits.resolved_words)
    dues = []
    for issue, what, days in issues.due(found, today, limits):
        due = Due(issue.span.start, issue.span, "", issue.title, action="flagged")
        if what == "remove":
            reason = f"{issue.title} was resolved {days} days ago; its text is in the archive."
            due = structs.replace(due, text=_plain(issue.span.of(text)), reason=reason, action="removed")
        elif what == "tag":
            edit = Edit(Span(issue.status.end, issue.status.end), f" {issues.TAG}")
            reason = f"{issue.title} had no status update for {days} days; tagged {issues.TAG}."
            due = structs.replace(due, edits=(edit,), reason=reason)
        else:
            bare = issue.status.of(text).replace(f" {issues.TAG}", "").replace(issues.TAG, "").rstrip()
            reason = f"{issue.title} has a newer status; the tag {issues.TAG} is taken off."
            due = structs.replace(due, edits=(Edit(issue.status, bare),), reason=reason)
        dues.append(due)
    return dues + [
        Due(each.span.start, each.span, "", each.title, reason=f"{each.title} is resolved without a date, so it stays.")
        for each in found
        if each.state == "resolved" and each.day is None
    ]


def _sections(file_type: str, limits: LayerSettings, text: str) -> frozenset[str]:
    """The sections of an archive, each as it was taken in."""
    history = HISTORIES.get(file_type)
    found = headings.entries(text, history) if history else issues.issues(text, limits.resolved_words)
    return frozenset(_plain(each.span.of(text)) for each in found)


def _contents(_: str, text: str) -> Contents:
    return [(block.span.start, (block.level, block.content.of(text))) for block in headings.headings(text)]


def _grown(_: str, text: str, going: Sequence[Due]) -> str:
    new = [each.text for each in going if not each.there]
    return apply(text, write.appended(text, "\n\n".join(new))) if new else text


def _plain(section: str) -> str:
    """A section as an archive takes it, whatever its line ends."""
    return with_eol(section, "\n").strip("\n")
