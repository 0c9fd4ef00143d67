"""What follows from verifying: drafts of edits for what moved or changed, and a person's word that a record holds."""

import re
from collections.abc import Sequence

from msgspec import Struct

from memdown import git
from memdown.claims.force import CONFIRMED
from memdown.errors import Refused
from memdown.evidence import mend
from memdown.project import Project
from memdown.record import Record, Statement
from memdown.text import Edit, Span, apply, eol_of


class MendedFile(Struct, frozen=True):
    """A file with the edits that make its statements true."""

    path: str
    before: str
    after: str


class VerifyDraft(Struct, frozen=True):
    """Edits for statements that are no longer true."""

    files: list[MendedFile]
    mended: list[Statement]
    left: list[Statement]
    """What nobody but a person can mend."""


def draft(project: Project, untrue: Sequence[Statement], *, write: bool) -> VerifyDraft:
    """Edits that say what is there now, for paths that moved, constants and versions that changed."""
    files, mended, left = [], list[Statement](), list[Statement]()
    for path in dict.fromkeys(each.path for each in untrue):
        document = project.parsed(path)
        here = [each for each in untrue if each.path == path]
        chosen = [(each, edit) for each in here if (edit := mend.edit_of(document, each))]
        taken = {id(each) for each, _ in chosen}
        mended += [each for each, _ in chosen]
        left += [each for each in here if id(each) not in taken]
        after = apply(document.text, _apart([edit for _, edit in chosen]))
        if after != document.text:
            files.append(MendedFile(path, document.text, after))
    if write and files:
        project.write((each.path, each.before, each.after) for each in files)
    return VerifyDraft(files, mended, left)


def _apart(edits: Sequence[Edit]) -> list[Edit]:
    found: list[Edit] = []
    for edit in sorted(edits, key=lambda each: (each.span.start, each.span.end)):
        if not found or edit.span.start >= found[-1].span.end:
            found.append(edit)
    return found


class Confirmation(Struct, frozen=True):
    """That somebody said a record holds."""

    id: str
    path: str
    line: int
    by: str
    at: str


def confirm(project: Project, ids: Sequence[str]) -> list[Confirmation]:
    """Write into the files of records that they were looked at and hold, by whom and when: all of them, or none."""
    who = git.person(project.root) or "somebody"
    day = project.now().date().isoformat()
    texts: dict[str, tuple[str, str]] = {}
    confirmed: list[Confirmation] = []
    with project.files.lock():
        for each in ids:
            found = project.get(each)
            if found.path not in texts:
                texts[found.path] = (project.files.read(found.path),) * 2
            before, text = texts[found.path]
            texts[found.path] = before, _with_mark(project, found, before, text, f"memdown: verified {day} by {who}")
            confirmed.append(Confirmation(found.id, found.path, found.line, who, day))
        changed = [(path, before, after) for path, (before, after) in texts.items() if before != after]
        if changed:
            project.write(changed)
    return confirmed


def _with_mark(project: Project, found: Record, before: str, text: str, words: str) -> str:
    """The text of a record's file with a mark at the record, which may have others already."""
    number = [each.span for each in project.parse(found.path, before).records].index(found.span)
    records = project.parse(found.path, text).records
    after = apply(text, [_mark(text, records[number], words)])
    if _known(project.parse(found.path, after).records) != _known(records):
        raise Refused(f"{found.path} would be read differently with a comment there; add it by hand.")
    return after


def _known(records: Sequence[Record]) -> list[tuple[str, str, str | None]]:
    return [(each.id, each.kind, each.title) for each in records]


def _mark(text: str, record: Record, words: str) -> Edit:
    eol = eol_of(text)
    old = list(CONFIRMED.finditer(text, record.span.start, record.span.end))
    if old:
        is_html = old[-1].group().startswith("<")
        return Edit(Span(*old[-1].span()), f"<!-- {words} -->" if is_html else f"# {words}")
    head = re.match(r"\ufeff?---[ \t]*\r?\n(?:(?!---)[^\n]*\n)*?(?=---[ \t]*\r?$)", text, re.M)
    if head and record.span.start <= head.end() <= record.span.end:
        return Edit(Span(head.end(), head.end()), f"# {words}{eol}")
    end = record.span.start + len(record.span.of(text).rstrip())
    return Edit(Span(end, end), f"{eol}{eol}<!-- {words} -->")
