"""Imports go down: a module may import rooms of a smaller number, and its own room."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TypeVar

from memdown.dialects import DIALECTS

T = TypeVar("T")
SOURCE = Path(__file__).parents[1] / "src" / "memdown"
FLOORS = {
    -2: ("lazy", "patterns"),
    -1: ("secrets",),
    0: ("clock", "errors", "hashes", "homes", "limits", "text", "times"),
    1: ("markdown", "programs", "record"),
    2: ("claims", "diagnostics"),
    3: ("dialects",),
    4: ("git", "settings", "store"),
    5: ("history", "project", "scan", "sources"),
    6: ("evidence",),
    7: ("archiver", "index"),
    8: ("acts",),
    9: ("hub", "memory"),
    10: ("surfaces",),
    11: ("__main__", "__init__"),
}
NAMES = {"VERSION"}
"""What is imported from the package itself."""
RANK = {room: floor for floor, rooms in FLOORS.items() for room in rooms}
MODULES = sorted(SOURCE.rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(parsed(path)))


def faults(find: Callable[[Path], T]) -> dict[str, T]:
    """What is wrong, by the module in which it is."""
    return {path.relative_to(SOURCE).as_posix(): found for path in MODULES if (found := find(path))}


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """The rooms of memdown that a module imports."""
    found = set()
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and node.module == "memdown":
            found |= {alias.name for alias in node.names} - NAMES
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("memdown."):
            found.add((node.module or "").split(".")[1])
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("memdown.")}
    return found


def test_every_room_has_a_floor() -> None:
    assert {room_of(path) for path in MODULES} == set(RANK)


def test_imports_go_down() -> None:
    assert (
        faults(lambda path: {room for room in imports(path) if RANK[room] >= RANK[room_of(path)]} - {room_of(path)})
        == {}
    )


def other_acts(path: Path) -> set[str]:
    """The acts that a module of one of them imports."""
    own = path.relative_to(SOURCE).parts[1].removesuffix(".py")
    named = set()
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and node.module == "memdown.acts":
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("memdown.acts."):
            named.add((node.module or "").split(".")[2])
    return named - {own}


def test_acts_do_not_import_each_other() -> None:
    """What two acts share moves down a floor."""
    assert faults(lambda path: other_acts(path) if room_of(path) == "acts" else set()) == {}


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")


def test_no_modules_import_each_other() -> None:
    """A module that is imported later, as by LazyModule, counts too: its name stands somewhere as a text."""
    names = {name_of(path) for path in MODULES} - {"memdown"}
    needed: dict[str, set[str]] = {}
    for path in MODULES:
        found = needed[name_of(path)] = set()
        for node in nodes(path):
            if isinstance(node, ast.ImportFrom):
                inner = {f"{node.module}.{alias.name}" for alias in node.names}
                found |= inner & names or {str(node.module)}
            elif isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    graph = {name: found & names for name, found in needed.items()}
    TopologicalSorter(graph).prepare()  # raises an error that names a cycle


def test_every_module_can_be_the_first_that_is_imported() -> None:
    """What goes round through the `__init__` of a package is seen here only, and then only from one side."""
    floors = [
        [name_of(path) for path in MODULES if room_of(path) in FLOORS[floor]] for floor in sorted(FLOORS) if floor < 11
    ]
    script = Path(__file__).with_name("alone.py")
    done = subprocess.run([sys.executable, script, json.dumps(floors)], capture_output=True, text=True, check=True)
    assert done.stdout == ""


def test_few_modules_are_loose() -> None:
    assert len(list(SOURCE.glob("*.py"))) <= 15


def test_a_class_name_is_unique() -> None:
    """Whoever searches for a name finds one thing."""
    where: dict[str, list[str]] = {}
    for path in MODULES:
        for node in nodes(path):
            if isinstance(node, ast.ClassDef):
                where.setdefault(node.name, []).append(str(path.relative_to(SOURCE)))
    assert {name: places for name, places in where.items() if len(places) > 1} == {}


def test_imports_are_absolute() -> None:
    assert faults(lambda path: [node.lineno for node in imported(nodes(path)) if getattr(node, "level", 0)]) == {}


def test_imports_are_at_the_top() -> None:
    """Only the fast way in may wait with an import."""
    fast = faults(
        lambda path: [
            node.lineno
            for function in nodes(path)
            if isinstance(function, ast.FunctionDef)
            for node in imported(ast.walk(function))
        ]
    )
    assert {name for name in fast if not name.endswith("__main__.py")} == set()


def imported(within: Iterable[ast.AST]) -> list[ast.Import | ast.ImportFrom]:
    return [node for node in within if isinstance(node, (ast.Import, ast.ImportFrom))]


def test_every_module_says_what_it_is_for() -> None:
    assert faults(lambda path: not ast.get_docstring(parsed(path))) == {}


def names_dialects(path: Path) -> set[str]:
    """The dialects that a module names: in an import, as a text, or in SQL."""
    found = set()
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom):
            room = (node.module or "").removeprefix("memdown.dialects").split(".")[1:2]
            inside = (node.module or "").startswith("memdown.dialects")
            found |= {*(room or (alias.name for alias in node.names))} & set(DIALECTS) if inside else set()
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            quoted = re.findall(r"'(\w+)'|memdown\.dialects\.(\w+)", node.value)
            found |= {node.value, *(word for pair in quoted for word in pair)} & set(DIALECTS)
    return found


NAMES_DIALECTS = {
    "memdown.acts.brief": "a part of a briefing has the name",
    "memdown.acts.inbox": "the act of a command of logs",
    "memdown.acts.init.brief": "what a brief says, as the first content of a bank",
    "memdown.acts.install": "says where hooks write cards",
    "memdown.acts.prompt": "the act of a command of the bank",
    "memdown.acts.recall.updating": "asks where the folder is that bank and journal share",
    "memdown.acts.review": "the act of a command of cards",
    "memdown.dialects": "the list of dialects",
    "memdown.dialects.bank.layouts": "a folder may be a bank's and a journal's",
    "memdown.homes": "where each dialect lives",
    "memdown.index.hook_state": "the settings that hooks need, by their names",
    "memdown.index.lookup": "what hooks ask of the index",
    "memdown.index.query": "an example in a help text",
    "memdown.index.sync.shrink": "guards the tables of `index/journal.py`",
    "memdown.memory": "has a part for each dialect that has verbs of its own",
    "memdown.memory.bank": "a bank and a journal share a folder",
    "memdown.memory.board": "tasks of a bank and of a journal, side by side",
    "memdown.project": "a bank and a journal share a folder; a mode is the bank's",
    "memdown.scan.rulefiles": "tells rules of assistants from files of a bank",
    "memdown.settings.config": "the settings of each dialect",
    "memdown.surfaces.cli": "a command has the name",
    "memdown.surfaces.cli.budget": "a command of the bank",
    "memdown.surfaces.cli.card": "a command of cards",
    "memdown.surfaces.cli.convert": "the one that entries are converted to",
    "memdown.surfaces.cli.demo": "a tour of each",
    "memdown.surfaces.cli.end": "a command of the bank",
    "memdown.surfaces.cli.groups": "help lists commands by dialect",
    "memdown.surfaces.cli.init": "what can be set up",
    "memdown.surfaces.cli.mode": "a command of the bank",
    "memdown.surfaces.cli.prompt": "a command of the bank",
    "memdown.surfaces.cli.task": "tasks stand in a bank or in a journal",
    "memdown.surfaces.hooks": "what hooks keep are cards; a mode is the bank's",
    "memdown.surfaces.mcp.bank_tools": "tools of the bank",
    "memdown.surfaces.mcp.memory_tools": "tools of journals and layers",
    "memdown.surfaces.mcp.prompts": "prompts of the bank",
    "memdown.surfaces.mcp.session": "a mode is the bank's",
    "memdown.surfaces.mcp.tools": "a mode is the bank's",
    "memdown.surfaces.web.views.review": "the page of a command of cards",
}
"""Modules that name a dialect other than that of their room, and why."""


def names_others(path: Path) -> set[str]:
    """The dialects that a module names and that are not those of its room, as `memory/bank` is the bank's."""
    return names_dialects(path) - set(path.relative_to(SOURCE).with_suffix("").parts)


def test_no_room_names_the_dialect_of_another() -> None:
    """What one dialect has and others do not is asked of its room, as `offered` does."""
    named = {name_of(path): found for path in MODULES if (found := names_others(path))}
    assert named.keys() == NAMES_DIALECTS.keys(), named.keys() ^ NAMES_DIALECTS.keys()


def test_dialects_are_seen_however_they_are_named(tmp_path: Path) -> None:
    lines = (
        "from memdown.dialects.sem import write",
        "from memdown.dialects import bank",
        "LazyModule('memdown.dialects.okf.read')",
        "homes('cards')",
        "\"select 1 where dialect = 'journal'\"",
        "from memdown.index import layers",
    )
    (tmp_path / "module.py").write_text("\n".join(lines), "utf-8")
    assert names_dialects(tmp_path / "module.py") == set(DIALECTS) - {"layers"}


def extra_keys(path: Path) -> list[str]:
    """Keys of `extra` that a module names, as in `record.extra["form"]`, `extra.get("form")` and `'$.form'` of SQL."""
    text = path.read_text("utf-8")
    found = re.findall(r"\bextra, '\$\.(\w+)'", text)
    for node in nodes(path):
        of: ast.expr | None = None
        key: ast.expr | None = None
        if isinstance(node, ast.Subscript):
            of, key = node.value, node.slice
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            of, key = node.func.value, next(iter(node.args), None)
        name = of.attr if isinstance(of, ast.Attribute) else of.id if isinstance(of, ast.Name) else ""
        if name == "extra" and isinstance(key, ast.Constant) and isinstance(key.value, str):
            found.append(key.value)
    return found


KNOWS_EXTRA = (
    *("dialects/", "record.py", "surfaces/show/render.py"),
    *("index/lookup.py", "index/journal.py", "index/questions.py", "index/schema.py"),
)
"""Rooms of the dialects, what names their fields for others, and SQL over what the index keeps of them."""


def test_only_dialects_know_the_keys_of_extra() -> None:
    known = faults(extra_keys)
    assert {name: keys for name, keys in known.items() if not name.startswith(KNOWS_EXTRA)} == {}


def test_keys_of_extra_are_seen_however_they_are_asked_for(tmp_path: Path) -> None:
    text = "record.extra['a'], extra.get('b'), each.record.extra.get('c', ''), extra[key], other['d'], \"x(r.extra, '$.e')\""
    (tmp_path / "module.py").write_text(text, "utf-8")
    assert sorted(extra_keys(tmp_path / "module.py")) == ["a", "b", "c", "e"]


def test_the_design_page_names_every_room_on_its_floor() -> None:
    page = (SOURCE.parents[1] / "docs" / "design" / "README.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| (-?\d+) \| ((?:`\w+` ?)+) \|", page, re.M))
    named = {int(floor): set(re.findall(r"\w+", rooms)) for floor, rooms in rows.items()}
    hidden = {"__main__", "__init__"}
    assert named == {floor: set(rooms) - hidden for floor, rooms in FLOORS.items() if set(rooms) - hidden}
