"""A record, a file or a folder as a commit has it, written as one step that can be undone."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from memdown import git
from memdown.acts.restore import Restored
from memdown.dialects import named
from memdown.errors import NotFound, Refused, quote, way
from memdown.git.walk import FileState
from memdown.history.fields import values
from memdown.history.pairs import pairs
from memdown.history.past import Past, renamed
from memdown.index.sync import past as moments
from memdown.project import Project
from memdown.record import Document, Record

Changes = list[tuple[str, str | None, str | None]]
"""Files that change: name, text before and after."""


def restore(project: Project, name: str, moment: str, *, write: bool = True) -> Restored:
    """Write what a commit, or the last one up to a date, has of a record, a file or a folder.

    Nothing is deleted. With `write=False`, only say what would happen.
    """
    with Past(project.root, project.config, project.tell, project.files.find) as past, project.files.lock(when=write):
        commit = moments.then(project.root, moment, project.now()).commit.commit
        states = {each.path: each for each in past.files_at(commit)}
        files = _files(project, states, name)
        changes = _whole(project, past, files) if files else _record(project, past, commit, name)
        if write and changes:
            project.write(changes)
    return Restored(
        created=[path for path, before, _ in changes if before is None],
        changed=[path for path, before, _ in changes if before is not None],
        deleted=[],
        unchanged=max(len(files) - len(changes), 0) if files else int(not changes),
        left=[],
        steps=0,
        dry_run=not write,
    )


def _files(project: Project, states: Mapping[str, FileState], name: str) -> list[FileState]:
    """The files that a name stands for, as the commit has them; none where it is a record's."""
    for path in dict.fromkeys((name.rstrip("/"), project.name_of(name))):
        found = [each for other, each in states.items() if path and (other == path or other.startswith(f"{path}/"))]
        if found:
            return found
    if name.endswith(".md"):
        raise NotFound(f"{quote(name)} is not a memory file in that commit; {way('log')} shows when it was.")
    return []


def _whole(project: Project, past: Past, files: Iterable[FileState]) -> Changes:
    found: Changes = []
    for each in files:
        before, after = project.files.find(each.path), past.text(each)
        if after is not None and (after := _ended(after, before)) != before:
            found.append((each.path, before, after))
    return found


def _ended(text: str, like: str | None) -> str:
    """A text with the line ends of another, where git may have changed them."""
    if like and "\r" not in text and "\r\n" in like and like.count("\n") == like.count("\r\n"):
        return text.replace("\n", "\r\n")
    return text


def _record(project: Project, past: Past, commit: str, name: str) -> Changes:
    try:
        now = project.get(name)
    except NotFound as missing:
        now, error = None, missing
    files = past.between(commit, None, git.untracked(project.root))
    old_documents = past.documents(each.before[0] for each in files)
    if now is None:
        records = [record for each in old_documents for record in each.records]
        try:
            old = named.only(records, name)
        except NotFound:
            raise error from None
        return _put_back(project, _holding(old_documents, old), old, commit)
    if not any(now.path == each.after.path for each in files if each.after):
        return []
    news = past.documents(each.after for each in files)
    both = pairs(old_documents, news, renamed(files, 0))
    before = next(
        (old for old, new in both if new and (new.path, new.id, new.line) == (now.path, now.id, now.line)), None
    )
    if before is None:
        raise NotFound(
            f"{quote(now.title or now.id)} did not exist in that commit; {way('log', now.id)} shows since when."
        )
    return _replaced(project, _holding(old_documents, before), before, now, commit)


def _holding(documents: Sequence[Document], record: Record) -> Document:
    return next(each for each in documents if each.path == record.path)


def _replaced(project: Project, document: Document, old: Record, now: Record, commit: str) -> Changes:
    """The text of then in the place of the text of now."""
    text = project.files.read(now.path)
    current, was = now.span.of(text), _ended(old.span.of(document.text), text)
    after = text[: now.span.start] + was.rstrip() + current[len(current.rstrip()) :] + text[now.span.end :]
    if after == text:
        return []
    _prove(project, text, after, old, now.path, commit, gone=_inside(project.parsed(now.path).records, now))
    return [(now.path, text, after), *project.beside(old, now)]


def _put_back(project: Project, document: Document, old: Record, commit: str) -> Changes:
    """The text of a record that is no more, behind what it stood behind."""
    text = project.files.find(old.path)
    if text is None:
        if any(each.span.end > old.span.end or each.span.start < old.span.start for each in document.records):
            raise Refused(f"{quote(old.path)} no longer exists; {_way(old, commit)} restores all of it.")
        return [(old.path, None, document.text), *project.beside(old)]
    there = project.parsed(old.path)
    kept = [(one, two) for one, two in pairs([document], [there], {}) if one and two]
    before = [(one, two) for one, two in kept if one.span.end <= old.span.start]
    behind = [(one, two) for one, two in kept if one.span.start >= old.span.end]
    was = _ended(old.span.of(document.text).rstrip(), text)
    end = "\r\n" if "\r\n" in text else "\n"
    if before:
        one, two = max(before, key=lambda pair: pair[0].span.end)
        place = len(text[: two.span.end].rstrip())
        gap = document.text[len(document.text[: one.span.end].rstrip()) : old.span.start]
        after = text[:place] + (_ended(gap, text) if not gap.strip() else end * 2) + was + text[place:]
    elif behind:
        place = min(behind, key=lambda pair: pair[0].span.start)[1].span.start
        after = f"{text[:place]}{was}{end}{end}{text[place:]}"
    else:
        after = f"{text.rstrip()}{end}{end}{was}{end}"
    _prove(project, text, after, old, old.path, commit)
    return [(old.path, text, after), *project.beside(old)]


def _inside(records: Iterable[Record], around: Record) -> list[Record]:
    return [each for each in records if around.span.start <= each.span.start and each.span.end <= around.span.end]


def _prove(
    project: Project, before: str, after: str, old: Record, path: str, commit: str, gone: Sequence[Record] = ()
) -> None:
    """Refuse a text in which the record does not say what it said, or others say something else."""
    now = project.parse(path, after).records
    same = [each for each in now if (each.kind, _content(each)) == (old.kind, _content(old))]
    expected = Counter(map(_key, project.parse(path, before).records))
    expected.subtract(map(_key, gone))
    expected.subtract(_key(each) for each in now if not any(_is_in(each, one) for one in same))
    if not same or +expected:
        raise Refused(
            f"It cannot be restored alone, as the rest of {quote(path)} would read otherwise;"
            f" {_way(old, commit)} restores the file."
        )


def _is_in(record: Record, around: Record) -> bool:
    return around.span.start <= record.span.start and record.span.end <= around.span.end


def _content(record: Record) -> dict[str, object]:
    return {name: value for name, value in values(record).items() if name not in ("path", "section")}


def _key(record: Record) -> tuple[str, str | None, str | None]:
    return record.kind, record.title, record.at.text if record.at else None


def _way(record: Record, commit: str) -> str:
    return way("restore", record.path, "--from", commit[:8])
