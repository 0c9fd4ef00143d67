"""The index against the bare limit, in one run on the same seeded notes: full, nothing changed, ten changed, size.

    python bench/index.py [--notes 10000] [--rounds 5]

The limit reads all files, splits off their front matter and puts them in a full-text table with one bulk insert; its
refresh is a stat scan compared with what was stored. Prints the shortest time of each, and the ratios, which count.
"""

import argparse
import os
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from memdown.index import sync
from memdown.markdown.cardfile import canonical, content_hash

SYLLABLES = (
    "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro ru".split()
)
NAMES = "getUserById user_by_id parseConfig HTTPServer retry_count src/store/files.py loadIndex make_folder".split()
State = dict[str, tuple[int, int]]


def vocabulary(chance: random.Random) -> list[str]:
    """Words of two to four syllables; the first are the common ones."""
    return ["".join(chance.choices(SYLLABLES, k=chance.randint(2, 4))) for _ in range(20_000)]


def note(chance: random.Random, words: list[str], number: int) -> tuple[str, str]:
    """One card of about two kilobytes: front matter, headings, paragraphs, a list, code."""

    def some(least: int, most: int) -> str:
        ranks = (min(int(chance.paretovariate(0.7)), len(words)) - 1 for _ in range(chance.randint(least, most)))
        return " ".join(words[rank] for rank in ranks)

    identity = f"{chance.getrandbits(32):08x}-{number:04x}-4000-8000-{chance.getrandbits(48):012x}"
    pieces = [f"# {some(3, 7).capitalize()}", f"{some(40, 80).capitalize()}."]
    pieces += [f"## {some(2, 4).capitalize()}", f"{some(30, 60)} `{chance.choice(NAMES)}` {some(10, 20)}."]
    pieces += ["\n".join(f"- {some(6, 14)}" for _ in range(chance.randint(4, 8)))]
    pieces += [f"```python\n{chance.choice(NAMES)}({some(1, 1)}={number})\n```", f"{some(30, 60)}."]
    body = "\n\n".join(pieces) + "\n"
    keywords = "".join(f"  - {some(1, 1)}\n" for _ in range(5))
    day = (
        f"20{chance.randint(20, 26)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}T10:{number % 60:02}:00.000Z"
    )
    front = (
        f'---\nid: {identity}\nsubject: "{some(4, 9)}"\nkeywords:\n{keywords}applies_to: area:{some(1, 1)}\n'
        f'occurred_at: "{day}"\ncontent_hash: "{content_hash(canonical(body))}"\n---\n\n'
    )
    return f"{identity}.md", front + body


def generate(root: Path, notes: int) -> int:
    """Write the notes; how many bytes they are."""
    chance = random.Random(7)
    words = vocabulary(chance)
    folder = root / "memories"
    folder.mkdir()
    total = 0
    for number in range(notes):
        name, text = note(chance, words, number)
        data = text.encode()
        (folder / name).write_bytes(data)
        total += len(data)
    return total


def split(text: str) -> tuple[str, str]:
    """Front matter and body, no more."""
    if text.startswith("---\n") and (end := text.find("\n---\n", 4)) > 0:
        return text[4:end], text[end + 5 :]
    return "", text


def scan(root: Path) -> State:
    found = {}
    with os.scandir(root / "memories") as entries:
        for entry in entries:
            state = entry.stat()
            found[entry.name] = (state.st_size, state.st_mtime_ns)
    return found


def bare_full(root: Path, path: Path) -> None:
    for left in path.parent.glob(f"{path.name}*"):
        left.unlink()
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("pragma journal_mode = wal")
    database.execute("pragma synchronous = normal")
    database.execute("create table file (path text primary key, size, mtime)")
    database.execute("create virtual table words using fts5 (path, front, body, tokenize = 'porter unicode61')")
    rows, files = [], []
    for name, (size, mtime) in scan(root).items():
        data = (root / "memories" / name).read_bytes()
        rows.append((name, *split(data.decode())))
        files.append((name, size, mtime))
    database.execute("begin")
    database.executemany("insert into file values (?, ?, ?)", files)
    database.executemany("insert into words values (?, ?, ?)", rows)
    database.execute("commit")
    database.close()


def bare_refresh(root: Path, path: Path) -> None:
    database = sqlite3.connect(path)
    known = {name: (size, mtime) for name, size, mtime in database.execute("select path, size, mtime from file")}
    found = scan(root)
    changed = [name for name, state in found.items() if known.get(name) != state]
    gone = known.keys() - found.keys()
    database.close()
    if changed or gone:
        raise SystemExit("the limit found changes where there are none")


def bare_ten(root: Path, path: Path, names: list[str]) -> None:
    """The same refresh when ten files changed: read, split, replace."""
    database = sqlite3.connect(path, isolation_level=None)
    known = {name: (size, mtime) for name, size, mtime in database.execute("select path, size, mtime from file")}
    found = scan(root)
    changed = [name for name, state in found.items() if known.get(name) != state]
    if sorted(changed) != sorted(names):
        raise SystemExit("the limit found other changes than there are")
    database.execute("begin")
    for name in changed:
        rowid = database.execute("select rowid from file where path = ?", (name,)).fetchone()[0]
        text = (root / "memories" / name).read_text("utf-8")
        database.execute("delete from words where rowid = ?", (rowid,))
        database.execute(
            "insert into words (rowid, path, front, body) values (?, ?, ?, ?)", (rowid, name, *split(text))
        )
        database.execute("update file set size = ?, mtime = ? where path = ?", (*found[name], name))
    database.execute("commit")
    database.close()


def own_full(root: Path) -> None:
    for left in (root / ".memdown").glob("index.db*"):
        left.unlink()
    index, counts = sync.refresh(str(root))
    index.close()
    if not counts["changed"]:
        raise SystemExit("nothing was indexed")


def own_refresh(root: Path, changed: int) -> None:
    index, counts = sync.refresh(str(root))
    index.close()
    if counts["changed"] != changed:
        raise SystemExit(f"{counts['changed']} files were read instead of {changed}")


def change(root: Path, names: list[str], round_: int) -> None:
    for name in names:
        with (root / "memories" / name).open("a", encoding="utf-8") as file:
            file.write(f"\nA line of round {round_}.\n")


def clock(act: Callable[[], None]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root, limit = Path(folder, "notes"), Path(folder, "limit.db")
        root.mkdir()
        size = generate(root, asked.notes)
        print(f"{asked.notes:,} notes, {size / 1e6:.1f} MB; SQLite {sqlite3.sqlite_version}")
        measure(root, limit, asked.rounds)
        held = sum(each.stat().st_size for each in (root / ".memdown").glob("index.db*"))
        print(f"index size          {held / 1e6:8.1f} MB {held / size:20.2f}x the text (at most 3)")


def measure(root: Path, limit: Path, rounds: int) -> None:
    """The acts of both sides in turn, so that what else the machine does meets both."""
    full, refresh, ten = [], [], []
    for _ in range(rounds):
        full.append((clock(lambda: bare_full(root, limit)), clock(lambda: own_full(root))))
    own_refresh(root, 0)  # files that were changed just before they were read are looked at once more
    for _ in range(rounds * 2):
        refresh.append((clock(lambda: bare_refresh(root, limit)), clock(lambda: own_refresh(root, 0))))
    names = sorted(entry.name for entry in os.scandir(root / "memories"))[:10]
    for round_ in range(rounds * 2):
        change(root, names, round_)
        ten.append((clock(lambda: bare_ten(root, limit, names)), clock(lambda: own_refresh(root, len(names)))))
    bare = min(each for each, _ in refresh)
    show("full index", full, min(each for each, _ in full), 2.5)
    show("nothing changed", refresh, bare, 2)
    show("ten changed", ten, bare, 3)


def show(name: str, taken: list[tuple[float, float]], limit: float, most: float) -> None:
    bare, own = min(each for each, _ in taken), min(each for _, each in taken)
    ratio = f"{own / limit:5.2f}x of {limit * 1e3:,.0f} ms (at most {most})"
    print(f"{name:16} bare {bare * 1e3:8.1f} ms   memdown {own * 1e3:8.1f} ms   {ratio}")


if __name__ == "__main__":
    main()
