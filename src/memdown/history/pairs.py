"""Which record of an older text is which of a newer one: by id, by what it is called, and by its wording."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import chain

from memdown.patterns import lazy
from memdown.record import Document, Record

Pair = tuple[Record | None, Record | None]
"""A record as it was and as it is; None where it was not, or is no more."""

_ALIKE = 0.5
_MOST = 4000
"""Comparisons of wordings in one file; beyond that only names count."""
_LONG = 12
"""Letters of a title that is hardly given twice."""
_LONG_BODY = 40
_UUID = lazy(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HASH = lazy(r"[0-9a-f]{12}")
_MARK = lazy(r"[\s*_~`]*\[?([A-Z]{1,10}(?:-[A-Z]{1,10})?-?\d{1,6})\b")
_STATE = lazy(r"\b(?:completed?|done|in[ _-]progress|pending|open|closed|active|blocked|wip|todo)\b")
_WORD = lazy(r"\w+")
_Key = Callable[[Record, str], Hashable]


def pairs(old: Sequence[Document], new: Sequence[Document], renamed: Mapping[str, str]) -> list[Pair]:
    """All records of two states of some files, each once; `renamed` has the new name of a file by its old one."""
    left = [(record, renamed.get(record.path, record.path)) for document in old for record in document.records]
    right = [(record, record.path) for document in new for record in document.records]
    found: dict[int, Record] = {}
    taken: set[int] = set()
    alone = {id(record) for each in (*old, *new) for record in each.records if _is_all(record, each)}

    def only_here(record: Record, path: str) -> Hashable:
        """The one record of a file that has nothing else, whatever it is called."""
        return (path, record.kind) if id(record) in alone else None

    for key in (_id_here, _name_here, _marked_here, _title_here, _id, _name, _marked, _converted, only_here, _body):
        if not left or not right:
            break
        _match(key, left, right, found)
        taken = {id(record) for record in found.values()}
        left = [each for each in left if id(each[0]) not in found]
        right = [each for each in right if id(each[0]) not in taken]
    _match_alike(left, right, found)
    taken = {id(record) for record in found.values()}
    return [
        *((record, found.get(id(record))) for document in old for record in document.records),
        *((None, record) for document in new for record in document.records if id(record) not in taken),
    ]


def _match(
    key: _Key, left: Iterable[tuple[Record, str]], right: Iterable[tuple[Record, str]], found: dict[int, Record]
) -> None:
    """Pair those that have a key alone, on both sides."""
    olds, news = ([(each, key(*each)) for each in side] for side in (left, right))
    once = {name: each for (each, _), name in news if name is not None}
    counts, others = Counter(name for _, name in news), Counter(name for _, name in olds)
    for (each, _), name in olds:
        if name is not None and counts[name] == 1 and others[name] == 1 and _may_be(each, once[name]):
            found[id(each)] = once[name]


def _is_all(record: Record, document: Document) -> bool:
    return record.span.start == 0 and record.span.end >= len(document.text.rstrip())


def _may_be(old: Record, new: Record) -> bool:
    """Whether two records can be one: not where their format gave each an id of its own."""
    one, two = _own_id(old), _own_id(new)
    return one == two or one is None or two is None or old.dialect != new.dialect


def _own_id(record: Record) -> str | None:
    """The id that a record was given; None for one that is worked out from its text or its place."""
    if _UUID.fullmatch(record.id):
        return record.id
    stem = record.path.rpartition("/")[2].removesuffix(".md")
    return None if _HASH.fullmatch(record.id) or stem in record.id or "/" in record.id else record.id


def _id_here(record: Record, path: str) -> Hashable:
    return path, record.kind, record.id


def _name_here(record: Record, path: str) -> Hashable:
    return path, record.kind, _called(record)


def _marked_here(record: Record, path: str) -> Hashable:
    """The id that people put before its title, as [US-RN-006] or T12: a task is its id, whatever is said of it."""
    match = _MARK.match(record.title or "")
    return (path, record.kind, match[1]) if match else None


def _title_here(record: Record, path: str) -> Hashable:
    """The letters of its title without its state: `Upgrade ✅ COMPLETED` is `Upgrade`, though its text is another."""
    letters = "".join(filter(str.isalnum, _STATE.sub("", (record.title or "").casefold())))
    return (path, record.kind, letters) if len(letters) >= _LONG else None


def _marked(record: Record, _: str) -> Hashable:
    return _marked_here(record, "")


def _id(record: Record, _: str) -> Hashable:
    return record.kind, record.id


def _name(record: Record, _: str) -> Hashable:
    """What it is called, wherever it stands now, if that is hardly given twice."""
    sure = record.at is not None or len(record.title or "") >= _LONG or len(record.body or "") >= _LONG_BODY
    return (record.kind, _called(record)) if sure and record.title else None


def _converted(record: Record, _: str) -> Hashable:
    """Its day and the letters of its title, whatever kind of record of whatever dialect it is now."""
    letters = "".join(filter(str.isalnum, (record.title or "").casefold()))
    return (record.at.local.date(), letters) if record.at and len(letters) >= _LONG else None


def _body(record: Record, _: str) -> Hashable:
    """Its text, when only its title changed."""
    return (record.kind, record.body.strip()) if record.body and len(record.body.strip()) >= _LONG_BODY else None


def _called(record: Record) -> Hashable:
    return record.number or (record.at.text if record.at else "", " ".join((record.title or "").split()).casefold())


def _match_alike(
    left: Iterable[tuple[Record, str]], right: Iterable[tuple[Record, str]], found: dict[int, Record]
) -> None:
    """Pair what has much the same words, in each file the most similar first."""
    places: dict[Hashable, tuple[list[Record], list[Record]]] = {}
    for side, (record, path) in chain(((0, each) for each in left), ((1, each) for each in right)):
        places.setdefault((path, record.kind), ([], []))[side].append(record)
    for olds, news in places.values():
        if 0 < len(olds) * len(news) <= _MOST:
            bags = {id(each): set(_WORD.findall(_wording(each).casefold())) for each in (*olds, *news)}
            scores = [
                (-len(bags[id(one)] & bags[id(two)]) / max(len(bags[id(one)] | bags[id(two)]), 1), at, to)
                for at, one in enumerate(olds)
                for to, two in enumerate(news)
            ]
            used: set[int] = set()
            for score, at, to in sorted(scores):
                if -score < _ALIKE:
                    break
                if id(olds[at]) not in found and to not in used and _may_be(olds[at], news[to]):
                    found[id(olds[at])] = news[to]
                    used.add(to)


def _wording(record: Record) -> str:
    return f"{record.title or ''} {record.body or ''}"
