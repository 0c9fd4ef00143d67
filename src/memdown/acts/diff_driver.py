"""A memory file as git should compare it: each record under a line of its own that names it.

Nothing is left out: a diff of two such texts shows every line that differs, and the hunk says in which record it is.
"""

from memdown import dialects
from memdown.homes import HOMES
from memdown.record import Document, Record

_INDENT = "    "


def by_record(path: str, text: str) -> str:
    """The lines of a file, indented, below the kind and the title of the record that they belong to."""
    document = _parsed(path, text)
    begins: dict[int, list[Record]] = {}
    for record in document.records:
        if record.end_line == record.line:
            continue  # a line says itself what it is
        begins.setdefault(record.line, []).append(record)
    ends = {record.end_line for records in begins.values() for record in records}
    if not begins:
        return text
    lines: list[str] = []
    is_inside = True
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        for record in begins.get(number, ()):
            lines.append(_named(record))
            is_inside = True
        if not is_inside and line.strip():
            lines.append("text")
            is_inside = True
        lines.append(f"{_INDENT}{line}" if line.strip() else "")
        is_inside = is_inside and number not in ends
    return "\n".join([*lines, ""])


def _named(record: Record) -> str:
    """The kind and the title of a record on one line."""
    return " ".join([record.kind, *(record.title or record.summary or record.id).split()])


def _parsed(path: str, text: str) -> Document:
    """The file as its dialect reads it; git gives the text of a commit under its name alone, without its folder."""
    document = dialects.parse(path, text)
    if document.dialect is not None:
        return document
    name = path.replace("\\", "/").rpartition("/")[2]
    homes = dict.fromkeys(folders[0] for folders in HOMES.values())
    found = [dialects.parse(f"{home}/{name}", text) for home in homes]
    return max(found, key=lambda each: len(each.records), default=document)
