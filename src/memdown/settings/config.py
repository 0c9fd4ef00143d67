"""What a project may set: `memdown.toml`, or `[tool.memdown]` in `pyproject.toml`. The first that exists counts.

A key that memdown does not know is an error, so that a slip of the pen is not a silent default. Every key is
described in docs/configuration.md; a test compares the two.
"""

import os
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta, Struct, structs

from memdown import homes, times
from memdown.errors import BadConfig, Invalid, fault_of, quote
from memdown.homes import HOMES, is_bank
from memdown.lazy import LazyModule
from memdown.limits import CONFIGURATION, MEMORY_MEGABYTES
from memdown.limits.settings import Limits
from memdown.settings import defaults

if TYPE_CHECKING:
    import tomllib
else:
    tomllib = LazyModule("tomllib")


class CheckSettings(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """`[check]`: which rules `memdown check` applies."""

    select: tuple[str, ...] = ()
    """Codes, or beginnings of codes, to apply; empty means all."""
    ignore: tuple[str, ...] = ()
    """Codes, or beginnings of codes, to leave out."""
    strict: bool = False
    """Whether warnings fail the check too."""


class BankSettings(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """`[bank]`: the folder of the memory bank, and what the start of a session writes."""

    folder: str | None = None
    """Where the bank is, relative to the root; the last part is a name that banks have, as `memory-bank`."""
    record_start: bool = True
    """Whether `memdown start` records in the active context that a session began."""

    def __post_init__(self) -> None:
        # Files such as progress.md are known by their folder's name, wherever that folder is.
        *above, last = [is_bank(part) for part in (self.folder or HOMES["bank"][0]).split("/")]
        if not last or any(above):
            raise ValueError(f"the folder {quote(self.folder or '')} has to end in a name such as {HOMES['bank'][0]}")


class CardSettings(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """`[cards]`: the folder of cards."""

    folder: str | None = None
    """Where cards are, relative to the root."""


class OkfSettings(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """`[okf]`: the folders of bundles of knowledge."""

    folders: tuple[str, ...] = ()
    """Where bundles are, relative to the root; those right below it that name their version need not be set."""
    parts: tuple[str, ...] = ()
    """Folders of a bundle that is the root itself; those right below it with pages need not be set."""


class ContextSettings(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """`[context]`: what `memdown context` picks."""

    budget: int = 4000
    """Tokens it may cost, by the estimate of docs/tokens.md."""


class HookSettings(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """`[hooks]`: what an assistant's hooks say and keep."""

    session_tokens: int = defaults.SESSION_TOKENS
    """Tokens that the beginning of a session may cost; 0 says nothing."""
    prompt_tokens: int = defaults.PROMPT_TOKENS
    """Tokens that recalling for a prompt may cost; 0 says nothing."""
    capture: bool | None = defaults.CAPTURE
    """Whether messages of the assistant are kept; unless set, only where the project keeps cards."""
    refresh_ms: int = defaults.REFRESH_MS
    """Milliseconds that bringing the index up to date may take; what is left is done the next time."""


class SecretSettings(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """`[secrets]`: what is no credential although it looks like one."""

    allow: tuple[str, ...] = ()
    """Values that may stand in memory."""


class UndoSettings(Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """`[undo]`: how much of what was done can be taken back."""

    steps: Annotated[int, Meta(ge=1)] = defaults.UNDO_STEPS
    """Steps that are kept, the newest ones."""
    megabytes: Annotated[int, Meta(ge=1)] = defaults.UNDO_MEGABYTES
    """Space that they may take."""


class Config(Limits, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """All settings of a project: its limits, and where, what and how."""

    lock_timeout: float = defaults.LOCK_TIMEOUT
    """Seconds to wait for another process that is writing."""
    max_file_megabytes: Annotated[int, Meta(ge=1)] = MEMORY_MEGABYTES
    """The largest file of memory that is read."""
    nested: tuple[str, ...] = ()
    """Folders of memory in packages below the root; those in the usual places need not be set."""
    check: CheckSettings = CheckSettings()
    bank: BankSettings = BankSettings()
    cards: CardSettings = CardSettings()
    context: ContextSettings = ContextSettings()
    hooks: HookSettings = HookSettings()
    okf: OkfSettings = OkfSettings()
    secrets: SecretSettings = SecretSettings()
    undo: UndoSettings = UndoSettings()

    def __post_init__(self) -> None:
        times.offsets(self.times.zones)

    def read_homes(self, dialect: str) -> tuple[str, ...]:
        """Folders that may hold a dialect, those of packages below the root too: these are read, and kept up there."""
        inside = (home for home in self.nested if home.rpartition("/")[2].lower() in HOMES[dialect])
        return (*self.homes(dialect), *(self.okf.parts if dialect == "okf" else ()), *inside)

    def homes(self, dialect: str) -> tuple[str, ...]:
        """Folders that may hold a dialect, the one for new files first."""
        known = HOMES[dialect]
        own = {"bank": self.bank.folder, "cards": self.cards.folder, "layers": self.layers.folder}
        chosen = own.get(dialect)
        folders = self.okf.folders if dialect == "okf" else (chosen,) if chosen else ()
        return (*folders, *known)

    def is_root(self, dialect: str) -> bool:
        """Whether the project itself is the home of a dialect, as a repository that is a bundle of knowledge."""
        return dialect == "okf" and bool(self.okf.parts) and not self.okf.folders

    def hidden(self) -> frozenset[str]:
        """Names with a leading dot that folders of memory have; all others are refused."""
        homes = (home for dialect in HOMES for home in self.read_homes(dialect))
        return frozenset(part for home in homes for part in home.split("/") if part.startswith("."))

    def canonical_path(self, name: str) -> str:
        """The path a dialect expects for a file in a folder that the configuration names."""
        if not (self.bank.folder or self.cards.folder or self.layers.folder or self.okf.folders or self.okf.parts):
            return name  # as nearly every project has it, asked for each of its files
        for dialect, known in HOMES.items():
            default = known[0]
            for chosen in self.homes(dialect)[: -len(known)]:
                if chosen != default and name.startswith(f"{chosen}/"):
                    return default + name.removeprefix(chosen)
        if any(name.startswith(f"{part}/") for part in self.okf.parts):
            return f"{HOMES['okf'][0]}/{name}"
        return name


def load(root: Path) -> Config:
    """The settings of a project; the defaults when it sets nothing."""
    found = homes.settings_of(str(root))
    shared = root / "pyproject.toml"
    if found is None and os.path.lexists(shared) and not shared.is_file():
        raise BadConfig(_no_file(shared))
    settings = Config() if found is None else _loaded(Path(found))
    bundles = [name for name in homes.bundles(str(root)) if name not in HOMES["okf"]]
    own = {home.casefold() for dialect in HOMES for home in settings.homes(dialect)}
    nested = [name for name in homes.nested(str(root)) if name.casefold() not in own]
    if nested:
        settings = structs.replace(settings, nested=tuple(dict.fromkeys((*settings.nested, *nested))))
    parts = [name for name in homes.bundle_parts(str(root)) if name.casefold() not in own and name not in bundles]
    if not bundles and not parts:
        return settings
    folders = tuple(dict.fromkeys((*settings.okf.folders, *bundles)))
    return structs.replace(settings, okf=OkfSettings(folders, tuple(dict.fromkeys((*settings.okf.parts, *parts)))))


def _loaded(path: Path) -> Config:
    table = _table(path)
    return _convert(path, table if path.name == "memdown.toml" else table.get("tool", {}).get("memdown", {}))


def load_leniently(root: Path) -> Config:
    """The same; the defaults also when the settings cannot be read."""
    try:
        return load(root)
    except (BadConfig, OSError):
        return Config()


def parse(text: str) -> Config:
    """The settings that the text of a `memdown.toml` makes."""
    try:
        return _convert(Path("memdown.toml"), tomllib.loads(text))
    except (UnicodeEncodeError, RecursionError, ValueError) as error:
        raise BadConfig(f"memdown.toml cannot be read: {fault_of(error)}.") from None


def holds_memory(folder: Path) -> bool:
    """Whether a folder is the root of a project that memdown knows."""
    return homes.holds_memory(str(folder))


def _no_file(path: Path) -> str:
    kind = "a folder" if path.is_dir() else "not an ordinary file" if path.exists() else "a broken link"
    return f"{path} is {kind}; make it a file of settings, or remove it."


def _table(path: Path) -> dict[str, dict[str, dict[str, object]]]:
    if not path.is_file():  # a pipe would keep whoever opens it waiting
        raise BadConfig(_no_file(path))
    try:
        if path.stat().st_size > CONFIGURATION:
            raise BadConfig(f"{path} has more than a megabyte, which no file of settings has; make it smaller.")
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # a number of thousands of digits is no TOMLDecodeError
        raise BadConfig(f"{path} cannot be read: {fault_of(error)}.") from None


def _convert(path: Path, table: object) -> Config:
    try:
        return msgspec.convert(table, Config)
    except msgspec.ValidationError as error:
        raise BadConfig(f"{path}: {error}; docs/configuration.md lists the keys.") from None


def mode() -> str | None:
    """The mode that the environment sets with `MEMDOWN_MODE`."""
    return os.environ.get("MEMDOWN_MODE") or None


def now() -> datetime:
    """The clock, with the offset of this place; `MEMDOWN_NOW` (a date or a time as in RFC 3339) sets it."""
    wanted = os.environ.get("MEMDOWN_NOW")
    if not wanted:
        return datetime.now().astimezone()
    moment = times.read(wanted)
    if moment is None:
        raise Invalid(f"MEMDOWN_NOW is {quote(wanted)}: set it to a date or an RFC 3339 time.")
    return moment.instant().astimezone(timezone(timedelta(minutes=moment.offset or 0)))


def project() -> str | None:
    """The project that `MEMDOWN_PROJECT` names, if it names one."""
    return os.environ.get("MEMDOWN_PROJECT") or None
