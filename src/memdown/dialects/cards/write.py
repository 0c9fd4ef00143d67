"""Cards as memdown writes them: strict and canonical when new, untouched but for the value that changes."""

from collections.abc import Callable, Sequence
from datetime import datetime

from memdown import times
from memdown.dialects import front
from memdown.dialects.cards import grammar
from memdown.dialects.cards.read import unreadable
from memdown.dialects.draft import checked_line, checked_text
from memdown.dialects.remove import everything
from memdown.errors import Invalid, Refused, quote, way
from memdown.markdown import cardfile, frontmatter
from memdown.record import Record
from memdown.text import Edit, Span, eol_of, with_eol

FIXED = ("summary", "author", "contributors", "status", "links", "extra")


def checked_content(text: str) -> str:
    """A card's content as it is written, or `Invalid` when it is too short."""
    body = cardfile.canonical(text)
    if len(body) < cardfile.CONTENT_MINIMUM:
        least = cardfile.CONTENT_MINIMUM
        raise Invalid(f"The content of a card needs at least {least} characters, and this has {len(body)}; say more.")
    return body


def prepare(record: Record, now: datetime) -> Record:
    """A card ready to be written, or `Invalid` with the first thing that is wrong."""
    if record.body is None:
        raise Invalid("A card needs text and tags.")
    body = checked_content(checked_text(record.body, "content"))
    return Record(
        id=checked_id(record.id) if record.id else cardfile.new_id(),
        dialect="cards",
        kind="card",
        path="",
        span=record.span,
        title=checked_subject(record.title or ""),
        body=body,
        at=checked_time(record.at.text if record.at else times.stamp(now)),
        scope=checked_scope(record.scope or "global"),
        tags=checked_keywords(record.tags),
        extra={"content_hash": cardfile.content_hash(body)},
    )


def place(record: Record) -> str:
    """The file of a card, inside the folder of cards."""
    return f"{record.id}.md"


def insert(text: str, record: Record) -> list[Edit]:
    """A card is a file of its own, so there is nothing to insert into but an empty text."""
    if text:
        raise Refused(f"{record.id}.md already has text in it; a card is a file of its own.")
    whole = cardfile.compose(
        record.id,
        record.title or "",
        record.tags,
        record.scope or "global",
        record.at.text if record.at else "",
        record.body or "",
    )
    return [Edit(Span(0, 0), whole)]


def update(text: str, old: Record, new: Record) -> list[Edit]:
    """The edits that bring metadata from old to new; content is what a card is, so it does not change."""
    if new.body != old.body or new.at != old.at or new.id != old.id:
        raise Refused(
            f"A card's content, time and id are its identity: {way('add card')} writes a new one, and"
            f" {way('delete', old.id)} deletes this one."
        )
    if fixed := [name for name in FIXED if getattr(new, name) != getattr(old, name)]:
        field = fixed[0] if fixed[0] != "extra" else next(iter(new.extra.items() ^ old.extra.items()))[0]
        raise Refused(f"A card has no {field}; its title, tags and scope can be changed.")
    block = frontmatter.read(text)
    if block is None or unreadable(block):
        raise Refused(f"{old.path} has no front matter that can be edited; see {way('check', old.path)}.")
    edits: list[Edit] = []
    for field, (key, checked) in EDITABLE.items():
        value = getattr(new, field)
        if value != getattr(old, field):
            edits += front.set_key(text, block, key, checked(value or ""))
    eol = eol_of(text)
    return [Edit(edit.span, with_eol(edit.new, eol)) for edit in edits]


def remove(text: str, record: Record) -> list[Edit]:  # noqa: ARG001 - the file is the card
    """A card goes with its file."""
    return [everything(text)]


def checked_id(id: str) -> str:
    if not grammar.UUID4.fullmatch(id):
        raise Invalid(f"{quote(id)} is not a lower-case UUID v4; leave the id out and memdown makes one.")
    return id


def checked_subject(subject: str) -> str:
    subject = checked_line(subject, "subject")
    if not 1 <= len(subject) <= cardfile.SUBJECT_LIMIT:
        raise Invalid(f"A card's subject has 1 to {cardfile.SUBJECT_LIMIT} characters; this one has {len(subject)}.")
    return subject


def checked_keywords(keywords: Sequence[str]) -> tuple[str, ...]:
    """Trimmed, in order, without those that differ from an earlier one only in case."""
    seen: dict[str, str] = {}
    for keyword in keywords:
        word = checked_line(keyword, "keyword")
        if not 1 <= len(word) <= cardfile.KEYWORD_LIMIT:
            raise Invalid(f"A keyword has 1 to {cardfile.KEYWORD_LIMIT} characters; one of these has {len(word)}.")
        seen.setdefault(word.casefold(), word)
    if not 1 <= len(seen) <= cardfile.KEYWORDS_LIMIT:
        raise Invalid(f"A card has 1 to {cardfile.KEYWORDS_LIMIT} keywords; this one has {len(seen)}.")
    return tuple(seen.values())


def checked_scope(scope: str) -> str:
    """The scope with white space around its name dropped."""
    kind, colon, rest = checked_line(scope, "scope").partition(":")
    scope = f"{kind}{colon}{rest.strip()}"
    fault = cardfile.scope_fault(scope)
    if fault:
        raise Invalid(f"The scope {quote(scope)} {fault}.")
    return scope


def checked_time(occurred_at: str) -> times.Moment:
    """The moment, with a zone: a time without one is in UTC, and is written so."""
    moment = grammar.moment(occurred_at)
    if moment and not moment.zone:
        moment = grammar.moment(f"{moment.text}Z")
    if moment is None:
        raise Invalid(f"{quote(occurred_at)} is not a date and time like 2026-01-31T09:30:00Z.")
    return moment


EDITABLE: dict[str, tuple[str, Callable[..., str | Sequence[str]]]] = {
    "title": ("subject", checked_subject),
    "tags": ("keywords", checked_keywords),
    "scope": ("applies_to", checked_scope),
}
"""Record fields an edit may change, the keys they are written under, and what may stand there."""
