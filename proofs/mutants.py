"""Small faults in a copy of the source, one at a time: the tests of that room must find each of them.

A mutant is one line of one file: a comparison that is off by one, a call that is left out, an `and` for an `or`. Those
that no test finds are named; the ones that change nothing anybody could notice are explained in survivors.txt.
"""

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from proofs.faults import fast_folder
from proofs.outcome import Outcome, Run

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src/memdown"
SHORT, LONG = 8, 320
"""How many are tried."""
SCORE = 0.9
KEPT = ROOT / ".mutants_cache"
"""What each test runs, until it or the source changes."""
OPTIONS = ("-q", "-n", "0", "--timeout", "60", "--no-header", "--tb", "no", "-rfE")
_FAILED = re.compile(r"^(?:FAILED|ERROR) (tests/[^\s\[]+(?:\[.*?\])?)(?= - |$)", re.M)
TESTS = {
    "text.py": "text store_files sem_writer",
    "store/jail.py": "store_jail attacks store_files",
    "store/names.py": "store_jail attacks store_files",
    "store/spelling.py": "store_jail store_files attacks",
    "store/outside.py": "ledger store_jail store_files attacks",
    "store/locks.py": "ledger store_lock store_files store_groups races",
    "store/disk.py": "ledger store_disk store_files store_groups store_jail",
    "store/files.py": "ledger store_files store_groups store_jail gate",
    "store/groups.py": "store_groups store_files",
    "store/wal.py": "store_groups store_files",
    "store/undo.py": "undo undo_model",
    "store/steps.py": "undo undo_model store_groups",
    "store/traces.py": "undo undo_model",
    "secrets/": "secrets gate",
    "store/ledger.py": "ledger",
    "store/adding.py": "layered_store hooks store_files",
    "store/tree.py": "scan_tree store_jail",
    "store/walks.py": "walks store_files scan_tree",
    "store/backup.py": "backup",
    "store/state.py": "ledger store_files store_groups store_disk index",
    "store/": "store_files store_groups store_disk store_jail",
    "acts/check/rules/secrets.py": "gate rules secrets",
    "acts/capture/keep.py": "hooks gate",
    "acts/inbox.py": "sem_inbox",
    "acts/transfer/": "transfer",
    "acts/merge/": "merge merge_git",
    "acts/convert/": "sem_convert sem_rules",
    "dialects/bank/": "bank_reader bank_writer bank_memory bank_upkeep bank_behaviour bank_keeps edit delete add",
    "dialects/cards/": "cards add edit delete",
    "dialects/sem/": "sem_reader sem_writer sem_rules sem_archive sem_convert sem_inbox edit delete add",
    "dialects/journal/": "journal_reader journal_writer journal_rules journal_writing journal_rotation edit delete add",
    "dialects/layers/": "layered_text layered_store layered_pruning layered_cli edit delete add",
    "dialects/okf/": "okf",
    "dialects/": "delete edit add toy_dialect sem_writer bank_writer",
}
"""The tests of each room, the quick ones first; the longest name that fits counts."""
QUICK = ("store/jail.py", "store/names.py", "dialects/cards/", "dialects/okf/")
"""Rooms whose tests are over soon: the short form takes two of them."""
READING_AND_WRITING = (
    "read write sections decisions items fields dates lines parts remove change edits headings stamps bullets split"
)


class Mutant(NamedTuple):
    """One changed line."""

    file: str
    line: int
    old: str
    new: str

    def known_as(self) -> tuple[str, str, str]:
        return self.file, self.old.strip(), self.new.strip()

    def __str__(self) -> str:
        return f"src/memdown/{self.file}:{self.line}: {self.old.strip()}  →  {self.new.strip()}"


def files() -> list[str]:
    """Where mutants are made: the store, text, readers and writers of dialects, the gate, and what merges."""
    names = [path.relative_to(SOURCE).as_posix() for path in sorted(SOURCE.rglob("*.py"))]
    stems = {*READING_AND_WRITING.split(), *(f"write_{each}" for each in "common edits sessions tasks".split())}
    others = (
        "text.py",
        "secrets/__init__.py",
        "secrets/weigh.py",
        "acts/inbox.py",
        "acts/transfer/__init__.py",
        "acts/transfer/bundle.py",
        "acts/convert/__init__.py",
        "acts/check/rules/secrets.py",
        "acts/capture/keep.py",
    )
    return [
        name
        for name in names
        if (name.startswith("store/") and not name.endswith("__init__.py"))
        or (name.startswith("dialects/") and "/rules/" not in name and Path(name).stem in stems)
        or name.startswith("acts/merge/")
        or name in others
    ]


def room_of(file: str) -> str:
    return max((name for name in TESTS if file.startswith(name)), key=len)


def tests_of(file: str) -> list[str]:
    return [f"tests/test_{each}.py" for each in TESTS[room_of(file)].split()]


_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


def mutants(file: str) -> Iterator[Mutant]:
    """Every mutant of a file."""
    text = (SOURCE / file).read_text("utf-8")
    lines = text.splitlines()
    skipped = set[int]()
    tree = ast.parse(text)
    for node in ast.walk(tree):
        skipped |= {id(each) for unused in _unused(node) for each in ast.walk(unused)}
        for part in ("annotation", "returns", "decorator_list"):
            value = getattr(node, part, None)
            for each in value if isinstance(value, list) else [value] if value is not None else []:
                skipped |= {id(inner) for inner in ast.walk(each)}
    for outer in ast.walk(tree):
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for node in ast.walk(outer):
                if id(node) in skipped:
                    continue
                skipped.add(id(node))
                for new in _changed(node):
                    found = _line(node, new, lines)
                    if found:
                        yield Mutant(file, *found)


def _unused(node: ast.AST) -> Sequence[ast.AST]:
    """What of a node nothing runs on this machine, where no test can find a mutant of it."""
    match node:
        case ast.If(test=test, body=body) if ast.unparse(test) == "TYPE_CHECKING":
            return [test, *body]
        case ast.If(test=test, body=body, orelse=orelse) if ast.unparse(test) == "sys.platform == 'win32'":
            return [test, *(orelse if sys.platform == "win32" else body)]
        case ast.Call(func=ast.Name("getattr"), args=[ast.Name("os"), ast.Constant(value=str(flag)), given]):
            return [given] if hasattr(os, flag) else []
    return []


def _changed(node: ast.AST) -> Iterator[str]:
    """What may stand in a node's place."""
    match node:
        case ast.Compare(ops=[op], left=left, comparators=comparators) if type(op) in _COMPARED:
            yield ast.unparse(ast.Compare(left, [_COMPARED[type(op)]()], comparators))
        case ast.BoolOp(op=op, values=values):
            yield f"({ast.unparse(ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values))})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield f"({ast.unparse(operand)})"
        case ast.Constant(value=bool(value)):
            yield repr(not value)
        case ast.Constant(value=int(value)) if 0 <= value <= 10:
            yield repr(value + 1)
        case ast.BinOp(op=ast.Add(), left=left, right=right) if not _is_text(left) and not _is_text(right):
            yield f"({ast.unparse(ast.BinOp(left, ast.Sub(), right))})"
        case ast.BinOp(op=ast.Sub(), left=left, right=right):
            yield f"({ast.unparse(ast.BinOp(left, ast.Add(), right))})"
        case ast.Expr(value=ast.Call()) | ast.Raise() | ast.Break() | ast.Continue() | ast.AugAssign():
            yield "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield "pass"
        case ast.Return(value=ast.Compare() | ast.BoolOp() | ast.UnaryOp()):
            yield f"return not ({ast.unparse(node.value)})" if node.value else "pass"
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield f"({ast.unparse(ast.IfExp(test, orelse, body))})"


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, (ast.JoinedStr, ast.List, ast.Tuple)) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _line(node: ast.AST, new: str, lines: Sequence[str]) -> tuple[int, str, str] | None:
    """The line of a node as it is and as it becomes; None for one that spans several."""
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
    if not first or first != last:
        return None
    old = lines[first - 1]
    bare = old.encode()
    changed = bare[: node.col_offset].decode() + new + bare[node.end_col_offset or 0 :].decode()  # type: ignore[attr-defined]
    return (first, old, changed) if changed != old else None


class Copy:
    """A copy of the project to make mutants in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.parent.chmod(0o755)  # some tests become another user
        for name in ("src", "tests", "proofs", "docs", "scripts", "pyproject.toml", "README.md", "CHANGELOG.md"):
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name)
            else:
                folder.mkdir(exist_ok=True)
                shutil.copy2(source, folder / name)

    def environment(self) -> dict[str, str]:
        """Imports come from the copy, in processes that tests start too; what is compiled is kept there."""
        paths = os.pathsep.join(str(self.folder / each) for each in ("src", "tests", "."))
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        return {**kept, "PYTHONPATH": paths, "TMPDIR": str(self.folder)}

    def judge(self, chosen: Sequence[Mutant]) -> list[str]:
        """What finds each of the mutants of one room; empty for what nothing finds."""
        tests = [*dict.fromkeys(test for each in chosen for test in tests_of(each.file))]
        asked = {
            "tests": tests,
            "mutants": [(each.file, each.line, each.new) for each in chosen],
            "files": files(),
            "kept": str(KEPT),
        }
        (self.folder / "asked.json").write_text(json.dumps(asked), "utf-8")
        self._ran("-m", "proofs.judging", "asked.json", "answers.json")
        answers = [json.loads(line) for line in (self.folder / "answers.json").read_text("utf-8").splitlines()]
        return [
            answer["found"] or ("" if answer["sure"] else self._anew(mutant, answer["calling"] or tests))
            for mutant, answer in zip(chosen, answers, strict=True)
        ]

    def _anew(self, mutant: Mutant, tests: Sequence[str]) -> str:
        """What finds a mutant that was there before anything was loaded: a table may be made by what is mutated.

        A test that fails has to fail once more with the mutant, and to pass without it.
        """
        path = self.folder / "src/memdown" / mutant.file
        text, kept = path.read_text("utf-8"), path.stat()
        lines = text.split("\n")
        lines[mutant.line - 1] = mutant.new
        left_out = list[str]()
        while True:
            try:
                path.write_text("\n".join(lines), "utf-8")
                done = self._tested(tests, left_out)
                named = _FAILED.search(done.stdout)
                if done.returncode == 0 or named is None or named[1] in left_out:
                    return "" if done.returncode in (0, 5) else f"exit {done.returncode} when loaded with it"
                again = self._tested([named[1]]).returncode
            finally:
                path.write_text(text, "utf-8")
                os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns))
            if again and not self._tested([named[1]]).returncode:
                return f"{named[1]} when loaded with it"
            left_out.append(named[1])

    def _tested(self, tests: Sequence[str], left_out: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
        (self.folder / "ids.txt").write_text("\n".join(tests), "utf-8")
        without = [f"--deselect={each}" for each in left_out]
        return self._ran("-m", "pytest", *OPTIONS, "-x", "-p", "no:cacheprovider", *without, "@ids.txt")

    def _ran(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *arguments]
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


def explained() -> dict[tuple[str, str, str], str]:
    """Mutants that change nothing anybody could notice: file, the line, the changed line, and why."""
    rows = [line.split(" ~ ") for line in (ROOT / "proofs/survivors.txt").read_text("utf-8").splitlines()]
    return {(row[0], row[1], row[2]): row[3] for row in rows if not row[0].startswith("#")}


def sample(seed: int, share: float) -> list[Mutant]:
    """Half from the readers and writers of dialects, half from all others; in the short form from one room of each."""
    dice, known, chosen = random.Random(seed), explained(), list[Mutant]()
    for is_dialect in (False, True):
        mine = [file for file in files() if file.startswith("dialects/") == is_dialect]
        if not share:
            room = dice.choice([room for room in QUICK if room.startswith("dialects/") == is_dialect])
            mine = [file for file in mine if room_of(file) == room]
        every = [one for file in mine for one in mutants(file) if one.known_as() not in known]
        chosen += dice.sample(every, min((round(share * LONG) or SHORT) // 2, len(every)))
    return chosen


def judged(work: Path, chosen: Sequence[Mutant], most: int = 0) -> Iterator[tuple[Mutant, str]]:
    """Each mutant with what finds it, folder by folder, on all cores or on a few."""
    rooms: dict[str, list[Mutant]] = {}
    for mutant in chosen:
        rooms.setdefault(mutant.file.rpartition("/")[0], []).append(mutant)
    workers = min(most or os.cpu_count() or 1, len(rooms))
    free: SimpleQueue[Copy] = SimpleQueue()
    for number in range(workers):
        free.put(Copy(work / f"copy{number}"))

    def judge(some: Sequence[Mutant]) -> list[str]:
        copy = free.get()
        try:
            return copy.judge(some)
        finally:
            free.put(copy)

    with ThreadPoolExecutor(workers) as pool:
        for room, some, found in zip(rooms, rooms.values(), pool.map(judge, rooms.values()), strict=True):
            lived = [str(each) for each, by in zip(some, found, strict=True) if not by]
            print(*[f"{room}: {len(lived)} of {len(some)} live", *lived], sep="\n    ", file=sys.stderr, flush=True)
            yield from zip(some, found, strict=True)


def prove(run: Run) -> Iterator[Outcome]:
    chosen = sample(run.seed, run.share)
    work = fast_folder(run.work)
    try:
        lived = [str(mutant) for mutant, found in judged(work, chosen) if not found]
    finally:
        if work != run.work:
            shutil.rmtree(work)
    score = 1 - len(lived) / len(chosen)
    note = f"{score:.0%} found" + "".join(f"; lives: {each}" for each in (lived if score >= SCORE else ()))
    yield Outcome(
        "faults in store, readers, writers, gate, merge", len(chosen), "mutants", lived if score < SCORE else [], note
    )


def main() -> None:
    """Judge some mutants of some rooms, and name those that live."""
    parser = argparse.ArgumentParser("python -m proofs.mutants", description=main.__doc__)
    parser.add_argument(
        "rooms", nargs="+", metavar="ROOM", help="how names of files begin: acts/merge/, store/locks.py"
    )
    parser.add_argument("--count", type=int, default=30, help="how many of each room (%(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**9), help="repeat a run")
    options = parser.parse_args()
    dice, known, chosen = random.Random(options.seed), explained(), list[Mutant]()
    for room in options.rooms:
        every = [
            one for file in files() if file.startswith(room) for one in mutants(file) if one.known_as() not in known
        ]
        chosen += dice.sample(every, min(options.count, len(every)))
    work = fast_folder(Path(tempfile.mkdtemp(prefix="memdown-mutants-")))
    try:
        found = [by for _, by in judged(work, chosen, most=1)]
    finally:
        shutil.rmtree(work)
    print(f"{sum(map(bool, found))} of {len(found)} found; seed {options.seed}")


if __name__ == "__main__":
    main()
