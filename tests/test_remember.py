"""One way to remember: a text, and what nobody gave is guessed and said."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from memdown import Memory
from samples import put

Cli = Callable[..., Ran]
LOG = ".squad/decisions.md"


@pytest.fixture(autouse=True)
def who(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    config = put(tmp_path_factory.mktemp("git"), "config", "[user]\n\tname = Ann Lee\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.delenv("MEMDOWN_AUTHOR", raising=False)


@pytest.mark.parametrize(
    ("said", "options", "kind"),
    [
        ("Trailers are lazy", ("--why", "Body first"), "decision"),
        ("Use SQLite for the index", (), "decision"),
        ("We decided to keep one file", (), "decision"),
        ("Never deploy on a Friday", (), "directive"),
        ("Turns out the cache was cold", (), "memory"),
        ("The pool has 10 connections", (), "note"),
        ("The pool has 10 connections", ("--kind", "decision"), "decision"),
    ],
)
def test_the_kind_is_guessed_from_words_and_options(cli: Cli, said: str, options: tuple[str, ...], kind: str) -> None:
    put(Path.cwd(), LOG, "# Decisions\n")
    done = cli("add", said, *options, "--json").json()
    assert done["kind"] == kind
    assert any(each.startswith(f"kind: {kind} (") for each in done["guessed"]) == ("--kind" not in options)
    assert "author: Ann Lee (from git)" in done["guessed"]
    record = cli("show", done["id"], "--json").json()
    assert (record["title"], record["kind"], record["author"]) == (said, kind, "Ann Lee")


def test_it_is_written_where_the_project_keeps_that_kind(cli: Cli) -> None:
    put(Path.cwd(), "memory-bank/decisionLog.md", "# Decision Log\n")
    put(Path.cwd(), "memory-bank/progress.md", "# Progress\n\n## In Progress\n")
    assert cli("add", "Trailers are lazy", "--why", "Body first", "--json").json()["path"].endswith("decisionLog.md")
    assert cli("add", "TODO: write docs", "--json").json()["path"].endswith("progress.md")
    fact = cli("add", "The pool has 10 connections", "--json").json()
    assert (fact["kind"], fact["path"]) == ("note", "memory-bank/notes.md")
    assert "write docs" in (Path.cwd() / "memory-bank/progress.md").read_text("utf-8")


def test_options_are_called_the_same_with_a_kind_as_without(cli: Cli) -> None:
    put(Path(), ".squad/decisions.md", "# Decisions\n")
    cli("add", "decision", "Use SQLite", "--why", "No server to run", "--author", "Ann")
    cli("add", "memory", "Locks are advisory", "--content", "On NFS too.", "--author", "Ann")
    (memory,) = cli("list", "kind:memory", "--json").json()
    assert "No server to run" in Path(LOG).read_text("utf-8")
    assert "On NFS too." in Path(memory["path"]).read_text("utf-8")


def test_what_was_guessed_is_said(cli: Cli) -> None:
    ran = cli("add", "Pool", "size", "is", "10")
    assert ran.err.startswith("memdown: Guessed kind: card (")
    assert cli("add", "decison", "Use SQLite").err.startswith(
        "memdown: There is no kind 'decison'; did you mean decision?"
    )
    assert "Options go after the kind" in cli("add", "--root", ".", "decision", "Use SQLite").err
    assert cli("add", "card", "Build needs Node 20", "--content", "Node 20 or newer.").code == 0


def test_a_word_that_is_no_kind_is_told(cli: Cli) -> None:
    ran = cli("add", "error", "The pool ran dry")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith("Errors are added with `memdown error add`.\n")
    ran = cli("add", "pattern", "Ports and adapters")
    assert (ran.code, ran.out.rstrip().endswith("pattern Ports and adapters")) == (0, True)
    assert "There is no kind 'pattern', so it became part of the text; kinds are card, decision, directive," in ran.err
    assert "no kind" not in cli("add", "Use", "SQLite").err
    assert "no kind" not in cli("add", "error handling is central").err


def test_a_long_text_has_a_title_and_is_kept_whole(cli: Cli) -> None:
    put(Path.cwd(), LOG, "# Decisions\n")
    text = "The import reads sheets one by one. " + "It is slow, and nobody minds so far. " * 5
    record = cli("show", cli("add", text, "--json").json()["id"], "--json").json()
    assert record["title"] == "The import reads sheets one by one"
    assert " ".join(text.split()) in " ".join(str(record).split())


def test_text_of_options_comes_from_files_and_standard_input(cli: Cli) -> None:
    put(Path.cwd(), "note.md", "From a file.\n")
    for given in ("@note.md", "@ann is away"):
        done = cli("add", "card", "Where", "--content", given, "--json").json()
        body = cli("show", done["id"], "--json").json()["body"]
        assert body == ("From a file." if given == "@note.md" else given)
    assert cli("add", "card", "Where", "--content", "@nowhere.md").code == 4
    script = "import sys; from memdown.surfaces.cli import run; sys.exit(run(sys.argv[1:]))"
    command = [sys.executable, "-c", script, "add", "--json", "-"]
    done = subprocess.run(command, input="Piped in, all of it", capture_output=True, text=True, check=True)
    assert "Piped in" in cli("list").out
    assert "guessed" in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals are of POSIX systems")
def test_without_a_text_an_editor_opens_on_a_terminal(tmp_path: Path) -> None:
    from test_terminal import on_terminal  # noqa: PLC0415 - which is not there on Windows

    editor = put(
        tmp_path,
        "editor.py",
        "import sys, pathlib; p = pathlib.Path(sys.argv[1]); p.write_text('Use files\\n' + p.read_text())",
    )
    put(tmp_path, "memory-bank/decisionLog.md", "# Decision Log\n")
    shown = on_terminal(["-m", "memdown", "add"], tmp_path, EDITOR=f'"{sys.executable}" "{editor}"', VISUAL="")
    assert "Use files" in shown
    assert "kind: decision" in shown
    assert "Nothing to add" in on_terminal(["-m", "memdown", "add"], tmp_path, EDITOR="", VISUAL="")


def test_the_library_remembers_too(tmp_path: Path) -> None:
    memory = Memory.open(str(tmp_path))
    added = memory.remember("Trailers are lazy", why="Body first", related=["issue: #18"], kind="decision")
    assert (added.record.kind, added.record.title) == ("decision", "Trailers are lazy")
