"""The interface of the layered store, method by method, with the examples of its contract."""

import re
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

import forks
from memdown import Memory
from memdown.errors import BadConfig, Exists, Invalid, NotFound, Refused
from memdown.limits.settings import LayerSettings
from memdown.memory.layers import Layers
from memdown.settings.config import Config
from samples import put

TODAY = date(2026, 2, 10)
SKILL = {"layer": "skill-specific", "skillName": "python-code-review", "projectName": "my-api"}
OVERVIEW = "skill-specific/python-code-review/my-api/project_overview"


def memory_at(root: Path, day: date = TODAY, **chosen: Any) -> Memory:
    now = datetime(day.year, day.month, day.day, 23, 59, tzinfo=UTC)
    return Memory(root, settings=Config(layers=LayerSettings(**chosen)), now=lambda: now)


@pytest.fixture
def layers(tmp_path: Path) -> Layers:
    return memory_at(tmp_path).layers


def keys(value: object) -> list[str]:
    return list(msgspec.to_builtins(value))


def stamped(days: int) -> str:
    return f"<!-- Last Updated: {TODAY - timedelta(days=days)} -->\n\n# X\n"


# Create


def test_create_as_in_the_contract(layers: Layers, tmp_path: Path) -> None:
    content = "# Project Overview - My API\n\n## Framework\n- FastAPI 0.104"
    made = layers.create({**SKILL, "fileType": "project_overview", "content": content})
    path = "memory/skills/python-code-review/my-api/project_overview.md"
    assert msgspec.to_builtins(made) == {"id": OVERVIEW, "path": path, "created": True}
    assert (tmp_path / path).read_text() == f"<!-- Last Updated: 2026-02-10 -->\n\n{content}\n"
    with pytest.raises(Exists):
        layers.create({**SKILL, "fileType": "project_overview.md", "content": "x"})


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        (
            {"layer": "shared-project", "projectName": "my-api", "fileType": "project_profile"},
            "projects/my-api/project_profile.md",
        ),
        (
            {"layer": "shared-project", "projectName": "my-api", "fileType": "technology_stack"},
            "projects/my-api/technology_stack.md",
        ),
        (
            {"layer": "shared-project", "projectName": "e-commerce", "fileType": "cross_skill_insights"},
            "projects/e-commerce/cross_skill_insights.md",
        ),
        ({**SKILL, "fileType": "review_history"}, "skills/python-code-review/my-api/review_history.md"),
        (
            {**SKILL, "skillName": "generate-python-unit-tests", "fileType": "testing_patterns"},
            "skills/generate-python-unit-tests/my-api/testing_patterns.md",
        ),
        (
            {"layer": "command", "projectName": "my-api", "fileType": "command_history"},
            "commands/my-api/command_history.md",
        ),
        (
            {"layer": "command", "projectName": "my-api", "commandName": "analyze", "fileType": "analyze_insights"},
            "commands/my-api/analyze_insights.md",
        ),
        (
            {"layer": "agent", "agentName": "hephaestus", "fileType": "forge_insights"},
            "agents/hephaestus/forge_insights.md",
        ),
        (
            {"layer": "agent", "agentName": "prometheus", "projectName": "*", "fileType": "strategic_notes"},
            "agents/prometheus/strategic_notes.md",
        ),
    ],
)
def test_paths_of_the_contract(layers: Layers, fields: dict[str, object], path: str) -> None:
    assert layers.create(fields).path == f"memory/{path}"


def test_create_takes_fields_by_name(layers: Layers) -> None:
    made = layers.create(layer="skill", skill_name="s", project_name="p", file_type="f", content="x")
    assert made.id == "skill-specific/s/p/f"


def test_what_is_listed_can_be_read(layers: Layers) -> None:
    for name in ("lifecycle", "quality_guidance"):  # which describe the store only at its top
        id = f"agent/zeus/{name}"
        layers.create({"layer": "agent", "agentName": "zeus", "fileType": name, "content": "# Mine"})
        assert id in [each.id for each in layers.get_agent_memory("zeus")]
        assert layers.read("agent", None, name, agent_name="zeus") is not None


def test_what_create_refuses(layers: Layers) -> None:
    base = {"layer": "shared-project", "projectName": "p", "fileType": "f"}
    for wrong in (
        {"layer": "other"},
        {"projectName": "../up"},
        {"projectName": None},
        {"fileType": "index"},
        {"fileType": "README"},
        {"fileType": "a/b"},
        {"id": "shared-project/p/other"},
        {"unknown": 1},
        {"content": 5},
        {"content": "\udcff"},
        {"layer": "skill-specific"},
        {"layer": "agent"},
    ):
        with pytest.raises(Invalid):
            layers.create({**base, **wrong})
    with pytest.raises(Invalid):
        layers.create({"layer": "shared-project"})
    assert layers.create({**base, "id": "shared-project/p/f", "lineCount": 3, "staleness": "stale"}).created


def test_a_name_that_differs_in_capitals_only_is_refused(layers: Layers) -> None:
    layers.upsert("shared-project/my-api/notes", "x")
    with pytest.raises(Refused):
        layers.upsert("shared-project/My-API/notes", "x")


def test_a_stamp_in_the_content_is_replaced(layers: Layers, tmp_path: Path) -> None:
    layers.create(
        {
            "layer": "shared",
            "projectName": "p",
            "fileType": "f",
            "content": "<!-- Last Updated: 2020-01-01 -->\n\n\n# A\n\n\n",
        }
    )
    assert (tmp_path / "memory/projects/p/f.md").read_text() == "<!-- Last Updated: 2026-02-10 -->\n\n# A\n"


# Read


def test_read_has_the_keys_of_the_schema(layers: Layers) -> None:
    layers.create({**SKILL, "fileType": "project_overview", "content": "# A\n"})
    entry = layers.read("skill-specific", "my-api", "project_overview", "python-code-review")
    assert msgspec.to_builtins(entry) == {
        "id": OVERVIEW,
        "layer": "skill-specific",
        "projectName": "my-api",
        "skillName": "python-code-review",
        "fileType": "project_overview",
        "content": "<!-- Last Updated: 2026-02-10 -->\n\n# A\n",
        "createdAt": None,
        "updatedAt": "2026-02-10",
        "staleness": "fresh",
        "lineCount": 3,
    }
    assert layers.read(OVERVIEW) == entry
    assert (
        layers.read("skills", "my-api", "project_overview.md", skill_name="python-code-review", command_name="x")
        == entry
    )
    assert layers.read("shared-project", "my-api", "project_profile") is None


def test_an_agent_belongs_to_no_project(layers: Layers) -> None:
    layers.create({"layer": "agent", "agentName": "zeus", "fileType": "notes", "content": "x"})
    entry = layers.read("agent", None, "notes", agent_name="zeus")
    assert entry
    assert keys(entry) == [
        *(
            "id",
            "layer",
            "projectName",
            "agentName",
            "fileType",
            "content",
            "createdAt",
            "updatedAt",
            "staleness",
            "lineCount",
        )
    ]
    assert (entry.id, entry.project_name) == ("agent/zeus/notes", None)


@pytest.mark.parametrize(
    ("text", "state", "updated"),
    [
        (stamped(0), "fresh", "2026-02-10"),
        (stamped(30), "fresh", "2026-01-11"),
        (stamped(31), "aging", "2026-01-10"),
        (stamped(90), "aging", "2025-11-12"),
        (stamped(91), "stale", "2025-11-11"),
        (stamped(-5), "fresh", "2026-02-15"),
        ("# X\n", "stale", None),
        ("**Last Updated**: 2026-02-10\n", "stale", None),
        ("# X\n<!-- Last Updated: 2026-02-10 -->\n", "stale", None),
        ("<!-- Last Updated: 2026-02-30 -->\n", "stale", None),
        ("\ufeff<!-- Last Updated: 2026-02-10 -->\r\n", "fresh", "2026-02-10"),
        ("", "stale", None),
    ],
)
def test_staleness_of_what_is_read(tmp_path: Path, text: str, state: str, updated: str | None) -> None:
    path = put(tmp_path, "memory/projects/p/project_profile.md", text)
    before = path.read_bytes()
    memory = memory_at(tmp_path)
    entry = memory.layers.get_project_profile("p")
    assert entry
    assert (entry.staleness, entry.updated_at) == (state, updated)
    assert ("[POTENTIALLY STALE]" in str(entry.metadata)) == (state == "stale")
    assert path.read_bytes() == before
    report = memory.layers.get_staleness_report()
    assert [each.updated_at for each in getattr(report, state)] == [updated]
    told = [each for each in memory.notices() if "in the future" in each]
    assert len(told) == (2 if updated == "2026-02-15" else 0)


def test_limits_of_age_can_be_set(tmp_path: Path) -> None:
    put(tmp_path, "memory/projects/p/a.md", stamped(9))
    put(tmp_path, "memory/projects/p/b.md", "# X\n\n**Last Updated**: 2026-02-09\n")
    assert [e.staleness for e in memory_at(tmp_path).layers.get_shared_project_memory("p")] == ["fresh", "stale"]
    chosen = memory_at(tmp_path, fresh_days=5, aging_days=8, legacy_stamps=True).layers
    assert [e.staleness for e in chosen.get_shared_project_memory("p")] == ["stale", "fresh"]
    assert [e.id for e in chosen.get_staleness_report().fresh] == ["shared-project/p/b"]


# Update, upsert, append, delete


def test_update(layers: Layers, tmp_path: Path) -> None:
    path = put(tmp_path, "memory/projects/p/f.md", "\ufeff# Old\r\n\r\n**Last Updated**: 2020-01-01\r\n")
    done = layers.update("shared-project/p/f", "# New\n\ntext\n")
    assert msgspec.to_builtins(done) == {"id": "shared-project/p/f", "updated": True, "lineCount": 5, "warning": None}
    assert path.read_bytes().decode() == "\ufeff<!-- Last Updated: 2026-02-10 -->\r\n\r\n# New\r\n\r\ntext\r\n"
    with pytest.raises(NotFound):
        layers.update("shared-project/p/none", "x")
    with pytest.raises(NotFound):
        layers.append("shared-project/p/none", "x")


def test_upsert_creates_or_updates(layers: Layers) -> None:
    assert keys(layers.upsert("shared-project/p/f", "a")) == ["id", "path", "created"]
    assert keys(layers.upsert("shared-project/p/f", "b")) == ["id", "updated", "lineCount", "warning"]


@pytest.mark.parametrize(
    ("file_type", "lines", "words"),
    [
        ("notes", 500, None),
        ("notes", 501, "Split into focused sub-files"),
        ("project_overview", 200, None),
        ("project_overview", 201, "Move detailed sections to separate files"),
        ("review_history", 300, None),
        ("review_history", 301, "Archive older entries"),
        ("review_history", 501, "Archive older entries"),
        ("review_history_archive", 900, None),
    ],
)
def test_size_limits_warn_and_never_block(layers: Layers, file_type: str, lines: int, words: str | None) -> None:
    content = "x\n" * (lines - 2)
    id = f"shared-project/p/{file_type}"
    layers.upsert(id, "x")
    done = layers.update(id, content)
    assert (done.updated, done.line_count) == (True, lines)
    assert (words in done.warning) if words and done.warning else done.warning is words
    if lines == 501 and file_type == "review_history":
        assert "Split into focused sub-files" in (done.warning or "")
    warnings = layers.prune(dry_run=True).warnings
    assert bool(warnings) == bool(words)


def test_append(layers: Layers, tmp_path: Path) -> None:
    path = put(tmp_path, "memory/projects/p/f.md", "<!-- Last Updated: 2026-01-01 -->\n\n# A\n\n\n")
    done = layers.append("shared-project/p/f", "<!-- Last Updated: 2020-01-01 -->\n\n- more\n\n")
    assert msgspec.to_builtins(done) == {
        "id": "shared-project/p/f",
        "appended": True,
        "lineCount": 5,
        "pruned": False,
        "pruneDetails": None,
    }
    assert path.read_text() == "<!-- Last Updated: 2026-02-10 -->\n\n# A\n\n- more\n"


def test_delete_keeps_folder_and_archive(layers: Layers, tmp_path: Path) -> None:
    layers.upsert("shared-project/p/review_history", "a")
    layers.upsert("shared-project/p/review_history_archive", "b")
    assert msgspec.to_builtins(layers.delete("shared-project/p/review_history")) == {
        "id": "shared-project/p/review_history",
        "deleted": True,
    }
    assert not layers.delete("shared-project/p/review_history").deleted
    assert [path.name for path in (tmp_path / "memory/projects/p").iterdir()] == ["review_history_archive.md"]


def test_bytes_that_are_not_utf8_are_never_rewritten(layers: Layers, tmp_path: Path) -> None:
    path = put(tmp_path, "memory/projects/p/review_history.md", "# A \udcff\n")
    for act in (layers.update, layers.append, layers.upsert):
        with pytest.raises(Refused):
            act("shared-project/p/review_history", "x")
    assert path.read_bytes() == b"# A \xff\n"
    assert layers.get_project_profile("p") is None
    memory = memory_at(tmp_path)
    assert len(memory.layers.get_staleness_report().stale) == 1
    assert "not UTF-8" in memory.notices()[0]
    damaged = "# A \udcff\n" + "## Review\n" * 12
    put(tmp_path, "memory/projects/p/review_history.md", damaged)
    done = layers.prune()
    assert done.pruned == []
    assert "not UTF-8" in done.warnings[0]
    assert path.read_bytes() == damaged.encode("utf-8", "surrogateescape")


# Lists


def test_lists_leave_out_what_describes_the_store_and_archives(layers: Layers, tmp_path: Path) -> None:
    for name in ("index", "README", "b_notes", "a_notes", "review_history_archive", "sync_log"):
        for folder in ("projects/p", "skills/s/p", "commands/p", "agents/z", "skills/other/q"):
            put(tmp_path, f"memory/{folder}/{name}.md", stamped(0))
    put(tmp_path, "memory/agents/z/deep/nested.md", stamped(0))
    put(tmp_path, "memory/projects/p/.hidden.md", stamped(0))
    put(tmp_path, "memory/projects/p/notes.txt", stamped(0))
    for found, layer in (
        (layers.get_shared_project_memory("p"), "shared-project"),
        (layers.get_skill_memory("s", "p"), "skill-specific"),
        (layers.get_command_memory("p"), "command"),
        (layers.get_agent_memory("z"), "agent"),
    ):
        assert [(entry.layer, entry.file_type) for entry in found] == [(layer, "a_notes"), (layer, "b_notes")]
    assert [e.file_type for e in layers.get_command_memory("p", archives=True)] == [
        "a_notes",
        "b_notes",
        "review_history_archive",
    ]
    assert layers.get_skill_memory("never", "seen") == []
    everything = layers.get_by_project("p")
    assert keys(everything) == ["shared", "skills", "commands"]
    assert [len(everything.shared), list(everything.skills), len(everything.commands)] == [2, ["s"], 2]
    empty = layers.get_by_project("none")
    assert msgspec.to_builtins(empty) == {"shared": [], "skills": {}, "commands": []}


def test_links_out_of_the_root_are_passed_over_and_told(tmp_path: Path) -> None:
    outside = put(tmp_path, "secret.md", "secret\n")
    root = tmp_path / "root"
    put(root, "memory/projects/p/a.md", stamped(0))
    (root / "memory/projects/p/b.md").symlink_to(outside)
    (root / "memory/projects/p/c.md").symlink_to(root / "memory/projects/p/a.md")
    memory = memory_at(root)
    assert [entry.file_type for entry in memory.layers.get_shared_project_memory("p")] == ["a"]
    assert [age.id for age in memory.layers.get_staleness_report().fresh] == ["shared-project/p/a"]
    assert memory.layers.search("secret").matches == []
    assert any("b.md" in sentence for sentence in memory.notices())


# Staleness report


def test_the_report_groups_by_age_and_leads_with_the_oldest(layers: Layers, tmp_path: Path) -> None:
    for name, text in {
        "projects/p/new": stamped(0),
        "projects/p/older": stamped(20),
        "skills/s/p/aging": stamped(31),
        "commands/p/stale": stamped(200),
        "agents/z/none": "# No stamp\n",
        "agents/z/deep/nested": stamped(100),
        "projects/p/review_history_archive": stamped(95),
        "index": stamped(0),
        "lifecycle": stamped(0),
        "quality_guidance": stamped(0),
        "agents/z/README": stamped(0),
        "loose": stamped(40),
    }.items():
        put(tmp_path, f"memory/{name}.md", text)
    report = msgspec.to_builtins(layers.get_staleness_report())
    assert {group: [(age["id"], age["daysSinceUpdate"]) for age in ages] for group, ages in report.items()} == {
        "fresh": [("shared-project/p/older", 20), ("shared-project/p/new", 0)],
        "aging": [("loose", 40), ("skill-specific/s/p/aging", 31)],
        "stale": [
            ("agent/z/none", None),
            ("command/p/stale", 200),
            ("agent/z/deep/nested", 100),
            ("shared-project/p/review_history_archive", 95),
        ],
    }
    assert keys(report["fresh"][0]) == ["id", "path", "updatedAt", "daysSinceUpdate"]
    assert report["stale"][0]["updatedAt"] is None


def test_the_report_reads_only_the_first_block_of_each_file(layers: Layers, tmp_path: Path) -> None:
    path = put(tmp_path, "memory/projects/p/large.md", stamped(0))
    with path.open("ab") as file:
        file.truncate(5_000_000_000_000)  # sparse; reading it whole would take longer than a test may
    assert len(layers.get_staleness_report().fresh) == 1


OPENED = """
import sys
from collections import Counter
from pathlib import Path
from memdown import Memory
layers = Memory(Path(sys.argv[1])).layers
opened = Counter()
sys.addaudithook(lambda event, args: opened.update([str(args[0])]) if event == "open" and str(args[0]).endswith(".md") else None)
layers.get_staleness_report()
print(len(opened), sum(opened.values()))
"""


def test_the_report_opens_each_file_once(tmp_path: Path) -> None:
    for number in range(50):
        put(tmp_path, f"memory/skills/s/p{number % 7}/f{number}.md", stamped(number))
    put(tmp_path, "memory/skills/s/index.md", "# Index\n")
    done = forks.run([sys.executable, "-c", OPENED, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout == "50 50\n"


# Search


def test_appending_says_when_a_memory_is_too_long(layers: Layers) -> None:
    layers.upsert("shared-project/p/technology", "x\n" * 490)
    assert layers.append("shared-project/p/technology", "y").line_count < 500
    done = layers.append("shared-project/p/technology", "z\n" * 20)
    assert done.line_count > 500
    assert "Split into focused sub-files" in str(done.warning)


def test_search(layers: Layers, tmp_path: Path) -> None:
    put(tmp_path, "memory/projects/p/a.md", "one\ntwo\nN+1 query\nfour\nfive\nsix\n")
    put(tmp_path, "memory/agents/z/b.md", "N+1 query\n")
    put(tmp_path, "memory/agents/z/index.md", "N+1 query\n")
    put(tmp_path, "memory/skills/s/q/review_history_archive.md", "n+1 Query\r\n")
    found = msgspec.to_builtins(layers.search(r"N\+1"))
    assert found == {
        "matches": [
            {
                "id": "agent/z/b",
                "path": "memory/agents/z/b.md",
                "lineNumber": 1,
                "lineContent": "N+1 query",
                "context": "N+1 query",
            },
            {
                "id": "shared-project/p/a",
                "path": "memory/projects/p/a.md",
                "lineNumber": 3,
                "lineContent": "N+1 query",
                "context": "one\ntwo\nN+1 query\nfour\nfive",
            },
        ]
    }
    assert len(layers.search(r"n\+1 q", ignore_case=True).matches) == 3
    assert [each.id for each in layers.search("query", project_name="p").matches] == ["shared-project/p/a"]
    assert [each.id for each in layers.search("query", "agents").matches] == ["agent/z/b"]


def test_a_pattern_that_is_none_is_searched_for_as_text(tmp_path: Path) -> None:
    put(tmp_path, "memory/projects/p/a.md", "call f(x[0\n")
    memory = memory_at(tmp_path)
    assert len(memory.layers.search("f(x[").matches) == 1
    assert "as text" in memory.notices()[0]


def test_a_pattern_that_never_ends_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "memory/projects/p/a.md", "a" * 50 + "b\n")
    monkeypatch.setattr("memdown.memory.layers.grep.SECONDS", 0.2)
    memory = memory_at(tmp_path)
    assert memory.layers.search("(a+)+$").matches == []  # unstopped, it would try 2**50 ways
    assert "too long" in memory.notices()[0]


# Validate


def test_validate_an_overview(layers: Layers, tmp_path: Path) -> None:
    layers.upsert(OVERVIEW, "# Overview\n\n## Framework\n- FastAPI 0.104 in `src/app.py`\n")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    found = layers.validate(OVERVIEW)
    assert keys(found) == ["id", "checks", "suggestions", "details"]
    assert keys(found.checks) == ["completeness", "specificity", "growthRate"]
    assert (found.checks.completeness, found.checks.specificity, found.checks.growth_rate) == (False, True, "unknown")
    assert found.details.missing == [
        "language and version",
        "architecture pattern",
        "key conventions",
        "testing approach",
    ]
    assert found.details.score == 0.2
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    layers.update(
        OVERVIEW,
        "- Python 3.12\n- FastAPI 0.104\n- Layered architecture: `src/api/`, `src/db/`\n"
        "- Naming conventions: snake_case in `src/`\n- Tests run with pytest 8.2 from `tests/unit.py`\n",
    )
    assert layers.validate(OVERVIEW).checks.completeness


def test_vague_claims_are_listed_with_their_lines(layers: Layers) -> None:
    layers.upsert(
        "shared-project/p/notes",
        "# Notes\n\n- Uses custom auth here\n- Has N+1 queries somewhere\n- See `src/a.py:12`\n- In /home/ann/x\n",
    )
    found = layers.validate("shared-project/p/notes")
    assert found.checks.completeness
    assert not found.checks.specificity
    assert [note.line for note in found.details.vague_lines] == [5, 6, 8]
    assert [note.line for note in found.details.absolute_paths] == [8]
    assert any("relative" in sentence for sentence in found.suggestions)
    with pytest.raises(NotFound):
        layers.validate("shared-project/p/none")


def test_growth_is_known_from_counted_invocations(layers: Layers, tmp_path: Path) -> None:
    id = "skill-specific/s/p/common_patterns"
    layers.upsert(id, "- a\n")
    assert layers.validate(id).checks.growth_rate == "unknown"
    layers.append(id, "- b\n")
    assert layers.validate(id).checks.growth_rate == "healthy"
    for _ in range(6):
        assert layers.record_invocation("s", "p") == 1
    found = layers.validate(id)
    assert (found.checks.growth_rate, found.details.invocations) == ("stagnant", 8)
    (tmp_path / ".memdown/layers.json").write_text("not JSON")
    assert layers.validate(id).checks.growth_rate == "unknown"


# Where the store is


def test_the_folder_can_be_set(tmp_path: Path) -> None:
    memory = memory_at(tmp_path, folder="docs/knowledge")
    assert (
        memory.layers.upsert("skill/s/p/known_issues", "### A\n**Status**: Open\n").id
        == "skill-specific/s/p/known_issues"
    )
    assert (tmp_path / "docs/knowledge/skills/s/p/known_issues.md").exists()
    assert [record.id for record in memory.records()] == [
        "skill-specific/s/p/known_issues",
        "skill-specific/s/p/known_issues#a",
    ]
    assert memory.get("skill-specific/s/p/known_issues#a").kind == "issue"
    assert len(memory.layers.get_staleness_report().fresh) == 1
    with pytest.raises(BadConfig):
        memory_at(tmp_path, folder="skills/x").layers.get_staleness_report()


def test_a_store_in_the_folder_of_a_plugin_is_found(tmp_path: Path) -> None:
    put(tmp_path, "forge-plugin/memory/projects/p/project_profile.md", stamped(1))
    layers = memory_at(tmp_path).layers
    assert layers.get_project_profile("p")
    assert layers.upsert("shared/p/new", "x").id == "shared-project/p/new"
    assert (tmp_path / "forge-plugin/memory/projects/p/new.md").exists()


def test_the_store_itself_is_not_a_root(tmp_path: Path) -> None:
    put(tmp_path, "memory/projects/p/a.md", stamped(0))
    with pytest.raises(Refused):
        memory_at(tmp_path / "memory").layers.upsert("shared/p/new", "x")


def test_every_method_of_the_interface_is_there() -> None:
    methods = (
        "create read update append delete getProjectProfile getSharedProjectMemory getSkillMemory getCommandMemory"
    )
    methods += " prune validate getStalenessReport getByProject search getAgentMemory"
    names = [re.sub("[A-Z]", lambda match: f"_{match.group().lower()}", name) for name in methods.split()]
    assert len(names) == 15
    assert all(callable(getattr(Layers, name)) for name in names)
