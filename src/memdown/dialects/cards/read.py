"""From a card's text to its record. Reads whatever is there; the rules say what is wrong with it."""

from pathlib import PurePosixPath

from memdown import times
from memdown.dialects.cards import grammar
from memdown.dialects.front import plain, texts, words
from memdown.markdown import cardfile, frontmatter
from memdown.markdown.frontmatter import FrontMatter
from memdown.markdown.frontmatter.values import Values
from memdown.record import Extra, Link, Record
from memdown.text import Span

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
    values = {entry.key: texts(entry.value) for entry in reversed(front.entries)}
    extra = {entry.key: plain(entry.value, text) for entry in front.entries if entry.key not in _NAMED}
    return [_record(path, text, front.body, values, extra)]


def _record(path: str, text: str, body: int, values: Values, extra: Extra) -> Record:
    scope, moment = _text(values, "applies_to"), _text(values, "occurred_at")
    id = (_text(values, "id") or "").lower()
    return Record(
        id=id if grammar.UUID.fullmatch(id) else str(PurePosixPath(path).with_suffix("")),
        dialect="cards",
        kind="card",
        path=path,
        span=Span(0, len(text)),
        title=_text(values, "subject"),
        body=cardfile.canonical(text[body:]),
        at=times.read(moment) if moment else None,
        scope=scope.strip() if scope else None,
        tags=words(values.get("keywords", [])),
        links=_links(scope or ""),
        extra=extra,
    )


def unreadable(front: FrontMatter) -> bool:
    """Whether the block as a whole could not be read, so that nothing is known of its keys."""
    return any(problem.kind in ("unclosed", "too-large") for problem in front.problems)


def scalar(front: FrontMatter, key: str) -> str | None:
    """A value as text; None when the key is absent, empty, or holds a list or a map."""
    entry = front.get(key)
    return entry.value.text or None if entry else None


def _text(values: Values, key: str) -> str | None:
    value = values.get(key)
    return value or None if isinstance(value, str) else None


def _links(scope: str) -> tuple[Link, ...]:
    kind, _, target = scope.partition(":")
    return (Link(kind, target.strip()),) if kind in ("file", "area") and target.strip() else ()
