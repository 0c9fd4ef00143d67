"""Keeping a memory bank small: completed items of finished milestones go to an archive. Appended, verified, trimmed."""

from collections import Counter
from contextlib import nullcontext

from msgspec import Struct

from memdown.acts.archive.sem import Archived, KeptEntry, Moved
from memdown.dialects.bank import finished
from memdown.dialects.bank.finished import Leaving
from memdown.dialects.bank.sections import outline
from memdown.errors import MemdownError
from memdown.project import Project
from memdown.record import Document
from memdown.store import Group, undo
from memdown.text import eol_of, with_eol

_DIFFERENT = "without the completed items the rest would be read differently"


class _Plan(Struct, frozen=True):
    """What archiving changes: each file before and after, the archives first."""

    texts: dict[str, tuple[str | None, str]]
    moved: list[Moved]
    kept: list[KeptEntry]
    items: int


def archive(root: Project, name: str | None, *, write: bool) -> Archived:
    """Move completed items of finished milestones from a progress file to the archive beside it, or only tell which."""
    if name is None:
        return Archived([], [], [], [], 0, 0)
    with root.files.lock() if write else nullcontext():
        planned = _plan(root, root.parse(name, root.files.read(name)))
        if write and planned.texts:
            steps = [undo.change(file, before, after) for file, (before, after) in planned.texts.items()]
            undo.remember(root.files, "archive", root.now(), steps)
            with root.files.group() as group:
                _save(planned, group)
    return Archived(
        moved=planned.moved,
        kept=planned.kept,
        undated=[],
        written=list(planned.texts),
        entries_before=planned.items,
        entries_left=planned.items - len(planned.moved),
    )


def _save(planned: _Plan, group: Group) -> None:
    for file, (before, after) in planned.texts.items():
        group.save(file, after, over=before)


def _plan(root: Project, doc: Document) -> _Plan:
    going, staying = finished.leaving(doc)
    ids = {record.span.start: record.id for record in doc.records if record.kind == "task"}
    kept = [KeptEntry(_id(ids, doc, each.start), each.title, doc.path, each.reason) for each in staying]
    items = len(going) + len(staying)
    after = finished.without(doc.text, going)
    if going and not _reads_the_same(doc.text, after, len(going)):
        kept += [KeptEntry(_id(ids, doc, each.span.start), each.title, doc.path, _DIFFERENT) for each in going]
        going = []
    texts: dict[str, tuple[str | None, str]] = {}
    moved: list[Moved] = []
    for target, leaving in _by_archive(root, doc, going).items():
        held = root.files.read(target) if root.files.exists(target) else None
        blocks = [(each.heading, each.span.of(doc.text)) for each in leaving]
        texts[target] = held, finished.grown(held, target[-10:-3], blocks, eol_of(doc.text))
        moved += [Moved(_id(ids, doc, each.span.start), each.title, doc.path, target) for each in leaving]
    if going:
        texts[doc.path] = doc.text, after
        _verify(texts, doc.path)
    return _Plan(texts, moved, kept, items)


def _id(ids: dict[int, str], doc: Document, start: int) -> str:
    """The id of the item whose line begins there; an item's record begins at its bullet."""
    while start < len(doc.text) and doc.text[start] in " \t":
        start += 1
    return ids.get(start, "")


def _by_archive(root: Project, doc: Document, going: list[Leaving]) -> dict[str, list[Leaving]]:
    """The items by the archive they go to: that of the month they were completed in, else of this month."""
    home = doc.path.rpartition("/")[0]
    found: dict[str, list[Leaving]] = {}
    for each in going:
        month = f"{each.day or root.now().date():%Y-%m}"
        found.setdefault(f"{home}/archive/progress-{month}.md", []).append(each)
    return found


def _reads_the_same(before: str, after: str, gone: int) -> bool:
    """Whether what stays has the same headings and items as before."""
    old, new = outline(before), outline(after)
    if [section.title for section in old.sections] != [section.title for section in new.sections]:
        return False
    tops = [Counter(doc.text_of(item) for item in doc.items if item.depth == 0) for doc in (old, new)]
    return tops[1] <= tops[0] and tops[1].total() == tops[0].total() - gone


def _verify(texts: dict[str, tuple[str | None, str]], source: str) -> None:
    """Refuse a plan that loses a line, or that an archive would hide, as below a code fence that is never closed."""
    before, after = texts[source]
    lost = _lines(before or "") - _lines(after)
    items: Counter[str] = Counter()
    for target, (held, grown) in texts.items():
        if target == source:
            continue
        if not grown.startswith(held or ""):
            raise MemdownError(f"{target} would lose what it holds; nothing was changed.")
        lost -= _lines(grown) - _lines(held or "")
        items += _items(grown) - _items(held or "")
    if lost or not _items(before or "") - _items(after) <= items:
        raise MemdownError(f"The archive of {source} would not show every item; close its code fences, then try again.")


def _lines(text: str) -> Counter[str]:
    return Counter(line for line in with_eol(text, "\n").split("\n") if line.strip())


def _items(text: str) -> Counter[str]:
    doc = outline(text)
    return Counter(doc.text_of(item) for item in doc.items)
