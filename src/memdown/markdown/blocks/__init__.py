"""Where the blocks of a Markdown text are: headings, fences, items, tables, comments, with exact spans."""

from memdown.markdown.blocks.comments import comments
from memdown.markdown.blocks.model import Block, Comment
from memdown.markdown.blocks.scanner import scan
from memdown.markdown.blocks.tables import cells, rows

__all__ = ["Block", "Comment", "cells", "comments", "rows", "scan"]
