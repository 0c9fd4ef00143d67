"""Checking documents against the rules, and mending what can be mended.

`check` looks at documents together, so that rules which compare files have all of them. `fixed` gives the
text with all fixes made that may be, `mended` also says which; fixing that text again changes nothing.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from memdown import dialects
from memdown.acts.check.proof import compatible, proven
from memdown.acts.check.suppress import silence
from memdown.diagnostics import Diagnostic, Rule
from memdown.errors import Invalid, quote, way
from memdown.lazy import LazyModule
from memdown.record import Document
from memdown.text import Span, apply

if TYPE_CHECKING:
    from memdown.acts.check import rules
else:  # what is remembered needs none of them
    rules = LazyModule("memdown.acts.check.rules")

__all__ = ["Mended", "Selection", "all_rules", "check", "fixed", "mended", "selection", "unread"]

FAMILY = "VER"
"""How the codes of rules begin that look statements up in the code."""
MOST = 1000
"""Findings of one rule in one file that are told one by one."""

ROUNDS = 1000
"""A fix may uncover another finding. Real files take a handful of rounds; this only bounds what a hostile one costs."""


class Selection(Struct, frozen=True):
    """Which rules to apply: codes or beginnings of codes. Ignoring wins; nothing selected means all."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    """Texts that are no credentials, whatever the rules about these say."""
    profile: str | None = None
    """The profile of a journal, whose forms are allowed; None for none."""

    @property
    def verifies(self) -> bool:
        """Whether rules are selected that look statements up in the code and its history, which takes its time."""
        return any(each.startswith(FAMILY) or FAMILY.startswith(each) for each in self.select if each)

    def wants(self, code: str) -> bool:
        return (not self.select or code.startswith(self.select)) and not code.startswith(self.ignore or ("\0",))


def all_rules() -> list[Rule]:
    """Every rule there is, ordered by code."""
    return rules.all_rules()


def selection(
    select: Iterable[str] = (), ignore: Iterable[str] = (), allow: Iterable[str] = (), profile: str | None = None
) -> Selection:
    """A selection of codes that exist, in capitals or not."""
    chosen = Selection(
        tuple(code.upper() for code in select), tuple(code.upper() for code in ignore), tuple(allow), profile
    )
    # All rules are loaded only to look for codes that somebody gave.
    codes = [rule.code for rule in all_rules()] if chosen.select or chosen.ignore else []
    for code in chosen.select + chosen.ignore:
        if not code or not any(each.startswith(code) for each in codes):
            raise Invalid(f"No rule's code begins with {quote(code)}; see {way('explain')}.")
    return chosen


def check(
    documents: Sequence[Document],
    chosen: Selection,
    *,
    whole: bool = True,
    across: bool | None = None,
    hints: bool = True,
) -> list[Diagnostic]:
    """What is wrong with the documents, in the order of files and places; `whole` when they are all of the project.

    With `across`, only rules that compare files look at them, or only the others; without `hints`, those that find
    more than `info`.
    """
    by_rule = _found(documents, chosen, whole=whole, across=across, hints=hints)
    found = silence(documents, (_softened(each) for found in by_rule for each in _capped(found)))
    order = {doc.path: number for number, doc in enumerate(documents)}
    return sorted(found, key=lambda each: (order[each.path], each.span.start, each.code))


def _softened(found: Diagnostic) -> Diagnostic:
    """A warning about a file that was put away is info: nobody mends those."""
    if found.severity == "warning" and "archive" in found.path.lower() and not found.code.startswith("SEC"):
        return structs.replace(found, severity="info")
    return found


def _found(
    documents: Sequence[Document], chosen: Selection, *, whole: bool, across: bool | None = None, hints: bool = True
) -> Iterator[Iterator[Diagnostic]]:
    """What each rule finds, rule by rule."""
    for duties, subjects in _duties(documents, chosen.profile):
        for rule in duties:
            is_due = (whole or not rule.whole) and across in (None, rule.across) and (hints or rule.severity != "info")
            if is_due and chosen.wants(rule.code):
                found = rule.check(subjects)
                yield _not_allowed(found, subjects, chosen.allow) if rule.code.startswith("SEC") else found


def _not_allowed(
    found: Iterator[Diagnostic], documents: Sequence[Document], allow: Sequence[str]
) -> Iterator[Diagnostic]:
    """Findings about texts that the project does not allow."""
    texts = {doc.path: doc.text for doc in documents}
    return (each for each in found if each.span.of(texts[each.path]) not in allow)


def _duties(
    documents: Sequence[Document], profile: str | None = None
) -> Iterator[tuple[Sequence[Rule], Sequence[Document]]]:
    """Which rules look at which documents."""
    yield rules.RULES, documents
    for name in dialects.DIALECTS:
        own = [doc for doc in documents if doc.dialect == name]
        if own:
            yield dialects.rules(name, profile), own


def _capped(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """At most MOST a file, the last of which says how many more there are: a hostile file has millions."""
    path, count, last = None, 0, None
    for each in diagnostics:
        if each.path != path:
            yield from _more(last, count)
            path, count = each.path, 0
        count += 1
        last = each
        if count <= MOST:
            yield each
    yield from _more(last, count)


def _more(last: Diagnostic | None, count: int) -> Iterator[Diagnostic]:
    if last and count > MOST:
        message = f"{count - MOST} more places have this problem; this is the last one."
        yield Diagnostic(last.path, last.code, last.name, last.severity, message, last.span)


def unread(diagnostics: Iterable[Diagnostic]) -> list[Span]:
    """Where text belongs to no record because it could not be read."""
    codes = {rule.code for rule in all_rules() if rule.unread}
    return [each.span for each in diagnostics if each.code in codes]


class Mended(Struct, frozen=True):
    """A document after its fixes, and the findings that these were for, in the order they were made."""

    document: Document
    made: list[Diagnostic]


def fixed(doc: Document, chosen: Selection, parse: Callable[[str, str], Document], *, unsafe: bool = False) -> Document:
    """The document with every fix made that applies, round by round until none is left."""
    return mended(doc, chosen, parse, unsafe=unsafe).document


def mended(
    doc: Document,
    chosen: Selection,
    parse: Callable[[str, str], Document],
    *,
    unsafe: bool = False,
    hints: bool = True,
) -> Mended:
    """The same, with what was mended; without `hints`, only what is more than `info`."""
    rounds: list[tuple[str, list[Diagnostic]]] = [(doc.text, [])]
    while len(rounds) <= ROUNDS:
        by_rule = itertools.chain.from_iterable(_found([doc], chosen, whole=False, hints=hints))
        found = silence([doc], (_softened(each) for each in by_rule))
        due = [each for each in found if hints or each.severity != "info"]
        wanted = [each for each in due if each.fix and (each.fix.safe or unsafe)]
        edits, made = compatible(wanted if unsafe else _shown_safe(doc, wanted, parse))
        text = apply(doc.text, edits)
        if text == doc.text:
            break
        texts = [text for text, _ in rounds]
        if text in texts:
            # Two rules disagree and would go round for ever. One text of the circle is as good as another, but it has
            # to be the same one the next time.
            last = texts.index(min(texts[texts.index(text) :]))
            rounds = rounds[: last + 1]
            doc = parse(doc.path, texts[last])
            break
        rounds.append((text, made))
        doc = parse(doc.path, text)
    return Mended(doc, [each for _, made in rounds for each in made])


def _shown_safe(doc: Document, wanted: Sequence[Diagnostic], parse: Callable[[str, str], Document]) -> list[Diagnostic]:
    """Those of the findings whose fixes keep every value, or of which something else shows that they are safe."""
    evident = [each for each in wanted if each.fix and each.fix.evident]
    others = [each for each in wanted if each.fix and not each.fix.evident]
    return [*evident, *proven(doc, others, parse)]
