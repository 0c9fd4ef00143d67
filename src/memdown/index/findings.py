"""What `check` found, kept in the index: by file and text, and for each dialect what rules found that compare files.

Whether findings still hold is the question of `acts.check`; here they are only put away and given back.
"""

import sqlite3
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from memdown.diagnostics import Diagnostic, Fix, Saving
from memdown.lazy import LazyModule
from memdown.text import Span

if TYPE_CHECKING:
    import json
else:
    json = LazyModule("json")

SETS = 3
"""How many sets of rules are remembered: that of the command line, that of the MCP server, and one more."""
_TURN = "turn "
_RECENT = "rule sets"
_KNOWN = """
from file f left join checked c on c.file = f.number and c.rules = :rules and c.digest = f.digest
    and (c.since is null or c.since <= :now) and (c.until is null or :now < c.until)
    and (c.day is null or c.day = :day)
where f.dialect is not null
"""
_FILES = f"""
select f.number, f.path, f.dialect, f.digest, c.tokens, c.errors, c.warnings, c.infos, c.loud, c.quiet, c.facts {_KNOWN}
"""
_SUMS = f"""
select f.dialect, count(*), total(c.tokens), total(c.errors), total(c.warnings), total(c.infos),
    total(c.file is null or c.facts is not null) {_KNOWN} group by f.dialect
"""
_COMPARED = """
select errors, warnings, infos, loud, quiet, facts from compared
where dialect = :dialect and rules = :rules and turn = :turn
    and (since is null or since <= :now) and (until is null or :now < until) and (day is null or day = :day)
"""
_KEEP = """
insert or replace into checked
select ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? where exists (select 1 from file where number = ? and digest = ?)
"""
_KEEP_COMPARED = "insert or replace into compared values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_SHARED = """
select distinct file from record where dialect = ? and (content is null
    or content in (select content from record where content is not null group by content having count(*) > 1)
    or id in (select id from record group by id having count(*) > 1))
"""


class KeptFinding(Struct, frozen=True, array_like=True, gc=False):
    """A finding as the index keeps it; the path is empty where the row says which file it is."""

    path: str
    rank: int
    """Its place among the findings of the file, or of the dialect."""
    code: str
    name: str
    severity: str
    message: str
    start: int
    end: int
    fix: Fix | None = None
    saving: Saving | None = None


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(list[KeptFinding]).decode


class Verdict(Struct, frozen=True, gc=False):
    """What was found, and how long it holds."""

    errors: int = 0
    warnings: int = 0
    infos: int = 0
    loud: bytes | None = None
    quiet: bytes | None = None
    since: int | None = None
    until: int | None = None
    day: str | None = None
    facts: bytes | None = None


class FileVerdict(Struct, gc=False):
    """A file of memory, and what was found in it, if that is known."""

    number: int
    path: str
    dialect: str
    digest: bytes
    tokens: int
    verdict: Verdict | None


def packed(found: Sequence[Diagnostic], path: str | None) -> Verdict:
    """Findings as the index keeps them, of one file or of several."""
    kept = [
        KeptFinding(
            *("" if path else each.path, rank, each.code, each.name, each.severity, each.message),
            *(each.span.start, each.span.end, each.fix, each.saving),
        )
        for rank, each in enumerate(found)
    ]
    loud = [each for each in kept if each.severity != "info"]
    quiet = [each for each in kept if each.severity == "info"]
    errors = sum(each.severity == "error" for each in loud)
    return Verdict(errors, len(loud) - errors, len(quiet), _written(loud), _written(quiet))


def unpacked(verdict: Verdict, path: str) -> list[tuple[int, Diagnostic]]:
    """Findings with their rank; `path` is for those whose row says it."""
    found = [each for kept in (verdict.loud, verdict.quiet) if kept for each in _read(kept)]
    return [
        (
            each.rank,
            Diagnostic(
                *(each.path or path, each.code, each.name, each.severity, each.message),
                *(Span(each.start, each.end), each.fix, each.saving),
            ),
        )
        for each in found
    ]


def _written(kept: list[KeptFinding]) -> bytes | None:
    try:
        return _encode(kept) if kept else None
    except UnicodeEncodeError:  # bytes that are not UTF-8, which only this way of writing JSON knows how to hold
        return json.dumps(msgspec.to_builtins(kept)).encode()


def _read(kept: bytes) -> list[KeptFinding]:
    try:
        return _decode(kept)
    except msgspec.DecodeError:
        return msgspec.convert(json.loads(kept), list[KeptFinding])


class FileSums(Struct, frozen=True):
    """What is known of all files of a dialect."""

    files: int
    tokens: int
    errors: int
    warnings: int
    infos: int
    open: int
    """Files of which it is not known, or depends on what the repository says."""


def forget(connection: sqlite3.Connection, dialects: Iterable[str]) -> None:
    """Files of these dialects are others than before, so what was found by comparing them is of the past."""
    for dialect in dialects:
        connection.execute("delete from compared where dialect = ?", (dialect,))
        connection.execute("insert or replace into meta values (?, ?)", (f"{_TURN}{dialect}", time.time_ns()))


class Findings:
    """Findings by one set of rules, at one time."""

    def __init__(self, connection: sqlite3.Connection, rules: int, now: int, day: str) -> None:
        self._connection = connection
        self._given = {"rules": rules, "now": now, "day": day}
        self._rules = rules

    def files(self) -> list[FileVerdict]:
        """Every file of memory."""
        found = []
        for number, path, dialect, digest, tokens, *rest in self._connection.execute(_FILES, self._given):
            known = None if tokens is None else _verdict(rest)
            found.append(FileVerdict(number, path, dialect, digest, tokens or 0, known))
        return found

    def sums(self) -> dict[str, FileSums]:
        """The same of all files together, by dialect."""
        rows = self._connection.execute(_SUMS, self._given)
        return {dialect: FileSums(*map(int, rest)) for dialect, *rest in rows}

    def turn(self, dialect: str) -> int:
        """Another number after every change of the files of a dialect."""
        row = self._connection.execute("select value from meta where key = ?", (f"{_TURN}{dialect}",)).fetchone()
        return int(row[0]) if row else 0

    def compared(self, dialect: str, turn: int) -> Verdict | None:
        """What rules found that compare the files of a dialect."""
        asked = {**self._given, "dialect": dialect, "turn": turn}
        row = self._connection.execute(_COMPARED, asked).fetchone()
        return _verdict(row) if row else None

    def sharing(self, dialect: str) -> set[int]:
        """The files of a dialect that share the id or the content of a record with another, or have no content."""
        return {file for (file,) in self._connection.execute(_SHARED, (dialect,))}

    def keep(self, files: Iterable[FileVerdict]) -> None:
        """Keep what was found in files, unless their rows are of another text by now."""
        self._connection.executemany(
            _KEEP,
            (
                (*(each.number, self._rules, each.digest, each.tokens), *_columns(known), each.number, each.digest)
                for each in files
                if (known := each.verdict) is not None
            ),
        )
        recent = self._connection.execute("select value from meta where key = ?", (_RECENT,)).fetchone()
        sets = [each for each in (recent[0].split() if recent else ()) if each != str(self._rules)]
        kept = [str(self._rules), *sets][:SETS]
        self._connection.execute("insert or replace into meta values (?, ?)", (_RECENT, " ".join(kept)))
        for old in sets[SETS - 1 :]:
            self._connection.execute("delete from checked where rules = ?", (int(old),))
            self._connection.execute("delete from compared where rules = ?", (int(old),))

    def keep_compared(self, dialect: str, turn: int, verdict: Verdict) -> None:
        """Keep what comparing files found, unless they are others by now."""
        if self.turn(dialect) == turn:
            self._connection.execute(_KEEP_COMPARED, (dialect, self._rules, turn, *_columns(verdict)))


def _columns(known: Verdict) -> tuple[object, ...]:
    return (
        *(known.errors, known.warnings, known.infos, known.loud, known.quiet),
        *(known.since, known.until, known.day, known.facts),
    )


def _verdict(row: Sequence[Any]) -> Verdict:
    errors, warnings, infos, loud, quiet, facts = row
    return Verdict(errors, warnings, infos, loud, quiet, facts=facts)
