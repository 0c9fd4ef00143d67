"""Twice the text may take two and a half times as long, whatever the text is.

Every regular expression of the source is run on strings made from its own parts: what leads to a repetition, what is
repeated many times, and an end at which it fails. Every reader and every rule gets the examples of the rule pages with
one line, or one word of a line, repeated. Time is that of the processor, the shortest of several; what is over soon in
any case is not compared, and what is too much is measured again, at twice the size too.
"""

import math
import random
import re
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from importlib import import_module
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from memdown.acts.check import account, engine
from memdown.dialects import parse
from memdown.patterns import LazyPattern
from proofs.fuzz import Sample, targets
from proofs.outcome import Outcome, Run
from test_blocks import HOSTILE as BLOCKS
from test_dialects import HOSTILE as LINES
from test_patterns import COMPILERS, SOURCE, all_patterns, written
from test_rules import NOW

LIMIT = 2.5
LONGEST = 5.0
"""Seconds after which no comparison is needed."""
COUNT = 2000
"""Repetitions in the shorter of two strings for a pattern."""
SIZE = 30_000
"""Characters of the longer of two texts for a reader."""
ENDS = ("", "\0", "x", "\n")
"""A line that is matched whole has no line feed at its end."""
CHARACTERS = " -a0_.*#`:\t/,(|[<>'\"A~+=—\u00a0@{$\n\r\\!é"
"""From these a class of characters is filled, the first that fits."""


# Regular expressions


class Use(NamedTuple):
    """A pattern, and how the source uses it."""

    place: str
    pattern: str
    flags: int
    methods: tuple[str, ...]


@cache
def bounded() -> dict[str, str]:
    """Patterns that see a short text only, and why."""
    rows = [line.split(" ~ ") for line in (Path(__file__).parent / "bounded.txt").read_text("utf-8").splitlines()]
    return {row[0]: row[1] for row in rows if len(row) == 2 and not row[0].startswith("#")}


@cache
def uses() -> tuple[Use, ...]:
    """Every pattern of the source."""
    sources = {path: path.read_text("utf-8") for path in sorted(SOURCE.rglob("*.py"))}
    everything = "\n".join(sources.values())
    found: dict[tuple[str, int], Use] = {}
    for module, patterns in all_patterns().items():
        names = {
            id(value): name for name, value in vars(import_module(module)).items() if isinstance(value, LazyPattern)
        }
        own = sources[Path(import_module(module).__file__ or "")]
        for each in patterns:
            name = names.get(id(each), "")
            text = own if name.startswith("_") else everything
            called = re.findall(rf"\b{name}\.({'|'.join(COMPILERS - {'compile'})})\b", text) if name else []
            key = each.pattern, int(each.flags)
            methods = {*called, *(found[key].methods if key in found else ())} or {"match"}
            found[key] = Use(f"{module}:{name}", *key, tuple(sorted(methods)))
    for path in sources:
        for line, pattern in written(path):
            called = re.findall(r"\bre\.(\w+)\(", sources[path].splitlines()[line - 1])  # all others are of a module
            if called and not any(pattern == known for known, _ in found):
                ways = ("match", "search") if "compile" in called else tuple(called)
                found[pattern, 0] = Use(f"{path.relative_to(SOURCE)}:{line}", pattern, 0, ways)
    return tuple(each for each in found.values() if each.place not in bounded())


def hostile(pattern: str, flags: int) -> Iterator[tuple[str, str]]:
    """Beginnings, and what to repeat after them."""
    tree = parser.parse(pattern, flags)
    found: dict[tuple[str, str], None] = {}
    _repeats(tree, "", found)
    whole = _sample(tree, 0)
    letters = dict.fromkeys(each for _, unit in found for each in unit)
    yield from found
    yield "", whole
    for letter in [*letters][:12]:
        yield "", letter
        yield whole, letter


def _repeats(tree: Any, before: str, found: dict[tuple[str, str], None]) -> str:
    """Note every repetition with what leads to it; a text that the tree matches."""
    for code, value in tree:
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            least, most, inner = value
            if most > 16:
                for choice in range(3):
                    found[before, _sample(inner, choice)] = None
            _repeats(inner, before, found)
            before += _sample(inner, 0) * min(least, 300)
        elif code is codes.SUBPATTERN:
            before = _repeats(value[-1], before, found)
        elif code is codes.BRANCH:
            ends = [_repeats(each, before, found) for each in value[1]]
            before = ends[0]
        elif code in (codes.ASSERT, codes.ASSERT_NOT):
            _repeats(value[1], before, found)
        else:
            before += _sample([(code, value)], 0)
    return before


def _sample(tree: Any, choice: int) -> str:
    """A short text that a tree may match; another choice takes other characters and branches."""
    pieces = []
    for code, value in tree:
        if code is codes.LITERAL:
            pieces.append(chr(value))
        elif code is codes.NOT_LITERAL:
            pieces.append(_fitting(lambda char, value=value: ord(char) != value, choice))  # type: ignore[misc]
        elif code is codes.ANY:
            pieces.append(_fitting(lambda char: char not in "\r\n", choice))
        elif code is codes.IN:
            pieces.append(_fitting(lambda char, value=value: _is_in(value, char), choice))  # type: ignore[misc]
        elif code in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            least, most, inner = value
            pieces.append(_sample(inner, choice) * min(max(least, int(choice > 0 and most > 0)), 300))
        elif code is codes.SUBPATTERN:
            pieces.append(_sample(value[-1], choice))
        elif code is codes.BRANCH:
            pieces.append(_sample(value[1][choice % len(value[1])], choice))
    return "".join(pieces)


def _is_in(items: Any, char: str) -> bool:
    negated = items[0][0] is codes.NEGATE
    for code, value in items:
        hit = (
            (code is codes.LITERAL and ord(char) == value)
            or (code is codes.RANGE and value[0] <= ord(char) <= value[1])
            or (code is codes.CATEGORY and _is_of(value, char))
        )
        if hit:
            return not negated
    return negated


def _is_of(category: Any, char: str) -> bool:
    name = str(category).removeprefix("CATEGORY_").removeprefix("UNI_")
    kinds = {"DIGIT": char.isdigit(), "SPACE": char.isspace(), "WORD": char.isalnum() or char == "_"}
    return not kinds[name[4:]] if name.startswith("NOT_") else kinds[name]


def _fitting(fits: Callable[[str], bool], choice: int) -> str:
    found = [char for char in CHARACTERS if fits(char)] or [char for char in map(chr, range(33, 0x3000)) if fits(char)]
    return found[choice % len(found)] if found else "x"


def _tried(use: Use, seed: int, share: float) -> tuple[int, list[str], float]:
    """How many strings a pattern was run on, which took too long, and the worst ratio."""
    pattern = re.compile(use.pattern, use.flags)
    dice, tried, failures, worst = random.Random(f"{seed}{use.pattern!a}"), 0, list[str](), 0.0
    for head, unit in hostile(use.pattern, use.flags):
        for end in ENDS:
            if not unit or dice.random() > share:
                continue
            for method in use.methods:
                if end == "\n" and method == "fullmatch":
                    continue
                tried += 1
                ratio = _ratio(lambda n: _matching(pattern, method, head + unit * n + end), COUNT, 0.003)  # noqa: B023
                worst = max(worst, ratio)
                if ratio > LIMIT:
                    shown = f"re.compile({use.pattern!r}, {use.flags}).{method}({head!r} + {unit!r} * n + {end!r})"
                    failures.append(f"{use.place}: {ratio:.1f}x at n={4 * COUNT}: {shown}")
                    return tried, failures, worst
    return tried, failures, worst


def _matching(pattern: re.Pattern[str], method: str, text: str) -> Callable[[], object]:
    if method in ("match", "fullmatch", "search"):
        return lambda: getattr(pattern, method)(text)
    return lambda: sum(1 for _ in pattern.finditer(text))


def _ratio(make: Callable[[int], Callable[[], object]], count: int, floor: float, *, again: bool = True) -> float:
    """How much longer the double takes; 0 where that is over soon. What is too much has to be so at twice that too."""
    long = make(2 * count)
    doubled = _seconds(long)
    if doubled < floor:
        return 0.0
    if doubled == math.inf:
        return doubled
    short = make(count)
    single = _seconds(short)
    for _ in range(4 if doubled < 0.5 else 1):  # what takes long is not disturbed by little
        if doubled <= LIMIT * single or doubled < floor:
            break
        single, doubled = min(single, _seconds(short)), min(doubled, _seconds(long))
    ratio = doubled / max(single, 1e-6) if doubled >= floor else 0.0
    return ratio if ratio <= LIMIT or not again else _ratio(make, 2 * count, floor, again=False)


_clock = time.thread_time if time.get_clock_info("thread_time").resolution < 1e-5 else time.perf_counter
"""The work of this thread, so that a busy machine makes no find; some systems tell it in jumps that are too large."""


def _seconds(call: Callable[[], object]) -> float:
    """Processor time of one call; one that does not end is stopped where the system can do that, and has no time."""
    started = _clock()
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGVTALRM, _stop)
        signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
    try:
        call()
    except TimeoutError:
        return math.inf
    finally:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return _clock() - started


def _stop(*_: object) -> None:
    raise TimeoutError


# Readers


class Case(NamedTuple):
    """A text that can be made longer."""

    target: str
    path: str
    head: str
    unit: str
    tail: str

    def text(self, size: int) -> str:
        return self.head + self.unit * max(size // len(self.unit), 1) + self.tail


def cases() -> Iterator[Case]:
    """Every example of every target, with each line and each word of it repeated; and shapes known to be hostile."""
    for dialect, path, text, piece in LINES.values():
        head, _, tail = text.partition("{}")
        yield Case(f"read {dialect}", path, head, piece, tail)
    for name, target in targets().items():
        if name in ("hook", "MCP", "settings") or name.startswith("fix "):
            continue  # as long as their readers, which are here
        for path, text in target.seeds():
            for match in re.finditer(r"(?m)^.*\n?", text):
                if match.group():
                    yield Case(name, path, text[: match.start()], match.group(), text[match.end() :])
            for match in re.finditer(r"\w+|[^\w\n]", text):
                yield Case(name, path, text[: match.start()], match.group(), text[match.end() :])


def closed() -> Iterator[Case]:
    """Each kind of heading that a reader knows, with closing marks that do not end."""
    known = set[tuple[str, str, str]]()
    for name, target in targets().items():
        for path, text in target.seeds() if name.startswith("read ") else ():
            for heading in re.finditer(r"(?m)^#+ .*$", text):
                kind = name, path, re.sub(r"\d", "0", heading[0])[:10]
                if kind not in known:
                    yield Case(name, path, text[: heading.end()], " #", text[heading.end() :])
                known.add(kind)


def _measured(case: Case) -> tuple[str, float]:
    """What to repeat a failure with, or nothing; and the ratio."""
    hold = targets()[case.target].hold
    act = _look if case.target.startswith("read ") and case.path else lambda path, text: hold(Sample(path, text))
    ratio = _ratio(lambda n: lambda: act(case.path, case.text(n)), SIZE // 2, 0.25)
    shown = f"{case.path}: {case.head!r} + {case.unit!r} * n + {case.tail!r}"
    where = f"{case.target}: {ratio:.1f}x at {2 * SIZE} characters: {shown}"
    return (where if ratio > LIMIT else ""), ratio


def _look(path: str, text: str) -> None:
    """Read it, check it, account for its lines."""
    doc = parse(path, text, now=NOW)
    engine.check([doc], engine.Selection())
    for _ in account.runs(doc, account.kinds(doc, [])):
        pass


def _walked(name: str) -> tuple[str, float]:
    """A shape of the block scanner, through a reader and all rules."""
    ratio = _ratio(lambda n: lambda: _look("notes.md", BLOCKS[name](n)), 1000, 0.25)
    return (f"{name} of tests/test_blocks.py: {ratio:.1f}x" if ratio > LIMIT else ""), ratio


def pattern(place: str) -> list[str]:
    """What is wrong with one pattern of the source."""
    return _tried(next(use for use in uses() if use.place == place), 0, 1.0)[1]


def reader(target: str, unit: str) -> str:
    """What is wrong with one reader on a text repeated."""
    return _measured(Case(target, "notes.md", "", unit, ""))[0]


def prove(run: Run) -> Iterator[Outcome]:
    """The patterns, then the readers, on all cores."""
    dice = random.Random(run.seed)
    with ProcessPoolExecutor() as pool:
        done = [*pool.map(_tried, uses(), *_all(run.seed, run.share or 0.04, len(uses())), chunksize=8)]
        tried, failures, ratios = zip(*done, strict=True)
        note = f"{len(done)} patterns, at most {max(ratios):.1f}x"
        yield Outcome(
            "every regular expression", sum(tried), "strings", [told for some in failures for told in some], note
        )
        some = [*cases()]
        some = [*dice.sample(some, round(run.share * len(some)) or 80), *closed()]
        shapes = [*BLOCKS] if run.long else dice.sample([*BLOCKS], 6)
        found = [*pool.map(_measured, some, chunksize=4), *pool.map(_walked, shapes)]
        worst = max(ratio for _, ratio in found)
        note = f"at most {worst:.1f}x" if worst else "none took a quarter of a second"
        yield Outcome("every reader and rule", len(found), "texts", [told for told, _ in found if told], note)


def _all(seed: int, share: float, count: int) -> Sequence[Sequence[float]]:
    return [seed] * count, [share] * count
