"""Searching further than the project: files of assistants, your own memory, and sources of a team or a company.

Every place has its own index; what is only read, and files of assistants, are indexed in memory for the question. The
best hit of each place counts the same, less the further away the place is. What comes from others is looked at before
it is shown.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path

from msgspec import structs

from memdown import secrets
from memdown.dialects import relations
from memdown.errors import MemdownError, quote
from memdown.index import Index, questions, search
from memdown.index.query import Query
from memdown.index.rows import Rows
from memdown.index.search import Hit, Hits
from memdown.index.sync.writer import relate
from memdown.project import Project
from memdown.record import Document, Mark, Record
from memdown.settings import config
from memdown.sources import PERSONAL, Source, assistants, steers
from memdown.text import encode

_NEARNESS = {assistants.DIALECT: 0.95, PERSONAL: 0.9, "team": 0.8, "company": 0.7}
"""What the best hit of a place counts, beside 1 for the project's own."""


def search_wide(project: Project, wanted: Query, own: Hits, places: Sequence[Source]) -> Hits:
    """The hits of a project, and with them those of assistants' files and of other places."""
    found = [(assistants.DIALECT, _of_assistants(project, wanted))]
    found += [(each.level, _of_source(project, each, wanted)) for each in places]
    limit = search.LIMIT if wanted.limit is None else min(wanted.limit, search.MOST)
    ranked = [(hit.score / _best(own.hits), 0, hit) for hit in own.hits]
    for level, hits in found:
        nearness = _NEARNESS.get(level, 1.0)
        ranked += [(nearness * hit.score / _best(hits.hits), 1, hit) for hit in hits.hits]
    ranked.sort(key=lambda each: (-each[0], each[1]))
    merged = list(_overridden([hit for *_, hit in ranked]))[:limit]
    total = own.total + sum(hits.total for _, hits in found)
    return structs.replace(own, hits=merged, total=total)


def _best(hits: Sequence[Hit]) -> float:
    return max((hit.score for hit in hits), default=0.0) or 1.0


def _overridden(hits: Sequence[Hit]) -> Iterator[Hit]:
    """Hits in order; one that a more specific place has under the same title says which replaces it here."""
    titles: dict[str, tuple[int, Record]] = {}
    for hit in hits:
        title, rank = _folded(hit), _rank(hit)
        if title and (title not in titles or rank < titles[title][0]):
            titles[title] = rank, hit.mark.record
    for hit in hits:
        rank, by = titles.get(_folded(hit), (0, hit.mark.record))
        yield structs.replace(hit, overridden_by=by.id) if rank < _rank(hit) else hit


def _rank(hit: Hit) -> int:
    levels = ["", *_NEARNESS]
    return levels.index(hit.level) if hit.level in levels else len(levels)


def _folded(hit: Hit) -> str:
    return " ".join((hit.mark.record.title or "").casefold().split())


# Other places


def _of_source(project: Project, source: Source, wanted: Query) -> Hits:
    try:
        with Project(Path(source.path), now=project.now, settings=_settings(source)) as other:
            if source.read_only:
                with closing(_transient(other.documents())) as index, index.reading() as db:
                    hits = search.search(db, wanted, project.now())
            else:
                hits = questions.of(other).search(wanted)
            trusted = [hit for hit in hits.hits if source.level == PERSONAL or _is_harmless(project, source, hit)]
    except (MemdownError, OSError) as error:
        project.tell(f"the source {quote(source.name)} is passed over: {str(error).rstrip('.')}")
        return _NOTHING
    return structs.replace(hits, hits=[_from(source, hit) for hit in trusted])


def _settings(source: Source) -> config.Config:
    return config.load_leniently(Path(source.path))


def _from(source: Source, hit: Hit) -> Hit:
    record = structs.replace(hit.mark.record, path=str(Path(source.path) / hit.mark.record.path))
    return structs.replace(hit, mark=structs.replace(hit.mark, record=record), source=source.name, level=source.level)


def _is_harmless(project: Project, source: Source, hit: Hit) -> bool:
    """Whether what others wrote may be shown: no credential, and nothing that steers a terminal."""
    text = f"{hit.mark.record.title or ''}\n{hit.mark.record.body or ''}"
    fault = "a credential" if secrets.find(text) else "control characters" if steers(text) else ""
    if fault:
        place = f"{hit.mark.record.path}:{hit.mark.record.line}"
        project.tell(f"{quote(place)} of the source {quote(source.name)} is left out: it has {fault}")
    return not fault


def _of_assistants(project: Project, wanted: Query) -> Hits:
    documents = assistants.documents(project.root)
    if not documents:
        return _NOTHING
    with closing(_transient(documents)) as index, index.reading() as db:
        hits = search.search(db, wanted, project.now())
    return structs.replace(hits, hits=[structs.replace(hit, level=assistants.DIALECT) for hit in hits.hits])


_NOTHING = Hits("", search.WORDS, 0.0, 0, [])


def _transient(documents: Iterable[Document]) -> Index:
    """An index in memory of these documents; whoever asks closes it."""
    index = Index.in_memory()
    with index.writing() as connection:
        index.clear()
        rows = Rows(connection, relations.expires)
        for number, document in enumerate(documents, 1):
            digest = blake2b(encode(document.text), digest_size=16).digest()
            rows.add(number, document, (len(document.text), 0, 0, 0, digest, 0))
        rows.flush()
        index.add_indexes()
        relate(connection)
    index.outdated = False
    return index


def found_elsewhere(project: Project, id: str, places: Sequence[Source]) -> Mark | None:
    """A record that a person names, in the first place that has it."""
    for source in places:
        try:
            with Project(Path(source.path), now=project.now, settings=_settings(source)) as other:
                record = other.get(id)
                known = structs.replace(record, path=str(Path(source.path) / record.path))
                return Mark(known, False, (), False)
        except (MemdownError, OSError):
            continue
    return None
