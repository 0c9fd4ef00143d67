"""The command init: the first files of a project's memory."""

from collections.abc import Iterator

import click
from msgspec import structs

from memdown.dialects import DIALECTS
from memdown.memory.bank import setup
from memdown.memory.bank.setup import Setup
from memdown.memory.sem import logs
from memdown.surfaces.cli.common import Invocation, count, examples, writing
from memdown.surfaces.cli.convert import as_json, summary

_OTHERS = [name for name, room in DIALECTS.items() if hasattr(room, "begin")]
"""Dialects that say themselves what a project begins with; `bank` looks at the code base, `sem` at what is there."""


@click.command(
    "init",
    epilog=examples(
        "memdown init --dry-run",
        "memdown init --brief 'A REST API for managing todo items'",
        "memdown init --brief @docs/brief.md",
        "memdown init --dialect sem",
        "memdown init --dialect journal",
        "memdown init --dialect okf",
        "memdown init --convert --dry-run",
    ),
)
@click.option("--brief", metavar="TEXT|@FILE|-", help="What the project is for; - reads it.")
@click.option(
    "--dialect",
    type=click.Choice(["bank", "sem", *_OTHERS]),
    help="Create the files of this dialect. [default: bank]",
)
@click.option("--convert", "convert_legacy", is_flag=True, help="Convert older entries to the dialect's own format.")
@click.option("--dry-run", is_flag=True, help="Show what would be done, without writing.")
@writing
def init_command(
    session: Invocation, brief: str | None, dialect: str | None, convert_legacy: bool, dry_run: bool
) -> None:
    """Set up the memory of a project: the seven files of a memory bank, from a brief and the code base.

    What is written says which file it is from; what nobody knows keeps its placeholder. No file that is there is
    changed. Logs of an older form are counted, and can be converted.
    """
    if brief is not None and (dialect not in (None, "bank") or convert_legacy):
        raise click.UsageError("--brief is for a memory bank; leave it out, or leave out --dialect and --convert.")
    bank = None
    if dialect == "bank" or not (dialect or convert_legacy):
        act = Setup(session.memory)
        text = session.piped() if brief == "-" else brief
        bank = act.begin(act.brief(text) if text is not None else None, write=not dry_run)
    begun = session.memory.logs.begin(dialect=dialect, convert_legacy=convert_legacy, write=not dry_run)
    if dialect in _OTHERS:
        new = session.memory.begin(dialect, write=not dry_run)
        begun = structs.replace(begun, created=[*new.created, *begun.created], kept=[*new.kept, *begun.kept])
    session.answer(_as_json(begun, bank, dry_run), lambda: _lines(begun, bank, written=not dry_run))


def _as_json(begun: logs.LogInit, bank: setup.BankInit | None, dry_run: bool) -> dict[str, object]:
    value: dict[str, object] = {
        "root": begun.root,
        "created": [*(bank.created if bank else ()), *begun.created],
        "kept": [*(bank.kept if bank else ()), *begun.kept],
        "legacy": begun.legacy,
    }
    if bank:
        value["notes"] = bank.notes
    if bank and dry_run:
        value["texts"] = bank.texts
    if begun.converted is not None:
        value["convert"] = as_json(begun.converted, begun.converted.items, written=not dry_run)
    return value


def _lines(begun: logs.LogInit, bank: setup.BankInit | None, *, written: bool) -> Iterator[str]:
    if bank:
        yield from _bank_lines(bank, written=written)
    for name in begun.created:
        yield f"{'Made' if written else 'Would make'} {name}"
    for name in begun.kept:
        yield f"There already: {name}"
    if begun.converted is not None:
        yield summary(begun.converted, written=written)
    elif begun.legacy.entries:
        yield f"Entries of an older form: {begun.legacy.entries}, in files: {begun.legacy.files}."
        yield "They are read as they are. To see what converting them does: memdown convert . --dry-run"
        yield "To convert them: memdown init --convert"


def _bank_lines(bank: setup.BankInit, *, written: bool) -> Iterator[str]:
    for name in bank.kept:
        yield f"There already: {name}"
    for name, text in bank.texts.items():
        if written:
            yield f"Made {name}"
        else:
            yield from (f"Would make {name}:", "", text)
    if bank.created and written:
        yield f"{count(len(bank.created), 'file')} made. Read them: check what they say, and fill in the placeholders."
    elif not bank.created:
        yield "Nothing to make: the memory bank is complete."
