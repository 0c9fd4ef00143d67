"""Where memory is kept: files below a root, with promises about crashes, other writers and hostile names.

The names are loaded when they are first asked for: a hook that adds a card needs few of them.
"""

from importlib import import_module

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from memdown.store.files import Files
    from memdown.store.groups import Group
    from memdown.store.jail import Jail, find_root
    from memdown.store.names import check_name

__all__ = ["Files", "Group", "Jail", "check_name", "find_root"]

_HOMES = {"Files": "files", "Group": "groups", "Jail": "jail", "check_name": "names", "find_root": "jail"}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'memdown.store' has no attribute {name!r}")
    value = getattr(import_module(f"memdown.store.{_HOMES[name]}"), name)
    globals()[name] = value  # from now on it is found here
    return value
