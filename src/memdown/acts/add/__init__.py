"""Adding: a new record, written where the project keeps its kind."""

import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Unpack, cast

from msgspec import Struct, structs

from memdown import times
from memdown.dialects import ADDRESSED, DIALECTS, FIRST, offered, read_as
from memdown.dialects.draft import OPTIONS, DraftFields, draft
from memdown.dialects.hollow import is_hollow
from memdown.errors import Ambiguous, Invalid, NotFound, Refused, quote, way
from memdown.homes import HOMES, NOUNS, SIGNS, personal_home
from memdown.index.keywords import keywords
from memdown.index.similar import SimilarRecord, similar
from memdown.index.sqlite import NAME
from memdown.index.words import is_metadata
from memdown.lazy import LazyModule
from memdown.markdown import cardfile
from memdown.markdown.line_ends import split_lines
from memdown.patterns import lazy
from memdown.project import Project
from memdown.record import Link, Record
from memdown.settings import config
from memdown.store.jail import STATE
from memdown.store.spelling import spelled
from memdown.text import apply

if TYPE_CHECKING:
    from memdown import git
    from memdown.dialects import named
    from memdown.index import handle
    from memdown.index.handle import Recent
    from memdown.markdown import blocks
else:
    git, handle = LazyModule("memdown.git"), LazyModule("memdown.index.handle")
    blocks, named = LazyModule("memdown.markdown.blocks"), LazyModule("memdown.dialects.named")

NEAREST = {
    "decision": ("card",),
    "directive": ("decision", "card"),
    "memory": ("note", "card"),
    "note": ("memory", "card"),
    "task": ("note", "card"),
}
"""The kinds that no format has to itself, and what a project may keep that has no place for one of them."""
_FIELDS = ("summary", "body", "author", "contributors", "scope", "status", "tags", "links")
_BECAUSE = lazy(r"\b(?:because|since(?! \d))\s+\S", re.IGNORECASE)
_PLURALS = {"memory": "memories of its authors"}
_NAMES = {"body": "text", "rationale": "reason", "links": "links", "depends": "dependencies"}


class Added(Struct, frozen=True):
    """The record that holds a memory now, and whether it was made for it."""

    record: Record
    created: bool
    notes: list[str] = []
    """What the caller should know: a time taken as UTC, what has no field in the format, the same content elsewhere."""
    written: list[str] = []
    similar: list[SimilarRecord] = []
    """What was there and is nearly the same, the nearest first."""
    guessed: list[str] = []
    """What nobody gave, what it was taken to be, and from where: `author: Ann (from git)`."""
    is_new_file: bool = False
    """Whether its file was made for it."""


class Insertion(Struct, frozen=True):
    """A new record, and the text of its file before and after."""

    record: Record
    before: str | None
    after: str
    beside: list[Record]
    """The records that its file had before."""


# Which dialect


def holder(project: Project, kind: str) -> str:
    """The dialect for a kind: one that has such records here, else one that is here, else that of new projects."""
    found = _keepers(project, kind)
    if len(found) > 1:
        return next((name for name in found if _keeps(project, name, kind)), found[0])
    if not found and kind in NEAREST:  # what has an address has one for each of these
        found = signed(project, ADDRESSED)
    found = found or _able(kind)
    if not found:
        known = sorted({each for name in _order() for each in DIALECTS[name].KINDS})
        raise Invalid(f"{quote(kind)} is not a kind that can be added; use {', '.join(known)}.")
    return found[0]


def kept_as(project: Project, kind: str) -> str:
    """The kind itself, or the nearest one that a project keeps whose dialects have no place for it.

    A kind that one format alone has names that format, and begins it.
    """
    near = next((each for each in (kind, *NEAREST.get(kind, ())) if _keepers(project, each)), kind)
    # Asked again, since another process may have begun a format for both between the two questions.
    return kind if near != kind and _keepers(project, kind) else near


def keeps(project: Project, kind: str) -> bool:
    """Whether a project has a place for a kind, without a format that is new to it."""
    return bool(_keepers(project, kind)) or holder(project, kind) in ADDRESSED


def _keepers(project: Project, kind: str) -> list[str]:
    """The dialects of a project that have a place for a kind; else those that its empty folders are for."""
    able = _able(kind)
    there = present(project, able)
    # A folder that is empty yet says what its project is to keep, unless much else has its name.
    named = (name for name in able if name not in SIGNS)
    return there or [name for name in named if any(spelled(project.root, project.config.homes(name)).values())]


def _able(kind: str) -> list[str]:
    return [name for name in _order() if kind in DIALECTS[name].KINDS]


def _order() -> list[str]:
    return [*FIRST, *(name for name in DIALECTS if name not in (*FIRST, *ADDRESSED))]


def present(project: Project, dialects: Iterable[str]) -> list[str]:
    """Those that a project has: the folder of each, and where others share that, a file of its own in it."""
    homes = {name: project.config.homes(name) for name in dialects}
    on_disk = spelled(project.root, chain.from_iterable(homes.values()))
    # Looked for before the room is loaded, since most projects have one dialect or two.
    return [
        name
        for name, own in homes.items()
        if (project.holds(name) if any(on_disk[home] for home in own) else project.config.is_root(name))
    ]


def require(project: Project, *wanted: str) -> None:
    """Refuse where a project keeps its memory in other dialects alone: nobody asked for another beside them."""
    there = signed(project, DIALECTS)
    # Those of one folder are kept together.
    if not there or any(HOMES[one] is HOMES[name] for one in wanted for name in there):
        return
    kinds = sorted({kind for name in there if name not in ADDRESSED for kind in DIALECTS[name].KINDS})
    own = " and its ".join(NOUNS[name] for name in there)
    instead = f"{way('add KIND')} writes there ({', '.join(kinds)})" if kinds else f"{way('layer create')} writes there"
    raise Refused(f"This project has no {NOUNS[wanted[0]]}, and none is started beside its {own}; {instead}.")


def signed(project: Project, dialects: Iterable[str]) -> list[str]:
    """Those that a project has, and does not only seem to have."""
    return [name for name in present(project, dialects) if _has_sign(project, name)]


def _has_sign(project: Project, dialect: str) -> bool:
    """Whether a folder is what its name says, where much else has that name too."""
    return not SIGNS.get(dialect) or any(spelled(project.root, SIGNS[dialect]).values())


def kinds_kept(project: Project, dialect: str) -> list[str]:
    """The kinds of which a dialect has records, and so gets the new ones."""
    return [kind for kind in DIALECTS[dialect].KINDS if _keeps(project, dialect, kind)]


def _keeps(project: Project, dialect: str, kind: str) -> bool:
    """Whether a dialect has a record of a kind where new ones would stand."""
    place, folder = DIALECTS[dialect].KINDS[kind], project.home(dialect)
    if "*" in place:
        inside = [name for name in project.inside_home(dialect) if fnmatchcase(name, place)]
        names = [f"{folder}/{name}" if folder else name for name in inside]
    else:
        names = [name for name in (project.file_of(dialect, place),) if project.files.exists(name)]
    return any(each.kind == kind for name in names for each in read_as(dialect, name, project.files.read(name)))


# Writing


def add(
    project: Project,
    kind: str,
    title: str,
    *,
    dialect: str,
    dedupe: str = "memory",
    signed: bool = True,
    **given: Unpack[DraftFields],
) -> Added:
    """Write a record, unless it is there already. With `signed`, whom git knows is the author where none is given.

    The same memory is the same content of the same time; with `dedupe="content"` the time does not matter.
    """
    guessed = fill(project, dialect, title, given, signed=signed)
    room, wanted = DIALECTS[dialect], draft(kind, title, **given)
    wanted = structs.replace(wanted, links=tuple(_resolved(project, dialect, kind, each) for each in wanted.links))
    record = room.prepare(wanted, project.now())
    notes: list[str] = []
    beside = begun(project, dialect, kind)
    recent: Recent | None = None
    with project.files.lock():
        if twin := offered(dialect, "twin"):
            recent = handle.recent(project) if (project.root / STATE / NAME).is_file() else None
            copies = list(_with_content(project, record, recent))
            there, more = twin(record, copies, by_content=dedupe == "content")
            notes += more
            if there is None and not given.get("at"):  # then it is no event of its own
                there = next((each for each in copies if _words(each.title) == _words(title)), None)
            if there is not None:
                return Added(there, created=False, notes=notes, guessed=guessed)
        name = project.file_of(dialect, room.place(record))
        if given.get("inbox"):
            name = _free(project, name)
        elif "*" in room.KINDS[kind] and (there := _in_own_file(project, record, name)):
            return Added(there, created=False, guessed=guessed)
        new = inserted(project, structs.replace(record, path=name))
        notes += _notes(given, record, new.record.id)
        near = similar(
            *(project.root, new.record, new.beside),
            index=recent.index if recent else handle.open_index(project),
            late=recent.late if recent else {},
        )
        titled = [*_of_same_title(project, new, near)]
        there = next((each for each in titled if _says_same(each, new.record)), None)
        if there is not None:
            return Added(there, created=False, guessed=guessed)
        changes = [(name, new.before, new.after), *project.beside(new.record)]
        project.files.note_title(new.record.title)
        with project.files.group() as group:
            for other, before, after in changes:
                group.save(other, after or "", over=before)
    if not project.home(dialect):  # a folder that is new there is another part of it
        project.config = config.load(project.root)
    written = [other for other, *_ in changes]
    notes += [*_unwritten(wanted, record, new), *beside, *_also_called(titled, given)]
    return Added(new.record, True, notes, written, near, guessed, new.before is None)


def fill(project: Project, dialect: str, title: str, given: DraftFields, *, signed: bool = True) -> list[str]:
    """What a dialect wants of every record and others know: who writes here, and the words of the text."""
    guessed = []
    unsigned = signed and not given.get("author") and offered(dialect, "SIGNED")
    author = _writer(project) if unsigned else None
    if author:
        given["author"] = author
        guessed.append(f"author: {author} (from git)")
    if offered(dialect, "KEYWORDED") and not given.get("tags"):
        given["tags"] = keywords(f"{title}\n{title}\n{given.get('text') or ''}") or ["memory"]
        guessed.append(f"keywords: {', '.join(given['tags'])} (from the text)")
    return guessed


def _writer(project: Project) -> str | None:
    """Who writes here, as git knows; personal memory is no repository, and is written from inside of one."""
    if known := git.person(project.root):
        return known
    return git.person(Path.cwd()) if project.root == Path(personal_home()).resolve() else None


def _resolved(project: Project, dialect: str, kind: str, link: Link) -> Link:
    """A link to what a new record replaces, as its dialect writes it; people name that as they name any record."""
    reference = offered(dialect, "reference")
    if reference is None or link.type != "supersedes" or times.read(link.target):
        return link
    known = [each for each in project.records() if each.dialect == dialect]
    for among in ([each for each in known if each.kind == kind], known):
        try:
            return Link(link.type, reference(named.only(among, link.target), known, project.now()))
        except Ambiguous:
            raise
        except NotFound:
            continue
    return link  # its dialect says what it cannot find


def inserted(project: Project, record: Record) -> Insertion:
    """A record as it would stand in its file, read back from there; refuses what a reader would not find."""
    name, room = record.path, DIALECTS[record.dialect]
    before = project.files.read(name) if project.files.exists(name) else None
    after = apply(before or "", room.insert(before or "", record))
    old = read_as(record.dialect, name, before or "")
    new = read_as(record.dialect, name, after)
    known = {each.id for each in old}
    found = [each for each in new[::-1] if _is(each, record)]
    if not found or len(_saying(new)) < len(_saying(old)):
        raise Refused(f"{name} would {_why_not(record, old, new, after)}")
    return Insertion(next((each for each in found if each.id not in known), found[0]), before, after, old)


def _saying(records: Sequence[Record]) -> list[Record]:
    """The records that say something; a placeholder may go when its place is taken."""
    return [each for each in records if not is_hollow(each)]


def _why_not(record: Record, old: Sequence[Record], new: Sequence[Record], after: str) -> str:
    """What a file would do to a new record, or to one that it has, so that the new one is not written."""
    if hidden := blocks.hiding(after):
        return f"hide the new {record.kind} with {hidden}; close it first."
    known, still = {each.id for each in old}, {each.id for each in new}
    lost = next((each for each in _saying(old) if each.id not in still), None)
    if lost is not None:
        return f"no longer show the {lost.kind} {quote(lost.title or '')}; nothing was written."
    other = next((each for each in new if each.id not in known and _plain(each.title) == _plain(record.title)), None)
    if other is not None and other.kind != record.kind:
        return f"read {quote(record.title or '')} as a {other.kind}, not as a {record.kind}; give it other words."
    return f"not show the new {record.kind} as it was given; give it other words."


def _plain(title: str | None) -> str:
    """A title without the marks of emphasis, which a reader may take off."""
    return (title or "").replace("*", "").replace("_", "").strip()


def _is(found: Record, wanted: Record) -> bool:
    """Whether a record that was read is the one that was to be written; a reader may shorten a title."""
    title = _plain(found.title).removesuffix("…")
    named = found.kind == wanted.kind and (not wanted.title or _plain(wanted.title).startswith(title))
    given = [name for name in _FIELDS if name != "links" and getattr(wanted, name)]
    return named and all(getattr(found, name) == getattr(wanted, name) for name in given)


def _free(project: Project, name: str) -> str:
    """The name, or the first numbered one that no file has."""
    number, free = 2, name
    while project.files.exists(free):
        free, number = f"{name.removesuffix('.md')}-{number}.md", number + 1
    return free


# What is there already


def _of_same_title(project: Project, new: Insertion, near: Sequence[SimilarRecord]) -> Iterator[Record]:
    """Records in force that are called as a new one is."""
    beside = {each.id: each for each in new.beside}
    for each in near:
        others = () if each.id in beside else project.parse(each.path, project.files.read(each.path)).records
        found = beside.get(each.id) or next((other for other in others if other.id == each.id), None)
        if found is not None and found.kind == new.record.kind and _words(found.title) == _words(new.record.title):
            yield found


def _in_own_file(project: Project, record: Record, name: str) -> Record | None:
    """A record that says the same in the file that is named by its title."""
    if not project.files.exists(name):
        return None
    written = read_as(record.dialect, name, apply("", DIALECTS[record.dialect].insert("", record)))
    texts = [_text(each) for each in written if _is(each, record)]
    found = read_as(record.dialect, name, project.files.read(name))
    same = (each for each in found if each.kind == record.kind and _words(each.title) == _words(record.title))
    return next((each for each in same if _text(each) in texts), None)


def _says_same(there: Record, new: Record) -> bool:
    """Whether a record of the same title stands for a new one: in the same file or one of its own, word for word."""
    near = there.path == new.path or not there.line > 1
    return near and there.status == new.status and _text(there) == _text(new)


def _text(record: Record) -> list[str]:
    """What a record says, without the fields that tell only when and by whom."""
    lines = split_lines("\n".join(filter(None, (record.summary, record.body, record.rationale))))
    return [word for line in lines if not is_metadata(line) for word in line.split()]


def _words(text: str | None) -> list[str]:
    return (text or "").casefold().split()


# What the caller should know


def _also_called(titled: Sequence[Record], given: DraftFields) -> Iterator[str]:
    replaced = {target.casefold() for target in given.get("supersedes") or ()}
    for each in titled:
        if not replaced & {each.id, (each.title or "").casefold()}:
            yield (
                f"{each.path}:{each.line} has another {each.kind} with this title ({each.id}); both are kept. "
                f"Use {way('--supersedes')} if the new one replaces it."
            )


def instead(kind: str, kept: str) -> list[str]:
    """What is said where a project has no place for a kind that was given."""
    return [] if kept == kind else [f"This project keeps no {_PLURALS.get(kind, f'{kind}s')}, so this is a {kept}."]


def as_card(title: str, given: DraftFields) -> DraftFields:
    """What was given of another kind, as a card has it: all of it in the text."""
    why, text, summary = given.get("why"), given.get("text") or "", given.get("summary") or ""
    parts = ("" if summary in text else summary, text or ("" if summary else title), f"Why: {why}" if why else "")
    left = {name: value for name, value in given.items() if name not in ("why", "summary")}
    return cast("DraftFields", {**left, "text": "\n\n".join(filter(None, parts))})


def begun(project: Project, dialect: str, kind: str) -> list[str]:
    """What is said where a format begins that nobody named, beside those that the project has."""
    there = present(project, DIALECTS)
    others = [name for name in there if name != dialect and _has_sign(project, name)]
    if not others or dialect in there or holder(project, kind) != dialect:
        return []
    if kind in NEAREST and any(HOMES[dialect] is HOMES[name] for name in others):  # one folder is one memory
        return []
    own = " and its ".join(NOUNS[name] for name in others)
    begins = f"This begins a {NOUNS[dialect]} in {project.home(dialect)}/ beside this project's {own}"
    return [f"{begins}, which keeps no such kind."]


def _notes(given: DraftFields, record: Record, id: str) -> Iterator[str]:
    at = given.get("at") or ""
    asked = times.read(at)
    if asked and record.at and not _is_same_time(asked, record.at):
        yield f"The time {quote(at)} was not written: a {record.kind} here has the time at which it is added."
    elif asked and record.at and record.at.zone and asked.offset is None and asked.precision != "day":
        yield f"The time {quote(at)} has no zone; it was taken as UTC."
    if record.kind in ("decision", "directive") and not given.get("why") and not _says_why(given, record):
        later = (
            way("edit --why TEXT", id)
            if offered(record.dialect, "WHY_LATER")
            else f"{way('undo')} and add it with {way('--why')}"
        )
        yield f"This {record.kind} has no rationale; to give it one, {later}."


def _is_same_time(asked: times.Moment, written: times.Moment) -> bool:
    """Whether a record has the time that was given for it, as far as it says when it was."""
    if "day" in (asked.precision, written.precision):
        return asked.local.date() == written.local.date()
    return asked.instant().replace(microsecond=0) == written.instant().replace(microsecond=0)


def _says_why(given: DraftFields, record: Record) -> bool:
    """Whether what was written gives a reason in so many words."""
    return any(_BECAUSE.search(each or "") for each in (record.title, given.get("text"), given.get("summary")))


def _unwritten(given: Record, record: Record, new: Insertion) -> Iterator[str]:
    """What was given and stands nowhere, since the format has no field for it."""
    written = " ".join(new.record.span.of(new.after).split())
    values = {name: getattr(given, name) for name in _FIELDS} | dict(given.extra)
    lost = [
        _NAMES.get(name, name)
        for name, value in values.items()
        if value and name not in OPTIONS and not getattr(record, name, None) and not record.extra.get(name)
        and not (isinstance(value, str) and " ".join(value.split()) in written)
    ]  # fmt: skip
    if lost:
        yield f"A {record.kind} in {new.record.path} has no field for {', '.join(lost)}; that was not written."


def _with_content(project: Project, record: Record, recent: "Recent | None") -> Iterator[Record]:
    """Records of a kind with this content, by file name; the index knows where, else only likely files are parsed."""
    content = record.body or ""
    longest = max(content.split("\n"), key=len)
    late = recent.late if recent else {}
    names = recent.with_content(cardfile.content_hash(content)) if recent else project.names()
    for name in sorted({*names, *(name for name, records in late.items() if records)}):
        if name in late:
            yield from (each for each in late[name] if each.kind == record.kind and each.body == content)
            continue
        text = project.files.read(name) if project.files.exists(name) else ""
        if longest in text:
            found = project.parse(name, text).records
            yield from (each for each in found if each.kind == record.kind and each.body == content)
