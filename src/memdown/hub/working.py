"""What a working copy knows of its hub: under which name it is there, and which versions both had at last.

It stands in `.memdown/hub.json`. Losing it loses nothing: files that are the same are found to be so by their hashes,
and the others are merged as two that were added.
"""

from pathlib import Path

import msgspec
from msgspec import Struct

from memdown import git
from memdown.errors import Invalid, quote
from memdown.hub.store import ProjectFacts
from memdown.patterns import lazy
from memdown.project import Project
from memdown.store.state import STATE

FILE = "hub.json"
_REMOTE = lazy(r"(?:\w+://(?:[^@/]*@)?|(?:[^@/:]+@)?)([^/:]+)(?::\d+)?[:/]+(.+?)(?:\.git)?/*")


class HubState(Struct, kw_only=True):
    """One hub, as this working copy last saw it."""

    project: str
    revision: int = 0
    documents: dict[str, str] = {}
    """By path, the sha256 of the version that both had."""
    sending: dict[str, list[tuple[str, str]]] = {}
    """By path, the sha256 of what was here and of what was sent for it, as long as the hub has not acknowledged it."""
    lsn: str | None = None
    waiting: str | None = None
    """Since when a push waits for the hub to be up."""


def states(project: Project) -> dict[str, HubState]:
    """By the id of a hub. What cannot be read counts as unknown."""
    try:
        data = (project.root / STATE / FILE).read_bytes()
        return msgspec.json.decode(data, type=dict[str, HubState])
    except (OSError, ValueError, RecursionError):
        return {}


def remember(project: Project, id: str, state: HubState) -> None:
    with project.files.lock():
        known = {key: each for key, each in (states(project) | {id: state}).items() if key or not id}
        project.files.keep(FILE, msgspec.json.format(msgspec.json.encode(known)) + b"\n", "what the hub has")


def wait(project: Project, name: str) -> None:
    """Note that something is to be sent and the hub could not be reached."""
    now = project.now().isoformat(timespec="seconds")
    for id, state in (states(project) or {"": HubState(project=name)}).items():
        state.waiting = state.waiting or now
        remember(project, id, state)


def waiting(project: Project) -> str | None:
    """Since when something waits to be sent."""
    return min((each.waiting for each in states(project).values() if each.waiting), default=None)


def last_push(project: Project) -> str | None:
    """Where the log of the hub was after the last push from here; None where there are several hubs, or no push."""
    known = [each.lsn for each in states(project).values() if each.lsn]
    return known[0] if len(known) == 1 else None


def check_project(name: str) -> str:
    """A name that a project may have on a hub."""
    if not name.strip() or "*" in name or not name.isprintable() or len(name) > 300:
        raise Invalid(f"{quote(name)} is not a project name; write it like github.com/acme/shop.")
    return name.strip()


def name_of(project: Project, given: str | None) -> str:
    """What a project is called on hubs: as given, as before, as its origin is called, else as its folder."""
    if given is not None:
        return check_project(given)
    known = {each.project for each in states(project).values()}
    if len(known) == 1:
        return known.pop()
    found = origin(project.root)
    return found or project.root.name or "memory"


def origin(root: Path) -> str | None:
    """The repository that git calls origin, as github.com/acme/shop; below its top, with the folder."""
    url = git.setting(root, "remote.origin.url")
    match = _REMOTE.fullmatch(url.strip()) if url else None
    if match is None or not _is_host(match[1]):
        return None
    below = git.output(root, "rev-parse", "--show-prefix").strip().strip("/")
    return "/".join(filter(None, (match[1].lower(), match[2].strip("/"), below)))


def _is_host(name: str) -> bool:
    return "." in name.strip(".")


def facts(project: Project, commit: str | None = None) -> ProjectFacts:
    """Where files of the repository can be looked at."""
    if not git.is_repository(project.root):
        return ProjectFacts()
    url = git.setting(project.root, "remote.origin.url")
    match = _REMOTE.fullmatch(url.strip()) if url else None
    branch = git.output(project.root, "branch", "--show-current").strip()
    address = f"https://{match[1].lower()}/{match[2].strip('/')}" if match and _is_host(match[1]) else None
    return ProjectFacts(url=address, branch=branch or None, commit=commit)
