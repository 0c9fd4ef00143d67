"""What a memory bank is made of: its seven files, their other names, the folders they live in, their sections."""

import re
from collections.abc import Callable, Sequence

from memdown import homes
from memdown.dialects.bank import KINDS, templates
from memdown.dialects.bank.templates import LAYERS, Layer
from memdown.homes import bank_of, parts_of
from memdown.patterns import lazy

HOMES = homes.HOMES["bank"]

NOTES = "notes.md"
"""The file beside the seven for what none of them has a section for."""

_OTHERS = frozenset((".squad", ".ai-team", "local-recall"))
_UUID = lazy(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_JOINTS = lazy(r"[-_ .]+")
_NUMBERED = lazy(r"\d+[-_ .]+")

_FOLDED = {
    "systempattern": "systemPatterns.md",
    "technicalcontext": "techContext.md",
    "decisionslog": "decisionLog.md",
    "adr": "decisionLog.md",
    "adrs": "decisionLog.md",
    "adrlog": "decisionLog.md",
}
"""Names of files in real projects beyond those of the templates, folded."""

STATUSES = ("Accepted", "Superseded", "Deprecated", "Proposed", "Rejected")
"""What a decision's Status says."""

STARTED = "Session started — "
"""What stands before the day on which a session began, in the active context."""

ASKS_REPOSITORY = True
"""Rules compare a bank with the repository around it."""
READ_WHOLE = True
"""Its files are few, and read in every session, as those of assistants are."""
HAS_TEMPLATES = True
"""Its folder has templates beside memory; elsewhere a folder is called as whoever made it likes."""
WHY_LATER = True
"""A decision can be given its reason afterwards."""
LOST = "BNK037"
"""The rule about entries of the last commit that are gone."""

FILE_TOKENS = 1000
BANK_TOKENS = 5000


def in_bank(path: str) -> bool:
    """Whether a Markdown file is in a folder of a bank, and not one of another dialect."""
    parts = parts_of(path)
    stem, dot, ending = parts[-1].rpartition(".")
    if not dot or ending.lower() != "md" or _UUID.fullmatch(stem):
        return False
    return bank_of(path) is not None and not _OTHERS.intersection(parts[:-1])


def folded(name: str) -> str:
    """A file's name for comparing: no ending, no number before it, no capitals, hyphens or underscores."""
    stem = name.rpartition(".")[0] if name.lower().endswith(".md") else name
    numbered = _NUMBERED.match(stem)
    return _JOINTS.sub("", stem[numbered.end() if numbered else 0 :].lower())


_LAYERS = {folded(name): layer for layer in LAYERS for name in (layer.file, *layer.aliases)}
_LAYERS |= {name: layer for name, file in _FOLDED.items() if (layer := templates.layer_of(file))}


def layer_named(file: str) -> Layer:
    """A layer by its canonical name."""
    return _LAYERS[folded(file)]


def holds(names: Sequence[str], text_of: Callable[[str], str]) -> bool:  # noqa: ARG001 - their names tell
    """Whether one of the files of a folder is one of the seven."""
    return any("/" not in name and is_layer(name) for name in names)


def other_spelling(place: str, names: Sequence[str]) -> str | None:
    """The file of a bank that is one of the seven, or the one for notes, under another of its names."""
    at_the_top = [name for name in names if "/" not in name]
    if place == NOTES:
        return next((name for name in at_the_top if is_notes(name)), None)
    return next((name for name in at_the_top if _LAYERS.get(folded(name)) is _LAYERS[folded(place)]), None)


def update_order(names: Sequence[str]) -> list[str]:
    """What is brought up to date when the user asks for it, in the order of the contract, as the folder spells it."""
    found = []
    for layer in templates.UPDATE_ORDER:
        there = other_spelling(layer.file, names)
        notes = [*([] if there else ["not there yet"]), *(["append only"] if layer.file == KINDS["decision"] else [])]
        found.append(f"{there or layer.file} ({'; '.join(notes)})" if notes else there or layer.file)
    return found


def is_notes(path: str) -> bool:
    """Whether a file is the one that notes are added to."""
    return folded(parts_of(path)[-1]) == folded(NOTES)


def is_layer(name: str) -> bool:
    """Whether a file of this name may be one of the seven."""
    return folded(name) in _LAYERS


def layer_of(path: str) -> Layer | None:
    """Which of the seven a file is; None for all others, as those of an archive.

    Outside of a bank only a name that nothing else has is one: a `progress.md` may be anything.
    """
    home, parts = bank_of(path), parts_of(path)
    name = folded(parts[-1])
    if home is not None:
        return _LAYERS.get(name) if len(parts) - 1 == len(parts_of(home)) else None
    layer = _LAYERS.get(name)
    return layer if layer and name == layer.file[:-3].lower() and name != "progress" else None


def keeps_decisions(path: str) -> bool:
    """Whether a file is a log of decisions: the seventh layer, or an old one in the archive."""
    layer = layer_of(path)
    if layer is not None:
        return layer.file == "decisionLog.md"
    name = folded(parts_of(path)[-1])
    return name.startswith(("decisionlog", "decisions", "adrlog")) or "decisionlog" in name


def committed_part(path: str) -> str | None:
    """What a file is to decisions of the last commit: the `log` that holds them, or an `archive` that may do so now."""
    return ("log" if layer_of(path) else "archive") if keeps_decisions(path) else None


def append_only(path: str) -> tuple[str, ...]:
    """The kinds of records that never leave a file: what a log or an archive holds."""
    if keeps_decisions(path):
        return ("decision",)
    return ("task", "milestone", "decision") if "archive" in parts_of(path)[:-1] else ()


def is_decision(path: str) -> bool:
    """Whether a file is one decision, as those in a folder `adr` are."""
    name = parts_of(path)[-1].lower()
    folders = {part.lower() for part in parts_of(path)[:-1]}
    return bool(folders & {"adr", "adrs", "decisions"}) and name not in ("readme.md", "index.md", "template.md")
