"""Where lines end, as in `text`: at LF, CR LF and CR, and nowhere else."""

from io import StringIO


def split_lines(text: str, *, keepends: bool = False) -> list[str]:
    """As `str.splitlines`, which takes form feeds, NEL, U+2028 and other characters of a line for its end, too."""
    if keepends:
        return [*StringIO(text, newline="")]
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    return lines
