"""Words for people: colours on a terminal, and numbers with their nouns. Imports next to nothing."""

import os
import sys

_COLOURS = {
    "error": "31",
    "warning": "33",
    "info": "34",
    "removed": "31",
    "added": "32",
    "place": "36",
    "dim": "90",
    "strong": "1;37",
}


def colours_wanted() -> bool:
    """Only on a terminal, and never when NO_COLOR says so (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def style(kind: str, text: str) -> str:
    colour = _COLOURS.get(kind)
    return f"\x1b[{colour}m{text}\x1b[0m" if colour and colours_wanted() else text


def count(number: int, thing: str) -> str:
    """1 file, 2 files, 3 entries."""
    if number == 1:
        return f"1 {thing}"
    many = f"{thing[:-1]}ies" if thing.endswith("y") and thing[-2] not in "aeo" else f"{thing}s"
    return f"{number:,} {many}"
