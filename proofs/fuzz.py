"""Text that nobody would write, put before every reader, rule, fix, query and input of an assistant.

Examples of rule pages and small messages are changed at random; what reaches a new line of our code is kept and changed
further. That is the whole of coverage-guided fuzzing, and in a hundred lines it runs on every Python and system that
memdown does, where a fuzzer that is a compiler's does not. What is found is made as short as it can be and printed as a
row for tests/test_proofs_attacks.py.
"""

import inspect
import io
import json
import math
import os
import random
import re
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, redirect_stdout, suppress
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import memdown
from memdown import secrets
from memdown.acts.capture import message
from memdown.acts.check import account, engine
from memdown.acts.transfer import bundle
from memdown.dialects import DIALECTS, parse
from memdown.errors import MemdownError
from memdown.index import query, where
from memdown.index.search import search
from memdown.markdown import formats, frontmatter, jsonc
from memdown.record import Document
from memdown.settings import config
from memdown.surfaces import hooks
from memdown.surfaces.mcp import tools
from memdown.surfaces.mcp.loop import Loop
from memdown.surfaces.mcp.table import TABLE
from memdown.surfaces.mcp.wire import INTERNAL, Pipes
from memdown.text import Edit, Span, apply, decode, encode
from memdown.times import read as read_time
from proofs.outcome import Outcome, Run
from samples import CARD, put
from test_frontmatter_properties import check_spans, contents, front, unread
from test_query_language import filled
from test_rules import NOW, RULES, examples

SOURCE = str(Path(memdown.__file__).parent)
SLOW = 20
"""Seconds of work for one example, after which it counts as a hang."""
WAITS = 10
"""How many times as long it may wait, on a machine that has other work too."""
ODD = (
    *(
        "\n",
        "\n\n",
        "\r",
        "\r\n",
        "\t",
        "\x00",
        "\x1b[",
        "\x07",
        "\x85",
        "\x9b",
        "\u2028",
        "\u202e",
        "\ufeff",
        "\udcff",
    ),
    *("\xa0", "İ", "ß", "²", "٣", "---\n", "```\n", "~~~", "<!--", "-->", "# ", "## ", "### ", "> ", "- ", "- [ ] "),
    *(
        "1. ",
        "|",
        "|-|\n",
        "    ",
        "**",
        "__",
        "`",
        "[",
        "](",
        "<",
        ">",
        "0",
        "9999999999999999999999",
        "-1",
        "2026-02-30",
    ),
    *(
        "0000-00-00",
        "2026-01-01T25:61:61Z",
        "10000-01-01",
        "..",
        "/",
        "\\",
        "'",
        '"',
        "{",
        "}",
        ":",
        ": ",
        "null",
        "true",
    ),
    *("[]", "{}", "&a ", "*a", "!!", "OR", "NOT ", "-", "*", "(", ")", "is:", "\\u0000", "\\ud800"),
    *("memdown: ignore[MD002]", "0001-01-01T00:00:00+23:59"),
)


class Sample(NamedTuple):
    """A file, or a text of no file."""

    path: str
    text: str


class Target(NamedTuple):
    """Something that takes text."""

    seeds: Callable[[], Sequence[Sample]]
    hold: Callable[[Sample], None]
    """Raises where a property does not hold."""


# What is looked at, and what has to hold


@cache
def documents() -> dict[str | None, list[Sample]]:
    """The examples of all rules, by the dialect that claims them."""
    found: dict[str | None, dict[Sample, None]] = {}
    for each in (doc for rule in RULES for half in ("Bad", "Good") for doc in examples(rule, half)):
        if len(each.text) < 4000:
            found.setdefault(each.dialect, {})[Sample(each.path, each.text)] = None
    return {dialect: [*some] for dialect, some in found.items()}


def _within(span: Span, text: str) -> None:
    assert 0 <= span.start <= span.end <= len(text), (span, len(text))


def _read(sample: Sample) -> None:
    """Records lie in the text, every line is accounted for once, and a record that stays as it is changes nothing."""
    path, text = sample
    doc = parse(path, text, now=NOW)
    for record in doc.records:
        _within(record.span, text)
    kinds = account.kinds(doc, [])
    assert account.counts(kinds).total == len(doc.lines)
    reached = 0
    for run in account.runs(doc, kinds):
        assert run.line == reached + 1, run
        reached = run.end_line
    assert reached == len(doc.lines)
    if doc.dialect:
        for record in doc.records[:5]:
            with suppress(MemdownError):
                assert apply(text, DIALECTS[doc.dialect].update(text, record, record)) == text, record.id


def _mend(sample: Sample) -> None:
    """Findings lie in the text and are one sentence each; what is fixed is read, and fixed for good."""
    path, text = sample
    doc = parse(path, text, now=NOW)
    everything = engine.Selection()
    for each in engine.check([doc], everything):
        _within(each.span, text)
        assert "\n" not in each.message, each
    for unsafe in (False, True):
        once = engine.fixed(doc, everything, _parse, unsafe=unsafe)
        again = engine.fixed(_parse(path, once.text), everything, _parse, unsafe=unsafe)
        assert again.text == once.text, f"fixed twice, it is {again.text!r} (unsafe={unsafe})"


def _parse(path: str, text: str) -> Document:
    return parse(path, text, now=NOW)


def _front_matter(sample: Sample) -> None:
    """No line is lost; a value that is set is read back, and the body stays."""
    text = sample.text if sample.text.startswith("---") else front(sample.text)
    found = frontmatter.read(text)
    if found is None:
        return
    assert unread(found, text) == []
    check_spans(text, found.entries, found.inner)
    try:
        edited = apply(text, frontmatter.set_value(text, found, "key", "value: #1"))
    except ValueError:
        return  # it says that the block is not one that can be edited
    after = frontmatter.read(edited)
    assert after is not None
    assert ("key", "value: #1") in contents(after.entries)
    assert edited[after.body :] == text[found.body :]


def _jsonc(sample: Sample) -> None:
    """What is put in can be taken out again to the byte."""
    text = sample.text
    with suppress(jsonc.BrokenJson):
        with_it = jsonc.add(text, ("servers",), "memdown", {"a": [1]})
        member = jsonc.member_of(jsonc.find(jsonc.scan(with_it), ("servers",))[-1], "memdown")
        assert member
        again = jsonc.remove(with_it, ("servers",), member)
        assert again == text or "memdown" in text, again


def _query(sample: Sample) -> None:
    db = _index()
    with suppress(MemdownError):
        asked = query.parse(sample.text, NOW)
        found = where.condition(asked, NOW, words=True)
        db.execute(f"select rowid from record r where {found.sql}", found.values).fetchall()
        assert len(search(db, asked, NOW).hits) <= 2


@cache
def _index() -> Any:
    db = filled()
    where.prepare(db)
    return db


def _merge(sample: Sample) -> None:
    """Halves of a log, merged: nothing is lost, and merging again adds nothing."""
    path, text = sample
    half = text.find("\n", len(text) // 2) + 1
    there, coming = _parse(path, text[:half]), _parse(path, text[half:])
    merged = bundle.merge(there, coming, bundle.FileThere([there]), _parse, with_head=False)
    if merged is None:
        return
    after = _parse(path, merged.text)
    assert merged.text.startswith(there.text)
    again = bundle.merge(after, coming, bundle.FileThere([after]), _parse, with_head=False)
    assert again is None or again.text == merged.text, again
    own = {bundle.own_text(each, after.text) for each in after.records}
    assert all(bundle.own_text(each, coming.text) in own for each in bundle.outermost(coming.records))


def _redact(sample: Sample) -> None:
    once = secrets.redact(sample.text)
    edits = [Edit(Span(each.start, each.end), f"[redacted: {each.kind}]") for each in secrets.find(sample.text)]
    assert once == apply(sample.text, edits)
    assert secrets.redact(once) == once, once


def _capture(sample: Sample) -> None:
    made = message.from_message("assistant", sample.text, message.ProjectPaths("."))
    if not isinstance(made, str):
        assert made.subject
        assert made.subject.isprintable() or not made.subject.isascii(), made.subject
        assert made.keywords


def _format(read: Callable[[str], object]) -> Callable[[Sample], None]:
    def hold(sample: Sample) -> None:
        with suppress(formats.Unread):
            read(sample.text)

    return hold


def _time(sample: Sample) -> None:
    read_time(sample.text)


def _settings(sample: Sample) -> None:
    with _place() as place, suppress(MemdownError):
        config.load(put(place, "memdown.toml", sample.text).parent)


def _hook(sample: Sample) -> None:
    """What an assistant's program sends, and a transcript of the same text."""
    with suppress(ValueError):
        given = hooks._given(encode(sample.text))
        with _place() as place, redirect_stdout(io.TextIOWrapper(io.BytesIO())):
            put(place, "memories/a.md", CARD)
            transcript = put(place, "transcript.jsonl", sample.text + "\n")
            given |= {"transcript_path": str(transcript), "agent_transcript_path": str(transcript)}
            given |= {"cwd": str(place), "mode": ""}
            with suppress(MemdownError):
                hooks._handle(random.Random(sample.text).choice(hooks.EVENTS), given)


def _message(sample: Sample) -> None:
    """A line for the server after its handshake: JSON comes back, and no fault of ours."""
    hello = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    first = json.dumps({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello})
    writing = _Kept()
    with _place() as place:
        put(place, "memory-bank/progress.md", "# Progress\n\n## Completed\n\n## In Progress\n- [ ] Search\n")
        reading = io.BufferedReader(io.BytesIO(encode(f"{first}\n{sample.text.replace(chr(10), ' ')}\n")))
        os.environ["MEMORY_BANK_ROOT"] = str(place.parent)
        Loop(Pipes(reading, io.BufferedWriter(writing)), str(place)).run()  # type: ignore[arg-type]
    for line in writing.getvalue().splitlines():
        answer = json.loads(line)
        for each in answer if isinstance(answer, list) else [answer]:
            assert each.get("error", {}).get("code") != INTERNAL, each


class _Kept(io.BytesIO):
    """Can still be looked at after it was closed."""

    def close(self) -> None:
        """It stays."""


@contextmanager
def _place() -> Iterator[Path]:
    """An empty project."""
    with tempfile.TemporaryDirectory(prefix="memdown-fuzz-") as folder:
        (Path(folder) / "p").mkdir()
        yield Path(folder, "p")


def _texts(*texts: str) -> Callable[[], list[Sample]]:
    return lambda: [Sample("", text) for text in texts]


def _arguments(schema: Any) -> object:
    """A value that a schema allows."""
    kind = schema["type"]
    if kind == "object":
        return {name: _arguments(each) for name, each in schema.get("properties", {}).items()}
    if kind == "array":
        return [_arguments(schema["items"])]
    return {"string": next(iter(schema.get("enum", ())), "progress.md"), "integer": 5, "boolean": True}[kind]


def _requests() -> list[Sample]:
    """One message for each method and each tool of the tables."""
    calls = [("tools/call", {"name": each.name, "arguments": _arguments(each.takes)}) for each in tools.TOOLS]
    others = [(method, {"uri": "memdown://p/memory-bank/progress.md", "name": "x"}) for method in TABLE.methods()]
    return [
        Sample("", json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
        for method, params in [*calls, *others]
    ]


def _events() -> list[Sample]:
    said = {"id": "m", "role": "assistant", "content": [{"type": "text", "text": "Pool has 10\nconnections."}]}
    line = {"type": "assistant", "timestamp": "2026-01-01T00:00:00Z", "message": said, "session_id": "s"}
    return [Sample("", json.dumps({**line, "prompt": prompt})) for prompt in ("pool", "Why ten?", "")]


def targets() -> dict[str, Target]:
    """All there are: dialects and formats are found, so that a new one is covered."""
    found: dict[str, Target] = {}
    for name in (*DIALECTS, None):
        seeds = documents().get(name, ())
        assert seeds, f"no rule of {name} has an example"
        found[f"read {name or 'any text'}"] = Target(lambda seeds=seeds: seeds, _read)  # type: ignore[misc]
        found[f"fix {name or 'any text'}"] = Target(lambda seeds=seeds: seeds, _mend)  # type: ignore[misc]
    for name, function in inspect.getmembers(formats, inspect.isfunction):
        if name.startswith("read_"):
            seeds = _texts('{"a": [1, "b"]}', 'a = 1\n[b]\nc = ["d"]\n', "a: [b]\nc:\n  - d\n", "<a b='c'>d<e/></a>")()
            found[name.replace("_", " ")] = Target(lambda seeds=seeds: seeds, _format(function))  # type: ignore[misc]
    return found | {
        "front matter": Target(lambda: documents()["cards"], _front_matter),
        "JSONC": Target(_texts('{\n  // x\n  "servers": {"a": 1,},\n}\n', "{}"), _jsonc),
        "query": Target(_texts('kind:decision "load test" -redis', "(a OR b*) AND after:7d", "is:stale NOT c"), _query),
        "merge": Target(lambda: documents()["sem"], _merge),
        "secrets": Target(lambda: documents()[None], _redact),
        "capture": Target(lambda: documents()[None], _capture),
        "time": Target(_texts("2026-01-15T10:30:00Z", "15 Jan 2026 10:30 +02:00", "1/15/2026, 10:30:00 PM"), _time),
        "settings": Target(_texts("lock-timeout = 3\n[cards]\nfolder = 'x'\n[check]\nignore = ['MD002']\n"), _settings),
        "hook": Target(_events, _hook),
        "MCP": Target(_requests, _message),
    }


# How it is looked for


class Coverage:
    """Which lines of ours were reached. A function all of whose lines were is watched no more, so this is soon fast."""

    def __init__(self) -> None:
        self._left: dict[int, set[int]] = {}
        self._alive: list[CodeType] = []
        """Keeps ids from being given twice."""
        self.reached = 0

    @contextmanager
    def watching(self) -> Iterator[None]:
        threading.settrace(self._call)
        sys.settrace(self._call)
        try:
            yield
        finally:
            sys.settrace(None)
            threading.settrace(None)

    def _call(self, frame: FrameType, event: str, _: object) -> Any:
        code = frame.f_code
        left = self._left.get(id(code))
        if left is None:
            self._alive.append(code)
            ours = code.co_filename.startswith(SOURCE)
            left = self._left[id(code)] = {line for _, _, line in code.co_lines() if line} if ours else set()
        return self._line if left and event == "call" else None

    def _line(self, frame: FrameType, _: str, __: object) -> Any:
        left = self._left[id(frame.f_code)]
        if frame.f_lineno in left:
            left.discard(frame.f_lineno)
            self.reached += 1
        return self._line


class Found(NamedTuple):
    """What a target did."""

    name: str
    tried: int
    reached: int
    failures: list[str]


def finds(name: str, seed: int, seconds: float) -> list[str]:
    """The first thing that does not hold, within so many seconds of work, not of waiting."""
    return explore(name, seed, seconds, first=True, clock=_work).failures


def _work() -> float:
    """Seconds of work until now, of this process and those that it waited for."""
    return sum(os.times()[:4])


def explore(
    name: str,
    seed: int,
    seconds: float,
    *,
    most: float = math.inf,
    first: bool = False,
    clock: Callable[[], float] = time.monotonic,
) -> Found:
    """Try one target so long, or so often, and name what does not hold."""
    target, dice, coverage = targets()[name], random.Random(f"{seed} {name}"), Coverage()
    os.environ["MEMDOWN_NOW"] = "2026-02-01T12:00:00Z"
    seeds = [*target.seeds()]
    dice.shuffle(seeds)
    words = [*{word for each in seeds for word in re.findall(r"\w+|[^\w\s]+", each.text)}] or [""]
    words.sort()
    kept, failures, tried = [*seeds], dict[str, str](), 0
    until = clock() + seconds
    while tried < most and clock() < until and not (first and failures):
        sample = seeds[tried] if tried < min(len(seeds), 15) else _changed(dice, kept, words)
        tried += 1
        before = coverage.reached
        with coverage.watching():
            fault = _fault(target, sample)
        if fault and fault not in failures:
            short = shortest(target, sample, fault)
            failures[fault] = f"{name}: {fault}: ({name!r}, {short.path!r}, {short.text!r}),"
        elif coverage.reached > before:
            kept.append(sample)
    return Found(name, tried, coverage.reached, [*failures.values()])


def _changed(dice: random.Random, kept: Sequence[Sample], words: Sequence[str]) -> Sample:
    """One that reached something, later ones more often, with a few changes."""
    path, text = kept[max(dice.randrange(len(kept)), dice.randrange(len(kept)))]
    if text.startswith("{") and dice.random() < 0.5:
        with suppress(ValueError):
            return Sample(path, json.dumps(_other_value(dice, json.loads(text))))
    for _ in range(dice.choice((1, 1, 2, 3, 6))):
        text = _change(dice, text, kept, words)
    return Sample(path, text[:20_000])


def _other_value(dice: random.Random, value: Any) -> Any:
    """JSON with another value somewhere in it."""
    inner = [*value] if isinstance(value, dict) else [*range(len(value))] if isinstance(value, list) else []
    if not inner or dice.random() < 0.2:
        return dice.choice(
            (None, True, 0, -1, 10**30, 0.5, "", "x" * 5000, "../x", "\x00", [], [[]], {}, {"": {}}, dice.choice(ODD))
        )
    at = dice.choice(inner)
    value[at] = _other_value(dice, value[at])
    return value


def _change(dice: random.Random, text: str, kept: Sequence[Sample], words: Sequence[str]) -> str:
    start = dice.randrange(len(text) + 1)
    end = min(len(text), start + dice.choice((1, 1, 2, 8, 40)))
    way = dice.randrange(8)
    if way == 0:
        return text[:start] + text[end:]
    if way == 1:
        return text[:end] + text[start:end] * dice.choice((1, 2, 30)) + text[end:]
    if way == 2:
        return text[:start] + dice.choice(ODD) + text[start:]
    if way == 3:
        return text[:start] + dice.choice(ODD) + text[end:]
    if way == 4:
        return text[:start] + dice.choice(words) + text[start:]
    if way == 5:  # one word for another
        found = [*re.finditer(r'"[^"\n]*"|\w+|[^\w\s]+', text)]
        if found:
            old = dice.choice(found)
            return text[: old.start()] + dice.choice((dice.choice(words), dice.choice(ODD))) + text[old.end() :]
    if way == 6:
        other = dice.choice(kept).text
        return text[:start] + other[dice.randrange(len(other) + 1) :]
    lines = text.splitlines(keepends=True)
    dice.shuffle(lines) if dice.random() < 0.3 else lines.insert(0, lines.pop() if lines else "")
    return "".join(lines)


def _fault(target: Target, sample: Sample) -> str | None:
    """What is wrong, as its kind and place; None where everything holds."""
    try:
        encode(sample.text)
    except UnicodeEncodeError:
        return None  # no file can hold it
    if decode(encode(sample.text)) != sample.text:
        return None  # halves of characters that came together
    try:
        with _limited():
            target.hold(sample)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a find
        return _told(error)
    return None


def _told(error: Exception) -> str:
    trace = error.__traceback__
    place = "?"
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.startswith(SOURCE) or file == __file__:
            place = f"{Path(file).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__} at {place}"


@contextmanager
def _limited() -> Iterator[None]:
    """An example that takes too long is a fault, where the system can tell."""
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    began, alarms = _work(), iter(range(WAITS))

    def stop(*_: object) -> None:
        if _work() - began >= SLOW or next(alarms, None) is None:
            raise TimeoutError(f"longer than {SLOW} s")
        signal.alarm(SLOW)

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SLOW)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def shortest(target: Target, sample: Sample, fault: str, tries: int = 2000) -> Sample:
    """The same fault with as little text as can be had: pieces are left out, halves first, single characters last."""
    text, size = sample.text, max(len(sample.text) // 2, 1)
    while size and tries > 0:
        at = 0
        while at < len(text) and tries > 0:
            less = text[:at] + text[at + size :]
            tries -= 1
            if _fault(target, Sample(sample.path, less)) == fault:
                text = less
            else:
                at += size
        size //= 2
    return Sample(sample.path, text)


def replay(name: str, path: str, text: str) -> None:
    """Raises if a find still is one."""
    targets()[name].hold(Sample(path, text))


def _limits(name: str, run: Run) -> tuple[float, float]:
    """Seconds and examples for a target; the short form tries the same ones on every machine that is not too slow."""
    is_fix = name.startswith("fix ")
    return (run.share * (200 if is_fix else 60), math.inf) if run.long else (20, 60 if is_fix else 240)


def prove(run: Run) -> Iterator[Outcome]:
    """Each target for its share of the time, on all cores."""
    names = [*targets()]
    with ProcessPoolExecutor() as pool:
        limits = {name: _limits(name, run) for name in names}
        ways = {name: pool.submit(explore, name, run.seed, limits[name][0], most=limits[name][1]) for name in names}
        for what, mine in {
            "readers of every dialect": [name for name in names if name.startswith("read ")],
            "rules and their fixes": [name for name in names if name.startswith("fix ")],
            "queries, messages, settings, merges": [n for n in names if not n.startswith(("read ", "fix "))],
        }.items():
            done = [ways[name].result() for name in mine]
            failures = [each for one in done for each in one.failures]
            lines = f"{sum(one.reached for one in done):,} lines reached"
            yield Outcome(what, sum(one.tried for one in done), "examples", failures, lines)
