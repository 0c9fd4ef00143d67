"""The versions of records, from now back to where they began: through edits, renames, moves, archives and merges.

A record is looked for in each parent of a commit that changed its file. Most commits change something else in that
file, so a text is parsed only where the record's own lines, or the headings above them, may be others than before.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from msgspec import Struct, structs

from memdown.git.walk import FileChange, FileState, HistoryCommit
from memdown.history.assistants import assistant
from memdown.history.changes import RecordChange, change_of, changes
from memdown.history.pairs import pairs
from memdown.history.past import Past, renamed
from memdown.patterns import lazy
from memdown.record import Document, Record
from memdown.text import Span

_LINE = lazy(r"\S[^\n]*(?:\n|\Z)")
_HEADING = lazy(r"^(#{1,6})[ \t]", re.MULTILINE)
_FAR = lazy(r"```|~~~|<!--|-->|^(?:---|===|\+\+\+)", re.MULTILINE)
"""What may change how text far below it is read."""


class LoggedChange(RecordChange, frozen=True, kw_only=True):
    """What a commit did to a record."""

    commit: str | None
    """None for what is not committed yet."""
    at: str | None
    author: str | None
    assistant: str | None
    """The assistant that had a hand in the commit, by its trailers or its author."""
    subject: str | None
    """The first line of the commit's message."""


class _Handle(Struct):
    """A record in one version of its file."""

    record: Record
    state: FileState
    sure: bool = True
    """Whether it was seen in a version of this branch."""


def logged(change: RecordChange, commit: HistoryCommit) -> LoggedChange:
    known = bool(commit.commit)
    return LoggedChange(
        **structs.asdict(change),
        commit=commit.commit or None,
        at=commit.at or None,
        author=commit.author if known else None,
        assistant=assistant(commit.author, commit.email, commit.trailers) if known else None,
        subject=commit.title if known else None,
    )


def all_changes(past: Past, commits: Iterable[HistoryCommit], name: str | None = None) -> Iterator[LoggedChange]:
    """What each commit did to which record; with `name`, to those of one file, by whatever name it went before."""
    names: dict[str, set[str]] = {}
    first = True
    for commit in commits:
        wanted = names.pop(commit.commit, set())
        if first and name is not None:
            wanted.add(name)
        first = False
        before = set(wanted)
        for each in commit.files:
            if each.after and each.after.path in wanted and any(each.before):
                before.remove(each.after.path)
                before |= {state.path for state in each.before if state}
        for parent in commit.parents:
            names.setdefault(parent, set()).update(before)
        wanted |= before
        concerned = name is None or any(_names(each) & wanted for each in commit.files)
        if commit.files and concerned:
            yield from (
                logged(each, commit)
                for each in _changes(past, commit)
                if name is None or each.path in wanted or (each.old and each.old.path in wanted)
            )


def _names(change: FileChange) -> set[str]:
    return {state.path for state in (change.after, *change.before) if state}


def _changes(past: Past, commit: HistoryCommit) -> list[RecordChange]:
    """What a commit did; a merge only what none of its parents has."""
    new = past.documents(each.after for each in commit.files)
    found: list[RecordChange] = []
    for parent in range(len(commit.files[0].before)):
        old = past.documents(each.before[parent] for each in commit.files)
        made = changes(old, new, renamed(commit.files, parent))
        if parent:
            others = {_key(each): each for each in made}
            found = [each for each in found if _key(each) in others and others[_key(each)].change == each.change]
        else:
            found = made
    return found


def _key(change: RecordChange) -> tuple[str, str | None]:
    return change.path, change.id


def follow(
    past: Past, commits: Iterable[HistoryCommit], starts: Sequence[Record], begin: Sequence[str] = ()
) -> Iterator[tuple[int, LoggedChange]]:
    """Every version of some records, the newest first, each with which of them it is of.

    They are as the commits in `begin` have them, else as the first one does.
    """
    handles = {number: _Handle(record, FileState(record.path, "")) for number, record in enumerate(starts)}
    wanted: dict[str, dict[int, _Handle]] = {each: dict(handles) for each in begin}
    for commit in commits:
        if not wanted and handles:
            wanted[commit.commit] = handles
        handles = wanted.pop(commit.commit, {})
        by_path = {each.after.path: each for each in commit.files if each.after}
        for number, handle in handles.items():
            touched = by_path.get(handle.state.path)
            if touched is None:
                _hand_on(wanted, commit.parents, number, handle)
                continue
            made = _step(past, commit, touched, handle, wanted, number)
            if made is not None:
                yield number, logged(made, commit)
        handles = {}
        if not wanted:
            return


def _hand_on(wanted: dict[str, dict[int, _Handle]], parents: Iterable[str], number: int, handle: _Handle) -> None:
    for parent in parents:
        known = wanted.setdefault(parent, {})
        if number not in known or (handle.sure and not known[number].sure):
            known[number] = handle


def _step(
    past: Past,
    commit: HistoryCommit,
    touched: FileChange,
    handle: _Handle,
    wanted: dict[str, dict[int, _Handle]],
    number: int,
) -> RecordChange | None:
    """What a commit did to a record whose file it changed; where the record was before is handed on to its parents."""
    assert touched.after
    handle = _located(past, handle, touched.after)
    if not handle.sure:  # this branch does not have it, and may have had it
        _hand_on(wanted, commit.parents, number, handle)
        return None
    after = handle.record.span.of(past.text(touched.after) or "").strip()
    found: list[RecordChange | None] = []
    for place, before in enumerate(touched.before):
        old = _earlier(past, commit, touched, place, handle)
        if old is not None:
            _hand_on(wanted, _parents(commit, touched, place), number, old)
            text = old.record.span.of(past.text(old.state) or "").strip()
            found.append(change_of(old.record, handle.record, text, after))
        elif before is not None and len(touched.before) > 1:
            _hand_on(wanted, _parents(commit, touched, place), number, _Handle(handle.record, before, sure=False))
    if not found:
        return change_of(None, handle.record, "", after)
    return None if None in found else found[0]


def _parents(commit: HistoryCommit, touched: FileChange, place: int) -> Sequence[str]:
    """The parent that a state before belongs to; any of them, where git left out some that have nothing new."""
    parents = commit.parents
    return parents[place : place + 1] if len(parents) == len(touched.before) else parents


def _located(past: Past, handle: _Handle, state: FileState) -> _Handle:
    """The record in another version of its file, where it may stand elsewhere; not `sure` where it is not in it."""
    if handle.state == state:
        return handle
    document = past.document(state)
    record = _same(document, handle.record) if document else None
    return _Handle(record or handle.record, state, sure=record is not None)


def _same(document: Document, record: Record) -> Record | None:
    by_id = [each for each in document.records if each.id == record.id and each.kind == record.kind]
    if len(by_id) == 1:
        return by_id[0]
    alone = Document(record.path, "", records=[record])
    return next(iter(pairs([alone], [document], {record.path: document.path})))[1]


def _earlier(past: Past, commit: HistoryCommit, touched: FileChange, place: int, handle: _Handle) -> _Handle | None:
    """The record as a parent has it; None where it began with the commit."""
    before, after = touched.before[place], touched.after
    assert after
    if before is not None:
        moved = _untouched(past, before, after, handle.record)
        if moved is not None:
            return _Handle(moved, before)
        document = past.document(before)
        by_id = [each for each in document.records if each.id == handle.record.id] if document else []
        if len(by_id) == 1 and by_id[0].kind == handle.record.kind and before.path == after.path:
            return _Handle(by_id[0], before)
    olds = {each.before[place].path: each.before[place] for each in commit.files if each.before[place]}  # type: ignore[union-attr]
    news = past.documents(each.after for each in commit.files)
    matches = pairs(past.documents(olds.values()), news, renamed(commit.files, place))
    old = next((old for old, new in matches if old and new and _is(new, handle.record)), None)
    state = olds[old.path] if old else None
    return _Handle(old, state) if old and state else None


def _is(one: Record, other: Record) -> bool:
    return one.path == other.path and one.span.start == other.span.start and one.id == other.id


def _untouched(past: Past, before: FileState, after: FileState, record: Record) -> Record | None:
    """The record in the version before, when a look at the two texts is enough to see that it is the same there."""
    old, new = past.text(before), past.text(after)
    if old is None or new is None or before.path != after.path:
        return None
    same = _shared(old, new)
    following = _LINE.search(new, record.span.end)
    if following and following.end() < same:  # what ended it there ends it here
        return record
    ahead = _shared_end(old[same:], new[same:])
    begin = len(new) - ahead  # from here on both are the same
    if record.span.start <= begin:
        return None
    begin += new[begin : record.span.start].find("\n") + 1  # what begins with a line
    levels = [
        len(match[1]) for match in _HEADING.finditer(new, begin, record.span.end) if match.start() <= record.span.start
    ]
    parts = old[_line(old, same) : len(old) - ahead], new[_line(new, same) : len(new) - ahead]
    around = min((len(match[1]) for part in parts for match in _HEADING.finditer(part)), default=7)
    if not levels or around < min(levels) or any(_FAR.search(part) for part in parts):
        return None
    shift = len(old) - len(new)
    lines = old.count("\n", 0, len(old) - ahead) - new.count("\n", 0, len(new) - ahead)
    span = Span(record.span.start + shift, record.span.end + shift)
    return structs.replace(record, span=span, line=record.line + lines, end_line=record.end_line + lines)


def _shared(one: str, two: str) -> int:
    """How many characters both begin with."""
    low, high = 0, min(len(one), len(two))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == two[low:middle] else (low, middle - 1)
    return low


def _shared_end(one: str, two: str) -> int:
    """How many characters both end with."""
    low, high = 0, min(len(one), len(two))
    while low < high:
        middle = (low + high + 1) // 2
        same = one[len(one) - middle : len(one) - low] == two[len(two) - middle : len(two) - low]
        low, high = (middle, high) if same else (low, middle - 1)
    return low


def _line(text: str, at: int) -> int:
    """Where the line of a place begins."""
    return text.rfind("\n", 0, at) + 1


def removed(past: Past, commits: Iterable[HistoryCommit], name: str) -> Iterator[LoggedChange]:
    """The versions of the record of an id or title that is no more, from its removal on; nothing where none was."""
    title = " ".join(name.split()).casefold()
    source = iter(commits)
    for commit in source:
        if not commit.files:
            continue
        old = past.documents(each.before[0] for each in commit.files)
        named = [record for each in old for record in each.records if _is_called(record, name, title)]
        if not named:
            continue
        news = past.documents(each.after for each in commit.files)
        gone = [
            before
            for before, after in pairs(old, news, renamed(commit.files, 0))
            if before and after is None and any(before is each for each in named)
        ]
        if gone:
            text = next(each.text for each in old if each.path == gone[0].path)
            made = change_of(gone[0], None, gone[0].span.of(text).strip(), "")
            assert made
            yield logged(made, commit)
            yield from (each for _, each in follow(past, source, [gone[0]], commit.parents))
            return


def _is_called(record: Record, name: str, title: str) -> bool:
    return (
        record.id == name
        or (len(name) >= 4 and record.id.startswith(name))
        or name == record.number
        or " ".join((record.title or "").split()).casefold() == title
    )


def with_uncommitted(uncommitted: HistoryCommit | None, commits: Iterable[HistoryCommit]) -> Iterator[HistoryCommit]:
    """Commits, after what is not committed yet."""
    source = iter(commits)
    newest = next(source, None)
    if uncommitted is not None:
        yield structs.replace(uncommitted, parents=(newest.commit,) if newest else ())
    if newest is not None:
        yield from chain((newest,), source)
