"""Rules about timestamps of entries: can they be read, and do all readers read the same."""

from collections.abc import Iterator

from memdown.diagnostics import Finding, Fix, rule
from memdown.dialects.sem import KINDS, canonical, grammar, legacy
from memdown.dialects.sem.rules.common import EntryStamp, entries, line_at, parts
from memdown.errors import quote
from memdown.record import Document
from memdown.text import Edit

_FORM = "2026-02-15T14:32:15-0800"


def _stamps(doc: Document) -> Iterator[EntryStamp]:
    return (stamp for entry in entries(doc) for stamp in entry.stamps())


def _where(stamp: EntryStamp) -> str:
    return "in the heading" if stamp.name == "heading" else f"in {stamp.name}"


@rule("SEM010", "error")
def timestamp_impossible(doc: Document) -> Iterator[Finding]:
    """A timestamp names a day, an hour or an offset that does not exist.

    It looks like a timestamp, so simple readers accept it, and then misplace the entry or fail.

    Bad:
        ### 2026-02-30T14:32:15-0800: note: The cache is warm

        **author:** Ann
    Good:
        ### 2026-02-28T14:32:15-0800: note: The cache is warm

        **author:** Ann
    """
    for stamp in _stamps(doc):
        if stamp.moment is None and grammar.STAMP.fullmatch(stamp.text):
            yield Finding(
                stamp.span,
                f"{quote(stamp.text)} {_where(stamp)} is not a valid time; write the one that was meant, as {_FORM}.",
            )


@rule("SEM011", "error")
def timestamp_unreadable(doc: Document) -> Iterator[Finding]:
    """A timestamp field contains something else.

    The fields `timestamp` and `expires` are a date, a time and an offset, and nothing more. The time in the heading is
    used in place of the first; an expiry that cannot be read never comes.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **timestamp:** yesterday
        **author:** Ann
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **timestamp:** 2026-02-15T14:32:15-0800
        **author:** Ann
    """
    for stamp in _stamps(doc):
        if not grammar.STAMP.fullmatch(stamp.text):
            yield Finding(stamp.span, f"{quote(stamp.text)} {_where(stamp)} is not a timestamp as {_FORM}.")
    if "**timestamp:**" not in doc.text:  # which no older format has
        return
    for part in parts(doc):
        if part.form in grammar.LEGACY:
            field = canonical.inside(doc.text, part.text_at, part.end).get("timestamp")
            if field and field.value and not grammar.STAMP.fullmatch(field.value):
                yield Finding(field.value_span, f"{quote(field.value)} in timestamp is not a timestamp as {_FORM}.")


@rule("SEM012", "warning")
def timestamp_not_canonical(doc: Document) -> Iterator[Finding]:
    """A timestamp is not spelled as the format wants it.

    The form is `2026-02-15T14:32:15-0800`: seconds, and the offset without a colon. memdown reads `Z`, `-08:00`,
    fractions and times without seconds too; readers made for the format alone do not see the entry.

    Bad:
        ### 2026-02-15T22:32Z: note: The cache is warm

        **author:** Ann
    Good:
        ### 2026-02-15T22:32:00+0000: note: The cache is warm

        **author:** Ann

    ## Fix

    The safe fix writes the same instant in the canonical form. Where it would drop a fraction of a second it is unsafe.
    """
    for stamp in _stamps(doc):
        moment = stamp.moment
        if moment is None or moment.precision == "day" or moment.offset is None:
            continue
        if not stamp.canonical() and not stamp.compact():
            safe = not moment.local.microsecond
            fix = stamp.rewriting("write the time in the canonical form", safe=safe)
            yield Finding(stamp.span, f"{quote(stamp.text)} {_where(stamp)} is not spelled as {_FORM}.", fix)


@rule("SEM013", "warning")
def timestamp_without_zone(doc: Document) -> Iterator[Finding]:
    """A timestamp has no offset.

    The exact time is unknown; it is read as UTC. Write the offset of the place where it was written.

    Bad:
        ### 2026-02-15T14:32:15: note: The cache is warm

        **author:** Ann
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann

    ## Fix

    The unsafe fix writes `+0000`, as it is read. Only the author knows whether that is right.
    """
    for stamp in _stamps(doc):
        if stamp.moment and stamp.moment.precision != "day" and stamp.moment.offset is None:
            fix = stamp.rewriting("take the time as UTC", safe=False)
            yield Finding(stamp.span, f"{quote(stamp.text)} {_where(stamp)} has no offset; it is taken as UTC.", fix)


@rule("SEM014", "info")
def timestamp_date_only(doc: Document) -> Iterator[Finding]:
    """An entry of the format has a date and no time.

    All entries of a day then have the same timestamp, and to supersede one of them, its title is needed, too.
    Converted entries keep their date, since the time is unknown.

    Bad:
        ### 2026-02-15: note: The cache is warm

        **author:** Ann
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
    """
    for entry in entries(doc):
        days = [each for each in entry.stamps() if each.name != "expires" and each.moment]
        for stamp in [each for each in days if each.moment and each.moment.precision == "day"][:1]:
            yield Finding(stamp.span, f"{quote(stamp.text)} {_where(stamp)} has no time of day; write {_FORM}.")


@rule("SEM015", "warning")
def timestamp_as_file_name(doc: Document) -> Iterator[Finding]:
    """A time is written without colons, as in the name of a file.

    Some tools replace the colons because file names cannot have them, or drop them. Other readers of the format do not
    see such an entry.

    Bad:
        ### 2026-02-15T14-32-15Z: note: The cache is warm

        **author:** Ann
    Good:
        ### 2026-02-15T14:32:15+0000: note: The cache is warm

        **author:** Ann

    ## Fix

    The safe fix writes the same time with colons. If the offset is missing, it assumes UTC and is unsafe.
    """
    for stamp in _stamps(doc):
        if stamp.compact() and stamp.moment:
            moment = stamp.moment
            safe = moment.offset is not None and not moment.local.microsecond
            fix = stamp.rewriting("write the time with colons", safe=safe)
            yield Finding(
                stamp.span, f"{quote(stamp.text)} {_where(stamp)} is a time without colons; write {_FORM}.", fix
            )


@rule("SEM016", "warning")
def timestamp_in_the_future(doc: Document) -> Iterator[Finding]:
    """An entry is dated more than a day from now.

    Assistants make up dates when they do not know them. Such an entry stays the newest for as long as it lies ahead.
    `memdown add` writes the time itself.

    Bad:
        ### 2099-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
    """
    if not doc.has_clock:
        return
    for record in doc.records:
        if record.at and not doc.is_past(record.at.instant(), days=-1):
            yield Finding(
                line_at(doc, record.span.start),
                f"{quote(record.title or '')} is dated {record.at.text}, in the future; write when it was decided.",
            )


@rule("SEM020", "error")
def type_mismatch(doc: Document) -> Iterator[Finding]:
    """The heading and the field `type` name different types.

    For memdown, the field counts; readers that use the heading find another type, and the entry is in two lists or in
    none.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: Retry three times

        **type:** decision
        **author:** Ann
    Good:
        ### 2026-02-15T14:32:15-0800: decision: Retry three times

        **type:** decision
        **author:** Ann
    """
    for entry in entries(doc):
        field = entry.inside.get("type")
        heading = entry.kind.of(doc.text).lower()
        if field and field.value.lower() in KINDS and field.value.lower() != heading:
            message = f"The heading says {heading}, the field says {field.value.lower()}, which counts."
            yield Finding(field.value_span, message)


@rule("SEM021", "error")
def timestamp_mismatch(doc: Document) -> Iterator[Finding]:
    """The heading and the field `timestamp` name different times.

    The field counts here. Other entries may point at either of the two.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **timestamp:** 2026-02-14T09:00:00-0800
        **author:** Ann
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **timestamp:** 2026-02-15T14:32:15-0800
        **author:** Ann
    """
    for heading, field in _both(doc):
        if heading.moment and field.moment and heading.moment.instant() != field.moment.instant():
            message = f"The heading says {heading.text}, the field says {field.text}, which counts."
            yield Finding(field.span, message)


@rule("SEM022", "warning")
def timestamp_spelled_twice(doc: Document) -> Iterator[Finding]:
    """The heading and the field `timestamp` spell the same instant differently.

    A text search for the timestamp finds only one of the two.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **timestamp:** 2026-02-15T22:32:15+0000
        **author:** Ann
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **timestamp:** 2026-02-15T14:32:15-0800
        **author:** Ann

    ## Fix

    The safe fix writes the field's time into the heading, where the field is spelled in the canonical form.
    """
    for heading, field in _both(doc):
        if heading.text == field.text or not heading.moment or not field.moment:
            continue
        if heading.moment.instant() == field.moment.instant():
            fix = Fix("write the field's time", (Edit(heading.span, field.text),)) if field.canonical() else None
            yield Finding(
                heading.span,
                f"The heading spells the time {quote(heading.text)}, the field {quote(field.text)}; "
                "spell it as the field does.",
                fix,
            )


def _both(doc: Document) -> Iterator[tuple[EntryStamp, EntryStamp]]:
    for entry in entries(doc):
        field = entry.field_stamp("timestamp")
        if field:
            yield entry.stamp, field


@rule("SEM017", "warning")
def date_mismatch(doc: Document) -> Iterator[Finding]:
    """The heading of an entry and its label `Date` name different days.

    The label counts in an older entry, the heading in one of the format. One of the two is wrong, or is not the date
    of writing. A label that names both days, as `2026-02-11 (reviewed 2026-02-15)`, is right.

    Bad:
        ### 2026-02-15: Retry three times

        **Date:** 2026-02-11
        **By:** Ann
    Good:
        ### 2026-02-11: Retry three times

        **Date:** 2026-02-11
        **By:** Ann
    """
    for part in parts(doc):
        may = part.form in ("sem", *grammar.LEGACY) and "date" in doc.text[part.text_at : part.end].lower()
        heading = grammar.spoken(part.title) if may else None
        for label in legacy.labels(doc.text, part) if heading else ():
            said = grammar.spoken(label.value) if label.name.strip().lower() == "date" else None
            also = heading and heading.local.date().isoformat() in label.value
            if heading and said and said.local.date() != heading.local.date() and not also:
                days = (heading.local.date(), said.local.date())
                yield Finding(label.span, f"The heading says {days[0]}, the label says {days[1]}; correct one of them.")
                break
