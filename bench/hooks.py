"""Hooks as cold processes, side by side in one run with bare Python, on a store of 1,000 cards.

    python bench/hooks.py [path of an installed memdown script]

Prints the shortest and the middle of 25 interleaved runs, and their ratio to bare Python, which is what counts: first
with an index that is up to date (`memdown index` runs before each round, outside the measured time), then with 20 cards
changed before each event, which the hook has to read. `Stop` reads a transcript of 5 MB that has got one new message
since the last run, and writes its card.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from memdown.markdown import cardfile

RUNS = 25
CARDS = 1000
CHANGED = 20
WORDS = "pool cache index login session parser token queue retry backup schema deploy merge lock branch timeout".split()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("script", nargs="?", default=shutil.which("memdown"), help="an installed memdown script")
    given: str | None = parser.parse_args().script
    if given is None:
        sys.exit("bench/hooks.py: no memdown on the path; give the path of its console script.")
    script = str(Path(given).absolute())
    interpreter = Path(script).read_text("utf-8").partition("\n")[0].removeprefix("#!")
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_cards(root)
        for changed in (0, CHANGED):
            print(f"\n{CARDS} cards, {f'{changed} of them changed' if changed else 'with a fresh index'}")
            show(measure(script, interpreter, env, root, changed))


def show(times: dict[str, list[float]]) -> None:
    bare = min(times["python -c pass"])
    middle = statistics.median(times["python -c pass"])
    for name, taken in times.items():
        ratio = f"{min(taken) / bare:5.2f}x of the shortest, {statistics.median(taken) / middle:5.2f}x of the middle"
        print(f"{name:18} min {min(taken) * 1e3:6.1f} ms  median {statistics.median(taken) * 1e3:6.1f} ms  {ratio}")


def measure(script: str, interpreter: str, env: dict[str, str], root: Path, changed: int) -> dict[str, list[float]]:
    cards = sorted((root / "memories").iterdir())[:changed]
    transcript = root / "transcript.jsonl"
    make_transcript(transcript)
    given = {"session_id": "bench", "cwd": str(root), "transcript_path": str(transcript), "source": "startup"}
    given["prompt"] = "Why did the pool timeout change after the deploy of the parser?"
    times: dict[str, list[float]] = {}
    for number in range(RUNS + 2):
        given["session_id"] = f"bench {number}"
        with transcript.open("a", encoding="utf-8") as file:
            file.write(line("assistant", f"new-{time.time()}", f"Message {number}, {time.time()}.\n\nA second line."))
        commands = {"python -c pass": [interpreter, "-c", "pass"]}
        commands |= {event: [script, "hook", event] for event in ("SessionStart", "UserPromptSubmit", "Stop")}
        subprocess.run([script, "index"], env=env, cwd=root, capture_output=True, check=True)
        for name, command in commands.items():
            for card in cards:
                card.write_text(f"{card.read_text('utf-8')}Round {number} of {name}.\n", "utf-8")
            time.sleep(0.1)  # until a change would show
            started = time.perf_counter()
            data = json.dumps(given).encode()
            subprocess.run(command, env=env, cwd=root, input=data, stdout=subprocess.DEVNULL, check=True)
            if number >= 2:  # the first two write byte code, warm the disk cache, and read what there was before
                times.setdefault(name, []).append(time.perf_counter() - started)
    return times


def make_cards(root: Path) -> None:
    dice = random.Random(7)
    home = root / "memories"
    home.mkdir()
    for number in range(CARDS):
        words = dice.sample(WORDS, 4)
        body = "\n".join(" ".join(dice.choices(WORDS, k=12)) + "." for _ in range(20))
        at = f"2026-{1 + number % 12:02}-{1 + number % 28:02}T10:00:00Z"
        id = cardfile.new_id()
        text = cardfile.compose(id, f"The {words[0]} of {words[1]} {number}", words, "global", at, body)
        (home / f"{id}.md").write_text(text, "utf-8")


def line(kind: str, id: str, text: str) -> str:
    message = {"id": id, "role": kind, "content": [{"type": "text", "text": text}]}
    return json.dumps({"type": kind, "timestamp": "2026-03-01T10:00:00Z", "message": message}) + "\n"


def make_transcript(path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for number in range(5_000_000 // 2_200):
            file.write(line("user", f"u{number}", "Some words of the output of a tool. " * 55))
            file.write(line("assistant", f"a{number}", "One line."))


if __name__ == "__main__":
    main()
