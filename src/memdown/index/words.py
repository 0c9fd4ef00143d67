"""Words beyond those a tokenizer sees: parts of camelCase names, pairs of characters where no space parts words.

The tokenizer of the index cuts at everything that is not a letter or a digit, so `user_by_id` is three words to it, but
`getUserById` is one, and so is a whole Japanese sentence. What `parts` adds for them stands in a column of its own, so
that phrases hold there too. Indexing and asking cut alike. All of it is linear.
"""

import re

from memdown.lazy import LazyModule
from memdown.patterns import lazy

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    import unicodedata
else:
    unicodedata = LazyModule("unicodedata")

RULED = "-*_=# \t\r\n"
"""What lines are made of that only divide a text."""

# A byte a character: searching bytes for "aA" is many times faster than a regular expression over the text.
_CLASSES = b" " * 48 + b"a" * 10 + b" " * 7 + b"A" * 26 + b" " * 4 + b"_ " + b"a" * 26 + b" " * 133
_HUMPS = (b"aA", b"AAaa")
_PIECE = lazy(r"[A-Z]+(?=[A-Z][a-z]{2})|[A-Z]+[a-z0-9]*|[a-z0-9]+", re.ASCII)
_CJK = "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_CJK += "\uff66-\uff9f\U00020000-\U0003ffff"
_RUNS = lazy(rf"([{_CJK}]+)|([^\W{_CJK}]+)")
_UNSPACED = lazy(rf"[{_CJK}]")
_WIDE = lazy(r"[\uff01-\uff5e\uff66-\uff9f\u1100-\u11ff]")


_METADATA = frozenset(
    "agent artifact author authority branch by captured confidence contributors created date decider deciders effective"
    " expires id owner participants principle priority recorded ref related reviewer role scope status supersedes tags"
    " time timestamp type updated when".split()
) | {
    *("approved by", "captured by", "decided by", "decision maker", "decision owner", "implemented by", "last updated"),
    *("proposed by", "recorded by", "replaces", "requested by", "reviewed by", "superseded by"),
}
_NUMBERED = ("issue", "issues", "pr")
"""Labels of lines that say nothing of what was decided."""


def labelled(line: str) -> tuple[str, str]:
    """What a line names before its colon, in lower case, and what it says of that; no name where it has none."""
    head, colon, rest = line.partition(":")
    if not colon:
        return "", line
    label = head.lstrip("-+> ").rstrip()
    marks = label[: len(label) - len(label.lstrip("*"))]
    if marks and not label.endswith(marks):  # which end behind the colon, or behind all that is said
        rest = rest.removeprefix(marks) if rest.startswith(marks) else rest.rstrip().removesuffix(marks)
    return label.replace("*", "").strip().lower(), rest


def is_metadata(line: str) -> bool:
    """Whether a line is a field that says nothing of the matter, as `- **Date**: 2026-01-31`."""
    label, rest = labelled(line)
    return label in _METADATA or (label in _NUMBERED and rest.lstrip().startswith(("#", "http")))


def parts(text: str) -> str:
    """What to index beside a text, so that its names and its unspaced writing are found by their parts."""
    found = [" ".join(_PIECE.findall(name)) for name in _camels(text)]
    if not text.isascii():
        found += _unspaced(text)
    return " ".join(found)


def spellings(word: str) -> list[str]:
    """The phrases any of which stands for a word in a question; one that ends in `*` stands for a beginning.

    `userById` is itself or "user By Id"; a word that has Japanese or Chinese is the pairs of its characters.
    """
    plain = word
    if not word.isascii():
        plain = unicodedata.normalize("NFKC", word) if _WIDE.search(word) else word
        if _UNSPACED.search(plain):
            return [phrase for match in _RUNS.finditer(plain) for phrase in _phrases(match)]
    humped = any(hump in _classes(plain) for hump in _HUMPS)
    return [plain, " ".join(_PIECE.findall(plain))] if humped else [plain]


def spelled(text: str) -> list[str]:
    """Each spelling of a text, quoted for the full-text index."""
    return [quoted(each[:-1]) + "*" if each.endswith("*") else quoted(each) for each in spellings(text)]


def quoted(text: str) -> str:
    """A text as the full-text index reads it: nothing in it is an operator."""
    return '"' + text.replace('"', '""') + '"'


def _phrases(run: re.Match[str]) -> list[str]:
    if run[1] is None:
        return spellings(run[2])
    return [" ".join(_pairs(run[1]))] if len(run[1]) > 1 else [f"{run[1]}*"]


def _classes(text: str) -> bytes:
    return text.encode("latin-1", "replace").translate(_CLASSES)


def _camels(text: str) -> list[str]:
    """Names with a hump: a capital behind a small letter, or a word behind capitals."""
    classes = _classes(text)
    found: dict[int, int] = {}
    for hump in _HUMPS:
        at = classes.find(hump)
        while at >= 0:
            start, end = classes.rfind(b" ", 0, at) + 1, classes.find(b" ", at)
            end = end if end >= 0 else len(classes)
            found[start] = end
            at = classes.find(hump, end)
    return [text[start:end] for start, end in found.items()]


def _unspaced(text: str) -> list[str]:
    """Pairs of neighbours, each run's last character alone, and the words that stand among them without a space."""
    plain = unicodedata.normalize("NFKC", text) if _WIDE.search(text) else text
    if not _UNSPACED.search(plain):
        return [] if plain is text else [plain]
    found: list[str] = []
    for match in _RUNS.finditer(plain):
        run = match[1]
        if run is not None:
            found += _pairs(run)
            found.append(run[-1])
        elif plain is not text or _touches(plain, match):
            found.append(match[2])
    return found


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]


def _touches(text: str, word: re.Match[str]) -> bool:
    """Whether a word has unspaced writing right before or behind it, so that the tokenizer sees them as one."""
    around = text[max(word.start() - 1, 0) : word.start()] + text[word.end() : word.end() + 1]
    return _UNSPACED.search(around) is not None
