"""Asking for records: filters, dates, what is superseded or expired, and the timeline."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from conftest import CORPUS, Ran, some
from memdown import Memory
from memdown.acts.check import engine
from memdown.dialects import parse, relations
from memdown.record import Document, Record
from samples import CARD, ID, copy_of, put

Cli = Callable[..., Ran]


def entry(stamp: str, title: str, *, kind: str = "decision", body: str = "", **fields: str) -> str:
    """One canonical entry."""
    head = {"type": kind, "timestamp": stamp, "author": "Keaton", "scope": "team", **fields}
    lines = "\n".join(f"**{name}:** {value}  " for name, value in head.items() if value)
    details = f"\n\n**details:**\n\n{body}" if body else ""
    return f"### {stamp}: {kind}: {title}\n\n{lines}\n\n**summary:** {title}.{details}\n\n---\n"


LOG = "# Decisions\n\n" + "\n".join(
    [
        entry("2026-01-10T09:00:00+0000", "Use SQLite", author="Keaton (Lead)", tags="storage, v0.3.0"),
        entry("2026-01-12T23:30:00-0800", "Use Redis", author="Verbal + Ann", tags="Storage", expires="2026-01-20"),
        entry(
            "2026-01-20T09:00:00+0000",
            "Use PostgreSQL",
            contributors="Hockney, Verbal",
            supersedes="2026-01-10T10:00:00+0100",
        ),
        entry("2026-01-20T09:00:00+0000", "Spies are restored", kind="memory", author="Hockney", scope="agent:Hockney"),
        "### 2026-01-25: Old habits\n\n**By:** Fenster (via Copilot)\n**Status:** Implemented\n**What:** Keep them.\n",
        "## Decision: No date at all\n\n**By:** Fenster\n",
    ]
)


@pytest.fixture
def log(cli: Cli) -> Path:  # noqa: ARG001 - it is what makes the project
    put(Path.cwd(), f"memories/{ID}.md", CARD)
    return put(Path.cwd(), ".squad/decisions.md", LOG)


def titles(ran: Ran) -> list[str]:
    assert ran.code == 0, ran
    return [each["title"] for each in ran.json()]


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize(
    ("flags", "found"),
    [
        ("--type memory", ["Spies are restored"]),
        ("--kind memory --kind card", ["Spies are restored", "Pool size is 10"]),
        ("--author keaton", ["Use PostgreSQL", "Use SQLite"]),
        ("--author VERBAL", ["Use PostgreSQL", "Use Redis"]),
        ("--author ann", ["Use Redis"]),
        ("--author fenster --type decision", ["Old habits", "No date at all"]),
        ("--author keat", []),
        ("--scope AGENT:hockney", ["Spies are restored"]),
        ("--tag storage", ["Use Redis", "Use SQLite"]),
        ("--tag storage --tag v0.3.0", ["Use SQLite"]),
        ("--tags storage,v0.3.0", ["Use SQLite"]),
        ("--dialect cards", ["Pool size is 10"]),
        ("--path memories", ["Pool size is 10"]),
        ("--path .squad/decisions.md --author keaton -n 1", ["Use PostgreSQL"]),
        ("--status implemented", ["Old habits"]),
        ("--superseded", ["Use SQLite"]),
        ("--superseded --author verbal", []),
        ("--no-superseded --author keaton", ["Use PostgreSQL"]),
        ("--expired", ["Use Redis"]),
        ("--no-expired --tag storage", ["Use SQLite"]),
        ("postgres", ["Use PostgreSQL"]),
        ("USE sql", ["Use PostgreSQL", "Use SQLite"]),
        ("--after 2026-01-20 --type decision", ["Old habits", "Use PostgreSQL"]),
        # The day an author wrote counts, whatever the day is elsewhere.
        ("--after 2026-01-12 --before 2026-01-12", ["Use Redis"]),
        ("--after 2026-01-13T07:30:00Z --before 2026-01-13T07:30:00Z", ["Use Redis"]),
        ("--after 2026-01-13T07:30:01Z --before 2026-01-19", ["Pool size is 10"]),
        # A day counts when any of it may be meant.
        ("--after 2026-01-25T18:00:00Z", ["Old habits"]),
        ("--before 2026-01-10", ["Use SQLite"]),
        ("--since 8d", ["Old habits"]),
        ("--since 1w", ["Old habits"]),
        ("--since 13d --type memory", ["Spies are restored"]),
        ("--since 24h", []),
        ("--after 2026-02-01 --before 2026-01-01", []),
    ],
)
def test_filters(cli: Cli, flags: str, found: list[str]) -> None:
    assert titles(cli("list", "--json", *flags.split())) == found
    assert sorted(titles(cli("timeline", "--json", *flags.split()))) == sorted(found)


@pytest.mark.usefixtures("log")
def test_what_has_no_date_is_left_out_by_dates_and_counted(cli: Cli) -> None:
    ran = cli("list", "--after", "2026-01-01", "--author", "fenster", "--json")
    assert titles(ran) == ["Old habits"]
    assert ran.err == "memdown: 1 undated record left out; filters by time need a date.\n"
    assert cli("list", "--author", "fenster").err == ""
    assert cli("list", "--after", "2026-01-01", "-q") == Ran(0, "", "")


@pytest.mark.parametrize("date", ["banana", "2026-13-01", "01.02.2026", "7 days", "", "9" * 30 + "d"])
def test_what_is_no_date_is_one_sentence_with_the_right_form(cli: Cli, date: str) -> None:
    for flag in ("--after", "--before", "--since"):
        ran = cli("timeline", flag, date)
        assert (ran.code, ran.out) == (2, "")
        assert "2026-02-01" in ran.err
        assert ran.err.count("\n") == 1


def test_other_wrong_filters(cli: Cli) -> None:
    assert cli("list", "--dialect", "nope").code == 2
    assert cli("list", "--since", "7d", "--after", "2026-01-01").code == 2
    assert cli("list", "--path", "/etc").code == 3
    assert cli("list", "-n", "0").code == 2
    put(Path(), "memories/README.md", "# Memories\n")
    assert cli("list", "--type", "decision").out == "No memories match.\n"


@pytest.mark.usefixtures("log")
def test_marks_are_told_to_people_and_programs(cli: Cli) -> None:
    by_title = {each["title"]: each for each in cli("list", "--json").json()}
    new = by_title["Use PostgreSQL"]
    old = by_title["Use SQLite"]
    assert (old["superseded"], old["superseded_by"], old["expired"]) == (True, [new["id"]], False)
    assert new["links"] == [{"type": "supersedes", "target": "2026-01-10T10:00:00+0100", "resolved": old["id"]}]
    assert by_title["Use Redis"]["expired"] is True
    out = cli("list", "--tag", "storage").out
    assert (
        f"decision   Use SQLite  Keaton (Lead) · team  .squad/decisions.md:3  [superseded by {new['id'][:8]}]\n" in out
    )
    assert "  2026-01-12  decision   Use Redis  Verbal + Ann · team  .squad/decisions.md:15  [expired]\n" in out


@pytest.mark.usefixtures("log")
def test_the_timeline_is_drawn_by_day_week_and_month(cli: Cli) -> None:
    drawn = cli("timeline", "--dialect", "sem", "--after", "2026-01-12").out
    assert re.sub(r"  [0-9a-f]{8}|  \S+\.md:\d+", "", drawn) == (
        "2026-01-12  1 record\n"
        "  └ 23:30  decision   Use Redis  Verbal + Ann  [expired]\n"
        "2026-01-20  2 records\n"
        "  ├ 09:00  decision   Use PostgreSQL  Keaton\n"
        "  └ 09:00  memory     Spies are restored  Hockney\n"
        "2026-01-25  1 record\n"
        "  └   ·    decision   Old habits  Fenster (via Copilot)\n"
    )
    weeks = cli("timeline", "--by", "week").out
    assert [line.split()[0] for line in weeks.splitlines() if line[0] != " "] == [
        *("2026-W02", "2026-W03", "2026-W04", "undated")
    ]
    assert re.search(
        r"2026-01  6 records\n  ├ 01-10 09:00  [0-9a-f]{8}  decision   Use SQLite  .*  \.squad/decisions\.md:3",
        cli("timeline", "--by", "month").out,
    )
    assert cli("timeline", "nothing-like-this").out == "No memories match.\n"


@pytest.mark.usefixtures("log")
def test_a_limit_keeps_the_newest(cli: Cli) -> None:
    assert titles(cli("timeline", "--json", "-n", "2", "--type", "decision")) == ["Use PostgreSQL", "Old habits"]


def test_find_and_query_are_one(tmp_path: Path) -> None:
    put(tmp_path, ".squad/decisions.md", LOG)
    memory = Memory(tmp_path)
    assert memory.find(["use"], kind="decision", tag="STORAGE") == memory.query("use kind:decision tag:storage").records


# supersedes


def log_of(*entries: str) -> Document:
    return parse(".squad/decisions.md", "# Decisions\n\n" + "\n".join(entries))


def records(*entries: str) -> list[Record]:
    return list(log_of(*entries).records)


def broken(log: Document) -> list[tuple[str, str]]:
    """Links that lead nowhere, to several entries or in a circle: the rule, and the first words of what it says."""
    found = engine.check([log], engine.Selection(select=("SEM064", "SEM065", "SEM066")))
    return [(each.code, each.message.partition(";")[0]) for each in found]


DAY = "2026-02-10T00:00:00+0000"
LATER = "2026-02-20T09:00:00+0000"


@pytest.mark.parametrize(
    ("target", "replaced"),
    [
        ("2026-02-10T09:00:00+0000", ["Nine"]),
        ("2026-02-10T01:00:00-0800", ["Nine"]),
        ("2026-02-10T09:00Z", ["Nine"]),
        (f"{DAY} first-of-the-day", ["First of the day"]),
        (f"{DAY} First of the day", ["First of the day"]),
        (f"{DAY} decision: Second of the day", ["Second of the day"]),
        (f"{DAY} first", ["First of the day"]),
        ("2026-02-10 nine", ["Nine"]),
        ("First of the day", ["First of the day"]),
        (f"2026-02-10T09:00:00+0000, {DAY} second", ["Second of the day", "Nine"]),
        ("none", []),
    ],
)
def test_a_target_is_found_by_instant_then_kind_then_title(target: str, replaced: list[str]) -> None:
    log = log_of(
        entry(DAY, "First of the day"),
        entry(DAY, "Second of the day"),
        entry("2026-02-10T09:00:00+0000", "Nine"),
        entry("2026-02-10T09:00:00+0000", "Nine too", kind="note"),
        entry(LATER, "New", supersedes=target),
    )
    found = relations.resolve(log.records)
    assert [record.title for record in log.records if found.is_superseded(record)] == replaced
    assert broken(log) == []


def test_targets_that_lead_nowhere_or_to_several() -> None:
    log = log_of(
        entry(DAY, "First"),
        entry(DAY, "Second"),
        entry(LATER, "New", supersedes=f"{DAY}, 2020-01-01T00:00:00+0000, 2026-02-10 third"),
    )
    assert broken(log) == [
        ("SEM065", f"'{DAY}' may be any of .squad/decisions.md:3, .squad/decisions.md:14"),
        ("SEM064", "No checked entry matches '2020-01-01T00:00:00+0000'"),
        ("SEM064", "No checked entry matches '2026-02-10 third'"),
    ]
    assert not relations.resolve(log.records).superseded


def test_copies_are_replaced_together() -> None:
    known = records(entry(DAY, "First"), entry(DAY, "First"), entry(LATER, "New", supersedes=DAY))
    found = relations.resolve(known)
    assert [found.is_superseded(record) for record in known] == [True, True, False]


def test_circles() -> None:
    stamps = [f"2026-02-{day}T09:00:00+0000" for day in (10, 11, 12, 13)]
    log = log_of(
        entry(stamps[0], "A", supersedes=stamps[2]),
        entry(stamps[1], "B", supersedes=stamps[0]),
        entry(stamps[2], "C", supersedes=stamps[1]),
        entry(stamps[3], "Itself", supersedes=stamps[3]),
    )
    places = ", ".join(f".squad/decisions.md:{record.line}" for record in log.records[:3])
    assert broken(log) == [
        *[("SEM066", f"3 entries supersede each other: {places}")] * 3,
        ("SEM066", "It supersedes itself"),
    ]


def test_a_long_chain_is_no_trouble() -> None:
    stamps = [f"2026-01-01T{hour:02}:{minute:02}:00+0000" for hour in range(24) for minute in range(60)]
    chain = [entry(stamp, "x", supersedes=before) for before, stamp in pairwise(stamps)]
    log = log_of(entry(stamps[0], "x"), *chain)
    assert len(relations.resolve(log.records).superseded) == len(stamps) - 1
    assert broken(log) == []


def test_legacy_entries_say_themselves_that_they_are_over() -> None:
    known = records(
        "### 2026-01-01: Use tabs **[SUPERSEDED — see below]**\n\n**By:** Ann\n",
        "### 2026-01-02: Use mixed\n\n**By:** Ann\n**Status:** ⛔ Superseded\n",
        "### 2026-01-03: Use spaces\n\n**By:** Ann\n**Supersedes:** 2026-01-02: Use mixed\n",
    )
    found = relations.resolve(known)
    assert [found.is_superseded(record) for record in known] == [True, True, False]
    assert [record.title for record in found.replaced_by(known[1])] == ["Use spaces"]


def test_expiry_is_the_end_of_a_day_where_it_was_written() -> None:
    [record] = records(entry("2026-01-01T09:00:00-0800", "x", expires="2026-01-31"))
    until = relations.expires(record)
    assert until
    assert until.isoformat() == "2026-02-01T07:59:59.999999+00:00"
    [strange] = records(entry("0001-01-01T00:00:00+0000", "x", expires="9999-12-31"))
    assert relations.expires(strange)
    [none] = records(entry("2026-01-01T09:00:00-0800", "x", expires="some day"))
    assert relations.expires(none) is None


@pytest.mark.corpus
def test_real_logs_can_be_asked(tmp_path: Path) -> None:
    for project in some(sorted((CORPUS / "sem").iterdir())[:12], 12):
        memory = Memory(copy_of(project, tmp_path / project.name))
        found = memory.query("kind:decision -is:superseded")
        assert all(mark.record.kind == "decision" and not mark.superseded for mark in found.marks)
        memory.health()
        memory.stats()


def test_a_question_writes_nothing_where_there_is_no_memory(cli: Cli) -> None:
    put(Path.cwd(), "README.md", "# Shop\n")
    for words in (("list",), ("search", "shop"), ("timeline",), ("graph",), ("sql", "select count(*) from record")):
        cli(*words)
        assert [each.name for each in Path.cwd().iterdir()] == ["README.md"], words


@pytest.mark.parametrize("command", ["list", "timeline"])
def test_long_ids_and_kinds_keep_the_columns_of_all_rows(cli: Cli, command: str) -> None:
    history = "# Edit History\n\n### 2026-01-10\n\n#### 09:00 - T1: Drawn\n- Created `a.py` - Draws\n"
    put(Path.cwd(), "memory-bank/edit_history.md", history)
    rows = [line for line in cli(command).out.splitlines() if "edit_history.md:" in line]
    assert len({line.index(title) for line, title in zip(rows, _titles(rows), strict=True)}) == 1


def _titles(rows: list[str]) -> list[str]:
    return ["Created a.py" if "modification" in line else "Drawn" for line in rows]


def bank_log(*entries: tuple[str, str]) -> str:
    """The decisions of a bank: days and titles, in this order."""
    return "# Decision Log\n\n" + "".join(f"## Decision: {title}\n- **Date**: {day}\n\n" for day, title in entries)


@pytest.mark.parametrize("newest_on_top", [False, True])
def test_what_is_of_one_day_is_listed_newest_first_whichever_way_its_file_grows(cli: Cli, newest_on_top: bool) -> None:
    days = [("2026-02-01", "Use pytest"), *(("2026-02-02", f"Use part {number}") for number in range(1, 5))]
    put(Path.cwd(), "memory-bank/decisionLog.md", bank_log(*(reversed(days) if newest_on_top else days)))
    newest = [title for _, title in reversed(days)]
    assert titles(cli("list", "--kind", "decision", "--json")) == newest
    assert titles(cli("list", "--kind", "decision", "-n", "2", "--json")) == newest[:2]
    assert [each["title"] for each in cli("search", "kind:decision", "-n", "2", "--json").json()["hits"]] == newest[:2]
    assert titles(cli("timeline", "--kind", "decision", "--json")) == newest[::-1]
    with Memory(Path.cwd()) as memory:
        assert [record.title for record in memory.find(kind="decision")] == newest


def test_a_new_decision_is_the_first_of_the_list(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDOWN_NOW", "2026-02-01")
    assert cli("init").code == 0
    for title in ("Use SQLite", "Use pytest", "Newest of all"):
        assert cli("add", title, "--why", "just now").code == 0
    assert titles(cli("list", "--kind", "decision", "-n", "2", "--json")) == ["Newest of all", "Use pytest"]
