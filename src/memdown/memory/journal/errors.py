"""The error log: what went wrong, why, and how it was mended; newest first."""

from memdown.dialects.journal import names, write_sessions
from memdown.memory.journal.place import JournalPlace, JournalWrite


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
    ) -> JournalWrite:
        """Write an error before those that are there; what is not said gets no line."""
        place = self._place
        with place.root.files.lock():
            name = place.name(names.ERRORS)
            now = place.clock().stamp
            path = place.path_of(file) if file is not None else ""
            said = write_sessions.error_text(
                now=now, title=title, task=task, file=path, error=error, cause=cause, fix=fix
            )
            begun = place.text(name)
            if not begun or not begun.strip("\ufeff \t\r\n"):
                begun = write_sessions.new_errors(now)
            change = place.edited(name, begun, write_sessions.insert_error(begun, said, now))
            written = place.save([change])
        return JournalWrite(place.record(change, "error"), True, written)
