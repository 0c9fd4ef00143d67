"""Dates as people spell them in any dialect: ISO, with slashes or dots, by name, in Chinese signs."""

import re
from datetime import date

from memdown import times
from memdown.patterns import lazy
from memdown.times import Moment

_CLOCK = r"[T _]{1,2}\d{1,2}[:：]\d{2}(?:[:：]\d{2}(?:[.,]\d+)?)?(?: ?[AaPp]\.?[Mm]\b\.?)?"
_ZONE = r" ?(?:[Zz]\b|[+-]\d{2}:?\d{2}\b|\(?(?:UTC|GMT|CES?T|[EIJKP][SD]T)\)?(?:[+-]\d{1,2})?(?!\w))"
_ISO = r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)"
_CJK = r"\d{4}年 ?\d{1,2}月 ?\d{1,2}日"
_DOTTED = r"(?<![\d.])\d{1,2}\.\d{1,2}\.\d{4}(?!\.?\d)"
_SLASHED = r"\d{1,2}/\d{1,2}/\d{4}(?!\d)"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?:{'|'.join(_MONTHS).title()})[a-z]{{0,6}}\.?"
_NAMED = rf"{_MONTH} \d{{1,2}}[a-z]{{0,2}},? \d{{4}}\b|\d{{1,2}}[a-z]{{0,2}} {_MONTH},? \d{{4}}\b"

DAY = rf"(?:{_ISO}|{_CJK}|{_DOTTED}|{_SLASHED}|{_NAMED})"
"""Any spelling of a date, as a piece of a pattern."""
STAMP = rf"(?:{_ISO}(?:{_CLOCK}(?:{_ZONE})?)?|{_CJK}|{_DOTTED}|{_SLASHED}(?:,?{_CLOCK})?|{_NAMED})"
"""The same, perhaps with a time."""

PERIOD = rf"(?:{STAMP}|{_MONTH},? \d{{4}}|Q[1-4],? \d{{4}}|\d{{4}}年 ?\d{{1,2}}月|\d{{4}}(?:[-/.]\d{{1,2}})?)"
"""The same, or a month, a quarter or a year."""

STAMP_PATTERN = lazy(STAMP)

_ISO_TIME = r"[Tt]\d{2}[:\-]?\d{2}(?:[:\-]?\d{2}(?:[.,]\d{1,9})?)?| \d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?"
_ISO_ZONE = r" ?(?:[Zz](?![A-Za-z])|[+-]\d{2}:?\d{2}(?!\d)|UTC\b)"
ISO_STAMP = lazy(rf"\d{{4}}-\d{{2}}-\d{{2}}(?!\d)(?:(?:{_ISO_TIME})(?:{_ISO_ZONE})?)?", re.ASCII)
"""A date with dashes, perhaps with a time and a zone, in any spelling of those in real files."""

_NUMBERS = lazy(r"\d+")
_FIRST_DAY = lazy(r"\b(?:1[3-9]|2\d|3[01])/\d{1,2}/\d{4}")
_SECOND_DAY = lazy(r"\b\d{1,2}/(?:1[3-9]|2\d|3[01])/\d{4}")
SLASHED = lazy(r"\b\d{1,2}/\d{1,2}/\d{4}")
_NOON = 12


def iso_moment(text: str) -> Moment | None:
    """The first moment that a text names with dashes."""
    match = ISO_STAMP.search(text)
    return iso_stamp(match.group()) if match else None


def iso_stamp(token: str) -> Moment | None:
    """A moment from such a spelling; the day alone when the time after it makes no sense."""
    return times.read(token) or times.read(token[:10])


def moment(text: str, *, day_first: bool = False) -> Moment | None:
    """The first moment a text names."""
    match = STAMP_PATTERN.search(text)
    return stamp(match.group(), day_first=day_first) if match else None


def stamp(token: str, *, day_first: bool = False) -> Moment | None:
    """A moment from its spelling; the day alone when the time after it makes no sense."""
    token = token.strip()
    return times.read(token) or _rebuilt(token, day_first=day_first)


def _rebuilt(token: str, *, day_first: bool) -> Moment | None:
    day = _day(token, day_first=day_first)
    if day is None:
        return None
    clock = re.search(_CLOCK, token)
    at = times.read(f"{day}{_clock(clock.group())}") if clock else None
    at = at or times.read(day)
    return Moment(token, at.local, at.precision, at.zone, at.offset) if at else None


def _day(token: str, *, day_first: bool) -> str | None:
    numbers = [int(each) for each in _NUMBERS.findall(token)]
    month = next((at for at, name in enumerate(_MONTHS, 1) if name in token.lower()), 0)
    if month and len(numbers) > 1:
        return f"{numbers[1]:04}-{month:02}-{numbers[0]:02}"
    if len(numbers) < 3:
        return None
    first, second, third = numbers[:3]
    if first > 31:
        return f"{first:04}-{second:02}-{third:02}"
    if day_first or first > _NOON or "." in token:
        first, second = second, first
    return f"{third:04}-{first:02}-{second:02}"


def _clock(text: str) -> str:
    """A time of day with two digits an hour, of twenty-four."""
    numbers = _NUMBERS.findall(text)
    hour, half = int(numbers[0]), re.search(r"([AaPp])\.?[Mm]", text)
    if half:
        hour = hour % _NOON + (_NOON if half[1] in "Pp" else 0)
    return "T" + ":".join([f"{hour:02}", *numbers[1:3]])


def days_are_certain(text: str) -> bool:
    """Whether dates with slashes can be told apart here: there are none, or one of them can only be read in one way."""
    return not SLASHED.search(text) or bool(_FIRST_DAY.search(text) or _SECOND_DAY.search(text))


def other_reading(token: str, at: Moment) -> date | None:
    """The day that a date with slashes means where the day stands before the month, or behind it: the one not taken.

    None for a date that can be read in one way only.
    """
    first, second = at.local.month, at.local.day
    if first == second or second > _NOON or not SLASHED.match(token):
        return None
    return date(at.local.year, second, first)


def certain(text: str) -> list[date]:
    """Every date in a text that can be read in one way only."""
    found = (match.group() for match in STAMP_PATTERN.finditer(text))
    read = (stamp(each, day_first=days_come_first(each)) for each in found if days_are_certain(each))
    return [each.local.date() for each in read if each]


def days_come_first(text: str) -> bool:
    """Whether dates with slashes have the day before the month here; one that can only be so tells."""
    return _FIRST_DAY.search(text) is not None
