"""Numbers that two branches gave to different things, as T12 or ADR-7: one of them gets the next free number.

It does not matter which side is called ours: what is older keeps its number, else what comes first by its title. A
number is one of a sequence only where the base, or both sides, count on from others of its kind.
"""

import re

from memdown.acts.merge.pieces import DATE, alike, normal, words
from memdown.patterns import lazy

_DEFINED = lazy(
    r"^(?: {0,3}#{1,6}[ \t]+|[ \t]*\|[ \t]*|[ \t]*[-*+][ \t]+(?:\[[ xX]\][ \t]+)?)[*_`\[]{0,4}"
    r"([A-Z]{1,10}-?|\d{1,4}\.)(\d{1,6})(?![\w-]|\.\d)(?:[\]*_`]|\([^()\n]{0,80}\)){0,6}[ \t]*"
    r"(?:[:|.\u2013\u2014-][ \t*_]*(.*)|[ \t](.*))$",
    re.MULTILINE,
)
_STATES = lazy(r"\b(?:completed?|done|in progress|not started|pending|open|closed|active|todo|high|medium|low)\b")
_FURTHEST = 50
"""How far a new number may be from the last one and still count on from it."""
_NEAR = 400
"""Characters behind a title in which its date stands."""


class Numbered:
    """Something that has a number: its title, and when it was written."""

    __slots__ = ("at", "title")

    def __init__(self, title: str, at: str) -> None:
        self.title = title
        self.at = at


def renumber(base: str, ours: str, theirs: str) -> tuple[str, str, list[str]]:
    """Both sides, with a number of its own for each thing that is new, and what was done."""
    mine, others = _definitions(ours), _definitions(theirs)
    shared = [key for key in mine if key in others]
    if not shared:
        return ours, theirs, []
    before = _definitions(base)
    twice: dict[str, list[tuple[str, str]]] = {}
    for key in shared:
        if key not in before and not _is_same(mine[key], others[key]) and _counts_on(key, before, mine, others):
            twice.setdefault(key[0], []).append(key)
    texts, notes = [ours, theirs], []
    for prefix, keys in twice.items():
        side = int(_order(mine, keys) <= _order(others, keys))
        stays, moves = (mine, others) if side else (others, mine)
        known = [key for found in (before, mine, others) for key in found if key[0] == prefix]
        texts[side], said = _moved(texts[side], base, texts[1 - side], keys, stays, moves, known)
        notes += said
    return texts[0], texts[1], notes


def _definitions(text: str) -> dict[tuple[str, str], Numbered]:
    found: dict[tuple[str, str], Numbered] = {}
    for match in _DEFINED.finditer(text):
        key, title = (match[1], match[2]), match[3] or match[4] or ""
        mark = match[0].lstrip()[0]
        is_told = match[4] is None or mark == "#"  # `- T12 is done` is about a task, and `- T12: Paint` is one
        if key not in found and is_told and (mark == "|" or not match[1].endswith(".")) and words(title):
            at = DATE.search(text, match.start(), min(len(text), match.end() + _NEAR))
            found[key] = Numbered(title, at[0] if at else "")
    return found


def _is_same(one: Numbered, other: Numbered) -> bool:
    """Whether two titles may be of one thing."""
    return alike(*(_STATES.sub(" ", DATE.sub(" ", each.title.partition("|")[0].casefold())) for each in (one, other)))


def _counts_on(
    key: tuple[str, str],
    before: dict[tuple[str, str], Numbered],
    mine: dict[tuple[str, str], Numbered],
    others: dict[tuple[str, str], Numbered],
) -> bool:
    prefix, number = key[0], int(key[1])
    last = max((int(each) for name, each in before if name == prefix), default=None)
    if last is not None:
        return last < number <= last + _FURTHEST
    return all(any(name == prefix and int(each) == 1 for name, each in side) for side in (mine, others))


def _order(found: dict[tuple[str, str], Numbered], keys: list[tuple[str, str]]) -> tuple[str, str]:
    return min((found[key].at or "9", normal(found[key].title)) for key in keys)


def _moved(
    text: str,
    base: str,
    other: str,
    keys: list[tuple[str, str]],
    stays: dict[tuple[str, str], Numbered],
    moves: dict[tuple[str, str], Numbered],
    known: list[tuple[str, str]],
) -> tuple[str, list[str]]:
    """A text in which some things have other numbers, and a sentence on each."""
    by_title = {(key[0], normal(each.title)): key[1] for key, each in stays.items() if key not in moves}
    last = max(int(number) for _, number in known)
    new: dict[str, str] = {}
    notes = []
    for prefix, number in keys:
        title = moves[prefix, number].title
        free = by_title.get((prefix, normal(title)))  # it got its number in an earlier merge
        if free is None:
            last += 1
            free = f"{last:0{len(number)}}"
        new[prefix + number] = prefix + free
        named = title.partition("|")[0].strip()
        notes.append(f"both sides had {prefix}{number}: {named[:80]!r} is {prefix}{free} now, here; see to other files")
    kept = {*base.split("\n"), *other.split("\n")}
    names = "|".join(map(re.escape, new))
    anywhere = rf"(?<![\w/.-])(?:{names})(?![\w-]|\.\w)"
    in_row = rf"(?<=\|)(?P<gap>[ \t]*[*_`\[]{{0,4}})(?:{names})(?![\w.-])"
    is_dotted = keys[0][0].endswith(".")
    pattern = re.compile(in_row if is_dotted else anywhere)
    lines = [
        line if line in kept and not _DEFINED.match(line) else _replaced(pattern, line, new, once=is_dotted)
        for line in text.split("\n")
    ]
    return "\n".join(lines), notes


def _replaced(pattern: re.Pattern[str], line: str, new: dict[str, str], *, once: bool) -> str:
    def replacement(match: re.Match[str]) -> str:
        gap = match["gap"] if once else ""
        return gap + new[match[0][len(gap) :]]

    return pattern.sub(replacement, line, count=int(once))
