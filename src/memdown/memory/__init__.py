"""`Memory`: one method for each thing a user can ask for. All surfaces call it, and nothing else.

What a method needs is loaded when it is called: a question that the files or the index answer should not wait for
the rules, the converters and all five dialects.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from msgspec import Struct, structs

from memdown.dialects import DIALECTS, offered
from memdown.errors import Invalid, Stale, Unreadable, quote, way
from memdown.homes import reads_elsewhere
from memdown.lazy import LazyModule
from memdown.markdown import tokens
from memdown.project import Progress, Project, unwatched
from memdown.record import UNTRUE, Link, Mark, Record, Statement
from memdown.settings import config
from memdown.store import find_root
from memdown.text import encode

if TYPE_CHECKING:
    from threading import Event

    from memdown import git
    from memdown.acts import (
        add,
        archive,
        backup,
        blame,
        changes,
        check,
        context,
        cost,
        delete,
        diff,
        doctor,
        edit,
        graph,
        init,
        install,
        last_step,
        log,
        overview,
        projects,
        prompt,
        removed,
        restore,
        review,
        slim,
        source,
        stale,
        stats,
        step_titles,
        suppress,
        touch,
        transfer,
        undocumented,
        verify,
    )
    from memdown.acts.add import Added, guess
    from memdown.acts.archive import Archived
    from memdown.acts.backup import Backup
    from memdown.acts.blame import FieldOrigin
    from memdown.acts.brief import BriefPart
    from memdown.acts.changes import BranchChanges
    from memdown.acts.check import Checked, FileReading, Severe, engine, health
    from memdown.acts.check.health import HealthFinding
    from memdown.acts.context.pack import Context
    from memdown.acts.cost import Spending
    from memdown.acts.delete import Deletion
    from memdown.acts.diff import Comparison
    from memdown.acts.doctor import Checkup
    from memdown.acts.edit import Changes
    from memdown.acts.graph import Graph
    from memdown.acts.init import Begun
    from memdown.acts.install.plan import InstallPlan, ShownChange, TargetStatus
    from memdown.acts.merge import resolve
    from memdown.acts.merge.resolve import OpenQuestion, Resolved, Side
    from memdown.acts.overview import MemoryOverview
    from memdown.acts.recall import for_path
    from memdown.acts.recall.for_path import PathMemory
    from memdown.acts.removed import Removed
    from memdown.acts.restore import Restored, version
    from memdown.acts.slim import Slimming
    from memdown.acts.stale import StaleList
    from memdown.acts.stats import Stats
    from memdown.acts.transfer import Exported, Imported
    from memdown.acts.transfer.bundle import Bundle
    from memdown.acts.undocumented import UndocumentedFile
    from memdown.acts.verify import Confirmation, VerifyDraft
    from memdown.diagnostics import Rule
    from memdown.dialects.draft import DraftFields
    from memdown.evidence import declared
    from memdown.git import checkout as checkouts
    from memdown.history.trail import LoggedChange
    from memdown.index import Index, handle, questions, sync
    from memdown.index import branches as searched_branches
    from memdown.index import query as queries
    from memdown.index import standing as standings
    from memdown.index import wide as searched_wide
    from memdown.index.elsewhere import Named
    from memdown.index.found import Found
    from memdown.index.query import Query
    from memdown.index.questions import Questions
    from memdown.index.search import Hits
    from memdown.index.sync import past, watch
    from memdown.markdown.tokens import Count
    from memdown.memory import bank, board, briefing, cards, journal, layers
    from memdown.memory import propose as proposing
    from memdown.memory.sem import logs
    from memdown.store import undo
    from memdown.store.undo import Act, ChangedPart, RestoredFile, TakenBack
    from memdown.store.wal import WalChange
else:
    git = LazyModule("memdown.git")
    add, archive, backup, check, context, cost, delete, doctor = (
        LazyModule(f"memdown.acts.{name}")
        for name in ("add", "archive", "backup", "check", "context", "cost", "delete", "doctor")
    )
    edit, graph, init, install, log, projects, prompt = (
        LazyModule(f"memdown.acts.{name}") for name in ("edit", "graph", "init", "install", "log", "projects", "prompt")
    )
    removed, restore, review, slim, stats, touch, transfer, verify = (
        LazyModule(f"memdown.acts.{name}")
        for name in ("removed", "restore", "review", "slim", "stats", "touch", "transfer", "verify")
    )
    last_step, overview, stale, step_titles, suppress, undocumented = (
        LazyModule(f"memdown.acts.{name}")
        for name in ("last_step", "overview", "stale", "step_titles", "suppress", "undocumented")
    )
    for_path, guess = LazyModule("memdown.acts.recall.for_path"), LazyModule("memdown.acts.add.guess")
    resolve, declared = LazyModule("memdown.acts.merge.resolve"), LazyModule("memdown.evidence.declared")
    engine, health = LazyModule("memdown.acts.check.engine"), LazyModule("memdown.acts.check.health")
    handle, questions, watch = (LazyModule(f"memdown.index.{name}") for name in ("handle", "questions", "sync.watch"))
    bank, board, briefing, cards, journal, layers, logs = (
        LazyModule(f"memdown.memory.{name}")
        for name in ("bank", "board", "briefing", "cards", "journal", "layers", "sem.logs")
    )
    proposing = LazyModule("memdown.memory.propose")
    undo = LazyModule("memdown.store.undo")
    queries = LazyModule("memdown.index.query")
    past, checkouts = LazyModule("memdown.index.sync.past"), LazyModule("memdown.git.checkout")
    searched_branches, standings = LazyModule("memdown.index.branches"), LazyModule("memdown.index.standing")
    version = LazyModule("memdown.acts.restore.version")
    source, searched_wide = LazyModule("memdown.acts.source"), LazyModule("memdown.index.wide")
    blame, changes, diff = (LazyModule(f"memdown.acts.{name}") for name in ("blame", "changes", "diff"))


RULE_FOLDERS = (".claude", ".clinerules", ".cursor", ".github", ".kilocode", ".roo", ".windsurf")
"""Folders of rules for assistants, which a question of the past may need beside memory."""


class Status(Struct, frozen=True):
    """What a root holds, in one screen."""

    root: str
    dialects: dict[str, dict[str, int]]
    tokens: int
    staleness: dict[str, int]
    findings: dict[str, int]
    nested: list[str]
    """Folders of memory in packages below the root."""


class Memory(Project):
    """The memory of one project.

    Questions open its index, which stays open until `close`, or the end of a `with` block, or until nobody has the
    memory any more.
    """

    @classmethod
    def open(
        cls,
        root: str | Path | None = None,
        *,
        start: str | Path | None = None,
        project: str | None = None,
        progress: Progress = unwatched,
        mode: str | None = None,
        lenient: bool = False,
    ) -> "Memory":
        """The memory at `root`, or of the project that `start` (the current folder) belongs to.

        `project`, else `MEMDOWN_PROJECT` where nothing says which, is one below `MEMORY_BANK_ROOT`.
        Every write is held to `mode`, else to the one that `MEMDOWN_MODE` names.
        With `lenient`, settings that cannot be read count as none, for who looks at what is wrong.
        """
        if project is None and root is None and start is None:
            project = config.project()
        if root is None and project is not None:
            root = projects.resolve(project)
        elif root is None:
            root = find_root(Path(start or Path.cwd()), config.holds_memory)
        root = Path(root)
        if not root.is_dir():
            raise Unreadable(f"{root} is not a folder.")
        settings = config.load_leniently(root.resolve()) if lenient else None
        return cls(root.resolve(), progress=progress, mode=mode, settings=settings)

    def _refuse_false(self, changes: "list[WalChange]") -> None:
        """Refuse what declares a claim that does not hold, whoever writes it."""
        texts = [each.after for each in changes if each.after and b"claim" in each.after]
        if any(b"memdown:" in each or b"claims:" in each for each in texts):
            declared.require(self, changes)

    @property
    def bank(self) -> "bank.BankSessions":
        """The memory bank of seven files."""
        return bank.BankSessions(self)

    @property
    def board(self) -> "board.Board":
        """Tasks as columns, and moving them."""
        return board.Board(self)

    @property
    def cards(self) -> "cards.Cards":
        """What can be asked of cards."""
        return cards.Cards(self)

    @property
    def review(self) -> "review.Review":
        """What was captured and waits for a person to keep or drop it."""
        return review.Review(self)

    @property
    def layers(self) -> "layers.Layers":
        """The layered store."""
        return layers.Layers(self)

    @property
    def logs(self) -> "logs.Logs":
        """What can be done with whole logs: convert, merge the drop box, archive."""
        return logs.Logs(self)

    @property
    def journal(self) -> "journal.Journal":
        """Edits, tasks, sessions and errors, written."""
        return journal.Journal(self)

    def begin(self, dialect: str, *, write: bool = True) -> "Begun":
        """Make the files that a project of a dialect begins with; those that are there stay as they are."""
        return init.begin(self, dialect, write=write)

    # Between projects and tools

    def install(
        self,
        target: str | None = None,
        *,
        able: Collection[str],
        line: str | None = None,
        capture: bool = False,
        remove: bool = False,
        write: bool = True,
        check: bool = False,
    ) -> "InstallPlan":
        """Put memdown into the settings of an assistant or of git, or take it out.

        `able` are the commands this memdown has; `line` is how it is called. `capture` has messages kept.
        `check` runs what was installed once.
        """
        return install.install(
            self,
            target,
            able=able,
            rules=prompt.rules,
            line=line,
            capture=capture,
            remove=remove,
            write=write,
            check=check,
        )

    def install_targets(self, able: Collection[str]) -> "list[ShownChange]":
        """What memdown can be put into, and where it is."""
        return install.targets(self, able, prompt.rules)

    def install_status(
        self, able: Collection[str], target: str | None = None, *, line: str | None = None
    ) -> "list[TargetStatus]":
        """How memdown is installed for a target or all of them: whole, changed by hand, out of date, broken."""
        return install.status(self, able, prompt.rules, target, line)

    def touch(self, path: str, *, edited: bool) -> list[str]:
        """What follows when an assistant reads or has edited a file of memory itself; what it should know of it."""
        return touch.touch(self, path, edited=edited)

    def touch_committed(self, *, as_on_disk: bool = False) -> list[str]:
        """What an assistant should know of the memory it is about to commit: what is staged, or what is on disk."""
        return touch.about_to_commit(self, as_on_disk=as_on_disk)

    def export(self, *, kinds: Sequence[str] = (), skills: bool = False) -> "Bundle":
        """All files of memory, as they are; with `kinds`, only the text of these entries."""
        return transfer.export(self, kinds=kinds, skills=skills)

    def export_squad(self) -> "Exported":
        """The home of the log as a Squad export."""
        return transfer.export_squad(self)

    def load_bundle(self, path: str) -> "Bundle":
        """The bundle in a file, wherever that is: it comes from another project."""
        return transfer.load(path)

    def import_bundle(
        self,
        bundle: "Bundle",
        *,
        merge: bool = False,
        skills_only: bool = False,
        force: bool = False,
        write: bool = True,
    ) -> "Imported":
        """Bring in a bundle: all of it or nothing. With `write=False`, only say what would happen."""
        with self.files.adopting():
            return transfer.import_bundle(self, bundle, merge=merge, skills_only=skills_only, force=force, write=write)

    def pack(self, *, with_undo: bool = False) -> "tuple[bytes, Backup]":
        """All files of memory as the bytes of one file, and what it holds."""
        return backup.pack(self, with_undo=with_undo)

    def backup(self, path: str, *, with_undo: bool = False, force: bool = False) -> "Backup":
        """Write all files of memory into one file, wherever that is; another file there is replaced by `force` only."""
        data, made = backup.pack(self, with_undo=with_undo)
        written = backup.save(Path(path), data, force=force)
        return structs.replace(made, written=path, unchanged=not written)

    def restore(
        self,
        source: str | bytes,
        *,
        commit: str | None = None,
        exact: bool = False,
        with_undo: bool = False,
        write: bool = True,
    ) -> "Restored":
        """Write the files of a backup, given by its path or its bytes: all of them or none.

        With a `commit`, or a date, the source is a record, a file or a folder, which becomes what it was then.
        With `exact`, files of memory that it does not have are deleted; `write=False` only says what would happen.
        """
        with self.files.adopting():
            if commit is not None:
                return version.restore(self, str(source), commit, write=write)
            data, place = (source, "the backup") if isinstance(source, bytes) else (restore.load(source), source)
            return restore.restore(self, data, place, exact=exact, with_undo=with_undo, write=write)

    def in_conflict(self) -> list[str]:
        """The memory files that a merge left in conflict, which `resolve` merges."""
        return resolve.in_conflict(self)

    def resolve(
        self,
        paths: Sequence[str] = (),
        *,
        write: bool = True,
        keep_both: bool = False,
        picks: "Mapping[OpenQuestion, Side] | None" = None,
    ) -> "Resolved":
        """Merge memory files that git left in conflict, those given or all; `write=False` only says what would be.

        Files where something was kept from both sides are staged with `keep_both` only. `picks` says for open
        questions which side stays, also for those that earlier merges left in files.
        """
        with self.files.adopting():
            return resolve.resolve(self, paths, write=write, keep_both=keep_both, picks=picks)

    def doctor(self, *, able: Collection[str], fix: bool = False) -> "list[Checkup]":
        """What could keep memdown from working here; `fix` mends what is safe to mend. Open it `lenient` for that.

        `able` are the commands this memdown has.
        """
        return doctor.doctor(self, able=able, configure_driver=partial(install.configure_driver, self), fix=fix)

    def cost(self, session: str | None = None) -> "Spending":
        """How many tokens hooks and tools put before assistants, in one session or in all of them."""
        return cost.cost(self, session)

    def stats(self, *, top: int = 10) -> "Stats":
        """Velocity, authors, growth, scopes, kinds, tags, ages and cost."""
        return stats.stats(self, top=top)

    def health(self) -> "list[HealthFinding]":
        """What is unwell in all records taken together, the worst first."""
        return health.health(self)

    # History

    def log(self, name: str = "", *, limit: int | None = None, since: str | None = None) -> "list[LoggedChange]":
        """Every version that git has of a record, of all in a file, or of those that fit a query, the newest first.

        Without a name, the latest changes of all records. `since` is a date or an age, as 7d.
        """
        return log.log(self, name, limit=limit, since=since)

    def diff(self, *names: str) -> "Comparison":
        """What changed by record: between two commits, since one, or since the last one where none is named.

        A commit may be a date or an age too; files or folders after them are the only ones that are compared.
        """
        return diff.diff(self, names)

    def blame(self, name: str) -> "list[FieldOrigin]":
        """Which commit last changed each field of a record, or of all records of a file."""
        return blame.blame(self, name)

    def changes(self, commits: str = "") -> "BranchChanges":
        """What a branch did to memory, as `main..feature`; without one end, since the main branch, or up to now."""
        return changes.changes(self, commits)

    # The index

    def index(self, *, rebuild: bool = False, shrink: bool = False) -> "sync.Counts":
        """Bring the index up to date with the files; what was done for that.

        With `shrink` a journal's file may lose most of its rows though its text did not.
        """
        return handle.refreshed(self, rebuild=rebuild, shrink=shrink)[1]

    def indexed(self) -> "Index":
        """The index as the files are now; it is the memory's to close."""
        return handle.indexed(self)

    def keep_watch(self) -> None:
        """For a process that asks again and again: let the system tell which files change, where it can."""
        handle.keep_watch(self)

    def watch(self, stop: "Event | None" = None) -> Iterator["sync.Counts"]:
        """Keep the index up to date until `stop` is set; what was done, each time that memory is not as it was."""
        return self._changes(self.questions.state(), stop)

    def _changes(self, before: str, stop: "Event | None") -> Iterator["sync.Counts"]:
        homes = [home for dialect in DIALECTS for home in self.config.read_homes(dialect)]
        for _ in watch.changes(self.root, homes, stop):
            counts = self.index()
            if before != (before := self.questions.state()):
                yield counts

    def watched_by(self) -> str:
        """How `watch` learns of changes: watchfiles, or polling."""
        return watch.means()

    # Reading

    def text_of(self, path: str) -> str:
        """The text of a file of the project; others are refused."""
        name = self.files.name_of(path)
        if name and (text := self.files.find(name)) is not None:
            return text
        raise Unreadable(f"there is no file {quote(path)}; check the path")

    def read(self, path: str) -> "FileReading":
        """A file with the account of its lines."""
        return check.read(self.document(path))

    def find(
        self,
        words: Sequence[str] = (),
        *,
        kind: str | None = None,
        scope: str | None = None,
        tag: str | None = None,
    ) -> list[Record]:
        """Records that have all the words and match the filters, the newest first."""
        given = {"kind": kind, "scope": scope, "tag": tag}
        flags = [self.questions.flag(name, value) for name, value in given.items() if value is not None]
        return self.query(queries.Query(words=tuple(queries.Term(word) for word in words), must=tuple(flags))).records

    @property
    def questions(self) -> "questions.Questions":
        """What the index answers."""
        return questions.of(self)

    def query(self, asked: "str | Query") -> "Found":
        """Records that have all that is asked for, the newest first, with what is known of them: replaced, expired."""
        return self.questions.fitting(self.questions.parse(asked) if isinstance(asked, str) else asked)

    def _records_called(self, name: str) -> Iterable[Record]:
        """Those of the files in which the index knows a record that is called so: no other is read.

        All are, where it knows none, since it goes by the settings on disk, or not how a path is spelled.
        """
        dialect_of = self.questions.files_called(name)
        if not dialect_of or any("\ufffd" in path for path in dialect_of):
            return self.records()
        paths = [path for path in self.names() if path in dialect_of] if len(dialect_of) > 1 else dialect_of
        return (record for path in paths for record in self.parsed(path, dialect_of[path]).records)

    def as_of(self, moment: str | None) -> "Questions":
        """What the index answers of memory as it was at a commit or a date; None is now. Close it, or ask in `with`."""
        return self.questions if moment is None else questions.at(self, moment)

    @contextmanager
    def at(self, moment: str | None) -> Iterator["Memory"]:
        """Memory as it was at a commit or a date, in a folder of its own, for every question; None is now.

        What is written to it goes with the block of code.
        """
        if moment is None:
            yield self
            return
        then = past.then(self.root, moment, self.now())
        folders = [*(home for dialect in DIALECTS for home in self.config.homes(dialect)), *RULE_FOLDERS]
        with (
            checkouts.checkout(self.root, then.commit.commit, folders) as root,
            Memory(root, settings=self.config, now=lambda: then.at, progress=self.progress) as memory,
        ):
            yield memory
            for sentence in memory.notices():
                self.tell(sentence)

    def search(
        self,
        asked: "str | Query",
        *,
        limit: int | None = None,
        as_of: str | None = None,
        semantic: bool = False,
        branches: bool = False,
        wide: bool = False,
        all_projects: bool = False,
    ) -> "Hits":
        """Records that answer, the best first, each with its score, the place where it fits, and why.

        `as_of` is a date or a commit, for memory as it was then. With `semantic` what records mean counts too. With
        `branches`, what other local branches say is added, each with their names. With `wide` files of assistants,
        your own memory and the sources of the project are asked too, with `all_projects` every project of `projects`.
        """
        if branches:
            query = self.questions.parse(asked, limit=limit) if isinstance(asked, str) else asked
            return searched_branches.search(self, query)
        with self.as_of(as_of) as asking:
            query = asking.parse(asked, limit=limit) if isinstance(asked, str) else asked
            found = asking.search(query, semantic=semantic, progress=self.progress)
            if as_of is None:
                found = asking.ask(lambda db: standings.with_standings(db, str(self.root), found))
        if not all_projects and not (wide and reads_elsewhere(str(self.root))):
            return found
        places = [*self._projects(), *self.sources.named()] if all_projects else self.sources.named()
        return searched_wide.search_wide(str(self.root), self.now(), query, found, places, tell=self.tell)

    def standing(self, record: Record) -> str:
        """What speaks against stating a record as a rule, as that it is uncommitted; empty where nothing does."""
        return self.questions.ask(lambda db: standings.of_records(db, str(self.root), [record]))[0]

    def about(self, record: Record) -> tuple[Mark, list[Link]]:
        """A record with all that is known of it, and the records that point at it."""
        mark, pointing = self.questions.about(record)
        return structs.replace(mark, standing=self.standing(record)), pointing

    def elsewhere(self, id: str) -> "Mark | None":
        """A record that is named, in your own memory or the first source that has it; None where none does."""
        return searched_wide.found_elsewhere(self.now, id, self.sources.named())

    def _projects(self) -> "list[Named]":
        """All projects that have memory but this one, as sources."""
        listed = projects.listed(skipped=self.tell, bank=False)
        if not listed:
            self.tell(projects.none_listed(bank=False).rstrip("."))
        others = [each for each in listed if not Path(each.path).is_relative_to(self.root)]
        return [(each.name, each.path, "project", False) for each in others]

    @property
    def sources(self) -> "source.Sources":
        """Where else memory is read from."""
        return source.Sources(self)

    def propose(self, id: str, *, to: str, write: bool = True) -> "proposing.SourceProposal":
        """Propose a record to a source: a branch there that somebody else takes, or a patch.

        `write=False` only works out the change.
        """
        return proposing.propose(self, self.get(id), to, write=write)

    def context(
        self,
        task: str = "",
        *,
        budget: int | None = None,
        paths: Sequence[str] = (),
        exact: bool = False,
        wide: bool = True,
        count: "Count" = tokens.estimate,
    ) -> "Context":
        """What an assistant should read now, for a task and for the files it is about, within a budget of tokens.

        Without either, it is the briefing of the project. Tokens are estimated, or counted as `count` does; `exact`
        takes a real tokenizer, the extra `tokens`. With `wide`, memory beyond the project counts too.
        """
        count = tokens.exact() if exact else count
        if not task.strip() and not paths:
            return briefing.context(self, budget, count)
        return context.context(self, task, paths, budget, count, self.sources.named() if wide else None)

    def for_path(self, path: str) -> "list[PathMemory]":
        """What memory says of a file of the project: its scopes, those around it, what cites it, directives.

        Each with what of it is no longer true.
        """
        found = for_path.for_path(self, path)
        untrue: dict[tuple[str, str], dict[str, None]] = {}
        for each in verify.verify(self) if found else ():
            if each.state in UNTRUE:
                now = f", now {each.now}" if each.now else ""
                claim = {"version": each.target, "quote": f"the quotation of {each.target}"}.get(each.kind, each.claim)
                untrue.setdefault((each.path, each.id), {})[f"{claim} is {each.state}{now}"] = None
        return [structs.replace(each, states=[*untrue.get((each.path, each.id), ())]) for each in found]

    def graph(self, asked: "str | Query" = "", *, around: str | None = None, steps: int = 1) -> "Graph":
        """How records hang together, all of them or those that fit; or only what is near one of them."""
        return graph.graph(self, self.query(asked).records, around, steps)

    def status(self) -> Status:
        """What is here, how old it is, and what is wrong with it."""
        seen = check.overview(self)
        held = {name: {"files": seen.files.get(name, 0), "records": 0} for name in DIALECTS}
        for (dialect, *_), number in seen.records.items():
            held[dialect]["records"] += number
        for name, counts in held.items():
            if counts["files"] and offered(name, "AGED"):
                counts["memories"] = counts["files"]
        today = self.now().astimezone(UTC).date()
        return Status(
            root=str(self.root),
            dialects=held,
            tokens=seen.tokens,
            staleness=stats.ages(seen.records, today, self.config.layers),
            findings=seen.findings,
            nested=list(self.config.nested),
        )

    def briefing(self) -> "list[BriefPart]":
        """What a session should know when it begins, part by part, the most needed first."""
        return briefing.parts(self)

    def overview(self) -> "MemoryOverview":
        """One look: what was decided of late and by whom, how old the rest is, what it costs to read."""
        return overview.overview(self, self.bank.limits())

    def stale(self, limit: int = 20, *, dated: bool = True) -> "StaleList":
        """Memory that nobody has touched for long, the oldest first; without `dated`, files alone."""
        return stale.stale(self, limit, dated=dated)

    def archive(
        self, *, older_than: int | None = None, size: int | None = None, keep: int | None = None, write: bool = True
    ) -> "Archived":
        """Move what is over to the archives: old entries of logs and journals, completed items of milestones.

        `keep` is how many of the newest entries stay in each file, whatever the settings say.
        """
        return archive.archive(self, older_than=older_than, size=size, keep=keep, write=write)

    def slim(
        self, *, to: int = 5000, take: Sequence[str] | None = None, everything: bool = False, write: bool = True
    ) -> "Slimming":
        """Proposals that get memory down to some tokens; `take` takes those of these ids, `everything` all of them.

        With `write=False`, only say what would happen.
        """
        return slim.slim(self, to=to, take=take, everything=everything, write=write)

    def undo(self, step: int | None = None, *, write: bool = True, own: str = "") -> "TakenBack":
        """Take back a step of `steps`, else the last one; `write=False` only works out what would be restored.

        With `own`, such as `mcp`, the last one is taken back only if it was made so.
        """
        return undo.take_back(
            self.files, step, write=write, own=own, others=self._in_git, outside=self._reverse_outside
        )

    def redo(self, step: int | None = None, *, write: bool = True, own: str = "") -> "TakenBack":
        """Make a step again that was taken back, else the last one; with `own`, that one only if it was undone so."""
        return undo.bring_back(
            self.files, step, write=write, own=own, others=self._in_git, outside=self._reverse_outside
        )

    def restored_in_git(self, done: "Act | TakenBack") -> "list[RestoredFile]":
        """What taking back an installation changes in git's own folder, or did."""
        return install.restored(done.outside) if done.outside else []

    def _reverse_outside(self, changes: str) -> str:
        return source.reverse(self, changes) or resolve.reverse(self, changes) or install.reverse(self, changes)

    def changes_of(self, step: int) -> "list[ChangedPart]":
        """What a step put in the place of what, whether or not it can be taken back."""
        return undo.changes_of(self.files, step)

    def removed(self) -> "list[Removed]":
        """What the last act removed; see `files.begin_act`."""
        texts = self.files.written()
        if not any(before for before, _ in texts.values()):
            return []
        lost = removed.credentials(texts, self.files.log.allow) if self.files.takes_credentials else []
        return [*removed.removed(self, texts), *lost]

    def steps(self) -> "list[Act]":
        """What was done to files here, the last first."""
        return undo.acts(self.files)

    def step_titles(self, steps: "Iterable[Act]") -> dict[int, list[str]]:
        """What records these were about, by the number of the step."""
        return step_titles.step_titles(self, list(steps))

    def last_step(self, record: Record) -> "Act | None":
        """The newest of these that changed a record and stands."""
        return last_step.last_step(self, record)

    def _in_git(self, name: str) -> Iterator[bytes]:
        """A file as the last commit has it."""
        text = git.committed(self.root, name)
        if text is not None:
            yield encode(text)

    # Writing

    def add(
        self,
        kind: str,
        title: str,
        *,
        dialect: str | None = None,
        dedupe: str = "memory",
        signed: bool = True,
        **given: "Unpack[DraftFields]",
    ) -> "Added":
        """Write a record where the project keeps its kind, or into the dialect that is named.

        Whom git knows signs what has no author where a format wants one, unless `signed` says no.
        """
        kept = kind if dialect else add.kept_as(self, kind)
        notes = add.instead(kind, kept)
        if kept == "card" and (notes or given.get("why") or given.get("summary")):
            given = add.as_card(title, given)
        holder = dialect or add.holder(self, kept)
        if holder == "journal":  # whose entries change several files together
            notes += add.begun(self, holder, kept)
            added = self.journal.add(kept, title, **given)
        elif holder == "layers" and dialect is None:
            added = self.layers.remember(kept, title, **given)
        else:
            added = add.add(self, kept, title, dialect=holder, dedupe=dedupe, signed=signed, **given)
        return structs.replace(added, notes=[*added.notes, *notes]) if notes else added

    def remember(self, words: str, *, kind: str | None = None, **given: "Unpack[DraftFields]") -> "Added":
        """Write a text where the project keeps such memories; what nobody gave is guessed, and said in `guessed`.

        The first line is the title; the kind is guessed from the words and from what is given, as `why`.
        """
        if not words.strip():
            example = way("add", '"..."')
            raise Invalid(f"Nothing to add; give a text, as in {example}.")
        found = guess.guess(self, words, kind, given)
        self.files.rename_act("add text", f"add {found.kind}")
        given["text"] = given.get("text") or found.text
        if found.kind == "card" and given.get("why"):
            given["text"] = f"{given['text']}\n\nWhy: {given.pop('why')}"
        added = self.add(found.kind, found.title, **given)
        return structs.replace(added, guessed=[*found.guessed, *added.guessed])

    def require(self, *dialects: str, kind: str | None = None) -> None:
        """Refuse what would begin memory of another dialect: one of these, or the one that holds a kind."""
        add.require(self, *(dialects or [add.holder(self, add.kept_as(self, kind or ""))]))

    def edit(
        self,
        id: str,
        *,
        expected: str | None = None,
        add_tags: Sequence[str] = (),
        remove_tags: Sequence[str] = (),
        force: bool = False,
        **changes: "Unpack[Changes]",
    ) -> Record:
        """Change fields of a record, also of one that its format keeps by `force`.

        `expected` is the hash of its file when it was read.
        """
        return edit.edit(
            self, id, expected=expected, add_tags=add_tags, remove_tags=remove_tags, force=force, **changes
        )

    def delete(self, id: str, *, force: bool = False, write: bool = True) -> "Deletion":
        """Delete a record, also one that its format keeps by `force`. With `write=False`, only say what would go."""
        return delete.delete(self, id, force=force, write=write)

    # Checking

    def selection(self, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> "engine.Selection":
        """The rules to apply: those asked for, else those the configuration names."""
        return check.selection(self, select, ignore)

    def rule(self, code: str) -> "Rule":
        """A rule by its code or its name."""
        return check.rule(code)

    def rules(self) -> "list[Rule]":
        return engine.all_rules()

    def changed(self) -> list[str]:
        """The files of memory that are not as they are in the last commit."""
        names = self.names()
        return [str(self.root / name) for name in git.uncommitted(self.root, names)] if names else []

    def check(self, paths: Sequence[str] = (), *, chosen: "engine.Selection | None" = None) -> "Checked":
        """What is wrong with the files given, or with all memory of the project; by the rules `selection` names."""
        return check.check(self, paths, chosen or self.selection())

    def fails(self, found: "Iterable[Severe]", *, strict: bool = False) -> bool:
        """Whether findings are bad enough to fail: the verdict of `check`, `validate` and `health` alike."""
        return check.fails(self, found, strict=strict)

    def verify(self, wanted: Sequence[str] = (), *, since: str | None = None) -> "list[Statement]":
        """Every claim that memory makes of the code, and whether it holds: fresh, moved, changed, gone or unknown.

        `wanted` are records, files of memory, or files of code that memory tells of. `since` keeps what was made untrue
        after a revision of git.
        """
        return verify.verify(self, wanted, since=since)

    def undocumented(self) -> "list[UndocumentedFile]":
        """Files of code that matter and that memory does not name, those that matter most first."""
        return undocumented.undocumented(self)

    def suppress(self, path: str, line: int, code: str) -> str:
        """Silence a rule at a line of a file, by a comment there; the file's text then."""
        return suppress.suppress(self, path, line, code)

    def require_unchanged(self, expected: Mapping[str, str]) -> None:
        """Refuse when a file is not as it was when its hash was taken; asked under the lock of what follows."""
        for path, known in expected.items():
            if edit.hash_of(self.files.find(path) or "") != known:
                raise Stale(f"{quote(path)} changed since it was shown, so nothing was written; look at it again.")

    def hash_of(self, path: str) -> str:
        """The hash of a file as it is seen, within a snapshot as all of it is, for `require_unchanged`."""
        return edit.hash_of(self.text(path))

    def draft_verified(self, wanted: Sequence[str] = (), *, write: bool = False) -> "VerifyDraft":
        """Edits that make statements true again: paths that moved, constants and versions that changed."""
        return verify.draft(self, wanted, write=write)

    def confirm(self, ids: Sequence[str]) -> "list[Confirmation]":
        """Write into records that they were looked at and hold; what was untrue up to now is an alarm no more."""
        return verify.confirm(self, ids)

    def fix(
        self,
        paths: Sequence[str] = (),
        *,
        chosen: "engine.Selection | None" = None,
        unsafe: bool = False,
        hints: bool = True,
        write: bool = True,
    ) -> "Checked":
        """The same after every fix that applies, without `hints` only of errors and warnings.

        `write=False` only shows what would change.
        """
        return check.fix(self, paths, chosen or self.selection(), unsafe=unsafe, hints=hints, write=write)
