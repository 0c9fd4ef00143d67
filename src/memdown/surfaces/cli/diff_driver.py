"""The command diff-driver: what git calls to compare a memory file by record."""

import sys
from pathlib import Path

import click

from memdown.acts.diff_driver import by_record
from memdown.errors import Unreadable, quote
from memdown.surfaces.cli.common import examples
from memdown.surfaces.show.style import visible
from memdown.text import decode, encode


@click.command("diff-driver", epilog=examples("memdown install git", "git diff", "git log -p memory-bank/"))
@click.argument("path", metavar="PATH")
def diff_driver_command(path: str) -> int:
    """Print a memory file with a line before each record that names it, for git.

    `memdown install git` makes git compare memory files in this form, so that `git diff`, `git show` and `git log -p`
    name the record of each change. No line is left out, and control characters are shown as escapes. `git diff
    --no-textconv` compares the files as they are.
    """
    try:
        text = decode(Path(path).read_bytes())
    except OSError as error:
        raise Unreadable(f"{quote(path)} cannot be read: {error.strerror}; give the path of a file") from error
    sys.stdout.buffer.write(encode(visible(by_record(path, text))))
    sys.stdout.buffer.flush()
    return 0
