"""One writer per root: an OS lock on `.memdown/lock`, which frees itself when its holder dies.

The first bytes of the lock file say who holds it, for the message of those who wait. What follows is the
temporary file being written, so that the next holder can remove it should this one die.
"""

import errno
import os
import stat
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from memdown.errors import Locked, MemdownError, Refused, on_failure, quote
from memdown.store.disk import Disk
from memdown.store.state import STATE, make_state_folder, reason, way_on

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_HEADER = 256
# Windows locks bytes, and locked bytes cannot be read: lock one far behind what the file says.
_LOCKED_BYTE = 1 << 30
_PATIENCE = 20
"""How many times its timeout a writer waits in all while others come and go before it."""
_BUSY = (errno.EACCES, errno.EAGAIN, errno.EDEADLK, errno.EWOULDBLOCK)


class RootLock:
    """The lock of one root, for one process and its threads; a thread that holds it may take it again.

    The timeout is for one holder: whoever stands in a queue that moves is not turned away because it is long.
    """

    def __init__(self, root: Path, timeout: float) -> None:
        self._root = root
        self._timeout = timeout
        self._reset()

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._threads = threading.RLock()
        self._depth = 0
        self._turns = 0
        self._file = -1

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Hold the lock; the value says whether this call took it, rather than one further out."""
        if self._pid != os.getpid():
            # A fork of the holder: its lock is the parent's, to be neither used nor freed here.
            if self._file >= 0:
                os.close(self._file)
            self._reset()
        pid, threads = self._pid, self._threads
        last = time.monotonic() + self._timeout * _PATIENCE
        turn = self._turns
        while not threads.acquire(timeout=self._timeout):
            if turn == self._turns or time.monotonic() >= last:
                raise Locked(f"another thread of this process is writing in {quote(str(self._root))}; try again")
            turn = self._turns
        try:
            if not self._depth:
                self._file = self._take(last)
                self._turns += 1
            self._depth += 1
            try:
                yield self._depth == 1
            finally:
                if pid == os.getpid():
                    self._leave()
        finally:
            threads.release()

    def note(self, temporary: Path) -> None:
        """Write down the file that a crash from here on would leave behind."""
        line = f"{temporary.relative_to(self._root).as_posix()}\n"
        os.lseek(self._file, _HEADER, os.SEEK_SET)
        os.write(self._file, os.fsencode(line))

    def noted(self) -> list[Path]:
        """The temporary file of a holder that died, if it left one."""
        os.lseek(self._file, _HEADER, os.SEEK_SET)
        name, ended, _ = os.read(self._file, 8192).partition(b"\n")
        return [self._root / os.fsdecode(name)] if ended else []

    def _take(self, last: float) -> int:
        pause = 0.001
        waited_for, deadline = "", 0.0
        while True:
            file = _open_lock(self._root)
            with on_failure(partial(os.close, file)):
                if _try_lock(file) and _is_current(file, self._root):
                    _sign(file)
                    return file
                holder = _holder(file)
            os.close(file)
            if holder != waited_for:  # the one before is done, so this is no hang
                waited_for, deadline = holder, min(time.monotonic() + self._timeout, last)
                self._turns += 1  # for the threads of this process that wait for this one
            left = deadline - time.monotonic()
            if left <= 0:
                raise Locked(
                    f"{quote(str(self._root))} is being written by {holder} and was not free within"
                    f" {self._timeout:g} s; try again, or end that process"
                )
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, 0.05)

    def _leave(self) -> None:
        self._depth -= 1
        if not self._depth:
            file, self._file = self._file, -1
            with suppress(OSError):  # the work is done, and closing frees the lock in any case but one:
                os.ftruncate(file, 0)
                _unlock(file)  # a child process forked meanwhile keeps the file open
            os.close(file)


def holder(root: Path) -> str | None:
    """Who holds the lock of a root just now; None when nobody does. Makes nothing."""
    try:
        file = _opened(root / STATE / "lock", 0)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        if not _try_lock(file):
            return _holder(file)
        _unlock(file)
        return None
    finally:
        os.close(file)


def fault_of(path: Path) -> str:
    """What is wrong with locks where this file is made; empty when they keep others out."""
    one, other = (_opened(path, os.O_CREAT) for _ in range(2))
    try:
        if not _try_lock(one):
            return "cannot lock a new file"
        return "lets two hold one lock" if _try_lock(other) else ""
    except MemdownError as error:
        return f"has no locks ({error})"
    finally:
        os.close(one)
        os.close(other)


def _opened(path: Path, how: int) -> int:
    flags = os.O_RDWR | how | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    return os.open(path, flags | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0), 0o666)


def _open_lock(root: Path) -> int:
    path = Path(make_state_folder(str(root)), "lock")
    try:
        file = Disk(root).open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        place = quote(str(path if os.access(path.parent, os.W_OK) else path.parent))
        raise Refused(f"cannot write to {place}: {reason(error)}; {way_on(error)}") from error
    with on_failure(partial(os.close, file)):
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise Refused(f"{quote(str(path))} is not an ordinary file; remove it, memdown recreates it")
    return file


def _try_lock(file: int) -> bool:
    try:
        if sys.platform == "win32":
            os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _BUSY:
            return False
        raise MemdownError(
            f"this file system cannot lock files ({reason(error)}); keep the root on one that can"
        ) from error
    return True


def _unlock(file: int) -> None:
    if sys.platform == "win32":
        os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)
    else:
        fcntl.flock(file, fcntl.LOCK_UN)


def _is_current(file: int, root: Path) -> bool:
    """Whether the file locked is the one others would open: it may have been deleted while we waited."""
    try:
        return os.path.samestat(os.fstat(file), (root / STATE / "lock").stat())
    except FileNotFoundError:
        return False


def _sign(file: int) -> None:
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    holder = f"process {os.getpid()} on {_host()} since {since}".encode(errors="replace")[: _HEADER - 1]
    os.lseek(file, 0, os.SEEK_SET)
    with suppress(OSError):  # a courtesy; on a full disk it must not be what fails
        # Padded, so that the note of a dead holder behind it is neither moved nor cut.
        os.write(file, holder.ljust(_HEADER - 1) + b"\n")


def _holder(file: int) -> str:
    os.lseek(file, 0, os.SEEK_SET)
    holder = os.read(file, _HEADER).decode(errors="replace").strip()
    return "".join(char for char in holder if char.isprintable()) or "another process"


def _host() -> str:
    if sys.platform == "win32":
        return os.environ.get("COMPUTERNAME", "this computer")
    return os.uname().nodename
