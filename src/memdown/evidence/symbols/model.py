"""What a text of code defines."""

from msgspec import Struct

PARSER, CTAGS, PATTERN = "parser", "ctags", "pattern"
"""How a name was looked up, the surest first."""


class SymbolDefinition(Struct, frozen=True, array_like=True):
    """A name that a text defines."""

    name: str
    """With what it is inside of: `Pool.acquire`."""
    body: str | None = None
    """A hash of what it does, comments and layout aside; None where that cannot be told, or was not asked for."""
    has_bases: bool = False
    """Whether it is a class that takes members from others."""


class Symbols(Struct, frozen=True, array_like=True):
    """The names that a text defines."""

    definitions: list[SymbolDefinition]
    is_whole: bool = True
    """Whether all of the text was understood, so that a name that is not here is not defined."""
    how: str = PARSER

    def of(self, name: str) -> list[SymbolDefinition]:
        """The definitions of a name, with or without what they are inside of."""
        wanted = name.replace("::", ".").replace("#", ".").strip(".")
        ending = f".{wanted}"
        return [each for each in self.definitions if each.name == wanted or each.name.endswith(ending)]

    def body(self, name: str) -> str | None:
        """A hash of all that is defined under a name; None where one of it cannot be told."""
        bodies = [each.body for each in self.of(name)]
        return None if None in bodies else " ".join(filter(None, bodies)) or None
