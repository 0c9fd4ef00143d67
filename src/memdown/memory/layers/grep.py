"""Finding lines in memories with a pattern that somebody typed, without letting it run for ever."""

import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from memdown.errors import fault_of
from memdown.patterns import lazy
from memdown.text import Lines

SECONDS = 5.0
"""Processor time a pattern may take."""

LONGEST_LINE = 10_000
"""Characters of a line that are looked at."""

_ENDLESS = lazy(r"[*+](?![+])|\{\d*,\}")
_NESTED = lazy(r"\((?:[^()\\]|\\.)*(?:[*+|]|\{\d*,\})(?:[^()\\]|\\.)*\)(?:[*+]|\{\d*,\})")
_MOST_ENDLESS = 3
_POSSESSIVE = lazy(r"(?s)\\.|\[\^?\]?[^\]\\]*(?:\\.[^\]\\]*)*\]|((?:[*+?]|\{(?:\d+|\d*,\d*)\})\+|\(\?>)")
"""A possessive quantifier or an atomic group is the group of a match; the others are what could be taken for one."""
_KIND = "possessive quantifier or atomic group"
_PYTHON = tuple(sys.version_info[:3])
_POSSESSIVE_WRONG = _PYTHON < (3, 11, 5)
_POSSESSIVE_GROUPS_FAIL = _PYTHON < (3, 12, 8) or _PYTHON == (3, 13, 0)
_TIMER = hasattr(signal, "setitimer")


class TooSlow(Exception):
    """A pattern took longer than it may."""


def compiled(pattern: str, *, ignore_case: bool) -> tuple[re.Pattern[str], str | None]:
    """The pattern, and a sentence when it had to be taken literally."""
    flags = re.IGNORECASE if ignore_case else 0
    literal = re.compile(re.escape(pattern), flags)
    try:
        found = re.compile(pattern, flags)
    except (re.error, OverflowError, RecursionError) as error:
        return literal, f"The pattern is not a regular expression ({fault_of(error)}), so it was searched for as text."
    if _misread(pattern, found.groups):
        version = ".".join(map(str, _PYTHON))
        return literal, f"Python {version} misreads this kind of pattern ({_KIND}), so it was searched for as text."
    if _costly(pattern) and not _can_stop():
        return literal, "The pattern could take forever, so it was searched for as text."
    return found, None


def _misread(pattern: str, groups: int) -> bool:
    """Whether Python's own faults would make it find the wrong lines (python/cpython#106052) or fail (#101955)."""
    marks = {match[1] for match in _POSSESSIVE.finditer(pattern) if match[1]}
    if _POSSESSIVE_WRONG:
        return bool(marks)
    return _POSSESSIVE_GROUPS_FAIL and groups > 0 and bool(marks - {"(?>"})


def _costly(pattern: str) -> bool:
    return bool(_NESTED.search(pattern)) or len(_ENDLESS.findall(pattern)) > _MOST_ENDLESS


def _can_stop() -> bool:
    """Whether a search can be interrupted: signals reach the main thread only, and not on Windows."""
    return _TIMER and threading.current_thread() is threading.main_thread()


@contextmanager
def limited() -> Iterator[None]:
    """Raise TooSlow when the block takes more processor time than a pattern may."""
    if not _can_stop():
        yield
        return

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlow

    # Processor time, so that nothing else which uses an alarm is disturbed.
    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def lines_with(text: str, matches: Callable[[str], object]) -> Iterator[tuple[int, str, str]]:
    """Lines that match: number from 1, the line, and the line with two before and two after it."""
    lines = Lines(text)
    for number in range(len(lines)):
        line = lines.span(number).of(text)
        if matches(line[:LONGEST_LINE]):
            around = range(max(number - 2, 0), min(number + 3, len(lines)))
            yield number + 1, line, "\n".join(lines.span(each).of(text) for each in around)
