"""The official clients as judges of the server on pipes: the Python SDK in both eras, with --slow the ones of npm."""

import asyncio
import json
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.subscriptions import ResourceUpdated
from mcp_types import TextContent, TextResourceContents

from mcp_client import command, environment
from mcp_npm import INSPECTOR, modules, node
from samples import put

PROGRESS = "# Progress\n\n## In Progress\n- [ ] Search\n"


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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--method", "tools/list", "--strict"), '"memory_bank_read"'),
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
def test_the_inspector_on_the_command_line(project: Path, args: tuple[str, ...], told: str) -> None:
    banks = f"MEMORY_BANK_ROOT={project.parent / 'banks'}"
    done = node(INSPECTOR, "--cli", "-e", banks, *command(), *args, project=project)
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
def test_the_javascript_sdk(project: Path) -> None:
    script = put(modules().parent, "client.mjs", SCRIPT)
    done = node(script, json.dumps(command()), project=project)
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
