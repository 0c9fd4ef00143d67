"""Several changes of a memory bank as one value, and the edits they come to, file by file."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

import msgspec
from msgspec import Struct, structs

from memdown.dialects.bank import open_ends, parts, write
from memdown.dialects.bank.grammar import HOMES, layer_of
from memdown.dialects.bank.items import SectionEdit
from memdown.dialects.bank.templates import LAYERS, UPDATE_ORDER, Layer
from memdown.dialects.bank.write import Active, DecisionFields
from memdown.errors import Ambiguous, Invalid, NotFound, fault_of, quote
from memdown.record import Record

Make = Callable[[str], SectionEdit]
STABLE = tuple(layer.file for layer in LAYERS[:4])
"""Files whose sections are set as a whole."""


class Milestone(Struct, frozen=True, forbid_unknown_fields=True):
    """A milestone, new or with another status."""

    name: str
    status: str = ""
    summary: str = ""


class Decided(DecisionFields, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A decision for the log."""

    title: str
    date: str | None = None
    """The day it was made; None is today."""
    supersedes: str | None = None
    """The number, the title or the id of the decision it replaces."""


class BankUpdate(Struct, frozen=True, forbid_unknown_fields=True):
    """What is new since the memory was last updated."""

    # Progress
    start: tuple[str, ...] = ()
    complete: tuple[str, ...] = ()
    resolve: tuple[str, ...] = ()
    add: tuple[str, ...] = ()
    """For In Progress."""
    plan: tuple[str, ...] = ()
    """For Upcoming."""
    issues: tuple[str, ...] = ()
    debts: tuple[str, ...] = ()
    milestones: tuple[Milestone, ...] = ()
    # Active context
    focus: str = ""
    state: str = ""
    changes: tuple[str, ...] = ()
    active_decisions: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    close: tuple[str, ...] = ()
    """Questions, blockers, next steps and pending decisions that are over."""
    # Decision log
    decisions: tuple[Decided, ...] = ()
    # The other four
    sections: dict[str, dict[str, str]] = {}
    """The file, the heading, and the new text below it."""
    replace: bool = False
    """Whether a section that is set loses its sub-sections too."""


T = TypeVar("T", bound=BankUpdate)


class Ending(BankUpdate, frozen=True, forbid_unknown_fields=True):
    """The same at the end of a session; with `replace`, the active context is written anew."""

    summary: str = ""
    """What the session did, in a sentence or two."""
    clear: tuple[str, ...] = ()
    """Lists of the active context that are over as a whole."""


def read(kind: type[T], data: bytes | str) -> T:
    """An update from JSON."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        raise Invalid(f"The update cannot be read: {fault_of(error)}.") from None


def made(kind: type[T], fields: Mapping[str, object]) -> T:
    """An update from its fields by name."""
    try:
        return msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        raise Invalid(f"The update cannot be read: {error}.") from None


def together(first: T, then: T) -> T:
    """Two updates as one: lists one after the other; of texts, those of the second where it has any."""
    fields = structs.asdict(first)
    for name, new in structs.asdict(then).items():
        old = fields[name]
        if isinstance(old, tuple):
            fields[name] = (*old, *new)
        elif isinstance(old, dict):
            fields[name] = {file: {**old.get(file, {}), **new.get(file, {})} for file in {**old, **new}}
        else:
            fields[name] = new or old
    return structs.replace(first, **fields)


def acts(
    update: BankUpdate, day: Callable[[str | None], str], read_log: Callable[[str], Sequence[Record]]
) -> dict[str, list[Make]]:
    """What to do to which of the seven files, in the order of writing.

    `day` reads a date, or tells today's; `read_log` gives the records of a decision log's text.
    """
    found = {
        write.PROGRESS.file: [*_progress(update, day(None))],
        write.ACTIVE.file: [*_active(update, day(None))],
        write.LOG.file: [_decision(each, day(each.date), read_log) for each in update.decisions],
    }
    for file, sections in update.sections.items():
        layer = _stable(file)
        texts = (
            partial(parts.set_part, layer=layer, name=name, new=new, replace=update.replace)
            for name, new in sections.items()
        )
        found[layer.file] = [*found.get(layer.file, ()), *texts]
    return {layer.file: found[layer.file] for layer in UPDATE_ORDER if found.get(layer.file)}


def whole(ending: Ending, day: str) -> Active:
    """The active context of a session alone."""
    return Active(
        focus=ending.focus,
        changes=tuple(_changes(ending, day)),
        state=ending.state,
        decisions=ending.active_decisions,
        questions=ending.questions,
        blockers=ending.blockers,
        next_steps=ending.next_steps,
    )


def dated(text: str, day: str) -> str:
    """Something that was done, with the day."""
    return f"{text.rstrip()} — {day}" if text.strip() else text


def _changes(update: BankUpdate, day: str) -> Iterator[str]:
    if isinstance(update, Ending) and update.summary.strip():
        yield dated(update.summary, day)
    yield from (dated(each, day) for each in update.changes)


def _progress(update: BankUpdate, day: str) -> Iterator[Make]:
    # What names an item goes before new items, which could fit its name too.
    yield from (partial(write.start, wanted=each) for each in update.start)
    yield from (partial(write.complete, wanted=each, day=day) for each in update.complete)
    yield from (partial(write.resolve, wanted=each, day=day) for each in update.resolve)
    yield from (partial(write.new_item, content=each, name="In Progress") for each in update.add)
    yield from (partial(write.new_item, content=each, name="Upcoming") for each in update.plan)
    yield from (partial(write.new_item, content=each, name="Known Issues") for each in update.issues)
    yield from (partial(write.new_item, content=each, name="Technical Debt") for each in update.debts)
    yield from (partial(_milestone, milestone=each) for each in update.milestones)


def _milestone(text: str, milestone: Milestone) -> SectionEdit:
    """A status for the milestone of this name, or a new one."""
    try:
        return write.set_milestone(text, milestone.name, milestone.status)
    except NotFound as missing:
        if isinstance(missing, Ambiguous):
            raise
        return write.new_milestone(text, milestone.name, milestone.status, milestone.summary)


def _active(update: BankUpdate, day: str) -> Iterator[Make]:
    lists: dict[str, Iterable[str]] = {
        "Recent Changes": _changes(update, day),
        "Active Decisions": update.active_decisions,
        "Open Questions": update.questions,
        "Blockers": update.blockers,
        "Next Steps": update.next_steps,
    }
    yield from (partial(open_ends.close, wanted=each) for each in update.close)
    if isinstance(update, Ending):
        yield from (partial(open_ends.clear, name=each) for each in update.clear)
    for name, content in (("Current Focus", update.focus), ("Current State", update.state)):
        if content:
            yield partial(write.set_text, name=name, content=content, replace=update.replace)
    for name, lines in lists.items():
        yield from (partial(write.add_line, name=name, content=each, once=isinstance(update, Ending)) for each in lines)


def _decision(decided: Decided, day: str, read_log: Callable[[str], Sequence[Record]]) -> Make:
    choice = msgspec.convert(
        {name: getattr(decided, name) for name in DecisionFields.__struct_fields__}, DecisionFields
    )
    if decided.supersedes:
        old, title = decided.supersedes, decided.title
        return partial(write.supersede, old=old, title=title, choice=choice, day=day, read=read_log)
    return partial(write.new_decision, title=decided.title, choice=choice, day=day)


def _stable(file: str) -> Layer:
    layer = layer_of(f"{HOMES[0]}/{file}")
    if layer is None or layer.file not in STABLE:
        raise Invalid(f"Sections of {quote(file)} cannot be set; those of {', '.join(STABLE)} can.")
    return layer
