"""One record: what it says, what it links to and what links to it, who wrote it, what is wrong with it."""

import posixpath
from urllib.parse import unquote

from memdown.errors import Ambiguous
from memdown.memory import Memory
from memdown.patterns import lazy
from memdown.record import Record
from memdown.surfaces.web import editors
from memdown.surfaces.web.markup import LONGEST, name_of
from memdown.surfaces.web.views import checked
from memdown.surfaces.web.views.model import PageRequest, View

_SHOWN_ELSEWHERE = frozenset(
    "rationale form content_hash id header date timestamp author scope status tags supersedes title summary section"
    " layer depth line_end source status_text task".split()
)
_RENAMED = {"author_from": "author taken from", "at_from": "date taken from"}
_FINDINGS = 100
_BORDER = lazy(r"(?<=[a-z])(?=[A-Z])")
_MARK = lazy(r"\A(?:[-*+]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")


def show(memory: Memory, request: PageRequest) -> View:
    record, copies = chosen(memory, request.text("id"))
    mark, pointing = memory.questions.about(record)
    ids = {link.resolved or link.target for link in record.links} | {link.target for link in pointing}
    near = {each.record.id: each for each in memory.questions.named([*ids, *mark.superseded_by])}
    place = str(memory.root / record.path)
    said = record.body or _source(memory, record)
    inside = (record.span.start, record.span.end)
    findings = [each for each in checked.in_file(memory, record.path) if inside[0] <= each.span.start <= inside[1]]
    return View(
        "record.html",
        name_of(record),
        {
            "mark": mark,
            "record": record,
            "near": near,
            "pointing": pointing,
            "findings": findings[:_FINDINGS],
            "facts": _facts(record),
            "editor": editors.address(place, record.line),
            "copies": copies,
            "whole": _whole_name(record),
            "said": said,
            "file_of": lambda target: _file_of(memory, record, target),
            "cut": len(said) > LONGEST,
            "step": memory.last_step(record),
        },
    )


def chosen(memory: Memory, id: str) -> tuple[Record, list[Record]]:
    """The record that an address names, and its copies: a folder that was renamed is often kept, with the same ids."""
    try:
        return memory.questions.get(id), []
    except Ambiguous:
        same = sorted((mark.record for mark in memory.questions.named([id])), key=lambda each: (each.path, each.line))
        if not same:
            raise
        return same[0], same[1:]


def _whole_name(record: Record) -> str:
    """What a record is called, where the title of the page leaves some of it out."""
    words = " ".join((record.title or record.summary or "").split())
    return words if words != name_of(record) else ""


def _source(memory: Memory, record: Record) -> str:
    """What the file has of a record that is not told apart into a title and a text."""
    text = record.span.of(memory.text(record.path)).strip()
    first, _, rest = text.partition("\n")
    if first.startswith("#"):
        return rest.strip()
    words = " ".join(_MARK.sub("", text).split())
    return text if words not in (record.title, record.summary) else ""


def _file_of(memory: Memory, record: Record, target: str) -> str | None:
    """The file of memory that a link in a record leads to."""
    path = unquote(target).partition("#")[0].partition("?")[0]
    if not path or "\0" in path:
        return None
    known = {each.path for each in memory.questions.files()}
    near = posixpath.normpath(posixpath.join(posixpath.dirname(record.path), path))
    return next((each for each in (near, posixpath.normpath(path).lstrip("/")) if each in known), None)


def _words(name: str) -> str:
    return _BORDER.sub(" ", name.replace("_", " ")).lower()


def _facts(record: Record) -> list[tuple[str, str]]:
    """What only its dialect has."""
    return [
        (_RENAMED.get(name, _words(name)), value if isinstance(value, str) else ", ".join(value))
        for name, value in record.extra.items()
        if name.casefold() not in _SHOWN_ELSEWHERE
        and value
        and len(str(value)) < 500
        and not (isinstance(value, str) and value in (record.body or ""))  # it is read beside it
    ]
