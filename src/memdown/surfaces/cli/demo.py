"""The demo: a tour of memdown on a sample project in a temporary folder. Every command in it is run for real."""

import contextlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from textwrap import dedent

import click

from memdown.surfaces.cli.common import examples, shown, style

TOURS = ("bank", "sem", "cards", "layers", "journal")


@click.command("demo", epilog=examples("memdown demo", "memdown demo --tour bank", "memdown demo --keep"))
@click.option("--tour", type=click.Choice(TOURS), help="Show more of one dialect.")
@click.option("--keep", is_flag=True, help="Keep the sample project.")
@click.pass_context
def demo_command(ctx: click.Context, tour: str | None, keep: bool) -> None:
    """Show memdown at work on a sample project in a temporary folder; nothing else is touched."""
    folder = Path(tempfile.mkdtemp(prefix="memdown-demo-"))
    try:
        with contextlib.chdir(folder):
            for line, text in _lines(tour or "story"):
                _act(ctx.find_root().command, line, text)
    finally:
        if keep:
            _say(f"The sample project is in {folder}.")
        else:
            shutil.rmtree(folder)
    more = "" if tour else f" More: memdown demo --tour {'|'.join(TOURS)}."
    _say(
        "In your own project, run memdown init to create a memory, and memdown install claude (or cursor, codex, …) to"
        f" set up your assistant.{more}"
    )


def _lines(tour: str) -> Iterator[tuple[str, str]]:
    """The lines of a tour, each with the indented text below it."""
    script = files("memdown.surfaces.cli").joinpath(f"tours/{tour}.txt").read_text("utf-8").splitlines()
    starts = [number for number, line in enumerate(script) if line and not line.startswith(" ")]
    for start, end in zip(starts, [*starts[1:], len(script)], strict=True):
        yield script[start], dedent("".join(f"{line}\n" for line in script[start + 1 : end]))


def _act(program: click.Command, line: str, text: str) -> None:
    mark, rest = line[0], line[2:]
    if mark == "#":
        _say(rest)
    elif mark == ">":
        Path(rest).parent.mkdir(parents=True, exist_ok=True)
        Path(rest).write_text(text, "utf-8", newline="")
        _prompt(f"cat {rest}")
        click.echo(text, nl=False)
    else:
        words = shlex.split(rest)
        if mark == "$":
            _prompt(f"echo {shlex.quote(text.strip())} | {rest}" if text else rest)
        if words[0] != "memdown":
            # git runs the memdown that is running here
            path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
            subprocess.run(words, env={**os.environ, "PATH": path}, check=True)
        elif text:
            _hook(words[1:], text)
        else:  # a finding is part of the story, so the exit code of a step does not end it
            program.main(words[1:], prog_name="memdown", standalone_mode=False)


def _hook(args: list[str], event: str) -> None:
    """Run a hook as an assistant does, and show what the assistant reads of its answer."""
    command = [sys.executable, "-m", "memdown", *args]
    done = subprocess.run(command, input=event, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    click.echo(shown(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]))


def _prompt(command: str) -> None:
    click.echo(shown(f"{style('dim', '$')} {command}"))
    sys.stdout.flush()


def _say(sentence: str) -> None:
    click.echo(shown(f"\n{style('place', '# ' + sentence)}"))
    sys.stdout.flush()
