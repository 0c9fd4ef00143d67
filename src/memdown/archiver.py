"""The one archiver: what a dialect says is due leaves a file for its archive, and every line is proven to be in one.

An act asks a dialect for its `Archivist`, plans, and saves the plans as one group, so that `undo` takes it back.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct, structs

from memdown.dialects.due import Archivist, Contents, Due
from memdown.errors import MemdownError
from memdown.project import Project
from memdown.record import Document
from memdown.store import undo
from memdown.text import Edit, apply, encode, eol_of

_PATIENCE = 100
"""How often a plan is tried again when the text around an entry would be read differently without it."""


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


# Planning: cut, append, prove


def plan(project: Project, doc: Document, archivist: Archivist) -> ArchivePlan:
    """What moving all that is due in a file comes to; nothing is written."""
    path, before = doc.path, doc.text
    ids = {record.span.start: record.id for record in doc.records}
    lines = {record.id: record.line for record in doc.records}  # as people see them, before anything went
    held: dict[str, str | None] = {}
    grown: dict[str, str] = {}
    done: list[Due] = []
    entries: int | None = None
    taken: dict[str, Collection[str]] = {}
    for _ in range(_PATIENCE if archivist.repeats else 1):
        found = archivist.due(doc)
        if entries is not None and not found:
            break  # what went made the file so short that nothing more is looked at; what stayed stays
        entries = len(found) if entries is None else entries
        for target in dict.fromkeys(each.target for each in found if each.target and each.target not in held):
            held[target] = project.files.find(target)
            taken[target] = _taken(project, target, held[target], archivist)
        dues = [
            structs.replace(each, id=ids.get(each.start, ""), there=each.text in taken.get(each.target, ()))
            for each in found
        ]
        attempt = _Attempt(doc, dues, held | grown, archivist)
        stays = [(each, lines.get(each.id) or doc.lines.at(each.start) + 1) for each in attempt.stays]
        grown |= attempt.grown
        done += attempt.done
        if not (attempt.going and archivist.repeats):
            break
        # Whether an entry can go depends on what stands around it, so what stayed is looked at once more.
        left = archivist.contents(path, attempt.after)
        ids = {start: ids.get(old, "") for (start, _), (old, _) in zip(left, attempt.left, strict=False)}
        doc = project.parse(path, attempt.after)
    archives = {target: (held[target], text) for target, text in grown.items()}
    return ArchivePlan(path, before, attempt.after, archives, done, stays, entries or 0)


def _taken(project: Project, target: str, text: str | None, archivist: Archivist) -> Collection[str]:
    """What an archive has already: somebody may have stopped between writing it and shortening its file."""
    if text is None or archivist.sections is None or undo.left_so(project.files, target, encode(text)):
        return ()
    return archivist.sections(text)


class _Attempt:
    """What is due in a file moved, as much of it as can be proven to arrive and to leave the rest as it was."""

    def __init__(
        self, doc: Document, dues: Sequence[Due], archives: Mapping[str, str | None], archivist: Archivist
    ) -> None:
        self._doc, self._archivist = doc, archivist
        self.left, self.after = Contents(), doc.text
        self.going = [each for each in dues if each.target]
        self._changed = [each for each in dues if each.edits and not each.target]
        self._contents = archivist.contents(doc.path, doc.text) if self.going else []
        targets = dict.fromkeys(each.target for each in self.going)
        self._alone = {each.start: each for each in self.going}
        """Those that go, without the headings that go with them."""
        self._begun = {target: archivist.begun(target, archives[target], eol_of(doc.text)) for target in targets}
        kept: dict[int, Due] = {}
        self._move()
        while self.going and (wrong := self._offender()):
            patient = archivist.singly and len(kept) < _PATIENCE
            first = wrong.start if archivist.singly else -1
            stuck = [each for each in self.going if each is wrong or (each.start > first and not patient)]
            kept |= {each.start: structs.replace(self._alone[each.start], reason=archivist.reason) for each in stuck}
            self.going = [each for each in self.going if each.start not in kept]
            self._move()
        done = {each.start for each in (*self.going, *self._changed)}
        self.done = [each for each in dues if each.start in done]
        staying = [kept.get(each.start, each) for each in dues if each.start not in done]
        self.stays = [each for each in staying if each.reason]
        if done:
            self.after = archivist.trimmed(doc, self.after, self.going)

    def _move(self) -> None:
        """Cut and append."""
        self.going = [*self._archivist.emptied(self._doc, [self._alone[each.start] for each in self.going])]
        self._edits = [edit for each in (*self.going, *self._changed) for edit in each.edits]
        self.after = apply(self._doc.text, [*self._edits, *(Edit(each.cut, "") for each in self.going)])
        coming = {target: [each for each in self.going if each.target == target] for target in self._begun}
        self.grown = {
            target: self._archivist.grown(target, self._begun[target], dues) for target, dues in coming.items() if dues
        }

    def _offender(self) -> Due | None:
        """An entry that must stay, because file or archive would be read differently than meant; None when all go."""
        cuts = sorted(self.going, key=lambda each: each.cut)
        gone: dict[int, list[object]] = {each.start: [] for each in cuts}
        self.left = []
        for start, content in self._contents:
            at = bisect_right(cuts, start, key=lambda each: each.cut.start) - 1
            if at >= 0 and start < cuts[at].cut.end:
                gone[cuts[at].start].append(content)
            else:
                self.left.append((start, content))
        found = self._archivist.contents(self._doc.path, self.after)
        for number, (start, content) in enumerate(self.left):
            if number >= len(found) or found[number][1] != content:
                # It took in the text of the next one, which the last entry between the two kept apart.
                following = self.left[number + 1][0] if number + 1 < len(self.left) else start
                return ([each for each in self.going if each.start < following] or self.going)[-1]
        wrong = self.going[-1] if len(found) != len(self.left) else self._hidden(gone)
        return wrong or (self._refused(self.going[-1]) if self._lost() else None)

    def _hidden(self, gone: Mapping[int, Sequence[object]]) -> Due | None:
        """An entry that its archive would not show as it was, or that would hide others there."""
        for target, text in self.grown.items():
            coming = [each for each in self.going if each.target == target and not each.there]
            old, new = (self._archivist.contents(target, each) for each in (self._begun[target], text))
            meant = Counter(content for _, content in old)
            meant.update(content for each in coming for content in gone[each.start])
            shown = Counter(content for _, content in new)
            missing = meant - shown
            if missing or (shown - meant and not (self._archivist.refusal or self._archivist.widens)):
                fitting = (each for each in coming if not missing.keys().isdisjoint(gone[each.start]))
                return self._refused(next(fitting, self.going[-1]))
        return None

    def _lost(self) -> bool:
        """Whether a line would be nowhere any more."""
        text, lines = self._doc.text, self._doc.lines
        lost = Counter(_lines(text)) - Counter(_lines(self.after))
        for target, grown in self.grown.items():
            lost -= Counter(_lines(grown)) - Counter(_lines(self._begun[target]))
        lost -= Counter(line for each in self.going if each.there for line in _lines(each.text))
        archived = {line for grown in self.grown.values() for line in _lines(grown)} if lost else ()
        for edit in self._edits if lost else ():
            whole = text[lines.start(lines.at(edit.span.start)) : lines.start(lines.at(edit.span.end) + 1)]
            # A heading that goes with all below it may be in the archive already; what else is edited stays in place.
            lost -= Counter(line for line in _lines(whole) if edit.new or line in archived)
        return bool(lost)

    def _refused(self, wrong: Due) -> Due:
        if self._archivist.refusal:
            raise MemdownError(self._archivist.refusal.format(self._doc.path))
        return wrong


def _lines(text: str) -> list[str]:
    """Lines that say something, whatever their ends and the blanks around them."""
    rows = text.replace("\r", "\n").split("\n")
    return [bare for row in rows if (bare := row.strip().strip("\ufeff").strip())]


# Saving


def save(project: Project, plans: Sequence[ArchivePlan], over: Mapping[str, str] | None = None) -> None:
    """Write what changed as one group, archives before the files they take from. Whoever calls holds the lock.

    `over` has the text on the disk of files whose plan began with another one, as when appending.
    """
    # What came in may be the same as what goes, so that a file stays as it is and its archive grows all the same.
    changed = [each for each in plans if each.moved or each.after != each.before]
    with project.files.group() as group:
        for each in changed:
            for name, (before, after) in each.archives.items():
                group.save(name, after, over=before)
        for each in plans:
            there = (over or {}).get(each.path, each.before)
            if each.after != there:
                group.save(each.path, each.after, over=there)
