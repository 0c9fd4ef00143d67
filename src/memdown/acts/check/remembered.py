"""Checking all memory of a project, where what was found before in the same texts is not looked for again.

Findings depend on the text of a file, on the rules and settings, on the clock and on the repository around. The index
keeps them by the first two. Of the clock and the repository is noted what rules asked, and findings count as long as
the answers are the same (`record.ClockUse`, `_NotedAround`). Rules that compare files run when one of
a dialect changed.
"""

import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from memdown import VERSION, dialects
from memdown.acts.check import engine, repository
from memdown.acts.check.stored import DocumentSource, StoredDocument
from memdown.diagnostics import SEVERITIES, Diagnostic
from memdown.dialects import DIALECTS, offered
from memdown.errors import way
from memdown.hashes import blake2b
from memdown.index import Index, findings, handle
from memdown.index.findings import FileSums, FileVerdict, Findings, Verdict
from memdown.index.sqlite import NAME
from memdown.markdown import tokens
from memdown.project import Project
from memdown.record import Around, ClockUse, Days, Document, Statement
from memdown.store.jail import STATE
from memdown.store.spelling import spelled
from memdown.text import encode

Facts = dict[tuple[str, str], str | int]
"""What was asked of the repository, about what, and the answer."""

_WORTH_AN_INDEX = 500
"""Files from which on it pays to make an index for the sake of checking alone."""
_AT_ONCE = 500
"""Files that rules look at one after the other, and whose findings are written together …"""
_HELD = 4_000_000
"""… or fewer, when their texts have so many characters: all of them are held meanwhile."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_SKIPPED = "select value from meta where key = 'skipped'"
_TRUSTED = "select length(value) from meta where key = 'scan'"
_encode_facts = msgspec.json.Encoder().encode
_decode_facts = msgspec.json.Decoder(list[tuple[str, str, str | int]]).decode


class Recalled(Struct, frozen=True):
    """All files of memory in their order, and what was found in them."""

    files: list[FileVerdict]
    compared: list[Verdict]
    lost: list[Diagnostic]
    source: DocumentSource

    def documents(self) -> list[Document]:
        return [StoredDocument(each.path, each.dialect, self.source) for each in self.files]

    def diagnostics(self, chosen: engine.Selection) -> list[Diagnostic]:
        """What the chosen rules found, in the order of files and places."""
        across: dict[str, list[tuple[int, Diagnostic]]] = {}
        for verdict in self.compared:
            for rank, each in findings.unpacked(verdict, ""):
                across.setdefault(each.path, []).append((rank, each))
        found = list(self.lost)
        for file in self.files:
            kept = file.verdict and (file.verdict.loud or file.verdict.quiet)
            of_file = findings.unpacked(file.verdict, file.path) if file.verdict and kept else []
            of_file += across.get(file.path, ())
            of_file.sort(key=_place)
            found += [each for _, each in of_file if chosen.wants(each.code)]
        return found

    def counts(self, chosen: engine.Selection) -> dict[str, int]:
        """How many findings there are of each severity."""
        if chosen.select or chosen.ignore:
            counted = Counter(each.severity for each in self.diagnostics(chosen))
            return {severity: counted[severity] for severity in SEVERITIES}
        return _counted((*self.compared, *(file.verdict for file in self.files if file.verdict)), self.lost)


def recall(root: Project, chosen: engine.Selection) -> Recalled | None:
    """What is wrong with all memory of a project; None where the index cannot vouch for the files."""
    trusted = _trusted(root, chosen)
    if trusted is None:
        return None
    with root.snapshot():
        return trusted.run()


def _trusted(root: Project, chosen: engine.Selection) -> "_Recall | None":
    """What the index recalls; None where it cannot vouch for the files.

    That is so where there is none yet and few files, where it is kept in memory only, where another process writes it,
    and where links, or files that cannot be read, are among the files.
    """
    if chosen.verifies or (not (root.root / STATE / NAME).is_file() and len(root.names()) < _WORTH_AN_INDEX):
        return None
    index, counts = handle.refreshed(root)
    if index.path is None or counts.get("behind") or not index.connection.execute(_TRUSTED).fetchone()[0]:
        return None
    for (sentences,) in index.connection.execute(_SKIPPED):
        for sentence in filter(None, sentences.split("\n")):
            root.tell(sentence)
    return _Recall(root, index, chosen)


class Overview(Struct, frozen=True):
    """What is there and how well it is, counted."""

    files: dict[str, int]
    """By dialect."""
    records: Days
    tokens: int
    findings: dict[str, int]
    """By severity."""


class _Recall:
    def __init__(self, root: Project, index: Index, chosen: engine.Selection) -> None:
        self._root = root
        self._index = index
        self._chosen = chosen
        self._every = engine.Selection(allow=chosen.allow, profile=chosen.profile)
        now = root.now()
        self._around = repository.Surroundings(root)
        self._source = DocumentSource(root, now, self._around)
        self._answers: Facts = {}
        self._looked_at: dict[str, Document] = {}
        """What is parsed already and is compared too."""
        self._findings = Findings(
            index.connection, _rules(root, index, self._every), _micros(now), now.date().isoformat()
        )

    def run(self) -> Recalled:
        files = self._in_order(self._findings.files())
        unknown = [each for each in files if each.verdict is None or not self._holds(each.verdict)]
        by_path = {each.path: each for each in unknown}
        waiting: list[Document] = []
        held = 0
        for path in self._root.progress(list(by_path), "checking"):
            waiting.append(self._opened(by_path[path]))
            held += len(waiting[-1].text)
            if len(waiting) >= _AT_ONCE or held >= _HELD:
                self._keep(self._check(waiting, by_path))
                waiting.clear()
                held = 0
        if waiting:
            self._keep(self._check(waiting, by_path))
        there = {each.dialect for each in files}
        compared = [self._compare(dialect, files) for dialect in DIALECTS if dialect in there]
        return Recalled(files, compared, self._beside(files), self._source)

    def summed(self) -> Overview | None:
        """What is there, counted by the index alone; None where a file has to be looked at."""
        sums = self._findings.sums()
        known = [self._findings.compared(dialect, self._findings.turn(dialect)) for dialect in sums]
        compared = [each for each in known if each is not None and self._holds(each)]
        if len(compared) < len(sums) or any(each.open for each in sums.values()):
            return None
        seen = [dialect for dialect in sums if repository.is_seen_beside(dialect)]
        lost = self._beside(self._in_order(self._findings.files()) if seen else [])
        return Overview(
            {dialect: each.files for dialect, each in sums.items()},
            handle.days(self._root),
            sum(each.tokens for each in sums.values()),
            _counted((*compared, *sums.values()), lost),
        )

    def _beside(self, files: Sequence[FileVerdict]) -> list[Diagnostic]:
        """What shows when memory is compared with what is none."""
        seen = {dialect for dialect in {each.dialect for each in files} if repository.is_seen_beside(dialect)}
        documents = [StoredDocument(each.path, each.dialect, self._source) for each in files if each.dialect in seen]
        return list(repository.beside(self._root, documents, self._chosen)) if documents else []

    def _in_order(self, files: list[FileVerdict]) -> list[FileVerdict]:
        """As `Project.names` has them: home by home, in each by name."""
        config = self._root.config
        homes = spelled(self._root.root, (home for dialect in DIALECTS for home in config.read_homes(dialect)))
        begins = [f"{on_disk or home}/" for home, on_disk in homes.items()]
        places: dict[str, int] = {}

        def place(file: FileVerdict) -> tuple[int, str]:
            folder = file.path.rpartition("/")[0]
            if folder not in places:
                places[folder] = next((at for at, each in enumerate(begins) if file.path.startswith(each)), len(begins))
            return places[folder], file.path

        return sorted(files, key=place)

    # What is not known yet

    def _opened(self, file: FileVerdict) -> Document:
        """A file for the rules, which notes what each asks about it."""
        document = StoredDocument(file.path, file.dialect, self._source, ClockUse())
        if document.around is not None:
            document.around = _NotedAround(self._around)
        return document

    def _check(self, documents: Sequence[Document], files: Mapping[str, FileVerdict]) -> list[FileVerdict]:
        """Look for what is wrong with each of some files; those of which that can be kept.

        Together, since a rule that goes from file to file takes less than every rule begun anew for each.
        """
        found: dict[str, list[Diagnostic]] = {}
        for each in engine.check(documents, self._every, across=False):
            found.setdefault(each.path, []).append(each)
        kept = []
        for document in documents:
            file, around = files[document.path], document.around
            same = blake2b(encode(document.text), digest_size=16).digest() == file.digest
            file.tokens = tokens.estimate(document.text)
            if not offered(file.dialect, "COMPARES_COPIES"):
                self._looked_at[file.path] = document
            facts = around.facts if isinstance(around, _NotedAround) else {}
            file.verdict, lasting = self._verdict(found.get(file.path, ()), file.path, document.clock_use, facts)
            if same and lasting:
                kept.append(file)
        return kept

    def _compare(self, dialect: str, files: Sequence[FileVerdict]) -> Verdict:
        """What rules find that compare the files of a dialect."""
        turn = self._findings.turn(dialect)
        known = self._findings.compared(dialect, turn)
        if known is not None and self._holds(known):
            return known
        own = [each for each in files if each.dialect == dialect]
        if offered(dialect, "COMPARES_COPIES"):
            sharing = self._findings.sharing(dialect)
            own = [each for each in own if each.number in sharing]
        use, noted = ClockUse(), _NotedAround(self._around)
        documents = [
            self._looked_at.get(each.path) or StoredDocument(each.path, each.dialect, self._source) for each in own
        ]
        for document in documents:
            document.clock_use = use
            document.around = noted if offered(dialect, "ASKS_REPOSITORY") else None
        found = engine.check(documents, self._every, across=True)
        verdict, lasting = self._verdict(found, None, use, noted.facts)
        if lasting:
            self._write(lambda: self._findings.keep_compared(dialect, turn, verdict))
        return verdict

    def _verdict(
        self, found: Sequence[Diagnostic], path: str | None, use: ClockUse | None, facts: Facts
    ) -> tuple[Verdict, bool]:
        """Findings as they are kept, and whether they last beyond this moment."""
        packed = findings.packed(found, path)
        if use is None or use.other:
            return packed, False
        holds = structs.replace(
            packed,
            since=_micros(use.since) if use.since else None,
            until=_micros(use.until) if use.until else None,
            day=use.day.isoformat() if use.day else None,
            facts=_encode_facts([(*asked, answer) for asked, answer in facts.items()]) if facts else None,
        )
        return holds, True

    def _holds(self, verdict: Verdict) -> bool:
        """Whether the repository still answers as it did."""
        if verdict.facts is None:
            return True
        for question, about, answer in _decode_facts(verdict.facts):
            if (question, about) not in self._answers:
                self._answers[question, about] = _answer(self._around, question, about)
            if self._answers[question, about] != answer:
                return False
        return True

    def _keep(self, files: Sequence[FileVerdict]) -> None:
        if files:
            self._write(lambda: self._findings.keep(files))

    def _write(self, keep: Callable[[], None]) -> None:
        try:
            with self._index.writing():
                keep()
        except sqlite3.OperationalError:
            return  # another process writes, or the disk is full: then it is looked for again the next time


class _NotedAround:
    """The repository, and what was asked of it."""

    def __init__(self, around: Around) -> None:
        self._around = around
        self.facts: Facts = {}

    def paths(self) -> Collection[str]:
        self._note("paths")
        return self._around.paths()

    def is_bare(self) -> bool:
        return bool(self._note("is_bare"))

    def has(self, path: str) -> bool:
        return bool(self._note("has", path))

    def versions(self) -> Mapping[str, Mapping[str, str]]:
        self._note("versions")
        return self._around.versions()

    def behind(self, path: str) -> int | None:
        count = int(self._note("behind", path))
        return None if count < 0 else count

    def statements(self, path: str) -> Sequence[Statement]:
        return self._around.statements(path)

    def _note(self, question: str, about: str = "") -> str | int:
        if (question, about) not in self.facts:
            self.facts[question, about] = _answer(self._around, question, about)
        return self.facts[question, about]


def _answer(around: Around, question: str, about: str) -> str | int:
    """What the repository says, short enough to be kept."""
    match question:
        case "has":
            return int(around.has(about))
        case "is_bare":
            return int(around.is_bare())
        case "behind":
            count = around.behind(about)
            return -1 if count is None else count
        case "paths":
            return _short("\n".join(sorted(around.paths())))
        case _:
            return _short(repr(sorted((name, *found.items()) for name, found in around.versions().items())))


def _short(text: str) -> str:
    return blake2b(encode(text), digest_size=16).hexdigest()


def _place(found: tuple[int, Diagnostic]) -> tuple[int, str, int]:
    return found[1].span.start, found[1].code, found[0]


def _micros(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND


def _rules(root: Project, index: Index, chosen: engine.Selection) -> int:
    """A number for all that findings depend on but texts, clock and repository.

    An index that came from elsewhere, as with a clone, is another: nobody can bring findings along.
    """
    ways = [way(words) for words in ("check", "card dedupe", "--fix")]
    homes = [root.config.read_homes(dialect) for dialect in DIALECTS]
    parts = (VERSION, _code(), str(root.root), index.state, chosen.allow, chosen.profile, ways, homes)
    settings = msgspec.json.encode(root.config)
    return int.from_bytes(blake2b(encode(repr(parts)) + settings, digest_size=8).digest(), "big", signed=True)


def _code() -> list[tuple[str, int, int]]:
    """The state of the modules that read and check, which change between two versions where memdown is developed."""
    package = Path(dialects.__file__).parent.parent
    folders = [package / "acts" / "check", package / "dialects", package / "markdown"]
    found = []
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir() and entry.name != "__pycache__":
                    folders.append(Path(entry.path))
                elif entry.name.endswith(".py"):
                    state = entry.stat()
                    found.append((entry.name, state.st_size, state.st_mtime_ns))
    return sorted(found)


def overview(root: Project, chosen: engine.Selection) -> Overview | None:
    """The numbers of a project; None where the index cannot vouch for the files."""
    trusted = _trusted(root, chosen)
    if trusted is None:
        return None
    with root.snapshot():
        summed = trusted.summed() if not (chosen.select or chosen.ignore) else None
        if summed is not None:
            return summed
        recalled = trusted.run()
    files = Counter(each.dialect for each in recalled.files)
    return Overview(
        dict(files), handle.days(root), sum(each.tokens for each in recalled.files), recalled.counts(chosen)
    )


def _counted(known: Iterable[Verdict | FileSums], lost: Iterable[Diagnostic]) -> dict[str, int]:
    """Findings by severity."""
    more = Counter(each.severity for each in lost)
    errors = warnings = infos = 0
    for each in known:
        errors += each.errors
        warnings += each.warnings
        infos += each.infos
    found = zip(SEVERITIES, (errors, warnings, infos), strict=True)
    return {severity: number + more[severity] for severity, number in found}
