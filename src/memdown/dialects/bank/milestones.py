"""How far a milestone or a section is, which stands behind its name: after a dash, in brackets, or as a picture."""

import re

from memdown.dialects.bank import dates
from memdown.patterns import lazy
from memdown.text import Edit, Span

_STATUS_WITHIN = 200
"""Characters at the end of a title in which a status stands, with the dashes before it."""
_STATUS_LAST = lazy(
    r"(?<![ \t])[ \t]*(?:(?:[—–]+|[ \t]--?)[ \t]*(?P<one>[^—–()（）]{1,60})|"
    r"[(（\[](?P<two>[^()（）\[\]]{1,60})[)）\]][*]*)$"
)
_HOW_FAR = lazy(
    r"complet|done|finish|progress|ongoing|current|active|start|plan|pending|upcoming|to-?do|block|paus|hold|cancel|defer"
    r"|postpon|next|future|partial|draft|review|ready|shipped|released|closed|archived|open|wip|soon|later|skipped"
    r"|superseded|\d ?%|完成|进行|進行|计划|計画|予定|完了|未着手|待|진행|완료|예정|계획|заверш|выполн|готов"
    r"|процесс|работе|план|abgeschlossen|erledigt|fertig|arbeit|termin|en cours|prévu|curso|pendiente|conclu"
    r"|andamento|pendente|planej|[✅☑✔✓🔄⏳🚧🟡📋🔜⬜❌]",
    re.IGNORECASE,
)
"""What words in brackets have that say how far a milestone is; others belong to its name: (Week 5), (T7)."""
_WHOLE = (
    r"complete|completed|done|finished|in progress|ongoing|started|not started|planned|pending|upcoming|to-?do|blocked"
    r"|paused|on hold|cancell?ed|deferred|postponed|partial|draft|in review|under review|ready|shipped|released|closed"
    r"|archived|open|wip|later|skipped|superseded|resolved|fixed|outstanding|abandoned|merged|deployed|\d{1,3} ?% ?\w*"
)
_STANDS = lazy(
    rf"(?:status: )?(?:(?:{_WHOLE})(?: (?:to|by|on|in|for|until|since|at|with|as of|{dates.PERIOD}).*)?"
    rf"|(?:[^\s.!?]+ ){{1,2}}(?:{_WHOLE})|current|active|next|future|soon)",
    re.IGNORECASE,
)
"""What a section that is no milestone has behind its name where that says how far it is, and not what it is about."""
_SHORT_STEM = 12
"""Characters that such words have at most in languages whose stems alone are known."""
_BETWEEN = lazy(r"[ \t][—–-]+[ \t]|[,;(（]")
_NUMBERED = lazy(r"[*_]{0,2}[^\W\d_]+[ \t]*(?:\d{1,3}(?:\.\d{1,3})*|[IVX]{1,4})[a-z]?[ \t]*:?[*_]{0,2}", re.IGNORECASE)
"""A milestone that is called by its number alone, so that the words behind it are its name."""
_PICTURE_SAID = lazy(r"(?<![ \t])[ \t]*[✅☑✔✓🔄⏳🚧🟡]\ufe0f?[ \t]*(?P<said>[^\W\d_][^()（）—–]{2,60})$")
_WHEN = lazy(rf"(?:(?:last )?updated:? |as of |since )?(?:{dates.PERIOD}(?: ?[-–—] ?(?!\Z)|\Z)){{1,2}}", re.IGNORECASE)
"""A date in the place of a status, or two of them with a dash between, which say when and not how far."""
_PICTURE_LAST = lazy(r"(?<![ \t])[ \t]*(?P<picture>[✅☑✔✓🔄⏳🚧🟡📋🔜⬜❌])\ufe0f?[* \t]*$")
_PICTURE_SAYS = {**dict.fromkeys("✅☑✔✓", "Complete"), **dict.fromkeys("🔄⏳🚧🟡", "In Progress")}


def with_status(title: str) -> tuple[str, str | None]:
    """A milestone's name and its status."""
    found = _found(title)
    return (title[: found[0].start].strip(), found[1]) if found else (title, None)


def of_section(title: str) -> str | None:
    """How far a section is, where what stands behind its name says nothing else."""
    found = _found(title)
    for said in reversed(_BETWEEN.split((found[1] if found else None) or "")):
        bare = said.strip(" *_[]✅☑✔✓🔄⏳🚧🟡🎯!.\ufe0f")
        stem = _HOW_FAR.search(bare) if len(bare) <= _SHORT_STEM and not bare.isascii() else None
        if _STANDS.fullmatch(bare) or stem:
            return bare.removeprefix("Status: ")
    return None


def _found(title: str) -> tuple[Span, str | None] | None:
    """From where on a title tells the status, the words of it, and what they say; None where it tells none."""
    near_end = max(len(title) - _STATUS_WITHIN, 0)
    if picture := _PICTURE_LAST.search(title, near_end):
        return Span(picture.start(), len(title)), _PICTURE_SAYS.get(picture["picture"])
    pictured = _PICTURE_SAID.search(title, near_end)
    if pictured and pictured.start() > 0 and _HOW_FAR.search(pictured["said"]):
        return Span(pictured.start(), len(title)), pictured["said"].strip(" *_")
    last = _STATUS_LAST.search(title, near_end)
    if last is None or not last.start():
        return None
    said = (last["one"] or last["two"]).strip(" *_")
    if _WHEN.fullmatch(said):
        return Span(last.start(), len(title)), None
    is_free = last["one"] and not _NUMBERED.fullmatch(title[: last.start()])
    return (Span(last.start(), len(title)), said) if is_free or _HOW_FAR.search(said) else None


def status_edit(text: str, head: Span, status: str) -> Edit:
    """Another status in the line of a milestone, in the place and the form of the one that is there."""
    title = head.of(text).rstrip()
    found, end = _found(title), head.start + len(title)
    last = _STATUS_LAST.search(title, max(len(title) - _STATUS_WITHIN, 0))
    if found is None or (last and last.start() == found[0].start and found[1] is None):
        return Edit(Span(end, end), f" — {status}")
    if last is None or last.start() != found[0].start:  # a picture, perhaps with words
        return Edit(Span(head.start + found[0].start, end), f" — {status}")
    said = last["one"] or last["two"]
    start = head.start + last.start(last.lastgroup or 0) + len(said) - len(said.lstrip(" *_"))
    return Edit(Span(start, start + len(said.strip(" *_"))), status)
