"""Work that git shows and the journal does not: files changed since the newest entry that no entry names."""

from collections.abc import Iterator
from datetime import datetime

from memdown import git
from memdown.dialects.journal import names
from memdown.git import Changed
from memdown.homes import SETTINGS
from memdown.memory.journal.place import JournalPlace
from memdown.record import Record


def undocumented(place: JournalPlace) -> list[Changed]:
    """Files changed since the commit before the newest entry that no entry since that commit names.

    The commit before: an entry is written before its files are committed. A journal without entries is measured
    against the last commit. Files of the memory are left out, and the settings that `memdown install` writes; without a
    journal there is nothing to tell.
    """
    root, home = place.root.root, place.home()
    kinds = {names.kind_of(name) for name in place.below()}
    if not kinds & {names.HISTORY, names.CHUNK}:
        return []
    edits = [record for document in place.documents() for record in document.records if record.kind == "edit"]
    dated = [edit.at.limits()[0] for edit in edits if edit.at]
    base = git.last_before(root, max(dated)) if dated else None
    beside = [home, ".memdown"]
    found = {each.path: each for each in git.pending(root, beside)}
    since = None
    if dated:
        found |= {each.path: each for each in _committed(place, base.commit if base else None, beside)}
        since = datetime.fromisoformat(base.date) if base else None
    named = {path for edit in edits if _counts(edit, since) for path in _paths(edit, str(root))}
    known = (path for path in sorted(found) if path not in SETTINGS)
    return [found[path] for path in known if not any(each in named for each in _spellings(path))]


def _committed(place: JournalPlace, base: str | None, beside: list[str]) -> list[Changed]:
    """Files that commits after one changed; all that git has when there is none."""
    root = place.root.root
    if base:
        return git.changed(root, base, beside)
    inside = tuple(f"{folder}/" for folder in beside)
    return [Changed(name, "added") for name in git.tracked(root) if not name.startswith(inside)]


def _counts(edit: Record, since: datetime | None) -> bool:
    """Whether an entry is about the time after a commit; one that tells only a day counts for all of that day."""
    if edit.at is None or since is None:
        return since is None
    return edit.at.limits()[1] >= since or (edit.at.precision == "day" and edit.at.local.date() >= since.date())


def _paths(edit: Record, root: str) -> Iterator[str]:
    for link in edit.links:
        if link.type == "file":
            yield link.target.removeprefix(f"{root}/").removeprefix("./").rstrip("/")


def _spellings(path: str) -> Iterator[str]:
    """The ways an entry may name a file: its path, the end of that from any folder on, or a folder above it."""
    parts = path.split("/")
    for number in range(len(parts)):
        yield "/".join(parts[number:])
        yield "/".join(parts[: number + 1])
