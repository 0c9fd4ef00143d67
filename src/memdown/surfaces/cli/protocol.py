"""The protocol of a session with a memory bank: start, update, end."""

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Concatenate, ParamSpec

import click
import msgspec
from msgspec import structs

from memdown.memory.bank import OFFER, BankUpdated, Briefing
from memdown.memory.bank.updates import BankUpdate, Ending, made, read, together
from memdown.scan.changes import Impact, Since
from memdown.surfaces.cli.bank import validation_json
from memdown.surfaces.cli.common import Invocation, count, examples, standard, style

P = ParamSpec("P")

_SHOWN = 5
_WIDTH = 100
_MOST_TOLD = 200
"""Commits and files that JSON lists; how many there are is told beside them."""

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


def _saying(
    function: Callable[Concatenate[Invocation, BankUpdate, P], int | None],
) -> Callable[Concatenate[Invocation, P], int | None]:
    """The options that say what is new, gathered into one value."""

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

    taking = with_update
    for field, (option, metavar, told) in reversed(_TEXTS.items()):
        taking = click.option(option, field, multiple=True, metavar=metavar, help=f"{told}; again for more.")(taking)
    return taking


def _update(session: Invocation, options: dict[str, object]) -> BankUpdate:
    """What options say, after what a document says."""
    kind = Ending if "summary" in options else BankUpdate
    source = options.pop("source")
    fields = {name: options.pop(name) for name in list(options) if name in kind.__struct_fields__}
    stands = msgspec.convert(options.pop("stands"), tuple[tuple[str, str], ...])
    fields["milestones"] = [{"name": name, "status": status} for name, status in stands]
    told = made(kind, {**fields, "decisions": _decisions(options), "sections": _sections(options)})
    if not isinstance(source, str):
        return told
    data = sys.stdin.buffer.read() if source == "-" else session.memory.text_of(source)
    return together(read(kind, data), told)


def _decisions(options: dict[str, object]) -> list[dict[str, object]]:
    titles = msgspec.convert(options.pop("titles"), tuple[str, ...])
    more = {name: said for name in ("rationale", "supersedes") if (said := options.pop(name))}
    if more and len(titles) != 1:
        raise click.UsageError("--rationale and --supersedes go with one --decision; --from takes more of them.")
    return [{"title": title, **more} for title in titles]


def _sections(options: dict[str, object]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for file, section, text in msgspec.convert(options.pop("parts"), tuple[tuple[str, str, str], ...]):
        found.setdefault(file, {})[section] = text
    return found


@click.command("start", epilog=examples("memdown start", "memdown start --json"))
@standard
def start_command(session: Invocation) -> int:
    """Read the memory bank in its order, and tell where the work stands. Nothing is written.

    The briefing tells the focus, the state, blockers, work in progress and next steps; what git shows since the memory
    was last touched; and what makes the memory doubtful. The exit code is 1 when there is no memory bank.
    """
    told = session.memory.bank.start()
    session.answer(briefing_json(told), lambda: briefing_lines(told))
    return int(told.empty)


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
@_saying
def update_command(session: Invocation, update: BankUpdate) -> None:
    """Update the memory bank: several changes at once, all of them or none.

    The files are written in the order progress, activeContext, decisionLog, techContext, systemPatterns,
    productContext, projectBrief, and then validated. Without any change nothing is written, and the answer tells what
    git shows that the memory does not; with a journal, also the changed files that no entry of it names.
    """
    done = session.memory.bank.update(update)
    missed = session.memory.journal.undocumented()
    told = {**_updated_json(done), "undocumented": missed}
    session.answer(told, lambda: [*_updated(done), *_list("Changed, and in no entry of the journal", missed)])


@click.command(
    "end",
    epilog=examples(
        "memdown end --summary 'Import works' --focus 'Export' --state 'Import is done' --next 'Write the export'",
        "memdown end --from session.json --commit -m 'Memory: import works'",
    ),
)
@click.option("--summary", default="", help="What the session did; it begins the recent changes.")
@click.option("--commit", is_flag=True, help="Commit the memory files, and nothing else.")
@click.option("-m", "--message", help="The message of the commit. [default: Update memory bank]")
@standard
@_saying
def end_command(session: Invocation, update: BankUpdate, commit: bool, message: str | None) -> None:
    """End a session: the active context is written anew from what is said, the rest as by update.

    What the active context held before is gone from it; memdown undo takes the whole step back.
    """
    if message is not None and not commit:
        raise click.UsageError("-m is the message of a commit; add --commit.")
    ending = update if isinstance(update, Ending) else Ending()
    done = session.memory.bank.end(ending, commit=commit, message=message)
    told = {**_updated_json(done), "summary": ending.summary, "commit": done.commit and done.commit.commit}
    session.answer(told, lambda: [*_updated(done), *_committed(done, commit)])


# JSON


def briefing_json(told: Briefing) -> dict[str, object]:
    return {**structs.asdict(told), "since_last_update": _since_json(told.since_last_update)}


def _updated_json(done: BankUpdated) -> dict[str, object]:
    return {
        "written": done.written,
        "validation": validation_json(done.validation),
        "warnings": done.warnings,
        "since_last_update": _since_json(done.since_last_update),
        "impact": done.impact,
    }


def _since_json(since: Since) -> dict[str, object]:
    return {
        "commits": since.commits[:_MOST_TOLD],
        "files": since.files[:_MOST_TOLD],
        "total_commits": len(since.commits),
        "total_files": len(since.files),
    }


# Text


def briefing_lines(told: Briefing) -> Iterator[str]:
    if told.empty:
        yield OFFER
        return
    there = [each for each in told.order if each.present]
    tokens = sum(each.tokens for each in there)
    yield f"{style('strong', 'Memory bank')}: {len(there)} of {len(told.order)} files, {tokens:,} tokens"
    yield f"{style('strong', 'Focus')}: {_short(told.focus)}"
    yield f"{style('strong', 'State')}: {_short(told.state)}"
    yield from _list("Blockers", told.blockers)
    yield from _list("In progress", told.in_progress)
    yield from _list("Next steps", told.next_steps)
    yield from _since(told.since_last_update)
    yield from _list("Warnings", told.warnings, kind="warning", most=len(told.warnings))


def _updated(done: BankUpdated) -> Iterator[str]:
    for name in done.written:
        yield f"{style('place', name)}: written"
    if not done.written:
        yield "Nothing was written."
        yield from _since(done.since_last_update)
        yield from _impact(done.impact)
    yield from _list("Warnings", done.warnings, kind="warning", most=len(done.warnings))
    if done.written:
        yield "The bank is valid." if done.validation.valid else "The bank is not valid."


def _committed(done: BankUpdated, asked: bool) -> Iterator[str]:
    if done.commit:
        yield f"Committed as {done.commit.commit[:10]}: {done.commit.title}"
    elif asked:
        yield "Nothing to commit: git has the memory as it is."


def _since(since: Since) -> Iterator[str]:
    if not since.commits and not since.files:
        return
    told = f"{count(len(since.commits), 'commit')}, {count(len(since.files), 'file')}"
    yield from _list(
        f"Since the memory was last touched: {told}",
        [f"{each.commit[:10]} {each.date[:10]} {each.title}" for each in since.commits] or since.files,
        counted=False,
    )


def _impact(impact: Impact | None) -> Iterator[str]:
    if impact and impact.files:
        yield f"Impact: {impact.per_cent} % of the source files, {impact.files} of {impact.of}"


def _list(
    title: str, said: Iterable[str], *, kind: str = "strong", most: int = _SHOWN, counted: bool = True
) -> Iterator[str]:
    lines = list(said)
    if lines:
        yield f"{style(kind, title)}{f' ({len(lines)})' if counted else ''}:"
    yield from (f"  - {_short(line, 2 * _WIDTH)}" for line in lines[:most])
    if len(lines) > most:
        yield f"  … and {len(lines) - most} more"


def _short(said: str | None, width: int = _WIDTH) -> str:
    line = " ".join((said or "not said").split())
    return line if len(line) <= width else line[: width - 1].rstrip() + "…"
