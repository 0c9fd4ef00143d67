"""Files of code that matter and that memory does not name: changed often, imported by many, decided about once."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import timedelta

from msgspec import Struct

from memdown.claims import CodeClaim, find
from memdown.evidence import imports
from memdown.evidence.codefiles import CodeFiles
from memdown.evidence.in_force import MemoryInForce
from memdown.evidence.lookup import ClaimLookup
from memdown.evidence.paths import PathEvidence
from memdown.git.past import GitPast
from memdown.patterns import lazy
from memdown.project import Project
from memdown.record import Document
from memdown.scan.catalog import LANGUAGES

DAYS = 365
"""How far back changes count."""
_CHANGES, _IMPORTERS = 5, 3
"""From how many on a file was changed often, or is imported by many."""
_DEFINED = 2
"""Files that may define a name for it to say that memory tells of them."""
_ASIDE = lazy(
    r"(?:^|/)(?:tests?|__tests__|specs?|fixtures|mocks?|__mocks__|migrations|vendor|third_party)/"
    r"|(?:^|/)test_[^/]*$|[._](?:test|spec)\.\w+$"
)
"""Files that nobody looks up in memory."""


class UndocumentedFile(Struct, frozen=True):
    """A file of code that memory in force does not name, and why it should."""

    path: str
    changes: int
    """Commits of the last year that changed it."""
    imported_by: int
    decisions: int
    """Decisions that name it and are no longer in force."""
    why: list[str]


def undocumented(project: Project) -> list[UndocumentedFile]:
    """The files of code that memory does not name, those that matter most first."""
    with project.snapshot():
        memory = MemoryInForce(project)
        spoken = [(each.document, each.claim) for each in memory.claims()]
        lookup = ClaimLookup(project, [claim for _, claim in spoken])
        code = [name for name in lookup.code if _is_program(name)]
        known = _named(spoken, lookup.paths) | _defining(spoken, CodeFiles(project.root, code))
        decided = Counter(name for each in memory.documents for names in _decided(each, lookup.paths) for name in names)
        since = (project.now() - timedelta(days=DAYS)).date().isoformat()
        changes, importers = GitPast(project.root).change_counts(since), imports.importers(project.root, code)
        found = [
            _file(name, changes[name], importers[name], decided[name])
            for name in code
            if name not in known and name.rpartition("/")[0] not in known
        ]
    return sorted((each for each in found if each.why), key=lambda each: (-_weight(each), each.path))


def _is_program(name: str) -> bool:
    return name.rpartition(".")[2].lower() in LANGUAGES and not _ASIDE.search(name)


def _named(spoken: Iterable[tuple[Document, CodeClaim]], paths: PathEvidence) -> set[str]:
    """The files and folders that claims name."""
    found = set()
    for document, claim in spoken:
        place = claim.target.rpartition("::")[0] if claim.kind == "literal" else claim.target
        if place and (claim.kind in ("path", "quote", "literal") or (claim.kind == "symbol" and claim.value)):
            found.add(paths.find(place, document.path) or "")
    return found - {""}


def _defining(spoken: Iterable[tuple[Document, CodeClaim]], code: CodeFiles) -> set[str]:
    """The files that define the names which memory has, where there are few of them."""
    names = {claim.target.rpartition(".")[2] for _, claim in spoken if claim.kind == "symbol" and not claim.value}
    return {file for files in code.where(names, imported=False).values() if len(files) <= _DEFINED for file in files}


def _decided(document: Document, paths: PathEvidence) -> Iterator[set[str]]:
    """The files that each decision of a document names, in force or not."""
    decisions = [each for each in document.records if each.kind == "decision"]
    claims = find(document) if decisions else []
    starts = [each.span.start for each in claims]
    for record in decisions:
        inside = claims[bisect_left(starts, record.span.start) : bisect_left(starts, record.span.end)]
        yield _named(((document, each) for each in inside), paths)


def _file(name: str, changes: int, importers: int, decisions: int) -> UndocumentedFile:
    why = []
    if changes >= _CHANGES:
        why.append(f"changed {changes} times in a year")
    if importers >= _IMPORTERS:
        why.append(f"imported by {importers} files")
    if decisions:
        why.append(f"named in {decisions} {'decision' if decisions == 1 else 'decisions'} no longer in force")
    return UndocumentedFile(name, changes, importers, decisions, why)


def _weight(each: UndocumentedFile) -> int:
    """How much a file matters: a file that imports it or a decision about it counts as two changes."""
    return each.changes + 2 * each.imported_by + 2 * each.decisions
