"""The demo and its tours: every step works, and leaves nothing behind."""

import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from memdown.surfaces.cli.demo import TOURS

Cli = Callable[..., Ran]


@pytest.mark.parametrize("tour", [None, *TOURS])
def test_every_step_of_a_tour_works(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tour: str | None
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    told = cli("demo", *(("--tour", tour) if tour else ()))
    assert told.code == 0, told
    assert len(re.findall(r"^# ", told.out, re.M)) >= 3
    assert [*tmp_path.glob("memdown-demo-*")] == []
    assert not re.search(r"\[[A-Z][\w ]+\]$", told.out, re.M)  # a placeholder is never told as a fact


def test_what_was_decided_is_recalled_in_another_session(cli: Cli) -> None:
    told = cli("demo").out
    asked = told.index("Where should I store")
    assert "Sessions live in Redis (.squad/decisions.md:3)" in told[asked:]
    assert "All checks passed (2 files)." in told
    assert "Undid step" in told
    assert len(told.splitlines()) <= 60


def test_the_sample_project_is_kept_when_asked_for(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert cli("demo", "--keep").code == 0
    [folder] = tmp_path.glob("memdown-demo-*")
    assert (folder / ".squad/decisions.md").is_file()
