"""The inside of a legacy entry: who, when, and what the bold labels say. Nothing is guessed."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

from memdown import times
from memdown.dialects import days, signed
from memdown.dialects.sem import KINDS, grammar
from memdown.dialects.sem.split import LogPart
from memdown.lazy import beside
from memdown.markdown.line_ends import split_lines
from memdown.patterns import lazy
from memdown.record import people, without_asides
from memdown.text import Span

_SURE, _LESS_SURE = (tuple(each.splitlines()) for each in beside(__file__, "signers.txt").split("\n\n"))
AUTHORS = _SURE
"""Labels that name who wrote it, the surest first."""
_SIGNERS = _LESS_SURE
"""Labels that name who wrote it where none of the others does; they say more than that."""
_TASK = "owner"
"""The one of them that may name whose task it is, where a title is signed by another."""
_OWN = frozenset(("author", "authors", "by", "decided by", "proposed by", "agent", "authored by", "written by"))
"""Labels that name who wrote it even in the history of an agent, where others are about what it tells of."""
_SAID, _VIA = ("source", "origin", "user"), lazy(r"\(via [^()\r\n]+\)\s*$", re.IGNORECASE)
"""Labels that name a person only where they say through whom they spoke."""
_OTHERS = (
    "requested by",
    "requestor",
    "requester",
    "contributors",
    "co-author",
    "co-authors",
    "co-authored-by",
    "reviewed by",
    "approved by",
    "with",
)
_TOOK_PART = ("participants", "agents involved", "who worked", "attendees", "team members")
"""Labels that list who did the work that a log tells of."""
DATES = (
    *("date", "decided", "timestamp", "created", "when", "decided on", "decision date", "date decided", "decided at"),
    *("created on", "created at", "recorded on", "logged", "logged on", "date added", "added on"),
    *("audit date", "review date", "analysis date", "research date", "session date", "report date", "meeting date"),
    *(
        "datum",
        "fecha",
        "data",
        "дата",
        "日期",
        "日付",
        "날짜",
        "tarih",
        "erstellt",
        "决策日期",
        "决定日期",
        "決定日",
        "작성일",
    ),
)
_SHORT = frozenset((*AUTHORS, *DATES))
"""Labels whose values are a name or a day."""
_IN_ROWS = frozenset((*AUTHORS, *DATES, *_OWN, "author(s)", "decision-makers", "status")) - {"agent", "from"}
_ALONE_IN_ROWS = _IN_ROWS - {_TASK, "status", "by"}
"""Labels of rows; and those that are one also where no other row of the table is."""
_LABEL_LINE = lazy(rf"^{grammar.LABEL.pattern}", re.MULTILINE)
_PLAIN_LINE = lazy(rf"^{grammar.PLAIN_LABEL.pattern}", re.MULTILINE)
_TEAM = lazy(r"(?P<name>[A-Z][\w'-]{1,30})(?P<role>[ \t]*\([^(),\r\n]{1,60}\))?")
"""One of those whom a log names as its team, which may be the name of a team too."""
_WORKED = lazy(
    r"^(?:#{2,4}[ \t]+|(?P<bold>\*\*))"
    r"(?:who worked|participants|contributors|team members|spawned agents"
    r"|agents?(?: (?:involved|activity|spawned|contributions))?)"
    r"[ \t]{0,9}:?(?(bold)\*\*:?|:?)[ \t]{0,9}\r?$",
    re.MULTILINE | re.IGNORECASE,
)
_WORKED_WORDS = ("orked", "articipants", "nvolved", "# Agent", "# Spawned", "# Contrib", "# Team")
_NEXT_LABEL = lazy(r"^(?:\*\*| {0,3}#{1,6}[ \t])", re.MULTILINE)
_SPAWNED = lazy(
    r"^(?:[-*+][ \t]+)?\*\*Agents?[ \t](?:spawned|deployed)(?::\*\*|\*\*:)[ \t]*(?P<value>[^\r\n]+)",
    re.MULTILINE | re.IGNORECASE,
)
_WORKER = lazy(
    r"^[-*+][ \t]+(?:\*\*)?(?P<name>@?[^\W\d_][\w.'-]{1,30}(?: [A-Z][\w.'-]{0,30}){0,2})"
    r"(?=\*\*|[ \t]{0,3}(?:\(|:|—|–|-[ \t]|\r?$))",
    re.MULTILINE,
)
_WORKERS_ROW = lazy(
    r"^\|[ \t]*(?:\*\*)?@?(?P<name>[^\W\d_][\w.'-]{1,30}(?: [A-Z][\w.'-]{0,30}){0,2})(?:\*\*)?[ \t]*"
    r"(?:\([^()|\r\n]*\)[ \t]*)?\|",
    re.MULTILINE,
)
_WORKERS_HEAD = frozenset("agent agents agent(s) contributor member name participant person who".split())
"""What the first column of a table of who did the work is called."""
_LED = lazy(
    r"^#{2,3}[ \t]+(?:Lead|Agent|Author|By):[ \t]+"
    r"(?P<author>[A-Z][\w'-]{1,30}(?:[ \t]\([^()\r\n]{1,40}\))?)[ \t]*\r?$",
    re.MULTILINE,
)
"""A heading that says whose work the log of a session is."""
_PART_OF = lazy(
    r"#{2,4}[ \t]+(?P<name>[^\W\d_][\w'-]{1,30})[ \t]\((?=[^()\r\n]{0,40}\b(?:lead|dev|developer|engineer|tester|qa"
    r"|architect|designer|writer|manager|analyst|devops|infra|backend|frontend|security|scribe|coordinator|verifier"
    r"|reviewer|(?P<sure>background|agent-\d))\b)[^()\r\n]{1,60}\)[ \t]*(?:[:—–-]|\r?$)",
    re.MULTILINE | re.IGNORECASE,
)
"""A heading of a log over what one of a team did."""
_MORE = lazy(
    r"(?:[|·•]\s*|(?P<light>[,;/])[ \t]{1,2})\*\*(?P<name>[A-Za-z][A-Za-z ]{0,30})"
    r"(?:(?(light)(?!)|\*\*)(?!:)|:\*\*|\*\*:)[ \t]*(?P<value>(?:[^|·•,;/\r\n]|[,;/](?![ \t]{1,2}\*\*))*)"
)
_CLOSE = lazy(r"\*\*(?P<name>[A-Za-z][A-Za-z ]{0,30}):\*\*[ \t]*(?P<value>[^*\r\n]*)")
"""Further labels of a line, after a mark; after a name or a day also without one."""
_MORE_PLAIN = lazy(r"[|·•][ \t]*(?=[A-Z][A-Za-z ]{1,30}:[ \t])")
_MORE_PLAIN_LABELS = lazy(r"[|·•][ \t]*(?P<name>[A-Z][A-Za-z ]{1,30}):[ \t]+(?P<value>[^|·•\r\n]*)")
"""The same behind a label that is not bold."""
_DIRECTIVE_PREFIX = lazy(r"^(?:user directives?\s*(?:[—–:-]+\s*|(?=\()|$)|directive\s*[:—–]\s*(?=\S))", re.IGNORECASE)
_DIRECTIVE = lazy(
    r"\buser directive|^(?:(?=\S{,40}\d)\S{1,40}\s{,3}[:—–.-]{,3}\s{,3})?directive\s{,3}[:—–]\s{,3}\S",
    re.IGNORECASE,
)
_DECISION_PREFIX = lazy(r"^(?:design decision|decision|feature summary)\s*:\s*", re.IGNORECASE)
_FENCE = lazy(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_HEADING = lazy(r"^ {0,3}#{1,6}[ \t]", re.MULTILINE)
_MORE_OF_DATE = lazy(
    r"^(?:/\d+|(?:,|\s*(?:[–—&+→-]|to|and|through|until))\s*\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?Z?)?|[a-z](?=\s*[:—–)\]-]))"
)
"""What belongs to a date at the beginning of a heading: another day, or a letter that tells twins apart."""
_MOVED = lazy(
    r"archiv|merge|updated\b|last update|moved|consolidat|summar|compact|rotat|prune|since|until|before|after|through",
    re.IGNORECASE,
)
"""Words of a section whose date is not that of the entries in it."""
_BRACKET = lazy(r"[(\[][^)\]]*[^)\]\s(\[][^)\]]*$")
_LISTED = lazy(rf"(?:[,;·|]|\s[—–-]+)\s*{grammar.STAMP.pattern}(?=\s*[)\]][\s*_]*$)", re.ASCII)
_BOLD = lazy(r"(?<![\s/])\*\*(?!/)|(?<!/)\*\*(?![\s/]|$)|^\*\*(?!/)")
_EDGES = " \t:/—–-|*"
_LEAD = lazy(r"^[ \t:/—–|·*-]*?[ \t](?=--?\w)|^[ \t:/—–|·*-]+")
"""What parts a title from the date before it; the dashes of an option such as `--strict` are its own."""
UNTITLED = "Untitled Decision"
_NO_ONE = frozenset(
    ("", "-", "—", "?", "n/a", "none", "tbd", "tba", "tbc", "unknown", "multiple", "various", "several")
)
_SIGNED_ON = lazy(
    r"(?P<name>[^\d()\[\]|]{2,60}?)[ \t,;·—–(\[@-]{1,4}(?:on[ \t]+)?~?"
    rf"(?:{days.WEEKDAY},?[ \t]+)?(?P<day>{days.STAMP})(?:[ \t]+\({days.WEEKDAY}\))?[)\]]?"
)
"""Who and when as one value: "Ann on 2026-03-01", "Ann (2026-03-01)"."""
_BEFORE_DAY = lazy(rf"(?<![^\W\d_])(?:{days.WEEKDAY},?[ \t]+)?(?:~|ca?\.[ \t]?)?$")
_BEHIND_DAY = lazy(rf"[ \t]?[(（]{days.WEEKDAY}[)）]")
"""A day of the week that belongs to a date, and a mark that it is about that."""
_SIGNED_BEHIND_DAY = lazy(r"[ \t]*(?:\([ \t]*(?:via|by)[ \t][^()\r\n]{1,40}\)|by[ \t][^()\r\n]{1,40})[ \t]*")
_DONE_BY = lazy(r"(?:^|[ \t,;·—–])by[ \t]+(?P<name>[^\d()\[\]|]{2,60})$")
"""Who, behind a day that a label says."""
_ROUTED = lazy(
    r"^\|[ \t]*\*\*Agent(?: routed)?\*\*[ \t]*\|[ \t]*(?P<author>[^\W\d_][^|\r\n]*)\|", re.MULTILINE | re.IGNORECASE
)
"""The row of an orchestration log that says whose work it is."""
_REMARK = lazy(r"(?<=\S)\s+[—–-]+(?=(?:\s+\S+){5})\s.*$|(?<=\))\s+[—–]\s.*$")
"""What is told of somebody behind a dash: more than a role has words, or what stands behind their role."""
_LOGGED_BY = lazy(
    r"^(?:>[ \t]?)?[ \t]*[*_]{0,2}(?:logged|recorded|scribed|prepared|written|documented) by[ \t]*"
    r"(?::[*_]{0,2}|[*_]{2}:)[ \t]*(?P<author>[^\W\d_][^\r\n]*)",
    re.MULTILINE | re.IGNORECASE,
)
_AGENT = lazy(
    r"^(?:[-*+][ \t]+)?\*\*(?:Agent(?: routed)?|Who)(?::\*\*|\*\*:)[ \t]*(?P<author>[^\W\d_][^\r\n]*)",
    re.MULTILINE | re.IGNORECASE,
)
"""Where the log of a session says whose it is below its head."""


class Label(Struct, frozen=True):
    """A bold label and its value on the same line."""

    name: str
    value: str
    span: Span


class LegacyFacts(Struct, frozen=True):
    """What a legacy entry says of itself."""

    title: str
    kind: str
    at: times.Moment | None
    at_from: str
    """`status` where only the state of the entry says when."""
    author: str | None
    contributors: tuple[str, ...]
    status: str | None
    labels: tuple[Label, ...]


def facts(text: str, part: LogPart, role: str, day_first: bool | None = None) -> LegacyFacts:
    """Who, when and what, from the heading and the labels below it."""
    found = tuple(labels(text, part))
    named = {label.name.strip().lower(): label.value for label in reversed(found)}  # the first of each counts
    heading = _heading_of(text, part)
    title, at = _title_and_moment(heading, day_first)
    dates = (grammar.spoken(named[name], day_first) for name in DATES if name in named)
    own = next((moment for moment in dates if moment is not None), None)
    named, signed_on = _parted(named)
    own = own or (None if at else grammar.spoken(signed_on, day_first))
    # The field says more than the heading, unless it only repeats the heading's day.
    if own and not (at and own.precision == "day" and own.local.date() == at.local.date()):
        at = own
    reached = "" if at else signed.reached_on(named.get("status", ""))
    at = at or grammar.spoken(reached, day_first)
    author, others = _people({name: value for name, value in named.items() if _is_of(name, role)})
    author = author or next((by for name in DATES if (by := _done_by(named.get(name, "")))), None)
    trailers = signed.trailers(text, Span(part.text_at, part.end))
    if author is None and role == "session":
        author = _logged(text, part)
    if author is None:
        author = next((each.value for each in trailers if each.name == signed.SIGN_OFF), None)
    others += tuple(each.value for each in trailers if each.name != signed.SIGN_OFF)
    if role == "session":
        known = {name for each in (author, *others) if each for name in people(each)}
        others += tuple(each for each in _worked(text, part) if each not in known)
    return LegacyFacts(
        title=title or heading.strip(_EDGES) or UNTITLED,
        kind=_kind(part, role, named.get("type", "")),
        at=at,
        at_from="status" if at and reached else "",
        author=author,
        contributors=tuple(each for each in dict.fromkeys(others) if each != author),
        status=named.get("status") or None,
        labels=found,
    )


def _parted(named: dict[str, str]) -> tuple[dict[str, str], str]:
    """The labels with authors by their names alone, and the day that the first of them says they signed on."""
    matches = {name: match for name in AUTHORS if name in named and (match := _SIGNED_ON.fullmatch(named[name]))}
    bare = {name: match["name"].rstrip() for name, match in matches.items()}
    return {**named, **bare}, next((match["day"] for match in matches.values()), "")


def _done_by(value: str) -> str | None:
    """Who the label of a date names behind it, as in "2026-03-01 by Ann"."""
    match = _DONE_BY.search(value)
    return match["name"].strip() if match and signed.is_name(match["name"].strip()) else None


def section_dates(parts: Sequence[LogPart]) -> dict[int, times.Moment]:
    """The day of the dated section that a part stands in, by where the part begins."""
    found: dict[int, times.Moment] = {}
    above: list[tuple[int, times.Moment | None]] = []
    for part, after in pairwise(parts):
        while above and above[-1][0] >= part.level:
            above.pop()
        if after.level > part.level:
            above.append((part.level, _section_date(part)))
        while above and above[-1][0] >= after.level:
            above.pop()
        if above and above[-1][1]:
            found[after.start] = above[-1][1]
    return found


def _section_date(part: LogPart) -> times.Moment | None:
    is_one = part.level > 1 and len(grammar.STAMP.findall(part.title)) < 2 and not _MOVED.search(part.title)
    return grammar.spoken(part.title) if is_one else None


def labels(text: str, part: LogPart) -> list[Label]:
    """Labels of the entry's own head: up to its first heading, and not in code."""
    end = _head_end(text, part)
    found = []
    for match in _LABEL_LINE.finditer(text, part.text_at, end):
        value = match["value"]
        is_short = match["name"].strip().lower() in _SHORT
        more = list(_MORE.finditer(value)) or (list(_CLOSE.finditer(value)) if is_short else [])
        own = value[: more[0].start()] if more else value
        found.append(Label(match["name"], own.strip(), Span(match.start(), match.end())))
        found += [Label(each["name"], each["value"].strip(), Span(match.start(), match.end())) for each in more]
    head = Span(part.text_at, end)
    found += [_label(each) for each in signed.rows(text, head, _IN_ROWS, _ALONE_IN_ROWS)]
    bold = {label.name.strip().lower() for label in found} & _SHORT
    if not bold.intersection(AUTHORS):
        found += [_label(each) for each in signed.by_line(text, head, part.end)]
    if bold and grammar.dated(part.title):  # which say all, so that a plain one is of what the entry tells
        return found
    for match in _PLAIN_LINE.finditer(text, part.text_at, end):
        kinds = [each for each in (AUTHORS, DATES) if match["name"].lower() in each] or [AUTHORS, DATES]
        if not any(bold.intersection(each) for each in kinds):
            place = Span(match.start(), match.end())
            found.append(Label(match["name"], _plain(match), place))
            found += [
                Label(each["name"], each["value"].strip(), place)
                for each in _MORE_PLAIN_LABELS.finditer(match["value"])
            ]
    return found


def _label(said: signed.Signed) -> Label:
    return Label(said.name, said.value, said.span)


def _plain(match: re.Match[str]) -> str:
    """The value of a plain label, without marks around the line, brackets around a list, or labels that follow it."""
    value = _MORE_PLAIN.split(match["value"], maxsplit=1)[0].strip()
    value = value.rstrip("*_") if match["mark"] else value
    listed = value.removeprefix("[").removesuffix("]")
    return listed if len(listed) == len(value) - 2 and "]" not in listed else value


def _head_end(text: str, part: LogPart) -> int:
    """Where labels of the entry itself end: metadata deeper down belongs to what it stands in."""
    fence = _FENCE.search(text, part.text_at, part.end)
    heading = _HEADING.search(text, part.text_at, part.end)
    return min(part.end, *(match.start() for match in (fence, heading) if match), part.end)


def _title_and_moment(heading: str, day_first: bool | None) -> tuple[str, times.Moment | None]:
    """A heading without its date, and that date."""
    match = grammar.dated(heading, day_first)
    if match is None:
        return _without_prefix(heading), None
    moment = grammar.moment_at(heading, match, day_first)
    before, after = heading[: match.start()], heading[match.end() :]
    weekday = _BEHIND_DAY.match(after)
    before, after = _BEFORE_DAY.sub("", before), after[weekday.end() :] if weekday else after
    if not before.strip("[(* "):
        rest = _MORE_OF_DATE.sub("", after, count=1)
        closing = {"[": "]", "(": ")"}.get(before.strip("* ")[-1:], "")
        return _without_prefix(_LEAD.sub("", rest.removeprefix(closing), count=1)), moment
    if after.strip(" )]*_") == "" and _BRACKET.search(before) is None:
        return _without_prefix(before.rstrip(_EDGES + "([,;·")), moment
    if _SIGNED_BEHIND_DAY.fullmatch(after):
        return _without_prefix(f"{before.rstrip(_EDGES)} {after.strip()}"), moment
    # In brackets with more than a date, the date goes where it is last, after a comma or a dash.
    return _without_prefix(_LISTED.sub("", heading, count=1)), moment


def _heading_of(text: str, part: LogPart) -> str:
    """What names an entry: its heading, and for a bare `Decision` the first line below that."""
    if part.title.rstrip(":").casefold() != "decision":
        return part.title
    rows = (row.strip(" \t*+-") for row in split_lines(text[part.text_at : _head_end(text, part)]))
    return next((row for row in rows if row), part.title)


def unmarked(title: str) -> str:
    """A title without marks of bold type; code and what stands between spaces stay."""
    if "**" not in title:
        return title
    pieces = title.split("`")
    pieces[::2] = [_BOLD.sub("", piece) for piece in pieces[::2]]
    return "`".join(pieces).strip()


def _without_prefix(title: str) -> str:
    title = unmarked(title).strip()
    bare = _DECISION_PREFIX.sub("", _DIRECTIVE_PREFIX.sub("", title).strip())
    return bare.strip() or title


def _kind(part: LogPart, role: str, said: str) -> str:
    """What an entry is: as its label says, as its heading does, or as its file has them."""
    if said.lower() in KINDS:
        return said.lower()
    if _DIRECTIVE.search(part.title):
        return "directive"
    return {"history": "memory", "session": "note"}.get(role, "decision")


def _is_of(name: str, role: str) -> bool:
    """Whether a label is about an entry in a file of this role, and not about what it tells of."""
    if role == "history":
        return name in _OWN or name in _OTHERS
    return role == "session" or name != "team"


def _people(named: dict[str, str]) -> tuple[str | None, tuple[str, ...]]:
    """The author as written, and others who took part."""
    author = next((named[name] for name in AUTHORS if name in named and not _is_nobody(named[name])), None)
    if author is None:
        signers = (named[name] for name in _SIGNERS if name in named)
        author = next((value for value in signers if not (_is_nobody(value) or signed.is_sentence(value))), None)
    if author is None:
        said = (named[name] for name in _SAID if name in named)
        author = next((value for value in said if _VIA.search(value) and not signed.is_sentence(value)), None)
    author = _without_remark(author) if author else None
    others = [each for name in _OTHERS if name in named and not _is_nobody(named[name]) for each in _each(named[name])]
    took_part = (named[name] for name in _TOOK_PART if name in named)
    listed = [each for value in took_part if not _is_nobody(value) for each in people(value)]
    listed += _team(named.get("team", ""))
    own = people(author) if author else []
    others += [each for each in listed if not signed.is_sentence(each) and each not in own]
    if author is None:
        return None, tuple(others)
    first, *rest = people(author)
    return author.strip().strip("*").strip(), tuple(dict.fromkeys([*rest, *others])) if first else tuple(others)


def _each(value: str) -> list[str]:
    """Those whom a label names, as written where it is one."""
    value = _without_remark(value)
    several = people(value)
    return several if len(several) > 1 else [value]


def _without_remark(value: str) -> str:
    """Somebody without what is told of them behind a dash or a comma; one inside of brackets belongs to the role."""
    value = without_asides(value)
    bare = _REMARK.sub("", value)
    return bare if bare.count("(") == bare.count(")") else value


def is_of_owner(author: str, labels: Mapping[str, object]) -> bool:
    """Whether an author is known only as the owner of what an entry is about, who need not be who signs it."""
    return author in _named_by((_TASK,), labels)


def is_sure(author: str, labels: Mapping[str, object]) -> bool:
    """Whether an author stands under one of the labels that say nothing else."""
    return author in _named_by(AUTHORS, labels)


def _named_by(names: Collection[str], labels: Mapping[str, object]) -> set[str]:
    return {str(value).strip().strip("*").strip() for name, value in labels.items() if name.strip().lower() in names}


def _logged(text: str, part: LogPart) -> str | None:
    """Whose the log of a session is: the one agent it is about, else who signs it below."""
    first = _HEADING.search(text, part.text_at, part.end)
    second = _HEADING.search(text, first.end(), part.end) if first else None
    head = second.start() if second else part.end
    for pattern, end in ((_ROUTED, part.end), (_AGENT, head), (_LED, part.end), (_LOGGED_BY, part.end)):
        found = {match["author"].strip("*_ \t") for match in pattern.finditer(text, part.text_at, end)}
        names = {name for name in found if not (_is_nobody(name) or signed.is_sentence(name))}
        if found:
            return names.pop() if len(found) == len(names) == 1 else None
    return None


def _worked(text: str, part: LogPart) -> list[str]:
    """Those whom the log of a session lists under a heading as who did the work, or heads its parts with."""
    heading = None
    if any(text.find(word, part.text_at, part.end) >= 0 for word in _WORKED_WORDS):
        heading = _WORKED.search(text, part.text_at, part.end)
    if heading is None:
        is_said = text.find("**Agent", part.text_at, part.end) >= 0
        spawned = _SPAWNED.search(text, part.text_at, part.end) if is_said else None
        return (_team(spawned["value"]) if spawned else []) or _parts_of(text, part)
    after = (_NEXT_LABEL if heading["bold"] else _HEADING).search(text, heading.end(), part.end)
    end = after.start() if after else part.end
    listed = [match["name"] for match in _WORKER.finditer(text, heading.end(), end)]
    listed = [name for name in listed if not any(map(str.isdigit, name))]  # the number of a run is nobody's name
    rows = [] if listed else [match["name"] for match in _WORKERS_ROW.finditer(text, heading.end(), end)]
    return rows[1:] if rows and rows[0].lower() in _WORKERS_HEAD else listed


def _parts_of(text: str, part: LogPart) -> list[str]:
    """Those whose names and roles head what they did, where the log speaks of them elsewhere too."""
    headed: dict[str, bool] = {}
    at = text.find("\n##", part.text_at, part.end)
    while at >= 0:
        match = _PART_OF.match(text, at + 1, part.end)
        if match and match["name"][0].isupper():
            headed[match["name"]] = bool(match["sure"]) or headed.get(match["name"], False)
        at = text.find("\n##", at + 1, part.end)
    spoken = Counter(re.findall(r"[^\W\d_][\w'-]*", text[part.start : part.end])) if headed else Counter[str]()
    return [name for name, is_sure in headed.items() if is_sure or spoken[name] + spoken[f"{name}'s"] > 1]


def _team(value: str) -> list[str]:
    """Those whom a team is said to be of: several, or one with a role; the name of a team is nobody's."""
    if "—" in value or "–" in value:
        return []
    found = [_TEAM.fullmatch(each.strip(" *_")) for each in re.split(r",|\+|&", value)]
    named = [match["name"] for match in found if match]
    return named if len(named) > 1 or any(match and match["role"] for match in found) else []


def _is_nobody(value: str) -> bool:
    return value.strip(" *_.").lower() in _NO_ONE or grammar.STAMP.match(value.strip(" *_`")) is not None
