"""How far an act goes: files are read once, git is asked a few times, and few functions lie between a command and the disk."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

import forks
from memdown.dialects import named
from memdown.errors import NotFound
from memdown.memory import Memory
from memdown.record import Record
from samples import CARD, ID, put

DEEPEST = 8
"""Own functions between a command and the write."""

TRACE = """
import atexit, json, os, sys
from collections import Counter

here, root = {here!r}, {root!r}
counts, depths = Counter(), []


def own_functions():
    frame, names = sys._getframe(2), []
    while frame:
        code = frame.f_code
        if code.co_filename.startswith(here) and not code.co_name.startswith("<"):
            names.append(f"{{code.co_filename[len(here) + 1:]}}:{{code.co_name}}")
        frame = frame.f_back
    return names


def heard(event, args):
    if event in ("os.scandir", "os.listdir") and isinstance(args[0], int):
        pass  # by a number, which has no name
    elif event in ("os.scandir", "os.listdir") and os.path.abspath(os.fspath(args[0] or ".")).startswith(root):
        counts["walk " + os.path.relpath(os.fspath(args[0]), root)] += 1
    elif event == "subprocess.Popen":
        counts["git" if "git" in os.path.basename(str(args[0])) or "git" in str(args[1][:1]) else "process"] += 1
    elif event == "open" and isinstance(args[0], str) and args[0].startswith(root) and args[0].endswith(".md"):
        counts["open " + os.path.relpath(args[0], root)] += 1
    elif event == "os.rename" and str(args[1]).endswith(".md"):
        depths.append(own_functions())


sys.addaudithook(heard)
sys.argv = ["memdown", *{args!r}]
from memdown import dialects
parse = dialects.parse


def counted(path, *args, **kwargs):
    counts["parse " + path] += 1
    return parse(path, *args, **kwargs)


dialects.parse = counted
from memdown.__main__ import main
atexit.register(lambda: print(json.dumps([counts, depths]), file=sys.stderr))
main()
"""


class Walk:
    """What a command did."""

    def __init__(self, root: Path, *args: str) -> None:
        here = str(Path(sys.modules["memdown"].__file__ or "").parent)
        script = TRACE.format(here=here, root=str(root), args=args)
        env = {**os.environ, "MEMDOWN_NOW": "2026-02-01T12:00:00Z"}
        done = forks.run([sys.executable, "-c", script], cwd=root, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        found, stacks = json.loads(done.stderr.splitlines()[-1])
        self.stacks: list[list[str]] = stacks
        self.counts = Counter[str](found)

    def of(self, what: str) -> Counter[str]:
        return Counter({name: number for name, number in self.counts.items() if name.split(" ")[0] == what})


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    """A bank in a repository, with code that went on since; and memory of other dialects beside it."""
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    put(tmp_path, "src/app.py", "print(1)\n")
    for file in ("projectbrief", "productContext", "systemPatterns", "techContext", "activeContext"):
        put(tmp_path, f"memory-bank/{file}.md", f"# {file}\n\n## Overview\nText.\n")
    put(tmp_path, "memory-bank/progress.md", "# Progress\n\n## In Progress\n- [ ] Paging\n\n## Completed\n")
    put(tmp_path, "memory-bank/decisionLog.md", "# Decisions\n\n## 2026-01-05: Use SQLite\n**Decision**: SQLite.\n")
    put(tmp_path, ".squad/decisions.md", "# Decisions\n\n### 2026-01-05: x\n**By:** Ann\n\ntext\n")
    git = ["git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    for message in ("Begin", "Go on"):
        subprocess.run([*git, "add", "-A"], cwd=tmp_path, check=True)
        subprocess.run([*git, "commit", "-qm", message], cwd=tmp_path, check=True)
        put(tmp_path, "src/app.py", f"print({message!r})\n")
    return tmp_path


def test_an_update_of_a_bank_reads_it_once(bank: Path) -> None:
    walk = Walk(bank, "update", "--complete", "Paging")
    assert walk.of("walk")["walk memory-bank"] <= 3  # for the spelling of its name, for a file at all, for its files
    assert set(walk.of("parse").values()) == {1}
    assert not any(name.startswith("parse .squad") for name in walk.counts)
    assert walk.counts["git"] <= 3
    assert walk.stacks
    for stack in walk.stacks:
        assert len(stack) <= DEEPEST, stack


def test_the_trace_sees_what_it_counts(bank: Path) -> None:
    walk = Walk(bank, "check")
    assert walk.counts["parse .squad/decisions.md"] == 1
    assert walk.counts["git"] >= 1


def test_adding_a_card_reads_no_other_and_is_not_deep(tmp_path: Path) -> None:
    for number in range(50):
        put(
            tmp_path,
            f"memories/{number:08}-5a4d-4e6f-9b7a-0c1d2e3f4a5b.md",
            f"---\nsubject: {number}\n---\n\nText {number}.\n",
        )
    Walk(tmp_path, "index")
    walk = Walk(tmp_path, "add", "card", "Pool size is 10", "-k", "pool", "--content", "With 5 it timed out.")
    assert walk.of("open") == {}
    assert walk.stacks
    for stack in walk.stacks:
        assert len(stack) <= DEEPEST, stack


@pytest.mark.parametrize("name", ["Choice 7", "00000007", "choice", "7.md"])
def test_a_memory_is_shown_without_reading_those_that_are_not_called_so(tmp_path: Path, name: str) -> None:
    for number in range(20):
        put(
            tmp_path,
            f"memories/{number:08}-5a4d-4e6f-9b7a-0c1d2e3f4a5b.md",
            f"---\nsubject: {'Choice' if number == 7 else 'Other'} {number}\n---\n\nText {number}.\n",
        )
    Walk(tmp_path, "index")
    if name == "7.md":
        name = "memories/00000007-5a4d-4e6f-9b7a-0c1d2e3f4a5b.md:1"
    assert {*Walk(tmp_path, "show", name).of("parse")} == {"parse memories/00000007-5a4d-4e6f-9b7a-0c1d2e3f4a5b.md"}


def test_a_name_means_what_it_would_mean_if_every_file_was_read(bank: Path) -> None:
    put(bank, "memory-bank/tasks/T2.md", "# T2: Paging\n*Status:* active\n")
    put(bank, ".squad/decisions.md", "# Decisions\n\n### ADR-7: Use SQLite\n**By:** Ann\n\nText caf\udce9.\n")
    put(bank, f"memories/{ID}.md", CARD)
    memory = Memory(bank)
    names = {"nothing", "use", "caf\ufffd", "T2", "ADR-7", "P", "progress.md"}
    for record in memory.records():
        names |= {record.id, record.id[:5], record.title or "", (record.title or "").upper()[:6], record.path}
    for name in names:
        assert _asked(memory._records_called(name), name) == _asked(memory.records(), name), name


def _asked(records: Iterable[Record], name: str) -> tuple[str, int] | str:
    try:
        record = named.only(records, name)
    except NotFound as error:
        return str(error)
    return record.path, record.line


def test_what_was_removed_is_found_with_one_reading_of_each_text(tmp_path: Path) -> None:
    entry = "### 2026-01-0{0}T10:00:00Z: decision: Choice {0}\n**By:** Ann\n\nWhat was chosen on day {0}.\n\n"
    put(tmp_path, ".squad/decisions.md", "# Decisions\n\n" + "".join(map(entry.format, "123")))
    Walk(tmp_path, "index")
    dry = Walk(tmp_path, "delete", "Choice 2", "--dry-run")
    walk = Walk(tmp_path, "delete", "Choice 2", "--json")
    assert walk.counts["parse .squad/decisions.md"] - dry.counts["parse .squad/decisions.md"] == 2  # before and after


def test_what_a_project_does_not_have_is_not_asked(tmp_path: Path) -> None:
    put(tmp_path, ".squad/decisions.md", "# Decisions\n")
    assert Memory.open(tmp_path).offering("to_archive") == ["sem"]
    put(tmp_path, "memory-bank/progress.md", "# Progress\n")
    assert set(Memory.open(tmp_path).offering("to_archive")) == {"sem", "bank", "journal"}
