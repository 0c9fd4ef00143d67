"""Rules about time in a journal: newest first, each day and entry once, nothing from the future, not too much."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from memdown import times
from memdown.diagnostics import Finding, first_line, rule, shown_at
from memdown.dialects.journal.lines import lines_of, stamps_of, title_of
from memdown.dialects.journal.model import EditEntry, JournalField, JournalReading
from memdown.dialects.journal.names import ERRORS, HISTORY, REGISTRY, kind_of
from memdown.dialects.journal.rules.common import is_archived, is_before, reading_of
from memdown.errors import quote, way
from memdown.record import Document, Record
from memdown.text import Span, encode
from memdown.times import Moment

_HEAD = ("created", "last updated")
_DOUBT_DAYS = 3
"""What is so far back is over by every clock."""


@rule("JNL028", "info")
def zone_unknown(doc: Document) -> Iterator[Finding]:
    """A time zone abbreviation has several offsets, or is unknown.

    Such times stay as they are written and are compared as if they were UTC. Explain the abbreviation in the file, as
    in `IST (UTC+05:30)`, or set it in `times.zones`.

    Bad:
        ### 2025-12-05

        #### 10:00:00 IST - T21: File viewer
        - Created `src/viewer.js` - Lists files
    Good:
        *All times are in IST (UTC+05:30).*

        ### 2025-12-05

        #### 10:00:00 IST - T21: File viewer
        - Created `src/viewer.js` - Lists files
    """
    found: dict[str, list[Record]] = {}
    for record in doc.records:
        if record.at and record.at.is_doubtful:
            found.setdefault(record.at.zone, []).append(record)
    for zone, records in found.items():
        *most, last = [times.offset_text(each) for each in times.ZONES.get(zone, ())] or [""]
        which = f"stands for {', '.join(most)} or {last}" if most else "is not a known time zone"
        span = doc.lines.span(records[0].line - 1)
        message = f"{zone} {which}, so times with it stay local; set `times.zones`."
        yield Finding(span, message)


@rule("JNL064", "info")
def head_missing(doc: Document) -> Iterator[Finding]:
    """A history, a registry or an error log does not begin with its title and its two stamps.

    The title says what the file is, and `*Created: …*` and `*Last Updated: …*` how far to trust it.

    Bad:
        ### 2025-12-05

        #### 10:00:00 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
    Good:
        # Edit History
        *Created: 2025-11-10 12:00:00 UTC*
        *Last Updated: 2025-12-05 10:00:00 UTC*

        ### 2025-12-05

        #### 10:00:00 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
    """
    lines = list(lines_of(doc.text))
    if kind_of(doc.path) not in (HISTORY, REGISTRY, ERRORS) or is_archived(doc.path) or not lines:
        return
    titled = any(title[0] == 1 for line in lines if (title := title_of(line)))
    wanted = {"title `# …`": titled} | {f"stamp `*{name.title()}: …*`": name in doc.of(_stamps) for name in _HEAD}
    missing = [what for what, there in wanted.items() if not there]
    if missing:
        yield Finding(first_line(doc), f"The file has no {' and no '.join(missing)}.")


@rule("JNL065", "warning")
def stamp_form(doc: Document) -> Iterator[Finding]:
    """*Created* or *Last Updated* is not a date and time with a zone.

    A stamp is written `YYYY-MM-DD HH:MM:SS TZ`. What cannot be read as a time says nothing about the file, and a time
    without a zone differs from place to place.

    Bad:
        # Edit History
        *Created: yesterday*
    Good:
        # Edit History
        *Created: 2025-11-10 12:00:00 UTC*
    """
    for name in _HEAD:
        field = doc.of(_stamps).get(name)
        moment = times.read(field.value) if field else None
        if field and moment is None and field.value.strip("-— "):
            yield Finding(field.at, f"{quote(field.value)} is not a time; write it like 2025-12-05 14:30:15 UTC.")
        elif field and moment and (moment.precision == "day" or not moment.zone):
            lacks = "time" if moment.precision == "day" else "time zone"
            yield Finding(
                field.at,
                f"The stamp {quote(field.value)} has no {lacks}; write it like 2025-12-05 14:30:15 UTC.",
                severity="info",
            )


@rule("JNL080", "warning")
def days_out_of_order(doc: Document) -> Iterator[Finding]:
    """A day is below an older one.

    The newest day comes first, so that the top of the file shows the latest work. Days without entries do not count.

    Bad:
        ### 2025-12-04

        #### 10:00:00 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files

        ### 2025-12-05

        #### 10:00:00 UTC - T21: File viewer
        - Modified `src/viewer.js` - Sorts them
    Good:
        ### 2025-12-05

        #### 10:00:00 UTC - T21: File viewer
        - Modified `src/viewer.js` - Sorts them

        ### 2025-12-04

        #### 10:00:00 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
    """
    days = _days(doc)
    wrong = [(date, span) for (before, _), (date, span) in pairwise(days) if before < date]
    if len(wrong) > 1 and len(wrong) == len(days) - 1:
        yield Finding(wrong[0][1], f"All {len(days)} days are oldest first; a journal has the newest first.")
        return
    for date, span in wrong:
        yield Finding(span, f"The day {date} is below an older one; move it up, since the newest day comes first.")


@rule("JNL081", "info")
def entries_out_of_order(doc: Document) -> Iterator[Finding]:
    """An entry is below an older one of the same day.

    The newest entry of a day is first. All are read, and shown by their times. Entries that name no file do not count.

    Bad:
        ### 2025-12-05

        #### 10:00:00 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files

        #### 11:00:00 UTC - T21: File viewer
        - Modified `src/viewer.js` - Sorts them
    Good:
        ### 2025-12-05

        #### 11:00:00 UTC - T21: File viewer
        - Modified `src/viewer.js` - Sorts them

        #### 10:00:00 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
    """
    known = _entries(doc)
    for before, one in pairwise(known):
        earlier, later = before.moment, one.moment
        if before.date == one.date and earlier and later and is_before(earlier, later):
            yield Finding(
                one.head,
                f"The entry of {one.time} is below that of {before.time}; move it up, since the newest comes first.",
            )


@rule("JNL082", "info")
def day_twice(doc: Document) -> Iterator[Finding]:
    """A day has two headings.

    Everything is read, but a lookup of the day finds only the first.

    Bad:
        ### 2025-12-05

        #### 11:00:00 UTC - T21: File viewer
        - Modified `src/viewer.js` - Sorts them

        ### 2025-12-05

        #### 10:00:00 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
    Good:
        ### 2025-12-05

        #### 11:00:00 UTC - T21: File viewer
        - Modified `src/viewer.js` - Sorts them

        #### 10:00:00 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
    """
    seen: set[str] = set()
    for date, span in _days(doc):
        if date in seen:
            yield Finding(span, f"The day {date} already has a heading above; put its entries there.")
        seen.add(date)


@rule("JNL083", "warning")
def entry_twice(doc: Document) -> Iterator[Finding]:
    """An entry is in the file twice, word for word.

    A merge or a copy left it there, and everything that counts edits counts it twice.

    Bad:
        ### 2025-12-05

        #### 10:00:00 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files

        #### 10:00:00 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
    Good:
        ### 2025-12-05

        #### 10:00:00 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
    """
    seen: set[tuple[str | None, str]] = set()
    for entry in _entries(doc):
        entry_text = (entry.date, " ".join(entry.span.of(doc.text).split()))
        if entry_text in seen:
            yield Finding(
                entry.head,
                f"The entry {shown_at(doc, entry.head)} is also above, word for word; remove one of the two.",
            )
        seen.add(entry_text)


@rule("JNL084", "warning")
def in_the_future(doc: Document) -> Iterator[Finding]:
    """A time is still to come.

    It was made up, or local time was written with the name of another zone. If the zone is unknown, a day of tolerance
    is allowed.

    Bad:
        ### 2099-12-05

        #### 10:00:00 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
    Good:
        ### 2025-12-05

        #### 10:00:00 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
    """
    for span, moment in _stamped(doc):
        if doc.is_past(moment.instant(), _DOUBT_DAYS) or doc.now is None:
            continue
        now = times.read(times.stamp(doc.now))
        if now and is_before(now, moment):
            yield Finding(span, f"The time {moment.text} is in the future; write when it was.")


@rule("JNL085", "info")
def last_updated_too_old(doc: Document) -> Iterator[Finding]:
    """*Last Updated* is older than the newest entry.

    The stamp says how far the file can be trusted, and it says less than is true.

    Bad:
        # Edit History
        *Last Updated: 2025-11-10 12:00:00 UTC*

        ### 2025-12-05

        #### 10:00:00 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
    Good:
        # Edit History
        *Last Updated: 2025-12-05 10:00:00 UTC*

        ### 2025-12-05

        #### 10:00:00 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
    """
    field = doc.of(_stamps).get("last updated")
    stamp = times.read(field.value) if field else None
    if field is None or stamp is None:
        return
    for record in doc.records:
        if record.kind in ("edit", "error") and record.at and is_before(stamp, record.at):
            yield Finding(
                field.at, f"The stamp says {field.value}, but there is an entry of {record.at.text}; write that."
            )
            return


@rule("JNL086", "warning")
def file_too_long(doc: Document) -> Iterator[Finding]:
    """A history, a registry or an error log has more than 500 lines or 50 KB.

    It costs too much to read at the start of a session. Old entries belong in `archive/`, where there is no limit.
    `journal.max-lines` and `journal.max-size` set other limits.

    ## Bad

    ```repeated300
    ### 2025-12-05

    ```

    ## Good

    ```repeated200
    ### 2025-12-05

    ```
    """
    if kind_of(doc.path) not in (HISTORY, REGISTRY, ERRORS) or is_archived(doc.path):
        return
    lines = doc.text.count("\n")
    size = len(encode(doc.text))
    limits = doc.settings.journal
    if lines > limits.max_lines:
        message = (
            f"The file has {lines:,} lines, above the limit of {limits.max_lines:,}; "
            f"{way('archive')} moves old entries away."
        )
        yield Finding(first_line(doc), message)
    elif size > limits.max_size:
        message = (
            f"The file has {size // 1024:,} KB, above the limit of {limits.max_size // 1024} KB; "
            f"{way('archive')} moves old entries away."
        )
        yield Finding(first_line(doc), message)


# What the rules look at


def _history(doc: Document) -> JournalReading | None:
    found = reading_of(doc) if kind_of(doc.path) == HISTORY else None
    return found if isinstance(found, JournalReading) else None


def _entries(doc: Document) -> Sequence[EditEntry]:
    """Entries that name a file."""
    found = _history(doc)
    return [entry for entry in found.entries if entry.modifications] if found else []


def _days(doc: Document) -> list[tuple[str, Span]]:
    """Days with an entry below them that names a file."""
    found = _history(doc)
    entries = iter(_entries(doc))
    entry = next(entries, None)
    known = []
    days = found.days if found else ()
    for number, day in enumerate(days):
        end = days[number + 1].span.start if number + 1 < len(days) else len(doc.text)
        while entry and entry.span.start < day.span.start:
            entry = next(entries, None)
        if day.date and entry and entry.span.start < end:
            known.append((day.date, day.span))
    return known


def _stamps(text: str) -> Mapping[str, JournalField]:
    return stamps_of(list(lines_of(text)))


def _stamped(doc: Document) -> Iterator[tuple[Span, Moment]]:
    """Every time of a file that tells when something was done, with its place."""
    for field in doc.of(_stamps).values():
        moment = times.read(field.value)
        if moment and field.key in ("created", "last updated"):
            yield field.at, moment
    for record in doc.records:
        if record.kind in ("edit", "error") and record.at:
            yield doc.lines.span(record.line - 1), record.at
