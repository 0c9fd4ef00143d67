"""Instructions that starts take, counted by callgrind: unlike times, they repeat, so that a change shows in a diff.

The file `bench/instructions.json` has them by command, in millions, and the Python they were counted with.
"""

import json
import platform
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from suite.client import HELLO

FILE = Path(__file__).parents[1] / "instructions.json"
COMMANDS = {
    "python -c pass": None,
    "--version": ("--version",),
    "search": ("search", "pool"),
    "list": ("list",),
    "show": ("show", "Pool"),
    "add card": ("add", "card", "Thing", "-k", "other", "--content", "What was learnt."),
    "status": ("status",),
    "hook SessionStart": ("hook", "SessionStart"),
    "hook UserPromptSubmit": ("hook", "UserPromptSubmit"),
    "hook Stop": ("hook", "Stop"),
    "mcp, initialize": ("mcp",),
}


def count(script: str, python: str, folder: Path, env: Mapping[str, str]) -> dict[str, float]:
    """Millions of instructions of each command in a small project; nothing where valgrind is not installed."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        return {}
    found = {}
    for name, words in COMMANDS.items():
        command = [python, "-c", "pass"] if words is None else [python, script, *words]
        event = {"session_id": "x", "cwd": str(folder), "prompt": "the pool?"}
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
        given = json.dumps(hello if words == ("mcp",) else event).encode() + b"\n"
        subprocess.run(command, cwd=folder, env=env, input=given, capture_output=True, check=False)  # byte code
        if name == "add card":  # which is there by now
            command[-1] = "What was learnt of it since."
            subprocess.run([python, script, "index"], cwd=folder, env=env, capture_output=True, check=False)
        tool = [valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null", *command]
        done = subprocess.run(tool, cwd=folder, env=env, input=given, capture_output=True, check=False)
        counted = re.search(rb"Collected : (\d+)", done.stderr)
        if counted:
            found[name] = round(int(counted[1]) / 1e6, 1)
    return found


def kept() -> dict[str, float]:
    """Those of the file."""
    return dict(json.loads(FILE.read_text("utf-8"))["millions"]) if FILE.is_file() else {}


def keep(found: Mapping[str, float]) -> None:
    text = json.dumps({"python": platform.python_version(), "machine": platform.machine(), "millions": found}, indent=2)
    FILE.write_text(text + "\n", encoding="utf-8")


def table(found: Mapping[str, float], before: Mapping[str, float]) -> str:
    """For the page."""
    if not found:
        return ""
    bare = found["python -c pass"]
    lines = [
        "## Instructions per start",
        "",
        "Millions, by callgrind; `bench/instructions.json` keeps them.",
        "",
    ]
    lines += ["| command | millions | × bare Python | before |", "|---|---|---|---|"]
    for name, number in found.items():
        was = f"{before[name]:,.1f}" if name in before else ""
        lines.append(f"| {name} | {number:,.1f} | {number / bare:.2f} | {was} |")
    return "\n".join(lines)
