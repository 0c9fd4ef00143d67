"""Pruning: what leaves a memory, that it is in the archive, and that it comes back."""

import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import draws
from memdown import Memory
from memdown.archiver import ArchivePlan
from memdown.dialects.layers import summary
from memdown.dialects.layers.headings import HISTORIES
from memdown.errors import Invalid, NotFound, Stale
from memdown.limits.settings import LayerSettings
from memdown.memory.layers.store import shortened
from memdown.settings.config import Config
from samples import put

NOW = datetime(2026, 2, 10, tzinfo=UTC)
HOME = "memory/skills/code-review/my-api"
ID = "skill-specific/code-review/my-api"


def store(root: Path, today: str = "2026-02-10") -> Memory:
    return Memory(root, now=lambda: datetime.fromisoformat(today).replace(tzinfo=UTC))


def pruned(root: Path, file_type: str, text: str, *, few: bool = False) -> ArchivePlan:
    """What pruning makes of a text whose archive, if any, is in the store."""
    limits = LayerSettings(keep_reviews=2, keep_sessions=2, keep_commands=2) if few else LayerSettings()
    memory = Memory(root, now=lambda: NOW, settings=Config(layers=limits))
    return shortened(memory, f"{HOME}/{file_type}.md", f"{HOME}/{file_type}_archive.md", file_type, text)


def archive_of(plan: ArchivePlan) -> str:
    return "".join(after for _, after in plan.archives.values())


def review(number: int, day: str = "") -> str:
    return f"## Review #{number}{f' - {day}' if day else ''}\n\nFinding {number} in `src/a{number}.py`.\n\n"


def reviews(*numbers: int) -> str:
    return "<!-- Last Updated: 2026-01-01 -->\n\n# Reviews\n\n" + "".join(review(number) for number in numbers)


def numbers(path: Path) -> list[int]:
    return [int(each) for each in re.findall(r"^## (?:Review|Session) #(\d+)", path.read_text(), re.M)]


def bytes_below(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in (root / "memory").rglob("*.md")}


# Reviews


@pytest.mark.parametrize(("before", "gone"), [(9, 0), (10, 0), (11, 1), (13, 3)])
def test_appending_a_review_archives_all_but_ten(tmp_path: Path, before: int, gone: int) -> None:
    main = put(tmp_path, f"{HOME}/review_history.md", reviews(*range(1, before + 1)))
    done = store(tmp_path).layers.append(f"{ID}/review_history", review(before + 1))
    assert numbers(main) == list(range(gone + 1, before + 2))
    archive = tmp_path / HOME / "review_history_archive.md"
    assert archive.exists() == bool(gone)
    assert (done.pruned, len(done.prune_details or ())) == (bool(gone), gone)
    if gone:
        assert numbers(archive) == list(range(1, gone + 1))
        assert archive.read_text().startswith(
            "<!-- Last Updated: 2026-02-10 -->\n\n# Review History Archive\n\n## Review #1\n"
        )
    assert main.read_text().startswith("<!-- Last Updated: 2026-02-10 -->\n\n# Reviews\n\n## Review")


def test_a_file_with_the_newest_on_top_keeps_them_and_its_summary(tmp_path: Path) -> None:
    text = "# Reviews\n\n" + "".join(review(n, f"2026-01-{n:02}") + "---\n\n" for n in range(13, 0, -1))
    text += "## Summary Statistics\n\n- 13 reviews\n\n## Goals for Q2\n\n- fewer\n"
    main = put(tmp_path, f"{HOME}/review_history.md", text)
    store(tmp_path).layers.append(f"{ID}/review_history", review(14, "2026-01-20"))
    assert numbers(main) == [*range(13, 3, -1), 14]
    assert "## Summary Statistics\n\n- 13 reviews\n\n## Goals for Q2\n\n- fewer\n" in main.read_text()
    archive = (tmp_path / HOME / "review_history_archive.md").read_text()
    assert numbers(tmp_path / HOME / "review_history_archive.md") == [1, 2, 3]
    assert "Summary" not in archive
    assert "Goals" not in archive


def test_what_cannot_be_dated_is_not_pruned(tmp_path: Path) -> None:
    text = "# Reviews\n\n" + "".join(f"## Review - Jan {day}, 2026\n\n{day}\n\n" for day in range(12, 0, -1))
    main = put(tmp_path, f"{HOME}/review_history.md", f"{text}## Review - some day\n\nx\n")
    done = store(tmp_path).layers.prune()
    assert [each.reason.partition(" is")[0] for each in done.pruned] == ["Review - Jan 1, 2026", "Review - Jan 2, 2026"]
    assert done.warnings == [f"{ID}/review_history: Review - some day has no date that can be read, so it stays."]
    assert "## Review - Jan 12, 2026" in main.read_text()
    assert "## Review - some day" in main.read_text()


def test_headings_that_are_no_entries_are_not_counted(tmp_path: Path) -> None:
    text = reviews(*range(1, 10)) + "## Review Process\n\nHow.\n\n```md\n## Review #99\n```\n"
    main = put(tmp_path, f"{HOME}/review_history.md", text)
    assert not store(tmp_path).layers.append(f"{ID}/review_history", review(10)).pruned
    assert not store(tmp_path).layers.append(f"{ID}/review_history", review(11)).pruned
    done = store(tmp_path).layers.append(f"{ID}/review_history", review(12))
    assert [each.reason for each in done.prune_details or ()] == [
        "Review #1 is older than the 10 reviews that are kept."
    ]
    assert "## Review Process\n\nHow.\n\n```md\n## Review #99\n```\n" in main.read_text()


def test_reviews_without_number_or_date_go_from_the_top(tmp_path: Path) -> None:
    text = "# Reviews\n\n" + "".join(f"## Review\n\n{word}\n\n" for word in "abcdefghijk")
    put(tmp_path, f"{HOME}/review_history.md", text)
    store(tmp_path).layers.append(f"{ID}/review_history", "## Review\n\nl\n")
    assert "## Review\n\na\n" in (tmp_path / HOME / "review_history_archive.md").read_text()


def test_what_an_archive_holds_already_is_not_added_again(tmp_path: Path) -> None:
    """As after a crash of another program between the archive and the memory."""
    main = put(tmp_path, f"{HOME}/review_history.md", reviews(*range(1, 13)))
    archive = put(tmp_path, f"{HOME}/review_history_archive.md", f"# Old\n\n{review(1)}")
    store(tmp_path).layers.prune()
    assert numbers(archive) == [1, 2]
    assert numbers(main) == list(range(3, 13))


def test_an_archive_that_would_hide_what_leaves_takes_nothing(tmp_path: Path) -> None:
    main = put(tmp_path, f"{HOME}/review_history.md", reviews(*range(1, 12)))
    archive = put(tmp_path, f"{HOME}/review_history_archive.md", "# Old\n\n```\nnever closed\n")
    left = "Its archive would not show what leaves it, so it is left; close the code fences of both."
    done = store(tmp_path).layers.append(f"{ID}/review_history", review(12))
    assert (done.pruned, done.warning) == (False, left)
    assert store(tmp_path).layers.prune().warnings == [f"{ID}/review_history: {left}"]
    assert numbers(main) == list(range(1, 13))
    archive.write_text("# Old\n\n```\nclosed\n```\n")
    store(tmp_path).layers.prune()
    assert (numbers(archive), numbers(main)) == ([1, 2], list(range(3, 13)))


def test_equal_entries_are_each_kept(tmp_path: Path) -> None:
    put(tmp_path, f"{HOME}/review_history.md", reviews())
    for _ in range(25):
        store(tmp_path).layers.append(f"{ID}/review_history", review(1, "2026-01-01"))
    both = [len(numbers(tmp_path / HOME / name)) for name in ("review_history.md", "review_history_archive.md")]
    assert both == [11, 14]


def test_line_ends_and_other_sections_stay_as_they_are(tmp_path: Path) -> None:
    text = "\ufeff" + reviews(*range(1, 12)).replace("\n", "\r\n") + "## Goals\r\n\r\n* a \r\n"
    main = put(tmp_path, f"{HOME}/review_history.md", text)
    store(tmp_path).layers.prune()
    after = main.read_bytes().decode()
    assert after == text.replace(review(1).replace("\n", "\r\n"), "").replace("2026-01-01", "2026-02-10")
    assert b"\r\n\r\n## Review #1\r\n" in (tmp_path / HOME / "review_history_archive.md").read_bytes()


# Issues: the vectors


@pytest.mark.parametrize(
    ("status", "what"),
    [
        ("Resolved (2026-01-05)", "removed"),
        ("Resolved (2026-01-12)", "kept"),
        ("Resolved (2026-01-11)", "removed"),
        ("✅ Fixed in PR #234 (2025-01-10)", "removed"),
        ("Resolved", "kept"),
        ("Resolved (2026-02-30)", "kept"),
        ("Investigating (2025-10-15)", "tagged"),
        ("Investigating (2025-11-12)", "tagged"),
        ("Investigating (2025-11-13)", "kept"),
        ("Mostly resolved (2025-01-01)", "tagged"),
        ("not resolved (2025-01-01)", "tagged"),
        ("In Progress (2024-01-01)", "kept"),
        ("🔄 In Progress (2024-01-01)", "kept"),
        ("Ongoing", "kept"),
        ("Investigating (2025-10-15) [VERIFY STATUS]", "kept"),
        ("Investigating (2026-02-01) [VERIFY STATUS]", "untagged"),
    ],
)
def test_what_becomes_of_an_issue(tmp_path: Path, status: str, what: str) -> None:
    before = f"<!-- Last Updated: 2026-01-01 -->\n\n# Issues\n\n## 🔴 High\n\n### A\n**Status**: {status}\n\n---\n\n### B\nNo status.\n"
    done = pruned(tmp_path, "known_issues", before)
    stamped = before.replace("2026-01-01 -->", "2026-02-10 -->")
    expected = {
        "kept": before,
        "removed": stamped.replace(f"### A\n**Status**: {status}\n\n---\n\n", ""),
        "tagged": stamped.replace(f": {status}", f": {status} [VERIFY STATUS]"),
        "untagged": stamped.replace(" [VERIFY STATUS]", ""),
    }
    assert done.after == expected[what]
    put(tmp_path, f"{HOME}/known_issues_archive.md", archive_of(done))
    assert pruned(tmp_path, "known_issues", done.after).after == done.after
    if what == "removed":
        assert f"### A\n**Status**: {status}\n" in archive_of(done)
    assert [each.action for each in done.done] == {"removed": ["removed"], "kept": []}.get(what, ["flagged"])


def test_the_example_of_the_contract(tmp_path: Path) -> None:
    text = (
        "# Known Issues\n\n## High\n\n### N+1 Query in Order History\n**Status**: Resolved (2026-01-05)\n\n"
        "### Missing CancellationToken\n**Status**: In Progress\n\n"
        "### Old Singleton Issue\n**Status**: Investigating (2025-10-15)\n"
    )
    main = put(tmp_path, f"{HOME}/known_issues.md", text)
    done = store(tmp_path).layers.append(f"{ID}/known_issues", "### New\n**Status**: Open (2026-02-10)\n")
    assert [each.action for each in done.prune_details or ()] == ["removed", "flagged"]
    assert "36 days" in (done.prune_details or [])[0].reason
    assert "118 days" in (done.prune_details or [])[1].reason
    assert main.read_text() == (
        "<!-- Last Updated: 2026-02-10 -->\n\n# Known Issues\n\n## High\n\n"
        "### Missing CancellationToken\n**Status**: In Progress\n\n"
        "### Old Singleton Issue\n**Status**: Investigating (2025-10-15) [VERIFY STATUS]\n\n"
        "### New\n**Status**: Open (2026-02-10)\n"
    )
    assert "### N+1 Query in Order History" in (tmp_path / HOME / "known_issues_archive.md").read_text()


def test_updating_does_not_prune_and_an_undated_issue_is_told(tmp_path: Path) -> None:
    layers = store(tmp_path).layers
    layers.create({"layer": "skill", "skillName": "code-review", "projectName": "my-api", "fileType": "known_issues"})
    layers.update(f"{ID}/known_issues", "### A\n**Status**: Resolved (2020-01-01)\n\n### B\n**Status**: Fixed\n")
    assert "### A" in (tmp_path / HOME / "known_issues.md").read_text()
    done = layers.prune(dry_run=True)
    assert [each.action for each in done.pruned] == ["removed"]
    assert done.warnings == [f"{ID}/known_issues: B is resolved without a date, so it stays."]


# Sessions


def session(number: int, passed: int, failed: int) -> str:
    return f"## Session #{number} - 2026-01-{number:02}\n\n**Passed**: {passed}\n**Failed**: {failed}\n\n"


def test_older_sessions_become_one_summary_and_their_text_is_in_the_archive(tmp_path: Path) -> None:
    text = "# Results\n\n" + "".join(session(n, n, 1) for n in range(1, 17)) + "## Notes\n\nKept.\n"
    main = put(tmp_path, f"{HOME}/test_results_history.md", text)
    layers = store(tmp_path).layers
    layers.append(f"{ID}/test_results_history", session(17, 17, 0))
    assert numbers(main) == list(range(3, 18))
    assert main.read_text().endswith(
        "## Historical Summary\n\n- Sessions summarised: 2, 2026-01-01 to 2026-01-02\n- Passed: 3, Failed: 2\n"
        "- Session #1 - 2026-01-01: 1 passed, 1 failed\n- Session #2 - 2026-01-02: 2 passed, 1 failed\n"
    )
    layers.append(f"{ID}/test_results_history", session(18, 18, 5))
    after = main.read_text()
    assert after.count("## Historical Summary") == 1
    assert after.endswith(
        "- Sessions summarised: 3, 2026-01-01 to 2026-01-03\n- Passed: 6, Failed: 3\n"
        "- Session #1 - 2026-01-01: 1 passed, 1 failed\n- Session #2 - 2026-01-02: 2 passed, 1 failed\n"
        "- Session #3 - 2026-01-03: 3 passed, 1 failed\n"
    )
    assert "## Notes\n\nKept.\n" in after
    archive = (tmp_path / HOME / "test_results_history_archive.md").read_text()
    assert all(session(n, n, 1).strip() in archive for n in (1, 2, 3))
    assert not layers.prune().pruned


def test_what_people_wrote_into_a_summary_stays(tmp_path: Path) -> None:
    text = "## Historical Summary\n\nBefore June all was green.\n\n" + "".join(session(n, n, 0) for n in range(1, 17))
    main = put(tmp_path, f"{HOME}/test_results_history.md", text)
    store(tmp_path).layers.prune()
    assert main.read_text().endswith("- Session #1 - 2026-01-01: 1 passed, 0 failed\n\nBefore June all was green.\n")


def test_results_in_other_words(tmp_path: Path) -> None:
    text = "# R\n\n" + "".join(
        f"## Test Session #{n} - 2026-01-{n:02} 14:30\n\n45 passed, 5 failed, 2 skipped\n\n" for n in range(1, 17)
    )
    done = pruned(tmp_path, "test_results_history", text)
    assert "- Test Session #1 - 2026-01-01 14:30: 45 passed, 5 failed, 2 skipped\n" in done.after


def test_a_number_of_another_line_or_of_a_date_is_no_result() -> None:
    text = "## Session #1 - 2026-08-13\n\nPassed: 4\nFailed: 1\nskipped\n"
    assert summary.session("Session #1", text, None).counts == (("passed", 4), ("failed", 1))
    text = "## Session 2026-08-13 passed\n\nAll of v1.2 passed at 14:30, 7 failed\n"
    assert summary.session("Session", text, None).counts == (("failed", 7),)
    text = "## Session 3\n\n2 Passed: 12\n"
    assert summary.session("Session 3", text, None).counts == (("passed", 12),)


# Commands, patterns, scopes


def test_commands_go_to_the_archive_after_fifty(tmp_path: Path) -> None:
    text = "# Command History - my-api\n\n" + "".join(
        f"## 2026-01-01 {n // 60:02}:{n % 60:02} - /analyze src/{n}\n**Result**: {n}\n\n" for n in range(52)
    )
    main = put(tmp_path, "memory/commands/my-api/command_history.md", text)
    done = store(tmp_path).layers.prune(scope="project", project_name="my-api")
    assert len(done.pruned) == 2
    assert "src/1\n" not in main.read_text()
    assert "src/2\n" in main.read_text()
    assert "/analyze src/1\n" in (tmp_path / "memory/commands/my-api/command_history_archive.md").read_text()


def test_patterns_are_flagged_from_the_fifth_invocation_on(tmp_path: Path) -> None:
    layers = store(tmp_path).layers
    layers.upsert(f"{ID}/common_patterns", "# Patterns\n")
    flagged = [bool(layers.append(f"{ID}/common_patterns", f"- p{n}").prune_details) for n in range(9)]
    assert flagged == [False, False, False, True, True, True, True, True, True]
    before = bytes_below(tmp_path)
    assert [each.action for each in layers.prune().pruned] == ["flagged"]
    assert bytes_below(tmp_path) == before
    layers.record_invocation("code-review", "my-api")
    assert layers.prune().pruned


def test_scopes(tmp_path: Path) -> None:
    for place in (
        "skills/a/one",
        "skills/a/two",
        "skills/b/one",
        "projects/one",
        "commands/one",
        "agents/one",
    ):
        put(tmp_path, f"memory/{place}/review_history.md", reviews(*range(1, 12)))
    layers = store(tmp_path).layers

    def ids(**chosen: str) -> set[str]:
        return {each.id.removesuffix("/review_history") for each in layers.prune(dry_run=True, **chosen).pruned}  # type: ignore[arg-type]

    assert ids(scope="project", project_name="one") == {
        "skill-specific/a/one",
        "skill-specific/b/one",
        "shared-project/one",
        "command/one",
    }
    assert ids(scope="skill", skill_name="a") == {"skill-specific/a/one", "skill-specific/a/two"}
    assert ids(scope="skill", skill_name="a", project_name="two") == {"skill-specific/a/two"}
    assert len(ids()) == 6
    for scope in ("project", "skill", "other"):
        with pytest.raises(Invalid):
            layers.prune(scope=scope)
    assert layers.prune({"scope": "project", "projectName": "one", "dryRun": True}).pruned
    with pytest.raises(Invalid):
        layers.prune({"scopes": "all"})


# Dry run and undo


def full_store(root: Path) -> Memory:
    put(root, f"{HOME}/review_history.md", reviews(*range(1, 15)))
    put(
        root,
        f"{HOME}/known_issues.md",
        "### A\n**Status**: Resolved (2020-01-01)\n\n### B\n**Status**: Open (2020-01-01)\n",
    )
    put(root, f"{HOME}/test_results_history.md", "".join(session(n, n, 0) for n in range(1, 19)))
    put(root, "memory/projects/my-api/project_profile.md", "# Old, and not touched\n")
    return store(root)


def test_a_dry_run_tells_the_same_and_leaves_every_byte(tmp_path: Path) -> None:
    memory = full_store(tmp_path)
    before = bytes_below(tmp_path)
    told = memory.layers.prune(dry_run=True)
    assert bytes_below(tmp_path) == before
    assert not (tmp_path / ".memdown").exists()
    assert memory.layers.prune() == told
    after = bytes_below(tmp_path)
    assert after["memory/projects/my-api/project_profile.md"] == before["memory/projects/my-api/project_profile.md"]
    assert memory.layers.prune().pruned == []
    assert bytes_below(tmp_path) == after


def test_undo_brings_back_every_byte(tmp_path: Path) -> None:
    memory = full_store(tmp_path)
    before = bytes_below(tmp_path)
    memory.layers.prune()
    assert bytes_below(tmp_path) != before
    told = memory.undo(write=False)
    assert len(told.files) == 6
    memory.undo()
    assert bytes_below(tmp_path) == before
    with pytest.raises(NotFound):
        memory.undo()


def test_undoing_an_append_undoes_its_pruning_too(tmp_path: Path) -> None:
    main = put(tmp_path, f"{HOME}/review_history.md", reviews(*range(1, 11)))
    memory = store(tmp_path)
    memory.layers.append(f"{ID}/review_history", review(11))
    memory.undo()
    assert numbers(main) == list(range(1, 11))
    assert not (tmp_path / HOME / "review_history_archive.md").exists()


def test_undo_leaves_alone_what_changed_since(tmp_path: Path) -> None:
    memory = full_store(tmp_path)
    memory.layers.prune()
    put(tmp_path, f"{HOME}/known_issues.md", "Somebody was here.\n")
    after = bytes_below(tmp_path)
    with pytest.raises(Stale):
        memory.undo()
    assert bytes_below(tmp_path) == after


def test_prunings_are_taken_back_one_after_the_other(tmp_path: Path) -> None:
    main = put(tmp_path, f"{HOME}/review_history.md", reviews(*range(1, 15)))
    before = main.read_bytes()
    memory = store(tmp_path)
    memory.layers.prune()
    put(tmp_path, f"{HOME}/known_issues.md", "### A\n**Status**: Resolved (2020-01-01)\n")
    memory.layers.prune()
    assert [each.name for each in memory.undo().files][-1].endswith("known_issues.md")
    memory.undo()
    assert main.read_bytes() == before


# Nothing is lost

LINES = st.lists(
    st.sampled_from(
        [
            *("## Review #1", "## Review", "## Review #2 - 2026-01-01", "## Review: 2025-03-01", "# Top", "## Summary"),
            *(
                "### A",
                "### B",
                "**Status**: Resolved (2020-01-01)",
                "**Status**: Open (2020-01-01)",
                "---",
                "",
                "text",
            ),
            *(
                "## Session 1",
                "## Session: 2026-01-01",
                "## Historical Summary",
                "```",
                "Passed: 3",
                "## 2026-01-01 - /x",
            ),
        ]
    ),
    max_size=60,
)


@draws(200)
@given(LINES, st.sampled_from(["\n", "\r\n"]), st.sampled_from([*HISTORIES, "known_issues"]))
def test_every_line_is_in_the_memory_or_its_archive(lines: list[str], eol: str, file_type: str) -> None:
    text = eol.join(f"{line} {number}" if line and line[0] in "#t" else line for number, line in enumerate(lines))
    with TemporaryDirectory() as folder:
        done = pruned(Path(folder), file_type, text, few=True)
        again = pruned(Path(folder), file_type, done.after, few=True)
    before, after = counted(text), counted(done.after + eol + archive_of(done))
    lost = {line: count - after[line] for line, count in before.items() if after[line] < count}
    assert not {line: count for line, count in lost.items() if not line.startswith("## Historical Summary")}
    assert again.after == done.after
    assert not again.done


def counted(text: str) -> Counter[str]:
    lines = (line.replace(" [VERIFY STATUS]", "").strip() for line in re.split(r"\r\n|\n|\r", text))
    return Counter(line for line in lines if line)
