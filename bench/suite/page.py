"""The report: docs/benchmarks.md with a table for each group of rows, and a chart for what grows."""

import math
import os
import platform
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from textwrap import fill

from suite.rivals import Rival
from suite.timing import US, Row, exponent

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 560, 300, 64, 34, 150, 40
_STARTS_ALONE = """\
Programs that need minutes to import the notes, or a model to embed them (basic-memory, memsearch), take part only in
the startup tests."""
_CPU = """\
Other work kept the machine busy, so times are CPU times, of a process and everything it started; only the time a server
takes to add a memory, most of which is waiting for the disk, is wall-clock time. They"""
COLOURS = ("#0b6e99", "#c4521f", "#5a7d2a", "#8b4a9c", "#8a6d00")


def write(
    folder: Path,
    rows: Sequence[Row],
    rivals: Sequence[Rival],
    tables: Sequence[str],
    command: str,
    load: float,
    *,
    cpu: bool = False,
) -> Path:
    """Write the page and its charts."""
    charts = folder / "benchmarks"
    charts.mkdir(parents=True, exist_ok=True)
    grown: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.notes:
            grown[row.work].append(row)
    drawn = [_chart(charts, work, some) for work, some in grown.items() if len(some) > 1 and some[0].unit == "ms"]
    parts = [
        _head(command, load, cpu=cpu),
        "## Independent of size\n",
        _table([row for row in rows if not row.notes]),
    ]
    parts += ["## By number of notes\n", _table([row for row in rows if row.notes]), _growth(grown)]
    parts += [f"![{work}](benchmarks/{name})" for work, name in drawn]
    parts += [*tables, _present(rivals), _missing(rivals)]
    path = folder / "benchmarks.md"
    path.write_text("\n\n".join(part.strip("\n") for part in parts if part) + "\n", encoding="utf-8")
    return path


def _head(command: str, load: float, *, cpu: bool) -> str:
    machine = f"{os.cpu_count()} processors ({platform.machine()}), {platform.system()} {platform.release()}"
    versions = f"Python {platform.python_version()}, SQLite {_sqlite()}"
    paragraphs = (
        f"""memdown, other programs and the minimum work, side by side in one run: in each round, everyone takes a
        turn, so that other load on the machine affects all of them alike. {_CPU if cpu else "Times"} are
        medians, with half the interquartile range; the ratio compares the shortest times with the limit, which is
        marked `=1`, with the goal after it.""",
        f"""Made by `{command}` on {datetime.now(UTC):%d %B %Y}: {machine}, {versions}, load {load:.1f} when it began.
        To repeat it, run the same in a clone; `bench/run --help` has the options. The corpora are made from a seed and
        are the same everywhere. For what was tried to improve them, see
        [the design of performance](design/performance.md).""",
    )
    filled = (fill(" ".join(each.split()), 120, break_on_hyphens=False) for each in paragraphs)
    return "\n\n".join(("# Benchmarks", *filled))


def _sqlite() -> str:
    return str(sys.modules["sqlite3"].sqlite_version)


def _table(rows: Sequence[Row]) -> str:
    lines = ["| work | notes | who | median | spread | × limit |", "|---|---|---|---|---|---|"]
    for row in rows:
        for number, (name, taken) in enumerate(row.taken.items()):
            scale = 1 if row.unit == "MB" else 1000
            ratio = row.ratio(name)
            times = "" if ratio is None else "=1" if name == row.limit else f"{ratio:.2f}"
            goal = f" (goal {row.goal:g})" if row.goal and name == US else ""
            first = (row.work, f"{row.notes:,}" if row.notes else "") if not number else ("", "")
            who = f"**{name}**" if name == US else name
            spread = f"±{taken.spread:.0%}" if len(taken.times) > 1 else ""
            cells = (*first, who, f"{taken.median * scale:,.1f} {row.unit}", spread, f"{times}{goal}")
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _growth(grown: dict[str, list[Row]]) -> str:
    lines = [
        "## Growth",
        "",
        "The exponent with which a time grows with the number of notes: 1 is linear, 0 is constant.",
        "",
    ]
    lines += ["| work | who | exponent |", "|---|---|---|"]
    for work, rows in grown.items():
        for name in dict.fromkeys(name for row in rows for name in row.taken):
            points = {row.notes: row.taken[name].least for row in rows if name in row.taken}
            power = exponent(points)
            if power is not None:
                lines.append(f"| {work} | {name} | {power:.2f} |")
    return "\n".join(lines) if len(lines) > 6 else ""


def _present(rivals: Iterable[Rival]) -> str:
    lines = [f"- {each.name} {each.version}".rstrip() for each in rivals if each.command]
    return "\n".join(("## Participants", "", *lines, "", _STARTS_ALONE)) if lines else ""


def _missing(rivals: Iterable[Rival]) -> str:
    lines = [f"- {each.name}: {each.why_not}" for each in rivals if each.why_not]
    return "\n".join(("## Could not be measured here", "", *lines)) if lines else ""


def _chart(folder: Path, work: str, rows: Sequence[Row]) -> tuple[str, str]:
    """Times over notes, both by powers of ten."""
    name = "".join(char if char.isalnum() else "-" for char in work.lower()).strip("-") + ".svg"
    lines = {
        who: [(row.notes, row.taken[who].median * 1000) for row in rows if who in row.taken]
        for who in dict.fromkeys(who for row in rows for who in row.taken)
    }
    values = [value for some in lines.values() for _, value in some]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    first, last = math.log10(min(row.notes for row in rows)), math.log10(max(row.notes for row in rows))

    def at(notes: float, value: float) -> tuple[float, float]:
        across = (math.log10(notes) - first) / (last - first or 1)
        up = (math.log10(value) - low) / (high - low or 1)
        return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif"',
        'font-size="11">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/><text x="{LEFT}" y="18" font-size="13">{work}</text>',
    ]
    for power in range(low, high + 1):
        _, y = at(10**first, 10.0**power)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g} ms</text>')
    for row in rows:
        x, _ = at(row.notes, 10.0**low)
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{row.notes:,}</text>')
    for number, (who, points) in enumerate(lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in points))
        dash = ' stroke-dasharray="4 3"' if who == rows[0].limit else ""
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        x, y = at(*points[-1])
        parts.append(f'<text x="{x + 6:.1f}" y="{y + 4:.1f}" fill="{colour}">{who}</text>')
    (folder / name).write_text("\n".join((*parts, "</svg>")) + "\n", encoding="utf-8")
    return work, name
