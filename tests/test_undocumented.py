"""Files of code that matter and that memory does not name."""

from pathlib import Path

import pytest

from memdown.evidence.imports import importers
from samples import put
from test_verify import Cli, commit, repository, says

__all__ = ["repository"]


@pytest.fixture
def code(repository: Path) -> Path:
    """Files that change often, one that many import, and some that do not matter."""
    put(repository, "src/core.py", "def run_all() -> None: ...\n")
    for name in ("one", "two", "three"):
        put(repository, f"src/{name}.py", "from src.core import run_all\n")
    put(repository, "src/tests/test_core.py", "from src.core import run_all\n")
    put(repository, "README.md", "x\n")
    commit("Begin")
    for number in range(5):
        for name in ("src/busy.py", "src/tests/test_busy.py", "README.md"):
            put(repository, name, f"NUMBER = {number}\n")
        commit(f"Change {number}")
    return repository


def listed(cli: Cli) -> dict[str, list[str]]:
    return {each["path"]: each["why"] for each in cli("undocumented", "--json").json()}


@pytest.mark.usefixtures("code")
def test_what_changes_often_and_what_many_import(cli: Cli) -> None:
    says("Nothing of the code.")
    assert listed(cli) == {
        "src/core.py": ["imported by 3 files"],
        "src/busy.py": ["changed 5 times in a year"],
    }
    assert cli("undocumented").out.splitlines() == [
        "src/core.py  imported by 3 files",
        "src/busy.py  changed 5 times in a year",
    ]
    assert cli("undocumented", "--limit", "1").err == "memdown: 1 file left out; use --limit 2 to see all.\n"


@pytest.mark.usefixtures("code")
@pytest.mark.parametrize("line", ["`src/busy.py` and `src/core.py`", "`src/` holds it", "`run_all()` and `busy.py:1`"])
def test_what_memory_names_is_documented(cli: Cli, line: str) -> None:
    says(line)
    assert listed(cli) == {}
    assert (
        cli("undocumented").err
        == "memdown: No undocumented files found; `memdown undocumented --help` says what counts.\n"
    )


def test_a_decision_that_is_over_leaves_its_files_undocumented(cli: Cli, code: Path) -> None:
    text = "# Decision Log\n\n## Decision 1: Use one\n**Status**: {}\n\n### Context\nAll is in `src/one.py` and `src/core.py`.\n"
    put(code, "memory-bank/decisionLog.md", text.format("Accepted"))
    assert [*listed(cli)] == ["src/busy.py"]
    put(code, "memory-bank/decisionLog.md", text.format("Deprecated"))
    over = "named in 1 decision no longer in force"
    assert listed(cli)["src/one.py"] == [over]
    assert listed(cli)["src/core.py"] == ["imported by 3 files", over]


def test_without_git_only_imports_count(cli: Cli) -> None:
    put(Path.cwd(), "lib/index.js", "module.exports = 1\n")
    for name in ("a", "b", "c"):
        put(Path.cwd(), f"{name}.js", 'const lib = require("./lib")\n')
    says("Nothing of the code.")
    assert listed(cli) == {"lib/index.js": ["imported by 3 files"]}


@pytest.mark.parametrize(
    ("file", "line", "counts"),
    [
        ("lib/pool.py", "from lib.pool import take", True),
        ("lib/pool.py", "import lib.pool", True),
        ("lib/__init__.py", "from lib import pool", True),
        ("lib/__init__.py", "from lib.pool import take", False),
        ("src/pool.ts", "import { take } from './pool'", True),
        ("src/pool.ts", "export { take } from '../src/pool.js'", True),
        ("src/pool.rs", "use crate::db::pool::Pool;", True),
        ("src/Pool.java", "import com.example.Pool;", True),
        ("src/pool.h", '#include "db/pool.h"', True),
        ("src/pool.py", "print('pool')", False),
    ],
)
def test_which_lines_import_a_file(tmp_path: Path, file: str, line: str, counts: bool) -> None:
    put(tmp_path, file, "x\n")
    put(tmp_path, "src/other.txt", f"{line}\n")
    assert importers(tmp_path, [file, "src/other.txt"])[file] == counts
