"""Proposing: a record for a source that others keep, as a branch or a patch that somebody else takes."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from memdown import git, sources
from memdown.acts import add
from memdown.dialects import ADDRESSED, DIALECTS, relations
from memdown.dialects.draft import DraftFields, draft
from memdown.errors import Exists, Refused, quote
from memdown.git import proposal
from memdown.index.words import labelled
from memdown.markdown.line_ends import split_lines
from memdown.patterns import lazy
from memdown.project import Project
from memdown.record import Record
from memdown.settings import config
from memdown.sources import BranchChange, Source
from memdown.store.patch import patch

_FIELDS = ("context", "selected", "trade_offs", "consequences", "expires")
_LABELS = frozenset("date status rationale reason why supersedes author by timestamp summary type".split()) | {
    name.replace("_", sign) for name in _FIELDS for sign in " -"
}
_INSTEAD = {
    "decision": ("card",),
    "directive": ("decision",),
    "memory": ("note",),
    "note": ("memory",),
    "card": ("note",),
}
"""What a source may keep that has no place for a kind."""
_NAME = 40
_OTHER = lazy(r"[^a-z0-9]+")


class SourceProposal(Struct, frozen=True):
    """A record as it would stand in a source."""

    source: str
    path: str
    """The folder of the source."""
    files: list[str]
    diff: str
    branch: str | None = None
    commit: str | None = None
    patch: str | None = None
    """The same as `diff`, where no branch can be made: in a folder without git, or one that is only read."""
    url: str | None = None


def propose(project: Project, record: Record, to: str, *, write: bool = True) -> SourceProposal:
    """Work out what a source would hold, and put that on a branch there."""
    source = sources.find(project.root, to)
    root = Path(source.path)
    with Project(root, now=project.now, settings=config.load_leniently(root)) as other:
        texts = _texts(project, other, record, source)
    for name, (_, after) in texts.items():
        project.files.refuse_credential(after, f"{quote(name)} in the source {quote(to)}")
    diff = "".join(patch(name, before, after) for name, (before, after) in texts.items())
    made = SourceProposal(source.name, source.path, [*texts], diff, url=source.url)
    if source.read_only or not git.head(root):
        return structs.replace(made, patch=diff)
    branch = _branch(record)
    if not write:
        return structs.replace(made, branch=branch)
    message = f"Propose: {record.title}\n\nFrom {project.root.name}, {record.path}:{record.line}\n"
    commit = proposal.propose(root, branch, {name: after for name, (_, after) in texts.items()}, message)
    change = BranchChange(source.path, branch, "", commit)
    project.files.note_title(record.title)
    project.files.log_outside(msgspec.json.encode(change).decode())
    return structs.replace(made, branch=branch, commit=commit)


def _branch(record: Record) -> str:
    """A name that any git takes, and that tells what is proposed."""
    words = _OTHER.sub("-", (record.title or record.kind).lower()).strip("-")[:_NAME].strip("-")
    id = _OTHER.sub("-", record.id.rpartition("/")[2].lower()).strip("-")[:8].strip("-")
    return "memdown/" + "-".join(filter(None, (words, id)))


def _texts(project: Project, other: Project, record: Record, source: Source) -> Mapping[str, tuple[str | None, str]]:
    """The files of a source that change, before and after."""
    kinds = [record.kind, *_INSTEAD.get(record.kind, ())]
    if record.kind == "card" and _why(record):
        kinds.insert(1, "decision")  # which is what `add --why` would have made of it there
    kind = next((each for each in kinds if _is_kept(other, each)), kinds[-1])
    dialect = add.holder(other, kind if _is_kept(other, kind) else record.kind)
    if dialect in ADDRESSED:
        raise Refused(f"{quote(source.name)} is a layered store, to which nothing can be proposed.")
    kind = kind if kind in DIALECTS[dialect].KINDS else record.kind
    known = list(other.records())
    over = relations.resolve(known)
    for each in known:
        same = (each.kind, (each.title or "").casefold()) == (kind, (record.title or "").casefold())
        if same and not over.is_superseded(each):
            raise Exists(f"{quote(source.name)} has this {kind} already, in {each.path}:{each.line}")
    room = DIALECTS[dialect]
    given, title = _given(record, kind), record.title or record.kind
    add.fill(project, dialect, title, given)
    wanted = room.prepare(draft(kind, title, **given), other.now())
    new = add.inserted(other, structs.replace(wanted, path=other.file_of(dialect, room.place(wanted))))
    changes = [(new.record.path, new.before, new.after), *other.beside(new.record)]
    return {name: (before, after) for name, before, after in changes if after is not None}


def _is_kept(other: Project, kind: str) -> bool:
    return bool(add.present(other, [name for name, room in DIALECTS.items() if kind in room.KINDS]))


def _given(record: Record, kind: str) -> DraftFields:
    """What a record has, as it is given for a new one of a kind."""
    why, text = _why(record), "\n".join(_telling(record)).strip()
    given: DraftFields = {
        "text": text if text != record.title else None,
        "summary": record.summary if record.summary != record.title else None,
        "why": why,
        "author": record.author,
        "contributors": record.contributors,
        "tags": record.tags,
    }
    if kind == "card":
        reason = f"\n\nWhy: {why}" if why else ""
        given["text"] = record.body if record.kind == kind else f"{given['text'] or record.title}{reason}"
    extra = {name: value for name in _FIELDS if isinstance(value := record.extra.get(name), str)}
    return {**given, **extra}  # type: ignore[typeddict-item]


def _why(record: Record) -> str | None:
    """Its reason: that of a card is a line of its text."""
    stated = (labelled(line) for line in split_lines(record.body or "") if record.kind == "card")
    return record.rationale or next((reason.strip() for label, reason in stated if label == "why"), None) or None


def _telling(record: Record) -> Iterator[str]:
    """The lines of its text that are no field of their own; the text of a card has no other field than its reason."""
    fields = ("why",) if record.kind == "card" else _LABELS
    for line in split_lines(record.body or ""):
        if labelled(line)[0] not in fields:
            yield line
