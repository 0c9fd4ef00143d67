"""Memory beyond the project, each place as an open index: assistants' files, your own memory, a team's, a company's.

Whoever asks closes them. Your own memory and sources that may be written have their own index; that of assistants'
files, and of what is only read, is kept in `.memdown/` of the project. Hooks and searches that start cold come through
here, so what reads files is loaded only when one changed. Nothing is ever fetched.
"""

import marshal
import os
import sqlite3
import stat

from memdown import homes
from memdown.errors import MemdownError, on_failure, quote
from memdown.index import Index, sync
from memdown.index.sqlite import Unusable, remove
from memdown.index.sync.scan import Scan, State, settings, state_of
from memdown.lazy import LazyModule

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from memdown import secrets
    from memdown.index import kept
else:
    secrets, kept = LazyModule("memdown.secrets"), LazyModule("memdown.index.kept")

ASSISTANT, PERSONAL = "assistant", "personal"
NEARNESS = {"": 1.0, ASSISTANT: 0.95, PERSONAL: 0.9, "team": 0.8, "company": 0.7}
"""What the best hit of a place counts, beside that of the project itself; the most specific comes first."""
FAULTS = (MemdownError, OSError, Unusable, sqlite3.Error)
"""Why a place may be passed over."""
Named = tuple[str, str, str, bool]
"""A source: its name, its folder, its level, whether it is only read."""
_SOURCES = """
select json_extract(value, '$.name'), json_extract(value, '$.path'), coalesce(json_extract(value, '$.level'), 'team'),
    coalesce(json_extract(value, '$.read_only'), 0)
from json_each(?)
"""
_AT_ONCE = 500_000
"""Bytes of assistants' files that are read within a limit of time."""
_MOST = 200
_SUFFIXES = (".md", ".mdc", ".txt")


class Place:
    """Where a hit may be from; `behind` says that files changed which its index does not have yet."""

    __slots__ = ("behind", "index", "level", "name", "root")

    def __init__(self, index: Index, root: str, level: str, name: str = "", *, behind: bool = False) -> None:
        self.index = index
        self.root = root
        self.level = level
        self.name = name
        self.behind = behind


def label(level: str, source: str) -> str:
    """What an assistant is told of where a record is from."""
    if level == ASSISTANT:
        return "rules of an assistant"
    return f"{level} memory" if source in ("", level) else f"{level} memory, source {source}"


def opened(
    root: str,
    sources: "Iterable[Named]",
    *,
    limit: float | None = None,
    tell: "Callable[[str], None]" = lambda _: None,
) -> "Iterator[Place]":
    """Every place that can be read, the most specific first, each open until the next is asked for.

    With a `limit`, in seconds of work, what cannot be read in that time is as it was, or left out.
    """
    for name, path, level, read_only in [("", root, ASSISTANT, True), *sources]:
        place = None
        try:
            if level == ASSISTANT:
                place = _assistants(root, limit, tell)
            elif read_only:
                place = _only_read(root, (name, path, level, read_only), limit)
            elif os.path.isdir(path):
                index, counts = sync.refresh(path, limit=limit, tell=tell)
                place = Place(index, path, level, name, behind=counts.get("left", 0) > 0)
            else:
                raise MemdownError(f"there is no folder {quote(path)}")
        except FAULTS as error:
            tell(f"the source {quote(name or 'assistant')} is skipped: {str(error).rstrip('.')}")
        if place is not None:
            try:
                yield place
            finally:
                place.index.close()


def listed(root: str) -> "list[Named]":
    """Your own memory, where there is some, and the sources of a project, the most specific first."""
    found: list[Named] = []
    home = homes.personal_home()
    if os.path.isdir(home) and os.path.realpath(home) != os.path.realpath(root) and homes.holds_memory(home):
        found.append((PERSONAL, home, PERSONAL, False))
    try:
        with open(os.path.join(root, ".memdown", "sources.json"), "rb") as file:
            text = file.read()
    except FileNotFoundError:
        return found
    db = sqlite3.connect(":memory:")
    try:
        rows = db.execute(_SOURCES, (text.decode("utf-8", "replace"),)).fetchall()
    finally:
        db.close()
    order = list(NEARNESS)
    named = [(str(name), str(path), str(level), bool(only)) for name, path, level, only in rows if name and path]
    return found + sorted(named, key=lambda each: order.index(each[2]) if each[2] in order else len(order))


def steers(text: str) -> bool:
    """Whether a text has characters that steer a terminal."""
    return any((char < " " and char not in "\t\n\r") or "\x7f" <= char <= "\x9f" for char in text)


def is_harmless(place: Place, where: str, text: str, tell: "Callable[[str], None]") -> bool:
    """Whether what a team or a company wrote may be shown: no credential, and nothing that steers a terminal."""
    if not place.name or place.level == PERSONAL:
        return True
    fault = "a credential" if secrets.find(text) else "control characters" if steers(text) else ""
    if fault:
        tell(f"{quote(where)} of the source {quote(place.name)} is left out: it has {fault}")
    return not fault


def _kept_path(root: str, name: str = "") -> str:
    """Where the index of a source that is only read is kept, or that of assistants' files."""
    return os.path.join(root, ".memdown", f"source-{name}.db" if name else "assistants.db")


def forget(root: str, name: str) -> None:
    """Delete the index that is kept of a source."""
    try:
        remove(_kept_path(root, name))
    except OSError:
        return  # it is derived, and nobody reads it any more


# Files of assistants


def files_of_assistants(root: str, tell: "Callable[[str], None]" = lambda _: None) -> "list[tuple[str, State]]":
    """The files in which assistants keep instructions and notes, with their states, in the order of their names.

    One whose name would steer a terminal, or forge a line of an answer, is left out, and that is told.
    """
    found: list[tuple[str, State]] = []
    for name in homes.ASSISTANTS:
        path = os.path.join(root, name)
        try:
            seen = os.stat(path)
        except OSError:
            continue
        if stat.S_ISREG(seen.st_mode):
            found.append((name, state_of(seen)))
        elif stat.S_ISDIR(seen.st_mode):
            found += _below(path, name)
    shown = [each for each in found if each[0].isprintable()]
    if len(shown) < len(found):
        first, *others = [name for name, _ in found if not name.isprintable()]
        so_are = f" (so are {len(others)} more)" if others else ""
        tell(f"{quote(first)} is left out, as its name has control or invisible characters; rename it{so_are}")
    return [each for each in shown if not _is_memory(each[0])]


def _below(path: str, name: str) -> "list[tuple[str, State]]":
    found: list[tuple[str, State]] = []
    for folder, folders, names in os.walk(path):
        folders.sort()
        below = os.path.relpath(folder, path).replace(os.sep, "/")
        for each in sorted(names):
            if each.endswith(_SUFFIXES):
                try:
                    state = state_of(os.stat(os.path.join(folder, each)))
                except OSError:
                    continue
                found.append((f"{name}/{each}" if below == "." else f"{name}/{below}/{each}", state))
                if len(found) == _MOST:
                    return found
    return found


def _is_memory(name: str) -> bool:
    """What memdown wrote itself, or what belongs to a memory bank kept there."""
    return name.rpartition("/")[2].startswith("memdown.") or homes.bank_of(name) is not None


def _assistants(root: str, limit: float | None, tell: "Callable[[str], None]") -> Place | None:
    files = files_of_assistants(root, tell)
    if not files:
        return None
    index = _current(_kept_path(root), marshal.dumps(files, 2))
    if index is not None and not index[1]:
        return Place(index[0], root, ASSISTANT)
    if limit is not None and sum(state[0] for _, state in files) > _AT_ONCE:
        return Place(index[0], root, ASSISTANT, behind=True) if index else None
    if index is not None:
        index[0].close()
    return Place(kept.of_assistants(root, _kept_path(root), files), root, ASSISTANT)


# What is only read


def _only_read(root: str, source: Named, limit: float | None) -> Place | None:
    name, path, level, _ = source
    if not os.path.isdir(path):
        raise MemdownError(f"there is no folder {quote(path)}")
    index = _current(_kept_path(root, name))
    if index is not None:
        with on_failure(index[0].close):
            meta = index[0].meta()
            scan = Scan(path, str(meta.get("homes", "")).split("\n"))
            same = meta.get("folder") == path and scan.simple and scan.signature() == meta.get("scan")
            behind = not same or meta.get("settings") != settings(path)
        if not behind or limit is not None:
            return Place(index[0], path, level, name, behind=behind)
        index[0].close()
    return Place(kept.of_source(root, _kept_path(root, name), path), path, level, name) if limit is None else None


def _current(path: str, stamp: bytes | None = None) -> "tuple[Index, bool] | None":
    """A kept index, and whether it is of other files than the stamp's; None when it has to be made."""
    try:
        index = Index.open(path)
    except Unusable:
        return None
    if index is None:
        return None
    with on_failure(index.close):
        if not index.outdated:
            return index, stamp is not None and index.noted("scan") != stamp
    index.close()
    return None
