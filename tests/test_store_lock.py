"""One writer at a time, among processes and threads; readers never wait."""

import errno
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

import forks
from memdown.errors import Locked, MemdownError, Refused
from memdown.store import Files, locks
from memdown.store.state import make_state_folder, way_on

HOLD = """
import sys
from pathlib import Path
from memdown.store import Files, locks
files = Files(Path(sys.argv[1]))
with files.lock():
    print("held", flush=True)
    sys.stdin.readline()
print("free", flush=True)
"""

COUNT = """
import sys
from pathlib import Path
from memdown.store import Files, locks
files = Files(Path(sys.argv[1]), lock_timeout=240)
print("ready", flush=True)
sys.stdin.readline()
for _ in range(int(sys.argv[2])):
    with files.lock():
        text = files.read("n.md")
        files.save("n.md", str(int(text) + 1), over=text)
"""


def start(code: str, *args: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *map(str, args)]
    return forks.Forked(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@contextmanager
def holder(root: Path) -> Iterator[subprocess.Popen[str]]:
    with start(HOLD, root) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_the_folder_of_state_is_no_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".memdown").symlink_to("elsewhere")
    with pytest.raises(Refused, match="symbolic link; remove it"):
        make_state_folder(str(tmp_path))
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_two_writers_exclude_each_other_and_the_message_names_the_holder(tmp_path: Path) -> None:
    files = Files(tmp_path, lock_timeout=0.2)
    files.save("a.md", "one", over=None)
    with holder(tmp_path) as process:
        begun = time.monotonic()
        with pytest.raises(Locked, match=rf"process {process.pid} on \S+ since 20\d\d-.*0\.2 s") as caught:
            files.save("a.md", "two", over="one")
        assert time.monotonic() - begun >= 0.2
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 300
        assert files.read("a.md") == "one"
        assert list(files.walk("")) == ["a.md"]
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "free\n"
        files.save("a.md", "two", over="one")


def test_a_writer_waits_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits = threading.Event()

    def pause(seconds: float) -> None:
        waits.set()
        threading.Event().wait(seconds)

    monkeypatch.setattr("memdown.store.locks.time.sleep", pause)
    files = Files(tmp_path, lock_timeout=240)
    writer = threading.Thread(target=lambda: files.save("a.md", "one", over=None))
    with holder(tmp_path) as process:
        writer.start()
        assert waits.wait(240)
        assert not files.exists("a.md")
        process.kill()
        writer.join()
        assert files.read("a.md") == "one"


class Clock:
    """Time that passes only while somebody waits for the lock."""

    strftime = staticmethod(time.strftime)

    def __init__(self, *turns: tuple[float, Callable[[], object]]) -> None:
        self.now = 0.0
        self._turns = list(turns)

    def monotonic(self) -> float:
        return self.now

    def gmtime(self) -> time.struct_time:
        return time.gmtime(self.now)

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        while self._turns and self.now >= self._turns[0][0]:
            self._turns.pop(0)[1]()


def turns(root: Path, holder: ExitStack, *moments: float) -> list[tuple[float, Callable[[], object]]]:
    """Who holds the lock leaves it to another at these moments."""

    def change() -> None:
        holder.close()
        holder.enter_context(Files(root).lock())

    return [(each, change) for each in moments]


def test_a_queue_that_moves_is_waited_for_and_a_holder_that_hangs_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as other:
        clock = Clock(*turns(tmp_path, other, 8, 16, 24), (30, other.close))
        monkeypatch.setattr(locks, "time", clock)
        other.enter_context(Files(tmp_path).lock())
        Files(tmp_path, lock_timeout=10).save("a.md", "one", over=None)
        assert clock.now >= 30
        other.enter_context(Files(tmp_path).lock())
        begun = clock.now
        with pytest.raises(Locked, match="10 s"):
            Files(tmp_path, lock_timeout=10).save("a.md", "two", over="one")
        assert 10 <= clock.now - begun < 11


def test_a_queue_without_end_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ExitStack() as other:
        clock = Clock(*turns(tmp_path, other, *range(5, 1000, 5)))
        monkeypatch.setattr(locks, "time", clock)
        other.enter_context(Files(tmp_path).lock())
        with pytest.raises(Locked):
            Files(tmp_path, lock_timeout=10).save("a.md", "one", over=None)
        assert 200 <= clock.now < 201


def test_a_killed_holder_frees_the_lock(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        process.kill()
        process.wait()
        Files(tmp_path, lock_timeout=0).save("a.md", "one", over=None)


def test_no_increment_is_lost_among_processes(tmp_path: Path) -> None:
    Files(tmp_path).save("n.md", "0", over=None)
    processes = [start(COUNT, tmp_path, 25) for _ in range(8)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=280)
        assert process.returncode == 0
    assert Files(tmp_path).read("n.md") == "200"
    assert sorted(path.name for path in tmp_path.iterdir()) == [".memdown", "n.md"]


@pytest.mark.parametrize("shared", [True, False])
def test_no_increment_is_lost_among_threads(tmp_path: Path, shared: bool) -> None:
    one = Files(tmp_path, lock_timeout=240)
    begin = threading.Barrier(8)
    one.save("n.md", "0", over=None)

    def count() -> None:
        files = one if shared else Files(tmp_path, lock_timeout=240)
        begin.wait()
        for _ in range(5):
            with files.lock(), files.lock():
                text = files.read("n.md")
                files.save("n.md", str(int(text) + 1), over=text)

    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert one.read("n.md") == "40"


def test_a_thread_that_waits_too_long_is_told(tmp_path: Path) -> None:
    files = Files(tmp_path, lock_timeout=0.1)
    told: list[str] = []

    def write() -> None:
        try:
            files.save("a.md", "x", over=None)
        except Locked as error:
            told.append(str(error))

    with files.lock():
        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
    assert len(told) == 1
    assert "another thread" in told[0]
    write()
    assert files.read("a.md") == "x"


def test_an_error_under_the_lock_frees_it(tmp_path: Path) -> None:
    files = Files(tmp_path)
    with pytest.raises(ZeroDivisionError), files.lock(), files.lock():
        _ = 1 / 0
    Files(tmp_path, lock_timeout=0).save("a.md", "one", over=None)


def test_the_lock_survives_the_removal_of_its_folder(tmp_path: Path) -> None:
    files = Files(tmp_path)
    files.save("a.md", "one", over=None)
    shutil.rmtree(tmp_path / ".memdown")
    files.save("a.md", "two", over="one")
    assert (tmp_path / ".memdown/.gitignore").read_text() == "*\n"


def test_a_lock_on_a_file_that_was_deleted_meanwhile_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, plain = tmp_path / ".memdown/lock", locks._try_lock
    deleted: list[int] = []

    def try_lock(file: int) -> bool:
        got = plain(file)
        if not deleted:
            path.unlink()
            deleted.append(file)
        return got

    monkeypatch.setattr(locks, "_try_lock", try_lock)
    with locks.RootLock(tmp_path, 1.0).held():
        with pytest.raises(Locked), locks.RootLock(tmp_path, 0.01).held():
            pass
        assert deleted


FORK = """
import os, sys, time
from pathlib import Path
from memdown.errors import Locked
from memdown.store import Files, locks
files = Files(Path(sys.argv[1]), lock_timeout=0.1)
def in_child(act):
    pid = os.fork()
    if not pid:
        try:
            act()
        except Locked as error:
            os._exit(1 if f"process {os.getppid()} " in str(error) else 2)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
def save():
    files.save("a.md", "x", over=None)
with files.lock():
    print(in_child(save))
with files.lock():
    child = os.fork()
    if child:
        # The child leaves the block: that must not free the lock of its parent.
        os.waitpid(child, 0)
        print(in_child(save))
if not child:
    os._exit(0)
print(in_child(save))
with files.lock():
    sleeper = os.fork()
    if not sleeper:
        time.sleep(300)
        os._exit(0)
files.save("b.md", "x", over=None)
os.kill(sleeper, 9)
print("done")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_neither_holds_nor_frees_the_lock_of_its_parent(tmp_path: Path) -> None:
    with start(FORK, tmp_path) as process:
        said, _ = process.communicate(timeout=240)
    assert said.split() == ["1", "1", "0", "done"]


def test_the_folder_of_state_is_made_by_whoever_comes_first(tmp_path: Path) -> None:
    for number in range(30):
        root, barrier, failed = tmp_path / str(number), threading.Barrier(8), list[Exception]()
        root.mkdir()

        def make(root: Path = root, barrier: threading.Barrier = barrier, failed: list[Exception] = failed) -> None:
            barrier.wait()
            try:
                make_state_folder(str(root))
            except MemdownError as error:
                failed.append(error)

        threads = [threading.Thread(target=make) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failed == []


@pytest.mark.parametrize(
    ("number", "way"), [(errno.ENOSPC, "free some space"), (errno.EACCES, "check its permissions")]
)
def test_what_to_do_is_what_helps(number: int, way: str) -> None:
    assert way_on(OSError(number, "")) == way


def test_a_folder_in_the_place_of_the_lock_is_named(tmp_path: Path) -> None:
    lock = Path(make_state_folder(str(tmp_path)), "lock")
    lock.mkdir()
    with pytest.raises(Refused, match="cannot write to") as caught:
        Files(tmp_path).save("a.md", "one", over=None)
    assert str(caught.value).isprintable()
