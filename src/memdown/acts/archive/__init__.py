"""Archiving: what is old or over moves out of the files that are read every day.

A dialect says what is due and where it goes. Here it is cut out of the file and put into its archive; both are proven
to be read as they should and to have every line; then all files are written together, so that `undo` takes it back.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import cache

from msgspec import Struct, structs

from memdown.dialects.bank import due as bank
from memdown.dialects.due import UNDATED, Archivist, Contents, Due
from memdown.dialects.journal import due as journal
from memdown.dialects.layers import due as layers
from memdown.dialects.layers.write import is_damaged
from memdown.dialects.sem import due as sem
from memdown.dialects.sem import grammar
from memdown.errors import MemdownError
from memdown.project import Project
from memdown.record import Document
from memdown.store import undo
from memdown.text import Edit, Span, apply, eol_of

_PATIENCE = 100
"""How often a plan is tried again when the text around an entry would be read differently without it."""


class Moved(Struct, frozen=True, rename={"source": "from", "target": "to"}):
    """An entry that went to the archive."""

    id: str
    title: str
    source: str
    target: str


class KeptEntry(Struct, frozen=True):
    """An entry that is old enough and stays."""

    id: str
    title: str
    path: str
    reason: str


class Undated(Struct, frozen=True):
    """An entry that does not say when it was."""

    id: str
    title: str
    path: str
    line: int


class Archived(Struct, frozen=True):
    """What became of the files."""

    moved: list[Moved]
    kept: list[KeptEntry]
    undated: list[Undated]
    written: list[str]
    entries_before: int
    entries_left: int


class ArchivePlan(Struct, frozen=True):
    """What archiving makes of one file."""

    path: str
    before: str
    after: str
    archives: dict[str, tuple[str | None, str]] = {}
    """Each archive before and after."""
    done: list[Due] = []
    """What leaves the file or is changed in it."""
    stays: list[tuple[Due, int]] = []
    """What stays for a reason, each with its line."""
    entries: int = 0

    @property
    def moved(self) -> list[Due]:
        return [each for each in self.done if each.target]


def archive(
    project: Project,
    *,
    dialects: Collection[str] = ("sem", "bank", "journal"),
    older_than: int | None = None,
    size: int | None = None,
    write: bool = True,
) -> Archived:
    """Move what is old or over to the archives, or only tell what would be moved."""
    with project.files.lock() if write else nullcontext():
        plans = []
        for doc, archivist in _files(project, dialects, older_than, size):
            if write and doc.dialect == "bank":
                project.files.allow(doc.path)  # a mode that does not write it does not look for more either
            plans.append(plan(project, doc, archivist))
        if write:
            save(project, "archive", plans)
    return _result(plans)


def _files(
    project: Project, dialects: Collection[str], older_than: int | None, size: int | None
) -> Iterator[tuple[Document, Archivist]]:
    if "sem" in dialects:
        names = [name for name in project.names() if grammar.part_of(name) in ("log", "archive", "history")]
        logs = [doc for doc in map(project.parsed, names) if doc.dialect == "sem"]
        archivist = sem.archivist(logs, older_than, size)
        yield from ((doc, archivist) for doc in logs)
    progress = project.bank_files().get("progress.md") if "bank" in dialects else None
    if progress:
        yield project.parsed(progress), bank.ARCHIVIST
    if "journal" in dialects:
        for name in map(project.journal_file, journal.KEPT):
            if project.files.exists(name):
                yield project.parsed(name), journal.archivist(older_than, size)


def prune(project: Project, name: str, archive: str, file_type: str, text: str) -> ArchivePlan:
    """What the rules of a layered memory's type make of its text; nothing is written."""
    if file_type not in layers.TYPES:
        return ArchivePlan(name, text, text)
    held = _text(project, archive)
    if is_damaged(text) or is_damaged(held or ""):
        left = "It or its archive has bytes that are not UTF-8, so it is left."
        return ArchivePlan(name, text, text, stays=[(Due(0, Span(0, 0), "", "", reason=left), 0)])

    @cache
    def there() -> Collection[str]:
        # Somebody may have stopped between writing the archive and shortening the memory.
        if held is None or undo.left_so(project.files, archive, held):
            return ()
        return layers.sections(file_type, held, project.config.layers)

    doc = Document(name, text, dialect="layers", now=project.now(), settings=project.config)
    return plan(project, doc, layers.archivist(file_type, archive, project.now().date(), there))


# Planning: cut, append, prove


def plan(project: Project, doc: Document, archivist: Archivist) -> ArchivePlan:
    """What moving all that is due in a file comes to; nothing is written."""
    ids = {record.span.start: record.id for record in doc.records}
    planned = ArchivePlan(doc.path, doc.text, doc.text)
    for number in range(_PATIENCE if archivist.repeats else 1):
        dues = [structs.replace(each, id=ids.get(_bullet(doc.text, each.start), "")) for each in archivist.due(doc)]
        held = {each.target: planned.archives.get(each.target) for each in dues if each.target}
        archives = {target: known or (_text(project, target),) * 2 for target, known in held.items()}
        attempt = _Attempt(doc, dues, {target: text for target, (_, text) in archives.items()}, archivist)
        planned = structs.replace(
            planned,
            after=attempt.after,
            archives=planned.archives | {target: (archives[target][0], text) for target, text in attempt.grown.items()},
            done=planned.done + attempt.done,
            stays=[(each, doc.lines.at(each.start) + 1) for each in attempt.stays],
            entries=planned.entries if number else len(dues),
        )
        if not attempt.going:
            break
        if archivist.repeats:
            # Whether an entry can go depends on what stands around it, so what stayed is looked at once more.
            left = zip(archivist.contents(doc.path, attempt.after), attempt.left, strict=False)
            ids = {start: ids.get(old, "") for (start, _), (old, _) in left}
            doc = project.parse(doc.path, attempt.after)
    return planned


def _text(project: Project, name: str) -> str | None:
    return project.files.read(name) if project.files.exists(name) else None


def _bullet(text: str, start: int) -> int:
    """Where a line's text begins; the record of an item begins at its bullet."""
    while start < len(text) and text[start] in " \t":
        start += 1
    return start


class _Attempt:
    """What is due in a file moved, as much of it as can be proven to arrive and to leave the rest as it was."""

    def __init__(
        self, doc: Document, dues: Sequence[Due], archives: Mapping[str, str | None], archivist: Archivist
    ) -> None:
        self._doc, self._archivist = doc, archivist
        self.after, self.grown, self.left = doc.text, dict[str, str](), Contents()
        self._before = archivist.contents(doc.path, doc.text) if archives else []
        eol = eol_of(doc.text)
        self._begun = {target: archivist.begun(target, text, eol) for target, text in archives.items()}
        changed = [each for each in dues if each.edits and not each.target]
        self.going = [each for each in dues if each.target]
        kept: dict[int, Due] = {}
        for tried in range(len(self.going) + 1):
            self._move(changed)
            wrong = self._offender() if self.going else None
            if wrong is None:
                break
            hopeless = not archivist.singly or tried >= _PATIENCE
            first = wrong.start if archivist.singly else -1
            for each in self.going:
                if each is wrong or (hopeless and each.start > first):
                    kept[each.start] = structs.replace(each, reason=archivist.reason)
            self.going = [each for each in self.going if each.start not in kept]
        if self.going or changed:
            self.after = archivist.trimmed(doc, self.after, self.going)
        done = {each.start for each in (*self.going, *changed)}
        self.done = [each for each in dues if each.start in done]
        staying = [kept.get(each.start, each) for each in dues if each.start not in done]
        self.stays = [each for each in staying if each.reason]

    def _move(self, changed: Sequence[Due]) -> None:
        """Cut and append."""
        cuts = [Edit(each.cut, "") for each in self.going]
        self.after = apply(self._doc.text, [*cuts, *(edit for each in (*self.going, *changed) for edit in each.edits)])
        self.grown = {
            target: self._archivist.grown(target, begun, coming)
            for target, begun in self._begun.items()
            if (coming := [each for each in self.going if each.target == target])
        }
        self._touched = [edit for each in (*self.going, *changed) for edit in each.edits]

    def _offender(self) -> Due | None:
        """An entry that must stay, because file or archive would be read differently than meant; None when all go."""
        cuts = sorted(self.going, key=lambda each: each.cut)
        gone: dict[int, list[object]] = {}
        self.left = []
        for start, content in self._before:
            at = bisect_right(cuts, start, key=lambda each: each.cut.start) - 1
            if at >= 0 and start < cuts[at].cut.end:
                gone.setdefault(cuts[at].start, []).append(content)
            else:
                self.left.append((start, content))
        found = self._archivist.contents(self._doc.path, self.after)
        for number, (start, content) in enumerate(self.left):
            if number >= len(found) or found[number][1] != content:
                # It took in the text of the next one, which the last entry between the two kept apart.
                following = self.left[number + 1][0] if number + 1 < len(self.left) else start
                return ([each for each in self.going if each.start < following] or self.going)[-1]
        if len(found) != len(self.left):
            return self.going[-1]
        return self._hidden(gone) or self._lost()

    def _hidden(self, gone: Mapping[int, Sequence[object]]) -> Due | None:
        """An entry that its archive would not show as it was, or that would hide others there."""
        for target, text in self.grown.items():
            coming = [each for each in self.going if each.target == target and not each.there]
            old, new = (
                Counter(what for _, what in self._archivist.contents(target, each))
                for each in (self._begun[target], text)
            )
            meant = old + Counter(content for each in coming for content in gone.get(each.start, ()))
            missing = meant - new
            if missing or (new - meant and not self._archivist.refusal):
                self._refuse()
                fitting = (each for each in coming if any(content in missing for content in gone.get(each.start, ())))
                return next(fitting, self.going[-1])
        return None

    def _lost(self) -> Due | None:
        """The last entry, when a line would be nowhere any more."""
        text = self._doc.text
        lost = Counter(_lines(text)) - Counter(_lines(self.after))
        there = set()
        for target, grown in self.grown.items():
            lost -= Counter(_lines(grown)) - Counter(_lines(self._begun[target]))
            there.update(_lines(grown))
        lost -= Counter(line for each in self.going if each.there for line in _lines(each.text))
        lines = self._doc.lines
        for edit in self._touched:
            whole = text[lines.start(lines.at(edit.span.start)) : lines.start(lines.at(edit.span.end) + 1)]
            # A heading that goes with all below it may be in the archive already; what else is edited stays in place.
            lost -= Counter(line for line in _lines(whole) if edit.new or line in there)
        if lost:
            self._refuse()
            return self.going[-1]
        return None

    def _refuse(self) -> None:
        if self._archivist.refusal:
            raise MemdownError(self._archivist.refusal.format(self._doc.path))


def _lines(text: str) -> list[str]:
    """Lines that say something, whatever their ends and the blanks around them."""
    rows = text.replace("\r", "\n").split("\n")
    return [bare for row in rows if (bare := row.strip().strip("\ufeff").strip())]


# Saving, and what is told of it


def save(project: Project, title: str, plans: Sequence[ArchivePlan], over: Mapping[str, str] | None = None) -> None:
    """Write what changed as one group, archives before the files they take from. Whoever calls holds the lock.

    `over` has the text on the disk of files whose plan began with another one, as when appending.
    """
    changed = [each for each in plans if each.after != each.before]
    if changed:
        texts = [(name, *pair) for each in changed for name, pair in _texts(each).items()]
        undo.remember(project.files, title, project.now(), [undo.change(*each) for each in texts])
    with project.files.group() as group:
        for each in changed:
            for name, (before, after) in each.archives.items():
                group.save(name, after, over=before)
        for each in plans:
            there = (over or {}).get(each.path, each.before)
            if each.after != there:
                group.save(each.path, each.after, over=there)


def _texts(planned: ArchivePlan) -> dict[str, tuple[str | None, str]]:
    return {**planned.archives, planned.path: (planned.before, planned.after)}


def _result(plans: Sequence[ArchivePlan]) -> Archived:
    moved = [Moved(due.id, due.title, each.path, due.target) for each in plans for due in each.moved]
    stays = [(each.path, due, line) for each in plans for due, line in each.stays]
    entries = sum(each.entries for each in plans)
    return Archived(
        moved=moved,
        kept=[KeptEntry(due.id, due.title, path, due.reason) for path, due, _ in stays if due.reason != UNDATED],
        undated=[Undated(due.id, due.title, path, line) for path, due, line in stays if due.reason == UNDATED],
        written=[name for each in plans if each.moved for name in _texts(each)],
        entries_before=entries,
        entries_left=entries - len(moved),
    )
