"""What a text costs an assistant to read: an estimate in tokens that needs no vocabulary, no network and no time.

A token is, nearly always, one of the pieces that the pattern counts. Over real memory half of all files are within
4 % of what a real tokenizer says, nine in ten within 10 % (docs/tokens.md has the table, bench/tokens.py makes it).
"""

from collections.abc import Callable
from importlib import import_module

from memdown.errors import Invalid, installing
from memdown.patterns import lazy

Count = Callable[[str], int]

_WORDS = r"[A-Z]?[a-z]{1,12}|[A-Z]{1,4}|[0-9]{1,3}|"
# A single space belongs to the word after it.
_SIGNS = r"[\r\n]+[ \t]*|[ \t]{2,}|[^\sA-Za-z0-9]{1,2}"
# Chinese, Japanese, Korean: about a token a character; of other scripts, and of emoji, up to three are one.
_SCRIPTS = r"[\u3000-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]|[^\x00-\x7f]{1,3}|"
_PIECE = lazy(_WORDS + _SCRIPTS + _SIGNS)
# The same for texts without such characters: classes as wide as those take a hook's start longer than all else it does.
_ASCII_PIECE = lazy(_WORDS + _SIGNS)
_AT_ONCE = 1 << 16
"""Characters looked at together, so that counting a huge file does not hold all its pieces."""


def estimate(text: str) -> int:
    """About how many tokens a text has; never fewer than one for a text that is not blank."""
    piece = _ASCII_PIECE if text.isascii() else _PIECE
    return sum(len(piece.findall(text, at, at + _AT_ONCE)) for at in range(0, len(text), _AT_ONCE))


def exact(vocabulary: str = "o200k_base") -> Count:
    """Counting as a real tokenizer does, for which the extra `tokens` has to be installed.

    Whoever takes a `Count` works with either. Rules and limits use the estimate, so that they say the same everywhere.
    """
    try:
        tokenizer = import_module("splintr").Tokenizer.from_pretrained(vocabulary)
    except ImportError:
        raise Invalid(f"Exact counts need a tokenizer; install it with {installing('tokens')}.") from None
    return lambda text: len(tokenizer.encode(text.encode("utf-8", "replace").decode()))
