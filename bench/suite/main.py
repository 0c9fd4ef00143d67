"""One run: rows as they come, on the screen; then the page."""

import argparse
import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import memdown
from suite import instructions, page, retrieval, rows
from suite.rivals import path_with_node, rivals
from suite.rows import Bench
from suite.timing import Row, spent


def run(given: argparse.Namespace, cache: Path, work: Path) -> None:
    """Measure what was asked for; the page is not written for a smoke run."""
    script = given.script or shutil.which("memdown", path=str(Path(sys.executable).parent)) or shutil.which("memdown")
    if script is None:
        sys.exit("bench/run: no memdown found; run ./test once, or give --script.")
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    smoke, sizes = given.smoke, [50] if given.smoke else given.sizes
    known = rivals(work / "none" if smoke else cache, install=not (smoke or given.no_install))
    env = {
        **rows.environment(),
        **dict.fromkeys(("XDG_CACHE_HOME", "XDG_CONFIG_HOME"), str(work / "qmd")),
        "PATH": path_with_node(cache),
    }
    bench = Bench(
        str(Path(script).absolute()),
        rows.interpreter_of(str(script)),
        work,
        known,
        1 if smoke else given.rounds,
        env,
        spent if given.cpu else time.perf_counter,
    )
    found = []
    for row in _rows(bench, sizes, () if smoke else tuple(given.logs)):
        found.append(row)
        _tell(row)
    if smoke:
        return
    before = instructions.kept()
    counted = instructions.count(bench.script, bench.python, work / "small", env)
    if counted:
        instructions.keep(counted)
    tables = [instructions.table(counted, before)]
    tables += [retrieval.locomo_table(given.locomo)] if given.locomo else []
    tables += [retrieval.longmemeval_table(given.longmemeval)] if given.longmemeval else []
    command = " ".join(("bench/run", *sys.argv[1:]))
    print(page.write(given.out, found, tuple(known.values()), tables, command, load, cpu=given.cpu))


def _rows(bench: Bench, sizes: list[int], logs: tuple[int, ...]) -> Iterator[Row]:
    yield from rows.starts(bench)
    for notes in sizes:
        yield from rows.grown(bench, notes)
        shutil.rmtree(bench.work / f"notes-{notes}", ignore_errors=True)
    yield from rows.logs(bench, logs)
    yield from rows.merging(bench)
    yield rows.install_sizes(bench, Path(memdown.__file__).parent)


def _tell(row: Row) -> None:
    scale = 1 if row.unit == "MB" else 1000
    parts = []
    for name, taken in row.taken.items():
        ratio = row.ratio(name)
        times = f" ({ratio:.2f}x)" if ratio and name != row.limit else ""
        parts.append(f"{name} {taken.median * scale:,.1f} {row.unit}{times}")
    print(f"{row.work}{f', {row.notes:,} notes' if row.notes else ''}: {'; '.join(parts)}", flush=True)
