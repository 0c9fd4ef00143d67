"""Making the indexes of what is only read: files of assistants, and sources in which nothing may be written."""

import marshal
import sqlite3
import time
from collections.abc import Iterable
from pathlib import Path

from memdown.dialects import DIALECTS, relations
from memdown.errors import MemdownError
from memdown.hashes import blake2b
from memdown.index import Index
from memdown.index.rows import Rows
from memdown.index.sqlite import Unusable, remove
from memdown.index.sync.scan import Scan, State, settings
from memdown.index.sync.update import is_racy
from memdown.index.sync.writer import relate
from memdown.project import Project
from memdown.record import Document
from memdown.settings import config
from memdown.sources import assistants
from memdown.store.state import make_state_folder
from memdown.text import encode

_UNKNOWN: State = (0, 0, 0, 0)


def of_assistants(root: str, kept: str, files: list[tuple[str, State]]) -> Index:
    """An index of files of assistants, kept in a file of `.memdown/`."""
    started = time.time_ns()
    documents = assistants.documents(Path(root), [name for name, _ in files])
    sure = not any(is_racy(state, started) for _, state in files)
    return _made(root, kept, documents, dict(files), scan=marshal.dumps(files, 2) if sure else b"")


def of_source(root: str, kept: str, path: str) -> Index:
    """An index of a source, kept in the project that reads it."""
    settled = config.load_leniently(Path(path))
    homes = [home for dialect in DIALECTS for home in settled.read_homes(dialect)]
    scan, settled_by = Scan(path, homes), settings(path)
    with Project(Path(path), settings=settled) as other:
        documents = other.documents()
    states = scan.states()
    sure = scan.simple and not any(is_racy(state, scan.started) for state in states.values())
    signature = scan.signature() if sure else b""
    noted = {"folder": path, "homes": "\n".join(homes), "settings": settled_by}
    return _made(root, kept, documents, states, scan=signature, **noted)


def _made(
    root: str, path: str, documents: Iterable[Document], states: dict[str, State], **noted: str | int | bytes
) -> Index:
    """The index in its file; in memory where nothing can be written, or another process writes it just now."""
    try:
        make_state_folder(root)
        index = _opened(path)
    except (MemdownError, OSError, sqlite3.Error):
        index = Index.in_memory()
    try:
        _fill(index, documents, states, noted)
    except sqlite3.OperationalError:
        index.close()
        index = Index.in_memory()
        _fill(index, documents, states, noted)
    index.outdated = False
    return index


def _opened(path: str) -> Index:
    try:
        found = Index.open(path, make=True)
    except Unusable:
        remove(path)
        found = Index.open(path, make=True)
    if found is None:
        raise MemdownError(f"{path} cannot be made")
    return found


def _fill(
    index: Index, documents: Iterable[Document], states: dict[str, State], noted: dict[str, str | int | bytes]
) -> None:
    with index.writing() as connection:
        index.clear()
        rows = Rows(connection, relations.expires)
        for number, document in enumerate(documents, 1):
            digest = blake2b(encode(document.text), digest_size=16).digest()
            rows.add(number, document, (*states.get(document.path, _UNKNOWN), digest, 0))
        rows.flush()
        index.add_indexes()
        relate(connection)
        index.remember(**noted)
