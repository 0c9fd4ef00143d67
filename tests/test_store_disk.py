"""What lies between a check and the disk: links that are swapped in, and what a power cut would take."""

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memdown.errors import MemdownError
from memdown.store import Files, handles, undo
from memdown.store.disk import TEMPORARY, Disk
from memdown.store.jail import Jail
from memdown.store.wal import Wal, WalStep

linux = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks where a descriptor leads")
needs_handles = pytest.mark.skipif(not handles.HANDLES, reason="the system opens nothing relative to a folder")


def change_all(files: Files) -> None:
    with files.group() as group:
        group.save("notes/a.md", "two", over="one")
        group.save("notes/new/b.md", "new", over=None)
        group.delete("notes/c.md", over="three")


ACTS: dict[str, Callable[[Files], object]] = {
    "read": lambda files: files.read("notes/a.md"),
    "exists": lambda files: files.exists("notes/only-outside.md"),
    "walk": lambda files: list(files.walk("notes")),
    "save": lambda files: files.save("notes/a.md", "two", over="one"),
    "new": lambda files: files.save("notes/b.md", "new", over=None),
    "new folder": lambda files: files.save("notes/deep/er/b.md", "new", over=None),
    "delete": lambda files: files.delete("notes/a.md", over="one"),
    "rename": lambda files: files.rename("notes/a.md", "notes/z.md", over="one"),
    "rename away": lambda files: files.rename("x.md", "notes/x.md", over="x"),
    "group": change_all,
    "undo": undo.take_back,
}


def laid(base: Path) -> Files:
    shutil.rmtree(base, ignore_errors=True)
    root, outside = base / "root", base / "outside"
    for folder, text in ((root / "notes", "one"), (outside, "one")):
        folder.mkdir(parents=True)
        (folder / "a.md").write_text(text)
        (folder / "c.md").write_text("three")
    (root / "x.md").write_text("x")
    (outside / "only-outside.md").write_text("SECRET")
    files = Files(root)
    files.save("notes/c.md", "three ", over="three")
    files.save("notes/c.md", "three", over="three ")
    return files


def everything(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        path.relative_to(folder).as_posix(): (
            path.stat().st_mode,
            path.stat().st_ino,
            b"" if path.is_dir() else path.read_bytes(),
        )
        for path in folder.rglob("*")
    }


def swapped_at_every_check(
    monkeypatch: pytest.MonkeyPatch, base: Path, act: Callable[[Files], object]
) -> Iterator[str]:
    """Do something again and again, and each time a link takes the place of its folder after another check."""
    plain = Jail._follow
    number = 1
    while True:
        files = laid(base)
        outside = everything(base / "outside")
        left = number

        def follow(jail: Jail, name: str, parts: list[str], root: Path = files.root) -> Path:
            nonlocal left
            path = plain(jail, name, parts)
            left -= 1
            if not left:
                (root / "notes").rename(root / "aside")
                (root / "notes").symlink_to(base / "outside")
            return path

        monkeypatch.setattr(Jail, "_follow", follow)
        try:
            answer: object = act(files)
        except MemdownError as error:
            answer = error
        monkeypatch.setattr(Jail, "_follow", plain)
        if left > 0:
            return
        if everything(base / "outside") != outside:
            yield f"{number}: written outside"
        if (isinstance(answer, (str, list)) and "outside" in str(answer)) or answer is True:
            yield f"{number}: {answer}"
        number += 1


@needs_handles
@pytest.mark.parametrize("what", ACTS)
def test_a_link_swapped_in_after_a_check_leads_nowhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, what: str
) -> None:
    assert list(swapped_at_every_check(monkeypatch, tmp_path / "base", ACTS[what])) == []


@needs_handles
def test_without_handles_the_same_links_lead_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """So the test above can fail, and the plain way of other systems works."""
    monkeypatch.setattr(handles, "HANDLES", False)
    monkeypatch.setattr("memdown.store.disk.HANDLES", False)
    escapes = {what for what, act in ACTS.items() if [*swapped_at_every_check(monkeypatch, tmp_path / "base", act)]}
    assert escapes >= {"walk", "save", "new", "delete", "group"}
    files = laid(tmp_path / "base")
    change_all(files)
    assert sorted(files.walk("")) == ["notes/a.md", "notes/new/b.md", "x.md"]


@needs_handles
@pytest.mark.parametrize("name", ["root-more/x.md", "outside/x.md", "root/../outside/x.md"])
def test_a_path_that_is_not_below_the_root_is_refused(tmp_path: Path, name: str) -> None:
    for folder in ("root", "root-more", "outside"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.md").write_text(folder)
    with pytest.raises(OSError, match="is not below"):
        Disk(tmp_path / "root").read(str(tmp_path / name))


@needs_handles
def test_a_link_at_the_end_is_not_opened(tmp_path: Path) -> None:
    (tmp_path / "real.md").write_text("x")
    (tmp_path / "link.md").symlink_to("real.md")
    disk = Disk(tmp_path)
    for act in (
        lambda: disk.read(tmp_path / "link.md", seen=True),
        lambda: disk.open(tmp_path / "link.md", os.O_WRONLY | os.O_CREAT),
        lambda: disk.chmod(tmp_path / "link.md", 0o600),
    ):
        with pytest.raises(OSError, match=r"ymbolic link"):
            act()


# What a power cut takes


class PowerCut:
    """A disk that keeps what was synced: contents of files, and of folders the names in them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
        self._root = root
        self.unsynced: set[str] = set()
        """Files whose content, and folders whose names, a power cut would take."""
        self.seen: list[tuple[str, str, frozenset[str]]] = []
        """Each change: what, which name, and what was unsynced before it."""
        for name in ("open", "write", "fsync", "replace", "rename", "unlink", "mkdir", "rmdir"):
            monkeypatch.setattr(os, name, self._watched(name, getattr(os, name)))

    def _watched(self, name: str, plain: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            if name in ("write", "fsync"):
                path = self._of(args[0])
                self.unsynced.add(path) if name == "write" else self.unsynced.discard(path)
                return plain(*args, **options)
            if name == "open" and not args[1] & os.O_CREAT:
                return plain(*args, **options)
            places = [self._place(args[0], options.get("dir_fd", options.get("src_dir_fd")))]
            if name in ("replace", "rename"):
                places.append(self._place(args[1], options.get("dst_dir_fd")))
            new = name != "open" or not Path(self._root, places[0]).exists()
            self.seen.append((name, places[-1], frozenset(self.unsynced)))
            done = plain(*args, **options)
            if new:
                self.unsynced.update(str(Path(place).parent) for place in places)
            if name in ("replace", "rename", "unlink", "rmdir") and places[0] in self.unsynced:
                self.unsynced.discard(places[0])
                if len(places) > 1:
                    self.unsynced.add(places[1])
            return done

        return call

    def _of(self, descriptor: int) -> str:
        return os.path.relpath(Path(f"/proc/self/fd/{descriptor}").readlink(), self._root)

    def _place(self, name: object, handle: int | None) -> str:
        above = self._root if handle is None else Path(f"/proc/self/fd/{handle}").readlink()
        return os.path.relpath(above / str(name), self._root)

    def at_risk(self, unsynced: frozenset[str] | set[str] | None = None) -> set[str]:
        """Without the log of changes and the lock, which may be lost."""
        known = self.unsynced if unsynced is None else unsynced
        return {each for each in known if not each.startswith((".memdown/undo", ".memdown/lock"))}


KEPT = {".memdown", ".memdown/.gitignore"}
"""The state folder's own names: those of the lock, and of a group that is over."""


@linux
@pytest.mark.parametrize("what", [name for name in ACTS if name not in ("read", "exists", "walk")])
def test_what_is_said_to_be_done_survives_a_power_cut(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, what: str
) -> None:
    files = laid(tmp_path)
    cut = PowerCut(monkeypatch, files.root)
    ACTS[what](files)
    assert cut.at_risk() <= KEPT
    placed = [each for each in cut.seen if not each[1].startswith(".memdown")]
    for name, place, before in placed:
        if name in ("replace", "rename"):  # what takes its place is on the disk, whatever became of the name
            assert not {
                each
                for each in cut.at_risk(before)
                if each.endswith(".tmp") or ("/group-" in each[:-1] and each.count("/") > 1)
            }, place
    assert placed


@linux
def test_a_group_is_decided_and_ended_in_an_order_that_a_power_cut_cannot_break(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files = laid(tmp_path)
    cut = PowerCut(monkeypatch, files.root)
    change_all(files)
    at = {
        (name, place.rpartition("/")[2] if "/group-" in place else place): cut.at_risk(b) for name, place, b in cut.seen
    }
    group = next(place for name, place, _ in cut.seen if name == "mkdir" and "/group-" in place)
    # The texts and the list are there in full before the list gets its name; only that name may still be lost ...
    assert at["replace", "manifest"] <= {*KEPT, group} - {".memdown"}
    # ... and it is not, nor is the folder's own, before the first file is touched.
    first = next(b for name, place, b in cut.seen if name in ("mkdir", "replace") and place.startswith("notes"))
    assert cut.at_risk(first) <= KEPT - {".memdown"}
    # All files, and the names of their folders, before the list goes; and that before what it staged.
    assert at["unlink", "manifest"] <= {*KEPT, group} - {".memdown"}
    # That is on the disk before what it staged goes: a list without its texts would pass for carried out.
    last = next(b for name, place, b in cut.seen[::-1] if place == group and name == "rmdir")
    assert cut.at_risk(last) <= KEPT


@linux
def test_a_group_is_taken_back_in_an_order_that_a_power_cut_cannot_break(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files = laid(tmp_path)
    before = everything(files.root / "notes").keys()
    cut, plain, calls = PowerCut(monkeypatch, files.root), Wal._carry_out, []

    def carry_out(wal: Wal, folder: Path, step: WalStep) -> bool:
        calls.append(step)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        return plain(wal, folder, step)

    monkeypatch.setattr(Wal, "_carry_out", carry_out)
    with pytest.raises(MemdownError, match="nothing was changed"):
        change_all(files)
    assert everything(files.root / "notes").keys() == before
    assert cut.at_risk() <= {*KEPT, "notes"}  # an empty folder may be back
    decided = [number for number, (_, place, _) in enumerate(cut.seen) if place.endswith("/manifest")]
    names = [cut.seen[number][0] for number in decided]
    assert names == ["replace", "replace", "unlink"]
    group = str(Path(cut.seen[decided[0]][1]).parent)
    assert cut.at_risk(cut.seen[decided[1]][2]) <= {*KEPT, group, "notes", "notes/new"}
    back = next(risk for _, place, risk in cut.seen[decided[1] :] if place.startswith("notes"))
    assert cut.at_risk(back) <= {*KEPT, "notes", "notes/new"}
    assert cut.at_risk(cut.seen[decided[2]][2]) <= {*KEPT, group}


@linux
def test_the_folder_of_state_is_on_the_disk_before_anything_is_decided_in_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files = Files(tmp_path)
    cut = PowerCut(monkeypatch, files.root)
    files.save("a.md", "one", over=None)
    made = next(number for number, (name, place, _) in enumerate(cut.seen) if (name, place) == ("mkdir", ".memdown"))
    assert "." not in cut.seen[made + 1][2]


def test_what_writers_that_died_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    for name in (f"{TEMPORARY}0a1b2c3d4e5f6071.tmp", "a.md", "b.tmp"):
        (tmp_path / name).touch()
    Disk(tmp_path).drop_temporaries(tmp_path / "gone")
    Disk(tmp_path).drop_temporaries(tmp_path)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.md", "b.tmp"]


@needs_handles
def test_only_an_ordinary_file_gets_other_permissions(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    (tmp_path / "file").touch(0o600)
    for name in ("pipe", "folder"):
        (tmp_path / "folder").mkdir(0o700, exist_ok=True)
        before = (tmp_path / name).stat().st_mode
        with pytest.raises(OSError, match="it is"):
            Disk(tmp_path).chmod(tmp_path / name, 0o644)
        assert (tmp_path / name).stat().st_mode == before
    Disk(tmp_path).chmod(tmp_path / "file", 0o640)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640
