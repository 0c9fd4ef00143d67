"""The command update: several changes of the memory bank at once. Its options are those of `end` too."""

import sys
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

import click
import msgspec

from memdown.memory.bank.updates import BankUpdate, Ending, made, read, together
from memdown.surfaces.cli.common import Invocation, examples, standard
from memdown.surfaces.show import bank

P = ParamSpec("P")

_TEXTS = {
    "start": ("--start", "ITEM", "Upcoming to In Progress"),
    "complete": ("--complete", "ITEM", "In Progress to Completed, with the day"),
    "resolve": ("--resolve", "ITEM", "A known issue or debt that is over"),
    "add": ("--add", "ITEM", "A new item of In Progress"),
    "plan": ("--plan", "ITEM", "A new item of Upcoming"),
    "issues": ("--issue", "TEXT", "A known issue"),
    "debts": ("--debt", "TEXT", "A technical debt"),
    "changes": ("--change", "TEXT", "Something that was done; the day is added"),
    "active_decisions": ("--active-decision", "TEXT", "A decision that is pending"),
    "questions": ("--question", "TEXT", "An open question"),
    "blockers": ("--blocker", "TEXT", "What holds up the work"),
    "next_steps": ("--next", "TEXT", "A next step"),
}
"""Fields of an update that are lists of texts, and their options."""


def with_changes(
    function: Callable[Concatenate[Invocation, BankUpdate, P], int | None],
) -> Callable[Concatenate[Invocation, P], int | None]:
    """Give a command the options that say what is new, gathered into one value."""

    @click.option("--focus", default="", help="The current focus.")
    @click.option("--state", default="", help="The current state.")
    @click.option(
        "--decision", "titles", multiple=True, metavar="TITLE", help="A decision for the log; again for more."
    )
    @click.option("--rationale", default="", help="Why it was decided so, when there is one --decision.")
    @click.option("--supersedes", metavar="OLD", help="The decision it replaces, when there is one --decision.")
    @click.option("--milestone", "stands", nargs=2, multiple=True, metavar="NAME STATUS", help="How one stands.")
    @click.option(
        "--set", "parts", nargs=3, multiple=True, metavar="FILE SECTION TEXT", help="New text for a section of a file."
    )
    @click.option("--from", "source", metavar="FILE|-", help="A JSON document that says it, beside what options say.")
    @wraps(function)
    def with_update(session: Invocation, /, *args: P.args, **kwargs: P.kwargs) -> int | None:
        update = _update(session, kwargs)
        return function(session, update, *args, **kwargs)

    command = with_update
    for field, (option, metavar, text) in reversed(_TEXTS.items()):
        command = click.option(option, field, multiple=True, metavar=metavar, help=f"{text}; again for more.")(command)
    return command


def _update(session: Invocation, options: dict[str, object]) -> BankUpdate:
    """What options say, after what a document says."""
    kind = Ending if "summary" in options else BankUpdate
    source = options.pop("source")
    fields = {name: options.pop(name) for name in list(options) if name in kind.__struct_fields__}
    stands = msgspec.convert(options.pop("stands"), tuple[tuple[str, str], ...])
    fields["milestones"] = [{"name": name, "status": status} for name, status in stands]
    update = made(kind, {**fields, "decisions": _decisions(options), "sections": _sections(options)})
    if not isinstance(source, str):
        return update
    data = sys.stdin.buffer.read() if source == "-" else session.memory.text_of(source)
    return together(read(kind, data), update)


def _decisions(options: dict[str, object]) -> list[dict[str, object]]:
    titles = msgspec.convert(options.pop("titles"), tuple[str, ...])
    more = {name: value for name in ("rationale", "supersedes") if (value := options.pop(name))}
    if more and len(titles) != 1:
        raise click.UsageError("--rationale and --supersedes go with one --decision; --from takes more of them.")
    return [{"title": title, **more} for title in titles]


def _sections(options: dict[str, object]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for file, section, text in msgspec.convert(options.pop("parts"), tuple[tuple[str, str, str], ...]):
        found.setdefault(file, {})[section] = text
    return found


@click.command(
    "update",
    epilog=examples(
        "memdown update",
        "memdown update --complete 'Import of invoices' --change 'src/import.py reads all sheets' --next 'Receipts'",
        "memdown update --set techContext.md Languages '- Python 3.12' --decision 'Move to Python 3.12'",
        "memdown update --from session.json",
    ),
)
@standard
@with_changes
def update_command(session: Invocation, update: BankUpdate) -> None:
    """Update the memory bank with several changes at once, all of them or none.

    The files are written in the order progress, activeContext, decisionLog, techContext, systemPatterns,
    productContext, projectBrief, and then validated. Without any change nothing is written, and the answer shows what
    git has that the memory does not; with a journal, also the changed files that no entry of it names.
    """
    done = session.memory.bank.update(update)
    missed = session.memory.journal.undocumented()
    value = {**bank.updated_json(done), "undocumented": missed}
    title = "Changed, and in no entry of the journal"
    session.answer(value, lambda: [*bank.updated_lines(done), *bank.titled_list(title, missed)])
