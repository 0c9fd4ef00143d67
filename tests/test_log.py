"""The history of records: every version, through edits, renames, moves, archives, merges; real histories too."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import CORPUS, Ran
from memdown import Memory
from memdown.history import trail
from memdown.history.assistants import assistant
from memdown.history.trail import LoggedChange
from repos import Repo
from samples import memdown

Cli = Callable[..., Ran]
ID = "3f2b8c1e-0000-4000-8000-000000000001"
FILE = f"memories/{ID}.md"
LOG = ".squad/decisions.md"
TRAILER = "Co-Authored-By: Claude Opus 4.5 <noreply@anthropic.com>"
HISTORIES = CORPUS / "merges" / "histories"


def card(subject: str, content: str, tags: str = "cache", id: str = ID) -> str:
    head = f"---\nid: {id}\nsubject: {subject}\nkeywords: [{tags}]\napplies_to: global\n"
    return f"{head}occurred_at: '2026-01-01T10:00:00Z'\n---\n\n{content}\n"


def entry(title: str, text: str, day: str = "2026-01-05") -> str:
    return f"### {day}: {title}\n**By:** Ann\n**What:** {text}\n\n"


@pytest.fixture
def repo(cli: Cli) -> Repo:  # noqa: ARG001 - we are in its project
    return Repo(Path.cwd())


def told(changes: list[LoggedChange]) -> list[tuple[str | None, str]]:
    return [(each.commit, each.change) for each in changes]


def test_each_version_says_which_fields_changed_and_who_did_it(cli: Cli, repo: Repo) -> None:
    repo.put(FILE, card("Cache", "Redis holds the sessions."))
    first = repo.commit("Remember the cache")
    repo.put(FILE, card("Cache", "Postgres holds the sessions.", "cache, db"))
    second = repo.commit(f"Move the cache\n\n{TRAILER}", by=("Bob", "bob@example.com"))
    repo.put("README.md", "# Shop\n")
    repo.commit()
    found = cli("log", ID, "--json").json()
    assert [(each["commit"], each["change"], each["author"], each["assistant"]) for each in found] == [
        (second, "changed", "Bob", "Claude"),
        (first, "added", "Ann", None),
    ]
    assert found[0]["fields"] == {
        "tags": [["cache"], ["cache", "db"]],
        "body": ["Redis holds the sessions.", "Postgres holds the sessions."],
    }
    assert (found[0]["at"], found[0]["subject"]) == ("2026-01-03T00:00:00Z", "Move the cache")
    assert found[1]["fields"]["title"] == [None, "Cache"]
    shown = cli("log", "Cache").out
    assert "Bob with Claude  Move the cache" in shown
    assert "tags: cache → cache, db" in shown
    assert "-Redis holds the sessions." in cli("log", ID, "--diff").out


def test_a_record_is_followed_through_a_new_title_a_rename_and_a_move(repo: Repo) -> None:
    others = entry("Use uv for packages", "pip is slow in every build")
    repo.put(LOG, f"# Decisions\n\n{entry('Sessions live in Redis', 'A row for each request was too much.')}{others}")
    first = repo.commit()
    repo.put(LOG, f"# Decisions\n\n{entry('Sessions stay in Redis', 'A row for each request was too much.')}{others}")
    second = repo.commit()
    repo.put(
        ".squad/decisions-archive.md",
        f"# Archive\n\n{entry('Sessions stay in Redis', 'A row for each request was too much.')}",
    )
    repo.put(LOG, f"# Decisions\n\n{others}")
    third = repo.commit()
    repo.git("mv", ".squad/decisions-archive.md", ".squad/decisions-archive-2026.md")
    fourth = repo.commit()
    with Memory.open(repo.root) as memory:
        found = memory.log("Sessions stay in Redis")
    assert told(found) == [(fourth, "moved"), (third, "moved"), (second, "changed"), (first, "added")]
    assert found[1].fields["path"] == (LOG, ".squad/decisions-archive.md")
    assert found[2].fields["title"] == ("Sessions live in Redis", "Sessions stay in Redis")


def test_a_task_is_its_id_whatever_is_said_of_it(repo: Repo) -> None:
    texts = ("[US-1] Return bikes - URGENT, depends on US-2", "[US-1] Done on 2026-02-26 by the service of ten steps")
    commits = []
    for title, heading in zip(texts, ("Pending", "Completed"), strict=True):
        repo.put("memory-bank/progress.md", f"# Progress\n\n## {heading}\n\n- {title}\n")
        commits.append(repo.commit())
    assert told(Memory.open(repo.root).log(texts[1])) == [(commits[1], "changed"), (commits[0], "added")]


def test_an_entry_is_its_title_whatever_its_state_and_though_its_text_is_told_in_short(repo: Repo) -> None:
    steps = "\n".join(f"- step {number} of word{number} and name{number}" for number in range(20))
    texts = (
        f"### 2026-01-05: Platform upgrade ✅ COMPLETED\n\n{steps}",
        "### 2026-01-05: Platform upgrade ✅\n\nAll new.",
    )
    commits = []
    for text in texts:
        repo.put("memory-bank/progress.md", f"# Progress\n\n## Log\n\n{text}\n")
        commits.append(repo.commit())
    found = Memory.open(repo.root).log("2026-01-05: Platform upgrade ✅")
    assert told(found) == [(commits[1], "changed"), (commits[0], "added")]


def test_another_card_in_the_place_of_one_is_another(repo: Repo) -> None:
    """However alike git finds the two files."""
    repo.put(FILE, card("Cache", "Redis holds the sessions."))
    repo.commit()
    (repo.root / FILE).unlink()
    repo.put("memories/b.md", card("Cache", "Redis holds the sessions.", id=ID[:-1] + "2"))
    last = repo.commit()
    assert told(Memory.open(repo.root).log("Cache")) == [(last, "added")]


def test_a_record_that_is_no_more_has_its_history(cli: Cli, repo: Repo) -> None:
    repo.put(FILE, card("Cache", "Redis."))
    first = repo.commit()
    (repo.root / FILE).unlink()
    gone = repo.commit()
    for name in (ID, "Cache", "3f2b", FILE):
        assert [(each["commit"], each["change"]) for each in cli("log", name, "--json").json()] == [
            (gone, "removed"),
            (first, "added"),
        ]
    ran = cli("log", "never-there")
    assert (ran.code, ran.err) == (
        1,
        "memdown: No memory has the id or title 'never-there'; see `memdown list`.\n",
    )


def test_what_is_not_committed_comes_first(repo: Repo) -> None:
    repo.put(FILE, card("Cache", "Redis."))
    first = repo.commit()
    repo.put(FILE, card("Cache", "Postgres."))
    with Memory.open(repo.root) as memory:
        assert told(memory.log(ID)) == [(None, "changed"), (first, "added")]
        repo.put(FILE, card("Cache", "Redis.").replace("\n", "\r\n"))  # as Windows may check it out
        assert told(memory.log(ID)) == [(first, "added")]
        repo.put("memories/new.md", card("Queue", "Jobs.", id=ID[:-1] + "2"))
        assert told(memory.log("Queue")) == [(None, "added")]


def test_both_sides_of_a_merge_are_versions_and_the_merge_only_what_neither_has(repo: Repo) -> None:
    def log(first: str, second: str) -> str:
        return f"# Decisions\n\n{entry('Use Redis for sessions', first)}{entry('Use uv for packages', second)}"

    repo.put(LOG, log("one", "one"))
    base = repo.commit()
    repo.git("checkout", "-q", "-b", "side")
    repo.put(LOG, log("one", "two"))
    side = repo.commit()
    repo.git("checkout", "-q", "main")
    repo.put(LOG, log("three", "one"))
    ours = repo.commit()
    repo.git("merge", "-q", "--no-commit", "-s", "ours", "side")
    repo.put(LOG, log("three", "two") + entry("Merge by hand", "new"))
    merge = repo.commit()
    with Memory.open(repo.root) as memory:
        assert told(memory.log("Use Redis for sessions")) == [(ours, "changed"), (base, "added")]
        assert told(memory.log("Use uv for packages")) == [(side, "changed"), (base, "added")]
        assert told(memory.log("Merge by hand")) == [(merge, "added")]
        assert {each.commit for each in memory.log(LOG)} == {merge, ours, side, base}


def test_without_a_name_the_latest_changes_are_told(cli: Cli, repo: Repo) -> None:
    for number in range(25):
        repo.put(f"memories/{number}.md", card(f"Card {number}", "x", id=f"{ID[:-2]}{number:02}"))
        repo.commit()
    found = cli("log", "--json").json()
    assert [each["title"] for each in found] == [f"Card {number}" for number in range(24, 4, -1)]
    assert len(cli("log", "-n", "3", "--json").json()) == 3
    assert [each["title"] for each in cli("log", "--since", "2026-01-25", "--json").json()] == ["Card 24", "Card 23"]
    assert len(cli("log", "Card", "--json").json()) == 25  # a query, since several begin so


@pytest.mark.parametrize("name", ["a'b", "two words", "\u00e4 \u4e2d"])
def test_a_file_of_whatever_name_has_a_history(repo: Repo, name: str) -> None:
    path = f"memories/{name}.md"
    repo.put(path, card("Cache", "One."))
    first = repo.commit()
    repo.git("mv", path, "memories/plain.md")
    second = repo.commit()
    assert told(Memory.open(repo.root).log("memories/plain.md")) == [(second, "moved"), (first, "added")]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_a_name_that_memory_may_not_have_is_passed_over(repo: Repo) -> None:
    for name in ("-x", "line\nend", 'tab\t"'):
        repo.put(f"memories/{name}.md", card("Cache", "One."))
    repo.put(FILE, card("Queue", "One."))
    repo.commit()
    assert [each.path for each in Memory.open(repo.root).log()] == [FILE]


def test_there_is_one_clear_answer_where_git_has_none(cli: Cli, tmp_path: Path) -> None:
    Path("memories").mkdir()
    Path(FILE).write_text(card("Cache", "One."))
    ran = cli("log", ID)
    assert (ran.code, ran.err) == (
        4,
        "memdown: Not a git repository, so there is no history; run `git init` and commit the memory.\n",
    )
    repo = Repo(Path.cwd())
    ran = cli("log", ID)
    assert (ran.code, ran.err) == (
        1,
        "memdown: No commits yet, so there is no history; commit the memory first.\n",
    )
    repo.commit()
    repo.put(FILE, card("Cache", "Two."))
    last = repo.commit()
    repo.git("clone", "-q", "--depth=1", repo.root.as_uri(), str(tmp_path / "shallow"))
    done = memdown(tmp_path / "shallow", "log", ID, "--json")
    assert [(each["commit"], each["change"]) for each in json.loads(done.stdout)] == [(last, "added")]
    assert "shallow clone" in done.stderr


def test_a_root_below_the_repository_has_its_own_history(repo: Repo) -> None:
    repo.put(f"services/shop/{FILE}", card("Cache", "One."))
    repo.put("services/shop/memdown.toml", "")
    first = repo.commit()
    repo.put(FILE, card("Elsewhere", "One.", id=ID[:-1] + "2"))
    repo.commit()
    with Memory.open(repo.root / "services/shop") as memory:
        assert [(each.commit, each.path) for each in memory.log()] == [(first, FILE)]


@pytest.mark.parametrize(
    ("author", "email", "trailers", "name"),
    [
        ("Ann", "ann@example.com", [TRAILER], "Claude"),
        ("Ann", "ann@example.com", ["Co-authored-by: Cursor <cursoragent@cursor.com>"], "Cursor"),
        ("copilot-swe-agent[bot]", "198982749+Copilot@users.noreply.github.com", [], "Copilot"),
        ("Ann (aider)", "ann@example.com", [], "aider"),
        ("Ann", "ann@example.com", ["Co-authored-by: aider (gpt-4o) <aider@aider.chat>"], "aider"),
        ("Ann", "ann@example.com", ["Assisted-by: Codex"], "Codex"),
        ("devin-ai-integration[bot]", "1+devin@users.noreply.github.com", [], "Devin"),
        ("Claude", "noreply@anthropic.com", [], "Claude"),
        ("Ann", "a@b", ["Co-authored-by: Claude <claude@x>", "Co-authored-by: Copilot <c@x>"], "Claude, Copilot"),
        ("Claude Dupont", "claude@dupont.fr", [], None),
        ("Claude", "claude@dupont.fr", [], None),
        ("dependabot[bot]", "x@users.noreply.github.com", ["Signed-off-by: dependabot"], None),
        ("Ann", "ann@example.com", ["Co-authored-by: Bob <bob@example.com>", "Reviewed-by: Claude"], None),
    ],
)
def test_assistants_are_known_by_trailers_and_authors(
    author: str, email: str, trailers: list[str], name: str | None
) -> None:
    assert assistant(author, email, trailers) == name


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["bank__teknokomo__universo-platformo-react", "sem__JDL440__nfl-eval"])
def test_real_histories_are_reached_whole(tmp_path: Path, name: str) -> None:
    """Each commit that git has of a file is told, and each record goes back to the version that first has it."""
    rows = map(json.loads, (HISTORIES / "index.jsonl").read_text("utf-8").splitlines())
    history = next(each for each in rows if each["history"] == name)
    repo = Repo(tmp_path)
    texts = [(HISTORIES / name / each["file"]).read_bytes() for each in history["versions"]]
    for text in texts:
        repo.put(history["path"], text.decode("utf-8", "surrogateescape"))
        repo.commit()
    wanted = repo.git("log", "--format=%H", "--", history["path"]).split()
    with Memory.open(tmp_path) as memory:
        assert list(dict.fromkeys(each.commit for each in memory.log(history["path"]))) == wanted
        for record in memory.records():
            versions = memory.log(f"{record.path}:{record.line}")
            assert versions[-1].change == "added"
            assert {each.commit for each in versions} <= set(wanted)


@pytest.mark.corpus
def test_looking_at_texts_finds_what_parsing_all_of_them_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts are parsed only where a record may be another; the versions are the same when all of them are."""
    name = "sem__davidortinau__SentenceStudio"
    rows = map(json.loads, (HISTORIES / "index.jsonl").read_text("utf-8").splitlines())
    history = next(each for each in rows if each["history"] == name)
    repo = Repo(tmp_path)
    for version in history["versions"]:
        repo.put(history["path"], (HISTORIES / name / version["file"]).read_bytes().decode("utf-8", "surrogateescape"))
        repo.commit()
    with Memory.open(tmp_path) as memory:
        quick = memory.blame(history["path"])
        monkeypatch.setattr(trail, "_untouched", lambda *_: None)
        assert memory.blame(history["path"]) == quick
    assert len({each.commit for each in quick}) > 3


SETTINGS = """\
blame.coloring=repeatedLines blame.showEmail=true blame.date=relative blame.blankBoundary=true
blame.markUnblamableLines=true blame.markIgnoredLines=true color.ui=always color.diff=always core.abbrev=5 core.quotePath=true
core.logAllRefUpdates=false diff.algorithm=histogram diff.colorMoved=zebra diff.context=9 diff.dirstat=lines diff.external=false
diff.indentHeuristic=false diff.interHunkContext=9 diff.mnemonicPrefix=true diff.noprefix=true diff.relative=true
diff.renames=false diff.submodule=log diff.suppressBlankEmpty=true diff.wsErrorHighlight=all diff.orderFile=nowhere
format.pretty=fuller grep.lineNumber=true grep.column=true i18n.logOutputEncoding=ISO-8859-1 log.abbrevCommit=true
log.date=relative log.decorate=full log.diffMerges=first-parent log.follow=true log.mailmap=false log.showRoot=false
log.showSignature=true pager.log=false status.branch=true status.displayCommentPrefix=true status.relativePaths=false
status.renames=false status.short=true status.showStash=true status.showUntrackedFiles=no status.submoduleSummary=true
submodule.recurse=true tag.gpgSign=true
""".split()
"""What people set git to, each of which changes what git prints."""


def test_how_somebody_has_git_changes_no_answer(cli: Cli, repo: Repo) -> None:
    repo.put("src/db.py", "def connect():\n    return 1\n")
    repo.put(
        LOG,
        f"# Decisions\n\n{entry('Use Redis', 'As a cache: `src/db.py:1`.')}### 2026-01-05: Use Go\n**What:** Für alles.\n\n",
    )
    repo.put("README.md", "# Shop\n")
    repo.commit("Über Redis", by=("Änn", "ann@example.com"))
    old = (Path.cwd() / LOG).read_text("utf-8")
    repo.put(
        LOG,
        f"{old}### 2026-01-05: Use Postgres\n**What:** For the rest.\n\n"
        + entry("Use S3", "For files: `src/db.py:2`."),
    )
    repo.commit(by=("Bob", "bob@example.com"))
    repo.put("src/db.py", "def connect():\n    return 2\n")
    repo.git("mv", "README.md", "START.md")
    repo.put(".squad/agents/ann/history.md", "# History\n")
    repo.commit(by=("Cleo", "cleo@example.com"))
    repo.put("src/new.py", "x = 1\n")
    repo.put(FILE, card("Cache", "Redis holds `README.md`, `src/new.py` and the sessions."))
    questions = [
        ("blame", "Use Redis"), ("blame", LOG), ("log", "Use S3"), ("log", LOG), ("changes", "HEAD~2..HEAD"), ("diff", "HEAD~1"),
        ("diff", "HEAD~2..HEAD"), ("for", "src/db.py"), ("verify",), ("search", "sessions"), ("search", "files", "--as-of", "HEAD~1"),
        ("convert", LOG, "--to", "sem", "--infer", "git", "--dry-run"), ("start",), ("status",), ("stale",), ("undocumented",),
        ("check", "--changed"), ("timeline",),
    ]  # fmt: skip

    def answers() -> list[object]:
        cli("index", "--rebuild")
        found = [cli(*question, "--json").json() for question in questions]
        return [{**each, "took_ms": 0} if isinstance(each, dict) else each for each in found]

    before = answers()
    assert "Bob" in json.dumps(before)
    repo.put(".git/info/attributes", "*.md diff=doubled\n*.py diff=doubled\n")
    repo.git("config", "diff.doubled.textconv", "sed p")
    assert len(repo.git("blame", LOG).splitlines()) == 2 * len(repo.git("blame", "--no-textconv", LOG).splitlines())
    for setting in SETTINGS:
        repo.git("config", *setting.split("=", 1))
    for question, as_before, now in zip(questions, before, answers(), strict=True):
        assert now == as_before, question
