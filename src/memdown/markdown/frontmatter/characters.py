"""Characters that YAML does not allow, or that its older readers take for line ends."""

from memdown.markdown.frontmatter.model import Problem
from memdown.markdown.frontmatter.unusual import UNUSUAL
from memdown.patterns import lazy
from memdown.text import Span

_OLD_LINE_ENDS = "\x85\u2028\u2029"
_ESCAPED = lazy(r"\\U([0-9A-Fa-f]{8})")


def forbidden(text: str, span: Span) -> list[Problem]:
    """A problem for each run of characters that cannot stand in YAML."""
    if text[span.start : span.end].replace("\n", "").isprintable():
        return []  # which none of them is
    runs: list[list[int]] = []
    for match in UNUSUAL.finditer(text, span.start, span.end):
        if match[0] in _OLD_LINE_ENDS:
            continue
        if runs and runs[-1][1] == match.start():
            runs[-1][1] = match.end()
        else:
            runs.append([*match.span()])
    return [
        Problem("character", f"U+{ord(text[start]):04X} is not allowed in YAML", Span(start, end))
        for start, end in runs
    ]


def stand_ins(text: str) -> tuple[str, dict[int, int]]:
    """The text with a private-use character for each unusual one, and the table that turns values back.

    The YAML library rejects the whole text for one forbidden character, and it ends lines at NEL, U+2028
    and U+2029. One character stands for one, so positions stay what they are.
    """
    unusual = sorted(set(UNUSUAL.findall(text)))
    if not unusual:
        return text, {}
    used = {ord(char) for char in text} | {int(code, 16) for code in _ESCAPED.findall(text)}
    free = (code for code in range(0x100000, 0x10FFFE) if code not in used)
    table = {ord(char): code for char, code in zip(unusual, free, strict=False)}
    return text.translate(table), {code: char for char, code in table.items()}
