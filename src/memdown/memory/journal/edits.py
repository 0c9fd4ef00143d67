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
from memdown.dialects.journal.model import EditEntry
from memdown.dialects.journal.write import entry_of, prepare
from memdown.dialects.journal.write_edits import NewModification as File
from memdown.errors import Invalid, quote
from memdown.memory.journal.place import JournalPlace
from memdown.text import with_eol


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
    ) -> Added:
        """Write an entry of today. `files` are actions, paths and descriptions; without one, that of the entry counts.

        With `from_git`, files that are not as in the last commit are added, those of the memory left out.
        """
        place = self._place
        with place.root.files.lock():
            clock = place.clock()
            name = place.new_chunk(clock, tasks) if place.chunks() else place.name(names.HISTORY)
            changes = [File(_action(action), place.path_of(path), text or description) for action, path, text in files]
            if from_git:
                known = {change.path for change in changes}
                changes += [File(how, path, description) for how, path in place.pending() if path not in known]
            if place.root.config.journal.profile == "1.0":
                changes = [_without_deleted(change) for change in changes]
            body = "".join(write_edits.change_text(change) for change in changes)
            new = structs.replace(draft("edit", description), path=name, body=body.strip() or None)
            record = prepare(with_fields(new, tasks=tasks, **place.source() if place.chunks() else {}), clock.at)
            for each in (place.name(names.HISTORY), *place.chunks(clock.date)):
                before = place.text(each)
                if before is not None and (same := _same(each, before, clock, entry_of(record))):
                    starts = {one.span.start: one for one in place.root.parse(each, before).records}
                    return Added(starts[same.span.start], False)
            return place.add(record)


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
