"""Taking back what was done: any act in the log of changes, and the taking back itself.

An act is all that one command did. It is taken back where its bytes are: where the log says, when only steps of the log
changed the file since (`store/traces.py`), else where the lines around them say. What is in the way is named, and then
nothing is written.
"""

from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from functools import partial

from msgspec import Struct

from memdown import homes
from memdown.errors import NotFound, Refused, Stale, on_failure, quote, way
from memdown.store.files import Files
from memdown.store.steps import NO_FILE, Delta, Hole, Step, credentials, fingerprint, hash_of
from memdown.store.traces import Trace
from memdown.text import decode

Sources = Callable[[str], Iterable[bytes]]
"""Older versions of a file that somebody else keeps, as git does."""
Outside = Callable[[str], str]
"""Takes back what an act did beside its files; the changes that this was."""

_TELLING = 8
"""Visible bytes from which a part of a text is likely to be there once only because it is that part."""
_COMPARED = 2000
"""Lines of a change up to which its parts are looked for one by one."""


class Act(Struct, frozen=True):
    """What one command did, and whether it stands."""

    step: int
    by: str
    act: str
    at: str
    files: list[str]
    undone: bool
    forced: str = ""
    outside: str = ""
    """What it did beside its files, as whoever did it wrote it down."""
    titles: list[str] = []
    """Of the records that it was about, as they were noted when it was done."""


class RestoredFile(Struct, frozen=True):
    """A file before and after something was taken back; None is no file."""

    name: str
    before: bytes | None
    after: bytes | None
    merged: bool = False
    """Whether it had changed since, and these changes stay."""


class ChangedPart(Struct, frozen=True):
    """The lines of a file that a step changed, with some around them."""

    name: str
    old: str
    new: str
    step: int


class TakenBack(Struct, frozen=True):
    """An act that was taken back, or brought back."""

    act: Act
    files: list[RestoredFile]
    lost: int = 0
    """Credentials that are nowhere any more, and stay out."""
    outside: str = ""
    """What was to be taken back beside its files."""


def acts(files: Files) -> list[Act]:
    """Every act in the log but for the taking back, the newest first."""
    found = _ActLog(files)
    return [found.act(number) for number in found.ordinary()]


def _reverse(
    files: Files,
    number: int | None = None,
    *,
    verb: str,
    write: bool = True,
    own: str = "",
    others: Sources = lambda _: (),
    outside: Outside | None = None,
) -> TakenBack:
    with files.lock(when=write):
        history = _ActLog(files)
        if number is None and own:
            history.refuse_of_others(verb, own)
        chosen = history.to_undo(number) if verb == "undo" else history.to_redo(number)
        return _Reversal(files, history, chosen, verb, others, outside).run(write=write)


take_back = partial(_reverse, verb="undo")
"""Make the files what they were before an act; if none is named the last one, which has to be of `own` making."""
bring_back = partial(_reverse, verb="redo")
"""Make again what was taken back: an act by its number, else the last, unless something was done since."""


def changes_of(files: Files, *numbers: int) -> list[ChangedPart]:
    """What acts put in the place of what, the first act's first."""
    log = _ActLog(files)
    found = []
    for number in numbers:
        for step in reversed(log.steps.get(number, ())):
            for delta in step.deltas:
                around = delta.around.filled(_redacted)
                lead, tail = around[: delta.lead], around[len(around) - delta.tail :]
                old = lead + delta.old.filled(_redacted) + tail
                found.append(ChangedPart(delta.name, decode(old), decode(around), number))
    return found


def whole_changes_of(files: Files, *numbers: int) -> list[ChangedPart]:
    """The same with the whole texts before and after, where the log leads back to them from the files of today."""
    log = _ActLog(files)
    wanted, found = set(numbers), []
    deltas = (delta for number in numbers for step in log.steps.get(number, ()) for delta in step.deltas)
    for name in dict.fromkeys(delta.name for delta in deltas):
        text = files.data(name)
        for step, delta in reversed(log.changes_of(name)):
            if fingerprint(text) != delta.after:
                break  # somebody else wrote it since
            before = _before(text or b"", delta, _redacted)
            if step.act in wanted:
                found.append(ChangedPart(name, decode(before or b""), decode(text or b""), step.act))
            text = before
    return found[::-1]


def _before(text: bytes, delta: Delta, fill: Callable[..., bytes]) -> bytes | None:
    if delta.before == NO_FILE:
        return None
    return text[: delta.start] + delta.old.filled(fill) + text[delta.start + delta.added :]


def left_so(files: Files, name: str, text: bytes) -> bool:
    """Whether the last step that changed a file left it with this text."""
    for step in files.log.read():
        for each in step.deltas:
            if each.name == name:
                return each.after == fingerprint(text)
    return False


class _ActLog:
    """The log as acts. An act that was undone and redone is a chain: what did it last can be taken back."""

    def __init__(self, files: Files) -> None:
        self._root = str(files.root)
        self.log = list(files.log.read())
        """The newest first."""
        self.steps: dict[int, list[Step]] = {}
        for step in self.log:
            self.steps.setdefault(step.act, []).append(step)
        self._next: dict[int, int] = {}
        """What was taken back, and by which act."""
        for number in sorted(self.steps):
            if self.steps[number][0].undoes:
                self._next[self.steps[number][0].undoes] = number
        self._known = {step.number for step in self.log}

    def ordinary(self) -> list[int]:
        """Acts that take nothing back, the newest first; one that the log has in part only is left out."""
        return [
            number
            for number in sorted(self.steps, reverse=True)
            if not self.steps[number][0].undoes and self._known.issuperset(range(number, self.steps[number][0].number))
        ]

    def to_undo(self, number: int | None) -> int:
        """The act that a person wants to be taken back."""
        if number is None:
            number = self._standing()
            if not number:
                raise NotFound(self._nothing())
        elif number not in self.ordinary():
            raise NotFound(f"There is no step {number} to undo; see {way('undo --list')}.")
        elif self.is_undone(number):
            raise Refused(f"Step {number} is already undone; {way('redo', str(number))} brings it back.")
        return number

    def to_redo(self, number: int | None) -> int:
        """The act that a person wants to be brought back."""
        undone = {self.last_of(each): each for each in self.ordinary() if self.is_undone(each)}
        if number is None:
            last = max(undone, default=0)
            if last <= self._standing():
                raise NotFound("Nothing to redo: nothing was undone since the last change.")
            return undone[last]
        if number not in undone.values():
            raise NotFound(f"There is no step {number} to redo; see {way('undo --list')}.")
        return number

    def refuse_of_others(self, verb: str, own: str) -> None:
        """Refuse to take back the last act, or what took one back last, unless it was made in one way."""
        number = self.to_undo(None) if verb == "undo" else self.to_redo(None)
        by = self.steps[self.last_of(number)][-1].by
        if by.partition(" ")[0] == own:
            return
        act = self.act(number)
        about = f"{act.act}: {', '.join(act.titles[:3])}" if act.titles else act.act
        done = f"was {'made' if verb == 'undo' else 'undone'} by {by}, not by an assistant"
        raise Refused(f"The last step, {number} ({about}), {done}; pass `step` {number} to {verb} it anyway.")

    def _standing(self) -> int:
        """The last act that is not undone; 0 when there is none."""
        return next((each for each in self.ordinary() if not self.is_undone(each)), 0)

    def standing_before(self, number: int) -> int:
        """The last act before one that is not undone; 0 when there is none."""
        return next((each for each in self.ordinary() if each < number and not self.is_undone(each)), 0)

    def last_of(self, number: int) -> int:
        """The act itself, or what took it back or brought it back last."""
        while number in self._next:
            number = self._next[number]
        return number

    def is_undone(self, number: int) -> bool:
        undone = False
        while number in self._next:
            number, undone = self._next[number], not undone
        return undone

    def root(self, step: Step) -> Step:
        """The first step of the act that a step belongs to, brings back or takes back."""
        while step.undoes in self.steps:
            step = self.steps[step.undoes][-1]
        return self.steps[step.act][-1]

    def _nothing(self) -> str:
        if self.ordinary():
            return f"Nothing to undo here; see {way('undo --list')}."
        begin = "" if homes.holds_memory(self._root) else f"; run {way('init')} to create a memory bank"
        return f"Nothing to undo: memdown has not changed anything in {quote(self._root)}{begin}."

    def act(self, number: int) -> Act:
        steps = self.steps[number]
        names = dict.fromkeys(delta.name for step in reversed(steps) for delta in step.deltas)
        first = steps[-1]
        forced = "; ".join(dict.fromkeys(step.forced for step in steps if step.forced))
        outside = "".join(step.outside for step in steps)
        titles = [*dict.fromkeys(title for step in reversed(steps) for title in step.about)]
        return Act(
            number, first.by, first.title, first.at, list(names), self.is_undone(number), forced, outside, titles
        )

    def changes_of(self, name: str) -> list[tuple[Step, Delta]]:
        """What changed a file, the oldest first."""
        return [(step, delta) for step in reversed(self.log) for delta in step.deltas if delta.name == name]


class _Reversal:
    """One act, taken back or brought back."""

    def __init__(
        self, files: Files, history: _ActLog, named: int, verb: str, others: Sources, outside: Outside | None
    ) -> None:
        self._files = files
        self._history = history
        self._named = named
        self._number = history.last_of(named)
        self._verb = verb
        self._others = others
        self._outside = outside
        self._now: dict[str, bytes | None] = {}
        self._then: dict[str, bytes | None] = {}
        self._merged: set[str] = set()
        self._absent: set[str] = set()
        """Files that are as they were before the act."""
        self._lost = 0

    def run(self, *, write: bool) -> TakenBack:
        names = dict.fromkeys(
            delta.name for step in reversed(self._history.steps[self._number]) for delta in step.deltas
        )
        for name in names:
            self._now[name] = self._files.data(name)
        for name in names:
            self._then[name] = self._reversed(name, self._now[name])
        if self._verb == "undo" and names and self._absent == names.keys() and not self._done_outside():
            raise self._not_here()
        changed = [name for name in names if self._now[name] != self._then[name]]
        act = self._history.act(self._named)
        if write:
            self._write(changed)
        files = [RestoredFile(name, self._now[name], self._then[name], name in self._merged) for name in changed]
        return TakenBack(act, files, self._lost, self._done_outside())

    def _write(self, changed: Sequence[str]) -> None:
        with on_failure(self._write_outside()):
            if not self._renamed(changed):
                self._write_all(changed)
        for step in self._history.steps[self._number]:
            for delta in step.deltas:
                with self._files.derived(f"the removal of the folder of {quote(delta.name)}"):
                    self._leave(delta.name, step.folders)

    def _done_outside(self) -> str:
        return "".join(step.outside for step in self._history.steps[self._number])

    def _write_outside(self) -> Callable[[], object]:
        """Take back what the act did beside its files; what undoes that when the files cannot be written."""
        done = self._done_outside()
        if not done:
            return lambda: None
        if self._outside is None:
            raise Refused(f"Step {self._named} changed more than files; {way(self._verb)} covers all of it.")
        back, reverse = self._outside(done), self._outside
        self._files.note_outside(back)
        return lambda: reverse(back)

    def _renamed(self, changed: Sequence[str]) -> bool:
        """Whether one file got the name of another that is gone: names may differ by case alone."""
        if len(changed) != 2:
            return False
        old, new = sorted(changed, key=lambda name: self._then[name] is not None)
        data = self._now[old]
        if data is None or (self._then[old], self._now[new], self._then[new]) != (None, None, data):
            return False
        if (self._files.root / old).is_symlink():
            return False
        self._files.rename(old, new, over=decode(data), undoes=self._number)
        return True

    def _write_all(self, changed: Sequence[str]) -> None:
        deltas = [delta for step in self._history.steps[self._number] for delta in step.deltas]
        modes = {delta.name: delta.mode for delta in deltas if delta.after == NO_FILE}
        with self._files.group(undoes=self._number) as group:
            for name in changed:
                now, then = self._now[name], self._then[name]
                over = None if now is None else decode(now)
                if then is not None:
                    group.save(name, decode(then), over=over, mode=modes.get(name, 0))
                elif over is not None:
                    group.delete(name, over=over)

    def _leave(self, name: str, made: Sequence[str]) -> None:
        """Remove the folders of a file that a step made, unless somebody else has something in them by now."""
        folder, path, left = name, self._files.path(name), []
        while (folder := folder.rpartition("/")[0]) in made:
            path = path.parent
            left.append(path)
        self._files.leave(left)

    def _reversed(self, name: str, now: bytes | None) -> bytes | None:
        """What a file becomes."""
        changes = self._history.changes_of(name)
        places = [place for place, (step, _) in enumerate(changes) if step.act == self._number]
        own, done = [changes[place][1] for place in places], places[-1] + 1
        first, end = _unbroken(changes, places[0])
        seen = fingerprint(now)
        if done <= end and seen == own[-1].after:
            return self._traced(changes[first:done], now)
        if done <= end == len(changes) and seen == changes[-1][1].after:
            self._merged.add(name)
            return self._traced(changes[first:], now)
        if seen == own[0].before:
            self._absent.add(name)  # somebody did so by hand, or it is another branch
            return now
        for delta in reversed(own):
            if fingerprint(now) == delta.after:
                now = self._spliced(now or b"", delta)
            elif now is None or NO_FILE in (delta.before, delta.after):
                raise self._in_the_way(delta, changes[-1][0] if done < len(changes) else None)
            else:
                self._merged.add(name)
                now = self._searched(delta, now)
        return now

    def _traced(self, changes: Sequence[tuple[Step, Delta]], now: bytes | None) -> bytes | None:
        """What a file becomes, by what the log says of each of its bytes."""
        trace = Trace(self._number, changes, now or b"", self._fill)
        first = next(delta for step, delta in changes if step.act == self._number)
        if trace.blocked is not None:
            raise self._in_the_way(first, trace.blocked)
        found = trace.taken_back()
        if found and first.before == NO_FILE:
            raise self._in_the_way(first, changes[-1][0])
        return None if first.before == NO_FILE else found

    def _spliced(self, current: bytes, delta: Delta) -> bytes | None:
        return _before(current, delta, self._fill)

    def _searched(self, delta: Delta, current: bytes) -> bytes:
        """Take a change back where the lines around it are; each of its parts has to be found once."""
        around, old = delta.around.data, delta.old.filled(self._fill)
        before, after = around[: delta.lead], around[len(around) - delta.tail :]
        if delta.around.holes or delta.twin or sum(map(len, around.split())) < _TELLING:
            raise self._in_the_way(delta)
        if current.count(around) == 1:
            start = current.index(around)
            return _replaced(current, start, start + len(around), before + old + after)
        was, became = (before + old + after).splitlines(keepends=True), around.splitlines(keepends=True)
        if len(was) + len(became) > _COMPARED:
            raise self._in_the_way(delta)
        found: list[tuple[int, int, bytes]] = []
        for kind, low, high, first, last in SequenceMatcher(None, became, was, autojunk=False).get_opcodes():
            if kind == "equal":
                continue
            lead, middle = b"".join(became[max(low - 3, 0) : low]), b"".join(became[low:high])
            part = lead + middle + b"".join(became[high : high + 3])
            if current.count(part) != 1 or sum(map(len, part.split())) < _TELLING:
                raise self._in_the_way(delta)
            start = current.index(part) + len(lead)
            found.append((start, start + len(middle), b"".join(was[first:last])))
        for start, end, new in reversed(found):
            current = _replaced(current, start, end, new)
        return current

    def _fill(self, hole: Hole) -> bytes:
        """A credential that the log left out, from where it still is."""
        for name in self._now:
            for data in (self._now[name] or b"", *self._others(name)):
                for each in credentials(data, 0, len(data), self._files.log.allow):
                    for start in range(each.start, each.end - hole.length + 1):
                        part = data[start : start + hole.length]
                        if hash_of(part) == hole.hash:
                            return part
        self._lost += 1
        return _redacted(hole)

    def _not_here(self) -> Refused:
        """Said of a step that another branch may have: taking it back here would leave it there for good."""
        older = self._history.standing_before(self._named)
        earlier = f"; {way('undo', str(older))} undoes the one before" if older else ""
        return Refused(
            f"Step {self._named} ({self._history.act(self._named).act}) is not in these files, which are as they were"
            f" before it; check out the branch that has it to undo it there{earlier}."
        )

    def _in_the_way(self, delta: Delta, by: Step | None = None) -> Stale:
        what = f"Step {self._named} cannot be {self._verb.removesuffix('o')}one"
        shown = f"{way(f'{self._verb} --dry-run', str(self._named), '--diff')} shows what that would change"
        if by is not None:
            other = self._history.root(by)
            return Stale(
                f"{what}: step {other.act} ({other.title}) changed the same lines of {quote(delta.name)} since; undo"
                f" that first, or change the file by hand ({shown})."
            )
        return Stale(
            f"{what}: {quote(delta.name)} was changed by hand since, in the same lines; the file keeps your version,"
            f" and {shown}."
        )


def _redacted(hole: Hole) -> bytes:
    return f"[redacted: {hole.kind}]".encode()


def _unbroken(changes: Sequence[tuple[Step, Delta]], place: int) -> tuple[int, int]:
    """From where and how far changes of a file follow on each other around one, with nothing by hand in between."""
    first, end = place, place + 1
    while first and changes[first - 1][1].after == changes[first][1].before:
        first -= 1
    while end < len(changes) and changes[end - 1][1].after == changes[end][1].before:
        end += 1
    return first, end


def _replaced(text: bytes, start: int, end: int, new: bytes) -> bytes:
    """Other bytes in a place of a text; a line that a person wrote behind it does not join the one before."""
    head, gone, tail = text[:start] + new, text[start:end], text[end:]
    if gone.endswith(b"\n") and head and tail and not head.endswith(b"\n") and not tail.startswith((b"\n", b"\r")):
        head += b"\r\n" if gone.endswith(b"\r\n") else b"\n"
    return head + tail
