"""What a person meets who tries one command after the other: nothing is silent, and every answer says what to do next."""

import contextlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from repos import Repo
from samples import put

Cli = Callable[..., Ran]


# check --fix


def test_everything_that_a_fix_changed_is_counted_and_named(cli: Cli) -> None:
    put(
        Path(),
        "memories/77c1a5d2-0b3e-4f6a-8d9c-1e2f3a4b5c6d.md",
        "---\nid: 77c1a5d2-0b3e-4f6a-8d9c-1e2f3a4b5c6d\nsubject: Sessions live in Redis\n"
        "keywords: [redis, sessions, Redis]\napplies_to: area:auth\noccurred_at: 2026-01-16T14:20:00Z\n---\n\n"
        "Sessions are kept in Redis for 30 minutes.\n",
    )
    found = {each["code"] for each in cli("check", "--json").json() if each["fix"]}
    assert "2 notes hidden (2 fixable with --all --fix)" in cli("check").out
    told = cli("check", "--all", "--fix").out
    assert told.startswith("Fixed 3 findings in 1 of 1 file:\n")
    assert {line.split()[1] for line in told.splitlines() if line.startswith("  1 ")} == found
    assert len(found) == 3


SLIPS = (
    "---\nid: 77c1a5d2-0b3e-4f6a-8d9c-1e2f3a4b5c6d\nsubject: Sessions live in Redis\n"
    "keywords: [redis, sessions, Redis]\napplies_to: area:auth\noccurred_at: 2026-01-16T14:20:00Z\n---\n\n"
    "Sessions are kept in Redis for 30 minutes.\n"
)
ONLY_SHOWN = SLIPS.replace("sessions, Redis]", "sessions]")


@pytest.mark.parametrize("shape", [[], ["--json"], ["--format", "github"], ["--format", "sarif"]])
def test_a_fix_mends_what_is_shown_and_no_more_in_every_format(cli: Cli, shape: list[str]) -> None:
    path = put(Path(), "memories/77c1a5d2-0b3e-4f6a-8d9c-1e2f3a4b5c6d.md", SLIPS)
    cli("check", "--fix", *shape)
    assert path.read_text() == ONLY_SHOWN
    assert "All checks passed (1 file). 2 notes hidden (2 fixable with --all --fix)" in cli("check", "--fix").out
    assert path.read_text() == ONLY_SHOWN


def test_a_diff_shows_what_the_same_fix_writes(cli: Cli) -> None:
    path = put(Path(), "memories/77c1a5d2-0b3e-4f6a-8d9c-1e2f3a4b5c6d.md", SLIPS)
    ran = cli("check", "--diff")
    assert [line for line in ran.out.splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")] == [
        "-keywords: [redis, sessions, Redis]",
        "+keywords: [redis, sessions]",
    ]
    assert "1 of 1 file would change. 2 notes hidden (2 fixable with --all --fix)" in ran.err
    assert "content_hash" in cli("check", "--diff", "--all").out
    assert "content_hash" in cli("check", "--diff", "--select", "CRD060").out
    cli("check", "--fix", "--select", "CRD063")
    assert path.read_text() == SLIPS.replace("2026-01-16T14:20:00Z", "'2026-01-16T14:20:00Z'")


def test_a_fix_leaves_an_archive_as_it_is_unless_its_notes_are_shown(cli: Cli) -> None:
    spoiled = "# Archive\n\n### 2026-01-05: Retries\n\n**By:** Ann\n\nTwice\x07 at most.\n"
    path = put(Path(), ".squad/decisions-archive.md", spoiled)
    cli("check", "--unsafe-fixes")
    assert path.read_text() == spoiled


def test_a_diff_without_memory_says_that_there_is_none(cli: Cli) -> None:
    assert cli("check", "--fix", "--diff").err.startswith("memdown: No memory found in ")


# Decisions in a table below a decision

TABLE = (
    "| Date | Decision | Rationale |\n|---|---|---|\n"
    "| 2026-01-03 | Use Postgres for orders | Transactions |\n| 2026-01-04 | Use Kafka | Replay |\n"
)
LOGGED = f"# Decision Log\n\n## Decision: Use Redis\n- **Date**: 2026-01-02\n- **Rationale**: Fast.\n\n{TABLE}\n### Consequences\nMore memory.\n\n## Decision: Use Go\n- **Date**: 2026-01-05\n"


def test_a_table_of_decisions_below_a_decision_is_read(cli: Cli) -> None:
    put(Path(), "memory-bank/decisionLog.md", LOGGED)
    found = {each["title"]: each for each in cli("list", "kind:decision", "--json").json()}
    assert set(found) == {"Use Redis", "Use Postgres for orders", "Use Kafka", "Use Go"}
    assert found["Use Kafka"]["extra"]["rationale"] == "Replay"
    assert found["Use Redis"]["extra"]["rationale"] == "Fast."
    assert found["Use Redis"]["extra"]["consequences"] == "More memory."


def test_a_table_of_options_is_a_part_of_its_decision(cli: Cli) -> None:
    options = "| Option | Decision |\n|---|---|\n| Memcached | no |\n"
    put(Path(), "memory-bank/decisionLog.md", LOGGED.replace(TABLE, options))
    assert [each["title"] for each in cli("list", "kind:decision", "--json").json()] == ["Use Go", "Use Redis"]


# undo --list


def test_the_list_of_steps_says_what_each_was_about(cli: Cli) -> None:
    put(Path(), ".squad/decisions.md", "# Decisions\n")
    cli("add", "decision", "Use SQLite", "--why", "One file", "--author", "Ann")
    cli("add", "decision", "Cache for a day", "--why", "Prices change at night", "--author", "Ann")
    cli("edit", "Use SQLite", "--details", "No server to run, and none to update. " * 9)
    cli("add", "card", "Pool size is 10", "-k", "pool", "--content", "With 5 connections it timed out.")
    cli("delete", "Cache for a day")
    listed = [line.split("cli      ")[1] for line in cli("undo", "--list").out.splitlines()]
    log = ".squad/decisions.md"
    assert listed[0] == f"delete  Cache for a day  {log}"
    assert listed[1].startswith("add card  Pool size is 10  memories/")
    assert listed[2:] == [
        f"edit  Use SQLite  {log}",
        f"add decision  Cache for a day  {log}",
        f"add decision  Use SQLite  {log}",
    ]
    Path(log).unlink()
    assert "edit" in cli("undo", "--list").out
    cli("init")
    assert cli("undo", "--list").out.splitlines()[0].endswith(" and 6 more files")


def labels(cli: Cli) -> list[str]:
    """What the list of steps says of each before its files."""
    return [line.split("cli      ")[1].rpartition("  ")[0] for line in cli("undo", "--list").out.splitlines()]


def test_the_list_names_what_a_step_was_about_whatever_branch_is_checked_out(cli: Cli) -> None:
    cli("init")
    cli("add", "decision", "On main", "--why", "First")
    repo = Repo(Path())
    repo.commit()
    repo.git("checkout", "-q", "-b", "other")
    cli("add", "decision", "On b", "--why", "Second")
    repo.commit()
    repo.git("checkout", "-q", "main")
    assert labels(cli) == ["add decision  On b", "add decision  On main", "init"]
    listed = cli("undo", "--list", "--json").json()
    assert [each["titles"] for each in listed] == [["On b"], ["On main"], []]


def test_the_list_names_the_record_and_not_what_it_stands_in(cli: Cli) -> None:
    cli("init")
    for title in ("One", "Two"):
        cli("add", "note", title)
    cli("add", "task", "First task")
    cli("add", "task", "Second task")
    cli("delete", "Two")
    cli("add", "Never deploy on a Friday")
    cli("install", "cursor", "--no-check")
    cli("install", "cursor", "--remove")
    assert labels(cli)[:7] == [
        "install --remove",
        "install",
        "add decision  Never deploy on a Friday",
        "delete  Two",
        "add task  Second task",
        "add task  First task",
        "add note  Two",
    ]


def test_a_step_without_a_title_is_named_by_whole_texts_or_not_at_all(cli: Cli) -> None:
    cli("init")
    cli("add", "decision", "Use SQLite", "--why", "One file")
    for step in Path(".memdown/undo").glob("*.step"):  # as before titles were kept
        head, mark, packed = step.read_bytes().partition(b"\n\n")
        lines = [line for line in head.split(b"\n") if not line.startswith(b"about ")]
        step.write_bytes(b"\n".join(lines) + mark + packed)
    assert labels(cli) == ["add decision  Use SQLite", "init"]
    log = Path("memory-bank/decisionLog.md")
    log.write_text(log.read_text("utf-8") + "By hand.\n", "utf-8")
    assert labels(cli) == ["add decision", "init"]


def test_a_step_keeps_no_credential_as_its_title(cli: Cli) -> None:
    cli("init")
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    assert cli("add", "note", f"Token {token}", "--allow-secret").code == 0
    assert all(token.encode() not in each.read_bytes() for each in Path(".memdown/undo").iterdir())


def test_the_advice_about_a_reason_works(cli: Cli) -> None:
    put(Path(), "memory-bank/decisionLog.md", "# Decision Log\n")
    assert "`memdown edit --why TEXT " in cli("add", "decision", "Use SQLite").err
    (record,) = cli("list", "kind:decision", "--json").json()
    assert cli("edit", record["id"], "--why", "One file").code == 0
    assert "One file" in cli("show", record["id"]).out
    assert "no rationale" not in cli("add", "decision", "Use FTS5", "--why", "It ranks").err


# What a merge noted

NOTED = "<!-- memdown merge: one value is kept; the other side had: {} -->\n"
MERGED = {
    ".squad/decisions.md": (
        "# Decisions\n\n### 2026-01-02T09:00:00+0000: decision: Use SQLite\n\n**type:** decision  \n"
        "**timestamp:** 2026-01-02T09:00:00+0000  \n**author:** Ann  \n\n**summary:** Use SQLite\n\n"
        "**rationale:** No server to run\n" + NOTED.format("**rationale:** Two files are fine") + "\n---\n"
    ),
    "memory-bank/decisionLog.md": (
        "# Decision Log\n\n## Decision: Use SQLite\n- **Date**: 2026-01-02\n- **Status**: Accepted\n"
        "- **Rationale**: No server to run\n" + NOTED.format("- **Rationale**: Two files are fine")
    ),
}


@pytest.mark.parametrize("home", MERGED)
def test_what_a_merge_noted_is_reported_and_no_memory(cli: Cli, home: str) -> None:
    put(Path(), home, MERGED[home])
    found = [each for each in cli("check", "--json").json() if each["code"] == "MRG002"]
    assert [each["severity"] for each in found] == ["warning"]
    assert "`memdown resolve -i`" in found[0]["message"]
    prompt = json.dumps({"session_id": "s", "cwd": ".", "prompt": "Why do we use SQLite?"})
    for ran in (
        cli("show", "Use SQLite"),
        cli("show", "Use SQLite", "--json"),
        cli("search", "sqlite"),
        cli("context", "sqlite"),
        cli("hook", "UserPromptSubmit", stdin=prompt),
    ):
        assert "No server to run" in ran.out
        assert "memdown merge" not in ran.out
        assert "Two files" not in ran.out
    assert cli("search", "two files", "--json").json()["hits"]  # every word of a file is found
    assert cli("edit", "Use SQLite", "--title", "Use SQLite 3", "--force").code == 0
    assert Path(home).read_text("utf-8") == MERGED[home].replace("Use SQLite", "Use SQLite 3", -1)


# install git, slim, source


def test_install_git_says_what_to_commit_and_undo_names_all_it_takes_back(cli: Cli) -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    cli("init")
    told = cli("install", "git").out
    assert "Commit .gitattributes" in told
    assert "`git diff --no-textconv` makes a patch" in told
    assert "in each clone" in told
    assert "No memory here yet" not in told
    assert cli("undo", "--list").out.splitlines()[0].endswith("install  .gitattributes and 2 more files")
    done = ["Deleted .gitattributes", "Deleted .git/hooks/pre-commit", "Restored .git/config"]
    assert "Would restore .git/config" in cli("undo", "--dry-run").out
    assert cli("undo").out.splitlines()[:3] == done
    assert cli("redo", "--json").json()["in_git"] == [".git/hooks/pre-commit", ".git/config"]


def test_what_slim_made_is_created(cli: Cli) -> None:
    done = "".join(f"- [x] Ship part {number} of the import of receipts — 2025-01-02\n" for number in range(400))
    put(Path(), "memory-bank/progress.md", f"# Progress\n\n## Completed\n{done}\n## In Progress\n- [ ] More\n")
    told = cli("slim", "--to", "500", "--all").out
    assert "Changed memory-bank/progress.md" in told
    assert "Created memory-bank/archive/" in told
    assert "Changed memory-bank/archive/" not in told


def test_a_source_is_said_to_be_local(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDOWN_HOME", str(tmp_path / "home"))
    put(tmp_path, "handbook/memories/README.md", "# Memories\n")
    assert "Sources are local to this machine" in cli("source", "add", str(tmp_path / "handbook")).out


# Boxes and bullets

BOARD = "# Progress\n\n## In Progress\n- [] Refunds\n- [ ]Orders\n* [x]Receipts\n- [ x] Export\n"
PLAIN = "- [ ] Invoices\n- [x] Login\n- [](a.md)\n- [x](b.md)\n- [ ]\n- [X] Search\n\n```md\n- [] code\n```\n"


def test_a_box_that_no_reader_knows_is_reported(cli: Cli) -> None:
    put(Path(), "memory-bank/progress.md", BOARD + PLAIN)
    found = cli("check", "--select", "MD023", "--json").json()
    assert [each["line"] for each in found] == [4, 5, 6, 7]
    assert "`[]` is not read as a task checkbox; write `[ ]` and a space." in cli("check").out
    cli("check", "--select", "MD023", "--unsafe-fixes")
    fixed = "# Progress\n\n## In Progress\n- [ ] Refunds\n- [ ] Orders\n* [x] Receipts\n- [x] Export\n"
    assert Path("memory-bank/progress.md").read_text("utf-8") == fixed + PLAIN


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- Ship the refunds", "Ship the refunds"),
        ("1. Ship the refunds", "Ship the refunds"),
        ("- Ship the refunds\n- And the receipts", "Ship the refunds; And the receipts"),
        ("Ship the refunds,\nthen rest", "Ship the refunds, then rest"),
    ],
)
def test_a_focus_that_is_a_list_is_told_as_a_sentence(cli: Cli, text: str, told: str) -> None:
    put(Path(), "memory-bank/activeContext.md", f"# Active Context\n\n## Current Focus\n{text}\n")
    assert f"Focus: {told}\n" in cli("start", "--no-record").out
    hook = cli("hook", "SessionStart", stdin='{"session_id": "s", "cwd": ".", "source": "startup"}').out
    assert ("- Ship" in hook) == ("\n-" in text)


# Dates with two readings


def test_a_date_that_may_be_two_days_is_reported_with_both(cli: Cli) -> None:
    log = "# Decision Log\n\n## Decision: Use SQLite\n- **Date**: 11/12/2026\n- **Status**: Accepted\n"
    put(Path(), "memory-bank/decisionLog.md", log)
    (found,) = cli("check", "--select", "MD024", "--json").json()
    assert (found["line"], found["severity"]) == (4, "warning")
    assert (
        found["message"]
        == "11/12/2026 is ambiguous: it may mean 2026-11-12 or 2026-12-11; write the one that is meant."
    )
    cli("check", "--select", "MD024", "--fix", "--unsafe-fixes")
    assert Path("memory-bank/decisionLog.md").read_text("utf-8") == log
    put(Path(), "memory-bank/decisionLog.md", f"{log}\n## Decision: Use Go\n- **Date**: 31/12/2026\n")
    assert cli("check", "--select", "MD024", "--json").json() == []  # which tells how the other is meant
    for day in ("12/12/2026", "2026-11-12", "11/30/2026", "Dec 11, 2026"):
        put(Path(), "memory-bank/decisionLog.md", log.replace("11/12/2026", day))
        assert cli("check", "--select", "MD024", "--json").json() == []


# A folder without memory


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("search", "redis"), 0),
        (("slim",), 0),
        (("undo",), 1),
        (("undo", "--list"), 0),
        (("list",), 0),
        (("timeline",), 0),
        (("context", "redis"), 0),
        (("for", "src/a.py"), 0),
    ],
)
def test_without_memory_one_sentence_says_what_to_do(cli: Cli, command: tuple[str, ...], code: int) -> None:
    ran = cli(*command)
    assert ran.code == code
    assert "`memdown init`" in ran.out + ran.err
    assert (ran.out + ran.err).count("\n") == 1
    assert "`memdown init`" in cli(*command).out + cli(*command).err  # with an index, too
    put(Path(), "memories/README.md", "# Memories\n")
    assert "memdown init" not in cli(*command).out + cli(*command).err


# Names that are none


def test_a_kind_that_no_memory_has_is_answered_with_those_there_are(cli: Cli) -> None:
    put(Path(), ".squad/decisions.md", MERGED[".squad/decisions.md"])
    cli("add", "note", "Backups are weekly", "--author", "Ann")
    hint = "memdown: No memory here has the kind 'foo'; the kinds here are decision, note.\n"
    for command in (("search", "kind:foo"), ("list", "kind:foo"), ("list", "--kind", "foo"), ("timeline", "kind:foo")):
        ran = cli(*command)
        assert (ran.code, ran.err) == (0, hint)
    assert cli("search", "kind:note nowhere").err == ""
    assert cli("search", "sqlite -kind:foo").err == ""


@pytest.mark.parametrize("command", [("show",), ("edit", "--title", "x"), ("delete",)])
@pytest.mark.parametrize("id", ["", " "])
def test_an_empty_id_is_said_to_be_one(cli: Cli, command: tuple[str, ...], id: str) -> None:
    put(Path(), ".squad/decisions.md", MERGED[".squad/decisions.md"])
    ran = cli(command[0], id, *command[1:])
    told = "memdown: The id is empty; give an id, a title or path:line, as `memdown list` shows them.\n"
    assert (ran.code, ran.err) == (2, told)


# What cannot be shown, or written


def test_bytes_that_are_no_text_are_shown_alike_everywhere(cli: Cli) -> None:
    put(Path(), ".squad/decisions.md", "# Decisions\n\n### 2026-01-02: Caf\udce9 menu\n**By:** Ann\n\nText.\n")
    for command in (("list",), ("show", "Caf"), ("search", "menu"), ("delete", "Caf", "--dry-run"), ("delete", "Caf")):
        told = cli(*command).out
        assert "Caf\ufffd menu" in told, command
        assert "udce9" not in told


def test_a_folder_that_is_none_is_told_as_git_tells_it(cli: Cli) -> None:
    put(Path(), ".memdown", "")
    ran = cli("add", "decision", "Use SQLite", "--author", "Ann")
    assert re.fullmatch(r"memdown: cannot write to '\S+': file exists; check its permissions\.\n", ran.err)
    assert ran.code == 3
    put(Path(), "blocked/memdown.txt", "")
    backup = cli("backup", "blocked/memdown.txt/below.zip")
    assert (backup.code, backup.err.count("\n")) == (3, 1)


# The program of a checkout


@pytest.mark.skipif(os.name == "nt", reason="a script for a shell")
@pytest.mark.parametrize("absolute", [True, False])
def test_the_program_of_a_checkout_can_be_linked_to(tmp_path: Path, absolute: bool) -> None:
    here, checkout = Path(__file__).parents[1], tmp_path / "a checkout"
    for name in ("memdown", "scripts/env.sh", "pyproject.toml"):
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(here / name, checkout / name)
    shutil.copy(checkout / "pyproject.toml", put(checkout, ".venv/.installed-run", ""))
    for name in ("python", "memdown"):
        put(checkout, f".venv/bin/{name}", '#!/bin/sh\necho "$0 $*"\n').chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/first").symlink_to(checkout / "memdown" if absolute else "../a checkout/memdown")
    (tmp_path / "bin/memdown").symlink_to("first")
    done = subprocess.run([tmp_path / "bin/memdown", "list"], capture_output=True, text=True, check=True, cwd="/")
    assert done.stdout == f"{checkout}/.venv/bin/memdown list\n"


def test_what_the_demo_prints_can_be_pasted(cli: Cli) -> None:
    lines = [line[2:] for line in cli("demo").out.splitlines() if line.startswith("$ ")]
    (hook,) = [line for line in lines if "memdown hook" in line]
    echo, event, bar, *command = shlex.split(hook)
    assert (echo, bar, command) == ("echo", "|", ["memdown", "hook", "UserPromptSubmit"])
    assert json.loads(event)["prompt"] == "Where should I store user sessions?"


# context and init say what they used


def test_context_says_that_nothing_is_about_the_task(cli: Cli) -> None:
    put(Path(), "memory-bank/projectBrief.md", "# Project Brief\n\n## Mission Statement\nA shop for tea.\n")
    ran = cli("context", "zeppelin engines")
    assert "A shop for tea." in ran.out
    assert ran.err == "memdown: no memory is about 'zeppelin engines'; showing what applies to any task.\n"
    assert cli("context", "tea").err == ""
    assert cli("context").err == ""


def test_init_says_what_it_really_used(cli: Cli) -> None:
    assert (
        "Created 7 files to fill in: code, manifests and commits say nothing that belongs in them." in cli("init").out
    )
    cli("undo")
    assert "Created 7 files from the brief; each" in cli("init", "--brief", "A shop for tea.").out
    cli("undo")
    subprocess.run(["git", "init", "-q"], check=True)
    put(Path(), "pyproject.toml", '[project]\nname = "shop"\n')
    assert "Created 7 files from the code base; each statement names its source." in cli("init").out
    cli("undo")
    git = ("git", "-c", "user.name=Ann", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "Go")
    subprocess.run(git, check=True)
    assert "Created 7 files from the code base and git; each" in cli("init").out
    cli("undo")
    assert cli("init", "--brief", "A shop.", "--json").json()["sources"] == ["the brief", "the code base", "git"]


# Where memories go that nobody named a kind for

UNTYPED = {
    "decision": ("Sessions live in Redis", "--why", "A row for every request"),
    "note": ("The pool has 10 connections",),
    "directive": ("Always run the tests before a commit",),
    "memory": ("We learned that the cache fails on Mondays",),
    "task": ("TODO: write the importer of receipts",),
}


HAD = {
    "nothing": {},
    "bank": {"memory-bank/projectBrief.md": "# Project Brief\n\n## Project Name\nShop\n"},
    "empty bank": {"memory-bank/.gitkeep": ""},
    "journal": {"memory-bank/edit_history.md": "# Edit History\n"},
    "sem": {".squad/decisions.md": "# Decisions\n"},
    "cards": {"memories/readme.md": "# Cards\n"},
    "layers": {"memory/projects/shop/project_profile.md": "# Shop\n"},
    "knowledge": {"knowledge/index.md": '---\nokf_version: "0.2"\n---\n'},
}
FOLDERS = (".squad", "memories", "memory-bank", "memory", "knowledge")


@pytest.mark.parametrize("had", HAD)
@pytest.mark.parametrize("first", ["decision", "note", "directive", "memory"])
def test_what_is_added_goes_where_the_first_memory_went(cli: Cli, had: str, first: str) -> None:
    for name, text in HAD[had].items():
        put(Path(), name, text)
    for kind in (first, *UNTYPED):
        ran = cli("add", *UNTYPED[kind], "--author", "Ann")
        assert ran.code == 0
        assert "begins" not in ran.err
    assert len([home for home in FOLDERS if Path(home).exists()]) == 1


@pytest.mark.parametrize("had", [each for each in HAD if each != "nothing"])
def test_a_kind_that_is_named_begins_no_second_format(cli: Cli, had: str) -> None:
    for name, text in HAD[had].items():
        put(Path(), name, text)
    for kind, (text, *_) in UNTYPED.items():
        done = cli("add", kind, text, *([] if kind == "task" else ["--author", "Ann", "--why", "So"]))
        assert (done.code, "begins" in done.err) == (0, False)
        assert text in cli("show", text).out
    assert [home for home in FOLDERS if Path(home).exists()] == [next(iter(HAD[had])).split("/")[0]]
    assert cli("add", "card", "Pool", "--content", "It has ten connections.").code == 0  # a card names its format
    assert Path("memories").exists()


def test_a_kind_that_a_project_does_not_keep_becomes_the_nearest_and_is_said(cli: Cli) -> None:
    put(Path(), "memory-bank/decisionLog.md", "# Decision Log\n")
    assert "keeps no directives, so this is a decision." in cli("add", "directive", "Never guess", "--why", "x").err
    assert "so this is a note." in cli("add", "memory", "Spies leak", "--why", "They stay").err
    note = "- 2026-01-19: Spies leak\n  Why: They stay\n"
    assert note in re.sub(r"\d{4}-\d\d-\d\d", "2026-01-19", Path("memory-bank/notes.md").read_text("utf-8"))


# Templates beside memory

TEMPLATES = {
    "memory-bank/tasks.md": "# Task Registry\n\n## Active Tasks\n| ID | Title | Status |\n|---|---|---|\n| T1 | Import of receipts | 🔄 |\n| T2 | [Title] | ⬜ |\n",
    "memory-bank/session_cache.md": "# Session Cache\n*Created: 2026-11-05 12:29:25 UTC*\n\n## Current Session\n**Started**: 2026-11-05 12:29:25 UTC\n**Focus Task**: [Task ID]\n",
    "memory-bank/templates/tasks.md": "# Task Registry\n\n## Active Tasks\n| ID | Title | Status |\n|---|---|---|\n| T1 | A sample of a receipt | ⬜ |\n",
    "memory-bank/templates/progress.md": "# Progress\n\n## In Progress\n- [ ] A sample of an invoice\n",
    ".squad/decisions.md": "# Decisions\n",
    ".squad/templates/decisions.md": "# Decisions\n\n### 2026-01-02: A sample of a decision\n**By:** Ann\n\nText.\n",
}


def test_a_title_that_begins_as_sections_of_a_template_do_offers_none_of_them(cli: Cli) -> None:
    cli("init")
    assert cli("show", "Use").err.startswith("memdown: No memory has the id or title 'Use'; `memdown search Use` ")
    page = Path("memory-bank/productContext.md")
    page.write_text(page.read_text().replace("- [Problem 1]", "- Orders are lost."))
    assert cli("show", "Use").out.startswith("User Problems\n")
    assert cli("show", "User Experience Goals").code == 0


def test_templates_and_placeholders_are_no_memory_to_recall(cli: Cli) -> None:
    for name, text in TEMPLATES.items():
        put(Path(), name, text)
    titles = {each["title"] for each in cli("list", "--json").json()}
    assert "Import of receipts" in titles
    assert not [each for each in titles if "[" in each or "sample" in each]
    assert "Session Cache" in titles
    for command in (("search", "sample"), ("start", "--no-record"), ("context", "sample"), ("stats",)):
        assert "sample" not in cli(*command).out
    proof = cli("install", "claude").out
    assert "UserPromptSubmit: found " in proof
    assert not re.search(r"for '[^']*(?:\[|sample)", proof)
    assert cli("read", "memory-bank/templates/tasks.md", "--json").json()[0]["records"]


def test_the_list_of_steps_has_the_titles_that_records_had_then(cli: Cli) -> None:
    put(Path(), ".squad/decisions.md", "# Decisions\n")
    cli("add", "decision", "Use A", "--why", "x", "--author", "Ann")
    cli("edit", "Use A", "--title", "Use B")
    cli("edit", "Use B", "--details", "Hello there")
    cli("edit", "Use B", "--title", "Use C")
    cli("delete", "Use C")
    put(Path(), "memory-bank/progress.md", "# Progress\n\n## In Progress\n\n## Upcoming\n- [ ] Docs\n")
    cli("add", "task", "Write the importer")
    cli("bank", "complete", "importer")
    listed = [line.split("cli      ")[1] for line in cli("undo", "--list").out.splitlines()]
    assert [each.rpartition("  ")[0] for each in listed] == [
        "bank complete  Write the importer",
        "add task  Write the importer",
        "delete  Use C",
        "edit  Use C",
        "edit  Use B",
        "edit  Use B",
        "add decision  Use A",
    ]
    put(Path(), ".squad/decisions.md", "# Decisions, by hand\n")
    by_hand = cli("undo", "--list").out.splitlines()
    assert "delete  Use C" in by_hand[2]
    assert "add decision  Use A" in by_hand[-1]


# What a command did, and what follows


def test_what_changed_in_a_bank_is_said(cli: Cli) -> None:
    put(Path(), "memory-bank/activeContext.md", "# Active Context\n\n## Current Focus\n\n## Blockers\n- No server\n")
    put(Path(), "memory-bank/decisionLog.md", "# Decision Log\n")
    put(Path(), "memory-bank/progress.md", "# Progress\n\n## In Progress\n- [ ] Import of invoices\n")
    active, log = "memory-bank/activeContext.md", "memory-bank/decisionLog.md"
    assert cli("bank", "focus", "The export").out == f"Set the focus: {active}:4 The export\n"
    assert cli("bank", "focus", "The export").out == f"Already there: {active}:4 The export\n"
    assert cli("bank", "add-decision", "Use A", "--why", "x").out == f"Wrote {log}:3 Use A\n"
    told = cli("bank", "supersede-decision", "Use A", "Use B", "--why", "y").out.splitlines()
    assert told[:2] == [f"Wrote {log}:10 Use B", f"Superseded {log}:3 Use A"]
    assert cli("bank", "complete", "invoices").out.startswith("Completed memory-bank/progress.md:")
    assert cli("bank", "close", "No server").out.startswith(f"Closed {active}:")


def test_a_briefing_does_not_count_empty_files_among_those_there_are(cli: Cli) -> None:
    put(Path(), "memory-bank/projectBrief.md", "# Brief\n\n## Mission Statement\nTea.\n")
    put(Path(), "memory-bank/techContext.md", "")
    assert cli("start").out.startswith("Memory bank: 1 of 7 files and 1 empty, ")


def test_a_decision_that_is_deleted_by_force_says_what_the_next_commit_meets(cli: Cli) -> None:
    put(Path(), "memory-bank/decisionLog.md", LOGGED)
    subprocess.run(["git", "init", "-q"], check=True)
    assert "commit" not in cli("delete", "Use Go", "--force").err  # of which no commit tells
    cli("undo")
    subprocess.run(["git", "add", "-A"], check=True)
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"]
    subprocess.run(["git", *who, "commit", "-qm", "x"], check=True)
    told = cli("delete", "Use Go", "--force").err
    assert "The last commit has this decision" in told
    assert "git commit --no-verify" in told
    assert "BNK037" in [each["code"] for each in cli("check", "--json").json()]
    assert "commit" not in cli("delete", "Use Kafka", "--force", "--dry-run").err


def test_a_summary_may_end_a_session_without_an_option(cli: Cli) -> None:
    cli("init")
    assert cli("end", "Import works").code == 0
    assert "Import works" in Path("memory-bank/activeContext.md").read_text("utf-8")
    assert cli("end", "Import works", "--summary", "Twice").code == 2


def test_slim_shows_what_it_would_take(cli: Cli) -> None:
    items = "".join(f"- [x] Item number {number} is done — 2025-01-{number:02}\n" for number in range(1, 29))
    put(Path(), "memory-bank/progress.md", f"# Progress\n\n## Completed\n{items}")
    before = Path("memory-bank/progress.md").read_text("utf-8")
    found = cli("slim", "--to", "100", "--dry-run", "--json").json()
    assert found
    assert cli("slim", "--to", "100", "--all", "--dry-run", "--json").json() == found
    taken = cli("slim", "--to", "100", "--take", found[0]["id"], "--dry-run", "--json").json()
    assert [each["id"] for each in taken] == [found[0]["id"]]
    assert Path("memory-bank/progress.md").read_text("utf-8") == before


@pytest.mark.parametrize(
    ("neighbour", "new"),
    [
        ("- [ ] Docs", "- [ ] Importer"),
        ("* [x] Docs", "* [ ] Importer"),
        ("1. Docs", "2. Importer"),
        ("3) [ ] Docs", "4) [ ] Importer"),
        ("- Docs", "- Importer"),
        ("- ⬜ Docs", "- ⬜ Importer"),
        ("- ✅ Docs", "- [ ] Importer"),
    ],
)
def test_a_task_is_written_as_its_neighbours_are(cli: Cli, neighbour: str, new: str) -> None:
    put(Path(), "memory-bank/progress.md", f"# Progress\n\n## Upcoming\n{neighbour}\n")
    assert cli("add", "task", "Importer").code == 0
    assert f"{neighbour}\n{new}\n" in Path("memory-bank/progress.md").read_text("utf-8")
    [task] = cli("list", "importer", "kind:task", "--json").json()
    assert task["status"] in ("upcoming", "open")


@pytest.mark.skipif(os.name == "nt", reason="./memdown is a script for sh")
def test_an_environment_of_another_user_is_left_alone() -> None:
    checkout = Path(__file__).parent.parent
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # which another user can read, unlike a test's own
        root = Path(folder, "checkout")
        for name in ("memdown", "scripts/env.sh", "pyproject.toml"):
            put(root, name, (checkout / name).read_text("utf-8"))
        put(root, ".venv/pyvenv.cfg", "home = /nowhere\n")
        for path in (Path(folder), root, root / "scripts", root / ".venv"):
            path.chmod(0o555)
        other = {"user": 65534} if os.geteuid() == 0 else {}
        command = ["sh", str(root / "memdown"), "--version"]
        ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/", **other)  # type: ignore[call-overload]
        for path in (root / ".venv", root / "scripts", root, Path(folder)):
            path.chmod(0o755)
        assert [path.name for path in (root / ".venv").iterdir()] == ["pyvenv.cfg"]
    assert ran.returncode == 1
    assert ran.stderr == (
        f"memdown: {root}/.venv is not set up for you and belongs to another user;"
        f" install memdown with `pipx install {root}`.\n"
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("list --limit abc", "--limit takes a whole number of at least 1, not 'abc'."),
        ("search x --limit 0", "--limit takes a whole number of at least 1, not '0'."),
        ("undo abc", "STEP takes a whole number of at least 1, not 'abc'."),
        ("web --port 99999", "--port takes a whole number from 0 to 65535, not '99999'."),
        ("sql --timeout x 'select 1'", "--timeout takes a number from 0 to 3600, not 'x'."),
        ("export --format xml", "--format takes memdown or squad, not 'xml'."),
        ("check --format jsom", "--format takes text, json, github or sarif, not 'jsom'; did you mean json?"),
        ("show", "ID is missing, as in `memdown show ID`; see `memdown show --help`."),
        ("add decision", "TITLE is missing, as in `memdown add decision TITLE`; see `memdown add decision --help`."),
        ("list --limit", "--limit needs a value."),
        ("list --json=x", "--json takes no value."),
        ("delete a b c", "Unexpected arguments 'b c'; put a text of several words in quotes."),
        ("install claude git", "Unexpected argument 'git'; `memdown install` takes one target at a time, or `all`."),
        ("index status", "Unexpected argument 'status'; the usage is `memdown index [OPTIONS]`."),
        ("card prune --older-than x", "--older-than: 'x' is not a number of days; write 30, 30d or 4w."),
        ("timeline --jso", "Unknown option '--jso'; did you mean --json?"),
        ("serch x", "Unknown command 'serch'; did you mean search?"),
    ],
)
def test_a_wrong_call_is_told_in_one_sentence(cli: Cli, words: str, told: str) -> None:
    ran = cli(*shlex.split(words))
    assert (ran.code, ran.out, ran.err) == (2, "", f"memdown: {told}\n")


def test_captured_cards_and_the_drop_box_of_a_log_are_told_apart(cli: Cli) -> None:
    put(Path(), ".squad/decisions.md", "# Decisions\n")
    assert "for `memdown review`" in cli("install", "claude").out
    assert cli("review").err == ""
    put(Path(), ".squad/decisions/inbox/ann-tabs.md", "### 2026-01-10: Use tabs\n\n**By:** Ann\n\nText.\n")
    assert "The drop box of the log has 1 file; see `memdown inbox list`." in cli("review").err
    assert cli("inbox", "merge").code == 0
    card = cli(
        "add", "card", "Pool size is 10", "-k", "pool", "--content", "With 5 connections it timed out."
    ).out.split()[1]
    put(Path(), f"memories/inbox/{Path(card).name}", Path(card).read_text("utf-8"))
    Path(card).unlink()
    told = cli("inbox", "list")
    assert (told.out, "1 captured card to review; see `memdown review`." in told.err) == (
        "The drop box is empty.\n",
        True,
    )
    assert "inbox" not in cli("review").out


def test_of_many_lines_that_begin_records_the_rest_is_counted(cli: Cli) -> None:
    text = "".join(f"### 2026-01-{day:02}: Entry {day}\n**By:** Ann\n\nText.\n\n" for day in range(1, 10))
    put(Path(), ".squad/decisions.md", f"# Decisions\n\n{text}")
    assert cli("show", ".squad/decisions.md:1").err.endswith("begin at 3, 8, 13, 18, 23 and 4 more.\n")


def test_what_install_wrote_is_no_change_of_the_code(cli: Cli) -> None:
    put(Path(), "memory-bank/projectBrief.md", "# Brief\n\n## Mission Statement\nTea.\n")
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "add", "-A"], check=True)
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"]
    subprocess.run(["git", *who, "commit", "-qm", "x"], check=True)
    cli("install", "claude")
    assert "Since the memory" not in cli("start").out
    put(Path(), "src/app.py", "x = 1\n")
    assert "0 commits, 1 file" in cli("start").out


DIRECTED = (
    "# Decisions\n\n## Decision: User directive, pull requests to dev\n\n**Date:** 2026-03-03\n**Author:** Mike\n"
    "**Status:** Directive\n**Agent:** Vi (Backend)\n**Issue:** #59\n\n### Direction\n\nPull requests go to the dev branch.\n"
)


def test_a_claim_is_neither_a_heading_nor_who_made_it(cli: Cli) -> None:
    put(Path(), ".squad/decisions.md", DIRECTED)
    prompt = json.dumps({"session_id": "s", "cwd": ".", "prompt": "Which branch do pull requests go to?"})
    told = json.loads(cli("hook", "UserPromptSubmit", stdin=prompt).out)["hookSpecificOutput"]["additionalContext"]
    assert "  > Pull requests go to the dev branch." in told
    assert not [word for word in ("Direction", "Agent", "#59") if word in told]


def test_who_wrote_a_line_of_a_log_is_no_part_of_its_title(cli: Cli) -> None:
    line = "[2026-07-15 15:08:35] - [Unknown User] - Fixed the dialog: It asks first"
    put(Path(), "memory-bank/progress.md", f"# Progress\n\n## Update History\n\n- {line}\n")
    [note] = cli("list", "kind:note", "--json").json()
    assert (note["title"], note["extra"]["role"]) == ("Fixed the dialog: It asks first", "Unknown User")


@pytest.mark.parametrize("had", [each for each in HAD if each not in ("nothing", "bank", "empty bank")])
def test_what_is_added_passes_the_checks(cli: Cli, had: str) -> None:
    for name, text in HAD[had].items():
        put(Path(), name, text)
    for kind in UNTYPED:
        assert cli("add", *UNTYPED[kind], "--author", "Ann").code == 0
    assert [each["message"] for each in cli("check", "--json").json() if each["severity"] == "error"] == []


@pytest.mark.parametrize(
    "begun", [("task", "add", "Write docs"), ("add", "edit", "Wrote docs", "--file", "Created:a.md:x")]
)
def test_a_decision_beside_a_journal_asks_for_no_bank(cli: Cli, begun: tuple[str, ...]) -> None:
    assert cli(*begun).code == 0
    cli("add", "decision", "Use SQLite", "--why", "One file")
    assert Path("memory-bank/decisionLog.md").exists()
    assert cli("check").code == 0
    assert cli("validate").code == 0


def test_a_new_note_is_told_by_its_title_and_not_by_its_heading(cli: Cli) -> None:
    put(Path(), "memory-bank/progress.md", "# Progress\n\n## Completed\n- [x] Import\n")
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "add", "-A"], check=True)
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"]
    subprocess.run(["git", *who, "commit", "-qm", "x"], check=True)
    cli("add", "The staging box is called heron")
    cli("add", "TODO: rotate the token")
    assert {each["title"] for each in cli("diff", "--json").json()} == {
        "The staging box is called heron",
        "rotate the token",
    }


def test_what_install_wrote_is_nothing_found(cli: Cli) -> None:
    cli("install", "claude")
    assert "found" not in cli().out
    put(Path(), ".claude/rules/style.md", "# Style\n\nTabs.\n")
    assert "found      .claude/rules (searched as they are)" in cli().out


# A merge in conflict


def test_a_conflict_is_led_to_resolve_and_from_there_to_the_commit(cli: Cli) -> None:
    cli("init")
    repo = Repo(Path())
    repo.commit()
    for branch, title in (("other", "Use Go"), ("main", "Use Rust")):
        repo.git("checkout", "-q", *(("-b",) if branch == "other" else ()), branch)
        cli("add", "decision", title, "--why", "Fast")
        repo.commit()
    with pytest.raises(subprocess.CalledProcessError):
        repo.git("merge", "--no-edit", "other")
    assert "is a merge conflict marker; `memdown resolve` merges both sides." in cli("check").out
    assert "`memdown resolve` merges both sides" in cli("explain", "MD022").out
    told = cli().out.partition("Next:\n")[2].splitlines()
    assert told[0].split(None, 2) == ["memdown", "resolve", "merge 1 file in conflict"]
    assert cli("resolve", "--dry-run").err == ""
    said = "The merge is not committed yet: `git commit` concludes it, once no file is left in conflict."
    assert cli("resolve").err == f"memdown: {said}\n"
    repo.git("commit", "--no-edit", "-q")
    assert cli("resolve").err == ""
    assert "memdown resolve" not in cli().out


def test_an_installation_without_the_merge_driver_says_so(cli: Cli) -> None:
    cli("init")
    said = "Git merges memory as plain text here; run `memdown install git` to merge it entry by entry."
    assert said not in cli("install", "cursor", "--no-check").out
    Repo(Path()).commit()
    assert said in cli("install", "claude", "--no-check").out
    assert "a repository; memory is merged as plain text until you run `memdown install git`" in cli("doctor").out
    assert said not in cli("install", "git", "--no-check").out
    assert said not in cli("install", "claude", "--no-check").out
    assert "as plain text" not in cli("doctor").out


def test_a_place_without_memory_is_told_how_places_are_written(cli: Cli) -> None:
    cli("init")
    cli("add", "task", "Write the importer")
    told = cli("list", "path:progress")
    assert told.err == (
        "memdown: No memory file is 'progress' or below it; path: takes a file or a folder,"
        " as in path:memory-bank/progress.md.\n"
    )
    for place in ("memory-bank/progress.md", "memory-bank", "./memory-bank/"):
        ran = cli("list", f"path:{place}")
        assert (ran.err, "Write the importer" in ran.out) == ("", True)


def test_findings_that_only_inform_are_counted_as_notes(cli: Cli) -> None:
    cli("init")
    told = cli("check", "--all").out
    assert re.search(r"Found .*\b[0-9]+ notes? in ", told)
    assert " info in " not in told


def test_a_question_leaves_nothing_in_a_folder_without_memory(cli: Cli) -> None:
    for command in (["list"], ["search", "x"], ["context", "x"], ["timeline"], ["graph"]):
        assert cli(*command).code == 0
        assert list(Path.cwd().iterdir()) == []


def test_an_id_that_is_a_path_is_short_in_lists_and_taken_as_it_is_shown(cli: Cli) -> None:
    put(
        Path.cwd(),
        "memory/skills/review/app/known_issues.md",
        "# Issues\n\n## High\n\n### 1. Async void event handlers\n\n**Status**: Active\n\nFour.\n",
    )
    assert "memory/skills" in cli("list").out
    shown = [line.split("  ")[0] for line in cli("list").out.splitlines()]
    assert shown == ["skill-specific/review/app/known_issues", "known_issues#1-async-voi"]
    assert [cli("show", each).out.split("\n")[0] for each in shown] == ["Issues", "1. Async void event handlers"]


def test_a_reason_is_read_from_a_file_or_standard_input_like_a_text(cli: Cli) -> None:
    put(Path.cwd(), ".squad/decisions.md", "# Decisions\n")
    put(Path.cwd(), "why.txt", "One file\n")
    cli("add", "Use SQLite", "--why", "@why.txt", "--author", "Ann")
    cli("add", "decision", "Use Go", "--why", "-", "--author", "Ann", stdin="Quick to start\n")
    reasons = {each["title"]: each["extra"]["rationale"].strip() for each in cli("list", "--json").json()}
    assert reasons == {"Use SQLite": "One file", "Use Go": "Quick to start"}
    assert cli("edit", "Use SQLite", "--why", "-", stdin="No server\n").code == 0
    assert "No server" in cli("show", "Use SQLite").out
    cli("add", "card", "Pool size is 10", "-k", "pool", "--content", "With 5 connections it timed out.")
    assert "A card has no rationale" in cli("edit", "Pool size is 10", "--why", "Because").err


def test_a_place_in_a_file_that_is_not_there_is_no_memory(cli: Cli) -> None:
    put(Path.cwd(), "memory-bank/progress.md", "# Progress\n\n## Completed\n- [x] A\n")
    assert cli("show", ".squad/decisions.md:3").err.startswith("memdown: No memory has the id or title ")
    assert "component '..'" in cli("show", "../x.md:3").err


def test_memory_that_says_nothing_of_a_task_is_not_called_none(cli: Cli) -> None:
    cli("add", "card", "Pool size is 10", "--content", "With 5 connections the load test timed out.")
    assert cli("context", "add paging").err == "memdown: No memories about this task.\n"
    told = cli("update", "--draft").out
    assert "No memory bank or journal here; run `memdown init` to create a bank." in told


def test_lines_of_templates_are_no_entries_and_no_tasks(cli: Cli) -> None:
    head = "# Active Context\n\nThis file tracks the status.\n2026-01-07 23:45:07 - Log of updates made"
    put(Path(), "memory-bank/activeContext.md", f"{head}.\n\n*\n\n## 다음 단계\n- (다음 작업 1)\n- (다음 작업 2)\n")
    end = (
        " will be appended as footnotes to the end of this file.\n2026-01-08 10:00:00 - Log of updates made by cron.\n"
    )
    put(Path(), "memory-bank/productContext.md", f"{head}{end}")
    put(Path(), "memory-bank/progress.md", "# Progress\n\n## Next Steps\n- (결제 모듈) 연결\n- (선택)\n")
    found = [each["title"] for each in cli("list", "--json").json() if each["kind"] != "section"]
    assert sorted(found) == ["(결제 모듈) 연결", "(선택)", "Log of updates made by cron."]
    assert "Log of updates made." not in cli("start", "--no-record").out


def test_install_offers_init_where_the_files_of_memory_are_empty(cli: Cli) -> None:
    put(Path(), "memory-bank/activeContext.md", "")
    offer = "is still empty; fill in its files, and run `memdown init`"
    assert offer in cli("install", "claude", "--no-check").out
    put(Path(), "memory-bank/activeContext.md", "# Active Context\n\n## Current Focus\nThe import.\n")
    assert offer not in cli("install", "claude", "--no-check").out


def test_who_asks_by_a_word_or_by_a_filter_without_a_value_hears_how_to_go_on(cli: Cli) -> None:
    cli("init")
    cli("add", "Use Redis", "--why", "it is fast")
    assert "`memdown search redis` searches the text of all memory." in cli("show", "redis").err
    assert "see `memdown list`." in cli("show", "3f2b-1").err
    for command in ("list", "search", "timeline"):
        assert "write it as kind:decision." in cli(command, "kind:").err
    assert not cli("list", "kinds:").err


def test_redo_says_that_it_created_a_file_that_was_gone(cli: Cli) -> None:
    cli("init")
    cli("undo")
    assert "Created memory-bank/progress.md" in cli("redo").out


# What a walk through real projects found


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ("⏳ pending", "pending"),
        ("⏳", "in_progress"),
        ("📋 **In Progress**", "in_progress"),
        ("🚧 On hold", "paused"),
        ("🔄 pending", "in_progress"),  # of the five that the format has, each means what it means there
    ],
)
def test_an_emoji_outside_the_format_means_what_the_words_behind_it_say(cli: Cli, status: str, state: str) -> None:
    put(Path(), "memory-bank/tasks/T3.md", f"# T3: Parser\n\n**Status:** {status}  \n**Priority:** HIGH\n")
    assert cli("show", "T3", "--json").json()["status"] == state


def test_a_month_in_a_table_of_decisions_says_when(cli: Cli) -> None:
    rows = "| Date | Decision | Rationale |\n|---|---|---|\n| Dec 2024 | Use Redis | Fast |\n| — | Use Go | Small |\n| | Use C | Old |\n"
    put(Path(), "memory-bank/decisionLog.md", f"# Decision Log\n\n{rows}")
    found = {each["line"]: each for each in cli("check", "--select", "BNK030", "--json").json()}
    assert {line: each["severity"] for line, each in found.items()} == {5: "info", 6: "info", 7: "warning"}
    assert found[7]["message"] == "The decision 'Use C' has no date; fill in its cell as YYYY-MM-DD."
    assert "has the date 'Dec 2024', which is not a valid day" in found[5]["message"]


@pytest.mark.parametrize("args", [("show", "x"), ("delete", "x"), ("graph",), ("stale",)])
def test_where_there_is_no_memory_that_is_said(cli: Cli, args: tuple[str, ...]) -> None:
    ran = cli(*args)
    assert "No memory found in " in ran.out + ran.err
    assert cli("install").out.splitlines()[-1].startswith("To choose one, run `memdown install TARGET`")


def a_log(dates: list[str]) -> str:
    return "# Decisions\n\n" + "".join(
        f"### {day}Retry {number}\n\n**By:** Ann\n\n{'Calls are tried again. ' * 200}\n\n"
        for number, day in enumerate(dates)
    )


@pytest.mark.parametrize(
    ("dates", "advice", "moved"),
    [
        (["2026-01-05: "] * 25, "move entries older than 7 days to the archive: `memdown archive`.", 5),
        (["2026-01-05: "] * 15, "shorten its entries, since `memdown archive` keeps the newest 20.", 0),
        ([""] * 15, "shorten it: `memdown archive` needs dates, and no entry has one.", 0),
    ],
)
def test_a_log_that_is_too_large_is_sent_to_the_archive_only_where_that_helps(
    cli: Cli, dates: list[str], advice: str, moved: int
) -> None:
    put(Path(), ".squad/decisions.md", a_log(dates))
    found = [each for each in cli("check", "--json").json() if each["code"] == "SEM008"]
    assert [each["message"].split("; ", 1)[1] for each in found] == [advice]
    assert f"{moved} would move" in cli("archive", "--dry-run").out


def test_validate_names_check_where_memory_is_no_bank(cli: Cli) -> None:
    put(Path(), ".squad/decisions.md", "# Decisions\n")
    ran = cli("validate")
    assert ran.code == 1
    assert "`memdown check` checks the memory that is there" in ran.out


def test_validate_offers_to_begin_where_the_folder_of_the_bank_is_empty(cli: Cli) -> None:
    Path("memory-bank").mkdir()
    ran = cli("validate")
    assert (ran.code, ran.out) == (1, f"No memory bank in {Path.cwd()}. Run `memdown init` to create one.\n")


def test_numbers_about_no_memory_are_none(cli: Cli) -> None:
    assert cli("stats").out.startswith("No memory found in ")
    assert cli("stats", "--json").json()["records"] == 0


def test_a_hit_shows_no_line_that_only_repeats_its_date_and_status(cli: Cli) -> None:
    put(
        Path(),
        "memory-bank/decisionLog.md",
        "# Decision Log\n\n## Decision: Never log headers\n- **Date**: 2026-01-05\n- **Status**: Accepted\n",
    )
    assert "Status:" not in cli("search", "headers").out
    assert "Accepted" in cli("search", "accepted").out


def test_titles_are_shown_without_the_marks_of_bold_text(cli: Cli) -> None:
    items = ("**Backend** Development", "**API**: done", "Copy src/** and test/**", "2 ** 3 ** 4", "**open")
    put(Path(), "memory-bank/progress.md", "# Progress\n\n## Upcoming\n" + "".join(f"- [ ] {each}\n" for each in items))
    listed = cli("list", "kind:task").out
    for title in ("Backend Development", "API: done", "Copy src/** and test/**", "2 ** 3 ** 4", "**open"):
        assert f"task       {title}  memory-bank/progress.md" in listed
    assert {each["title"] for each in cli("list", "kind:task", "--json").json()} == set(items)
    found = cli("search", "backend kind:task").out.splitlines()
    assert (found[0], len(found)) == ("Backend Development", 3)
    assert cli("show", "Backend Development").out.startswith("Backend Development\n")
    assert cli("show", "**Backend** Development").code == 0


@pytest.mark.skipif(os.name == "nt", reason="a terminal of its own")
def test_without_fzf_the_best_hits_stand_above_the_question_which_to_show(cli: Cli, tmp_path: Path) -> None:
    notes = "".join(f"- [ ] The pool of worker {number}\n" for number in range(30))
    put(Path(), "memory-bank/progress.md", f"# Progress\n\n## Upcoming\n{notes}")
    cli("index")
    leader, follower = os.openpty()
    os.write(leader, b"1\n")
    path = tmp_path / "bin"
    path.mkdir()
    (path / "git").symlink_to(shutil.which("git") or "git")
    command = [sys.executable, "-m", "memdown", "search", "-i", "pool"]
    env = {**os.environ, "NO_COLOR": "1", "TERM": "dumb", "PATH": str(path)}
    with subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, env=env) as process:
        os.close(follower)
        shown = b""
        with contextlib.suppress(OSError):  # Linux tells the end of a terminal as an error
            while piece := os.read(leader, 65536):
                shown += piece
    os.close(leader)
    rows = shown.decode().split("Show which")[0].splitlines()
    assert [row.split()[0] for row in rows if " task " in row] == [str(number) for number in range(1, 11)]
    assert process.returncode == 0


BUILD = (
    "# Tech Context\n\n## Build Commands\n- **Build**: `[command]`\n- **Test**: `npm test` (package.json)\n"
    "- **Dev Server**: `[command]`\n"
)


def test_what_is_told_of_a_section_leaves_out_the_placeholders_in_it(cli: Cli) -> None:
    put(Path(), "memory-bank/techContext.md", BUILD)
    put(Path(), "package.json", "{}\n")
    cli("index")
    prompt = json.dumps({"prompt": "What are the build commands?", "session_id": "one"})
    for told in (
        cli("search", "build commands").out,
        cli("for", "package.json").out,
        cli("hook", "UserPromptSubmit", stdin=prompt).out,
    ):
        assert "npm test" in told
        assert "[command]" not in told
    assert "[command]" in cli("show", "Build Commands").out


@pytest.mark.parametrize("group", ["bank", "card", "hub", "inbox", "layer", "review", "session", "source", "task"])
def test_the_help_of_a_group_says_what_each_command_does_in_a_whole_sentence(cli: Cli, group: str) -> None:
    assert "..." not in cli(group, "--help").out.split("Commands:\n")[1]


def test_a_rare_decision_is_not_none_a_week(cli: Cli) -> None:
    rows = "| 2024-02-22 | Use Redis | Fast |\n| 2025-02-22 | Use Go | Small |\n"
    put(Path(), "memory-bank/decisionLog.md", f"# Decision Log\n\n| Date | Decision | Why |\n|---|---|---|\n{rows}")
    assert "2 in 53 weeks, less than 0.1 a week" in cli("stats").out
