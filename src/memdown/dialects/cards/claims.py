"""Which files are cards."""

from memdown.dialects.cards import grammar
from memdown.markdown import frontmatter

_HOMES = tuple(f"/{home}" for home in grammar.HOMES)


def claims(path: str, text: str) -> bool:
    """A Markdown file in a card folder or named by a UUID, or front matter with an id and two more of our keys."""
    folder, _, name = path.replace("\\", "/").rpartition("/")
    stem = name[:-3].lower()
    if not stem or name[-3:].lower() != ".md":
        return False
    if grammar.UUID.fullmatch(stem) or (stem != "readme" and f"/{folder}".endswith(_HOMES)):
        return True
    front = frontmatter.read(text)
    keys = {entry.key for entry in front.entries} if front else set()
    return "id" in keys and len(keys.intersection(grammar.KEYS)) >= 3
