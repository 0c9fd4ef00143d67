"""YAML front matter: read with spans, edited by splicing, written in a form every YAML reader reads alike.

The names are loaded when they are first asked for: a hook that writes a card needs no reader.
"""

from importlib import import_module

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from memdown.markdown.frontmatter.canonical import quote, write
    from memdown.markdown.frontmatter.edit import remove, set_value
    from memdown.markdown.frontmatter.model import FrontMatter, FrontMatterEntry, FrontMatterValue, Problem
    from memdown.markdown.frontmatter.reader import read
    from memdown.markdown.frontmatter.values import plain

__all__ = [
    "FrontMatter",
    "FrontMatterEntry",
    "FrontMatterValue",
    "Problem",
    "plain",
    "quote",
    "read",
    "remove",
    "set_value",
    "write",
]

_HOMES = {
    "canonical": ("quote", "write"),
    "edit": ("remove", "set_value"),
    "model": ("FrontMatterEntry", "FrontMatter", "Problem", "FrontMatterValue"),
    "reader": ("read",),
    "values": ("plain",),
}


def __getattr__(name: str) -> object:
    for module, names in _HOMES.items():
        if name in names:
            value = getattr(import_module(f"memdown.markdown.frontmatter.{module}"), name)
            globals()[name] = value  # from now on it is found here
            return value
    raise AttributeError(f"module 'memdown.markdown.frontmatter' has no attribute {name!r}")
