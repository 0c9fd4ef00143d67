"""The proofs of faults and power cuts hold for what is right, and find what is planted."""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memdown.errors import Invalid
from memdown.store.disk import Disk
from memdown.store.files import Files
from memdown.surfaces.cli.common import Invocation
from proofs import acts
from proofs.calls import Call, watch
from proofs.faults import Fault, Row
from proofs.powercut import WAYS, Change, CutRow, DiskModel
from samples import put

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="files are known by their numbers in /proc")
FOCUS = acts.Doing("bank focus", ("bank", "focus", "Another"), "")
ACTIVE = "memory-bank/activeContext.md"


@pytest.fixture(autouse=True)
def surroundings() -> Iterator[None]:
    with acts.surroundings():
        yield


@pytest.fixture
def base(tmp_path: Path) -> Path:
    put(tmp_path, f"base/shop/{ACTIVE}", "# Active Context\n\n## Current Focus\nThe import.\n")
    return tmp_path / "base"


def test_everything_that_writes_has_a_row() -> None:
    assert acts.missing() == []
    assert {doing.name for doing in acts.all_of_them()} >= {"undo", "redo", "hook", "end_session", "layer append"}


def failing(row: Row, kind: str) -> dict[str, list[str]]:
    """What does not hold, by the call at which a fault happens."""
    found = {row.calls[fault.point][1]: list(row.meets(fault)) for fault in row.faults() if fault.kind == kind}
    return {call: wrong for call, wrong in found.items() if wrong}


def write_in_place(_: Disk, path: Path, data: bytes, *__: object) -> None:
    with path.open("wb") as file:
        file.write(data)


def too_late(*_: object, **__: object) -> None:
    raise Invalid("this comes too late")


def test_a_file_that_is_written_in_place_is_torn_by_a_kill(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert failing(Row(base, tmp_path, FOCUS), "kill") == {}
    monkeypatch.setattr(Disk, "write", write_in_place)
    (tmp_path / "planted").mkdir()
    found = failing(Row(base, tmp_path / "planted", FOCUS), "kill")
    assert found[f"write {ACTIVE}"][0] == f"neither before nor after: {ACTIVE}"


def test_what_is_reported_as_failed_and_is_done_is_found(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = Row(base, tmp_path, FOCUS)
    monkeypatch.setattr(Invocation, "answer", too_late)
    monkeypatch.setattr(Invocation, "__exit__", lambda *_: None)
    assert "but memory-bank/activeContext.md" in " ".join(row.meets(Fault("EIO", len(row.calls))))


def test_an_act_that_syncs_no_folder_is_lost_by_a_power_cut(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = CutRow(base, tmp_path, FOCUS)
    last = len(row.changes)
    assert [list(row.after_cut(cut, how, 1)) for cut in (last - 3, last) for how in range(8)] == [[]] * 16
    monkeypatch.setattr(Disk, "sync_folder", lambda *_: None)
    (tmp_path / "planted").mkdir()
    planted = CutRow(base, tmp_path / "planted", FOCUS)
    assert list(planted.after_cut(len(planted.changes), 1, 1)) == [f"reported as done, and lost: {ACTIVE}"]


def test_a_manifest_is_never_on_the_disk_without_its_texts(base: Path, tmp_path: Path) -> None:
    put(base, "shop/memory-bank/decisionLog.md", "# Decision Log\n")
    (base / "shop/.memdown").mkdir()
    both = acts.Doing("update", ("update", "--focus", "Another", "--decision", "One"), "")
    row = CutRow(base, tmp_path, both)
    decided = 1 + [change.other.endswith("/manifest") for change in row.changes].index(True)
    assert [wrong for how in range(40) for wrong in row.after_cut(decided, how, 1)] == []


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC])
def test_an_index_that_the_disk_does_not_take_is_not_called_damaged(base: Path, number: int) -> None:
    assert acts.tried(base, acts.Doing("", ("index",), "")).code == 0
    put(base, f"shop/{ACTIVE}", "# Active Context\n\n## Current Focus\nThe export.\n")

    def refuse(call: Call) -> object:
        if call.name.startswith("sqlite") and call.name != "sqlite open":
            raise OSError(number, os.strerror(number))
        return call.make()

    index = base / "shop/.memdown/index.db"
    kept = index.stat().st_ino
    done = acts.tried(base, acts.Doing("status", ("status",), ""), lambda root: watch(root, refuse))
    assert done.code == 0
    # Where SQLite is linked in, its calls cannot be refused.
    assert "built in memory for this run, as it cannot be saved: d" in done.err or not done.err
    assert "damaged" not in done.err
    assert "malformed" not in done.err
    assert index.stat().st_ino == kept


def built(root: Path, target: Path, *changes: Change) -> list[dict[str, bytes]]:
    """The disks that each of the ways builds."""
    found = []
    for number, way in enumerate(WAYS):
        model = DiskModel(root)
        for change in changes:
            model.make(change)
        place = target / str(number)
        model.build(place, way)
        found.append({path.name: path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()})
    return found


SYNCED: dict[str, tuple[tuple[Change, ...], Callable[[list[dict[str, bytes]]], bool]]] = {
    "neither the file nor the folder": ((), lambda disks: {"a": b"new"} in disks and {"a": b""} in disks),
    "the file": ((Change("sync", "t"),), lambda disks: disks[0] == {"a": b"new"} and disks[1] == {"a": b"old"}),
}


@pytest.mark.parametrize("case", SYNCED)
def test_what_was_not_synced_may_be_there_or_not(tmp_path: Path, case: str) -> None:
    put(tmp_path, "root/a", "old")
    synced, holds = SYNCED[case]
    made = (Change("create", "t", number=0o644), Change("write", "t", data=b"new"), *synced, Change("rename", "t", "a"))
    disks = built(tmp_path / "root", tmp_path / "before", *made)
    assert holds(disks), disks
    last = built(tmp_path / "root", tmp_path / "after", *made, Change("sync", "."))
    assert all(each == {"a": b"new"} for each in last) == bool(synced), last


def test_a_rename_over_what_was_not_synced_stays(tmp_path: Path) -> None:
    put(tmp_path, "root/in/t", "new")
    made = (
        Change("create", "a", number=0o644),
        Change("rename", "in/t", "a"),
        Change("sync", "in"),
        Change("sync", "."),
    )
    assert built(tmp_path / "root", tmp_path / "disks", *made) == [{"a": b"new"}] * len(WAYS)
    assert Files(tmp_path / "disks/0").read("a") == "new"


def test_what_a_kill_leaves_beside_the_lock_is_swept_by_the_next_writer(tmp_path: Path) -> None:
    files = Files(tmp_path)
    files.save("a.md", "1", over=None)
    put(tmp_path, ".memdown/.memdown-0123456789abcdef.tmp", "half")
    files.recover()
    assert not list((tmp_path / ".memdown").glob("*.tmp"))


def test_a_note_of_a_file_whose_folder_is_gone_is_in_nobodys_way(tmp_path: Path) -> None:
    files = Files(tmp_path)
    files.save("a.md", "1", over=None)
    noted = b"gone/.memdown-0123456789abcdef.tmp\n"
    (tmp_path / ".memdown/lock").write_bytes(b" " * 255 + b"\n" + noted)
    assert files.recover() == []
