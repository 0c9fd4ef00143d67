"""What git knows of a file, through git's own command line. Where git knows nothing, so do we."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from memdown import times
from memdown.errors import Unreadable
from memdown.git import process as running
from memdown.git.process import FIELD, command_line, reading
from memdown.git.process import output as output
from memdown.lazy import LazyModule
from memdown.markdown.line_ends import split_lines
from memdown.patterns import lazy
from memdown.text import decode, encode
from memdown.times import Moment

if TYPE_CHECKING:
    import subprocess

    from memdown.git.process import Done as Done
else:
    subprocess = LazyModule("subprocess")

_COMMIT = lazy(r"([0-9a-f]{40,64}) \d+ (\d+)(?: \d+)?")
_UNCOMMITTED = lazy(r"0+")
_BLOCK = 1 << 16
_END = "that is all\n"
"""A line that names no commit, so that git repeats it behind the answer."""
_LONGEST_NAME = 1000
_FORMAT = f"--format={FIELD.join(('%H', '%ct', '%an', '%s'))}"
_ZONE = lazy(r"([+-])(\d\d)(\d\d)")
_DAY = 24 * 60
"""Minutes; a zone is less than one away."""
_LATEST = 253_402_300_799
"""The last second of a calendar."""
_AT_ONCE = 5000
"""Texts that are read together, so that a long history does not fill the memory."""


class Commit(Struct, frozen=True, gc=False):
    """One commit."""

    commit: str
    date: str
    """When it was made, in UTC."""
    author: str
    title: str


class Changed(Struct, frozen=True):
    """A file that differs from a commit."""

    path: str
    how: str
    """added, deleted, renamed or changed."""


_HOW = {"A": "added", "D": "deleted", "R": "renamed", "C": "added"}


class LineOrigin(Struct, frozen=True):
    """Who wrote a line, and when."""

    author: str
    at: Moment


def line_origins(root: Path, name: str) -> dict[int, LineOrigin]:
    """Who wrote each line of a file, by line from 0; a line that was moved, as it was first. Empty without git."""
    found: dict[int, str] = {}
    facts: dict[str, dict[str, str]] = {}
    commit = ""
    for row in blame(root, name, "-w", "-C", "-C"):
        match = _COMMIT.fullmatch(row)
        if match:
            commit = match[1]
            found[int(match[2]) - 1] = commit
        elif row.startswith(("author ", "author-time ", "author-tz ")):
            key, _, value = row.partition(" ")
            facts.setdefault(commit, {})[key] = value
    origins = {
        commit: LineOrigin(one_line(each["author"]), at)
        for commit, each in facts.items()
        if not _UNCOMMITTED.fullmatch(commit) and (at := _moment(each)) is not None
    }
    return {line: origins[commit] for line, commit in found.items() if commit in origins}


def blame(root: Path, name: str, *options: str) -> list[str]:
    """The rows of `git blame` for machines: of the lines as they are, not as `git diff` shows them to people."""
    return output(root, "blame", "--porcelain", "--no-textconv", *options, "--", name).split("\n")


def committed(root: Path, name: str) -> str | None:
    """The text of a file in the last commit; None when git does not know it."""
    return output(root, "show", f"HEAD:./{name}") or None


def _moment(facts: dict[str, str]) -> Moment | None:
    """When a line was written; a commit may say any number and any zone, or none."""
    seconds = int(facts["author-time"])
    zone = _ZONE.fullmatch(facts.get("author-tz", ""))
    minutes = int(zone[2]) * 60 + int(zone[3]) if zone and seconds < _LATEST - _DAY * 60 else 0
    place = timezone(timedelta(minutes=-minutes if zone and zone[1] == "-" else minutes)) if minutes < _DAY else UTC
    at = datetime.fromtimestamp(min(seconds, _LATEST), UTC).astimezone(place)
    return times.read(at.isoformat(timespec="seconds"))


def _rows(root: Path, *args: str, given: bytes = b"") -> list[str]:
    """The same, for a command that ends each row with a zero byte."""
    return [row for row in output(root, *args, given=given).split("\0") if row]


@contextmanager
def streaming(root: Path, *args: str) -> Iterator[Iterator[bytes]]:
    """What a command of git prints, block by block, where git is known to be; it is ended with the block of code."""
    with subprocess.Popen(
        command_line(root, "--no-optional-locks", *args),
        env=reading(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout
        try:
            yield iter(partial(process.stdout.read1, _BLOCK), b"")  # type: ignore[attr-defined]
        finally:
            process.kill()


@contextmanager
def batch(root: Path, *args: str) -> Iterator[Callable[[str], str]]:
    """A command of git that answers line by line, and repeats a line that names nothing it knows."""
    with conversation(root, *args) as process:
        yield partial(_answer, process)


def conversation(root: Path, *args: str) -> "subprocess.Popen[bytes]":
    """A command of git that is asked and answers, where git is known to be."""
    return subprocess.Popen(
        command_line(root, "--no-optional-locks", *args),
        env=reading(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def pieces(stream: Iterator[bytes]) -> Iterator[bytes]:
    """What stands between zero bytes in what a command prints."""
    rest = b""
    for block in stream:
        *whole, rest = (rest + block).split(b"\0")
        yield from whole
    yield rest


def _answer(process: "subprocess.Popen[bytes]", line: str) -> str:
    assert process.stdin
    assert process.stdout
    process.stdin.write(f"{line}\n{_END}".encode())
    process.stdin.flush()
    answer = bytearray()
    while not answer.endswith(_END.encode()) and (block := process.stdout.read1(_BLOCK)):  # type: ignore[attr-defined]
        answer += block
    return decode(bytes(answer)).removesuffix(_END)


def run(root: Path, *args: str, given: bytes = b"") -> "Done":
    """Run a command of git; what it printed, and how it ended. Nothing is fetched."""
    return running.run(root, *args, given=given, is_reading=True)


def files(root: Path) -> list[str]:
    """Files below a folder that git tracks or would track, as they are on disk; none when git does not know it."""
    known = _rows(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    gone = frozenset(_rows(root, "ls-files", "-z", "--deleted") if known else ())
    return [name for name in known if name not in gone and not name.endswith("/")]


def ignored(root: Path, names: Iterable[str]) -> frozenset[str]:
    """Those of these files, there or not, that git would not add by itself."""
    return frozenset(_rows(root, "check-ignore", "-z", "--stdin", given=encode("\0".join(names))))


# What changed since


def is_repository(root: Path) -> bool:
    """Whether a folder is in a working tree of git."""
    return output(root, "rev-parse", "--is-inside-work-tree").strip() == "true"


def is_shallow(root: Path) -> bool:
    """Whether a clone left out older commits."""
    return output(root, "rev-parse", "--is-shallow-repository").strip() == "true"


def uncommitted(root: Path, names: Iterable[str]) -> list[str]:
    """Those of these files that are not as they are in the last commit; what is gone is left out."""
    only = _only(names)
    head = output(root, "rev-parse", "--verify", "--quiet", "HEAD")
    staged = (
        ("diff", "--name-only", "--relative", "--diff-filter=d", "--no-ext-diff", "HEAD") if head else ("ls-files",)
    )
    found = {*_rows(root, *staged, "-z", "--", *only), *_rows(root, "ls-files", "--others", "-z", "--", *only)}
    return sorted(name for name in found if (root / name).is_file())


def staged(root: Path) -> list[str]:
    """The files below a folder whose text the next commit changes or adds."""
    options = ("--cached", "--name-only", "--relative", "--no-renames", "--diff-filter=du", "--no-ext-diff")
    return [name for name in _rows(root, "diff", *options, "-z") if "\n" not in name]


def _last_commit(root: Path, *args: str) -> Commit | None:
    row = output(root, "log", "-1", _FORMAT, *args).rstrip("\n")
    return _commit(row) if row else None


def _commit(row: str) -> Commit:
    name, seconds, author, title = row.split(FIELD)
    return commit_of(name, seconds, author, title)


def commit_of(name: str, seconds: str, author: str, title: str) -> Commit:
    return Commit(name, stamp(seconds), one_line(author), one_line(title))


def one_line(text: str) -> str:
    """A name or a title, which git takes for one line though it has a carriage return."""
    return text.replace("\r", " ")


def stamp(seconds: str) -> str:
    """A time as git prints it; a commit may have any number or none, and then counts for the nearest day there is."""
    return times.stamp(datetime.fromtimestamp(min(int(seconds or 0), _LATEST), UTC))


def changed(root: Path, since: str, beside: Iterable[str]) -> list[Changed]:
    """Tracked files that are not as they were in a commit, beside these files or folders.

    A file that was renamed is one that is gone and a new one.
    """
    options = ("--no-renames", "--relative", "--no-ext-diff", "--ignore-submodules")
    printed = output(root, "diff", "--name-status", "-z", *options, since, "--", *_all_but(beside))
    return [Changed(name, how) for name, how in statuses(printed).items()]


def statuses(printed: str) -> dict[str, str]:
    """What happened to which file, as `--name-status -z` prints it."""
    pieces = iter(printed.split("\0"))
    found = {}
    for status in pieces:
        name = next(pieces, "")
        if status[:1] in ("R", "C"):
            name = next(pieces, "")
        if name:
            found[name] = _HOW.get(status[:1], "changed")
    return found


def earlier_names(root: Path, name: str) -> list[str]:
    """What a file was called before it was renamed, the latest first."""
    options = ("--follow", "--diff-filter=R", "--name-status", "--format=", "--relative", "-z")
    pieces = iter(output(root, "log", *options, "--", name).split("\0"))
    return [next(pieces, "") for piece in pieces if piece.strip().startswith("R")]


def pending(root: Path, beside: Sequence[str]) -> list[Changed]:
    """Files that are not as in the last commit, new ones among them, beside these files or folders."""
    last = head(root)
    known = changed(root, last, beside) if last else [Changed(name, "added") for name in tracked(root)]
    inside = tuple(f"{folder}/" for folder in beside)
    new = [Changed(name, "added") for name in untracked(root)]
    return sorted(
        (each for each in (*known, *new) if not each.path.startswith(inside) and each.path not in beside),
        key=lambda each: each.path,
    )


def last_before(root: Path, at: datetime) -> Commit | None:
    """The last commit that was made at a time or before it."""
    return _last_commit(root, f"--before={times.stamp(at)}")


def resolve(root: Path, name: str) -> Commit | None:
    """The commit that a hash, branch, tag or other name of git stands for; None when git knows none."""
    if "\0" in name or len(name) > _LONGEST_NAME:
        return None
    # Whatever the name begins with, it is no option.
    found = output(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}").strip()
    return _last_commit(root, found, "--") if found else None


def merge_base(root: Path, one: str, other: str) -> str | None:
    """The last commit that two have in common, given by their hashes; None where they have none."""
    return output(root, "merge-base", one, other).strip() or None


def main_branch(root: Path) -> str | None:
    """The branch that others start from: the one a clone began with, else main or master."""
    cloned = output(root, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD").strip()
    known = output(root, "for-each-ref", "--format=%(refname:short)", "refs/heads").split("\n")
    return cloned or next((name for name in ("main", "master", "trunk") if name in known), None)


def branches(root: Path) -> dict[str, str]:
    """The local branches, each with its last commit, the one that was changed last first."""
    rows = output(
        root, "for-each-ref", "--sort=-committerdate", "--format=%(objectname) %(refname:short)", "refs/heads"
    )
    return {name: commit for commit, _, name in (row.partition(" ") for row in rows.split("\n")) if commit}


def current_branch(root: Path) -> str | None:
    """The branch that is checked out; None for a commit without one."""
    return output(root, "symbolic-ref", "--quiet", "--short", "HEAD").strip() or None


def files_at(root: Path, commit: str) -> dict[str, str]:
    """The ordinary files below a folder in a commit: their names, with what `texts_of` knows their texts by."""
    found = {}
    for row in output(root, "ls-tree", "-r", "-z", commit).split("\0"):
        facts, _, name = row.partition("\t")
        if facts.startswith("100"):  # links and other repositories are none
            found[name] = facts.split(" ")[2]
    return found


def not_checked_out(root: Path) -> dict[str, str]:
    """The ordinary files below a folder that a sparse checkout leaves out, likewise."""
    rows = (row.partition("\t") for row in _rows(root, "ls-files", "-z", "-t", "--stage"))
    return {name: facts.split(" ")[2] for facts, _, name in rows if facts.startswith("S 100")}


def texts_of(root: Path, objects: Sequence[str]) -> Iterator[bytes | None]:
    """The bytes of each text; None for one that git does not have."""
    for first in range(0, len(objects), _AT_ONCE):
        request = "".join(f"{each}\n" for each in objects[first : first + _AT_ONCE])
        printed = running.run(root, "cat-file", "--batch", given=request.encode(), is_reading=True).stdout
        at = 0
        for _ in objects[first : first + _AT_ONCE]:
            head, _, _ = printed[at : at + 200].partition(b"\n")
            at += len(head) + 1
            *_, kind, size = (b"", *head.split(b" "))
            if kind != b"blob" or at + int(size) > len(printed):
                yield None
                continue
            yield printed[at : at + int(size)]
            at += int(size) + 1


def tracked(root: Path) -> list[str]:
    """Files below a folder that git tracks."""
    return _rows(root, "ls-files", "-z", "--deduplicate")


def untracked(root: Path) -> list[str]:
    """Files below a folder that git does not track, and does not ignore."""
    return [name for name in _rows(root, "ls-files", "-z", "--others", "--exclude-standard") if name[-1] != "/"]


def _only(names: Iterable[str]) -> list[str]:
    return [f":(literal){name}" for name in names]


def _all_but(names: Iterable[str]) -> list[str]:
    return [".", *(f":(exclude,literal){name}" for name in names)]


# Committing


def no_commit(root: Path, names: Iterable[str]) -> str | None:
    """Why these files cannot be committed now, with what to do; None when they can."""
    if not is_repository(root):
        return "this is not a git repository; leave out --commit, or run `git init` first"
    for head, doing in (("MERGE_HEAD", "a merge"), ("CHERRY_PICK_HEAD", "a cherry-pick"), ("REVERT_HEAD", "a revert")):
        if output(root, "rev-parse", "--verify", "--quiet", head):
            return f"{doing} is under way, and git cannot commit single files then; finish it first"
    if not output(root, "var", "GIT_AUTHOR_IDENT") or not output(root, "var", "GIT_COMMITTER_IDENT"):
        return "git does not know who commits; set user.name and user.email with `git config`"
    ignored = [name for name in names if output(root, "check-ignore", "--", name)]
    if ignored:
        return f"git ignores {ignored[0]}; leave out --commit, or remove it from .gitignore"
    return None


def commit(root: Path, names: Sequence[str], message: str) -> Commit | str:
    """Commit these files and no others, whatever is staged; the commit, or the complaint of git.

    Hooks run as for any commit. What else is staged stays so.
    """
    known = set(output(root, "ls-files", "-z", "--", *_only(names)).split("\0"))
    fresh = [name for name in names if name not in known]
    if fresh:
        running.run(root, "--literal-pathspecs", "add", "--intent-to-add", "--", *fresh)
    done = running.run(root, "--literal-pathspecs", "commit", "--quiet", "--only", f"--message={message}", "--", *names)
    if done.returncode == 0:
        return _commit(output(root, "log", "-1", _FORMAT).rstrip("\n"))
    if fresh:
        running.run(root, "update-index", "--force-remove", "--", *fresh)
    return " ".join(decode(done.stderr or done.stdout).split()) or f"git ended with {done.returncode}"


# The settings of a repository


def hooks_folder(root: Path) -> Path | None:
    """Where git looks for hooks; None outside a repository."""
    folder = output(root, "rev-parse", "--git-path", "hooks").rstrip("\n")
    return root / folder if folder else None


def setting(root: Path, key: str) -> str | None:
    """What the repository itself sets, leaving out the settings of the person and the machine."""
    return output(root, "config", "--local", "--get", key).rstrip("\n") or None


def person(root: Path) -> str | None:
    """Who commits here, by name, whoever set that, as git itself looks for it."""
    return _identity(root, "name")


def address(root: Path) -> str | None:
    """The same, by the address that commits are known by."""
    return _identity(root, "email")


def _identity(root: Path, what: str) -> str | None:
    if value := os.environ.get(f"GIT_AUTHOR_{what.upper()}", "").strip():
        return value
    rows = output(root, "config", "--get-regexp", rf"^(author|user)\.{what}$").split("\n")
    values = {key: value.strip() for key, _, value in (row.partition(" ") for row in rows)}
    return values.get(f"author.{what}") or values.get(f"user.{what}") or None


def clone(url: str, target: Path) -> None:
    """Clone a repository, its last commit only, without running or asking anything."""
    _fetch(target.parent, "clone", "-q", "--depth", "1", "--no-tags", "--", url, str(target))


def pull(root: Path) -> None:
    """Make a clone that nobody works in what its origin is now."""
    _fetch(root, "fetch", "-q", "--depth", "1", "--no-tags", "origin", "HEAD")
    _fetch(root, "reset", "-q", "--hard", "FETCH_HEAD")


def head(root: Path) -> str:
    """The commit that is checked out; empty where there is none."""
    return output(root, "rev-parse", "--verify", "--quiet", "HEAD").strip()


def go_to(root: Path, commit: str) -> None:
    """Make a clone that nobody works in what it was at a commit that it has."""
    _fetch(root, "reset", "-q", "--hard", commit)


def _fetch(root: Path, *args: str) -> None:
    quiet = os.environ | {"GIT_TERMINAL_PROMPT": "0"}
    safe = ("-c", "protocol.ext.allow=never", "-c", f"core.hooksPath={os.devnull}")
    command = command_line(root, *safe, *args)
    try:
        done = subprocess.run(command, capture_output=True, env=quiet, stdin=subprocess.DEVNULL, check=False)
    except OSError as error:
        raise Unreadable(f"git cannot be started: {error.strerror}") from None
    if done.returncode:
        lines = split_lines(decode(done.stderr).strip())
        raise Unreadable(f"git could not {args[0]} it: {lines[-1] if lines else 'it does not say why'}")


def set_section(root: Path, section: str, values: dict[str, str]) -> bool:
    """Make a section of the repository's settings what is given, nothing for no section; whether git did so."""
    if any(setting(root, f"{section}.{key}") for key in values) or not values:
        running.run(root, "config", "--local", "--remove-section", section)
    done = [running.run(root, "config", "--local", f"{section}.{key}", value) for key, value in values.items()]
    return all(each.returncode == 0 for each in done)
