"""Real memory banks: read without exception, their decisions and items found, one item completed at a time."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import CORPUS
from memdown.dialects import DIALECTS
from memdown.dialects.bank import grammar, write
from memdown.dialects.bank.sections import outline
from memdown.record import Record
from memdown.text import Lines, apply, decode

bank = DIALECTS["bank"]

pytestmark = pytest.mark.corpus

DAY = "2026-02-01"
FORMS = {
    "heading": re.compile(r" {0,3}#{2,4} +Decision: "),
    "log": re.compile(r"\*{0,2}\[(\d{4}-\d\d-\d\d)"),
    "item": re.compile(r"[-*+] +\*{0,2}\[(\d{4}-\d\d-\d\d)"),
    "row": re.compile(r"\| *(\d{4}-\d\d-\d\d)"),
    "numbered": re.compile(r"#{2,4} +(?:ADR|D)-?\d+"),
    "dated": re.compile(r"#{2,4} +\[?(\d{4}-\d\d-\d\d)"),
}
BOX = re.compile(r"\s*(?:[-*+]|\d+[.)]) +(?:\[(?P<box>[ xX])\] |(?P<tick>✅))")


@pytest.fixture(scope="module")
def banks(corpus: list[Path]) -> list[tuple[str, str, list[Record]]]:
    """Every file of a bank with its records."""
    found = []
    for path in corpus:
        name = path.relative_to(CORPUS).as_posix()
        if path.suffix == ".md" and name.startswith("bank/"):
            text = decode(path.read_bytes())
            if bank.claims(name, text):
                found.append((name, text, list(bank.read(name, text))))
    return found


def prose(text: str) -> Iterator[tuple[int, str]]:
    """Lines outside of code fences, by their number from 0."""
    fenced, lines = False, Lines(text)
    for number in range(len(lines)):
        line = lines.span(number).of(text)
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced:
            yield number, line


def test_ids_are_unique_and_spans_are_inside(banks: list[tuple[str, str, list[Record]]]) -> None:
    assert len(banks) > 200
    for name, text, records in banks:
        assert len({record.id for record in records}) == len(records), name
        assert all(0 <= record.span.start < record.span.end <= len(text) for record in records), name


def test_every_line_belongs_to_a_record_or_ends_an_entry(banks: list[tuple[str, str, list[Record]]]) -> None:
    """What belongs to none is front matter, and rules between entries."""
    for name, text, records in banks:
        lines = Lines(text)
        covered = bytearray(len(lines))
        for record in records:
            first, last = lines.at(record.span.start), lines.at(record.span.end - 1)
            covered[first : last + 1] = b"x" * (last + 1 - first)
        first = lines.at(outline(text).body)
        for number in range(first, len(lines)):
            line = lines.span(number).of(text).strip("\ufeff \t")
            assert covered[number] or not line or not line.strip("-*_"), (name, number + 1, line)


def test_decisions_of_every_known_form_are_found(banks: list[tuple[str, str, list[Record]]]) -> None:
    seen, found = Counter[str](), Counter[str]()
    for name, text, records in banks:
        if not grammar.keeps_decisions(name):
            continue
        lines = Lines(text)
        near: dict[int, list[Record]] = {}
        for record in records:
            if record.kind == "decision":
                first = lines.at(record.span.start)
                for number in range(first - 2, first + 3):  # a day may head the first of several
                    near.setdefault(number, []).append(record)
        for number, line in prose(text):
            for form, pattern in FORMS.items():
                match = pattern.match(line)
                if match:
                    seen[form] += 1
                    day = match[1] if pattern.groups else None
                    found[form] += any(
                        day is None or (record.at is not None and record.at.local.date().isoformat() == day)
                        for record in near.get(number, [])
                    )
    assert sum(seen.values()) > 200
    for form, count in seen.items():
        assert found[form] >= 0.95 * count, (form, count, found[form])


def test_items_with_a_box_or_a_tick_are_tasks_with_their_state(banks: list[tuple[str, str, list[Record]]]) -> None:
    seen = right = 0
    for _, text, records in banks:
        lines = Lines(text)
        states = {lines.at(record.span.start): record.status for record in records if record.kind == "task"}
        for number, line in prose(text):
            match = BOX.match(line)
            if match:
                done = bool(match["tick"]) or match["box"] in "xX"
                seen += 1
                right += number in states and (states[number] == "done") is done
    assert seen > 1500
    assert right >= 0.95 * seen, (seen, right)


def said(text: str) -> Counter[str]:
    return Counter(line for line in text.splitlines() if line.strip())


def test_completing_any_open_item_changes_only_what_it_must(banks: list[tuple[str, str, list[Record]]]) -> None:
    completed = 0
    for name, text, records in banks:
        layer = grammar.layer_of(name)
        if layer is None or layer.file != "progress.md":
            continue
        doc = outline(text)
        texts = {item.span.start: doc.text_of(item) for item in doc.items}
        tasks = [record for record in records if record.kind == "task"]
        open_items = [record for record in tasks if record.status in ("open", "in-progress", "upcoming")]
        for record in open_items[:12]:
            change = write.complete(text, texts[record.span.start], DAY)
            changed = apply(text, change.edits)
            gone, new = said(text) - said(changed), said(changed) - said(text)
            added = [line for line in new.elements() if line.strip(" #") != "Completed"]
            assert sum(gone.values()) == len(added) <= 2, (name, gone, new)
            assert sum(DAY in line for line in added) == 1, (name, added)
            completed += 1
    assert completed > 100
