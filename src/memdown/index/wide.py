"""Searching further than the project: files of assistants, your own memory, and sources of a team or a company.

The best hit of each place counts the same, less the further away the place is. What comes from others is looked at
before it is shown. A search that starts cold comes through here, so what is seldom needed is loaded when it is.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime

from msgspec import structs

from memdown.errors import MemdownError, quote
from memdown.index import elsewhere, search
from memdown.index.elsewhere import FAULTS, NEARNESS, Named, Place
from memdown.index.query import Query
from memdown.index.search import Hit, Hits
from memdown.lazy import LazyModule
from memdown.record import Mark, Record

TYPE_CHECKING = False  # as typing's, which a cold start need not pay for
if TYPE_CHECKING:
    import pathlib

    from memdown import project
    from memdown.settings import config
else:
    pathlib, project = LazyModule("pathlib"), LazyModule("memdown.project")
    config = LazyModule("memdown.settings.config")

Tell = Callable[[str], None]


def search_wide(root: str, now: datetime, wanted: Query, own: Hits, sources: Iterable[Named], *, tell: Tell) -> Hits:
    """The hits of a project, and with them those of assistants' files and of other places."""
    ranked = [(hit.score / _best(own.hits), 0, hit) for hit in own.hits]
    total, took = own.total, own.took_ms
    for place in elsewhere.opened(root, sources, tell=tell):
        hits = _asked(place, wanted, now, tell)
        if hits is not None:
            nearness = NEARNESS.get(place.level, 1.0)
            ranked += [(nearness * hit.score / _best(hits.hits), 1, hit) for hit in hits.hits]
            total, took = total + hits.total, took + hits.took_ms
    ranked.sort(key=lambda each: (-each[0], each[1]))
    limit = search.LIMIT if wanted.limit is None else min(wanted.limit, search.MOST)
    merged = list(_overridden(search.in_force_first([hit for *_, hit in ranked])))[:limit]
    meant = () if merged else own.did_you_mean
    return structs.replace(own, hits=merged, total=total, took_ms=round(took, 2), did_you_mean=meant)


def _best(hits: Sequence[Hit]) -> float:
    return max((hit.score for hit in hits), default=0.0) or 1.0


def _overridden(hits: Sequence[Hit]) -> Iterator[Hit]:
    """Hits in order; one that a more specific place has under the same title says which replaces it here.

    Another project is neither nearer nor further away: what it says holds there.
    """
    titles: dict[str, tuple[int, Record]] = {}
    for hit in hits:
        if hit.level not in NEARNESS:
            continue
        title, rank = _folded(hit.mark.record.title), _rank(hit)
        if title and (title not in titles or rank < titles[title][0]):
            titles[title] = rank, hit.mark.record
    for hit in hits:
        by = titles.get(_folded(hit.mark.record.title)) if hit.level in NEARNESS else None
        yield structs.replace(hit, overridden_by=by[1].id) if by and by[0] < _rank(hit) else hit


def _rank(hit: Hit) -> int:
    return list(NEARNESS).index(hit.level)


def _folded(title: str | None) -> str:
    """A title by which two places say the same."""
    return " ".join((title or "").casefold().split())


def _asked(place: Place, wanted: Query, now: datetime, tell: Tell) -> Hits | None:
    try:
        with place.index.reading() as db:
            hits = search.search(db, wanted, now, guess=False)
    except FAULTS as error:
        tell(f"the source {quote(place.name or place.level)} is skipped: {str(error).rstrip('.')}")
        return None
    trusted = [hit for hit in hits.hits if _is_trusted(place, hit.mark.record, tell)]
    return structs.replace(hits, hits=[_from(place, hit) for hit in trusted])


def _from(place: Place, hit: Hit) -> Hit:
    if not place.name:
        return structs.replace(hit, level=place.level)
    record = structs.replace(hit.mark.record, path=os.path.join(place.root, hit.mark.record.path))
    return structs.replace(hit, mark=structs.replace(hit.mark, record=record), source=place.name, level=place.level)


def _is_trusted(place: Place, record: Record, tell: Tell) -> bool:
    """Whether what others wrote may be shown: no credential, and nothing that steers a terminal."""
    return elsewhere.is_harmless(
        place, f"{record.path}:{record.line}", f"{record.title or ''}\n{record.body or ''}", tell
    )


def found_elsewhere(now: Callable[[], datetime], id: str, sources: Iterable[Named]) -> Mark | None:
    """A record that a person names, in the first place that has it."""
    for _, path, *_ in sources:
        folder = pathlib.Path(path)
        try:
            with project.Project(folder, now=now, settings=config.load_leniently(folder)) as other:
                record = other.get(id)
                return Mark(structs.replace(record, path=str(folder / record.path)), False, (), False)
        except (MemdownError, OSError):
            continue
    return None
