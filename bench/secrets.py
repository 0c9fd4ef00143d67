"""How well and how fast credentials are found: precision and recall on the list of the tests, the time for a megabyte.

python bench/secrets.py [folder of Markdown files and transcripts, for another measure of speed and of false alarms]
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from memdown import secrets
from secret_texts import HARMLESS, alarms, misses
from secret_texts import TRUE as INDEPENDENT
from secrets_cases import FALSE, TRUE

PROSE = "The pool has 10 connections; with 5 the load test timed out. See `src/db.py`, as we said on Friday.\n"
COMMITS = "The pool has 10 connections; with 5 the load test timed out. See `src/db.py` and commit 3f2b8c1e5a4d.\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "folders", nargs="*", metavar="FOLDER", help="folder of Markdown files and transcripts (.jsonl) to measure too"
    )
    folders: list[str] = parser.parse_args().folders
    found = sum(secret not in secrets.redact(text.format(secret)) for text, secret in TRUE.values())
    wrong = sum(secrets.redact(text) != text for text in FALSE.values())
    print(f"true cases {len(TRUE)}, false cases {len(FALSE)}")
    print(f"recall {found / len(TRUE):.3f}  precision {found / max(found + wrong, 1):.3f}  false alarms {wrong}")
    for is_unseen in (False, True):
        true, harmless = ([each for each in all if each.is_unseen == is_unseen] for all in (INDEPENDENT, HARMLESS))
        missed, wrong = (sum(each.is_unseen == is_unseen for each in found) for found in (misses(), alarms()))
        print(
            f"independent, {'kept apart' if is_unseen else 'tuned on'}: {missed} of {len(true)} missed"
            f" ({missed / len(true):.1%}), {wrong} of {len(harmless)} false alarms ({wrong / len(harmless):.1%})"
        )
    speed("prose", PROSE * 20_000)
    speed("prose with a commit in every line", COMMITS * 20_000)
    speed("all cases", "\n".join([*FALSE.values(), *(text.format(secret) for text, secret in TRUE.values())]) * 100)
    for folder, suffix in ((folder, suffix) for folder in folders for suffix in (".md", ".jsonl")):
        texts = {path: path.read_text("utf-8", "replace") for path in sorted(Path(folder).rglob(f"*{suffix}"))}
        if texts:
            speed(f"{folder} {suffix}", "\n".join(texts.values()))
        for path, text in texts.items():
            for each in secrets.find(text):
                print(f"{path}:{text.count(chr(10), 0, each.start) + 1}: {each.code} {each.kind}")


def speed(name: str, text: str) -> None:
    taken = 1e9
    for _ in range(5):  # the least is what it takes; the rest is what else the machine does
        started = time.process_time()
        secrets.find(text)
        taken = min(taken, time.process_time() - started)
    print(f"{name}: {len(text) / 1e6:.1f} MB, {taken * 1e9 / len(text):.1f} ms/MB")


if __name__ == "__main__":
    main()
