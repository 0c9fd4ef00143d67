"""Where else memory is read from: your own folder, and folders or git repositories of a team or a company.

Which they are is kept in `.memdown/` of the project, on this machine only, so that no repository says what is read
here. Nothing is fetched but by `memdown source add` and `memdown source update`.
"""

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from memdown import git, homes
from memdown.errors import Exists, Invalid, NotFound, Stale, Unreadable, fault_of, nearest, quote, way
from memdown.git import proposal
from memdown.store.state import STATE, make_state_folder

LEVELS = ("team", "company")
"""Of sources that people add; the project itself and the personal memory are more specific."""
PERSONAL = "personal"
_FILE = "sources.json"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,60}")
_URL = re.compile(r"\A(?:[a-z][a-z0-9+.-]*://\S+|[\w.-]+@[\w.-]+:\S+)")
_MOST = 20


class Source(Struct, frozen=True):
    """A folder with memory of others."""

    name: str
    path: str
    url: str | None = None
    read_only: bool = False
    level: str = "team"


class SourceChange(Struct, frozen=True, tag="source"):
    """What became of the sources of a project, for whoever takes it back."""

    before: list[Source]
    after: list[Source]
    heads: dict[str, tuple[str, str]] = {}
    """By the folder of a clone that was updated: the commit that it had, and the one that it has."""


class BranchChange(Struct, frozen=True, tag="branch"):
    """What became of a branch in a source, for whoever takes it back."""

    path: str
    branch: str
    before: str
    """The commit that it ended at; empty where there was no such branch."""
    after: str


def personal() -> Source | None:
    """Your own memory, where there is some."""
    home = Path(homes.personal_home())
    return Source(PERSONAL, str(home), level=PERSONAL) if homes.holds_memory(str(home)) else None


def listed(root: Path) -> list[Source]:
    """The sources of a project, the most specific first; your own memory is not among them."""
    place = root / STATE / _FILE
    try:
        found = msgspec.json.decode(place.read_bytes(), type=list[Source])
    except FileNotFoundError:
        return []
    except (OSError, ValueError, RecursionError) as error:
        raise Unreadable(f"{place} cannot be read: {fault_of(error)}; delete it, and add the sources again") from None
    return sorted(found, key=lambda each: LEVELS.index(each.level) if each.level in LEVELS else len(LEVELS))


def find(root: Path, name: str) -> Source:
    """A source by its name."""
    known = {each.name: each for each in (personal(), *listed(root)) if each}
    if name not in known:
        near = nearest(name, known)
        hint = f"did you mean {' or '.join(near)}?" if near else f"{way('source list')} shows them."
        raise NotFound(f"There is no source {quote(name)}; {hint}")
    return known[name]


def add(root: Path, place: str, *, name: str | None, read_only: bool, level: str) -> Source:
    """Read from a folder, or from a clone of a repository that is made now."""
    is_url = bool(_URL.fullmatch(place))
    chosen = name or place.rstrip("/").removesuffix(".git").replace("\\", "/").rpartition("/")[2].rpartition(":")[2]
    if not _NAME.fullmatch(chosen) or chosen == PERSONAL:
        raise Invalid(
            f"{quote(chosen)} is not a name for a source; give one of letters, digits and hyphens with {way('--name')}."
        )
    there = listed(root)
    if any(each.name == chosen for each in there):
        raise Exists(
            f"There is a source {quote(chosen)} already; remove it first, or choose another name with {way('--name')}"
        )
    if len(there) >= _MOST:
        raise Invalid(f"There are {_MOST} sources already; remove one first.")
    path = _cloned(place, chosen) if is_url else _folder(root, place)
    source = Source(chosen, str(path), place if is_url else None, read_only, level)
    _save(root, [*there, source])
    return source


def remove(root: Path, name: str) -> Source:
    """Forget a source. A folder stays as it is; a clone that memdown made is put aside."""
    source = find(root, name)
    if source.level == PERSONAL:
        raise Invalid("Your personal memory is always read; delete its folder if you do not want it.")
    _save(root, [each for each in listed(root) if each.name != name])
    _put_aside(source)
    return source


def update(root: Path, names: Sequence[str]) -> tuple[list[Source], dict[str, tuple[str, str]]]:
    """Fetch what is new in clones: those named, or all. Which they are, and the commits of those that changed."""
    chosen = [find(root, name) for name in names] or [each for each in listed(root) if each.url]
    heads = {}
    for each in chosen:
        if not each.url:
            raise Invalid(f"{quote(each.name)} is a folder, which is read as it is; only clones are updated.")
        was = git.head(Path(each.path))
        git.pull(Path(each.path))
        if (now := git.head(Path(each.path))) != was:
            heads[each.path] = (was, now)
    return chosen, heads


def reverse(root: Path, change: SourceChange) -> SourceChange:
    """Make the sources what they were before a change; the change that this is."""
    wanted, now = {each.name: each for each in change.before}, {each.name: each for each in listed(root)}
    both = [each for each in change.before if each in change.after]
    ours = {each.name for each in (*change.before, *change.after) if each not in both}
    for each in change.before:
        if each.name in ours and each.name not in now and not Path(each.path).exists() and not _aside(each).exists():
            raise Stale(f"{quote(each.path)} is gone; {way('source add')} adds the source {quote(each.name)} again.")
    for path, (was, _) in change.heads.items():
        git.go_to(Path(path), was)
    kept = [each for name, each in now.items() if name not in ours]
    _save(root, [*kept, *(wanted[name] for name in sorted(ours & wanted.keys()))])
    for name in ours:
        if name in wanted and not Path(wanted[name].path).exists():
            _aside(wanted[name]).replace(wanted[name].path)
        elif name not in wanted and name in now:
            _put_aside(now[name])
    heads = {path: (now, was) for path, (was, now) in change.heads.items()}
    return SourceChange(change.after, change.before, heads)


def reverse_branch(change: BranchChange) -> BranchChange:
    """Make a branch what it was; the change that this is."""
    root = Path(change.path)
    if proposal.tip(root, change.branch) != change.after:
        raise Stale(f"the branch {change.branch} in {quote(change.path)} changed since, so it stays; delete it by hand")
    proposal.move(root, change.branch, change.before)
    return BranchChange(change.path, change.branch, change.after, change.before)


def _aside(source: Source) -> Path:
    """Where the clone of a source that was removed is kept, until another of its name is."""
    return Path(homes.personal_home()) / STATE / "sources" / ".removed" / source.name


def _put_aside(source: Source) -> None:
    clone, aside = Path(homes.personal_home()) / STATE / "sources" / source.name, _aside(source)
    if source.url and Path(source.path) == clone and clone.exists():
        shutil.rmtree(aside, ignore_errors=True)
        aside.parent.mkdir(parents=True, exist_ok=True)
        clone.replace(aside)


def _folder(root: Path, place: str) -> Path:
    path = Path(place).expanduser().absolute()
    if not path.is_dir():
        raise NotFound(f"There is no folder {quote(place)}; give a folder, or the URL of a git repository.")
    if path.resolve() == root.resolve():
        raise Invalid("A project cannot be its own source; give another folder.")
    return path.resolve()


def _cloned(url: str, name: str) -> Path:
    home = Path(homes.personal_home()) / STATE / "sources"
    target = home / name
    if target.exists():
        raise Exists(f"{quote(str(target))} already exists; choose another name with {way('--name')}")
    home.mkdir(parents=True, exist_ok=True)
    git.clone(url, target)
    return target


def _save(root: Path, sources: Sequence[Source]) -> None:
    folder = Path(make_state_folder(str(root)))
    text = msgspec.json.format(msgspec.json.encode(sources), indent=2)
    partial = folder / f"{_FILE}.{os.getpid()}.tmp"
    partial.write_bytes(text + b"\n")
    partial.replace(folder / _FILE)
