"""`memdown verify` as a detector, on the histories of public packages: two releases of each, fetched from PyPI.

    python bench/verify.py [--speed [RECORDS FILES]]

Memory is made from the older release: statements about its files, functions, classes and constants. Which of them the
newer release breaks is worked out from the two releases alone, with Python's own parser. Then both become commits of a
repository, and `verify` is asked. Beside it stand "always flag" and "never flag", whose J is 0 by definition.

With --speed: a first run and one with nothing changed, beside reading the files of code and beside a plain `check`.
"""

import ast
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin

from memdown import Memory

PAIRS = (
    ("click", "7.1.2", "8.1.7"),
    ("httpx", "0.18.0", "0.27.0"),
    ("rich", "9.0.0", "13.7.0"),
    ("starlette", "0.14.2", "0.37.0"),
    ("Flask", "1.1.4", "3.0.0"),
)
MOST = 150
"""Statements of each kind about a package."""
UNTRUE = ("moved", "changed", "gone")


class Made(NamedTuple):
    """A statement, and whether the newer release breaks it."""

    kind: str
    text: str
    broken: bool


def main() -> None:
    if "--speed" in sys.argv:
        sizes = [int(each) for each in sys.argv[2:4]]
        speed(*(sizes or (10_000, 20_000)))
        return
    totals: dict[str, list[tuple[bool, bool]]] = {}
    for package, old, new in PAIRS:
        for kind, rows in measured(package, old, new).items():
            totals.setdefault(kind, []).extend(rows)
    print(
        f"{'kind':10}{'claims':>8}{'broken':>8}{'flagged':>9}{'caught':>8}{'J':>7}{'alerts/catch':>14}   always  never"
    )
    for kind, rows in totals.items():
        print(line(kind, rows))
    print(line("all", [row for rows in totals.values() for row in rows]))


def line(kind: str, rows: list[tuple[bool, bool]]) -> str:
    broken = sum(truth for truth, _ in rows)
    flagged = sum(flag for _, flag in rows)
    caught = sum(truth and flag for truth, flag in rows)
    whole = len(rows) - broken
    j = (caught / broken if broken else 0) - ((flagged - caught) / whole if whole else 0)
    alerts = f"{flagged / caught:.2f}" if caught else "-"
    return f"{kind:10}{len(rows):>8}{broken:>8}{flagged:>9}{caught:>8}{j:>7.2f}{alerts:>14}   J 0.00  J 0.00"


def measured(package: str, old: str, new: str) -> dict[str, list[tuple[bool, bool]]]:
    """By kind, whether each statement is broken, and whether it is flagged."""
    before, after = fetched(package, old), fetched(package, new)
    made = list(statements(before, after))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        git(root, "init", "--quiet")
        written(root, before)
        (root / "memory-bank").mkdir()
        rows = "".join(f"- {each.text} belongs to the package.\n" for each in made)
        (root / "memory-bank/systemPatterns.md").write_text(f"# System Patterns\n\n## Key Components\n{rows}", "utf-8")
        commit(root, old)
        for name in before:
            (root / name).unlink()
        written(root, after)
        commit(root, new)
        with Memory.open(root) as memory:
            found = {each.line - 4: each for each in memory.verify()}
    answers: dict[str, list[tuple[bool, bool]]] = {}
    for number, each in enumerate(made):
        state = found[number].state if number in found else "none"
        answers.setdefault(each.kind, []).append((each.broken, state in UNTRUE))
        if each.broken != (state in UNTRUE) and "-v" in sys.argv:
            print(f"{package}: {each.text} {'broken' if each.broken else 'holds'}, {state}")
    return answers


def fetched(package: str, version: str) -> dict[str, bytes]:
    """The files of a release, by their path."""
    address = f"https://pypi.org/pypi/{package}/json"
    with urllib.request.urlopen(address, timeout=60) as answer:
        files = json.load(answer)["releases"][version]
    source = next(each["url"] for each in files if each["packagetype"] == "sdist")
    with urllib.request.urlopen(urljoin(address, source), timeout=120) as answer:
        data = answer.read()
    found = {}
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            name = member.name.partition("/")[2]
            content = archive.extractfile(member) if member.isfile() else None
            if content and name and ".egg-info" not in name:
                found[name] = content.read()
    return found


def statements(before: dict[str, bytes], after: dict[str, bytes]) -> Iterator[Made]:
    code = sorted(name for name in before if name.endswith(".py") and "/" in name and "__init__" not in name)
    for name in code[:MOST]:
        yield Made("path", f"`{name}`", name not in after)
    names, values = defined(before)
    later, later_values = defined(after)
    chosen = [each for each in sorted(names) if "_" in each.strip("_") and not each.startswith("_") and each.islower()]
    for name in chosen[:: max(1, len(chosen) // MOST)][:MOST]:
        yield Made("symbol", f"`{name}()`", name not in later)
    for name, value in sorted(values)[:MOST]:
        held = value in {each for other, each in later_values if other == name}
        yield Made("literal", f"`{name} = {value}`", not held)


def defined(files: dict[str, bytes]) -> tuple[set[str], set[tuple[str, str]]]:
    """The functions and classes of all modules, and the constants with their values."""
    names: set[str] = set()
    values: set[tuple[str, str]] = set()
    for name, data in files.items():
        if not name.endswith(".py"):
            continue
        try:
            tree = ast.parse(data)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                names.add(node.name)
        for node in tree.body:
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                value = node.value.value if isinstance(node.value, ast.Constant) else None
                target = node.targets[0].id
                if (
                    isinstance(value, (int, str))
                    and "\n" not in repr(value)
                    and len(repr(value)) < 60
                    and "_" in target
                ):
                    values.add((target, repr(value)))
    return names, {(name, value) for name, value in values if not name.startswith("_") and '"' not in value}


def written(root: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)


def git(root: Path, *args: str) -> None:
    who = ("-c", "user.name=Bench", "-c", "user.email=bench@example.com", "-c", "core.autocrlf=false")
    subprocess.run(["git", "-C", str(root), *who, *args], check=True, capture_output=True)


def commit(root: Path, message: str) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", f"--message={message}")


# Speed


def speed(records: int, files: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        fill(root, records, files)
        git(root, "init", "--quiet")
        commit(root, "all")
        acts: dict[str, Callable[[], object]] = {
            "read the code": lambda: sum(len(path.read_text("utf-8")) for path in (root / "src").rglob("*.py")),
            "check": lambda: memory_of(root, "check"),
            "verify, first run": lambda: memory_of(root, "verify"),
            "index": lambda: memory_of(root, "index"),
            "verify, kept": lambda: memory_of(root, "verify"),
            "verify, nothing changed": lambda: memory_of(root, "verify"),
        }
        taken = {}
        for name, act in acts.items():
            before = cpu()
            act()
            taken[name] = cpu() - before
        print(f"{records:,} records, {files:,} files of code; seconds of processor time")
        for name, seconds in taken.items():
            read, check = seconds / taken["read the code"], seconds / taken["check"]
            print(f"{name:26}{seconds:8.2f}  {read:6.1f}x reading  {check:6.2f}x check")


def cpu() -> float:
    """The time of this process and of those it waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def memory_of(root: Path, command: str) -> None:
    subprocess.run([sys.executable, "-m", "memdown", command, "-q", "--root", str(root)], check=False)


def fill(root: Path, records: int, files: int) -> None:
    for number in range(files):
        folder = root / f"src/p{number % 200}"
        folder.mkdir(parents=True, exist_ok=True)
        body = "\n".join(
            f"def func_{number}_{each}(x):\n    value = x + {each}\n    return value\n" for each in range(20)
        )
        (folder / f"mod_{number}.py").write_text(f"LIMIT_{number} = {number}\n\n\n{body}", "utf-8")
    (root / "memories").mkdir()
    for number in range(records):
        id, at = uuid.uuid5(uuid.NAMESPACE_URL, str(number)), number * 7 % files
        place = f"src/p{at % 200}/mod_{at}.py"
        head = f"---\nid: {id}\nsubject: Module {number}\nkeywords:\n  - module\napplies_to: global\n"
        text = f"The file `{place}` has `func_{at}_3()` and `LIMIT_{at} = {at}`.\n"
        (root / f"memories/{id}.md").write_text(f"{head}occurred_at: '2026-01-15T10:30:00Z'\n---\n\n{text}", "utf-8")


if __name__ == "__main__":
    started = time.perf_counter()
    main()
    print(f"{time.perf_counter() - started:.0f} seconds")
