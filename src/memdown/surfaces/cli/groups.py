"""How commands are grouped for people, and what else they are called. Imports nothing, since every start reads it."""

EVERYDAY = "init add search show list status check context start end undo install".split()
"""What `memdown --help` describes; the rest is named there, and described by `memdown help all`."""
GROUPS = {
    "Change memory": "edit delete open archive slim update review redo restore",
    "Query memory": (
        "for timeline graph web stats health stale verify undocumented budget cost read sql explain validate"
    ),
    "Dialects": "bank card journal layer sem",
    "Assistants": "capture hook mcp mode prompt rules",
    "Projects and files": "backup export import source propose index projects switch doctor completion demo help",
    "Hub": "hub push pull sync who serve",
    "Git": "log blame diff changes merge-driver diff-driver resolve",
}
VERBS = {
    "bank": "start end update validate budget mode rules prompt projects switch".split(),
    "card": "capture review".split(),
    "journal": "task session error regenerate".split(),
    "sem": "convert inbox skill".split(),
}
"""Commands that belong to one dialect: `memdown journal task` and `memdown task` are the same."""
DIALECTS = {
    "journal": "Record edits, tasks, sessions and errors in a journal",
    "sem": "Convert and merge semantic logs, and teach agents to write them",
}
"""Dialects whose commands all stand elsewhere too."""
ALIASES = {
    "cat": "show",
    "find": "search",
    "grep": "search",
    "lint": "check",
    "ls": "list",
    "new": "add",
    "prune": "archive",
    "remember": "add",
    "remove": "delete",
    "rm": "delete",
    "view": "show",
}
"""What people type out of habit."""
RELATED = {
    "ask": "did you mean search or context?",
    "clean": "did you mean slim or archive?",
    "config": "edit memdown.toml instead; docs/configuration.md lists the settings.",
    "count": "did you mean stats?",
    "create": "did you mean add or init?",
    "decide": "did you mean add decision?",
    "decisions": "did you mean list kind:decision?",
    "done": "did you mean end, bank complete or task done?",
    "fix": "did you mean check --fix?",
    "fmt": "did you mean check --fix?",
    "forget": "did you mean delete?",
    "format": "did you mean check --fix?",
    "get": "did you mean show?",
    "history": "did you mean log or timeline?",
    "info": "did you mean status?",
    "last": "did you mean timeline or log?",
    "merge": "did you mean resolve or install git?",
    "notes": "did you mean list kind:note?",
    "put": "did you mean add?",
    "query": "did you mean search or sql?",
    "recall": "did you mean search or context?",
    "recent": "did you mean timeline or log?",
    "rename": "did you mean edit?",
    "save": "did you mean add?",
    "setup": "did you mean init?",
    "store": "did you mean add?",
    "summary": "did you mean status?",
    "tags": "did you mean stats?",
    "todo": "did you mean task?",
    "tree": "did you mean graph?",
    "tidy": "did you mean check --fix or slim?",
    "uninstall": "did you mean install --remove?",
    "upgrade": "upgrade memdown the way you installed it, such as with pipx or pip.",
    "version": "did you mean --version?",
    "why": "did you mean search or blame?",
}
"""Words that are none of our commands, and what does that here."""


def listed(commands: "dict[str, str]", *, whole: bool) -> "dict[str, list[tuple[str, str]]]":
    """By heading, the names of commands and what they do; those of a dialect below it."""
    own = {verb: f"{dialect} {verb}" for dialect in DIALECTS for verb in VERBS[dialect]}
    described = commands | DIALECTS
    found = {"Everyday commands": [(name, described[name]) for name in EVERYDAY]}
    if not whole:
        return found
    grouped = {heading: [name for name in names.split() if name in described] for heading, names in GROUPS.items()}
    known = {*EVERYDAY, *own, *(name for names in grouped.values() for name in names)}
    grouped["More"] = [name for name in commands if name not in known]
    for heading, names in grouped.items():
        rows = [(name, described[name]) for name in names]
        if heading == "Dialects":
            rows = sorted([*rows, *((spelled, commands[verb]) for verb, spelled in own.items())])
        if rows:
            found[heading] = rows
    return found
