"""Texts with and without credentials that were written before the patterns were: `secret_cases/true.txt` says how."""

import random
import re
import string
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from memdown import secrets

_ALPHABETS = {
    "an": string.ascii_letters + string.digits,
    "low": string.ascii_lowercase + string.digits,
    "up": string.ascii_uppercase + "234567",
    "UP": string.ascii_uppercase + string.digits,
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "b64": string.ascii_letters + string.digits + "+/",
    "url": string.ascii_letters + string.digits + "-_",
    "let": string.ascii_letters,
    "dig": string.digits,
}
_PASSWORDS = (
    "Fr0sty+Mug7 Tr4in+Spott3r kX7v+Qm2w winter!+Rose8 blue-Kite+-42! aB3#k+L9!mN Sommer+2024! hunter+2024x9".split()
)
_MADE = re.compile(r"%\{(\w*)(?: (\w+))?\}")


class SecretText(NamedTuple):
    """A text, and where the credential is in it; nowhere in a harmless one."""

    name: str
    text: str
    start: int
    end: int
    is_unseen: bool
    """Whether it belongs to the third that was not checked while the patterns were changed."""


def _filled(line: str) -> str:
    dice = random.Random(line)

    def characters(match: re.Match[str]) -> str:
        kind, length = match.groups()
        if kind == "pw":
            return dice.choice(_PASSWORDS).replace("+", "")
        if kind == "u":
            return chr(int(length, 16))
        return "".join(dice.choice(_ALPHABETS[kind]) for _ in range(int(length))) if kind else ""

    return _MADE.sub(characters, line.replace("↵", "\n"))


def _read(name: str) -> Iterator[SecretText]:
    group = ""
    lines = (Path(__file__).parent / "secret_cases" / f"{name}.txt").read_text("utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        if line.startswith("## "):
            group = line[3:]
        elif not line.startswith("# "):
            before, _, rest = _filled(line).partition("⟦")
            secret, _, after = rest.partition("⟧")
            start = len(before)
            is_unseen = zlib.crc32(line.encode()) % 3 == 0
            yield SecretText(f"{group} {number}", before + secret + after, start, start + len(secret), is_unseen)


TRUE = tuple(_read("true"))
HARMLESS = tuple(_read("harmless"))


def misses() -> list[SecretText]:
    """Texts of whose credential a part is not found."""
    return [each for each in TRUE if not _is_covered(each)]


def alarms() -> list[SecretText]:
    """Harmless texts in which one is found."""
    return [each for each in HARMLESS if secrets.find(each.text)]


def _is_covered(each: SecretText) -> bool:
    found = secrets.find(each.text)
    return all(any(one.start <= at < one.end for one in found) for at in range(each.start, each.end))
