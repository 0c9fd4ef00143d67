"""Merging the lines of one piece that both sides changed: stamps, states, words; None where that cannot be decided."""

import re
from collections.abc import Callable

from memdown.acts.merge.pieces import ITEM, counts, field, is_label, normal, unstamped
from memdown.lazy import LazyModule
from memdown.patterns import lazy

TYPE_CHECKING = False  # as typing's, which a merge driver cannot afford
if TYPE_CHECKING:
    import difflib
else:
    difflib = LazyModule("difflib")

_TOKENS = lazy(r"\s+|[^\W_]+|.", re.DOTALL)
_NUMBER = lazy(r"\d+")
_TIME = lazy(
    r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:?\d{2}(?::?\d{2})?)?(?:Z|[+-]\d{2}:?\d{2})?(?: [A-Za-z]{3,4}\b)?"
    r"|\d{1,2}:\d{2}(?::\d{2})?"
)
_BEGUN = lazy(r"(?:created|added|started|begun|since)(?:[ _](?:at|on|date))?\b")
"""What a stamp is called that is set once: of two, the first is true."""
_LEAD = lazy(r"[ \t]*\*\*([^*\n]{1,40})\*\*[ \t]+\S")
_LIST = lazy(r"([^:]*:[ \t]*)\[(.*)\][ \t]*$", re.DOTALL)
_MOST = 20_000
"""Tokens of a piece that are compared one by one."""


def merge_lines(base: str | None, ours: str, theirs: str) -> str | None:
    """One text for the lines of a piece; None where both sides say something else."""
    if ours == theirs or base == theirs:
        return ours
    if base == ours:
        return theirs
    if " ".join(ours.split()) == " ".join(theirs.split()):
        return ours
    state = _state(base, ours, theirs)
    base, ours, theirs = base and _opened(base), _opened(ours), _opened(theirs)
    if normal(ours) == normal(theirs):
        return state(theirs if ours == base else ours)
    if base is not None and normal(base) == normal(ours):
        return state(theirs)
    if base is not None and normal(base) == normal(theirs):
        return state(ours)
    for way in (_stamp, _contained, _in_lines, _in_tokens):
        found = way(base, ours, theirs)
        if found is not None:
            return state(found)
    return None


def merge_key(base: str | None, ours: str, theirs: str) -> str | None:
    """One text for a key of front matter: a list is a set."""
    lists = [_items(each) for each in (base or "", ours, theirs)]
    if lists[1] is None or lists[2] is None:
        return merge_lines(base, ours, theirs)
    before, mine, others = (each or {} for each in lists)
    gone = {each for each in before if each not in mine or each not in others}
    kept = {**mine, **{key: value for key, value in others.items() if key not in mine}}
    values = [value for key, value in kept.items() if key not in gone]
    inline = _LIST.match(ours) or _LIST.match(theirs)
    if inline and not all(map(_LIST.match, (ours, theirs))):
        ours, values = _blocks(ours, theirs, values)
        inline = None
    if inline:
        return f"{inline[1]}[{', '.join(value.strip() for value in values)}]"
    return "\n".join([ours.partition("\n")[0], *values])


def _blocks(ours: str, theirs: str, values: list[str]) -> tuple[str, list[str]]:
    """One side has its list in one line, the other line by line: then it has one line for each."""
    block = theirs if _LIST.match(ours) else ours
    lines = block.split("\n")
    indent = lines[1][: lines[1].index("-")]
    return lines[0], [each if each.lstrip().startswith("- ") else f"{indent}- {each.strip()}" for each in values]


def _items(text: str) -> dict[str, str] | None:
    """The entries of a list in front matter; None where a key has none."""
    if inline := _LIST.match(text):
        return {each.strip().strip("'\""): each for each in inline[2].split(",") if each.strip()}
    first, _, rest = text.partition("\n")
    lines = rest.split("\n")
    if not first.rstrip().endswith(":") or not rest or not all(each.lstrip().startswith("- ") for each in lines):
        return None
    return {each.strip()[2:].strip().strip("'\""): each for each in lines}


def _state(base: str | None, ours: str, theirs: str) -> Callable[[str], str]:
    """What gives a text the state that a task has now: a change wins, and done over open."""
    was, mine, others = (mark[4] if (mark := ITEM.match(each or "")) else None for each in (base, ours, theirs))
    if mine is None or others is None:
        return lambda text: text
    done = mine if mine in "xX" else others
    state = others if mine == was else mine if others == was else done
    return lambda text: _opened(text, state)


def _opened(text: str, state: str = " ") -> str:
    """The text of a task with another state; any other text as it is."""
    mark = ITEM.match(text)
    return text if mark is None or mark[4] is None else f"{text[: mark.start(4)]}{state}{text[mark.end(4) :]}"


def _stamp(base: str | None, ours: str, theirs: str) -> str | None:
    """The later of two that differ in times only, the earlier of when something began, or the higher count.

    A count is a number that both sides raised; of two values that somebody chose, the higher is not the right one.
    """
    if _TIME.sub("0", normal(ours)) == _TIME.sub("0", normal(theirs)) or _is_one_task(ours, theirs):
        pick = min if _BEGUN.match(normal(ours)) else max
        return pick(ours, theirs, key=lambda text: [each.replace("T", " ") for each in _TIME.findall(text)])
    shapes = [_NUMBER.sub("0", normal(each)) for each in (base or ours, ours, theirs)]
    if shapes[0] == shapes[1] == shapes[2]:
        was, mine, others = ([int(each) for each in _NUMBER.findall(text)] for text in (base or "", ours, theirs))
        if base is not None and all(map(_is_raised, was, mine, others)):
            return ours if mine > others else theirs
    return None


def _is_one_task(ours: str, theirs: str) -> bool:
    """Whether two lines are one task, with other words for the day on which it was done."""
    marks = [mark and mark[4] for mark in map(ITEM.match, (ours, theirs))]
    return None not in marks and unstamped(normal(ours)) == unstamped(normal(theirs))


def _is_raised(was: int, one: int, other: int) -> bool:
    return one == other or was <= min(one, other)


def _contained(base: str | None, ours: str, theirs: str) -> str | None:
    """The longer, where it has all words of the shorter in their order; the shorter where it lacks some of the base."""
    short, long = sorted((ours, theirs), key=len)
    fewer, more = normal(short).split(), normal(long).split()
    words = iter(more)
    if len(fewer) <= 2 or not all(word in words for word in fewer):
        return None
    own, before = counts(more), counts(normal(base or "").split())
    for word in fewer:
        own[word] -= 1
    old = [word in before for word, count in own.items() if count]
    return long if not any(old) else short if all(old) else None


def _in_lines(base: str | None, ours: str, theirs: str) -> str | None:
    if base is None or "\n" not in base + ours + theirs:
        return None
    merged = _diff3(*(each.split("\n") for each in (base, ours, theirs)))
    return None if merged is None else "\n".join(merged)


def _in_tokens(base: str | None, ours: str, theirs: str) -> str | None:
    if base is None:
        return None
    tokens = [_TOKENS.findall(each) for each in (base, ours, theirs)]
    if max(map(len, tokens)) > _MOST:
        return None
    merged = _diff3(*tokens)
    return None if merged is None else "".join(merged)


def in_lines(base: str, ours: str, theirs: str) -> str:
    """All lines of both, without what either took out."""
    return "\n".join(_diff3(*(each.split("\n") for each in (base, ours, theirs)), beside=_unknown) or [])


def union(base: str | None, first: str, second: str) -> tuple[str, list[str]] | None:
    """The lines of both where they differ, without what either took out; None for single lines.

    Of two values of one field the first stands in it, and the other is in the list.
    """
    if "\n" not in first or "\n" not in second:
        return None
    values: list[str] = []

    def beside(there: list[str], new: list[str]) -> list[str]:
        names = {name: line for line in there if (name := _name(line))}
        new = _unknown(there, new)
        others = {line for line in new if _name(line) in names and not is_label(line)}
        values.extend(line for line in new if line in others)
        return [line for line in new if line not in others]

    one, other = first.split("\n"), second.split("\n")
    merged = _diff3(_common(one, other) if base is None else base.split("\n"), one, other, beside=beside)
    return None if merged is None else ("\n".join(merged), values)


def _unknown(there: list[str], new: list[str]) -> list[str]:
    """The lines that are not there in the same words."""
    known = set(map(normal, there)) - {""}
    return [line for line in new if normal(line) not in known]


def _common(ours: list[str], theirs: list[str]) -> list[str]:
    """The lines that both have, in their order: the base of two texts that were made without one."""
    blocks = difflib.SequenceMatcher(None, ours, theirs).get_matching_blocks()
    return [line for block in blocks for line in ours[block.a : block.a + block.size]]


def _name(line: str) -> str:
    """The name of a field, or the bold words that a line begins with, as `**As a** user`."""
    found = _LEAD.match(line)
    return field(line) or (normal(found[1]) if found else "")


def _diff3(
    base: list[str],
    ours: list[str],
    theirs: list[str],
    *,
    beside: Callable[[list[str], list[str]], list[str]] | None = None,
) -> list[str] | None:
    """Changes of both sides, where none touches another.

    Where they do, `beside` says what of the second is added to the first; without it nothing is decided.
    """
    changes = []
    for side, text in enumerate((ours, theirs)):
        codes = difflib.SequenceMatcher(None, base, text).get_opcodes()
        changes += [(a, b, side, text[c:d]) for code, a, b, c, d in codes if code != "equal"]
    changes.sort(key=lambda each: each[:3])
    merged: list[str] = []
    place: list[str] = []  # what was added where changes touch each other
    done, last = 0, -1
    previous: tuple[int, int, list[str]] | None = None
    for start, end, side, new in changes:
        if previous == (start, end, new):
            continue  # both sides did the same
        if start > done:
            place = []
        elif beside is not None:
            new = beside(place, new)
        elif last not in (-1, side):
            return None
        previous = (start, end, new)
        merged += base[done:start]
        merged += new
        place += new
        done, last = max(end, done), side
    return merged + base[done:]
