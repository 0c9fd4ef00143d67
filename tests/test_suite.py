"""The suite itself: the same run every time, and every Python of the machine is found."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))

import all_pythons

HERE = Path(__file__).parent


def collected(*args: str) -> list[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *args]
    done = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=False)
    return [line for line in done.stdout.splitlines() if "::" in line]


def test_examples_are_the_same_every_time(request: pytest.FixtureRequest) -> None:
    fresh = request.config.getoption("--slow") or request.config.getoption("--hypothesis-seed")
    assert settings.default
    assert settings.default.derandomize is not bool(fresh)


def test_a_sample_has_tests_of_every_file() -> None:
    files = ("tests/test_text.py", "tests/test_times.py")
    whole, some = collected(*files), collected(*files, "--sample", "10")
    for name in files:
        own = [each for each in whole if each.startswith(name)]
        assert [each for each in some if each.startswith(name)] == own[::10]


def test_every_python_is_found_once() -> None:
    found = all_pythons.pythons()
    versions = [python.version for python in found]
    assert versions == sorted(set(versions))
    assert all(version >= (3, 11, 0) for version in versions)
