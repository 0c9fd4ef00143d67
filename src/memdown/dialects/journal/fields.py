"""What records of a journal have beyond the fields of every record, by name: the one place that knows the keys."""

from collections.abc import Sequence

from msgspec import structs

from memdown.record import Record


def text_of(record: Record, name: str) -> str:
    value = record.extra.get(name, "")
    return value if isinstance(value, str) else ", ".join(value)


def list_of(record: Record, name: str) -> list[str]:
    value = record.extra.get(name, ())
    return [value] if isinstance(value, str) and value else list(value)


def date_of(record: Record) -> str:
    return text_of(record, "date")


def time_of(record: Record) -> str:
    return text_of(record, "time")


def zone_of(record: Record) -> str | None:
    """The time zone that an edit is written with; None when it has none and UTC is assumed."""
    return text_of(record, "timezone") if record.extra.get("tz_explicit") == "1" else None


def edit_of(record: Record) -> str:
    """The id of the edit that a modification is part of."""
    return text_of(record, "edit")


def action_of(record: Record) -> str:
    """What a modification did to its file."""
    return text_of(record, "action")


def file_of(record: Record) -> str:
    """The file of a modification."""
    return text_of(record, "file_path")


def task_ids(record: Record) -> list[str]:
    """Every task that a record is, belongs to or depends on."""
    return [id for name in ("task", "tasks", "dependencies") for id in list_of(record, name)]


def with_fields(record: Record, **values: str | Sequence[str]) -> Record:
    return structs.replace(record, extra={**record.extra, **values})


def without_pause(record: Record) -> Record:
    """A task that is paused no longer."""
    kept = {name: value for name, value in record.extra.items() if name not in ("paused_on", "reason")}
    return structs.replace(record, extra=kept)
