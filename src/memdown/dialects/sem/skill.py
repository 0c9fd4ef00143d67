"""The skill file that teaches an agent the format (skill.md); tests hold it to the tables that read and check it."""

from memdown.lazy import beside

NAME = "squad-memory-format"
DESCRIPTION = "How to write decisions, memories, notes and directives so that people and tools can read them."
PLACE = f"skills/{NAME}/SKILL.md"
"""Where the skill lies inside the home of a project."""


def text() -> str:
    """The whole file."""
    return beside(__file__, "skill.md")
