"""The command backup: all memory of a project in one checksummed file."""

import sys
from collections.abc import Iterator

import click

from memdown.acts.backup import Backup
from memdown.errors import Invalid
from memdown.surfaces.cli.common import Invocation, count, examples, standard


@click.command(
    "backup",
    epilog=examples(
        "memdown backup ../shop-memory.zip",
        "memdown backup ../shop-memory.zip --with-undo --force",
        "memdown backup - | ssh backup 'cat > shop-memory.zip'",
    ),
)
@click.argument("file")
@click.option("--with-undo", is_flag=True, help="Include the undo log.")
@click.option("--force", is_flag=True, help="Overwrite a file with other content.")
@standard
def backup_command(session: Invocation, file: str, with_undo: bool, force: bool) -> None:
    """Back up all memory of this project to FILE; - writes standard output.

    The file is a zip with every file of memory, byte for byte, memdown.toml, and a list of checksums. The same memory
    always gives the same file. It contains whatever the files contain, including credentials: keep it just as safe.
    """
    if file == "-":
        if sys.stdout.isatty():
            raise Invalid("A backup is binary; redirect it, or give a file.")
        data, made = session.memory.pack(with_undo=with_undo)
        sys.stdout.buffer.write(data)
        session.note(f"Packed {count(made.files, 'file')}, sha256 {made.sha256}.")
        for sentence in made.left_out:
            session.note(f"Left out: {sentence}.")
        return
    made = session.memory.backup(file, with_undo=with_undo, force=force)
    session.answer(made, lambda: _lines(made))


def _lines(made: Backup) -> Iterator[str]:
    steps = f" and {count(made.steps, 'step')} of undo" if made.steps else ""
    verb = "Already there:" if made.unchanged else "Wrote"
    yield f"{verb} {made.written}: {count(made.files, 'file')}{steps}, sha256 {made.sha256}"
    yield from (f"Left out: {sentence}" for sentence in made.left_out)
