"""The command update: several changes of the memory bank at once. Its options are those of `end` too."""

import sys

import click
import msgspec

from memdown.memory.bank.updates import BankUpdate, Ending, made, read, together
from memdown.surfaces.cli.common import Invocation, examples, options, writing
from memdown.surfaces.show import bank
from memdown.text import encode

_TEXTS = {
    "start": ("--start", "ITEM", "Move from Upcoming to In Progress"),
    "complete": ("--complete", "ITEM", "Move from In Progress to Completed, with the date"),
    "resolve": ("--resolve", "ITEM", "A known issue or debt that is resolved"),
    "add": ("--add", "ITEM", "A new item of In Progress"),
    "plan": ("--plan", "ITEM", "A new item of Upcoming"),
    "issues": ("--issue", "TEXT", "A known issue"),
    "debts": ("--debt", "TEXT", "A technical debt"),
    "changes": ("--change", "TEXT", "Something that was done; the date is added"),
    "active_decisions": ("--active-decision", "TEXT", "A decision that is pending"),
    "questions": ("--question", "TEXT", "An open question"),
    "blockers": ("--blocker", "TEXT", "What holds up the work"),
    "next_steps": ("--next", "TEXT", "A next step"),
    "close": ("--close", "ITEM", "A question, blocker, next step or pending decision that is settled"),
}
"""Fields of an update that are lists of texts, and their options."""


change_options = options(
    click.option("--focus", default="", help="The current focus."),
    click.option("--state", default="", help="The current state."),
    *(
        click.option(option, field, multiple=True, metavar=metavar, help=f"{text}; repeatable.")
        for field, (option, metavar, text) in _TEXTS.items()
    ),
    click.option("--decision", "titles", multiple=True, metavar="TITLE", help="A decision for the log; repeatable."),
    click.option("--why", "--rationale", "rationale", default="", help="Why, with exactly one --decision."),
    click.option(
        "--supersedes",
        metavar="OLD",
        help="The decision it replaces, by id, title or number, with exactly one --decision.",
    ),
    click.option(
        "--milestone", "stands", nargs=2, multiple=True, metavar="NAME STATUS", help="New status of a milestone."
    ),
    click.option(
        "--set", "parts", nargs=3, multiple=True, metavar="FILE SECTION TEXT", help="New text for a section of a file."
    ),
    click.option("--from", "source", metavar="FILE|-", help="Read changes from a JSON document too."),
)
"""The options that say what is new; `update_of` gathers them into one value."""


def update_of(session: Invocation, given: dict[str, object]) -> BankUpdate:
    """What options say, after what a document says."""
    kind = Ending if "summary" in given else BankUpdate
    source = given.pop("source")
    fields = {name: given.pop(name) for name in list(given) if name in kind.__struct_fields__}
    stands = msgspec.convert(given.pop("stands"), tuple[tuple[str, str], ...])
    fields["milestones"] = [{"name": name, "status": status} for name, status in stands]
    update = made(kind, {**fields, "decisions": _decisions(given), "sections": _sections(given)})
    if not isinstance(source, str):
        return update
    data = sys.stdin.buffer.read() if source == "-" else session.memory.text_of(source)
    return together(read(kind, data), update)


def _decisions(given: dict[str, object]) -> list[dict[str, object]]:
    titles = msgspec.convert(given.pop("titles"), tuple[str, ...])
    more = {name: value for name in ("rationale", "supersedes") if (value := given.pop(name))}
    if more and len(titles) != 1:
        raise click.UsageError("--why and --supersedes need exactly one --decision; use --from for more.")
    return [{"title": title, **more} for title in titles]


def _sections(given: dict[str, object]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for file, section, text in msgspec.convert(given.pop("parts"), tuple[tuple[str, str, str], ...]):
        found.setdefault(file, {})[section] = text
    return found


@click.command(
    "update",
    epilog=examples(
        "memdown update",
        "memdown update --complete 'Import of invoices' --change 'src/import.py reads all sheets' --next 'Receipts'",
        "memdown update --set techContext.md Languages '- Python 3.12' --decision 'Move to Python 3.12'",
        "memdown update --from session.json",
        "memdown update --draft",
        "memdown update --draft --apply",
    ),
)
@click.option("--draft", is_flag=True, help="Draft the update from git, as one diff; write nothing.")
@click.option("--apply", "apply_", is_flag=True, help="With --draft, apply the diff.")
@writing
@change_options
@click.option("--replace", is_flag=True, help="Also drop the subsections of a section that gets a new text.")
def update_command(session: Invocation, /, draft: bool, apply_: bool, **given: object) -> None:
    """Update the memory bank with several changes at once, all of them or none.

    The files are written in the order progress, activeContext, decisionLog, techContext, systemPatterns,
    productContext, projectBrief, and then validated. Without any changes, nothing is written, and the output shows
    what git has that the memory lacks; with a journal, also changed files that none of its entries names.

    --draft derives changes from the commits since then: completed items, recent changes, locked versions, and an entry
    of a journal. What is uncertain is noted above the diff.
    """
    if draft or apply_:
        _draft(session, given, draft=draft, apply=apply_)
        return
    done = session.memory.bank.update(update_of(session, given))
    missed = done.undocumented
    value = {**bank.updated_json(done), "undocumented": missed}
    title = "Changed, and in no entry of the journal"
    session.answer(value, lambda: [*bank.updated_lines(done), *bank.titled_list(title, missed)])


def _draft(session: Invocation, given: dict[str, object], *, draft: bool, apply: bool) -> None:
    if not draft:
        raise click.UsageError("--apply needs --draft.")
    if any(given.values()):
        raise click.UsageError(
            "--draft takes its changes from git; leave out the others, or make them in a second step."
        )
    done = session.memory.bank.draft(apply=apply)
    session.answer(bank.draft_json(done), lambda: bank.draft_lines(done, diff=sys.stdout.isatty()))
    if not (sys.stdout.isatty() or session.json or session.quiet):
        # Byte by byte, so that `git apply` takes it whatever the line ends are.
        sys.stdout.flush()
        sys.stdout.buffer.write(encode(done.diff))
        sys.stdout.buffer.flush()
