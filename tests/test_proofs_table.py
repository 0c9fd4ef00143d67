"""The table of proofs: each in a process of its own, and written one proof at a time."""

import os
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

from proofs.__main__ import BEGIN, END, _page
from proofs.outcome import Outcome

HERE = Path(__file__).parents[1]
HOW = Namespace(long=True, share=1.0, seed=7)


def test_rows_of_other_proofs_stay() -> None:
    page = f"# Reliability\n\n{BEGIN}\n{END}\n\nThe end.\n"
    first = _page(page, {"models": [(Outcome("acts", 30, "acts", ["one"]), 1.0)]}, HOW)
    second = _page(first, {"faults": [(Outcome("kills", 1200, "tries", [], "all"), 1.0)]}, HOW)
    rows = [line for line in second.splitlines() if line.startswith("| ")]
    assert rows[1:] == [
        "| faults | kills | 1,200 tries | 0 | all | `./prove --long --seed 7 faults` |",
        "| models | acts | 30 acts | 1 |  | `./prove --long --seed 7 models` |",
    ]
    part = _page(page, {"models": [(Outcome("acts", 3, "acts", []), 1.0)]}, Namespace(long=True, share=0.1, seed=7))
    assert "`./prove --long --share 0.1 --seed 7 models`" in part
    third = _page(second, {"models": [(Outcome("acts", 40, "acts", []), 1.0)]}, HOW)
    assert "| 40 acts | 0 |" in third
    assert "| 30 acts |" not in third
    assert third.startswith("# Reliability\n")
    assert third.endswith(f"{END}\n\nThe end.\n")


def test_an_unknown_proof_is_refused() -> None:
    asked = subprocess.run(
        [sys.executable, "-m", "proofs", "none"],
        cwd=HERE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(HERE), str(HERE / "tests")))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert asked.returncode == 2
    assert "there is no proof 'none'" in asked.stderr
