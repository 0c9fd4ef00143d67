"""Slimming: how grown memory gets down to a number of tokens, as proposals that a person takes or leaves.

Whatever goes is in an archive, with a link to it in the file; each proposal is planned by the one archiver, which
proves that no line is lost. What is taken together is one step that `undo` takes back.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import groupby
from pathlib import PurePosixPath

from msgspec import Struct, structs

from memdown.archiver import ArchivePlan, plan, save
from memdown.dialects import offered
from memdown.dialects.due import SORTS, Due, GrownFile
from memdown.errors import NotFound, nearest, quote, way
from memdown.markdown import blocks, frontmatter, tokens
from memdown.patterns import lazy
from memdown.project import Project
from memdown.record import Document
from memdown.store.patch import patch
from memdown.text import Edit, Span, after_line, apply, eol_of, line_end

TARGET = 5000
"""The tokens that memory should cost a session, unless a person says otherwise."""

_COMPLETED, _UNDATED_DONE, _DATED, _DECISION, _DETAIL = SORTS
_REPEATS = "repeats"
_STAGES = (_COMPLETED, _REPEATS, _UNDATED_DONE, "", _DATED, "archived", _DECISION, _DETAIL)
"""The sorts of proposals, in the order in which a reader misses least what they take."""
_NOUNS = {
    _COMPLETED: "completed entry",
    _UNDATED_DONE: "completed item without a date",
    _DECISION: "decision",
}
_IDS = {"": "", _DETAIL: "sections", _DECISION: "", "archived": "", _REPEATS: "repeats"}
"""How the id of a proposal ends, where the file and the month do not say enough."""
_KEEP = 3
"""The newest entries of a file that stay."""
_LINKS = lazy(r"^> Archived: [^\r\n]*", re.MULTILINE)
_LINE = "> Archived: "
_SLUG = lazy(r"[^a-z0-9]+")

Key = tuple[str, str]
"""What makes entries of one file one proposal: their sort, and their archive or their month."""


class Proposal(Struct, frozen=True):
    """One way to make a file shorter."""

    id: str
    proposal: str
    """What it does, a sentence without its period."""
    path: str
    archives: list[str]
    """Where what goes can be read."""
    diff: str
    """What would change, as `git apply` takes it."""
    saves_tokens: int


class LongFile(Struct, frozen=True):
    """What a file costs."""

    path: str
    tokens: int


class Slimming(Struct, frozen=True):
    """What can be done, or what was done, to get down to a number of tokens."""

    target: int
    tokens_before: int
    tokens_after: int
    """With every proposal taken, or with those that were."""
    proposals: list[Proposal]
    files: list[LongFile]
    """What each file would cost then, or does now; the longest first."""
    written: list[str] = []


class _File:
    """A file that has grown, and what of it can be taken."""

    def __init__(self, grown: GrownFile) -> None:
        self.doc, self.archivist, self._by_month = grown.doc, grown.archivist, grown.by_month
        self.said_once = grown.said_once
        self.cost = tokens.estimate(self.doc.text)
        self._dues = self.archivist.due(self.doc)

    def key(self, due: Due) -> Key:
        return due.action, f"{due.day:%Y-%m}" if self._by_month and due.day else due.target

    def groups(self) -> Iterator[tuple[Key, list[Due]]]:
        going = [due for due in self._dues if due.target]
        for key, dues in groupby(sorted(going, key=self.key), self.key):
            yield key, list(dues)

    def planned(self, project: Project, keys: Sequence[Key]) -> ArchivePlan:
        """What taking some of it comes to."""
        doc, chosen = self.doc, frozenset(keys)
        if self.said_once is not None and any(sort == _REPEATS for sort, _ in keys):
            doc = project.parse(doc.path, self.said_once)

        def only(doc: Document) -> list[Due]:
            return [
                each if not each.target or self.key(each) in chosen else structs.replace(each, target="", edits=())
                for each in (self._dues if doc is self.doc else self.archivist.due(doc))
                if each.target or not each.edits
            ]

        found = plan(project, doc, structs.replace(self.archivist, due=only, trimmed=self._linked))
        return structs.replace(found, before=self.doc.text)

    def _linked(self, doc: Document, text: str, going: Sequence[Due]) -> str:
        """The file after entries left it, with a link to each archive by month."""
        text = self.archivist.trimmed(doc, text, going)
        return with_links(doc.path, text, [each.target for each in going if each.action != _DETAIL])


def slim(
    project: Project,
    *,
    to: int = TARGET,
    take: Sequence[str] | None = None,
    everything: bool = False,
    write: bool = True,
) -> Slimming:
    """Proposals that get memory down to `to` tokens; with `take` those of these ids are taken, else all of them.

    Proposals that save nothing, and those that are not needed to get there, are left out. With `write=False`, none is
    taken.
    """
    writes = write and (everything or take is not None)
    with project.snapshot(), project.files.lock(when=writes):
        files, proposals = _rounds(project, to, take)
        before = sum(each.cost for each in files.values())
        found = list(_enough(proposals, before, to, whole=take is not None))
        chosen = found if take is None else _named([each for each, _ in found], take, found)
        plans = _plans(project, files, chosen)
        if writes:
            for each in plans:
                project.files.allow(each.path)
            save(project, plans)
    after = {path: each.cost for path, each in files.items()} | {
        each.path: tokens.estimate(each.after) for each in plans
    }
    return Slimming(
        target=to,
        tokens_before=before,
        tokens_after=sum(after.values()),
        proposals=[each for each, _ in chosen],
        files=sorted((LongFile(path, cost) for path, cost in after.items()), key=lambda each: -each.tokens),
        written=[name for each in plans for name in (*each.archives, each.path)] if writes else [],
    )


def _rounds(
    project: Project, to: int, take: Sequence[str] | None
) -> tuple[dict[str, _File], list[tuple[Proposal, tuple[str, Key]]]]:
    """What there is to take: with some of the newest entries kept, and when that is not enough, with one."""
    for keep in (_KEEP, 1):
        grown = (each for dialect in project.offering("to_slim") for each in offered(dialect, "to_slim")(project, keep))
        files = {each.doc.path: _File(each) for each in grown}
        cost = sum(each.cost for each in files.values())
        found = _proposals(project, files) if cost > to or take is not None else []
        enough = cost - sum(each.saves_tokens for each, _ in found) <= to
        if enough and (take is None or {*take} <= {each.id for each, _ in found}):
            break
    return files, found


# Proposals


def _proposals(project: Project, files: Mapping[str, _File]) -> list[tuple[Proposal, tuple[str, Key]]]:
    """All that save something, in the order in which they are best taken: by sort, then the oldest first."""
    found: list[tuple[tuple[int, date, int], str, Key, str]] = []
    for path, file in files.items():
        if file.said_once is not None:
            found.append(((_stage(_REPEATS), date.min, 0), path, (_REPEATS, ""), "Remove duplicates"))
        for key, dues in file.groups():
            newest = max((due.day for due in dues if due.day), default=date.max)
            size = -sum(len(due.text) for due in dues) if key[0] == _DETAIL else 0
            found.append(((_stage(key[0]), newest, size), path, key, _sentence(key, dues)))
    made, ids = [], set[str]()
    for _, path, key, sentence in sorted(found, key=lambda each: each[0]):
        proposal = _proposal(project, files[path], key, sentence, ids)
        if proposal:
            ids.add(proposal.id)
            made.append((proposal, (path, key)))
    return made


def _stage(sort: str) -> int:
    return _STAGES.index(sort)


def _proposal(project: Project, file: _File, key: Key, sentence: str, ids: set[str]) -> Proposal | None:
    planned = file.planned(project, [key])
    saved = file.cost - tokens.estimate(planned.after)
    if saved <= 0:
        return None
    texts = {**planned.archives, planned.path: (planned.before, planned.after)}
    return Proposal(
        id=_id(file.doc.path, key, ids),
        proposal=f"{sentence} in {quote(file.doc.path)}" if key[0] == _REPEATS else sentence,
        path=file.doc.path,
        archives=list(planned.archives),
        diff="".join(patch(name, *both) for name, both in texts.items()),
        saves_tokens=saved,
    )


def _sentence(key: Key, dues: Sequence[Due]) -> str:
    sort, _ = key
    if sort == _DETAIL:
        sections = [each.title for each in dues if each.edits]
        if len(sections) == 1:
            return f"Move the section {quote(sections[0])} to a file of its own"
        return f"Move {len(sections):,} long sections to a file of their own"
    days = sorted(due.day for due in dues if due.day)
    noun = _NOUNS.get(sort, "dated entry" if days else "entry")
    plural = noun.replace("entry", "entries") if "entry" in noun else noun.replace("item", "items", 1)
    plural = plural if plural != noun else f"{noun}s"
    when = f" from {days[0]:%Y-%m}" if days else ""
    return f"Archive {len(dues):,} {noun if len(dues) == 1 else plural}{when}"


def _id(path: str, key: Key, taken: set[str]) -> str:
    """A short name for a proposal, the same as long as what it takes is: the file, the sort and the month."""
    sort, place = key
    month = re.search(r"\d{4}-\d\d(?=\.md$|$)", place)
    parts = [PurePosixPath(path).stem, month.group() if month else "", _IDS.get(sort, sort)]
    slug = _SLUG.sub("-", "-".join(part for part in parts if part).lower()).strip("-")[:48].strip("-")
    if slug in taken:  # the history of another agent, or a section of the same title
        slug = _SLUG.sub("-", f"{PurePosixPath(path).parent.name}-{slug}".lower()).strip("-")
    number, unique = 2, slug
    while unique in taken:
        unique, number = f"{slug}-{number}", number + 1
    return unique


def _enough(
    proposals: Sequence[tuple[Proposal, tuple[str, Key]]], cost: int, to: int, *, whole: bool
) -> Iterator[tuple[Proposal, tuple[str, Key]]]:
    """As many of them as it takes."""
    for each in proposals:
        if cost <= to and not whole:
            return
        yield each
        cost -= each[0].saves_tokens


def _named(
    known: Sequence[Proposal], ids: Sequence[str], found: Sequence[tuple[Proposal, tuple[str, Key]]]
) -> list[tuple[Proposal, tuple[str, Key]]]:
    """Those that a person names."""
    there = {each.id: number for number, each in enumerate(known)}
    for id in ids:
        if id not in there:
            near = nearest(id, there)
            hint = f"did you mean {' or '.join(near)}?" if near else f"{way('slim')} lists them."
            raise NotFound(f"There is no proposal {quote(id)}; {hint}")
    return [found[there[id]] for id in dict.fromkeys(ids)]


def _plans(
    project: Project, files: Mapping[str, _File], chosen: Sequence[tuple[Proposal, tuple[str, Key]]]
) -> list[ArchivePlan]:
    keys: dict[str, list[Key]] = {}
    for _, (path, key) in chosen:
        keys.setdefault(path, []).append(key)
    plans = (files[path].planned(project, wanted) for path, wanted in keys.items())
    return [each for each in plans if each.after != each.before]


# The link that is left behind


def with_links(path: str, text: str, targets: Sequence[str]) -> str:
    """A file with one line that links its archives, the newest first, below its title."""
    home = f"{path.rpartition('/')[0]}/"
    held = _LINKS.search(text)
    known = dict(re.findall(r"\[([^\]\[]*)\]\(([^()\s]*)\)", held.group())) if held else {}
    new = {_label(target): target.removeprefix(home) for target in targets}
    if not new.items() - known.items():
        return text
    links = [f"[{label}]({target})" for label, target in sorted((known | new).items(), reverse=True)]
    line = f"{_LINE}{', '.join(links)}"
    if held:
        return apply(text, [Edit(Span(*held.span()), line)])
    eol = eol_of(text)
    at = _below_title(text)
    before = "" if at == 0 or text[:at].endswith(("\n\n", "\r\n\r\n")) else eol
    after = eol if at == len(text) or not text[at : line_end(text, at)].strip() else eol + eol
    lead = eol if at and not text[:at].endswith(("\n", "\r")) else ""
    return apply(text, [Edit(Span(at, at), f"{lead}{before}{line}{after}")])


def _below_title(text: str) -> int:
    """Where the text below the title of a file begins; without a title, that of the file itself."""
    front = frontmatter.read(text)
    start = front.body if front else len(text) - len(text.removeprefix("\ufeff"))
    first = next(iter(blocks.scan(text, start)), None)
    if first is None or first.kind != "heading" or first.level != 1:
        return start
    return after_line(text, first.span.end)


def _label(target: str) -> str:
    month = re.search(r"\d{4}-\d\d(?=\.md$)", target)
    return month.group() if month else PurePosixPath(target).stem
