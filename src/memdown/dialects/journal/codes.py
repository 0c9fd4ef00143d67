"""The ways in which a line can differ from the contract, by name: how bad, whether something is lost, what is meant."""

from collections.abc import Mapping

from msgspec import Struct

from memdown.dialects.journal.model import Deviation
from memdown.text import Edit, Span


class Code(Struct, frozen=True):
    """One kind of deviation."""

    name: str
    severity: str
    """error, warning or info."""
    about: str
    """What is wrong, as a sentence for people."""
    lost: bool = False
    """Whether even the lenient reader cannot say something: a date, a time."""


def _codes(*rows: tuple[str, str, str] | tuple[str, str, str, bool]) -> Mapping[str, Code]:
    return {row[0]: Code(*row) for row in rows}


CODES = _codes(
    ("date-heading-level", "error", "A day is a heading of three `#`."),
    ("date-heading-format", "error", "A day is written YYYY-MM-DD and nothing else is on its line."),
    ("date-heading-space", "warning", "One space stands between `###` and the date."),
    ("date-not-calendar", "error", "The calendar has no such day.", True),
    ("entry-heading-level", "error", "An entry is a heading of four `#`."),
    ("entry-no-space-after-hashes", "error", "A space stands between `####` and the time."),
    ("entry-no-space-before-dash", "error", "A space stands before the dash of an entry."),
    ("entry-no-space-after-dash", "error", "A space stands after the dash of an entry."),
    ("entry-no-dash", "error", "A dash stands between the time and the description."),
    ("entry-double-dash", "error", "One dash stands between the time and the description, not two."),
    ("entry-wrong-dash-char", "error", "The dash of an entry is a hyphen."),
    ("entry-without-date", "error", "No readable day stands above this entry.", True),
    ("date-in-entry", "warning", "The date is in the heading of its day, not in that of an entry."),
    ("time-not-zero-padded", "warning", "The hour has two digits."),
    ("time-12-hour", "warning", "The time is written with twenty-four hours."),
    ("time-range", "info", "An entry has one time; the first of the two counts."),
    ("time-out-of-range", "error", "The clock has no such time.", True),
    ("time-missing", "warning", "An entry begins with its time.", True),
    ("time-form", "info", "The time stands without brackets and marks around it."),
    ("timezone-form", "info", "A time zone is three or four capital letters."),
    ("description-missing", "error", "An entry says what was done.", True),
    ("task-id-extended", "info", "The contract knows one task id of `T` and digits here."),
    ("mod-no-backticks", "error", "A path is wrapped in back-ticks."),
    ("mod-unknown-action", "error", "The action is Created, Modified or Updated."),
    ("mod-deleted-unsupported", "error", "`Deleted` is not part of version 1.0; version 1.1 has it."),
    ("mod-no-dash", "error", "A dash stands between the path and the description."),
    ("mod-no-space-after-action", "error", "A space stands between the action and the path."),
    ("mod-no-space-around-dash", "error", "Spaces stand on both sides of the dash."),
    ("mod-wrong-dash-char", "error", "The dash before the description is a hyphen."),
    ("mod-no-description", "error", "A modification says what changed."),
    ("mod-no-action", "error", "A modification begins with its action."),
    ("mod-words-before-path", "error", "The path follows the action directly."),
    ("mod-several-paths", "info", "A modification names one path."),
    ("modification-outside-entry", "error", "A modification stands below the heading of an entry."),
    ("path-not-relative", "warning", "A path is relative to the root of the project."),
    ("nested-bullet", "info", "Modifications are not nested."),
    ("prose-line", "info", "An entry holds modifications and nothing else."),
    ("heading-unknown", "info", "A journal of edits has headings for days and entries only."),
    ("odd-space", "warning", "A no-break space stands where a space should."),
    ("row-not-a-task", "warning", "A row of the registry begins with the id of a task."),
    ("row-cells", "warning", "A row has as many cells as the header of its table."),
    ("status-unknown", "warning", "A status is one of the five that have an emoji."),
    ("status-words", "info", "The status of a row is one emoji."),
    ("priority-unknown", "info", "A priority is HIGH, MEDIUM or LOW."),
    ("started-not-a-date", "warning", "A day is written YYYY-MM-DD."),
    ("dependency-not-an-id", "warning", "Dependencies are ids with commas between them, or `-`."),
    ("details-link", "info", "Details are a link `[Details](tasks/ID.md)` and nothing else."),
    ("title-form", "warning", "The title of the file has another form than the contract gives it."),
    ("field-missing", "info", "A line that the contract asks for is not there."),
    ("unfilled", "info", "Text of the template still stands where something should be written."),
    ("conflict-mark", "warning", "A mark of an unfinished merge was left here."),
    ("error-heading", "warning", "An error begins with `## ` and its time, then a colon."),
)
"""Every code by name. Those of edit entries and modifications are measured against version 1.0 of the contract."""

PROFILE_1_1 = frozenset({"mod-deleted-unsupported"})
"""What version 1.1 allows."""


def holds(name: str, profile: str) -> bool:
    """Whether a deviation counts under a profile: lenient minds only what is lost."""
    if profile == "lenient":
        return CODES[name].lost
    return profile == "1.0" or name not in PROFILE_1_1


def deviation(name: str, span: Span, *edits: Edit, message: str = "") -> Deviation:
    """A deviation with the sentence of its code, unless another says more."""
    return Deviation(name, span, message or CODES[name].about, edits)
