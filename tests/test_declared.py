"""Claims that somebody declares, and days by which to look at a record again."""

from pathlib import Path

import pytest

from mcp_client import server
from memdown.errors import Refused
from memdown.memory import Memory
from memdown.surfaces.memory_tool import MemoryTool
from samples import put
from test_verify import BANK, Cli, commit, git, repository

__all__ = ["repository"]

CARD = "memories/3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b.md"
HEAD = "---\nid: 3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b\nsubject: Pool\nkeywords: [pool]\napplies_to: global\noccurred_at: 2026-01-02T10:00:00Z\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}claims: [src/a.py, 'src/a.py::take', \"src/a.py::POOL=10\"]\n---\n\nx\n",
        f"{HEAD}claims:\n  - src/a.py\n  - 'src/a.py::take'\n  - src/a.py::POOL=10\n---\n\nx\n",
        f"{HEAD}# memdown: claims src/a.py, src/a.py::take, src/a.py::POOL=10\n---\n\nx\n",
        f"{HEAD}---\n\nx <!-- memdown: claims src/a.py, src/a.py::take, src/a.py::POOL=10 -->\n",
    ],
)
def test_every_form_of_declaring(cli: Cli, repository: Path, text: str) -> None:
    put(repository, "src/a.py", "POOL = 10\n\n\ndef take() -> None: ...\n")
    put(repository, CARD, text)
    commit("Begin")
    rows = cli("verify", "--json").json()
    assert [(each["target"], each["state"]) for each in rows] == [
        ("src/a.py", "fresh"),
        ("src/a.py::take", "fresh"),
        ("src/a.py::POOL=10", "fresh"),
    ]


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("src/aa.py", "The text claims 'src/aa.py', which is not true; did you mean src/a.py?"),
        ("lib/a.py", "The text claims 'lib/a.py', which is not true; did you mean src/a.py?"),
        ("src/a.py::taek", "The text claims 'src/a.py::taek', which is not true; did you mean src/a.py::take?"),
        ("src/a.py::POOL=11", "The text claims 'src/a.py::POOL=11', which is not true; it is now 10."),
        ("!src/a.py", "The text claims that 'src/a.py' does not exist, but it does; remove the claim."),
        ("src/a.py::POOL=10", None),
        ("!src/old.py", None),
    ],
)
def test_what_is_declared_has_to_hold_when_it_is_written(
    cli: Cli, repository: Path, claim: str, told: str | None
) -> None:
    put(repository, "src/a.py", "POOL = 10\n\n\ndef take() -> None: ...\n")
    put(repository, BANK, "# Tech Context\n\n## Stack\nPython.\n")
    commit("Begin")
    comment = f"The pool has ten connections. <!-- memdown: claims {claim} -->"
    ran = cli("add", "card", "The pool", "-k", "pool", "--content", comment)
    assert (ran.code, ran.err if told else None) == ((3, f"memdown: {told}\n") if told else (0, None))
    section = cli("list", "--json").json()[0]["id"]
    ran = cli("edit", section, "--content", comment)
    assert (ran.code, ran.err if told else None) == ((3, f"memdown: {told}\n") if told else (0, None))


FALSE = "Ten of them. <!-- memdown: claims src/aa.py -->"
REFUSAL = "The text claims 'src/aa.py', which is not true; did you mean src/a.py?"


@pytest.fixture
def every_dialect(cli: Cli, repository: Path) -> Path:
    put(repository, "src/a.py", "POOL = 10\n")
    put(repository, CARD, f"{HEAD}---\n\nThe pool.\n")
    put(repository, ".squad/decisions.md", "# Decisions\n\n### 2026-01-02: Use SQLite\n**By:** Ann\n")
    put(repository, "memory/projects/shop/project_profile.md", "# Shop\n\nA pool.\n")
    assert cli("init").code == 0
    commit("Begin")
    return repository


def files(root: Path) -> dict[str, bytes]:
    found = (path for path in root.rglob("*") if path.is_file() and not {".git", ".memdown"} & set(path.parts))
    return {str(path): path.read_bytes() for path in found}


@pytest.mark.parametrize(
    "words",
    [
        ("add", "card", "The pool", "-k", "pool", "--content", FALSE),
        ("add", "decision", "Pool the connections", "--author", "Ann", "--content", FALSE),
        ("add", "note", FALSE),
        ("edit", "Shop", "--content", FALSE),
        ("update", "--focus", FALSE),
        ("update", "--change", FALSE, "--add", "Paging"),
        ("bank", "add-item", FALSE),
        ("bank", "add-item", FALSE.replace("memdown: ", "memdown:")),
        ("bank", "add-decision", "Use SQLite", "--context", FALSE),
        ("layer", "append", "projects/shop/project_profile", "--content", FALSE),
        ("layer", "create", "projects/shop/notes", "--content", f"# Notes\n\n{FALSE}"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_no_command_writes_a_claim_that_does_not_hold(cli: Cli, every_dialect: Path, words: tuple[str, ...]) -> None:
    before = files(every_dialect)
    ran = cli(*words)
    assert (ran.code, ran.err.splitlines()[-1]) == (3, f"memdown: {REFUSAL}")
    assert files(every_dialect) == before
    assert cli(*(each.replace("src/aa.py", "src/a.py") for each in words)).code == 0


def test_neither_do_the_tools_of_assistants_nor_the_library(every_dialect: Path, tmp_path: Path) -> None:
    before = files(every_dialect)
    with server(every_dialect, banks=tmp_path / "banks") as client:
        client.initialize()
        assert client.refusal("add", kind="memory", title="The pool", text=FALSE, author="Ann") == REFUSAL
        assert REFUSAL in client.refusal("update", id="Shop", field="text", content=FALSE)
        path = str(every_dialect)
        given = {"projectPath": path, "fileName": "new.md", "content": f"# New\n\n{FALSE}\n"}
        assert REFUSAL in client.refusal("memory_bank_write", **given)
    with Memory.open(every_dialect) as memory:
        tool = MemoryTool(memory)
        answer = tool.run({"command": "create", "path": "/memories/new.md", "file_text": f"# New\n\n{FALSE}\n"})
        assert (answer.is_error, REFUSAL in answer.text) == (True, True)
        with pytest.raises(Refused, match=r"did you mean src/a\.py"):
            memory.edit("Shop", text=FALSE)
        with pytest.raises(Refused, match=r"did you mean src/a\.py"):
            memory.add("decision", "Pool them", text=FALSE, author="Ann")
    assert files(every_dialect) == before


def test_what_was_written_before_may_come_back_and_move(cli: Cli, every_dialect: Path) -> None:
    put(every_dialect, CARD, f"{HEAD}---\n\nThe pool. <!-- memdown: claims src/a.py -->\n")
    commit("Claim")
    git("rm", "-q", "src/a.py")
    commit("Drop")
    assert cli("delete", "3f2b8c1e").code == 0
    assert cli("undo").code == 0
    assert cli("delete", "3f2b8c1e").code == 0
    assert cli("restore", CARD, "--from", "HEAD").code == 0
    assert "claims src/a.py" in (every_dialect / CARD).read_text()
    ran = cli("add", "card", "The other pool", "-k", "pool", "--content", "x <!-- memdown: claims src/a.py -->")
    assert (ran.code, "remove it" in ran.err) == (3, True)


def test_a_claim_that_broke_later_does_not_stop_other_edits(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "POOL = 10\n")
    put(repository, CARD, f"{HEAD}---\n\nThe pool. <!-- memdown: claims src/a.py -->\n")
    commit("Begin")
    git("rm", "-q", "src/a.py")
    commit("Drop")
    assert cli("edit", "3f2b8c1e", "--title", "Another").code == 0


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (CARD, f"{HEAD}review-by: 2026-01-15\nowner: Ann\n---\n\nBakers pay by invoice.\n"),
        (CARD, f"{HEAD}---\n\nBakers pay by invoice. <!-- memdown: review-by 2026-01-15 by Ann -->\n"),
        (BANK, "# Tech\n\n## Stack\nPython. <!-- memdown: review-by 2026-01-15 by Ann -->\n"),
        (
            "knowledge/metrics/revenue.md",
            "---\ntype: metric\ntitle: Revenue\nstale_after: 2026-01-15T00:00:00Z\nowner: Ann\n---\n\nSum of invoices.\n",
        ),
    ],
)
def test_records_that_are_overdue_are_named(
    cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch, path: str, text: str
) -> None:
    git("config", "user.name", "Ann")
    put(repository, "knowledge/index.md", '---\nokf_version: "0.1"\n---\n\n# Knowledge\n')
    put(repository, path, text)
    commit("Begin")
    monkeypatch.setenv("MEMDOWN_NOW", "2026-01-15")
    assert "due" not in cli("verify").out
    monkeypatch.setenv("MEMDOWN_NOW", "2026-02-01")
    ran = cli("verify")
    assert "due for review by Ann since 2026-01-15" in ran.out
    assert "1 review overdue." in ran.out
    assert ran.code == 0
    [found] = cli("check", "--select", "VER007", "--json").json()
    [row] = cli("verify", "--json").json()
    assert (row["kind"], row["line"], row["path"]) == ("review", found["line"], path)
    assert cli("verify", "--confirm", row["id"]).code == 0
    assert "due" not in cli("verify").out
