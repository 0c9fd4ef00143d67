"""Rules files of coding assistants: which there are, and which of them apply to a file in a mode.

The order says who wins: rules of the mode, then rules for some paths, then those of the folder nearest to the file,
then those of the whole project, and last those an assistant may ask for.
"""

import fnmatch
from collections.abc import Iterator

from msgspec import Struct

from memdown.dialects.bank import grammar
from memdown.errors import Invalid, quote
from memdown.markdown import frontmatter
from memdown.markdown.formats import items, read_json, read_yaml, word
from memdown.markdown.frontmatter import FrontMatter, FrontMatterValue
from memdown.patterns import lazy
from memdown.store.tree import Tree

MOST_PATTERNS = 100
LONGEST_PATTERN = 300

_PROJECT = (
    *(".clinerules", ".roorules", ".roo/rules", ".cursorrules", ".cursor/rules", ".windsurfrules"),
    *(".windsurf/rules", ".github/copilot-instructions.md", ".github/instructions"),
)
"""Files, or folders of files, in the order of precedence; those of folders come after these."""
_OF_FOLDERS = ("AGENTS.md", "CLAUDE.md")
_MODE_FILE = lazy(r"\.(?:clinerules|roorules)-([\w-]+)")
_MODE_FOLDER = lazy(r"rules-([\w-]+)")
_MODE_NAME = lazy(r"[\w-]{1,60}")
_SUFFIXES = (".md", ".mdc", ".txt")
_SCOPING = ("paths", "globs", "applyTo")
_RANKS = {"mode": 0, "paths": 1, "folder": 2, "project": 3, "request": 4}
_BRACES = lazy(r"\{([^{}]*)\}")


class RuleFile(Struct, frozen=True):
    """One set of rules."""

    source: str
    """The file it is from, relative to the root."""
    scope: str
    """project, `mode:NAME`, `paths:PATTERNS`, `folder:NAME`, or `request:WHEN`."""
    text: str


Scoped = tuple[RuleFile, list[str]]
"""Rules with the patterns of paths they are for."""


def applying(tree: Tree, path: str | None = None, mode: str | None = None) -> list[RuleFile]:
    """The rules for a file in a mode, those that win first. Without a file or a mode, those of all of them."""
    if mode is not None and not _MODE_NAME.fullmatch(mode):
        raise Invalid(f"{quote(mode)} is no name of a mode; modes have letters, digits and hyphens")
    found = [rule for rule, patterns in _all(tree, path) if _applies(rule, patterns, path, mode)]
    # Sorting keeps the order of the table among rules of one kind.
    return sorted(found, key=lambda rule: _RANKS[rule.scope.partition(":")[0]])


def _all(tree: Tree, path: str | None) -> Iterator[Scoped]:
    yield from _of_modes(tree)
    for source in _PROJECT:
        for name in _files(tree, source):
            yield from _rule(tree, name, "project")
    for folder in _upwards(path):
        for file in _OF_FOLDERS:
            name = f"{folder}/{file}" if folder else file
            yield from _rule(tree, name, f"folder:{folder}" if folder else "project")


def _files(tree: Tree, source: str) -> list[str]:
    """The file of this name, or those in the folder of it. A memory bank kept there is no rule."""
    if not (tree.root / source).is_dir():
        return [source]
    return [name for name in tree.below(source) if name.endswith(_SUFFIXES) and not grammar.in_bank(name)]


def _upwards(path: str | None) -> Iterator[str]:
    """The folders a file is in, the nearest first, down to the root."""
    folder = (path or "").rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


def _of_modes(tree: Tree) -> Iterator[Scoped]:
    for name in sorted(each.name for each in tree.root.iterdir()):
        match = _MODE_FILE.fullmatch(name)
        for file in _files(tree, name) if match else ():
            yield from _rule(tree, file, f"mode:{match[1]}" if match else "")
    roo = tree.root / ".roo"
    for name in sorted(each.name for each in roo.iterdir()) if roo.is_dir() else ():
        match = _MODE_FOLDER.fullmatch(name)
        for file in _files(tree, f".roo/{name}") if match else ():
            yield from _rule(tree, file, f"mode:{match[1]}" if match else "")
    yield from _custom_modes(tree)


def _custom_modes(tree: Tree) -> Iterator[Scoped]:
    """`.roomodes`: modes a project defines, as JSON or YAML."""
    name = ".roomodes"
    text = tree.text(name)
    if text is None:
        return
    data = tree.data(name, read_json if text.lstrip().startswith("{") else read_yaml)
    for mode in items(data, "customModes"):
        slug = word(mode, "slug")
        instructions = "\n\n".join(filter(None, (word(mode, "roleDefinition"), word(mode, "customInstructions"))))
        if instructions and _MODE_NAME.fullmatch(slug):
            yield RuleFile(name, f"mode:{slug}", instructions), []


def _rule(tree: Tree, name: str, scope: str) -> Iterator[Scoped]:
    text = tree.text(name)
    if text is None:
        return
    blocks, body = _front(text)
    patterns = [pattern for block in blocks for key in _SCOPING for pattern in _patterns(block, key)]
    if body.strip():
        # Rules of a mode or of a folder stay with it; the rest may be narrowed by what the file says.
        own = _scope(blocks, patterns) if scope == "project" else scope
        yield RuleFile(name, own, body.strip("\n")), patterns


def _front(text: str) -> tuple[list[FrontMatter], str]:
    """The front matter, of which real files sometimes have two blocks, and the text after it."""
    blocks: list[FrontMatter] = []
    body = text
    while len(blocks) < 2 and (front := frontmatter.read(body)) is not None:
        blocks.append(front)
        body = body[front.body :].lstrip("\r\n")
    return blocks, body


def _scope(blocks: list[FrontMatter], patterns: list[str]) -> str:
    always = any((entry := block.get("alwaysApply")) and entry.value.text == "true" for block in blocks)
    if always:
        return "project"
    if patterns:
        return f"paths:{','.join(patterns)}"
    wanted = next((entry.value.text for block in blocks if (entry := block.get("description"))), None)
    # Cursor takes a rule that says so only when its description fits, or somebody names it.
    on_request = any(block.get("alwaysApply") for block in blocks)
    return f"request:{' '.join((wanted or 'by name').split())}" if on_request else "project"


def _patterns(block: FrontMatter, key: str) -> list[str]:
    entry = block.get(key)
    return list(_texts(entry.value))[:MOST_PATTERNS] if entry else []


def _texts(value: FrontMatterValue) -> Iterator[str]:
    if value.text is None:
        for item in value.items:
            yield from _texts(item)
        return
    for part in _between_commas(value.text):
        stripped = part.strip().strip("\"'[]").strip()
        if stripped and len(stripped) <= LONGEST_PATTERN:
            yield stripped


def _between_commas(text: str) -> list[str]:
    """The parts of a list; a comma between braces is part of a pattern."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += {"{": 1, "}": -1}.get(char, 0)
        if char == "," and depth <= 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


def _applies(rule: RuleFile, patterns: list[str], path: str | None, mode: str | None) -> bool:
    kind, _, rest = rule.scope.partition(":")
    if kind == "mode":
        return (mode is None or rest == mode) and (path is None or not patterns or matches(path, patterns))
    return kind != "paths" or path is None or matches(path, patterns)


def matches(path: str, patterns: list[str]) -> bool:
    """Whether a path fits one of the patterns, and none that begins with `!`."""
    wanted = [each for each in patterns if not each.startswith("!")] or ["**"]
    refused = [each[1:] for each in patterns if each.startswith("!")]
    return any(_fits(path, each) for each in wanted) and not any(_fits(path, each) for each in refused)


def _fits(path: str, pattern: str) -> bool:
    parts = path.split("/")
    for each in _expanded(pattern.removeprefix("./").removeprefix("/")):
        whole = f"{each}**" if each.endswith("/") else each
        glob = whole.split("/") if "/" in whole else ["**", whole]
        if _fits_parts(parts, glob):
            return True
    return False


def _expanded(pattern: str) -> list[str]:
    """The patterns that braces stand for, a bounded number of them."""
    found = [pattern]
    while len(found) < MOST_PATTERNS and (match := _BRACES.search(found[0])):
        head, tail = found[0][: match.start()], found[0][match.end() :]
        found = found[1:] + [f"{head}{each}{tail}" for each in match[1].split(",")]
    return found


def _fits_parts(parts: list[str], glob: list[str]) -> bool:
    """`**` is any number of folders; what is reached so far is kept, so that no pattern takes long."""
    reached = {0}
    for number, piece in enumerate(glob):
        if piece == "**":
            last = number == len(glob) - 1
            start = min(reached, default=len(parts) + 1)
            reached = {len(parts)} if last and start < len(parts) else set(range(start, len(parts)))
        else:
            reached = {at + 1 for at in reached if at < len(parts) and fnmatch.fnmatchcase(parts[at], piece)}
    return len(parts) in reached
