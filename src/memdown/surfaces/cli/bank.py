"""The command bank: one command for each thing that changes in a memory bank."""

import sys
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Concatenate, ParamSpec

import click
import msgspec

from memdown.dialects.bank.grammar import STATUSES
from memdown.dialects.bank.modes import MODES
from memdown.dialects.bank.write import Active, DecisionFields
from memdown.errors import Invalid, fault_of
from memdown.markdown.line_ends import split_lines
from memdown.memory.bank.operations import PLACES, Bank, BankResult
from memdown.patterns import lazy
from memdown.surfaces.cli.common import CommandGroup, Invocation, examples, style, writing

P = ParamSpec("P")
_DRESS = lazy(r"\s*(?:#{1,6}\s+(?:Decision:\s*)?|(?:[-*+]|\d{1,9}[.)])\s+(?:\[.\]\s+)?)?")


@click.group(
    "bank",
    cls=CommandGroup,
    epilog=examples('memdown bank focus "The import of invoices."', 'memdown bank complete "Import of invoices"'),
)
@click.option(
    "--mode", type=click.Choice([mode.name for mode in MODES]), help="Refuse writes that this mode does not allow."
)
def bank_command(mode: str | None) -> None:  # read by the session, from the context
    """Edit a memory bank, entry by entry.

    Each command changes only the lines it has to. Name an item by its text, ignoring case, or by a part that no other
    item has; if several match, they are listed and nothing is written.
    """


def _answer(session: Invocation, did: str, done: BankResult, what: str = "") -> None:
    """Say what was done and where, with what stands there now, or with `what`."""

    def lines() -> Iterator[str]:
        verb = did if done.changed else "Already there:"
        yield f"{verb} {done.path}:{done.line} {style('dim', what or _standing(session, done))}".rstrip()

    session.answer(done, lines)


def _standing(session: Invocation, done: BankResult) -> str:
    """What a line says, without what makes it a heading or an item."""
    lines = split_lines(session.memory.files.read(done.path))
    line = lines[done.line - 1] if done.line <= len(lines) else ""
    return _DRESS.sub("", line, count=1).strip()


def _simple(name: str, argument: str, example: str, did: str, does: Callable[[Bank, str], BankResult]) -> None:
    """A command with one text; its help is the docstring of the method."""

    def command(session: Invocation, text: str) -> None:
        _answer(session, did, does(session.memory.bank, text), text if did == "Closed" else "")

    command.__doc__ = does.__doc__
    taking = click.argument("text", metavar=argument)(writing(command))
    bank_command.command(name, epilog=examples(f'memdown bank {name} "{example}"'))(taking)


def _setting(name: str, example: str, does: Callable[..., BankResult]) -> None:
    """A command that sets the text of a section."""

    def command(session: Invocation, text: str, replace: bool) -> None:
        _answer(session, f"Set the {name}:", does(session.memory.bank, text, replace=replace))

    command.__doc__ = does.__doc__
    replacing = click.option("--replace", is_flag=True, help="Drop the section's subsections too.")
    taking = click.argument("text", metavar="TEXT")(replacing(writing(command)))
    bank_command.command(name, epilog=examples(f'memdown bank {name} "{example}"'))(taking)


_setting("focus", "The import of invoices.", Bank.focus)
_setting("state", "Import works, export is slow.", Bank.state)
_simple("add-change", "TEXT", "Import reads all sheets", "Added", Bank.add_change)
_simple("add-active-decision", "TEXT", "REST or GraphQL for new endpoints", "Added", Bank.add_active_decision)
_simple("add-question", "TEXT", "Which currencies?", "Added", Bank.add_question)
_simple("add-blocker", "TEXT", "No access to the test server", "Added", Bank.add_blocker)
_simple("add-next-step", "TEXT", "Import of receipts", "Added", Bank.add_next_step)
_simple("close", "ITEM", "No access to the test server", "Closed", Bank.close)
_simple("start-item", "ITEM", "Import of receipts", "Started", Bank.start_item)
_simple("complete", "ITEM", "Import of invoices", "Completed", Bank.complete)
_simple("note-issue", "TEXT", "Totals are rounded twice", "Noted", Bank.note_issue)
_simple("note-debt", "TEXT", "Two parsers for one format", "Noted", Bank.note_debt)
_simple("resolve", "ITEM", "rounded twice", "Resolved", Bank.resolve)


@bank_command.command(
    "add-item",
    epilog=examples('memdown bank add-item "Import of invoices"', 'memdown bank add-item "Receipts" --to upcoming'),
)
@click.argument("text")
@click.option("--to", type=click.Choice([*PLACES]), default="in-progress", show_default=True, help="Where it goes.")
@writing
def add_item(session: Invocation, text: str, to: str) -> None:
    """Add an item to In Progress, Upcoming, or (with the date) Completed."""
    _answer(session, "Added", session.memory.bank.add_item(text, to=to))


@bank_command.command(
    "add-milestone", epilog=examples('memdown bank add-milestone "Phase 1: Import" --status "In Progress"')
)
@click.argument("name")
@click.option("--status", default="", help="Its status, such as Planned, In Progress or Complete.")
@click.option("--summary", default="", help="Its goals and progress.")
@writing
def add_milestone(session: Invocation, name: str, status: str, summary: str) -> None:
    """Add a milestone after the others."""
    _answer(session, "Added", session.memory.bank.add_milestone(name, status=status, summary=summary))


@bank_command.command("set-milestone", epilog=examples('memdown bank set-milestone "Phase 1" Complete'))
@click.argument("milestone")
@click.argument("status")
@writing
def set_milestone(session: Invocation, milestone: str, status: str) -> None:
    """Change the status of a milestone."""
    _answer(session, "Changed", session.memory.bank.set_milestone(milestone, status))


@bank_command.command("replace-active", epilog=examples("memdown bank replace-active < session.json"))
@writing
def replace_active(session: Invocation) -> None:
    """Rewrite the whole active context from JSON on standard input.

    The keys are focus and state with a text each, and changes, decisions, questions, blockers and next_steps with a
    list of texts each. The previous content is replaced; its sections and open items are listed.
    """
    try:
        active = msgspec.json.decode(sys.stdin.buffer.read(), type=Active)
    except (ValueError, RecursionError) as error:
        names = ", ".join(Active.__struct_fields__)
        raise Invalid(
            f"The active context cannot be read from standard input: {fault_of(error)}; its keys are {names}."
        ) from None
    _answer(session, "Rewrote", session.memory.bank.replace_active(active))


# Decisions

_LONG = ("context", "rationale", "trade_offs", "consequences")
"""What may be longer than a line, and be read from a file or standard input."""


def _with_decision(
    function: Callable[Concatenate[Invocation, DecisionFields, P], None],
) -> Callable[Concatenate[Invocation, P], None]:
    """The options that describe a decision, gathered into one value."""

    @click.option("--context", default="", help="What led to the decision.")
    @click.option("--option", "options", multiple=True, help="An option considered, with pros and cons; repeatable.")
    @click.option("--selected", default="", help="The option chosen.")
    @click.option("--why", "--rationale", "rationale", default="", help="Why it was chosen.")
    @click.option("--trade-offs", default="", help="What was given up.")
    @click.option("--consequences", default="", help="What is expected to follow.")
    @click.option("--author", default="", help="Who made it.")
    @click.option(
        "--status",
        type=click.Choice(STATUSES, case_sensitive=False),
        default="Accepted",
        show_default=True,
        help="Where it stands.",
    )
    @wraps(function)
    def command(session: Invocation, /, *args: P.args, **kwargs: P.kwargs) -> None:
        fields = {name: kwargs.pop(name) for name in DecisionFields.__struct_fields__}
        fields |= {name: session.text(str(fields[name])) for name in _LONG}
        function(session, msgspec.convert(fields, DecisionFields), *args, **kwargs)

    return command


@bank_command.command(
    "add-decision",
    epilog=examples(
        'memdown bank add-decision "Use SQLite" --why "One file, no server" --option "SQLite: small"',
    ),
)
@click.argument("title")
@click.option("--date", help="The day it was made. [default: today]")
@writing
@_with_decision
def add_decision(session: Invocation, choice: DecisionFields, title: str, date: str | None) -> None:
    """Append a decision to the log. No decision is ever removed, reordered or rewritten."""
    _answer(session, "Wrote", session.memory.bank.add_decision(title, choice, date=date))


@bank_command.command(
    "supersede-decision",
    epilog=examples('memdown bank supersede-decision "Use SQLite" "Use PostgreSQL" --why "Several writers"'),
)
@click.argument("old")
@click.argument("title")
@click.option("--date", help="The day it was made. [default: today]")
@writing
@_with_decision
def supersede_decision(session: Invocation, choice: DecisionFields, old: str, title: str, date: str | None) -> None:
    """Append a decision that replaces an old one, which is marked as superseded; each names the other.

    OLD is the number, the title or the id of the old decision, or a part of the title or the beginning of the id.
    """
    done = session.memory.bank.supersede_decision(old, title, choice, date=date)
    session.answer(done, lambda: _superseded(session, done, title))


def _superseded(session: Invocation, done: BankResult, title: str) -> Iterator[str]:
    yield f"Wrote {done.path}:{done.line} {style('dim', title)}"
    by = f"Superseded by {' '.join(title.split())}"
    found = (each for each in session.memory.parsed(done.path).records if each.kind == "decision")
    for each in found:
        if by in (each.body or "") and each.line != done.line:
            yield f"Superseded {each.path}:{each.line} {style('dim', each.title or '')}"
