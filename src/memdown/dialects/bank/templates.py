"""The seven files of a memory bank, section by section: one table for templates, reading, validation and prompts.

The table is templates.json. A placeholder is text in square brackets; a section with nothing else is not filled in.
"""

from collections.abc import Iterable, Mapping

import msgspec
from msgspec import Struct

from memdown.lazy import beside


class TemplateSection(Struct, frozen=True):
    """One heading of a template and the placeholder below it."""

    heading: str
    body: str = ""
    """Placeholder lines; empty when only other headings follow."""
    level: int = 2


class Layer(Struct, frozen=True):
    """One of the seven files."""

    order: int
    file: str
    """Its canonical name."""
    title: str
    role: str
    """What it is for, in a word or two."""
    required: bool
    aliases: tuple[str, ...]
    """Other names it has in real projects, in lower case; case and the case of the canonical name never matter."""
    when: str
    """What makes an update touch it."""
    sections: tuple[TemplateSection, ...]


LAYERS = msgspec.json.decode(beside(__file__, "templates.json"), type=tuple[Layer, ...])
"""In the order of reading, from the most stable to the most volatile."""

QUESTIONS = {
    "Mission Statement": "What is this project for, in a sentence?",
    "Problem Statement": "Which problem does it solve?",
    "Target Users": "Who uses it?",
    "Key Constraints": "What must it never do, or always keep to?",
    "Success Criteria": "How will you know that it works?",
    "Upcoming": "What has to be done next?",
}
"""What no file of a project says, by the section that the answer goes to, in the order of asking."""

UPDATE_ORDER = tuple(
    next(layer for layer in LAYERS if layer.file == file)
    for file in (
        *("progress.md", "activeContext.md", "decisionLog.md", "techContext.md"),
        *("systemPatterns.md", "productContext.md", "projectBrief.md"),
    )
)
"""In the order of writing."""


def layer_of(file: str) -> Layer | None:
    """The layer a file stands for, by its canonical name or one of its other names, in any case."""
    name = file.rpartition("/")[2].lower()
    return next((layer for layer in LAYERS if name == layer.file.lower() or name in layer.aliases), None)


def section_with(heading: str) -> tuple[Layer, TemplateSection]:
    """A section of the templates, and the file that has it."""
    return next((layer, each) for layer in LAYERS for each in layer.sections if each.heading == heading)


def render(
    layer: Layer,
    filled: Mapping[str, str] | None = None,
    more: Iterable[tuple[str, str]] = (),
    intro: str = "",
    *,
    whole: bool = True,
) -> str:
    """A new file: its template, with the sections named in `filled`, and further ones of level 2 after it.

    Unless it is to be `whole`, only sections that say or ask something are there. `intro` stands in the place of the
    template: a log that only grows keeps every placeholder.
    """
    known = filled or {}
    parts = [f"# {layer.title}\n", *([f"{intro}\n"] if intro else [])]
    for section in () if intro else layer.sections if whole else _telling(layer, known):
        parts.append(f"{'#' * section.level} {section.heading}\n")
        body = known.get(section.heading, section.body)
        if body:
            parts[-1] += f"{body}\n"
    parts += [f"## {heading}\n{body}\n" for heading, body in more]
    return "\n".join(parts)


def _telling(layer: Layer, filled: Mapping[str, str]) -> list[TemplateSection]:
    """Sections that are filled or asked about, else the first to fill in, with the headings above them."""
    chosen = {each.heading for each in layer.sections if each.heading in filled or each.heading in QUESTIONS}
    chosen = chosen or {next(each.heading for each in layer.sections if each.body)}
    kept: list[TemplateSection] = []
    for section in reversed(layer.sections):
        if section.heading in chosen or (kept and section.level < kept[-1].level):
            kept.append(section)
    return kept[::-1]
