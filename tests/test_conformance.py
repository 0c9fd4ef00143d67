"""Every statement of a contract is shown by a test, or the page says why it is not followed."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
PAGES = sorted((HERE / "docs/conformance").glob("*.md"))
HEAD = ["section", "the contract requires", "shown by", "deviation"]
TEST = re.compile(r"`(tests/\w+\.py)::(\w+)`")


def rows(page: Path) -> list[list[str]]:
    """The cells of each table row; a bar inside back-ticks is written with a backslash before it."""
    lines = [line for line in page.read_text("utf-8").splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return [row for row in cells if row != HEAD and set("".join(row)) != {"-"}]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_row_says_where_what_and_how_it_is_shown(page: Path) -> None:
    found = rows(page)
    assert len(found) > 20
    for row in found:
        assert len(row) == len(HEAD), row
        section, statement, shown, deviation = row
        assert all((section, statement)), row
        assert shown or deviation, f"neither a test nor a deviation: {row}"
        assert TEST.sub("", shown).strip(" ,") == "", f"not a test: {row}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_test_that_a_row_names_is_there(page: Path) -> None:
    named = {each for row in rows(page) for each in TEST.findall(" ".join(row))}
    assert [each for each in named if f"\ndef {each[1]}(" not in (HERE / each[0]).read_text("utf-8")] == []


def test_the_entry_page_links_every_page() -> None:
    linked = re.findall(r"\]\(conformance/(\w+)\.md\)", (HERE / "docs/conformance.md").read_text("utf-8"))
    assert sorted(linked) == [page.stem for page in PAGES]
