"""What a tree looks like: its languages by share of files, and its folders with what they are for."""

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct

from memdown.scan.catalog import FOLDERS, LANGUAGES
from memdown.scan.model import clean
from memdown.store.tree import Tree

MOST_FOLDERS = 40
_OPENED = frozenset("src lib app apps packages crates services cmd internal pkg backend frontend server client".split())
_SUPPORTING = frozenset({"HTML", "CSS", "Shell", "PowerShell", "SQL", "Protocol Buffers"})


class LanguageShare(Struct, frozen=True):
    """How much of the code is written in a language."""

    language: str
    files: int
    percent: int


class ScanPlace(Struct, frozen=True):
    """A folder, and what it is for: from its well-known name, or what is in it."""

    name: str
    depth: int
    purpose: str


def languages(tree: Tree) -> list[LanguageShare]:
    """Languages by number of files, the most used first; below one per cent they are left out."""
    counted = Counter(language for name in tree.names if (language := _language(name)))
    whole = sum(counted.values())
    shares = [LanguageShare(language, files, round(100 * files / whole)) for language, files in counted.most_common()]
    shares.sort(key=lambda share: (-share.files, share.language in _SUPPORTING, share.language))
    return [share for share in shares if share.percent >= 1]


def _language(name: str) -> str | None:
    file = name.rpartition("/")[2]
    stem, dot, suffix = file.rpartition(".")
    if not dot or not stem or stem.endswith((".min", ".d")):
        return None
    return LANGUAGES.get(suffix.lower())


def folders(tree: Tree) -> list[ScanPlace]:
    """Folders at the root, with what lies directly in those that only hold others."""
    found = list(_below(tree, "", 0))
    return found[:MOST_FOLDERS]


def _below(tree: Tree, prefix: str, depth: int) -> Iterator[ScanPlace]:
    inside: dict[str, list[str]] = {}
    for name in tree.names:
        if name.startswith(prefix) and "/" in name[len(prefix) :]:
            inside.setdefault(name[len(prefix) :].partition("/")[0], []).append(name)
    for folder, names in sorted(inside.items()):
        if folder.startswith(".") and folder not in FOLDERS:
            continue
        yield ScanPlace(clean(folder, 60), depth, FOLDERS.get(folder.lower()) or _holds(names))
        if depth < 2 and (folder.lower() in _OPENED or (depth == 1 and prefix == "src/" and len(inside) == 1)):
            yield from _below(tree, f"{prefix}{folder}/", depth + 1)


def _holds(names: list[str]) -> str:
    counted = Counter(language for name in names if (language := _language(name)))
    if not counted:
        return f"{len(names)} {'file' if len(names) == 1 else 'files'}"
    language, files = counted.most_common(1)[0]
    return f"{files} {language} {'file' if files == 1 else 'files'}"
