"""Which entry a link means: by instant, then kind, then title; else by id, title or file name."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime

from memdown.dialects import answered
from memdown.dialects.days import ISO_STAMP, iso_stamp
from memdown.record import LINKED, Record, slug
from memdown.times import Moment

_SHORTEST_ID = 6
_MOST = 200
"""Entries of one time that are looked at; a hostile log has thousands."""
_NOTHING = frozenset(("", "-", "—", "n/a", "none", "nothing", "tbd"))
LINKING = frozenset(("supersedes", "superseded_by", *LINKED))
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
        is_mention = answered("is_mention")
        for number, record in enumerate(known):
            if is_mention(record):
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
        stamp = ISO_STAMP.match(target)
        moment = iso_stamp(stamp.group()) if stamp else None
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
        for kind in LINKED:
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
    """Records that lead back to themselves, each ring sorted: Kosaraju's two walks."""
    sources: dict[int, list[int]] = defaultdict(list)
    for source, targets in edges.items():
        for target in targets:
            sources[target].append(source)
    seen: set[int] = set()
    found: list[list[int]] = []
    for start in reversed(_finished(edges)):
        ring, waiting = [], [start]
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                ring.append(node)
                waiting += sources[node]
        if len(ring) > 1 or (ring and start in edges.get(start, ())):
            found.append(sorted(ring))
    return sorted(found)


def _finished(edges: Mapping[int, Sequence[int]]) -> list[int]:
    """Every record after all that it leads to, as far as that can be; without recursion, as chains may be long."""
    seen: set[int] = set()
    finished: list[int] = []
    for start in edges:
        walk = [] if start in seen else [(start, iter(edges[start]))]
        seen.add(start)
        while walk:
            node, targets = walk[-1]
            target = next((each for each in targets if each not in seen), None)
            if target is None:
                finished.append(node)
                walk.pop()
            else:
                seen.add(target)
                walk.append((target, iter(edges.get(target, ()))))
    return finished
