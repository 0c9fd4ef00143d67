"""The tools: the seven of the memory bank exactly as their contract says, and the few beyond them."""

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from conftest import Ran
from mcp_client import Client, server
from memdown.acts.edit import hash_of
from memdown.markdown import tokens
from memdown.memory.bank.files import patched
from memdown.store import ledger
from memdown.surfaces.mcp import tools
from memdown.surfaces.mcp.dispatch import Tool
from samples import CARD, CONTENT, ID, put
from secrets_cases import made
from test_attacks import everything
from test_store_jail import HOSTILE

SEVEN = {
    "initialize_memory_bank": ({"projectPath"}, {"brief"}),
    "list_projects": (set(), set()),
    "memory_bank_read": ({"projectPath", "fileName"}, set()),
    "memory_bank_write": ({"projectPath", "fileName", "content"}, set()),
    "memory_bank_update": ({"projectPath", "fileName", "content"}, {"expectedHash", "force"}),
    "list_project_files": ({"projectPath"}, set()),
    "validate_project": ({"projectPath"}, set()),
}
FILES = {
    "projectBrief.md": "# Project Brief\n\nA shop.\n",
    "activeContext.md": "# Active Context\n\n## Current Focus\nSearch\n\n## Next Steps\n1. Ship\n",
    "progress.md": "# Progress\n\n## Completed\n\n## In Progress\n- [ ] Search\n\n## Upcoming\n- [ ] Pay\n",
}
SECRET = "the secret outside\n"


@pytest.fixture
def banks(tmp_path: Path) -> Path:
    """Two projects below one root, and a secret beside it."""
    root = tmp_path / "banks"
    for project in ("alpha", "beta"):
        for name, text in FILES.items():
            put(root, f"{project}/memory-bank/{name}", text.replace("shop", project))
    put(tmp_path, "secret.md", SECRET)
    put(tmp_path, "memory-bank/secret.md", SECRET)
    return root


@pytest.fixture
def client(tmp_path: Path, banks: Path) -> Iterator[Client]:
    """A server for a third project, outside the root."""
    own = tmp_path / "own"
    put(own, "memory-bank/progress.md", FILES["progress.md"])
    with server(own, banks=banks) as client:
        client.initialize()
        yield client


# The table


def test_the_seven_have_the_names_and_inputs_of_their_contract() -> None:
    table = {tool.name: tool for tool in tools.TOOLS}
    assert list(table)[:7] == list(SEVEN)
    for name, (required, optional) in SEVEN.items():
        schema: Any = table[name].takes
        assert set(schema["properties"]) == required | optional
        assert set(schema.get("required", ())) == required


def test_beyond_them_there_are_few() -> None:
    assert len(tools.TOOLS) - len(SEVEN) <= 15


def test_the_whole_list_is_short() -> None:
    told = json.dumps({"tools": [tool.declaration() for tool in tools.TOOLS]}, separators=(",", ":"))
    assert tokens.estimate(told) < 3_500
    assert len(told.encode()) < 12_000


@pytest.mark.parametrize("tool", tools.TOOLS, ids=lambda tool: tool.name)
def test_every_tool_is_described_and_annotated(tool: Tool) -> None:
    told: Any = tool.declaration()
    assert told["description"].endswith(".")
    assert told["annotations"]["readOnlyHint"] is not tool.writes
    if tool.writes:
        assert set(told["annotations"]) == {"readOnlyHint", "destructiveHint", "idempotentHint"}
    for schema in (told["inputSchema"], told["outputSchema"]):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"


def test_what_a_client_may_call_unasked_comes_from_the_annotations(cli: Callable[..., Ran]) -> None:
    read, write, every = (
        cli("mcp", "--auto-approve", which, "--json").json()["autoApprove"] for which in ("read", "write", "all")
    )
    assert set(read) >= {"list_projects", "memory_bank_read", "list_project_files", "validate_project", "show"}
    assert set(write) - set(read) >= {"memory_bank_write", "initialize_memory_bank", "add", "log_edit", "session"}
    assert set(every) - set(write) >= {"memory_bank_update", "update", "delete", "layer"}
    assert cli("mcp", "--auto-approve", "read").out.split() == read


# The seven


def test_a_bank_is_begun_by_name_and_never_overwritten(client: Client, banks: Path) -> None:
    begun = client.value("initialize_memory_bank", projectPath="gamma", brief="A REST API for managing todo items")
    assert len(begun["created"]) == 7
    assert begun["kept"] == []
    assert "todo items" in (banks / "gamma/memory-bank/projectBrief.md").read_text()
    before = everything(banks / "alpha")
    again = client.value("initialize_memory_bank", projectPath=str(banks / "alpha"))
    assert len(again["kept"]) == 3
    assert everything(banks / "alpha").items() >= before.items()


def test_a_brief_for_a_bank_that_has_one_is_said_not_to_be_written(client: Client) -> None:
    first = client.value("initialize_memory_bank", projectPath="gamma", brief="A REST API for managing todo items")
    again = client.value("initialize_memory_bank", projectPath="gamma", brief="Another")
    [note] = again["notes"]
    assert first["notes"] == []
    assert note.startswith("The brief was not written: memory-bank/projectBrief.md exists")
    assert client.value("initialize_memory_bank", projectPath="gamma")["notes"] == []


def test_a_bank_of_another_layout_keeps_to_its_files(client: Client, banks: Path) -> None:
    for name in ("brief", "product", "context", "architecture", "tech"):
        put(banks, f"kilo/memory-bank/{name}.md", f"# {name}\n\nMine.\n")
    begun = client.value("initialize_memory_bank", projectPath="kilo", brief="A shop for tea")
    assert begun["created"] == []
    assert begun["notes"] == [
        "The brief was not written: memory-bank/brief.md exists; memory_bank_update changes it.",
        "Not in this layout: progress.md, decisionLog.md; memory_bank_write creates them.",
    ]


def test_projects_are_listed_with_the_one_the_server_was_started_for(
    client: Client, banks: Path, tmp_path: Path
) -> None:
    result = client.call("list_projects")
    assert result["structuredContent"]["projects"] == [
        {"name": "alpha", "path": str(banks / "alpha")},
        {"name": "beta", "path": str(banks / "beta")},
        {"name": "own", "path": str(tmp_path / "own")},
    ]
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]["projects"]


def test_a_file_is_read_with_its_time_and_its_hash(client: Client, banks: Path) -> None:
    path = banks / "alpha/memory-bank/progress.md"
    os.utime(path, (1_770_000_000, 1_770_000_000))
    read = client.value("memory_bank_read", projectPath="alpha", fileName="progress.md")
    assert read == {
        "content": FILES["progress.md"],
        "lastModified": "2026-02-02T02:40:00.000Z",
        "hash": hash_of(FILES["progress.md"]),
        "path": "memory-bank/progress.md",
    }


def test_a_new_file_is_written_once(client: Client, banks: Path) -> None:
    written = client.value("memory_bank_write", projectPath="alpha", fileName="archive/2025.md", content="# 2025\n")
    assert written["success"] is True
    assert written["path"] == "memory-bank/archive/2025.md"
    assert (banks / "alpha" / written["path"]).read_text() == "# 2025\n"
    told = client.refusal("memory_bank_write", projectPath="alpha", fileName="archive/2025.md", content="x\n")
    assert "memory_bank_update" in told
    assert (banks / "alpha" / written["path"]).read_text() == "# 2025\n"


def test_a_file_is_overwritten_only_where_there_is_one(client: Client, banks: Path) -> None:
    done = client.value("memory_bank_update", projectPath="alpha", fileName="progress.md", content="# Progress\n")
    assert done["success"] is True
    assert (banks / "alpha/memory-bank/progress.md").read_text() == "# Progress\n"
    assert "memory_bank_write" in client.refusal(
        "memory_bank_update", projectPath="alpha", fileName="new.md", content="x\n"
    )
    assert not (banks / "alpha/memory-bank/new.md").exists()


def test_an_update_over_another_text_is_refused_with_the_hash_of_that_text(client: Client, banks: Path) -> None:
    ask = {"projectPath": "alpha", "fileName": "progress.md"}
    seen = client.value("memory_bank_read", **ask)["hash"]
    put(banks, "alpha/memory-bank/progress.md", "# Progress\n\nsomebody else\n")
    told = client.refusal("memory_bank_update", **ask, content="mine\n", expectedHash=seen)
    assert hash_of("# Progress\n\nsomebody else\n") in told
    now = re.findall(r"[0-9a-f]{64}", told)[0]
    assert client.value("memory_bank_update", **ask, content="mine\n", expectedHash=now)["hash"] == hash_of("mine\n")


@pytest.mark.parametrize("content", ["# A\\n\\nB", "one\\ntwo"])
def test_content_that_was_escaped_twice_is_refused_with_a_hint(client: Client, content: str) -> None:
    ask = {"projectPath": "alpha", "content": content}
    assert "escaped twice" in client.refusal("memory_bank_write", fileName="new.md", **ask)
    assert "escaped twice" in client.refusal("memory_bank_update", fileName="progress.md", **ask)
    assert client.value("memory_bank_write", projectPath="alpha", fileName="new.md", content="# About \\n\n")


def test_files_are_listed_with_size_and_time(client: Client, banks: Path) -> None:
    put(banks, "alpha/memory-bank/archive/old.md", "# Old\n")
    put(banks, "alpha/memory-bank/script.sh", "no memory\n")
    result = client.call("list_project_files", projectPath="alpha")
    files = result["structuredContent"]["files"]
    assert [each["name"] for each in files] == ["activeContext.md", "archive/old.md", "progress.md", "projectBrief.md"]
    assert files[1]["size"] == 6
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", files[1]["lastModified"])
    assert json.loads(result["content"][0]["text"]) == files


def test_validation_names_what_is_missing(client: Client, banks: Path) -> None:
    assert client.value("validate_project", projectPath="alpha") == {
        "valid": True,
        "missingRequired": [],
        "missingRecommended": ["productContext.md", "systemPatterns.md", "techContext.md", "decisionLog.md"],
    }
    (banks / "alpha/memory-bank/progress.md").unlink()
    told = client.value("validate_project", projectPath="alpha")
    assert (told["valid"], told["missingRequired"]) == (False, ["progress.md"])


def test_what_other_servers_call_the_project_is_understood(client: Client) -> None:
    assert client.value("list_project_files", projectName="alpha")["files"]
    assert client.value("memory_bank_read", projectName="alpha", fileName="progress.md")["content"]


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("memory_bank_read", {}, "projectPath is missing; fileName is missing"),
        ("memory_bank_read", {"projectPath": 7, "fileName": "x.md"}, "projectPath must be a string"),
        ("memory_bank_read", {"projectPath": None, "fileName": "x.md"}, "projectPath must be a string"),
        ("memory_bank_read", {"projectPath": "alpha", "fileName": ["x.md"]}, "fileName must be a string"),
        ("memory_bank_write", {"projectPath": "alpha", "fileName": "x.md", "content": "\ud800"}, "surrogate"),
        ("memory_bank_update", {"projectPath": "alpha", "fileName": "x.md", "content": "\udc80"}, "surrogate"),
        ("list_projects", {"deep": True}, "'deep' is not known here"),
        ("add", {"kind": "rumour", "title": "x"}, "kind must be one of card, decision"),
        ("add", {"title": "x"}, "kind is missing, one of card, decision"),
        ("add", {"kind": "card", "title": "x", "tags": [1]}, "each of tags must be a string"),
        ("end_session", {"summary": "x", "decisions": [{"name": "y"}]}, "'name' is not known here"),
    ],
)
def test_wrong_arguments_are_told_as_the_result_of_the_tool(
    client: Client, tool: str, arguments: dict[str, object], told: str
) -> None:
    assert told in client.refusal(tool, **arguments)


# Attacks


REACHING = [
    *HOSTILE,
    *("../../etc/passwd", "../secret.md", "../../secret.md", "link/secret.md", "secret-link.md", "inner-link.md"),
    *("script.sh", "notes.txt", "x.md.exe", ".hidden.md", "archive/.hidden.md", ".git/config.md", ".memdown/x.md"),
    *("../../beta/memory-bank/progress.md", "../progress.md", "a/../../../../beta/memory-bank/progress.md"),
    *("x.md\0.sh", "CON.md", "nul.md", "x.md ", "x.md.", "aux/x.md", "COM1.md", "memory-bank\\..\\x.md"),
    *("/proc/self/environ", "../" * 30 + "etc/passwd.md", "x" * 300 + ".md"),
]


@pytest.fixture
def guarded(client: Client, banks: Path, tmp_path: Path) -> Client:
    """Links in a bank that lead out of it: to a secret, and to another file of the same project."""
    bank = banks / "alpha/memory-bank"
    put(banks, "alpha/README.md", SECRET)
    (bank / "link").symlink_to(tmp_path, target_is_directory=True)
    (bank / "secret-link.md").symlink_to(tmp_path / "secret.md")
    (bank / "inner-link.md").symlink_to(banks / "alpha/README.md")
    return client


@pytest.mark.parametrize("tool", ["memory_bank_read", "memory_bank_write", "memory_bank_update", "update"])
def test_no_file_name_reaches_out_of_the_bank(guarded: Client, tmp_path: Path, tool: str) -> None:
    before = everything(tmp_path)
    named = {"file": "", "section": "x", "expectedHash": "x"} if tool == "update" else {"fileName": ""}
    more = {} if tool == "memory_bank_read" else {"content": "# Taken\n"}
    for name in REACHING:
        told = guarded.refusal(tool, projectPath="alpha", **{**named, next(iter(named)): name}, **more)
        assert re.fullmatch(r"[^\n]{1,500}", told), (name, told)
        assert SECRET.strip() not in told
    assert everything(tmp_path) == before


PROJECTS = [
    *HOSTILE,
    *("..", "../own", "alpha/..", "alpha/memory-bank", "/", "/etc", "out", "../banks", "nobody", "link"),
    *("alpha/../beta/..", "~", "alpha/memory-bank/archive", "C:\\alpha", "\\\\server\\alpha"),
]
CALLS: dict[str, dict[str, object]] = {
    "initialize_memory_bank": {"brief": "Taken"},
    "memory_bank_read": {"fileName": "secret.md"},
    "memory_bank_write": {"fileName": "taken.md", "content": "# Taken\n"},
    "memory_bank_update": {"fileName": "secret.md", "content": "# Taken\n"},
    "list_project_files": {},
    "validate_project": {},
    "show": {"id": "x"},
    "search": {"words": "secret"},
    "context": {"task": "secret"},
    "add": {"kind": "card", "title": "x", "text": CONTENT, "tags": ["x"]},
    "update": {"file": "secret.md", "section": "x", "content": "x", "expectedHash": "x"},
    "delete": {"id": "x"},
    "log_edit": {"title": "x"},
    "session": {"do": "start"},
    "layer": {"do": "create", "id": "agent/x/y", "content": "x"},
    "set_task": {"task": "Search", "state": "done"},
    "undo": {},
    "check": {},
    "health": {},
    "start_session": {},
    "end_session": {"summary": "x"},
}


def test_every_tool_that_takes_a_project_is_attacked() -> None:
    takes = {tool.name for tool in tools.TOOLS if "projectPath" in str(tool.takes)}
    assert takes == set(CALLS)


@pytest.mark.parametrize("tool", CALLS)
def test_no_project_is_reached_but_those_below_the_root_and_the_server_s_own(
    guarded: Client, banks: Path, tmp_path: Path, tool: str
) -> None:
    (banks / "out").symlink_to(tmp_path, target_is_directory=True)
    (banks / "link").symlink_to(tmp_path / "memory-bank", target_is_directory=True)
    names = [
        *PROJECTS,
        str(tmp_path),
        str(banks),
        str(tmp_path / "banks-2"),
        str(banks / "out"),
        str(banks / ".." / "x"),
    ]
    before = everything(tmp_path)
    for name in names:
        if name in ("nobody", ".") and (tool == "initialize_memory_bank" or name == "."):
            continue  # a new project; the server's own
        told = guarded.refusal(tool, projectPath=name, **CALLS[tool])
        assert SECRET.strip() not in told
        assert re.fullmatch(r"[^\n]{1,500}", told), (name, told)
    assert everything(tmp_path) == before


def test_a_bank_that_is_a_link_out_of_its_project_is_not_followed(client: Client, banks: Path, tmp_path: Path) -> None:
    (banks / "delta").mkdir()
    (banks / "delta/memory-bank").symlink_to(tmp_path / "memory-bank", target_is_directory=True)
    before = everything(tmp_path)
    for tool in (
        "memory_bank_read",
        "memory_bank_write",
        "memory_bank_update",
        "list_project_files",
        "initialize_memory_bank",
    ):
        result = client.call(tool, projectPath="delta", **CALLS[tool])
        assert result.get("isError"), (tool, result)
    assert "delta" not in str(client.call("list_projects")["structuredContent"])
    assert everything(tmp_path) == before


def test_one_project_cannot_be_read_through_another(client: Client, banks: Path) -> None:
    bank = banks / "alpha/memory-bank"
    (bank / "beta.md").symlink_to(banks / "beta/memory-bank/progress.md")
    assert "link" in client.refusal("memory_bank_read", projectPath="alpha", fileName="beta.md")
    assert [each["name"] for each in client.value("list_project_files", projectPath="alpha")["files"]] == sorted(FILES)


# Modes


def test_a_server_in_ask_mode_only_reads(banks: Path, tmp_path: Path) -> None:
    before = everything(tmp_path)
    with server(tmp_path, "--mode", "ask", banks=banks) as client:
        client.initialize()
        assert client.value("memory_bank_read", projectPath="alpha", fileName="progress.md")
        for tool in (tool for tool in tools.TOOLS if tool.writes):
            told = client.refusal(tool.name, **{"projectPath": "alpha", **CALLS[tool.name]})
            assert "ask" in told
        assert "stays in it" in client.refusal("start_session", projectPath="alpha", mode="code")
        assert "ask" in client.refusal("memory_bank_update", projectPath="alpha", fileName="progress.md", content="x\n")
    assert everything(tmp_path) == before


def test_the_environment_holds_a_server_to_a_mode_too(banks: Path, tmp_path: Path) -> None:
    with server(tmp_path, banks=banks, MEMDOWN_MODE="ask") as client:
        client.initialize()
        assert "ask" in client.refusal("memory_bank_write", projectPath="alpha", fileName="x.md", content="x\n")
        assert "stays in it" in client.refusal("start_session", projectPath="alpha", mode="default")


def test_a_session_switches_the_mode_and_the_store_holds_to_it(client: Client, banks: Path) -> None:
    (banks / "alpha/memories").mkdir()
    told = client.value("start_session", projectPath="alpha", mode="debug")
    assert (told["mode"], told["mayWrite"]) == ("debug", ["activeContext.md"])
    ask = {"projectPath": "alpha", "content": "# Changed\n"}
    assert "debug" in client.refusal("memory_bank_update", fileName="progress.md", **ask)
    assert "debug" in client.refusal("memory_bank_write", fileName="notes.md", **ask)
    assert "debug" in client.refusal("add", projectPath="alpha", kind="card", title="x", text=CONTENT, tags=["x"])
    assert client.value("memory_bank_update", fileName="activeContext.md", **ask)["success"]
    client.value("start_session", projectPath="alpha", mode="default")
    assert client.value("memory_bank_update", fileName="progress.md", **ask)["success"]


# Beyond the seven


def test_a_session_is_begun_and_ended(client: Client, banks: Path) -> None:
    told = client.value("start_session", projectPath="alpha")
    assert [each["file"] for each in told["order"]][:2] == ["projectBrief.md", "productContext.md"]
    assert (told["focus"], told["inProgress"], told["nextSteps"]) == ("Search", ["Search"], ["Ship"])
    ended = client.value(
        "end_session",
        projectPath="alpha",
        summary="Search works",
        complete=["Search"],
        next_steps=["Pay"],
        decisions=[{"title": "Use FTS5", "rationale": "No server"}],
    )
    assert ended["written"] == [f"memory-bank/{name}" for name in ("progress.md", "activeContext.md", "decisionLog.md")]
    assert "- [x] Search" in (banks / "alpha/memory-bank/progress.md").read_text()
    assert "Pay" in (banks / "alpha/memory-bank/activeContext.md").read_text()


def test_a_memory_is_added_and_shown(client: Client, banks: Path) -> None:
    (banks / "alpha/memories").mkdir()
    added = client.value("add", projectPath="alpha", kind="card", title="Pool size", text=CONTENT, tags=["db"])
    assert added["created"] is True
    shown = client.value("show", projectPath="alpha", id=added["id"][:8])
    assert (shown["title"], shown["body"], shown["tags"]) == ("Pool size", CONTENT, ["db"])
    assert shown["hash"] == hash_of((banks / "alpha" / added["path"]).read_text())
    logged = client.value(
        "add", projectPath="alpha", kind="decision", title="Use SQLite", author="Ann", rationale="Small"
    )
    assert logged["path"] == "memory-bank/decisionLog.md"
    noted = client.value("add", projectPath="alpha", kind="memory", title="SQLite has no server")
    assert (noted["path"], noted["kind"]) == ("memory-bank/notes.md", "note")
    assert noted["notes"] == ["This project keeps no memories of its authors, so this is a note."]
    told = client.refusal("layer", projectPath="alpha", do="create", id="shared-project/p/profile", content="# x")
    assert "`add` writes there" in told
    assert "characters" in client.refusal("add", projectPath="alpha", kind="card", title="x", text="y")
    assert "No memory has" in client.refusal("show", projectPath="alpha", id="nothing")


def test_what_the_bank_s_log_has_no_field_for_is_told(client: Client, banks: Path) -> None:
    put(banks, "alpha/memory-bank/decisionLog.md", "# Decision Log\n")
    ask = {"projectPath": "alpha", "kind": "decision", "rationale": "Small"}
    [note] = client.value("add", **ask, title="Use SQLite", scope="team")["notes"]
    assert note == "A decision in memory-bank/decisionLog.md has no field for scope; that was not written."
    assert client.value("add", **ask, title="Use FTS5")["notes"] == []


def test_memories_are_found_by_words(client: Client, banks: Path) -> None:
    put(banks, f"alpha/memories/{ID}.md", CARD)
    found = client.value("search", projectPath="alpha", words="pool connections")
    assert found["total"] >= 1
    assert found["hits"][0]["id"] == ID
    assert "connections" in found["hits"][0]["snippet"]
    assert client.value("search", projectPath="beta", words="pool connections")["hits"] == []
    assert "from 1 to 100" in client.refusal("search", words="x", limit=0)
    put(banks, f"alpha/memories/{ID}.md", CARD.replace("connections", "sockets"))
    assert client.value("search", projectPath="alpha", words="sockets")["hits"][0]["id"] == ID


def test_what_to_read_now_fits_its_budget(client: Client) -> None:
    told = client.value("context", projectPath="alpha", task="search", budget=500)
    assert tokens.estimate(told["text"]) < told["used"] <= 500
    assert "A alpha" in told["text"]
    small = client.value("context", projectPath="alpha", budget=30)
    assert small["used"] <= 30
    assert small["more"]


def test_settings_that_change_are_seen(client: Client, banks: Path) -> None:
    assert client.value("check", projectPath="alpha")["total"] > 0
    put(banks, "alpha/memdown.toml", "[check]\nselect = ['SEM']\n")
    assert client.value("check", projectPath="alpha")["total"] == 0
    put(banks, "alpha/memdown.toml", "nonsense")
    assert "memdown.toml" in client.refusal("check", projectPath="alpha")


def test_answers_are_counted_where_there_is_a_ledger(client: Client, tmp_path: Path) -> None:
    client.value("list_projects")
    assert not (tmp_path / "own/.memdown").exists()
    (tmp_path / "own/.memdown").mkdir()
    client.value("memory_bank_read", projectPath="alpha", fileName="progress.md")
    [cost] = ledger.read(str(tmp_path / "own/.memdown"))
    assert (cost.surface, cost.name) == ("mcp", "memory_bank_read")
    assert cost.tokens > 10


def test_what_looks_like_a_credential_is_not_written(client: Client, banks: Path) -> None:
    token = "ghp_" + made(36)
    before = everything(banks)
    content = f"# Access\n\nUse {token} here.\n"
    told = client.refusal("memory_bank_write", projectPath="alpha", fileName="access.md", content=content)
    assert "line 3" in told
    assert token not in told
    client.refusal("memory_bank_update", projectPath="alpha", fileName="progress.md", content=content)
    client.refusal("add", projectPath="alpha", kind="card", title="Access", text=content, tags=["x"])
    client.refusal("end_session", projectPath="alpha", summary="x", decisions=[{"title": f"Use {token}"}])
    client.refusal("initialize_memory_bank", projectPath="alpha", brief=content)
    assert everything(banks) == before
    put(banks, "alpha/memdown.toml", f"[secrets]\nallow = ['{token}']\n")
    assert client.value("memory_bank_write", projectPath="alpha", fileName="access.md", content=content)["success"]


def test_one_field_of_a_card_is_changed_over_the_text_that_was_read(client: Client, banks: Path) -> None:
    path = put(banks, f"alpha/memories/{ID}.md", CARD)
    seen = client.value("show", projectPath="alpha", id=ID)["hash"]
    ask = {"projectPath": "alpha", "id": ID}
    done = client.value("update", **ask, field="title", content="Pool size is 20", expectedHash=seen)
    assert path.read_text() == CARD.replace("Pool size is 10", "Pool size is 20")
    assert done["hash"] == hash_of(path.read_text())
    assert "hash is now" in client.refusal("update", **ask, field="tags", content="a, b", expectedHash=seen)
    client.value("update", **ask, field="tags", content="a, b", expectedHash=done["hash"])
    assert client.value("show", **ask)["tags"] == ["a", "b"]
    assert "file and section" in client.refusal("update", **ask, content="x", expectedHash=seen)


def test_a_task_changes_its_state(client: Client, banks: Path) -> None:
    path = banks / "alpha/memory-bank/progress.md"
    assert client.value("set_task", projectPath="alpha", task="Search", state="done")["changed"]
    assert "- [x] Search (2026-02-01)" in path.read_text() or "- [x] Search — 2026-02-01" in path.read_text()
    client.value("set_task", projectPath="alpha", task="Pay", state="started")
    assert path.read_text().index("In Progress") < path.read_text().index("Pay") < path.read_text().index("Upcoming")


REGISTRY = """\
# Task Registry

*Last Updated: 2026-01-10 10:00:00 UTC*

## Active Tasks

| ID | Title | Status | Priority | Started | Dependencies | Owner |
|----|-------|--------|----------|---------|--------------|-------|
| T21 | Pool | 🔄 | HIGH | 2026-01-05 | - | Ann |
| T22 | Search | ⬜ | LOW | - | T21 | Ann |

## Completed Tasks

| ID | Title | Completed | Related Tasks |
|----|-------|-----------|---------------|
"""


def test_a_task_of_the_journal_changes_its_state(client: Client, banks: Path) -> None:
    path = put(banks, "alpha/memory-bank/tasks.md", REGISTRY)
    told = client.value("set_task", projectPath="alpha", task="T21", state="paused")
    assert (told["path"], told["changed"]) == ("memory-bank/tasks.md", True)
    assert "| T21 | Pool | ⏸️ |" in path.read_text()
    client.value("set_task", projectPath="alpha", task="T21", state="resumed")
    assert "depends on T21" in client.value("set_task", projectPath="alpha", task="T22", state="started")["notes"][0]
    client.value("set_task", projectPath="alpha", task="T21", state="done")
    assert "| T21 | Pool | 2026-02-01 |" in path.read_text()
    assert "completed" in client.refusal("set_task", projectPath="alpha", task="T21", state="cancelled")
    assert "its states are" in client.refusal("set_task", projectPath="alpha", task="T22", state="resolved")
    assert client.value("set_task", projectPath="alpha", task="Search", state="paused")["changed"]  # T22, by its title
    assert "No task" in client.refusal("set_task", projectPath="alpha", task="Shards", state="paused")


def test_check_and_health_tell_what_is_wrong(client: Client, banks: Path) -> None:
    put(banks, "alpha/memory-bank/techContext.md", "")
    checked = client.value("check", projectPath="alpha")
    assert checked["total"] == len(checked["findings"]) > 0
    assert set(checked["findings"][0]) == {"path", "line", "code", "severity", "message"}
    put(banks, f"alpha/memories/{ID}.md", CARD)
    put(banks, "alpha/memories/copy.md", CARD)
    told = client.value("health", projectPath="alpha")
    assert told["tokens"] > 0
    assert told["problems"]


def test_a_log_keeps_its_decisions_and_no_file_is_emptied(client: Client, banks: Path) -> None:
    put(
        banks, "alpha/memory-bank/decisionLog.md", "# Decision Log\n\n## Decision: Use SQLite\n- **Date**: 2026-01-01\n"
    )
    before = everything(banks)
    ask = {"projectPath": "alpha", "fileName": "decisionLog.md"}
    assert "'Use SQLite'" in client.refusal("memory_bank_update", **ask, content="# Decision Log\n")
    assert "is empty" in client.refusal("memory_bank_update", **ask, content="", force=True)
    assert everything(banks) == before
    done = client.value("memory_bank_update", **ask, content="# Decision Log\n", force=True)
    assert done["removed"] == [{"what": "decision 'Use SQLite'", "path": "memory-bank/decisionLog.md", "lines": 2}]
    assert done["undo"] == 1
    undone = client.value("undo", projectPath="alpha")
    assert (undone["step"], undone["undone"], undone["act"]) == (1, True, "memory_bank_update")
    assert everything(banks) == before
    assert client.value("undo", projectPath="alpha", do="redo")["files"] == ["memory-bank/decisionLog.md"]
    listed = client.value("undo", projectPath="alpha", do="list")["steps"]
    assert [(each["step"], each["undone"], each["forced"]) for each in listed] == [
        (1, False, "dropped 1 of 1 entries of memory-bank/decisionLog.md")
    ]


def test_subsections_stay_unless_they_are_replaced(client: Client, banks: Path) -> None:
    put(banks, "alpha/memory-bank/activeContext.md", "# A\n\n## Current Focus\nx\n\n### Deep\ny\n")
    ask = {"projectPath": "alpha", "file": "activeContext.md", "section": "Current Focus"}
    seen = client.value("memory_bank_read", projectPath="alpha", fileName="activeContext.md")["hash"]
    assert "'Deep'" in client.refusal("update", **ask, content="### Other\nz", expectedHash=seen)
    done = client.value("update", **ask, content="z", expectedHash=seen, replace=True)
    place = "memory-bank/activeContext.md"
    assert done["removed"][-1] == {"what": "section 'Deep'", "path": place, "lines": 2}
    ended = client.value("end_session", projectPath="alpha", summary="Done", next_steps=["Ship"])
    assert ended["removed"] == []
    ended = client.value("end_session", projectPath="alpha", summary="Done", close=["Ship"])
    assert ended["removed"] == [{"what": "next step 'Ship'", "path": place, "lines": 1}]


def test_one_section_is_replaced_and_nothing_else(client: Client, banks: Path) -> None:
    ask = {"projectPath": "alpha", "file": "activeContext.md"}
    seen = client.value("memory_bank_read", projectPath="alpha", fileName="activeContext.md")["hash"]
    done = client.value("update", **ask, section="Current Focus", content="Payment", expectedHash=seen)
    now = (banks / "alpha/memory-bank/activeContext.md").read_text()
    assert now == "# Active Context\n\n## Current Focus\n\nPayment\n\n## Next Steps\n1. Ship\n"
    assert done["hash"] == hash_of(now)
    assert "hash is now" in client.refusal("update", **ask, section="Current Focus", content="x", expectedHash=seen)
    assert "there are: Active Context, Current Focus" in client.refusal(
        "update", **ask, section="Nothing", content="x", expectedHash=done["hash"]
    )


@pytest.mark.parametrize(
    ("text", "section", "content", "after"),
    [
        ("# A\n\n## B\nold\n", "B", "new", "# A\n\n## B\n\nnew\n"),
        ("# A\n\n## B", "b", "new", "# A\n\n## B\n\nnew\n"),
        (
            "# A\r\n\r\n## B\r\nold\r\n\r\n## C\r\n",
            "## B",
            "one\ntwo",
            "# A\r\n\r\n## B\r\n\r\none\r\ntwo\r\n\r\n## C\r\n",
        ),
        ("# A\n\n## B\nold\n### Deep\nkept\n", "B", "new", "# A\n\n## B\n\nnew\n\n### Deep\nkept\n"),
        ("# A\n\n## B\nold\n\n## C\n", "B", "", "# A\n\n## B\n\n## C\n"),
        ("# A\n\n## B\n\n## C\n", "B", "### New\ntext", "# A\n\n## B\n\n### New\ntext\n\n## C\n"),
    ],
)
def test_a_section_keeps_the_form_of_its_file(text: str, section: str, content: str, after: str) -> None:
    assert patched(text, section, content) == after
    assert patched(after, section, content) == after


@pytest.mark.parametrize("content", ["```\nnever closed", "<!-- never closed", "## Another\n", "# Top\n"])
def test_content_that_would_hide_or_add_sections_is_refused(client: Client, banks: Path, content: str) -> None:
    before = everything(banks)
    seen = client.value("memory_bank_read", projectPath="alpha", fileName="activeContext.md")["hash"]
    told = client.refusal(
        "update",
        projectPath="alpha",
        file="activeContext.md",
        section="Current Focus",
        content=content,
        expectedHash=seen,
    )
    assert "headings" in told
    assert everything(banks) == before


def test_results_are_what_their_schemas_say(client: Client, banks: Path) -> None:
    (banks / "alpha/memories").mkdir()
    calls: dict[str, dict[str, object]] = {
        **{name: {"projectPath": "alpha"} for name in ("list_project_files", "validate_project", "check", "health")},
        "list_projects": {},
        "start_session": {"projectPath": "alpha"},
        "search": {"projectPath": "alpha", "words": "search"},
        "context": {"projectPath": "alpha", "task": "search", "budget": 500},
        "memory_bank_read": {"projectPath": "alpha", "fileName": "progress.md"},
        "memory_bank_write": {"projectPath": "alpha", "fileName": "new.md", "content": "# New\n"},
        "memory_bank_update": {"projectPath": "alpha", "fileName": "new.md", "content": "# Newer\n"},
        "initialize_memory_bank": {"projectPath": "alpha"},
        "add": {"projectPath": "alpha", "kind": "card", "title": "x", "text": CONTENT, "tags": ["x"]},
        "set_task": {"projectPath": "alpha", "task": "Search", "state": "done"},
        "end_session": {"projectPath": "alpha", "summary": "x"},
    }
    schemas = {tool.name: tool.gives for tool in tools.TOOLS}
    for name, arguments in calls.items():
        jsonschema.validate(client.value(name, **arguments), dict(schemas[name]))
