"""Rules that compare a bank with the repository around it: its commits, its lock files, the files it has."""

from collections.abc import Iterator

from msgspec import Struct

from memdown.claims import find, paths
from memdown.claims.grammar import PIN, is_doubtful
from memdown.claims.versions import agrees, folded
from memdown.diagnostics import Finding, first_line, rule
from memdown.dialects.bank.grammar import keeps_decisions
from memdown.dialects.bank.rules.common import is_layer
from memdown.errors import quote, way
from memdown.homes import bank_of, parts_of
from memdown.record import Around, Document
from memdown.text import Span


@rule("BNK058", "info")
def code_went_on(doc: Document) -> Iterator[Finding]:
    """Commits changed the code since the active context was last changed.

    The context is replaced at the end of a session, so later commits belong to a session that was not recorded. This
    rule uses git; without a repository, it reports nothing. In the examples, `repository` stands for git's answer.

    Bad (json repository):
        {"behind": {"memory-bank/activeContext.md": 12}}
    and memory-bank/activeContext.md:
        # Active Context

        ## Current Focus
        The import of workbooks.
    Good (json repository):
        {"behind": {"memory-bank/activeContext.md": 0}}
    and memory-bank/activeContext.md:
        # Active Context

        ## Current Focus
        The import of workbooks.
    """
    if doc.around is None or not is_layer(doc, "activeContext.md"):
        return
    commits = doc.around.behind(doc.path)
    if commits:
        count = "1 commit" if commits == 1 else f"{commits:,} commits"
        yield Finding(
            first_line(doc),
            f"{count} changed the code since activeContext.md was last changed; update it: {way('update --draft')}.",
        )


@rule("BNK059", "warning")
def another_version_is_locked(doc: Document) -> Iterator[Finding]:
    """The tech context names a version of a library, and the lock file has another.

    What is locked is what runs. The version may be written in part: `React 18` goes with 18.3.1.

    Bad (json repository):
        {"versions": {"fastapi": {"0.115.2": "uv.lock"}}}
    and memory-bank/techContext.md:
        # Tech Context

        ## Technology Stack
        - FastAPI 0.104
    Good (json repository):
        {"versions": {"fastapi": {"0.115.2": "uv.lock"}}}
    and memory-bank/techContext.md:
        # Tech Context

        ## Technology Stack
        - FastAPI 0.115
    """
    for each in other_versions(doc):
        yield Finding(
            each.span,
            f"{each.name} is {each.span.of(doc.text)} here and {each.locked} in {each.source}; write {each.locked}.",
        )


class OtherVersion(Struct, frozen=True):
    """A version in the tech context that is not the one that is locked."""

    span: Span
    name: str
    locked: str
    source: str
    is_bound: bool
    """Whether the text only says from or up to which version, which may well be meant so."""


def other_versions(doc: Document) -> Iterator[OtherVersion]:
    """Versions that disagree with the lock files; none without a repository, or in another file of the bank."""
    if doc.around is None or not is_layer(doc, "techContext.md"):
        return
    locked = doc.around.versions() if PIN.search(doc.text) else {}
    for claim in find(doc) if locked else ():
        there = locked.get(folded(claim.target)) if claim.kind == "version" and not claim.dated else None
        if there and not any(agrees(claim.value, version) for version in there):
            version, source = next(iter(there.items()))
            is_bound = claim.value[0] in "<>" or len(there) > 1
            yield OtherVersion(claim.span, claim.target, version, source, is_bound)


@rule("BNK060", "info")
def path_is_not_there(doc: Document) -> Iterator[Finding]:
    """The text names a file or a folder that the repository does not have.

    It was moved or deleted, and readers will not find it. Only a path with a folder, written as
    code, counts; not one in the decision log, in an archive, or in a section of what was done or is planned.

    Bad (json repository):
        {"paths": ["src", "src/db", "src/db/pool.py"]}
    and memory-bank/systemPatterns.md:
        # System Patterns

        ## Key Components
        - `src/db/connections.py` holds the pool.
    Good (json repository):
        {"paths": ["src", "src/db", "src/db/pool.py"]}
    and memory-bank/systemPatterns.md:
        # System Patterns

        ## Key Components
        - `src/db/pool.py` holds the pool.
    """
    if doc.around is None or _is_history(doc.path):
        return
    for claim in paths(doc):
        is_code = doc.text[claim.span.start - 1 : claim.span.start] == "`"
        if (
            is_code
            and not is_doubtful(claim.target)
            and not claim.dated
            and _may_be_here(claim.target, doc.around)
            and not _is_there(claim.target, doc)
        ):
            yield Finding(
                claim.span,
                f"The repository has no {quote(claim.target)}; correct the path, or remove the statement.",
            )


def _is_history(path: str) -> bool:
    *folders, name = (part.lower() for part in parts_of(path))
    aside = {"archive", "archives", "archived", "adr", "adrs", "decisions"}.intersection(folders)
    return keeps_decisions(path) or bool(aside) or any(word in name for word in ("changelog", "history", "plan"))


def _may_be_here(path: str, around: Around) -> bool:
    """Whether a path is one of this repository: a folder, or a file in one that is hidden, may as well be elsewhere."""
    parts = path.rstrip("/").split("/")
    if ".." in parts or len(parts) == 1 or not around.paths():
        return False
    return parts[0] in around.paths() or (
        not path.endswith("/") and "." in parts[-1] and not {".", "@"}.intersection(parts[0])
    )


def _is_there(path: str, doc: Document) -> bool:
    """Whether a path is there, from the root, from the bank, or below some other folder, as in a monorepo."""
    assert doc.around
    bare = path.rstrip("/")
    home = bank_of(doc.path)
    return doc.around.has(bare) or (home is not None and doc.around.has(f"{home}/{bare}"))
