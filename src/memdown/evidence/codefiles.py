"""Files of code, and the names that their lines define: patterns that fit any language, and fast."""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from functools import cached_property
from pathlib import Path
from typing import Protocol

from msgspec import Struct, msgpack

from memdown import git
from memdown.evidence import shares
from memdown.markdown.formats import Unread, read_json
from memdown.scan.catalog import LANGUAGES

MOST_FILES = 50_000
MOST_BYTES = 1_000_000
LEAST = 4_000
"""Files of code from which on other processes take a share."""
_SETTINGS = frozenset(
    "yaml yml toml json jsonc env ini cfg conf properties xml gradle tf service example sample".split()
)
_LOCKS = frozenset("package-lock.json yarn.lock pnpm-lock.yaml uv.lock poetry.lock cargo.lock composer.lock".split())
_PROSE = frozenset("md mdx mdc rst txt adoc html".split())
_READ = frozenset((*LANGUAGES, *_SETTINGS, "ipynb"))
_MARK, _WIDE_MARKS = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")
_TEXTS = 64
_OPEN = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_PART = 65_536
_MODIFIERS = (
    r"(?:(?:export|default|declare|public|private|protected|internal|static|final|abstract|async|pub(?:\([^)\n]{0,20}\))?"
    r"|unsafe|const|override|virtual|sealed|partial|open|data|inline|suspend|readonly|extern|local|get|set)[ \t]+){0,6}"
)
_KEYWORDS = (
    r"(?:def|class|function\*?|fn|func|interface|type|enum|struct|trait|module|namespace|record|object|protocol|const|let|var"
    r"|val|mod|union|typedef|macro_rules!|sub|#[ \t]*define|create[ \t]+(?:table|view|function|or replace function))"
)
_DEFINED = re.compile(
    rf"\n[ \t]*(?:(?:(?:module\.)?exports[ \t]*=[ \t]*)?{_MODIFIERS}{_KEYWORDS}[ \t]+"
    r"(?:\([^)\n]{0,80}\)[ \t]*)?(?:self\.)?[\"`]?([A-Za-z_$][\w$]*)"
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
_NUMBER = r"-?(?:0[xX][\da-fA-F_]{1,20}|\d[\d_.]{0,20}(?:[eE][+-]?\d{1,3})?)"
_VALUE = rf"{_NUMBER}|\"[^\"\n]{{0,80}}\"|'[^'\n]{{0,80}}'|True|False|true|false|None|null"
_ANNOTATION = r"[\w\[\], |.]{1,40}?|\"[^\"\n]{1,60}\"|'[^'\n]{1,60}'"
_SET = re.compile(rf"[\"']?[ \t]{{0,9}}(?::[ \t]?(?:{_ANNOTATION})[ \t]?)?[:=][ \t]{{0,9}}({_VALUE})")
_SPACED = bytes(each if each < 128 and (chr(each).isalnum() or each in b"_") else 32 for each in range(256))
"""Bytes with a space for each that is in no name."""
_FEW_WORDS = 8
"""Words whose lines are looked for one by one; of more, the whole text is looked at."""
_WORDS = re.compile(rb"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b\d{4,5}\b")


class NamesBefore(Protocol):
    """What was found in files of code before."""

    def names_in(self, file: str, wanted: Set[bytes]) -> Set[bytes] | None:
        """Those of the wanted names that a file has; None when nobody looked for all of them since it changed."""

    def keep(self, file: str, names: Set[bytes]) -> None:
        """Keep which of the wanted names were found now."""

    def looked_at(self, path: str) -> None:
        """Note a path that an answer depends on, and that git's list of files says nothing of."""


class CodeFiles:
    """The names that each file of code defines, and the words in capitals and numbers that it has."""

    def __init__(self, root: Path, files: Iterable[str], before: NamesBefore | None = None) -> None:
        self._root = root
        self._before = before
        self._names = [name for name in files if is_code(name)][:MOST_FILES]
        self._texts: dict[str, str] = {}
        self._values: dict[tuple[str, str], list[str]] = {}

    def where(
        self, wanted: Collection[str], *, imported: bool = True, valued: Collection[str] = ()
    ) -> dict[str, list[str]]:
        """By name, the files that define or import it, or have it as a word in capitals or a number.

        The values of those that are `valued` will be asked for, so that no file is read for them again.
        """
        needles = {each.encode("utf-8", "replace"): each for each in wanted}
        names = self._names if needles else []
        here = self._before_or_now(names, Search(frozenset(needles), frozenset(valued), imported))
        found: dict[str, list[str]] = {}
        for name in names:
            for each in here.get(name, ()):
                found.setdefault(needles[each], []).append(name)
        return found

    def _before_or_now(self, names: Iterable[str], search: "Search") -> dict[str, Set[bytes]]:
        """By file, those of the wanted names that it has."""
        before = self._before if search.imported else None
        found: dict[str, Set[bytes]] = {}
        unknown = []
        for name in names:
            known = before.names_in(name, search.wanted) if before else None
            if known is None:
                unknown.append(name)
            elif known:
                found[name] = known
        for name, known, values in self._looked_at(unknown, search):
            self._values.update(((name, each), here) for each, here in values.items())
            if before:
                before.keep(name, known)
            if known:
                found[name] = known
        return found

    def _looked_at(
        self, names: Sequence[str], search: "Search"
    ) -> Iterator[tuple[str, frozenset[bytes], dict[str, list[str]]]]:
        """What is found in files, those that are not checked out last."""
        left_out: list[str] = []
        count = shares.count() if len(names) >= LEAST else 1
        own, *others = (names[at::count] for at in range(count))
        root = os.fsencode(self._root)
        questions = [CodeShare(root, [os.fsencode(name) for name in part], search) for part in others]
        with shares.shared(__name__, questions) as begun:
            for part, share in zip((own, *others), (None, *begun), strict=True):
                answered = share.answer(list[Found | None]) if share else None
                for name, found in zip(part, answered or in_files(str(self._root), part, search), strict=True):
                    if found is None and name in self._left_out:
                        left_out.append(name)
                    else:
                        yield name, *(found or NOTHING)
        texts = git.texts_of(self._root, [self._left_out[name] for name in left_out])
        for name, text in zip(left_out, texts, strict=True):
            data = readable(text) if text is not None and len(text) <= MOST_BYTES else b""
            yield name, *in_text(name, data, search)

    def values(self, file: str, name: str) -> list[str]:
        """The plain values that lines of a file give to a name."""
        if (file, name) not in self._values:
            self._values[file, name] = values_of(self.text(file), name)
        return self._values[file, name]

    def text(self, name: str) -> str:
        """The text of a file; the last ones are kept, since claims about a file stand together."""
        if name not in self._texts:
            if len(self._texts) > _TEXTS:
                self._texts.clear()
            data = read_bytes(f"{self._root}/{name}") or self._committed(name) or b""
            self._texts[name] = readable(data).decode("utf-8", "replace")
        return self._texts[name]

    def unread(self, name: str) -> str:
        """Why nobody looked into a file; empty for one that was read.

        A sparse checkout leaves some out, and a partial clone their texts too.
        """
        if name in self._left_out and self._committed(name) is None:
            return "the file is not checked out"
        return "the file is too large to be looked at" if len(read_bytes(f"{self._root}/{name}")) > MOST_BYTES else ""

    def _committed(self, name: str) -> bytes | None:
        """The text of a file that is not checked out."""
        known = self._left_out.get(name)
        return next(git.texts_of(self._root, [known])) if known else None

    @cached_property
    def _left_out(self) -> dict[str, str]:
        """Files that are not checked out, with what git knows their texts by."""
        return git.not_checked_out(self._root)


class Search(Struct, frozen=True, array_like=True):
    """What is looked for in files of code."""

    wanted: frozenset[bytes]
    valued: frozenset[str]
    """Names whose values are wanted, too."""
    imported: bool
    """Whether a file of Python has what it imports."""


Found = tuple[frozenset[bytes], dict[str, list[str]]]
"""The wanted names that a file has, and the values that it gives to some."""
NOTHING: Found = (frozenset(), {})


class CodeShare(Struct, frozen=True, array_like=True):
    """Files of code, as the system spells their names."""

    root: bytes
    names: list[bytes]
    search: Search


def answer(given: bytes) -> list[Found | None]:
    """What is found in a share of the files."""
    share = msgpack.decode(given, type=CodeShare)
    return list(in_files(os.fsdecode(share.root), map(os.fsdecode, share.names), share.search))


def in_files(root: str, names: Iterable[str], search: Search) -> Iterator[Found | None]:
    """What is found in each of these files; None for one that is empty, or cannot be read."""
    for name in names:
        data = read_bytes(f"{root}/{name}")
        text = readable(data) if len(data) <= MOST_BYTES else b""
        yield in_text(name, text, search) if text else None


def in_text(name: str, data: bytes, search: Search) -> Found:
    """What is found in a text of code."""
    known = wanted_in(data, search.wanted, python=is_python(name), imported=search.imported)
    if not known:
        return NOTHING
    chosen = search.valued.intersection(each.decode("utf-8", "replace") for each in known) if search.valued else ()
    text = data.decode("utf-8", "replace") if chosen else ""
    return frozenset(known), {each: values_of(text, each) for each in chosen}


def is_code(name: str) -> bool:
    """Whether a file is code or settings, and neither prose nor a lock file."""
    file = name.rpartition("/")[2].lower()
    ending = file.rpartition(".")[2]
    if file in _LOCKS or ending in _PROSE:
        return False
    return ending in _READ or "." not in file or file.startswith(".env")


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


def wanted_in(data: bytes, wanted: frozenset[bytes], *, python: bool, imported: bool = True) -> frozenset[bytes]:
    """Those of these names that a text of code defines, or has as a word in capitals or a number.

    Most files have none of them as a word. Of one that has, only the lines with such a word are looked at.
    """
    words = wanted.intersection(data.translate(_SPACED).split())
    if b"$" in data:
        words |= {each for each in wanted if b"$" in each and each in data}
    if not words:
        return words
    if len(words) > _FEW_WORDS:
        return words & spelled_in(data, python=python, imported=imported)
    lines: dict[bytes, None] = {}
    for word in words:
        at = data.find(word)
        while at >= 0:
            begin = data.rfind(b"\n", 0, at) + 1
            end = data.find(b"\n", at)
            end = len(data) if end < 0 else end
            lines[data[begin:end]] = None
            at = data.find(word, end)
    return words & spelled_in(b"\n".join(lines), python=python, imported=imported)


def readable(data: bytes) -> bytes:
    """A text of code as patterns read it: in UTF-8 and without a mark, and of a notebook its cells of code."""
    if data[:3] == _MARK:
        data = data[3:]
    elif data[:2] in _WIDE_MARKS:
        data = data.decode("utf-16", "replace").encode("utf-8", "replace")
    return _cells(data) if data[:1] == b"{" and b'"nbformat"' in data else data


def _cells(data: bytes) -> bytes:
    """What the cells of code of a notebook say."""
    try:
        book = read_json(data.decode("utf-8", "replace"))
    except Unread:
        return data
    cells = book.get("cells") if isinstance(book, dict) else None
    texts = []
    for each in cells if isinstance(cells, list) else ():
        if isinstance(each, dict) and each.get("cell_type") == "code":
            source = each.get("source")
            texts.append("".join(map(str, source)) if isinstance(source, list) else str(source))
    return "\n".join(texts).encode("utf-8", "replace")


def is_python(name: str) -> bool:
    """Whether a file is one of Python."""
    return name.endswith((".py", ".pyi"))


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
        file = os.open(path, _OPEN)
    except OSError:
        return b""
    try:
        # By the system's own calls: a file object with room for the largest file takes four times as long.
        data = part = os.read(file, _PART)
        while len(part) == _PART and len(data) <= MOST_BYTES:
            part = os.read(file, _PART)
            data += part
        return data[: MOST_BYTES + 1]
    except OSError:
        return b""
    finally:
        os.close(file)
