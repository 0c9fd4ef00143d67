"""Files of code, and the names that their lines define: patterns that fit any language, and fast."""

import os
import re
from collections.abc import Collection, Iterable, Set
from pathlib import Path
from typing import Protocol

from memdown.scan.catalog import LANGUAGES

MOST_FILES = 50_000
MOST_BYTES = 1_000_000
_SETTINGS = frozenset(
    "yaml yml toml json jsonc env ini cfg conf properties xml gradle tf service example sample".split()
)
_LOCKS = frozenset("package-lock.json yarn.lock pnpm-lock.yaml uv.lock poetry.lock cargo.lock composer.lock".split())
_PROSE = frozenset("md mdx mdc rst txt adoc html".split())
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
    r"|(?:export[ \t]+|(?:[A-Za-z_$][\w$]*\.){1,4})?([A-Za-z_$][\w$]*)[ \t]*(?::[^=\n]{0,80})?[:=](?![=:])"
    r"|(?:[A-Za-z_][\w<>\[\],.?:&*]*[ \t&*]+){0,5}([A-Za-z_$][\w$]*)[ \t]*"
    r"\([^;\n]{0,200}(?:\{|\)[^;\n]{0,80}(?=\n)))".encode(),
    re.I,
)
"""A line that defines a name, in any language, with the end of the line before it, which is searched for fast."""
_PYTHON = re.compile(
    rb"\n[ \t]*(?:(?:async[ \t]+)?(?:def|class)[ \t]+([A-Za-z_]\w*)"
    rb"|(?:self\.)?([A-Za-z_]\w*)[ \t]*(?::[^=\n]{0,80})?=(?!=)"
    rb"|(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+([^\n(#]+))"
)
_IMPORTED = re.compile(rb"[A-Za-z_]\w*")
_VALUE = r"-?\d[\d_.]{0,20}|\"[^\"\n]{0,80}\"|'[^'\n]{0,80}'|True|False|true|false|None|null"
_SET = re.compile(rf"[\"']?[ \t]{{0,9}}(?::[ \t]?[\w\[\], |.]{{1,40}}?[ \t]?)?[:=][ \t]{{0,9}}({_VALUE})")
_WORDS = re.compile(rb"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b\d{4,5}\b")


class NamesBefore(Protocol):
    """What was found in files of code before."""

    def names_in(self, file: str) -> Set[bytes] | None:
        """The names that a file spells; None when nobody looked since it changed."""

    def keep(self, file: str, names: set[bytes]) -> None:
        """Keep what was found now."""


class CodeFiles:
    """The names that each file of code defines, and the words in capitals and numbers that it has."""

    def __init__(self, root: Path, files: Iterable[str], before: NamesBefore | None = None) -> None:
        self._root = root
        self._before = before
        self._names = [name for name in files if is_code(name)][:MOST_FILES]
        self._texts: dict[str, str] = {}

    def where(self, wanted: Collection[str], *, imported: bool = True) -> dict[str, list[str]]:
        """By name, the files that define or import it, or have it as a word in capitals or a number."""
        found: dict[str, list[str]] = {}
        needles = {each.encode("utf-8", "replace"): each for each in wanted}
        for name in self._names if needles else ():
            for each in needles.keys() & self._names_in(name, imported=imported):
                found.setdefault(needles[each], []).append(name)
        return found

    def text(self, name: str) -> str:
        """The text of a file; the last ones are kept, since claims about a file stand together."""
        if name not in self._texts:
            if len(self._texts) > _TEXTS:
                self._texts.clear()
            self._texts[name] = read_bytes(str(self._root / name)).decode("utf-8", "replace")
        return self._texts[name]

    def _names_in(self, name: str, *, imported: bool) -> Set[bytes]:
        before = self._before if imported else None
        known = before.names_in(name) if before else None
        if known is not None:
            return known
        data = read_bytes(os.path.join(self._root, name))  # noqa: PTH118 - twenty thousand times
        is_python = name.endswith((".py", ".pyi"))
        found = spelled_in(data, python=is_python, imported=imported) if len(data) <= MOST_BYTES else set()
        if before:
            before.keep(name, found)
        return found


def is_code(name: str) -> bool:
    """Whether a file is code or settings, and neither prose nor a lock file."""
    file = name.rpartition("/")[2].lower()
    ending = file.rpartition(".")[2]
    if file in _LOCKS or ending in _PROSE:
        return False
    return ending in LANGUAGES or ending in _SETTINGS or "." not in file or file.startswith(".env")


def names_in(data: bytes, *, python: bool = False, imported: bool = True) -> set[str]:
    """The names that a text of code defines, with its words in capitals and its numbers."""
    return {each.decode("ascii", "ignore") for each in spelled_in(data, python=python, imported=imported)}


def spelled_in(data: bytes, *, python: bool = False, imported: bool = True) -> set[bytes]:
    """The same as bytes, which is quicker where few of them are wanted."""
    lines = b"\n" + data + b"\n"
    found: set[bytes] = set()
    if python:
        for function, value, others in _PYTHON.findall(lines):
            found.update((function or value,) if not others else _IMPORTED.findall(others) if imported else ())
    else:
        found.update(name for match in _DEFINED.findall(lines) for name in match if name)
    found.update(_WORDS.findall(data))
    return found


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


def read_bytes(path: str) -> bytes:
    """What a file begins with, as much of it as is looked at and a byte more; nothing where it cannot be read."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - pathlib takes as long as reading
            return file.read(MOST_BYTES + 1)
    except OSError:
        return b""
