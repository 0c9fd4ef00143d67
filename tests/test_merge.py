"""Merging three texts: what either side did is in the result, and nothing else."""

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import CORPUS
from memdown.acts.merge import merge
from memdown.acts.merge.choices import choices, chosen
from memdown.acts.merge.contained import is_contained
from memdown.acts.merge.leaves import in_lines
from memdown.acts.merge.lines import _anchors
from memdown.acts.merge.pairs import _are_most_shared
from memdown.acts.merge.pieces import read
from memdown.acts.merge.proof import missing
from memdown.acts.merge.renumber import _definitions, renumber_files
from memdown.markdown.merge_comments import MARK

BASE = "# Log\n\n## 2026-01-02: Pool\n\nThe pool has ten.\n\n## 2026-01-01: Start\n\nBegun.\n"


def merged(base: str, ours: str, theirs: str) -> str:
    """A merge that leaves no question."""
    found = merge(base, ours, theirs)
    assert not found.questions
    return found.text


def test_entries_of_both_sides_stand_in_the_order_of_the_log() -> None:
    mine = BASE.replace("# Log\n\n", "# Log\n\n## 2026-01-04: Ours\n\nA.\n\n")
    others = BASE.replace("# Log\n\n", "# Log\n\n## 2026-01-05: Theirs\n\nB.\n\n")
    assert merged(BASE, mine, others) == BASE.replace(
        "# Log\n\n", "# Log\n\n## 2026-01-05: Theirs\n\nB.\n\n## 2026-01-04: Ours\n\nA.\n\n"
    )


def test_a_log_with_the_newest_last_grows_at_its_end() -> None:
    base = "# Log\n\n### 2026-01-01: A\n\nOne.\n\n### 2026-01-02: B\n\nTwo.\n"
    mine, others = f"{base}\n### 2026-01-05: D\n\nFour.\n", f"{base}\n### 2026-01-04: C\n\nThree.\n"
    assert merged(base, mine, others) == f"{base}\n### 2026-01-04: C\n\nThree.\n\n### 2026-01-05: D\n\nFour.\n"


def test_the_same_addition_stands_once() -> None:
    both = BASE.replace("Begun.\n", "Begun.\n\n- The same line of both sides\n")
    assert merged(BASE, both, both.replace("Begun.", "Begun at last.")) == both.replace("Begun.", "Begun at last.")


def test_a_deletion_is_honoured_and_what_is_new_stays() -> None:
    base = "## Done\n\n- one thing\n- two things\n\n## Next\n\n- three things\n"
    assert merged(base, base.replace("- one thing\n", ""), f"{base}- four things\n") == (
        "## Done\n\n- two things\n\n## Next\n\n- three things\n- four things\n"
    )


def test_what_one_side_deleted_and_the_other_changed_is_kept_and_reported() -> None:
    base = "## Next\n\n- write the manual for users\n- ship it\n"
    found = merge(base, "## Next\n\n- ship it\n", base.replace("for users", "for users of git"))
    assert "- write the manual for users of git\n" in found.text
    assert "removed here, changed there" in found.notes[0]


def test_a_task_is_moved_once_and_done_wins() -> None:
    base = "## Next\n\n- [ ] write the manual\n\n## Done\n\n- [x] begin\n"
    done = "## Next\n\n## Done\n\n- [x] begin\n- [x] write the manual\n"
    noted = base.replace("## Next\n", "## Next\n\nSoon.\n")
    assert merged(base, noted, done) == "## Next\n\nSoon.\n\n## Done\n\n- [x] begin\n- [x] write the manual\n"


@pytest.mark.parametrize("task", ["rate limit", "Docs2", "Rate limit on orders"])
@pytest.mark.parametrize("stamp", ["", " — 2026-11-18"])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("begun", ["## In Progress\n- [ ] Search page\n", ""])
def test_a_task_of_the_base_stands_once_however_short_it_is(task: str, stamp: str, turned: bool, begun: str) -> None:
    top, rest = "## Completed\n- [x] Login page\n", "\n## Upcoming\n- [ ] Docs\n"
    base = f"{top}\n{begun}{rest}- [ ] {task}\n"
    done = f"{top}- [x] {task}{stamp}\n\n{begun}{rest}"
    started = f"{top}\n{begun or '## In Progress' + chr(10)}- [ ] {task}\n{rest}"
    text = merged(base, *((done, started) if turned else (started, done)))
    assert text.count(task) == 1
    assert f"- [x] Login page\n- [x] {task}{stamp}\n" in text


def test_a_short_task_that_two_new_entries_have_is_in_both() -> None:
    base = "## Search\n\n- [ ] tests\n\n## End\n\nNothing.\n"
    mine = base.replace("## Search", "## Payment of orders\n\n- [ ] tests\n\n## Search")
    others = base.replace("## End", "## Export of reports\n\n- [ ] tests\n\n## End")
    assert merged(base, mine, others).count("- [ ] tests\n") == 3


@pytest.mark.parametrize(
    ("base", "mine", "others", "becomes"),
    [
        ("1. A\n2. B\n", "1. A\n2. B\n3. C\n", "1. A\n2. B\n3. D\n4. E\n", "1. A\n2. B\n3. C\n4. D\n5. E\n"),
        ("1) A\n", "1) A\n2)  C\n", "1) A\n2)  D\n   more\n", "1) A\n2)  C\n3)  D\n   more\n"),
        ("1. Begin\n", "1. Add audit table\n", "1. Write cron job\n", "1. Add audit table\n2. Write cron job\n"),
        ("1. A\n1. B\n", "1. A\n1. B\n1. C\n", "1. A\n1. B\n1. D\n", "1. A\n1. B\n1. C\n1. D\n"),
        ("3. A\n4. B\n", "3. A\n4. B\n5. C\n", "3. A\n4. B\n5. D\n", "3. A\n4. B\n5. C\n5. D\n"),
        ("- A\n", "- A\n- C\n", "- A\n- D\n", "- A\n- C\n- D\n"),
    ],
)
def test_a_list_that_counts_counts_on(base: str, mine: str, others: str, becomes: str) -> None:
    head, end = "# Context\n\n## Next Steps\n\n", "\n## End\n\n1. Z\n"
    text = merged(*(f"{head}{each}{end}" for each in (base, mine, others)))
    assert text == f"{head}{becomes}{end}"


def test_a_task_that_was_reopened_is_open() -> None:
    base = "- [x] write the manual\n- other\n"
    assert merged(base, base.replace("[x]", "[ ]"), f"{base}- more\n") == "- [ ] write the manual\n- other\n- more\n"


def test_the_later_stamp_and_the_higher_count_win() -> None:
    base = "*Last Updated: 2026-01-01 10:00*\n\n- Completed: 3\n\nText.\n"
    mine = base.replace("01-01", "01-02").replace("3", "4")
    others = base.replace("01-01", "01-03").replace("3", "5")
    assert merged(base, mine, others) == others
    assert merged(base, others, mine) == others


def test_tables_are_merged_by_row() -> None:
    base = "| ID | State |\n|----|-------|\n| T1 | open |\n| T2 | open |\n"
    mine = base.replace("| T1 | open |", "| T1 | done |")
    others = f"{base}| T3 | open |\n".replace("| T2 | open |", "| T2 | done |")
    assert merged(base, mine, others) == others.replace("| T1 | open |", "| T1 | done |")


TASKS = "| ID | Title | State |\n|----|----|-------|\n| T1 | Begin | open |\n"


def test_a_number_that_two_branches_gave_to_different_tasks_is_given_once() -> None:
    mine, others = f"{TASKS}| T2 | Write the manual | open |\n", f"{TASKS}| T2 | Paint a fence | done |\n"
    found = merge(TASKS, mine, others)
    assert found.text == f"{TASKS}| T3 | Write the manual | open |\n| T2 | Paint a fence | done |\n"
    assert "'Write the manual' is T3 now" in found.notes[0]
    assert lines(merge(TASKS, others, mine).text) == lines(found.text)
    assert merge(TASKS, found.text, others).text == merge(TASKS, mine, found.text).text == found.text


def test_references_follow_a_number_and_those_to_others_stay() -> None:
    base = "# Log\n\n## ADR-0006: Use Redis\n\n2026-01-01\n\nText.\n"
    mine = f"{base}\n## ADR-0007: Cache on disk\n\n2026-01-02\n\nSee ADR-0007 and docs/ADR-0007.md.\n"
    others = f"{base}\n## ADR-0007: Queue in Postgres\n\n2026-01-03\n\nReplaces ADR-0006, as ADR-0007 says.\n"
    found = merged(base, mine, others)
    assert found == mine + others.removeprefix(base).replace("0007", "0008")
    assert lines(merged(base, others, mine)) == lines(found)


def test_a_short_value_that_both_changed_is_the_newer_one_with_the_other_in_a_comment() -> None:
    base = "# Context\n\n**Focus**: nothing yet\n**Updated**: 2026-01-01\n"
    mine = base.replace("nothing yet", "the cache of sessions").replace("01-01", "01-02")
    others = base.replace("nothing yet", "paint a green fence").replace("01-01", "01-03")
    comment = "<!-- memdown merge: one value is kept; the other side had: **Focus**: the cache of sessions -->"
    assert merged(base, mine, others) == others.replace("fence\n", f"fence\n{comment}\n")


@pytest.mark.parametrize(
    ("mine", "other"),
    [
        ("| T2 | Write the manual | open |", "| T2 | Write the whole manual | done |"),  # one task
        ("| T900 | Write the manual | open |", "| T900 | Paint a fence | open |"),  # which no counting gave
        ("\n- T2 is what we do next", "\n- T2 was hard enough"),  # which is about a task
    ],
)
def test_what_is_one_thing_or_no_sequence_keeps_its_number(mine: str, other: str) -> None:
    text = merge(TASKS, f"{TASKS}{mine}\n", f"{TASKS}{other}\n").text
    assert "T3" not in text
    assert "T901" not in text


def test_a_row_that_moved_to_another_table_stands_there_once() -> None:
    head = "| ID | Title |\n|----|----|\n"
    base = f"## Active\n\n{head}| T1 | Begin |\n| T2 | Write |\n\n## Done\n\n{head}| T0 | Plan |\n"
    done = base.replace("| T1 | Begin |\n", "").replace("| T0 | Plan |\n", "| T0 | Plan |\n| T1 | Begin |\n")
    assert merged(base, base.replace("| T1 | Begin |", "| T1 | Begin it |"), done) == done


WORDY = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"


def test_a_long_row_or_key_that_both_changed_stays_with_the_other_in_a_comment() -> None:
    base = "---\nfocus: old\n---\n\n| ID | Text |\n|----|----|\n| T1 | old |\n| T2 | x |\n\nEnd.\n"
    sides = [base.replace("old", f"{each} {WORDY} {each}") for each in ("mines", "other")]
    found = merge(base, *sides)
    assert found.text == (
        f"---\nfocus: mines {WORDY} mines\n    # memdown merge: the other side has: focus: other {WORDY} other\n---\n\n"
        f"| ID | Text |\n|----|----|\n| T1 | mines {WORDY} mines |\n| T2 | x |\n"
        f"<!-- memdown merge: the other side has: | T1 | other {WORDY} other | -->\n\nEnd.\n"
    )
    assert len(found.questions) == 2


def test_front_matter_is_merged_by_key_and_lists_as_sets() -> None:
    base = "---\nid: a\ntags: [one, two]\nupdated: 2026-01-01\n---\n\nText.\n"
    mine = base.replace("[one, two]", "[one, two, three]").replace("01-01", "01-02")
    others = base.replace("[one, two]", "[two, four]").replace("id: a\n", "id: a\nscope: x\n")
    assert merged(base, mine, others) == (
        "---\nid: a\nscope: x\ntags: [two, three, four]\nupdated: 2026-01-02\n---\n\nText.\n"
    )


def test_front_matter_that_one_side_broke_stays_closed() -> None:
    base = "---\nfocus: setup\nat: 2026-01-01\n---\n\n# Now\n\nText.\n"
    whole = base.replace("setup", "the editor of spendings").replace("01-01", "01-02")
    broken = base.removeprefix("---\n").replace("setup", "the regression of creditors")
    for found in (merge(base, whole, broken).text, merge(base, broken, whole).text):
        assert found.startswith(whole.partition("\n\n")[0] + "\n"), found
        assert "focus: the regression of creditors\n" in found


def test_lines_of_one_paragraph_are_merged() -> None:
    base = "The pool has ten connections and waits for five seconds before it fails.\n"
    mine, others = base.replace("ten", "twenty"), base.replace("five", "nine")
    assert merged(base, mine, others) == mine.replace("five", "nine")


def test_a_new_line_never_lands_under_the_heading_of_a_new_section() -> None:
    base = "## A\n\n- first\n"
    found = merged(base, f"{base}\n### Sub\n\n- below\n", f"{base}- second\n")
    assert found == "## A\n\n- first\n- second\n\n### Sub\n\n- below\n"


def test_the_same_file_made_twice_has_one_title() -> None:
    found = merged("", "# Notes\n\n## A\n\nOne.\n\n## C\n\nSame.\n", "# Notes\n\n## B\n\nTwo.\n\n## C\n\nSame.\n")
    assert found.count("# Notes\n") == found.count("## C\n") == 1
    assert "One." in found
    assert "Two." in found


def test_two_files_under_one_name_that_share_headings_only_stand_one_behind_the_other() -> None:
    mine = "# Control\n\n> Engineer\n\n## Learnings\n\n- Types come first in every package\n"
    others = "# Control, what it did before\n\n## Learnings\n\n- Models are named in one table only\n"
    assert merged("", mine, others) == f"{mine}\n{others}"


def test_an_item_that_stands_deeper_on_the_other_side_stands_once() -> None:
    mine = "# P\n\n## What works\n\n- [x] Five stores with their own tests\n"
    others = "# P\n\n## What works\n\n### State\n\n- [x] Five stores with their own tests\n- [x] Undo\n"
    assert merged("", mine, others) == others
    more = mine + "- [x] One more that only we have\n"
    assert merged("", more, others) == f"{more}\n### State\n\n- [x] Undo\n"


def test_of_several_new_sections_of_one_name_the_one_beside_known_ones_is_joined() -> None:
    base = "## Workload\n\n- nothing to do at the moment\n"
    mine = f"# Summary\n\n## Learnings\n\n- short\n\n# History\n\n## Learnings\n\n- one of ours\n\n{base}"
    found = merged(base, mine, f"{base}\n## Learnings\n\n- one of theirs\n")
    assert found == mine.replace("- one of ours\n", "- one of ours\n- one of theirs\n")


def test_the_only_diagram_below_a_heading_is_the_same_one_though_its_heading_grew() -> None:
    base = "## Core Layered Parts\n\n```mermaid\nA --> B\nB --> C & D\nC --> E\n```\n"
    mine = base.replace("Parts", "Parts with Events").replace("C & D", "C & D & F")
    others = base.replace("Parts", "Parts with Events").replace("C --> E", "C --> E\nE --> G")
    assert merged(base, mine, others) == mine.replace("C --> E", "C --> E\nE --> G")


def test_of_two_times_at_which_something_was_created_the_first_is_true() -> None:
    mine = "# S\n\n*Created: 2026-01-02 10:00*\n*Updated: 2026-01-02 10:00*\n"
    others = mine.replace("10:00", "11:00")
    assert merged("", others, mine) == mine.replace("Updated: 2026-01-02 10", "Updated: 2026-01-02 11")


def test_a_line_with_bold_words_first_that_both_wrote_stands_once() -> None:
    mine = "# S\n\n**As a** clerk\n**I want** to scan the tag\n**So that** it is known\n"
    assert merged("", mine, mine.replace("the tag", "the NFC tag")).count("**I want**") == 1


def test_a_short_line_that_moved_along_with_its_neighbour_and_was_deleted_there_is_not_revived() -> None:
    base = (
        "# Now\n\nBranch: TBD\n\nThe plan of the fourth phase.\n\nBranch: `main`\n\nThe packages were split in three.\n"
    )
    moved = "# Now\n\nBranch: `design`\n\n## Before\n\nBranch: `main`\n\nThe packages were split in three.\n"
    rewritten = "# Now\n\n## Wave 6\n\nAll of it was put together.\n"
    assert "Branch: `main`" not in merged(base, moved, rewritten)
    assert "Branch: `main`" not in merged(base, rewritten, moved)


def test_of_several_fields_of_one_name_the_one_beside_known_text_is_the_same() -> None:
    base = "# S\n\nThe way it was done, in full.\n"
    mine = f"{base}\nNext: the seventh\n\nText between the two of them.\n\nNext: the eighth\n"
    found = merge(base, mine, f"{base}\nNext: the sixth\n")
    other = f"<!-- {MARK}one value is kept; the other side had: Next: the sixth -->\n"
    assert found.text == mine.replace("the seventh\n", f"the seventh\n{other}")
    assert found.notes == ["one of two is kept: Next: the seventh, not Next: the sixth"]


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("Status", ("Deprecated", "Rejected")),
        ("Sessions", ("Valkey", "Postgres")),
        ("Changes", ("none at all", "two of them")),
        ("Version", ("two", "three")),
        ("Current phase", ("testing", "release")),
    ],
)
def test_the_value_of_either_side_is_still_in_the_file(field: str, values: tuple[str, str]) -> None:
    base, mine, others = (f"# S\n\n**{field}:** {each}\n" for each in ("open", *values))
    found = merge(base, mine, others).text
    assert found in {
        f"{one}<!-- {MARK}one value is kept; the other side had: **{field}:** {other} -->\n"
        for one, other in ((mine, values[1]), (others, values[0]))
    }
    assert merge(base, others, mine).text == found


@pytest.mark.parametrize("field", ["Last Updated", "last_updated", "Updated at", "Date", "Reviewed by", "Last sync"])
def test_of_two_stamps_the_other_is_gone(field: str) -> None:
    base, mine, others = (f"# S\n\n**{field}:** {each}\n" for each in ("Ann", "Bob", "Cem"))
    assert merge(base, mine, others).text == mine


def test_one_event_that_both_sides_told_with_another_outcome_is_one_entry_with_both() -> None:
    mine = "### Release v1.2.3 of the tool (COMPLETE)\n\nIt is published now.\n\n1. Bump the version on dev at once\n"
    others = mine.replace("COMPLETE", "BLOCKED ON A TOKEN").replace("published now", "waiting for a token")
    found = merge("# Log\n", f"# Log\n\n{mine}", f"# Log\n\n{others}2. Use a token of its own\n").text
    assert found.count("\n### Release") == 1
    assert f"<!-- {MARK}one value is kept; the other side had: {mine.partition(chr(10))[0]} -->" in found
    for line in ("It is published now.", "It is waiting for a token.", "1. Bump the version", "2. Use a token"):
        assert found.count(line) == 1


def test_two_events_of_one_title_on_one_day_stay_two() -> None:
    mine = "### Deployment of dev - 2026-01-02 (first)\n\n- **Result**: failed\n"
    others = mine.replace("first", "second").replace("failed", "fine")
    found = merged("# Log\n", f"# Log\n\n{mine}", f"# Log\n\n{others}")
    assert mine in found
    assert others in found


def test_the_same_words_as_an_item_and_as_a_line_stand_once() -> None:
    assert merged("", "# T\n\n**Used by:** T2\n", "# T\n\n- Used by: T2\n") == "# T\n\n**Used by:** T2\n"


def test_a_code_block_that_nothing_closes_does_not_tell_all_of_the_file_again() -> None:
    mine = "# T\n\n## Why\n\n- Late by seven minutes is not charged\n"
    broken = "# T\n\n```\n}\n\n- Late by seven minutes is not charged\n\nNot told elsewhere.\n"
    found = merged("", mine, broken)
    assert found.count("- Late by seven") == 1
    assert "```\n}\n" in found
    assert "Not told elsewhere." in found
    turned = merged("", broken, mine)
    assert turned.count("- Late by seven") == 1
    assert "Not told elsewhere.\n```\n\n## Why\n" in turned


@pytest.mark.parametrize("other", ["**I want** to see all of the keys", "Owner: somebody else entirely"])
def test_a_second_value_of_a_field_among_lines_is_kept_in_a_comment(other: str) -> None:
    mine = "# S\n\n**As a** clerk at the desk\n**I want** to scan the tag\n**So that** it is known\n"
    if other.startswith("Owner"):
        mine = "# S\n\n<!--\nThe report of the last sync\nOwner: Ann and her team\nIt has three parts\n-->\n"
    line = next(each for each in mine.split("\n") if each.startswith(other[:6]))
    found = merge("", mine, mine.replace(line, other)).text
    assert f"\n{other}\n" in found
    assert f"the other side ha{'s' if '<!--' in mine else 'd'}: {line} -->" in found


def test_a_merge_by_line_keeps_every_value_of_a_field() -> None:
    assert in_lines("a\n", "a\nOwner: Ann\n", "a\nOwner: Bob\n") == "a\nOwner: Ann\nOwner: Bob\n"


def test_what_cannot_be_decided_is_kept_twice_with_a_comment_and_no_markers() -> None:
    base = "# Context\n\nThe cache is in memory.\n"
    found = merge(base, base.replace("in memory", "on disk now"), base.replace("in memory", "gone for good"))
    assert len(found.questions) == 1
    assert "on disk now" in found.text
    assert "gone for good" in found.text
    assert MARK in found.text
    assert "<<<<" not in found.text
    assert merge(base, found.text, base).text == found.text


LONG = "and {} words that nobody else has, so that this value is too long to give way to the other without a question"
SPOTS = {
    "paragraph": "# C\n\nThe cache is {}.\n\nMore.\n",
    "item": "# C\n\n- an item\n- **Focus**: {}\n  - below it\n",
    "row": "# C\n\n| ID | What |\n|---|---|\n| T1 | {} |\n| T2 | other |\n\nMore.\n",
    "key": "---\nfocus: {}\nid: 1\n---\n\n# C\n",
    "line": "\ufeff# C\r\n\r\n**Focus:** {}\r\n\r\nMore.\r\n",
}


@pytest.mark.parametrize("kind", SPOTS)
def test_of_two_texts_that_were_kept_either_can_be_chosen(kind: str) -> None:
    spot = SPOTS[kind]
    mine, others = spot.format(LONG.format("one thing")), spot.format(LONG.format("another matter entirely"))
    found = merge(spot.format("in memory"), mine, others).text
    [choice] = choices(found)
    assert MARK in found.split("\n")[choice.line - 1]
    assert {chosen(found, [*choice.keep]), chosen(found, [*choice.take])} == {mine, others}
    assert (LONG.format("one thing") in choice.kept) == (chosen(found, [*choice.keep]) == mine)


def test_lines_of_both_are_for_a_person_to_make_one_text_of() -> None:
    fence = "# C\n\n```sh\nfirst\n{}\nlast\n```\n"
    found = merge(fence.format("in memory"), fence.format("on disk"), fence.format("gone")).text
    assert MARK in found
    assert choices(found) == []


@pytest.mark.parametrize("eol", ["\r\n", "\r"])
def test_line_ends_and_the_byte_order_mark_stay(eol: str) -> None:
    base = "\ufeff# A\n\n- one\n\n## B\n\nText.".replace("\n", eol)
    mine, others = base.replace("- one", f"- one{eol}- two"), f"{base}{eol}More."
    assert merged(base, mine, others) == f"{mine}{eol}More."


def test_headings_in_fences_are_none() -> None:
    base = "# A\n\n```sh\n# no heading\n```\n\n## B\n\nText.\n"
    assert merged(base, f"{base}\n## C\n\nMore.\n", base.replace("Text.", "Text!")) == (
        f"{base.replace('Text.', 'Text!')}\n## C\n\nMore.\n"
    )


def test_two_sections_that_change_places_in_each_other_are_not_lost() -> None:
    base = "## First section\n\nOne.\n\n## Second section\n\nTwo.\n"
    mine = "## First section\n\nOne.\n\n### Second section\n\nTwo.\n"
    others = "## Second section\n\nTwo.\n\n### First section\n\nOne.\n"
    text = merge(base, mine, others).text
    assert all(each in text for each in ("First section", "Second section", "One.", "Two."))


WORDS = "pool cache index login parser token queue retry backup schema deploy branch".split()
LINES = st.builds(
    lambda number, words: f"{words[0]} {number} {' '.join(words)}",
    st.integers(0, 40),
    st.lists(st.sampled_from(WORDS), min_size=4, max_size=6),
)
ENTRIES = st.one_of(
    LINES.map(lambda line: f"- {line}"),
    LINES.map(lambda line: f"- [ ] {line}"),
    LINES.map(lambda line: f"{line}."),
    st.builds(lambda day, line: f"### 2026-01-{day:02}: {line}\n\nText of {line}", st.integers(1, 28), LINES),
)
DOCUMENTS = st.lists(
    st.tuples(st.sampled_from(["Focus", "Decisions", "Next Steps", "History of all"]), st.lists(ENTRIES, max_size=4)),
    max_size=4,
    unique_by=lambda each: each[0],
).map(
    lambda sections: (
        "# Notes\n\n" + "".join(f"## {name}\n\n" + "".join(f"{e}\n\n" for e in body) for name, body in sections)
    )
)


@st.composite
def changed(draw: st.DrawFn, text: str) -> str:
    """A text after a few changes: blocks taken out, put in, or given another word."""
    blocks = text.split("\n\n")
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(1, max(len(blocks) - 1, 1)))
        act = draw(st.sampled_from(["add", "add", "delete", "change"]))
        if act == "add":
            blocks.insert(at, draw(ENTRIES))
        elif at < len(blocks) and act == "delete":
            del blocks[at]
        elif at < len(blocks):
            blocks[at] = blocks[at].replace("pool", "pond").replace("cache", "store")
    return "\n\n".join(blocks)


@st.composite
def histories(draw: st.DrawFn) -> tuple[str, str, str]:
    base = draw(DOCUMENTS)
    return base, draw(changed(base)), draw(changed(base))


def lines(text: str) -> set[str]:
    return {line.strip() for line in text.split("\n") if line.strip() and MARK not in line}


@given(histories())
def test_nothing_is_lost_and_nothing_invented(history: tuple[str, str, str]) -> None:
    base, mine, others = history
    found = merge(base, mine, others)
    assert not missing(base, mine, others, found.text, found.settled)
    if not found.settled:
        assert lines(found.text) <= lines(mine) | lines(others)
        assert (lines(mine) | lines(others)) - lines(base) <= lines(found.text)


@given(histories())
def test_both_ways_hold_the_same(history: tuple[str, str, str]) -> None:
    base, mine, others = history
    one, other = merge(base, mine, others), merge(base, others, mine)
    if not one.settled and not other.settled:
        assert lines(one.text) == lines(other.text)


@given(histories())
def test_the_same_change_twice_changes_nothing(history: tuple[str, str, str]) -> None:
    base, mine, others = history
    once = merge(base, mine, others).text
    assert merge(base, once, others).text == merge(base, once, mine).text == once


@given(DOCUMENTS.flatmap(lambda base: st.tuples(st.just(base), changed(base))))
def test_a_side_that_did_nothing_gives_the_other_to_the_byte(pair: tuple[str, str]) -> None:
    base, side = pair
    assert merge(base, side, base).text == merge(base, base, side).text == merge(base, side, side).text == side


@given(st.text("#-*|`>~ \t\n\rab1.:[]x_", max_size=80), st.text("#-*|`> \n\rab1.[]x", max_size=80))
def test_any_text_is_its_pieces(one: str, other: str) -> None:
    for text, root in zip((one, other, one), read(one, other, one), strict=True):
        assert "".join(piece.head + piece.gap for piece in root.all()) == text
    if "\r" not in one + other:
        found = merge(one, other, f"{one}\nnew")
        assert not missing(one, other, f"{one}\nnew", found.text, found.settled)


FORMS: dict[str, Callable[[int, str], str]] = {
    "sem": lambda number, title: (
        f"### 2026-01-{number % 28 + 1:02}: {title} {number}\n\n**By:** Ann {number}\n**What:** {title} at {number}\n\n"
    ),
    "bank": lambda number, title: f"- [2026-01-{number % 28 + 1:02} 10:{number % 60:02}:00] - {title} {number}\n",
    "journal": lambda number, title: (
        f"#### {number % 24:02}:{number % 60:02} IST - {title} {number}\n- Changed `a{number}.py`\n\n"
    ),
    "layers": lambda number, title: f"### {title} {number}\n\n- Learned that {title} {number} holds\n\n",
    "table": lambda number, title: f"| T{number} | {title} {number} | open |\n",
}
"""How each dialect writes an entry; each number has its own."""


@st.composite
def logs(draw: st.DrawFn) -> tuple[str, str, str]:
    """A log of one dialect, and what two branches made of it: entries put in at either end, and some taken out."""
    form = FORMS[draw(st.sampled_from(sorted(FORMS)))]
    heads = "# Log\n\n", "# Log\n\n| ID | Title | State |\n|----|----|----|\n"
    head = heads[form is FORMS["table"]]
    numbers = draw(st.lists(st.integers(0, 200), unique=True, min_size=1, max_size=12))
    title = draw(st.sampled_from(["Pool of connections", "Cache of sessions"]))
    entries = [form(number, title) for number in sorted(numbers)]
    first, *rest = sorted(draw(st.lists(st.integers(0, len(entries)), min_size=2, max_size=2)))
    base, mine, others = entries[:first], entries[first : rest[0]], entries[rest[0] :]
    gone = draw(st.sets(st.sampled_from(base), max_size=1)) if base else set()
    ours = [each for each in base if each not in gone] + mine
    return head + "".join(base), head + "".join(ours), head + "".join(base + others)


@given(logs())
def test_logs_of_every_dialect_lose_nothing_revive_nothing_and_do_not_mind_the_order(log: tuple[str, str, str]) -> None:
    base, mine, others = log
    found = merge(base, mine, others)
    wanted = (lines(mine) - lines(base)) | (lines(others) - lines(base)) | (lines(mine) & lines(others))
    assert lines(found.text) == wanted
    assert not found.questions
    assert lines(merge(base, others, mine).text) == wanted
    assert lines(merge(base, found.text, others).text) == wanted
    crossed = merge(base, found.text, merge(base, others, mine).text)
    assert lines(crossed.text) == wanted


def judge() -> object:
    path = Path(__file__).parents[1] / "bench" / "merge.py"
    spec = importlib.util.spec_from_file_location("bench_merge", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.corpus
def test_real_merges_lose_nothing() -> None:
    bench = judge()
    asked = total = 0
    for case, texts in [*bench.cases(CORPUS / "merges")][::4]:  # type: ignore[attr-defined]
        sides = texts["base"], texts["ours"], texts["theirs"]
        found = merge(*sides)
        assert not bench.lost(*sides, found.text), case["case"]  # type: ignore[attr-defined]
        assert not bench.misplaced(*sides[1:], sides[0], found.text), case["case"]  # type: ignore[attr-defined]
        asked += bool(found.questions)
        total += 1
    assert asked <= total / 10


def test_two_new_entries_keep_their_fields_though_they_are_equal() -> None:
    def entry(title: str) -> str:
        return f"### 2026-11-16T23:03:48+0000: decision: {title}\n\n**timestamp:** 2026-11-16T23:03:48+0000  \n**author:** Ann, of the team of the shop  \n\n**summary:** {title}\n\n---\n"

    base = "# Decisions\n\n" + entry("Sessions live in Redis")
    ours, theirs = (f"{base}\n{entry(title)}" for title in ("Prices are in cents", "The cart ends with its session"))
    merged = merge(base, ours, theirs).text
    assert merged.count("**timestamp:** 2026-11-16T23:03:48+0000") == 3
    assert merged.count("**author:** Ann, of the team of the shop") == 3
    assert merged == f"{ours}\n{entry('The cart ends with its session')}"


def test_packages_that_count_for_themselves_keep_their_numbers() -> None:
    base = {"a/tasks.md": "- T1: Begin\n", "b/tasks.md": "- T1: Paint the fence\n"}
    ours = {**base, "a/tasks.md": "- T1: Begin\n- T2: End\n"}
    theirs = {**base, "b/tasks.md": "- T1: Paint the fence\n- T2: Sand the floor\n"}
    assert renumber_files(base, ours, theirs, {**ours, **theirs, "a/tasks.md": ours["a/tasks.md"]}) == ({}, {}, [])


def test_other_files_follow_a_number_that_the_merge_of_one_gave() -> None:
    base = {"tasks.md": "- T1: Begin\n", "notes.md": "# Notes\n"}
    ours = {**base, "tasks.md": "- T1: Begin\n- T2: Paint the fence\n"}
    theirs = {"tasks.md": "- T1: Begin\n- T2: Sand the floor\n", "notes.md": "# Notes\n\nAfter T1 comes T2.\n"}
    found = merge(base["tasks.md"], ours["tasks.md"], theirs["tasks.md"]).text
    assert found == "- T1: Begin\n- T2: Paint the fence\n- T3: Sand the floor\n"
    texts, names, notes = renumber_files(base, ours, theirs, {"tasks.md": found, "notes.md": theirs["notes.md"]})
    assert texts == {"notes.md": "# Notes\n\nAfter T1 comes T3.\n"}
    assert (names, len(notes)) == ({}, 1)


@pytest.mark.parametrize("titles", [("Use Flask", "Use Redis"), ("Use Redis for carts", "Use Redis for sessions")])
def test_entries_of_one_second_keep_their_fields(titles: tuple[str, str]) -> None:
    """Fields of the same value belong to their entry, however like the titles are."""

    def entry(at: str, title: str) -> str:
        fields = (
            f"**type:** decision\n**timestamp:** {at}\n**author:** Dana Fox of the platform team\n**scope:** team\n"
        )
        return f"### {at}: decision: {title}\n\n{fields}\n**summary:** {title}.\n\n---\n\n"

    base = "# Decisions\n\n" + entry("2026-11-01T09:00:00+0000", "Old thing")
    ours, theirs = (base + entry("2026-11-02T10:00:00+0000", title) for title in titles)
    for one, other in ((ours, theirs), (theirs, ours)):
        text = merge(base, one, other).text
        for name in ("timestamp", "author", "summary"):
            assert text.count(f"**{name}:**") == 3, text


SEM_ENTRIES = """# Decisions

### 2026-01-02T10:00:00Z: Ports are 8000
**type:** decision
**timestamp:** 2026-01-02T10:00:00Z
**author:** Ann
**scope:** project
**summary:** Ports are 8000
**rationale:** The proxy has it.

### 2026-01-03T10:00:00Z: Other
**type:** decision
**timestamp:** 2026-01-03T10:00:00Z
**author:** Ann
**summary:** Something else
"""
BANK_ENTRIES = """# Decision Log

## Decision: Ports are 8000
- **Date**: 2026-01-02
- **Status**: Accepted
- **Rationale**: The proxy has it.

## Decision: Other
- **Date**: 2026-01-03
- **Status**: Accepted
"""


SHORT_ENTRIES = """# Decisions

### 2026-01-02: Ports are 8000
**By:** Ann

The proxy has it.

### 2026-01-03: Other
**By:** Ann

Something else.
"""


@pytest.mark.parametrize("base", [SEM_ENTRIES, BANK_ENTRIES, SHORT_ENTRIES], ids=["sem", "bank", "short"])
@pytest.mark.parametrize("is_ours", [True, False], ids=["ours", "theirs"])
def test_a_record_that_one_side_took_out_and_the_other_changed_stays_whole(base: str, is_ours: bool) -> None:
    second = base.rindex("\n##") + 1
    gone = base[: base.index("##", 2)] + base[second:]
    changed = base.replace("The proxy has it.", "The balancer wants it.")
    found = merge(base, *((changed, gone) if is_ours else (gone, changed)))
    assert found.text == changed
    where = "changed here, removed there" if is_ours else "removed here, changed there"
    assert found.notes[0].startswith(f"{where}, and kept: ")


@pytest.mark.parametrize(
    ("text", "was", "ours", "theirs"),
    [
        (SEM_ENTRIES, "8000", "9000", "7000"),
        (BANK_ENTRIES, "8000", "9000", "7000"),
        ("# Decision Log\n\n## Cost\n- **Rationale**: costs 50 a month\n", "50", "90", "40"),
        ("---\nsubject: Pool size is 10\n---\n\nThe pool.\n", "10", "50", "5"),
        ("# Tech\n\n- Pool size: 10\n", "10", "50", "5"),
        ("# Tech\n\n| Name | Value |\n|---|---|\n| PORT | 8000 |\n", "8000", "9000", "7000"),
        ("# Tech\n\n- **Store**: Redis\n", "Redis", "Valkey", "Postgres"),
    ],
)
def test_of_two_values_that_somebody_chose_none_is_lost(text: str, was: str, ours: str, theirs: str) -> None:
    for one, other in ((ours, theirs), (theirs, ours)):
        found = merge(text, text.replace(was, one), text.replace(was, other))
        assert one in found.text
        assert other in found.text
        assert found.notes or found.questions
        assert MARK in found.text  # which `check` reports


def test_a_number_that_both_sides_raised_is_a_count() -> None:
    assert (
        merge("# A\n\n12 tests pass\n", "# A\n\n14 tests pass\n", "# A\n\n13 tests pass\n").text
        == "# A\n\n14 tests pass\n"
    )


RENAMED = "# P\n\n## Latest changes\n\n### 2026-01-02: Old one\n\nIt was done.\n\n## Roadmap\n\nMuch to do.\n"


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        pytest.param(  # the heading above the fields goes, and one of the fields changes
            "# Project\n\n## Overview of it\n\nStatus: open\nOwner: Ann\nPhase: two\n\n## Later\n\nMuch to do.\n",
            "# Project\n\n## Overview of it\n\nStatus: open\nOwner: Ann\nPhase: three\n\n## Later\n\nMuch to do.\n",
            "# Project\n\nA short word before.\n\nStatus: open\nOwner: Ann\nPhase: two\n\n## Later\n\nMuch to do.\n",
            "# Project\n\nA short word before.\n\nStatus: open\nOwner: Ann\nPhase: three\n\n## Later\n\nMuch to do.\n",
            id="fields",
        ),
        pytest.param(  # a heading in other words, and an entry right below it
            RENAMED,
            RENAMED.replace("### 2026-01-02", "### 2026-01-05: New one\n\nIt works.\n\n### 2026-01-02"),
            RENAMED.replace("## Latest changes", "## What was achieved"),
            RENAMED.replace("### 2026-01-02", "### 2026-01-05: New one\n\nIt works.\n\n### 2026-01-02").replace(
                "## Latest changes", "## What was achieved"
            ),
            id="heading",
        ),
        pytest.param(  # a comment that one side took out stands below another heading on the other
            "# T\n\n## In progress\n\n<!-- No tasks now -->\n\n## Done\n\n- [x] the first of them\n",
            "# T\n\n## In progress\n\n- [ ] the third of them\n\n## Done\n\n- [x] the first of them\n",
            "# T\n\nSee priorities.md\n\n<!-- No tasks now -->\n\n## Done\n\n- [x] the first of them\n",
            "# T\n\nSee priorities.md\n\n## In progress\n\n- [ ] the third of them\n\n## Done\n\n- [x] the first of them\n",
            id="comment",
        ),
        pytest.param(  # a list that one side ordered anew stays so
            "# T\n\n1. alpha is to be done\n2. beta is to be done\n3. gamma is to be done\n\nA word.\n\n- one\n",
            "# T\n\n1. gamma is to be done\n2. alpha is to be done\n3. delta is to be done\n\nA word.\n\n- one\n",
            "# T\n\n1. alpha is to be done\n2. beta is to be done\n3. gamma is to be done\n\nA word.\n\n- one\n- two\n",
            "# T\n\n1. gamma is to be done\n2. alpha is to be done\n3. delta is to be done\n\nA word.\n\n- one\n- two\n",
            id="order",
        ),
    ],
)
def test_what_the_sides_did_apart_is_as_each_of_them_wrote_it(base: str, ours: str, theirs: str, merged: str) -> None:
    assert merge(base, ours, theirs).text == merged
    assert merge(base, theirs, ours).text == merged


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "becomes"),
    [
        ("## Done\n", "", "## Done\n\n**Files:** pool", "## Done\n\n**Files:** pool"),
        ("pool -->\n- a table\n\n\n", "pool -->\n- a table\n\n\n new", "- a table\n\npool -->\n\n\n", "- a table\n\npool -->\n\n\n new"),
        ("\n\n", "\n\n\n", "## Focus\n", "## Focus\n"),
        ("4. a parser\n\n\n", "4. a parser\n\n", "\n", "\n"),
        ("## Why", "\n## Why\n\n\n\n", "**Status:** open\n## Why\n\n\n\n", "**Status:** open\n## Why\n\n\n\n"),
        ("- one token", "---\n---\n## Why", "---\n## Why\n---", "---\n## Why\n---"),
        ("", "- [ ] redis", "- [x] redis", "- [x] redis"),
        (
            "\n|----|----|\n| T4 | the cache |",
            "\n|----|----|",
            "| ID | Title |\n|----|----|\n| T4 | a table |\n\n| T4 | the cache |",
            "| ID | Title |\n|----|----|\n| T4 | a table |\n\n| T4 | the cache |",
        ),
        ("", "\n", "\n<!-- table build", "\n<!-- table build\n"),
    ],
)  # fmt: skip
def test_what_becomes_of_a_few_lines(base: str, ours: str, theirs: str, becomes: str) -> None:
    assert merged(base, ours, theirs) == becomes


def test_lines_that_stayed_in_place_are_known_though_the_heading_above_them_is_another() -> None:
    tasks = "Task-ID: C-1\nRequirements:\n  - look at the endpoint of the courses\nStatus: TODO\n\n"
    tasks += "Task-ID: C-2\nRequirements:\n  - mend the endpoint of the courses\nStatus: TODO\n"
    base = "# Tasks of the course\n\n# What remains\n\n" + tasks
    ours = base.replace("look at the endpoint of the courses\nStatus: TODO", "look at all of the courses\nStatus: DONE")
    ours += "\nTask-ID: C-3\nStatus: DONE\n"
    theirs = "# Context\n\n## Postponed\n\n- C-9, for want of time\n\n" + tasks
    merged = merge(base, ours, theirs).text
    assert merged.count("Task-ID: C-1") == merged.count("Task-ID: C-2") == merged.count("Task-ID: C-3") == 1
    assert "look at the endpoint" not in merged


def test_a_new_section_that_both_wrote_under_another_number_and_state_stands_once() -> None:
    base = "# P\n\n## Patterns\n\nFew.\n"
    shared = "- all processors delegate to the registry\n- no recipients are written into code any more\n"
    ours = f"{base}\n### 3. Unified strategy of notifications (enhanced)\n\n{shared}"
    theirs = f"{base}\n### 1. Unified strategy of notifications (refactored)\n\n{shared}- proven in production\n"
    merged = merge(base, ours, theirs)
    assert merged.text.count("all processors delegate") == merged.text.count("no recipients") == 1
    assert "proven in production" in merged.text
    assert "1. Unified" in merged.text
    assert "3. Unified" in merged.text
    other = shared.replace("processors", "drivers").replace("recipients", "names")
    assert merge(base, ours, theirs.replace(shared, other)).text.count("\n### ") == 2


def test_changes_of_one_thing_at_two_places_are_not_merged_by_line() -> None:
    base = "# T\n\n## Active\n\n- [ ] paint the house\n- [ ] mow the lawn\n\n## Done\n\n- [x] wash the car\n\n## Notes\n\nA.\n"
    ours = base.replace("- [ ] paint the house\n", "").replace("- [x] wash", "- [x] paint the house\n- [x] wash")
    theirs = base.replace("- [ ] paint the house\n", "").replace("\nA.\n", "\n- [x] paint the house\n\nA.\n")
    assert merge(base, ours, theirs).text.count("paint the house") == 1


STEP = "- run the whole suite before the tag is set\n"


@pytest.mark.parametrize(
    ("mine", "others"),
    [
        pytest.param(
            f"## 2026-01-05: Release of the server\n\n{STEP}- tag the server\n",
            f"## 2026-01-06: Release of the client\n\n{STEP}- tag the client\n",
            id="days",
        ),
        pytest.param(
            f"## Release of the server\n\n### Steps\n\n{STEP}- build all of the server with its plugins\n",
            f"## What to do for a new client\n\n### Steps\n\n{STEP}- build all of the client with its themes\n",
            id="steps",
        ),
        pytest.param(
            f"## Release of the server\n\n{STEP}- build the server with all plugins\n- tell the users of the server\n",
            f"## Release of the client\n\n{STEP}- build the client with all themes\n- tell the users of the client\n",
            id="one step",
        ),
        pytest.param(
            f"- Release of the server:\n  {STEP}  - build the server with all plugins\n",
            f"- What a new client needs:\n  {STEP}  - build the client with all themes\n",
            id="items",
        ),
        pytest.param(
            "## 2026-01-05: Monday\n\n| Task | State |\n|---|---|\n| T7 | run the suite |\n",
            "## 2026-01-06: Tuesday\n\n| Task | State |\n|---|---|\n| T7 | run the suite |\n",
            id="rows",
        ),
    ],
)
def test_an_item_that_two_new_entries_have_stays_in_both(mine: str, others: str) -> None:
    base = "# Log\n\n## 2026-01-01: Start\n\nBegun.\n"
    for one, other in ((mine, others), (others, mine)):
        found = merged(base, f"{base}\n{one}", f"{base}\n{other}")
        assert one in f"{found}\n"
        assert other in f"{found}\n"


TABLE = "# T\n\n| Task | State |\n|---|---|\n| T1 | {} |\n"
CHART = "Update (2026-02-12): the chart is planned for the fourth\n"
SAMPLES = "📌 Update (2026-02-12): pages have samples\n"
PLAN = "# A\n\n## Transfers\n\n### Fields\n\nTwo of them.\n\n### Plan\n\n- write the code of it\n{}\n## Notes\n\nFew.\n"


@pytest.mark.parametrize(
    ("base", "mine", "others"),
    [
        pytest.param(
            "# S\n\n**Status**: open\n",
            "# S\n\n**Status**: waiting for the review\n",
            "# S\n\n**Status**: done by Ann\n",
            id="field",
        ),
        pytest.param(
            "---\nstatus: open\n---\n# S\n",
            "---\nstatus: waiting for review\n---\n# S\n",
            "---\nstatus: done by Ann\n---\n# S\n",
            id="front matter",
        ),
        pytest.param(TABLE.format("open"), TABLE.format("waiting for Bob"), TABLE.format("done by Ann"), id="row"),
        pytest.param(
            "# S\n\nThe pool has ten connections for all.\n",
            "# S\n\nThe pool has twelve connections for the server.\n",
            "# S\n\nThe pool has eight connections for clients.\n",
            id="kept twice",
        ),
        pytest.param(
            PLAN.format(""),
            PLAN.format("\n#### Day 1\n\n- write the controller first of all\n"),
            "# A\n\n## Transfers\n\nDone.\n\n### Limits\n\nAll is new here.\n\n## Notes\n\nFew.\n",
            id="below what was taken out",
        ),
        pytest.param(
            f"### Sprint 3\n\n{SAMPLES}",
            f"### Sprint 3\n\n{CHART}\n{SAMPLES}",
            f"### Sprint 3\n\n{CHART}\n### Charts\n\n{SAMPLES}",
            id="one contains the other",
        ),
        pytest.param(
            "# S\n\n### State\n\nThe first form is written now.\n\n### Plan\n\n- one\n",
            "# S\n\n### State\n\nThe first form is written now.\nThe second form is read.\n\n### Plan\n\n- one\n",
            "# S\n\n## Session\n\n- all of it is new here\n",
            id="a line more in a paragraph that was taken out",
        ),
        pytest.param(
            "# S\n\n<!--\nThe report of January\nIt has one part\n-->\n\nEnd.\n",
            "# S\n\n<!--\nThe report of March by Ann\nThree parts are in it\n-->\n\nEnd.\n",
            "# S\n\n<!--\nThe report of February by Bob\nTwo parts are written\n-->\n\nEnd.\n",
            id="lines of both",
        ),
        pytest.param(
            "# S\n\n## One\n\n**What has to be done here:**\n- a step that goes\n\n## End\n\nZ.\n",
            "# S\n\n## End\n\nZ.\n",
            "# S\n\n## One\n\n**What has to be done here:**\n- a step that goes\n\n"
            "## Two\n\n**What has to be done here:**\n- a step that is new\n\n## End\n\nZ.\n",
            id="label",
        ),
        pytest.param(
            "# S\n\n## One\n**State**: open\n\n## Two\n**State**: open\n",
            "# S\n\n## One\n\n**State**: open\n\n## Two\n\n**State**: open\n",
            "# S\n\n## One\n**State**: done at last\n\n## Three\n**State**: new\n\n## Two\n**State**: open\n",
            id="blank lines",
        ),
        pytest.param(
            "",
            "# T\n\n**Used by:** T2\n\n## Why\n\n**As** a clerk\n\nIt is late.\n",
            "# T\n\n- Used by: T2\n\n## Notes\n\n**As** a clerk\n\n## Why\n\nNobody knows it.\n",
            id="made twice",
        ),
        pytest.param(
            "",
            "# Helper of all: History\n\n## 2026-05-01: Login failed\n\nWrong host.\n",
            "# Helper of all: History and more\n\n## Learnings\n\nThe queue was full.\n",
            id="two files of one name",
        ),
    ],
)
def test_a_change_that_was_merged_before_is_merged_without_a_trace(base: str, mine: str, others: str) -> None:
    once = merge(base, mine, others).text
    for one, other in ((once, mine), (once, others), (mine, once), (others, once)):
        again = merge(base, one, other)
        assert again.text == once
        assert not again.questions


def test_which_side_is_called_ours_decides_nothing_but_the_order() -> None:
    base = "# S\n\n**Phase**: one\n\n## Next\n\n1. Begin\n\n## Log\n\n- first of all\n"
    mine = base.replace("one", "two").replace("Begin\n", "Begin\n2. Wait\n") + "- ours came in\n"
    others = base.replace("one", "three").replace("Begin\n", "Begin\n2. Act\n") + "- theirs came in\n"
    one, other = merged(base, mine, others), merged(base, others, mine)
    assert sorted(one.split("\n")) == sorted(other.split("\n"))
    assert one.endswith("- first of all\n- ours came in\n- theirs came in\n")
    assert other.endswith("- first of all\n- theirs came in\n- ours came in\n")


def test_a_field_that_each_side_gave_to_another_entry_stays_in_both() -> None:
    base = "# L\n\n## A\n\nText of it.\n\n## B\n\nText of that.\n"
    mine, others = (base.replace(each, f"{each}\n\n**Status**: done") for each in ("## A", "## B"))
    assert merged(base, mine, others).count("**Status**: done") == 2


@pytest.mark.parametrize("stamp", ["({})", "- completed {}", "\u2705 {}", "(done on {})"])
@pytest.mark.parametrize("other", ["({})", "- completed {}"])
def test_a_task_that_both_sides_completed_on_other_days_stands_once_with_the_later(stamp: str, other: str) -> None:
    base = "# P\n\n## Active\n\n- [ ] paint the house\n- [ ] mow\n\n## Done\n\n- [x] wash the car (2026-01-01)\n"
    begun = base.replace("- [ ] paint the house\n", "")
    first, second = (
        f"- [x] paint the house {stamp.format('2026-01-02')}\n",
        f"- [x] paint the house {other.format('2026-01-03')}\n",
    )
    for one, two in ((first, second), (second, first)):
        assert merged(base, begun + one, begun + two) == begun + second


def test_an_item_moved_below_a_heading_that_the_other_side_took_out_stays_where_that_has_it() -> None:
    base = "# L\n\n## A\n\n- the item that moves\n- another one\n\n## B\n\n- what goes with it\n\n## C\n\nZ.\n"
    moved = base.replace("- the item that moves\n", "").replace("## B\n\n", "## B\n\n- the item that moves\n")
    without = base.replace("## B\n\n- what goes with it\n\n", "")
    assert merged(base, moved, without) == without


def test_an_item_taken_out_here_and_moved_there_is_gone() -> None:
    base = (
        "Seen:\n- the first of the files\n- the second of them\n\nSaid:\n- an endpoint on the port\n- a client of it\n"
    )
    moved = base.replace("- an endpoint on the port\n", "").replace(
        "- the second", "- an endpoint on the port\n- the second"
    )
    assert "endpoint" not in merged(base, f"{moved}\nMore.\n", base.replace("- an endpoint on the port\n", ""))


def test_a_side_contains_no_item_that_stands_elsewhere_in_the_other() -> None:
    base = "# Log\n\n- begun with the work on it\n"
    ours = f"{base}\n## Release of the server\n\n{STEP}- build the server with all plugins\n"
    assert merged(base, ours, f"{base}{STEP}").count(STEP) == 2


def test_two_files_of_one_name_with_nearly_one_title_stand_one_behind_the_other() -> None:
    mine = "# Helper of all: History\n\n## 2026-05-01: Login failed\n\nWrong host.\n"
    others = "# Helper of all: History and more\n\n## Learnings\n\nThe queue was full.\n"
    assert merged("", mine, others) == f"{mine}\n{others}"


@pytest.mark.parametrize("line", ["    - c", "    - a"])
def test_a_list_in_one_line_takes_the_form_of_the_other_sides_single_item(line: str) -> None:
    text = "---\n{}\n---\n\nText.\n"
    found = merged(text.format("tags: [a]"), text.format("tags: [a, b]"), text.format(f"tags:\n{line}"))
    assert found == text.format(f"tags:\n{line}\n    - b")


@pytest.mark.parametrize(
    ("marks", "has"), [("010", True), ("001", True), ("110", False), ("101", False), ("111", True)]
)
def test_a_byte_order_mark_is_as_the_side_wants_it_that_changed_it(marks: str, has: bool) -> None:
    base, ours, theirs = ("\ufeff" * int(mark) for mark in marks)
    assert merged(f"{base}A\n", f"{ours}A\n", f"{theirs}A\nB\n") == "\ufeff" * has + "A\nB\n"


@pytest.mark.parametrize(
    ("marks", "has"), [("010", True), ("001", True), ("011", True), ("100", False), ("110", False), ("101", False)]
)
@pytest.mark.parametrize(
    "lines", [("- A\n- B\n", "- A\n- C, which is longer\n"), ("- A, which is longer\n", "- A\n- C\n")]
)
def test_a_byte_order_mark_changes_along_with_text_that_both_sides_changed(
    marks: str, has: bool, lines: tuple[str, str]
) -> None:
    base, ours, theirs = ("\ufeff" * int(mark) + text for mark, text in zip(marks, ("- A\n", *lines), strict=True))
    found = merged(base, ours, theirs)
    assert found.startswith("\ufeff") is has
    assert found.count("\ufeff") == has


def test_a_row_that_two_new_entries_have_stays_in_both() -> None:
    row = "| Write the tests for the new form | open |\n"
    rows = f"\n| Task | State |\n|---|---|\n{row}"
    base = "## Search\n\nText.\n\n## End\n\nNothing.\n"
    mine = base.replace("## Search", f"## Payment of orders\n{rows}\n## Search")
    others = base.replace("## End", f"## Export of reports\n{rows}\n## End")
    assert merged(base, mine, others).count(row) == 2


def test_a_row_that_both_sides_put_into_different_tables_stands_in_one() -> None:
    row = "| Write the tests for the new form | open |\n"
    table = "| Task | State |\n|---|---|\n| {} | open |\n"
    base = f"## Payment of orders\n\n{table.format('Pay')}\n## Export of reports\n\n{table.format('Print')}"
    mine = base.replace("| Pay | open |\n", f"| Pay | open |\n{row}")
    assert merged(base, mine, base + row).count(row) == 1


@pytest.mark.parametrize("line", ["- Cache: {}\n", "{}\n"])
def test_of_two_changes_the_one_that_has_all_words_of_the_other_stays_alone(line: str) -> None:
    base, ours, theirs = (
        f"# Stack\n\n{line.format(each)}" for each in ("Old text", "Redis now runs", "Redis now runs it")
    )
    assert merged(base, ours, theirs) == theirs
    assert merged(base, theirs, ours) == theirs


def test_a_line_that_is_in_no_merged_text_is_missing() -> None:
    assert missing("Base.\n", "Base.\nNew words of mine.\n", "Base.\n", "Base.\n") == ["New words of mine."]
    assert missing("Base.\n", "Base.\nNew words of mine.\n", "Base.\n", "Base.\n- **New words** of mine.\n") == []


def test_headings_that_stand_twice_in_a_text_take_what_both_sides_put_between_them() -> None:
    added, *others = (f"## {each}\n\nNone so far.\n\n" for each in ("Added", "Changed", "Removed"))
    months = f"{added}{''.join(others)}"
    base = f"# Log\n\n{months}## Before\n\nText.\n\n{months}"
    mine = "## Fixed\n\nThe hinges of the door.\n\nThe windows too.\n\n"
    theirs = "## Security\n\nThe lock of the gate.\n\nThe walls too.\n\n"
    assert merged(base, base.replace(added, added + mine, 1), base.replace(added, added + theirs, 1)) == base.replace(
        added, added + mine + theirs, 1
    )


def test_headings_with_numbers_like_those_of_versions_are_no_sequence() -> None:
    base = "## 1.1 Paint\n\nText of it.\n"
    both = ("\n## 1.2 Doors\n\nOak wood.\n", "\n## 1.2 Lamps of glass\n\nTwelve.\n")
    found = merge(base, *(base + each for each in both))
    assert (found.text, found.notes, found.questions) == (base + "".join(both), [], [])


def test_what_two_entries_have_alike_stays_in_both_while_both_stay() -> None:
    same = "### Cache of pages\n\nRedis keeps them for an hour.\n\n"
    new = "## Delivery to shops\n\nBy lorry, on Mondays.\n\n"
    base, end = "## Plan\n\nText of the plan.\n\n", "## End\n\nNothing.\n"
    assert merged(base + end, base + same + end, base + new + same + end) == base + same + new + same + end
    more = f"{end}\nThat was all.\n"
    assert merged(base + end, base + same + more, new + same + end) == new + same + more


def test_what_one_side_took_out_does_not_come_back_below_a_new_heading() -> None:
    base, others = "## Delivery\nSteps:\n", "## Transport to the shops\nSteps:\n"
    assert merged(base, "## Delivery\n", others) == "## Transport to the shops\n"


# What it is made of


def test_of_lines_in_another_order_as_many_as_can_be_stay() -> None:
    assert _anchors([*"xbcdaey"], [*"zabcdew"], (0, 7, 0, 7)) == [(1, 2), (2, 3), (3, 4), (5, 5)]


def test_a_side_is_contained_in_the_other_when_that_has_its_headings_too() -> None:
    base = "# Log\n\n## One\n\nText.\n\n## Two\n"
    more = base.replace("Text.\n", "Text.\n\nMore.\n")
    whole = more.replace("More.\n", "More.\n\nStill more.\n")
    assert is_contained(base, whole, more)
    assert not is_contained(base, whole, more.replace("## Two\n", ""))


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("- a\n  wrapped\n- b\n  more\n", ["item", "item"]),
        ("\n| T-1 | a |\n| T-2 | b |\n", ["row", "row"]),
        ("Gulls.\n| A | B |\n|---|---|\n| 1 | 2 |\n", ["paragraph", "table", "row"]),
    ],
)
def test_a_text_is_taken_apart_into_its_blocks(text: str, pieces: list[str]) -> None:
    assert [piece.kind for piece in read(text)[0].all()][1:] == pieces


def test_a_count_that_the_base_does_not_have_is_none_that_both_raised() -> None:
    base = "# Log\n\n**Gulls:** Ten\n"
    ours, theirs = (base.replace("Ten", number) for number in ("12", "13"))
    assert "**Gulls:** 12\n" in merge(base, ours, theirs).text
    assert "the other side had: **Gulls:** 13" in merge(base, ours, theirs).text
    assert merged(base.replace("Ten", "10"), ours, theirs) == theirs


@pytest.mark.parametrize(
    ("own", "theirs", "most"), [("a", "a", False), ("abcde", "abfgh", False), ("abc", "abz", True)]
)
def test_blocks_are_one_by_most_of_their_lines_and_more_than_one(own: str, theirs: str, *, most: bool) -> None:
    [piece] = read("Gulls.\n")
    assert _are_most_shared(piece, {*own}, piece, {*theirs}) is most


def test_a_number_is_told_by_a_row_or_a_heading_not_by_what_is_done() -> None:
    text = "## T12 Paint the hut\n- T13: Feed the gulls\n- T14 is done\n| T15. | Count the chips | open |\n"
    assert [number for _, number in _definitions(text)] == ["12", "13", "15"]


@pytest.mark.parametrize("below", ["| T1 | Begin |\n", "| T0 | Plan |\n"])
def test_two_rows_of_one_number_that_tell_of_different_things_both_stay(below: str) -> None:
    head = "| ID | Title |\n|----|----|\n"
    base = f"## Active\n\n{head}| T1 | Begin |\n\n## Done\n\n{head}| T0 | Plan |\n"
    rows = ("| T900 | Write the manual |\n", "| T900 | Paint a fence |\n")
    mine, others = base.replace("Begin |\n", f"Begin |\n{rows[0]}"), base.replace(below, below + rows[1])
    for found in (merged(base, mine, others), merged(base, others, mine)):
        assert MARK not in found
        assert [found.count(row) for row in rows] == [1, 1]


def test_a_field_that_moved_along_with_its_paragraph_is_gone_where_it_stood() -> None:
    told, field = "The way it was done, in full.\n\n", "Next: seven\n"
    base = f"# S\n\n## Alpha of the parts\n\n{told}{field}\n## Beta of the parts\n\nAnother text that stands here.\n"
    moved = base.replace(f"{told}{field}\n", "") + f"\n{told}{field}"
    changed = base.replace("seven", "eight")
    assert merged(base, moved, base.replace(f"{field}\n", "")) == moved
    assert merged(base, moved, changed).count("Next: eight\n") == 1
    assert merged(base, moved, changed).count(field) == 1
