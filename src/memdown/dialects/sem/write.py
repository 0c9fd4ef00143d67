"""Entries as memdown writes them: canonical, appended so that a diff shows one block, and read back the same."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from msgspec import structs

from memdown import times
from memdown.dialects.remove import without
from memdown.dialects.sem import KINDS, canonical, grammar
from memdown.dialects.sem.read import effective_scope, read
from memdown.errors import Invalid, Refused, quote, way
from memdown.patterns import lazy
from memdown.record import Link, Record, people, slug
from memdown.text import BOM, Edit, Span, apply, eol_of, gap, with_eol

_TITLES = {"decisions.md": "# Decisions\n\n", "history.md": "# History\n\n"}
"""What a new file begins with."""
_FIXED = ("id", "kind", "at", "status", "links")
_UNSEEN = lazy("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def prepare(record: Record, now: datetime) -> Record:
    """An entry ready to be written, stamped with the time, or `Invalid` with the first thing that is wrong."""
    kind, title, extra = record.kind, record.title or "", record.extra
    if kind not in KINDS:
        raise Invalid(f"{quote(kind)} is not a kind of entry; use one of {', '.join(KINDS)}.")
    if record.author is None:
        raise Invalid(f"A {kind} needs an author; give {way('--author, or set user.name with `git config`')}.")
    author = _line(record.author, "author")
    kept = {"form": "sem"}
    if record.rationale:
        kept["rationale"] = _block(record.rationale, "rationale")
    if expires := str(extra.get("expires") or ""):
        kept["expires"] = _expiry(expires, times.read(stamp(now)))
        if (until := times.read(kept["expires"])) and until.instant() <= now:
            raise Invalid(
                f"{quote(expires)} is in the past, so it would have expired; give {way('--expires')} a future date."
            )
    if extra.get("inbox"):
        kept["inbox"] = "yes"
    summary = title if record.summary is None else record.summary
    return structs.replace(
        record,
        id="",
        dialect="sem",
        title=_line(title, "title"),
        summary=_summary(summary, force=bool(extra.get("force"))),
        body=_block(record.body, "details") if record.body and record.body.strip() else None,
        at=times.read(stamp(now)),
        author=author,
        contributors=tuple(_item(each, "contributor") for each in record.contributors),
        scope=_scope(record.scope) if record.scope else effective_scope(kind, author),
        status=None,
        tags=tuple(dict.fromkeys(_tag(each) for each in record.tags)),
        links=tuple(_link(each) for each in record.links),
        extra=kept,
    )


def stamp(moment: datetime) -> str:
    """A timestamp as the format wants it, with the offset it is given in."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S%z")[:24]


def place(record: Record) -> str:
    """The file for an entry, inside the home: a memory goes to its author's history, the rest to the log.

    One for the drop box gets a file of its own.
    """
    author = slug(people(record.author or "unknown")[0])
    if record.extra.get("inbox"):
        return f"decisions/inbox/{author}-{slug(record.title or record.kind)[:50].rstrip('-')}.md"
    return KINDS[record.kind].replace("*", author)


def other_spelling(place: str, names: Sequence[str]) -> str | None:
    """The history of an agent, whose folder keeps the capitals it has."""
    folder, _, file = place.rpartition("/")
    folders = (name.rpartition("/")[0] for name in names)
    return next((f"{each}/{file}" for each in folders if folder and each.lower() == folder), None)


def insert(text: str, record: Record) -> list[Edit]:
    """The entry at the end of a text: existing lines stay as they are, and a new log begins with its title.

    Where one of the same kind, time and title is there, the new one comes a second later.
    """
    existing = {(each.kind, each.at.instant(), each.title) for each in read(record.path, text) if each.at}
    while record.at and (record.kind, record.at.instant(), record.title) in existing:
        record = structs.replace(record, at=_next_second(record.at))
    title = "" if text.strip(BOM) else _TITLES.get(record.path.rpartition("/")[2], "")
    entry = title + gap(text) + with_eol(entry_text(record), eol_of(text))
    return [Edit(Span(len(text), len(text)), entry)]


def appended(text: str, entry: str) -> str:
    """A text with an entry at its end, after a blank line."""
    return apply(text, [Edit(Span(len(text), len(text)), gap(text) + entry + eol_of(text))])


def entry_text(record: Record) -> str:
    """One canonical entry, with its terminator."""
    at = record.at
    if at is None:
        raise Refused("An entry needs a time; say when it was written.")
    # Nobody knows the offset of a time that was written without one; a check says so.
    is_local = at.offset is None and at.precision != "day"
    stamped = at.local.isoformat(timespec="seconds") if is_local else canonical_stamp(at)
    title = re.sub(r"(?<!#)(#+)$", r"\\\1", record.title or "")
    head = {
        "type": record.kind,
        "timestamp": stamped,
        "author": record.author or "",
        "contributors": ", ".join(record.contributors),
        "scope": record.scope or "",
        "tags": ", ".join(record.tags),
        "supersedes": ", ".join(link.target for link in record.links if link.type == "supersedes"),
        "expires": str(record.extra.get("expires") or ""),
    }
    parts = [
        f"### {stamped}: {record.kind}: {title}",
        "\n".join(f"**{name}:** {value}  " for name, value in head.items() if value),
        f"**summary:** {record.summary or record.title}",
    ]
    if record.body:
        parts.append(f"**details:**\n\n{canonical.escaped(record.body)}")
    if record.rationale:
        parts.append(_labelled("rationale", record.rationale))
    related = [f"- {link.type}: {link.target}" for link in record.links if link.type != "supersedes"]
    if related:
        parts.append("**related:**\n" + "\n".join(related))
    return "\n\n".join([*parts, "---"]) + "\n"


def _labelled(name: str, text: str) -> str:
    """A text after its label: on the same line when it is one line that starts nothing."""
    written = canonical.escaped(text)
    return f"**{name}:** {written}" if "\n" not in text and written == text else f"**{name}:**\n\n{written}"


def canonical_stamp(at: times.Moment) -> str:
    """Any moment in the format's own spelling; one without a zone is in UTC, and a day stays a day."""
    if at.precision == "day":
        return at.local.date().isoformat()
    minutes = at.offset or 0
    sign = "-" if minutes < 0 else "+"
    return f"{at.local.isoformat(timespec='seconds')}{sign}{abs(minutes) // 60:02}{abs(minutes) % 60:02}"


def update(text: str, old: Record, new: Record) -> list[Edit]:
    """The edits of the fields that differ; a field that was not there is added below the last of the head."""
    if old.form != "sem":
        raise Refused(
            f"{old.path}:{old.line} is a legacy entry; {way('convert', old.path)} makes it canonical first, and one"
            " that it keeps as it is can only be edited in the file."
        )
    if fixed := [name for name in _FIXED if getattr(new, name) != getattr(old, name)]:
        replacing = way("add", old.kind, "'TITLE'", "--supersedes", old.id)
        raise Refused(f"The {fixed[0]} of an entry is not changed afterwards; {replacing} writes one that replaces it.")
    free = dict.fromkeys(("expires", "rationale"), "")
    if {**old.extra, **free} != {**new.extra, **free}:
        raise Refused("Of an entry's other fields only its expiry date and its rationale can be changed this way.")
    if new.title != old.title and new.summary == old.summary == old.title:
        new = structs.replace(new, summary=new.title)  # it only repeated the title
    start = text.index("\n", old.span.start) + 1 if "\n" in text[old.span.start : old.span.end] else old.span.end
    edits = [_title_edit(text, old, start, new.title or "")] if new.title != old.title else []
    was, values = _values(old), _values(new)
    inside = canonical.inside(text, start, old.span.end)
    head = [each for each in inside.fields if each.name in grammar.LINE_FIELDS]
    at = head[-1].span.end if head else start
    for name in (name for name in values if values[name] != was[name]):
        value, field = values[name], inside.get(name)
        if field and not value:
            edits.append(Edit(Span(field.span.start, _after_line(text, field.span.end)), ""))
        elif field:
            edits.append(Edit(field.value_span, value))
        elif name != "summary" or value != new.title:  # a title says it already
            edits.append(Edit(Span(at, at), f"{eol_of(text)}**{name}:** {value}  "))
    return edits + _details_edit(text, old, new, inside) + _rationale_edit(text, old, new, inside)


def _details_edit(text: str, old: Record, new: Record, inside: canonical.Inside) -> list[Edit]:
    """Another text in the place of the details, or details below the summary of an entry that had none."""
    if new.body == old.body:
        return []
    field, eol = inside.get("details"), eol_of(text)
    if inside.loose:
        raise Refused(f"{old.path}:{old.line} has text outside of its details; edit that by hand.")
    body = canonical.escaped(_block(new.body or "", "details")) if (new.body or "").strip() else ""
    if field is None:
        above = inside.get("summary") or (inside.fields[-1] if inside.fields else None)
        if above is None:
            raise Refused(f"{old.path}:{old.line} has no fields; edit it by hand.")
        return [Edit(Span(above.span.end, above.span.end), with_eol(f"\n\n**details:**\n\n{body}", eol))]
    if not body:
        return [without(text, field.span.start, field.span.end)]
    return [Edit(field.span, with_eol(f"**{field.spelled}:**\n\n{body}", eol))]


def _rationale_edit(text: str, old: Record, new: Record, inside: canonical.Inside) -> list[Edit]:
    """Another reason in the place of the old one, or one below the details of an entry that had none."""
    if new.rationale == old.rationale:
        return []
    field, eol = inside.get("rationale"), eol_of(text)
    if not new.rationale.strip():
        return [without(text, field.span.start, field.span.end)] if field else []
    why = _block(new.rationale, "rationale")
    if field is not None:
        return [Edit(field.span, with_eol(_labelled(field.spelled, why), eol))]
    above = inside.get("details") or inside.get("summary") or (inside.fields[-1] if inside.fields else None)
    if above is None or inside.loose:
        raise Refused(f"{old.path}:{old.line} has text outside of its fields; give it a rationale by hand.")
    return [Edit(Span(above.span.end, above.span.end), with_eol(f"\n\n{_labelled('rationale', why)}", eol))]


def remove(text: str, record: Record) -> list[Edit]:
    """An entry with its terminator, or the line that it is."""
    return [without(text, record.span.start, record.span.start + len(record.span.of(text).rstrip()))]


def reference(record: Record, others: Sequence[Record], now: datetime) -> str:
    """How an entry is named by one that replaces it: by its time, with its title where others have or may get the same.

    Until its second is over, the next entry may have its time.
    """
    if record.at is None:
        raise Refused(
            f"{record.path}:{record.line} has no time to be named by; give it one there, or {way('convert')} it first."
        )
    is_over = record.at.instant() != now.astimezone(UTC).replace(microsecond=0)
    alone = (is_over and record.at.precision != "day") and all(
        each.id == record.id or each.at is None or each.at.instant() != record.at.instant() for each in others
    )
    return record.at.text if alone else f"{record.at.text}: {(record.title or '').replace(',', ' ')}"


def _values(record: Record) -> dict[str, str]:
    """The fields that may change, as they are written."""
    expires = str(record.extra.get("expires") or "")
    return {
        "author": _line(record.author or "", "author"),
        "contributors": ", ".join(_item(each, "contributor") for each in record.contributors),
        "scope": _scope(record.scope) if record.scope else "",
        "tags": ", ".join(_tag(each) for each in record.tags),
        "expires": _expiry(expires, record.at) if expires else "",
        "summary": _summary(record.summary or "", force=None),
    }


def _title_edit(text: str, old: Record, end: int, title: str) -> Edit:
    found = grammar.SEM_TITLE.search(text[old.span.start : end].rstrip())
    if found is None:
        raise Refused(f"{old.path}:{old.line} has no heading that could say so.")
    written = re.sub(r"(?<!#)(#+)$", r"\\\1", _line(title, "title"))
    return Edit(Span(old.span.start + found.start("title"), old.span.start + found.end("title")), written)


def _after_line(text: str, at: int) -> int:
    """The beginning of the line after the one that `at` is on."""
    found = re.compile(r"\r\n|\n|\r").search(text, at)
    return found.end() if found else len(text)


def _next_second(at: times.Moment) -> times.Moment | None:
    later = times.Moment("", at.local + timedelta(seconds=1), "second", at.zone, at.offset)
    return times.read(canonical_stamp(later))


def _line(value: str, what: str) -> str:
    line = value.strip()
    if not line:
        raise Invalid(f"The {what} is empty.")
    if "\n" in line or "\r" in line or _UNSEEN.search(line):
        raise Invalid(f"The {what} is one line without control characters.")
    return line


def _block(value: str, what: str) -> str:
    text = canonical.joined(re.split(r"\r\n|\n|\r", value))
    if re.search("[\ud800-\udfff]", text):
        raise Invalid(f"The {what} is not valid UTF-8.")
    return text


def _summary(value: str, *, force: bool | None) -> str:
    """The summary, when it is short enough; `force` is None where there is no such option."""
    summary = _line(value, "summary")
    if len(summary) > grammar.SUMMARY_LIMIT and not force:
        longer = f", or {way('--force')}" if force is not None else ""
        raise Invalid(
            f"The summary has {len(summary)} characters; it may have {grammar.SUMMARY_LIMIT}."
            f" Give a shorter one with {way('--summary')}{longer}."
        )
    return summary


def _item(value: str, what: str) -> str:
    item = _line(value, what)
    if "," in item:
        raise Invalid(f"The {what} {quote(item)} has a comma, which separates one from the next.")
    return item


def _tag(value: str) -> str:
    tag = _item(value, "tag").strip("`").lstrip("#").strip()
    if not tag or "`" in tag[:1] + tag[-1:]:
        raise Invalid(f"{quote(value)} is not a tag.")
    return tag


def _scope(value: str) -> str:
    scope = _line(value, "scope")
    if "," in scope:
        raise Invalid("A scope is one place: write an entry for each, or choose team or project.")
    if not grammar.SCOPE.fullmatch(scope):
        raise Invalid(f"The scope {quote(scope)} is not team, project, agent:<name> or skill:<name>.")
    return scope


def _stamp(value: str, what: str) -> str:
    if grammar.moment(value) is None:
        raise Invalid(f"{quote(value)} does not begin with a timestamp, so it cannot be in {what}.")
    return _item(value, what)


def _expiry(value: str, at: times.Moment | None) -> str:
    """When an entry ends, as the format wants it: a day ends with its last second, where the entry was written."""
    day = times.read(_stamp(value, "expires"))
    if day is None or day.precision != "day":
        return value.strip()
    last = day.local + timedelta(hours=23, minutes=59, seconds=59)
    return canonical_stamp(times.Moment("", last, "second", "", at.offset if at else 0))


def _link(link: Link) -> Link:
    if link.type == "supersedes":
        if grammar.moment(link.target) is None:
            raise Invalid(f"No entry here is called {quote(link.target)}; {way('list')} shows ids and titles to give.")
        return Link("supersedes", _item(link.target, "supersedes"))
    if link.type not in grammar.RELATED_TYPES:
        types = ", ".join(grammar.RELATED_TYPES)
        raise Invalid(f"What is related is named as TYPE:NAME; {quote(link.type)} is not one of the types: {types}.")
    return Link(link.type, _line(link.target, "related identifier"))
