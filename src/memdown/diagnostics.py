"""What is wrong with a text, as data: where, which rule says so, how sure, and how to mend it.

A rule is a function from a document to findings. Its name is the rule's name, its docstring is the
rule's manual page, and the examples on that page are its tests (see tests/test_rules.py).
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from msgspec import Struct

from memdown.errors import quote
from memdown.lazy import LazyModule
from memdown.patterns import lazy
from memdown.record import Document
from memdown.text import Edit, Span

if TYPE_CHECKING:
    import textwrap
else:  # only a rule's page needs it
    textwrap = LazyModule("textwrap")

SEVERITIES = ("error", "warning", "info")

_EXAMPLE = lazy(
    r"^(?P<name>Bad|Good|and)(?: \((?P<kind>[^()\n]+)\)| (?P<path>[^\s()]+))?:\n(?P<text>(?:\n*^    .*\n?)+)\n*",
    re.MULTILINE,
)
_TICKS = lazy(r"^`{3,}", re.MULTILINE)


class Fix(Struct, frozen=True):
    """How to mend a finding. A safe fix keeps what the file says; an unsafe one may not, so a person asks for it."""

    description: str
    edits: tuple[Edit, ...]
    safe: bool = True
    evident: bool = False
    """Whether something else than the values of records shows that it is safe: git says that a file was renamed."""


class Saving(Struct, frozen=True):
    """What would make a file shorter."""

    does: str
    """What to do, a sentence without its period."""
    tokens: int
    """About how many it saves."""


class Finding(Struct, frozen=True):
    """What a rule yields: a place, a sentence, perhaps a fix."""

    span: Span
    message: str
    fix: Fix | None = None
    severity: str | None = None
    """When it is another than the rule's own."""
    saving: Saving | None = None


class Diagnostic(Struct, frozen=True):
    """A finding with the rule and the file it belongs to."""

    path: str
    code: str
    name: str
    severity: str
    message: str
    span: Span
    fix: Fix | None = None
    saving: Saving | None = None


class Rule(Struct, frozen=True):
    """One check that has a code, a page and two examples."""

    code: str
    name: str
    severity: str
    about: str
    """A sentence, why it matters, a bad and a good example, as the docstring has them."""
    unread: bool
    """Whether text under its findings belongs to no record."""
    find: Callable[[Sequence[Document]], Iterator[tuple[Document, Finding]]]
    """Findings over the given documents; a rule about one file at a time looks at each by itself."""
    across: bool
    """Whether it compares files, and so needs all of them."""
    whole: bool = False
    """Whether it tells what is missing, and so says nothing where only some files are looked at."""

    @property
    def page(self) -> str:
        """The same as Markdown: its manual page."""
        first, _, rest = self.about.partition("\n")
        return _EXAMPLE.sub(_section, f"{first}\n{textwrap.dedent(rest)}").strip()

    def check(self, documents: Sequence[Document]) -> Iterator[Diagnostic]:
        for document, finding in self.find(documents):
            severity = finding.severity or self.severity
            message, span, fix, saving = finding.message, finding.span, finding.fix, finding.saving
            yield Diagnostic(document.path, self.code, self.name, severity, message, span, fix, saving)


def rule(
    code: str, severity: str, *, unread: bool = False
) -> Callable[[Callable[[Document], Iterable[Finding]]], Rule]:
    """Make a function of one document a rule."""

    def make(check: Callable[[Document], Iterable[Finding]]) -> Rule:
        def find(documents: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
            return ((document, finding) for document in documents for finding in check(document))

        return _named(code, severity, check, unread=unread, across=False, find=find)

    return make


def rule_across(
    code: str, severity: str, *, whole: bool = False
) -> Callable[[Callable[[Sequence[Document]], Iterator[tuple[Document, Finding]]]], Rule]:
    """Make a function of all documents a rule."""

    def make(find: Callable[[Sequence[Document]], Iterator[tuple[Document, Finding]]]) -> Rule:
        return _named(code, severity, find, unread=False, across=True, find=find, whole=whole)

    return make


def _named(
    code: str,
    severity: str,
    source: Callable[..., object],
    *,
    unread: bool,
    across: bool,
    find: Callable[[Sequence[Document]], Iterator[tuple[Document, Finding]]],
    whole: bool = False,
) -> Rule:
    if severity not in SEVERITIES:
        raise ValueError(f"{code}: severity {severity!r} is not one of {', '.join(SEVERITIES)}")
    name = source.__name__.replace("_", "-")
    return Rule(code, name, severity, source.__doc__ or "", unread, find, across, whole)


def rules_of(*modules: ModuleType) -> tuple[Rule, ...]:
    """The rules that modules define, in their order."""
    return tuple(each for module in modules for each in vars(module).values() if isinstance(each, Rule))


def shown_at(doc: Document, span: Span) -> str:
    """The text a finding is about, as a message may show it: its first line, without a credential."""
    return quote(span.of(doc.text).strip().partition("\n")[0].rstrip())


def first_line(doc: Document) -> Span:
    """Where a finding about something absent points."""
    return doc.lines.span(0) if len(doc.lines) else Span(0, 0)


def _section(match: re.Match[str]) -> str:
    """An example as a section of a page: `Bad:`, `Good notes.md:` or `and (bytes):`, with its text indented below."""
    text = textwrap.dedent(match["text"]).rstrip("\n")
    kind = match["kind"] or " ".join(filter(None, ("markdown", match["path"])))
    ticks = max(map(len, _TICKS.findall(text)), default=2)
    fence = "`" * max(ticks + 1, 3)
    heading = "" if match["name"] == "and" else f"## {match['name']}\n\n"
    return f"{heading}{fence}{kind}\n{text}\n{fence}\n\n"
