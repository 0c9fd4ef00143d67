"""Trying out what was installed: each hook line in the shell that an assistant uses, the MCP server with a handshake.

A hook is told that `install` asks, so that nothing of it is counted, remembered or kept.
"""

import json
import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct

from memdown import programs
from memdown.acts.install.parts import NAME, Command, CursorHook, GitSection, Hook, InstallPart, Server, TomlTable
from memdown.errors import quote
from memdown.markdown import formats
from memdown.markdown.jsonc import Plain

SOURCE = "install"
"""What an event says it comes from."""
_LIMIT = 10.0
_NOT_FOUND = (127, 9009)
"""How sh and cmd say that there is no such command."""
_HANDSHAKE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": NAME, "version": "0"}},
}


class Trial(Struct, frozen=True):
    """What came of one line."""

    target: str
    what: str
    line: str
    ok: bool
    answer: str = ""
    """What the assistant will read, or the name of the server."""
    problem: str = ""
    asked: str = ""
    """The prompt that was given."""


class TrialFault(Exception):
    """A line that does not do what it should; says why."""


def trials(
    root: Path, target: str, parts: Sequence[tuple[InstallPart, str]], prompt: str, called: Command
) -> Iterator[Trial]:
    """Try the parts that run something, each with the text of its file. `prompt` is one that memory can answer.

    Of git's merge driver only the program is looked for, since there is nothing to merge.
    """
    for part, text in parts:
        if isinstance(part, Hook) and (line := part.line(text)):
            asked = prompt if part.event == "UserPromptSubmit" else ""
            yield _tried(target, part.what, line, partial(_ask, root, line, part, prompt), asked)
        elif isinstance(part, Server | TomlTable) and (words := part.words(text)):
            yield _tried(target, part.what, " ".join(words), partial(_greet, root, words))
        elif isinstance(part, GitSection) and (problem := unfound(root, called)):
            problem = f"{problem}; until then, git merges memory by line"
            yield Trial(target, part.what, f"{called.line} merge-driver", ok=False, problem=problem)


def unfound(root: Path, called: Command) -> str:
    """What to say of a command whose program is not there; nothing where it is. Nothing is run."""
    program = called.words[0]
    if programs.find(program if Path(program).name == program else str(root / program)):
        return ""
    return f"{program} was not found; {programs.hint(program)}"


def limited(called: Command) -> str:
    """What to say of a command that is not found everywhere; nothing of others."""
    if not (active := programs.active_environment(called.words[0])):
        return ""
    return (
        f"{called.words[0]} is found only where the virtual environment {quote(active)} is active; "
        "start the assistant there, or give --command the path of the program"
    )


def _tried(target: str, what: str, line: str, answer: Callable[[], str], asked: str = "") -> Trial:
    try:
        return Trial(target, what, line, ok=True, answer=answer(), asked=asked)
    except TrialFault as error:
        return Trial(target, what, line, ok=False, problem=str(error), asked=asked)


def _ask(root: Path, line: str, hook: Hook, prompt: str) -> str:
    """What an assistant reads of a hook's answer."""
    event = {
        "session_id": SOURCE,
        "cwd": str(root),
        "hook_event_name": hook.event,
        "source": SOURCE,
        "prompt": prompt,
        "workspace_roots": [str(root)],
    }
    said = _run(root, line, event).strip()
    if not said:
        return ""
    answer = _json(said)
    where = ("additional_context",) if isinstance(hook, CursorHook) else ("hookSpecificOutput", "additionalContext")
    return formats.word(answer, *where)


def _greet(root: Path, words: Sequence[str]) -> str:
    """The name that a server gives itself."""
    if problem := unfound(root, Command(tuple(words))):  # Windows would look on the whole PATH
        raise TrialFault(problem)
    first = _run(root, words, _HANDSHAKE).partition("\n")[0]
    answer = _json(first)
    found = [formats.word(answer, "result", "serverInfo", key) for key in ("name", "version")]
    if not found[0]:
        raise TrialFault("it answers, but not as an MCP server")
    return " ".join(filter(None, found))


def _run(root: Path, command: str | Sequence[str], given: object) -> str:
    """What a command says: a line goes through the shell, as an assistant does it, words do not."""
    try:
        done = subprocess.run(
            command,
            cwd=root,
            env={
                **os.environ,
                "PATH": programs.lasting_path(),
                "NoDefaultCurrentDirectoryInExePath": "1",  # cmd would look in the project first
            },
            input=json.dumps(given) + "\n",
            shell=isinstance(command, str),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_LIMIT,
            check=False,
        )
    except FileNotFoundError:
        raise TrialFault(f"{command[0]} was not found; {programs.hint(command[0])}") from None
    except subprocess.TimeoutExpired:
        raise TrialFault(f"it did not answer within {_LIMIT:.0f} seconds") from None
    except OSError as error:
        raise TrialFault(f"it cannot be started: {error.strerror}") from None
    complaint = " ".join(done.stderr.split())[-200:]
    if done.returncode in _NOT_FOUND:
        raise TrialFault(f"the shell does not find it; {programs.hint(str(command).split()[0])}")
    if done.returncode or (complaint and not done.stdout):
        raise TrialFault(complaint or f"it ended with exit code {done.returncode}")
    return done.stdout


def _json(text: str) -> Plain:
    try:
        value: Plain = json.loads(text)
    except ValueError:
        raise TrialFault(f"its answer is not JSON: {text[:80]!r}") from None
    return value
