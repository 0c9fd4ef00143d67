"""Asks the process that parses code; what it cannot read in time, or dies of, is not read by it."""

import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from threading import Timer

import msgspec

from memdown.evidence.symbols.languages import GRAMMARS
from memdown.evidence.symbols.model import Symbols

SECONDS = 30.0
"""How long a start or a text may take on a busy machine; `trees` ends itself long before on a quiet one."""
_STRIKES = 3
"""Texts that may take longer, or end the process; after them it is left alone."""
_SIZE = 4


@cache
def is_installed(module: str) -> bool:
    """Whether the extra `code` is there, with this grammar."""
    return find_spec("tree_sitter") is not None and find_spec(module) is not None


class TreeReader:
    """Symbols by tree-sitter, in a process that begins with the first question."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._strikes = 0
        self._failed: set[int] = set()
        """Texts that it could not read, by their hash."""

    def reads(self, ending: str) -> bool:
        """Whether there is a grammar for files that end so."""
        grammar = GRAMMARS.get(ending)
        return grammar is not None and self._strikes < _STRIKES and is_installed(grammar.module)

    def read(self, ending: str, text: bytes, names: Sequence[str]) -> Symbols | None:
        """What a text defines; None when that cannot be told."""
        if not self.reads(ending) or hash(text) in self._failed:
            return None
        reply = self._asked(msgspec.msgpack.encode((ending, text, list(names))))
        if reply is None:
            self._strikes += 1
            self._failed.add(hash(text))
            self.close()
        return reply

    def _asked(self, question: bytes) -> Symbols | None:
        if self._process is None:
            self._process = _started()
            _reply(self._process)  # that it is ready
        process = self._process
        assert process.stdin
        try:
            process.stdin.write(len(question).to_bytes(_SIZE, "big") + question)
            process.stdin.flush()
            return msgspec.msgpack.decode(_reply(process), type=Symbols)
        except (OSError, ValueError):
            return None

    def close(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def _reply(process: subprocess.Popen[bytes]) -> bytes:
    """What the process says in time; nothing when it ends before."""
    assert process.stdout
    limit = Timer(SECONDS, process.kill)
    limit.start()
    try:
        return process.stdout.read(int.from_bytes(process.stdout.read(_SIZE), "big"))
    finally:
        limit.cancel()


def _started() -> subprocess.Popen[bytes]:
    # -P: nothing is imported from the folder where somebody stands, which may be anybody's.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "memdown.evidence.symbols.trees"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
