"""Remembering in a layered store: what has a kind and no address of its own."""

import re

from memdown import git
from memdown.acts.add import Added
from memdown.dialects import read_as
from memdown.dialects.draft import DraftFields, checked_line
from memdown.dialects.layers import write
from memdown.dialects.layers.grammar import LONGEST_NAME, Address, name_fault
from memdown.dialects.layers.remembered import FILES, LAYER, entry_text
from memdown.errors import Invalid, Refused
from memdown.markdown.blocks import hiding
from memdown.memory.layers.shelf import Shelf
from memdown.record import Record
from memdown.text import apply, with_eol

_WRITTEN = ("text", "why", "at")


def remember(shelf: Shelf, kind: str, title: str, given: DraftFields) -> Added:
    """Write it below the others of its kind, unless it is there already."""
    address, entry = _address(shelf, kind), _entry(shelf, title, given)
    name = shelf.name(address)
    with shelf.files.lock():
        before = shelf.text(address)
        if before is not None and f"\n{entry}\n" in with_eol(before, "\n") + "\n":
            return Added(_find(name, before, entry), created=False)
        if before is None:
            after = write.fresh(f"# {FILES[kind].title}\n\n{entry}", shelf.today())
        else:
            write.refuse_damaged(name, before)
            after = apply(before, [*write.restamped(before, shelf.today()), *write.appended(before, entry)])
        record = _find(name, after, entry)
        shelf.files.save(name, after, over=before)
    left = [field for field, value in given.items() if value and field not in _WRITTEN]
    lost = f"A {record.kind} in {name} has no field for {', '.join(left)}; that was not written."
    return Added(record, True, [lost] if left else [], [name], is_new_file=before is None)


def _address(shelf: Shelf, kind: str) -> Address:
    """Where a kind is remembered: below this project's name, else below the only one that the store knows."""
    known = {each.owner for each in shelf.addresses() if each.layer in (LAYER, "shared-project")}
    own = _own_name(shelf)
    owner = own if own in known or len(known) != 1 else known.pop()
    return Address(LAYER, owner, FILES[kind].file_type)


def _own_name(shelf: Shelf) -> str:
    """What a project is called: as the repository that git calls origin, else as its folder."""
    url = (git.setting(shelf.root.root, "remote.origin.url") or "").strip().rstrip("/").removesuffix(".git")
    for name in (re.split(r"[/:\\]", url)[-1], shelf.root.root.name):
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")[:LONGEST_NAME]
        if plain and not name_fault(plain):
            return plain
    return "project"


def _entry(shelf: Shelf, title: str, given: DraftFields) -> str:
    line = checked_line(" ".join(title.split()), "title")
    if not line:
        raise Invalid("The title is empty.")
    day = (given.get("at") or shelf.today().isoformat())[:10]
    return entry_text(line, day, write.checked(given.get("text") or ""), given.get("why") or "")


def _find(name: str, text: str, entry: str) -> Record:
    """The last record with the heading of an entry."""
    title = entry.partition("\n")[0].removeprefix("## ")
    found = (each for each in read_as("layers", name, text)[::-1] if each.title == title and each.kind != "memory")
    record = next(found, None)
    if record is None:
        why = hiding(text)
        how = f"hide what is written with {why}; close it first" if why else "not show what is written as it was given"
        raise Refused(f"{name} would {how}.")
    return record
