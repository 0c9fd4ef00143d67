"""Keeping the index warm: watchfiles reports changes where it is installed, else we look every second."""

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from threading import Event
from types import ModuleType

NOTIFIED = "watchfiles"
POLLING = "polling"
PAUSE = 1.0
"""Seconds between two looks; a scan of ten thousand files takes a tenth of that."""


def means() -> str:
    """How changes are noticed here."""
    return NOTIFIED if _library() else POLLING


def changes(root: Path, homes: Iterable[str], stop: Event | None = None) -> Iterator[None]:
    """Something may have changed, again and again, until whoever asks stops, or `stop` is set."""
    stop = stop or Event()
    there = [root / home for home in homes if (root / home).is_dir()]
    library = _library()
    if library and there:
        # What begins in a folder that is not there yet is seen by the timeout.
        for _ in library.watch(*there, rust_timeout=10_000, yield_on_timeout=True, stop_event=stop):
            yield None
    while not stop.wait(PAUSE):
        yield None


def _library() -> ModuleType | None:
    """An extra, so it may not be there."""
    try:
        return import_module("watchfiles")
    except ImportError:
        return None
