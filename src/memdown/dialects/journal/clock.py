"""What time it is in a journal, whose zones are letters."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone

from msgspec import Struct

from memdown.times import ZONES


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
        fits = minutes in ZONES.get(zone, ()) or zone == own
        if fits and zone.isascii() and zone.isalpha() and zone.isupper() and 3 <= len(zone) <= 4:
            return Clock(now.astimezone(timezone(timedelta(minutes=minutes), zone)), zone)
    return Clock(now.astimezone(UTC), "UTC")
