"""What a prompt needs to know: memories that share its telling words. Says nothing when nothing fits."""

import os

from memdown.acts.recall import triggers
from memdown.index.hook_state import State, bare
from memdown.index.lookup import IndexedRecord, Lookup, ask
from memdown.index.terms import SearchTerm, prompt_terms
from memdown.markdown.fence import FencedPiece, fenced, line

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_HITS = 5
_ENOUGH = 0.3
"""The part of what was asked, by how rare its words are, that a record needs to have."""
_LENGTH = 300
_TITLE = 200
"""Characters of a prompt that may be the title of a record as it stands."""
_METADATA = frozenset(
    "author by confidence date expires id ref related scope status tags time timestamp type when".split()
)
"""Labels of lines that say nothing of what was decided."""
UPDATE = (
    "The user asks for an update of the memory bank. `memdown update --draft` shows what git has that the memory does"
    " not, as one diff; `--draft --apply` takes it. Review it and what else changed in this session, then update in"
    " this order, each file only where it changed: {}. Never drop what is still true; check the result with"
    " `memdown validate`."
)
_ORDER = ("progress", "activeContext", "decisionLog", "techContext", "systemPatterns", "productContext", "projectBrief")


def recall(state: State, prompt: str, session: str) -> tuple[str, list[str]]:
    """What to say before an assistant answers a prompt, and the records it is from."""
    request = _update(state) if triggers.asks_for_update(prompt) else ""
    words = prompt_terms(prompt[:20_000])
    shown = {row[0] for row in state.db.execute("select name from shown where session = ?", (session,))}
    wanted = (prompt.strip()[:_TITLE], *(each.shown.strip('"') for each in words))
    pieces = ask(state, lambda index: _fitting(index, prompt.strip(), words, shown), wanted) if words else []
    text, taken = fenced("Recalled for this prompt.", pieces, state.settings.prompt_tokens)
    return "\n\n".join(filter(None, (request, text))), [piece.name for piece in taken]


def _update(state: State) -> str:
    """How to update the bank, with its files as they are spelled on disk; nothing without a bank."""
    for home in state.settings.homes("bank"):
        folder = os.path.join(state.root, home)
        if os.path.isdir(folder):
            there = {name.lower().replace("_", "").replace("-", ""): name for name in os.listdir(folder)}
            names = [f"{home}/{there.get(f'{file.lower()}.md', f'{file}.md')}" for file in _ORDER]
            names[2] += " (append only)"
            return UPDATE.format(", ".join(names))
    return ""


def _fitting(index: Lookup, prompt: str, words: list[SearchTerm], shown: set[str]) -> list[FencedPiece]:
    pieces = []
    taken: list[IndexedRecord] = []
    for record in _found(index, prompt, words):
        if any(map(record.overlaps, taken)) or not (record.title or record.body):
            continue
        taken.append(record)
        if record.key not in shown:
            pieces.append(FencedPiece(record.key, [record.headline(), *_claim(index, record, words)]))
        if len(taken) == _MOST_HITS:
            break
    return pieces


def _found(index: Lookup, prompt: str, words: list[SearchTerm]) -> "Iterator[IndexedRecord]":
    if len(prompt) <= _TITLE:
        yield from index.titled(prompt)
    for record, share in index.best(words):
        if share >= _ENOUGH:
            yield record


def _claim(index: Lookup, record: IndexedRecord, words: list[SearchTerm]) -> list[str]:
    """What a record says, in a line or a few, and why."""
    if record.summary and record.summary != record.title:
        claim = [line(record.summary)]
    else:
        claim = [each for each in _telling(index.snippet(record, words)) if bare(each) != line(record.title)]
    reason = line(record.reason)
    if reason and not any(reason in each for each in claim):
        claim.append(f"Why: {reason}")
    return [f"  > {each}" for each in claim]


def _telling(text: str) -> list[str]:
    """The first lines that are more than metadata."""
    lines: list[str] = []
    for raw in text.splitlines():
        label = raw.replace("*", "").lstrip("-+> ").partition(":")
        if any(map(str.isalnum, raw)) and not (label[1] and label[0].strip().lower() in _METADATA):
            lines.append(line(raw))
        if sum(map(len, lines)) > _LENGTH:
            break
    return lines
