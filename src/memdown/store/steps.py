"""The log of changes: each group of writes is a step, kept in `.memdown/undo/` with what taking it back needs.

A step is written before its changes are made, as `pending`, and gets its number after them. Under the lock there is
one writer, so there is one pending step at most, and whoever takes the lock next settles it by looking at the files.
A step has only the bytes that differ, and none of a credential: there it has a hole, with a hash to know it by. It is
not waited for until it is on the disk: a power cut may cost a step, never a file. Light to import, for hooks.
"""

import os
import zlib
from contextlib import suppress

from memdown.errors import Unreadable, on_failure
from memdown.hashes import sha256
from memdown.lazy import LazyModule
from memdown.store.disk import Disk
from memdown.store.state import reason

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from memdown import secrets
else:  # only who writes needs them
    secrets = LazyModule("memdown.secrets")

FOLDER, SUFFIX = "undo", ".step"
_DIGITS = 9
STEPS, SIZE = 200, 64 << 20
NO_FILE = "-"
_PENDING = "pending"
_FIRST_LINE = "memdown undo 1"
_AROUND = 16 << 10
"""Bytes beside a change in which a credential may begin or end."""
_BESIDE = 200
"""Bytes of the lines before and after, which may name a credential or have the rest of it."""
_SEVERAL_LINES = b"-----BEGIN"
"""How the credentials begin that have many lines."""
_CONTEXT = 3
"""Lines before and after a change that tell its place."""
_CONTINUING = frozenset(bytes((byte,)) for byte in range(0x80, 0xC0))
"""Bytes of UTF-8 within a character."""
_SIZED_EVERY = 16
_LARGE = 1 << 18
"""Bytes of a step after which the size of all is looked at at once."""


class Hole:
    """A credential that a step leaves out: its place in the bytes, and how to know it when it is seen."""

    __slots__ = ("hash", "kind", "length", "place")

    def __init__(self, place: int, length: int, hash: str, kind: str) -> None:
        self.place = place
        self.length = length
        self.hash = hash
        self.kind = kind


class Piece:
    """Bytes of a file, but for the holes."""

    __slots__ = ("data", "holes", "length")

    def __init__(self, data: bytes, holes: "Sequence[Hole]" = ()) -> None:
        self.data = data
        self.holes = holes
        self.length = len(data) + sum(hole.length for hole in holes)

    def add(self, hole: Hole) -> None:
        self.holes = [*self.holes, hole]
        self.length += hole.length

    def filled(self, fill: "Callable[[Hole], bytes]") -> bytes:
        """All bytes, with something in each hole."""
        pieces: list[bytes] = []
        done = left_out = 0
        for hole in self.holes:
            pieces += self.data[done : hole.place - left_out], fill(hole)
            done = hole.place - left_out
            left_out += hole.length
        return b"".join([*pieces, self.data[done:]])


class Delta:
    """How one file changed: at a place, old bytes became new ones."""

    __slots__ = ("added", "after", "around", "before", "lead", "mode", "name", "old", "start", "tail", "twin")

    def __init__(self, name: str, before: str, after: str, mode: int) -> None:
        self.name = name
        self.before = before
        """The fingerprint of the file before; `NO_FILE` when there was none."""
        self.after = after
        self.mode = mode
        """The permissions of a file that is deleted."""
        self.start = 0
        self.old = Piece(b"")
        self.added = 0
        """How many bytes are new."""
        self.around = Piece(b"")
        """The new bytes with some before and after them, to find the place again in a file that changed since."""
        self.lead = self.tail = 0
        """How many of these stand before and after the new ones."""
        self.twin = False
        """Whether the file had these bytes elsewhere too, so that they do not tell the place."""


class Step:
    """Changes that were made together."""

    __slots__ = ("about", "act", "at", "by", "deltas", "folders", "forced", "number", "outside", "title", "undoes")

    def __init__(self, by: str, title: str, at: str, act: int = 0, undoes: int = 0, forced: str = "") -> None:
        self.by = by
        """Who: `cli`, `mcp` with the client's name, `hook`, `library`."""
        self.title = title
        self.at = at
        self.act = act
        """The number of the first step of the same command, 0 for its own."""
        self.undoes = undoes
        """The number of the act that it takes back, 0 for none."""
        self.forced = forced
        """What it was allowed to do that is refused otherwise."""
        self.outside = ""
        """What it did beside its files, for whoever can take that back."""
        self.about: list[str] = []
        """The titles of the records that it wrote, changed or took away."""
        self.number = 0
        self.folders: list[str] = []
        """Folders that were made, outermost first."""
        self.deltas: list[Delta] = []


def missing_folders(root: str, name: str) -> list[str]:
    """The folders that a new file needs and that are not there, outermost first."""
    above = name.split("/")[:-1]
    names = ["/".join(above[: depth + 1]) for depth in range(len(above))]
    return [each for each in names if not os.path.lexists(os.path.join(root, each))]


def fingerprint(data: bytes | None) -> str:
    """Says whether a file is as it was. No hash that withstands an attack: nothing is decided by it but that."""
    return NO_FILE if data is None else f"{len(data):x}.{zlib.crc32(data):08x}"


# What differs


def span_of(before: bytes, after: bytes) -> tuple[int, int, int]:
    """Where two texts differ: the common beginning, and the ends of what differs in each."""
    shorter = min(len(before), len(after))
    start = _common(shorter, lambda low, high: before[low:high] == after[low:high])
    one, two = len(before), len(after)
    end = _common(shorter - start, lambda low, high: before[one - high : one - low] == after[two - high : two - low])
    # Whole characters: half of one may be the same in another.
    while start and (_goes_on(before, start) or _goes_on(after, start)):
        start -= 1
    while end and (_goes_on(before, one - end) or _goes_on(after, two - end)):
        end -= 1
    return start, one - end, two - end


def _goes_on(data: bytes, place: int) -> bool:
    return data[place : place + 1] in _CONTINUING


def _common(most: int, same: "Callable[[int, int], bool]") -> int:
    """How far two texts are the same, by comparing halves: the time of comparing them once or twice."""
    low, high = 0, most
    if same(0, most):
        return most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if same(low, middle) else (low, middle)
    return low


def credentials(data: bytes, start: int, end: int, allow: "Collection[str]") -> "list[secrets.Secret]":
    """Credentials of which a part lies in a range of bytes, with their places in all of the data."""
    if start >= end:
        return []
    low, high = max(start - _AROUND, 0), end + _AROUND
    if data.find(_SEVERAL_LINES, low, end) < 0:
        line, high = data.rfind(b"\n", low, start) + 1 or low, data.find(b"\n", end, high) + 1 or high
        high = data.find(b"\n", high, high + _BESIDE) + 1 or high
        if b"|" not in data[line:end]:  # a row of a table means what the head of its column says
            low = data.rfind(b"\n", low, max(line - _BESIDE, low)) + 1 or max(line - _BESIDE, low)
    around = data[low:high]
    text = around.decode("utf-8", "surrogateescape")
    found = secrets.find(text, allow)
    places = found if len(text) == len(around) else _in_bytes(text, found)
    return _within(
        [secrets.Secret(low + each.start, low + each.end, each.kind, each.code) for each in places], start, end
    )


def _within(found: "list[secrets.Secret]", start: int, end: int) -> "list[secrets.Secret]":
    return [each for each in found if each.start < end and each.end > start]


def _in_bytes(text: str, found: "list[secrets.Secret]") -> "Iterator[secrets.Secret]":
    """The same with the places that they have in UTF-8."""
    done = at = 0
    for each in found:
        start = at + _size(text[done : each.start])
        done, at = each.end, start + _size(text[each.start : each.end])
        yield secrets.Secret(start, at, each.kind, each.code)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def delta(
    name: str, before: bytes | None, after: bytes | None, mode: int, allow: "Collection[str]"
) -> "tuple[Delta, list[secrets.Secret]]":
    """How a file changes, and the credentials in what is new."""
    found = Delta(name, fingerprint(before), fingerprint(after), mode)
    old, new = before or b"", after or b""
    start, old_end, new_end = span_of(old, new)
    found.start, found.added = start, new_end - start
    found.old = _piece(old, start, old_end, credentials(old, start, old_end, allow))
    if found.added > _LARGE or NO_FILE in (found.before, found.after):
        return found, credentials(new, start, new_end, allow)
    low, high = _lines_before(new, start), _lines_after(new, new_end)
    there = credentials(new, low, high, allow)
    found.lead, found.tail = start - low, high - new_end
    found.around = _piece(new, low, high, there)
    found.twin = new.find(new[low:high]) != low or new.find(new[low:high], low + 1) > 0
    return found, _within(there, start, new_end)


def _lines_before(data: bytes, place: int) -> int:
    for _ in range(_CONTEXT):
        place = data.rfind(b"\n", max(place - _AROUND, 0), max(place - 1, 0)) + 1
    return place


def _lines_after(data: bytes, place: int) -> int:
    for _ in range(_CONTEXT):
        end = data.find(b"\n", place, place + _AROUND)
        place = end + 1 if end >= 0 else len(data) if len(data) - place <= _AROUND else place
    return place


def _piece(data: bytes, start: int, end: int, found: "list[secrets.Secret]") -> Piece:
    pieces, holes, done = [], [], start
    for secret in found:
        low, high = max(secret.start, start), min(secret.end, end)
        pieces.append(data[done:low])
        holes.append(Hole(low - start, high - low, hash_of(data[low:high]), secret.kind))
        done = high
    return Piece(b"".join([*pieces, data[done:end]]), holes)


def hash_of(secret: bytes) -> str:
    return sha256(secret)


# The files


def _written(step: Step) -> bytes:
    lines = [_FIRST_LINE, f"by {_line(step.by)}", f"at {step.at}", f"does {_line(step.title)}"]
    lines += [f"{key} {value}" for key, value in (("act", step.act), ("undoes", step.undoes)) if value]
    lines += [f"{key} {_line(value)}" for key, value in (("forced", step.forced), ("outside", step.outside)) if value]
    lines += [f"about {_line(title)}" for title in step.about]
    lines += [f"folder {_line(name)}" for name in step.folders]
    for each in step.deltas:
        sizes = f"{each.start} {len(each.old.data)} {each.added} {len(each.around.data)} {each.lead} {each.tail}"
        lines.append(f"file {each.before} {each.after} {each.mode:o} {sizes} {_line(each.name)}")
        lines += ["twin "] if each.twin else []
        for side, piece in (("old", each.old), ("new", each.around)):
            lines += [f"hole {side} {hole.place} {hole.length} {hole.hash} {hole.kind}" for hole in piece.holes]
    packed = zlib.compress(b"".join(each.old.data + each.around.data for each in step.deltas), 1)
    header = "\n".join([*lines, f"bytes {len(packed)}", "", ""])
    return header.encode("utf-8", "surrogateescape") + packed


def _line(text: str) -> str:
    # A client may call itself as it likes; the only halves of characters are bytes of names that are not UTF-8.
    text = "".join(char if not "\ud800" <= char <= "\udfff" or "\udc80" <= char <= "\udcff" else "?" for char in text)
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


def _unlined(text: str) -> str:
    return text.replace("\\\\", "\0").replace("\\n", "\n").replace("\\r", "\r").replace("\0", "\\")


def _read(data: bytes) -> Step | None:
    """A step; None when it is damaged, as one whose writer died."""
    try:
        return _decoded(data)
    except (ValueError, IndexError, zlib.error):
        return None


def _decoded(data: bytes) -> Step:
    header, _, packed = data.partition(b"\n\n")
    first, *lines = header.decode("utf-8", "surrogateescape").split("\n")
    cells = [line.partition(" ")[::2] for line in lines]
    fields = dict(cells)
    if first != _FIRST_LINE or fields.get("bytes") != str(len(packed)):
        raise ValueError("not a step, or not all of it")
    by, at, title, forced = (_unlined(fields.get(key, "")) for key in ("by", "at", "does", "forced"))
    step = Step(by, title, at, int(fields.get("act", 0)), int(fields.get("undoes", 0)), forced)
    step.outside = _unlined(fields.get("outside", ""))
    rest = zlib.decompress(packed)
    for key, value in cells:
        if key == "folder":
            step.folders.append(_unlined(value))
        elif key == "about":
            step.about.append(_unlined(value))
        elif key == "file":
            before, after, mode, start, old, added, around, lead, tail, name = value.split(" ", 9)
            each = Delta(_unlined(name), before, after, int(mode, 8))
            each.start, each.added, each.lead, each.tail = int(start), int(added), int(lead), int(tail)
            end = int(old) + int(around)
            each.old, each.around, rest = Piece(rest[: int(old)]), Piece(rest[int(old) : end]), rest[end:]
            step.deltas.append(each)
        elif key == "twin":
            step.deltas[-1].twin = True
        elif key == "hole":
            side, place, length, hash, kind = value.split(" ", 4)
            each = step.deltas[-1]
            piece = each.old if side == "old" else each.around
            piece.add(Hole(int(place), int(length), hash, kind))
    return step


def _is_made(delta: Delta, now: bytes | None) -> bool:
    """Whether a file has got the change of a writer that died; a person may have edited it since."""
    seen = fingerprint(now)
    if seen in (delta.before, delta.after):
        return seen == delta.after
    return now is not None and (bool(delta.around.holes) or delta.around.data in now)


class StepLog:
    """The steps of one root. Whoever writes holds the lock."""

    def __init__(self, state: str, *, steps: int = STEPS, size: int = SIZE, allow: "Collection[str]" = ()) -> None:
        self._disk = Disk(os.path.dirname(state))
        self._folder = os.path.join(state, FOLDER)
        self._pending = os.path.join(self._folder, _PENDING)
        self._steps = steps
        self._size = size
        self._ends = [1, 0]
        """The numbers of the oldest and the newest step, as far as this log knows."""
        self.allow = allow
        """Values that are no credentials."""

    def begin(self, step: Step) -> None:
        """Write down what is about to be done."""
        if not os.path.isdir(self._folder):
            self._disk.make_folder(self._folder)
        data = _written(step)
        file = self._disk.open(self._pending, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with on_failure(lambda: self._disk.unlink(self._pending)):
            try:
                rest = memoryview(data)
                while rest:
                    rest = rest[os.write(file, rest) :]
            finally:
                os.close(file)
        self._last = len(data)

    def done(self) -> int:
        """What was written down is done: its number."""
        number = self._newest() + 1
        self._disk.replace(self._pending, self._path(number))
        self._ends[1] = number
        with suppress(OSError):  # the next step tries again
            self._prune(sizes=self._last > _LARGE or number % _SIZED_EVERY == 0)
        return number

    def _newest(self) -> int:
        """The number of the newest step. Others may have written some since this log was last looked through."""
        if not os.path.exists(self._path(self._ends[1])):
            names = self._names()
            self._ends = [_number(names[0]), _number(names[-1])] if names else [1, 0]
        while os.path.exists(self._path(self._ends[1] + 1)):
            self._ends[1] += 1
        return self._ends[1]

    def is_pending(self) -> bool:
        """Whether a writer died or failed, and nobody settled its step."""
        return os.path.lexists(self._pending)

    def settle(self, current: "Callable[[str], bytes | None]") -> int:
        """Decide about a step whose writer died or failed: its number if it was done, 0 if there is none."""
        try:
            step = _read(self._disk.read(self._pending))
        except FileNotFoundError:
            return 0
        self._last = 0
        if step is None or not any(_is_made(each, current(each.name)) for each in step.deltas):
            self._disk.unlink(self._pending)
            return 0
        return self.done()

    def read(self) -> "Iterator[Step]":
        """Every step, the newest first; what is damaged, or no file, is none."""
        try:
            names = self._names()
        except OSError as error:
            raise _unreadable(error) from error
        for number in map(_number, reversed(names)):
            step = self._read(number)
            if step is not None:
                step.number = number
                if not 0 < step.act < number:  # none, or one of a log that was deleted meanwhile
                    step.act = number
                yield step

    def _read(self, number: int) -> Step | None:
        try:
            return _read(self._disk.read(self._path(number)))
        except OSError as error:
            if os.path.isfile(self._path(number)):  # else it was pruned meanwhile, or never was a step
                raise _unreadable(error) from error
            return None

    def _path(self, number: int) -> str:
        return os.path.join(self._folder, _name(number))

    def _names(self) -> list[str]:
        """The files of the steps, the oldest first."""
        try:
            names = os.listdir(self._folder)
        except FileNotFoundError:
            return []
        return sorted(name for name in names if name.endswith(SUFFIX) and name[:_DIGITS].isdecimal())

    def _prune(self, *, sizes: bool) -> None:
        """Forget the oldest steps: those above the number and, when their sizes are looked at, the space."""
        oldest, newest = self._ends
        keep, left = max(newest - self._steps + 1, oldest), self._size
        for number in range(newest, keep - 1, -1) if sizes else ():
            with suppress(FileNotFoundError):
                left -= os.path.getsize(self._path(number))
            if left < 0:
                keep = number + 1
                break
        for number in range(oldest, keep):
            with suppress(OSError):  # another process was quicker, or it is none of ours
                self._disk.unlink(self._path(number))
        self._ends[0] = keep


def _unreadable(error: OSError) -> Unreadable:
    return Unreadable(f"the log of changes cannot be read: {reason(error)}; see that `.memdown/{FOLDER}` can be read")


def _name(number: int) -> str:
    return f"{number:0{_DIGITS}}{SUFFIX}"


def _number(name: str) -> int:
    return int(name[:_DIGITS])
