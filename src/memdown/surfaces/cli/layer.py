"""Commands of the layered store: one for each thing its interface can do."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence

import click
from click.shell_completion import CompletionItem

from memdown.errors import Invalid, MemdownError
from memdown.memory import Memory
from memdown.memory.layers import Created, LayerValidation, MemoryEntry, ProjectMemory, PruneResult, SearchResult
from memdown.surfaces.cli.common import CommandGroup, Invocation, count, examples, options, standard, style, writing
from memdown.surfaces.show import ages
from memdown.text import decode

SAMPLE = "skill-specific/python-code-review/my-api/review_history"


def complete_id(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    """Ids of memories that begin so."""
    try:
        with Memory.open(ctx.params.get("root")) as memory:
            report = memory.layers.get_staleness_report()
    except MemdownError:
        return []  # nothing to offer; the command itself will say what is wrong
    known = (*report.fresh, *report.aging, *report.stale)
    return [CompletionItem(each.id) for each in known if each.id.startswith(incomplete)]


def _content(session: Invocation, words: str | None, content: str | None, file: str | None) -> str:
    """What to write: given, in a file of the project, or piped in."""
    given = [each for each in (words, content, file) if each is not None]
    if len(given) > 1:
        raise Invalid("Give the content once: as an argument, with --content, or with --file.")
    if file is not None:
        return session.memory.text_of(file)
    if given and given[0] != "-":
        return session.text(given[0]) or ""
    if sys.stdin is None or sys.stdin.isatty():
        raise Invalid("There is no content: give it as an argument, with --content or --file, or pipe it in.")
    return decode(sys.stdin.buffer.read())


def _id(names: Sequence[str], named: Mapping[str, str | None]) -> str:
    """The id a person means: itself, or its parts as arguments or options."""
    layer, project, file_type = (named["layer"], named["project"], named["file_type"])
    if len(names) == 1 and not any(named.values()):
        return names[0]
    if names:
        layer, project, file_type = [*names, None, None, None][:3] if len(names) == 3 else (None, None, None)
    if not layer or not file_type:
        raise Invalid(f"Name the memory by its id, as in {SAMPLE}, or by --layer, --project and --type.")
    inner = [named["skill"], project, named["agent"]]
    return "/".join(part for part in (layer, *inner, file_type) if part)


_with_id_parts = options(
    click.option("--agent", help="The agent's name, in the layer agent."),
    click.option("--skill", help="The skill's name, in the layer skill-specific."),
    click.option("--type", "file_type", help="File type, such as known_issues."),
    click.option("--project", help="The project's name."),
    click.option("--layer", help="shared-project, skill-specific, command or agent."),
)
_with_content = options(
    click.option("--file", help="A file of the project that holds the text."),
    click.option("--content", help="The text, or @FILE. [default: standard input]"),
)


@click.group(
    "layer",
    cls=CommandGroup,
    epilog=examples("memdown layer list", f"memdown layer read {SAMPLE}"),
)
def layer_command() -> None:
    """Manage layered memory by layer, project and skill.

    An id is shared-project/PROJECT/TYPE, skill-specific/SKILL/PROJECT/TYPE, command/PROJECT/TYPE or agent/AGENT/TYPE.
    """


@layer_command.command(
    "create",
    epilog=examples(
        "memdown layer create shared-project/my-api/project_profile --content '# My API'",
        "memdown layer create --layer skill-specific --skill code-review --project my-api --type known_issues < x.md",
        'memdown layer create --entry \'{"layer": "agent", "agentName": "zeus", "fileType": "notes", "content": "x"}\'',
    ),
)
@click.argument("id", required=False)
@click.argument("words", required=False, metavar="[CONTENT]")
@_with_id_parts
@_with_content
@click.option("--entry", help="The whole entry as a JSON object with the interface's keys; - reads it.")
@writing
def create(
    session: Invocation,
    /,
    id: str | None,
    words: str | None,
    content: str | None,
    file: str | None,
    entry: str | None,
    **named: str | None,
) -> None:
    """Create a memory. An existing one is refused."""
    layers = session.memory.layers
    if entry is not None:
        made = layers.create(_entry(entry))
    else:
        made = layers.create_at(_id([id] if id else [], named), _content(session, words, content, file))
    session.answer(made, lambda: [f"Created {made.path}"])


def _entry(given: str) -> Mapping[str, object]:
    try:
        value = json.loads(decode(sys.stdin.buffer.read()) if given == "-" else given)
    except ValueError as error:
        raise Invalid(f"The entry is not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise Invalid("The entry is not a JSON object.")
    return value


@layer_command.command(
    "read",
    epilog=examples(f"memdown layer read {SAMPLE}", "memdown layer read shared-project my-api project_profile --json"),
)
@click.argument("names", nargs=-1, metavar="ID | LAYER PROJECT TYPE", shell_complete=complete_id)
@_with_id_parts
@click.option("--command", "command_name", help="Accepted and ignored.")
@standard
def read(session: Invocation, /, names: Sequence[str], command_name: str | None, **named: str | None) -> int:  # noqa: ARG001
    """Show a memory and its age. The exit code is 1 when there is none."""
    entry = session.memory.layers.read(_id(names, named))
    session.answer(entry, lambda: _entry_lines(entry))
    return int(entry is None)


def _entry_lines(entry: MemoryEntry | None) -> Iterator[str]:
    if entry is None:
        yield "There is no such memory."
        return
    updated = f"updated {entry.updated_at}" if entry.updated_at else "no stamp"
    yield f"{style('strong', entry.id)}  {updated}, {_state(entry.staleness)}, {count(entry.line_count, 'line')}"
    yield ""
    yield entry.content.rstrip("\n")


def _state(staleness: str) -> str:
    return style({"fresh": "added", "aging": "warning", "stale": "error"}[staleness], staleness)


@layer_command.command(
    "update",
    epilog=examples(
        "memdown layer update shared-project/my-api/project_profile < profile.md",
        "memdown layer update shared-project/my-api/project_profile --create --content '# My API'",
    ),
)
@click.argument("id", shell_complete=complete_id)
@click.argument("words", required=False, metavar="[CONTENT]")
@_with_content
@click.option("--create", "create_it", is_flag=True, help="Create it if it does not exist.")
@click.option("--force", is_flag=True, help="Drop entries of a history or an archive that the new content lacks.")
@writing
def update(
    session: Invocation, id: str, words: str | None, content: str | None, file: str | None, create_it: bool, force: bool
) -> None:
    """Replace the content of a memory. Its date is set to today."""
    text = _content(session, words, content, file)
    layers = session.memory.layers
    done = layers.upsert(id, text, force=force) if create_it else layers.update(id, text, force=force)
    if isinstance(done, Created):
        session.answer(done, lambda: [f"Created {done.path}"])
        return
    session.answer(done, lambda: [f"Updated {done.id}, {count(done.line_count, 'line')}"])
    if done.warning:
        session.note(done.warning)


@layer_command.command("append", epilog=examples(f"memdown layer append {SAMPLE} < review.md"))
@click.argument("id", shell_complete=complete_id)
@click.argument("words", required=False, metavar="[CONTENT]")
@_with_content
@click.option("--create", "create_it", is_flag=True, help="Create it if it does not exist.")
@writing
def append(
    session: Invocation, id: str, words: str | None, content: str | None, file: str | None, create_it: bool
) -> None:
    """Add content to a memory, and prune it by the rules of its type."""
    text, layers = _content(session, words, content, file), session.memory.layers
    if create_it and layers.read(id) is None:
        made = layers.create_at(id, text)
        session.answer(made, lambda: [f"Created {made.path}"])
        return
    done = layers.append(id, text)
    session.answer(
        done,
        lambda: [
            f"Appended to {done.id}, {count(done.line_count, 'line')}",
            *(f"  {each.action}: {each.reason}" for each in done.prune_details or ()),
        ],
    )
    if isinstance(done.warning, str):
        session.note(done.warning)


@layer_command.command("list", epilog=examples("memdown layer list", "memdown layer list skill-specific --json"))
@click.argument("prefix", default="", metavar="[PREFIX]")
@standard
def list_layers(session: Invocation, prefix: str) -> None:
    """List all memories with their age, or those whose id begins with PREFIX."""
    report = session.memory.layers.get_staleness_report()
    groups = {"fresh": report.fresh, "aging": report.aging, "stale": report.stale}
    found = sorted((each.id, state) for state, some in groups.items() for each in some if each.id.startswith(prefix))
    value = [{"id": id, "staleness": state} for id, state in found]
    session.answer(value, lambda: [f"{_state(state)}  {id}" for id, state in found] or ["Nothing is known yet."])


@layer_command.command("delete", epilog=examples(f"memdown layer delete {SAMPLE}"))
@click.argument("id", shell_complete=complete_id)
@writing
def delete(session: Invocation, id: str) -> int:
    """Delete a memory; its archive stays. The exit code is 1 when there is none."""
    done = session.memory.layers.delete(id)
    session.answer(done, lambda: [f"Deleted {done.id}" if done.deleted else "There is no such memory."])
    return int(not done.deleted)


@layer_command.command("profile", epilog=examples("memdown layer profile my-api"))
@click.argument("project")
@standard
def profile(session: Invocation, project: str) -> int:
    """Show the profile of a project. The exit code is 1 when it has none."""
    entry = session.memory.layers.get_project_profile(project)
    session.answer(entry, lambda: _entry_lines(entry))
    return int(entry is None)


_archives = click.option("--archives", is_flag=True, help="Include archives.")


@layer_command.command(
    "project", epilog=examples("memdown layer project my-api", "memdown layer project my-api --shared")
)
@click.argument("project")
@click.option("--shared", is_flag=True, help="Only what all skills share.")
@_archives
@standard
def project(session: Invocation, project: str, shared: bool, archives: bool) -> None:
    """List what is known about a project: shared, by skill, by commands."""
    layers = session.memory.layers
    if shared:
        _answer_entries(session, layers.get_shared_project_memory(project, archives=archives))
        return
    found = layers.get_by_project(project, archives=archives)
    session.answer(found, lambda: _project(found))


def _project(found: ProjectMemory) -> Iterator[str]:
    groups = {"shared": found.shared, **{f"skill {name}": each for name, each in found.skills.items()}}
    for name, entries in {**groups, "commands": found.commands}.items():
        if entries:
            yield style("strong", name)
            yield from (f"  {row}" for row in _rows(entries))
    if not any((found.shared, found.skills, found.commands)):
        yield "Nothing is known about this project yet."


@layer_command.command("skill", epilog=examples("memdown layer skill python-code-review my-api"))
@click.argument("skill")
@click.argument("project")
@click.option("--used", is_flag=True, help="Count an invocation of the skill.")
@_archives
@standard
def skill(session: Invocation, skill: str, project: str, used: bool, archives: bool) -> None:
    """List what a skill knows about a project; empty on its first run."""
    layers = session.memory.layers
    if used:
        layers.record_invocation(skill, project)
    _answer_entries(session, layers.get_skill_memory(skill, project, archives=archives))


@layer_command.command("command", epilog=examples("memdown layer command my-api"))
@click.argument("project")
@_archives
@standard
def command(session: Invocation, project: str, archives: bool) -> None:
    """List what commands recorded about a project."""
    _answer_entries(session, session.memory.layers.get_command_memory(project, archives=archives))


@layer_command.command("agent", epilog=examples("memdown layer agent hephaestus"))
@click.argument("agent")
@_archives
@standard
def agent(session: Invocation, agent: str, archives: bool) -> None:
    """List what an agent knows."""
    _answer_entries(session, session.memory.layers.get_agent_memory(agent, archives=archives))


def _answer_entries(session: Invocation, entries: list[MemoryEntry]) -> None:
    session.answer(entries, lambda: _rows(entries) or ["Nothing is known yet."])


def _rows(entries: Sequence[MemoryEntry]) -> list[str]:
    return [
        f"{each.updated_at or '----------'}  {_state(each.staleness):5}  {each.line_count:>5}  {each.id}"
        for each in entries
    ]


@layer_command.command(
    "search", epilog=examples("memdown layer search 'N\\+1'", "memdown layer search redis -i --layer agent")
)
@click.argument("pattern")
@click.option("--layer", help="Only this layer.")
@click.option("--project", help="Only this project.")
@click.option("-i", "--ignore-case", is_flag=True, help="Ignore case.")
@standard
def search(session: Invocation, pattern: str, layer: str | None, project: str | None, ignore_case: bool) -> int:
    """Find lines by a regular expression, archives included. The exit code is 1 when there are none."""
    found = session.memory.layers.search(pattern, layer, project, ignore_case=ignore_case)
    session.answer(found, lambda: _found(found))
    return int(not found.matches)


def _found(found: SearchResult) -> Iterator[str]:
    """Lines as grep shows them: `:` around the number of one that matches, `-` around those of its neighbours."""
    lines: dict[tuple[str, int], str] = {}
    for each in found.matches:
        first = max(each.line_number - 2, 1)
        for number, line in enumerate(each.context.split("\n"), first):
            lines.setdefault((each.path, number), f"{style('place', f'{each.path}-{number}')}- {line}")
    for each in found.matches:
        place = style("place", f"{each.path}:{each.line_number}")
        lines[each.path, each.line_number] = f"{place}: {each.line_content}"
    before = None
    for (path, number), line in lines.items():
        if before not in (None, (path, number - 1)):
            yield "--"
        yield line
        before = (path, number)
    if not found.matches:
        yield "No line matches."


@layer_command.command(
    "prune",
    epilog=examples("memdown layer prune --dry-run", "memdown layer prune --scope project --project my-api"),
)
@click.option(
    "--scope", type=click.Choice(["all", "project", "skill"]), help="What to prune. [default: what is named, else all]"
)
@click.option("--project", help="The project to prune.")
@click.option("--skill", help="The skill whose memory to prune.")
@click.option("--dry-run", is_flag=True, help="Show what would be done, without writing.")
@writing
def prune(session: Invocation, scope: str | None, project: str | None, skill: str | None, dry_run: bool) -> None:
    """Prune histories and lists of issues by their rules. What leaves a file goes to its archive.

    `memdown undo` undoes it.
    """
    chosen = scope or ("skill" if skill else "project" if project else "all")
    done = session.memory.layers.prune(scope=chosen, project_name=project, skill_name=skill, dry_run=dry_run)
    session.answer(done, lambda: _prune_lines(done))


def _prune_lines(done: PruneResult) -> Iterator[str]:
    for each in done.pruned:
        yield f"{each.id}: {each.action}: {each.reason}"
    for warning in done.warnings:
        yield f"{style('warning', 'warning')}: {warning}"
    if not done.pruned:
        yield "There is nothing to prune."


@layer_command.command(
    "validate", epilog=examples("memdown layer validate skill-specific/python-code-review/my-api/project_overview")
)
@click.argument("id", shell_complete=complete_id)
@standard
def validate(session: Invocation, id: str) -> int:
    """Rate how complete, specific and active a memory is. The exit code is 1 when it is not complete and specific."""
    found = session.memory.layers.validate(id)
    session.answer(found, lambda: _validation(found))
    return int(not (found.checks.completeness and found.checks.specificity))


def _validation(found: LayerValidation) -> Iterator[str]:
    checks, details = found.checks, found.details
    yield f"completeness  {'yes' if checks.completeness else 'no'}  ({details.score:.0%})"
    vague = f"{len(details.vague_lines)} of {details.claims} claims without a reference"
    yield f"specificity   {'yes' if checks.specificity else 'no'}  ({vague})"
    yield f"growth        {checks.growth_rate}  ({count(details.invocations, 'invocation')} counted)"
    yield from found.suggestions
    for each in (*details.vague_lines, *details.absolute_paths):
        yield f"  {each.line:>5}  {each.text}"


@layer_command.command(
    "staleness",
    epilog=examples("memdown layer staleness", "memdown layer staleness --chart", "memdown layer staleness --json"),
)
@click.option("--chart", is_flag=True, help="Only the chart.")
@click.option("--table", is_flag=True, help="Only the table.")
@standard
def staleness(session: Invocation, chart: bool, table: bool) -> None:
    """Group all memories by age: fresh, aging, stale. Draws a chart of the ages."""
    found = session.memory.layers.get_staleness_report()
    settings = session.memory.config.layers
    limits = (settings.fresh_days, settings.aging_days)
    session.answer(found, lambda: ages.lines(found, limits, chart=not table or chart, table=not chart or table))
