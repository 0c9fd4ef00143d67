"""The command search: the memories that answer a question, the best first."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from msgspec import structs

from memdown.errors import Invalid
from memdown.index.search import Hit
from memdown.lazy import LazyModule
from memdown.record import Record
from memdown.surfaces.cli.common import Invocation, examples, shown, standard
from memdown.surfaces.cli.filters import Filters, as_of, hub_option, with_filters
from memdown.surfaces.cli.show import page
from memdown.surfaces.show import render
from memdown.surfaces.show.hits import as_json, lines
from memdown.surfaces.show.records import cut, short

if TYPE_CHECKING:
    from memdown.hub import calls, client, working
    from memdown.surfaces.show import hub as hub_views
else:
    calls, client = LazyModule("memdown.hub.calls"), LazyModule("memdown.hub.client")
    working = LazyModule("memdown.hub.working")
    hub_views = LazyModule("memdown.surfaces.show.hub")

_TO_NARROW_DOWN, _TO_READ = 50, 10
"""Results that a person picks one of: who narrows them down as they type, and who reads them all above the question."""


@click.command(
    "search",
    epilog=examples(
        "memdown search connection pool",
        'memdown search "Why did we leave Redis?"',
        "memdown search 'migrat* -redis kind:decision since:30d'",
        "memdown search pool --type decision --explain",
        "memdown search --hub 'idempotent webhooks project:shop'",
    ),
)
@with_filters
@as_of
@hub_option
@click.option("--semantic", is_flag=True, help="Also rank by meaning. [needs memdown[semantic]]")
@click.option("--branches", is_flag=True, help="Also search other local branches, without checking them out.")
@click.option("--all-projects", is_flag=True, help="Also search every project below MEMORY_BANK_ROOT.")
@click.option("-i", "--interactive", is_flag=True, help="Pick a result and show it, with fzf if installed.")
@click.option("--explain", is_flag=True, help="Explain every score.")
@standard
def search_command(
    session: Invocation,
    filters: Filters,
    as_of: str | None,
    hub: str | None,
    semantic: bool,
    branches: bool,
    all_projects: bool,
    interactive: bool,
    explain: bool,
) -> None:
    """Search memory, best matches first.

    Finds records with any of the words; "phrases", +words and filters are required, -words are excluded. Put a query
    that contains quotes or dashes in quotes, so that your shell leaves it alone. See docs/search.md.

    CLAUDE.md, AGENTS.md and other files of assistants, your personal memory and the sources of the project are searched
    too; docs/sources.md says how they are ranked.
    """
    if hub is not None:
        if interactive or branches:
            raise click.UsageError("--hub cannot be used with --branches or -i.")
        _search_hub(session, filters, hub, as_of, semantic=semantic, explain=explain)
        return
    if branches:
        if as_of is not None or semantic or interactive:
            raise Invalid("--branches cannot be used with --as-of, --semantic or -i.")
        asked = filters.query(session, session.memory.questions)
        there = session.memory.search(asked, branches=True)
        session.answer(as_json(there, explain=explain), lambda: lines(there, explain=explain))
        return
    is_plain = as_of is None and not semantic
    if all_projects and not is_plain:
        raise Invalid("--all-projects cannot be used with --as-of or --semantic.")
    if interactive and filters.limit is None:
        filters = structs.replace(filters, limit=_TO_NARROW_DOWN if shutil.which("fzf") else _TO_READ)
    memory = session.memory
    with memory.as_of(as_of) as questions:
        query = filters.query(session, questions)
        hits = (
            memory.search(query, semantic=semantic, wide=is_plain, all_projects=all_projects)
            if as_of is None
            else questions.search(query, semantic=semantic, progress=memory.progress)
        )
        root = str(memory.root)
        if interactive and hits.hits and not session.json:
            hit = _picked(session, hits.hits)
            if hit is not None:
                pointing = [] if hit.source else questions.about(hit.mark.record)[1]
                session.answer(render.mark(hit.mark), lambda: page(hit.mark, pointing, root))
            return
    session.answer(as_json(hits, explain=explain), lambda: lines(hits, explain=explain, root=root))


def _search_hub(
    session: Invocation, filters: Filters, given: str, as_of: str | None, *, semantic: bool, explain: bool
) -> None:
    dsn, word = hub_views.address(given, words=filters.words)
    filters = structs.replace(filters, words=(*word, *filters.words))
    asked = filters.query(session, session.memory.questions, here=False)
    memory = session.memory
    after = working.last_push(memory)
    call = calls.SearchCall(query=asked, now=memory.now(), as_of=as_of, after=after, semantic=semantic)
    found = client.ask(dsn, call)
    if found.note:
        session.note(found.note)
    session.answer(hub_views.as_json(found, explain=explain), lambda: hub_views.lines(found, explain=explain))


def _picked(session: Invocation, hits: Sequence[Hit]) -> Hit | None:
    """The record a person picks: with fzf where that is, else by its number; None for none of them."""
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()):
        raise Invalid("-i needs a terminal; leave it out to list the results.")
    rows = [f"{number:>2}  {_plain(hit.mark.record, hit.source)}" for number, hit in enumerate(hits, 1)]
    if shutil.which("fzf"):
        done = subprocess.run(
            ["fzf", "--no-sort"], input="\n".join(rows), stdout=subprocess.PIPE, encoding="utf-8", check=False
        )
        chosen = done.stdout.split()[:1]
    else:
        for row in rows:
            session.echo(row)
        chosen = click.prompt("Show which", default="", show_default=False).split()[:1]
    number = int(chosen[0]) if chosen and chosen[0].isascii() and chosen[0].isdigit() else 0
    return hits[number - 1] if 1 <= number <= len(hits) else None


def _plain(record: Record, source: str) -> str:
    """A row for picking, without colours."""
    id = short(record.id) if record.kind not in ("prose", "rule") else ""
    facts = (id, record.kind, cut(record.title or "(no title)"), source, f"{record.path}:{record.line}")
    return shown("  ".join(filter(None, facts)))
