"""The command card: cards verified, repaired and deduplicated."""

from collections.abc import Iterator, Sequence

import click

from memdown.dialects.cards.upkeep import Repair
from memdown.memory.cards import Hash, Twins
from memdown.surfaces.cli.common import CommandGroup, Invocation, complete_id, days, examples, standard, writing
from memdown.surfaces.show.style import count


@click.group("card", cls=CommandGroup, epilog=examples("memdown card verify", "memdown card dedupe --near"))
def card_command() -> None:
    """Verify, repair and deduplicate cards."""


@card_command.command("verify", epilog=examples("memdown card verify", "memdown card verify 3f2b --json"))
@click.argument("ids", nargs=-1, metavar="[ID]...", shell_complete=complete_id)
@standard
def verify(session: Invocation, ids: Sequence[str]) -> int:
    """Compare each card's hash with its content. The exit code is 1 when one does not match."""
    hashes = session.memory.cards.verify(ids)
    wrong = [each for each in hashes if each.state != "ok"]
    session.answer(hashes, lambda: _hashes(hashes, wrong))
    return int(bool(wrong))


def _hashes(hashes: Sequence[Hash], wrong: Sequence[Hash]) -> Iterator[str]:
    for each in wrong:
        yield f"{each.path}: {each.state} (has {each.carried or 'none'}, content is {each.computed})"
    yield f"{len(hashes) - len(wrong)} of {len(hashes)} cards match their hash."


@card_command.command("repair", epilog=examples("memdown card repair --dry-run", "memdown card repair 3f2b"))
@click.argument("ids", nargs=-1, metavar="[ID]...", shell_complete=complete_id)
@click.option("--dry-run", is_flag=True, help="Show what would be done, without writing.")
@writing
def repair(session: Invocation, ids: Sequence[str], dry_run: bool) -> int:
    """Repair ids, hashes, quotes and file names, all of them or none.

    Hashes are recomputed from the content. Anything that needs a person to decide is listed, and the exit code is 1.
    """
    repairs = session.memory.cards.repair(ids, write=not dry_run)
    value = [
        {"path": each.path, "new_path": each.rename, "changes": each.changes, "left": each.left} for each in repairs
    ]
    session.answer(value, lambda: _repairs(repairs, "would be repaired" if dry_run else "repaired"))
    return int(any(each.left for each in repairs))


def _repairs(repairs: Sequence[Repair], done: str) -> Iterator[str]:
    for each in repairs:
        if each.changes:
            yield f"{each.path}: {done}: {', '.join(each.changes)}"
        yield from (f"{each.path}: left: {sentence}" for sentence in each.left)
    if not repairs:
        yield "All cards are in order."


@card_command.command(
    "dedupe",
    epilog=examples("memdown card dedupe", "memdown card dedupe --delete", "memdown card dedupe --near --delete"),
)
@click.option("--delete", is_flag=True, help="Delete all but the first of each.")
@click.option("--near", is_flag=True, help="Also find cards that say nearly the same.")
@writing
def dedupe(session: Invocation, delete: bool, near: bool) -> None:
    """List cards with the same content and time; with --delete, keep the first by file name.

    With --near, cards with nearly the same title or first line count as one memory: --delete keeps the newest and adds
    the paragraphs that only the others have.
    """
    groups = session.memory.cards.dedupe(delete=delete, near=near)
    there = "nearly the same" if near else "the same memory"
    session.answer(groups, lambda: _groups(groups, ("merged" if near else "deleted") if delete else there))


@card_command.command("prune", epilog=examples("memdown card prune --older-than 365 --dry-run"))
@click.option("--older-than", required=True, type=days(1), metavar="DAYS", help="Age: 90, 90d or 12w.")
@click.option("--dry-run", is_flag=True, help="Show what would be done, without writing.")
@writing
def prune(session: Invocation, older_than: int, dry_run: bool) -> None:
    """Delete cards older than a number of days. `memdown undo` restores them."""
    gone = session.memory.cards.prune(older_than, write=not dry_run)
    done = "would be deleted" if dry_run else "deleted"
    session.answer(gone, lambda: [*(f"{path}: {done}" for path in gone), f"{len(gone)} cards {done}."])


def _groups(groups: Sequence[Twins], done: str) -> Iterator[str]:
    for group in groups:
        yield f"{group.kept}: kept"
        yield from (f"  {other}: {done}" for other in group.others)
        if group.differences:
            yield f"  they differ in {', '.join(group.differences)}"
    copies = sum(len(group.others) for group in groups)
    yield f"{count(copies, 'duplicate')} of {count(len(groups), 'memory')}." if groups else "No duplicates."
