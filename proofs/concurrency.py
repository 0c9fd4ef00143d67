"""Many processes write in one project, take back what they and others did, and a person saves files by hand.

Every act has something of its own in it to know it by. Whoever does one writes down when it began and ended, what it
reported, and its number in the log of changes. Then

- each act that reported success has a number, and no other act has one,
- an act that ended before another began has the smaller number,
- what stands is in the files once, what was undone is not,
- the log is linearizable: there is an order of all acts that fits their times, in which what was taken back stood, and
  `undo` without a number took back the newest,
- the focus, which is written, taken back and read, is linearizable as a value.

Both are searched for, whatever the numbers are (see linear.py).
"""

import io
import json
import os
import pickle
import random
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from memdown import Memory
from memdown.store.steps import StepLog
from memdown.surfaces.cli import run as run_command
from memdown.surfaces.mcp.loop import Loop
from memdown.surfaces.mcp.wire import Pipes
from proofs import acts, calls, linear
from proofs.acts import PROJECT
from proofs.faults import fast_folder
from proofs.outcome import Outcome, Run
from samples import PATIENT, put
from test_undo import REVIEWS

SHORT = ((2, 40), (8, 15), (24, 6), (64, 2))
LONG = ((2, 400), (4, 200), (8, 120), (16, 60), (32, 40), (64, 25))
"""How many processes, and how many acts each."""
FOCUS = "memory-bank/activeContext.md"
BY_HAND = ("memory-bank/notes.md", "memory-bank/progress.md", ".squad/decisions.md", FOCUS)
_FOCUS = re.compile(r"^## Current Focus\n+(.*)$", re.MULTILINE)

WRITING: dict[str, Callable[[str], tuple[str, ...]]] = {
    "next step": lambda mark: ("bank", "add-next-step", mark),
    "question": lambda mark: ("bank", "add-question", mark),
    "issue": lambda mark: ("bank", "note-issue", mark),
    "update": lambda mark: ("update", "--decision", mark),
    "decision": lambda mark: ("add", "decision", mark, "--author", "Ann", "--rationale", "x"),
    "card": lambda mark: ("add", "card", "One", "-k", "k", "--content", f"A memory of {mark}, which is long enough."),
    "task": lambda mark: ("task", "add", mark),
    "note": lambda mark: ("session", "note", mark),
    "error": lambda mark: ("error", "add", mark, "--cause", "x", "--fix", "y"),
    "edit": lambda mark: ("add", "edit", mark, "--task", "T1"),
    "layer": lambda mark: ("layer", "append", REVIEWS, "--content", f"## {mark}\n\nOne.\n"),
    "focus": lambda mark: ("bank", "focus", mark, "--replace"),
}
TOOLS: dict[str, Callable[[str], tuple[str, dict[str, object]]]] = {
    "tool add": lambda mark: ("add", {"kind": "decision", "title": mark, "author": "Ann"}),
    "tool write": lambda mark: ("memory_bank_write", {"fileName": f"{mark}.md", "content": f"# {mark}\n"}),
}


class Event(NamedTuple):
    """One act, as the process that did it saw it."""

    kind: str
    mark: str
    began: float
    ended: float
    code: int
    number: int = 0
    """Its number in the log; 0 for none."""
    undoes: int = 0
    """The act that it took back."""
    value: str = ""
    """What was read."""
    text: str = ""
    """What it reported."""


class Saved(NamedTuple):
    """A file that got its new text; between the two times, another's would have been overwritten."""

    path: str
    looked: float
    saved: float
    mark: str = ""


class History(NamedTuple):
    """What one process did."""

    events: list[Event]
    saves: list[Saved]


def prove(run: Run) -> Iterator[Outcome]:
    work = fast_folder(run.work)
    try:
        base = acts.lay_base(work / "base")
        for processes, each in LONG if run.long else SHORT:
            each = max(2, round(run.share * each)) if run.long else each
            yield at_once(run, acts.copied(base, work / f"of-{processes}"), processes, each)
    finally:
        if work != run.work:
            shutil.rmtree(work)


def at_once(run: Run, folder: Path, processes: int, each: int) -> Outcome:
    """So many processes with so many acts each."""
    with acts.surroundings():
        histories = race(folder, processes, each, run.seed)
    done = sum(event.code == 0 for history in histories for event in history.events)
    failures = [f"{wrong} (of {processes} processes, seed {run.seed})" for wrong in judge(folder, histories)]
    by_hand = len(histories[-1].saves)
    return Outcome(f"{processes} processes at once", done, "acts", failures, f"and {by_hand} saves by hand")


def race(folder: Path, processes: int, each: int, seed: int) -> list[History]:
    """Let processes write, and a person; what each of them did, the person last."""
    acts.environment(folder)
    root = folder / PROJECT
    put(root, "memdown.toml", PATIENT)
    counts = {kind: _warm(root, kind) for kind in (*WRITING, *TOOLS)}
    put(folder, "counts.json", json.dumps(counts))
    stop = folder / "stop"
    person = _started(folder, "hand", lambda: _by_hand(root, stop, random.Random(f"{seed} hand")))
    running = [
        _started(folder, str(number), lambda number=number: _process(root, number, each, seed))  # type: ignore[misc]
        for number in range(processes)
    ]
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in running]
    stop.touch()
    codes.append(os.waitstatus_to_exitcode(os.waitpid(person, 0)[1]))
    assert not any(codes), codes
    names = [*map(str, range(processes)), "hand"]
    return [pickle.loads((folder / f"{name}.history").read_bytes()) for name in names]


def _started(folder: Path, name: str, act: Callable[[], History]) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 70
    try:
        history = act()
        (folder / f"{name}.history").write_bytes(pickle.dumps(history))
        code = 0
    finally:
        os._exit(code)


def _warm(root: Path, kind: str) -> dict[str, int]:
    """Do it once, and take it back: how often its mark is in which file then."""
    mark = f"warm{kind.replace(' ', '')}end"
    numbers: list[int] = []
    event = _done(root, kind, mark, numbers)
    assert event.code == 0, event
    found = {name: count for name, text in _texts(root).items() if (count := text.count(mark))}
    assert found, event
    with Memory.open(root) as memory:
        memory.undo()
    return found


# What one process does


def _process(root: Path, number: int, acts_each: int, seed: int) -> History:
    chance = random.Random(f"{seed} {number}")
    history = History([], [])
    numbers: list[int] = []
    done = StepLog.done

    def numbered(log: StepLog) -> int:
        numbers.append(done(log))
        return numbers[-1]

    StepLog.done = numbered  # type: ignore[method-assign,assignment]
    calls.watch(str(root), _Saves(history.saves), reading=False)
    for turn in range(acts_each):
        mark = f"p{number}n{turn}end"
        chosen = chance.random()
        own = [event.number for event in history.events if event.number and not event.undoes]
        if chosen < 0.12:
            history.events.append(_read(root))
        elif chosen < 0.22:
            history.events.append(_done(root, "undo", "", numbers))
        elif chosen < 0.30 and own:
            history.events.append(_done(root, "undo", str(chance.choice(own)), numbers))
        elif chosen < 0.42:
            history.events.append(_done(root, "focus", mark, numbers))
        else:
            history.events.append(_done(root, chance.choice([*WRITING, *TOOLS]), mark, numbers))
    return history


class _Saves:
    """Notes when a file was looked at last before it was replaced."""

    def __init__(self, saves: list[Saved]) -> None:
        self._saves = saves
        self._looked: dict[str, float] = {}

    def __call__(self, call: calls.Call) -> Any:
        now = time.monotonic()
        value = call.make()
        if call.name == "open" and not call.changes:
            self._looked[call.paths[0]] = now
        if call.name in ("replace", "rename") and not call.paths[1].startswith(".memdown/"):
            looked = self._looked.get(call.paths[1], now)
            self._saves.append(Saved(call.paths[1], looked, time.monotonic()))
        return value


def _done(root: Path, kind: str, mark: str, numbers: list[int]) -> Event:
    del numbers[:]
    began = time.monotonic()
    if kind in TOOLS:
        code, text = _called(root, *TOOLS[kind](mark))
    else:
        code, text = _ran(root, *(("undo", *filter(None, [mark]), "--json") if kind == "undo" else WRITING[kind](mark)))
    ended = time.monotonic()
    undoes = json.loads(text)["step"] if kind == "undo" and not code else 0
    return Event(kind, mark, began, ended, code, numbers[0] if numbers else 0, undoes, text=text)


def _ran(root: Path, *args: str) -> tuple[int, str]:
    os.chdir(root)
    streams = sys.stdin, sys.stdout, sys.stderr
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO()), out, err
    try:
        code = run_command([*args])
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
    for stream in (out, err):
        stream.flush()
        stream.seek(0)
    return code, out.read() if not code else err.read()


def _called(root: Path, name: str, arguments: dict[str, object]) -> tuple[int, str]:
    given, written = io.BytesIO(acts.calling(name, arguments).encode()), io.BytesIO()
    Loop(Pipes(io.BufferedReader(given), io.BufferedWriter(written)), str(root)).run()
    answer = next(each for each in map(json.loads, written.getvalue().splitlines()) if each.get("id") == 2)
    failed = "error" in answer or answer["result"].get("isError")
    return int(bool(failed)), json.dumps(answer)


def _read(root: Path) -> Event:
    began = time.monotonic()
    value = _focus(root)
    return Event("read", "", began, time.monotonic(), 0, value=value)


def _focus(root: Path) -> str:
    found = _FOCUS.search((root / FOCUS).read_text())
    return found[1] if found else ""


def _by_hand(root: Path, stop: Path, chance: random.Random) -> History:
    """A person who saves a file as editors do, after a look whether it is still the one that was opened."""
    saves: list[Saved] = []
    draft = root.parent / "draft"
    while not stop.exists():
        path = root / chance.choice(BY_HAND)
        text = path.read_bytes()
        mark = f"hand{len(saves)}end"
        draft.write_bytes(text.rstrip(b"\n") + f"\n\n<!-- {mark} -->\n".encode())
        draft.chmod(0o640)
        looked = time.monotonic()
        if path.read_bytes() == text:
            draft.replace(path)
            saves.append(Saved(path.relative_to(root).as_posix(), looked, time.monotonic(), mark))
        time.sleep(chance.random() * 0.1)
    return History([], saves)


# What has to hold


def judge(folder: Path, histories: list[History]) -> Iterator[str]:
    """What does not hold of what the processes did."""
    root = folder / PROJECT
    counts: dict[str, dict[str, int]] = json.loads((folder / "counts.json").read_text())
    events = [event for history in histories for event in history.events]
    done = [event for event in events if event.code == 0 and event.kind != "read"]
    for event in events:
        if "Traceback" in event.text:
            yield f"a traceback in {event}"
        if (event.code == 0) != bool(event.number) and event.kind != "read":
            yield f"{event} reported {event.code}, and its number is {event.number}"
    order = sorted(done, key=lambda event: event.number)
    yield from _out_of_order(order)
    text = "\n".join(_texts(root).values())
    excused = _overwritten(histories)
    undone = {event.undoes for event in order}
    stands = {event.number for event in order if event.kind != "undo"} - undone
    for event in (event for event in events if event.kind not in ("read", "undo", "focus")):
        wanted = sum(counts[event.kind].values()) if event.code == 0 and event.number in stands else 0
        if text.count(event.mark) != wanted and excused.isdisjoint(counts[event.kind]):
            yield f"{event.mark} is in the files {text.count(event.mark)} times, not {wanted}: {event}"
    yield from _not_linear(root, order, [event for event in events if event.kind == "read"], excused)
    for saved in histories[-1].saves:
        if text.count(saved.mark) != 1 and saved.path not in excused:
            yield f"what was saved by hand in {saved.path} is there {text.count(saved.mark)} times: {saved.mark}"
    yield from _unclean(root)


def _out_of_order(order: list[Event]) -> Iterator[str]:
    """Acts of a smaller number that began after one of a larger number had ended."""
    ended = float("inf")
    for event in reversed(order):
        if event.began > ended:
            yield f"step {event.number} began after a later one had ended: {event}"
        ended = min(ended, event.ended)


def _not_linear(root: Path, order: list[Event], reads: list[Event], excused: set[str]) -> Iterator[str]:
    """Whether the log of acts, and the focus as a value that is read, have an order in which all of this is true."""
    marks = {event.number: event.mark for event in order if event.kind != "undo"}
    focus = {event.mark for event in order if event.kind == "focus"}
    calls = [_call(event, marks) for event in order]
    yield from _told("the log of acts", linear.search(calls, (), linear.log))
    if FOCUS not in excused:
        last = Event("read", "", time.monotonic(), time.monotonic(), 0, value=_focus(root))
        calls = [_call(read, marks) for read in [*reads, last]] + [call for call in calls if call.value in focus]
        yield from _told("the focus", linear.search(calls, (), linear.register))


def _call(event: Event, marks: dict[int, str]) -> linear.Timed:
    if event.kind == "read":  # before the first act the focus is what the project began with
        return linear.Timed(event.began, event.ended, "read", event.value if event.value.endswith("end") else "")
    what = "write" if event.kind != "undo" else "undo" if event.mark else "undo newest"
    value = marks.get(event.undoes, f"step {event.undoes}") if event.kind == "undo" else event.mark
    return linear.Timed(event.began, event.ended, what, value)


def _told(what: str, found: list[linear.Timed] | linear.Stuck) -> Iterator[str]:
    if isinstance(found, linear.Stuck):
        yield f"{what} is not linearizable: after {found.done} calls none of {found.following[:8]} can come next"


def _overwritten(histories: list[History]) -> set[str]:
    """Files in which a save met another in the moment between a look and a rename, which no call can close."""
    found = set()
    for hand in histories[-1].saves:
        for save in (save for history in histories[:-1] for save in history.saves if save.path == hand.path):
            if save.looked <= hand.saved <= save.saved or hand.looked <= save.saved <= hand.saved:
                found.add(hand.path)
    return found


def _unclean(root: Path) -> Iterator[str]:
    with Memory.open(root) as memory:
        memory.files.recover()
        left = [path.name for path in (root / ".memdown").iterdir() if path.name.startswith("group-")]
        left += [path.name for path in root.rglob("*.tmp")] + [*map(str, (root / ".memdown/undo").glob("pending"))]
        if left:
            yield f"left behind: {', '.join(left)}"


def _texts(root: Path) -> dict[str, str]:
    paths = [path for path in root.rglob("*.md") if ".memdown" not in path.parts]
    return {path.relative_to(root).as_posix(): path.read_text("utf-8", "replace") for path in paths}
