"""The order of records within a session that spans several files."""

import re
import sqlite3
from collections.abc import Iterable

MEMBERS = "select rowid, instant, path, start from record where session = ? and kind != 'prose'"
_NUMBER = re.compile(r"(\d{1,18})", re.ASCII)


def renumber(connection: sqlite3.Connection, sessions: Iterable[str]) -> None:
    """Count the records of each session anew: by time, then by path, numbers in it as numbers, then by place."""
    for session in sessions:
        members = connection.execute(MEMBERS, (session,)).fetchall()
        members.sort(key=lambda row: (row[1] is None, row[1] or 0, _natural(row[2]), row[3]))
        connection.executemany(
            "update record set ordinal = ? where rowid = ?", [(place, row[0]) for place, row in enumerate(members)]
        )


def _natural(path: str) -> list[tuple[int, str]]:
    """`turn-9` before `turn-10`."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in _NUMBER.split(path)]
