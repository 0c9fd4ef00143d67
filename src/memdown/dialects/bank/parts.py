"""A section of one of the files set, by the name a person gives it."""

from msgspec import structs

from memdown.dialects.bank import dates, names
from memdown.dialects.bank.items import SectionEdit, at_the_end, fill, is_templated, new_section, section_of
from memdown.dialects.bank.sections import BankSection, Outline, outline
from memdown.dialects.bank.templates import Layer
from memdown.errors import Invalid, quote
from memdown.markdown.line_ends import split_lines
from memdown.text import Edit, Span, after_line, eol_of, with_eol

_TOP, _DEEPEST = 2, 6
"""The levels of a section below the title of its file, and of the deepest heading."""


def set_part(text: str, layer: Layer, name: str, new: str, *, replace: bool = False) -> SectionEdit:
    """The text of a section of any file; headings in it have to be deeper than its own.

    Sub-sections stay, unless `replace` drops them.
    """
    doc, body = outline(text), new.strip()
    section, known = _part(doc, layer, name)
    if not body:
        raise Invalid(f"The text for {quote(known)} is empty.")
    level = section.level if section else _level(layer, known)
    if any(each.level <= level for each in outline(body).sections):
        raise Invalid(f"The text for {quote(known)} has a heading in it, which would end its section.")
    return fill(doc, section, body, replace=replace) if section else _new_part(doc, layer, known, body)


def missing_part(text: str, layer: Layer, name: str, new: str) -> SectionEdit | None:
    """A section of the template, called by its very name, that a file written as its template is does not have."""
    doc, wanted = outline(text), names.folded(name)
    if not is_templated(doc, layer) or all(names.folded(each) != wanted for each in _headings(layer)):
        return None
    return set_part(text, layer, name, new) if _part(doc, layer, name)[0] is None else None


def _new_part(doc: Outline, layer: Layer, name: str, body: str) -> SectionEdit:
    """A section that the file does not have yet: one of a lower level with those that the template has beside it."""
    above, beside = _around(layer, name)
    if above is None:
        return new_section(doc, layer, name, body)
    there = [(section, names.folded(section.title)) for section in doc.sections]
    order = [names.folded(each) for each in beside]
    found = [section for section, title in there if title in order]
    parent = section_of(doc, layer, above)
    if not found and parent is None:
        head = f"{'#' * _level(layer, name)} {name}\n"
        made = new_section(doc, layer, above, f"\n{head}{body}")
        return structs.replace(made, skip=made.main.new.index(split_lines(body)[0], made.skip))
    level = found[0].level if found else min(parent.level + 1 if parent else 2, _DEEPEST)
    rank = order.index(names.folded(name))
    later = [section for section in found if order.index(names.folded(section.title)) > rank]
    last = found[-1] if found else parent
    at = later[0].head.start if later or last is None else last.tree_end
    block = f"{'#' * level} {name}\n{body}\n"
    if at == len(doc.text):
        return at_the_end(doc.text, block, below=f"{name}\n")
    edit = Edit(Span(at, at), with_eol(f"{block}\n", eol_of(doc.text)))
    return SectionEdit([edit], edit, after_line(edit.new, 0))


def _around(layer: Layer, name: str) -> tuple[str | None, list[str]]:
    """The heading that the template has a section below, and all that are below it; None for one below the title."""
    above, beside = None, list[str]()
    for each in layer.sections:
        if each.level <= _TOP:
            if name in beside:
                break
            above, beside = each.heading, []
        else:
            beside.append(each.heading)
    return (above, beside) if name in beside else (None, [])


def _level(layer: Layer, name: str) -> int:
    return next((each.level for each in layer.sections if each.heading == name), _TOP)


def _headings(layer: Layer) -> list[str]:
    return [each.heading for each in layer.sections if not dates.is_placeholder(each.heading)]


def _part(doc: Outline, layer: Layer, name: str) -> tuple[BankSection | None, str]:
    """The section that is meant, if it is there, and its name.

    A heading with the very name goes before one that a template's section goes by too: below Technology Stack there
    may be Languages.
    """
    wanted = names.folded(name)
    there = [section for section in doc.sections if names.folded(section.title) == wanted]
    if there:
        return there[0], there[0].title
    headings = _headings(layer)
    own = next((heading for heading in headings if names.folded(heading) == wanted), None)
    known = names.of_layer(name, layer)
    if own is None and known is None:
        raise Invalid(f"{layer.file} has no section {quote(name)}; it has {', '.join(headings)}.")
    if own is not None and own != known:
        return None, own
    return section_of(doc, layer, known or ""), known or ""
