"""The least that has to be done, as a process of its own with nothing but the standard library.

python limits.py pass
python limits.py stat FOLDER                  look at the state of every file
python limits.py query FILE WORD...           ask a full-text table
python limits.py recall FOLDER FILE WORD...   both
python limits.py full FOLDER FILE             read all, split off front matter, one bulk insert
python limits.py write FOLDER                 fsync, rename, fsync of the folder
"""

import os
import sqlite3
import sys


def look(folder: str) -> int:
    found = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            entry.stat(follow_symlinks=False)
            found += 1
    return found


def query(connection: sqlite3.Connection, words: list[str]) -> list[tuple[object, ...]]:
    match = " OR ".join(f'"{word}"' for word in words)
    asked = "select path, snippet(words, 1, '', '', '…', 12) from words where words match ? order by rank limit 10"
    return connection.execute(asked, (match,)).fetchall()


def fill(folder: str, file: str) -> None:
    if os.path.exists(file):
        os.unlink(file)
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("pragma journal_mode = off")
    connection.execute("create virtual table words using fts5 (path unindexed, body, tokenize = 'porter unicode61')")
    connection.execute("begin")
    connection.executemany("insert into words values (?, ?)", _texts(folder))
    connection.execute("commit")
    connection.close()


def _texts(folder: str) -> list[tuple[str, str]]:
    found = []
    for name in os.listdir(folder):
        with open(f"{folder}/{name}", "rb") as file:
            text = file.read().decode("utf-8", "replace")
        end = text.find("\n---\n", 4) if text.startswith("---\n") else -1
        found.append((name, text[end + 5 :] if end > 0 else text))
    return found


def write(folder: str, name: str = "limit.txt", text: bytes = b"x" * 2200) -> None:
    path = f"{folder}/{name}"
    with open(f"{path}.tmp", "wb") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{path}.tmp", path)
    number = os.open(folder, os.O_RDONLY)
    os.fsync(number)
    os.close(number)


def main() -> None:
    act, *given = sys.argv[1:]
    if act in ("stat", "recall"):
        look(given.pop(0))
    if act in ("query", "recall"):
        query(sqlite3.connect(given[0]), given[1:])
    elif act == "full":
        fill(*given)
    elif act == "write":
        write(given[0])


if __name__ == "__main__":
    main()
