"""What verifying needs to know of the files of memory: their records, what they claim and what they assert.

That takes most of the time of a first run, so the files of a large memory are shared among processes.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate

from msgspec import Struct, msgpack, structs

from memdown import dialects
from memdown.claims import CodeClaim, find, force
from memdown.claims.assertions import Assertion, spelled
from memdown.claims.find import reader_of
from memdown.evidence import shares
from memdown.limits.settings import DEFAULTS
from memdown.project import Project
from memdown.record import Document, Record

LEAST = 1_500
"""Files of memory, or as many times WEIGHT of characters, from which on other processes take a share."""
WEIGHT = 1_000
"""Characters that take as long as what each file takes beside its text."""


class Digest(Struct, frozen=True, array_like=True):
    """What was worked out about a file of memory; it depends on nothing but its place, its text and the settings."""

    dialect: str | None
    records: list[Record]
    claims: list[CodeClaim]
    assertions: list[Assertion]


class MemoryShare(Struct, frozen=True, array_like=True):
    """Files of memory, and what their records depend on beside their texts."""

    zones: dict[str, str]
    files: list[tuple[str, str, str | None]]
    """Name, text, and the path that a dialect would expect."""


def made(document: Document) -> Digest:
    """What is worked out about a file."""
    is_read = document.dialect is not None and not force.is_aside(document)
    claims, asserted = (find(document), document.of(spelled)) if is_read else ([], [])
    return Digest(document.dialect, list(document.records), claims, asserted)


def restored(project: Project, name: str, digest: Digest) -> Document:
    """A file of which all that was worked out before."""
    document = Document(
        *(name, project.text(name)),
        dialect=digest.dialect,
        records=digest.records,
        now=project.now(),
        settings=project.config,
        canonical_path=project.config.canonical_path(name),
    )
    document.keep(reader_of(document), digest.claims)
    document.keep(spelled, digest.assertions)
    return document


def answer(given: bytes) -> list[Digest]:
    """What is worked out about a share of the files."""
    share = msgpack.decode(given, type=MemoryShare)
    settings = structs.replace(DEFAULTS, times=structs.replace(DEFAULTS.times, zones=share.zones))
    return [
        made(dialects.parse(name, text, canonical_path=path, settings=settings)) for name, text, path in share.files
    ]


def documents(project: Project, names: Sequence[str]) -> Iterator[Document]:
    """These files, in their order, whether or not a dialect claims them."""
    own, *others = _parts(project, names)
    with shares.shared(__name__, [_share(project, each) for each in others]) as begun:
        for name in own:
            document = project.parsed(name)
            if others:
                made(document)
            yield document
        for part, share in zip(others, begun, strict=True):
            found = share.answer(list[Digest]) if share else None
            if found is None:
                yield from map(project.parsed, part)
            else:
                yield from (restored(project, *each) for each in zip(part, found, strict=True))


def _parts(project: Project, names: Sequence[str]) -> list[Sequence[str]]:
    """The names, in as many parts as processes may work on them, each with as much to do."""
    ends = list(accumulate(WEIGHT + len(project.text(name)) for name in names))
    count = shares.count() if ends and ends[-1] >= LEAST * WEIGHT and len(names) > 1 else 1
    parts: list[list[str]] = [[] for _ in range(count)]
    for name, end in zip(names, ends, strict=True):
        parts[(end - 1) * count // ends[-1]].append(name)
    return [parts[0], *filter(None, parts[1:])]


def _share(project: Project, names: Sequence[str]) -> MemoryShare:
    path = project.config.canonical_path
    return MemoryShare(project.config.times.zones, [(name, project.text(name), path(name)) for name in names])
