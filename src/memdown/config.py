"""What a project may set: `memdown.toml`, or `[tool.memdown]` in `pyproject.toml`. The first that exists counts.

A key that memdown does not know is an error, so that a slip of the pen is not a silent default. Every key is
described in docs/configuration.md; a test compares the two.
"""

import os
import tomllib
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from memdown import times
from memdown.dialects import DIALECTS
from memdown.errors import BadConfig, Invalid, quote


class CheckSettings(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """`[check]`: which rules `memdown check` applies."""

    select: tuple[str, ...] = ()
    """Codes, or beginnings of codes, to apply; empty means all."""
    ignore: tuple[str, ...] = ()
    """Codes, or beginnings of codes, to leave out."""
    strict: bool = False
    """Whether warnings fail the check too."""


class CardSettings(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """`[cards]`: the folder of cards."""

    folder: str | None = None
    """Where cards are, relative to the root."""


class Config(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """All settings of a project."""

    lock_timeout: float = 10.0
    """Seconds to wait for another process that is writing."""
    check: CheckSettings = CheckSettings()
    cards: CardSettings = CardSettings()

    def homes(self, dialect: str) -> tuple[str, ...]:
        """Folders that may hold a dialect, the one for new files first."""
        known = tuple(DIALECTS[dialect].HOMES)
        chosen = self.cards.folder if dialect == "cards" else None
        return (chosen, *known) if chosen else known

    def hidden(self) -> frozenset[str]:
        """Names with a leading dot that folders of memory have; all others are refused."""
        homes = (home for dialect in DIALECTS for home in self.homes(dialect))
        return frozenset(part for home in homes for part in home.split("/") if part.startswith("."))

    def known_as(self, name: str) -> str:
        """The path a dialect expects for a file in a folder that the configuration names."""
        for dialect in DIALECTS:
            chosen, default = self.homes(dialect)[0], DIALECTS[dialect].HOMES[0]
            if chosen != default and name.startswith(f"{chosen}/"):
                return default + name.removeprefix(chosen)
        return name


def load(root: Path) -> Config:
    """The settings of a project; the defaults when it sets nothing."""
    own = root / "memdown.toml"
    if own.is_file():
        return _convert(own, _table(own))
    shared = root / "pyproject.toml"
    if shared.is_file() and b"[tool.memdown" in shared.read_bytes():
        return _convert(shared, _table(shared).get("tool", {}).get("memdown", {}))
    return Config()


def holds_memory(folder: Path) -> bool:
    """Whether a folder is the root of a project that memdown knows."""
    if (folder / "memdown.toml").is_file():
        return True
    shared = folder / "pyproject.toml"
    if shared.is_file() and b"[tool.memdown" in shared.read_bytes():
        return True
    return any((folder / home).is_dir() for dialect in DIALECTS.values() for home in dialect.HOMES)


def _table(path: Path) -> dict[str, dict[str, dict[str, object]]]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadConfig(f"{path} cannot be read: {error}.") from None


def _convert(path: Path, table: object) -> Config:
    try:
        return msgspec.convert(table, Config)
    except msgspec.ValidationError as error:
        raise BadConfig(f"{path}: {error}; docs/configuration.md lists the keys.") from None


def now() -> datetime:
    """The clock; `MEMDOWN_NOW` (a date or a time as in RFC 3339) sets it, for tests and reproducible runs."""
    wanted = os.environ.get("MEMDOWN_NOW")
    if not wanted:
        return datetime.now(UTC)
    moment = times.read(wanted)
    if moment is None:
        raise Invalid(f"MEMDOWN_NOW is {quote(wanted)}: set it to a date or an RFC 3339 time.")
    return moment.instant()
