"""What dialects say of archives: every entry of a file that may go to one, what is due with it, and where it goes."""

from datetime import date

from msgspec import Struct

from memdown.text import Edit, Span

UNDATED = "no date"
"""Why an entry stays that does not say when it was."""


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
    """The archive it goes to; empty when it stays."""
    reason: str = ""
    action: str = ""
    """What the layered store calls what is done to it: archived, removed or flagged."""
    day: date | None = None
    time: str = ""
    heading: str = ""
    """What it stands below, where its archive has that too."""
    edits: tuple[Edit, ...] = ()
    """What else changes in the file."""
    there: bool = False
    """Whether its archive has it already."""
    id: str = ""


def lines_of(text: str) -> list[str]:
    """Lines that say something, whatever their ends and the blanks around them."""
    rows = text.replace("\r", "\n").split("\n")
    return [bare for row in rows if (bare := row.strip().strip("\ufeff").strip())]
