"""What a search found, as JSON and as lines for people."""

from collections.abc import Iterator, Sequence

from memdown.index.none import none_of
from memdown.index.search import WORDS, Hit, Hits
from memdown.index.search.snippets import MARKS
from memdown.record import Record
from memdown.surfaces.show import render
from memdown.surfaces.show.records import cut, day_of, marks_of, place, short
from memdown.surfaces.show.style import count, style
from memdown.text import without_bold


def as_json(hits: Hits, *, explain: bool) -> render.Json:
    return {
        "query": hits.query,
        "mode": hits.mode,
        "took_ms": hits.took_ms,
        "total": hits.total,
        "hits": [_hit_json(hit, explain=explain) for hit in hits.hits],
        "when": hits.when,
        "left_out": hits.left_out,
        "as_of": hits.as_of,
        "did_you_mean": hits.did_you_mean,
    }


def _hit_json(hit: Hit, *, explain: bool) -> render.Json:
    shown = {
        **render.mark(hit.mark),
        "standing": hit.mark.standing or None,
        "score": hit.score,
        "snippet": hit.snippet.replace(MARKS[0], "**").replace(MARKS[1], "**"),
        "alike": hit.near_duplicates,
        "branches": hit.branches,
        "level": hit.level or "project",
        "source": hit.source or None,
        "overridden_by": hit.overridden_by or None,
    }
    return {**shown, "why": hit.why} if explain else shown


def lines(hits: Hits, *, explain: bool, root: str | None = None, places: Sequence[str] | None = None) -> Iterator[str]:
    """`places` says where each stands, when that is not below one root."""
    for number, hit in enumerate(hits.hits):
        record = hit.mark.record
        there = style("warning", f"  [on {', '.join(hit.branches)}]") if hit.branches else ""
        if hit.overridden_by:
            there += style("warning", f"  [overridden by {short(hit.overridden_by)}]")
        yield f"{style('strong', cut(record.title or _name(record)))}{marks_of(hit.mark)}{there}"
        where = place(record, root) if places is None else places[number]
        place_of = f"source {hit.source}" if hit.source else None
        place_of = f"{place_of} ({hit.level})" if place_of and hit.level not in (hit.source, "project") else place_of
        meant = "by its meaning" if hit.meant else None
        facts = (place_of, day_of(record), record.kind, record.author, _more(hit), meant)
        id = f"{style('id', short(record.id))}  " if record.kind not in ("prose", "rule") else ""  # whose id is a place
        yield f"  {id}{where}  {style('dim', ' · '.join(filter(None, facts)))}"
        text = hit.snippet.replace(MARKS[0], "").replace(MARKS[1], "")
        if text not in ("", record.title) and without_bold(text) != without_bold(record.title or ""):
            yield f"  {_highlight(hit.snippet)}"
        if explain:
            yield f"  {style('dim', _why(hit))}"
    if hits.as_of:
        yield style("dim", f"As of {hits.as_of.date}, commit {hits.as_of.commit[:12]}.")
    if not hits.hits:
        yield none_of(root, "No memories match.") if root else "No memories match."
    words = [each for each in hits.did_you_mean if not each.endswith(":")]  # filters are told beside the answer
    if words:
        yield style("warning", f"Did you mean {' or '.join(words)}?")
    if not hits.hits:
        return
    summary = f"{count(len(hits.hits), 'record')} of {hits.total:,} in {hits.took_ms:.0f} ms"
    if hits.mode != WORDS:
        summary += ", by words and meaning"
    yield style("dim", "; ".join((summary, *hits.when)))
    if hits.left_out:
        yield style("dim", f"Ignored, too common here: {', '.join(hits.left_out)}.")


def _name(record: Record) -> str:
    return "(no title)" if record.kind != "prose" else f"{record.path}, text"


def _more(hit: Hit) -> str | None:
    return f"and {count(len(hit.near_duplicates), 'copy')}" if hit.near_duplicates else None


def _highlight(snippet: str) -> str:
    parts = snippet.split(MARKS[0])
    shown = [parts[0]]
    for part in parts[1:]:
        word, _, rest = part.partition(MARKS[1])
        shown += [style("warning", word), rest]
    return "".join(shown)


def _why(hit: Hit) -> str:
    added = [f"{name} {value:.2f}" for name, value in hit.why.items() if not name.startswith("times ")]
    times = [
        f"× {value:.2f} {name.removeprefix('times ')}" for name, value in hit.why.items() if name.startswith("times ")
    ]
    total = " + ".join(added)
    return f"{hit.score:.2f} = " + " ".join((f"({total})" if times and len(added) > 1 else total, *times))
