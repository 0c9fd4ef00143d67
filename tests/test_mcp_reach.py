"""What an assistant reaches through the tools: every name a file goes by, every kind of every dialect, every field."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcp_client import Client, server
from memdown.acts.edit import hash_of
from memdown.markdown import tokens
from samples import CARD, CONTENT, ID, put
from test_attacks import everything

BRIEF = "# Project Brief\n\nA shop.\n"
PROGRESS = "# Progress\n\n## Completed\n\n## In Progress\n- [ ] Search\n\n## Upcoming\n- [ ] Pay\n"
ACTIVE = "# Active Context\n\n## Current Focus\nSearch\n\n## Next Steps\n1. Ship\n"
LOG = "# Decision Log\n\n## Decision: Use Go\n- **Date**: 2026-01-01\n- **Status**: Accepted\n"
PROFILE = "<!-- Last Updated: 2026-01-20 -->\n\n# My API\n\nOne.\n\n## Stack\n\nGo 1.22\n\n## Layout\n\nsrc/\n"
PROFILE_ID = "shared-project/my-api/project_profile"
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
