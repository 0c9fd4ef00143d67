"""click, msgspec and pathlib without modules that they load and a command hardly ever needs.

These are a fifth of a small command. Each is loaded all the same as soon as anything else is taken from it, and who
imported it before keeps what they have.
"""

import gc
import os
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, cast

from memdown.lazy import LazyModule

if TYPE_CHECKING:
    import inspect
    import platform
else:
    inspect, platform = LazyModule("inspect"), LazyModule("platform")


class _StandIn(LazyModule):
    """What others get when they import a module."""

    __spec__ = None  # which every import asks for

    def __init__(self, name: str, *functions: str) -> None:
        """The functions are those that are named at an import, and called later if at all."""
        super().__init__(name)
        for each in functions:
            setattr(self, each, self._later(each))

    def __getattr__(self, name: str) -> object:
        if name == "__path__":  # which an import of a name asks for
            raise AttributeError(name)
        self.step_aside()
        return super().__getattr__(name)

    def _later(self, name: str) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            self.step_aside()
            __import__(self._module)
            function: Callable[..., object] = getattr(sys.modules[self._module], name)
            return function(*args, **kwargs)

        return call

    def step_aside(self) -> None:
        """From now on whoever imports the module gets the real one."""
        if sys.modules.get(self._module) is cast("ModuleType", self):
            del sys.modules[self._module]


class _Inspect(_StandIn):
    def cleandoc(self, doc: str) -> str:
        """Called by click for the help of each option."""
        is_clean = doc.isprintable() and not doc.startswith(" ")  # one line, no tab
        return doc if is_clean else inspect.cleandoc(doc)


class _Platform(_StandIn):
    def system(self) -> str:
        """Called by uuid."""
        return os.uname().sysname if os.name == "posix" else platform.system()


def _stand_ins() -> Iterator[_StandIn]:
    yield _Inspect("inspect")
    yield _Platform("platform")
    yield _StandIn("textwrap")
    yield _StandIn("urllib.parse", "quote_from_bytes")  # by pathlib before Python 3.13, for addresses of files
    yield _StandIn("msgspec._json_schema", "schema", "schema_components")
    yield from (_StandIn(f"msgspec.{name}") for name in ("inspect", "msgpack", "toml", "yaml"))


def load(*names: str) -> None:
    """Import these."""
    if all(name in sys.modules for name in names):
        return
    stand_ins = [each for each in _stand_ins() if each._module not in sys.modules]
    sys.modules.update({each._module: cast("ModuleType", each) for each in stand_ins})
    try:
        for name in names:
            __import__(name)
    finally:
        for each in stand_ins:
            each.step_aside()
    gc.freeze()  # modules stay, and need not be looked through for cycles
