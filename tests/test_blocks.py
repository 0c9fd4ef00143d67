"""Where blocks are: text in, blocks out."""

import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memdown.markdown.blocks import Block, cells, comments, rows, scan
from memdown.text import Span


def outline(text: str) -> list[str]:
    """One line per block, indented by depth: kind and text."""
    return [f"{'  ' * block.depth}{block.kind} {block.span.of(text)!r}" for block in scan(text)]


def only(text: str, kind: str) -> Block:
    [block] = [block for block in scan(text) if block.kind == kind]
    return block


def test_a_document_is_told_in_the_order_in_which_blocks_begin() -> None:
    text = "# Log\n\nIntro\nmore\n\n- one\n  - two\n\n  > three\n- four\n\n---\n"
    assert outline(text) == [
        "heading '# Log'",
        "paragraph 'Intro\\nmore'",
        "item '- one\\n  - two\\n\\n  > three'",
        "  paragraph 'one'",
        "  item '- two'",
        "    paragraph 'two'",
        "  quote '> three'",
        "    paragraph 'three'",
        "item '- four'",
        "  paragraph 'four'",
        "rule '---'",
    ]


# Headings


@pytest.mark.parametrize(
    ("text", "level", "title", "info"),
    [
        ("# One", 1, "One", "atx"),
        ("###### Six ######", 6, "Six", "atx"),
        ("   ## Three blanks before", 2, "Three blanks before", "atx"),
        ("#\tTab", 1, "Tab", "atx"),
        ("## C#", 2, "C#", "atx"),
        ("## a # b ##  ", 2, "a # b", "atx"),
        ("#", 1, "", "atx"),
        ("## ##", 2, "", "atx"),
        ("# #\\#", 1, "#\\#", "atx"),
        ("Title\n=====", 1, "Title", "setext"),
        ("Two  \nlines \t\n---", 2, "Two  \nlines", "setext"),
        ("> Title\n> -", 2, "Title", "setext"),
    ],
)
def test_heading(text: str, level: int, title: str, info: str) -> None:
    heading = only(text, "heading")
    assert (heading.level, heading.content.of(text), heading.info) == (level, title, info)


@pytest.mark.parametrize(
    "text", ["####### seven", "#hash", "\\# no", "    # code", "a\n\n===", "> a\n===", "[a]: /u\n===", "- a\n==="]
)
def test_no_heading(text: str) -> None:
    assert "heading" not in {block.kind for block in scan(text)}


def test_an_underline_below_definitions_is_text() -> None:
    assert outline("[a]: /u\n===\n===\n") == ["paragraph '[a]: /u'", "heading '===\\n==='"]
    assert outline("[a]: /u\n'title'\n[b]:\n  <v>\nText\n---") == [
        "paragraph \"[a]: /u\\n'title'\"",
        "paragraph '[b]:\\n  <v>'",
        "heading 'Text\\n---'",
    ]
    assert outline("[a]: /u\n'no title\n---") == ["paragraph '[a]: /u'", 'heading "\'no title\\n---"']


@pytest.mark.parametrize(
    "text", ["[a]\n===", "[a]:\n===", "[a]: /u x\n===", "[]: /u\n===", "[a]: (\n===", "[a[]: u\n==="]
)
def test_what_only_looks_like_a_definition_is_underlined(text: str) -> None:
    assert only(text, "heading").level == 1


# Rules


@pytest.mark.parametrize("text", ["---", "* * *", "  ___\t", "-  -\t-", "a\n***", "- a\n---"])
def test_rule(text: str) -> None:
    assert only(text, "rule").span.of(text) == text.rpartition("\n")[2].lstrip(" ")


@pytest.mark.parametrize("text", ["--", "-*-", "    ---", "- - a", "a\n---"])
def test_no_rule(text: str) -> None:
    assert "rule" not in {block.kind for block in scan(text)}


# Fences and other code


def test_a_fence_has_its_info_and_the_lines_between() -> None:
    text = "```python title=x  \na = 1\n\n# no heading\n````  \nafter"
    fence = only(text, "fence")
    assert fence.info == "python title=x"
    assert fence.content.of(text) == "a = 1\n\n# no heading\n"
    assert fence.span.of(text) == text.removesuffix("\nafter")
    assert fence.closed


def test_an_empty_fence_and_one_with_an_empty_line() -> None:
    assert only("```\n```", "fence").content == Span(4, 4)
    assert only("```\n\n```", "fence").content == Span(4, 5)


@pytest.mark.parametrize("text", ["~~~\n```\n~~", "```\n    ```", "````\n```", "```\n``` x", "```", "```\n\n"])
def test_an_unclosed_fence_takes_the_rest(text: str) -> None:
    fence = only(text, "fence")
    assert not fence.closed
    assert fence.span == Span(0, len(text.removesuffix("\n")))


def test_an_unclosed_fence_ends_with_its_container() -> None:
    assert outline("- ```\n  a\n\nb") == ["item '- ```\\n  a\\n'", "  fence '```\\n  a\\n'", "paragraph 'b'"]
    assert outline("> ```\n> a\nb") == ["quote '> ```\\n> a'", "  fence '```\\n> a'", "paragraph 'b'"]


def test_a_fence_in_containers_is_closed_there() -> None:
    text = "> 1. ~~~ x\n>    a\n>    ~~~\n>    b"
    fence = only(text, "fence")
    assert (fence.depth, fence.info, fence.closed) == (2, "x", True)
    assert fence.content.of(text) == ">    a\n"


def test_back_ticks_in_the_info_make_it_text() -> None:
    assert outline("``` a`b\n") == ["paragraph '``` a`b'"]
    assert only("~~~ a`b ~~~", "fence").info == "a`b ~~~"


def test_indented_code_keeps_blank_lines_inside_and_drops_them_at_the_end() -> None:
    assert outline("    a\n\n\t  b\n\nc") == ["code 'a\\n\\n\\t  b'", "paragraph 'c'"]
    assert outline("a\n    b") == ["paragraph 'a\\n    b'"]
    assert outline("-     a") == ["item '-     a'", "  code 'a'"]


# Items and quotes


@pytest.mark.parametrize(
    ("text", "marker", "number", "content"),
    [
        ("- a", "-", 0, "a"),
        ("*\ta", "*", 0, "a"),
        ("+   a\n    b", "+", 0, "a\n    b"),
        ("1. a", "1.", 1, "a"),
        ("007) a", "007)", 7, "a"),
        ("-", "-", 0, ""),
        ("-\n  a", "-", 0, "a"),
        ("- a\nlazy", "-", 0, "a\nlazy"),
        ("- a\n\n  b\n\n", "-", 0, "a\n\n  b"),
    ],
)
def test_item(text: str, marker: str, number: int, content: str) -> None:
    item = only(text, "item")
    assert (item.info, item.level, item.content.of(text)) == (marker, number, content)
    assert item.span == Span(0, max(item.content.end, len(marker)))


def test_an_item_in_an_item_is_its_content() -> None:
    assert [block.content for block in scan("- 1. a")] == [Span(2, 6), Span(5, 6), Span(5, 6)]


@pytest.mark.parametrize("text", ["-a", "1.a", "1234567890. a", "a\n-", "a\n2. b", "    - a", "\\- a", "–  a"])
def test_no_item(text: str) -> None:
    assert "item" not in {block.kind for block in scan(text)}


@pytest.mark.parametrize(
    ("text", "state", "content"),
    [
        ("- [ ] open", " ", "open"),
        ("1. [x] done", "x", "done"),
        ("- a\n  - [X]  done", "X", "done"),
        ("> * [ ] # no heading", " ", "# no heading"),
        ("-\n  [ ] on the next line", " ", "on the next line"),
        ("- [x]", "x", ""),
    ],
)
def test_task(text: str, state: str, content: str) -> None:
    [item] = [block for block in scan(text) if block.task is not None]
    assert item.box is not None
    assert (item.task, item.content.of(text)) == (state, content)
    assert item.box.of(text) == f"[{state}]"


@pytest.mark.parametrize(
    "text", ["- [ ]open", "- [y] a", "- a [ ] b", "[ ] a", "- > [ ] a", "- a\n\n  [ ] b", "- [x]: /u"]
)
def test_no_task(text: str) -> None:
    assert {block.task for block in scan(text)} == {None}


def test_quotes_take_lazy_lines_and_end_at_blank_ones() -> None:
    assert outline("> a\nb\n>\n\nc") == ["quote '> a\\nb\\n>'", "  paragraph 'a\\nb'", "paragraph 'c'"]
    assert outline(">\n>") == ["quote '>\\n>'"]
    assert outline("> - a\n>\n> b") == [
        "quote '> - a\\n>\\n> b'",
        "  item '- a'",
        "    paragraph 'a'",
        "  paragraph 'b'",
    ]


def test_tabs_are_columns() -> None:
    assert outline("-\ta\n\n\tb") == ["item '-\\ta\\n\\n\\tb'", "  paragraph 'a'", "  paragraph 'b'"]
    assert outline(">\t\ta") == ["quote '>\\t\\ta'", "  code 'a'"]
    assert outline("- a\n\t- b") == ["item '- a\\n\\t- b'", "  paragraph 'a'", "  item '- b'", "    paragraph 'b'"]


# Tables


def table_of(text: str) -> list[list[str]]:
    table = only(text, "table")
    return [[cell.of(text) for cell in cells(text, row)] for row in rows(text, table)]


def test_table() -> None:
    text = "| a | b |\n|---|:-:|\n| 1 | 2 |\nx\n\nafter"
    assert table_of(text) == [["a", "b"], ["1", "2"], ["x"]]
    assert only(text, "table").span.of(text) == text.removesuffix("\n\nafter")


def test_a_table_in_containers() -> None:
    assert table_of("> - a | b\r\n>   -|-\r\n>   1 | 2\r\n> \r\n> c") == [["a", "b"], ["1", "2"]]


def test_a_table_takes_the_last_line_of_a_paragraph_for_its_header() -> None:
    assert outline("text\n|a|\n|-|\n|b|") == ["paragraph 'text'", "table '|a|\\n|-|\\n|b|'"]


@pytest.mark.parametrize("end", ["# h", "> q", "- i", "```", "***", "<div>", "    code", "2. i"])
def test_other_blocks_end_a_table(end: str) -> None:
    assert table_of(f"|a|\n|-|\n|b|\n{end}\n\n") == [["a"], ["b"]]


@pytest.mark.parametrize(
    "text", ["|a|\n|-|-|", "a\n|-|", "|a|\n|=|", "|a|\n    |-|", "> |a|\n|-|", "|\n|-", "a\n    b|c\n-|-"]
)
def test_no_table(text: str) -> None:
    assert "table" not in {block.kind for block in scan(text)}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("| a | b |", ["a", "b"]),
        ("a|b", ["a", "b"]),
        ("|a||c|", ["a", "", "c"]),
        (r"| a \| b | `c \| d` |", [r"a \| b", r"`c \| d`"]),
        ("|\ta\t|  ", ["a"]),
        ("| a | `b | c` |", ["a", "`b", "c`"]),
        ("||", [""]),
        ("|", [""]),
        ("a", ["a"]),
        ("", [""]),
        ("| a \\|", ["a \\|"]),
    ],
)
def test_cells(row: str, expected: list[str]) -> None:
    text = f"é{row}\n"
    assert [cell.of(text) for cell in cells(text, Span(1, 1 + len(row)))] == expected


# HTML and comments


@pytest.mark.parametrize(
    ("text", "name", "closed"),
    [
        ("<!-- a\n\nb --> c", "comment", True),
        ("<!-- a\n\nb", "comment", False),
        ("<pre>\n\n</pre>", "raw", True),
        ("<?php\n\n?>", "instruction", True),
        ("<!DOCTYPE html>", "declaration", True),
        ("<![CDATA[\n\n]]>", "cdata", True),
        ("<details open>\na", "block", True),
        ("</div>", "block", True),
        ('<x-y a b=c d = "e" />', "tag", True),
    ],
)
def test_html(text: str, name: str, closed: bool) -> None:
    html = only(text, "html")
    assert (html.info, html.closed, html.span) == (name, closed, Span(0, len(text)))


def test_a_lone_tag_does_not_interrupt_a_paragraph() -> None:
    assert outline("a\n<b>\n\n<b>\nc") == ["paragraph 'a\\n<b>'", "html '<b>\\nc'"]


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("<!-- a -->", [" a "]),
        ("# T <!-- a -->\n\nb <!--c--> d <!--e-->\n", [" a ", "c", "e"]),
        ("<!--\na\n\nb\n-->", ["\na\n\nb\n"]),
        ("p <!-- a\nb --> q", [" a\nb "]),
        ("- <!-- a -->\n> x <!-- b -->", [" a ", " b "]),
        ("| <!-- a --> |\n|-|\n| <!-- b --> |", [" a ", " b "]),
        ("<div> <!-- a --> <!-- b --></div>", [" a ", " b "]),
        ("<!--> a <!---> b -->", ["", ""]),
        ("`<!-- a -->` ``b` <!-- c -->``", []),
        ("` <!-- a -->", [" a "]),
        ("\\`<!-- a -->`", [" a "]),
        ("\\<!-- a -->", []),
        ("```\n<!-- a -->\n```\n\n    <!-- b -->", []),
    ],
)
def test_comments(text: str, inner: list[str]) -> None:
    found = list(comments(text))
    assert [comment.inner.of(text) for comment in found] == inner
    assert all(comment.span.of(text).startswith("<!--") and comment.closed for comment in found)


def test_an_unclosed_comment_reaches_to_the_end_of_its_block() -> None:
    text = "a <!-- b\n\nc -->\n\n<!-- d <!-- e\n\nf"
    assert [(comment.span.of(text), comment.closed) for comment in comments(text)] == [
        ("<!-- b", False),
        ("<!-- d <!-- e\n\nf", False),
    ]


# Spans, line endings and odd characters


@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
def test_line_endings_move_spans_and_nothing_else(eol: str) -> None:
    text = eol.join(
        ["\ufeff# 😀 é", "", "- [ ] a", "  b", "", "|a|", "|-|", "|b|", "", "```x", "c", "```", "T", "===", ""]
    )
    expected = [
        "heading '# 😀 é'",
        f"item {f'- [ ] a{eol}  b'!r}",
        f"  paragraph {f'[ ] a{eol}  b'!r}",
        f"table {f'|a|{eol}|-|{eol}|b|'!r}",
        f"fence {f'```x{eol}c{eol}```'!r}",
        f"heading {f'T{eol}==='!r}",
    ]
    assert outline(text) == expected


def test_only_cr_and_lf_end_lines() -> None:
    odd = "a\x00\x0b\x0c\x1b\x1c\x85\u2028\u2029\udc80"
    assert outline(f"{odd}# no heading\n# {odd}") == [f"paragraph {f'{odd}# no heading'!r}", f"heading {f'# {odd}'!r}"]


def test_scanning_may_begin_after_front_matter() -> None:
    text = "---\na: 1\n---\n# T\n"
    [heading] = scan(text, text.index("#"))
    assert heading.span.of(text) == "# T"


BLANK = ["\n", "\n", "\r\n", "\r", " ", "  ", "    ", "\t"]
MARKS = ["- ", "* ", "1. ", "> ", "# ", "```", "~~~", "---", "===", "[ ] ", "[x] ", "\\", "`"]
WORDS = ["|a|b|", "|-|-|", "[a]: /u", "'t'", "<!--", "-->", "<div>", "<b>", "a", "é😀", "\x00"]
FRAGMENTS = st.sampled_from(BLANK + MARKS + WORDS)
TEXTS = st.lists(FRAGMENTS, max_size=30).map("".join) | st.text(max_size=60)
FIRST = {"fence": "`~", "item": "-*+0123456789", "quote": ">", "rule": "-*_", "html": "<"}


@given(TEXTS)
@example("\ufeff")
@example("-\n\n  a")
@example("- - ")
@example("```\n")
@example("\r\r\n\n")
def test_any_text_has_blocks_in_order_inside_the_text(text: str) -> None:
    last = Span(0, 0)
    ends = [len(text)]
    for block in scan(text):
        ends = ends[: block.depth + 1]
        assert last.start <= block.span.start <= block.span.end <= ends[-1]
        assert block.span.start <= block.content.start <= block.content.end <= block.span.end
        assert block.span.of(text)[0] in FIRST.get(block.kind, block.span.of(text)[0])
        assert block.span.of(text)[-1] not in "\r\n" or block.kind in {"fence", "html", "item", "quote"}
        ends.append(block.span.end)
        last = block.span


@given(TEXTS)
def test_every_visible_character_is_in_a_block(text: str) -> None:
    outside = list(text)
    for block in scan(text):
        outside[block.span.start : block.span.end] = " " * (block.span.end - block.span.start)
    assert set("".join(outside)) <= set(" \t\r\n\ufeff")


@given(TEXTS)
def test_a_lone_carriage_return_is_a_line_feed(text: str) -> None:
    unix = text.replace("\r\n", "\n").replace("\r", "\n")
    assert [block.span for block in scan(unix.replace("\n", "\r"))] == [block.span for block in scan(unix)]


@given(TEXTS, TEXTS)
def test_scanning_from_a_line_tells_what_scanning_its_text_does(before: str, text: str) -> None:
    start = len(before) + 1
    shifted = [(b.kind, b.span.start - start, b.span.end - start, b.depth) for b in scan(f"{before}\n{text}", start)]
    text = text if not text.startswith("\ufeff") else ""
    assert shifted == [(b.kind, b.span.start, b.span.end, b.depth) for b in scan(text)] or not text


@given(TEXTS)
def test_table_rows_are_found_again(text: str) -> None:
    for block in scan(text):
        if block.kind == "table":
            spans = [span for row in rows(text, block) for span in cells(text, row)]
            assert all(block.span.start <= span.start <= span.end <= block.span.end for span in spans)


@given(TEXTS)
def test_comments_are_comments(text: str) -> None:
    last = 0
    for comment in comments(text):
        assert last <= comment.span.start <= comment.inner.start <= comment.inner.end <= comment.span.end
        assert comment.span.of(text).startswith("<!--")
        assert not comment.closed or comment.span.of(text).endswith("-->")
        last = comment.span.end


# Hostile text: each must end well before the time limit of a test, at either size.

HOSTILE: dict[str, Callable[[int], str]] = {
    "one line": lambda n: "a" * (100 * n),
    "blanks": lambda n: " " * (10 * n) + "|\n" + "\t" * n,
    "nested items, blank lines": lambda n: "- " * n + "a\n" + "\n" * n,
    "nested items, short lines": lambda n: "- " * n + "a\n" + "b\n" * n,
    "nested items of all kinds": lambda n: "- * + 1. " * (n // 4) + "a\n" + " \n" * n,
    "nested items, marked blank lines": lambda n: "> " + "- " * n + "> a\n" + ">\n" * n,
    "nested quotes, blank lines": lambda n: "> " * n + "a\n" + "\n" * n,
    "nested quotes, short lines": lambda n: ">" * n + "a\n" + ">b\n" * n,
    "quotes in items": lambda n: "- > " * n + "a\n" + "\n" * n,
    "unclosed fences": lambda n: "```a\n" * n,
    "unclosed fences in items": lambda n: "- ```a\n" * n,
    "false ends of a fence": lambda n: "````\n" + "a ```` b\n" * n,
    "brackets": lambda n: "[" * (10 * n) + "\n" + "[\n" * n,
    "definitions": lambda n: "[a]: /u\n'\n" * n + "[a]: /u\n" * n,
    "unclosed comments": lambda n: "a <!-- " * n + "\n\n" + "a <!--\n\n" * n + "<!--\n" * n,
    "back-ticks": lambda n: "a " + "`` ` ``` " * n + "<!--",
    "cells": lambda n: "|a" * (10 * n) + "\n" + "|-" * (10 * n) + "\n" + "|b" * (10 * n),
    "false tables": lambda n: "a|b\n" + "|-\n" * n,
    "tags": lambda n: "<a" + " b" * n + "\n" + "<a" + " " * n + "\n" + "<a\n" * n,
    "closing marks": lambda n: (
        "# a" + " #" * (10 * n) + "\n" + ("## b" + " #" * 1000 + "\n") * (n // 1000) + "# c" + "# " * n
    ),
    "marks": lambda n: "# " + "# " * n + "a\n" + "*" * n + "a\n" + "1" * n,
    "one item": lambda n: "- a\n" + "  - b\n" * n,
    "carriage returns": lambda n: "a\r\r" * n,
}


def walk(text: str) -> int:
    return sum(1 for _ in scan(text)) + sum(1 for _ in comments(text))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text(name: str) -> None:
    assert walk(HOSTILE[name](20_000)) > 0


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_at_length(name: str) -> None:
    """A walk that is quadratic anywhere takes hours here."""
    assert walk(HOSTILE[name](500_000)) > 0


@pytest.mark.parametrize(
    "line",
    ["a line of prose\n\n", "- an item of a list\n", "  - an item of an item\n", "> a quoted line\n>\n", "|a|b|\n"],
)
def test_a_long_text_is_not_held_as_blocks(line: str) -> None:
    text = "- a\n" + line * (300_000 // len(line))
    tracemalloc.start()
    assert sum(1 for _ in scan(text)) > 0
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * len(text)
