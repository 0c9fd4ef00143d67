"""Judges mutants in a process that has the tests of a room collected: each mutant gets a fork of it.

First a fork runs tests without a mutant, a few for each function with parameters, and notes how long each takes, which
of our functions it calls and whether it starts processes. A mutant then meets the tests that call its function, the
quickest first, and quick ones that start processes; the first that fails ends it, if it fails once more with the
mutant and passes without it: a machine under load ends tests by their time too. In the fork, functions that are loaded
get the code of the mutant; what is loaded later, and other processes, read it from the file.

    python -m proofs.judging ASKED ANSWERED    (both JSON; one line of the answer for each mutant)
"""

import gc
import json
import mmap
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import accumulate
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, NamedTuple

import pytest

import memdown

SOURCE = Path(memdown.__file__).parent
HOURS = 12
"""How long the tests without a mutant may take, on a machine that has other work too."""
FEW = 3
"""How many tests of one function with parameters are run before; the others are taken to be like the last of them."""
MOST, MOST_OTHERS = 60, 10
"""Seconds of work that the tests that call a mutant may have, and the others that start processes."""
PATIENCE = 30
"""How many times as long as the tests have work they may take, and a minute more."""
_FUNCTION = 0x02  # CO_NEWLOCALS, which the body of a class does not have

Place = tuple[str, int]
"""A file of the source and the first line of a function in it."""


class Seen(NamedTuple):
    """A test without a mutant."""

    passed: bool
    seconds: float
    """Of work, its own and that of processes it waited for."""
    calls: frozenset[Place]
    starts: bool
    """Whether it starts processes."""
    is_like_others: bool = False
    """Whether it was not run itself."""


class Judge:
    """A plugin of pytest that takes the place of its loop."""

    def __init__(self, asked: Sequence[tuple[str, int, str]], answers: Path) -> None:
        self._asked = asked
        self._answers = answers
        self._failed = False
        self._started = False
        self._moment = 0
        self._loading = Calls()
        """What is called before the first test: a mutant that is there later may have no effect."""
        self._loading.begin()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failed |= report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        loading = self._loading.end()
        seen: list[Seen] = in_fork(lambda: self._all_seen(session.items), HOURS * 3600)
        assert seen is not None, "the tests do not end without a mutant"
        with self._answers.open("w") as answers:
            for file, line, new in self._asked:
                found, calling, place = self._judged(session.items, seen, file, line, new)
                is_sure = bool(calling) and place not in loading
                answer = {
                    "found": found,
                    "sure": is_sure,
                    "calling": [session.items[number].nodeid for number in calling],
                }
                print(json.dumps(answer), file=answers, flush=True)
        return True

    def _all_seen(self, items: Sequence[pytest.Item]) -> list[Seen]:
        sys.addaudithook(self._audit)
        seen: dict[str, list[Seen]] = {}
        found: list[Seen] = []
        for item in items:
            alike = seen.setdefault(item.nodeid.partition("[")[0], [])
            if len(alike) == FEW and all(each.passed for each in alike):
                calls = frozenset(place for each in alike for place in each.calls)
                found.append(alike[-1]._replace(calls=calls, is_like_others=True))
            else:
                found.append(self._look(item))
                alike[FEW - 1 :] = [found[-1]]
        return found

    def _audit(self, event: str, _: object) -> None:
        self._started |= event in ("subprocess.Popen", "os.fork", "os.posix_spawn")

    def _look(self, item: pytest.Item) -> Seen:
        self._failed = self._started = False
        calls, began = Calls(), sum(os.times()[:4])
        calls.begin()
        _run(item, None)
        return Seen(not self._failed, sum(os.times()[:4]) - began, calls.end(), self._started)

    def _judged(
        self, items: Sequence[pytest.Item], seen: list[Seen], file: str, line: int, new: str
    ) -> tuple[str, list[int], Place]:
        """The test that finds a mutant or nothing, the tests that call it, and its place."""
        path = SOURCE / file
        lines = path.read_text("utf-8").split("\n")
        lines[line - 1] = new
        changed = "\n".join(lines)
        codes = [code for code in _functions(compile(changed, str(path), "exec")) if line in _lines(code)]
        place = (file, codes[0].co_firstlineno if codes else 0)
        good = sorted((one.seconds, number) for number, one in enumerate(seen) if one.passed)
        calling = _within(MOST, [each for each in good if place in seen[each[1]].calls])
        others = _within(MOST_OTHERS, [each for each in good if seen[each[1]].starts and each[1] not in calling])

        def failing(numbers: Sequence[int], is_mutated: bool = True) -> int | None:
            """The first of some tests that fails or does not end."""
            patience = PATIENCE * sum(seen[number].seconds for number in numbers) + 60
            self._moment += 1
            text, new_codes = (changed, codes) if is_mutated else (path.read_text("utf-8"), [])
            with _written(path, text, self._moment):
                tests = [items[number] for number in numbers]
                return self._first_failure(tests, patience, partial(_patch, str(path), new_codes))

        rest = calling + others
        while (first := failing(rest)) is not None:
            one, rest = rest[first], rest[first + 1 :]
            if failing([one], is_mutated=False) is not None:
                seen[one] = seen[one]._replace(passed=not seen[one].is_like_others)
            elif failing([one]) is not None:
                return items[one].nodeid, calling, place
        return "", calling, place

    def _first_failure(self, items: Sequence[pytest.Item], patience: float, prepare: Callable[[], None]) -> int | None:
        """Which of some tests is the first that fails, or that runs when patience ends, in a fork."""
        reached = mmap.mmap(-1, 4)

        def run() -> bool:
            prepare()
            self._failed = False
            for number, item in enumerate(items):
                reached[:] = number.to_bytes(4)
                _run(item, items[number + 1] if number + 1 < len(items) else None)
                if self._failed:
                    return False
            return True

        return None if in_fork(run, patience) is True else int.from_bytes(reached[:])


class Calls:
    """Notes which of our functions are called."""

    def begin(self) -> None:
        self._codes: dict[int, CodeType] = {}
        threading.settrace(self._called)
        sys.settrace(self._called)

    def end(self) -> frozenset[Place]:
        sys.settrace(None)
        threading.settrace(None)
        above = f"{SOURCE}{os.sep}"
        ours = (code for code in self._codes.values() if code.co_filename.startswith(above))
        return frozenset((code.co_filename[len(above) :].replace(os.sep, "/"), code.co_firstlineno) for code in ours)

    def _called(self, frame: FrameType, _: str, __: object) -> None:  # None: lines are not traced
        self._codes[id(frame.f_code)] = frame.f_code


def _within(seconds: float, tests: Sequence[tuple[float, int]]) -> list[int]:
    """The first tests, which are the quickest, as many as have that much work together."""
    works = accumulate(work for work, _ in tests)
    return [number for (_, number), work in zip(tests, works, strict=True) if work <= seconds]


def _run(item: pytest.Item, following: pytest.Item | None) -> None:
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


def _functions(code: CodeType) -> Iterator[CodeType]:
    """Functions in a piece of code, the outer before the inner."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            if inner.co_flags & _FUNCTION:
                yield inner
            yield from _functions(inner)


def _lines(code: CodeType) -> range:
    """From the first line of a function to its last, with the functions in it."""
    lines = [line for one in (code, *_functions(code)) for _, _, line in one.co_lines() if line]
    return range(code.co_firstlineno, max(lines) + 1)


@contextmanager
def _written(path: Path, text: str, moment: int) -> Iterator[None]:
    """A file with another text; byte code goes by time and size, and each text has a time of its own."""
    old, kept = path.read_text("utf-8"), path.stat()
    path.write_text(text, "utf-8")
    os.utime(path, (moment, moment))
    try:
        yield
    finally:
        path.write_text(old, "utf-8")
        os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns))


def _patch(path: str, codes: Sequence[CodeType]) -> None:
    """Give functions that are loaded their new code."""
    new = {(code.co_qualname, code.co_firstlineno): code for code in codes}
    gc.unfreeze()  # what was collected is left alone otherwise
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__.co_filename == path:
            code = new.get((each.__code__.co_qualname, each.__code__.co_firstlineno))
            if code is not None and code.co_freevars == each.__code__.co_freevars:
                each.__code__ = code


def in_fork(act: Callable[[], Any], seconds: float) -> Any:
    """What an act gives in a fork of this process; None when it does not end in time."""
    with tempfile.NamedTemporaryFile() as file:
        pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            value: Any = "the process ended"
            try:
                value = act()
            finally:
                Path(file.name).write_bytes(pickle.dumps(value))
                os._exit(0)
        until = time.monotonic() + seconds
        while os.waitpid(pid, os.WNOHANG)[0] == 0:
            if time.monotonic() > until:
                os.killpg(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                return None
            time.sleep(0.005)
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)  # what it has started and left
        data = file.read()
        return pickle.loads(data) if data else "the process ended"


def main() -> int:
    asked = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    options = ["-q", "-s", "-n", "0", "-p", "no:cacheprovider", "--timeout", "20", "--no-header", "--tb", "no"]
    return int(pytest.main([*options, *asked["tests"]], [Judge(asked["mutants"], Path(sys.argv[2]))]))


if __name__ == "__main__":
    sys.exit(main())
