"""A graph as a picture: Mermaid text, which many pages draw, and an SVG that needs nothing else."""

from collections.abc import Iterator, Sequence

from memdown.acts.graph import Graph, GraphEdge, GraphNode, layers
from memdown.surfaces.show.svg import MARGIN, escape, page, text

_MOST = 200
"""Nodes in a picture; nobody can see more."""
_WIDTH, _HEIGHT, _ACROSS, _DOWN, _HEAD = 190, 48, 40, 70, 64
_LONGEST = 24
_ARROWS = {"supersedes": "==>", "depends": "-->", "mentions": "-.->"}
_SHAPES = {"file": ("[/", "/]"), "missing": ("{{", "}}"), "task": ("(", ")")}
_EXTRA = (
    ".node{fill:#f6f8fa;fill:var(--paper);stroke:#59636e;stroke:var(--soft);stroke-width:1.2}"
    ".missing{stroke-dasharray:4 3}.edge{fill:none;stroke:#59636e;stroke:var(--soft);stroke-width:1.2}"
    ".mentions{stroke-dasharray:3 3}.supersedes{stroke:#0969da;stroke:var(--bar)}.tip{fill:#59636e;fill:var(--soft)}"
)

_TIP = (
    '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path class="tip" d="M0,0 8,4 0,8z"/></marker></defs>'
)


def draw(graph: Graph, form: str, title: str) -> tuple[str, int]:
    """As much of a graph as can be seen, as mermaid or svg; and how many nodes are left out."""
    seen, left_out = visible_part(graph)
    return (mermaid(seen) if form == "mermaid" else svg(seen, title)).removesuffix("\n"), left_out


def visible_part(graph: Graph) -> tuple[Graph, int]:
    """As much of a graph as can be seen, and how many nodes are left out: those with the fewest edges."""
    if len(graph.nodes) <= _MOST:
        return graph, 0
    count: dict[str, int] = {}
    for edge in graph.edges:
        for end in (edge.source, edge.target):
            count[end] = count.get(end, 0) + 1
    kept = {node.id for node in sorted(graph.nodes, key=lambda node: -count.get(node.id, 0))[:_MOST]}
    nodes = [node for node in graph.nodes if node.id in kept]
    edges = [edge for edge in graph.edges if edge.source in kept and edge.target in kept]
    return Graph(nodes, edges), len(graph.nodes) - len(nodes)


def mermaid(graph: Graph) -> str:
    """The graph as Mermaid text."""
    names = {node.id: f"n{number}" for number, node in enumerate(graph.nodes)}
    lines = ["graph TD"]
    for node in graph.nodes:
        before, after = _SHAPES.get(node.kind, ("[", "]"))
        lines.append(f'    {names[node.id]}{before}"{_quote(_label(node))}"{after}')
    for edge in graph.edges:
        arrow = _ARROWS.get(edge.type, "-->")
        lines.append(f"    {names[edge.source]} {arrow}|{_quote(edge.type)}| {names[edge.target]}")
    return "\n".join(lines) + "\n"


def _quote(text: str) -> str:
    """Text that Mermaid takes for nothing else."""
    return "".join(char if char.isalnum() or char in " _.,:/+-()" else f"#{ord(char)};" for char in text)


def _label(node: GraphNode) -> str:
    named = node.id if node.kind in ("task", "file", "missing") else ""
    title = node.title if node.title != named else ""
    return " ".join(": ".join(filter(None, (named, title))).split())


def svg(graph: Graph, title: str) -> str:
    """The graph in rows, each edge leading down where it can."""
    pairs = [(edge.source, edge.target) for edge in graph.edges]
    rows = _order_rows(layers([node.id for node in graph.nodes], pairs), graph)
    width = max((len(row) for row in rows), default=1) * (_WIDTH + _ACROSS) - _ACROSS + 2 * MARGIN
    width = max(width, 400)
    height = _HEAD + len(rows) * (_HEIGHT + _DOWN) - _DOWN + 2 * MARGIN if rows else _HEAD + MARGIN
    at = {
        id: (MARGIN + number * (_WIDTH + _ACROSS), _HEAD + MARGIN + depth * (_HEIGHT + _DOWN))
        for depth, row in enumerate(rows)
        for number, id in enumerate(row)
    }
    summary = f"{len(graph.nodes)} nodes and {len(graph.edges)} edges"
    edges = (_edge(edge, at) for edge in graph.edges)
    boxes = (_box(node, *at[node.id]) for node in graph.nodes)
    return page(width, height, title, summary, f"{summary}.", (_TIP, *edges, *boxes), style=_EXTRA)


def _order_rows(rows: Sequence[Sequence[str]], graph: Graph) -> list[list[str]]:
    """Each row by where the nodes above it stand, so that few edges cross."""
    above: dict[str, list[str]] = {}
    for edge in graph.edges:
        above.setdefault(edge.target, []).append(edge.source)
    place: dict[str, float] = {}
    found = []
    for row in rows:
        middle = {
            id: sum(place.get(one, 0.0) for one in above.get(id, ())) / max(len(above.get(id, ())), 1) for id in row
        }
        ordered = sorted(row, key=lambda id: middle[id])
        place.update((id, float(number)) for number, id in enumerate(ordered))
        found.append(ordered)
    return found


def _edge(edge: GraphEdge, at: dict[str, tuple[int, int]]) -> str:
    (x, y), (to_x, to_y) = at[edge.source], at[edge.target]
    start, end = (y + _HEIGHT, to_y - 2) if to_y > y else (y, to_y + _HEIGHT + 2)
    x, to_x, half = x + _WIDTH // 2, to_x + _WIDTH // 2, (start + end) // 2
    kind = edge.type if edge.type.isalpha() else ""
    return (
        f'<path class="edge {kind}" marker-end="url(#a)" d="M{x},{start} C{x},{half} {to_x},{half} {to_x},{end}">'
        f"<title>{escape(f'{edge.source} {edge.type} {edge.target}')}</title></path>"
    )


def _box(node: GraphNode, x: int, y: int) -> str:
    kind = " missing" if node.kind == "missing" else ""
    lines = list(_wrap(_label(node)))
    first = y + (20 if len(lines) > 1 else 28)
    label = "".join(text(x + _WIDTH // 2, first + 16 * row, line, anchor="middle") for row, line in enumerate(lines))
    tooltip = escape(f"{node.kind}: {node.title}" + (f", {node.path}:{node.line}" if node.line else ""))
    box = f'<rect class="node{kind}" x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="6"/>'
    return f"<g><title>{tooltip}</title>{box}{label}</g>"


def _wrap(label: str) -> Iterator[str]:
    """A label on at most two lines."""
    if len(label) <= _LONGEST:
        yield label
        return
    cut = label.rfind(" ", 0, _LONGEST)
    cut = cut if cut > _LONGEST // 2 else _LONGEST
    yield label[:cut].rstrip()
    rest = label[cut:].lstrip()
    yield rest if len(rest) <= _LONGEST else rest[: _LONGEST - 1] + "…"
