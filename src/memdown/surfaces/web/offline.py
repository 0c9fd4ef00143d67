"""What the pages of an export search by: plain scripts, of which a page loads those that it needs, also from a disk.

`search/index.js` has of each record what it can be narrowed down by; `search/rows-N.js` what a list shows of some;
`search/words-N.js` which records have a word, in the order of the words. `static/find.js` reads them.
"""

import json
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime
from typing import Any

from memdown.index.words import parts
from memdown.patterns import lazy
from memdown.record import Mark, Record
from memdown.surfaces.web.markup import day, name_of, plain, words

FOLDER = "search"
MOST = 100_000
"""Records that can be searched for, the newest; all are listed."""
ROWS = 200
_TEXT = 20_000
"""Characters of a record whose words are kept."""
_SHOWN = 240
_WORD = 40
"""Characters of the longest word that is kept."""
_SHARD = 100_000
"""Characters of a file of words, from which on the next begins."""
_COMMON = 0.5
"""Share of the records from which on a word tells nothing, once there are many."""
_MANY = 1000
_WORDS = lazy(r"[^\W_]+")
COLUMNS = ("kind", "author", "tag", "dialect", "status")
_STATUS = 30


class OfflineIndex:
    """What is known of the records, the newest first, until it is written."""

    def __init__(self, now: datetime) -> None:
        self.now = now
        self.total = 0
        self._values: dict[str, dict[str, int]] = {name: {} for name in COLUMNS}
        self._columns: dict[str, list[object]] = {name: [] for name in COLUMNS}
        self._days: list[int] = []
        self._over: list[int] = []
        self._rows: list[tuple[str, str, str, str]] = []
        self._words: dict[str, tuple[array[int], array[int]]] = {}

    def add(self, mark: Mark, page: str) -> None:
        """Take the next record, which a page is about."""
        self.total += 1
        if len(self._rows) >= MOST:
            return
        record, at = mark.record, len(self._rows)
        for name, values in _facts(record).items():
            known = self._values[name]
            numbers = [known.setdefault(value, len(known)) for value in values]
            self._columns[name].append(numbers[0] if len(numbers) == 1 else numbers)
        self._days.append(date.fromisoformat(day(record.at)).toordinal() if record.at else 0)
        self._over.append(int(mark.superseded) + 2 * int(mark.expired))
        title, text = name_of(record), _text(record)
        self._rows.append((words(title), page, plain(f"{record.path}:{record.line}"), plain(_begin(text, title))))
        said = words_of(" ".join((title, *record.tags, record.author or "")))
        for word in said:
            self._of(word)[0].append(at)
        for word in words_of(text) - said:
            self._of(word)[1].append(at)

    def _of(self, word: str) -> tuple["array[int]", "array[int]"]:
        if (found := self._words.get(word)) is None:
            found = self._words[word] = (array("I"), array("I"))
        return found

    def files(self) -> Iterator[tuple[str, str]]:
        """The scripts, by name."""
        many = len(self._rows) > _MANY
        common = sorted(
            word for word, (in_title, in_text) in self._words.items() if many and self._is_common(in_title, in_text)
        )
        first: list[str] = []
        held: dict[str, list[str]] = {}
        size = 0
        left_out = set(common)
        for word in sorted(self._words.keys() - left_out, key=lambda each: each.encode("utf-16-be", "replace")):
            if not held:
                first.append(word)
            held[word] = [_steps(found) for found in self._words[word]]
            size += len(word) + sum(map(len, held[word]))
            if size > _SHARD:
                yield f"words-{len(first) - 1}.js", _script(f"words-{len(first) - 1}", held)
                held, size = {}, 0
        if held:
            yield f"words-{len(first) - 1}.js", _script(f"words-{len(first) - 1}", held)
        for number, start in enumerate(range(0, len(self._rows), ROWS)):
            yield f"rows-{number}.js", _script(f"rows-{number}", self._rows[start : start + ROWS])
        columns = {
            name: {"values": [plain(value) for value in known], "of": self._columns[name]}
            for name, known in self._values.items()
        }
        yield (
            "index.js",
            _script(
                "index",
                {
                    "total": self.total,
                    "rows": ROWS,
                    "today": self.now.date().toordinal(),
                    "columns": columns,
                    "days": self._days,
                    "over": self._over,
                    "words": first,
                    "common": common,
                },
            ),
        )

    def _is_common(self, in_title: "array[int]", in_text: "array[int]") -> bool:
        return len(in_title) + len(in_text) > _COMMON * len(self._rows)


def words_of(text: str) -> set[str]:
    """The words of a text as they are compared: small letters without accents."""
    found = _WORDS.findall(folded(f"{text} {parts(text)}"))
    return {word for word in found if len(word) <= _WORD}


def folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    return "".join(each for each in unicodedata.normalize("NFKD", text).lower() if not unicodedata.combining(each))


def of_records(pages: Iterable[list[Mark]], now: datetime, place: Callable[[Record, int], str]) -> OfflineIndex:
    """The index of all records, each with the page that `place` gives it by its number."""
    made, number = OfflineIndex(now), 0
    for marks in pages:
        for mark in marks:
            made.add(mark, place(mark.record, number))
            number += 1
    return made


def _facts(record: Record) -> dict[str, list[str]]:
    status = record.status if record.status and len(record.status) < _STATUS else None
    return {
        "kind": [record.kind],
        "author": [record.author] if record.author else [],
        "tag": list(dict.fromkeys(record.tags)),
        "dialect": [record.dialect],
        "status": [status] if status else [],
    }


def _text(record: Record) -> str:
    return "\n".join(filter(None, (record.summary, record.body, record.rationale)))[:_TEXT]


def _begin(text: str, title: str) -> str:
    """How the text begins, without what the title says already."""
    words = " ".join(text[: 2 * _SHOWN + len(title)].split()).removeprefix(title).lstrip(" .:")
    return words if len(words) <= _SHOWN else words[:_SHOWN].rpartition(" ")[0] + " …"


def _steps(numbers: "array[int]") -> str:
    """Rising numbers by the steps between them, which are short."""
    said, last = [], -1
    for number in numbers:
        said.append("" if number == last + 1 else format(number - last - 1, "x"))
        last = number
    return ",".join(said) if said else "-"


def _script(name: str, data: Any) -> str:
    """Data that a page loads as a script, which needs no server."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    safe = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return f'memdownTake("{name}",{safe})\n'
