"""The verdict on one memory: what the rules say of its text, and how often it was used."""

from collections.abc import Iterable, Iterator

from memdown.acts.check import engine
from memdown.dialects.layers import quality
from memdown.dialects.layers.grammar import Address
from memdown.memory.layers.counters import Counter
from memdown.memory.layers.values import LayerValidation, LineNote, QualityChecks, QualityDetails
from memdown.record import Document
from memdown.text import Span

CODES = ("LYR001", "LYR020", "LYR022", "LYR030", "LYR031", "LYR032", "LYR033")
"""The rules about how good a memory is."""

LISTED = 100
"""Lines that are listed one by one."""


def validation(address: Address, doc: Document, counter: Counter) -> LayerValidation:
    """Checks as the interface has them, what to do about them, and the lines they rest on."""
    found = engine.check([doc], engine.Selection(CODES))
    codes = {each.code for each in found}
    missing = doc.of(quality.missing_topics) if address.file_type == "project_overview" else []
    claims = doc.of(quality.claims)
    checks = QualityChecks(
        completeness="LYR032" not in codes,
        specificity="LYR033" not in codes,
        growth_rate=quality.growth(counter.lines, counter.invocations),
    )
    details = QualityDetails(
        score=quality.score(missing),
        missing=missing,
        claims=len(claims),
        vague_lines=_notes(doc, (claim.span for claim in claims if not claim.specific)),
        vague_phrases=_notes(doc, quality.phrases(doc.text)),
        absolute_paths=_notes(doc, quality.absolute_paths(doc.text)),
        invocations=counter.invocations,
    )
    sentences = dict.fromkeys(f"{each.message} {each.code}" for each in found)
    return LayerValidation(address.id, checks, [*sentences, *_advice(address, checks, details)], details)


def _advice(address: Address, checks: QualityChecks, details: QualityDetails) -> Iterator[str]:
    """What follows from how often a memory was used, which its text does not tell."""
    if address.file_type != "project_overview":
        yield "Completeness applies only to a project_overview."
    if checks.growth_rate == "stagnant":
        yield f"Nothing was added in the last {quality.GROWTH_RUNS} invocations; see whether it is still used."
    if details.invocations and details.invocations % quality.GROWTH_RUNS == 0:
        yield "Check one path, one convention and one issue status against the code."


def _notes(doc: Document, spans: Iterable[Span]) -> list[LineNote]:
    return [LineNote(doc.lines.at(span.start) + 1, span.of(doc.text).strip()) for span in spans][:LISTED]
