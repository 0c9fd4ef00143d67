"""What memory says of a file of the project, for who asks on the command line."""

import sqlite3

from msgspec import Struct

from memdown import git
from memdown.acts.recall import paths
from memdown.errors import Invalid
from memdown.index import questions
from memdown.index.lookup import Lookup
from memdown.index.standing import Standings, kept_by_hooks
from memdown.markdown.line_ends import split_lines
from memdown.project import Project


class PathMemory(Struct, frozen=True):
    """A record that concerns a file."""

    id: str
    kind: str
    path: str
    line: int
    title: str
    claim: str
    """What it says, on one line."""
    reason: str | None
    why: str
    """Why it is listed."""
    standing: str | None
    """What speaks against relying on it, as that it is uncommitted."""
    states: list[str] = []
    """What of it is no longer true, as verifying says; empty when all holds."""


def for_path(project: Project, path: str) -> list[PathMemory]:
    """Records in force that concern a file, which need not be there yet, the most specific first.

    What names it as it was called before it was renamed counts, too.
    """
    name = project.files.name_of(path)
    if not name:
        raise Invalid("the project's folder is not a file; name a file or folder in it.")
    project.files.path(name)
    if not project.has_files():
        return []
    root = str(project.root)
    limits = project.config.layers
    aging = limits.aging_days, limits.legacy_stamps
    earlier = git.earlier_names(project.root, name)

    def asked(db: sqlite3.Connection) -> list[PathMemory]:
        with kept_by_hooks(root) as kept:
            return listed(db, Standings(root, aging, kept))

    def listed(db: sqlite3.Connection, standings: Standings) -> list[PathMemory]:
        lookup = Lookup(db, root, behind=False)
        found: dict[str, tuple[int, PathMemory]] = {}
        for called in dict.fromkeys((name, *earlier)):
            note = "" if called == name else f", as it was called {called}"
            for hit in paths.concerning(lookup, called):
                if called != name and hit.rank in (paths.FOLDER, paths.AREA):
                    continue  # where it is no more
                found.setdefault(hit.record.id, (hit.rank, _shown(hit, standings, called, note)))
        return [memory for _, memory in sorted(found.values(), key=lambda each: each[0])]

    return questions.of(project).ask(asked)


def _shown(hit: paths.PathHit, standings: Standings, name: str, called: str) -> PathMemory:
    record = hit.record
    standing = "; ".join(filter(None, (standings.of(record), standings.age(record))))
    file = name.rpartition("/")[2]
    naming = next((each for each in split_lines(record.body) if file in each), "")
    claim = next(iter((record.claim(naming) if naming else []) or record.claim(record.body)), "")
    return PathMemory(
        *(record.id, record.kind, record.path, record.line, record.title or record.path),
        *(claim, record.reason or None, hit.why + called, standing or None),
    )
