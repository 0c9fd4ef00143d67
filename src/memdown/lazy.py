"""Modules that are imported when they are first used, and the data files beside modules.

A command should pay for what it does, not for all that memdown can do. Where many rooms meet (the list of dialects,
`Memory`), and where few calls need a slow module of Python, it is named through this; all else is imported as usual.
"""

import os
import sys


class LazyModule:
    """Stands in for a module."""

    def __init__(self, name: str) -> None:
        self._module = name

    def __getattr__(self, name: str) -> object:
        __import__(self._module)  # importlib.import_module, which does this too, brings warnings along
        value = getattr(sys.modules[self._module], name)
        setattr(self, name, value)  # from now on it is found here
        return value


def beside(module: str, name: str) -> str:
    """The text of a data file that stands beside a module, whose `__file__` is given."""
    with open(os.path.join(os.path.dirname(module), name), encoding="utf-8") as file:  # noqa: PTH118, PTH120, PTH123 - a hook cannot afford pathlib
        return file.read()
