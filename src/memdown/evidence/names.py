"""Names in code: where functions, classes, constants and variables are defined, now and when memory was written.

Definitions are found by the patterns of their lines, in any language; of Python the parser decides which class a method
is of. That is said with the answer, and an alarm needs more than a pattern: the definition has to have been there.
"""

import ast
import os
import re
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from pathlib import Path

from memdown.evidence.model import FRESH, Answer, not_found, unknown
from memdown.git import Commit
from memdown.git.past import GitPast
from memdown.scan.catalog import LANGUAGES

NEVER = unknown("not found, and it was not there when this was written")
MOST_FILES = 50_000
MOST_BYTES = 1_000_000
_SETTINGS = frozenset(
    "yaml yml toml json jsonc env ini cfg conf properties xml gradle tf service example sample".split()
)
_LOCKS = frozenset("package-lock.json yarn.lock pnpm-lock.yaml uv.lock poetry.lock cargo.lock composer.lock".split())
_PROSE = frozenset("md mdx mdc rst txt adoc html".split())
_BASELINES = 12
_TEXTS = 64
_MODIFIERS = (
    r"(?:(?:export|default|declare|public|private|protected|internal|static|final|abstract|async|pub(?:\([^)\n]{0,20}\))?"
    r"|unsafe|const|override|virtual|sealed|partial|open|data|inline|suspend|readonly|extern|local|get|set)[ \t]+){0,6}"
)
_KEYWORDS = (
    r"(?:def|class|function\*?|fn|func|interface|type|enum|struct|trait|module|namespace|record|object|protocol|const|let|var"
    r"|val|mod|union|typedef|macro_rules!|sub|#[ \t]*define|create[ \t]+(?:table|view|function|or replace function))"
)
_DEFINED = re.compile(
    rf"\n[ \t]*(?:{_MODIFIERS}{_KEYWORDS}[ \t]+(?:\([^)\n]{{0,80}}\)[ \t]*)?(?:self\.)?[\"`]?([A-Za-z_$][\w$]*)"
    r"|(?:self\.|this\.|export[ \t]+)?([A-Za-z_$][\w$]*)[ \t]*(?::[^=\n]{0,80})?[:=](?![=:])"
    r"|(?:[A-Za-z_][\w<>\[\],.?:&*]*[ \t&*]+){0,5}([A-Za-z_$][\w$]*)[ \t]*"
    r"\([^;\n]{0,200}(?:\{|\)[^;\n]{0,80})(?=\n))".encode(),
    re.I,
)
"""A line that defines a name, in any language, with the end of the line before it, which is searched for fast."""
_PYTHON = re.compile(
    rb"\n[ \t]*(?:(?:async[ \t]+)?(?:def|class)[ \t]+([A-Za-z_]\w*)"
    rb"|(?:self\.)?([A-Za-z_]\w*)[ \t]*(?::[^=\n]{0,80})?=(?!=)"
    rb"|(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+([^\n(#]+))"
)
_IMPORTED = re.compile(rb"[A-Za-z_]\w*")
_WORD = re.compile(r"\w+", re.ASCII)
_VALUE = r"-?\d[\d_.]{0,20}|\"[^\"\n]{0,80}\"|'[^'\n]{0,80}'|True|False|true|false|None|null"
_SET = re.compile(rf"[\"']?[ \t]{{0,9}}(?::[ \t]?[\w\[\], |.]{{1,40}}?[ \t]?)?[:=][ \t]{{0,9}}({_VALUE})")
_ALTERNATIVES = 40
"""Names that git's own expression may have; more of them make it slower than reading all changes."""
_WORDS = re.compile(rb"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b\d{4,5}\b")


class CodeFiles:
    """The names that each file of code defines, and the words in capitals and numbers that it has."""

    def __init__(self, root: Path, files: Iterable[str]) -> None:
        self._root = root
        self._names = [name for name in files if is_code(name)][:MOST_FILES]
        self._texts: dict[str, str] = {}

    def where(self, wanted: Collection[str], *, imported: bool = True) -> dict[str, list[str]]:
        """By name, the files that define or import it, or have it as a word in capitals or a number."""
        found: dict[str, list[str]] = {}
        needles = frozenset(wanted)
        for name in self._names if needles else ():
            for each in needles.intersection(self._names_in(name, imported=imported)):
                found.setdefault(each, []).append(name)
        return found

    def text(self, name: str) -> str:
        """The text of a file; the last ones are kept, since claims about a file stand together."""
        if name not in self._texts:
            if len(self._texts) > _TEXTS:
                self._texts.clear()
            self._texts[name] = read_bytes(str(self._root / name)).decode("utf-8", "replace")
        return self._texts[name]

    def _names_in(self, name: str, *, imported: bool) -> Collection[str]:
        data = read_bytes(os.path.join(self._root, name))  # noqa: PTH118 - twenty thousand times
        is_python = name.endswith((".py", ".pyi"))
        return names_in(data, python=is_python, imported=imported) if len(data) <= MOST_BYTES else ()


def is_code(name: str) -> bool:
    """Whether a file is code or settings, and neither prose nor a lock file."""
    file = name.rpartition("/")[2].lower()
    ending = file.rpartition(".")[2]
    if file in _LOCKS or ending in _PROSE:
        return False
    return ending in LANGUAGES or ending in _SETTINGS or "." not in file or file.startswith(".env")


def names_in(data: bytes, *, python: bool = False, imported: bool = True) -> set[str]:
    """The names that a text of code defines, with its words in capitals and its numbers."""
    lines = b"\n" + data + b"\n"
    found: set[bytes] = set()
    if python:
        for function, value, others in _PYTHON.findall(lines):
            found.update((function or value,) if not others else _IMPORTED.findall(others) if imported else ())
    else:
        found.update(name for match in _DEFINED.findall(lines) for name in match if name)
    found.update(_WORDS.findall(data))
    return {each.decode("ascii", "ignore") for each in found}


class NameEvidence:
    """Symbols, literals, variables and ports."""

    def __init__(self, code: CodeFiles, past: GitPast, wanted: Collection[str]) -> None:
        """`wanted` are all names that will be asked for, so that each file is read once."""
        self._code = code
        self._past = past
        self._wanted = wanted
        self.baselines: list[str] = []
        """Commits at which memory was written."""

    @cached_property
    def _where(self) -> dict[str, list[str]]:
        return self._code.where(self._wanted)

    def symbol(self, name: str) -> Answer:
        """How a function, class or method stands; `Pool.acquire` has to be one of `Pool`."""
        owner, _, last = name.rpartition(".")
        owner = owner.rpartition(".")[2]
        files = self._where.get(last, [])
        if not owner and files:
            return FRESH
        holders = [each for each in files if self._holds(each, owner, last)] if owner else []
        if holders:
            return FRESH
        if owner and owner not in self._where and owner[:1].islower():
            # `json.loads`, `user.name`: an owner that is defined nowhere is a variable, or somebody else's module.
            return FRESH if files else unknown("its owner is not defined here")
        if owner and files and owner in self._where:
            return unknown(f"{last} is defined here, but not found in {owner}")
        return self._missing(last)

    def _holds(self, file: str, owner: str, last: str) -> bool:
        if file not in self._where.get(owner, ()):
            return _module(file) == owner
        known = members(self._code.text(file), owner) if file.endswith((".py", ".pyi")) else None
        return known is None or last in known

    def in_file(self, file: str, name: str) -> Answer:
        """How a symbol stands that a certain file is to have."""
        last = name.replace("::", ".").rpartition(".")[2]
        here = self._where.get(last, [])
        if file in here:
            return FRESH
        if len(here) == 1:
            return Answer("moved", f"{here[0]}::{name}")
        missing = self._missing(last)
        return Answer("gone", note="it is not defined in the file") if missing.state == "unknown" else missing

    def word(self, name: str) -> Answer:
        """How a variable or a port stands, which has to occur somewhere in code or settings."""
        return FRESH if name in self._where else self._missing(name)

    def literal(self, target: str, value: str) -> Answer:
        """How a constant with its value stands."""
        file, _, name = target.rpartition("::")
        last = name.rpartition(".")[2]
        files = [each for each in self._where.get(last, []) if not file or each == file]
        there = [found for each in files for found in values_of(self._code.text(each), last)]
        wanted = _plain(value)
        if any(_plain(each) == wanted for each in there):
            return FRESH
        if not there and files:
            return unknown("it is not set to a plain value here")
        culprit = self._last_value(last, wanted)
        if not there:
            return Answer("gone", commit=culprit) if culprit else self._missing(last)
        if culprit or file or not self._past.is_known:
            return Answer("changed", there[0], culprit, "" if culprit or self._past.is_known else self._past.missing)
        return unknown(f"it has another value, and {self._past.missing or 'never had this one'}")

    def _missing(self, name: str) -> Answer:
        """What becomes of a name that is not there now: gone, when it was there when memory was written."""
        if not self._past.is_known or name not in self._once:
            return not_found(self._past, "") if self._past.missing else NEVER
        return Answer("gone", commit=self._removed.get(name))

    @cached_property
    def _once(self) -> set[str]:
        """The names that are not there now, and were at one of the baselines."""
        lost = frozenset(each for each in self._wanted if each not in self._where and _WORD.fullmatch(each))
        found: set[str] = set()
        for commit in self.baselines[:_BASELINES] if lost else ():
            for file, line in self._past.lines_with(commit, sorted(lost - found)):
                if is_code(file):
                    found.update(_lost_in(line, lost))
        return found

    @cached_property
    def _removed(self) -> dict[str, Commit]:
        """By name, the last commit that removed its definition."""
        expression = "|".join(sorted(self._once)) if len(self._once) <= _ALTERNATIVES else ""
        since = self.baselines[-1] if self.baselines else None
        return self._past.last_removal(self._once, expression, lambda line: _lost_in(line, self._once), since)

    def _last_value(self, name: str, value: str) -> Commit | None:
        found = self._past.last_removal(
            [name],
            f"{re.escape(name)}.*[:=]",
            lambda line: [name] if value in map(_plain, values_of(line, name)) else [],
        )
        return found.get(name)


def _lost_in(line: str, lost: Collection[str]) -> Iterator[str]:
    """Those of these names that a line of code defines, or has as a word in capitals or a number."""
    return (each for each in names_in(line.encode("utf-8", "replace")) if each in lost)


def _module(file: str) -> str:
    return file.rpartition("/")[2].partition(".")[0]


def members(text: str, owner: str) -> frozenset[str] | None:
    """The names that a class of Python has, with those it sets on itself; None when there is none, or it has bases."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == owner]
    if not found or any(node.bases or node.keywords for node in found):
        return None
    names: set[str] = set()
    for node in (each for top in found for each in ast.walk(top)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.Name):
            names.add(node.id)
    return frozenset(names)


def values_of(text: str, name: str) -> list[str]:
    """The plain values that lines of a text give to a name."""
    found = []
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        value = None if at and (text[at - 1].isalnum() or text[at - 1] in "_$") else _SET.match(text, end)
        if value:
            found.append(value[1])
        at = text.find(name, end)
    return found


def _plain(value: str) -> str:
    """A value for comparing: `10_000` is `10000`, `'a'` is `"a"`."""
    bare = value.strip().rstrip(",;")
    if bare[:1] in ("'", '"'):
        return f'"{bare[1:-1]}"'
    return bare.replace("_", "").lower()


def read_bytes(path: str) -> bytes:
    """What a file begins with, as much of it as is looked at and a byte more; nothing where it cannot be read."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib takes as long as reading
            return file.read(MOST_BYTES + 1)
    except OSError:
        return b""
