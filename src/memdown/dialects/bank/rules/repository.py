"""Rules that compare a bank with the repository around it: its commits, its lock files, the files it has."""

import re
from bisect import bisect_left
from collections.abc import Iterator

from msgspec import Struct

from memdown.claims.grammar import CODE, PIN
from memdown.claims.versions import agrees, constraint, folded
from memdown.diagnostics import Finding, first_line, rule
from memdown.dialects.bank.grammar import keeps_decisions, layer_of
from memdown.dialects.bank.rules.common import is_layer
from memdown.dialects.bank.sections import inherited, named, outline
from memdown.errors import quote, way
from memdown.homes import bank_of, parts_of
from memdown.patterns import lazy
from memdown.record import Around, Document
from memdown.text import Span

_WORD = lazy(r"[A-Za-z]+|->|→|~~|\d{4}-\d\d-\d\d")
_CHANGING = frozenset(
    "-> → ~~ from was were before after until since instead old legacy move moved moving obsolete add added proposed"
    " todo will should example such missing".split()
)
_CHANGING_BEGIN = tuple(
    "upgrad updat migrat bump previous former plan future delet remov renam drop deprecat replac creat generat".split()
)
"""Words, and how words begin, of lines about what was or will be."""

_PATH = lazy(r"(?:\./)?(?P<path>(?:[\w.+-]+/)+(?:[\w.+-]+\.(?P<ending>[A-Za-z]\w{0,6}))?)(?::\d+(?:-\d+)?)?", re.ASCII)
_ENDINGS = frozenset(
    "bash c cc cfg cjs conf cpp cs css csv dart ex exs go gradle graphql h hpp html ini ipynb java js json jsx kt kts"
    " less lua md mdc mdx mjs mts php prisma proto ps1 py pyi rb rs rst sass scala scss sh sql svelte swift tf toml ts"
    " tsx txt vue xml yaml yml zig".split()
)
_MADE = frozenset(
    ".git .next .nuxt .venv .cache __pycache__ node_modules vendor dist build out target coverage tmp temp logs venv"
    " env bin obj path to your example examples foo".split()
)
"""Folders that are generated, or that only an example has."""

_HISTORY = frozenset(("Completed", "Upcoming", "Milestones", "Recent Changes", "Next Steps", "Future Enhancements"))
"""Sections that tell what was, or will be."""

_NEAR = 120
"""How far words around a name count, so that a line without end takes no time without end."""


@rule("BNK058", "info")
def code_went_on(doc: Document) -> Iterator[Finding]:
    """Commits changed the code since the active context was last changed.

    The context is replaced at the end of a session, so commits after it are of a session that nobody wrote down.
    Git tells; where there is no repository, this rule is silent. In the examples, `repository` says what git would.

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
    for span in _prose(doc) if locked else ():
        for match in PIN.finditer(doc.text, span.start, span.end):
            there = locked.get(folded(match["name"]))
            if (
                there
                and not any(agrees(constraint(match), version) for version in there)
                and not _tells_of_change(doc, match)
            ):
                version, source = next(iter(there.items()))
                is_bound = match["more"] == "+" or any(sign in match["gap"] for sign in "<>")
                yield OtherVersion(
                    Span(*match.span("version")), match["name"], version, source, is_bound or len(there) > 1
                )


@rule("BNK060", "info")
def path_is_not_there(doc: Document) -> Iterator[Finding]:
    """The text names a file or a folder that the repository does not have.

    It was moved or deleted, and whoever follows the text looks for it in vain. Only a path with a folder, written as
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
    if doc.around is None or _is_history(doc.path) or not CODE.search(doc.text):
        return
    for span in _told_as_is(doc):
        for match in CODE.finditer(doc.text, span.start, span.end):
            path = _named_path(match[1], doc.around)
            if path and not _is_there(path, doc, doc.around) and not _tells_of_change(doc, match):
                yield Finding(
                    Span(*match.span(1)),
                    f"The repository has no {quote(path)}; correct the path, or remove what tells of it.",
                )


def _is_history(path: str) -> bool:
    *folders, name = (part.lower() for part in parts_of(path))
    aside = {"archive", "archives", "archived", "adr", "adrs", "decisions"}.intersection(folders)
    return keeps_decisions(path) or bool(aside) or any(word in name for word in ("changelog", "history", "plan"))


def _named_path(code: str, around: Around) -> str | None:
    """The path that a piece of code is; None when it may be something else."""
    match = _PATH.fullmatch(code)
    if not match:
        return None
    path = match["path"]
    parts = path.rstrip("/").split("/")
    if ".." in parts or _MADE.intersection(part.lower() for part in parts) or not around.paths():
        return None
    known_folder = parts[0] in around.paths()
    # A folder, or a file with an unusual ending, may as well be part of an address or the name of a package.
    is_file = match["ending"] is not None and match["ending"].lower() in _ENDINGS
    return path if known_folder or (is_file and "." not in parts[0]) else None


def _is_there(path: str, doc: Document, around: Around) -> bool:
    """Whether a path is there, from the root, from the bank, or below some other folder, as in a monorepo."""
    bare = path.rstrip("/")
    home = bank_of(doc.path)
    return around.has(bare) or (home is not None and around.has(f"{home}/{bare}"))


def _tells_of_change(doc: Document, match: re.Match[str]) -> bool:
    """Whether the line is about what was or will be, where another version or a missing file is right."""
    turns = doc.of(_turns)
    least, most = match.start() - _NEAR, match.end() + _NEAR
    for at in turns[bisect_left(turns, least) : bisect_left(turns, most)]:
        between = (at, match.start()) if at < match.start() else (match.end(), at)
        if not match.start() <= at < match.end() and doc.text.find("\n", *between) < 0:
            return True
    return False


def _turns(text: str) -> list[int]:
    """Where words stand that tell of a change."""
    found = []
    for match in _WORD.finditer(text):
        word = match.group().lower()
        if word in _CHANGING or word.startswith(_CHANGING_BEGIN) or word[0].isdigit():
            found.append(match.start())
    return found


def _prose(doc: Document) -> Iterator[Span]:
    """Where text is that is no code, in order."""
    return (block.span for block in doc.of(outline).blocks if block.kind in ("paragraph", "table"))


def _told_as_is(doc: Document) -> Iterator[Span]:
    """Text of sections that tell how things are, in order."""
    held = doc.of(outline)
    names = inherited(held.sections, named(held.sections, layer_of(doc.path)))
    at = -1
    for span in _prose(doc):
        while at + 1 < len(names) and held.sections[at + 1].head.start <= span.start:
            at += 1
        if at < 0 or names[at] not in _HISTORY:
            yield span
