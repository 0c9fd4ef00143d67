"""Structured operations of a memory bank: text in, text out, and only the lines that must change do."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import draws
from memdown.acts.check import engine
from memdown.dialects import DIALECTS, parse
from memdown.dialects.bank import write
from memdown.dialects.bank.dates import is_empty, is_placeholder
from memdown.dialects.bank.items import SectionEdit
from memdown.dialects.bank.parts import set_part
from memdown.dialects.bank.templates import LAYERS, Layer, render
from memdown.errors import Ambiguous, Invalid, MemdownError, NotFound, Refused
from memdown.memory import Memory
from memdown.text import Edit, Lines, apply
from samples import put

bank = DIALECTS["bank"]

DAY = "2026-02-01"
TEMPLATES = {layer.file: render(layer) for layer in LAYERS}
PROGRESS = """\
# Progress

## Completed
- [x] Export — 2026-01-20

## In Progress
- [ ] Import of invoices
  - [x] read sheets
  - [ ] write rows
- [ ] Import of receipts

## Known Issues
- Totals are rounded twice

## Upcoming
- [ ] Import of orders
"""


def after(text: str, change: SectionEdit) -> str:
    return apply(text, change.edits)


# Progress


def test_complete_moves_ticks_and_dates() -> None:
    text = "# Progress\n\n## Completed\n- [x] a — 2026-01-01\n\n## In Progress\n- [ ] Feature X\n- [ ] b\n"
    assert after(text, write.complete(text, "Feature X", DAY)) == (
        "# Progress\n\n## Completed\n- [x] a — 2026-01-01\n- [x] Feature X — 2026-02-01\n\n## In Progress\n- [ ] b\n"
    )


def test_nested_items_move_with_their_parent() -> None:
    assert after(PROGRESS, write.complete(PROGRESS, "Import of invoices", DAY)) == PROGRESS.replace(
        "- [ ] Import of invoices\n  - [x] read sheets\n  - [ ] write rows\n", ""
    ).replace(
        "2026-01-20\n", "2026-01-20\n- [x] Import of invoices — 2026-02-01\n  - [x] read sheets\n  - [ ] write rows\n"
    )


def test_a_nested_item_is_ticked_where_it_is() -> None:
    assert after(PROGRESS, write.complete(PROGRESS, "write rows", DAY)) == PROGRESS.replace(
        "- [ ] write rows", "- [x] write rows — 2026-02-01"
    )


def test_a_match_that_is_ambiguous_lists_what_fits() -> None:
    with pytest.raises(Ambiguous, match=r"'Import of invoices' \(line 7\); 'Import of receipts' \(line 10\)"):
        write.complete(PROGRESS, "import", DAY)


def test_exact_text_goes_before_other_capitals_and_parts() -> None:
    text = "## In Progress\n- [ ] import\n- [ ] Import\n- [ ] Import of all\n"
    assert "- [x] Import — 2026-02-01" in after(text, write.complete(text, "Import", DAY))
    assert "- [x] Import of all — 2026-02-01" in after(text, write.complete(text, "of ALL", DAY))
    with pytest.raises(Ambiguous):
        write.complete(text, "IMPORT", DAY)


def test_the_date_of_an_item_need_not_be_given() -> None:
    text = "## In Progress\n- [ ] Import — 2026-01-05\n- [ ] Imports\n"
    assert "- [x] Import — 2026-01-05 — 2026-02-01" in after(text, write.complete(text, "import", DAY))


def test_nothing_fits() -> None:
    with pytest.raises(NotFound, match="No open item matches 'Export'"):
        write.complete(PROGRESS, "Export", DAY)
    with pytest.raises(Invalid):
        write.complete(PROGRESS, "  ", DAY)


def test_an_item_below_a_heading_of_the_project_is_ticked_in_place() -> None:
    text = "# Progress\n\n## Backend\n- [ ] Import\n"
    assert after(text, write.complete(text, "import", DAY)) == "# Progress\n\n## Backend\n- [x] Import — 2026-02-01\n"


@pytest.mark.parametrize(
    ("line", "done"),
    [
        ("* [ ] **Import** 🚀", "* [x] **Import** 🚀 — 2026-02-01"),
        ("- ⏳ Import", "- [x] Import — 2026-02-01"),
        ("- Import", "- [x] Import — 2026-02-01"),
        ("2. [ ] Import", "- [x] Import — 2026-02-01"),
        ("- [ ] Import  ", "- [x] Import — 2026-02-01  "),
        ("- [ ] Import\n  of all\n\n  More.", "- [x] Import\n  of all — 2026-02-01\n\n  More."),
    ],
)
def test_what_becomes_of_an_item(line: str, done: str) -> None:
    text = f"# P\n\n## In Progress\n{line}\n"
    assert after(text, write.complete(text, "import", DAY)).startswith(
        f"# P\n\n## Completed\n{done}\n\n## In Progress\n"
    )


def test_line_endings_stay() -> None:
    text = "# P\r\n\r\n## Done\r\n- a\r\n\r\n## Doing\r\n- [ ] b"
    assert after(text, write.complete(text, "b", DAY)) == (
        "# P\r\n\r\n## Done\r\n- a\r\n- [x] b — 2026-02-01\r\n\r\n## Doing"
    )


def test_the_placeholder_gives_way() -> None:
    text = TEMPLATES["progress.md"]
    one = after(text, write.new_item(text, "Import", "In Progress"))
    assert one == text.replace("- [ ] [Task — current status]", "- [ ] Import")
    two = after(one, write.new_item(one, "Export", "In Progress"))
    assert two == one.replace("- [ ] Import\n", "- [ ] Import\n- [ ] Export\n")


def test_start_moves_to_in_progress() -> None:
    assert after(PROGRESS, write.start(PROGRESS, "orders")) == PROGRESS.replace("- [ ] Import of orders\n", "").replace(
        "receipts\n", "receipts\n- [ ] Import of orders\n"
    )


def test_a_new_item_is_written_like_the_others() -> None:
    text = "## Doing\n*   [ ] a\n\n*   [ ] b\n\nText.\n"
    assert (
        after(text, write.new_item(text, "c", "In Progress"))
        == "## Doing\n*   [ ] a\n\n*   [ ] b\n\n*   [ ] c\n\nText.\n"
    )


def test_issues_and_debts() -> None:
    text = after(PROGRESS, write.new_item(PROGRESS, "Two parsers", "Technical Debt"))
    assert text == PROGRESS.replace("## Upcoming", "## Technical Debt\n- Two parsers\n\n## Upcoming")
    assert "- [x] Two parsers — 2026-02-01\n" in after(text, write.resolve(text, "parsers", DAY))
    gone = after(text, write.resolve(text, "rounded", DAY))
    assert "## Known Issues\n\n## Technical Debt" in gone


def test_items_are_one_line_that_can_be_seen() -> None:
    with pytest.raises(Invalid):
        write.new_item(PROGRESS, "a\x00b", "In Progress")
    assert "- [ ] a b\n" in after(PROGRESS, write.new_item(PROGRESS, " a\n b ", "In Progress"))


def test_milestones() -> None:
    text = after(PROGRESS, write.new_milestone(PROGRESS, "Phase 1: Import", "In Progress", "Reads all."))
    assert text.endswith("\n## Milestones\n### Phase 1: Import — In Progress\n- Reads all.\n")
    more = after(text, write.new_milestone(text, "Phase 2: Export", "Planned", ""))
    assert more == f"{text}\n### Phase 2: Export — Planned\n"
    first = "# Progress\n\n## Milestones\n\nSoon.\n"
    assert after(first, write.new_milestone(first, "Phase 1", "Planned", "")) == f"{first}\n### Phase 1 — Planned\n"
    done = after(more, write.set_milestone(more, "phase 1", "Complete"))
    assert done == more.replace("Import — In Progress", "Import — Complete")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Phase 1", "Phase 1 — Done"),
        ("Phase 1 — Planned", "Phase 1 — Done"),
        ("Phase 1 - *Planned*", "Phase 1 - *Done*"),
        ("Phase 1 (In Progress)", "Phase 1 (Done)"),
        ("Phase 1 ⏳", "Phase 1 — Done"),
        ("Phase 1 (2026-01-31)", "Phase 1 (2026-01-31) — Done"),
    ],
)
def test_both_ways_to_say_how_far_a_milestone_is_write_the_same(tmp_path: Path, before: str, after: str) -> None:
    memory = Memory.open(tmp_path)
    for edits in (True, False):
        path = put(tmp_path, "memory-bank/progress.md", f"# Progress\n\n## Milestones\n\n### {before}\n- Import\n")
        if edits:
            memory.edit("Phase 1", status="Done")
        else:
            memory.bank.set_milestone("phase 1", "Done")
        assert f"\n### {after}\n- Import\n" in path.read_text("utf-8")


# Active context


def test_focus_replaces_only_its_text() -> None:
    text = TEMPLATES["activeContext.md"]
    changed = after(text, write.set_text(text, "Current Focus", "The import.\n\nOnly that."))
    assert changed == text.replace(
        "[What is being worked on now, in one or two sentences]", "The import.\n\nOnly that."
    )
    with pytest.raises(Invalid):
        write.set_text(text, "Current Focus", "# A heading")


def test_a_synonym_is_found_and_kept() -> None:
    text = "# Context\n\n## 当前焦点\nAlt.\n\n## Open Questions/Issues\n* a?\n"
    assert after(text, write.set_text(text, "Current Focus", "Neu.")) == text.replace("Alt.", "Neu.")
    assert after(text, write.add_line(text, "Open Questions", "b?")) == text + "* b?\n"


def test_next_steps_are_numbered() -> None:
    text = TEMPLATES["activeContext.md"]
    one = after(text, write.add_line(text, "Next Steps", "Test"))
    two = after(one, write.add_line(one, "Next Steps", "Ship"))
    assert two.endswith("## Next Steps\n1. Test\n2. Ship\n")


def test_a_section_that_is_missing_is_put_where_the_template_has_it() -> None:
    text = "# Active Context\n\n## Current Focus\nx\n\n## Next Steps\n1. y\n"
    assert after(text, write.add_line(text, "Blockers", "No key")) == text.replace(
        "## Next", "## Blockers\n- No key\n\n## Next"
    )
    assert after("", write.add_line("", "Blockers", "No key")) == "# Active Context\n\n## Blockers\n- No key\n"


def test_a_whole_active_context() -> None:
    text = write.active_text(write.Active(focus="A.", changes=("b",), next_steps=("c", "d")), "\n")
    assert text.startswith("# Active Context\n\n## Current Focus\nA.\n\n## Recent Changes\n- b\n\n## Current State\n\n")
    assert text.endswith("## Next Steps\n1. c\n2. d\n")


# Decisions


def test_a_decision_is_appended_after_a_rule() -> None:
    text = "# Decision Log\n\n## Decision: Use A\n- **Date**: 2026-01-01\n"
    choice = write.DecisionFields(context="Slow.", options=("A", "B"), selected="B", rationale="Fast\nand small.")
    assert after(text, write.new_decision(text, "Use B", choice, DAY)) == text + (
        "\n---\n\n## Decision: Use B\n- **Date**: 2026-02-01\n- **Status**: Accepted\n- **Context**: Slow.\n"
        "- **Options Considered**:\n  1. A\n  2. B\n- **Selected**: B\n- **Rationale**: Fast\n  and small.\n"
    )


def test_the_placeholder_is_no_decision() -> None:
    text = TEMPLATES["decisionLog.md"]
    assert after(text, write.new_decision(text, "Use B", write.DecisionFields(), DAY)) == (
        "# Decision Log\n\n## Decision: Use B\n- **Date**: 2026-02-01\n- **Status**: Accepted\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("## Decision: Use A\n- **Status**: Accepted\n", "## Decision: Use A\n- **Status**: Superseded by Use B\n"),
        ("## Decision: Use A\n- **Status:** Accepted\n", "## Decision: Use A\n- **Status:** Superseded by Use B\n"),
        (
            "## Decision: Use A\n- **Date**: 2026-01-01\n- **Context**: x\n",
            "## Decision: Use A\n- **Date**: 2026-01-01\n- **Status**: Superseded by Use B\n- **Context**: x\n",
        ),
        ("## ADR-001: Use A\n\n## Status\n\nAccepted\n", "## ADR-001: Use A\n\n## Status\n\nSuperseded by Use B\n"),
        ("[2025-01-01 10:00:00] - Use A\n", "[2025-01-01 10:00:00] - Use A (Superseded by Use B)\n"),
        (
            "| Date | Decision | Rationale |\n|--|--|--|\n| 2025-01-01 | Use A | x |\n",
            "| Date | Decision | Rationale |\n|--|--|--|\n| 2025-01-01 | Use A (Superseded by Use B) | x |\n",
        ),
    ],
)
def test_only_the_status_of_an_old_decision_changes(old: str, new: str) -> None:
    changed = apply(old, write.superseded(old, write.find_decision(old, "use a"), "Use B"))
    assert changed == new
    found = write.find_decision(changed, "use a")
    assert (found.status, found.superseded_by) == ("Superseded", "Use B")
    with pytest.raises(Refused):
        write.superseded(changed, found, "Use C")


def test_a_decision_is_found_by_its_number() -> None:
    text = "### ADR-001: Use A\n- **Date:** 2025-01-01\n\n### ADR-002: Use B, not ADR-001\n- **Date:** 2025-01-02\n"
    assert write.find_decision(text, "adr-001").title == "Use A"


def test_an_unknown_status_is_refused() -> None:
    with pytest.raises(Invalid, match="Accepted, Superseded"):
        write.new_decision("", "x", write.DecisionFields(status="Cool"), DAY)


# The shape every dialect has


def test_records_of_other_dialects_can_be_written() -> None:
    [source] = bank.read(
        "memory-bank/decisionLog.md", "## Decision: Use A\n- **Date**: 2026-01-01\n- **Rationale**: r\n"
    )
    text = apply("", bank.insert("", source))
    assert text == (
        "# Decision Log\n\n## Decision: Use A\n- **Date**: 2026-01-01\n- **Status**: Accepted\n- **Rationale**: r\n"
    )
    assert bank.place(source) == "decisionLog.md"


# Properties

words = st.sampled_from(["alpha", "beta", "gamma", "delta", "**bold** text", "✅ looks done", "`code`", "[link](x.md)"])
marks = st.sampled_from(["- [ ] ", "* [ ] ", "- ", "- ⏳ ", "- [x] ", "1. [ ] ", "- ✅ "])
headings = st.sampled_from(["Completed", "In Progress", "Upcoming", "Known Issues", "Notes", "Done", "Doing", "下一步"])


@st.composite
def progress(draw: st.DrawFn) -> str:
    eol = draw(st.sampled_from(["\n", "\r\n"]))
    lines = ["# Progress", ""] if draw(st.booleans()) else []
    for number, heading in enumerate(draw(st.lists(headings, max_size=5))):
        lines += [f"## {heading}"] + ([""] if draw(st.booleans()) else [])
        for at in range(draw(st.integers(0, 3))):
            lines.append(f"{draw(marks)}{draw(words)} {number}{at}")
            lines += [f"   - [ ] child {number}{at}"] if draw(st.booleans()) else []
        lines += [""] if draw(st.booleans()) else []
    return eol.join(lines) + (eol if draw(st.booleans()) else "")


def said(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


@draws(300)
@given(progress(), st.data())
def test_completing_any_open_item_changes_only_what_it_must(text: str, data: st.DataObject) -> None:
    open_items = [
        record
        for record in bank.read("memory-bank/progress.md", text)
        if record.kind == "task" and record.status in ("open", "in-progress", "upcoming")
    ]
    if not open_items:
        return
    chosen = data.draw(st.sampled_from(open_items))
    change = write.complete(text, chosen.title or "", DAY)
    changed = apply(text, change.edits)
    records = bank.read("memory-bank/progress.md", changed)
    line = Lines(changed).position(change.place())[0]
    [done] = [
        record for record in records if record.kind == "task" and Lines(changed).at(record.span.start) + 1 == line
    ]
    assert (done.title, done.status, done.at and done.at.text) == (chosen.title, "done", DAY)
    assert sum(record.kind == "task" for record in records) == sum(
        record.kind == "task" for record in bank.read("memory-bank/progress.md", text)
    )
    gone, new = said(text), said(changed)
    for each in list(gone):
        if each in new:
            gone.remove(each)
            new.remove(each)
    assert len(gone) == 1
    assert [each for each in new if each != "## Completed"] == [each for each in new if DAY in each]
    assert ("\r\n" in text) == ("\r\n" in changed) or "\n" not in text


@draws(100)
@given(st.lists(st.sampled_from(["Use A", "Use B", "Use C", "Drop A"]), min_size=1, max_size=6))
def test_a_log_only_grows(titles: list[str]) -> None:
    text = ""
    for title in titles:
        change = write.new_decision(text, title, write.DecisionFields(rationale="r"), DAY)
        assert all(edit.span.start == edit.span.end == len(text) for edit in change.edits)
        text = apply(text, change.edits)
    assert [
        record.title for record in bank.read("memory-bank/decisionLog.md", text) if record.kind == "decision"
    ] == titles


pieces = st.sampled_from(
    [
        *(
            "\n",
            "\r\n",
            "\r",
            " ",
            "  ",
            "\t",
            "# ",
            "## ",
            "### ",
            "- ",
            "* ",
            "1. ",
            "[ ] ",
            "[x] ",
            "✅ ",
            "---",
            "```",
        ),
        *("|", "**", "Decision: ", "Completed", "In Progress", "Milestones", "[2025-01-02 10:00:00] - ", "2025-01-02"),
        *(
            "Status",
            ":",
            "ADR-001: ",
            "| Date | Decision |",
            "|--|--|",
            "[",
            "]",
            "YYYY-MM-DD",
            "x",
            "é",
            "界",
            "\x00",
            "\udc80",
        ),
        *("> ", "<!--", "-->", "\u2028", "\ufeff", "99/99/9999", "Superseded by ", "(", ")"),
    ]
)
anything = st.lists(pieces, max_size=40).map("".join)


@draws(400)
@given(anything, st.sampled_from(LAYERS))
def test_nothing_is_too_strange_to_be_read(text: str, layer: Layer) -> None:
    records = bank.read(f"memory-bank/{layer.file}", text)
    assert all(0 <= record.span.start <= record.span.end <= len(text) for record in records)
    assert len({record.id for record in records}) == len(records)
    document = parse(f"memory-bank/{layer.file}", text)
    engine.check([document], engine.Selection(select=("BNK",)))


@draws(400)
@given(anything, st.data())
def test_operations_on_any_text_keep_what_it_says(text: str, data: st.DataObject) -> None:
    acts = {
        "task": lambda: write.new_item(text, "new words", "In Progress"),
        "debt": lambda: write.new_item(text, "new words", "Technical Debt"),
        "blocker": lambda: write.add_line(text, "Blockers", "new words"),
        "milestone": lambda: write.new_milestone(text, "new words", "Planned", ""),
        "decision": lambda: write.new_decision(text, "new words", write.DecisionFields(), DAY),
    }
    try:
        change = data.draw(st.sampled_from(sorted(acts)).map(acts.__getitem__))()
    except MemdownError:
        return
    changed = apply(text, change.edits)
    assert "new words" in changed[change.place() :].splitlines()[0]
    kept = [line for line in said(text) if not is_placeholder(line) and not is_empty(line.strip("\ufeff"))]
    assert not Counter(kept) - Counter(said(changed))


def test_a_change_knows_where_it_stands() -> None:
    change = write.complete(PROGRESS, "receipts", DAY)
    assert apply(PROGRESS, change.edits)[change.place() :].startswith("- [x] Import of receipts")
    assert all(isinstance(edit, Edit) for edit in change.edits)


@pytest.mark.parametrize(("days", "line"), [(("2026-01-01", "2026-01-02"), 6), (("2026-01-02", "2026-01-01"), 4)])
def test_a_log_that_is_a_table_gets_a_row(days: tuple[str, str], line: int) -> None:
    """Where the newest row is; a decision that says more than the columns hold gets its own heading."""
    rows = "".join(f"| {day} | Use {day[-1]} | It is new |\n" for day in days)
    text = f"# Decision Log\n| Date | Decision | Rationale |\n|---|---|---|\n{rows}"
    because = write.DecisionFields(rationale="No server | none")
    new = after(text, write.new_decision(text, "Use a|b", because, "2026-02-03"))
    assert new.splitlines()[line - 1] == "| 2026-02-03 | Use a\\|b | No server \\| none |"
    assert new.replace("| 2026-02-03 | Use a\\|b | No server \\| none |\n", "") == text
    added = next(each for each in bank.read("memory-bank/decisionLog.md", new) if each.title == "Use a|b")
    assert (added.rationale, added.kind) == ("No server | none", "decision")
    made = write.DecisionFields
    for choice in (made(consequences="A file"), made(status="Proposed"), made(rationale="a\nb"), made(author="Ann")):
        assert "\n## Decision: Use c\n" in after(text, write.new_decision(text, "Use c", choice, "2026-02-03"))


def test_a_section_goes_by_the_name_of_its_template_too() -> None:
    text = "# Active Context\n\n## Current Focus\nOld.\n\n## Blockers\n- x\n"
    [active] = [layer for layer in LAYERS if layer.file == "activeContext.md"]
    assert apply(text, set_part(text, active, "focus", "New.").edits) == text.replace("Old.", "New.")
    with pytest.raises(Invalid, match="The text for 'Current Focus' is empty"):
        set_part(text, active, "focus", " ")
