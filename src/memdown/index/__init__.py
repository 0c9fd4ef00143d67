"""The derived index: records, links, tags and full text in one SQLite file. Losing it loses nothing."""

from memdown.index.sqlite import Index

__all__ = ["Index"]
