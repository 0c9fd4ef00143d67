"""Taking back what was done: any act in the log of changes, and the taking back itself.

An act is all that one command did. It is taken back where its bytes are: at their place when only steps of the log
changed the file since, else where the lines around them say. What is in the way is named, and then nothing is written.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from difflib import SequenceMatcher

from msgspec import Struct

from memdown.errors import NotFound, Refused, Stale, quote
from memdown.store.files import Files
from memdown.store.steps import NO_FILE, Delta, Hole, Step, credentials, fingerprint, hash_of
from memdown.text import decode

Sources = Callable[[str], Iterable[bytes]]
"""Older versions of a file that somebody else keeps, as git does."""

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


class TakenBack(Struct, frozen=True):
    """An act that was taken back, or brought back."""

    act: Act
    files: list[RestoredFile]
    lost: int = 0
    """Credentials that are nowhere any more, and stay out."""


def acts(files: Files) -> list[Act]:
    """Every act in the log but for the taking back, the newest first."""
    found = _ActLog(files)
    return [found.act(number) for number in found.ordinary()]


def take_back(
    files: Files, number: int | None = None, *, write: bool = True, others: Sources = lambda _: ()
) -> TakenBack:
    """Make the files what they were before an act, the last one if none is named."""
    with files.lock(when=write):
        history = _ActLog(files)
        if number is None:
            standing = [each for each in history.ordinary() if each not in history.undone]
            if not standing:
                raise NotFound("There is nothing to undo here; `memdown undo --list` shows what memdown did.")
            number = standing[0]
        elif number not in history.steps or history.steps[number][0].undoes:
            raise NotFound(f"There is no step {number} to undo; `memdown undo --list` shows them.")
        elif number in history.undone:
            raise Refused(f"Step {number} is undone already; `memdown redo {number}` brings it back.")
        for step in history.steps[number]:
            if step.outside:
                raise Refused(
                    f"Step {number} ({step.title}) cannot be undone: {step.outside}. `memdown undo --list` shows the"
                    " steps before it, which can be undone by their number."
                )
        return _Reversal(files, history, number, others).run(number, "undo", write=write)


def bring_back(
    files: Files, number: int | None = None, *, write: bool = True, others: Sources = lambda _: ()
) -> TakenBack:
    """Make again what was taken back: an act by its number, else the last, unless something was done since."""
    with files.lock(when=write):
        history = _ActLog(files)
        if number is None:
            standing = next((each for each in history.ordinary() if each not in history.undone), 0)
            undone = {by: each for each, by in history.undone.items() if each in history.ordinary()}
            last = max(undone, default=0)
            if last < standing or not last:
                raise NotFound("There is nothing to redo: nothing was undone since the last change.")
            number = undone[last]
        elif number not in history.undone:
            raise NotFound(f"There is no step {number} that was undone; `memdown undo --list` shows them.")
        return _Reversal(files, history, history.undone[number], others).run(number, "redo", write=write)


def changes_of(files: Files, number: int) -> list[ChangedPart]:
    """What an act put in the place of what."""
    found = []
    for step in reversed(_ActLog(files).steps.get(number, ())):
        for delta in step.deltas:
            around = delta.around.filled(_redacted)
            lead, tail = around[: delta.lead], around[len(around) - delta.tail :]
            old = lead + delta.old.filled(_redacted) + tail
            found.append(ChangedPart(delta.name, decode(old), decode(around)))
    return found


def left_so(files: Files, name: str, text: bytes) -> bool:
    """Whether the last step that changed a file left it with this text."""
    for step in files.log.read():
        for each in step.deltas:
            if each.name == name:
                return each.after == fingerprint(text)
    return False


class _ActLog:
    """The log as acts."""

    def __init__(self, files: Files) -> None:
        self.log = list(files.log.read())
        """The newest first."""
        self.steps: dict[int, list[Step]] = {}
        for step in self.log:
            self.steps.setdefault(step.act, []).append(step)
        self.undone: dict[int, int] = {}
        """What was taken back, and by which act."""
        for number in sorted(self.steps, reverse=True):
            undoes = self.steps[number][0].undoes
            if undoes and number not in self.undone:
                self.undone[undoes] = number

    def ordinary(self) -> list[int]:
        """Acts that take nothing back, the newest first."""
        return [number for number in sorted(self.steps, reverse=True) if not self.steps[number][0].undoes]

    def act(self, number: int) -> Act:
        steps = self.steps[number]
        names = dict.fromkeys(delta.name for step in reversed(steps) for delta in step.deltas)
        first = steps[-1]
        forced = "; ".join(dict.fromkeys(step.forced for step in steps if step.forced))
        return Act(number, first.by, first.title, first.at, list(names), number in self.undone, forced)

    def since(self, step: Step, name: str) -> list[tuple[Step, Delta]]:
        """What changed a file after a step, the oldest first; what was done and taken back at once is left out."""
        found: list[tuple[Step, Delta]] = []
        for later in reversed(self.log):
            for delta in later.deltas if later.number > step.number else ():
                if delta.name != name:
                    continue
                if found and later.undoes == found[-1][0].act and delta.after == found[-1][1].before:
                    found.pop()
                else:
                    found.append((later, delta))
        return found


class _Reversal:
    """One act, taken back."""

    def __init__(self, files: Files, history: _ActLog, number: int, others: Sources) -> None:
        self._files = files
        self._history = history
        self._number = number
        self._others = others
        self._now: dict[str, bytes | None] = {}
        self._then: dict[str, bytes | None] = {}
        self._merged: set[str] = set()
        self._lost = 0

    def run(self, named: int, verb: str, *, write: bool) -> TakenBack:
        self._named, self._verb = named, verb
        steps = self._history.steps[self._number]
        for step in steps:
            for delta in reversed(step.deltas):
                self._reverse(step, delta)
        act = self._history.act(named)
        changed = [name for name in act.files if self._now[name] != self._then[name]]
        if write:
            self._write(steps, changed)
        files = [RestoredFile(name, self._now[name], self._then[name], name in self._merged) for name in changed]
        return TakenBack(act, files, self._lost)

    def _write(self, steps: Sequence[Step], changed: Sequence[str]) -> None:
        with self._files.group(undoes=self._number) as group:
            for name in changed:
                now, then = self._now[name], self._then[name]
                over = None if now is None else decode(now)
                if then is not None:
                    group.save(name, decode(then), over=over)
                elif over is not None:
                    group.delete(name, over=over)
        for step in steps:
            for delta in step.deltas:
                if delta.after == NO_FILE and delta.mode:
                    self._files.path(delta.name).chmod(delta.mode)
                self._leave(delta.name, step.folders)

    def _leave(self, name: str, made: Sequence[str]) -> None:
        """Remove the folders of a file that a step made, unless somebody else has something in them by now."""
        folder, path = name, self._files.path(name)
        with suppress(OSError):
            while (folder := folder.rpartition("/")[0]) in made:
                path = path.parent
                path.rmdir()

    def _reverse(self, step: Step, delta: Delta) -> None:
        name = delta.name
        if name not in self._now:
            self._now[name] = self._then[name] = self._files.data(name)
        current = self._then[name]
        if fingerprint(current) == delta.before != delta.after:
            return  # somebody did so by hand
        if fingerprint(current) == delta.after:
            self._then[name] = self._spliced(current or b"", delta, delta.start)
            return
        later = self._history.since(step, name)
        if current is None or NO_FILE in (delta.before, delta.after):
            raise self._in_the_way(delta, [each for each, _ in later[-1:]])
        if later and later[-1][1].after == fingerprint(current):
            self._then[name] = self._spliced(current, delta, self._moved(delta, later))
        else:
            self._then[name] = self._searched(delta, current)
        self._merged.add(name)

    def _spliced(self, current: bytes, delta: Delta, start: int) -> bytes | None:
        if delta.before == NO_FILE:
            return None
        return current[:start] + delta.old.filled(self._fill) + current[start + delta.added :]

    def _moved(self, delta: Delta, later: Sequence[tuple[Step, Delta]]) -> int:
        """Where the bytes of a change are after further ones."""
        start, end = delta.start, delta.start + delta.added
        for other, change in later:
            grown = change.added - change.old.length
            if change.start + change.old.length <= start and NO_FILE not in (change.before, change.after):
                start, end = start + grown, end + grown
            elif change.start < end or NO_FILE in (change.before, change.after):
                raise self._in_the_way(delta, [other])
        return start

    def _searched(self, delta: Delta, current: bytes) -> bytes:
        """Take a change back where the lines around it are; each of its parts has to be found once."""
        around, old = delta.around.data, delta.old.filled(self._fill)
        before, after = around[: delta.lead], around[len(around) - delta.tail :]
        if delta.around.holes or not around:
            raise self._in_the_way(delta, [])
        if current.count(around) == 1:
            return current.replace(around, before + old + after)
        was, became = (before + old + after).splitlines(keepends=True), around.splitlines(keepends=True)
        if len(was) + len(became) > _COMPARED:
            raise self._in_the_way(delta, [])
        found: list[tuple[int, int, bytes]] = []
        for kind, low, high, first, last in SequenceMatcher(None, became, was, autojunk=False).get_opcodes():
            if kind == "equal":
                continue
            lead, middle = b"".join(became[max(low - 3, 0) : low]), b"".join(became[low:high])
            part = lead + middle + b"".join(became[high : high + 3])
            if current.count(part) != 1:
                raise self._in_the_way(delta, [])
            start = current.index(part) + len(lead)
            found.append((start, start + len(middle), b"".join(was[first:last])))
        for start, end, new in reversed(found):
            current = current[:start] + new + current[end:]
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

    def _in_the_way(self, delta: Delta, others: Sequence[Step]) -> Stale:
        what = f"Step {self._named} cannot be {self._verb.removesuffix('o')}one"
        shown = f"`memdown {self._verb} {self._named} --dry-run --diff` shows what that would change"
        if others:
            other = others[-1]
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
