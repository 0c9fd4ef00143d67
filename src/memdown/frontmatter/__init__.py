"""YAML front matter: read with spans, edited by splicing, written in a form every YAML reader reads alike."""

from memdown.frontmatter.canonical import quote, write
from memdown.frontmatter.edit import remove, set_value
from memdown.frontmatter.model import Entry, FrontMatter, Problem, Value
from memdown.frontmatter.reader import read

__all__ = ["Entry", "FrontMatter", "Problem", "Value", "quote", "read", "remove", "set_value", "write"]
