"""`memdown verify` as a detector, on the histories of public packages: two releases of each, from PyPI and npm.

    python bench/verify.py [-v] [--speed [RECORDS FILES]]

Memory is made from the older release: statements about its files, functions, methods, constants, the versions of what
it needs, and its scripts. Which of them the newer release breaks is worked out from the two releases alone: names of
Python by its own parser, names of JavaScript and TypeScript by the compiler of TypeScript (node is needed for that),
versions and scripts from package.json, requirements and tox.ini. Then both become commits of a repository, and `verify`
is asked. Beside it stand "always flag" and "never flag", whose J is 0 by definition.

With --speed: a first run and one with nothing changed, beside reading the files of code and beside a plain `check`.
"""

import argparse
import ast
import atexit
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeVar
from urllib.parse import urljoin

from memdown import Memory

PAIRS = (
    ("click", "7.1.2", "8.1.7"),
    ("httpx", "0.18.0", "0.27.0"),
    ("rich", "9.0.0", "13.7.0"),
    ("starlette", "0.14.2", "0.37.0"),
    ("Flask", "1.1.4", "3.0.0"),
)
NPM_PAIRS = (
    ("express", "4.17.1", "5.0.0"),
    ("axios", "0.21.1", "1.6.0"),
    ("ws", "7.5.0", "8.16.0"),
    ("commander", "5.0.0", "11.0.0"),
    ("rxjs", "6.6.7", "7.8.1"),
    ("mongoose", "5.13.0", "8.0.0"),
)
MOST = 150
"""Statements of each kind about a package."""
T = TypeVar("T")
_BUILT = frozenset("dist bundles browser esm esm5 esm2015 _esm5 _esm2015 internal-compatibility migrations".split())
UNTRUE = ("moved", "changed", "gone")


class Made(NamedTuple):
    """A statement, and whether the newer release breaks it."""

    kind: str
    text: str
    broken: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--speed", nargs="*", type=int, metavar="N", help="measure time; N are RECORDS and FILES")
    parser.add_argument("-v", "--verbose", action="store_true", help="print what was judged wrongly")
    asked = parser.parse_args()
    if asked.speed is not None:
        if len(asked.speed) not in (0, 2):
            parser.error("--speed takes RECORDS and FILES, or nothing")
        speed(*(asked.speed or (10_000, 20_000)))
        return
    totals: dict[str, list[tuple[bool, bool]]] = {}
    sources = [*((each, from_pypi) for each in PAIRS), *((each, from_npm) for each in NPM_PAIRS)]
    for (package, old, new), fetch in sources:
        for kind, rows in measured(package, fetch(package, old), fetch(package, new), verbose=asked.verbose).items():
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


def measured(
    package: str, before: dict[str, bytes], after: dict[str, bytes], *, verbose: bool
) -> dict[str, list[tuple[bool, bool]]]:
    """By kind, whether each statement is broken, and whether it is flagged."""
    made = list(statements(before, after))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        git(root, "init", "--quiet")
        written(root, before)
        (root / "memory-bank").mkdir()
        rows = "".join(f"- {each.text} belongs to the package.\n" for each in made)
        (root / "memory-bank/systemPatterns.md").write_text(f"# System Patterns\n\n## Key Components\n{rows}", "utf-8")
        commit(root, "Begin")
        for name in before:
            (root / name).unlink()
        written(root, after)
        commit(root, "Release")
        with Memory.open(root) as memory:
            found = {each.line - 4: each for each in memory.verify()}
    answers: dict[str, list[tuple[bool, bool]]] = {}
    for number, each in enumerate(made):
        state = found[number].state if number in found else "none"
        answers.setdefault(each.kind, []).append((each.broken, state in UNTRUE))
        if each.broken != (state in UNTRUE) and verbose:
            print(f"{package}: {each.text} {'broken' if each.broken else 'holds'}, {state}")
    return answers


def from_npm(package: str, version: str) -> dict[str, bytes]:
    """The files of a release of npm, by their path."""
    with urllib.request.urlopen(f"https://registry.npmjs.org/{package}", timeout=60) as answer:
        return unpacked(json.load(answer)["versions"][version]["dist"]["tarball"])


def from_pypi(package: str, version: str) -> dict[str, bytes]:
    """The files of a release of PyPI, by their path."""
    address = f"https://pypi.org/pypi/{package}/json"
    with urllib.request.urlopen(address, timeout=60) as answer:
        files = json.load(answer)["releases"][version]
    source = next(each["url"] for each in files if each["packagetype"] == "sdist")
    return unpacked(urljoin(address, source))


def unpacked(address: str) -> dict[str, bytes]:
    with urllib.request.urlopen(address, timeout=120) as answer:
        data = answer.read()
    found: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            name = member.name.partition("/")[2]
            content = archive.extractfile(member) if member.isfile() else None
            if content and name and ".egg-info" not in name:
                found[name] = content.read()
    sources = {name: data for name, data in found.items() if name.startswith("src/") or "/" not in name}
    is_built = "package.json" in found and len(sources) > len(found) / 8  # its other files are made from those
    return sources if is_built else found


def statements(before: dict[str, bytes], after: dict[str, bytes]) -> Iterator[Made]:
    code = sorted(name for name in before if name.endswith((".py", ".js", ".ts")) and "/" in name and is_written(name))
    for name in code[:MOST]:
        yield Made("path", f"`{name}`", name not in after)
    names, values = defined(before)
    later, later_values = defined(after)
    chosen = [each for each in sorted(names) if "_" in each.strip("_") and not each.startswith("_") and each.islower()]
    for name in sample(chosen):
        yield Made("symbol", f"`{name}()`", name not in later)
    script, later_script = scripted(before), scripted(after, built=True)
    short = sorted({each for each in script if "." not in each})
    last = {each.rpartition(".")[2] for each in later_script}
    for name in sample([each for each in short if each != each.lower() and each.isalnum() and each[0].islower()]):
        yield Made("symbol", f"`{name}()`", name not in last)
    methods, later_methods = script | methods_of(before), later_script | methods_of(after)
    own = [each for each in sorted(methods) if re.fullmatch(r"[A-Z]\w+\.[a-z]\w+", each)]
    # What a class inherits, nobody can tell from its name alone.
    for name in sample([each for each in own if f"{each.partition('.')[0]}." not in later_methods]):
        if not name.endswith((".constructor", "__")):
            yield Made("method", f"`{name}`", name not in later_methods)
    versions, later_versions = pinned(before), pinned(after)
    for name, version in sample(sorted(versions.items())):
        yield Made("version", f"{name} {version}", later_versions.get(name) != version)
    scripts, later_scripts = run_by(before), run_by(after)
    for command in sample(sorted(scripts)):
        yield Made("command", f"`{command}`", command not in later_scripts)
    for name, value in sorted(values)[:MOST]:
        held = value in {each for other, each in later_values if other == name}
        yield Made("literal", f"`{name} = {value}`", not held)


def sample(found: list[T]) -> list[T]:
    return found[:: max(1, -(-len(found) // MOST))]


def is_written(name: str) -> bool:
    """Whether people write a file, and no compiler does."""
    parts = name.split("/")
    return "__init__" not in name and not name.endswith((".min.js", ".d.ts")) and not _BUILT & set(parts)


def is_pressed(data: bytes) -> bool:
    """Whether a file is on few lines without end, as tools write it."""
    return len(data) > 300 * (data.count(b"\n") + 1)


def scripted(files: dict[str, bytes], *, built: bool = False) -> set[str]:
    """The names that JavaScript and TypeScript define, with their classes, as the compiler of TypeScript reads them.

    `Pool.` is a class that takes members from another. Those of files that a compiler makes count where a name only has
    to be somewhere.
    """
    chosen = {
        name: data
        for name, data in files.items()
        if name.endswith((".js", ".ts")) and (built or is_written(name)) and not is_pressed(data)
    }
    if not chosen:
        return set()
    with tempfile.TemporaryDirectory() as folder:
        written(Path(folder), chosen)
        command = ["node", str(Path(__file__).with_name("names.cjs")), str(typescript()), *chosen]
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
    return {each for each in done.stdout.split("\n") if re.fullmatch(r"[A-Za-z]\w{3,}(?:\.\w*)?", each)}


@cache
def typescript() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="memdown-typescript-"))
    atexit.register(shutil.rmtree, folder)
    written(folder, from_npm("typescript", "5.4.5"))
    return folder


def methods_of(files: dict[str, bytes]) -> set[str]:
    """The methods of classes of Python."""
    found = set()
    for name, data in files.items():
        try:
            tree = ast.parse(data if name.endswith(".py") else b"")
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            inner = node.body if isinstance(node, ast.ClassDef) else []
            names = [each.name for each in inner if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))]
            if isinstance(node, ast.ClassDef):
                found |= {f"{node.name}.{each}" for each in names}
                found |= {f"{node.name}."} if node.bases or node.keywords else set()
    return found


def pinned(files: dict[str, bytes]) -> dict[str, str]:
    """Libraries with the first two numbers of their version."""
    found: dict[str, str] = {}
    if "package.json" in files:
        manifest = json.loads(files["package.json"])
        for kind in ("devDependencies", "dependencies"):
            found |= manifest.get(kind) or {}
    for name, data in files.items():
        if name.startswith("requirements") and name.endswith(".txt"):
            found |= dict(re.findall(r"^([\w.-]+)(?:==|~=|>=)([\d.]+)", data.decode("utf-8", "replace"), re.M))
    short = {name: re.search(r"\d+\.\d+", version) for name, version in found.items()}
    return {name: match.group() for name, match in short.items() if match and re.fullmatch(r"[a-zA-Z][\w.-]+", name)}


def run_by(files: dict[str, bytes]) -> set[str]:
    """The commands that run a script of the package."""
    found = set()
    if "package.json" in files:
        found |= {f"npm run {each}" for each in json.loads(files["package.json"]).get("scripts") or {}}
    tox = files.get("tox.ini", b"").decode("utf-8", "replace")
    found |= {f"tox -e {each}" for each in re.findall(r"^\[testenv:([\w-]+)\]", tox, re.M)}
    return found


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
            if not isinstance(node, (ast.Assign, ast.AnnAssign)):
                continue
            one = node.target if isinstance(node, ast.AnnAssign) else node.targets[-1]
            if isinstance(one, ast.Name):
                value = node.value.value if isinstance(node.value, ast.Constant) else None
                target = one.id
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
            "verify, a file of memory changed": lambda: changed(root, "memories/*.md", "More.\n"),
            "verify, a file of code changed": lambda: changed(root, "src/p1/*.py", "MORE = 1\n"),
            "check, nothing changed": lambda: memory_of(root, "check"),
        }
        taken = {}
        for name, act in acts.items():
            before = cpu()
            act()
            taken[name] = cpu() - before
        print(f"{records:,} records, {files:,} files of code; seconds of processor time")
        for name, seconds in taken.items():
            read, check = seconds / taken["read the code"], seconds / taken["check"]
            print(f"{name:34}{seconds:8.2f}  {read:6.1f}x reading  {check:6.2f}x check")


def cpu() -> float:
    """The time of this process and of those it waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def memory_of(root: Path, command: str) -> None:
    subprocess.run([sys.executable, "-m", "memdown", command, "-q", "--root", str(root)], check=False)


def changed(root: Path, glob: str, more: str) -> None:
    with next(root.glob(glob)).open("a", encoding="utf-8") as file:
        file.write(more)
    memory_of(root, "verify")


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
