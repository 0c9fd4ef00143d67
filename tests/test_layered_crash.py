"""The layered store under kill -9 and with many writers: nothing is lost, and nothing is there twice."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import forks
from memdown import Memory
from samples import PATIENT, put

HOME = "memory/skills/code-review/my-api"
ID = "skill-specific/code-review/my-api/review_history"
WRITER = f"""
import sys
from pathlib import Path
from memdown import Memory
root, who, first, last = sys.argv[1:]
layers = Memory(Path(root)).layers
for number in range(int(first), int(last)):
    layers.append("{ID}", f"## Review #{{number}} by {{who}}\\n\\nFinding {{who}}-{{number}}.\\n")
    print(number, flush=True)
"""


def entries(root: Path) -> Counter[str]:
    """How often each entry is in the memory or its archive."""
    found: Counter[str] = Counter()
    for path in (root / HOME).glob("review_history*.md"):
        found.update(re.findall(r"^Finding (\S+)\.$", path.read_text(), re.M))
    return found


def writer(root: Path, who: str, first: int, last: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(root), who, str(first), str(last)]
    return forks.Forked(command, stdout=subprocess.PIPE, text=True)


def started(root: Path) -> Path:
    put(root, "memdown.toml", PATIENT)
    return put(root, f"{HOME}/review_history.md", "<!-- Last Updated: 2026-01-01 -->\n\n# Reviews\n")


def append_together(root: Path, each: int) -> None:
    started(root)
    running = [writer(root, who, 0, each) for who in "ab"]
    for process in running:
        process.communicate(timeout=250)
        assert process.returncode == 0
    assert entries(root) == {f"{who}-{number}": 1 for who in "ab" for number in range(each)}
    assert (root / HOME / "review_history.md").read_text().count("\n## Review") == 11


def test_two_processes_append_at_once(tmp_path: Path) -> None:
    append_together(tmp_path, 100)


@pytest.mark.slow
def test_two_processes_append_a_thousand(tmp_path: Path) -> None:
    append_together(tmp_path, 500)


def kill_again_and_again(root: Path, kills: int, seed: int) -> None:
    started(root)
    chance = random.Random(seed)
    confirmed: set[int] = set()
    following = 0
    for _ in range(kills):
        process = writer(root, "a", following, 1_000_000)
        assert process.stdout
        assert process.stdout.readline() == f"{following}\n"  # it is at work
        time.sleep(chance.uniform(0, 0.08))
        process.send_signal(signal.SIGKILL)
        done = [following, *map(int, process.communicate(timeout=240)[0].split())]
        confirmed.update(range(following, done[-1] + 1))
        following = done[-1] + 2  # the one in between may have been made or not
    Memory(root).layers.append(ID, "## Review #1000000\n\nFinding last.\n")
    found = entries(root)
    assert set(found.values()) == {1}
    assert {f"a-{number}" for number in confirmed} <= set(found)
    assert len(confirmed) <= len(found) - 1 <= len(confirmed) + kills


def test_killed_at_any_moment(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path, 8, 1)


@pytest.mark.slow
def test_killed_at_any_moment_at_length(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path, 150, 2)


def dies_at(step: int, act: Callable[[], object]) -> bool:
    """Whether an act in a child process, killed at its n-th change of the disk, was killed before its end."""
    child = os.fork()
    if child == 0:
        left = step

        def watch(event: str, args: tuple[Any, ...]) -> None:
            nonlocal left
            is_writing = event == "open" and args[2] & (os.O_WRONLY | os.O_RDWR)
            if is_writing or event in ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate"):
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(watch)
        act()
        os._exit(0)
    return os.waitpid(child, 0)[1] != 0


def text_of(number: int) -> str:
    return f"## Review #{number}\n\nFinding {number}.\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("act", ["append", "prune", "undo"])
def test_killed_at_each_touch_of_the_disk(tmp_path: Path, act: str) -> None:
    before = "# Reviews\n\n" + "\n".join(text_of(number) for number in range(12))
    expected = {str(number): 1 for number in range(12)}
    for step in range(1000):
        root = tmp_path / str(step)
        put(root, f"{HOME}/review_history.md", before)
        memory = Memory(root)
        if act == "undo":
            memory.layers.prune()
        doing: dict[str, Callable[[], object]] = {
            "append": partial(memory.layers.append, ID, text_of(12)),
            "prune": memory.layers.prune,
            "undo": memory.undo,
        }
        died = dies_at(step, doing[act])
        raw = entries(root)
        assert set(raw) >= set(expected)  # even before anything is completed
        memory.files.recover()
        found = entries(root)
        found.pop("12", None)
        assert found == expected, step
        if act == "undo":
            memory.layers.prune()
        else:
            memory.layers.append(ID, text_of(13))
        assert set(entries(root).values()) == {1}
        if not died:
            break
    assert step > 10
