"""Rules about the files of a bank: which are there, what they hold, what they cost."""

from collections.abc import Iterator, Sequence

from memdown.diagnostics import Finding, Fix, first_line, rule, rule_across
from memdown.dialects.bank import grammar, names
from memdown.dialects.bank.grammar import layer_named
from memdown.dialects.bank.layouts import KILO
from memdown.dialects.bank.rules.common import banks, layers, layout
from memdown.dialects.bank.sections import outline
from memdown.dialects.bank.templates import Layer
from memdown.errors import way
from memdown.homes import bank_of, parts_of
from memdown.markdown import tokens
from memdown.record import Document
from memdown.text import BOM, Edit, Span, eol_of

_LOG = "decisionLog.md"
_FEW_WORDS = 30
"""What a file says that nobody filled in: its title and a sentence."""


@rule_across("BNK001", "error", whole=True)
def required_file_missing(documents: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """A bank has no projectBrief.md, activeContext.md or progress.md, though its layout has one.

    A session begins by reading the bank. Without these three it does not know what the project is, what is being
    done, or what is done already. Files that the layout does not have are not missing: Roo's five files have no brief,
    Kilo's five no progress, and next to a journal none is required.

    Bad memory-bank/projectBrief.md:
        # Project Brief
    Good memory-bank/projectBrief.md:
        # Project Brief
    and memory-bank/activeContext.md:
        # Active Context
    and memory-bank/progress.md:
        # Progress
    """
    yield from _missing(documents, required=True)


@rule_across("BNK002", "info", whole=True)
def recommended_file_missing(documents: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """A bank has no productContext.md, systemPatterns.md, techContext.md or decisionLog.md, though its layout has one.

    Work can go on without them, but every session has to find out again what they would say. Cline's six files and
    Kilo's five have no log of decisions, and Roo's five no techContext.md.

    Bad memory-bank/projectBrief.md:
        # Project Brief
    Good memory-bank/productContext.md:
        # Product Context
    and memory-bank/systemPatterns.md:
        # System Patterns
    and memory-bank/techContext.md:
        # Tech Context
    and memory-bank/decisionLog.md:
        # Decision Log
    """
    yield from _missing(documents, required=False)


def _missing(documents: Sequence[Document], *, required: bool) -> Iterator[tuple[Document, Finding]]:
    found = banks(documents)
    for bank in found:
        there = {file: doc.path for file, doc in layers(bank)}
        kind = layout(bank)
        for file in kind.missing(there, required=required) if there else ():
            name, home = kind.files[file], bank_of(bank[0].path)
            what = layer_named(file).role
            made = f", or run {way('init')}" if len(found) == 1 else ""  # which fills one bank, perhaps another
            message = f"The bank {home}/ has no {name} ({what}); create it{made}."
            yield bank[0], Finding(first_line(bank[0]), message)


@rule_across("BNK003", "warning")
def two_files_of_one_layer(documents: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """Two files of a bank are the same one of the seven, under different names.

    Readers of the bank see one of them and miss what is in the other. The file with the canonical name counts. A name
    in capitals belongs to another document, as README.md does.

    Bad memory-bank/projectBrief.md:
        # Project Brief
    and memory-bank/brief.md:
        # Brief
    Good memory-bank/projectBrief.md:
        # Project Brief
    """
    for bank in banks(documents):
        by_layer: dict[str, list[Document]] = {}
        for file, doc in layers(bank):
            by_layer.setdefault(file, []).append(doc)
        for file, docs in by_layer.items():
            ranked = sorted(docs, key=lambda doc: (not doc.path.endswith(f"/{file}"), doc.path))
            for doc in (each for each in ranked[1:] if not parts_of(each.path)[-1][:-3].isupper()):
                message = (
                    f"{parts_of(doc.path)[-1]} and {parts_of(ranked[0].path)[-1]} are both {file}; "
                    "the second counts, so "
                    "move into it what is here."
                )
                yield doc, Finding(first_line(doc), message)


@rule_across("BNK004", "error")
def empty_file(documents: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """One of the seven files is empty.

    It looks as if it existed, so nobody writes it. This is an error for files that the layout requires, and a warning
    for the others, and for all of them next to a journal.

    Bad (bytes memory-bank/projectBrief.md):
        \\n
    Good memory-bank/projectBrief.md:
        # Project Brief

        ## Mission Statement
        Invoices for craftsmen, offline.
    """
    for bank in banks(documents):
        for file, doc in layers(bank):
            if not doc.text.strip(f"{BOM} \t\r\n"):
                layer, required = layer_named(file), layout(bank).requires(layer_named(file))
                way_out = f"run {way('init')}" if required else "delete it"
                message = f"{parts_of(doc.path)[-1]} ({layer.role}) is empty; fill it in, or {way_out}."
                yield doc, Finding(first_line(doc), message, severity=None if required else "warning")


@rule("BNK005", "error")
def no_heading(doc: Document) -> Iterator[Finding]:
    """One of the seven files has no heading.

    Sections are found by their headings; text without any cannot be distinguished, replaced or summarized. This is an
    error for the three that are required, and a warning for the others.

    Bad memory-bank/projectBrief.md:
        Invoices for craftsmen, offline.
    Good memory-bank/projectBrief.md:
        # Project Brief

        Invoices for craftsmen, offline.

    ## Fix

    The unsafe fix adds the title of the file, which turns a note into a section.
    """
    layer = grammar.layer_of(doc.path)
    if layer and doc.text.strip(f"{BOM} \t\r\n") and not doc.of(outline).sections:
        eol = eol_of(doc.text)
        at = doc.of(outline).body or int(doc.text.startswith(BOM))
        fix = Fix(f"add the title {layer.title}", (Edit(Span(at, at), f"# {layer.title}{eol}{eol}"),), safe=False)
        message = f"{parts_of(doc.path)[-1]} has no heading; begin it with `# {layer.title}`."
        yield Finding(first_line(doc), message, fix, severity=None if layer.required else "warning")


@rule("BNK006", "warning")
def not_what_its_name_says(doc: Document) -> Iterator[Finding]:
    """A file has none of the sections of its template, under no name that is known for them.

    It then most likely contains something else, and what belongs there is missing. It is info for a file with much
    text, since its sections may have other names, or be in another language, and for Kilo's files, which do not require
    sections.

    Bad memory-bank/techContext.md:
        # Tech Context

        ## Meeting of the second of March
        Everybody was there.
    Good memory-bank/techContext.md:
        # Tech Context

        ## Technologies
        - Python 3.12
    """
    layer = grammar.layer_of(doc.path)
    sections = doc.of(outline).sections
    if layer is None or not sections or layer.file == _LOG:
        return
    says_something = len(doc.text.split()) > len(sections[0].title.split()) + 1
    tracks = layer.file == "progress.md" and any(record.kind in ("task", "milestone") for record in doc.records)
    if says_something and not tracks and not any(names.resembles(section.title, layer) for section in sections):
        own = len(doc.text.split()) > _FEW_WORDS or parts_of(doc.path)[-1] in KILO.files.values()
        yield Finding(first_line(doc), _no_section(doc, layer), severity="info" if own else None)


def _no_section(doc: Document, layer: Layer) -> str:
    wanted = ", ".join([section.heading for section in layer.sections if section.level == 2][:3])
    name = parts_of(doc.path)[-1]
    return f"{name} has no section that belongs in it, such as {wanted}; add one, or rename the file."


@rule("BNK008", "info")
def file_above_budget(doc: Document) -> Iterator[Finding]:
    """One of the seven files costs more than 1,000 tokens to read.

    Every session reads all of them. A file should be read in less than two minutes: cut explanations, prefer lists,
    archive what is completed. The decision log may grow. Tokens are estimated; `memdown budget` shows where you can
    save most.

    Bad (repeated150 memory-bank/systemPatterns.md):
        Requests go through one gateway.
    Good memory-bank/systemPatterns.md:
        # System Patterns

        ## Architecture
        Requests go through one gateway.
    """
    layer = grammar.layer_of(doc.path)
    cost = tokens.estimate(doc.text)
    if layer and layer.file != _LOG and cost > grammar.FILE_TOKENS:
        yield Finding(
            first_line(doc),
            f"{parts_of(doc.path)[-1]} costs about {cost:,} tokens, above {grammar.FILE_TOKENS:,}; "
            f"{way('budget')} says what to cut.",
        )


@rule_across("BNK009", "warning")
def bank_above_budget(documents: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """The seven files together cost more than 5,000 tokens to read.

    That much is missing from every session for the work itself; it is a warning from 10,000 on. Archive completed items
    and old context; `memdown budget` says where most can be saved. Tokens are estimated.

    Bad (repeated800 memory-bank/decisionLog.md):
        ## Decision: Use one gateway
    Good memory-bank/decisionLog.md:
        # Decision Log

        ## Decision: Use one gateway
    """
    for bank in banks(documents):
        costs = [(tokens.estimate(doc.text), doc) for _, doc in layers(bank)]
        total = sum(cost for cost, _ in costs)
        if total > grammar.BANK_TOKENS:
            most, largest = max(costs, key=lambda each: (each[0], each[1].path))
            here = f", {most:,} of them for this file" if most < total else ""
            message = (
                f"The bank costs about {total:,} tokens to read{here}; keep it below {grammar.BANK_TOKENS:,}: "
                f"{way('slim')} proposes what to archive."
            )
            severity = "info" if total < 2 * grammar.BANK_TOKENS else None
            yield largest, Finding(first_line(largest), message, severity=severity)
