"""The official judges that npm brings, installed once into the environment that runs the tests."""

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from mcp_client import environment
from memdown.store.locks import RootLock
from packages import CACHE
from samples import put

_PLACE = CACHE / "memdown-test-npm"
_SECONDS = 240
"""How long a worker waits for another that installs."""
_WANTED = {
    "@modelcontextprotocol/sdk": "1",
    "@modelcontextprotocol/inspector": "2.12.0",
    "@modelcontextprotocol/conformance": "0.1.16",
    "conformance-next": "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "node": "22",
}
SUITE, NEXT_SUITE = "@modelcontextprotocol/conformance/dist/index.js", "conformance-next/dist/index.js"
INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"


@cache
def modules() -> Path:
    """Where the packages are; the test is skipped where they cannot be had."""
    found = _PLACE / "node_modules"
    program = shutil.which("npm")
    if program is None:
        pytest.skip("npm is not here")
    wanted, done = json.dumps({"dependencies": _WANTED}), _PLACE / "done"
    _PLACE.mkdir(parents=True, exist_ok=True)
    with RootLock(_PLACE, _SECONDS).held():  # workers that installed at the same time left half of it
        if not done.exists() or done.read_text() != wanted:
            put(_PLACE, "package.json", wanted)
            install = [program, "install", "--silent"]
            ran = subprocess.run(install, cwd=_PLACE, capture_output=True, text=True, check=False)
            if ran.returncode:
                pytest.skip(f"npm cannot install: {ran.stderr[-200:]}")
            put(_PLACE, "done", wanted)
    return found


def node(script: str | Path, *args: str, project: Path) -> subprocess.CompletedProcess[str]:
    """Run a script of a package, or one of our own, in a project."""
    program = modules() / "node/bin/node"
    return subprocess.run(
        [program, modules() / script, *args],
        cwd=project,
        env=environment(project.parent / "banks", MCP_CATALOG_PATH=str(project.parent / "catalog.json")),
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
