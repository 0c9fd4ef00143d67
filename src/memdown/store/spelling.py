"""Folders by the names they have on disk: people write Memory-Bank where memory-bank is meant."""

from collections.abc import Iterable
from pathlib import Path


def spelled(root: Path, folders: Iterable[str]) -> dict[str, str | None]:
    """Each folder below a root in the spelling it has on disk; None for one that is not there."""
    listed: dict[Path, list[str]] = {}
    return {folder: _spelled(root, folder, listed) for folder in folders}


def entries(folder: Path) -> list[str]:
    """What a folder holds, sorted; nothing when it is none, or nobody may look.

    Any other failure is one: who took it for an empty folder would begin another memory beside the one that is there.
    """
    try:
        return sorted(each.name for each in folder.iterdir())
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []


def _spelled(root: Path, wanted: str, listed: dict[Path, list[str]]) -> str | None:
    found: list[str] = []
    for part in wanted.split("/"):
        folder = root.joinpath(*found)
        if folder not in listed:
            listed[folder] = entries(folder)
        # What is hidden counts in its exact spelling alone, as it does for every name that is asked for.
        same = part if part.startswith(".") else part.lower()
        spellings = [name for name in listed[folder] if same == (name if part.startswith(".") else name.lower())]
        if not spellings:
            return None
        found.append(part if part in spellings else spellings[0])
    return "/".join(found) if root.joinpath(*found).is_dir() else None
