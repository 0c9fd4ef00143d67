"""Names that reach for something outside the project: every command that takes one refuses it in one sentence."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran, some
from memdown.errors import Refused
from memdown.store import check_name
from samples import CARD, CONTENT, ID, put
from test_store_jail import HOSTILE

Cli = Callable[..., Ran]
SECRET = "the secret outside\n"
REACHING = [
    *HOSTILE,
    *("../secret.md", "memories/../../secret.md", "../project-2/secret.md", "link/secret.md", "link", "secret-link.md"),
    *("memories/../../../../../../etc/passwd", "/proc/self/environ", "../../" * 20 + "etc/passwd"),
]
COMMANDS: dict[str, Callable[[str], tuple[str, ...]]] = {
    "show": lambda name: ("show", name),
    "open": lambda name: ("open", name),
    "edit": lambda name: ("edit", name, "--title", "x"),
    "delete": lambda name: ("delete", name),
    "delete --dry-run": lambda name: ("delete", name, "--dry-run"),
    "card verify": lambda name: ("card", "verify", name),
    "card repair": lambda name: ("card", "repair", name),
    "add --id": lambda name: ("add", "card", "x", "-k", "x", "--content", CONTENT, "--id", name),
    "add --file": lambda name: ("add", "card", "x", "-k", "x", "--file", name),
    "check --fix": lambda name: ("check", "--fix", name),
    "convert": lambda name: ("convert", name, "--to", "sem"),
    "convert --out": lambda name: ("convert", ".squad/decisions.md", "--to", "sem", "--out", name),
    "export --out": lambda name: ("export", "--out", name),
    "stats --svg": lambda name: ("stats", "--svg", name),
    "init --brief": lambda name: ("init", "--brief", f"@{name}"),
    "update --from": lambda name: ("update", "--from", name),
    "end --from": lambda name: ("end", "--from", name),
    "update --set": lambda name: ("update", "--set", name, "Languages", "x"),
    "install": lambda name: ("install", name),
    "install --command": lambda name: ("install", "claude", "--command", name),
    "layer create": lambda name: ("layer", "create", name, "--content", "x"),
    "layer read": lambda name: ("layer", "read", name),
    "layer update": lambda name: ("layer", "update", name, "--content", "x"),
    "layer append": lambda name: ("layer", "append", name, "--content", "x"),
    "layer delete": lambda name: ("layer", "delete", name),
    "layer profile": lambda name: ("layer", "profile", name),
    "layer project": lambda name: ("layer", "project", name),
    "--project": lambda name: ("--project", name, "status"),
    "projects show": lambda name: ("projects", "show", name),
    "switch": lambda name: ("switch", name, "--yes"),
    "skill": lambda name: ("skill", name, "--install"),
    "task show": lambda name: ("task", "show", name),
    "task start": lambda name: ("task", "start", name),
    "task add --id": lambda name: ("task", "add", "x", "--id", name),
    "session start --period": lambda name: ("session", "start", "--period", name),
    "add edit --created": lambda name: ("add", "edit", "x", "--created", name),
    "error add --file": lambda name: ("error", "add", "x", "--file", name),
    "regenerate --out": lambda name: ("regenerate", "--out", name),
    "context --for": lambda name: ("context", "--for", name),
    "graph --around": lambda name: ("graph", "--around", name),
}
WORDS = ("layer profile", "layer project", "skill", "--project", "projects show", "switch")
PATHS = (
    *("add --file", "check --fix", "convert", "convert --out", "export --out", "stats --svg", "init --brief"),
    *("update --from", "end --from", "context --for", "add edit --created", "error add --file", "regenerate --out"),
)


@pytest.fixture
def guarded(cli: Cli, tmp_path: Path) -> Cli:
    """A project with a card, beside a secret that links inside lead to."""
    project = Path.cwd()
    put(project, f"memories/{ID}.md", CARD)
    put(project, ".squad/decisions.md", "### 2026-02-01: Old\n**By:** Ann\n\ntext\n")
    put(tmp_path, "secret.md", SECRET.rstrip())  # a fix would end its last line
    put(tmp_path, "project-2/secret.md", SECRET.rstrip())
    (project / "link").symlink_to(tmp_path, target_is_directory=True)
    (project / "secret-link.md").symlink_to(tmp_path / "secret.md")
    return cli


def is_fine(name: str) -> bool:
    try:
        return bool(check_name(name)) and not name.startswith(("link", "secret-link"))
    except Refused:
        return False


def everything(folder: Path) -> dict[str, bytes]:
    found = (Path(base, name) for base, _, names in os.walk(folder) for name in names)
    return {
        str(path.relative_to(folder)): b"link" if path.is_symlink() else path.read_bytes()
        for path in found
        if ".memdown" not in path.parts
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_no_name_reaches_outside(guarded: Cli, tmp_path: Path, command: str) -> None:
    before = everything(tmp_path)
    assert len(REACHING) >= 60
    for name in some(REACHING[[*COMMANDS].index(command) % 4 :], 4):
        if command in PATHS and is_fine(os.path.normpath(name)) and ".." not in name:
            continue  # an odd spelling of a file inside
        if command in WORDS and "link" in name and "/" not in name:
            continue  # a word like any other
        if command == "convert" and name == ".":
            continue  # the project itself
        ran = guarded(*COMMANDS[command](name))
        # A path that stays inside and names nothing there is a file that cannot be read.
        nothing = command in PATHS and not os.path.normpath(name).startswith(("..", "/"))
        assert ran.code in ((2, 3, 4) if nothing else (2, 3)), (name, ran)
        assert ran.out == "", (name, ran)
        assert re.fullmatch(r"memdown: [^\n]{1,400}\n", ran.err), (name, ran)
        assert SECRET.strip() not in ran.err
    assert everything(tmp_path) == before


@pytest.mark.parametrize(
    "folder",
    ["../memory-bank", "/tmp/memory-bank", "link/memory-bank", ".git/memory-bank", "a/../../memory-bank"],
)
def test_a_configured_bank_cannot_lead_outside(guarded: Cli, tmp_path: Path, folder: str) -> None:
    put(Path.cwd(), "memdown.toml", f"[bank]\nfolder = '{folder}'\n")
    put(tmp_path, "memory-bank/progress.md", SECRET)
    before = everything(tmp_path)
    for args in (("bank", "add-item", "x"), ("archive",), ("validate",), ("budget",), ("init",)):
        ran = guarded(*args)
        assert ran.code in (2, 3), ran
        assert SECRET.strip() not in ran.out + ran.err
    assert everything(tmp_path) == before


@pytest.mark.parametrize(
    "folder", ["../outside", "/tmp/outside", "link/cards", ".git/cards", ".memdown/cards", "a/../../b"]
)
def test_a_configured_folder_cannot_lead_outside(guarded: Cli, tmp_path: Path, folder: str) -> None:
    put(Path.cwd(), "memdown.toml", f"[cards]\nfolder = '{folder}'\n")
    before = everything(tmp_path)
    ran = guarded("add", "card", "x", "-k", "x", "--content", CONTENT)
    assert ran.code in (2, 3), ran
    assert guarded("list").code in (0, 2, 3)
    assert everything(tmp_path) == before


def test_a_linked_folder_of_cards_is_not_followed_outside(cli: Cli, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    put(outside, f"{ID}.md", CARD)
    Path("memories").symlink_to(outside, target_is_directory=True)
    for args in (("list",), ("show", ID), ("delete", ID), ("add", "card", "x", "-k", "x", "--content", CONTENT)):
        ran = cli(*args)
        # A list shows what there is and tells what it passed over; all else is refused.
        assert ran.code == 0 if args == ("list",) else ran.code in (1, 3), ran
        assert "Pool size" not in ran.out
        assert "Pool size" not in ran.out
    assert (outside / f"{ID}.md").read_text() == CARD
    assert len(list(outside.iterdir())) == 1


def test_a_file_that_is_passed_over_is_named(cli: Cli, tmp_path: Path) -> None:
    put(tmp_path, "secret.md", SECRET)
    put(Path.cwd(), f"memories/{ID}.md", CARD)
    Path("memories/out.md").symlink_to(tmp_path / "secret.md")
    ran = cli("list")
    assert (ran.code, len(ran.out.splitlines())) == (0, 1)
    assert "memories/out.md" in ran.err
