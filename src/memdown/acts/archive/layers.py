"""Pruning the memories of a store: planned for each, then written together so that it can be taken back."""

from collections.abc import Mapping, Sequence
from functools import partial

from msgspec import Struct

from memdown.dialects.layers import pruning, quality, write
from memdown.dialects.layers.grammar import Address
from memdown.memory.layers.shelf import Shelf
from memdown.memory.layers.values import PruneAction, PruneResult
from memdown.store import undo


class PrunePlan(Struct, frozen=True):
    """What pruning would make of one memory."""

    address: Address
    before: str
    after: pruning.Pruned
    archive_before: str | None
    actions: list[PruneAction]

    @property
    def changes(self) -> bool:
        return self.after.text != self.before


def plan(shelf: Shelf, address: Address, text: str, invocations: int) -> PrunePlan:
    """What the rules of its type make of a memory; nothing is written."""
    archive = shelf.text(address.archive) if pruning.can_shrink(address.file_type) else None
    pruned = _pruned(shelf, address, text, archive)
    actions = [PruneAction(address.id, act.action, act.reason) for act in pruned.acts]
    if address.file_type == "common_patterns" and invocations and invocations % quality.GROWTH_RUNS == 0:
        reason = f"{invocations} invocations: verify that its patterns are still in the code."
        actions.append(PruneAction(address.id, "flagged", reason))
    return PrunePlan(address, text, pruned, archive, actions)


def _pruned(shelf: Shelf, address: Address, text: str, archive: str | None) -> pruning.Pruned:
    if write.is_damaged(text) or write.is_damaged(archive or ""):
        return pruning.Pruned(text, None, (), ("It or its archive has bytes that are not UTF-8, so it is left.",))
    prune = partial(pruning.prune, address.file_type, text, archive, shelf.today(), shelf.settings)
    pruned = prune(complete=True)
    if pruned.archive is None or archive is None or undo.left_so(shelf.files, shelf.name(address.archive), archive):
        return pruned
    return prune(complete=False)


def carry_out(shelf: Shelf, plans: Sequence[PrunePlan], over: Mapping[str, str]) -> None:
    """Write what changed as one group, archives before the memories they take from. Whoever calls holds the lock.

    `over` holds the text on the disk of files whose plan began with another one, as when appending.
    """
    changed = [plan for plan in plans if plan.changes]
    if changed:
        steps = [step for plan in changed for step in _steps(shelf, plan)]
        undo.remember(shelf.files, "prune", shelf.root.now(), steps)
    with shelf.files.group() as group:
        for plan in changed:
            if plan.after.archive is not None:
                group.save(shelf.name(plan.address.archive), plan.after.archive, over=plan.archive_before)
        for plan in plans:
            name = shelf.name(plan.address)
            there = over.get(name, plan.before)
            if plan.after.text != there:
                group.save(name, plan.after.text, over=there)


def _steps(shelf: Shelf, plan: PrunePlan) -> list[undo.UndoChange]:
    main = undo.change(shelf.name(plan.address), plan.before, plan.after.text)
    if plan.after.archive is None:
        return [main]
    return [undo.change(shelf.name(plan.address.archive), plan.archive_before, plan.after.archive), main]


def result(shelf: Shelf, plans: Sequence[PrunePlan]) -> PruneResult:
    """What was done or would be, with what people should know."""
    warnings = [
        f"{plan.address.id}: {warning}"
        for plan in plans
        for warning in (*plan.after.warnings, *shelf.size_warnings(plan.address.file_type, plan.after.text))
    ]
    return PruneResult([action for plan in plans for action in plan.actions], warnings)
