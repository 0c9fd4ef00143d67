"""Rules about what a concept rests on: its sources, its links, and the computation it attests."""

from collections.abc import Iterator, Sequence

from memdown.diagnostics import Finding, first_line, rule, rule_across, shown_at
from memdown.dialects.okf import grammar
from memdown.dialects.okf.grammar import Concept
from memdown.dialects.okf.rules.form import bundle_of, concept_of, concepts
from memdown.errors import quote
from memdown.markdown import blocks
from memdown.record import Document


@rule("OKF020", "warning")
def source_without_resource(doc: Document) -> Iterator[Finding]:
    """A source does not say what it is.

    Each of `sources` has a `resource`: a URL, a path in the bundle, or the name of what was consulted. Without it,
    nobody can check the claim.

    Bad:
        ---
        type: Metric
        sources:
          - id: policy
            title: Revenue policy
        ---
    Good:
        ---
        type: Metric
        sources:
          - id: policy
            resource: /policies/revenue.md
            title: Revenue policy
        ---
    """
    value = concept_of(doc).at("sources")
    for each in (value.items or (value,)) if value else ():
        if not grammar.scalar(grammar.members(each).get("resource")) and (each.entries or each.text):
            yield Finding(
                each.span, f"The source {shown_at(doc, each.span)} has no `resource`; name the file or the address."
            )


@rule("OKF021", "warning")
def footnote_without_source(doc: Document) -> Iterator[Finding]:
    """A footnote names a source that the concept does not have.

    The label of a footnote is the `id` of one of `sources`. One that is explained in the text is an ordinary footnote,
    and reported as info if the concept has sources.

    Bad:
        ---
        type: Metric
        sources:
          - id: policy
            resource: /policies/revenue.md
        ---

        Only delivered orders count.[^polcy]
    Good:
        ---
        type: Metric
        sources:
          - id: policy
            resource: /policies/revenue.md
        ---

        Only delivered orders count.[^policy]
    """
    if grammar.is_reserved(doc.path):
        return
    known = doc.of(grammar.concept)
    sources = known.mappings("sources")
    ids = {grammar.scalar(each.get("id")) for each in sources}
    found = list(grammar.footnotes(doc.text, known.body))
    explained = {label for label, _, is_definition in found if is_definition}
    for label, span, is_definition in found:
        if label in ids or is_definition or (label in explained and not sources):
            continue
        severity = "info" if label in explained else None
        yield Finding(
            span,
            f"No source has the id {quote(label)}; add it under `sources`, or correct the label.",
            severity=severity,
        )


@rule("OKF022", "warning")
def source_id_twice(doc: Document) -> Iterator[Finding]:
    """Two sources of a concept have the same id.

    A footnote with that label may mean either.

    Bad:
        ---
        type: Metric
        sources:
          - id: policy
            resource: /policies/revenue.md
          - id: policy
            resource: /policies/margin.md
        ---
    Good:
        ---
        type: Metric
        sources:
          - id: policy
            resource: /policies/revenue.md
          - id: margin
            resource: /policies/margin.md
        ---
    """
    seen: set[str] = set()
    for each in concept_of(doc).mappings("sources"):
        value = each.get("id")
        id = grammar.scalar(value)
        if value and id in seen:
            yield Finding(value.span, f"Another source has the id {quote(id)} too; rename one.")
        seen.update([id] if id else [])


@rule("OKF023", "warning")
def computation_without_runtime(doc: Document) -> Iterator[Finding]:
    """An attested computation does not say what runs it.

    `runtime` says how the computation is run, and so what its parameters mean. memdown shows and checks computations;
    it never runs one.

    Bad:
        ---
        type: Attested Computation
        ---

        # Computation

            SELECT 1
    Good:
        ---
        type: Attested Computation
        runtime: bigquery
        ---

        # Computation

            SELECT 1
    """
    known = concept_of(doc)
    if _is_computation(known) and not known.text("runtime"):
        value = known.at("runtime") or known.at("type")
        yield Finding(
            value.span if value else first_line(doc),
            "The computation has no `runtime`; name what runs it, such as `runtime: bigquery`.",
        )


@rule("OKF024", "warning")
def computation_missing(doc: Document) -> Iterator[Finding]:
    """An attested computation has no computation, or more than one.

    It is either the one piece of code below `# Computation`, or the file that `computation` names.

    Bad:
        ---
        type: Attested Computation
        runtime: bigquery
        ---

        Sums up the orders of a year.
    Good:
        ---
        type: Attested Computation
        runtime: bigquery
        computation: /computations/revenue.sql
        ---

        Sums up the orders of a year.
    """
    known = concept_of(doc)
    if not _is_computation(known):
        return
    inside, found = False, 0
    for block in blocks.scan(doc.text, known.body):
        if block.kind == "heading" and block.level == 1:
            inside = block.content.of(doc.text).strip().casefold() == "computation"
        found += inside and block.kind in ("fence", "code") and not block.depth
    if known.text("computation"):
        found += 1
    if found != 1:
        value = known.at("type")
        message = "has no code below `# Computation`, and names no file" if not found else f"has {found} computations"
        yield Finding(value.span if value else first_line(doc), f"The concept {message}.")


def _is_computation(known: Concept) -> bool:
    return known.text("type").casefold() == grammar.COMPUTATION


@rule_across("OKF025", "info", whole=True)
def link_broken(docs: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """A link leads to a concept that is not there.

    It may be knowledge that nobody has written down yet; the format allows it.

    Bad knowledge/metrics/revenue.md:
        ---
        type: Metric
        ---

        See [orders](/tables/orders.md).
    Good knowledge/metrics/revenue.md:
        ---
        type: Metric
        ---

        See [orders](/tables/orders.md).
    and knowledge/tables/orders.md:
        ---
        type: Table
        ---
    """
    there = {doc.path for doc in docs}
    for doc in docs:
        for target, span in grammar.links(doc.text, doc.of(grammar.concept).body):
            place = grammar.place_of(doc.path, target, bundle_of(doc))
            if place and place.endswith(".md") and place not in there:
                yield doc, Finding(span, f"The link leads to {place}, where there is no concept; correct it.")


@rule_across("OKF026", "info", whole=True)
def concept_unlisted(docs: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """The list of a folder does not name a concept in it.

    Readers who rely on `index.md` do not find it. A folder without a list is fine: readers generate one.

    Bad knowledge/metrics/index.md:
        # Metric

        * [Margin](margin.md) - What is left.
    and knowledge/metrics/revenue.md:
        ---
        type: Metric
        ---
    Good knowledge/metrics/index.md:
        # Metric

        * [Revenue](revenue.md) - What was earned.
    and knowledge/metrics/revenue.md:
        ---
        type: Metric
        ---
    """
    lists = {doc.path.removesuffix(grammar.INDEX): doc for doc in docs if grammar.name_of(doc.path) == grammar.INDEX}
    listed = {
        folder: {grammar.place_of(doc.path, target, bundle_of(doc)) for target, _ in grammar.links(doc.text, 0)}
        for folder, doc in lists.items()
    }
    for doc in concepts(docs):
        folder = doc.path.removesuffix(grammar.name_of(doc.path))
        if folder in listed and doc.path not in listed[folder]:
            yield (
                doc,
                Finding(
                    first_line(doc), f"`{folder}{grammar.INDEX}` does not list {doc.path.rpartition('/')[2]}; add it."
                ),
            )
