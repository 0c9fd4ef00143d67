"""A plain search, or a look at the index, answered before anything slow is imported; the rest is the command line's.

People and assistants search far more often than they do anything else, and most of the time of a search would be the
start of a parser for options that it does not have. A test compares the answers of both ways.
"""

import gc
import os
import sqlite3
import sys
import time
from collections.abc import Iterable, Sequence
from datetime import datetime

from memdown import homes
from memdown.errors import MemdownError
from memdown.index import query, search, standing, sync
from memdown.index.sqlite import NAME, Index, Unusable
from memdown.lazy import LazyModule
from memdown.surfaces.show import hits, render, screen

TYPE_CHECKING = False  # as typing's, which a cold start need not pay for
if TYPE_CHECKING:
    from memdown.index import elsewhere, wide
    from memdown.surfaces.show import counts
else:
    elsewhere, wide = LazyModule("memdown.index.elsewhere"), LazyModule("memdown.index.wide")
    counts = LazyModule("memdown.surfaces.show.counts")


def search_at_once(args: Sequence[str]) -> bool:
    """Answer `memdown search`, when its options are few, the index is there and nothing goes wrong; else say so."""
    plain = _plain(args)
    if plain is None or not plain[0]:
        return False
    words, given, limit, as_json = plain
    root = _root(given)
    if root is None:
        return False
    notes: list[str] = []
    try:
        index, _ = sync.refresh(root, tell=notes.append)
        try:
            now = datetime.now().astimezone()
            with index.reading() as db:
                wanted = query.parse(" ".join(words), now, limit=limit)
                found = standing.with_standings(db, root, search.search(db, wanted, now))
        finally:
            index.close()
        if len(wanted.values("kind")) > bool(found.hits):
            return False  # one of them may be none, and the command line says which there are
        if any(term.text.endswith(":") for term in wanted.words):
            return False  # it may be a filter without a value, of which the command line says so
        if homes.reads_elsewhere(root):
            found = wide.search_wide(root, now, wanted, found, elsewhere.listed(root), tell=notes.append)
    except (MemdownError, sqlite3.Error):
        return False  # the command line says what is wrong
    as_lines = hits.lines(found, explain=False, root=root)
    _print([render.dumps(hits.as_json(found, explain=False))] if as_json else as_lines, notes)
    return True


def index_at_once(args: Sequence[str]) -> bool:
    """Answer `memdown index`, as above, when no file changed."""
    plain = _plain(args)
    if plain is None or plain[0] or plain[2] is not None:
        return False
    root = _root(plain[1])
    if root is None:
        return False
    started = time.perf_counter()
    try:
        index = Index.open(os.path.join(root, ".memdown", NAME))
        if index is None:
            return False
        try:
            found = sync.unchanged(root, index)[0]
        finally:
            index.close()
    except (Unusable, sqlite3.Error):
        return False  # the command line mends it
    if found is None:
        return False
    found["seconds"] = round(time.perf_counter() - started, 4)
    _print([render.dumps(found) if plain[3] else counts.line(found)], ())
    return True


def _root(given: str | None) -> str | None:
    """The project that is meant, if it has an index; None where the command line has to look closer."""
    if any(f"MEMDOWN_{name}" in os.environ for name in ("NOW", "PROJECT", "MODE")):
        return None
    try:
        root = homes.find_root(os.getcwd(), homes.holds_memory) if given is None else os.path.realpath(given)
    except FileNotFoundError:
        return None  # the folder is gone, which the command line says
    if not os.path.isfile(os.path.join(root, ".memdown", NAME)):
        return None  # the first time is the command line's, which shows how far it is
    gc.disable()  # what lives so short leaves nothing to collect
    return root


def _plain(args: Sequence[str]) -> tuple[list[str], str | None, int | None, bool] | None:
    """Words, root, limit and whether JSON is wanted; None for whatever has more to it."""
    words: list[str] = []
    values: dict[str, str] = {}
    flags = set()
    rest = iter(args)
    for arg in rest:
        if arg in ("-n", "--limit", "--root"):
            values["--limit" if arg == "-n" else arg] = next(rest, "")
        elif arg == "--json":
            flags.add(arg)
        elif arg.startswith("-"):
            return None
        else:
            words.append(arg)
    limit = values.get("--limit", "10")
    if not limit.isascii() or not limit.isdigit() or limit == "0" or values.get("--root") == "":
        return None
    return words, values.get("--root"), int(limit) if "--limit" in values else None, bool(flags)


def _print(lines: Iterable[str], notes: Sequence[str]) -> None:
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="surrogateescape")  # type: ignore[union-attr]
    try:
        screen.show(lines)
        for sentence in dict.fromkeys(notes):
            screen.warn(f"{sentence}.")
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stdout = None  # whoever reads has seen enough; what is left must not raise again at exit
