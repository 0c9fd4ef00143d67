"""The command slim: proposals that make grown memory shorter, listed, or taken one by one or all."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import click

from memdown.acts.slim import TARGET, Proposal, Slimming
from memdown.errors import Invalid
from memdown.index.none import none_of
from memdown.markdown.line_ends import split_lines
from memdown.surfaces.cli.common import Invocation, count, examples, style, writing

_MOST_FILES = 5
_QUESTION = "Apply it? [y]es, [n]o, [a]ll that follow, [d]iff, [q]uit"


@click.command(
    "slim",
    epilog=examples(
        "memdown slim",
        "memdown slim --to 8000 --diff",
        "memdown slim --take progress-2026-01-completed",
        "memdown slim --all",
    ),
)
@click.option(
    "--to", "target", type=click.IntRange(min=0), default=TARGET, show_default=True, help="Target size in tokens."
)
@click.option("--take", "ids", multiple=True, metavar="ID", help="Apply this proposal; repeatable.")
@click.option("--all", "--apply", "everything", is_flag=True, help="Apply all proposals.")
@click.option("-i", "--interactive", is_flag=True, help="Ask for each proposal, like git add -p.")
@click.option("--diff", is_flag=True, help="Show the changes of each proposal.")
@click.option("--dry-run", is_flag=True, help="Show what would be done, without writing.")
@writing
def slim_command(
    session: Invocation,
    target: int,
    ids: Sequence[str],
    everything: bool,
    interactive: bool,
    diff: bool,
    dry_run: bool,
) -> None:
    """Propose ways to get memory down to 5,000 tokens, and apply those you choose.

    Completed items, finished phases, dated entries and old decisions move to archives by month, with a link left
    behind; duplicates are removed; if that is not enough, long sections move to files of their own. The newest
    entries, open tasks, directives and policies stay. Archives are still searched. `memdown undo` restores everything.

    The size counts the files that a session reads in full: the memory bank's, logs and histories, the journal's, and
    histories of layered memory. Without --take, --all or -i nothing is written.
    """
    if sum((bool(ids), everything, interactive)) > 1:
        raise Invalid("Give only one of --take, --all and -i.")
    memory = session.memory
    if dry_run:
        found = memory.slim(to=target, take=ids or None, write=False)
        session.answer(found.proposals, lambda: _listed(found, memory.root, diff=diff))
        return
    if interactive:
        ids = _asked(session, memory.slim(to=target).proposals)
        if not ids:
            session.answer([], lambda: iter(("Nothing was changed.",)))
            return
    done = memory.slim(to=target, take=ids or None, everything=everything)
    if ids or everything:
        lines = partial(_taken, done, memory.root, memory.files.written(), everything=everything)
        session.answer(done, lines, names_removed=True, restores="everything")
    else:
        session.answer(done.proposals, lambda: _listed(done, memory.root, diff=diff))


def _asked(session: Invocation, proposals: Sequence[Proposal]) -> list[str]:
    """The proposals that a person says yes to."""
    if session.json or not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()):
        raise Invalid("-i needs a terminal; use --take ID or --all instead.")
    taken: list[str] = []
    for number, each in enumerate(proposals, 1):
        session.echo(f"{number}/{len(proposals)} {_headline(each)}")
        while (answer := click.prompt(_QUESTION, default="n").strip().lower()[:1]) not in "ynaq":
            for line in _diff(each) if answer == "d" else ():
                session.echo(line)
        if answer == "q":
            break
        if answer == "a":
            return [*taken, *(later.id for later in proposals[number - 1 :])]
        if answer == "y":
            taken.append(each.id)
    return taken


def _headline(each: Proposal) -> str:
    saving = style("strong", f"{-each.saves_tokens:,}")
    return f"{saving}  {each.proposal}  {style('place', each.path)}"


def _listed(found: Slimming, root: object, *, diff: bool) -> Iterator[str]:
    if found.tokens_before <= found.target:
        yield none_of(root, f"Nothing to slim: {_whole(found)}, within the target of {found.target:,}.")
        return
    for each in found.proposals:
        yield f"{-each.saves_tokens:>8,}  {each.proposal}"
        yield f"          {style('place', each.path)}  {style('dim', each.id)}"
        if diff:
            yield from _diff(each)
    proposals = f"; {found.tokens_after:,} with {count(len(found.proposals), 'proposal')}" if found.proposals else ""
    yield f"In all, {_whole(found)}{proposals}."
    yield from _rest(found)
    if found.proposals:
        yield f"Apply them with `{_command(found)} --all`, `--take ID` or `-i`; --diff shows the changes."


def _whole(found: Slimming) -> str:
    return f"sessions read {found.tokens_before:,} tokens in full"


def _rest(found: Slimming) -> Iterator[str]:
    """What a person has to shorten, since nothing says that it is over."""
    if found.tokens_after > found.target:
        longest = ", ".join(f"{each.path} ({each.tokens:,})" for each in found.files[:_MOST_FILES] if each.tokens)
        yield f"Still above {found.target:,}; shorten by hand: {longest}."


def _taken(
    done: Slimming, root: object, texts: Mapping[str, tuple[str | None, str | None]], *, everything: bool
) -> Iterator[str]:
    if not done.written:
        within = f", within the target of {done.target:,}" if done.tokens_before <= done.target else ""
        yield none_of(root, f"Nothing to slim: {_whole(done)}{within}.")
        yield from _rest(done)
        return
    for each in done.proposals:
        yield f"{-each.saves_tokens:>8,}  {each.proposal}  {style('place', each.path)}"
    for name in dict.fromkeys(done.written):
        before, after = texts.get(name, ("", ""))
        yield f"{'Created' if before is None else 'Deleted' if after is None else 'Changed'} {name}"
    yield f"{done.tokens_before:,} tokens before, {done.tokens_after:,} now."
    if everything:
        yield from _rest(done)
    elif done.tokens_after > done.target:
        yield f"Still above {done.target:,}: `{_command(done)}` lists what else can go."


def _command(found: Slimming) -> str:
    return "memdown slim" if found.target == TARGET else f"memdown slim --to {found.target}"


def _diff(each: Proposal) -> Iterator[str]:
    for line in split_lines(each.diff):
        kind = {"+": "added", "-": "removed", "@": "place"}.get(line[:1], "")
        yield style(kind, line)
