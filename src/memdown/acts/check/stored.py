"""A file of memory that the index knows: its path and dialect are at hand, all else is read when it is asked for."""

from datetime import datetime

from memdown.dialects import offered
from memdown.project import Project
from memdown.record import Around, ClockUse, Document


class DocumentSource:
    """What documents of one call share."""

    def __init__(self, project: Project, now: datetime, around: Around | None = None) -> None:
        self.project = project
        self.now = now
        self.around = around


class StoredDocument(Document):
    """Ten thousand of them cost little before somebody looks into one."""

    __slots__ = ("_source",)

    def __init__(self, path: str, dialect: str, source: DocumentSource, clock_use: ClockUse | None = None) -> None:
        # All else is set when it is missed.
        self.path = path
        self.dialect = dialect
        self.clock_use = clock_use
        self._source = source

    def __getattr__(self, name: str) -> object:
        """A slot that nobody has filled yet."""
        project = self._source.project
        if name == "text":
            self.text = project.files.read(self.path)
        elif name == "records":
            self.records = project.parse(self.path, self.text).records
        elif name == "settings":
            self.settings = project.config
        elif name == "canonical_path":
            self.canonical_path = project.config.canonical_path(self.path)
        elif name == "around":
            self.around = self._source.around if offered(self.dialect, "ASKS_REPOSITORY") else None
        elif name == "_now":
            self._now = self._source.now
        elif name == "_known":
            self._known = {}
        else:
            raise AttributeError(name)
        return getattr(self, name)
