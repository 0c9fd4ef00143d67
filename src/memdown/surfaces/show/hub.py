"""What a hub answers, as JSON and as lines for people."""

from collections.abc import Iterator, Sequence

from msgspec import to_builtins

from memdown.errors import Invalid
from memdown.hub.connection import dsn_of
from memdown.hub.questions import Contradiction, HubStats, Knower
from memdown.hub.search import HubHits
from memdown.patterns import lazy
from memdown.surfaces.show import hits, render
from memdown.surfaces.show.style import count, style

_ADDRESS = lazy(r"postgres(ql)?://|(host|hostaddr|dbname|service)=")


def address(given: str, as_of: str | None = None, words: Sequence[str] = ()) -> tuple[str, tuple[str, ...]]:
    """The hub that `--hub` names. What stands behind it and is no address is the first word of the question.

    An address among the other words is refused, as no record has it; so is `as_of`, as only a search asks the past.
    """
    if any(_ADDRESS.match(word) for word in words):
        raise Invalid(
            "An address of PostgreSQL stands among the words; write it right after --hub, as in --hub DSN WORD."
        )
    if as_of is not None:
        raise Invalid("A hub is asked about the past by a search alone, as `memdown search --hub x --as-of 7d`.")
    is_address = "://" in given or ("=" in given and " " not in given.partition("=")[0])
    return dsn_of(given if is_address else None), (() if is_address or not given else (given,))


def as_json(found: HubHits, *, explain: bool) -> render.Json:
    shown = dict(hits.as_json(found.hits, explain=explain))
    each = shown["hits"]
    assert isinstance(each, list)
    shown["hits"] = [{**hit, **to_builtins(place)} for hit, place in zip(each, found.places, strict=True)]
    return shown


def lines(found: HubHits, *, explain: bool) -> Iterator[str]:
    """As a search here shows them, with the project before the path and the address that opens the file."""
    places = [
        f"{place.project} {style('place', f'{hit.mark.record.path}:{hit.mark.record.line}')}"
        + (f"  {style('dim', place.link)}" if place.link else "")
        for hit, place in zip(found.hits.hits, found.places, strict=True)
    ]
    return hits.lines(found.hits, explain=explain, places=places)


def knowers(found: Sequence[Knower]) -> Iterator[str]:
    for each in found:
        more = f" and {len(each.projects) - 3} more" if len(each.projects) > 3 else ""
        facts = f"{count(each.records, 'record')} in {', '.join(each.projects[:3])}{more}"
        yield f"{style('strong', each.who)}  {facts}" + (f", the latest {each.latest}" if each.latest else "")
        yield f"  {style('dim', each.example)}"
    if not found:
        yield "Nobody on the hub has written about that."


def stats(found: HubStats) -> Iterator[str]:
    yield ", ".join(
        (
            *(count(found.projects, "project"), count(found.documents, "document")),
            *(count(found.records, "record"), count(found.findings, "finding")),
        )
    )
    yield from (f"  {each['records']:>7,}  {each['project']}" for each in found.by_project)
    if found.kinds:
        yield "Kinds: " + ", ".join(f"{kind} {number:,}" for kind, number in found.kinds.items())
    if found.authors:
        yield "Authors: " + ", ".join(f"{each['author']} {each['records']:,}" for each in found.authors)


def contradictions(found: Sequence[Contradiction]) -> Iterator[str]:
    for each in found:
        yield style("strong", each.subject)
        for one in each.choices:
            place = style("dim", f"{one['project']} {one['path']}:{one['line']}")
            yield f"  {one['choice']}: {one['day'] or 'undated'}  {one['title']}  {place}"
    if not found:
        yield "No decisions of different projects contradict each other."
