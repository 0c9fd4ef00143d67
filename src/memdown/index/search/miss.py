"""What somebody may have meant whose words nothing has: the nearest words of the index."""

import sqlite3
from collections.abc import Iterable

from memdown.errors import distance, nearest
from memdown.index.query import near_filter
from memdown.index.words import quoted
from memdown.patterns import lazy

_MOST = 3
_LONG, _LONGEST = 6, 40
_ENDING = 5
"""Letters that a stem may lack."""
_STEMS_TRIED = 8
_VOCABULARY = "create virtual table if not exists temp.vocabulary using fts5vocab('main', 'words', 'row')"
_STEMS = "select term from temp.vocabulary where term >= ? and term < ? and length(term) between ? and ?"
_TEXTS = f"""
select {", ".join(f"substr({column}, 1, 20000)" for column in ("title", "tags", "summary", "body", "about"))}
from words where words match ? and rowid not in (select rowid from record where hollow) limit 3
"""
_WORD = lazy(r"[^\W_]+")


def meant(db: sqlite3.Connection, words: Iterable[str]) -> list[str]:
    """For each word that no record has, the nearest ones that some record has, as they are written there."""
    db.execute(_VOCABULARY)
    found: dict[str, None] = {}
    for word in words:
        if word.isalpha() and 3 <= len(word) <= _LONGEST:
            found.update(dict.fromkeys(_near(db, word.casefold())))
    return [*found][:_MOST]


def filters(names: Iterable[str]) -> list[str]:
    """The filters that names before a colon most likely were to be."""
    return [each for name in names for each in near_filter(name)]


def _near(db: sqlite3.Connection, word: str) -> list[str]:
    """The index has the stems of words, so that the words themselves are looked up where these stand."""
    first = word[0]
    stems = (stem for (stem,) in db.execute(_STEMS, (first, chr(ord(first) + 1), len(word) - _ENDING, len(word) + 2)))
    near = sorted((min(distance(word, stem, 2), distance(word[: len(stem)], stem, 2)), stem) for stem in stems)
    written: dict[str, None] = {}
    for steps, stem in near[:_STEMS_TRIED]:
        for texts in db.execute(_TEXTS, (quoted(stem) + "*",)) if steps <= 2 else ():
            written.update(dict.fromkeys(each for text in texts for each in _WORD.findall((text or "").casefold())))
    reach = 1 if len(word) < _LONG else 2  # of two keys in a short word, another word is left
    return nearest(word, (each for each in written if each != word and distance(word, each, 2) <= reach), _MOST)
