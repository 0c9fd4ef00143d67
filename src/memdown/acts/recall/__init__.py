"""What a prompt needs to know: memories that share its telling words. Says nothing when nothing fits."""

import os
import sqlite3
from math import log2

from memdown.acts.recall import triggers
from memdown.index import cardlist, lookup
from memdown.index.hook_state import State
from memdown.index.stopwords import STOP_WORDS
from memdown.markdown.fence import FencedPiece, fenced, line
from memdown.patterns import lazy

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeVar

    T = TypeVar("T", int, str)

_WORD = lazy(r"[^\W_]{2,40}")
_MOST_WORDS = 24
_MOST_HITS = 5
_SNIPPET = 300
_BODY = 64 << 10
UPDATE = (
    "The user asks for an update of the memory bank. Review what changed in this session, then update in this order,"
    " each file only where it changed: progress.md, activeContext.md, decisionLog.md (append only), techContext.md,"
    " systemPatterns.md, productContext.md, projectBrief.md. Never drop what is still true; check the result with"
    " `memdown validate`."
)


def recall(state: State, prompt: str, session: str) -> tuple[str, list[str]]:
    """What to say before an assistant answers a prompt, and the files it is from."""
    asked = UPDATE if triggers.asks_for_update(prompt) and _has_bank(state) else ""
    pieces = _fitting(state, prompt[:20_000], session)
    text, taken = fenced("Recalled for this prompt.", pieces, state.settings.prompt_tokens)
    return "\n\n".join(filter(None, (asked, text))), [piece.name for piece in taken]


def telling_words(text: str) -> list[str]:
    """The words of a text that say what it is about, each once, in small letters."""
    found = dict.fromkeys(_words(text))
    return [word for word in found if word not in STOP_WORDS and not word.isdigit()][:_MOST_WORDS]


def _words(text: str) -> "Iterator[str]":
    return (word for match in _WORD.finditer(text) for word in _parts(match.group().lower()))


def _parts(word: str) -> list[str]:
    """The word; pairs of its characters where no space parts words, as the index has them too."""
    if word.isascii() or max(word) < "\u2e80":
        return [word]
    return [word[at : at + 2] for at in range(len(word) - 1)] or [word]


def _has_bank(state: State) -> bool:
    return any(os.path.isdir(os.path.join(state.root, home)) for home in state.settings.homes("bank"))


def _fitting(state: State, prompt: str, session: str) -> list[FencedPiece]:
    words = telling_words(prompt)
    if not words:
        return []
    shown = {row[0] for row in state.db.execute("select name from shown where session = ?", (session,))}
    total = cardlist.look(state)
    index = lookup.opened(state)
    if index is None:
        return _from_cards(state, total, words, shown)
    try:
        found, known = _from_index(state, index.connection, words, shown), lookup.known(index.connection)
    except sqlite3.DatabaseError:
        return _from_cards(state, total, words, shown)  # an index that cannot be read is no index
    finally:
        index.close()
    rows = state.db.execute("select name, size, mtime from card")
    current = {row[0] for row in rows if known.get(row[0]) == row[1:]}
    return [*found, *_from_cards(state, total, words, shown | current)][:_MOST_HITS]


def _from_index(state: State, db: sqlite3.Connection, words: list[str], shown: set[str]) -> list[FencedPiece]:
    total, hits = lookup.counts(db, words)
    pieces: dict[tuple[str, int], FencedPiece] = {}
    for row in lookup.rows(state, db, ranked(total, hits)):
        source = f"{row.path}:{row.line}"
        if (source if row.dialect != "cards" else row.path) in shown or not (row.title or row.body):
            continue
        head = f"- {row.day} {line(row.title or row.path)} ({source})".replace("-  ", "- ")
        name = row.path if row.dialect == "cards" else source
        pieces.setdefault((row.path, row.line), FencedPiece(name, [head, *_snippet(row.body, words)]))
        if len(pieces) == _MOST_HITS:
            break
    return list(pieces.values())


def _from_cards(state: State, total: int, words: list[str], shown: set[str]) -> list[FencedPiece]:
    """By what cards say of themselves, where no index says more."""
    found = (name for name in ranked(total, cardlist.matching(state, [*map(_stem, words)])) if name not in shown)
    pieces = []
    for name in found:
        card = cardlist.named(state, name)
        if card and card.subject:
            pieces.append(FencedPiece(name, [cardlist.describe(card), *_snippet(_body(state, name), words)]))
        if len(pieces) == _MOST_HITS:
            break
    return pieces


def ranked(total: int, hits: "dict[str, set[T]]") -> "list[T]":
    """What has enough of the words to be worth saying, the best first. Rare words count for more than common ones."""
    weights = {word: log2(1 + total / len(found)) for word, found in hits.items()}
    scores: dict[T, float] = {}
    fitting: set[T] = set()
    for word, found in hits.items():
        # Two words, or one that few have.
        fitting |= found if len(found) <= max(2, total // 50) else found & scores.keys()
        for each in found:
            scores[each] = scores.get(each, 0.0) + weights[word]
    enough = 0.3 * sum(weights.values())
    worth = [each for each in fitting if scores[each] >= enough]
    return sorted(worth, key=lambda each: (-scores[each], each))[: _MOST_HITS * 3]


def _snippet(body: str, words: list[str]) -> list[str]:
    """The lines of a text that have most of the words, in their order."""
    stems = {_stem(word) for word in words}
    lines = [raw for raw in body[:_BODY].splitlines() if any(map(str.isalnum, raw))]
    scored = [(len(stems.intersection(map(_stem, _words(raw[:2000])))), raw) for raw in lines[:60]]
    best = sorted(range(len(scored)), key=lambda number: (-scored[number][0], number))
    chosen: list[int] = []
    length = 0
    for number in best[:4]:
        size = min(len(scored[number][1]), _SNIPPET)
        if (chosen and not scored[number][0]) or length + size > _SNIPPET:
            break
        chosen.append(number)
        length += size
    return [f"  > {line(scored[number][1])}" for number in sorted(chosen)]


def _body(state: State, name: str) -> str:
    try:
        with open(os.path.join(state.root, name), "rb") as file:
            text = file.read(_BODY).decode("utf-8", "replace")
    except OSError:
        return ""
    return text.partition("\n---")[2].partition("\n")[2]


def _stem(word: str) -> str:
    """Enough to let a plural meet its singular."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
