"""Examples in the docs are run: each `console` block is a story in a project of its own, each section of the README one.

A line `$ memdown ...` is typed; what follows is what it prints. `...` stands for any text. `$ cat FILE` shows a file
and `$ cat > FILE << END` writes one. `$ git ...` is run, with all there is committed by Ann on one day.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import forks
from samples import in_process, put

HERE = Path(__file__).parents[1]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
SECTIONS = re.split(r"^## ", (HERE / "README.md").read_text("utf-8"), flags=re.M)
STORIES = [
    *(
        pytest.param(story, id=f"README.md-{section.partition(chr(10))[0]}")
        for section in SECTIONS
        if (story := "".join(BLOCK.findall(section)))
    ),
    *(
        pytest.param(block, id=f"{page.relative_to(HERE)}-{number}")
        for page in sorted((HERE / "docs").rglob("*.md"))
        for number, block in enumerate(BLOCK.findall(page.read_text("utf-8")))
    ),
]
SNIPPETS = [
    pytest.param(block, id=page.name)
    for page in [HERE / "README.md", *sorted((HERE / "docs").glob("*.md"))]
    for block in re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)
]


GIT = os.environ | {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Ann"), ("EMAIL", "ann@example.com"), ("DATE", "2026-01-20T12:00:00Z"))
}
"""Who commits in an example, and when."""


def steps(story: str) -> list[tuple[str, str]]:
    """Commands and what they print."""
    found: list[tuple[str, list[str]]] = []
    for line in story.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:].rstrip("\n"), []))
        elif found:
            found[-1][1].append(line)
    return [(command, "".join(lines)) for command, lines in found]


def run(command: str, printed: str, project: Path) -> str:
    """What a command prints; a file it writes is taken from the lines below it."""
    here = re.fullmatch(r"cat > (\S+) << END", command)
    if here:
        put(project, here[1], printed.removesuffix("END\n"))
        return printed
    name, *args = shlex.split(command)
    if name == "cat":
        return (project / args[0]).read_text("utf-8")
    if name == "git":
        done = subprocess.run([name, *args], cwd=project, env=GIT, capture_output=True, text=True, check=True)
        return done.stdout
    assert name == "memdown"
    done = in_process(project, *args)
    return done.stdout + done.stderr


def pattern(expected: str) -> str:
    return re.escape(expected).replace(re.escape("..."), r"[\s\S]*?")


@pytest.mark.parametrize("story", STORIES)
def test_examples_in_docs_are_true(story: str, tmp_path: Path) -> None:
    for command, expected in steps(story):
        printed = run(command, expected, tmp_path)
        assert re.fullmatch(pattern(expected), printed), f"$ {command}\n{printed}"


@pytest.mark.parametrize("code", SNIPPETS)
def test_python_in_docs_runs(code: str, tmp_path: Path) -> None:
    done = forks.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_there_are_examples() -> None:
    assert len(STORIES) >= 3
    assert len(SNIPPETS) >= 2
