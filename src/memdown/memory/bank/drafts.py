"""The draft of an update: what git shows since the memory was last touched, as changes of the files of a bank.

Only what a commit says plainly is changed; what it may mean is a note for whoever takes the draft.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from memdown.dialects.bank import catch_up, write
from memdown.dialects.bank.items import made, undated
from memdown.dialects.bank.rules.repository import other_versions
from memdown.dialects.bank.templates import LAYERS
from memdown.errors import Invalid, Refused, quote, way
from memdown.git import Commit
from memdown.patterns import lazy
from memdown.record import Document
from memdown.scan.changes import Since
from memdown.store.files import FileEdit
from memdown.store.patch import patch
from memdown.text import Edit, apply, shorten

_MOST_CHANGES = 10
"""Commits that a draft adds to the recent changes."""
_MOST_FILES = 20
_SHORT = 60
_TECH = LAYERS[3].file

_WORD = lazy(r"[^\W\d_]\w*")
_TYPE = lazy(r"(?P<type>[A-Za-z]{2,10})(?:\([^()]{1,60}\))?!?:\s+")
_HEAD = lazy(r"\s[—–-]\s|:\s|\s\(|;\s|\.\s")
_CODE_MARKS = lazy(r"[*_`]{1,3}")
_STOP = frozenset(
    "a an and as at by for from in into is it its of on or per that the their this to via with we".split()
)
_DONE = frozenset(
    "add adds added implement implements implemented complete completes completed finish finishes finished done close"
    " closes closed create creates created introduce introduces introduced support supports supported build builds"
    " built ship ships shipped deliver delivers delivered write writes wrote enable enables enabled feat feature final"
    " make makes made set setup up new fully all land lands".split()
)
_OVER = frozenset("complete completes completed finish finishes finished done close closes closed".split())
_NOT_YET = frozenset(
    "wip start starts started begin begins began draft prepare prepares prepared revert reverts reverted todo stub"
    " stubs skeleton scaffold part partial partly half first initial towards toward plan plans spike try tries attempt"
    " attempts explore experiment remove removes removed drop drops dropped disable disables disabled skip skips broken"
    " not no without before typo typos test tests testing doc docs documentation comment comments readme rename renames"
    " renamed format lint refactor refactors cleanup tweak fix fixes fixed bug bugs bugfix hotfix regression progress"
    " continue continues".split()
)
"""Words of commits that belong to a task and do not end it, unless the task itself has them."""
_SIDE_TYPES = frozenset("test tests docs doc chore style refactor ci wip revert fix perf".split())
_MOST_OTHERS = 2
"""Words that a commit may have beside those of the item that it completes."""
_ENOUGH = 2
"""Words of an item that have to be named before a commit is about it."""


class UpdateDraft(Struct, frozen=True):
    """Changes that can be taken, edited or left."""

    edits: list[FileEdit] = []
    notes: list[str] = []
    """What may be so and is not in the changes, a sentence each."""
    undocumented: list[str] = []
    """Files that changed and that no file of the memory names."""
    written: list[str] = []

    @property
    def diff(self) -> str:
        """All of it as one unified diff, as `git apply` takes it."""
        return "".join(patch(edit.name, edit.before, edit.after) for edit in self.edits)


def of_bank(documents: Mapping[str, Document], since: Since, known: bool) -> UpdateDraft:
    """The draft for the seven files, by their canonical names."""
    if not known:
        return UpdateDraft(notes=["git knows nothing about this project, so there is nothing to draft from."])
    notes: list[str] = []
    edits = []
    for file, make in ((write.PROGRESS.file, _progress), (write.ACTIVE.file, _active)):
        if file in documents:
            name, before = documents[file].path, documents[file].text
            try:
                edits.append(FileEdit(name, before, make(name, before, since.commits, notes)))
            except (Invalid, Refused) as error:
                notes.append(str(error))
        elif since.commits:
            notes.append(f"{file} is missing; {way('init')} creates it.")
    if _TECH in documents:
        edits.append(_tech(documents[_TECH], notes))
    missed = _unnamed(documents, since.files)
    if missed:
        more = f" and {len(missed) - _MOST_FILES} more" if len(missed) > _MOST_FILES else ""
        notes.append(f"Changed, and named in no file of the memory: {', '.join(missed[:_MOST_FILES])}{more}.")
    changed = [edit for edit in edits if edit.after != edit.before]
    if not changed and not notes:
        notes.append("Nothing changed since the memory was last touched.")
    return UpdateDraft(changed, notes, missed)


# Progress


def _progress(name: str, text: str, commits: Sequence[Commit], notes: list[str]) -> str:
    doing, planned = catch_up.open_items(text, "In Progress"), catch_up.open_items(text, "Upcoming", "Next Steps")
    unsure: dict[str, str] = {}
    for commit in reversed(commits):  # the oldest first, as things were done
        title = " ".join(commit.title.split())
        clear = [item for item in (*doing, *planned) if completes(title, item)]
        if len(clear) == 1 and doing.count(clear[0]) == 1:
            edit = catch_up.complete(text, clear[0], _time(commit))
            if edit:
                text = made(name, text, edit)
                doing.remove(clear[0])
                unsure.pop(clear[0], None)
                continue
        for item in clear or [item for item in (*doing, *planned) if touches(title, item)]:
            unsure[item] = (
                f"Commit {commit.commit[:10]} ({quote(title)}) may be about {quote(shorten(item, _SHORT))}; not moved."
            )
    notes += unsure.values()
    return text


def completes(title: str, item: str) -> bool:
    """Whether the title of a commit says plainly that an item is done: it has its words, and hardly any others."""
    wanted, head = _words(_named(item)), _TYPE.match(title)
    given = _words(title[head.end() :] if head else title)
    raw = {word.casefold() for word in _WORD.findall(title)}
    whole = _plain(_named(item))
    if len(wanted) < _ENOUGH and not (len(whole) >= 2 * _ENOUGH and not whole.isascii()):
        return False
    if not wanted <= given and (whole.isascii() or whole not in _plain(title)):
        return False
    own = {word.casefold() for word in _WORD.findall(item)}
    if (raw & _NOT_YET) - own or (head and head["type"].lower() in _SIDE_TYPES - own):
        return False
    return bool(raw & _OVER) or not whole.isascii() or len(given - wanted - _stems(_DONE)) <= _MOST_OTHERS


def touches(title: str, item: str) -> bool:
    """Whether a commit may be about an item: it has most of its words."""
    wanted = _words(_named(item))
    shared = wanted & _words(title)
    return len(shared) >= _ENOUGH and 2 * len(shared) >= len(wanted)


def _named(item: str) -> str:
    """What an item is called, without what it says of itself after that."""
    plain = _CODE_MARKS.sub("", undated(item)).strip()
    head = _HEAD.split(plain, maxsplit=1)[0].rstrip()
    return head if len(_words(head)) >= _ENOUGH else plain


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _words(text: str) -> set[str]:
    return _stems(word.casefold() for word in _WORD.findall(text)) - _stems(_STOP)


def _stems(words: Iterator[str] | frozenset[str]) -> set[str]:
    return {_stem(word) for word in words}


def _stem(word: str) -> str:
    """A word without the ending that English gives it: `parses`, `parsing` and `parse` are one."""
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) > _ENOUGH:
            return word.removesuffix(ending)
    return word


# Active context


def _active(name: str, text: str, commits: Sequence[Commit], notes: list[str]) -> str:
    there = _plain(text)
    titles = {" ".join(each.title.split()): _time(each) for each in reversed(commits)}
    told = [title for title in titles if not title.startswith("Merge ") and _plain(title) not in there]
    new = [(titles[title], title) for title in reversed(told)]
    if not new:
        return text
    if len(new) > _MOST_CHANGES:
        notes.append(f"{len(new) - _MOST_CHANGES} older commits are left out of the recent changes.")
    edit = catch_up.recent_changes(text, new[:_MOST_CHANGES])
    if edit is None:
        notes.append(f"{name} has no section of recent changes, so the commits are not in the draft.")
    return made(name, text, edit) if edit else text


def _time(commit: Commit) -> datetime:
    return datetime.fromisoformat(commit.date)


# Tech context, and the files


def _tech(document: Document, notes: list[str]) -> FileEdit:
    edits = []
    for each in other_versions(document):
        stated = each.span.of(document.text)
        if each.is_bound:
            notes.append(f"{document.path} says {each.name} {stated}, and {each.source} has {each.locked}.")
        else:
            # As exact as it is stated: of 18.3.1, a text that says 17 says 18.
            numbers = re.findall(r"\d+", each.locked)[: stated.count(".") + 1]
            edits.append(Edit(each.span, ".".join(numbers)))
    return FileEdit(document.path, document.text, apply(document.text, edits))


def _unnamed(documents: Mapping[str, Document], files: Sequence[str]) -> list[str]:
    """Files that no text names by their path, or by their name."""
    texts = "\n".join(document.text for document in documents.values())
    return [name for name in files if name not in texts and name.rpartition("/")[2] not in texts]
