"""Symbols by universal-ctags, where that is installed: what a name is inside of, and the lines that it goes over."""

import hashlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec

from memdown.evidence.symbols.languages import GRAMMARS
from memdown.evidence.symbols.model import CTAGS, SymbolDefinition, Symbols
from memdown.markdown.line_ends import split_lines

_SECONDS = 5.0
_COMMENT = re.compile(r"^(?://|#(?!\s*(?:define|include|if|el|end|pragma|un))|\*|/\*).*$")
_HASHED = re.compile(r"(?<!\s)\s+(?:#|//).*$")
_BODIES = frozenset("function method class interface struct trait module func singletonMethod".split())
_CLASSES = frozenset(("class", "interface", "struct", "trait"))


class _Tag(msgspec.Struct, frozen=True):
    name: str = ""
    kind: str = ""
    line: int = 0
    end: int = 0
    scope: str = ""
    inherits: str | bool = ""


@cache
def program() -> str | None:
    """Where universal-ctags is that writes JSON; the older ctags of some systems cannot."""
    found = shutil.which("ctags") or shutil.which("universal-ctags")
    return found if found and "json" in _output(found, "--list-features") else None


class CtagsReader:
    """Symbols by ctags, a process for each text."""

    def reads(self, ending: str) -> bool:
        return ending in GRAMMARS and program() is not None

    def read(self, ending: str, text: bytes, names: Sequence[str]) -> Symbols | None:
        """What a text defines; None when ctags cannot tell. It never says that it understood all of it."""
        ctags = program()
        if ctags is None or ending not in GRAMMARS:
            return None
        with tempfile.TemporaryDirectory(prefix="memdown-") as folder:
            place = Path(folder) / f"text.{ending}"
            place.write_bytes(text)
            # --options=NONE: settings of the project or of the user may load more than names.
            printed = _output(ctags, "--options=NONE", "--output-format=json", "--fields=+neiKs", "-f-", str(place))
        lines = text.decode("utf-8", "replace").split("\n")
        tags = [_tag(row) for row in split_lines(printed)]
        found = [_definition(tag, lines, frozenset(names)) for tag in tags if tag.name]
        return Symbols(found, False, CTAGS) if found else None

    def close(self) -> None:
        """Nothing stays open."""


def _definition(tag: _Tag, lines: Sequence[str], wanted: frozenset[str]) -> SymbolDefinition:
    scope = re.sub(r"::|[#/\\]", ".", tag.scope)
    name = ".".join(filter(None, (*scope.split("."), tag.name)))
    is_body = tag.name in wanted and tag.kind in _BODIES and tag.end >= tag.line > 0
    body = _hash(lines[tag.line - 1 : tag.end]) if is_body else None
    return SymbolDefinition(name, body, tag.kind in _CLASSES and bool(tag.inherits))


def _hash(lines: Sequence[str]) -> str:
    bare = (_COMMENT.sub("", _HASHED.sub("", line.strip())) for line in lines)
    words = " ".join(" ".join(each.split()) for each in bare if each)
    return hashlib.blake2b(words.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _tag(row: str) -> _Tag:
    try:
        return msgspec.json.decode(row, type=_Tag)
    except ValueError:  # a line that tells of something else
        return _Tag()


def _output(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace")
