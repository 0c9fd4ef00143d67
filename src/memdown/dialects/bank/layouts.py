"""Which layout a bank has: the seven files, or the fewer that another assistant's instructions ask for."""

from collections.abc import Callable, Mapping

from msgspec import Struct

from memdown.dialects.bank.templates import LAYERS, Layer


class Layout(Struct, frozen=True):
    """The files that a bank of one kind has, by their canonical names, and what it calls them."""

    name: str
    files: Mapping[str, str]
    required: frozenset[str] = frozenset(layer.file for layer in LAYERS if layer.required)

    def missing(self, there: Mapping[str, str], *, required: bool) -> list[str]:
        """The canonical names of its files that a bank does not have."""
        files = [file for file in self.files if file not in there]
        return [file for file in files if (file in self.required) == required]

    def requires(self, layer: Layer) -> bool:
        return layer.file in self.required and layer.file in self.files


CANONICAL = Layout("canonical", {layer.file: layer.file for layer in LAYERS})
_SIX = {file: file for file in CANONICAL.files if file != "decisionLog.md"}
CLINE = Layout("cline", _SIX | {"projectBrief.md": "projectbrief.md"})
ROO = Layout("roo", {file: file for file in CANONICAL.files if file not in ("projectBrief.md", "techContext.md")})
KILO = Layout(
    "kilo",
    {
        "projectBrief.md": "brief.md",
        "productContext.md": "product.md",
        "systemPatterns.md": "architecture.md",
        "techContext.md": "tech.md",
        "activeContext.md": "context.md",
    },
)
JOURNAL = Layout("journal", CANONICAL.files, frozenset())
"""Beside a journal, whose own files say what is being done and what is done."""

_MARKS = (("edit_history.md",), ("session_cache.md",), ("edits",), ("tasks.md", "tasks"))
"""Files and folders that make a bank the home of a journal, any of them together."""


def is_beside_journal(has: Callable[[str], bool]) -> bool:
    """Whether a bank stands beside a journal, by what its folder has."""
    return any(all(map(has, each)) for each in _MARKS)


def layout_of(there: Mapping[str, str], *, journal: bool = False) -> Layout:
    """The layout of a bank with these files: canonical names, and the names on disk.

    Where nothing tells, it is the canonical one. A bank of another layout has none of the files that only the
    canonical one has, and either their own names or most of their files.
    """
    if journal:
        return JOURNAL
    own = sum(name == KILO.files.get(file) for file, name in there.items())
    if own == len(there) > 1:
        return KILO
    if there.get("projectBrief.md") == CLINE.files["projectBrief.md"] and there.keys() <= CLINE.files.keys():
        return CLINE
    if there.keys() <= ROO.files.keys() and "decisionLog.md" in there and len(there) >= len(ROO.files) - 1:
        return ROO
    return CANONICAL
