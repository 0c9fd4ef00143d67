"""Keeping what an assistant said: the new messages of a transcript that the rules let through, each as a card, once."""

import os

from memdown import clock
from memdown.homes import INBOX
from memdown.index.hook_state import State, bare
from memdown.lazy import LazyModule
from memdown.limits import MEMORY_MEGABYTES
from memdown.store.state import STATE, hide_from_git

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterable
    from io import BufferedReader

    from memdown import secrets
    from memdown.acts.capture import message as capture
    from memdown.acts.capture import transcript
    from memdown.acts.capture.transcript import Message
    from memdown.index import lookup
    from memdown.index.lookup import Key
    from memdown.markdown import cardfile
    from memdown.store import adding, steps
else:  # most turns say nothing that is worth keeping, and many nothing new
    pathlib, secrets, lookup = LazyModule("pathlib"), LazyModule("memdown.secrets"), LazyModule("memdown.index.lookup")
    capture, transcript = (LazyModule(f"memdown.acts.capture.{name}") for name in ("message", "transcript"))
    cardfile = LazyModule("memdown.markdown.cardfile")
    adding, steps = LazyModule("memdown.store.adding"), LazyModule("memdown.store.steps")

KeptCard = tuple[str, int, int]
"""A card that a hook wrote: its name, its size and when it changed last."""
_SAME_TIME = "select instant, name, size, mtime from kept where instant in (select value from json_each(?))"


class KeptMessage:
    """What became of the new part of a transcript."""

    __slots__ = ("again", "faulty", "grown", "large", "names", "recalled", "redacted", "skipped")

    def __init__(self) -> None:
        self.names: list[str] = []
        self.skipped = 0
        """Messages that the filtering rules keep out."""
        self.again = 0
        """Messages that are kept already."""
        self.grown = 0
        """Messages of which the beginning was kept already, and whose cards now have all of it."""
        self.recalled = 0
        """Messages that only repeat what hooks put before the assistant."""
        self.redacted = 0
        """Credentials that were taken out."""
        self.large = 0
        """Messages that would make a card too large to be read."""
        self.faulty = 0
        """Lines that could not be read."""

    def summary(self) -> str:
        counts = (
            (len(self.names), "kept"),
            (self.grown, "grown"),
            (self.again, "there already"),
            (self.skipped, "not worth keeping"),
            (self.recalled, "recalled text"),
            (self.redacted, "credentials taken out"),
            (self.large, "too large"),
            (self.faulty, "lines unread"),
        )
        return ", ".join(f"{count} {what}" for count, what in counts if count) or "nothing new"


class Keeper:
    """One run over one transcript."""

    def __init__(self, state: State, session: str, folder: str) -> None:
        """`folder` is where new cards go."""
        self._state = state
        self._folder = folder
        self._session = session
        self._adding: adding.Adding | None = None
        self._last = self._before = ""
        self._paths: capture.ProjectPaths | None = None
        self.kept = KeptMessage()

    @property
    def _store(self) -> "adding.Adding":
        if self._adding is None:
            settings = self._state.settings
            hidden = frozenset(part for part in settings.cards.split("/") if part.startswith("."))
            log = steps.StepLog(
                os.path.join(self._state.root, STATE),
                steps=settings.undo_steps,
                size=settings.undo_megabytes << 20,
                allow=settings.allow,
            )
            root = pathlib.Path(self._state.root)
            self._adding = adding.Adding(root, log, "capture", lock_timeout=settings.lock_timeout, hidden=hidden)
        return self._adding

    def run(self, path: str) -> KeptMessage:
        """Keep what is new. A transcript that is not there, or no ordinary file, has nothing new."""
        real = os.path.realpath(path)
        if not os.path.isfile(real):
            return self.kept
        known = "select offset, head, tail, last from transcript where path = ?"
        row = self._state.db.execute(known, (real,)).fetchone()
        with open(real, "rb") as file:
            mark = transcript.TranscriptMark(*row[:3]) if row else transcript.TranscriptMark()
            if mark.offset and not mark.holds(file):
                mark, row = transcript.TranscriptMark(), None  # what is kept already is found to be
            self._last = self._before = row[3] if row else ""
            reader = transcript.Reader(file, mark.offset, self._state.db)
            for batch in reader.batches():
                self._keep(batch)
                self._remember(real, file, reader.done)
            self.kept.faulty = reader.faulty
        return self.kept

    def _remember(self, path: str, file: "BufferedReader", offset: int) -> None:
        here = file.tell()
        mark = transcript.TranscriptMark.of(file, offset)
        file.seek(here)
        with self._state.db as db:
            db.execute(
                "insert or replace into transcript values (?, ?, ?, ?, ?)",
                (path, mark.offset, mark.head, mark.tail, self._last),
            )

    def _keep(self, batch: "list[Message]") -> None:
        wanted = {key: draft for message in batch if (found := self._drafted(message)) for key, draft in [found]}
        if not wanted:
            return
        before = len(self.kept.names)
        known = lookup.known_messages(self._state, wanted)
        beginnings = self._beginnings(wanted)
        with self._store.lock():
            for key, (draft, at) in wanted.items():
                if key in known or self._is_kept(*key):
                    self.kept.again += 1
                    continue
                if any(self._has_grown(card, key, draft, at) for card in beginnings.get(key[0], ())):
                    self.kept.grown += 1
                    continue
                id = cardfile.new_id()
                text = cardfile.compose(id, draft.subject, draft.keywords, draft.scope, at, draft.body)
                name = f"{self._folder}/{id}.md"
                data = text.encode("utf-8", "replace")
                if len(data) > MEMORY_MEGABYTES << 20:
                    self.kept.large += 1
                    continue
                self._store.add(name, data)
                if self._folder.endswith(f"/{INBOX}"):
                    hide_from_git(self._state.root, os.path.join(self._state.root, self._folder))
                self.kept.names.append(name)
                self._note(name, *key)
            self._state.db.commit()  # before another process looks
        new = len(self.kept.names) - before
        with self._state.db as db:
            db.execute("update session set kept = kept + ? where id = ?", (new, self._session))

    def _beginnings(self, wanted: "Iterable[Key]") -> "dict[str, list[KeptCard]]":
        """Cards that may have the beginning of a message, by its time: those that hooks kept of the same time.

        A message without a time is met again where the last run ended.
        """
        times = "[{}]".format(",".join(f'"{instant}"' for instant, _ in wanted if instant))
        found: dict[str, list[KeptCard]] = {}
        for instant, *card in self._state.db.execute(_SAME_TIME, (times,)):
            found.setdefault(instant, []).append((card[0], card[1], card[2]))
        untimed, _, hash = self._before.partition(" ")
        if hash and not untimed:
            found[""] = self._state.db.execute("select name, size, mtime from kept where hash = ?", (hash,)).fetchall()
        return found

    def _has_grown(self, card: "KeptCard", key: "Key", draft: "capture.CardDraft", at: str) -> bool:
        """Put a message in the place of its beginning, if that is still as it was kept; whether it did."""
        name, size, mtime = card
        path = os.path.join(self._state.root, name)
        try:
            seen = os.stat(path)
            with open(path, "rb") as file:
                old = file.read()
        except OSError:
            return False
        _, _, body = old.decode("utf-8", "replace").partition("\n---\n")
        beginning = cardfile.canonical(body)
        if (seen.st_size, seen.st_mtime_ns) != (size, mtime) or not beginning or not draft.body.startswith(beginning):
            return False
        id = os.path.basename(name).removesuffix(".md")
        text = cardfile.compose(id, draft.subject, draft.keywords, draft.scope, at, draft.body)
        if self._store.replace(name, text.encode("utf-8", "replace"), old):
            self._note(name, *key)
            return True
        return False

    def _note(self, name: str, instant: str, hash: str) -> None:
        seen = os.stat(os.path.join(self._state.root, name))
        row = (name, seen.st_size, seen.st_mtime_ns, instant or clock.instant(clock.stamp()), hash)
        self._state.db.execute("insert or replace into kept values (?, ?, ?, ?, ?)", row)

    def _drafted(self, message: "Message") -> "tuple[Key, tuple[capture.CardDraft, str]] | None":
        """What a message becomes, under what makes it the same as another; None when it is not kept."""
        text = message.text()
        found = secrets.find(text, self._state.settings.allow)
        self._paths = self._paths or capture.ProjectPaths(self._state.root)
        draft = capture.from_message(
            "assistant", secrets.redact(text, self._state.settings.allow) if found else text, self._paths
        )
        if isinstance(draft, str):
            self.kept.skipped += 1
            return None
        if self._is_recalled(draft.body):
            self.kept.recalled += 1
            return None
        at = cardfile.zoned(message.at)
        key = (clock.instant(at) if at else "", cardfile.content_hash(draft.body))
        last, self._last = self._last, " ".join(key)
        if last == self._last:  # met again at the end of the last run; it may have been deleted since
            return None
        self.kept.redacted += len(found)
        return key, (draft, at or clock.stamp())

    def _is_recalled(self, body: str) -> bool:
        """Whether a message says only what hooks put before the assistant in this session."""
        lines = {line for raw in body.splitlines() if (line := bare(raw))}
        there = "select 1 from injected where session = ? and line = ?"
        return bool(lines) and all(self._state.db.execute(there, (self._session, line)).fetchone() for line in lines)

    def _is_kept(self, instant: str, hash: str) -> bool:
        """Whether hooks kept this content of this time; without a time, the content alone says that it is the same."""
        same = "select 1 from kept where hash = ? and (instant = ? or ? = '') limit 1"
        return self._state.db.execute(same, (hash, instant, instant)).fetchone() is not None
