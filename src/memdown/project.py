"""A project: the files of memory below one root, what dialects make of them, and what git knows. Acts take it."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

from memdown import dialects
from memdown.dialects import DIALECTS
from memdown.errors import Ambiguous, Exists, Invalid, NotFound, Refused, Unreadable, quote, too_large, way
from memdown.homes import HOMES
from memdown.lazy import LazyModule
from memdown.record import Document, Record
from memdown.settings import config
from memdown.settings.config import Config
from memdown.store import Files
from memdown.store.outside import files_below, read_any
from memdown.store.spelling import entries, spelled
from memdown.store.state import STATE
from memdown.store.steps import StepLog

if TYPE_CHECKING:
    from memdown.dialects import named
    from memdown.dialects.bank import grammar, modes, templates
    from memdown.dialects.journal import names as journal
    from memdown.git import repository as repositories
    from memdown.git.repository import Repository
    from memdown.store.wal import WalChange
else:
    named = LazyModule("memdown.dialects.named")
    repositories = LazyModule("memdown.git.repository")
    grammar, modes, templates = (
        LazyModule(f"memdown.dialects.bank.{name}") for name in ("grammar", "modes", "templates")
    )
    journal = LazyModule("memdown.dialects.journal.names")

T = TypeVar("T", bound="Closable")
SETTINGS_FILE = "memdown.toml"

Progress = Callable[[Iterable[str], str], Iterable[str]]
"""Wraps work on files, so that a surface can show how far it is; the second argument says what is done."""


class Closable(Protocol):
    """What is closed with a project."""

    def close(self) -> None: ...


def unwatched(names: Iterable[str], _: str) -> Iterable[str]:
    return names


class _Snapshot:
    """What was seen of a project within one call."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._repository: Repository | None = None
        self.walks: dict[str, list[str]] = {}
        self.texts: dict[str, str] = {}
        self.documents: dict[str, Document] = {}
        self.bank_home: str | None = None

    @property
    def repository(self) -> "Repository":
        if self._repository is None:
            self._repository = repositories.Repository(self._root)
        return self._repository

    def close(self) -> None:
        if self._repository is not None:
            self._repository.close()

    def forget(self) -> None:
        for seen in (self.walks, self.texts, self.documents):
            seen.clear()

    def wrote(self, name: str, text: str | None) -> None:
        self.documents.pop(name, None)
        if self._repository is not None:
            self._repository.wrote(name)
        if text is None or not any(name in names for names in self.walks.values()):
            self.walks.clear()
        self.texts.pop(name, None)
        if text is not None:
            self.texts[name] = text


def step_log(root: Path, settled: Config) -> StepLog:
    """The log of changes of a project, as large as its settings let it be."""
    kept = settled.undo
    return StepLog(str(root / STATE), steps=kept.steps, size=kept.megabytes << 20, allow=settled.secrets.allow)


def is_kept(name: str, settled: Config) -> bool:
    """Whether a backup may have a file of this name, in a project with these settings."""
    homes = (home for dialect in DIALECTS for home in settled.read_homes(dialect))
    inside = name.endswith(".md") and any(name.lower().startswith(f"{home.lower()}/") for home in homes)
    return name == SETTINGS_FILE or inside or is_data(name, settled)


def is_data(name: str, settled: Config) -> bool:
    """Whether a file is memory that is no Markdown, as the castings of a squad."""
    return name.endswith(".json") and any(
        name.startswith(f"{home}/{dialects.offered(dialect, 'DATA')}")
        for dialect in dialects.offering("DATA")
        for home in settled.homes(dialect)
    )


class Project:
    """The memory below one folder, with its settings, its clock and its mode."""

    def __init__(
        self,
        root: Path,
        *,
        settings: Config | None = None,
        now: Callable[[], datetime] = config.now,
        progress: Progress = unwatched,
        mode: str | None = None,
    ) -> None:
        """`mode` names the mode that every write is held to; without it `MEMDOWN_MODE` does."""
        self.root = root
        self.config = settings or config.load(root)
        self.mode = mode or config.mode()
        guard = modes.guard(self.mode, self.config.canonical_path) if self.mode else None
        self.files = Files(
            root,
            lock_timeout=self.config.lock_timeout,
            hidden=self.config.hidden(),
            guard=guard,
            observer=self,
            log=step_log(root, self.config),
            megabytes=self.config.max_file_megabytes,
        )
        self.now = now
        self.progress = progress
        self._passed_over: dict[str, None] = {}
        self.left_out: set[str] = set()
        """Files of memory that are too large to be read."""
        self._open: dict[object, Closable] = {}
        self._seen: _Snapshot | None = None

    # What is open

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of what questions opened, such as the index; a further question opens it again."""
        while self._open:
            self._open.popitem()[1].close()

    def opened(self, make: Callable[[], T]) -> T:
        """Something that stays open between questions: made by the first who asks, closed with the project."""
        if make not in self._open:
            self._open[make] = make()
        return self._open[make]  # type: ignore[return-value]

    # One call

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Within the block each folder is walked, each file read and parsed, and git asked at most once.

        Blocks may be nested; the outermost one counts. What is written through `files` is known at once, and the lock
        begins anew, so that an edit is made over what is really there. Nothing is kept after the block: others may
        change files between two calls.
        """
        if self._seen is not None:
            yield
            return
        self._seen = _Snapshot(self.root)
        try:
            yield
        finally:
            self._seen.close()
            self._seen = None

    @property
    def repository(self) -> "Repository":
        """What git knows of the project, asked within a snapshot, which ends what it started."""
        if self._seen is None:
            raise RuntimeError("git is asked within a snapshot of the project")
        return self._seen.repository

    def locked(self) -> None:
        """Others may have written up to now."""
        if self._seen is not None:
            self._seen.forget()

    def writing(self, changes: "list[WalChange]") -> None:
        """Files are about to change."""
        self._refuse_false(changes)

    def _refuse_false(self, changes: "list[WalChange]") -> None:
        """Refuse what is known not to be so; a project alone knows nothing of the code."""

    def wrote(self, name: str, text: str | None) -> None:
        """A file was written, or deleted."""
        if self._seen is not None:
            self._seen.wrote(name, text)

    # Files

    def text(self, name: str) -> str:
        """The text of a file."""
        if self._seen is None:
            return self.files.read(name)
        if name not in self._seen.texts:
            self._seen.texts[name] = self.files.read(name)
        return self._seen.texts[name]

    def read_ahead(self, names: Iterable[str]) -> None:
        """Read files that are about to be asked for, in less time than each by itself."""
        if self._seen is not None:
            texts = self._seen.texts
            texts.update(self.files.read_ahead([name for name in names if name not in texts]))

    def parsed(self, name: str, known: str | None = None) -> Document:
        """A file as the dialect that claims it reads it, or as the one that is known to."""
        if self._seen is None:
            return self.parse(name, self.text(name), known)
        if name not in self._seen.documents:
            self._seen.documents[name] = self.parse(name, self.text(name), known)
        return self._seen.documents[name]

    def names(self) -> list[str]:
        """Every file that may hold memory, relative to the root."""
        return list(self._names())

    def has_files(self) -> bool:
        """Whether any file may hold memory; the first one is enough to know."""
        return any(True for _ in self._names())

    def _names(self) -> Iterator[str]:
        homes = spelled(self.root, (home for dialect in DIALECTS for home in self.config.read_homes(dialect)))
        found = set[str]()
        for home, on_disk in homes.items():
            for name in self.below(on_disk or home):
                if name not in found:
                    found.add(name)
                    if not dialects.is_merged(name) and self.is_readable(name):
                        yield name

    def is_readable(self, name: str) -> bool:
        """Whether a file is not too large, which is told."""
        refusal = self.too_large(name)
        if refusal:
            self.left_out.add(name)
            self.tell(f"{quote(name)} {refusal}")
        return refusal is None

    def too_large(self, path: Path | str) -> str | None:
        """What is said of a file, behind its name, that is too large to be read."""
        with suppress(OSError, ValueError):  # reading it says what is wrong
            size = os.stat(os.path.join(self.root, path)).st_size  # noqa: PTH116, PTH118 - once for each file
            return too_large(size, self.config.max_file_megabytes)
        return None

    def kept_files(self, skipped: Callable[[str], None] | None = None) -> list[str]:
        """Every file that a backup keeps: Markdown in a folder of memory, castings of a squad, the settings.

        `skipped` hears of what is passed over.
        """
        homes = spelled(self.root, (home for dialect in DIALECTS for home in self.config.read_homes(dialect)))
        there = [on_disk for on_disk in homes.values() if on_disk]
        found = {name for home in there for name in self.files.walk(home, (".md", ".json"), skipped)}
        own = [SETTINGS_FILE] if self.files.exists(SETTINGS_FILE) else []
        return own + sorted(name for name in found if name.endswith(".md") or is_data(name, self.config))

    def below(self, home: str) -> Iterator[str]:
        """Names of the Markdown files below a folder; what is passed over is told."""
        if self._seen is None:
            return self.files.walk(home, skipped=self.tell)
        if home not in self._seen.walks:
            self._seen.walks[home] = list(self.files.walk(home, skipped=self.tell))
        return iter(self._seen.walks[home])

    def offering(self, name: str) -> list[str]:
        """The dialects here whose rooms have a thing that not every room has; rooms of others are not loaded."""
        folders = {each: spelled(self.root, self.config.read_homes(each)).values() for each in DIALECTS}
        here = [each for each, found in folders.items() if any(found) or self.config.is_root(each)]
        return dialects.offering(name, here)

    def tell(self, sentence: str) -> None:
        """Something people should know, beside the answer; each sentence once, without its period."""
        self._passed_over.setdefault(sentence)

    def notices(self) -> list[str]:
        """What happened beside the answer: files passed over, work of a crashed process completed."""
        alike: dict[str, list[str]] = {}  # by the reason: many files of one project are passed over for the same one
        for sentence in self._passed_over:
            alike.setdefault(sentence.partition(": ")[2] or sentence, []).append(sentence)
        self._passed_over.clear()
        passed_over = [
            f"{first} (so are {len(others)} more, as {others[0].partition(' is ')[0]})" if others else first
            for first, *others in alike.values()
        ]
        return passed_over + self.files.notices()

    def bank_home(self) -> str:
        """The bank's folder: one that holds a file of it, else one that is there, else the one for new projects."""
        if self._seen is None:
            return bank_folder(self.root, self.config) or self.config.homes("bank")[0]
        if self._seen.bank_home is None:
            self._seen.bank_home = bank_folder(self.root, self.config) or self.config.homes("bank")[0]
        return self._seen.bank_home

    def bank_files(self) -> dict[str, str]:
        """The seven that are there: the canonical name, and the name in the root; of two the canonical one wins."""
        found: dict[str, str] = {}
        for name in self.below(self.bank_home()):
            layer = grammar.layer_of(self.config.canonical_path(name))
            if layer and (layer.file not in found or name.endswith(f"/{layer.file}")):
                found[layer.file] = name
        return {layer.file: found[layer.file] for layer in templates.LAYERS if layer.file in found}

    def journal_home(self) -> str:
        """The folder of the journal: one that has a file of it, else that of the memory bank."""
        for home in self.config.homes("bank"):
            if any(self.files.exists(f"{home}/{name}") for name in journal.FILES.values()):
                return home
        return self.bank_home()

    def home(self, dialect: str) -> str:
        """The folder of a dialect for new records: the configured one, else the first known folder that is there.

        Empty where the project itself is that folder.
        """
        if HOMES[dialect] is HOMES["bank"]:  # they share a folder
            return self.bank_home() if dialect == "bank" else self.journal_home()
        homes = self.config.homes(dialect)
        there = next((each for each in homes if (self.root / each).is_dir()), None)
        if there is None and self.config.is_root(dialect):
            return ""
        return homes[0] if len(homes) > len(HOMES[dialect]) else there or homes[0]

    def inside_home(self, dialect: str) -> list[str]:
        """Names of the Markdown files of a dialect's folder, from there."""
        home = self.home(dialect)
        if not home:
            return [name for part in self.config.okf.parts for name in self.below(part)]
        return [name.removeprefix(f"{home}/") for name in self.below(home)]

    def holds(self, dialect: str) -> bool:
        """Whether a dialect that shares its folder with another has a file of its own there."""
        holds = dialects.offered(dialect, "holds")
        home = self.home(dialect)
        return holds is None or holds(
            self.inside_home(dialect), lambda name: self.files.read(f"{home}/{name}" if home else name)
        )

    def file_of(self, dialect: str, place: str) -> str:
        """The file of a place: the one of that name, else one that is spelled otherwise, else a new one."""
        home = self.home(dialect)
        usual = f"{home}/{place}" if home else place
        other_spelling = dialects.offered(dialect, "other_spelling")
        if other_spelling is None or self.files.exists(usual):
            return usual
        other = other_spelling(place, self.inside_home(dialect))
        return f"{home}/{other}" if other else usual

    def beside(self, record: Record | None, old: Record | None = None) -> Iterator[tuple[str, str | None, str | None]]:
        """Files that change with a record, where its dialect tells of it elsewhere too: name, text before and after.

        `old` is the record as it was, None when it is new; `record` is None when it goes. A text of None is no file.
        """
        dialect = (record or old).dialect  # type: ignore[union-attr]
        listed = dialects.offered(dialect, "beside")
        if listed is not None:
            homes = self.config.homes(dialect)
            yield from listed(record, old, homes if self.home(dialect) else (*homes, ""), self.now(), self.files.find)

    def write(self, changes: Iterable[tuple[str, str | None, str | None]]) -> list[str]:
        """Change files together, all of them or none: name, text before and after; None is no file. Their names."""
        made = list(changes)
        with self.files.group() as group:
            for name, before, after in made:
                if after is not None:
                    group.save(name, after, over=before)
                elif before is not None:
                    group.delete(name, over=before)
        return [name for name, *_ in made]

    def documents(self) -> Iterator[Document]:
        """Every file that a dialect claims."""
        names = self.names()
        self.read_ahead(names)
        for name in self.progress(names, "reading"):
            document = self.parsed(name)
            if document.dialect is not None:
                yield document

    def records(self) -> Iterator[Record]:
        return (record for document in self.documents() for record in document.records)

    def _records_called(self, name: str) -> Iterable[Record]:  # noqa: ARG002 - for who knows more of them
        """Records among which every one is that a name may mean."""
        return self.records()

    def parse(self, name: str, text: str, known: str | None = None) -> Document:
        """A file as the dialect that claims it reads it, or as the one that is `known` to: then no other is loaded."""
        settings = self.config
        path = settings.canonical_path(name)
        return dialects.parse(name, text, canonical_path=path, now=self.now(), settings=settings, known=known)

    def name_of(self, path: str) -> str | None:
        """The name in the root of a path a person gave; None when it is outside."""
        try:
            return self.files.name_of(path)
        except Refused:
            return None

    def page(self, name: str) -> str | None:
        """The Markdown file that a person names, from the root or from here; None when there is none."""
        with suppress(Refused):
            if name.endswith(".md") and self.files.exists(name):
                return name
        inside = self.name_of(name) if name.endswith(".md") else None
        return inside if inside and self.files.exists(inside) else None

    def files_at(self, paths: Sequence[str]) -> list[str]:
        """The files that paths a person gave stand for: a folder stands for the Markdown files below it."""
        return list(dict.fromkeys(below for path in paths for below in files_below(path)))

    def document(self, path: str) -> Document:
        """Any file, inside the root or not, under its name in the root if it has one."""
        name = self.name_of(path) or Path(path).as_posix()
        if refusal := self.too_large(Path(path).absolute()):
            raise Unreadable(f"{quote(name)} {refusal}")
        return self.parse(name, read_any(Path(path)))

    def inside(self, path: str) -> None:
        """Refuse a path that is outside the project, or that a link leads out of it."""
        name = self.files.name_of(path)
        if name:  # the root itself has none
            self.files.path(name)

    def save_as(self, path: str, text: str, *, force: bool = False) -> str:
        """Write a file a person asked for, inside the project; another text there is replaced only by force."""
        name = self.files.name_of(path)
        if not name:
            raise Refused(f"{quote(path)} is the project's folder; give a file's name")
        with self.files.lock():
            before = self.files.find(name)
            if before is not None and before != text and not force:
                raise Exists(f"{quote(name)} already exists with other content; choose another name or use --force")
            if before != text:
                self.files.save(name, text, over=before)
        return name

    def get(self, id: str) -> Record:
        """The record that a person names: by its id, number or title, the beginning of one, or as `path:line`."""
        for found_by in (self._in_file_of_its_own, self._at_place):
            with suppress(Refused):  # no file has such a name; a title may
                if direct := found_by(id):
                    return direct
        if not id.strip():
            raise Invalid(f"The id is empty; give an id, a title or path:line, as {way('list')} shows them.")
        try:
            return named.only(self._records_called(id), id)
        except NotFound as missing:
            if not isinstance(missing, Ambiguous) and not named.is_title(id):
                path, _, line = id.rpartition(":")
                self.files.path(path if line.isdecimal() else id)  # says what is wrong with one that could lead outside
            raise

    def _at_place(self, given: str) -> Record | None:
        """The record at `path:line`, or the only one of a file; the path is from the root or from here."""
        path, _, line = given.rpartition(":") if given.rpartition(":")[2].isdecimal() else (given, "", "")
        name = path if path and self.files.exists(path) else self.name_of(path) if path else None
        if not name or not name.endswith(".md") or not self.files.exists(name):
            return None
        records = self.parsed(name).records
        if line:
            return named.at_line(records, int(line), given)
        if any(each.span.end > records[0].span.end for each in records):
            raise Ambiguous(f"{quote(given)} holds {len(records)} records; name one as {name}:LINE.")
        return records[0] if records else None

    def _in_file_of_its_own(self, id: str) -> Record | None:
        """A record whose file is named by its id is found without reading any other."""
        found = []
        for home in (home for dialect in DIALECTS for home in self.config.homes(dialect)):
            name = f"{home}/{id}.md"
            if self.files.exists(name):
                document = self.parsed(name)
                found += [record for record in document.records if record.id in (id, f"{home}/{id}")]
        return found[0] if len(found) == 1 else None


# The bank, which many acts ask for


def bank_folder(root: Path, settings: Config) -> str | None:
    """The folder of the bank as it is spelled on disk; None when there is none yet.

    It is the one that is set, else one that holds a file of it, else one that is there.
    """
    homes = (settings.bank.folder,) if settings.bank.folder else HOMES["bank"]
    there = [home for home in spelled(root, homes).values() if home]
    return next((home for home in there if bank_files_in(root / home)), there[0] if there else None)


def bank_files_in(folder: Path) -> dict[str, str]:
    """Those of the seven files that a folder has: the canonical name, and the name on disk."""
    found: dict[str, str] = {}
    for name in entries(folder):
        layer = grammar.layer_of(f"{HOMES['bank'][0]}/{name}") if name.lower().endswith(".md") else None
        if layer and (layer.file not in found or name == layer.file):
            found[layer.file] = name
    return {layer.file: found[layer.file] for layer in templates.LAYERS if layer.file in found}
