"""Regular expressions that are compiled when they are first used.

There are hundreds in the rules and readers, a run uses few of them, and compiling them all took longer than
everything else a command does at its start. A test compiles every one.

None has a possessive quantifier (`x*+`) or an atomic group (`(?>x)`): Python 3.11.0 to 3.11.4 match them wrongly.
"""

import re

_METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "split")
_AT_ONCE = 256


class Lazy:
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
    return Lazy(pattern, flags)  # type: ignore[return-value]


def many(pattern: str, name: str) -> str:
    """Text of a pattern for as many of another in a row as there are, taken back only by the hundred.

    `(?:...)*` keeps 200 bytes for each time it matched, so that a table of a million rows takes 200 MB. What a
    lookahead has matched keeps nothing: it is a group, whose name is given here, and the group is matched again.
    """
    return rf"(?:(?=(?P<{name}>(?:{pattern}){{1,{_AT_ONCE}}}))(?P={name}))*"
