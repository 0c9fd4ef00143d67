"""Judges mutants in a process that has the tests of a room collected: each mutant gets a fork of it.

First a fork runs tests without a mutant, a few for each function with parameters, and notes how long each takes, which
of our functions and lines it runs and whether it starts processes; that is kept until the source or the test changes.
A mutant then meets the tests that run its line, those that found others and the quickest first, and quick ones that
start processes; the first that fails ends it, if it fails once more with the mutant and passes without it: a machine
under load ends tests by their time too. In the fork, functions that are loaded get the code of the mutant; what is
loaded later, and other processes, read it from the file.

    python -m proofs.judging ASKED ANSWERED    (both JSON; one line of the answer for each mutant)
"""

import gc
import hashlib
import json
import mmap
import os
import pickle
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import accumulate, groupby
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
LIVELY, SLOWER = 10, 20
"""Seconds of work that any test may have with a mutant, and how many times as much as without one: it may never end."""
EVENTS = 20_000
"""How often lines of a function are noted in one test; of one that runs longer, each counts as run."""
_FUNCTION = 0x02  # CO_NEWLOCALS, which the body of a class does not have

Place = tuple[str, int]
"""A file of the source and the first line of a function in it."""


class Seen(NamedTuple):
    """A test without a mutant."""

    passed: bool
    seconds: float
    """Of work, its own and that of processes it waited for."""
    calls: frozenset[Place]
    lines: dict[str, frozenset[int]]
    """Those that it runs, of files that mutants are made in."""
    starts: bool
    """Whether it starts processes."""
    is_like_others: bool = False
    """Whether it was not run itself."""


class Judge:
    """A plugin of pytest that takes the place of its loop."""

    def __init__(
        self, asked: Sequence[tuple[str, int, str]], answers: Path, files: Collection[str], kept: Path
    ) -> None:
        self._asked = asked
        self._answers = answers
        self._files = frozenset(files)
        self._kept = kept
        """A folder of what tests run."""
        self._found = Counter[int]()
        """How many mutants each test found."""
        self._failed = False
        self._started = False
        self._moment = 0
        self._loading = Calls(frozenset())
        """What is called before the first test: a mutant that is there later may have no effect."""
        self._loading.begin()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failed |= report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        loading, _ = self._loading.end()
        seen = self._kept_or_seen(session.items)
        with self._answers.open("w") as answers:
            for file, line, new in self._asked:
                found, calling, is_loaded = self._judged(session.items, seen, loading, (file, line, new))
                answer = {
                    "found": found,
                    "sure": not is_loaded,
                    "calling": [session.items[number].nodeid for number in calling],
                }
                print(json.dumps(answer), file=answers, flush=True)
        return True

    def _kept_or_seen(self, items: Sequence[pytest.Item]) -> list[Seen]:
        """What each test runs without a mutant, file by file, where it is not known from another time."""
        house = hashlib.sha256(f"{sys.version}{sorted(self._files)}".encode())
        tests = Path("tests")
        helpers = (each for each in tests.rglob("*") if not each.match("test_*.py") and "__pycache__" not in each.parts)
        for path in sorted([*SOURCE.rglob("*.py"), *SOURCE.rglob("*.txt"), *helpers, Path(__file__)]):
            if path.is_file():
                house.update(path.read_bytes())
        self._kept.mkdir(exist_ok=True)
        found: list[Seen] = []
        for path, some in groupby(items, lambda item: item.path):
            mine = list(some)
            digest = house.copy()
            digest.update(path.read_bytes())
            kept = self._kept / f"{path.stem}-{digest.hexdigest()[:16]}"
            if kept.exists():
                found += pickle.loads(kept.read_bytes())
                continue
            seen: list[Seen] | None = in_fork(partial(self._all_seen, mine), HOURS * 3600)
            assert isinstance(seen, list), f"{path.name} does not end without a mutant"
            found += seen
            new = kept.with_name(f"{kept.name}.{os.getpid()}")
            new.write_bytes(pickle.dumps(seen))
            new.replace(kept)
            for older in {*self._kept.glob(f"{path.stem}-*")} - {kept}:
                older.unlink(missing_ok=True)
        return found

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
                one = self._look(item)
                found.append(one if one.passed else self._look(item))  # on a busy machine one may be ended by its time
                alike[FEW - 1 :] = [found[-1]]
        return found

    def _audit(self, event: str, _: object) -> None:
        self._started |= event in ("subprocess.Popen", "os.fork", "os.posix_spawn")

    def _look(self, item: pytest.Item) -> Seen:
        self._failed = self._started = False
        calls, began = Calls(self._files), sum(os.times()[:4])
        calls.begin()
        _run(item, None)
        seconds = sum(os.times()[:4]) - began
        return Seen(not self._failed, seconds, *calls.end(), self._started)

    def _judged(
        self, items: Sequence[pytest.Item], seen: list[Seen], loading: Collection[Place], mutant: tuple[str, int, str]
    ) -> tuple[str, list[int], bool]:
        """The test that finds a mutant or nothing, the tests that run it, and whether it is run when loaded already."""
        file, line, new = mutant
        path = SOURCE / file
        text = path.read_text("utf-8")
        lines = text.split("\n")
        lines[line - 1] = new
        changed = "\n".join(lines)
        old, module = compile(text, str(path), "exec"), compile(changed, str(path), "exec")
        codes = [code for code in _functions(module) if line in _lines(code)]
        place = (file, codes[0].co_firstlineno if codes else 0)
        is_loaded = place in loading or _outside(old) != _outside(module)
        is_noted = any(line in _own_lines(code) for code in _functions(old))

        def runs(one: Seen) -> bool:
            return line in one.lines.get(file, ()) if is_noted and not one.is_like_others else place in one.calls

        def rank(number: int) -> tuple[int, float]:
            return -self._found[number], seen[number].seconds

        good = sorted((number for number, one in enumerate(seen) if one.passed), key=rank)
        calling = _within(MOST, [(seen[number].seconds, number) for number in good if runs(seen[number])])
        starting = [(seen[number].seconds, number) for number in good if seen[number].starts and number not in calling]
        others = _within(MOST_OTHERS if calling else MOST, starting)

        def failing(numbers: Sequence[int], is_mutated: bool = True) -> int | None:
            """The first of some tests that fails or does not end."""
            patience = PATIENCE * sum(seen[number].seconds for number in numbers) + 60
            self._moment += 1
            with _written(path, changed if is_mutated else text, self._moment):
                tests = [(items[number], seen[number].seconds) for number in numbers]
                return self._first_failure(tests, patience, partial(_patch, str(path), codes if is_mutated else []))

        rest = calling + others
        while (first := failing(rest)) is not None:
            one, rest = rest[first], rest[first + 1 :]
            if failing([one], is_mutated=False) is not None:
                seen[one] = seen[one]._replace(passed=not seen[one].is_like_others)
            elif failing([one]) is not None:
                self._found[one] += 1
                return items[one].nodeid, calling, is_loaded
        return "", calling, is_loaded

    def _first_failure(
        self, tests: Sequence[tuple[pytest.Item, float]], patience: float, prepare: Callable[[], None]
    ) -> int | None:
        """Which of some tests is the first that fails, or that runs when patience ends, in a fork."""
        reached = mmap.mmap(-1, 4)

        def run() -> bool:
            prepare()
            self._failed = False
            for number, (item, seconds) in enumerate(tests):
                reached[:] = number.to_bytes(4)
                signal.setitimer(signal.ITIMER_PROF, LIVELY + SLOWER * seconds)  # which ends the fork
                _run(item, tests[number + 1][0] if number + 1 < len(tests) else None)
                if self._failed:
                    return False
            return True

        return None if in_fork(run, patience) is True else int.from_bytes(reached[:])


class Calls:
    """Notes which of our functions are called, and which lines of them are run in some files."""

    def __init__(self, files: Collection[str]) -> None:
        self._files = {str(SOURCE / file) for file in files}
        self._codes: dict[int, tuple[CodeType, Lines | None]] = {}

    def begin(self) -> None:
        threading.settrace(self._called)
        sys.settrace(self._called)

    def end(self) -> tuple[frozenset[Place], dict[str, frozenset[int]]]:
        sys.settrace(None)
        threading.settrace(None)
        above = f"{SOURCE}{os.sep}"
        calls, lines = set[Place](), dict[str, set[int]]()
        for code, noted in self._codes.values():
            if code.co_filename.startswith(above):
                file = code.co_filename[len(above) :].replace(os.sep, "/")
                calls.add((file, code.co_firstlineno))
                if noted:
                    lines.setdefault(file, set()).update(noted.run)
        return frozenset(calls), {file: frozenset(run) for file, run in lines.items()}

    def _called(self, frame: FrameType, _: str, __: object) -> "TraceFunction | None":
        code = frame.f_code
        known = self._codes.get(id(code))
        if known is None:
            known = self._codes[id(code)] = code, Lines(code) if code.co_filename in self._files else None
        return known[1].note if known[1] and known[1].left else None


class Lines:
    """Notes which lines of a function are run, until each has been or it has run for long."""

    def __init__(self, code: CodeType) -> None:
        self._all = _own_lines(code)
        self._missing = self._all - {code.co_firstlineno}  # which begins nothing
        self.left = EVENTS if self._missing else 0

    @property
    def run(self) -> set[int]:
        return self._all - self._missing if self.left else self._all

    def note(self, frame: FrameType, event: str, _: object) -> "TraceFunction":
        if event == "line":
            self._missing.discard(frame.f_lineno)
            self.left = self.left - 1 if self._missing else 0
            frame.f_trace_lines = self.left > 0
        return self.note


TraceFunction = Callable[[FrameType, str, object], Any]


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


def _own_lines(code: CodeType) -> set[int]:
    return {line for _, _, line in code.co_lines() if line}


def _lines(code: CodeType) -> range:
    """From the first line of a function to its last, with the functions in it."""
    lines = [line for one in (code, *_functions(code)) for line in _own_lines(one)]
    return range(code.co_firstlineno, max(lines) + 1)


def _outside(code: CodeType) -> list[tuple[object, ...]]:
    """What is run of a module when it is loaded, as defaults of functions are."""
    found: list[tuple[object, ...]] = [(code.co_code, *(repr(one) for one in code.co_consts if not _is_code(one)))]
    for one in code.co_consts:
        if isinstance(one, CodeType) and not one.co_flags & _FUNCTION:
            found += _outside(one)
    return found


def _is_code(value: object) -> bool:
    return isinstance(value, CodeType)


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
    options = ["-q", "-s", "-n", "0", "-p", "no:cacheprovider", "--timeout", "60", "--no-header", "--tb", "no"]
    judge = Judge(asked["mutants"], Path(sys.argv[2]), asked["files"], Path(asked["kept"]))
    return int(pytest.main([*options, *asked["tests"]], [judge]))


if __name__ == "__main__":
    sys.exit(main())
