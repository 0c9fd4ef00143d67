"""What messages tell people to do at the command line, told as what an assistant does with tools."""

from collections.abc import Sequence

from memdown.errors import typed

_TOOLS = {
    "add": "`add` (supersedes: {3})",
    "add KIND": "`add`",
    "add card": "`add` (kind: card)",
    "add edit": "`log_edit` (title: {0})",
    "bank complete": "`set_task` (state: done)",
    "bank start-item": "`set_task` (state: started)",
    "bank supersede-decision": "`add` (supersedes: {0})",
    "check": "`check`",
    "context": "`context`",
    "delete": "`delete` (id: {0})",
    "edit": "`update` (id: {0}, field: status)",
    "edit --why TEXT": "`update` (id: {0}, field: rationale)",
    "init": "`initialize_memory_bank`",
    "layer create": "`layer` (do: create)",
    "layer delete": "`delete` (id: {0})",
    "layer update": "`layer` (do: update)",
    "list": "`search`",
    "projects": "`list_projects`",
    "redo": "`undo` (do: redo)",
    "search": "`search` (words: {0})",
    "session start": "`session` (do: start)",
    "start --all": "`start_session`",
    "status": "`list_project_files`",
    "task list": "`search` (words: kind:task)",
    "task resume": "`set_task` (state: resumed)",
    "task start": "`set_task` (state: started)",
    "undo": "`undo`",
    "undo --list": "`undo` (do: list)",
    "validate": "`check`",
    "--author, or set user.name with `git config`": "`author`",
    "--for": "`paths`",
    "--root DIR": "`memdown mcp --root DIR` (for the user to run)",
    "--title": "`field`: title",
    "--why": "`rationale`",
}
"""Commands, and the tool for each; what has none is for the user. An option is the argument of its name."""


def as_tool(words: str, arguments: Sequence[str]) -> str:
    """A command or an option, in the words of tools."""
    if words in _TOOLS:
        return _TOOLS[words].format(*arguments)
    if words.startswith("--"):
        return f"`{words[2:].replace('-', '_')}`"
    return f"`{typed(words, arguments)}` (for the user to run)"
