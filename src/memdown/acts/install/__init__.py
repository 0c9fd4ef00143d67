"""memdown in the settings of assistants and of git: put in beside what is there, and taken out to the byte."""

import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import structs

from memdown import git
from memdown.acts.install.parts import CaptureSetting, Command, command
from memdown.acts.install.plan import InstallChange, Installer, InstallPlan, ShownChange, TargetStatus, Told, chosen
from memdown.acts.install.repository import RepositorySettings
from memdown.acts.install.selftest import limited, unfound
from memdown.acts.install.targets import CONFIG, TARGETS
from memdown.errors import MemdownError, Stale
from memdown.homes import INBOX, capture_folder, settings_of
from memdown.index import handle, none
from memdown.index.schema import NEWEST, REAL
from memdown.index.sqlite import NAME
from memdown.project import SETTINGS_FILE, Project
from memdown.settings import config
from memdown.store.state import STATE
from memdown.store.undo import RestoredFile
from memdown.text import encode

Rules = Callable[[Project], Told]
DRIVER = "merge.memdown.driver"
"""The setting of git that says how memory is merged."""
_COUNTS = f"select (select count(*) from record r where {REAL}), (select count(*) from file where dialect is not null)"
_TITLED = f"""
select w.title from record r join words w on w.rowid = r.rowid
where {REAL} and r.superseded = 0 and r.expires is null and w.title like '%_ _%' and length(w.title) <= 200
order by length(w.title) >= 80, r.kind = 'section', {NEWEST}
"""


def targets(project: Project, able: Collection[str], rules: Rules) -> list[ShownChange]:
    """Every target; `able` are the commands this memdown has."""
    return _installer(project, able, rules).shown()


def status(
    project: Project, able: Collection[str], rules: Rules, target: str | None = None, line: str | None = None
) -> list[TargetStatus]:
    """How a target, or each of them, is installed, and whether it runs; `line` is how memdown is called."""
    called = Command() if line is None else command(line)
    return _installer(project, able, rules, called).status(chosen(target or "all"), _prompt(project))


def install(
    project: Project,
    target: str | None = None,
    *,
    able: Collection[str],
    rules: Rules,
    line: str | None = None,
    capture: bool = False,
    remove: bool = False,
    write: bool = True,
    check: bool = False,
) -> InstallPlan:
    """Install for a target or all of them, or take it out; without one, only tell what that would be.

    `line` is how memdown is called, `memdown` when not given. `write=False` tells what would change, too. `rules` says
    what assistants are told of the project. `capture` has their messages kept. With `check` everything
    that was installed is run once.
    """
    called = Command() if line is None else command(line)
    wanted = remove or (capture and not project.config.hooks.capture)
    installer = _installer(project, able, rules, called, _capture_part(project) if wanted else None)
    names = installer.detected() if target is None else chosen(target)
    write = write and target is not None
    with project.files.lock(when=write):
        plan = installer.plan(names, remove=remove)
        if write and plan.changes:
            installer.make(plan)
            project.config = config.load(project.root)
    for note in plan.notes:
        project.tell(note)
    if remove or not write:
        return plan
    plan = structs.replace(plan, details=[*_index(project), *_consequences(project, plan.targets)])
    if names and (problem := limited(called)):
        project.tell(problem)
    if plan.changes and not check and (problem := unfound(project.root, called)):  # what is tried tells it by itself
        project.tell(problem)
    return structs.replace(plan, trials=installer.tried(names, _prompt(project))) if check else plan


def configure_driver(project: Project) -> None:
    """Have git know the merge driver that attributes name."""
    part = next(each for each in TARGETS["git"].in_git if each.file == CONFIG)
    RepositorySettings(project.root).write(CONFIG, part.put(None, Command()))


def _installer(
    project: Project,
    able: Collection[str],
    rules: Rules,
    called: Command | None = None,
    capture: CaptureSetting | None = None,
) -> Installer:
    return Installer(project.files, able, called or Command(), lambda: rules(project), capture)


def _capture_part(project: Project) -> CaptureSetting:
    file = Path(settings_of(str(project.root)) or SETTINGS_FILE).name
    table = "hooks" if file == SETTINGS_FILE else "tool.memdown.hooks"
    return CaptureSetting(file=file, needs="hook", what="setting", body=f"[{table}]\ncapture = true")


def _index(project: Project) -> Iterator[str]:
    """Make the index, so that the first hook finds everything. It can be made again: a failure is only told."""
    try:
        counts = handle.indexed(project).connection.execute(_COUNTS).fetchone()
    except (MemdownError, sqlite3.Error) as error:
        project.tell(f"the index was not made, so the first hook will: {error}")
        return
    if counts[1] and (project.root / STATE / NAME).is_file():
        yield f"Built the index (files: {counts[1]:,}, records: {counts[0]:,})."
        if not counts[0]:
            yield "The memory here is still empty; fill in its files, and run `memdown init` for missing ones."
    elif not counts[1]:
        yield none.offer(project.root)


def _consequences(project: Project, targets: Sequence[str]) -> Iterator[str]:
    """What will be written from now on, and where; what a person has to do."""
    yield "The index, the undo log and the hooks' log are in .memdown/, which git ignores (.memdown/.gitignore)."
    if any(TARGETS[name].keeps for name in targets):
        yield f"Stop, PreCompact and SessionEnd {_captured(project)}"
    yield from filter(None, (TARGETS[name].after for name in targets))
    if "git" not in targets and git.is_repository(project.root) and not git.setting(project.root, DRIVER):
        yield "Git merges memory as plain text here; run `memdown install git` to merge it entry by entry."


def _captured(project: Project) -> str:
    """What becomes of the messages of an assistant, as the end of a sentence."""
    settings = project.config
    wanted, chosen = settings.hooks.capture, settings.cards.folder or ""
    folder = capture_folder(str(project.root), settings.homes("cards"), chosen, wanted)
    if wanted is False:
        return "save nothing: capture is off in the settings."
    if not folder:
        return "save nothing; with --capture they save what the assistant writes, for `memdown review`."
    off = "`capture = false` under [hooks] in memdown.toml turns that off."
    if folder.endswith(f"/{INBOX}"):
        return f"save what the assistant writes in {folder}/, which git ignores, for `memdown review`; {off}"
    return f"save what the assistant writes as cards in {folder}/; {off}"


def _prompt(project: Project) -> str:
    """The title of a record, as a prompt that memory can answer; nothing where there is none."""
    try:
        row = handle.indexed(project).connection.execute(_TITLED).fetchone()
    except (MemdownError, sqlite3.Error):
        return ""
    return row[0] if row else ""


def reverse(project: Project, changes: str) -> str:
    """Make what an installation changed in git's own folder what it was before; the changes that this takes."""
    repository = RepositorySettings(project.root)
    found = msgspec.json.decode(changes, type=list[InstallChange])
    for each in found:
        if repository.read(each.file) not in (each.before, each.after):
            raise Stale(f"{each.name} was changed since, so nothing was undone; remove memdown's part by hand.")
    for each in found:
        if repository.read(each.file) != each.before:
            repository.write(each.file, each.before)
    return msgspec.json.encode([structs.replace(each, before=each.after, after=each.before) for each in found]).decode()


def restored(changes: str) -> list[RestoredFile]:
    """The files in git's own folder that taking back these changes makes what they were; none for other changes."""
    try:
        found = msgspec.json.decode(changes, type=list[InstallChange]) if changes else []
    except msgspec.ValidationError:
        return []
    return [RestoredFile(each.name, _bytes(each, each.after), _bytes(each, each.before)) for each in found]


def _bytes(change: InstallChange, text: str | None) -> bytes | None:
    return encode(text or "") if text is not None or change.file == CONFIG else None
