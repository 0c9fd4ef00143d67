"""Logs of entries: what is read, in the canonical form and in every legacy shape."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import CORPUS
from memdown import Memory
from memdown.acts.check import account
from memdown.dialects import parse
from memdown.dialects.sem import KINDS, grammar, split
from memdown.record import Record
from memdown.text import decode

LOG = ".squad/decisions.md"
INBOX = ".squad/decisions/inbox/ann-x.md"
HISTORY = ".squad/agents/bob/history.md"

ENTRY = """\
### 2026-02-15T14:32:15-0800: decision: One pool for all

**type:** decision  
**timestamp:** 2026-02-15T14:32:15-0800  
**author:** Ann  
**contributors:** Bob, Cem  
**scope:** team  
**tags:** database, `pool`, #v0.3  
**supersedes:** 2026-02-10T09:15:00-0800  
**expires:** 2027-01-01T00:00:00+0000  

**summary:** All services share one pool.

**details:**

The pool has three sizes:
- `small` for scripts
- `large` for services

```yaml
---
### 2026-01-01: not an entry
**author:** nobody
```

**Note:** capitals are text.

**rationale:** One pool is easier to watch.

**related:**
- proposal: 024
- issue: #18
- decision: 2026-02-10T09:15:00-0800

---
"""


def read(text: str, path: str = LOG) -> list[Record]:
    return list(parse(path, text).records)


def day(record: Record) -> str | None:
    return record.at.text[:10] if record.at else None


def titles(text: str, path: str = LOG) -> list[str | None]:
    return [record.title for record in read(text, path)]


# Canonical entries


@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
def test_a_canonical_entry(eol: str) -> None:
    [entry] = read(ENTRY.replace("\n", eol))
    assert (entry.kind, entry.title, entry.author) == ("decision", "One pool for all", "Ann")
    assert entry.summary == "All services share one pool."
    assert entry.at
    assert (entry.at.rfc3339(), entry.at.precision) == ("2026-02-15T14:32:15-08:00", "second")
    assert (entry.contributors, entry.scope) == (("Bob", "Cem"), "team")
    assert entry.tags == ("database", "pool", "v0.3")
    assert [(link.type, link.target) for link in entry.links] == [
        ("supersedes", "2026-02-10T09:15:00-0800"),
        ("proposal", "024"),
        ("issue", "#18"),
        ("decision", "2026-02-10T09:15:00-0800"),
    ]
    assert entry.body
    assert entry.body.startswith("The pool has three sizes:\n- `small`")
    assert entry.body.endswith("**Note:** capitals are text.")
    assert "**author:** nobody" in entry.body
    assert entry.extra["rationale"] == "One pool is easier to watch."
    assert entry.extra["expires"] == "2027-01-01T00:00:00+0000"
    assert (entry.line, entry.end_line) == (1, ENTRY.count("\n"))


def test_the_minimal_entry_has_its_text_as_details() -> None:
    [entry] = read(
        "### 2026-02-15T14:32:15-0800: decision: T\n\n**type:** decision  \n**author:** Ann  \n\nThe text.\n"
    )
    assert (entry.author, entry.summary, entry.body) == ("Ann", "T", "The text.")


@pytest.mark.parametrize(
    ("stamp", "rfc3339"),
    [
        ("2026-02-15T14:32:15Z", "2026-02-15T14:32:15Z"),
        ("2026-02-15T14:32:15+08:00", "2026-02-15T14:32:15+08:00"),
        ("2026-02-15T14:32Z", "2026-02-15T14:32:00Z"),
        ("2026-02-15T14:32:15.123-0800", "2026-02-15T14:32:15.123000-08:00"),
        ("2026-02-15T14-32-15Z", "2026-02-15T14:32:15Z"),
        ("2026-02-15T143215-0800", "2026-02-15T14:32:15-08:00"),
        ("2026-02-15", "2026-02-15"),
    ],
)
def test_timestamps_in_other_spellings(stamp: str, rfc3339: str) -> None:
    [entry] = read(f"### {stamp}: note: T\n\n**author:** Ann  \n\n---\n")
    assert entry.extra["form"] == "sem"
    assert entry.at
    assert entry.at.rfc3339() == rfc3339


@pytest.mark.parametrize(
    "header",
    ["## 2026-02-15T14:32:15-0800: decision: T", "#### 2026-02-15T14:32:15-0800: Decision:  T",
     "###  2026-02-15T14:32:15-0800:  DECISION: T ###"],
)  # fmt: skip
def test_headers_in_other_spellings(header: str) -> None:
    [entry] = read(f"{header}\n\n**author:** Ann  \n")
    assert (entry.kind, entry.title, entry.author, entry.extra["form"]) == ("decision", "T", "Ann", "sem")


def test_three_dashes_end_an_entry_only_before_a_heading_or_the_end() -> None:
    text = ENTRY.replace("**Note:** capitals", "---\n\nMore.\n\n**Note:** capitals") + "\n## Section\n\nprose\n"
    entry, section = read(text)
    assert entry.body
    assert "---\n\nMore." in entry.body
    assert text[entry.span.end :].startswith("\n\n## Section")
    assert section.title == "Section"


def test_other_headings_are_text_of_an_entry() -> None:
    [entry] = read(ENTRY.replace("**Note:**", "## Plan\n\n### Steps\n\n# Whole\n\n**Note:**"))
    assert entry.body
    assert "## Plan\n\n### Steps\n\n# Whole" in entry.body


def test_default_scopes() -> None:
    def scope(kind: str, author: str) -> str | None:
        return read(f"### 2026-02-15T14:32:15-0800: {kind}: T\n\n**author:** {author}  \n")[0].scope

    assert [scope(kind, "Ann (Lead)") for kind in KINDS] == ["team", "agent:Ann", "team", "team"]


@pytest.mark.parametrize("line", ["- issue: #18", "* issue: #18", "issue: #18"])
def test_related_lines_with_and_without_bullets(line: str) -> None:
    [entry] = read(f"### 2026-02-15T14:32:15-0800: note: T\n\n**author:** A  \n\n**related:**\n{line}\n\n---\n")
    assert [(link.type, link.target) for link in entry.links] == [("issue", "#18")]


def test_related_on_one_line() -> None:
    [entry] = read("### 2026-02-15T14:32:15-0800: note: T\n\n**author:** A  \n**related:** issue: #18, pr: #42\n")
    assert [(link.type, link.target) for link in entry.links] == [("issue", "#18"), ("pr", "#42")]


def test_legacy_and_canonical_entries_in_one_file() -> None:
    text = (
        f"# Decisions\n\n### 2026-02-01: Old\n**By:** Bob\n**What:** x\n\n{ENTRY}\n## Later\n\n### 2026-03-01 — New\n"
    )
    assert titles(text) == ["Old", "One pool for all", "Later", "New"]


def test_twins_have_ids_of_their_own_whatever_their_order() -> None:
    def entry(text: str) -> str:
        return f"### 2026-01-05: Same\n**By:** Ann\n\n{text}\n\n"

    one, two, again = read(entry("One.") + entry("Two.") + entry("Two."))
    assert len({one.id, two.id, again.id}) == 3
    assert [each.id for each in read(entry("Two.") + entry("Two.") + entry("One."))] == [two.id, again.id, one.id]


def test_ids_do_not_depend_on_other_entries() -> None:
    first = "### 2026-02-01: A\n\ntext\n\n"
    assert read(first + ENTRY)[0].id == read(first)[0].id
    assert len({record.id for record in read(first * 3 + ENTRY)}) == 4


# Legacy headings: every shape is an entry with its date


@pytest.mark.parametrize(
    ("heading", "title", "date"),
    [
        ("### 2026-03-05: Use SQLite", "Use SQLite", "2026-03-05"),
        ("### 2026-03-05T18:14:00Z: Use SQLite", "Use SQLite", "2026-03-05"),
        ("### 2026-03-05T18:14Z: Use SQLite", "Use SQLite", "2026-03-05"),
        ("### 2026-03-05T07-22-14: Use SQLite", "Use SQLite", "2026-03-05"),
        ("### 2026-03-05T18:14:00.1234567+02:00: Use SQLite", "Use SQLite", "2026-03-05"),
        ("### 2026-03-05T2215: Use SQLite", "Use SQLite", "2026-03-05"),
        ("### 2026-03-05 18:14 Use SQLite", "Use SQLite", "2026-03-05"),
        ("### 2026-03-05 — Use SQLite", "Use SQLite", "2026-03-05"),
        ("### 2026-03-05 Use SQLite", "Use SQLite", "2026-03-05"),
        ("### 2026-03-05/06: Use SQLite", "Use SQLite", "2026-03-06"),
        ("### Use SQLite (2026-03-05)", "Use SQLite", "2026-03-05"),
        ("### Use SQLite — 2026-03-05", "Use SQLite", "2026-03-05"),
        ("### Use SQLite (2026-03-05, consolidated)", "Use SQLite (2026-03-05, consolidated)", "2026-03-05"),
        ("### 2026-03-05: Decision: Use SQLite", "Use SQLite", "2026-03-05"),
        ("### 2026-03-05: User directive — Use SQLite", "Use SQLite", "2026-03-05"),
        ("## 2026-03-05: Use SQLite", "Use SQLite", "2026-03-05"),
        ("# 2026-03-05 — Use SQLite", "Use SQLite", "2026-03-05"),
        ("#### 2026-03-05: Use SQLite", "Use SQLite", "2026-03-05"),
        ("   ### 2026-03-05: Use SQLite", "Use SQLite", "2026-03-05"),
        ("## # 2026-03-05: Use SQLite", "Use SQLite", "2026-03-05"),
        ("# Decision: Use SQLite", "Use SQLite", None),
        ("## Decision: Use SQLite", "Use SQLite", None),
        ("### Decision: Use SQLite", "Use SQLite", None),
        ("### Decision 4\n**By:** Ann", "Decision 4", None),
    ],
)
def test_legacy_headings(heading: str, title: str, date: str | None) -> None:
    [record] = read(f"{heading}\n\nSome text.\n")
    assert (record.title, day(record)) == (title, date)


def test_a_date_is_a_day_and_a_time_is_more() -> None:
    assert [
        record.at and record.at.precision for record in read("### 2026-03-05: A\n\n### 2026-03-05T18:14Z: B\n")
    ] == [
        *("day", "minute"),
    ]


@pytest.mark.parametrize(
    ("lines", "author", "contributors"),
    [
        ("**By:** Ann", "Ann", ()),
        ("**Author:** Ann (Lead)", "Ann (Lead)", ()),
        ("**By**: Ann", "Ann", ()),
        ("- **By:** Ann  ", "Ann", ()),
        ("> **By:** Ann", "Ann", ()),
        ("**Decided by:** Ann", "Ann", ()),
        ("**By:** Ann + Bob", "Ann + Bob", ("Bob",)),
        ("**By:** Ann, Bob and Cem", "Ann, Bob and Cem", ("Bob", "Cem")),
        ("**By:** Ann (via Copilot)", "Ann (via Copilot)", ()),
        ("**By:** Ann\n**Requested by:** Dee", "Ann", ("Dee",)),
        ("**By:** Bob\n**Author:** Ann", "Ann", ()),
        ("**Date:** 2026-03-05 | **Author:** Ann | **Status:** done", "Ann", ()),
        ("Date: 2026-03-05\nAuthor: Ann", "Ann", ()),
        ("**By:** Ann**Date:** 2026-03-05**Issues:** #61", "Ann", ()),
        ("**Date:** 2026-03-05 **By:** Ann", "Ann", ()),
        ("---\ntitle: T\nauthor: Ann\ndate: 2026-03-05\n---", "Ann", ()),
        ("**Filed by:** Ann", "Ann", ()),
        ("**Reviewer:** Ann (Lead)", "Ann (Lead)", ()),
        ("**Reviewer:** Bob\n**By:** Ann", "Ann", ()),
        ("**Autor:** Ann", "Ann", ()),
        ("**Directive by:** Ann (via Copilot)", "Ann (via Copilot)", ()),
        ("**Published by:** Ann\n**Requested by:** Dee", "Ann", ("Dee",)),
        ("**Captured:** Ann (via Copilot)", "Ann (via Copilot)", ()),
        ("**Agents:** Ann (Lead) + Bob", "Ann (Lead) + Bob", ("Bob",)),
        ("**Coordinator:** Ann", "Ann", ()),
        ("**Session Coordinator:** Ann", "Ann", ()),
        ("**Initiators:** Ann (audit) + Bob (audit)", "Ann (audit) + Bob (audit)", ("Bob",)),
        ("**Coordinator:** Updated the status of two todos", None, ()),
        ("**Coordinator:** (automated spawn)", None, ()),
        ("**Analyst:** Ann", "Ann", ()),
        ("**Orchestrator:** Ann (background)", "Ann (background)", ()),
        ("**Source:** Ann (via Copilot)", "Ann (via Copilot)", ()),
        ("**Origin:** Ann (via Scribe, as asked)", "Ann (via Scribe, as asked)", ()),
        ("**Source:** Ann", None, ()),
        ("**Owner:** Bob\n**From:** Ann", "Ann", ()),
        ("**Captured:** 2026-03-05T10:00:00Z", None, ()),
        ("**Reviewer:** Ann approved. All requirements are met.", None, ()),
        ("**By:** Ann, supported by Bob and Cem", "Ann, supported by Bob and Cem", ("Bob", "Cem")),
        ("**Requested by:** Dee", None, ("Dee",)),
        ("**Requested by:** Dee (PM), Eve", None, ("Dee", "Eve")),
        ("**Filed by:** Ann\n**Decision owner:** Dee", "Ann", ()),
        ("**Executed by:** Ann (Dev)", "Ann (Dev)", ()),
        ("**Owner:** Ann (Lead) — knows the schema, and is a natural choice.", "Ann (Lead)", ()),
        ("**By:** Ann (only logs — nobody else took part in it)", "Ann (only logs — nobody else took part in it)", ()),
        ("**By:** Ann — Backend Lead", "Ann — Backend Lead", ()),
        ("**By:** Ann\n**Approved by:** Dee — 2026-06-24 (as proposed in the meeting)", "Ann", ("Dee",)),
        ("**Status:** open", None, ()),
        ("* Deciders: Ann, Bob", "Ann, Bob", ("Bob",)),
        ("Deciders: [Ann, Bob]", "Ann, Bob", ("Bob",)),
        ("**Decider(s):** Ann", "Ann", ()),
        ("Proposed by: Ann", "Ann", ()),
        ("_Author: Ann_", "Ann", ()),
        ("> Author: Ann", "Ann", ()),
        ("**Verfasser:** Ann", "Ann", ()),
        ("**Автор:** Анна", "Анна", ()),
        ("**作者：** 安", "安", ()),
        ("**By:** Ann\n**Co-authors:** Bob, Cem", "Ann", ("Bob", "Cem")),
        ("**Author:** Ann <ann@example.com>", "Ann <ann@example.com>", ()),
        ("**Stakeholders:** Ann", None, ()),
        ("**Made by:** Ann", "Ann", ()),
        ("**Decision maker(s):** Ann, Bob", "Ann, Bob", ("Bob",)),
        ("**Assistant:** Claude", "Claude", ()),
        ("**Von:** Jörg", "Jörg", ()),
        ("**Décidé par :** Zoé", "Zoé", ()),
        ("**Decidido por:** Íñigo", "Íñigo", ()),
        ("**决策者**：韩梅梅", "韩梅梅", ()),
        ("**担当者：** 田中", "田中", ()),
        ("**By:** multiple", None, ()),
        ("**By:** Ann, on behalf of the team", "Ann", ()),
        ("**By:** Ann (Lead), correcting Bob's claim", "Ann (Lead)", ()),
        ("**By:** Ann, Bob van Dam", "Ann, Bob van Dam", ("Bob van Dam",)),
        ("**By:** Ann on 2026-03-01", "Ann", ()),
        ("**By:** Ann (2026-03-01)", "Ann", ()),
        ("**By:** Ann (Lead, since 2026-03-01)", "Ann (Lead, since 2026-03-01)", ()),
        ("By: Ann | Status: Open", "Ann", ()),
        ("Author: Ann · Contributors: Bob", "Ann", ("Bob",)),
        ("By: Ann | Bob", "Ann | Bob", ()),
        ("Decided 2026-03-01 by Ann", "Ann", ()),
        ("> Proposed by Ann on March 2, 2026", "Ann", ()),
        ("<sub>by Ann</sub>", "Ann", ()),
        ("— Ann", "Ann", ()),
        ("— Accepted", None, ()),
        ("-- and more of it", None, ()),
        ("Text.\n\n— Ann (Lead)", "Ann (Lead)", ()),
        ("Text.\n\n-- Ann", "Ann", ()),
        ("Text.\n\n*Decided by Ann*", "Ann", ()),
        ("Text.\n— Ann", None, ()),
        ("> Less is more.\n\n— Mies", None, ()),
        ("Text.\n\n— Ann\n\nMore text.", None, ()),
    ],
)
def test_legacy_authors(lines: str, author: str | None, contributors: tuple[str, ...]) -> None:
    text = "" if "\n\n" in lines else "text\n"
    [record] = read(f"### 2026-03-05: T\n{lines}\n\n{text}")
    assert (record.author, record.contributors) == (author, contributors)


@pytest.mark.parametrize(
    ("lines", "day", "source"),
    [
        ("**Status:** Accepted (2026-03-01)", "2026-03-01", "status"),
        ("**Status:** Implemented (Ann, 2026-03-01)", "2026-03-01", "status"),
        ("**Status:** ✅ Decided March 1, 2026", "2026-03-01", "status"),
        ("**Status:** Accepted (2026-03-01)\n**Date:** 2026-02-01", "2026-02-01", None),
        ("**Status:** Blocked until 2026-03-01", None, None),
        ("**Decision Date:** 2026-03-01", "2026-03-01", None),
        ("**Decided by:** Ann on 2026-03-01", "2026-03-01", None),
        ("**By:** Ann (Lead), 2026-03-01", None, None),
    ],
)
def test_when_an_entry_was_in_other_places(lines: str, day: str | None, source: str | None) -> None:
    [record] = read(f"## T\n{lines}\n\ntext\n")
    assert record.at is None if day is None else record.at and record.at.local.date().isoformat() == day
    assert record.extra.get("at_from") == source


@pytest.mark.parametrize(
    ("title", "author"),
    [
        ("Use X (@ann)", "@ann"),
        ("Use X — @ann-lee", "@ann-lee"),
        ("Use X (by Ann)", "Ann"),
        ("Use X - by Ann Lee", "Ann Lee"),
        ("Use X, asked by Ann", None),
        ("Use X (by hand)", None),
        ("Use X (Ann)", None),
    ],
)
def test_a_title_says_who_it_is_by(title: str, author: str | None) -> None:
    [record] = read(f"### 2026-03-05: {title}\n\ntext\n")
    assert (record.author, record.extra.get("author_from")) == (author, "title" if author else None)


def test_a_name_with_a_day_at_the_end_of_two_headings_signs() -> None:
    heads = ("One (Ann, 2026-03-01)", "Two (Ann, 2026-03-02)", "Three (Bob, 2026-03-03)", "Four (Updated, 2026-03-04)")
    found = read("".join(f"## {head}\n\ntext\n\n" for head in (*heads, "Five (Updated, 2026-03-05)")))
    assert [each.author for each in found] == ["Ann", "Ann", None, None, None]


def test_a_document_with_plain_labels_is_an_entry_with_all_its_sections() -> None:
    text = "# ADR 5: Use X\n\nDate: 2026-03-01\nAuthor: Ann\n\n## Context\n\nx\n\n## Findings of it\n\ny\n\n"
    found = read(f"# Decisions\n\n---\n\n{text}# Numbers\n\nDate: 2026-03-02\nStatus: done\nBy: Bob\n\n## More\n\nz\n")
    assert [(each.title, each.author, each.at and each.at.text) for each in found] == [
        ("ADR 5: Use X", "Ann", "2026-03-01"),
        ("Numbers", "Bob", "2026-03-02"),
    ]


def test_a_document_that_is_pasted_whole_is_one_entry_though_nobody_signs_it() -> None:
    sections = "## Decision\n\nDo it.\n\n## Rollout rules\n\nSlowly.\n\n"
    text = f"# Squad Decisions\n\n### 2026-03-01: A\n**By:** Ann\n\n---\n\n# Lead — The plan\n\n{sections}# Code — The rest\n\n{sections}"
    assert [each.title for each in read(text)] == ["A", "Lead — The plan", "Code — The rest"]
    wrapped = f"## Decision: the-rest\n# Code — The rest\n\n{sections}"
    front = "## Decision: audit\n---\ntitle: Audit\nauthor: Ann\n---\n\nText.\n"
    titles = [each.title for each in read(f"# Decisions\n\n---\n\n# Lead — The plan\n\n{sections}{wrapped}{front}")]
    assert titles == ["Lead — The plan", "the-rest", "Code — The rest", "audit"]
    plain = f"# Decisions\n\nText.\n\n# More decisions\n\n{sections}"
    assert "More decisions" not in [each.title for each in read(plain)]


def test_dated_lines_between_the_entries_of_a_log_are_decisions() -> None:
    lines = [
        "- 2026-03-01 (Ann): Use X",
        "- **2026-03-02** - Use Y - by Bob",
        "* [2026-03-03] Use Z",
        "**2026-03-04 — Use Q**",
    ]
    found = read(
        "\n".join(["# Decisions", "", *lines, "", "### 2026-03-05: R", "**By:** Ann", "", "- 2026-03-06: text"])
    )
    assert [(each.kind, each.title, each.author, each.form) for each in found] == [
        ("decision", "Use X", "Ann", "bullet"),
        ("decision", "Use Y - by Bob", "Bob", "bullet"),
        ("decision", "Use Z", None, "bullet"),
        ("decision", "Use Q", None, "bullet"),
        ("decision", "R", "Ann", "dated"),
    ]


@pytest.mark.parametrize(
    ("title", "author"),
    [
        ("Ann — Colours of the board", "Ann"),
        ("Ann: Colours of the board", "Ann"),
        ("Ann - Colours of the board", "Ann"),
        ("Ann (Lead) — Colours of the board", "Ann"),
        ("Ann Decision — Colours of the board", "Ann"),
        ("Ann's Review: Colours of the board", "Ann"),
        ("Colours of the board (Ann)", "Ann"),
        ("Decision Record: Colours of the board (Ann)", "Ann"),
        ("Colours of the board — Ann", "Ann"),
        ("Colours of the board — Ann (Platform Dev)", "Ann"),
        ("Board — First colours (Ann)", "Ann"),
        ("Colours of the board — Bob (Platform Dev)", None),
        ("Colours of the board — ask Ann", None),
        ("Bob — Colours of the board", None),
        ("Questions for Ann", None),
        ("Questions (for Ann)", None),
        ("Annotations — Colours", None),
        ("Ann", None),
    ],
)
def test_a_title_signs_with_a_name_that_signs_elsewhere_in_the_file(title: str, author: str | None) -> None:
    first, second = read(f"### 2026-03-04: Fonts\n**By:** Ann (Lead)\n\ntext\n\n### 2026-03-05: {title}\n\ntext\n")
    assert (first.author, second.author) == ("Ann (Lead)", author)
    assert "author_from" not in first.extra
    [alone] = read(f"### 2026-03-05: {title}\n\ntext\n")
    assert alone.author is None
    both = read(f"### 2026-03-04: Fonts\n**By:** Cem (Dev), Ann (Lead)\n\ntext\n\n### 2026-03-05: {title}\n\ntext\n")
    assert both[1].author == author


@pytest.mark.parametrize(
    ("entry", "author"),
    [
        ("Ann — Colours\n**Owner:** Bob", "Ann"),
        ("Ann — Colours\n**Owner:** Ann (Lead)", "Ann (Lead)"),
        ("Colours\n**Owner:** Bob", "Bob"),
        ("Colours\n**Status:** Implemented (Ann, 2026-03-05)", "Ann"),
        ("Colours\n**Status:** Implemented (Cem, 2026-03-05)", None),
        ("Colours\n**Status:** Decided (Ann + Cem)", "Ann"),
        ("Colours\n**Status:** Approved (Ann)", None),
        ("Colours\n**Status:** Implemented (see Ann)", None),
    ],
)
def test_who_signs_goes_before_whose_task_it_is(entry: str, author: str | None) -> None:
    [_, found] = read(f"### 2026-03-04: Fonts\n**By:** Ann (Lead)\n\ntext\n\n### 2026-03-05: {entry}\n\ntext\n")
    assert found.author == author


def test_a_name_that_has_a_status_with_its_day_twice_signs() -> None:
    entry = "### D{0}: Colours\n**Status:** Implemented ({1}, 2026-03-0{0})\n\ntext\n\n"
    found = read(entry.format(1, "Ann") + entry.format(2, "Ann") + entry.format(3, "Bob"))
    assert [each.author for each in found] == ["Ann", "Ann", None]


@pytest.mark.parametrize(
    ("body", "author"),
    [
        ("## Manifest\n**Agent:** Ann (Dev)\n\n## Outcome\nDone.", "Ann (Dev)"),
        ("## Manifest\nTwo changes.\n\n## First\n**Agent:** Ann\n\n## Second\nDone.", None),
        ("## Manifest\n**Agent:** Ann\n**Agent:** Bob", None),
        ("## Outcome\nDone.\n\n---\n**Logged by:** Ann", "Ann"),
        ("## Outcome\nDone.\n\n**Logged by:** the one who was there at the time", None),
    ],
)
def test_the_log_of_a_session_names_its_agent_or_who_kept_it(body: str, author: str | None) -> None:
    [record] = parse(".squad/log/2026-03-03-board.md", f"# Session: board\n\n**Date:** 2026-03-03\n\n{body}\n").records
    assert record.author == author


def test_the_title_and_the_file_of_an_orchestration_log_go_before_a_label_that_says_more_than_who_wrote() -> None:
    text = "# Ann (Dev)\n\n**Date:** 2026-03-03\n**Initiated by:** User manifest\n"
    [record] = parse(".squad/orchestration-log/_archive/2026-03-03-ann.md", text).records
    assert record.author == "Ann"
    text = "# Code Review: names\n\n**Agent:** Review Team\n"
    [record] = parse(".squad/orchestration-log/2026-03-03-code-review.md", text).records
    assert record.author == "Review Team"


@pytest.mark.parametrize(("name", "author"), [("glenn-pizza.md", "Glenn"), ("pizza.md", None), ("glen-pizza.md", None)])
def test_a_dropped_file_is_signed_by_its_name_and_its_title(name: str, author: str | None) -> None:
    text = "# Glenn Decision — Pizza on Fridays\n\n- **Requested by:** Dee\n\nOn Fridays.\n"
    [record] = parse(f".squad/decisions/inbox/{name}", text).records
    assert record.author == author


@pytest.mark.parametrize(
    ("title", "file", "author"),
    [
        ("Orchestration: Vi (Backend Dev)", "2026-03-03T150144-vi", "Vi"),
        ("Agent Orchestration: Brett (Infrastructure)", "2026-03-18T10-00-brett-round2", "Brett"),
        ("Orchestration Log — Code Agent", "2026-03-24T02-40-39Z-code", "Code"),
        ("Parker — Lint baseline", "2026-03-16T14-24-23Z-parker-lint", "Parker"),
        ("Bart Spawn", "2026-03-24T16-40-00Z-bart", "Bart"),
        ("Bart-B — Lint baseline", "2026-03-24T16-40-00Z-bart-b-spawn", "Bart-B"),
        ("Orchestration Log — Lead Review", "2026-03-23T00-00-00Z-lead", "Lead"),
        ("Orchestration Log: Branch Repair — 9 pull requests", "2026-03-14T18-00-00Z-branch-repair", None),
        ("Orchestration Log: Release session", "2026-03-24T1107-release-session", None),
        ("Orchestration: Vi (Backend Dev)", "2026-03-03T150144-ann", None),
    ],
)
def test_whose_work_an_orchestration_log_is(title: str, file: str, author: str | None) -> None:
    [record] = parse(f".squad/orchestration-log/{file}.md", f"# {title}\n\n**Date:** 2026-03-03\n\nDone.\n").records
    assert record.author == author


def test_a_row_of_an_orchestration_log_says_whose_work_it_is() -> None:
    table = "| Field | Value |\n|---|---|\n| **Agent routed** | Wash (Frontend Dev) |\n| **Mode** | `background` |\n"
    text = f"### 2026-02-10T13:38 — Frontend exploration\n\n{table}"
    [record] = parse(".ai-team/orchestration-log/2026-02-10T13-38-wash.md", text).records
    assert record.author == "Wash (Frontend Dev)"


def test_a_team_update_ends_with_its_author() -> None:
    lines = (
        "Use X — decided by Ann",
        "Audit of Y — reviewed by Bob",
        "Z shipped. — Ann",
        "W is done — COMPLETE",
        "V. — Scribe",
    )
    text = "# History\n\n" + "".join(f"📌 Team update (2026-03-05): {line}\n\n" for line in lines)
    found = parse(".squad/agents/cem/history.md", text).records
    assert [(each.title, each.author) for each in found if each.kind == "note"] == [
        ("Use X", "Ann"),
        ("Audit of Y", "Bob"),
        ("Z shipped.", "Ann"),
        ("W is done — COMPLETE", None),
        ("V.", "Scribe"),
    ]


def test_labels_are_kept_with_their_words() -> None:
    [record] = read(
        "### 2026-03-05: T\n**By:** Ann\n**What:** a\n**Why:** b\n**Status:** done\n**Issue:** #4\n**PR:** #5, #6\n"
    )
    assert (record.extra["What"], record.extra["Why"], record.status) == ("a", "b", "done")
    assert [(link.type, link.target) for link in record.links] == [("issue", "#4"), ("pr", "#5"), ("pr", "#6")]


# What an existing reader of these files does, which its users depend on


@pytest.mark.parametrize("text", ["", " \n\n", "<!-- nothing\nyet -->\n"])
def test_01_nothing_in_nothing(text: str) -> None:
    assert read(text) == []


def test_02_to_04_headings() -> None:
    assert titles("# Decisions\n\n## T\n**Date:** 2026-02-01\n") == ["T"]
    assert [(r.title, day(r)) for r in read("### 2026-02-10: T\n")] == [("T", "2026-02-10")]
    assert titles("### 2026-02-02 T\n") == ["T"]


def test_05_a_range_counts_as_its_last_day() -> None:
    assert [(r.title, day(r)) for r in read("### 2026-02-14/15: T\n")] == [("T", "2026-02-15")]


def test_06_to_08_sub_sections_are_no_entries() -> None:
    assert titles("## Decision: Use X\n\n### Context\n\na\n\n### Decision\n\nb\n") == ["Use X"]
    assert titles("## Context\n\na\n\n## Use TypeScript\n\nb\n") == ["Use TypeScript"]
    assert titles("## Items deferred to later\n\n- a\n") == []


def test_09_to_11_the_date_field() -> None:
    assert day(read("## T\n**Date:** 2026-02-14, refined 2026-02-15\n")[0]) == "2026-02-14"
    assert day(read("## T\n**Date:**    2026-02-01   \n")[0]) == "2026-02-01"
    assert day(read("### 2026-02-15: T\n**Date:** 2026-01-01\n")[0]) == "2026-01-01"


def test_12_13_directives_and_authors() -> None:
    [directive] = read("## User directive — Add Tests\n")
    assert (directive.title, directive.kind) == ("Add Tests", "directive")
    assert [record.author for record in read("## A\n**Author:** A\n\n## B\n**By:** B\n")] == ["A", "B"]


def test_14_content_and_place() -> None:
    [record] = read("# Decisions\n\n## T\n\nline 1\n\nline 2\n")
    assert record.body == "line 1\n\nline 2"
    assert (record.path, record.line) == (LOG, 3)


def test_15_to_18_order_dates_and_odd_headings() -> None:
    assert titles("## A\n\n## B\n\n### 2026-02-10: C\n") == ["A", "B", "C"]
    assert read("## A\n")[0].at is None
    assert titles("## # Malformed\n") == ["Malformed"]
    assert titles("## T\r\n**Date:** 2026-02-01\r\n") == ["T"]


def test_19_to_23_short_long_and_foreign() -> None:
    assert day(read("## T\n**Date:** 2026-02-01")[0]) == "2026-02-01"
    assert titles(f"## {'x' * 300}\n") == ["x" * 300]
    assert titles("## 日本語 Decision 🚀\n") == ["日本語 Decision 🚀"]
    assert len(read("### 2026-02-01: T\n\n### 2026-02-02: T\n")) == 2
    assert len(read("## A\n**date:** 2026-02-01\n\n## B\n**DATE:** 2026-02-01\n")) == 2


def test_24_a_mixed_file() -> None:
    text = (
        "# Decisions\n\n## Vision\n\nv\n\n## 2026-02-01: Initial Setup\n\ns\n\n## Decision: Adopt TypeScript\n\n"
        "### Context\n\nc\n\n### Rationale\n\nr\n\n### 2026-02-10: Use Vite\n\nu\n\n## Core Features\n\nf\n\n"
        "### 2026-02-14/15: Parser Rewrite\n\np\n"
    )
    assert titles(text) == ["Initial Setup", "Adopt TypeScript", "Use Vite", "Parser Rewrite"]


def test_25_to_29_documents_pasted_whole() -> None:
    text = "# Decision: T\n\n**Date:** 2026-02-01\n**Author:** Ann\n**Issue:** #4\n\n## Context\n\nc\n\n## Decision\n\nd\n\n## Rationale\n\nr\n"
    [record] = read(text)
    assert (record.title, day(record), record.author) == ("T", "2026-02-01", "Ann")
    assert record.body
    assert "## Rationale\n\nr" in record.body
    assert titles("# Decision: A\n\na\n\n# Decision: B\n\nb\n") == ["A", "B"]
    assert (read("# Decision: A\n")[0].at, read("# Decision: A\n")[0].author) == (None, None)
    assert titles("# Decision: A\n\na\n\n# Decisions\n\n## B\n") == ["A", "B"]
    assert titles("# Team Decisions\n\ntext\n") == []


@pytest.mark.parametrize(
    ("text", "title", "date"),
    [
        ("# T\n\n**Date:** 2026-02-01\n**Author:** Ann\n", "T", "2026-02-01"),
        ("## T\n\ntext\n", "T", None),
        ("### 2026-03-01: T\n", "T", "2026-03-01"),
        ("# 2026-02-10: T\n", "T", "2026-02-10"),
        ("# 2026-02-14/15: T\n", "T", "2026-02-15"),
        ("# Decision: T\n", "T", None),
        ("# Design Decision: T\n", "T", None),
        ("# User directive — T\n", "T", None),
        ("no heading\n", "Untitled Decision", None),
        ("# T\n\n## Plan\n\n## Other words\n\n### More\n", "T", None),
    ],
)
def test_30_to_37_a_file_in_the_drop_box_is_one_entry(text: str, title: str, date: str | None) -> None:
    [record] = read(text, INBOX)
    assert (record.title, day(record)) == (title, date)


def test_38_39_folders_are_read_together(tmp_path: Path) -> None:
    assert list(Memory(tmp_path).records()) == []
    for name, text in {
        LOG: "### 2026-02-01: A\n",
        INBOX: "# 2026-02-03: B\n",
        ".squad/decisions/archive/2026-Q1.md": "### 2026-02-02: C\n",
        ".squad/decisions/notes.txt": "### 2026-02-02: D\n",
        ".squad/charter.md": "## E\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert [record.title for record in Memory(tmp_path).find()] == ["B", "C", "A"]


def test_40_one_bad_file_does_not_hide_the_others() -> None:
    assert titles("\x00\x07\udcff## \x1b\n\n### 2026-02-01: A\n")[-1] == "A"


# Histories


@pytest.mark.parametrize(
    ("below", "titles"),
    [
        ("## Second\n**By:** Bo\n\ntext\n", ["First", "Second"]),
        ("### Second\n\n- **Author**: Bo\n", ["First", "Second"]),
        ("---\n\n## Second\n**Date:** 2026-03-06\n", ["First", "Second"]),
        ("## Second\n**Date:** 2026-03-06\n**By:** Bo\n", ["First", "Second"]),
        ("## Second\n**Date:** 2026-03-06\n", ["First"]),
        ("## Second\n\ntext\n\n**By:** Bo\n", ["First"]),
        ("#### Second\n**By:** Bo\n", ["First"]),
        ("## Context\n**By:** Bo\n", ["First"]),
    ],
)
def test_what_is_signed_at_once_is_an_entry_below_a_document_too(below: str, titles: list[str]) -> None:
    found = read(f"# Decision: First\n\n**By:** Ann\n**Date:** 2026-03-05\n\ntext\n\n{below}")
    assert [record.title for record in found] == titles


def test_a_section_of_a_history_that_is_dated_at_once_is_a_memory() -> None:
    text = "# Ann\n\n## Tests\n- **Date**: 2026-03-05\n\ntext\n\n## Core Context\n\ntext\n\n# Verdict\n**Date:** 2026-03-06\n\ntext\n"
    found = read(text, ".squad/agents/ann/history.md")
    assert [(each.title, each.at and each.at.text) for each in found] == [
        ("Tests", "2026-03-05"),
        ("Verdict", "2026-03-06"),
    ]


def test_a_dated_bullet_in_brackets_has_its_whole_time() -> None:
    text = "# Ann\n\n## Learnings\n\n- [2026-02-28 22:16:01 -03:00] Build: passed.\n- [2026-02-27] Slow\n- **2026-02-26**: Fast\n"
    found = read(text, ".squad/agents/ann/history.md")
    assert [(each.title, each.at and each.at.text) for each in found] == [
        ("Build: passed.", "2026-02-28 22:16:01 -03:00"),
        ("Slow", "2026-02-27"),
        ("Fast", "2026-02-26"),
    ]


def test_histories_hold_memories_of_their_agent() -> None:
    text = (
        "# Project Context\n\n- **Owner:** Dee\n\n## Learnings\n\n### Spies (2026-02-07)\n\na\n\n### Undated\n\nb\n\n"
        "- **2026-02-08: Mocks leak**\n- **Fixtures (2026-02-09)**\n\n"
        "📌 Team update (2026-02-10): Use SQLite — decided by Ann\n\n## Learnings\n\n### 2026-02-11: Again\n"
    )
    found = read(text, HISTORY)
    assert [(record.kind, record.title, day(record), record.author) for record in found] == [
        ("memory", "Spies", "2026-02-07", "bob"),
        ("memory", "Undated", None, "bob"),
        ("memory", "Mocks leak", "2026-02-08", "bob"),
        ("memory", "Fixtures", "2026-02-09", "bob"),
        ("note", "Use SQLite", "2026-02-10", "Ann"),
        ("memory", "Again", "2026-02-11", "bob"),
    ]
    assert found[0].extra["author_from"] == "path"


# Damage


def test_headings_in_code_begin_nothing() -> None:
    assert titles("### 2026-02-01: A\n\n```md\n### 2026-02-02: B\n```\n\n~~~~\n```\n### 2026-02-03: C\n~~~~\n") == ["A"]


def test_a_fence_that_is_never_closed_hides_only_its_own_entry() -> None:
    text = "### 2026-02-01: A\n\n```sh\nmake\n# comment\n## more\n\n### 2026-02-02: B\n\n## C\n"
    assert titles(text) == ["A", "B", "C"]


def test_a_log_that_begins_in_the_middle_of_an_entry() -> None:
    assert titles("### Context\n\nlost\n\n### 2026-02-01: A\n") == ["A"]


def test_dashes_do_not_end_a_legacy_entry() -> None:
    [record] = read("### 2026-02-01: A\n\nx\n\n---\n\ny\n---\nz\n")
    assert record.body == "x\n\n---\n\ny\n---\nz"


def test_separators_made_headings_are_no_entries() -> None:
    assert titles("### 2026-02-01: A\n\n### ---\n\n## ---\n\ntext\n") == ["A"]


def test_lines_end_at_cr_and_lf_only() -> None:
    assert titles("### 2026-02-01: A\x0b### 2026-02-02: B\x85### C\u2028### D\n") == [
        "A\x0b### 2026-02-02: B\x85### C\u2028### D"
    ]
    assert titles("### 2026-02-01: A\r### 2026-02-02: B\r\r\n### 2026-02-03: C\n") == ["A", "B", "C"]


def test_an_impossible_date_is_an_entry_without_one() -> None:
    [record] = read("### 2026-02-30: A\n")
    assert (record.title, record.at) == ("A", None)


def test_a_byte_order_mark_hides_nothing() -> None:
    assert titles("\ufeff### 2026-02-01: A\n") == ["A"]


# Any text


FRAGMENTS = st.lists(
    st.sampled_from(
        ["# ", "## ", "### ", "#### ", "2026-02-01", "T14:32:15-0800", ": ", "decision: ", "Context", "title", "\n", "\n\n",
         "\r\n", "\r", "---\n", "```\n", "~~~\n", "```js\n", "**By:** Ann\n", "**author:** Ann  \n", "**details:**\n", "📌 ",
         "(2026-02-01)", "- ", "**", "\\", "\x00", "\ufeff", " "]
    ),
    max_size=40,
).map("".join)  # fmt: skip


@given(FRAGMENTS, st.sampled_from([LOG, INBOX, HISTORY, ".squad/log/2026-02-01-x.md"]))
def test_any_text_is_read_and_its_parts_cover_it(text: str, path: str) -> None:
    document = parse(path, text)
    for record in document.records:
        assert 0 <= record.span.start <= record.span.end <= len(text)
    assert len({record.id for record in document.records}) == len(document.records)
    parts = split.split(text, grammar.part_of(path) or "log")
    assert "".join(text[part.start : part.end] for part in parts) == text or not text


# What belongs to the file

GOVERNANCE = "## Governance\n\n- All meaningful changes require team consensus\n"


@pytest.mark.parametrize(
    "above",
    [
        "### 2026-02-10: Use Vite\n\n**By:** Ann\n\n## Context\n\nc\n\n",
        "### Use Vite (2026-02-10)\n\nText.\n\n",
        "### Decision: Use Vite\n\n**By:** Ann\n\n---\n\n",
        "## 2026-02-10: Use Vite\n\n### Archive\n\na\n\n",
        "## Use Vite\n\nText.\n\n",
        "## Active Decisions\n\n# Decision: Use Vite\n\n## Context\n\nc\n\n",
        "### 2026-02-10T10:00:00+0000: decision: Use Vite\n\n**author:** Ann  \n\n**details:**\n\n## Plan\n\nText.\n\n",
    ],
)
@pytest.mark.parametrize("below", ["", "\n### 2026-02-11: Later\n\nText.\n"])
@pytest.mark.parametrize("name", ["Governance", "Archive:", "How to Use This File"])
def test_a_section_of_the_file_is_in_no_entry(above: str, below: str, name: str) -> None:
    section = GOVERNANCE.replace("Governance", name)
    text = f"# Decisions\n\n{above}{section}{below}"
    found = read(text)
    assert [record.title for record in found] == ["Use Vite", *(["Later"] if below else [])]
    assert text[found[0].span.end :].startswith(section)
    assert "consensus" not in (found[0].body or "")
    owners = [(run.of, run.kind) for run in account.runs(parse(LOG, text), account.kinds(parse(LOG, text), []))]
    assert (name, "prose") in owners


def test_a_section_of_an_entry_may_have_such_a_name() -> None:
    [document] = read(f"# Decision: Use Vite\n\n**Author:** Ann\n\n{GOVERNANCE}")
    assert "consensus" in (document.body or "")
    for below in ("", "### 2026-02-11: Later\n"):
        terminated = ENTRY.replace("**Note:**", f"{GOVERNANCE}\n**Note:**") + below
        assert "consensus" in (read(terminated)[0].body or "")
    [signed] = read(f"### 2026-02-10T10:00:00+0000: note: T\n\n**details:**\n\n{GOVERNANCE}\n**rationale:** Fast.\n")
    assert "consensus" in (signed.body or "")
    [dropped] = read(f"# T\n\n{GOVERNANCE}", INBOX)
    assert "consensus" in (dropped.body or "")
    assert "### Archive" in (read("### 2026-02-10: T\n\n### Archive\n\na\n")[0].body or "")


def test_sections_of_a_history() -> None:
    text = "# SUMMARY (as of 2026-02-10)\n\nShort.\n\n## Core Context\n\nc\n\n## Learnings\n\n### Vite is fast\n\nt\n"
    first, second = read(text, HISTORY)
    assert (first.body, second.title) == ("Short.", "Vite is fast")


@pytest.mark.corpus
def test_real_logs(corpus: list[Path]) -> None:
    """Dated headings become entries of that date, signed entries get their author."""
    dated = right = signed = named = 0
    for path in corpus:
        name = path.relative_to(CORPUS).as_posix()
        part = grammar.part_of(name)
        if not name.startswith("sem/") or part is None:
            continue
        text = decode(path.read_bytes())
        by_start = {record.span.start: record for record in parse(name, text).records[::-1]}
        for heading in split.headings(text)[0]:
            match = re.search(r"\d{4}-\d{2}-\d{2}(?: ?(?:to|through|→|–) ?(?=\d{4}-\d{2}-))?", heading.title)
            if match and heading.level <= 4:
                record = by_start.get(heading.at)
                dated += 1
                last = heading.title[match.end() :][:10] if len(match.group()) > 10 else match.group()
                right += record is not None and day(record) == last
        for record in by_start.values():
            line = re.search(r"^[ \t>*-]*\*\*(?:By|Author)(?::\*\*|\*\*:)[ \t]*(\S.*)$", record.body or "", re.M)
            if part in ("log", "archive", "inbox") and line and line.start() < 400:
                signed += 1
                named += record.author is not None
    assert dated > 3000
    assert right / dated >= 0.98
    assert named / signed >= 0.95


OLD_FIELDS = """### 2026-02-10T14:30:15-0800: decision: Use SQLite
**By:** Ann (Lead)
**What:** One file for everything.

More of it.
**Why:** Nobody runs a server here.
**Status:** Accepted

---
"""


def test_a_canonical_heading_over_older_fields() -> None:
    [entry] = read(OLD_FIELDS)
    assert entry.extra["form"] == "sem"
    assert (entry.author, entry.body) == ("Ann (Lead)", "One file for everything.\n\nMore of it.")
    assert (entry.rationale, entry.extra["Status"]) == ("Nobody runs a server here.", "Accepted")
    own = OLD_FIELDS.replace("**What:**", "**author:** Bo\n**What:**").replace("**Status:** Accepted", "**details:** D")
    [entry] = read(own)
    assert (entry.author, entry.extra["By"], entry.body) == ("Bo", "Ann (Lead)", "D")


@pytest.mark.parametrize("label", ["- **{}:** ", "* **{}**: ", "**{}**: ", "**{} :** "])
def test_older_fields_in_bullets_and_with_the_colon_outside(label: str) -> None:
    text = "### 2026-02-10T14:30:15-0800: decision: Use SQLite\n"
    text += "".join(
        f"{label.format(name)}{value}\n" for name, value in (("By", "Ann"), ("What", "One"), ("Why", "Two"))
    )
    [entry] = read(text)
    assert (entry.author, entry.body, entry.rationale) == ("Ann", "One", "Two")
    [entry] = read("### 2026-02-10T14:30:15-0800: note: Use SQLite\n\n- **Speed:** fast\n- **Note**: small\n")
    assert entry.body == "- **Speed:** fast\n- **Note**: small"


def test_text_after_dashes_is_in_no_rationale() -> None:
    text = """### 2026-02-10T14:30:15-0800: decision: Use SQLite

**author:** Ann

**details:** One file.

**rationale:** Nobody runs a server here.

---

A greeting to all.
"""
    [entry] = read(text)
    assert (entry.rationale, entry.body) == ("Nobody runs a server here.", "One file.\n\nA greeting to all.")


@pytest.mark.parametrize(
    ("heading", "title", "at"),
    [
        ("### [2025-08-04T01:57:57Z] Use SQLite: one file", "Use SQLite: one file", "2025-08-04T01:57:57Z"),
        ("### [2025-08-04 01:57:57] - Use SQLite", "Use SQLite", "2025-08-04 01:57:57"),
        ("## Use SQLite [2025-08-04T01:57:57Z]", "Use SQLite", "2025-08-04T01:57:57Z"),
        ("## Use SQLite — March 20, 2026", "Use SQLite", "March 20, 2026"),
        ("### 20 March 2026: Use SQLite", "Use SQLite", "20 March 2026"),
        ("### 2026/03/20 Use SQLite", "Use SQLite", "2026/03/20"),
        ("## Use SQLite (#564, 2026-07-22)", "Use SQLite (#564)", "2026-07-22"),
        ("## Recent work (as of 2026-07-22)", "Recent work (as of 2026-07-22)", "2026-07-22"),
        ("## Use SQLite (round 2 — 2026-07-22)", "Use SQLite (round 2)", "2026-07-22"),
        ("## 2026-07-22: Ignore .squad/**/history.md", "Ignore .squad/**/history.md", "2026-07-22"),
        ("## url_for() — 2026-07-22", "url_for()", "2026-07-22"),
        ("## 2026-07-21a: Use SQLite", "Use SQLite", "2026-07-21"),
        ("## 2026-05-05T19:49:26Z & 2026-05-05T20:35:59Z: Use SQLite", "Use SQLite", "2026-05-05T20:35:59Z"),
        ("## 2026-07-21 and 2026-07-22: Use SQLite", "Use SQLite", "2026-07-22"),
        ("## 2026-07-21 → 2026-07-22: Use SQLite", "Use SQLite", "2026-07-22"),
        ("## 2026-07-21 through 2026-07-22: Use SQLite", "Use SQLite", "2026-07-22"),
        ("## 2026-07-21 a plan", "a plan", "2026-07-21"),
        ("## **2026-07-21: Use SQLite** now", "Use SQLite now", "2026-07-21"),
        ("## 2026-07-21: Pass `**kwargs` on", "Pass `**kwargs` on", "2026-07-21"),
        ("## 2026-07-21: 2 ** 3 and **bold**", "2 ** 3 and bold", "2026-07-21"),
    ],
)
def test_titles_without_their_dates_and_marks(heading: str, title: str, at: str) -> None:
    [entry] = read(f"{heading}\n\n**By:** Ann\n\nText.\n")
    assert (entry.title, entry.at and entry.at.text) == (title, at)


def test_a_date_that_can_be_read_in_two_ways_is_none() -> None:
    [entry] = read("## Use SQLite (03/04/2026)\n\n**By:** Ann\n\nText.\n")
    assert (entry.title, entry.at) == ("Use SQLite (03/04/2026)", None)


@pytest.mark.parametrize(
    ("path", "part"),
    [
        (".squad/decisions.archive/2026-05-31_decisions.md", "archive"),
        (".squad/decisions-archive/2026-05.md", "archive"),
        (".squad/history.md", "history"),
        (".squad/identity/history.md", None),
    ],
)
def test_archives_in_a_folder_of_their_own_and_the_history_of_the_team_are_read(path: str, part: str | None) -> None:
    assert grammar.part_of(path) == part


def test_titles_of_lines_have_no_stray_marks() -> None:
    text = (
        "- **2026-07-21: Wave 1 complete** — **Context:** all\n📌 **Team update (2026-07-22): Done** — decided by Ann\n"
    )
    found = read(text, ".squad/agents/ann/history.md")
    assert [each.title for each in found] == ["Wave 1 complete — Context: all", "Done"]


def test_each_repeated_decision_section_is_one_decision() -> None:
    once = (
        "## Decision\n\n[2025-08-04 01:57:57] - Use SQLite: one file.\n\n## Rationale\n\nNobody runs a server here.\n\n"
    )
    text = "# Decision Log\n\nText.\n\n" + once + once.replace("SQLite", "Redis") + "## Decision\n\n- Deploy late.\n"
    found = read(text)
    assert [(each.title, day(each)) for each in found] == [
        ("Use SQLite: one file.", "2025-08-04"),
        ("Use Redis: one file.", "2025-08-04"),
        ("Deploy late.", None),
    ]
    assert "Nobody runs a server here." in (found[0].body or "")
    assert titles("# Use SQLite\n\n## Context\n\nText.\n\n## Decision\n\nText.\n\n## Rationale\n\nText.\n") == []


def test_the_history_of_an_agent_is_its_own_whoever_owns_what_it_tells_of() -> None:
    text = "### 2026-05-26: Scope\n\n**Advice:**\n- **Owner:** Graham\n"
    assert read(text, ".squad/agents/genesta/history.md")[0].author == "genesta"
    assert read(f"# Decisions\n\n{text}")[0].author == "Graham"


def test_who_did_it_comes_before_who_reviewed_it() -> None:
    text = "# Decisions\n\n### 2026-04-27: Restore\n\n**Implemented by:** Dallas\n\n**Reviewer:** Vasquez\n"
    assert read(text)[0].author == "Dallas"
    signed = text.replace("Dallas", "Dallas (Dev), requested by Juanma (Owner)")
    assert read(signed)[0].contributors == ("Juanma",)


@pytest.mark.parametrize(
    "label", ["Autora", "Voter", "Scout", "Reporter", "Evaluator", "Respondent", "Triager", "Reviser", "Facilitated by"]
)
def test_more_labels_of_an_author(label: str) -> None:
    [entry] = read(f"# Decision: Use SQLite\n\n**{label}:** Ann (Backend)\n**Date:** 2026-02-01\n\nText.\n")
    assert entry.author == "Ann (Backend)"


@pytest.mark.parametrize(
    "title", ["Ann Decision Drop — Colours", "Ann decision inbox — Colours", "Ann's Vote: Colours"]
)
def test_a_title_is_signed_by_who_signs_others(title: str) -> None:
    text = f"# Decisions\n\n## 2026-02-01: T\n**By:** Ann\n\nText.\n\n## {title} (2026-02-02)\n\nText.\n"
    assert [each.author for each in read(text)] == ["Ann", "Ann"]


@pytest.mark.parametrize("label", ["Participants", "Agents involved", "Who worked"])
def test_who_took_part_in_a_session(label: str) -> None:
    text = f"# Session\n\n**Agent:** Ann (Lead)\n**{label}:** Ann (Lead), Bo (Tester), Cy\n\n## Done\n\nText.\n"
    [entry] = read(text, ".squad/log/2026-02-01-s.md")
    assert (entry.author, entry.contributors) == ("Ann (Lead)", ("Bo", "Cy"))


@pytest.mark.parametrize(
    ("section", "day"),
    [
        ("## Learnings (2026-05-26 — metrics)", "2026-05-26"),
        ("## Cross-Agent Context Updates (2026-05-26T18:32:29Z)", "2026-05-26T18:32:29Z"),
        ("## Session of May 26, 2026", "2026-05-26"),
        ("## Archived 2026-05-26", None),
        ("## Learnings (updated 2026-05-26)", None),
        ("## 2026-05-20 to 2026-05-26", None),
    ],
)
def test_what_stands_below_a_dated_section_has_its_date(section: str, day: str | None) -> None:
    history = ".squad/agents/ann/history.md"
    text = f"{section}\n\n### Jest spies\n\nRestore them.\n\n### 2026-01-02: Own\n\nText.\n"
    [spies] = [each for each in read(text, history) if each.title == "Jest spies"]
    assert (spies.at and spies.at.rfc3339(), spies.extra.get("at_from")) == (day, "section" if day else None)
    assert [each.at.rfc3339() for each in read(text, history) if each.title == "Own" and each.at] == ["2026-01-02"]
    [undated] = [each for each in read(text.replace(section, "## Learnings"), history) if each.title == "Jest spies"]
    assert undated.id == spies.id


def test_who_a_session_names_as_who_did_it() -> None:
    log = ".squad/log/2026-02-01-s.md"
    assert read("# Session Log\n\n**Date:** 2026-02-01\n**Who:** Ann (Lead)\n\nText.\n", log)[0].author == "Ann (Lead)"
    assert (
        read("# Session Log\n\n**Date:** 2026-02-01\n**Who:** Everybody who was there on that day\n\nText.\n", log)[
            0
        ].author
        is None
    )


@pytest.mark.parametrize("heading", ["2026-02-15: The cache is warm", "The cache is warm"])
def test_fields_below_an_older_heading_are_read(heading: str) -> None:
    """A canonical entry whose heading lacks its time or type says both, and more, in its fields."""
    fields = "**type:** note\n**timestamp:** 2026-02-15T14:32:15-0800\n**author:** Ann\n**scope:** project\n"
    [record] = read(f"### {heading}\n\n{fields}**tags:** cache, speed\n\n**details:**\n\nText.\n")
    assert (record.kind, record.scope, record.tags) == ("note", "project", ("cache", "speed"))
    assert (record.author, record.at and record.at.text) == ("Ann", "2026-02-15T14:32:15-0800")
    [free] = read(f"### {heading}\n\n**By:** Ann\n**Type:** Process\n**Scope:** All of the API\n")
    assert (free.kind, free.scope) == ("decision", "team")


@pytest.mark.parametrize(
    "line",
    [
        *("Date: 2026/07/21", "- Date: 2026-07-21", "**Datum:** 21.07.2026"),
        *("**日期:** 2026年7月21日", "**Fecha:** 21 de julio de 2026"),
    ],
)
def test_labels_of_a_date(line: str) -> None:
    [entry] = read(f"# Decisions\n\n## Use SQLite\n\n**By:** Ann\n{line}\n\nText.\n")
    assert (entry.author, entry.at and entry.at.rfc3339()) == ("Ann", "2026-07-21")


@pytest.mark.parametrize(
    ("head", "author"),
    [
        ("| Field | Value |\n|---|---|\n| Author | Ann |\n| Date | 2026-07-21 |", "Ann"),
        ("| **Author** | Ann |\n|---|---|\n| **Date** | 2026-07-21 |", "Ann"),
        ("| Owner | Ann |\n|---|---|\n| Date | 2026-07-21 |\n| Status | Accepted |", "Ann"),
        ("| Role | Rights |\n|---|---|\n| Owner | All of it |", None),
        ("| Author | Date |\n|---|---|\n| Bob | 2026-07-21 |", None),
        ("| Agent | Task |\n|---|---|\n| Lead | Bob |", None),
        ("by Ann", "Ann"),
        ("*by Ann, 2026-07-21*", "Ann"),
        ("— by Ann Lee (Lead) on 2026-07-21", "Ann Lee (Lead)"),
        ("By design, this stays.", None),
        ("By Friday all of it is to be done and shipped", None),
        ("Text.\n\nSigned-off-by: Ann <ann@example.org>", "Ann"),
        ("Text.\n\n### More\n\nText.\n\nCo-authored-by: Bob <b@x.org>\nSigned-off-by: Ann <ann@example.org>", "Ann"),
        ("Text.\n\n```\nfix\n\nSigned-off-by: Ann <ann@example.org>\n```", None),
        ("**Role:** Tester (contracts first)", None),
    ],
)
def test_who_signs_outside_of_labels(head: str, author: str | None) -> None:
    [entry] = read(f"# Use SQLite\n\n{head}\n\nIt is small.\n", ".squad/decisions/inbox/sqlite.md")[:1]
    if "off-by" in head:
        [entry] = read(f"# Use SQLite\n\n{head}\n", ".squad/decisions/inbox/sqlite.md")[:1]
    assert entry.author == author
    if author and "2026-07-21" in head:
        assert entry.at
        assert entry.at.rfc3339() == "2026-07-21"


def test_a_name_before_a_role_is_who_signs_elsewhere_in_the_file() -> None:
    text = "## 2026-07-21: One\n\n**Role:** Ann (Tester)\n\nText.\n\n## 2026-07-22: Two\n\n**By:** Ann\n\nText.\n"
    assert [each.author for each in read(text)] == ["Ann", "Ann"]
    assert read(text.replace("Ann (Tester)", "Ann"))[0].author == "Ann"
    assert read(text.replace("Ann (Tester)", "Tester"))[0].author is None
    assert read(text.replace("**By:** Ann", "**By:** Bob"))[0].author is None
    log = ".squad/log/2026-07-21-ann-tests.md"
    assert read("# Session Log\n\n**Date:** 2026-07-21\n**Role:** Ann (Tester)\n\nText.\n", log)[0].author == "Ann"


def test_who_worked_in_a_session_took_part() -> None:
    text = (
        "# Session: Tests\n\n**Requested by:** Eve\n\n## Who Worked\n\n- **Ann (Tester):** Ran all\n- Bob — wrote\n"
        "- zed (owner)\n- All of the others agreed\n\n## Decisions\n\n- **Kim** said no\n"
    )
    [entry] = read(text, ".squad/log/2026-07-21-tests.md")
    assert (entry.author, entry.contributors) == (None, ("Eve", "Ann", "Bob", "zed"))


@pytest.mark.parametrize(
    ("title", "day"),
    [
        ("Due 2026-07-21", None),
        ("Ship it by 2026-07-21", None),
        ("Ship it (target: 2026-07-21)", None),
        ("Ship it by 2026-07-21 (2026-07-01)", "2026-07-01"),
        ("Shipped on 2026-07-21", "2026-07-21"),
    ],
)
def test_what_is_still_to_come_is_no_date_of_an_entry(title: str, day: str | None) -> None:
    [entry] = read(f"# Decisions\n\n## {title}\n\n**By:** Ann\n\nText.\n")
    assert (entry.at and entry.at.rfc3339()) == day


def test_dates_that_can_be_read_in_two_ways_are_told_by_others_of_the_file() -> None:
    text = "# Decisions\n\n## Use SQLite\n\n**By:** Ann\n**Date:** 05/06/2026\n\nText.\n"
    assert read(text)[0].at is None
    later = "\n## Use Redis\n\n**By:** Ann\n**Date:** {}\n\nText.\n"
    for other, day in (("21/06/2026", "2026-06-05"), ("06/21/2026", "2026-05-06")):
        [first, _] = read(text + later.format(other))
        assert (first.at and first.at.rfc3339()) == day


@pytest.mark.parametrize(
    ("value", "targets"),
    [
        ("#30 — Add a file of words", ["#30"]),
        ("#927 (version bump) + #929 (release), squad#4", ["#927", "#929", "squad#4"]),
        ("[#66](https://github.com/a/b/issues/66)", ["#66"]),
        ("https://github.com/a/b/issues/66", ["https://github.com/a/b/issues/66"]),
        ("ABC-12", ["ABC-12"]),
        ("42", ["42"]),
        ("`AzdoService.NormalizeFilter(...)` works, see #5. It cannot, be fixed.", []),
        ("Record and playback a set of commands, on a timeline", []),
    ],
)
def test_an_issue_is_what_a_label_names_and_no_sentence(value: str, targets: list[str]) -> None:
    [entry] = read(f"# Decisions\n\n## 2026-07-21: Use SQLite\n\n**By:** Ann\n**Issue:** {value}\n\nText.\n")
    assert [link.target for link in entry.links if link.type == "issue"] == targets


def test_an_orchestration_log_is_by_whom_its_title_and_its_file_name() -> None:
    text = "# Ann orchestration log\n\n**Date:** 2026-07-21\n\nText.\n"
    assert read(text, ".squad/orchestration-log/2026-07-21-ann.md")[0].author == "Ann"
    assert read(text, ".squad/orchestration-log/2026-07-21-bob.md")[0].author is None


def test_a_team_update_is_by_who_documented_it() -> None:
    line = "📌 Team update (2026-07-21): README restructured. PR #18. — documented by Ann"
    assert [each.author for each in read(f"# History\n\n{line}\n", ".squad/agents/bob/history.md")] == ["Ann"]


HEAD = "# Session\n\n**Date:** 2026-02-01\n\n"


@pytest.mark.parametrize(
    ("team", "names"),
    [
        ("Vi (Backend Dev)", ("Vi",)),
        ("Coordinator (inline), Vi (Backend)", ("Coordinator", "Vi")),
        ("Wash + Kaylee", ("Wash", "Kaylee")),
        ("Squad", ()),
        ("NFL Lab (writer worktree)", ()),
        ("Squad (Ripley, Parker)", ()),
        ("5 agents spawned", ()),
    ],
)
def test_a_team_that_is_listed_took_part_in_a_session(team: str, names: tuple[str, ...]) -> None:
    [entry] = read(
        f"# Session\n\n**Date:** 2026-02-01\n**Team:** {team}  \n\n## Done\n\nText.\n", ".squad/log/2026-02-01-s.md"
    )
    assert (entry.author, entry.contributors) == (None, names)
    [decision] = read(f"# Decisions\n\n## 2026-02-01: T\n\n**Team:** {team}\n\nText.\n")
    assert decision.contributors == ()


def test_who_worked_in_a_session_stands_in_a_table() -> None:
    table = "| Agent | Role |\n|---|---|\n| **Ann** | Ran all |\n| Bo (Tester) | Wrote |\n"
    [entry] = read(f"{HEAD}## Who Worked\n\n{table}\n## Done\n\n| Cy | x |\n", ".squad/log/2026-02-01-s.md")
    assert entry.contributors == ("Ann", "Bo")
    other = table.replace("Agent", "Area")
    assert read(f"{HEAD}## Participants\n\n{other}", ".squad/log/2026-02-01-s.md")[0].contributors == ()


def test_parts_of_a_session_are_headed_by_who_did_them() -> None:
    text = (
        f"{HEAD}Ann and Bo worked.\n\n### Ann (Lead) — Review\n\nx\n\n### Bo (Backend Dev)\n\ny\n\n### Tests (Lead)\n"
    )
    [entry] = read(text, ".squad/log/2026-02-01-s.md")
    assert (entry.author, entry.contributors) == (None, ("Ann", "Bo"))
    [entry] = read(f"{HEAD}## Lead: Jinx\n\n**Branch:** dev\n", ".squad/log/2026-02-01-s.md")
    assert entry.author == "Jinx"
    [entry] = read(f"{HEAD}## Lead: Narrow Scope\n\nText.\n", ".squad/log/2026-02-01-s.md")
    assert entry.author is None


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("## What Happened\n\n**Who worked:**\n- Ann — fixes\n- Bo — names\n\n**Then:**\n- Cy — none\n", ("Ann", "Bo")),
        ("## Manifest\n\n**Agents spawned:** Ann-A, Ann-B, Bo (in parallel)\n", ("Ann-A", "Ann-B", "Bo")),
        ("## Manifest\n\n**Agents spawned:** 4\n", ()),
        ("## Agent Activity\n\n| Agent | Outcome |\n|---|---|\n| Ann | x |\n| Bo | y |\n", ("Ann", "Bo")),
        (
            "## Done\n\n### Ann (agent-9)\n\nIt was done.\n\n### Bo (explore, background, m-4.5)\n\nBo too.\n",
            ("Ann", "Bo"),
        ),
    ],
)
def test_who_worked_in_a_session_is_read_below_its_head(said: str, names: tuple[str, ...]) -> None:
    [entry] = read(f"{HEAD}{said}", ".squad/log/2026-02-01-s.md")
    assert (entry.author, entry.contributors) == (None, names)


def test_what_stands_behind_the_role_of_an_author_is_a_remark() -> None:
    [entry] = read("# Session\n\n**Agent:** Ann (Release Engineer) — FIRST TASK (new)\n", ".squad/log/2026-02-01-s.md")
    assert entry.author == "Ann (Release Engineer)"


def test_a_team_update_names_who_decided_and_who_did_it() -> None:
    text = "# History\n\n📌 Team update (2026-02-01): Heads are rendered — decided by Ann, implemented by Bo, tested by Cy\n"
    [update] = read(text, ".squad/agents/dee/history.md")
    assert (update.author, update.contributors) == ("Ann", ("Bo", "Cy"))


def test_what_a_comment_of_several_lines_holds_is_no_entry() -> None:
    example = "## YYYY-MM-DD — Title\n\n**Owner:** Whoever made it.\n\n- **2026-01-02**: A lesson\n"
    for path in (LOG, HISTORY):
        assert read(f"# Decisions\n\n---\n\n<!-- Example:\n{example}-->\n", path) == []
    [entry] = read(f"# Decisions\n\n<!-- Example:\n{example}-->\n\n## 2026-03-05: T <!-- one line -->\n\nText.\n")
    assert (entry.at and entry.at.text) == "2026-03-05"
    fenced = "# Decisions\n\n```\n<!-- not\nclosed\n```\n\n## 2026-03-05: T\n\n```\n-->\n```\n"
    assert len(read(fenced)) == 1


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("2026-02-19: --strict is on for all", "--strict is on for all"),
        ("2026-02-19 — -v says more", "-v says more"),
        ("2026-02-19 -- Two dashes", "Two dashes"),
        ("2026-02-19 - One dash", "One dash"),
        ("2026-02-19:- Both", "Both"),
    ],
)
def test_the_dashes_of_an_option_belong_to_the_title(heading: str, title: str) -> None:
    [entry] = read(f"## {heading}\n\n**By:** Ann\n")
    assert entry.title == title


def test_below_active_decisions_each_heading_is_an_entry_until_one_is_dated() -> None:
    text = (
        "# Squad Decisions\n\n## Active Decisions\n\n### One project\n- **Context:** Small.\n- **Decision:** One.\n\n"
        "### Two cores\n\nThat is all.\n\n### Context\n\nOf the second.\n\n### 2026-03-05: Dated\n\n### Part of it\n\n"
        "## Governance\n\n### Rules\n\nNone.\n"
    )
    assert [(each.title, each.kind) for each in read(text)] == [
        ("One project", "decision"),
        ("Two cores", "decision"),
        ("Dated", "decision"),
    ]


@pytest.mark.parametrize("heading", ["Directive: Use A", "2026-03-05: Directive — Use A", "User directive: Use A"])
def test_a_heading_that_says_directive_is_one(heading: str) -> None:
    [entry] = read(f"## Active Decisions\n\n### {heading}\n\n**By:** Ann\n")
    assert (entry.kind, entry.title) == ("directive", "Use A")


def test_a_name_that_nearly_all_headings_end_with_signs_them() -> None:
    titles = ("Release notes — Kim", "Templates — Lee (QA)", "Policy — Kim", "A, b — and so on — Lee", "Delete — Mo")
    log = "# Squad Decisions\n\n" + "".join(f"### [2026-04-30] {each}\n\nText.\n\n---\n\n" for each in titles)
    assert [each.author for each in read(log)] == ["Kim", "Lee", "Kim", "Lee", "Mo"]
    seldom = "# D\n\n" + "".join(
        f"### 2026-04-30: {each}\n\nText.\n\n" for each in ("A — Kim", "B — Kim", "C", "D", "E")
    )
    assert {each.author for each in read(seldom)} == {None}


@pytest.mark.parametrize(
    "title",
    [
        "Archived Decisions (older than 7 days from 2026-05-17)",
        "Decisions Archive — 2026-06-02T060000Z Batch",
        "Squad Decisions Archive (2026-03-18 to 2026-03-19)",
        "Scribe Archive: 2026-06-26",
        "Ann — History Archive (2026-03-18)",
    ],
)
def test_the_title_of_an_archive_is_no_entry_whatever_days_it_names(title: str) -> None:
    text = f"# {title}\n\nArchived on: 2026-05-17\n\n---\n\n### 2026-05-01: Use A\n\n**By:** Ann\n"
    assert [each.title for each in read(text, ".squad/decisions-archive.md")] == ["Use A"]
    [entry] = read("# Archive old logs (2026-05-17)\n\n**By:** Ann\n", ".squad/decisions-archive.md")
    assert entry.title == "Archive old logs"


@pytest.mark.parametrize("label", ["Audit Date", "Review Date", "Analysis Date", "Session date"])
def test_the_date_of_the_work_that_an_entry_tells_of_is_its_own(label: str) -> None:
    [entry] = read(f"# Audit of the texts\n\n**{label}:** 2026-02-22\n**Auditor:** Ann\n", INBOX)
    assert day(entry) == "2026-02-22"


@pytest.mark.parametrize(
    ("entry", "author", "at", "title"),
    [
        ("### 2026-03-02: Pool\n**Issued by:** Mara Lind", "Mara Lind", "2026-03-02", "Pool"),
        ("### 2026-03-02: Pool\n*By:* Mara Lind", "Mara Lind", "2026-03-02", "Pool"),
        ("### 2026-03-02: Pool\n__Author:__ Mara Lind", "Mara Lind", "2026-03-02", "Pool"),
        ("### 2026-03-02: Pool\n- 👤 **Author:** Mara Lind", "Mara Lind", "2026-03-02", "Pool"),
        ("### 2026-03-02: Pool\n**Status**: Done; **By**: Mara Lind", "Mara Lind", "2026-03-02", "Pool"),
        ("### 2026-03-02: Pool\n**Status:** Done, **By:** Mara Lind", "Mara Lind", "2026-03-02", "Pool"),
        ("## Pool\n*2 March 2026 — Mara Lind*", "Mara Lind", "2026-03-02", "Pool"),
        ("## Pool\nMara Lind, 2026-03-02", "Mara Lind", "2026-03-02", "Pool"),
        ("## Pool\n**Decided:** 2026-03-02 by Mara Lind", "Mara Lind", "2026-03-02", "Pool"),
        ("## Pool\n**By:** Mara Lind (Mon, 2 Mar 2026)", "Mara Lind", "2026-03-02", "Pool"),
        ("## Pool\n**By:** Mara Lind (2026-03-02 @ 14:30)", "Mara Lind", "2026-03-02T14:30:00Z", "Pool"),
        ("### Monday, March 2, 2026: Pool\n**By:** Ann", "Ann", "2026-03-02", "Pool"),
        ("### Pool — Mon, 2 Mar 2026\n**By:** Ann", "Ann", "2026-03-02", "Pool"),
        ("### 2026-03-02 (Monday) — Pool\n**By:** Ann", "Ann", "2026-03-02", "Pool"),
        ("### Pool (~2026-03-02)\n**By:** Ann", "Ann", "2026-03-02", "Pool"),
        ("### Mar-02-2026: Pool\n**By:** Ann", "Ann", "2026-03-02", "Pool"),
        ("### 2026-03-02 @ 14:30: Pool\n**By:** Ann", "Ann", "2026-03-02T14:30:00Z", "Pool"),
        ("### Pool - 2026-03-02 (via Copilot)", None, "2026-03-02", "Pool (via Copilot)"),
        ("## Pool\n**By** default nothing is shared, 2026-03-02", None, None, "Pool"),
        ("## Pool\nMonday is fine — 2026-03-02", None, None, "Pool"),
    ],
)
def test_other_ways_to_sign_and_date(entry: str, author: str | None, at: str | None, title: str) -> None:
    [found] = read(f"# Decisions\n\n{entry}\n\nText.\n")
    assert (found.author, found.at and found.at.rfc3339(), found.title) == (author, at, title)


def test_the_number_of_an_issue_at_the_beginning_of_a_title_is_kept() -> None:
    text = "## #548 Next steps\n\nx\n\n## ## Doubled\n\nx\n\n## #549: Pool\n\nx\n"
    assert [each.title for each in read(text)] == ["#548 Next steps", "Doubled", "#549: Pool"]


def test_who_signs_behind_a_day_or_a_dash() -> None:
    text = "# Decisions\n\n#### Doors (locked) - 2026-09-06 (via Senshi)\n\nx\n\n#### Cards — 2026-09-07 (via Senshi)\n\nx\n"
    assert [(each.title, each.author) for each in read(text)] == [
        ("Doors (locked) (via Senshi)", "Senshi"),
        ("Cards (via Senshi)", "Senshi"),
    ]
    dash = "# Decision: A\n\n**By:** Tony Stark (Lead)\n\nx\n\n# Branch switch decision - Tony Stark\n\n**Date:** 2026-05-17\n"
    assert [each.author for each in read(dash)] == ["Tony Stark (Lead)", "Tony Stark"]


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("### Use Postgres\n\nx\n\n### Use Redis\n\nx\n", ["Use Postgres", "Use Redis"]),
        ("## Decisions\n\n### Use Postgres\n\nx\n\n### Use Redis\n\nx\n", ["Use Postgres", "Use Redis"]),
        ("## Accepted\n\n### A\n\nx\n\n## Rejected\n\n### B\n\nx\n", ["A", "B"]),
        ("## March 2026\n\n### A\n\nx\n\n#### Why\n\ny\n\n### B\n", ["A", "B"]),
        ("## 2026-05-17\n\n### A\n\nx\n\n### B\n\nx\n\n## 2026-05-16\n\n- Use tabs\n", ["A", "B", "2026-05-16"]),
        ("## 2026-05-17\n\n- Use tabs\n\n## Accepted\n\n### A\n\nx\n", ["2026-05-17", "A"]),
        ("### 2026-05-17\n\n#### A\n\nx\n\n#### B\n\nx\n", ["A", "B"]),
        ("## Backend\n\n### D-1: A\n\nx\n\n### D-2: B\n\nx\n", ["Backend", "D-1: A", "D-2: B"]),
        ("## Plan (Ray)\n\n**Author:** Ray\n\n### D1: A\n\nx\n\n### D2: B\n\nx\n", ["Plan (Ray)"]),
        ("## 2026-05-17\n\n### Context\n\nx\n\n### Decision\n\nx\n", ["2026-05-17"]),
        ("### 2026-05-17: Metrics\n**By:** Ann\n\n## Decisions\n\n1. x\n\n### 2026-05-16: B\n", ["Metrics", "B"]),
        ("## Accepted\n\n### A\n\nx\n\n## Notes on the build\n\n### Step one\n\nx\n", ["A", "Notes on the build"]),
    ],
)
def test_headings_that_stand_above_lists_of_entries(text: str, titles: list[str]) -> None:
    found = read(f"# Decisions\n\n{text}")
    assert [each.title for each in found] == titles
    assert all(each.at is None or each.at.text == "2026-05-17" or each.title in titles[-1:] for each in found)


@pytest.mark.parametrize(
    ("fences", "closing"),
    [
        ([("```", "py"), ("```", ""), ("~~~", ""), ("~~~", "")], {0: 1, 2: 3}),
        ([("```", "py"), ("~~~", ""), ("```", ""), ("```", "")], {0: 2, 3: None}),
        ([("~~~~", ""), ("~~~", ""), ("~~~~", "x"), ("~~~~~", ""), ("```", "")], {0: 3, 4: None}),
    ],
)
def test_a_fence_is_closed_by_the_next_that_is_as_long(
    fences: list[tuple[str, str]], closing: dict[int, int | None]
) -> None:
    assert split.closed_by(fences) == closing


@pytest.mark.parametrize(
    ("name", "body", "day"),
    [
        ("2026-02-02-ann-pool", "Ten of them.", "2026-01-05"),
        ("ann-pool", "# Pool\n\n**Date:** 2026-03-07", "2026-03-07"),
    ],
)
def test_front_matter_dates_a_dropped_file_before_its_name_does_and_after_its_text(
    name: str, body: str, day: str
) -> None:
    text = f"---\ntitle: Pool\ndate: 2026-01-05\nauthor: Ann\n---\n\n{body}\n"
    [record] = parse(f".squad/decisions/inbox/{name}.md", text).records
    assert (record.at and record.at.text) == day
