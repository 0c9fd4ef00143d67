"""Rules about whole logs: entries in older formats, damage by merges and tools, and size."""

import re
from collections import Counter
from collections.abc import Iterator

from memdown.diagnostics import Finding, Fix, rule, shown_at
from memdown.dialects.sem import grammar
from memdown.dialects.sem.read import entries
from memdown.dialects.sem.rules.common import line_at, parts, role
from memdown.dialects.sem.split import headings
from memdown.errors import quote, way
from memdown.homes import parts_of
from memdown.patterns import lazy
from memdown.record import Document
from memdown.text import BOM, Edit, Span, encode

TWICE = 10
"""So many dated headings that occur twice are no accident: a merge kept both halves."""

_CP437 = bytes(range(0x80, 0xC0)).decode("cp437")
_MOJIBAKE = lazy(f"Γ[{re.escape(_CP437)}]{{2}}|â€[\u0080-\u00ff\u0152-\u2122]")
_DASHES = lazy(r"(#{1,6})[ \t]+-{3,}[ \t]*")
_INNER = frozenset(
    re.split(
        r"\|\s*",
        """context|decision|rationale|consequences|impact|alternatives|alternatives considered|implementation|
        background|why|why this matters|what|what changed|how|problem|solution|reasoning|motivation|implications|
        outcome|status|verification|recommendation|next steps|root cause|trade-offs""",
    )
)
"""Headings that only stand inside an entry."""

_INNER_LABEL = lazy(r"\*\*(?:What|Why|How|Rationale|details|rationale|related|Impact):\*\*.*")


@rule("SEM001", "info")
def legacy_entries(doc: Document) -> Iterator[Finding]:
    """A log has entries in an older format.

    They are read: title, date, author and what their labels say. Types and scopes are inferred, and tools made for the
    format do not see them. `memdown convert` rewrites them; one file can have both kinds.

    Bad:
        ### 2026-02-15: Retry three times

        **By:** Ann
        **What:** Failed calls are tried again.
    Good:
        ### 2026-02-15T14:32:15-0800: decision: Retry three times

        **type:** decision
        **timestamp:** 2026-02-15T14:32:15-0800
        **author:** Ann

        **summary:** Failed calls are tried again.

        ---
    """
    old = [record for record in doc.records if grammar.is_legacy(record)]
    if old and role(doc) != "session":
        many = f"{len(old)} entries are" if len(old) > 1 else "One entry is"
        it = "them" if len(old) > 1 else "it"
        yield Finding(
            line_at(doc, old[0].span.start),
            f"{many} in the legacy format; {way('convert', doc.path)} makes {it} canonical.",
        )


@rule("SEM002", "info")
def undated_entries(doc: Document) -> Iterator[Finding]:
    """A log has entries without a date.

    They are missing from date ranges and timelines, and are never archived by age.

    Bad:
        ## Retry three times

        **By:** Ann
        **What:** Failed calls are tried again.
    Good:
        ## Retry three times

        **By:** Ann
        **Date:** 2026-02-15
        **What:** Failed calls are tried again.
    """
    for record in doc.records if role(doc) != "session" else ():
        if record.at is None and (grammar.is_legacy(record) or record.form in grammar.LINES):
            said = next((str(value) for name, value in record.extra.items() if name.lower() == "date" and value), "")
            lack = f"has the date {quote(said)}, which is not a valid day" if said else "has no date"
            message = f"The {record.kind} {quote(record.title or '')} {lack}; write `### 2026-01-31: …`."
            yield Finding(line_at(doc, record.span.start), message)


@rule("SEM003", "warning")
def heading_of_dashes(doc: Document) -> Iterator[Finding]:
    """A heading consists of dashes.

    A tool that puts number signs before each title has taken a separator for one.

    Bad:
        ### 2026-02-15: Retry three times

        **By:** Ann

        ### ---
    Good:
        ### 2026-02-15: Retry three times

        **By:** Ann

        ---

    ## Fix

    The unsafe fix drops the number signs. It is unsafe because what follows may then belong to the entry above.
    """
    if "# --" not in doc.text:
        return
    for heading in doc.of(headings)[0]:
        match = _DASHES.fullmatch(doc.text, heading.at, heading.end)
        if match:
            dashes = match.group()[len(match[1]) :].strip(" \t")
            fix = Fix("drop the number signs", (Edit(Span(heading.at, heading.end), dashes),), safe=False)
            yield Finding(
                Span(heading.at, heading.end),
                f"The heading {shown_at(doc, Span(heading.at, heading.end))} is a separator with number signs; "
                "write `---`.",
                fix,
            )


@rule("SEM004", "warning")
def begins_inside_an_entry(doc: Document) -> Iterator[Finding]:
    """A log begins in the middle of an entry.

    Its first line is a part of an entry, and the entry's own heading is gone. Merges that keep the lines of both sides
    do this. Git's history has the heading.

    Bad:
        ### Context

        Calls fail now and then.

        ### 2026-02-15: Retry three times

        **By:** Ann
    Good:
        # Decisions

        ### 2026-02-15: Retry three times

        **By:** Ann
    """
    if role(doc) not in ("log", "archive"):
        return
    start = len(doc.text) - len(doc.text.lstrip(f"{BOM} \t\r\n"))
    if start == len(doc.text):
        return
    line = line_at(doc, start)
    match = grammar.HEADING.fullmatch(line.of(doc.text))
    inner = match is not None and len(match[1]) > 1 and match[2].strip(" \t#:").casefold() in _INNER
    if inner or _INNER_LABEL.fullmatch(line.of(doc.text)):
        yield Finding(
            line,
            f"The file begins with {shown_at(doc, line)}, inside an entry whose heading is gone; restore the heading.",
        )


@rule("SEM005", "warning")
def content_twice(doc: Document) -> Iterator[Finding]:
    """A log has much of its content twice.

    Ten or more dated headings occur a second time: a merge kept the file of both sides, one after the other.

    Bad:
        ### 2026-02-01: One
        ### 2026-02-02: Two
        ### 2026-02-03: Three
        ### 2026-02-04: Four
        ### 2026-02-05: Five
        ### 2026-02-06: Six
        ### 2026-02-07: Seven
        ### 2026-02-08: Eight
        ### 2026-02-09: Nine
        ### 2026-02-10: Ten
        ### 2026-02-01: One
        ### 2026-02-02: Two
        ### 2026-02-03: Three
        ### 2026-02-04: Four
        ### 2026-02-05: Five
        ### 2026-02-06: Six
        ### 2026-02-07: Seven
        ### 2026-02-08: Eight
        ### 2026-02-09: Nine
        ### 2026-02-10: Ten
    Good:
        ### 2026-02-01: One
        ### 2026-02-02: Two
    """
    dated = [part for part in parts(doc) if part.form in ("sem", "dated")]
    count = Counter(part.title for part in dated)
    twice = {title for title, times in count.items() if times > 1}
    if len(twice) < TWICE:
        return
    seen = set()
    for part in dated:
        if part.title in seen:
            message = (
                f"{len(twice)} of {len(count)} dated headings occur twice, first this one; "
                "the log was pasted again: remove one copy."
            )
            yield Finding(Span(part.start, part.text_at), message)
            return
        seen.add(part.title)


@rule("SEM006", "warning")
def mojibake(doc: Document) -> Iterator[Finding]:
    """Characters were read in the wrong encoding and written back.

    A dash has become three characters that nobody typed. A Windows console does this when it passes UTF-8 on.

    Bad (bytes):
        ### 2026-02-15: Retries \\xce\\x93\\xc3\\x87\\xc3\\xb6 three times\\n
    Good (bytes):
        ### 2026-02-15: Retries \\xe2\\x80\\x94 three times\\n

    ## Fix

    The unsafe fix writes the intended character.
    """
    if "Γ" not in doc.text and "â€" not in doc.text:
        return
    for match in _MOJIBAKE.finditer(doc.text):
        meant = _meant(match.group())
        if meant:
            fix = Fix("write the character that was meant", (Edit(Span(*match.span()), meant),), safe=False)
            yield Finding(
                Span(*match.span()),
                f"{match.group()!r} was {meant!r} before it was read in another encoding; write {meant!r}.",
                fix,
            )


def _meant(text: str) -> str | None:
    encoding = "cp437" if text[0] == "Γ" else "cp1252"
    try:
        return text.encode(encoding).decode("utf-8")
    except (UnicodeEncodeError, UnicodeDecodeError):
        return None  # letters that happen to stand side by side


def _sized(doc: Document, least: int, most: int | None, advice: str) -> Iterator[Finding]:
    size = len(encode(doc.text)) if len(doc.text) * 4 >= least else 0
    if size >= max(least, 1) and (most is None or size < most):
        limit = f"above the limit of {least / 1000:,.1f} KB"
        yield Finding(line_at(doc, 0), f"{parts_of(doc.path)[-1]} is {size / 1000:,.1f} KB, {limit}; {advice}.")


def _to_move(doc: Document, days: int) -> str:
    """What makes a log smaller: the newest entries stay in it whatever their age, and so do those without a date."""
    keep, dated = doc.settings.sem.archive_keep, sum(each.at is not None for each in entries(doc.records))
    if dated > keep:
        return f"move entries older than {days} days to the archive: {way('archive')}"
    if dated:
        return f"shorten its entries, since {way('archive')} keeps the newest {keep}"
    return f"shorten it: {way('archive')} needs dates, and no entry has one"


@rule("SEM007", "info")
def log_large(doc: Document) -> Iterator[Finding]:
    """A log of decisions has 20 KB or more.

    Assistants read the whole of it at the start of each session. Entries older than 30 days can go to the archive.
    `sem.archive-size` and `sem.archive-days` set other limits.

    Bad (repeated300 .squad/decisions.md):
        Failed calls are tried again, up to three times, with a second between them.
    Good:
        # Decisions
    """
    limits = doc.settings.sem
    if role(doc) == "log":
        advice = _to_move(doc, limits.archive_days)
        yield from _sized(doc, limits.archive_size, limits.archive_large_size, advice)


@rule("SEM008", "warning")
def log_too_large(doc: Document) -> Iterator[Finding]:
    """A log of decisions has 50 KB or more.

    It takes more than 12,000 tokens of each session that reads it. Entries older than a week can go to the archive.
    `sem.archive-large-size` and `sem.archive-large-days` set other limits.

    Bad (repeated700 .squad/decisions.md):
        Failed calls are tried again, up to three times, with a second between them.
    Good:
        # Decisions
    """
    limits = doc.settings.sem
    if role(doc) == "log":
        yield from _sized(doc, limits.archive_large_size, None, _to_move(doc, limits.archive_large_days))


@rule("SEM009", "info")
def history_large(doc: Document) -> Iterator[Finding]:
    """The history of an agent has 15 KB or more.

    The agent reads the whole of it each time. Summarize what is older than two weeks, and keep the rest in
    `history-archive.md`. `sem.history-size` and `sem.history-days` set other limits.

    Bad (repeated300 .squad/agents/ann/history.md):
        Failed calls are tried again, up to three times, with a second between them.
    Good .squad/agents/ann/history.md:
        # Ann
    """
    name = doc.path.rsplit("/", 1)[-1].lower()
    if role(doc) == "history" and name == "history.md":
        limits = doc.settings.sem
        advice = f"summarize what is older than {limits.history_days} days: {way('archive')}"
        yield from _sized(doc, limits.history_size, None, advice)


@rule("SEM078", "info")
def inbox_waiting(doc: Document) -> Iterator[Finding]:
    """A file waits in the inbox.

    Its content has no effect until it is in the log. `memdown inbox merge` puts it there.

    Bad .squad/decisions/inbox/ann-retry.md:
        ### 2026-02-15: Retry three times

        **By:** Ann
    Good .squad/decisions.md:
        ### 2026-02-15: Retry three times

        **By:** Ann
    """
    if role(doc) == "inbox":
        yield Finding(
            line_at(doc, 0),
            f"{parts_of(doc.path)[-1]} is still in the inbox; {way('inbox merge')} merges it into the log.",
        )
