"""From the characters of a scalar to its value, by the rules of YAML 1.2."""

from collections.abc import Sequence

from memdown.patterns import lazy

ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r",
    "e": "\x1b", " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028",
    "P": "\u2029",
}  # fmt: skip
_ESCAPE = lazy(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)")


def unescape(inner: str) -> str | None:
    """What stands between double quotes on one line; None when an escape is not one of YAML's."""
    if "\\" not in inner:
        return inner
    pieces: list[str] = []
    done = 0
    for match in _ESCAPE.finditer(inner):
        char = _character(match[1])
        if char is None:
            return None
        pieces += inner[done : match.start()], char
        done = match.end()
    return "".join(pieces) + inner[done:]


def _character(code: str) -> str | None:
    if len(code) == 1:
        return ESCAPES.get(code)
    number = int(code[1:], 16)
    # Half of a surrogate pair is no character, and the YAML library refuses it too.
    return None if 0xD800 <= number <= 0xDFFF or number > 0x10FFFF else chr(number)


def unfold(lines: Sequence[str | None], folded: bool, chomp: str) -> str:
    """The value of a block scalar: its lines without the indentation, None for a blank one.

    Folding joins two lines with a space unless one of them begins with a blank, which keeps its line break.
    """
    last = len(lines)
    while last and lines[last - 1] is None:
        last -= 1
    pieces: list[str] = []
    before: str | None = None
    blanks = 0
    for line in lines[:last]:
        if line is None:
            blanks += 1
            continue
        if before is not None:
            joins = folded and before[0] not in " \t" and line[0] not in " \t"
            pieces.append(("" if blanks else " ") if joins else "\n")
        pieces += "\n" * blanks, line
        before, blanks = line, 0
    if chomp != "-" and before is not None:
        pieces.append("\n")
    if chomp == "+":
        pieces.append("\n" * (len(lines) - last))
    return "".join(pieces)
