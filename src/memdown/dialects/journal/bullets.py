"""Bullets of an entry: the file a line names, what happened to it, and how the line differs from the contract."""

from collections.abc import Iterator

from msgspec import Struct

from memdown.dialects.journal.codes import deviation
from memdown.dialects.journal.grammar import ACTIONS, FORM
from memdown.dialects.journal.lines import JournalLine
from memdown.dialects.journal.model import Deviation, Modification
from memdown.dialects.journal.paths import Seen, is_relative, seen
from memdown.errors import quote
from memdown.patterns import lazy
from memdown.text import Edit, Span

MENTIONED = "Mentioned"
"""The action of a bullet that names a file and does not say that anything happened to it."""

_DRESS = lazy(r"(?:\[[ xX]\][ \t]+|[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff][ \t]*|\*{1,2}(?=[`\[]))*")
_VERB = lazy(
    r"(?:\[(?P<one>[A-Za-z][A-Za-z/-]{1,40})\]|\*\*(?P<two>[A-Za-z-]{2,20}):?\*\*|(?P<three>[A-Za-z][A-Za-z/-]{1,40}))(?P<colon>:?)"
)
_AFTER = lazy(
    r"\*{0,2}(?P<before>[ \t]*)(?P<dash>-{1,2}(?!>)|[\u2010-\u2015\u2212:=]|(?:\u2192|->)(?![ \t]*`))(?P<after>[ \t]*)"
)
"""What stands between a path and its description. An arrow to another name in back-ticks says what became what."""
_JOINED = lazy(r"[*)\]]*[ \t]*(?:,[ \t]*(?:and[ \t]+)?|and[ \t]+|&[ \t]*|\+[ \t]*|or[ \t]+|through[ \t]+|/[ \t]*)\(?")
_JOINED_BY_VERB = lazy(r"[*)\]]*[ \t]*(?:[,;+&]|(?:,[ \t]*)?and\b)[ \t]*(?P<verb>[A-Za-z]{3,20})[ \t]+")
"""The same where the next path has a verb of its own."""
_MOVED = lazy(r"[ \t]*(?:\u2192|->|=>|to|into|as)[ \t]+")
_ASIDE = lazy(r"[ \t]*\((?P<text>[^()]{0,200})\)")
_NOT_FILES = frozenset("branch branches tag tags commit commits pr version release command function".split())
_STEMS = {
    "create": "Created", "created": "Created", "creates": "Created", "new": "Created", "creating": "Created",
    "modify": "Modified", "modified": "Modified", "modifies": "Modified", "modifying": "Modified",
    "update": "Updated", "updated": "Updated", "updates": "Updated", "updating": "Updated",
    "delete": "Deleted", "deleted": "Deleted", "remove": "Deleted", "removed": "Deleted", "deletes": "Deleted",
}  # fmt: skip
_STEMS_WITHIN = (
    ("creat", "Created"),
    ("new", "Created"),
    ("added", "Created"),
    ("delet", "Deleted"),
    ("remov", "Deleted"),
)
"""What a heading or a caption of a list says of files whose own lines do not."""
_VERBS = frozenset(
    """add fix move rename copy edit change rewrite refactor implement restore archive wrote rewrote made built ran set
    split merge replace extract extend enhance improve install configure convert document record commit deploy
    publish test verify adjust append bump clean cleaned drop insert migrate patch port push regenerate
    reorganize revert sync tweak wire began cut drew found kept left put read reset sent swept took undid
    upgrade validate ported expanded
    """.split()
)
_MOVES = frozenset("Moved Renamed Copied Archived Migrated Ported Converted Extracted".split())


class Bullet(Struct, frozen=True):
    """What one bullet says."""

    modifications: tuple[Modification, ...]
    deviations: tuple[Deviation, ...]


def bullet(line: JournalLine, *, depth: int = 0, within: str = "") -> Bullet | None:
    """The modifications of a line; None when it is no bullet. `within` is the heading or the caption of its list."""
    strict = _strict(line)
    if strict:
        return strict
    match = FORM["bullet"].fullmatch(line.text)
    if not match:
        return None
    wrong = [deviation("nested-bullet", line.span)] if depth else []
    text, start = match["text"], match.start("text")
    dress = _DRESS.match(text)
    begin = dress.end() if dress else 0
    verb = _verb(text, begin)
    first = _first(text, begin, verb)
    if first is None:
        return Bullet((), (*wrong, deviation("prose-line", line.span)) if not depth else tuple(wrong))
    if match["mark"] != "-":
        edits = (Edit(line.at(*match.span("mark")), "-"),) if match["mark"] in "*+" else ()
        wrong.append(deviation("mod-bullet-mark", line.span, *edits))
    return _Loose(line, text, start, begin, verb, first, within).bullet(wrong)


def _strict(line: JournalLine) -> Bullet | None:
    if not line.text.startswith("-"):
        return None
    for form in ("modification", "deletion"):
        match = FORM[form].fullmatch(line.text)
        if match:
            at = line.at(*match.span("path"))
            found = Modification(line.span, match["verb"], match["verb"], match["path"], at, match["text"])
            wrong = [deviation("mod-deleted-unsupported", line.span)] if form == "deletion" else []
            return Bullet((found,), (*wrong, *_relative(match["path"], at)))
    return None


class _Verb(Struct, frozen=True):
    word: str
    action: str
    end: int
    bare: bool
    """Written as the contract has it: no brackets, no bold, no colon."""


def _verb(text: str, begin: int) -> _Verb | None:
    match = _VERB.match(text, begin)
    if not match:
        return None
    word = match["one"] or match["two"] or match["three"]
    action = action_of(word)
    if action is None or (match["colon"] and word.lower() in _VERBS):  # `Commit: …` and `Test: …` are labels
        return None
    return _Verb(word, action, match.end(), bool(match["three"]) and not match["colon"] and begin == 0)


def action_of(word: str) -> str | None:
    """The action a word stands for; None when it is no verb that changes anything."""
    lower = word.lower()
    if lower in _STEMS:
        return _STEMS[lower]
    parts = lower.split("/")
    known = all(
        part in _VERBS or part in _STEMS or (part.endswith("ed") and len(part) > 4 and part.isalpha()) for part in parts
    )
    return word[:1].upper() + word[1:].lower() if known else None


def _is_known(word: str) -> bool:
    """Whether a word that may as well be an adjective is a verb for certain."""
    return word in _STEMS or not _VERBS.isdisjoint((word, word[:-1], word[:-2], word[:-3], f"{word[:-3]}y"))


def _first(text: str, begin: int, verb: _Verb | None) -> Seen | None:
    """The path a bullet is about: what follows the verb or stands first, or else one that can be nothing else."""
    after = verb.end if verb else begin
    for each in seen(text, after):
        before = text[after : each.start].strip(" \t*:_([")
        if before:
            is_meant = each.sure and before.rpartition(" ")[2].lower() not in _NOT_FILES
        else:
            is_meant = each.sure or _completes(text, each, verb)
        if is_meant:
            return each
    return None


def _completes(text: str, each: Seen, verb: _Verb | None) -> bool:
    """Whether a name directly after a verb has the rest of a modification behind it."""
    if each.form == "bare":
        return "/" in each.path or "." in each.path
    after = _AFTER.match(text, each.end)
    return verb is not None and (each.end == len(text) or (after is not None and after["dash"] not in "=:"))


class _Loose(Struct, frozen=True):
    """A bullet in another form than that of the contract."""

    line: JournalLine
    text: str
    """What stands behind the mark of the bullet."""
    start: int
    begin: int
    """Where the text begins in the line, and where it begins without boxes and emoji."""
    verb: _Verb | None
    first: Seen
    within: str

    def bullet(self, wrong: list[Deviation]) -> Bullet:
        paths, target, end = self._paths()
        description, faults = self._description(end)
        before = self.text[self.verb.end if self.verb else self.begin : self.first.start].strip(" \t*:_([")
        action, inferred = self._action(description, before)
        wrong = [*wrong, *self._action_faults(before, inferred), *self._tick_faults(), *faults]
        if len(paths) > 1:
            wrong.append(deviation("mod-several-paths", self.line.span))
        found = []
        for path, at, own in paths:
            wrong += _relative(path, at)
            word = own or (self.verb.word if self.verb else "")
            done = (action_of(own) or action) if own else action
            found.append(Modification(self.line.span, done, word, path, at, description, target))
        return Bullet(tuple(found), tuple(wrong))

    def _at(self, start: int, end: int) -> Span:
        return self.line.at(self.start + start, self.start + end)

    def _paths(self) -> tuple[list[tuple[str, Span, str]], str | None, int]:
        """All paths of the list that the first begins, each with its verb, where a move went, and where they end."""
        last = self.first
        paths = [(last.path, self._at(last.inner, last.inner + len(last.path)), "")]
        target = None
        for each in seen(self.text, last.end):
            joint = self.text[last.end : each.start]
            by_verb = _JOINED_BY_VERB.fullmatch(joint)
            if _JOINED.fullmatch(joint) or (by_verb and action_of(by_verb["verb"])):
                own = by_verb["verb"] if by_verb else ""
                paths.append((each.path, self._at(each.inner, each.inner + len(each.path)), own))
            elif target is None and _MOVED.fullmatch(joint) and self._moves():
                target = each.path
            else:
                break
            last = each
        return paths, target, last.end

    def _moves(self) -> bool:
        return self.verb is None or self.verb.action in _MOVES or not self.verb.bare

    def _description(self, end: int) -> tuple[str, list[Deviation]]:
        aside = _ASIDE.match(self.text, end)
        match = _AFTER.match(self.text, aside.end() if aside else end)
        begin = match.end() if match else end
        rest = _unmarked(self.text[begin:], opened=self.text.count("**", 0, begin) % 2 == 1)
        if aside and match:
            rest = f"{rest} ({aside['text']})" if rest else aside["text"]
        if not rest:
            return "", [deviation("mod-no-description", self.line.span)]
        if match is None:
            return rest, [deviation("mod-no-dash", self.line.span)]
        mended = Edit(self._at(match.start("before"), match.end()), " - ")
        if match["dash"] != "-":
            return rest, [deviation("mod-wrong-dash-char", self.line.span, mended)]
        if not match["before"] or not match["after"]:
            return rest, [deviation("mod-no-space-around-dash", self.line.span, mended)]
        return rest, [deviation("mod-words-before-path", self.line.span)] if aside else []

    def _action(self, description: str, before: str) -> tuple[str, bool]:
        if self.verb:
            return self.verb.action, False
        word = _VERB.match(description)
        if word and word["three"] and _is_known(word["three"].lower()):
            return action_of(word["three"]) or MENTIONED, True
        if before:
            return MENTIONED, True
        lower = self.within.lower()
        for stem, action in _STEMS_WITHIN:
            if stem in lower and "modif" not in lower:
                return action, True
        return "Modified", True

    def _action_faults(self, before: str, inferred: bool) -> Iterator[Deviation]:
        if inferred:
            yield deviation("mod-no-action" if not before else "mod-words-before-path", self.line.span)
            return
        verb = self.verb
        if verb is None:
            return
        if verb.action == "Deleted" and verb.word == "Deleted":
            yield deviation("mod-deleted-unsupported", self.line.span)
        elif verb.word not in ACTIONS["1.0"] or not verb.bare:
            mended = verb.action in ACTIONS["1.0"] and not before and self.text[verb.end : verb.end + 1] == " "
            edits = (Edit(self._at(0, verb.end), verb.action),) if mended else ()
            yield deviation("mod-unknown-action", self.line.span, *edits)
        if before:
            yield deviation("mod-words-before-path", self.line.span)
        elif self.first.start == verb.end:
            gap = Edit(self._at(verb.end, verb.end), " ")
            yield deviation("mod-no-space-after-action", self.line.span, gap)

    def _tick_faults(self) -> Iterator[Deviation]:
        first = self.first
        if self.text.startswith("``", first.start):
            single = Edit(self._at(first.start, first.end), f"`{first.path}`")
            yield deviation(
                "mod-no-backticks",
                self.line.span,
                single,
                message=f"Write the path {quote(first.path)} in single backticks.",
            )
            return
        if first.form == "code" and self.text[first.start] != "\\":
            return
        follows = self.verb is not None and self.verb.bare and not self.text[self.verb.end : first.start].strip()
        clear = first.form == "bare" and follows and self.text[first.end :].startswith(" ")
        edits = (Edit(self._at(first.start, first.end), f"`{first.path}`"),) if clear else ()
        yield deviation("mod-no-backticks", self.line.span, *edits)


def _relative(path: str, at: Span) -> list[Deviation]:
    return [] if is_relative(path) else [deviation("path-not-relative", at)]


def _unmarked(text: str, *, opened: bool) -> str:
    """A description without the end of bold type that was `opened` before it; what it has itself stays."""
    bare = text.strip(" \t")
    if opened:
        return (bare[2:] if bare.startswith("**") else bare.removesuffix("**")).strip(" \t")
    return bare
