"""Search: what is found, in which order, why, and how it is shown."""

import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from conftest import Ran
from memdown import Memory
from memdown.index.search import when
from samples import put

Cli = Callable[..., Ran]
LOG = ".squad/decisions.md"


def card(
    number: int, subject: str, content: str, *, at: str = "2026-01-15", session: str = "", tags: str = "x"
) -> None:
    """A card as a person would write it."""
    id = f"00000000-0000-4000-8000-{number:012}"
    more = f"session: {session}\n" if session else ""
    head = f"---\nid: {id}\nsubject: {subject}\nkeywords:\n  - {tags}\napplies_to: global\n"
    put(Path.cwd(), f"memories/{id}.md", f"{head}occurred_at: '{at}T10:00:00Z'\n{more}---\n\n{content}\n")


def entry(stamp: str, title: str, summary: str, **fields: str) -> str:
    head = {"type": "decision", "timestamp": stamp, "author": "Keaton", "scope": "team", **fields}
    lines = "\n".join(f"**{name}:** {value}" for name, value in head.items())
    return f"### {stamp}: decision: {title}\n\n{lines}\n\n**summary:** {summary}\n\n---\n"


def titles(ran: Ran) -> list[str]:
    assert ran.code == 0, ran
    return [hit["title"] for hit in ran.json()["hits"]]


def found(cli: Cli, *query: str) -> list[str]:
    return titles(cli("search", "--json", *query))


# What is found


def test_any_of_the_words_is_enough_and_more_of_them_are_better(cli: Cli) -> None:
    card(1, "Cache", "Redis holds sessions.")
    card(2, "Queue", "Redis holds the queue, with retries.")
    card(3, "Mail", "Sent by the worker.")
    assert found(cli, "Which retries does the Redis queue have?") == ["Queue", "Cache"]
    assert found(cli, "nothing of that kind") == []


def test_words_meet_whatever_their_form(cli: Cli) -> None:
    card(1, "Went", "We went with PostgreSQL and migrated all tables.")
    card(2, "Names", "Call getUserById, never fetch_user_by_name.")
    card(3, "Café", "Müller decided. 東京の会議で決めた。")
    for query in ("migration", "go", "tables migrating", "MIGRATED"):
        assert found(cli, query) == ["Went"]
    for query in ("getUserById", "get_user_by_id", '"user by id"', "fetchUserByName"):
        assert found(cli, query)[0] == "Names"
    for query in ("cafe", "muller", "東京", "会議"):
        assert found(cli, query) == ["Café"]


def test_title_and_tags_count_more_than_the_body(cli: Cli) -> None:
    card(1, "Mail", "The mailer and its pool of connections are old and will be looked at.")
    card(2, "Pool", "Ten connections are enough for the mailer, as the load test of last year has shown.")
    card(3, "Other", "The mailer has connections, and there is little else to say of them here.", tags="pool")
    assert found(cli, "pool")[-1] == "Mail"


def test_what_must_be_there_and_what_must_not(cli: Cli) -> None:
    card(1, "One", "The load test timed out.", tags="db")
    card(2, "Two", "The test had a load.", tags="db")
    card(3, "Three", "Nothing of it.", tags="web")
    assert found(cli, '"load test"') == ["One"]
    assert found(cli, "load -timed") == ["Two"]
    assert found(cli, "+timed load") == ["One"]
    assert found(cli, "load", "tag:web") == []
    assert found(cli, "tag:web OR timed") == ["One", "Three"]
    assert found(cli, "tim*") == ["One"]
    assert sorted(found(cli, "tag:db")) == ["One", "Two"]
    assert found(cli, "load", "--tag", "db", "--after", "2026-02-01") == []


def test_text_that_belongs_to_no_record_is_found_too(cli: Cli) -> None:
    put(
        Path.cwd(),
        LOG,
        "# Decisions\n\nHow we decide: by lazy consensus.\n\n" + entry("2026-01-10T09:00:00Z", "A", "b"),
    )
    [hit] = cli("search", "consensus", "--json").json()["hits"]
    assert (hit["kind"], hit["path"]) == ("prose", LOG)
    assert cli("search", "consensus").out.startswith(f"{LOG}, text\n  {LOG}:1  prose\n")


# In which order


@pytest.mark.parametrize("query", ["redis", "redis backend"])
def test_a_title_with_the_word_comes_before_mentions_that_stand_together(cli: Cli, query: str) -> None:
    card(1, "Add Redis storage", "It keeps what users upload apart from each other, and forgets it after an hour.")
    passing = ["FastAPI on Cloud Run, Redis by Upstash", "Redis free tier, Redis over REST", "Redis costs nothing yet"]
    for number, text in enumerate(passing, 2):
        card(number, f"State {number}", f"{text}.", session="s1", at="2026-02-01")
    card(9, "Pages", "They are drawn in the browser.")
    assert titles(cli("search", query, "--json"))[0] == "Add Redis storage"


def test_neighbours_of_a_session_tell_what_a_record_is_about(cli: Cli) -> None:
    said = [
        "Where did you spend the holidays in Portugal?",
        "In a small village by the sea, for all of the holidays.",
        "Nice!",
        "The food was great.",
    ]
    for number, text in enumerate(said, 1):
        card(number, f"Turn {number}", text, session="s1")
    for number in range(10, 20):
        card(number, f"Other {number}", "We talked about the holidays of somebody.", session="s2")
    assert found(cli, "holidays in Portugal")[:2] == ["Turn 1", "Turn 2"]
    assert not {"Turn 3", "Turn 4"} & {*found(cli, "holidays in Portugal", "-n", "20")}  # they have none of the words


def test_every_hit_has_a_word_and_a_miss_names_the_nearest(cli: Cli) -> None:
    entries = ("Use Redis", "Never force-push", "Deploy on Fridays")
    log = "\n".join(entry(f"2026-01-1{day}T09:00:00Z", title, "x") for day, title in enumerate(entries))
    put(Path.cwd(), LOG, f"# Decisions\n\n{log}")
    assert found(cli, "redis") == ["Use Redis"]
    assert cli("search", "redis", "--json").json()["total"] == 1
    assert found(cli, "decision", "kind:prose") == []  # a bare heading
    assert cli("search", "rediss") == Ran(0, "No memories match.\nDid you mean redis?\n", "")
    assert cli("search", "fords").out == "No memories match.\n"  # two of five
    assert cli("search", "fridys", "--json").json()["did_you_mean"] == ["fridays"]
    assert cli("search", "zebra", "--json").json()["did_you_mean"] == []


def test_placeholders_and_bare_headings_are_no_hits(cli: Cli) -> None:
    text = (
        "# Active Context\n\n## Current Focus\n[What is being worked on]\n\n## Blockers\n- [Blocker 1]\n- The license\n"
    )
    put(Path.cwd(), "memory-bank/activeContext.md", text)
    put(Path.cwd(), "memory-bank/notes/own.md", "# Current Focus\n<!-- nothing yet -->\n")
    assert found(cli, "current focus") == found(cli, "active context") == []
    assert found(cli, "blocker") == ["Blockers", "The license"]  # which stands there
    assert "[Blocker 1]" not in found(cli, "kind:task")
    assert "[Blocker 1]" not in cli("list").out


def test_the_names_of_fields_are_no_words_of_an_entry(cli: Cli) -> None:
    cli("add", "decision", "Use SQLite", "--author", "Ann", "--why", "No server, and the type of a column is free.")
    cli("add", "decision", "Use Redis", "--author", "Ann", "--why", "Fast.")
    assert found(cli, "types") == ["Use SQLite"]
    assert found(cli, "timestamp") == found(cli, "rationale") == []


def test_text_with_a_colon_that_is_no_filter_is_text(cli: Cli) -> None:
    card(1, "CS:GO", "A game.")
    card(2, "Mail", "Go there.")
    assert found(cli, "CS:GO")[0] == "CS:GO"
    assert cli("list", "CS:GO", "--json").json()[0]["title"] == "CS:GO"
    ran = cli("search", "game", "knd:card", "--json").json()
    assert ([hit["title"] for hit in ran["hits"]], ran["did_you_mean"]) == (["CS:GO"], ["kind:"])
    for command in ("search", "list"):
        said = cli(command, "game", "autor:Ann")
        assert said.err == "memdown: There is no filter 'autor:'; did you mean author:?\n"
        assert "Did you mean" not in said.out
        assert "no filter" not in cli(command, "CS:GO").err


def test_what_is_replaced_or_over_comes_last_and_is_marked(cli: Cli) -> None:
    old = entry("2026-01-10T09:00:00Z", "Storage", "Use SQLite for storage of all storage.")
    new = entry("2026-01-20T09:00:00Z", "New storage", "Use PostgreSQL for storage.", supersedes="2026-01-10T09:00:00Z")
    over = entry("2026-01-21T09:00:00Z", "Trial", "Use Redis for storage of all storage.", expires="2026-01-25")
    put(Path.cwd(), LOG, "# Decisions\n\n" + "\n".join((old, over, new)))
    ran = cli("search", "storage", "--json")
    assert titles(ran)[0] == "New storage"
    flags = {hit["title"]: (hit["superseded"], hit["expired"]) for hit in ran.json()["hits"]}
    assert flags == {"New storage": (False, False), "Storage": (True, False), "Trial": (False, True)}
    assert "Trial  [expired]" in cli("search", "storage").out
    assert found(cli, "storage -is:superseded -is:expired") == ["New storage"]


def test_of_equal_records_the_newer_is_first(cli: Cli) -> None:
    card(1, "Pool old", "Ten.", at="2024-01-15")
    card(2, "Pool new", "Six.", at="2026-01-15")
    assert found(cli, "pool") == ["Pool new", "Pool old"]


def test_near_duplicates_are_folded_and_named(cli: Cli) -> None:
    text = "The connection pool has ten connections because the load test timed out with five of them"
    card(1, "Pool", text)
    card(2, "Pool", text + " again")
    card(3, "Mail", "The pool of the mailer is another matter and has its own setting.")
    ran = cli("search", "pool connections", "--json")
    assert titles(ran) == ["Pool", "Mail"]
    [first, _] = ran.json()["hits"]
    assert len(first["alike"]) == 1
    assert "and 1 copy" in cli("search", "pool connections").out


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What broke last week?", "January"),
        ("what broke in May 2025", "May"),
        ("what broke on 5 March 2025", "March"),
        ("what broke before 2025-04-01", "March"),
        ("what broke before the move to Postgres", "May"),
        ("what broke after the move to Postgres", "January"),
    ],
)
def test_time_words_act_on_dates(cli: Cli, question: str, first: str) -> None:
    card(1, "March", "The build broke.", at="2025-03-05")
    card(2, "May", "The build broke.", at="2025-05-05")
    card(3, "January", "The build broke.", at="2026-01-22")
    card(4, "Move", "The move to Postgres is done.", at="2025-12-01")
    answers = [title for title in found(cli, question) if title != "Move"]
    assert answers[0] == first


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("last week", ["2026-01-19 2026-01-25"]),
        ("this month", ["2026-02-01 2026-02-01"]),
        ("last month", ["2026-01-01 2026-01-31"]),
        ("last year", ["2025-01-01 2025-12-31"]),
        ("the past week", ["2026-01-25 2026-02-01"]),
        ("the last 3 days", ["2026-01-29 2026-02-01"]),
        ("yesterday", ["2026-01-31 2026-01-31"]),
        ("two weeks ago", ["2026-01-15 2026-01-21"]),
        ("since Monday", ["2026-01-26 None"]),
        ("in December", ["2025-12-01 2025-12-31"]),
        ("in december 2023", ["2023-12-01 2023-12-31"]),
        ("in 2023", ["2023-01-01 2023-12-31"]),
        ("May 7, 2023", ["2023-05-07 2023-05-07"]),
        ("the 7th of May 2023", ["2023-05-07 2023-05-07"]),
        ("before 7 May 2023", ["None 2023-05-06"]),
        ("until 2023-05-07", ["None 2023-05-07"]),
        ("last Friday, 3 March 2023", ["2023-03-03 2023-03-03"]),
        ("30 February 2023", []),
        ("before 0001-01-01", []),
        ("it may be so in part", []),
        ("9999 years ago", []),
    ],
)
def test_how_time_words_are_understood(text: str, spans: list[str]) -> None:
    today = date(2026, 2, 1)
    assert [f"{span.first} {span.last}" for span in when.spans(f"what was {text}?", today)] == spans


# How it is shown


def test_an_answer_for_programs(cli: Cli) -> None:
    card(1, "Pool", "With five connections the load test timed out.")
    answer = cli("search", "load", "tests", "--json", "--explain").json()
    assert list(answer) == ["query", "mode", "took_ms", "total", "hits", "when", "left_out", "as_of", "did_you_mean"]
    assert (answer["query"], answer["mode"], answer["total"]) == ("load tests", "words", 1)
    [hit] = answer["hits"]
    assert hit["snippet"] == "With five connections the **load** **test** timed out."
    assert {"id", "dialect", "kind", "path", "line", "title", "body", "at", "links", "superseded", "score"} <= set(hit)
    assert sum(value for name, value in hit["why"].items() if not name.startswith("times ")) == pytest.approx(
        hit["score"] / hit["why"]["times recent"], abs=0.01
    )
    assert "why" not in cli("search", "load", "--json").json()["hits"][0]


def test_an_answer_for_people(cli: Cli) -> None:
    card(1, "Pool", "With five connections the load test timed out.")
    out = cli("search", "load").out.splitlines()
    assert out[0] == "Pool"
    assert out[1] == "  00000000  memories/00000000-0000-4000-8000-000000000001.md:1  2026-01-15 · card"
    assert out[2] == "  With five connections the load test timed out."
    assert out[3].startswith("1 record of 1 in ")
    assert " = load " in cli("search", "load", "--explain").out
    assert cli("search", "zebra") == Ran(0, "No memories match.\n", "")
    assert cli("search", "zebra", "--json").json()["hits"] == []


def test_what_cannot_be_asked(cli: Cli) -> None:
    for query in ((), ("!!!",), ("",)):
        ran = cli("search", *query)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err == "memdown: There is nothing to search for; give words, or a filter such as kind:decision.\n"
    assert "use one of archived, expired" in cli("search", "is:decision").err
    assert cli("search", "x", "-n", "0").code == 2


def test_the_answer_follows_the_files(cli: Cli) -> None:
    card(1, "Pool", "Ten.")
    assert found(cli, "pool") == ["Pool"]
    card(1, "Mail", "Ten.")
    assert (found(cli, "pool"), found(cli, "mail")) == ([], ["Mail"])
    (Path.cwd() / "memories/00000000-0000-4000-8000-000000000001.md").unlink()
    assert found(cli, "mail") == []


def test_the_library_answers_the_same(cli: Cli) -> None:
    card(1, "Pool", "Ten.")
    card(2, "Mail", "Pool of workers.")
    memory = Memory(Path.cwd(), now=lambda: datetime(2026, 2, 1, 12, tzinfo=UTC))
    hits = memory.search("pool tag:x", limit=1)
    assert [hit.mark.record.title for hit in hits.hits] == found(cli, "pool", "-n", "1") == ["Pool"]
    assert hits.total == 2


def test_an_index_that_is_up_to_date_needs_no_dialect(cli: Cli) -> None:
    card(1, "Pool", "Ten.")
    time.sleep(2.1)  # so long that the file's time tells of every change, whatever the disk counts in
    assert found(cli, "pool") == ["Pool"]
    script = (
        "import sys; from memdown.surfaces.cli import run; code = run(['search', 'pool', '-q']);"
        "print(code, *(name for name in sys.modules if name.startswith(('memdown.dialects.', 'memdown.acts.check.engine', 'yaml'))))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0"]


def test_links_are_shown_in_both_directions(cli: Cli) -> None:
    old = entry("2026-01-10T09:00:00Z", "Old", "Use SQLite.")
    new = entry("2026-01-20T09:00:00Z", "New", "Use PostgreSQL.", supersedes="2026-01-10T09:00:00Z")
    put(Path.cwd(), LOG, f"# Decisions\n\n{old}\n{new}")
    ids = {each["title"]: each["id"] for each in cli("list", "--json").json()}
    shown = cli("show", ids["Old"], "--json").json()
    assert (shown["superseded"], shown["linked_from"]) == (True, [{"type": "supersedes", "id": ids["New"]}])
    assert cli("show", ids["New"], "--json").json()["links"][0]["resolved"] == ids["Old"]
    told = cli("show", ids["Old"]).out
    assert f"  supersedes by  {ids['New'][:8]}\n" in told
    assert "  author         Keaton\n" in told
    assert "  summary        Use SQLite.\n" in told
    for name in ("Old", "old", ids["Old"][:5], f"{LOG}:4"):
        assert cli("show", name).out == told


def test_a_field_that_is_shown_is_not_repeated_in_the_text_below(cli: Cli) -> None:
    head = "- **Date**: 2026-02-01\n- **Status**: Accepted\n- **By**: Ann"
    kept = "- **Reviewer**: Ann\n- **Context**: No server.\n\n```\n- **Status**: Accepted\n```"
    put(Path.cwd(), "memory-bank/decisionLog.md", f"# Decision Log\n\n## Decision: Use SQLite\n{head}\n{kept}\n")
    told = cli("show", "Use SQLite").out
    assert [line.split()[1] for line in told.splitlines()[4:7]] == ["2026-02-01", "Ann", "Accepted"]
    assert told.partition("\n\n")[2] == f"{kept}\n"
    assert cli("show", "Use SQLite", "--json").json()["body"] == f"{head}\n{kept}"


def test_a_link_by_id_is_shown_at_its_other_end(cli: Cli) -> None:
    """Only links among entries of logs are followed by time and title; any other names the record itself."""
    put(
        Path.cwd(),
        "orders.md",
        "---\ntype: Table\n---\n\nBilled as [revenue](metrics/revenue.md) is, not [itself](orders.md).\n",
    )
    put(Path.cwd(), "metrics/revenue.md", "---\ntype: Metric\n---\n\nA sum.\n")
    put(Path.cwd(), "index.md", '---\nokf_version: "0.1"\n---\n\n# Tables\n\n* [Orders](orders.md) - All of them.\n')
    linked = {name: cli("show", name, "--json").json()["linked_from"] for name in ("metrics/revenue", "orders")}
    assert [(each["type"], each["id"].split("/")[-1]) for each in linked["metrics/revenue"]] == [("related", "orders")]
    assert [(each["type"], each["id"].split("/")[-1]) for each in linked["orders"]] == [("related", "index")]


def test_open_calls_the_editor_at_the_line(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    card(1, "Pool", "Ten.")
    seen = tmp_path / "seen"
    script = put(tmp_path, "vim", f"import sys; open({str(seen)!r}, 'w').write(' '.join(sys.argv[1:]))")
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f'"{sys.executable}" "{script}"')
    assert cli("open", "00000000").out == "memories/00000000-0000-4000-8000-000000000001.md:1\n"
    assert seen.read_text().endswith("memories/00000000-0000-4000-8000-000000000001.md")
    monkeypatch.setenv("EDITOR", "/nowhere/vim")
    assert cli("open", "00000000").code == 4
    monkeypatch.setenv("EDITOR", "")
    assert cli("open", "00000000") == Ran(2, "", "memdown: Set EDITOR to the command of your editor, as EDITOR=nano.\n")
    assert cli("open", "nope").code == 1
    assert cli("open", "../../etc/passwd").code == 3


def test_phrases_that_take_long_are_refused_in_one_line(cli: Cli) -> None:
    cli("add", "card", "Pool size is 10", "-k", "pool", "--content", "With 5 the load test timed out.")
    ran = cli("search", f'"{"load test " * 13}"')
    assert ran.code != 0
    assert ran.err.startswith("memdown: The phrases of the query have more than 24 words together")
    assert ran.err.count("\n") == 1


def test_a_skill_is_found_by_its_name_before_others_that_share_words_of_it(cli: Cli) -> None:
    """Words of a file's name are in all its records, and none of these has them the more for it."""
    issues = "".join(f"### {n}. Leak {n}\n\n**Status**: Ongoing\n\nPattern {n} in code.\n\n" for n in range(1, 9))
    put(Path.cwd(), "memory/skills/dotnet-code-review/shop/known_issues.md", f"# Known Issues\n\n## Low\n\n{issues}")
    text = f"# Reference\n\n{'FastAPI is used, with Redis, and transactions come first. ' * 3}\n"
    put(Path.cwd(), "memory/skills/python-code-review/shop/reference.md", text)
    for n in range(4):
        put(Path.cwd(), f"memory/skills/style-{n}/shop/notes.md", f"# Notes {n}\n\nNot for python, python or python.\n")
    found = cli("search", "review my python code", "--json").json()["hits"]
    assert "python-code-review" in found[0]["path"]
    assert "dotnet" in cli("search", "review dotnet code", "--json").json()["hits"][0]["path"]


def test_a_stem_that_two_words_share_by_chance_is_no_hit(cli: Cli) -> None:
    """The index has stems: "one" is "on" to it, "use" is "us", "IDE" is "id"."""
    card(1, "Deploys", "Never deploy on a Friday, says the new team. It costs us. Give it an id only.")
    card(2, "Databases", "One database a service, based on Postgres.")
    card(3, "Sessions", "We are using Redis, and read the news in an IDE.")
    card(4, "Parsing", "useCases and other_ones stand here, for their ids.")
    for query, meant in {
        "one": ["Databases", "Parsing"],
        "ones": ["Databases", "Parsing"],
        "use": ["Parsing", "Sessions"],
        "used": ["Parsing", "Sessions"],
        "us": ["Deploys"],
        "news": ["Sessions"],
        "new": ["Deploys"],
        "ide": ["Sessions"],
        "id": ["Deploys", "Parsing"],
        '"one database"': ["Databases"],
        '"one Friday"': [],
        '"one a Friday"': [],
        "ide OR friday": ["Deploys", "Sessions"],
        "+one": ["Databases", "Parsing"],
    }.items():
        assert sorted(found(cli, query)) == meant, query
        listed = [each["title"] for each in cli("list", "--json", query).json()]
        begins = ["Sessions"] if query == "new" else []  # a list takes words by their beginnings, as "news" has it
        assert sorted(listed) == meant + begins, query
    assert sorted(each["title"] for each in cli("list", "--json", "--", "-one").json()) == ["Deploys", "Sessions"]
    marked = {hit["title"]: hit["snippet"] for hit in cli("search", "--json", "one").json()["hits"]}
    assert marked["Databases"] == "**One** database a service, based on Postgres."
    assert found(cli, "one redis") == ["Sessions"]  # beside another word, such a word says nothing


def test_a_stem_shared_by_chance_is_no_hit_among_very_many(cli: Cli) -> None:
    """Where the index sorts records itself, because they are many or a filter is given, too."""
    lines = "".join(
        entry(f"2026-01-{1 + number % 28:02}T10:00:00Z", f"On {number}", "Goes on.") for number in range(80)
    )
    put(Path.cwd(), LOG, f"# Decisions\n\n{lines}{entry('2026-02-01T10:00:00Z', 'One only', 'Just one.')}")
    assert found(cli, "one") == found(cli, "one kind:decision") == ["One only"]
    assert cli("search", "--json", "one kind:decision").json()["total"] == 1


def test_comments_are_no_part_of_what_is_shown(cli: Cli) -> None:
    text = "# Decisions\n\n### 2026-01-03T10:00:00Z: Use SQLite\n**By:** Ada\n**What:** One file is enough.\n"
    put(Path(), ".squad/decisions.md", f"{text}<!-- memdown: verified 2026-11-01 by Ann -->\n**Why:** No server.\n")
    [hit] = cli("search", "file enough", "--json").json()["hits"]
    assert "<!--" not in hit["snippet"]
    assert hit["snippet"].startswith("What: One ")
    [hit] = cli("search", "verified ann", "--json").json()["hits"]
    assert "verified" in hit["snippet"]
