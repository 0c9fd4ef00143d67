"""The reader for each file of a journal."""

from collections.abc import Callable

from memdown.dialects.journal.edits import chunk, history
from memdown.dialects.journal.faults import faults
from memdown.dialects.journal.model import FileReading
from memdown.dialects.journal.names import CACHE, CHUNK, ERRORS, HISTORY, REGISTRY, SESSION, TASK
from memdown.dialects.journal.sessions import cache, session
from memdown.dialects.journal.tasks import registry, task_file

READERS: dict[str, Callable[[str], FileReading]] = {
    HISTORY: history,
    CHUNK: chunk,
    REGISTRY: registry,
    TASK: task_file,
    SESSION: session,
    CACHE: cache,
    ERRORS: faults,
}
"""The reader of each kind of file, for `Document.of`."""
