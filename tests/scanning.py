"""Small code bases for the tests of the scan."""

from pathlib import Path

from memdown.scan import Survey, survey
from memdown.scan.describe import sections
from memdown.store.tree import Tree
from samples import put

Files = dict[str, str]


def look(root: Path, files: Files) -> Survey:
    """What a scan finds in these files."""
    for name, text in files.items():
        put(root, name, text)
    return survey(Tree(root))


def tech(root: Path, files: Files, heading: str) -> list[str]:
    """The lines of a section of techContext.md."""
    return sections(look(root, files))["techContext.md"].get(heading, "").split("\n")


def patterns(root: Path, files: Files, heading: str) -> str:
    """A section of systemPatterns.md."""
    return sections(look(root, files))["systemPatterns.md"].get(heading, "")
