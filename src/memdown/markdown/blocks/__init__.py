"""Where the blocks of a Markdown text are: headings, fences, items, tables, comments, with exact spans."""

from memdown.markdown.blocks.comments import blanked, comments, without_comments
from memdown.markdown.blocks.model import Block, Comment
from memdown.markdown.blocks.scanner import scan
from memdown.markdown.blocks.tables import cells, rows
from memdown.markdown.blocks.unclosed import hiding, unclosed

__all__ = [
    "Block",
    "Comment",
    "blanked",
    "cells",
    "comments",
    "hiding",
    "rows",
    "scan",
    "unclosed",
    "without_comments",
]
