"""What a dialect says to the archiver: which entries of a file are due, where they go, how archives are read."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from typing import Protocol

from msgspec import Struct, structs

from memdown.record import Document
from memdown.text import Edit, Span

UNDATED = "no date"
"""Why an entry stays that does not say when it was."""

NEWEST = "among the newest"
"""How the reason of an entry begins that stays because so many of the newest always do."""

LIST_DAYS, LIST_KEEPS = 7, 5
"""When a list has grown too long: the days that stay, and for each entry that stays in a file of a bank so many."""

SORTS = "completed", "done", "dated", "decision", "detail"
"""What sort of entry goes, in the order in which a reader misses it least."""

Contents = list[tuple[int, object]]
"""Where each entry of a text begins, and what it says."""


class Due(Struct, frozen=True):
    """An entry of a file, and what is due with it: it goes to its target, or stays for a reason, or just stays."""

    start: int
    """Where its own text begins."""
    cut: Span
    """What leaves the file with it: its lines, and what parts it from the next."""
    text: str
    """What its archive takes."""
    title: str
    target: str = ""
    reason: str = ""
    action: str = ""
    """What the layered store calls what is done: archived, removed or flagged; else what sort of entry it is."""
    day: date | None = None
    time: str = ""
    heading: str = ""
    """What it stands below, where its archive has that too."""
    edits: tuple[Edit, ...] = ()
    """What else changes in the file."""
    there: bool = False
    """Whether its archive has it already."""
    id: str = ""


def without_newest(dues: Sequence[Due], newest: Sequence[int], keep: int) -> list[Due]:
    """What is due, but for the newest entries: of these, by where they begin from new to old, so many always stay."""
    stay = frozenset(newest[:keep])
    return [
        structs.replace(each, target="", edits=(), reason=f"{NEWEST} {keep}")
        if each.target and each.start in stay
        else each
        for each in dues
    ]


class Archivist(Struct, frozen=True):
    """What a dialect knows of its files and of the archives that take their entries."""

    due: Callable[[Document], list[Due]]
    """Every entry of a file that is long enough, with what is due with it."""
    contents: Callable[[str, str], Contents]
    """What the proof compares, by path and text."""
    begun: Callable[[str, str | None, str], str]
    """An archive before entries come to it: by its name, its text, and the line ending of a new one."""
    grown: Callable[[str, str, Sequence[Due]], str]
    """An archive with entries in it."""
    reason: str
    """Why entries stay without which the rest, or with which the archive, would be read differently."""
    trimmed: Callable[[Document, str, Sequence[Due]], str] = lambda _, text, __: text
    """The file after entries left it."""
    refusal: str = ""
    """What is said when an archive would hide what comes to it; without it the entries stay."""
    widens: bool = False
    """Whether an archive may show more than came to it, as the headings that entries stood below."""
    singly: bool = False
    """Whether of entries that cannot go together some may; else none does."""
    repeats: bool = False
    """Whether more may be due once some of it is gone."""
    sections: Callable[[str], Collection[str]] | None = None
    """What an archive has, each piece as it was taken in; None where no entry can be there already."""
    emptied: Callable[[Document, Sequence[Due]], Sequence[Due]] = lambda _, going: going
    """The same entries, with the headings that would have nothing below them any more."""


Archivable = tuple[Document, Archivist]
"""A file, and what is known of it."""


class GrownFile(Struct, frozen=True):
    """A file that is read whole, and what it could do without."""

    doc: Document
    archivist: Archivist
    by_month: bool = False
    """Whether the months of its entries, and not their archives, part what a person takes or leaves."""
    said_once: str | None = None
    """Its text without what another file says too; None where there is no such thing."""


class Holder(Protocol):
    """What a dialect asks of a project, to find the files that it archives."""

    def names(self) -> Sequence[str]: ...
    def bank_files(self) -> Mapping[str, str]: ...
    def home(self, dialect: str) -> str: ...
    def inside_home(self, dialect: str) -> Sequence[str]: ...
    def parsed(self, name: str) -> Document: ...
