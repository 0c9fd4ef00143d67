"""What a prompt needs to know from further away: assistants' files, your own memory, sources of a team or a company."""

import os
import sqlite3

from memdown.index import elsewhere
from memdown.index.elsewhere import Place
from memdown.index.hook_state import State, bare
from memdown.index.lookup import IndexedRecord, Lookup, patience
from memdown.index.terms import SearchTerm, is_question

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_HITS = 3
_READ_BY_CLAUDE = ("CLAUDE.md", ".claude/")
"""What Claude Code has read by itself, and need not be told again."""


def fitting(
    state: State, own: Lookup, prompt: str, words: "list[SearchTerm]", enough: float
) -> "Iterator[tuple[IndexedRecord, str, str]]":
    """Records that answer, the most specific place first, each with what it says, and the key of what overrides it.

    One that the project, or a more specific place, has under the same title is overridden by that.
    """
    titles: dict[str, str] = {}
    for place in _places(state):
        try:
            with place.index.reading() as db:
                lookup = Lookup(db, place.root, behind=place.behind)
                for record in lookup.best(words, called=not is_question(prompt), enough=enough):
                    if _is_wanted(place, record, state):
                        text = lookup.snippet(record, words)
                        _placed(place, record)
                        yield record, text, _overriding(own, record, titles)
        except (sqlite3.Error, OSError) as error:
            state.messages.append(f"the source {place.name or place.level} is skipped: {error}")


def _places(state: State) -> "Iterator[Place]":
    try:
        sources = elsewhere.listed(state.root)
    except (sqlite3.Error, OSError) as error:
        state.messages.append(f"sources.json cannot be read: {error}")
        sources = []
    yield from elsewhere.opened(state.root, sources, limit=patience(state), tell=state.messages.append)


def _is_wanted(place: Place, record: IndexedRecord, state: State) -> bool:
    if place.level == elsewhere.ASSISTANT:
        return "CLAUDE_PROJECT_DIR" not in os.environ or not record.path.startswith(_READ_BY_CLAUDE)
    where = f"{record.path}:{record.line}"
    return elsewhere.is_harmless(place, where, f"{record.title}\n{record.body}", state.messages.append)


def _placed(place: Place, record: IndexedRecord) -> None:
    """Have a record say where it is from."""
    record.origin, record.settled = elsewhere.label(place.level, place.name), True
    if place.name:
        record.path = os.path.join(place.root, record.path)


def _overriding(own: Lookup, record: IndexedRecord, titles: dict[str, str]) -> str:
    """The key of the more specific record that is called the same; empty when there is none."""
    title = bare(record.title).casefold()
    if not title:
        return ""
    same = [number for number, each in own.called(record.title) if bare(each).casefold() == title]
    by = titles.get(title) or next((each.key for each in own.numbered(same)), "")
    titles.setdefault(title, by or record.key)
    return by
