"""Other programs, each from its registry in an environment of its own below the cache folder.

One that cannot be installed, or does not run, is reported with the reason.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PYTHON = {"basic-memory": ("python3.12", "basic-memory", ("--version",)), "memsearch": ("", "memsearch", ("--help",))}
"""By package: the Python it needs, its command, and what to ask it to see that it runs."""
NODE = {
    "@tobilu/qmd": ("qmd", ("--help",)),
    "@allpepper/memory-bank-mcp": ("mcp-server-memory-bank", None),
    "@modelcontextprotocol/server-memory": ("mcp-server-memory", None),
}
"""By package: its command, and what to ask it; None for a server, which is asked when it is measured."""
_SECONDS = 600


class Rival(NamedTuple):
    """A program that does some of the same work."""

    name: str
    command: str | None
    version: str
    megabytes: float
    why_not: str = ""
    """Why it could not be installed."""


def rivals(cache: Path, *, install: bool) -> dict[str, Rival]:
    """Every rival, installed if that works."""
    cache.mkdir(parents=True, exist_ok=True)
    found = [*_python(cache, install=install), *_node(cache, install=install), _ripgrep()]
    return {each.name: each for each in found}


def _python(cache: Path, *, install: bool) -> Iterator[Rival]:
    for package, (interpreter, command, probe) in PYTHON.items():
        place = cache / package
        script = place / ("Scripts" if os.name == "nt" else "bin") / command
        why = ""
        if install and not script.exists():
            base = shutil.which(interpreter) if interpreter else sys.executable
            why = _run([base, "-m", "venv", str(place)]) if base else f"{interpreter} is not here"
            pip = str(script.with_name("pip"))
            why = why or _run([pip, "install", "-q", "--disable-pip-version-check", package])
        yield _checked(package, script, probe, place, why)


def _node(cache: Path, *, install: bool) -> Iterator[Rival]:
    for package, (command, probe) in NODE.items():
        place = cache / package.rpartition("/")[2]
        script = place / "node_modules" / ".bin" / command
        why = ""
        if install and not script.exists():
            place.mkdir(parents=True, exist_ok=True)
            npm = shutil.which("npm")
            why = _run([npm, "install", "--silent", "--prefix", str(place), package]) if npm else "npm is not here"
        yield _checked(package, script, probe, place, why)


def _ripgrep() -> Rival:
    found = shutil.which("rg")
    return Rival("ripgrep", found, "", 0.0, "" if found else "rg is not on the path")


def _checked(name: str, script: Path, probe: tuple[str, ...] | None, place: Path, why: str) -> Rival:
    if not why and not script.exists():
        why = "it is not installed"
    if not why and probe is not None:
        why = _run([str(script), *probe])
    size = sum(each.stat().st_size for each in place.rglob("*") if each.is_file() and not each.is_symlink())
    return Rival(name, None if why else str(script), "", size / 1e6, why)


def _run(command: list[str]) -> str:
    """What went wrong; empty when nothing did."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error).partition("\n")[0]
    said = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    return "" if done.returncode == 0 else (said[-1] if said else f"exit code {done.returncode}")[:200]
