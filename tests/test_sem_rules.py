"""Rules of logs on files as people have them: which line, which code, and what a fix makes of it."""

import re
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import CORPUS, draws, some
from memdown.acts.check import engine
from memdown.dialects import parse
from memdown.dialects.draft import draft
from memdown.dialects.sem.write import entry_text, prepare
from memdown.record import Document, Link, Record
from memdown.text import decode, with_eol

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SEM = engine.Selection(select=("SEM",))
LOG = ".squad/decisions.md"
read = partial(parse, now=NOW)

CANONICAL = """\
# Decisions

### 2026-02-10T09:00:00-0800: decision: Tests run on two cores

**type:** decision  
**timestamp:** 2026-02-10T09:00:00-0800  
**author:** Ann  
**scope:** team  
**tags:** tests, ci  

**summary:** The test suite uses two cores at most.

**details:**

A runner has two cores. With four workers the suite is slower.

**rationale:** Measured: 81 s with two workers, 94 s with four.

**related:**
- issue: #18
- pr: #42

---

### 2026-02-15T14:32:15-0800: decision: Tests run on all cores

**type:** decision  
**timestamp:** 2026-02-15T14:32:15-0800  
**author:** Bob  
**contributors:** Ann  
**scope:** agent:fact-checker  
**supersedes:** 2026-02-10T09:00:00-0800  
**expires:** 2026-12-31T00:00:00-0800  

**summary:** The new runners have eight cores, so the suite uses all of them.

**rationale:** 31 s instead of 81 s.

**related:**
- decision: 2026-02-10T17:00:00+0000

---
"""

DAMAGED = """\
### Context

A title was here once.

## 2026-02-15T22:32Z: Decision:  Tests run on all cores

**Author:** Bob
**scope:** agent:bob, agent:ann
**tags:** #tests, ci
**supersedes:** 2026-01-01T00:00:00-0800
**expires:** 2026-01-31
**Sprint:** 12

**summary:**

The new runners have eight cores.

**related:**
- ticket: 18
- see the wiki
### 2026-02-30T10:00:00+0000: note: No such day

**type:** insight
**timestamp:** around noon

**details:** One.

---

Two.

~~~sh
make test

Three.

### 2026-02-20T10-00-00: note: As a file name

**type:** memory
**timestamp:** 2026-02-21T10:00:00+0100
**author:**
**author:** Bob
**scope:** application engineers

**details:**

```yaml
---
```

## Numbers

---

### 2099-01-01: Caches ΓÇö cold (superseded by 2026-03-01)

**By:** Ann

### ---

## Retry

**By:** Ann
"""
EXPECTED = """\
1 SEM004
5 SEM012
5 SEM023
5 SEM023
5 SEM025
5 SEM034
5 SEM050
5 SEM051
5 SEM056
7 SEM026
8 SEM041
9 SEM045
10 SEM064
11 SEM060
11 SEM061
11 SEM062
12 SEM027
14 SEM031
16 SEM055
19 SEM043
20 SEM044
21 SEM010
21 SEM030
21 SEM032
21 SEM051
23 SEM024
24 SEM011
28 SEM052
32 SEM054
37 SEM013
37 SEM015
37 SEM032
39 SEM020
40 SEM021
41 SEM030
42 SEM028
43 SEM040
48 SEM053
51 SEM058
55 SEM001
55 SEM006
55 SEM016
55 SEM073
59 SEM003
61 SEM002
""".splitlines()


def told(document: Document) -> list[str]:
    """Lines and codes of all findings, in that order."""
    found = [(document.lines.position(each.span.start)[0], each.code) for each in engine.check([document], SEM)]
    return [f"{line} {code}" for line, code in sorted(found)]


def fixed(document: Document, *, unsafe: bool = False) -> Document:
    return engine.fixed(document, SEM, read, unsafe=unsafe)


@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
def test_a_canonical_log_has_no_findings(eol: str) -> None:
    assert told(read(LOG, with_eol(CANONICAL, eol))) == []


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_each_fault_is_told_at_its_line(eol: str) -> None:
    assert told(read(LOG, with_eol(DAMAGED, eol))) == EXPECTED


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_safe_fixes_keep_the_line_ends_and_the_entries(eol: str) -> None:
    before = read(LOG, with_eol(DAMAGED, eol))
    after = fixed(before)
    assert with_eol(after.text, eol) == after.text
    assert [record.title for record in after.records] == [record.title for record in before.records]
    assert fixed(after).text == after.text


def test_safe_fixes_make_an_entry_canonical() -> None:
    before = """\
## 2026-02-15T22:32Z: Decision:  Tests run on all cores ##
**Author:** Bob
**tags:** #tests, `ci`
**expires:** 2026-12-31

The new runners have eight cores.

**rationale:** 31 s instead of 81 s.
"""
    assert (
        fixed(read(LOG, before)).text
        == """\
### 2026-02-15T22:32:00+0000: decision: Tests run on all cores
**type:** decision  
**timestamp:** 2026-02-15T22:32:00+0000  
**author:** Bob
**tags:** tests, ci
**expires:** 2026-12-31T23:59:59+0000

**details:**

The new runners have eight cores.

**rationale:** 31 s instead of 81 s.

---
"""
    )


def test_a_terminator_is_added_before_the_next_entry_and_nowhere_else() -> None:
    entry = "### 2026-02-15T14:32:15-0800: note: {}\n\n**author:** Ann\n"
    text = entry.format("One") + entry.format("Two") + "\nText\n\n\n" + entry.format("Three")
    only = engine.Selection(select=("SEM051",))
    after = engine.fixed(read(LOG, text), only, read).text
    assert after.count("\n\n---\n") == 3
    assert after.replace("\n---\n\n", "", 1) != after
    assert [record.title for record in read(LOG, after).records] == ["One", "Two", "Three"]
    assert not engine.check([read(LOG, after)], only)


def test_a_stamp_with_a_fraction_is_not_rewritten_without_asking() -> None:
    text = CANONICAL.replace("2026-02-15T14:32:15-0800", "2026-02-15T14:32:15.250-0800")
    assert fixed(read(LOG, text)).text == text
    assert "14:32:15-0800: decision" in fixed(read(LOG, text), unsafe=True).text


def test_a_field_that_spells_the_instant_otherwise_sets_the_heading() -> None:
    text = CANONICAL.replace("### 2026-02-15T14:32:15-0800", "### 2026-02-15T22:32:15+0000")
    document = read(LOG, text)
    assert told(document) == ["25 SEM022"]
    assert fixed(document).text == CANONICAL


@pytest.mark.parametrize(
    ("written", "codes"),
    [
        ("2026-02-15T14:32:15-0800", []),
        ("2026-02-15T14:32:15-08:00", ["SEM012"]),
        ("2026-02-15T14:32:15Z", ["SEM012"]),
        ("2026-02-15t14:32:15z", ["SEM012"]),
        ("2026-02-15T14:32Z", ["SEM012"]),
        ("2026-02-15 14:32 UTC", ["SEM012"]),
        ("2026-02-15T14:32:15", ["SEM013"]),
        ("2026-02-15", ["SEM014"]),
        ("2026-02-15T14-32-15Z", ["SEM015"]),
        ("2026-02-15T143215-0800", ["SEM015"]),
        ("2026-13-15T14:32:15-0800", ["SEM010"]),
        ("2026-02-15T14:32:15+9900", ["SEM010"]),
        ("2026-03-02T11:00:00+0000", []),
        ("2026-03-02T13:00:00+0000", ["SEM016"]),
    ],
)
def test_spellings_of_a_timestamp(written: str, codes: list[str]) -> None:
    text = f"### {written}: note: The cache is warm\n\n**author:** Ann\n"
    found = engine.check([read(LOG, text)], engine.Selection(select=("SEM01",)))
    assert [each.code for each in found] == codes


def test_without_a_clock_nothing_is_in_the_future_or_over() -> None:
    text = "### 2099-01-01T00:00:00+0000: note: A\n\n**author:** Ann\n**expires:** 1999-01-01T00:00:00+0000\n"
    codes = {each.code for each in engine.check([parse(LOG, text)], SEM)}
    assert not codes & {"SEM016", "SEM060"}


def test_an_unknown_type_in_a_heading_with_fields_is_told() -> None:
    text = "### 2026-02-15T14:32:15-0800: insight: The cache is warm\n\n**type:** insight\n**author:** Ann\n"
    [found] = engine.check([read(LOG, text)], engine.Selection(select=("SEM024",)))
    assert found.span.of(text) == "insight"
    text = "### 2026-02-15: The cache is warm\n\n**type:** insight\n**author:** Ann\n"
    [found] = engine.check([read(LOG, text)], engine.Selection(select=("SEM024",)))
    assert found.span.of(text) == "insight"
    assert not list(engine.check([read(LOG, text.replace("type", "Type"))], engine.Selection(select=("SEM024",))))


def test_a_time_that_is_none_is_told_below_an_older_heading() -> None:
    heads = ("### yesterday: note: The cache is warm", "### 2026-02-15: The cache is warm", "### The cache is warm")
    for head in heads:
        text = f"{head}\n\n**type:** note\n**timestamp:** yesterday\n**author:** Ann\n"
        [found] = engine.check([read(LOG, text)], engine.Selection(select=("SEM011",)))
        assert (found.severity, found.span.of(text), found.span.start) == (
            "error",
            "yesterday",
            text.rindex("yesterday"),
        )
        text = text.replace("**timestamp:** yesterday", "**timestamp:** 2026-02-15")
        assert not list(engine.check([read(LOG, text)], engine.Selection(select=("SEM011",))))


def test_legacy_is_never_an_error() -> None:
    text = """\
# Team Decisions

### 2026-02-30: No such day
**By:** Ann

### 2026-02-10: Decision: Use two cores
**By:** Bob (Lead)
**What:** Two.

# Decision: Whole document

**Supersedes:** other-file.md
"""
    found = engine.check([read(LOG, text)], SEM)
    assert {each.code for each in found} == {"SEM001", "SEM002", "SEM064"}
    assert {each.severity for each in found} == {"info"}
    assert found[0].message.startswith("3 entries are in the legacy format; `memdown convert ")


def test_files_with_mixed_formats_are_told_once() -> None:
    text = CANONICAL + "\n### 2026-02-20: Old shape\n\n**By:** Ann\n"
    assert told(read(LOG, text)) == ["44 SEM001"]


ENTRY = "### {}: {}: {}\n\n**type:** {}\n**author:** Ann\n**supersedes:** {}\n\n---\n\n"
T1, T2, T3 = "2026-02-01T10:00:00+0000", "2026-02-02T10:00:00+0000", "2026-02-03T10:00:00+0000"


def links(*documents: Document) -> list[tuple[str, str]]:
    found = engine.check(documents, engine.Selection(select=("SEM06",)))
    return [(each.code, each.message) for each in found]


def test_supersedes_is_resolved_over_all_files() -> None:
    archive = read(".squad/decisions-archive.md", f"### {T1}: note: One\n\n**author:** Ann\n\n---\n")
    log = read(LOG, ENTRY.format(T2, "note", "Two", "note", "2026-02-01T11:00:00+0100"))
    assert [code for code, _ in links(log)] == ["SEM064"]
    assert links(log, archive) == []


def test_supersedes_prefers_the_same_type_and_then_the_title() -> None:
    twins = f"### {T1}: note: One\n\n**author:** A\n\n---\n\n### {T1}: decision: Other\n\n**author:** A\n\n---\n\n"
    assert links(read(LOG, twins + ENTRY.format(T2, "note", "Two", "note", T1))) == []
    [(code, message)] = links(read(LOG, twins + ENTRY.format(T2, "memory", "Two", "memory", T1)))
    assert (code, message) == ("SEM065", f"'{T1}' may be any of {LOG}:1, {LOG}:7; write the title after the timestamp.")
    assert links(read(LOG, twins + ENTRY.format(T2, "memory", "Two", "memory", f"{T1} other"))) == []


def test_a_copy_in_the_archive_makes_nothing_ambiguous() -> None:
    one = f"### {T1}: note: One\n\n**author:** Ann\n\n---\n\n"
    log = read(LOG, one + ENTRY.format(T2, "note", "Two", "note", T1))
    assert links(log, read(".squad/decisions-archive.md", one)) == []


def test_circles_are_errors_and_what_leads_into_them_is_not() -> None:
    circle = ENTRY.format(T1, "note", "One", "note", T2) + ENTRY.format(T2, "note", "Two", "note", T1)
    into = ENTRY.format(T3, "note", "Three", "note", T1)
    assert [code for code, _ in links(read(LOG, circle + into))] == ["SEM066", "SEM066"]
    assert [code for code, _ in links(read(LOG, ENTRY.format(T1, "note", "One", "note", T1)))] == ["SEM066"]


def test_related_entries_are_looked_for_too() -> None:
    text = CANONICAL.replace("- decision: 2026-02-10T17:00:00+0000", "- decision: 2026-02-11T17:00:00+0000")
    assert [code for code, _ in links(read(LOG, text))] == ["SEM064"]


def test_distinct_directives_of_a_day_are_not_two_versions() -> None:
    text = "### 2026-02-15: User directive\n\n**What:** One.\n\n### 2026-02-15: User directive\n\n**What:** Two.\n"
    assert "SEM071" not in {each.code for each in engine.check([read(LOG, text)], SEM)}


def test_an_inbox_entry_that_was_merged_is_told() -> None:
    text = "### 2026-02-15: Retry\n\n**By:** Ann\n"
    inbox = read(".squad/decisions/inbox/ann-retry.md", text)
    [found] = engine.check([read(LOG, text), inbox], engine.Selection(select=("SEM072",)))
    assert (found.path, found.message) == (inbox.path, f"'Retry' is at {LOG}:1 too; remove one of the two.")
    elsewhere = read("other/.squad/decisions.md", text)
    assert engine.check([elsewhere, inbox], engine.Selection(select=("SEM072",))) == []


def test_what_follows_a_terminated_entry_is_not_its_text() -> None:
    entry = CANONICAL.partition("### 2026-02-15")[0]
    document = read(LOG, entry + "\n## Governance\n\n- Ann decides.\n")
    assert "Governance" not in (document.records[0].body or "") + str(document.records[0].extra)
    assert told(document) == []


def test_text_before_details_is_not_lost() -> None:
    text = "### 2026-02-15T14:32:15-0800: note: A\n\n**author:** Ann\n\nBefore.\n\n**details:** After.\n\n---\n"
    document = read(LOG, text)
    assert document.records[0].body == "Before.\n\nAfter."
    assert "SEM055" in {each.code for each in engine.check([document], SEM)}
    assert fixed(document).records[0].body == "Before.\n\nAfter."


def test_text_in_two_places_is_read_without_the_fields_between() -> None:
    text = "### 2026-02-15T14:32:15-0800: note: A\n\nOne.\n\n**author:** Ann\n\nTwo.\n\n---\n"
    document = read(LOG, text)
    assert (document.records[0].body, document.records[0].author) == ("One.\n\nTwo.", "Ann")
    assert fixed(document).records[0].body == "One.\n\nTwo."


def test_years_before_1000_survive_a_fix() -> None:
    text = "### 0999-02-15T14:32Z: note: A\n\n**author:** Ann\n"
    assert "### 0999-02-15T14:32:00+0000: note: A" in fixed(read(LOG, text)).text


def test_a_hostile_log_is_checked_in_linear_time() -> None:
    entry = ENTRY.format(T1, "note", "Same", "note", T1)
    text = entry * 500 + "### 2026-02-15T14:32:15-0800: note: A\n" + "**details:**\n```\n---\n" * 500
    assert engine.check([read(LOG, text)], SEM)


def meaning(record: Record) -> object:
    """What a canonical entry says; the text of a legacy one is as it is."""
    if record.extra["form"] != "sem":
        return record.title
    at = record.at.instant() if record.at else None
    return record.kind, at, record.author, record.summary, record.body, record.tags, record.links


PIECES = st.lists(
    st.sampled_from(
        [
            "### 2026-02-15T14:32:15-0800: decision: Title\n",
            "## 2026-02-15T14:32Z: Note: Title ##\n",
            "#### 2026-02-15T14-32-15Z : memory:Title\n",
            "### 2026-02-15T14:32:15: directive:\n",
            "### 2026-02-15: Old title\n",
            "### 2026-02-15: decision: Half\n",
            "## Context\n",
            "# Decision: Document\n",
            "### ---\n",
            "**type:** Decision\n",
            "**Type:**\n",
            "**timestamp:** 2026-02-15T22:32:15Z  \n",
            "**author:** Ann\n",
            "**By:** Ann\n",
            "**tags:** #a, `b`, ,c\n",
            "**expires:** 2026-02-20\n",
            "**summary:** One\n",
            "**details:**\n",
            "**related:** issue: #1, ticket: 2\n",
            "**Rationale:** because\n",
            "Text\n",
            "```\n",
            "~~~~ yaml\n",
            "---\n",
            "  ---\n",
            "\\---\n",
            "\n",
            "\r\n",
            "\x0c\n",
        ]
    ),
    max_size=25,
)


@draws(300)
@given(PIECES, st.sampled_from([LOG, ".squad/agents/ann/history.md", ".squad/decisions/inbox/a.md"]))
def test_safe_fixes_keep_entries_and_end(pieces: list[str], path: str) -> None:
    before = read(path, "".join(pieces))
    after = fixed(before)
    assert [record.title for record in after.records] == [record.title for record in before.records]
    assert list(map(meaning, after.records)) == list(map(meaning, before.records))
    assert fixed(after).text == after.text
    again = fixed(after, unsafe=True)
    assert fixed(again, unsafe=True).text == again.text


LINE = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=40).filter(str.strip)


@draws(100)
@given(LINE, LINE, st.text(max_size=200).filter(lambda text: not re.search("[\ud800-\udfff]", text)))
def test_what_is_written_has_no_findings_but_those_about_its_text(title: str, author: str, details: str) -> None:
    given = draft("note", title, author=author, summary="S", text=details, related=[Link("issue", "#1")])
    record = prepare(given, NOW)
    found = engine.check([read(LOG, entry_text(record))], SEM)
    assert {each.code for each in found} <= {"SEM006", "SEM053", "SEM054", "SEM058", "SEM042", "SEM073"}


@pytest.fixture(scope="module")
def logs(corpus: list[Path]) -> list[Document]:
    """Every real log, read once."""
    files = [path for path in corpus if path.suffix == ".md" and "sem" in path.parts]
    found = [read(path.relative_to(CORPUS).as_posix(), decode(path.read_bytes())) for path in files]
    return [document for document in found if document.dialect == "sem"]


@pytest.mark.corpus
def test_real_logs_keep_their_entries_through_safe_fixes(logs: list[Document]) -> None:
    for before in some(logs, 11):
        after = fixed(before)
        assert [record.title for record in after.records] == [record.title for record in before.records], before.path


@pytest.mark.corpus
def test_real_logs_are_legacy_and_never_wrong(logs: list[Document]) -> None:
    found = engine.check(logs, SEM)
    assert not [each for each in found if each.severity == "error"]
    assert {"SEM001", "SEM003", "SEM005", "SEM006", "SEM070", "SEM072", "SEM073"} <= {each.code for each in found}


@pytest.mark.parametrize("heading", ["### 2026-02-15: T", "### 2026-02-15T14:32:15-0800: note: T"])
def test_a_date_that_differs_from_the_heading_is_told(heading: str) -> None:
    for day, codes in (("2026-02-11", ["SEM017"]), ("2026-02-15", [])):
        text = f"{heading}\n\n**author:** Ann\n**Date:** {day}\n"
        assert [each.code for each in engine.check([read(LOG, text)], engine.Selection(select=("SEM017",)))] == codes


def test_required_fields_are_errors() -> None:
    bare = "### 2026-02-15T14:32:15-0800: note: T\n\n**author:** Ann\n"
    found = engine.check([read(LOG, bare)], SEM)
    assert sorted(each.code for each in found if each.severity == "error") == ["SEM023", "SEM023", "SEM032"]
    found = engine.check([read(LOG, f"{bare}\n**summary:** {'a' * 121}\n")], SEM)
    assert "SEM033" in {each.code for each in found if each.severity == "error"}
    short = f"{bare}\n**summary:** {'a' * 110} <!-- memdown merge: the other side had: b -->\n"
    assert "SEM033" not in {each.code for each in engine.check([read(LOG, short)], SEM)}


def test_a_time_that_no_calendar_has_is_not_copied_to_a_field() -> None:
    text = "### 2026-99-99T14:32:15-0800: note: T\n\n**type:** note\n**author:** Ann\n"
    [missing] = engine.check([read(LOG, text)], engine.Selection(select=("SEM023",)))
    assert (missing.message.endswith("add `**timestamp:** …`."), missing.fix) == (True, None)
    [empty] = engine.check([read(LOG, f"{text}**timestamp:**\n")], engine.Selection(select=("SEM023",)))
    assert empty.fix is None


def test_older_names_of_fields_are_told() -> None:
    text = "### 2026-02-15T14:32:15-0800: note: T\n\n**By:** Ann\n**What:** Text.\n"
    found = engine.check([read(LOG, text)], engine.Selection(select=("SEM026", "SEM027", "SEM030")))
    assert [each.code for each in found] == ["SEM026", "SEM026"]
    assert not any(each.fix and each.fix.safe for each in found)


SIGNED = "### 2026-02-15: Use SQLite\n\n**By:** Ann\n\nOne file.\n\n"


@pytest.mark.parametrize(
    ("below", "codes"),
    [
        ("---\n\n**Date:** 2026-02-16\n**By:** Bob\n\nTests first.\n", ["SEM063"]),
        ("---\n\n**By:** Bob\n\n## Context\n\nTests first.\n", ["SEM063"]),
        ("---\n\n**Author:** Ann\n", []),
        ("---\n\n**Author:** Ann\n\n### 2026-02-16: Tests first\n\n**By:** Bob\n\ntext\n", []),
        ("```\n---\n\n**By:** Bob\n\ntext\n```\n", []),
        ("---\n\nMore of it.\n", []),
        ("```\n\n### 2026-02-16: Tests first\n\n**By:** Bob\n\n```\nmake test\n```\n", ["SEM059"]),
        ("```markdown\n### 2026-02-16: Tests first\n```\n", []),
        ("```\nmake test\n```\n", []),
    ],
)
def test_entries_that_are_written_and_not_read_are_found(below: str, codes: list[str]) -> None:
    chosen = engine.Selection(select=("SEM059", "SEM063"))
    assert [each.code for each in engine.check([read(LOG, SIGNED + below)], chosen)] == codes


def test_a_heading_that_only_groups_entries_needs_no_date() -> None:
    text = "# Decisions\n\n## Phase 0\n\n### 2026-03-14: Use A\n\n**By:** Ann\n**What:** A.\n"
    assert "SEM002" not in {each.code for each in engine.check([read(LOG, text)], SEM)}


def test_a_date_that_names_no_day_is_said() -> None:
    [found] = [
        each
        for each in engine.check([read(LOG, "# D\n\n## Use A\n\n**By:** Ann | **Date:** 2026-04\n")], SEM)
        if each.code == "SEM002"
    ]
    assert "has the date '2026-04', which is not a valid day" in found.message
