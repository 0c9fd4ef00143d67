"""How well and how fast credentials are found: precision and recall on the list of the tests, megabytes a second.

python bench/secrets.py [folder of Markdown files, for another measure of speed and of false alarms]
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from memdown.store import secrets
from secrets_cases import FALSE, TRUE

PROSE = "The pool has 10 connections; with 5 the load test timed out. See `src/db.py` and commit 3f2b8c1e5a4d.\n"


def main() -> None:
    found = sum(secret not in secrets.redact(text.format(secret)) for text, secret in TRUE.values())
    alarms = sum(secrets.redact(text) != text for text in FALSE.values())
    print(f"true cases {len(TRUE)}, false cases {len(FALSE)}")
    print(f"recall {found / len(TRUE):.3f}  precision {found / max(found + alarms, 1):.3f}  false alarms {alarms}")
    speed("prose", PROSE * 20_000)
    speed("all cases", "\n".join([*FALSE.values(), *(text.format(secret) for text, secret in TRUE.values())]) * 100)
    for folder in sys.argv[1:]:
        texts = {path: path.read_text("utf-8", "replace") for path in sorted(Path(folder).rglob("*.md"))}
        speed(folder, "\n".join(texts.values()))
        for path, text in texts.items():
            for each in secrets.find(text):
                print(f"{path}:{text.count(chr(10), 0, each.start) + 1}: {each.code} {each.kind}")


def speed(name: str, text: str) -> None:
    started = time.perf_counter()
    secrets.find(text)
    taken = time.perf_counter() - started
    print(f"{name}: {len(text) / 1e6:.1f} MB, {len(text) / 1e6 / taken:.0f} MB/s")


if __name__ == "__main__":
    main()
