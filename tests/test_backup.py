"""Backups: one file with all memory, byte for byte; whatever is not as it was written is refused, and nothing is touched."""

import io
import stat
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

import forks
from conftest import Ran
from memdown.memory import Memory
from memdown.store import backup
from memdown.store.backup import BackupMember
from samples import CARD, ID, put
from test_undo import differing, rich, state

Cli = Callable[..., Ran]
FILE = "../backup.zip"
ODD = "# Odd\r\n\ufefftext \udcff\x00 without an end"


def project() -> Path:
    root = rich(Path.cwd())
    put(root, "memdown.toml", "[bank]\nfolder = 'notes/memory-bank'\n")
    put(root, "notes/memory-bank/progress.md", ODD).chmod(0o640)
    put(root, "wiki/index.md", '---\nokf_version: "0.2"\n---\n\n# Wiki\n')
    put(root, ".squad/casting/policy.json", "{}\n")
    put(root, "src/code.py", "pass\n")
    return root


def fails(ran: Ran, code: int, word: str) -> None:
    assert (ran.code, ran.out) == (code, ""), ran
    assert ran.err.startswith("memdown: ")
    assert ran.err.count("\n") == 1
    assert word in ran.err, ran


def written(members: list[BackupMember]) -> bytes:
    """A backup with whatever somebody wants in it, made by our own code, so that only the names are wrong."""
    data = backup.pack(members)
    Path(FILE).write_bytes(data)
    return data


# What it holds


def test_everything_comes_back_to_the_byte(cli: Cli, tmp_path: Path) -> None:
    root = project()
    before = {name: value for name, value in state(root).items() if value and not name.startswith("src")}
    made = cli("backup", FILE, "--json").json()
    assert made["files"] == len(before)
    (tmp_path / "empty").mkdir()
    ran = cli("restore", FILE, "--root", str(tmp_path / "empty"), "--json")
    assert (ran.code, len(ran.json()["created"])) == (0, made["files"]), ran
    assert {name: value for name, value in state(tmp_path / "empty").items() if value} == before
    assert cli("restore", FILE, "--json").json()["unchanged"] == made["files"]


def test_other_programs_open_it(cli: Cli) -> None:
    project()
    assert cli("backup", FILE).code == 0
    with zipfile.ZipFile(FILE) as found:
        assert found.testzip() is None
        assert found.read("notes/memory-bank/progress.md") == Path("notes/memory-bank/progress.md").read_bytes()
        assert stat.S_IMODE(found.getinfo("notes/memory-bank/progress.md").external_attr >> 16) == 0o640
        assert b"sha256" in found.read(backup.LIST)
        assert not any(name.startswith((".memdown", "src")) for name in found.namelist())


def test_the_same_memory_is_the_same_file_and_another_one_is_kept(cli: Cli) -> None:
    root = project()
    assert cli("backup", FILE).code == 0
    first = Path(FILE).read_bytes()
    for path in root.rglob("*.md"):
        path.touch()
    assert cli("backup", FILE, "--json").json()["unchanged"] is True
    assert cli("backup", "../other.zip").code == 0
    assert Path("../other.zip").read_bytes() == first
    put(root, "memories/new.md", "# New\n")
    fails(cli("backup", FILE), 3, "--force")
    assert Path(FILE).read_bytes() == first
    assert cli("backup", FILE, "--force").code == 0
    assert Path(FILE).read_bytes() != first


def test_a_backup_goes_through_a_pipe(cli: Cli, tmp_path: Path) -> None:
    root = project()
    assert cli("backup", FILE).code == 0
    run = [sys.executable, "-m", "memdown"]
    piped = forks.run([*run, "backup", "-"], cwd=root, capture_output=True, check=True)
    assert piped.stdout == Path(FILE).read_bytes()
    (tmp_path / "empty").mkdir()
    forks.run([*run, "restore", "-", "-q"], cwd=tmp_path / "empty", input=piped.stdout, check=True)
    assert (tmp_path / "empty/notes/memory-bank/progress.md").exists()


@pytest.mark.parametrize("place", ["", ".", "none/backup.zip", ".git/backup.zip", "memories"])
def test_places_that_cannot_be_written_are_named(cli: Cli, place: str) -> None:
    root = project()
    (root / ".git").mkdir()
    before = state(root, with_git=True)
    ran = cli("backup", place)
    assert ran.code in (1, 3, 4), ran
    assert ran.err.count("\n") == 1
    assert differing(state(root, with_git=True), before) == []


def test_what_is_left_out_is_said(cli: Cli, tmp_path: Path) -> None:
    root = project()
    (root / "memories/out.md").symlink_to(put(tmp_path, "out.md", "# Out\n"))
    put(root, "memories/12:30.md", "# Lunch\n")
    ran = cli("backup", FILE)
    lines = [line for line in ran.out.splitlines() if line.startswith("Left out: ")]
    assert (ran.code, ["12:30" in lines[0], "leads out" in lines[1]]) == (0, [True, True])
    with zipfile.ZipFile(FILE) as found:
        assert not {"memories/out.md", "memories/12:30.md"} & set(found.namelist())


def test_without_memory_there_is_no_backup(cli: Cli) -> None:
    fails(cli("backup", FILE), 3, "has no memory")
    assert not Path(FILE).exists()


# Restoring


def test_a_restore_shows_first_leaves_others_alone_and_is_one_step(cli: Cli) -> None:
    root = project()
    assert cli("backup", FILE).code == 0
    put(root, "memories/new.md", "# New\n")
    put(root, f"memories/{ID}.md", "# Lost\n")
    (root / "memory-bank/tasks.md").unlink()
    before = state(root)
    shown = cli("restore", FILE, "--dry-run")
    assert (shown.code, differing(state(root), before)) == (0, [])
    assert shown.out.splitlines() == [
        "Would create memory-bank/tasks.md",
        f"Would restore memories/{ID}.md",
        "Not in the backup, left as it is: memories/new.md",
        shown.out.splitlines()[-1],
    ]
    done = cli("restore", FILE, "--json").json()
    assert (done["created"], done["changed"], done["deleted"], done["left"]) == (
        *(["memory-bank/tasks.md"], [f"memories/{ID}.md"], [], ["memories/new.md"]),
    )
    assert done["undo"] == len(Memory(root).steps())
    assert (root / "memories/new.md").exists()
    assert cli("undo").code == 0
    assert differing(state(root), before) == []
    assert cli("restore", FILE, "--exact", "--json").json()["deleted"] == ["memories/new.md"]
    assert not (root / "memories/new.md").exists()
    assert cli("undo").code == 0
    assert differing(state(root), before) == []


def test_the_undo_log_comes_along_where_there_is_none(cli: Cli, tmp_path: Path) -> None:
    root = project()
    assert cli("add", "note", "New", "--author", "Ann").code == 0
    before = state(root)
    assert cli("backup", FILE, "--with-undo", "--json").json()["steps"] == 1
    fails(cli("restore", FILE, "--with-undo"), 3, "already is an undo log here")
    other = tmp_path / "empty"
    other.mkdir()
    assert cli("restore", FILE, "--with-undo", "--root", str(other)).code == 0
    assert [each.act for each in Memory(other).steps()] == ["restore", "add note"]
    assert cli("undo", "1", "--root", str(other)).code == 0
    assert len(differing(state(other), before)) > 0
    plain = tmp_path / "plain"
    plain.mkdir()
    assert cli("restore", FILE, "--root", str(plain)).code == 0
    assert [each.act for each in Memory(plain).steps()] == ["restore"]


def test_a_credential_is_restored_when_that_is_said(cli: Cli) -> None:
    root = project()
    path = put(root, "memories/key.md", "The admin password is Wr7!kLm2q.\n")
    assert cli("backup", FILE).code == 0
    assert cli("restore", FILE).code == 0, "what is here already is not written"
    path.unlink()
    before = state(root)
    fails(cli("restore", FILE), 3, "--allow-secret")
    assert differing(state(root), before) == []
    assert cli("restore", FILE, "--allow-secret").code == 0
    assert path.read_text() == "The admin password is Wr7!kLm2q.\n"


def test_a_mode_is_kept_to(cli: Cli) -> None:
    root = project()
    assert cli("backup", FILE).code == 0
    put(root, ".squad/decisions.md", "# Decisions\n")
    fails(cli("--mode", "ask", "restore", FILE), 3, "mode ask")


# Files that are not as they were


def test_every_byte_counts(cli: Cli, tmp_path: Path) -> None:
    """Cut off anywhere, or with any byte another one: refused in one sentence, and nothing is written."""
    put(Path.cwd(), f"memories/{ID}.md", CARD)
    assert cli("backup", FILE).code == 0
    data = Path(FILE).read_bytes()
    (tmp_path / "empty").mkdir()
    empty = str(tmp_path / "empty")
    for at in range(0, len(data), 19):
        for broken in (data[:at], data[:at] + bytes((data[at] ^ 1,)) + data[at + 1 :]):
            Path(FILE).write_bytes(broken)
            ran = cli("restore", FILE, "--root", empty)
            assert (ran.code, ran.out, ran.err.count("\n")) == (4, "", 1), (at, ran)
    for broken in (data + b"\0", b"\0" + data, data * 2, b"", b"PK\x03\x04", b"\0" * 100):
        Path(FILE).write_bytes(broken)
        assert cli("restore", FILE, "--root", empty).code == 4
    assert list((tmp_path / "empty").iterdir()) == []
    Path(FILE).write_bytes(data.replace(b"The pool", b"Our pool"))
    fails(cli("restore", FILE), 4, f"'memories/{ID}.md' in it has another checksum")
    Path(FILE).write_bytes(data[: data.index(b"The pool")])
    fails(cli("restore", FILE), 4, "it was cut off")


@pytest.mark.parametrize(
    "name",
    [
        *("../outside.md", "/etc/outside.md", "memories/../../outside.md", "memories\\..\\outside.md", "C:/outside.md"),
        *(".git/hooks/pre-commit", ".git/config.md", "memories/.git/x.md", "src/code.py", "README.md", "CLAUDE.md"),
        *(
            ".memdown/index.db",
            ".memdown/undo/pending",
            ".memdown/undo/../../x.step",
            "memories/a\nb.md",
            "memories/x.py",
        ),
        *("link/outside.md", "memories/CON.md", "memories/a\u202eb.md", "", ".claude/settings.json", "~/x.md"),
    ],
)
def test_no_name_in_a_backup_leads_elsewhere(cli: Cli, tmp_path: Path, name: str) -> None:
    root = project()
    (root / "link").symlink_to(tmp_path)
    (root / "memories/link").symlink_to(tmp_path)
    before = state(root)
    for hostile in (name, f"memories/link/{name}"):
        written([BackupMember("memories/fine.md", 0o644, b"# Fine\n"), BackupMember(hostile, 0o644, b"hostile\n")])
        for option in ("--with-undo", "--exact"):
            ran = cli("restore", FILE, option)
            assert (ran.code, ran.out) == (3, ""), (hostile, ran)
            assert ran.err.count("\n") == 1
    assert differing(state(root), before) == []
    assert not any(path.name.startswith("outside") for path in tmp_path.rglob("*"))


@pytest.mark.parametrize("twin", ["memories/a.md", "memories/A.md", "Memories/a.md", "memories/a\u0301.md"])
def test_two_files_of_one_name_are_refused(cli: Cli, twin: str) -> None:
    first = "memories/\u00e1.md" if "\u0301" in twin else "memories/a.md"
    put(Path.cwd(), f"memories/{ID}.md", CARD)
    written([BackupMember(first, 0o644, b"one\n"), BackupMember(twin, 0o644, b"two\n")])
    fails(cli("restore", FILE), 3, "two files of one name")


def with_member(change: Callable[[zipfile.ZipInfo], None], content: bytes, method: int = zipfile.ZIP_STORED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as target:
        with zipfile.ZipFile(FILE) as source:
            target.writestr(backup.LIST, source.read(backup.LIST), zipfile.ZIP_STORED)
        info = zipfile.ZipInfo("memories/x.md")
        change(info)
        target.writestr(info, content, method)
    return made.getvalue()


def test_links_and_bombs_are_no_backups(cli: Cli) -> None:
    root = project()
    assert cli("backup", FILE).code == 0
    good, before = Path(FILE).read_bytes(), state(root)

    def link(info: zipfile.ZipInfo) -> None:
        info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16

    listed = struct.unpack_from("<I", good, 18)[0]
    huge = good.replace(b'"size": ', b'"size": 999999999999', 1)
    deep = b"[" * 100_000
    nested = struct.pack("<4s5H3I2H", b"PK\x03\x04", 20, 0, 0, 0, 0, zlib.crc32(deep), len(deep), len(deep), 19, 0)
    for hostile in (
        with_member(link, b"/etc/passwd"),
        with_member(lambda _: None, b"\0" * (64 << 20), zipfile.ZIP_DEFLATED),
        good[:18] + struct.pack("<I", listed + 12) + good[22:],
        huge,
        good.replace(b"memories", b"memorie\xff", 1),
        nested + backup.LIST.encode() + deep,
    ):
        Path(FILE).write_bytes(hostile)
        fails(cli("restore", FILE), 4, "damaged")
    assert differing(state(root), before) == []


def test_a_backup_of_another_version_says_so(cli: Cli) -> None:
    put(Path.cwd(), f"memories/{ID}.md", CARD)
    assert cli("backup", FILE).code == 0
    Path(FILE).write_bytes(Path(FILE).read_bytes().replace(b'"memdown backup": 1', b'"memdown backup": 2'))
    fails(cli("restore", FILE), 4, "update memdown")
    Path(FILE).write_text("# No backup\n")
    fails(
        cli("restore", FILE),
        4,
        "not a backup of memdown; give a file that `memdown backup` made, or --from and a commit",
    )
    fails(cli("restore", "../none.zip"), 4, "no file")
    fails(cli("restore", ".."), 4, "cannot be read")
