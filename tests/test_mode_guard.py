"""A mode is held on every way that leads to a file: what it does not write is refused, named, and left as it was."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from mcp_client import ENVELOPE
from memdown import Memory
from memdown.errors import Invalid, Refused
from memdown.surfaces.cli import COMMANDS
from samples import CARD, ID, memdown, put
from test_sem_archive import canonical, legacy
from test_sessions import everything, fill

Cli = Callable[..., Ran]
REVIEWS = "memory/skills/code-review/my-api/review_history.md"
REVIEW = "skill-specific/code-review/my-api/review_history"

WRITES: dict[str, tuple[str, ...]] = {
    "bank focus": ("bank", "focus", "Another"),
    "bank complete": ("bank", "complete", "Feature X"),
    "bank add-decision": ("bank", "add-decision", "Another"),
    "update": ("update", "--complete", "Feature X", "--focus", "Another"),
    "end": ("end", "--summary", "Done"),
    "init": ("init",),
    "check --fix": ("check", "--all", "--fix"),
    "convert": ("convert", ".squad/decisions.md"),
    "import": ("import", "bundle.json", "--force"),
    "export --out": ("export", "--out", "out.json"),
    "undo": ("undo",),
    "archive": ("archive", "--keep", "0", "--older-than", "30"),
    "slim": ("slim", "--to", "0", "--all"),
    "inbox": ("inbox", "merge"),
    "add card": ("add", "card", "New", "-k", "new", "--content", "A new memory, long enough."),
    "add decision": ("add", "decision", "New", "--author", "Ann"),
    "edit": ("edit", ID, "--title", "Another"),
    "delete": ("delete", ID),
    "card repair": ("card", "repair"),
    "layer append": ("layer", "append", REVIEW, "--content", "## Review #99\n\nOne.\n"),
    "layer prune": ("layer", "prune"),
    "layer delete": ("layer", "delete", REVIEW),
    "skill": ("skill", "squad-memory-format", "--install"),
    "stats --svg": ("stats", "--svg", "chart.svg"),
}


@pytest.fixture
def rich(cli: Cli) -> Cli:
    """A project with something to write for every command; one pruning can be undone."""
    root = fill(Path.cwd())
    (root / "memory-bank/techContext.md").unlink()
    put(root, "memory-bank/notes.md", "# Notes\n\nText.")
    put(root, f"memories/{ID}.md", CARD.replace("d12bf02111536bbd", "0000000000000000"))
    put(root, ".squad/decisions.md", "# Decisions\n\n" + canonical("Old", "2025-01-01") + legacy("Older", "2025-01-02"))
    put(root, ".squad/decisions/inbox/ann-new.md", canonical("New", "2026-01-20"))
    put(root, REVIEWS, "# Reviews\n" + "".join(f"\n## Review #{number}\n\nOne.\n" for number in range(1, 13)))
    assert cli("export", "--out", "bundle.json").code == 0
    put(root, "bundle.json", (root / "bundle.json").read_text().replace("No server", "No servers"))
    assert cli("layer", "prune").code == 0
    put(
        root,
        "memory/skills/code-review/other/review_history.md",
        (root / REVIEWS).read_text() + "\n## Review #0\n\nA\n",
    )
    return cli


@pytest.mark.parametrize("command", WRITES)
def test_every_command_writes_without_a_mode(rich: Cli, command: str) -> None:
    before = everything(Path.cwd())
    ran = rich(*WRITES[command])
    assert (ran.code in (0, 1), everything(Path.cwd()) != before) == (True, True), ran


@pytest.mark.parametrize("command", WRITES)
def test_ask_writes_nothing_at_all(rich: Cli, command: str) -> None:
    before = everything(Path.cwd())
    ran = rich("--mode", "ask", *WRITES[command])
    assert (ran.code, ran.out) == (3, ""), ran
    assert ran.err.startswith("memdown: The mode ask does not write ")
    assert ran.err.count("\n") == 1
    assert everything(Path.cwd()) == before


@pytest.mark.parametrize("command", WRITES)
def test_debug_writes_the_active_context_alone(rich: Cli, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDOWN_MODE", "debug")
    before = everything(Path.cwd())
    ran = rich(*WRITES[command])
    after = everything(Path.cwd())
    if command in ("bank focus", "end"):
        assert ran.code == 0, ran
        assert {name for name in after if after[name] != before[name]} == {"memory-bank/activeContext.md"}
    else:
        assert (ran.code, after) == (3, before), ran
        assert "The mode debug does not write " in ran.err


def test_undo_is_still_possible_after_it_was_refused(rich: Cli) -> None:
    assert rich("--mode", "ask", "undo").code == 3
    assert rich("--mode", "ask", "layer", "prune").code == 3
    assert rich("undo").code == 0
    assert Path(REVIEWS).read_text().count("## Review") == 12


def test_architect_writes_three_files(cli: Cli) -> None:
    root = fill(Path.cwd())
    wanted = ("--set", "systemPatterns.md", "Architecture Overview", "One.", "--decision", "One")
    told = cli("--mode", "architect", "update", *wanted, "--json").json()
    assert told["written"] == ["memory-bank/decisionLog.md", "memory-bank/systemPatterns.md"]
    before = everything(root)
    ran = cli("--mode", "architect", "update", *wanted, "--complete", "Feature X")
    assert (ran.code, everything(root)) == (3, before)
    assert ran.err == (
        "memdown: The mode architect does not write progress.md;"
        " it writes productContext.md, systemPatterns.md, decisionLog.md.\n"
    )


def test_the_nearest_word_counts(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(Path.cwd())
    monkeypatch.setenv("MEMDOWN_MODE", "ask")
    assert cli("bank", "focus", "x").code == 3
    assert cli("start").code == 0
    assert cli("update").code == 0
    assert cli("--mode", "code", "bank", "focus", "x").code == 0
    assert cli("--mode", "code", "bank", "--mode", "ask", "focus", "y").code == 3
    assert cli("--mode", "ask", "bank", "--mode", "debug", "focus", "y").code == 0


def test_a_server_is_held_to_the_mode_before_its_name(tmp_path: Path) -> None:
    before = everything(fill(tmp_path))
    write = {"projectPath": str(tmp_path), "fileName": "progress.md", "content": "# New\n"}
    call = {"name": "memory_bank_update", "arguments": write}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call | {"_meta": ENVELOPE}}
    told = memdown(tmp_path, "--mode", "ask", "mcp", stdin=json.dumps(asked) + "\n").stdout
    assert "The mode ask is read-only" in told
    assert everything(tmp_path) == before


def test_a_hook_is_held_to_the_mode_before_its_name(tmp_path: Path) -> None:
    put(tmp_path, f"memories/{ID}.md", CARD)
    said = {"type": "assistant", "message": {"id": "m", "role": "assistant", "content": "The pool has\nten places."}}
    transcript = put(tmp_path, "t.jsonl", json.dumps(said | {"timestamp": "2026-01-20T09:00:00Z"}) + "\n")
    event = json.dumps({"cwd": str(tmp_path), "transcript_path": str(transcript)})
    for mode, cards in (("ask", 1), ("code", 2)):
        memdown(tmp_path, "--mode", mode, "hook", "Stop", stdin=event)
        assert len(list((tmp_path / "memories").iterdir())) == cards


@pytest.mark.parametrize("where", ["option", "environment"])
def test_a_mode_that_is_none_is_told(cli: Cli, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    if where == "environment":
        monkeypatch.setenv("MEMDOWN_MODE", "asc")
    ran = cli(*(("--mode", "asc") if where == "option" else ()), "status")
    assert ran.code == 2
    assert "there is no mode 'asc'" in ran.err


def test_the_library_is_held_too(tmp_path: Path) -> None:
    fill(tmp_path)
    memory = Memory.open(tmp_path, mode="debug")
    memory.bank.focus("x")
    for act in (
        lambda: memory.bank.complete("Feature X"),
        lambda: memory.files.save("memory-bank/notes.md", "x", over=None),
        lambda: memory.files.rename("memory-bank/activeContext.md", "memory-bank/x.md", over=""),
        lambda: memory.files.delete("memory-bank/progress.md", over=""),
    ):
        with pytest.raises(Refused, match="The mode debug does not write"):
            act()
    with pytest.raises(Invalid):
        Memory.open(tmp_path, mode="x")


def test_a_link_does_not_lead_around_a_mode(tmp_path: Path) -> None:
    fill(tmp_path)
    active = tmp_path / "memory-bank/activeContext.md"
    active.unlink()
    active.symlink_to("progress.md")
    before = everything(tmp_path)
    with pytest.raises(Refused, match=r"The mode debug does not write memory-bank/progress\.md"):
        Memory.open(tmp_path, mode="debug").bank.focus("x")
    assert everything(tmp_path) == before


@pytest.mark.parametrize(
    ("name", "mode", "allowed"),
    [
        ("memory-bank/ACTIVE_context.md", "debug", True),
        ("docs/memory-bank/activeContext.md", "debug", True),
        ("memory-bank/archive/activeContext.md", "debug", False),
        ("decisions.md", "architect", False),
        (".squad/decisions.md", "architect", False),
        ("memory-bank/decisions.md", "architect", True),
        ("memory-bank/progress.md", "code", True),
    ],
)
def test_names_that_look_alike(tmp_path: Path, name: str, mode: str, allowed: bool) -> None:
    files = Memory.open(tmp_path, mode=mode).files
    if allowed:
        files.save(name, "# x\n", over=None)
    else:
        with pytest.raises(Refused, match=f"The mode {mode}"):
            files.save(name, "# x\n", over=None)
    assert (tmp_path / name).exists() == allowed


def test_the_table_names_commands_that_are_there() -> None:
    assert {args[0] for args in WRITES.values()} <= set(COMMANDS)
