"""The demo: the main job, shown on a sample project in a temporary folder. Every command in it is run for real."""

import contextlib
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

import click

from memdown.surfaces.cli.common import examples, shown, style

_BY_HAND = """\
---
subject: Sessions live in Redis
keywords: [redis, sessions, Redis]
applies_to: area:auth
occurred_at: 2026-01-16T14:20:00Z   # after the review
owner: ann
---

Sessions are kept in Redis, not in the database.
A session ends after 30 minutes without a request.
"""
_OLD_LOG = """\
# Decisions

### 2026-01-12: Use SQLite
**By:** Ann
**What:** One file for everything.
**Why:** Nobody runs a server here.
"""
_LOG_NAME = ".squad/decisions.md"
_HAND_NAME = "memories/77c1a5d2-0b3e-4f6a-8d9c-1e2f3a4b5c6d.md"
_POOL = [
    *("add", "card", "Pool size is 10 after load testing", "-k", "database", "-k", "pool"),
    *("--applies-to", "file:src/db.py", "--occurred-at", "2026-01-15T10:30:00Z"),
    *("--content", "The pool has 10 connections.\nWith 5 the load test timed out at 200 users."),
]

_MANIFEST = '[project]\nname = "shop"\nrequires-python = ">=3.11"\ndependencies = ["flask>=3.0"]\n'
_REVIEWS = "memory/skills/code-review/my-api/review_history.md"
_TWELVE = "# Reviews\n" + "".join(f"\n## Review #{number}\n\nOne finding.\n" for number in range(1, 13))


@click.command("demo", epilog=examples("memdown demo", "memdown demo --keep"))
@click.option("--keep", is_flag=True, help="Keep the sample project.")
@click.pass_context
def demo_command(ctx: click.Context, keep: bool) -> None:
    """Run a tour of memdown on a sample project in a temporary folder; nothing else is touched."""
    folder = Path(tempfile.mkdtemp(prefix="memdown-demo-"))
    _say(f"A sample project, in {folder}.")
    try:
        with contextlib.chdir(folder):
            _act(ctx.find_root().command)
    finally:
        if keep:
            _say(f"The sample project is in {folder}.")
        else:
            shutil.rmtree(folder)
    _say("That was memdown. Next: memdown --help, or memdown status in a project of yours.")


def _act(program: click.Command) -> None:
    _say("Write a memory. It becomes a Markdown file of its own; the files are the truth.")
    _run(program, *_POOL)
    _say("The same memory again: nothing is written twice, by however many assistants.")
    _run(program, *_POOL)
    _say("A colleague writes one by hand, with a few slips.")
    Path(_HAND_NAME).write_text(_BY_HAND, "utf-8", newline="")
    _show(_HAND_NAME)
    _say("Check: each finding has a file, a line, a column and a code with a page (memdown explain CRD034).")
    _run(program, "check")
    _say("Mend what is safe to mend. Only the bytes that are wrong change; the comment and `owner` stay.")
    _run(program, "check", "--diff")
    _run(program, "check", "--fix")
    _say("Find it again: by words, keyword or scope.")
    _run(program, "list", "redis")
    _say("Read it: every line of the file is accounted for.")
    _run(program, "read", "--lines", _HAND_NAME)
    _say("Change one value; the rest of the file keeps its bytes.")
    _run(program, "edit", "77c1", "--title", "Sessions live in Redis, for 30 minutes")
    _show(_HAND_NAME)
    _say("What was remembered when?")
    _run(program, "timeline")
    _say("A skill keeps twelve reviews in a layered store. Ten stay, the others go to the archive; undo takes it back.")
    Path(_REVIEWS).parent.mkdir(parents=True)
    Path(_REVIEWS).write_text(_TWELVE, "utf-8", newline="")
    _run(program, "layer", "prune")
    _run(program, "undo")
    _say("An older log of decisions. Converting it invents nothing and loses nothing.")
    Path(_LOG_NAME).parent.mkdir()
    Path(_LOG_NAME).write_text(_OLD_LOG, "utf-8", newline="")
    _run(program, "convert", _LOG_NAME, "--diff")
    _run(program, "convert", _LOG_NAME)
    _say("A memory bank of seven files, begun from what the project's own files say; then a task is done.")
    Path("pyproject.toml").write_text(_MANIFEST, "utf-8", newline="")
    _run(program, "init")
    _run(program, "bank", "add-item", "Checkout page")
    _run(program, "update", "--complete", "checkout", "--focus", "Payment.", "--next", "Ask for the key of the bank")
    _say("The next session begins with a briefing.")
    _run(program, "start")
    _say("Beside it, a journal: a task, and what was done for it.")
    _run(program, "task", "add", "Payment page", "--priority", "high")
    _run(program, "add", "edit", "Payment page drawn", "--task", "T1", "--created", "src/pay.py: The form")
    _say("One search over all of it; and what an assistant should read now, within a budget of tokens.")
    _run(program, "search", "what about payment", "-n", "3")
    _run(program, "context", "payment page", "--budget", "400", "--list")
    _say("How is the memory of this project?")
    _run(program, "status")


def _say(sentence: str) -> None:
    click.echo(shown(f"\n{style('place', '# ' + sentence)}"))


def _run(program: click.Command, *args: str) -> None:
    click.echo(shown(f"{style('dim', '$')} memdown {shlex.join(args)}"))
    sys.stdout.flush()
    # A finding is part of the story, so the exit code of a step does not end it.
    program.main(list(args), prog_name="memdown", standalone_mode=False)


def _show(name: str) -> None:
    click.echo(shown(f"{style('dim', '$')} cat {name}"))
    click.echo(Path(name).read_text("utf-8"), nl=False)
