"""What git knows of a file, through git's own command line. Where git knows nothing, so do we."""

import subprocess
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from memdown import times
from memdown.patterns import lazy
from memdown.text import decode
from memdown.times import Moment

_SECONDS = 60
_COMMIT = lazy(r"([0-9a-f]{40,64}) \d+ (\d+)(?: \d+)?")
_UNCOMMITTED = lazy(r"0+")


def line_moments(root: Path, name: str) -> dict[int, Moment]:
    """When each line of a file was written, by line from 0; empty when git does not know the file."""
    told = _git(root, "blame", "--porcelain", "--", name)
    found: dict[int, str] = {}
    facts: dict[str, dict[str, str]] = {}
    commit = ""
    for row in told.split("\n"):
        match = _COMMIT.fullmatch(row)
        if match:
            commit = match[1]
            found[int(match[2]) - 1] = commit
        elif row.startswith(("author-time ", "author-tz ")):
            key, _, value = row.partition(" ")
            facts.setdefault(commit, {})[key] = value
    moments = {commit: _moment(each) for commit, each in facts.items() if not _UNCOMMITTED.fullmatch(commit)}
    return {line: moment for line, commit in found.items() if (moment := moments.get(commit)) is not None}


def committed(root: Path, name: str) -> str | None:
    """The text of a file in the last commit; None when git does not know it."""
    return _git(root, "show", f"HEAD:./{name}") or None


def _moment(facts: dict[str, str]) -> Moment | None:
    zone = facts.get("author-tz", "+0000")
    minutes = int(zone[1:3]) * 60 + int(zone[3:5])
    place = timezone(timedelta(minutes=-minutes if zone[0] == "-" else minutes))
    at = datetime.fromtimestamp(int(facts["author-time"]), UTC).astimezone(place)
    return times.read(at.isoformat(timespec="seconds"))


def _git(root: Path, *args: str) -> str:
    """What a command of git prints; nothing when there is no git, or it has nothing to say."""
    command = ["git", "-C", str(root), "--no-optional-locks", "-c", "core.fsmonitor=false", *args]
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=_SECONDS, check=False)
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return ""
    return decode(done.stdout) if done.returncode == 0 else ""


def files(root: Path) -> list[str]:
    """Files below a folder that git tracks or would track, as they are on disk; none when git does not know it."""
    told = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    gone = frozenset(_git(root, "ls-files", "-z", "--deleted").split("\0")) if told else frozenset()
    return [name for name in told.split("\0") if name and name not in gone and not name.endswith("/")]
