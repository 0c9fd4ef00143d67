"""Near-duplicates: of records that say the same, the best stands for all."""

import sqlite3
from collections.abc import Iterable
from itertools import islice

_LONGEST = 2_000
_FEWEST = 8
_SAME = 0.85
_TEXT = """
select r.id, substr(coalesce(w.title, '') || ' ' || coalesce(w.summary, '') || ' ' || coalesce(w.body, ''), 1, ?)
from record r join words w on w.rowid = r.rowid where r.rowid = ?
"""


class NearDuplicates:
    """The first so many records that differ, and those folded into each."""

    def __init__(self, db: sqlite3.Connection, rowids: Iterable[int], limit: int) -> None:
        self.chosen: list[int] = []
        self._folded: dict[int, list[str]] = {}
        seen: list[tuple[int, frozenset[str]]] = []
        for rowid in islice(rowids, limit * 3):
            [(id, text)] = db.execute(_TEXT, (_LONGEST, rowid))
            words = frozenset(text.casefold().split())
            twin = next((other for other, known in seen if _same(known, words)), None)
            if twin is not None:
                self._folded.setdefault(twin, []).append(id)
            elif len(self.chosen) < limit:
                seen.append((rowid, words))
                self.chosen.append(rowid)
            else:
                break

    def ids(self, rowid: int) -> tuple[str, ...]:
        return tuple(self._folded.get(rowid, ()))


def _same(one: frozenset[str], two: frozenset[str]) -> bool:
    """Short texts are alike by chance, so only equal words count for them."""
    small, large = sorted((len(one), len(two)))
    if small < _FEWEST:
        return one == two and small > 2
    return small >= _SAME * large and len(one & two) >= _SAME * len(one | two)
