"""The command init: the first files of a project's memory."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import click
from msgspec import structs

from memdown.dialects import DIALECTS
from memdown.dialects.bank.templates import QUESTIONS
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
        "memdown init --ask",
        "memdown init --adopt --rename --dry-run",
        "memdown init --dialect sem",
        "memdown init --dialect journal",
        "memdown init --dialect okf",
        "memdown init --convert --dry-run",
    ),
)
@click.option("--brief", metavar="TEXT|@FILE|-", help="What the project is for; - reads standard input.")
@click.option("--ask", is_flag=True, help="Ask about what the files do not say; press Enter to skip a question.")
@click.option("--adopt", is_flag=True, help="Adopt an existing memory bank of any known layout.")
@click.option("--rename", is_flag=True, help="With --adopt, rename its files to the canonical names.")
@click.option(
    "--dialect",
    type=click.Choice(["bank", "sem", *_OTHERS]),
    help="Create the files of this dialect. [default: bank]",
)
@click.option("--convert", "convert_legacy", is_flag=True, help="Convert older entries to the dialect's own format.")
@click.option("--dry-run", is_flag=True, help="Show what would be done, without writing.")
@writing
def init_command(
    session: Invocation,
    brief: str | None,
    ask: bool,
    adopt: bool,
    rename: bool,
    dialect: str | None,
    convert_legacy: bool,
    dry_run: bool,
) -> None:
    """Set up the memory of a project: the seven files of a memory bank, from a brief and the code base.

    Every statement names its source: a file, or git with its last commits and open branches. Sections with nothing to
    say are left out, except those that --ask covers; a project with nothing to draw on gets the full templates.
    Existing files keep their text, and empty ones are filled in; a brief fills in their placeholders and
    extends the brief. --adopt completes a bank of another layout (Cline's, Roo's, Kilo's). Logs in an older format are
    counted, and can be converted.
    """
    given = {"--brief": brief is not None, "--ask": ask, "--adopt": adopt}
    option = next((name for name, is_given in given.items() if is_given), None)
    if option and (dialect not in (None, "bank") or convert_legacy):
        raise click.UsageError(f"{option} is for a memory bank; leave it out, or leave out --dialect and --convert.")
    if rename and (not adopt or brief is not None or ask):
        raise click.UsageError("--rename needs --adopt, and cannot be used with --brief or --ask.")
    bank, added = None, ""
    if dialect == "bank" or not (dialect or convert_legacy):
        act = Setup(session.memory)
        whole = session.memory.text_of(brief[1:]) if brief and brief.startswith("@") else session.text(brief)
        answers = dict(_answers(act.unanswered(whole))) if ask else {}
        merge = whole is not None or bool(answers)
        bank = act.begin(whole, answers=answers, write=not dry_run, merge=merge, adopt=adopt, rename=rename)
        added = " and ".join(filter(None, ("the brief" if whole else "", "your answers" if answers else "")))
    begun = session.memory.logs.begin(dialect=dialect, convert_legacy=convert_legacy, write=not dry_run)
    if dialect in _OTHERS:
        new = session.memory.begin(dialect, write=not dry_run)
        begun = structs.replace(begun, created=[*new.created, *begun.created], kept=[*new.kept, *begun.kept])
    session.answer(_as_json(begun, bank, dry_run), lambda: _lines(begun, bank, added, written=not dry_run))


def _answers(headings: Iterable[str]) -> Iterator[tuple[str, str]]:
    """What a person answers, by the section that was asked for; the end of the input ends the questions."""
    for heading in headings:
        try:
            click.echo(f"{QUESTIONS[heading]} ", nl=False, err=True)
            answer = input().strip()
        except EOFError:
            click.echo(err=True)
            return
        except KeyboardInterrupt:
            click.echo("\nNo file was changed, and no answer was kept.", nl=False, err=True)  # click ends the line
            raise
        if answer:
            yield heading, answer


def _as_json(begun: logs.LogInit, bank: setup.BankInit | None, dry_run: bool) -> dict[str, object]:
    value: dict[str, object] = {
        "root": begun.root,
        "created": [*(bank.created if bank else ()), *begun.created],
        "kept": [*(bank.kept if bank else ()), *begun.kept],
        "legacy": begun.legacy,
    }
    if bank:
        value |= {
            "notes": [*bank.notes, *bank.beside],
            "filled": bank.filled,
            "merged": bank.merged,
            "open": bank.open,
            "sources": bank.sources,
        }
        value |= {"layout": bank.layout, "renamed": bank.renamed, "left_out": bank.left_out}
    if bank and dry_run:
        value["texts"] = bank.texts
    if begun.converted is not None:
        value["convert"] = as_json(begun.converted, begun.converted.items, written=not dry_run)
    return value


def _lines(begun: logs.LogInit, bank: setup.BankInit | None, added: str, *, written: bool) -> Iterator[str]:
    """What was done; `added` is what files that were there got."""
    if bank:
        yield from _bank_lines(bank, added, written=written)
    for name in begun.created:
        yield f"{'Created' if written else 'Would create'} {name}"
    for name in begun.kept:
        yield f"Already exists: {name}"
    if begun.converted is not None:
        yield summary(begun.converted, written=written)
    elif begun.legacy.entries:
        yield f"Found entries in an older format: {begun.legacy.entries} in {count(begun.legacy.files, 'file')}."
        yield "memdown reads them as they are. Preview a conversion with: memdown convert . --dry-run"
        yield "Convert them with: memdown init --convert"


def _bank_lines(bank: setup.BankInit, added: str, *, written: bool) -> Iterator[str]:
    if bank.texts and Path.cwd().resolve() != Path(bank.root):
        yield f"Using the project root {bank.root}; use --root . to set up this folder alone."
    yield from bank.beside
    if bank.layout:
        yield f"Found a memory bank with the layout: {bank.layout}"
    for old, new in bank.renamed.items():
        yield f"{'Renamed' if written else 'Would rename'} {old} to {new}"
    for old, new in bank.same.items():
        yield f"Not renamed: {old} (to macOS and Windows, {Path(new).name} is the same name)"
    for name in bank.kept:
        if name not in (*bank.merged, *bank.renamed.values(), *bank.same):
            yield f"Already exists: {name}"
    for name, text in bank.texts.items():
        if name in bank.merged:
            did, would = f"Added {added} to", f"Would add {added} to"
        elif name in bank.filled:
            did, would = "Filled in the empty file", "Would fill in the empty file"
        else:
            did, would = "Created", "Would create"
        if written:
            yield f"{did} {name}"
        else:
            yield from (f"{would} {name}:", "", text)
    if bank.created and written:
        yield _drawn_from(bank)
        yield from _next(bank)
    elif not (bank.texts or bank.renamed or bank.left_out):
        yield "Nothing to create: the memory bank is complete."
    if bank.left_out:
        yield f"Not in this layout: {', '.join(bank.left_out)}; `memdown init --adopt` creates what is missing."


def _drawn_from(bank: setup.BankInit) -> str:
    filled, sources = len(bank.filled), bank.sources
    new = len(bank.created) - filled
    if sources:
        done = {f"created {count(new, 'file')}": new, f"filled in {count(filled, 'file')}": filled}
    else:
        put = f"put the template into {count(filled, 'empty file')}"
        done = {f"created {count(new, 'file')} to fill in": new, put: filled}
    created = " and ".join(each for each, some in done.items() if some)
    created = f"{created[0].upper()}{created[1:]}"
    if not sources:
        it = "it" if len(bank.created) == 1 else "them"
        return f"{created}: code, manifests and commits say nothing that belongs in {it}."
    *others, last = sources
    return f"{created} from {' and '.join(filter(None, (', '.join(others), last)))}; each statement names its source."


def _next(bank: setup.BankInit) -> Iterator[str]:
    yield "Next:"
    asked = [each for each in QUESTIONS if any(place.endswith(f": {each}") for place in bank.open)]
    if asked:
        yield f"  memdown init --ask                   answer what the code does not say: {', '.join(asked)}"
    yield '  memdown add decision "…" --why "…"   record a decision'
    yield "  memdown install claude               let Claude Code (or cursor, codex, …, all) read it in every session"
