"""What a text of code defines, by the surest that can read it: a parser, ctags, or nobody.

Python is read by its own parser. Other languages need the extra `code`, or ctags; where neither is there, the patterns
of lines are all there is, and the answer says so.
"""

from collections.abc import Collection
from typing import Protocol, Self

from memdown.evidence.symbols import python
from memdown.evidence.symbols.ctags import CtagsReader
from memdown.evidence.symbols.model import CTAGS, PARSER, PATTERN, SymbolDefinition, Symbols
from memdown.evidence.symbols.worker import TreeReader

__all__ = ["CTAGS", "PARSER", "PATTERN", "SymbolDefinition", "SymbolReader", "Symbols", "ending_of"]
LARGEST = 1_000_000
"""Bytes of a text that is parsed."""


class OneReader(Protocol):
    """One way to read code."""

    def reads(self, ending: str) -> bool: ...

    def read(self, ending: str, text: bytes, names: list[str]) -> Symbols | None: ...

    def close(self) -> None: ...


class SymbolReader:
    """Reads texts of code, with what it has to start for that."""

    def __init__(self) -> None:
        self._readers: list[OneReader] = [TreeReader(), CtagsReader()]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        for each in self._readers:
            each.close()

    def reads(self, path: str) -> bool:
        """Whether somebody can read files of this name."""
        ending = ending_of(path)
        return ending in python.ENDINGS or any(each.reads(ending) for each in self._readers)

    def read(self, path: str, text: bytes, names: Collection[str] = ()) -> Symbols | None:
        """What a text defines, with the bodies of these names; None when nobody can tell."""
        ending = ending_of(path)
        if len(text) > LARGEST:
            return None
        if ending in python.ENDINGS:
            return python.read(text, names)
        surest = next((each for each in self._readers if each.reads(ending)), None)
        return surest.read(ending, text, sorted(names)) if surest else None


def ending_of(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2].lower()
