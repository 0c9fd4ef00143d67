"""The reserved files of a bundle: what a log tells, and how index.md and log.md are kept current with a concept."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from msgspec import Struct

from memdown import times
from memdown.dialects.okf import grammar
from memdown.dialects.remove import without
from memdown.markdown import blocks
from memdown.markdown.blocks import Block
from memdown.record import LISTS, Record
from memdown.text import Edit, Span, apply, eol_of, gap, line_start, with_eol

NEW_INDEX = f'---\nokf_version: "{grammar.VERSION}"\n---\n'
NEW_LOG = "# Log\n"

SUBFOLDERS = "Subdirectories"

FileChange = tuple[str, str | None, str | None]
"""A file that changes together with a concept: its name, and its text before and after; None is no file."""


class LogDay(Struct, frozen=True):
    """One day of a log: its heading, and what stands below it."""

    heading: Block
    day: str | None
    """The date that the heading is; None when it is something else."""
    end: int


class ListEntry(Struct, frozen=True):
    """What a list tells of a concept or of a folder's list."""

    path: str
    title: str
    summary: str = ""


def log_days(text: str) -> list[LogDay]:
    """The sections of a log; whatever stands before the first is no part of them."""
    found = [
        block
        for block in blocks.scan(text, grammar.concept(text).body)
        if block.kind == "heading" and block.level <= 2 and not block.depth
    ]
    ends = [*(line_start(text, block.span.start) for block in found[1:]), len(text)]
    return [
        LogDay(block, day_of(block.content.of(text)), end)
        for block, end in zip(found, ends, strict=False)
        if block.level == 2
    ]


def day_of(heading: str) -> str | None:
    """The date a heading is."""
    return heading if grammar.DATE.fullmatch(heading) and times.read(heading) else None


# Keeping them current


def beside(
    record: Record | None, old: Record | None, homes: Sequence[str], now: datetime, text_of: Callable[[str], str | None]
) -> Iterator[FileChange]:
    """The lists and the log of a bundle as they should be after a concept was written; `old` is how it was, if it was.

    `text_of` gives the text of a file, None when it is not there. A list or a log that is not there is made.
    Without `record` the concept is gone.
    """
    path = (record or old).path  # type: ignore[union-attr]
    home = next((each for each in homes if not each or path.startswith(f"{each}/")), grammar.bundle_of(path))
    if record is None:
        yield from _without(old, home, now, text_of)  # type: ignore[arg-type]
        return
    if old is None or (old.title, old.summary) != (record.title, record.summary):
        yield from _lists(record, old, home, text_of)
    log = _in(home, grammar.LOG)
    before = text_of(log)
    yield log, before, logged(before or "", record, home, now, _action(record, old))


def _in(folder: str, name: str) -> str:
    """A file of a folder; the empty name is the root of the project."""
    return f"{folder}/{name}" if folder else name


def _without(gone: Record, home: str, now: datetime, text_of: Callable[[str], str | None]) -> Iterator[FileChange]:
    """The lists without a concept, and the log that tells of it, where there are such."""
    if gone.kind in LISTS:
        return
    path, folder = gone.path, gone.path.rpartition("/")[0]
    while (before := text_of(_in(folder, grammar.INDEX))) is not None:
        index = _in(folder, grammar.INDEX)
        after = _unlisted(before, index, home, path)
        yield index, before, after
        if after is not None or folder in (home, ""):
            break
        path, folder = index, folder.rpartition("/")[0]
    log = _in(home, grammar.LOG)
    if (before := text_of(log)) is not None:
        yield log, before, logged(before, gone, home, now, "Deletion")


def _unlisted(text: str, index: str, home: str, path: str) -> str | None:
    """A list without its entry for a file, and without the section that held no other; None when nothing is left."""
    for block, targets in entries(text):
        if path in (grammar.place_of(index, each, home) for each in targets):
            start, end = block.span.start, block.span.end
            above = [each for each in blocks.scan(text, grammar.concept(text).body) if not each.depth]
            near = [each for each in above if each.kind in ("heading", "item", "paragraph")]
            at = next(number for number, each in enumerate(near) if each.span.start == start)
            last = at + 1 == len(near) or near[at + 1].kind == "heading"
            if at and near[at - 1].kind == "heading" and last:
                start = near[at - 1].span.start
            after = apply(text, [without(text, start, end)])
            return after if after.strip() else None
    return text


def _action(record: Record, old: Record | None) -> str:
    if old is None:
        return "Creation"
    return "Deprecation" if record.status == "deprecated" != old.status else "Update"


def _lists(record: Record, old: Record | None, home: str, text_of: Callable[[str], str | None]) -> Iterator[FileChange]:
    """The list of the concept's folder, and of each folder above that does not list the one below it yet."""
    folder = record.path.rpartition("/")[0]
    entry, before = _entry(record), _entry(old) if old else None
    section = str(record.extra.get("type") or "Concepts")
    while True:
        index = _in(folder, grammar.INDEX)
        text = text_of(index)
        after = listed(text or (NEW_INDEX if folder == home else ""), index, home, entry, section, before)
        if after != text:
            yield index, text, after
        if folder in (home, ""):
            return
        entry, before, section = ListEntry(index, grammar.name_of(folder)), None, SUBFOLDERS
        folder = folder.rpartition("/")[0]


def _entry(record: Record) -> ListEntry:
    return ListEntry(record.path, record.title or record.path, record.summary or "")


def begin(_: datetime) -> dict[str, str]:
    """The list and the log of a new bundle."""
    return {grammar.INDEX: NEW_INDEX, grammar.LOG: NEW_LOG}


def listed(text: str, index: str, home: str, entry: ListEntry, section: str, old: ListEntry | None = None) -> str:
    """A list with an entry, in its section; of one that is there, only what it took from the concept changes."""
    for block, targets in entries(text):
        if entry.path in (grammar.place_of(index, each, home) for each in targets):
            line = block.span.of(text)
            if old is not None:
                line = line.replace(f"[{_shown(old.title)}]", f"[{_shown(entry.title)}]", 1)
                if old.summary and entry.summary:
                    line = line.replace(_line_of(old.summary), _line_of(entry.summary), 1)
            return apply(text, [Edit(block.span, line)])
    target = entry.path.removeprefix(index.removesuffix(grammar.INDEX)).replace(" ", "%20")
    line = f"* [{_shown(entry.title)}]({target})" + (f" - {_line_of(entry.summary)}" if entry.summary else "")
    return apply(text, [_added(text, list(blocks.scan(text, grammar.concept(text).body)), line, section)])


def entries(text: str) -> Iterator[tuple[Block, list[str]]]:
    """The items of a list, each with the targets of its links."""
    start = grammar.concept(text).body
    links = list(grammar.links(text, start))[::-1]
    for block in blocks.scan(text, start):
        if block.kind == "item" and not block.depth:
            targets = []
            while links and links[-1][1].start < block.span.end:
                target, span = links.pop()
                if span.start >= block.span.start:
                    targets.append(target)
            yield block, targets


def _added(text: str, found: list[Block], entry: str, section: str) -> Edit:
    """The entry behind the last one of its section; else a new section at the end."""
    eol = eol_of(text)
    last: Block | None = None
    inside = False
    for block in (block for block in found if not block.depth):
        if block.kind == "heading":
            inside = block.content.of(text).casefold() == section.casefold()
        if inside:
            last = block
    if last is None:
        lead = "" if not text.strip() else gap(text)
        return Edit(Span(len(text), len(text)), with_eol(f"{lead}# {section}\n\n{entry}\n", eol))
    lead = "\n" if last.kind == "item" else "\n\n"
    return Edit(Span(last.span.end, last.span.end), with_eol(lead + entry, eol))


def logged(text: str, record: Record, home: str, now: datetime, action: str = "Creation") -> str:
    """A log with one line more: below today, the newest first."""
    text = text if text.strip() else NEW_LOG
    day = now.date().isoformat()
    target = record.path.removeprefix(f"{home}/").replace(" ", "%20")
    verb = {"Creation": "Added", "Deprecation": "Deprecated", "Deletion": "Deleted"}.get(action, "Changed")
    shown = f"[{_shown(record.title or target)}](/{target})"
    if action == "Deletion":  # a link would lead nowhere
        shown = f"{_shown(record.title or target)} (`{target}`)"
    line = f"* **{action}**: {verb} {shown}."
    eol = eol_of(text)
    days = log_days(text)
    if days and days[0].day == day:
        # The empty line behind the heading, if there is one, stays where it is.
        end = days[0].heading.span.end
        behind = text[end:]
        skipped = len(behind) - len(behind.lstrip("\r\n"))
        written = f"{line}\n" if skipped else f"\n{line}"
        return apply(text, [Edit(Span(end + skipped, end + skipped), with_eol(written, eol))])
    block = f"## {day}\n\n{line}\n"
    if days:
        start = days[0].heading.span.start
        return apply(text, [Edit(Span(start, start), with_eol(f"{block}\n", eol))])
    return apply(text, [Edit(Span(len(text), len(text)), with_eol(gap(text) + block, eol))])


def _shown(title: str) -> str:
    """A title as the text of a link."""
    return _line_of(title).replace("[", "(").replace("]", ")")


def _line_of(text: str) -> str:
    return " ".join(text.split())
