"""How far a milestone is, which stands behind its name: after a dash, in brackets, or as a picture."""

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
_WHEN = lazy(rf"(?:(?:last )?updated:? |as of |since )?{dates.PERIOD}(?: ?[-–—] ?{dates.PERIOD})?", re.IGNORECASE)
"""A date in the place of a status, which says when and not how far."""
_PICTURE_LAST = lazy(r"(?<![ \t])[ \t]*(?P<picture>[✅☑✔✓🔄⏳🚧🟡📋🔜⬜❌])\ufe0f?[* \t]*$")
_PICTURE_SAYS = {**dict.fromkeys("✅☑✔✓", "Complete"), **dict.fromkeys("🔄⏳🚧🟡", "In Progress")}


def with_status(title: str) -> tuple[str, str | None]:
    """A milestone's name and its status."""
    near_end = max(len(title) - _STATUS_WITHIN, 0)
    picture = _PICTURE_LAST.search(title, near_end)
    if picture:
        return title[: picture.start()].strip(), _PICTURE_SAYS.get(picture["picture"])
    last = _STATUS_LAST.search(title, near_end)
    if last and last.start() > 0:
        said = (last["one"] or last["two"]).strip(" *_")
        return title[: last.start()].strip(), None if _WHEN.fullmatch(said) else said
    return title, None


def status_edit(text: str, head: Span, status: str) -> Edit:
    """Another status in the line of a milestone, in the place and the form of the one that is there."""
    title = head.of(text).rstrip()
    near_end = max(len(title) - _STATUS_WITHIN, 0)
    end = head.start + len(title)
    last = _STATUS_LAST.search(title, near_end)
    if picture := _PICTURE_LAST.search(title, near_end):
        return Edit(Span(head.start + picture.start(), end), f" — {status}")
    if last is None or not last.start() or with_status(title)[1] is None:
        return Edit(Span(end, end), f" — {status}")
    said = last["one"] or last["two"]
    start = head.start + last.start(last.lastgroup or 0) + len(said) - len(said.lstrip(" *_"))
    return Edit(Span(start, start + len(said.strip(" *_"))), status)
