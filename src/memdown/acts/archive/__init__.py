"""Archiving: what is over moves out of the files that are read every day. Appended, proven, then trimmed."""
