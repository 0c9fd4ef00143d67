"""memdown: one engine for the Markdown memory of coding assistants."""

from memdown._version import VERSION as __version__

__all__ = ["__version__"]
