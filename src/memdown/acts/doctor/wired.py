"""Checks of what is wired to memdown: commands in the settings of assistants, and what git was told.

Settings come with a repository, which may be anybody's. So a command is tried only when it is plainly memdown,
installed outside the project: without a shell, in an empty folder. All others are named and left alone.
"""

import os
import shlex
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from memdown import git, homes, programs
from memdown.acts.doctor.calls import answer
from memdown.acts.doctor.symptoms import FAIL, OK, WARN, Patient, Symptom, listed
from memdown.dialects import DIALECTS
from memdown.errors import MemdownError
from memdown.homes import SETTINGS
from memdown.index.sqlite import NAME
from memdown.markdown import formats, jsonc
from memdown.markdown.jsonc import Plain
from memdown.store.jail import STATE
from memdown.store.outside import read_any
from memdown.store.state import make_state_folder

_FILES = (*sorted(name for name in SETTINGS if name.endswith((".json", ".toml"))), ".claude/settings.local.json")
_SHELL = frozenset("|&;<>()$`\n*?!#~")
"""Characters that mean something to a shell: such a line is more than a call of memdown."""
_GIVEN = {"hook": '{"cwd": "{folder}"}'}
_ATTRIBUTE = "memdown"
_DRIVER, _DRIVER_SETTING = "merge-driver", "merge.memdown.driver"
_STATES = 10
"""Of how many fetches the state of a branch is compared."""


def hooks(patient: Patient) -> Iterator[Symptom]:
    """Whether the commands of memdown in the settings of assistants run."""
    root = patient.project.root
    tried: dict[tuple[str, ...], str | None] = {}
    places: dict[str | None, list[str]] = {}
    for name in _FILES:
        if not (root / name).is_file():
            continue
        try:
            calls = list(_calls(_read(root / name)))
        except (MemdownError, jsonc.BrokenJson, formats.Unread) as error:
            yield Symptom(WARN, f"{name} cannot be read: {error}", "fix the file; its hooks and servers do not start")
            continue
        for words in calls:
            if words not in tried:
                tried[words] = _fault_of(patient, words)
            places.setdefault(tried[words], []).append(f"`{' '.join(words)}` in {name}")
    untried = places.pop(None, [])
    well = places.pop("", [])
    for fault, found in places.items():
        yield Symptom(
            FAIL, f"{fault}: {listed(found)}", "install memdown for this user, or `memdown install --command`"
        )
    if untried:
        yield Symptom(OK, f"not tested, as it is not what `memdown install` writes: {listed(untried)}")
    yield Symptom(OK, f"commands of assistants that run: {len(well):,}" if well else "none installed here")


def _read(path: Path) -> Plain:
    text = read_any(path)
    return formats.read_toml(text) if path.suffix == ".toml" else jsonc.plain(text, jsonc.scan(text))


def _calls(value: Plain) -> Iterator[tuple[str, ...]]:
    """The commands in settings that name memdown, as words."""
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            called = formats.word(each, "command")
            words = [called, *formats.words(each, "args")] if "args" in each else _words(called)
            if any(_is_us(word) for word in words):
                yield tuple(words)
        pending += each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()


def _words(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True)
    lexer.whitespace_split, lexer.escape, lexer.commenters = True, "", ""
    try:
        return list(lexer)
    except ValueError:  # a quote that is not closed
        return line.split()


def _is_us(word: str) -> bool:
    return word.replace("\\", "/").rpartition("/")[2].lower() in ("memdown", "memdown.exe")


def _fault_of(patient: Patient, words: Sequence[str]) -> str | None:
    """What is wrong with a command; empty when it runs, None when it was not tried."""
    at = next(number for number, word in enumerate(words) if _is_us(word))
    is_python = at == 2 and words[1] == "-m" and Path(words[0]).name.lower().startswith("python")
    if _SHELL.intersection("".join(words)) or not (at == 0 or is_python):
        return None
    command, *rest = words[at + 1 :] or [""]
    if command and command not in patient.able:
        return f"this memdown has no command {command}"
    # Others may do anything; these two end with their input, and what they do is done in an empty folder.
    if not (command == "hook" and len(rest) == 1) and not (command == "mcp" and "--http" not in rest):
        return None
    is_named = Path(words[0]).name == words[0]
    program = programs.find(words[0] if is_named else str(patient.project.root / words[0]))
    if program is None:
        return f"{words[0]} is not {'on the PATH' if is_named else 'there'}"
    if not is_named and Path(program).is_relative_to(patient.project.root):
        return None
    called = answer([program, *words[1:]], _GIVEN.get(command, ""))
    return called.fault if command == "hook" or called.code else ""


def git_settings(patient: Patient) -> Iterator[Symptom]:
    """Whether git leaves our state alone, and has the merge driver that attributes name."""
    root = patient.project.root
    if not git.is_repository(root):
        if homes.working_tree(str(root)):
            yield Symptom(WARN, "git does not answer in this repository", "install git, or see what `git status` says")
        else:
            yield Symptom(OK, "no repository here")
        return
    yield from _driver(patient, root)
    yield from _upstream(patient, root)
    hook = (git.hooks_folder(root) or root) / "pre-commit"
    if hook.is_file() and b"memdown install: begin" in hook.read_bytes() and not os.access(hook, os.X_OK):
        yield Symptom(WARN, "the pre-commit hook is not executable, so git ignores it", f"chmod +x {hook}")
    if patient.state.is_dir():
        tracked = git.output(root, "ls-files", "-z", "--", STATE).split("\0")[:-1]
        if tracked:
            yield Symptom(WARN, f"git tracks {listed(tracked)}", f"git rm -r --cached {STATE}")
        elif not _is_ignored(root):
            do = f"add {STATE}/ to .gitignore, or run `memdown doctor --fix`"
            yield Symptom(WARN, f"git does not ignore {STATE}", do, partial(_ignore, root))
    wired = git.output(root, "config", "--get", _DRIVER_SETTING).strip()
    plain = "" if wired else "; memory is merged as plain text until you run `memdown install git`"
    yield Symptom(OK, f"a repository{plain}")


def _driver(patient: Patient, root: Path) -> Iterator[Symptom]:
    names = [f"{home}/a.md" for dialect in DIALECTS for home in patient.project.config.homes(dialect)]
    named = git.output(root, "check-attr", "-z", "merge", "--", *names).split("\0")[2::3]
    driver = git.output(root, "config", "--get", _DRIVER_SETTING).strip()
    program = next((word for word in _words(driver) if "=" not in word), "")  # settings come first
    driver = driver.partition(" ||")[0]
    if driver and programs.find(program) is None:
        what = f"the merge driver calls `{driver}`, and {program} is not on the PATH, so git merges memory by line"
        do = "install memdown for this user, name it by `memdown install git --command PATH`"
        yield Symptom(FAIL, what, f"{do}, or `git config --remove-section merge.memdown`")
    elif driver and _DRIVER not in patient.able:
        yield Symptom(FAIL, f"the merge driver calls `{driver}`, which this memdown does not have", "update memdown")
    elif _ATTRIBUTE in named and not driver:
        what = "git attributes name the merge driver memdown, which is not configured: memory is merged as plain text"
        if programs.find("memdown") is None:  # set up, it would call what is not there, and that is worse
            do = "install memdown for this user, or name it by `memdown install git --command PATH`"
            yield Symptom(WARN, what, do)
        elif _DRIVER in patient.able:
            yield Symptom(WARN, what, "`memdown install git`, or `memdown doctor --fix`", patient.configure_driver)
        else:
            yield Symptom(WARN, what, "update memdown, or remove merge=memdown from .gitattributes")


def _upstream(patient: Patient, root: Path) -> Iterator[Symptom]:
    """Whether most memory is gone from the branch that is pulled from, as when somebody pushed another history."""
    name = git.output(root, "rev-parse", "--abbrev-ref", "@{upstream}").strip()
    homes_here = patient.homes()
    if not name or not homes_here:
        return
    states = git.output(root, "log", "--walk-reflogs", f"--max-count={_STATES}", "--format=%H", name).split()
    files = {each: _files(root, each, homes_here) for each in dict.fromkeys(states)}
    fullest = max(files, key=lambda each: len(files[each]), default="")
    there = files[states[0]] if states else set()
    gone = (files.get(fullest, set()) & _files(root, "HEAD", homes_here)) - there
    if 2 * len(gone) > len(files.get(fullest, ())):
        what = f"{name} has lost {len(gone)} of {len(files[fullest])} memory files, which are still here"
        do = f"look before you pull or reset: `memdown diff {fullest[:9]} {name}`"
        yield Symptom(WARN, what, do)


def _files(root: Path, commit: str, folders: list[str]) -> set[str]:
    found = git.output(root, "ls-tree", "-r", "-z", "--name-only", commit, "--", *folders).split("\0")
    return {each for each in found if each.endswith(".md")}


def _is_ignored(root: Path) -> bool:
    return bool(git.ignored(root, [f"{STATE}/{NAME}"]))


def _ignore(root: Path) -> None:
    """Have git ignore our folder: by the file in it, or else by the repository's own list."""
    make_state_folder(str(root))
    if not _is_ignored(root):
        exclude = root / git.output(root, "rev-parse", "--git-path", "info/exclude").strip()
        exclude.parent.mkdir(exist_ok=True)
        with exclude.open("ab") as file:
            file.write(f"\n{STATE}/\n".encode())
