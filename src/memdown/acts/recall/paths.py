"""What memory says of a file: records about it, or about a folder or area that holds it, and those that cite it."""

import os

from memdown.index.lookup import IndexedRecord, Lookup

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from collections.abc import Iterator

FILE, FOLDER, AREA, CITED, CHANGED, NAMED, EVERYWHERE = range(7)
"""How specific a record is, the most specific first."""
_MOST = 5
"""Paths of a prompt that are looked at."""
_LONGEST = 300
_AROUND = "`'\"()[]{}<>,;!?*@"
_IN_NAMES = "._-+~@/\\"
_GENERIC = frozenset("__init__ __main__ conftest index init lib main mod package readme setup types utils".split())
"""Names that files of many folders have, so that they say nothing without their folder."""
_HISTORY = ("edit", "modification", "session", "cache")
"""Kinds of records that tell of a change, and not of what holds."""


class PathHit:
    """A record that concerns a file, and why."""

    __slots__ = ("rank", "record", "why")

    def __init__(self, record: IndexedRecord, rank: int, why: str) -> None:
        self.record = record
        self.rank = rank
        self.why = why


def named(root: str, prompt: str) -> tuple[list[str], str]:
    """The files of the project that a prompt names, by their path from the root, and what else it says."""
    found: dict[str, None] = {}
    rest: list[str] = []
    for word in prompt.split():
        is_path = len(found) < _MOST and ("." in word or "/" in word)
        name = _file(root, word.strip(_AROUND).rstrip(".:")) if is_path else ""
        if name:
            found[name] = None
        else:
            rest.append(word)
    return list(found), " ".join(rest)


def _file(root: str, word: str) -> str:
    """The name of a file that is there, without the line behind it, as in `src/db.py:12`; else nothing."""
    for each in dict.fromkeys((word, word.partition(":")[0], word.partition("#")[0])):
        path = os.path.normpath(os.path.join(root, each))
        if 0 < len(each) < _LONGEST and path.startswith(os.path.join(root, "")) and os.path.isfile(path):
            return os.path.relpath(path, root).replace(os.sep, "/")
    return ""


def concerning(index: Lookup, name: str) -> "Iterator[PathHit]":
    """Records in force that concern a file, the most specific first, and of equal ones the newest."""
    found: dict[int, PathHit] = {}
    for hit in (*_scoped(index, name), *_citing(index, name), *_directives(index)):
        known = found.get(hit.record.number)
        if known is None or hit.rank < known.rank:
            found[hit.record.number] = hit
    taken: list[IndexedRecord] = []
    # A folder further down is more specific; a decision says more of a file than other texts that cite it.
    for hit in sorted(
        found.values(),
        key=lambda each: (
            each.rank,
            -each.why.count("/") if each.rank == FOLDER else each.record.kind != "decision",
            -each.record.instant,
        ),
    ):
        if not any(map(hit.record.overlaps, taken)):
            taken.append(hit.record)
            yield hit


def _scoped(index: Lookup, name: str) -> "Iterator[PathHit]":
    folders = ["/".join(name.split("/")[:deep]) for deep in range(1, name.count("/") + 1)]
    targets = {each: (FOLDER, f"about {each}/") for folder in folders for each in (folder, f"{folder}/")}
    words = [*name.split("/")[:-1], _stem(name)]
    targets |= {f"area:{word.casefold()}": (AREA, f"about the area {word}") for word in words}
    targets |= {f"area:{folder}": (FOLDER, f"about {folder}/") for folder in folders if "/" in folder}
    parts = name.split("/")
    for start in range(len(parts) - 1, -1, -1):
        end = "/".join(parts[start:])
        if not start or len(parts) - start > 1 or _stem(name) not in _GENERIC:
            targets[end] = FILE, "about this file"
    for record, target in index.scoped([f"{before}{each}" for each in targets for before in ("", "./", "file:")]):
        rank, why = targets[target.removeprefix("./").removeprefix("file:")]
        if rank == FILE and record.kind in _HISTORY:
            rank, why = CHANGED, "names it"
        yield PathHit(record, rank, why)


def _citing(index: Lookup, name: str) -> "Iterator[PathHit]":
    base = name.rpartition("/")[2]
    for record, texts in index.with_text(base):
        cited = max((_cited(text, name, base) for text in texts), key=len, default="")
        if not cited or record.path == name:
            continue
        if "/" in cited or cited == name:
            yield PathHit(record, CHANGED if record.kind in _HISTORY else CITED, "names it")
        elif _stem(name) not in _GENERIC:
            yield PathHit(record, NAMED, f"names {base}")


def _directives(index: Lookup) -> "Iterator[PathHit]":
    for record in index.of_kind("directive"):
        if not record.scope.startswith(("file:", "area:")) and "/" not in record.scope:
            yield PathHit(record, EVERYWHERE, "a directive in force")


def _cited(text: str, name: str, base: str) -> str:
    """How a text cites a file: by its whole path, by the end of it, or by its name alone; empty when it does not."""
    best, at = "", text.find(base)
    while at >= 0:
        start, end = at, at + len(base)
        while start and (text[start - 1].isalnum() or text[start - 1] in _IN_NAMES):
            start -= 1
        at = text.find(base, end)
        behind = text[end : end + 2]
        if behind[:1].isalnum() or behind[:1] in tuple("_-/\\+~") or (behind[:1] == "." and behind[1:].isalnum()):
            continue
        cited = text[start:end].replace("\\", "/").lstrip("@~+-").removeprefix("./")
        # A path may begin above the root, as an absolute one does.
        if f"/{name}".endswith(f"/{cited}") or ("/" in name and cited.endswith(f"/{name}")):
            best = max(best, cited, key=len)
    return best


def _stem(name: str) -> str:
    return name.rpartition("/")[2].partition(".")[0].casefold()
