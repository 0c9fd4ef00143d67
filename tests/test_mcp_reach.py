"""What an assistant reaches through the tools: every name a file goes by, every kind of every dialect, every field."""

import ast
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcp_client import Client, server
from memdown.markdown import tokens
from memdown.memory import Memory
from memdown.surfaces.mcp import words
from samples import in_process, put
from test_attacks import everything

BRIEF = "# Project Brief\n\nA shop.\n"
PROGRESS = "# Progress\n\n## Completed\n\n## In Progress\n- [ ] Search\n\n## Upcoming\n- [ ] Pay\n"
ACTIVE = "# Active Context\n\n## Current Focus\nSearch\n\n## Next Steps\n1. Ship\n"
LOG = "# Decision Log\n\n## Decision: Use Go\n- **Date**: 2026-01-01\n- **Status**: Accepted\n"
REVIEWS = "# Reviews\n\nOf my-api.\n\n## Review #1 (2026-01-01)\n\nGo 1.22\n\n## Review #2 (2026-01-02)\n\nsrc/\n"
REVIEWS_ID = "skill-specific/review/my-api/review_history"
TASKS = """\
# Task Registry

*Last Updated: 2026-01-10 10:00:00 UTC*

## Active Tasks

| ID | Title | Status | Priority | Started | Dependencies | Owner |
|----|-------|--------|----------|---------|--------------|-------|
| T21 | Pool | 🔄 | HIGH | 2026-01-05 | - | Ann |

## Completed Tasks

| ID | Title | Completed | Related Tasks |
|----|-------|-----------|---------------|
"""


class Shop:
    """A project that the tools are asked about."""

    def __init__(self, client: Client, root: Path) -> None:
        self._client, self.root = client, root

    def put(self, name: str, text: str) -> Path:
        return put(self.root, name, text)

    def text(self, name: str) -> str:
        return (self.root / name).read_text("utf-8")

    def value(self, name: str, /, **arguments: object) -> Any:
        return self._client.value(name, projectPath=str(self.root), **arguments)

    def refusal(self, name: str, /, **arguments: object) -> str:
        return self._client.refusal(name, projectPath=str(self.root), **arguments)

    def fault(self, method: str, **params: object) -> str:
        told: str = self._client.ask(method, **params)["error"]["message"]
        return told


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, Path]]:
    """One server for all of these tests, and the folder of the projects it serves."""
    banks = tmp_path_factory.mktemp("banks")
    with server(banks, banks=banks) as client:
        client.initialize()
        yield client, banks


@pytest.fixture
def shop(client: tuple[Client, Path], tmp_path: Path) -> Shop:
    root = client[1] / tmp_path.name
    root.mkdir()
    return Shop(client[0], root)


# Names

ALIASES = {"projectBrief.md": "brief.md", "techContext.md": "tech.md", "activeContext.md": "context.md"}
"""What Kilo Code calls three of the seven."""


@pytest.mark.parametrize("folder", ["memory-bank", "Memory-Bank", "memory_bank", ".kilocode/rules/memory-bank"])
def test_a_file_is_reached_by_every_name_it_goes_by(shop: Shop, folder: str) -> None:
    for name in (*ALIASES.values(), "Progress.md", "archive/Old.md"):
        shop.put(f"{folder}/{name}", f"# {name}\n")
    for canonical, name in (*ALIASES.items(), ("progress.md", "Progress.md"), ("archive/old.md", "archive/Old.md")):
        path = f"{folder}/{name}"
        for called in (canonical, canonical.lower(), name, path, f"memory-bank/{name}"):
            read = shop.value("memory_bank_read", fileName=called)
            assert (read["content"], read["path"]) == (f"# {name}\n", path), called
        told = shop.refusal("memory_bank_write", fileName=canonical, content="# Twice\n")
        assert "memory_bank_update" in told
        assert path in told or canonical in path
        done = shop.value("memory_bank_update", fileName=canonical, content=f"# {name}\n\nNew.\n")
        assert done["path"] == path
        seen = done["hash"]
        done = shop.value("update", file=canonical, section=name, content="Newer.", expectedHash=seen)
        assert done["path"] == path
    names = [each["name"] for each in shop.value("list_project_files")["files"]]
    assert sorted(names) == sorted((*ALIASES.values(), "Progress.md", "archive/Old.md"))
    order = shop.value("start_session")["order"]
    assert {each["file"]: each["path"] for each in order if each["present"]} == {
        **{file: f"{folder}/{name}" for file, name in ALIASES.items()},
        "progress.md": f"{folder}/Progress.md",
    }
    made = shop.value("initialize_memory_bank")
    assert len(made["kept"]) == 4
    assert all(path.startswith(f"{folder}/") for path in made["created"])


def test_of_two_names_for_one_file_each_reaches_its_own(shop: Shop) -> None:
    shop.put("memory-bank/projectBrief.md", BRIEF)
    shop.put("memory-bank/brief.md", "# Another\n")
    read = shop.value("memory_bank_read", fileName="brief.md")
    assert read["content"] == "# Another\n"
    assert shop.value("memory_bank_read", fileName="PROJECTBRIEF.md")["content"] == BRIEF


def test_every_name_that_is_listed_can_be_given(tmp_path: Path) -> None:
    own = tmp_path / "shop"
    put(own, "memory-bank/progress.md", PROGRESS)
    put(tmp_path, "banks/other/memory_bank/brief.md", BRIEF)
    with server(own, banks=tmp_path / "banks") as client:
        client.initialize()
        _reach_what_is_listed(client, tmp_path)


def _reach_what_is_listed(client: Client, tmp_path: Path) -> None:
    listed = client.value("list_projects")["projects"]
    assert [each["name"] for each in listed] == ["other", "shop"]
    for each in listed:
        for given in (each["name"], each["path"]):
            assert client.value("list_project_files", projectPath=given)["files"], given
    put(tmp_path, "banks/shop/memory-bank/progress.md", "# Of the other shop\n")
    listed = client.value("list_projects")["projects"]
    assert [each["name"] for each in listed] == ["other", "shop", "."]
    for each in listed:
        files = [client.value("list_project_files", projectPath=given) for given in (each["name"], each["path"])]
        assert files[0] == files[1]


def test_a_dot_is_the_server_s_own_project_wherever_it_was_started(tmp_path: Path) -> None:
    put(tmp_path, "shop/memory-bank/progress.md", PROGRESS)
    put(tmp_path, "elsewhere/memory-bank/progress.md", "# Of another\n")
    with server(tmp_path / "elsewhere", "--root", str(tmp_path / "shop"), banks=tmp_path / "banks") as client:
        client.initialize()
        read = client.value("memory_bank_read", projectPath=".", fileName="progress.md")
        assert read["content"] == PROGRESS
        [listed] = client.value("list_projects")["projects"]
        assert listed["path"] == str(tmp_path / "shop")


def test_packages_of_a_monorepo_are_projects_too(tmp_path: Path) -> None:
    own = tmp_path / "shop"
    put(own, "packages/api/memory-bank/brief.md", BRIEF)
    put(own, "memory-bank/progress.md", PROGRESS)
    with server(own, banks=tmp_path / "banks") as client:
        client.initialize()
        listed = client.value("list_projects")["projects"]
        assert [each["name"] for each in listed] == ["shop", "packages/api"]
        for where in (listed[1]["name"], listed[1]["path"]):
            read = client.value("memory_bank_read", projectPath=where, fileName="projectbrief.md")
            assert (read["path"], read["content"]) == ("memory-bank/brief.md", BRIEF)
        made = client.value("add", projectPath="packages/api", kind="decision", title="Use Go", author="Ann")
        assert made["path"] == "memory-bank/decisionLog.md"
        assert (own / "packages/api/memory-bank/decisionLog.md").is_file()
        assert "packages/web" in client.refusal("search", projectPath="packages/web", query="x")


# Kinds

DECISION = {
    "kind": "decision",
    "title": "Use PostgreSQL",
    "context": "Several writers",
    "options": ["SQLite: one file", "PostgreSQL: many writers"],
    "selected": "PostgreSQL",
    "rationale": "Locks",
    "trade_offs": "A server to run",
    "consequences": "Backups",
    "status": "Proposed",
    "at": "2026-01-30",
    "supersedes": ["Use Go"],
}


def test_a_full_decision_goes_to_the_log_under_the_name_it_has(shop: Shop) -> None:
    shop.put("memory-bank/brief.md", BRIEF)
    shop.put("memory-bank/decisions.md", LOG)
    done = shop.value("add", **DECISION)
    assert (done["path"], done["notes"], done["similar"], done["removed"]) == ("memory-bank/decisions.md", [], [], [])
    assert not (shop.root / ".squad").exists()
    text = shop.text("memory-bank/decisions.md")
    for said in ("Several writers", "PostgreSQL: many writers", "Locks", "A server to run", "Backups", "2026-01-30"):
        assert said in text
    assert "- **Status**: Superseded by Use PostgreSQL" in text
    assert shop.value("show", id=done["id"])["status"] == "Proposed"
    assert shop.value("undo")["step"] == done["undo"]
    assert shop.text("memory-bank/decisions.md") == LOG


@pytest.mark.parametrize("name", ["README.md", "tasks.md", "edits/2026-01-01/note.md"])
def test_a_decision_goes_to_the_bank_that_is_only_begun(shop: Shop, name: str) -> None:
    shop.put(f"memory-bank/{name}", TASKS)
    assert shop.value("add", kind="decision", title="Use Go", rationale="Fast")["path"] == "memory-bank/decisionLog.md"


KEPT = {
    "bank": "memory-bank/progress.md",
    "cards": "memories/one.md",
    "journal": "memory-bank/tasks.md",
    "layers": "memory/projects/my-api/overview.md",
    "okf": "knowledge/index.md",
    "sem": ".squad/decisions.md",
}
BEGINS: list[tuple[str, dict[str, object], str]] = [
    ("end_session", {"summary": "Pool works"}, "bank journal"),
    ("session", {"do": "start", "text": "Pool"}, "bank journal"),
    ("log_edit", {"title": "Pool", "files": []}, "bank journal"),
    ("memory_bank_write", {"fileName": "activeContext.md", "content": ACTIVE}, "bank journal"),
    ("add", {"kind": "card", "title": "Pool", "text": "Ten.", "tags": ["db"]}, "cards"),
    ("layer", {"do": "create", "id": REVIEWS_ID, "content": REVIEWS}, "layers"),
]


@pytest.mark.parametrize("dialect", KEPT)
def test_no_tool_begins_memory_of_another_dialect(shop: Shop, dialect: str) -> None:
    text = {"journal": TASKS, "okf": '---\nokf_version: "0.2"\n---\n\n# Knowledge\n'}.get(dialect, "# One\n\nText.\n")
    shop.put(KEPT[dialect], text)
    before = everything(shop.root)
    for tool, arguments, takes in BEGINS:
        if dialect not in takes.split():
            told = shop.refusal(tool, **arguments)
            assert told.startswith("This project has no "), (tool, told)
            assert everything(shop.root) == before, tool


@pytest.mark.parametrize("dialect", KEPT)
@pytest.mark.parametrize("kind", ["decision", "directive", "memory", "note", "task"])
def test_a_kind_goes_where_the_project_keeps_the_nearest(shop: Shop, dialect: str, kind: str) -> None:
    text = {"journal": TASKS, "okf": '---\nokf_version: "0.2"\n---\n\n# Knowledge\n'}.get(dialect, "# One\n\nText.\n")
    shop.put(KEPT[dialect], text)
    given = {} if kind == "task" else {"rationale": "Five time out"}
    done = shop.value("add", kind=kind, title="The pool has 10 connections", author="Ann", **given)
    assert done["path"].split("/")[0] == KEPT[dialect].split("/")[0]


def test_a_session_ends_where_a_journal_keeps_sessions(shop: Shop) -> None:
    shop.put("memory-bank/tasks.md", TASKS)
    done = shop.value("end_session", summary="Pool works", next_steps=["Ship"])
    [session] = (shop.root / "memory-bank/sessions").iterdir()
    assert f"memory-bank/sessions/{session.name}" in done["written"]
    assert "Pool works" in session.read_text("utf-8")
    assert done["warnings"] == ["A session of the journal has no place for next_steps; that was not written."]
    assert not (shop.root / "memory-bank/activeContext.md").exists()


def test_a_task_of_a_journal_is_known_by_its_title(shop: Shop) -> None:
    shop.put("memory-bank/tasks.md", TASKS)
    shop.value("add", kind="task", title="Feed the quokkas")
    assert shop.value("set_task", task="feed the  Quokkas", state="started")["changed"] is True
    assert shop.value("set_task", task="Feed the quokkas", state="started")["changed"] is False


def test_an_entry_of_a_log_has_every_field_of_its_format(shop: Shop) -> None:
    shop.put(".squad/decisions.md", "# Decisions\n\n")
    old = shop.value("add", kind="note", title="Old", author="Ann")
    given = {"author": "Ann", "scope": "team", "summary": "In short", "rationale": "No server", "text": "At length"}
    more = {"tags": ["db"], "contributors": ["Bob"], "related": ["issue: #18"], "expires": "2026-06-01T00:00:00Z"}
    done = shop.value("add", kind="decision", title="Use SQLite", supersedes=[old["id"]], **given, **more)
    assert (done["path"], done["notes"]) == (".squad/decisions.md", [])
    shown = shop.value("show", id=done["id"])
    assert {name: shown[name] for name in ("author", "scope", "summary", "tags", "contributors")} == {
        **{name: given[name] for name in ("author", "scope", "summary")},
        **{name: more[name] for name in ("tags", "contributors")},
    }
    assert shown["body"] == "At length"
    assert (shown["extra"]["rationale"], shown["extra"]["expires"][:10]) == ("No server", "2026-06-01")
    assert {each["type"] for each in shown["links"]} == {"supersedes", "issue"}
    ask = {"id": done["id"], "expectedHash": shown["hash"]}
    done = shop.value("update", **ask, field="expires", content="2027-01-01T00:00:00Z")
    done = shop.value("update", id=done["id"], field="contributors", content="Bob, Cid", expectedHash=done["hash"])
    assert shop.value("show", id=done["id"])["contributors"] == ["Bob", "Cid"]
    gone = shop.value("delete", id=done["id"])
    assert [each["what"] for each in gone["removed"]] == ["decision 'Use SQLite'"]
    assert "Use SQLite" not in shop.text(".squad/decisions.md")


def test_a_journal_gets_its_edits_tasks_sessions_and_errors(shop: Shop) -> None:
    shop.put("memory-bank/tasks.md", TASKS)
    task = shop.value("add", kind="task", title="Search", priority="high", depends=["T21"], description="By words")
    assert task["id"] == "T22"
    shown = shop.value("show", id="memory-bank/tasks/T22.md:1")
    assert (shown["title"], shown["summary"], shown["extra"]["priority"]) == ("Search", "By words", "HIGH")
    assert shown["extra"]["dependencies"] == ["T21"]
    edit = shop.value("log_edit", title="Parser", files=["Modified:src/parser.py:reads tables"], tasks=["T22"])
    assert edit["path"] == "memory-bank/edit_history.md"
    assert "`src/parser.py` - reads tables" in shop.text(edit["path"])
    error = shop.value(
        "add", kind="error", title="No start", file="src/a.py", error="EADDR", cause="Port", fix="Free one"
    )
    assert error["path"] == "memory-bank/errorLog.md"
    assert all(said in shop.text(error["path"]) for said in ("src/a.py", "EADDR", "Port", "Free one"))
    begun = shop.value("session", do="start", text="T22")
    assert (begun["focus"], begun["created"]) == ("T22: Search", True)
    shop.value("session", do="note", text="The parser reads tables")
    ended = shop.value("session", do="end", text="The parser is done")
    assert ended["written"] == [begun["path"], "memory-bank/session_cache.md"]
    assert all(said in shop.text(begun["path"]) for said in ("The parser reads tables", "The parser is done"))
    for made in (task, edit, error, begun, ended):
        assert (made["removed"], made["undo"] > 0) == ([], True)
    assert "no field for expires" in shop.refusal("update", id="T22", field="expires", content="2027-01-01")
    shop.value("update", id="T22", field="title", content="Search by words")
    assert "| T22 | Search by words |" in shop.text("memory-bank/tasks.md")
    assert "append-only" in shop.refusal("delete", id=edit["id"])
    assert shop.value("delete", id=edit["id"], force=True)["deleted"]


def test_an_item_and_a_milestone_go_to_the_bank(shop: Shop) -> None:
    shop.put("memory-bank/progress.md", PROGRESS)
    item = shop.value("add", kind="task", title="Refunds", status="in-progress")
    milestone = shop.value("add", kind="milestone", title="Phase 1", status="Planned", summary="Search and pay")
    assert (item["path"], milestone["path"]) == ("memory-bank/progress.md", "memory-bank/progress.md")
    text = shop.text("memory-bank/progress.md")
    assert "- [ ] Refunds" in text
    assert "### Phase 1 — Planned\n- Search and pay" in text


def test_a_layered_memory_is_written_shown_whole_and_deleted(shop: Shop) -> None:
    made = shop.value("layer", do="create", id=REVIEWS_ID, content=REVIEWS)
    assert made["path"] == "memory/skills/review/my-api/review_history.md"
    assert "exists already" in shop.refusal("layer", do="create", id=REVIEWS_ID, content=REVIEWS)
    shop.value("layer", do="append", id=REVIEWS_ID, content="## Review #3 (2026-02-01)\n\npytest\n")
    shown = shop.value("show", id=REVIEWS_ID)
    assert shown["body"] == shop.text(made["path"])
    assert all(said in shown["body"] for said in ("Go 1.22", "src/", "pytest"))
    assert shop.value("show", id=f"{REVIEWS_ID}#review-1")["body"] == "Go 1.22"
    anew = {"do": "update", "id": REVIEWS_ID, "content": "# Reviews\n\nAnew.\n"}
    assert "Review #1" in shop.refusal("layer", **anew)
    assert len(shop.value("layer", **anew, force=True)["removed"]) == 3
    assert "Go 1.22" not in shop.text(made["path"])
    shop.value("undo")
    assert "Go 1.22" in shop.text(made["path"])
    assert shop.value("delete", id=REVIEWS_ID)["written"] == [made["path"]]
    assert "no memory" in shop.refusal("layer", do="append", id=REVIEWS_ID, content="x")


# The rest


def test_a_task_that_is_there_already_stays_as_it_is(shop: Shop) -> None:
    shop.put("memory-bank/progress.md", PROGRESS)
    shop.put("memory-bank/tasks.md", TASKS)
    for task, states in {"Search": ["done"], "Pay": ["started", "done"], "T21": ["paused", "resumed", "done"]}.items():
        for state in states:
            assert shop.value("set_task", task=task, state=state)["changed"] is True
            before = everything(shop.root)
            again = shop.value("set_task", task=task, state=state)
            assert (again["changed"], "undo" in again) == (False, False)
            assert everything(shop.root) == before
    assert "No open item" in shop.refusal("set_task", task="Sear", state="done")
    assert "nothing to start" in shop.refusal("set_task", task="T21", state="started")


@pytest.mark.parametrize("budget", [60, 100, 300, 1000])
def test_all_that_is_told_of_a_context_fits_its_budget(shop: Shop, budget: int) -> None:
    entry = (
        "\n## Decision: Pool {0}\n- **Date**: 2026-01-{0:02}\n- **Status**: Accepted\n- **Context**: {0} connections\n"
    )
    shop.put("memory-bank/decisionLog.md", "# Decision Log\n" + "".join(map(entry.format, range(1, 30))))
    shop.put("memory-bank/projectBrief.md", BRIEF)
    shop.put("memory-bank/progress.md", PROGRESS)
    told = shop.value("context", task="pool connections", budget=budget)
    assert told["used"] == pytest.approx(tokens.estimate(json.dumps(told, ensure_ascii=False)), abs=1)
    assert tokens.estimate(json.dumps(told, ensure_ascii=False)) <= budget
    assert len(told["leftOut"]) + told.get("more", 0) > 10 or budget == 1000
    assert told["text"] or budget < 100


# Words

SHELL = re.compile(
    r"`(?:memdown|git|pipx?|uvx?|npx|npm) (?![^`]*` \(for the user to run\))|(?<![\w-])--[a-z](?![^`]*` \(for the user)"
)


def test_a_long_summary_is_written_by_what_its_refusal_names(shop: Shop) -> None:
    note = {"kind": "note", "title": "x", "author": "Ann", "summary": "x" * 121}
    assert "`force`" in shop.refusal("add", **note)
    assert shop.value("add", **note, force=True)["created"]


def test_what_is_told_is_told_of_tools(shop: Shop) -> None:
    shop.put("memory-bank/decisionLog.md", LOG)
    shop.put("memory-bank/tasks.md", TASKS.replace("🔄", "⏸️"))
    shop.put(".squad/decisions.md", "# Decisions\n\n### 2026-01-01: Old\n**By:** Ann\n**What:** Use Go\n")
    edit = shop.value("log_edit", title="Parser")["id"]
    told = [
        shop.refusal("show", id="nothing"),
        shop.refusal("delete", id="Use Go"),
        shop.refusal("delete", id=edit),
        shop.refusal("add", kind="note", title="x"),
        shop.refusal("add", kind="note", title="x", author="Ann", summary="x" * 121),
        shop.refusal("add", kind="note", title="x", author="Ann", supersedes=["none"]),
        shop.refusal("session", do="note", text="x"),
        shop.refusal("layer", do="append", id=REVIEWS_ID, content="x"),
        shop.refusal("set_task", task="T21", state="started"),
        shop.refusal("undo", step=99),
        shop.refusal("context", paths=["."]),
        *shop.value("add", kind="decision", title="x", author="Ann")["notes"],
        *shop.value("start_session")["warnings"],
        *(each["message"] for each in shop.value("check")["findings"]),
    ]
    nobody = [
        shop.fault("resources/read", uri="memdown://nobody/x.md"),
        shop.fault("resources/subscribe", uri="memdown://nobody/x.md"),
        shop.fault("prompts/get", name="start_session", arguments={"project": "nobody"}),
    ]
    told += nobody
    assert [each for each in told if SHELL.search(each)] == []
    assert all("see `list_projects`" in each for each in nobody)
    shop.put("deep/a/b/c/.squad/decisions.md", "# Decisions\n")
    for name in ("memory-bank", ".squad"):
        shutil.rmtree(shop.root / name)
    [deeper] = shop.value("start_session")["warnings"]
    assert "'deep/a/b/c/.squad' below it" in deeper
    assert not SHELL.search(deeper)
    assert told[3] == "A note needs an author; give `author`."
    assert any("`search`" in each for each in told)
    assert any("`session` (do: start)" in each for each in told)
    assert any("`set_task` (state: resumed)" in each for each in told)
    assert any("(for the user to run)" in each for each in told)


AT_THE_COMMAND_LINE = (
    "acts/review.py",
    *(
        "__main__",
        "claims/",
        "git/__init__",
        "git/checkout",
        "acts/backup",
        "programs",
        "acts/brief/since",
        "acts/convert",
        "acts/doctor",
        "acts/install",
        "acts/prompt",
    ),
    *("acts/add/guess", "acts/recall", "acts/restore", "acts/transfer", "index/sql", "index/sync/origins"),
    *("index/sync/past", "memory/sem", "project", "scan/"),
    *("secrets", "store/backup"),
)
"""What no tool does, what names commands to an assistant that may run them, or what looks for them in texts."""
OF_THE_SERVER = ("surfaces/mcp/http/", "surfaces/mcp/words.py")
"""What is told to whoever starts a server, and the words themselves."""


def test_every_message_names_what_to_do_in_one_way() -> None:
    source = Path(words.__file__).parents[2]
    ways: set[str] = set()
    found: list[str] = []
    for path in source.rglob("*.py"):
        name = path.relative_to(source).as_posix()
        is_of_tools = name.startswith("surfaces/mcp/") and not name.startswith(OF_THE_SERVER)
        if (name.startswith(("surfaces/", *AT_THE_COMMAND_LINE)) or name == "errors.py") and not is_of_tools:
            continue
        text = path.read_text("utf-8")
        if "way(" not in text and not SHELL.search(text):
            continue
        tree = ast.parse(text)
        calls = [each for each in ast.walk(tree) if isinstance(each, ast.Call) and ast.unparse(each.func) == "way"]
        named = {id(inner) for call in calls for inner in ast.walk(call)}
        ways |= {ast.unparse(call.args[0]).strip("'") for call in calls}
        named |= {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
        found += [
            f"{name}:{each.lineno}"
            for each in ast.walk(tree)
            if isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in named
            and " " in each.value and SHELL.search(each.value)
            and "ask the user" not in each.value
        ]  # fmt: skip
    assert found == [], "a command by name, where `way` should tell it"
    made = {"task start", "task resume", "undo", "redo"}
    assert set(words._TOOLS) - ways - made == set(), "a row that no message has"


def test_a_refused_call_does_not_tell_of_what_the_call_before_it_wrote(shop: Shop) -> None:
    shop.put("memory-bank/decisionLog.md", LOG)
    assert shop.value("add", kind="decision", title="Use Rust")["undo"]
    for refused in (shop.refusal("add", kind="nothing", title="x"), shop.refusal("show", id="nobody")):
        assert "was written anyway" not in refused


def test_a_card_needs_no_tags_as_on_the_command_line(shop: Shop) -> None:
    added = shop.value("add", kind="card", title="Pool size is ten", text="With five connections it timed out.")
    assert any(each.startswith("keywords: ") for each in added["guessed"])


def test_a_field_is_edited_by_either_name_of_the_tool(shop: Shop) -> None:
    shop.put("memory-bank/decisionLog.md", LOG)
    added = shop.value("add", kind="decision", title="Use Rust")
    assert shop.value("edit", id=added["id"], field="status", content="Rejected")["path"] == added["path"]


def test_a_layered_memory_is_shown_by_its_id_and_by_its_file(shop: Shop) -> None:
    shop.put("memory/projects/shop/overview.md", "<!-- Last Updated: 2026-01-01 -->\n# Shop\n\n## Two\nAll.\n")
    for name in ("shared-project/shop/overview", "projects/shop/overview", "memory/projects/shop/overview.md"):
        assert "## Two" in shop.value("show", id=name)["body"]


# What is known of a memory beyond its own text

TEAM = """\
# Decisions

### 2026-01-10T10:00:00Z: Carts live in cookies

**Type:** decision
**Author:** Ann
**Summary:** Carts live in cookies
**Expires:** 2026-01-12

### 2026-01-11T10:00:00Z: Carts live in Redis

**Type:** decision
**Author:** Ann
**Summary:** Carts live in Redis

### 2026-01-12T10:00:00Z: Carts live in SQLite

**Type:** decision
**Author:** Ann
**Summary:** Carts live in SQLite, see `src/cart.py`
**Supersedes:** 2026-01-11T10:00:00Z
"""


def test_tools_mark_what_is_over_as_the_command_line_does(shop: Shop) -> None:
    shop.put(".squad/decisions.md", TEAM)
    with Memory.open(shop.root) as memory:
        marks = {mark.record.id: mark for mark in memory.query("kind:decision").marks}
    new = next(id for id, mark in marks.items() if mark.record.title == "Carts live in SQLite")
    hits = {each["id"]: each for each in shop.value("search", words="carts")["hits"]}
    assert len(hits) == len(marks) == 3
    seen = []
    for id, mark in marks.items():
        for told in (hits[id], shop.value("show", id=id)):
            assert told.get("expired", False) == mark.expired
            assert told.get("superseded", False) == mark.superseded
            assert tuple(told.get("superseded_by", ())) == mark.superseded_by
            assert tuple(told.get("untrue", ())) == mark.untrue
        seen.append((mark.expired, mark.superseded_by))
    assert seen == [(False, ()), (False, (new,)), (True, ())]


def test_a_filter_that_there_is_not_is_named(shop: Shop) -> None:
    shop.put(".squad/decisions.md", TEAM)
    assert "notes" not in shop.value("search", words="carts kind:decision")
    for asked in ("knd:x cart", "kind:choice cart", "kind: cart", "path:nowhere cart"):
        (note,) = shop.value("search", words=asked)["notes"]
        assert f"memdown: {note}" in in_process(shop.root, "search", asked).stderr
        assert not SHELL.search(note)
    assert "carts" in shop.value("search", words="cartz")["did_you_mean"]


# What an assistant may undo unasked


def test_the_last_step_is_undone_only_if_an_assistant_made_it(shop: Shop) -> None:
    shop.put("memory-bank/decisions.md", LOG)
    with Memory.open(shop.root) as memory, memory.files.act("cli", "add decision"):
        memory.add("decision", "By the user", why="Asked for")
    kept = shop.text("memory-bank/decisions.md")
    assert shop.refusal("add", kind="nonsense", title="By the assistant")
    said = shop.refusal("undo")
    assert said == (
        "The last step, 1 (add decision: By the user), was made by cli, not by an assistant;"
        " pass `step` 1 to undo it anyway."
    )
    assert shop.text("memory-bank/decisions.md") == kept
    [listed] = shop.value("undo", do="list")["steps"]
    assert (listed["titles"], listed["by"]) == (["By the user"], "cli")
    undone = shop.value("undo", step=1)
    assert (undone["titles"], undone["undone"]) == (["By the user"], True)
    assert shop.value("undo", do="redo")["titles"] == ["By the user"]  # what it undid itself
    with Memory.open(shop.root) as memory, memory.files.act("cli", "undo"):
        memory.undo()
    assert "was undone by cli, not by an assistant; pass `step` 1 to redo it" in shop.refusal("undo", do="redo")
    assert shop.text("memory-bank/decisions.md") == LOG
    assert shop.value("undo", do="redo", step=1)["undone"] is False


def test_words_of_the_command_line_and_names_in_another_case_are_understood(shop: Shop) -> None:
    """They are in no schema, and a name that a tool has itself means what it says there."""
    shop.put("memory-bank/progress.md", PROGRESS)
    shop.put("memory-bank/activeContext.md", ACTIVE)
    shop.put("memory-bank/decisionLog.md", LOG)
    shop.value("add", kind="decision", title="Use C", why="Small", **{"trade-offs": "No checks"}, Author="Ann")
    written = shop.text("memory-bank/decisionLog.md")
    assert "- **Author**: Ann\n- **Rationale**: Small\n- **Trade-offs**: No checks\n" in written
    assert shop.value("set_task", id="Search", status="completed")["changed"]
    assert (
        shop.value("update", id="Use C", field="why", value="Quick", force=True)["path"] == "memory-bank/decisionLog.md"
    )
    shop.value("end_session", summary="s", next=["Test"], decisions=[{"title": "Use D", "why": "New"}])
    assert "- **Rationale**: Quick\n" in shop.text("memory-bank/decisionLog.md")
    assert "- **Rationale**: New\n" in shop.text("memory-bank/decisionLog.md")
    assert [hit["title"] for hit in shop.value("search", query="Use D kind:decision")["hits"]][:1] == ["Use D"]
    assert shop.value("memory_bank_read", file_name="progress.md")["content"] == shop.text("memory-bank/progress.md")
    for name in ("fileName", "file_name", "path"):
        given = {name: "activeContext.md", "section": "Current Focus", "content": f"The {name}."}
        assert shop.value("update", **given)["path"] == "memory-bank/activeContext.md"
        assert f"The {name}." in shop.text("memory-bank/activeContext.md")
    assert "'colour' is not known here" in shop.refusal("search", words="x", colour="red")
    assert "'why' is not known here" in shop.refusal("add", kind="decision", title="E", why="a", rationale="b")


def test_a_project_without_a_bank_has_no_order_of_its_files(shop: Shop) -> None:
    log = "# Decisions\n\n## 2026-01-01T10:00:00Z: Use Go\n- **Author:** Ann\n- **Type:** decision\n"
    shop.put(".squad/decisions.md", log)
    told = shop.value("start_session")
    assert (told["order"], "mayWrite" in told, told["warnings"]) == ([], False, [])
    assert "Use Go" in json.dumps(told["also"])


def test_a_state_that_an_item_cannot_have_is_named(shop: Shop) -> None:
    shop.put("memory-bank/progress.md", PROGRESS)
    told = shop.refusal("add", kind="task", title="Ship", status="accepted")
    assert "An item of progress.md is upcoming or in-progress or done, not 'accepted'." in told
    assert shop.value("add", kind="task", title="Ship", status="in-progress")["path"] == "memory-bank/progress.md"


# What the prompts say of a project


def _said(shop: Shop, name: str) -> list[str]:
    asked = shop._client.ask("prompts/get", name=name, arguments={"project": str(shop.root)})["result"]["messages"]
    contents = [each["content"] for each in asked]
    return [each["text"] if each["type"] == "text" else each["resource"]["uri"] for each in contents]


def test_prompts_of_a_journal_name_its_files_in_its_order(shop: Shop) -> None:
    shop.put("memory-bank/tasks.md", TASKS)
    shop.put("memory-bank/session_cache.md", "# Session Cache\n\n## Overview\n- Active: 1\n")
    for name in ("update_memory_bank", "end_session"):
        text = _said(shop, name)[0]
        order = [
            text.index(each) for each in ("tasks/ID.md", " tasks.md", "sessions/", "session_cache.md", "edit_hist")
        ]
        assert order == sorted(order)
        assert "projectBrief" not in text
    assert [each.rpartition("/")[2] for each in _said(shop, "start_session")[1:]] == ["session_cache.md", "tasks.md"]
    also = shop.value("start_session")["also"]
    assert "memory-bank/session_cache.md" in str([each for each in also if each["title"].startswith("Read in")])


def test_prompts_of_a_team_name_no_file_of_a_bank(shop: Shop) -> None:
    shop.put(
        ".squad/decisions.md",
        "# Decisions\n\n### 2026-01-01T00:00:00Z: decision: Use Go\n\n**type:** decision\n"
        "**timestamp:** 2026-01-01T00:00:00Z\n**author:** Ann\n**summary:** Go.\n**rationale:** Fast.\n\n---\n",
    )
    (text,) = _said(shop, "update_memory_bank")
    assert "progress.md" not in text
    assert "decisions.md" in text
    told = _said(shop, "start_session")
    assert "Use Go" in told[1]


def test_a_section_is_meant_by_any_of_its_names(shop: Shop) -> None:
    shop.put("memory-bank/activeContext.md", "# Active Context\n\n## Current Goals\n\nSearch\n\n## Notes\n\nNone\n")
    shop.value("update", file="activeContext.md", section="Current Focus", content="Pay")
    assert shop.text("memory-bank/activeContext.md") == (
        "# Active Context\n\n## Current Goals\n\nPay\n\n## Notes\n\nNone\n"
    )
    shop.put("memory-bank/activeContext.md", "# Active Context\n\n## Current Goals: Search (2025-08-01)\n\nSearch\n")
    assert "no section" in shop.refusal("update", file="activeContext.md", section="Current Focus", content="Pay")
    shop.put("memory-bank/activeContext.md", "# Active Context\n\n## Current Goals\n\nPay\n\n## Notes\n\nNone\n")
    assert "Current Goals, Notes" in shop.refusal("update", file="activeContext.md", section="Worries", content="x")
    shop.value("update", file="activeContext.md", section="blockers", content="- No key")
    assert shop.text("memory-bank/activeContext.md").endswith("\n## Notes\n\nNone\n\n## Blockers\n- No key\n")


def test_what_an_entry_has_no_field_for_is_named_though_another_entry_says_it(shop: Shop) -> None:
    shop.put(".squad/decisions.md", "# Decisions\n\nThe high road was accepted.\n")
    done = shop.value(
        "add", kind="note", title="Wait", author="Ann", priority="high", status="accepted", at="2020-01-01T10:00:00Z"
    )
    told = " ".join(done["notes"])
    assert "has no field for status, priority" in told
    assert "'2020-01-01T10:00:00Z' was not written" in told
    assert "no zone" not in told


def test_what_is_given_by_another_name_is_written_where_the_format_has_it(shop: Shop) -> None:
    shop.put("memory-bank/tasks.md", TASKS)
    task = shop.value("add", kind="task", title="Retries", text="Wait longer each time")
    assert "**Description**: Wait longer each time" in shop.text(f"memory-bank/tasks/{task['id']}.md")
    error = shop.value("add", kind="error", title="Banned", text="429 on each call", rationale="No wait")
    assert "**Error:** `429 on each call`" in shop.text(error["path"])
    assert "**Cause:** No wait" in shop.text(error["path"])
    assert not [each for each in task["notes"] + error["notes"] if "has no field" in each]


def test_a_card_has_its_reason_and_its_summary_in_its_text(shop: Shop) -> None:
    shop.put("memories/.keep", "")
    card = shop.value(
        "add", kind="card", title="Retries", text="Wait 1, 2, 4 s.", summary="Backoff.", rationale="Bans."
    )
    assert shop.text(card["path"]).endswith("\nBackoff.\n\nWait 1, 2, 4 s.\n\nWhy: Bans.\n")
    assert not [each for each in card["notes"] if "has no field" in each]
