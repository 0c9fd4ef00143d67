"""Rules about a card's content: its hash, its length, its twins."""

from collections.abc import Iterator, Sequence

from memdown.diagnostics import Finding, Fix, first_line, rule, rule_across, shown_at
from memdown.dialects.cards import grammar
from memdown.dialects.cards.rules.identity import front_of, mending, missing, text_of, value_span
from memdown.dialects.cards.upkeep import mistyped, quotes, twins
from memdown.errors import quote, way
from memdown.markdown import cardfile, frontmatter
from memdown.record import Document, Record
from memdown.text import Span


@rule("CRD060", "info")
def content_hash_missing(doc: Document) -> Iterator[Finding]:
    """The front matter has no `content_hash`.

    With the hash a tool sees that a memory is there already without reading its content. It is computed from
    the content: the first 16 hexadecimal digits of its SHA-256.

    Bad:
        ---
        subject: Node version
        ---

        The build needs Node 20.
    Good:
        ---
        subject: Node version
        content_hash: 'd9a1311d4529acfc'
        ---

        The build needs Node 20.

    ## Fix

    The safe fix adds it.
    """
    front = front_of(doc)
    if front and missing(doc, "content_hash"):
        fix = mending(doc, "content_hash", _hash(doc, front), "add the hash of the content")
        yield Finding(first_line(doc), "The front matter has no content_hash; add the hash of the content.", fix)


@rule("CRD061", "error")
def content_hash_invalid(doc: Document) -> Iterator[Finding]:
    """`content_hash` is not 16 hexadecimal digits in small letters.

    No content has such a hash, so this card is never recognised as one that is there already.

    Bad:
        ---
        content_hash: sha256-abc
        ---

        The build needs Node 20.
    Good:
        ---
        content_hash: 'd9a1311d4529acfc'
        ---

        The build needs Node 20.

    ## Fix

    The unsafe fix writes the hash of the content as it is now.
    """
    front = front_of(doc)
    if front and front.get("content_hash") and not grammar.HASH.fullmatch(text_of(doc, "content_hash")):
        fix = mending(doc, "content_hash", _hash(doc, front), "write the hash of the content", safe=False)
        yield Finding(
            value_span(doc, "content_hash"),
            f"The content_hash {quote(text_of(doc, 'content_hash'))} is not 16 hexadecimal digits in small letters.",
            fix,
        )


@rule("CRD062", "warning")
def content_hash_mismatch(doc: Document) -> Iterator[Finding]:
    """`content_hash` is not the hash of the content.

    The content was edited by hand, which is fine, or damaged, which is not. Until the hash is right, this card
    is not recognised as one that is there already.

    Bad:
        ---
        content_hash: '0123456789abcdef'
        ---

        The build needs Node 20.
    Good:
        ---
        content_hash: 'd9a1311d4529acfc'
        ---

        The build needs Node 20.

    ## Fix

    The unsafe fix writes the hash of the content as it is now; look at the content first.
    """
    front = front_of(doc)
    carried = text_of(doc, "content_hash")
    if front is None or not grammar.HASH.fullmatch(carried):
        return
    honest = grammar.hashes_of(doc.text[front.body :])
    if carried not in honest:
        fix = mending(doc, "content_hash", _hash(doc, front), "write the hash of the content", safe=False)
        message = f"The content_hash is {carried}, but the content has {honest[0]}: it was edited after it was hashed."
        yield Finding(value_span(doc, "content_hash"), message, fix)


def _hash(doc: Document, front: frontmatter.FrontMatter) -> str:
    return cardfile.content_hash(cardfile.canonical(doc.text[front.body :]))


@rule("CRD063", "info")
def value_without_quotes(doc: Document) -> Iterator[Finding]:
    """A time or hash is written without quotes.

    memdown reads it as plain text. Other YAML readers turn `2026-01-15T10:30:00Z` into a date and `890147e807765334`
    into a number, and then drop the card, since it does not have what they expect.

    Bad:
        ---
        occurred_at: 2026-01-15T10:30:00Z
        ---
    Good:
        ---
        occurred_at: '2026-01-15T10:30:00Z'
        ---

    ## Fix

    The safe fix adds the quotes.
    """
    front = front_of(doc)
    for key, span in mistyped(front) if front else ():
        message = (
            f"The {key} {shown_at(doc, span)} has no quotes, and other YAML readers take it for a date or a number."
        )
        yield Finding(span, message, Fix("add quotes", quotes(span)))


@rule("CRD070", "error")
def content_too_short(doc: Document) -> Iterator[Finding]:
    """The content has fewer than 10 characters.

    So little says nothing that the subject does not say.

    Bad:
        ---
        subject: Node version
        ---

        Node 20
    Good:
        ---
        subject: Node version
        ---

        The build needs Node 20.
    """
    front = front_of(doc)
    if front is None:
        return
    length = len(cardfile.canonical(doc.text[front.body :]))
    if length < cardfile.CONTENT_MINIMUM:
        body = doc.text[front.body :]
        start = front.body + len(body) - len(body.lstrip())
        span = Span(start, start + length) if length else first_line(doc)
        message = f"The content has {length} characters; at least {cardfile.CONTENT_MINIMUM} are expected."
        yield Finding(span, message)


@rule_across("CRD080", "warning")
def duplicate(docs: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """Two cards have the same content and time.

    They are one memory, saved twice; both are recalled, and both cost tokens.

    Bad memories/3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b.md:
        ---
        id: 3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b
        occurred_at: '2026-01-15T10:30:00Z'
        ---

        The build needs Node 20.
    and memories/77c1a5d2-0b3e-4f6a-8d9c-1e2f3a4b5c6d.md:
        ---
        id: 77c1a5d2-0b3e-4f6a-8d9c-1e2f3a4b5c6d
        occurred_at: '2026-01-15T11:30:00+01:00'
        ---

        The build needs Node 20.
    Good memories/3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b.md:
        ---
        id: 3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b
        occurred_at: '2026-01-15T10:30:00Z'
        ---

        The build needs Node 20.

    ## Fix

    `memdown card dedupe` lists them; with `--delete` it keeps the first by file name.
    """
    by_path = {doc.path: doc for doc in docs}
    for same in twins(record for doc in docs for record in doc.records):
        for record in same[1:]:
            doc = by_path[record.path]
            message = f"{same[0].path} has the same content and time; {way('card dedupe')} keeps one."
            yield doc, Finding(value_span(doc, "occurred_at"), message)


@rule_across("CRD081", "info")
def content_twice(docs: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """Two cards with different times have the same content.

    Both are recalled, and both cost tokens. One of the two is enough.

    Bad memories/3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b.md:
        ---
        id: 3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b
        occurred_at: '2026-01-15T10:30:00Z'
        ---

        The build needs Node 20.
    and memories/77c1a5d2-0b3e-4f6a-8d9c-1e2f3a4b5c6d.md:
        ---
        id: 77c1a5d2-0b3e-4f6a-8d9c-1e2f3a4b5c6d
        occurred_at: '2026-01-18T08:00:00Z'
        ---

        The build needs Node 20.
    Good memories/3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b.md:
        ---
        id: 3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b
        occurred_at: '2026-01-15T10:30:00Z'
        ---

        The build needs Node 20.
    """
    twice = {record.path for same in twins(record for doc in docs for record in doc.records) for record in same[1:]}
    first: dict[str, Record] = {}
    for doc in docs:
        for record in doc.records:
            other = first.setdefault(record.body, record) if record.body else record
            if other is not record and record.path not in twice:
                message = f"The same text is in {other.path}; {way('card dedupe')} keeps one."
                yield doc, Finding(value_span(doc, "occurred_at"), message)
