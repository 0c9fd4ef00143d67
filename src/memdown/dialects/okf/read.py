"""From a file of a bundle to its records: a concept, a list of concepts, or what a log tells."""

from collections.abc import Iterator

from memdown import times
from memdown.dialects.front import plain, texts, words
from memdown.dialects.okf import grammar
from memdown.dialects.okf.grammar import Concept
from memdown.dialects.okf.listing import log_days
from memdown.markdown import blocks
from memdown.markdown.cardfile import canonical
from memdown.record import Extra, Link, Record
from memdown.text import Span

_NAMED = frozenset(("title", "description", "tags", "status", "generated", "stale_after"))
_SUMMARY_LENGTH = 120


def read(path: str, text: str) -> list[Record]:
    """One record for a concept or a list of concepts, and one for each day of a log."""
    return read_in(path, text, path)


def read_in(path: str, text: str, canonical_path: str) -> list[Record]:
    """The same for a file of a bundle in another folder; `canonical_path` is where it would be in the usual one."""
    bundle = grammar.bundle_of(path, canonical_path)
    if not text.strip():
        return []
    if grammar.name_of(path) == grammar.LOG:
        return list(_log(path, text, bundle))
    if grammar.name_of(path) == grammar.INDEX:
        return [_index(path, text, bundle)]
    return [_concept(path, text, bundle)]


def is_retired(record: Record) -> bool:
    """Whether a concept itself says that it no longer holds."""
    return record.status == "deprecated"


def _concept(path: str, text: str, bundle: str) -> Record:
    known = grammar.concept(text)
    type = known.text("type")
    at = known.text("generated", "at") or known.text("timestamp")
    tags = known.values.get("tags")
    return Record(
        id=grammar.id_of(path),
        dialect="okf",
        kind=grammar.kind_of(type),
        path=path,
        span=Span(0, len(text)),
        title=known.text("title") or title_of(path),
        summary=known.text("description") or None,
        body=canonical(text[known.body :]),
        at=times.read(at) if at else None,
        author=known.text("generated", "by") or None,
        status=known.text("status") or "stable",
        tags=words(texts(tags)) if tags else (),
        links=tuple(dict.fromkeys(_links(path, text, bundle, known))),
        extra=_extra(text, known),
    )


def title_of(path: str) -> str:
    """A title made of a file's name."""
    words = " ".join(grammar.id_of(grammar.name_of(path)).replace("-", " ").replace("_", " ").split())
    return words[:1].upper() + words[1:]


def _links(path: str, text: str, bundle: str, known: Concept) -> Iterator[Link]:
    for source in known.mappings("sources"):
        yield from _named(path, bundle, "source", grammar.scalar(source.get("resource")))
    for key in ("executor", "attester"):
        yield from _named(path, bundle, key, known.text(key, "resource"))
    yield from _named(path, bundle, "computation", known.text("computation"))
    yield from _followed(path, bundle, text, known.body)


def _named(path: str, bundle: str, type: str, target: str) -> Iterator[Link]:
    """What a key of the front matter names: a concept by its id, a file of the bundle, or anything else as written."""
    place = grammar.place_of(path, target, bundle, from_bundle=True)
    is_path = place and " " not in target and (target.startswith(("/", ".")) or "." in grammar.name_of(target))
    if target:
        yield Link(type, grammar.id_of(place) if place and is_path else target)


def _followed(path: str, bundle: str, text: str, start: int) -> Iterator[Link]:
    for target, _ in grammar.links(text, start):
        place = grammar.place_of(path, target, bundle)
        if place and place != path:
            yield Link("related" if place.endswith(".md") else "file", grammar.id_of(place))


def _extra(text: str, known: Concept) -> Extra:
    """Every key that no field has, as the text it is; and the tier of trust and the time that follow from them."""
    extra: dict[str, str | list[str]] = {
        key: plain(value, text) for key, value in known.values.items() if key not in _NAMED
    }
    generated = known.values.get("generated")
    if generated and not generated.entries:
        extra["generated"] = plain(generated, text)
    if sources := known.mappings("sources"):
        extra["sources"] = [grammar.joined([grammar.scalar(each.get(key)) for key in _OF_SOURCE]) for each in sources]
    if verified := known.mappings("verified"):
        extra["verified"] = [
            grammar.joined([grammar.scalar(each.get(key)) for key in ("by", "at")]) for each in verified
        ]
    if known.front is not None:
        extra["trust"] = known.trust
    if stale := known.text("stale_after"):
        # A concept is stale when the day begins; what expires elsewhere in memory does when it ends.
        extra["expires"] = f"{stale}T00:00:00Z" if grammar.DATE.fullmatch(stale) else stale
    return extra


_OF_SOURCE = ("id", "title", "resource", "author")


# Reserved files


def _index(path: str, text: str, bundle: str) -> Record:
    known = grammar.concept(text)
    folder = grammar.name_of(path.rpartition("/")[0])
    headings = [block.content.of(text) for block in blocks.scan(text, known.body) if block.kind == "heading"]
    return Record(
        id=grammar.id_of(path),
        dialect="okf",
        kind="index",
        path=path,
        span=Span(0, len(text)),
        title=f"Index of {folder}" if folder else "Index",
        summary=", ".join(headings)[:_SUMMARY_LENGTH] or None,
        body=canonical(text[known.body :]),
        links=tuple(dict.fromkeys(_followed(path, bundle, text, known.body))),
        extra={key: plain(value, text) for key, value in known.values.items()},
    )


def _log(path: str, text: str, bundle: str) -> Iterator[Record]:
    counts: dict[str, int] = {}
    for each in log_days(text):
        if each.day is None:
            continue
        counts[each.day] = counts.get(each.day, 0) + 1
        number = f"-{counts[each.day]}" if counts[each.day] > 1 else ""
        start = each.heading.span.end
        yield Record(
            id=f"{grammar.id_of(path)}#{each.day}{number}",
            dialect="okf",
            kind="log",
            path=path,
            span=Span(each.heading.span.start, max(start, start + len(text[start : each.end].rstrip()))),
            title=f"Log of {each.day}",
            body=canonical(text[start : each.end]),
            at=times.read(each.day),
            links=tuple(dict.fromkeys(_followed(path, bundle, text[start : each.end], 0))),
        )


def slug(title: str) -> str:
    """A title as a part of a file's name or an id."""
    return "-".join("".join(char if char.isalnum() else " " for char in title.lower()).split()) or "unnamed"
