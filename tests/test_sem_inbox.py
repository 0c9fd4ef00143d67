"""The drop box: every entry reaches the log exactly once, or stays where it is with a reason."""

import json
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import CORPUS, Ran
from memdown import dialects
from memdown.dialects import DIALECTS
from memdown.dialects.sem.read import entries
from memdown.store import Files
from samples import at_once, killed, put
from samples import in_process as memdown

sem = DIALECTS["sem"]

Cli = Callable[..., Ran]
HOME = ".squad"
LOG = f"{HOME}/decisions.md"
BOX = f"{HOME}/decisions/inbox"
DONE = f"{HOME}/decisions/inbox-archive"
CANONICAL = """\
### 2026-02-15T14:32:15-0800: decision: Per-agent models

**type:** decision  
**timestamp:** 2026-02-15T14:32:15-0800  
**author:** Ann  
**scope:** team  

**summary:** Agents choose their models.

**details:**

Three tiers.

---
"""
DOCUMENT = """\
# Decision: Deploy on Fridays

**Date:** 2026-02-12
**Author:** Cy

## Context

We wait too long.

### Numbers

```md
## not a heading
```

## Rationale

Waiting is worse.
"""
DOCUMENT_IN_LOG = """\
### 2026-02-12: decision: Deploy on Fridays

**type:** decision  
**timestamp:** 2026-02-12  
**author:** Cy  
**scope:** team  

**summary:** Deploy on Fridays

**details:**

#### Context

We wait too long.

##### Numbers

```md
## not a heading
```

**rationale:** Waiting is worse.

---
"""


def log() -> str:
    return Path(LOG).read_bytes().decode()


def waiting() -> list[str]:
    return sorted(path.name for path in Path(BOX).glob("*.md"))


def done() -> list[str]:
    return sorted(path.name for path in Path(DONE).glob("*.md"))


def test_entries_move_to_the_log_and_files_to_the_archive(cli: Cli) -> None:
    put(Path(), LOG, "# Decisions\n\nText.\n")
    put(Path(), f"{BOX}/ann-models.md", CANONICAL)
    put(Path(), f"{BOX}/cy-friday.md", DOCUMENT)
    told = cli("inbox", "merge", "--json").json()
    assert told == {
        "merged": 2,
        "duplicates": 0,
        "overlapping": [],
        "left": [],
        "written": [LOG],
        "archived": [f"{DONE}/cy-friday.md", f"{DONE}/ann-models.md"],
        "outside": [],
        "removed": [],
        "undo": 1,
    }
    assert log() == f"# Decisions\n\nText.\n\n{DOCUMENT_IN_LOG}\n{CANONICAL}"
    assert (waiting(), done()) == ([], ["ann-models.md", "cy-friday.md"])
    assert Path(f"{DONE}/cy-friday.md").read_text() == DOCUMENT
    again = cli("inbox", "merge", "--json").json()
    assert (again["merged"], again["written"], again["archived"]) == (0, [], [])


MEMORY = CANONICAL.replace("decision: Per-agent models", "memory: Ask first").replace("decision", "memory")


def test_memories_go_to_the_history_of_the_one_author_they_name(cli: Cli) -> None:
    put(
        Path(), f"{BOX}/a.md", MEMORY + "\n" + MEMORY.replace("**author:** Ann  \n", "").replace("14:32:15", "15:00:00")
    )
    cli("inbox", "merge")
    assert Path(f"{HOME}/agents/ann/history.md").read_text("utf-8").count("Ask first") == 2
    assert not Path(LOG).exists()


def test_a_new_log_is_made(cli: Cli) -> None:
    put(Path(), f"{BOX}/a.md", CANONICAL)
    cli("inbox", "merge")
    assert log() == f"# Decisions\n\n{CANONICAL}"


def test_a_dry_run_changes_nothing(cli: Cli) -> None:
    put(Path(), f"{BOX}/a.md", CANONICAL)
    assert cli("inbox", "merge", "--dry-run").out == "1 would be merged, 0 already there, 0 left.\n"
    assert waiting() == ["a.md"]
    assert not Path(LOG).exists()
    assert not Path(".memdown").exists()


def test_list_tells_what_waits(cli: Cli) -> None:
    assert cli("inbox", "list").out == "The drop box is empty.\n"
    put(Path(), f"{BOX}/a.md", CANONICAL)
    put(Path(), f"{BOX}/b.md", "# Some thought\n\nText.\n")
    assert cli("inbox", "list", "--json").json() == [
        {"path": f"{BOX}/a.md", "titles": ["Per-agent models"], "reason": None},
        {"path": f"{BOX}/b.md", "titles": ["Some thought"], "reason": "no author and no date"},
    ]


def test_the_log_keeps_its_line_endings(cli: Cli) -> None:
    put(Path(), LOG, "# Decisions\r\n\r\nText.\r\n")
    put(Path(), f"{BOX}/a.md", CANONICAL)
    put(Path(), f"{BOX}/b.md", DOCUMENT.replace("\n", "\r\n"))
    assert cli("inbox", "merge", "--json").json()["merged"] == 2
    assert log() == f"# Decisions\n\nText.\n\n{DOCUMENT_IN_LOG}\n{CANONICAL}".replace("\n", "\r\n")


def test_identical_entries_are_merged_once(cli: Cli) -> None:
    put(Path(), LOG, f"# Decisions\n\n{CANONICAL}")
    before = log()
    put(Path(), f"{BOX}/a.md", CANONICAL)
    put(Path(), f"{BOX}/b.md", CANONICAL.replace("Per-agent Models", "per-agent models").replace("\n", "\r\n"))
    told = cli("inbox", "merge", "--json").json()
    assert (told["merged"], told["duplicates"], told["written"]) == (0, 2, [])
    assert log() == before
    assert done() == ["a.md", "b.md"]


@pytest.mark.parametrize("there", [DOCUMENT, DOCUMENT_IN_LOG])
def test_identical_whatever_the_form(cli: Cli, there: str) -> None:
    put(Path(), LOG, f"# Log\n\n{there}")
    put(Path(), f"{BOX}/a.md", DOCUMENT)
    put(Path(), f"{BOX}/b.md", DOCUMENT_IN_LOG)
    told = cli("inbox", "merge", "--json").json()
    assert (told["merged"], told["duplicates"]) == (0, 2)


def test_entries_that_were_archived_do_not_come_back(cli: Cli) -> None:
    put(Path(), f"{HOME}/decisions-archive.md", f"# Archive\n\n{CANONICAL}")
    put(Path(), f"{BOX}/a.md", CANONICAL)
    assert cli("inbox", "merge", "--json").json()["duplicates"] == 1


def test_overlapping_entries_are_both_kept_and_told(cli: Cli) -> None:
    put(Path(), LOG, CANONICAL)
    [there] = sem.read(LOG, CANONICAL)
    put(Path(), f"{BOX}/a.md", CANONICAL.replace("Three tiers.", "Two tiers."))
    told = cli("inbox", "merge", "--json").json()
    assert (told["merged"], told["duplicates"]) == (1, 0)
    assert told["overlapping"] == [
        {"title": "Per-agent models", "path": f"{BOX}/a.md", "day": "2026-02-15", "other": there.id}
    ]
    assert [record.body for record in sem.read(LOG, log())] == ["Three tiers.", "Two tiers."]


def test_headings_of_canonical_entries_do_not_compete(cli: Cli) -> None:
    put(Path(), f"{BOX}/a.md", CANONICAL.replace("Three tiers.", "## One\n\ntext\n\n### Two\n\n~~~\n# code\n~~~"))
    cli("inbox", "merge")
    assert "#### One\n\ntext\n\n##### Two\n\n~~~\n# code\n~~~" in log()


def test_a_dated_file_without_author_is_wrapped(cli: Cli) -> None:
    put(Path(), f"{BOX}/a.md", "# Retro — 2026-02-12\n\n## Went well\n\nAll.\n")
    put(Path(), f"{BOX}/b.md", "### 2026-02-13: Unsigned\n**What:** Text.\n")
    put(Path(), f"{BOX}/copilot-2026-02-14-x.md", "# From its name\n\nText.\n")
    told = cli("inbox", "merge", "--json").json()
    assert (told["merged"], told["left"]) == (3, [])
    assert log() == (
        "# Decisions\n\n### Retro — 2026-02-12\n\n#### Went well\n\nAll.\n\n"
        "### 2026-02-13: Unsigned\n\n**What:** Text.\n\n### 2026-02-14: From its name\n\nText.\n"
    )
    assert [str(record.at and record.at.text) for record in sem.read(LOG, log())] == [
        "2026-02-12",
        "2026-02-13",
        "2026-02-14",
    ]


def test_what_is_undated_stays_in_the_box(cli: Cli) -> None:
    put(Path(), f"{BOX}/a.md", "# Thought\n\n**By:** Ann\n\nText.\n")
    put(Path(), f"{BOX}/b.md", "\n\n")
    put(Path(), f"{BOX}/c.md", CANONICAL)
    told = cli("inbox", "merge", "--json").json()
    assert told["left"] == [
        {"path": f"{BOX}/a.md", "reason": "no date"},
        {"path": f"{BOX}/b.md", "reason": "it is empty"},
    ]
    assert (told["merged"], waiting()) == (1, ["a.md", "b.md"])


def test_text_in_no_entry_is_told(cli: Cli) -> None:
    put(Path(), f"{HOME}/decisions/inbox/a.md", f"\ufeffHello.\n\nAll.\n\n{DOCUMENT}")
    put(Path(), f"{HOME}/decisions/inbox/b.md", "# Of Ann\n\n---\n\n### 2026-01-02: Y\n\n**By:** Ann\n\nMore.\n")
    told = cli("inbox", "merge", "--dry-run", "--json").json()
    assert told["outside"] == [{"path": f"{HOME}/decisions/inbox-archive/a.md", "lines": 2, "first": "Hello."}]
    ran = cli("inbox", "merge")
    assert f"{HOME}/decisions/inbox-archive/a.md: 2 lines outside its entries not in the log: Hello." in ran.out


def test_several_entries_of_one_file(cli: Cli) -> None:
    put(Path(), f"{BOX}/a.md", f"# File: inbox/a.md\n\n{CANONICAL}\n{DOCUMENT_IN_LOG}")
    assert cli("inbox", "merge", "--json").json()["merged"] == 2
    assert log() == f"# Decisions\n\n{CANONICAL}\n{DOCUMENT_IN_LOG}"


def test_front_matter_says_who_and_when(cli: Cli) -> None:
    put(
        Path(),
        f"{BOX}/ann-tests-77c1.md",
        "---\nid: 77c1\nclass: POLICY\nloadGuidance: [ALWAYS]\ntitle: Tests first\nauthor: Ann\n"
        "createdAt: '2026-05-19T10:00:00Z'\n---\n\nWrite tests first.\n",
    )
    assert cli("inbox", "merge", "--json").json()["merged"] == 1
    [record] = sem.read(LOG, log())
    assert (record.title, record.author, record.tags) == ("Tests first", "Ann", ("policy",))
    assert "### 2026-05-19T10:00:00+0000: decision: Tests first" in log()
    assert record.body == "**id:** 77c1\n**class:** POLICY\n**loadGuidance:** [ALWAYS]\n\nWrite tests first."


def test_front_matter_is_read_before_the_merge_too() -> None:
    front = "---\nid: 77c1\ntitle: Tests first\nauthor: Ann\ncreatedAt: '2026-05-19T10:00:00Z'\ntags: [a, b]\n---\n\n"
    [record] = sem.read(f"{BOX}/a.md", front + "Write tests first.\n")
    assert (record.title, record.author, record.body) == ("Tests first", "Ann", "Write tests first.")
    assert (record.at and record.at.text, record.tags) == ("2026-05-19T10:00:00Z", ("a", "b"))
    [record] = sem.read(f"{BOX}/a.md", front + "# Own\n\n**By:** Bo\n\nText.\n")
    assert (record.title, record.author, record.at and record.at.text) == ("Own", "Bo", "2026-05-19T10:00:00Z")


def test_the_fields_of_the_format_may_stand_in_front_matter(cli: Cli) -> None:
    front = "---\ntype: directive\ntimestamp: 2026-01-15T14:32:15-0800\nauthor: Ann\nsummary: {}\n---\n\n"
    bare, headed = front.format("Issues are proposals"), front.format("One sentence") + "# Proposals\n\n"
    for name, text in (("a", bare), ("b", headed.replace("summary", "tags: [x, y]\nscope: project\nsummary"))):
        put(Path(), f"{BOX}/{name}.md", f"{text}Text here.\n")
    before = [sem.read(f"{BOX}/{name}.md", Path(f"{BOX}/{name}.md").read_text()) for name in "ab"]
    assert cli("inbox", "merge", "--json").json()["merged"] == 2
    for record, [dropped] in zip(sem.read(LOG, log()), before, strict=True):
        assert (record.kind, record.author, record.body) == ("directive", "Ann", "Text here.")
        for field in ("kind", "author", "title", "summary", "scope", "tags"):
            assert getattr(record, field) == getattr(dropped, field), field
        assert record.at
        assert dropped.at
        assert record.at.instant() == dropped.at.instant()
    assert [(each.title, each.summary) for each in sem.read(LOG, log())] == [
        ("Issues are proposals", "Issues are proposals"),
        ("Proposals", "One sentence"),
    ]
    assert [each for each in cli("check", "--json").json() if each["severity"] != "info"] == []
    assert "**tags:** x, y  \n" in log()


@pytest.mark.parametrize("text", ["", "\n \n", "\ufeff", "---\nid: 77c1\n---\n"])
def test_an_empty_file_is_no_entry(cli: Cli, text: str) -> None:
    put(Path(), f"{BOX}/empty.md", text)
    assert sem.read(f"{BOX}/empty.md", text) == []
    assert cli("inbox", "merge", "--json").json()["left"] == [{"path": f"{BOX}/empty.md", "reason": "it is empty"}]


def test_entries_are_merged_in_the_order_of_their_times(cli: Cli) -> None:
    for name, hour in (("a", 16), ("b", 14), ("c", 15)):
        put(Path(), f"{BOX}/{name}.md", CANONICAL.replace("T14:32", f"T{hour}:32").replace("Per-agent", name))
    cli("inbox", "merge")
    assert [each.title for each in sem.read(LOG, log())] == ["b models", "c models", "a models"]


def test_a_memory_goes_to_the_history_of_its_author(cli: Cli) -> None:
    put(Path(), LOG, "# Decisions\n")
    cli("add", "memory", "Jest spies", "--author", "Ann", "--inbox")
    put(Path(), f"{BOX}/ann-models.md", CANONICAL)
    history = f"{HOME}/agents/ann/history.md"
    told = cli("inbox", "merge", "--json").json()
    assert (told["merged"], told["written"]) == (2, [LOG, history])
    assert [each.title for each in sem.read(history, Path(history).read_text())] == ["Jest spies"]
    assert log() == f"# Decisions\n\n{CANONICAL}"
    assert waiting() == []


def test_a_name_that_is_taken_gets_a_number(cli: Cli) -> None:
    put(Path(), f"{DONE}/a.md", "mine")
    put(Path(), f"{BOX}/a.md", CANONICAL)
    put(Path(), f"{BOX}/a-2.md", DOCUMENT)
    told = cli("inbox", "merge", "--json").json()
    assert told["archived"] == [f"{DONE}/a-2.md", f"{DONE}/a-3.md"]
    assert Path(f"{DONE}/a.md").read_text() == "mine"
    assert {Path(f"{DONE}/a-2.md").read_text(), Path(f"{DONE}/a-3.md").read_text()} == {CANONICAL, DOCUMENT}


def test_a_log_that_would_hide_the_entry_is_left_alone(cli: Cli) -> None:
    put(Path(), LOG, "# Decisions\n\n````\nopen\n")
    put(Path(), f"{BOX}/a.md", CANONICAL.replace("Three tiers.", "````\ncode\n````"))
    told = cli("inbox", "merge", "--json").json()
    if told["merged"]:
        assert len(entries(dialects.parse(LOG, log()).records)) == 1
    else:
        assert "code fence" in told["left"][0]["reason"]
        assert waiting() == ["a.md"]


@pytest.mark.corpus
def test_real_drop_boxes(tmp_path: Path) -> None:
    """Every real drop-box file is merged or left with a reason, and a second merge adds nothing."""
    files = sorted((CORPUS / "sem").glob("*/.*/decisions/inbox/*.md"))
    for number, path in enumerate(files):
        put(tmp_path, f"{BOX}/{number:03}-{path.name}", path.read_bytes().decode("utf-8", "surrogateescape"))
    told = json.loads(memdown(tmp_path, "inbox", "merge", "--json").stdout)
    assert len(told["archived"]) + len(told["left"]) == len(files)
    assert told["merged"] + told["duplicates"] >= len(told["archived"])
    assert len(told["archived"]) >= 0.8 * len(files)
    text = (tmp_path / LOG).read_bytes().decode("utf-8", "surrogateescape")
    assert len(entries(dialects.parse(LOG, text).records)) == told["merged"]
    for name in told["archived"]:
        (tmp_path / name).rename(tmp_path / name.replace("inbox-archive", "inbox"))
    again = json.loads(memdown(tmp_path, "inbox", "merge", "--json").stdout)
    assert (again["merged"], again["duplicates"]) == (0, told["merged"] + told["duplicates"])


# Crashes and crowds


def fill(root: Path, count: int) -> None:
    for number in range(count):
        put(root, f"{BOX}/n{number}.md", CANONICAL.replace("Per-agent models", f"Entry {number}"))


def titles(root: Path) -> list[str]:
    path = root / LOG
    return sorted(record.title or "" for record in sem.read(LOG, path.read_text())) if path.exists() else []


def all_titles(count: int) -> list[str]:
    return sorted(f"Entry {number}" for number in range(count))


def test_two_merges_at_once(tmp_path: Path) -> None:
    fill(tmp_path, 20)
    told = [json.loads(out) for _, out, _ in at_once(tmp_path, *[["inbox", "merge", "--json"]] * 3)]
    assert sum(each["merged"] for each in told) == 20
    assert sum(each["duplicates"] for each in told) == 0
    assert titles(tmp_path) == all_titles(20)


def crash_once(root: Path, seconds: float) -> None:
    fill(root, 12)
    killed(root, seconds, "inbox", "merge")
    Files(root, hidden=frozenset({HOME})).recover()
    left = len(list((root / BOX).glob("*.md"))) if (root / BOX).exists() else 0
    assert (left, titles(root)) in ((12, []), (0, all_titles(12)))
    memdown(root, "inbox", "merge")
    assert titles(root) == all_titles(12)
    assert len(list((root / DONE).glob("*.md"))) == 12


@pytest.mark.skipif(os.name == "nt", reason="kills with a signal")
def test_a_killed_merge_is_whole_or_not_at_all(tmp_path: Path) -> None:
    for number in range(3):
        (root := tmp_path / str(number)).mkdir()
        crash_once(root, random.uniform(0, 0.2))


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="kills with a signal")
def test_many_killed_merges(tmp_path: Path) -> None:
    for number in range(60):
        (root := tmp_path / str(number)).mkdir()
        crash_once(root, random.uniform(0, 0.3))


def test_a_merged_entry_is_met_once(cli: Callable[..., Ran]) -> None:
    cli("add", "note", "Ping", "--author", "Ann", "--inbox")
    cli("inbox", "merge")
    assert [each["path"] for each in cli("list", "--json").json()] == [".squad/decisions.md"]
    assert cli("read", ".squad/decisions/inbox-archive", "--json").json()[0]["records"][0]["title"] == "Ping"
