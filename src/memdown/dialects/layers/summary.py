"""The summary of test sessions that went to the archive: one section, the same for the same sessions."""

import re
from collections.abc import Iterable, Sequence
from datetime import date

from msgspec import Struct

from memdown.dialects import days
from memdown.dialects.layers.headings import is_historical_summary, sections
from memdown.patterns import lazy
from memdown.text import Edit, Lines, apply, eol_of, with_eol

TITLE = "Historical Summary"
COUNTED = ("passed", "failed", "skipped")

_COUNT = {
    word: lazy(
        rf"(?<![\w/#.])(?<!\d[-:])(?:{word}\b[*_`]*[ \t]*[:=][ \t]*(?:[*_`]+[ \t]*)?(?P<after>\d{{1,9}})"
        rf"|(?P<before>\d{{1,9}})[ \t]+(?:tests?[ \t]+)?{word}\b(?![*_`]*[ \t]*[:=]))",
        re.IGNORECASE,
    )
    for word in COUNTED
}
_ITEM = lazy(r"- (?P<title>.+?): (?P<result>(?:\d+ (?:passed|failed|skipped)(?:, )?)+|no counts)")
_TOTALS = lazy(r"- (?:Sessions summarised: \d+.*|(?:Passed|Failed|Skipped): \d+.*)")


class TestSession(Struct, frozen=True):
    """A session that was dropped, as its line in the summary has it."""

    title: str
    day: date | None
    counts: tuple[tuple[str, int], ...]


def session(title: str, text: str, day: date | None) -> TestSession:
    """A session by its heading and what its text says of results."""
    counts = []
    for word, pattern in _COUNT.items():
        match = pattern.search(text)
        if match:
            counts.append((word, int(match["after"] or match["before"])))
    return TestSession(title, day, tuple(counts))


def merged(text: str, dropped: Sequence[TestSession]) -> str:
    """The text with one summary at its end, of the sessions summarised before and these."""
    spans = [
        span for block, span in sections(text) if block.level == 2 and is_historical_summary(block.content.of(text))
    ]
    before: list[TestSession] = []
    kept: list[str] = []
    for span in spans:
        sessions, other = _read(span.of(text))
        before += sessions
        kept += other
    rest = apply(text, [Edit(span, "") for span in spans]).rstrip(" \t\r\n")
    eol = eol_of(text)
    section = "\n".join([f"## {TITLE}", "", *_lines([*before, *dropped]), *_after(kept)])
    return f"{rest}{eol * 2 if rest else ''}{with_eol(section, eol)}{eol}"


def _read(section: str) -> tuple[list[TestSession], list[str]]:
    """The sessions of a summary, and every line that is not ours."""
    lines = Lines(section)
    sessions, other = [], []
    for number in range(1, len(lines)):
        line = lines.span(number).of(section)
        item = _ITEM.fullmatch(line.rstrip())
        if item:
            day = next(iter(days.certain(item["title"])), None)
            counts = re.findall(r"(?<!\d)(\d+) (passed|failed|skipped)", item["result"])
            sessions.append(TestSession(item["title"], day, tuple((word, int(count)) for count, word in counts)))
        elif not _TOTALS.fullmatch(line.rstrip()):
            other.append(line)
    return sessions, other


def _lines(sessions: Sequence[TestSession]) -> Iterable[str]:
    dated = sorted(each.day for each in sessions if each.day)
    period = f", {dated[0]} to {dated[-1]}" if dated else ""
    yield f"- Sessions summarised: {len(sessions)}{period}"
    totals = {
        word: sum(count for each in sessions for name, count in each.counts if name == word)
        for word in COUNTED
        if any(name == word for each in sessions for name, _ in each.counts)
    }
    if totals:
        yield "- " + ", ".join(f"{word.capitalize()}: {count}" for word, count in totals.items())
    for each in sessions:
        yield f"- {each.title}: {', '.join(f'{count} {word}' for word, count in each.counts) or 'no counts'}"


def _after(kept: Sequence[str]) -> list[str]:
    """Lines that somebody wrote into the summary, behind ours."""
    inner = "\n".join(kept).strip("\n")
    return ["", inner] if inner.strip() else []
