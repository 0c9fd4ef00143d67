"""Rules about the form of a bundle: front matter and type of concepts, and the two reserved files."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from memdown.diagnostics import Finding, Fix, first_line, rule, rule_across, shown_at
from memdown.dialects.okf import grammar
from memdown.dialects.okf.grammar import Concept
from memdown.dialects.okf.listing import entries, log_days
from memdown.errors import quote
from memdown.markdown import blocks
from memdown.markdown.blocks import Block
from memdown.record import Document
from memdown.text import Edit, Span, eol_of


def concepts(docs: Sequence[Document]) -> Iterator[Document]:
    return (doc for doc in docs if not grammar.is_reserved(doc.path) and doc.text.strip())


def concept_of(doc: Document) -> Concept:
    """The front matter of a concept; the reserved files have none of these keys."""
    return Concept(None, 0, {}) if grammar.is_reserved(doc.path) else doc.of(grammar.concept)


def bundle_of(doc: Document) -> str:
    return grammar.bundle_of(doc.path, doc.canonical_path)


def is_root(doc: Document) -> bool:
    """Whether a list is that of the whole bundle."""
    return doc.path == f"{bundle_of(doc)}/{grammar.INDEX}"


def top_blocks(doc: Document) -> list[Block]:
    return [block for block in blocks.scan(doc.text, doc.of(grammar.concept).body) if not block.depth]


@rule_across("OKF001", "error")
def front_matter_missing(docs: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """A concept has no front matter that can be read.

    Every Markdown file of a bundle except `index.md` and `log.md` is a concept, and says in its front matter what type
    of knowledge it is. A folder in which nothing says that it is a bundle, neither `okf_version` in its `index.md` nor
    the `type` of another file, is left alone.

    Bad knowledge/index.md:
        ---
        okf_version: "0.2"
        ---
    and knowledge/metrics/revenue.md:
        Revenue is the sum of all delivered orders.
    Good knowledge/index.md:
        ---
        okf_version: "0.2"
        ---
    and knowledge/metrics/revenue.md:
        ---
        type: Metric
        ---

        Revenue is the sum of all delivered orders.
    """
    bundles = {bundle_of(doc) for doc in docs if _is_declared(doc)}
    for doc in concepts(docs):
        known = doc.of(grammar.concept)
        if known.front is None and bundle_of(doc) in bundles:
            yield doc, Finding(first_line(doc), "The concept has no front matter; it needs at least a `type`.")
        elif known.front is not None and not known.is_readable:
            problem = known.front.problems[0]
            yield doc, Finding(first_line(doc), f"The front matter cannot be read: {problem.message}.")


def _is_declared(doc: Document) -> bool:
    known = doc.of(grammar.concept)
    return bool(known.text("okf_version" if grammar.name_of(doc.path) == grammar.INDEX else "type"))


@rule("OKF002", "error")
def type_missing(doc: Document) -> Iterator[Finding]:
    """A concept does not say what type of knowledge it is.

    `type` is the only key that every concept has. Any text will do: Metric, Playbook, Decision.

    Bad:
        ---
        title: Revenue
        ---
    Good:
        ---
        type: Metric
        title: Revenue
        ---
    """
    known = concept_of(doc)
    if not known.is_readable or known.text("type"):
        return
    value = known.at("type")
    if value is None:
        yield Finding(
            first_line(doc), "The front matter has no `type`; say what the concept is, such as `type: metric`."
        )
    elif value.text is None:
        yield Finding(value.span, "`type` is one word or phrase, not a list or a mapping.")
    else:
        yield Finding(value.span, "`type` is empty.")


@rule("OKF003", "error")
def index_front_matter(doc: Document) -> Iterator[Finding]:
    """An `index.md` has front matter that it may not have.

    Lists have no front matter. Only the bundle's own list may name the version of the format, as `okf_version`.

    Bad knowledge/metrics/index.md:
        ---
        type: Index
        ---

        # Metric

        * [Revenue](revenue.md) - What was earned.
    Good knowledge/metrics/index.md:
        # Metric

        * [Revenue](revenue.md) - What was earned.

    ## Fix

    The unsafe fix removes it.
    """
    known = doc.of(grammar.concept)
    if grammar.name_of(doc.path) != grammar.INDEX or known.front is None:
        return
    others = [key for key in known.values if key != "okf_version"]
    if not is_root(doc):
        fix = Fix("remove the front matter", (Edit(Span(known.front.span.start, known.body), ""),), safe=False)
        yield Finding(
            first_line(doc),
            f"{doc.path} has front matter, which only the bundle's own index.md may have; remove it.",
            fix,
        )
    elif others or not known.is_readable:
        named = quote(others[0]) if others else "this"
        yield Finding(first_line(doc), f"The front matter of index.md is `okf_version` alone, not {named}.")


@rule("OKF004", "error")
def index_form(doc: Document) -> Iterator[Finding]:
    """An `index.md` is not a list of links.

    The name is reserved at every level: sections of `* [Title](path) - description`. A concept has another name. An
    item without a link, between others that have one, is only a warning.

    Bad knowledge/metrics/index.md:
        Revenue is the sum of all delivered orders.
    Good knowledge/metrics/index.md:
        # Metric

        * [Revenue](revenue.md) - What was earned.
    """
    if grammar.name_of(doc.path) != grammar.INDEX:
        return
    found = [block for block in top_blocks(doc) if block.kind not in ("heading", "html", "rule")]
    items = list(entries(doc.text))
    without = [block for block, targets in items if not targets]
    if found and len(without) == len(items):
        yield Finding(
            found[0].span,
            f"{shown_at(doc, found[0].span)} is not a list of links like `* [Title](path) - description`.",
        )
        return
    for block in without:
        yield Finding(
            block.span,
            f"The entry {shown_at(doc, block.span)} has no link; write `* [Title](path) - description`.",
            severity="warning",
        )


@rule("OKF005", "error")
def log_form(doc: Document) -> Iterator[Finding]:
    """A `log.md` has a section that is not a date, or an entry below no date.

    The name is reserved at every level: sections `## YYYY-MM-DD`, each with a list of what was done that day.

    Bad knowledge/log.md:
        # Log

        ## Last Tuesday

        * **Update**: Changed the definition of revenue.
    Good knowledge/log.md:
        # Log

        ## 2026-01-13

        * **Update**: Changed the definition of revenue.
    """
    if grammar.name_of(doc.path) != grammar.LOG:
        return
    days = log_days(doc.text)
    for each in days:
        if each.day is None:
            name = quote(each.heading.content.of(doc.text))
            yield Finding(each.heading.span, f"{name} is not a date like 2026-01-31.")
    dated = days[0].heading.span.start if days else len(doc.text)
    for block in top_blocks(doc):
        if block.kind == "item" and block.span.start < dated:
            yield Finding(
                block.span,
                f"The entry {shown_at(doc, block.span)} is not below a day; put a heading `## YYYY-MM-DD` above it.",
            )


@rule("OKF006", "warning")
def log_order(doc: Document) -> Iterator[Finding]:
    """The days of a `log.md` are not the newest first.

    Anyone who reads only the beginning of a log mistakes an old entry for the latest.

    Bad knowledge/log.md:
        ## 2026-01-13

        * **Creation**: Added revenue.

        ## 2026-02-01

        * **Update**: Changed revenue.
    Good knowledge/log.md:
        ## 2026-02-01

        * **Update**: Changed revenue.

        ## 2026-01-13

        * **Creation**: Added revenue.
    """
    if grammar.name_of(doc.path) != grammar.LOG:
        return
    days = [each for each in log_days(doc.text) if each.day]
    for above, below in pairwise(days):
        if (below.day or "") > (above.day or ""):
            yield Finding(below.heading.span, f"{below.day} is below {above.day}; the newest day comes first.")


@rule("OKF007", "info")
def version_missing(doc: Document) -> Iterator[Finding]:
    """The bundle does not say which version of the format it is of.

    `okf_version` in the `index.md` of its folder also tells memdown that the folder is a bundle, whatever its name.

    Bad knowledge/index.md:
        # Metric

        * [Revenue](revenue.md) - What was earned.
    Good knowledge/index.md:
        ---
        okf_version: "0.2"
        ---

        # Metric

        * [Revenue](revenue.md) - What was earned.

    ## Fix

    The safe fix adds it.
    """
    if is_root(doc) and doc.of(grammar.concept).front is None and doc.text.strip():
        at = 1 if doc.text.startswith("\ufeff") else 0
        block = f'---\nokf_version: "{grammar.VERSION}"\n---\n\n'.replace("\n", eol_of(doc.text))
        fix = Fix("add okf_version", (Edit(Span(at, at), block),))
        yield Finding(first_line(doc), "The bundle's index.md has no `okf_version`; add it to its front matter.", fix)


@rule("OKF008", "info")
def version_unknown(doc: Document) -> Iterator[Finding]:
    """The bundle uses a version of the format that this memdown does not know.

    It is read as well as it can be; what is new in that version is preserved.

    Bad knowledge/index.md:
        ---
        okf_version: "1.0"
        ---
    Good knowledge/index.md:
        ---
        okf_version: "0.2"
        ---
    """
    value = doc.of(grammar.concept).at("okf_version")
    if grammar.name_of(doc.path) == grammar.INDEX and value and grammar.scalar(value) not in ("0.1", grammar.VERSION):
        yield Finding(value.span, f"`okf_version` {quote(grammar.scalar(value))} is not 0.1 or {grammar.VERSION}.")
