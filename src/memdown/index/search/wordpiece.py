"""Text cut into the pieces that the model of meaning knows: lower case, no accents, the longest known piece first."""

import unicodedata
from collections.abc import Iterator, Sequence

UNKNOWN, START, END = "[UNK]", "[CLS]", "[SEP]"
_LONGEST_WORD = 100
_MORE = 16
"""Characters that a piece may have: more of a text than this for each piece is not looked at."""
_IDEOGRAPHS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2FA1F))


class WordPiece:
    """Cuts text by a vocabulary, one piece for each number."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}
        self._unknown, self._start, self._end = (self._numbers[each] for each in (UNKNOWN, START, END))

    def numbers(self, text: str, limit: int) -> list[int]:
        """The numbers of the first pieces, at most `limit` with those that mark both ends."""
        found: list[int] = []
        for word in _words(text[: limit * _MORE]):
            found += self._pieces(word)
            if len(found) >= limit - 2:
                break
        return [self._start, *found[: limit - 2], self._end]

    def _pieces(self, word: str) -> list[int]:
        """A word that cannot be put together is unknown as a whole."""
        if len(word) > _LONGEST_WORD:
            return [self._unknown]
        found: list[int] = []
        at, before = 0, ""
        while at < len(word):
            ends = range(len(word), at, -1)
            end = next((end for end in ends if before + word[at:end] in self._numbers), None)
            if end is None:
                return [self._unknown]
            found.append(self._numbers[before + word[at:end]])
            at, before = end, "##"
        return found


def _words(text: str) -> Iterator[str]:
    plain = unicodedata.normalize("NFD", text.lower())
    return iter("".join(map(_spaced, plain)).split())


def _spaced(char: str) -> str:
    """A character as it stands in words: signs and ideographs are words of their own, accents and controls nothing."""
    if char.isascii():
        if char.isalnum() or char.isspace():
            return char
        return f" {char} " if char.isprintable() else ""
    kind = unicodedata.category(char)
    if kind == "Mn" or char == "\ufffd" or kind in ("Cc", "Cf", "Cs", "Co", "Cn"):
        return ""
    if kind.startswith("P") or any(first <= ord(char) <= last for first, last in _IDEOGRAPHS):
        return f" {char} "
    return " " if kind == "Zs" else char
