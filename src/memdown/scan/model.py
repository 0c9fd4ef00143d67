"""What a scan finds: facts, each with the file it is from; and the few questions all ecosystems ask of a tree."""

import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, structs

from memdown.patterns import lazy
from memdown.store.tree import MOST_LOCKED_BYTES, Tree
from memdown.text import shorten

LONGEST = 300
MOST_MANIFESTS = 60
LONGEST_LINE = 2000

_ASIDE = frozenset(
    "test tests __tests__ testing testdata spec specs fixture fixtures __fixtures__ mocks example examples sample"
    " samples demo demos doc docs documentation template templates playground playgrounds benchmark benchmarks bench"
    " e2e scaffold boilerplate snapshots website".split()
)
"""Folders whose manifests are not about the project itself."""


class Fact(Struct, frozen=True):
    """Something a file says."""

    value: str
    source: str
    name: str = ""
    """What it is about: a tool, a role, a variable."""


class Library(Struct, frozen=True):
    """Something the project depends on."""

    name: str
    version: str
    """Exact when a lock file says so, else what the manifest asks for; empty when neither does."""
    source: str
    use: str = "runtime"
    """"runtime", "optional" or "development"."""
    required: str = ""
    """What the manifest asks for, when the version is that of a lock file."""


class ScanResult(Struct):
    """What one kind of file says; the scan puts these together."""

    names: list[Fact] = []
    summaries: list[Fact] = []
    licences: list[Fact] = []
    libraries: list[Library] = []
    commands: list[Fact] = []
    """`name` is build, test, lint, dev or deploy."""
    steps: list[Fact] = []
    """How dependencies are installed."""
    requirements: list[Fact] = []
    """Versions of languages and tools that are required."""
    members: list[Fact] = []
    """Packages; `name` says of which kind."""
    entries: list[Fact] = []
    """Where programs begin."""
    conventions: list[Fact] = []
    services: list[Fact] = []
    """Containers beside the project; `name` is the service."""
    places: list[Fact] = []
    """Where and how it runs."""
    pipelines: list[Fact] = []
    variables: list[Fact] = []
    """Environment variables; the value is what a comment says of it."""


def merged(parts: Iterable[ScanResult]) -> ScanResult:
    """All of them, each fact once."""
    whole = ScanResult()
    for part in parts:
        for field in structs.fields(ScanResult):
            together = dict.fromkeys((*getattr(whole, field.name), *getattr(part, field.name)))
            setattr(whole, field.name, list(together))
    return whole


def clean(text: str, longest: int = LONGEST) -> str:
    """Text of a file as a line that can stand in Markdown: one line, nothing hidden, not too long."""
    line = " ".join(text.split())
    shown = "".join(char for char in line if char.isprintable()).strip()
    return shorten(shown, longest)


def tidy(text: str) -> str:
    """The lines of a program as patterns read them: one space between words, none around, no very long line.

    Then no pattern meets a run of white space, on which some would take for ever.
    """
    lines = (" ".join(line.split()) for line in text.split("\n") if len(line) <= LONGEST_LINE)
    return "\n".join(filter(None, lines))


def without(text: str, begin: str, end: str) -> str:
    """The text without what is between two marks; in one pass, however many marks are never closed."""
    kept, at = [], 0
    while (start := text.find(begin, at)) >= 0 and (stop := text.find(end, start + len(begin))) >= 0:
        kept.append(text[at:start])
        at = stop + len(end)
    return "".join((*kept, text[at:]))


def manifests(tree: Tree, *patterns: str) -> list[str]:
    """Files of the project with one of these names, the nearest to the root first."""
    found = (
        name
        for name in tree.names
        if any(fnmatch.fnmatchcase(name.rpartition("/")[2], pattern) for pattern in patterns)
        and not any(_is_aside(part.lower()) for part in name.split("/")[:-1])
    )
    return [name for _, name in zip(range(MOST_MANIFESTS), found, strict=False)]


def _is_aside(folder: str) -> bool:
    return folder in _ASIDE or folder.startswith(("template-", "example-", "fixture-"))


def nearest_to_root(names: Iterable[str]) -> list[str]:
    """Those that no other of them stands above: their commands are the ones people type."""
    listed = list(names)
    least = min((name.count("/") for name in listed), default=0)
    return [name for name in listed if name.count("/") == least]


def folder_of(name: str) -> str:
    return name.rpartition("/")[0]


def beside(name: str, other: str) -> str:
    """The name of another file in the same folder."""
    folder = folder_of(name)
    return f"{folder}/{other}" if folder else other


def above(tree: Tree, name: str, *wanted: str) -> str | None:
    """The first of these files in the folder of a file, or else in the folders above it."""
    folder = folder_of(name)
    while True:
        for each in wanted:
            path = f"{folder}/{each}" if folder else each
            if path in tree:
                return path
        if not folder:
            return None
        folder = folder_of(folder)


def typed_in(name: str, command: str) -> str:
    """A command as it is typed at the root, for a manifest somewhere below it."""
    folder = folder_of(name)
    if not folder:
        return command
    safe = folder if re.fullmatch(r"[\w./@+-]+", folder) else "'" + folder.replace("'", "'\\''") + "'"
    return f"cd {safe} && {command}"


_PACKAGE = lazy(r"^\[\[package\]\]\s*$", re.M)
_KEY = lazy(r'^(name|version)\s*=\s*"([^"\n]{1,200})"', re.M)


def locked_packages(tree: Tree, lock: str) -> Iterator[tuple[str, str]]:
    """Names and versions in a lock file made of `[[package]]` tables. Read by line: such files are long."""
    text = tree.text(lock, MOST_LOCKED_BYTES) or ""
    for part in _PACKAGE.split(text)[1:]:
        facts = dict(reversed(_KEY.findall(part.partition("\n[")[0])))
        if "name" in facts and "version" in facts:
            yield facts["name"], facts["version"]


def library(
    name: str, required: str, manifest: str, locked: Mapping[str, str], lock: str | None, use: str = "runtime"
) -> Library:
    """A dependency with the version that is locked, else the one the manifest requires."""
    exact = locked.get(name, "")
    if exact and lock:
        return Library(clean(name, 100), clean(exact, 60), lock, use, clean(required, 60))
    return Library(clean(name, 100), clean(required, 60), manifest, use)


def add(facts: list[Fact], value: str, source: str, name: str = "") -> None:
    """A fact, unless there is nothing to say."""
    text = clean(value)
    if text:
        facts.append(Fact(text, source, name))
