"""The official clients as judges: the Python SDK in both eras, and with --slow the ones of npm.

What npm brings is installed once, into a folder of the system's temporary one.
"""

import asyncio
import json
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.subscriptions import ResourceUpdated
from mcp_types import TextContent, TextResourceContents

from mcp_client import Client as Pipes
from mcp_client import command, environment, server
from samples import put

PROGRESS = "# Progress\n\n## In Progress\n- [ ] Search\n"
NPM = Path(tempfile.gettempdir()) / "memdown-test-npm"
PACKAGES = (
    "@modelcontextprotocol/sdk@1",
    "@modelcontextprotocol/inspector@0.15",
    "@modelcontextprotocol/conformance@0.1.16",
    "node@22",
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    put(tmp_path, "banks/alpha/memory-bank/progress.md", PROGRESS)
    put(tmp_path, "shop/memory-bank/progress.md", PROGRESS)
    return tmp_path / "shop"


def started(project: Path) -> StdioServerParameters:
    [program, *args] = command()
    return StdioServerParameters(command=program, args=args, cwd=project, env=environment(project.parent / "banks"))


@pytest.mark.parametrize(
    ("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28"), ("2026-07-28", "2026-07-28")]
)
def test_the_python_sdk_uses_everything(project: Path, mode: str, version: str) -> None:
    async def use() -> None:
        async with Client(started(project), mode=mode, read_timeout_seconds=60) as client:
            assert client.protocol_version == version
            if mode != version:  # a client that is sure of the revision does not ask who is there
                assert client.server_info
                assert client.server_info.name == "memdown"
            tools = await client.list_tools()
            assert [tool.name for tool in tools.tools][:2] == ["initialize_memory_bank", "list_projects"]
            assert all(tool.output_schema and tool.annotations for tool in tools.tools)
            await use_tools(client)
            await use_resources(client)
            await use_prompts(client)

    asyncio.run(use())


async def use_tools(client: Client) -> None:
    read = await client.call_tool("memory_bank_read", {"projectPath": "alpha", "fileName": "progress.md"})
    assert not read.is_error
    assert read.structured_content
    assert read.structured_content["content"] == PROGRESS
    refused = await client.call_tool("memory_bank_read", {"projectPath": "alpha", "fileName": "../../etc/passwd"})
    assert refused.is_error
    [told] = refused.content
    assert isinstance(told, TextContent)
    assert "refused" in told.text
    listed = await client.call_tool("list_projects", {})
    assert listed.structured_content
    assert [each["name"] for each in listed.structured_content["projects"]] == ["alpha", "shop"]
    steps: list[tuple[float, float | None, str | None]] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        steps.append((progress, total, message))

    await client.call_tool("check", {}, progress_callback=heard)
    assert steps


async def use_resources(client: Client) -> None:
    resources = await client.list_resources()
    uris = [str(resource.uri) for resource in resources.resources]
    assert "memdown://shop/memory-bank/progress.md" in uris
    assert "memdown://alpha/memory-bank/progress.md" in uris
    read = await client.read_resource("memdown://alpha/memory-bank/progress.md")
    [content] = read.contents
    assert isinstance(content, TextResourceContents)
    assert content.text == PROGRESS
    templates = await client.list_resource_templates()
    assert [each.uri_template for each in templates.resource_templates] == ["memdown://{project}/{+path}"]


async def use_prompts(client: Client) -> None:
    prompts = await client.list_prompts()
    assert len(prompts.prompts) == 5
    filled = await client.get_prompt("start_session", {"project": "alpha"})
    assert len(filled.messages) == 2


def test_the_python_sdk_hears_of_changes(project: Path) -> None:
    async def use() -> str:
        uri = "memdown://shop/memory-bank/progress.md"
        async with (
            Client(started(project), read_timeout_seconds=60) as client,
            client.listen(resource_subscriptions=[uri]) as changes,
        ):
            put(project, "memory-bank/progress.md", "# Progress\n\nby hand\n")
            async for event in changes:
                assert isinstance(event, ResourceUpdated)
                return event.uri
        raise AssertionError("the stream ended")

    assert asyncio.run(asyncio.wait_for(use(), 60)) == "memdown://shop/memory-bank/progress.md"


# From npm


@pytest.fixture(scope="session")
def npm() -> Path:
    """The folder with the packages of npm."""
    program = shutil.which("npm")
    if program is None:
        pytest.skip("npm is not here")
    if not (NPM / "node_modules/node/bin/node").exists():
        NPM.mkdir(exist_ok=True)
        put(NPM, "package.json", "{}")
        done = subprocess.run(
            [program, "install", "--silent", *PACKAGES], cwd=NPM, capture_output=True, text=True, check=False
        )
        if done.returncode:
            pytest.skip(f"npm cannot install: {done.stderr[-200:]}")
    return NPM


def node(npm: Path, *args: str, project: Path) -> subprocess.CompletedProcess[str]:
    env = environment(project.parent / "banks")
    program = str(npm / "node_modules/node/bin/node")
    return subprocess.run(
        [program, *args], cwd=project, env=env, capture_output=True, text=True, check=False, timeout=240
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--method", "tools/list"), '"memory_bank_read"'),
        (("--method", "prompts/list"), '"update_memory_bank"'),
        (("--method", "resources/list"), "memdown://shop/memory-bank/progress.md"),
        (("--method", "resources/templates/list"), "memdown://{project}/{+path}"),
        (("--method", "resources/read", "--uri", "memdown://shop/memory-bank/progress.md"), "## In Progress"),
        (("--method", "prompts/get", "--prompt-name", "plan", "--prompt-args", "task=x"), "The task: x"),
        (
            ("--method", "tools/call", "--tool-name", "validate_project", "--tool-arg", "projectPath=alpha"),
            '"valid": false',
        ),
    ],
)
def test_the_inspector_on_the_command_line(npm: Path, project: Path, args: tuple[str, ...], told: str) -> None:
    inspector = str(npm / "node_modules/@modelcontextprotocol/inspector-cli/build/cli.js")
    done = node(npm, inspector, "--cli", *command(), *args, project=project)
    assert done.returncode == 0, done.stderr
    assert told in done.stdout


SCRIPT = """
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { writeFileSync } from "fs";

const [command, ...args] = JSON.parse(process.argv[2]);
const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env, cwd: process.cwd() }));
const told = { version: client.getServerVersion().name };
told.tools = (await client.listTools()).tools.length;
told.read = (await client.callTool({ name: "memory_bank_read", arguments: { projectPath: "alpha", fileName: "progress.md" } })).structuredContent.content;
told.refused = (await client.callTool({ name: "memory_bank_read", arguments: { projectPath: "alpha", fileName: "../x.md" } })).isError;
told.completed = (await client.complete({ ref: { type: "ref/prompt", name: "start_session" }, argument: { name: "mode", value: "as" } })).completion.values;
const uri = "memdown://shop/memory-bank/progress.md";
const changed = new Promise((done) => client.setNotificationHandler(ResourceUpdatedNotificationSchema, (note) => done(note.params.uri)));
await client.subscribeResource({ uri });
writeFileSync("memory-bank/progress.md", "# Changed\\n");
told.changed = await changed;
await client.ping();
await client.close();
console.log(JSON.stringify(told));
"""


@pytest.mark.slow
def test_the_javascript_sdk(npm: Path, project: Path) -> None:
    put(npm, "client.mjs", SCRIPT)
    done = node(npm, str(npm / "client.mjs"), json.dumps(command()), project=project)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told.pop("tools") >= 7
    assert told == {
        "version": "memdown",
        "read": PROGRESS,
        "refused": True,
        "completed": ["ask"],
        "changed": "memdown://shop/memory-bank/progress.md",
    }


class Bridge(BaseHTTPRequestHandler):
    """Hands messages that come over HTTP to a server on pipes: the suite speaks HTTP alone."""

    protocol_version = "HTTP/1.1"
    pipes: Pipes
    lock = threading.Lock()

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.lock:
            self.pipes.send(message)
            answer = self.pipes.answer(message["id"]) if "id" in message else None
        self._reply(200 if answer else 202, answer)

    def do_GET(self) -> None:
        self._reply(405, None)

    do_DELETE = do_GET

    def _reply(self, status: int, answer: Mapping[str, Any] | None) -> None:
        data = json.dumps(answer).encode() if answer else b""
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def url(project: Path) -> Iterator[str]:
    with server(project, banks=project.parent / "banks") as pipes:
        handler = type("Handler", (Bridge,), {"pipes": pipes})
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
            threading.Thread(target=http.serve_forever, daemon=True).start()
            yield f"http://127.0.0.1:{http.server_port}/mcp"
            http.shutdown()


APPLICABLE = ("server-initialize", "ping", "logging-set-level", "tools-list", "resources-list", "prompts-list")
"""Scenarios that need no fixtures of the suite's own: its tools, resources and prompts by name."""


@pytest.mark.slow
@pytest.mark.parametrize("scenario", APPLICABLE)
def test_the_conformance_suite(npm: Path, project: Path, url: str, scenario: str, tmp_path: Path) -> None:
    suite = str(npm / "node_modules/@modelcontextprotocol/conformance/dist/index.js")
    done = node(
        npm, suite, "server", "--url", url, "--scenario", scenario, "-o", str(tmp_path / "out"), project=project
    )
    assert done.returncode == 0, done.stdout + done.stderr
