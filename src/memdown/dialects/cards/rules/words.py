"""Rules about the words a card is found by: subject and keywords."""

from collections.abc import Iterator

from memdown.diagnostics import Finding, first_line, rule, shown_at
from memdown.dialects.cards import grammar
from memdown.dialects.cards.rules.identity import mending, missing, text_of, value_of, value_span
from memdown.dialects.front import texts, words
from memdown.errors import quote
from memdown.markdown import cardfile
from memdown.record import Document


@rule("CRD020", "error")
def subject_missing(doc: Document) -> Iterator[Finding]:
    """The front matter has no `subject`.

    The subject is what people and assistants see in every list and search result.

    Bad:
        ---
        keywords: [errors]
        ---
    Good:
        ---
        subject: Error handling convention
        keywords: [errors]
        ---
    """
    if missing(doc, "subject"):
        yield Finding(first_line(doc), "The front matter has no subject; say in a line what the card is about.")


@rule("CRD021", "error")
def subject_length(doc: Document) -> Iterator[Finding]:
    """The `subject` is empty or longer than 200 characters.

    A subject has to fit a line of a list. What does not fit belongs into the content.

    Bad:
        ---
        subject: ''
        ---
    Good:
        ---
        subject: Error handling convention
        ---
    """
    value = value_of(doc, "subject")
    if value is None:
        return
    if value.text is None:
        yield Finding(value_span(doc, "subject"), "The subject is a list or a map, not a line of text.")
    elif not 1 <= (length := len(value.text.strip())) <= cardfile.SUBJECT_LIMIT:
        message = (
            f"The subject {quote(text_of(doc, 'subject'))} has {length} characters; "
            f"1 to {cardfile.SUBJECT_LIMIT} are allowed."
        )
        yield Finding(value_span(doc, "subject"), message)


@rule("CRD022", "error")
def subject_lines(doc: Document) -> Iterator[Finding]:
    """The `subject` has more than one line.

    Lists and search results show one line; the rest would be cut off without anyone noticing. A folded value
    (`>-`) whose lines join to one is fine.

    Bad:
        ---
        subject: |-
          Error handling
          convention
        ---
    Good:
        ---
        subject: >-
          Error handling
          convention
        ---
    """
    lines = text_of(doc, "subject").strip().splitlines()
    if len(lines) > 1:
        message = f"The subject {quote(f'{lines[0]} …')} has more than one line; write one."
        yield Finding(value_span(doc, "subject"), message)


@rule("CRD030", "error")
def keywords_missing(doc: Document) -> Iterator[Finding]:
    """The front matter has no `keywords`.

    Keywords are the words under which this memory is found when its text uses others.

    Bad:
        ---
        subject: Error handling convention
        ---
    Good:
        ---
        subject: Error handling convention
        keywords:
          - errors
          - conventions
        ---
    """
    if missing(doc, "keywords") and not _is_thought(doc):
        yield Finding(first_line(doc), "The front matter has no keywords; list the words it should be found by.")


@rule("CRD031", "info")
def thought_without_keywords(doc: Document) -> Iterator[Finding]:
    """A card in `thinking-memory/` has no keywords, as all of its kind.

    Some tools keep an assistant's thinking in cards of a second kind, which never have keywords. They are
    read as cards; they can only be found by their words.

    Bad local-recall/thinking-memory/3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b.md:
        ---
        id: 3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b
        subject: The hook exists
        ---
    Good local-recall/thinking-memory/3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b.md:
        ---
        id: 3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b
        subject: The hook exists
        keywords: [hooks]
        ---
    """
    if missing(doc, "keywords") and _is_thought(doc):
        yield Finding(
            first_line(doc), "The card has no keywords, like every card of a thought; it is found by its text."
        )


def _is_thought(doc: Document) -> bool:
    return grammar.THOUGHTS in doc.path.replace("\\", "/").split("/")


@rule("CRD032", "error")
def keywords_count(doc: Document) -> Iterator[Finding]:
    """There are no keywords, or more than 20.

    Without keywords the memory is not found; with too many it is found for everything.

    Bad:
        ---
        keywords: []
        ---
    Good:
        ---
        keywords: [errors, conventions]
        ---
    """
    value = value_of(doc, "keywords")
    if value and not 1 <= (count := len(words(texts(value)))) <= cardfile.KEYWORDS_LIMIT:
        message = f"There are {count} keywords; 1 to {cardfile.KEYWORDS_LIMIT} are allowed."
        yield Finding(value_span(doc, "keywords"), message)


@rule("CRD033", "error")
def keyword_length(doc: Document) -> Iterator[Finding]:
    """A keyword is empty, longer than 50 characters, or more than one line.

    A keyword is a word or two that someone would search for; a sentence never matches.

    Bad:
        ---
        keywords:
          - errors
          - ''
        ---
    Good:
        ---
        keywords:
          - errors
        ---
    """
    value = value_of(doc, "keywords")
    for item in value.items if value else ():
        word = (item.text or "").strip()
        if item.text is None:
            yield Finding(item.span, f"The keyword {shown_at(doc, item.span)} is a list or a map, not a word.")
        elif not 1 <= len(word) <= cardfile.KEYWORD_LIMIT:
            message = (
                f"The keyword {quote(word)} has {len(word)} characters; 1 to {cardfile.KEYWORD_LIMIT} are allowed."
            )
            yield Finding(item.span, message)
        elif len(word.splitlines()) > 1:
            yield Finding(item.span, f"The keyword {quote(word)} has more than one line; write one word or phrase.")


@rule("CRD034", "warning")
def keyword_repeated(doc: Document) -> Iterator[Finding]:
    """A keyword is there twice.

    Case does not matter to a search, so `API` and `api` are the same keyword listed twice.

    Bad:
        ---
        keywords:
          - API
          - errors
          - api
        ---
    Good:
        ---
        keywords:
          - API
          - errors
        ---

    ## Fix

    The safe fix keeps the first of them.
    """
    value = value_of(doc, "keywords")
    if value is None or value.text is not None:
        return
    seen: set[str] = set()
    kept: list[str] = []
    repeated = []
    for item in value.items:
        word = (item.text or "").strip()
        if word and word.casefold() in seen:
            repeated.append((item.span, word))
        else:
            seen.add(word.casefold())
            kept.append(item.text or "")
    if not repeated:
        return
    fix = mending(doc, "keywords", kept, "keep each keyword once") if all(kept) else None
    for span, word in repeated:
        yield Finding(span, f"The keyword {quote(word)} is listed twice; keep one.", fix)


@rule("CRD035", "error")
def keywords_not_a_list(doc: Document) -> Iterator[Finding]:
    """`keywords` is a line of text, not a list.

    Other tools see one long keyword. memdown reads the words between the commas.

    Bad:
        ---
        keywords: errors, conventions
        ---
    Good:
        ---
        keywords:
          - errors
          - conventions
        ---

    ## Fix

    The unsafe fix makes a list of the texts between the commas.
    """
    value = value_of(doc, "keywords")
    if value is None or not (value.text or value.entries):
        return
    listed = words(texts(value))
    fix = mending(doc, "keywords", listed, "make it a list", safe=False) if listed else None
    yield Finding(
        value_span(doc, "keywords"),
        f"The keywords {shown_at(doc, value_span(doc, 'keywords'))} are not a list; write `[one, two]`.",
        fix,
    )
