"""What the rules of a bank share: which files make one bank, where a finding points."""

from collections.abc import Iterator, Sequence

from memdown.dialects.bank import grammar
from memdown.dialects.bank.layouts import Layout, is_beside_journal, layout_of
from memdown.homes import bank_of, parts_of
from memdown.record import Document, Record
from memdown.text import Span, line_end

RECENT_DAYS = 30
"""What is older than this is not recent."""


def line_of(doc: Document, record: Record) -> Span:
    """The line on which a record begins."""
    return Span(record.span.start, max(line_end(doc.text, record.span.start), record.span.start))


def is_layer(doc: Document, file: str) -> bool:
    layer = grammar.layer_of(doc.path)
    return layer is not None and layer.file == file


def filled(records: Sequence[Record], kind: str) -> Iterator[Record]:
    """Records of a kind that say something; a placeholder is told by a rule of its own."""
    return (record for record in records if record.kind == kind and "unfilled" not in record.extra)


def banks(documents: Sequence[Document]) -> list[list[Document]]:
    """Documents by the bank they are in."""
    found: dict[str, list[Document]] = {}
    for doc in documents:
        home = bank_of(doc.path)
        if home is not None:
            found.setdefault(home, []).append(doc)
    return list(found.values())


def layout(bank: Sequence[Document]) -> Layout:
    """The layout of a bank, by its files and those of a journal beside them."""
    around, home = bank[0].around, bank_of(bank[0].path)
    journal = around is not None and is_beside_journal(lambda name: around.has(f"{home}/{name}"))
    return layout_of({file: parts_of(doc.path)[-1] for file, doc in layers(bank)}, journal=journal)


def layers(bank: Sequence[Document]) -> list[tuple[str, Document]]:
    """Those of the seven files that are there, by their canonical names."""
    return [(layer.file, doc) for doc in bank if (layer := grammar.layer_of(doc.path))]
