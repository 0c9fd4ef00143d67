"""What a person meets who tries one command after the other: nothing is silent, and every answer says what to do next."""

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
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
    assert "2 notes hidden (2 fixable)" in cli("check").out
    told = cli("check", "--fix").out
    assert told.startswith("Fixed 3 findings in 1 of 1 file:\n")
    assert {line.split()[1] for line in told.splitlines() if line.startswith("  1 ")} == found
    assert len(found) == 3


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


def test_the_advice_about_a_reason_works(cli: Cli) -> None:
    put(Path(), "memory-bank/decisionLog.md", "# Decision Log\n")
    assert "`memdown undo` and add it with --why" in cli("add", "decision", "Use SQLite").err
    cli("undo")
    assert cli("add", "decision", "Use SQLite", "--why", "One file").err == ""
    assert len(cli("list", "kind:decision", "--json").json()) == 1


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
    assert "`[]` is not read as the box of a task; write `[ ]` and a space." in cli("check").out
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
    assert found["message"] == "11/12/2026 is read as 2026-11-12 and may mean 2026-12-11; write the one that is meant."
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
    hint = "memdown: No memory here has the kind 'foo'; there are decision, note.\n"
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
    assert ran.err == "memdown: no memory is about 'zeppelin engines'; this is what counts whatever the task is.\n"
    assert cli("context", "tea").err == ""
    assert cli("context").err == ""


def test_init_says_what_it_really_used(cli: Cli) -> None:
    assert "Created 7 files to fill in; there is no code, manifest or commit here yet" in cli("init").out
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


@pytest.mark.parametrize("first", ["decision", "note", "directive", "memory"])
def test_what_is_added_goes_where_the_first_memory_went(cli: Cli, first: str) -> None:
    for kind in (first, *UNTYPED):
        ran = cli("add", *UNTYPED[kind], "--author", "Ann")
        assert ran.code == 0
        assert "begins" not in ran.err
    assert len([home for home in (".squad", "memories", "memory-bank") if Path(home).exists()]) == 1


def test_a_journal_that_begins_beside_a_log_is_said(cli: Cli) -> None:
    cli("add", *UNTYPED["decision"], "--author", "Ann")
    told = cli("add", "Write the importer", "--kind", "task").err
    assert "begins a journal in memory-bank/ beside this project's log of decisions" in told
    assert "begins" not in cli("add", "Write the exporter", "--kind", "task").err
