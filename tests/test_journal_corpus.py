"""Real journals: read without exception, entries dated, files found, every fix lands."""

import re
from pathlib import Path

import pytest

from conftest import CORPUS
from memdown.dialects import DIALECTS, parse
from memdown.dialects.journal.edits import chunk, history
from memdown.dialects.journal.names import kind_of
from memdown.dialects.journal.readings import READERS
from memdown.record import Record
from memdown.text import Lines, apply, decode

journal = DIALECTS["journal"]

pytestmark = pytest.mark.corpus

CLOCK = re.compile(r"#{1,6} *(?:\d{4}-\d\d-\d\d[ T])?(\d{1,2}):(\d\d)")
DAY = re.compile(r"#{1,6} *(\d{4}-\d\d-\d\d)")
PATH = re.compile(r"`([\w.@~/-]+/[\w.@-]+\.[A-Za-z]{1,5}|[\w-]+\.(?:md|ts|tsx|js|json|py|html|css|yaml|yml|tex|bib))`")


@pytest.fixture(scope="module")
def files(corpus: list[Path]) -> list[tuple[str, str, list[Record]]]:
    """Every file of a journal with its records."""
    found = []
    for path in corpus:
        name = path.relative_to(CORPUS).as_posix()
        if path.suffix == ".md" and name.startswith("journal/"):
            text = decode(path.read_bytes())
            if journal.claims(name, text):
                document = parse(name, text)
                assert document.dialect == "journal", name
                found.append((name, text, list(document.records)))
    return found


def open_lines(text: str) -> list[tuple[int, str]]:
    """Lines outside of fences with where they begin."""
    lines, fenced, found = Lines(text), False, []
    for number in range(len(lines)):
        span = lines.span(number)
        line = span.of(text)
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced:
            found.append((span.start, line))
    return found


def test_all_kinds_of_files_are_there(files: list[tuple[str, str, list[Record]]]) -> None:
    assert {kind_of(name) for name, _, _ in files} == set(READERS)
    assert {record.kind for _, _, records in files for record in records} == {
        *("edit", "modification", "task", "step", "session", "cache", "error"),
    }


def test_ids_are_unique_in_a_root(files: list[tuple[str, str, list[Record]]]) -> None:
    ids = [record.id for _, _, records in files for record in records]
    assert len(ids) == len(set(ids))


def test_headings_with_a_time_are_edits_with_the_right_date(files: list[tuple[str, str, list[Record]]]) -> None:
    """At least 97 of 100; the date told by hand is that of the nearest heading with one above."""
    seen = right = 0
    for name, text, records in files:
        if kind_of(name) != "history":
            continue
        edits = {record.span.start: record for record in records if record.kind == "edit"}
        day = ""
        for start, line in open_lines(text):
            told = DAY.match(line)
            day = told[1] if told else day
            if CLOCK.match(line):
                seen += 1
                edit = edits.get(start)
                right += edit is not None and edit.extra["date"] == day
    assert seen > 250
    assert right >= 0.995 * seen


def test_bullets_with_a_path_are_modifications(files: list[tuple[str, str, list[Record]]]) -> None:
    """At least 90 of 100."""
    seen = found = 0
    for name, text, records in files:
        if kind_of(name) not in ("history", "chunk"):
            continue
        told: dict[int, set[object]] = {}
        for record in records:
            if record.kind == "modification" and record.extra["action"]:
                told.setdefault(record.line, set()).add(record.extra["file_path"])
        lines = Lines(text)
        for start, line in open_lines(text):
            path = PATH.search(line)
            if path and re.match(r"\s*(?:[-*+]|\d+\.) ", line):
                seen += 1
                found += path[1] in told.get(lines.at(start) + 1, ())
    assert seen > 2500
    assert found >= 0.985 * seen


def test_safe_fixes_lose_no_entry_and_no_file(files: list[tuple[str, str, list[Record]]]) -> None:
    for name, text, _ in files:
        kind = kind_of(name)
        reader = {"history": history, "chunk": chunk}.get(kind or "")
        if reader is None:
            continue
        before = reader(text)
        done = 0
        edits = []
        every = {edit for each in before.deviations for edit in each.edits}
        for edit in sorted(every, key=lambda edit: (edit.span.start, edit.span.end)):
            if edit.span.start >= done:
                edits.append(edit)
                done = edit.span.end
        after = reader(apply(text, edits))
        assert [each.path for each in after.modifications] == [each.path for each in before.modifications], name
        assert [each.date for each in after.entries] == [each.date for each in before.entries], name
        assert [each.time for each in after.entries] == [each.time for each in before.entries], name
        assert len(after.deviations) <= len(before.deviations)
