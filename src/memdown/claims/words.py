"""Words around a name that make it no claim: the text tells of what was, what is planned, or of an example."""

import re

from memdown.patterns import lazy

_LINE = 4000
NEAR = 160
"""How far words around a name count, so that a line without end takes no time without end."""

_WORD = lazy(r"[A-Za-z']+|->|→|⇒|~~|❌")
_DATE = lazy(r"(?<!\d)\d{4}-\d\d-\d\d")
_PAST = frozenset(
    "-> → ⇒ ~~ ❌ was were formerly old older legacy moved obsolete gone never nonexistent missing absent lost"
    " been had became instead originally initially historically stale outdated wrong incorrect incorrectly applied"
    " touched started updated fixed corrected rewrote modified changed commented completed".split()
)
_PAST_BEGIN = tuple(
    "delet remov renam drop deprecat replac supersed retir previous former migrat extract consolidat refactor split"
    " merg revert relocat eliminat rewr rewrot convert".split()
)
_PLANNED = frozenset(
    "will would todo tbd proposed proposal maybe could might someday eventually upcoming later soon add added adding"
    " adds new missing write wrote deferred postponed".split()
)
_PLANNED_BEGIN = tuple("plan future creat generat implement introduc scaffold suggest recommend consider".split())
_EXAMPLE = frozenset("example examples e.g eg instance sample placeholder hypothetical similar".split())
_CHANGING = frozenset("from before after until since".split())
_CHANGING_BEGIN = ("upgrad", "updat", "bump", "chang", "downgrad", "switch", "fix")
_NOT_THERE = lazy(
    r"\bno longer\b|\bnot (?:exist|found|present|yet)|n't (?:exist|have)|\bused to\b|\binstead of\b"
    r"|\be\.\s?g\.|\bsuch as\b|\bfor instance\b"
    r"|\bshould (?:be|have been)\s?:|\binitial (?:design|idea|approach|version)\b",
    re.I,
)
_DENIAL = 24
_DENIED = lazy(
    r"\b(?:no|not|non|never|without)\b"
    r"(?:(?: an?)? (?:separate|extra|additional|dedicated|shared|own|such)\b)?[\s`*_]{1,6}$",
    re.I,
)
"""Words right before a name that say it is not there, or not meant."""
_CONDITION = lazy(r"\b(?:where|when|if|whose|while|until|unless|for)[\s`*_]{1,6}$", re.I)
_AT_TIMES = lazy(r"\bwith[\s`*_]{1,6}$", re.I)
_BRANCH = lazy(r"\bbranch(?:es)?\b[\s`*_:(]{1,8}$", re.I)
_BRANCH_AFTER = lazy(r"[`*_]{0,3} branch\b", re.I)
_CODE = lazy(r"`[^`\n]{0,200}`")
_BREAK = lazy(r"`[^`\n]{0,200}`|[.;!?](?=\s)")
"""Where a sentence ends within a line, or code, in which none does."""

_HEADINGS = lazy(
    r"\b(?:changelog|change log|histor\w+|complet\w+|done|recent|previous\w*|past|timeline|milestones?"
    r"|migrat\w+|archiv\w+|deprecated|removed|deleted|superseded|before|next(?![.-]?js|[.-]\w)|upcoming|future|roadmap|to-?dos?|backlog"
    r"|plan|plans|planned|planning|propos\w+|alternatives?|considered|rejected|examples?|templates?|samples?|created"
    r"|new files?|files? (?:to|changed|modified|touched)|modified|modifications?|added|changes|changed|updates?"
    r"|updated|fixe[ds]|fix|fixes|refactor\w*|lessons?|implement\w+ (?:plan|steps)|steps|phase|sprint|accomplish\w+"
    r"|achieve\w+|progress|(?<!decision )(?<!decisions )log|journal|what changed|ideas?"
    r"|wish\w*|experiments?|cleanup|steps taken|work done|pseudo-?code|playbook|landscape|assumptions?|deferred)\b"
    r"|✅|🚧|📋",
    re.I,
)
"""Headings over what was, will be or might be."""
_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:[a-z]{3,6})?\b"
_SESSIONS = lazy(
    rf"^[\W\d_]{{0,40}}(?:{_MONTH}[\W\d_]{{1,20}})?"
    r"(?:(?:this|last|latest|current|past|earlier|first|second|final|work(?:ing)?|coding|dev(?:elopment)?) ){0,2}"
    rf"sessions?(?:[\W_]{{0,6}}$|[\W_]{{1,6}}(?:\d|{_MONTH})"
    r"|[ -](?:logs?|notes?|histor\w+|summar\w+|records?|reports?|hand-?offs?|goals?|focus"
    r"|start\w*|end\w*|tasks?|work|objectives?|outcomes?|results?|highlights?|recap|info\w*|context)\b)"
    r"|\b(?:this|last|latest|current|prior|earlier) sessions?\b|\bsession(?:$|:| [-–—|\[])",
    re.I,
)
"""Headings of what was done in a session; those of a session that users have are a topic as any other."""
_STATED = lazy(
    r"[^:?]{0,80}\s(?:is|are|lives?|stays?|belongs?|goes|go|has|have|uses|needs?|must|keeps?|contains?|comes?)\s+\w",
    re.I,
)
"""A heading that says what is so, as a sentence does."""
_ASKED = lazy(r"\W{0,9}(?:what|which|where|who|how|why|when)\b", re.I)


def is_aside(heading: str) -> bool:
    """Whether a section of this heading tells of what was, is planned, or of an example."""
    if _STATED.match(heading) and not _ASKED.match(heading):
        return False
    return bool(_HEADINGS.search(heading) or _SESSIONS.search(heading))


def is_dated(text: str) -> bool:
    """Whether a text has a date."""
    return bool(_DATE.search(text))


def around(text: str, start: int, end: int) -> str:
    """The sentence around a place, without the place itself and without other pieces of code."""
    first, last = sentence(text, start, end)
    return _CODE.sub(" ", f"{text[first:start]} \x00 {text[end:last]}")


def tells_of_change(around: str, *, versions: bool = False) -> bool:
    """Whether the sentence around a place is about what was or will be, where a missing file is right.

    Of versions more words do: "from 4.1" is no statement of what is there.
    """
    at = around.find("\x00")
    if _NOT_THERE.search(around) or _DENIED.search(around, max(at - _DENIAL, 0), at):
        return True
    return any(_counts(match.group().lower(), versions=versions) for match in _WORD.finditer(around))


def is_denied(text: str, at: int) -> bool:
    """Whether the words right before a place say that what stands there is not."""
    return bool(_DENIED.search(text, max(at - _DENIAL, 0), at))


def is_condition(text: str, at: int, *, constant: bool) -> bool:
    """Whether a value right behind these words is one that something has at times; a constant may go "with" it."""
    before = max(at - _DENIAL, 0), at
    return bool(_CONDITION.search(text, *before) or (not constant and _AT_TIMES.search(text, *before)))


def is_branch(text: str, start: int, end: int) -> bool:
    """Whether the words beside a place say that it is a branch."""
    return bool(_BRANCH.search(text, max(start - _DENIAL, 0), start) or _BRANCH_AFTER.match(text, end))


def sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence around a place begins and ends, at most NEAR characters away, and never beyond its line."""
    first, last = max(start - NEAR, 0), min(end + NEAR, len(text))
    first = max(text.rfind("\n", first, start) + 1, text.rfind("\r", first, start) + 1, first)
    last = min([last, *(at for at in (text.find("\n", end, last), text.find("\r", end, last)) if at >= 0)])
    begin = max(text.rfind("\n", max(start - _LINE, 0), start) + 1, start - _LINE, 0)
    if text.count("`", begin, first) % 2:  # amid a piece of code, which ends the sentence no more than others do
        first = min(text.find("`", first, start) + 1 or start, start)
    for match in _BREAK.finditer(text, first, last):
        if match.group()[0] == "`" or start <= match.start() < end:
            continue
        if match.end() <= start:
            first = match.end()
        else:
            return first, match.start()
    return first, last


def _counts(word: str, *, versions: bool) -> bool:
    if word in _PAST or word in _PLANNED or word in _EXAMPLE:
        return True
    if word.startswith((*_PAST_BEGIN, *_PLANNED_BEGIN)):
        return True
    return versions and (word in _CHANGING or word.startswith(_CHANGING_BEGIN))
