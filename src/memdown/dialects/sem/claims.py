"""Which files hold entries: by their place, else by what they say."""

import re
from collections.abc import Iterator

from memdown.dialects.sem import grammar
from memdown.dialects.sem.split import LogPart, split
from memdown.patterns import lazy

_MAY_BE_SEM = lazy(r"##[ \t]+\d{4}-")


def claims(path: str, text: str) -> bool:
    """A log, drop-box file, archive, history or session log by its place; else a text with canonical entries."""
    part = grammar.part_of(path)
    if part is None:
        return path.lower().endswith(".md") and any(_sem_headings(text))
    return path.split("/")[-1] != "decisions.md" or _in_home(path) or "/" not in path or any(_dated(text))


def _in_home(path: str) -> bool:
    return any(home in path.replace("\\", "/").split("/") for home in grammar.HOMES)


def _sem_headings(text: str) -> Iterator[LogPart]:
    # The first pattern begins with characters that can be searched for; the second is tried at every line.
    if _MAY_BE_SEM.search(text) and re.search(
        r"^#{2,4}[ \t]+\d{4}-\d{2}-\d{2}[^\r\n]*:[ \t]*(?:decision|memory|note|directive):", text, re.M | re.I
    ):
        yield from (part for part in split(text, "log") if part.form == "sem")


def _dated(text: str) -> Iterator[LogPart]:
    return (part for part in split(text, "log") if part.form in ("sem", "dated"))
