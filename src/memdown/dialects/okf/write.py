"""Concepts as memdown writes them: canonical when new, untouched but for the value that changes."""

from collections.abc import Mapping
from datetime import datetime

from memdown import VERSION, times
from memdown.dialects.draft import checked_line, checked_text
from memdown.dialects.front import set_key
from memdown.dialects.okf import KINDS, grammar
from memdown.dialects.okf.grammar import Concept
from memdown.dialects.okf.read import read, slug
from memdown.dialects.remove import everything, without
from memdown.errors import Invalid, Refused, quote, way
from memdown.markdown import frontmatter
from memdown.markdown.cardfile import canonical
from memdown.markdown.frontmatter import FrontMatter, FrontMatterValue
from memdown.markdown.frontmatter.replace import in_style
from memdown.record import Record
from memdown.text import Edit, Span, apply, eol_of, line_start, with_eol

FIXED = ("id", "kind", "scope", "contributors")
COMPARED = ("title", "summary", "body", "at", "author", "status", "tags")
KEYS = {"title": "title", "summary": "description", "tags": "tags", "status": "status"}
"""Fields of a record that are keys of the front matter."""
EXTRA = {"type": "type", "resource": "resource", "expires": "stale_after"}
"""The same for what only this dialect has."""
SECTIONS = {
    "context": "Context",
    "options": "Options",
    "selected": "Decision",
    "rationale": "Rationale",
    "trade_offs": "Trade-offs",
    "consequences": "Consequences",
}
"""What else may be given of a new record, and the heading it stands below."""
_SLUG_LENGTH = 60


def prepare(record: Record, now: datetime) -> Record:
    """A concept ready to be written, or `Invalid` with the first thing that is wrong."""
    if record.kind not in KINDS:
        raise Invalid(f"{quote(record.kind)} is not a kind of concept; use one of {', '.join(KINDS)}.")
    title = checked_line(record.title or "", "title")
    if not title:
        raise Invalid("A concept needs a title.")
    status = (record.status or "stable").strip()
    if status not in grammar.STATUSES:
        raise Invalid(f"{quote(status)} is not a status; use one of {', '.join(grammar.STATUSES)}.")
    given = {name: value for name in SECTIONS if (value := record.extra.get(name))}
    extra = {"type": str(record.extra.get("type") or record.kind.capitalize()), "trust": "unverified", **given}
    if resource := record.extra.get("resource"):
        extra["resource"] = checked_line(str(resource), "resource")
    if expires := record.extra.get("expires"):
        extra["expires"] = _instant(str(expires), end_of_day=True).text
    return Record(
        id=_checked_id(record.id),
        dialect="okf",
        kind=record.kind,
        path="",
        span=record.span,
        title=title,
        summary=checked_line(record.summary, "summary") if record.summary else None,
        body=_body(record.body or "", given),
        at=_instant(record.at.text) if record.at else times.read(times.stamp(now)),
        author=actor(record.author) if record.author else f"memdown/{VERSION}",
        status=status,
        tags=tuple(dict.fromkeys(word for each in record.tags if (word := checked_line(each, "tag")))),
        extra=extra,
    )


def actor(name: str) -> str:
    """Who did something, as the format names them: people by `human:`, tools by their version."""
    line = checked_line(name, "author")
    return line if grammar.ACTOR.fullmatch(line) else f"human:{line}"


def _instant(text: str, *, end_of_day: bool = False) -> times.Moment:
    """A time with its offset; UTC when it names none."""
    spelled = text.strip()
    if grammar.DATE.fullmatch(spelled):
        spelled += "T23:59:59Z" if end_of_day else "T00:00:00Z"
    found = grammar.moment(spelled) or grammar.moment(f"{spelled}Z")
    if found is None:
        raise Invalid(f"{quote(text)} is not a date and time like 2026-01-31T09:30:00Z.")
    return found


def _body(text: str, given: Mapping[str, str | object]) -> str:
    parts = [canonical(checked_text(text, "text"))]
    for name, value in given.items():
        written = value if isinstance(value, str) else "\n".join(f"* {each}" for each in value)  # type: ignore[attr-defined]
        parts.append(f"# {SECTIONS[name]}\n\n{canonical(checked_text(written, name))}")
    return canonical("\n\n".join(part for part in parts if part))


def _checked_id(id: str) -> str:
    """A path in the bundle that no reserved file has."""
    parts = id.split("/") if id else []
    if any(part in ("", ".", "..") for part in parts) or id.endswith(".md") or grammar.is_reserved(f"{id}.md"):
        raise Invalid(f"{quote(id)} is not an id; give a path in the bundle, such as decisions/use-sqlite.")
    return id


def place(record: Record) -> str:
    """The file of a concept, inside the bundle."""
    if record.id:
        return f"{record.id}.md"
    name = slug(record.title or record.kind)[:_SLUG_LENGTH].rstrip("-")
    name = f"{name}-{record.kind}" if grammar.is_reserved(f"{name}.md") else name
    return KINDS[record.kind].replace("*", name)


def insert(text: str, record: Record) -> list[Edit]:
    """A concept is a file of its own, so there is nothing to insert into but an empty text."""
    if text:
        raise Refused(f"{record.path or place(record)} already exists; choose another title, or edit that concept.")
    extra = record.extra
    head = _lines(
        {
            "type": str(extra.get("type") or record.kind.capitalize()),
            "title": record.title or "",
            "description": record.summary or "",
            "resource": str(extra.get("resource") or ""),
            "tags": list(record.tags),
        }
    )
    head += _mapping("generated", _made(record))
    status = record.status if record.status != "stable" else None
    head += _lines({"status": status or "", "stale_after": str(extra.get("expires") or "")})
    return [Edit(Span(0, 0), f"---\n{head}---\n" + (f"\n{record.body}\n" if record.body else ""))]


def _lines(values: Mapping[str, str | list[str]]) -> str:
    """The lines of the keys that have a value."""
    lines = frontmatter.write([(key, value) for key, value in values.items() if value])
    return lines.removeprefix("---\n").removesuffix("---\n")


def _made(record: Record) -> dict[str, str]:
    made = {"by": record.author or "", "at": record.at.text if record.at else ""}
    return {key: value for key, value in made.items() if value}


def _mapping(key: str, values: Mapping[str, str], eol: str = "\n") -> str:
    lines = [f"{key}:", *(f"  {name}: {frontmatter.quote(value)}" for name, value in values.items())]
    return eol.join([*lines, ""]) if values else ""


# Changing


def remove(text: str, record: Record) -> list[Edit]:
    """A concept goes with its file, a day of a log with its lines."""
    if record.kind == "log":
        return [without(text, record.span.start, record.span.end)]
    return [everything(text)]


def kept(text: str, record: Record, new: Record | None = None) -> str | None:  # noqa: ARG001 - the shape of all rooms
    """A list of concepts stays: it follows what it lists."""
    if record.kind != "index" or new is not None:
        return None
    forced = f"the list with {way('--force')}"
    return f"{record.path} is generated from the concepts of its folder; delete those, or {forced}."


def update(text: str, old: Record, new: Record) -> list[Edit]:
    """The edits from one state of a concept to another; they touch only what differs."""
    if grammar.is_reserved(old.path):
        raise Refused(f"{old.path} is kept by memdown or by hand; only concepts can be edited.")
    if fixed := [name for name in FIXED if getattr(new, name) != getattr(old, name)]:
        raise Refused(f"The {fixed[0]} of a concept cannot be changed.")
    known = grammar.concept(text)
    edits = [*_keys(text, known, old, new), *_of_body(text, known, old, new)]
    eol = eol_of(text)
    edits = [Edit(edit.span, with_eol(edit.new, eol)) for edit in edits]
    _refuse_other(apply(text, edits), old, new)
    return edits


def _keys(text: str, known: Concept, old: Record, new: Record) -> list[Edit]:
    wanted = {key: getattr(new, field) for field, key in KEYS.items() if getattr(new, field) != getattr(old, field)}
    for name in dict.fromkeys((*old.extra, *new.extra)):
        if old.extra.get(name) != new.extra.get(name):
            if name not in EXTRA:
                raise Refused(f"The {name} of a concept cannot be changed here; edit {old.path} by hand.")
            wanted[EXTRA[name]] = new.extra.get(name)
    made = {key: value for key, value in _made(new).items() if value != _made(old).get(key)}
    if not wanted and not made:
        return []
    if known.front is None or not known.is_readable:
        raise Refused(f"{old.path} has no front matter that can be edited; see {way('check', old.path)}.")
    edits: list[Edit] = []
    for key, value in wanted.items():
        edits += _set(text, known.front, key, value)
    return [*edits, *_generated(text, known.front, made)] if made else edits


def _set(text: str, front: FrontMatter, key: str, value: object) -> list[Edit]:
    if not value:
        return frontmatter.remove(text, front, key)
    if isinstance(value, str):
        return set_key(text, front, key, checked_line(value, key))
    return set_key(text, front, key, [checked_line(each, key) for each in value])  # type: ignore[attr-defined]


def _generated(text: str, front: FrontMatter, made: Mapping[str, str]) -> list[Edit]:
    """Who wrote it and when, each at its place."""
    entry = front.get("generated")
    if entry is None:
        at = front.inner.end
        return [Edit(Span(at, at), _mapping("generated", made))]
    flow = entry.value.style == "flow-map"
    there = grammar.members(entry.value)
    edits = [Edit(there[key].span, in_style(made[key], there[key], flow)) for key in made if key in there]
    more = {key: value for key, value in made.items() if key not in there}
    return [*edits, *_members(text, entry.value, more)] if more else edits


def _members(text: str, value: FrontMatterValue, more: Mapping[str, str]) -> list[Edit]:
    """Further keys of a mapping, behind its last one."""
    if not value.entries:
        raise Refused("The generated key of this concept is not a mapping of by and at; edit the file by hand.")
    last = value.entries[-1]
    lines = [f"{key}: {frontmatter.quote(each)}" for key, each in more.items()]
    if value.style == "flow-map":
        end = last.value.span.end
        return [Edit(Span(end, end), "".join(f", {line}" for line in lines))]
    indent = text[line_start(text, last.key_span.start) : last.key_span.start]
    return [Edit(Span(last.span.end, last.span.end), "".join(f"\n{indent}{line}" for line in lines))]


def _of_body(text: str, known: Concept, old: Record, new: Record) -> list[Edit]:
    if new.body == old.body:
        return []
    body = canonical(checked_text(new.body or "", "text"))
    there = text[known.body :]
    blank = len(there) - len(there.lstrip())
    kept = there.rstrip()
    if kept:
        start = known.body + blank
        # White space before the first word of a line is part of it.
        start = max(known.body, text.rfind("\n", known.body, start) + 1)
        return [Edit(Span(start, known.body + len(kept)), body)]
    lead = "" if text.endswith(("\n", "\r")) or not text else "\n"
    return [Edit(Span(known.body, len(text)), f"{lead}\n{body}\n")]


def _refuse_other(text: str, old: Record, new: Record) -> None:
    """Unusual YAML can make a small edit mean something else; then nothing is written."""
    found = read(old.path, text)
    same = found and all(getattr(found[0], name) == getattr(new, name) for name in COMPARED)
    if not same or any(found[0].extra.get(name) != new.extra.get(name) for name in {**old.extra, **new.extra}):
        raise Refused(f"{old.path} cannot hold this as it is written; edit it by hand.")
