"""What memory says and a file of an assistant says too."""

from collections.abc import Iterator, Sequence

from memdown.diagnostics import Finding, rule_across
from memdown.dialects import DIALECTS
from memdown.errors import quote
from memdown.homes import ASSISTANTS
from memdown.markdown import blocks
from memdown.record import Document
from memdown.text import Span, line_end

_FEWEST_WORDS = 6
_SHORTEST = 40
"""What is shorter is said in many places, and means little."""
_MARKS = str.maketrans("", "", "*_`")


@rule_across("MD031", "info")
def said_to_assistants(documents: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """An assistant's file, such as AGENTS.md or a Cursor rule, says the same as this line of memory.

    Both are read in every session, so it costs twice; and when one of them is changed, the other is wrong.
    Paragraphs, items and titles of entries of at least six words are compared, ignoring case and emphasis. Files
    of assistants are read, never changed.

    Bad AGENTS.md:
        # Rules

        - Never push to the release branch without a reviewed pull request.
    and memory-bank/systemPatterns.md:
        # System Patterns

        - **Never** push to the release branch without a reviewed pull request.
    Good AGENTS.md:
        # Rules

        - How branches are handled is in memory-bank/systemPatterns.md.
    and memory-bank/systemPatterns.md:
        # System Patterns

        - **Never** push to the release branch without a reviewed pull request.
    """
    theirs: dict[str, str] = {}
    for doc in filter(_is_assistants, documents):
        for text, span in _paragraphs(doc):
            theirs.setdefault(text, f"{doc.path}:{doc.lines.at(span.start) + 1}")
    for doc in documents if theirs else ():
        if not _is_assistants(doc):
            said = dict([*_titles(doc), *_paragraphs(doc)])
            for text, span in said.items():
                if text in theirs:
                    own = quote(" ".join(span.of(doc.text).split())[:60])
                    yield doc, Finding(span, f"{theirs[text]} says the same as {own}; keep one of them.")


def _is_assistants(doc: Document) -> bool:
    return doc.dialect not in DIALECTS and doc.path.startswith(ASSISTANTS)


def _paragraphs(doc: Document) -> Iterator[tuple[str, Span]]:
    """Paragraphs and items that say something, as they are compared."""
    for block in blocks.scan(doc.text):
        if block.kind == "paragraph" and (text := _compared(block.span.of(doc.text))):
            yield text, block.span


def _titles(doc: Document) -> Iterator[tuple[str, Span]]:
    """The titles that entries have in their first line."""
    for record in doc.records:
        title = record.title or ""
        at = doc.text.find(title, record.span.start, line_end(doc.text, record.span.start))
        if at >= 0 and (text := _compared(title)):
            yield text, Span(at, at + len(title))


def _compared(said: str) -> str:
    """What is compared of a text; empty when it says too little."""
    words = said.translate(_MARKS).casefold().split()
    text = " ".join(words).lstrip("-+>[]x ").rstrip(" .")
    says_enough = len(words) >= _FEWEST_WORDS and len(text) >= _SHORTEST and not text.endswith((":", "："))
    return text if says_enough else ""
