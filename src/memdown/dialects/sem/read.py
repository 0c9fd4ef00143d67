"""From a log's text to its entries: canonical and legacy, in any mix. Reads whatever is there."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec import structs

from memdown import times
from memdown.dialects import days, signed
from memdown.dialects.sem import KINDS, canonical, grammar, legacy, signers
from memdown.dialects.sem.split import LogPart, shown, split
from memdown.hashes import sha256
from memdown.markdown import frontmatter
from memdown.patterns import lazy
from memdown.record import Link, Record, people
from memdown.text import BOM, Span, encode

RELATED = lazy(r"(?:[-*+][ \t]+)?`?([A-Za-z][\w-]*)`?[ \t]*:[ \t]*(.+)")
_DONE_BY = lazy(r",[ \t]+[a-z]{3,20}ed by[ \t]+")
"""What parts those who did what was decided from who decided it."""
_DECIDED_BY = lazy(
    r"[—–-]\s*(?:decided|reviewed|audited|proposed|approved|implemented|"
    r"directed|written|coordinated|documented|designed) by\s+"
    r"(?P<author>[^\r\n]+)$",
    re.IGNORECASE,
)
_BY_DASH = lazy(r"[—–]\s*(?P<author>[^\W\d_][\w' ]{1,30})\.?$")
_LINE_START = lazy(r"^(?=[ \t>]*(?:[-*+][ \t]+)?(?:\U0001f4cc|\*\*|__|\[?\d{4}-))", re.MULTILINE)
_ONE_OF = r"[\w./-]{0,80}#\d{1,9}|[A-Z][A-Z0-9]{1,9}-\d{1,9}|\d{1,9}(?![\w.:/-])"
_REFERENCE = lazy(
    rf"[`*]{{0,2}}(?:\[(?P<linked>{_ONE_OF})\]\([^()\s]*\)|(?P<bare>{_ONE_OF}|https?://[^\s,;()`*]+))(?!\w)[`*]{{0,2}}"
)
_AND = lazy(r"[ \t]{0,3}(?:\([^()]{0,200}\)[ \t]{0,3})?(?:[,;+&/]|and\b)[ \t]{0,3}(?:and[ \t]{1,3})?")
_MARKED = lazy(r"[\[(]\s*superseded\b", re.IGNORECASE)
_KEPT = ("rationale", "expires", "supersedes", "scope")


def read(path: str, text: str) -> list[Record]:
    """Every entry of a file, in order; lines that tell of a decision inside another entry too."""
    role = grammar.part_of(path) or "log"
    parts = split(text, role)
    sections = legacy.section_dates(parts)
    day_first = days.days_come_first(text)
    found = [
        _entry(path, text, part, role, day_first, sections.get(part.start)) for part in parts if part.form != "prose"
    ]
    found = _without_containers(text, parts, found)
    if role == "inbox":
        found = _dropped(path, text, found)
    if role != "history":
        found = _signed(path, role, found, [part.title for part in parts])
    if role in ("history", "log"):
        found += _dated_lines(path, text, role, parts)
    return _identified(path, sorted(found, key=lambda record: (record.span.start, -record.span.end)), role)


def _without_containers(text: str, parts: Sequence[LogPart], found: list[Record]) -> list[Record]:
    """The entries; one that has no text of its own, but other entries below it, says nothing."""
    empty = {
        part.start
        for part, after in pairwise(parts)
        if (after.level > part.level > 0 or part.level > after.level == 1)
        and part.form != "sem"
        and not text[part.text_at : part.end].strip("-*_ \t\r\n")
    }
    if not empty:
        return found
    return [
        structs.replace(each, extra={**each.extra, "unfilled": "yes"}) if each.span.start in empty else each
        for each in found
    ]


def _dropped(path: str, text: str, found: list[Record]) -> list[Record]:
    """The entries of a dropped file. One without a heading is an entry, and one alone is what front matter says."""
    front = frontmatter.read(text) if text.startswith(("---", f"{BOM}---")) else None
    start = front.body if front else 0
    if not found and text[start:].strip(f"{BOM} \t\r\n"):
        found = [_entry(path, text, LogPart(start, len(text), 0, "document", "", start), "inbox", None)]
    if front is None or len(found) != 1 or found[0].form == "sem":
        return found
    values = {each.key.lower(): each.value.text or " ".join(each.value.span.of(text).split()) for each in front.entries}
    [record] = found
    title = (values.get("title") or values.get("summary")) if record.title == legacy.UNTITLED else None
    author = record.author or values.get("author") or None
    written = record.at if "at_from" not in record.extra else None
    dates = (date for key in grammar.FRONT_DATES if (date := grammar.moment(values.get(key, ""))))
    return [
        structs.replace(
            record,
            title=title or record.title,
            kind=said if (said := values.get("type", "").lower()) in KINDS else record.kind,
            summary=values.get("summary") or title or record.summary,
            author=author,
            at=written or next(dates, None) or record.at,
            scope=said if grammar.SCOPE.fullmatch(said := values.get("scope", "")) else record.scope,
            tags=record.tags or tags(values.get("tags", "")),
        )
    ]


def _signed(path: str, role: str, found: list[Record], titles: Sequence[str]) -> list[Record]:
    """The entries, with who signs in a title where no field says it: "Ann — Colours", in a file that Ann signs too.

    A dropped file is named after who dropped it, so that a title which begins with that name is signed as well.
    """
    names = {name for each in found for line in (each.author, *each.contributors) if line for name in people(line)}
    names |= signers.ROLES | signers.regulars((each.status or "" for each in found), titles)
    if role == "inbox" and found:
        first, _, rest = (found[0].title or "").partition(" ")
        file = path.rsplit("/", 1)[-1].casefold()
        names |= {first} if rest and file.startswith(f"{first.casefold()}-") else set()
    folder, _, file = path.removesuffix(".md").rpartition("/")
    if (
        "orchestration-log" in folder.split("/")
        and found
        and (name := signers.orchestrated(found[0].title or "", file))
    ):
        found = [_by(found[0], name) if _is_open(found[0], name) else found[0], *found[1:]]
    return [_by(each, name) if (name := _signer(each, names)) else each for each in found]


def _is_open(record: Record, name: str) -> bool:
    """Whether an entry has no author but one under a label that may say something else, who has another name."""
    author = record.author
    return not author or not (legacy.is_sure(author, record.extra) or name in people(author))


def _signer(record: Record, names: set[str]) -> str | None:
    if record.form == "sem" or (record.author and not legacy.is_of_owner(record.author, record.extra)):
        return None
    name = signers.signer(record.title or "", "" if record.author else record.status or "", names)
    if name is None and record.author is None and (role := record.extra.get("Role")):
        name = signers.named_role(str(role), names, record.path.rsplit("/", 1)[-1].removesuffix(".md"))
    return None if record.author and name in people(record.author) else name


def _by(record: Record, author: str) -> Record:
    return structs.replace(record, author=author, extra={**record.extra, "author_from": "title"})


def entries(records: Sequence[Record]) -> list[Record]:
    """The entries of a file that can stand alone, in order. Entries of one line stay where they are."""
    found: list[Record] = []
    for record in records:
        alone = not found or record.span.start >= found[-1].span.end
        if alone and record.form not in grammar.LINES:
            found.append(record)
    return found


def is_retired(record: Record) -> bool:
    """Whether an entry says itself that it is over; a legacy one does in its title or status."""
    if record.form == "sem":
        return False
    return bool(_MARKED.search(record.title or "")) or "superseded" in (record.status or "").casefold()


def _entry(
    path: str, text: str, part: LogPart, role: str, day_first: bool | None, section: times.Moment | None = None
) -> Record:
    if part.form == "sem":
        return _canonical(path, text, part)
    return _legacy(path, text, part, role, legacy.facts(text, part, role, day_first), section)


def _canonical(path: str, text: str, part: LogPart) -> Record:
    match = grammar.SEM_TITLE.fullmatch(part.title)
    inside = canonical.inside(text, part.text_at, part.end)
    values = _firsts((field.name, field.value) for field in inside.fields)
    header = match["stamp"] if match else ""
    title = re.sub(r"\\(#+)$", r"\1", match["title"].strip()) if match else part.title
    kind = values.get("type", "").lower()
    kind = kind if kind in KINDS else match["kind"].lower() if match else "note"
    author = values.get("author") or None
    texts = [(span.start, canonical.body_of(text, span)) for span in inside.loose]
    if own := inside.get("details"):
        texts.append((own.span.start, own.value))
    details = "\n\n".join(each for _, each in sorted(texts) if each) or None
    return Record(
        id="",
        dialect="sem",
        kind=kind,
        path=path,
        span=Span(part.start, inside.terminator.end if inside.terminator else part.end),
        title=title,
        summary=values.get("summary") or title,
        body=details,
        at=_moment(values.get("timestamp")) or _moment(header),
        author=author,
        contributors=listed(values.get("contributors", "")),
        scope=values.get("scope", "").strip() or effective_scope(kind, author),
        tags=tags(values.get("tags", "")),
        links=_links(values),
        extra={
            "form": "sem",
            "header": header,
            **{name: value for name, value in values.items() if name in _KEPT},
            **{name: value for name, value in values.items() if name not in grammar.FIELDS},
        },
    )


def _firsts(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The first value of each name, in order."""
    values: dict[str, str] = {}
    for name, value in pairs:
        values.setdefault(name, value)
    return values


def _legacy(
    path: str, text: str, part: LogPart, role: str, facts: legacy.LegacyFacts, section: times.Moment | None
) -> Record:
    """An older entry; one that does not say when it was has the day of the `section` it stands in."""
    agent = grammar.agent_of(path) if role == "history" else None
    author = facts.author or agent
    labels = _firsts((label.name, label.value) for label in facts.labels)
    named = _firsts((name.strip().lower(), value) for name, value in labels.items())
    scope = named.get("scope", "")
    extra: dict[str, str] = {"form": part.form, **labels}
    if author and not facts.author:
        extra["author_from"] = "path"
    at = facts.at
    if at is None and role in ("session", "inbox"):
        at = grammar.moment(path.rsplit("/", 1)[-1])
        if at:
            extra["at_from"] = "path"
    if facts.at_from and at is facts.at:
        extra["at_from"] = facts.at_from
    if at is None and section:
        at, extra["at_from"] = section, "section"
    return Record(
        id="",
        dialect="sem",
        kind=facts.kind,
        path=path,
        span=Span(part.start, part.end),
        title=facts.title,
        summary=facts.title,
        body=text[part.text_at : part.end].strip() or None,
        at=at,
        author=author,
        contributors=facts.contributors,
        scope=scope if grammar.SCOPE.fullmatch(scope) else effective_scope(facts.kind, author),
        status=facts.status,
        tags=tags(named.get("tags", "")),
        links=_legacy_links(labels),
        extra=extra,
    )


def _dated_lines(path: str, text: str, role: str, parts: Sequence[LogPart]) -> list[Record]:
    """Lines that are entries by themselves: team updates, and in histories, or between entries, dated bullets."""
    found: list[Record] = []
    loose = [(part.start, part.end) for part in parts if role == "history" or part.form == "prose"]
    text = shown(text)
    for start in _LINE_START.finditer(text):
        pin = grammar.PIN.match(text, start.start())
        while loose and loose[0][1] <= start.start():
            loose.pop(0)
        is_loose = bool(loose) and loose[0][0] <= start.start()
        bullet = grammar.BULLET.match(text, start.start()) if is_loose and not pin else None
        is_open = is_loose and not pin and not bullet
        other = (grammar.TITLED_BULLET if role == "history" else grammar.BOLD_LINE) if is_open else None
        match = pin or bullet or (other.match(text, start.start()) if other else None)
        moment = grammar.moment(match["stamp"]) if match else None
        if match is None or moment is None:
            continue
        line = match["text"].strip().strip("*").strip()
        decided = _DECIDED_BY.search(line) if pin else None
        named, *others = _DONE_BY.split(decided["author"].removesuffix(".").strip("*_ ")) if decided else [None]
        who = _who(bullet, line) if match is not pin else None
        author = named or who or (grammar.agent_of(path) if role == "history" and not pin else None)
        kind = "note" if pin else "memory" if role == "history" else "decision"
        found.append(
            Record(
                id="",
                dialect="sem",
                kind=kind,
                path=path,
                span=Span(match.start(), match.end()),
                title=legacy.unmarked(line[: decided.start()] if decided else line).rstrip("—–- ").strip()
                or match["stamp"],
                summary=line or None,
                at=moment,
                author=author,
                contributors=tuple(filter(None, others)),
                scope="team" if pin else effective_scope(kind, author),
                extra={"form": "update" if pin else "bullet"},
            )
        )
    names = {people(each.author)[0] for each in found if each.author} | signers.ROLES
    return [_by_dash(each, names) if each.kind == "note" and not each.author else each for each in found]


def _who(bullet: re.Match[str] | None, line: str) -> str | None:
    """Who a line of one date says it is by: behind the date, or at its end."""
    if bullet and signed.is_name(bullet["who"] or ""):
        return str(bullet["who"])
    return signers.signer(line, "", ())


def _by_dash(update: Record, names: set[str]) -> Record:
    """A team update that ends with the name of somebody who decided another one."""
    match = _BY_DASH.search(update.title or "", max(len(update.title or "") - 40, 0))
    if not match or match["author"] not in names:
        return update
    return structs.replace(update, author=match["author"], title=(update.title or "")[: match.start()].rstrip("—–- "))


def _identified(path: str, found: list[Record], role: str) -> list[Record]:
    """Ids that stay when other entries change: from place, time and title, and for twins from the text too."""
    place = path if role in ("archive", "inbox") else grammar.agent_of(path) or "log"
    keys = [f"{place}\0{_own_time(record)}\0{record.title}" for record in found]
    times_seen = Counter(keys)
    counts: Counter[str] = Counter()
    named = []
    for record, key in zip(found, keys, strict=True):
        own = key if times_seen[key] == 1 else f"{key}\0{record.summary}\0{record.body}"
        counts[own] += 1
        numbered = own if counts[own] == 1 else f"{own}\0{counts[own]}"
        named.append(structs.replace(record, id=sha256(encode(numbered))[:12]))
    return named


def _own_time(record: Record) -> str:
    """When an entry says itself that it was; the date of its section may change without it."""
    return record.at.text if record.at and record.extra.get("at_from") != "section" else ""


def effective_scope(kind: str, author: str | None) -> str | None:
    """The scope of an entry that names none: the team's, and for a memory its author's."""
    if kind != "memory":
        return grammar.DEFAULT_SCOPES.get(kind)
    return f"agent:{people(author)[0]}" if author else None


def listed(value: str) -> tuple[str, ...]:
    """Values with commas between them."""
    return tuple(each for part in value.split(",") if (each := part.strip()))


def tags(value: str) -> tuple[str, ...]:
    """Tags without the marks people put around them or their list, each once whatever its case."""
    value = value.strip()
    value = value[1:-1] if value.startswith("[") and value.endswith("]") else value
    found = {tag.casefold(): tag for part in reversed(value.split(",")) if (tag := part.strip().strip("`").lstrip("#"))}
    return tuple(reversed(found.values()))


def _moment(value: str | None) -> times.Moment | None:
    """The moment a field is; a field that holds more than that names none."""
    if not value or not grammar.STAMP.fullmatch(value.strip()):
        return None
    return times.read(value)


def _links(values: dict[str, str]) -> tuple[Link, ...]:
    found = [Link("supersedes", each) for each in listed(values.get("supersedes", ""))]
    for line in re.split(r"[\r\n]+|,(?=\s*[A-Za-z]+\s*:)", values.get("related", "")):
        match = RELATED.fullmatch(line.strip())
        if match:
            found.append(Link(match[1].lower(), match[2].strip()))
    return tuple(found)


def _legacy_links(labels: dict[str, str]) -> tuple[Link, ...]:
    """What legacy labels point at, as written."""
    kinds = {
        "issue": "issue",
        "issues": "issue",
        "pr": "pr",
        "prs": "pr",
        "supersedes": "supersedes",
        "references": "related",
    }
    return tuple(
        Link(kind, target)
        for name, value in labels.items()
        if (kind := kinds.get(name.lower()))
        for target in (_work(value) if kind in ("issue", "pr") else listed(value))
    )


def _work(value: str) -> list[str]:
    """The issues or pull requests that a label lists before any words about them; a label may also tell of a fault."""
    found, at = [], 0
    while match := _REFERENCE.match(value, at):
        found.append(match["linked"] or match["bare"])
        at = match.end()
        if not (gap := _AND.match(value, at)):
            break
        at = gap.end()
    return found
