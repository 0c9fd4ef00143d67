"""Changes of records for people, and as the JSON that other programs rely on."""

import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from memdown.acts.blame import FieldOrigin
from memdown.history.changes import RecordChange
from memdown.history.fields import Value
from memdown.history.trail import LoggedChange
from memdown.index.words import is_metadata
from memdown.markdown.line_ends import split_lines
from memdown.patterns import lazy
from memdown.record import Record
from memdown.surfaces.show.records import short
from memdown.surfaces.show.render import Json
from memdown.surfaces.show.reports import text_diff
from memdown.surfaces.show.style import count, style
from memdown.text import shorten

_STYLES = {"added": "added", "removed": "removed", "changed": "warning", "moved": "info"}
_ORDER = ("added", "changed", "moved", "removed", "reformatted")
_MARKUP = lazy(r"[\\`*_<>\[\]#|]")
_EMPHASIS = lazy(r"\*\*|__")
_MARKER = lazy(r"(?:[-*+>]|#{1,6}|\d{1,9}[.)])\s+")
_SHOWN = 6
"""Lines of a long text that are shown as changed."""
_WIDTH = 72


def change(change: RecordChange, *, diff: bool = False) -> Json:
    """What happened to a record."""
    shown: dict[str, object] = {
        "change": change.change,
        "id": change.id,
        "kind": change.kind,
        "title": change.title,
        "path": change.path,
        "line": change.line,
        "fields": change.fields,
    }
    return {**shown, "diff": "\n".join(_diff(change))} if diff else shown


def logged(change_: LoggedChange, *, diff: bool = False) -> Json:
    """The same with the commit that did it."""
    commit = {
        "commit": change_.commit,
        "at": change_.at,
        "author": change_.author,
        "assistant": change_.assistant,
        "subject": change_.subject,
    }
    return {**commit, **change(change_, diff=diff)}


def unlogged(change_: RecordChange, *, diff: bool = False) -> Json:
    """The same where no one commit did it."""
    nobody = dict.fromkeys(("commit", "at", "author", "assistant", "subject"))
    return {**nobody, **change(change_, diff=diff)}


def changed(changes: Sequence[RecordChange], *, diff: bool = False) -> Iterator[str]:
    """What happened to records, file by file."""
    for each in changes:
        yield from lines(each, diff=diff)
    yield _summary(changes) or "No changes."


def _summary(changes: Sequence[RecordChange]) -> str:
    numbers = Counter(each.change for each in changes)
    counts = [f"{numbers[name]:,} {name}" for name in _ORDER if numbers[name]]
    return f"{', '.join(counts)}." if counts else ""


def markdown(changes: Sequence[RecordChange], *, commits: int | None = None) -> Iterator[str]:
    """The same as the text of a pull request."""
    yield "## Memory"
    yield ""
    if not changes:
        yield "Nothing in memory changed."
        return
    yield _summary(changes).removesuffix(".") + (f" in {count(commits, 'commit')}." if commits else ".")
    for name in _ORDER:
        group = [each for each in changes if each.change == name]
        if group:
            yield ""
            yield f"### {name.capitalize()}"
            yield ""
            for each in group:
                yield from _item(each)


def _item(change_: RecordChange) -> Iterator[str]:
    where = f"`{change_.path}:{change_.line}`" if change_.line else f"`{change_.path}`"
    if change_.id is None:
        yield f"- Text of {where}"
        return
    title = _escaped(_shortened(change_.title or "(no title)"))
    helper = getattr(change_, "assistant", None)
    by = f", with {helper}" if helper else ""
    yield f"- **{title}** ({change_.kind}, {where}{by})"
    if change_.change == "added":
        if change_.new and (gist := _gist(change_.new)):
            yield f"  {_escaped(_shortened(gist))}"
    elif change_.change != "removed":
        for name, (old, new) in change_.fields.items():
            yield f"  - {name}: {_value(old)} → {_value(new)}"


def _gist(record: Record) -> str:
    """Why a record is there, or else the first words of it that are not its title or what the line above tells."""
    for text_ in (record.rationale, record.summary, record.body):
        for line in split_lines(text_ or ""):
            line = line.strip()
            marker = _MARKER.match(line)
            words = _EMPHASIS.sub("", line[marker.end() :] if marker else line).strip()
            if any(map(str.isalnum, words)) and words != record.title and not is_metadata(words):
                return words
    return ""


def _value(value: Value) -> str:
    shown = " ".join(text(value).split())
    return _escaped(_shortened(shown)) if shown else "none"


def _escaped(words: str) -> str:
    """Words that make no markup in a pull request, and call nobody."""
    return _MARKUP.sub(r"\\\g<0>", words).replace("@", "@\u200b")


def blame(found: Sequence[FieldOrigin]) -> Iterator[str]:
    """Records, each with its fields and who wrote them."""
    width = max((len(each.field) for each in found), default=0)
    for number, (_, group) in enumerate(groupby(found, key=lambda each: (each.path, each.line, each.id))):
        listed = list(group)
        first = listed[0]
        if number:
            yield ""
        title = style("strong", _shortened(first.title or "(no title)"))
        yield f"{style('id', short(first.id))}  {title}  {style('place', f'{first.path}:{first.line}')}"
        for each in (each for each in listed if each.field != "kind"):
            by = f"{each.author} with {each.assistant}" if each.assistant else each.author or ""
            origin = (
                f"{style('id', each.commit[:8])}  {(each.at or '')[:10]}  {by}" if each.commit else "not committed yet"
            )
            value = _shortened(" ".join(text(each.value).split()))
            yield f"  {each.field:{width}}  {origin}  {style('dim', value)}"


def log(changes: Sequence[LoggedChange], *, diff: bool = False) -> Iterator[str]:
    """Commits with what each did, as `git log` would tell it."""
    for number, (_, group) in enumerate(groupby(changes, key=lambda each: each.commit)):
        listed = list(group)
        if number:
            yield ""
        yield headline(listed[0])
        for each in listed:
            yield from (f"  {line}" if line else "" for line in lines(each, diff=diff))


def headline(change_: LoggedChange) -> str:
    """A commit on one line."""
    if change_.commit is None:
        return style("id", "not committed yet")
    by = f"{change_.author} with {change_.assistant}" if change_.assistant else change_.author or ""
    day = (change_.at or "")[:10]
    return f"{style('id', change_.commit[:8])}  {day}  {by}  {style('dim', change_.subject or '')}"


def lines(change_: RecordChange, *, diff: bool = False) -> Iterator[str]:
    """What happened to a record, then what changed in it."""
    what = (
        f"{short(change_.id)}  {_shortened(change_.title or '(no title)')}" if change_.id else "text outside of records"
    )
    where = f"{change_.path}:{change_.line}" if change_.line else change_.path
    verb = style(_STYLES.get(change_.change, "dim"), f"{change_.change:11}")
    yield f"{verb}  {what}  {style('place', where)}"
    if diff:
        yield from _diff(change_)
    elif change_.change not in ("added", "removed"):
        for name, (old, new) in change_.fields.items():
            yield from field(name, old, new)


def field(name: str, old: Value, new: Value) -> Iterator[str]:
    """The old value and the new one; of long texts the lines that changed."""
    before, after = text(old), text(new)
    if len(before) + len(after) <= _WIDTH and "\n" not in before + after:
        sides = f"{style('removed', before or '(none)')} → {style('added', after or '(none)')}"
        yield f"  {style('dim', f'{name}:')} {sides}"
        return
    yield f"  {style('dim', f'{name}:')}"
    rows = [each for each in difflib.ndiff(split_lines(before), split_lines(after)) if each[:2] in ("- ", "+ ")]
    for row in rows[:_SHOWN]:
        yield style("removed" if row[0] == "-" else "added", f"    {row}")
    if len(rows) > _SHOWN:
        yield style("dim", f"    … {len(rows) - _SHOWN} more lines")


def _shortened(title: str) -> str:
    return shorten(title, _WIDTH)


def text(value: Value) -> str:
    return value if isinstance(value, str) else ", ".join(value or ())


def _diff(change_: RecordChange) -> Iterator[str]:
    old = change_.old.path if change_.old else change_.path
    return text_diff(f"a/{old}", change_.before, f"b/{change_.path}", change_.after, style)
