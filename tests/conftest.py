"""What every test may ask for."""

import os
from pathlib import Path

import pytest

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
