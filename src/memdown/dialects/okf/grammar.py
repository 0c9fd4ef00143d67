"""What a bundle is made of: names, keys, patterns, and the front matter of a concept as values with their places."""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from memdown import homes, times
from memdown.dialects.okf import KINDS
from memdown.markdown import blocks, frontmatter
from memdown.markdown.frontmatter import FrontMatter, FrontMatterEntry, FrontMatterValue
from memdown.patterns import lazy
from memdown.text import Span

HOMES = homes.HOMES["okf"]
VERSION = "0.2"
INDEX, LOG = "index.md", "log.md"
"""Names that no concept has."""

TYPES = {"adr": "decision", "architecture decision record": "decision", "decision record": "decision"}
"""Types that mean a kind by another name; a type that no kind has is a note's."""

STATUSES = ("draft", "stable", "deprecated")
COMPUTATION = "attested computation"

ACTOR = lazy(r"(?:human|process):\S.*|[^\s/:]+/\S.*")
DATE = lazy(r"\d{4}-\d{2}-\d{2}", re.ASCII)
FOOTNOTE = lazy(r"(^[ ]{0,3})?\[\^([^\]\[\s]{1,200})\](:?)", re.MULTILINE)
_URI = lazy(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
# A piece of code in back-ticks is taken as a whole, so that what looks like a link in it is none.
_LINK = lazy(r"`[^`\n]*`|\]\([ \t]*<?([^\s()<>]+)>?(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?[ \t]*\)")


class Concept(Struct, frozen=True):
    """The front matter of a concept, and where its body begins."""

    front: FrontMatter | None
    body: int
    values: Mapping[str, FrontMatterValue]
    """By key; of a key that is there twice, the first counts."""

    def text(self, *keys: str) -> str:
        """A scalar, by the keys that lead to it; empty when it is absent, or no scalar."""
        return scalar(self.at(*keys))

    def at(self, *keys: str) -> FrontMatterValue | None:
        """The value that keys lead to."""
        entries: Mapping[str, FrontMatterValue] = self.values
        found = None
        for key in keys:
            found = entries.get(key)
            entries = members(found) if found else {}
        return found

    def mappings(self, key: str) -> list[Mapping[str, FrontMatterValue]]:
        """A list of mappings; a bare one counts as a list of one."""
        value = self.values.get(key)
        if value is None:
            return []
        return [members(each) for each in (value.items or (value,)) if each.entries]

    @property
    def is_readable(self) -> bool:
        """Whether anything is known of its keys."""
        return self.front is not None and (
            bool(self.front.entries)
            or not any(problem.kind in ("unclosed", "too-large", "syntax") for problem in self.front.problems)
        )

    @property
    def trust(self) -> str:
        """The tier: by who confirmed what it says."""
        actors = [scalar(each.get("by")) for each in self.mappings("verified")]
        if not actors:
            return "unverified"
        return "human-reviewed" if any(each.startswith("human:") for each in actors) else "machine-confirmed"


def concept(text: str) -> Concept:
    """The front matter a text begins with, if it has any."""
    front = frontmatter.read(text)
    return Concept(front, front.body if front else 0, _by_key(front.entries) if front else {})


def members(value: FrontMatterValue) -> Mapping[str, FrontMatterValue]:
    """What a mapping holds."""
    return _by_key(value.entries)


def _by_key(entries: Sequence[FrontMatterEntry]) -> Mapping[str, FrontMatterValue]:
    found: dict[str, FrontMatterValue] = {}
    for entry in entries:
        found.setdefault(entry.key, entry.value)
    return found


def scalar(value: FrontMatterValue | None) -> str:
    return (value.text or "").strip() if value else ""


def kind_of(type: str) -> str:
    """The kind of a concept by its type."""
    known = TYPES.get(type.casefold(), type.casefold())
    return known if known in KINDS else "note"


def moment(text: str) -> times.Moment | None:
    """An instant: a date and time whose offset is known."""
    found = times.read(text) if text else None
    if not found or found.offset is None or (found.zone.isalpha() and found.offset):
        return None
    return found if "T" in text.upper() else None


# Paths


def name_of(path: str) -> str:
    return path.rpartition("/")[2]


def append_only(path: str) -> tuple[str, ...]:
    """The kinds of records that never leave a file: the days of a log."""
    return ("log",) if name_of(path) == LOG else ()


def holds(names: Sequence[str], text_of: Callable[[str], str]) -> bool:  # noqa: ARG001 - their names tell
    """Whether a folder of the usual name is a bundle: one lists what it holds."""
    return INDEX in names


def is_reserved(path: str) -> bool:
    return name_of(path) in (INDEX, LOG)


def id_of(path: str) -> str:
    """A concept's id in its project: the path of its file without the ending, bundle included."""
    return path.removesuffix(".md")


def bundle_of(path: str, canonical_path: str | None = None) -> str:
    """The folder that `/` in a link stands for; `canonical_path` is where the file would be in a known home."""
    expected = canonical_path or path
    known = next((home for home in HOMES if expected.startswith(f"{home}/")), None)
    if known and path == expected[len(known) + 1 :]:
        return ""  # the project is the bundle
    if known and path.endswith(expected[len(known) :]):
        return path.removesuffix(expected[len(known) :])
    return path.rpartition("/")[0].partition("/")[0]


def place_of(path: str, target: str, bundle: str, *, from_bundle: bool = False) -> str | None:
    """The path that a link in a file names, relative to the project; None for an address on the web or outside.

    `from_bundle` is for paths in front matter, which begin at the bundle's folder where links begin at the file's.
    """
    target = target.partition("#")[0].partition("?")[0].replace("%20", " ")
    if not target or _URI.match(target):
        return None
    rooted = target.startswith("/") or (from_bundle and not target.startswith("."))
    base = bundle if rooted else path.rpartition("/")[0]
    place = posixpath.normpath(posixpath.join(base, target.lstrip("/")))
    if target.endswith("/"):
        place = f"{place}/{INDEX}"
    return None if place.startswith("..") else place


# Bodies


def links(text: str, start: int) -> Iterator[tuple[str, Span]]:
    """The targets of Markdown links behind a place, but for those in code."""
    code = _code(text, start)
    for match in _LINK.finditer(text, start):
        if match[1] and not _inside(match.start(), code):
            yield match[1], Span(*match.span(1))


def footnotes(text: str, start: int) -> Iterator[tuple[str, Span, bool]]:
    """The labels of footnotes behind a place, and whether each is explained there."""
    code = _code(text, start)
    for match in FOOTNOTE.finditer(text, start):
        if not _inside(match.start(), code):
            yield match[2], Span(match.start(2) - 2, match.end(2) + 1), match[1] is not None and match[3] == ":"


def _code(text: str, start: int) -> list[Span]:
    return [block.span for block in blocks.scan(text, start) if block.kind in ("fence", "code")][::-1]


def _inside(offset: int, code: list[Span]) -> bool:
    """Whether an offset is in code; asked in the order of the text, so that what lies behind is dropped."""
    while code and code[-1].end <= offset:
        code.pop()
    return bool(code) and code[-1].start <= offset


def joined(parts: Sequence[str]) -> str:
    return " ".join(part for part in parts if part)
