"""Runs the proofs and prints one table.

    ./prove [--long [--share S]] [--seed N] [--write] [NAME ...]

The short form is a sample that fits into continuous integration; --long tries everything, or a share of it that is
drawn at random. --write puts the table, the machine and how to repeat it into docs/reliability.md. Exits with 1 when
something did not hold.
"""

import argparse
import importlib
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from msgspec import json

from memdown import __version__
from proofs.acts import surroundings
from proofs.outcome import Outcome, Proof, Run

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs/reliability.md"
PROOFS = {
    "faults": "kills and disk errors at every system call of every command and tool that writes",
    "answers": "the same at every call that writes of what only reads, which answers all the same",
    "powercut": "what was not synced is dropped or reordered, directory entries too",
    "concurrency": "many processes and an editor; the history of acknowledged writes is linearizable",
    "fuzz": "every reader, rule, fix, query and input of an assistant, guided by coverage",
    "doubling": "every reader and every regular expression on twice the text",
    "models": "random acts in each dialect beside a simple model",
    "attacks": "paths with swapped links, bytes that steer a terminal, slow HTTP clients, credentials",
    "mutants": "small faults planted in the code, which the tests must find",
    "planted": "known faults, which these proofs must find",
}
Timed = tuple[Outcome, float]
BEGIN, END = "<!-- begin: table -->", "<!-- end: table -->"


def main() -> int:
    options = _options()
    if options.into:
        options.into.write_bytes(json.encode(_proven(options.names[0], options.share, options.seed)))
        return 0
    names = [name for name in PROOFS if name in (options.names or PROOFS)]
    outcomes: dict[str, list[Timed]] = {}
    with ThreadPoolExecutor(os.cpu_count()) as waiting:
        proving = {waiting.submit(_in_a_process, name, options): name for name in names}
        for done in as_completed(proving):
            outcomes[proving[done]] = done.result()
            for outcome, seconds in done.result():
                print(_line(proving[done], outcome, seconds))
                for failure in outcome.failures[:20]:
                    print(f"    {failure}")
            sys.stdout.flush()
    every = [outcome for found in outcomes.values() for outcome, _ in found]
    failed = sum(len(outcome.failures) for outcome in every)
    print(f"{failed} of {sum(outcome.tried for outcome in every):,} did not hold; seed {options.seed}")
    if options.write:
        PAGE.write_text(_page(PAGE.read_text(encoding="utf-8"), outcomes, options), encoding="utf-8")
    return int(failed > 0)


def _in_a_process(name: str, options: argparse.Namespace) -> list[Timed]:
    """What one proof found, in a process of its own, as proofs fork, patch and change folders."""
    with tempfile.TemporaryDirectory(prefix="memdown-prove-") as folder:
        into = Path(folder, "outcomes")
        form = ["--long", "--share", str(options.share)] if options.long else []
        subprocess.run(
            [sys.executable, "-m", "proofs", name, "--seed", str(options.seed), "--into", str(into), *form], check=True
        )
        return json.decode(into.read_bytes(), type=list[Timed])


def _proven(name: str, share: float, seed: int) -> list[Timed]:
    proof: Proof = importlib.import_module(f"proofs.{name}").prove
    found: list[Timed] = []
    with surroundings(), tempfile.TemporaryDirectory(prefix="memdown-prove-") as work:
        since = time.monotonic()
        for outcome in proof(Run(share, seed, Path(work))):
            found.append((outcome, time.monotonic() - since))
            since = time.monotonic()
    return found


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("./prove", description="Prove that memdown holds, by faults, attacks and fuzzing.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"only these: {', '.join(PROOFS)}")
    parser.add_argument("--long", action="store_true", help="try everything, which takes hours")
    parser.add_argument("--share", type=float, default=1, metavar="S", help="with --long, this much of it, as in 0.1")
    parser.add_argument("--seed", type=int, default=random.randrange(10**9), help="repeat a run")
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true", help="write the table to docs/reliability.md")
    options = parser.parse_args()
    if not 0 < options.share <= 1:
        parser.error(f"--share takes a number above 0 and up to 1, not {options.share:g}")
    options.share *= options.long
    if unknown := [name for name in options.names if name not in PROOFS]:
        parser.error(f"there is no proof {unknown[0]!r}; there are {', '.join(PROOFS)}")
    return options


def _line(name: str, outcome: Outcome, seconds: float) -> str:
    held = "held" if not outcome.failures else f"{len(outcome.failures)} FAILED"
    note = f"  {outcome.note}" if outcome.note else ""
    return f"{name:12} {outcome.what:48} {outcome.tried:>9,} {outcome.unit:12} {held:>10} {seconds:6.0f} s{note}"


def _page(text: str, outcomes: dict[str, list[Timed]], options: argparse.Namespace) -> str:
    """The page with these rows; those of other proofs stay, as the long form is run one proof at a time."""
    head, tail = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
    kept = {
        name: [line for line in text.splitlines() if line.startswith(f"| {name} |")]
        for name in PROOFS
        if name not in outcomes
    }
    machine = f"{platform.system()} {platform.release()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    form = " --long" * options.long + f" --share {options.share:g}" * (0 < options.share < 1)
    run = f"`./prove{form} --seed {options.seed}"
    new = {
        name: [
            f"| {name} | {it.what} | {it.tried:,} {it.unit} | {len(it.failures)} | {it.note} | {run} {name}` |"
            for it, _ in found
        ]
        for name, found in outcomes.items()
    }
    rows = [row for name in PROOFS for row in (new.get(name) or kept.get(name, []))]
    table = ["| proof | what | tried | failed | | run |", "|---|---|---|---|---|---|", *rows]
    return "\n".join([head, f"memdown {__version__}, {machine}:\n", *table, tail])


if __name__ == "__main__":
    sys.exit(main())
