"""The derived index: it holds what the files hold, whatever happened to them, to it, or around it."""

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import forks
from conftest import Ran
from memdown import VERSION, dialects
from memdown.dialects import relations
from memdown.index import Index, coverage, rebuild, sqlite, sync
from memdown.index.hook_state import State
from memdown.index.records import load
from memdown.index.rows import Rows
from memdown.index.sqlite import remove
from memdown.index.sync import watch
from memdown.index.words import parts, spellings
from memdown.memory import Memory
from samples import put

ONE = "11111111-1111-4111-8111-111111111111"
TWO = "22222222-2222-4222-8222-222222222222"
LOG = """# Decisions

What we keep here is prose about zebras.

### 2026-02-15T14:32:15-0800: decision: Use SQLite for the cache

**type:** decision
**timestamp:** 2026-02-15T14:32:15-0800
**author:** Ann
**tags:** database, cache

**summary:** SQLite, since it needs no server.

**details:**

One file is easy to copy.

---

### 2026-03-01T09:00:00+0000: decision: Use PostgreSQL for the cache

**type:** decision
**timestamp:** 2026-03-01T09:00:00+0000
**author:** Bob
**supersedes:** 2026-02-15T14:32:15-0800

**summary:** Several machines write now.

**details:**

One server, many clients.

---
"""
NOTHING = {"changed": 0, "removed": 0, "renamed": 0}


def card(id: str, subject: str, body: str, more: str = "") -> str:
    return (
        f'---\nid: {id}\nsubject: "{subject}"\nkeywords:\n  - alpha\n  - "beta gamma"\napplies_to: global\n'
        f'occurred_at: "2026-01-02T03:04:05.000Z"\ncontent_hash: "0123456789abcdef"\n{more}---\n\n{body}\n'
    )


def refreshed(root: Path, **how: Any) -> tuple[Index, dict[str, int | float]]:
    return sync.refresh(str(root), **how)


def done(counts: dict[str, int | float]) -> dict[str, int | float]:
    return {name: counts[name] for name in NOTHING}


def found(root: Path, words: str) -> set[str]:
    """The titles, or ids, of records that have words; they are asked of an index that is up to date."""
    index, _ = refreshed(root)
    asked = "select coalesce(title, id) from words join record on record.rowid = words.rowid where words match ?"
    rows = index.connection.execute(asked, (words,)).fetchall()
    index.close()
    return {title for (title,) in rows}


def content(root: Path) -> list[object]:
    """All that an index says, without the numbers of rows."""
    index, _ = refreshed(root)
    connection = index.connection
    places = {
        rowid: place
        for rowid, *place in connection.execute("select rowid, path, start, end, kind, id from record").fetchall()
    }
    told: list[object] = connection.execute("select path, size, digest, dialect from file order by path").fetchall()
    rows = connection.execute("select * from record join words on words.rowid = record.rowid").fetchall()
    told += sorted(repr(row[2:]) for row in rows)
    for table in ("tag", "person", "link"):
        told += sorted(repr((table, places[row[0]], row[1:])) for row in connection.execute(f"select * from {table}"))
    told += sorted(repr((places[one], places[other])) for one, other in connection.execute("select * from replaced"))
    # The words as the tokenizer cut them.
    connection.execute("create virtual table temp.vocabulary using fts5vocab (main, words, instance)")
    terms = connection.execute("select term, doc, col, offset from temp.vocabulary").fetchall()
    told += sorted(repr((term, places[doc], col, offset)) for term, doc, col, offset in terms)
    index.close()
    return told


def anew(root: Path, copies: Path) -> list[object]:
    """The same of an index that is made from the files alone."""
    shutil.rmtree(copies, ignore_errors=True)
    shutil.copytree(root, copies, ignore=shutil.ignore_patterns(".memdown"))
    return content(copies)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    put(folder, f"memories/{ONE}.md", card(ONE, "Where the cache is", "It is in getUserById, in src/cache.py."))
    put(folder, f"memories/{TWO}.md", card(TWO, "Über die Straße", "日本語のテスト, naïve café"))
    put(folder, ".squad/decisions.md", LOG)
    return folder


# What is found


@pytest.mark.parametrize(
    ("asked", "title"),
    [
        ("caching", "Where the cache is"),
        ("user", "Where the cache is"),
        ('"user by id"', "Where the cache is"),
        ("getuserbyid", "Where the cache is"),
        ('"src cache py"', "Where the cache is"),
        ("uber", "Über die Straße"),
        ("cafe", "Über die Straße"),
        ('"本語"', "Über die Straße"),
        ('tags : "beta gamma"', "Über die Straße"),
        ("dated : january", "Über die Straße"),
        ("machines", "Use PostgreSQL for the cache"),
        ("zebras", ".squad/decisions.md:1"),
        ("bob", "Use PostgreSQL for the cache"),
    ],
)
def test_words_are_found_wherever_they_stand(root: Path, asked: str, title: str) -> None:
    assert title in found(root, asked)


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("plain words and user_by_id", ""),
        ("getUserById", "get User By Id"),
        ("HTTPServer and APIs", "HTTP Server"),
        ("get_userById", "get user By Id"),
        ("日本語", "日本 本語 語"),
        ("使用PostgreSQL数据", "Postgre SQL 使用 用 PostgreSQL 数据 据"),
        ("ＡＢＣ", "ABC"),
    ],
)
def test_parts_of_names_and_of_unspaced_writing(text: str, added: str) -> None:
    assert parts(text) == added


@pytest.mark.parametrize(
    ("word", "phrases"),
    [
        ("user_by_id", ["user_by_id"]),
        ("getUserById", ["getUserById", "get User By Id"]),
        ("日本語", ["日本 本語"]),
        ("語", ["語*"]),
    ],
)
def test_a_word_in_a_question_is_cut_as_in_a_text(word: str, phrases: list[str]) -> None:
    assert spellings(word) == phrases


@given(st.text())
def test_cutting_never_fails(text: str) -> None:
    parts(text)
    spellings(text)


@pytest.mark.parametrize("text", ["aA" * 1_000_000, "A" * 2_000_000, "a" * 2_000_000, "日" * 500_000, "日a" * 300_000])
def test_cutting_takes_linear_time(text: str) -> None:
    started = time.process_time()
    parts(text)
    assert time.process_time() - started < 10


def test_records_come_back_as_they_were_read(root: Path) -> None:
    index, _ = refreshed(root)
    back = load(index.connection, "kind != 'prose'")
    index.close()
    memory = Memory.open(root)
    links = {(record.path, record.span): record for record in memory.find()}
    assert {(record.path, record.span): record for record in back.values()} == links


def test_replaced_records_are_marked(root: Path) -> None:
    index, _ = refreshed(root)
    asked = "select words.title, superseded from record join words on words.rowid = record.rowid where kind = 'decision' order by instant"
    rows = index.connection.execute(asked).fetchall()
    assert rows == [("Use SQLite for the cache", 1), ("Use PostgreSQL for the cache", 0)]
    put(root, ".squad/decisions.md", LOG.replace("**supersedes:** 2026-02-15T14:32:15-0800\n", ""))
    index, _ = refreshed(root, index=index)
    assert index.connection.execute("select sum(superseded) from record").fetchone() == (0,)
    index.close()


def test_an_entry_that_says_itself_that_it_is_over_stays_so_without_its_successor(root: Path) -> None:
    old = "# Decisions\n\n### 2026-02-15: Use Redis [superseded]\n**By:** Ann\n\nFast.\n\n"
    successor = LOG[LOG.index("### 2026-03") :].replace("2026-02-15T14:32:15-0800", "2026-02-15 Use Redis")
    put(root, ".squad/decisions.md", old)
    put(root, ".squad/decisions-archive.md", successor)
    asked = (
        "select count(*) from record join words on words.rowid = record.rowid where superseded and title like '%Redis%'"
    )
    index, _ = refreshed(root)
    replaced = index.connection.execute("select count(*) from replaced").fetchone()
    assert (index.connection.execute(asked).fetchone(), replaced) == ((1,), (1,))
    (root / ".squad/decisions-archive.md").unlink()
    index, _ = refreshed(root, index=index)
    replaced = index.connection.execute("select count(*) from replaced").fetchone()
    assert (index.connection.execute(asked).fetchone(), replaced) == ((1,), (0,))
    index.close()


def test_a_session_key_makes_neighbours_of_files(root: Path) -> None:
    for turn in (10, 9, 2):
        put(root, f"memories/turn-{turn}.md", card("x", f"Turn {turn}", "Hello there.", "session: S1\n"))
    index, _ = refreshed(root)
    asked = "select path, ordinal from record where session = 'S1' order by ordinal"
    expected = [(f"memories/turn-{turn}.md", place) for place, turn in enumerate((2, 9, 10))]
    assert index.connection.execute(asked).fetchall() == expected
    (root / "memories/turn-2.md").unlink()
    index, _ = refreshed(root, index=index)
    assert index.connection.execute(asked).fetchall() == [(path, place - 1) for path, place in expected[1:]]
    index.close()


def test_bytes_that_are_not_utf8_do_not_stop_it(root: Path) -> None:
    (root / f"memories/{ONE}.md").write_bytes(card(ONE, "Bytes", "caf\u00e9 zwei").encode("latin-1") + b"\x00\r\nend\n")
    assert found(root, "zwei") == {"Bytes"}


@pytest.mark.corpus
def test_every_word_of_real_files_is_held(some_of_corpus: list[Path]) -> None:
    """But for the names of a card's own keys, and of the fields of an entry."""
    index = Index.in_memory()
    index.clear()
    lost = {}
    for number, path in enumerate(each for each in some_of_corpus if each.suffix == ".md"):
        text = path.read_bytes().decode("utf-8", "replace")
        document = dialects.parse(path.as_posix().lstrip("/"), text)
        if document.dialect in (None, "cards"):
            continue
        rows = Rows(index.connection, relations.expires)
        rows.add(number, document, (0, 0, 0, 0, b"", 0))
        rows.flush()
        asked = "select title, tags, summary, body, about from words where rowid in (select rowid from record where file = ?)"
        held = " ".join(each or "" for row in index.connection.execute(asked, (number,)) for each in row)
        missing = coverage.missing(coverage.without_names(document.dialect, text), "", held)
        if missing:
            lost[path.name] = missing[:100]
        rows.remove(number)
    index.close()
    assert lost == {}


# Keeping up with files


def test_nothing_changed_reads_nothing(root: Path) -> None:
    index, first = refreshed(root)
    assert done(first) == {"changed": 3, "removed": 0, "renamed": 0}
    assert (first["files"], first["records"]) == (3, 4)
    index, second = refreshed(root, index=index)
    assert done(second) == NOTHING
    assert (second["files"], second["records"]) == (3, 4)
    index.close()


def test_only_what_changed_is_read(root: Path) -> None:
    refreshed(root)[0].close()
    put(root, f"memories/{ONE}.md", card(ONE, "Moved", "Elsewhere."))
    index, counts = refreshed(root)
    assert done(counts) == {"changed": 1, "removed": 0, "renamed": 0}
    index.close()
    assert found(root, "elsewhere") == {"Moved"}
    assert found(root, "getuserbyid") == set()


def test_a_racing_edit_of_the_same_size_and_time_is_seen(root: Path) -> None:
    path = root / f"memories/{ONE}.md"
    path.write_text(card(ONE, "Race", "First words."))
    state = path.stat()
    refreshed(root)[0].close()
    path.write_text(card(ONE, "Race", "Other words."))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert found(root, "other") == {"Race"}


def test_many_edits_in_a_row_are_all_seen(root: Path) -> None:
    path = root / f"memories/{ONE}.md"
    index = None
    for number in range(40):
        path.write_text(card(ONE, "Race", f"Number n{number}n is here."))
        index, _ = refreshed(root, index=index)
        hits = index.connection.execute("select count(*) from words where words match ?", (f"n{number}n",)).fetchone()
        assert hits == (1,), number
    assert index is not None
    index.close()


def test_an_index_settles_when_files_have_been_quiet(root: Path) -> None:
    index, _ = refreshed(root)
    time.sleep(0.2)
    index, _ = refreshed(root, index=index)
    assert sync.unchanged(str(root), index)[0] is not None
    index.close()


def test_a_renamed_file_keeps_its_number(root: Path) -> None:
    asked = "select number, path from file where path like 'memories/%' order by number"
    index, _ = refreshed(root)
    before = index.connection.execute(asked).fetchall()
    (root / f"memories/{ONE}.md").rename(root / "memories/cache.md")
    index, counts = refreshed(root, index=index)
    assert done(counts) == {"changed": 1, "removed": 0, "renamed": 1}
    assert index.connection.execute(asked).fetchall() == [
        (number, path.replace(ONE, "cache")) for number, path in before
    ]
    index.close()


def test_deleted_files_are_gone(root: Path) -> None:
    refreshed(root)[0].close()
    (root / f"memories/{ONE}.md").unlink()
    shutil.rmtree(root / ".squad")
    index, counts = refreshed(root)
    assert done(counts) == {"changed": 0, "removed": 2, "renamed": 0}
    assert counts["files"] == 1
    index.close()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs permissions that bind")
def test_a_folder_that_cannot_be_listed_keeps_its_records(root: Path) -> None:
    refreshed(root)[0].close()
    (root / "memories").chmod(0)
    told: list[str] = []
    try:
        index, counts = refreshed(root, tell=told.append)
    finally:
        (root / "memories").chmod(0o755)
    assert counts["removed"] == 0
    assert index.connection.execute("select count(*) from file").fetchone() == (3,)
    assert len(told) == 1
    index.close()


def test_what_is_not_a_file_keeps_its_records(root: Path) -> None:
    """An error while reading says nothing about the memory: what was known stays."""
    refreshed(root)[0].close()
    target = root / "elsewhere.txt"
    (root / f"memories/{ONE}.md").rename(target)
    (root / f"memories/{ONE}.md").symlink_to(root / "memories" / f"{ONE}.md")
    told: list[str] = []
    index, _ = refreshed(root, tell=told.append)
    assert told
    index.close()


def test_a_new_home_is_seen_however_it_is_spelled(root: Path) -> None:
    refreshed(root)[0].close()
    put(root, "Memory-Bank/progress.md", "# Progress\n\n## Completed\n\n- [x] Quokka shipped\n")
    assert found(root, "quokka")


def test_another_folder_in_the_settings_is_read(root: Path) -> None:
    put(root, "notes/a.md", card("x", "In notes", "Capybara."))
    assert found(root, "capybara") == set()
    put(root, "memdown.toml", '[cards]\nfolder = "notes"\n')
    assert found(root, "capybara") == {"In notes"}
    put(root, "memdown.toml", "")
    assert found(root, "capybara") == set()


def test_links_to_files_are_followed_inside_and_refused_outside(root: Path, tmp_path: Path) -> None:
    put(tmp_path, "outside.md", card("x", "Outside", "Capybara."))
    put(root, "kept/inside.md", card("x", "Inside", "Axolotl."))
    (root / "memories/out.md").symlink_to(tmp_path / "outside.md")
    (root / "memories/in.md").symlink_to(root / "kept/inside.md")
    assert found(root, "capybara") == set()
    assert found(root, "axolotl") == {"Inside"}
    put(root, "kept/inside.md", card("x", "Inside", "Narwhal."))
    assert found(root, "narwhal") == {"Inside"}


NAMES = st.sampled_from(
    [f"memories/{ONE}.md", "memories/a.md", "memories/b/c.md", ".squad/decisions.md", "memory-bank/progress.md"]
)
TEXTS = st.sampled_from(
    [
        card(ONE, "One", "Body of one, fooBar."),
        card(TWO, "Two", "Body of two.", "session: S\n"),
        card("x", "Three", "Body.", "session: S\n"),
        LOG,
        LOG.replace("Ann", "Cid"),
        "# Progress\n\n## Completed\n\n- [x] Done\n",
        "",
    ]
)
EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), NAMES, TEXTS),
        st.tuples(st.just("delete"), NAMES, st.just("")),
        st.tuples(st.just("move"), NAMES, NAMES),
        st.tuples(st.just("look"), st.just(""), st.just("")),
    ),
    max_size=12,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(EDITS)
def test_after_any_edits_it_is_what_a_new_one_would_be(tmp_path: Path, edits: list[tuple[str, str, str]]) -> None:
    folder = tmp_path / "edited"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for act, name, other in edits:
        if act == "write":
            put(folder, name, other)
        elif act == "delete":
            (folder / name).unlink(missing_ok=True)
        elif act == "move" and (folder / name).exists():
            (folder / other).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).replace(folder / other)
        elif act == "look":
            refreshed(folder)[0].close()
    assert content(folder) == anew(folder, tmp_path / "anew")


# An index that is damaged, foreign, old, deleted, or cannot be written


@pytest.mark.parametrize(
    "data", [b"not a database at all, but long enough to look at", b"SQLite format 3\0" + b"\xff" * 8000]
)
def test_a_damaged_index_is_made_anew_and_told(root: Path, data: bytes) -> None:
    refreshed(root)[0].close()
    for left in (root / ".memdown").glob("index.db*"):
        left.unlink()
    (root / ".memdown/index.db").write_bytes(data)
    told: list[str] = []
    index, counts = refreshed(root, tell=told.append)
    index.close()
    assert counts["changed"] == 3
    assert len(told) == 1
    assert "rebuilt from the files" in told[0]


def test_bytes_overwritten_in_the_middle_are_noticed_when_they_are_met(root: Path) -> None:
    refreshed(root)[0].close()
    path = root / ".memdown/index.db"
    data = bytearray(path.read_bytes())
    data[4096:] = os.urandom(len(data) - 4096)
    path.write_bytes(data)
    told: list[str] = []
    put(root, f"memories/{ONE}.md", card(ONE, "After", "Mended."))
    index, _ = refreshed(root, tell=told.append)
    index.close()
    assert len(told) == 1
    assert found(root, "mended") == {"After"}


def test_a_page_that_a_search_finds_damaged_makes_the_index_anew(root: Path) -> None:
    put(root, f"memories/{ONE}.md", card(ONE, "Striped", "About zebras."))
    time.sleep(0.1)  # files that have been quiet are not read again, so that only the search meets what is damaged
    memory = Memory.open(root)
    sound = memory.search("zebras")
    memory.indexed().close()
    index = root / ".memdown/index.db"
    whole = index.read_bytes()
    told = []
    for page in range(1, len(whole) // 4096):
        data = bytearray(whole)
        data[page * 4096 : page * 4096 + 4096] = b"\xff" * 4096
        for companion in index.parent.glob("index.db-*"):
            companion.unlink()
        index.write_bytes(data)
        memory = Memory.open(root)
        found = memory.search("zebras")
        assert [(hit.mark, hit.snippet) for hit in found.hits] == [(hit.mark, hit.snippet) for hit in sound.hits]
        heard = memory.notices()
        assert len(heard) <= 1
        told += heard
        memory.indexed().close()
    assert len(told) > 3
    assert set(told) == {"the index is damaged, and is rebuilt from the files"}


def test_a_truncated_index_is_made_anew(root: Path) -> None:
    refreshed(root)[0].close()
    path = root / ".memdown/index.db"
    path.write_bytes(path.read_bytes()[:8192])
    put(root, f"memories/{ONE}.md", card(ONE, "After", "Mended."))
    assert found(root, "mended") == {"After"}


def test_an_empty_file_is_filled(root: Path) -> None:
    put(root, ".memdown/index.db", "")
    assert found(root, "zebras")


def test_a_foreign_database_is_replaced(root: Path) -> None:
    (root / ".memdown").mkdir()
    other = sqlite3.connect(root / ".memdown/index.db")
    other.execute("create table theirs (a)")
    other.commit()
    other.close()
    told: list[str] = []
    index, _ = refreshed(root, tell=told.append)
    assert told == ["the index is not an index of memdown, and is rebuilt from the files"]
    assert index.connection.execute("select count(*) from file").fetchone() == (3,)
    index.close()


def test_a_checkout_derives_anew_after_each_commit_that_comes(tmp_path: Path) -> None:
    module = put(tmp_path, "src/memdown/index/sqlite.py", "")
    log = put(tmp_path, ".git/logs/HEAD", "0 1 clone\n")
    before = sqlite.deriving_code(str(module))
    assert sqlite.deriving_code(str(module)) == before
    log.write_text(log.read_text() + "1 2 pull\n")
    assert sqlite.deriving_code(str(module)) != before


def test_an_installed_package_derives_by_its_release_whatever_is_around(tmp_path: Path) -> None:
    module = put(tmp_path, "vendor/memdown/index/sqlite.py", "")
    put(tmp_path, ".git/logs/HEAD", "0 1 commit\n")
    assert sqlite.deriving_code(str(module)) == VERSION


def test_an_index_of_other_code_is_made_anew(root: Path) -> None:
    index, _ = refreshed(root)
    index.connection.execute("update meta set value = '0.1.0 12 34' where key = 'version'")
    index.close()
    told: list[str] = []
    index, counts = refreshed(root, tell=told.append)
    index.close()
    assert (counts["changed"], told) == (
        3,
        ["the index was made by another version of memdown and is rebuilt from the files"],
    )


def test_an_old_index_is_made_anew(root: Path) -> None:
    index, _ = refreshed(root)
    index.connection.execute("pragma user_version = 0x7fff")
    index.connection.execute("create table gone (a)")
    index.close()
    told: list[str] = []
    index, counts = refreshed(root, tell=told.append)
    assert told == ["the index was made by another version of memdown and is rebuilt from the files"]
    assert counts["changed"] == 3
    assert index.connection.execute("select count(*) from sqlite_master where name = 'gone'").fetchone() == (0,)
    index.close()


def test_deleting_the_folder_under_an_open_index_loses_nothing(root: Path) -> None:
    index, _ = refreshed(root)
    shutil.rmtree(root / ".memdown")
    put(root, f"memories/{ONE}.md", card(ONE, "After", "Mended."))
    index, counts = refreshed(root, index=index)
    assert counts["changed"] == 3
    assert (root / ".memdown/index.db").is_file()
    assert (root / ".memdown/.gitignore").is_file()
    index.close()


def test_where_nothing_can_be_written_the_index_is_in_memory(root: Path) -> None:
    put(root, ".memdown", "a file where the folder belongs")
    told: list[str] = []
    index, counts = refreshed(root, tell=told.append)
    assert index.path is None
    assert counts["changed"] == 3
    assert len(told) == 1
    again, counts = refreshed(root, index=index, tell=told.append)
    assert again is index
    assert done(counts)["removed"] == 0
    index.close()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs permissions that bind")
def test_a_read_only_folder_is_searched_from_memory(root: Path) -> None:
    root.chmod(0o555)
    try:
        assert found(root, "zebras")
    finally:
        root.chmod(0o755)


# Links in the place of its folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Another project's state, with an index of its own, and one of hooks."""
    other = tmp_path / "other"
    put(other, f"memories/{ONE}.md", card(ONE, "Elsewhere", "The giraffes of others."))
    refreshed(other)[0].close()
    State(str(other)).close()
    return other / ".memdown"


@pytest.mark.skipif(os.name != "posix", reason="needs links")
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("there", [False, True])
def test_a_link_that_takes_the_place_of_the_folder_is_not_followed(
    root: Path, outside: Path, monkeypatch: pytest.MonkeyPatch, when: str, there: bool
) -> None:
    if there:
        refreshed(root)[0].close()
        put(root, f"memories/{ONE}.md", card(ONE, "After", "The zebras once more."))
    else:
        (root / ".memdown").mkdir()
    before = {path.name: path.read_bytes() for path in outside.rglob("*") if path.is_file()}
    link = root / ".memdown"

    real: Callable[..., sqlite3.Connection] = sqlite3.connect

    def swapped(place: str, *args: Any, **more: Any) -> sqlite3.Connection:
        if place == ":memory:":
            return real(place, *args, **more)
        if when == "after":  # for as long as the connection is used
            connection = real(place, *args, **more)
            swap()
            return connection
        swap()
        try:
            return real(place, *args, **more)
        finally:
            link.unlink()
            (root / "aside").rename(link)

    def swap() -> None:
        if not link.is_symlink():
            link.rename(root / "aside")
            link.symlink_to(outside, target_is_directory=True)

    monkeypatch.setattr(sqlite3, "connect", swapped)
    monkeypatch.setattr("memdown.index.sqlite._PAUSES", (0.0, 0.0))
    index, _ = refreshed(root)
    assert index.connection.execute("select count(*) from words where words match 'zebras'").fetchone() > (0,)
    assert index.connection.execute("select count(*) from words where words match 'giraffes'").fetchone() == (0,)
    index.close()
    if link.is_symlink():
        link.unlink()
        (root / "aside").rename(link)
    try:
        with closing(State(str(root))) as state:
            state.began("a session")
    except sqlite3.OperationalError:
        assert when == "before"
    assert {path.name: path.read_bytes() for path in outside.rglob("*") if path.is_file()} == before


@pytest.mark.skipif(os.name != "posix", reason="needs links")
def test_an_index_is_not_removed_through_a_link(root: Path, outside: Path) -> None:
    (root / ".memdown").symlink_to(outside, target_is_directory=True)
    with pytest.raises(OSError, match=r"\.memdown"):
        remove(str(root / ".memdown/index.db"))
    assert (outside / "index.db").is_file()


def test_no_files_are_made_beside_the_index(root: Path) -> None:
    index, _ = refreshed(root)
    with index.writing() as connection:
        connection.execute("delete from link")
        assert [path.name for path in (root / ".memdown").iterdir() if path.name.startswith("index")] == ["index.db"]
    index.close()


@pytest.mark.parametrize("at", ["in the change", "before the mark is taken away"])
def test_an_index_whose_writer_died_is_made_anew(root: Path, at: str) -> None:
    refreshed(root)[0].close()
    index, told = Index.open(str(root / ".memdown/index.db")), list[str]()
    assert index is not None
    change = index.writing()
    change.__enter__().execute("delete from record")
    reader = Index.open(str(root / ".memdown/index.db"))  # while it is being written, it is as it was
    assert reader is not None
    assert reader.is_current()
    if at != "in the change":
        index.connection.execute("commit")
    index.connection.close()  # as when the process dies
    assert not reader.is_current()
    reader.close()
    index, counts = refreshed(root, tell=told.append)
    index.close()
    assert counts["changed"] == 3
    assert told == ["the index is damaged, and is rebuilt from the files"]
    assert content(root) == anew(root, root.parent / "anew")


def records_in(index: Index) -> int:
    return int(index.connection.execute("select count(*) from record").fetchone()[0])


def beside(root: Path) -> list[str]:
    return sorted(path.name for path in (root / ".memdown").glob("index*"))


@pytest.mark.skipif(os.name == "nt", reason="no file takes the place of an open one")
def test_while_an_index_is_made_anew_others_use_the_old_one(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And pages go to the disk as they come, so that a large index need not be held in memory."""
    monkeypatch.setattr("memdown.index.rebuild._PAGES", 16)
    monkeypatch.setattr("memdown.index.rows._FULL", 5)
    for number in range(40):
        put(root, f"memories/long{number}.md", card(ONE, f"Long {number}", "zebras and giraffes " * 500))
    refreshed(root)[0].close()
    index = Index.open(str(root / ".memdown/index.db"))
    assert index is not None
    known, sizes = records_in(index), list[int]()

    def looked(names: Iterable[str], _: str) -> Iterator[str]:
        for name in names:
            yield name
            assert records_in(index) == known
            sizes.extend(path.stat().st_size for path in (root / ".memdown").glob("index-*.db"))

    new, _ = sync.refresh(str(root), rebuild=True, progress=looked)
    assert records_in(new) == known
    assert max(sizes) > 100_000
    assert beside(root) == ["index.db"]
    assert not index.is_current()
    index.close()
    new.close()


@pytest.mark.skipif(os.name == "nt", reason="no file takes the place of an open one")
def test_who_fails_while_an_index_is_made_anew_leaves_the_old_one(root: Path) -> None:
    refreshed(root)[0].close()
    before = (root / ".memdown/index.db").read_bytes()

    def fails(names: Iterable[str], _: str) -> Iterator[str]:
        yield from list(names)[:1]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sync.refresh(str(root), rebuild=True, progress=fails)
    assert beside(root) == ["index.db"]
    assert (root / ".memdown/index.db").read_bytes() == before
    put(root, ".memdown/index-0123456789abcdef.db", "what one left who was killed")
    sync.refresh(str(root), rebuild=True)[0].close()
    assert beside(root) == ["index.db"]


@pytest.mark.skipif(os.name == "nt", reason="no file takes the place of an open one")
@pytest.mark.parametrize("gone", ["the index", "the one that is made"])
def test_an_index_that_is_replaced_while_another_is_made_is_not_lost(root: Path, gone: str) -> None:
    refreshed(root)[0].close()
    tries, told = list[str](), list[str]()

    def meanwhile(names: Iterable[str], _: str) -> Iterator[str]:
        yield from names
        tries.append("")
        if len(tries) == 1:
            for path in (root / ".memdown").glob("index.db" if gone == "the index" else "index-*.db"):
                path.unlink()

    index, counts = sync.refresh(str(root), rebuild=True, progress=meanwhile, tell=told.append)
    assert (len(tries), counts["changed"], told) == (2, 3, [])
    assert index.path == str(root / ".memdown/index.db")
    assert index.is_current()
    assert beside(root) == ["index.db"]
    index.close()


@pytest.mark.skipif(os.name == "nt", reason="no file takes the place of an open one")
def test_an_index_that_another_begins_in_its_place_is_not_taken_for_it(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = refreshed(root)[0]
    known = records_in(index)
    index.close()
    put_in_place, path, puts = rebuild._put, root / ".memdown/index.db", list[Path]()

    def put_and_replaced(new: str, index: Index, place: Path) -> None:
        put_in_place(new, index, place)
        puts.append(place)
        if len(puts) == 1:
            path.unlink()
            begun = Index.open(str(path), make=True)
            assert begun is not None
            begun.close()

    monkeypatch.setattr(rebuild, "_put", put_and_replaced)
    index, _ = sync.refresh(str(root), rebuild=True)
    assert (len(puts), records_in(index)) == (2, known)
    index.close()


def test_whoever_writes_does_not_wait_for_itself_when_the_index_is_made_anew(cli: Any, tmp_path: Path) -> None:
    put(tmp_path / "project", "memdown.toml", "lock-timeout = 0.1\n")
    put(tmp_path / "project", f"memories/{ONE}.md", card(ONE, "Subject", "Body of it."))
    cli("index")
    put(tmp_path / "project", ".memdown/index.db", "no index")
    ran: Ran = cli("add", "card", "Another", "-k", "other", "--content", "What was learnt about another.")
    assert ran.code == 0
    assert "the index is not an index of memdown, and is rebuilt from the files" in ran.err


def test_an_index_with_a_write_ahead_log_is_made_anew(root: Path) -> None:
    """SQLite would make files beside it by their paths."""
    index, told = refreshed(root)[0], list[str]()
    index.connection.execute("pragma journal_mode = wal").fetchone()
    index.close()
    index, counts = refreshed(root, tell=told.append)
    index.close()
    assert counts["changed"] == 3
    assert told == ["the index was made by another version of memdown, and is rebuilt from the files"]


# Several processes

WORKER = """
import random, shutil, sys, time
from pathlib import Path
from memdown import VERSION, dialects
from memdown.dialects import relations
from memdown.index import sync
root, act, seed = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
chance = random.Random(seed)
for number in range(12):
    if act == "write":
        (root / "memories" / f"w{seed}-{number}.md").write_text(f"---\\nid: x\\nsubject: S{number}\\n---\\n\\nword{number} of {seed}\\n")
    if act == "delete":
        shutil.rmtree(root / ".memdown", ignore_errors=True)
        time.sleep(chance.random() / 20)
        continue
    index, counts = sync.refresh(str(root))
    index.connection.execute("select count(*) from words where words match 'word1'").fetchone()
    index.close()
print("done")
"""


def workers(root: Path, *acts: str) -> list[str]:
    script = [sys.executable, "-c", WORKER, str(root)]
    running = [
        forks.Forked([*script, act, str(seed)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for seed, act in enumerate(acts)
    ]
    return [process.communicate(timeout=120)[0] for process in running]


def test_several_processes_write_and_search_at_once(root: Path) -> None:
    assert workers(root, "write", "write", "read", "read") == ["done\n"] * 4
    assert content(root) == anew(root, root.parent / "anew")


def test_deleting_the_index_while_others_use_it_loses_nothing(root: Path) -> None:
    assert workers(root, "write", "read", "delete") == ["done\n"] * 3
    assert content(root) == anew(root, root.parent / "anew")


def test_readers_do_not_wait_for_a_writer(root: Path) -> None:
    index, _ = refreshed(root)
    reader = Index.open(str(root / ".memdown/index.db"))
    assert reader is not None
    with index.writing() as connection:
        connection.execute("delete from record")
        assert reader.connection.execute("select count(*) from record").fetchone()[0] > 0  # or it would be locked
    reader.close()
    index.close()


# The command


def test_the_command_tells_what_it_did(cli: Any, tmp_path: Path) -> None:
    put(tmp_path / "project", f"memories/{ONE}.md", card(ONE, "Subject", "Body of it."))
    ran: Ran = cli("index", "--json")
    told = ran.json()
    assert ran.code == 0
    assert {name: told[name] for name in ("files", "records", "changed", "removed")} == {
        "files": 1,
        "records": 1,
        "changed": 1,
        "removed": 0,
    }
    assert told["seconds"] >= 0
    assert cli("index", "--rebuild", "--json").json()["changed"] == 1
    assert "1 record in 1 file; 0 read" in cli("index").out


def test_watching_reads_what_changes(root: Path) -> None:
    memory = Memory.open(root)
    memory.index()
    seen = memory.watch()
    put(root, f"memories/{ONE}.md", card(ONE, "While watching", "Seen."))
    assert next(seen)["changed"] == 1
    assert memory.watched_by() == watch.means()


def test_watching_tells_of_what_another_process_read_first(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memdown.memory.watch.changes", lambda *_: [None], raising=False)
    with Memory.open(root) as memory, Memory.open(root) as other:
        memory.index()
        seen = memory.watch()
        put(root, f"memories/{ONE}.md", card(ONE, "While watching", "Seen."))
        assert other.index()["changed"] == 1
        assert len(list(seen)) == 1
        assert list(memory.watch()) == []


def test_watching_tells_of_what_came_and_went_between_two_looks(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever read it in between shows what is not there any more."""
    monkeypatch.setattr("memdown.memory.watch.changes", lambda *_: [None], raising=False)
    with Memory.open(root) as memory, Memory.open(root) as other:
        memory.index()
        seen = memory.watch()
        put(root, f"memories/{ONE}.md", card(ONE, "While watching", "Seen."))
        assert other.index()["changed"] == 1
        (root / f"memories/{ONE}.md").unlink()
        assert other.index()["removed"] == 1
        assert len(list(seen)) == 1
        assert list(memory.watch()) == []


def test_watching_tells_of_a_file_that_was_written_back(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever read the file itself in between shows what it does not hold any more."""
    monkeypatch.setattr("memdown.memory.watch.changes", lambda *_: [None], raising=False)
    path = f"memories/{ONE}.md"
    put(root, path, card(ONE, "While watching", "Seen."))
    with Memory.open(root) as memory:
        memory.index()
        seen = memory.watch()
        for text in ("Seen once.", "Seen."):
            put(root, path, card(ONE, "While watching", text))
        assert len(list(seen)) == 1
        assert list(memory.watch()) == []


def test_watching_tells_of_changes_where_a_scan_does_not_suffice(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memdown.memory.watch.changes", lambda *_: [None, None], raising=False)
    put(root, "memories/other.md", card(TWO, "Elsewhere", "Seen through a link."))
    (root / "memories/linked.md").symlink_to("other.md")
    with Memory.open(root) as memory:
        memory.index()
        assert not memory.indexed().has_scan()
        seen = memory.watch()
        put(root, "memories/other.md", card(TWO, "Elsewhere", "Another text."))
        assert len(list(seen)) == 1


def test_asking_when_nothing_changed_loads_no_dialect(root: Path) -> None:
    refreshed(root)[0].close()
    time.sleep(0.2)
    refreshed(root)[0].close()
    script = (
        f"import sys; from memdown.index import sync; sync.refresh({str(root)!r})[0].close();"
        "print(*sorted(name for name in sys.modules if name.partition('.')[0] in ('memdown', 'msgspec', 're', 'pathlib')))"
    )
    ran = subprocess.run(
        [sys.executable, "-S", "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert ran.stdout.split() == [
        "memdown",
        "memdown.errors",
        "memdown.homes",
        "memdown.index",
        "memdown.index.schema",
        "memdown.index.sqlite",
        "memdown.index.sync",
        "memdown.index.sync.scan",
        "memdown.lazy",
        "memdown.store",
        "memdown.store.state",
    ]


NOT_UTF8 = {
    ".squad/decisions.md": b"### 2026-11-11: Caf\xe9 closes at 5\n\nText.\n\n### 2026-11-11: Caf\xe8 closes at noon, in summer\n\nBread is sold out by then.\n",
    "memory-bank/decisionLog.md": b"# Decision Log\n\n## 2026-11-11: Caf\xe9 closes at 5\n\nText.\n",
    "memories/caf.md": b"---\nid: caf\xe9\nsubject: Caf\xe9 closes\napplies_to: global\n"
    b"occurred_at: 2026-01-02T10:00:00Z\n---\n\nText.\n",
}


@pytest.mark.parametrize("path", NOT_UTF8)
def test_ids_of_a_file_that_is_not_utf8_are_the_same_everywhere(cli: Callable[..., Ran], path: str) -> None:
    put(Path.cwd(), path, "")
    Path(path).write_bytes(NOT_UTF8[path])
    listed = [each["id"] for each in cli("list", "--json").json()]
    assert listed
    assert len(set(listed)) == len(listed)
    for _ in range(2):
        assert {hit["id"] for hit in cli("search", "closes", "--json").json()["hits"]} >= set(listed)
        assert [each["id"] for each in cli("list", "--json").json()] == listed
        for id in listed:
            ran = cli("show", id, "--json")
            assert ran.code == 0, ran.err
        shutil.rmtree(".memdown")
    for id in listed:
        ran = cli("delete", id, "--force")
        assert ran.code == 0, ran.err
    assert cli("list", "--json").json() == []
