"""The time as memdown writes it, and points in time compared: what hooks need of `times` and `config.now`."""

import os
import time
from datetime import UTC, datetime


def stamp() -> str:
    """Now, as RFC 3339 in UTC, to the second; `MEMDOWN_NOW` sets it."""
    try:
        wanted = datetime.fromisoformat(os.environ.get("MEMDOWN_NOW", "").upper())
    except ValueError:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return _utc(wanted).strftime("%Y-%m-%dT%H:%M:%SZ")


def days_since(day: str) -> int:
    """Whole days from a day, as YYYY-MM-DD, to the one that it is here; that of `MEMDOWN_NOW` when it is set."""
    try:
        today = datetime.fromisoformat(os.environ.get("MEMDOWN_NOW", "").upper())
    except ValueError:
        today = datetime.now()
    return (today.date() - datetime.fromisoformat(day).date()).days


def microseconds() -> int:
    """Now, since 1970, as the index keeps instants."""
    return round(datetime.fromisoformat(stamp()).timestamp()) * 1_000_000


def instant(text: str) -> str:
    """The same for every spelling of one date and time, and in the order of time; what is none stays what it is."""
    spelled = text.strip()
    try:
        return _utc(datetime.fromisoformat(spelled.upper().replace(",", "."))).strftime("%Y-%m-%dT%H:%M:%S.%f")
    except (ValueError, OverflowError):
        return spelled


def _utc(moment: datetime) -> datetime:
    """A time without a zone counts as UTC."""
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
