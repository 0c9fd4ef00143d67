"""The table of everything that `memdown install` writes: which assistant, which file, what in it.

A new assistant or another file is a line here, and in `homes.SETTINGS` the name of the file.
"""

from msgspec import Struct

from memdown.acts.install import markers
from memdown.acts.install.parts import (
    RULES,
    CursorHook,
    GitSection,
    Hook,
    InstallPart,
    MarkedLines,
    Page,
    Script,
    Server,
    TomlTable,
)
from memdown.homes import HOMES

SPEAKING = ("SessionStart", "UserPromptSubmit")
"""Events whose answer an assistant reads."""
EVENTS = (*SPEAKING, "Stop", "PreCompact", "SessionEnd")
"""Events of Claude Code that memdown answers."""

DRIVER = "merge-driver"
PRE_COMMIT, CONFIG = "hooks/pre-commit", "config"
"""The two files in git's own folder."""

_HOMES = dict.fromkeys(home for homes in HOMES.values() for home in homes)

_CHECK = """\
if command -v {program} >/dev/null 2>&1; then
  {command} check --changed --quiet || { {command} check --changed; exit 1; }
fi"""

_DIFF = 'f() { {command} diff-driver "$1" 2>/dev/null || cat "$1"; }; f'
"""What cannot be read as memory, or where memdown is not, is compared as ever."""

_MERGE = (
    "MEMDOWN_KEPT=3 {command} merge-driver %O %A %B %L %P || { test $? = 3 && { test ! -t 2; exit; };"
    " echo 'memdown is not on the PATH or failed, so git merged a memory file by line;"
    " install memdown, then run memdown resolve' >&2; git merge-file --marker-size=%L %A %O %B; }"
)
"""Where nobody is at the terminal, a merge that kept something from both sides goes on; else git stops there.

In a clone without memdown, or with one that fails, git merges as ever and says so: a driver that is not found would
keep ours alone. Only the driver itself exits with the number it was given; 1 is what Python exits with when it fails.
"""


class Target(Struct, frozen=True):
    """An assistant, or git."""

    title: str
    signs: tuple[str, ...]
    """Files and folders that show that a project uses it."""
    parts: tuple[InstallPart, ...]
    in_git: tuple[InstallPart, ...] = ()
    """Parts that stand in git's own folder, beside the files of the project."""
    after: str = ""
    """What a person still has to do, or to know."""

    @property
    def keeps(self) -> bool:
        """Whether its hooks keep messages."""
        return any(isinstance(part, Hook) and part.event == "Stop" for part in self.parts)


_RULES = "rules for the assistant"


def _server(file: str, *, under: str = "mcpServers", typed: bool = False, arguments: tuple[str, ...] = ()) -> Server:
    return Server(file=file, needs="mcp", what="MCP server", under=under, typed=typed, arguments=arguments)


def _rules(file: str, *, head: str = "", instead: str = "") -> Page:
    return Page(file=file, needs="mcp", what=_RULES, head=head, instead=instead)


def _hooks(file: str, events: tuple[str, ...]) -> tuple[Hook, ...]:
    return tuple(Hook(file=file, needs="hook", what=f"{each} hook", event=each) for each in events)


_TOOL_HOOKS = tuple(
    Hook(
        file=".claude/settings.json",
        needs="hook",
        what=f"{event} hook for {called}",
        event=event,
        matcher=matcher,
        formerly=formerly,
        only=only,
        offer="touched",
    )
    for event, called, matcher, formerly, only in (
        ("PreToolUse", "Read", "Read", "", ""),
        # Before every other command no process is started; assistants that do not know `if` start one.
        ("PreToolUse", "git", "Bash", "", "Bash(git *)"),
        ("PostToolUse", "edits", "Write|Edit|MultiEdit", "Read|Write|Edit|MultiEdit", ""),
    )
)
"""Hooks that an assistant calls around its own tools, for memory that has a form to keep."""


ALIASES = {"copilot": "vscode", "claude-code": "claude", "roo-code": "roo", "kilocode": "kilo"}
"""Other words for a target."""
TARGETS = {
    "claude": Target(
        "Claude Code",
        (".claude", ".mcp.json", "CLAUDE.md"),
        (
            *_hooks(".claude/settings.json", EVENTS),
            *_TOOL_HOOKS,
            _server(".mcp.json"),
            _rules(".claude/rules/memdown.md"),
        ),
    ),
    "cursor": Target(
        "Cursor",
        (".cursor", ".cursorrules"),
        (
            # The one event of Cursor that is documented to take context from a hook.
            CursorHook(file=".cursor/hooks.json", needs="hook", what="sessionStart hook", event="sessionStart"),
            _server(".cursor/mcp.json"),
            _rules(
                ".cursor/rules/memdown.mdc",
                head="---\ndescription: How to use the memory of this project\nalwaysApply: true\n---\n\n",
            ),
        ),
    ),
    "cline": Target(
        "Cline",
        (".clinerules", ".cline"),
        (_rules(".clinerules/memdown.md", instead=".clinerules"),),
        after="Cline keeps its servers outside the project: add the command memdown with the argument mcp there.",
    ),
    "roo": Target(
        "Roo Code",
        (".roo", ".roorules", ".roomodes"),
        # A folder of rules of its own comes before `.roorules` and `.clinerules`, which then no longer count.
        (_server(".roo/mcp.json"), _rules(".roo/rules/memdown.md", instead=".roorules")),
    ),
    "kilo": Target(
        "Kilo Code",
        (".kilocode", ".kilocodemodes"),
        (_server(".kilocode/mcp.json"), _rules(".kilocode/rules/memdown.md")),
    ),
    "vscode": Target(
        "VS Code, Copilot",
        (".vscode", ".github/copilot-instructions.md", ".github/instructions"),
        (
            _server(".vscode/mcp.json", under="servers", typed=True),
            _rules(".github/instructions/memdown.instructions.md", head='---\napplyTo: "**"\n---\n\n'),
        ),
    ),
    "codex": Target(
        "Codex",
        (".codex",),
        (
            # Its transcripts have a form of their own, so nothing is kept from them.
            *_hooks(".codex/hooks.json", SPEAKING),
            TomlTable(file=".codex/config.toml", needs="mcp", what="MCP server"),
            MarkedLines(file="AGENTS.md", needs="mcp", what=_RULES, body=RULES, comment=markers.MARKDOWN),
        ),
        after="Codex runs these hooks in projects it trusts, once you approve them: type /hooks in Codex.",
    ),
    "git": Target(
        "git",
        (".git",),
        (
            MarkedLines(
                file=".gitattributes",
                needs=DRIVER,
                what="merge driver for memory",
                body="\n".join(f"{home}/**/*.md merge=memdown diff=memdown" for home in _HOMES),
            ),
        ),
        (
            Script(file=PRE_COMMIT, needs="check", what="check before each commit", body=_CHECK),
            GitSection(
                file=CONFIG,
                needs=DRIVER,
                what="merge driver for memory",
                driver=_MERGE,
                textconv=_DIFF,
            ),
        ),
        after=(
            "Commit .gitattributes, so that all clones have it. The merge driver and the hook are in .git/, which git"
            " does not commit: run `memdown install git` once in each clone. `git diff` shows memory for reading;"
            " `git diff --no-textconv` makes a patch that can be applied."
        ),
    ),
}
