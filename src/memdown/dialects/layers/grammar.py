"""What a layered store is made of: its layers and folders, ids, names, limits."""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct

from memdown import homes
from memdown.errors import Invalid, quote
from memdown.limits.settings import LayerSettings
from memdown.patterns import lazy

HOMES = homes.HOMES["layers"]

AGED = "memory"
"""The kind of record whose date is the age of its whole file."""

FOLDERS = {"shared-project": "projects", "skill-specific": "skills", "command": "commands", "agent": "agents"}
"""The layers, and the folder of each inside a store."""

ALIASES = {
    "shared-project": ("shared-project", "shared", "project", "projects"),
    "skill-specific": ("skill-specific", "skill", "skills"),
    "command": ("command", "commands"),
    "agent": ("agent", "agents"),
}
_LAYERS = {alias: layer for layer, aliases in ALIASES.items() for alias in aliases}
_LAYER_OF = {folder: layer for layer, folder in FOLDERS.items()}

ARCHIVE = "_archive"
"""How the file type of an archive ends."""

SIZE_ADVICE: Mapping[str, str] = {
    "project_overview": "Move detailed sections to separate files",
    "review_history": "Archive older entries",
}
SPLIT_ADVICE = "Split into focused sub-files"

LONGEST_NAME = 200
"""Characters of a name, so that with an ending every file system takes it."""

NAME = lazy(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)
_DEVICE = lazy(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE | re.ASCII)
_STRUCTURAL = frozenset({"index.md", "readme.md", "sync_log.md"})
_STRUCTURAL_AT_THE_TOP = frozenset({"lifecycle.md", "quality_guidance.md"})


class Address(Struct, frozen=True):
    """Which memory of a store: its layer and the names that lead to it."""

    layer: str
    owner: str
    """The project, or the agent in the layer of agents."""
    file_type: str
    skill: str | None = None

    @property
    def id(self) -> str:
        return "/".join(part for part in (self.layer, self.skill, self.owner, self.file_type) if part)

    @property
    def place(self) -> str:
        """The file, inside the store."""
        parts = (FOLDERS[self.layer], self.skill, self.owner, f"{self.file_type}.md")
        return "/".join(part for part in parts if part)

    @property
    def project(self) -> str | None:
        return None if self.layer == "agent" else self.owner

    @property
    def is_archive(self) -> bool:
        return self.file_type.endswith(ARCHIVE)

    @property
    def archive(self) -> "Address":
        return Address(self.layer, self.owner, f"{self.file_type}{ARCHIVE}", self.skill)


def layer_named(name: str) -> str:
    """The layer a name stands for, by its own name or a known alias."""
    layer = _LAYERS.get(name.strip().lower())
    if layer is None:
        raise Invalid(f"{quote(name)} is not a layer; use {', '.join(FOLDERS)}.")
    return layer


def address(
    layer: str,
    file_type: str,
    *,
    project: str | None = None,
    skill: str | None = None,
    agent: str | None = None,
) -> Address:
    """The address that these names make, or Invalid with the first that is wrong."""
    layer = layer_named(layer)
    stem = file_type.removesuffix(".md")
    checked_name(stem, "file type")
    if is_structural(f"{FOLDERS[layer]}/{stem}.md"):
        raise Invalid(f"{quote(stem)} is the name of a file that describes the store; choose another file type.")
    if layer == "agent":
        return Address(layer, checked_name(agent or "", "agent name"), stem)
    owner = checked_name(project or "", "project name")
    if layer == "skill-specific":
        return Address(layer, owner, stem, checked_name(skill or "", "skill name"))
    return Address(layer, owner, stem)


def from_id(id: str) -> Address:
    """The address of an id; the path of the file inside the store is understood too."""
    parts = id.removeprefix("memory/").split("/")
    layer = layer_named(parts[0])
    match parts[1:], layer:
        case [skill, project, file_type], "skill-specific":
            return address(layer, file_type, project=project, skill=skill)
        case [agent, file_type], "agent":
            return address(layer, file_type, agent=agent)
        case [project, file_type], "shared-project" | "command":
            return address(layer, file_type, project=project)
    form = {"skill-specific": "{skill}/{project}/{file_type}", "agent": "{agent}/{file_type}"}
    raise Invalid(f"{quote(id)} is not an id of this layer; write {layer}/{form.get(layer, '{project}/{file_type}')}.")


def checked_name(name: str, what: str) -> str:
    """The name, when it is one path component that every file system takes."""
    fault = name_fault(name)
    if fault:
        raise Invalid(f"The {what} {quote(name)} {fault}." if name else f"The {what} is missing.")
    return name


def name_fault(name: str) -> str | None:
    """What keeps a text from being a name, as the end of a sentence."""
    if not NAME.fullmatch(name):
        return "must be letters, digits, `.`, `_` and `-`, with a letter or digit first"
    if len(name) > LONGEST_NAME:
        return f"has more than {LONGEST_NAME} characters"
    if name.endswith("."):
        return "ends with a dot, which Windows drops"
    if _DEVICE.match(name):
        return "is a device on Windows"
    return None


def is_structural(place: str) -> bool:
    """Whether a file, by its path inside the store, describes the store rather than remembers anything."""
    folder, _, name = place.lower().rpartition("/")
    return name in _STRUCTURAL or (not folder and name in _STRUCTURAL_AT_THE_TOP)


def located(place: str) -> Address | None:
    """The address of a file by its path inside a store; None for a path that no layer has.

    Folders nested below an agent are part of the file type: such a file is found, but no id leads to it.
    """
    folder, *parts = place.removesuffix(".md").split("/")
    layer = _LAYER_OF.get(folder)
    if layer == "skill-specific" and len(parts) >= 3:
        return Address(layer, parts[1], "/".join(parts[2:]), parts[0])
    if layer in ("shared-project", "command", "agent") and len(parts) >= 2:
        return Address(layer, parts[0], "/".join(parts[1:]))
    return None


def place_of(path: str) -> str | None:
    """The path inside the store, for a path that leads through one; None when it does not."""
    parts = path.replace("\\", "/").split("/")
    start = _store_end(parts)
    if start is None:
        # In a store with a name of its own, the first folder of a layer tells where it begins.
        start = next((number for number, part in enumerate(parts) if part in _LAYER_OF), None)
    return None if start is None else "/".join(parts[start:])


def in_store(path: str) -> bool:
    """Whether a path leads into the folder of a layer in a store of the usual name."""
    return _store_end(path.replace("\\", "/").split("/")) is not None


def _store_end(parts: Sequence[str]) -> int | None:
    """Where the path inside the store begins. A `memory` in a hidden folder belongs to whoever hides it."""
    for number in range(1, len(parts)):
        hidden = number > 1 and parts[number - 2].startswith(".")
        if parts[number - 1] == "memory" and parts[number] in _LAYER_OF and not hidden:
            return number
    return None


def size_warnings(file_type: str, lines: int, limits: LayerSettings) -> list[str]:
    """Limits that a memory passes, the one of its type first. An archive has none."""
    if file_type.endswith(ARCHIVE):
        return []
    passed = []
    own = limits.lines(file_type)
    if own is not None and lines > own:
        passed.append(f"{lines} lines are more than the {own} for {file_type}: {SIZE_ADVICE[file_type]}.")
    if lines > limits.max_lines:
        passed.append(f"{lines} lines are more than the {limits.max_lines} for any file: {SPLIT_ADVICE}.")
    return passed


def called(path: str) -> str:
    """The skill or the agent whose memory a file is, so that whoever names it finds that first; else nothing."""
    folders = path.split("/")[:-1]
    at = next((number for number, folder in enumerate(folders) if folder in ("skills", "agents")), len(folders))
    return folders[at + 1] if at + 1 < len(folders) else ""
