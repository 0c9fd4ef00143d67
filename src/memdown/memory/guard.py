"""Modes, held at the one door that every write goes through. Loaded only when a mode is set."""

from collections.abc import Callable

from memdown.dialects.bank import grammar, modes
from memdown.dialects.bank.modes import Mode
from memdown.errors import Refused
from memdown.settings.config import Config


def guard(name: str, config: Config) -> Callable[[str], None] | None:
    """What refuses the files that a mode does not write; None for a mode that writes everything.

    Files beside those a mode may write are refused whatever they are: other files of the bank, other memory, exports.
    """
    mode = modes.named(name)
    writes = mode.writes
    if writes is None:
        return None

    def check(file: str) -> None:
        layer = grammar.layer_of(config.known_as(file))
        if layer is None or layer.file not in writes:
            raise Refused(refusal(mode, file))

    return check


def refusal(mode: Mode, file: str) -> str:
    """Why a file is not written."""
    return f"The mode {mode.name} does not write {file}; it writes {', '.join(mode.may_write) or 'nothing'}."
