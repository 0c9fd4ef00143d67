"""What a prompt needs to know: memories that share its telling words. Says nothing when nothing fits."""

from memdown import homes
from memdown.acts.recall import triggers
from memdown.index.hook_state import State, bare
from memdown.index.lookup import IndexedRecord, Lookup, ask
from memdown.index.terms import SearchTerm, is_chatter, is_question, prompt_terms
from memdown.lazy import LazyModule
from memdown.markdown.fence import FencedPiece, fenced, line

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memdown.acts.recall import beyond, paths, updating
    from memdown.index import standing
else:
    beyond, paths = LazyModule("memdown.acts.recall.beyond"), LazyModule("memdown.acts.recall.paths")
    standing, updating = LazyModule("memdown.index.standing"), LazyModule("memdown.acts.recall.updating")

_MOST_HITS = 5
_MOST_OF_A_FILE = 3
"""Records about a file that a prompt names; the other places are for what else it asks."""
_ENOUGH = 0.3
"""The part of what was asked, by how rare its words are, that a record needs to have."""
_TITLE = 200
"""Characters of a prompt that may be the title of a record as it stands."""


def recall(state: State, prompt: str, session: str) -> tuple[str, list[str]]:
    """What to say before an assistant answers a prompt, and the records it is from."""
    request = updating.request(state) if triggers.asks_for_update(prompt) else ""
    prompt, files = prompt.strip()[:20_000], list[str]()
    rest = triggers.without_the_bank(prompt)
    if "/" in rest or "." in rest:
        files, rest = paths.named(state.root, rest)
    words = prompt_terms(rest)
    shown = {row[0] for row in state.db.execute("select name from shown where session = ?", (session,))}
    wanted = (*files, prompt[:_TITLE], *(each.shown.strip('"') for each in words))
    pieces: list[FencedPiece] = []
    if words or files or not is_chatter(prompt):
        found = ask(state, lambda index: _all(state, index, prompt, files, words, shown), wanted)
        pieces = _stated(state, found) if found else []
    text, taken = fenced("Recalled for this prompt.", pieces, state.settings.prompt_tokens)
    return "\n\n".join(filter(None, (request, text))), [piece.name for piece in taken]


def _stated(state: State, found: list[tuple[IndexedRecord, list[str]]]) -> list[FencedPiece]:
    """Each record with its place and where it stands in trust."""
    standings = standing.Standings(state.root, state.settings.aging, state.db)
    return [
        FencedPiece(each.key, [each.headline(standings.of(each), standings.age(each)), *lines]) for each, lines in found
    ]


def _all(
    state: State, index: Lookup, prompt: str, files: list[str], words: list[SearchTerm], shown: set[str]
) -> list[tuple[IndexedRecord, list[str]]]:
    """Those of the project, then those from further away; one that is overridden is named by what overrides it."""
    found = _fitting(index, prompt, files, words, shown)
    if not words or not homes.reads_elsewhere(state.root):
        return found
    told = {each.key: lines for each, lines in found}
    most = len(found) + beyond.MOST_HITS
    for record, text, by in beyond.fitting(state, index, prompt, words, _ENOUGH):
        if by in told:
            told[by].append(f"  > Overrides {record.path}:{record.line} ({record.origin}).")
        elif not by and record.key not in shown and len(found) < most:
            told[record.key] = [f"  > {each}" for each in record.claim(text)]
            found.append((record, told[record.key]))
    return found


def _fitting(
    index: Lookup, prompt: str, files: list[str], words: list[SearchTerm], shown: set[str]
) -> list[tuple[IndexedRecord, list[str]]]:
    """The records to tell of, each with what it says."""
    found: list[tuple[IndexedRecord, list[str]]] = []
    taken: list[IndexedRecord] = []
    for record in _found(index, prompt, files, words):
        if any(map(record.overlaps, taken)) or not (record.title or record.body):
            continue
        if any(map(record.copies, taken)):
            lines = next((lines for each, lines in found if record.copies(each)), list[str]())
            lines.append(f"  > The same stands in {record.path}:{record.line}.")
            continue
        taken.append(record)
        if record.key not in shown:
            found.append((record, _claim(index, record, words)))
        if len(taken) == _MOST_HITS:
            break
    return sorted(found, key=lambda each: bool(each[0].untrue))


def _found(index: Lookup, prompt: str, files: list[str], words: list[SearchTerm]) -> "Iterator[IndexedRecord]":
    called = list(index.titled(prompt)) if len(prompt) <= _TITLE else []
    # What is called exactly so is meant, also where the title is the path of a file.
    exact = [each for each in called if _same(each.title, prompt)]
    yield from exact
    for name in files:
        # Directives for the whole project were told at the beginning.
        own = [hit.record for hit in paths.concerning(index, name) if hit.rank < paths.EVERYWHERE]
        yield from own[:_MOST_OF_A_FILE]
    if words:  # a prompt that tells little has to be the whole title
        yield from (each for each in called if each not in exact)
    yield from index.best(words, called=not is_question(prompt), enough=_ENOUGH)


def _same(title: str, prompt: str) -> bool:
    return bare(title).casefold() == bare(prompt).casefold()


def _claim(index: Lookup, record: IndexedRecord, words: list[SearchTerm]) -> list[str]:
    """What a record says, in a line or a few, and why."""
    lines = record.claim(index.snippet(record, words))
    if lines and record.title.endswith("…") and bare(lines[0]).startswith(record.title[:-1]):
        record.title = bare(lines.pop(0))  # a note whose beginning is its title
    reason = line(record.reason)
    if reason and not any(reason in each for each in lines):
        lines.append(f"Why: {reason}")
    return [f"  > {each}" for each in lines]
