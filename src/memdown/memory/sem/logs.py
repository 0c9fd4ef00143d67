"""What can be done with whole logs: convert, begin, merge the drop box, archive. Reached as `memory.logs`."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext

from msgspec import Struct

from memdown import git
from memdown.acts import convert, inbox
from memdown.acts.convert import Conversion, ConvertChoice, ConvertItem
from memdown.dialects import DIALECTS
from memdown.dialects.sem import grammar
from memdown.dialects.sem.read import entries
from memdown.errors import Ambiguous, Invalid, NotFound, Unreadable, quote
from memdown.project import Project
from memdown.record import Document
from memdown.times import Moment

sem = DIALECTS["sem"]

_CONVERTED_PARTS = ("log", "archive", "history")


class Converted(Struct, frozen=True):
    """What a conversion did, or would do."""

    items: list[ConvertItem]
    written: list[str]
    backups: list[str]
    changed: list[Conversion]
    """The files that differ, before and after."""

    def count(self, state: str) -> int:
        return sum(item.state == state for item in self.items)


class Legacy(Struct, frozen=True):
    """How much text of an older spelling there is."""

    files: int
    entries: int


class LogInit(Struct, frozen=True):
    """What `init` made and found."""

    root: str
    created: list[str]
    kept: list[str]
    legacy: Legacy
    converted: Converted | None = None


class Logs:
    """The logs of one memory, as files."""

    def __init__(self, root: Project) -> None:
        self._root = root

    def homes(self) -> list[str]:
        """The folders of logs that are there."""
        return [home for home in self._root.config.homes("sem") if (self._root.root / home).is_dir()]

    # Conversion

    def convert(
        self,
        path: str,
        *,
        to: str = "sem",
        out: str | None = None,
        minimum: str = "medium",
        accept: Sequence[str] = (),
        skip: Sequence[str] = (),
        infer_time: bool = False,
        backup: bool = True,
        write: bool = True,
    ) -> Converted:
        """Write the legacy entries of a file, or of all logs and histories below a folder, in a dialect's own form.

        With `out` the new text of one file goes there, and the file itself stays. Else the old text of each file that
        changes is kept beside it, unless `backup` says no.
        """
        with self._root.files.lock(when=write):
            documents = self._documents(path)
            if out is not None and (self._root.root / self._root.files.name_of(path)).is_dir():
                raise Invalid("--out takes the text of one file; give the path of a file, not of a folder.")
            known = [record.id for document in documents for record in entries(document.records)]
            choice = ConvertChoice(minimum, _resolved(accept, known), _resolved(skip, known))
            done = convert.convert(
                documents, to=to, choice=choice, moments=self._moments if infer_time else _no_moments
            )
            changed = [each for each in done if each.after != each.before]
            backups: list[str] = []
            if out is not None:
                written = self._save_elsewhere(self._root.files.name_of(out), done[0].after, write=write)
            else:
                written = [each.path for each in changed]
                backups = self._save(changed, backup=backup, write=write)
        return Converted([item for each in done for item in each.items], written, backups, changed)

    def _documents(self, path: str) -> list[Document]:
        """The file a person named, whatever it is, or the logs and histories below the folder."""
        name = self._root.files.name_of(path)
        if (self._root.root / name).is_dir():
            names = self._root.names() if not name else list(self._root.below(name))
            chosen = [each for each in names if grammar.part_of(each) in _CONVERTED_PARTS]
            documents = [self._root.parse(each, self._root.files.read(each)) for each in chosen]
            return [document for document in documents if document.dialect == "sem"]
        if not self._root.files.exists(name):
            raise Unreadable(f"there is no file {quote(path)}; check the path")
        document = self._root.parse(name, self._root.files.read(name))
        if document.dialect != "sem":
            document = Document(name, document.text, dialect="sem", records=sem.read(name, document.text))
        return [document]

    def _moments(self, document: Document) -> Mapping[int, Moment]:
        return git.line_moments(self._root.root, document.path)

    def _save_elsewhere(self, name: str, text: str, *, write: bool) -> list[str]:
        files = self._root.files
        if files.exists(name) and files.read(name) == text:
            return []
        if write:
            files.save(name, text, over=None)
        return [name]

    def _save(self, changed: Iterable[Conversion], *, backup: bool, write: bool) -> list[str]:
        backups = []
        with self._root.files.group() if write else nullcontext() as group:
            for each in changed:
                if backup:
                    backups.append(inbox.free_name(self._root.files.exists, each.path, ".bak"))
                if group is not None:
                    if backup:
                        group.save(backups[-1], each.before, over=None)
                    group.save(each.path, each.after, over=each.before)
        return backups

    # Beginning

    def begin(self, *, dialect: str | None = None, convert_legacy: bool = False, write: bool = True) -> LogInit:
        """Make the log of a new project, and say what there is to convert."""
        created, kept = [], []
        with self._root.files.lock(when=write):
            logs = [f"{home}/decisions.md" for home in self.homes() or [self._root.config.homes("sem")[0]]]
            there = [name for name in logs if self._root.files.exists(name)]
            kept += there
            if dialect == "sem" and not there:
                created.append(logs[0])
                if write:
                    self._root.files.save(logs[0], inbox.NEW_LOG, over=None)
            legacy = self._legacy()
            converted = self.convert(str(self._root.root), write=write) if convert_legacy and legacy.entries else None
        return LogInit(str(self._root.root), created, kept, legacy, converted)

    def _legacy(self) -> Legacy:
        counts = [
            sum(record.form in grammar.LEGACY for record in document.records)
            for document in self._documents(str(self._root.root))
        ]
        return Legacy(sum(count > 0 for count in counts), sum(counts))

    # The drop box

    def dropped(self) -> list[inbox.Dropped]:
        """What waits in the drop boxes."""
        return [each for home in self.homes() for each in inbox.dropped(self._root, home)]

    def merge_inbox(self, *, write: bool = True) -> inbox.InboxMerge:
        """Move what waits in the drop boxes to the logs, each entry once."""
        with self._root.files.lock(when=write):
            plans = [inbox.plan(self._root, home) for home in self.homes()]
            if write:
                with self._root.files.group() as group:
                    for each in plans:
                        inbox.carry_out(each, group)
        return inbox.result(plans)


def _no_moments(_: Document) -> Mapping[int, Moment]:
    return {}


def _resolved(wanted: Sequence[str], known: Sequence[str]) -> frozenset[str]:
    """Ids that people gave by their beginnings."""
    found = set()
    for given in wanted:
        fitting = {id for id in known if id.startswith(given)}
        if not fitting:
            raise NotFound(f"No entry here has the id {quote(given)}; `--review` lists those that can be chosen.")
        if len(fitting) > 1 and given not in fitting:
            raise Ambiguous(f"{len(fitting)} entries have an id that begins with {quote(given)}; give more of it.")
        found.add(given if given in fitting else fitting.pop())
    return frozenset(found)
