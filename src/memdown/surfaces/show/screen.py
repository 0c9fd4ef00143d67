"""Lines on their way to a reader: folded to the width of a terminal, through a pager when they are more than fit."""

import os
import sys
from collections.abc import Iterable

from memdown.lazy import LazyModule
from memdown.surfaces.show.style import Prose, folded, shown

TYPE_CHECKING = False  # as typing's, which a cold start need not pay for
if TYPE_CHECKING:
    import shlex
    import shutil
    import subprocess
else:
    shlex, shutil, subprocess = LazyModule("shlex"), LazyModule("shutil"), LazyModule("subprocess")

_PLAIN = ("", "cat")
_USUAL = (80, 24)


def show(lines: Iterable[str]) -> None:
    """Print lines: as they are where nobody looks, else folded, and through $PAGER when there are too many."""
    if not sys.stdout.isatty():
        for line in lines:
            print(shown(line))
        sys.stdout.flush()  # before whatever is said on standard error
        return
    if os.name == "nt":
        os.system("")  # which makes a console of Windows know colours
    width, height = shutil.get_terminal_size()
    text = [
        shown(each)
        for line in lines
        for part in line.split("\n")
        for each in folded(part, width, prose=isinstance(line, Prose))
    ]
    if text and (len(text) < height or not _paged(text)):
        print("\n".join(text), flush=True)


def warn(sentence: str) -> None:
    """Say something on standard error: on one line, which a terminal gets folded."""
    line = f"memdown: {shown(sentence)}"
    if sys.stderr is not None and sys.stderr.isatty():
        try:
            own: tuple[int, int] = os.get_terminal_size(sys.stderr.fileno())
        except (OSError, ValueError):  # it only seems to be one
            own = _USUAL
        own = own if own[0] > 0 else _USUAL  # one that does not know its size says that it has none
        line = "\n".join(folded(line, shutil.get_terminal_size(own).columns))
    print(line, file=sys.stderr)


def _paged(text: list[str]) -> bool:
    """Whether a pager took it."""
    line = os.environ.get("MEMDOWN_PAGER", os.environ.get("PAGER", "less"))
    if line in _PLAIN or os.environ.get("TERM") == "dumb" or not sys.stdin or not sys.stdin.isatty() or os.name == "nt":
        return False
    try:
        command = shlex.split(line)
        with subprocess.Popen(command, stdin=subprocess.PIPE, env={"LESS": "FRX", **os.environ}) as pager:
            try:
                pager.communicate("\n".join((*text, "")).encode("utf-8", "surrogateescape"))
            except KeyboardInterrupt:
                pager.wait()
    except (OSError, ValueError):
        return False
    return True
