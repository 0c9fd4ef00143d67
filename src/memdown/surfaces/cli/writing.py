"""Commands that write memories: add, capture, edit, delete."""

import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Unpack

import click

from memdown.dialects.sem.write import Fields
from memdown.errors import Invalid
from memdown.memory.cards import Added
from memdown.memory.sem.entries import related as read_related
from memdown.surfaces.cli.common import Invocation, complete_id, examples, standard, style
from memdown.surfaces.show import render
from memdown.text import decode


def _content(session: Invocation, content: str | None, file: str | None) -> str:
    """What to write: given, in a file of the project, or piped in."""
    if content is not None and file is not None:
        raise Invalid("Give --content or --file, not both.")
    if content is not None:
        return content
    if file is not None:
        return session.memory.text_of(file)
    if sys.stdin is None or sys.stdin.isatty():
        raise Invalid("There is no content: give it with --content or --file, or pipe it in.")
    return decode(sys.stdin.buffer.read())


_ELSEWHERE = {"edit": ("add_edit", "add_edit"), "task": ("task", "add_task")}


class _Kinds(click.Group):
    """Kinds of the journal are loaded when they are added, so that cards and entries need not wait for them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted((*super().list_commands(ctx), *_ELSEWHERE))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _ELSEWHERE:
            return super().get_command(ctx, cmd_name)
        module, name = _ELSEWHERE[cmd_name]
        command: click.Command = getattr(import_module(f"memdown.surfaces.cli.{module}"), name)
        return command


@click.group("add", cls=_Kinds, epilog=examples("memdown add card --help", "memdown add decision --help"))
def add_command() -> None:
    """Write a new memory. Each kind has its own options."""


@add_command.command(
    "card",
    epilog=examples(
        "memdown add card 'Build needs Node 20' -k build -k node --content 'The build needs Node 20 or newer.'",
        "memdown add card 'Auth middleware' -k auth --applies-to file:src/auth.ts < notes.md",
    ),
)
@click.argument("title")
@click.option("-k", "--keyword", "keywords", multiple=True, required=True, help="A word to find it by; give 1 to 20.")
@click.option("--applies-to", default="global", show_default=True, help="global, file:<path> or area:<name>.")
@click.option("--content", help="The text itself.")
@click.option("--file", help="A file of the project that holds the text; else it is read from standard input.")
@click.option("--occurred-at", help="When it happened, as 2026-01-31T09:30:00Z. [default: now]")
@click.option("--id", help="A UUID v4 of your own. [default: a new one]")
@click.option(
    "--dedupe",
    type=click.Choice(["memory", "content"]),
    default="memory",
    show_default=True,
    help="What counts as there already: the same content of the same time, or the same content of any time.",
)
@standard
def add_card(
    session: Invocation,
    title: str,
    keywords: Sequence[str],
    applies_to: str,
    content: str | None,
    file: str | None,
    occurred_at: str | None,
    id: str | None,
    dedupe: str,
) -> None:
    """Write a card: one memory in a file of its own.

    A memory that is there already, the same content of the same time, is not written again; its id is shown.
    """
    added = session.memory.cards.add(
        title,
        _content(session, content, file),
        keywords=keywords,
        applies_to=applies_to,
        occurred_at=occurred_at,
        id=id,
        dedupe=dedupe,
    )
    _answer(session, added)


def _answer(session: Invocation, added: Added) -> None:
    session.answer(render.added(added), lambda: _added(added))
    for note in added.notes:
        session.note(note)


def _added(added: Added) -> Iterator[str]:
    done = "Wrote" if added.created else "There already:"
    yield f"{done} {added.record.path} {style('dim', added.record.title or '')}".rstrip()


def _entry_command(kind: str, told: str) -> click.Command:
    """The command that adds one kind of entry; all kinds have the same fields."""

    @click.command(
        kind,
        help=told,
        epilog=examples(
            f"memdown add {kind} 'Use SQLite' --author Ann --rationale 'No server to run' --tag database",
            f"memdown add {kind} 'Use SQLite' --author Ann --details - < notes.md",
        ),
    )
    @click.argument("title")
    @click.option("--author", required=True, envvar="MEMDOWN_AUTHOR", help="Who says so. [env: MEMDOWN_AUTHOR]")
    @click.option("--summary", help="One sentence of at most 120 characters. [default: the title]")
    @click.option("--details", "text", help="The whole text; - reads it from standard input.")
    @click.option("--rationale", help="Why.")
    @click.option("--scope", help="team, project, agent:<name> or skill:<name>.")
    @click.option("--tag", "tags", multiple=True, help="A word to find it by.")
    @click.option("--contributor", "contributors", multiple=True, help="Somebody who took part.")
    @click.option("--supersedes", multiple=True, help="The timestamp of an entry this one replaces.")
    @click.option("--expires", help="When to look at it again: a date or a timestamp.")
    @click.option("--related", "links", multiple=True, help="A link, as 'issue: #18'.")
    @click.option("--inbox", is_flag=True, help="Write a file of its own into the drop box.")
    @click.option("--force", is_flag=True, help="Allow a summary of more than 120 characters.")
    @standard
    def add_entry(
        session: Invocation, /, title: str, inbox: bool, text: str | None, links: Sequence[str], **said: Unpack[Fields]
    ) -> None:
        said["details"] = _content(session, None, None) if text == "-" else text
        said["related"] = [read_related(each) for each in links]
        written = session.memory.entries.add(kind, title, inbox=inbox, **said)
        record = written.record
        told = {"id": record.id, "path": record.path, "line": record.line, "created": True, "notes": written.notes}
        session.answer(told, lambda: [f"Wrote {record.path}:{record.line} {style('dim', record.title or '')}".rstrip()])
        for note in written.notes:
            session.note(note)

    return add_entry


for _kind, _told in {
    "decision": "Write a decision: something agreed that affects everyone.",
    "memory": "Write a memory: something learned from work, into its author's history.",
    "note": "Write a note: something to know, with nothing to do.",
    "directive": "Write a directive: a rule a person stated, as always or never.",
}.items():
    add_command.add_command(_entry_command(_kind, _told))


@click.command(
    "capture",
    epilog=examples("memdown capture < message.md", "memdown capture --role user < prompt.md"),
)
@click.option("--role", default="assistant", show_default=True, help="Who wrote the message.")
@click.option("--content", help="The message; else it is read from standard input.")
@click.option("--occurred-at", help="When it was written, as 2026-01-31T09:30:00Z. [default: now]")
@standard
def capture_command(session: Invocation, role: str, content: str | None, occurred_at: str | None) -> None:
    """Keep a message as a card, in full, if the filtering rules let it.

    Only assistant messages of two or more lines are kept. Subject, keywords and scope are taken from the text.
    """
    captured = session.memory.cards.capture(role, _content(session, content, None), occurred_at=occurred_at)
    if captured.added is None:
        skipped = {"captured": False, "reason": captured.reason, "id": None, "path": None, "created": False}
        session.answer(skipped, lambda: [f"Not kept: {captured.reason}."])
        return
    if session.json:
        session.answer({"captured": True, "reason": None, **render.added(captured.added)}, list)
    else:
        _answer(session, captured.added)


@click.command(
    "edit",
    epilog=examples(
        "memdown edit 3f2b --title 'Build needs Node 22'",
        "memdown edit 3f2b --add-keyword ci --remove-keyword build",
        "memdown edit 3f2b --applies-to area:build",
    ),
)
@click.argument("id", shell_complete=complete_id)
@click.option("--title", "--subject", help="A new title.")
@click.option("-k", "--keyword", "keywords", multiple=True, help="These keywords instead of the old ones.")
@click.option("--add-keyword", "added", multiple=True, help="One more keyword.")
@click.option("--remove-keyword", "removed", multiple=True, help="One keyword less.")
@click.option("--applies-to", help="A new scope.")
@standard
def edit_command(
    session: Invocation,
    id: str,
    title: str | None,
    keywords: Sequence[str],
    added: Sequence[str],
    removed: Sequence[str],
    applies_to: str | None,
) -> None:
    """Change a memory's title, keywords or scope. Only the bytes of that value change.

    Its content is what it is: to change that, add a new memory and delete this one.
    """
    if title is None and applies_to is None and not (keywords or added or removed):
        raise click.UsageError("There is nothing to change; memdown edit --help lists what can be.")
    record = session.memory.cards.edit(
        id,
        subject=title,
        keywords=keywords or None,
        add_keywords=added,
        remove_keywords=removed,
        applies_to=applies_to,
    )
    session.answer(render.record(record), lambda: [f"Changed {record.path}"])


@click.command("delete", epilog=examples("memdown delete 3f2b8c1e", "memdown delete 3f2b --dry-run"))
@click.argument("id", shell_complete=complete_id)
@click.option("--dry-run", is_flag=True, help="Only show which file it is.")
@standard
def delete_command(session: Invocation, id: str, dry_run: bool) -> None:
    """Delete the memory with this id, or the only one whose id begins so."""
    record = session.memory.get(id) if dry_run else session.memory.cards.delete(id)
    told = {"id": record.id, "path": record.path, "deleted": not dry_run}
    session.answer(told, lambda: [f"{'Would delete' if dry_run else 'Deleted'} {record.path}"])
