"""Regular expressions that are compiled when they are first used.

There are hundreds in the rules and readers, a run uses few of them, and compiling them all took longer than
everything else a command does at its start. A test compiles every one.
"""

import re

_METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "split")


class LazyPattern:
    """Stands in for a pattern; its text can be had without compiling it."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self.flags = flags

    def __getattr__(self, name: str) -> object:
        compiled = re.compile(self.pattern, self.flags)
        for method in _METHODS:  # from now on these are found here, as fast as on the pattern itself
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern for a module's top level."""
    return LazyPattern(pattern, flags)  # type: ignore[return-value]
