"""What help and documents promise holds: the order of what is told, counts that agree, places that are quoted."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from memdown import Memory
from repos import Repo
from samples import put

Cli = Callable[..., Ran]


# context: what is about the task, then recent decisions


def _decided(*titles: str) -> str:
    entries = (
        f"## Decision: {title}\n- **Date**: 2026-01-{day:02}\n- **Status**: Accepted\n- **Rationale**: So.\n"
        for day, title in enumerate(titles, 1)
    )
    return "# Decision Log\n\n" + "\n---\n\n".join(entries)


def test_what_is_about_the_task_comes_before_recent_decisions(cli: Cli) -> None:
    put(Path(), "memory-bank/decisionLog.md", _decided("Use Go", "Use Kafka", "Store sessions in Redis", "Use tabs"))
    told = cli("context", "store sessions").out
    places = [told.index(title) for title in ("Store sessions in Redis", "Use Go", "Use Kafka", "Use tabs")]
    assert places == sorted(places)


def test_a_section_that_is_not_filled_in_is_no_piece_left_out(cli: Cli) -> None:
    cli("init", "--brief", "A shop for tea.")
    cli("add", "decision", "Store sessions in Redis", "--why", "Fast")
    listed = cli("context", "sessions", "--list").out
    assert "sections not filled in" in listed
    assert "left out" not in cli("context", "sessions").err
    listed, told = cli("context", "sessions", "-b", "120", "--list").out, cli("context", "sessions", "-b", "120").err
    named = [line for line in listed.splitlines() if "no room" in line]
    assert f"{len(named)} pieces left out; use --list to see them." in told


# Tasks, focus, status, notes


def test_placeholders_are_no_tasks_of_the_board(cli: Cli) -> None:
    cli("init", "--brief", "A shop for tea.")
    assert not [each.title for each in Memory(Path()).board.cards() if each.title.startswith("[")]
    cli("add", "task", "Import receipts")
    assert "Import receipts" in [each.title for each in Memory(Path()).board.cards()]


def test_a_focus_that_stands_in_no_file_cites_none(cli: Cli) -> None:
    repo = Repo(Path())
    put(Path(), "src/a.py", "print(1)\n")
    repo.commit("Begin")
    cli("init")
    hook = ("hook", "SessionStart")
    event = '{"session_id": "%s", "cwd": ".", "source": "startup"}'
    assert "Focus (memory-bank/activeContext.md:3):" in cli(*hook, stdin=event % "a").out
    put(Path(), "src/a.py", "print(2)\n")
    repo.commit("Count to two")
    told = cli(*hook, stdin=event % "b").out
    assert "The last commit is “Count to two” of 20" in told
    assert "Focus (memory-bank" not in told
    part = next(each for each in cli("start", "--no-record", "--json").json()["parts"] if each["part"] == "focus")
    assert [(item["path"], item["line"]) for item in part["items"]] == [("", 0)]


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("(November 2025)", None),
        ("(2025-11-03)", None),
        ("(Q4 2025)", None),
        ("(as of Nov 3, 2025)", None),
        ("(2025-11-03 – 2025-11-09)", None),
        ("(In Progress)", "In Progress"),
        ("(done 2025-11-03)", "done 2025-11-03"),
    ],
)
def test_a_date_in_brackets_is_no_status(cli: Cli, said: str, status: str | None) -> None:
    put(Path(), "memory-bank/activeContext.md", f"# Active Context\n\n## Current Focus {said}\nThe import.\n")
    assert cli("show", "Current Focus", "--json").json()["status"] == status


def test_the_heading_of_notes_is_no_record_beside_them(cli: Cli) -> None:
    cli("init", "--brief", "A shop for tea.")
    before = len(cli("list", "--json").json())
    cli("add", "note", "The staging box is called heron")
    cli("add", "note", "The printer is on the second floor")
    assert len(cli("list", "--json").json()) == before + 2
    assert cli("search", "heron", "--json").json()["total"] == 1


def test_text_beside_notes_is_still_found(cli: Cli) -> None:
    put(Path(), "memory-bank/notes.md", "# Notes\n\n- 2026-01-02: The box is heron\n\nAsk Ann about the printer.\n")
    assert cli("search", "printer", "--json").json()["total"] == 1


# check and init


def test_a_file_that_init_would_not_create_is_not_left_to_it(cli: Cli) -> None:
    home = ".kilocode/rules/memory-bank"
    cli("init", "--brief", "A shop for tea.")
    for name in ("product", "architecture", "tech", "context"):
        put(Path(), f"{home}/{name}.md", f"# {name.title()}\n\nText.\n")
    found = [each["message"] for each in cli("check", "--json").json() if each["code"] == "BNK001"]
    assert found == [f"The bank {home}/ has no brief.md (Project foundation); create it."]
    assert "Nothing to create" in cli("init", "--dry-run").out


def test_a_file_that_init_would_create_is_left_to_it(cli: Cli) -> None:
    put(Path(), "memory-bank/progress.md", "# Progress\n\n## Completed\n- [x] Login\n")
    found = [each["message"] for each in cli("check", "--json").json() if each["code"] == "BNK001"]
    assert found
    assert all("or run `memdown init`" in each for each in found)
    cli("init")
    assert "BNK001" not in {each["code"] for each in cli("check", "--json").json()}


# edit --why


BULLETS = "# Decision Log\n\n## Decision: Use Go\n- **Date**: 2026-01-02\n- **Status**: Accepted\n{}- **Consequences**: More.\n\n---\n\n## Decision: Use tabs\n- **Date**: 2026-01-03\n"
HEADED = "# Decision Log\n\n## Decision: Use Go\n\n### Context\nMany.\n\n{}### Consequences\nMore.\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (BULLETS.format(""), BULLETS.format("- **Rationale**: Fast\n")),
        (BULLETS.format("- **Rationale**: Slow\n  and old\n"), BULLETS.format("- **Rationale**: Fast\n")),
        (BULLETS.format("- **Rationale**:\n"), BULLETS.format("- **Rationale**: Fast\n")),
        (HEADED.format("### Rationale\nSlow.\n\n"), HEADED.format("### Rationale\nFast\n\n")),
        (HEADED.format(""), HEADED.format("### Rationale\nFast\n\n")),
        ("# Decision Log\n\n## Decision: Use Go\nWe like it.\n", None),
        (BULLETS.format("").replace("\n", "\r\n"), BULLETS.format("- **Rationale**: Fast\n").replace("\n", "\r\n")),
    ],
)
def test_a_decision_of_a_bank_gets_another_rationale(cli: Cli, before: str, after: str | None) -> None:
    put(Path(), "memory-bank/decisionLog.md", before)
    if "Slow" in before:
        assert "append-only" in cli("edit", "Use Go", "--why", "Fast").err
        assert cli("edit", "Use Go", "--why", "Fast", "--force").code == 0
    else:
        assert cli("edit", "Use Go", "--why", "Fast").code == 0
    text = Path("memory-bank/decisionLog.md").read_bytes().decode()
    assert text == after or after is None
    assert cli("show", "Use Go", "--json").json()["extra"]["rationale"] == "Fast"
    assert cli("edit", "Use Go", "--why", "Fast\n\nand small", "--force").code == 0
    assert "and small" in cli("show", "Use Go", "--json").json()["extra"]["rationale"]
    cli("undo")
    cli("undo")
    assert Path("memory-bank/decisionLog.md").read_bytes().decode() == before


def test_an_entry_of_a_log_gets_another_rationale(cli: Cli) -> None:
    cli("add", "decision", "Use Go", "--author", "Ann")
    cli("add", "decision", "Use tabs", "--author", "Ann")
    log = Path(".squad/decisions.md")
    before = log.read_text()
    for why in ("Fast", "Small\n\nand fast", "Fast"):
        assert cli("edit", "Use Go", "--why", why).code == 0
        assert cli("show", "Use Go", "--json").json()["extra"]["rationale"] == why
    assert "rationale" not in cli("show", "Use tabs", "--json").json()["extra"]
    assert cli("edit", "Use Go", "--why", "").code == 0
    assert log.read_text() == before
    assert cli("edit", "Use Go", "--details", "It is compiled.", "--why", "Fast").code == 0
    found = cli("show", "Use Go", "--json").json()
    assert (found["body"], found["extra"]["rationale"]) == ("It is compiled.", "Fast")


def test_a_task_has_no_rationale(cli: Cli) -> None:
    put(Path(), "memory-bank/progress.md", "# Progress\n\n## Upcoming\n- [ ] Import\n")
    ran = cli("edit", "Import", "--why", "So")
    assert ran.code != 0
    assert "no rationale" in ran.err


@pytest.mark.parametrize("text", ["We will use Stripe because PayPal charges more", "Use Go since it is fast"])
def test_a_decision_that_says_why_is_not_asked_for_it(cli: Cli, text: str) -> None:
    cli("init", "--brief", "A shop for tea.")
    assert "no rationale" not in cli("add", "decision", text).err
    assert "`memdown edit --why TEXT " in cli("add", "decision", "Use tabs since 2024").err


# health and check


def test_health_has_the_warnings_of_check(cli: Cli) -> None:
    put(Path(), "memory/projects/shop/overview.md", "# Overview\n\nTea.\n")
    warned = [each for each in cli("check", "--json").json() if each["severity"] == "warning"]
    assert len(warned) == 1
    [told] = cli("health", "--json").json()
    assert (told["kind"], told["severity"], told["message"]) == ("other", "warning", warned[0]["message"])
