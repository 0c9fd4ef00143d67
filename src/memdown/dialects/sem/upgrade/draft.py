"""From an entry of a log as people and assistants wrote it to a canonical one."""

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct, structs

from memdown.dialects.draft import EntryDraft, Known, LineFacts
from memdown.dialects.sem import KINDS, canonical, grammar, legacy, write
from memdown.dialects.sem.canonical import EntryField
from memdown.dialects.sem.read import effective_scope, listed, read, tags
from memdown.dialects.sem.split import LogPart, split
from memdown.dialects.sem.upgrade import proof
from memdown.dialects.sem.upgrade.body import Parted, parted
from memdown.patterns import lazy
from memdown.record import Document, Link, Record
from memdown.text import BOM, Span
from memdown.times import Moment

_RULE_WORDS = lazy(r"\b(?:always|never|must|from now on|do not|don't)\b", re.IGNORECASE)
_SAYS_KIND = lazy(r"user directive|(?:design )?decision\s*:", re.IGNORECASE)
_WORD = lazy(r"\w+")
_PARAGRAPH_ENDS = lazy(r"[ \t]*(?:(?:\r\n|\n|\r)[ \t]*(?=[\r\n#*|-]|$)|$)")
_NUMBER = lazy(
    r"\[?(?P<id>[\w.-]+/[\w.-]+#\d+|[\w.-]+/[\w.-]+\d|#?\d+)\]?(?:\(https?://[^\s)]+\))?|(?P<url>https?://\S+)",
    re.ASCII,
)


_NOTHING = Known()
_DATE_FROM_GIT = "date from git"


class _Gaps(Struct, frozen=True):
    """What fills the gaps of one entry."""

    line: LineFacts
    known: Known


def drafts(document: Document, known: Known = _NOTHING) -> dict[int, EntryDraft]:
    """A draft for each legacy entry of a file, by where it begins."""
    role = grammar.part_of(document.path) or "log"
    parts = {part.start: part for part in split(document.text, role)}
    found = {}
    for record in document.records:
        if grammar.is_legacy(record):
            part = parts.get(record.span.start)
            if part is None or part.form == "prose":  # a drop-box file without a heading
                part = LogPart(record.span.start, record.span.end, 0, "document", "", record.span.start)
            line = known.lines.get(document.lines.at(part.start), LineFacts())
            found[part.start] = _headed(document.text, part, record) or _draft(
                document.text, part, record, role, _Gaps(line, known)
            )
        elif record.form == "sem" and _has_old_fields(fields := _fields(document.text, parts[record.span.start])):
            found[record.span.start] = _renamed(document.text, parts[record.span.start], record, fields)
    return found


def _fields(text: str, part: LogPart) -> tuple[EntryField, ...]:
    return canonical.inside(text, part.text_at, part.end).fields


def _has_old_fields(fields: Iterable[EntryField]) -> bool:
    """Whether fields below a canonical heading have the names of older entries."""
    return any(field.name in grammar.FIELDS and field.spelled.lower() in canonical.OLD_NAMES for field in fields)


def _renamed(text: str, part: LogPart, old: Record, fields: Iterable[EntryField]) -> EntryDraft:
    """An entry with a canonical heading, and its fields by their own names; labels that are no fields are details."""
    labels = [f"**{field.spelled}:** {field.value}" for field in fields if field.name not in grammar.FIELDS]
    details = "\n\n".join(each for each in ("\n".join(labels), old.body or "") if each)
    record = structs.replace(old, summary=_summary(old.summary or ""), body=details or None)
    if not record.author:
        return EntryDraft(old, old.span, "", "low", reason="no author", missing=("author",))
    end, written = _written(text, part, record)
    reason = proof.fault(record, written, text[part.start : part.end], old.path)
    return EntryDraft(record, Span(_begin(text, part), end), written, "high", reason=reason)


def _headed(text: str, part: LogPart, old: Record) -> EntryDraft | None:
    """An entry that lacks only the heading of the format: its fields are read as below one. None for any other."""
    said = next((each for each in _fields(text, part) if each.name == each.spelled == "type"), None)
    if said is None or said.value.lower() not in KINDS or not (old.at and old.author and old.title):
        return None
    heading = f"### {old.at.text}: {old.kind}: {old.title}\n"
    found = [each for each in read(old.path, heading + text[part.text_at : part.end]) if each.form not in grammar.LINES]
    if len(found) != 1 or found[0].form != "sem":
        return None
    record = structs.replace(found[0], title=old.title, summary=_summary(found[0].summary or ""))
    record = structs.replace(record, body=_with_heading(record, part, old.at))
    end, written = _written(text, part, record)
    reason = proof.fault(record, written, text[part.start : part.end], old.path)
    return None if reason else EntryDraft(record, Span(_begin(text, part), end), written, "high")


def _draft(text: str, part: LogPart, old: Record, role: str, gaps: _Gaps) -> EntryDraft:
    """The canonical form of one legacy entry."""
    at, when = _moment(old, gaps)
    author, who = _author(old, gaps)
    missing = tuple(what for what, there in (("author", author), ("date", at)) if not there)
    if at is None or missing:
        return EntryDraft(old, old.span, "", "low", reason=f"no {' and no '.join(missing)}", missing=missing)
    facts = legacy.facts(text, part, role)
    own = _own_summary(text, facts.labels)
    pieces = parted(text, part, facts.labels, lambda label: label is own or _is_field(label, old, at))
    said = own.value.strip() if own else old.title or part.title
    record = _record(structs.replace(old, at=at, author=author, summary=said), facts, pieces, part)
    record = structs.replace(record, body=_with_heading(record, part, at))
    end, written = _written(text, part, record)
    confidence, inferred = _confidence(old, part, record, facts, when)
    if when == _DATE_FROM_GIT and not gaps.known.gaps:
        confidence = "low"
    old_text = text[part.start : part.end]
    reason = proof.fault(record, written, old_text, old.path)
    notes = tuple(note for note in (f"author {who}: {author}" if who else "", when, _shortened(record)) if note)
    return EntryDraft(record, Span(_begin(text, part), end), written, confidence, inferred, notes, reason)


def _moment(old: Record, gaps: _Gaps) -> tuple[Moment | None, str]:
    """When it was, and where that comes from when the entry does not say it."""
    at, known = old.at, gaps.line.at
    if at is None:
        return known, _DATE_FROM_GIT if known else ""
    if (whence := old.extra.get("at_from")) in ("section", "status"):
        return at, f"date from its {whence}"
    if known and gaps.known.times and at.precision == "day" and known.local.date() == at.local.date():
        return known, "time from git"
    return at, ""


def _author(old: Record, gaps: _Gaps) -> tuple[str | None, str]:
    """Who wrote it, and where that comes from when the entry does not say it."""
    if old.author:
        return old.author, "from its title" if old.extra.get("author_from") == "title" else ""
    if gaps.known.author:
        return gaps.known.author, "as given"
    return (gaps.line.author, "from git") if gaps.known.gaps and gaps.line.author else (None, "")


def _own_summary(text: str, labels: Iterable[legacy.Label]) -> legacy.Label | None:
    """The label that sums an entry up in one line, short enough for the field."""
    found = next((each for each in labels if each.name.strip().lower() == "summary"), None)
    if found is None or not 0 < len(found.value.strip()) <= grammar.SUMMARY_LIMIT:
        return None
    return found if _PARAGRAPH_ENDS.match(text, found.span.end) else None


def _is_field(label: legacy.Label, old: Record, at: Moment) -> bool:
    """Whether a field of the new entry says all that a label says."""
    name, value = label.name.strip().lower(), label.value.strip(" \t*_`")
    if name in legacy.AUTHORS:
        return label.value.strip().strip("*").strip() == old.author
    if name in legacy.DATES:
        return _spells(value, at)
    if name in ("requested by", "contributors"):
        return bool(value) and "(" not in value and all(each in _contributors(old) for each in listed(value))
    if name in ("issue", "issues", "pr", "prs", "pull request"):
        return bool(_numbers(value)) and "](" not in value
    if name == "supersedes":
        return bool(_superseded(value))
    if name == "scope":
        return grammar.SCOPE.fullmatch(value) is not None
    if name == "type":
        return value.lower() in KINDS
    return name == "tags" and bool(tags(label.value))


def _spells(value: str, at: Moment) -> bool:
    """Whether a moment says as much as a spelling of it."""
    match = grammar.STAMP.fullmatch(value)
    moment = grammar.stamp(value) if match else None
    if moment is None or moment.precision == "fraction" or moment.text != value:
        return False
    return moment.local.date() == at.local.date() if moment.precision == "day" else moment.instant() == at.instant()


def _record(old: Record, facts: legacy.LegacyFacts, pieces: Parted, part: LogPart) -> Record:
    named = {label.name.strip().lower(): label.value.strip(" \t*_`") for label in reversed(facts.labels)}
    kind = _kind(old, named, pieces)
    scope = named.get("scope", "")
    related = [Link("issue", each) for name in ("issue", "issues") for each in _numbers(named.get(name, ""))]
    related += [Link("pr", each) for name in ("pr", "prs", "pull request") for each in _numbers(named.get(name, ""))]
    replaced = [Link("supersedes", each) for each in _superseded(named.get("supersedes", ""))]
    extra = {"form": "sem"}
    if pieces.rationale:
        extra["rationale"] = pieces.rationale
    return structs.replace(
        old,
        kind=kind,
        summary=_summary(old.summary or ""),
        body=pieces.details or None,
        contributors=tuple(_contributors(old)),
        scope=scope if grammar.SCOPE.fullmatch(scope) else effective_scope(kind, old.author),
        tags=tags(named.get("tags", "")),
        links=(*replaced, *dict.fromkeys(related)),
        extra=extra,
        status=None,
        title=old.title or part.title,
    )


def _summary(title: str) -> str:
    """A title as a summary: its words up to the limit of one. The title itself stays whole."""
    if len(title) <= grammar.SUMMARY_LIMIT:
        return title
    cut = title[: grammar.SUMMARY_LIMIT - 1]
    words = cut if title[len(cut)].isspace() else cut.rpartition(" ")[0] or cut
    return f"{words.rstrip(' ,;:—–-')}…"


def _shortened(record: Record) -> str:
    return "" if record.summary == record.title else "the summary is the beginning of the title, which stays whole"


def _kind(old: Record, named: Mapping[str, str], pieces: Parted) -> str:
    kind = named.get("type", "").lower()
    if kind in KINDS:
        return kind
    if old.kind == "decision" and _via_copilot(old) and _RULE_WORDS.search(f"{old.title}\n{pieces.details}"):
        return "directive"
    return old.kind


def _via_copilot(record: Record) -> bool:
    return re.search(r"\bvia copilot\b", record.author or "", re.IGNORECASE) is not None


def _contributors(old: Record) -> list[str]:
    """Names with commas between them, each by itself; one with a comma in its brackets stays in the text."""
    whole = [name for name in old.contributors if not re.search(r"\([^)]*,", name)]
    return list(dict.fromkeys(each for name in whole for each in listed(name)))


def _numbers(value: str) -> list[str]:
    """Identifiers of issues, when a value is nothing but these."""
    found = [_NUMBER.fullmatch(each) for each in re.split(r"[,;]\s*|\s+(?:and|&|\+)\s+|\s+", value.strip()) if each]
    return [match["id"] or match["url"] for match in found if match] if all(found) else []


def _superseded(value: str) -> list[str]:
    """Entries it replaces, when each is named by its time."""
    found = listed(value)
    return list(found) if all(grammar.STAMP.match(each) and grammar.moment(each) for each in found) else []


def _with_heading(record: Record, part: LogPart, at: Moment) -> str | None:
    """The details, with the old heading before them when it says more than the new one."""
    heading = part.title
    match = grammar.dated(heading)
    rest = heading
    if match and _spells(match.group(), at):
        rest = f"{heading[: match.start()]} {heading[match.end() :]}"
    rest = _SAYS_KIND.sub(" ", rest, count=1) if _SAYS_KIND.match(rest.strip(" :—–-")) else rest
    known = set(_WORD.findall(f"{record.title} {record.kind}".lower()))
    if all(word.lower() in known for word in _WORD.findall(rest)):
        return record.body
    kept = f"**Heading:** {heading}"
    return f"{kept}\n\n{record.body}" if record.body else kept


def _begin(text: str, part: LogPart) -> int:
    return part.start + (part.start == 0 and text.startswith(BOM))


def _written(text: str, part: LogPart, record: Record) -> tuple[int, str]:
    """Where the old entry's own text ends, and the new text for it with the same line endings."""
    old = text[_begin(text, part) : part.end]
    end = _begin(text, part) + len(old.rstrip())
    new = write.entry_text(record).removesuffix("\n")
    return end, proof.with_endings_of(old, new)


def _confidence(
    old: Record, part: LogPart, record: Record, facts: legacy.LegacyFacts, when: str
) -> tuple[str, tuple[str, ...]]:
    """How sure the new entry is, and what in it the old one does not say."""
    types = (label.value.lower() for label in facts.labels if label.name.strip().lower() == "type")
    has_kind = next(types, None) in KINDS or _SAYS_KIND.search(part.title)
    doubts = {
        "author": not old.author or "author_from" in old.extra,
        "date": old.at is None or "at_from" in old.extra,
        "time": when == "time from git",
        "type": not has_kind,
    }
    inferred = tuple(name for name, doubted in doubts.items() if doubted)
    heading = grammar.spoken(part.title)
    at = record.at
    moved = bool(heading and at and heading.local.date() != at.local.date())
    untitled = not part.title or grammar.STAMP.fullmatch(record.title or "") is not None
    if untitled:
        return "low", inferred
    unsure = (doubts["author"] and part.level > 3) or doubts["date"] or moved or part.level > 3
    if unsure or part.form == "heading" or (_via_copilot(old) and not has_kind):
        return "medium", inferred
    return ("high" if not doubts["author"] else "medium"), inferred
