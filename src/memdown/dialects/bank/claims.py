"""Which files belong to a memory bank."""

from memdown.dialects.bank import grammar
from memdown.homes import parts_of
from memdown.markdown import frontmatter

_CARD_KEYS = frozenset(("id", "subject", "keywords", "applies_to", "occurred_at", "content_hash"))
_SHORT = 3


def claims(path: str, text: str) -> bool:
    """A Markdown file in a bank's folder, or one with a name that only a bank's file has; a card is never one."""
    if not grammar.in_bank(path) and not _named_so(path):
        return False
    if not text.startswith(("---", "\ufeff---")):
        return True
    front = frontmatter.read(text)
    keys = {entry.key for entry in front.entries} if front else set()
    return not ("id" in keys and len(keys & _CARD_KEYS) >= _SHORT)


def _named_so(path: str) -> bool:
    parts = parts_of(path)
    if not grammar.is_layer(parts[-1]):
        return False
    return parts[-1].endswith(".md") and not {".squad", ".ai-team"} & set(parts) and grammar.layer_of(path) is not None
