"""Anthropic's memory tool: six commands below /memories, in the words models know, on the same store."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.memory import Memory
from memdown.surfaces.memory_tool import MemoryTool
from samples import put
from test_attacks import everything
from test_store_jail import HOSTILE


@pytest.fixture
def tool(tmp_path: Path) -> MemoryTool:
    root = tmp_path / "project"
    put(root, "memories/notes.txt", "one\ntwo\nthree\n")
    put(root, "memories/plans/plan.md", "# Plan\n")
    put(root, "memories/plans/deep/er/x.md", "x" * 2048)
    put(root, "memories/node_modules/pack.md", "left out\n")
    put(root, "memories/.hidden", "left out\n")
    put(tmp_path, "secret.md", "the secret\n")
    return MemoryTool(Memory.open(root))


def run(tool: MemoryTool, command: str, **given: object) -> str:
    answer = tool.run({"command": command, **given})
    assert not answer.is_error, answer
    return answer.text


def refused(tool: MemoryTool, command: str, **given: object) -> str:
    answer = tool.run({"command": command, **given})
    assert answer.is_error, answer
    return answer.text


# view


def test_a_folder_is_shown_two_levels_deep_with_sizes(tool: MemoryTool) -> None:
    assert run(tool, "view", path="/memories") == (
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n"
        "2.0K\t/memories\n"
        "14B\t/memories/notes.txt\n"
        "2.0K\t/memories/plans\n"
        "2.0K\t/memories/plans/deep\n"
        "7B\t/memories/plans/plan.md"
    )


def test_a_memory_that_is_empty_is_shown_too(tmp_path: Path) -> None:
    assert run(MemoryTool(Memory.open(tmp_path)), "view", path="/memories/").endswith(":\n0B\t/memories")


def test_a_file_is_shown_with_line_numbers(tool: MemoryTool) -> None:
    assert run(tool, "view", path="/memories/notes.txt") == (
        "Here's the content of /memories/notes.txt with line numbers:\n     1\tone\n     2\ttwo\n     3\tthree"
    )
    assert run(tool, "view", path="/memories/notes.txt", view_range=[2, -1]).splitlines()[1:] == [
        "     2\ttwo",
        "     3\tthree",
    ]
    assert run(tool, "view", path="/memories/notes.txt", view_range=[2, 2]).splitlines()[1:] == ["     2\ttwo"]
    assert "view_range" in refused(tool, "view", path="/memories/notes.txt", view_range=[3, 1])


def test_a_file_with_too_many_lines_is_not_shown(tool: MemoryTool, tmp_path: Path) -> None:
    put(tmp_path, "project/memories/long.txt", "\n" * 1_000_000)
    assert (
        refused(tool, "view", path="/memories/long.txt")
        == "File /memories/long.txt exceeds maximum line limit of 999,999 lines."
    )


def test_a_path_that_is_not_there_is_told(tool: MemoryTool) -> None:
    assert (
        refused(tool, "view", path="/memories/none.txt")
        == "The path /memories/none.txt does not exist. Please provide a valid path."
    )


# create


def test_a_file_is_created_once(tool: MemoryTool, tmp_path: Path) -> None:
    path = "/memories/new/ideas.txt"
    assert run(tool, "create", path=path, file_text="idea\n") == f"File created successfully at: {path}"
    assert (tmp_path / "project/memories/new/ideas.txt").read_text() == "idea\n"
    assert refused(tool, "create", path=path, file_text="other\n") == f"Error: File {path} already exists"
    assert (
        refused(tool, "create", path="/memories/plans", file_text="x") == "Error: File /memories/plans already exists"
    )


# str_replace


def test_a_text_is_replaced_where_it_stands_once(tool: MemoryTool, tmp_path: Path) -> None:
    told = run(tool, "str_replace", path="/memories/notes.txt", old_str="two", new_str="zwei")
    assert told == (
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
        "     1\tone\n     2\tzwei\n     3\tthree"
    )
    assert (tmp_path / "project/memories/notes.txt").read_text() == "one\nzwei\nthree\n"
    run(tool, "str_replace", path="/memories/notes.txt", old_str="zwei\n")
    assert (tmp_path / "project/memories/notes.txt").read_text() == "one\nthree\n"


def test_a_text_that_is_not_there_or_not_unique_is_told(tool: MemoryTool) -> None:
    path = "/memories/notes.txt"
    assert (
        refused(tool, "str_replace", path=path, old_str="four", new_str="x")
        == f"No replacement was performed, old_str `four` did not appear verbatim in {path}."
    )
    assert refused(tool, "str_replace", path=path, old_str="o", new_str="x") == (
        "No replacement was performed. Multiple occurrences of old_str `o` in lines: 1, 2. Please ensure it is unique"
    )
    for missing in ("/memories/none.txt", "/memories/plans"):
        assert (
            refused(tool, "str_replace", path=missing, old_str="a", new_str="b")
            == f"Error: The path {missing} does not exist. Please provide a valid path."
        )


# insert


@pytest.mark.parametrize(
    ("line", "after"),
    [(0, "new\none\ntwo\nthree\n"), (1, "one\nnew\ntwo\nthree\n"), (3, "one\ntwo\nthree\nnew\n")],
)
def test_a_text_is_inserted_after_a_line(tool: MemoryTool, tmp_path: Path, line: int, after: str) -> None:
    told = run(tool, "insert", path="/memories/notes.txt", insert_line=line, insert_text="new\n")
    assert told == "The file /memories/notes.txt has been edited."
    assert (tmp_path / "project/memories/notes.txt").read_text() == after


@pytest.mark.parametrize("line", [-1, 4, "x", None])
def test_a_line_that_is_not_there_is_told(tool: MemoryTool, line: object) -> None:
    assert refused(tool, "insert", path="/memories/notes.txt", insert_line=line, insert_text="new") == (
        f"Error: Invalid `insert_line` parameter: {line}. It should be within the range of lines of the file: [0, 3]"
    )
    assert (
        refused(tool, "insert", path="/memories/none.txt", insert_line=0, insert_text="x")
        == "Error: The path /memories/none.txt does not exist"
    )


# delete, rename


def test_files_and_folders_are_deleted(tool: MemoryTool, tmp_path: Path) -> None:
    assert run(tool, "delete", path="/memories/notes.txt") == "Successfully deleted /memories/notes.txt"
    assert run(tool, "delete", path="/memories/plans") == "Successfully deleted /memories/plans"
    left = everything(tmp_path / "project")
    assert set(left) == {"memories/node_modules/pack.md", "memories/.hidden"}
    assert refused(tool, "delete", path="/memories/plans") == "Error: The path /memories/plans does not exist"
    assert "itself is not deleted" in refused(tool, "delete", path="/memories/")


def test_files_and_folders_are_renamed(tool: MemoryTool, tmp_path: Path) -> None:
    old, new = "/memories/notes.txt", "/memories/old/notes.txt"
    assert run(tool, "rename", old_path=old, new_path=new) == f"Successfully renamed {old} to {new}"
    assert (tmp_path / "project/memories/old/notes.txt").read_text() == "one\ntwo\nthree\n"
    run(tool, "rename", old_path="/memories/plans", new_path="/memories/done")
    assert (tmp_path / "project/memories/done/deep/er/x.md").exists()
    assert refused(tool, "rename", old_path=old, new_path="/memories/x") == f"Error: The path {old} does not exist"
    assert (
        refused(tool, "rename", old_path=new, new_path="/memories/done")
        == "Error: The destination /memories/done already exists"
    )
    assert "outside it" in refused(tool, "rename", old_path="/memories/done", new_path="/memories/done/in")


# What is refused


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"command": "explode"},
        {"command": "view"},
        {"command": "view", "path": 7},
        {"command": "create", "path": "/memories/x.txt"},
        {"command": "str_replace", "path": "/memories/notes.txt", "old_str": ""},
    ],
)
def test_wrong_input_is_told_in_one_sentence(tool: MemoryTool, given: dict[str, object]) -> None:
    answer = tool.run(given)
    assert answer.is_error
    assert answer.text.startswith("Error: ")
    assert "\n" not in answer.text


def test_no_path_reaches_out_of_the_folder(tool: MemoryTool, tmp_path: Path) -> None:
    project = tmp_path / "project"
    put(project, "README.md", "the secret\n")
    (project / "memories/link").symlink_to(tmp_path, target_is_directory=True)
    (project / "memories/inner.md").symlink_to(project / "README.md")
    before = everything(tmp_path)
    reaching = [
        *(f"/memories/{name}" for name in HOSTILE if name.strip(" /\t\n\u3000")),
        *(
            "/etc/passwd",
            "memories/notes.txt",
            "/memoriesx/notes.txt",
            "/",
            "",
            "../secret.md",
            "/memories/../../secret.md",
        ),
        *("/memories/link/secret.md", "/memories/inner.md", "/memories/%2e%2e/secret.md", "/memories/.memdown/x"),
    ]
    for path in reaching:
        for asked in (
            {"command": "view", "path": path},
            {"command": "create", "path": path, "file_text": "taken"},
            {"command": "str_replace", "path": path, "old_str": "the", "new_str": "x"},
            {"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"},
            {"command": "delete", "path": path},
            {"command": "rename", "old_path": path, "new_path": "/memories/taken.txt"},
            {"command": "rename", "old_path": "/memories/notes.txt", "new_path": path},
        ):
            answer = tool.run(asked)
            assert answer.is_error, (asked, answer)
            assert "the secret" not in answer.text
    assert everything(tmp_path) == before


def test_a_mode_that_only_reads_holds_here_too(tmp_path: Path) -> None:
    put(tmp_path, "memories/notes.txt", "one\n")
    tool = MemoryTool(Memory.open(tmp_path, mode="ask"))
    assert run(tool, "view", path="/memories/notes.txt")
    assert "ask" in refused(tool, "create", path="/memories/x.txt", file_text="x")
    assert "ask" in refused(tool, "delete", path="/memories/notes.txt")


@given(
    st.lists(st.text(alphabet="ab\r\n#é", max_size=8), max_size=6),
    st.integers(0, 8),
    st.text(alphabet="x\n", max_size=4),
)
def test_an_insertion_changes_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], at: int, new: str
) -> None:
    root = tmp_path_factory.mktemp("insert")
    text = "\n".join(lines)
    path = put(root, "memories/x.md", text)
    answer = MemoryTool(Memory.open(root)).run(
        {"command": "insert", "path": "/memories/x.md", "insert_line": at, "insert_text": new}
    )
    after = path.read_bytes().decode()
    if answer.is_error:
        assert after == text
    else:
        added = new if new.endswith("\n") else f"{new}\n"
        rows = text.split("\n")
        head, tail = "\n".join(rows[:at]), "\n".join(rows[at:])
        # A line that had no end gets one.
        assert after == (f"{head}\n" if at and not (at == len(rows) and not rows[-1]) else head) + added + tail
