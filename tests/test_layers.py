"""Imports go down: a module may import rooms of a smaller number, and its own room."""

import ast
import re
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from memdown.dialects import DIALECTS

SOURCE = Path(__file__).parents[1] / "src" / "memdown"
FLOORS = {
    -2: ("lazy", "patterns"),
    -1: ("secrets",),
    0: ("clock", "errors", "homes", "limits", "text", "times"),
    1: ("markdown", "record"),
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


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """The rooms of memdown that a module imports."""
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom) and node.module == "memdown":
            found |= {alias.name for alias in node.names} - NAMES
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("memdown."):
            found.add((node.module or "").split(".")[1])
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("memdown.")}
    return found


def test_every_room_has_a_floor() -> None:
    assert {room_of(path) for path in MODULES} == set(RANK)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_down(path: Path) -> None:
    own = room_of(path)
    assert [room for room in imports(path) - {own} if RANK[room] >= RANK[own]] == []


@pytest.mark.parametrize(
    "path", sorted((SOURCE / "acts").rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE))
)
def test_acts_do_not_import_each_other(path: Path) -> None:
    """What two acts share moves down a floor."""
    own = path.relative_to(SOURCE).parts[1].removesuffix(".py")
    named = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom) and node.module == "memdown.acts":
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("memdown.acts."):
            named.add((node.module or "").split(".")[2])
    assert named <= {own}


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")


def test_no_modules_import_each_other() -> None:
    """A module that is imported later, as by LazyModule, counts too: its name stands somewhere as a text."""
    names = {name_of(path) for path in MODULES} - {"memdown"}
    needed: dict[str, set[str]] = {}
    for path in MODULES:
        found = needed[name_of(path)] = set()
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ImportFrom):
                inner = {f"{node.module}.{alias.name}" for alias in node.names}
                found |= inner & names or {str(node.module)}
            elif isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    graph = {name: found & names for name, found in needed.items()}
    TopologicalSorter(graph).prepare()  # raises an error that names a cycle


def test_few_modules_are_loose() -> None:
    assert len(list(SOURCE.glob("*.py"))) <= 14


def test_a_class_name_is_unique() -> None:
    """Whoever searches for a name finds one thing."""
    where: dict[str, list[str]] = {}
    for path in MODULES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ClassDef):
                where.setdefault(node.name, []).append(str(path.relative_to(SOURCE)))
    assert {name: places for name, places in where.items() if len(places) > 1} == {}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_are_absolute_and_at_the_top(path: Path) -> None:
    """Only the fast way in may wait with an import."""
    tree = parsed(path)
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]
    inside = [
        node
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    ]
    assert not inside or path.name == "__main__.py"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_module_says_what_it_is_for(path: Path) -> None:
    assert ast.get_docstring(parsed(path))


def names_dialects(path: Path) -> set[str]:
    """The dialects that a module names: in an import, as a text, or in SQL."""
    found = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom):
            words = {*(node.module or "").split(".")[2:3], *(alias.name for alias in node.names)}
            found |= words & set(DIALECTS) if (node.module or "").startswith("memdown.dialects") else set()
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            quoted = re.findall(r"'(\w+)'|memdown\.dialects\.(\w+)", node.value)
            found |= {node.value, *(word for pair in quoted for word in pair)} & set(DIALECTS)
    return found


NAMES_DIALECTS = {
    "memdown.acts.archive": "asks four rooms what is due, each about other files",
    "memdown.acts.brief": "a part of a briefing has the name",
    "memdown.acts.check.repository": "compares a bank with its last commit",
    "memdown.acts.context": "the act of a command of the bank",
    "memdown.acts.inbox": "the act of a command of logs",
    "memdown.acts.init.brief": "what a brief says, as the first content of a bank",
    "memdown.acts.install": "says where hooks write cards",
    "memdown.acts.prompt": "the act of a command of the bank",
    "memdown.acts.recall": "hooks recall from the bank, and load no dialect",
    "memdown.acts.review": "the act of a command of cards",
    "memdown.acts.slim": "asks four rooms what is due, each about other files",
    "memdown.index.hook_state": "the settings that hooks need, by their names",
    "memdown.index.lookup": "what hooks ask of the index",
    "memdown.index.query": "an example in a help text",
    "memdown.index.sync.shrink": "guards the tables of `index/journal.py`",
}
"""Modules of acts and of the index that name a dialect, and why."""


def test_acts_and_the_index_name_no_dialect() -> None:
    """What one dialect has and others do not is asked of its room, as `offered` does."""
    rooms = [path for path in MODULES if room_of(path) in ("acts", "index") and path.stem not in DIALECTS]
    named = {name_of(path): found for path in rooms if (found := names_dialects(path))}
    assert named.keys() == NAMES_DIALECTS.keys(), named


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
    for node in ast.walk(parsed(path)):
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


KNOWS_EXTRA = ("dialects/", "record.py", "surfaces/show/render.py", "index/lookup.py", "index/journal.py")
"""Rooms of the dialects, what names their fields for others, and SQL over what the index keeps of them."""


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_only_dialects_know_the_keys_of_extra(path: Path) -> None:
    if not path.relative_to(SOURCE).as_posix().startswith(KNOWS_EXTRA):
        assert extra_keys(path) == []


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
