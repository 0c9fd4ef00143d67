"""Findings that the index remembers are those that a look at every file would find, whatever happened in between."""

import random
import shutil
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import pytest

from memdown import Memory
from memdown.acts import check
from memdown.acts.check import engine
from memdown.diagnostics import Diagnostic
from memdown.dialects.hollow import is_hollow
from memdown.record import ClockUse, Document
from test_rules import RULES, examples

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
NAMES = ("memories", "memory-bank", ".squad", "memory/projects/my-api", "knowledge")


def same(memory: Memory) -> None:
    """Remembered and fresh findings, of all rules and of some, are the same; so are the numbers of `status`."""
    memory.index()  # few files alone are not worth one
    for chosen in (memory.selection(), engine.Selection(select=("CRD", "SEM07")), engine.Selection(ignore=("BNK",))):
        remembered = memory.check(chosen=chosen)
        fresh = check.afresh(memory, (), chosen)
        assert remembered.diagnostics == fresh.diagnostics
        assert [each.path for each in remembered.documents] == [each.path for each in fresh.documents]
        assert [each.text for each in remembered.documents] == [each.text for each in fresh.documents]
    status = memory.status()
    fresh = check.afresh(memory, (), memory.selection())
    assert sum(status.findings.values()) == len(fresh.diagnostics)
    assert sum(each["files"] for each in status.dialects.values()) == len(fresh.documents)
    shown = sum(not is_hollow(record) for each in fresh.documents for record in each.records)
    assert sum(each["records"] for each in status.dialects.values()) == shown


@cache
def texts() -> list[tuple[str, str]]:
    """The examples of all rules, as files of one project."""
    found = []
    for number, rule in enumerate(RULES):
        for heading in ("Bad", "Good"):
            for document in examples(rule, heading):
                path = Path(document.path)
                name = f"{path.stem}-{number}.md" if path.parts[0] in ("memories", "knowledge") else path.name
                if path.parts[0] in {name.partition("/")[0] for name in NAMES}:
                    found.append((str(path.with_name(name)), document.text))
    return found


class Project:
    """A project that somebody works on at random."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root, self.random = root, random.Random(seed)
        self.now = NOW
        self.memory = Memory(root, now=lambda: self.now)

    def files(self) -> list[Path]:
        return sorted(path for path in self.root.rglob("*.md") if ".memdown" not in path.parts)

    def write(self) -> None:
        for name, text in self.random.sample(texts(), 12):
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", "surrogateescape", newline="")

    def append(self) -> None:
        for path in self.random.sample(self.files(), min(2, len(self.files()))):
            path.write_bytes(path.read_bytes() + self.random.choice(texts())[1].encode("utf-8", "surrogateescape"))

    def delete(self) -> None:
        for path in self.random.sample(self.files(), min(2, len(self.files()))):
            path.unlink()

    def copy(self) -> None:
        for path in self.random.sample(self.files(), min(2, len(self.files()))):
            target = path.with_name(f"copy-{self.random.randrange(9)}.md")
            if target != path:
                shutil.copy(path, target)

    def rename(self) -> None:
        for path in self.random.sample(self.files(), min(2, len(self.files()))):
            path.rename(path.with_name(f"other-{self.random.randrange(9)}.md"))

    def wait(self) -> None:
        self.now += timedelta(days=self.random.choice((-400, 0, 1, 40, 36_500)), minutes=self.random.randrange(2000))
        self.now = max(self.now, datetime(2000, 1, 1, tzinfo=UTC))

    def code(self) -> None:
        (self.root / "src").mkdir(exist_ok=True)
        for name in ("auth.ts", "login.ts"):
            path = self.root / "src" / name
            path.unlink() if path.exists() else path.write_text("code\n")

    def settings(self) -> None:
        text = self.random.choice(("", "[layers]\nmax-lines = 2\n", '[check]\nignore = ["SEM"]\n', "[layers]\n"))
        (self.root / "memdown.toml").write_text(text)
        self.memory.close()
        self.memory = Memory(self.root, now=lambda: self.now)

    def forget(self) -> None:
        self.memory.close()
        shutil.rmtree(self.root / ".memdown")


@pytest.mark.parametrize("seed", range(1))
def test_findings_are_those_of_a_fresh_look_after_changes_at_random(tmp_path: Path, seed: int) -> None:
    project = Project(tmp_path, seed)
    project.write()
    acts: list[Callable[[], None]] = [
        *(project.write, project.append, project.delete, project.copy, project.rename, project.wait),
        *(project.code, project.settings, project.forget),
    ]
    for _ in range(8):
        same(project.memory)
        project.random.choice(acts)()
    same(project.memory)
    project.memory.close()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 160))
def test_findings_are_those_of_a_fresh_look_after_many_changes(tmp_path: Path, seed: int) -> None:
    test_findings_are_those_of_a_fresh_look_after_changes_at_random(tmp_path, seed)


def test_nothing_is_read_again_when_nothing_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = Project(tmp_path, 7)
    project.write()
    (tmp_path / "memdown.toml").write_text("")
    project.memory.index()
    before = project.memory.check()
    looked: list[int] = []
    plain = engine.check

    def counted(documents: Sequence[Document], chosen: engine.Selection, **more: bool) -> list[Diagnostic]:
        looked.append(len(documents))
        return plain(documents, chosen, **more)

    monkeypatch.setattr(engine, "check", counted)
    assert project.memory.check().diagnostics == before.diagnostics
    assert not looked
    path = project.files()[0]
    path.write_text(path.read_text("utf-8") + "\nAnother line.\n")
    project.memory.check()
    assert 1 <= len(looked) <= 2  # the file, and the comparison of those of its dialect
    project.memory.close()


@pytest.mark.parametrize(("name", "most"), [("_AT_ONCE", 1), ("_AT_ONCE", 2), ("_HELD", 1), ("_HELD", 300)])
def test_findings_do_not_depend_on_how_many_files_are_looked_at_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, most: int
) -> None:
    project = Project(tmp_path, 11)
    project.write()
    monkeypatch.setattr(check.remembered, name, most)
    same(project.memory)
    project.memory.close()


def test_a_rule_asks_the_clock_for_what_lasts() -> None:
    """A rule that takes the time itself is looked for anew in every file; see `Document.is_past` and `today`."""
    for rule in RULES:
        for document in examples(rule, "Good"):
            document.clock_use = ClockUse()
            engine.check([document], engine.Selection(select=(rule.code,)))
            assert not document.clock_use.other, rule.code


def test_findings_of_another_copy_of_the_index_do_not_count(tmp_path: Path) -> None:
    """A clone that brings an index along brings no verdict."""
    project = Project(tmp_path / "one", 11)
    (tmp_path / "one").mkdir()
    project.write()
    project.memory.index()
    wrong = project.memory.check().diagnostics
    assert wrong
    connection = project.memory.indexed().connection
    connection.execute("update checked set errors = 0, warnings = 0, infos = 0, loud = null, quiet = null")
    connection.execute("update compared set errors = 0, warnings = 0, infos = 0, loud = null, quiet = null")
    assert project.memory.check().diagnostics == []  # this is what would be believed
    project.memory.close()
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    (tmp_path / "two" / "memdown.toml").write_text("")  # the settings are another file now, not another text
    with Memory.open(tmp_path / "two") as memory:
        same(memory)
        assert memory.check().diagnostics


def test_an_edit_of_the_clock_is_seen_at_its_minute(tmp_path: Path) -> None:
    now = datetime(2026, 1, 31, 23, 59, tzinfo=UTC)
    text = "---\nid: 3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b\nexpires: '2026-02-01T00:00:00Z'\n---\n\nSome text here.\n"
    (tmp_path / "memories").mkdir()
    (tmp_path / "memories" / "a.md").write_text(text)
    moments = [now]
    with Memory(tmp_path, now=lambda: moments[-1]) as memory:
        memory.index()
        codes = [[each.code for each in memory.check()]]
        moments.append(now + timedelta(minutes=1))
        codes.append([each.code for each in memory.check()])
        moments.append(now)
        codes.append([each.code for each in memory.check()])
    assert ["CRD053" in each for each in codes] == [False, True, False]
