"""Editing: other values for fields of one record, over the text that was read and no other."""

from collections.abc import Mapping, Sequence
from typing import TypedDict, Unpack, cast

from msgspec import structs

from memdown.dialects import DIALECTS, offered, read_as
from memdown.errors import Invalid, Refused, Stale, quote
from memdown.hashes import sha256
from memdown.project import Project
from memdown.record import Record
from memdown.text import apply, encode
from memdown.times import Moment

_LISTS = ("tags", "contributors")
_OWN = ("expires", "priority", "rationale")
FIELDS = ("title", "text", "summary", "author", "status", "scope", *_LISTS, *_OWN)
"""What a tool may name a field that it changes: lists, and what only some dialects have, last."""


class Changes(TypedDict, total=False):
    """What may change of a record; each dialect tells which of it can. None leaves a field as it is."""

    title: str | None
    summary: str | None
    text: str | None
    at: Moment | None
    author: str | None
    contributors: Sequence[str] | None
    scope: str | None
    status: str | None
    tags: Sequence[str] | None
    extra: Mapping[str, str | Sequence[str]] | None
    """Fields that only the record's dialect has, by their names in `Record.extra`; an empty one is taken out."""


def edit(
    project: Project,
    id: str,
    *,
    expected: str | None = None,
    add_tags: Sequence[str] = (),
    remove_tags: Sequence[str] = (),
    force: bool = False,
    **changes: Unpack[Changes],
) -> Record:
    """Change fields of a record; only the bytes of the values that change are touched.

    What a format keeps as it was written, as a log that is only added to, is changed by `force` alone.

    `expected` is the hash of the file as it was read; when the file has changed since, nothing is written.
    """
    with project.files.lock():
        old = project.get(id)
        text = project.files.read(old.path)
        if expected is not None and expected != hash_of(text):
            raise Stale(f"{quote(old.path)} changed since it was read: its hash is now {hash_of(text)}; read it again.")
        new = _changed(old, changes)
        if add_tags or remove_tags:
            dropped = {word.casefold() for word in remove_tags}
            new = structs.replace(new, tags=tuple(t for t in (*new.tags, *add_tags) if t.casefold() not in dropped))
        room = DIALECTS[old.dialect]
        kept = offered(old.dialect, "kept")
        if kept and not force and new != old and (why := kept(text, old, new)):
            raise Refused(why)
        after = apply(text, room.update(text, old, new))
        if after == text and new.extra != old.extra:
            raise Refused(f"A {old.kind} in {old.path} has no field for {', '.join(changes.get('extra') or ())}.")
        if after != text:
            project.files.note_title(new.title)
            project.write([(old.path, text, after), *project.beside(new, old)])
    found = [each for each in read_as(old.dialect, old.path, after) if each.kind == old.kind]
    here = [each for each in found if each.span.start == old.span.start]
    same = here or [each for each in found if each.id == old.id]
    return same[0] if same else new


def change(field: str, value: str) -> Changes:
    """A change of one field, given by its name and as text; tags and names have commas between them."""
    if field not in FIELDS:
        raise Invalid(f"{quote(field)} cannot be changed; {', '.join(FIELDS)} can.")
    if field in _OWN:
        return Changes(extra={field: value})
    words = [word.strip() for word in value.split(",") if word.strip()]
    return cast("Changes", {field: words if field in _LISTS else value})


def _changed(old: Record, changes: Changes) -> Record:
    named: dict[str, object] = {
        ("body" if name == "text" else name): tuple(value) if isinstance(value, list) else value
        for name, value in changes.items()
        if value is not None
    }
    if changes.get("extra"):
        kept = {**old.extra, **(changes["extra"] or {})}
        named["extra"] = {name: value for name, value in kept.items() if value}
    return structs.replace(old, **named)


def hash_of(text: str) -> str:
    return sha256(encode(text))
