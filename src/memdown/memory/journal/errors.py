"""The error log: what went wrong, why, and how it was mended; newest first."""

from msgspec import structs

from memdown.acts.add import Added
from memdown.dialects.draft import draft
from memdown.dialects.journal import names
from memdown.dialects.journal.fields import with_fields
from memdown.dialects.journal.write import prepare
from memdown.memory.journal.place import JournalPlace


class Errors:
    """The errors of a journal."""

    def __init__(self, place: JournalPlace) -> None:
        self._place = place

    def add(
        self,
        title: str,
        *,
        file: str | None = None,
        error: str = "",
        cause: str = "",
        fix: str = "",
        task: str | None = None,
    ) -> Added:
        """Write an error before those that are there; what is empty gets no line."""
        place = self._place
        path = place.path_of(file) if file is not None else ""
        with place.root.files.lock():
            new = structs.replace(draft("error", title), path=place.name(names.ERRORS))
            new = with_fields(new, file=path, error=error, cause=cause, fix=fix, task=task or "")
            return place.add(prepare(new, place.clock().at))
