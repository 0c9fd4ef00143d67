"""What a log of entries is made of: fields, kinds, scopes, headings, and which file plays which part."""

import re

from memdown import homes, times
from memdown.dialects import days
from memdown.dialects.sem import KINDS
from memdown.lazy import beside
from memdown.patterns import lazy
from memdown.record import Record

HOMES = homes.HOMES["sem"]

FIELDS = {
    "type": "One of decision, memory, note, directive.",
    "timestamp": "When it was written: date, time and offset, as 2026-02-15T14:32:15-0800.",
    "author": "An agent's name, a person's name, or Coordinator.",
    "contributors": "Others who took part, with commas between them.",
    "scope": "Who should read it: team, project, agent:<name> or skill:<name>.",
    "tags": "Words to find it by, with commas between them.",
    "supersedes": "Timestamps of the entries this one replaces, with commas between them.",
    "expires": "When it should be looked at again: a timestamp or a date.",
    "summary": "One sentence of at most 120 characters.",
    "details": "The whole text, in Markdown.",
    "rationale": "Why; expected for decisions and directives.",
    "related": "Links to other entries and to work, a line each: `- issue: #18`.",
}
"""Every field of an entry in the order it is written, with what it is for."""

DATA = "casting/"
"""Where a home has files that are no Markdown, but JSON."""
HAS_TEMPLATES = True
"""Its folder has templates beside memory; elsewhere a folder is called as whoever made it likes."""
READ_WHOLE = True
"""Its files are few, and read in every session, as those of assistants are."""
SIGNED = True
"""Whether every entry says who wrote it."""
WHY_LATER = True
"""A decision can be given its reason afterwards."""

LINE_FIELDS = ("type", "timestamp", "author", "contributors", "scope", "tags", "supersedes", "expires")
"""Fields of one line at the head of an entry; canonical writing ends them with two spaces."""

LEGACY = ("dated", "document", "heading")
"""Forms of entries in older formats, …"""
LINES = ("update", "bullet")
"""… and of those of one line; they live in lists and in the text of others, and stay there."""
REQUIRED = ("type", "timestamp", "author", "summary")
RELATED_TYPES = ("proposal", "issue", "decision", "memory", "note", "directive", "pr", "skill")
SUMMARY_LIMIT = 120
FRONT_DATES = ("timestamp", "createdat", "created_at", "date")
"""Keys of front matter that say when a dropped entry was written, in small letters."""
DEFAULT_SCOPES = {"decision": "team", "directive": "team", "note": "team"}
"""The scope an entry has when it names none; a memory's is its author."""

STAMP, moment = days.ISO_STAMP, days.iso_moment
"""How an entry spells a time, and the first that a text names."""

HEADING = lazy(r"(#{1,6})[ \t]+([^\r\n]*)")
SEM_TITLE = lazy(
    rf"(?P<stamp>{STAMP.pattern})\s*:\s*(?P<kind>decision|memory|note|directive)\s*:\s*(?P<title>.*)",
    re.IGNORECASE | re.ASCII,
)
CANONICAL_TITLE = lazy(
    r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[+-]\d{4}: (?:decision|memory|note|directive): \S.*", re.ASCII
)
FIELD = lazy(rf"\*\*({'|'.join(FIELDS)}):\*\*[ \t]*([^\r\n]*)")
"""A field of a canonical entry: lower case, at the beginning of its line."""
FIELD_NAME = lazy(rf"^\*\*(?:{'|'.join(FIELDS)}):\*\*", re.MULTILINE)
"""What names it."""

SCOPE = lazy(r"team|project|(?:agent|skill):[^\s,][^\r\n,]*")

SUBSECTIONS = frozenset(beside(__file__, "subsections.txt").splitlines())
"""Headings that name a part of an entry, never an entry."""

FILE_SECTIONS = frozenset(beside(__file__, "filesections.txt").splitlines())
"""Headings that name a part of the file, as templates of logs have them: no entry holds what stands below."""
HISTORY_SECTIONS = FILE_SECTIONS | {"core context", "learnings", "project learnings", "recent updates", "team updates"}
"""Those of a history."""

_AUTHOR_LABELS = r"By|Author|Authors|Decided by|Proposed by|Agent|Owner|Requested by|From|Decider|Deciders"
LABEL = lazy(
    r"[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+)?(?:[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?[ \t]?)?"
    r"\*\*(?P<name>[^\W\d_](?:[^\W\d_]|[ ()/&-]){0,40}?)[ \t]*"
    r"(?:[:：][ \t]*\*\*|\*\*[ \t]*[:：])[ \t]*(?P<value>[^\r\n]*)"
)
"""A bold label with its value, as legacy entries have them: colon inside or outside the bold, perhaps in a bullet."""

PLAIN_LABEL = lazy(
    r"[ \t]*(?:>[ \t]?)?(?:[-*+][ \t]+)?(?P<mark>__|[*_])?"
    r"(?P<name>[Dd]ate|[Aa]uthors?|By|[Ss]tatus|Scope|Owner|[Dd]eciders?"
    r"|[Dd]ecided by|[Pp]roposed by|[Dd]ecision-makers)(?:(?(mark)(?P=mark)|(?!)):|:(?:(?(mark)(?P=mark)|(?!)))?)"
    r"[ \t]+(?P<value>[^\r\n]+)"
)
METADATA = lazy(
    rf"^[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+)?\*\*(?:{_AUTHOR_LABELS}|Date|What|Status)[ \t]*(?::[ \t]*\*\*|\*\*[ \t]*:)",
    re.MULTILINE,
)
"""What tells an undated heading from a sub-section: somebody signed or dated it."""
SIGNATURE = lazy(
    rf"^[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+)?\*\*(?:{_AUTHOR_LABELS})[ \t]*(?::[ \t]*\*\*|\*\*[ \t]*:)", re.MULTILINE
)

_SPOKEN_TIME = lazy(r"[ ,][^:\r\n]{0,4}\d:|[ ]\(?[A-Z]{3}")
"""What follows a date with dashes where a time or a zone does that only people spell so."""

PIN = lazy(
    r"(?<![ \t])[ \t]*(?:>[ \t]?)?(?:[-*+][ \t]+)?\U0001f4cc\ufe0f?[ \t]*(?:\*\*)?(?P<label>[^(\r\n]{0,60}?)"
    r"\((?P<stamp>[^)\r\n]{1,60})\)[: \t*]*(?P<text>[^\r\n]*)"
)
"""A line that tells an agent of another's decision."""

BULLET = lazy(
    rf"[ \t]*[-*+][ \t]+(?:\*\*|__)?(?P<bracket>\[)?(?P<stamp>{STAMP.pattern})(?![:.]?\d| ?[+-]\d\d)"
    r"(?(bracket)\])(?:\*\*|__)?(?:[ \t]*\((?P<who>[^()\r\n]{1,40})\)(?=[ \t]*[:—–-]))?"
    r"(?:[ \t]*[:—–-]+[ \t]*|(?(bracket)[ \t]+|(?!)))(?P<text>[^\r\n]+)"
)
BOLD_LINE = lazy(
    rf"[ \t]*(?:\*\*|__)\[?(?P<stamp>{STAMP.pattern})\]?[ \t:—–-]{{0,20}}"
    r"(?P<text>[^\s*][^*\r\n]{2,160})(?:\*\*|__)[ \t]*(?=\r?$)",
    re.MULTILINE,
)
"""A line of bold type that begins with a date, where people write none of the marks of headings."""
TITLED_BULLET = lazy(r"[ \t]*[-*+][ \t]+\*\*(?P<text>[^*\r\n]{3,160}?)[ \t]*\((?P<stamp>\d{4}-\d{2}-\d{2})\)[:.]?\*\*")


def part_of(path: str) -> str | None:
    """What a file is: log, inbox, archive, history, session; None when it is none of these."""
    parts = path.replace("\\", "/").split("/")
    name = parts[-1].lower()
    if not name.endswith(".md"):
        return None
    root = next((at for at, each in enumerate(parts) if each in HOMES), None)
    inner = [each.lower() for each in (parts[root + 1 : -1] if root is not None else parts[-3:-1])]
    if inner[:1] == ["agents"] or (root is None and "agents" in inner):
        return "history" if name.startswith("history") else None
    if name == "decisions.md":
        return "log"
    if name.startswith("decisions-archive") or (inner[:1] == ["decisions"] and "archive" in " ".join([*inner, name])):
        return "archive"
    if root is None:
        return "inbox" if inner[-2:] == ["decisions", "inbox"] else None
    if inner[:1] in (["decisions-archive"], ["decisions.archive"]):
        return "archive"
    if not inner and name == "history.md":
        return "history"  # of the whole team
    if inner[:1] == ["decisions"]:
        return "archive" if inner[1:2] == ["processed"] else "inbox"
    return "session" if inner[:1] in (["log"], ["orchestration-log"]) else None


def is_legacy(record: Record) -> bool:
    """Whether it is an entry of an older format, and no heading that only groups entries."""
    return record.form in LEGACY and "unfilled" not in record.extra


def is_mention(record: Record) -> bool:
    """Whether a line only tells of an entry, which stands elsewhere."""
    return record.form in LINES


def append_only(path: str) -> tuple[str, ...]:
    """The kinds of records that never leave a file by a new text for it: all there are in a log, archive or history."""
    return tuple(KINDS) if part_of(path) in ("log", "archive", "history") else ()


def agent_of(path: str) -> str | None:
    """The agent whose history a file is, as its folder is named."""
    parts = path.replace("\\", "/").split("/")
    return parts[-2] if len(parts) > 1 and "agents" in parts[:-2] else None


def dated(heading: str, day_first: bool | None = None) -> re.Match[str] | None:
    """The date in a heading: as the contract spells it, else as people do, where that can be read in one way only.

    What is still to come is none.
    """
    if match := _own(STAMP, heading):
        whole = days.ONE.match(heading, match.start()) if _SPOKEN_TIME.match(heading, match.end()) else None
        return whole if whole and whole.end() > match.end() else match
    other = _own(days.STAMP_PATTERN, heading) if "20" in heading else None
    return other if other and stamp(other.group(), day_first) else None


def _own(pattern: re.Pattern[str], heading: str) -> re.Match[str] | None:
    return next((match for match in pattern.finditer(heading) if not days.is_to_come(heading, match.start())), None)


def spoken(text: str, day_first: bool | None = None) -> times.Moment | None:
    """The first moment that a heading or a label of an older entry names, in any spelling; a range, its end."""
    match = dated(text, day_first)
    return moment_at(text, match, day_first) if match else None


def moment_at(text: str, match: re.Match[str], day_first: bool | None = None) -> times.Moment | None:
    """The moment of a date that was found in a text, or of the range that begins with it."""
    ranged = days.range_from(text, match.start())
    return ranged[1] if ranged else stamp(match.group(), day_first)


def stamp(token: str, day_first: bool | None = None) -> times.Moment | None:
    """A moment from its spelling; the day alone when the time after it makes no sense."""
    if STAMP.fullmatch(token):
        return days.iso_stamp(token)
    return days.stamp(token, day_first=days.days_come_first(token) if day_first is None else day_first)
