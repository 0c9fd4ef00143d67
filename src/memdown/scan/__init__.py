"""A code base looked at: its stack, its commands and its layout, each fact with the file it is from.

Only files are read. A manifest that cannot be read is noted and passed over, and what no file says is left out.
"""

from msgspec import Struct

from memdown.scan import about, automation, dotnet, go, java, layout, node, others, php, pip, python, ruby, rust
from memdown.scan.layout import LanguageShare, ScanPlace
from memdown.scan.model import Fact, Library, ScanResult, merged
from memdown.store.tree import Tree

__all__ = ["Fact", "LanguageShare", "Library", "ScanPlace", "ScanResult", "Survey", "survey"]

_ECOSYSTEMS = (python, pip, node, rust, go, java, dotnet, php, ruby, others)


class Survey(Struct, frozen=True):
    """Everything a scan found."""

    found: ScanResult
    languages: list[LanguageShare]
    folders: list[ScanPlace]
    notes: list[str]
    """What was passed over, a sentence each, without its period."""


def survey(tree: Tree) -> Survey:
    """Look at a code base."""
    found = merged(look(tree) for look in (*(each.look for each in _ECOSYSTEMS), automation.look, about.look))
    return Survey(found, layout.languages(tree), layout.folders(tree), tree.notes)
