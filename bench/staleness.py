"""The staleness report of a large store beside the least that any program would do, in one run.

    python bench/staleness.py [files]

The least is a bare scandir of all folders and the first line of each file. Prints the shortest and the middle of 15
interleaved runs of both, and the ratio, which is what counts.
"""

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path

from memdown import Memory

RUNS = 15
TODAY = date(2026, 2, 10)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="?", type=int, default=5000)
    files: int = parser.parse_args().files
    os.environ["MEMDOWN_NOW"] = TODAY.isoformat()
    with tempfile.TemporaryDirectory() as folder:
        fill(Path(folder), files)
        layers = Memory(Path(folder)).layers
        report = layers.get_staleness_report()
        assert len(report.fresh) + len(report.aging) + len(report.stale) == files
        acts: dict[str, Callable[[], object]] = {
            "scandir + first lines": lambda: sum(1 for _ in first_lines(f"{folder}/memory")),
            "staleness report": layers.get_staleness_report,
        }
        times = measure(acts)
    bare = times["scandir + first lines"]
    print(f"{files} files")
    for name, taken in times.items():
        middle = statistics.median(taken)
        print(
            f"{name:22} min {min(taken) * 1e3:7.1f} ms  median {middle * 1e3:7.1f} ms  {min(taken) / min(bare):5.2f}x"
        )


def fill(root: Path, files: int) -> None:
    """A store of memories of all ages, about 2 KB each."""
    for number in range(files):
        folder = root / f"memory/skills/skill-{number // 100}/project-{number % 100 // 5}"
        folder.mkdir(parents=True, exist_ok=True)
        day = TODAY - timedelta(days=number % 120)
        (folder / f"memory_{number % 5}.md").write_text(
            f"<!-- Last Updated: {day} -->\n\n# Memory\n" + "- a line\n" * 200
        )


def first_lines(folder: str) -> Iterator[str]:
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif entry.name.endswith(".md"):
                    with open(entry.path, encoding="utf-8") as file:  # noqa: PTH123 - the least there is
                        yield file.readline()


def measure(acts: dict[str, Callable[[], object]]) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in acts}
    for number in range(RUNS + 2):
        for name, act in acts.items():
            started = time.perf_counter()
            act()
            if number >= 2:  # the first two warm the disk cache
                times[name].append(time.perf_counter() - started)
    return times


if __name__ == "__main__":
    main()
