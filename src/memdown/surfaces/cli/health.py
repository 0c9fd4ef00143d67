"""The command health: what is wrong with all memory taken together."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import click

from memdown.acts.check.health import HealthFinding
from memdown.index import none
from memdown.lazy import LazyModule
from memdown.surfaces.cli.common import Invocation, count, examples, standard, style
from memdown.surfaces.cli.filters import as_of, hub_option

if TYPE_CHECKING:
    from memdown.hub import calls, client
    from memdown.surfaces.show import hub as hub_views
else:
    calls, client = LazyModule("memdown.hub.calls"), LazyModule("memdown.hub.client")
    hub_views = LazyModule("memdown.surfaces.show.hub")

_SHOWN = 10
_KEYS = ("kind", "severity", "path", "line", "id", "title", "message")


@click.command("health", epilog=examples("memdown health", "memdown health --all", "memdown health --json"))
@click.option("--all", "everything", is_flag=True, help=f"Show info too, and more than {_SHOWN} of each kind.")
@as_of
@hub_option
@standard
def health_command(session: Invocation, everything: bool, as_of: str | None, hub: str | None) -> int:
    """Find expired, conflicting and duplicate entries and broken links in all memory.

    Reports expired entries, supersedes links that are broken, ambiguous or circular, entries that contradict each
    other, copies, files that have grown too long, unmerged inbox files, and entries without a date or in an older
    format; and whatever else `memdown check` shows, with the same verdict and exit code. Nothing is changed. With
    --hub, reports decisions of different projects that contradict each other.
    """
    if hub is not None:
        contradicting = client.ask(hub_views.address(hub, as_of)[0], calls.ContradictionsCall())
        session.answer(contradicting, lambda: hub_views.contradictions(contradicting))
        return int(bool(contradicting))
    with session.memory.at(as_of) as memory:
        found = memory.health()
        is_empty = not found and not memory.has_files()
    value = [{key: getattr(each, key) for key in _KEYS} for each in found]
    session.answer(value, lambda: _health(session, found, None if everything else _SHOWN, is_empty=is_empty))
    return int(session.memory.fails(found))


def _health(session: Invocation, found: Sequence[HealthFinding], most: int | None, *, is_empty: bool) -> Iterator[str]:
    shown = [each for each in found if most is None or each.severity != "info"]
    if is_empty:
        yield none.nothing_found(session.memory.root)
        return
    for (severity, kind), group in groupby(shown, key=lambda each: (each.severity, each.kind)):
        findings = list(group)
        yield f"{style(severity, severity)} {style('strong', kind)}  {style('dim', count(len(findings), 'finding'))}"
        for each in findings[:most]:
            where = f"{each.path}:{each.line}" if each.line else each.path
            title = f" {style('dim', each.title)}" if each.title else ""
            yield f"  {where}{title}: {each.message} {style('dim', each.code)}"
        if most and len(findings) > most:
            yield f"  and {len(findings) - most:,} more; use --all to show them"
    hidden = len(found) - len(shown)
    notes = f"{count(hidden, 'note')} hidden; use --all to show {'it' if hidden == 1 else 'them'}." if hidden else ""
    if not shown or notes:
        well = not shown and not session.memory.left_out
        yield " ".join(filter(None, ("No problems found." if well else "", notes)))
