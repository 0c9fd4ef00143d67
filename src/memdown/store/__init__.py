"""Where memory is kept: files below a root, with promises about crashes, other writers and hostile names."""

from memdown.store.files import Files
from memdown.store.groups import Group
from memdown.store.jail import Jail, find_root
from memdown.store.names import check_name

__all__ = ["Files", "Group", "Jail", "check_name", "find_root"]
