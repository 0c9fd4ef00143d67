"""What only reads answers all the same where nothing can be written: its index, its log and its counts are derived.

Every call that changes something below the root fails, or ends the process: the answer is the one of an undisturbed
run, with the exit code 0 and without a traceback; after a kill the next run gives it.
"""

import json
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

from proofs import acts, calls
from proofs.acts import KILLED, Doing, Tried
from proofs.faults import Fault, Faulty, Found, Job, Listing, each_row
from proofs.outcome import Outcome, Run

KINDS = {
    "ENOSPC": "an answer, though a call fails: no space left",
    "full disk": "an answer, though no space is left from a call on",
    "EACCES": "an answer, though a call fails: permission denied",
    "kill": "an answer after a kill",
}
PROMPT = "What did we decide about PostgreSQL, and why is Feature X open?"
_SAMPLE = 2
"""How many faults of a kind a row meets in the short form."""


def rows() -> Iterator[Doing]:
    """The hooks that brief and recall, and the commands and tools that an assistant asks first."""
    for event, more in (("SessionStart", {"source": "startup"}), ("UserPromptSubmit", {"prompt": PROMPT})):
        given = {"session_id": "s", "cwd": ".", "hook_event_name": event, "transcript_path": "../talk.jsonl", **more}
        yield Doing("hook", ("hook", event), json.dumps(given))
    for words in (("search", "postgresql"), ("list",), ("context",)):
        yield Doing(words[0], words, "")
    yield Doing("search", ("mcp",), acts.calling("search", {"query": "postgresql"}))
    yield Doing("context", ("mcp",), acts.calling("context", {"task": PROMPT}))


def try_row(job: Job) -> Found:
    """All faults of one row, or a sample of them."""
    base, above, doing, share, seed = job
    work = Path(above) / f"row-{os.urandom(6).hex()}"
    work.mkdir()
    tried, failures = dict.fromkeys(KINDS, 0), list[tuple[str, str]]()
    try:
        row = Row(Path(base), work, doing)
        for kind in KINDS:
            points = row.points
            if share < 1:
                most = min(max(_SAMPLE, round(share * len(points))), len(points))
                points = random.Random(f"{seed} {doing} {kind}").sample(points, most)
            tried[kind] = len(points)
            for point in points:
                wrong = [f"{kind} at call {point} of {doing}: {each}" for each in row.meets(kind, point)]
                failures += [(kind, each) for each in wrong[:1]]
    finally:
        shutil.rmtree(work)
    return Found(tried, failures)


class Row:
    """Something that reads: its answer when nothing fails, and the calls at which something may."""

    def __init__(self, base: Path, work: Path, doing: Doing) -> None:
        self.base = base
        self.work = work
        self.doing = doing
        acts.warm(acts.copied(base, work / "warm"), doing)
        log = work / "calls"
        folder = acts.copied(base, work / "plain")
        self.plain = acts.tried(folder, doing, lambda root: calls.watch(root, Listing(log)))
        assert (self.plain.code, bool(self.plain.out)) == (0, True), (doing, self.plain)
        listed = [line.split(" ", 1)[0] for line in log.read_text("utf-8", "surrogateescape").splitlines()]
        self.points = [point for point, changes in enumerate(listed) if changes == "True"]

    def meets(self, kind: str, point: int) -> Iterator[str]:
        """What does not hold after a fault."""
        folder = acts.copied(self.base, self.work / "try")
        try:
            done = acts.tried(folder, self.doing, lambda root: calls.watch(root, Faulty(Fault(kind, point))))
            if done.code == KILLED:
                # What a hook has said is not said again.
                is_said = self.doing.name == "hook" and done.out
                done = Tried(0, done.out, done.err) if is_said else acts.tried(folder, self.doing)
            yield from self._unlike(done, folder)
        finally:
            shutil.rmtree(folder)

    def _unlike(self, done: Tried, folder: Path) -> Iterator[str]:
        if "Traceback" in done.err:
            yield f"a traceback: {done.err.strip().splitlines()[-1]}"
        if done.code:
            yield f"exit code {done.code}: {' '.join(done.err.split())[:160]}"
        if done.err.count("\n") > 1:
            yield f"{done.err.count(chr(10))} lines of errors"
        if self._answer(done, folder) != self._answer(self.plain, self.work / "plain"):
            yield f"another answer: {done.out[:160]!r}"

    def _answer(self, done: Tried, folder: Path) -> object:
        """What has to be the same. A hook has little time to make an index anew, and says less without one."""
        if self.doing.name == "hook":
            return "additionalContext" in done.out
        lines = done.out.replace(str(folder), "").splitlines()
        return [line for line in lines if '"id":2' in line] if self.doing.is_tool else lines


def prove(run: Run) -> Iterator[Outcome]:
    found = each_row(run, try_row, rows(), index=True)
    for kind, what in KINDS.items():
        failures = sorted(text for each in found for where, text in each.failures if where == kind)
        yield Outcome(what, sum(each.tried[kind] for each in found), "tries", failures)
