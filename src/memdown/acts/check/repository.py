"""The repository around a memory, for rules that compare the two; and the findings of all rules with it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from memdown.acts.check import engine
from memdown.diagnostics import Diagnostic
from memdown.dialects import DIALECTS, offered
from memdown.homes import HOMES
from memdown.lazy import LazyModule
from memdown.project import Project
from memdown.record import COMMITTED, Document, Statement

if TYPE_CHECKING:
    from memdown import scan
    from memdown.claims import versions
    from memdown.index import elsewhere, verified
    from memdown.scan import changes
    from memdown.sources import assistants
    from memdown.store import tree
else:
    elsewhere, verified = LazyModule("memdown.index.elsewhere"), LazyModule("memdown.index.verified")
    assistants, versions = LazyModule("memdown.sources.assistants"), LazyModule("memdown.claims.versions")
    scan, changes, tree = (LazyModule(f"memdown.{name}") for name in ("scan", "scan.changes", "store.tree"))

SAID_TO_ASSISTANTS = "MD031"
_EXACT = frozenset(("go.mod", "npm-shrinkwrap.json", "package.resolved"))
"""Files with exact versions that are not called a lock."""


def check(root: Project, documents: Sequence[Document], chosen: engine.Selection, *, whole: bool) -> list[Diagnostic]:
    """What is wrong with documents, compared with the repository and its last commit too."""
    with root.snapshot():
        return _compared(root, documents, chosen, whole=whole)


def _compared(
    root: Project, documents: Sequence[Document], chosen: engine.Selection, *, whole: bool
) -> list[Diagnostic]:
    surround(root, documents, chosen)
    return [*beside(root, documents, chosen), *engine.check(documents, chosen, whole=whole)]


def surround(root: Project, documents: Sequence[Document], chosen: engine.Selection) -> None:
    """Let the rules of documents ask the repository."""
    around = Surroundings(root, verifies=chosen.verifies)
    for document in documents:
        if offered(document.dialect, "ASKS_REPOSITORY") or chosen.verifies:
            document.around = around


def is_seen_beside(dialect: str | None) -> bool:
    """Whether files of a dialect are compared with what is no memory."""
    return offered(dialect, "committed_part") is not None or bool(offered(dialect, "READ_WHOLE"))


def beside(root: Project, documents: Sequence[Document], chosen: engine.Selection) -> Iterator[Diagnostic]:
    """What shows when memory is compared with what is no memory: the last commit, and files of assistants."""
    yield from lost(root, documents, chosen)
    if chosen.wants(SAID_TO_ASSISTANTS):
        yield from _said_to_assistants(root, documents)


def _said_to_assistants(root: Project, documents: Sequence[Document]) -> Iterator[Diagnostic]:
    names = [name for name, _ in elsewhere.files_of_assistants(str(root.root))]
    theirs = list(assistants.documents(root.root, names)) if names else []
    own = [each for each in documents if offered(each.dialect, "READ_WHOLE")]
    if theirs and own:
        yield from engine.check([*theirs, *own], engine.Selection(select=(SAID_TO_ASSISTANTS,)))


def lost(root: Project, documents: Sequence[Document], chosen: engine.Selection) -> Iterator[Diagnostic]:
    """Entries of the last commit that a log does not have any more."""
    for log in documents:
        part_of, code = (offered(log.dialect, name) for name in ("committed_part", "LOST"))
        if part_of is None or part_of(log.path) != "log" or not chosen.wants(code):
            continue
        before = root.repository.committed(log.path) if root.repository.uncommitted([log.path]) else None
        if before is not None and log.dialect is not None:
            records = DIALECTS[log.dialect].read(log.path, before)
            old = Document(f"{COMMITTED}{log.path}", before, dialect=log.dialect, records=records)
            names = root.below(f"{log.path.rpartition('/')[0]}/archive")
            archived = [root.parsed(name) for name in names if part_of(name)]
            yield from engine.check([old, log, *archived], engine.Selection(select=(code,)))


class Surroundings:
    """What git and the disk say, asked once."""

    def __init__(self, root: Project, *, verifies: bool = False) -> None:
        self._root = root
        self._verifies = verifies
        self._homes = tuple(f"{home}/" for dialect in HOMES for home in root.config.read_homes(dialect))

    def paths(self) -> Collection[str]:
        return self._paths

    def is_bare(self) -> bool:
        return all(name.startswith(self._homes) for name in self._tree.names)

    def has(self, path: str) -> bool:
        if (self._root.root / path).exists() or path in self._paths:
            return True
        return any(name.endswith(f"/{path}") for name in self._by_name.get(path.rpartition("/")[2], ()))

    def versions(self) -> Mapping[str, Mapping[str, str]]:
        return self._versions

    def behind(self, path: str) -> int | None:
        since = changes.since(self._root.repository, [path], path.rpartition("/")[0])
        return len(since.commits) if since else None

    def statements(self, path: str) -> Sequence[Statement]:
        return self._statements.get(path, ()) if self._verifies else ()

    @cached_property
    def _statements(self) -> Mapping[str, Sequence[Statement]]:
        found: dict[str, list[Statement]] = {}
        for each in verified.every(self._root):
            found.setdefault(each.path, []).append(each)
        return found

    @cached_property
    def _tree(self) -> "tree.Tree":
        return tree.Tree(self._root.root, self._root.repository.files() or None)

    @cached_property
    def _paths(self) -> frozenset[str]:
        files = [name for name in self._tree.names if not name.startswith(self._homes)]
        found = set(files)
        for name in files:
            folder = name.rpartition("/")[0]
            while folder and folder not in found:
                found.add(folder)
                folder = folder.rpartition("/")[0]
        return frozenset(found)

    @cached_property
    def _by_name(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, list[str]] = {}
        for path in self._paths:
            found.setdefault(path.rpartition("/")[2], []).append(path)
        return found

    @cached_property
    def _versions(self) -> Mapping[str, Mapping[str, str]]:
        found: dict[str, dict[str, str]] = {}
        for each in scan.survey(self._tree).found.libraries:
            file = each.source.rpartition("/")[2].lower()
            if each.version and ("lock" in file or file in _EXACT):
                found.setdefault(versions.folded(each.name), {}).setdefault(each.version, each.source)
        return found
