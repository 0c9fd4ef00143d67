"""Claims that somebody declares, and days by which to look at a record again."""

from pathlib import Path

import pytest

from samples import put
from test_verify import BANK, Cli, commit, git, repository

__all__ = ["repository"]

CARD = "memories/3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b.md"
HEAD = "---\nid: 3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b\nsubject: Pool\nkeywords: [pool]\napplies_to: global\noccurred_at: 2026-01-02T10:00:00Z\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}claims: [src/a.py, 'src/a.py::take', \"src/a.py::POOL=10\"]\n---\n\nx\n",
        f"{HEAD}claims:\n  - src/a.py\n  - 'src/a.py::take'\n  - src/a.py::POOL=10\n---\n\nx\n",
        f"{HEAD}# memdown: claims src/a.py, src/a.py::take, src/a.py::POOL=10\n---\n\nx\n",
        f"{HEAD}---\n\nx <!-- memdown: claims src/a.py, src/a.py::take, src/a.py::POOL=10 -->\n",
    ],
)
def test_every_form_of_declaring(cli: Cli, repository: Path, text: str) -> None:
    put(repository, "src/a.py", "POOL = 10\n\n\ndef take() -> None: ...\n")
    put(repository, CARD, text)
    commit("Begin")
    rows = cli("verify", "--json").json()
    assert [(each["target"], each["state"]) for each in rows] == [
        ("src/a.py", "fresh"),
        ("src/a.py::take", "fresh"),
        ("src/a.py::POOL=10", "fresh"),
    ]


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("src/aa.py", "The text claims 'src/aa.py', which does not hold; did you mean src/a.py?"),
        ("lib/a.py", "The text claims 'lib/a.py', which does not hold; did you mean src/a.py?"),
        ("src/a.py::taek", "The text claims 'src/a.py::taek', which does not hold; did you mean src/a.py::take?"),
        ("src/a.py::POOL=11", "The text claims 'src/a.py::POOL=11', which does not hold; it is now 10."),
        ("!src/a.py", "The text claims that 'src/a.py' is not there, and it is; take the claim out."),
        ("src/a.py::POOL=10", None),
        ("!src/old.py", None),
    ],
)
def test_what_is_declared_has_to_hold_when_it_is_written(
    cli: Cli, repository: Path, claim: str, told: str | None
) -> None:
    put(repository, "src/a.py", "POOL = 10\n\n\ndef take() -> None: ...\n")
    put(repository, BANK, "# Tech Context\n\n## Stack\nPython.\n")
    commit("Begin")
    comment = f"The pool has ten connections. <!-- memdown: claims {claim} -->"
    ran = cli("add", "card", "The pool", "-k", "pool", "--content", comment)
    assert (ran.code, ran.err if told else None) == ((3, f"memdown: {told}\n") if told else (0, None))
    section = cli("list", "--json").json()[0]["id"]
    ran = cli("edit", section, "--content", comment)
    assert (ran.code, ran.err if told else None) == ((3, f"memdown: {told}\n") if told else (0, None))


def test_a_claim_that_broke_later_does_not_stop_other_edits(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "POOL = 10\n")
    put(repository, CARD, f"{HEAD}---\n\nThe pool. <!-- memdown: claims src/a.py -->\n")
    commit("Begin")
    git("rm", "-q", "src/a.py")
    commit("Drop")
    assert cli("edit", "3f2b8c1e", "--title", "Another").code == 0


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (CARD, f"{HEAD}review-by: 2026-01-15\nowner: Ann\n---\n\nBakers pay by invoice.\n"),
        (CARD, f"{HEAD}---\n\nBakers pay by invoice. <!-- memdown: review-by 2026-01-15 by Ann -->\n"),
        (BANK, "# Tech\n\n## Stack\nPython. <!-- memdown: review-by 2026-01-15 by Ann -->\n"),
        (
            "knowledge/metrics/revenue.md",
            "---\ntype: metric\ntitle: Revenue\nstale_after: 2026-01-15T00:00:00Z\nowner: Ann\n---\n\nSum of invoices.\n",
        ),
    ],
)
def test_records_that_are_overdue_are_named(
    cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch, path: str, text: str
) -> None:
    git("config", "user.name", "Ann")
    put(repository, "knowledge/index.md", '---\nokf_version: "0.1"\n---\n\n# Knowledge\n')
    put(repository, path, text)
    commit("Begin")
    monkeypatch.setenv("MEMDOWN_NOW", "2026-01-15")
    assert "due" not in cli("verify").out
    monkeypatch.setenv("MEMDOWN_NOW", "2026-02-01")
    ran = cli("verify")
    assert "to be reviewed by Ann until 2026-01-15" in ran.out
    assert "1 review overdue." in ran.out
    assert ran.code == 0
    [found] = cli("check", "--select", "VER007", "--json").json()
    [row] = cli("verify", "--json").json()
    assert (row["kind"], row["line"], row["path"]) == ("review", found["line"], path)
    assert cli("verify", "--confirm", row["id"]).code == 0
    assert "due" not in cli("verify").out
