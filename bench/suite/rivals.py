"""Other programs, each from its registry in an environment of its own below the cache folder.

One that cannot be installed, or does not run, is reported with the reason.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PYTHON = {
    "basic-memory": ((3, 12), "basic-memory", ("--version",), ("basic-memory", "basic-memory<0.17")),
    "memsearch": ((3, 10), "memsearch", ("--help",), ("memsearch",)),
}
"""By package: the Python it needs, its command, what to ask it to see that it runs, and what to install: the newest
version, else an older one, where what the newest needs is not to be had."""
NODE = {
    "@tobilu/qmd": ("qmd", ("--help",)),
    "@allpepper/memory-bank-mcp": ("mcp-server-memory-bank", None),
    "@modelcontextprotocol/server-memory": ("mcp-server-memory", None),
}
"""By package: its command, and what to ask it; None for a server, which is asked when it is measured."""
_NODE_VERSION = 22
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
    found = [*_python(cache, install=install), *_node(cache, install=install), _ripgrep(cache, install=install)]
    return {each.name: each for each in found}


def path_with_node(cache: Path) -> str:
    """Where programs are looked for, those for Node first that came with one of its packages."""
    own = cache / "node" / "node_modules" / "node" / "bin"
    return os.pathsep.join([str(own), os.environ["PATH"]] if own.is_dir() else [os.environ["PATH"]])


def _python(cache: Path, *, install: bool) -> Iterator[Rival]:
    for package, (least, command, probe, wanted) in PYTHON.items():
        place = cache / package
        script = place / ("Scripts" if os.name == "nt" else "bin") / command
        why = ""
        if install and not script.exists():
            base = _interpreter(least)
            why = _run([base, "-m", "venv", str(place)]) if base else f"it needs Python {least[0]}.{least[1]}"
            pip = [str(script.with_name("pip")), "install", "-q", "--disable-pip-version-check"]
            if not why:
                for each in wanted:
                    why = _run([*pip, each])
                    if not why:
                        break
        version = "".join(
            each.name.split("-")[1]
            for each in place.glob(f"lib/*/site-packages/{command.replace('-', '_')}-*.dist-info")
        )
        yield _checked(package, script, probe, place, why, version.removesuffix(".dist"))


def _interpreter(least: tuple[int, int]) -> str | None:
    """A Python of some version or a newer one: this one, one on the path, or one that pyenv has."""
    if sys.version_info[:2] >= least:
        return sys.executable
    for minor in range(least[1], least[1] + 3):
        if found := shutil.which(f"python{least[0]}.{minor}"):
            return found
        for each in sorted(Path("~/.pyenv/versions").expanduser().glob(f"{least[0]}.{minor}.*/bin/python")):
            return str(each)
    return None


def _node(cache: Path, *, install: bool) -> Iterator[Rival]:
    npm, place = shutil.which("npm"), cache / "node"
    if install and npm and not place.is_dir() and not _is_new_enough():
        place.mkdir(parents=True)
        _run([npm, "install", "--silent", "--prefix", str(place), f"node@{_NODE_VERSION}"])
    path = path_with_node(cache)
    for package, (command, probe) in NODE.items():
        place = cache / package.rpartition("/")[2]
        script = place / "node_modules" / ".bin" / command
        why = ""
        if install and not script.exists():
            place.mkdir(parents=True, exist_ok=True)
            get = [npm or "", "install", "--silent", "--prefix", str(place), package]
            why = _run(get, path) if npm else "npm is not here"
        about = place / "node_modules" / package / "package.json"
        version = str(json.loads(about.read_text("utf-8"))["version"]) if about.is_file() else ""
        yield _checked(package, script, probe, place, why, version, path)


def _is_new_enough() -> bool:
    node = shutil.which("node")
    if node is None:
        return False
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    return int(said.lstrip("v").partition(".")[0] or 0) >= _NODE_VERSION


def _ripgrep(cache: Path, *, install: bool) -> Rival:
    """The one on the path, else Debian's package, unpacked and not installed."""
    place = cache / "ripgrep"
    own = place / "usr" / "bin" / "rg"
    why = ""
    if install and not shutil.which("rg") and not own.is_file():
        place.mkdir(parents=True, exist_ok=True)
        apt, dpkg = shutil.which("apt-get"), shutil.which("dpkg")
        why = _run([apt, "download", "-q", "ripgrep"], folder=place) if apt and dpkg else "rg is not on the path"
        for package in place.glob("ripgrep*.deb"):
            why = _run([dpkg or "", "-x", str(package), str(place)])
    found = shutil.which("rg") or (str(own) if own.is_file() else None)
    return Rival("ripgrep", found, "", _size(place), "" if found else why or "rg is not on the path")


def _checked(
    name: str, script: Path, probe: tuple[str, ...] | None, place: Path, why: str, version: str, path: str | None = None
) -> Rival:
    if not why and not script.exists():
        why = "it is not installed"
    if not why and probe is not None:
        why = _run([str(script), *probe], path)
    return Rival(name, None if why else str(script), version, _size(place), why)


def _size(place: Path) -> float:
    return sum(each.stat().st_size for each in place.rglob("*") if each.is_file() and not each.is_symlink()) / 1e6


def _run(command: list[str], path: str | None = None, *, folder: Path | None = None) -> str:
    """What went wrong; empty when nothing did."""
    env = {**os.environ, "PATH": path} if path else None
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=False, env=env, cwd=folder
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error).partition("\n")[0]
    said = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    return "" if done.returncode == 0 else (said[-1] if said else f"exit code {done.returncode}")[:200]
