"""Runs the proofs and prints one table.

    ./prove [--long] [--seed N] [--write] [NAME ...]

The short form is a sample that fits into continuous integration; --long tries everything. --write puts the table, the
machine and how to repeat it into docs/reliability.md. Exits with 1 when something did not hold.
"""

import argparse
import importlib
import os
import platform
import random
import sys
import tempfile
import time
from pathlib import Path

from memdown import __version__
from proofs.acts import surroundings
from proofs.outcome import Outcome, Proof, Run

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs/reliability.md"
PROOFS = {
    "faults": "kills and disk errors at every system call of every command and tool that writes",
    "powercut": "what was not synced is dropped or reordered, directory entries too",
    "concurrency": "many processes and an editor; the history of acknowledged writes is linearizable",
    "fuzz": "every reader, rule, fix, query and input of an assistant, guided by coverage",
    "doubling": "every reader and every regular expression on twice the text",
    "models": "random acts in each dialect beside a simple model",
    "attacks": "paths with swapped links, bytes that steer a terminal, slow HTTP clients, credentials",
    "mutants": "small faults planted in the code, which the tests must find",
    "planted": "known faults, which these proofs must find",
}
BEGIN, END = "<!-- begin: table -->", "<!-- end: table -->"


def main() -> int:
    options = _options()
    outcomes: list[tuple[str, Outcome, float]] = []
    for name in options.names or PROOFS:
        proof: Proof = importlib.import_module(f"proofs.{name}").prove
        with surroundings(), tempfile.TemporaryDirectory(prefix="memdown-prove-") as work:
            since = time.monotonic()
            for outcome in proof(Run(options.long, options.seed, Path(work))):
                outcomes.append((name, outcome, time.monotonic() - since))
                print(_line(*outcomes[-1]), flush=True)
                for failure in outcome.failures[:20]:
                    print(f"    {failure}", flush=True)
                since = time.monotonic()
    failed = sum(len(outcome.failures) for _, outcome, _ in outcomes)
    print(f"{failed} of {sum(outcome.tried for _, outcome, _ in outcomes):,} did not hold; seed {options.seed}")
    if options.write:
        _write(outcomes, options)
    return int(failed > 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("./prove", description="Prove that memdown holds, by faults, attacks and fuzzing.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"only these: {', '.join(PROOFS)}")
    parser.add_argument("--long", action="store_true", help="try everything, which takes hours")
    parser.add_argument("--seed", type=int, default=random.randrange(10**9), help="repeat a run")
    parser.add_argument("--write", action="store_true", help="write the table to docs/reliability.md")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in PROOFS]:
        parser.error(f"there is no proof {unknown[0]!r}; there are {', '.join(PROOFS)}")
    return options


def _line(name: str, outcome: Outcome, seconds: float) -> str:
    held = "held" if not outcome.failures else f"{len(outcome.failures)} FAILED"
    note = f"  {outcome.note}" if outcome.note else ""
    return f"{name:12} {outcome.what:48} {outcome.tried:>9,} {outcome.unit:12} {held:>10} {seconds:6.0f} s{note}"


def _write(outcomes: list[tuple[str, Outcome, float]], options: argparse.Namespace) -> None:
    rows = [
        f"| {name} | {outcome.what} | {outcome.tried:,} {outcome.unit} | {len(outcome.failures)} | {outcome.note} |"
        for name, outcome, _ in outcomes
    ]
    machine = f"{platform.system()} {platform.release()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    form = " --long" if options.long else ""
    names = "".join(f" {name}" for name in options.names)
    table = "\n".join(
        [
            f"`./prove{form} --seed {options.seed}{names}`, memdown {__version__}, {machine}:\n",
            "| proof | what | tried | failed | |",
            "|---|---|---|---|---|",
            *rows,
        ]
    )
    text = PAGE.read_text(encoding="utf-8")
    head, tail = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
    PAGE.write_text(f"{head}\n{table}\n{tail}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
