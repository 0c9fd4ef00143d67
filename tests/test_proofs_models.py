"""The model beside a project holds for what is right, and finds what is planted."""

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memdown import Memory
from memdown.dialects import DIALECTS
from proofs import acts
from proofs.models import ADDING, Machine
from test_undo import rich


@pytest.fixture(autouse=True)
def surroundings() -> Iterator[None]:
    with acts.surroundings():
        yield


def lived(root: Path, dialect: str, turns: int) -> list[str]:
    with closing(Machine(rich(root), dialect, random.Random(f"1 {dialect}"))) as machine:
        return [wrong for _ in range(turns) for wrong in machine.turn()]


def test_every_dialect_has_a_model() -> None:
    assert set(ADDING) == set(DIALECTS)


@pytest.mark.parametrize("dialect", ["cards", "sem"])
def test_a_project_is_as_its_model(tmp_path: Path, dialect: str) -> None:
    assert lived(tmp_path / "shop", dialect, 8) == []


def test_an_undo_that_does_nothing_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Memory, "undo", lambda *_: None)
    assert any("undo" in wrong for wrong in lived(tmp_path / "shop", "cards", 8))
