"""Cold start, side by side in one run: bare Python, and what people and hooks call most, in a small project.

    python bench/start.py [path of an installed memdown script]

Prints the shortest and the middle of 25 interleaved runs, and their ratio to bare Python, which is what counts.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 25


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("script", nargs="?", default=shutil.which("memdown"), help="an installed memdown script")
    script: str | None = parser.parse_args().script
    if script is None:
        sys.exit("bench/start.py: no memdown on the path; give the path of its console script.")
    interpreter = Path(script).read_text("utf-8").partition("\n")[0].removeprefix("#!")
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    commands = {
        "python -c pass": [interpreter, "-c", "pass"],
        "memdown --version": [script, "--version"],
        "memdown --help": [script, "--help"],
        "memdown search": [script, "search", "pool"],
        "memdown list": [script, "list"],
        "memdown status": [script, "status"],
        "memdown show": [script, "show", "Pool"],
        "memdown add": [script, "add", "card", "Another", "-k", "other", "--content", "What was learnt about another."],
        "memdown undo": [script, "undo"],
    }
    with tempfile.TemporaryDirectory() as folder:
        card = ["add", "card", "Pool size is 10", "-k", "pool", "--content", "With 5 connections it timed out."]
        subprocess.run([script, *card], env=env, cwd=folder, stdout=subprocess.DEVNULL, check=True)
        times = measure(commands, env, folder)
    bare = min(times["python -c pass"])
    for name, taken in times.items():
        middle = statistics.median(taken)
        print(f"{name:20} min {min(taken) * 1e3:6.1f} ms  median {middle * 1e3:6.1f} ms  {min(taken) / bare:5.2f}x")


def measure(commands: dict[str, list[str]], env: dict[str, str], folder: str) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(RUNS + 2):
        for name, command in commands.items():
            started = time.perf_counter()
            subprocess.run(command, env=env, cwd=folder, stdout=subprocess.DEVNULL, check=True)
            if number >= 2:  # the first two write byte code and warm the disk cache
                times[name].append(time.perf_counter() - started)
    return times


if __name__ == "__main__":
    main()
