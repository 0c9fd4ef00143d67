"""Beginning a memory: what a brief says, as first content."""
