"""A section of one of the files set, by the name a person gives it."""

from memdown.dialects.bank import dates, names
from memdown.dialects.bank.items import SectionEdit, fill, new_section, section_of
from memdown.dialects.bank.sections import BankSection, Outline, outline
from memdown.dialects.bank.templates import Layer
from memdown.errors import Invalid, quote


def set_part(text: str, layer: Layer, name: str, new: str, *, replace: bool = False) -> SectionEdit:
    """The text of a section of any file; headings in it have to be deeper than its own.

    Sub-sections stay, unless `replace` drops them.
    """
    doc, body = outline(text), new.strip()
    section, known = _part(doc, layer, name)
    if not body:
        raise Invalid(f"The text for {quote(known)} is empty.")
    if any(each.level <= (section.level if section else 2) for each in outline(body).sections):
        raise Invalid(f"The text for {quote(known)} has a heading in it, which would end its section.")
    return fill(doc, section, body, replace=replace) if section else new_section(doc, layer, known, body)


def _part(doc: Outline, layer: Layer, name: str) -> tuple[BankSection | None, str]:
    """The section that is meant, if it is there, and its name.

    A heading with the very name goes before one that a template's section goes by too: below Technology Stack there
    may be Languages.
    """
    wanted = names.folded(name)
    there = [section for section in doc.sections if names.folded(section.title) == wanted]
    if there:
        return there[0], there[0].title
    headings = [each.heading for each in layer.sections if not dates.is_placeholder(each.heading)]
    own = next((heading for heading in headings if names.folded(heading) == wanted), None)
    known = names.of_layer(name, layer)
    if own is None and known is None:
        raise Invalid(f"{layer.file} has no section {quote(name)}; it has {', '.join(headings)}.")
    if own is not None and own != known:
        return None, own
    return section_of(doc, layer, known or ""), known or ""
