"""Settings as they are when a project sets none, for those who cannot afford to load the configuration."""

LOCK_TIMEOUT = 10.0
SESSION_TOKENS = 800
PROMPT_TOKENS = 400
CAPTURE = None
"""Whether messages are kept; None is where the project keeps cards, and nowhere else."""
REFRESH_MS = 150
UNDO_STEPS = 200
UNDO_MEGABYTES = 64
