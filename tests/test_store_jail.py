"""Names that mean something else somewhere are refused; paths stay inside the root."""

import errno
import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.errors import Refused, Unreadable, quote
from memdown.store import Files, Jail, check_name, find_root
from memdown.store.names import is_git, same_place
from memdown.store.spelling import spelled
from samples import put

ALLOWED = frozenset({".squad", ".ai-team", ".memdown"})

HOSTILE = [
    *("", " ", "\t", "\n", "\u3000"),
    *("..", ".", "../x.md", "a/../x.md", "a/..", "./x.md", "a/./b.md", "...", "a/..../b", ".. /x.md", "..\u200b/x"),
    *("/", "/etc/passwd", "//server/share/x.md", "///x", "a//b.md", "a/", "a/b/", "notes//"),
    *("a\\b.md", "..\\x.md", "\\x.md", "\\\\server\\share", "\\\\?\\C:\\x", "\\\\.\\pipe\\x", "a/..\\..\\x"),
    *("C:", "C:x.md", "c:/x.md", "C:\\x.md", "Z:", "x.md:stream", "x.md::$DATA", "file:///etc/passwd", "http://x/y"),
    *("~", "~/x.md", "~root/x.md", "a/~x", "$HOME/x.md", "${HOME}/x.md", "a/$x", "%USERPROFILE%/x.md", "a%TEMP%b.md"),
    *("a<b.md", "a>b.md", 'a"b.md', "a|b.md", "a?.md", "*.md"),
    *("a\x00b.md", "a\x00", "a\nb.md", "a\rb.md", "a\tb.md", "\x1b[31mred.md", "a\x7f.md", "a\x85.md", "a\x9b.md"),
    *("\ud800.md", "a\udcff.md", "\udc2e\udc2e/x"),
    *("a\u200b.md", "a\u200c.md", "a\u200d.md", "a\u202egnp.md", "a\u2066x.md", "\ufeffa.md", "a\xad.md", "a\u2028.md"),
    *(
        "a\u2029.md",
        "a\U000e0041.md",
        "a\u3164.md",
        "a\u115f.md",
        "a\u2800.md",
        "a\ufffe.md",
        "a\ufdd0.md",
        "a\uf022b.md",
    ),
    *(
        "%2e%2e/x.md",
        "%2E%2E%2Fx.md",
        "a%2fb.md",
        "a%5cb.md",
        "a%00.md",
        "%252e%252e/x",
        "a%c0%af.md",
        "a%u002fb",
        "a%3ab",
    ),
    *(
        "．．/x.md",
        "a／b.md",
        "a＼b.md",
        "C：/x",
        "‥/x.md",
        "․․/x.md",
        "…/x.md",
        "a∕b.md",
        "a⁄b.md",
        "a∖b.md",
        "a⧸b",
        "℀.md",
    ),
    *("CON", "con.md", "a/PRN.md", "AUX/x.md", "nul.tar.gz", "Nul .md", "COM1", "com9.md", "COM0", "LPT1.txt", "lpt0"),
    *("COM¹.md", "com²", "LPT³.md", "CONIN$", "conout$.md", "CLOCK$", "ＣＯＮ.md"),
    *("a.", "a./b.md", "a ", "a /b.md", " a.md", "a/ b.md", "x.md. ", "a\u00a0", "\u3000a.md"),
    *(".hidden", ".hidden/x.md", "a/.x.md", "．x.md", ".squad/.x", ".SQUAD/x.md"),
    *(
        ".git",
        ".git/config",
        ".GIT/config",
        ".Git/hooks/x",
        ".git./x",
        ".git /x",
        "git~1/config",
        "GIT~2",
        ".g\u200cit/x",
    ),
    *("a/.git/x.md", "．git/x", ".gıt/x", "memdow~1/x", "a~1.md"),
    *("-rf", "--help.md", "a/-x.md"),
    *("x" * 256, "é" * 128 + ".md", "a/" * 600 + "x.md", "\u0000" * 5000, "\ud800" * 500),
]

FINE = [
    *("a", "a.md", "notes/2026/today.md", "a b.md", "a-b.md", "a--b", "_a.md", "a.b.c.md", "A/B/C.md"),
    *(
        "日本語.md",
        "café.md",
        unicodedata.normalize("NFD", "café.md"),
        "emoji 😀.md",
        "❤️.md",
        "straße.md",
        "привет/мир.md",
    ),
    *(
        "שלום.md",
        "wait….md",
        "なぜ？.md",
        "½.md",
        "100% sure.md",
        "50%-60%.md",
        "it's (1) [x] {y} + = @ # & ! , ; `.md",
        "a..b.md",
    ),
    *(
        "console.md",
        "com10.md",
        "nully/auxiliary.md",
        "a.con",
        "company/lpt.md",
        "git/x.md",
        "legit.md",
        "a~b.md",
        "a$b.md",
    ),
    *(".squad/decisions.md", ".ai-team/x/y.md", ".memdown/lock", "x" * 255, "D-0001", "T21", "0195-uuid/x", "%41.md"),
]


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_hostile_names_are_refused_in_one_sentence(tmp_path: Path, name: str) -> None:
    for call in (
        lambda: check_name(name, ALLOWED),
        lambda: Files(tmp_path, hidden=ALLOWED).save(name, "x", over=None),
        lambda: Files(tmp_path, hidden=ALLOWED).read(name),
        lambda: Files(tmp_path, hidden=ALLOWED).delete(name, over="x"),
        lambda: Files(tmp_path, hidden=ALLOWED).rename(name, "x.md", over="x"),
        lambda: Files(tmp_path, hidden=ALLOWED).rename("x.md", name, over="x"),
    ):
        with pytest.raises(Refused) as caught:
            call()
        sentence = str(caught.value)
        assert sentence.isprintable()
        assert len(sentence) < 300
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", FINE, ids=ascii)
def test_plain_names_are_fine_and_unchanged(name: str) -> None:
    assert check_name(name, ALLOWED) == name


def test_git_is_refused_even_when_asked_for() -> None:
    for name in (".git", ".GIT", ".git/x"):
        with pytest.raises(Refused):
            check_name(name, frozenset({".git", ".GIT"}))
    assert is_git(".GiT.")
    assert not is_git("git")


def test_long_names_are_cut_in_messages() -> None:
    assert len(quote("x" * 5000)) <= 80
    assert quote("a\nb") == r"'a\nb'"


def refusal(name: str) -> str:
    try:
        assert check_name(name) == name
    except Refused as error:
        return str(error)
    return ""


PARTS = st.sampled_from(["..", ".", "a", "/", "//", "\\", ":", "~", "%2e", ".git", "．", "／", "\x00", " ", "CON", "é"])


@given(st.one_of(st.text(), st.lists(PARTS, max_size=8).map("".join)))
def test_a_name_is_refused_or_stays_inside(name: str) -> None:
    root = Path("/nowhere/root")
    why = refusal(name)
    assert why.isprintable()
    assert len(why) < 300
    if not why:
        joined = os.path.normpath(root / name)
        assert Path(joined).is_relative_to(root)
        assert joined != str(root)


@given(st.text(), st.text())
def test_names_of_one_place_are_recognised(one: str, other: str) -> None:
    assert same_place(one.upper()) == same_place(one.upper().lower()) or not one.isascii()
    if unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other):
        assert same_place(one) == same_place(other)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root" / "real").mkdir(parents=True)
    (tmp_path / "root" / "real" / "a.md").write_text("a")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.md").write_text("secret")
    return tmp_path / "root"


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("out", "../outside"),
        ("absolute", "/etc"),
        ("dangling", "nowhere"),
        ("loop", "loop"),
        ("top", ".."),
        ("real/deep", "../../outside"),
        ("git", ".git"),
    ],
)
def test_links_that_lead_out_or_nowhere_are_refused(root: Path, link: str, target: str) -> None:
    (root / ".git").mkdir()
    (root / link).symlink_to(target)
    files = Files(root)
    for name in (f"{link}/secret.md", f"{link}/new.md", f"{link}/new/x.md"):
        for call in (lambda: files.read(name), lambda: files.save(name, "x", over=None), lambda: files.exists(name)):  # noqa: B023
            with pytest.raises(Refused):
                call()
    assert sorted(path.name for path in (root.parent / "outside").iterdir()) == ["secret.md"]
    assert list((root / ".git").iterdir()) == []


def test_a_link_to_a_file_outside_is_refused(root: Path) -> None:
    (root / "x.md").symlink_to("../outside/secret.md")
    (root / "chain.md").symlink_to("x.md")
    for name in ("x.md", "chain.md"):
        with pytest.raises(Refused, match="out of the root"):
            Files(root).read(name)


def test_a_link_that_stays_inside_is_fine(root: Path) -> None:
    (root / "link").symlink_to("real")
    (root / "a.md").symlink_to("real/a.md")
    jail = Jail(root)
    assert jail.path("link/a.md") == jail.path("a.md") == root / "real" / "a.md"
    assert jail.path("link/new/x.md") == root / "real" / "new" / "x.md"
    assert jail.entry("a.md") == root / "a.md"


def test_the_root_may_be_a_link(root: Path) -> None:
    (root.parent / "alias").symlink_to("root")
    jail = Jail(root.parent / "alias")
    assert jail.path("real/a.md") == root / "real" / "a.md"
    assert jail.name_of(root.parent / "alias" / "real" / "a.md", Path("/")) == "real/a.md"
    assert jail.name_of(root / "real" / "a.md", Path("/")) == "real/a.md"


@pytest.mark.parametrize(
    ("given", "cwd", "name"),
    [
        ("a.md", "real", "real/a.md"),
        ("./a.md", "real", "real/a.md"),
        ("../x.md", "real", "x.md"),
        ("real//a.md", ".", "real/a.md"),
        ("real/", ".", "real"),
        (".", ".", ""),
        ("new/folder/x.md", ".", "new/folder/x.md"),
        ("link/a.md", ".", "link/a.md"),
        ("a.md", "../into", "real/a.md"),
    ],
)
def test_paths_people_give_become_names(root: Path, given: str, cwd: str, name: str) -> None:
    (root / "link").symlink_to("real")
    (root.parent / "into").symlink_to("root/real")
    assert Jail(root).name_of(given, root / cwd) == name
    assert Jail(root).name_of(Path(given), root / cwd) == name
    assert Jail(root).name_of(os.path.normpath(root / cwd / given), Path("/")) == name


@pytest.mark.parametrize(
    "given",
    [
        "",
        "..",
        "real/../x.md",
        "/etc/../etc/passwd",
        "../outside/secret.md",
        "/etc/passwd",
        "../../..",
        "a\0b",
        ".git/config",
        "a:b",
        "../rootless/x",
    ],
)
def test_paths_outside_are_refused(root: Path, given: str) -> None:
    with pytest.raises(Refused):
        Jail(root).name_of(given, root)


def test_name_of_uses_the_current_folder(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root / "real")
    assert Files(root).name_of("a.md") == "real/a.md"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_what_is_no_file_is_never_opened(root: Path) -> None:
    os.mkfifo(root / "pipe.md")
    (root / "folder.md").mkdir()
    files = Files(root)
    for name in ("pipe.md", "folder.md"):
        with pytest.raises(Unreadable):
            files.read(name)
        with pytest.raises(Unreadable):
            files.save(name, "x", over=None)
        with pytest.raises(Unreadable):
            files.delete(name, over="x")


@pytest.mark.parametrize(
    ("there", "new"),
    [
        ("foo.md", "Foo.md"),
        ("café.md", unicodedata.normalize("NFD", "café.md")),
        (unicodedata.normalize("NFD", "É.md"), "é.md"),
        ("Notes/a.md", "notes/b.md"),
        ("a/Deep/x.md", "a/deep/y/z.md"),
        ("straße.md", "STRASSE.md"),
    ],
)
def test_names_that_only_case_or_accents_tell_apart_clash(tmp_path: Path, there: str, new: str) -> None:
    files = Files(tmp_path)
    files.save(there, "x", over=None)
    with pytest.raises(Refused, match="cannot hold both"):
        files.save(new, "y", over=None)
    with files.group() as group:
        group.save("p/q.md", "", over=None)
    with pytest.raises(Refused, match="cannot hold both"):
        save_all(files, "p/r.md", new)
    with pytest.raises(Refused, match="cannot hold both"):
        files.rename("p/q.md", new, over="")
    assert sorted(files.walk("")) == sorted([there, "p/q.md"])


def save_all(files: Files, *names: str) -> None:
    with files.group() as group:
        for name in names:
            group.save(name, "", over=None)


def test_new_names_clash_with_each_other(tmp_path: Path) -> None:
    files = Files(tmp_path)
    with pytest.raises(Refused, match="cannot hold both"):
        save_all(files, "a/x.md", "A/y.md")
    assert list(files.walk("")) == []


def test_a_clash_that_is_there_already_does_not_stop_work(tmp_path: Path) -> None:
    for folder in ("a", "A"):
        (tmp_path / folder).mkdir()
    if len(list(tmp_path.iterdir())) == 1:
        pytest.skip("this file system cannot hold both")
    Files(tmp_path).save("a/x.md", "", over=None)
    Files(tmp_path).save("A/y.md", "", over=None)


def tree(base: Path, *names: str) -> None:
    for name in names:
        (base / name).mkdir(parents=True, exist_ok=True)


def holds_memory(folder: Path) -> bool:
    return (folder / "memory").is_dir()


def test_the_root_is_the_nearest_folder_with_memory(tmp_path: Path) -> None:
    tree(tmp_path, "repo/.git", "repo/memory", "repo/app/memory", "repo/app/src", "repo/lib/src")
    assert find_root(tmp_path / "repo/app/src", holds_memory) == tmp_path / "repo/app"
    assert find_root(tmp_path / "repo/lib/src", holds_memory) == tmp_path / "repo"


def test_the_root_is_never_above_the_git_root(tmp_path: Path) -> None:
    tree(tmp_path, "memory", "repo/.git", "repo/src", "worktree/src")
    (tmp_path / "worktree/.git").write_text("gitdir: ../repo/.git/worktrees/worktree\n")
    assert find_root(tmp_path / "repo/src", holds_memory) == tmp_path / "repo"
    assert find_root(tmp_path / "worktree/src", holds_memory) == tmp_path / "worktree"


def test_without_git_the_home_folder_is_only_a_root_from_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(
        tmp_path,
        "memory",
        "home/memory",
        "home/project/memory",
        "home/project/src",
        "home/other",
        "srv/memory",
        "srv/x",
    )
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    assert find_root(tmp_path / "home/project/src", holds_memory) == tmp_path / "home/project"
    assert find_root(tmp_path / "home/other", holds_memory) == tmp_path / "home/other"
    assert find_root(tmp_path / "home", holds_memory) == tmp_path / "home"
    assert find_root(tmp_path, holds_memory) == tmp_path
    assert find_root(tmp_path / "srv/x", holds_memory) == tmp_path / "srv"


def test_a_link_to_a_neighbour_whose_name_begins_as_the_root_does_is_refused(root: Path) -> None:
    neighbour = root.with_name(f"{root.name}-more")
    neighbour.mkdir()
    (neighbour / "x.md").write_text("x")
    (root / "near").symlink_to(neighbour)
    with pytest.raises(Refused, match="leads out of the root"):
        Jail(root).path("near/x.md")
    with pytest.raises(Refused, match="outside"):
        Jail(root).name_of(neighbour / "x.md", root)


@pytest.mark.skipif(os.name == "nt", reason="no such file can be there")
def test_a_log_named_by_its_time_is_read() -> None:
    for name in ("log/2026-03-14T19:00:00Z-done.md", "log/2026-03-20T11:32Z-x.md", "2026-03-22T14:41-scribe.md"):
        assert check_name(name) == name
    for name in (
        "2026-03-14T19:00:00Z:stream.md",
        "T19:00.md",
        "2026-03-14:x.md",
        "a:2026-03-14T19:00Z.md",
        "19:00-x.md",
    ):
        with pytest.raises(Refused):
            check_name(name)


def test_a_folder_that_is_listed_and_cannot_be_looked_at_is_not_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "there").mkdir()
    put(tmp_path, "file", "")
    assert spelled(tmp_path, ["There", "file", "none"]) == {"There": "there", "file": None, "none": None}
    looked = os.stat

    def refused(path: str) -> os.stat_result:
        if str(path).endswith("there"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return looked(path)

    monkeypatch.setattr(os, "stat", refused)
    with pytest.raises(PermissionError):
        spelled(tmp_path, ["there"])
