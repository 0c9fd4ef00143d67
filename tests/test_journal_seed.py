"""The examples of the journal's own description: each valid one has no deviation, each invalid one exactly its own."""

import re

import pytest

from conftest import CORPUS
from memdown.dialects.journal.codes import holds
from memdown.dialects.journal.edits import history
from memdown.dialects.journal.model import JournalReading

SEED = CORPUS.parent / "seeds" / "journal-format-spec-v1.0.txt"

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not SEED.exists(), reason="the description of the format is not here"),
]


def examples(section: str, number: int) -> list[str]:
    """The lines of one example block of a section, counted from 0."""
    part = SEED.read_text("utf-8").partition(f"\n### {section} ")[2].partition("\n### 2.")[0]
    block = re.findall(r"```markdown\n(.*?)```", part, re.S)[number]
    return [line for line in block.splitlines() if line.strip()]


def names(reading: JournalReading) -> list[str]:
    return [each.name for each in reading.deviations]


def entry(line: str) -> JournalReading:
    return history(f"### 2025-12-05\n\n{line}\n")


def bullet(line: str) -> JournalReading:
    return entry(f"#### 10:00:00 UTC - T1: Something\n{line}")


def test_2_2_valid_dates() -> None:
    for line in examples("2.2", 0):
        reading = history(f"{line}\n")
        assert [day.date for day in reading.days] == [line[4:]]
        assert names(reading) == []


@pytest.mark.parametrize("noted", [True, False])
def test_2_2_invalid_dates(noted: bool) -> None:
    lines = examples("2.2", 1)
    told = [names(history(line if noted else line.partition("←")[0].rstrip())) for line in lines]
    assert told == [["date-heading-level"]] * 2 + [["date-heading-format"]] * 3


def test_2_3_valid_entries() -> None:
    for line in examples("2.3", 0):
        reading = entry(line)
        [found] = reading.entries
        assert (found.date, names(reading)) == ("2025-12-05", []), line
        assert found.time in ("14:30:15", "14:30:00")
        assert found.tasks == (("T21",) if "T21" in line else ())


def test_2_3_invalid_entries() -> None:
    readings = [entry(line) for line in examples("2.3", 1)]
    assert [names(reading) for reading in readings] == [
        ["entry-no-space-after-hashes"],
        ["time-not-zero-padded"],
        ["entry-no-space-before-dash"],
        ["entry-no-dash"],
        ["entry-double-dash"],
    ]
    assert [reading.entries[0].time for reading in readings] == ["14:30:15", "02:30:00", *["14:30:15"] * 3]


def test_2_4_valid_modifications() -> None:
    for line in examples("2.4", 0):
        reading = bullet(line)
        [found] = reading.modifications
        assert (found.path, names(reading)) == (line.split("`")[1], [])


def test_2_4_invalid_modifications() -> None:
    readings = [bullet(line) for line in examples("2.4", 1)]
    assert [names(reading) for reading in readings] == [
        ["mod-no-backticks"],
        ["mod-unknown-action"],
        ["mod-deleted-unsupported"],
        ["mod-no-dash"],
        ["mod-no-space-after-action"],
        ["mod-no-space-around-dash"],
    ]
    assert [reading.modifications[0].path for reading in readings] == ["tasks/T21.md"] * 6
    found = [name for reading in readings for name in names(reading)]
    assert [name for name in found if not holds(name, "1.1")] == ["mod-deleted-unsupported"]


def test_2_5_the_complete_example() -> None:
    text = "\n".join(SEED.read_text("utf-8").partition("### 2.5")[2].split("```markdown\n")[1].partition("```")[:1])
    reading = history(text)
    assert (len(reading.entries), len(reading.modifications), names(reading)) == (3, 8, [])
    assert [(each.date, each.time, each.zone, each.tasks) for each in reading.entries] == [
        ("2025-12-05", "17:18:15", "IST", ("T21",)),
        ("2025-12-05", "16:30:00", "IST", ("T17",)),
        ("2025-12-04", "15:45:22", "UTC", ("T13",)),
    ]
