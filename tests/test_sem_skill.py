"""The skill file: true to the tables it is made from, and installed without harm."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from memdown.acts.check import engine
from memdown.dialects import parse
from memdown.dialects.sem import KINDS, grammar, skill
from memdown.dialects.sem.write import entry_text
from memdown.markdown import frontmatter
from memdown.text import with_eol

NAME = "squad-memory-format"
PLACE = f".squad/skills/{NAME}/SKILL.md"
Cli = Callable[..., Ran]
EXAMPLES = re.findall(r"^````markdown\n(.*?)^````$", skill.text(), re.M | re.S)


def test_front_matter_names_what_tools_look_for() -> None:
    front = frontmatter.read(skill.text())
    assert front
    assert not front.problems
    values = {entry.key: entry.value.text for entry in front.entries}
    assert list(values) == ["name", "description", "domain", "confidence", "source"]
    assert (values["name"], values["description"]) == (NAME, skill.DESCRIPTION)


def test_it_has_the_four_parts_of_a_skill() -> None:
    assert re.findall(r"^## (.+)$", skill.text(), re.M) == ["Context", "Patterns", "Examples", "Anti-Patterns"]


def test_it_tells_every_field_kind_and_type() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (yes|no) \| (.+) \|$", skill.text(), re.M)
    assert {name: about for name, _, about in rows} == grammar.FIELDS
    assert [name for name, required, _ in rows if required == "yes"] == list(grammar.REQUIRED)
    assert all(f"- **{kind}**" in skill.text() for kind in KINDS)
    assert ", ".join(grammar.RELATED_TYPES) in skill.text()
    assert str(grammar.SUMMARY_LIMIT) in skill.text()


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize("example", EXAMPLES, ids=KINDS)
def test_examples_are_canonical(example: str, eol: str) -> None:
    document = parse(".squad/decisions.md", with_eol(example, eol))
    [record] = document.records
    assert with_eol(entry_text(record), eol) == document.text
    assert engine.check([document], engine.Selection(ignore=("MD",))) == []


def test_there_is_an_example_of_each_kind() -> None:
    kinds = [parse(".squad/decisions.md", example).records[0].kind for example in EXAMPLES]
    assert sorted(kinds) == sorted(KINDS)


def test_its_own_text_is_no_log() -> None:
    document = parse(PLACE, skill.text())
    assert document.dialect is None
    assert engine.check([document], engine.Selection()) == []


def test_it_is_shown_and_listed(cli: Cli) -> None:
    assert cli("skill").out.startswith(f"{NAME}  ")
    assert cli("skill", "--json").json() == [{"name": NAME, "description": skill.DESCRIPTION}]
    assert cli("skill", NAME).out == skill.text()
    assert cli("skill", NAME, "--json").json()["text"] == skill.text()


def test_it_is_installed_once(cli: Cli) -> None:
    assert cli("skill", NAME, "--install", "--json").json() == {
        "name": NAME,
        "path": PLACE,
        "written": True,
        "removed": [],
        "undo": 1,
    }
    assert Path(PLACE).read_text("utf-8") == skill.text()
    assert cli("skill", NAME, "--install", "--json").json() == {"name": NAME, "path": PLACE, "written": False}


def test_a_file_that_differs_is_kept_unless_forced(cli: Cli) -> None:
    Path(PLACE).parent.mkdir(parents=True)
    Path(PLACE).write_text("mine\n", "utf-8")
    done = cli("skill", NAME, "--install")
    assert (done.code, done.out) == (3, "")
    assert done.err == f"memdown: {PLACE} exists with different text; --force overwrites it.\n"
    assert Path(PLACE).read_text("utf-8") == "mine\n"
    done = cli("skill", NAME, "--install", "--force")
    assert done.out == f"Wrote {PLACE}\nRemoved text from {PLACE} (1 line)\n`memdown undo` restores it.\n"
    assert Path(PLACE).read_text("utf-8") == skill.text()


def test_it_goes_to_the_home_that_is_there(cli: Cli) -> None:
    Path(".ai-team").mkdir()
    assert cli("skill", NAME, "--install", "--json").json()["path"] == f".ai-team/skills/{NAME}/SKILL.md"


def test_unknown_names_and_wrong_usage(cli: Cli) -> None:
    assert cli("skill", "none").err == "memdown: There is no skill 'none'; see `memdown skill`.\n"
    assert cli("skill", "--install").code == 2
