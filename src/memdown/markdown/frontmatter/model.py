"""What front matter is made of: values, entries, problems, and the block that holds them."""

from msgspec import Struct

from memdown.text import Span

MAX_LENGTH = 65536
"""Characters of front matter that are read at all; real blocks have a few hundred."""

MAX_DEPTH = 50
"""Lists and maps inside each other, the top-level map counted as one."""


class FrontMatterValue(Struct, frozen=True, gc=False):
    """A scalar, a list or a map, and the characters it is written with. Nothing is typed: `1.10` is text.

    `style` is one of
    - `plain`, `single`, `double`, `folded`, `literal`: scalars; the span holds quotes and indicators, and a
      block scalar ends with its last line that is not blank;
    - `empty`: nothing is written; the span is empty and lies right after the colon or the dash;
    - `raw`: what YAML does not read as a value of its own (`*.ts`, `"a", "b"`, an anchor, an alias, a tag),
      as it stands in the file; a problem says why;
    - `list` and `map`: block collections, from the first dash or key; `flow` and `flow-map`: `[]` and `{}`.
    """

    span: Span
    style: str
    text: str | None = None
    """The value of a scalar, `""` when empty; None for lists and maps."""
    items: tuple["FrontMatterValue", ...] = ()
    entries: tuple["FrontMatterEntry", ...] = ()


class FrontMatterEntry(Struct, frozen=True, gc=False):
    """One key with its value; the span goes from the key to the end of the last line, comment included."""

    key: str
    key_span: Span
    value: FrontMatterValue
    span: Span


class Problem(Struct, frozen=True, gc=False):
    """What is wrong at a place.

    `kind` is one of unclosed, syntax, duplicate-key, anchor, alias, tag, merge, character, too-large and
    too-deep.
    """

    kind: str
    message: str
    span: Span


class FrontMatterBlock(Struct, frozen=True):
    """What a reader found between the fences."""

    entries: tuple[FrontMatterEntry, ...]
    problems: tuple[Problem, ...] = ()


class FrontMatter(Struct, frozen=True):
    """The block at the top of a text."""

    span: Span
    """From the opening fence (a byte order mark before it left out) to the end of the closing line."""
    inner: Span
    """The lines between the fences."""
    body: int
    """Where the text after the front matter begins."""
    entries: tuple[FrontMatterEntry, ...] = ()
    problems: tuple[Problem, ...] = ()

    def get(self, key: str) -> FrontMatterEntry | None:
        """The first entry with this key."""
        for entry in self.entries:
            if entry.key == key:
                return entry
        return None

    def faults(self) -> list[Problem]:
        """Where it is no YAML, so that other tools drop all of it; its values are only guessed."""
        return [problem for problem in self.problems if problem.kind in _FAULTS]


_FAULTS = frozenset(("unclosed", "syntax", "character", "too-large", "too-deep"))


def duplicates(entries: tuple[FrontMatterEntry, ...]) -> list[Problem]:
    """A problem for each key of one map that an earlier entry has."""
    seen: set[str] = set()
    problems = []
    for entry in entries:
        if entry.key in seen:
            shown = entry.key if len(entry.key) <= 40 else entry.key[:39] + "…"
            problems.append(Problem("duplicate-key", f"the key {shown!r} is set above", entry.key_span))
        seen.add(entry.key)
    return problems
