"""The command open: a memory in your editor, at its line."""

import os
import shlex
import subprocess

import click

from memdown.errors import Invalid, Unreadable, quote
from memdown.surfaces.cli.common import Invocation, examples, standard
from memdown.surfaces.show import render

_GOTO = frozenset(("code", "code-insiders", "codium", "cursor", "windsurf"))
_COLON = frozenset(("hx", "subl", "zed"))
_PLUS = frozenset(
    ("ed", "emacs", "emacsclient", "gvim", "joe", "kak", "mg", "micro", "nano", "nvim", "pico", "vi", "view", "vim")
)


@click.command("open", epilog=examples("memdown open 3f2b8c1e", "EDITOR='code --wait' memdown open 3f2b"))
@click.argument("id")
@standard
def open_command(session: Invocation, id: str) -> int:
    """Open the file of a memory in $VISUAL or $EDITOR, at its line where the editor can."""
    record = session.memory.get(id)
    place = session.memory.files.path(record.path)
    command = [*_editor(), *_arguments(_editor()[0], str(place), record.line)]
    try:
        code = subprocess.run(command, check=False).returncode
    except OSError as error:
        raise Unreadable(f"The editor {quote(command[0])} cannot be started: {error.strerror}.") from None
    session.answer(render.place(record), lambda: (f"{record.path}:{record.line}",))
    return 1 if code else 0


def _editor() -> list[str]:
    line = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        words = shlex.split(line, posix=os.name != "nt")
    except ValueError:
        words = []
    if not words:
        raise Invalid("Set EDITOR to the command of your editor, as EDITOR=nano.")
    return words


def _arguments(editor: str, path: str, line: int) -> tuple[str, ...]:
    name = os.path.basename(editor.replace("\\", "/")).lower().removesuffix(".exe").removesuffix(".cmd")  # noqa: PTH119
    if name in _GOTO:
        return "--goto", f"{path}:{line}"
    if name in _COLON:
        return (f"{path}:{line}",)
    return (f"+{line}", path) if name in _PLUS else (path,)
