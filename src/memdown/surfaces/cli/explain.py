"""The command explain: the page of a rule, or the list of all rules."""

import sys
from collections.abc import Iterator

import click
from click.shell_completion import CompletionItem

from memdown.acts.check.engine import all_rules
from memdown.diagnostics import Rule
from memdown.surfaces.cli.common import Invocation, examples, standard, style
from memdown.surfaces.show import render
from memdown.surfaces.show.style import Prose


def complete_code(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    return [CompletionItem(rule.code, help=rule.name) for rule in all_rules() if rule.code.startswith(incomplete)]


@click.command(
    "explain",
    epilog=examples("memdown explain", "memdown explain CRD062", "memdown explain content-hash-mismatch --json"),
)
@click.argument("code", required=False, shell_complete=complete_code)
@standard
def explain_command(session: Invocation, code: str | None) -> None:
    """Explain a rule with a bad and a good example; without a code, list all rules."""
    if code is None:
        rules = session.memory.rules()
        session.answer([render.rule(rule) for rule in rules], lambda: map(_rule_row, rules))
    else:
        rule = session.memory.rule(code)
        session.answer(
            render.rule(rule),
            lambda: (f"{style('strong', f'{rule.code} {rule.name}')} ({rule.severity})", "", *_page(rule.page)),
        )


def _page(page: str) -> Iterator[str]:
    """A page as it is written; on a terminal each paragraph on one line, which is folded to its width."""
    if not sys.stdout.isatty():
        yield page
        return
    paragraph: list[str] = []
    in_code = False
    for line in page.split("\n"):
        is_fence = line.startswith("```")
        is_text = not (in_code or is_fence or line.startswith((" ", "#", "- ", "|"))) and bool(line)
        in_code = in_code != is_fence
        if paragraph and not is_text:
            yield Prose(" ".join(paragraph))
            paragraph = []
        if is_text:
            paragraph.append(line)
        else:
            yield line
    if paragraph:
        yield Prose(" ".join(paragraph))


def _rule_row(rule: Rule) -> str:
    severity = style(rule.severity, f"{rule.severity:7}")
    return f"{rule.code}  {severity}  {rule.name:28}  {rule.page.partition(chr(10))[0]}"
