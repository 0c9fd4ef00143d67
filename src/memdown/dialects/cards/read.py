"""From a card's text to its record. Reads whatever is there; the rules say what is wrong with it."""

from pathlib import PurePosixPath

from memdown import times
from memdown.dialects.cards import grammar
from memdown.markdown import frontmatter
from memdown.markdown.frontmatter import FrontMatter, FrontMatterEntry, FrontMatterValue
from memdown.markdown.frontmatter.values import Values
from memdown.record import Extra, Link, Record
from memdown.text import Span

_HOMES = tuple(f"/{home}" for home in grammar.HOMES)
_NAMED = frozenset(("id", "subject", "keywords", "applies_to"))


def read(path: str, text: str) -> list[Record]:
    """The one record a card is; none when the file has no front matter at all."""
    simple = frontmatter.plain(text)
    if simple is not None:
        values, body = simple
        return [_record(path, text, body, values, {key: values[key] for key in values if key not in _NAMED})]
    front = frontmatter.read(text)
    if front is None:
        return []
    # Of a key that is there twice, the first counts.
    values = {entry.key: _value(entry.value) for entry in reversed(front.entries)}
    return [_record(path, text, front.body, values, _extra(front, text))]


def _record(path: str, text: str, body: int, values: Values, extra: Extra) -> Record:
    scope = _text(values, "applies_to")
    moment = _text(values, "occurred_at")
    return Record(
        id=_identity(path, _text(values, "id")),
        dialect="cards",
        kind="card",
        path=path,
        span=Span(0, len(text)),
        title=_text(values, "subject"),
        body=grammar.canonical(text[body:]),
        at=times.read(moment) if moment else None,
        scope=scope.strip() if scope else None,
        tags=_words(values.get("keywords", [])),
        links=_links(scope or ""),
        extra=extra,
    )


def identity(path: str, front: FrontMatter) -> str:
    """The id in the front matter when it is a UUID; else the file's path without its ending."""
    return _identity(path, scalar(front, "id"))


def _identity(path: str, written: str | None) -> str:
    own = (written or "").lower()
    return own if grammar.UUID.fullmatch(own) else str(PurePosixPath(path).with_suffix(""))


def unreadable(front: FrontMatter) -> bool:
    """Whether the block as a whole could not be read, so that nothing can be said of its keys."""
    return any(problem.kind in ("unclosed", "too-large") for problem in front.problems)


def scalar(front: FrontMatter, key: str) -> str | None:
    """A value as text; None when the key is absent, empty, or holds a list or a map."""
    entry = front.get(key)
    return entry.value.text or None if entry else None


def keywords(front: FrontMatter) -> tuple[str, ...]:
    entry = front.get("keywords")
    return _words(_value(entry.value)) if entry else ()


def _value(value: FrontMatterValue) -> str | list[str]:
    return value.text if value.text is not None else [item.text or "" for item in value.items]


def _text(values: Values, key: str) -> str | None:
    value = values.get(key)
    return value or None if isinstance(value, str) else None


def _words(value: str | list[str]) -> tuple[str, ...]:
    # One line where a list belongs is taken for one; a rule says so.
    parts = value.split(",") if isinstance(value, str) else value
    return tuple([word for part in parts if (word := part.strip())])


def _links(scope: str) -> tuple[Link, ...]:
    kind, _, target = scope.partition(":")
    return (Link(kind, target.strip()),) if kind in ("file", "area") and target.strip() else ()


def _extra(front: FrontMatter, text: str) -> Extra:
    """The hash, the time as it is spelled, and every key that is not ours."""
    return {entry.key: _plain(entry, text) for entry in front.entries if entry.key not in _NAMED}


def _plain(entry: FrontMatterEntry, text: str) -> str | list[str]:
    value = entry.value
    if value.text is not None:
        return value.text
    if value.items and all(item.text is not None for item in value.items):
        return [item.text or "" for item in value.items]
    return value.span.of(text)
