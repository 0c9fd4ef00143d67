"""Beginning a memory bank: templates, a brief, the code base; nothing that is there is touched."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from memdown.acts.init import brief
from memdown.dialects.bank.read import read
from memdown.dialects.bank.templates import LAYERS, UPDATE_ORDER, layer_of, render
from memdown.markdown.blocks import scan
from memdown.markdown.placeholders import unfilled
from samples import put

Cli = Callable[..., Ran]
ALL = [f"memory-bank/{layer.file}" for layer in LAYERS]
HEADINGS = {
    "projectBrief.md": [
        "# Project Brief",
        *("## Project Name", "## Mission Statement", "## Problem Statement", "## Core Requirements"),
        *("## Key Constraints", "## Success Criteria", "## Scope Boundaries", "### In Scope", "### Out of Scope"),
    ],
    "productContext.md": [
        "# Product Context",
        *("## Why This Project Exists", "## Target Users", "## User Problems", "## User Experience Goals"),
        *("## How It Should Work", "## What Makes It Different"),
    ],
    "systemPatterns.md": [
        "# System Patterns",
        *("## Architecture Overview", "## Architecture Diagram", "## Design Patterns in Use", "### [Pattern Name]"),
        *("## Coding Conventions", "## File Organization", "## Key Technical Decisions"),
    ],
    "techContext.md": [
        "# Tech Context",
        *("## Technology Stack", "### Languages", "### Frameworks", "### Databases", "### Key Libraries"),
        *("## Development Environment Setup", "## Build Commands", "## Deployment", "## Environment Variables"),
        "## Version Requirements",
    ],
    "activeContext.md": [
        "# Active Context",
        *("## Current Focus", "## Recent Changes", "## Current State", "## Active Decisions", "## Open Questions"),
        *("## Blockers", "## Next Steps"),
    ],
    "progress.md": [
        "# Progress",
        *("## Completed", "## In Progress", "## Known Issues", "## Technical Debt", "## Upcoming", "## Milestones"),
        *("### Phase 1: [Name] — [Status]", "### Phase 2: [Name] — [Status]"),
    ],
    "decisionLog.md": ["# Decision Log", "## Decision: [Decision Title]"],
}


def headings(text: str) -> list[str]:
    found = (block for block in scan(text) if block.kind == "heading")
    return ["#" * block.level + " " + block.content.of(text) for block in found]


def made(name: str) -> str:
    return Path(f"memory-bank/{name}").read_text("utf-8")


def section(text: str, heading: str) -> str:
    """What stands below a heading, up to the next one."""
    return re.split(r"^#+ ", text.partition(f" {heading}\n")[2], maxsplit=1, flags=re.M)[0].strip("\n")


# Templates


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.file)
def test_templates_have_the_headings_of_the_contract_in_order(layer: object) -> None:
    text = render(layer)  # type: ignore[arg-type]
    assert headings(text) == HEADINGS[layer.file]  # type: ignore[attr-defined]
    assert text.endswith("\n")
    assert "\n\n\n" not in text


def test_all_that_stands_in_a_template_is_not_filled_in() -> None:
    found = [record for layer in LAYERS for record in read(f"memory-bank/{layer.file}", render(layer)) if record.body]
    assert len(found) > 30
    assert all(record.extra.get("unfilled") for record in found)


@pytest.mark.parametrize("text", ["- [ ] task", "[a](b)", "`make`", "- **Build**: `make`", "| A | [B] |", "[x] y"])
def test_what_people_write_is_filled_in(text: str) -> None:
    assert not unfilled(text)


def test_the_order_of_updates() -> None:
    assert [layer.file for layer in UPDATE_ORDER] == [
        *("progress.md", "activeContext.md", "decisionLog.md", "techContext.md"),
        *("systemPatterns.md", "productContext.md", "projectBrief.md"),
    ]
    assert [layer.file for layer in LAYERS if layer.required] == ["projectBrief.md", "activeContext.md", "progress.md"]


def test_other_names_of_a_layer() -> None:
    assert [layer.order for name in ("BRIEF.md", "x/Tech_Context.md", "decisions.md") if (layer := layer_of(name))] == [
        1,
        4,
        7,
    ]
    assert layer_of("notes.md") is None


# init


def test_init_makes_seven_files(cli: Cli) -> None:
    told = cli("init", "--json").json()
    assert list(told)[:3] == ["root", "created", "kept"]
    assert (told["created"], told["kept"]) == (ALL, [])
    assert Path(told["root"]).samefile(".")
    assert {name: headings(made(name)) for name in HEADINGS} == HEADINGS
    assert unfilled(section(made("activeContext.md"), "Current Focus"))


def test_dry_run_writes_nothing_and_shows_the_texts(cli: Cli) -> None:
    put(Path(), "go.mod", "module example.com/x\n")
    told = cli("init", "--dry-run", "--json").json()
    assert told["created"] == ALL
    assert "example.com/x (go.mod)" in told["texts"]["memory-bank/projectBrief.md"]
    assert "Would create memory-bank/techContext.md:\n\n# Tech Context\n" in cli("init", "--dry-run").out
    assert sorted(path.name for path in Path().iterdir()) == ["go.mod"]


def test_init_from_the_code_base(cli: Cli) -> None:
    put(Path(), "pyproject.toml", '[project]\nname = "todo"\ndependencies = ["flask==3.0.3"]\n')
    put(Path(), "README.md", "# Todo\n\nKeeps todo items for teams.\n")
    put(Path(), "src/todo/app.py", "")
    assert cli("init").code == 0
    assert section(made("projectBrief.md"), "Project Name") == "todo (pyproject.toml)"
    assert section(made("projectBrief.md"), "Mission Statement") == "Keeps todo items for teams. (README.md)"
    assert section(made("techContext.md"), "Frameworks") == "- flask: 3.0.3 — web framework (pyproject.toml)"
    assert "src/     source code" in section(made("systemPatterns.md"), "File Organization")
    assert unfilled(section(made("projectBrief.md"), "Problem Statement"))
    # A bank that was just made is not part of the code base.
    assert cli("init", "--json").json()["created"] == []


def test_init_from_a_brief(cli: Cli) -> None:
    assert cli("init", "--brief", "A REST API for managing todo items").code == 0
    assert section(made("projectBrief.md"), "Mission Statement") == "A REST API for managing todo items"
    assert "Core Requirements" not in made("projectBrief.md")
    for name in ("productContext.md", "systemPatterns.md", "activeContext.md", "progress.md", "decisionLog.md"):
        assert "“A REST API for managing todo items”" in made(name)
        assert "brief" in made(name)
    assert cli("list", "kind:decision", "--json").json() == []  # nobody decided anything yet
    assert {each["code"] for each in cli("check", "--json").json()} == {"BNK007"}  # placeholders, and nothing else


def test_a_brief_with_sections_fills_those_of_the_templates(cli: Cli) -> None:
    text = """\
# Todo

Keeps items in PostgreSQL, behind a FastAPI service.

## Goals
- List items
- Share a list

## In Scope
- The API

## Out of Scope
- Billing

## Target Users
Teams of five.

## History
It began as a script.

### Later
It grew.
"""
    put(Path(), "docs/brief.md", text.replace("\n", "\r\n"))
    assert cli("init", "--brief", "@docs/brief.md").code == 0
    own = made("projectBrief.md")
    assert headings(own) == [*HEADINGS["projectBrief.md"], "## Target Users", "## History", "### Later"]
    assert unfilled(section(own, "Problem Statement"))
    assert section(own, "Project Name") == "Todo"
    assert section(own, "Core Requirements") == "- List items\n- Share a list"
    assert section(own, "In Scope") == "- The API"
    assert section(own, "Out of Scope") == "- Billing"
    assert "Teams of five." in section(made("productContext.md"), "Target Users")
    assert section(made("techContext.md"), "Databases") == "- PostgreSQL — named in the brief (projectBrief.md)"
    assert section(made("progress.md"), "Upcoming").split("\n") == [
        "- [ ] List items (from the brief)",
        "- [ ] Share a list (from the brief)",
    ]
    assert "\r" not in own


def test_every_line_of_a_brief_is_kept() -> None:
    text = "First words.\n\n- one\n- two\n\nLast words.\n\n## Odd\n\n```\n# no heading\n```\n"
    told = brief.parse(text, "2026-02-01")
    kept = "\n".join((*told.files["projectBrief.md"].values(), *(f"## {title}\n{body}" for title, body in told.more)))
    assert all(line in kept for line in text.split("\n"))


def test_code_and_brief_together(cli: Cli) -> None:
    put(Path(), "Cargo.toml", '[package]\nname = "todo"\n[dependencies]\naxum = "0.7"\n')
    cli("init", "--brief", "A service in Rust")
    assert section(made("projectBrief.md"), "Project Name") == "todo (Cargo.toml)"
    assert section(made("projectBrief.md"), "Mission Statement") == "A service in Rust"
    assert "axum: 0.7" in section(made("techContext.md"), "Frameworks")
    assert section(made("systemPatterns.md"), "Architecture Overview").startswith("Rust crate `todo`")


def test_what_is_there_is_kept_under_any_name(cli: Cli) -> None:
    put(Path(), "Memory_Bank/projectbrief.md", "mine\r\n")
    put(Path(), "Memory_Bank/TECH.md", "Go 1.22\n")
    put(Path(), "Memory_Bank/active_context.md", "x")
    told = cli("init", "--json").json()
    assert told["kept"] == ["Memory_Bank/projectbrief.md", "Memory_Bank/TECH.md", "Memory_Bank/active_context.md"]
    assert told["created"] == [
        f"Memory_Bank/{name}" for name in ("productContext.md", "systemPatterns.md", "progress.md")
    ]
    assert Path("Memory_Bank/projectbrief.md").read_bytes() == b"mine\r\n"
    assert cli("init", "--adopt", "--json").json()["created"] == ["Memory_Bank/decisionLog.md"]
    again = cli("init", "--json").json()
    assert (again["created"], len(again["kept"])) == ([], 7)
    assert "Nothing to create" in cli("init").out


@pytest.mark.parametrize("text", ["", "\n", " \r\n\t\n", "\ufeff"])
def test_an_empty_file_is_filled_in_as_a_missing_one_is(cli: Cli, text: str) -> None:
    put(Path(), "memory-bank/progress.md", "# Progress\n\n## Completed\n- [x] Login\n")
    put(Path(), "package.json", '{"name": "shop", "dependencies": {"express": "5.0.0"}}')
    paths = [put(Path(), f"memory-bank/{name}", text) for name in ("tech.md", "activeContext.md")]
    before = [path.read_bytes() for path in paths]
    assert "Would fill in the empty file memory-bank/tech.md:\n\n# Tech Context" in cli("init", "--dry-run").out
    assert [path.read_bytes() for path in paths] == before
    out = cli("init").out
    assert (
        "Filled in the empty file memory-bank/tech.md\nFilled in the empty file memory-bank/activeContext.md\n" in out
    )
    assert "Already exists: memory-bank/progress.md\n" in out
    assert "exists: memory-bank/tech.md" not in out
    assert "\nCreated 4 files and filled in 2 files from the code base; each statement names its source." in out
    assert "- express: 5.0.0" in paths[0].read_text("utf-8")
    assert "Nothing to create" in cli("init").out
    assert cli("undo").code == 0
    assert [path.read_bytes() for path in paths] == before
    told = cli("init", "--brief", "A shop for tea", "--json").json()
    assert told["filled"] == ["memory-bank/tech.md", "memory-bank/activeContext.md"]
    assert set(told["filled"]) < set(told["created"])
    assert told["kept"] == ["memory-bank/progress.md"]
    assert "A shop for tea" in paths[1].read_text("utf-8")
    assert cli("undo").code == 0
    put(Path(), "memory-bank/projectBrief.md", "# Brief\n\n## Project Name\nShop\n")
    told = cli("init", "--adopt", "--rename", "--json").json()
    assert told["renamed"] == {"memory-bank/tech.md": "memory-bank/techContext.md"}
    assert told["filled"] == ["memory-bank/techContext.md", "memory-bank/activeContext.md"]
    assert "- express: 5.0.0" in Path("memory-bank/techContext.md").read_text("utf-8")


def test_only_empty_files_are_said_to_be_filled_in(cli: Cli) -> None:
    cli("init")
    Path("memory-bank/progress.md").write_bytes(b"")
    out = cli("init").out
    assert "\nPut the template into 1 empty file: code, manifests and commits say nothing that belongs in it." in out
    assert "Created" not in out


def test_another_folder_that_holds_a_bank_is_used(cli: Cli) -> None:
    put(Path(), "memory-bank/.keep", "")
    put(Path(), "docs/memory-bank/progress.md", "# Progress\n")
    assert cli("init", "--json").json()["created"][0] == "docs/memory-bank/projectBrief.md"


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("--brief", " "), 2, "the brief is empty"),
        (("--brief", "@../brief.md"), 3, "outside"),
        (("--brief", "@missing.md"), 4, "there is no file"),
        (("--brief", "x", "--dialect", "sem"), 2, "memory bank"),
    ],
)
def test_a_brief_that_cannot_be_used(cli: Cli, args: tuple[str, ...], code: int, said: str) -> None:
    ran = cli("init", *args)
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.err
    assert list(Path().iterdir()) == []


def test_a_link_out_of_the_project_is_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    Path("memory-bank").symlink_to(tmp_path / "elsewhere")
    assert cli("init").code == 3
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_ignored_files_and_their_facts_are_left_out(cli: Cli) -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    put(Path(), ".gitignore", "private/\n")
    put(Path(), "private/package.json", '{"name": "secret", "dependencies": {"vue": "3"}}')
    put(Path(), "main.go", "")
    text = "".join(cli("init", "--dry-run", "--json").json()["texts"].values())
    assert "secret" not in text
    assert "vue" not in text
    assert "- Go — the only code file" in text


def test_what_was_passed_over_is_told(cli: Cli) -> None:
    put(Path(), "package.json", "{")
    ran = cli("init")
    assert ran.code == 0
    assert "memdown: 'package.json' is skipped: it is not JSON" in ran.err
    assert len(ran.err.splitlines()) == 1


# What git knows, and a bank that is there


def commit(title: str) -> None:
    name = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    for args in (("add", "-A"), (*name, "commit", "-q", "--allow-empty", "-m", title)):
        subprocess.run(["git", *args], check=True, capture_output=True)


def test_init_from_git(cli: Cli) -> None:
    subprocess.run(["git", "init", "-q", "-b", "main"], check=True)
    commit("Read invoices")
    subprocess.run(["git", "checkout", "-q", "-b", "feature/pdf"], check=True)
    commit("Print totals")
    assert cli("init").code == 0
    assert "“Print totals”" in section(made("activeContext.md"), "Current Focus")
    assert "`feature/pdf`" in section(made("activeContext.md"), "Current Focus")
    assert [line.partition(" — ")[0] for line in section(made("activeContext.md"), "Recent Changes").split("\n")] == [
        "- Print totals",
        "- Read invoices",
    ]
    assert section(made("progress.md"), "In Progress").startswith("- [ ] Branch `feature/pdf`: Print totals — ")


def test_init_leaves_out_what_nobody_could_fill_in(cli: Cli) -> None:
    put(Path(), "package.json", '{"name": "shop", "scripts": {"test": "vitest"}, "dependencies": {"express": "5.0.0"}}')
    put(Path(), ".env.example", "PORT=\n# Where orders are kept\nSTORE=\n")
    out = cli("init").out
    left = {name: [each.title for each in read(name, made(name)) if each.extra.get("unfilled")] for name in HEADINGS}
    assert left == {
        "projectBrief.md": ["Mission Statement", "Problem Statement", "Key Constraints", "Success Criteria"],
        "productContext.md": ["Target Users"],
        "systemPatterns.md": [],
        "techContext.md": [],
        "activeContext.md": ["Current Focus"],
        "progress.md": ["Upcoming", "[Planned task]"],
        "decisionLog.md": ["[Decision Title]"],
    }
    assert "Mission Statement, Problem Statement, Target Users, Key Constraints, Success Criteria, Upcoming" in out
    tech = made("techContext.md")
    assert section(tech, "Build Commands") == "- **Test**: `npm test` (package.json)"
    assert section(tech, "Environment Variables").startswith("| Variable | Purpose |\n|----------|---------|\n| PORT |")
    assert "[" not in tech


def test_an_answer_and_a_brief_find_a_section_that_was_left_out(cli: Cli) -> None:
    put(Path(), "package.json", '{"name": "shop"}')
    put(Path(), "memory-bank/productContext.md", "# Product\n\n## Idea\nBread to the door.\n")
    cli("init")
    told = cli("init", "--brief", "Bread for everybody", "--json").json()
    assert told["merged"] == [f"memory-bank/{name}.md" for name in ("projectBrief", "activeContext", "progress")]
    assert section(made("progress.md"), "Upcoming") == "- [ ] “Bread for everybody” (from the brief)"
    cli("init", "--ask", stdin="It is late\nBakers\n\n\n")
    assert section(made("productContext.md"), "Target Users") == "Bakers"
    cli("undo")
    cli("undo")
    cli("init", "--ask", stdin="\n\n\nWorks offline\n\nThe oven\n")
    assert section(made("projectBrief.md"), "Key Constraints") == "- Works offline"
    assert section(made("progress.md"), "Upcoming") == "- [ ] The oven"


def test_a_second_brief_is_added_to_what_is_there(cli: Cli) -> None:
    cli("init", "--brief", "A REST API for todo items")
    log, brief = made("decisionLog.md"), made("projectBrief.md")
    told = cli("init", "--brief", "It works offline.\n\n## Hosting\nOne server.", "--json").json()
    assert told["merged"] == ["memory-bank/projectBrief.md"]
    assert (told["created"], len(told["kept"])) == ([], 7)
    assert section(made("projectBrief.md"), "Mission Statement") == "A REST API for todo items\n\nIt works offline."
    assert section(made("projectBrief.md"), "Hosting") == "One server."
    assert made("decisionLog.md") == log
    again = cli("init", "--brief", "It works offline.\n\n## Hosting\nOne server.", "--json").json()
    assert again["merged"] == []
    cli("undo")
    assert made("projectBrief.md") == brief


def test_no_placeholder_gets_into_the_log(cli: Cli) -> None:
    cli("init", "--brief", "A REST API for todo items")
    assert "[" not in made("decisionLog.md")


def test_what_no_file_says_is_asked_for(cli: Cli) -> None:
    ran = cli("init", "--ask", stdin="Bills for bakers\n\nBakers\n\n\n")
    assert ran.code == 0
    assert section(made("projectBrief.md"), "Mission Statement") == "Bills for bakers"
    assert section(made("productContext.md"), "Target Users").startswith("Bakers")
    assert unfilled(section(made("projectBrief.md"), "Problem Statement"))
    assert "Created 7 files from your answers" in ran.out


def test_nobody_is_asked_what_the_code_or_the_brief_says(cli: Cli) -> None:
    put(Path(), "package.json", '{"name": "shop", "description": "Sells bread from door to door.", "license": "MIT"}')
    asked = cli("init", "--ask", "--brief", "# Shop\n\n## Target Users\nBakers\n", "--dry-run", stdin="").err
    assert asked == "Which problem does it solve? \n"
    cli("init")
    assert cli("init", "--ask", stdin="").err == "Which problem does it solve? \n"


def test_the_end_of_the_input_ends_the_questions_and_keeps_the_answers(cli: Cli) -> None:
    ran = cli("init", "--ask", stdin="Bills for bakers\n")
    assert ran.code == 0
    assert ran.err == "What is this project for, in a sentence? Which problem does it solve? \n"
    assert section(made("projectBrief.md"), "Mission Statement") == "Bills for bakers"


def test_an_answer_fills_the_section_that_was_asked_for_and_nothing_else(cli: Cli) -> None:
    cli("init")
    names = ("activeContext.md", "progress.md", "systemPatterns.md", "techContext.md", "decisionLog.md")
    before = {name: made(name) for name in names}
    ran = cli("init", "--ask", stdin="Bills for bakers\n\nBakers\n\n\n")
    assert [line for line in ran.out.splitlines() if "Added" in line] == [
        "Added your answers to memory-bank/projectBrief.md",
        "Added your answers to memory-bank/productContext.md",
    ]
    assert {name: made(name) for name in names} == before
    assert section(made("productContext.md"), "Target Users") == "Bakers"
    assert "Bakers" not in made("projectBrief.md").replace("Bills for bakers", "")
    again = cli("init", "--ask", stdin="Bread is late\n\n\n")
    assert section(made("projectBrief.md"), "Problem Statement") == "Bread is late"
    assert "What is this project for" not in again.err


def test_init_says_where_it_writes_and_what_to_do_next(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    root = Path.cwd()
    (root / "packages/a").mkdir(parents=True)
    monkeypatch.chdir(root / "packages/a")
    out = cli("init").out
    assert out.startswith(f"Using the project root {root}; use --root . to set up this folder alone.\n")
    assert "Next:\n" in out


def test_one_family_of_packages_does_not_hide_the_others(cli: Cli) -> None:
    names = [*(f"@radix-ui/part-{number}" for number in range(30)), "zod"]
    put(Path(), "package.json", json.dumps({"name": "shop", "dependencies": dict.fromkeys(names, "1")}))
    cli("init")
    libraries = section(made("techContext.md"), "Key Libraries")
    assert "@radix-ui/: 30 packages: part-0, " in libraries
    assert "- zod: 1" in libraries


def test_adopting_says_what_it_did_not_rename_and_what_it_knew_nothing_for(cli: Cli) -> None:
    put(Path.cwd(), "package.json", '{"name": "x", "description": "A shop."}')
    for name in ("projectbrief", "productContext", "systemPatterns", "techContext", "activeContext", "progress"):
        put(Path.cwd(), f"memory-bank/{name}.md", "# X\n\n## Y\nz\n")
    told = cli("init", "--adopt", "--rename").out.splitlines()
    assert "Not renamed: memory-bank/projectbrief.md (to macOS and Windows, projectBrief.md is the same name)" in told
    assert "Created 1 file to fill in: code, manifests and commits say nothing that belongs in it." in told


def test_a_bank_of_another_layout_is_kept_as_it_is(cli: Cli) -> None:
    names = ("activeContext", "decisionLog", "productContext", "progress", "systemPatterns")
    before = {put(Path(), f"memory-bank/{name}.md", f"# {name}\n\nMine.\n"): f"# {name}\n\nMine.\n" for name in names}
    out = cli("init").out
    assert out.startswith("Found a memory bank with the layout: roo\n")
    assert out.endswith(
        "Not in this layout: projectBrief.md, techContext.md; `memdown init --adopt` creates what is missing.\n"
    )
    assert {path: path.read_text() for path in Path("memory-bank").iterdir()} == before
    told = cli("init", "--json").json()
    assert (told["created"], told["left_out"]) == ([], ["projectBrief.md", "techContext.md"])
    told = cli("init", "--brief", "A shop for tea", "--json").json()  # which has to go somewhere
    assert (told["created"], told["left_out"]) == (["memory-bank/projectBrief.md"], ["techContext.md"])
    told = cli("init", "--adopt", "--json").json()
    assert (told["created"], told["left_out"]) == (["memory-bank/techContext.md"], [])


def test_a_missing_file_is_called_as_in_the_layout(cli: Cli) -> None:
    for name in ("product", "context", "architecture", "tech"):
        put(Path(), f".kilocode/rules/memory-bank/{name}.md", f"# {name}\n\nMine.\n")
    assert cli("init", "--json").json()["created"] == [".kilocode/rules/memory-bank/brief.md"]
    assert cli("init", "--json").json()["layout"] == "kilo"
    cli("undo")
    assert cli("init", "--adopt", "--rename", "--json").json()["created"][0].endswith("/projectBrief.md")


def test_a_bank_of_another_layout_is_adopted(cli: Cli) -> None:
    assert cli("init", "--adopt").code == 1
    assert cli("init", "--adopt", "--dialect", "sem").code == 2
    for name in ("brief", "product", "context", "architecture", "tech"):
        put(Path(), f"memory-bank/{name}.md", f"# {name}\n\nMine.\n")
    assert cli("init", "--rename").code == 2
    told = cli("init", "--adopt", "--json").json()
    assert (told["layout"], told["renamed"]) == ("kilo", {})
    assert told["created"] == ["memory-bank/progress.md", "memory-bank/decisionLog.md"]
    assert cli("undo").code == 0
    told = cli("init", "--adopt", "--rename", "--json").json()
    assert told["renamed"]["memory-bank/context.md"] == "memory-bank/activeContext.md"
    assert made("activeContext.md") == "# context\n\nMine.\n"
    assert len(list(Path("memory-bank").iterdir())) == 7
    assert cli("undo").code == 0
    assert sorted(path.name for path in Path("memory-bank").iterdir()) == [
        *("architecture.md", "brief.md", "context.md", "product.md", "tech.md")
    ]


def test_a_name_that_differs_in_case_alone_stays(cli: Cli) -> None:
    put(Path(), "memory-bank/projectbrief.md", "# Brief\n")
    put(Path(), "memory-bank/tech_context.md", "# Tech\n")
    told = cli("init", "--adopt", "--rename", "--json").json()
    assert told["renamed"] == {"memory-bank/tech_context.md": "memory-bank/techContext.md"}


def test_init_says_where_the_project_keeps_its_memory_already(cli: Cli) -> None:
    put(Path.cwd(), ".squad/decisions.md", "# Decisions\n\n### 2026-01-02: Tea first\n**By:** Ann\n\nText.\n")
    said = (
        "This project keeps a log of decisions in .squad/, and `memdown add KIND` keeps writing there (decision);"
        " `memdown init --dialect sem` creates what it lacks."
    )
    assert said in json.loads(cli("init", "--dry-run", "--json").out)["notes"]
    assert cli("init").out.splitlines()[0] == said
    assert cli("add", "decision", "Use SQLite", "--why", "One file").code == 0
    assert "Use SQLite" in Path(".squad/decisions.md").read_text("utf-8")
    assert said not in cli("init").out


@pytest.mark.skipif(sys.platform == "win32", reason="interrupts a process as POSIX systems do")
def test_an_interrupted_question_says_that_nothing_was_kept(tmp_path: Path) -> None:
    # Started by a shell in the background, tests ignore an interrupt, and so would what they start.
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    command = [sys.executable, "-c", f"{heard}; from memdown.__main__ import main; main()", "init", "--ask"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as asking:
        assert asking.stdin
        assert asking.stderr
        asking.stdin.write(b"Bills for bakers\n")
        asking.stdin.flush()
        told = b""
        while b"Which problem" not in told:
            told += asking.stderr.read(1)
        asking.send_signal(signal.SIGINT)
        told = asking.stderr.read()
        assert asking.wait() == 130
    assert told.decode().endswith("\nNo file was changed, and no answer was kept.\nmemdown: interrupted.\n")
    assert not (tmp_path / "memory-bank").exists()
