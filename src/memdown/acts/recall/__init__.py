"""What a prompt needs to know: memories that share its telling words. Says nothing when nothing fits."""

from memdown import homes
from memdown.acts.recall import triggers
from memdown.index.hook_state import State, bare
from memdown.index.lookup import IndexedRecord, Lookup, ask, is_same_title, patience
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
_MOST_OF_A_TITLE = 2
"""Records that are told of those that have one title, where it is the title of more than can be told."""
_MOST_OF_A_FILE = 3
"""Records about a file that a prompt names; the other places are for what else it asks."""
_ENOUGH = 0.3
"""The part of what was asked, by how rare its words are, that a record needs to have."""
_TITLE = 600
"""Characters of a prompt that may be the title of a record as it stands."""
_PLACES = 1.25
"""Characters for each token of the answer that places alone may take."""


class _Recalled:
    """A record to tell of, what it says, and where else the same stands."""

    __slots__ = ("copies", "lines", "record", "titled")

    def __init__(self, record: IndexedRecord, lines: list[str], *, titled: bool = False) -> None:
        self.record = record
        self.lines = lines
        self.titled = titled
        """Whether it is what the prompt is called."""
        self.copies: list[str] = []


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
    if words or files or prompt != prompt.lower() or not is_chatter(prompt):
        pieces = _pieces(state, *ask(state, lambda index: _all(state, index, prompt, files, words, shown), wanted))
    text, taken = fenced("Recalled for this prompt.", pieces, state.settings.prompt_tokens)
    return "\n\n".join(filter(None, (request, text))), [piece.name for piece in taken]


def _pieces(state: State, found: list[_Recalled], more: list[str]) -> list[FencedPiece]:
    """Each record with its place and where it stands in trust; then the places of `more` that are called the same."""
    if not found:
        return []
    standings = standing.Standings(state.root, state.settings.aging, state.db, patience(state))
    room = int(state.settings.prompt_tokens * _PLACES)
    pieces: list[FencedPiece] = []
    for each in found:
        record = each.record
        lines = [record.headline(standings.of(record), standings.age(record))]
        if each.copies:
            lines.append(f"  > The same is in {_places(each.copies, room)}.")
        pieces.append(FencedPiece(record.key, [*lines, *each.lines], least=len(lines) if each.titled else 0))
    if more:
        record = found[0].record
        text = f"- {len(more)} more {'has' if len(more) == 1 else 'have'} this title: {_places(more, room)}"
        pieces.insert(sum(each.titled for each in found), FencedPiece(f"{record.key}#title", [text], least=1))
    return pieces


def _places(places: list[str], room: int) -> str:
    """As many places as there is room for, and how many others there are."""
    taken = places[:1]
    for each in places[1:]:
        room -= len(each) + 2
        if room < len(places[0]):
            break
        taken.append(each)
    left = len(places) - len(taken)
    return ", ".join(taken) + (f" and {left} more" if left else "")


def _all(
    state: State, index: Lookup, prompt: str, files: list[str], words: list[SearchTerm], shown: set[str]
) -> tuple[list[_Recalled], list[str]]:
    """Those of the project, then those from further away; one that is overridden is named by what overrides it.

    Beside them the places of those that have the title that the prompt is, and are not told themselves.
    """
    found, more = _fitting(index, prompt, files, words, shown)
    if not words or not homes.reads_elsewhere(state.root):
        return found, more
    told = {each.record.key: each.lines for each in found}
    most = len(found) + beyond.MOST_HITS
    for record, text, by in beyond.fitting(state, index, prompt, words, _ENOUGH):
        if by in told:
            told[by].append(f"  > Overrides {record.path}:{record.line} ({record.origin}).")
        elif not by and record.key not in shown and len(found) < most:
            told[record.key] = [f"  > {each}" for each in record.claim(text)]
            found.append(_Recalled(record, told[record.key]))
    return found, more


def _fitting(
    index: Lookup, prompt: str, files: list[str], words: list[SearchTerm], shown: set[str]
) -> tuple[list[_Recalled], list[str]]:
    """The records to tell of, each with what it says, and where others stand that have the same title."""
    found: dict[int, _Recalled] = {}
    taken: list[IndexedRecord] = []
    more: list[str] = []
    seen: set[int] = set()
    called = index.called(prompt) if len(prompt) <= _TITLE else []
    # Words of talk are a title only as it is written: "Next" may be one, "next" goes on with the work.
    same = str.__eq__ if is_chatter(prompt) else is_same_title
    titled = [number for number, title in called if same(title, prompt)]
    is_common = len(titled) > _MOST_HITS
    for record in _found(index, prompt, files, words, titled, [number for number, _ in called]):
        if record.number in seen or not (record.title or record.body):
            continue
        seen.add(record.number)
        place, is_titled = f"{record.path}:{record.line}", record.number in titled
        if not is_titled and record.says_made():
            continue
        if copied := next(filter(record.copies, taken), None):
            if copied.number in found:
                found[copied.number].copies.append(place)
        elif any(map(record.overlaps, taken)):
            if is_titled:
                more.append(place)
        elif len(taken) < (_MOST_OF_A_TITLE if is_common else _MOST_HITS):
            taken.append(record)
            if record.key not in shown:
                found[record.number] = _Recalled(record, _claim(index, record, words), titled=is_titled)
        elif is_titled:
            more.append(place)
        else:
            break
    told = sorted(found.values(), key=lambda each: (not each.titled, bool(each.record.untrue)))
    return told, more if told and told[0].titled else []


def _found(
    index: Lookup, prompt: str, files: list[str], words: list[SearchTerm], titled: list[int], called: list[int]
) -> "Iterator[IndexedRecord]":
    # What is called exactly so is meant, also where the title is the path of a file.
    yield from index.numbered(titled)
    for name in files:
        # Directives for the whole project were told at the beginning.
        own = [hit.record for hit in paths.concerning(index, name) if hit.rank < paths.EVERYWHERE]
        yield from own[:_MOST_OF_A_FILE]
    if words:  # a prompt that tells little has to be the whole title
        yield from index.numbered([number for number in called[:_MOST_HITS] if number not in titled])
        yield from index.best(words, called=not is_question(prompt), enough=_ENOUGH)


def _claim(index: Lookup, record: IndexedRecord, words: list[SearchTerm]) -> list[str]:
    """What a record says, in a line or a few, and why."""
    lines = record.claim(index.snippet(record, words))
    if lines and record.title.endswith("…") and bare(lines[0]).startswith(record.title[:-1]):
        record.title = bare(lines.pop(0))  # a note whose beginning is its title
    reason = line(record.reason)
    lines = [each for each in lines if not _is_cut(each, record.reason)]
    if reason and not any(reason in each for each in lines):
        lines.append(f"Why: {reason}")
    return [f"  > {each}" for each in lines]


def _is_cut(said: str, reason: str) -> bool:
    """Whether a line is the reason, as far as there was room for it: the whole stands behind it."""
    begun = bare(said.removeprefix("Why:").rstrip("….")) if said.startswith("Why:") else ""
    return bool(begun) and bare(line(reason, len(reason) + 1)).startswith(begun)
