"""What a user who asks for an update of memory wants: how, and of which files, as the project has them."""

import os

from memdown.dialects import to_update
from memdown.index.hook_state import State
from memdown.index.lookup import ask

REQUEST = (
    "The user asks for an update of the memory bank. `memdown update --draft` shows what git has that the memory does"
    " not, as one diff; `--draft --apply` applies it. Review it and what else changed in this session, then update in"
    " this order, each only where it changed: {}. Never drop what is still true; check the result with `memdown check`."
)


def request(state: State) -> str:
    """How to update it, with files as they are spelled on disk; nothing where there is no such memory."""
    homes = (home for home in state.settings.homes("bank") if os.path.isdir(os.path.join(state.root, home)))
    home = next(homes, "")
    if not home:
        return ""
    used = ask(state, lambda index: index.dialects(home))
    steps = to_update(used, sorted(os.listdir(os.path.join(state.root, home))))
    return REQUEST.format(", ".join(f"{home}/{each}" for each in steps))
