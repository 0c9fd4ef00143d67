"""`memdown sql`: what it answers, and that nothing gets past it."""

import csv
import io
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from memdown.errors import Invalid
from memdown.index import Index, journal, sql
from samples import memdown, put

Cli = Callable[..., Ran]
HISTORY = """\
### 2025-12-05

#### 17:18:15 UTC - T21: File viewer
- Created `src/viewer.js` - Lists "files", all | of them
- Modified `README.md` - Says\thow
"""


@pytest.fixture
def ask(cli: Cli, tmp_path: Path) -> Cli:
    put(tmp_path / "project", "memory-bank/edit_history.md", HISTORY)
    return lambda *args, **how: cli("sql", *args, **how)


# Answers


def test_a_table(ask: Cli) -> None:
    assert ask("select action, file_path from file_modifications").out == (
        "action    file_path\nCreated   src/viewer.js\nModified  README.md\n"
    )


def test_json_keeps_types_and_all_columns(ask: Cli) -> None:
    assert ask("select 1 as a, 2.5 as b, null as c, 'x' as d, x'00ff' as e, 7 as a", "--json").json() == {
        "columns": ["a", "b", "c", "d", "e", "a_2"],
        "rows": [{"a": 1, "b": 2.5, "c": None, "d": "x", "e": "00ff", "a_2": 7}],
        "more": False,
    }


def test_csv_is_read_back_as_it_was(ask: Cli) -> None:
    rows = list(csv.reader(io.StringIO(ask("select description from file_modifications", "--csv").out)))
    assert rows == [["description"], ['Lists "files", all | of them'], ["Says\thow"]]


def test_a_table_is_cut_and_safe_for_a_terminal(ask: Cli) -> None:
    out = ask("select char(27) || '[31m' || hex(zeroblob(100)) as x").out
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) == 60


def test_parameters(ask: Cli) -> None:
    assert ask("select :a || :b as x", "-p", "a=1'; drop", "-p", "b==", "--csv").out == "x\n1'; drop=\n"
    assert ask("select :a", "-p", "b=1").code == 2
    assert ask("select ?", "-p", "a=1").code == 2
    assert ask("select 1", "-p", "a").code == 2


def test_from_standard_input(ask: Cli) -> None:
    assert ask("-", "--csv", stdin="-- how many\nselect count(*) as n\nfrom edit_entries;\n").out == "n\n1\n"


def test_more_rows_are_told(ask: Cli) -> None:
    numbers = "with recursive c(x) as (select 1 union all select x + 1 from c where x < 2000) select x from c"
    ran = ask(numbers, "--csv")
    assert len(ran.out.splitlines()) == 1001
    assert "the first 1,000 rows" in ran.err
    ran = ask(numbers, "--csv", "--limit", "0")
    assert (len(ran.out.splitlines()), ran.err) == (2001, "")
    assert ask(numbers, "--json", "--limit", "1").json()["more"]
    assert not ask("select 1", "--json", "--limit", "1").json()["more"]


def test_tables_are_listed(ask: Cli) -> None:
    listed = {table["name"]: table["columns"] for table in ask("--tables", "--json").json()}
    assert {*journal.names(), "record", "file", "words"} <= set(listed)
    assert "task_description" in listed["edit_entries"]
    assert not [name for name in listed if name.startswith(("sqlite_", "words_"))]
    assert "edit_entries (id, date, time, " in ask("--tables").out


def test_without_a_journal_its_tables_are_empty(cli: Cli) -> None:
    for name in journal.names():
        assert cli("sql", f"select count(*) as n from {name}", "--csv").out == "n\n0\n"
    assert "edit_entries" in cli("sql", "--tables").out


def test_full_text_and_facts_about_tables(ask: Cli) -> None:
    assert ask("select title from words where words match 'viewer' limit 1", "--csv").out == "title\nFile viewer\n"
    assert ask("select count(*) > 5 as n from pragma_table_info('record')", "--csv").out == "n\n1\n"
    assert ask("select value from json_each('[1]')", "--csv").out == "value\n1\n"
    assert ask("pragma user_version", "--csv").code == 0
    assert ask("select value from meta where key = 'journal'", "--csv").out == f"value\n{journal.FORMAT}\n"


def test_an_index_in_memory_is_asked_too() -> None:
    index = Index.in_memory()
    index.clear()
    assert sql.ask(index, "select count(*) from record", {}).rows == [(0,)]
    with pytest.raises(Invalid):
        sql.ask(index, "delete from record", {})
    index.close()


# Attacks

WRITES = (
    "attach 'other.db' as o",
    "attach ':memory:' as o",
    "ATTACH DATABASE 'other.db' AS o",
    "detach main",
    "delete from record",
    "insert into meta values ('a', 'b')",
    "insert into words (words) values ('optimize')",
    "insert into words (words, rank) values ('rank', 'bm25(1)')",
    "update record set id = 'x'",
    "replace into meta values ('version', '0')",
    "with x as (select 1) delete from record",
    "delete from record returning id",
    "/* select */ drop table record",
    "-- select\ndrop table record",
    " \n\t;drop table record",
    "create table x (a)",
    "create temp table x (a)",
    "create temp view x as select 1",
    "create trigger t after insert on record begin select 1; end",
    "create virtual table x using fts5 (a)",
    "alter table record add column x",
    "reindex",
    "analyze",
    "vacuum",
    "vacuum into 'copy.db'",
    "begin",
    "commit",
    "savepoint a",
    "pragma query_only = off",
    "pragma query_only(0)",
    "pragma journal_mode = delete",
    "pragma user_version = 7",
    "pragma writable_schema = on",
    "pragma wal_checkpoint(truncate)",
    "pragma temp_store_directory = '/tmp'",
    "pragma incremental_vacuum",
    "pragma optimize",
    "pragma hard_heap_limit = 1",
    "explain drop table x; drop table record",
    "select 1; drop table record",
    "select 1; select 2",
    "select load_extension('evil')",
    "select writefile('x', 'y')",
    "select readfile('/etc/passwd')",
    "select edit('x')",
    "select fts3_tokenizer('simple', x'00')",
    "",
    ";",
    "-- nothing",
    "/* never closed",
    "'",
    "select '\0'",
    "select '\udcff'",
    "selec 1",
    "select " + "(" * 5000 + "1" + ")" * 5000,
    "select " + "1+" * 600_000 + "1",
)


def test_only_reading(ask: Cli, tmp_path: Path) -> None:
    project = tmp_path / "project"
    assert ask("select 1").code == 0
    before = held(project)
    for statement in WRITES:
        ran = ask("-", stdin=statement)
        assert (ran.code, ran.out) == (2, ""), statement[:40]
        assert ran.err.startswith("memdown: "), statement[:40]
        assert ran.err.count("\n") == 1, statement[:40]
        assert held(project) == before, statement[:40]


def held(project: Path) -> tuple[object, ...]:
    """All files by name, and what the index says, but for the states of files that it looks at once more."""
    connection = sqlite3.connect(project / ".memdown" / "index.db")
    try:
        tables = [name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")]
        rows = [
            connection.execute(f"select * from {name}").fetchall() for name in tables if name not in ("file", "meta")
        ]
        meta = connection.execute("select key from meta").fetchall()
        pragmas = [connection.execute(f"pragma {name}").fetchone() for name in ("user_version", "journal_mode")]
    finally:
        connection.close()
    return [path.name for path in project.rglob("*") if "index.db-" not in path.name], tables, rows, meta, pragmas


ENDLESS = "with recursive c(x) as (select 1 {} select x + 1 from c) "


@pytest.mark.parametrize(
    "statement",
    [
        ENDLESS.format("union all") + "select count(*) from c",
        ENDLESS.format("union") + "select max(x) from c",
        ENDLESS.format("union all") + "select x from c order by -x",
        ENDLESS.format("union all") + "select x from c where x < 0",
        "select count(*) from " + ", ".join(f"pragma_table_info('record') p{each}" for each in range(12)),
    ],
)
def test_a_question_without_end_is_ended(ask: Cli, statement: str) -> None:
    ran = ask(statement, "--timeout", "0.3")
    assert (ran.code, ran.out) == (2, "")
    assert "longer than 0.3 seconds" in ran.err


@pytest.mark.parametrize(
    "value",
    ["zeroblob(1000000000)", "hex(zeroblob(60000000))", "replace(hex(zeroblob(10000000)), '0', 'xxxxxxxx')"],
)
def test_a_value_is_not_larger_than_memory(ask: Cli, value: str) -> None:
    ran = ask(f"select {value}")
    assert (ran.code, ran.out) == (2, "")
    assert "too long" in ran.err


def test_an_answer_is_not_larger_than_memory(ask: Cli) -> None:
    ran = ask(ENDLESS.format("union all") + "select zeroblob(30000000) from c", "--json", "--limit", "0")
    assert (ran.code, ran.out) == (2, "")
    assert "larger than 64 MB" in ran.err


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("printf('%.*c', 2000000000, 'x')", "longer than 0.5 seconds|too long"),  # later versions of SQLite end it
        ("instr(hex(zeroblob(30000000)), hex(zeroblob(15000000)) || '1')", "longer than 0.5 seconds"),
    ],
)
def test_a_function_without_end_is_ended(tmp_path: Path, value: str, why: str) -> None:
    ran = memdown(tmp_path, "sql", f"select length({value})", "--timeout", "0.5")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert re.search(why, ran.stderr)


def test_a_pattern_cannot_be_long(ask: Cli) -> None:
    assert ask("select 'x' like '" + "%0" * 5000 + "'").code == 2
