"""How answers look: JSON, lines for people, charts and pictures."""
