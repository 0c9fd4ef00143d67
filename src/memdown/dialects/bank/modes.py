"""The modes of a memory bank: which words of a request ask for one, and what it may write."""

from collections.abc import Callable

from msgspec import Struct

from memdown.dialects.bank import grammar
from memdown.dialects.bank.templates import LAYERS
from memdown.errors import Invalid, Refused, quote
from memdown.homes import bank_of
from memdown.patterns import lazy


class Mode(Struct, frozen=True):
    """One way of working."""

    name: str
    triggers: tuple[str, ...]
    """Words of a request that ask for it."""
    reads: str
    does: str
    writes: tuple[str, ...] | None = None
    """The files it may change; None for all of them, files beside the seven included."""

    @property
    def may_write(self) -> tuple[str, ...]:
        """Those of the seven files that it may change, in the order of reading."""
        return tuple(layer.file for layer in LAYERS if self.allows(layer.file))

    def allows(self, file: str) -> bool:
        """Whether it may change a file of the bank, by its path or its name in the bank, whichever it has."""
        if self.writes is None:
            return True
        inside = file if bank_of(file) else f"{grammar.HOMES[0]}/{file}"
        layer = grammar.layer_of(inside)
        return layer is not None and layer.file in self.writes


MODES = (
    Mode(
        "architect",
        ("design", "structure", "architect"),
        "systemPatterns.md and productContext.md above all",
        "creates and updates the description of the architecture",
        ("systemPatterns.md", "productContext.md", "decisionLog.md"),
    ),
    Mode(
        "code",
        ("implement", "code", "build"),
        "all files",
        "writes code, and keeps progress.md and activeContext.md up to date",
    ),
    Mode(
        "ask",
        ("explain", "document", "clarify"),
        "all files",
        "explains, and changes nothing",
        (),
    ),
    Mode(
        "debug",
        ("debug", "troubleshoot", "fix"),
        "all files, and the output of what it runs",
        "finds and fixes bugs, and records its findings in activeContext.md",
        ("activeContext.md",),
    ),
    Mode(
        "default",
        (),
        "all files",
        "does general work",
    ),
)
DEFAULT = MODES[-1]

_PRECEDENCE = ("debug", "architect", "ask", "code")
_WORD = lazy(r"[^\W_]+")


def named(name: str) -> Mode:
    """The mode a person names."""
    for mode in MODES:
        if mode.name == name.strip().lower():
            return mode
    known = ", ".join(mode.name for mode in MODES)
    raise Invalid(f"there is no mode {quote(name)}; the modes are {known}")


def for_request(request: str) -> Mode:
    """The mode that the words of a request ask for: whole words, in any case; the more careful mode wins."""
    words = {word.lower() for word in _WORD.findall(request)}
    found = (named(name) for name in _PRECEDENCE)
    return next((mode for mode in found if words.intersection(mode.triggers)), DEFAULT)


def guard(name: str, canonical_path: Callable[[str], str]) -> Callable[[str], None] | None:
    """What refuses the files that a mode does not write; None for a mode that writes everything.

    Files beside those a mode may write are refused whatever they are: other files of the bank, other memory, exports.
    """
    mode = named(name)
    writes = mode.writes
    if writes is None:
        return None

    def check(file: str) -> None:
        layer = grammar.layer_of(canonical_path(file))
        if layer is None or layer.file not in writes:
            raise Refused(refusal(mode, file))

    return check


def refusal(mode: Mode, file: str) -> str:
    """Why a file is not written."""
    return f"The mode {mode.name} does not write {file}; it writes {', '.join(mode.may_write) or 'nothing'}."
