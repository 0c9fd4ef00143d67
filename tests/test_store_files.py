"""One file at a time: what is read, saved, renamed, deleted and walked, and what stays as it was."""

import os
import stat
import sys
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import forks
from memdown.errors import Exists, Invalid, MemdownError, NotFound, Refused, Stale, Unreadable
from memdown.store import Files, undo
from memdown.store.adding import Adding
from memdown.store.steps import StepLog
from memdown.store.wal import WalChange
from memdown.text import decode

posix = pytest.mark.skipif(os.name == "nt", reason="modes and pipes are not for Windows")


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def everything(root: Path) -> dict[str, bytes | None]:
    """Every file and folder below a root but memdown's own."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(root.rglob("*"))
        if ".memdown" not in path.relative_to(root).parts
    }


def changes_of(files: Files) -> list[Callable[[], None]]:
    return [
        lambda: files.save("a.md", "two", over="one"),
        lambda: files.delete("a.md", over="one"),
        lambda: files.rename("a.md", "b.md", over="one"),
    ]


def test_a_new_file_with_its_folders(files: Files) -> None:
    files.save("notes/2026/a.md", "# A\n", over=None)
    assert files.read("notes/2026/a.md") == "# A\n"
    assert files.exists("notes/2026/a.md")
    assert not files.exists("notes/2026/b.md")
    assert not files.exists("notes")
    assert everything(files.root) == {"notes": None, "notes/2026": None, "notes/2026/a.md": b"# A\n"}


def test_a_new_file_does_not_take_the_place_of_another(files: Files) -> None:
    files.save("a.md", "one", over=None)
    with pytest.raises(Exists, match=r"'a.md' exists already"):
        files.save("a.md", "two", over=None)
    assert files.read("a.md") == "one"


def test_a_change_over_what_was_read(files: Files) -> None:
    files.save("a.md", "one", over=None)
    files.save("a.md", "two", over="one")
    with pytest.raises(Stale, match="changed since it was read"):
        files.save("a.md", "three", over="one")
    assert files.read("a.md") == "two"


def test_a_file_that_is_gone_is_stale(files: Files) -> None:
    for act in changes_of(files):
        with pytest.raises(Stale, match="is gone"):
            act()
    assert everything(files.root) == {}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xef\xbb\xbf# A\r\nb\rc\n",
        b"a\x00b",
        b"\xff\xfe\x80 not utf-8 \xed\xa0\x80",
        "é e\u0301 \u2028 \x85".encode(),
        b"no end",
        bytes(range(256)) * 12_000,
    ],
    ids=lambda data: ascii(data[:20]),
)
def test_every_byte_survives(files: Files, data: bytes) -> None:
    (files.root / "a.md").write_bytes(data)
    text = files.read("a.md")
    files.save("a.md", text + "x", over=text)
    assert (files.root / "a.md").read_bytes() == data + b"x"
    files.save("b.md", decode(data), over=None)
    assert (files.root / "b.md").read_bytes() == data


def test_text_no_file_can_hold_is_invalid(files: Files) -> None:
    with pytest.raises(Invalid, match="unpaired surrogate"):
        files.save("a.md", "\ud800", over=None)
    assert everything(files.root) == {}


def test_saving_the_same_text_writes_nothing(files: Files) -> None:
    files.save("a.md", "one", over=None)
    before = (files.root / "a.md").stat()
    files.save("a.md", "one", over="one")
    after = (files.root / "a.md").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
def test_the_mode_of_a_file_is_kept(files: Files, mode: int) -> None:
    files.save("a.md", "one", over=None)
    (files.root / "a.md").chmod(mode)
    files.save("a.md", "two", over="one")
    assert stat.S_IMODE((files.root / "a.md").stat().st_mode) == mode
    files.rename("a.md", "b.md", over="two")
    assert stat.S_IMODE((files.root / "b.md").stat().st_mode) == mode


@posix
def test_a_new_file_respects_the_umask(files: Files) -> None:
    old = os.umask(0o027)
    try:
        files.save("a.md", "one", over=None)
    finally:
        os.umask(old)
    assert stat.S_IMODE((files.root / "a.md").stat().st_mode) == 0o640


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only an administrator gives files away")
def test_the_owner_of_a_file_is_kept(files: Files) -> None:
    files.save("a.md", "one", over=None)
    os.chown(files.root / "a.md", 1234, 1234)
    files.save("a.md", "two", over="one")
    assert (files.root / "a.md").stat().st_uid == 1234


def test_a_read_only_file_is_refused(files: Files) -> None:
    files.save("a.md", "one", over=None)
    (files.root / "a.md").chmod(0o444)
    for act in changes_of(files):
        with pytest.raises(Refused, match="read-only"):
            act()
    assert everything(files.root) == {"a.md": b"one"}
    (files.root / "a.md").chmod(0o644)


def test_a_link_is_written_through_and_stays(files: Files) -> None:
    files.save("real/a.md", "one", over=None)
    (files.root / "a.md").symlink_to("real/a.md")
    files.save("a.md", "two", over="one")
    assert (files.root / "a.md").is_symlink()
    assert (files.root / "real/a.md").read_text() == "two"
    with pytest.raises(Refused, match="symbolic link"):
        files.rename("a.md", "b.md", over="two")
    files.delete("a.md", over="two")
    assert not (files.root / "a.md").is_symlink()
    assert files.read("real/a.md") == "two"


def test_nothing_is_written_where_others_keep_their_things(tmp_path: Path) -> None:
    for folder in (".git", ".memdown", "a"):
        (tmp_path / folder).mkdir()
    (tmp_path / "into-git").symlink_to(".git")
    (tmp_path / "into-state").symlink_to(".memdown")
    files = Files(tmp_path, hidden=frozenset({".git", ".memdown", ".MEMDOWN"}))
    for name in (".git/x", ".memdown/x", ".MEMDOWN/x", "a/.memdown/x", "into-git/x", "into-state/x"):
        with pytest.raises(Refused):
            files.save(name, "x", over=None)
    (tmp_path / ".memdown/note").write_text("readable")
    assert files.read(".memdown/note") == "readable"
    with pytest.raises(Refused, match=r"under \.git"):
        Files(tmp_path / ".git").save("x.md", "x", over=None)
    assert list((tmp_path / ".git").iterdir()) == []


def test_the_state_folder_ignores_itself(files: Files) -> None:
    assert files.state_folder() == files.root / ".memdown"
    assert (files.root / ".memdown/.gitignore").read_text() == "*\n"
    (files.root / ".memdown/.gitignore").write_text("*\n!keep\n")
    files.save("a.md", "", over=None)
    assert (files.root / ".memdown/.gitignore").read_text() == "*\n!keep\n"


def test_a_state_folder_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "root/.memdown").symlink_to("../elsewhere")
    with pytest.raises(Refused, match="symbolic link"):
        Files(tmp_path / "root").save("a.md", "x", over=None)
    assert list((tmp_path / "elsewhere").iterdir()) == []
    (tmp_path / "root/.memdown").unlink()
    (tmp_path / "root/.memdown").mkdir()
    (tmp_path / "root/.memdown/lock").symlink_to("../../elsewhere/lock")
    with pytest.raises(Refused, match="symbolic links"):
        Files(tmp_path / "root").save("a.md", "x", over=None)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_state_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / ".memdown").mkdir()
    (tmp_path / ".memdown/undo").touch()
    with pytest.raises(
        MemdownError, match=r"memdown', where .* cannot be used \('undo': not a directory\); `memdown doctor`"
    ):
        Files(tmp_path).save("a.md", "x", over=None)
    assert not (tmp_path / "a.md").exists()


def test_missing_and_unreadable_are_told_apart(files: Files) -> None:
    files.save("a.md", "one", over=None)
    with pytest.raises(NotFound, match="does not exist"):
        files.read("b.md")
    with pytest.raises(NotFound):
        files.read("a.md/b.md")
    assert not files.exists("a.md/b.md")
    with pytest.raises(Refused, match="is a file, not a folder"):
        files.save("a.md/b.md", "x", over=None)
    with pytest.raises(MemdownError, match="cannot write to"):
        Files(files.root / "nowhere").save("a.md", "x", over=None)
    assert list(Files(files.root / "nowhere").walk("")) == []


def test_delete(files: Files) -> None:
    files.save("a.md", "one", over=None)
    with pytest.raises(Stale):
        files.delete("a.md", over="other")
    files.delete("a.md", over="one")
    assert everything(files.root) == {}


def test_rename(files: Files) -> None:
    files.save("a.md", "one", over=None)
    files.save("b.md", "two", over=None)
    with pytest.raises(Exists):
        files.rename("a.md", "b.md", over="one")
    with pytest.raises(Stale):
        files.rename("a.md", "c.md", over="other")
    files.rename("a.md", "new/folder/c.md", over="one")
    assert list(files.walk("")) == ["b.md", "new/folder/c.md"]
    assert files.read("new/folder/c.md") == "one"


@pytest.mark.parametrize("new", ["FOO.md", "foo.md"])
def test_rename_may_change_case_alone(files: Files, new: str) -> None:
    files.save("foo.md", "one", over=None)
    files.rename("foo.md", new, over="one")
    assert [path.name for path in files.root.iterdir() if path.is_file()] == [new]


def test_rename_may_change_the_coding_of_accents(files: Files) -> None:
    files.save(unicodedata.normalize("NFD", "é.md"), "one", over=None)
    files.rename(unicodedata.normalize("NFD", "é.md"), "é.md", over="one")
    assert files.read("é.md") == "one"


def test_walk_is_sorted_and_complete(files: Files) -> None:
    for name in ("b.md", "a/z.md", "a/b/c.md", "a-b.md", "x.txt", "日本.md", "A.md"):
        files.save(name, "", over=None)
    for name in (".git/x.md", ".hidden/x.md", ".memdown/x.md", "a/.git/x.md", "a/.x.md", ".squad/x.md"):
        (files.root / name).parent.mkdir(exist_ok=True)
        (files.root / name).write_text("")
    assert list(files.walk("")) == ["A.md", "a-b.md", "a/b/c.md", "a/z.md", "b.md", "日本.md"]
    assert list(files.walk(".")) == list(files.walk(""))
    assert list(files.walk("a")) == ["a/b/c.md", "a/z.md"]
    assert list(files.walk("", (".txt", ".json"))) == ["x.txt"]
    assert list(files.walk("nowhere")) == []
    squad = Files(files.root, hidden=frozenset({".squad"}))
    assert list(squad.walk(".squad")) == [".squad/x.md"]
    assert ".squad/x.md" in list(squad.walk(""))
    with pytest.raises(Unreadable):
        files.walk("b.md")
    with pytest.raises(Refused):
        files.walk("../x")


def test_walk_follows_links_inside_once(tmp_path: Path) -> None:
    root = tmp_path / "root"
    files = Files(root)
    root.mkdir()
    files.save("real/a.md", "", over=None)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.md").write_text("")
    (root / "a-link").symlink_to("real")
    (root / "real/loop").symlink_to("..")
    (root / "real/self").symlink_to("self")
    (root / "out").symlink_to("../outside")
    (root / "secret.md").symlink_to("../outside/secret.md")
    (root / "again.md").symlink_to("real/a.md")
    (root / ".dot").mkdir()
    (root / ".dot/b.md").write_text("")
    (root / "b.md").symlink_to(".dot/b.md")
    told: list[str] = []
    assert list(files.walk("", skipped=told.append)) == ["b.md", "real/a.md"]
    assert len(told) == 3
    assert list(files.walk("a-link")) == ["a-link/a.md"]


@posix
def test_walk_says_what_it_passes_over(files: Files) -> None:
    (files.root / "a:b.md").write_text("")
    (files.root / "CON.md").write_text("")
    (files.root / "a:b.txt").write_text("")
    os.mkfifo(files.root / "pipe.md")
    (files.root / "ok.md").write_text("")
    (files.root / os.fsdecode(b"\xff.md")).write_text("")
    told: list[str] = []
    assert list(files.walk("", skipped=told.append)) == ["ok.md"]
    assert len(told) == 4
    assert all(sentence.isprintable() for sentence in told)


def run(root: Path, code: str) -> str:
    """Run code in another process, in which `files` are those of the root; what it printed."""
    start = f"import os, resource\nfrom pathlib import Path\nfrom memdown.store import Files\nfiles = Files(Path({str(root)!r}))\n"
    done = forks.run([sys.executable, "-c", start + code], capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


AS_NOBODY = "os.setgid(65534) if os.geteuid() == 0 else None\nos.setuid(65534) if os.geteuid() == 0 else None\n"
TRY = """
from memdown.errors import MemdownError
def attempt(act):
    try:
        act()
    except MemdownError as error:
        print(type(error).__name__, error)
"""


@posix
def test_a_full_disk_leaves_everything_as_it_was(files: Files) -> None:
    files.save("a.md", "one", over=None)
    said = run(
        files.root,
        TRY
        + """
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
attempt(lambda: files.save("a.md", "x" * 10_000, over="one"))
attempt(lambda: files.save("new/b.md", "x" * 10_000, over=None))
def group():
    with files.group() as group:
        group.save("new/c.md", "x", over=None)
        group.save("a.md", "x" * 10_000, over="one")
attempt(group)
""",
    )
    assert said.count("Refused") == said.count("file too large; nothing was changed") == 3
    assert everything(files.root) == {"a.md": b"one"}
    assert sorted(path.name for path in (files.root / ".memdown").iterdir()) == [".gitignore", "lock", "undo"]
    assert [path.name for path in (files.root / ".memdown/undo").iterdir()] == ["000000001.step"]


@posix
def test_a_root_that_may_only_be_read(open_root: Path) -> None:
    (open_root / "a.md").write_text("one")
    (open_root / "a.md").chmod(0o644)
    open_root.chmod(0o555)
    said = run(
        open_root,
        AS_NOBODY
        + TRY
        + """
print(files.read("a.md"), list(files.walk("")), files.exists("b.md"))
attempt(lambda: files.save("a.md", "two", over="one"))
attempt(files.recover)
""",
    )
    open_root.chmod(0o755)
    lines = said.splitlines()
    assert lines[0] == "one ['a.md'] False"
    assert len(lines) == 3
    assert "permission denied" in lines[1]
    assert everything(open_root) == {"a.md": b"one"}


@posix
def test_no_deletion_is_read_out_of_an_error(open_root: Path) -> None:
    for name in ("a/x.md", "b.md", "c/x.md"):
        Files(open_root).save(name, "one", over=None)
    (open_root / "a").chmod(0o000)
    (open_root / "b.md").chmod(0o000)
    (open_root / "c").chmod(0o555)
    open_root.chmod(0o777)
    (open_root / ".memdown").chmod(0o777)
    (open_root / ".memdown/lock").chmod(0o666)
    said = run(
        open_root,
        AS_NOBODY
        + TRY
        + """
attempt(lambda: files.walk(""))
attempt(lambda: files.exists("a/x.md"))
attempt(lambda: files.read("a/x.md"))
attempt(lambda: files.read("b.md"))
attempt(lambda: files.save("a/x.md", "two", over="one"))
attempt(lambda: files.save("c/y.md", "two", over=None))
""",
    )
    (open_root / "a").chmod(0o755)
    (open_root / "b.md").chmod(0o644)
    (open_root / "c").chmod(0o755)
    assert [line.split()[0] for line in said.splitlines()] == ["Unreadable"] * 5 + ["Refused"]


# What one act leaves to the next


class Told:
    """Hears what is written."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def locked(self) -> None: ...

    def writing(self, changes: Sequence[WalChange]) -> None:
        self.asked += [each.name for each in changes]

    def wrote(self, name: str, text: str | None) -> None: ...


def test_only_what_is_adopted_is_not_asked_about(tmp_path: Path) -> None:
    told = Told()
    files = Files(tmp_path, observer=told)
    with files.adopting():
        files.save("a.md", "one", over=None)
    files.save("b.md", "two", over=None)
    with pytest.raises(RuntimeError), files.adopting():
        raise RuntimeError
    files.save("c.md", "three", over=None)
    assert told.asked == ["b.md", "c.md"]


def test_a_title_is_that_of_one_change(tmp_path: Path) -> None:
    files = Files(tmp_path)
    with files.act("cli", "add"):
        files.note_title("Pool  size\nis ten")
        files.save("a.md", "one", over=None)
        files.save("b.md", "two", over=None)
    assert [each.titles for each in undo.acts(files)] == [["Pool size is ten"]]
    steps = [each.read_bytes() for each in (tmp_path / ".memdown").rglob("*.step")]
    assert sum(each.count(b"Pool size") for each in steps) == 1


def test_what_is_done_outside_is_noted_with_its_step(tmp_path: Path) -> None:
    files = Files(tmp_path)
    files.begin_act("cli", "install")
    files.log_outside("core.hooksPath=x")
    assert [(each.act, each.outside) for each in undo.acts(files)] == [("install", "core.hooksPath=x")]


@posix
def test_reading_ahead_gives_ordinary_files_and_leaves_the_rest_to_read(tmp_path: Path) -> None:
    files = Files(tmp_path, megabytes=1)
    (tmp_path / "in").mkdir()
    (tmp_path / "top.md").write_bytes(b"top")
    (tmp_path / "in/a.md").write_bytes(b"a \xff\r\n")
    (tmp_path / "in/link.md").symlink_to("a.md")
    (tmp_path / "in/folder.md").mkdir()
    full = "x" * (1 << 20)
    (tmp_path / "in/full.md").write_text(full, "utf-8")
    (tmp_path / "in/large.md").write_text(full + "x", "utf-8")
    os.mkfifo(tmp_path / "in/pipe.md")
    others = ("a", "full", "link", "folder", "large", "pipe", "gone")
    names = ["top.md", *(f"in/{name}.md" for name in others), "none/a.md"]
    assert dict(files.read_ahead(names)) == {"top.md": "top", "in/a.md": "a \udcff\r\n", "in/full.md": full}
    assert files.read("in/full.md") == full
    with pytest.raises(Unreadable, match=r"in/large\.md"):
        files.read("in/large.md")


@posix
def test_reading_ahead_follows_no_link_out_of_the_root(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "a.md").write_text("secret", "utf-8")
    (root / "in").symlink_to(outside)
    assert dict(Files(root).read_ahead(["in/a.md"])) == {}


def test_a_hook_replaces_a_file_that_has_the_bytes_it_read(tmp_path: Path) -> None:
    adding = Adding(tmp_path, StepLog(str(tmp_path / ".memdown")), "hook", lock_timeout=240)
    with adding.lock():
        adding.add("a.md", b"one")
        assert not adding.replace("a.md", b"two", over=b"another")
        assert adding.replace("a.md", b"two", over=b"one")
        assert not adding.replace("b.md", b"two", over=b"")
    assert [each.read_bytes() for each in tmp_path.glob("*.md")] == [b"two"]
