"""What hooks remember from one run to the next, in one SQLite file, and the log of what they did.

`kept`        Messages that hooks kept as cards, with the state of the file: the index may not have it yet.
`transcript`  How far each transcript was read, and what proves that it is the same file.
`shown`       Records that were put before an assistant in a session, so that they are not twice.
`injected`    Lines that were, so that an answer made of nothing else is not kept as new.
`session`     When each session began and ended, and how many messages of it were kept.
`numbered`    The captured cards that `memdown review` listed last, by number.
`setting`     The configuration, as long as its file is the same.
"""

import os
import sqlite3

from memdown import clock, homes
from memdown.errors import MemdownError, on_failure
from memdown.index import sqlite
from memdown.lazy import LazyModule
from memdown.limits import AGING_DAYS, HOOK_LOG
from memdown.settings import defaults
from memdown.store import ledger
from memdown.store.state import HOOKS, make_state_folder

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    import pathlib

    from memdown.settings import config
else:
    config = LazyModule("memdown.settings.config")
    pathlib = LazyModule("pathlib")

LOG = "hooks.log"
_VERSION = 2
_TABLES = """
create table if not exists kept (
    name text primary key, size integer, mtime integer, instant text, hash text
) without rowid;
create index if not exists kept_hash on kept (hash, instant);
create table if not exists transcript (
    path text primary key, offset integer, head text, tail text, last text
) without rowid;
create table if not exists shown (session text, name text, primary key (session, name)) without rowid;
create table if not exists injected (session text, line text, primary key (session, line)) without rowid;
create table if not exists session (
    id text primary key, began text, ended text, kept integer not null default 0
) without rowid;
create table if not exists setting (key text primary key, value text) without rowid;
pragma user_version = 2;
"""
_KEPT_SESSIONS = 50
"""Sessions whose lines are remembered."""


class Settings:
    """What of the configuration hooks need."""

    __slots__ = (
        *("allow", "bank", "capture", "cards", "lock_timeout", "prompt_tokens", "refresh_ms", "session_tokens"),
        *("aging", "undo_megabytes", "undo_steps"),
    )

    def __init__(self) -> None:
        self.session_tokens = defaults.SESSION_TOKENS
        self.prompt_tokens = defaults.PROMPT_TOKENS
        self.capture: bool | None = defaults.CAPTURE
        self.refresh_ms = defaults.REFRESH_MS
        self.lock_timeout = defaults.LOCK_TIMEOUT
        self.undo_steps, self.undo_megabytes = defaults.UNDO_STEPS, defaults.UNDO_MEGABYTES
        self.cards = ""
        self.bank = ""
        self.aging = (AGING_DAYS, False)
        self.allow: tuple[str, ...] = ()

    def homes(self, dialect: str) -> tuple[str, ...]:
        """Folders that may hold a dialect, the configured one first."""
        chosen = self.cards if dialect == "cards" else self.bank
        return (chosen, *homes.HOMES[dialect]) if chosen else homes.HOMES[dialect]


class State:
    """The memory of the hooks of one root."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.folder = ""
        self.messages: list[str] = []
        """What a person should find in the log."""
        try:
            self.folder = make_state_folder(root)
        except MemdownError as error:
            self.messages.append(str(error))  # a project that may only be read is briefed all the same
        self.db = self._opened()
        with on_failure(self.close):
            self.settings = self._settings()

    def _opened(self) -> sqlite3.Connection:
        path = os.path.join(self.folder, HOOKS) if self.folder else ":memory:"
        if os.path.islink(path) or (os.path.exists(path) and not os.path.isfile(path)):
            self.messages.append(f"{HOOKS} is not an ordinary file; remove it, memdown recreates it")
            path = ":memory:"
        try:
            return _connected(path)
        except (sqlite.Unusable, sqlite3.DatabaseError) as error:
            if sqlite.is_barred(error) or (isinstance(error, sqlite3.OperationalError) and sqlite.is_damage(error)):
                self.folder = ""  # as where it cannot be made: nothing is remembered or logged
                return _connected(":memory:")
            if isinstance(error, sqlite3.OperationalError) or path == ":memory:":
                raise
            self.messages.append(f"{HOOKS} was rebuilt: {error}")
            sqlite.remove(path)
            return _connected(path)

    def close(self) -> None:
        self.db.close()

    def forget(self, error: sqlite3.Error) -> None:
        """Remember nothing from here on, as on a disk that is full."""
        self.close()
        self.messages.append(f"nothing is remembered of this: {error}")
        self.db = _connected(":memory:")

    def discard(self) -> None:
        """Begin anew, after the file was found damaged."""
        self.close()
        if self.folder:
            sqlite.remove(os.path.join(self.folder, HOOKS))

    def log(self, sentence: str) -> None:
        if self.folder:
            line = "".join(char if char.isprintable() else " " for char in sentence)
            ledger.append(os.path.join(self.folder, LOG), f"{clock.stamp()} {line[:1000]}", HOOK_LOG)

    def began(self, session: str) -> None:
        """Note that a session is there; those of long ago are forgotten."""
        with self.db:
            self.db.execute("insert or ignore into session (id, began) values (?, ?)", (session, clock.stamp()))
            old = "select id from session order by began desc, id limit -1 offset ?"
            for table in ("shown", "injected"):
                self.db.execute(f"delete from {table} where session in ({old})", (_KEPT_SESSIONS,))
            self.db.execute(f"delete from session where id in ({old})", (_KEPT_SESSIONS * 20,))

    def ended(self, session: str) -> None:
        with self.db:
            self.db.execute("update session set ended = ? where id = ?", (clock.stamp(), session))

    def note_answer(self, session: str, event: str, text: str, tokens: int, names: list[str]) -> None:
        """Note what an assistant was given: its cost, its lines, and the records it came from."""
        lines = {line for raw in text.splitlines() if (line := bare(raw))}
        with self.db:
            self.db.executemany("insert or ignore into injected values (?, ?)", [(session, line) for line in lines])
            self.db.executemany("insert or ignore into shown values (?, ?)", [(session, name) for name in names])
        if self.folder:
            ledger.note(self.folder, session, "hook", event, tokens)

    def _settings(self) -> Settings:
        found = Settings()
        path = homes.settings_of(self.root)
        if path is None:
            return found
        seen = os.stat(path) if os.path.exists(path) else os.lstat(path)
        key = f"4\t{path}\t{seen.st_size}\t{seen.st_mtime_ns}"
        row = self.db.execute("select value from setting where key = ?", (key,)).fetchone()
        if row is None:
            row = (self._loaded(),)
            try:
                with self.db:
                    self.db.execute("delete from setting")
                    self.db.execute("insert or replace into setting values (?, ?)", (key, row[0]))
            except sqlite3.OperationalError as error:  # the file itself was read
                self.forget(error)
        cells = row[0].split("\x1f")
        tokens, prompt, refresh, capture, timeout, steps, size, days, legacy, found.cards, found.bank, *allow = cells
        found.aging = int(days), legacy == "True"
        found.session_tokens, found.prompt_tokens, found.refresh_ms = int(tokens), int(prompt), int(refresh)
        found.undo_steps, found.undo_megabytes = int(steps), int(size)
        found.capture = {"True": True, "False": False}.get(capture)
        found.lock_timeout, found.allow = float(timeout), tuple(allow)
        return found

    def _loaded(self) -> str:
        """The settings as one line, from the configuration itself."""
        try:
            loaded = config.load(pathlib.Path(self.root))
        except MemdownError as error:
            self.messages.append(str(error))
            loaded = config.Config()
        hooks = loaded.hooks
        cells = (hooks.session_tokens, hooks.prompt_tokens, hooks.refresh_ms, hooks.capture, loaded.lock_timeout)
        log = (loaded.undo.steps, loaded.undo.megabytes)
        folders = (loaded.cards.folder or "", loaded.bank.folder or "")
        aging = (loaded.layers.aging_days, loaded.layers.legacy_stamps)
        return "\x1f".join(map(str, (*cells, *log, *aging, *folders, *loaded.secrets.allow)))


def bare(line: str) -> str:
    """A line without the marks that quoting, lists and emphasis put around it."""
    return line.strip(" \t>-*`#_|~\"'")


def _connected(path: str) -> sqlite3.Connection:
    db = sqlite3.connect(path) if path == ":memory:" else sqlite.connect(path, "rwc", timeout=5.0)
    db.isolation_level = "DEFERRED"  # a change begins by itself, and lasts until it is committed
    with on_failure(db.close):
        # A hostile file must not run anything; and since all of it can be made again, the disk need not be waited for.
        db.execute("pragma trusted_schema = off")
        db.execute("pragma journal_mode = memory").fetchone()
        db.execute("pragma synchronous = off")
        version = db.execute("pragma user_version").fetchone()[0]
        if version not in (0, _VERSION):
            raise sqlite3.DatabaseError("another version of memdown made it")
        if not version:
            db.executescript(_TABLES)
        else:
            # SQLite opens a file that it may only read without a word, and says so to who writes.
            db.execute("delete from setting where 0")
            db.rollback()
    return db
