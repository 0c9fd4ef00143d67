"""What the scanner tells: one flat value per block."""

from msgspec import Struct

from memdown.text import Span


class Block(Struct, frozen=True, gc=False):
    """One block of a Markdown text.

    `kind` is heading, fence, code (indented), html, item, quote, table, rule or paragraph. `span` runs
    from the first character of the block's own (no indentation, no `>` or bullet of what holds it) to the
    end of its last line without the line ending. What the other fields say depends on the kind:

    - heading: `level` 1 to 6, `content` the title without marks, `info` "atx" or "setext"
    - fence: `content` the lines between, `info` what follows the opening fence, `closed`
    - html: `info` raw, comment, instruction, declaration, cdata, block or tag; `closed`
    - item: `info` its marker, `level` its number if it has one, `content` what follows marker and task
      box, `task` the character in the box, `box` where the box is
    """

    kind: str
    span: Span
    depth: int
    level: int
    content: Span
    info: str = ""
    task: str | None = None
    box: Span | None = None
    closed: bool = True


class Comment(Struct, frozen=True, gc=False):
    """An HTML comment: all of it, and what is between its marks. One that is not closed ends with its block."""

    span: Span
    inner: Span
    closed: bool = True
