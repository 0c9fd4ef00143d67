"""The one model: what every dialect reads its files into and writes them from.

Nothing here knows Markdown or a dialect. What `Record` cannot name, `extra` keeps.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Protocol, TypeVar

from msgspec import Struct

from memdown.limits.settings import DEFAULTS, Limits
from memdown.patterns import lazy
from memdown.text import Lines, Span
from memdown.times import Moment

LISTS = ("index", "log")
"""Kinds of records that only tell what stands elsewhere: found by who looks for them, never picked for anybody."""
SINCE = ("decision", "directive")
"""Kinds of records that say what holds; their date says since when, and not on which day something was done."""

ADDED = "added"
"""The form of a note as it is added, whose date says the same; that of a line in a log does not."""

COMMITTED = "HEAD:"
"""What the path of a document as it was in the last commit begins with."""
LINKED = ("decision", "memory", "note", "directive")
"""Kinds of records that a link may name as its type."""

T = TypeVar("T")
_SEVERAL = lazy(r",|;|\+|/|&|\band\b")
_BRACKETS = lazy(r"\([^()]*\)")
_ROLE = lazy(r"(?<!\s)(?:\s*\([^()]*\)|(?:\s*,)?\s*\bvia\b.*$|\s*[—–-]\s+.*$|\s*,\s*v?\d[\w.]*$)", re.IGNORECASE)
_PART = lazy(
    r"(?:implemented|requested|reviewed|approved|reported|written|decided|proposed|supported|confirmed) by\b[ \t:]*",
    re.IGNORECASE,
)
"""What somebody did, before their name."""
_ASIDE = lazy(
    r",[ \t]+(?:(?:[a-z]{2,20}ing|after|as|at|based|because|for|from|given|in|inspired|on|per|to|when|who)[ \t]"
    r"|(?![a-z]{2,20}ed by\b|via\b)[a-z][^\s,;]*(?:[ \t]+[^\s,;]+){4})[^,;]*"
)
"""What is told of somebody behind a comma, as in "Ann, on behalf of the team"."""
Extra = Mapping[str, str | Sequence[str]]


class Link(Struct, frozen=True):
    """One record pointing at something else."""

    type: str
    """How they relate: supersedes, related, depends, file, area."""
    target: str
    """The id, path or name written in the file."""
    resolved: str | None = None
    """The id it was found to mean; None when nothing has it or nobody looked."""


class Record(Struct, frozen=True, kw_only=True):
    """One remembered thing, and where it stands."""

    id: str
    """The dialect's own id where it has one; unique in the root, never a timestamp alone."""
    dialect: str
    kind: str
    """card, decision, memory, note, directive, task, edit, session, review, issue, section, …"""
    path: str
    """The file that holds it, relative to the root, with forward slashes."""
    span: Span
    """What it covers in that file."""
    line: int = 0
    end_line: int = 0
    """The lines it covers, from 1; whoever parses a whole document fills them in."""
    title: str | None = None
    summary: str | None = None
    body: str | None = None
    at: Moment | None = None
    author: str | None = None
    contributors: tuple[str, ...] = ()
    scope: str | None = None
    status: str | None = None
    tags: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    extra: Extra = {}
    """What only this dialect has, as the text it is. Rooms that know no dialect ask by the names below."""

    @property
    def form(self) -> str:
        """The spelling it has among those its dialect reads; empty where there is one only."""
        return self._named("form")

    @property
    def rationale(self) -> str:
        """Why, where a dialect keeps that apart from the text."""
        return self._named("rationale")

    @property
    def content_hash(self) -> str:
        """The hash of its content that the file carries."""
        return self._named("content_hash")

    @property
    def session(self) -> str:
        """The session of an assistant that it belongs to."""
        return self._named("session") or self._named("Session")

    @property
    def task(self) -> str:
        """The id of the task that it is, or belongs to."""
        return self._named("task")

    @property
    def number(self) -> str:
        """What people number it by in its file, as ADR-7."""
        return self._named("number")

    def _named(self, key: str) -> str:
        value = self.extra.get(key)
        return value if isinstance(value, str) else ""


def slug(name: str) -> str:
    """A title or a person's name as a part of a file's name; titles that differ in other signs only have the same."""
    return re.sub(r"[^\w]+", "-", name.lower()).strip("-_") or "unnamed"


def people(author: str) -> list[str]:
    """The people an author line names, without roles: "Ann (Lead) + Bob" gives Ann and Bob."""
    return list(_people(author))


@lru_cache(1000)
def _people(author: str) -> list[str]:
    """The same; the entries of a log have few authors, and each is asked for several times."""
    bare = _ROLE.sub("", _ASIDE.sub("", _BRACKETS.sub("", author))).strip(" *_")
    found = [_PART.sub("", name.strip()).strip(" *_@`") for name in _SEVERAL.split(bare)]
    return [name for name in found if name] or [author.strip()]


def without_asides(author: str) -> str:
    """An author line without what is told of somebody behind a comma; one inside of brackets belongs to the role."""
    bare = _ASIDE.sub("", author)
    bare = bare[:-1] if bare.endswith(").") else bare
    return bare if bare.count("(") == bare.count(")") else author


Days = Counter[tuple[str, str, date | None]]
"""How many records there are of a dialect, a kind and a day in UTC."""


def days_of(records: Iterable[Record]) -> Days:
    """Records counted by dialect, kind and day."""
    return Counter((each.dialect, each.kind, each.at.instant().date() if each.at else None) for each in records)


class Mark(Struct, frozen=True):
    """A record, and what is known of it beyond its own text."""

    record: Record
    superseded: bool
    superseded_by: tuple[str, ...]
    """Ids of the records that replace it."""
    expired: bool
    untrue: tuple[str, ...] = ()
    """What it says of the code that is no longer so, as in "src/db.py is gone since 4f2a91c"."""
    standing: str = ""
    """What speaks against stating it as a rule, as that it is uncommitted; empty if nothing, or nobody asked."""


def distinct(marks: Iterable[Mark]) -> list[tuple[Mark, list[Mark]]]:
    """Each entry once, with its copies: a folder that was renamed is often kept, with the same entries."""
    found: dict[tuple[object, ...], tuple[Mark, list[Mark]]] = {}
    for mark in marks:
        record = mark.record
        named = (record.kind, record.title, record.at or record.body, record.author) if record.title else (record.id,)
        first, copies = found.setdefault(named, (mark, []))
        if first is mark:
            continue
        if first.record.path != record.path:
            copies.append(mark)
        else:
            found[record.id,] = (mark, [])
    return list(found.values())


UNTRUE = ("moved", "changed", "gone")
"""States of statements that are an alarm."""
CONTRADICTION, REVIEW = "contradiction", "review"
"""Kinds of statements that no code can answer: another record says otherwise, or somebody should look again."""


class Statement(Struct, frozen=True, gc=False):
    """What a record says of the code, and how it stands."""

    id: str
    path: str
    line: int
    claim: str
    """As the record spells it."""
    kind: str
    target: str
    state: str
    now: str | None
    commit: str | None
    since: str | None
    """When that commit was made."""
    author: str | None
    subject: str | None
    """Of that commit."""
    note: str | None
    sure: float
    title: str | None
    """Of the record."""
    text: str
    """The line that says so."""
    start: int
    end: int
    """Where it stands in the file."""
    evidence: str | None = None
    """What was asked: files, manifests, git; of names, the surest first: parser, ctags, pattern."""


class Around(Protocol):
    """What rules may ask of the repository around a memory. Nothing is looked at before it is asked for."""

    def paths(self) -> Collection[str]:
        """Files and folders below the root that are no memory."""

    def is_bare(self) -> bool:
        """Whether nothing but memory is there."""

    def has(self, path: str) -> bool:
        """Whether a path is there, from the root or from some folder below it."""

    def versions(self) -> Mapping[str, Mapping[str, str]]:
        """The versions of libraries that lock files have, by name, each with its lock file."""

    def behind(self, path: str) -> int | None:
        """How many commits changed something else than memory since a file last did; None where git has none."""

    def statements(self, path: str) -> Sequence[Statement]:
        """What a file of memory says of the code, and how it stands; nothing unless somebody wants it verified."""


class BriefPoint(Struct, frozen=True, gc=False):
    """Something a session should know when it begins, as a file says it."""

    part: str
    """What it is: focus, state, doing, blocker, next, planned, read, for a file that is read at the beginning, or
    merged, for what a merge kept from both sides."""
    start: int
    """Where it stands in the text."""
    text: str
    """On one line; for `read`, the file's place in the order of reading."""


class LaidOutPart(Struct, frozen=True):
    """A section of a file that is read for a task."""

    title: str
    """Empty for what stands before the first section."""
    span: Span
    filled: bool
    """Whether it says anything yet."""


class LaidOut(Struct, frozen=True):
    """A file that is read for any task, as its dialect divides it."""

    why: str
    order: int
    required: bool
    is_filled: bool
    """Whether it may be read whole: no section is a placeholder."""
    parts: Sequence[LaidOutPart]
    """Those wanted most first."""


class ClockUse:
    """What rules asked of the clock about a document, and so for how long what they found holds."""

    __slots__ = ("day", "other", "since", "until")

    def __init__(self) -> None:
        self.since: datetime | None = None
        """The last moment that had come; before it, another answer is right."""
        self.until: datetime | None = None
        """The first moment that had not; from it on, another answer is right."""
        self.day: date | None = None
        """The day that it was, if that was asked."""
        self.other = False
        """Whether the time itself was asked, so that no answer holds for longer than now."""

    def compared(self, moment: datetime, *, past: bool) -> None:
        """Note that a moment had come, or had not."""
        if past:
            self.since = moment if self.since is None else max(self.since, moment)
        else:
            self.until = moment if self.until is None else min(self.until, moment)


class Document:
    """One file as it was read: its text, the records in it, and what was worked out about it so far."""

    __slots__ = (
        *("_known", "_now", "around", "canonical_path", "clock_use", "dialect", "path", "records", "settings"),
        "text",
    )

    def __init__(
        self,
        path: str,
        text: str,
        *,
        dialect: str | None = None,
        records: Sequence[Record] = (),
        now: datetime | None = None,
        settings: Limits = DEFAULTS,
        canonical_path: str | None = None,
    ) -> None:
        self.path = path
        self.canonical_path = canonical_path
        """Where its dialect would expect it, when it is in a folder that the configuration names."""
        self.text = text
        self._now = now
        self.clock_use: ClockUse | None = None
        """Notes what is asked of the clock; None when nobody wants to know."""
        self.settings = settings
        """The limits of its project, for rules that compare with them."""
        self.dialect = dialect
        """The dialect that claims the file; None when it is some other text."""
        self.around: Around | None = None
        """The repository it is in, for rules that compare with it; None when nobody looked."""
        self.records = records
        self._known: dict[object, object] = {}

    def of(self, reader: Callable[[str], T]) -> T:
        """What `reader` makes of the text, read once: `doc.of(frontmatter.read)`."""
        if reader not in self._known:
            self._known[reader] = reader(self.text)
        return self._known[reader]  # type: ignore[return-value]

    def once(self, work: "Callable[[Document], T]") -> T:
        """What `work` makes of the document and its records, done once."""
        if work not in self._known:
            self._known[work] = work(self)
        return self._known[work]  # type: ignore[return-value]

    def keep(self, reader: Callable[[str], T], value: T) -> None:
        """Let what a reader made of the same text before stand for what it would make of it now."""
        self._known[reader] = value

    @property
    def lines(self) -> Lines:
        return self.of(Lines)

    @property
    def now(self) -> datetime | None:
        """The time it is looked at; None when nobody said. Rules ask `is_past` and `today`: those answers last."""
        if self.clock_use is not None:
            self.clock_use.other = True
        return self._now

    @property
    def has_clock(self) -> bool:
        """Whether anybody said what time it is."""
        return self._now is not None

    def is_past(self, moment: datetime, days: int = 0) -> bool:
        """Whether so many days after a moment have come; never without a clock."""
        if self._now is None:
            return False
        try:
            shifted = moment + timedelta(days=days) if days else moment
        except OverflowError:
            return days < 0
        past = shifted <= self._now
        if self.clock_use is not None:
            self.clock_use.compared(shifted, past=past)
        return past

    @property
    def today(self) -> date | None:
        """The day it is looked at; None without a clock."""
        day = self._now.date() if self._now is not None else None
        if self.clock_use is not None:
            self.clock_use.day = day
        return day
