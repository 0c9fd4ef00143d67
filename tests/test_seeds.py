"""The examples of the format's own description: each is accepted, and says what a person reads in it."""

import re

import pytest

from conftest import CORPUS
from memdown.acts.check import engine
from memdown.dialects import parse

SEED = CORPUS.parent / "seeds" / "cards-memory-format.txt"
EXAMPLE = re.compile(r"^```markdown\n(---\nid: [0-9a-f].*?)^```$", re.M | re.S)

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not SEED.exists(), reason="the description of the format is not here"),
]


def examples() -> list[str]:
    # Its back-ticks are escaped only because the examples stand in fences themselves.
    return [text.replace("\\`", "`") for text in EXAMPLE.findall(SEED.read_text("utf-8"))]


def test_three_examples_are_read_as_a_person_reads_them() -> None:
    records = [parse(f"{text[8:44]}.md", text).records[0] for text in examples()]
    assert [(record.title, record.scope, len(record.tags)) for record in records] == [
        ("Error handling convention", "global", 4),
        ("Auth middleware requires user context", "file:src/middleware/auth.ts", 4),
        ("Database connection pooling settings", "area:database", 4),
    ]
    assert [record.at and record.at.rfc3339() for record in records] == [
        *("2025-01-15T10:30:00Z", "2025-01-16T14:20:00Z", "2025-01-17T09:15:00Z"),
    ]


def test_none_of_them_is_an_error() -> None:
    """Two ids are not version 4, the hashes are placeholders, the times have no quotes: that is all."""
    for text in examples():
        found = engine.check([parse(f"{text[8:44]}.md", text)], engine.Selection())
        assert {each.code for each in found} <= {"CRD012", "CRD062", "CRD063"}
        assert not [each for each in found if each.severity == "error"]


def test_their_true_hashes() -> None:
    found = [
        each.message
        for text in examples()
        for each in engine.check([parse(f"{text[8:44]}.md", text)], engine.Selection(select=("CRD062",)))
    ]
    assert [re.findall("[0-9a-f]{16}", message)[-1] for message in found] == [
        *("769e7e366aa677b6", "f474501666f3363f", "dcf8f73e795dc769"),
    ]
