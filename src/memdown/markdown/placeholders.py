"""Text that stands where a person should still write something."""

import re

from memdown.markdown.line_ends import split_lines
from memdown.patterns import lazy

BLANK_STAMP = (
    r"(?:YYYY[-/]MM[-/]DD(?:[T ]HH:MM(?::SS)?)?|DD/MM/YYYY|MM/DD/YYYY|"
    r"(?<=\[)(?:[Dd]ate(?:[ /]?[Tt]ime)?|[Tt]imestamp)(?=\]))"
)
"""What a template has in the place of a date."""

_BRACKETED = lazy(r"\[(?![ xX~/>!-]\]|\d{4}\b)[^\[\]\r\n]+\](?!\(|\[|:)")
_LABEL = lazy(r"(?:\*\*[^*\r\n]{1,60}\*\*|__[^_\r\n]{1,60}__)[ \t]*[:：]?|[A-Za-z][\w /&-]{0,30}:(?=[ \t]*[\[`])")
_DRESS = lazy(r"^[ \t>]*(?:[-*+]|\d{1,4}[.)])?(?:[ \t]+|$)(?:\[[ xX]\][ \t]*)?|^#{1,6}[ \t]+")
_LEFT = lazy(r"[\s`*_—–\-:：,.;|()…]+|(?i:\b(?:phase|milestone|option) ?\d*\b)|\b\d{1,3}\b")
_BLANK = lazy(BLANK_STAMP)
_NUMBERED = lazy(
    r"(?:feature|tech) \d{1,2}|(?:decision|pattern|idiom) \d{1,2}[*_]*:[*_]* *description(?: of the [a-z ]{1,60})?\.?",
    re.IGNORECASE,
)
_STOCK = frozenset(
    (
        "define the main purpose of this project.",
        "describe who will use this.",
        "describe the product.",
        "provide a high-level overview of the project.",
        "log of updates made.",
        "log of updates made will be appended as footnotes to the end of this file.",
    )
)
"""What templates that are spread widely have in the place of a text, without brackets."""
_INTROS = lazy(
    r"this file (?:provides a high-level overview of the project and the expected product that will be created\b.*"
    r"|tracks the project's (?:progress using a task list format|current status,"
    r" including recent changes, current goals, and open questions)\.?"
    r"|records architectural and implementation decisions using a list format\.?"
    r"|documents recurring patterns and standards used in the project\.?)"
    r"|it is optional, but recommended to be updated as the project evolves\.?",
    re.IGNORECASE,
)
"""What the same templates say of a file above its sections."""
_STAMP = lazy(r"[ \t>*_-]*(?:created|(?:last[ -])?updated|last modified)[*_]{0,3}[ \t]?[:：]", re.IGNORECASE)
"""A line that only dates a file."""
_STAMPED = lazy(r"^[ \t*+-]*\[?\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?\]?[ \t]*[-–—:]+[ \t]*")
"""The date before a line of a log."""
_STARTED = lazy(r"session started [-–—] \d{4}-\d\d-\d\d", re.IGNORECASE)
"""The record of a session's start, which no person wrote."""
_MADE = lazy(
    r"(?:(?:this |the )?(?:file|document|log|memory[ -]bank)(?: was)? )?(?:initiali[sz]ed|created)"
    r"|the memory bank was made from [^.\r\n]{1,80}"
    r"|initial creation(?: of (?:the |this )?(?:file|document|log|memory[ -]bank|(?:\w+ ){0,2}context))?"
    r"(?: (?:based on|from) [^.\r\n]{1,100})?",
    re.IGNORECASE,
)
_SLOT = lazy(r"\((?=[^()\r\n]*[가-힣])[^()\r\n]*(?:\d|하세요|작성|기록|요약)\)")
"""The same in Korean: `(문제 1)`, `(… 작성하세요)`."""
_COMMENT = lazy(r"<!--(?s:.)*?-->")
_TABLE_HEAD = lazy(r"(?m)^[ \t]*\|[^\r\n]*(?:\r\n|\n|\r)[ \t]*\|[ \t:|-]+$")
_HEADING = lazy(r" {0,3}#{1,6}(?:[ \t]|$)")
_FENCES = ("```", "~~~")
_RULE = lazy(r"\|[ \t:|-]+")
"""The line below the head of a table."""
_TABLE = 7
"""The level of a table's head, below that of all headings."""


def is_placeholder(line: str) -> bool:
    """Whether a line holds nothing but text in brackets, or a date still to be set, where something should stand."""
    if "[" not in line and not _BLANK.search(line):
        return is_stock(line)
    bare = _LABEL.sub("", _DRESS.sub("", line, count=1))
    filled, brackets = _BRACKETED.subn("", bare)
    filled, stamps = _BLANK.subn("", filled)
    return brackets + stamps > 0 and not _LEFT.sub("", filled)


def is_stock(line: str) -> bool:
    """Whether a line is one of those that a template has, word for word."""
    text = _DRESS.sub("", line, count=1).strip(" \t\r\n*_")
    return text.lower() in _STOCK or any(each.fullmatch(text) is not None for each in (_NUMBERED, _SLOT))


def is_empty(line: str) -> bool:
    """Whether a line says nothing: blank, or a bullet, label or rule alone."""
    return not _LEFT.sub("", _DRESS.sub("", line, count=1))


def is_hollow(text: str) -> bool:
    """Whether a text has headings, comments and placeholders, and nothing else."""
    lines = split_lines(_COMMENT.sub("", text))
    return all(_HEADING.match(line) or is_empty(line) or is_placeholder(line) for line in lines)


def is_untouched(text: str) -> bool:
    """Whether a file is as its template was: nobody wrote anything but dates, and that it was made, in it."""
    lines = split_lines(_TABLE_HEAD.sub("", _COMMENT.sub("", text)))
    return all(_HEADING.match(line) or _is_of_template(line) for line in lines)


def _is_of_template(line: str) -> bool:
    if is_empty(line) or is_placeholder(line) or _STAMP.match(line):
        return True
    bare = _DRESS.sub("", line, count=1).strip()
    if bare.endswith((":", ":**", "：")) and _LABEL.fullmatch(bare):
        return True  # of a field, whose text would be below it
    text = _STAMPED.sub("", bare, count=1).strip(" \t*_")
    return is_stock(text) or says_made(text) or _INTROS.fullmatch(text) is not None


def says_made(text: str) -> bool:
    """Whether a text says no more than that a file was made, or that a session started."""
    bare = text.strip(" \t*_.!")
    return any(each.fullmatch(bare) is not None for each in (_MADE, _STARTED))


def without_dates(text: str) -> str:
    """A text without the lines above its first section that only date it, where nothing else stands there."""
    lines = split_lines(text, keepends=True)
    first = next((at for at, line in enumerate(lines) if line.startswith("##")), len(lines))
    told = [line for line in lines[:first] if line.strip() and not _HEADING.match(line)]
    if not told or not all(map(_STAMP.match, told)):
        return text
    return "".join((*(line for line in lines[:first] if line not in told), *lines[first:]))


def unfilled(text: str) -> bool:
    """Whether a text holds placeholders and nothing else."""
    lines = [line for line in split_lines(_TABLE_HEAD.sub("", text)) if not is_empty(line)]
    return bool(lines) and all(is_placeholder(line) for line in lines)


def says_nothing(text: str) -> bool:
    """Whether a text is blank, or holds nothing but placeholders."""
    return not text.strip() or unfilled(text)


def filled_in(text: str) -> str:
    """A text without its placeholders, and without the headings and tables that have nothing else below them."""
    lines = split_lines(text, keepends=True)
    if not any(map(is_placeholder, lines)):
        return text
    kept: list[str] = []
    waiting: list[tuple[int, str]] = []
    """Headings, with their levels, and the heads of tables that nothing came below yet."""
    fence = ""
    for number, line in enumerate(lines):
        mark = line.lstrip(" ")[:3]
        if fence or mark in _FENCES:  # what looks so in code is code
            fence = "" if mark == fence else fence or mark
        elif _HEADING.match(line):
            level = len(line) - len(line.lstrip(" #"))
            waiting = [*(each for each in waiting if each[0] < level), (level, line)]
            continue
        elif _is_table_head(lines, number):
            waiting.append((_TABLE, line))
            continue
        elif is_placeholder(line):
            continue
        elif not line.strip():
            waiting = [each for each in waiting if each[0] != _TABLE]
            if kept and not waiting and kept[-1].strip():
                kept.append(line)
            continue
        kept += [*(["\n"] if waiting and kept and kept[-1].strip() else []), *(each for _, each in waiting), line]
        waiting = []
    return "".join(kept).rstrip() + ("\n" if text.endswith("\n") else "") if kept else ""


def _is_table_head(lines: list[str], number: int) -> bool:
    """Whether a line is one of the first two of a table."""
    first = number - 1 if _RULE.fullmatch(lines[number].strip()) else number
    below = lines[first + 1] if 0 <= first < len(lines) - 1 else ""
    return first >= 0 and lines[first].lstrip().startswith("|") and _RULE.fullmatch(below.strip()) is not None
