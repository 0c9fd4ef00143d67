"""Front matter of real files: cards are read without a problem, and one value at a time can be changed."""

from pathlib import Path

import pytest
import yaml

from memdown.markdown.frontmatter import FrontMatter, FrontMatterValue, read, set_value
from memdown.markdown.frontmatter.flat import scan
from memdown.markdown.frontmatter.lines import is_ignored, lines_of
from memdown.markdown.frontmatter.model import FrontMatterBlock
from memdown.markdown.frontmatter.nested import parse
from memdown.text import apply, decode

pytestmark = pytest.mark.corpus


@pytest.fixture(scope="module")
def fenced(corpus: list[Path]) -> dict[Path, str]:
    """Every file that begins with a fence."""
    texts = {}
    for path in corpus:
        with path.open("rb") as file:
            start = file.read(6)
            if start.removeprefix(b"\xef\xbb\xbf").startswith(b"---"):
                texts[path] = decode(start + file.read())
    return texts


@pytest.fixture(scope="module")
def cards(fenced: dict[Path, str]) -> dict[Path, tuple[str, FrontMatter]]:
    found = {path: (text, read(text)) for path, text in fenced.items() if "cards" in path.parts}
    read_ones = {path: (text, fm) for path, (text, fm) in found.items() if fm is not None}
    assert len(read_ones) == len(found)
    return read_ones


def data(value: FrontMatterValue) -> object:
    if value.style in ("list", "flow"):
        return [data(item) for item in value.items]
    return {entry.key: data(entry.value) for entry in value.entries} if value.text is None else value.text


def test_every_card_means_what_the_yaml_library_says(cards: dict[Path, tuple[str, FrontMatter]]) -> None:
    assert len(cards) > 1000
    for path, (text, fm) in cards.items():
        assert fm.problems == (), path
        expected = yaml.load(fm.inner.of(text), Loader=yaml.CBaseLoader)
        assert {entry.key: data(entry.value) for entry in fm.entries} == expected, path


def test_the_two_readers_agree_on_real_files(fenced: dict[Path, str]) -> None:
    for path, text in fenced.items():
        fm = read(text)
        entries = scan(text, lines_of(text, fm.inner)) if fm else None
        if fm and entries is not None:
            found = parse(text, fm.inner)
            assert isinstance(found, FrontMatterBlock), path
            assert found.entries == entries, path


def test_setting_a_value_changes_its_characters_only(cards: dict[Path, tuple[str, FrontMatter]]) -> None:
    for text, fm in cards.values():
        for entry in fm.entries:
            old = entry.value
            new: str | list[str] = ["one", *(item.text or "" for item in old.items[1:])] if old.items else "one two"
            edited = apply(text, set_value(text, fm, entry.key, new))
            span = old.items[0].span if old.items else old.span
            assert edited[: span.start] == text[: span.start]
            assert edited[len(edited) - len(text) + span.end :] == text[span.end :]
            after = read(edited)
            found = after and after.get(entry.key)
            assert found
            assert data(found.value) == new


def test_no_line_of_a_real_file_is_lost(fenced: dict[Path, str]) -> None:
    for path, text in fenced.items():
        fm = read(text)
        spans = [entry.span for entry in fm.entries] + [problem.span for problem in fm.problems] if fm else []
        for line in lines_of(text, fm.inner) if fm else []:
            held = any(span.start <= line[0] < max(span.end, span.start + 1) for span in spans)
            assert held or is_ignored(text, line), (path, text[slice(*line)])
