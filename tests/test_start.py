"""A cold start costs what it needs and no more. Counted in modules, which are the same on every machine."""

import subprocess
import sys
from pathlib import Path

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


def test_version_imports_nothing_heavy() -> None:
    assert loaded_by("--version") & HEAVY == set()


def test_help_does_not_load_the_engine() -> None:
    loaded = loaded_by("--help")
    assert "click" in loaded
    assert loaded & {"asyncio", "dataclasses", "msgspec", "sqlite3", "yaml", "importlib.metadata"} == set()


def test_ordinary_cards_do_not_need_pyyaml(tmp_path: Path) -> None:
    put(tmp_path, f"memories/{ID}.md", CARD)
    loaded = loaded_by("status", "--root", str(tmp_path))
    assert "msgspec" in loaded
    assert "yaml" not in loaded
