"""Dates as people spell them in any dialect: ISO, with slashes or dots, by name, in Chinese signs.

A range of dates, or two of them joined, counts as its last day: what it dates is as new as its end.
"""

import re
from datetime import date

from memdown import times
from memdown.patterns import lazy
from memdown.times import Moment

_CLOCK = r"(?:[T _]{1,2}|,? (?:at|@) |, )\d{1,2}[:：]\d{2}(?:[:：]\d{2}(?:[.,]\d+)?)?(?: ?[AaPp]\.?[Mm]\b\.?)?"
_ZONE_NAME = r"(?:UTC|GMT|CES?T|[EIJKP][SD]T)(?:[+-]\d{1,2})?(?!\w)"
_ZONE = rf" ?(?:[Zz]\b|[+-]\d{{2}}:?\d{{2}}\b|{_ZONE_NAME}|\({_ZONE_NAME}\))"
_ISO = r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?!\d)"
_COMPACT = r"(?<![\w.#/-])20\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?![\w.])"
_CJK = r"\d{4}(?:年 ?\d{1,2}月 ?\d{1,2}日|년 ?\d{1,2}월 ?\d{1,2}일)"
_OF_A_MONTH = r"(?:1[3-9]|2\d|3[01])"  # which no month has for its number
_DASHED = rf"(?<![\w.-])(?:{_OF_A_MONTH}-\d{{1,2}}|\d{{1,2}}-{_OF_A_MONTH})-20\d{{2}}(?![\w-])"
_DOTTED = r"(?<![\d.])\d{1,2}\.\d{1,2}\.\d{4}(?!\.?\d)"
_SLASHED = r"\d{1,2}/\d{1,2}/\d{4}(?!\d)"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?:{'|'.join(_MONTHS).title()})[a-z]{{0,6}}\.?"
_ELSEWHERE = (
    "januar januari janvier enero janeiro gennaio января ocak stycznia",
    "februar februari février fevrier febrero fevereiro febbraio февраля şubat lutego",
    "märz maart mars marzo março марта mart marca",
    "april avril abril aprile апреля nisan kwietnia",
    "mai mei mayo maio maggio мая mayıs maja maj",
    "juni juin junio junho giugno июня haziran czerwca",
    "juli juillet julio julho luglio июля temmuz lipca",
    "august augustus augusti août aout agosto августа ağustos sierpnia",
    "september septembre septiembre setembro settembre сентября eylül września",
    "oktober octobre octubre outubro ottobre октября ekim października",
    "november novembre noviembre novembro ноября kasım listopada",
    "dezember december décembre decembre diciembre dezembro dicembre декабря aralık grudnia",
)
"""Months in German, Dutch, French, Spanish, Portuguese, Italian, Russian, Turkish, Polish and Swedish."""
_NUMBER_OF = {name: number for number, names in enumerate(_ELSEWHERE, 1) for name in names.split()}
_MONTH_ELSEWHERE = rf"(?i:{'|'.join(sorted(_NUMBER_OF, key=len, reverse=True))})"
_NAMED = (
    rf"{_MONTH} \d{{1,2}}[a-z]{{0,2}},? \d{{4}}\b|\d{{1,2}}[a-z]{{0,2}} {_MONTH},? \d{{4}}\b"
    rf"|(?:\d{{1,2}}-{_MONTH}|{_MONTH}-\d{{1,2}})-\d{{4}}\b|\d{{4}}-{_MONTH}-\d{{1,2}}\b"
    rf"|\d{{1,2}}(?:\.|º|er)?(?: de)? {_MONTH_ELSEWHERE}(?: de)?,? \d{{4}}\b"
    r"|\d{1,2} tháng \d{1,2}(?:,| năm) \d{4}\b"
)

DAY = rf"(?:{_ISO}|{_COMPACT}|{_CJK}|{_DOTTED}|{_SLASHED}|{_DASHED}|{_NAMED})"
"""Any spelling of a date, as a piece of a pattern."""
_ONE = (
    rf"(?:(?:{_ISO}|{_NAMED})(?:{_CLOCK}(?:{_ZONE})?)?|{_COMPACT}|{_CJK}|{_DOTTED}|{_SLASHED}(?:,?{_CLOCK})?|{_DASHED})"
)
_UNTIL = r"(?: (?:to|through|thru|until|till|bis|and|&|und|et|y|e|и) |, | ?(?:[-–—~〜～→至到/]|->|\.{2,3}) ?)"
_SHORT = (  # the end of a range that leaves out what it shares with the beginning: 2026-01-12/15, 2026-01-28 to 02-03
    r"(?: (?:to|through|thru) | ?[–—→] ?|/|\.{2})(?:\d{1,2}[-/.])?\d{1,2}(?![\w.%-])(?= ?(?:[,)\]*]|:(?!\d)| [-–—]|$))"
    r"| ?[-–—~〜～至到] ?(?:\d{1,2}月 ?)?\d{1,2}日"
)
_NTH = r"\d{1,2}(?:st|nd|rd|th)?"
_NAMED_RANGE = (
    rf"{_MONTH} {_NTH}{_UNTIL}(?:{_MONTH} )?{_NTH},? \d{{4}}\b"
    rf"|(?<![\w.#/-]){_NTH}(?:[-–—]| to | [–—] ){_NTH} {_MONTH},? \d{{4}}\b"
    rf"|(?<![\w.#/-]){_NTH} {_MONTH}{_UNTIL}{_NTH} {_MONTH},? \d{{4}}\b"
)
STAMP = rf"(?:{_ONE}(?:{_UNTIL}{_ONE}|{_SHORT})?|{_NAMED_RANGE})"
"""The same, perhaps with a time, or a range from one such to another."""

PERIOD = rf"(?:{STAMP}|{_MONTH},? \d{{4}}|Q[1-4],? \d{{4}}|\d{{4}}年 ?\d{{1,2}}月|\d{{4}}(?:[-/.]\d{{1,2}})?)"
"""The same, or a month, a quarter or a year."""

WEEKDAY = (
    r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?:s|nes|rs|ur)?(?:day)?"
    r"|[月火水木金土日](?:曜日?)?|(?:星期|周|週)[一二三四五六日天])"
)
"""A day of the week beside a date."""

STAMP_PATTERN = lazy(STAMP)
ONE = lazy(_ONE)
"""One day, perhaps with a time."""

_ISO_TIME = r"[Tt]\d{2}[:\-]?\d{2}(?:[:\-]?\d{2}(?:[.,]\d{1,9})?)?| \d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?"
_ISO_ZONE = r" ?(?:[Zz](?![A-Za-z])|[+-]\d{2}:?\d{2}(?!\d)|UTC\b)"
ISO_STAMP = lazy(rf"\d{{4}}-\d{{2}}-\d{{2}}(?!\d)(?:(?:{_ISO_TIME})(?:{_ISO_ZONE})?)?", re.ASCII)
"""A date with dashes, perhaps with a time and a zone, in any spelling of those in real files."""

_NUMBERS, _WORDS = lazy(r"\d+"), lazy(r"[^\W\d_]+")
_MONTH_NAME = lazy("|".join(_MONTHS))
_FIRST_DAY = lazy(r"\b(?:1[3-9]|2\d|3[01])/\d{1,2}/\d{4}")
_SECOND_DAY = lazy(r"\b\d{1,2}/(?:1[3-9]|2\d|3[01])/\d{4}")
SLASHED = lazy(r"\b\d{1,2}/\d{1,2}/\d{4}")
_FOREIGN = lazy(r"\b(?:[Ff]echa|[Dd]ata|[Dd]atum|[Дд]ата|[Tt]arih|[Nn]gày)[*_]*:[*_]*[ \t]+\d{1,2}/")
"""The label of a date, in Spanish, Portuguese or Italian, German or Dutch, Russian, Turkish and Vietnamese."""
_NOON = 12
_BEFORE_DATE = 40
_STILL_TO_COME = lazy(
    r"\b(?:due|deadline|until|by|before|target(?:ed)?|expected|planned|scheduled|eta|goal)\b\W{0,4}(?:(?:date|for|on|by)\b\W{0,4})?$",
    re.IGNORECASE,
)


def iso_moment(text: str) -> Moment | None:
    """The first moment that a text names with dashes."""
    match = ISO_STAMP.search(text)
    return iso_stamp(match.group()) if match else None


def iso_stamp(token: str) -> Moment | None:
    """A moment from such a spelling; the day alone when the time after it makes no sense."""
    return times.read(token) or times.read(token[:10])


def moment(text: str, *, day_first: bool | None = None) -> Moment | None:
    """The first moment a text names; none where that can be read in two ways."""
    match = STAMP_PATTERN.search(text)
    return stamp(match.group(), day_first=day_first) if match else None


def stamp(token: str, *, day_first: bool | None = None) -> Moment | None:
    """A moment from its spelling: the day alone when the time after it makes no sense, and the end of a range."""
    token = token.strip()
    if at := times.read(token):
        return at
    first = ONE.match(token)
    if first is None or first.end() == len(token):
        return _rebuilt(token, day_first=day_first)
    begin = stamp(first.group(), day_first=day_first)
    end = _range_end(token[first.end() :], begin, day_first=day_first) if begin else None
    return end if begin and end and end.local >= begin.local else begin


def range_from(text: str, start: int) -> tuple[int, Moment] | None:
    """Where a range of dates that begins here ends, and its last day; None where there is no range."""
    match = STAMP_PATTERN.match(text, start)
    first = ONE.match(text, start) if match else None
    if match is None or (first and first.end() == match.end()):
        return None
    at = stamp(match.group(), day_first=days_come_first(match.group()))
    return (match.end(), at) if at else None


def _range_end(rest: str, begin: Moment, *, day_first: bool | None) -> Moment | None:
    """What stands behind the first day of a range: another, or only its day, perhaps with the month."""
    if last := ONE.search(rest):
        return stamp(last.group(), day_first=day_first)
    *month, day = map(int, _NUMBERS.findall(rest))
    return times.read(f"{begin.local.year:04}-{month[0] if month else begin.local.month:02}-{day:02}")


def _rebuilt(token: str, *, day_first: bool | None) -> Moment | None:
    clock = re.search(_CLOCK, token)
    day = _day(token[: clock.start()] if clock else token, day_first=day_first)
    if day is None:
        return None
    at = None
    if clock:
        time, zone = f"{day}{_clock(clock.group())}", token[clock.end() :].strip(" ()")
        at = times.read(f"{time} {zone}") or times.read(time)
    at = at or times.read(day)
    return Moment(token, at.local, at.precision, at.zone, at.offset) if at else None


def _day(token: str, *, day_first: bool | None) -> str | None:
    numbers = [int(each) for each in _NUMBERS.findall(token)]
    named = [_NUMBER_OF[each] for each in _WORDS.findall(token.lower()) if each in _NUMBER_OF]
    named = named or [_MONTHS.index(each) + 1 for each in _MONTH_NAME.findall(token.lower())]
    if named and len(numbers) > 1:  # the last of each, for a range as in Jan 28 – Feb 3, 2026
        day, year = numbers[-2:] if numbers[-1] > 31 else numbers[-1:-3:-1]
        return f"{year:04}-{named[-1]:02}-{day:02}"
    if len(numbers) == 1:
        return f"{token[:4]}-{token[4:6]}-{token[6:]}" if len(token) == len("20260131") else None
    if len(numbers) < 3:
        return None
    first, second, third = numbers[:3]
    if first > 31:
        return f"{first:04}-{second:02}-{third:02}"
    if "/" in token and max(first, second) <= _NOON and first != second and day_first is None:
        return None
    if (day_first and second <= _NOON) or first > _NOON or "." in token or "tháng" in token:
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
    return days_come_first(text) is not None


def readings(token: str) -> tuple[date, date] | None:
    """The days that a date with slashes may mean, with the month first and with the day; None where it is one only."""
    first, second, year = map(int, token.split("/"))
    if first == second or not 0 < min(first, second) <= max(first, second) <= _NOON or not year:
        return None
    return date(year, first, second), date(year, second, first)


def certain(text: str) -> list[date]:
    """Every date in a text that can be read in one way only."""
    found = (match.group() for match in STAMP_PATTERN.finditer(text))
    read = (stamp(each, day_first=days_come_first(each)) for each in found if days_are_certain(each))
    return [each.local.date() for each in read if each]


def days_come_first(text: str) -> bool | None:
    """Whether dates with slashes have the day before the month here, as one that can only be read in one way tells.

    Else a label in a language that writes the day first tells. None where none tells, or where they tell both.
    """
    if "/20" not in text and "/19" not in text:
        return False
    first, second = _FIRST_DAY.search(text) is not None, _SECOND_DAY.search(text) is not None
    if first == second and SLASHED.search(text):
        return True if not first and _FOREIGN.search(text) else None
    return first


def is_to_come(text: str, start: int) -> bool:
    """Whether the words before a date say that it is still to come: "due 2026-09-01" is not of when the text is."""
    return _STILL_TO_COME.search(text, max(start - _BEFORE_DATE, 0), start) is not None
