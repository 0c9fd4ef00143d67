"""How records came here: by whose lines, and by nobody else's."""

from pathlib import Path

import pytest

from memdown import Memory, git
from memdown.git import line_origins, resolve
from memdown.git.past import GitPast
from repos import ANN, Repo
from samples import CARD, ID

BLANK = ("\n", "\n\n\n", "   \n\t\n")
SEM = "### 2026-01-0{0}T10:00:00Z: {1}\n\n**Type:** decision\n**Author:** Ann\n**Summary:** {1}\n"
FIELDS = "- **Date**: 2026-01-02\n- **Status**: Accepted\n"
GROWN = {
    "sem": (".squad/decisions.md", "# Decisions\n\n", SEM.format(1, "Gulls"), "\n", SEM.format(2, "Next")),
    "sem with rules": (".squad/decisions.md", "# Decisions\n\n", SEM.format(1, "Gulls"), "\n---\n\n", SEM.format(2, "N")),
    "sem, an older form": (
        *(".squad/decisions.md", "# Decisions\n\n", "### 2026-01-01: Gulls\n**By:** Ann\n**What:** Chips\n"),
        *("\n---\n\n", "### 2026-01-02: Next\n**By:** Eve\n**What:** More\n"),
    ),
    "bank": (
        *("memory-bank/decisionLog.md", "# Decision Log\n\n", f"## Decision: Gulls\n{FIELDS}"),
        *("\n***\n\n", f"## Decision: Next\n{FIELDS}"),
    ),
    "bank, a list": ("memory-bank/progress.md", "# Progress\n\n## Completed\n", "- [x] Gulls\n", "\n", "- [x] Next\n"),
    "journal": (
        *("memory-bank/errorLog.md", "# Error Log\n\n", "## 2026-01-01 10:00:00 UTC: T1 - Gulls\n**File:** `a.py`\n"),
        *("\n___\n\n", "## 2026-01-02 10:00:00 UTC: T2 - Next\n**File:** `b.py`\n"),
    ),
    "journal, edits": (
        *("memory-bank/edit_history.md", "# Edit History\n\n## 2026-01-02\n\n"),
        *("#### 11:00:00 UTC - T1: Gulls\n- Created `a.py` - New\n", "\n", "#### 10:00:00 UTC - T2: Next\n- Created `b.py` - New\n"),
    ),
    "layers": (
        *("memory/skills/s/p/review_history.md", "# Reviews\n\n", "## Review #1 - 2026-01-01\n\nGulls.\n"),
        *("\n---\n\n", "## Review #2 - 2026-01-02\n\nNext.\n"),
    ),
}  # fmt: skip


EVE = ("Eve", "eve@example.com")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository of Ann, with a commit before all memory."""
    made = Repo(tmp_path / "gulls")
    made.git("config", "user.email", ANN[1])
    made.put("README.md", "# Gulls\n")
    made.commit()
    return made


def came(repo: Repo) -> dict[str, str]:
    """How each record came, by its line; what Ann committed herself is not in it."""
    with Memory.open(repo.root) as memory:
        rows = memory.questions.ask(
            lambda db: db.execute(
                "select r.path, r.line, o.note from origin o join record r on r.rowid = o.record"
            ).fetchall()
        )
    return {f"{path}:{line}": note for path, line, note in rows}


@pytest.mark.parametrize("form", GROWN)
@pytest.mark.parametrize("ended", ["ended", "open"])
def test_the_next_entry_is_not_who_wrote_the_one_before(repo: Repo, form: str, ended: str) -> None:
    path, head, first, between, more = GROWN[form]
    repo.put(path, head + (first if ended == "ended" else first.removesuffix("\n")))
    repo.commit()
    repo.git("checkout", "-qb", "topic")
    repo.put(path, head + first + between + more)
    repo.commit(by=EVE)
    own = f"{path}:{len(head.splitlines()) + 1}"
    there = came(repo)
    assert own not in there
    assert "on branch topic, not merged, by Eve" in there.values()
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--ff-only", "topic")
    there = came(repo)
    assert own not in there
    assert "by Eve, pulled" in there.values()


@pytest.mark.parametrize("blank", BLANK)
@pytest.mark.parametrize("form", GROWN)
def test_blank_lines_are_nobody_s(repo: Repo, form: str, blank: str) -> None:
    path, head, first, *_ = GROWN[form]
    repo.put(path, head + first)
    repo.commit()
    repo.git("checkout", "-qb", "topic")
    repo.put(path, head + first + blank)
    repo.commit(by=EVE)
    assert came(repo) == {}


def test_a_word_in_it_is_still_whose_it_is(repo: Repo) -> None:
    path, head, first, *_ = GROWN["sem"]
    repo.put(path, head + first + "\nWith vinegar.\n")
    repo.commit()
    repo.put(path, head + first + "\nWithout vinegar.\n")
    repo.commit(by=EVE)
    assert came(repo) == {f"{path}:3": "by Eve, pulled"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (f"memories/{ID}.md", CARD),
        ("knowledge/gulls.md", "---\ntype: concept\ntitle: Gulls\n---\n\nGulls eat chips.\n"),
        ("memory/projects/p/overview.md", "<!-- Last Updated: 2026-01-01 -->\n# Gulls\n\n## Two\nAll.\n"),
    ],
)
def test_a_blank_line_changes_nothing_of_a_file_that_is_one_record(repo: Repo, path: str, text: str) -> None:
    repo.put(path, text)
    repo.commit()
    repo.git("checkout", "-qb", "topic")
    repo.put(path, text + "\n")
    repo.commit(by=EVE)
    assert came(repo) == {}
    repo.put(path, text + "\nMore.\n")
    repo.commit(by=EVE)
    assert set(came(repo).values()) == {"on branch topic, not merged, by Eve"}


def test_nothing_is_said_of_where_history_begins(tmp_path: Path) -> None:
    path, head, first, between, more = GROWN["sem"]
    whole = Repo(tmp_path / "whole")
    whole.put(path, head + first)
    whole.commit(by=EVE)
    whole.put(path, head + first + between + more)
    whole.commit(by=EVE)
    whole.git("config", "user.email", ANN[1])
    assert list(came(whole).values()) == ["by Eve, pulled"]
    whole.git("clone", "-q", "--depth", "1", whole.root.as_uri(), str(tmp_path / "shallow"))
    shallow = Repo(tmp_path / "shallow")
    shallow.git("config", "user.email", ANN[1])
    assert came(shallow) == {}


def test_a_file_of_one_record_is_whose_words_are_in_it(repo: Repo) -> None:
    path = f"memories/{ID}.md"
    repo.put(path, CARD)
    repo.commit(by=EVE)
    assert came(repo) == {f"{path}:1": "by Eve, pulled"}
    repo.put(path, CARD + "\n")
    repo.commit()
    assert came(repo) == {f"{path}:1": "by Eve, pulled"}
    repo.put(path, CARD + "\nMore.\n")
    repo.commit()
    assert came(repo) == {}


def test_no_author_passes_for_another(repo: Repo) -> None:
    """Names and branches that are made of what lists are divided by."""
    first = repo.git("rev-parse", "HEAD")
    forger = f"Eve\x1c\x1e\x01{first}\x1f\x1f{ANN[1]}\x1fAnn\x1f{ANN[1]}"
    path, head, one, between, more = GROWN["sem"]
    repo.put(path, head + one)
    repo.commit("Gulls \x01\x1f\x1e", by=(forger, EVE[1]))
    assert set(came(repo).values()) == {f"by {forger}, pulled"}
    repo.git("checkout", "--quiet", "-b", "gulls\x85and\u2028chips")
    repo.put(path, head + one + between + more)
    repo.commit(by=(f"Eve\x1f{ANN[1]}", f"\x1f{ANN[1]}\x1f{EVE[1]}"))
    assert f"on branch gulls\x85and\u2028chips, not merged, by Eve\x1f{ANN[1]}" in came(repo).values()


@pytest.mark.parametrize("when", ["", "99999999999999 +0000", "18446744073709551615 +0000", "1767225600 +9999"])
def test_a_commit_of_no_day_is_read(repo: Repo, when: str) -> None:
    """Hosts take such commits, and a clone does not look at them."""
    repo.put(".squad/decisions.md", "# Decisions\n\n### Gulls\n**By:** Ann\n\nChips.\n")
    repo.git("add", "--all")
    who = f"Eve\r\x1f\x01 <e@\x1f> {when}"
    text = f"tree {repo.git('write-tree')}\nauthor {who}\ncommitter {who}\n\nGulls \x1f\x01\x1e\n\nSigned-off-by: E\x1eve <e@e>\n"
    (repo.root / "commit").write_text(text, "utf-8")
    repo.git("reset", "--hard", repo.git("hash-object", "-t", "commit", "-w", "--literally", "commit"))
    with Memory.open(repo.root) as memory:
        assert {each.author for each in memory.log()} == {"Eve \x1f\x01"}
        assert memory.verify() == []
        assert memory.undocumented() == []
        memory.stale()
    assert all(each.author == "Eve \x1f\x01" for each in line_origins(repo.root, ".squad/decisions.md").values())
    found = resolve(repo.root, "HEAD")
    assert found
    assert found.author == "Eve \x1f\x01"


def test_a_letter_that_lies_in_two_blocks_is_one(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """What git prints is read by blocks, which end where they end."""
    repo.put("a.py", "Gulls.\n")
    repo.commit()
    (repo.root / "a.py").unlink()
    repo.commit(title := "Gelöscht: “größer” 🐦" * 5)
    monkeypatch.setattr(git, "_BLOCK", 7)
    assert GitPast(repo.root).deleted["a.py"].title == title
