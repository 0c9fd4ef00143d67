"""The HTTP server with the tools, resources and prompts that the official suite calls by name, beside its own.

    python tests/mcp_fixtures.py

The suite sends no token, so the guard here adds it to what arrives; all else is the server that ships.
"""

import base64
import json
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from memdown.errors import Invalid
from memdown.surfaces.listening import listen
from memdown.surfaces.mcp.dispatch import Tool, Tools
from memdown.surfaces.mcp.http import server
from memdown.surfaces.mcp.http.guard import HttpGuard, Receive, Scope, Send, names_of
from memdown.surfaces.mcp.http.lines import Start
from memdown.surfaces.mcp.session import McpSession
from memdown.surfaces.mcp.table import TABLE, McpTable, Method
from memdown.surfaces.mcp.tools import TOOLS
from memdown.surfaces.mcp.wire import Json, McpFault, Request

TOKEN = "of-the-suite-which-sends-none"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
WAV = base64.b64encode(b"RIFF$\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0@\x1f\0\0\x80>\0\0\2\0\x10\0data\0\0\0\0").decode()
SCHEMA_2020 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def text(said: str) -> Json:
    return {"type": "text", "text": said}


def embedded(uri: str, kind: str, said: str) -> Json:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": said}}


IMAGE: Json = {"type": "image", "data": PNG, "mimeType": "image/png"}
AUDIO: Json = {"type": "audio", "data": WAV, "mimeType": "audio/wav"}
MIXED = (
    text("Multiple content types test:"),
    IMAGE,
    embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
)


class Shown(Tool, frozen=True):
    """A tool whose result is content of any kind."""

    def declaration(self) -> Json:
        return {name: value for name, value in super().declaration().items() if name != "outputSchema"}

    def result(self, session: McpSession, given: dict[str, object]) -> Json:
        return self.call(session, given)


def shows(name: str, *content: Json) -> Shown:
    return does(name, lambda _: content)


def does(name: str, act: Callable[[McpSession], tuple[Json, ...]], takes: Json | None = None) -> Shown:
    schema = takes or {"type": "object", "properties": {}}
    return Shown(name, "For the suite.", schema, {}, lambda session, _: {"content": act(session)})


def logs(session: McpSession) -> tuple[Json, ...]:
    for sentence in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        session.log("info", sentence)
        time.sleep(0.05)
    return (text("Logged."),)


def progresses(session: McpSession) -> tuple[Json, ...]:
    for _ in session.progress(("one", "two", "three"), "working on"):
        time.sleep(0.12)
    return (text("Done."),)


def fails(_: McpSession) -> tuple[Json, ...]:
    raise Invalid("This tool intentionally returns an error for testing")


def needs_sampling(_: McpSession) -> tuple[Json, ...]:
    raise McpFault(-32021, "Missing required client capability", {"requiredCapabilities": {"sampling": {}}})


FIXTURES = (
    shows("test_simple_text", text("This is a simple text response for testing.")),
    shows("test_image_content", IMAGE),
    shows("test_audio_content", AUDIO),
    shows(
        "test_embedded_resource",
        embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."),
    ),
    shows("test_multiple_content_types", *MIXED),
    does("test_tool_with_logging", logs),
    does("test_logging_tool", logs),
    does("test_tool_with_progress", progresses),
    does("test_streaming_elicitation", progresses),  # looked at for requests on the stream of an answer: there are none
    does("test_error_handling", fails),
    does("test_missing_capability", needs_sampling),
    does("json_schema_2020_12_tool", lambda _: (text("Fine."),), SCHEMA_2020),
    does(
        "test_custom_headers",
        lambda _: (text("Fine."),),
        {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}},
    ),
)

RESOURCES: Mapping[str, Json] = {
    "test://static-text": {"mimeType": "text/plain", "text": "This is the content of the static text resource."},
    "test://static-binary": {"mimeType": "image/png", "blob": PNG},
    "test://watched-resource": {"mimeType": "text/plain", "text": "Watched."},
}
_TEMPLATE = ("test://template/", "/data")

ARGUMENTS = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
}


def reads(session: McpSession, request: Request) -> Json:
    uri = str(request.params.get("uri"))
    if uri in RESOURCES:
        return {"contents": [{"uri": uri, **RESOURCES[uri]}]}
    if uri.startswith(_TEMPLATE[0]) and uri.endswith(_TEMPLATE[1]):
        id = uri.removeprefix(_TEMPLATE[0]).removesuffix(_TEMPLATE[1])
        said = json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})
        return {"contents": [{"uri": uri, "mimeType": "application/json", "text": said}]}
    return TABLE.others["resources/read"](session, request)


def fills(session: McpSession, request: Request) -> Json:
    name, args = request.params.get("name"), request.params.get("arguments")
    given = args if isinstance(args, dict) else {}
    content: Mapping[str, tuple[Json, ...]] = {
        "test_simple_prompt": (text("This is a simple prompt for testing."),),
        "test_prompt_with_arguments": (
            text(f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'"),
        ),
        "test_prompt_with_embedded_resource": (
            embedded(str(given.get("resourceUri")), "text/plain", "Embedded resource content for testing."),
            text("Please process the embedded resource above."),
        ),
        "test_prompt_with_image": (IMAGE, text("Please analyze the image above.")),
    }
    if not isinstance(name, str) or name not in content:
        return TABLE.others["prompts/get"](session, request)
    return {"messages": [{"role": "user", "content": each} for each in content[name]]}


def completes(session: McpSession, request: Request) -> Json:
    ref = request.params.get("ref")
    if isinstance(ref, dict) and ref.get("name") in ARGUMENTS:
        return {"completion": {"values": ["paris", "park", "party"], "total": 3, "hasMore": False}}
    return TABLE.others["completion/complete"](session, request)


def beside(method: str, key: str, more: list[Json]) -> Method:
    """A list of the server's own with some more at its end."""

    def listed(session: McpSession, request: Request) -> Json:
        own = TABLE.others[method](session, request)
        there = own[key]
        assert isinstance(there, list)
        return {**own, key: [*there, *more]}

    return listed


def place(session: McpSession, uri: str) -> Path:
    return session.own if uri in RESOURCES else TABLE.place(session, uri)


def fixtures() -> McpTable:
    described = [
        {
            "name": name,
            "description": "For the suite.",
            "arguments": [{"name": each, "required": True} for each in names],
        }
        for name, names in ARGUMENTS.items()
    ]
    listed = [{"uri": uri, "name": uri, "description": "For the suite."} for uri in RESOURCES]
    template = {"uriTemplate": "test://template/{id}/data", "name": "template", "description": "For the suite."}
    others = {
        **TABLE.others,
        "resources/list": beside("resources/list", "resources", [*listed]),
        "resources/templates/list": beside("resources/templates/list", "resourceTemplates", [template]),
        "resources/read": reads,
        "prompts/list": beside("prompts/list", "prompts", [*described]),
        "prompts/get": fills,
        "completion/complete": completes,
    }
    return McpTable(Tools((*TOOLS, *FIXTURES)), others, place)


class Trusting(HttpGuard):
    """Lets in who sends no token, and is as strict as the other about everything else."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        known = (b"authorization", f"Bearer {TOKEN}".encode())
        await super().__call__({**scope, "headers": [*scope["headers"], known]}, receive, send)


if __name__ == "__main__":
    listening = listen("127.0.0.1", 0)
    print(server.address(listening), flush=True)
    server.serve(
        listening, Start(None, None, fixtures()), partial(Trusting, token=TOKEN, names=names_of("127.0.0.1", ()))
    )
