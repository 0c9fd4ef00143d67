"""Statistics as pictures: bars of Unicode blocks for a terminal, and one SVG."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from memdown.acts.stats import Stats
from memdown.surfaces.show.svg import MARGIN, escape, page, text

_EIGHTHS = " ▏▎▍▌▋▊▉"
_RISING = "▁▂▃▄▅▆▇█"
_MOST_WEEKS = 52
_MOST_BARS = 10
_LONGEST_LABEL = 24


class Series(Struct, frozen=True):
    """Named numbers under one title."""

    title: str
    values: tuple[tuple[str, int], ...]
    time: bool = False
    """Whether the names are weeks, in order."""
    left_out: int = 0
    """Values that are not shown for want of room."""


def series(stats: Stats) -> list[Series]:
    """What is drawn, in order; what has no values is left out."""
    scopes = sorted(((name, share.records) for name, share in stats.scopes.items()), key=lambda each: -each[1])
    kinds = sorted(stats.kinds.items(), key=lambda each: -each[1])
    found = [
        _recent("Decisions per week", list(stats.velocity.items())),
        _recent("Records in all, by week", [(each.week, each.records) for each in stats.growth]),
        _recent("Bytes in all, by week", [(each.week, each.bytes) for each in stats.growth]),
        _largest("Records by author", [(each.name, each.records) for each in stats.authors]),
        _largest("Records by scope", scopes),
        _largest("Records by kind", kinds),
        _largest("Records by age", list(stats.staleness.items())),
        _largest("Tags", [(each.name, each.records) for each in stats.tags]),
    ]
    return [each for each in found if any(number for _, number in each.values)]


def _recent(title: str, values: list[tuple[str, int]]) -> Series:
    return Series(title, tuple(values[-_MOST_WEEKS:]), time=True, left_out=max(len(values) - _MOST_WEEKS, 0))


def _largest(title: str, values: list[tuple[str, int]]) -> Series:
    return Series(title, tuple(values[:_MOST_BARS]), left_out=max(len(values) - _MOST_BARS, 0))


# For a terminal


def bars(each: Series, width: int) -> Iterator[str]:
    """A series as lines of at most `width` columns."""
    if each.time and len(each.values) > _MOST_BARS * 2:
        yield from _columns(each, width)
        return
    names = [_short(name) for name, _ in each.values]
    wide = max(map(len, names))
    numbers = [f"{number:,}" for _, number in each.values]
    digits = max(map(len, numbers))
    room = max(width - wide - digits - 4, 4)
    most = max(number for _, number in each.values)
    for name, number, (_, value) in zip(names, numbers, each.values, strict=True):
        yield f"  {name:<{wide}} {_bar(value, most, room)} {number}".rstrip()
    if each.left_out:
        yield f"  and {each.left_out:,} {'before' if each.time else 'more'}"


def _columns(each: Series, width: int) -> Iterator[str]:
    """Many weeks: one character each, and the ends named."""
    shown = each.values[-max(width - 4, 10) :]
    most = max(number for _, number in shown) or 1
    line = "".join(_RISING[(number * 7 + most - 1) // most] if number else "·" for _, number in shown)
    yield f"  {line}"
    first, last = shown[0][0], shown[-1][0]
    yield f"  {first}{last:>{max(len(line) - len(first), len(last) + 1)}}"
    top = max(shown, key=lambda pair: pair[1])
    yield f"  most: {top[1]:,} in {top[0]}"
    if each.left_out + len(each.values) > len(shown):
        yield f"  and {each.left_out + len(each.values) - len(shown):,} before"


def _bar(value: int, most: int, room: int) -> str:
    """A bar in eighths of a character; whatever is more than nothing can be seen."""
    eighths = max(value * room * 8 // most, 1) if value and most else 0
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (_EIGHTHS[rest] if rest else "")


def _short(name: str) -> str:
    shown = "".join(char if char.isprintable() else "�" for char in name)
    return shown if len(shown) <= _LONGEST_LABEL else shown[: _LONGEST_LABEL - 1] + "…"


# As SVG

_WIDTH, _GAP = 960, 36
_PANEL = (_WIDTH - 2 * MARGIN - _GAP) // 2
_PLOT, _ROW, _HEAD = 150, 24, 34


def svg(stats: Stats, name: str) -> str:
    """All series in one picture, two beside each other."""
    drawn = series(stats)
    body: list[str] = []
    top = 96
    for row in range(0, len(drawn), 2):
        pair = drawn[row : row + 2]
        for number, each in enumerate(pair):
            body += _panel(each, MARGIN + number * (_PANEL + _GAP), top)
        top += max(_height(each) for each in pair) + _GAP
    height = top if drawn else 130
    title = f"Memory of {name}"
    if not drawn:
        body.append(text(MARGIN, 108, "Nothing to draw yet."))
    return page(_WIDTH, height, title, _summary(stats), _description(stats, drawn), body)


def _summary(stats: Stats) -> str:
    when = f", {stats.first} to {stats.last}" if stats.first else ""
    undated = f", {stats.undated:,} without a date" if stats.undated else ""
    return f"{stats.records:,} records in {stats.files:,} files, {stats.bytes:,} bytes{when}{undated}"


def _description(stats: Stats, drawn: Sequence[Series]) -> str:
    """The numbers in words, for those who do not see the picture."""
    parts = [f"{_summary(stats)}."]
    for each in drawn:
        shown = each.values[-12:] if each.time else each.values
        parts.append(f"{each.title}: " + ", ".join(f"{_short(name)} {number:,}" for name, number in shown) + ".")
    return " ".join(parts)


def _height(each: Series) -> int:
    return _HEAD + (_PLOT + 24 if each.time else len(each.values) * _ROW + (18 if each.left_out else 0))


def _panel(each: Series, left: int, top: int) -> Iterator[str]:
    yield text(left, top + 12, each.title, "head")
    yield from _weeks(each, left, top + _HEAD) if each.time else _rows(each, left, top + _HEAD)


def _weeks(each: Series, left: int, top: int) -> Iterator[str]:
    """Columns over time, with the ends and the highest value named."""
    most = max(number for _, number in each.values)
    axis = 52
    step = min((_PANEL - axis) / len(each.values), 40)
    floor = top + _PLOT
    for part, value in ((0, most), (1, 0)):
        line = top + part * _PLOT
        yield f'<line class="grid" x1="{left + axis}" y1="{line}" x2="{left + _PANEL}" y2="{line}"/>'
        yield text(left + axis - 6, line + 4, _compact(value), "soft", anchor="end")
    for number, (week, value) in enumerate(each.values):
        if value:
            high = max(value / most * _PLOT, 1)
            x = left + axis + number * step
            yield (
                f'<rect class="bar" x="{x:.1f}" y="{floor - high:.1f}" width="{max(step - 2, 1):.1f}"'
                f' height="{high:.1f}"><title>{escape(week)}: {value:,}</title></rect>'
            )
    yield text(left + axis, floor + 18, each.values[0][0], "soft")
    if len(each.values) * step > 160:
        end = left + axis + len(each.values) * step
        yield text(round(end), floor + 18, each.values[-1][0], "soft", anchor="end")


def _rows(each: Series, left: int, top: int) -> Iterator[str]:
    """A bar for each name."""
    most = max(number for _, number in each.values)
    axis = 170
    room = _PANEL - axis - 64
    for number, (name, value) in enumerate(each.values):
        y = top + number * _ROW
        long = max(value / most * room, 1) if value else 0
        yield text(left + axis - 8, y + 13, _short(name), anchor="end")
        yield (
            f'<rect class="bar" x="{left + axis}" y="{y}" width="{long:.1f}" height="{_ROW - 8}">'
            f"<title>{escape(name)}: {value:,}</title></rect>"
        )
        yield text(left + axis + round(long) + 6, y + 13, f"{value:,}", "soft")
    if each.left_out:
        yield text(left + axis, top + len(each.values) * _ROW + 12, f"and {each.left_out:,} more", "soft")


def _compact(number: int) -> str:
    for size, unit in ((1_000_000, "M"), (10_000, "k")):
        if number >= size:
            return f"{number / (1_000 if unit == 'k' else 1_000_000):.0f}{unit}"
    return f"{number:,}"
