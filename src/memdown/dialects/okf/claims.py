"""Which files belong to a bundle."""

from memdown.homes import HOMES

_HOMES = tuple(f"{home}/" for home in HOMES["okf"])


def claims(path: str, text: str) -> bool:  # noqa: ARG001 - where it is decides alone
    """Every Markdown file of a bundle's folder."""
    return path.endswith(".md") and path.startswith(_HOMES)
