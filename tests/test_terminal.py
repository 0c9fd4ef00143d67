"""On a terminal: colours unless NO_COLOR says no, and progress for work that takes longer than a second."""

import os
import shlex
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

import forks
from memdown.surfaces.show.style import columns
from samples import CARD, CONTENT, ID, put

if sys.platform == "win32":
    pytest.skip("pseudo-terminals are of POSIX systems", allow_module_level=True)

import pty


def on_terminal(command: list[str], cwd: Path, keys: bytes = b"", **extra: str) -> str:
    """What a command shows on a terminal, standard output and standard error together."""
    main, terminal = pty.openpty()
    os.write(main, keys)
    env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = forks.Forked(
        [sys.executable, *command], cwd=cwd, stdin=terminal, stdout=terminal, stderr=terminal,
        env={**env, "TERM": "xterm", **extra},
    )  # fmt: skip
    os.close(terminal)
    shown = b""
    try:
        while piece := os.read(main, 65536):
            shown += piece
    except OSError:
        pass  # Linux tells the end of a terminal as an error
    os.close(main)
    process.wait(240)
    return shown.decode()


def test_colours_on_a_terminal_only_and_not_with_no_color(tmp_path: Path) -> None:
    put(tmp_path, f"memories/{ID}.md", CARD.replace("subject: Pool size is 10\n", ""))
    assert "\x1b[31merror" in on_terminal(["-m", "memdown", "check"], tmp_path)
    assert "\x1b" not in on_terminal(["-m", "memdown", "check"], tmp_path, NO_COLOR="1")
    assert "\x1b" not in on_terminal(["-m", "memdown", "check"], tmp_path, TERM="dumb")


def progress(seconds_each: float) -> list[str]:
    """A script that goes through three names while the clock moves on so much for each."""
    script = (
        "from memdown.surfaces.cli import common\n"
        "class Clock:\n"
        "    now = 0.0\n"
        "    def monotonic(self): return self.now\n"
        "common.time = clock = Clock()\n"
        "session = common.Invocation(None, json=False, quiet=False)\n"
        f"for name in session._progress(['a', 'b', 'c'], 'reading'): clock.now += {seconds_each}\n"
    )
    return ["-c", script]


def test_progress_is_shown_after_a_second_and_wiped_away(tmp_path: Path) -> None:
    shown = on_terminal(progress(0.7), tmp_path)
    assert "\rreading 3 of 3" in shown
    assert shown.endswith("\r\x1b[K")


def test_quick_work_shows_no_progress(tmp_path: Path) -> None:
    assert on_terminal(progress(0.3), tmp_path) == ""


def test_colours_of_a_file_are_not_ours(tmp_path: Path) -> None:
    put(tmp_path, ".squad/decisions.md", "# Decisions\n\n### 2026-01-01: Pool \x1b[31mred\n**By:** Ann\n")
    shown = on_terminal(["-m", "memdown", "show", "Pool"], tmp_path)
    assert "\\x1b[31mred" in shown
    assert "\x1b[31m" not in shown


def test_lines_are_folded_between_words_and_hang_below_their_text(tmp_path: Path) -> None:
    title = "A rather long title of a card that no narrow terminal has room for on one line"
    put(tmp_path, f"memories/{ID}.md", CARD.replace("Pool size is 10", title))
    shown = on_terminal(["-m", "memdown", "list"], tmp_path, COLUMNS="60", NO_COLOR="1").replace("\r", "")
    first, *rest = shown.splitlines()
    assert all(len(line) <= 60 or line.split()[0].startswith("memories/") for line in (first, *rest))
    assert {line[:10] for line in rest} == {" " * 10}
    assert " ".join(shown.split()).count(title) == 1


def test_the_text_of_a_memory_is_folded_below_its_own_beginning(tmp_path: Path) -> None:
    text = "A sentence that is longer than the terminal is wide.\n\n- An item that is longer than it too, in words."
    put(tmp_path, f"memories/{ID}.md", CARD.replace(CONTENT, text))
    shown = on_terminal(["-m", "memdown", "show", ID], tmp_path, COLUMNS="40", NO_COLOR="1").replace("\r", "")
    assert shown.endswith(
        "\n\nA sentence that is longer than the\nterminal is wide.\n\n- An item that is longer than it too, in\n  words.\n"
    )


def test_letters_of_two_columns_and_scripts_without_spaces_fit_too(tmp_path: Path) -> None:
    title = "会话存储在数据库中会让每个请求都写入一行，因此我们决定把会话放进缓存。"
    put(tmp_path, f"memories/{ID}.md", CARD.replace("Pool size is 10", title))
    shown = on_terminal(["-m", "memdown", "show", ID], tmp_path, COLUMNS="40", NO_COLOR="1").replace("\r", "")
    lines = shown.partition("\n  id")[0].splitlines()
    assert "".join(line.strip() for line in lines) == title
    assert all(columns(line) <= 40 and not line.strip().startswith("，") for line in lines)


def test_an_error_is_folded_between_words_on_a_terminal_alone(tmp_path: Path) -> None:
    put(tmp_path, f"memories/{ID}.md", CARD)
    shown = on_terminal(["-m", "memdown", "show", "Nothing"], tmp_path, COLUMNS="40").replace("\r", "")
    assert shown == (
        "memdown: No memory has the id or title\n  'Nothing'; `memdown search Nothing`\n  searches the text of all memory.\n"
    )
    command, env = [sys.executable, "-m", "memdown", "show", "Nothing"], {**os.environ, "COLUMNS": "40"}
    ran = forks.run(command, cwd=tmp_path, env=env, capture_output=True)
    assert ran.stderr.decode().count("\n") == 1


def test_places_can_be_clicked_on_a_terminal_only(tmp_path: Path) -> None:
    put(tmp_path, f"memories/{ID}.md", CARD)
    link = f"\x1b]8;;file://{quote(str(tmp_path.resolve()), '/:')}/memories/{ID}.md\x1b\\"
    for command in (["list"], ["search", "pool"], ["show", ID]):
        assert link in on_terminal(["-m", "memdown", *command], tmp_path)
        assert "\x1b" not in on_terminal(["-m", "memdown", *command], tmp_path, NO_COLOR="1")


def test_a_long_answer_goes_through_the_pager(tmp_path: Path) -> None:
    for number in range(40):
        id = f"{number:08}{ID[8:]}"
        put(tmp_path, f"memories/{id}.md", CARD.replace(ID, id))
    code = "import sys; print('paged', len(sys.stdin.readlines()))"
    pager = shlex.join([sys.executable, "-c", code])
    assert "paged 40" in on_terminal(["-m", "memdown", "list"], tmp_path, PAGER=pager, COLUMNS="200")
    assert "paged" not in on_terminal(["-m", "memdown", "list", "-n", "5"], tmp_path, PAGER=pager, COLUMNS="200")
    assert "paged" not in on_terminal(["-m", "memdown", "list"], tmp_path, PAGER="cat", COLUMNS="200")


def test_a_hit_can_be_picked(tmp_path: Path) -> None:
    put(tmp_path, f"memories/{ID}.md", CARD)
    script = "import shutil, click; shutil.which = lambda name: None; click.prompt = lambda *a, **k: '1'\n"
    script += "from memdown.surfaces.cli import run; run(['search', '-i', 'pool'])"
    shown = on_terminal(["-c", script], tmp_path, NO_COLOR="1")
    assert f" 1  {ID[:8]}  card  Pool size is 10" in shown
    assert "With 5 the load test timed out." in shown


def test_ten_can_be_picked_from_without_fzf_and_what_assistants_read_too(tmp_path: Path) -> None:
    things = "apple river stone violin harbour candle meadow rocket pepper winter saddle mirror".split()
    for number, thing in enumerate(things):
        id = f"{number:08}{ID[8:]}"
        own = " ".join(thing[::-1] + str(each) for each in range(9))
        card = CARD.replace(ID, id).replace("Pool size is 10", f"The {thing} pool").replace(CONTENT, own)
        put(tmp_path, f"memories/{id}.md", card)
    put(tmp_path, "CLAUDE.md", "# Rules\n\nThe pool is never closed by hand.\n")
    script = "import shutil, click; shutil.which = lambda name: None; click.prompt = lambda *a, **k: '99'\n"
    script += "from memdown.surfaces.cli import run; run(['search', '-i', 'pool'])"
    shown = on_terminal(["-c", script], tmp_path, NO_COLOR="1", COLUMNS="200")
    assert sum(f"The {thing} pool" in shown for thing in things) == 10
    for path in sorted((tmp_path / "memories").glob("*.md"))[:4]:
        path.unlink()
    shown = on_terminal(["-c", script], tmp_path, NO_COLOR="1", COLUMNS="200")
    assert all(f"The {thing} pool" in shown for thing in things[4:])
    assert "CLAUDE.md:1" in shown


def test_a_page_is_folded_by_paragraphs_and_its_code_is_not(tmp_path: Path) -> None:
    shown = on_terminal(["-m", "memdown", "explain", "SEM026"], tmp_path, COLUMNS="60", PAGER="cat", NO_COLOR="1")
    lines = shown.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("Lower case"))
    assert lines[at : at + 5] == [
        "Lower case distinguishes a field from a bold label in the",
        "text. At the head of an entry, memdown reads both, and reads",
        "`By` as the author, `What` as the details and `Why` as the",
        "rationale.",
        "",
    ]
    assert "**Author:** Ann" in lines
    assert lines.count("```") == 2


def test_a_terminal_that_does_not_know_its_size_is_taken_for_a_usual_one(tmp_path: Path) -> None:
    put(tmp_path, f"memories/{ID}.md", CARD)
    shown = on_terminal(["-m", "memdown", "show", "Nothing is called so"], tmp_path, COLUMNS="")
    assert "memdown: No memory has the id or title" in shown
