"""The table of everything that `memdown install` writes: which assistant, which file, what in it.

A new assistant or another file is a line here, and in `homes.SETTINGS` the name of the file.
"""

from msgspec import Struct

from memdown.acts.install.parts import GitSection, Hook, InstallPart, MarkedLines, Page, Script, Server, TomlTable
from memdown.homes import HOMES

EVENTS = ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd")
"""Events of Claude Code that memdown answers."""

RULES = """\
# Memory of this project

This project keeps what is known about it as Markdown in the repository; the MCP server `memdown` reads and writes it.

- Before work, search the memory for what the task is about, and follow the decisions it holds.
- After work, write down what was decided or learned, in a sentence or two, with the reason.
- Change one entry or one section at a time; never write a memory file anew as a whole.
- Put no passwords, keys or tokens into memory.
- `memdown check` tells what is wrong with the files."""

DRIVER = "merge-driver"
PRE_COMMIT, CONFIG = "hooks/pre-commit", "config"
"""The two files in git's own folder."""

_HOMES = dict.fromkeys(home for homes in HOMES.values() for home in homes)

_CHECK = """\
if command -v {program} >/dev/null 2>&1; then
  {command} check --changed --quiet || { {command} check --changed; exit 1; }
fi"""


class Target(Struct, frozen=True):
    """An assistant, or git."""

    title: str
    signs: tuple[str, ...]
    """Files and folders that show that a project uses it."""
    parts: tuple[InstallPart, ...]
    in_git: tuple[InstallPart, ...] = ()
    """Parts that stand in git's own folder, beside the files of the project."""


def _server(file: str, *, under: str = "mcpServers", typed: bool = False, arguments: tuple[str, ...] = ()) -> Server:
    return Server(file=file, needs="mcp", what="MCP server", under=under, typed=typed, arguments=arguments)


def _rules(file: str, *, head: str = "", instead: str = "") -> Page:
    return Page(file=file, needs="mcp", what="rules for the assistant", head=head, body=RULES, instead=instead)


TARGETS = {
    "claude": Target(
        "Claude Code",
        (".claude", ".mcp.json", "CLAUDE.md"),
        (
            *(Hook(file=".claude/settings.json", needs="hook", what=f"{each} hook", event=each) for each in EVENTS),
            _server(".mcp.json"),
        ),
    ),
    "cursor": Target(
        "Cursor",
        (".cursor", ".cursorrules"),
        (
            _server(".cursor/mcp.json"),
            _rules(
                ".cursor/rules/memdown.mdc",
                head="---\ndescription: How to use the memory of this project\nalwaysApply: true\n---\n\n",
            ),
        ),
    ),
    "cline": Target(
        "Cline and Roo Code",
        (".clinerules", ".cline", ".roo", ".roorules"),
        (_server(".roo/mcp.json"), _rules(".clinerules/memdown.md", instead=".clinerules")),
    ),
    "vscode": Target(
        "VS Code",
        (".vscode", ".github/copilot-instructions.md", ".github/instructions"),
        (
            _server(".vscode/mcp.json", under="servers", typed=True),
            _rules(".github/instructions/memdown.instructions.md", head='---\napplyTo: "**"\n---\n\n'),
        ),
    ),
    "codex": Target(
        "Codex",
        (".codex",),
        (TomlTable(file=".codex/config.toml", needs="mcp", what="MCP server"),),
    ),
    "git": Target(
        "git",
        (".git",),
        (
            MarkedLines(
                file=".gitattributes",
                needs=DRIVER,
                what="merge driver for memory",
                body="\n".join(f"{home}/**/*.md merge=memdown" for home in _HOMES),
            ),
        ),
        (
            Script(file=PRE_COMMIT, needs="check", what="check before each commit", body=_CHECK),
            GitSection(
                file=CONFIG,
                needs=DRIVER,
                what="merge driver for memory",
                driver="{command} merge-driver %O %A %B %P",
            ),
        ),
    ),
}
