"""A plain search takes a shorter way; it says the same as the ordinary one."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import forks
from samples import CARD, CONTENT, ID, OTHER_ID, memdown, put

ORDINARY = (
    "import sys; sys.argv = ['memdown', *sys.argv[1:]];"
    "from memdown.surfaces.cli import run; sys.exit(run(sys.argv[1:]))"
)
QUICK = (
    "import sys; from memdown.surfaces.quick import search_at_once; done = search_at_once(sys.argv[2:]);"
    "print(done, *sorted(sys.modules), file=sys.stderr)"
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    put(tmp_path, f"memories/{ID}.md", CARD)
    put(tmp_path, f"memories/{OTHER_ID}.md", CARD.replace(ID, OTHER_ID).replace("Pool size is 10", "Zwei Wörter"))
    assert memdown(tmp_path, "index").returncode == 0
    return tmp_path


def run(script: str, cwd: Path, *args: str) -> "subprocess.CompletedProcess[str]":
    return forks.run([sys.executable, "-c", script, "search", *args], cwd=cwd, capture_output=True, encoding="utf-8")


def settle(project: Path) -> None:
    """What changed just now is read once more: let it be a while ago."""
    for name in (ID, OTHER_ID):
        os.utime(project / f"memories/{name}.md", ns=(1, 1_700_000_000_123_456_789))
    time.sleep(0.2)
    assert memdown(project, "index").returncode == 0


def timeless(text: str) -> str:
    return re.sub(r'("took_ms": )[\d.]+|in \d+ ms', r"\1", text)


@pytest.mark.parametrize(
    "args",
    [
        ("pool",),
        ("pool", "size", "--json"),
        ("wörter",),
        ("pool -load",),
        ("nothing at all like it",),
        ("pool", "-n", "1"),
        ("pool", "--limit", "1", "--json"),
        ("kind:card",),
        ("--json", "pool", "kind:card"),
        ("colour:red",),
        ("poool",),
    ],
    ids=" ".join,
)
def test_both_ways_say_the_same(project: Path, args: tuple[str, ...]) -> None:
    quick, ordinary = run(QUICK, project, *args), run(ORDINARY, project, *args)
    assert quick.stderr.startswith("True ")
    assert timeless(quick.stdout) == timeless(ordinary.stdout)
    assert ordinary.returncode == 0


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("--help",),
        ("pool", "--type", "card"),
        ("pool", "-q"),
        ("pool", "-n", "0"),
        ("pool", "-n", "x"),
        ("pool", "-n"),
        ("pool", "--root", ""),
        ("is:red",),
        ("kind:",),
    ],
    ids=" ".join,
)
def test_whatever_is_not_plain_is_left_to_the_command_line(project: Path, args: tuple[str, ...]) -> None:
    quick = run(QUICK, project, *args)
    assert quick.stderr.startswith("False ")
    assert quick.stdout == ""


def test_what_changed_is_seen(project: Path) -> None:
    put(project, f"memories/{ID}.md", CARD.replace(CONTENT, "Aubergines.\nMany of them."))
    assert ID in memdown(project, "search", "aubergines", "--json").stdout


def test_a_project_is_found_from_below_and_by_its_root(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    below = project / "src" / "deep"
    below.mkdir(parents=True)
    (project / ".git").mkdir()
    away = tmp_path_factory.mktemp("away")
    for cwd, args in ((below, ()), (away, ("--root", str(project)))):
        found = json.loads(memdown(cwd, "search", "pool", "--json", *args).stdout)
        assert ID in [hit["id"] for hit in found["hits"]]


def test_without_an_index_the_command_line_makes_one(tmp_path: Path) -> None:
    put(tmp_path, f"memories/{ID}.md", CARD)
    assert run(QUICK, tmp_path, "pool").stderr.startswith("False ")
    assert ID in memdown(tmp_path, "search", "pool", "--json").stdout


def test_a_cold_search_loads_neither_parser_nor_dialects(project: Path) -> None:
    settle(project)
    command = [sys.executable, "-c", QUICK, "search", "pool"]
    names = subprocess.run(command, cwd=project, capture_output=True, encoding="utf-8", check=True).stderr.split()
    loaded = {name.split(".")[0] for name in names}
    assert loaded & {"click", "pathlib", "yaml", "json", "tomllib", "dataclasses", "hashlib"} == set()
    heavy = ("memdown.dialects", "memdown.memory", "memdown.acts.check.engine")
    assert not [name for name in names if name.startswith(heavy)]


@pytest.mark.parametrize("args", [(), ("--json",), ("--root", ".")], ids=" ".join)
def test_both_ways_say_the_same_of_the_index(project: Path, args: tuple[str, ...]) -> None:
    settle(project)
    script = QUICK.replace("search_at_once", "index_at_once")
    said = [
        subprocess.run(
            [sys.executable, "-c", way, "index", *args], cwd=project, capture_output=True, encoding="utf-8", check=True
        )
        for way in (script, ORDINARY)
    ]
    assert said[0].stderr.startswith("True ")
    assert "click" not in said[0].stderr.split()
    one, two = (re.sub(r"[0-9.]+ s$|(\"seconds\": )[0-9.e-]+", r"\1", each.stdout, flags=re.M) for each in said)
    assert one == two


@pytest.mark.parametrize("args", [("--rebuild",), ("extra",), ("-n", "3"), ("--watch",)], ids=" ".join)
def test_what_is_not_a_plain_look_at_the_index_is_left_to_the_ordinary_way(
    project: Path, args: tuple[str, ...]
) -> None:
    script = QUICK.replace("search_at_once", "index_at_once")
    done = forks.run(
        [sys.executable, "-c", script, "index", *args], cwd=project, capture_output=True, encoding="utf-8", check=True
    )
    assert done.stderr.startswith("False ")
    assert done.stdout == ""
