"""The command session: the sessions of a journal, begun, noted and ended."""

from collections.abc import Sequence

import click
from msgspec import structs

from memdown.memory.journal.sessions import Gone, SessionState
from memdown.surfaces.cli.common import CommandGroup, Invocation, examples, standard, style, writing


@click.group(
    "session",
    cls=CommandGroup,
    epilog=examples("memdown session start --focus T21", "memdown session note 'Parser works'"),
)
def session_command() -> None:
    """Start, annotate and end the sessions of a journal: a file for each period of a day, and the session cache."""


@session_command.command("start", epilog=examples("memdown session start", "memdown session start --focus T21"))
@click.option("--focus", default="", help="What it is about; a task id is replaced by its title.")
@click.option("--period", help="night, morning, afternoon or evening. [default: by the clock]")
@writing
def start_session(session: Invocation, focus: str, period: str | None) -> None:
    """Start the session of this period, or continue it."""
    done = session.memory.journal.sessions.start(focus=focus, period=period)
    _answer(session, done, "Began" if done.created else "Going on with")


@session_command.command("note", epilog=examples("memdown session note 'The parser reads tables'"))
@click.argument("text")
@click.option("--section", help="Section to add it to. [default: Work Done]")
@writing
def note_session(session: Invocation, text: str, section: str | None) -> None:
    """Add a line to the open session."""
    _answer(session, session.memory.journal.sessions.note(text, section=section), "Added to")


@session_command.command("end", epilog=examples("memdown session end --summary 'The parser is done'"))
@click.option("--summary", default="", help="What was done, for the session and the history of the cache.")
@click.option("--notes", multiple=True, help="A note for the next session; repeatable.")
@writing
def end_session(session: Invocation, summary: str, notes: Sequence[str]) -> None:
    """End the open session."""
    _answer(session, session.memory.journal.sessions.end(summary=summary, notes=notes), "Ended")


@session_command.command("list", epilog=examples("memdown session list --json"))
@standard
def list_sessions(session: Invocation) -> None:
    """List the sessions, the newest first."""
    found = session.memory.journal.sessions.all()
    session.answer(found, lambda: [_row(each) for each in found] or ["No sessions."])


def _answer(session: Invocation, done: Gone, verb: str) -> None:
    value = {**structs.asdict(done.session), "created": done.created, "written": done.written}
    session.answer(value, lambda: [f"{verb} {done.session.path} {_focus(done.session)}".rstrip()])


def _row(each: SessionState) -> str:
    return f"{each.date} {each.period:<9}  {each.status or '-'}  {_focus(each)}".rstrip()


def _focus(each: SessionState) -> str:
    return style("dim", each.focus) if each.has_focus else ""
