"""What an assistant's hooks do: brief a session, recall for a prompt, keep what was said.

A hook is a process of its own that someone waits for, so nothing here loads the engine: no dialects, no models, no
configuration unless it changed. What is derived stays in `.memdown/hooks.db`, and losing it loses nothing.
"""
