"""The table of tools: names, words, schemas and annotations, and how a call becomes a result.

To add a tool is to add a row. The schemas that clients see are the ones that check what they send.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from memdown import secrets
from memdown.errors import MemdownError, Refused
from memdown.memory.fields import FIELDS
from memdown.surfaces.mcp import bank_tools, memory_tools
from memdown.surfaces.mcp.loop import MODES, Request
from memdown.surfaces.mcp.pages import page
from memdown.surfaces.mcp.schema import (
    BOOLEAN,
    NUMBER,
    OBJECTS,
    STRING,
    STRINGS,
    array,
    choice,
    faults,
    gives,
    said,
    said_list,
    takes,
)
from memdown.surfaces.mcp.session import Session
from memdown.surfaces.mcp.wire import INVALID_PARAMS, Fault, Json


class Tool(Struct, frozen=True):
    """One row."""

    name: str
    does: str
    takes: Json
    gives: Json
    call: Callable[[Session, Any], Json]
    writes: bool = False
    destroys: bool = False
    """Whether it can take away what was there."""
    repeats: bool = True
    """Whether a second call with the same input changes nothing more."""
    alone: str | None = None
    """A part of the result that stands for it as text: results that are lists by contract, and objects by protocol."""

    def told(self) -> Json:
        hints = {"readOnlyHint": not self.writes}
        if self.writes:
            hints |= {"destructiveHint": self.destroys, "idempotentHint": self.repeats}
        return {
            "name": self.name,
            "description": self.does,
            "inputSchema": self.takes,
            "outputSchema": self.gives,
            "annotations": hints,
        }


_PROJECT = said("Project's name or path")
_FILE = said("As progress.md, archive/x.md")
_HERE = {"projectPath": STRING}
"""The project; without it, the one the server was started for."""
_WRITTEN = gives({"success": BOOLEAN, "path": STRING, "hash": STRING})
_PLACE = takes({"path": STRING, "line": NUMBER, "changed": BOOLEAN})

TOOLS = (
    Tool(
        "initialize_memory_bank",
        "Create the memory bank's files that are missing, from a brief and the code base.",
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
        "Overwrite a file of the memory bank; with expectedHash (from a read), only if nobody changed it since.",
        takes(
            {"projectPath": _PROJECT, "fileName": _FILE, "content": STRING, "expectedHash": STRING},
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
        "Tell which required and recommended files are missing.",
        takes({"projectPath": _PROJECT}, "projectPath"),
        gives({"valid": BOOLEAN, "missingRequired": STRINGS, "missingRecommended": STRINGS}),
        bank_tools.validate,
    ),
    Tool(
        "start_session",
        "Where the work stands, and which files to read in order. mode sets what may be written from now on.",
        takes({**_HERE, "mode": choice(*MODES)}),
        takes(
            {"order": OBJECTS, "blockers": STRINGS, "inProgress": STRINGS, "nextSteps": STRINGS, "warnings": STRINGS}
        ),
        memory_tools.start_session,
    ),
    Tool(
        "end_session",
        "End: write activeContext.md anew, and update progress.md and decisionLog.md, all at once.",
        takes(
            {
                **_HERE,
                "summary": STRING,
                "focus": STRING,
                "state": STRING,
                "next_steps": STRINGS,
                "blockers": STRINGS,
                "questions": STRINGS,
                "complete": said_list("Items of progress.md"),
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
        "Replace the text below one heading of a memory bank file, or a field of a card; expectedHash is from a read.",
        takes(
            {
                **_HERE,
                "file": STRING,
                "section": STRING,
                "id": STRING,
                "field": choice(*FIELDS),
                "content": STRING,
                "expectedHash": STRING,
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
        "Move an item of progress.md: started, done, or a known issue resolved.",
        takes({**_HERE, "task": STRING, "state": choice("started", "done", "resolved")}, "task", "state"),
        _PLACE,
        memory_tools.set_task,
        writes=True,
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
        "Tell size, age and trouble of the memory: expired, contradicting, duplicate entries.",
        takes(_HERE),
        takes({"tokens": NUMBER, "problems": OBJECTS}),
        memory_tools.health,
    ),
)
_BY_NAME = {tool.name: tool for tool in TOOLS}


def approved(which: str) -> list[str]:
    """Tools a client may call without asking: `read` only looks, `write` also adds, `all` may take away too."""
    return [
        tool.name for tool in TOOLS if which == "all" or not tool.writes or (which == "write" and not tool.destroys)
    ]


def listed(_: Session, request: Request) -> Json:
    return page("tools", [tool.told() for tool in TOOLS], request)


def call(session: Session, request: Request) -> Json:
    """Call a tool; what it refuses is a result that says so."""
    name, args = request.params.get("name"), request.params.get("arguments")
    tool = _BY_NAME.get(name) if isinstance(name, str) else None
    if tool is None:
        raise Fault(INVALID_PARAMS, f"There is no tool {str(name)[:80]!r}; tools/list names them.")
    given = dict(args) if isinstance(args, dict) else {}
    if "projectName" in given:  # what clients of other memory bank servers send
        given.setdefault("projectPath", given.pop("projectName"))
    try:
        _refuse(session, tool, given, args)
        result = msgspec.to_builtins(tool.call(session, given))
    except MemdownError as error:
        return _result(str(error)) | {"isError": True}
    text = json.dumps(result[tool.alone] if tool.alone else result, ensure_ascii=False)
    session.count(tool.name, text)
    return _result(text) | {"structuredContent": result}


def _refuse(session: Session, tool: Tool, given: dict[str, object], args: object) -> None:
    """Refuse what the schema or the mode does not allow, before anything is touched."""
    wrong = [*faults(tool.takes, given)] if args is None or isinstance(args, dict) else ["arguments must be an object"]
    if wrong:
        raise Refused(f"{tool.name} cannot be called so: {'; '.join(wrong[:5])}.")
    if tool.writes:
        _refuse_writing(session, tool, given)


def _refuse_writing(session: Session, tool: Tool, given: dict[str, object]) -> None:
    if session.mode.writes == ():
        raise Refused(
            f"The mode {session.mode.name} only reads; {tool.name} writes, so ask the user to change the mode."
        )
    for name, text in _texts(given):
        found = secrets.find(text)
        if found and tool.name != "initialize_memory_bank":
            project = given.get("projectPath")
            memory = session.memory(project if isinstance(project, str) else None)
            found = secrets.find(text, memory.config.secrets.allow)
        if found:
            line = text.count("\n", 0, found[0].start) + 1
            raise Refused(
                f"{name} has what looks like a {found[0].kind} in line {line}; leave it out, memory is read by many."
            )


def _texts(given: object, name: str = "arguments") -> Iterator[tuple[str, str]]:
    """All texts in what a tool is given, and the names they have there."""
    if isinstance(given, str):
        yield name, given
    elif isinstance(given, list):
        for each in given:
            yield from _texts(each, name)
    elif isinstance(given, dict):
        for inner, each in given.items():
            yield from _texts(each, inner)


def _result(text: str) -> dict[str, object]:
    return {"content": [{"type": "text", "text": text}]}
