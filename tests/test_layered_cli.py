"""`memdown layer ...` and `memdown undo` from outside: answers, exit codes, errors."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from samples import put

Cli = Callable[..., Ran]
ID = "skill-specific/python-code-review/my-api/review_history"
PATH = "memory/skills/python-code-review/my-api/review_history.md"


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:  # noqa: ARG001 - the clock is set after cli sets it
    monkeypatch.setenv("MEMDOWN_NOW", "2026-02-10")


def fails(ran: Ran, code: int, *words: str) -> None:
    assert ran.code == code, ran
    assert ran.out == ""
    assert re.fullmatch(r"memdown: .+[.?!]\n", ran.err)
    for word in words:
        assert word in ran.err


def test_a_memory_from_its_making_to_its_end(cli: Cli) -> None:
    assert cli("layer", "create", ID, "--content", "# Reviews", "--json").json() == {
        "id": ID,
        "path": PATH,
        "created": True,
        "removed": [],
        "undo": 1,
    }
    fails(cli("layer", "create", ID, "--content", "x"), 3, "exists already")
    done = cli("layer", "append", ID, "--json", stdin="## Review #1\n\nOne.\n").json()
    assert done == {
        "id": ID,
        "appended": True,
        "lineCount": 7,
        "pruned": False,
        "pruneDetails": None,
        "removed": [],
        "undo": 2,
    }
    assert Path(PATH).read_text() == "<!-- Last Updated: 2026-02-10 -->\n\n# Reviews\n\n## Review #1\n\nOne.\n"
    done = cli("layer", "update", ID, "# Other\n", "--force", "--json").json()
    assert [each["what"] for each in done.pop("removed")] == ["memory 'Reviews'", "review 'Review #1'"]
    assert done == {"id": ID, "updated": True, "lineCount": 3, "warning": None, "undo": 3}
    assert cli("layer", "read", ID, "--json").json()["content"] == "<!-- Last Updated: 2026-02-10 -->\n\n# Other\n"
    assert "# Other" in cli("layer", "read", ID).out
    done = cli("layer", "delete", ID, "--json").json()
    assert done == {"id": ID, "deleted": True, "removed": [{"what": "file", "path": PATH, "lines": 2}], "undo": 4}
    gone = cli("layer", "delete", ID, "--json")
    assert (gone.code, gone.json()) == (1, {"id": ID, "deleted": False})
    nothing = cli("layer", "read", ID, "--json")
    assert (nothing.code, nothing.json()) == (1, None)
    fails(cli("layer", "update", ID, "x"), 1, "no memory")
    fails(cli("layer", "append", ID, "x"), 1, "no memory")
    assert cli("layer", "update", ID, "--create", "x", "--json").json()["created"] is True


def test_a_memory_is_named_by_id_or_by_its_parts(cli: Cli) -> None:
    parts = ("--layer", "skill-specific", "--skill", "s", "--project", "p", "--type", "f")
    assert cli("layer", "create", *parts, "--content", "x", "--json").json()["id"] == "skill-specific/s/p/f"
    agent = {"layer": "agent", "agentName": "zeus", "fileType": "notes", "content": "x"}
    assert (
        cli("layer", "create", "--entry", json.dumps(agent), "--json").json()["path"] == "memory/agents/zeus/notes.md"
    )
    assert cli("layer", "create", "--entry", "-", stdin=json.dumps({**agent, "fileType": "more"})).code == 0
    assert cli("layer", "create", "shared/p/project_profile", "# P").code == 0
    for names in (
        ("skill-specific/s/p/f",),
        ("skills/s/p/f.md",),
        parts,
        ("skill-specific", "p", "f", "--skill", "s"),
    ):
        assert cli("layer", "read", *names, "--json").json()["id"] == "skill-specific/s/p/f"
    assert (
        cli("layer", "read", "--layer", "agent", "--agent", "zeus", "--type", "notes", "--json").json()["projectName"]
        is None
    )
    assert cli("layer", "profile", "p", "--json").json()["fileType"] == "project_profile"
    assert cli("layer", "profile", "q").code == 1
    fails(cli("layer", "read"), 2, "--layer")
    fails(cli("layer", "read", "a", "b"), 2)
    fails(cli("layer", "create", "--entry", "[]"), 2, "object")
    fails(cli("layer", "create", "--entry", "{"), 2, "JSON")
    fails(cli("layer", "create", "shared/../x", "y"), 2)
    fails(cli("layer", "create", "shared/p/x", "y", "--content", "z"), 2, "once")


def test_content_comes_from_a_file_of_the_project(cli: Cli, tmp_path: Path) -> None:
    put(Path.cwd(), "notes.md", "# From a file\n")
    assert cli("layer", "create", "shared/p/a", "--file", "notes.md").code == 0
    assert "# From a file\n" in Path("memory/projects/p/a.md").read_text()
    put(tmp_path, "outside.md", "secret\n")
    fails(cli("layer", "create", "shared/p/b", "--file", "../outside.md"), 3)


def test_lists(cli: Cli) -> None:
    for id in ("shared/p/project_profile", "skill/s/p/known_issues", "command/p/command_history", "agent/z/notes"):
        cli("layer", "create", id, "x")
    assert [each["layer"] for each in cli("layer", "project", "p", "--shared", "--json").json()] == ["shared-project"]
    everything = cli("layer", "project", "p", "--json").json()
    assert list(everything) == ["shared", "skills", "commands"]
    assert list(everything["skills"]) == ["s"]
    assert len(cli("layer", "skill", "s", "p", "--json").json()) == 1
    assert cli("layer", "skill", "s", "new", "--json").json() == []
    assert len(cli("layer", "command", "p", "--json").json()) == 1
    assert len(cli("layer", "agent", "z", "--json").json()) == 1
    assert cli("layer", "profile", "p", "--json").json()["staleness"] == "fresh"
    none = cli("layer", "profile", "none", "--json")
    assert (none.code, none.json()) == (1, None)
    assert "skill-specific/s/p/known_issues" in cli("layer", "project", "p").out
    assert cli("layer", "project", "none").out == "Nothing is known about this project yet.\n"


def test_search(cli: Cli) -> None:
    put(Path.cwd(), "memory/projects/p/a.md", "one\ntwo\nthree\n")
    [match] = cli("layer", "search", "t.o", "--json").json()["matches"]
    assert match == {
        "id": "shared-project/p/a",
        "path": "memory/projects/p/a.md",
        "lineNumber": 2,
        "lineContent": "two",
        "context": "one\ntwo\nthree",
    }
    nothing = cli("layer", "search", "nothing", "--json")
    assert (nothing.code, nothing.json()) == (1, {"matches": []})
    assert "as text" in cli("layer", "search", "f(").err


def test_prune_and_undo(cli: Cli) -> None:
    text = "# Reviews\n\n" + "".join(f"## Review #{number}\n\n{number}\n\n" for number in range(1, 13))
    put(Path.cwd(), PATH, text)
    planned = cli("layer", "prune", "--dry-run", "--json").json()
    assert Path(PATH).read_text() == text
    assert planned == {
        "pruned": [
            {"id": ID, "action": "archived", "reason": f"Review #{number} is older than the 10 reviews that are kept."}
            for number in (1, 2)
        ],
        "warnings": [],
    }
    assert cli("layer", "prune", "--scope", "project", "--project", "my-api", "--json").json() == {
        **planned,
        "removed": [],
        "undo": 1,
    }
    assert cli("layer", "prune").out == "There is nothing to prune.\n"
    told = cli("undo", "--dry-run", "--json").json()
    assert (told["undone"], told["act"], len(told["files"])) == (False, "layer prune", 2)
    assert cli("undo").code == 0
    assert Path(PATH).read_text() == text
    assert not Path(PATH.replace(".md", "_archive.md")).exists()
    fails(cli("undo"), 1, "Nothing to undo")
    fails(cli("layer", "prune", "--scope", "skill"), 2, "name the skill")


def test_validate(cli: Cli) -> None:
    cli(
        "layer",
        "create",
        "skill/s/p/project_overview",
        "--content",
        "- Uses custom auth here\n- In `src/a.py`\n- In `src/b.py`\n- In `src/c.py`",
    )
    ran = cli("layer", "validate", "skill/s/p/project_overview", "--json")
    found = ran.json()
    assert ran.code == 1
    assert list(found) == ["id", "checks", "suggestions", "details"]
    assert found["checks"] == {"completeness": False, "specificity": True, "growthRate": "unknown"}
    assert "completeness  no  (0%)" in cli("layer", "validate", "skill/s/p/project_overview").out
    fails(cli("layer", "validate", "skill/s/p/none"), 1)


def test_staleness(cli: Cli) -> None:
    assert cli("layer", "staleness").out == "There is no memory here.\n"
    put(Path.cwd(), "memory/projects/p/a.md", "<!-- Last Updated: 2026-02-01 -->\n")
    put(Path.cwd(), "memory/projects/p/b.md", "<!-- Last Updated: 2025-12-01 -->\n")
    put(Path.cwd(), "memory/projects/p/c.md", "# No stamp\n")
    report = cli("layer", "staleness", "--json").json()
    assert [len(report[group]) for group in ("fresh", "aging", "stale")] == [1, 1, 1]
    shown = cli("layer", "staleness").out
    assert "fresh: 1 memory\n       9 d  2026-02-01  shared-project/p/a\n" in shown
    assert re.search(r"8-30 days +█+ 1\n", shown)
    assert "█" not in cli("layer", "staleness", "--table").out
    assert "fresh:" not in cli("layer", "staleness", "--chart").out


def test_status_counts_memories_and_not_their_parts(cli: Cli) -> None:
    old = "<!-- Last Updated: 2025-02-01 -->\n\n# R\n\n## Review #1 - 2025-02-01\n\nOne.\n\n## Review #2\n\nTwo.\n"
    put(Path.cwd(), PATH, old)
    put(Path.cwd(), "memory/projects/p/fresh.md", "<!-- Last Updated: 2026-02-01 -->\n\n# F\n")
    put(Path.cwd(), "memory/projects/p/none.md", "# No stamp\n")
    report = cli("layer", "staleness", "--json").json()
    assert cli("status", "--json").json()["staleness"] == {
        "undated": 0,
        **{state: len(each) for state, each in report.items()},
    }
    assert "layers     3 files, 5 records, 3 memories\n" in cli("status").out


def test_a_stale_memory_fails_a_strict_check(cli: Cli) -> None:
    put(Path.cwd(), "memory/projects/p/old.md", "<!-- Last Updated: 2025-11-11 -->\n\n- `a.py` starts\n")
    told = cli("check", "--strict").out
    assert told.startswith("memory/projects/p/old.md:1:1: warning LYR022 ")
    assert "last updated 91 days ago" in told
    assert (cli("check").code, cli("check", "--strict").code) == (0, 1)
    put(Path.cwd(), "memory/projects/p/old.md", "<!-- Last Updated: 2025-11-12 -->\n\n- `a.py` starts\n")
    assert cli("check", "--strict").code == 0


def test_context_and_the_memory_of_a_file_mark_what_is_stale(cli: Cli) -> None:
    text = "# Gateway\n\n- `src/gateway.py` limits requests to"
    put(Path.cwd(), "memory/projects/p/old.md", f"<!-- Last Updated: 2025-08-01 -->\n\n{text} 1\n")
    put(Path.cwd(), "memory/projects/p/new.md", f"<!-- Last Updated: 2026-02-01 -->\n\n{text} 2\n")
    put(Path.cwd(), "memory/projects/p/none.md", f"{text} 3\n")
    put(Path.cwd(), "memory/projects/p/notes_archive.md", f"<!-- Last Updated: 2020-01-01 -->\n\n{text} 4\n")
    ages = {
        "memory/projects/p/old.md": "last updated 193 days ago",
        "memory/projects/p/new.md": None,
        "memory/projects/p/none.md": "no stamp says when it was updated",
        "memory/projects/p/notes_archive.md": None,
    }
    items = cli("context", "gateway requests", "--json").json()["items"]
    assert {each["path"]: each["why"] for each in items} == {
        path: f"about the task; stale: {age}" if age else "about the task" for path, age in ages.items()
    }
    assert "old.md:1 (about the task; stale: last updated 193 days ago)\n" in cli("context", "gateway requests").out
    assert {each["path"]: each["standing"] for each in cli("for", "src/gateway.py", "--json").json()} == ages


def test_search_prints_two_lines_around_a_hit(cli: Cli) -> None:
    lines = [f"line {number}" for number in range(1, 13)]
    lines[2] = lines[4] = lines[11] = "redis"
    put(Path.cwd(), "memory/projects/p/a.md", "\n".join(lines))
    put(Path.cwd(), "memory/projects/p/b.md", "redis")
    shown = [line.replace("memory/projects/p/", "") for line in cli("layer", "search", "redis").out.splitlines()]
    assert shown == [
        *("a.md-1- line 1", "a.md-2- line 2", "a.md:3: redis", "a.md-4- line 4", "a.md:5: redis"),
        *("a.md-6- line 6", "a.md-7- line 7", "--", "a.md-10- line 10", "a.md-11- line 11", "a.md:12: redis"),
        *("--", "b.md:1: redis"),
    ]


def test_records_of_the_store_are_records_like_others(cli: Cli) -> None:
    put(Path.cwd(), PATH, "<!-- Last Updated: 2026-02-10 -->\n\n# R\n\n## Review #1 - 2026-02-01\n\nOne finding.\n")
    assert [each["kind"] for each in cli("list", "--json").json()] == ["memory", "review"]
    assert cli("show", f"{ID}#review-1", "--json").json()["title"] == "Review #1 - 2026-02-01"
    [reading] = cli("read", PATH, "--lines", "--json").json()
    assert (reading["dialect"], reading["account"]) == ("layers", "r-r-r-r")
    held = cli("status", "--json").json()["dialects"]["layers"]
    assert held == {"files": 1, "records": 2, "memories": 1}


def test_checks_with_fixes(cli: Cli) -> None:
    put(Path.cwd(), PATH, "# R\n\n**Last Updated**: 2026-01-05\n")
    put(Path.cwd(), "memory/projects/p/a.md", "<!-- Last updated: 2026-01-05 -->\n\n# A\n")
    put(Path.cwd(), "memory/projects/p/b.md", "# B\n")
    put(
        Path.cwd(),
        "memory/projects/p/known_issues.md",
        "<!-- Last Updated: 2026-01-05 -->\n\n### 1. X\n**Status**: Ongoing\n",
    )
    put(Path.cwd(), "memory/projects/p/future.md", "<!-- Last Updated: 2026-02-11 -->\n\n# F\n")
    codes = sorted({each["code"] for each in cli("check", "--json").json()})
    assert codes == ["LYR001", "LYR002", "LYR004", "LYR006", "LYR033", "LYR051"]
    cli("check", "--all", "--fix", "--unsafe-fixes")
    assert Path(PATH).read_text() == "<!-- Last Updated: 2026-01-05 -->\n\n# R\n\n**Last Updated**: 2026-01-05\n"
    assert Path("memory/projects/p/a.md").read_text() == "<!-- Last Updated: 2026-01-05 -->\n\n# A\n"
    assert Path("memory/projects/p/b.md").read_text() == "<!-- Last Updated: 2026-02-10 -->\n\n# B\n"
    assert "**Status**: Ongoing [VERIFY STATUS]\n" in Path("memory/projects/p/known_issues.md").read_text()
    assert {each["code"] for each in cli("check", "--json").json()} == {"LYR006", "LYR033"}


def test_limits_move_the_rules_too(cli: Cli) -> None:
    put(Path.cwd(), "memory/projects/p/notes.md", "<!-- Last Updated: 2026-01-05 -->\n" + "`a.py`\n" * 600)

    def told() -> list[str]:
        return [each["code"] for each in cli("check", "--select", "LYR020", "--json").json()]

    assert told() == ["LYR020"]
    put(Path.cwd(), "memdown.toml", "[layers]\nmax-lines = 10000\n")
    assert told() == []
    put(Path.cwd(), "memdown.toml", "[layers]\nmax-lines = 10\n")
    assert told() == ["LYR020"]


def test_histories_are_as_long_as_the_configuration_says(cli: Cli) -> None:
    put(
        Path.cwd(),
        "memory/skills/s/p/review_history.md",
        "<!-- Last Updated: 2026-01-05 -->\n\n## Review #1\n## Review #2\n## Review #3\n",
    )
    put(Path.cwd(), "memdown.toml", "[layers]\nkeep-reviews = 1\n")
    [found] = cli("check", "--select", "LYR045", "--json").json()
    assert "1 stay when it is pruned" in found["message"]


@pytest.mark.parametrize(
    ("heading", "at"),
    [
        ("Review - Jan 12, 2026", "2026-01-12"),
        ("Review Jan 12th, 2026", "2026-01-12"),
        ("Review — 12 January 2026", "2026-01-12"),
        ("Review 2026/01/12", "2026-01-12"),
        ("Review #4 (13/01/2026)", "2026-01-13"),
        ("Review - 2026年1月12日", "2026-01-12"),
        ("Review - last week", None),
    ],
)
def test_a_date_is_the_same_from_the_file_and_from_the_index(cli: Cli, heading: str, at: str | None) -> None:
    put(Path.cwd(), PATH, f"<!-- Last Updated: 2026-02-01 -->\n\n## {heading}\n\nOne.\n")
    [reading] = cli("read", PATH, "--json").json()
    assert [each["at"] for each in reading["records"]] == ["2026-02-01", at]
    listed = cli("list", "--json").json()
    assert [(each["at"], each["at_precision"]) for each in listed] == [
        (each["at"], each["at_precision"]) for each in reading["records"]
    ]
