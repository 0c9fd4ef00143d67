"""What is unwell in a memory as a whole."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Ran
from memdown.acts.check import budget
from memdown.acts.check.health import KINDS
from memdown.memory.layers import validation
from samples import CARD, ID, OTHER_ID, put
from test_query import entry

Cli = Callable[..., Ran]
KEYS = ["kind", "severity", "path", "line", "id", "title", "message"]
FIRST, SECOND, THIRD = (f"2026-01-{day}T09:00:00+0000" for day in (10, 11, 12))


def health(cli: Cli, *entries: str) -> list[dict[str, Any]]:
    """What is found; other warnings of the check are in test_verdicts.py."""
    if entries:
        put(Path.cwd(), ".squad/decisions.md", "# Decisions\n\n" + "\n".join(entries))
    ran = cli("health", "--json")
    found: list[dict[str, Any]] = ran.json()
    assert ran.code == int(any(each["severity"] == "error" for each in found))
    return [each for each in found if (each["kind"], each["severity"]) != ("other", "warning")]


def told(found: list[dict[str, Any]]) -> list[tuple[str, str, str | None]]:
    return [(each["kind"], each["severity"], each["title"]) for each in found]


def test_all_is_well(cli: Cli) -> None:
    assert cli("health").out.startswith("No memory found in ")
    put(Path.cwd(), ".squad/decisions.md", "# Decisions\n\n" + entry(FIRST, "A"))
    assert cli("health") == Ran(0, "No problems found.\n", "")
    assert health(cli, entry(FIRST, "A"), entry(SECOND, "B", supersedes=FIRST)) == []


def test_a_finding_has_these_keys(cli: Cli) -> None:
    [found] = health(cli, entry(FIRST, "A", expires="2026-01-31"))
    assert list(found) == KEYS
    assert (found["path"], found["line"], found["severity"]) == (".squad/decisions.md", 3, "warning")
    assert "expired on 2026-01-31" in found["message"]
    assert ".squad/decisions.md:3 A: This decision expired" in cli("health").out


def test_expiry(cli: Cli) -> None:
    assert told(
        health(
            cli,
            entry(FIRST, "A", expires="2026-01-31"),
            entry(SECOND, "B", expires="2026-02-01"),
            entry(THIRD, "C", supersedes=FIRST, expires="2026-01-01"),
        )
    ) == [("expired", "warning", "C"), ("expires-too-early", "warning", "C"), ("expired", "info", "A")]


def test_links(cli: Cli) -> None:
    found = health(
        cli,
        entry(FIRST, "A"),
        entry(FIRST, "B"),
        entry(SECOND, "C", supersedes=FIRST),
        entry(THIRD, "D", supersedes="2020-01-01T00:00:00+0000"),
    )
    assert told(found) == [("ambiguous-supersedes", "warning", "C"), ("dangling-supersedes", "warning", "D")]
    assert ".squad/decisions.md:3, .squad/decisions.md:14" in found[0]["message"]


def test_circles_are_errors(cli: Cli) -> None:
    found = health(cli, entry(FIRST, "A", supersedes=SECOND), entry(SECOND, "B", supersedes=FIRST))
    assert told(found) == [("cyclic-supersedes", "error", "A"), ("supersedes-newer", "warning", "A")]
    assert cli("health").code == 1
    assert told(health(cli, entry(FIRST, "A", supersedes=FIRST))) == [("cyclic-supersedes", "error", "A")]


def test_contradictions(cli: Cli) -> None:
    assert told(
        health(cli, entry(FIRST, "A"), entry(SECOND, "B", supersedes=FIRST), entry(THIRD, "C", supersedes=FIRST))
    ) == [("superseded-twice", "warning", "A")]
    assert told(health(cli, entry(FIRST, "A", supersedes=THIRD), entry(THIRD, "C"))) == [
        ("supersedes-newer", "warning", "A")
    ]


def test_copies(cli: Cli) -> None:
    assert told(health(cli, entry(FIRST, "A", body="Text."), entry(FIRST, "A", body="Text."))) == [
        ("duplicate", "info", "A")
    ]
    assert told(health(cli, entry(FIRST, "A", body="One."), entry(FIRST, "A", body="Two."))) == [
        ("same-title", "warning", "A")
    ]
    assert told(health(cli, entry(FIRST, "A", body="One."), entry("2026-01-10T10:00:00+0000", "A", body="Two."))) == [
        ("same-title", "info", "A")
    ]


def test_cards_too(cli: Cli) -> None:
    put(Path.cwd(), f"memories/{ID}.md", CARD)
    twin = CARD.replace(ID, OTHER_ID).replace("subject: Pool", "subject: The pool")
    put(Path.cwd(), f"memories/{OTHER_ID}.md", twin.replace("occurred_at: '2026-01-15T10:30:00Z'\n", ""))
    assert told(health(cli)) == [
        ("undated", "error", "The pool size is 10"),
        ("duplicate", "info", "The pool size is 10"),
    ]


def test_legacy_undated_and_inbox(cli: Cli) -> None:
    put(Path.cwd(), ".squad/decisions/inbox/ann-tabs.md", "### 2026-01-10: Use tabs\n\n**By:** Ann\n")
    found = health(cli, "## Decision: Use spaces\n\n**By:** Bob\n")
    assert [(each["kind"], each["path"], each["line"]) for each in found] == [
        ("inbox", ".squad/decisions/inbox/ann-tabs.md", None),
        ("legacy", ".squad/decisions.md", None),
        ("legacy", ".squad/decisions/inbox/ann-tabs.md", None),
        ("undated", ".squad/decisions.md", 3),
    ]


@pytest.mark.parametrize(
    ("path", "size", "words"),
    [
        (".squad/decisions.md", 20_479, None),
        (".squad/decisions.md", 20_480, "shorten its entries, since `memdown archive` keeps the newest 20"),
        (".squad/decisions.md", 51_200, "shorten its entries, since `memdown archive` keeps the newest 20"),
        (".squad/agents/ann/history.md", 15_359, None),
        (".squad/agents/ann/history.md", 15_360, "summarize"),
        (".squad/agents/ann/history-archive.md", 60_000, None),
        (".squad/decisions-archive.md", 60_000, None),
    ],
)
def test_sizes_from_which_a_file_is_too_long(cli: Cli, path: str, size: int, words: str | None) -> None:
    text = entry(FIRST, "A", kind="memory", body="PAD")
    put(Path.cwd(), path, text.replace("PAD", "ä" * ((size - len(text) + 3) // 2) + "x" * ((size - len(text) + 3) % 2)))
    assert (Path.cwd() / path).stat().st_size == size
    found = health(cli)
    assert [each["kind"] for each in found] == (["oversize"] if words else [])
    assert not words or words in found[0]["message"]


def test_people_see_ten_of_a_kind(cli: Cli) -> None:
    put(
        Path.cwd(),
        "memory-bank/decisionLog.md",
        "# Decision Log\n\n## Decision: First\n- **Date**: 2026-02-01\n"
        + "".join(f"\n## Decision: Number {each}\n\n**By:** Ann\n" for each in range(12)),
    )
    assert "  and 2 more; use --all to show them\n" in cli("health").out
    assert cli("health", "--all").out.count("has no date") == 12


def test_limits_are_set_in_one_place(cli: Cli) -> None:
    put(Path.cwd(), ".squad/decisions.md", "# Decisions\n\n" + entry("2020-01-10T09:00:00+0000", "A", body="Text."))

    def moved() -> list[str]:
        return [each["title"] for each in cli("archive", "--dry-run", "--json").json()["moved"]]

    assert ([each["kind"] for each in health(cli)], moved()) == ([], [])
    put(Path.cwd(), "memdown.toml", "[sem]\narchive-size = 100\narchive-days = 12\narchive-keep = 0\n")
    [found] = health(cli)
    assert (found["kind"], moved()) == ("oversize", ["A"])
    assert "older than 12 days" in found["message"]
    assert [each["code"] for each in cli("check", "--select", "SEM007", "--json").json()] == ["SEM007"]


def test_a_comment_or_the_configuration_silences_a_finding(cli: Cli) -> None:
    assert health(cli, entry(FIRST, "A", supersedes=f"{SECOND} <!-- memdown: ignore[SEM064] -->")) == []
    assert [each["kind"] for each in health(cli, entry(FIRST, "A", supersedes=SECOND))] == ["dangling-supersedes"]
    put(Path.cwd(), "memdown.toml", '[check]\nignore = ["SEM064"]\n')
    assert health(cli) == []


def test_legacy_entries_are_only_noted(cli: Cli) -> None:
    found = health(cli, "### 2026-01-10: Use tabs\n\n**By:** Ann\n**Supersedes:** other-file.md\n")
    assert told(found) == [("dangling-supersedes", "info", "Use tabs"), ("legacy", "info", None)]


CODES = sorted({code for kind in KINDS.values() for code in kind.codes} | set(budget.CODES) | set(validation.CODES))


@pytest.mark.parametrize("code", CODES)
def test_every_complaint_has_a_page(cli: Cli, code: str) -> None:
    ran = cli("explain", code)
    assert ran.code == 0
    assert code in ran.out


def test_every_complaint_that_is_printed_names_its_rule(cli: Cli) -> None:
    """Everything that the commands print about a project full of faults ends with a code that has a page."""
    put(Path.cwd(), ".squad/decisions/inbox/ann.md", "### 2026-01-10: Use tabs\n\n**By:** Ann\n")
    health(
        cli,
        entry(FIRST, "A", supersedes=SECOND, expires="2026-01-01"),
        entry(SECOND, "B", supersedes=FIRST),
        entry(THIRD, "C", supersedes=f"{FIRST}, 2020-01-01T00:00:00+0000", body="One."),
        entry(THIRD, "C", body="Two."),
        entry(THIRD, "D"),
        entry("2026-01-13T09:00:00+0000", "E", supersedes=THIRD),
        "## Decision: Use spaces\n\n**By:** Bob\n",
    )
    put(
        Path.cwd(),
        "memory-bank/progress.md",
        "# Progress\n\n## Completed\n" + "- [x] Import of a\n" * 11 + "\n## Milestones\n### [Name]\n[What]\n",
    )
    put(Path.cwd(), "memory-bank/systemPatterns.md", "# System Patterns\n\n## Architecture Overview\n" + "word " * 1200)
    layer = "memory/skills/s/p/project_overview.md"
    put(
        Path.cwd(), layer, "<!-- Last Updated: 2020-01-01 -->\n\n- Uses custom auth in /home/ann\n" + "- Has some\n" * 4
    )
    printed = [
        *(line for line in cli("health", "--all").out.splitlines() if line.startswith("  ")),
        *(line for line in cli("budget").out.splitlines() if line.lstrip().startswith("-")),
        *cli("layer", "validate", "skill/s/p/project_overview", "--json").json()["suggestions"],
    ]
    shown = {line.rpartition(" ")[2] for line in printed}
    assert len(printed) > 15
    pages = Path(__file__).parents[1] / "docs/rules"
    assert shown <= {path.stem for path in pages.glob("*.md")}
    assert all(cli("explain", code).code == 0 for code in shown)
    assert all(
        f" {each['code']} " in cli("validate", "--all").out for each in cli("validate", "--json").json()["findings"]
    )
