"""Tasks that wait for each other."""

from collections.abc import Mapping, Sequence


def circles(edges: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Tasks that depend on each other in a circle, each circle once, from one of its ids back to it."""
    state: dict[str, int] = {}
    found: list[list[str]] = []
    for first in edges:
        path: list[str] = []
        stack = [(first, iter(edges[first]))] if first not in state else []
        while stack:
            node, rest = stack[-1]
            if node not in state:
                state[node] = len(path)
                path.append(node)
            other = next(rest, None)
            if other is None:
                stack.pop()
                path.pop()
                state[node] = -1
            elif other in state and state[other] >= 0:
                found.append([*path[state[other] :], other])
            elif other in edges and other not in state:
                stack.append((other, iter(edges[other])))
    return found
