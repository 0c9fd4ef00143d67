"""The command graph: records and files with the links between them."""

from collections.abc import Iterator
from pathlib import Path

import click

from memdown.acts.graph import Graph, GraphNode
from memdown.index.none import none_of
from memdown.surfaces.cli.common import Invocation, count, examples, standard, style
from memdown.surfaces.cli.filters import Filters, as_of, with_filters
from memdown.surfaces.show import diagrams
from memdown.surfaces.show.records import short


@click.command(
    "graph",
    epilog=examples(
        "memdown graph",
        "memdown graph kind:task --format mermaid",
        "memdown graph --around T21 --steps 2 --format svg > graph.svg",
    ),
)
@with_filters
@click.option("--around", metavar="ID", help="Only what is linked to this record.")
@click.option("--steps", type=click.IntRange(1, 100), default=1, show_default=True, help="How many links away.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "mermaid", "svg"]),
    default="text",
    show_default=True,
    help="Output format.",
)
@as_of
@standard
def graph_command(
    session: Invocation, filters: Filters, around: str | None, steps: int, form: str, as_of: str | None
) -> None:
    """Show the graph of linked records and files: links, scopes, and what texts mention.

    A broken link leads to a node of kind missing, and a link to an issue, a person or a web page to one of kind
    external. Records without links are left out.
    """
    with session.memory.at(as_of) as memory:
        graph = memory.graph(filters.query(session, memory.questions), around=around, steps=steps).linked()
    session.json = session.json or form == "json"
    session.answer(graph, lambda: _picture(session, graph, form))


def _picture(session: Invocation, graph: Graph, form: str) -> Iterator[str]:
    if form == "text":
        yield from _edges(graph, session.memory.root)
        return
    picture, left_out = diagrams.draw(graph, form, f"Memory of {session.memory.root.name}")
    yield picture
    if left_out:
        session.note(f"{count(left_out, 'node')} with few links left out; use filters to see them.")


def _edges(graph: Graph, root: Path) -> Iterator[str]:
    nodes = {node.id: node for node in graph.nodes}
    for edge in graph.edges:
        yield f"{_end(nodes[edge.source])} {style('dim', f'--{edge.type}->')} {_end(nodes[edge.target])}"
    missing = len(graph.missing())
    broken = f", {count(missing, 'broken link')}" if missing else ""
    found = f"{count(len(graph.nodes), 'node')}, {count(len(graph.edges), 'edge')}{broken}"
    yield found if graph.nodes else none_of(root, found)


def _end(node: GraphNode) -> str:
    """A node by what other commands take: a record by its id too."""
    if node.kind == "missing":
        return style("warning", f"{node.title} (missing)")
    if node.kind in ("file", "external") or node.id == node.title:
        return node.title
    return f"{style('id', short(node.id))} {node.title}"
