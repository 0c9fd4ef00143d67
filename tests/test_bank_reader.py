"""The reader of memory banks: every form of decision, item, section and placeholder seen in real files."""

import unicodedata

import pytest

from memdown.dialects import DIALECTS, parse
from memdown.dialects.bank import dates, grammar, items, milestones, names
from memdown.dialects.bank.remove import remove
from memdown.dialects.bank.sections import outline
from memdown.dialects.bank.templates import LAYERS, layer_of, render
from memdown.record import Record
from memdown.text import Span, apply

bank = DIALECTS["bank"]

HOME = "memory-bank"


def read(file: str, text: str) -> list[Record]:
    return list(parse(f"{HOME}/{file}", text).records)


def decisions(text: str) -> list[Record]:
    return [record for record in read("decisionLog.md", text) if record.kind == "decision"]


def tasks(text: str, file: str = "progress.md") -> list[tuple[str | None, str | None]]:
    return [(record.title, record.status) for record in read(file, text) if record.kind == "task"]


# Files


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("memory-bank/projectbrief.md", "projectBrief.md"),
        ("memory-bank/PROJECT_BRIEF.md", "projectBrief.md"),
        ("memory_bank/product-context.md", "productContext.md"),
        (".memory-bank/activeContext.md", "activeContext.md"),
        ("docs/memory-bank/progress.md", "progress.md"),
        (".cursor/memory-bank/system_patterns.md", "systemPatterns.md"),
        (".kilocode/rules/memory-bank/architecture.md", "systemPatterns.md"),
        (".kilocode/rules/memory-bank/context.md", "activeContext.md"),
        ("llm/memory_bank/tech.md", "techContext.md"),
        ("memory-bank/decisions.md", "decisionLog.md"),
        ("memory-bank/decision-log.md", "decisionLog.md"),
        ("memory-bank/01-projectBrief.md", "projectBrief.md"),
    ],
)
def test_the_seven_files_are_known_by_many_names(path: str, file: str) -> None:
    layer = grammar.layer_of(path)
    assert layer
    assert layer.file == file
    assert parse(path, "# Title\n").dialect == "bank"


@pytest.mark.parametrize("path", ["memory-bank/archive/progress.md", "memory-bank/notes.md", "src/progress.md"])
def test_other_files_are_no_layer(path: str) -> None:
    assert grammar.layer_of(path) is None


@pytest.mark.parametrize(
    ("path", "text", "dialect"),
    [
        (".squad/decisions.md", "# Decisions\n\n## 2026-01-02: x\n", "sem"),
        (".squad/memory-bank/decisionLog.md", "# x\n", None),
        ("memory-bank/3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b.md", "---\nid: x\n---\n", "cards"),
        ("memory-bank/x.md", "---\nid: 1\nsubject: a\nkeywords: [b]\n---\n\nText\n", "cards"),
        ("memory-bank/x.md", "---\ntitle: x\n---\n\n# Text\n", "bank"),
        ("src/progress.md", "# Progress\n", None),
        ("docs/activeContext.md", "# Active Context\n", "bank"),
    ],
)
def test_files_of_other_dialects_stay_theirs(path: str, text: str, dialect: str | None) -> None:
    assert parse(path, text).dialect == dialect


def test_homes_begin_with_the_one_for_new_projects() -> None:
    assert grammar.HOMES[0] == HOME


# Decisions


@pytest.mark.parametrize(
    ("text", "title", "at"),
    [
        ("## Decision: Use A\n- **Date**: 2026-02-01\n", "Use A", "2026-02-01"),
        ("## Decision: Use A\n- **Date:** 2026-02-01\n", "Use A", "2026-02-01"),
        ("[2025-03-27 00:06:00] - Decision: Use A\n\n## Decision\nUse A.\n", "Use A", "2025-03-27 00:06:00"),
        ("| Date | Decision | Rationale |\n|---|---|---|\n| 2025-10-15 | Use A | Small |\n", "Use A", "2025-10-15"),
        ("| Date | Decision |\n|---|---||\n| 2025-10-15 | Use A |\n", "Use A", "2025-10-15"),
        ("### ADR-001: Use A\n\n- **Date:** 2026-02-01\n", "Use A", "2026-02-01"),
        ("### D-18: Use A\n**Date**: 2026-02-01\n", "Use A", "2026-02-01"),
        ("## 2026-05-19: Tokens\n\n### D-18: Use A\n- **Reason**: small\n", "Use A", "2026-05-19"),
        ("- [2025-05-12 15:03:00] - Use A\n", "Use A", "2025-05-12 15:03:00"),
        ("*   **[2025-05-12 15:03:00]** - Use A\n", "Use A", "2025-05-12 15:03:00"),
        ("## 2025-12-25: Use A\n\nText.\n", "Use A", "2025-12-25"),
        ("## [2025-12-25] - Use A\n\nText.\n", "Use A", "2025-12-25"),
        ("## Use A (2025-12-25)\n\nText.\n", "Use A", "2025-12-25"),
        (
            "### Decision (Code)\n[2025-05-26 15:03:42] - Use A\n\n**Rationale:**\n- small\n",
            "Use A",
            "2025-05-26 15:03:42",
        ),
        ("### 决策 #001: Use A\n\n[2025-01-11 15:56:24] - begun\n", "Use A", "2025-01-11 15:56:24"),
        ("## Решение: Use A\n* **Дата:** 2026-02-01\n", "Use A", "2026-02-01"),
        ("## Framework\n\n**Date:** 12/25/2025\n**Chosen:** A\n", "Framework", "12/25/2025"),
        ("## Framework\n\n**Date:** December 25, 2025\n", "Framework", "December 25, 2025"),
    ],
)
def test_every_form_of_a_decision(text: str, title: str, at: str) -> None:
    first = decisions(f"# Decision Log\n\n{text}")[0]
    assert first.title == title
    assert first.at
    assert first.at.text == at


def test_a_decision_has_its_fields() -> None:
    [record] = decisions(
        "# Decision Log\n\n## Decision: Use A\n- **Date**: 2026-02-01\n- **Status:** Accepted. Works.\n"
        "- **Options Considered**:\n  1. A\n  2. B\n- **Selected**: A\n- **Rationale**: Small\n  and known.\n"
    )
    assert record.status == "Accepted"
    assert record.summary == "A"
    assert record.extra["options_considered"] == "1. A\n  2. B"
    assert record.extra["rationale"] == "Small\n  and known."


def test_headings_below_a_line_of_a_log_are_its_parts() -> None:
    text = "# Decision Log\n\n[2025-03-27 00:06:00] - Use A\n\n## Decision\nA.\n\n## Rationale\nSmall.\n"
    [record] = decisions(text)
    assert record.extra["rationale"] == "Small."
    assert [each.kind for each in read("decisionLog.md", text)] == ["section", "decision"]


def test_a_number_below_a_date_has_that_date() -> None:
    [below] = decisions("# Log\n\n## 2026-05-19: Tokens\n\n### D-18: Rotate\n- **Why**: safe\n")
    assert below.extra["number"] == "D-18"
    assert below.at
    assert below.at.text == "2026-05-19"


def test_an_empty_template_has_no_decision() -> None:
    assert decisions("# Decision Log\n\n## Decision\n\n*\n\n## Rationale\n\n*\n") == []


def test_the_placeholder_of_the_template_is_told_apart() -> None:
    layer = layer_of("decisionLog.md")
    assert layer
    [record] = decisions(render(layer))
    assert "unfilled" in record.extra


def test_rows_after_a_broken_table_are_decisions_too() -> None:
    text = "| Date | Decision |\n|--|--|\n| 2025-01-01 | Use A |\n- more\n\nand more\n| 2025-01-02 | Use B |\n"
    assert [record.title for record in decisions(text)] == ["Use A", "Use B"]


def test_superseded_decisions_name_their_successor() -> None:
    old, new = decisions(
        "## Decision: Use A\n- **Status**: Superseded by Use B\n\n---\n\n## Decision: Use B\n- **Supersedes**: Use A\n"
    )
    assert (old.status, [(link.type, link.target) for link in old.links]) == (
        "Superseded",
        [("superseded_by", "Use B")],
    )
    assert [(link.type, link.target) for link in new.links] == [("supersedes", "Use A")]


def test_a_file_of_a_folder_of_decisions_is_one() -> None:
    [record] = parse(
        "memory-bank/adr/0001-use-a.md", "# ADR: Use A\n\n* Status: Proposed\n* Date: 2025-04-19\n"
    ).records
    assert (record.kind, record.title, record.status) == ("decision", "Use A", "Proposed")


# Tasks


@pytest.mark.parametrize(
    ("line", "title", "status"),
    [
        ("- [x] Import", "Import", "done"),
        ("- [X] Import — 2026-02-01", "Import", "done"),
        ("* [ ] Import", "Import", "open"),
        ("1. [ ] Import", "Import", "open"),
        ("- ✅ Import", "Import", "done"),
        ("- ✅ **Import**: reads", "**Import**: reads", "done"),
        ("*   ⏳ Import", "Import", "in-progress"),
        ("- [~] Import", "Import", "in-progress"),
        ("- [x] Import (2026-02-01)", "Import", "done"),
        ("* [2026-02-01 10:00:00] - ✅ Import", "✅ Import", None),
        ("- [x] [2026-02-01T10:00:00Z] Import", "Import", "done"),
    ],
)
def test_marks_of_items(line: str, title: str, status: str | None) -> None:
    found = tasks(f"# Progress\n\n## Something\n{line}\n")
    assert found == ([(title, status)] if status else [])


@pytest.mark.parametrize(
    ("heading", "status"),
    [
        ("Completed", "done"),
        ("✅ Completed Features", "done"),
        ("2. 完了した機能 (What Works)", "done"),
        ("Doing", "in-progress"),
        ("Current Tasks", "in-progress"),
        ("В процессе", "in-progress"),
        ("Next", "upcoming"),
        ("Próximos pasos", "upcoming"),
        ("Bilinen Sorunlar", "issue"),
        ("기술 부채", "debt"),
        ("Offene Fragen", "question"),
        ("Bloqueurs", "blocker"),
        ("Các bước tiếp theo", "upcoming"),
        ("Tarefas concluídas", "done"),
    ],
)
def test_sections_tell_the_state_of_their_items(heading: str, status: str) -> None:
    assert tasks(f"# Progress\n\n## {heading}\n- Import\n") == [("Import", status)]


def test_the_mark_goes_before_the_section() -> None:
    assert tasks("# P\n\n## Completed\n- [ ] a\n\n## In Progress\n- [x] b\n- [ ] c\n") == [
        ("a", "open"),
        ("b", "done"),
        ("c", "in-progress"),
    ]


def test_nested_items_have_their_own_state() -> None:
    found = tasks("# P\n\n## Completed\n### Parser\n- [x] a\n  - [ ] b\n    - remark\n")
    assert found == [("a", "done"), ("b", "open")]


def test_code_holds_no_tasks() -> None:
    assert tasks("# P\n\n## Doing\n```\n- [ ] a\n```\n") == []


def test_an_id_stays_when_an_item_moves() -> None:
    before = read("progress.md", "# P\n\n## In Progress\n- [ ] a\n- [ ] b\n\n## Completed\n")
    after = read("progress.md", "# P\n\n## In Progress\n- [ ] b\n\n## Completed\n- [x] a — 2026-02-01\n")
    assert {record.id for record in before if record.title == "a"} == {
        record.id for record in after if record.title == "a"
    }


def test_ids_are_unique_even_among_copies() -> None:
    found = read("progress.md", "## Done\n- [x] a\n- [x] a\n\n## Done\n- [x] a\n")
    assert len({record.id for record in found}) == len(found)


# Other records


def test_milestones_have_their_status() -> None:
    found = read(
        "progress.md", "# P\n\n## Milestones\n### Phase 1: Import — Complete\n- Reads\n\n### Export (planned)\n"
    )
    assert [(record.title, record.status) for record in found if record.kind == "milestone"] == [
        ("Phase 1: Import", "Complete"),
        ("Export", "planned"),
    ]


@pytest.mark.parametrize(
    ("heading", "title", "status"),
    [
        ("Phase 2: Search (T7)", "Phase 2: Search (T7)", None),
        ("Phase 3: Import (Week 5)", "Phase 3: Import (Week 5)", None),
        ("Phase 1: Core (Estimated: 1 week)", "Phase 1: Core (Estimated: 1 week)", None),
        ("Phase 4: Tests (ALL PRIORITIES)", "Phase 4: Tests (ALL PRIORITIES)", None),
        ("Phase 5: Polish (in progress, 40%)", "Phase 5: Polish", "in progress, 40%"),
        ("Phase 6: 検索（進行中）", "Phase 6: 検索", "進行中"),
        ("Phase 7: Observables ✅ COMPLETED", "Phase 7: Observables", "COMPLETED"),
        ("Phase 8: Solver ✅ COMPLETED 2025-08-25", "Phase 8: Solver", "COMPLETED 2025-08-25"),
        ("Phase 9: Export — Week 5", "Phase 9: Export", "Week 5"),
    ],
)
def test_words_in_brackets_are_a_status_where_they_say_how_far(heading: str, title: str, status: str | None) -> None:
    text = f"# P\n\n## Milestones\n\n### {heading}\n- Goal\n"
    [found] = [each for each in read("progress.md", text) if each.kind == "milestone"]
    assert (found.title, found.status) == (title, status)
    head = Span(text.index(heading), text.index(heading) + len(heading))
    after = apply(text, [milestones.status_edit(text, head, "Done")])
    [changed] = [each for each in read("progress.md", after) if each.kind == "milestone"]
    assert (changed.title, changed.status) == (title, "Done")


def test_lines_of_a_log_are_notes() -> None:
    text = "# Context\n\n2025-05-26 14:51:48 - Log of updates made.\n[2025-04-23 09:31:00] - Architect - Designed.\n"
    found = [record for record in read("activeContext.md", text) if record.kind == "note"]
    assert [(record.title, record.at and record.at.text) for record in found] == [
        ("Log of updates made.", "2025-05-26 14:51:48"),
        ("Designed.", "2025-04-23 09:31:00"),
    ]
    assert found[1].extra["role"] == "Architect"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("**Columns :** renamed", "**Columns :** renamed"),
        ("Renamed **all**", "Renamed **all**"),
        ("**Renamed**", "Renamed"),
        ("Renamed.*", "Renamed."),
        ("**A** and **B**", "**A** and **B**"),
        ("****", ""),
    ],
)
def test_marks_of_a_log_line_have_their_partners(text: str, title: str) -> None:
    [note] = [each for each in read("activeContext.md", f"# A\n\n[2025-04-28] - {text}\n") if each.kind == "note"]
    assert (note.title or "", note.body or "") == (title, title)


def test_a_log_line_in_bold_has_its_whole_time() -> None:
    for line, title in (
        ("- **[2025-04-21 16:14:09] Debug:** Fixed", "**Debug:** Fixed"),
        ("- **[2025-04-21 16:14:09] - DevOps:** Fixed", "**DevOps:** Fixed"),
        ("*2025-04-21 16:14:09 - Fixed.*", "Fixed."),
    ):
        [note] = [each for each in read("activeContext.md", f"# A\n\n{line}\n") if each.kind == "note"]
        assert (note.title, note.at and note.at.text) == (title, "2025-04-21 16:14:09")


def test_a_milestone_in_bold_has_its_name() -> None:
    [milestone] = [
        each for each in read("progress.md", "# P\n\n### **Phase 3: Import (planned)**\n") if each.kind == "milestone"
    ]
    assert (milestone.title, milestone.status) == ("Phase 3: Import", "planned")


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff", "\ufeff\r\n"])
def test_an_empty_file_has_no_records(text: str) -> None:
    assert read("progress.md", text) == []


@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
def test_every_line_ending_is_read_alike(eol: str) -> None:
    text = eol.join(["Before.", "# A", "", "## Done", "- [x] a", "# B", "## Doing", "- [ ] b", ""])
    found = read("progress.md", text)
    assert [(record.kind, record.title) for record in found] == [
        ("note", "Before."),
        ("section", "A"),
        ("section", "Done"),
        ("task", "a"),
        ("section", "B"),
        ("section", "Doing"),
        ("task", "b"),
    ]


def test_every_template_is_unfilled_in_every_section_with_text() -> None:
    for layer in LAYERS:
        for record in read(layer.file, render(layer)):
            if record.kind in ("section", "milestone", "decision") and record.body and record.extra.get("level") != "1":
                assert "unfilled" in record.extra, record


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("[What is done now]", True),
        ("- [Requirement 1]", True),
        ("- [ ] [Task]", True),
        ("- **Build**: `[command]`", True),
        ("### Phase 1: [Name] — [Status]", True),
        ("YYYY-MM-DD HH:MM:SS - ", True),
        ("Define the main purpose of this project.", True),
        ("- Pattern 1: Description", True),
        ("1. **Decision 2**: Description of the decision and its rationale.", True),
        ("- Feature 1", True),
        ("- Feature 1 is done", False),
        ("- (문제 1)", True),
        ("(배경을 작성하세요)", True),
        ("- (선택)", False),
        ("- (see PR 1)", False),
        ("- (결제 1) 연결", False),
        ("Describe the product in the README.", False),
        ("- [ ] Task", False),
        ("- [link](x.md)", False),
        ("See [link](x.md) and [more]", False),
        ("- [2025-05-12] - x", False),
        ("Text", False),
        ("", False),
    ],
)
def test_placeholders(line: str, is_one: bool) -> None:
    assert dates.is_placeholder(line) is is_one


@pytest.mark.parametrize(
    ("heading", "day"),
    [
        ("Session 2026-04-30 — logging", "2026-04-30"),
        ("Field test (iPhone 12, 2026-04-28)", "2026-04-28"),
        ("Features (2026-07-31 Update)", "2026-07-31"),
        ("架构蓝图设计阶段 (2026-08-01) - 已完成", "2026-08-01"),
        ("Path A (2026-04-27 → 2026-04-28)", "2026-04-28"),
        ("v1.1 (Feb 23, 2026 to Feb 24, 2026)", "2026-02-24"),
        ("Open questions — RESOLVED 2026-04-17", "2026-04-17"),
        ("Anchor (2026-04-17 design / 2026-04-19 code)", "2026-04-19"),
        ("Fixes (2026-06-24 + 2026-06-26)", "2026-06-26"),
        ("Since [2026-01-02] as of old (2026-06-26 or so)", None),
        ("Begun 2026-06-24, due 2026-06-26 at noon", None),
        ("Release, due 2026-09-01 at noon", None),
        ("Target date: 2026-09-01 (soft)", None),
        ("Version 2026", None),
    ],
)
def test_a_heading_that_names_a_day_is_of_that_day(heading: str, day: str | None) -> None:
    [section] = read("activeContext.md", f"# Active Context\n\n## {heading}\nText.\n")[1:]
    assert (section.at and section.at.rfc3339()) == day


@pytest.mark.parametrize(
    "line",
    [
        *("**By:** Ann", "* Deciders: Ann", "**Decider(s):** Ann", "Proposed by: Ann", "decision-makers: Ann"),
        *("**Verfasser:** Ann", "**作成者:** Ann", "**Written by:** Ann"),
        *("**Made by:** Ann", "**Von:** Ann", "**Décidé par :** Ann", "**决策者**：Ann", "- **Recorded by**: Ann"),
    ],
)
def test_who_a_decision_is_by(line: str) -> None:
    text = f"# Decision Log\n\n## Decision: Use SQLite\n- **Decided on**: 2026-07-21\n{line}\n\nText.\n"
    [decision] = decisions(text)
    assert (decision.author, decision.at and decision.at.rfc3339()) == ("Ann", "2026-07-21")


@pytest.mark.parametrize(
    "heading", ["ADR-7 · 2026-07-21 · Use SQLite", "ADR-7: 2026-07-21 — Use SQLite", "ADR-7: Use SQLite (2026-07-21)"]
)
def test_the_date_of_a_numbered_decision_stands_before_its_title_or_behind_it(heading: str) -> None:
    [decision] = decisions(f"# Decision Log\n\n## {heading}\n\nText.\n")
    assert (decision.title, decision.at and decision.at.rfc3339()) == ("Use SQLite", "2026-07-21")
    assert decision.extra["number"] == "ADR-7"


def test_what_stands_below_a_dated_heading_is_of_that_day() -> None:
    text = """# Progress (2026-01-01)

## Dashboard [2025-02-22]

### Completed Tasks
- [x] Text shadow
- [x] Title — 2025-02-20
- [ ] Icons

### Polish (2025-02-23)

#### Colours
Blue.

## Target 2026-09-01

### Later
Text.
"""
    found = {each.title: each.at and each.at.rfc3339() for each in read("progress.md", text)}
    assert found == {
        "Progress (2026-01-01)": "2026-01-01",
        "Dashboard [2025-02-22]": "2025-02-22",
        "Completed Tasks": "2025-02-22",
        "Text shadow": "2025-02-22",
        "Title": "2025-02-20",
        "Icons": None,
        "Polish (2025-02-23)": "2025-02-23",
        "Colours": "2025-02-23",
        "Target 2026-09-01": None,
        "Later": None,
    }
    assert [each.title for each in read("progress.md", text) if "at_from" in each.extra] == [
        "Completed Tasks",
        "Text shadow",
        "Colours",
    ]


def test_slashes_are_read_by_the_date_that_can_only_be_one() -> None:
    american = dates.moment("03/05/2025", day_first=dates.days_come_first("03/05/2025, 12/25/2024"))
    european = dates.moment("03/05/2025", day_first=dates.days_come_first("03/05/2025, 25/12/2024"))
    assert american
    assert european
    assert (american.local.month, european.local.month) == (3, 5)
    for other in ("04/05/2025", "25/12/2024, 12/25/2024"):
        assert dates.moment("03/05/2025", day_first=dates.days_come_first(f"03/05/2025, {other}")) is None


@pytest.mark.parametrize("heading", ["Due 2026-07-21", "Target — 2026-07-21", "Ship it (by 2026-07-21)"])
def test_what_is_still_to_come_does_not_date_a_section(heading: str) -> None:
    [section] = [each for each in read("progress.md", f"## {heading}\n\nText.\n") if each.title == heading]
    assert section.at is None


@pytest.mark.parametrize("layer", LAYERS[:-1], ids=lambda layer: layer.file)
def test_every_section_of_a_template_stands_for_itself(layer: object) -> None:
    for known in LAYERS[:-1]:
        if known is layer:
            for section in known.sections:
                if section.level == 2:
                    assert names.of_layer(section.heading, known) == section.heading


@pytest.mark.parametrize("file", [layer.file for layer in LAYERS[:-1]])
def test_a_name_stands_for_one_section_of_a_file_and_is_there_in_every_script(file: str) -> None:
    sections = names.tables().sections[file]
    spelled = [names.folded(name) for section, others in sections.items() for name in (section, *others)]
    assert len(spelled) == len(set(spelled))
    for section, others in sections.items():
        written = {unicodedata.name(char).split()[0] for name in others for char in name if char.isalpha()}
        assert written >= {"LATIN", "CJK", "CYRILLIC", "HANGUL"}, section


def test_a_name_stands_for_one_field_of_a_decision() -> None:
    spelled = [names.folded(name) for field, others in names.tables().fields.items() for name in (field, *others)]
    assert len(spelled) == len(set(spelled))


@pytest.mark.parametrize(
    ("below", "author", "others", "day"),
    [
        ("*Date: 2026-07-21*\n*Author: Ann*", "Ann", (), "2026-07-21"),
        ("**Status:** Accepted (2026-07-21)\n**Author:** Ann", "Ann", (), "2026-07-21"),
        ("**Status:** Superseded 2026-07-21\n**Author:** Ann", "Ann", (), None),
        ("*Decided 2026-07-21 by Ann*", "Ann", (), "2026-07-21"),
        ("We use it.\n\n— Ann", "Ann", (), None),
        ("- **Date**: 2026-07-21\n- **Owner**: Ann\n- **Co-authors**: Bob, Eve", "Ann", ("Bob", "Eve"), "2026-07-21"),
        ("- **Authors:** Ann, Bob and Eve", "Ann, Bob and Eve", ("Bob", "Eve"), None),
        ("| Field | Value |\n|---|---|\n| Author | Ann |\n| Date | 2026-07-21 |", "Ann", (), "2026-07-21"),
        ("| Option | Cost |\n|---|---|\n| Owner | High |", None, (), None),
        ("by Ann, 2026-07-21", "Ann", (), "2026-07-21"),
        ("Signed-off-by: Ann <ann@example.org>", "Ann", (), None),
    ],
)
def test_who_wrote_a_decision_in_other_forms(below: str, author: str | None, others: object, day: str | None) -> None:
    [found] = decisions(f"# Decision Log\n\n## Decision: Use SQLite\n\n{below}\n")
    assert (found.author, found.contributors, found.at and found.at.rfc3339()) == (author, others, day)


def test_a_section_is_by_whom_its_first_lines_name() -> None:
    text = "# Plan\n\n**Date**: 2026-07-21\n**Author**: Ann Lee\n**Status**: Open\n\nText.\n\n## Part\n\nText.\n\nAuthor: no\n"
    plan, part = read("notes/plan.md", text)
    assert (plan.author, plan.at and plan.at.rfc3339(), plan.extra.get("at_from")) == ("Ann Lee", "2026-07-21", None)
    assert (part.author, part.at) == (None, None)


@pytest.mark.parametrize("makers", ["Ann, Bob", "[Ann, Bob]"])
def test_front_matter_of_a_decision_says_who_and_when(makers: str) -> None:
    front = f"---\nstatus: accepted\ndate: 2026-07-21\ndecision-makers: {makers}\n---\n"
    [found] = read("adr/0001-use-sqlite.md", f"{front}# Use SQLite\n\n## Context\n\nSmall.\n")
    assert found.status == "Accepted"
    assert (found.author, found.contributors, found.at and found.at.rfc3339()) == ("Ann, Bob", ("Bob",), "2026-07-21")


@pytest.mark.parametrize(
    ("line", "author", "day"),
    [
        ("**Contributor**: GPT5", "GPT5", None),
        ("**Contributors**: Ann, Bob", "Ann", None),
        ("**Completed by GLM 4.7 on 2026-01-29 22:42:19 IST**", "GLM 4.7", "2026-01-29"),
        ("Completed by the team on 2026-01-29", None, None),
    ],
)
def test_a_section_is_by_who_completed_it(line: str, author: str | None, day: str | None) -> None:
    [found] = read("notes/plan.md", f"## Integration\n\n{line}\n\nText.\n")
    assert (found.author, found.at and found.at.rfc3339()[:10]) == (author, day)


def test_comments_are_no_part_of_titles_and_no_note() -> None:
    text = (
        "<!-- kept by Ann -->\n# Progress\n\n## Done <!-- memdown: ignore[BNK008] -->\n\n- [x] The pool <!-- T1 -->\n"
    )
    found = [(each.kind, each.title, each.status) for each in read("progress.md", text)]
    assert found == [("section", "Progress", None), ("section", "Done", None), ("task", "The pool", "done")]
    first, *_ = read("notes.md", "<!-- kept by Ann -->\nWritten by hand.\n\n# Notes\n")
    assert (first.kind, first.title) == ("note", "Written by hand.")


def test_a_line_of_dashes_below_text_parts_entries_and_makes_no_heading() -> None:
    text = (
        "# Decision Log\n\n### Decision (Code)\n[2025-05-13 19:34:37] - Time out after a minute\n\n"
        "**Rationale:**\nCalls hung.\n\n**Details:**\nSet in `client.py`.\n---\n### Decision (Debug)\n"
        "[2025-05-13 20:10:17] - Log each call\n"
    )
    first, second = decisions(text)
    assert (first.title, second.title) == ("Time out after a minute", "Log each call")
    assert (first.body or "").endswith("**Details:**\nSet in `client.py`.")
    assert [each.title for each in read("decisionLog.md", text) if each.kind == "section"] == ["Decision Log"]
    assert [each.title for each in read("progress.md", "Work Log\n--------\n\n- Item\n")][:1] == ["Work Log"]


def test_the_line_that_names_a_decision_is_no_note_besides() -> None:
    text = (
        "# Decision Log\n\n### Decision (Code)\n[2025-05-13 19:34:37] - Time out after a minute\n\n**Rationale:** x\n"
    )
    assert [each.kind for each in read("decisionLog.md", text)] == ["section", "decision"]


def test_a_dated_heading_over_decisions_is_none_itself() -> None:
    text = (
        "# Decision Log\n\n### **August 28, 2025 - Strict types**\n\n#### **Decision #021: No any**\n\n"
        "**Status**: Accepted\n\n#### **Decision #020: No casts**\n\n**Status**: Accepted\n\n"
        "## 2025-08-27: Linting\n\nOne linter for all.\n\n### Decision 1: Ruff\n\nIt is fast.\n"
    )
    found = decisions(text)
    assert [each.title for each in found] == ["No any", "No casts", "Linting", "Ruff"]
    assert all(each.at for each in found)


def test_only_words_of_progress_behind_a_title_are_a_status() -> None:
    text = "# Progress\n\n## December 2024 - Critical crisis of the build\n\nText\n\n## Details (Plan)\n\nText\n"
    assert [each.status for each in read("progress.md", text) if each.kind == "section"] == [None, None, None]


def test_an_item_that_tells_of_another_day_is_not_of_the_day_of_its_section() -> None:
    text = "# Progress\n\n## Completed (2025-08-01)\n\n- [x] Signed\n- [x] Built @ 2025-08-04T07:53:25Z (again)\n"
    assert [each.at and each.at.text for each in read("progress.md", text) if each.kind == "task"] == [
        "2025-08-01",
        None,
    ]


def test_a_picture_before_a_list_tells_the_state_of_its_items() -> None:
    text = (
        "# Progress\n\n## Next Steps\n\n✅ **Deployment**\n  - Built\n- Pushed\n\n⬜ **Origins**\n- Flag\n- ✅ Option\n\n"
        "✅ **Apart**\n\n- Later\n\n## What Works\n\n🔄 **API**\n- Retries\n"
    )
    assert tasks(text) == [
        ("Built", "done"),
        ("Pushed", "done"),
        ("Flag", "upcoming"),
        ("Option", "done"),
        ("Later", "upcoming"),
        ("Retries", "in-progress"),
    ]


def test_a_fence_inside_a_fence_does_not_end_it() -> None:
    text = "# Decision Log\n\n## Decision: Use A\n\n```markdown\n```yaml\nauthor: nobody\n```\n\n**Author:** Ann\n"
    [found] = decisions(text)
    assert (found.author, found.extra.get("date")) == ("Ann", None)


def test_decided_says_when_or_what() -> None:
    first, second = decisions(
        "# Decision Log\n\n## D-1: Sign commits\n\n- **Decided by:** Ann (chat, 2026-07-15).\n- **Decided:** 2026-09-22 (#29)\n\n"
        "## D-2: Merge\n\n- **Date:** 2026-09-23\n- **Decided:** Merge commits.\n"
    )
    assert (first.author, first.at and first.at.text) == ("Ann (chat, 2026-07-15)", "2026-09-22")
    assert (second.at and second.at.text, second.summary) == ("2026-09-23", "Merge commits.")


def test_what_a_template_or_a_footer_has_is_no_decision() -> None:
    text = (
        "# Decision Log\n\n## Small\n\n- **Date:** 2025-04-20\n- **Author:** Ann\n\n## Template\n\n- **Date:**\n"
        "- **Rationale:**\n- **Impact:** (optional)\n\n## Version: 2.0 (Last updated: 2025-05-25)\n\nText.\n"
    )
    assert [each.title for each in decisions(text)] == ["Small"]


def test_labels_below_a_dated_item_are_not_of_its_title() -> None:
    text = "# Decision Log\n\n- [2025-06-19] Решение: Use A\n  for all\n  Автор: Ann\n- [2025-06-20] Решение: ...\n  Автор: ...\n"
    first, second = decisions(text)
    assert (first.title, first.author) == ("Use A for all", "Ann")
    assert second.extra.get("unfilled") == "yes"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("## ADR-001 (2026-05-11): Use X\n\nx", [("2026-05-11", None, None, "Use X")]),
        ("## DEC-003 | Use X | 2025-01-05", [("2025-01-05", None, None, "Use X")]),
        ("### 📅 2025-01-05: Use X", [("2025-01-05", None, None, "Use X")]),
        ("## Use X\n**Status:** Accepted | **Date:** 2025-01-05 | **By:** Ann", [("2025-01-05", "Ann", "Accepted", "Use X")]),
        ("## Use X\n*Status: Accepted · Date: 2025-01-05 · By: Ann*", [("2025-01-05", "Ann", "Accepted", "Use X")]),
        ("## Use X\n**Date:** 2025-01-05, **Status:** Accepted", [("2025-01-05", None, "Accepted", "Use X")]),
        ("## Use X\n**Status:** Accepted\n**Decision:** a, **b:** c", [(None, None, "Accepted", "Use X")]),
        ("## 2025-01-05\n\n### A\n\nx\n\n### B\n\ny", [("2025-01-05", None, None, "A"), ("2025-01-05", None, None, "B")]),
        ("## 2025-01-05\n\n### Decision\n- Use X\n\n### Rationale\ny", [("2025-01-05", None, None, "Use X")]),
        ("## Made\n1. [ADR-1: A](./a.md) - 2025-06-20\n2. **Use B** (2025-06-27): why\n3. **Use C**: none",
         [("2025-06-20", None, None, "ADR-1: A"), ("2025-06-27", None, None, "Use B")]),
    ],
)  # fmt: skip
def test_decisions_in_other_layouts(text: str, found: list[tuple[str | None, ...]]) -> None:
    known = decisions(f"# Decision Log\n\n{text}\n")
    assert [(each.at.rfc3339() if each.at else None, each.author, each.status, each.title) for each in known] == found


# What is easily taken for something else


def told(file: str, text: str) -> list[tuple[str, str | None, str | None]]:
    return [(each.kind, each.title, each.author) for each in read(file, text) if each.kind != "section"]


def test_who_decided_stands_at_the_head_of_a_long_paragraph_too() -> None:
    text = "# Decisions\n\n## Use gulls\n**Author:** Ann\n" + "chips and chips and chips\n" * 30
    assert [each.author for each in read("decisionLog.md", text)][1:] == ["Ann"]


def test_milestones_without_headings_are_items() -> None:
    found = told("progress.md", "# P\n\n## Milestones\n- Import of gulls — 2026-02-01\n- Export of gulls\n")
    assert found == [("milestone", "Import of gulls", None), ("milestone", "Export of gulls", None)]


def test_rows_in_code_are_no_decisions() -> None:
    rows = "| 2026-01-01 | Use gulls | why |\n| 2026-01-02 | Use chips | why |\n"
    assert told("decisionLog.md", f"# Decisions\n\n```\n{rows}```\n") == []


def test_an_item_below_an_item_of_a_log_is_no_entry_of_its_own() -> None:
    text = "# Decisions\n\n- [2026-01-02 10:00:00] - Chips\n  - [2026-01-03 10:00:00] - Ham\n"
    assert told("decisionLog.md", text) == [("decision", "Chips", None)]


def test_one_of_two_highest_headings_goes_alone() -> None:
    one, other = "# Use gulls\n\nThey fly.\n", "# Use chips\n\nGood.\n"
    first, last = read("decisionLog.md", f"{one}\n{other}")

    assert apply(f"{one}\n{other}", remove(f"{one}\n{other}", first)) == other
    assert apply(f"{one}\n{other}", remove(f"{one}\n{other}", last)) == one


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_new_item_stands_as_far_from_its_neighbour_as_these_do(gap: str) -> None:
    text = f"# P\n\n## Known Issues\n- Gulls{gap}- Chips\n"
    doc = outline(text)
    section = doc.sections[1]
    [model, _] = items.own_items(doc, section)
    made = items.first_items(doc, section, model, ["- Ham"], behind=False)
    assert apply(text, made.edits) == text.replace("- Gulls", f"- Ham{gap}- Gulls")


def test_what_stands_above_notes_ends_where_they_begin() -> None:
    text = "# Notes\n\nThe hut is blue.\n\n- 2026-01-02: Gulls\n  Chips.\n- 2026-01-03: Ham\n"
    assert [each.span.of(text) for each in read("notes.md", text)] == [
        "# Notes\n\nThe hut is blue.",
        "- 2026-01-02: Gulls\n  Chips.",
        "- 2026-01-03: Ham",
    ]
