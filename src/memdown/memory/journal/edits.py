"""Edit entries: what was done to which files, written newest first."""

from collections.abc import Sequence

from msgspec import structs

from memdown.acts.add import Added
from memdown.dialects.draft import draft
from memdown.dialects.journal import names, write_edits
from memdown.dialects.journal.clock import Clock
from memdown.dialects.journal.edits import chunk, history
from memdown.dialects.journal.fields import with_fields
from memdown.dialects.journal.grammar import ACTIONS
from memdown.dialects.journal.headings import tasks_of
from memdown.dialects.journal.model import EditEntry
from memdown.dialects.journal.write import entry_of, prepare
from memdown.dialects.journal.write_edits import NewModification as File
from memdown.errors import Invalid, quote
from memdown.memory.journal.discovery import undocumented
from memdown.memory.journal.place import ACTION_OF, JournalPlace
from memdown.patterns import lazy
from memdown.record import Record
from memdown.store.files import FileEdit
from memdown.text import with_eol

_MOST = 50
"""Files that a drafted entry names."""
_TASK = lazy(r"\bT\d{1,4}[a-z]?\b")
_TASKS_FIRST = lazy(r"(?:T\d{1,4}[a-z]?(?:, ?)?){1,9}(?::| -) ?")


class Edits:
    """The edit history."""

    def __init__(self, place: JournalPlace) -> None:
        self._place = place

    def add(
        self,
        description: str,
        *,
        tasks: Sequence[str] = (),
        files: Sequence[tuple[str, str, str]] = (),
        from_git: bool = False,
        at: str | None = None,
    ) -> Added:
        """Write an entry of now, or of `at`. `files` are actions, paths and descriptions, or that of the entry.

        With `from_git`, files that are not as in the last commit are added, those of the memory left out. A description
        may begin with its tasks, as a heading does.
        """
        place, heading = self._place, tasks_of(description)
        if heading.rest:
            tasks, description = list(dict.fromkeys([*tasks, *heading.ids])), heading.rest
        with place.root.files.lock():
            clock = place.clock(at)
            name = place.new_chunk(clock, tasks) if place.chunks() else place.name(names.HISTORY)
            changes = [File(_action(action), place.path_of(path), text or description) for action, path, text in files]
            if from_git:
                known = {change.path for change in changes}
                changes += [File(how, path, description) for how, path in place.pending() if path not in known]
            record = self._entry(description, tasks, changes, clock, name)
            for each in (place.name(names.HISTORY), *place.chunks(clock.date)):
                before = place.text(each)
                if before is not None and (same := _same(each, before, clock, entry_of(record))):
                    starts = {one.span.start: one for one in place.root.parse(each, before).records}
                    return Added(starts[same.span.start], False)
            return place.add(record)

    def draft(self) -> tuple[FileEdit | None, list[str]]:
        """The history with an entry for files that git shows as changed and no entry names; and what it leaves out."""
        place, missed = self._place, undocumented(self._place)
        if not missed:
            return None, []
        pending = {path for _, path in place.pending()}
        titles: dict[str, str] = {}
        changes = []
        for each in missed[:_MOST]:
            last = None if each.path in pending else place.root.repository.last_change([each.path])
            title = " ".join(last.commit.title.split()) if last else ""
            bare = _TASKS_FIRST.sub("", title) or title
            if title:
                titles[title] = bare
            changes.append(File(ACTION_OF.get(each.how, "Modified"), each.path, bare or "not committed yet"))
        more = f" and {len(titles) - 1} more commits" if len(titles) > 1 else ""
        loose = f"Changes to {changes[0].path}" + (f" and {len(missed) - 1} more files" if len(missed) > 1 else "")
        tasks = list(dict.fromkeys(_TASK.findall(" ".join(titles))))
        clock = place.clock()
        name = place.new_chunk(clock, tasks) if place.chunks() else place.name(names.HISTORY)
        record = self._entry(next(iter(titles.values()), loose) + more, tasks, changes, clock, name)
        notes = [f"{len(missed) - _MOST} more changed files are in no entry of the journal."] if missed[_MOST:] else []
        return place.inserted(record), notes

    def _entry(
        self, description: str, tasks: Sequence[str], changes: Sequence[File], clock: Clock, name: str
    ) -> Record:
        """An entry as it is to be written."""
        place = self._place
        if place.root.config.journal.profile in ("auto", "1.0"):
            changes = [_without_deleted(change) for change in changes]
        body = "".join(write_edits.change_text(change) for change in changes)
        new = structs.replace(draft("edit", description), path=name, body=body.strip() or None)
        return prepare(with_fields(new, tasks=tasks, **place.source() if place.chunks() else {}), clock.at)


def file_of(given: str) -> tuple[str, str, str]:
    """Action, path and description of `Modified:src/a.py:why`."""
    action, mark, rest = given.partition(":")
    path, _, why = rest.partition(":")
    if not mark or not path.strip():
        raise Invalid(f"{quote(given)} does not say what was done to which file; write it like Modified:src/a.py:why.")
    return action, path, why.strip()


def _action(given: str) -> str:
    action = given.strip().title()
    if action not in ACTIONS["1.1"]:
        raise Invalid(f"{quote(given)} is not an action; use {', '.join(ACTIONS['1.1'])}.")
    return action


def _without_deleted(change: File) -> File:
    """Version 1.0 has no word for a file that is gone; its contract says to write Modified."""
    gone = change.action not in ACTIONS["1.0"]
    return File("Modified", change.path, f"Removed: {change.description}") if gone else change


def _same(name: str, text: str, clock: Clock, entry: str) -> EditEntry | None:
    """The entry that says just this already."""
    is_chunk = names.kind_of(name) == names.CHUNK
    found = chunk(text) if is_chunk else history(text)
    today = (each for each in found.entries if is_chunk or each.date == clock.date)
    return next((each for each in today if with_eol(each.span.of(text), "\n").rstrip() == entry.rstrip()), None)
