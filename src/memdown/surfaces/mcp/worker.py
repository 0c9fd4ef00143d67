"""What waits in line: requests that read or write memory, one after the other, and the watch over files between them.

A request that meets a fault of our own is answered with an error; its thread ends with the traceback on standard
error, and another takes over the line.
"""

import math
import queue
import threading
import time
from collections.abc import Callable, Sequence

from memdown.errors import MemdownError, telling
from memdown.surfaces.mcp.session import Cancelled, McpSession, Notifier
from memdown.surfaces.mcp.table import TABLE, McpTable
from memdown.surfaces.mcp.watch import Watch
from memdown.surfaces.mcp.wire import (
    INTERNAL,
    INVALID_PARAMS,
    META,
    NO_METHOD,
    Json,
    McpFault,
    Request,
    failure,
    response,
)
from memdown.surfaces.mcp.words import as_tool

_EVERY_SECONDS = 1.0
"""How often watched files are looked at."""

Send = Callable[[object, object], None]
"""Takes a message, and the id of the request it is about while that has no answer yet."""


class _Job:
    """Requests that are answered together; one that has its answer already stands as it is."""

    def __init__(self, begun: Sequence[Request | Json], *, batch: bool) -> None:
        self.waiting = list(begun)
        self.answers: list[Json] = []
        self.batch = batch


class Worker:
    """The line, and the thread that works on it."""

    def __init__(
        self,
        send: Send,
        level: Callable[[], int],
        root: str | None,
        mode: str | None,
        table: McpTable = TABLE,
        *,
        shared: bool = False,
        client: str = "",
    ) -> None:
        self._send = send
        self._level = level
        self._methods = table.methods()
        self._session = McpSession(root, mode, shared=shared, client=client)
        self._watch = Watch(self._session, table.place)
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._pending: set[object] = set()
        self._cancelled: set[object] = set()
        self._until = math.inf
        """When what has not begun is refused, as `time.monotonic` counts."""
        self._looked = -math.inf
        self._thread = self._begin(None)

    # For the thread that reads

    def put(self, begun: Sequence[Request | Json], *, batch: bool = False) -> None:
        """Add requests to the line."""
        self._pending.update(each.id for each in begun if isinstance(each, Request))
        self._jobs.put(_Job(begun, batch=batch))

    def cancel(self, id: object) -> None:
        """Drop a request that waits, or end the one that runs or listens."""
        if isinstance(id, (str, int)) and (id in self._pending or self._watch.listens(id)):
            self._cancelled.add(id)

    def close(self) -> None:
        """Take no more; the thread ends when what waits is answered."""
        self._jobs.put(None)

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def refuse_rest(self, seconds: float = 0.0) -> None:
        """Begin nothing more after so many seconds; what runs then is finished, and what waits is refused."""
        self._until = min(self._until, time.monotonic() + seconds)

    def finish(self) -> None:
        """Answer what waits, and end."""
        self.close()
        while self._thread.is_alive():
            self._thread.join()
        for id in self._watch.streams():
            self._send({"jsonrpc": "2.0", "id": id, "result": self._end_of_stream(id)}, None)

    # For the thread that works

    def _begin(self, first: _Job | None) -> threading.Thread:
        thread = threading.Thread(target=self._work, args=(first,), daemon=True)
        self._thread = thread
        thread.start()
        return thread

    def _work(self, first: _Job | None) -> None:
        job = first
        while True:
            if job is not None:
                self._serve(job)
            try:
                job = self._jobs.get(timeout=_EVERY_SECONDS if self._watch else None)
            except queue.Empty:
                job = None
                self._look()
                continue
            if job is None:
                self._session.close()
                return

    def _serve(self, job: _Job) -> None:
        while job.waiting:
            request = job.waiting.pop(0)
            if not isinstance(request, Request):
                job.answers.append(request)
                continue
            fault: McpFault | None = McpFault(INTERNAL, "memdown hit an internal error; see its standard error.")
            answer: Json | None = None
            try:
                answer = self._answer(request)
                fault = None
            finally:
                self._pending.discard(request.id)
                if not self._watch.listens(request.id):  # a stream may be cancelled as soon as it is acknowledged
                    self._cancelled.discard(request.id)
                if fault is not None:
                    answer = failure(request.id, fault)
                if answer is not None:
                    job.answers.append(answer)
                if fault is not None:
                    self._session.close()
                    self._begin(job)
        if job.answers:
            self._send(job.answers if job.batch else job.answers[0], None)
        if time.monotonic() - self._looked >= _EVERY_SECONDS:  # a look costs as much as all that is watched
            self._look()

    def _answer(self, request: Request) -> Json | None:
        """The answer; None for a request that was cancelled, or that listens from now on."""
        if request.id in self._cancelled:
            return None
        if time.monotonic() >= self._until:
            return failure(request.id, McpFault(INTERNAL, "The input ended before this was begun; nothing was done."))

        def send(message: object) -> None:
            self._send(message, request.id)

        notifier = Notifier(send, request, self._level(), lambda: request.id in self._cancelled)
        try:
            with telling(as_tool), self._session.notify_by(notifier):
                if request.method == "subscriptions/listen" and request.is_modern:
                    self._watch.listen(request, send)
                    return None
                return response(request, self._result(request))
        except Cancelled:
            return None
        except McpFault as fault:
            return failure(request.id, fault)
        except MemdownError as error:
            return failure(request.id, McpFault(INVALID_PARAMS, str(error)))

    def _result(self, request: Request) -> Json:
        if request.method in ("resources/subscribe", "resources/unsubscribe") and not request.is_modern:
            return self._watch.subscribe(request)
        method = self._methods.get(request.method)
        if method is None:
            raise McpFault(NO_METHOD, f"There is no method {request.method[:80]!r} here.")
        return method(self._session, request)

    def _look(self) -> None:
        """Report what changed among the watched files, and drop the streams that were cancelled."""
        self._looked = time.monotonic()
        for id in self._cancelled.intersection(self._watch.streams()):
            self._watch.drop(id)
            self._cancelled.discard(id)
        for notice, stream in self._watch.look():
            self._send(notice, stream)

    def _end_of_stream(self, id: object) -> Json:
        return {"resultType": "complete", "_meta": {f"{META}subscriptionId": id}}
