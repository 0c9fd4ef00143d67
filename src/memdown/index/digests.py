"""What was worked out about files before, kept in the index by their content: so a file that changed costs only itself.

Of a file of memory: its records, what it claims and what it asserts. Of a file of code: which names of memory it has.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Set

import msgspec
from msgspec import Struct

from memdown import VERSION, git
from memdown.evidence import digest
from memdown.evidence.codefiles import is_python
from memdown.evidence.digest import Digest
from memdown.hashes import blake2b
from memdown.project import Project
from memdown.record import Document

_TABLES = (
    "create table if not exists digested (path text primary key, key blob not null, value blob not null) without rowid",
    "create table if not exists named (key integer primary key, value blob not null)",
)


class _Named(Struct, frozen=True, array_like=True):
    """Which names were looked for in the code, and what was found of them."""

    version: str
    wanted: frozenset[bytes]
    found: dict[str, list[bytes]]
    """By what git calls the content of a file."""


_DECODER = msgspec.msgpack.Decoder(Digest)


class Digests:
    """Reads what was kept, and holds what is new until it is written."""

    def __init__(self, project: Project, connection: sqlite3.Connection) -> None:
        self._project = project
        self._db = connection
        have = {name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")}
        self._is_there = "digested" in have
        self._documents: list[tuple[bytes, Document]] = []
        self._objects = self._committed()
        self._named = self._kept_names() if "named" in have else None
        self._wanted: frozenset[bytes] | None = None
        self._names: dict[str, list[bytes]] = {}
        self.beside: set[str] = set()
        """Paths that answers depend on beside what git lists: what it ignores, submodules, other packages."""
        self._settings = f"{VERSION} {project.config.times.zones!r}"

    def documents(self) -> Iterator[Document]:
        """Every file that a dialect claims, parsed anew only where its text is another than before."""
        project = self._project
        names = project.names()
        project.read_ahead(names)
        keys = {name: self._key(name) for name in names}
        known = {name: found for name, key in keys.items() if (found := self._known(name, key))}
        anew = digest.documents(project, [name for name in names if name not in known])
        for name in project.progress(names, "reading"):
            if name in known:
                document = digest.restored(project, name, _DECODER.decode(known[name]))
            else:
                document = next(anew)
                self._documents.append((keys[name], document))
            if document.dialect is not None:
                yield document

    def _key(self, name: str) -> bytes:
        """A hash of what the digest of a file depends on."""
        path, text = self._project.config.canonical_path(name), self._project.text(name)
        whole = f"{self._settings}\0{path}\0{text}".encode("utf-8", "surrogatepass")
        return blake2b(whole, digest_size=16).digest()

    def _known(self, name: str, key: bytes) -> bytes | None:
        query = "select value from digested where path = ? and key = ?"
        row = self._db.execute(query, (name, key)).fetchone() if self._is_there else None
        return row[0] if row else None

    def names_in(self, file: str, wanted: Set[bytes]) -> Set[bytes] | None:
        """Those of the wanted names that a file of code has; None when they have to be looked for."""
        if self._wanted is None:
            self._wanted = frozenset(wanted)
            if self._named and not self._wanted <= self._named.wanted:
                self._named = None
        each = self._objects.get(file)
        kept = self._named.found.get(_kept_as(file, each)) if self._named and each else None
        if each and kept is not None:
            self._names[_kept_as(file, each)] = kept
            return self._wanted.intersection(kept)
        return None

    def keep(self, file: str, names: Set[bytes]) -> None:
        """Hold what was found in a file that is as in the last commit; others change too often."""
        each = self._objects.get(file)
        if each:
            self._names[_kept_as(file, each)] = list(names)

    def _kept_names(self) -> _Named | None:
        row = self._db.execute("select value from named").fetchone()
        kept = msgspec.msgpack.decode(row[0], type=_Named) if row else None
        return kept if kept and kept.version == VERSION else None

    def looked_at(self, path: str) -> None:
        """Note a path that an answer depends on, and that git's list of files says nothing of."""
        self.beside.add(path)

    def write(self, db: sqlite3.Connection) -> None:
        """Write what is new, and forget files that are no more."""
        for table in _TABLES:
            db.execute(table)
        rows = ((each.path, key, msgspec.msgpack.encode(digest.made(each))) for key, each in self._documents)
        db.executemany("insert or replace into digested values (?, ?, ?)", rows)
        if self._wanted is not None:
            value = msgspec.msgpack.encode(_Named(VERSION, self._wanted, self._names))
            db.execute("insert or replace into named values (1, ?)", (value,))
        _forget(db, "digested", "path", self._project.names())

    def _committed(self) -> dict[str, str]:
        """What git calls the content of each file that is as in the last commit."""
        repository = self._project.repository
        if not repository.is_known:
            return {}
        differing = frozenset(repository.differing())
        found = git.files_at(self._project.root, "HEAD")
        return {name: each for name, each in found.items() if name not in differing}


def _kept_as(file: str, content: str) -> str:
    """By what the names of a file are kept: its content, and whether that is read as Python."""
    return f"{content} py" if is_python(file) else content


def _forget(db: sqlite3.Connection, table: str, column: str, there: Iterable[str]) -> None:
    known = {each for (each,) in db.execute(f"select {column} from {table}")}
    gone = known.difference(there)
    db.executemany(f"delete from {table} where {column} = ?", ((each,) for each in gone))
