"""Real three-way merges of memory files, judged line by line: memdown beside git's own ways and "newest file wins".

    python bench/merge.py FOLDER [--details] [--only TEXT]
    python bench/merge.py --speed

FOLDER holds `index.jsonl` and, for each case in it, `base.md`, `ours.md`, `theirs.md` and sometimes `result.md`, which
is what a person committed. The measures know nothing of how memdown merges: they compare lines, headings and keys.
With `--speed`: two logs of 1 MB beside `git merge-file`, the driver's start beside `python -c pass` (processor time,
the least of several runs by turns), and a rebase of 200 commits that append to one log.
"""

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

from memdown import dialects
from memdown.acts.check.engine import Selection, check
from memdown.acts.merge import merge
from memdown.text import decode

FAULTS = ("question", "lost", "doubled", "misplaced", "revived", "findings")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)(.*)")
_KEY = re.compile(
    r"\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:\[[ xX]\]\s+)?"
    r"(?:\*\*([^*:]{0,39}[^*:.!?]):?\*\*:?|([A-Z][\w ]{1,30}):)\s"
)
_FRONT = re.compile(r"([a-z_]+):")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?:\[( |x|X)\]\s+)?(.*)")
_WORD = re.compile(r"\w+")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_MARK = re.compile(r"^(?:<{7} |\|{7}(?: |$)|>{7} )", re.MULTILINE)
_KEPT = "memdown merge:"
LONG = 25

Case = dict[str, Any]
Placed = list[tuple[str, str]]


def placed(text: str) -> Placed:
    """Every line that is not blank, stripped, with the heading it stands under."""
    heading, found = "", []
    fence: str | None = None
    for raw in text.lstrip("\ufeff").splitlines():
        line = raw.strip()
        if fence is not None:
            if line.startswith(fence) and not line.strip(fence[0]):
                fence = None
        elif line.startswith(("```", "~~~")):
            fence = line[: len(line) - len(line.lstrip(line[0]))]
        elif match := _HEADING.match(raw):
            heading = match[2].strip()
        if line and _KEPT not in line:
            found.append((heading, line))
    return found


def doubled(ours: str, theirs: str, out: str) -> list[str]:
    """What stands in the result more often than on either side, where each side has it once at most."""
    a, b, c = (_entries(text) for text in (ours, theirs, out))
    return [
        f"{kind}: {what}"
        for (kind, what), count in c.items()
        if count > max(a[kind, what], b[kind, what], 1) and max(a[kind, what], b[kind, what]) <= 1
        if kind != "item" or not _belong_to_others(what, out)
    ] + [
        f"both states: {what}"
        for (kind, what) in c
        if kind == "done"
        and c["open", what]
        and not (a["done", what] and a["open", what])
        and not (b["done", what] and b["open", what])
    ]


def _belong_to_others(item: str, text: str) -> bool:
    """Whether each place of an item is in another entry: then it is a part of each, and not twice in one."""
    places: list[list[str]] = []
    path: list[tuple[int, str]] = []
    for _, line in placed(text):
        if match := _HEADING.match(line):
            path = [*(each for each in path if each[0] < len(match[1])), (len(match[1]), match[2].strip())]
        elif (match := _ITEM.match(line)) and match[2].strip() == item:
            places.append([name for _, name in path])
    return all(
        any(not _renamed(*pair) or _is_other_day(*pair) for pair in zip(one, other, strict=False))
        for one, other in combinations(places, 2)
    )


def _is_other_day(one: str, other: str) -> bool:
    mine, others = set(_DAY.findall(one)), set(_DAY.findall(other))
    return bool(mine and others) and mine.isdisjoint(others)


def _entries(text: str) -> Counter[tuple[str, str]]:
    """What a text holds by its headings; the only title is none of them, since a side may give the file another."""
    found: Counter[tuple[str, str]] = Counter()
    path: list[tuple[int, str]] = []
    lines = placed(text)
    has_title = sum(line == f"# {heading}" for heading, line in lines) == 1
    for heading, line in lines:
        if (match := _HEADING.match(line)) and match[2].strip() == heading:
            level = len(match[1])
            path = [*(each for each in path if each[0] < level), (level, heading)]
            names = [name for depth, name in path if depth > 1 or not has_title]
            found["heading", " / ".join(names or [heading])] += 1
        elif line.startswith("|"):
            first = line.strip("|").partition("|")[0].strip()
            if first.strip(":- "):
                found["row", f"{heading} | {first}"] += 1
        elif match := _KEY.match(line):
            found["key", f"{heading}: {match[1] or match[2]}"] += 1
        if (match := _ITEM.match(line)) and len(match[2]) >= LONG:
            found["item", match[2].strip()] += 1
            if match[1] is not None:
                found["open" if match[1] == " " else "done", match[2].strip()] += 1
    return found


def lost(base: str, ours: str, theirs: str, out: str) -> list[str]:
    """Lines that a side added and the result does not have: in these words, in newer ones, or in a comment."""
    before, after = ({line for _, line in placed(text)} for text in (base, out))
    missing = [
        (heading, line) for text in (ours, theirs) for heading, line in placed(text) if line not in before | after
    ]
    if not missing:
        return []
    told = "\n".join(line for line in out.splitlines() if _KEPT in line).replace("--&gt;", "-->")
    keys = {_key(heading, line) for heading, line in placed(out)} - {None}
    digits = {_masked(line) for line in after}
    items = {_bare(line) for line in after}
    words = [set(_WORD.findall(line.lower())) for line in after]
    return [
        line
        for heading, line in missing
        if any(map(str.isalnum, line))
        and " ".join(line.split()) not in told
        and _key(heading, line) not in keys
        and _masked(line) not in digits
        and _bare(line) not in items
        and not (line.startswith("# ") and any(each.startswith("# ") for each in after))
        and not (line.startswith("#") and any(_renamed(line, each) for each in after if each.startswith("#")))
        and not _reworded(set(_WORD.findall(line.lower())), words)
    ]


def _masked(line: str) -> str:
    return re.sub(r"\d+", "0", line).replace("*", "").replace("_", "")


def _bare(line: str) -> str:
    match = _ITEM.match(line)
    return match[2].strip() if match else line


def _key(heading: str, line: str) -> tuple[str, str] | None:
    if line.startswith("|"):
        return heading, line.strip("|").partition("|")[0].strip()
    match = _KEY.match(line + " ") or (_FRONT.match(line) if not heading else None)
    return (heading, match[match.lastindex or 0]) if match else None


def _reworded(words: set[str], others: list[set[str]]) -> bool:
    return bool(words) and any(len(words & other) >= 0.7 * max(len(words), len(other)) for other in others if other)


def misplaced(ours: str, theirs: str, base: str, out: str) -> list[str]:
    """Long lines under a heading under which no input had them."""
    known: dict[str, set[str]] = {}
    for heading, line in (*placed(ours), *placed(theirs), *placed(base)):
        known.setdefault(line, set()).add(heading)
    return [
        f"{heading} > {line}"
        for heading, line in placed(out)
        if len(line) >= LONG and line in known and not any(_renamed(each, heading) for each in known[line])
    ]


def _renamed(one: str, other: str) -> bool:
    """Whether two headings may be one: a side gave it another day, state or wording."""
    a, b = (set(_WORD.findall(re.sub(r"\d+", "", each.lower()))) for each in (one, other))
    return one == other or len(a & b) >= 0.5 * min(len(a), len(b))


def revived(base: str, ours: str, theirs: str, out: str) -> list[str]:
    """Lines of the base that a side took away, and that are in the result more often than the other side accounts for.

    A heading, an item with others below it, a label, the head of a table or the first line of a code block may stay for
    what the other side put below it.
    """
    before, mine, others, after = (Counter(line for _, line in placed(text)) for text in (base, ours, theirs, out))
    found = []
    for line, count in before.items():
        least = min(mine[line], others[line])
        if least < count and any(map(str.isalnum, line)):
            most = least if max(mine[line], others[line]) < count else mine[line] + others[line] - count
            if after[line] > most:
                found.append(line)
    needed = _containers(base, out) if found else set()
    return sorted(line for line in found if line not in needed)


def _containers(base: str, out: str) -> set[str]:
    """Lines of a result that have a line below them which the base does not have."""
    before = {line for _, line in placed(base)}
    found: set[str] = set()
    path: list[tuple[int, str]] = []
    opening = previous = ""
    for raw in out.splitlines():
        line = raw.strip()
        if not line:
            continue
        if line.startswith("|") and not line.strip("|:- "):
            opening = previous  # the head of a table
            continue
        if opening and line not in before:
            found.add(opening)
        opening = line if line.startswith(("```", "~~~")) or line.rstrip("*_").endswith(":") else ""
        previous = line
        heading = _HEADING.match(raw)
        depth = len(heading[1]) if heading else 10 + len(raw) - len(raw.lstrip())
        path = [each for each in path if each[0] < depth]
        if line not in before:
            found |= {each for _, each in path}
        path.append((depth, line))
    return found


def findings(path: str, ours: str, theirs: str, out: str) -> list[str]:
    """Findings of the checker that neither side has."""
    a, b, c = (_findings(path, text) for text in (ours, theirs, out))
    return [f"{code} {c[code]} ({a[code]}, {b[code]})" for code in c if c[code] > max(a[code], b[code])]


@lru_cache(16)
def _findings(path: str, text: str) -> Counter[str]:
    document = dialects.parse(path, text)
    found = check([document], Selection(ignore=("MRG",)), whole=False)
    return Counter(each.code for each in found if each.severity != "info")


def records(text: str) -> Counter[str]:
    """What a file holds, for comparing it with what a person made of it: lines, whatever order they have."""
    return Counter({line for _, line in placed(text)})


def measure(path: str, base: str, ours: str, theirs: str, out: str) -> dict[str, list[str]]:
    return {
        "lost": lost(base, ours, theirs, out),
        "doubled": doubled(ours, theirs, out),
        "misplaced": misplaced(ours, theirs, base, out),
        "revived": revived(base, ours, theirs, out),
        "findings": findings(path, ours, theirs, out),
        "markers": _MARK.findall(out),
    }


def again(base: str, ours: str, theirs: str, out: str) -> list[str]:
    """The sides that change the result when they are merged into it once more."""
    return [
        name
        for name, side in (("ours", ours), ("theirs", theirs))
        if {merge(base, out, side).text, merge(base, side, out).text} != {out}
    ]


def turned(base: str, ours: str, theirs: str, out: str) -> list[str]:
    """Lines that the result has, or lacks, when the sides are exchanged."""
    one, other = records(out), records(merge(base, theirs, ours).text)
    return [*(one - other), *(other - one)]


def git_merge(folder: Path, *options: str) -> tuple[str, bool]:
    """What `git merge-file` makes of a case, without marker lines, and whether it stopped."""
    names = [str(folder / f"{name}.md") for name in ("ours", "base", "theirs")]
    done = subprocess.run(["git", "merge-file", "-p", *options, *names], capture_output=True, check=False)
    text = decode(done.stdout)
    text = re.sub(r"^(<{7} .*|={7}|>{7} .*)\r?\n?", "", text, flags=re.MULTILINE) if done.returncode else text
    return text, done.returncode != 0


def newest(case: Case, texts: dict[str, str]) -> str:
    return texts["ours"] if case["date_ours"] >= case["date_theirs"] else texts["theirs"]


def cases(folder: Path) -> Iterator[tuple[Case, dict[str, str]]]:
    for line in (folder / "index.jsonl").read_text("utf-8").splitlines():
        case = json.loads(line)
        texts = {
            file.stem: decode(file.read_bytes())
            for file in (folder / case["case"]).glob("*.md")
            if file.stem in ("base", "ours", "theirs", "result")
        }
        yield case, texts


def ways(folder: Path, case: Case, texts: dict[str, str]) -> dict[str, tuple[str, bool]]:
    """What each way makes of a case, and whether it asks."""
    merged = merge(texts["base"], texts["ours"], texts["theirs"])
    return {
        "memdown": (merged.text, bool(merged.questions)),
        "git": git_merge(folder / case["case"]),
        "union": (git_merge(folder / case["case"], "--union")[0], False),
        "newest wins": (newest(case, texts), False),
    }


def judge(folder: Path, only: str, show: Callable[[str], None]) -> dict[str, dict[str, Counter[str]]]:
    """For each way and dialect, how many cases have which fault."""
    found: dict[str, dict[str, Counter[str]]] = {}
    for case, texts in cases(folder):
        if only not in case["case"]:
            continue
        base, ours, theirs = texts["base"], texts["ours"], texts["theirs"]
        result = texts.get("result")
        by_hand = result is not None and not (
            lost(base, ours, theirs, result) or doubled(ours, theirs, result) or misplaced(ours, theirs, base, result)
        )
        for way, (out, asks) in ways(folder, case, texts).items():
            faults = measure(case["path"], base, ours, theirs, out)
            if way == "memdown":
                faults["again"] = again(base, ours, theirs, out)
                faults["turned"] = turned(base, ours, theirs, out)
            for dialect in (case["dialect"], "all"):
                count = found.setdefault(way, {}).setdefault(dialect, Counter())
                count["cases"] += 1
                count["question"] += asks
                count.update(name for name, what in faults.items() if what)
                if by_hand and result is not None:
                    count["by hand"] += 1
                    count["same"] += records(result) == records(out)
            if way == "memdown" and (asks or any(faults.values())):
                show(f"\n{case['case']} ({case['path']}){' ASKS' if asks else ''} {list(case['conflict_shapes'])}")
                for name, what in faults.items():
                    for each in what[:4]:
                        show(f"    {name}: {each[:150]}")
    return found


def table(found: dict[str, dict[str, Counter[str]]]) -> Iterator[str]:
    head = "way dialect cases unasked lost twice misplaced revived findings again turned by-hand".split()
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for way, by_dialect in found.items():
        for dialect, count in sorted(by_dialect.items()):
            share = (count["cases"] - count["question"]) / count["cases"]
            cells: list[int | str] = [count[name] for name in ("lost", "doubled", "misplaced", "revived", "findings")]
            cells += [count[name] if way == "memdown" else "-" for name in ("again", "turned")]
            hand = f"{count['same']} of {count['by hand']}"
            yield f"| {way} | {dialect} | {count['cases']} | {share:.0%} | {' | '.join(map(str, cells))} | {hand} |"


def speed(folder: Path) -> Iterator[str]:
    """What a merge costs, and whether a long rebase goes through."""
    memdown = str(Path(sys.executable).with_name("memdown"))
    base = "# Decisions\n\n" + "".join(_entry(number, "base") for number in range(7500))
    grown = [base + "".join(_entry(7500 + number, who) for number in range(100)) for who in ("ann", "bob")]
    edited = grown[1].replace("Use thing 33 ", "Use item 33 ")
    for what, other in (("both append", grown[1]), ("both append, one edits", edited)):
        for name, text in (("base", base), ("ours", grown[0]), ("theirs", other), ("now", grown[0])):
            (folder / name).write_text(text, "utf-8")
        git = ["git", "merge-file", "-p", "--union", *(str(folder / name) for name in ("ours", "base", "theirs"))]
        own = [memdown, "merge-driver", *(str(folder / name) for name in ("base", "now", "theirs")), "7", "log.md"]
        taken = _least({"git": git, "memdown": own}, lambda: (folder / "now").write_text(grown[0], "utf-8"), 9)
        ratio = taken["memdown"] / taken["git"]
        yield f"1 MB, {what}: {taken['memdown']:.3f} s, git merge-file {taken['git']:.3f} s: {ratio:.1f}x"
    for name, text in (("base", "# L\n"), ("now", "# L\n\n- a\n"), ("theirs", "# L\n\n- b\n")):
        (folder / name).write_text(text, "utf-8")
    own = [memdown, "merge-driver", *(str(folder / name) for name in ("base", "now", "theirs")), "7", "log.md"]
    taken = _least({"python": [sys.executable, "-c", "pass"], "memdown": own}, lambda: None, 31)
    ratio = taken["memdown"] / taken["python"]
    yield f"driver: {taken['memdown']:.3f} s, python -c pass {taken['python']:.3f} s: {ratio:.1f}x"
    yield _rebase(folder / "rebase", memdown)


def _entry(number: int, who: str) -> str:
    day = f"2026-{1 + number // 28 % 12:02d}-{1 + number % 28:02d}"
    what = f"Use thing {number} of {who}, since it is quick."
    return f"### {day}: Decision {number} by {who}\n\n**By:** {who}\n**What:** {what}\n\n"


def _least(commands: dict[str, list[str]], before: Callable[[], object], rounds: int) -> dict[str, float]:
    """The least processor time of each command, by turns."""
    taken: dict[str, float] = {}
    for _ in range(rounds):
        for name, command in commands.items():
            before()
            start = _spent()
            subprocess.run(command, capture_output=True, check=False)
            taken[name] = min(_spent() - start, taken.get(name, float("inf")))
    return taken


def _spent() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _rebase(folder: Path, memdown: str, commits: int = 200) -> str:
    log = folder / ".squad" / "decisions.md"
    log.parent.mkdir(parents=True)

    def git(*words: str) -> int:
        given = ["git", "-c", "user.name=Ann", "-c", "user.email=a@b.c", "-c", "gc.auto=0", *words]
        return subprocess.run(given, cwd=folder, capture_output=True, check=False).returncode

    def commit(who: str, number: int) -> None:
        log.write_text(log.read_text("utf-8") + _entry(number, who), "utf-8")
        git("commit", "--quiet", "--all", "--no-verify", "--message", who)

    git("init", "--quiet", "--initial-branch=main")
    log.write_text("# Decisions\n\n" + _entry(0, "base"), "utf-8")
    subprocess.run([memdown, "install", "git", "--command", memdown], cwd=folder, capture_output=True, check=True)
    git("add", ".")
    git("commit", "--quiet", "--no-verify", "--message", "base")
    git("switch", "--quiet", "--create", "side")
    for number in range(commits):
        commit("ann", number)
    git("switch", "--quiet", "main")
    for number in range(5):
        commit("bob", 300 + number)
    git("switch", "--quiet", "side")
    start = time.perf_counter()
    stopped = git("rebase", "--quiet", "main")
    seconds = time.perf_counter() - start
    found = [int(number) for number in re.findall(r"Decision (\d+) by ann", log.read_text("utf-8"))]
    others = log.read_text("utf-8").count("by bob\n")
    state = "stopped" if stopped else "no stop"
    order = "in order" if found == list(range(commits)) else "NOT in order"
    told = f"{len(found)} entries {order}, {others} of the other side"
    return f"rebase of {commits} commits: {state}, {told}, {seconds:.0f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--speed", action="store_true", help="measure what a merge costs instead")
    parser.add_argument("--details", action="store_true", help="show each case with a fault")
    parser.add_argument("--only", default="", help="cases whose name has this in it")
    given = parser.parse_args()
    if given.speed:
        with tempfile.TemporaryDirectory() as scratch:
            for line in speed(Path(scratch)):
                print(line)
        return
    if given.folder is None:
        parser.error("give the folder of the cases, or --speed")
    started = time.perf_counter()
    found = judge(given.folder, given.only, print if given.details else lambda _: None)
    print("\n".join(table(found)))
    print(f"{time.perf_counter() - started:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
