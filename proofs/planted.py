"""Known faults, each planted in a copy of the source: the proof that is there for it must fail on it.

A proof that never fails proves nothing. The faults are listed in planted.txt, each with what must find it.
"""

import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from proofs.mutants import Copy
from proofs.outcome import Outcome, Run

FAULTS = Path(__file__).parent / "planted.txt"
LEAST = 20
SHORT = 2
"""How many are planted in the short form."""
SECONDS = 1800
"""Of waiting, on a machine that has other work too."""
FIND = """
import random, sys, traceback
from importlib import import_module
from pathlib import Path
from proofs.outcome import Run
import memdown, proofs.acts
seed, work, proof = int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
name = proof.partition(".")[0]
try:
    names = {name: import_module(f"proofs.{name}"), "proofs": proofs, "run": Run(0, seed, work)}
    names["dice"] = random.Random(seed)
    found = eval(proof, names)
except ValueError as error:  # a fault of ours that ends the proof itself
    found = Path(traceback.extract_tb(error.__traceback__)[-1].filename).is_relative_to(Path(memdown.__file__).parent)
print("FOUND" if found else "MISSED", ascii(found)[:300])
"""


class PlantedFault(NamedTuple):
    """One row."""

    what: str
    proof: str
    file: str
    old: str
    new: str


def faults() -> list[PlantedFault]:
    lines = [line for line in FAULTS.read_text("utf-8").splitlines() if not line.startswith("#")]
    rows = [line.split(" ~ ") for line in lines]
    assert all(len(row) == 5 for row in rows), rows
    return [
        PlantedFault(what, proof, file, *(each.replace("\\n", "\n") for each in texts))
        for what, proof, file, *texts in rows
    ]


def planted(copy: Copy, fault: PlantedFault, seed: int, work: Path) -> str:
    """What its proof says of a fault; empty when it was found."""
    path = copy.folder / "src/memdown" / fault.file
    text = path.read_text("utf-8")
    assert text.count(fault.old) == 1, f"planted.txt: {fault.old!r} is {text.count(fault.old)} times in {fault.file}"
    path.write_text(text.replace(fault.old, fault.new), "utf-8")
    work.mkdir()
    command = [sys.executable, "-c", FIND, str(seed), str(work), fault.proof]
    given = {"cwd": copy.folder, "env": {**os.environ, **copy.environment()}, "capture_output": True, "text": True}
    try:
        done = subprocess.run(command, timeout=SECONDS, check=False, **given)  # type: ignore[call-overload]
    except subprocess.TimeoutExpired:
        return "no end"
    finally:
        path.write_text(text, "utf-8")
    said = f"{done.stdout}{done.stderr}".strip()
    return "" if "FOUND" in done.stdout else said[-400:] or f"exit {done.returncode}"


def prove(run: Run) -> Iterator[Outcome]:
    every = faults()
    chosen = every if run.long else random.Random(run.seed).sample(every, SHORT)
    works = [run.work / f"fault{number}" for number in range(len(chosen))]

    def find(numbers: Sequence[int]) -> list[str]:
        copy = Copy(run.work / f"copy{numbers[0]}")
        return [
            f"{chosen[number].what}: {chosen[number].proof} --seed {run.seed} does not find it: {said!r}"
            for number in numbers
            if (said := planted(copy, chosen[number], run.seed, works[number]))
        ]

    cores = min(os.cpu_count() or 1, len(chosen))
    with ThreadPoolExecutor(cores) as pool:
        shares = [range(first, len(chosen), cores) for first in range(cores)]
        failures = [told for some in pool.map(find, shares) for told in some]
    yield Outcome("known faults are found", len(chosen), "faults", failures, f"of {len(every)} in planted.txt")
