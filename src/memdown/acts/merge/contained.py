"""Whether one side has all that the other did since the base: the same change, merged before or made twice."""

from collections.abc import Iterable, Iterator

from memdown.acts.merge.pieces import HEADING, ITEM, counts, normal
from memdown.markdown.merge_comments import MARK, told

_PlacedLine = tuple[int, str]
"""A line, with a number for what it stands below."""
_LONG = 12
"""Characters of a line that is known again at another place."""
_OWN = "\0"
"""The name of what only one side has."""


def is_contained(base: str, whole: str, part: str) -> bool:
    """Whether all lines that a side put in stand in `whole`, below the same, and none that it took out does.

    What both have stands in the same order. Blank lines do not count, and a side that changed nothing else is no part.
    """
    before, lines = set(base.split("\n")), part.split("\n")
    known = set(whole.split("\n")) | before
    if any(line not in known and line.strip() for line in lines):
        return False
    both = {line.strip() for line in whole.split("\n")} & {line.strip() for line in lines}
    was, has, did = (_placed(text, both) for text in (base, whole, part))
    old, there, new = _counts(was), _counts(has), _counts(did)
    if old == new and was == did:
        return False
    for line in old.keys() | new.keys():
        count = new.get(line, 0)
        if (count > old.get(line, 0) and there.get(line, 0) < count) or (
            count < old.get(line, 0) and there.get(line, 0) > count
        ):
            return False
    rest = iter(has)
    return all(line in rest for line in did if line in there) and not _has_elsewhere(base, whole, part)


def _has_elsewhere(base: str, whole: str, part: str) -> bool:
    """Whether a line that a side took out of the base, which has it once, stands in `whole` at another place."""
    lines = [line for line in base.split("\n") if len(line) >= _LONG and line[0] != "#"]
    gone = {line for line, count in counts(lines).items() if count == 1}.difference(part.split("\n"))
    return not gone.isdisjoint(whole.split("\n"))


def written_lines(text: str) -> list[str]:
    """The lines that are not blank."""
    return [line for line in text.split("\n") if line.strip()]


def adds_nothing(base: str, whole: str, part: str, merged: str) -> bool:
    """Whether a merge only put lines into `whole` that stand there below the same headings, as often as in `part`.

    A file that was made on both sides has no places yet: there it is enough that all lines of `part` are in `whole`.
    """
    is_new, known = not base.strip(), set(whole.split("\n"))
    if not is_new and MARK not in whole and any(each not in known and each.strip() for each in merged.split("\n")):
        return False  # as a rule, there is something new, and nothing to count
    there, new, now = (_counts(_headed(text, is_new=is_new)) for text in (whole, part, merged))
    return (
        (now != there or is_new)
        and all(now.get(line, 0) >= count for line, count in there.items())
        and all(max(new.get(line, 0), 1) <= there.get(line, 0) for line in now if now[line] > there.get(line, 0))
        and not (is_new and any(there.get(line, 0) < count for line, count in new.items()))
    )


def _headed(text: str, *, is_new: bool) -> Iterator[_PlacedLine]:
    """The lines with text in them, by their words, each with the headings that it is below.

    What a comment of an earlier merge has of the other side is a line, too.
    """
    headings: list[tuple[int, str]] = []
    path = 0
    for line in written_lines(text):
        if not is_new and (heading := HEADING.match(line)):
            headings = [each for each in headings if each[0] < len(heading[1])]
            headings.append((len(heading[1]), normal(line)))
            path = hash(tuple(headings))
        yield path, normal(line)
        if value := told(line):
            yield path, normal(value)


def _counts(lines: Iterable[_PlacedLine]) -> dict[_PlacedLine, int]:
    found: dict[_PlacedLine, int] = {}
    for line in lines:
        found[line] = found.get(line, 0) + 1
    return found


def _placed(text: str, both: set[str]) -> list[_PlacedLine]:
    """The lines with text in them, each with the headings, the items, and the line before a list, that it is below.

    Those that only one side has are all the same: it may have put another heading over lines, but not one over none.
    """
    found: list[_PlacedLine] = []
    headings: list[tuple[int, str]] = []
    items: list[tuple[int, str]] = []
    lead = ""
    for line in written_lines(text):
        bare = line.strip()
        name = bare if bare in both else _OWN
        if heading := HEADING.match(line):
            headings = [each for each in headings if each[0] < len(heading[1])]
            found.append((_path(headings), line))
            headings.append((len(heading[1]), name))
            items, lead = [], ""
            continue
        indent = len(line) - len(line.lstrip(" \t"))
        items = [each for each in items if each[0] < indent]
        is_item = ITEM.match(line) is not None
        is_part = is_item or bool(items) or bare.startswith("|")
        found.append((_path([*headings, (0, lead if is_part else ""), *items]), line))
        if is_item:
            items.append((indent, name))
        elif not is_part:
            lead = name
    return found


def _path(above: list[tuple[int, str]]) -> int:
    names = [name for _, name in above]
    # However many headings only one side has over each other, they count as one.
    return hash(tuple(name for name, before in zip(names, ["", *names], strict=False) if {name, before} != {_OWN}))
