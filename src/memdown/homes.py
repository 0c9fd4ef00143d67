"""Where each dialect lives, and which folder is the root of a project's memory.

Known without loading a dialect, and on plain strings: hooks read this module and cannot afford pathlib.
"""

import os
import stat

TYPE_CHECKING = False  # as typing's, which hooks cannot afford either
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

HOMES: dict[str, tuple[str, ...]] = {
    "layers": ("memory", "forge-plugin/memory"),
    "bank": (
        "memory-bank",
        "memory_bank",
        ".memory-bank",
        ".memory_bank",
        "docs/memory-bank",
        "docs/memory_bank",
        ".cursor/memory-bank",
        ".cursor/rules/memory-bank",
        ".kilocode/rules/memory-bank",
        ".kilocode/memory-bank",
        ".clinerules/memory-bank",
        ".cline/memory-bank",
        ".roo/memory-bank",
        ".roo/rules/memory-bank",
        ".github/memory-bank",
        ".claude/memory-bank",
        ".ai/memory-bank",
        "llm/memory_bank",
        "llm/memory-bank",
    ),
    "sem": (".squad", ".ai-team"),
    "cards": (
        "memories",
        "local-recall/episodic-memory",
        "local-recall/memories",
        "local-recall/thinking-memory",
    ),
    "okf": ("knowledge",),
}
"""Folders that hold a dialect, relative to a root; the first is where new projects put it."""

HOMES["journal"] = HOMES["bank"]  # they share a folder, and the names of their files tell them apart

NOUNS = {
    "bank": "memory bank",
    "cards": "folder of cards",
    "journal": "journal",
    "layers": "layered store",
    "okf": "knowledge bundle",
    "sem": "log of decisions",
}
"""What the memory of a dialect is called."""

SIGNS: dict[str, tuple[str, ...]] = {
    "layers": tuple(
        f"{home}/{part}" for home in HOMES["layers"] for part in ("projects", "skills", "commands", "agents")
    ),
    "okf": (),  # a bundle says itself that it is one
}
"""Folders that make a folder a root, for a dialect whose homes have names that much else has too."""

_DEEPEST, _MOST_FOLDERS = 2, 200
_NO_PACKAGES = frozenset(
    "node_modules vendor dist build target out coverage venv site-packages __pycache__ third_party docs test tests"
    " memories local-recall knowledge".split()
)
"""Folders in which no package has memory of its own, or which belong to a dialect."""

_START, _LIST, _MOST_PAGES = 512, 16_384, 3
"""Bytes of a page and of a list that are looked at, and pages of a folder."""

ARCHIVES = ("%/archive/%", "%/archives/%", "%/archived/%", "%/archive.md", "%-archive%.md", "%^_archive%.md")
"""How folders and files are called whose records are over, as SQL's `like` has it, with ^ as its escape."""

MERGED = ("inbox-archive", "processed")
"""Folders that only keep what stands elsewhere already, so that nobody should meet it twice."""

SETTINGS = frozenset(
    (
        ".claude/rules/memdown.md",
        ".claude/settings.json",
        ".clinerules",
        ".clinerules/memdown.md",
        ".codex/config.toml",
        ".codex/hooks.json",
        ".cursor/hooks.json",
        ".cursor/mcp.json",
        ".cursor/rules/memdown.mdc",
        ".gitattributes",
        ".github/instructions/memdown.instructions.md",
        ".kilocode/mcp.json",
        ".kilocode/rules/memdown.md",
        ".mcp.json",
        ".roo/mcp.json",
        ".roo/rules/memdown.md",
        ".roorules",
        ".vscode/mcp.json",
        "AGENTS.md",
    )
)
"""Files of other tools that `memdown install` writes; beside memory, the only hidden ones that may be written."""

NOT_CODE = SETTINGS | {"memdown.toml"}
"""Files with nothing to document: these, and the settings of memory itself."""


_GIT = (
    "core.fsmonitor=false",
    "log.showSignature=false",
    "diff.orderFile=/dev/null",  # one that is not there ends every comparison
    "i18n.logOutputEncoding=UTF-8",
)
"""Settings of git that its answers to us do not depend on."""


def is_bank(folder: str) -> bool:
    """Whether a folder has a memory bank's name, which is what its files are known by."""
    # Without a regular expression: hooks read this module, and `re` takes as long as all they do.
    words = folder.lower().removeprefix(".").removesuffix("s")
    return words in ("memorybank", "memory-bank", "memory_bank")


def parts_of(path: str) -> list[str]:
    return path.replace("\\", "/").split("/")


def bank_of(path: str) -> str | None:
    """The folder of the memory bank that a file is in; None when it is in none."""
    parts = parts_of(path)[:-1]
    at = next((number for number, part in enumerate(parts) if is_bank(part)), None)
    return None if at is None else "/".join(parts[: at + 1])


# Where messages are kept

INBOX = "inbox"
"""The folder in that of cards for messages that nobody looked at yet; git ignores what is in it."""


def keeps_cards(root: str, folders: "Iterable[str]", chosen: str = "") -> bool:
    """Whether a project keeps cards: one of its folders for them has a file, or its settings name one."""
    return bool(chosen) or any(_has_page(os.path.join(root, folder)) for folder in folders)


def capture_folder(root: str, folders: "Sequence[str]", chosen: str, wanted: bool | None) -> str:
    """Where messages of the assistant are kept; empty when they are not.

    Unless it is wanted, only where the project keeps cards. An inbox that is there stays in use.
    """
    has_cards = keeps_cards(root, folders, chosen)
    if wanted is False or (wanted is None and not has_cards):
        return ""
    there = (folder for folder in folders if _is_folder(os.path.join(root, folder)))
    home = chosen or next(there, folders[0])
    inbox = f"{home}/{INBOX}"
    return inbox if not has_cards or _is_folder(os.path.join(root, inbox)) else home


_NOT_THERE = (FileNotFoundError, NotADirectoryError, PermissionError)
"""How a system says that there is no folder to use; a disk that fails says nothing of the kind."""


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except _NOT_THERE:
        return False


def _has_page(folder: str) -> bool:
    try:
        with os.scandir(folder) as entries:
            return any(entry.name.endswith(".md") and entry.name.lower() != "readme.md" for entry in entries)
    except _NOT_THERE:
        return False


# The root


def find_root(start: str, holds: "Callable[[str], bool]") -> str:
    """The nearest folder upwards that holds memory, within the git working tree or below the home folder."""
    upwards = _upwards(os.path.realpath(start))
    git = working_tree(upwards[0])
    if git is None:
        above = _upwards(home_folder())
        looked = upwards[:1] if upwards[0] in above else [folder for folder in upwards if folder not in above]
    else:
        looked = upwards[: upwards.index(git) + 1]
    return next(filter(holds, looked), git or upwards[0])


def working_tree(folder: str) -> str | None:
    """The top of the working tree of git that a folder is in; None outside of one."""
    # A file in worktrees and submodules, a folder else; either marks it.
    return next((each for each in _upwards(folder) if os.path.lexists(os.path.join(each, ".git"))), None)


def git_words(folder: str) -> list[str]:
    """How git is called in a folder: as whoever runs it set it, but for what would change or end its answers."""
    return ["git", "-C", folder, *(word for setting in _GIT for word in ("-c", setting))]


def git_folder(folder: str) -> str:
    """Where git keeps what it knows of the working tree that a folder is in; empty outside of one."""
    top = working_tree(folder)
    if top is None:
        return ""
    place = os.path.join(top, ".git")
    if os.path.isfile(place):  # of a further working tree, or of a submodule
        with open(place, encoding="utf-8") as file:
            place = os.path.join(top, file.read(4096).removeprefix("gitdir:").strip())
    return place


def holds_memory(folder: str) -> bool:
    """Whether a folder is the root of a project that memdown knows."""
    return (
        settings_of(folder) is not None
        or any(
            os.path.isdir(os.path.join(folder, home))
            for dialect in HOMES
            for home in SIGNS.get(dialect, HOMES[dialect])
        )
        or any(os.path.isfile(os.path.join(folder, home, "index.md")) for home in HOMES["okf"])
        or bool(bundles(folder))
        # The root of several packages, or of a repository that is a bundle; a bundle below a root is part of it.
        or (os.path.lexists(os.path.join(folder, ".git")) and bool(nested(folder) or bundle_parts(folder)))
    )


def bundles(folder: str) -> list[str]:
    """Folders right below one that hold a bundle of knowledge: their `index.md` begins with `okf_version`.

    A repository of its own is none of them: it would make the folder of all projects a root.
    """
    names = (name for name in _folders(folder) if name[0] != ".")
    found = (name for name in names if _is_bundle(os.path.join(folder, name, "index.md")))
    return [name for name in found if not os.path.lexists(os.path.join(folder, name, ".git"))]


def bundle_parts(folder: str) -> list[str]:
    """The folders of a bundle of knowledge right below a folder that is itself one; none of any other.

    Few bundles name their version. So one is also known by a list that names the lists of its folders, as
    `[tables](tables/index.md)`, if there is a concept, with its `type`, in one of them.
    """
    listed = _head(os.path.join(folder, "index.md"), _LIST)
    if not listed:
        return []
    names = [name for name in _folders(folder) if name[0] != "." and _has_page(os.path.join(folder, name))]
    if begins_bundle(listed[:_START]):
        return names
    named = [name for name in names if f"]({name}/index.md)".encode() in listed]
    return named if any(_has_concept(os.path.join(folder, name)) for name in named) else []


def _has_concept(folder: str) -> bool:
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".md"))
    except OSError:
        return False
    heads = (_head(os.path.join(folder, name)) for name in names[:_MOST_PAGES])
    return any(head.startswith(b"---") and b"\ntype:" in head for head in heads)


def _is_bundle(index: str) -> bool:
    return begins_bundle(_head(index))


def _head(path: str, size: int = _START) -> bytes:
    """How a file begins; nothing when it cannot be read."""
    if not os.path.isfile(path):  # a pipe of that name would keep whoever opens it waiting
        return b""
    try:
        with open(path, "rb") as file:
            return file.read(size)
    except OSError:
        return b""


def nested(folder: str, deepest: int = _DEEPEST, most: int = _MOST_FOLDERS) -> list[str]:
    """Folders of memory in packages below a project, as `packages/api/memory-bank`, by their names.

    Looked for are the folders that only memory has, two deep, in a number of folders that no start notices; deeper and
    in more of them for who has found nothing.
    """
    found: list[str] = []
    waiting = [("", 0)]
    looked = 0
    while waiting and looked < most:
        name, depth = waiting.pop(0)
        looked += 1
        for each in _folders(os.path.join(folder, name)):
            below = f"{name}/{each}" if name else each
            if depth and _is_only_memory(each):
                found.append(below)
            elif depth < deepest and each[0] != "." and each not in _NO_PACKAGES:
                waiting.append((below, depth + 1))
    return sorted(found)


def is_nested(path: str) -> bool:
    """Whether a file is in a folder that only memory has, of a package below a project."""
    return any(map(_is_only_memory, parts_of(path)[1:-1]))


def _is_only_memory(name: str) -> bool:
    return is_bank(name) or name in HOMES["sem"]


def _folders(path: str) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def begins_bundle(head: bytes) -> bool:
    """Whether a file that begins so is the list of a bundle of knowledge."""
    return head.removeprefix(b"\xef\xbb\xbf").startswith(b"---") and b"\nokf_version:" in head


ASSISTANTS = (
    *("CLAUDE.md", "AGENTS.md", "GEMINI.md", "MEMORY.md", ".cursorrules", ".clinerules", ".roorules", ".windsurfrules"),
    *(".github/copilot-instructions.md", ".claude/CLAUDE.md", ".cursor/rules", ".roo/rules", ".windsurf/rules"),
    *(".github/instructions", ".claude/rules"),
)
"""Files, or folders of files, in which assistants keep instructions and notes of their own."""


def personal_home() -> str:
    """Your own memory: MEMDOWN_HOME, else `~/.memdown`, else `memdown` in XDG_DATA_HOME where that is set."""
    given = os.environ.get("MEMDOWN_HOME")
    if given:
        return os.path.abspath(os.path.expanduser(given))
    usual, shared = os.path.join(home_folder(), ".memdown"), os.environ.get("XDG_DATA_HOME")
    return os.path.join(shared, "memdown") if shared and not os.path.isdir(usual) else usual


def reads_elsewhere(root: str) -> bool:
    """Whether a search in a project looks further than its memory."""
    return (
        os.path.isfile(os.path.join(root, ".memdown", "sources.json"))
        or os.path.isdir(personal_home())
        or any(os.path.exists(os.path.join(root, name)) for name in ASSISTANTS)
    )


def settings_of(folder: str) -> str | None:
    """The file that holds a project's settings; None when it has none."""
    own = os.path.join(folder, "memdown.toml")
    if os.path.lexists(own):  # whatever it is: that it cannot be read is worth a word
        return own
    shared = os.path.join(folder, "pyproject.toml")
    if os.path.isfile(shared):
        try:
            with open(shared, "rb") as file:
                return shared if b"[tool.memdown" in file.read() else None
        except OSError:
            return shared  # it may have settings: whoever reads them says what is wrong
    return None


def home_folder() -> str:
    """The person's own folder; the top of the file system when none is known, as in a bare container."""
    found = os.path.expanduser("~")
    return os.path.realpath(found if found != "~" else os.sep)


def _upwards(folder: str) -> list[str]:
    folders = [folder]
    while (above := os.path.dirname(folders[-1])) != folders[-1]:
        folders.append(above)
    return folders
