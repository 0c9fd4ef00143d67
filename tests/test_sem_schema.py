"""The JSON of an entry and its schema: what the reader returns fits, and what is wrong does not."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conftest import CORPUS, some
from memdown.acts.check import engine
from memdown.dialects import parse
from memdown.dialects.sem import grammar, schema, skill
from memdown.text import decode

LOG = ".squad/decisions.md"
WHOLE = Draft202012Validator(dict(schema.SCHEMA))
LEGACY = Draft202012Validator({"$ref": "#/$defs/legacy", "$defs": schema.SCHEMA["$defs"]})

FULL = """\
### 2026-02-15T14:32:15-0800: decision: Tests run on all cores

**type:** decision  
**timestamp:** 2026-02-15T14:32:15-0800  
**author:** Bob  
**contributors:** Ann, Carol  
**scope:** skill:squad-memory-format  
**tags:** tests, ci  
**supersedes:** 2026-02-10T09:00:00-0800, 2026-02-11T09:00:00-0800 other-title  
**expires:** 2026-12-31  

**summary:** The suite uses all cores.

**details:**

Eight of them.

**rationale:** It is faster.

**related:**
- issue: #18

---
"""
ENTRY = {
    "type": "decision",
    "timestamp": "2026-02-15T14:32:15-08:00",
    "author": "Bob",
    "contributors": ["Ann", "Carol"],
    "scope": "skill:squad-memory-format",
    "tags": ["tests", "ci"],
    "supersedes": ["2026-02-10T09:00:00-08:00", "2026-02-11T09:00:00-0800 other-title"],
    "expires": "2026-12-31",
    "summary": "The suite uses all cores.",
    "details": "Eight of them.",
    "rationale": "It is faster.",
    "related": [{"type": "issue", "identifier": "#18"}],
}


def entries(text: str, path: str = LOG) -> list[dict[str, Any]]:
    return [schema.entry(record) for record in parse(path, text).records]


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(dict(schema.SCHEMA))
    assert list(schema.SCHEMA["properties"]) == list(grammar.FIELDS)  # type: ignore[call-overload]


def test_a_whole_entry() -> None:
    [entry] = entries(FULL)
    assert entry == ENTRY
    assert list(entry) == list(grammar.FIELDS)
    WHOLE.validate(entry)


@pytest.mark.parametrize("example", re.findall(r"^````markdown\n(.*?)^````$", skill.text(), re.M | re.S))
def test_examples_fit(example: str) -> None:
    [entry] = entries(example)
    WHOLE.validate(entry)
    LEGACY.validate(entry)


@pytest.mark.parametrize(
    "change",
    [
        {"type": "insight"},
        {"timestamp": "2026-02-15T14:32:15-0800"},
        {"timestamp": "2026-02-15"},
        {"author": ""},
        {"summary": ""},
        {"summary": "x" * 121},
        {"scope": "backend"},
        {"scope": "agent:a, agent:b"},
        {"tags": "tests, ci"},
        {"expires": "soon"},
        {"related": [{"type": "ticket", "identifier": "18"}]},
        {"other": "x"},
    ],
    ids=str,
)
def test_what_is_wrong_does_not_fit(change: dict[str, object]) -> None:
    assert not WHOLE.is_valid({**ENTRY, **change})


@pytest.mark.parametrize("name", grammar.REQUIRED)
def test_required_fields_are_required(name: str) -> None:
    assert not WHOLE.is_valid({key: value for key, value in ENTRY.items() if key != name})


def test_legacy_entries_fit_the_variant() -> None:
    [dated, undated] = entries("### 2026-02-15: Retry\n\n**By:** Ann\n\n## Undated\n\nText.\n")
    assert dated["timestamp"] == "2026-02-15"
    assert undated == {"type": "decision", "scope": "team", "summary": "Undated", "details": "Text."}
    for entry in (dated, undated):
        LEGACY.validate(entry)
        assert not WHOLE.is_valid(entry)


def test_an_entry_with_faults_fits_the_variant() -> None:
    text = "### 2026-02-15T14:32Z: note:\n\n**scope:** all\n**expires:** soon\n\n**related:**\n- ticket: 1\n"
    [entry] = entries(text)
    assert entry == {
        "type": "note",
        "timestamp": "2026-02-15T14:32:00Z",
        "scope": "all",
        "expires": "soon",
        "summary": "",
        "related": [{"type": "ticket", "identifier": "1"}],
    }
    LEGACY.validate(entry)


def test_the_published_schema_is_this_one() -> None:
    published = Path(__file__).parents[1] / "docs" / "schema" / "sem-entry.json"
    assert json.loads(published.read_text("utf-8")) == schema.SCHEMA


PAGE = (Path(__file__).parents[1] / "docs" / "sem.md").read_text("utf-8")


def test_the_page_of_the_format_tells_every_field() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (yes|no) \| (.+?) \|.*\|$", PAGE, re.M)
    assert {name: told for name, _, told in rows} == grammar.FIELDS
    assert [name for name, required, _ in rows if required == "yes"] == list(grammar.REQUIRED)
    assert ", ".join(grammar.RELATED_TYPES) in PAGE


def test_the_example_of_the_page_is_canonical() -> None:
    example = PAGE.partition("```markdown\n")[2].partition("```\n")[0]
    found = engine.check([parse(LOG, example)], engine.Selection())
    assert [each.code for each in found] == ["SEM064"]  # what it points at is not on the page


@pytest.mark.corpus
def test_every_real_entry_fits(corpus: list[Path]) -> None:
    read = 0
    for path in some([path for path in corpus if path.suffix == ".md" and "sem" in path.parts], 4):
        document = parse(path.relative_to(CORPUS).as_posix(), decode(path.read_bytes()))
        for record in document.records if document.dialect == "sem" else ():
            entry = schema.entry(record)
            assert LEGACY.is_valid(entry), (path, record.line, entry)
            read += 1
    assert read > 1000
