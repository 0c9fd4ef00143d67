"""Files of memory as a backup has them: checked before anything is touched, then written as one step."""

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct, structs

from memdown import homes
from memdown.errors import Refused, Unreadable, on_failure, quote
from memdown.patterns import lazy
from memdown.project import SETTINGS_FILE, Project, is_kept
from memdown.settings import config
from memdown.settings.config import Config, OkfSettings
from memdown.store import backup
from memdown.store.backup import BackupMember
from memdown.store.disk import Disk
from memdown.store.jail import STATE
from memdown.store.outside import read_any
from memdown.store.steps import FOLDER
from memdown.text import decode, encode

_STEP = lazy(rf"{re.escape(STATE)}/{FOLDER}/\d{{9}}\.step")


class Restored(Struct, frozen=True):
    """What a restore did, or would do."""

    created: list[str]
    changed: list[str]
    deleted: list[str]
    unchanged: int
    left: list[str]
    """Files of memory here that the backup does not have, and that stay."""
    steps: int
    """Steps of the undo log that were restored."""
    dry_run: bool


def load(path: str) -> bytes:
    """The bytes of a backup, wherever it is."""
    file = Path(path)
    try:
        too_large = file.is_file() and file.stat().st_size > 2 * backup.LARGEST
    except (OSError, ValueError):
        too_large = False  # reading it says what is wrong
    if too_large:
        raise Unreadable(f"{quote(path)} is larger than any backup of memdown; {backup.TO_GIVE}")
    return encode(read_any(file))


def restore(
    project: Project, data: bytes, place: str, *, exact: bool = False, with_undo: bool = False, write: bool = True
) -> Restored:
    """Write the files of a backup, all of them or none; `place` is how people know it.

    With `exact`, files of memory that it does not have are deleted. With `write=False`, only say what would happen.
    """
    members = backup.unpack(data, place)
    files = [each for each in members if not _STEP.fullmatch(each.name)]
    _refuse_others(project, files, place)
    steps = [each for each in members if _STEP.fullmatch(each.name)] if with_undo else []
    with project.files.lock(when=write):
        if steps and next(project.files.log.read(), None) is not None:
            raise Refused("there already is an undo log here, which is kept; leave out --with-undo")
        now = {each.name: project.files.data(each.name) for each in files}
        others = [name for name in project.kept_files() if name not in now]
        created = [each for each in files if now[each.name] is None]
        changed = [each for each in files if now[each.name] not in (None, each.data)]
        gone = others if exact else []
        if write:
            log = [project.files.state_folder() / each.name.removeprefix(f"{STATE}/") for each in steps]
            with on_failure(partial(_remove, log)):
                for path, each in zip(log, steps, strict=True):
                    Disk(project.root).write(path, each.data, None, lambda _: None)
                _write(project, [*created, *changed], now, gone)
    return Restored(
        created=[each.name for each in created],
        changed=[each.name for each in changed],
        deleted=gone,
        unchanged=len(files) - len(created) - len(changed),
        left=[] if exact else others,
        steps=len(steps),
        dry_run=not write,
    )


def _write(project: Project, wanted: Sequence[BackupMember], now: dict[str, bytes | None], gone: list[str]) -> None:
    with project.files.group() as group:
        for each in wanted:
            before = now[each.name]
            over = None if before is None else decode(before)
            group.save(each.name, decode(each.data), over=over, mode=each.mode & 0o777 | 0o600)
        for name in gone:
            group.delete(name, over=project.files.read(name))


def _remove(paths: Sequence[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)


def _refuse_others(project: Project, files: Sequence[BackupMember], place: str) -> None:
    """Refuse names that are no memory, neither here nor by the settings that the backup itself brings."""
    texts = {each.name: each.data for each in files}
    settled = [project.config]
    if SETTINGS_FILE in texts:
        settled.append(config.parse(decode(texts[SETTINGS_FILE])))
    bundles = [name.removesuffix("/index.md") for name, data in texts.items() if homes.begins_bundle(data[:512])]
    bundles = [folder for folder in bundles if f"{folder}/index.md" in texts and "/" not in folder]
    settled.append(structs.replace(Config(), okf=OkfSettings(tuple(bundles))))
    project.files.reveal(frozenset().union(*(each.hidden() for each in settled)))
    for name in texts:
        if not any(is_kept(name, each) for each in settled):
            raise Refused(f"{quote(name)} in {quote(place)} is not a memory file; nothing was restored")
