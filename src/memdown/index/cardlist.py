"""The cards of a project, read again only where something changed since the last hook.

A folder that is as it was has the files it had. Files changed in their place are found by `refresh`, which looks at
every one and runs when a folder changed or a session ends; until then, what is shown is looked at again.
"""

import os
import time

from memdown import clock
from memdown.index.hook_state import State
from memdown.markdown.fence import line

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD = 8192
"""Bytes at the beginning of a file that are looked at for its front matter."""
_SETTLED = 100_000_000
_SETTLED_COARSE = 2_000_000_000
"""Nanoseconds after which a folder's time tells a later change from the one before; some disks count in seconds."""
_COLUMNS = "name, size, mtime, at, subject, scope"


class Card:
    """What a card says of itself."""

    __slots__ = ("at", "name", "scope", "subject")

    def __init__(self, name: str, at: str, subject: str, scope: str) -> None:
        self.name = name
        self.at = at
        """When it happened, as the card says it; empty when it does not."""
        self.subject = subject
        self.scope = scope


def refresh(state: State) -> None:
    """Bring what is known of the cards up to their files."""
    known = {row[0]: row[1:] for row in state.db.execute("select name, size, mtime from card")}
    changed: list[tuple[object, ...]] = []
    folders: list[tuple[str, int]] = []
    for name, entry in _files(state, folders):
        seen = entry.stat(follow_symlinks=False)
        if known.pop(name, None) != (seen.st_size, seen.st_mtime_ns):
            changed.append((name, seen.st_size, seen.st_mtime_ns, *_read(entry.path)))
    with state.db as db:
        db.executemany("insert or replace into card values (?, ?, ?, ?, ?, ?, ?, ?, ?)", changed)
        db.executemany("delete from card where name = ?", [(name,) for name in known])
        db.execute("delete from folder")
        db.executemany("insert into folder values (?, ?)", folders)


def look(state: State) -> int:
    """Refresh if a folder changed; how many cards there are."""
    noted = dict(state.db.execute("select name, mtime from folder"))
    homes = dict.fromkeys(state.settings.homes("cards"))
    if not noted or any(_time_of(state, name) != noted.get(name, 0) for name in {**homes, **noted}):
        refresh(state)
    count: int = state.db.execute("select count(*) from card").fetchone()[0]
    return count


def newest(state: State, most: int, without: set[str]) -> list[Card]:
    """The cards that happened last."""
    rows = state.db.execute(f"select {_COLUMNS} from card where subject <> '' order by instant desc, name")
    found: list[Card] = []
    for row in rows:
        if row[0] not in without and (card := _current(state, row)):
            found.append(card)
            if len(found) == most:
                break
    return found


def matching(state: State, words: list[str]) -> dict[str, set[str]]:
    """For each word, the cards that have a word which begins so in what they say of themselves."""
    found = {}
    for word in words:
        rows = state.db.execute(
            "select name from card where instr(words, ?)", (f" {word}" if word.isascii() else word,)
        )
        found[word] = {row[0] for row in rows}
    return {word: names for word, names in found.items() if names}


def named(state: State, name: str) -> Card | None:
    """A card by its file, as it is now."""
    row = state.db.execute(f"select {_COLUMNS} from card where name = ?", (name,)).fetchone()
    return _current(state, row) if row else None


def _current(state: State, row: tuple[str, int, int, str, str, str]) -> Card | None:
    """The card, read again when its file changed in its place."""
    name, size, mtime, at, subject, scope = row
    path = os.path.join(state.root, name)
    try:
        seen = os.stat(path)
    except OSError:
        return None
    if (seen.st_size, seen.st_mtime_ns) != (size, mtime):
        at, _, _, subject, scope, _ = _read(path)
    return Card(name, at, subject, scope)


def _time_of(state: State, folder: str) -> int:
    try:
        return os.stat(os.path.join(state.root, folder)).st_mtime_ns
    except OSError:
        return 0


def _files(state: State, folders: list[tuple[str, int]]) -> "Iterator[tuple[str, os.DirEntry[str]]]":
    """The Markdown files in the folders of cards, links not followed; the folders and their times are noted."""
    for home in dict.fromkeys(state.settings.homes("cards")):
        waiting = [home]
        while waiting:
            folder = waiting.pop()
            changed = _time_of(state, folder)
            try:
                with os.scandir(os.path.join(state.root, folder)) as listed:
                    entries = list(listed)
            except OSError:
                continue
            settled = _SETTLED if changed % 1_000_000_000 else _SETTLED_COARSE
            folders.append((folder, changed if time.time_ns() - changed > settled else -1))
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if entry.name.endswith(".md") and entry.is_file(follow_symlinks=False):
                    yield f"{folder}/{entry.name}", entry
                elif entry.is_dir(follow_symlinks=False):
                    waiting.append(f"{folder}/{entry.name}")


def _read(path: str) -> tuple[str, str, str, str, str, str]:
    """Time, instant, hash, subject, scope, and the words of a card in small letters, a space before each."""
    try:
        with open(path, "rb") as file:
            values = front(file.read(_HEAD).decode("utf-8", "replace"))
    except OSError:
        values = {}
    keys = ("occurred_at", "content_hash", "subject", "applies_to", "keywords")
    at, hash, subject, scope, keywords = (values.get(key, "") for key in keys)
    text = f" {subject} {keywords} {scope}".lower()
    words = "".join(char if char.isalnum() else " " for char in text)
    return at, clock.instant(at), hash, subject, scope, words


def front(text: str) -> dict[str, str]:
    """The values of front matter as most cards have it; lists as their words. What it cannot read it leaves out."""
    first, *lines = text.lstrip("\ufeff").split("\n")
    values: dict[str, str] = {}
    if first.rstrip() != "---":
        return values
    key = ""
    for raw in lines:
        line = raw.rstrip()
        if line in ("---", "..."):
            break
        if line[:1] in (" ", "-", "\t"):
            more = _plain(line.strip().removeprefix("- "))
            values[key] = f"{values[key]} {more}".strip() if values.get(key) else more
        elif ":" in line:
            key, _, value = line.partition(":")
            value = value.strip()
            values[key] = "" if value in (">", ">-", "|", "|-") else _plain(value)
    return values


def _plain(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if len(value) > 1 and value[0] == value[-1] == '"':
        return value[1:-1].replace('\\"', '"')
    return value.strip("[]").partition(" #")[0].strip()


def describe(card: Card) -> str:
    """A card on one line."""
    scope = f" [{line(card.scope)}]" if card.scope not in ("", "global") else ""
    return f"- {line(card.at[:10])} {line(card.subject)}{scope} ({card.name}:1)"
