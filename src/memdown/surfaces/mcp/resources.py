"""Memory files as resources: `memdown://<project>/<path>`, and beside them `@prompt` and `@rules` of each project."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, unquote

from memdown.acts import projects
from memdown.errors import MemdownError, NotFound, Unreadable, without_credentials
from memdown.memory import Memory
from memdown.memory.bank.setup import Setup
from memdown.surfaces.mcp.pages import page
from memdown.surfaces.mcp.session import McpSession
from memdown.surfaces.mcp.wire import INVALID_PARAMS, NO_RESOURCE, Json, McpFault, Request

SCHEME = "memdown://"
PROMPT, RULES = "@prompt", "@rules"
_TYPE = "text/markdown"


def uri_of(project: str, path: str) -> str:
    return f"{SCHEME}{quote(project, safe='')}/{quote(path, safe='/@')}"


def list_resources(session: McpSession, request: Request) -> Json:
    """Every memory file of the server's project and of the projects below the root of memory banks."""
    return page("resources", list(_all(session)), request)


def list_templates(_: McpSession, request: Request) -> Json:
    template = {
        "uriTemplate": f"{SCHEME}{{project}}/{{+path}}",
        "name": "memory-file",
        "title": "A memory file",
        "description": "A Markdown file of a project's memory, by its path in the project.",
        "mimeType": _TYPE,
    }
    return page("resourceTemplates", [template], request)


def read(session: McpSession, request: Request) -> Json:
    uri = request.params.get("uri")
    if not isinstance(uri, str):
        raise McpFault(INVALID_PARAMS, "uri is a string.")
    code = INVALID_PARAMS if request.is_modern else NO_RESOURCE
    try:
        text = text_of(session, uri)
    except MemdownError as error:
        raise McpFault(code, str(error), {"uri": without_credentials(uri)}) from error
    return {"contents": [{"uri": uri, "mimeType": _TYPE, "text": text}]}


def text_of(session: McpSession, uri: str) -> str:
    """What a resource says."""
    memory, path = _found(session, uri)
    if path == PROMPT:
        return Setup(memory).prompt(None if session.mode.name == "default" else session.mode.name)
    if path == RULES:
        return rules_of(memory, session.mode.name)
    if path not in memory.names():
        raise NotFound(f"{uri[:200]!r} is not a memory file; resources/list names them.")
    return memory.files.read(path)


def rules_of(memory: Memory, mode: str) -> str:
    """All rules files that apply in a mode, one after the other."""
    found = Setup(memory).rules(mode=None if mode == "default" else mode)
    return "\n\n".join(f"<!-- {rule.source} ({rule.scope}) -->\n{rule.text}" for rule in found)


def place_of(session: McpSession, uri: str) -> Path:
    """Where the file of a resource is, whether or not it is there."""
    memory, path = _found(session, uri)
    if path in (PROMPT, RULES):
        return memory.root
    return memory.files.path(path)


def project_names(session: McpSession) -> list[str]:
    return [name for name, _ in _projects(session)]


def paths_of(session: McpSession, project: str) -> list[str]:
    """The paths of all resources of a project."""
    return [*_memory(session, project).names(), PROMPT, RULES]


def _all(session: McpSession) -> Iterator[Json]:
    for project, memory in _projects(session):
        for path in memory.names():
            size = memory.files.path(path).stat().st_size
            yield {"uri": uri_of(project, path), "name": path, "mimeType": _TYPE, "size": size}
        yield {
            "uri": uri_of(project, PROMPT),
            "name": "Instructions for assistants about this memory",
            "mimeType": _TYPE,
        }
        yield {"uri": uri_of(project, RULES), "name": "The project's rules files", "mimeType": _TYPE}


def _projects(session: McpSession) -> Iterator[tuple[str, Memory]]:
    """The server's own project, and the others."""
    yield session.own.name, session.memory()
    for project in projects.listed():
        if project.name != session.own.name and project.path != str(session.own):
            yield project.name, session.memory(project.name)


def _memory(session: McpSession, project: str) -> Memory:
    return session.memory(None if project == session.own.name else project)


def _found(session: McpSession, uri: str) -> tuple[Memory, str]:
    project, slash, path = uri.removeprefix(SCHEME).partition("/")
    if not uri.startswith(SCHEME) or not slash or not project or not path:
        raise Unreadable(f"{uri[:200]!r} is not a resource here; they look like {SCHEME}<project>/<path>.")
    return _memory(session, unquote(project)), unquote(path)
