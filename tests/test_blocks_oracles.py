"""The block scanner agrees with two other readers: pulldown-cmark (pyromark) and markdown-it.

A fact is a block that matters to us: kind, where it begins, and its level, state or number of columns. Where
the two judges contradict each other either may be right. Where we differ from both, DIFFERENCES has it.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyromark
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from conftest import draws, some
from memdown.markdown.blocks import Block, cells, rows, scan
from memdown.text import BOM, Lines, decode

Fact = tuple[str, int, int]  # kind, place, detail
Extent = tuple[str, int, int]  # kind, start, end

OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_TASKLISTS
MARKDOWN_IT = MarkdownIt("gfm-like", {"linkify": False})
SURROGATE = re.compile("[\ud800-\udfff]")
LONE_CR = re.compile("\r(?!\n)")
BOX = re.compile(r"\[([ \txX])\](?:[ \t\n]|\Z)")


def judged(text: str) -> str:
    """The text as other readers can take it, of the same length: no lone surrogates, no lone CR, no BOM."""
    return LONE_CR.sub("\n", SURROGATE.sub("\ufffd", text.replace(BOM, "\n") if text.startswith(BOM) else text))


# Ours


def our_facts(text: str) -> set[Fact]:
    return {fact for block in scan(text) for fact in _our_facts(text, block)}


def _our_facts(text: str, block: Block) -> Iterator[Fact]:
    if block.kind in ("heading", "fence", "rule"):
        yield block.kind, block.span.start, block.level
    elif block.kind == "table":
        yield "table", block.span.start, len(cells(text, next(rows(text, block))))
    elif block.box is not None:
        yield "task", block.box.start, block.task in ("x", "X")


def our_extents(text: str) -> set[Extent]:
    told = ((block.kind, block.span.start, block.span.end) for block in scan(text) if block.kind in KINDS.values())
    return {(kind, start, trimmed(text, start, end)) for kind, start, end in told}


# pulldown-cmark

KINDS = {
    "Item": "item",
    "BlockQuote": "quote",
    "HtmlBlock": "html",
    "Indented": "code",
    "Fenced": "fence",
    "Table": "table",
}


def pyromark_events(text: str) -> list[tuple[Any, int, int]]:
    """Events with the places where they begin and end, in code points."""
    data = text.encode()
    events = [(event, at["start"], at["end"]) for event, at in pyromark.events_with_range(text, options=OPTIONS)]
    points: dict[int, int] = {}
    last = point = 0
    for offset in sorted({offset for _, *offsets in events for offset in offsets}):
        point += len(data[last:offset].decode())
        points[offset] = point
        last = offset
    return [(event, points[start], points[end]) for event, start, end in events]


def tag(event: Any) -> tuple[str, Any]:
    """Name and details of a block that begins with this event."""
    started = event.get("Start") if isinstance(event, dict) else None
    if isinstance(started, dict):
        [(name, details)] = started.items()
        return tag({"Start": details}) if name == "CodeBlock" else (name, details)
    return started or "", None


def pyromark_facts(text: str) -> set[Fact]:
    facts: set[Fact] = set()
    for event, start, _ in pyromark_events(text):
        name, details = tag(event)
        at = after_blanks(text, start)
        if event == "Rule":
            facts.add(("rule", at, 0))
        elif name == "Heading":
            facts.add(("heading", at, int(details["level"][1])))
        elif name == "Fenced":
            facts.add(("fence", at, 0))
        elif name == "Table":
            facts.add(("table", at, len(details)))
        elif isinstance(event, dict) and "TaskListMarker" in event:
            facts.add(("task", at, event["TaskListMarker"]))
    return facts


def pyromark_extents(text: str) -> set[Extent]:
    told = ((tag(event)[0], start, end) for event, start, end in pyromark_events(text))
    return {
        (KINDS[name], after_blanks(text, start), trimmed(text, start, end))
        for name, start, end in told
        if name in KINDS
    }


def after_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t":
        at += 1
    return at


def trimmed(text: str, start: int, end: int) -> int:
    """Readers do not agree on whether blank lines (and marks of a quote on them) belong to what they follow."""
    while end > start and text[end - 1] in " \t\r\n>":
        end -= 1
    return end


# markdown-it: it knows lines only


def markdown_it_facts(text: str) -> set[Fact]:
    facts: set[Fact] = set()
    tokens = MARKDOWN_IT.parse(text)
    for number, token in enumerate(tokens):
        line = token.map[0] if token.map else 0
        if token.type == "heading_open":
            facts.add(("heading", line, int(token.tag[1])))
        elif token.type == "fence":
            facts.add(("fence", line, 0))
        elif token.type == "hr":
            facts.add(("rule", line, 0))
        elif token.type == "thead_open":
            row = [cell.type for cell in tokens[number : number + 3 * text.count("|") + 6]]
            facts.add(("table", line, row[: row.index("tr_close")].count("th_open")))
        elif token.type == "list_item_open" and tokens[number + 1].type == "paragraph_open":
            box = BOX.match(tokens[number + 2].content)
            if box:
                facts.add(("task", (tokens[number + 2].map or [0])[0], box[1] in "xX"))
    return facts


def by_line(text: str, facts: Iterable[Fact]) -> set[Fact]:
    lines = Lines(text)
    return {(kind, lines.at(place), detail) for kind, place, detail in facts}


# The verdict


def contradictions(text: str) -> set[Fact]:
    """Facts by line where we stand against both judges, up to the line where these contradict each other."""
    told = our_facts(text)
    text = judged(text)
    ours, first, second = by_line(text, told), by_line(text, pyromark_facts(text)), markdown_it_facts(text)
    if ours in (first, second):
        return set()
    end = min((line for _, line, _ in first ^ second), default=len(text))
    return {fact for fact in (ours - first - second) | (first & second) - ours if fact[1] < end}


# What we do otherwise than both judges, each with its reason in docs/design/markdown.md.
DIFFERENCES = {
    "form feed after a tag": "<b>\f\n# a",
    "form feed as a line": "\f\n|-\n--",
    "no-break space as a cell": "\xa0|\n:-",
    "quote mark behind a tab": ">\n\t># a",
    "lazy line above a delimiter row": ">>* a\n>>|-\n>>   -|",
    "table in a task": "- [x] a|\n  -|",
}


@pytest.mark.parametrize("text", DIFFERENCES.values(), ids=DIFFERENCES)
def test_the_list_of_differences_is_not_stale(text: str) -> None:
    assert contradictions(text)


QUOTE_MARK_BEHIND_TAB = re.compile(r"^[> ]*\t[ \t]*>", re.MULTILINE)


def heads_lazily(text: str, fact: Fact) -> bool:
    """Whether judges see a table here whose header is, for us, a later line of a paragraph in a container."""
    kind, line, _ = fact
    start = after_blanks(text, Lines(text).start(line))
    paragraphs = (block for block in scan(text) if block.kind == "paragraph" and block.depth)
    return kind == "table" and any(block.span.start < start < block.span.end for block in paragraphs)


def is_task_of_table(text: str, fact: Fact) -> bool:
    """Whether this is a task whose box stands, for us, in the first row of a table."""
    kind, line, _ = fact
    tables = {block.span.start for block in scan(text) if block.kind == "table"}
    boxes = {block.box.start for block in scan(text) if block.box}
    return kind == "task" and line in {Lines(text).at(place) for place in tables & boxes}


TRICKY = [
    "- a\n- b\n\n\n- c\n    - d\n   - e\n",
    "10. a\n   - b\n\n     ```\n     c\n   ```\n# d\n",
    "> - ```\n>   a\n> ```\n> b\n```\nc\n",
    "-\t```\n\t# a\n\t```\n",
    "* * *\n- - -\n- * - a\n",
    "> a\n---\n> b\n===\n",
    "- a\n---\n- b\n  ---\n",
    "a\n# b\n> c\n- d\n1. e\n```\nf\n",
    "- [ ] a\n- [x] b\n  - [X] c\n- [ ]d\n1. [ ] e\n> [ ] f\n",
    "|a|b|\n|-|-|\n|c\n> d|\n",
    "a | b\n-|-\n\nc | d\n--|\n",
    "| a \\| b |\n|---|\n| `c | d` |\n# e\n",
    "<div>\n# a\n\n# b\n</div>\n# c\n",
    "<!-- a\n# b\n--> c\n# d\n",
    "<b>\n# a\n\nc\n<b>\n# d\n",
    "[a]: /u\n===\n[b]: <v> 't\nu'\n---\n",
    "[a]: /u\n    b\n# c\n",
    "- [a]: /u\n===\n",
    "    a\n\n\n    b\n  # c\n",
    "a\n    # b\n\n    # c\n",
    "1. a\n\n2) b\n3. c\n   # d\n",
    "-\n\n  # a\n-\n  # b\n-   \n   c\n   ===\n",
    "```a`b\n# c\n~~~a`b\n# d\n",
    "````\n```\n````\n``\n# a\n",
    "\ta\n  \tb\n- \t# c\n-\t\t# d\n>\t# e\n>\t\t# f\n",
    "# a #\\#\n## b ##\n### c####\n####### d\n#\te\n",
    f"{BOM}# a\n",
]


@pytest.mark.parametrize("text", TRICKY)
@pytest.mark.parametrize("eol", ["\n", "\r\n", "\r"])
def test_tricky_text(text: str, eol: str) -> None:
    assert contradictions(text.replace("\n", eol)) == set()


# Generated text

HEADINGS = ["# ", "## h", "#", "###### x ##", "####### y", "===", "--", "="]
MARKERS = ["- ", "* ", "+ ", "1. ", "2. ", "10) ", "> ", ">", "[ ] ", "[x] ", "[X]", "[ ]"]
CODE = ["```", "~~~", "````", "``` py", "~~~ `", "`x`", "    ", "\t"]
RULES = ["---", "***", "___", "- - -", "* * *"]
PROSE = ["a", "b c", "é", "😀", "**b**", "[l](u)", "\\", "1", "&amp;", "x\u2028y", "\x00", "\x1b", " ", "  ", "   "]
DEFINITIONS = ["[a]: /u", "[a]:", '[b]: <u> "t"', '"t"', "'t", "(t)", "[", "]"]
TABLES = ["| a | b |", "|---|---|", "| a", "|-", "a | b", "--- | ---", ":-:", "|", "\\|", "| - |", "x |"]
TAGS = ["<div>", "</div>", "<a>", "<a b='c'>", "</b>", "<pre>", "</pre>", "<script", "<p"]
MARKUP = ["<!--", "-->", "<!-- c -->", "<?", "?>", "<!X>", "<![CDATA[", "]]>", *TAGS]
FRAGMENTS = HEADINGS + MARKERS + CODE + RULES + PROSE + DEFINITIONS + TABLES + MARKUP
NESTED = ["> - ", "- > ", "  > ", "> > ", ">   ", "     "]
PREFIXES = ["", "", "", "> ", ">", "- ", "1. ", "  ", "   ", "\t", *NESTED]
LINES = st.builds(
    lambda prefix, parts, eol: prefix + "".join(parts) + eol,
    st.sampled_from(PREFIXES),
    st.lists(st.sampled_from(FRAGMENTS), max_size=4),
    st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"]),
)
TEXTS = st.lists(LINES, min_size=1, max_size=9).map("".join)


def check_generated(text: str) -> None:
    assume(not QUOTE_MARK_BEHIND_TAB.search(judged(text)))
    seen = judged(text)
    found = (fact for fact in contradictions(text) if not heads_lazily(seen, fact))
    assert [fact for fact in found if not is_task_of_table(seen, fact)] == []


@draws(1000)
@given(TEXTS)
def test_generated_text(text: str) -> None:
    check_generated(text)


@pytest.mark.slow
@pytest.mark.timeout(900)
@settings(max_examples=30_000, deadline=None)
@given(TEXTS)
def test_much_generated_text(text: str) -> None:
    check_generated(text)


# Real text


def real_text(path: Path) -> str:
    return decode(path.read_bytes())


@pytest.mark.corpus
def test_real_files_as_pulldown_cmark_reads_them(some_of_corpus: list[Path]) -> None:
    texts = ((path, real_text(path)) for path in some_of_corpus)
    assert [path for path, text in texts if our_facts(text) != pyromark_facts(judged(text))] == []


@pytest.mark.corpus
def test_all_blocks_of_real_files_begin_and_end_where_pulldown_cmark_says(some_of_corpus: list[Path]) -> None:
    texts = ((path, real_text(path)) for path in some_of_corpus)
    assert [path for path, text in texts if our_extents(text) != pyromark_extents(judged(text))] == []


@pytest.mark.corpus
def test_real_files_as_both_judges_read_them(corpus: list[Path]) -> None:
    sample = [path for path in some(corpus, 30) if path.stat().st_size < 30_000]
    assert [path for path in sample if contradictions(real_text(path))] == []
