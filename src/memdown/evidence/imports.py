"""How many files of code import each file, by the lines that import in any language.

A name is followed only where one file has it: of two files `config.py`, nobody can tell from a line which is meant.
"""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from memdown.evidence.codefiles import MOST_BYTES, MOST_FILES, read_bytes

_LINE = re.compile(
    rb"^[ \t]*(?:(?:import|from|use|using|include|require(?:_relative)?|mod|#[ \t]*include)\b[^\n]{0,300}"
    rb"|(?:export|const|let|var|\})[^\n]{0,200}?(?:\bfrom\b|\brequire\(|\bimport\()[^\n]{0,200})",
    re.M,
)
_ENDING = re.compile(rb"\.(?:[cm]?[jt]sx?|vue|svelte|h|hpp|hh|rb|php)$")
_CHAIN = re.compile(rb"[\w@.$/-]*[\w$]")
"""A path or a chain of names; of `crate::db::pool`, each part."""
_OF_FOLDER = frozenset(("index", "__init__", "mod", "main", "lib"))
"""Names of files that are imported by the name of their folder."""


def importers(root: Path, files: Sequence[str]) -> Counter[str]:
    """By file, how many others import it."""
    by_name: dict[bytes, list[str]] = {}
    for file in files[:MOST_FILES]:
        by_name.setdefault(_name(file), []).append(file)
    only = {name: found[0] for name, found in by_name.items() if len(found) == 1 and name}
    counts: Counter[str] = Counter()
    for file in files[:MOST_FILES]:
        data = read_bytes(f"{root}/{file}")
        lines = _LINE.findall(data) if len(data) <= MOST_BYTES else ()
        named = {_last(chain) for line in lines for chain in _CHAIN.findall(line)}
        counts.update(only[name] for name in named if name in only and only[name] != file)
    return counts


def _last(chain: bytes) -> bytes:
    """What a chain ends with: a line imports the module that it names last, and not the packages around it."""
    return re.split(rb"[./]", _ENDING.sub(b"", chain))[-1]


def _name(file: str) -> bytes:
    """The name that other files import a file by."""
    folder, _, last = file.rpartition("/")
    name = last.partition(".")[0]
    return (folder.rpartition("/")[2] if name in _OF_FOLDER else name).encode("utf-8", "surrogateescape")
