"""What records say of the code that is no longer so, as the index has it and the disk shows now.

No git is started. Light to import, since hooks ask.
"""

import os
import sqlite3

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_FEW = 2
"""Statements that are no longer true which are told of one record."""
_COLUMNS = "c.target, c.kind, c.found, c.state, c.now, c.since"
_DOUBTED = "(c.state in ('moved', 'changed', 'gone') or c.found <> '')"
_UNTRUE = f"select {_COLUMNS} from claimed c where c.file = ? and c.line between ? and ? and {_DOUBTED} order by c.line"
_SAID = f"""
select record.rowid, {_COLUMNS} from record cross join claimed c on c.file = record.file
where record.rowid in (select value from json_each(?)) and superseded = 0
    and c.line between record.line and record.end_line and {_DOUBTED}
order by record.rowid, c.line
"""


def of_records(db: sqlite3.Connection, rowids: "Iterable[int]") -> dict[int, "list[Untrue]"]:
    """What of records in force is no longer so, as the index has it and the disk shows; those without are left out."""
    asked = f"[{','.join(map(str, rowids))}]"
    statements: dict[int, list[tuple[str, ...]]] = {}
    for rowid, *claim in db.execute(_SAID, (asked,)):
        statements.setdefault(rowid, []).append(tuple(claim))
    root = _root(db) if statements else ""
    found = {rowid: _still(claims, root) for rowid, claims in statements.items()}
    return {rowid: each for rowid, each in found.items() if each}


def of_lines(db: sqlite3.Connection, root: str, file: int, first: int, last: int) -> "list[Untrue]":
    """The same of some lines of a file."""
    return _still(db.execute(_UNTRUE, (file, first, last)), root)


def _still(claims: "Iterable[tuple[str, ...]]", root: str) -> "list[Untrue]":
    """What of that is not so on the disk either, each thing once, however often a record says it."""
    found: dict[str, Untrue] = {}
    for target, kind, there, state, now, since in claims:
        if there and not root:  # an index that no file keeps knows no more than it was told
            continue
        if there:
            if os.path.lexists(os.path.join(root, there)):
                continue
            state = "gone"
        elif kind == "path" and root and os.path.lexists(os.path.join(root, target)):
            continue  # it is there again
        if state == "gone" or target not in found:  # what is gone is not changed as well
            found[target] = Untrue(target, state, now, since)
    return list(found.values())


def doubt(db: sqlite3.Connection, path: str, first: int, last: int) -> str:
    """What of some lines of a file of memory is no longer so, on one line; empty when all holds."""
    row = db.execute("select number from file where path = ?", (path,)).fetchone()
    return sentence(of_lines(db, _root(db), row[0], first, last)) if row else ""


def _root(db: sqlite3.Connection) -> str:
    """The folder of the project whose index this is."""
    path: str = next(row[2] for row in db.execute("pragma database_list") if row[1] == "main")
    return os.path.dirname(os.path.dirname(path))


class Untrue:
    """Something that memory says of the code, and is no longer so."""

    __slots__ = ("now", "since", "state", "target")

    def __init__(self, target: str, state: str, now: str, since: str) -> None:
        self.target = target
        self.state = state
        self.now = now
        self.since = since

    def __str__(self) -> str:
        """As in "src/db.py is gone since 4f2a91c"."""
        how = "is gone" if self.state == "gone" else f"is now {self.now}" if self.now else "changed"
        return f"{self.target} {how}{f' since {self.since}' if self.since else ''}"


def sentence(found: "Sequence[Untrue | str]") -> str:
    """What is no longer so, on one line; of many, the first."""
    shown = [str(each) for each in found[:_FEW]]
    return ", ".join((*shown, *([f"{len(found) - _FEW} more"] if len(found) > _FEW else ())))
