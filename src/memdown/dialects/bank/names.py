"""What the sections of a bank and the fields of a decision are called in real files: other words, ten other languages.

They are in names.json: English first, then Chinese, Russian, Japanese, Korean, French, Spanish, Portuguese, German,
Turkish, Vietnamese.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache

import msgspec

from memdown.dialects.bank.templates import Layer
from memdown.lazy import beside
from memdown.patterns import lazy

_NUMBER = lazy(r"^(?:§ ?)?(?:\d{1,3}(?:\.\d{1,3}){0,3}[.):、]?|[IVX]{1,4}\.)\s+")
_PARENTHESIS = lazy(r"(?<!\s)\s*[(（\[]([^()（）\[\]]*)[)）\]]")
_PART_END = lazy(r"[:：]|\s[-–—]+\s|--+")

STATES: Mapping[str, str] = {
    "Completed": "done",
    "In Progress": "in-progress",
    "Known Issues": "issue",
    "Technical Debt": "debt",
    "Upcoming": "upcoming",
    "Open Questions": "question",
    "Blockers": "blocker",
    "Next Steps": "upcoming",
}
"""What an item of a section is when it has no mark of its own."""


class NameTables(msgspec.Struct, frozen=True):
    """By the template's names, what else a thing is called."""

    sections: dict[str, dict[str, list[str]]]
    """The sections of each file of a bank."""
    fields: dict[str, list[str]]
    """The fields of a decision."""
    work: list[str]
    """Words for what is worked on, which say nothing of which list it is in."""


def folded(title: str) -> str:
    """A heading for comparing: no capitals, marks or pictures, one space between words."""
    kept = (char if _counts(char) else " " for char in unicodedata.normalize("NFC", title).lower())
    return " ".join("".join(kept).replace("’", "'").split())


def _counts(char: str) -> bool:
    return (unicodedata.category(char)[0] in "LNM" and char not in "\ufe0f\u200d") or char in "'’/&-"


@cache
def tables() -> NameTables:
    """The names of names.json."""
    return msgspec.json.decode(beside(__file__, "names.json"), type=NameTables)


def by_spelling(table: Mapping[str, list[str]]) -> dict[str, str]:
    """The template's names by every name there is for them, folded."""
    return {folded(name): own for own, others in table.items() for name in (own, *others)}


@cache
def _known(file: str) -> Mapping[str, str]:
    """The sections of a file by every spelling; in lists of work also by what is left of one without such words."""
    known = by_spelling(tables().sections.get(file, {}))
    return {_bare(name): own for name, own in reversed(known.items())} | known if file in _ORDER else known


@cache
def _work() -> re.Pattern[str]:
    """A word for work: whole where words have spaces between them, anywhere in Chinese and Japanese."""
    words = sorted(tables().work, key=len, reverse=True)
    return re.compile("|".join(re.escape(word) if word > "\u2e80" else rf"\b{word}\b" for word in words))


def _bare(spelling: str) -> str:
    """What a spelling says besides that it is about work: In Progress Features, Tasks in Progress, 進行中の作業."""
    return " ".join(_work().sub("", spelling).split()).rstrip("の的")


_ORDER: Mapping[str, tuple[str, ...]] = {
    "activeContext.md": ("activeContext.md", "progress.md"),
    "progress.md": ("progress.md", "activeContext.md"),
}


def canonical(title: str, layer: Layer | None) -> str | None:
    """The template's section that a heading stands for in a layer; other files have those of progress and context."""
    tables = _ORDER.get(layer.file, (layer.file,)) if layer else ("progress.md", "activeContext.md")
    spellings = [*_spellings(title)]
    for spelling in (*spellings, *(bare for each in spellings if (bare := _bare(each)) not in ("", each))):
        for file in tables:
            if spelling in _known(file):
                return _known(file)[spelling]
    return None


def of_layer(title: str, layer: Layer) -> str | None:
    """The same, but only a section of this layer's own template."""
    known = _known(layer.file)
    return next((known[spelling] for spelling in _spellings(title) if spelling in known), None)


def _spellings(title: str) -> Iterator[str]:
    """A heading whole, without its number; without what is in parentheses; what is in them; what is before a colon."""
    bare = _NUMBER.sub("", title.strip().strip("*_ "))
    yield folded(bare)
    outside = _PARENTHESIS.sub("", bare)
    if outside != bare:
        yield folded(outside)
        yield from (folded(match[1]) for match in _PARENTHESIS.finditer(bare))
    end = _PART_END.search(outside, 2)
    if end:
        yield folded(outside[: end.start()])


def resembles(title: str, layer: Layer) -> bool:
    """Whether a heading has one of the names of the layer's sections in it, among other words."""
    words = f" {folded(title)} "
    return any(
        f" {name} " in words if name.isascii() else name in words for name in _known(layer.file) if len(name) > 2
    )
