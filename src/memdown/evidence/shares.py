"""Work on very many files, shared among processes: each works on its share and ends.

A share is the same pure work that is done here where no other process can be had, and gives the same: a process that
does not start, is another version, ends early or answers what cannot be read has done nothing. What it is to do comes
in on its standard input, for `answer` of the module that it is started with, and what that found goes out.
"""

import gc
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from threading import Thread
from typing import TypeVar

import msgspec

from memdown import VERSION
from memdown.errors import on_failure

T = TypeVar("T")
ORIGIN = f"{VERSION} {__file__}"
"""Which memdown this is: another one might find something else."""
MOST = 4
"""Processes that work at once, this one among them: what they share is not all of a run."""


def count() -> int:
    """How many processes may work at once."""
    if not sys.executable:
        return 1
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, MOST)


class WorkShare:
    """A share of the work, done by a process of its own."""

    def __init__(self, module: str, question: bytes) -> None:
        self._answer = b""
        # -P: nothing is imported from the folder where somebody stands, which may be anybody's.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__, module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._thread = Thread(target=self._ask, args=(question,), daemon=True)
        with on_failure(self._give_up):
            self._thread.start()

    def _give_up(self) -> None:
        with self._process:
            self._process.kill()

    def _ask(self, question: bytes) -> None:
        with suppress(OSError, ValueError):
            self._answer = self._process.communicate(question)[0]

    def answer(self, type: type[T]) -> T | None:
        """What the process found; None when it did not come to an end."""
        self._thread.join()
        if self._process.returncode != 0:
            return None
        with suppress(msgspec.DecodeError):
            came_from, found = msgspec.msgpack.decode(self._answer, type=tuple[str, type])  # type: ignore[valid-type]
            return found if came_from == ORIGIN else None
        return None

    def close(self) -> None:
        """End the process, whatever it was about to do."""
        self._process.kill()  # which does nothing to one that has ended
        self._thread.join()


@contextmanager
def shared(module: str, questions: Sequence[msgspec.Struct]) -> Iterator[list[WorkShare | None]]:
    """A process for each question to a module, none of which outlives the block; None where there is none."""
    with ExitStack() as stack:
        yield [_begun(stack, module, each) for each in questions]


def _begun(stack: ExitStack, module: str, question: msgspec.Struct) -> WorkShare | None:
    try:
        share = WorkShare(module, msgspec.msgpack.encode(question))
    except (OSError, RuntimeError, UnicodeEncodeError):  # no process or thread can be had, or a text that is no UTF-8
        return None
    stack.callback(share.close)
    return share


def main() -> None:
    """Do one share of the work."""
    gc.disable()  # it ends before there is anything to collect
    name = sys.argv[1]
    __import__(name)
    found = sys.modules[name].answer(sys.stdin.buffer.read())
    sys.stdout.buffer.write(msgspec.msgpack.encode((ORIGIN, found)))
    sys.stdout.buffer.flush()
    os._exit(0)  # taking everything down takes longer than reading a thousand files


if __name__ == "__main__":
    main()
