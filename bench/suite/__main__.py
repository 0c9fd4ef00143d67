"""Measure memdown beside other programs and the physical limit, and write docs/benchmarks.md.

    bench/run                      everything at 100 to 10,000 notes, in about 20 minutes where nobody else works;
                                   installs rivals below the cache folder the first time
    bench/run --sizes 1000 50000   other sizes
    bench/run --smoke              a few seconds: one round at 50 notes, no rivals, nothing written
    bench/run --locomo FOLDER --longmemeval FILE   retrieval too

memdown is taken from .venv of this clone, or from --script. The other scripts in this folder measure
one thing each, in more detail.
"""

import argparse
import os
import tempfile
from pathlib import Path

from suite.main import run

DOCS = Path(__file__).resolve().parents[2] / "docs"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1000, 10_000], metavar="NOTES")
    parser.add_argument("--logs", type=int, nargs="*", default=[1], metavar="MB", help="sizes of logs; 50 takes long")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--cpu", action="store_true", help="measure processor time, for a machine that is busy")
    parser.add_argument("--script", help="the memdown to measure")
    parser.add_argument(
        "--cache", type=Path, default=Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")) / "memdown-bench"
    )
    parser.add_argument("--no-install", action="store_true", help="measure only rivals that are installed already")
    parser.add_argument("--locomo", type=Path, metavar="FOLDER")
    parser.add_argument("--longmemeval", type=Path, metavar="FILE")
    parser.add_argument("--out", type=Path, default=DOCS, metavar="FOLDER")
    parser.add_argument("--smoke", action="store_true")
    return parser.parse_args()


def main() -> None:
    given = arguments()
    cache = given.cache.expanduser()
    with tempfile.TemporaryDirectory(prefix="memdown-bench-") as work:
        run(given, cache, Path(work))


if __name__ == "__main__":
    main()
