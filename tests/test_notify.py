"""A process that lives on sees every change that was made before it was asked, and looks at nothing else."""

import os
import random
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memdown import Memory
from memdown.index import handle, sync
from memdown.index.handle import IndexHandle
from memdown.index.sync import scan
from memdown.index.sync.notify import Notifications

WORDS = "alpha bravo charlie delta echo foxtrot golf hotel india juliett".split()
linux = pytest.mark.skipif(sys.platform != "linux", reason="the system does not tell of changes in this way")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    (tmp_path / "memories").mkdir()
    for number in range(20):
        put(tmp_path / "memories" / f"{number}.md", WORDS[number % 10])
    with Memory.open(tmp_path) as memory:
        memory.keep_watch()
        for _ in range(2):  # the first call makes the index, the second begins to watch
            memory.index()
        yield memory


def put(path: Path, word: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\nsubject: About {word}\n---\n\nThe text says {word}.\n")


def found(memory: Memory) -> list[tuple[str, str | None, str | None]]:
    return sorted((each.path, each.title, each.body) for each in memory.find())


def in_files(root: Path) -> list[tuple[str, str | None, str | None]]:
    """The same by a look at every file."""
    with Memory.open(root) as fresh:
        return sorted((each.path, each.title, each.body) for each in fresh.records())


class Hand:
    """Somebody who changes files in every way there is."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root, self.random = root, random.Random(seed)

    def any(self) -> Path:
        files = sorted(self.root.glob("memories/**/*.md"))
        return self.random.choice(files) if files else self.root / "memories" / "first.md"

    def write(self) -> None:
        put(self.any(), self.random.choice(WORDS))

    def append(self) -> None:
        with self.any().open("a") as file:
            file.write("More.\n")

    def replace(self) -> None:
        put(self.root / "other.tmp", self.random.choice(WORDS))
        (self.root / "other.tmp").replace(self.any())

    def keep_time(self) -> None:
        """The same size and the same time of change, another text."""
        path = self.any()
        if path.exists():
            state = path.stat()
            path.write_bytes(path.read_bytes().replace(b"The text", b"The tomb"))
            os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))

    def add(self) -> None:
        put(self.root / "memories" / f"new-{self.random.randrange(99)}.md", self.random.choice(WORDS))

    def remove(self) -> None:
        self.any().unlink(missing_ok=True)

    def rename(self) -> None:
        path = self.any()
        if path.exists():
            path.rename(path.with_name(f"moved-{self.random.randrange(99)}.md"))

    def make_folder(self) -> None:
        put(self.root / "memories" / f"deep-{self.random.randrange(9)}" / "in" / "it.md", self.random.choice(WORDS))

    def move_folder(self) -> None:
        for folder in sorted(self.root.glob("memories/deep-*"))[:1]:
            shutil.move(folder, self.root / f"away-{self.random.randrange(10**9)}")

    def other_home(self) -> None:
        put(self.root / "thinking-memory" / f"{self.random.randrange(9)}.md", self.random.choice(WORDS))

    def lose_home(self) -> None:
        shutil.rmtree(self.root / "thinking-memory", ignore_errors=True)

    def ask_elsewhere(self) -> None:
        """Another process brings the index up to date."""
        with Memory.open(self.root) as other:
            other.index()


ACTS = [name for name, value in vars(Hand).items() if callable(value) and name not in ("__init__", "any")]


@pytest.mark.parametrize("act", ACTS)
def test_each_kind_of_change_is_seen_by_the_next_question(memory: Memory, act: str) -> None:
    hand = Hand(memory.root, 1)
    for _ in range(3):
        getattr(hand, act)()
        assert found(memory) == in_files(memory.root)


@pytest.mark.parametrize("seed", range(4))
def test_changes_at_random_are_seen_by_the_next_question(memory: Memory, seed: int) -> None:
    hand = Hand(memory.root, seed)
    for _ in range(25):
        for act in hand.random.sample(ACTS, hand.random.randint(1, 3)):
            getattr(hand, act)()
        assert found(memory) == in_files(memory.root)


@linux
def test_files_that_did_not_change_are_not_looked_at(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    plain: Callable[[scan.Scan, str, str], None] = scan.Scan._enter

    def entered(self: scan.Scan, path: str, name: str) -> None:
        looked.append(name)
        plain(self, path, name)

    monkeypatch.setattr(scan.Scan, "_enter", entered)
    assert len(memory.find(["alpha"])) == 2
    put(memory.root / "memories" / "new.md", "alpha")
    assert len(memory.find(["alpha"])) == 3
    memory.cards.add("About alpha", "A text about alpha that is new.", keywords=["alpha"])
    assert len(memory.find(["alpha"])) == 4
    assert not looked


def test_where_the_system_does_not_tell_all_files_are_looked_at(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Notifications, "changed", lambda _: None)
    hand = Hand(memory.root, 3)
    for _ in range(5):
        hand.write()
        assert found(memory) == in_files(memory.root)


@linux
def test_a_file_with_a_second_name_is_looked_at(memory: Memory) -> None:
    outside = memory.root / "outside.md"
    put(outside, "alpha")
    os.link(outside, memory.root / "memories" / "linked.md")
    assert found(memory) == in_files(memory.root)
    put(outside, "bravo")
    assert found(memory) == in_files(memory.root)


@linux
def test_more_changes_than_the_queue_holds_are_seen(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel says that its queue ran over; here it is told in its place, as 16,384 events take long."""
    overflow = (-1).to_bytes(4, sys.byteorder, signed=True) + (0x4000).to_bytes(4, sys.byteorder) + bytes(8)
    put(memory.root / "memories" / "1.md", "juliett")
    notices, real = memory.opened(IndexHandle).notices, os.read
    assert notices
    own = notices._number
    monkeypatch.setattr(os, "read", lambda number, size: overflow if number == own else real(number, size))
    assert found(memory) == in_files(memory.root)


@linux
def test_what_is_watched_is_let_go(tmp_path: Path) -> None:
    (tmp_path / "memories").mkdir()
    notices = Notifications()
    before = len(list(Path("/proc/self/fd").iterdir()))
    notices.watch(str(tmp_path), "memories\ndocs/adr", "")
    assert notices.changed() == set()
    put(tmp_path / "memories" / "a.md", "alpha")
    put(tmp_path / "beside.md", "alpha")
    (tmp_path / "memories" / "a.txt").write_text("no memory")
    assert notices.changed() == {"memories/a.md"}
    (tmp_path / "docs").mkdir()
    assert notices.changed() is None
    notices.close()
    assert notices.changed() is None
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_counts_are_those_of_a_full_look(memory: Memory) -> None:
    put(memory.root / "memories" / "new.md", "alpha")
    (memory.root / "memories" / "2.md").unlink()
    counts = memory.index()
    assert (counts["files"], counts["records"]) == (20, 20)
    index, full = sync.refresh(str(memory.root))
    index.close()
    assert (full["files"], full["records"]) == (20, 20)


def _held(memory: Memory) -> list[tuple[str, str | None, str | None]]:
    """What a write knows of all files: the index as it is, and the files that it does not have yet."""
    recent = handle.recent(memory)
    rows = recent.index.connection.execute(
        "select r.path, w.title, w.body from record r join words w on w.rowid = r.rowid where r.kind <> 'prose'"
    )
    late = [(each.path, each.title, each.body) for records in recent.late.values() for each in records]
    return sorted([row for row in rows if row[0] not in recent.late] + late)


@pytest.mark.parametrize("seed", range(4))
def test_who_writes_knows_every_change_without_writing_the_index(memory: Memory, seed: int) -> None:
    hand = Hand(memory.root, seed)
    for number in range(20):
        for act in hand.random.sample(ACTS, hand.random.randint(1, 3)):
            getattr(hand, act)()
        assert _held(memory) == in_files(memory.root)
        if number % 7 == 6:  # what was put off is told to who brings the index up to date
            assert found(memory) == in_files(memory.root)


@linux
def test_a_burst_of_new_cards_does_not_write_the_index_for_each(memory: Memory) -> None:
    memory.find(["alpha"])
    index = memory.opened(IndexHandle).index
    assert index
    before = index.connection.total_changes
    added = [memory.add("card", f"Burst {number}", text=f"The text of burst {number}.") for number in range(8)]
    again = memory.add("card", "Burst 3", text="The text of burst 3.")
    assert not again.created
    assert again.record.id == added[3].record.id
    alike = memory.add("card", "The viewer does not start on Windows", text="It waits for a window.").record
    near = memory.add("card", "Viewer does not start, on Windows", text="Nobody knows what for.").similar
    assert [each.id for each in near] == [alike.id]
    assert index.connection.total_changes == before
    assert found(memory) == in_files(memory.root)


@linux
def test_events_that_were_lost_while_a_write_asked_are_not_forgotten(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    overflow = (-1).to_bytes(4, sys.byteorder, signed=True) + (0x4000).to_bytes(4, sys.byteorder) + bytes(8)
    put(memory.root / "memories" / "1.md", "juliett")
    notices, real = memory.opened(IndexHandle).notices, os.read
    assert notices
    own = notices._number
    with monkeypatch.context() as patched:
        patched.setattr(os, "read", lambda number, size: overflow if number == own else real(number, size))
        assert notices.late() is None
    while notices._changed():
        continue
    assert found(memory) == in_files(memory.root)
