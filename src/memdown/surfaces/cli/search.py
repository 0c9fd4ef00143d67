"""The command search: the memories that answer a question, the best first."""

import click

from memdown.surfaces.cli.common import Invocation, examples, standard
from memdown.surfaces.cli.filters import Filters, as_of, with_filters
from memdown.surfaces.show.hits import as_json, lines


@click.command(
    "search",
    epilog=examples(
        "memdown search connection pool",
        'memdown search "Why did we leave Redis?"',
        "memdown search 'migrat* -redis kind:decision since:30d'",
        "memdown search pool --type decision --explain",
    ),
)
@with_filters
@as_of
@click.option("--semantic", is_flag=True, help="Also rank by meaning. [needs memdown[semantic]]")
@click.option("--explain", is_flag=True, help="Show the parts of every score.")
@standard
def search_command(session: Invocation, filters: Filters, as_of: str | None, semantic: bool, explain: bool) -> None:
    """Search memory, best matches first.

    Words rank records that have any of them; "phrases", +words and filters must be there, -words must not. Put a query
    that has quotes or dashes in one pair of quotes, so that your shell leaves it alone. docs/search.md has it all.
    """
    with session.memory.as_of(as_of) as questions:
        query = filters.query(session, questions)
        hits = questions.search(query, semantic=semantic, progress=session.memory.progress)
    session.answer(as_json(hits, explain=explain), lambda: lines(hits, explain=explain))
