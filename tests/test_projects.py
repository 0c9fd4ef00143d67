"""Several projects below one root: found, shown, switched between, and kept apart."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from memdown import Memory
from memdown.acts import projects
from memdown.errors import NotFound, Refused
from samples import put
from test_bank_memory import git

Cli = Callable[..., Ran]
ACTIVE = "# Active Context\n\n## Current Focus\n{focus}\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two projects with a bank, and one without."""
    root = tmp_path / "banks"
    put(root, "invoices/memory-bank/activeContext.md", ACTIVE.format(focus="The import of invoices."))
    put(root, "receipts/memory-bank/activeContext.md", ACTIVE.format(focus="Receipts by mail."))
    put(root, "plain/README.md", "# Nothing\n")
    monkeypatch.setenv("MEMORY_BANK_ROOT", str(root))
    return root


# Finding


def test_projects_with_a_bank_are_listed(cli: Cli, root: Path) -> None:
    assert cli("projects", "--json").json() == [
        {"name": "invoices", "path": str(root / "invoices")},
        {"name": "receipts", "path": str(root / "receipts")},
    ]
    assert cli("projects").out.splitlines()[0] == f"invoices  {root / 'invoices'}"


def test_a_bank_in_another_known_folder_counts(root: Path) -> None:
    put(root, "old/.kilocode/rules/memory-bank/brief.md", "# Brief\n")
    put(root, "set/notes/memory-bank/progress.md", "# Progress\n")
    put(root, "set/memdown.toml", "[bank]\nfolder = 'notes/memory-bank'\n")
    assert [each.name for each in projects.listed()] == ["invoices", "old", "receipts", "set"]


def test_the_root_is_in_the_home_folder_unless_said_otherwise(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("MEMORY_BANK_ROOT", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert projects.root() == tmp_path / "memory-banks"
    assert projects.listed() == []


def test_what_is_passed_over_is_told(cli: Cli, root: Path, tmp_path: Path) -> None:
    put(tmp_path, "elsewhere/memory-bank/progress.md", "# Progress\n")
    (root / "out").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (root / "thief").mkdir()
    (root / "thief/memory-bank").symlink_to(root / "invoices/memory-bank", target_is_directory=True)
    put(root, "broken/memdown.toml", "nonsense = 1\n")
    ran = cli("projects", "--json")
    assert [each["name"] for each in ran.json()] == ["invoices", "receipts"]
    assert all(f"the folder {name!r} is skipped" in ran.err for name in ("out", "thief", "broken"))


def test_a_project_with_two_names_is_listed_once(root: Path) -> None:
    (root / "a-link").symlink_to(root / "invoices", target_is_directory=True)
    assert [each.name for each in projects.listed()] == ["invoices", "receipts"]
    assert projects.resolve("a-link") == root / "invoices"


# Resolving


def test_a_project_is_named_or_given_by_its_path(root: Path) -> None:
    assert projects.resolve("invoices") == root / "invoices"
    assert projects.resolve(str(root / "invoices")) == root / "invoices"


def test_a_path_may_be_deeper_but_not_inside_another_project(root: Path) -> None:
    put(root, "team/web/memory-bank/progress.md", "# Progress\n")
    assert projects.resolve(str(root / "team/web")) == root / "team/web"
    for inside in ("invoices/memory-bank", "invoices/src", "team/web/memory-bank"):
        with pytest.raises(Refused, match="part of the project"):
            projects.resolve(str(root / inside), new=True)


def test_what_is_not_a_project_is_refused(root: Path, tmp_path: Path) -> None:
    (root / "out").symlink_to(tmp_path, target_is_directory=True)
    (root / "self").symlink_to(root, target_is_directory=True)
    wrong = ["", ".", "..", "../banks/invoices", "invoices/..", "a/b", "/", str(root), str(tmp_path), str(root.parent)]
    wrong += ["out", "self", ".hidden", "con", "~", "invoices\0", "C:\\x", "\\\\host\\share", f"{root}/invoices/../x"]
    for name in wrong:
        with pytest.raises(Refused):
            projects.resolve(name, new=True)
    with pytest.raises(NotFound, match="memdown projects"):
        projects.resolve("nothing")
    assert projects.resolve("nothing", new=True) == root / "nothing"


def test_the_own_project_is_reachable_wherever_it_is(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    put(own, "memory-bank/progress.md", "# Progress\n")
    monkeypatch.chdir(own)
    assert projects.resolve(str(own), own=own) == own
    assert projects.resolve(".", own=own) == own
    for elsewhere in (tmp_path, root, root / "invoices"):
        monkeypatch.chdir(elsewhere)
        for dot in (".", "./"):
            assert projects.resolve(dot, own=own) == own
    with pytest.raises(Refused):
        projects.resolve(str(own))
    with pytest.raises(Refused):
        projects.resolve(str(own / "memory-bank"), own=own)
    assert projects.resolve("invoices", own=own) == root / "invoices"


def test_packages_of_the_own_project_are_reachable_by_their_path_in_it(root: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    put(own, "packages/api/memory-bank/progress.md", "# Progress\n")
    put(own, "services/.squad/decisions.md", "# Decisions\n")
    put(own, "invoices/memory-bank/progress.md", "# Progress\n")
    put(own, "packages/web/index.js", "")
    put(tmp_path, "other/memory-bank/progress.md", "# Progress\n")
    for name in ("packages/api", "./packages/api", "packages/api/", str(own / "packages/api")):
        assert projects.resolve(name, own=own) == own / "packages/api"
    assert projects.resolve("services", own=own) == own / "services"
    assert projects.resolve("invoices", own=own) == root / "invoices"  # which has the name already
    assert projects.resolve("./invoices", own=own) == own / "invoices"
    for name in (
        "packages",
        "packages/web",
        "packages/api/memory-bank",
        "../other",
        str(tmp_path / "other"),
        "",
        "\0/x",
    ):
        with pytest.raises((Refused, NotFound)):
            projects.resolve(name, own=own)
    with pytest.raises(Refused):
        projects.resolve("packages/api")
    assert [each.name for each in projects.packages_with_bank(own)] == ["./invoices", "packages/api"]


# Using


def test_a_project_is_shown(cli: Cli, root: Path) -> None:
    told = cli("projects", "show", "receipts", "--json").json()
    assert (told["name"], told["path"]) == ("receipts", str(root / "receipts"))
    assert told["briefing"]["focus"] == "Receipts by mail."
    assert [each["file"] for each in told["files"]] == ["activeContext.md"]
    assert told["files"][0]["text"] == ACTIVE.format(focus="Receipts by mail.")
    assert cli("projects", "show", "plain").code == 1
    assert cli("projects", "show", "../receipts").code == 3


def test_every_command_takes_a_project(cli: Cli, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli("--project", "receipts", "bank", "add-item", "Scan").code == 0
    assert "Scan" in (root / "receipts/memory-bank/progress.md").read_text()
    assert not (root / "invoices/memory-bank/progress.md").exists()
    monkeypatch.setenv("MEMDOWN_PROJECT", "invoices")
    assert cli("status", "--json").json()["root"] == str(root / "invoices")
    assert cli("--project", "receipts", "status", "--json").json()["root"] == str(root / "receipts")
    assert cli("status", "--json", "--root", str(root / "plain")).json()["root"] == str(root / "plain")
    assert cli("--project", "receipts", "status", "--root", ".").code == 2
    monkeypatch.setenv("MEMDOWN_PROJECT", "../receipts")
    assert cli("status").code == 3


def test_the_library_takes_a_project(root: Path) -> None:
    assert Memory.open(project="invoices").root == root / "invoices"


def test_one_project_never_reaches_another(cli: Cli, root: Path) -> None:
    (root / "receipts/memory-bank/progress.md").symlink_to(root / "invoices/memory-bank/activeContext.md")
    before = (root / "invoices/memory-bank/activeContext.md").read_text()
    ran = cli("--project", "receipts", "bank", "add-item", "x")
    assert ran.code == 3, ran
    assert "invoices" not in cli("--project", "receipts", "list").out
    assert (root / "invoices/memory-bank/activeContext.md").read_text() == before


# Switching


@pytest.mark.usefixtures("root")
def test_switching_confirms_then_loads_and_presents(cli: Cli) -> None:
    ran = cli("switch", "receipts", stdin="y\n")
    assert ran.code == 0
    assert "is saved" in ran.err
    assert "Switch to receipts" in ran.err
    assert "Focus: Receipts by mail." in ran.out
    assert "--project receipts" in ran.out


@pytest.mark.usefixtures("root")
def test_switching_stays_when_the_answer_is_no(cli: Cli) -> None:
    ran = cli("switch", "receipts", stdin="n\n")
    assert (ran.code, ran.out) == (1, "")
    ran = cli("switch", "receipts")
    assert (ran.code, ran.out) == (2, "")
    assert "--yes" in ran.err


@pytest.mark.usefixtures("root")
def test_switching_tells_what_is_not_saved(cli: Cli) -> None:
    here = Path.cwd()
    git(here, "init", "-q")

    def commit(here: Path, message: str) -> None:
        git(here, "add", ".")
        git(here, "commit", "-q", "-m", message)

    put(here, "memory-bank/activeContext.md", ACTIVE.format(focus="This."))
    commit(here, "memory")
    put(here, "src/app.py", "x = 1\n")
    commit(here, "code")
    put(here, "memory-bank/progress.md", "# Progress\n")
    told = cli("switch", "invoices", "--yes", "--json").json()
    assert told["from"] == {"path": str(here), "uncommitted": ["memory-bank/progress.md"], "unrecorded": 1}
    assert told["project"]["name"] == "invoices"
    text = cli("switch", "invoices", "--yes").out
    assert "Not committed" in text
    assert "1 commit" in text


# Which folder is the bank


def test_a_folder_that_holds_files_goes_before_an_empty_one(cli: Cli) -> None:
    Path("memory-bank").mkdir()
    put(Path.cwd(), "docs/memory-bank/progress.md", "# Progress\n")
    assert Memory.open(Path.cwd()).bank.home() == "docs/memory-bank"
    assert cli("bank", "add-item", "x").out == "Added docs/memory-bank/progress.md:4 x\n"


def test_a_folder_is_found_in_other_capitals(cli: Cli) -> None:
    put(Path.cwd(), "Memory-Bank/progress.md", "# Progress\n\n## In Progress\n- [ ] Import\n")
    assert cli("bank", "complete", "Import").code == 0
    assert "[x] Import" in Path("Memory-Bank/progress.md").read_text()
    assert cli("status", "--json").json()["dialects"]["bank"]["files"] == 1
    assert cli("init").code == 0
    assert not Path("memory-bank").exists() or Path("memory-bank").samefile("Memory-Bank")


def test_the_folder_can_be_set(cli: Cli) -> None:
    put(Path.cwd(), "memdown.toml", "[bank]\nfolder = 'notes/memory-bank'\n")
    assert cli("bank", "add-item", "x").out == "Added notes/memory-bank/progress.md:4 x\n"
    assert cli("init").code == 0
    assert not Path("memory-bank").exists()
    assert cli("validate").code == 0


def test_the_folder_that_is_set_goes_before_one_that_is_there(cli: Cli) -> None:
    put(Path.cwd(), "memory-bank/progress.md", "# Progress\n")
    put(Path.cwd(), "memdown.toml", "[bank]\nfolder = 'notes/memory-bank'\n")
    assert cli("bank", "add-item", "x").out == "Added notes/memory-bank/progress.md:4 x\n"


@pytest.mark.parametrize("folder", ["notes", "memory-bank/inner", "memory-bank/memory-bank"])
def test_a_folder_with_a_name_that_no_bank_has_is_refused(cli: Cli, folder: str) -> None:
    put(Path.cwd(), "memdown.toml", f"[bank]\nfolder = '{folder}'\n")
    ran = cli("status")
    assert ran.code == 4
    assert "memory-bank" in ran.err
