"""How records came here, as git tells it: merged and by whom, pulled from somebody else, on an unmerged branch.

Asked when the index is brought up to date and something changed, and kept in it, so that no hook waits for git. Along
the first parents of the last commit, the lines of a merge are the merge's. Lines that only divide a text are nobody's:
the next entry brings some, which stand in the one before. What a shallow clone has no commits for is not known.
"""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from memdown import git
from memdown.git.process import ENTRY, FIELD
from memdown.index.words import RULED
from memdown.patterns import lazy

_COMMITS = 500
"""How far back git is asked; what was there before is taken for settled."""
_FORMAT = f"--format={ENTRY}{FIELD.join(('%H', '%P', '%ae', '%an', '%ce'))}"
_FORGE = "noreply@github.com"
"""Who commits a pull request that was merged as one commit."""
_BLAMED = lazy(r"([0-9a-f]{40,64}) \d+ (\d+)(?: \d+)?")
_FILES = "select number, path, hex(digest) from file where dialect is not null order by mtime_ns desc"
_RECORDS = "select rowid, line, end_line, content is not null from record where file = ?"
_TRACED = "select key from traced where file = ?"


class Arrival(Struct, frozen=True):
    """A commit by which records came."""

    hash: str
    note: str
    """How, in a few words; empty for what the user committed."""
    settled: bool


def trace(db: sqlite3.Connection, root: Path, is_over: Callable[[], bool]) -> None:
    """Note for each record how it came, for the files where that may be another than before."""
    files = db.execute(_FILES).fetchall()
    homes = sorted({path.partition("/")[0] for _, path, _ in files})
    by_path = _arrivals(root, homes) if homes else {}
    for number, path, digest in files:
        found = by_path.get(path, [])
        key = " ".join((digest, *(f"{each.hash} {each.note}" for each in found[:1])))
        if db.execute(_TRACED, (number,)).fetchone() == (key,):
            continue
        if is_over():
            return  # the rest is noted the next time
        db.execute("delete from origin where record in (select rowid from record where file = ?)", (number,))
        if any(each.note for each in found):
            db.executemany("insert into origin values (?, ?, ?)", _noted(db, root, number, path, found))
        db.execute("insert or replace into traced values (?, ?)", (number, key))


def _noted(
    db: sqlite3.Connection, root: Path, number: int, path: str, found: list[Arrival]
) -> Iterator[tuple[int, str, bool]]:
    records = db.execute(_RECORDS, (number,)).fetchall()
    # The last commit brought a file of one record, but of several it may only have divided the text anew.
    asked = not all(alone for *_, alone in records) or len({each.note for each in found}) > 1
    lines = _blamed(root, path, {each.hash: each for each in found}) if asked else {}
    newest = sorted(lines.values(), key=found.index)[:1] if asked else found[:1]
    for rowid, first, last, alone in records:
        own = newest if alone else [lines[at] for at in range(first, last + 1) if at in lines]
        noted = [each for each in own if each.note]
        if noted:
            worst = min(noted, key=lambda each: (each.settled, found.index(each)))
            yield rowid, worst.note, worst.settled


def _blamed(root: Path, path: str, known: dict[str, Arrival]) -> dict[int, Arrival]:
    """By which commit each line that says something came, by line from 1.

    White space does not count: behind a last line without an end, the next entry begins with that end.
    """
    found: dict[int, Arrival] = {}
    at, came = 0, None
    for row in git.blame(root, path, "--first-parent", "-w"):
        if head := _BLAMED.fullmatch(row):
            at, came = int(head[2]), known.get(head[1])
        elif came and row.startswith("\t") and row.strip(RULED):
            found[at] = came
    return found


def _arrivals(root: Path, homes: list[str]) -> dict[str, list[Arrival]]:
    """The commits that brought each file as it is, the newest first."""
    printed = git.output(
        *(root, "log", f"-n{_COMMITS}", "--first-parent", "-m", "--name-only", "--relative", "-z", _FORMAT),
        *("--", *homes),
    )
    if not printed:
        return {}
    mine = (git.address(root) or "").casefold()
    branch, unmerged = _unmerged(root)
    found: dict[str, list[Arrival]] = {}
    for entry in printed.split(ENTRY)[1:]:
        head, _, names = entry.partition("\0")
        hash, parents, email, name, committer = map(git.one_line, head.split(FIELD))
        own = email.casefold() == mine
        settled = True
        if not parents:
            note = ""  # where history begins, or where a shallow clone ends
        elif hash in unmerged:
            note, settled = f"on branch {branch}, not merged", own
            note += "" if own else f", by {name}"
        elif " " in parents:
            note = f"merged by {name}"
        elif own or not mine:
            note = ""  # where nobody says who the user is, it may be the user
        else:
            note = f"by {name}, merged as a pull request" if committer == _FORGE else f"by {name}, pulled"
        arrival = Arrival(hash, note, settled)
        for path in names.split("\0"):
            if path.strip():
                found.setdefault(path.lstrip("\n"), []).append(arrival)
    return found


def _unmerged(root: Path) -> tuple[str, frozenset[str]]:
    """The branch, and those of its commits that the default branch does not have; none on that itself."""
    printed = git.output(
        *(root, "for-each-ref", "--format=%(refname:short)%00%(symref:short)%00%(HEAD)"),
        *("refs/heads", "refs/remotes/origin/HEAD"),
    )
    rows = [row.split("\0") for row in printed.split("\n") if row]
    branch = next((name for name, _, mark in rows if mark == "*"), "")
    remote = next((target for _, target, _ in rows if target), "")
    names = [name for name, *_ in rows]
    default = remote or next((name for name in ("main", "master") if name in names), "")
    if not default or branch == default.removeprefix("origin/"):
        return branch, frozenset()
    others = [default.removeprefix("origin/")] if default.removeprefix("origin/") in names else []
    listed = git.output(root, "rev-list", f"-n{_COMMITS}", "HEAD", "--not", default, *others)
    return branch or "that has no name", frozenset(listed.split())
