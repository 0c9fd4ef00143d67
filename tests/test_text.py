"""Text survives: decoding, lines, edits."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdown.text import (
    Edit,
    Lines,
    Span,
    after_line,
    apply,
    decode,
    encode,
    eol_of,
    gap,
    line_end,
    line_start,
    shorten,
    with_eol,
)

ODD_TEXT = st.text(st.sampled_from("a é\U0001f600\n\r\t\x00\x07\x0b\x0c\x1c\x85\u2028\ufeff\udcff"))


@given(st.binary())
def test_bytes_survive_decoding(data: bytes) -> None:
    assert encode(decode(data)) == data


def test_the_byte_order_mark_is_a_character_of_the_text() -> None:
    assert decode(b"\xef\xbb\xbf# A") == "\ufeff# A"


def test_a_surrogate_no_file_can_hold_is_refused() -> None:
    with pytest.raises(UnicodeEncodeError):
        encode("\ud800")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\n\n", ["a", ""]),
        ("a\r\nb\rc\nd", ["a", "b", "c", "d"]),
        ("\r\r\n\n", ["", "", ""]),
        ("form\x0cfeed\x0bvt\x1cfs\x85nel\u2028ls", ["form\x0cfeed\x0bvt\x1cfs\x85nel\u2028ls"]),
        ("\ufeffa\n", ["\ufeffa"]),
    ],
)
def test_lines_end_at_lf_crlf_and_cr_only(text: str, lines: list[str]) -> None:
    split = Lines(text)
    assert [split.span(number).of(text) for number in range(len(split))] == lines


@given(ODD_TEXT)
def test_lines_cover_the_text_without_gap(text: str) -> None:
    lines = Lines(text)
    starts = [lines.start(number) for number in range(len(lines) + 1)]
    assert "".join(text[a:b] for a, b in itertools.pairwise(starts)) == text
    for offset in range(len(text)):
        assert lines.start(lines.at(offset)) <= offset < lines.start(lines.at(offset) + 1)


def test_positions_count_from_one_in_code_points() -> None:
    assert Lines("é\U0001f600x\nab").position(2) == (1, 3)
    assert Lines("é\U0001f600x\nab").position(4) == (2, 1)
    assert Lines("").position(0) == (1, 1)


@given(ODD_TEXT)
def test_the_line_around_an_offset_is_the_same_without_the_table(text: str) -> None:
    lines = Lines(text)
    for number in range(len(lines)):
        span = lines.span(number)
        for at in range(span.start, span.end + 1):
            assert (line_start(text, at), line_end(text, at)) == (span.start, span.end)
            assert after_line(text, at) == lines.start(number + 1)


@given(ODD_TEXT)
def test_no_edits_give_the_same_text(text: str) -> None:
    assert apply(text, []) == text


@given(ODD_TEXT, st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5), ODD_TEXT)))
def test_edits_touch_nothing_outside_their_spans(text: str, wishes: list[tuple[int, int, str]]) -> None:
    edits, done = [], 0
    for apart, length, new in wishes:
        start = min(done + apart, len(text))
        done = min(start + length, len(text))
        edits.append(Edit(Span(start, done), new))
    expected = text
    for edit in reversed(edits):
        expected = expected[: edit.span.start] + edit.new + expected[edit.span.end :]
    assert apply(text, edits) == expected


def test_insertions_at_one_place_keep_their_order() -> None:
    assert apply("ac", [Edit(Span(1, 1), "b"), Edit(Span(1, 1), "B")]) == "abBc"


def test_overlapping_edits_are_a_fault() -> None:
    with pytest.raises(ValueError, match="overlaps"):
        apply("abcd", [Edit(Span(0, 3), "x"), Edit(Span(2, 4), "y")])


def test_the_dominant_line_ending() -> None:
    assert eol_of("") == "\n"
    assert eol_of("a\r\nb\r\nc\n") == "\r\n"
    assert eol_of("a\rb\r") == "\r"
    assert with_eol("a\nb\r\nc\rd", "\r\n") == "a\r\nb\r\nc\r\nd"


@pytest.mark.parametrize(
    ("given", "limit", "short"), [("abcde", 5, "abcde"), ("abcdef", 5, "abcd…"), ("abc def", 5, "abc…"), ("", 5, "")]
)
def test_a_text_is_cut_to_what_there_is_room_for(given: str, limit: int, short: str) -> None:
    assert shorten(given, limit) == short


@pytest.mark.parametrize(
    ("before", "eol", "between"),
    [
        ("", None, ""),
        ("\ufeff", None, ""),
        ("a", None, "\n\n"),
        ("a\n", None, "\n"),
        ("a\n\n", None, ""),
        ("a\n \t\n", None, ""),
        ("a\r\n", None, "\r\n"),
        ("a\r", None, "\r"),
        ("a\r", "\n", "\n\n"),
        ("a", "\r\n", "\r\n\r\n"),
    ],
)
def test_a_blank_line_parts_a_text_from_what_comes_after_it(before: str, eol: str | None, between: str) -> None:
    assert gap(before, eol) == between
