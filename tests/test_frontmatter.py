"""Front matter: text in, values, spans, problems and edits out."""

import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from memdown.markdown.frontmatter import (
    FrontMatter,
    FrontMatterEntry,
    FrontMatterValue,
    quote,
    read,
    remove,
    set_value,
    write,
)
from memdown.text import apply

CARD = """\
---
id: 0bafffb7-821b-4538-9934-31db5d1f9e17
subject: >-
  A long subject that was folded
  over two lines
keywords:
  - memory   # the first
  - 'on'
applies_to: 'file:src/a.ts'
occurred_at: 2025-01-15T10:30:00Z
content_hash: 890147e807765334 # looks like a number
---
# Body
"""


def read_inner(inner: str) -> tuple[str, FrontMatter]:
    text = f"---\n{inner}---\n"
    fm = read(text)
    assert fm is not None
    return text, fm


def entry(fm: FrontMatter, key: str) -> FrontMatterEntry:
    found = fm.get(key)
    assert found is not None
    return found


def data(value: FrontMatterValue) -> object:
    if value.style in ("list", "flow"):
        return [data(item) for item in value.items]
    return {e.key: data(e.value) for e in value.entries} if value.text is None else value.text


def values(inner: str) -> dict[str, object]:
    _, fm = read_inner(inner)
    assert fm.problems == ()
    return {e.key: data(e.value) for e in fm.entries}


def problems(inner: str) -> list[tuple[str, str]]:
    text, fm = read_inner(inner)
    return [(problem.kind, problem.span.of(text)) for problem in fm.problems]


def after(inner: str, key: str, value: str | list[str]) -> str:
    text, fm = read_inner(inner)
    return apply(text, set_value(text, fm, key, value))[4:-4]


# Where it begins and ends


def test_a_card() -> None:
    fm = read(CARD)
    assert fm is not None
    assert fm.problems == ()
    assert CARD[fm.body :] == "# Body\n"
    assert {e.key: (e.value.style, data(e.value)) for e in fm.entries} == {
        "id": ("plain", "0bafffb7-821b-4538-9934-31db5d1f9e17"),
        "subject": ("folded", "A long subject that was folded over two lines"),
        "keywords": ("list", ["memory", "on"]),
        "applies_to": ("single", "file:src/a.ts"),
        "occurred_at": ("plain", "2025-01-15T10:30:00Z"),
        "content_hash": ("plain", "890147e807765334"),
    }


def test_spans_are_the_characters_of_each_thing() -> None:
    fm = read(CARD)
    assert fm is not None
    keywords = entry(fm, "keywords")
    assert keywords.key_span.of(CARD) == "keywords"
    assert keywords.span.of(CARD) == "keywords:\n  - memory   # the first\n  - 'on'"
    assert keywords.value.span.of(CARD) == "- memory   # the first\n  - 'on'"
    assert [item.span.of(CARD) for item in keywords.value.items] == ["memory", "'on'"]
    subject = entry(fm, "subject").value
    assert subject.span.of(CARD) == ">-\n  A long subject that was folded\n  over two lines"
    assert entry(fm, "content_hash").span.of(CARD) == "content_hash: 890147e807765334 # looks like a number"
    assert fm.inner.of(CARD) + "---\n# Body\n" == CARD[4:]
    assert fm.span.of(CARD) + "# Body\n" == CARD


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a: b\n",
        "--\n",
        "----\na: b\n----\n",
        " ---\na: b\n---\n",
        "\n---\na: b\n---\n",
        "--- # x\na: b\n---\n",
        "---",
        "---\n",
        "---a\n---\n",
    ],
)
def test_no_front_matter(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    ("text", "inner", "body"),
    [
        ("---\na: b\n---\nbody", "a: b\n", "body"),
        ("---\na: b\n---", "a: b\n", ""),
        ("--- \t\na: b\n---  \nbody", "a: b\n", "body"),
        ("---\na: b\n...\nbody", "a: b\n", "body"),
        ("---\n---\nbody", "", "body"),
        ("---\n\n---\n", "\n", ""),
        ("---\r\na: b\r\n---\r\nbody", "a: b\r\n", "body"),
        ("---\ra: b\r---\rbody", "a: b\r", "body"),
        ("\ufeff---\na: b\n---\nbody", "a: b\n", "body"),
        ("---\na: b\n---x\nc: d\n---\n", "a: b\n---x\nc: d\n", ""),
        ("---\na: |\n  ---\n---\n", "a: |\n  ---\n", ""),
        ("---\na: b\n---\n---\nc: d\n---\n", "a: b\n", "---\nc: d\n---\n"),
    ],
)
def test_the_block_ends_at_the_first_fence(text: str, inner: str, body: str) -> None:
    fm = read(text)
    assert fm is not None
    assert (fm.inner.of(text), text[fm.body :]) == (inner, body)
    assert fm.span.start == text.index("---")
    assert fm.span.end == fm.body


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nSome prose.\n\n---\n\nMore prose.\n",
        "---\n**Author:** Ann\n**Date:** today\n---\n",
        "---\n- a\n- b\n---\n",
        "---\n# Review\n\n**Reviewer:** Ann\n\nText.\n---\n",
        "---\nno closing fence, and no key\n",
    ],
)
def test_prose_between_thematic_breaks_is_not_front_matter(text: str) -> None:
    assert read(text) is None


def test_a_stray_line_before_the_first_key_does_not_hide_the_block() -> None:
    assert problems("stray\na: b\n") == [("syntax", "stray")]


def test_front_matter_without_an_end_is_told_and_not_read() -> None:
    text = "---\nkey: value\n\n# Title\n"
    fm = read(text)
    assert fm is not None
    assert (fm.entries, fm.body, fm.inner.of(text)) == ((), 4, "")
    assert [(p.kind, p.span.of(text)) for p in fm.problems] == [("unclosed", "---")]
    with pytest.raises(ValueError, match="no closing"):
        set_value(text, fm, "key", "x")


# Scalars are the text they are


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1.10", "1.10"),
        ("yes", "yes"),
        ("010", "010"),
        ("~", "~"),
        ("null", "null"),
        ("2025-01-15T10:30:00Z", "2025-01-15T10:30:00Z"),
        ("two words  ", "two words"),
        ("a # b", "a"),
        ("a#b", "a#b"),
        ("a:b", "a:b"),
        ("-1", "-1"),
        ("?x", "?x"),
        (":x", ":x"),
        ("it's", "it's"),
        ("a\x85b\u2028c", "a\x85b\u2028c"),
        ("é\U0001f600", "é\U0001f600"),
        ("''", ""),
        ("'it''s' # note", "it's"),
        ("'a # b: c'", "a # b: c"),
        ('""', ""),
        (
            '"a\\tb\\x41\\u263A\\U0001F600\\\\\\"\\/\\e\\N\\_\\L\\P\\0"',
            'a\tbA☺\U0001f600\\"/\x1b\x85\xa0\u2028\u2029\0',
        ),
        ("\tvalue", "value"),
        ("", ""),
        ("# note", ""),
        ("two\n  lines", "two lines"),
        ("two\n\n  lines", "two\nlines"),
        ("'two\n  lines'", "two lines"),
        ('"two\\\n  lines"', "twolines"),
    ],
)
def test_scalars(written: str, value: str) -> None:
    assert values(f"key: {written}\nlast: x\n") == {"key": value, "last": "x"}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (">-\n  a\n  b", "a b"),
        (">\n  a\n  b", "a b\n"),
        (">+\n  a\n  b\n", "a b\n\n"),
        (">-\n  a\n\n  b", "a\nb"),
        (">-\n  a\n\n\n  b", "a\n\nb"),
        (">-\n  a\n    deeper\n  b", "a\n  deeper\nb"),
        (">-\n  a\n\n    deeper\n\n  b", "a\n\n  deeper\n\nb"),
        (">-\n\n  a", "\na"),
        (">2-\n   a\n   b", " a\n b"),
        (">-2\n   a", " a"),
        ("|\n  a\n  b", "a\nb\n"),
        ("|-\n  a\n\n  b\n", "a\n\nb"),
        ("|+\n  a\n\n", "a\n\n\n"),
        ("| # note\n a: b\n # no note", "a: b\n# no note\n"),
        ("|\n\ta", None),
        ("|-\n  \ta\n  b", "\ta\nb"),
        ("|", ""),
        ("|+\n", "\n"),
    ],
)
def test_block_scalars(written: str, value: str | None) -> None:
    for eol in ("\n", "\r\n", "\r"):
        text = f"---\nkey: {written}\nlast: x\n---\n".replace("\n", eol)
        fm = read(text)
        assert fm is not None
        assert (fm.problems == ()) == (value is not None)
        assert value is None or data(entry(fm, "key").value) == value
        assert data(entry(fm, "last").value) == "x"


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("\n  - a\n  - 'b'", ["a", "b"]),
        ("\n- a\n- b", ["a", "b"]),
        (" # note\n\n  - a\n # note\n  - b", ["a", "b"]),
        ("\n  -\n  - # note\n  - c", ["", "", "c"]),
        (" []", []),
        (" [ ]", []),
        (" [a, 'b, c', \"d\", e:f, -1,]", ["a", "b, c", "d", "e:f", "-1"]),
        (" [\n  a, # one\n  b\n]", ["a", "b"]),
        ("\n  - - a\n    - b\n  - [c]", [["a", "b"], ["c"]]),
        ("\n  - >-\n    a\n    b\n  - c\n    d", ["a b", "c d"]),
        ("\n  a: b\n  c:\n    - d", {"a": "b", "c": ["d"]}),
        (" {a: b, c: [d]}", {"a": "b", "c": ["d"]}),
        ("\n  - a: b\n    c: d", [{"a": "b", "c": "d"}]),
    ],
)
def test_lists_and_maps(written: str, value: object) -> None:
    assert values(f"key:{written}\nlast: x\n") == {"key": value, "last": "x"}


def test_keys() -> None:
    inner = "Two words: a\nsnake_case: b\nkebab-case.x/y: c\n'quoted: key': d\n\"dq\": e\n? long\n: f\n"
    assert values(inner) == {
        "Two words": "a",
        "snake_case": "b",
        "kebab-case.x/y": "c",
        "quoted: key": "d",
        "dq": "e",
        "long": "f",
    }


def test_an_empty_value_lies_after_its_colon() -> None:
    text, fm = read_inner("a:\nb: # note\nc:   \n")
    assert [text[e.value.span.start - 2 : e.value.span.start] for e in fm.entries] == ["a:", "b:", "c:"]
    assert [e.span.of(text) for e in fm.entries] == ["a:", "b: # note", "c:   "]


def test_positions_count_code_points_in_both_readers() -> None:
    for more in ("", "deep:\r\n  er: x\r\n"):
        text = f"\ufeff---\r\nem\U0001f600ji: x\r\nk: é\U0001f600\x85z # n\r\n{more}---\r\n"
        fm = read(text)
        assert fm is not None
        assert entry(fm, "k").value.span.of(text) == entry(fm, "k").value.text == "é\U0001f600\x85z"


# What is wrong is a problem, and the rest is read


@pytest.mark.parametrize(
    "written",
    [
        "*",
        "*.ts",
        "**/*.{ts,tsx}",
        '"a", "b"',
        '"a" b',
        "a: b",
        "- a",
        "@x",
        "`x`",
        "%x",
        "[a",
        "'open",
        '"\\q"',
        "key: 'x' 'y'",
    ],
)
def test_what_is_not_yaml_is_kept_as_raw_text(written: str) -> None:
    line = f"globs: {written}"
    text, fm = read_inner(f"first: 1\n{line}\nlast: x\n")
    assert [(e.key, e.value.text) for e in fm.entries] == [("first", "1"), ("globs", written), ("last", "x")]
    assert entry(fm, "globs").value.style == "raw"
    assert entry(fm, "globs").value.span.of(text) == written
    assert [(p.kind, p.span.of(text)) for p in fm.problems] == [("syntax", line)]


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("a: b\nnonsense\nc: d\n", [("syntax", "nonsense")]),
        ("a: b\n  c: d\ne: f\n", [("syntax", "  c: d")]),
        ("a:\n\t- b\n\t- c\nd: e\n", [("syntax", "\t- b"), ("syntax", "\t- c")]),
        ("a: b\n- c\nd: e\n", [("syntax", "- c")]),
        ("a: 'b'\n  c\nd: e\n", [("syntax", "  c")]),
        ("a: b\n--- c\nd: e\n", [("syntax", "--- c")]),
        ("a: b\na: c\na: d\n", [("duplicate-key", "a"), ("duplicate-key", "a")]),
        ("a: {b: 1, b: 2}\n", [("duplicate-key", "b")]),
        ("a: &x b\nc: *x\n", [("anchor", "&x b"), ("alias", "*x")]),
        ("a: &x\n  - b\n", [("anchor", "&x")]),
        ("a: !!str b\n", [("tag", "!!str b")]),
        ("a: 1\n<<: *x\n", [("merge", "<<"), ("alias", "*x")]),
        ("a: b\x00c\x07\nd: e\n", [("character", "\x00"), ("character", "\x07")]),
        ("a: [b\x00, {c: \udcff\udcfe}]\n", [("character", "\x00"), ("character", "\udcff\udcfe")]),
        ("{a: b}\n", [("syntax", "{a: b}")]),
        ("? [a]\n: b\n", [("syntax", "[a]")]),
    ],
)
def test_problems_name_the_place(inner: str, expected: list[tuple[str, str]]) -> None:
    assert problems(inner) == expected


def test_every_character_can_stand_in_a_nested_value() -> None:
    for first in range(0, 0x110000, 0x8000):
        chars = [chr(code) for code in range(first, first + 0x8000, 1 if first < 0x10000 else 97)]
        value = "".join(char for char in chars if char not in "\r\n'")
        _, fm = read_inner(f"deep:\n  key: 'x{value}x'\n")
        assert entry(fm, "deep").value.entries[0].value.text == f"x{value}x"
        assert {problem.kind for problem in fm.problems} <= {"character"}


def test_anchors_aliases_and_tags_are_raw_text() -> None:
    _, fm = read_inner("a: &x b\nc: *x\nd: !t 'e'\n")
    assert [(e.value.style, e.value.text) for e in fm.entries] == [("raw", "&x b"), ("raw", "*x"), ("raw", "!t 'e'")]


def test_all_duplicates_are_kept_and_the_first_is_got() -> None:
    _, fm = read_inner("a: 1\nb: x\na: 2\n")
    assert [e.value.text for e in fm.entries if e.key == "a"] == ["1", "2"]
    assert entry(fm, "a").value.text == "1"


def test_aliases_are_not_expanded() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]\n"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)]
    _, fm = read_inner("".join(lines))
    assert [len(e.value.items) for e in fm.entries] == [9] * 12
    assert {item.text for item in fm.entries[-1].value.items} == {"*a10"}


@pytest.mark.parametrize(
    "deep",
    ["[" * 30000, "{a: " * 10000, "[{a: " * 5000, "\n" + "".join(" " * n + "-\n" for n in range(1, 300)), "- " * 20000],
)
def test_deep_nesting_is_a_problem(deep: str) -> None:
    _, fm = read_inner(f"first: 1\nkey: {deep}\nlast: x\n")
    assert entry(fm, "first").value.text == "1"
    assert entry(fm, "last").value.text == "x"
    assert {p.kind for p in fm.problems} <= {"too-deep", "syntax"}
    assert fm.problems
    assert entry(fm, "key").value.style in ("raw", "empty")


def test_front_matter_that_is_too_large_is_not_read() -> None:
    text, fm = read_inner("key: value\n" * 6000)
    assert fm.entries == ()
    assert [(p.kind, p.span) for p in fm.problems] == [("too-large", fm.inner)]
    with pytest.raises(ValueError, match="65536"):
        remove(text, fm, "key")


MEGA = 10_000_000


@pytest.mark.parametrize(
    "make",
    [
        lambda: "---" + " " * MEGA,
        lambda: "---" + " " * MEGA + "x",
        lambda: "---\n" + "x" * MEGA,
        lambda: "---\nkey: " + "x" * MEGA,
        lambda: "---\nkey: x\n" + "---x\n" * (MEGA // 5),
        lambda: "---\n" + "\n" * MEGA,
        lambda: "---\n" + "#\n" * (MEGA // 2),
        lambda: "---\n" + "prose\n" * (MEGA // 6) + "---\n",
        lambda: "---\nkey: x\n" + "\n---   x" * (MEGA // 9),
        lambda: "---\nkey: " + "[" * 100_000 + "\n---\n",
        lambda: "---\n" + "a: b\n" * 100_000 + "---\n",
        lambda: "---\n" + "a: b\n" * 13_000 + "---\n",
        lambda: "---\n" + "a: *\n" * 13_000 + "---\n",
        lambda: "---\n" + "a:\n" * 20_000 + "---\n",
        lambda: "---\nkey: " + "'" * 65_000 + "\n---\n",
        lambda: "---\nkey: " + '"\\' * 32_000 + "\n---\n",
        lambda: "---\nkey: [" + "a, " * 21_000 + "\n---\n",
        lambda: "---\nkey: [" + "[], " * 16_000 + "]\n---\n",
        lambda: "---\nkey: {" + "a: b, " * 10_000 + "}\n---\n",
        lambda: "---\nkey: " + "a:" * 32_000 + "\n---\n",
        lambda: "---\nkey: " + " #" * 32_000 + "\n---\n",
        lambda: "---\n" + "a " * 32_000 + "\nkey: *\n---\n",
        lambda: "---\nkey: *\na" + " " * 65_000 + "b\n---\n",
        lambda: "---\n" + "? a\n" * 16_000 + "---\n",
        lambda: "---\nkey: *\n" + " a\n" * 20_000 + "---\n",
        lambda: "---\nkey: *\n" + "- a\n" * 16_000 + "---\n",
        lambda: "---\nkey: |\n" + " \n" * 32_000 + "---\n",
        lambda: "---\nkey:\n" + "#\n" * 32_000 + "---\n",
        lambda: "---\nkey: {a: \n" + "\x00" * 60_000 + "---\n",
    ],
)
def test_no_text_takes_long(make: Callable[[], str]) -> None:
    text = make()
    start = time.process_time()
    read(text)
    # Two seconds is far above what any of them needs on a slow machine, and far below anything quadratic.
    assert time.process_time() - start < 2


def test_ordinary_front_matter_does_not_load_the_yaml_library() -> None:
    code = f"import sys; from memdown.markdown import frontmatter as f; assert f.read({CARD!r}).entries; print('yaml' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


# Editing changes the bytes of one value


@pytest.mark.parametrize(
    ("before", "value", "expected"),
    [
        ("old", "new", "new"),
        ("old # note", "new", "new # note"),
        ("old", "a: b", "'a: b'"),
        ("old", "https://x.y", "https://x.y"),
        ("old", "yes", "'yes'"),
        ("old", "1.0", "'1.0'"),
        ("old", "it's # here", "'it''s # here'"),
        ("old", "two\nlines", '"two\\nlines"'),
        ("old", "", "''"),
        ("'old'   # note", "new", "'new'   # note"),
        ("'old'", "it's", "'it''s'"),
        ("'old'", "two\nlines", '"two\\nlines"'),
        ('"old" # note', "new", '"new" # note'),
        ('"old"', 'a"b\\', '"a\\"b\\\\"'),
        ("", "new", "new"),
        (">-\n  old\n  text", "new", "new"),
        (">- # note\n  old\n  text", "new", "new # note"),
        ("|\n  old\n\n", "two\nlines", '"two\\nlines"\n\n'),
        ("two\n  lines # note", "new", "new # note"),
        ("*.ts", "*.js", "'*.js'"),
        ("&a old", "new", "new"),
        ("[a, b] # note", "new", "new # note"),
        ("{a: b}", "new", "new"),
    ],
)
def test_set_a_scalar(before: str, value: str, expected: str) -> None:
    assert after(f"first: 1\nkey: {before}\n# last\n", "key", value) == f"first: 1\nkey: {expected}\n# last\n"


@pytest.mark.parametrize(
    ("before", "value"), [("true", "false"), ("1.10", "1.20"), ("2025-01-01", "2025-01-02T10:00:00Z"), ("3", "-4")]
)
def test_what_other_readers_type_stays_typed(before: str, value: str) -> None:
    assert after(f"key: {before}\n", "key", value) == f"key: {value}\n"
    assert (
        after(f"key: [{before.replace(':', '')}]\n", "key", [value.split("T")[0]]) == f"key: [{value.split('T')[0]}]\n"
    )


LIST = "key: # which\n  - a # one\n  # between\n  - 'b'\n  - c\nlast: x\n"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["a", "b", "c"], LIST),
        (["a", "B", "c"], LIST.replace("'b'", "'B'")),
        (["a", "b", "c", "d", "no"], LIST.replace("- c\n", "- c\n  - d\n  - 'no'\n")),
        (["z", "a", "b", "c"], LIST.replace("  - a #", "  - z\n  - a #")),
        (["a", "c"], LIST.replace("  - 'b'\n", "")),
        (["b", "c"], LIST.replace("  - a # one\n", "")),
        (["a"], LIST.replace("  - 'b'\n  - c\n", "")),
        ([], "key: [] # which\nlast: x\n"),
    ],
)
def test_set_a_block_list(value: list[str], expected: str) -> None:
    assert after(LIST, "key", value) == expected
    crlf = f"---\n{LIST}---\n".replace("\n", "\r\n")
    fm = read(crlf)
    assert fm is not None
    assert apply(crlf, set_value(crlf, fm, "key", value)) == f"---\n{expected}---\n".replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["a", "B", "c"], "[a, 'B',  c]"),
        (["a", "b", "c", "d, e", "https://x"], "[a, 'b',  c, 'd, e', 'https://x']"),
        (["z", "a", "b", "c"], "[z, a, 'b',  c]"),
        (["a", "c"], "[a,  c]"),
        (["b", "c"], "['b',  c]"),
        (["a"], "[a]"),
        ([], "[]"),
    ],
)
def test_set_a_flow_list(value: list[str], expected: str) -> None:
    assert after("key: [a, 'b',  c] # note\nlast: x\n", "key", value) == f"key: {expected} # note\nlast: x\n"


@pytest.mark.parametrize(
    ("before", "value", "expected"),
    [
        ("key: a # note\n", ["b"], "key: # note\n  - b\n"),
        ("key:\nlast: x\n", ["b", "no"], "key:\n  - b\n  - 'no'\nlast: x\n"),
        ("key: >-\n  a\n\nlast: x\n", ["b"], "key:\n  - b\n\nlast: x\n"),
        ("key: []\n", ["a", "b, c"], "key: [a, 'b, c']\n"),
        ("key:\n  - a\n  - b # note\n", "c", "key: c # note\n"),
        ("key:\n- a\nlast: x\n", ["b", "c"], "key:\n- b\n- c\nlast: x\n"),
        ("key:\n  a: b\nlast: x\n", ["c"], "key:\n  - c\nlast: x\n"),
        ("? key\n: a\nlast: x\n", "b", "key: b\nlast: x\n"),
        ("  key: a\n  last: x\n", ["b"], "  key:\n    - b\n  last: x\n"),
        ("key: *\n  - a\nlast: x\n", "b", "key: b\nlast: x\n"),
    ],
)
def test_set_another_shape(before: str, value: str | list[str], expected: str) -> None:
    assert after(before, "key", value) == expected


def test_a_new_key_is_the_last_line() -> None:
    assert after("a: b # note\n\n# end\n", "new", "1") == "a: b # note\n\n# end\nnew: '1'\n"
    assert after("", "new", ["x"]) == "new:\n  - x\n"
    assert after("  a: b\n", "new", ["x"]) == "  a: b\n  new:\n    - x\n"
    text = "\ufeff---\r\na: b\r\n---\r\n"
    fm = read(text)
    assert fm is not None
    assert apply(text, set_value(text, fm, "c", "d", always_quote=["c"])) == "\ufeff---\r\na: b\r\nc: 'd'\r\n---\r\n"


def test_the_same_value_is_no_edit() -> None:
    fm = read(CARD)
    assert fm is not None
    assert set_value(CARD, fm, "keywords", ["memory", "on"]) == []
    assert set_value(CARD, fm, "subject", "A long subject that was folded over two lines") == []


def test_a_value_that_does_not_fit_is_refused() -> None:
    text, fm = read_inner("a: b\n")
    with pytest.raises(ValueError, match="cannot hold"):
        set_value(text, fm, "a", "x" * 70_000)
    with pytest.raises(ValueError, match="too long"):
        set_value(text, fm, "x" * 2000, "y")


def test_remove() -> None:
    inner = "a: 1\nkey:\n  - b # note\n\n# stays\nc: 2\nkey: again\n"
    text, fm = read_inner(inner)
    assert apply(text, remove(text, fm, "key"))[4:-4] == "a: 1\n\n# stays\nc: 2\n"
    assert remove(text, fm, "absent") == []


# Canonical writing


def test_write() -> None:
    pairs: list[tuple[str, str | list[str]]] = [
        ("id", "0bafffb7-821b-4538-9934-31db5d1f9e17"),
        ("subject", "Fix: the parser"),
        ("keywords", ["parser", "on"]),
        ("none", []),
        ("applies_to", "file:src/a.ts"),
        ("content_hash", "f27165508a47d5a3"),
    ]
    assert write(pairs, always_quote=["content_hash"]) == (
        "---\n"
        "id: 0bafffb7-821b-4538-9934-31db5d1f9e17\n"
        "subject: 'Fix: the parser'\n"
        "keywords:\n"
        "  - parser\n"
        "  - 'on'\n"
        "none: []\n"
        "applies_to: 'file:src/a.ts'\n"
        "content_hash: 'f27165508a47d5a3'\n"
        "---\n"
    )
    assert write([("a", ["b"])], eol="\r\n") == "---\r\na:\r\n  - b\r\n---\r\n"
    assert write([]) == "---\n---\n"


@pytest.mark.parametrize(
    "value",
    [
        "global",
        "two words",
        "a-b_c/d.e",
        "./path",
        "(a)",
        "é",
        "✅ done",
        "👩‍💻",
        "a#b",
        "it's",
        'say "x"',
        "3 things",
        "v1.2",
        "a, b",
        "a [b]",
        "100%",
    ],
)
def test_what_is_surely_a_string_is_plain(value: str) -> None:
    assert quote(value) == value


@pytest.mark.parametrize(
    "value",
    """
    1 1.10 -1 +1 010 0x1F 0o17 0b1 1_000 1,000 1e3 890147e807765334 .5 . 12:30 12:30:45 2025-01-01 2025-01-01T10:00:00Z .inf -.INF .NaN
    y N yes No ON off true FALSE Null ~ = << - ? : --- ... -a *a &a !a %a @a `a |a >a [a ]a {a }a #a 'a "a a: a:b
    """.split(),
)
def test_what_another_reader_would_mistake_is_quoted(value: str) -> None:
    assert quote(value) == "'" + value.replace("'", "''") + "'"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("", "''"),
        (" a", "' a'"),
        ("a ", "'a '"),
        ("a # b", "'a # b'"),
        ("a\nb", '"a\\nb"'),
        ("a\tb", '"a\\tb"'),
        ("\r\0\x07\x1f\x7f", '"\\r\\0\\a\\x1F\\x7F"'),
        ("\x85\u2028\ufeff\uffff", '"\\N\\L\\uFEFF\\uFFFF"'),
        ('a"\n\\', '"a\\"\\n\\\\"'),
    ],
)
def test_quotes(value: str, written: str) -> None:
    assert quote(value) == written
