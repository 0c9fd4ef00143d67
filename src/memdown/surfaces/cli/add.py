"""The command add: a new memory, written where the project keeps its kind."""

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Unpack, cast

import click

from memdown.acts.add import Added
from memdown.dialects.draft import DraftFields
from memdown.errors import Invalid, nearest, quote
from memdown.index.similar import SimilarRecord
from memdown.patterns import lazy
from memdown.surfaces.cli.common import CommandGroup, Invocation, examples, style, writing
from memdown.surfaces.show import render


def content_of(session: Invocation, content: str | None, file: str | None) -> str:
    """What to write: given, in a file of the project, or piped in."""
    if content is not None and file is not None:
        raise Invalid("Give --content or --file, not both.")
    if file is not None:
        return session.memory.text_of(file)
    text = session.text(content)
    return session.piped() if text is None else text


_TEXT = "text"
_AUTHOR = "Author. [env: MEMDOWN_AUTHOR; default: git's user.name]"
_TEMPLATE = """
<!-- The first line is the title; you can add more below it. memdown guesses the kind from the words.
If the text is empty, nothing is added. -->
"""
_COMMENT = lazy(r"<!--(?s:.)*?-->")
_COMMANDS = {"error": "Errors are added with `memdown error add`."}
"""What has a command of its own."""
_OTHERS = ("milestone",)
"""Kinds that need no options of their own."""
_ELSEWHERE = {"edit": ("add_edit", "add_edit"), "task": ("task", "add_task_here")}


class _Kinds(CommandGroup):
    """Kinds of the journal are loaded when they are added, so that cards and entries need not wait for them.

    What names no kind is a text to remember.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0] not in ("-h", "--help") and self.get_command(ctx, args[0]) is None):
            args = [_TEXT, *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted((*super().list_commands(ctx), *_ELSEWHERE))

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click calls it so
        return ["TEXT | KIND ..."]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _ELSEWHERE:
            return super().get_command(ctx, cmd_name)
        module, name = _ELSEWHERE[cmd_name]
        command: click.Command = getattr(import_module(f"memdown.surfaces.cli.{module}"), name)
        return command


@click.group(
    "add",
    cls=_Kinds,
    epilog=examples(
        'memdown add "Trailers are lazy" --why "Body first"',
        'memdown add "Never deploy on a Friday"',
        "memdown add text --help",
        "memdown add card --help",
    ),
)
def add_command() -> None:
    """Write a new memory: a text, or a kind with options of its own.

    For a text alone, memdown guesses the kind, says what it guessed, and writes it where the project keeps that kind.
    Its options, such as --why, --kind and --tag, are those of `memdown add text`; each kind lists its own.
    """


@add_command.command(
    _TEXT,
    epilog=examples(
        'memdown add "Trailers are lazy" --why "Body first"',
        'memdown add "The pool has 10 connections" --kind note --tag database',
        "memdown add - < note.md",
    ),
)
@click.argument("words", nargs=-1, metavar="[TEXT]")
@click.option("--kind", "--type", help="Kind, such as decision, note or card. [default: guessed]")
@click.option("--why", "--rationale", help="Reason; makes it a decision. Takes - and @FILE, too.")
@click.option("--author", envvar="MEMDOWN_AUTHOR", help=_AUTHOR)
@click.option("--details", "--content", "text", help="Body; - reads standard input, @FILE reads a file.")
@click.option("-k", "--tag", "--keyword", "tags", multiple=True, help="Keyword or tag; repeatable.")
@click.option("--scope", "--applies-to", help="Scope: who or what it applies to.")
@click.option("--supersedes", multiple=True, help="Memory that it replaces: an id, title or timestamp.")
@click.option("--related", multiple=True, help="Link, such as 'issue: #18'.")
@writing
def add_text(session: Invocation, /, words: Sequence[str], kind: str | None, **given: Unpack[DraftFields]) -> None:
    """Remember something. The kind is guessed from the text and options.

    Where the format of the project's memory names an author, it comes from git; a memory bank names none unless
    --author does.

    Without TEXT, $VISUAL or $EDITOR opens to write it.
    """
    kinds = sorted((*add_command.commands, *_ELSEWHERE, *_OTHERS))
    is_kind_like = len(words) == 2 and " " not in words[0]
    if is_kind_like and words[0] in _COMMANDS:
        raise click.UsageError(_COMMANDS[words[0]])
    if is_kind_like and kind is None and words[0] in _OTHERS:
        kind, words, is_kind_like = words[0], words[1:], False
    if is_kind_like and words[0] in kinds:
        raise click.UsageError(f"Options go after the kind, as in `memdown add {words[0]} TEXT --root DIR`.")
    if is_kind_like and (near := nearest(words[0], kinds, 1)):
        raise click.UsageError(f"There is no kind {quote(words[0])}; did you mean {near[0]}? Put a text in quotes.")
    given["text"], given["why"] = session.text(given.get("text")), session.text(given.get("why"))
    text = session.text(" ".join(words)) or given["text"] or _written(session)
    chosen = cast("DraftFields", {name: value for name, value in given.items() if value})
    answer_added(session, session.memory.remember(text, kind=kind, **chosen))
    if is_kind_like and " " in words[1].strip():
        session.note(
            f"There is no kind {quote(words[0])}, so it became part of the text;"
            f" kinds are {', '.join(each for each in kinds if each != _TEXT)}."
        )


def _written(session: Invocation) -> str:
    """A text from an editor, on a terminal; else what is piped in."""
    if sys.stdin is None or not sys.stdin.isatty():
        return session.piped()
    if not (os.environ.get("VISUAL") or os.environ.get("EDITOR")):
        raise Invalid('Nothing to add: give a text, as in `memdown add "Use SQLite"`, or set EDITOR.')
    try:
        written = click.edit(_TEMPLATE, extension=".md", require_save=False)
    except click.ClickException as error:
        raise Invalid(f"The editor failed ({error.message}); set EDITOR to one that does.") from error
    text = _COMMENT.sub("", written or "").strip()
    if not text:
        raise Invalid("The text is empty; nothing was added.")
    return text


@add_command.command(
    "card",
    epilog=examples(
        "memdown add card 'Build needs Node 20' -k build -k node --content 'The build needs Node 20 or newer.'",
        "memdown add card 'Auth middleware' -k auth --applies-to file:src/auth.ts < notes.md",
    ),
)
@click.argument("title")
@click.option("-k", "--keyword", "keywords", multiple=True, help="Keyword; repeatable. [default: from the text]")
@click.option("--applies-to", default="global", show_default=True, help="global, file:<path> or area:<name>.")
@click.option("--content", help="Text; - reads standard input, @FILE reads a file.")
@click.option("--file", help="File of the project with the text. [default: standard input]")
@click.option("--occurred-at", help="When it happened, such as 2026-01-31T09:30:00Z. [default: now]")
@click.option("--id", help="A UUID v4 of your own. [default: a new one]")
@click.option(
    "--dedupe",
    type=click.Choice(["memory", "content"]),
    default="memory",
    show_default=True,
    help="What counts as a duplicate: the same content and time, or the same content at any time.",
)
@writing
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

    A memory with the same content and time is not written again; its id is shown.
    """
    added = session.memory.add(
        "card",
        title,
        text=content_of(session, content, file),
        tags=keywords,
        scope=applies_to,
        at=occurred_at,
        id=id,
        dedupe=dedupe,
    )
    answer_added(session, added)


def answer_added(session: Invocation, added: Added, as_json: Callable[[Added], render.Json] = render.added) -> None:
    """Say where a memory stands now; one that shares its file with others, with its line."""
    record = added.record
    line = "" if record.kind == "card" else f":{record.line}"
    done = "Already exists:" if not added.created else "Created" if added.is_new_file else "Wrote"
    title = style("dim", record.title or "")
    session.answer(as_json(added), lambda: [f"{done} {record.path}{line} {title}".rstrip()])
    if added.guessed:
        session.note(f"Guessed {'; '.join(added.guessed)}.")
    answer_notes(session, added.notes, added.similar)


def answer_notes(session: Invocation, notes: Sequence[str], similar: Sequence[SimilarRecord]) -> None:
    """Say what else there is to know of what was added; of what is similar, what the notes do not name."""
    for note in notes:
        session.note(note)
    named = " ".join(notes)
    for each in similar:
        if each.id not in named:
            session.note(f"Similar: {each.id} {quote(each.title)} ({each.path})")


def _entry_command(kind: str, summary: str, title: str, rest: str) -> click.Command:
    """The command that adds one kind of entry, with an example; all kinds have the same fields."""

    @click.command(
        kind,
        help=summary,
        epilog=examples(
            f"memdown add {kind} '{title}' {rest}",
            f"memdown add {kind} '{title}' --details - < notes.md",
        ),
    )
    @click.argument("title")
    @click.option("--author", envvar="MEMDOWN_AUTHOR", help=_AUTHOR)
    @click.option("--summary", help="One sentence of at most 120 characters. [default: the title]")
    @click.option("--details", "--content", "text", help="Full text; - reads standard input, @FILE reads a file.")
    @click.option("--why", "--rationale", help="Reason; takes - and @FILE, too.")
    @click.option("--scope", help="team, project, agent:<name> or skill:<name>.")
    @click.option("--tag", "tags", multiple=True, help="Keyword or tag; repeatable.")
    @click.option("--contributor", "contributors", multiple=True, help="Contributor; repeatable.")
    @click.option("--supersedes", multiple=True, help="Memory that it replaces: an id, title or timestamp.")
    @click.option("--expires", help="When to review it: a date or timestamp.")
    @click.option("--related", "links", multiple=True, help="Link, such as 'issue: #18'.")
    @click.option("--inbox", is_flag=True, help="Write it to the drop box, as a file of its own.")
    @click.option("--force", is_flag=True, help="Allow a summary of more than 120 characters.")
    @writing
    def add_entry(session: Invocation, /, title: str, links: Sequence[str], **given: Unpack[DraftFields]) -> None:
        given["text"], given["why"] = session.text(given["text"]), session.text(given.get("why"))
        given["related"] = links
        answer_added(session, session.memory.add(kind, title, **given))

    return add_entry


_ENTRIES = (
    (
        "decision",
        "Write a decision: something agreed that affects everyone.",
        "Use SQLite",
        "--why 'No server to run' --tag database",
    ),
    (
        "memory",
        "Write a memory: something learned from work, into its author's history.",
        "Migrations need an empty cache",
        "--author Ann --tag cache",
    ),
    (
        "note",
        "Write a note: something to know, with nothing to do.",
        "Staging is reset on Mondays",
        "--expires 2026-12-31",
    ),
    (
        "directive",
        "Write a directive: a rule that a person stated, such as always or never.",
        "Never deploy on a Friday",
        "--why 'Nobody is here on Saturday'",
    ),
)
for _entry in _ENTRIES:
    add_command.add_command(_entry_command(*_entry))
