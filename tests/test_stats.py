"""Statistics: what is counted, and how it is drawn."""

import xml.etree.ElementTree as ET
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from conftest import Ran
from memdown.acts.stats import week_of
from memdown.surfaces.show import charts
from samples import CARD, ID, put
from test_query import entry

Cli = Callable[..., Ran]
LOG = "\n".join(
    [
        entry("2026-01-10T09:00:00+0000", "A", author="Ann (Lead)", tags="db, API"),
        entry("2026-01-11T09:00:00+0000", "B", author="ann", contributors="Bob", tags="api"),
        entry("2026-01-27T09:00:00+0000", "C", author="Bob + Ann"),
        entry("2026-01-27T09:00:00+0000", "D", kind="memory", author="Bob", scope="agent:Bob"),
        "## Decision: No date\n\n**By:** Ann\n",
    ]
)


def test_what_is_counted(cli: Cli) -> None:
    path = put(Path.cwd(), ".squad/decisions.md", LOG)
    put(Path.cwd(), f"memories/{ID}.md", CARD)
    stats = cli("stats", "--json").json()
    assert list(stats) == sorted(stats)
    sizes = [growth.pop("bytes") for growth in stats["growth"]]
    assert sizes == sorted(sizes)
    assert 0 < sizes[-1] < stats["bytes"] <= path.stat().st_size + len(CARD)
    del stats["bytes"]
    assert 100 < stats.pop("tokens") < 1000
    assert stats == {
        "authors": [
            {"contributed": 1, "name": "Ann", "records": 3},
            {"contributed": 1, "name": "Bob", "records": 2},
        ],
        "files": 2,
        "first": "2026-01-10",
        "growth": [
            {"records": 2, "week": "2026-W02"},
            {"records": 3, "week": "2026-W03"},
            {"records": 3, "week": "2026-W04"},
            {"records": 5, "week": "2026-W05"},
        ],
        "kinds": {"card": 1, "decision": 4, "memory": 1},
        "last": "2026-01-27",
        "records": 6,
        "scopes": {
            "agent": {"ratio": 0.1667, "records": 1},
            "file": {"ratio": 0.1667, "records": 1},
            "team": {"ratio": 0.6667, "records": 4},
        },
        "staleness": {"aging": 0, "fresh": 5, "stale": 0, "undated": 1},
        "tags": [
            {"name": "API", "records": 2},
            {"name": "database", "records": 1},
            {"name": "db", "records": 1},
            {"name": "pool", "records": 1},
        ],
        "undated": 1,
        "velocity": {"2026-W02": 2, "2026-W03": 0, "2026-W04": 0, "2026-W05": 1},
    }
    assert [tag["name"] for tag in cli("stats", "--top", "1", "--json").json()["tags"]] == ["API"]


def test_nothing_to_count(cli: Cli) -> None:
    stats = cli("stats", "--json").json()
    assert (stats["records"], stats["velocity"], stats["growth"], stats["first"]) == (0, {}, [], None)
    assert cli("stats").code == cli("stats", "--plot").code == 0
    assert cli("stats", "--svg", "none.svg").code == 0
    ET.parse("none.svg")


def test_weeks_are_those_of_iso_8601() -> None:
    days = {"2025-12-29": "2026-W01", "2027-01-03": "2026-W53", "0001-01-01": "0001-W01"}
    assert [week_of(date.fromisoformat(day)) for day in days] == list(days.values())


def test_a_wrong_year_makes_no_endless_list(cli: Cli) -> None:
    put(
        Path.cwd(),
        ".squad/decisions.md",
        entry("0001-01-01T00:00:00+0000", "A") + "\n" + entry("9999-12-31T00:00:00+0000", "B"),
    )
    assert cli("stats", "--json").json()["velocity"] == {"0001-W01": 1, "9999-W52": 1}
    assert cli("stats", "--plot").code == 0


def test_a_record_inside_another_adds_no_bytes(cli: Cli) -> None:
    text = "## Learnings\n\n### 2026-01-10: Long\n\n- **2026-01-11: inside** text\n\n📌 Team update (2026-01-12): all\n"
    put(Path.cwd(), ".squad/agents/ann/history.md", text)
    stats = cli("stats", "--json").json()
    assert stats["records"] == 3
    assert stats["bytes"] == len(text[text.index("###") :].encode())


def test_bars(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    put(Path.cwd(), ".squad/decisions.md", LOG)
    monkeypatch.setenv("COLUMNS", "40")
    out = cli("stats", "--plot").out
    assert (
        "Decisions per week\n"
        "  2026-W02 ███████████████████████████ 2\n"
        "  2026-W03  0\n"
        "  2026-W04  0\n"
        "  2026-W05 █████████████▌ 1\n"
    ) in out
    assert "\x1b" not in out
    for width in ("10", "40", "200"):
        monkeypatch.setenv("COLUMNS", width)
        assert max(map(len, cli("stats", "--plot").out.splitlines())) <= max(int(width), 40)


def test_many_weeks_become_a_line(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    put(
        Path.cwd(),
        ".squad/decisions.md",
        entry("2025-01-10T09:00:00+0000", "A") + "\n" + entry("2026-01-10T09:00:00+0000", "B"),
    )
    out = cli("stats", "--plot").out
    assert "  most: 1 in 2026-W02\n" in out
    assert "·█\n  2025-W03" in out
    assert "  and 1 before\n" in out


HOSTILE = entry("2026-01-10T09:00:00+0000", "A", author="<script>alert(1)</script>", tags='"x" & y, \x07bell, ]]>')


def test_the_svg_is_whole_and_says_what_it_shows(cli: Cli) -> None:
    put(Path.cwd(), ".squad/decisions.md", LOG + "\n" + HOSTILE)
    assert cli("stats", "--svg", "docs/memory.svg").code == 0
    text = Path("docs/memory.svg").read_text("utf-8")
    root = ET.fromstring(text)
    name = "{http://www.w3.org/2000/svg}"
    assert root.tag == f"{name}svg"
    assert root.attrib["role"] == "img"
    assert root.findtext(f"{name}title") == "Memory of project"
    described = root.findtext(f"{name}desc") or ""
    assert "Decisions per week: 2026-W02 3" in described
    assert "prefers-color-scheme:dark" in text
    assert {each.tag.removeprefix(name) for each in root.iter()} == {
        "svg",
        "title",
        "desc",
        "style",
        "rect",
        "text",
        "line",
    }
    assert "<script" not in text
    assert "href" not in text
    assert "url(" not in text


def test_the_svg_stays_in_the_project_and_replaces_nothing_unasked(cli: Cli, tmp_path: Path) -> None:
    put(Path.cwd(), ".squad/decisions.md", LOG)
    for outside in ("../out.svg", str(tmp_path / "out.svg"), ".git/x.svg", "."):
        assert cli("stats", "--svg", outside).code == 3
    assert not (tmp_path / "out.svg").exists()
    assert cli("stats", "--svg", "a.svg").code == 0
    assert cli("stats", "--svg", "a.svg").code == 0
    put(Path.cwd(), "a.svg", "mine")
    ran = cli("stats", "--svg", "a.svg")
    assert (ran.code, Path("a.svg").read_text()) == (3, "mine")
    assert "--force" in ran.err
    assert cli("stats", "--svg", "a.svg", "--force").code == 0
    assert Path("a.svg").read_text().startswith("<svg")


def test_every_value_above_nothing_is_seen() -> None:
    lines = list(charts.bars(charts.Series("x", (("a", 1_000_000), ("b", 1), ("c", 0))), 40))
    assert lines[1] == "  b ▏ 1"
    assert lines[2] == "  c  0"
