"""The ledger of what was sent to assistants: a line for each time a hook or a tool put tokens into a session.

It is a file of lines in `.memdown/`, each written at once, so that any number of processes may add to it.
"""

import os
import stat

from memdown import clock
from memdown.errors import Unreadable, quote
from memdown.limits import LEDGER
from memdown.store.state import entry

NAME = "costs.tsv"


class Cost:
    """What one answer cost."""

    __slots__ = ("at", "name", "session", "surface", "tokens")

    def __init__(self, at: str, session: str, surface: str, name: str, tokens: int) -> None:
        self.at = at
        self.session = session
        self.surface = surface
        """"hook" or "mcp"."""
        self.name = name
        """The hook's event, or the tool."""
        self.tokens = tokens


def note(state: str, session: str, surface: str, name: str, tokens: int) -> None:
    """Add a line to the ledger in the folder `state`."""
    cells = (clock.stamp(), session[:80], surface, name[:80], str(tokens))
    append(os.path.join(state, NAME), "\t".join(map(_cell, cells)), LEDGER)


def append(path: str, line: str, largest: int) -> None:
    """Add a line to a file, whole whoever else does; a file that grew too large gets `.1` behind its name first."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    flags |= getattr(os, "O_NONBLOCK", 0)  # a pipe that nobody reads would keep us waiting
    with entry(path) as (name, handle):
        file = os.open(name, flags, 0o666, dir_fd=handle)
        try:
            os.write(file, f"{line}\n".encode("utf-8", "replace"))
            full = os.fstat(file).st_size > largest
        finally:
            os.close(file)
        if full:
            os.replace(name, f"{name}.1", src_dir_fd=handle, dst_dir_fd=handle)


def read(state: str) -> list[Cost]:
    """Everything in the ledger, the oldest first; lines that are none are passed over."""
    found = []
    for name in (f"{NAME}.1", NAME):
        path = os.path.join(state, name)
        for line in _text(path).splitlines():
            cells = line.split("\t")
            if len(cells) == 5 and cells[4].isdecimal():
                at, session, surface, called = cells[:4]
                found.append(Cost(at, session, surface, called, int(cells[4])))
    return found


def _text(path: str) -> str:
    """What a file holds; empty when there is none."""
    careful = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        with (
            entry(path) as (name, handle),
            open(name, "rb", opener=lambda each, flags: os.open(each, flags | careful, dir_fd=handle)) as file,
        ):
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return file.read().decode("utf-8", "replace")
    except FileNotFoundError:
        return ""
    except OSError:
        pass
    raise Unreadable(f"{quote(path)} is not an ordinary file; remove it, memdown recreates it")


def _cell(value: str) -> str:
    return "".join(char if char.isprintable() else " " for char in value) or "-"
