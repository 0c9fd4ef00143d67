"""What stands in `.memdown/` can be made again: whatever is wrong with it, an act that is done is not reported as failed.

Nor is one that failed reported as done, and a disk error is one sentence.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from test_undo import PROFILE, REVIEWS, called, rich, state

Cli = Callable[..., Ran]


def damaged(path: Path, kind: str) -> None:
    """Put something else in the place of a file or folder."""
    if path.is_dir():
        shutil.rmtree(path)
    elif path.exists():
        path.unlink()
    path.parent.mkdir(exist_ok=True)
    if kind == "folder":
        path.mkdir()
        (path / "x").write_text("x")
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to("nowhere")
    else:
        path.write_bytes(b"garbage" * 100)


DAMAGES = [
    *(("", kind) for kind in ("file", "link")),
    *((name, kind) for name in ("lock", "undo/pending") for kind in ("folder", "pipe", "link")),
    *((name, kind) for name in ("undo/000000099.step", "layers.json", "costs.tsv") for kind in ("folder", "pipe")),
    *(
        (name, "folder")
        for name in ("layers.draft", "index.db", "index.db-wal", ".gitignore", "group-0123456789abcdef/x")
    ),
    *(
        (name, "file")
        for name in ("undo", "undo/pending", "layers.json", "index.db", "group-0123456789abcdef/manifest")
    ),
]
FOCUS = ("bank", "focus", "Another")
APPEND = ("layer", "append", REVIEWS, "--content", "## Review #99\n\nOne.\n")
OTHERS: dict[str, list[tuple[str, ...]]] = {
    "": [("undo", "--list"), ("list", "pool")],
    "undo": [APPEND, ("layer", "prune"), ("install", "cursor"), ("undo",), ("undo", "--list")],
    "undo/000000099.step": [("undo",), ("undo", "--list")],
    "layers.draft": [APPEND],
    "layers.json": [
        APPEND,
        ("layer", "update", PROFILE, "--content", "# My API\n\nAnother.\n"),
        ("layer", "validate", PROFILE),
    ],
    "costs.tsv": [("cost",)],
    "index.db": [("list", "pool")],
    "lock": [("install", "cursor")],
}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
@pytest.mark.parametrize(("place", "kind"), DAMAGES)
def test_damaged_state_fails_nothing_that_is_done(cli: Cli, tmp_path: Path, place: str, kind: str) -> None:
    root, kept = Path.cwd(), tmp_path / "kept"
    rich(root)
    assert cli("bank", "state", "Good").code == 0
    shutil.copytree(root, kept)
    for call in (FOCUS, *OTHERS.get(place, ())):
        for path in root.iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        shutil.copytree(kept, root, dirs_exist_ok=True)
        damaged(Path(".memdown", place), kind)
        before = state(root)
        ran = called(cli, *call)
        said = [line for line in ran.err.splitlines() if line.startswith("memdown: ")]
        assert said == ran.err.splitlines(), (call, ran)
        if state(root) != before:
            assert ran.code == 0, (call, ran)
        elif call in (FOCUS, APPEND):
            assert ran.code in (1, 3, 4), (call, ran)
        if ran.code:
            assert said or ran.out, (call, ran)


def test_a_count_that_cannot_be_kept_is_told_and_the_entry_stands_once(cli: Cli) -> None:
    rich(Path.cwd())
    damaged(Path(".memdown/layers.json"), "folder")
    ran = cli("layer", "append", REVIEWS, "--content", "## Review #99\n\nOne.\n")
    assert ran.code == 0
    assert "the count of uses cannot be saved" in ran.err
    assert Path("memory/skills/code-review/my-api/review_history.md").read_text().count("## Review #99") == 1


def test_what_fails_after_a_write_says_that_it_is_written(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    rich(Path.cwd())
    monkeypatch.setattr("memdown.memory.sem.logs.Logs.begin", lambda *_, **__: Path("nowhere").stat())
    ran = cli("init", "--brief", "A shop.")
    assert (ran.code, Path("memory-bank/techContext.md").exists()) == (4, True)
    assert ran.err == "memdown: no such file or directory; step 1 was written anyway, and `memdown undo` reverts it.\n"


# Settings


@pytest.mark.parametrize("name", ["memdown.toml", "pyproject.toml"])
@pytest.mark.parametrize(
    ("kind", "told"), [("folder", "a folder"), ("pipe", "not an ordinary file"), ("link", "a broken link")]
)
def test_settings_that_are_no_file_are_named(cli: Cli, name: str, kind: str, told: str) -> None:
    rich(Path.cwd())
    damaged(Path(name), kind)
    before = state_without(name)
    for call in (("list",), ("search", "pool"), ("bank", "focus", "x")):
        ran = cli(*call)
        assert (ran.code, ran.out) == (4, "")
        assert f"{name} is {told}; make it a file of settings, or remove it." in ran.err
    assert cli("hook", "SessionStart", stdin='{"session_id": "s"}').code == 0
    assert state_without(name) == before


@pytest.mark.parametrize("name", ["memdown.toml", "pyproject.toml"])
def test_settings_of_many_megabytes_are_refused(cli: Cli, name: str) -> None:
    rich(Path.cwd())
    Path(name).write_text("[tool.memdown]\n" * (name == "pyproject.toml") + "#\n" * 600_000, encoding="utf-8")
    for call in (("list",), ("search", "pool"), ("bank", "focus", "x")):
        ran = cli(*call)
        assert (ran.code, ran.out) == (4, "")
        assert f"{name} has more than a megabyte" in ran.err
    assert cli("hook", "SessionStart", stdin='{"session_id": "s"}').code == 0


def state_without(name: str) -> dict[str, bytes]:
    return {path.as_posix(): path.read_bytes() for path in Path().rglob("*.md") if name not in path.parts}
