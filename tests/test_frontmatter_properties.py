"""Front matter under generated text: two readers agree, no line is lost, an edit changes what it should."""

import io

import ryaml
import yaml
from hypothesis import given
from hypothesis import strategies as st

from conftest import draws
from memdown.markdown.frontmatter import (
    FrontMatter,
    FrontMatterEntry,
    FrontMatterValue,
    plain,
    quote,
    read,
    remove,
    set_value,
    write,
)
from memdown.markdown.frontmatter.flat import scan
from memdown.markdown.frontmatter.lines import lines_of
from memdown.markdown.frontmatter.model import FrontMatterBlock
from memdown.markdown.frontmatter.nested import parse
from memdown.text import Span, apply

FRAGMENTS = (
    "key", "a", "b c", "list", ":", ": ", ":\t", "-", "- ", "  ", " ", "\t", "\n", "\n", "\n", "\n  ", "\n  - ", "\n- ", "\r\n", "\r",
    "\nkey: ", "\nlist:", "\nlist:\n  - ", "\nlist:\n- ", " >-\n  ", " |\n  ", " >+\n ", " |2-\n   ", "\n\n", "\n    ", "x", "text here",
    "#", " # note", "\n# note", "\n  # note", "'", "''", '"', '\\', "\\n", "\\x41", "\\u263A", "\\U0001F600", "\\q", "'quoted'", '"quoted"',
    "[", "]", "[a, 'b']", ", ", ",", "{", "}", "{a: b}", "&a ", "*a", "!t ", "!!str ", "? ", "<<: *a", "*.ts", '"a", "b"', "~", "null", "1.10",
    "0x1F", "%", "@", "`", "|", ">", "é", "\U0001f600", "\x85", "\u2028", "\ufeff", "\x00", "\x07", "\udcff", "\xa0", "--- x", "... x",
)  # fmt: skip
BLOCKS = st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join)
TAME = (
    "key: ", "a: ", "b c: ", "a:", "list:", "\n", "\n", "\n", "\r\n", "\n  - ", "\n  - ", "\n- ", " >-\n  ", " |\n  ", " >\n  ", " |+\n ",
    " >2\n  ", "\n    ", "\n  ", "\n\n", "x", "word word", " ", "'it''s'", '"a\\tb\\u263A"', "''", '""', " # note", "# note", "a#b", "a:b",
    "[a, 'b', \"c\"]", "[]", "[a b, c:d , -1]", "é\U0001f600", "1.10", "null", "-1", "?x", ":x", "a'b", 'a"b', "\x85", "\u2028", "\x07",
)  # fmt: skip
FLAT_BLOCKS = st.lists(st.sampled_from(TAME), max_size=25).map("".join)
WEIRD = st.sampled_from(
    [
        "", " ", "a", "new value", "a\nb", "a\r\nb\n", "\n", "# no", "a # b", "a: b", "a:", ":", "- a", "-", "---", "...", "? a", "yes", "null", "~",
        "1e3", "0x1F", "1.10", "2025-01-01", "2025-01-01T10:00:00Z", "12:30:45", "890147e807765334", " lead", "trail ", "it's", '"', "''", "\\",
        "a\\n", "é\U0001f600", "\x85", "a\u2028b", "\ufeff", "\x00", "\x7f", "\udcff", "\xa0", "\t", "a\tb", "[a", "{", "a, b", "&a", "*a", "!t",
        "%", "@x", "`", "|", ">", "=", "<<", "x" * 5000, "word " * 900,
    ]
)  # fmt: skip
VALUES = st.one_of(WEIRD, WEIRD, st.text(max_size=20))
LISTS = st.lists(VALUES, max_size=5)
EOLS = st.sampled_from(["\n", "\r\n", "\r"])


def yaml12(document: str) -> object:
    return ryaml.load(io.StringIO(document))


def front(inner: str) -> str:
    if inner and inner[-1] not in "\r\n":
        inner += "\n"
    return f"---\n{inner}---\nbody\n"


def unread(fm: FrontMatter, text: str) -> list[str]:
    """The lines that are in no entry, no comment and no problem."""
    found = [entry.span for entry in fm.entries] + [problem.span for problem in fm.problems]
    spans = sorted((span.start, span.end) for span in found)
    left, at, reached = list[str](), 0, 0
    for start, end in lines_of(text, fm.inner):
        line = text[start:end].strip(" \t")
        first = start + text[start:end].find(line)
        while at < len(spans) and spans[at][0] <= first:
            reached, at = max(reached, spans[at][1], spans[at][0] + 1), at + 1
        if line and line[0] != "#" and first >= reached:
            left.append(text[start:end])
    return left


def data(value: FrontMatterValue) -> object:
    if value.text is not None:
        return value.text
    return [data(item) for item in value.items] + [(entry.key, data(entry.value)) for entry in value.entries]


def contents(entries: tuple[FrontMatterEntry, ...]) -> list[tuple[str, object]]:
    return [(entry.key, data(entry.value)) for entry in entries]


def check_spans(text: str, entries: tuple[FrontMatterEntry, ...], within: Span) -> None:
    done = within.start
    for entry in entries:
        assert done <= entry.span.start <= entry.key_span.start <= entry.key_span.end
        assert entry.key_span.end <= entry.span.end <= within.end
        check_value(text, entry.value, entry.span)
        done = entry.span.end


def check_value(text: str, value: FrontMatterValue, within: Span) -> None:
    assert within.start <= value.span.start <= value.span.end <= within.end
    if value.style in ("plain", "raw") and "\n" not in value.span.of(text) and "\r" not in value.span.of(text):
        assert value.span.of(text) == value.text
    for item in value.items:
        check_value(text, item, value.span)
    for entry in value.entries:
        check_value(text, entry.value, within)


@draws(600)
@given(st.one_of(BLOCKS, FLAT_BLOCKS, st.tuples(FLAT_BLOCKS, BLOCKS, FLAT_BLOCKS).map("\n".join)))
def test_any_block_is_read_and_no_line_is_lost(inner: str) -> None:
    text = front(inner)
    fm = read(text)
    if fm is not None:
        assert unread(fm, text) == []
        check_spans(text, fm.entries, fm.inner)
        assert all(fm.span.start <= p.span.start <= p.span.end <= fm.span.end for p in fm.problems)


@given(st.text(st.sampled_from("-.: \t\r\na\ufeff#'\"[]{}&*!|>\x85\x00"), max_size=60))
def test_any_text_is_read(text: str) -> None:
    for whole in (text, "---\n" + text, front(text)):
        fm = read(whole)
        if fm is not None:
            assert whole[fm.span.start :].startswith("---")
            assert fm.span.start <= fm.inner.start <= fm.inner.end <= fm.span.end == fm.body


@draws(1500)
@given(st.one_of(FLAT_BLOCKS, FLAT_BLOCKS.map(lambda block: "a: " + block), BLOCKS))
def test_what_the_flat_reader_accepts_the_nested_one_reads_alike(inner: str) -> None:
    text = front(inner)
    span = Span(4, text.rindex("---\nbody"))
    entries = scan(text, lines_of(text, span))
    # A line of tabs alone, or tabs before a comment, is blank for YAML 1.2 and an error for PyYAML.
    tabs = any(text[a:b].lstrip(" ").startswith("\t") for a, b in lines_of(text, span))
    if entries is not None and not tabs:
        found = parse(text, span)
        assert isinstance(found, FrontMatterBlock), found
        assert found.entries == entries


@draws(500)
@given(VALUES)
def test_other_readers_read_a_quoted_value_as_the_same_string(value: str) -> None:
    if any("\ud800" <= char <= "\udfff" for char in value):
        return
    line = quote(value)
    assert len(line.splitlines()) == 1
    document = f"k: {line}\nl:\n  - {line}\n"
    expected = {"k": value, "l": [value]}
    assert yaml.load(document, Loader=yaml.SafeLoader) == expected
    assert yaml.load(document, Loader=yaml.CSafeLoader) == expected
    assert yaml12(document) == expected


@given(
    st.dictionaries(st.one_of(st.just("yes"), st.text(max_size=10), VALUES), st.one_of(VALUES, LISTS), max_size=5),
    EOLS,
)
def test_a_written_block_is_read_back(pairs: dict[str, str | list[str]], eol: str) -> None:
    pairs = {key: value for key, value in pairs.items() if len(key) <= 100 and not surrogates([key, value])}
    text = write(pairs.items(), eol, always_quote=["a"])
    fm = read(text)
    assert fm is not None
    assert fm.problems == ()
    assert contents(fm.entries) == list(pairs.items())
    assert fm.span == Span(0, len(text))
    assert (yaml.load(fm.inner.of(text), Loader=yaml.SafeLoader) or {}) == pairs
    assert (yaml12(fm.inner.of(text).replace("\r\n", "\n").replace("\r", "\n")) or {}) == pairs


def surrogates(value: object) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in repr(value)) or "\\ud" in repr(value)


BASES = (
    "id: 1\nkey: old # note\nlast: x\n",
    "id: 1\nkey: 'old'\n# note\nlast: x\n",
    'id: 1\nkey: "old"   # note\nlast: x\n',
    "id: 1\nkey:\nlast: x\n",
    "key: # note\nlast: x\n",
    "id: 1\nkey: >- # note\n  folded\n  text\n\nlast: x\n",
    "id: 1\nkey: |+\n  literal\n\n\nlast: x\n",
    "key: |\n  literal\n",
    "id: 1\nkey:\n  - a # one\n  # two\n  - 'b'\n  - \"c\"\n  -\nlast: x\n",
    "key: # note\n- a\n- b\nlast: x\n",
    "id: 1\nkey: [a, 'b', \"c\"] # note\nlast: x\n",
    "key: []\nlast: x\n",
    "id: 1\nkey: [\n  a, # one\n  b\n]\nlast: x\n",
    "key:\n  deep: er\n  and:\n    - more\nlast: [a, {b: c}]\n",
    "key: {a: b} # note\nlast: x\n",
    "key: two\n  lines\nlast: x\n",
    "key: 'two\n\n  lines' # note\nlast: x\n",
    "key: *.ts\nlast: x\n",
    'key: "a", "b"\nlast: x\n',
    "key: &anchor old\nlast: *anchor\n",
    "key: &anchor\n  - a\n  - b\nlast: *anchor\n",
    "key: !tag old\nlast: x\n",
    "? key\n: old\nlast: x\n",
    "? key\nlast: x\n",
    "  key: old\n  last: x\n",
    "key: *\n  - a\n  b\nlast: x\n",
    "key: old\n\t- a\nlast: x\n",
    "key: old\nnonsense\nlast: x\n",
    "key: old\nkey: twice\nlast: x\n",
    "'key': old\nlast: x\n",
    "key:\n  - - a\n    - b\n  - c: d\nlast: x\n",
    "key:\n  - >\n    folded\n  - two\n    lines\nlast: x\n",
    "key: true\nlast: 2025-01-01\n",
    "last: x\n",
    "",
    "# only a note\n",
)


@draws(1500)
@given(st.sampled_from(BASES), st.one_of(VALUES, LISTS), EOLS, st.sampled_from(["", "\ufeff"]))
def test_a_set_value_is_read_back_and_nothing_else_changes(
    base: str, value: str | list[str], eol: str, bom: str
) -> None:
    text = bom + front(base).replace("\n", eol)
    fm = read(text)
    assert fm is not None
    edits = set_value(text, fm, "key", value)
    edited = apply(text, edits)
    after = read(edited)
    assert after is not None
    entry = after.get("key")
    assert entry is not None
    assert data(entry.value) == value
    assert (entry.value.text is None) == isinstance(value, list)
    assert [c for e, c in zip(after.entries, contents(after.entries), strict=True) if e != entry] == [
        c for e, c in zip(fm.entries, contents(fm.entries), strict=True) if e != fm.get("key")
    ]
    assert edited[after.body :] == text[fm.body :]
    assert set_value(edited, after, "key", value) == []
    for edit in edits:
        assert fm.inner.start <= edit.span.start <= edit.span.end <= fm.inner.end
        assert eol == "\n" or "\n" not in edit.new.replace("\r\n", "")


@given(st.sampled_from(BASES), EOLS)
def test_a_removed_key_is_gone_and_nothing_else_changes(base: str, eol: str) -> None:
    text = front(base).replace("\n", eol)
    fm = read(text)
    assert fm is not None
    after = read(apply(text, remove(text, fm, "key")))
    assert after is not None
    assert contents(after.entries) == [content for content in contents(fm.entries) if content[0] != "key"]


@draws(300)
@given(FLAT_BLOCKS, st.one_of(VALUES, LISTS))
def test_any_entry_of_any_block_can_be_set(inner: str, value: str | list[str]) -> None:
    text = front(inner)
    fm = read(text)
    for entry in fm.entries if fm else ():
        assert fm is not None
        after = read(apply(text, set_value(text, fm, entry.key, value)))
        found = after and after.get(entry.key)
        assert found
        assert data(found.value) == value


PIECES = [
    "a: b", 'key: "x"', "keywords:", "  - one", '  - "two"', "- z", "  - a: b", "x: y # c", "u: http://x.y", "e:", "e: ",
    'q: "a\\"b"', "f: [a, b]", "l: |", "   text", "...", "---", "--- ", "", "# c", "k :v", "é: ü", "x: a:", "n: -1",
    "y: a\tb", "z: a\u00a0b", "a: twice", "  - ", 'k: "', 'k: ""', "x: a ", "cr: a\rb",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=7), st.sampled_from(["\n---\n", "\n---", "\n---\r\n", "\n"]))
def test_plain_values_are_those_that_are_read_with_their_places(lines: list[str], end: str) -> None:
    text = "---\n" + "\n".join(lines) + end + "Body\n"
    found = plain(text)
    if found is None:
        return
    front = read(text)
    assert front is not None
    known = [
        (e.key, e.value.text if e.value.text is not None else [i.text for i in e.value.items]) for e in front.entries
    ]
    assert (list(found[0].items()), found[1]) == (known, front.body)


def test_a_card_as_memdown_writes_it_is_plain() -> None:
    text = '---\nid: 1\nsubject: "a: b"\nkeywords:\n  - one\n  - "two"\n---\n\nBody\n'
    assert plain(text) == ({"id": "1", "subject": "a: b", "keywords": ["one", "two"]}, text.index("\nBody"))
