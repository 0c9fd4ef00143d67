"""A look at a merged text that knows nothing of how it was made: is everything there that either side has?"""

from collections.abc import Iterable

from memdown.acts.merge.pieces import counts, normal
from memdown.markdown.merge_comments import told


def missing(base: str, ours: str, theirs: str, merged: str, settled: Iterable[str] = ()) -> list[str]:
    """Lines that a side added or both kept, and the merged text does not have.

    `settled` are texts that gave way to another. Lines count by their words: markup, white space and the state of a
    task may differ.
    """
    before, mine, others = (counts(text.split("\n")) for text in (base, ours, theirs))
    there = set(merged.split("\n"))
    new = {
        line: key
        for line in mine.keys() | others.keys()
        if line not in there and mine.get(line, 0) + others.get(line, 0) > before.get(line, 0) and (key := normal(line))
    }
    for text in ("\n".join(settled), "\n".join(filter(None, map(told, there if new else ()))), merged):
        known = {normal(line) for line in text.split("\n")} if new else set()
        new = {line: key for line, key in new.items() if key not in known}
    known = {normal(line) for line in before} if new else set()
    return sorted(line for line, key in new.items() if line in before or key not in known)
