"""A look at a merged text that knows nothing of how it was made: is everything there that either side added?"""

from collections.abc import Iterable

from memdown.acts.merge.pieces import normal


def missing(base: str, ours: str, theirs: str, merged: str, settled: Iterable[str] = ()) -> list[str]:
    """Lines that a side added and the merged text does not have; `settled` are texts that gave way to another.

    Lines count by their words: markup, white space and the state of a task may differ.
    """
    sides = set(ours.split("\n")) | set(theirs.split("\n"))
    new = {line: key for line in sides.difference(base.split("\n"), merged.split("\n")) if (key := normal(line))}
    for text in ("\n".join(settled), merged, base):
        if not new:
            break
        known = {normal(line) for line in text.split("\n")}
        new = {line: key for line, key in new.items() if key not in known}
    return sorted(new)
