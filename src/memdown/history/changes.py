"""What changed between two states of memory, record by record."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from memdown.dialects.hollow import is_hollow
from memdown.history.fields import Fields, differences
from memdown.history.pairs import pairs
from memdown.markdown import placeholders
from memdown.record import Document, Record

_HEADED = ("section", "prose")
"""Kinds that are told as changed, and not as new, when the place of their text is filled."""
_FEW = 3
"""Records in a section that are told one by one."""


class RecordChange(Struct, frozen=True, kw_only=True):
    """What happened to one record, or to the text of a file outside its records."""

    change: str
    """added, changed, moved, removed, or reformatted where only the writing differs."""
    id: str | None
    """None for text that belongs to no record."""
    kind: str | None
    title: str | None
    path: str
    """The file that has it, or had it."""
    line: int | None
    fields: Fields
    """What changed: the old value and the new one, by field."""
    old: Record | None = None
    new: Record | None = None
    before: str = ""
    """Its text, as it was and as it is."""
    after: str = ""


def change_of(old: Record | None, new: Record | None, before: str, after: str) -> RecordChange | None:
    """What happened to a record, given with its text; None for nothing."""
    fields = differences(old, new)
    if old and new and not fields and before == after:
        return None
    record = new or old
    assert record is not None
    change = "added" if old is None else "removed" if new is None else "changed" if fields else "reformatted"
    return RecordChange(
        change="moved" if old and new and "path" in fields else change,
        id=record.id,
        kind=record.kind,
        title=record.title,
        path=record.path,
        line=record.line or None,
        fields=fields,
        old=old,
        new=new,
        before=before,
        after=after,
    )


def changes(
    old: Sequence[Document], new: Sequence[Document], renamed: Mapping[str, str], *, whole: bool = False
) -> list[RecordChange]:
    """What happened to the records of some files, in their order; a file that changed beside them is told as itself.

    What only changed because something in it did is left out, and so is what came or went with what it stands in;
    not with `whole`.
    """
    texts = {id(record): _text(record, each) for each in (*old, *new) for record in each.records}
    found = [
        made
        for before, after in pairs(old, new, renamed)
        if (made := _change(before, after, texts.get(id(before), ""), texts.get(id(after), ""))) is not None
    ]
    shown = found if whole else list(_outer(found))
    named = {each.path for each in shown} | {each.old.path for each in shown if each.old}
    shown += _outside(
        [each for each in old if each.path not in named], [each for each in new if each.path not in named], renamed
    )
    return sorted(shown, key=lambda each: (each.path, each.line or 0))


def _change(old: Record | None, new: Record | None, before: str, after: str) -> RecordChange | None:
    """What happened, where what a template has in the place of an entry is none."""
    made = change_of(old, new, before, after)
    if made is None:
        return None
    kept_old, kept_new = (each and not _says_nothing(each, text) for each, text in ((old, before), (new, after)))
    if not (kept_old or kept_new):
        return None
    if made.kind in _HEADED or (bool(old) == bool(kept_old) and bool(new) == bool(kept_new)):
        return made
    return change_of(old if kept_old else None, new if kept_new else None, *(before, "") if kept_old else ("", after))


def _says_nothing(record: Record, text: str) -> bool:
    is_bare = "unfilled" in record.extra or record.kind not in _HEADED or placeholders.is_hollow(text)
    return is_bare and is_hollow(record)


def _text(record: Record, document: Document) -> str:
    return record.span.of(document.text).strip()


def _outside(old: Iterable[Document], new: Iterable[Document], renamed: Mapping[str, str]) -> Iterator[RecordChange]:
    """Files that changed while no record of them did."""
    befores = {renamed.get(each.path, each.path): each.text for each in old}
    afters = {each.path: each.text for each in new}
    for path in {**befores, **afters}:
        before, after = befores.get(path), afters.get(path)
        if before != after:
            change = "added" if before is None else "removed" if after is None else "changed"
            yield RecordChange(
                change=change,
                id=None,
                kind=None,
                title=None,
                path=path,
                line=None,
                fields={},
                before=before or "",
                after=after or "",
            )


def _outer(found: Sequence[RecordChange]) -> Iterator[RecordChange]:
    """Without what another change tells already."""
    before = _above(found, "old")
    above = _above(found, "new") | {key: each for key, each in before.items() if each.change == "removed"}
    parents = {id(each) for each in (*above.values(), *before.values())}
    bare = _bare_sections(found, above)
    with_content = {each.path for each in found if not _is_heading_alone(each)}
    bare |= {id(each) for each in found if _is_heading_alone(each) and each.path in with_content}
    for each in found:
        around = above.get(id(each))
        is_part = each.change in ("added", "removed") and around is not None and around.change == each.change
        is_part = (is_part and id(around) not in bare) or id(each) in bare
        is_whole = set(each.fields) <= {"body"} and each.change in ("changed", "reformatted") and id(each) in parents
        if not is_part and not is_whole:
            yield each


def _is_heading_alone(change: RecordChange) -> bool:
    """Whether a heading came or went, and no text of its own with it."""
    return change.kind == "section" and change.change in ("added", "removed") and "body" not in change.fields


def _bare_sections(found: Sequence[RecordChange], above: Mapping[int, RecordChange]) -> set[int]:
    """Headings that came or went with a few records and nothing else, which say more."""
    parts: dict[int, list[RecordChange]] = {}
    for each in found:
        around = above.get(id(each))
        if around is not None and around.kind == "section" and each.change == around.change in ("added", "removed"):
            parts.setdefault(id(around), []).append(each)
    heads = {id(each): each.after or each.before for each in found if id(each) in parts}
    return {
        head
        for head, inside in parts.items()
        if len(inside) <= _FEW and not any(map(str.isalnum, _without(heads[head].partition("\n")[2], inside)))
    }


def _without(text: str, inside: Iterable[RecordChange]) -> str:
    for each in inside:
        text = text.replace(each.after or each.before, "", 1)
    return text


def _above(found: Sequence[RecordChange], side: str) -> dict[int, RecordChange]:
    """What each change stands in among the others, in the old state or in the new one."""
    there = [(record, each) for each in found if (record := getattr(each, side))]
    there.sort(key=lambda pair: (pair[0].path, pair[0].span.start, -pair[0].span.end))
    around: list[tuple[Record, RecordChange]] = []
    above: dict[int, RecordChange] = {}
    for record, each in there:
        while around and (around[-1][0].path != record.path or around[-1][0].span.end < record.span.end):
            around.pop()
        if around:
            above[id(each)] = around[-1][1]
        around.append((record, each))
    return above
