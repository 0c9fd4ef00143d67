"""The MCP server against bare Python, side by side in one run: start, memory, and a warm search against the library's.

    python bench/mcp_server.py [path of an installed memdown script]

Start is from the launch of the process to the answer of `initialize`; bare Python is `python -c pass`, launched the
same way. Resident memory is read at that moment, where the system tells it (/proc).
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memdown.memory import Memory
from memdown.surfaces.mcp import tools

RUNS, CALLS, CARDS = 25, 200, 1000
WORDS = "pool connections timeout"
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


class Server:
    """A server process and its pipes."""

    def __init__(self, command: list[str], folder: str) -> None:
        self._process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.pid = self._process.pid

    def ask(self, method: str, params: object) -> Any:
        assert self._process.stdin
        assert self._process.stdout
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())["result"]

    def end(self) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("script", nargs="?", default=shutil.which("memdown"), help="an installed memdown script")
    script: str | None = parser.parse_args().script
    if script is None:
        sys.exit("bench/mcp_server.py: no memdown on the path; give the path of its console script.")
    interpreter = Path(script).read_text("utf-8").partition("\n")[0].removeprefix("#!")
    script = str(Path(script).absolute())
    with tempfile.TemporaryDirectory() as folder:
        start(interpreter, script, folder)
        if any(tool.name == "search" for tool in tools.TOOLS):
            search(script, folder)


def start(interpreter: str, script: str, folder: str) -> None:
    bare, ours, sizes = [], [], []
    for number in range(RUNS + 2):
        began = time.perf_counter()
        subprocess.run([interpreter, "-c", "pass"], cwd=folder, check=True)
        passed = time.perf_counter()
        server = Server([script, "mcp"], folder)
        server.ask("initialize", HELLO)
        answered = time.perf_counter()
        size = resident(server.pid)
        server.end()
        if number >= 2:  # the first two write byte code and warm the disk cache
            bare.append(passed - began)
            ours.append(answered - passed)
            sizes.append(size)
    waiting = [interpreter, "-c", "import sys; sys.stdout.write('.'); sys.stdout.flush(); sys.stdin.read()"]
    with subprocess.Popen(waiting, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.read(1)
        small = resident(process.pid)
        process.kill()
    told("python -c pass", bare, bare)
    told("memdown mcp: initialize", ours, bare)
    if small:
        most = max(sizes)
        print(f"{'resident':24} bare {small / 1024:.1f} MB, server {most / 1024:.1f} MB  {most / small:.2f}x")


def told(name: str, taken: list[float], bare: list[float]) -> None:
    least, middle = min(taken), statistics.median(taken)
    ratios = f"{least / min(bare):.2f}x {middle / statistics.median(bare):.2f}x"
    print(f"{name:24} min {least * 1e3:6.1f} ms  median {middle * 1e3:6.1f} ms  {ratios}")


def resident(pid: int) -> int:
    """Kilobytes of memory that a process holds; 0 where nobody tells."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS")), 0)


def search(script: str, folder: str) -> None:
    """A warm search through the pipes, and the same call in this process."""
    memory = Memory.open(Path(folder))
    for number in range(CARDS):
        text = f"The pool of service {number % 17} has {number % 29} connections.\nIts timeout is {number} ms."
        memory.cards.add(f"Pool {number}", text, keywords=["pool", f"service-{number % 17}"])
    server = Server([script, "mcp"], folder)
    server.ask("initialize", HELLO)
    call = {"name": "search", "arguments": {"words": WORDS}}
    ours, library = [], []
    for number in range(CALLS + 5):
        through = timed(lambda: server.ask("tools/call", call))
        direct = timed(lambda: memory.search(WORDS, limit=10))
        if number >= 5:
            ours.append(through)
            library.append(direct)
    server.end()
    one, other = statistics.median(library), statistics.median(ours)
    print(
        f"search, {CARDS} cards       library {one * 1e3:.2f} ms, tool {other * 1e3:.2f} ms (p50)  {other / one:.2f}x"
    )


def timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
