"""What a memory bank promises, by the names of its contract's tests, through the tools an assistant calls."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_client import Client, server
from memdown.dialects.bank.templates import LAYERS
from samples import put

SEVEN = [layer.file for layer in LAYERS]
LOG = "# Decision Log\n\n## Decision: Use Go\n**Date:** 2026-01-01\n**Status:** Accepted\n\n## Decision: Use SQLite\n**Date:** 2026-01-02\n**Status:** Accepted\n"


@pytest.fixture
def banks(tmp_path: Path) -> Path:
    (tmp_path / "banks").mkdir()
    return tmp_path / "banks"


@pytest.fixture
def client(banks: Path, tmp_path: Path) -> Iterator[Client]:
    (tmp_path / "here").mkdir()
    with server(tmp_path / "here", banks=banks) as client:
        client.initialize()
        yield client


def files(banks: Path, project: str) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in sorted((banks / project / "memory-bank").iterdir())}


# 11.1 Initialization Tests


def test_create_memory_bank_for_new_project(client: Client, banks: Path) -> None:
    made = client.value("initialize_memory_bank", projectPath="project")
    assert sorted(made["created"]) == sorted(f"memory-bank/{name}" for name in SEVEN)
    for text in files(banks, "project").values():
        assert text.startswith("# ")
        assert "[" in text  # a placeholder


def test_initialize_with_project_brief(client: Client, banks: Path) -> None:
    client.value("initialize_memory_bank", projectPath="project", brief="A REST API for managing todo items")
    found = files(banks, "project")
    assert "A REST API for managing todo items" in found["projectBrief.md"]
    assert set(found) == set(SEVEN)


def test_detect_existing_memory_bank(client: Client, banks: Path) -> None:
    put(banks, "project/memory-bank/projectBrief.md", "# Project Brief\n\nmine\n")
    made = client.value("initialize_memory_bank", projectPath="project", brief="Another")
    assert made["kept"] == ["memory-bank/projectBrief.md"]
    assert files(banks, "project")["projectBrief.md"] == "# Project Brief\n\nmine\n"


# 11.2 Read Operation Tests


def test_read_all_files_in_order(client: Client) -> None:
    client.value("initialize_memory_bank", projectPath="project")
    assert [each["file"] for each in client.value("start_session", projectPath="project")["order"]] == SEVEN
    filled = client.ask("prompts/get", name="start_session", arguments={"project": "project"})["result"]["messages"]
    uris = [each["content"]["resource"]["uri"] for each in filled[1:]]
    assert uris == [f"memdown://project/memory-bank/{name}" for name in SEVEN]


def test_handle_missing_optional_files(client: Client, banks: Path) -> None:
    for name in ("projectBrief.md", "activeContext.md", "progress.md"):
        put(banks, f"project/memory-bank/{name}", f"# {name}\n\ntext\n")
    told = client.value("start_session", projectPath="project")
    assert [each["file"] for each in told["order"] if each["present"]] == [
        "projectBrief.md",
        "activeContext.md",
        "progress.md",
    ]
    assert any("decisionLog.md" in warning for warning in told["warnings"])
    validated = client.value("validate_project", projectPath="project")
    assert validated["valid"] is True
    assert len(validated["missingRecommended"]) == 4


def test_handle_empty_memory_bank(client: Client, banks: Path) -> None:
    (banks / "project/memory-bank").mkdir(parents=True)
    [offer] = client.value("start_session", projectPath="project")["warnings"]
    assert "init" in offer


# 11.3 Write Operation Tests


def test_update_active_context(client: Client, banks: Path) -> None:
    put(banks, "project/memory-bank/activeContext.md", "# Active Context\n\n## Current Focus\nold\n")
    client.value("end_session", projectPath="project", summary="Search works", focus="Payment", next_steps=["Refunds"])
    now = files(banks, "project")["activeContext.md"]
    assert "old" not in now
    assert "Payment" in now
    assert "Refunds" in now


def test_append_to_decision_log(client: Client, banks: Path) -> None:
    put(banks, "project/memory-bank/decisionLog.md", LOG)
    decision = {"title": "Use FTS5", "rationale": "No server to run"}
    client.value("end_session", projectPath="project", summary="Chose a search", decisions=[decision])
    now = files(banks, "project")["decisionLog.md"]
    assert now.startswith(LOG)
    assert "Use FTS5" in now.removeprefix(LOG)
    assert "No server to run" in now.removeprefix(LOG)


def test_update_progress_checkboxes(client: Client, banks: Path) -> None:
    put(banks, "project/memory-bank/progress.md", "# Progress\n\n## Completed\n\n## In Progress\n- [ ] Feature X\n")
    client.value("set_task", projectPath="project", task="Feature X", state="done")
    completed, _, rest = files(banks, "project")["progress.md"].partition("## In Progress")
    assert "- [x] Feature X" in completed
    assert "2026-02-01" in completed
    assert "Feature X" not in rest


# 11.4 Security Tests


def test_path_traversal_prevention(client: Client) -> None:
    client.value("initialize_memory_bank", projectPath="project")
    assert "refused" in client.refusal("memory_bank_read", projectPath="project", fileName="../../etc/passwd")
    assert "refused" in client.refusal("memory_bank_read", projectPath="project", fileName="../../etc/passwd.md")
    assert "absolute" in client.refusal("memory_bank_read", projectPath="project", fileName="/etc/passwd.md")


def test_file_type_restriction(client: Client, banks: Path) -> None:
    client.value("initialize_memory_bank", projectPath="project")
    told = client.refusal("memory_bank_write", projectPath="project", fileName="script.sh", content="rm\n")
    assert "only .md files" in told
    assert set(files(banks, "project")) == set(SEVEN)


def test_project_isolation(client: Client, banks: Path) -> None:
    for project in ("one", "other"):
        client.value("initialize_memory_bank", projectPath=project, brief=f"The brief of {project}")
    for name in ("../../other/memory-bank/projectBrief.md", str(banks / "other/memory-bank/projectBrief.md")):
        told = client.refusal("memory_bank_read", projectPath="one", fileName=name)
        assert "The brief of other" not in told


# 11.5 Session Lifecycle Tests


def test_full_session_lifecycle(client: Client, banks: Path) -> None:
    client.value("initialize_memory_bank", projectPath="project", brief="A shop")
    assert len(client.value("start_session", projectPath="project")["order"]) == 7
    plan = client.ask("prompts/get", name="plan", arguments={"task": "Search", "project": "project"})["result"]
    assert "change nothing yet" in plan["messages"][0]["content"]["text"]
    act = client.ask("prompts/get", name="act", arguments={"task": "Search", "project": "project"})["result"]
    assert "Carry out the plan" in act["messages"][0]["content"]["text"]
    client.value("end_session", projectPath="project", summary="Search works", state="Search is done", add=["Payment"])
    found = files(banks, "project")
    assert "Search is done" in found["activeContext.md"]
    assert "Payment" in found["progress.md"]
    assert client.value("start_session", projectPath="project")["state"] == "Search is done"


def test_mid_session_update_trigger(client: Client, banks: Path) -> None:
    put(banks, "project/memory-bank/progress.md", "# Progress\n\n## Completed\n\n## In Progress\n- [ ] Feature X\n")
    order = client.ask("prompts/get", name="update_memory_bank", arguments={"project": "project"})["result"]
    said = order["messages"][0]["content"]["text"]
    reverse = [
        "progress",
        "activeContext",
        "decisionLog",
        "techContext",
        "systemPatterns",
        "productContext",
        "projectBrief",
    ]
    assert [said.index(f"{name}.md") for name in reverse] == sorted(said.index(f"{name}.md") for name in reverse)
    done = client.value(
        "end_session", projectPath="project", summary="x", complete=["Feature X"], decisions=[{"title": "Use Go"}]
    )
    assert done["written"] == [f"memory-bank/{name}.md" for name in reverse[:3]]


# 12 Multi-Project Support


def test_project_detection_and_switching(client: Client) -> None:
    for project in ("project-a", "project-b"):
        client.value("initialize_memory_bank", projectPath=project, brief=f"The brief of {project}")
    assert [each["name"] for each in client.value("list_projects")["projects"]] == ["project-a", "project-b"]
    for project in ("project-b", "project-a"):
        read = client.value("memory_bank_read", projectPath=project, fileName="projectBrief.md")
        assert f"The brief of {project}" in read["content"]
