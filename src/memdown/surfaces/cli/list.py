"""The command list: memories that match filters, a line each."""

from collections.abc import Iterator
from itertools import chain, islice

import click

from memdown.index.found import Listing
from memdown.index.none import none_of
from memdown.surfaces.cli.common import Invocation, examples, standard
from memdown.surfaces.cli.filters import Filters, as_of, note_undated, with_filters
from memdown.surfaces.show import render
from memdown.surfaces.show.records import marks_of, row, widths

_ALIGNED = 200
"""Rows whose ids and kinds say how wide the columns of all are; the rest comes as it is read."""


@click.command(
    "list",
    epilog=examples(
        "memdown list",
        "memdown list connection pool",
        "memdown list --type decision --author Keaton --after 2026-02-01 --tag v0.3.0",
        "memdown list --since 7d --no-superseded --json",
    ),
)
@with_filters
@as_of
@standard
def list_command(session: Invocation, filters: Filters, as_of: str | None) -> None:
    """List memories, newest first; with words, only those that contain all of them.

    A date means the whole day. Superseded and expired memories are marked.
    """
    if session.json:
        found = filters.found(session, as_of)
        session.answer([render.mark(mark) for mark in found.marks], lambda: ())
        return
    with session.memory.as_of(as_of) as questions:
        listing = questions.listing(filters.query(session, questions))
        note_undated(session, listing.undated)
        session.answer(None, lambda: _rows(listing, filters, str(session.memory.root)))


def _rows(listing: Listing, filters: Filters, root: str) -> Iterator[str]:
    marks = iter(listing.marks)
    first = list(islice(marks, _ALIGNED))
    wide = widths(mark.record for mark in first)
    yield from (row(mark.record, root, wide=wide) + marks_of(mark) for mark in chain(first, marks))
    if listing.rowids:
        return
    narrow = filters.words or filters.narrow
    yield none_of(root, "No memories match." if narrow else 'No memories yet; add one with `memdown add "..."`.')
