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
    OBJECTS,
    STRING,
    STRINGS,
    array,
    choice,
    gives,
    string,
    strings,
    takes,
)

_PROJECT = string("Name or path")
_FILE = string("As progress.md")
_HERE = {"projectPath": STRING}
"""The project; without it, the one the server was started for."""
_WRITTEN = gives({"success": BOOLEAN, "path": STRING, "hash": STRING})
_STATES = ("started", "done", "resolved", "paused", "resumed", "cancelled")
_PLACE = takes({"path": STRING, "line": NUMBER, "changed": BOOLEAN})

TOOLS = (
    Tool(
        "initialize_memory_bank",
        "Create the missing files of a memory bank.",
        takes({"projectPath": _PROJECT, "brief": STRING}, "projectPath"),
        gives({"created": STRINGS, "kept": STRINGS}),
        bank_tools.initialize,
        writes=True,
    ),
    Tool(
        "list_projects",
        "List projects that have a memory bank.",
        takes({}),
        gives({"projects": array({"name": STRING, "path": STRING})}),
        bank_tools.list_projects,
        alone="projects",
    ),
    Tool(
        "memory_bank_read",
        "Read a file of the memory bank.",
        takes({"projectPath": _PROJECT, "fileName": _FILE}, "projectPath", "fileName"),
        gives({"content": STRING, "lastModified": STRING, "hash": STRING}),
        bank_tools.read,
    ),
    Tool(
        "memory_bank_write",
        "Create a new file of the memory bank.",
        takes({"projectPath": _PROJECT, "fileName": _FILE, "content": STRING}, "projectPath", "fileName", "content"),
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
            {"projectPath": _PROJECT, "fileName": _FILE, "content": STRING, "expectedHash": STRING, "force": BOOLEAN},
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
        takes({"projectPath": _PROJECT}, "projectPath"),
        gives({"files": array({"name": STRING, "size": NUMBER, "lastModified": STRING})}),
        bank_tools.list_files,
        alone="files",
    ),
    Tool(
        "validate_project",
        "Which required and recommended files are missing.",
        takes({"projectPath": _PROJECT}, "projectPath"),
        gives({"valid": BOOLEAN, "missingRequired": STRINGS, "missingRecommended": STRINGS}),
        bank_tools.validate,
    ),
    Tool(
        "start_session",
        "Where the work stands, and what to read. mode sets what may be written.",
        takes({**_HERE, "mode": choice(*(mode.name for mode in MODES))}),
        takes(
            {
                "order": OBJECTS,
                "blockers": STRINGS,
                "inProgress": STRINGS,
                "nextSteps": STRINGS,
                "also": OBJECTS,
                "warnings": STRINGS,
            }
        ),
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
                "close": strings("Open items that are over"),
                "complete": strings("Items of progress.md"),
                "add": STRINGS,
                "decisions": {"type": "array", "items": takes({"title": STRING, "rationale": STRING})},
            },
            "summary",
        ),
        takes({"written": STRINGS, "valid": BOOLEAN, "warnings": STRINGS}),
        memory_tools.end_session,
        writes=True,
        destroys=True,
        repeats=False,
    ),
    Tool(
        "search",
        "Find memories by words and filters, as: pool kind:decision tag:db after:2026-01-31.",
        takes({**_HERE, "words": STRING, "limit": {**NUMBER, "minimum": 1, "maximum": 100}}, "words"),
        takes({"total": NUMBER, "hits": OBJECTS}),
        memory_tools.search,
    ),
    Tool(
        "context",
        "What to read now for a task, within a budget of tokens.",
        takes({**_HERE, "task": STRING, "budget": {**NUMBER, "minimum": 1, "maximum": 100_000}}),
        takes({"used": NUMBER, "text": STRING, "leftOut": OBJECTS}),
        memory_tools.context,
    ),
    Tool(
        "show",
        "Show one memory by id, or the beginning of its id.",
        takes({**_HERE, "id": STRING}, "id"),
        takes({"id": STRING, "kind": STRING, "path": STRING, "line": NUMBER}),
        memory_tools.show,
    ),
    Tool(
        "add",
        "Write down a new memory. A card needs text and tags; other kinds an author.",
        takes(
            {
                **_HERE,
                "kind": choice("card", "decision", "memory", "note", "directive"),
                "title": STRING,
                "text": STRING,
                "tags": STRINGS,
                "author": STRING,
                "rationale": STRING,
            },
            *("kind", "title"),
        ),
        takes({"id": STRING, "path": STRING, "line": NUMBER, "created": BOOLEAN, "notes": STRINGS}),
        memory_tools.add,
        writes=True,
        repeats=False,
    ),
    Tool(
        "update",
        "Replace the text below a heading of a memory bank file (replace: sub-sections too), or a field of a card.",
        takes(
            {
                **_HERE,
                "file": STRING,
                "section": STRING,
                "id": STRING,
                "field": choice(*FIELDS),
                "content": STRING,
                "expectedHash": STRING,
                "replace": BOOLEAN,
            },
            *("content", "expectedHash"),
        ),
        takes({"path": STRING, "hash": STRING}),
        memory_tools.update,
        writes=True,
        destroys=True,
    ),
    Tool(
        "set_task",
        "Move an item of progress.md, or a task of the journal by its id.",
        takes({**_HERE, "task": STRING, "state": choice(*_STATES)}, "task", "state"),
        _PLACE,
        memory_tools.set_task,
        writes=True,
    ),
    Tool(
        "undo",
        "Undo the last write, or a step of the list; redo it.",
        takes({**_HERE, "step": NUMBER, "do": choice("undo", "redo", "list")}),
        takes({}),
        memory_tools.undo,
        writes=True,
        destroys=True,
        repeats=False,
        reports=False,
    ),
    Tool(
        "check",
        "Find faults in the memory files.",
        takes(_HERE),
        takes({"total": NUMBER, "findings": OBJECTS}),
        memory_tools.check,
    ),
    Tool(
        "health",
        "Size, age and trouble of the memory.",
        takes(_HERE),
        takes({"tokens": NUMBER, "problems": OBJECTS}),
        memory_tools.health,
    ),
)


def auto_approve(which: str) -> list[str]:
    """Tools a client may call without asking: `read` only looks, `write` also adds, `all` may take away too."""
    return [
        tool.name for tool in TOOLS if which == "all" or not tool.writes or (which == "write" and not tool.destroys)
    ]
