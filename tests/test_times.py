"""Every spelling of a time: read, kept as written, compared as an instant."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown import times
from memdown.dialects import days, read_as


@pytest.mark.parametrize(
    ("text", "precision", "rfc3339"),
    [
        ("2026-03-05", "day", "2026-03-05"),
        ("2026-03-05T18:14:00Z", "second", "2026-03-05T18:14:00Z"),
        ("2026-03-05T18:14:00+02:00", "second", "2026-03-05T18:14:00+02:00"),
        ("2026-03-05T18:14:00-0330", "second", "2026-03-05T18:14:00-03:30"),
        ("2026-03-05T22:15", "minute", "2026-03-05T22:15:00Z"),
        ("2026-03-05T07-22-14", "second", "2026-03-05T07:22:14Z"),
        ("2026-03-05T131234Z", "second", "2026-03-05T13:12:34Z"),
        ("2026-03-05 00:06:00", "second", "2026-03-05T00:06:00Z"),
        ("2026-03-05T18:14:00.995Z", "fraction", "2026-03-05T18:14:00.995000Z"),
        ("2026-03-05 14:30 IST", "minute", "2026-03-05T14:30:00"),
        ("2026-03-05 14:30 CET", "minute", "2026-03-05T14:30:00+01:00"),
        ("2026-03-05 14:30 GMT+3", "minute", "2026-03-05T14:30:00+03:00"),
        ("2026-03-05 14:30 UTC", "minute", "2026-03-05T14:30:00Z"),
    ],
)
def test_spellings(text: str, precision: str, rfc3339: str) -> None:
    moment = times.read(text)
    assert moment
    assert (moment.text, moment.precision, moment.rfc3339()) == (text, precision, rfc3339)


@pytest.mark.parametrize(
    "text",
    ["", "now", "2026-02-30", "2026-13-01", "2026-3-5", "2026-03-05T25:00Z", "2026-03-05T10:61", "2026-03-05T10",
     "2026-03-05T10:00:00+24:00", "2026-03-05T10:00:00+02:75", "0000-01-01", "2026-03-05T10:00Z trailing",
     "0001-01-01T00:00+05:00", "9999-12-31T23:59-05:00", "٢٠٢٦-03-05"],
)  # fmt: skip
def test_what_is_no_time(text: str) -> None:
    assert times.read(text) is None


def test_the_same_instant_in_three_spellings() -> None:
    spellings = ["2026-01-15T10:30:00Z", "2026-01-15T10:30:00.000Z", "2026-01-15T11:30:00+01:00"]
    assert len({moment.instant() for text in spellings if (moment := times.read(text))}) == 1


def test_a_zone_by_letters_is_kept_and_not_guessed() -> None:
    moment = times.read("2026-03-05 14:30 IST")
    assert moment
    assert (moment.zone, moment.offset) == ("IST", None)


@given(st.datetimes(timezones=st.just(UTC)).map(lambda moment: moment.replace(microsecond=0)))
def test_what_is_stamped_is_read_back(moment: datetime) -> None:
    read = times.read(times.stamp(moment))
    assert moment.year < 1000 or (read and read.instant() == moment)


@given(st.text())
def test_any_text_is_a_moment_or_none(text: str) -> None:
    moment = times.read(text)
    assert moment is None or moment.instant().tzinfo is UTC


DIGITS = st.sampled_from([*"0123456789", "W", " ", "-", "+", "."])


@given(
    st.one_of(
        st.from_regex(r"\A\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{3})?Z)?\Z"),
        st.lists(DIGITS, min_size=24, max_size=24).map(
            lambda d: "".join(
                ("".join(d[:4]), "-", *d[5:7], "-", *d[8:10], "T", *d[11:13], ":", *d[14:16], ":", *d[17:19], "Z")
            )
        ),
    )
)
def test_the_quick_and_the_slow_way_agree(text: str) -> None:
    quick = times._usual(text)
    assert quick is None or quick == times._unusual(text)
    assert times.read(text) == times._unusual(text.strip())


RANGES = {
    "2026-01-12 to 2026-01-15": "2026-01-15",
    "2026-01-28 – 2026-02-03": "2026-02-03",
    "2026-01-28–2026-02-03": "2026-02-03",
    "2026-01-12 through 2026-01-15": "2026-01-15",
    "2026-01-12/15": "2026-01-15",
    "2026-01-12–15": "2026-01-15",
    "2026-01-28 to 02-03": "2026-02-03",
    "2026-01-12 → 2026-01-15": "2026-01-15",
    "Jan 12-15, 2026": "2026-01-15",
    "January 28 – February 3, 2026": "2026-02-03",
    "12-15 Jan 2026": "2026-01-15",
    "28 Jan to 3 Feb 2026": "2026-02-03",
    "12.01.2026 – 15.01.2026": "2026-01-15",
    "2026年1月12日至15日": "2026-01-15",
    "2026-01-15 to 2026-01-12": "2026-01-15",
}


@pytest.mark.parametrize("spelled", RANGES)
def test_a_range_of_dates_is_its_last_day_in_every_dialect(spelled: str) -> None:
    day = RANGES[spelled]
    assert str(days.stamp(spelled, day_first=False).local.date()) == day  # type: ignore[union-attr]
    files = {
        "sem": [
            (".squad/decisions.md", "# Decisions\n\n### {}: Use SQLite\n**By:** Ann\n\nText.\n"),
            (".squad/decisions.md", "# Decisions\n\n### Use SQLite ({})\n**By:** Ann\n\nText.\n"),
        ],
        "bank": [
            ("memory-bank/progress.md", "# Progress\n\n## {}: Import\n\nText.\n"),
            ("memory-bank/progress.md", "# Progress\n\n## Import ({})\n\nText.\n"),
        ],
        "journal": [
            (
                "memory-bank/edit_history.md",
                "# Edit History\n\n### {}\n\n#### 10:00 UTC - T1: Import\n- Created `a.py` - x\n",
            )
        ],
        "layers": [("memory/projects/shop/review_history.md", "# Review History\n\n## Review {}\n\nText.\n")],
    }
    for dialect, texts in files.items():
        for path, text in texts:
            found = {str(each.at.local.date()) for each in read_as(dialect, path, text.format(spelled)) if each.at}
            assert found == {day}, (dialect, text)


@pytest.mark.parametrize(
    ("heading", "day"),
    [
        ("2026-01-12 - 15 issues closed", "2026-01-12"),
        ("2026-01-12 ~15:30 Done", "2026-01-12"),
        ("2026-01-12 – 15:30 Done", "2026-01-12"),
        ("2026-01-12-01: First", "2026-01-12"),
        ("Moved (2026-01-12, filed 2026-03-22)", "2026-01-12"),
        ("2026-01-12 to 99: Odd", "2026-01-12"),
    ],
)
def test_what_is_no_range_keeps_its_first_day(heading: str, day: str) -> None:
    [found] = read_as("sem", ".squad/decisions.md", f"# Decisions\n\n### {heading}\n**By:** Ann\n\nText.\n")
    assert found.at
    assert str(found.at.local.date()) == day


@pytest.mark.parametrize(
    ("written", "rfc3339"),
    [
        ("(done 2026-01-12 13:14:35 CET)", "2026-01-12T13:14:35+01:00"),
        ("(done 2026-01-12 13:14 IST)", "2026-01-12T13:14:00"),
        ("2026-01-12 13:14 (CET)", "2026-01-12T13:14:00+01:00"),
        ("2026-1-12 9:05 CET", "2026-01-12T09:05:00+01:00"),
        ("2026-1-12 9:05 PM UTC", "2026-01-12T21:05:00Z"),
        ("2026-01-12 13:14 GMT+3)", "2026-01-12T13:14:00+03:00"),
        ("2026-01-12 13:14 ISTANBUL", "2026-01-12T13:14:00Z"),
    ],
)
def test_a_zone_counts_beside_brackets_and_short_numbers(written: str, rfc3339: str) -> None:
    at = days.moment(written)
    assert at
    assert at.rfc3339() == rfc3339
