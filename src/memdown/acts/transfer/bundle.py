"""Memory on its way between projects: bundles read and made, and incoming entries merged so that nothing is lost.

A bundle carries files as they are. One that is asked for some kinds only carries the text of those entries, each byte
of it, in files that hold nothing else.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator

import msgspec
from msgspec import Struct

from memdown.dialects import offered, offering
from memdown.dialects.finder import identity
from memdown.errors import Refused, Unreadable, fault_of, quote
from memdown.hashes import sha256
from memdown.limits import BUNDLE
from memdown.markdown import frontmatter
from memdown.patterns import lazy
from memdown.record import Document, Record
from memdown.store import check_name
from memdown.text import BOM, eol_of, gap, with_eol

VERSION = 1

_SECTION = lazy(r" {0,3}#{2,6}[ \t]")
_RULE = lazy(r"(?:-{3,})?")
_TITLE = lazy(r"(?:#[ \t].*|-{3,})?")
_HEAD = lazy(r"(?:#[ \t].*|-{3,}|<!--.*-->|>.*)?")


class BundleMember(Struct, frozen=True):
    """A file in a bundle."""

    path: str
    text: str


class BundleSkill(Struct, frozen=True):
    """A skill in a bundle: the name of its folder, and its text."""

    name: str
    text: str


class Bundle(Struct, frozen=True):
    """What is carried from one project to another."""

    files: tuple[BundleMember, ...] = ()
    skills: tuple[BundleSkill, ...] = ()
    records: tuple[Record, ...] = ()
    """The entries in the files, for other programs; an import reads the files."""
    unknown: tuple[str, ...] = ()
    """Keys that this version of memdown does not know."""
    left_out: int = 0
    """Skills that were not asked for."""


# Reading bundles


class _Own(Struct, frozen=True):
    memdown: int
    files: tuple[BundleMember, ...]
    skills: tuple[BundleSkill, ...] = ()
    records: tuple[dict[str, object], ...] = ()
    exported_at: str | None = None
    root: str | None = None


def unpack(text: str, name: str) -> Bundle:
    """The bundle in a text: memdown's own or a Squad export. `name` is how messages call it."""
    if len(text) > BUNDLE:
        raise Unreadable(f"{quote(name)} is larger than {BUNDLE >> 20} MB; export in parts with --kind")
    try:
        value = json.loads(text.removeprefix(BOM))
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{quote(name)} is not JSON: {fault_of(error)}") from None
    try:
        found = _understood(value, name) if isinstance(value, dict) else None
    except msgspec.ValidationError as error:
        raise Unreadable(f"{quote(name)} is not a bundle that can be read: {error}") from None
    if found is not None:
        return found
    raise Unreadable(f"{quote(name)} is neither a bundle of memdown nor a Squad export; `memdown export` writes one")


def _understood(value: dict[str, object], name: str) -> Bundle | None:
    if "memdown" in value:
        return _own(value, name)
    for dialect in offering("unpack"):
        if exported := offered(dialect, "unpack")(value, name):
            for agent in exported.agents:
                safe_name(agent, "agent")
            return Bundle(
                files=tuple(BundleMember(path, text) for path, text in exported.files()),
                skills=tuple(BundleSkill(skill_name(text), text) for text in exported.skills),
                unknown=exported.unknown,
            )
    return None


def _own(value: dict[str, object], name: str) -> Bundle:
    if value["memdown"] != VERSION or isinstance(value["memdown"], bool):
        found = quote(str(value["memdown"]))
        raise Refused(f"{quote(name)} is a bundle of version {found}; this memdown reads version {VERSION}")
    own = msgspec.convert(value, _Own)
    known = {field.name for field in msgspec.structs.fields(_Own)}
    return Bundle(files=own.files, skills=own.skills, unknown=tuple(sorted(set(value) - known)))


def safe_name(name: str, what: str) -> str:
    """A name that becomes a folder, when it is one name and a harmless one."""
    if "/" in name or "\\" in name:
        raise Refused(f"the {what} {quote(name)} in the bundle is refused: its name has a slash; rename it there")
    try:
        return check_name(name)
    except Refused as error:
        raise Refused(f"the {what} in the bundle is refused: {error}") from None


def skill_name(text: str) -> str:
    """The folder of a skill: the name in its front matter, else one made from its text."""
    front = frontmatter.read(text)
    entry = front.get("name") if front else None
    named = (entry.value.text or "").strip() if entry else ""
    return named or f"skill-{fingerprint(text)}"


# Making bundles


def part(document: Document, chosen: Iterable[Record]) -> str:
    """A text that holds some of a document's entries and nothing else."""
    return appended("", [record.span.of(document.text) for record in outermost(chosen)], eol_of(document.text))


# Merging


class Conflict(Struct, frozen=True):
    """Two that should be one: both are kept."""

    id: str | None
    title: str | None
    path: str
    """Where the one stands that was here."""
    kept: str
    """Where the one stands that came in."""
    message: str


class MergedFile(Struct, frozen=True):
    """A file after a merge."""

    text: str
    added: int
    skipped: int
    conflicts: tuple[Conflict, ...] = ()
    passages: int = 0
    """Stretches of prose between entries that were not here and were added."""


class FileThere:
    """What a place holds already, over all of its files: a log with its archives, an agent's histories."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self.texts: set[str] = set()
        self.identities: dict[object, Record] = {}
        self.lines: set[str] = set()
        for document in documents:
            self.lines.update(_lines(document.text))
            for record in document.records:
                self.texts.add(own_text(record, document.text))
                self.identities.setdefault(identity(record), record)


Parse = Callable[[str, str], Document]


def merge(there: Document, coming: Document, here: FileThere, parse: Parse, *, with_head: bool) -> MergedFile | None:
    """A log with the entries that came in at its end; None when they would not be read as entries there.

    What the head of the other file says about that file comes along when this one has none itself.
    """
    added: dict[str, None] = {}
    passages: list[str] = []
    conflicts: list[Conflict] = []
    skipped = 0
    in_head = True
    for record, passage in _parts(coming, offered(there.dialect, "passages")):
        in_head = in_head and record is None and not _SECTION.match(passage)
        if record is None:
            if _says_more(passage, here.lines, _RULE if with_head else _HEAD if in_head else _TITLE):
                passages.append(passage)
            continue
        own = own_text(record, coming.text)
        if own in here.texts or own in added:
            skipped += 1
            continue
        other = here.identities.get(identity(record))
        if other:
            conflicts.append(_conflict(record, other, there.path))
        added[own] = None
        passages.append(passage)
    text = appended(there.text, passages, eol_of(there.text))
    after = parse(there.path, text)
    read = {own_text(record, after.text) for record in after.records}
    before = {own_text(record, there.text) for record in outermost(there.records)}
    if not read.issuperset(added) or not read.issuperset(before):
        return None
    return MergedFile(text, len(added), skipped, tuple(conflicts), len(passages) - len(added))


def _parts(document: Document, passages: Callable[[str, str], Iterable[str]]) -> Iterator[tuple[Record | None, str]]:
    """Entries and the prose between them, in order; `passages` divides it."""

    def between(start: int, end: int) -> Iterator[tuple[None, str]]:
        return ((None, each) for each in passages(document.path, document.text[start:end].removeprefix(BOM)))

    entries = {record.span.start: record for record in outermost(document.records)}
    reached = 0
    for start, record in entries.items():
        yield from between(reached, start)
        yield record, record.span.of(document.text)
        reached = record.span.end
    yield from between(reached, len(document.text))


def says_nothing(text: str) -> bool:
    """Whether a file is as good as empty."""
    return not any(_lines(text))


def _says_more(passage: str, lines: set[str], silent: re.Pattern[str]) -> bool:
    """Whether a passage has a line that is not here yet and is not of a kind that says nothing in its place."""
    return any(line not in lines and not silent.fullmatch(line) for line in _lines(passage))


def _lines(text: str) -> Iterator[str]:
    """What the lines of a text say. A byte order mark says nothing wherever it stands: at the top it is no text."""
    return (line.strip().strip(BOM).strip() for line in with_eol(text, "\n").split("\n"))


def _conflict(record: Record, other: Record, path: str) -> Conflict:
    where = f"{other.path}:{other.line}"
    message = f"An entry with the same time, kind and title but different text is in {where}; both are kept."
    return Conflict(record.id, record.title, where, path, message)


def outermost(records: Iterable[Record]) -> list[Record]:
    """Records that stand in no other one, in order."""
    found: list[Record] = []
    for record in sorted(records, key=lambda each: (each.span.start, -each.span.end)):
        if not found or record.span.start >= found[-1].span.end:
            found.append(record)
    return found


def own_text(record: Record, text: str) -> str:
    """An entry's text for comparing: line ends, and rules that end it, do not count."""
    own = with_eol(record.span.of(text), "\n").rstrip()
    while own.endswith("\n---"):
        own = own[:-4].rstrip()
    return own


def appended(text: str, passages: Iterable[str], eol: str) -> str:
    """A text with passages at its end, an empty line before each."""
    pieces = [text]
    for passage in passages:
        pieces += gap(pieces[-1], eol), with_eol(passage, eol).strip("\r\n") + eol
    return "".join(pieces)


def apart(dialect: str | None, path: str, text: str) -> tuple[str, str]:
    """A name next to a file for another text of the same name, and that text; the same text gets the same name.

    Some dialects know a better way to keep two.
    """
    mark = f"imported-{fingerprint(text)}"
    stem, dot, suffix = path.rpartition(".")
    keep = offered(dialect, "apart")
    return (keep and keep(path, text, mark)) or (f"{stem}-{mark}{dot}{suffix}", text)


def fingerprint(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass"))[:8]
