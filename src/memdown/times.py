"""Timestamps as people and tools spell them: read without guessing, kept as written, compared as instants.

A `Moment` knows the spelling it came from and how precise that was: a date is a day, not midnight. What
cannot be read gives None; what to do about it is for the caller to say.
"""

import re
from datetime import UTC, datetime, timedelta
from functools import cache

from msgspec import Struct

_KNOWN_UTC = frozenset({"Z", "z", "UTC", "GMT"})


@cache
def _spelling() -> re.Pattern[str]:
    return re.compile(
        r"""(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})
        (?:(?P<separator>[Tt]|[ ]{1,4}|_)
           (?P<hour>\d{2})(?P<mark>[:\-]?)(?P<minute>\d{2})
           (?:(?P=mark)(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?
           [ ]?(?P<zone>[Zz]|[+-]\d{2}:?\d{2}|[+-]\d{2}|[A-Z]{2,5}(?:[+-]\d{1,2})?)?
        )?""",
        re.VERBOSE | re.ASCII,
    )


@cache
def _numeric() -> re.Pattern[str]:
    return re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})?", re.ASCII)


class Moment(Struct, frozen=True):
    """A point in time, as precise as it was written."""

    text: str
    """The spelling in the file."""
    local: datetime
    """Date and time as written, without a zone."""
    precision: str
    """"day", "minute", "second" or "fraction"."""
    zone: str
    """The zone as written ("Z", "+02:00", "IST"), empty when there is none."""
    offset: int | None
    """Minutes east of UTC; None when the zone is missing or a name that more than one place uses."""

    def instant(self) -> datetime:
        """For comparing and sorting; a time without a known zone counts as UTC."""
        return (self.local - timedelta(minutes=self.offset or 0)).replace(tzinfo=UTC)

    def rfc3339(self) -> str:
        """A date for a day; else date and time with the offset (Z when none is known)."""
        if self.precision == "day":
            return self.local.date().isoformat()
        spec = {"minute": "seconds", "second": "seconds"}.get(self.precision, "auto")
        text = self.local.isoformat(timespec=spec)
        return text + ("Z" if not self.offset else _offset_text(self.offset))


def read(text: str) -> Moment | None:
    """The moment a spelling names, when the whole of it is one; None otherwise."""
    spelled = text.strip()
    return _usual(spelled) or _unusual(spelled)


def _usual(text: str) -> Moment | None:
    """The spellings that nearly all files have, without a regular expression, which takes as long as a whole search."""
    size = len(text)
    if size not in (10, 20, 24) or not text.isascii() or text[4] != "-" or text[7] != "-":
        return None
    if size > 10 and (text[10] + text[13] + text[16] + text[-1] != "T::Z" or text[19] != (".", "Z")[size == 20]):
        return None
    try:
        local = datetime.fromisoformat(text if size == 10 else text[:-1])
    except ValueError:
        return None
    if size == 10:
        return Moment(text, local, "day", "", None)
    return Moment(text, local, "second" if size == 20 else "fraction", "Z", 0)


def _unusual(text: str) -> Moment | None:
    match = _spelling().fullmatch(text)
    return _moment(match) if match else None


def _moment(match: re.Match[str]) -> Moment | None:
    year, month, day, _, hour, _, minute, second, fraction, zone = match.groups(default="")
    try:
        local = datetime(
            int(year),
            int(month),
            int(day),
            int(hour or 0),
            int(minute or 0),
            int(second or 0),
            int(f"{fraction}000000"[:6]),
        )
        offset = _offset(zone)
        # An offset can push the first and last days of the calendar out of it.
        local - timedelta(minutes=offset or 0)
    except (ValueError, OverflowError):
        return None  # the thirtieth of February, hour 25, an offset of 99 hours
    precision = "fraction" if fraction else "second" if second else "minute" if minute else "day"
    return Moment(match.group(), local, precision, zone, offset)


def _offset(zone: str) -> int | None:
    if zone in _KNOWN_UTC:
        return 0
    match = _numeric().fullmatch(zone)
    if not match:
        return None
    minutes = int(match[2]) * 60 + int(match[3] or 0)
    if minutes >= 24 * 60 or int(match[3] or 0) > 59:
        raise ValueError(zone)
    return -minutes if match[1] == "-" else minutes


def _offset_text(minutes: int) -> str:
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def stamp(moment: datetime) -> str:
    """How memdown writes a time: RFC 3339 in UTC, to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
