"""The graph of linked records: records and files as nodes, and every way one names another as an edge.

Edges come from three sources: links that a dialect knows (supersedes, related, depends, file, area), the scope of a
record that names a file, and what its text mentions, which are ids of other records and files of the project.
"""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

from msgspec import Struct

from memdown import git
from memdown.dialects.finder import LINKING
from memdown.errors import Refused
from memdown.patterns import lazy
from memdown.project import Project
from memdown.record import Record

MENTIONS = "mentions"
"""The type of an edge that only the text knows of."""

_FILE = "file"
_INSIDE = LINKING | {_FILE, MENTIONS, "depends", "related", "task"}
"""Links to what the project has; others, as those to an issue or to a person, lead out of it."""
_ADDRESS = lazy(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_WORD = lazy(r"[\w@.#~+-]+(?:/[\w@.#~+-]+)*")
_NAMED = lazy(r"[A-Za-z]+-?\d+[a-z]?|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""What an id looks like that people write into a text: T21, META-1, a UUID."""
_SUFFIX = lazy(r"\.[A-Za-z]\w{0,7}")
_WRAPPED = ".,;:!?"


class GraphNode(Struct, frozen=True):
    """A record, a file of the project, something outside of it, or a name that nothing has."""

    id: str
    kind: str
    """The record's kind, `file`, `external`, or `missing`."""
    title: str
    path: str | None = None
    line: int | None = None
    status: str | None = None


class GraphEdge(Struct, frozen=True):
    """One node naming another."""

    type: str
    source: str
    target: str


class Graph(Struct, frozen=True):
    """Nodes in the order of the records, then files; edges in the order they were found."""

    nodes: list[GraphNode]
    edges: list[GraphEdge]

    def around(self, id: str, steps: int) -> "Graph":
        """The part of it that can be reached from a node, in either direction, in so many steps."""
        beside: dict[str, list[str]] = {}
        for edge in self.edges:
            beside.setdefault(edge.source, []).append(edge.target)
            beside.setdefault(edge.target, []).append(edge.source)
        near = {id: 0}
        pending = deque([id])
        while pending:
            node = pending.popleft()
            for other in beside.get(node, ()) if near[node] < steps else ():
                if other not in near:
                    near[other] = near[node] + 1
                    pending.append(other)
        return self._only(lambda node: node.id in near)

    def linked(self) -> "Graph":
        """Without the nodes that no edge touches."""
        touched = {end for edge in self.edges for end in (edge.source, edge.target)}
        return self._only(lambda node: node.id in touched)

    def missing(self) -> list[GraphEdge]:
        """Edges that lead to nothing."""
        gone = {node.id for node in self.nodes if node.kind == "missing"}
        return [edge for edge in self.edges if edge.target in gone]

    def _only(self, wanted: Callable[[GraphNode], bool]) -> "Graph":
        nodes = [node for node in self.nodes if wanted(node)]
        kept = {node.id for node in nodes}
        return Graph(nodes, [edge for edge in self.edges if edge.source in kept and edge.target in kept])


def graph(project: Project, records: Sequence[Record], around: str | None, steps: int) -> Graph:
    """The graph of some records, or the part of it around one."""
    found = build(records, _is_file(project))
    return found if around is None else found.around(id_of(project.get(around)), steps)


def _is_file(project: Project) -> Callable[[str], bool]:
    """Whether a name is a file of the project: of those git knows, else of those on the disk."""
    known = frozenset(git.files(project.root))
    if known:
        return known.__contains__

    @cache
    def on_disk(name: str) -> bool:
        try:
            return project.files.path(name).is_file()
        except Refused:
            return False

    return on_disk


def build(records: Sequence[Record], is_file: Callable[[str], bool]) -> Graph:
    """The graph of some records, whose links are resolved; `is_file` tells which names are files of the project."""
    own = {name: id_of(record) for record in records for name in _names(record)}
    nodes: dict[str, GraphNode] = {}
    for record in records:
        nodes.setdefault(id_of(record), _node(record))
    edges: dict[GraphEdge, None] = {}
    linked: set[tuple[str, str]] = set()
    for record in records:
        source = id_of(record)
        for type, target in (*_links(record, own), *_mentioned(record, own, is_file)):
            # A mention adds nothing where a link is.
            if target != source and (type != MENTIONS or (source, target) not in linked):
                linked.add((source, target))
                nodes.setdefault(target, _other(type, target, is_file))
                edges.setdefault(GraphEdge(type, source, target))
    return Graph(list(nodes.values()), list(edges))


def id_of(record: Record) -> str:
    """A task stands in a registry and in a file of its own; it is one node."""
    return record.task if record.task and record.kind == "task" else record.id


def _names(record: Record) -> Iterator[str]:
    """What other texts may call a record."""
    yield record.id
    if _NAMED.fullmatch(record.number):
        yield record.number


def _links(record: Record, own: dict[str, str]) -> Iterator[tuple[str, str]]:
    for link in record.links:
        if link.type != "area":
            target = link.resolved or link.target.strip()
            yield link.type, own.get(target, target)
    scope = record.scope or ""
    if scope.startswith("file:"):
        yield _FILE, scope.removeprefix("file:").strip()


def _mentioned(record: Record, own: dict[str, str], is_file: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    text = " ".join(filter(None, (record.title, record.summary, record.body)))
    for word in dict.fromkeys(match.rstrip(_WRAPPED) for match in _WORD.findall(text)):
        if word in own and _NAMED.fullmatch(word):
            yield MENTIONS, own[word]
        elif ("/" in word or _SUFFIX.search(word)) and word != record.path and is_file(word):
            yield MENTIONS, word


def _node(record: Record) -> GraphNode:
    title = record.title or record.summary or record.id
    return GraphNode(id_of(record), record.kind, title, record.path, record.line, record.status)


def _other(type: str, target: str, is_file: Callable[[str], bool]) -> GraphNode:
    there = is_file(target)
    known = there or type == _FILE
    elsewhere = type not in _INSIDE or _ADDRESS.match(target)
    kind = _FILE if there else "external" if elsewhere else "missing"
    return GraphNode(target, kind, target, target if known else None)


def layers(nodes: Iterable[str], edges: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Rows for drawing: whatever an edge leads to stands in a later row, but for the edges that close a ring."""
    order = list(dict.fromkeys(nodes))
    after: dict[str, list[str]] = {node: [] for node in order}
    for source, target in dict.fromkeys(edges):
        if source != target:
            after[source].append(target)
    depth = dict.fromkeys(order, 0)
    for node in reversed(_finished(order, after)):
        for target in after[node]:
            depth[target] = max(depth[target], depth[node] + 1)
    rows: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for node in order:
        rows[depth[node]].append(node)
    return rows


def _finished(order: Sequence[str], after: dict[str, list[str]]) -> list[str]:
    """Nodes in the order a walk in depth leaves them; edges back to a node still on the way are cut out of `after`."""
    state: dict[str, int] = {}
    done: list[str] = []
    for first in order:
        stack = [(first, iter(list(after[first])))] if first not in state else []
        state.setdefault(first, 1)
        while stack:
            node, rest = stack[-1]
            for target in rest:
                if target not in state:
                    state[target] = 1
                    stack.append((target, iter(list(after[target]))))
                    break
                if state[target] == 1:
                    after[node].remove(target)
            else:
                state[node] = 2
                done.append(node)
                stack.pop()
    return done
