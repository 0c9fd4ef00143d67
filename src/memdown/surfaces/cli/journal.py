"""Commands of the journal beside its tasks: session, error, regenerate; and `add edit`."""

import difflib
from collections.abc import Iterator, Sequence

import click
from msgspec import structs

from memdown.memory.journal.edits import file_of
from memdown.memory.journal.place import JournalWrite
from memdown.memory.journal.regenerate import Regenerated
from memdown.memory.journal.sessions import Gone, SessionState
from memdown.surfaces.cli.common import Invocation, count, examples, standard, style
from memdown.surfaces.cli.tasks import listed

# Edits


@click.command(
    "edit",
    epilog=examples(
        "memdown add edit 'File viewer' --task T21 --created 'src/viewer.js: Lists files' --modified README.md",
        "memdown add edit 'Parser rewritten' -f 'Modified:src/parser.js:reads tables' --from-git",
    ),
)
@click.argument("description")
@click.option("--task", "tasks", default="", metavar="T21,T22", help="The tasks it was for.")
@click.option("--created", multiple=True, metavar="PATH[: TEXT]", help="A new file, and what it is; again for more.")
@click.option("--modified", multiple=True, metavar="PATH[: TEXT]", help="A file that changed; again for more.")
@click.option("--updated", multiple=True, metavar="PATH[: TEXT]", help="A file brought up to date; again for more.")
@click.option("--deleted", multiple=True, metavar="PATH[: TEXT]", help="A file that is gone; again for more.")
@click.option("-f", "--file", "files", multiple=True, metavar="ACTION:PATH:TEXT", help="The same in one word.")
@click.option("--from-git", is_flag=True, help="Add the files that are not as in the last commit.")
@standard
def add_edit(
    session: Invocation, /, description: str, tasks: str, files: Sequence[str], from_git: bool, **said: Sequence[str]
) -> None:
    """Write what was done into the edit history: newest first, below the day.

    A file without a text of its own gets the description of the entry. The history is made when it is not there.
    """
    named = [(action, *_split(each)) for action, given in said.items() for each in given]
    named += [file_of(each) for each in files]
    done = session.memory.journal.edits.add(description, tasks=listed(tasks), files=named, from_git=from_git)
    _wrote(session, done)


def _split(given: str) -> tuple[str, str]:
    path, _, said = given.partition(": ")
    return path, said.strip()


def _wrote(session: Invocation, done: JournalWrite) -> None:
    record = done.record
    told = {"id": record.id, "path": record.path, "line": record.line, "created": done.created, "written": done.written}
    verb = "Wrote" if done.created else "There already:"
    session.answer(told, lambda: [f"{verb} {record.path}:{record.line} {style('dim', record.title or '')}".rstrip()])


# Errors


@click.group("error", epilog=examples("memdown error add --help"))
def error_command() -> None:
    """Keep the error log of a journal."""


@error_command.command(
    "add",
    epilog=examples(
        "memdown error add 'Viewer does not start' --file src/viewer.js --error EADDRINUSE --task T21"
        " --cause 'The port was taken' --fix 'Asks for a free one'"
    ),
)
@click.argument("title")
@click.option("--file", metavar="PATH", help="Where it happened.")
@click.option("--error", default="", metavar="TEXT", help="What was said.")
@click.option("--cause", default="", metavar="TEXT", help="Why it happened.")
@click.option("--fix", default="", metavar="TEXT", help="What mended it.")
@click.option("--task", metavar="ID", help="The task it belongs to.")
@standard
def add_error(
    session: Invocation, title: str, file: str | None, error: str, cause: str, fix: str, task: str | None
) -> None:
    """Write an error into errorLog.md, before those that are there."""
    done = session.memory.journal.errors.add(title, file=file, error=error, cause=cause, fix=fix, task=task)
    _wrote(session, done)


# Sessions


@click.group("session", epilog=examples("memdown session start --focus T21", "memdown session note 'Parser works'"))
def session_command() -> None:
    """Keep the sessions of a journal: a file for each period of a day, and the session cache."""


@session_command.command("start", epilog=examples("memdown session start", "memdown session start --focus T21"))
@click.option("--focus", default="", help="What it is about; the id of a task gets its title.")
@click.option("--period", help="night, morning, afternoon or evening. [default: by the clock]")
@standard
def start_session(session: Invocation, focus: str, period: str | None) -> None:
    """Begin the session of this period, or go on with it."""
    done = session.memory.journal.sessions.start(focus=focus, period=period)
    _session(session, done, "Began" if done.created else "Going on with")


@session_command.command("note", epilog=examples("memdown session note 'The parser reads tables'"))
@click.argument("text")
@click.option("--section", help="The section it goes to. [default: Work Done]")
@standard
def note_session(session: Invocation, text: str, section: str | None) -> None:
    """Add a line to the session that is open."""
    _session(session, session.memory.journal.sessions.note(text, section=section), "Added to")


@session_command.command("end", epilog=examples("memdown session end --summary 'The parser is done'"))
@click.option("--summary", default="", help="What was done, for the session and the history of the cache.")
@standard
def end_session(session: Invocation, summary: str) -> None:
    """End the session that is open."""
    _session(session, session.memory.journal.sessions.end(summary=summary), "Ended")


@session_command.command("list", epilog=examples("memdown session list --json"))
@standard
def list_sessions(session: Invocation) -> None:
    """List the sessions, the newest first."""
    found = session.memory.journal.sessions.all()
    session.answer(found, lambda: [_held(each) for each in found] or ["No sessions."])


def _session(session: Invocation, done: Gone, verb: str) -> None:
    told = {**structs.asdict(done.session), "created": done.created, "written": done.written}
    session.answer(told, lambda: [f"{verb} {done.session.path} {style('dim', done.session.focus)}".rstrip()])


def _held(each: SessionState) -> str:
    return f"{each.date} {each.period:<9}  {each.status or '-'}  {style('dim', each.focus)}".rstrip()


# Regenerating


@click.command("regenerate", epilog=examples("memdown regenerate --diff", "memdown regenerate --out from-records"))
@click.option("--out", metavar="DIR", help="Write the texts into a new folder of the project.")
@click.option("--diff", is_flag=True, help="Show how they differ from the files.")
@standard
def regenerate_command(session: Invocation, out: str | None, diff: bool) -> None:
    """Render edit_history.md and tasks.md from their records alone. No file that is there is changed.

    Text that is no record, as prose between entries, is not in them: look at the difference before you use them.
    """
    done = session.memory.journal.regenerate(out)
    told = {"texts": done.texts, "left_out": done.left_out, "written": done.written}
    session.answer(told, lambda: _rendered(done, diff))
    if done.left_out:
        session.note(f"{count(len(done.left_out), 'record')} left out; --json tells which and why.")


def _rendered(done: Regenerated, diff: bool) -> Iterator[str]:
    if done.written:
        yield from (f"Wrote {name}" for name in done.written)
        return
    for name, text in done.texts.items():
        if diff:
            before = done.before.get(name, "").splitlines()
            yield from difflib.unified_diff(before, text.splitlines(), name, f"{name} (from records)", lineterm="")
        else:
            yield from (f"{name}:", "", text)
    if not done.texts:
        yield "There is no journal here yet; `memdown init --dialect journal` begins one."
