"""What a session should know when it begins: where the work stands, what holds, what came last, what to read.

One function for everybody who asks: the hook at the beginning of a session, `memdown start`, and the MCP tool. What a
file says of now was found by its dialect when the index took it in (`points`); the rest are records.
"""

from memdown.acts.brief.since import LastCommits, since
from memdown.errors import way
from memdown.index.hook_state import State, bare
from memdown.index.lookup import IndexedRecord, Lookup, ask, patience
from memdown.lazy import LazyModule
from memdown.markdown import tokens
from memdown.markdown.fence import FencedPiece, fenced, line

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from memdown.index import standing
    from memdown.index.standing import Standings
    from memdown.markdown import last_commit, merge_comments
else:
    standing = LazyModule("memdown.index.standing")
    last_commit = LazyModule("memdown.markdown.last_commit")
    merge_comments = LazyModule("memdown.markdown.merge_comments")

_POINTS = (
    ("focus", "Focus"),
    ("state", "State"),
    ("doing", "In progress"),
    ("step", "Open steps"),
    ("blocker", "Blockers"),
    ("next", "Next steps"),
    ("paused", "Paused"),
)
"""Parts that files have words for, and their titles."""
_MOST = 8
_MOST_LINES = _FOCUS_LINES = _CARDS = 12
_ENTRIES = 6
_CLAIM = 160
"""Characters of what a directive says."""
_ASKED = 40
"""Directives that are looked at for whether somebody settled them."""
_PROPOSED = "Unconfirmed directives"
_SPARE = 40
"""Tokens for the line that says what was left out, where there is room for one."""
_TEXTS = ("focus", "state")
"""Parts that are texts, which may be of any length: each gets less than half of the room, so that others get some."""
_READING = 3
"""The line of what to read has its room before all else where it takes no more than one in so many tokens."""
_LISTED = 11
"""The place among what is read from which files say what is known, not what is worked on: their titles are told too."""
_MOST_READ = 12
"""Files that are named in the order of reading."""
_LARGE = 20_000
"""Tokens of the files to read from which it is said how many they are."""
WHY = "What memdown knows about this project."


class BriefItem:
    """One line of a briefing, and where it is from."""

    __slots__ = ("line", "name", "path", "text")

    def __init__(self, text: str, path: str, at: int, name: str = "") -> None:
        self.text = text
        self.path = path
        self.line = at
        self.name = name or f"{path}#{text}"
        """What it is known by during a session."""


class BriefPart:
    """A part of a briefing."""

    __slots__ = ("items", "name", "title")

    def __init__(self, name: str, title: str, items: "list[BriefItem]") -> None:
        self.name = name
        self.title = title
        self.items = items

    def without(self, shown: "set[str]") -> "BriefPart":
        return BriefPart(self.name, self.title, [item for item in self.items if item.name not in shown])

    def lines(self) -> "list[str]":
        """The title and the items; the place stands in the title when it is the same file for all."""
        paths = {item.path for item in self.items}
        if self.name in _TEXTS:
            return [f"{self.title}{_where(self.items[0])}:", *(line(item.text) for item in self.items)]
        if self.name == "since":
            return [f"{self.title}:", *(f"- {item.text}" for item in self.items)]
        if self.name in ("read", "missing"):
            return [f"{self.title}: {', '.join(item.text for item in self.items)}"]
        if len(paths) == 1 and self.name in dict(_POINTS):
            return [f"{self.title} ({_place(self.items[0])}):", *(f"- {line(item.text)}" for item in self.items)]
        return [f"{self.title}:", *(f"- {line(item.text)} ({_place(item)})" for item in self.items)]


def begin(state: State, source: str, session: str) -> tuple[str, list[str]]:
    """What a hook says at the beginning of a session, and the names of what it said."""
    budget = state.settings.session_tokens
    if source in ("clear", "compact"):
        # What was said before is gone from the assistant's context.
        with state.db:
            state.db.execute("delete from shown where session = ?", (session,))
    shown = {row[0] for row in state.db.execute("select name from shown where session = ?", (session,))}
    seconds = patience(state)
    standings = standing.Standings(state.root, state.settings.aging, state.db, seconds)
    found = ask(state, lambda index: parts(index, standings, _last_session(state, session), seconds))
    if source == "resume" and shown:
        # After a resume what was said before is still there: only what came since is news.
        found = [part for each in found if each.name != "read" and (part := each.without(shown)).items]
    if source == "compact":
        budget //= 2  # the assistant's own summary says the rest
    return within(found, budget)


def within(found: "Iterable[BriefPart]", budget: int) -> tuple[str, list[str]]:
    """A briefing as an assistant reads it, with the names of what it has; what does not fit is counted."""
    pieces: list[FencedPiece] = []
    names: list[str] = []
    left: list[tuple[int, str]] = []
    fence = tokens.estimate(fenced(WHY, [FencedPiece("", [""])], budget)[0])
    spare = budget - fence - (_SPARE if budget > 8 * _SPARE else 0)
    most = spare * 2 // 5
    found = list(found)
    files = _reading(found, spare)
    for part in found:
        kept_back = 0 if part.name == "read" else files
        room = min(spare, most) if part.name in _TEXTS else spare
        room = min(room, spare - kept_back)
        head, *rest = part.lines()
        costs = [tokens.estimate(each) + 1 for each in (head, *rest[:_MOST_LINES])]
        kept = len(costs) - 1
        while kept > 0 and sum(costs[: kept + 1]) > room:
            kept -= 1
        if not rest:  # all of it is one line, or nothing
            kept = len(part.items) if costs[0] <= room else 0
        if kept:
            lines = [head, *rest[:kept]]
            spare -= sum(costs[: len(lines)])
            pieces.append(FencedPiece(part.name, lines))
            names += [item.name for item in part.items[:kept]]
        if kept < len(part.items):
            left.append((len(part.items) - kept, part.title.lower().partition(" when ")[0].partition(":")[0]))
    if pieces and left:
        pieces.append(FencedPiece("left", [_left_out(left, spare + _SPARE)]))
    return fenced(WHY, pieces, budget)[0], names


def _reading(found: "Iterable[BriefPart]", room: int) -> int:
    """Tokens for the line of what to read, which leads to all the rest; none where it would be too much."""
    cost = sum(tokens.estimate(part.lines()[0]) + 1 for part in found if part.name == "read")
    return cost if cost <= room // _READING else 0


def _left_out(left: "list[tuple[int, str]]", room: int) -> str:
    """What was left out, part by part where there is room for that."""
    listed = ", ".join(f"{number} of {title}" for number, title in left)
    told = f"Left out: {listed}; {way('start --all')} shows all."
    if tokens.estimate(told) < room:
        return told
    return f"Left out: {sum(number for number, _ in left)} lines of {len(left)} parts; {way('start --all')} shows all."


def parts(index: Lookup, standings: "Standings", began: str = "", seconds: float = 10.0) -> "list[BriefPart]":
    """All that there is to say, the most needed first; decisions are those since a day, when one is known.

    What nobody settled, by `standings`, is said to be so, and is no directive in force.

    Git may be silent for so many `seconds`: who asks can wait, a hook cannot.
    """
    said: dict[str, list[BriefItem]] = {}
    told: set[tuple[str, str]] = set()
    read: list[tuple[int, str]] = []
    git = since(index.root, index.paths(), seconds)
    for name, path, at, text in index.points():
        if name == "read":
            read.append((int(text), path))
        else:
            item = BriefItem(text, path, at)
            if name == "focus" and text.endswith("(git)") and last_commit.is_derived(text):
                item = _unset_focus(item, git)
            if (name, item.text) not in told:
                told.add((name, item.text))
                said.setdefault(name, []).append(item)
    if "next" not in said and "planned" in said:
        said["next"] = said["planned"]
    found = [BriefPart(name, title, _first(said[name], name)) for name, title in _POINTS if name in said]
    _say_once(found)
    if "merged" in said:
        below = sum(part.name in _TEXTS for part in found)
        found.insert(below, BriefPart("merged", merge_comments.versions(), said["merged"]))
    found += _of_records(index, standings, began)
    if all(order >= _LISTED for order, _ in read) and not any(each.items for each in found):
        found.append(BriefPart("files", "Kept here, newest first", _listed(index.firsts(), standings, _MOST)))
    if not read and not any(each.items for each in found):
        found.append(_unread(index))
    found.append(_undocumented(git))
    lacking = (BriefItem(line(each), each.rpartition(" (")[0], 1) for each in index.lacking())
    found.append(BriefPart("missing", "Missing files", [*lacking]))
    if read:
        found.append(_to_read(index, [path for _, path in sorted(read)]))
    return [each for each in found if each.items]


def _unset_focus(item: BriefItem, git: LastCommits) -> BriefItem:
    """In the place of a focus that nobody set, the last commit as git knows it now, which may stand in no file."""
    is_same = not git.day or last_commit.names(item.text, git.title)
    text = item.text if is_same else last_commit.sentence(git.title, git.day)
    return BriefItem(f"{text}; no focus is set", item.path if is_same else "", item.line if is_same else 0)


def _first(items: "list[BriefItem]", name: str) -> "list[BriefItem]":
    """The focus and the state are those of one file; of others the first of all."""
    if name in _TEXTS:
        return [item for item in items if item.path == items[0].path][:_FOCUS_LINES]
    return items


def _say_once(found: "list[BriefPart]") -> None:
    """What stands in one part is no news in another, as where the focus is a section of the state."""
    for later, part in enumerate(found):
        before = {(item.path, item.text) for each in found[:later] for item in each.items}
        again = [(item.path, item.text) in before for item in part.items]
        # The heading above what was said has nothing below it any more.
        part.items = [
            item
            for item, is_again, next_again in zip(part.items, again, [*again[1:], False], strict=True)
            if not is_again and not (next_again and part.name in _TEXTS and item.text.startswith("#"))
        ]


def _of_records(index: Lookup, standings: "Standings", began: str) -> "Iterator[BriefPart]":
    said: set[str] = set()
    settled, proposed = list["IndexedRecord"](), list["IndexedRecord"]()
    for record, _ in zip(index.of_kind("directive"), range(_ASKED), strict=False):
        (proposed if standings.of(record) else settled).append(record)
    yield BriefPart("directives", "Directives in force", _listed(settled, standings, _MOST, claims=True))
    yield BriefPart("proposed", _PROPOSED, _listed(proposed, standings, _MOST, claims=True))
    news = _listed(index.of_kind("decision", began), standings, _ENTRIES, said) if began else []
    yield BriefPart("decisions", f"Decisions since {began}", news)
    # Whoever begins anew knows nothing of the session before.
    known = _listed(index.of_kind("decision"), standings, _ENTRIES - len(news), said) if len(news) < _ENTRIES else []
    yield BriefPart("earlier" if news else "decisions", "Decisions before that" if news else "Newest decisions", known)
    yield BriefPart("session", "Last session", _listed(index.of_kind("session"), standings, 1, said))
    cards = _listed(index.cards(), standings, _CARDS)
    total = index.card_count() if cards else 0
    yield BriefPart("cards", f"Newest of {total:,} memories" if total > len(cards) else "Memories", cards)
    yield BriefPart("entries", "Newest entries", _listed(index.entries(), standings, _ENTRIES, said))


def _listed(
    records: "Iterable[IndexedRecord]",
    standings: "Standings",
    most: int,
    elsewhere: "set[str] | None" = None,
    *,
    claims: bool = False,
) -> "list[BriefItem]":
    """The first few that have a title, are not part of one another and do not say the same again.

    What stands `elsewhere` is passed over, and what is taken put to it. With `claims`, each with what it says: a
    directive is to be followed, and many are called no more than that. What speaks against relying on one is said.
    """
    taken: list[IndexedRecord] = []
    texts: dict[str, BriefItem] = {}
    for record in records:
        if not record.title or record.says_made() or any(map(record.overlaps, taken)):
            continue
        said = _said(record.claim(record.body)) if claims or _is_time(record.title) else ""
        name = record.title.casefold() if not said else said.casefold()
        if name not in texts and (elsewhere is None or name not in elsewhere):
            text = f"{record.named()}: {line(bare(said.replace('**', '')), _CLAIM)}" if said else record.named()
            against, age, doubt = standings.of(record), standings.age(record), record.doubt()
            word = "unconfirmed: " if against else "stale: " if age or doubt else ""
            reasons = "; ".join(filter(None, (line(against), age, doubt)))
            text = f"{word}{text} [{reasons}]" if word else text
            # Of others only the title is shown, so that they may still be recalled.
            texts[name] = BriefItem(text, record.path, record.line, f"title of {record.key}")
            taken.append(record)
        if len(taken) == most:
            break
    if elsewhere is not None:
        elsewhere.update(texts)
    return list(texts.values())


def _said(lines: "list[str]") -> str:
    """The first line of a claim, with what it leads in to."""
    text = ""
    for each in lines:
        text = f"{text} {each}".strip()
        if not text.rstrip("* ").endswith(":") or len(text) > _CLAIM:
            break
    return text


def _is_time(title: str) -> bool:
    """Whether a title is no more than a time, which says nothing of what it is about."""
    return " " not in title and title[:4].isdigit() and not title.isdigit() and title[10:11] in ("", "T")


def _undocumented(git: LastCommits) -> BriefPart:
    """What was committed without a word in memory."""
    commits = f"{len(git.commits)} commit{'s' if len(git.commits) > 1 else ''}"
    files = f"{git.files} file{'s' if git.files > 1 else ''}"
    title = f"Not in memory yet: {commits} of {files} since it was last committed"
    return BriefPart("since", title, [BriefItem(line(commit), "", 0) for commit in git.commits])


def _to_read(index: Lookup, paths: "list[str]") -> BriefPart:
    sizes = index.paths()
    cost = sum(sizes.get(path, 0) for path in paths) // 4  # a page without entries is short
    title = "Read in this order"
    if cost >= _LARGE:
        title += f" when the task needs it (about {round(cost, 2 - len(str(cost))):,} tokens)"
    more = [f"and {len(paths) - _MOST_READ} more"] if len(paths) > _MOST_READ else []
    shown = [BriefItem(line(path), path, 1) for path in paths[:_MOST_READ]]
    return BriefPart("read", title, [*shown, *(BriefItem(each, "", 0) for each in more)])


def _unread(index: Lookup) -> BriefPart:
    """Files of which nothing is told, as those of a team that decided nothing yet: the nearest to the root first."""
    paths = sorted(index.kept(), key=lambda path: (path.count("/"), path))
    shown = [BriefItem(line(path), path, 1) for path in paths[:_MOST]]
    return BriefPart("read", f"No entries yet; kept here ({len(paths)} files)", shown)


def _place(item: BriefItem) -> str:
    return f"{item.path}:{item.line}"


def _where(item: BriefItem) -> str:
    """The place behind a title; nothing for what stands in no file."""
    return f" ({_place(item)})" if item.path else ""


def _last_session(state: State, session: str) -> str:
    """The day on which the session before this one began; nothing when it is not known."""
    row = state.db.execute("select max(began) from session where id <> ?", (session,)).fetchone()
    return (row[0] or "")[:10]
