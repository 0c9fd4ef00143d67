"""How long, how old and how many: every limit that a project may set, with what holds where it sets nothing.

`settings.config` reads them from `memdown.toml`; a document carries them to the rules that look at it.
"""

from typing import Literal

from msgspec import Struct

from memdown.limits import AGING_DAYS


class JournalSettings(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """`[journal]`: what counts as written well, and how long a file may be."""

    profile: Literal["auto", "1.0", "1.1", "lenient"] = "auto"
    """1.0 is the format to the letter, 1.1 allows `Deleted`, lenient tells only what nobody can read.

    With auto, each file shows which it keeps to.
    """
    max_lines: int = 500
    """Lines of a history, a registry or an error log before what is old is archived."""
    max_size: int = 51_200
    """Bytes of one, too."""
    keep_edits: int = 20
    """The newest entries that stay in a history, however old."""
    keep_errors: int = 5
    """And in an error log."""


class LayerSettings(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """`[layers]`: the layered store, how fast memory ages, and how much of a history stays."""

    folder: str | None = None
    """Where the store is, relative to the root."""
    fresh_days: int = 30
    """A memory is fresh up to this age."""
    aging_days: int = AGING_DAYS
    """Aging up to this one, and stale after it."""
    legacy_stamps: bool = False
    """Whether `**Last Updated**: YYYY-MM-DD` in the first ten lines counts as a stamp."""
    max_lines: int = 500
    """Lines of any memory before a warning."""
    max_overview_lines: int = 200
    """Lines of a project_overview before a warning."""
    max_review_lines: int = 300
    """Lines of a review_history before a warning."""
    keep_reviews: int = 10
    """Reviews that stay in a review_history."""
    keep_sessions: int = 15
    """Sessions that stay in a test_results_history."""
    keep_commands: int = 50
    """Entries that stay in a command_history."""
    resolved_days: int = 30
    """Days after which a resolved issue leaves known_issues."""
    verify_days: int = 90
    """Days without a status update after which an open issue is tagged."""
    resolved_words: tuple[str, ...] = ("resolved", "fixed")
    """How the status of a resolved issue begins."""

    def staleness(self, days: int | None) -> str:
        """What a memory of this age is: fresh, aging or stale; one without an age is stale."""
        if days is None or days > self.aging_days:
            return "stale"
        return "fresh" if days <= self.fresh_days else "aging"

    def keep(self, file_type: str) -> int:
        """Entries that stay in a history of this type."""
        known = {"review_history": self.keep_reviews, "test_results_history": self.keep_sessions}
        return known.get(file_type, self.keep_commands)

    def lines(self, file_type: str) -> int | None:
        """Lines that a memory of this type should have at most, beside the limit for any memory."""
        known = {"project_overview": self.max_overview_lines, "review_history": self.max_review_lines}
        return known.get(file_type)


class SemSettings(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """`[sem]`: when a log or a history is too long, and what of it is old then."""

    archive_size: int = 20_480
    """Bytes from which old entries of a decision log are archived."""
    archive_days: int = 30
    """Older than this many days is old then."""
    archive_large_size: int = 51_200
    """Bytes from which a decision log is large."""
    archive_large_days: int = 7
    """Older than this many days is old then."""
    history_size: int = 15_360
    """Bytes from which old entries of a history are archived."""
    history_days: int = 14
    """Older than this many days is old then."""
    archive_keep: int = 20
    """The newest entries that stay in a log or a history, however old."""


class TimeSettings(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """`[times]`: what the letters of a time zone stand for where several places use them."""

    zones: dict[str, str] = {}
    """Letters and their offset from UTC, as `{ IST = "+05:30" }`."""


class Limits(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """The limits of a project."""

    journal: JournalSettings = JournalSettings()
    layers: LayerSettings = LayerSettings()
    sem: SemSettings = SemSettings()
    times: TimeSettings = TimeSettings()


DEFAULTS = Limits()

NOTABLE = 60
"""Letters that a passage may lose and count as corrected; with more, something in it is gone."""
