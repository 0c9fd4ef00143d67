"""Where each dialect lives. Known without loading a dialect, so that looking for memory costs next to nothing."""

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
}
"""Folders that hold a dialect, relative to a root; the first is where new projects put it."""

HOMES["journal"] = HOMES["bank"]  # they share a folder, and the names of their files tell them apart

SIGNS: dict[str, tuple[str, ...]] = {
    "layers": tuple(
        f"{home}/{part}" for home in HOMES["layers"] for part in ("projects", "skills", "commands", "agents")
    ),
}
"""Folders that make a folder a root, for a dialect whose homes have names that much else has too."""

MERGED = ("inbox-archive", "processed")
"""Folders that only keep what stands elsewhere already, so that nobody should meet it twice."""

SETTINGS = frozenset(
    (
        ".claude/settings.json",
        ".clinerules",
        ".clinerules/memdown.md",
        ".codex/config.toml",
        ".cursor/mcp.json",
        ".cursor/rules/memdown.mdc",
        ".gitattributes",
        ".github/instructions/memdown.instructions.md",
        ".mcp.json",
        ".roo/mcp.json",
        ".vscode/mcp.json",
    )
)
"""Files of other tools that `memdown install` writes; beside memory, the only hidden ones that may be written."""


def is_bank(folder: str) -> bool:
    """Whether a folder has a memory bank's name, which is what its files are known by."""
    # Without a regular expression: hooks read this module, and `re` takes as long as all they do.
    words = folder.lower().removeprefix(".").removesuffix("s")
    return words in ("memorybank", "memory-bank", "memory_bank")
