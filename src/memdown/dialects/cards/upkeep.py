"""Keeping a folder of cards in order: which cards are the same memory, and what a repair would change."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import PurePosixPath

from msgspec import Struct

from memdown.dialects.cards import grammar
from memdown.dialects.cards.read import scalar, unreadable
from memdown.dialects.cards.write import checked_content
from memdown.errors import Refused, way
from memdown.hashes import sha256
from memdown.markdown import cardfile, frontmatter
from memdown.record import Document, Record
from memdown.text import Edit, Span, apply, eol_of, with_eol

Key = tuple[datetime, str]


class Repair(Struct, frozen=True):
    """What would put one card in order."""

    path: str
    edits: tuple[Edit, ...]
    rename: str | None
    """The name the file should have; None when it has it, or when no id says which."""
    changes: tuple[str, ...]
    """What is done, a phrase each."""
    left: tuple[str, ...]
    """What a person has to decide, a sentence each."""


def key_of(record: Record) -> Key | None:
    """What makes two cards the same memory: the instant and the content. None when the card has no time."""
    if record.at is None or record.at.precision == "day" or record.body is None:
        return None
    return record.at.instant(), cardfile.content_hash(record.body)


def twin(record: Record, copies: Sequence[Record], *, by_content: bool) -> tuple[Record | None, list[str]]:
    """Of cards with the same content, the one that is the same memory already; and what to say of it, or of the others.

    By content alone, when the time does not matter.
    """
    found = next((each for each in copies if by_content or key_of(each) == key_of(record)), None)
    if found is None:
        listed = ", ".join(each.id for each in copies[:3])
        return None, [f"The same content exists with another time: {listed}."] if copies else []
    ignored = differences(found, record)
    return found, [f"The existing card differs in its {' and '.join(ignored)}."] if ignored else []


def apart(path: str, text: str, _mark: str) -> tuple[str, str] | None:
    """A card under an id of its own, made from its text; None when it has no id that can be changed."""
    front = frontmatter.read(text)
    entry = front.get("id") if front else None
    if front is None or entry is None or not grammar.UUID.fullmatch(entry.value.text or ""):
        return None
    digits = sha256(text.encode("utf-8", "surrogatepass"))
    id = f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:32]}"
    try:
        return f"{path.rpartition('/')[0]}/{id}.md", apply(text, frontmatter.set_value(text, front, "id", id))
    except ValueError:
        return None


def twins(records: Iterable[Record]) -> list[list[Record]]:
    """Groups of two or more cards that are the same memory, each by file name."""
    groups: dict[Key, list[Record]] = defaultdict(list)
    for record in records:
        same = key_of(record) if record.kind == "card" else None
        if same:
            groups[same].append(record)
    return [sorted(group, key=lambda record: record.path) for group in groups.values() if len(group) > 1]


def differences(kept: Record, other: Record) -> list[str]:
    """The metadata in which two cards of one memory differ."""
    fields = {"subject": "title", "keywords": "tags", "applies_to": "scope"}
    return [name for name, field in fields.items() if getattr(kept, field) != getattr(other, field)]


def hash_state(doc: Document) -> str:
    """Whether a card's hash is that of its content: ok, missing, invalid or mismatch."""
    front = doc.of(frontmatter.read)
    carried = scalar(front, "content_hash") if front else None
    if front is None or carried is None:
        return "missing"
    if not grammar.HASH.fullmatch(carried):
        return "invalid"
    return "ok" if carried in grammar.hashes_of(doc.text[front.body :]) else "mismatch"


def repair(doc: Document) -> Repair | None:
    """What would put a card in order; None when it is, or when it is not a card."""
    front = doc.of(frontmatter.read)
    if front is None or unreadable(front):
        return None
    id, note = _id_of(doc, front)
    left = [note] if id is None else []
    wanted, changes = ({"id": id}, [note]) if id and note else ({}, [])
    honest, carried = grammar.hashes_of(doc.text[front.body :]), scalar(front, "content_hash")
    if carried not in honest:
        wanted["content_hash"] = honest[0]
        changes.append("content_hash of the content as it is" if carried else "content_hash added")
    edits: list[Edit] = []
    for key, value in wanted.items():
        try:
            edits += frontmatter.set_value(doc.text, front, key, value, cardfile.ALWAYS_QUOTED)
        except ValueError as error:  # the block would be too large to be read again
            left.append(f"The {key} cannot be written: {error}.")
    for key, span in mistyped(front):
        if key not in wanted:
            edits += quotes(span)
            changes.append(f"quotes around {key}")
    name = PurePosixPath(doc.path)
    rename = str(name.with_name(f"{id}.md")) if id and name.stem != id else None
    if rename:
        changes.append(f"rename to {id}.md")
    if not changes and not left:
        return None
    return Repair(doc.path, tuple(edits), rename, tuple(changes), tuple(left))


def _id_of(doc: Document, front: frontmatter.FrontMatter) -> tuple[str | None, str]:
    """The id a card should have, and what is done for that; else None, and what a person has to decide."""
    id, stem = scalar(front, "id") or "", PurePosixPath(doc.path).stem.lower()
    if grammar.UUID.fullmatch(id):
        return id, ""
    if grammar.UUID.fullmatch(id.lower()):
        return id.lower(), "id in lower case"
    if not id and grammar.UUID.fullmatch(stem):
        return stem, "id from the file's name"
    return None, "The id is not a UUID, and nothing says which it should be." if id else "There is no id."


def mistyped(front: frontmatter.FrontMatter) -> Iterator[tuple[str, Span]]:
    """Times and hashes without quotes that other YAML readers take for a date or a number."""
    for key in cardfile.ALWAYS_QUOTED:
        entry = front.get(key)
        if entry and entry.value.style == "plain" and frontmatter.quote(entry.value.text or "") != entry.value.text:
            yield key, entry.value.span


def quotes(span: Span) -> tuple[Edit, Edit]:
    """Quotes around a plain value."""
    return Edit(Span(span.start, span.start), "'"), Edit(Span(span.end, span.end), "'")


# What a person says of a card that was captured

CONFIRMED = "confirmed"
"""The key that says when a person looked at a card and kept it. The format does not have it; readers keep it."""


def is_confirmed(doc: Document) -> bool:
    front = doc.of(frontmatter.read)
    return front is not None and front.get(CONFIRMED) is not None


def confirm(doc: Document, at: str) -> list[Edit]:
    return _set(doc, CONFIRMED, at)


def with_content(doc: Document, content: str) -> list[Edit]:
    """The edits that give a card another content, as an editor would, and the hash of that."""
    body = checked_content(content)
    edits = _set(doc, "content_hash", cardfile.content_hash(body))
    front = doc.of(frontmatter.read)
    start = front.body if front else 0
    return [*edits, Edit(Span(start, len(doc.text)), with_eol(f"\n{body}\n", eol_of(doc.text)))]


def merged(content: str, other: str) -> str:
    """A content, and behind it the paragraphs of another that it does not have yet."""
    known = {" ".join(part.split()) for part in _paragraphs(content)}
    return "\n\n".join([content, *(part for part in _paragraphs(other) if " ".join(part.split()) not in known)])


def _paragraphs(content: str) -> list[str]:
    """Parts between blank lines; a code fence is in one part, blank lines and all."""
    parts: list[str] = []
    fence = ""
    begun = False
    for line in content.split("\n"):
        mark = line.lstrip()[:3]
        if not line.strip() and not fence:
            begun = False
            continue
        parts[-1:] = [f"{parts[-1]}\n{line}"] if begun else [*parts[-1:], line]
        begun = True
        if mark in ("```", "~~~"):
            fence = "" if fence == mark else fence or mark
    return parts


def _set(doc: Document, key: str, value: str) -> list[Edit]:
    front = doc.of(frontmatter.read)
    if front is None or unreadable(front):
        raise Refused(f"{doc.path} has no front matter that can be edited; see {way('check', doc.path)}.")
    try:
        return frontmatter.set_value(doc.text, front, key, value, (*cardfile.ALWAYS_QUOTED, CONFIRMED))
    except ValueError as error:  # the block would be too large to be read again
        raise Refused(f"The {key} cannot be written: {error}.") from None
