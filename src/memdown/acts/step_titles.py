"""What the steps that can be taken back were about, as a list of them tells it: the titles of their records.

Acts about one record note its title in their step. Of others they are found if the log leads back to whole texts; lines
alone are no record.
"""

from collections.abc import Iterable, Sequence

from memdown.dialects.hollow import is_hollow
from memdown.project import Project
from memdown.record import Record
from memdown.store import undo
from memdown.store.undo import Act

_WIDE = ("section", "prose", "memory")
"""Kinds of records that others stand in, which say more exactly what changed."""

Texts = tuple[str, str, str]
"""The name of a file, and its text before and after."""


def step_titles(project: Project, steps: Sequence[Act]) -> dict[int, list[str]]:
    """The titles that the records had which each step wrote, changed or took away."""
    found = {each.step: each.titles for each in steps if each.titles}
    parts: dict[int, list[Texts]] = {}
    with project.snapshot():
        for part in undo.whole_changes_of(project.files, *(each.step for each in steps if each.step not in found)):
            parts.setdefault(part.step, []).append((part.name, part.old, part.new))
        for step, texts in parts.items():
            found[step] = _titles(project, texts)
    return found


def _titles(project: Project, texts: Iterable[Texts]) -> list[str]:
    """What is new, else what is gone, else what differs; what holds other records only if it is nothing else."""
    found: dict[tuple[bool, int], dict[str, None]] = {}
    for name, before, after in texts:
        old, new = (_by_title(project.parse(name, text).records, text) for text in (before, after))
        for key in (*new, *old):
            order = 0 if key not in old else 1 if key not in new else 2
            if order == 2 and old[key][1] == new[key][1]:
                continue
            record = (new if key in new else old)[key][0]
            if not is_hollow(record):
                found.setdefault((record.kind in _WIDE, order), {})[" ".join(key[1].split())] = None
    return [*found[min(found)]] if found else []


def _by_title(records: Iterable[Record], text: str) -> dict[tuple[str, str], tuple[Record, list[str]]]:
    """The first record of each kind and title, with the texts of all of them."""
    found: dict[tuple[str, str], tuple[Record, list[str]]] = {}
    for each in records:
        if each.title:
            found.setdefault((each.kind, each.title), (each, []))[1].append(each.span.of(text).strip())
    return found
