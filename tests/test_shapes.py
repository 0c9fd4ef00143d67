"""What is published for other tools is what the tables say, and of the form those tools read."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from memdown import VERSION
from memdown.acts.install.targets import EVENTS
from memdown.homes import HOMES
from memdown.surfaces.cli import COMMANDS
from samples import CARD, ID, put

HERE = Path(__file__).parents[1]
sys.path.insert(0, str(HERE / "scripts"))

from make_shapes import PLUGIN, REGISTRY_NAME, shapes  # noqa: E402 - scripts are not a package

SHAPES = shapes()


@pytest.mark.parametrize("name", SHAPES)
def test_published_files_are_up_to_date(name: str) -> None:
    """`.venv/bin/python scripts/make_shapes.py` writes them."""
    assert (HERE / name).read_text("utf-8") == SHAPES[name]


def test_the_plugin_has_what_claude_code_reads() -> None:
    plugin = json.loads(SHAPES[f"{PLUGIN}/.claude-plugin/plugin.json"])
    assert re.fullmatch(r"[a-z][a-z0-9-]*", plugin["name"])
    assert plugin["version"] == VERSION
    (listed,) = json.loads(SHAPES[".claude-plugin/marketplace.json"])["plugins"]
    assert listed["name"] == plugin["name"]
    assert (HERE / listed["source"] / ".claude-plugin/plugin.json").is_file()
    hooks = json.loads(SHAPES[f"{PLUGIN}/hooks/hooks.json"])["hooks"]
    assert tuple(hooks) == EVENTS
    for event, groups in hooks.items():
        assert groups == [{"hooks": [{"type": "command", "command": f"memdown hook {event}"}]}]
    servers = json.loads(SHAPES[f"{PLUGIN}/.mcp.json"])["mcpServers"]
    assert servers == {"memdown": {"command": "memdown", "args": ["mcp"]}}
    _, head, body = SHAPES[f"{PLUGIN}/skills/memory/SKILL.md"].split("---\n", 2)
    skill = yaml.safe_load(head)
    assert skill["name"] == "memory"
    assert 0 < len(skill["description"]) <= 1024
    assert body.strip()


def test_the_entry_of_the_registry_has_what_the_registry_asks_for() -> None:
    entry = json.loads(SHAPES["server.json"])
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"])
    assert 1 <= len(entry["description"]) <= 100
    assert re.fullmatch(r"\d+\.\d+\.\d+", entry["version"])
    (package,) = entry["packages"]
    assert (package["registryType"], package["identifier"], package["version"]) == ("pypi", "memdown", VERSION)
    assert package["transport"] == {"type": "stdio"}
    (argument,) = package["packageArguments"]
    assert argument == {"type": "positional", "value": "mcp"}
    assert argument["value"] in COMMANDS
    # Who owns the package on PyPI is proven by this line in its description.
    assert f"mcp-name: {REGISTRY_NAME}" in (HERE / "README.md").read_text("utf-8")


def test_pre_commit_gets_the_files_of_memory() -> None:
    (hook,) = yaml.safe_load(SHAPES[".pre-commit-hooks.yaml"])
    assert {"id", "name", "entry", "language"} <= set(hook)
    assert hook["entry"].split()[:2] == ["memdown", "check"]
    for home in (home for homes in HOMES.values() for home in homes):
        assert re.search(hook["files"], f"{home}/a/b.md")
    for other in ("README.md", "docs/a.md", "src/memory-bank/a.md", "xsquad/a.md"):
        assert not re.search(hook["files"], other)


@pytest.mark.skipif(sys.platform == "win32", reason="the action runs bash")
def test_the_action_checks_the_paths_it_is_given(tmp_path: Path) -> None:
    action = yaml.safe_load(SHAPES["action.yml"])
    assert action["runs"]["using"] == "composite"
    steps = action["runs"]["steps"]
    assert all("uses" in step or {"run", "shell"} <= set(step) for step in steps)
    # Input goes through the environment: written into the script, it could be one.
    assert all("${{" not in step.get("run", "") for step in steps)
    put(tmp_path, f"memories/{ID}.md", CARD)
    put(tmp_path, "memories/bad name.md", CARD.replace("subject: Pool size is 10\n", ""))
    for paths, code in (("", 1), (f"memories/{ID}.md", 0), ("memories/bad name.md\n", 1)):
        env = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "PATHS": paths, "STRICT": "false"}
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", steps[-1]["run"]],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done
        assert ("::error" in done.stdout) == bool(code)
