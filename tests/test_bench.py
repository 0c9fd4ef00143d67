"""The benchmark can be run: corpora are the same everywhere, rows and the page are made, retrieval is scored."""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

BENCH = Path(__file__).parents[1] / "bench"


@pytest.fixture
def suite(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    """The modules of the suite, which are not part of memdown."""
    monkeypatch.syspath_prepend(str(BENCH))
    yield {name: importlib.import_module(f"suite.{name}") for name in ("corpora", "page", "retrieval", "timing")}
    for name in [name for name in sys.modules if name.split(".")[0] in ("suite", "index", "locomo")]:
        del sys.modules[name]


def test_corpora_are_the_same_every_time(suite: dict[str, ModuleType], tmp_path: Path) -> None:
    texts = []
    for name in ("one", "two"):
        root = suite["corpora"].notes(tmp_path / name, 5)
        suite["corpora"].bank(root)
        suite["corpora"].log(root, 0.01)
        texts.append([(str(each.relative_to(root)), each.read_bytes()) for each in sorted(root.rglob("*.md"))])
    assert texts[0] == texts[1]
    assert len(texts[0]) == 5 + 7 + 1


def test_subjects_take_turns_and_growth_is_measured(suite: dict[str, ModuleType]) -> None:
    timing, turns = suite["timing"], list[str]()
    taken = timing.interleaved({"a": lambda: turns.append("a"), "b": lambda: turns.append("b")}, 2, warm=1)
    assert turns == ["a", "b"] * 3
    assert [len(each.times) for each in taken.values()] == [2, 2]
    assert timing.exponent({100: 1.0, 1000: 10.0, 10_000: 100.0}) == pytest.approx(1.0)
    assert timing.exponent({100: 2.0, 10_000: 2.0}) == pytest.approx(0.0)
    assert timing.exponent({100: 2.0}) is None


def test_the_page_has_every_row_and_a_chart_of_what_grows(suite: dict[str, ModuleType], tmp_path: Path) -> None:
    timing = suite["timing"]

    def row(notes: int, ours: float) -> object:
        taken = {"stat scan": timing.Taken((0.01, 0.012)), "memdown": timing.Taken((ours, ours * 1.1))}
        return timing.Row("cold search", notes, taken, "stat scan", 4.5)

    path = suite["page"].write(tmp_path, [row(0, 0.02), row(100, 0.02), row(1000, 0.04)], (), (), "bench/run", 0.5)
    text = path.read_text("utf-8")
    assert "| cold search | 1,000 | stat scan | 11.0 ms |" in text
    assert "| 4.00 (goal 4.5) |" in text
    assert "| cold search | memdown | 0.30 |" in text
    chart = (tmp_path / "benchmarks" / "cold-search.svg").read_text("utf-8")
    assert chart.count("<polyline") == 2


def test_longmemeval_is_scored_by_both_definitions(suite: dict[str, ModuleType], tmp_path: Path) -> None:
    """A tiny file of the published form."""
    talks = {
        "s1": "I moved the vineyard to Porto last spring.",
        "s2": "My violin teacher is called Amadeu.",
        "s3": "The ferry to Porto leaves at nine.",
    }
    questions = [
        {"question_id": "q1", "question": "Where is the vineyard?", "answer_session_ids": ["s1"]},
        {
            "question_id": "q2",
            "question": "Which ferry goes where the vineyard is?",
            "answer_session_ids": ["s1", "s3"],
        },
        {"question_id": "q3_abs", "question": "Who is my doctor?", "answer_session_ids": ["s2"]},
    ]
    shared = {
        "haystack_session_ids": list(talks),
        "haystack_dates": ["2023/05/20 (Sat) 02:21"] * 3,
        "haystack_sessions": [[{"role": "user", "content": text}] for text in talks.values()],
    }
    path = tmp_path / "longmemeval_s.json"
    path.write_text(json.dumps([{**each, **shared} for each in questions]), "utf-8")
    found = suite["retrieval"].longmemeval(path)
    assert set(found) == {"grep", "plain BM25", "memdown search"}
    assert [tuple(each) for each in found["memdown search"]] == [(True, True, True, True)] * 2
    assert tuple(suite["retrieval"].recall(["s1", "s2"], {"s1", "s3"})) == (True, False, True, False)
    assert "| memdown search | 1.000 | 1.000 | 1.000 | 1.000 | 2 |" in suite["retrieval"].longmemeval_table(path)


@pytest.mark.slow
def test_the_smoke_run_measures_every_row(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "suite", "--smoke"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(BENCH)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for work in ("cold: search", "hook: UserPromptSubmit", "full index", "MCP: search, warm", "merge of a 1 MB log"):
        assert work in done.stdout


@pytest.mark.parametrize("script", sorted(each.name for each in [*BENCH.glob("*.py"), BENCH / "suite"]))
def test_every_script_says_how_it_is_called(script: str) -> None:
    called = subprocess.run(
        [sys.executable, str(BENCH / script), "--help"],
        env={**os.environ, "PYTHONPATH": str(BENCH)},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (called.returncode, called.stderr) == (0, "")
    assert called.stdout.startswith("usage: ")
