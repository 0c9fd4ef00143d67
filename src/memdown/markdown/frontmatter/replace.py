"""How the characters of a value are replaced: in its style, at its place, and no more of them than must be."""

from collections.abc import Sequence

from memdown.markdown.frontmatter import flat
from memdown.markdown.frontmatter.canonical import double, in_quotes, is_plain, is_typed, quote
from memdown.markdown.frontmatter.lines import eol_at, whole_lines
from memdown.markdown.frontmatter.model import FrontMatterValue
from memdown.patterns import lazy
from memdown.text import Edit, Span, line_end, line_start

_HEADER = lazy(r"[|>][-+0-9]*")
_DASH = lazy(r"( *)-(?=[ \t\r\n])")


def in_style(value: str, old: FrontMatterValue, flow: bool = False) -> str:
    """The new value in the old one's style, where that can hold it."""
    if old.style == "double":
        return double(value)
    if old.style == "single":
        return in_quotes(value)
    if old.style == "plain":
        if is_plain(value, flow) and not is_typed(value):
            return value
        # What other readers took for a number, a date or a boolean stays one: `true` becomes `false`.
        if is_typed(value) and is_typed(old.text or "") and flat.is_plain(value, flow):
            return value
    return in_quotes(value) if flow and not is_plain(value, flow) else quote(value)


def with_line(text: str, old: FrontMatterValue, at: int, new: str) -> list[Edit]:
    """Put one line in the place of a value that is written after offset `at`, the end of the colon or dash."""
    if old.style == "empty":
        end = line_end(text, at)
        blank = not text[at:end].strip(" \t")
        return [Edit(Span(at, end) if blank else old.span, " " + new)]
    if old.style in ("folded", "literal"):
        header = _HEADER.match(text, old.span.start)
        first = Span(old.span.start, header.end() if header else old.span.end)
    elif line_end(text, at) < old.span.start:
        first, new = Span(at, at), " " + new
    else:
        return [Edit(old.span, new)]
    # A comment after `>-` or after `key:` stays where it is.
    rest = Span(line_end(text, first.end), old.span.end)
    return [Edit(first, new), Edit(rest, "")] if rest.start < rest.end else [Edit(first, new)]


def with_list(text: str, old: FrontMatterValue, at: int, indent: str, new: Sequence[str]) -> list[Edit]:
    """Put a block list in the place of something else."""
    lines = "".join(f"{eol_at(text, at)}{indent}  - {quote(item)}" for item in new)
    cleared = with_line(text, old, at, "")
    first = Edit(Span(at, cleared[0].span.end), "")
    end = line_end(text, first.span.end)
    rest = cleared[1].span if len(cleared) > 1 else Span(end, end)
    return [first, Edit(rest, lines)]


def flow_items(old: FrontMatterValue, new: Sequence[str]) -> list[Edit]:
    """Change the items of `[...]` that differ."""
    items = old.items
    if not items:
        return [Edit(old.span, "[" + ", ".join(in_style(item, old, flow=True) for item in new) + "]")]
    front, stop, new = _different(items, new)
    pairs = zip(items[front:stop], new, strict=False)
    edits = [Edit(item.span, in_style(value, item, flow=True)) for item, value in pairs]
    last = front + len(edits)
    more = [in_style(value, old, flow=True) for value in new[len(edits) :]]
    here = items[last - 1].span.end if last else items[0].span.start
    if more:
        inserted = "".join(f", {item}" for item in more) if last else "".join(f"{item}, " for item in more)
        edits.append(Edit(Span(here, here), inserted))
    elif last < stop:
        edits.append(Edit(Span(here, items[stop - 1].span.end if last else items[stop].span.start), ""))
    return edits


def block_items(text: str, old: FrontMatterValue, new: Sequence[str]) -> list[Edit] | None:
    """Change the items of a block list that differ; None when they do not stand one on each line."""
    dashes = [dash for item in old.items if (dash := _DASH.match(text, line_start(text, item.span.start)))]
    if len({dash.start() for dash in dashes}) < len(old.items):
        return None
    front, stop, new = _different(old.items, new)
    edits: list[Edit] = []
    for item, dash, value in zip(old.items[front:stop], dashes[front:stop], new, strict=False):
        edits += with_line(text, item, dash.end(), in_style(value, item))
    last = front + min(stop - front, len(new))
    for item, dash in zip(old.items[last:stop], dashes[last:stop], strict=True):
        edits.append(Edit(whole_lines(text, Span(dash.start(), item.span.end)), ""))
    more = [f"{dashes[0][1]}- {quote(value)}" for value in new[last - front :]]
    eol = eol_at(text, old.span.start)
    if more and last:
        end = line_end(text, old.items[last - 1].span.end)
        edits.append(Edit(Span(end, end), "".join(eol + line for line in more)))
    elif more:
        start = dashes[0].start()
        edits.append(Edit(Span(start, start), "".join(line + eol for line in more)))
    return edits


def _different(old: Sequence[FrontMatterValue], new: Sequence[str]) -> tuple[int, int, Sequence[str]]:
    """From where to where old items must change, and into what: all but those alike at both ends."""
    texts = [None if item.style == "raw" else item.text for item in old]
    shorter = min(len(texts), len(new))
    front = 0
    while front < shorter and texts[front] == new[front]:
        front += 1
    back = 0
    while back < shorter - front and texts[-1 - back] == new[-1 - back]:
        back += 1
    return front, len(texts) - back, new[front : len(new) - back]
