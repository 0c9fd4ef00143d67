"""What all requests of one connection share: the project, the mode, open memories and notifications."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from memdown.acts import projects
from memdown.acts.projects import ListedProject
from memdown.dialects.bank import modes
from memdown.dialects.bank.modes import Mode
from memdown.errors import Refused
from memdown.markdown import tokens
from memdown.memory import Memory
from memdown.settings import config
from memdown.store import find_root, ledger
from memdown.store.files import ASKING
from memdown.store.jail import STATE
from memdown.surfaces.mcp.wire import LEVELS, Json, Request

_KEPT = 8
"""Projects whose memory stays open."""
_BETWEEN = 0.1
"""Seconds between two notices of progress."""


class Cancelled(Exception):
    """The client does not want the answer any more."""


class Notifier:
    """What the client hears while a request runs: progress if it gave a token, log messages from its level up."""

    def __init__(
        self, send: Callable[[object], None], request: Request, level: int, is_cancelled: Callable[[], bool]
    ) -> None:
        self._send = send
        self._token = request.token
        # In revisions without a handshake, a request that names no level wants no messages.
        self._level = request.level if request.is_modern else level
        self._is_cancelled = is_cancelled
        self._last = 0.0
        self._steps = 0

    def watch(self, names: Iterable[str], doing: str) -> Iterator[str]:
        """Pass names on, unless the request was cancelled."""
        listed = list(names)
        for name in listed:
            if self._is_cancelled():
                raise Cancelled
            self._steps += 1
            now = time.monotonic()
            if self._token is not None and now - self._last > _BETWEEN:
                self._last = now
                self._notify("progress", progressToken=self._token, progress=self._steps, message=f"{doing} {name}")
            yield name

    def log(self, level: str, sentence: str) -> None:
        if self._level is not None and LEVELS.index(level) >= self._level:
            self._notify("message", level=level, logger="memdown", data=sentence)

    def _notify(self, what: str, **params: object) -> None:
        self._send({"jsonrpc": "2.0", "method": f"notifications/{what}", "params": params})


class McpSession:
    """One connection's view of memory."""

    def __init__(self, root: str | None, mode: str | None, *, shared: bool = False, client: str = "") -> None:
        """`shared` says that requests of several clients come here, so that nothing one of them sets may last.

        `client` is the name that the client gave itself.
        """
        self.own = Path(root).resolve() if root else find_root(Path.cwd(), config.holds_memory)
        chosen = mode or config.mode()
        self.mode: Mode = modes.named(chosen or "default")
        self._pinned = chosen is not None
        self._shared = shared
        self._by = f"mcp {client}".rstrip()
        self._notifier: Notifier | None = None
        self._act = ""
        self._used: list[Memory] = []
        self._open: dict[Path, Memory] = {}

    @contextmanager
    def notify_by(self, notifier: Notifier) -> Iterator[None]:
        """For one request, who sends its notifications."""
        self._notifier = notifier
        try:
            yield
        finally:
            self._notifier = None

    def switch(self, mode: str) -> Mode:
        """Work in another mode from now on. A server that was started in one stays in it."""
        wanted = modes.named(mode)
        if self._pinned and wanted is not self.mode:
            raise Refused(f"This server was started in the mode {self.mode.name} and stays in it; ask the user.")
        if self._shared and wanted is not self.mode:
            raise Refused(
                "Requests are independent here, so no mode lasts; ask the user to start the server with --mode."
            )
        self.mode = wanted
        return wanted

    def memory(self, project: str | None = None, *, new: bool = False) -> Memory:
        """The memory of a project, by name or path; without one, of the project the server was started for."""
        root = self._root_of(project, new=new)
        if new:
            root.mkdir(parents=True, exist_ok=True)
        kept = self._open.get(root)
        if kept is None or kept.mode != self.mode.name or kept.config != config.load(root):
            self._close(root)
            kept = Memory.open(root, progress=self.progress, mode=self.mode.name)
            kept.keep_watch()
        self._open.pop(root, None)
        self._open[root] = kept  # the last used stand last
        if len(self._open) > _KEPT:
            self._close(next(iter(self._open)))
        if self._act and kept not in self._used:
            kept.files.begin_act(self._by, self._act, hint=ASKING)
            self._used.append(kept)
        return kept

    def _root_of(self, project: str | None, *, new: bool) -> Path:
        if project is None or (
            project == self.own.name and self.own_project() == ListedProject(project, str(self.own))
        ):
            return self.own
        return projects.resolve(project, own=self.own, new=new)

    def begin_act(self, tool: str) -> None:
        """What is written from here on is one step for `undo`."""
        self._act, self._used = tool, []

    def written(self) -> Json:
        """What the act removed, and the step that `undo` knows it by; nothing when it wrote nothing."""
        memories = [memory for memory in self._used if memory.files.step]
        removed = [each for memory in memories for each in memory.removed()]
        return {"removed": msgspec.to_builtins(removed), "undo": memories[0].files.step} if memories else {}

    @property
    def step(self) -> int:
        """The step that `undo` knows the act by; 0 when it wrote nothing."""
        return next((memory.files.step for memory in self._used if memory.files.step), 0)

    def _close(self, root: Path) -> None:
        memory = self._open.pop(root, None)
        if memory is not None:
            memory.close()

    def close(self) -> None:
        """Close every memory; the next request opens what it needs."""
        for root in list(self._open):
            self._close(root)

    def own_project(self) -> ListedProject | None:
        """The project the server was started for, if it has a memory bank; a name that another one has is a dot."""
        if not projects.has_bank(self.own):
            return None
        taken = (projects.root() / self.own.name).exists()
        return ListedProject("." if taken else self.own.name, str(self.own))

    def log_notes(self, memory: Memory) -> None:
        """Pass on what memory has to say beside its answer."""
        for sentence in memory.notices():
            self.log("warning", f"{sentence}.")

    def count(self, tool: str, text: str) -> None:
        """Note what an answer costs, where a project keeps what memdown derives; it is never made for this."""
        state = self.own / STATE
        if state.is_dir():
            with suppress(OSError):
                ledger.note(str(state), f"mcp-{os.getpid()}", "mcp", tool, tokens.estimate(text))

    def log(self, level: str, sentence: str) -> None:
        """Send the client a message beside the answer."""
        if self._notifier is not None:
            self._notifier.log(level, sentence)

    def progress(self, names: Iterable[str], doing: str) -> Iterable[str]:
        """Pass names on, telling the client how far the work is."""
        return names if self._notifier is None else self._notifier.watch(names, doing)
