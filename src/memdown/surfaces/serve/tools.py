"""What assistants can ask of a hub, and write to it: the table of tools, and documents as resources."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import msgspec
from msgspec import Struct

from memdown.acts import whole
from memdown.errors import Invalid, MemdownError, Refused, Stale, Unreadable, quote, telling
from memdown.hub import proposals, questions, search, store
from memdown.hub.calls import HubInfo, refuse_changes
from memdown.hub.client import DirectProject
from memdown.hub.exchange import WorkingCopy
from memdown.hub.rows import as_json
from memdown.hub.store import DocumentChange, ProjectFacts
from memdown.index import query
from memdown.memory import Memory
from memdown.project import is_kept
from memdown.settings.config import Config
from memdown.store.files import ASKING
from memdown.surfaces.mcp import memory_tools, resources
from memdown.surfaces.mcp.dispatch import declared, text_content
from memdown.surfaces.mcp.schema import BOOLEAN, NUMBER, STRING, faults, string, takes
from memdown.surfaces.mcp.tools import TOOLS as LOCAL
from memdown.surfaces.mcp.wire import INVALID_PARAMS, NO_RESOURCE, Json, McpFault, Request
from memdown.surfaces.mcp.words import as_tool
from memdown.text import decode, legible

if TYPE_CHECKING:
    from memdown.hub.connection import Connection

_HITS = 10
_PAGE = 100
_OBJECT: Json = {"type": "object"}
_PROJECT = string("As github.com/acme/shop")
_TYPE = "text/markdown"
_LISTED = """
select d.project, d.path, length(v.content) from memdown.documents d
join memdown.versions v on v.project = d.project and v.digest = d.digest
where (d.project, d.path) > (%s, %s) order by d.project, d.path limit %s
"""


class HubSession:
    """One transaction of one principal."""

    def __init__(self, db: "Connection", principal: str) -> None:
        self.db = db
        self.principal = principal
        self.now = datetime.now(UTC)


class HubTool(Struct, frozen=True):
    """One row."""

    name: str
    does: str
    takes: Json
    call: Callable[[HubSession, Any], Json]
    writes: bool = False

    def declaration(self) -> Json:
        hints = {"destructiveHint": self.name == "write", "idempotentHint": False} if self.writes else {}
        return declared(self.name, self.does, self.takes, _OBJECT, {"readOnlyHint": not self.writes, **hints})


def _search(session: HubSession, args: dict[str, Any]) -> Json:
    asked = query.parse(args["words"], session.now, limit=args.get("limit", _HITS))
    found = search.find(session.db, asked, session.now, as_of=args.get("as_of"))
    hits = [
        {**memory_tools.hit(each), **msgspec.to_builtins(place)}
        for each, place in zip(found.hits.hits, found.places, strict=True)
    ]
    notes = query.mistaken(asked)
    return {"total": found.hits.total, "hits": hits, **({"notes": notes} if notes else {})}


def _context(session: HubSession, args: dict[str, Any]) -> Json:
    found = questions.context(session.db, args["task"], session.now, args.get("budget"))
    return {"used": found.used, "text": found.text, "leftOut": len(found.left_out)}


def _who(session: HubSession, args: dict[str, Any]) -> Json:
    return {"people": questions.who(session.db, args["question"], session.now, limit=args.get("limit", _HITS))}


def _get(session: HubSession, args: dict[str, Any]) -> Json:
    found = store.document(session.db, args["project"], args["path"])
    return {
        "content": _text(found.content),
        "hash": found.digest.hex(),
        "revision": found.revision,
        "changedBy": found.changed_by,
        "changedAt": found.changed_at,
    }


def _add(session: HubSession, args: dict[str, Any]) -> Json:
    given = dict(args)
    project = given.pop("project")
    given.setdefault("author", session.principal)
    with _checkout(session, project) as (memory, copy, info):
        memory.files.begin_act(f"hub {session.principal}", "add", hint=ASKING)
        done = dict(memory_tools.added(memory, given))
        if info.protected:
            changes = proposals.changes_of(memory, store.heads(session.db, project))
            return {**done, **_proposed(session, project, changes)}
        return {**done, "revision": copy.exchange(send=True, receive=False).revision}


@contextmanager
def _checkout(session: HubSession, project: str) -> Iterator[tuple[Memory, WorkingCopy, HubInfo]]:
    """The memory of a project as files, for as long as it takes to write into it as everywhere."""
    remote = DirectProject(session.db, project)
    info, heads = remote.info(), remote.heads()
    if not info.revision:
        raise Refused(f"the hub has no project {quote(project)} that you may see; search shows the others")
    with TemporaryDirectory(prefix="memdown-hub-") as folder, Memory.open(Path(folder)) as memory:
        own = [path for path, head in heads.items() if head.digest and not is_kept(path, memory.config)]
        if own:
            raise Refused(
                f"{quote(project)} keeps memory in folders of its own ({quote(own[0])}); use `write` for its files"
            )
        copy = WorkingCopy(memory, remote, project)
        copy.exchange(send=False, receive=True)
        yield memory, copy, info


def _write(session: HubSession, args: dict[str, Any]) -> Json:
    project, path, content = args["project"], args["path"], args["content"].encode()
    heads = store.heads(session.db, project)
    head = heads.get(path)
    there = head.digest if head else None
    expected = args.get("expectedHash")
    if there is not None and expected != there.hex():
        what = "changed since it was read" if expected else "is there already"
        raise Stale(f"{quote(path)} {what}; read it with `get`, and send its hash as `expectedHash`")
    if there is None and expected:
        raise Stale(f"{quote(path)} is not on the hub any more; leave `expectedHash` out to create it")
    if head is None and not is_kept(path, Config()):
        raise Refused(
            f"{quote(path)} is not a place for memory; write into a folder that `search` shows for {quote(project)}, or"
            " into a usual one, such as memory-bank/progress.md or .squad/decisions.md"
        )
    change = DocumentChange(path, head.canonical if head else path, content, there)
    refuse_changes(project, [change], checked=False)
    if there is not None:
        before, force = decode(store.document(session.db, project, path).content), args.get("force", False)
        if gone := whole.refuse_shrinking(path, change.canonical, before, decode(content), force=force):
            session.db.execute("select memdown.note(%s, 'force', %s::jsonb)", (project, as_json({"note": gone})))
    if DirectProject(session.db, project).info().protected:
        return _proposed(session, project, [change])
    done = store.publish(session.db, project, [change], ProjectFacts())
    if done.moved:
        raise Stale(f"{quote(path)} changed at the same moment; read it again with `get`")
    return {"path": path, "hash": store.digest_of(content).hex(), "revision": done.revision}


def _proposed(session: HubSession, project: str, changes: list[DocumentChange]) -> Json:
    made = proposals.propose(session.db, project, changes)
    return {"proposed": made, "note": "The project is protected: this is a proposal, and someone else has to take it."}


_ADD = next(tool for tool in LOCAL if tool.name == "add")
_ADD_FIELDS: dict[str, Any] = dict(msgspec.to_builtins(_ADD.takes["properties"]))
_ADD_FIELDS.pop("projectPath")
TOOLS = (
    HubTool(
        "search",
        "Search the memory of all projects by words and filters, e.g. webhooks kind:decision project:shop.",
        takes({"words": STRING, "limit": {**NUMBER, "minimum": 1, "maximum": 100}, "as_of": STRING}, "words"),
        _search,
    ),
    HubTool(
        "context",
        "Get the memory of all projects that a task needs, within a token budget.",
        takes({"task": STRING, "budget": {**NUMBER, "minimum": 1, "maximum": 100_000}}, "task"),
        _context,
    ),
    HubTool(
        "who",
        "Find who wrote about something, and in which projects.",
        takes({"question": STRING, "limit": {**NUMBER, "minimum": 1, "maximum": 100}}, "question"),
        _who,
    ),
    HubTool(
        "get",
        "Read a document of a project, by the path that search shows.",
        takes({"project": _PROJECT, "path": STRING}, "project", "path"),
        _get,
    ),
    HubTool(
        "add",
        "Add a memory to a project, where it keeps that kind; in a protected project, this makes a proposal.",
        takes({"project": _PROJECT, **_ADD_FIELDS}, "project", "kind", "title"),
        _add,
        writes=True,
    ),
    HubTool(
        "write",
        "Write a whole document of a project: create it, or replace the version that expectedHash names."
        " force drops entries of a log.",
        takes(
            {"project": _PROJECT, "path": STRING, "content": STRING, "expectedHash": STRING, "force": BOOLEAN},
            *("project", "path", "content"),
        ),
        _write,
        writes=True,
    ),
)
_ROWS = {tool.name: tool for tool in TOOLS}


def schema(name: str) -> Json | None:
    """What a tool takes; None if there is no such tool."""
    return _ROWS[name].takes if name in _ROWS else None


def writes(request: Request) -> bool:
    tool = _ROWS.get(str(request.params.get("name"))) if request.method == "tools/call" else None
    return tool is not None and tool.writes


def refusal(error: MemdownError) -> Json:
    """What a tool refuses, as a result that says so."""
    return {**text_content(str(error)), "isError": True}


def _list_tools(session: HubSession, _: Request) -> Json:
    """The tools that a principal has any use for."""
    row = session.db.execute("select exists (select 1 from memdown.granted('write'))").fetchone()
    may_write = bool(row and row[0])
    return {"tools": [tool.declaration() for tool in TOOLS if may_write or not tool.writes]}


def _call(session: HubSession, request: Request) -> Json:
    name, args = request.params.get("name"), request.params.get("arguments")
    tool = _ROWS.get(name) if isinstance(name, str) else None
    if tool is None:
        raise McpFault(INVALID_PARAMS, f"There is no tool {str(name)[:80]!r}; tools/list names them.")
    given = dict(args) if isinstance(args, dict) else {}
    wrong = [*faults(tool.takes, given)] if args is None or isinstance(args, dict) else ["arguments must be an object"]
    if wrong:
        raise Invalid(f"The arguments of {tool.name} are wrong: {'; '.join(wrong[:5])}.")
    with telling(as_tool):
        result = msgspec.to_builtins(tool.call(session, given))
    return {**text_content(json.dumps(result, ensure_ascii=False)), "structuredContent": result}


def document_of(uri: str) -> tuple[str, str]:
    """The project and the path that a resource names."""
    project, slash, path = uri.removeprefix(resources.SCHEME).partition("/")
    if not uri.startswith(resources.SCHEME) or not slash or not project or not path:
        raise Unreadable(f"{uri[:200]!r} is not a resource here; they look like {resources.SCHEME}<project>/<path>.")
    return unquote(project), unquote(path)


def _list_resources(session: HubSession, request: Request) -> Json:
    start = _start(request.params.get("cursor"))
    found = session.db.execute(_LISTED, (*start, _PAGE + 1)).fetchall()
    shown = [
        {"uri": resources.uri_of(project, path), "name": f"{project}/{path}", "mimeType": _TYPE, "size": size}
        for project, path, size in found[:_PAGE]
    ]
    if len(found) <= _PAGE:
        return {"resources": shown}
    last = json.dumps(found[_PAGE - 1][:2]).encode()
    return {"resources": shown, "nextCursor": urlsafe_b64encode(last).decode()}


def _start(cursor: object) -> tuple[str, str]:
    """After which document a page begins."""
    if cursor is None:
        return "", ""
    try:
        return msgspec.json.decode(urlsafe_b64decode(str(cursor)), type=tuple[str, str])
    except (ValueError, RecursionError):
        raise McpFault(INVALID_PARAMS, "The cursor is invalid.") from None


def _list_templates(_: HubSession, __: Request) -> Json:
    template = {
        "uriTemplate": f"{resources.SCHEME}{{project}}/{{+path}}",
        "name": "document",
        "title": "A memory file of a project",
        "description": "A Markdown file of a project's memory; the slashes in the project's name are written %2F.",
        "mimeType": _TYPE,
    }
    return {"resourceTemplates": [template]}


def _read(session: HubSession, request: Request) -> Json:
    uri = request.params.get("uri")
    if not isinstance(uri, str):
        raise McpFault(INVALID_PARAMS, "uri is a string.")
    try:
        found = store.document(session.db, *document_of(uri))
    except MemdownError as error:
        raise McpFault(INVALID_PARAMS if request.is_modern else NO_RESOURCE, str(error), {"uri": uri}) from error
    return {"contents": [{"uri": uri, "mimeType": _TYPE, "text": _text(found.content)}]}


def _text(content: bytes) -> str:
    """A file as clients can read it."""
    return legible(decode(content))


METHODS: Mapping[str, Callable[[HubSession, Request], Json]] = {
    "tools/list": _list_tools,
    "tools/call": _call,
    "resources/list": _list_resources,
    "resources/templates/list": _list_templates,
    "resources/read": _read,
}
