"""click without `inspect`: a ninth of a small command was spent on loading what help texts of one line do not need.

It is loaded all the same as soon as click takes anything else from it. Who imported it before keeps what they have.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, cast

from memdown.lazy import LazyModule

if TYPE_CHECKING:
    import inspect as real
else:
    real = LazyModule("inspect")

_NAME = "inspect"


class _Inspect(LazyModule):
    """What click gets when it imports `inspect`."""

    __spec__ = None  # which every import asks for

    def cleandoc(self, doc: str) -> str:
        """Called for the help of each option."""
        is_clean = doc.isprintable() and not doc.startswith(" ")  # one line, no tab
        return doc if is_clean else real.cleandoc(doc)

    def __getattr__(self, name: str) -> object:
        self.step_aside()
        return super().__getattr__(name)

    def step_aside(self) -> None:
        """From now on whoever imports `inspect` gets the real one."""
        if sys.modules.get(_NAME) is cast("ModuleType", self):
            del sys.modules[_NAME]


def load() -> None:
    """Import click."""
    if _NAME in sys.modules:
        return
    stand_in = _Inspect(_NAME)
    sys.modules[_NAME] = cast("ModuleType", stand_in)
    try:
        __import__("click")
    finally:
        stand_in.step_aside()


load()
