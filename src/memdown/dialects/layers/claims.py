"""Which files belong to a layered store."""

from memdown.dialects.layers import grammar


def claims(path: str, text: str) -> bool:  # noqa: ARG001 - where it is decides alone
    """A Markdown file in the folder of a layer, unless it describes the store."""
    if "memory" not in path or not path.lower().endswith(".md") or not grammar.in_store(path):
        return False
    place = grammar.place_of(path)
    return bool(place and grammar.located(place) and not grammar.is_structural(place))
