"""The memory bank as JSON and as lines for people: its validation, the briefing of a session, what was updated."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import structs

from memdown.acts.brief import BriefPart
from memdown.errors import way
from memdown.memory.bank import BankUpdated, Briefing
from memdown.memory.bank.drafts import UpdateDraft
from memdown.memory.bank.operations import BankValidation
from memdown.project import Project
from memdown.scan.changes import Impact, Since
from memdown.surfaces.show import render, reports
from memdown.surfaces.show.style import count, style
from memdown.text import shorten

_SHOWN = 5
_WIDTH = 100
_MOST_LISTED = 200
"""Commits and files that JSON lists; how many there are stands beside them."""


def validation_json(found: BankValidation) -> dict[str, object]:
    """A validation as other programs read it."""
    return {
        "valid": found.valid,
        "missingRequired": found.missing_required,
        "missingRecommended": found.missing_recommended,
        "layout": found.layout,
        "findings": render.diagnostics(found.findings, found.documents),
    }


def validation_lines(found: BankValidation, project: Project, *, everything: bool) -> Iterator[str]:
    if not found.documents:
        elsewhere = f"No memory bank in {project.root}; {way('check')} checks the memory that is there."
        bankless = f"No memory bank in {project.root}. Run {way('init')} to create one."
        yield elsewhere if project.has_files() else bankless  # an empty folder of a bank is none
        return
    yield from reports.text(found.findings, found.documents, style, everything=everything)
    yield _verdict(found)


def _verdict(found: BankValidation) -> str:
    if not found.valid and all(each.severity == "info" for each in found.findings):
        return f"None of the seven files of a memory bank is here; {way('init')} creates them."
    layout = "" if found.layout == "canonical" else f" (layout: {found.layout})"
    return f"The bank is valid{layout}." if found.valid else f"The bank is not valid{layout}."


def briefing_json(briefing: Briefing) -> dict[str, object]:
    return {
        **structs.asdict(briefing),
        "since_last_update": _since_json(briefing.since_last_update),
        "parts": parts_json(briefing.parts),
    }


def parts_json(parts: Iterable[BriefPart]) -> list[dict[str, object]]:
    """The parts of a briefing, each item with the place it is from."""
    return [
        {
            "part": part.name,
            "title": part.title,
            "items": [{"text": item.text, "path": item.path, "line": item.line} for item in part.items],
        }
        for part in parts
    ]


def updated_json(done: BankUpdated) -> dict[str, object]:
    return {
        "written": done.written,
        "validation": validation_json(done.validation),
        "warnings": done.warnings,
        "since_last_update": _since_json(done.since_last_update),
        "impact": done.impact,
    }


def draft_json(draft: UpdateDraft) -> dict[str, object]:
    return {
        "diff": draft.diff,
        "notes": draft.notes,
        "files": [edit.name for edit in draft.edits],
        "undocumented": draft.undocumented,
        "written": draft.written,
    }


def draft_lines(draft: UpdateDraft, *, diff: bool = True) -> Iterator[str]:
    """Notes first, which `git apply` passes over, then the diff, unless somebody else shows it."""
    yield from (f"# {note}" for note in draft.notes)
    for line in draft.diff.removesuffix("\n").split("\n") if diff and draft.edits else ():
        yield style({"+": "added", "-": "removed", "@": "place"}.get(line[:1], ""), line)
    if draft.written:
        yield from (f"{style('place', name)}: written" for name in draft.written)
    elif not draft.edits:
        yield "Nothing to change."


def _since_json(since: Since) -> dict[str, object]:
    return {
        "commits": since.commits[:_MOST_LISTED],
        "files": since.files[:_MOST_LISTED],
        "total_commits": len(since.commits),
        "total_files": len(since.files),
    }


def briefing_lines(briefing: Briefing, *, whole: bool = False) -> Iterator[str]:
    """A briefing for people: the first few of each list, or all of them."""
    if briefing.empty:
        yield from briefing.warnings
        return
    found = {part.name: part for part in briefing.parts}
    if briefing.has_bank:
        there = [each for each in briefing.order if each.present]
        tokens, empty = sum(each.tokens for each in there), sum(not each.tokens for each in there)
        files = f"{len(there) - empty} of {len(briefing.order)} files" + (f" and {empty} empty" if empty else "")
        yield f"{style('strong', 'Memory bank')}: {files}, {tokens:,} tokens"
    for name, title in (("focus", "Focus"), ("state", "State")):
        if briefing.has_bank or name in found:
            text = _in_one_line([item.text for item in found.pop(name).items]) if name in found else None
            yield f"{style('strong', title)}: {_short(text)}"
    read = found.pop("read", None)
    if briefing.has_bank:
        for name in ("since", "missing"):  # the bank knows more of them
            found.pop(name, None)
    for part in found.values():
        texts = [item.text for item in part.items]
        yield from titled_list(part.title, texts, most=len(texts) if whole else _SHOWN)
    if read is not None:
        yield f"{style('strong', read.title)}: {', '.join(item.text for item in read.items)}"
    yield from _since(briefing.since_last_update)
    yield from titled_list("Warnings", briefing.warnings, kind="warning", most=len(briefing.warnings))


def _in_one_line(lines: Sequence[str]) -> str:
    """Lines of a text, or the points of a list."""
    points = [each.removeprefix("- ") for each in lines]
    return " ".join(lines) if points == list(lines) else "; ".join(points)


def updated_lines(done: BankUpdated) -> Iterator[str]:
    for name in done.written:
        yield f"{style('place', name)}: written"
    if not done.written:
        yield "Nothing was written."
        yield from _since(done.since_last_update)
        yield from _impact(done.impact)
    yield from titled_list("Warnings", done.warnings, kind="warning", most=len(done.warnings))
    if done.written:
        yield _verdict(done.validation)


def committed_lines(done: BankUpdated, wanted: bool) -> Iterator[str]:
    if done.commit:
        yield f"Committed as {done.commit.commit[:10]}: {done.commit.title}"
    elif wanted:
        yield "Nothing to commit: git has the memory as it is."


def _since(since: Since) -> Iterator[str]:
    if not since.commits and not since.files:
        return
    counts = f"{count(len(since.commits), 'commit')}, {count(len(since.files), 'file')}"
    yield from titled_list(
        f"Since the memory was last touched: {counts}",
        [f"{each.commit[:10]} {each.date[:10]} {each.title}" for each in since.commits] or since.files,
        counted=False,
    )


def _impact(impact: Impact | None) -> Iterator[str]:
    if impact and impact.files:
        yield f"Impact: {impact.per_cent}% of the source files, {impact.files} of {impact.of}"


def titled_list(
    title: str, items: Iterable[str], *, kind: str = "strong", most: int = _SHOWN, counted: bool = True
) -> Iterator[str]:
    lines = list(items)
    if lines:
        yield f"{style(kind, title)}{f' ({len(lines)})' if counted else ''}:"
    yield from (f"  - {_short(line, 2 * _WIDTH)}" for line in lines[:most])
    if len(lines) > most:
        yield f"  … and {len(lines) - most} more"


def _short(text: str | None, width: int = _WIDTH) -> str:
    return shorten(" ".join((text or "(empty)").split()), width)
