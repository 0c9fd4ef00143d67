"""A new bundle of knowledge: its list and its log."""

from msgspec import Struct

from memdown.acts import add
from memdown.dialects.okf import grammar, listing
from memdown.project import Project
from memdown.store.files import FileEdit


class BundleInit(Struct, frozen=True):
    """What was made and what was there."""

    created: list[str]
    kept: list[str]


def begin(project: Project, *, write: bool = True) -> BundleInit:
    """Make the reserved files of the project's bundle; those that are there stay as they are."""
    home = add.home(project, "okf")
    texts = {f"{home}/{grammar.INDEX}": listing.new_index(), f"{home}/{grammar.LOG}": listing.new_log()}
    with project.files.lock(when=write):
        kept = [name for name in texts if project.files.exists(name)]
        new = [name for name in texts if name not in kept]
        if write:
            project.files.save_all(FileEdit(name, None, texts[name]) for name in new)
    return BundleInit(new, kept)
