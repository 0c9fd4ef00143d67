"""The command export: the memory of a project in one JSON file."""

from collections.abc import Sequence

import click

from memdown import times
from memdown.acts.transfer import bundle as transfer
from memdown.errors import Invalid
from memdown.memory import Memory
from memdown.surfaces.cli.common import Invocation, count, examples, writing
from memdown.surfaces.show import render


@click.command(
    "export",
    epilog=examples(
        "memdown export > bundle.json",
        "memdown export --out bundle.json --skills",
        "memdown export --kind decision --kind directive",
        "memdown export --format squad --out squad-export.json",
    ),
)
@click.option("-o", "--out", metavar="FILE", help="Write to this file of the project. [default: standard output]")
@click.option("--skills", is_flag=True, help="Include the skills.")
@click.option("--type", "--kind", "kinds", multiple=True, help="Only entries of this kind; repeatable.")
@click.option(
    "--format",
    "shape",
    type=click.Choice(["memdown", "squad"]),
    default="memdown",
    show_default=True,
    help="Whose format to write.",
)
@click.option("--force", is_flag=True, help="Let --out overwrite a file with other content.")
@writing
def export_command(
    session: Invocation, out: str | None, skills: bool, kinds: Sequence[str], shape: str, force: bool
) -> None:
    """Export the memory of this project to one JSON file, for `memdown import` in another.

    Every file of memory goes in as it is, byte for byte; with --kind, only the text of these entries. The
    format squad is the export "1.0" of Squad: the log, team, routing, casting, agents and skills.
    """
    if shape == "squad" and kinds:
        raise Invalid("A Squad export holds whole files; leave --kind out, or use --format memdown.")
    memory = session.memory
    document, counts = _squad(memory) if shape == "squad" else _own(memory, kinds, skills=skills)
    text = render.dumps(document) + "\n"
    if out is None:
        click.echo(text, nl=False)
        session.note(f"Packed {count(counts['records'], 'record')} and {count(counts['skills'], 'skill')}.")
    else:
        written = memory.save_as(out, text, force=force)
        session.answer(
            {"written": written, **counts},
            lambda: [f"Wrote {written}: {count(counts['records'], 'record')}, {count(counts['skills'], 'skill')}."],
        )
    if counts["left_out"]:
        session.note(f"{count(counts['left_out'], 'skill')} left out; use --skills to include them.")


def _squad(memory: Memory) -> tuple[object, dict[str, int]]:
    exported = memory.export_squad()
    return exported.value, {"records": exported.records, "skills": exported.skills, "left_out": 0}


def _own(memory: Memory, kinds: Sequence[str], *, skills: bool) -> tuple[object, dict[str, int]]:
    bundle = memory.export(kinds=kinds, skills=skills)
    document = {
        "memdown": transfer.VERSION,
        "exported_at": times.stamp(memory.now()),
        "root": memory.root.name,
        "records": [render.record(record) for record in bundle.records],
        "files": bundle.files,
        "skills": bundle.skills,
    }
    return document, {"records": len(bundle.records), "skills": len(bundle.skills), "left_out": bundle.left_out}
