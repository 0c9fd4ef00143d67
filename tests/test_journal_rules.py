"""Rules of a journal: the verdict on each example of its description, fixes that lose nothing, files that disagree."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import CORPUS, some
from memdown.acts.check import engine
from memdown.dialects import parse
from memdown.dialects.journal.codes import CODES
from memdown.dialects.journal.rules import RULES, minded
from memdown.memory import Memory
from memdown.record import Document
from memdown.text import decode
from samples import put

SEED = CORPUS.parent / "seeds" / "journal-format-spec-v1.0.txt"
JOURNAL = engine.Selection(select=("JNL",), ignore=("JNL028", "JNL064"))
HISTORY = "memory-bank/edit_history.md"
DAY = "### 2025-12-05\n\n"
ENTRY = DAY + "#### 10:00:00 UTC - T1: Something\n"
HEADER = "| ID | Title | Status | Priority | Started | Dependencies | Details |\n|--|--|--|--|--|--|--|\n"

needs_seed = pytest.mark.skipif(not SEED.exists(), reason="the description of the format is not here")


def told(text: str, path: str = HISTORY) -> list[tuple[int, str]]:
    """Line and name of each finding."""
    document = parse(path, text)
    return [(document.lines.at(each.span.start) + 1, each.name) for each in engine.check([document], JOURNAL)]


def names(files: dict[str, str], *, whole: bool = True) -> list[tuple[str, str]]:
    documents = [parse(f"memory-bank/{path}", text) for path, text in files.items()]
    return [(each.path.partition("/")[2], each.name) for each in engine.check(documents, JOURNAL, whole=whole)]


def gist(document: Document) -> list[object]:
    """What records say, without where they stand."""
    return [
        (
            each.kind,
            each.title,
            each.status,
            {key: each.extra.get(key) for key in ("date", "time", "tasks", "action", "file_path")},
        )
        for each in document.records
    ]


# The description's own examples


def examples(section: str, number: int) -> list[str]:
    part = SEED.read_text("utf-8").partition(f"\n### {section} ")[2].partition("\n### 2.")[0]
    return [line for line in re.findall(r"```markdown\n(.*?)```", part, re.S)[number].splitlines() if line.strip()]


@needs_seed
@pytest.mark.corpus
@pytest.mark.parametrize(("section", "above"), [("2.2", ""), ("2.3", DAY), ("2.4", ENTRY)])
def test_valid_examples_have_no_finding_alone_or_together(section: str, above: str) -> None:
    lines = examples(section, 0)
    for line in [*lines, "\n".join(lines)]:
        assert told(f"{above}{line}\n") == []


@needs_seed
@pytest.mark.corpus
@pytest.mark.parametrize(
    ("section", "above", "verdicts"),
    [
        ("2.2", "", ["date-heading-level"] * 2 + ["date-heading-format"] * 3),
        (
            "2.3",
            DAY,
            [
                *("entry-no-space-after-hashes", "time-not-zero-padded", "entry-no-space-before-dash"),
                *("entry-no-dash", "entry-double-dash"),
            ],
        ),
        (
            "2.4",
            ENTRY,
            [
                *("mod-no-backticks", "mod-unknown-action", "mod-deleted-unsupported", "mod-no-dash"),
                *("mod-no-space-after-action", "mod-no-space-around-dash"),
            ],
        ),
    ],
)
def test_invalid_examples_have_their_verdict_alone_and_together(section: str, above: str, verdicts: list[str]) -> None:
    lines = examples(section, 1)
    first = above.count("\n") + 1
    assert [told(f"{above}{line}\n") for line in lines] == [[(first, name)] for name in verdicts]
    assert told(above + "\n".join(lines) + "\n") == [(first + at, name) for at, name in enumerate(verdicts)]


@needs_seed
@pytest.mark.corpus
def test_the_complete_example_has_no_finding() -> None:
    text = SEED.read_text("utf-8").partition("### 2.5")[2].split("```markdown\n")[1].partition("```")[0]
    assert told(text) == []
    found = engine.check([parse(HISTORY, text)], engine.Selection(ignore=("JNL028",)))
    assert found == [], "but that its zone by letters may be one of several"


# Codes and profiles


def test_every_deviation_has_a_rule_of_its_name_and_severity() -> None:
    by_name = {rule.name: rule.severity for rule in RULES}
    assert {name: by_name.get(name) for name in CODES} == {name: code.severity for name, code in CODES.items()}


@pytest.mark.parametrize(
    "start", ["2:05 PM -", "14:00-14:30 UTC -", "[14:30] -", "14:30 utc -", "2025-12-05 14:30 -", "T3:", ""]
)
def test_an_entry_that_the_pattern_does_not_match_is_an_error(tmp_path: Path, start: str) -> None:
    """Readers of the contract alone do not see it, though it is read here."""
    put(tmp_path, HISTORY, f"{DAY}#### {start} Parser\n- Created `a.md` - New\n")
    for profile, verdicts in (("1.0", {"error"}), ("auto", {"info", "warning"})):
        put(tmp_path, "memdown.toml", f'[journal]\nprofile = "{profile}"\n')
        with Memory.open(tmp_path) as memory:
            [edit, _] = memory.records()
            found = [each for each in memory.check() if each.code not in ("JNL064", "JNL028")]
        assert edit.extra["date"] == "2025-12-05"
        assert {each.severity for each in found} <= verdicts
        assert found


@pytest.mark.parametrize(("profile", "found"), [("1.0", 1), ("1.1", 0), ("lenient", 0)])
def test_the_profile_says_whether_deleted_is_told(tmp_path: Path, profile: str, found: int) -> None:
    (tmp_path / "memdown.toml").write_text(f'[journal]\nprofile = "{profile}"\n', "utf-8")
    (tmp_path / "memory-bank").mkdir()
    (tmp_path / HISTORY).write_text(f"{ENTRY}- Deleted `a.py` - Unused\n", "utf-8")
    memory = Memory(tmp_path)
    checked = memory.check(chosen=memory.selection(["JNL"]))
    assert [each.name for each in checked.diagnostics if each.code != "JNL064"] == ["mod-deleted-unsupported"] * found


def test_lenient_tells_what_is_lost_and_nothing_else() -> None:
    kept = {rule.name for rule in RULES if rule.name in CODES} - {
        rule.name for rule in RULES if rule not in minded("lenient")
    }
    assert kept == {name for name, code in CODES.items() if code.lost}


# Fixes


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("## 2025-12-05\n", "### 2025-12-05\n"),
        (f"{DAY}### 9:05 UTC — T3: Parser\n", f"{DAY}#### 09:05 UTC - T3: Parser\n"),
        (f"{DAY}####2:30 PM -- T3: Parser\n", f"{DAY}#### 14:30 - T3: Parser\n"),
        (f"{ENTRY}- Create `a.py`: new\n", f"{ENTRY}- Created `a.py` - new\n"),
        (f"{ENTRY}- Modified src/a.py — more\r\n", f"{ENTRY}- Modified `src/a.py` - more\r\n"),
    ],
)
def test_fixes(before: str, after: str) -> None:
    assert engine.fixed(parse(HISTORY, before), JOURNAL, parse).text == after


def test_a_level_that_would_take_the_date_from_an_entry_stays() -> None:
    text = "## 2025-12-05\n\n### Morning\n\n#### 10:00:00 UTC - T1: Something\n- Created `a.py` - New\n"
    before = parse(HISTORY, text)
    after = engine.fixed(before, JOURNAL, parse)
    assert gist(after) == gist(before)
    assert "date-heading-level" in [name for _, name in told(after.text)]


DAYS = st.sampled_from(
    ["## 2025-12-05", "### 2025-12-4", "###  2025-12-03", "### 2025/12/02", "## April 20, 2025", "### x"]
)
HEADS = st.builds(
    "{}{}{}{}{}".format,
    st.sampled_from(["## ", "### ", "#### ", "####", "####  "]),
    st.sampled_from(["9:05", "14:30", "14:30:15", "2:30 PM", "[10:00]", "25:00"]),
    st.sampled_from(["", " UTC", " GMT+3"]),
    st.sampled_from([" - ", "- ", " -- ", " — ", " ", ": "]),
    st.sampled_from(["T1: Parser", "T3, T13: Both", "Something", "T2 Viewer"]),
)
BULLETS = st.builds(
    "{}{}{}{}{}".format,
    st.sampled_from(["- ", "-  ", "* ", "  - "]),
    st.sampled_from(["Created ", "Create ", "[create] ", "Fixed ", "Deleted ", "Modified", ""]),
    st.sampled_from(["`src/a.py`", "src/b.py", "`c.md`, `d.md`", "[e.md](e.md)", "`/home/f.py`"]),
    st.sampled_from([" - ", "-", " — ", ": ", " ", "\u00a0- "]),
    st.sampled_from(["why", "it `calls` x", ""]),
)
LINES = st.one_of(
    DAYS, HEADS, BULLETS, st.sampled_from(["", "prose", "---", "```", "### Notes", "## Summary", "======="])
)


@given(st.lists(LINES, max_size=14).map("\n".join))
def test_fixing_keeps_what_the_file_says_and_a_second_time_changes_nothing(text: str) -> None:
    before = parse(HISTORY, text)
    after = engine.fixed(before, JOURNAL, parse)
    assert gist(after) == gist(before)
    assert after.text.count("\n") == text.count("\n")
    assert engine.fixed(after, JOURNAL, parse).text == after.text


@pytest.mark.corpus
def test_fixing_real_journals_loses_no_line_and_no_record(corpus: list[Path]) -> None:
    fixed = 0
    for path in some([path for path in corpus if path.is_relative_to(CORPUS / "journal")], 3):
        name = path.relative_to(CORPUS).as_posix()
        before = parse(name, decode(path.read_bytes()))
        if before.dialect != "journal":
            continue
        after = engine.fixed(before, JOURNAL, parse)
        fixed += after.text != before.text
        assert gist(after) == gist(before), name
        assert len(after.lines) == len(before.lines), name
        assert engine.fixed(after, JOURNAL, parse).text == after.text, name
    assert fixed > 10


# Files that disagree


def row(id: str, *, depends: str = "-", status: str = "🔄") -> str:
    return f"| {id} | Title | {status} | HIGH | 2025-12-05 | {depends} | [Details](tasks/{id}.md) |\n"


def file(id: str, *, status: str = "🔄 In Progress") -> str:
    return f"# {id}: Title\n\n**Status**: {status}\n"


def test_a_journal_that_agrees_has_no_finding() -> None:
    assert names({"tasks.md": HEADER + row("T1"), "tasks/T1.md": file("T1")}) == []


def test_what_is_missing_is_told_of_a_whole_journal_only() -> None:
    files = {"tasks.md": HEADER + row("T1", depends="T9"), "tasks/T2.md": file("T2")}
    assert names(files) == [
        ("tasks.md", "dependency-unknown"),
        ("tasks.md", "row-without-file"),
        ("tasks/T2.md", "file-without-row"),
    ]
    assert names(files, whole=False) == []


def test_a_circle_is_told_once_and_from_its_first_task() -> None:
    text = (
        HEADER + row("T3", depends="T1") + row("T1", depends="T2") + row("T2", depends="T3") + row("T4", depends="T3")
    )
    found = engine.check([parse("memory-bank/tasks.md", text)], engine.Selection(select=("JNL071",)))
    assert ["T1 → T2 → T3 → T1" in each.message for each in found] == [True]


def test_many_circles_do_not_take_for_ever() -> None:
    rows = "".join(
        row(f"T{2 * n}", depends=f"T{2 * n + 1}") + row(f"T{2 * n + 1}", depends=f"T{2 * n}") for n in range(2000)
    )
    found = engine.check([parse("memory-bank/tasks.md", HEADER + rows)], engine.Selection(select=("JNL071",)))
    assert len(found) == 50


def test_two_journals_are_not_compared_with_each_other() -> None:
    assert names({"tasks.md": HEADER + row("T1"), "tasks/T1.md": file("T1"), "x/memory-bank/tasks.md": ""}) == []
    one = parse("a/memory-bank/tasks.md", HEADER + row("T1"))
    other = parse("b/memory-bank/tasks/T1.md", file("T1", status="✅ Completed"))
    assert [each.name for each in engine.check([one, other], JOURNAL)] == ["row-without-file"]


def test_row_and_file_with_different_states() -> None:
    files = {"tasks.md": HEADER + row("T1", status="⏸"), "tasks/T1.md": file("T1")}
    assert names(files) == [("tasks.md", "status-mismatch")]


def test_pending_tasks_may_count_as_active_or_not() -> None:
    tasks = HEADER + row("T1") + row("T2", status="⬜")
    for active, found in ((1, []), (2, []), (3, ["counts-mismatch"])):
        cache = f"# Session Cache\n\n- Active: {active} | Paused: 0 | Completed: 0\n"
        chosen = engine.Selection(select=("JNL092",))
        documents = [parse("memory-bank/tasks.md", tasks), parse("memory-bank/session_cache.md", cache)]
        assert [each.name for each in engine.check(documents, chosen)] == found


def test_a_file_of_oldest_first_is_told_once() -> None:
    days = "".join(f"### 2025-12-0{n}\n\n#### 10:00 UTC - T1: X\n- Created `{n}.py` - New\n\n" for n in range(1, 6))
    assert [name for _, name in told(days)] == ["days-out-of-order"]


def test_times_of_unknown_zones_are_not_called_out_of_order() -> None:
    text = (
        f"{DAY}#### 10:00:00 IST - T1: X\n- Created `a.py` - New\n\n#### 11:00:00 UTC - T1: Y\n- Created `b.py` - New\n"
    )
    found = engine.check([parse(HISTORY, text)], engine.Selection(select=("JNL",), ignore=("JNL064",)))
    assert [each.name for each in found] == ["zone-unknown"]
