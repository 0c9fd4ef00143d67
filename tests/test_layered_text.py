"""The dialect `layers`: which files are its own, what it reads in them, and how it writes."""

import time
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from conftest import CORPUS, draws
from memdown import Memory, times
from memdown.acts.check import engine
from memdown.dialects import DIALECTS, parse
from memdown.dialects.layers import grammar, headings, issues, read, stamps, write
from memdown.dialects.layers.headings import HISTORIES
from memdown.errors import Invalid, Refused
from memdown.limits.settings import DEFAULTS
from memdown.text import Lines, Span, apply, decode, encode

layers = DIALECTS["layers"]

HOME = "memory/skills/code-review/my-api"
REVIEWS = HISTORIES["review_history"]
NEWEST_FIRST = """\
<!-- Last Updated: 2026-01-10 -->

# Review History

## Review #3 - 2026-01-10

Three.

---

## Review #2 - 2026-01-05

Two.

---

## Review #1 - 2026-01-01

One.

---

## Summary Statistics

- 3 reviews

## Goals

- fewer findings
"""


def records(path: str, text: str) -> list[tuple[str, str, int, int]]:
    return [(each.kind, each.id.partition("#")[2], each.line, each.end_line) for each in parse(path, text).records]


# Which files


@pytest.mark.parametrize(
    "path",
    [
        "memory/projects/my-api/project_profile.md",
        "memory/skills/python-code-review/my-api/known_issues.md",
        "memory/commands/my-api/command_history.md",
        "memory/commands/my-api/decisions.md",
        "memory/agents/zeus/notes.md",
        "memory/agents/hephaestus/skills_created/parser.md",
        "forge-plugin/memory/projects/my-api/technology_stack.md",
        "some/where/memory/projects/my-api/technology_stack.md",
    ],
)
def test_files_in_the_folder_of_a_layer_are_claimed(path: str) -> None:
    assert parse(path, "## 2026-01-01: something dated\n").dialect == "layers"


@pytest.mark.parametrize(
    "path",
    [
        "memory/notes.md",
        "memory/index.md",
        "memory/lifecycle.md",
        "memory/skills/index.md",
        "memory/skills/code-review/index.md",
        "memory/skills/code-review/my-api/index.md",
        "memory/agents/zeus/README.md",
        "memory/projects/my-api/sync_log.md",
        "memory/projects/profile.md",
        "memory/projects/my-api/profile.txt",
        "src/memory/store.md",
        ".squad/memory/agents/ann/history.md",
        "memory-bank/projects/my-api/profile.md",
        "projects/my-api/profile.md",
        "memories/projects/my-api.md",
    ],
)
def test_other_files_are_not(path: str) -> None:
    assert not layers.claims(path, "<!-- Last Updated: 2026-01-01 -->\n\n# Notes\n")


def test_a_folder_named_memory_is_no_store_by_itself(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/cache.md").write_text("# How the cache works\n")
    memory = Memory(tmp_path)
    report = memory.layers.get_staleness_report()
    assert (report.fresh, report.aging, report.stale) == ([], [], [])
    assert memory.status().dialects["layers"] == {"files": 0, "records": 0}


def test_a_folder_named_memory_does_not_make_a_root(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "src/memory").mkdir(parents=True)
    assert Memory.open(start=tmp_path / "src").root == tmp_path.resolve()
    (tmp_path / "src/memory/projects").mkdir()
    assert Memory.open(start=tmp_path / "src").root == (tmp_path / "src").resolve()


# Ids


@pytest.mark.parametrize(
    ("id", "place", "canonical"),
    [
        ("shared-project/my-api/project_profile", "projects/my-api/project_profile.md", None),
        ("skill-specific/python-code-review/my-api/review_history", None, None),
        ("command/my-api/command_history", "commands/my-api/command_history.md", None),
        ("agent/hephaestus/forge_insights", "agents/hephaestus/forge_insights.md", None),
        ("skills/a/b/c.md", "skills/a/b/c.md", "skill-specific/a/b/c"),
        ("skill/a/b/c", "skills/a/b/c.md", "skill-specific/a/b/c"),
        ("commands/p/f.md", "commands/p/f.md", "command/p/f"),
        ("projects/p/f", "projects/p/f.md", "shared-project/p/f"),
        ("shared/p/f", "projects/p/f.md", "shared-project/p/f"),
        ("agents/zeus/notes", "agents/zeus/notes.md", "agent/zeus/notes"),
        ("memory/projects/p/f.md", "projects/p/f.md", "shared-project/p/f"),
        ("SKILL-SPECIFIC/a/b/c", "skills/a/b/c.md", "skill-specific/a/b/c"),
    ],
)
def test_ids_and_their_aliases(id: str, place: str | None, canonical: str | None) -> None:
    address = grammar.from_id(id)
    assert address.id == (canonical or id)
    assert place is None or address.place == place
    assert grammar.located(address.place) == address


@pytest.mark.parametrize(
    "id",
    [
        "",
        "nothing/a/b",
        "shared-project/p",
        "shared-project/p/q/f",
        "skill-specific/a/b",
        "agent/a/b/c",
        "shared-project/../f",
        "shared-project/p/..",
        "shared-project/p/.hidden",
        "shared-project/p/a b",
        "shared-project/p/a.",
        "shared-project/con/f",
        "shared-project/p/NUL.x",
        "shared-project/p/-f",
        "shared-project/p/é",
        "shared-project/p/f\0",
        "shared-project/p/index",
        "shared-project/p/README.md",
        "shared-project//f",
        "shared-project/p/",
        "shared-project/p\\q/f",
    ],
)
def test_names_that_are_none_are_refused(id: str) -> None:
    with pytest.raises(Invalid):
        grammar.from_id(id)


def test_structural_files() -> None:
    for place in ("index.md", "lifecycle.md", "quality_guidance.md", "skills/a/index.md", "agents/z/README.md"):
        assert grammar.is_structural(place)
    for place in ("projects/p/lifecycle.md", "projects/p/quality_guidance.md", "projects/p/indexes.md"):
        assert not grammar.is_structural(place)


# Stamps


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("<!-- Last Updated: 2026-02-10 -->\n\n# X\n", date(2026, 2, 10)),
        ("\ufeff<!-- Last Updated: 2026-02-10 -->\r\n\r\n# X\r\n", date(2026, 2, 10)),
        ("<!-- Last Updated: 2026-02-10 -->  \t", date(2026, 2, 10)),
        ("<!-- Last Updated: 2026-02-10 -->\r# X", date(2026, 2, 10)),
        ("# X\n<!-- Last Updated: 2026-02-10 -->\n", None),
        ("\n<!-- Last Updated: 2026-02-10 -->\n", None),
        ("**Last Updated**: 2026-02-10\n", None),
        ("<!-- Last updated: 2026-02-10 -->\n", None),
        ("<!-- Last Updated: 2026-04-01 | Version: 1.0.0 -->\n", None),
        ("<!-- Last Updated: 2026-02-30 -->\n", None),
        ("<!-- Last Updated: 2026-13-40 -->\n", None),
        ("<!-- Last Updated: ２０２６-02-10 -->\n", None),
        ("```\n<!-- Last Updated: 2026-02-10 -->\n```\n", None),
        (" <!-- Last Updated: 2026-02-10 -->\n", None),
        ("", None),
    ],
)
def test_the_stamp_is_read_from_the_first_line_only(text: str, day: date | None) -> None:
    assert stamps.day_stamped(text) == day


@pytest.mark.parametrize(
    ("days", "state"),
    [(0, "fresh"), (30, "fresh"), (31, "aging"), (90, "aging"), (91, "stale"), (None, "stale")],
)
def test_staleness(days: int | None, state: str) -> None:
    assert DEFAULTS.layers.staleness(days) == state


def test_a_day_to_come_is_as_new_as_today() -> None:
    assert stamps.age(date(2027, 1, 1), date(2026, 1, 1)) == 0


# Reading


def test_a_history_is_its_beginning_its_entries_and_the_sections_after_them() -> None:
    assert records(f"{HOME}/review_history.md", NEWEST_FIRST) == [
        ("memory", "", 1, 4),
        ("review", "review-3", 5, 10),
        ("review", "review-2", 11, 16),
        ("review", "review-1", 17, 22),
        ("section", "summary-statistics", 23, 26),
        ("section", "goals", 27, 29),
    ]


def test_every_line_belongs_to_a_record(tmp_path: Path) -> None:
    path = tmp_path / HOME / "review_history.md"
    path.parent.mkdir(parents=True)
    path.write_text(NEWEST_FIRST)
    reading = Memory(tmp_path).read(str(path))
    assert reading.lines.record == reading.lines.total - reading.lines.blank
    assert [run.of for run in reading.runs() if run.kind == "record"][-1].endswith("#goals")  # type: ignore[union-attr]


def test_a_memory_has_the_fields_of_its_path() -> None:
    [record] = parse(
        "memory/skills/s/p/project_overview.md", "<!-- Last Updated: 2026-02-10 -->\n\n# API\n\nText.\n"
    ).records
    assert (record.id, record.kind, record.title) == ("skill-specific/s/p/project_overview", "memory", "API")
    assert record.body == "# API\n\nText."
    assert record.at is not None
    assert record.at.rfc3339() == "2026-02-10"
    assert dict(record.extra) == {
        "layer": "skill-specific",
        "projectName": "p",
        "skillName": "s",
        "fileType": "project_overview",
    }


@pytest.mark.parametrize(
    ("title", "is_one"),
    [
        ("Review", True),
        ("Review #14", True),
        ("Review #14 - 2026-01-05", True),
        ("Review 14", True),
        ("Review: 2025-01-15", True),
        ("Review - 2025-01-15", True),
        ("Review — 2025-01-15", True),
        ("Review 2025-01-15", True),
        ("Review (2025-01-15)", True),
        ("review #3", True),
        ("Review of PR #12 (2026-01-02)", True),
        ("Review on Jan 2, 2026", True),
        ("Review, 2026-01-02", True),
        ("Review (12.01.2026)", True),
        ("Review of the process", False),
        ("Review Process (since 2026-01-02)", False),
        ("Review Process", False),
        ("Review Priorities", False),
        ("Review History", False),
        ("Reviews", False),
        ("Reviewers: 3", False),
        ("Review-Process", False),
        ("Code Review #3", False),
    ],
)
def test_what_counts_as_a_review(title: str, is_one: bool) -> None:
    assert len(headings.entries(f"# H\n\n## {title}\n\ntext\n", REVIEWS)) == is_one


def test_headings_in_code_comments_and_lists_do_not_count() -> None:
    text = "```\n## Review #1\n```\n\n<!--\n## Review #2\n-->\n\n- x\n  ## Review #3\n\n> ## Review #4\n\n### Review #5\n\n# Review #6\n"
    assert headings.entries(text, REVIEWS) == []


@pytest.mark.parametrize(
    ("title", "is_one"),
    [
        ("Session", True),
        ("Session 3 — 2025-07-02", True),
        ("Test Session #3 - 2025-11-18 14:30", True),
        ("Session-Scoped Fixtures", False),
        ("Session Notes", False),
        ("Historical Summary", False),
    ],
)
def test_what_counts_as_a_session(title: str, is_one: bool) -> None:
    found = headings.entries(f"## {title}\n", HISTORIES["test_results_history"])
    assert len(found) == is_one


def order(*titles: str) -> list[str]:
    text = "".join(f"## Review{title}\n\ntext\n\n" for title in titles)
    return [entry.title.removeprefix("Review") for entry in headings.oldest_first(headings.entries(text, REVIEWS))]


def test_age_of_entries() -> None:
    assert order(" #3", " #2", " #10") == [" #2", " #3", " #10"]
    assert order(": 2026-02-01", ": 2025-03-01") == [": 2025-03-01", ": 2026-02-01"]
    assert order(" #1 - 2026-02-01", " #2 - 2026-01-01") == [" #2 - 2026-01-01", " #1 - 2026-02-01"]
    assert order(" #2 - 2026-01-01", " #1 - 2026-01-01") == [" #1 - 2026-01-01", " #2 - 2026-01-01"]
    assert order("", " ", "") == ["", "", ""]
    # Of one without a date among dated ones nobody knows the age.
    assert order(": 2026-01-03", " - a", ": 2026-01-01") == [": 2026-01-01", ": 2026-01-03"]


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("Jan 12, 2026", "Dec 3, 2025"),
        ("12 January 2026", "3rd December 2025"),
        ("2026/01/12", "2025/12/03"),
        ("2026年1月12日", "2025年12月3日"),
        ("12/01/2026 (31/12/2025)", "03/12/2025"),
        ("01/12/2026, after 12/31/2025", "12/03/2025"),
    ],
)
def test_age_of_entries_in_every_spelling(newer: str, older: str) -> None:
    for before in (" ", " - ", ": ", " ("):
        assert order(before + newer, before + older) == [before + older, before + newer]


def test_dates_that_can_be_read_in_two_ways_are_none() -> None:
    assert order(": 05/01/2026", ": 03/02/2026", ": 2026-01-01") == [": 2026-01-01"]


def test_a_footer_is_not_part_of_the_last_entry() -> None:
    text = (
        "## Review #2\n\nTwo.\n\n---\n\n## Review #1\n\nOne.\n\n---\n\n**Last Updated**: 2025-01-14 after Review #2\n"
    )
    last = headings.entries(text, REVIEWS)[-1]
    assert last.span.of(text) == "## Review #1\n\nOne.\n\n---\n"
    goals = text.replace("**Last Updated**: 2025-01-14 after Review #2", "### Goals\n\n- fewer\n\n## Notes")
    assert headings.entries(goals, REVIEWS)[-1].span.of(goals) == "## Review #1\n\nOne.\n\n---\n"
    appended = f"{text}\n## Review #3\n\nThree.\n"
    assert [each.span.of(appended).count("Last Updated") for each in headings.entries(appended, REVIEWS)] == [0, 0, 0]
    inner = "## Review #1\n\nOne.\n\n---\n\nMore of it.\n"
    assert headings.entries(inner, REVIEWS)[0].span.of(inner) == inner


# Issues

ISSUES = """\
# Known Issues

## 🔴 Critical

### None Currently

### 1. N+1 Query
**Status**: Resolved (2026-01-05)

#### Details
More.

### 2. Token
- **Status**: 🔄 In Progress - soon

```
### not an issue
**Status**: Resolved (2020-01-01)
```

## Singleton
**Status:** ⚠️ Investigating (2025-10-15)

## Notes
No status here.
"""


def test_issues_are_sections_with_a_status() -> None:
    found = issues.issues(ISSUES)
    assert [(each.title, each.state, each.day) for each in found] == [
        ("1. N+1 Query", "resolved", date(2026, 1, 5)),
        ("2. Token", "progress", None),
        ("Singleton", "other", date(2025, 10, 15)),
    ]
    assert "#### Details" in found[0].span.of(ISSUES)
    assert found[1].span.of(ISSUES).endswith("```\n\n")


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("Resolved", "resolved"),
        ("✅ Resolved (2026-01-05)", "resolved"),
        ("✅ FIXED", "resolved"),
        ("✅ Fixed in PR #234 (2025-01-10)", "resolved"),
        ("**Resolved**", "resolved"),
        ("Mostly resolved", "other"),
        ("✅ Mostly resolved - analyzer added", "other"),
        ("Partially resolved", "other"),
        ("not resolved", "other"),
        ("unresolved", "other"),
        ("Resolving", "other"),
        ("~~Resolved~~", "other"),
        ("Acknowledged, fix planned for Q2 2025", "other"),
        ("🔄 In Progress - migrating", "progress"),
        ("⚠️ In progress", "progress"),
        ("in-progress", "progress"),
        ("🔄 Ongoing education", "other"),
        ("✅", "resolved"),
        ("✅ (2026-01-05)", "resolved"),
        ("🔄 Jan 5, 2026", "progress"),
        ("⚠️ 2026-01-05", "other"),
        ("", "other"),
    ],
)
def test_states(status: str, state: str) -> None:
    [issue] = issues.issues(f"### X\n**Status**: {status}\n")
    assert issue.state == state


def test_a_resolved_line_dates_a_status_without_a_date_and_other_dates_do_not() -> None:
    base = "### X\n**First Detected**: 2020-01-01\n**Status**: ✅ FIXED\n"
    assert issues.issues(base)[0].day is None
    assert issues.issues(f"{base}**Resolved**: 2025-11-15\n")[0].day == date(2025, 11, 15)
    assert issues.issues(f"{base}**Resolved on**: 2025-11-15\n")[0].day == date(2025, 11, 15)
    assert issues.issues(f"{base}```\n**Resolved**: 2025-11-15\n```\n")[0].day is None
    assert issues.issues("### X\n**Status**: Resolved (2026-02-30)\n")[0].day is None


@pytest.mark.parametrize("spelled", ["2025-11-15", "Nov 15, 2025", "15 November 2025", "2025/11/15", "15/11/2025"])
def test_a_status_is_dated_in_every_spelling(spelled: str) -> None:
    assert issues.issues(f"### X\n**Status**: Resolved ({spelled})\n")[0].day == date(2025, 11, 15)
    assert issues.issues(f"### X\n**Status**: ✅ FIXED\n**Resolved**: {spelled}\n")[0].day == date(2025, 11, 15)
    assert issues.issues("### X\n**Status**: Resolved (05/11/2025)\n")[0].day is None


def test_a_section_that_holds_issues_is_none_itself() -> None:
    text = "## Group\n**Status**: Resolved (2020-01-01)\n\n### A\n**Status**: Open\n"
    assert [each.title for each in issues.issues(text)] == ["A"]


# Writing


def test_writing_keeps_line_ends_and_byte_order_mark() -> None:
    text = "\ufeff<!-- Last Updated: 2026-01-01 -->\r\n\r\n# A\r\n"
    day = date(2026, 2, 10)
    assert (
        apply(text, write.rewritten(text, "# B\n\ntext", day))
        == "\ufeff<!-- Last Updated: 2026-02-10 -->\r\n\r\n# B\r\n\r\ntext\r\n"
    )
    assert apply(text, write.restamped(text, day)) == text.replace("2026-01-01", "2026-02-10")
    assert apply(text, write.appended(text, "more\nlines")) == f"{text}\r\nmore\r\nlines\r\n"


@pytest.mark.parametrize(
    "text", ["# A\n", "# A\n\n**Last Updated**: 2025-01-14\n", "<!-- Last updated: 2025-01-01 -->\n# A\n", ""]
)
def test_a_text_without_stamp_gets_one_above(text: str) -> None:
    assert apply(text, write.restamped(text, date(2026, 2, 10))) == f"<!-- Last Updated: 2026-02-10 -->\n\n{text}"


def test_an_impossible_stamp_is_replaced() -> None:
    text = "<!-- Last Updated: 2026-02-30 -->\n\n# A\n"
    assert apply(text, write.restamped(text, date(2026, 2, 10))) == text.replace("30", "10")


@pytest.mark.parametrize("end", ["", "\n", "\n\n\n", "  \n\t\n"])
def test_one_blank_line_before_what_is_appended(end: str) -> None:
    assert apply(f"# A{end}", write.appended(f"# A{end}", "<!-- Last Updated: 2020-01-01 -->\n\nB\n\n")) == "# A\n\nB\n"


def test_the_dialect_writes_records(tmp_path: Path) -> None:
    at = times.read("2026-02-10")
    [file] = parse("memory/projects/p/profile.md", "").records
    new = structs.replace(file, at=at, body="# P\n\nText.")
    text = apply("", layers.insert("", new))
    assert text == "<!-- Last Updated: 2026-02-10 -->\n\n# P\n\nText.\n"
    assert layers.place(new) == "projects/p/profile.md"
    with pytest.raises(Refused):
        layers.insert("something", new)
    assert tmp_path.exists()


def test_an_update_touches_what_differs_and_nothing_else() -> None:
    path = f"{HOME}/review_history.md"
    old = parse(path, NEWEST_FIRST).records[2]
    for changes, before, after in (
        ({"title": "Review #2 - 2026-01-06"}, "Review #2 - 2026-01-05", "Review #2 - 2026-01-06"),
        ({"body": "Deux.\n\n---"}, "Two.", "Deux."),
    ):
        edits = layers.update(NEWEST_FIRST, old, structs.replace(old, **changes))
        assert apply(NEWEST_FIRST, edits) == NEWEST_FIRST.replace(before, after)
    issue = next(each for each in parse(f"{HOME}/known_issues.md", ISSUES).records if each.kind == "issue")
    edits = layers.update(ISSUES, issue, structs.replace(issue, status="Open (2026-02-01)"))
    assert apply(ISSUES, edits) == ISSUES.replace("Resolved (2026-01-05)", "Open (2026-02-01)")
    with pytest.raises(Refused):
        layers.update(NEWEST_FIRST, old, structs.replace(old, id="x"))


def test_ids_are_unique_whatever_the_titles_are() -> None:
    text = "".join(f"### {title}\n**Status**: Open\n" for title in ("A", "A", "A 2", "A", "a-2", "?", "!"))
    ids = [record.id.partition("#")[2] for record in parse(f"{HOME}/known_issues.md", text).records]
    assert ids == ["", "a", "a-2", "a-2-2", "a-3", "a-2-3", "section", "section-2"]


# Anything at all

TEXTS = st.lists(
    st.sampled_from(
        [
            *(
                "<!-- Last Updated: 2026-01-01 -->",
                "# H",
                "## Review #1",
                "## Review",
                "## Review #2 - 2026-01-01",
                "### Issue",
            ),
            *(
                "**Status**: Resolved (2020-01-01)",
                "**Status**: Open",
                "---",
                "```",
                "## Summary",
                "text",
                "",
                "- item",
                "> q",
            ),
            *(
                "## Session 3",
                "## Historical Summary",
                "<!--",
                "-->",
                "## 2026-01-01 10:00 - /test",
                "\ufeff",
                "\udcff",
                "\x85",
            ),
        ]
    ),
    max_size=30,
)
TYPES = ["review_history", "known_issues", "test_results_history", "command_history", "notes", "known_issues_archive"]


@draws(150)
@given(TEXTS, st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from(TYPES))
def test_any_text_is_read_and_every_line_has_one_owner(lines: list[str], eol: str, file_type: str) -> None:
    text = eol.join(lines)
    document = parse(f"{HOME}/{file_type}.md", text)
    ends = [0, *(record.span.end for record in document.records)]
    assert [record.span.start for record in document.records[1:]] == ends[1:-1]
    assert document.records[0].span.start == 0
    assert ends[-1] == len(text) or not text[ends[-1] :].strip()
    assert len({record.id for record in document.records}) == len(document.records)
    everything = engine.Selection()
    engine.check([document], everything)
    once = engine.fixed(document, everything, parse, unsafe=True)
    assert engine.fixed(once, everything, parse, unsafe=True).text == once.text


@pytest.mark.parametrize(
    "line",
    [
        *("## Review #1\n", "### X\n**Status**: Open\n", "## A\n", "#### A\n", "**Status**: x\n", "```\n", "---\n"),
        *("_ ", "> ", "a.a", "`", " ", "*Last Updated "),
    ],
)
def test_reading_is_linear(line: str) -> None:
    def seconds(size: int) -> float:
        text = "### X\n**Status**: " + line * (size // len(line))
        started = time.process_time()
        for file_type in ("review_history", "known_issues"):
            assert layers.read(f"{HOME}/{file_type}.md", text)
        write.restamped(text, date(2026, 1, 1))
        stamps.later_legacy(text)
        return time.process_time() - started

    assert seconds(80_000) < 12 * seconds(20_000) + 0.2


# Real files


def real() -> list[Path]:
    return sorted((CORPUS / "layers").rglob("*.md"))


@pytest.mark.corpus
def test_real_files_are_read_and_kept() -> None:
    claimed = 0
    for path in real():
        text = decode(path.read_bytes())
        document = parse(path.relative_to(CORPUS).as_posix(), text)
        assert encode(document.text) == path.read_bytes()
        claimed += document.dialect == "layers"
        if document.dialect == "layers":
            assert sum(len(Lines(record.span.of(text))) for record in document.records) == len(Lines(text)), path
    assert claimed >= 5


@pytest.mark.corpus
def test_a_real_list_of_issues() -> None:
    [path] = [each for each in real() if each.name == "known_issues.md"]
    text = decode(path.read_bytes())
    found = issues.issues(text)
    assert len(found) == 8
    assert not [issue for issue in found if issue.state == "resolved"]
    assert list(issues.due(found, date(2026, 2, 10), DEFAULTS.layers)) == []


def test_what_is_remembered_stands_below_headings_of_the_second_level() -> None:
    text = "# Decisions of app\n\nText.\n\n## Use Redis\n\n**Date**: 2026-01-01\n\nText.\n\n## Second\n\nMore.\n"
    found = [(piece.title, piece.span.of(text)) for piece in read.pieces(text, "decisions")]
    first, second = text.index("## Use"), text.index("## Second")
    assert found == [("Use Redis", text[first:second]), ("Second", text[second:])]


def test_a_run_of_stamps_ends_with_them() -> None:
    stamp = "<!-- Last Updated: 2026-01-10 -->\n"
    for count, after in ((1, 10), (3, 12)):
        assert stamps.after_run(Lines("\n" * 9 + stamp * count + "Text.\n"), 9) == after


def test_another_body_stands_where_the_old_one_began_and_ended() -> None:
    assert read.body_of("Gulls fly.\n", Span(0, 11)) == Span(0, 10)
    text = "<!-- Last Updated: 2026-01-05 -->\n\n\n\n# Gulls\n\nThey fly.\n"
    [record] = parse("memory/projects/shop/overview.md", text).records
    assert apply(text, [write._body_edit(text, record, "Ham")]) == "<!-- Last Updated: 2026-01-05 -->\n\n\n\nHam\n"


def test_only_a_memory_with_a_reason_has_one() -> None:
    text = "<!-- Last Updated: 2026-01-05 -->\n\n# Notes\n\n## Pool of ten\n\n**Date**: 2026-01-05\n\nTen.\n\n**Why**: Ports.\n"
    every = f"{text}\n## Gates\n\n**Date**: 2026-01-06\n\nTwo.\n"
    found = {each.title: each.extra for each in parse("memory/projects/shop/decisions.md", every).records}
    assert found["Pool of ten"]["rationale"] == "Ports."
    assert "rationale" not in found["Gates"]
