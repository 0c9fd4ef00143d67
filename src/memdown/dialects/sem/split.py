"""Where entries begin and end. One pass over headings and fences; nothing else of the text is looked at.

Fences are those of CommonMark. One that is never closed ends at the next heading that surely begins an entry,
so that a slip in one entry does not swallow the rest of the log.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from memdown.dialects import days
from memdown.dialects.sem import grammar
from memdown.markdown import blocks
from memdown.patterns import lazy
from memdown.text import BOM

_MARKED = r" {0,3}(?:(#{1,6})[ \t]+([^\r\n]*)|(`{3,}(?=[^`\r\n]*(?:[\r\n]|\Z))|~{3,})([^\r\n]*))"
_FIRST = lazy(_MARKED)
_LINE = lazy(rf"\n{_MARKED}")  # a literal at the beginning lets the search skip from line to line
_LINE_CR = lazy(rf"[\r\n]{_MARKED}")
_DECISION = lazy(r"(?:design )?decision\s*:\s*\S|adr[-_ #]{0,2}\d{1,5}\b\W*\S", re.IGNORECASE)
_DIRECTIVE = lazy(r"user directive|decision(?: \d+|:)", re.IGNORECASE)
_NUMBERED = lazy(r"(?:adr|ad|arch|dd?|dec|dr|kd|prd|rfc|tdr?)[-_ #]?\d{1,5}\b[:.)]?[ \t—–-]+\S", re.IGNORECASE)
"""The number of a decision, as registers of them have it."""
_TERMINATED = lazy(r"^ {0,3}---[ \t]*(?:\r\n|\n|\r)\s*\Z", re.MULTILINE)
_AT_ONCE = lazy(
    r"(?:>[ \t]?)*(?:[-*+][ \t]+)?\*\*(?:By|Authors?|Decided by|Proposed by|(?P<date>Date))"
    r"[ \t]*(?::[ \t]*\*\*|\*\*[ \t]*:)"
)
_PLAIN_HEAD = lazy(
    r"(?:(?:Date|Status)[ \t]*:[ \t]+\S[^\r\n]*[\r\n]+){0,2}"
    r"(?:Authors?|By|Deciders?|Decided by|Proposed by)[ \t]*:[ \t]+\S"
)
"""The same without marks, right below the heading of a document."""
_NOTHING_SAID = lazy(r"[\ufeff\s-]*")
_BLANK = lazy(r"[ \t\r\n]*")
_FIELD_LINE = lazy(rf"^{grammar.FIELD.pattern}", re.MULTILINE)
_VISIBLE = lazy(r"[^\r\n]")
_OF_FILES = ("decisions", "decision log", "archive", "history", "directives", "learnings")
"""How the titles of files end that hold entries."""
_LISTS = (" decisions",)
"""How the names of parts of a log end of which each heading is an entry, until one is dated and they may differ."""
_DAY_ALONE = lazy(rf"\[?(?:{days.WEEKDAY},?[ \t])?{days.DAY}\]?(?:[ \t]\({days.WEEKDAY}\))?")
_LIST_NAME = lazy(
    r"[^\w]{0,4}(?:(?:[^\W\d_]+ ){0,3}(?:decisions|directives)|(?:decisions? )?log|entries|history|active|current"
    r"|recent|accepted|approved|adopted|implemented|proposed|pending|open|rejected|deferred|superseded|deprecated"
    rf"|resolved|closed|(?i:{days.PERIOD}))"
)
"""What people call a part of a log that is a list of entries, in small letters; a month or a year, too."""
_FILE_TITLE = lazy(
    r"(?:[^\W\d]+ ){0,2}archives?|archived (?:decisions|entries|history|directives|learnings)",
    re.IGNORECASE,
)
_NUMBER_OF_WORK = lazy(r"#\d+\b")
_PARTED = lazy(r"(?<!\s)\s+[—–-]+\s+|[(\[:]")
_AHEAD = 1500
"""How far below an undated heading its metadata may stand, in characters."""


class LogPart(Struct, frozen=True, gc=False):
    """A stretch of a log that belongs together: one entry, or prose between entries."""

    start: int
    end: int
    level: int
    """How deep its heading is; 0 for prose before or between entries."""
    form: str
    """sem, dated, document, heading, or prose."""
    title: str
    """The heading's text without its marks."""
    text_at: int
    """Where the text under the heading begins."""


_Begun = tuple[int, int, str, str, int]
"""Where a part begins, how deep its heading is, its form and title, and where its text begins."""


class LogHeading(Struct, frozen=True, gc=False):
    """A heading outside of code."""

    at: int
    end: int
    level: int
    title: str


def headings(text: str) -> tuple[list[LogHeading], list[int]]:
    """All headings outside of code, and where fences that never end begin."""
    text = shown(text)
    pattern = _LINE_CR if "\r" in text and "\r" in text.replace("\r\n", "") else _LINE
    first = _FIRST.match(text, text.startswith(BOM))
    matches = [*([first] if first else ()), *pattern.finditer(text)]
    found: list[LogHeading] = []
    fence = ""
    for match in matches:
        if match.lastindex == 2:  # a heading; this loop is what splitting a log takes, so it does little
            if not fence:
                at, marks_end = match.span(1)
                found.append(LogHeading(at, match.end(), marks_end - at, _bare(match[2])))
        elif not fence:
            fence = match[3]
        elif match[3][0] == fence[0] and len(match[3]) >= len(fence) and not match[4].strip():
            fence = ""
    return _with_unclosed(text, matches) if fence else (found, [])


def shown(text: str) -> str:
    """A text with blanks for comments of several lines: what they hold is an example, or is kept from readers."""
    at = text.find("<!--")
    while at >= 0 and (end := text.find("-->", at + 2)) >= 0:
        if text.find("\n", at, end) >= 0 or text.find("\r", at, end) >= 0:
            return _without_comments(text)
        at = text.find("<!--", end)
    return text


def _without_comments(text: str) -> str:
    kept, at = list[str](), 0
    for comment in blocks.comments(text):
        if comment.closed:
            kept += (text[at : comment.span.start], _VISIBLE.sub(" ", comment.span.of(text)))
            at = comment.span.end
    return "".join((*kept, text[at:]))


def _with_unclosed(text: str, matches: list[re.Match[str]]) -> tuple[list[LogHeading], list[int]]:
    """The same for a text in which a fence is never closed: such a fence hides only what follows it at once."""
    fences = [match for match in matches if match.group(3)]
    closing = closed_by([(match.group(3), match.group(4)) for match in fences])
    unclosed = [fences[number].start(3) for number, closer in closing.items() if closer is None]
    code = [(fences[opener].start(), fences[closer].end()) for opener, closer in closing.items() if closer is not None]
    found: list[LogHeading] = []
    spans = iter([*code, (len(text) + 1, len(text) + 1)])
    start, end = next(spans)
    for match in matches:
        while match.start() >= end:
            start, end = next(spans)
        if match.group(1) and match.start() < start:
            found.append(LogHeading(match.start(1), match.end(), len(match.group(1)), _bare(match.group(2))))
    return _after_unclosed(text, found, unclosed), unclosed


def closed_by(fences: list[tuple[str, str]]) -> dict[int, int | None]:
    """Which fences open code and which close it, by their places in a list of marks and what follows them.

    None stands for a fence that is never closed. Each fence is looked at twice at most.
    """
    longest = {"`": 0, "~": 0}
    ahead = []  # the longest mark after each fence that could close one, by character
    for run, info in reversed(fences):
        ahead.append(dict(longest))
        if not info.strip():
            longest[run[0]] = max(longest[run[0]], len(run))
    ahead.reverse()
    closing: dict[int, int | None] = {}
    number = 0
    while number < len(fences):
        run, _ = fences[number]
        opener, closing[number] = number, None
        if ahead[number][run[0]] >= len(run):
            number += 1
            while not _closes(fences[number], run):
                number += 1
            closing[opener] = number
        number += 1
    return closing


def _closes(fence: tuple[str, str], opening: str) -> bool:
    run, info = fence
    return run[0] == opening[0] and len(run) >= len(opening) and not info.strip()


def _after_unclosed(text: str, found: list[LogHeading], unclosed: list[int]) -> list[LogHeading]:
    """Headings behind a fence that never ends count again from the first that surely begins an entry."""
    if not unclosed:
        return found
    kept: list[LogHeading] = []
    waiting = iter([*unclosed, len(text) + 1])
    next_fence = next(waiting)
    inside = False
    for heading in found:
        while heading.at > next_fence:
            inside, next_fence = True, next(waiting)
        if inside and grammar.STAMP.match(heading.title) is None:
            continue
        inside = False
        kept.append(heading)
    return kept


def _bare(title: str) -> str:
    """A heading's text: marks that were doubled and closing marks dropped."""
    title = title.strip()
    if "#" not in title:
        return title
    if title.endswith("#"):
        title = re.sub(r"(?:^|[ \t])#+$", "", title).rstrip()
    while title.startswith("#") and not _NUMBER_OF_WORK.match(title):
        title = title.lstrip("#").lstrip()
    return title


def split(text: str, part: str) -> list[LogPart]:
    """The whole text as parts, in order and without gaps."""
    text = shown(text)
    found, _ = headings(text)
    begun: list[_Begun] = [(0, 0, "prose", "", 0)]
    held: LogHeading | None = None
    has_sections = part == "history"
    has_lists = part in ("log", "archive")
    listed = 3 if has_lists else 0  # until a heading groups them
    for number, heading in enumerate(found):
        after = found[number + 1] if number + 1 < len(found) else None
        below = after.at if after else len(text)
        form = _form(text, heading, below, begun[-1], part) or _repeated(found, number, begun[-1])
        if form in (None, "prose") and has_lists and _is_listed(text, heading, begun[-1], listed):
            form = "heading"
        if _is_of_file(heading, part):
            _, level, current, *_ = begun[-1]
            if current == "sem" and form is None:
                held = held or heading
            elif current == "prose" or level > 1 or has_sections:
                form, has_sections = "prose", True
                listed = 3 if has_lists and heading.title.rstrip(":").casefold().endswith(_LISTS) else 0
        elif has_lists and after and _groups(text, heading, after, begun[-1], listed):
            form, listed = "prose", after.level
        elif heading.level < listed and (heading.level > 1 or number):
            listed = 0
        if form is not None:
            listed = 0 if form in ("dated", "document") else listed
            begun += _released(text, held, heading.at)
            held = None
            begun.append((heading.at, heading.level, form, heading.title, heading.end))
    begun += _released(text, held, len(text))
    ends = [start for start, *_ in begun[1:]] + [len(text)]
    return [
        LogPart(start, end, level, form, title, text_at)
        for (start, level, form, title, text_at), end in zip(begun, ends, strict=True)
        if end > start
    ]


def _is_listed(text: str, heading: LogHeading, current: _Begun, listed: int) -> bool:
    """Whether a heading is one of a list of entries: of a section that has them at this level, or by its number."""
    if _is_subsection(heading.title):
        return False
    if heading.level == listed:
        return True
    _, level, form, _, text_at = current
    is_group = form == "heading" and level < 3 and not grammar.METADATA.search(text, text_at, heading.at)
    is_free = form == "prose" or (form == "heading" and level >= 3) or is_group
    return heading.level == 3 and is_free and _NUMBERED.match(heading.title) is not None


def _groups(text: str, heading: LogHeading, after: LogHeading, current: _Begun, listed: int) -> bool:
    """Whether a heading stands above a list of entries, a level deeper: a day alone, or the name of such a list."""
    if after.level != heading.level + 1 or _is_subsection(after.title):
        return False
    if _DAY_ALONE.fullmatch(heading.title):
        return not text[heading.end : after.at].strip("-*_ \t\r\n")
    _, level, form, title, _ = current
    is_free = form == "prose" or (form == "heading" and level == listed) or _DAY_ALONE.fullmatch(title) is not None
    is_list = heading.level == 2 and is_free and _LIST_NAME.fullmatch(heading.title.rstrip(":").casefold())
    return bool(is_list) and not grammar.METADATA.search(text, heading.end, after.at)


def _repeated(found: list[LogHeading], number: int, current: _Begun) -> str | None:
    """A bare `Decision` that is one of several in a row, as in a template of which each copy is an entry."""
    heading, (_, level, form, title, _) = found[number], current
    if not _is_bare(heading.title) or form not in ("prose", "heading"):
        return None
    if form == "heading":
        return "heading" if level == heading.level and _is_bare(title) else None
    for other in found[number + 1 :]:
        if other.level < heading.level:
            return None
        if other.level == heading.level and _is_bare(other.title):
            return "heading"
    return None


def _is_bare(title: str) -> bool:
    return title.rstrip(":").casefold() == "decision"


def _is_of_file(heading: LogHeading, part: str) -> bool:
    """Whether a heading names a part of the file, as `## Governance` below the entries of a log does.

    Below the heading of a document pasted whole it may be the document's, unless the file has such parts itself.
    """
    if heading.level != 2 or part not in ("log", "archive", "history"):
        return False
    known = grammar.HISTORY_SECTIONS if part == "history" else grammar.FILE_SECTIONS
    return heading.title.rstrip(":").casefold() in known


def _released(text: str, held: LogHeading | None, end: int) -> Iterator[_Begun]:
    """A part of the file that an entry without terminator held; before its fields or terminator it is the entry's."""
    if held is None or _TERMINATED.search(text, max(held.end, end - _AHEAD), end):
        return
    if not _FIELD_LINE.search(text, held.end, end):
        yield held.at, held.level, "prose", held.title, held.end


def _form(text: str, heading: LogHeading, below: int, current: _Begun, part: str) -> str | None:
    """What a heading begins; None when it is part of what is open."""
    title, level, (_, open_level, current_form, _, text_at) = heading.title, heading.level, current
    if level == 3 and grammar.CANONICAL_TITLE.match(title):
        return "sem"
    if level == 1 and part in ("log", "archive", "history") and _names_file(text, heading):
        return "prose"
    if title and title[0].isdigit() and grammar.STAMP.match(title):
        return "sem" if level in (2, 3, 4) and _is_entry(text, heading, below) else "dated"
    if level <= 4 and "20" in title and grammar.dated(title):
        return "dated"
    if current_form == "sem":
        # Without its terminator an entry goes on: other headings are part of its text.
        if not _TERMINATED.search(text, max(text_at, heading.at - _AHEAD), heading.at):
            return None
        return _undated_form(text, heading, below, part) or "prose"
    if part == "inbox" and current_form == "prose":
        return "document"  # a file in the drop box is one entry, whatever its headings
    # What a document holds is its own, be it titled or dated at the top level, or alone in its file.
    whole = current_form == "document" or (current_form == "dated" and (open_level == 1 or part == "inbox"))
    is_headed = part in ("log", "archive") and level < 4 and _is_headed(text, heading, below, part)
    if whole and level > 1 and not is_headed and not _is_wrapper(text, heading):
        return None
    return _undated_form(text, heading, below, part)


def _names_file(text: str, heading: LogHeading) -> bool:
    """Whether the first heading says what the file is, perhaps of which days, as `# Decisions Archive — 2026-06-02`."""
    above = _NOTHING_SAID.match(text)
    if above is None or above.end() < heading.at:
        return False
    return any(_FILE_TITLE.fullmatch(each.strip(" )]*_")) for each in _PARTED.split(heading.title))


def _undated_form(text: str, heading: LogHeading, below: int, part: str) -> str | None:
    """What a heading without a date begins where no document is open."""
    title, level = heading.title, heading.level
    if level == 1:
        signed = (
            _is_headed(text, heading, below, part)
            if part == "history"
            else _signed(text, heading, below) or _is_plainly_headed(text, heading, below)
        )
        pasted = part in ("log", "archive") and _is_pasted(text, heading, below)
        whole = part == "inbox" or _DECISION.match(title) or signed or pasted
        return "document" if whole else "prose"
    if level > 3:
        return None
    if _is_subsection(title):
        return "prose" if part == "history" and level == 2 else None
    if part == "history":
        return "prose" if level == 2 and not _is_headed(text, heading, below, part) else "heading"
    if part == "session":
        return None
    if level == 2 or _DIRECTIVE.match(title) or _signed(text, heading, below):
        return "heading"
    return None


def _is_subsection(title: str) -> bool:
    """Whether a heading names a part of an entry, or nothing."""
    name = title.rstrip(":").casefold()
    return name in grammar.SUBSECTIONS or name.startswith("items deferred") or not name.strip("-—*_ ")


def _is_entry(text: str, heading: LogHeading, below: int) -> bool:
    """Whether a heading begins an entry of the format; with a bare day, only its fields tell it from a legacy one."""
    match = grammar.SEM_TITLE.fullmatch(heading.title)
    day_only = match is not None and len(match["stamp"]) == len("2026-01-31")
    return match is not None and (not day_only or _FIELD_LINE.search(text, heading.end, below) is not None)


def _is_headed(text: str, heading: LogHeading, below: int, part: str) -> bool:
    """Whether the first line below a heading signs it, or dates it; then it is an entry even below a document.

    A date alone is enough in a history, which has its author, and after a line of dashes.
    """
    blank = _BLANK.match(text, heading.end, below)
    label = _AT_ONCE.match(text, blank.end() if blank else heading.end, below)
    if label is None or label["date"] is None or part == "history":
        return label is not None
    before = text[max(0, heading.at - _AHEAD) : heading.at]
    signed = grammar.SIGNATURE.search(text, label.end(), min(below, label.end() + _AHEAD))
    return signed is not None or _TERMINATED.search(before) is not None


def _is_plainly_headed(text: str, heading: LogHeading, below: int) -> bool:
    blank = _BLANK.match(text, heading.end, below)
    return _PLAIN_HEAD.match(text, blank.end() if blank else heading.end, below) is not None


def _is_wrapper(text: str, heading: LogHeading) -> bool:
    """Whether a heading in a document names another, pasted right below it with its own title or front matter.

    What has been converted since stands below it as an entry of the format.
    """
    if heading.level == 1 or not _DIRECTIVE.match(heading.title):
        return False
    blank = _BLANK.match(text, heading.end)
    at = blank.end() if blank else heading.end
    below = grammar.HEADING.match(text, at)
    is_entry = below is not None and grammar.SEM_TITLE.fullmatch(below[2].strip()) is not None
    return is_entry or text.startswith("# ", at) or text.startswith("---", at)


def _is_pasted(text: str, heading: LogHeading, below: int) -> bool:
    """Whether a heading of the top level, which does not name the file, begins a document that nobody signs.

    Its first section says so, which is one that decisions have.
    """
    section = grammar.HEADING.match(text, below)
    above = _NOTHING_SAID.match(text)
    is_first = above is not None and above.end() >= heading.at
    if section is None or len(section[1]) != heading.level + 1 or is_first:
        return False
    is_part = _bare(section[2]).rstrip(":").casefold() in grammar.SUBSECTIONS
    return is_part and not heading.title.casefold().endswith(_OF_FILES)


def _signed(text: str, heading: LogHeading, below: int) -> bool:
    return grammar.METADATA.search(text, heading.end, min(below, heading.end + _AHEAD)) is not None
