"""Timestamps as people and tools spell them: read without guessing, kept as written, compared as instants.

A `Moment` knows the spelling it came from and how precise that was: a date is a day, not midnight. What
cannot be read gives None; what to do about it is for the caller to say.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache

from msgspec import Struct, structs

ZONES: Mapping[str, tuple[int, ...]] = {
    "Z": (0,), "UTC": (0,), "GMT": (0,), "WET": (0,), "WEST": (60,), "CET": (60,), "CEST": (120,), "EET": (120,),
    "EEST": (180,), "MSK": (180,), "TRT": (180,), "SAST": (120,), "EAT": (180,), "CAT": (120,), "WAT": (60,),
    "PKT": (300,), "NPT": (345,), "WIB": (420,), "WITA": (480,), "WIT": (540,), "ICT": (420,), "SGT": (480,),
    "HKT": (480,), "PHT": (480,), "AWST": (480,), "JST": (540,), "KST": (540,), "ACST": (570,), "ACDT": (630,),
    "AEST": (600,), "AEDT": (660,), "NZST": (720,), "NZDT": (780,), "NST": (-210,), "NDT": (-150,), "ADT": (-180,),
    "BRT": (-180,), "ART": (-180,), "CLT": (-240,), "COT": (-300,), "PET": (-300,), "EST": (-300,), "EDT": (-240,),
    "CDT": (-300,), "MST": (-420,), "MDT": (-360,), "PST": (-480,), "PDT": (-420,), "AKST": (-540,), "AKDT": (-480,),
    "HST": (-600,), "IST": (330, 120, 60), "CST": (-360, 480), "BST": (60, 360), "AST": (-240, 180), "GST": (240, -120),
    "SST": (480, -660),
}  # fmt: skip
"""Minutes east of UTC that a zone's letters may stand for; more than one where several places use them."""

_FURTHEST = (14 * 60, -12 * 60)
"""What letters that nobody knows may stand for."""


@cache
def _spelling() -> re.Pattern[str]:
    return re.compile(
        r"""(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})
        (?:(?P<separator>[Tt]|[ ]{1,4}|_)
           (?P<hour>\d{2})(?P<mark>[:\-]?)(?P<minute>\d{2})
           (?:(?P=mark)(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?
           [ ]?(?P<zone>[Zz]|[+-]\d{2}:?\d{2}|[+-]\d{2}|[A-Z]{2,5}(?:[+-]\d{1,2}(?::?\d{2})?)?)?
        )?""",
        re.VERBOSE | re.ASCII,
    )


@cache
def _numeric() -> re.Pattern[str]:
    return re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})?", re.ASCII)


@cache
def _explanation() -> re.Pattern[str]:
    return re.compile(r"\b([A-Z]{2,5})[ ]?(?:=|\(|is\b)[ ]?((?:UTC|GMT)?[+-]\d{1,2}:?(?:\d{2})?)(?!\d)", re.ASCII)


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

    @property
    def is_doubtful(self) -> bool:
        """Whether it has a zone whose letters stand for more than one offset, or for none that is known."""
        return bool(self.zone) and self.offset is None

    def limits(self) -> tuple[datetime, datetime]:
        """The earliest and the latest instant it can be; both are the same where its zone is no riddle."""
        if not self.is_doubtful:
            return self.instant(), self.instant()
        offsets = ZONES.get(self.zone, _FURTHEST)
        try:
            first, last = (self.local - timedelta(minutes=each) for each in (max(offsets), min(offsets)))
        except OverflowError:
            return self.instant(), self.instant()
        return first.replace(tzinfo=UTC), last.replace(tzinfo=UTC)

    def placed(self, zones: Mapping[str, int]) -> "Moment":
        """The same where the letters of its zone have the offset that is known for them here."""
        if not self.is_doubtful or self.zone not in zones:
            return self
        found = structs.replace(self, offset=zones[self.zone])
        try:
            found.instant()
        except OverflowError:
            return self
        return found

    def rfc3339(self) -> str:
        """A date for a day; else date and time with the offset: Z where no zone is written, none for a doubtful one."""
        if self.precision == "day":
            return self.local.date().isoformat()
        spec = {"minute": "seconds", "second": "seconds"}.get(self.precision, "auto")
        text = self.local.isoformat(timespec=spec)
        if self.is_doubtful:
            return text
        return text + ("Z" if not self.offset else offset_text(self.offset))


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
    known = ZONES.get(zone.upper(), ())
    if known:
        return known[0] if len(known) == 1 else None
    match = _numeric().fullmatch(zone)
    if not match:
        return None
    minutes = int(match[2]) * 60 + int(match[3] or 0)
    if minutes >= 24 * 60 or int(match[3] or 0) > 59:
        raise ValueError(zone)
    return -minutes if match[1] == "-" else minutes


def offset(text: str) -> int:
    """Minutes east of UTC that `+05:30`, `-8` or `UTC+2` says; ValueError when it is none."""
    found = _offset(text) if text[:1] in ("+", "-") or text[:3] in ("UTC", "GMT") else None
    if found is None:
        raise ValueError(text)
    return found


def offsets(zones: Mapping[str, str]) -> dict[str, int]:
    """The offsets that a project sets for letters; ValueError says which is none."""
    found: dict[str, int] = {}
    for letters, text in zones.items():
        try:
            found[letters] = offset(text)
        except ValueError:
            raise ValueError(f"the offset of {letters} is {text!r}; write it like +05:30") from None
    return found


def explained(text: str) -> dict[str, int]:
    """The letters of zones that a text explains itself, as `IST (UTC+5:30)` or `IST = +05:30`."""
    found: dict[str, int] = {}
    for match in _explanation().finditer(text):
        if match[1] in ZONES and match[2].count(":") <= 1:
            try:
                found.setdefault(match[1], offset(match[2].rstrip(":")))
            except ValueError:
                continue
    return found


def offset_text(minutes: int) -> str:
    """An offset as RFC 3339 has it."""
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def stamp(moment: datetime) -> str:
    """How memdown writes a time: RFC 3339 in UTC, to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
