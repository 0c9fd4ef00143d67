"""Keeping what an assistant said: which messages are worth it, and where a transcript was left."""
