"""Small texts and helpers that several tests use."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

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


def memdown(
    cwd: Path, *args: str, stdin: str = "", env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The command line, as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "memdown", *args],
        cwd=cwd,
        input=stdin,
        env=dict(env) if env is not None else None,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )


def answer(cwd: Path, *args: str, stdin: str = "") -> object:
    """What the command line answers in JSON."""
    done = memdown(cwd, *args, "--json", stdin=stdin)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)
