"""How large each kind of file, line and message may be. What is larger is left out or refused, and that is said.

Plain numbers, since hooks read them too. A project may set the first (`settings.config`).
"""

MEMORY_MEGABYTES = 16
"""A file of memory; the largest real one has less than one megabyte. Reading takes about a second for each."""
AGING_DAYS = 90
"""Days after which a memory that says when it was updated is stale."""
TRANSCRIPT_LINE = 64 << 20
"""Bytes of a line of a transcript, and characters of a message."""
HOOK_INPUT = 64 << 20
"""Bytes that an assistant sends to a hook."""
HOOK_LOG = 256 << 10
"""Bytes of hooks.log before it begins anew."""
LEDGER = 4 << 20
"""Bytes of the ledger of tokens before it begins anew."""
SETTINGS = 250_000
"""Characters of a settings file of another tool."""
CONFIGURATION = 1 << 20
"""Bytes of `memdown.toml`, or of a `pyproject.toml` that has settings of ours."""
BUNDLE = 256 << 20
"""Bytes of an export."""
MCP_MESSAGE = 32 << 20
"""Bytes of one message over pipes."""
HTTP_BODY = 4 << 20
"""Bytes of one request over HTTP."""
