"""The command verify: what memory says of the code, and whether it still holds."""

from collections import Counter
from collections.abc import Iterator, Sequence

import click
from msgspec import structs

from memdown.acts.verify import VerifyDraft, mend
from memdown.index import none
from memdown.record import CONTRADICTION, REVIEW, UNTRUE, Statement
from memdown.surfaces.cli.common import Invocation, comma_separated, count, examples, style, writing
from memdown.surfaces.show import reports

_FORMATS = ["text", "json", "github"]
_KEYS = ("id", "path", "line", "claim", "kind", "target", "state", "now", "commit", "since")
_MORE = ("author", "subject", "note", "sure", "title", "evidence")
_CONFIRM = "`memdown verify --confirm PATH:LINE` for what is still valid."
_STYLES = {"gone": "error", "changed": "warning", "moved": "warning", "fresh": "dim", "unknown": "dim"}
_GUESSED = ("pattern", "ctags")
"""Evidence that is not as sure as a parser."""
_REASONS = 3
"""Why statements are unknown: how many reasons are told, the most frequent first."""


def _states(ctx: click.Context, param: click.Parameter, values: Sequence[str]) -> list[str]:  # noqa: ARG001
    chosen = comma_separated(values) or list(UNTRUE)
    for each in chosen:
        if each not in (*UNTRUE, "none"):
            raise click.BadParameter(f"{each!r} is not one of {', '.join(UNTRUE)}, none.")
    return chosen


@click.command(
    "verify",
    epilog=examples(
        "memdown verify",
        "memdown verify src/auth/login.py",
        "memdown verify --since origin/main --format github",
        "memdown verify --draft",
        "memdown verify --confirm ADR-7",
    ),
)
@click.argument("wanted", nargs=-1, metavar="[ID|PATH]...")
@click.option("--since", metavar="REV", help="Show only what became untrue after this commit, branch or tag.")
@click.option("--changed", is_flag=True, help="Show only what uncommitted changes make untrue.")
@click.option("--all", "everything", is_flag=True, help="Also show what is true and what is unknown.")
@click.option(
    "--fail-on",
    multiple=True,
    callback=_states,
    help="States that fail: moved, changed, gone, none. [default: all three]",
)
@click.option("--confirm", is_flag=True, help="Mark the given records as confirmed, by whom and when.")
@click.option("--draft", is_flag=True, help="Show edits that make statements true again as one diff; write nothing.")
@click.option("--apply", "apply_", is_flag=True, help="With --draft, apply the diff.")
@click.option("--format", "shape", type=click.Choice(_FORMATS), default="text", help="Output format.")
@writing
def verify_command(
    session: Invocation,
    wanted: Sequence[str],
    since: str | None,
    changed: bool,
    everything: bool,
    fail_on: list[str],
    confirm: bool,
    draft: bool,
    apply_: bool,
    shape: str,
) -> int:
    """Check what memory says about the code: paths, symbols, versions, commands, variables, quoted lines.

    Name records, memory files, or code files that memory mentions; without any, all memory is verified. A statement is
    fresh, moved, changed or gone, with the commit that made it so, or unknown: it was never true, or could not be
    looked up. The exit code is 1 when a statement is no longer true, unless --apply fixes it.

    --draft proposes edits for paths that moved, constants and versions that changed, and --apply makes them. --confirm
    marks a record as still valid: whatever became untrue before that day is no longer reported.
    """
    if confirm or draft or apply_:
        return _written(session, wanted, fail_on, confirm=confirm, draft=draft, apply=apply_)
    if since is not None and changed:
        raise click.UsageError("Give --since or --changed, not both.")
    with session.waiting("comparing memory with the code and its history"):
        found = session.memory.verify(wanted, since="HEAD" if changed else since)
    session.json = session.json or shape == "json"
    untrue = [each for each in found if each.state in UNTRUE]
    if shape == "github" and not session.json:
        denied = [each for each in found if each.kind == CONTRADICTION]
        session.answer(None, lambda: (*_github(untrue, since), *_denials(denied)))
    else:
        shown = found if everything else untrue
        value = [_json(each) for each in found] if session.json else None
        session.answer(value, lambda: _text(session, shown, found, "the last commit" if changed else since))
    return int(any(each.state in fail_on for each in found))


def _written(
    session: Invocation, wanted: Sequence[str], fail_on: list[str], *, confirm: bool, draft: bool, apply: bool
) -> int:
    if confirm + draft > 1 or (apply and not draft):
        raise click.UsageError("Give either --confirm with records, or --draft, with or without --apply.")
    if confirm:
        if not wanted:
            raise click.UsageError("--confirm needs the records to confirm.")
        done = session.memory.confirm(wanted)
        lines = [f"Confirmed {each.path}:{each.line} by {each.by} on {each.at}" for each in done]
        session.answer([structs.asdict(each) for each in done], lambda: lines)
        return 0
    with session.waiting("comparing memory with the code and its history"):
        made = session.memory.draft_verified(wanted, write=apply)
    session.answer(
        {
            "files": [each.path for each in made.files],
            "applied": apply,
            "mended": [_json(each) for each in made.mended],
            "left": [_json(each) for each in made.left],
        },
        lambda: _draft(made, apply=apply),
    )
    untrue = made.left if apply else (*made.mended, *made.left)
    return int(any(each.state in fail_on for each in untrue))


def _draft(made: VerifyDraft, *, apply: bool) -> Iterator[str]:
    for each in made.files:
        if not apply:
            yield from reports.text_diff(f"a/{each.path}", each.before, f"b/{each.path}", each.after, style)
        else:
            yield f"Changed {each.path}"
    for left in made.left:
        yield from _found(left)
    yield (
        f"{count(len(made.mended), 'statement')} {'fixed' if apply else 'fixable'},"
        f" {len(made.left):,} left for you to decide{': edit, or --confirm what is still valid' if made.left else ''}."
    )


def _json(each: Statement) -> dict[str, object]:
    return {key: getattr(each, key) for key in (*_KEYS, *_MORE)}


def _text(
    session: Invocation, shown: Sequence[Statement], found: Sequence[Statement], since: str | None
) -> Iterator[str]:
    if not session.memory.has_files():
        yield none.nothing_found(session.memory.root)
        return
    denied, due = ([each for each in found if each.kind == kind] for kind in (CONTRADICTION, REVIEW))
    found, shown = ([each for each in rows if each.kind not in (CONTRADICTION, REVIEW)] for rows in (found, shown))
    for each in shown:
        yield from _found(each)
    for each in denied:
        where = style("place", f"{each.path}:{each.line}")
        yield f"{style('warning', 'denied ')}  {where}  {style('dim', _quoted(each))}"
        yield f"         {style('dim', each.note or '')}"
    for each in due:
        yield f"{style('warning', 'due    ')}  {style('place', f'{each.path}:{each.line}')}  {each.note}"
    yield _summary(found, since)
    if untrue := [each for each in found if each.state in UNTRUE]:
        is_mendable = bool(mend.draft(session.memory, untrue, write=False).mended)
        yield (
            f"Run `memdown verify --draft` to see edits, or {_CONFIRM}"
            if is_mendable
            else f"Edit it, or run {_CONFIRM}"
        )
    if denied:
        yield f"{count(len(denied), 'contradiction')} inside memory."
    if due:
        yield f"{count(len(due), 'review')} overdue."
    reasons = Counter(each.note for each in found if each.state == "unknown")
    for note, number in reasons.most_common(_REASONS) if len(shown) < len(found) else ():
        yield style("dim", f"{number:,} unknown: {note}")


def _found(each: Statement) -> Iterator[str]:
    state = style(_STYLES[each.state], f"{each.state:<7}")
    where = style("place", f"{each.path}:{each.line}")
    yield f"{state}  {where}  {style('strong', _named(each))}{_rest(each)}"
    if each.state in UNTRUE:
        yield f"         {style('dim', _quoted(each))}"


def _named(each: Statement) -> str:
    """What a statement is about; a version alone says too little."""
    return each.target if each.kind == "version" else each.claim.partition("\n")[0]


def _rest(each: Statement) -> str:
    is_value = each.state == "moved" or (each.state == "changed" and each.kind in ("literal", "version"))
    now = "" if not each.now else f" is now {each.now}" if is_value else f": {each.now}"
    by = f", by {each.commit[:8]} {each.subject} ({each.author}, {(each.since or '')[:10]})" if each.commit else ""
    notes = [each.note, f"by {each.evidence}" if each.kind == "symbol" and each.evidence in _GUESSED else None]
    told = "; ".join(filter(None, notes))
    note = f" ({told})" if told else ""
    return f"{now}{by}{note}"


def _quoted(each: Statement) -> str:
    line = each.text if len(each.text) <= 120 else f"{each.text[:119]}…"
    return f"> {line}"


def _summary(found: Sequence[Statement], since: str | None) -> str:
    counts = Counter(each.state for each in found)
    untrue = sum(counts[state] for state in UNTRUE)
    if since is not None:
        return f"{count(untrue, 'statement')} in memory became untrue since {since}."
    if not found:
        return "Memory says nothing about the code that can be verified."
    parts = ", ".join(
        f"{counts[state]:,} {state}" for state in (*reversed(UNTRUE), "fresh", "unknown") if counts[state]
    )
    return f"{count(len(found), 'statement')}: {parts}."


def _denials(denied: Sequence[Statement]) -> Iterator[str]:
    for each in denied:
        yield reports.annotation(
            "warning", each.path, each.line, "memory contradicts itself", f"{each.text} {each.note}"
        )


def _github(untrue: Sequence[Statement], since: str | None) -> Iterator[str]:
    for each in untrue:
        rest = _rest(each)
        state = "" if rest.startswith(" is now ") else f" is {each.state}"
        message = f"{_named(each)}{state}{rest}. Memory says: {each.text}"
        yield reports.annotation(
            "error" if each.state == "gone" else "warning", each.path, each.line, f"memory {each.state}", message
        )
    if untrue and since is not None:
        verb = "makes" if len(untrue) else ""
        message = f"This pull request {verb} {count(len(untrue), 'statement')} in memory untrue"
        yield reports.annotation("notice", untrue[0].path, untrue[0].line, "memdown verify", message)
