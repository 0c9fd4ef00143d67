"""Zones by letters in a journal: what is known has its offset, what is a riddle stays local, and says so."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from memdown import times
from memdown.dialects import parse
from memdown.limits.settings import Limits, TimeSettings

HISTORY = "memory-bank/edit_history.md"


def history(zone: str, more: str = "") -> str:
    return f"# Edit History\n{more}\n### 2025-12-05\n\n#### 17:18:15 {zone} - T1: Viewer\n- Created `a.py` - New\n"


def put(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("zone", "at"),
    [
        ("EST", "2025-12-05T17:18:15-05:00"),
        ("PST", "2025-12-05T17:18:15-08:00"),
        ("CET", "2025-12-05T17:18:15+01:00"),
        ("JST", "2025-12-05T17:18:15+09:00"),
        ("est", "2025-12-05T17:18:15-05:00"),
        ("UTC+5:30", "2025-12-05T17:18:15+05:30"),
        ("UTC", "2025-12-05T17:18:15Z"),
        ("IST", "2025-12-05T17:18:15"),
        ("CST", "2025-12-05T17:18:15"),
        ("BST", "2025-12-05T17:18:15"),
        ("XYZT", "2025-12-05T17:18:15"),
    ],
)
def test_letters_have_their_offset_or_stay_local(zone: str, at: str) -> None:
    record = parse(HISTORY, history(zone)).records[0]
    assert record.at
    assert record.at.rfc3339() == at


def test_a_setting_or_the_file_itself_says_what_letters_mean() -> None:
    settings = Limits(times=TimeSettings({"IST": "+02:00"}))
    [record, *_] = parse(HISTORY, history("IST"), settings=settings).records
    assert record.at
    assert record.at.rfc3339() == "2025-12-05T17:18:15+02:00"
    own = history("IST", "*All times are in IST (UTC+5:30).*\n")
    [record, *_] = parse(HISTORY, own, settings=settings).records
    assert record.at
    assert record.at.rfc3339() == "2025-12-05T17:18:15+05:30"


def test_a_riddle_lies_between_the_places_that_use_the_letters() -> None:
    moment = times.read("2025-12-05 17:18:15 IST")
    assert moment
    assert [each.isoformat() for each in moment.limits()] == ["2025-12-05T11:48:15+00:00", "2025-12-05T16:18:15+00:00"]


def test_the_index_follows_the_setting(cli: Callable[..., Ran]) -> None:
    put(HISTORY, history("IST"))
    put("memory-bank/errorLog.md", "# Error Log\n\n## 2025-12-05 17:18 IST: T1 - Broken\n**Cause:** x\n")
    asked = ("sql", "select timestamp from edit_entries union all select timestamp from error_logs")
    assert "17:18:15Z" not in cli(*asked).out
    assert "2025-12-05T17:18:15\n" in cli(*asked).out
    assert "Viewer" in cli("search", "viewer after:2025-12-05T17:00:00Z").out
    put("memdown.toml", '[times]\nzones = { IST = "+05:30" }\n')
    assert cli(*asked).out.count("+05:30") == 2
    assert "Viewer" not in cli("search", "viewer after:2025-12-05T17:00:00Z").out
    assert "Viewer" in cli("search", "viewer before:2025-12-05T12:00:00Z").out
    put("memdown.toml", '[times]\nzones = { IST = "soon" }\n')
    wrong = cli("check")
    assert wrong.code == 4
    assert "write it like +05:30" in wrong.err


def test_the_check_says_what_stays_local(cli: Callable[..., Ran]) -> None:
    put(HISTORY, history("IST"))
    told = cli("check", "--all").out
    assert "JNL028" in told
    assert "+05:30, +02:00 or +01:00" in told
    put("memdown.toml", '[times]\nzones = { IST = "+05:30" }\n')
    assert "JNL028" not in cli("check", "--all").out


def test_lower_case_letters_are_the_zone_and_not_the_description(cli: Callable[..., Ran]) -> None:
    put(HISTORY, history("ist").replace("17:18:15", "10:00"))
    cli("check", "--all", "--fix")
    assert "#### 10:00 IST - T1: Viewer\n" in Path(HISTORY).read_text("utf-8")
