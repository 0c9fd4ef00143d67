"""Memories as memdown writes them: the stamp, one blank line, the content, a final line ending."""

import re
from collections.abc import Sequence
from datetime import date, datetime

from memdown import times
from memdown.dialects.layers import grammar, stamps
from memdown.dialects.layers.issues import issues
from memdown.dialects.layers.read import body_of
from memdown.dialects.remove import everything, without
from memdown.errors import Invalid, Refused
from memdown.patterns import lazy
from memdown.record import Record
from memdown.text import BOM, Edit, Span, eol_of, with_eol

_SURROGATE = lazy("[\ud800-\udfff]")


def checked(content: str) -> str:
    """The content, when a UTF-8 file can hold it."""
    if is_damaged(content):
        raise Invalid("The content is not valid UTF-8.")
    return content


def is_damaged(text: str) -> bool:
    """Whether a file has bytes that are not UTF-8. Nobody knows what they mean, so it is never written again."""
    return not text.isascii() and bool(_SURROGATE.search(text))


def refuse_damaged(path: str, text: str) -> None:
    if is_damaged(text):
        raise Refused(f"{path} has bytes that are not UTF-8 and is left as it is; fix its encoding first.")


def bare(content: str) -> str:
    """The content without a stamp and blank lines before it, and without line ends after it."""
    text = checked(content).removeprefix(BOM)
    return re.sub(r"\A(?:[ \t]*(?:\r\n|\n|\r))+", "", text[stamps.body_start(text) :]).rstrip("\r\n")


def fresh(content: str, day: date, eol: str = "\n") -> str:
    """The text of a new memory."""
    inner = with_eol(bare(content), eol)
    return f"{stamps.text_of(day)}{eol}" + (f"{eol}{inner}{eol}" if inner.strip() else "")


def rewritten(text: str, content: str, day: date) -> list[Edit]:
    """Other content in the place of all there is; byte order mark and line ends stay as they are."""
    start = int(text.startswith(BOM))
    return [Edit(Span(start, len(text)), fresh(content, day, eol_of(text)))]


def restamped(text: str, day: date) -> list[Edit]:
    """Another date in the stamp, or a stamp above a text that has none. An older form of it stays."""
    start = int(text.startswith(BOM))
    top = stamps.top_stamps(text[:1000])
    if top and top[0].line == 0 and top[0].form == "exact":
        return [Edit(top[0].span, stamps.text_of(day))] if top[0].day != day else []
    eol = eol_of(text)
    return [Edit(Span(start, start), f"{stamps.text_of(day)}{eol}{eol}")]


def appended(text: str, content: str) -> list[Edit]:
    """Content at the end, one blank line after what is there."""
    inner = bare(content)
    if not inner.strip():
        return []
    eol = eol_of(text)
    end = len(text.rstrip(" \t\r\n"))
    gap = eol * 2 if text[:end].strip(BOM) else ""
    return [Edit(Span(end, len(text)), f"{gap}{with_eol(inner, eol)}{eol}")]


def prepare(record: Record, now: datetime) -> Record:
    """A memory ready to be written, at the address that its id is; its title is the heading."""
    address = grammar.from_id(record.id)
    body = bare(record.body or "")
    headed = body if body.startswith("# ") or not record.title else f"# {record.title}\n\n{body}".rstrip()
    return Record(
        id=address.id,
        dialect="layers",
        kind="memory",
        path="",
        span=record.span,
        body=headed,
        at=record.at or times.read(now.date().isoformat()),
    )


def place(record: Record) -> str:
    """The file of a memory, inside the store."""
    return grammar.from_id(record.id.partition("#")[0]).place


def insert(text: str, record: Record) -> list[Edit]:
    """A memory as a new file."""
    if record.at is None:
        raise Invalid(f"{record.id} has no date, and a memory is stamped with one.")
    if text:
        raise Refused(f"{record.id} already has text in it; a memory is a file of its own.")
    return [Edit(Span(0, 0), fresh(record.body or "", record.at.local.date()))]


def update(text: str, old: Record, new: Record) -> list[Edit]:
    """The edits from one state of a record to another: its title, its body, its status, or a file's stamp."""
    fixed = ("id", "kind", "path", "dialect", "author", "contributors", "scope", "tags", "links", "extra", "summary")
    changed = [field for field in fixed if getattr(old, field) != getattr(new, field)]
    if changed:
        raise Refused(
            f"A memory's {changed[0]} follows from its file and cannot be edited; its title, its text and the status of"
            " an issue can."
        )
    edits: list[Edit] = []
    if new.body != old.body:
        edits.append(_body_edit(text, old, new.body or ""))
    if new.title != old.title:
        edits.append(_title_edit(text, old, new.title or ""))
    if new.status != old.status:
        edits.append(_status_edit(text, old, new.status or ""))
    if new.at != old.at:
        if old.kind != "memory" or new.at is None:
            raise Refused("The date of an entry is in its title or its status; edit that.")
        edits += restamped(text, new.at.local.date())
    return edits


def remove(text: str, record: Record) -> list[Edit]:
    """A memory goes with its file and all that is in it; an entry, an issue or a section with its lines."""
    if record.kind == "memory":
        return [everything(text)]
    return [without(text, record.span.start, record.span.start + len(record.span.of(text).rstrip()))]


def _body_edit(text: str, old: Record, body: str) -> Edit:
    if old.kind == "memory":
        inner = text[stamps.body_start(text) : old.span.end]
        start = stamps.body_start(text) + len(inner) - len(inner.lstrip())
        span = Span(start, max(start, start + len(inner.strip())))
    else:
        span = body_of(text, old.span)
    return Edit(span, with_eol(checked(body).strip(), eol_of(text)))


def _title_edit(text: str, old: Record, title: str) -> Edit:
    marks = "#" if old.kind == "memory" else "#+"
    pattern = re.compile(rf"^ {{0,3}}{marks}[ \t]+([^\r\n]*?)[ \t]*(?=[\r\n]|\Z)", re.MULTILINE)
    match = pattern.search(text, old.span.start, old.span.end)
    if not match or "\n" in title or "\r" in title or not title.strip():
        raise Refused(f"{old.id} has no heading that could say so in one line.")
    return Edit(Span(*match.span(1)), checked(title).strip())


def _status_edit(text: str, old: Record, status: str) -> Edit:
    found = [issue for issue in issues(text) if issue.span == old.span]
    if not found or len(_lines(status)) != 1:
        raise Refused(f"{old.id} has no status that could be edited.")
    return Edit(found[0].status, checked(status).strip())


def _lines(text: str) -> Sequence[str]:
    return re.split(r"[\r\n]+", text.strip())
