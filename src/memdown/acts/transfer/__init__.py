"""Memory between projects: exports, and imports that are merged so that nothing is lost."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from memdown import VERSION, times
from memdown.acts.transfer import bundle as transfer
from memdown.acts.transfer.bundle import Bundle, BundleMember, BundleSkill, Conflict, FileThere
from memdown.dialects import offered, offering
from memdown.dialects.hollow import is_hollow
from memdown.errors import Exists, Refused, Unreadable, quote, some
from memdown.homes import HOMES, is_nested
from memdown.limits import BUNDLE
from memdown.project import Project, is_data
from memdown.record import Document, Record
from memdown.store.outside import read_any

_SHOWN = 3


class Imported(Struct, frozen=True):
    """What an import did, or would do."""

    added: int
    """Entries that are here now and were not before."""
    skipped: int
    """Entries that were here already."""
    conflicts: list[Conflict]
    written: list[str]
    skills: list[str]
    """Skills that are here now and were not before."""
    backups: list[str]
    unknown: list[str]
    """Keys of the bundle that were not understood."""
    notes: list[str]


class Exported(Struct, frozen=True):
    """An export in another program's shape, and what it holds."""

    value: dict[str, object]
    records: int
    skills: int


def export(project: Project, *, kinds: Sequence[str] = (), skills: bool = False) -> Bundle:
    """All files of memory, as they are: those that a hub is sent; with `kinds`, only the text of these entries.

    Skills have a place of their own in a bundle, and are in it with `skills` only.
    """
    wanted = {kind.casefold() for kind in kinds}
    members, records = [], []
    apart = {name for home in project.config.homes(_exporting()) for name, _ in _skill_files(project, home)}
    for name in project.progress([each for each in project.names() if each not in apart], "reading"):
        document = project.parsed(name)
        chosen = [record for record in _real(document) if not wanted or record.kind.casefold() in wanted]
        if wanted and not chosen:
            continue
        whole = not wanted or len(chosen) == len(document.records)
        text = document.text if whole else transfer.part(document, chosen)
        members.append(BundleMember(project.config.canonical_path(document.path), text))
        records += chosen
    left_out = 0 if skills or wanted else len(apart)
    return Bundle(tuple(members), tuple(_skills(project)) if skills else (), tuple(records), left_out=left_out)


def export_squad(project: Project) -> Exported:
    """The home of the log as a Squad export."""
    files, home, dialect = project.files, _home(project), _exporting()
    names = files.walk(home, (".md", ".json")) if (project.root / home).is_dir() else ()
    below = {name.removeprefix(f"{home}/"): name for name in names}
    texts = {path: files.read(name) for path, name in below.items() if offered(dialect, "packs")(path)}
    skills = [skill.text for skill in _skills(project)]
    value = offered(dialect, "pack")(texts, skills, times.stamp(project.now()), f"memdown {VERSION}")
    parsed = (project.parse(f"{home}/{name}", text) for name, text in texts.items())
    return Exported(value, sum(len(_real(document)) for document in parsed), len(skills))


def _real(document: Document) -> list[Record]:
    """The records of a file, without what its template has in the place of some."""
    return [record for record in document.records if not is_hollow(record)]


def _exporting() -> str:
    """The dialect that has an export of another program, and skills in its home."""
    return offering("pack")[0]


def _home(project: Project) -> str:
    """The folder of the log: the first known one that is there, else where a new project puts it."""
    homes = project.config.homes(_exporting())
    return next((home for home in homes if (project.root / home).is_dir()), homes[0])


def _skills(project: Project) -> Iterable[BundleSkill]:
    found: dict[str, BundleSkill] = {}
    for home in project.config.homes(_exporting()):
        for name, folder in _skill_files(project, home):
            found.setdefault(folder, BundleSkill(folder, project.files.read(name)))
    return found.values()


def _skill_files(project: Project, home: str) -> Iterator[tuple[str, str]]:
    """The files of the skills in a home of the log, each with the name of its skill."""
    for name in project.files.walk(f"{home}/skills") if (project.root / home / "skills").is_dir() else ():
        match name.removeprefix(f"{home}/skills/").split("/"):
            case [folder, "SKILL.md"]:
                yield name, folder


def load(path: str) -> Bundle:
    """The bundle in a file, wherever that is: it comes from another project."""
    file = Path(path)
    try:
        too_large = file.is_file() and file.stat().st_size > BUNDLE
    except (OSError, ValueError):
        too_large = False  # reading it says what is wrong
    if too_large:
        raise Unreadable(f"{quote(path)} is larger than {BUNDLE >> 20} MB; export in parts with --kind")
    return transfer.unpack(read_any(file), path)


def import_bundle(
    project: Project,
    bundle: Bundle,
    *,
    merge: bool = False,
    skills_only: bool = False,
    force: bool = False,
    write: bool = True,
) -> Imported:
    """Bring in a bundle: all of it or nothing. With `write=False`, only say what would happen."""
    with project.files.lock(when=write):
        arrival = _Arrival(project, _home(project), merge=merge, force=force)
        for member in () if skills_only else _local(project, bundle.files):
            arrival.file(member)
        for skill in bundle.skills:
            arrival.skill(skill)
        arrival.refuse_overwrites()
        if write:
            with project.files.group() as group:
                for name, (text, over) in arrival.wishes.items():
                    group.save(name, text, over=over)
    return arrival.result(bundle)


def _local(project: Project, members: Sequence[BundleMember]) -> list[BundleMember]:
    """Files under the names this project has for them: its configured folders, its own home of the log."""
    homes = HOMES[_exporting()]
    used = {home for home in homes for member in members if member.path.startswith(f"{home}/")}
    here = [home for home in homes if (project.root / home).is_dir()]
    moved = {}
    if len(used) == 1 and len(here) == 1:
        moved[used.pop()] = here[0]
    for name in HOMES:
        chosen, default = project.config.homes(name)[0], HOMES[name][0]
        if chosen != default:
            moved[default] = chosen
    return [BundleMember(_moved(member.path, moved), member.text) for member in members]


class _Arrival:
    """One import in the making: what is to be written, and what to say of it."""

    def __init__(self, project: Project, home: str, *, merge: bool, force: bool) -> None:
        self._project = project
        self._home = home
        self._merge = merge
        self._force = force
        self.wishes: dict[str, tuple[str, str | None]] = {}
        self._seen: set[str] = set()
        self._there: list[str] = []
        self._added = self._skipped = 0
        self._conflicts: list[Conflict] = []
        self._skills: list[str] = []
        self._backups: list[str] = []
        self._notes: list[str] = []
        self._rooms: dict[str, FileThere] | None = None

    def file(self, member: BundleMember) -> None:
        """One file of a bundle."""
        name = self._allowed(member.path)
        before = self._project.files.find(name)
        coming = self._project.parse(name, member.text)
        if before == member.text:
            self._skipped += len(_real(coming))
        elif before is None:
            self._new(coming)
        elif self._merge:
            self._both(self._project.parse(name, before), coming)
        else:
            self._replace(name, member.text, before)
            self._added += len(_real(coming))

    def skill(self, skill: BundleSkill) -> None:
        """One skill of a bundle."""
        transfer.safe_name(skill.name, "skill")
        name = self._once(f"{self._home}/skills/{skill.name}/SKILL.md")
        before = self._project.files.find(name)
        if before is None:
            self._wish(name, skill.text, None)
        elif before == skill.text:
            return
        elif self._merge:
            if not self._beside(name, skill.text, None, f"The skill {quote(skill.name)}"):
                return
        else:
            self._replace(name, skill.text, before)
        self._skills.append(skill.name)

    def refuse_overwrites(self) -> None:
        """Without --merge or --force, nothing that is here is touched."""
        if self._there:
            shown = some([quote(each) for each in self._there], _SHOWN)
            raise Exists(f"{shown} would be replaced; --merge adds what is missing, --force replaces it after a backup")

    def result(self, bundle: Bundle) -> Imported:
        return Imported(
            added=self._added,
            skipped=self._skipped,
            conflicts=self._conflicts,
            written=sorted(self.wishes),
            skills=self._skills,
            backups=self._backups,
            unknown=list(bundle.unknown),
            notes=self._notes,
        )

    def _allowed(self, path: str) -> str:
        """A name that a bundle may write: Markdown in a folder of memory, or other data of its dialect."""
        homes = [home for dialect in HOMES for home in self._project.config.homes(dialect)]
        inside = any(path.startswith(f"{home}/") for home in homes) or is_nested(path)
        if not inside or not (path.endswith(".md") or is_data(path, self._project.config)):
            raise Refused(f"{quote(path)} in the bundle is refused: it is not a memory file; remove it from the bundle")
        return self._once(path)

    def _once(self, name: str) -> str:
        self._project.files.path(name)
        if name in self._seen:
            raise Refused(f"{quote(name)} is in the bundle twice; remove one of the two")
        self._seen.add(name)
        return name

    def _wish(self, name: str, text: str, over: str | None) -> None:
        self._project.files.path(name)
        try:
            text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise Unreadable(
                f"the text of {quote(name)} in the bundle has an unpaired surrogate; fix the bundle"
            ) from None
        self.wishes[name] = (text, over)

    def _replace(self, name: str, text: str, before: str) -> None:
        if not self._force:
            self._there.append(name)
            return
        backup = f"{name}.{times.stamp(self._project.now()).replace(':', '-')}.bak"
        if self._project.files.exists(backup):
            raise Exists(f"the backup {quote(backup)} already exists; wait a second, or move it away")
        self._wish(backup, before, None)
        self._wish(name, text, before)
        self._backups.append(backup)

    def _new(self, coming: Document) -> None:
        """A file that is not here. When some of its entries are, in another file, only the rest is taken."""
        room = _room(coming) if self._merge else None
        if room and any(transfer.own_text(each, coming.text) in self._room(room).texts for each in coming.records):
            empty = Document(coming.path, "", dialect=coming.dialect)
            merged = self._merged(empty, coming, room, with_head=False)
            if merged and (merged.added or merged.passages):
                merged = self._merged(empty, coming, room, with_head=True)
            if merged:
                self._count(merged)
                if merged.added or merged.passages:
                    self._wish(coming.path, merged.text, None)
                return
        self._wish(coming.path, coming.text, None)
        self._added += len(_real(coming))

    def _both(self, there: Document, coming: Document) -> None:
        """A file that is here with another text: entries are merged, other files are kept side by side."""
        room = _room(there)
        if room:
            merged = self._merged(there, coming, room, with_head=transfer.says_nothing(there.text))
            if merged:
                self._count(merged)
                if merged.text != there.text:
                    self._wish(there.path, merged.text, there.text)
                return
        self._beside(coming.path, coming.text, coming, f"The file {quote(there.path)}")

    def _merged(self, there: Document, coming: Document, room: str, *, with_head: bool) -> transfer.MergedFile | None:
        return transfer.merge(there, coming, self._room(room), self._project.parse, with_head=with_head)

    def _beside(self, path: str, text: str, coming: Document | None, what: str) -> bool:
        """Keep another text of the same name next to the first; False when it is there from before."""
        name, kept = transfer.apart(coming.dialect if coming else None, path, text)
        records = _real(coming) if coming else []
        if self._project.files.exists(name) and self._project.files.read(name) == kept:
            self._skipped += len(records)
            return False
        self._wish(name, kept, None)
        self._added += len(records)
        one = records[0] if len(records) == 1 else None
        message = f"{what} already exists with different text; both are kept."
        self._conflicts.append(Conflict(one.id if one else None, one.title if one else None, path, name, message))
        return True

    def _count(self, merged: transfer.MergedFile) -> None:
        self._added += merged.added
        self._skipped += merged.skipped
        self._conflicts += merged.conflicts
        if merged.passages:
            passages = "1 passage" if merged.passages == 1 else f"{merged.passages} passages"
            self._notes.append(f"{passages} between entries came in too.")

    def _room(self, room: str) -> FileThere:
        """What is here already, by room; read once."""
        if self._rooms is None:
            documents: dict[str, list[Document]] = {}
            for document in self._project.documents():
                documents.setdefault(_room(document) or "", []).append(document)
            self._rooms = {name: FileThere(each) for name, each in documents.items()}
        return self._rooms.setdefault(room, FileThere(()))


def _room(document: Document) -> str | None:
    """The collection that a file's entries are part of; None where files stand for themselves."""
    collection = offered(document.dialect, "collection")
    return collection(document.path) if collection else None


def _moved(path: str, moved: dict[str, str]) -> str:
    for old, new in moved.items():
        if path.startswith(f"{old}/"):
            return new + path.removeprefix(old)
    return path
