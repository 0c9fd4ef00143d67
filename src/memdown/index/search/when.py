"""Time words in a question: "last week", "in May 2023", "since Monday", "before the move to Postgres"."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from msgspec import Struct

from memdown.patterns import lazy

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_UNIT = "day|week|month|year"
_NUMBER = r"\d{1,4}|an?|two|three|four|five|six"
_FLAGS = re.IGNORECASE | re.ASCII | re.VERBOSE
_TIME = lazy(
    rf"""(?:\b(?P<side>before|after|since|until|till)\s{{1,3}})?\b(?:
      (?P<iso>\d{{4}}-\d\d-\d\d)
    | (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?(?P<month>{_MONTH})(?:,?\s(?P<year>\d{{4}}))?
    | (?P<month2>{_MONTH})\s(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s(?P<year2>\d{{4}}))?
    | (?:(?:in|during|of)\s)?(?P<month3>{_MONTH}),?\s(?P<year3>\d{{4}})
    | (?:in|during|of|this|last)\s(?P<month4>{_MONTH})
    | (?:in|during|of)\s(?P<year4>(?:19|20)\d\d)
    | (?P<near>today|yesterday)
    | (?:on\s)?(?P<weekday>{"|".join(_DAYS)})
    | (?P<which>last|past|this)\s(?P<unit>{_UNIT}|{"|".join(_DAYS)})
    | (?P<number>{_NUMBER})\s(?P<unit2>{_UNIT})s?\sago
    | the\s(?:last|past)\s(?P<number2>{_NUMBER})\s(?P<unit3>{_UNIT})s
    )\b""",
    _FLAGS,
)
_EVENT = lazy(r"\b(?P<side>before|after|since|until)\s{1,3}(?P<words>[^,;.?!]{3,100})", _FLAGS)
_ABSOLUTE = ("iso", "year", "year2", "year3", "year4")
_LENGTH = {"day": 1, "week": 7, "month": 30, "year": 365}
_HINTS = frozenset(
    word[:6] for word in (*_DAYS, *"before after since until till today yesterday last past this ago in".split())
)
_NUMBERS = {"a": 1, "an": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


class TimeSpan(Struct, frozen=True):
    """Days that a question speaks of; None is open."""

    first: date | None
    last: date | None
    text: str
    """The words of the question."""


class Event(Struct, frozen=True):
    """A side of something that happened, named by words."""

    side: str
    words: str


def spans(text: str, today: date) -> list[TimeSpan]:
    """The days and ranges a question names."""
    if not _mentions_time(text):
        return []
    found = list(_TIME.finditer(text))
    # "Last Friday, 3 March 2023" speaks of one day, and today has nothing to do with it.
    dated = [match for match in found if any(match[name] for name in _ABSOLUTE)]
    return [span for match in dated or found for span in _span(match, today)]


def event(text: str) -> Event | None:
    """What the question puts its time before or after, when that is no date."""
    found = _EVENT.search(text) if _mentions_time(text) else None
    if found is None or _TIME.match(text, found.start()):
        return None
    return Event(found["side"].lower(), found["words"])


def _mentions_time(text: str) -> bool:
    """A look before the long patterns, which most questions need not wait for."""
    words = text.lower().split()
    return any(word[:3] in _MONTHS or word.strip(",.?!")[:6] in _HINTS or word[:2].isdigit() for word in words)


def beside(side: str, first: date, last: date, text: str) -> TimeSpan:
    """The days before or after some others, or these themselves."""
    if side == "before":
        return TimeSpan(None, first - timedelta(days=1), text)
    if side in ("until", "till"):
        return TimeSpan(None, last, text)
    return TimeSpan(first, None, text) if side in ("after", "since") else TimeSpan(first, last, text)


def _span(match: re.Match[str], today: date) -> Iterator[TimeSpan]:
    try:
        first, last = _days(match, today)
        yield beside((match["side"] or "").lower(), first, last, match[0].strip())
    except (ValueError, OverflowError):
        return  # the thirtieth of February, or before the calendar begins


def _days(match: re.Match[str], today: date) -> tuple[date, date]:
    if match["iso"]:
        day = date.fromisoformat(match["iso"])
        return day, day
    for number in ("", "2"):
        if match[f"day{number}"]:
            day = _of_year(match[f"year{number}"], _month(match[f"month{number}"]), int(match[f"day{number}"]), today)
            return day, day
    if match["month3"] or match["month4"]:
        first = _of_year(match["year3"], _month(match["month3"] or match["month4"]), 1, today)
        after = first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1)
        return first, after - timedelta(days=1)
    if match["year4"]:
        return date(int(match["year4"]), 1, 1), date(int(match["year4"]), 12, 31)
    return _relative(match, today)


def _relative(match: re.Match[str], today: date) -> tuple[date, date]:
    if match["near"]:
        day = today - timedelta(days=match["near"].lower() == "yesterday")
        return day, day
    if match["weekday"]:
        return _named("last", match["weekday"].lower(), today)
    if match["number"]:
        length = _LENGTH[match["unit2"].lower()]
        then = today - timedelta(days=_number(match["number"]) * length)
        return then - timedelta(days=length // 2), then + timedelta(days=length // 2)
    if match["number2"]:
        return today - timedelta(days=_number(match["number2"]) * _LENGTH[match["unit3"].lower()]), today
    return _named(match["which"].lower(), match["unit"].lower(), today)


def _named(which: str, unit: str, today: date) -> tuple[date, date]:
    """Last week is the week before this one, from Monday to Sunday; the past week is the last seven days."""
    if unit in _DAYS:
        day = today - timedelta(days=(today.weekday() - _DAYS.index(unit) - 1) % 7 + 1)
        return day, day
    if which == "past" or unit == "day":
        return today - timedelta(days=_LENGTH[unit]), today
    first = {"week": today - timedelta(days=today.weekday()), "month": today.replace(day=1)}.get(
        unit, today.replace(month=1, day=1)
    )
    if which == "this":
        return first, today
    last = first - timedelta(days=1)
    begun = {"week": last - timedelta(days=6), "month": last.replace(day=1)}.get(unit, last.replace(month=1, day=1))
    return begun, last


def _number(text: str) -> int:
    return _NUMBERS.get(text.lower()) or int(text)


def _month(name: str) -> int:
    return _MONTHS.index(name[:3].lower()) + 1


def _of_year(year: str | None, month: int, day: int, today: date) -> date:
    """Without a year, the last such day."""
    if year:
        return date(int(year), month, day)
    this = date(today.year, month, day)
    return this if this <= today else date(today.year - 1, month, day)
