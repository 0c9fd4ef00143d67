"""What an installation changes: worked out for all files first, then made together or not at all."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path

import msgspec
from msgspec import Struct

from memdown.acts.install import markers
from memdown.acts.install.parts import (
    RULES,
    Command,
    Hook,
    InstallPart,
    MarkedLines,
    Page,
    Server,
    TomlTable,
    Unfit,
    is_in,
)
from memdown.acts.install.repository import RepositorySettings
from memdown.acts.install.selftest import Trial, limited, trials, unfound
from memdown.acts.install.targets import ALIASES, CONFIG, TARGETS, Target
from memdown.dialects import offered
from memdown.errors import Invalid, MemdownError, Refused, Unreadable, quote
from memdown.markdown.jsonc import BrokenJson
from memdown.store import Files
from memdown.store.state import STATE

_RECORD = "installed.json"
Told = tuple[Collection[str], str]
"""The dialects that a project has, and what assistants are told of them."""


class InstallChange(Struct, frozen=True):
    """What a file was and is to be; None is no file."""

    name: str
    before: str | None
    after: str | None
    file: str = ""
    """Its name in git's own folder, for a file that lies there."""

    @property
    def is_new(self) -> bool:
        return self.before is None and self.file != CONFIG  # which git has, whatever stands in it

    @property
    def is_deleted(self) -> bool:
        return self.after is None and self.file != CONFIG


class InstallPlan(Struct, frozen=True):
    """An installation."""

    targets: list[str]
    changes: list[InstallChange]
    unchanged: list[str]
    notes: list[str]
    """What people should know: parts that are left out, and why."""
    details: list[str] = []
    """What was done beside, and what will be written where from now on."""
    trials: list[Trial] = []
    """What came of trying it out."""

    @property
    def changed(self) -> list[str]:
        return [change.name for change in self.changes]


class ShownChange(Struct, frozen=True):
    """A target as `memdown install --list` shows it."""

    target: str
    title: str
    detected: bool
    files: list[str]
    installed: list[str]


class TargetStatus(Struct, frozen=True):
    """How a target is installed."""

    target: str
    title: str
    state: str
    """not installed, installed, partly, out of date, changed by hand, or broken."""
    problems: list[str]


class Installer:
    """Puts memdown into the settings of other tools, below one root."""

    def __init__(
        self,
        files: Files,
        able: Iterable[str],
        called: Command,
        rules: Callable[[], Told] = lambda: ((), ""),
        capture: InstallPart | None = None,
    ) -> None:
        """`able` are the commands that this memdown has; `rules` are those for assistants in this project.

        `capture` is a part that goes with hooks that keep messages.
        """
        self._capture = capture
        self._files = files
        self._make_rules = rules
        self._able = frozenset(able)
        self._called = called
        self._repository = RepositorySettings(files.root)

    @cached_property
    def _rules(self) -> Told:
        return self._make_rules()

    def _offers(self, name: str) -> bool:
        return any(offered(dialect, name) for dialect in self._rules[0])

    def detected(self) -> list[str]:
        """The targets that the project shows signs of."""
        return [
            name
            for name, target in TARGETS.items()
            if any(os.path.lexists(self._files.root / sign) for sign in target.signs)
        ]

    def shown(self) -> list[ShownChange]:
        """Every target, and which of its files have what belongs there."""
        there = self.detected()
        return [
            ShownChange(name, target.title, name in there, self._names(target), self._installed(target))
            for name, target in TARGETS.items()
        ]

    def tried(self, names: Sequence[str], prompt: str) -> list[Trial]:
        """What comes of running what is installed for these targets; the same line is run once.

        Only lines with the command that the person gave are run: what else a clone has may be anybody's.
        """
        found: dict[str, Trial] = {}
        for name in names:
            with suppress(Refused):
                parts = [
                    (part, change.before)
                    for part, change in self._parts(TARGETS[name])
                    if change.before is not None and _is_in(part, change.before, self._called)
                ]
                found |= {each.line: each for each in trials(self._files.root, name, parts, prompt, self._called)}
        return list(found.values())

    def status(self, names: Sequence[str], prompt: str) -> list[TargetStatus]:
        """How each target is installed, and whether it runs."""
        return [self._status(name, TARGETS[name], prompt) for name in names]

    def _status(self, name: str, target: Target, prompt: str) -> TargetStatus:
        try:
            parts = [each for each in self._parts(target) if each[0].needs in self._able]
            called = next(filter(None, (_called(part, change.before) for part, change in parts)), self._called)
            states = [(change.name, part.what, _state(part, change.before, called)) for part, change in parts]
        except (Refused, Unreadable) as error:
            return TargetStatus(name, target.title, "not installed", [str(error)])
        kinds = {state for _, _, state in states}
        if kinds <= {"missing"}:
            return TargetStatus(name, target.title, "not installed", [])
        problems = [
            f"{file}: the {what} {'are' if what.startswith('rules') else 'is'} {state}"
            for file, what, state in states
            if state
        ]
        failed = [f"{each.what}: {each.problem}" for each in self.tried([name], prompt) if not each.ok]
        if called != self._called and (problem := unfound(self._files.root, called)):
            failed.append(problem)
        elif called != self._called:
            problems.append(f"it calls {called.line!r}, which was not run; give that as --command to test it")
        problems += filter(None, [limited(called)])
        order = (("broken", failed), ("partly", "missing" in kinds), *((kind, kind in kinds) for kind in _WRONG))
        state = next((kind for kind, is_so in order if is_so), "installed")
        return TargetStatus(name, target.title, state, [*problems, *failed])

    def plan(self, names: Sequence[str], *, remove: bool = False) -> InstallPlan:
        """What has to change for these targets; nothing is written."""
        work = _Work(self._called)
        notes: dict[str, None] = {}
        for name in names:
            try:
                parts = list(self._parts(TARGETS[name], remove=remove))
            except Refused as error:
                if len(names) == 1:
                    raise
                notes[str(error)] = None
                continue
            for part, change in reversed(parts) if remove else parts:
                if remove:
                    work.take(part, change)
                elif part.needs in self._able:
                    work.put(part, change)
                else:
                    notes[f"the {part.what} is left out: this memdown has no command {part.needs}"] = None
        changes = [each for each in work.changes() if each.before != each.after]
        same = [each.name for each in work.changes() if each.before == each.after and each.before is not None]
        return InstallPlan(list(names), changes, same, [*notes, *work.notes])

    def make(self, plan: InstallPlan) -> None:
        """Make all changes of a plan, or none. Whoever calls holds the lock."""
        inside = [change for change in plan.changes if not change.file]
        outside = [change for change in plan.changes if change.file]
        missing = self._missing_folders(inside)
        done: list[InstallChange] = []
        if outside:
            self._files.note_outside(msgspec.json.encode(outside).decode())
        try:
            for change in outside:
                self._files.allow(change.name)
                done.append(change)
                self._repository.write(change.file, change.after)
            self._save(inside)
        except MemdownError:
            for change in done:
                self._repository.write(change.file, change.before)
            raise
        self._keep_folders(inside, missing)

    def _save(self, changes: Sequence[InstallChange]) -> None:
        with self._files.group() as group:
            for change in changes:
                if change.after is not None:
                    group.save(change.name, change.after, over=change.before)
                elif change.before is not None:
                    group.delete(change.name, over=change.before)

    # Which files

    def _parts(self, target: Target, *, remove: bool = False) -> Iterator[tuple[InstallPart, InstallChange]]:
        """Every part with the file it stands in, as that is now; what is removed needs no rules."""
        if target.in_git:
            self._repository.refuse_elsewhere()
        for part in (*target.parts, *((self._capture,) if self._capture and target.keeps else ())):
            if isinstance(part, Hook) and part.offer and not remove and not self._offers(part.offer):
                continue
            for each in self._forms(part, remove=remove):
                if isinstance(each, Page | MarkedLines) and each.body == RULES and not remove:
                    each = msgspec.structs.replace(each, body=self._rules[1])
                text = self._files.read(each.file) if self._has(each.file) else None
                yield each, InstallChange(each.file, text, text)
        for part in target.in_git:
            text = self._repository.read(part.file)
            yield part, InstallChange(self._repository.name(part.file), text, text, part.file)

    def _forms(self, part: InstallPart, *, remove: bool) -> list[InstallPart]:
        """The part as it stands here: a page in the folder that the project keeps, else lines in its one file."""
        if not isinstance(part, Page) or not self._has(part.instead):
            return [part]
        if not (self._files.root / part.file).parent.is_dir():
            return [part.lines()]
        return [part, part.lines()] if remove else [part]  # the folder may have come later

    def _has(self, name: str) -> bool:
        return bool(name) and self._files.exists(name)

    def _names(self, target: Target) -> list[str]:
        try:
            found = [change.name for part, change in self._parts(target) if part.needs in self._able]
        except Refused:
            found = []
        return list(dict.fromkeys(found))

    def _installed(self, target: Target) -> list[str]:
        """The files that have all their parts."""
        whole: dict[str, bool] = {}
        try:
            for part, change in self._parts(target):
                if part.needs in self._able:
                    whole[change.name] = whole.get(change.name, True) and _is_in(part, change.before, self._called)
        except (Refused, Unreadable):
            return []
        return [name for name, all_there in whole.items() if all_there]

    # Folders

    def _missing_folders(self, changes: Sequence[InstallChange]) -> list[str]:
        """Folders that will be made, relative to the root."""
        return [
            folder
            for folder in _folders(change.name for change in changes if change.after is not None)
            if not (self._files.root / folder).is_dir()
        ]

    def _keep_folders(self, changes: Sequence[InstallChange], made: Sequence[str]) -> None:
        """Write down which folders were made; remove those that are empty now and were made so."""
        known = _recorded(self._files)
        # A copy of the project has no record, and no folder that was empty before either.
        emptied = _folders(change.name for change in changes if change.after is None)
        self._files.leave(self._files.root / folder for folder in emptied if known is None or folder in known)
        left = {folder for folder in {*(known or ()), *made} if (self._files.root / folder).is_dir()}
        if known is None or left != set(known):
            self._files.keep(_RECORD, msgspec.json.encode(sorted(left)), "the list of folders that were made")


_WRONG = ("changed by hand", "out of date")


def _called(part: InstallPart, text: str | None) -> Command | None:
    """How memdown is called by a part that is installed."""
    if not text or not isinstance(part, Server | Hook | TomlTable):
        return None
    with _naming(part.file):
        return part.called(text)


def _state(part: InstallPart, text: str | None, called: Command) -> str:
    """What is wrong with a part; nothing when it is there as it should be."""
    if text is None:
        return "missing"
    if _is_in(part, text, called):
        return ""
    with _naming(part.file):
        if part.take(text) != text:
            return "out of date"
        return "missing" if part.put(text, called) != text else "changed by hand"


class _Work:
    """Texts on their way: several parts stand in one file."""

    def __init__(self, called: Command) -> None:
        self._called = called
        self._changes: dict[str, InstallChange] = {}
        self.notes: dict[str, None] = {}

    def changes(self) -> list[InstallChange]:
        return list(self._changes.values())

    def put(self, part: InstallPart, found: InstallChange) -> None:
        change = self._changes.setdefault(found.name, found)
        with _naming(found.name):
            after = part.put(change.after, self._called)
        self._changes[found.name] = msgspec.structs.replace(change, after=after)
        if not _is_in(part, after, self._called):
            self.notes[f"{found.name} is left as it is: the {part.what} there differs from what memdown writes"] = None

    def take(self, part: InstallPart, found: InstallChange) -> None:
        change = self._changes.setdefault(found.name, found)
        if change.after is not None:
            with _naming(found.name):
                after = part.take(change.after)
            self._changes[found.name] = msgspec.structs.replace(change, after=after)


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Turns what is wrong with a text into one sentence with its file."""
    try:
        yield
    except (BrokenJson, Unfit, markers.Unpaired) as error:
        raise Unreadable(
            f"{quote(name)} cannot be edited: {error}; fix it and try again, nothing was changed"
        ) from error


def chosen(name: str) -> list[str]:
    """The targets that a person's word stands for."""
    if name == "all":
        return list(TARGETS)
    name = ALIASES.get(name, name)
    if name not in TARGETS:
        raise Invalid(f"There is no target {quote(name)}; give one of {', '.join(TARGETS)}, or all.")
    return [name]


def _is_in(part: InstallPart, text: str | None, called: Command) -> bool:
    with _naming(part.file):
        return is_in(part, text, called)


def _folders(names: Iterable[str]) -> list[str]:
    """The folders of files, innermost first."""
    found = {parent.as_posix() for name in names for parent in Path(name).parents if parent.as_posix() != "."}
    return sorted(found, key=lambda folder: -folder.count("/"))


def _recorded(files: Files) -> list[str] | None:
    try:
        return msgspec.json.decode(files.disk.read(files.root / STATE / _RECORD), type=list[str])
    except (OSError, ValueError, RecursionError):
        return None
