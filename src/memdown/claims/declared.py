"""Claims that somebody wrote down as such: `<!-- memdown: claims src/db.py::POOL=10, !src/old.py -->`.

Or as a list `claims:` in front matter. They are read and looked up, and never run.
"""

import re
from collections.abc import Iterator

from memdown.claims.model import CodeClaim
from memdown.patterns import lazy
from memdown.text import Span

_COMMENT = lazy(r"<!--\s{0,9}memdown:\s{0,9}claims?[:\s]([^\n]{1,2000}?)-->")
_FRONT = lazy(r"\A\ufeff?---\r?\n(?:(?!---)[^\n]*\n)*?claims:[ \t]*(\[[^\]\n]{0,2000}\]|(?:\r?\n[ \t]*-[^\n]*)+)", re.M)
_EACH = lazy(r"[^\s,\[\]\"'](?:[^,\n\"']{0,300}[^\s,\[\]\"'])?")
_ONE = lazy(
    r"(?P<absent>!?)(?P<path>[^:=!\s][^:=\n]{0,300}?)(?:::(?P<name>[A-Za-z_][\w.]{0,120})(?:\s?=\s?(?P<value>[^\n]{1,120}))?)?"
)


def declared(text: str) -> Iterator[CodeClaim]:
    """The claims that a text declares."""
    if "claims" not in text and "memdown: claim" not in text:
        return
    front = _FRONT.match(text)
    places = [match.span(1) for match in _COMMENT.finditer(text)] + ([front.span(1)] if front else [])
    for start, end in places:
        for match in _EACH.finditer(text, start, end):
            begin = match.start() + (2 if match.group().startswith("- ") else 0)
            claim = parse(text[begin : match.end()], begin)
            if claim:
                yield claim


def parse(spelled: str, start: int = 0) -> CodeClaim | None:
    """The claim that a text such as `src/db.py::POOL=10` is; None when it is none."""
    match = _ONE.fullmatch(spelled.strip())
    if not match:
        return None
    span = Span(start, start + len(spelled))
    absent = bool(match["absent"])
    path, name, value = match["path"].strip(), match["name"], match["value"]
    if value is not None:
        return CodeClaim("literal", span, f"{path}::{name}", value.strip(), declared=True, absent=absent)
    if name is not None:
        return CodeClaim("symbol", span, path, name, declared=True, absent=absent)
    return CodeClaim("path", span, path, declared=True, absent=absent)
