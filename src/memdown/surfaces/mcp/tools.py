"""The table of tools: names, words, schemas and annotations.

To add a tool is to add a row. The schemas that clients see are the ones that check what they send.
"""

from memdown.acts.edit import FIELDS
from memdown.dialects.bank.modes import MODES
from memdown.surfaces.mcp import bank_tools, memory_tools
from memdown.surfaces.mcp.dispatch import Tool
from memdown.surfaces.mcp.schema import (
    BOOLEAN,
    NUMBER,
    STRING,
    STRINGS,
    array,
    choice,
    gives,
    string,
    strings,
    takes,
)
from memdown.surfaces.mcp.wire import Json

_HERE: Json = {"projectPath": STRING}
"""The project; without it, the one the server was started for."""
_WRITTEN = gives({"success": BOOLEAN, "path": STRING, "hash": STRING})
_KINDS = ("card", "decision", "memory", "note", "directive", "task", "milestone", "error")
_TEXTS = (
    *("text", "summary", "rationale", "author", "scope", "status", "expires", "at", "context", "selected"),
    *("trade_offs", "consequences", "priority", "description", "file", "error", "cause", "fix", "task"),
)
_LISTS = ("tags", "contributors", "supersedes", "options", "depends")
_STATES = ("started", "done", "resolved", "paused", "resumed", "cancelled")
_OBJECT: Json = {"type": "object"}
"""What tools beyond the seven give; docs/mcp.md says what is in it."""

TOOLS = (
    Tool(
        "initialize_memory_bank",
        "Create the missing files of a memory bank.",
        takes({**_HERE, "brief": STRING}, "projectPath"),
        gives({"created": STRINGS, "kept": STRINGS, "notes": STRINGS}),
        bank_tools.initialize,
        writes=True,
    ),
    Tool(
        "list_projects",
        "List projects that have a memory bank; projectPath takes a name or path.",
        takes({}),
        gives({"projects": array({"name": STRING, "path": STRING})}),
        bank_tools.list_projects,
        alone="projects",
    ),
    Tool(
        "memory_bank_read",
        "Read a file of the memory bank, such as progress.md.",
        takes({**_HERE, "fileName": STRING}, "projectPath", "fileName"),
        gives({"content": STRING, "lastModified": STRING, "hash": STRING}),
        bank_tools.read,
    ),
    Tool(
        "memory_bank_write",
        "Create a new file of the memory bank.",
        takes({**_HERE, "fileName": STRING, "content": STRING}, "projectPath", "fileName", "content"),
        _WRITTEN,
        bank_tools.write,
        writes=True,
        repeats=False,
    ),
    Tool(
        "memory_bank_update",
        "Overwrite a file of the memory bank; with expectedHash (from a read), only if it is unchanged."
        " force drops entries of a log.",
        takes(
            {**_HERE, "fileName": STRING, "content": STRING, "expectedHash": STRING, "force": BOOLEAN},
            *("projectPath", "fileName", "content"),
        ),
        _WRITTEN,
        bank_tools.update,
        writes=True,
        destroys=True,
    ),
    Tool(
        "list_project_files",
        "List the files of the memory bank.",
        takes({**_HERE}, "projectPath"),
        gives({"files": array({"name": STRING, "size": NUMBER, "lastModified": STRING})}),
        bank_tools.list_files,
        alone="files",
    ),
    Tool(
        "validate_project",
        "List required and recommended files that are missing.",
        takes({**_HERE}, "projectPath"),
        gives({"valid": BOOLEAN, "missingRequired": STRINGS, "missingRecommended": STRINGS}),
        bank_tools.validate,
    ),
    Tool(
        "start_session",
        "Brief the session: where the work stands, what to read. mode sets what may be written.",
        takes({**_HERE, "mode": choice(*(mode.name for mode in MODES))}),
        _OBJECT,
        memory_tools.start_session,
    ),
    Tool(
        "end_session",
        "End: update activeContext.md, progress.md and decisionLog.md at once. Open items stay unless closed.",
        takes(
            {
                **_HERE,
                "summary": STRING,
                "focus": STRING,
                "state": STRING,
                "next_steps": STRINGS,
                "blockers": STRINGS,
                "questions": STRINGS,
                "close": strings("Open items that are settled"),
                "complete": strings("Items of progress.md"),
                "add": STRINGS,
                "decisions": {"type": "array", "items": takes({"title": STRING, "rationale": STRING})},
            },
            "summary",
        ),
        _OBJECT,
        memory_tools.end_session,
        writes=True,
        destroys=True,
        repeats=False,
    ),
    Tool(
        "search",
        "Search memories by words and filters, e.g. pool kind:decision tag:db after:2026-01-31.",
        takes({**_HERE, "words": STRING, "limit": {**NUMBER, "minimum": 1, "maximum": 100}}, "words"),
        _OBJECT,
        memory_tools.search,
    ),
    Tool(
        "context",
        "Get what to read for a task, within a token budget. paths: files it is about.",
        takes({**_HERE, "task": STRING, "paths": STRINGS, "budget": {**NUMBER, "minimum": 1, "maximum": 100_000}}),
        _OBJECT,
        memory_tools.context,
    ),
    Tool(
        "show",
        "Show one memory by id or title, a prefix of one, or path:line.",
        takes({**_HERE, "id": STRING, "history": BOOLEAN}, "id"),
        _OBJECT,
        memory_tools.show,
    ),
    Tool(
        "add",
        "Write a new memory where the project keeps its kind. A card needs text; entries of a log an author."
        " notes list what the format has no field for.",
        takes(
            {
                **_HERE,
                "kind": choice(*_KINDS),
                "title": STRING,
                **dict.fromkeys(_TEXTS, STRING),
                **dict.fromkeys(_LISTS, STRINGS),
                "related": strings("As issue: #18"),
                "inbox": BOOLEAN,
                "force": BOOLEAN,
            },
            *("kind", "title"),
        ),
        _OBJECT,
        memory_tools.add,
        writes=True,
        repeats=False,
    ),
    Tool(
        "update",
        "Replace the text below a heading of a memory bank file (replace: sub-sections too), or a field of a memory."
        " force: also in an append-only log.",
        takes(
            {
                **_HERE,
                "file": STRING,
                "section": STRING,
                "id": STRING,
                "field": choice(*FIELDS),
                "content": string("Lists with commas"),
                "expectedHash": STRING,
                "replace": BOOLEAN,
                "force": BOOLEAN,
            },
            "content",
        ),
        _OBJECT,
        memory_tools.update,
        writes=True,
        destroys=True,
    ),
    Tool(
        "delete",
        "Delete one memory. force: also protected log entries.",
        takes({**_HERE, "id": STRING, "force": BOOLEAN}, "id"),
        _OBJECT,
        memory_tools.delete,
        writes=True,
        destroys=True,
        repeats=False,
    ),
    Tool(
        "set_task",
        "Move an item of progress.md, or a task of the journal by its id.",
        takes({**_HERE, "task": STRING, "state": choice(*_STATES), "reason": STRING}, "task", "state"),
        _OBJECT,
        memory_tools.set_task,
        writes=True,
    ),
    Tool(
        "log_edit",
        "Log what was done to files, in the journal's edit history.",
        takes(
            {
                **_HERE,
                "title": STRING,
                "files": strings("As Modified:src/a.py:why; or Created, Updated, Deleted"),
                "from_git": BOOLEAN,
                "tasks": STRINGS,
            },
            "title",
        ),
        _OBJECT,
        memory_tools.log_edit,
        writes=True,
        repeats=False,
    ),
    Tool(
        "session",
        "Session file of a journal: start with a focus, note, end with a summary.",
        takes(
            {**_HERE, "do": choice("start", "note", "end"), **dict.fromkeys(("text", "section", "period"), STRING)},
            "do",
        ),
        _OBJECT,
        memory_tools.journal_session,
        writes=True,
        repeats=False,
    ),
    Tool(
        "layer",
        "Write a layered memory. id: shared-project/PROJECT/TYPE, skill-specific/SKILL/PROJECT/TYPE,"
        " command/PROJECT/TYPE or agent/AGENT/TYPE.",
        takes(
            {
                **_HERE,
                "do": choice("create", "update", "append"),
                "id": STRING,
                "content": STRING,
                "force": BOOLEAN,
            },
            *("do", "id", "content"),
        ),
        _OBJECT,
        memory_tools.layer,
        writes=True,
        destroys=True,
        repeats=False,
    ),
    Tool(
        "undo",
        "Undo your last write, or a step of the list; redo it.",
        takes({**_HERE, "step": NUMBER, "do": choice("undo", "redo", "list")}),
        _OBJECT,
        memory_tools.undo,
        writes=True,
        destroys=True,
        repeats=False,
        reports=False,
    ),
    Tool(
        "check",
        "Check the memory files against the rules.",
        takes(_HERE),
        _OBJECT,
        memory_tools.check,
    ),
    Tool(
        "health",
        "Show the size, age and problems of the memory.",
        takes(_HERE),
        _OBJECT,
        memory_tools.health,
    ),
)


def auto_approve(which: str) -> list[str]:
    """Tools a client may call without asking: `read` only looks, `write` also adds, `all` may take away too."""
    return [
        tool.name for tool in TOOLS if which == "all" or not tool.writes or (which == "write" and not tool.destroys)
    ]
