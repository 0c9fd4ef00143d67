"""What a text claims of the code: in titles and fields as in prose, and not where it tells of a day."""

from pathlib import Path

import pytest

from memdown.claims import find, paths
from samples import put
from test_verify import Cli, commit, git, repository

__all__ = ["repository"]

CARD = "3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b"
HEAD = f"---\nid: {CARD}\nsubject: The pool\nkeywords: [pool]\napplies_to: global\noccurred_at: 2026-01-02T10:00:00Z\n"
WRITTEN = {
    "title of a decision": (
        ".squad/decisions.md",
        "# Decisions\n\n### 2026-01-02: Keep the pool in src/a.py\n**By:** Ann\n",
    ),
    "field of a decision": (
        ".squad/decisions.md",
        "# Decisions\n\n### 2026-01-02T10:00:00Z: Pool\n**By:** Ann\n**What:** It is in `src/a.py`\n",
    ),
    "decision of a bank": ("memory-bank/decisionLog.md", "# Decision Log\n\n## 2026-01-02: The pool is in src/a.py\n"),
    "row of a table": (
        "memory-bank/decisionLog.md",
        "# Decision Log\n\n| Date | Decision | Rationale |\n|---|---|---|\n| 2026-01-02 | The pool is in `src/a.py` | x |\n",
    ),
    "heading": ("memory-bank/systemPatterns.md", "# System Patterns\n\n## Pool (`src/a.py`)\n\nConnections.\n"),
    "subject of a card": (f"memories/{CARD}.md", f"{HEAD.replace('The pool', 'The pool in src/a.py')}---\n\nx\n"),
    "scope of a card": (
        f"memories/{CARD}.md",
        f"{HEAD.replace('global', chr(39) + 'file:src/a.py' + chr(39))}---\n\nx\n",
    ),
    "body of a card": (f"memories/{CARD}.md", f"{HEAD}---\n\nIt is in `src/a.py`.\n"),
    "list in front matter": (f"memories/{CARD}.md", f"{HEAD}files:\n  - src/b.py\n  - src/a.py\n---\n\nx\n"),
}


@pytest.mark.parametrize("where", WRITTEN)
def test_every_field_that_people_write_is_read(cli: Cli, repository: Path, where: str) -> None:
    put(repository, "src/a.py", "x = 1\n" * 9)
    put(repository, "src/b.py", "y = 1\n" * 9)
    put(repository, *WRITTEN[where])
    commit("Begin")
    git("mv", "src/a.py", "src/c.py")
    commit("Move")
    found = [each for each in cli("verify", "--json").json() if each["state"] != "fresh"]
    assert [(each["target"], each["state"], each["now"]) for each in found] == [("src/a.py", "moved", "src/c.py")]
    since = git("rev-parse", "--short=7", "HEAD")
    marks = [hit["untrue"] for hit in cli("search", "pool", "--json").json()["hits"] if hit["untrue"]]
    assert marks[:1] == [[f"src/a.py is now src/c.py since {since}"]]


@pytest.mark.parametrize(
    "text",
    [
        "# Notes\n\n## 2026-01-02\n\n`src/a.py` holds it.\n",
        "# Notes\n\n- 2026-01-02 `src/a.py` holds it.\n",
        "---\nsubject: Moved from src/a.py\n---\n\nx\n",
    ],
)
def test_what_a_text_tells_of_a_day_or_of_a_change_is_marked_or_left_out(text: str) -> None:
    assert all(each.dated for each in find(text))
    assert all(each.dated for each in paths(text))


def test_a_date_in_front_matter_says_nothing_of_the_text_below() -> None:
    text = f"{HEAD}---\n\nIt is in `src/a.py`.\n"
    assert [(each.target, each.dated) for each in find(text)] == [("src/a.py", False)]
    assert [each.target for each in paths(text)] == ["src/a.py"]
