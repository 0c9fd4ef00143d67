"""Who wrote which field of a record, and when: the last commit that changed it."""

from contextlib import closing

from msgspec import Struct

from memdown import git
from memdown.errors import NotFound, quote, way
from memdown.history import trail
from memdown.history.fields import Value, values
from memdown.history.past import Past
from memdown.history.trail import LoggedChange
from memdown.project import Project
from memdown.record import Record


class FieldOrigin(Struct, frozen=True):
    """A field of a record, with the commit that made it what it is."""

    id: str
    kind: str
    title: str | None
    path: str
    line: int
    field: str
    value: Value
    commit: str | None
    """None for what is not committed yet."""
    at: str | None
    author: str | None
    assistant: str | None
    subject: str | None


def blame(project: Project, name: str) -> list[FieldOrigin]:
    """The origin of every field of a record, or of all records of a file, in their order."""
    with project.snapshot(), Past(project.root, project.config, project.tell, project.files.find) as past:
        head = past.head()
        records = _records(project, name)
        open_fields = [dict.fromkeys(values(record)) for record in records]
        origins: list[dict[str, LoggedChange]] = [{} for _ in records]
        left = sum(map(len, open_fields))
        uncommitted = past.uncommitted(head, git.untracked(project.root))
        with closing(past.commits(head)) as commits:
            versions = trail.follow(past, trail.with_uncommitted(uncommitted, commits), records)
            for number, each in versions:
                wanted = open_fields[number]
                for field in [field for field in wanted if each.change == "added" or field in each.fields]:
                    origins[number][field] = each
                    del wanted[field]
                    left -= 1
                if not left:
                    break
    return [
        _origin(record, field, value, origins[number].get(field))
        for number, record in enumerate(records)
        for field, value in values(record).items()
    ]


def _records(project: Project, name: str) -> list[Record]:
    path = project.page(name)
    if path:
        found = list(project.parsed(path).records)
        if not found:
            raise NotFound(f"{quote(path)} has no records; {way('git blame')} shows who wrote its lines.")
        return found
    return [project.get(name)]


def _origin(record: Record, field: str, value: Value, change: LoggedChange | None) -> FieldOrigin:
    return FieldOrigin(
        id=record.id,
        kind=record.kind,
        title=record.title,
        path=record.path,
        line=record.line,
        field=field,
        value=value,
        commit=change.commit if change else None,
        at=change.at if change else None,
        author=change.author if change else None,
        assistant=change.assistant if change else None,
        subject=change.subject if change else None,
    )
