"""Small texts and helpers that several tests use."""

import io
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

import forks
from memdown.surfaces.cli import run

ID = "3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b"
OTHER_ID = "77c1a5d2-0b3e-4f6a-8d9c-1e2f3a4b5c6d"
CONTENT = "The pool has 10 connections.\nWith 5 the load test timed out."
CARD = f"""\
---
id: {ID}
subject: Pool size is 10
keywords:
  - database
  - pool
applies_to: 'file:src/db.py'
occurred_at: '2026-01-15T10:30:00Z'
content_hash: 'd12bf02111536bbd'
---

{CONTENT}
"""


def put(root: Path, name: str, text: str) -> Path:
    """A file with exactly this text."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return path


def copy_of(project: Path, target: Path) -> Path:
    """A copy that may be written to, wherever the original lies."""
    shutil.copytree(project, target, symlinks=True)
    for path in (target, *target.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() else 0o644)
    return target


def memdown(
    cwd: Path, *args: str, stdin: str = "", env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The command line, as a process of its own."""
    words = [sys.executable, "-m", "memdown", *args]
    env = dict(env) if env is not None else None
    return forks.run(words, cwd=cwd, input=stdin, env=env, capture_output=True, encoding="utf-8")


def in_process(cwd: Path, *args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """The command line within this process, which takes a fraction of the time."""
    out, err = io.StringIO(), io.StringIO()
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(stdin.encode("utf-8", "surrogateescape")))
    try:
        with chdir(cwd), redirect_stdout(out), redirect_stderr(err):
            code = run(list(args))
    finally:
        sys.stdin = before
    return subprocess.CompletedProcess(["memdown", *args], code, out.getvalue(), err.getvalue())


READY = """
import os
import memdown.surfaces.cli
from memdown.__main__ import main
os.write(1, b"ready\\n")
os.read(0, 1)
main()
"""
PATIENT = "lock-timeout = 240\n"
"""Settings for tests in which many write: on a busy machine with a slow disk each waits long for its turn."""


def ready(cwd: Path, *args: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
    """A command in a process of its own that has loaded all it needs, and waits for `go`."""
    process = forks.Forked(
        [sys.executable, "-c", READY, *args],
        cwd=cwd,
        env=dict(env) if env is not None else None,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def at_once(cwd: Path, *commands: Sequence[str]) -> list[tuple[int, str, str]]:
    """Exit code, output and errors of commands that begin together, once each of them is ready."""
    put(cwd, "memdown.toml", PATIENT)
    running = [ready(cwd, *command) for command in commands]
    for process in running:
        go(process)
    ended = [process.communicate(timeout=280) for process in running]
    return [(process.returncode, out, err) for process, (out, err) in zip(running, ended, strict=True)]


def killed(cwd: Path, seconds: float, *args: str, env: Mapping[str, str] | None = None) -> None:
    """Begin a command and kill it so long after it began its work."""
    process = ready(cwd, *args, env=env)
    go(process)
    time.sleep(seconds)
    process.kill()
    process.communicate()


def answer(cwd: Path, *args: str, stdin: str = "") -> object:
    """What the command line answers in JSON."""
    done = memdown(cwd, *args, "--json", stdin=stdin)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)
