"""Docs that cannot lie: every rule, command and setting is documented, and what is generated is up to date."""

import re
import sys
from pathlib import Path

import msgspec

import memdown
from memdown import Memory
from memdown.acts.check.engine import all_rules
from memdown.settings.config import Config
from memdown.surfaces.cli import COMMANDS

HERE = Path(__file__).parents[1]
sys.path.insert(0, str(HERE / "scripts"))

from make_docs import pages  # noqa: E402 - scripts are not a package


def test_generated_pages_are_up_to_date() -> None:
    """`.venv/bin/python scripts/make_docs.py` writes them."""
    made = pages()
    assert made
    assert [name for name, text in made.items() if (HERE / "docs" / name).read_text("utf-8") != text] == []


def test_no_page_of_a_rule_is_left_over() -> None:
    assert {path.stem for path in (HERE / "docs/rules").glob("[A-Z]*[0-9].md")} == {rule.code for rule in all_rules()}


def test_commands_are_documented() -> None:
    page = (HERE / "docs/commands.md").read_text("utf-8")
    assert [command for command in COMMANDS if f"## memdown {command}\n" not in page] == []


def settings(struct: type[msgspec.Struct], prefix: str = "") -> list[str]:
    found = []
    for field in msgspec.structs.fields(struct):
        name = f"{prefix}{field.encode_name}"
        nested = isinstance(field.type, type) and issubclass(field.type, msgspec.Struct)
        found += settings(field.type, f"{name}.") if nested else [name]
    return found


def test_each_setting_is_documented_and_nothing_else() -> None:
    documented = re.findall(r"^## `(.+)`$", (HERE / "docs/configuration.md").read_text("utf-8"), re.M)
    assert sorted(documented) == sorted(settings(Config))


def test_links_between_pages_lead_somewhere() -> None:
    for page in [HERE / "README.md", HERE / "CHANGELOG.md", *(HERE / "docs").rglob("*.md")]:
        text = re.sub(r"^```.*?^```$|``.+?``|`[^`\n]+`", "", page.read_text("utf-8"), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
            if "://" not in target and not page.match("docs/rules/*"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_test_that_the_security_page_names_is_there() -> None:
    named = re.findall(r"`(tests/\w+\.py)::(\w+)`", (HERE / "docs/security.md").read_text("utf-8"))
    assert len(named) > 40
    assert [each for each in named if f"\ndef {each[1]}(" not in (HERE / each[0]).read_text("utf-8")] == []


def test_the_page_of_the_library_shows_every_public_name() -> None:
    page = (HERE / "docs/library.md").read_text("utf-8")
    methods = [name for name, value in vars(Memory).items() if name[0] != "_" and not isinstance(value, type)]
    assert [name for name in methods if not re.search(rf"[.]{name}\b", page)] == []
    assert [name for name in memdown.__all__ if name[0] != "_" and not re.search(rf"\b{name}\b", page)] == []
