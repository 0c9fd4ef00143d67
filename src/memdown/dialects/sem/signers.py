"""Who signs an entry in its title or its status, where no label names them. Nothing is guessed."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from memdown.dialects import days, signed
from memdown.dialects.sem import grammar
from memdown.patterns import lazy

ROLES = frozenset(("Scribe", "Coordinator"))
"""Agents that every team has by these names, who need not sign elsewhere in a file."""
_SIGNED_BEFORE = lazy(
    r"(?:(?:design )?decision(?: record)?s?\s*[:—–-]\s*)?(?P<name>[^\W\d_][^—–:()\r\n]{1,40}?)(?:['’]s)?"
    r"(?:\s\([^()]{1,40}\))?(?:\s(?:decision(?:\s(?:drop|inbox))?|directive|review|report|verdict|audit|findings|vote|notes?))?\s*(?:[—–:]|\s-\s)\s*\S",
    re.IGNORECASE,
)
_SIGNED_BEHIND = lazy(r"\((?:(?:via|by)[ \t]+)?(?P<name>[^\W\d_][^()\r\n]{1,40})\)\s*$")
_SIGNED_LAST = lazy(r"\s(?:[—–]\s*|-\s)(?P<name>[^\W\d_][^—–:()\r\n]{1,40}?)(?:\s\([^()\r\n]{1,40}\))?\s*$")
_STATUS_OF = lazy(r"\((?P<name>[^\W\d_][^(),+&/\r\n]{0,40}?)[ \t]{0,3}[,+&/)]")
"""Who a status is by, as in "Implemented (Ann, 2026-02-15)"."""
_STATUS_ON = lazy(r"\((?P<name>[^\W\d_]\w{1,30}),[ \t]{0,3}\d{4}-\d{2}-\d{2}")
"""The same with a day."""
_STATUS_OF_OTHERS = lazy(r"approv|reject|review|assign|pending|block|wait|open", re.IGNORECASE)
"""A status that names who has to act, or who looked at it."""
_SIGNED_TITLE = lazy(
    r"(?:[(\[][ \t]*(?:by[ \t]+)?|[—–-][ \t]+|\bby[ \t]+)(?P<handle>@[\w-]{2,39})[ \t]*[)\]]?$"
    r"|(?:[(\[]|[—–-][ \t])[ \t]*by[ \t]+(?P<name>[^\W\d_][^()\[\]\r\n]{1,40})[)\]]?$"
)
"""Where a title says who it is by, whoever signs elsewhere."""
_TITLE_ON = lazy(rf"\((?P<name>[^\W\d_]\w{{1,30}}),[ \t]{{0,3}}{days.STAMP}\)[ \t]*$")
"""A name and a day at the end of a heading."""
_TITLE_VIA = lazy(
    rf"{days.STAMP}[ \t]*\((?:via|by)[ \t]+(?P<name>[^\W\d_][\w'’-]{{1,30}}(?:[ \t][A-Z][\w'’-]{{0,30}})?)\)[ \t]*$"
)
"""A day and behind it, through whom it came."""
_ASSISTANTS = frozenset("assistant chat chatgpt claude cli codex copilot cursor github gemini slack teams user".split())
"""Through which somebody spoke who is not named."""
_TITLE_BY = lazy(r"\s[—–]\s(?P<name>[A-Z][a-z]\w{0,30})(?:\s\([^()\r\n]{1,40}\))?\s*$")
"""A name alone at the end of a heading, perhaps with a role; a word that says something else looks just so."""
_HABIT, _MOST = 4, 0.8
"""So many headings, and this part of those with a day, end with a name where that is who signs them."""
_ORCHESTRATED = lazy(
    r"(?:(?:(?:agent )?orchestration(?: log| entry)?|spawn)[ \t]*[:—–-][ \t]*)?(?P<name>[^\W\d_][\w'-]{1,30})"
    r"(?=[ \t]*(?:$|[(:—–])|[ \t]+(?:-[ \t]|spawn\b|agent\b|review\b|orchestration\b))",
    re.IGNORECASE,
)
"""Where a title names who wrote what is below it: "Ann — Colours", "Ann Decision: Colours", "Colours (Ann)"."""
_NAMED_ROLE = lazy(r"(?P<name>[^\W\d_][\w'-]{1,30}(?: [A-Z][\w'-]{0,30})?)[ \t]\([^()\r\n]{1,60}\)")


def orchestrated(title: str, file: str) -> str | None:
    """Whose work an orchestration log is, where its title and the name of its file say the same."""
    match = _ORCHESTRATED.match(title)
    is_one = match and match["name"][0].isupper() and f"-{match['name']}-".casefold() in f"-{file}-".casefold()
    return match["name"] if match and is_one else None


def signer(title: str, status: str, names: Collection[str]) -> str | None:
    """Who signs an entry in its title or status: who it says it is by, or one who signs others of the same file."""
    if (own := _SIGNED_TITLE.search(title)) and (own["handle"] or signed.is_name(own["name"])):
        return own["handle"] or own["name"].strip()
    behind = (pattern.search(title) for pattern in (_SIGNED_BEHIND, _SIGNED_LAST))
    done = None if _STATUS_OF_OTHERS.search(status) else _STATUS_OF.search(status)
    found = (_SIGNED_BEFORE.match(title), *behind, done)
    return next((match["name"] for match in found if match and match["name"] in names), None)


def regulars(statuses: Iterable[str], titles: Sequence[str]) -> set[str]:
    """Who several states or headings of a file are by, each with its day; or whom nearly all headings end with."""
    found: set[str] = set()
    closed = [each for each in titles if each.rstrip().endswith(")")]  # as these end; a date is dear to look for
    for texts, pattern in ((statuses, _STATUS_ON), (closed, _TITLE_ON), (closed, _TITLE_VIA)):
        seen = Counter(match["name"] for each in texts if (match := pattern.search(each)))
        seen = Counter({name: number for name, number in seen.items() if name.casefold() not in _ASSISTANTS})
        found |= {name for name, number in seen.items() if number > 1 and signed.is_name(name)}
    dated = [each for each in titles if grammar.STAMP.search(each)]
    last = Counter(
        match["name"] for each in dated if (match := _TITLE_BY.search(each)) and signed.is_name(match["name"])
    )
    is_habit = last.total() >= _HABIT and last.total() >= _MOST * len(dated) and len(last) < last.total()
    return found | set(last) if is_habit else found


def named_role(value: str, names: Collection[str], file: str) -> str | None:
    """Who stands under the label of roles: one who signs elsewhere, or whom the file is named after, with a role."""
    bare = value.strip(" *_")
    match = _NAMED_ROLE.fullmatch(bare)
    name = match["name"] if match else bare
    is_of_file = match is not None and f"-{name}-".casefold() in f"-{file}-".casefold()
    return name if name in names or is_of_file else None
