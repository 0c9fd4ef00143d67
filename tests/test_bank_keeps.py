"""What a change of a memory bank keeps: sub-sections, headings as they are, open ends, entries of logs."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from conftest import CORPUS, Ran
from memdown import Memory
from memdown.acts import whole
from memdown.dialects.bank import dates
from memdown.dialects.bank.grammar import layer_named
from memdown.dialects.bank.sections import outline
from memdown.errors import Invalid, Refused
from memdown.memory.bank.files import BankFiles, patched
from memdown.memory.bank.updates import Ending
from memdown.surfaces.memory_tool import MemoryTool
from samples import put

Cli = Callable[..., Ran]
NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)
ACTIVE = """\
# アクティブコンテキスト

## 現在の焦点
Old words,
over two lines.

---

### Session of Monday
- one

#### Deeper
two

### Session of Tuesday
three

## 次のステップ
1. Receipts
2. Export

### Later
- Something else

## Blockers
- No key

## Open Questions
- Which currencies?
- Which tax?

## Our own
Kept.
"""
REAL = sorted(CORPUS.glob("bank/*/memory?bank/active*ontext.md"))


def bank(root: Path) -> Memory:
    return Memory(root, now=lambda: NOW)


def active(root: Path) -> str:
    return (root / "memory-bank/activeContext.md").read_bytes().decode()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    put(tmp_path, "memory-bank/activeContext.md", ACTIVE)
    return tmp_path


# Setting a section


def test_focus_changes_its_own_text_and_keeps_what_is_below(root: Path) -> None:
    memory = bank(root)
    memory.bank.focus("New words.")
    assert active(root) == ACTIVE.replace("Old words,\nover two lines.", "New words.")
    assert [(each.what, each.lines) for each in memory.removed()] == [("text of '現在の焦点'", 2)]
    memory.bank.focus("Other words.")
    assert memory.removed() == []


def test_focus_with_replace_drops_the_subsections_and_names_them(cli: Cli) -> None:
    put(Path(), "memory-bank/activeContext.md", ACTIVE)
    ran = cli("bank", "focus", "New words.", "--replace", "--json")
    assert [each["what"] for each in ran.json()["removed"]] == [
        "text of '現在の焦点'",
        "section 'Session of Monday'",
        "section 'Deeper'",
        "section 'Session of Tuesday'",
    ]
    assert active(Path()).startswith("# アクティブコンテキスト\n\n## 現在の焦点\nNew words.\n\n## 次のステップ\n")
    put(Path(), "memory-bank/activeContext.md", ACTIVE)
    assert "Removed section 'Session of Monday' from" in cli("bank", "focus", "New words.", "--replace").out


def test_a_text_goes_above_subsections_where_there_is_none(root: Path) -> None:
    put(root, "memory-bank/activeContext.md", "# A\n\n## Current Focus\n\n### Deep\nkept\n")
    bank(root).bank.focus("New.")
    assert active(root) == "# A\n\n## Current Focus\nNew.\n\n### Deep\nkept\n"


STACK = "# T\n\n## Stack\nAll.\n\n### Languages\nC\n\n### Databases\nNone.\n"


@pytest.mark.parametrize(
    ("text", "replace", "after"),
    [
        ("New.", False, STACK.replace("All.", "New.")),
        ("New.", True, "# T\n\n## Stack\nNew.\n"),
        (
            "### Languages\nGo\n\n### Databases\nSQLite",
            False,
            "# T\n\n## Stack\n### Languages\nGo\n\n### Databases\nSQLite\n",
        ),
        ("### Languages\nGo", True, "# T\n\n## Stack\n### Languages\nGo\n"),
    ],
)
def test_a_section_of_a_file_is_set(tmp_path: Path, text: str, replace: bool, after: str) -> None:
    put(tmp_path, "memory-bank/techContext.md", STACK)
    memory = bank(tmp_path)
    memory.bank.update(sections={"techContext.md": {"Stack": text}}, replace=replace)
    assert (tmp_path / "memory-bank/techContext.md").read_text() == after
    assert [each.what for each in memory.removed() if each.what.startswith("section")] == [
        f"section '{name}'" for name in ("Languages", "Databases") if name not in after
    ]


@pytest.mark.parametrize(
    ("file", "text", "name", "after"),
    [
        (
            "techContext.md",
            "# Tech Context\n\n## Technology Stack\n\n### Languages\nC\n\n### Databases\nNone.\n\n## Build Commands\nmake\n",
            "Frameworks",
            "### Languages\nC\n\n### Frameworks\nNew.\n\n### Databases\nNone.\n",
        ),
        (
            "techContext.md",
            "# Tech Context\n\n## Technology Stack\n\n### Languages\nC\n\n## Build Commands\nmake\n",
            "Key Libraries",
            "### Languages\nC\n\n### Key Libraries\nNew.\n\n## Build Commands\n",
        ),
        (
            "techContext.md",
            "# Tech Context\n\n## Languages\nC\n",
            "Databases",
            "## Languages\nC\n\n## Databases\nNew.\n",
        ),
        (
            "techContext.md",
            "# Tech Context\n\n## Technology Stack\nAll.\n",
            "Languages",
            "## Technology Stack\nAll.\n\n### Languages\nNew.\n",
        ),
        (
            "projectBrief.md",
            "# Project Brief\n\n## Project Name\nShop\n",
            "In Scope",
            "Shop\n\n## Scope Boundaries\n\n### In Scope\nNew.\n",
        ),
        (
            "projectBrief.md",
            "# Project Brief\n\n## Scope Boundaries\n\n### Out of Scope\nTax\n",
            "In Scope",
            "## Scope Boundaries\n\n### In Scope\nNew.\n\n### Out of Scope\nTax\n",
        ),
    ],
)
def test_a_section_that_was_left_out_is_made_where_the_template_has_it(
    tmp_path: Path, file: str, text: str, name: str, after: str
) -> None:
    put(tmp_path, f"memory-bank/{file}", text)
    memory = bank(tmp_path)
    memory.bank.update(sections={file: {name: "New."}})
    now = (tmp_path / f"memory-bank/{file}").read_text("utf-8")
    assert after in now
    assert patched(text, name, "New.", layer_named(file)) == now
    with pytest.raises(Invalid, match="has a heading in it"):
        patched(text, name, "### Another", layer_named(file))


def test_headings_that_would_drop_others_are_refused(tmp_path: Path) -> None:
    put(tmp_path, "memory-bank/techContext.md", STACK)
    with pytest.raises(Refused, match=r"'Databases'.*replace"):
        bank(tmp_path).bank.update(sections={"techContext.md": {"Stack": "### Languages\nGo"}})
    with pytest.raises(Refused, match=r"'Languages'.*replace"):
        patched(STACK, "Stack", "### Other\nGo")
    assert patched(STACK, "Stack", "### Other\nGo", replace=True) == "# T\n\n## Stack\n\n### Other\nGo\n"
    assert patched(STACK, "Stack", "Go", replace=True) == "# T\n\n## Stack\n\nGo\n"
    assert (tmp_path / "memory-bank/techContext.md").read_text() == STACK


# The end of a session


def test_end_keeps_headings_and_open_ends(root: Path) -> None:
    memory = bank(root)
    memory.bank.end(summary="Import works", focus="New words.", next_steps=["Ship"], blockers=["No key"])
    assert active(root) == ACTIVE.replace("Old words,\nover two lines.", "New words.").replace(
        "2. Export\n", "2. Export\n3. Ship\n"
    ).replace("## 次", "## Recent Changes\n- Import works — 2026-02-01\n\n## 次")
    assert [(each.what, each.lines) for each in memory.removed()] == [("text of '現在の焦点'", 2)]


def test_end_closes_what_it_is_told_to_and_says_so(cli: Cli) -> None:
    put(Path(), "memory-bank/activeContext.md", ACTIVE)
    ran = cli("end", "--summary", "x", "--close", "which tax", "--clear", "blockers", "--clear", "next-steps", "--json")
    assert ran.json()["removed"] == [
        {"what": "next step 'Receipts'", "path": "memory-bank/activeContext.md", "lines": 1},
        {"what": "next step 'Export'", "path": "memory-bank/activeContext.md", "lines": 1},
        {"what": "section 'Later'", "path": "memory-bank/activeContext.md", "lines": 1},
        {"what": "next step 'Something else'", "path": "memory-bank/activeContext.md", "lines": 1},
        {"what": "blocker 'No key'", "path": "memory-bank/activeContext.md", "lines": 1},
        {"what": "open question 'Which tax?'", "path": "memory-bank/activeContext.md", "lines": 1},
    ]
    now = active(Path())
    assert "## 次のステップ\n\n## " in now
    assert "## Blockers\n\n## Open Questions\n- Which currencies?\n\n## Our own\nKept.\n" in now
    put(Path(), "memory-bank/activeContext.md", ACTIVE)
    assert "Removed blocker 'No key' from" in cli("end", "--summary", "x", "--clear", "blockers").out
    assert cli("end", "--summary", "x", "--close", "nothing of that name").code == 1
    assert cli("end", "--summary", "x", "--clear", "everything").code == 2


def test_end_may_write_the_active_context_anew(root: Path) -> None:
    memory = bank(root)
    memory.bank.end(summary="Import works", replace=True)
    assert active(root).startswith("# Active Context\n\n## Current Focus\n\n## Recent Changes\n- Import works — 2026")
    assert "blocker 'No key'" in [each.what for each in memory.removed()]
    assert "section 'Our own'" in [each.what for each in memory.removed()]


def test_end_twice_is_end_once(root: Path) -> None:
    ending = Ending(summary="Done", focus="Rest", next_steps=("Ship",))
    bank(root).bank.end(ending)
    once = active(root)
    assert bank(root).bank.end(ending).written == []
    assert active(root) == once


def test_a_new_file_has_all_sections(tmp_path: Path) -> None:
    (tmp_path / "memory-bank").mkdir()
    (tmp_path / "memory-bank/progress.md").write_text("# Progress\n")
    bank(tmp_path).bank.end(summary="Begun")
    assert [each.title for each in outline(active(tmp_path)).sections][-1] == "Next Steps"


def test_clear_asks_for_a_known_list(root: Path) -> None:
    with pytest.raises(Invalid, match="next-steps"):
        bank(root).bank.end(summary="x", clear=["everything"])


@pytest.mark.corpus
@pytest.mark.parametrize("path", REAL, ids=lambda path: path.parts[-3])
def test_real_files_lose_only_the_text_that_is_set(path: Path, tmp_path: Path) -> None:
    text = path.read_bytes().decode()
    (tmp_path / "memory-bank").mkdir()
    (tmp_path / "memory-bank/activeContext.md").write_bytes(path.read_bytes())
    before = [(each.level, each.title) for each in outline(text).sections]
    memory = bank(tmp_path)
    memory.bank.end(summary="What was done", next_steps=["A step"])
    after = [(each.level, each.title) for each in outline(active(tmp_path)).sections]
    assert memory.removed() == []
    assert [each for each in after if each in before] == before
    filled = {line for line in text.splitlines() if not dates.is_placeholder(line) and not dates.is_empty(line)}
    assert not filled - set(active(tmp_path).splitlines())
    bank(tmp_path).bank.focus("Another focus")
    assert [
        each for each in [(each.level, each.title) for each in outline(active(tmp_path)).sections] if each in before
    ] == before


def test_what_is_completed_is_not_removed(tmp_path: Path) -> None:
    put(tmp_path, "memory-bank/progress.md", "# P\n\n## Completed\n\n## Next Steps\n- [ ] Ship\n- [ ] Test\n")
    memory = bank(tmp_path)
    memory.bank.complete("Ship")
    assert memory.removed() == []
    memory.bank.start_item("Test")
    assert memory.removed() == []


# Whole files

LOG = "# Decision Log\n\n" + "\n---\n\n".join(
    f"## Decision: Use {name}\n- **Date**: 2026-01-0{day}\n- **Status**: Accepted\n"
    for day, name in enumerate(("SQLite", "Python", "Git", "Markdown"), 1)
)


@pytest.fixture
def logged(tmp_path: Path) -> Path:
    put(tmp_path, "memory-bank/decisionLog.md", LOG)
    return tmp_path


def test_a_log_of_decisions_does_not_shrink(logged: Path) -> None:
    memory = bank(logged)
    files = BankFiles(memory)
    shorter = LOG[: LOG.index("---")]
    with pytest.raises(Refused, match=r"lacks 3 of its 4 entries.*: 'Use Python', 'Use Git', 'Use Markdown'; .*force"):
        files.replace("decisionLog.md", shorter)
    with pytest.raises(Refused, match=r"'Use SQLite'.* and 1 more"):
        files.replace("decisionLog.md", "# Decision Log\n\nAll gone.\n")
    assert (logged / "memory-bank/decisionLog.md").read_text() == LOG
    files.replace("decisionLog.md", shorter, force=True)
    assert memory.steps()[0].forced == "dropped 3 of 4 entries of memory-bank/decisionLog.md"
    assert [each.what for each in memory.removed()] == [
        f"decision 'Use {name}'" for name in ("Python", "Git", "Markdown")
    ]


def test_a_log_of_decisions_may_grow_and_its_status_change(logged: Path) -> None:
    files = BankFiles(bank(logged))
    longer = LOG.replace("Accepted", "Superseded by Use X", 1) + "\n---\n\n## Decision: Use X\n- **Status**: Accepted\n"
    files.replace("decisionLog.md", longer)
    files.replace("decisionLog.md", longer.replace("# Decision Log", "# Decisions"))


@pytest.mark.parametrize("content", ["", " \n\t\n", "\ufeff"])
def test_nothing_over_something_is_refused(root: Path, content: str) -> None:
    with pytest.raises(Refused, match="empty"):
        BankFiles(bank(root)).replace("activeContext.md", content, force=True)
    assert active(root) == ACTIVE
    put(root, "memory-bank/notes.md", "\n")
    BankFiles(bank(root)).replace("notes.md", "")


def test_an_entry_without_its_text_is_gone(logged: Path) -> None:
    bare = LOG.replace("- **Date**: 2026-01-04\n- **Status**: Accepted\n", "")
    with pytest.raises(Refused, match="'Use Markdown'"):
        BankFiles(bank(logged)).replace("decisionLog.md", bare)


def test_an_entry_that_loses_most_of_its_text_is_gone(tmp_path: Path) -> None:
    entry = "## Decision: Use SQLite\n- **Status**: Accepted\n- **Rationale**: One file, no server to run or to pay for, and all of us know it from other projects.\n"
    put(tmp_path, "memory-bank/decisionLog.md", f"# Log\n\n{entry}")
    files = BankFiles(bank(tmp_path))
    for short in (
        entry.replace("One file, no server to run or to pay for, and all of us know it from other projects.", "x"),
        "## Decision: Use SQLite\nx\n",
    ):
        with pytest.raises(Refused, match="'Use SQLite'"):
            files.replace("decisionLog.md", f"# Log\n\n{short}")
    files.replace("decisionLog.md", f"# Log\n\n{entry.replace('Accepted', 'Deprecated').replace('know it', 'know')}")


def test_a_long_line_that_becomes_a_short_one_is_reported(root: Path) -> None:
    memory = bank(root)
    memory.bank.focus("A long text in one line, which says what all of us do, why that is so, and what comes after it.")
    memory.bank.focus("Docs")
    assert [(each.what, each.lines) for each in memory.removed()] == [("text of '現在の焦点'", 1)]
    memory.bank.focus("Documents")
    assert memory.removed() == []


def test_a_patch_keeps_the_log_too(logged: Path) -> None:
    files = BankFiles(bank(logged))
    seen = files.read("decisionLog.md").hash
    with pytest.raises(Refused):
        files.patch("decisionLog.md", "Decision Log", "## Decision: Another\n- x", expected=seen, replace=True)
    assert (logged / "memory-bank/decisionLog.md").read_text() == LOG


APPEND_ONLY = {
    ".squad/decisions.md": "### 2026-01-0{}: {}\n**By:** Ann\n**What:** Something.\n\n",
    ".squad/decisions-archive.md": "### 2026-01-0{}: {}\n**By:** Ann\n**What:** Something.\n\n",
    ".squad/agents/ann/history.md": "### 2026-01-0{}: {}\nSomething.\n\n",
    "memory-bank/archive/progress-2026-01.md": "- [x] {1} — 2026-01-0{0}\n",
    "memory-bank/edit_history.md": "### 2026-01-0{}\n\n#### 10:00:00 UTC - T1: {}\n- Created `a.py` - Something\n\n",
    "memory-bank/errorLog.md": "## 2026-01-0{} 10:00:00 UTC: T1 - {}\n**File:** `a.py`\n\n",
    "knowledge/log.md": "## 2026-01-0{}\n\n- {}\n\n",
    "memory/skills/review/api/review_history.md": "## Review {}: {}\n\nSomething.\n\n",
    "memory/skills/review/api/known_issues_archive.md": "## Issue {}: {}\n\n**Status**: resolved\n\n",
}


@pytest.mark.parametrize("name", APPEND_ONLY)
def test_what_is_only_appended_to_in_each_dialect(tmp_path: Path, name: str) -> None:
    entries = [APPEND_ONLY[name].format(day, word) for day, word in ((1, "Alpha"), (2, "Beta"), (3, "Gamma"))]
    text = "# A log\n\n" + "".join(entries)
    memory = bank(tmp_path)
    with pytest.raises(Refused, match="lacks 2 of its 3 entries"):
        whole.refuse_loss(memory, name, text, text.replace(entries[0], "").replace(entries[2], ""))
    whole.refuse_loss(memory, name, text, text.replace("Something", "Something else"))
    whole.refuse_loss(memory, name, text, "# A log\n", force=True)


def test_other_files_may_lose_what_they_hold(tmp_path: Path) -> None:
    memory = bank(tmp_path)
    whole.refuse_loss(memory, "memory-bank/progress.md", "# P\n\n## Completed\n- [x] a\n", "# P\n")
    whole.refuse_loss(memory, "README.md", "# P\n\n## 2026-01-01: x\n", "# P\n")


def test_a_template_s_entry_gives_way(tmp_path: Path) -> None:
    template = "# Decision Log\n\n## Decision: [Decision Title]\n- **Date**: [YYYY-MM-DD]\n"
    whole.refuse_loss(bank(tmp_path), "memory-bank/decisionLog.md", template, "# Decision Log\n")


# Other surfaces


def test_the_memory_tool_does_not_empty_a_file(tmp_path: Path) -> None:
    put(tmp_path, "memory-bank/decisionLog.md", LOG)
    tool = MemoryTool(bank(tmp_path), "memory-bank")
    ask = {"command": "str_replace", "path": "/memories/decisionLog.md", "old_str": LOG}
    assert "empty" in tool.run({**ask, "new_str": ""}).text
    assert "lacks 3 of its 4 entries" in tool.run({**ask, "new_str": LOG[: LOG.index("---")]}).text
    assert (tmp_path / "memory-bank/decisionLog.md").read_text() == LOG


def test_a_layered_memory_is_not_emptied(cli: Cli) -> None:
    name = "memory/projects/api/project_profile.md"
    put(Path(), name, "<!-- Last Updated: 2026-01-01 -->\n\n# API\n")
    before = Path(name).read_text()
    ran = cli("layer", "update", "shared-project/api/project_profile", "--content", "")
    assert ran.code == 3
    assert "memdown layer delete shared-project/api/project_profile" in ran.err
    assert Path(name).read_text() == before


def test_a_layered_history_shrinks_by_force_alone(cli: Cli) -> None:
    name, id = "memory/skills/review/api/review_history.md", "skill-specific/review/api/review_history"
    put(Path(), name, "# H\n\n## Review 1: a\n\nx\n\n## Review 2: b\n\ny\n")
    ran = cli("layer", "update", id, "--content", "# H\n\n## Review 2: b\n\ny\n")
    assert (ran.code, "'Review 1: a'" in ran.err) == (3, True)
    assert cli("layer", "update", id, "--content", "# H\n\n## Review 2: b\n\ny\n", "--force").code == 0
    assert "Review 1" not in Path(name).read_text()
