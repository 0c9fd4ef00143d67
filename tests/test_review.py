"""Reviewing what was captured, by the command line: every act changes what it names, and undo takes it back."""

import json
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from conftest import Ran
from memdown import homes
from memdown.acts.capture.keep import Keeper
from memdown.index.hook_state import State
from memdown.memory import Memory
from memdown.record import Document
from samples import CARD, ID, put
from secrets_cases import TRUE

Cli = Callable[..., Ran]
TOKEN = TRUE["GitHub classic"][1]
TEXTS = ["The pool has 10 connections.\nWith 5 it timed out.", "Retries wait two seconds.\nOne was too short."]


@pytest.fixture
def root(cli: Cli) -> Path:  # noqa: ARG001 - it makes the project
    return Path.cwd()


def captured(root: Path, texts: list[str], *, settings: str = "[hooks]\ncapture = true\n") -> None:
    """Have a hook capture messages."""
    put(root, "memdown.toml", settings)
    lines = [
        {"type": "assistant", "timestamp": f"2026-03-01T10:0{at}:00Z", "message": {"id": str(at), "content": text}}
        for at, text in enumerate(texts)
    ]
    transcript = put(root, "t.jsonl", "\n".join(map(json.dumps, lines)) + "\n")
    with closing(State(str(root))) as state:
        settled = state.settings
        folder = homes.capture_folder(str(root), settled.homes("cards"), settled.cards, settled.capture)
        Keeper(state, "session", folder).run(str(transcript))


def cards(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted((root / "memories").rglob("*.md"))}


def pending(cli: Cli) -> list[dict[str, object]]:
    found = cli("review", "--json").json()
    assert isinstance(found, list)
    return found


def test_what_is_captured_waits_with_a_number(cli: Cli, root: Path) -> None:
    assert "Nothing to review." in cli("review").out
    captured(root, TEXTS)
    assert [(each["number"], each["title"], each["inbox"]) for each in pending(cli)] == [
        (1, "The pool has 10 connections.", True),
        (2, "Retries wait two seconds.", True),
    ]
    assert "2 cards to review." in cli("review").out


def test_what_is_kept_moves_out_of_the_inbox(cli: Cli, root: Path) -> None:
    captured(root, TEXTS)
    before = cards(root)
    id = str(pending(cli)[1]["id"])
    done = cli("review", "keep", id[:8])
    assert f"Kept memories/{id}.md" in done.out
    assert cards(root)[f"memories/{id}.md"] == before[f"memories/inbox/{id}.md"]
    assert [each["number"] for each in pending(cli)] == [1]
    cli("undo")
    assert cards(root) == before


MORE = [
    "Carts live in Redis.\nIn the database each was a row.",
    "Invoices are numbered by year.\nThe tax office asks so.",
]


def test_a_number_is_the_card_that_was_listed_with_it(cli: Cli, root: Path) -> None:
    captured(root, [*TEXTS, *MORE])
    first, second, third, fourth = pending(cli)
    assert cli("review", "keep", "1").out == f"Kept memories/{first['id']}.md {first['title']}\n"
    assert cli("inbox", "list").code == 0  # which counts them, and shows no number
    done = cli("review", "drop", "2", "--json").json()
    assert (done["ids"], done["titles"], done["paths"]) == ([second["id"]], [second["title"]], [second["path"]])
    gone = cli("review", "drop", "1")
    assert gone.code == 1
    assert f"1 was '{first['path']}', which is no longer pending; `memdown review` lists those that are." in gone.err
    assert [(each["number"], each["id"]) for each in pending(cli)] == [(1, third["id"]), (2, fourth["id"])]
    assert cli("review", "drop", "2").out.splitlines()[0] == f"Dropped {fourth['path']} {fourth['title']}"
    cli("undo")
    assert cli("review", "keep", "2").out.endswith(f" {fourth['title']}\n")


def test_a_card_that_came_after_the_list_has_no_number_yet(cli: Cli, root: Path) -> None:
    captured(root, TEXTS)
    cli("review")
    older = CARD.replace("2026-01-15", "2020-01-15").replace("Pool size is 10", "Older")
    put(root, f"memories/inbox/{ID}.md", older)
    assert "There is no number 3; 3 cards are pending; `memdown review` lists them." in cli("review", "keep", "3").err
    assert cli("review", "edit", "1", "--title", "Ten connections").out.endswith(" Ten connections\n")
    assert [(each["number"], each["title"]) for each in pending(cli)][:2] == [(1, "Older"), (2, "Ten connections")]


def test_numbers_hold_where_nobody_asked_for_a_list(cli: Cli, root: Path) -> None:
    captured(root, [*TEXTS, *MORE])
    titles = [each.title for each in Memory(root).review.pending(noted=False)]
    for number in ("1", "3"):
        assert cli("review", "drop", number).out.splitlines()[0].endswith(f" {titles[int(number) - 1]}")
    assert [each["title"] for each in pending(cli)] == [titles[1], titles[3]]


def test_a_list_of_nothing_makes_no_folder(cli: Cli, root: Path) -> None:
    put(root, "notes/a.md", "")
    assert "Nothing to review." in cli("review").out
    assert not (root / ".memdown/hooks.db").exists()


def test_a_captured_card_waits_until_it_is_confirmed_or_committed(cli: Cli, root: Path) -> None:
    git = ["git", "-C", str(root), "-c", "user.name=Ann", "-c", "user.email=ann@example.com"]
    subprocess.run([*git, "init", "-q"], check=True)
    put(root, f"memories/{ID}.md", CARD)
    captured(root, TEXTS, settings="")
    first, second = pending(cli)  # the card that a person wrote does not wait
    assert not first["inbox"]
    before = cards(root)
    cli("review", "keep", "1")
    assert [each["id"] for each in pending(cli)] == [second["id"]]
    after = (root / str(first["path"])).read_text("utf-8")
    assert [line for line in after.splitlines() if line.encode() not in before[str(first["path"])].splitlines()] == [
        next(line for line in after.splitlines() if line.startswith("confirmed: '2"))
    ]
    assert cli("check").code == 0
    cli("undo")
    assert cards(root) == before
    subprocess.run([*git, "add", str(second["path"])], check=True)
    subprocess.run([*git, "commit", "-qm", "Cards"], check=True)
    assert [each["id"] for each in pending(cli)] == [first["id"]]


def test_what_is_dropped_is_not_captured_again(cli: Cli, root: Path) -> None:
    captured(root, TEXTS)
    before = cards(root)
    cli("review", "drop", "1", "2")
    assert cards(root) == {}
    captured(root, TEXTS)
    assert cards(root) == {}
    cli("undo")
    assert cards(root) == before


def test_title_text_and_scope_can_be_changed(cli: Cli, root: Path) -> None:
    captured(root, TEXTS)
    before = cards(root)
    put(root, "src/db.py", "")
    cli("review", "edit", "1", "--title", "Pool size is 10", "--content", "The pool has 12 connections.")
    cli("review", "scope", "1", "file:src/db.py")
    record = Memory(root).get(str(pending(cli)[0]["id"]))
    assert (record.title, record.body, record.scope) == (
        "Pool size is 10",
        "The pool has 12 connections.",
        "file:src/db.py",
    )
    assert [each.state for each in Memory(root).cards.verify()] == ["ok", "ok"]
    cli("undo")
    cli("undo")
    assert cards(root) == before


def test_a_card_is_merged_into_one_that_says_nearly_the_same(cli: Cli, root: Path) -> None:
    near = f"{TEXTS[0]}\n\n```sh\npool\n\n10\n```"
    captured(root, [near, f"{TEXTS[0]}\n\nThat was in March."])
    before = cards(root)
    first, second = pending(cli)
    assert [each["id"] for each in first["similar"]] == [second["id"]]  # type: ignore[attr-defined]
    done = cli("review", "merge", "2", str(first["id"]))
    assert done.out.splitlines()[0] == f"Merged {second['title']} into {first['path']} {first['title']}"
    [left] = Memory(root).records()
    assert (left.id, left.body) == (first["id"], f"{near}\n\nThat was in March.")
    assert [each.state for each in Memory(root).cards.verify()] == ["ok"]
    cli("undo")
    assert cards(root) == before


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("keep", "9"), "There is no number 9; 2 cards are pending"),
        (("drop", "nobody"), "nobody"),
        (("scope", "1", "file:src/gone.py"), "There is no file 'src/gone.py' here"),
        (("scope", "1", "somewhere"), "is not `global`"),
        (("edit", "1"), "Nothing to change"),
        (("edit", "1", "--content", "short"), "at least 10 characters"),
        (("edit", "1", "--title", f"Use {TOKEN}"), "credential"),
        (("edit", "1", "--content", f"The token is {TOKEN}"), "credential"),
        (("scope", "1", f"area:{TOKEN}"), "credential"),
        (("merge", "1", "1"), "cannot be merged with itself"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(cli: Cli, root: Path, args: tuple[str, ...], sentence: str) -> None:
    captured(root, TEXTS)
    before = cards(root)
    done = cli("review", *args)
    assert done.code != 0
    assert sentence in done.err
    assert cards(root) == before


class _CountingMemory(Memory):
    """A memory that knows which files it parsed."""

    def parse(self, name: str, text: str, known: str | None = None) -> Document:
        self.seen_names = [*getattr(self, "seen_names", []), name]
        return super().parse(name, text, known)


def test_nothing_is_read_for_a_review_but_what_waits(root: Path) -> None:
    captured(root, TEXTS[:1])
    put(root, f"memories/{ID}.md", CARD)
    put(root, ".squad/decisions.md", "# Decisions\n\n### 2026-01-01: Use SQLite\n**By:** Ann\n**What:** SQLite.\n")
    with _CountingMemory(root) as memory:
        [card] = memory.review.pending()
        assert memory.seen_names == [card.path]


def test_a_card_is_not_like_itself_but_like_its_copy(cli: Cli, root: Path) -> None:
    captured(root, TEXTS[:1])
    [card] = pending(cli)
    assert card["similar"] == []
    put(root, "memories/copy.md", (root / str(card["path"])).read_text("utf-8").replace(str(card["id"]), ID))
    [card] = pending(cli)
    assert [each["path"] for each in card["similar"]] == ["memories/copy.md"]  # type: ignore[attr-defined]
