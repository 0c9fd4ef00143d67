"""What can be done with whole logs: convert, begin, merge the drop box, archive. Reached as `memory.logs`."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from contextlib import nullcontext
from functools import partial

from msgspec import Struct

from memdown import git
from memdown.acts import convert, inbox
from memdown.acts.convert import Conversion, ConvertChoice, ConvertItem
from memdown.dialects import DIALECTS
from memdown.dialects.draft import Known, LineFacts, checked_line
from memdown.dialects.sem import grammar
from memdown.dialects.sem.read import entries
from memdown.errors import Ambiguous, Invalid, NotFound, Unreadable, quote
from memdown.project import Project
from memdown.record import Document

sem = DIALECTS["sem"]

_CONVERTED_PARTS = ("log", "archive", "history")


class Converted(Struct, frozen=True):
    """What a conversion did, or would do."""

    items: list[ConvertItem]
    written: list[str]
    backups: list[str]
    changed: list[Conversion]
    """The files that differ, before and after."""

    git_knows: dict[str, int]
    """For how many of the entries that lack an author or a date git knows one."""

    def count(self, state: str) -> int:
        return sum(item.state == state for item in self.items)

    @property
    def canonical(self) -> int:
        return sum(item.reason == convert.CANONICAL for item in self.items)

    def could_not(self) -> dict[str, int]:
        """Why entries were not converted, with how many."""
        reasons = [item.reason.partition(";")[0] for item in self.items if item.state == "kept" and item.reason]
        return {each: count for each, count in sorted(Counter(reasons).items()) if each != convert.CANONICAL}

    def lacking(self, what: str) -> int:
        return sum(what in item.missing for item in self.items)


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
        infer: Collection[str] = (),
        author: str | None = None,
        backup: bool = True,
        write: bool = True,
    ) -> Converted:
        """Write the legacy entries of a file, or of all logs and histories below a folder, in a dialect's own form.

        With `out` the new text of one file goes there, and the file itself stays. Else the old text of each file that
        changes is kept beside it, unless `backup` says no. `infer` takes from git what entries do not say: with "git"
        missing authors and dates, with "time" the time of a day that git knows too. `author` signs what nobody signed.
        """
        author = checked_line(author, "author") if author is not None else None
        if author == "":
            raise Invalid("The author is empty; give a name with --author.")
        with self._root.files.lock(when=write):
            documents = self._documents(path)
            if out is not None and (self._root.root / self._root.files.name_of(path)).is_dir():
                raise Invalid("--out takes the text of one file; give the path of a file, not of a folder.")
            known = [record.id for document in documents for record in entries(document.records)]
            choice = ConvertChoice(minimum, _resolved(accept, known), _resolved(skip, known))
            done = convert.convert(documents, to=to, choice=choice, known=partial(self._known, infer, author))
            git_knows = {} if "git" in infer else self._git_knows(done)
            changed = [each for each in done if each.after != each.before]
            backups: list[str] = []
            if out is not None:
                written = self._save_elsewhere(self._root.files.name_of(out), done[0].after, write=write)
            else:
                written = [each.path for each in changed]
                backups = self._save(changed, backup=backup, write=write)
        items = [item for each in done for item in each.items]
        return Converted(items, written, backups, changed, git_knows)

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

    def _known(self, infer: Collection[str], author: str | None, document: Document) -> Known:
        origins = git.line_origins(self._root.root, document.path) if infer else {}
        lines = {line: LineFacts(origin.at, origin.author) for line, origin in origins.items()}
        return Known(lines, gaps="git" in infer, times="time" in infer, author=author)

    def _git_knows(self, done: Iterable[Conversion]) -> dict[str, int]:
        counts: Counter[str] = Counter()
        for each in done:
            if lacking := [item for item in each.items if item.missing]:
                lines = git.line_origins(self._root.root, each.path)
                counts.update(what for item in lacking if item.line - 1 in lines for what in item.missing)
        return dict(sorted(counts.items()))

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
        counts = [sum(map(grammar.is_legacy, document.records)) for document in self._documents(str(self._root.root))]
        return Legacy(sum(count > 0 for count in counts), sum(counts))

    # The drop box

    def dropped(self) -> list[inbox.Dropped]:
        """What waits in the drop boxes."""
        return [each for home in self.homes() for each in inbox.dropped(self._root, home)]

    def merge_inbox(self, *, write: bool = True) -> inbox.InboxMerge:
        """Move what waits in the drop boxes to the logs, each entry once."""
        with self._root.files.lock(when=write):
            plans = [plan for home in self.homes() for plan in inbox.plans(self._root, home)]
            if write:
                with self._root.files.group() as group:
                    for each in plans:
                        inbox.carry_out(each, group)
        return inbox.result(plans)


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
