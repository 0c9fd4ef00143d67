"""Writes what is published for other tools, from the tables that `memdown install` uses: a plugin for Claude Code, the
entry of the MCP registry, a hook for pre-commit, an action for GitHub.

Run it after changing a table or the version: `.venv/bin/python scripts/make_shapes.py`.
"""

import json
import re
from pathlib import Path

from memdown import VERSION
from memdown.acts.install.parts import NAME, Command, Hook, Server
from memdown.acts.install.targets import TARGETS
from memdown.acts.prompt import GENERAL
from memdown.homes import HOMES

ROOT = Path(__file__).parents[1]
PLUGIN = "integrations/claude-plugin"
SAYS = "Reads, checks and protects the Markdown memory of coding assistants."
MAINTAINERS = {"name": "The memdown maintainers"}
REGISTRY_NAME = "io.github.memdown/memdown"
"""Who publishes puts the own namespace here; the registry asks for it, and the README has to name it too."""
REGISTRY_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"


def shapes() -> dict[str, str]:
    """Every published file by its path."""
    return {
        ".claude-plugin/marketplace.json": _json(_marketplace()),
        f"{PLUGIN}/.claude-plugin/plugin.json": _json(_plugin()),
        f"{PLUGIN}/hooks/hooks.json": _json(_hooks()),
        f"{PLUGIN}/.mcp.json": _json(_servers()),
        f"{PLUGIN}/skills/memory/SKILL.md": _skill(),
        "server.json": _json(_registry()),
        ".pre-commit-hooks.yaml": _pre_commit(),
        "action.yml": _action(),
    }


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _marketplace() -> dict[str, object]:
    plugin = {"name": NAME, "source": f"./{PLUGIN}", "description": SAYS}
    return {"name": NAME, "owner": MAINTAINERS, "plugins": [plugin]}


def _plugin() -> dict[str, object]:
    return {
        "name": NAME,
        "version": VERSION,
        "description": SAYS,
        "author": MAINTAINERS,
        "license": "Apache-2.0",
        "keywords": ["memory", "markdown"],
    }


def _hooks() -> dict[str, object]:
    parts = [part for part in TARGETS["claude"].parts if isinstance(part, Hook) and not part.offer]
    return {"description": SAYS, "hooks": {part.event: [part.value(Command().line)] for part in parts}}


def _servers() -> dict[str, object]:
    (server,) = (part for part in TARGETS["claude"].parts if isinstance(part, Server))
    return {server.under: {NAME: server.value(Command().words)}}


_HOW = "`memdown prompt` prints how the memory of this project is read and written; follow it."


def _skill() -> str:
    says = "Use the memory of this project: search it before work, write down what was decided or learned after it."
    return f"---\nname: memory\ndescription: '{says}'\n---\n\n{GENERAL}\n- {_HOW}\n"


def _registry() -> dict[str, object]:
    package = {
        "registryType": "pypi",
        "identifier": NAME,
        "version": VERSION,
        "runtimeHint": "uvx",
        "transport": {"type": "stdio"},
        "packageArguments": [{"type": "positional", "value": "mcp"}],
    }
    return {
        "$schema": REGISTRY_SCHEMA,
        "name": REGISTRY_NAME,
        "title": NAME,
        "description": SAYS,
        "version": VERSION,
        "packages": [package],
    }


def _pre_commit() -> str:
    known = dict.fromkeys(home for homes in HOMES.values() for home in homes)
    homes = "|".join(re.escape(home).replace("\\-", "-") for home in known)
    return f"""\
- id: memdown-check
  name: check memory
  description: {SAYS}
  entry: memdown check
  language: python
  types: [markdown]
  files: '^(?:{homes})/'
  require_serial: true
"""


def _action() -> str:
    return f"""\
name: memdown check
description: {SAYS}
inputs:
  paths:
    description: Files and folders to check, one in a line; all memory of the project when empty.
    default: ''
  strict:
    description: Whether warnings fail the check too, true or false.
    default: 'false'
  python-version:
    description: The version of Python to set up.
    default: '3.13'
runs:
  using: composite
  steps:
    - uses: actions/setup-python@v5
      with:
        python-version: ${{{{ inputs.python-version }}}}
    - shell: bash
      run: python -m pip install --quiet --disable-pip-version-check "$GITHUB_ACTION_PATH"
    - shell: bash
      env:
        PATHS: ${{{{ inputs.paths }}}}
        STRICT: ${{{{ inputs.strict }}}}
      run: |
        arguments=(--format github)
        if [ "$STRICT" = true ]; then arguments+=(--strict); fi
        while IFS= read -r path; do
          if [ -n "$path" ]; then arguments+=("$path"); fi
        done <<< "$PATHS"
        memdown check "${{arguments[@]}}"
"""


def main() -> None:
    for name, text in shapes().items():
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
