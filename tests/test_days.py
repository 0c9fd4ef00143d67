"""Dates as people spell them, and that every dialect reads them alike."""

import pytest

from memdown.dialects import days, parse

SPELLINGS = [
    ("2026/07/21", "2026-07-21"),
    ("21.07.2026", "2026-07-21"),
    ("21. Juli 2026", "2026-07-21"),
    ("3. März 2026", "2026-03-03"),
    ("21 juillet 2026", "2026-07-21"),
    ("1er août 2026", "2026-08-01"),
    ("21 de julio de 2026", "2026-07-21"),
    ("21 de março de 2026", "2026-03-21"),
    ("21 luglio 2026", "2026-07-21"),
    ("21 maart 2026", "2026-03-21"),
    ("21 июля 2026", "2026-07-21"),
    ("21 Temmuz 2026", "2026-07-21"),
    ("21 lipca 2026", "2026-07-21"),
    ("21 tháng 7 năm 2026", "2026-07-21"),
    ("2026年7月21日", "2026-07-21"),
    ("2026년 7월 21일", "2026-07-21"),
    ("21-07-2026", "2026-07-21"),
    ("07-21-2026", "2026-07-21"),
    ("21-Jul-2026", "2026-07-21"),
    ("2026-Jul-21", "2026-07-21"),
    ("20260721", "2026-07-21"),
    ("2026-07-21, 14:05Z", "2026-07-21T14:05:00Z"),
    ("21 July 2026 at 14:05 CEST", "2026-07-21T14:05:00+02:00"),
    ("July 21, 2026, 2:05 PM", "2026-07-21T14:05:00Z"),
    ("2026-07-21 2:05 PM", "2026-07-21T14:05:00Z"),
    ("2026-07-21 14:05 CEST", "2026-07-21T14:05:00+02:00"),
    ("2026-07-14 and 2026-07-21", "2026-07-21"),
    ("2026-07-14 & 2026-07-21", "2026-07-21"),
    ("2026-07-14, 2026-07-21", "2026-07-21"),
    ("July 14 and July 21, 2026", "2026-07-21"),
]

NONE = ["12-05-2025", "2026-W30", "2026-07", "Juli 2026", "20261399", "120260721", "v20260721", "21 Marchand 20266"]


@pytest.mark.parametrize(("text", "day"), SPELLINGS)
def test_spellings(text: str, day: str) -> None:
    at = days.moment(f"Title ({text})")
    assert at
    assert at.rfc3339() == day


@pytest.mark.parametrize("text", NONE)
def test_what_names_no_day(text: str) -> None:
    assert days.moment(text) is None


@pytest.mark.parametrize(("text", "day"), SPELLINGS)
@pytest.mark.parametrize(
    ("path", "head"),
    [
        (".squad/decisions.md", "# Decisions\n\n### {}: Use SQLite\n\nText.\n"),
        (".squad/agents/ann/history.md", "# History\n\n## Learnings\n\n### Use SQLite ({})\n\nText.\n"),
        ("memory-bank/decisionLog.md", "# Decision Log\n\n## {}: Use SQLite\n\nText.\n"),
        ("memory-bank/activeContext.md", "# Active Context\n\n## Use SQLite ({})\n\nText.\n"),
    ],
)
def test_every_dialect_dates_a_heading_by_them(path: str, head: str, text: str, day: str) -> None:
    found = [each for each in parse(path, head.format(text)).records if "SQLite" in (each.title or "")]
    assert [each.at.rfc3339() for each in found if each.at] == [day]
    if path.endswith(("decisions.md", "Log.md")):
        assert [each.title for each in found] == ["Use SQLite"]
