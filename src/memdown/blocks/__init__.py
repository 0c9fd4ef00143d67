"""Where the blocks of a Markdown text are: headings, fences, items, tables, comments, with exact spans."""

from memdown.blocks.comments import comments
from memdown.blocks.model import Block, Comment
from memdown.blocks.scanner import scan
from memdown.blocks.tables import cells, rows

__all__ = ["Block", "Comment", "cells", "comments", "rows", "scan"]
