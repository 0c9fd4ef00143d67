"""What all writers of a journal share: checked one-line values, stamps, fields, and places between lines."""

from collections.abc import Mapping, Sequence

from memdown.dialects.journal import grammar
from memdown.dialects.journal.lines import is_rule, lines_of, stamp_of, stamps_of, title_of
from memdown.dialects.journal.model import JournalField
from memdown.dialects.journal.sections import JournalSection, sections
from memdown.errors import Invalid, quote
from memdown.patterns import lazy
from memdown.text import Edit, Span, after_line, eol_of, with_eol

_BREAK = lazy(r"[\r\n\x00]")
_STAMP = lazy(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2})?(?:[ ]?[A-Za-z0-9+:-]{1,9})?)?")


def one_line(value: str, what: str) -> str:
    """The value, when it is one line with something in it."""
    line = value.strip()
    if not line:
        raise Invalid(f"The {what} is empty; say something.")
    if _BREAK.search(line):
        raise Invalid(f"The {what} has more than one line; write it in one.")
    return line


def task_id(value: str) -> str:
    """The id of a task."""
    if not grammar.ID.fullmatch(value):
        raise Invalid(f"{quote(value)} is not the id of a task; write it like T12 or META-1.")
    return value


def file_path(value: str) -> str:
    """A path that can stand in back-ticks."""
    path = one_line(value, "path").replace("\\", "/")
    if "`" in path:
        raise Invalid(f"{quote(value)} contains a backtick, which the journal cannot contain.")
    return path


def stamp(value: str) -> str:
    """A time as the journal has it: `YYYY-MM-DD HH:MM:SS TZ`."""
    time = one_line(value, "time")
    if not _STAMP.fullmatch(time):
        raise Invalid(f"{quote(value)} is not a time; write it like 2025-12-05 14:30:15 UTC.")
    return time


def head(title: str, now: str) -> str:
    """The first lines of a new file."""
    return f"# {title}\n*Created: {stamp(now)}*\n*Last Updated: {now}*\n"


def restamped(text: str, now: str | None, *, back: bool = True) -> list[Edit]:
    """Another time in `*Last Updated: …*`, with `back` an earlier one too; a file without that line gets none."""
    if now is None:
        return []
    found = stamps_of(list(lines_of(text))).get("last updated")
    if found is None or found.value == now or (not back and found.value[:10] > now[:10]):
        return []
    return [Edit(found.at, stamp(now))]


def parts_of_file(text: str) -> list[JournalSection]:
    return sections(list(lines_of(text)))


def section_named(text: str, *names: str) -> JournalSection | None:
    """The first section with one of these titles, whatever stands behind it in parentheses."""
    for section in parts_of_file(text):
        title = section.title.lower().partition("(")[0].strip()
        if section.level > 1 and title in names:
            return section
    return None


def below_head(text: str) -> int:
    """The line after the title, the stamps and a rule, as far as they are there."""
    at = 0
    for line in lines_of(text):
        title = title_of(line)
        if not ((title and title[0] == 1) or stamp_of(line) or is_rule(line.text)):
            break
        at = after_line(text, line.span.end - 1)
    return at


def inserted(text: str, at: int, block: str) -> Edit:
    """Whole lines at the beginning of a line; the line ending of the text is used, and one is added at its end."""
    eol = eol_of(text)
    lead = eol if at and at == len(text) and text[-1] not in "\r\n" else ""
    return Edit(Span(at, at), lead + with_eol(block, eol))


def inserted_below(text: str, span: Span, block: str) -> Edit:
    """Whole lines below the line on which a span ends."""
    return inserted(text, after_line(text, max(span.end - 1, 0)), block)


def appended(text: str, block: str) -> Edit:
    """A block of lines at the end, one blank line after what is there."""
    eol = eol_of(text)
    end = len(text.rstrip(" \t\r\n"))
    lead = eol * 2 if text[:end].strip("\ufeff") else ""
    return Edit(Span(end, len(text)), lead + with_eol(block, eol))


def set_fields(
    text: str, values: Mapping[str, str], known: Mapping[str, JournalField], labels: Sequence[str], top: int
) -> list[Edit]:
    """Other values in labelled lines; a label that is not there gets a line after the one that stands before it.

    `labels` are all labels in their order, `known` the fields by label in lower case, `top` where the first may go.
    """
    edits: list[Edit] = []
    last = top
    new: dict[int, list[str]] = {}
    for label in labels:
        field = known.get(label.lower())
        if field:
            last = after_line(text, max(field.span.end - 1, 0))
        if label not in values:
            continue
        value = one_line(values[label], label)
        if field is None:
            new.setdefault(last, []).append(f"**{label}**: {value}\n")
        elif field.value != value:
            lead = " " if not field.value and text[field.at.start - 1 : field.at.start] in (":", "*") else ""
            edits.append(Edit(field.at, lead + value))
    unknown = [label for label in values if label not in labels]
    if unknown:
        raise Invalid(f"{quote(unknown[0])} is not a field here; use {', '.join(labels)}.")
    return [*edits, *(inserted(text, at, "".join(lines)) for at, lines in new.items())]
