"""The answers of the last run, kept in the index as long as neither memory nor code changed."""

import os
import stat
from collections.abc import Iterable, Sequence

import msgspec

from memdown import VERSION
from memdown.evidence import statements
from memdown.hashes import blake2b
from memdown.index import Index, handle
from memdown.index.digests import Digests
from memdown.index.sqlite import NAME
from memdown.project import SETTINGS_FILE, Project
from memdown.record import UNTRUE, Statement
from memdown.store.state import STATE
from memdown.store.tree import Tree

_HASH = 7
_NOTE = """
insert into claimed (file, line, kind, target, sure, state, now, since)
select f.number, ?, ?, ?, ?, ?, ?, ? from file f where f.path = ?
on conflict (file, line, target) do update set state = excluded.state, now = excluded.now, since = excluded.since,
    found = case excluded.state when 'fresh' then found else '' end
"""
_TABLE = "create table verified (key text primary key, value blob, beside blob) without rowid"


def every(project: Project) -> list[Statement]:
    """Every claim of memory with its state: what was worked out for the same state of everything, else worked out now.

    What is no longer true is noted too, for searches and hooks that mark it.

    A project without an index keeps nothing: to make one takes longer than to look claims up again.
    """
    if not (project.root / STATE / NAME).exists():
        return statements.every(project)
    index = handle.indexed(project)
    key = _state(project, index)
    connection = index.connection
    known = connection.execute("select 1 from sqlite_master where name = 'verified'").fetchone()
    row = connection.execute("select * from verified where key = ?", (key,)).fetchone() if known else None
    if row and _is_same_beside(row[2:]):
        return msgspec.msgpack.decode(row[1], type=list[Statement])
    digests = Digests(project, connection)
    value = statements.every(project, digests.documents(), digests)
    with handle.indexed(project).writing() as db:
        digests.write(db)
        beside = msgspec.msgpack.encode({path: _state_of(path) for path in sorted(digests.beside)})
        db.execute("drop table if exists verified")
        db.execute(_TABLE)
        db.execute("insert into verified values (?, ?, ?)", (key, msgspec.msgpack.encode(value), beside))
        db.execute("delete from claimed where kind <> 'path'")
        db.executemany(_NOTE, [_noted(each) for each in value if each.state in UNTRUE or each.kind == "path"])
    return value


def _noted(each: Statement) -> tuple[str | int | float, ...]:
    found = (each.state, each.now or "", (each.commit or "")[:_HASH])
    return each.line, each.kind, each.target, each.sure, *found, each.path


def _state(project: Project, index: Index) -> str:
    """A hash of all that the answers depend on: the last commit, git's index, what differs, memory, the day."""
    repository = project.repository
    day = project.now().date().isoformat()
    names = repository.differing() if repository.is_known else Tree(project.root, None).names
    digest = blake2b(f"{VERSION} {day} {repository.status}".encode("utf-8", "surrogateescape"))
    scan = index.whole_scan()
    digest.update(scan)
    for row in _seen(project, sorted({*names, *(() if scan else project.names()), SETTINGS_FILE, "pyproject.toml"})):
        digest.update(row)
    return digest.hexdigest()


def _is_same_beside(noted: Sequence[bytes]) -> bool:
    """Whether all is as it was that git's list of files says nothing of."""
    return bool(noted) and all(
        _state_of(path) == state for path, state in msgspec.msgpack.decode(noted[0], type=dict[str, str]).items()
    )


def _state_of(path: str) -> str:
    """How a file is; of a folder only that it is one, as nobody looks at what is in it."""
    try:
        found = os.stat(path) if os.path.exists(path) else os.lstat(path)  # noqa: PTH110, PTH116 - the end of a link
    except (OSError, ValueError):  # a name that no disk can have
        return "none"
    if stat.S_ISDIR(found.st_mode):
        return "folder"
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ino}"


def _seen(project: Project, names: Iterable[str]) -> Iterable[bytes]:
    for name in names:
        try:
            found = os.stat(os.path.join(project.root, name))  # noqa: PTH116, PTH118 - once for each file
            yield f"{name}\0{found.st_size} {found.st_mtime_ns} {found.st_ino}\n".encode("utf-8", "surrogateescape")
        except OSError:
            yield f"{name}\0none\n".encode("utf-8", "surrogateescape")
