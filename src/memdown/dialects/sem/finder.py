"""Which entry a link means: by instant, then kind, then title; else by id, title or file name."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime

from memdown.dialects.sem import grammar
from memdown.dialects.sem.write import slug
from memdown.record import Record
from memdown.times import Moment

_SHORTEST_ID = 6
_MOST = 200
"""Entries of one time that are looked at; a hostile log has thousands."""
_NOTHING = frozenset(("", "-", "—", "n/a", "none", "nothing", "tbd"))
LINKING = frozenset(("supersedes", *grammar.KINDS))
"""Types of links that lead to entries."""


def plain_target(target: str) -> str:
    """What a link names, without the marks around it; empty where people write that there is nothing."""
    target = target.strip().strip("`*")
    return "" if target.casefold() in _NOTHING else target


def identity(record: Record) -> tuple[str, datetime | None, str]:
    """What two copies of one entry have in common, wherever they stand."""
    return record.kind, record.at.instant() if record.at else None, slug(record.title or "")


class Finder:
    """Records by what a link may call them. Of very many that fit, only the first are looked at."""

    def __init__(self, known: Sequence[Record]) -> None:
        self._known = known
        self._instants: dict[datetime, list[int]] = defaultdict(list)
        self._days: dict[date, list[int]] = defaultdict(list)
        self._titles: dict[str, list[int]] = defaultdict(list)
        self._files: dict[str, list[int]] = defaultdict(list)
        self._ids: dict[str, list[int]] = defaultdict(list)
        self._identities = [identity(record) for record in known]
        self._slugs = [title for _, _, title in self._identities]
        for number, record in enumerate(known):
            if record.form in grammar.LINES:
                continue  # a line that tells of a decision is not the decision
            if record.at:
                self._instants[record.at.instant()].append(number)
                self._days[record.at.local.date()].append(number)
            self._titles[self._slugs[number]].append(number)
            self._files[record.path.rpartition("/")[2].lower()].append(number)
            self._ids[record.id[:_SHORTEST_ID]].append(number)

    def follow(self, source: int, type: str, target: str) -> list[int]:
        """The records a link of one may mean, of the kind it names if any is, and without itself unless no other is.

        One that is replaced is of the same kind.
        """
        target = plain_target(target)
        if type not in LINKING or not target:
            return []
        stamp = grammar.STAMP.match(target)
        moment = grammar.stamp(stamp.group()) if stamp else None
        if stamp and moment:
            rest = target[stamp.end() :].strip(" :—–-")
            found = self._by_moment(moment, slug(rest) if rest else "")
        else:
            found = self._by_name(target)
        kind = self._known[source].kind if type == "supersedes" else type
        others = [each for each in found if each != source]
        same_kind = [each for each in others if self._known[each].kind == kind]
        return same_kind or others or found

    def distinct(self, found: Sequence[int]) -> list[int]:
        """The same without further copies of an entry."""
        firsts: dict[object, int] = {}
        for each in found:
            firsts.setdefault(self._identities[each], each)
        return list(firsts.values())

    def _by_moment(self, moment: Moment, title: str) -> list[int]:
        found = self._instants.get(moment.instant(), [])
        if moment.precision == "day" and (title or not found):
            found = self._days.get(moment.local.date(), [])
        found = found[:_MOST]
        if not title:
            return found
        for kind in grammar.KINDS:
            if title == kind or title.startswith(f"{kind}-"):
                found = [each for each in found if self._known[each].kind == kind]
                title = title.removeprefix(kind).removeprefix("-")
                break
        exact = [each for each in found if self._slugs[each] == title]
        near = [each for each in found if title and self._slugs[each].startswith(title)]
        # A time says enough by itself; a day does not, when the title beside it is another.
        return exact or near or (found if not title or moment.precision != "day" else [])

    def _by_name(self, target: str) -> list[int]:
        by_id = [each for each in self._ids.get(target[:_SHORTEST_ID], []) if self._known[each].id.startswith(target)]
        name = target.rpartition("/")[2].lower()
        titled = self._titles.get(slug(target), [])
        return (by_id or titled or self._files.get(name, []) or self._files.get(f"{name}.md", []))[:_MOST]


def rings(edges: Mapping[int, Sequence[int]]) -> list[list[int]]:
    """Records that lead back to themselves, each ring sorted. Tarjan's walk, without recursion: chains may be long."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    open_nodes: list[int] = []
    is_open: set[int] = set()
    found: list[list[int]] = []
    for start in edges:
        if start in order:
            continue
        walk = [(start, iter(edges.get(start, ())))]
        order[start] = low[start] = len(order)
        open_nodes.append(start)
        is_open.add(start)
        while walk:
            node, targets = walk[-1]
            for target in targets:
                if target not in order:
                    order[target] = low[target] = len(order)
                    open_nodes.append(target)
                    is_open.add(target)
                    walk.append((target, iter(edges.get(target, ()))))
                    break
                if target in is_open:
                    low[node] = min(low[node], order[target])
            else:
                walk.pop()
                if walk:
                    low[walk[-1][0]] = min(low[walk[-1][0]], low[node])
                if low[node] == order[node]:
                    ring = _closed(node, open_nodes, is_open)
                    if len(ring) > 1 or node in edges.get(node, ()):
                        found.append(sorted(ring))
    return sorted(found)


def _closed(node: int, open_nodes: list[int], is_open: set[int]) -> list[int]:
    ring = []
    while True:
        each = open_nodes.pop()
        is_open.discard(each)
        ring.append(each)
        if each == node:
            return ring
