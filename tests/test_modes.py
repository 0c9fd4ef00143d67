"""Modes, rules files and the system prompt."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from memdown.dialects.bank.modes import MODES, for_request, named
from memdown.scan.rulefiles import matches
from samples import put

Cli = Callable[..., Ran]
EVERYTHING = [
    *("projectBrief.md", "productContext.md", "systemPatterns.md", "techContext.md"),
    *("activeContext.md", "progress.md", "decisionLog.md"),
]

# Modes


@pytest.mark.parametrize(
    ("request_", "mode"),
    [
        ("Design the API", "architect"),
        ("the structure of it", "architect"),
        ("IMPLEMENT login", "code"),
        ("please build it", "code"),
        ("explain the code", "ask"),
        ("document this", "ask"),
        ("troubleshoot the build", "debug"),
        ("fix the design", "debug"),
        ("the prefix of a designer's documents", "default"),
        ("fix_this", "debug"),
        ("code-review", "code"),
        ("", "default"),
    ],
)
def test_words_of_a_request_choose_the_mode(request_: str, mode: str) -> None:
    assert for_request(request_).name == mode


def test_what_modes_may_write() -> None:
    assert {mode.name: list(mode.may_write) for mode in MODES} == {
        "architect": ["productContext.md", "systemPatterns.md", "decisionLog.md"],
        "code": EVERYTHING,
        "ask": [],
        "debug": ["activeContext.md"],
        "default": EVERYTHING,
    }


@pytest.mark.parametrize(
    ("file", "allowed"),
    [
        ("activeContext.md", True),
        ("ACTIVE_context.md", True),
        ("docs/memory-bank/activeContext.md", True),
        ("progress.md", False),
        ("archive/activeContext.md", False),
        ("notes.md", False),
    ],
)
def test_debug_mode_writes_one_file_by_any_of_its_names(file: str, allowed: bool) -> None:
    assert named("debug").allows(file) is allowed
    assert named("code").allows(file)
    assert not named("ask").allows(file)


def test_the_mode_command(cli: Cli) -> None:
    assert cli("mode", "fix", "the", "login", "--json").json() == {
        "mode": "debug",
        "may_write": ["activeContext.md"],
        "everything": False,
    }
    assert cli("mode", "--json").json() == {"mode": "default", "may_write": EVERYTHING, "everything": True}
    assert cli("mode", "fix it", "--mode", "ask").out == "ask: may write nothing\n"
    assert cli("mode", "--mode", "fast").code == 2


# Rules files

MDC = '---\ndescription: API rules\nglobs: "src/api/**/*.ts", "lib/*.{js,ts}"\nalwaysApply: false\n---\n\n# API\n- Validate\n'


def rules(cli: Cli, *args: str) -> list[tuple[str, str]]:
    return [(each["source"], each["scope"]) for each in cli("rules", *args, "--json").json()]


def every_kind() -> None:
    put(Path(), ".clinerules", "Be brief.\n")
    put(Path(), ".roorules", "Be kind.\n")
    put(Path(), ".roorules-architect", "mode: architect\ninstructions:\n  - think\n")
    put(Path(), ".roo/rules-code/style.md", "Four spaces.\n")
    put(Path(), ".roomodes", json.dumps({"customModes": [{"slug": "reviewer", "roleDefinition": "You review."}]}))
    put(Path(), ".cursor/rules/api.mdc", MDC)
    put(Path(), ".cursor/rules/all.mdc", "---\nglobs: *\nalwaysApply: true\n---\nAlways.\n")
    put(Path(), ".cursor/rules/ask.mdc", "---\ndescription: When testing\nglobs:\nalwaysApply: false\n---\nTest.\n")
    put(Path(), ".cursor/rules/two.mdc", "---\ndescription: x\n---\n---\nglobs: docs/**\n---\nTwo blocks.\n")
    put(Path(), ".windsurfrules", "Wind.\n")
    put(Path(), ".github/copilot-instructions.md", "Copilot.\n")
    put(Path(), "AGENTS.md", "Agents.\n")
    put(Path(), "CLAUDE.md", "Claude.\n")
    put(Path(), "src/AGENTS.md", "Agents of src.\n")


def test_all_rules_in_the_order_of_precedence(cli: Cli) -> None:
    every_kind()
    assert rules(cli) == [
        (".roorules-architect", "mode:architect"),
        (".roo/rules-code/style.md", "mode:code"),
        (".roomodes", "mode:reviewer"),
        (".cursor/rules/api.mdc", "paths:src/api/**/*.ts,lib/*.{js,ts}"),
        (".cursor/rules/two.mdc", "paths:docs/**"),
        (".clinerules", "project"),
        (".roorules", "project"),
        (".cursor/rules/all.mdc", "project"),
        (".windsurfrules", "project"),
        (".github/copilot-instructions.md", "project"),
        ("AGENTS.md", "project"),
        ("CLAUDE.md", "project"),
        (".cursor/rules/ask.mdc", "request:When testing"),
    ]


def test_rules_for_a_file_in_a_mode(cli: Cli) -> None:
    every_kind()
    found = rules(cli, "src/api/v1/users.ts", "--mode", "code")
    assert found[:4] == [
        (".roo/rules-code/style.md", "mode:code"),
        (".cursor/rules/api.mdc", "paths:src/api/**/*.ts,lib/*.{js,ts}"),
        ("src/AGENTS.md", "folder:src"),
        (".clinerules", "project"),
    ]
    assert ".cursor/rules/api.mdc" not in dict(rules(cli, "README.md"))
    assert rules(cli, "x.py", "--mode", "reviewer")[0] == (".roomodes", "mode:reviewer")
    assert cli("rules", "--json").json()[3]["text"] == "# API\n- Validate"


def test_front_matter_of_the_contract_scopes_a_file(cli: Cli) -> None:
    put(
        Path(),
        ".clinerules/api.md",
        '---\npaths:\n  - "src/api/**/*.ts"\n  - "lib/server/**/*.ts"\n---\n\n# API Rules\n',
    )
    put(Path(), ".clinerules/memory-bank/progress.md", "# Progress\n")
    put(Path(), ".clinerules/style.txt", "Style.\n")
    scoped = (".clinerules/api.md", "paths:src/api/**/*.ts,lib/server/**/*.ts")
    assert rules(cli, "lib/server/x/y.ts") == [scoped, (".clinerules/style.txt", "project")]
    assert rules(cli, "lib/client/y.ts") == [(".clinerules/style.txt", "project")]


def test_rules_of_a_mode_are_scoped_by_their_front_matter_too(cli: Cli) -> None:
    put(Path(), ".roorules-code", '---\npaths:\n  - "src/api/**/*.ts"\n---\n\n# API Rules\n')
    assert rules(cli, "src/api/x/y.ts") == rules(cli) == [(".roorules-code", "mode:code")]
    assert rules(cli, "src/ui/y.ts") == []


def test_a_rule_without_description_or_patterns_is_asked_for_by_name(cli: Cli) -> None:
    put(Path(), ".cursor/rules/x.mdc", "---\ndescription: \nglobs: \nalwaysApply: false\n---\nText.\n")
    assert rules(cli) == [(".cursor/rules/x.mdc", "request:by name")]


def test_rules_that_cannot_be_read_are_passed_over(cli: Cli, tmp_path: Path) -> None:
    put(Path(), ".roomodes", "customModes: [")
    put(Path(), ".clinerules", "\udcff")
    put(Path(), ".cursorrules", "")
    Path("AGENTS.md").symlink_to(put(tmp_path, "outside.md", "Outside.\n"))
    assert rules(cli) == []
    ran = cli("rules")
    assert ran.out == "No rules file applies.\n"
    assert "memdown: '.clinerules' is skipped: it is not UTF-8.\n" in ran.err


@pytest.mark.parametrize("args", [("../x",), ("--mode", "../x")])
def test_rules_asked_wrongly(cli: Cli, args: tuple[str, ...]) -> None:
    ran = cli("rules", *args)
    assert ran.code in (2, 3)
    assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("path", "pattern", "fits"),
    [
        ("src/a/b.ts", "src/**/*.ts", True),
        ("src/b.ts", "src/**/*.ts", True),
        ("lib/b.ts", "src/**/*.ts", False),
        ("deep/er/b.ts", "*.ts", True),
        ("b.tsx", "*.{ts,tsx}", True),
        ("src/x/y", "src/", True),
        ("src/x/y", "src/**", True),
        ("src", "src/**", False),
        ("a/b/c", "**", True),
        ("a/b/c", "*", True),
        ("a/b/c", "./a/*/c", True),
        ("a/b/c", "a/*", False),
        ("a/test_b.py", "**/test_*.py", True),
        ("x/y/z/w", "x/**/w", True),
        ("x/w", "x/**/**/w", True),
        ("a.md", "!*.md", False),
        ("a.py", "!*.md", True),
    ],
)
def test_patterns_of_paths(path: str, pattern: str, fits: bool) -> None:
    assert matches(path, [pattern]) is fits


def test_hostile_patterns_take_no_time() -> None:
    assert not matches("/".join("a" * 200), ["**/a/" * 50 + "b", "{" * 200, "{a,b}" * 40, "*a" * 100 + "b"])


# The system prompt


def test_the_prompt_has_the_lists_of_the_contract(cli: Cli) -> None:
    text = cli("prompt").out
    assert [line for line in text.split("\n") if line.startswith("#")] == [
        "# Memory Bank System",
        "## Critical Principle",
        "## Read Order (Session Start)",
        "## Operating Protocol",
        "### Plan Mode",
        "### Act Mode",
        "## Update Protocol",
        "## Writing Rules",
        "## Modes",
    ]
    assert "\n1. projectBrief.md — Project foundation\n2. productContext.md — Purpose and goals\n" in text
    assert "\n7. decisionLog.md — Decision history\n" in text
    assert (
        "\n1. progress.md — Task status changes\n2. activeContext.md — Current state, focus, blockers, next steps\n"
        in text
    )
    assert "\n7. projectBrief.md — Only if fundamental change\n" in text
    assert "| debug | debug, troubleshoot, fix | activeContext.md |" in text
    assert "| ask | explain, document, clarify | nothing |" in text
    assert "The files are in `memory-bank/`." in text


def test_the_prompt_says_which_files_are_not_there(cli: Cli) -> None:
    put(Path(), "memory-bank/progress.md", "# Progress\n")
    text = cli("prompt").out
    assert "\n6. progress.md — Task tracking\n7. decisionLog.md — Decision history (not there yet)\n" in text


def test_the_prompt_for_a_mode(cli: Cli) -> None:
    put(Path(), "docs/memory-bank/progress.md", "# Progress\n")
    told = cli("prompt", "--mode", "ask", "--json").json()
    assert told["mode"] == "ask"
    assert "It may write nothing: every write to the memory bank is refused." in told["text"]
    assert "The files are in `docs/memory-bank/`." in told["text"]
    assert "| Mode |" not in told["text"]
    assert "It may write every file" in cli("prompt", "--mode", "code").out
