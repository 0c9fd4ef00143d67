"""The verdict on one memory, put together from what its text says and how often it was used."""

from collections.abc import Iterable, Sequence

from memdown.dialects.layers import quality
from memdown.dialects.layers.grammar import Address
from memdown.memory.layers.counters import Counter
from memdown.memory.layers.values import LayerValidation, LineNote, QualityChecks, QualityDetails
from memdown.text import Lines, Span

LISTED = 100
"""Lines that are listed one by one."""


def validation(address: Address, text: str, counter: Counter, warnings: Sequence[str]) -> LayerValidation:
    """Checks as the interface has them, what to do about them, and the lines they rest on."""
    missing = quality.missing_topics(text) if address.file_type == "project_overview" else []
    claims = quality.claims(text)
    vague = [claim.span for claim in claims if not claim.specific]
    growth = quality.growth(counter.lines, counter.invocations)
    checks = QualityChecks(
        completeness=not missing,
        specificity=len(vague) <= quality.LARGEST_VAGUE_PART * len(claims),
        growth_rate=growth,
    )
    details = QualityDetails(
        score=quality.score(missing),
        missing=missing,
        claims=len(claims),
        vague_lines=_notes(text, vague),
        vague_phrases=_notes(text, quality.phrases(text)),
        absolute_paths=_notes(text, quality.absolute_paths(text)),
        invocations=counter.invocations,
    )
    return LayerValidation(address.id, checks, [*_suggestions(address, checks, details), *warnings], details)


def _suggestions(address: Address, checks: QualityChecks, details: QualityDetails) -> list[str]:
    told = [f"Add the {topic}." for topic in details.missing]
    if address.file_type != "project_overview":
        told.append("Completeness is asked of a project_overview only.")
    if not checks.specificity:
        told.append(
            f"{len(details.vague_lines)} of {details.claims} claims name no path, function, line or version; add one."
        )
    if len(details.vague_phrases) > quality.VAGUE_PHRASE_LINES:
        told.append(f"{len(details.vague_phrases)} lines use words such as several or various; say which.")
    if details.absolute_paths:
        told.append("Write paths relative to the project: others do not have the absolute ones.")
    if checks.growth_rate == "stagnant":
        told.append(f"Nothing was added in the last {quality.GROWTH_RUNS} invocations; see whether it is still used.")
    if details.invocations and details.invocations % quality.GROWTH_RUNS == 0:
        told.append("Check one path, one convention and one issue status against the code.")
    return told


def _notes(text: str, spans: Iterable[Span]) -> list[LineNote]:
    lines = Lines(text)
    return [LineNote(lines.at(span.start) + 1, span.of(text).strip()) for span in spans][:LISTED]
