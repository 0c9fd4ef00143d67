"""The commands context and graph: what to read now, and how memory hangs together."""

from collections.abc import Iterator

import click

from memdown.acts.context.pack import NOT_FILLED_IN, Context
from memdown.acts.graph import Graph
from memdown.surfaces.cli.asking import Filters, asking
from memdown.surfaces.cli.common import Invocation, count, examples, standard, style
from memdown.surfaces.show import diagrams


@click.command(
    "context",
    epilog=examples(
        "memdown context",
        'memdown context "move sessions to Redis" --budget 2000',
        "memdown context --for src/auth/login.py --json",
    ),
)
@click.argument("task", nargs=-1)
@click.option("-b", "--budget", type=click.IntRange(1), metavar="N", help="Tokens it may cost. [default: 4000]")
@click.option("--for", "paths", multiple=True, metavar="PATH", help="A file the task is about; may be given again.")
@click.option("--exact", is_flag=True, help="Count with a real tokenizer. [needs memdown[tokens]]")
@click.option("--list", "listed", is_flag=True, help="Tell what is in and what is left out, without the text.")
@standard
def context_command(
    session: Invocation, task: tuple[str, ...], budget: int | None, paths: tuple[str, ...], exact: bool, listed: bool
) -> None:
    """Pick what an assistant should read now, within a budget of tokens.

    First the required files of the bank, then rules and directives that apply, then what is about the task or the
    files, then recent decisions. The same question about the same memory gives the same text.
    """
    found = session.memory.context(" ".join(task), budget=budget, paths=paths, exact=exact)
    session.answer(found, lambda: _listed(found) if listed else _text(found))
    if not found.items:
        session.note("There is nothing here to read." if not found.left_out else "Nothing fits into this budget.")
    elif found.left_out and not listed:
        session.note(f"{count(len(found.left_out), 'piece')} left out; --list names them.")


def _text(found: Context) -> Iterator[str]:
    if found.text:
        yield found.text.removesuffix("\n")


def _listed(found: Context) -> Iterator[str]:
    for item in found.items:
        yield f"{item.tokens:>7,}  {style('place', f'{item.path}:{item.lines[0]}')}  {item.why}"
    yield f"{found.used:>7,}  of {found.budget:,} tokens"
    empty = [each for each in found.left_out if each.why == NOT_FILLED_IN]
    for each in found.left_out:
        if each not in empty:
            yield style("dim", f"{each.tokens:>7,}  {each.path}:{each.lines[0]}  {each.why}")
    if empty:
        yield style("dim", f"{sum(each.tokens for each in empty):>7,}  {count(len(empty), 'section')} not filled in")


@click.command(
    "graph",
    epilog=examples(
        "memdown graph",
        "memdown graph kind:task --format mermaid",
        "memdown graph --around T21 --steps 2 --format svg > graph.svg",
    ),
)
@asking
@click.option("--around", metavar="ID", help="Only what is linked with this record.")
@click.option("--steps", type=click.IntRange(1, 100), default=1, show_default=True, help="How far from it.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "mermaid", "svg"]), default="text", show_default=True
)
@standard
def graph_command(session: Invocation, asked: Filters, around: str | None, steps: int, form: str) -> None:
    """Show how records and files hang together: links, scopes, and what texts mention.

    A link that leads nowhere leads to a node named missing. Records without any link are left out.
    """
    graph = session.memory.graph(asked.query(session, session.memory.questions), around=around, steps=steps).linked()
    session.json = session.json or form == "json"
    session.answer(graph, lambda: _picture(session, graph, form))


def _picture(session: Invocation, graph: Graph, form: str) -> Iterator[str]:
    if form == "text":
        yield from _edges(graph)
        return
    seen, left_out = diagrams.shown(graph)
    title = f"Memory of {session.memory.root.name}"
    yield (diagrams.mermaid(seen) if form == "mermaid" else diagrams.svg(seen, title)).removesuffix("\n")
    if left_out:
        session.note(f"{count(left_out, 'node')} with few links left out; filters show a part.")


def _edges(graph: Graph) -> Iterator[str]:
    titles = {node.id: node for node in graph.nodes}
    for edge in graph.edges:
        source, target = titles[edge.source], titles[edge.target]
        end = style("warning", f"{target.title} (missing)") if target.kind == "missing" else target.title
        yield f"{source.title}  {style('dim', edge.type)}  {end}"
    yield f"{count(len(graph.nodes), 'node')}, {count(len(graph.edges), 'edge')}, {len(graph.missing())} to nothing"
