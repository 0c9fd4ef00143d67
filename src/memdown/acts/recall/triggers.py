"""What makes an assistant update a memory bank: words of a prompt, and how much of the code is new. Light to import."""

import re

from memdown.patterns import lazy

IMPACT = 25
"""Per cent of the source files, changed since the patterns were last written down, from which they need a look."""

_ASKED = lazy(r"\b(?:update\s+memory\s+bank|UMB)\b", re.IGNORECASE)


def asks_for_update(prompt: str) -> bool:
    """Whether a prompt says "update memory bank" or "UMB", as a whole phrase, in any capitals."""
    # Looked at first without the pattern: compiling it takes a hook as long as most of what it does.
    folded = prompt.lower()
    return ("umb" in folded or "memory" in folded) and _ASKED.search(prompt) is not None
