"""Which files have what somebody asks for, told from their bytes, so that these are parsed first."""

from collections import Counter
from collections.abc import Sequence

_MARKUP = b"`*_[]\\"
"""What may stand within a text that a title has without it."""


class Wanted:
    """The texts that are asked for, and the files that were seen to have some of them."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = [_spellings(text) for text in dict.fromkeys(texts) if text.strip()]
        self._found: dict[str, list[int]] = {}

    def __bool__(self) -> bool:
        return bool(self._texts)

    def look(self, name: str, data: bytes) -> None:
        """See which of the texts a file has."""
        bare = _bare(data)
        self._found[name] = [
            number for number, spellings in enumerate(self._texts) if any(each in bare for each in spellings)
        ]

    def sort(self, names: list[str]) -> None:
        """Put those first that have most of it. What few files have says more, and so does a text of many words."""
        files = Counter(number for numbers in self._found.values() for number in numbers)
        weights = {number: (1 + self._texts[number][0].count(b" ")) / count for number, count in files.items()}
        scores = {name: sum(map(weights.__getitem__, numbers)) for name, numbers in self._found.items()}
        names.sort(key=lambda name: -scores.get(name, 0.0))


def _bare(data: bytes) -> bytes:
    return data.translate(None, _MARKUP).lower()


def _spellings(text: str) -> tuple[bytes, ...]:
    """A text as it stands, and in small letters: of bytes, only those of ASCII are lowered."""
    return tuple(dict.fromkeys(_bare(each.strip().encode("utf-8", "surrogatepass")) for each in (text, text.lower())))
