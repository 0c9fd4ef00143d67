"""Rules about which card a file is: its front matter, its id, its name."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from memdown.diagnostics import Finding, Fix, first_line, rule, rule_across
from memdown.dialects.cards import grammar
from memdown.errors import quote, way
from memdown.homes import parts_of
from memdown.markdown import cardfile, frontmatter
from memdown.markdown.frontmatter import FrontMatterValue
from memdown.record import Document
from memdown.text import Span


def front_of(doc: Document) -> frontmatter.FrontMatter | None:
    """The front matter, read once for all rules; None when there is none, or one that is broken, which has an error."""
    front = doc.of(frontmatter.read)
    return None if front is None or front.faults() else front


def mending(doc: Document, key: str, value: str | Sequence[str], how: str, *, safe: bool = True) -> Fix | None:
    """The fix that sets one value; None where that would make a block that is too large."""
    front = front_of(doc)
    try:
        edits = frontmatter.set_value(doc.text, front, key, value, cardfile.ALWAYS_QUOTED) if front else []
    except ValueError:
        return None
    return Fix(how, tuple(edits), safe) if edits else None


def value_of(doc: Document, key: str) -> FrontMatterValue | None:
    """The value of a key; None when it is absent, or nothing can be read."""
    front = front_of(doc)
    entry = front.get(key) if front else None
    return entry.value if entry else None


def text_of(doc: Document, key: str) -> str:
    """A value as text; empty when the key is absent, or holds a list or a map."""
    value = value_of(doc, key)
    return value.text or "" if value else ""


def value_span(doc: Document, key: str) -> Span:
    """Where the value of a key stands; its key when the value is empty."""
    front = front_of(doc)
    entry = front.get(key) if front else None
    if entry is None:
        return first_line(doc)
    return entry.value.span if entry.value.span.end > entry.value.span.start else entry.key_span


def missing(doc: Document, key: str) -> bool:
    return front_of(doc) is not None and value_of(doc, key) is None


def stem(doc: Document) -> str:
    return PurePosixPath(doc.path.replace("\\", "/")).stem


@rule("CRD001", "error")
def front_matter_missing(doc: Document) -> Iterator[Finding]:
    """A file named as a card has no front matter.

    Its name is a UUID, so tools treat it as a memory, but nothing in it says what the memory is about. Many of them
    silently skip such a file, and the memory is lost to everyone who relies on them.

    Bad:
        The build needs Node 20.
    Good:
        ---
        id: 3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b
        subject: The build needs Node 20
        ---

        The build needs Node 20.
    """
    if doc.of(frontmatter.read) is None and grammar.UUID.fullmatch(stem(doc).lower()):
        yield Finding(
            first_line(doc),
            f"{parts_of(doc.path)[-1]} has no front matter; begin it with `---` and its id, subject and occurred_at.",
        )


@rule("CRD002", "info")
def stray_file(doc: Document) -> Iterator[Finding]:
    """A file in the folder of cards is not a card.

    It has no front matter and its name is not a UUID. It is kept and shown as prose; say what it is about in
    front matter to make it a memory, or move it.

    Bad memories/notes.md:
        Some notes.
    Good memories/README.md:
        What this folder is for.
    """
    if doc.of(frontmatter.read) is None and not grammar.UUID.fullmatch(stem(doc).lower()):
        yield Finding(
            first_line(doc),
            f"{parts_of(doc.path)[-1]} is in the folder of cards but is not a card: it has no front matter; "
            "move it elsewhere.",
        )


@rule("CRD010", "error")
def id_missing(doc: Document) -> Iterator[Finding]:
    """The front matter has no `id`.

    The id is how other memories, tools and people point at this one, whatever the file is called.

    Bad:
        ---
        subject: Error handling
        ---
    Good:
        ---
        id: 3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b
        subject: Error handling
        ---

    ## Fix

    When the file is named by a UUID, the safe fix writes that as the id.
    """
    if front_of(doc) is None or text_of(doc, "id"):
        return
    name = stem(doc).lower()
    fix = mending(doc, "id", name, "take the id from the file's name") if grammar.UUID.fullmatch(name) else None
    yield Finding(
        value_span(doc, "id"), "The front matter has no id; add a UUID, which is the name of the file too.", fix
    )


@rule("CRD011", "error")
def id_invalid(doc: Document) -> Iterator[Finding]:
    """The `id` is not a UUID.

    The id becomes the file's name, so only the canonical form is accepted: 32 hexadecimal digits in five groups
    joined by hyphens. Anything else could name a file somewhere else, or no file at all.

    Bad:
        ---
        id: error-handling
        ---
    Good:
        ---
        id: 3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b
        ---
    """
    id, value = text_of(doc, "id"), value_of(doc, "id")
    if id and not grammar.UUID.fullmatch(id.lower()):
        yield Finding(value_span(doc, "id"), f"The id {quote(id)} is not a UUID; {way('card repair')} gives it one.")
    elif value and value.text is None:
        yield Finding(value_span(doc, "id"), "The id is a list or a map, not a UUID.")


@rule("CRD012", "warning")
def id_not_v4(doc: Document) -> Iterator[Finding]:
    """The `id` is a UUID of another version than 4.

    A version 4 UUID is random, so two people who add memories at the same time never choose the same one.
    Other versions are read all the same.

    Bad:
        ---
        id: 6ba7b810-9dad-11d1-80b4-00c04fd430c8
        ---
    Good:
        ---
        id: 3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b
        ---
    """
    id = text_of(doc, "id").lower()
    if grammar.UUID.fullmatch(id) and not grammar.UUID4.fullmatch(id):
        yield Finding(value_span(doc, "id"), f"The id {quote(id)} is a UUID, but not a random one (version 4).")


@rule("CRD013", "warning")
def id_not_lower_case(doc: Document) -> Iterator[Finding]:
    """The `id` is written with capital letters.

    File systems disagree about whether `A` and `a` name the same file; the canonical form has small letters.

    Bad:
        ---
        id: 3F2B8C1E-5A4D-4E6F-9B7A-0C1D2E3F4A5B
        ---
    Good:
        ---
        id: 3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b
        ---

    ## Fix

    The safe fix writes the id in lower case.
    """
    id = text_of(doc, "id")
    if id != id.lower() and grammar.UUID.fullmatch(id.lower()):
        fix = mending(doc, "id", id.lower(), "write the id in lower case")
        yield Finding(value_span(doc, "id"), f"The id {quote(id)} has capital letters; write {quote(id.lower())}.", fix)


@rule("CRD014", "warning")
def file_name_mismatch(doc: Document) -> Iterator[Finding]:
    """The file is not named by the card's `id`.

    The id decides which card this is; a file under another name is found by reading every file instead of
    one. It happens when a card is copied by hand: then the copy needs an id of its own.

    Bad memories/copy-of-card.md:
        ---
        id: 3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b
        ---
    Good memories/3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b.md:
        ---
        id: 3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b
        ---

    ## Fix

    `memdown card repair` renames the file.
    """
    id = text_of(doc, "id").lower()
    if grammar.UUID.fullmatch(id) and stem(doc) != id:
        yield Finding(value_span(doc, "id"), f"The file should be named {id}.md; {way('card repair')} renames it.")


@rule_across("CRD015", "error")
def id_duplicate(docs: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """Two cards have the same `id`.

    A lookup of that id finds one of them, and it is undefined which. The first by file name keeps the id.

    Bad memories/3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b.md:
        ---
        id: 3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b
        ---
    and memories/copy.md:
        ---
        id: 3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b
        ---
    Good memories/3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b.md:
        ---
        id: 3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b
        ---
    and memories/77c1a5d2-0b3e-4f6a-8d9c-1e2f3a4b5c6d.md:
        ---
        id: 77c1a5d2-0b3e-4f6a-8d9c-1e2f3a4b5c6d
        ---
    """
    by_id: dict[str, list[Document]] = defaultdict(list)
    for doc in docs:
        for record in doc.records:
            by_id[record.id].append(doc)
    for id, same in by_id.items():
        first, *others = sorted(same, key=lambda doc: doc.path)
        for doc in others:
            yield (
                doc,
                Finding(
                    value_span(doc, "id"),
                    f"{first.path} has the id {id} too; {way('card repair')} gives one of them another.",
                ),
            )
