"""Seeded notes, logs and banks: the same bytes on every machine."""

import random
from pathlib import Path

from index import generate, vocabulary

WORDS = tuple(vocabulary(random.Random(7))[rank] for rank in (20, 60))
"""Two words that some notes have, and most have not."""
BANK = ("projectbrief", "productContext", "systemPatterns", "techContext", "activeContext", "progress", "decisionLog")


def notes(root: Path, number: int) -> Path:
    """A project of so many cards, made once."""
    if not (root / "memories").is_dir():
        root.mkdir(parents=True, exist_ok=True)
        generate(root, number)
    return root


def log(root: Path, megabytes: float) -> Path:
    """A project with one log of decisions of that size."""
    path = root / ".squad" / "decisions.md"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        chance = random.Random(11)
        words = vocabulary(chance)
        with path.open("w", encoding="utf-8") as file:
            number = 0
            while file.tell() < megabytes * (1 << 20):
                file.write(_entry(chance, words, number))
                number += 1
    return root


def bank(root: Path) -> Path:
    """A project with a memory bank of the usual size."""
    chance = random.Random(13)
    words = vocabulary(chance)
    for name in BANK:
        path = root / "memory-bank" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        sections = "\n".join(
            f"## {_some(chance, words, 3).capitalize()}\n\n"
            + "".join(f"- {_some(chance, words, 12)}\n" for _ in range(8))
            for _ in range(6)
        )
        path.write_text(f"# {name}\n\n{sections}", encoding="utf-8")
    return root


def _entry(chance: random.Random, words: list[str], number: int) -> str:
    stamp = f"20{20 + number // 28 // 12 % 7:02}-{number // 28 % 12 + 1:02}-{number % 28 + 1:02}T10:00:00+0000"
    return (
        f"### {stamp}: decision: {_some(chance, words, 5).capitalize()} {number}\n\n**author:** Ann\n\n"
        f"**summary:** {_some(chance, words, 20)}\n\n{_some(chance, words, 60)}\n\n---\n\n"
    )


def _some(chance: random.Random, words: list[str], number: int) -> str:
    return " ".join(words[min(int(chance.paretovariate(0.7)), len(words)) - 1] for _ in range(number))
