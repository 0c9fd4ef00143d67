"""The words that tell what a text is about."""

from memdown.index.stopwords import STOP_WORDS
from memdown.markdown.cardfile import KEYWORD_LIMIT
from memdown.patterns import lazy

WORD = lazy(r"[^\W_](?:[\w-]*[^\W_])?")
_MOST = 5


def keywords(text: str) -> list[str]:
    """The words used most, in any script; ties go to the one that comes first."""
    counts: dict[str, int] = {}
    for match in WORD.finditer(text):
        word = match.group().lower()
        if len(word) > (2 if word.isascii() else 1) and not word.isdigit() and word not in STOP_WORDS:
            counts[word] = counts.get(word, 0) + 1
    fitting = [word for word in counts if len(word) <= KEYWORD_LIMIT]
    return sorted(fitting, key=lambda word: -counts[word])[:_MOST]
