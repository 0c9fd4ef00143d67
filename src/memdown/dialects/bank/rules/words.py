"""Rules about how a bank is written: for a stranger, to the point, with dates, and no longer than it must be."""

import re
from collections import defaultdict
from collections.abc import Iterator

from memdown.diagnostics import Finding, first_line, rule, shown_at
from memdown.dialects.bank import dates
from memdown.dialects.bank.grammar import STARTED, layer_of
from memdown.dialects.bank.rules.common import RECENT_DAYS, filled, is_layer, line_of
from memdown.dialects.bank.sections import DONE, BankSection, ListItem, Outline, named, outline
from memdown.homes import parts_of
from memdown.patterns import lazy
from memdown.record import Document
from memdown.text import Span

_LONG_PARAGRAPH = 120
_FOCUS_SENTENCES = 2
_RELATIVE = lazy(
    r"\b(?:today|yesterday|tomorrow|(?:last|next|this) (?:week|month|night|morning|evening|afternoon)|"
    r"(?:a few|some|several|two|three) (?:days|weeks) ago|just now)\b",
    re.IGNORECASE,
)
_TALK = lazy(
    r"\bas (?:we |I |you )?(?:discussed|mentioned|agreed|talked about|said)(?: (?:above|before|earlier|previously))?\b|"
    r"\b(?:in|from) (?:the|our|this|that) (?:previous|last|earlier|above) (?:conversation|chat|message|discussion)\b|"
    r"\bsee (?:the )?(?:chat|conversation)\b",
    re.IGNORECASE,
)
_VAGUE = lazy(
    r"(?:\*\*)?(?:various|several|some|misc(?:ellaneous)?|minor|small|many|more|other|general)?\s*"
    r"(?:bug ?fix(?:es)?|bugs?|fix(?:es|ed)?(?: (?:bugs?|issues?|things?|stuff|it))?|"
    r"improve(?:ments?|d)?(?: (?:code|things|it))?|"
    r"updat(?:es?|ed)(?: (?:code|files?|things|stuff|it))?|changes?(?: made)?|refactor(?:ing|ed)?(?: code)?|cleanup|"
    r"clean(?:ed)? up(?: code)?|tweaks?|stuff|things|work(?: done)?|progress(?: made)?|tests?|testing)(?:\*\*)?[.!]?",
    re.IGNORECASE,
)
_SENTENCE = lazy(r"[.!?。！？](?=\s|$)")


def _sections(doc: Document, file: str, name: str) -> Iterator[BankSection]:
    """The sections of a layer that are this one of its template."""
    layer = layer_of(doc.path)
    if layer is None or layer.file != file:
        return
    sections = doc.of(outline).sections
    yield from (section for section, known in zip(sections, named(sections, layer), strict=True) if known == name)


def _own_items(layout: Outline) -> dict[int, list[ListItem]]:
    """Items that are in no other, by the place where the heading above them begins."""
    found: dict[int, list[ListItem]] = defaultdict(list)
    for item in layout.items:
        if item.depth == 0 and item.section is not None and item.text.start < item.text.end:
            found[layout.sections[item.section].head.start].append(item)
    return found


@rule("BNK050", "info")
def says_nothing(doc: Document) -> Iterator[Finding]:
    """An item is so vague that it could be about anything.

    Name files, functions, error messages: the reader was not there.

    Bad memory-bank/progress.md:
        # Progress

        ## Completed
        - [x] Fixed bugs — 2026-02-01
    Good memory-bank/progress.md:
        # Progress

        ## Completed
        - [x] Rounding of VAT in `invoice.py` — 2026-02-01
    """
    for record in filled(doc.records, "task"):
        if _VAGUE.fullmatch(record.title or ""):
            yield Finding(line_of(doc, record), f"{record.title!r} could be about anything; say what it was.")


@rule("BNK051", "info")
def speaks_of_a_conversation(doc: Document) -> Iterator[Finding]:
    """The text refers to a conversation that its reader has not seen.

    The bank is all that carries over from one session to the next. Write down what was said, not that it was said.

    Bad memory-bank/activeContext.md:
        # Active Context

        ## Current Focus
        The import, as discussed earlier.
    Good memory-bank/activeContext.md:
        # Active Context

        ## Current Focus
        The import reads only the first sheet of a workbook.
    """
    for place, words in _found(doc, _TALK):
        yield Finding(place, f"{words!r} refers to a conversation that the reader has not seen; name the thing itself.")


@rule("BNK052", "info")
def day_without_a_date(doc: Document) -> Iterator[Finding]:
    """The text gives a day in words such as "yesterday".

    They are wrong a day later. Write the date.

    Bad memory-bank/activeContext.md:
        # Active Context

        ## Current State
        The import broke yesterday.
    Good memory-bank/activeContext.md:
        # Active Context

        ## Current State
        The import broke on 2026-02-01.
    """
    if is_layer(doc, "activeContext.md") or is_layer(doc, "progress.md") or is_layer(doc, "decisionLog.md"):
        for place, words in _found(doc, _RELATIVE):
            yield Finding(place, f"{words!r} means a different day to every reader; write the date.")


def _found(doc: Document, pattern: re.Pattern[str]) -> Iterator[tuple[Span, str]]:
    """Where a pattern is in prose; code is no prose."""
    for block in doc.of(outline).blocks:
        if block.kind == "paragraph":
            for match in pattern.finditer(doc.text, block.span.start, block.span.end):
                yield Span(*match.span()), match.group()


@rule("BNK053", "info")
def long_paragraph(doc: Document) -> Iterator[Finding]:
    """A paragraph has more than 120 words.

    The files are read at every start. Lists and short sentences are read faster and edited line by line.

    Bad (repeated30 memory-bank/productContext.md):
        Craftsmen write their invoices by hand.
    Good memory-bank/productContext.md:
        # Product Context

        ## Target Users
        - Craftsmen who write their invoices by hand.
        - Their tax advisers.
    """
    if layer_of(doc.path) is None:
        return
    for block in doc.of(outline).blocks:
        words = len(block.span.of(doc.text).split()) if block.kind == "paragraph" else 0
        if words > _LONG_PARAGRAPH:
            yield Finding(block.span, f"The paragraph {shown_at(doc, block.span)} has {words} words; make it a list.")


@rule("BNK054", "info")
def change_without_a_date(doc: Document) -> Iterator[Finding]:
    """A recent change does not say when.

    Then nobody can tell how recent it is. `memdown bank add-change` writes the date.

    Bad memory-bank/activeContext.md:
        # Active Context

        ## Recent Changes
        - Import reads all sheets
    Good memory-bank/activeContext.md:
        # Active Context

        ## Recent Changes
        - Import reads all sheets — 2026-02-01
    """
    items = _own_items(doc.of(outline))
    for section in _sections(doc, "activeContext.md", "Recent Changes"):
        if dates.STAMP_PATTERN.search(section.title):
            continue
        for item in items[section.head.start]:
            text = item.span.of(doc.text)
            if not dates.STAMP_PATTERN.search(text) and not dates.is_placeholder(text.split("\n")[0]):
                yield Finding(
                    Span(item.text.start, item.text.end),
                    f"The recent change {shown_at(doc, item.text)} has no date; add one as ` — 2026-01-31`.",
                )


@rule("BNK056", "info")
def focus_too_long(doc: Document) -> Iterator[Finding]:
    """The current focus is longer than two sentences.

    It says what is being worked on right now. The state of things belongs in Current State, and what comes next in Next
    Steps.

    Bad memory-bank/activeContext.md:
        # Active Context

        ## Current Focus
        The import. It reads sheets. It is slow. It has no tests.
    Good memory-bank/activeContext.md:
        # Active Context

        ## Current Focus
        The import of workbooks, which is slow.
    """
    items = _own_items(doc.of(outline))
    for section in _sections(doc, "activeContext.md", "Current Focus"):
        body = doc.text[section.body : section.end]
        sentences = len(_SENTENCE.findall(body))
        if sentences > _FOCUS_SENTENCES and not items[section.head.start]:
            yield Finding(section.head, f"The focus has {sentences} sentences; one or two are enough.")


@rule("BNK057", "warning")
def context_is_old(doc: Document) -> Iterator[Finding]:
    """The newest date of the active context is more than 30 days ago.

    It is replaced at every session. One this old describes last month's work, and misleads the next session. A file
    without any date says nothing about its age, and if git has no commit to the code since it was written, it is still
    accurate.

    Bad memory-bank/activeContext.md:
        # Active Context

        ## Recent Changes
        - Import reads all sheets — 2025-02-01
    Good memory-bank/activeContext.md:
        # Active Context

        ## Recent Changes
        - Import reads all sheets — 2026-02-20
    """
    if not is_layer(doc, "activeContext.md"):
        return
    day_first = dates.days_come_first(doc.text)
    found = (
        dates.stamp(match.group(), day_first=day_first)
        for match in dates.STAMP_PATTERN.finditer(doc.text)
        if not doc.text.endswith(STARTED, 0, match.start())  # that a session began says nothing of what is done
    )
    newest = max((moment.local.date() for moment in found if moment), default=None)
    today = doc.today if newest else None
    age = (today - newest).days if newest and today else 0
    if age > RECENT_DAYS and (doc.around is None or doc.around.behind(doc.path) != 0):
        name = parts_of(doc.path)[-1]
        message = f"The newest date of {name} is {newest}, {age} days ago; say what is being worked on now."
        yield Finding(first_line(doc), message)


@rule("BNK061", "info")
def done_but_still_there(doc: Document) -> Iterator[Finding]:
    """The active context still has a next step, a question or a blocker that is ticked off.

    It describes the current state. What was done belongs in the recent changes or in progress.md; left here, it is
    read at every start, and the next session has to find out what is still open.

    Bad memory-bank/activeContext.md:
        # Active Context

        ## Next Steps
        - [x] Import of receipts
        - [ ] Export of receipts
    Good memory-bank/activeContext.md:
        # Active Context

        ## Next Steps
        - [ ] Export of receipts
    """
    items = _own_items(doc.of(outline))
    for name in ("Next Steps", "Open Questions", "Blockers"):
        for section in _sections(doc, "activeContext.md", name):
            for item in items[section.head.start]:
                if item.state == DONE:
                    yield Finding(
                        item.text, f"{shown_at(doc, item.text)} is done, and still in {name}; move it to progress.md."
                    )
