"""What time it is in a journal, whose zones are letters."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone

from msgspec import Struct

_OFFSETS = {
    "UTC": (0,), "GMT": (0,), "WET": (0,), "WEST": (60,), "BST": (60, 360), "CET": (60,), "CEST": (120,),
    "EET": (120,), "EEST": (180,), "MSK": (180,), "IST": (330, 120, 60), "PKT": (300,), "WIB": (420,), "SGT": (480,),
    "HKT": (480,), "AWST": (480,), "JST": (540,), "KST": (540,), "ACST": (570,), "AEST": (600,), "AEDT": (660,),
    "NZST": (720,), "NZDT": (780,), "EST": (-300,), "EDT": (-240,), "CST": (-360, 480), "CDT": (-300,),
    "MST": (-420,), "MDT": (-360,), "PST": (-480,), "PDT": (-420,),
}  # fmt: skip
"""Minutes east of UTC that a zone's letters may stand for, in places that use them."""


class Clock(Struct, frozen=True):
    """Now, as a file of the journal says it."""

    at: datetime
    zone: str

    @property
    def date(self) -> str:
        return f"{self.at:%Y-%m-%d}"

    @property
    def time(self) -> str:
        return f"{self.at:%H:%M:%S}"

    @property
    def stamp(self) -> str:
        return f"{self.date} {self.time} {self.zone}"


def clock(now: datetime, zones: Iterable[str] = ()) -> Clock:
    """The time in the first of these zones that has the clock's offset; else in its own; else in UTC.

    No letters are made up for an offset.
    """
    offset = now.utcoffset()
    minutes = int(offset.total_seconds()) // 60 if offset else 0
    own = now.tzname() or ""
    for zone in (*zones, own):
        fits = minutes in _OFFSETS.get(zone, ()) or zone == own
        if fits and zone.isascii() and zone.isalpha() and zone.isupper() and 3 <= len(zone) <= 4:
            return Clock(now.astimezone(timezone(timedelta(minutes=minutes), zone)), zone)
    return Clock(now.astimezone(UTC), "UTC")
