"""What a write costs with its undo step beside the same write without one, in one run.

    python bench/undo.py [rounds]

Three stores that are alike get the same writes in turn; for one of them the log of changes is switched off, and for
one it is full, so that each step also deletes the oldest. What is new is looked through for credentials in all of them.
Prints the middle of 200 rounds, and the ratio to the one without, which is what counts.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from unittest.mock import patch

from memdown import Memory
from memdown.memory.bank.setup import Setup
from memdown.secrets import Secret
from memdown.store import Files, steps
from memdown.store.steps import Delta, Step, StepLog

Act = Callable[[Path, bool], Callable[[int], object]]
"""Makes a store in a folder, with a full log or not, and gives what is measured; each call has a number of its own."""

STORES = ("without", "with", "full")

LINE = "The pool has {} connections; with 5 the load test timed out. See `src/db.py`, commit 3f2b8c1e5a4d.\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rounds", nargs="?", type=int, default=200)
    rounds: int = parser.parse_args().rounds
    acts: dict[str, Act] = {
        "save a file of 5 KB": save_file,
        "append to a log of 200 KB": append_to_log,
        "add a card": add_card,
        "update three files of a bank": update_bank,
    }
    for name, make in acts.items():
        with tempfile.TemporaryDirectory() as folder:
            plain, logged, full = measure([make(Path(folder, each), each == "full") for each in STORES], rounds)
        ratios = f"{logged / plain:5.2f}x with its undo step, {full / plain:5.2f}x when the log is full"
        print(f"{name:30} {plain * 1e3:6.2f} ms without, {ratios}")


def measure(acts: Sequence[Callable[[int], object]], rounds: int) -> list[float]:
    """The middle of the times of each; the first is without its step."""
    times: list[list[float]] = [[] for _ in acts]
    for number in range(rounds + 5):
        for which in range(len(acts)) if number % 2 else range(len(acts) - 1, -1, -1):
            with nothing_logged() if which == 0 else nullcontext():
                started = time.perf_counter()
                acts[which](number)
                taken = time.perf_counter() - started
            if number >= 5:  # the first ones load what is needed
                times[which].append(taken)
    return [*map(statistics.median, times)]


@contextmanager
def nothing_logged() -> Iterator[None]:
    def no_delta(name: str, before: bytes | None, after: bytes | None, *_rest: object) -> tuple[Delta, list[Secret]]:
        start, _, end = steps.span_of(before or b"", after or b"")
        return Delta(name, "", "", 0), steps.credentials(after or b"", start, end, ())

    with (
        patch.object(steps, "delta", no_delta),
        patch.multiple(
            StepLog, begin=lambda *_: None, done=lambda _: 0, settle=lambda *_: 0, is_pending=lambda _: False
        ),
    ):
        yield


def fill(log: StepLog, full: bool) -> None:
    """As many steps as are kept."""
    for number in range(steps.STEPS if full else 0):
        step = Step("bench", "write", "2026-02-01T12:00:00Z")
        step.deltas.append(steps.delta("a.md", b"", LINE.format(number).encode(), 0, ())[0])
        log.begin(step)
        log.done()


def save_file(root: Path, full: bool) -> Callable[[int], object]:
    root.mkdir()
    files = Files(root)
    text = "".join(LINE.format(number) for number in range(50))
    files.save("a.md", text, over=None)
    fill(files.log, full)

    def save(number: int) -> None:
        files.save("a.md", text.replace("pool", f"pool {number}"), over=files.read("a.md"))

    return save


def append_to_log(root: Path, full: bool) -> Callable[[int], object]:
    root.mkdir()
    files = Files(root)
    files.save("log.md", "".join(LINE.format(number) for number in range(2000)), over=None)
    fill(files.log, full)

    def append(number: int) -> None:
        with files.lock():
            text = files.read("log.md")
            files.save("log.md", f"{text}\n## Entry {number}\n\n{LINE.format(number)}", over=text)

    return append


def add_card(root: Path, full: bool) -> Callable[[int], object]:
    root.mkdir()
    memory = Memory.open(root)
    memory.add("card", "The first", text="A pool of connections.", tags=["pool"])
    fill(memory.files.log, full)

    def add(number: int) -> None:
        memory.add("card", f"The pool timed out {number}", text=LINE.format(number) * 5, tags=["pool"])

    return add


def update_bank(root: Path, full: bool) -> Callable[[int], object]:
    root.mkdir()
    memory = Memory.open(root)
    Setup(memory).begin("A pool of connections.")
    fill(memory.files.log, full)

    def update(number: int) -> None:
        setup = {"techContext.md": {"Development Setup": f"A pool of {number}."}}
        done = memory.bank.update(add=(f"Pool {number}",), focus=f"The pool, {number}", sections=setup)
        assert len(done.written) == 3, done.written

    return update


if __name__ == "__main__":
    main()
