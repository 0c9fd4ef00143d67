"""What every test may ask for."""

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from memdown.surfaces.cli import run

CORPUS = Path(os.environ.get("MEMDOWN_CORPUS", Path(__file__).parents[2] / "shared" / "corpus"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the long forms too: fuzzing, crashes, races")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("corpus") and not CORPUS.is_dir():
            item.add_marker(pytest.mark.skip(reason="the corpus of real files is not here"))
        if item.get_closest_marker("slow") and not config.getoption("--slow"):
            item.add_marker(pytest.mark.skip(reason="runs with --slow"))


@pytest.fixture(scope="session")
def corpus() -> list[Path]:
    """Every real memory file, in a stable order."""
    return sorted(path for path in CORPUS.rglob("*") if path.is_file() and path.suffix != ".bin")


class Ran(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Runs a command in an empty project, in this process."""
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    monkeypatch.setenv("MEMDOWN_NOW", "2026-02-01T12:00:00Z")

    def run_in_project(*args: str, stdin: str = "") -> Ran:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode("utf-8", "surrogateescape"))))
        capsys.readouterr()
        code = run(list(args))
        return Ran(code, *capsys.readouterr())

    return run_in_project
