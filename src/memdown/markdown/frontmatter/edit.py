"""Edits of front matter: the smallest spans that must change, so that all else stays as people wrote it."""

from collections.abc import Collection, Sequence

from memdown.markdown.frontmatter.canonical import line_of
from memdown.markdown.frontmatter.lines import eol_at, whole_lines
from memdown.markdown.frontmatter.model import FrontMatter, FrontMatterEntry, FrontMatterValue
from memdown.markdown.frontmatter.reader import read
from memdown.markdown.frontmatter.replace import block_items, flow_items, in_style, with_line, with_list
from memdown.patterns import lazy
from memdown.text import Edit, Span, apply, line_start

_COLON = lazy(r"[ \t]*:")


def set_value(
    text: str, fm: FrontMatter, key: str, value: str | Sequence[str], always_quote: Collection[str] = ()
) -> list[Edit]:
    """Edits after which the first entry with this key has this value, and all other entries are unchanged.

    No edits when it has that value already. A key that is not there is added as the last line, and quoted even
    if plain when it is one of `always_quote`.
    Raises ValueError when the block is not closed, or is or would be too large to be read.
    """
    _check_readable(fm)
    value = value if isinstance(value, str) else list(value)
    entry = fm.get(key)
    attempts: list[list[Edit] | None]
    if entry is None:
        attempts = [_added(text, fm, key, value, key in always_quote)]
    elif _holds(entry.value, value):
        return []
    else:
        attempts = [_changed(text, entry, value), _rewritten(text, entry, value)]
    for strict in (True, False) if fm.problems else (True,):
        for edits in attempts:
            if edits is not None and _means(text, fm, edits, key, value, strict):
                return edits
    raise ValueError(f"the front matter cannot hold {key!r} with this value")


def remove(text: str, fm: FrontMatter, key: str) -> list[Edit]:
    """Edits that take away the lines of every entry with this key."""
    _check_readable(fm)
    return [Edit(whole_lines(text, entry.span), "") for entry in fm.entries if entry.key == key]


def _check_readable(fm: FrontMatter) -> None:
    for problem in fm.problems:
        if problem.kind in ("unclosed", "too-large"):
            raise ValueError(f"cannot edit this front matter: {problem.message}")


def _holds(old: FrontMatterValue, value: str | list[str]) -> bool:
    if isinstance(value, str):
        return old.text == value and old.style != "raw"
    same = [item.text for item in old.items] == value
    return same and old.style in ("list", "flow") and all(item.style != "raw" for item in old.items)


def _added(text: str, fm: FrontMatter, key: str, value: str | list[str], quoted: bool) -> list[Edit]:
    eol = eol_at(text, fm.span.start)
    indent = _indent(text, fm.entries[0]) if fm.entries else ""
    return [Edit(Span(fm.inner.end, fm.inner.end), line_of(key, value, eol, indent, quoted) + eol)]


def _changed(text: str, entry: FrontMatterEntry, value: str | list[str]) -> list[Edit] | None:
    """The smallest edits; None when the shape of the entry has none."""
    colon = _COLON.match(text, entry.key_span.end)
    if colon is None:
        return None
    old, at = entry.value, colon.end()
    if isinstance(value, str):
        return with_line(text, old, at, in_style(value, old))
    if not value:
        return with_line(text, old, at, "[]")
    if old.style == "flow":
        return flow_items(old, value)
    if old.style == "list":
        return block_items(text, old, value)
    return with_list(text, old, at, _indent(text, entry), value)


def _rewritten(text: str, entry: FrontMatterEntry, value: str | list[str]) -> list[Edit]:
    indent = _indent(text, entry)
    line = line_of(entry.key, value, eol_at(text, entry.span.end), indent)
    return [Edit(entry.span, line[len(indent) :])]


def _indent(text: str, entry: FrontMatterEntry) -> str:
    return text[line_start(text, entry.span.start) : entry.span.start]


def _means(text: str, fm: FrontMatter, edits: list[Edit], key: str, value: str | list[str], strict: bool) -> bool:
    """Whether the edited text says what it should. Unusual YAML can make a small edit mean something else.

    When not strict, other entries may be read differently: mending what is broken can give their text a meaning.
    """
    after = read(apply(text[: fm.body], edits))
    if after is None:
        return False
    if not strict:
        entry = after.get(key)
        return entry is not None and _data(entry.value) == value
    place = next((number for number, entry in enumerate(fm.entries) if entry.key == key), len(fm.entries))
    others = [_content(entry) for entry in fm.entries[:place] + fm.entries[place + 1 :]]
    changed = [_content(entry) for entry in after.entries]
    new = changed.pop(place) if place < len(changed) else None
    return new == (key, value) and others == changed


def _content(entry: FrontMatterEntry) -> tuple[str, object]:
    return entry.key, _data(entry.value)


def _data(value: FrontMatterValue) -> object:
    if value.text is not None:
        return value.text
    return [_data(item) for item in value.items] or [_content(entry) for entry in value.entries]
