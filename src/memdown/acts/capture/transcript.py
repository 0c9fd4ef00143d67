"""The new messages of a transcript: read from where the last run stopped, in bounded memory, whatever is in it.

A transcript is a file of JSON lines that grows. Lines of one message (same id) are one message; a part that comes
again is one part. A last line without its end is read if it is whole, and read again the next time.
"""

import os
import sqlite3

from memdown.hashes import sha256
from memdown.lazy import LazyModule
from memdown.limits import TRANSCRIPT_LINE

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    import json
    from collections.abc import Iterator
    from io import BufferedReader
else:
    json = LazyModule("json")

CHUNK = 1 << 20
BATCH = 200
BATCH_SIZE = 16 << 20
"""Messages that are handed on together, and characters of them."""
_OPEN = 16
"""Messages that may still get parts when a batch is handed on."""
_HEAD = 4096
_TAIL = 256
_LINE = """
select json_extract(:line, '$.type'), json_extract(:line, '$.timestamp'), json_extract(:line, '$.message.id'),
       json_extract(:line, '$.message.role'), json_extract(:line, '$.message.model'),
       json_extract(:line, '$.isApiErrorMessage'),
       json_type(:line, '$.message.content'), json_extract(:line, '$.message.content')
"""
_TEXTS = """
select case when type = 'object' and json_extract(value, '$.type') = 'text' then json_extract(value, '$.text') end
from json_each(:line) order by key
"""


class Message:
    """What an assistant said, from all the lines that have parts of it."""

    __slots__ = ("at", "parts", "seen", "size", "start")

    def __init__(self, at: str, start: int) -> None:
        self.at = at
        """The time of the first line with text, as it is spelled; empty when it has none."""
        self.parts: list[str] = []
        self.seen: set[str] = set()
        self.size = 0
        self.start = start
        """Where its first line begins."""

    def add(self, part: str) -> bool:
        """Take a part, unless the message gets too long. Streaming repeats parts, sometimes longer than before."""
        if part in self.seen:
            return True
        if self.size + len(part) > TRANSCRIPT_LINE:
            return False
        if self.parts and part.startswith(self.parts[-1]):
            self.size -= len(self.parts.pop())
        self.seen.add(part)
        self.parts.append(part)
        self.size += len(part)
        return True

    def text(self) -> str:
        return "\n".join(self.parts)


class TranscriptMark:
    """How far a transcript was read, and what proves that it is still the same one."""

    __slots__ = ("head", "offset", "tail")

    def __init__(self, offset: int = 0, head: str = "", tail: str = "") -> None:
        self.offset = offset
        self.head = head
        self.tail = tail

    @classmethod
    def of(cls, file: "BufferedReader", offset: int) -> "TranscriptMark":
        file.seek(0)
        head = _digest(file.read(min(_HEAD, offset)))
        file.seek(max(offset - _TAIL, 0))
        return cls(offset, head, _digest(file.read(min(_TAIL, offset))))

    def holds(self, file: "BufferedReader") -> bool:
        """Whether the file still has what was read; it may have been cut off or replaced."""
        if os.fstat(file.fileno()).st_size < self.offset:
            return False
        now = TranscriptMark.of(file, self.offset)
        return (now.head, now.tail) == (self.head, self.tail)


class Reader:
    """Messages in batches; `done` is how far all that was handed on goes."""

    def __init__(self, file: "BufferedReader", offset: int, db: sqlite3.Connection) -> None:
        self._file = file
        self._db = db
        db.text_factory = readable  # a transcript may have halves of characters
        self._waiting: dict[str, Message] = {}
        self._size = 0
        self.done = offset
        self.faulty = 0
        """Lines that are no JSON, or too long."""

    def batches(self) -> "Iterator[list[Message]]":
        for start, end, data in self._lines():
            if data is None:
                self.faulty += 1
            elif b'"assistant"' in data:
                self._take(data, start)
            else:
                self.faulty += not self._is_json(data)
            batch = self._ready()
            if batch:
                self.done = min((each.start for each in self._waiting.values()), default=end)
                yield batch
        last = list(self._waiting.values())
        # The last message is met again the next time: it may not have all its parts yet.
        self.done = min(self.done, last[-1].start) if last else self.done
        yield last

    def _ready(self) -> list[Message]:
        """What may be handed on before the end, once there is much of it."""
        if len(self._waiting) >= BATCH + _OPEN:
            keys = list(self._waiting)[:-_OPEN]
        elif self._size > BATCH_SIZE:
            keys = list(self._waiting)[:-1]
        else:
            return []
        batch = [self._waiting.pop(key) for key in keys]
        self._size -= sum(each.size for each in batch)
        return batch

    def _lines(self) -> "Iterator[tuple[int, int, bytes | None]]":
        """Where each line begins and ends, and what is in it; None for one that is too long."""
        start = end = self.done
        self._file.seek(start)
        held: list[bytes] = []
        size = 0
        while chunk := self._file.read(CHUNK):
            first, *rest = chunk.split(b"\n")
            size += len(first)
            held = [*held, first] if size <= TRANSCRIPT_LINE else []
            if not rest:
                continue
            end = start + size + 1
            yield start, end, b"".join(held) if size <= TRANSCRIPT_LINE else None
            start = end
            for data in rest[:-1]:
                end = start + len(data) + 1
                yield start, end, data
                start = end
            held, size = [rest[-1]], len(rest[-1])
        self.done = start
        if size and size <= TRANSCRIPT_LINE:
            tail = b"".join(held)
            if b'"assistant"' in tail and tail.rstrip().endswith(b"}"):
                faulty = self.faulty
                self._take(tail, start)
                self.faulty = faulty  # not whole yet, which is no fault

    def _take(self, data: bytes, start: int) -> None:
        try:
            kind, at, id, role, model, failed, *content = self._parsed(data)
        except (sqlite3.OperationalError, ValueError, RecursionError):
            self.faulty += 1
            return
        # What the assistant's program says in its place is no answer of the assistant.
        if kind != "assistant" or role not in (None, "assistant") or model == "<synthetic>" or failed:
            return
        parts = self._texts(*content)
        if not parts:
            return
        key = id if isinstance(id, str) and id else f"line {start}"
        message = self._waiting.setdefault(key, Message(at if isinstance(at, str) else "", start))
        before = message.size
        for part in parts:
            self.faulty += not message.add(part)
        self._size += message.size - before

    def _is_json(self, data: bytes) -> bool:
        """Whether a line that has no message is what a transcript consists of; an empty one is nothing at all."""
        if b"\0" in data:  # where SQLite's strings end
            return False
        valid = self._db.execute("select json_valid(?)", (data.decode("utf-8", "replace"),)).fetchone()[0]
        return bool(valid) or not data.strip()

    def _parsed(self, data: bytes) -> tuple[object, ...]:
        text = data.decode("utf-8", "replace")
        if "\\u0000" in text:  # where SQLite's strings end
            text = json.dumps(json.loads(text), ensure_ascii=False).replace("\\u0000", "\ufffd")
        row: tuple[object, ...] = self._db.execute(_LINE, {"line": text}).fetchone()
        return row

    def _texts(self, kind: object, content: object) -> list[str]:
        if not isinstance(content, str):
            return []
        if kind != "array":
            return [content] if kind == "text" and content.strip() else []
        rows = self._db.execute(_TEXTS, {"line": content}).fetchall()
        return [text for (text,) in rows if isinstance(text, str) and text.strip()]


def readable(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _digest(data: bytes) -> str:
    return sha256(data)[:32]
