"""The proofs themselves: they cover what there is, what they found stays mended, and they can fail."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from memdown.dialects import DIALECTS
from memdown.markdown import formats
from memdown.surfaces.cli import COMMANDS
from proofs import acts, attacks, doubling, fuzz, mutants, planted
from samples import put

KEPT: list[tuple[str, str, str]] = [
    ("front matter", "memories/3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b.md", "---\ne:"),
    ("secrets", "notes.md", "ghp_Rk2LmX9vTz4swordMiIsIm5hbWUiOiJKbyJ9.BjftJeZ4CVP-mB9"),
    ("settings", "", f"a = {'9' * 5000}"),
    ("settings", "", f"a = {'[' * 5000}"),
]
"""What was found, as it is printed."""


@pytest.fixture(autouse=True)
def surroundings() -> Iterator[None]:
    with acts.surroundings():
        yield


@pytest.mark.parametrize(("target", "path", "text"), KEPT)
def test_what_was_found_stays_mended(target: str, path: str, text: str) -> None:
    fuzz.replay(target, path, text)


def test_every_dialect_and_format_is_a_target() -> None:
    names = fuzz.targets()
    assert {f"{what} {dialect}" for dialect in DIALECTS for what in ("read", "fix")} <= set(names)
    assert sum(name.startswith("read_") for name in vars(formats)) == len(
        {"read json", "read toml", "read xml", "read yaml"} & set(names)
    )


def test_a_fault_is_found_by_coverage_and_made_short(monkeypatch: pytest.MonkeyPatch) -> None:
    def hold(sample: fuzz.Sample) -> None:
        if "|" in sample.text and "(" in sample.text:
            raise KeyError("planted")

    target = fuzz.Target(lambda: [fuzz.Sample("", "some words\nof a text\n" * 3)], hold)
    monkeypatch.setattr(fuzz, "targets", lambda: {"toy": target})
    found = fuzz.explore("toy", 1, 60, most=2000)
    assert len(found.failures) == 1
    assert found.failures[0].endswith(("('toy', '', '|('),", "('toy', '', '(|'),"))
    assert found.tried > 10


@pytest.mark.parametrize(
    ("pattern", "method", "is_linear"),
    [
        (r"\s*x$", "search", False),
        (r"(?<!\s)\s*x$", "search", True),
        (r"[ab]*-[ab-]*", "fullmatch", True),
        (r"[ab-]*-[ab-]*", "fullmatch", False),
    ],
)
def test_a_pattern_is_judged_by_strings_of_its_own(pattern: str, method: str, is_linear: bool) -> None:
    tried, failures, _ = doubling._tried(doubling.Use("here", pattern, 0, (method,)), 1, 1.0)
    assert tried
    assert (failures == []) is is_linear, failures


def test_every_command_is_shown_on_a_terminal() -> None:
    assert {args[0] for args in attacks.showings()} | set(attacks.ALONE) == set(COMMANDS)


def test_mutants_are_one_line_each() -> None:
    chosen = [*mutants.mutants("text.py"), *mutants.mutants("store/locks.py")]
    assert len(chosen) > 80
    for mutant in chosen:
        assert mutant.old != mutant.new
        lines = (mutants.SOURCE / mutant.file).read_text("utf-8").split("\n")
        assert lines[mutant.line - 1] == mutant.old


def test_every_room_with_mutants_has_tests() -> None:
    assert len(mutants.files()) > 50
    for file in mutants.files():
        assert all((mutants.ROOT / test).is_file() for test in mutants.tests_of(file))


def test_explained_mutants_are_mutants() -> None:
    for known in mutants.explained():
        assert any(mutant.known_as() == known for mutant in mutants.mutants(known[0])), known


@pytest.mark.slow
def test_a_test_that_fails_once_finds_no_mutant(tmp_path: Path) -> None:
    copy = mutants.Copy(tmp_path / "copy")
    mutant = next(mutants.mutants("store/jail.py"))
    for test in mutants.tests_of(mutant.file):
        put(copy.folder, test, "")
    put(copy.folder, "tests/test_store_jail.py", _FAILS_ONCE)
    assert copy.judge([mutant]) == [""]
    assert len((copy.folder / "asked").read_text()) == 4  # without it, with it, without it, with it


_FAILS_ONCE = """
from pathlib import Path

from memdown.store import jail

def test_fails_once():
    jail._joined("a", "b")
    with Path("asked").open("a") as asked:
        asked.write(".")
    assert len(Path("asked").read_text()) != 2
"""


@pytest.mark.parametrize("fault", planted.faults(), ids=lambda fault: fault.what)
def test_a_planted_fault_fits_the_source(fault: planted.PlantedFault) -> None:
    assert (mutants.SOURCE / fault.file).read_text("utf-8").count(fault.old) == 1
    compile((mutants.SOURCE / fault.file).read_text("utf-8").replace(fault.old, fault.new), fault.file, "exec")


def test_hostile_strings_come_from_the_pattern() -> None:
    made = [*doubling.hostile(r"## (?P<name>[^\r\n]+?)[ \t]*$", 0)]
    assert ("## ", " ") in made
    assert random.Random(1).choice(made)
