"""Runs the tests on every Python of this machine, and as an ordinary user when an administrator starts it.

`./test --all-pythons [--short] [pytest arguments]`: the whole suite on each; with `--short` the whole on one, and a
sample of every file on the others, as one user. Each Python has an environment of its own beside .venv, made once.
"""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parents[1]
OLDEST = (3, 11)
SAMPLE = ("--sample", "120", "--assert", "plain", "-n", "0")
"""Without the rewriting of asserts, which takes longer than these tests."""
TESTS_ONLY = ("--tests-only",)
NOBODY = 65534
"""The user that every system has and that owns nothing."""

MANAGERS = (
    "${PYENV_ROOT}/versions/*/bin/python",
    "~/.pyenv/versions/*/bin/python",
    "~/.asdf/installs/python/*/bin/python",
    "~/.local/share/mise/installs/python/*/bin/python",
    "~/.local/share/uv/python/*/bin/python3",
    "~/.local/share/hatch/pythons/*/python/bin/python3",
    "~/.rye/py/*/bin/python3",
)
"""Where version managers keep interpreters."""


class Python(NamedTuple):
    """An interpreter."""

    version: tuple[int, int, int]
    path: str

    @property
    def name(self) -> str:
        return ".".join(map(str, self.version))


class Run(NamedTuple):
    """One run of the tests and how it ended."""

    python: Python
    user: str
    code: int
    summary: str


def pythons() -> list[Python]:
    """Every interpreter that memdown runs on, one for each version, the newest last."""
    found: dict[tuple[int, int, int], str] = {}
    for candidate in _candidates():
        python = _asked(candidate)
        if python and python.version >= (*OLDEST, 0):
            found.setdefault(python.version, python.path)
    return [Python(version, found[version]) for version in sorted(found)]


def _candidates() -> Iterator[str]:
    yield from filter(None, [os.environ.get("PYTHON")])
    folders = [*os.get_exec_path(), "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
    for folder in dict.fromkeys(folders):
        try:
            names = sorted(os.listdir(folder))  # noqa: PTH208 - names alone are looked at
        except OSError:
            continue  # a folder of somebody else's on the path
        for name in names:
            if re.fullmatch(r"python3(\.\d+)?", name) and "/.venv" not in folder:
                yield str(Path(folder, name))
    for pattern in MANAGERS:
        expanded = os.path.expandvars(Path(pattern).expanduser())
        if expanded.startswith("/"):
            yield from sorted(glob.glob(expanded))  # noqa: PTH207 - passes over what may not be read


def _asked(path: str) -> Python | None:
    """What an interpreter says of itself; None for what is none, or no release."""
    question = "import sys; v = sys.version_info; print(*v[:3], sys.executable) if v.releaselevel == 'final' else None"
    try:
        done = subprocess.run([path, "-I", "-c", question], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    words = done.stdout.rstrip("\n").split(" ", 3)
    return Python((int(words[0]), int(words[1]), int(words[2])), words[3]) if len(words) == 4 else None


def run(python: Python, arguments: Sequence[str]) -> Run:
    """Run ./test with this interpreter, in an environment of its own; that of this process is made already."""
    mine = sys.version_info[:3] == python.version
    settings = {"PYTHON": python.path, "MEMDOWN_VENV": Path(sys.prefix).name if mine else f".venv-{python.name}"}
    print(f"== Python {python.name} ({python.path})", flush=True)
    return Run(python, "yourself", *_tested(HERE, arguments, {**os.environ, **settings}))


def run_as_ordinary_user(python: Python, arguments: Sequence[str]) -> Run:
    """Run ./test on a copy of this checkout that belongs to a user without rights."""
    print(f"== Python {python.name} ({python.path}) as an ordinary user", flush=True)
    with tempfile.TemporaryDirectory(prefix="memdown-user-") as folder:
        home = Path(folder)
        copy = home / "checkout"
        _copy(copy)
        for path in (home, *home.rglob("*")):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        corpus = os.environ.get("MEMDOWN_CORPUS", str(HERE.parent / "shared" / "corpus"))
        settings = {"PYTHON": python.path, "HOME": folder, "MEMDOWN_CORPUS": corpus, "TMPDIR": folder}
        return Run(python, "ordinary", *_tested(copy, arguments, {**os.environ, **settings}, NOBODY))


def _copy(target: Path) -> None:
    """The files of this checkout that git knows or would take, and its history, which some tests ask for."""
    clone = ["git", "clone", "--quiet", "--no-hardlinks", "--config", "core.fileMode=true", str(HERE), str(target)]
    subprocess.run(clone, check=True)
    listed = subprocess.run(
        ["git", "-C", str(HERE), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=True,
    )
    for name in filter(None, os.fsdecode(listed.stdout).split("\0")):
        if (HERE / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(HERE / name, target / name)
        else:
            (target / name).unlink(missing_ok=True)


def _tested(folder: Path, arguments: Sequence[str], env: Mapping[str, str], user: int | None = None) -> tuple[int, str]:
    """The exit code of ./test and its last line. What it says passes through; for one of several, at its end."""
    last, kept = "nothing was said", list[bytes]()
    alone = threading.current_thread() is threading.main_thread()
    with subprocess.Popen(
        ["./test", *arguments],
        cwd=folder,
        env=env,
        user=user,
        group=user,
        extra_groups=None if user is None else [],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="surrogateescape",
    ) as process:
        assert process.stdout
        for line in process.stdout:
            kept.append(line.encode("utf-8", "surrogateescape"))
            if alone:
                sys.stdout.buffer.write(kept.pop())
                sys.stdout.buffer.flush()
            last = line.strip(" =\n") or last
    sys.stdout.buffer.write(b"".join(kept))
    sys.stdout.buffer.flush()
    return process.returncode, last


def _may_run(python: Python, user: int) -> bool:
    try:
        return subprocess.run([python.path, "-I", "-c", "pass"], user=user, group=user, check=False).returncode == 0
    except OSError:
        return False


def main() -> int:
    parser = argparse.ArgumentParser(prog="./test --all-pythons", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--short", action="store_true", help="the whole suite on one Python, a sample on the others")
    options, arguments = parser.parse_known_args()
    found = pythons()
    sample = SAMPLE if options.short else ()
    default = _asked(os.environ.get("PYTHON", "python3")) or found[-1]
    others = [*TESTS_ONLY, *sample, *arguments]
    runs = [run(default, arguments)]
    usable: list[Python] = []
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        usable = [python for python in found if _may_run(python, NOBODY)]
        for python in found:
            if python not in usable:
                print(f"An ordinary user cannot run {python.path}: it is tried as administrator only.")
    tried = [default, *(usable if options.short else ())]
    due = [partial(run, python, others) for python in found if python.version not in {each.version for each in tried}]
    due += [partial(run_as_ordinary_user, python, others) for python in usable]
    # A sample needs one process each, and often waits: for packages, for a server, for a browser.
    with ThreadPoolExecutor((os.cpu_count() or 1) + 1 if options.short else 1) as waiting:
        runs += waiting.map(lambda each: each(), due)
    width = max(len(each.python.path) for each in runs)
    for each in runs:
        state = "passed" if each.code == 0 else "FAILED"
        print(f"{state}  {each.python.name:<8} {each.user:<9} {each.python.path:<{width}}  {each.summary}")
    print(f"{sum(each.code == 0 for each in runs)} passed, {sum(each.code != 0 for each in runs)} failed")
    return max(each.code for each in runs)


if __name__ == "__main__":
    sys.exit(main())
