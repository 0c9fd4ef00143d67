"""Numbers that two branches gave to different things, as T12 or ADR-7: one of them gets the next free number.

It does not matter which side is called ours: what is older keeps its number, else what comes first by its title. A
number is one of a sequence only where the base, or both sides, count on from others of its kind.
"""

import re
from collections.abc import Mapping, Sequence

from memdown.acts.merge.pieces import DATE, alike, normal, words
from memdown.errors import way
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


_Numbers = dict[tuple[str, str], Numbered]


def renumber(base: str, ours: str, theirs: str) -> tuple[str, str, list[str]]:
    """Both sides, with a number of its own for each thing that is new, and what was done."""
    mine, others = _definitions(ours), _definitions(theirs)
    if not any(key in others for key in mine):
        return ours, theirs, []
    before = _definitions(base)
    texts, notes = [ours, theirs], []
    for prefix, keys in _twice(before, mine, others).items():
        side = int(_order(mine, keys) <= _order(others, keys))
        stays, moves = (mine, others) if side else (others, mine)
        new = _numbers(prefix, keys, stays, moves, (before, mine, others))
        texts[side] = _renumbered(texts[side], base, texts[1 - side], new)
        notes += [f"{each}, here; {way('resolve')} sees to other files" for each in _notes(keys, moves, new)]
    return texts[0], texts[1], notes


def renumber_files(
    base: Mapping[str, str], ours: Mapping[str, str], theirs: Mapping[str, str], merged: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """The same for numbers that stand in different files: merged texts that change, new names of files, what was done.

    What a merge of one file numbered anew has its number by its title, and the other files follow.
    """
    before, mine, others, there = (_in_files(each) for each in (base, ours, theirs, merged))
    texts: dict[str, str] = {}
    names: dict[str, str] = {}
    notes: list[str] = []
    for prefix, keys in _twice(before, mine, others).items():
        if prefix.endswith(".") or not _is_one_sequence(prefix, base):
            continue
        mine_moved, others_moved = (any(_elsewhere(key, side[key], there) for key in keys) for side in (mine, others))
        is_first = others_moved or (not mine_moved and _order(mine, keys) <= _order(others, keys))
        stays, moves = (mine, others) if is_first else (others, mine)
        own, other = (theirs, ours) if is_first else (ours, theirs)
        new = _numbers(prefix, keys, {**stays, **there}, moves, (before, mine, others, there))
        taken = {*base, *other, *own}
        added = [name for name in own if name in merged and name not in base and name not in other]
        called = {name: fresh for name in added if (fresh := _called(name, new)) not in taken}
        files = {old.rpartition("/")[2]: fresh.rpartition("/")[2] for old, fresh in called.items()}
        done = {}
        for name in (name for name in own if name in merged and own[name] != base.get(name)):
            fresh = _renumbered(own[name], base.get(name, ""), other.get(name, ""), new, files)
            lines = dict(zip(own[name].split("\n"), fresh.split("\n"), strict=True))
            now = texts.get(name, merged[name])
            after = "\n".join(lines.get(line, line) for line in now.split("\n"))
            if after != now:
                done[name] = after
        if done or called:
            texts |= done
            names |= called
            notes += _notes(keys, moves, new)
    return texts, names, notes


def _twice(before: _Numbers, mine: _Numbers, others: _Numbers) -> dict[str, list[tuple[str, str]]]:
    """The numbers that both sides gave to different things, by what stands before them."""
    found: dict[str, list[tuple[str, str]]] = {}
    for key in mine:
        is_new = key in others and key not in before and not _is_same(mine[key], others[key])
        if is_new and _counts_on(key, before, mine, others):
            found.setdefault(key[0], []).append(key)
    return found


def _in_files(texts: Mapping[str, str]) -> _Numbers:
    found: _Numbers = {}
    for name in sorted(texts):
        for key, each in _definitions(texts[name]).items():
            found.setdefault(key, each)
    return found


def _is_one_sequence(prefix: str, texts: Mapping[str, str]) -> bool:
    """Whether a number has one title in all files: else each package of a repository counts for itself."""
    known: _Numbers = {}
    for text in texts.values():
        for key, each in _definitions(text).items():
            if key[0] == prefix and not _is_same(known.setdefault(key, each), each):
                return False
    return True


def _elsewhere(key: tuple[str, str], thing: Numbered, there: _Numbers) -> bool:
    """Whether a merge gave a thing another number already."""
    return any(
        prefix == key[0] and number != key[1] and normal(each.title) == normal(thing.title)
        for (prefix, number), each in there.items()
    )


def _called(name: str, new: dict[str, str]) -> str:
    """The name of a file, with the new number in it."""
    folder, slash, file = name.rpartition("/")
    names = "|".join(map(re.escape, new))
    return folder + slash + re.sub(rf"(?<![^\W_])(?:{names})(?![^\W_])", lambda found: new[found[0]], file)


def _definitions(text: str) -> _Numbers:
    found: _Numbers = {}
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
    before: _Numbers,
    mine: _Numbers,
    others: _Numbers,
) -> bool:
    prefix, number = key[0], int(key[1])
    last = max((int(each) for name, each in before if name == prefix), default=None)
    if last is not None:
        return last < number <= last + _FURTHEST
    return all(any(name == prefix and int(each) == 1 for name, each in side) for side in (mine, others))


def _order(found: _Numbers, keys: list[tuple[str, str]]) -> tuple[str, str]:
    return min((found[key].at or "9", normal(found[key].title)) for key in keys)


def _numbers(
    prefix: str, keys: list[tuple[str, str]], stays: _Numbers, moves: _Numbers, known: Sequence[_Numbers]
) -> dict[str, str]:
    """The new names of things: what they have got in an earlier merge, or the next that are free."""
    by_title = {(key[0], normal(each.title)): key[1] for key, each in stays.items() if key not in moves}
    last = max(int(number) for found in known for each, number in found if each == prefix)
    new: dict[str, str] = {}
    for _, number in keys:
        free = by_title.get((prefix, normal(moves[prefix, number].title)))
        if free is None:
            last += 1
            free = f"{last:0{len(number)}}"
        new[prefix + number] = prefix + free
    return new


def _notes(keys: list[tuple[str, str]], moves: _Numbers, new: dict[str, str]) -> list[str]:
    titles = [(prefix + number, moves[prefix, number].title.partition("|")[0].strip()) for prefix, number in keys]
    return [f"both sides had {name}: {title[:80]!r} is {new[name]} now" for name, title in titles]


def _renumbered(text: str, base: str, other: str, new: dict[str, str], files: Mapping[str, str] = {}) -> str:
    """A text in which some things, and files, have other names, in lines that are its own."""
    kept = {*base.split("\n"), *other.split("\n")}
    names = "|".join(map(re.escape, new))
    anywhere = rf"(?<![\w/.-])(?:{names})(?![\w-]|\.\w)"
    in_row = rf"(?<=\|)(?P<gap>[ \t]*[*_`\[]{{0,4}})(?:{names})(?![\w.-])"
    is_dotted = any("." in each for each in new)
    pattern = re.compile(in_row if is_dotted else anywhere)
    lines = []
    for line in text.split("\n"):
        if line not in kept or _DEFINED.match(line):
            line = _replaced(pattern, line, new, once=is_dotted)
            for old, fresh in files.items():
                line = line.replace(old, fresh)
        lines.append(line)
    return "\n".join(lines)


def _replaced(pattern: re.Pattern[str], line: str, new: dict[str, str], *, once: bool) -> str:
    def replacement(match: re.Match[str]) -> str:
        gap = match["gap"] if once else ""
        return gap + new[match[0][len(gap) :]]

    return pattern.sub(replacement, line, count=int(once))
