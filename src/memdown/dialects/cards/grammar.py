"""What a card is made of: keys, limits, patterns, and the text its hash is taken from."""

import re

from memdown import homes, times
from memdown.markdown import cardfile
from memdown.patterns import lazy

HOMES = homes.HOMES["cards"]

KEYWORDED = True
"""Whether every record has words to find it by."""
ALL_IN_FIELDS = True
"""Every word of a card is in some field of its record, so that nobody need look for others."""
ASKS_REPOSITORY = True
"""Rules compare cards with the repository around them."""
COMPARES_COPIES = True
"""Rules that compare cards are about those with the id or the content of another."""

THOUGHTS = "thinking-memory"
"""The folder of the second kind of card, which has no keywords."""

KEYS = ("id", "subject", "keywords", "applies_to", "occurred_at", "content_hash")
"""The front matter, in the order it is written."""

UUID = lazy(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.ASCII)
UUID4 = lazy(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.ASCII)
HASH = lazy(r"[0-9a-f]{16}", re.ASCII)


def moment(text: str) -> times.Moment | None:
    """The moment an ISO 8601 date and time names; a date alone is none."""
    return times.read(text) if cardfile.TIME.fullmatch(text.strip()) else None


def hashes_of(body: str) -> tuple[str, ...]:
    """The hashes a body may honestly carry, the canonical one first; other tools hash the body as it lies."""
    return tuple(cardfile.content_hash(text) for text in (cardfile.canonical(body), body, body.removesuffix("\n")))
