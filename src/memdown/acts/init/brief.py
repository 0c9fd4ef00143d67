"""A user's brief as the first content of the seven files. Nothing is made up: what is derived quotes it."""

import re
from collections.abc import Collection, Iterator

from msgspec import Struct

from memdown.dialects.bank import names
from memdown.dialects.bank.items import section_of, set_section
from memdown.dialects.bank.sections import BankSection, Outline, outline
from memdown.dialects.bank.templates import LAYERS, Layer
from memdown.markdown.placeholders import is_untouched, unfilled
from memdown.patterns import lazy
from memdown.text import apply, eol_of, shorten, with_eol

LONGEST_QUOTE = 280

_BRIEF, _PRODUCT, _LOG = LAYERS[0], LAYERS[1], LAYERS[6]
_STACK = "Technology Stack"
_NAMED = lazy(r"^- ([^:—\n]+?)(?:: | — )[^\n]*", re.MULTILINE)
_VERSION = r"(?: v?(\d{1,4}(?:\.\d{1,6}){0,3}\+?)(?![\w%]))?"
_ITEM = lazy(r"^\s{0,3}(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.+)$")
_TECHNOLOGIES = {
    "Languages": "Python TypeScript JavaScript Rust Golang Java Kotlin PHP Ruby Elixir Swift C# C++".split(),
    "Frameworks": "Django Flask FastAPI React Next.js Vue Angular Svelte Rails Laravel ASP.NET Flutter".split(),
    "Databases": "PostgreSQL Postgres MySQL MariaDB SQLite MongoDB Redis DuckDB Elasticsearch".split(),
}


class BriefText(Struct):
    """What a brief says, by file and heading, and its sections that no template has."""

    files: dict[str, dict[str, str]]
    more: list[tuple[str, str]]
    intros: dict[str, str] = {}
    """What stands in the place of a template, by file."""
    answered: Collection[str] = ()
    """Headings that a person was asked about."""

    def set(self, layer: str, heading: str, text: str) -> None:
        """Fill a section, after what another part of the brief says of it."""
        body = text.strip("\n").rstrip()
        if body.strip():
            sections = self.files.setdefault(layer, {})
            sections[heading] = f"{sections[heading]}\n\n{body}" if heading in sections else body


def parse(text: str, today: str) -> BriefText:
    """The brief as content of the seven files."""
    draft = BriefText({}, [])
    read = outline(text.replace("\r\n", "\n").replace("\r", "\n"))
    for section in read.sections:
        _place(read, section, draft)
    _introduce(_introduction(read), draft)
    _derive(draft, read, today)
    return draft


def _introduction(read: Outline) -> str:
    """The text before the first heading, and what stands right below the title."""
    first = read.sections[0] if read.sections else None
    before = read.text[read.body : first.head.start if first else len(read.text)]
    title = read.text[first.body : first.end] if first and first.level == 1 else ""
    return f"{before.rstrip()}\n\n{title}".strip("\n")


def _place(read: Outline, section: BankSection, draft: BriefText) -> None:
    """Put a section where the templates have it."""
    own = read.text[section.body : section.end]
    if section is read.sections[0] and section.level == 1:
        if names.folded(section.title) != names.folded(_BRIEF.title):
            draft.set(_BRIEF.file, "Project Name", section.title)
        return
    within = next(
        (each for each in ("In Scope", "Out of Scope") if names.folded(each) == names.folded(section.title)), None
    )
    if within:
        draft.set(_BRIEF.file, within, own)
        return
    above = read.sections[section.above] if section.above is not None else None
    if above is not None and above.level > 1:
        return  # part of the section above
    whole = read.text[section.body : section.tree_end]
    heading = names.of_layer(section.title, _BRIEF)
    if heading == "Scope Boundaries":
        draft.set(_BRIEF.file, "In Scope", own)
    elif heading:
        draft.set(_BRIEF.file, heading, whole)
    else:
        draft.more.append((section.title, whole.strip("\n").rstrip()))
        shared = names.of_layer(section.title, _PRODUCT)
        if shared:
            draft.set(_PRODUCT.file, shared, f"{whole.strip()}\n\n(From the brief.)")


def _introduce(text: str, draft: BriefText) -> None:
    """Items of a text without headings are what is required; the rest says what the project is."""
    lines = text.split("\n")
    has_list = any(_ITEM.match(line) for line in lines) and "```" not in text
    if has_list and "Core Requirements" not in draft.files.get(_BRIEF.file, {}):
        items = [line for line in lines if _ITEM.match(line)]
        draft.set(_BRIEF.file, "Core Requirements", "\n".join(items))
        text = "\n".join(line for line in lines if line not in items)
    draft.set(_BRIEF.file, "Mission Statement", re.sub(r"\n{3,}", "\n\n", text))


def _derive(draft: BriefText, read: Outline, today: str) -> None:
    own = draft.files.get(_BRIEF.file, {})
    mission = own.get("Mission Statement") or next(iter(own.values()), "") or next((body for _, body in draft.more), "")
    quoted = quote(mission)
    if not quoted:
        return
    draft.files.setdefault(_PRODUCT.file, {}).setdefault(
        "Why This Project Exists", f"The brief says: {quoted} (projectBrief.md)"
    )
    draft.set(
        "systemPatterns.md", "Architecture Overview", f"No architecture yet. The brief says: {quoted} (projectBrief.md)"
    )
    stack = {_STACK: f"No stack yet. The brief says: {quoted} (projectBrief.md)"}
    for heading, lines in (_technologies(read.text) or stack).items():
        draft.set("techContext.md", heading, lines)
    draft.set("activeContext.md", "Current Focus", f"Beginning the project from its brief: {quoted} (projectBrief.md)")
    draft.set("activeContext.md", "Recent Changes", f"- {today}: the memory bank was made from the brief")
    draft.set(
        "activeContext.md", "Next Steps", "1. Check what the brief became in these files, and fill in the placeholders"
    )
    tasks = list(_tasks(own.get("Core Requirements", ""))) or [quoted]
    draft.set("progress.md", "Upcoming", "\n".join(f"- [ ] {task} (from the brief)" for task in tasks))
    # No decision: nobody made one, and a log of decisions only grows.
    draft.intros[_LOG.file] = f"The project begins with this brief: {quoted} (projectBrief.md)"


def merged(layer: Layer, text: str, draft: BriefText) -> str:
    """A file that is there with what a brief and answers say; what is written stays.

    A brief fills placeholders, and files where nobody wrote anything yet; its own file gets the rest. A log of
    decisions only grows, by decisions, so it is left as it is.
    """
    if layer is _LOG:
        return text
    is_new = is_untouched(text)
    for heading, body in draft.files.get(layer.file, {}).items():
        doc = outline(text)
        section = section_of(doc, layer, heading)
        own = text[section.body : section.end] if section else ""
        fits = layer is _BRIEF or heading in draft.answered or (unfilled(own) if section else is_new)
        if body.strip() in own or not fits:
            continue
        if section and own.strip() and not unfilled(own):
            body = f"{own.strip()}\n\n{body.strip()}"
        text = apply(text, set_section(doc, layer, heading, body).edits)
    if layer is _BRIEF:
        there = {names.folded(section.title) for section in outline(text).sections}
        eol = eol_of(text)
        for title, body in draft.more:
            if names.folded(title) not in there:
                text = f"{text.rstrip()}{eol}{eol}## {title}{eol}{with_eol(body, eol)}{eol}"
    return text


def _tasks(requirements: str) -> Iterator[str]:
    for line in requirements.split("\n"):
        item = _ITEM.match(line)
        if item:
            yield " ".join(item[1].split())


def agreed(stated: dict[str, str], seen: dict[str, str]) -> dict[str, str]:
    """What a brief and the code base say together: of what both name, the code base knows the version."""
    facts = {match[1].casefold(): match[0] for body in seen.values() for match in _NAMED.finditer(body)}
    both = stated | seen
    for heading in _TECHNOLOGIES:
        there = {match[1].casefold() for match in _NAMED.finditer(seen.get(heading, ""))}
        meant = [match for match in _NAMED.finditer(stated.get(heading, "")) if match[1].casefold() not in there]
        more = (facts.get(match[1].casefold(), match[0]) for match in meant)
        if lines := [*filter(None, (seen.get(heading),)), *more]:
            both[heading] = "\n".join(lines)
    if facts and _STACK not in seen:
        both.pop(_STACK, None)
    return both


def _technologies(text: str) -> dict[str, str]:
    """Languages, frameworks and databases that the brief names as everybody writes them, with their versions."""
    found = {}
    for heading, spellings in _TECHNOLOGIES.items():
        named = [(name, re.search(rf"(?<![\w.+#]){re.escape(name)}(?![\w+#]){_VERSION}", text)) for name in spellings]
        lines = [
            f"- {name}{f': {match[1]}' if match[1] else ''} — named in the brief (projectBrief.md)"
            for name, match in named
            if match
        ]
        if lines:
            found[heading] = "\n".join(lines)
    return found


def quote(text: str) -> str:
    """The first paragraph as a quotation on one line."""
    first = next((part for part in re.split(r"\n\s*\n", text.strip()) if part.strip()), "")
    line = " ".join(re.sub(r"^\s*(?:[-*+>]|\d+[.)])\s+", "", each) for each in first.split("\n"))
    plain = "".join(char for char in " ".join(line.split()) if char.isprintable())
    shown = shorten(plain, LONGEST_QUOTE)
    return f"“{shown}”" if shown else ""
