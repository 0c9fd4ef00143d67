"""Groups are made whole or not at all, whatever dies in between."""

import ast
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from memdown.errors import Exists, MemdownError, Refused, Stale
from memdown.store import Files, Group, undo
from memdown.store.adding import Adding
from memdown.store.steps import StepLog

BEFORE = {"a.md": "A\r\n", "old.md": "O", "sub": None, "sub/b.md": "B"}
AFTER = {
    **{
        "a.md": "A2",
        "deep": None,
        "deep/er": None,
        "deep/er/c.md": "C",
        "moved": None,
        "moved/new.md": "O",
        "sub": None,
    },
}
STATE = [".gitignore", "lock"]


def change_all(files: Files) -> None:
    with files.group() as group:
        group.save("a.md", "A2", over="A\r\n")
        group.save("deep/er/c.md", "C", over=None)
        group.delete("sub/b.md", over="B")
        group.rename("old.md", "moved/new.md", over="O")


def everything(root: Path) -> dict[str, str | None]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes().decode() if path.is_file() else None
        for path in sorted(root.rglob("*"))
        if ".memdown" not in path.relative_to(root).parts
    }


def state(root: Path) -> list[str]:
    """What is in the folder of state beside the steps of the log."""
    found = [path.relative_to(root / ".memdown").as_posix() for path in (root / ".memdown").rglob("*")]
    return sorted(name for name in found if name != "undo" and not name.endswith(".step"))


def is_logged(root: Path) -> bool:
    """Whether the log has a step; taking it back has to bring back the files of before, and the step again."""
    files = Files(root)
    if not undo.acts(files):
        return False
    made = everything(root)
    undo.take_back(files)
    assert everything(root) == BEFORE, everything(root)
    undo.bring_back(files)
    assert everything(root) == made, everything(root)
    return True


def lay(root: Path, content: dict[str, str | None] = BEFORE) -> None:
    for name, text in content.items():
        if text is not None:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(text.encode())


@pytest.fixture
def files(tmp_path: Path) -> Files:
    lay(tmp_path)
    return Files(tmp_path)


def test_all_changes_are_made(files: Files) -> None:
    (files.root / "old.md").chmod(0o600)
    change_all(files)
    assert everything(files.root) == AFTER
    assert state(files.root) == STATE
    if os.name != "nt":
        assert (files.root / "moved/new.md").stat().st_mode & 0o777 == 0o600


def test_an_error_in_the_block_makes_none(files: Files) -> None:
    def fail() -> None:
        with files.group() as group:
            group.save("a.md", "A2", over="A\r\n")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert everything(files.root) == BEFORE
    assert not (files.root / ".memdown").exists()


BAD_WISHES: list[tuple[type[MemdownError], Callable[[Group], None]]] = [
    (Stale, lambda group: group.save("sub/b.md", "x", over="other")),
    (Stale, lambda group: group.save("gone.md", "x", over="other")),
    (Stale, lambda group: group.delete("sub/b.md", over="other")),
    (Stale, lambda group: group.rename("sub/b.md", "x.md", over="other")),
    (Exists, lambda group: group.save("sub/b.md", "x", over=None)),
    (Exists, lambda group: group.rename("sub/b.md", "old.md", over="B")),
    (Refused, lambda group: group.save("SUB/x.md", "x", over=None)),
    (Refused, lambda group: group.rename("old.md", "OLD.md", over="O")),
    (Refused, lambda group: group.save("../x.md", "x", over=None)),
    (Refused, lambda group: group.save("old.md/x.md", "x", over=None)),
    (Stale, lambda group: group.save("a.md", "x", over="A\r\n")),
    (Exists, lambda group: group.save("new.md", "x", over=None)),
]


@pytest.mark.parametrize("number", range(len(BAD_WISHES)))
def test_one_impossible_wish_makes_none(files: Files, number: int) -> None:
    expected, wish = BAD_WISHES[number]

    def attempt() -> None:
        with files.group() as group:
            group.save("a.md", "A2", over="A\r\n")
            group.save("new.md", "N", over=None)
            wish(group)

    with pytest.raises(expected):
        attempt()
    assert everything(files.root) == BEFORE


def test_wishes_build_on_each_other(files: Files) -> None:
    with files.group() as group:
        group.save("a.md", "1", over="A\r\n")
        group.save("a.md", "2", over="1")
        group.save("new.md", "n", over=None)
        group.rename("new.md", "newer.md", over="n")
        group.rename("newer.md", "newest.md", over="n")
        group.save("passing.md", "p", over=None)
        group.delete("passing.md", over="p")
        group.delete("old.md", over="O")
        group.save("old.md", "O2", over=None)
    assert everything(files.root) == {**BEFORE, "a.md": "2", "newest.md": "n", "old.md": "O2"}


def test_two_names_of_one_file_are_refused(files: Files) -> None:
    (files.root / "link.md").symlink_to("a.md")

    def attempt() -> None:
        with files.group() as group:
            group.save("a.md", "1", over="A\r\n")
            group.save("link.md", "2", over="A\r\n")

    with pytest.raises(Refused, match="are one file"):
        attempt()
    with files.group() as group:
        group.delete("link.md", over="A\r\n")
        group.delete("old.md", over="O")
    assert everything(files.root) == {name: text for name, text in BEFORE.items() if name != "old.md"}


def test_a_large_group(files: Files) -> None:
    with files.group() as group:
        for number in range(150):
            group.save(f"many/{number}.md", str(number), over=None)
    assert len(list(files.walk("many"))) == 150
    assert state(files.root) == STATE


# Ends its own process, as a power cut would, when a text is to be put in its place.
TEMPORARY_LEFT = """
import os, sys
from pathlib import Path
from memdown.store import Files
plain = os.replace
def replace(source, target, **handles):
    if Path(target).name == "a.md":
        os._exit(9)
    plain(source, target, **handles)
os.replace = replace
Files(Path(sys.argv[1])).save("a.md", "A2", over="A\\r\\n")
"""


@pytest.mark.parametrize("is_hook", [False, True])
def test_the_next_writer_removes_the_temporary_file_of_one_that_died(files: Files, is_hook: bool) -> None:
    command = [sys.executable, "-c", TEMPORARY_LEFT, str(files.root)]
    assert subprocess.run(command, timeout=240, check=False).returncode == 9
    assert len(list(files.root.glob(".memdown-*.tmp"))) == 1
    if is_hook:
        with Adding(files.root, StepLog(str(files.root / ".memdown")), "x", lock_timeout=240).lock():
            pass
    else:
        files.recover()
    assert everything(files.root) == BEFORE
    assert state(files.root) == STATE


# What follows runs in a process of its own, which forks one child per attempt. In the child every call that
# changes the disk is counted, and the n-th one ends it as a power cut would, or fails as a full disk would.
CRASH = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_store_groups import BEFORE, change_all, everything, is_logged, lay, state
from memdown.errors import MemdownError
from memdown.store import Files

CALLS = ("open", "write", "fsync", "replace", "rename", "unlink", "mkdir", "rmdir", "ftruncate")
base, how, step = Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])

left = [0]

def arm(number, how, later):
    left[0] = number
    def armed(plain):
        def call(*args, **options):
            if plain is opening and not args[1] & os.O_CREAT:
                return plain(*args, **options)  # nothing changes by that
            left[0] -= 1
            if (left[0] == 0 and how == "die") or (later and left[0] == -later):
                if plain is write:
                    write(args[0], bytes(args[1])[: len(args[1]) // 2])
                os._exit(9)
            if left[0] == 0:
                raise OSError(28, "No space left on device")
            return plain(*args, **options)
        return call
    write, opening = os.write, os.open
    for name in CALLS:
        setattr(os, name, armed(getattr(os, name)))

def child(act, number, how, later=0):
    pid = os.fork()
    if pid == 0:
        arm(number, how, later)
        try:
            act()
        except MemdownError as error:
            os._exit(7 if "did not confirm" in str(error) else 5)
        os._exit(0 if left[0] > 0 else 6)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

def save(files):
    files.save("a.md", "A2", over="A\\r\\n")

act = save if "save" in sys.argv[5:] else change_all

def attempt(number, second):
    root = base / f"{number}-{second}"
    root.mkdir()
    lay(root)
    if how == "die":
        code = child(lambda: act(Files(root)), number, how)
        again = child(lambda: Files(root).recover(), second, "die") if second else 0
    else:
        again = code = child(lambda: act(Files(root)), number, how, second)
    if how == "die" or second:
        told = Files(root).recover()
    else:
        told = []
    found, left = everything(root), state(root) if (root / ".memdown").exists() else None
    logged = is_logged(root) if how == "die" or second or code != 6 else None
    print(number, second, code, again, told, found, left, logged, sep="\\t")
    return code, again

number = 1
while True:
    code, _ = attempt(number, 0)
    if code == 0:
        break
    if step:
        second = 1 + number % step
        while attempt(number, second)[1] == 9:
            second += step
    number += 1
"""


def crash(tmp_path: Path, how: str, step: int, *what: str) -> list[list[str]]:
    command = [sys.executable, "-c", CRASH, str(Path(__file__).parent), str(tmp_path), how, str(step), *what]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
    return [line.split("\t") for line in done.stdout.splitlines()]


def check_whole(attempts: list[list[str]], before: dict[str, str | None], after: dict[str, str | None]) -> None:
    outcomes = set()
    for number, second, code, again, told, found, left, logged in attempts:
        place = f"died at {number}, in recovery at {second}: {found} {left} {logged}"
        assert logged == str(found == str(after)), place
        assert found in (str(before), str(after)), place
        assert code in ("0", "9"), place
        assert again in ("0", "9"), place
        assert told == "[]", place
        assert left == str(STATE), place
        outcomes.add(found)
    assert outcomes == {str(before), str(after)}


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")


@needs_fork
def test_a_crash_at_any_call_leaves_all_or_nothing(tmp_path: Path) -> None:
    attempts = crash(tmp_path, "die", 24)
    assert len(attempts) > 40
    check_whole(attempts, BEFORE, AFTER)


@needs_fork
@pytest.mark.slow
def test_a_crash_at_any_call_of_the_recovery_too(tmp_path: Path) -> None:
    check_whole(crash(tmp_path, "die", 1), BEFORE, AFTER)


@needs_fork
def test_a_crash_at_any_call_of_one_save(tmp_path: Path) -> None:
    check_whole(crash(tmp_path, "die", 2, "save"), BEFORE, {**BEFORE, "a.md": "A2"})


def texts(found: str) -> dict[str, str]:
    """What the files hold; a folder left empty is no harm."""
    return {name: text for name, text in ast.literal_eval(found).items() if text is not None}


def check_crash_after_fault(attempts: list[list[str]]) -> None:
    for number, second, code, _, told, found, left, logged in attempts:
        if second != "0" and code == "9":
            place = f"failed at {number}, died {second} later: {found} {left} {logged}"
            assert logged == str(texts(found) == texts(str(AFTER))), place
            assert texts(found) in (texts(str(BEFORE)), texts(str(AFTER))), place
            assert told == "[]", place
            assert left == str(STATE), place


@needs_fork
def test_a_crash_while_a_failed_group_is_taken_back(tmp_path: Path) -> None:
    check_crash_after_fault(crash(tmp_path, "fail", 24))


@needs_fork
@pytest.mark.slow
def test_a_crash_anywhere_while_a_failed_group_is_taken_back(tmp_path: Path) -> None:
    check_crash_after_fault(crash(tmp_path, "fail", 1))


@needs_fork
@pytest.mark.parametrize("what", ["group", "save"])
def test_a_call_that_fails_makes_none_and_leaves_nothing(tmp_path: Path, what: str) -> None:
    after = AFTER if what == "group" else {**BEFORE, "a.md": "A2"}
    for number, _, code, _, _, found, left, logged in crash(tmp_path, "fail", 0, what):
        place = f"failed at {number}: {code} {found} {left} {logged}"
        assert code == "6" or logged == str(code != "5"), place
        assert code in (("0", "5", "6", "7") if what == "save" else ("0", "5", "6")), place
        assert found == str(BEFORE if code == "5" else after), place
        if code == "6":  # all was made, and something less than that failed: the next writer sweeps
            Files(tmp_path / f"{number}-0").recover()
            left = str(state(tmp_path / f"{number}-0"))
        assert left in (str(STATE), "[]", "['.gitignore']", "None"), place


# Kills its own process, as the system would, when the first text is in its place.
HALF = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_store_groups import change_all
from memdown.store import Files
plain = os.replace
def replace(source, target, **handles):
    plain(source, target, **handles)
    if Path(target).name == sys.argv[3]:
        os._exit(9)
os.replace = replace
change_all(Files(Path(sys.argv[2])))
"""


def half(root: Path, last: str = "a.md") -> None:
    command = [sys.executable, "-c", HALF, str(Path(__file__).parent), str(root), last]
    assert subprocess.run(command, timeout=240, check=False).returncode == 9


def test_the_next_writer_completes_a_group(files: Files) -> None:
    half(files.root)
    assert everything(files.root) == {**BEFORE, "a.md": "A2"}
    files.save("other.md", "x", over=None)
    assert everything(files.root) == {**AFTER, "other.md": "x"}
    assert state(files.root) == STATE
    assert files.recover() == []


def test_what_a_person_wrote_in_between_stays(files: Files) -> None:
    half(files.root)
    (files.root / "a.md").write_text("mine, later")
    (files.root / "sub/b.md").write_text("mine too")
    (files.root / "deep/er").mkdir(parents=True)
    (files.root / "deep/er/c.md").write_text("my own")
    files.save("other.md", "x", over=None)
    told = files.recover()
    assert len(told) == 2
    assert "'deep/er/c.md' was changed before" in told[0]
    assert "'sub/b.md' was changed before" in told[1]
    assert files.recover() == []
    assert everything(files.root) == {
        **{"a.md": "mine, later", "deep": None, "deep/er": None, "deep/er/c.md": "my own", "moved": None},
        **{"moved/new.md": "O", "other.md": "x", "sub": None, "sub/b.md": "mine too"},
    }
    (kept,) = (files.root / ".memdown/recovered").iterdir()
    assert kept.read_text() == "C"
    assert kept.name in told[0]


def test_a_folder_that_became_something_else_does_not_stop_the_rest(files: Files, tmp_path: Path) -> None:
    half(files.root)
    (files.root / "deep").write_text("a file now")
    (files.root / "moved").symlink_to(tmp_path.parent)
    told = files.recover()
    assert len(told) == 2
    assert all("can no longer be written" in sentence and sentence.isprintable() for sentence in told)
    assert sorted(kept.read_text() for kept in (files.root / ".memdown/recovered").iterdir()) == ["C", "O"]
    assert not (tmp_path.parent / "new.md").exists()
    assert not (files.root / "sub/b.md").exists()


def test_a_staged_text_that_is_not_the_one_that_was_decided_is_kept_apart(files: Files) -> None:
    half(files.root)
    (group,) = (files.root / ".memdown").glob("group-*")
    steps = msgspec.json.decode((group / "manifest").read_bytes())
    step = next(each for each in steps if each["staged"] and (group / each["staged"]).exists())
    (group / step["staged"]).write_text("other")
    (told,) = files.recover()
    assert f"{step['name']!r} can no longer be written (what was staged for it is damaged)" in told
    assert "other" not in everything(files.root).values()


@pytest.mark.parametrize("data", [b'[{"name": "\xff"}]', b'[{"a":' * 9000])
def test_a_manifest_that_no_reader_takes_is_damaged(files: Files, data: bytes) -> None:
    half(files.root)
    (group,) = (files.root / ".memdown").glob("group-*")
    (group / "manifest").write_bytes(data)
    (told,) = files.recover()
    assert "damaged" in told


def test_a_damaged_or_foreign_manifest_does_no_harm(files: Files, tmp_path: Path) -> None:
    half(files.root)
    (group,) = (files.root / ".memdown").glob("group-*")
    steps = msgspec.json.decode((group / "manifest").read_bytes())
    (group / "manifest").write_bytes(b"[{]")
    (told,) = files.recover()
    assert "damaged" in told
    assert "'.memdown/recovered/group-" in told
    evil = files.root / ".memdown/group-evil"
    evil.mkdir()
    (evil / "0").write_text("x")
    for step in (
        {**steps[0], "name": "../../evil.md", "staged": "0"},
        {**steps[0], "name": ".git/hooks/x", "staged": "0"},
        {**steps[0], "staged": "../../../a.md"},
        {**steps[0], "name": "old.md", "staged": "0"},
    ):
        evil.mkdir(exist_ok=True)
        (evil / "0").write_text("x")
        (evil / "manifest").write_bytes(msgspec.json.encode([step]))
        files.recover()
        assert not evil.exists()
    assert everything(files.root) == {**BEFORE, "a.md": "A2"}
    assert not (tmp_path.parent / "evil.md").exists()


def test_litter_of_a_dead_writer_is_removed_and_of_others_is_not(files: Files) -> None:
    (files.root / "sub/.memdown-0123456789abcdef.tmp").write_text("half")
    (files.root / "sub/.memdown-notes").write_text("not ours")
    list(files.walk(""))
    files.recover()
    assert sorted(path.name for path in (files.root / "sub").iterdir()) == [".memdown-notes", "b.md"]


LOOP = """
import sys
from pathlib import Path
from memdown.store import Files
files = Files(Path(sys.argv[1]), lock_timeout=240)
print("ready", flush=True)
while True:
    with files.lock():
        a, b = files.read("a.md"), files.read("sub/b.md")
        if a != b:
            print("differ", a, b, flush=True)
        with files.group() as group:
            group.save("a.md", str(int(a) + 1), over=a)
            group.save("sub/b.md", str(int(b) + 1), over=b)
            group.save(f"seen/{int(a) + 1}.md", "x", over=None)
"""


def kill_at_random(root: Path, times: int, at_once: int) -> None:
    lay(root, {"a.md": "0", "sub/b.md": "0"})
    chance = random.Random(times)
    for _ in range(times):
        loops = [
            subprocess.Popen([sys.executable, "-c", LOOP, str(root)], stdout=subprocess.PIPE, text=True)
            for _ in range(at_once)
        ]
        for loop in loops:
            assert loop.stdout is not None
            assert loop.stdout.readline() == "ready\n"
        while (root / "a.md").read_text() == "0":  # until one of them is at work
            time.sleep(0.01)
        for loop in loops:
            time.sleep(chance.random() * 0.1)
            loop.send_signal(signal.SIGKILL if os.name != "nt" else signal.SIGTERM)
        assert [loop.communicate()[0] for loop in loops] == [""] * at_once
        files = Files(root)
        assert files.recover() == []
        assert files.read("a.md") == files.read("sub/b.md")
        assert len(list(files.walk("seen"))) == int(files.read("a.md"))
        assert state(root) == STATE
        assert not list(root.rglob(".memdown-*"))
        done = [int(each.files[-1][5:-3]) for each in undo.acts(files)]
        assert done == [*range(int(files.read("a.md")), 0, -1)][: len(done)]
    assert int(files.read("a.md")) > 0


def test_kill_at_random_times(tmp_path: Path) -> None:
    kill_at_random(tmp_path, 6, 2)


@pytest.mark.slow
def test_kill_at_random_times_for_long(tmp_path: Path) -> None:
    kill_at_random(tmp_path, 120, 3)
