"""The estimate of tokens: near a real tokenizer, the same everywhere, and linear."""

import time
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.errors import Invalid
from memdown.markdown import tokens
from memdown.text import decode


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        (" ", 0),
        ("word", 1),
        ("two words", 2),
        ("camelCase and HTTPServer", 5),
        ("2026-02-01", 6),
        ("- [x] Done\n", 6),
        ("# Heading\n\nText.\n", 6),
        ("日本語", 3),
        ("Привет", 2),
        ("a  b", 3),
    ],
)
def test_pieces(text: str, count: int) -> None:
    assert tokens.estimate(text) == count


@given(st.text(), st.text())
def test_a_text_costs_no_more_than_its_parts(one: str, other: str) -> None:
    whole = tokens.estimate(one + other)
    assert whole <= tokens.estimate(one) + tokens.estimate(other) + 1
    assert (tokens.estimate(one) > 0) >= bool(one.strip())


@given(st.text())
def test_line_ends_and_the_size_of_the_text_do_not_matter(text: str) -> None:
    plain = text.replace("\r", "")
    assert abs(tokens.estimate(plain.replace("\n", "\r\n")) - tokens.estimate(plain)) == 0


@pytest.mark.parametrize("piece", ["a", "A", "aB", "- ", "\n", "\0", "\udcff", "語", "`x` ", "9", " \t"])
def test_a_hostile_text_takes_no_longer(piece: str) -> None:
    text = piece * (600_000 // len(piece))
    started = time.process_time()
    tokens.estimate(text)
    assert time.process_time() - started < 3


@pytest.mark.skipif(find_spec("splintr") is not None, reason="the extra is installed")
def test_exact_counts_need_the_extra() -> None:
    with pytest.raises(Invalid, match=r"\[tokens\]"):
        tokens.exact()


@pytest.mark.skipif(find_spec("splintr") is None, reason="the extra is not installed")
def test_exact_counts_are_those_of_a_tokenizer() -> None:
    count = tokens.exact()
    assert count("two words") == 2
    assert count("a\udcffb") > 0


@pytest.mark.corpus
def test_exact_counts_are_near_on_real_files(corpus: list[Path]) -> None:
    pytest.importorskip("splintr")
    count = tokens.exact()
    errors = []
    for path in [path for path in corpus if path.suffix == ".md"][::10]:
        text = decode(path.read_bytes())
        if len(text) > 200:
            errors.append(abs(tokens.estimate(text) / count(text) - 1))
    errors.sort()
    assert errors[len(errors) // 2] < 0.05
    assert errors[len(errors) * 9 // 10] < 0.12
