"""Hostile files through `memdown read --lines --json`: time for n and 2n, and the memory it takes.

    python bench/hostile.py [--small]

Prints, for each shape, the size, the time, how much longer the double takes (2.5x is the limit), and the peak of
memory over that of an empty file, as a multiple of the size (20x is the limit).
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

MB = 1_000_000
SHAPES: dict[str, Callable[[float], bytes]] = {
    "one line": lambda n: b"x" * int(10 * MB * n),
    "one line of words": lambda n: b"word " * int(2 * MB * n),
    "nested list, one line": lambda n: b"- " * int(100_000 * n) + b"x\n\n\nx\n",
    "nested list, then blank lines": lambda n: b"- " * int(50_000 * n) + b"x\n" + b"\n" * int(50_000 * n) + b"x\n",
    "nested list, then lines": lambda n: b"- " * int(50_000 * n) + b"x\n" + b"y\n" * int(50_000 * n),
    "nested quotes, one line": lambda n: b">" * int(100_000 * n) + b"x\n\nx\n",
    "nested quotes, then lines": lambda n: b"> " * int(50_000 * n) + b"x\n" + b"> y\n" * int(50_000 * n),
    "deepening list": lambda n: b"".join(b"  " * level + b"- x\n" for level in range(int(1000 * n**0.5))),
    "unclosed fences": lambda n: b"```a\n" * int(100_000 * n),
    "fences of two kinds": lambda n: b"```a\n~~~\n" * int(100_000 * n),
    "unclosed comments": lambda n: b"<!-- a\n" * int(100_000 * n),
    "inline comments": lambda n: b"a <!-- b\n\n" * int(100_000 * n),
    "back-ticks": lambda n: b"".join(b"`" * (i % 500) + b" " for i in range(int(20_000 * n))),
    "brackets": lambda n: b"[" * int(MB * n),
    "link definitions": lambda n: b"[a]: b\n" * int(200_000 * n),
    "wide table": lambda n: b"|a" * int(200_000 * n) + b"|\n" + b"|-" * int(200_000 * n) + b"|\n",
    "long table": lambda n: b"|a|b|\n|-|-|\n" + b"|1|2|\n" * int(300_000 * n),
    "suppressions": lambda n: b"a\0 <!-- memdown: ignore[MD002] -->\n" * int(20_000 * n),
    "NULs": lambda n: b"\0" * int(10 * MB * n),
    "NULs and text": lambda n: b"a\0" * int(5 * MB * n),
    "not UTF-8": lambda n: b"a\xff" * int(2 * MB * n),
    "CR, LF, CR LF": lambda n: b"a\rb\nc\r\n" * int(300_000 * n),
    "blank lines": lambda n: b"\n" * int(10 * MB * n),
    "headings": lambda n: b"# a\n" * int(500_000 * n),
    "list items": lambda n: b"- a\n" * int(500_000 * n),
    "front matter, no end": lambda n: b"---\n" + b"key: value\n" * int(500_000 * n),
    "front matter, large": lambda n: b"---\n" + b"key: value\n" * int(500_000 * n) + b"---\n",
    "front matter, laughs": lambda n: (
        b"---\na0: &a0 x\n"
        + b"".join(b"a%d: &a%d [%s]\n" % (i, i, b",".join([b"*a%d" % (i - 1)] * 9)) for i in range(1, int(500 * n)))
        + b"---\n"
    ),
    "front matter, brackets": lambda n: b"---\na: " + b"[" * int(30_000 * n) + b"\n---\n",
    "card with a long body": lambda n: (
        b"---\nid: 3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b\nsubject: x\nkeywords: [a]\n---\n"
        + b"Some words of a body line.\n" * int(400_000 * n)
    ),
    "50 MB of Markdown": lambda n: (
        b"# Title\n\nSome *text* of a paragraph\nwith lines.\n\n- [ ] a task\n- item\n\n" * int(270_000 * n)
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="a tenth of each size")
    scale = 0.1 if parser.parse_args().small else 1.0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hostile.md"
        path.touch()
        _, empty, _ = measure(path)
        print(f"{'shape':32} {'size':>9} {'time':>8} {'double':>7} {'memory':>7}")
        for name in SHAPES:
            size = write(path, name, scale)
            first, peak, code = measure(path)
            write(path, name, 2 * scale)
            second, _, _ = measure(path)
            memory = max(peak - empty, 0) / size
            shown = f"{size / MB:.2f} MB"
            print(f"{name:32} {shown:>9} {first:7.2f}s {second / first:6.2f}x {memory:6.1f}x  exit {code}", flush=True)


def write(path: Path, name: str, scale: float) -> int:
    """Write a shape from a process of its own: a child's peak of memory begins at its parent's."""
    subprocess.run([sys.executable, __file__, "--write", str(path), name, str(scale)], check=True)
    return path.stat().st_size


def measure(path: Path) -> tuple[float, int, int]:
    """Seconds, peak memory in bytes, exit code."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "memdown", "read", str(path), "--lines", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return time.perf_counter() - started, usage.ru_maxrss * 1024, process.returncode


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        Path(sys.argv[2]).write_bytes(SHAPES[sys.argv[3]](float(sys.argv[4])))
    else:
        main()
