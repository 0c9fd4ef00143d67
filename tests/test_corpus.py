"""Real files: read without exception, every line accounted for, every byte kept, one value edited at a time."""

import re
from pathlib import Path

import pytest
from msgspec import structs

from conftest import CORPUS, some
from memdown import Memory
from memdown.acts.check import engine, proof
from memdown.dialects import DIALECTS, parse
from memdown.dialects.cards import grammar
from memdown.markdown import frontmatter
from memdown.text import Lines, apply, decode, encode

cards = DIALECTS["cards"]

pytestmark = pytest.mark.corpus


def name(path: Path) -> str:
    """Where a project would have it; a bundle of knowledge is known by its folder."""
    return re.sub(r"^okf/", "knowledge/", path.relative_to(CORPUS).as_posix())


def real_cards(corpus: list[Path]) -> list[Path]:
    return [path for path in corpus if grammar.UUID.fullmatch(path.stem) and path.suffix == ".md"]


def test_every_line_of_every_file_is_accounted_for(some_of_corpus: list[Path]) -> None:
    memory = Memory(CORPUS)
    for path in some_of_corpus:
        reading = memory.read(str(path))
        lines = reading.lines
        assert lines.total == lines.blank + lines.record + lines.prose + lines.diagnostic, path
        assert lines.total == len(Lines(decode(path.read_bytes()))), path
        assert len(reading.kinds) == lines.total
        covered = [line for run in reading.runs() for line in range(run.line, run.end_line + 1)]
        assert covered == list(range(1, lines.total + 1)), path


def test_an_unchanged_parse_gives_the_same_bytes(corpus: list[Path]) -> None:
    for path in some(corpus, 9):
        data = path.read_bytes()
        document = parse(name(path), decode(data))
        assert encode(apply(document.text, [])) == data, path


def test_fixing_twice_changes_nothing_the_second_time(some_of_corpus: list[Path]) -> None:
    everything = engine.Selection()
    for path in some_of_corpus:
        document = parse(name(path), decode(path.read_bytes()))
        once = engine.fixed(document, everything, parse, unsafe=True)
        if once.text != document.text:
            assert engine.fixed(once, everything, parse, unsafe=True).text == once.text, path


def test_a_safe_fix_keeps_every_value_of_every_file(some_of_corpus: list[Path]) -> None:
    for path in some_of_corpus:
        document = parse(name(path), decode(path.read_bytes()))
        found = [
            each for each in engine.check([document], engine.Selection(), whole=False) if each.fix and each.fix.safe
        ]
        assert proof.proven(document, found, parse) == found, path


def test_real_cards_are_read_whole(corpus: list[Path]) -> None:
    for path in real_cards(corpus):
        text = decode(path.read_bytes())
        [record] = parse(name(path), text).records
        front = frontmatter.read(text)
        assert front
        assert record.id == path.stem
        assert record.at
        assert record.extra["content_hash"] in grammar.hashes_of(text[front.body :])
        assert not front.problems


def test_editing_one_value_changes_only_its_bytes(corpus: list[Path]) -> None:
    edited = 0
    for path in real_cards(corpus):
        text = decode(path.read_bytes())
        [old] = parse(name(path), text).records
        front = frontmatter.read(text)
        assert front
        for field, key, value in (
            ("title", "subject", "Another: subject # here"),
            ("scope", "applies_to", "area:other"),
            ("tags", "keywords", (*old.tags[:-1], "other keyword")),
        ):
            entry = front.get(key)
            if entry is None:
                continue
            new = structs.replace(old, **{field: value})
            after = apply(text, cards.update(text, old, new))
            span = entry.value.span
            assert after[: span.start] == text[: span.start], (path, key)
            assert after.endswith(text[span.end :]), (path, key)
            [read] = parse(name(path), after).records
            assert structs.replace(read, span=old.span, line=old.line, end_line=old.end_line, links=old.links) == new
            edited += 1
    assert edited >= 1000
