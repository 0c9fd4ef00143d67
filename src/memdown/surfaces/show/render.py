"""Values as JSON: the shapes other programs rely on. They may grow and never shrink."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from memdown.diagnostics import Diagnostic, Fix, Rule
from memdown.lazy import LazyModule
from memdown.record import Document, Mark, Record
from memdown.surfaces.show.style import safe_json

if TYPE_CHECKING:
    import json

    from memdown.acts.add import Added
    from memdown.acts.check import FileReading
    from memdown.store.undo import Act, TakenBack
else:
    json = LazyModule("json")

Json = Mapping[str, object]


def dumps(value: object) -> str:
    """One JSON document, UTF-8, indented for people.

    Bytes that are not UTF-8, and characters that would steer a terminal, come out as `\\uXXXX` escapes.
    """
    try:
        text = msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
    except UnicodeEncodeError:
        text = json.dumps(msgspec.to_builtins(value), indent=2)
    return safe_json(text)


def with_step(value: object, step: int, removed: Sequence[object]) -> object:
    """The answer of a command that wrote, with the step that `memdown undo` knows it by and what it removed."""
    fields = msgspec.to_builtins(value)
    return fields | {"removed": removed, "undo": step} if isinstance(fields, dict) else value


def step(act: "Act", titles: Sequence[str] | None = None) -> Json:
    """What can be undone, with the titles of the records that it was about."""
    return {
        **{"step": act.step, "act": act.act, "at": act.at, "by": act.by},
        **{"titles": list(act.titles if titles is None else titles), "files": act.files, "undone": act.undone},
        **({"forced": act.forced} if act.forced else {}),
    }


def taken_back(done: "TakenBack", *, undone: bool) -> Json:
    """What was undone, or redone."""
    files = [each.name for each in done.files]
    merged = [each.name for each in done.files if each.merged]
    return {**step(done.act), "files": files, "undone": undone, "merged": merged, "lost": done.lost}


def record(record: Record) -> Json:
    return {
        "id": record.id,
        "dialect": record.dialect,
        "kind": record.kind,
        "path": record.path,
        "line": record.line,
        "end_line": record.end_line,
        "title": record.title,
        "summary": record.summary,
        "body": record.body,
        "at": record.at.rfc3339() if record.at else None,
        "at_precision": record.at.precision if record.at else None,
        "author": record.author,
        "contributors": record.contributors,
        "scope": record.scope,
        "status": record.status,
        "tags": record.tags,
        "links": record.links,
        "extra": record.extra,
    }


def mark(mark: Mark) -> Json:
    """A record with what is known of it beyond its own text."""
    return {**record(mark.record), **_known(mark)}


def warnings(mark: Mark) -> Json:
    """What to know before relying on a record, under the same names: only what speaks against it."""
    return {name: value for name, value in {**_known(mark), "standing": mark.standing}.items() if value}


def _known(mark: Mark) -> Json:
    return {
        "superseded": mark.superseded,
        "superseded_by": mark.superseded_by,
        "expired": mark.expired,
        "untrue": mark.untrue,
    }


def reading(reading: "FileReading", *, lines: bool) -> Json:
    """A file as it was read; with `lines`, what each line is too, a letter a line."""
    document = reading.document
    shown = {
        "path": document.path,
        "dialect": document.dialect,
        "records": [record(each) for each in document.records],
        "diagnostics": diagnostics(reading.diagnostics, [document]),
        "lines": reading.lines,
    }
    return {**shown, "account": reading.kinds} if lines else shown


def diagnostics(found: Iterable[Diagnostic], documents: Iterable[Document]) -> list[Json]:
    by_path = {document.path: document for document in documents}
    return [_diagnostic(each, by_path[each.path]) for each in found]


def _diagnostic(found: Diagnostic, document: Document) -> Json:
    line, column = document.lines.position(found.span.start)
    end_line, end_column = document.lines.position(found.span.end)
    return {
        "path": found.path,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
        "code": found.code,
        "name": found.name,
        "severity": found.severity,
        "message": found.message,
        "fix": _fix(found.fix) if found.fix else None,
    }


def _fix(fix: Fix) -> Json:
    edits = [{"start": edit.span.start, "end": edit.span.end, "text": edit.new} for edit in fix.edits]
    return {"applicability": "safe" if fix.safe else "unsafe", "edits": edits, "description": fix.description}


def rule(rule: Rule) -> Json:
    return {"code": rule.code, "name": rule.name, "severity": rule.severity, "page": rule.page}


def place(record: Record) -> Json:
    """Where a record is."""
    return {"id": record.id, "path": record.path, "line": record.line}


def added(added: "Added") -> Json:
    return {
        **place(added.record),
        "created": added.created,
        "notes": added.notes,
        "similar": added.similar,
        "kind": added.record.kind,
        "guessed": added.guessed,
    }


def written(added: "Added") -> Json:
    """The same of an entry of the journal, for which several files may change."""
    return {**place(added.record), "created": added.created, "written": added.written, "similar": added.similar}
