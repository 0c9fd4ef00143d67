"""Writes the pages of docs/ that come from the code: a page for each rule, the help of each command, JSON Schemas.

Run it after changing a rule's docstring or a command's options: `.venv/bin/python scripts/make_docs.py`.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import click

from memdown.acts.check.engine import all_rules
from memdown.diagnostics import Rule
from memdown.dialects.journal.codes import CODES
from memdown.dialects.journal.grammar import FORMS
from memdown.dialects.sem.schema import SCHEMA
from memdown.surfaces.cli import COMMANDS, cli

DOCS = Path(__file__).parents[1] / "docs"


def pages() -> dict[str, str]:
    """Every generated page by its path below docs/."""
    rules = all_rules()
    made = {f"rules/{rule.code}.md": _rule_page(rule) for rule in rules}
    made["schema/sem-entry.json"] = json.dumps(SCHEMA, indent=2) + "\n"
    made["formats/journal.md"] = _journal_page()
    return {**made, "rules/README.md": _rule_index(rules), "commands.md": _command_page()}


def _journal_page() -> str:
    """The page people wrote, with the tables of forms and codes that the reader itself uses."""
    before, mark, rest = (DOCS / "formats/journal.md").read_text("utf-8").partition("<!-- grammar -->\n")
    forms = "\n".join(
        f"| {form.name} | {form.profile} | {form.file} | {_code(form.pattern)} | {_code(form.example)} |"
        for form in FORMS
    )
    codes = "\n".join(f"| {code.name} | {code.severity} | {code.about} |" for code in CODES.values())
    table = (
        "The forms, as regular expressions over a line or its part without white space at the end:\n\n"
        f"| form | profile | in | pattern | example |\n|---|---|---|---|---|\n{forms}\n\n"
        "The ways in which a line can differ from them:\n\n"
        f"| code | severity | what holds |\n|---|---|---|\n{codes}\n"
    )
    return f"{before}{mark}{table}<!-- /grammar -->\n" + rest.partition("<!-- /grammar -->\n")[2]


def _code(text: str) -> str:
    """A text in as many back-ticks as it needs, for a cell of a table."""
    ticks = "``" if "`" in text else "`"
    pad = " " if len(ticks) > 1 else ""
    shown = text.replace("|", "\\|")
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def _rule_page(rule: Rule) -> str:
    summary, _, rest = rule.page.partition("\n")
    return f"# {rule.code}: {rule.name}\n\n**{rule.severity}** · {summary}\n{rest}\n"


def _rule_index(rules: list[Rule]) -> str:
    rows = "\n".join(
        f"| [{rule.code}]({rule.code}.md) | {rule.severity} | {rule.name} | {rule.page.partition(chr(10))[0]} |"
        for rule in rules
    )
    return (
        "# Rules\n\nWhat `memdown check` looks for. `memdown explain CODE` shows the same pages.\n\n"
        f"| code | severity | name | what is wrong |\n|---|---|---|---|\n{rows}\n"
    )


_EXIT_CODES = """\
## Exit codes and errors

| code | means |
|---|---|
| 0 | done, or nothing wrong was found |
| 1 | the answer is no: `check` has errors, a validation failed, nothing has that name |
| 2 | wrong usage: an unknown command or option, or a value that cannot be used |
| 3 | refused: by a mode, permissions, a change meanwhile, another process that writes, a path outside the project |
| 4 | a file, the configuration or the index could not be read |
| 130 | interrupted with Ctrl-C |

An error is one line of plain text on standard error that begins with `memdown:`, with `--json` too; standard output is
then empty. So look at the exit code before you parse the output. Findings are no error: `check --json` prints them and
exits with 1."""


def _command_page() -> str:
    parts = ["# Commands\n\nThe help of every command, as `memdown COMMAND --help` prints it.", _EXIT_CODES]
    parts += [f"## memdown {name}\n\n```text\n{text}\n```" for name, text in _helps()]
    return "\n\n".join(parts) + "\n"


def _helps() -> Iterator[tuple[str, str]]:
    settings = {**cli.context_settings, "terminal_width": 100, "max_content_width": 100}
    root = click.Context(cli, info_name="memdown", **settings)
    for name in COMMANDS:
        yield from _help_of(name, cli.get_command(root, name), root)


def _help_of(name: str, command: click.Command | None, parent: click.Context) -> Iterator[tuple[str, str]]:
    if command is None:
        return
    ctx = click.Context(command, info_name=name.split()[-1], parent=parent, terminal_width=100, max_content_width=100)
    yield name, command.get_help(ctx)
    if isinstance(command, click.Group):
        for sub in command.list_commands(ctx):
            yield from _help_of(f"{name} {sub}", command.get_command(ctx, sub), ctx)


def main() -> None:
    made = pages()
    for old in (DOCS / "rules").glob("*.md"):
        if f"rules/{old.name}" not in made:
            old.unlink()
    for name, text in made.items():
        path = DOCS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
