"""The command regenerate: the journal as its records alone would have it."""

import difflib
from collections.abc import Iterator

import click

from memdown.markdown.line_ends import split_lines
from memdown.memory.journal.regenerate import Regenerated
from memdown.surfaces.cli.common import Invocation, count, examples, writing


@click.command("regenerate", epilog=examples("memdown regenerate --diff", "memdown regenerate --out from-records"))
@click.option("--out", metavar="DIR", help="Write the files to a new folder of the project.")
@click.option("--diff", is_flag=True, help="Show a diff against the current files.")
@writing
def regenerate_command(session: Invocation, out: str | None, diff: bool) -> None:
    """Render edit_history.md and tasks.md from their records alone. No existing file is changed.

    Text outside of records, such as prose between entries, is not included: review the difference before you use them.
    """
    done = session.memory.journal.regenerate(out)
    value = {"texts": done.texts, "left_out": done.left_out, "written": done.written}
    session.answer(value, lambda: _lines(done, diff))
    if done.left_out:
        session.note(f"{count(len(done.left_out), 'record')} left out; use --json to see which and why.")


def _lines(done: Regenerated, diff: bool) -> Iterator[str]:
    if done.written:
        yield from (f"Wrote {name}" for name in done.written)
        return
    for name, text in done.texts.items():
        if diff:
            before = split_lines(done.before.get(name, ""))
            yield from difflib.unified_diff(before, split_lines(text), name, f"{name} (from records)", lineterm="")
        else:
            yield from (f"{name}:", "", text)
    if not done.texts:
        yield "No journal here yet; run `memdown init --dialect journal` to create one."
