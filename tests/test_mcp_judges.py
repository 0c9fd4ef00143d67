"""The official judges of npm against the server over HTTP: two editions of the conformance suite, the inspector, an SDK."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the extra is not installed")

from mcp_client import environment
from mcp_http_client import TOKEN, http_server
from mcp_npm import INSPECTOR, NEXT_SUITE, SUITE, modules, node
from memdown.surfaces.mcp.tools import TOOLS
from samples import put

pytestmark = pytest.mark.slow

FIXTURES = Path(__file__).with_name("mcp_fixtures.py")
PROGRESS = "# Progress\n\n## In Progress\n- [ ] Search\n"
ASKS = "the server asks its clients nothing: no sampling, no elicitation, no roots"
NOT_APPLICABLE = {
    "tools-call-sampling": ASKS,
    "tools-call-elicitation": ASKS,
    "elicitation-.*": ASKS,
    "input-required-result-.*": ASKS,
    "server-sse-polling": "an answer is not resumed on another connection; it only warns",
    "tasks-.*": "an extension that is not announced",
    "sep-2640-skills-.*": "an extension that is not announced",
}
"""Scenarios that say nothing of this server, and why; some of them pass without looking at anything."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    put(tmp_path, "banks/alpha/memory-bank/progress.md", PROGRESS)
    put(tmp_path, "shop/memory-bank/progress.md", PROGRESS)
    return tmp_path / "shop"


@pytest.fixture
def url(project: Path) -> Iterator[str]:
    """The server with the fixtures of the suite beside its own table."""
    env = environment(project.parent / "banks")
    with subprocess.Popen(
        [sys.executable, FIXTURES], cwd=project, env=env, text=True, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        yield process.stdout.readline().strip()
        process.terminate()
        assert process.wait(240) == 0


@pytest.mark.parametrize(
    ("suite", "args", "least"),
    [
        (SUITE, ("--suite", "all"), 27),
        (NEXT_SUITE, ("--suite", "all"), 32),
        (NEXT_SUITE, ("--requirements", "2026-07-28"), 20),
    ],
)
def test_every_scenario_that_applies_passes(
    project: Path, url: str, suite: str, args: tuple[str, ...], least: int, tmp_path: Path
) -> None:
    done = node(suite, "server", "--url", url, *args, "-o", str(tmp_path / "out"), project=project)
    summary = done.stdout.partition("SUMMARY")[2].partition("Total:")[0]
    found = {name: (int(passed), int(failed)) for name, passed, failed in re.findall(r"^. (\S+): (\d+) passed, (\d+) failed", summary, re.M)}  # fmt: skip
    applicable = {
        name: told for name, told in found.items() if not any(re.fullmatch(each, name) for each in NOT_APPLICABLE)
    }
    assert len(applicable) >= least, done.stdout + done.stderr
    assert {name: told for name, told in applicable.items() if told[1] or not told[0]} == {}


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--method", "tools/list", "--strict"), '"memory_bank_read"'),
        (("--method", "prompts/list"), '"update_memory_bank"'),
        (("--method", "resources/list"), "memdown://shop/memory-bank/progress.md"),
        (("--method", "resources/templates/list"), "memdown://{project}/{+path}"),
        (("--method", "resources/read", "--uri", "memdown://shop/memory-bank/progress.md"), "## In Progress"),
        (("--method", "tools/call", "--tool-name", "validate_project", "--tool-arg", "projectPath=alpha"), '"valid": false'),
    ],
)  # fmt: skip
def test_the_inspector_on_the_command_line(project: Path, args: tuple[str, ...], told: str) -> None:
    with http_server(project) as server:
        by = ("--transport", "http", "--header", f"Authorization: Bearer {TOKEN}")
        done = node(INSPECTOR, "--cli", server.url, *by, *args, project=project)
    assert done.returncode == 0, done.stderr
    assert told in done.stdout


SCRIPT = """
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { writeFileSync } from "fs";

const [url, token] = process.argv.slice(2);
const client = new Client({ name: "test", version: "1" });
const headers = { Authorization: `Bearer ${token}` };
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
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
await client.transport.terminateSession();
await client.close();
console.log(JSON.stringify(told));
"""


def test_the_javascript_sdk(project: Path) -> None:
    script = put(modules().parent, "http-client.mjs", SCRIPT)
    with http_server(project) as server:
        done = node(script, server.url, TOKEN, project=project)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "version": "memdown",
        "tools": len(TOOLS),
        "read": PROGRESS,
        "refused": True,
        "completed": ["ask"],
        "changed": "memdown://shop/memory-bank/progress.md",
    }
