"""A cold start costs what it needs and no more. Counted in modules, which are the same on every machine."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memdown.memory import Memory
from samples import CARD, ID, put

HEAVY = {"asyncio", "click", "dataclasses", "json", "logging", "msgspec", "pathlib", "re", "sqlite3", "typing", "yaml"}


def loaded_by(*args: str) -> set[str]:
    """The top-level modules that a command has imported when it ends."""
    script = (
        "import atexit, sys; atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr));"
        f"sys.argv = ['memdown', *{args!r}]; from memdown.__main__ import main; main()"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True, check=False)
    if "No module named 'memdown'" in done.stderr:  # without site, an editable install is not on the path
        paths = f"import sys; sys.path[:0] = {[path for path in sys.path if path]!r};"
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", paths + script], capture_output=True, text=True, check=False
        )
    return {name.split(".")[0] for name in done.stderr.split()}


def loaded_by_hook(root: Path, event: str) -> set[str]:
    """Every module that a hook has imported when it ends."""
    given = json.dumps(
        {"cwd": str(root), "prompt": "the pool", "transcript_path": str(root / "t.jsonl"), "session_id": event}
    )
    paths = f"import sys; sys.path[:0] = {[path for path in sys.path if path]!r}; sys.argv = ['memdown', 'hook', {event!r}];"
    script = "import atexit; atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr)); from memdown.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", paths + script], input=given, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    return set(done.stderr.split())


TOO_HEAVY = HEAVY - {"re", "sqlite3"} | {"uuid", "tomllib", "subprocess", "tempfile", "inspect", "argparse"}
"""What no hook may wait for. `re` is there in any case, since the console script of pip imports it."""


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
def test_hooks_that_speak_load_next_to_nothing(tmp_path: Path, event: str) -> None:
    put(tmp_path, f"memories/{ID}.md", CARD)
    put(tmp_path, "memory-bank/activeContext.md", "## Current Focus\nThe pool.\n")
    time.sleep(0.1)  # until a change would show
    Memory(tmp_path).index()
    loaded = loaded_by_hook(tmp_path, event)
    assert "sqlite3" in loaded
    assert (
        loaded
        & (
            TOO_HEAVY
            | {"hashlib", "threading", "memdown.settings.config", "memdown.dialects", "memdown.acts.capture.keep"}
        )
        == set()
    )
    assert {name for name in loaded if name.startswith("memdown.")} <= {
        "memdown.__main__",
        *(f"memdown.{name}" for name in "acts clock errors homes lazy limits patterns".split()),
        *(f"memdown.acts.{name}" for name in ("brief", "brief.since", "recall", "recall.triggers")),
        *(
            f"memdown.index{name}"
            for name in ("", ".hook_state", ".inflections", ".lookup", ".rank", ".schema", ".sqlite", ".standing")
        ),
        *(
            f"memdown.index.{name}"
            for name in ("git_output", "stopwords", "sync", "sync.scan", "terms", "untrue", "words")
        ),
        *(f"memdown.markdown{name}" for name in ("", ".fence", ".tokens")),
        *(f"memdown.settings{name}" for name in ("", ".defaults")),
        *(f"memdown.store{name}" for name in ("", ".ledger", ".state")),
        *(f"memdown.surfaces{name}" for name in ("", ".hooks")),
    }


def test_a_hook_that_reads_further_loads_little_more(tmp_path: Path) -> None:
    put(tmp_path, f"memories/{ID}.md", CARD)
    put(tmp_path, "AGENTS.md", "## Pools\nThe pool is drained at night.\n")
    time.sleep(0.1)
    Memory(tmp_path).search("pool", wide=True)
    loaded = loaded_by_hook(tmp_path, "UserPromptSubmit")
    assert {"memdown.acts.recall.beyond", "memdown.index.elsewhere"} <= loaded
    assert loaded & (TOO_HEAVY | {"hashlib", "threading", "memdown.settings.config", "memdown.dialects"}) == set()
    assert loaded & {"memdown.index.kept", "memdown.sources", "memdown.secrets", "socket"} == set()


@pytest.mark.parametrize("event", ["Stop", "PreCompact", "SessionEnd"])
def test_hooks_that_keep_do_not_load_the_engine(tmp_path: Path, event: str) -> None:
    said = {"type": "assistant", "message": {"id": "m", "content": "The pool is\nof size 10."}}
    put(tmp_path, "t.jsonl", json.dumps(said) + "\n")
    put(tmp_path, f"memories/{ID}.md", CARD)
    Memory(tmp_path).index()
    loaded = loaded_by_hook(tmp_path, event)
    assert len(list((tmp_path / "memories").iterdir())) == 2
    assert loaded & (TOO_HEAVY - {"pathlib"}) == set()
    assert not {
        name
        for name in loaded
        if name.startswith(("memdown.dialects", "memdown.memory", "memdown.settings.config", "memdown.record"))
    }


def test_version_imports_nothing_heavy() -> None:
    assert loaded_by("--version") & HEAVY == set()


@pytest.mark.parametrize("module", ["memdown.surfaces.quick", "memdown.surfaces.cli", "msgspec"])
def test_an_interrupt_while_it_starts_is_told_in_a_line(tmp_path: Path, module: str) -> None:
    script = f"""
import sys
class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.path[:0] = {[path for path in sys.path if path]!r}
sys.meta_path.insert(0, Interrupted())
sys.argv = ["memdown", "search", "the", "--root", {str(tmp_path)!r}, "--mode", "code"]
from memdown.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "memdown: interrupted.\n")


def test_help_does_not_load_the_engine() -> None:
    loaded = loaded_by("--help")
    assert "click" in loaded
    assert loaded & {"asyncio", "dataclasses", "msgspec", "sqlite3", "yaml", "importlib.metadata"} == set()


def test_ordinary_cards_do_not_need_pyyaml(tmp_path: Path) -> None:
    put(tmp_path, f"memories/{ID}.md", CARD)
    loaded = loaded_by("status", "--root", str(tmp_path))
    assert "msgspec" in loaded
    assert "yaml" not in loaded
