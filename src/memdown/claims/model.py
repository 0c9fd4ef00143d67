"""One claim: where it stands, what kind it is, what would have to be there."""

from msgspec import Struct

from memdown.text import Span

KINDS = ("path", "url", "symbol", "literal", "version", "command", "variable", "port", "commit", "quote")


class CodeClaim(Struct, frozen=True, gc=False):
    """Something a text says of the code, with what to look for.

    `target` is a path for path and quote, an address for url, a name for symbol, variable and literal, a library for
    version, what is run for command. `value` is what else has to be so: the line of a path, the symbol in a file, the
    version, the literal, the quoted lines, the runner of a command.
    """

    kind: str
    span: Span
    target: str
    value: str = ""
    sure: float = 1.0
    """How likely it is meant as a claim, from 0 to 1."""
    declared: bool = False
    """Whether somebody wrote it down as a claim, so that nothing of its line counts against it."""
    absent: bool = False
    """Whether it is that something is not there."""
    dated: bool = False
    """Whether its line or a heading above it has a date: a log tells so of a day, a decision of what holds since."""
