"""The journal as memdown writes it: newest first, by the smallest edit, and read back as it was meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from memdown.dialects import read_as
from memdown.dialects.journal import write, write_sessions, write_tasks
from memdown.dialects.journal.edits import history
from memdown.dialects.journal.faults import faults
from memdown.dialects.journal.sections import state_word
from memdown.dialects.journal.sessions import cache, session
from memdown.dialects.journal.tasks import registry, task_file
from memdown.dialects.journal.write_edits import NewModification, change_text, entry_head, insert_entry, new_history
from memdown.dialects.journal.write_tasks import NewTask
from memdown.errors import Invalid, MemdownError, Refused
from memdown.record import Record
from memdown.text import Span, apply

NOW = "2025-12-05 17:18:15 UTC"
TASK = NewTask(id="T7", title="Parser | lexer", started="2025-12-05", dependencies=("T1",))


def entry(time: str, description: str = "Something") -> str:
    head = entry_head(time=time, zone="UTC", tasks=("T1",), description=description)
    return head + change_text(NewModification("Created", "a b.md", "New"))


# Edit entries


def test_an_entry() -> None:
    head = entry_head(time="14:30:15", zone="IST", tasks=("T21", "META-1"), description="Viewer")
    changes = (NewModification("Created", "a.md", "New"), NewModification("Deleted", "b.md", "Old"))
    text = head + "".join(change_text(change) for change in changes)
    assert text == "#### 14:30:15 IST - T21, META-1: Viewer\n- Created `a.md` - New\n- Deleted `b.md` - Old\n"


def test_the_first_entry_of_a_history() -> None:
    text = new_history(NOW)
    assert apply(text, insert_entry(text, date="2025-12-05", entry=entry("10:00:00"))) == (
        "# Edit History\n*Created: 2025-12-05 17:18:15 UTC*\n*Last Updated: 2025-12-05 17:18:15 UTC*\n\n"
        "### 2025-12-05\n\n#### 10:00:00 UTC - T1: Something\n- Created `a b.md` - New\n"
    )


def test_newest_day_and_newest_entry_first() -> None:
    text = new_history(NOW)
    times = [("2025-12-05", "10:00"), ("2025-12-06", "09:00"), ("2025-12-05", "11:00"), ("2025-12-04", "12:00"),
             ("2025-12-05", "08:00"), ("2025-12-05", "10:30")]  # fmt: skip
    for date, time in times:
        text = apply(text, insert_entry(text, date=date, entry=entry(time), now="2025-12-07 10:00:00 UTC"))
    reading = history(text)
    assert [(each.date, each.time) for each in reading.entries] == sorted(
        ((date, f"{time}:00") for date, time in times), reverse=True
    )
    assert reading.deviations == ()
    assert "*Last Updated: 2025-12-07 10:00:00 UTC*" in text


def test_what_people_wrote_stays() -> None:
    text = (
        "# Edit History\r\n\r\nOur log.\r\n\r\n## 2025-12-05\r\n\r\n### 09:00 — by hand\r\n- `x.md`\r\n\r\nNotes.\r\n"
    )
    edits = insert_entry(text, date="2025-12-05", entry=entry("10:00"))
    done = apply(text, edits)
    assert len(edits) == 1
    assert edits[0].span.start == edits[0].span.end
    assert done.replace(edits[0].new, "") == text
    assert "\n" not in done.replace("\r\n", "")
    assert [each.time for each in history(done).entries] == ["10:00:00", "09:00:00"]


@pytest.mark.parametrize(
    "fault",
    [
        lambda: entry_head(time="9:00", zone=None, tasks=(), description="x"),
        lambda: entry_head(time="25:00", zone=None, tasks=(), description="x"),
        lambda: entry_head(time="10:00", zone="utc", tasks=(), description="x"),
        lambda: entry_head(time="10:00", zone=None, tasks=("x",), description="x"),
        lambda: entry_head(time="10:00", zone=None, tasks=(), description="a\n#### 11:00 - b"),
        lambda: entry_head(time="10:00", zone=None, tasks=(), description=" "),
        lambda: change_text(NewModification("Fixed", "a", "b")),
        lambda: change_text(NewModification("Created", "a`b", "b")),
        lambda: change_text(NewModification("Created", "a", "")),
    ],
)  # fmt: skip
def test_values_that_no_entry_can_hold(fault: object) -> None:
    assert callable(fault)
    with pytest.raises(Invalid):
        fault()


WORDS = st.from_regex(r"[A-Za-zäé][A-Za-z0-9äé .,!-]{0,20}[a-zé]", fullmatch=True).filter(
    lambda words: not words[1].isdigit()
)
PATHS = st.from_regex(r"[a-z][a-z0-9_ -]{0,6}(/[a-z0-9_.-]{1,8}){0,3}\.md", fullmatch=True)
CHANGES = st.lists(
    st.builds(NewModification, st.sampled_from(["Created", "Modified", "Updated", "Deleted"]), PATHS, WORDS), max_size=4
)
ENTRIES = st.tuples(
    st.dates().map(str),
    st.times().map(lambda time: time.strftime("%H:%M:%S")),
    st.sampled_from([None, "UTC", "IST", "CEST"]),
    st.lists(st.sampled_from(["T1", "T20", "META-1", "T5a"]), max_size=2, unique=True),
    WORDS,
    CHANGES,
)


@given(st.lists(ENTRIES, max_size=6))
def test_what_is_written_is_read(
    entries: list[tuple[str, str, str | None, list[str], str, list[NewModification]]],
) -> None:
    text = new_history(NOW)
    for date, time, zone, tasks, description, changes in entries:
        head = entry_head(time=time, zone=zone, tasks=tasks, description=description)
        made = head + "".join(change_text(change) for change in changes)
        text = apply(text, insert_entry(text, date=date, entry=made))
    reading = history(text)
    told = [(each.date, each.time, each.zone, list(each.tasks), len(each.modifications)) for each in reading.entries]
    meant = [(date, time, zone, tasks, len(changes)) for date, time, zone, tasks, _, changes in entries]
    assert sorted(map(str, told)) == sorted(map(str, meant))
    assert [each.date for each in reading.days] == sorted({date for date, *_ in entries}, reverse=True)
    assert {each.name for each in reading.deviations} <= {"mod-deleted-unsupported", "task-id-extended"}


# The registry


def test_a_new_registry_and_its_first_task() -> None:
    text = write_tasks.new_registry(NOW)
    text = apply(text, write_tasks.insert_row(text, TASK))
    [row] = registry(text).tasks
    assert (row.id, row.title, row.status, row.dependencies) == ("T7", "Parser | lexer", "in_progress", ("T1",))
    assert "| T7 | Parser \\| lexer | 🔄 | MEDIUM | 2025-12-05 | T1 | [Details](tasks/T7.md) |\n" in text
    assert registry(text).deviations == ()


def test_a_row_for_the_columns_that_are_there() -> None:
    text = "# Tasks\n\n| ID | Owner | Title | Status |\n|---|---|---|---|\n| T1 | me | x | ✅ |\n\nEnd.\n"
    done = apply(text, write_tasks.insert_row(text, TASK))
    assert done == text.replace("| ✅ |\n", "| ✅ |\n| T7 | - | Parser \\| lexer | 🔄 |\n")


def test_a_status_changes_one_cell() -> None:
    text = write_tasks.new_registry(NOW)
    text = apply(text, write_tasks.insert_row(text, TASK))
    [edit] = write_tasks.update_row(text, "T7", {"status": "paused"})
    assert (edit.span.of(text), edit.new) == ("🔄", "⏸️")
    with pytest.raises(Refused):
        write_tasks.insert_row(text, TASK)
    with pytest.raises(MemdownError):
        write_tasks.update_row(text, "T8", {"status": "paused"})


def test_a_completed_task_goes_to_the_other_table() -> None:
    text = write_tasks.new_registry(NOW)
    text = apply(text, write_tasks.insert_row(text, TASK))
    done = apply(text, write_tasks.complete_row(text, "T7", "2025-12-06"))
    [row] = registry(done).tasks
    assert (row.section, row.status, row.cells["completed"].value) == ("Completed Tasks", "completed", "2025-12-06")


def test_the_next_id() -> None:
    assert write_tasks.next_id(["T1", "T9a", "META-4", "T99", "V100"]) == "T100"
    assert write_tasks.next_id([]) == "T1"


# Task files


def test_a_task_file_is_read_as_it_was_meant() -> None:
    text = write_tasks.task_text(TASK, NOW)
    [task] = task_file(text).tasks
    assert (task.id, task.title, task.status, task.dependencies) == ("T7", "Parser | lexer", "in_progress", ("T1",))
    assert task_file(text).deviations == ()


def test_hand_written_sections_survive() -> None:
    text = "# T7: x\n\n**Status**: 🔄 Doing it\n**Priority**: HIGH\n\n## My own\n\n**Status**: of a part\n\nText.\n"
    edits = write_tasks.update_file(text, {"Status": "paused", "Reason": "No time", "Priority": "HIGH"})
    assert apply(text, edits) == (
        "# T7: x\n\n**Status**: ⏸️ Paused\n**Priority**: HIGH\n**Reason**: No time\n\n## My own\n\n"
        "**Status**: of a part\n\nText.\n"
    )


def test_a_step_is_marked_as_it_is_written() -> None:
    text = "# T7: x\n\n## Progress\n- [ ] a\n1. 🔄 b\n"
    [task] = task_file(text).tasks
    edits = [edit for step in task.steps for edit in write_tasks.mark_step(text, step, "completed")]
    assert apply(text, edits) == "# T7: x\n\n## Progress\n- [x] a\n1. ✅ b\n"


# Sessions


def test_a_session_and_its_notes() -> None:
    text = write_sessions.session_text(date="2025-12-05", period="evening", now=NOW, focus="T7: Parser")
    text = apply(text, write_sessions.add_note(text, "Wrote the lexer"))
    text = apply(text, write_sessions.add_note(text, "Tested it", now="2025-12-05 19:00:00 UTC"))
    found = session(text)
    assert (found.date, found.period, found.focus, found.deviations) == ("2025-12-05", "evening", "T7: Parser", ())
    assert "## Work Done\n- Wrote the lexer\n- Tested it\n\n## Decisions\n" in text
    ended = apply(text, write_sessions.update_session(text, {"Status": "✅ Completed", "Ended": NOW}))
    assert f"**Status**: ✅ Completed\n**Ended**: {NOW}\n" in ended
    assert write_sessions.session_place("2025-12-05", "evening") == "sessions/2025-12-05-evening.md"


def test_the_cache_changes_by_section() -> None:
    text = write_sessions.cache_text(
        now=NOW, focus="T7", file="2025-12-05-evening.md", counts={"active": 1}, period="evening"
    )
    assert cache(text).deviations == ()
    text += "\n## My own\n\nText.\n"
    for number in range(1, 7):
        text = apply(text, write_sessions.push_history(text, f"2025-12-0{number}-night.md", "x"))
    text = apply(text, write_sessions.set_counts(text, {"active": 2, "completed": 3}))
    text = apply(text, write_sessions.update_session(text, {"Focus Task": "T8: Next"}, now="2025-12-06 10:00:00 UTC"))
    text = apply(text, write_sessions.set_overview(text, "Current Period", "night"))
    found = cache(text)
    assert found.history == tuple(f"2025-12-0{number}-night.md" for number in range(6, 1, -1))
    assert (found.counts["active"], found.counts["completed"], found.focus) == (2, 3, "T8: Next")
    assert "- Current Period: night\n" in text
    assert text.endswith("## My own\n\nText.\n")


# Errors


def test_errors_newest_first() -> None:
    text = write_sessions.new_errors(NOW)
    for number in (1, 2):
        error = write_sessions.error_text(
            now=f"2025-12-0{number} 10:00:00 UTC", title=f"E{number}", task="T7", file="a.py", error="Boom",
            cause="A fuse", fix="Another fuse",
        )  # fmt: skip
        text = apply(text, write_sessions.insert_error(text, error))
    found = faults(text)
    assert [(each.title, each.tasks) for each in found.faults] == [("E2", ("T7",)), ("E1", ("T7",))]
    assert found.deviations == ()


@pytest.mark.parametrize(
    ("above", "new"), [("## Sign-in\n\n", "## 2026-01-02 10:00:00 UTC: New"), ("", "### 2026-01-02 10:00:00 UTC: New")]
)
def test_an_error_takes_in_none_that_stands_in_a_section(above: str, new: str) -> None:
    text = f"# Error Log\n\n{above}### [2025-04-10] Old\n\n#### Issue\nIt broke.\n\n### [2025-04-09] Older\nToo.\n"
    error = write_sessions.error_text(
        now="2026-01-02 10:00:00 UTC", title="New", task=None, file="", error="E", cause="", fix=""
    )
    written = apply(text, write_sessions.insert_error(text, error))
    assert written == text.replace(
        above or "### [2025-04-10]", f"{new}\n**Error:** `E`\n\n{above or '### [2025-04-10]'}", 1
    )
    assert [each.title for each in faults(written).faults] == ["New", "Old", "Older"]


# Where a record goes, and what state it is in


def test_a_record_goes_where_its_kind_is_kept() -> None:
    def place(kind: str, **extra: str) -> str:
        return write.place(Record(id="", dialect="journal", kind=kind, path="", span=Span(0, 0), extra={**extra}))

    assert place("edit") == "edit_history.md"
    assert place("error") == "errorLog.md"
    assert place("session", date="2026-02-01", period="morning") == "sessions/2026-02-01-morning.md"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("In Review", "in_review"),
        ("✅ done", "completed"),
        ("Blocked by Ann", "blocked"),
        ("Ann is blocked", "ann_is_blocked"),
    ],
)
def test_a_state_is_one_word(text: str, word: str) -> None:
    assert state_word(text) == word


def test_an_entry_of_a_day_takes_no_files_that_stand_below_the_day() -> None:
    text = "### 2025-12-05\n\n- Created `a.md` - x\n"
    written = apply(text, insert_entry(text, date="2025-12-05", entry=entry("10:00:00")))
    assert written.startswith(text)
    [first, new] = history(written).entries
    assert [each.path for each in first.modifications] == ["a.md"]
    assert new.time == "10:00:00"


def test_only_a_task_in_its_file_has_a_summary() -> None:
    text = "# T1: Pool\n*Created: 2026-01-01*\n\n**Description**: Old words\n**Status**: \U0001f504\n"
    [task] = read_as("journal", "memory-bank/tasks/T1.md", text)
    assert apply(text, write.update(text, task, structs.replace(task, summary="New words"))) == text.replace(
        "Old", "New"
    )
    for other in (
        structs.replace(task, kind="error"),
        structs.replace(task, extra={**task.extra, "source": "registry"}),
    ):
        with pytest.raises(Refused, match="has no summary here"):
            write.update(text, other, structs.replace(other, summary="New words"))
