"""Which words of a text are really one that was asked for.

The full-text index holds stems, and those of short words meet by chance: "one" is "on" to it, "use" is "us", "IDE" is
"id". What it finds by such a stem counts only where the text has the word itself or a form of it.
"""

from functools import cache

from memdown.patterns import lazy

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    import re
    import sqlite3
    from collections.abc import Iterable

_SHORT = 2
"""Letters of a stem that other words have by chance."""
_LONGEST = 6
"""Letters of a word that may have such a stem: `adding` has a longer one already."""
_NO_PLURALS = frozenset("aws dns gas ios lens news sms this yes".split())
"""Words that end in s and are not more than one of what stands before it."""
_VOWELS = "aeiou"
_SIBILANTS = ("s", "x", "z", "ch", "sh")
_RUN = lazy(r"[^\W_]+")
_PHRASE = lazy(r'"((?:[^"]|"")*)"(\*?)')
COLUMNS = ("title", "tags", "summary", "body", "about", "dated", "parts")
"""What the full-text index has of a record."""
_TEXTS = f"select rowid, {', '.join(COLUMNS)} from words where words match ?"


@cache
def pattern(match: str) -> "re.Pattern[str] | None":
    """What a text has to have for which phrases of the full-text index stand; None where finding one is enough.

    `match` is one phrase, or several with OR between them.
    """
    word = match.strip('"*')
    if word.isalnum() and not is_ambiguous(word.casefold()):  # as most are, with no regular expression
        return None
    phrases = [([run.casefold() for run in _RUN.findall(text)], bool(star)) for text, star in _PHRASE.findall(match)]
    if not any(is_ambiguous(run) for runs, _ in phrases for run in runs):
        return None
    spelled = (r"[\W_]+".join(map(_spelled, runs)) + (r"[^\W_]*" if star else "") for runs, star in phrases if runs)
    return lazy(rf"(?i)(?<![^\W_])(?:{'|'.join(spelled)})(?![^\W_])")


def misread(db: "sqlite3.Connection", match: str) -> set[int]:
    """The records that the full-text index finds by the stem of another word."""
    real = pattern(match)
    if real is None:
        return set()
    return {rowid for rowid, *texts in db.execute(_TEXTS, (match,)) if not has(real, texts)}


def has(real: "re.Pattern[str]", texts: "Iterable[str | None]") -> bool:
    """Whether one of some texts has what was asked for."""
    return any(text is not None and real.search(text) is not None for text in texts)


def _spelled(run: str) -> str:
    """Text of a pattern for a word of a phrase: any word, where the stem tells it well enough."""
    return f"(?:{'|'.join(sorted(forms(run)))})" if is_ambiguous(run) else r"[^\W_]+"


def is_ambiguous(word: str) -> bool:
    """Whether other words have its stem by chance."""
    if not (word.isascii() and word.isalpha()) or not 1 < len(word) <= _LONGEST:
        return False
    if word in _NO_PLURALS or f"{word}s" in _NO_PLURALS:
        return True
    return any(len(base.removesuffix("e")) <= _SHORT and base[0] in _VOWELS for base in _bases(word))


def forms(word: str) -> set[str]:
    """A word, what it is a form of, and the other forms of that."""
    return {word}.union(*map(_inflected, _bases(word))) - (_NO_PLURALS - {word})


def _inflected(base: str) -> set[str]:
    """The regular forms of a word."""
    root = base.removesuffix("e")
    plural = f"{base}es" if base.endswith((*_SIBILANTS, "o")) else f"{base}s"
    if len(base) <= _SHORT and base[-1] not in _VOWELS:  # no verb: `us`, `id`
        return {base, f"{base}s"} if base != "us" else {base}
    return {base, f"{base}s", plural, f"{root}ed", f"{root}ing", f"{base}ing"}


def _bases(word: str) -> set[str]:
    """What a word may be a form of; itself, where it has no ending."""
    found: set[str] = set()
    if word not in _NO_PLURALS:
        for ending in ("s", "es", "d", "ed", "ing"):
            base = word.removesuffix(ending)
            if base != word and base:
                found.update(each for each in (base, f"{base}e") if word in _inflected(each) and len(each) > 1)
    return found or {word}
