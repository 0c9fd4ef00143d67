"""A bank compared with the repository around it: commits, lock files, paths. Told by `check` and by `validate`."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran, some
from memdown import Memory
from memdown.acts.check import engine
from memdown.dialects import parse
from memdown.record import Statement
from memdown.text import decode
from samples import put
from test_bank_memory import git

Cli = Callable[..., Ran]
ACTIVE = "memory-bank/activeContext.md"
TECH = "memory-bank/techContext.md"
PATTERNS = "memory-bank/systemPatterns.md"


def found(cli: Cli, code: str) -> list[str]:
    """Messages of one rule, which both commands tell."""
    checked = [each for each in cli("check", "--json").json() if each["code"] == code]
    validated = [each for each in cli("validate", "--json").json()["findings"] if each["code"] == code]
    assert checked == validated
    return [each["message"] for each in checked]


@pytest.fixture
def repository(cli: Cli) -> Path:  # noqa: ARG001 - it makes the folder
    """A project with a bank and a source file, in git."""
    root = Path.cwd()
    put(root, ACTIVE, "# Active Context\n\n## Current Focus\nThe import.\n")
    put(root, "src/app/main.py", "x = 1\n")
    git(root, "init", "-q")
    commit(root)
    return root


def commit(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "x")


# Commits


def test_commits_of_code_after_the_active_context_are_counted(cli: Cli, repository: Path) -> None:
    assert found(cli, "BNK058") == []
    for number in range(3):
        put(repository, "src/app/main.py", f"x = {number + 2}\n")
        commit(repository)
    assert found(cli, "BNK058") == [
        "3 commits changed the code since activeContext.md was last changed; update it: `memdown update --draft`."
    ]
    put(repository, ACTIVE, "# Active Context\n\n## Current Focus\nThe export.\n")
    commit(repository)
    assert found(cli, "BNK058") == []


def test_commits_of_memory_do_not_count(cli: Cli, repository: Path) -> None:
    put(repository, "memory-bank/progress.md", "# Progress\n")
    commit(repository)
    assert found(cli, "BNK058") == []


def test_without_git_nothing_is_said_of_commits(cli: Cli) -> None:
    put(Path.cwd(), ACTIVE, "# Active Context\n\n## Current Focus\nThe import.\n")
    assert found(cli, "BNK058") == []


def test_a_lost_decision_is_told_by_check_too(cli: Cli, repository: Path) -> None:
    cli("bank", "add-decision", "Use SQLite")
    commit(repository)
    put(repository, "memory-bank/decisionLog.md", "# Decision Log\n")
    assert found(cli, "BNK037") == [
        "The decision 'Use SQLite' of the last commit is gone; the log is append-only, so restore it."
    ]
    assert cli("check", "--ignore", "BNK037", "--json").json() == [
        each for each in cli("check", "--json").json() if each["code"] != "BNK037"
    ]


# Versions

LOCK = {
    "packages": {
        "": {"dependencies": {"react": "^18.2.0", "@scope/thing": "1.0.0"}},
        "node_modules/react": {"version": "18.3.1"},
        "node_modules/@scope/thing": {"version": "1.0.4"},
    }
}
MANIFEST = {"name": "x", "dependencies": {"react": "^18.2.0", "@scope/thing": "1.0.0"}}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("- React 18", None),
        ("- React 18.3.1", None),
        ("- **React**: v18.3", None),
        ("- react@18.x", None),
        ("- React 17+", None),
        ("- React >= 18.0", None),
        ("- react ^18.2.0", None),
        ("- React, 17 components", None),
        ("- Upgraded from React 17", None),
        ("- Preact 10", None),
        ("- React Router 6", None),
        ("- React 17", "17"),
        ("- **React** (v17.0.2)", "17.0.2"),
        ("- `react`: 18.2", "18.2"),
        ("| React | 19.0 |\n|---|---|", "19.0"),
        ("- react ^17.0.0", "17.0.0"),
        ("- @scope/thing 1.1", "1.1"),
        ("```\nreact 17\n```", None),
    ],
)
def test_a_version_that_is_not_the_locked_one(cli: Cli, line: str, told: str | None) -> None:
    put(Path.cwd(), "package.json", json.dumps(MANIFEST))
    put(Path.cwd(), "package-lock.json", json.dumps({"lockfileVersion": 3, **LOCK}))
    put(Path.cwd(), TECH, f"# Tech Context\n\n## Technology Stack\n{line}\n")
    locked = "1.0.4" if "@scope" in line else "18.3.1"
    said = [each.partition(" is ")[2] for each in found(cli, "BNK059")]
    assert said == ([f"{told} here and {locked} in package-lock.json; write {locked}."] if told is not None else [])


def test_what_init_writes_agrees_with_the_lock_file(cli: Cli) -> None:
    put(Path.cwd(), "package.json", json.dumps(MANIFEST))
    put(Path.cwd(), "package-lock.json", json.dumps({"lockfileVersion": 3, **LOCK}))
    assert cli("init").code == 0
    assert "18.3.1" in Path(TECH).read_text()
    assert found(cli, "BNK059") == []
    assert found(cli, "BNK060") == []


# Paths


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("`src/app/main.py` starts it.", None),
        ("`./src/app/main.py:12` starts it.", None),
        ("`app/main.py` starts it.", None),
        ("`src/app/` holds it.", None),
        ("`memory-bank/systemPatterns.md` is this.", None),
        ("`systemPatterns.md` is this.", None),
        ("`src/app/gone.py` starts it.", "src/app/gone.py"),
        ("`src/gone/` holds it.", "src/gone/"),
        ("`lib/gone.py` starts it.", "lib/gone.py"),
        ("| `src/gone.py` | starts it |\n|---|---|", "src/gone.py"),
        ("`src/app/gone.py` was deleted.", None),
        ("Create `src/app/gone.py` later.", None),
        ("`src/**/gone.py` and `src/{a,b}.py` and `src/<name>.py`", None),
        ("`application/json`, `feature/import`, `owner/name`, `@scope/thing.js`", None),
        ("`https://example.org/src/gone.py` and `../src/gone.py` and `/src/gone.py` and `~/src/gone.py`", None),
        ("`node_modules/react/index.js` and `dist/gone.js`", None),
        ("src/app/gone.py without back-ticks", None),
        ("```\n`src/app/gone.py`\n```", None),
    ],
)
def test_a_path_that_is_not_there(cli: Cli, repository: Path, line: str, told: str | None) -> None:
    put(repository, PATTERNS, f"# System Patterns\n\n## Architecture Overview\n{line}\n")
    assert found(cli, "BNK060") == (
        [f"The repository has no {told!r}; correct the path, or remove the statement."] if told else []
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("memory-bank/decisionLog.md", "# Decision Log\n\n## Decision: Use x\nIn `src/gone.py`.\n"),
        ("memory-bank/archive/progress-2025-01.md", "# Progress\n\nIn `src/gone.py`.\n"),
        (
            "memory-bank/progress.md",
            "# Progress\n\n## Completed\n- [x] In `src/gone.py`\n\n## Upcoming\n- `src/new.py`\n",
        ),
        ("memory-bank/changelog.md", "# Changes\n\nIn `src/gone.py`.\n"),
    ],
)
def test_what_was_and_what_will_be_may_name_other_files(cli: Cli, repository: Path, name: str, text: str) -> None:
    put(repository, name, text)
    assert found(cli, "BNK060") == []


def test_without_a_code_base_paths_are_not_missed(cli: Cli) -> None:
    put(Path.cwd(), PATTERNS, "# System Patterns\n\n## Architecture Overview\n`src/app/gone.py`\n")
    assert found(cli, "BNK060") == []


def test_an_ignored_file_that_is_there_is_there(cli: Cli, repository: Path) -> None:
    put(repository, ".gitignore", "local/\n")
    put(repository, "local/settings.py", "x\n")
    put(repository, PATTERNS, "# System Patterns\n\n## Architecture Overview\n`local/settings.py`\n")
    assert found(cli, "BNK060") == []


def test_one_line_without_end_takes_no_longer(repository: Path) -> None:
    put(repository, PATTERNS, "# System Patterns\n\n" + "`src/gone.py` React 17 " * 20_000)
    put(repository, TECH, "# Tech Context\n\n" + "react-" * 100_000 + " 17.0 " * 10_000)
    assert len(Memory.open(repository).bank.validate().findings) > 0


class Nothing:
    """A repository that has one folder, and other versions of everything."""

    def paths(self) -> list[str]:
        return ["src"]

    def is_bare(self) -> bool:
        return False

    def has(self, path: str) -> bool:
        return not path

    def versions(self) -> dict[str, dict[str, str]]:
        return {name: {"999.9": "some.lock"} for name in ("react", "next", "typescript", "pydantic", "vue")}

    def behind(self, path: str) -> int:
        return len(path)

    def statements(self, path: str) -> list[Statement]:  # noqa: ARG002
        return []


@pytest.mark.corpus
def test_real_banks_are_compared_without_an_exception(corpus: list[Path]) -> None:
    told = Counter[str]()
    for path in some([path for path in corpus if "bank" in path.parts], 5):
        document = parse(f"memory-bank/{path.name}", decode(path.read_bytes()))
        if document.dialect != "bank":
            continue
        document.around = Nothing()
        for each in engine.check([document], engine.Selection(select=("BNK058", "BNK059", "BNK060"))):
            assert 0 <= each.span.start <= each.span.end <= len(document.text), path
            told[each.code] += 1
    assert set(told) == {"BNK058", "BNK059", "BNK060"}
