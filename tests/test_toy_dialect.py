"""To add a dialect is to write its room, and to name it in `DIALECTS` and `homes`: here a toy moves in, and all works."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from memdown import dialects, homes
from memdown.dialects import DIALECTS, Dialect, Room
from memdown.memory import Memory
from samples import put

ROOM = {
    "__init__": """\
KINDS = {"ping": "pings.md"}
PARTS = {"claims": "claims", "read": "read", "write": "insert place prepare update"}
""",
    "claims": 'def claims(path, text):\n    return path.startswith("pings/")\n',
    "read": """
from memdown.record import Record
from memdown.text import Lines, Span

def read(path, text):
    found = []
    for number, line in enumerate(text.splitlines(keepends=True)):
        start = sum(map(len, text.splitlines(keepends=True)[:number]))
        if line.startswith("ping "):
            title = line.removeprefix("ping ").strip()
            found.append(Record(id=f"ping-{title}", dialect="toy", kind="ping", path=path, title=title,
                                span=Span(start, start + len(line))))
    return found
""",
    "write": """
from msgspec import structs
from memdown.text import Edit, Span

def prepare(record, now):
    return structs.replace(record, dialect="toy")

def place(record):
    return "pings.md"

def insert(text, record):
    return [Edit(Span(len(text), len(text)), f"ping {record.title}\\n")]

def update(text, old, new):
    start = old.span.start + len("ping ")
    return [Edit(Span(start, start + len(old.title)), new.title)]
""",
    "rules/__init__": '''
from memdown.diagnostics import Finding, rule

@rule("TOY001", "error")
def loud_ping(doc):
    """A ping shouts.

    Bad:
        ping HELLO
    Good:
        ping hello
    """
    for record in doc.records:
        if record.title.isupper():
            yield Finding(record.span, f"{record.title!r} shouts.")

RULES = (loud_ping,)
''',
}


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    for name, text in ROOM.items():
        put(tmp_path, f"rooms/toy/{name}.py", text)
    monkeypatch.setattr(dialects, "__path__", [*dialects.__path__, str(tmp_path / "rooms")])
    monkeypatch.setitem(DIALECTS, "toy", cast("Dialect", Room("toy")))
    monkeypatch.setitem(homes.HOMES, "toy", ("pings",))
    root = tmp_path / "project"
    put(root, "pings/pings.md", "ping one\nping TWO\n")
    with Memory.open(root) as memory:
        yield memory
    for name in [name for name in sys.modules if name.startswith("memdown.dialects.toy")]:
        del sys.modules[name]


def test_its_records_are_read_listed_and_found(toy: Memory) -> None:
    assert [record.title for record in toy.records()] == ["one", "TWO"]
    assert [record.id for record in toy.find(["one"])] == ["ping-one"]
    assert toy.status().dialects["toy"] == {"files": 1, "records": 2}
    assert toy.search("one").hits[0].mark.record.id == "ping-one"


def test_its_rules_check_it(toy: Memory) -> None:
    checked = toy.check(chosen=toy.selection(["TOY"]))
    assert [(each.code, each.message) for each in checked.diagnostics] == [("TOY001", "'TWO' shouts.")]
    assert "## Bad\n\n```markdown\nping HELLO\n```" in toy.rule("TOY001").page


def test_its_kinds_are_added_and_edited_where_they_stand(toy: Memory) -> None:
    added = toy.add("ping", "three")
    assert (added.record.path, added.record.line) == ("pings/pings.md", 3)
    toy.edit("ping-one", title="first")
    assert (toy.root / "pings/pings.md").read_text() == "ping first\nping TWO\nping three\n"
