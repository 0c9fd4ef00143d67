"""The age of every memory of a store, from the first block of each file."""

import errno
import os
from collections.abc import Callable, Iterable
from datetime import date

from memdown.dialects.layers import grammar, stamps, write
from memdown.limits.settings import LayerSettings
from memdown.memory.layers.values import Age, StalenessReport
from memdown.store import Files
from memdown.store.jail import reason
from memdown.text import decode

BLOCK = 4096
"""Bytes of a file that are read: its first line, and the ten in which the older stamp may be."""

_OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)


def report(
    files: Files,
    names: Iterable[str],
    home: str,
    today: date,
    settings: LayerSettings,
    tell: Callable[[str], None],
) -> StalenessReport:
    """Memories by age. Each file is opened once, and only its first block is read.

    `tell` hears of files that cannot be read, or that say something impossible.
    """
    groups: dict[str, list[Age]] = {"fresh": [], "aging": [], "stale": []}
    root, start = f"{files.root}/", len(home) + 1
    for name in names:
        place = name[start:]
        if grammar.is_structural(place):
            continue
        text = beginning(files, root + name, name, tell)
        day, days = aged(name, text, today, settings, tell)
        age = Age(id_of(place), name, day.isoformat() if day else None, days)
        groups[settings.staleness(days)].append(age)
    for ages in groups.values():
        ages.sort(key=_oldest_first)
    return StalenessReport(**groups)


def aged(
    name: str, text: str, today: date, settings: LayerSettings, tell: Callable[[str], None]
) -> tuple[date | None, int | None]:
    """The day of a memory's stamp and its age; `tell` hears of a day that is yet to come."""
    day = stamps.day_counted(text, settings)
    if day and day > today:
        tell(f"{name} is stamped {day}, which is in the future, and counts as today")
    return day, stamps.age(day, today)


def id_of(place: str) -> str:
    """The id of a file of the store; its path without ending where no layer has it."""
    address = grammar.located(place)
    return address.id if address else place.removesuffix(".md")


def beginning(files: Files, path: str, name: str, tell: Callable[[str], None]) -> str:
    """The first block of a file; nothing of one that cannot be read, which is then as old as can be."""
    try:
        try:
            descriptor = files.disk.open(path, _OPEN)
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
            descriptor = files.disk.open(files.path(name), _OPEN)  # a link, which has to stay inside the root
        try:
            block = os.read(descriptor, BLOCK)
        finally:
            os.close(descriptor)
    except OSError as error:
        tell(f"{name} cannot be read ({reason(error)}) and counts as stale")
        return ""
    text = decode(block)
    if not text.isascii() and write.is_damaged(stamps.first_line(text)):
        tell(f"{name} begins with bytes that are not UTF-8 and counts as stale")
    return text


def _oldest_first(age: Age) -> tuple[bool, int, str]:
    return age.days_since_update is not None, -(age.days_since_update or 0), age.id
