"""Edits that make statements true again, where it is clear what is there now."""

import re
from posixpath import dirname, relpath

from msgspec import structs

from memdown.dialects import offered
from memdown.record import Document, Record, Statement
from memdown.text import Edit, Span


def edit_of(document: Document, each: Statement) -> Edit | None:
    """The edit that mends a statement; None where a person has to say what is meant now, or the format keeps it."""
    edit = _edit(document, each)
    return None if edit is None or _is_kept(document, each) else edit


def _edit(document: Document, each: Statement) -> Edit | None:
    span = Span(each.start, each.end)
    spelled = span.of(document.text)
    if each.kind == "path" and each.state == "moved" and each.now:
        path, colon, line = _place(spelled)
        is_link = document.text[: each.start].endswith(("](", "](<"))
        now = _spelled_as(path, each) if not is_link else relpath(each.now, dirname(each.path) or ".")
        keeps_line = colon and ":" not in each.now
        slash = "/" if path.endswith("/") and not now.endswith("/") else ""
        return Edit(span, f"{now}{slash}{colon}{line}" if keeps_line else f"{now}{slash}")
    if each.kind == "literal" and each.state == "changed" and each.now and "=" in spelled:
        at = spelled.rindex(spelled.partition("=")[2].strip())
        return Edit(span, f"{spelled[:at]}{each.now}")
    if each.kind == "version" and each.state == "changed" and each.now:
        there = re.search(r"\d+(?:\.\d+)*", each.now)
        parts = there.group().split(".")[: spelled.count(".") + 1] if there else []
        return Edit(span, ".".join(parts)) if parts else None
    return None


def _spelled_as(path: str, each: Statement) -> str:
    """Where a path is now, from the folder that it was named from: memory in a package names what is in the package."""
    now, folder = each.now or "", dirname(each.path)
    while folder and not now.startswith(f"{folder}/"):
        folder = dirname(folder)
    return now if not folder or path.startswith(f"{folder}/") else now.removeprefix(f"{folder}/")


def _place(spelled: str) -> tuple[str, str, str]:
    """A path, what stands before its line, and the line: `a.py:12-14`, `a.py#L12`."""
    path = spelled.rstrip("0123456789-L")
    line = spelled[len(path) :]
    if path.endswith(":"):
        return path[:-1], ":", line
    if path.endswith("#") and line.startswith("L"):
        return path[:-1], "#L", line[1:]
    return path, "", line


def _is_kept(document: Document, each: Statement) -> bool:
    """Whether the format keeps the record as it was written: a log that is only added to, a card with its hash."""
    record = _record(document, each.start)
    if record and record.content_hash:
        return True
    kept = offered(document.dialect, "kept")
    changed = structs.replace(record, body=f"{record.body} ") if record else None
    return bool(record and kept and kept(document.text, record, changed))


def _record(document: Document, at: int) -> Record | None:
    around = [each for each in document.records if each.span.start <= at < each.span.end]
    return min(around, key=lambda each: each.span.end - each.span.start, default=None)
