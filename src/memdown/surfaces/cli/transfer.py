"""Commands that carry memory between projects: export, import."""

import sys
from collections.abc import Iterator, Sequence

import click
from msgspec import structs

from memdown import times
from memdown.acts.transfer import Imported
from memdown.acts.transfer import bundle as transfer
from memdown.errors import Invalid
from memdown.memory import Memory
from memdown.surfaces.cli.common import Invocation, count, examples, standard, style
from memdown.surfaces.show import render
from memdown.text import decode


@click.command(
    "export",
    epilog=examples(
        "memdown export > bundle.json",
        "memdown export --out bundle.json --skills",
        "memdown export --kind decision --kind directive",
        "memdown export --format squad --out squad-export.json",
    ),
)
@click.option("--out", metavar="FILE", help="A file of the project to write. [default: standard output]")
@click.option("--skills", is_flag=True, help="Pack the skills too.")
@click.option("--type", "--kind", "kinds", multiple=True, help="Only entries of this kind; may be given again.")
@click.option("--format", "shape", type=click.Choice(["memdown", "squad"]), default="memdown", show_default=True)
@click.option("--force", is_flag=True, help="Let --out replace a file that has another content.")
@standard
def export_command(
    session: Invocation, out: str | None, skills: bool, kinds: Sequence[str], shape: str, force: bool
) -> None:
    """Pack the memory of this project into one JSON file, for `memdown import` in another.

    Every file of memory goes in as it is, byte for byte; with --kind, only the text of these entries. The
    format squad is the export "1.0" of Squad: the log, team, routing, casting, agents and skills.
    """
    if shape == "squad" and kinds:
        raise Invalid("A Squad export holds whole files; leave --kind out, or use --format memdown.")
    memory = session.memory
    told, counts = _squad(memory) if shape == "squad" else _own(memory, kinds, skills=skills)
    text = render.dumps(told) + "\n"
    if out is None:
        click.echo(text, nl=False)
        session.note(f"Packed {count(counts['records'], 'record')} and {count(counts['skills'], 'skill')}.")
        return
    written = memory.save_as(out, text, force=force)
    session.answer(
        {"written": written, **counts},
        lambda: [f"Wrote {written}: {count(counts['records'], 'record')}, {count(counts['skills'], 'skill')}."],
    )


def _squad(memory: Memory) -> tuple[object, dict[str, int]]:
    exported = memory.export_squad()
    return exported.value, {"records": exported.records, "skills": exported.skills}


def _own(memory: Memory, kinds: Sequence[str], *, skills: bool) -> tuple[object, dict[str, int]]:
    bundle = memory.export(kinds=kinds, skills=skills)
    told = {
        "memdown": transfer.VERSION,
        "exported_at": times.stamp(memory.now()),
        "root": memory.root.name,
        "records": [render.record(record) for record in bundle.records],
        "files": bundle.files,
        "skills": bundle.skills,
    }
    return told, {"records": len(bundle.records), "skills": len(bundle.skills)}


@click.command(
    "import",
    epilog=examples(
        "memdown import bundle.json --dry-run",
        "memdown import bundle.json --merge",
        "memdown import squad-export.json --skills-only",
        "memdown export --root ../other | memdown import - --merge",
    ),
)
@click.argument("file")
@click.option("--merge", is_flag=True, help="Add to what is here; nothing that is here is replaced.")
@click.option("--skills-only", is_flag=True, help="Take only the skills.")
@click.option("--dry-run", is_flag=True, help="Only show what would be done.")
@click.option("--force", is_flag=True, help="Replace files that are here, after a backup of each.")
@standard
def import_command(session: Invocation, file: str, merge: bool, skills_only: bool, dry_run: bool, force: bool) -> None:
    """Bring in a bundle of `memdown export`, or a Squad export "1.0"; - reads standard input.

    Files that are here already with another text are refused, unless --merge adds the entries they do not have, or
    --force replaces them after a backup. With --merge an entry that is here is skipped, and one with the same time,
    kind and title but another text is kept beside the first and reported. All of it is done, or nothing.
    """
    if merge and force:
        raise Invalid("Give --merge or --force, not both: one adds, the other replaces.")
    bundle = transfer.unpack(decode(sys.stdin.buffer.read()), file) if file == "-" else session.memory.load_bundle(file)
    done = session.memory.import_bundle(bundle, merge=merge, skills_only=skills_only, force=force, write=not dry_run)
    session.answer({**structs.asdict(done), "dry_run": dry_run}, lambda: _imported(done, dry_run=dry_run))
    if done.unknown:
        session.note(f"The bundle has keys memdown does not know: {', '.join(done.unknown[:10])}.")


def _imported(done: Imported, *, dry_run: bool) -> Iterator[str]:
    yield from (f"{'Would write' if dry_run else 'Wrote'} {path}" for path in done.written)
    for each in done.conflicts:
        yield f"{style('warning', 'conflict')} {each.kept}: {each.message}"
    yield from done.notes
    skills = f", {count(len(done.skills), 'skill')}" if done.skills else ""
    add = "would be added" if dry_run else "added"
    entries = "1 entry" if done.added == 1 else f"{done.added:,} entries"
    yield f"{entries} {add}, {done.skipped:,} here already{skills}."
