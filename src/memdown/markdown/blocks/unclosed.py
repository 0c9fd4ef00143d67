"""What hides the rest of a text: a code fence or a comment that is opened and never closed."""

from memdown.markdown.blocks.model import Block
from memdown.markdown.blocks.scanner import scan


def unclosed(text: str) -> list[Block]:
    """The fences and comments that nothing closes."""
    return [block for block in scan(text) if not block.closed and (block.kind == "fence" or block.info == "comment")]


def hiding(text: str) -> str:
    """The first of them as a message names it, with its line; empty where there is none."""
    first = next(iter(unclosed(text)), None)
    if first is None:
        return ""
    what = "a code fence" if first.kind == "fence" else "an HTML comment"
    return f"{what} that is never closed (line {text.count(chr(10), 0, first.span.start) + 1})"
