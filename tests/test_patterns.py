"""Patterns are compiled when they are first used; here all of them are, so that none is wrong unseen."""

import ast
import pkgutil
import re
import time
import tracemalloc
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import memdown
from memdown import secrets
from memdown.acts.check.rules import text as rules_text
from memdown.dialects.journal import due, names
from memdown.dialects.journal import grammar as journal
from memdown.dialects.journal import lines as journal_lines
from memdown.markdown import jsonc
from memdown.markdown.blocks import definitions, grammar
from memdown.markdown.frontmatter import canonical, flat, reader
from memdown.markdown.frontmatter import lines as front_lines
from memdown.memory.layers.grep import compiled
from memdown.patterns import LazyPattern, lazy, many

SOURCE = Path(memdown.__file__).parent
COMPILERS = {"compile", "match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split"}


def found_in(value: object, depth: int = 2) -> list[LazyPattern]:
    """The patterns in a module's constant: itself, or inside a tuple or dict."""
    if isinstance(value, LazyPattern):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return [each for item in inner for each in found_in(item, depth - 1)] if depth else []


def needs_more(module: str) -> bool:
    """Whether a module is for an extra that is not installed here."""
    try:
        import_module(module)
    except ModuleNotFoundError as error:
        return error.name in ("mcp", "numpy")
    return False


def all_patterns() -> dict[str, list[LazyPattern]]:
    """The patterns of every module, by the module's name."""
    modules = [each.name for each in pkgutil.walk_packages(memdown.__path__, "memdown.")]
    return {
        name: [each for value in vars(import_module(name)).values() for each in found_in(value)]
        for name in modules
        if not name.endswith("__main__") and not needs_more(name)
    }


def written(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of each pattern that a file hands to `re` or `lazy`; an expression inside one stands as `x`."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called, first = ast.unparse(node.func), node.args[0]
        if called != "lazy" and not (called.startswith("re.") and called[3:] in COMPILERS):
            continue
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield node.lineno, first.value
        elif isinstance(first, ast.JoinedStr):
            parts = [str(each.value) if isinstance(each, ast.Constant) else "x" for each in first.values]
            yield node.lineno, "".join(parts)


def is_possessive(pattern: str, flags: int = 0) -> bool:
    """Whether a possessive quantifier or an atomic group is anywhere in a pattern, as `re` itself reads it."""
    tree = repr(re._parser.parse(pattern, flags))  # type: ignore[attr-defined]
    return "POSSESSIVE_REPEAT" in tree or "ATOMIC_GROUP" in tree


def test_every_pattern_compiles() -> None:
    patterns = [each for some in all_patterns().values() for each in some]
    assert len(patterns) > 200
    for pattern in patterns:
        assert pattern.groups >= 0  # type: ignore[operator]


def test_no_pattern_is_possessive() -> None:
    """Python 3.11.0 to 3.11.4 match possessive quantifiers and atomic groups wrongly, and Debian 12 has 3.11.2.

    There, headings, tables, rules and private keys were misread. `memdown.patterns.many` is for what needs them.
    """
    found = [f"{name}: {each.pattern}" for name, some in all_patterns().items() for each in some if possessive(each)]
    for path in SOURCE.rglob("*.py"):
        found += [f"{path}:{line}: {pattern}" for line, pattern in written(path) if is_possessive(pattern)]
    assert found == []


def possessive(pattern: LazyPattern) -> bool:
    return is_possessive(pattern.pattern, pattern.flags)


@pytest.mark.parametrize("pattern", ["a*+", "a++", "a?+", "a{2,3}+", "(?>a)", "(b(?:c|a++))*", "(?=a*+)", "[+]++"])
def test_possessive_patterns_are_seen(pattern: str) -> None:
    assert is_possessive(pattern)


@pytest.mark.parametrize("pattern", ["a+", "[*+]+", r"C\++", "a+?", "(?:a+)+", "a{2}", r"\(\?>", "(?P<x>a)"])
def test_others_are_not_taken_for_them(pattern: str) -> None:
    assert not is_possessive(pattern)


def test_a_lazy_pattern_is_like_any_other() -> None:
    pattern = lazy("(a)(b)?")
    assert pattern.pattern == "(a)(b)?"
    assert pattern.fullmatch("ab")
    assert [match.group() for match in pattern.finditer("a ab")] == ["a", "ab"]
    assert pattern.sub("x", "ab") == "x"
    assert pattern.groups == 2


@pytest.mark.parametrize("count", [0, 1, 2, 255, 256, 257, 512, 1000])
def test_many_takes_all_there_are(count: int) -> None:
    pattern = re.compile("<" + many("ab?", "letters") + ">")
    assert pattern.fullmatch("<" + "ab" * count + ">")
    assert not pattern.match("<" + "ab" * count + "b>")


KEY = "-----BEGIN PRIVATE KEY-----"
PRIVATE_KEY = secrets._PRIVATE_KEY
HOSTILE: list[tuple[re.Pattern[str], str, str, str]] = [
    *((pattern, "", "# \t", "x") for pattern in (grammar.BLANKS, grammar.HEADING, grammar.PLAIN_HEADING)),
    (grammar.UNDERLINE, "", "=", "x"),
    (grammar.UNDERLINE, "-", " ", "x"),
    (grammar.FENCE, "", "`", "x`"),
    (grammar.FENCE, "```", "x", "`"),
    (grammar.FENCE_LINE, "~", "~", "`"),
    (grammar.CLOSING_FENCE["`"], "", "`", "x"),
    (grammar.CLOSING_FENCE["`"], "```", " ", "x"),
    (grammar.NUMBER, "", "1", "."),
    (grammar.RULE_RUN["-"], "", "- ", "x"),
    (grammar.DELIMITER_ROW, "|", "-", "x"),
    (grammar.DELIMITER_ROW, "|-", " ", "x"),
    (grammar.DELIMITER_ROW, "", "|-", "|x"),
    (grammar.DELIMITER_ROW, "", "|:-: \t", "|  x"),
    (grammar.DELIMITER_ROW, "-|", " ", "x"),
    (grammar.PIPED_ROWS, "", "\n|", "x"),
    (grammar.PIPED_ROWS, "", "\r\n|a|", "\r\nx"),
    (grammar.PLAIN_PARAGRAPH, "x", "\nx", "\n- x"),
    (grammar.PLAIN_PARAGRAPH, "x", "\r", "x"),
    (grammar.PLAIN_PARAGRAPH, "", "x ", "\n="),
    (grammar.PLAIN_ITEM, "- ", "x ", "\nx"),
    (grammar.PLAIN_ITEM, "- x", "\n", " x"),
    (grammar.PLAIN_ITEM, "1. [x] y", "\r\n", "\tx"),
    (grammar.HTML, "<a", " ", "x!"),
    (grammar.HTML, "<a", " b", "!"),
    (grammar.HTML, "<a", " b = 'c'", " ="),
    (grammar.HTML, "<a", ' b="/"', "/"),
    (grammar.HTML, "<a b=", "/", "x"),
    (grammar.HTML, "<a b='", "x", ""),
    (grammar.HTML, "<a b", " ", "= !"),
    (grammar.HTML, "<a>", " ", "x"),
    (grammar.HTML, "</", "a", "!"),
    (definitions._LABEL_TEXT, "", "\\a\\]", "["),
    (definitions._ANGLED, "<", "\\>", ""),
    (definitions._ANGLED, "<", "\\\\x", "<"),
    *((pattern, "", "\\\\a" + closer, "") for closer, pattern in definitions._TITLE_TEXTS.items()),
    (flat._KEY, "", "a ", "x"),
    (flat._KEY, "a", " ", "x"),
    (flat._KEY, "", "./-", ""),
    (flat._ITEM, "-", " ", "\t"),
    (flat._SINGLE, "'", "''", ""),
    (flat._SINGLE, "'", "a''", "b"),
    (flat._DOUBLE, '"', '\\"', ""),
    (flat._DOUBLE, '"', "a\\\\", ""),
    (flat._BLOCK, "|", " ", "x"),
    (flat._REST, "", " \t", "x"),
    (flat._FLOW_PLAIN, "a", ":b", ": "),
    (flat._FLOW_NEXT, "", " ", "x"),
    (front_lines._LINE, "", "x", "\r\n"),
    (reader._OPENING, "---", " \t", "x"),
    (reader._CLOSING, "\n---", "\t", "x"),
    (reader._ENTRY_LIKE, "'", "''", ""),
    (reader._ENTRY_LIKE, '"', '\\"', ""),
    (reader._ENTRY_LIKE, "a", " ", "x"),
    (reader._ENTRY_LIKE, "'a'", " ", "x"),
    (canonical._NUMBER, "", "0.e", "x"),
    (jsonc._TOKEN, '"', "\\n", ""),
    (jsonc._TOKEN, '"', "a\\u0041", "\\x"),
    (jsonc._TOKEN, "1", "0", "x"),
    (jsonc._TOKEN, "1.", "0", "e+1x"),
    (rules_text._CONTROL, "", "\x01", "x"),
    (PRIVATE_KEY, KEY, "a-", ""),
    (PRIVATE_KEY, KEY + "\n", "a" * 64, "!"),
    (PRIVATE_KEY, KEY + "\n", "a" * 64 + "\n", "!"),
    (journal_lines.HEADING, "#", "\t ", "x"),
    (names._SHAPE, "|", " ", "x"),
    (names._SHAPE, "", "\n  |  ", ""),
    (journal.FORM["any-task"], "T1", ", T1", ""),
    (journal.FORM["any-task"], "T1", "0", ":"),
    (journal.FORM["bracketed-task"], "[T1", "/T1", "x"),
    (journal.ID, "", "T1234567", "x"),
    (due._BETWEEN, "", " ", "x"),
    (due._BETWEEN, "", "\n", "x"),
    (due._BETWEEN, "", "---\r\n", "x"),
    (due._BETWEEN, "---", " ", "x"),
]
"""Patterns with what would make them walk back over and over: a beginning, what is repeated, and an end."""
UNBOUNDED = (
    *(grammar.DELIMITER_ROW, grammar.PIPED_ROWS, grammar.PLAIN_PARAGRAPH, grammar.PLAIN_ITEM, grammar.HTML),
    *(definitions._LABEL_TEXT, definitions._ANGLED, *definitions._TITLE_TEXTS.values(), due._BETWEEN),
)
"""Those that go on for more than a line, or in a line of any length."""


def shown(value: object) -> str | None:
    return repr(value)[:20] if isinstance(value, str) else None


@pytest.mark.parametrize(("pattern", "head", "repeated", "tail"), HOSTILE, ids=shown)
def test_time_grows_with_the_text(pattern: re.Pattern[str], head: str, repeated: str, tail: str) -> None:
    """Sixteen times the text takes sixteen times as long; it would be 256 times if it were tried again from each place."""

    def seconds(count: int) -> float:
        text, times = head + repeated * count + tail, []
        for _ in range(3):
            started = time.thread_time()
            pattern.match(text)
            times.append(time.thread_time() - started)
        return min(times)

    pattern.match("")  # compiles it
    assert any(seconds(16_000) < 64 * seconds(1000) + 0.001 for _ in range(3))


@pytest.mark.parametrize(
    ("pattern", "head", "repeated", "tail"), [each for each in HOSTILE if each[0] in UNBOUNDED], ids=shown
)
def test_memory_does_not(pattern: re.Pattern[str], head: str, repeated: str, tail: str) -> None:
    """A repeated group keeps some 200 bytes for each time it matched, unless it is written with `many`."""
    text = head + repeated * 50_000 + tail
    pattern.match("")
    tracemalloc.start()
    pattern.match(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * len(text) + 500_000


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("^(?:ab?c)*+$", "aca", False),
        ("^(?:ab?c)++$", "acabc", True),
        ("^(?>a|ab)c", "abc", False),
        ("((x)|y|z)*+", "xyz", True),
        ("(?:(?!C).)++D", "ABCD", False),
    ],
)
def test_a_typed_pattern_is_matched_rightly_or_as_text(pattern: str, text: str, matches: bool) -> None:
    """Where Python has possessive quantifiers wrong, or fails with them, that is said."""
    regex, notice = compiled(pattern, ignore_case=False)
    if notice is None:
        assert bool(regex.search(text)) is matches
    else:
        assert notice.endswith("(possessive quantifier or atomic group), so it was searched for as text.")
        assert regex.search(f"so {pattern} is text")


@pytest.mark.parametrize("pattern", ["[*+]+", "[]*+]", r"C\+\++", "a+", "(a{2})+", r"\(\?>a", "(a)+?b", r"[\]*+]"])
def test_other_typed_patterns_are_what_they_are(pattern: str) -> None:
    assert compiled(pattern, ignore_case=False)[1] is None
