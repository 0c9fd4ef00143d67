"""Imports each module as the first of its floor; the floors come as JSON. Prints every import that fails.

What stands below is loaded already: it imports nothing from above, and a module that is loaded whole makes no import
fail. So each import ends as it would in an interpreter of its own.
"""

import gc
import json
import sys
from functools import cache
from importlib import import_module
from importlib.machinery import SourceFileLoader


def failed(name: str) -> str:
    try:
        import_module(name)
    except ImportError as error:
        own = not isinstance(error, ModuleNotFoundError) or (error.name or "").startswith("memdown")
        return f"{name}: {error}" if own else ""  # else it needs an extra that is not installed
    return ""


gc.disable()
SourceFileLoader.get_code = cache(SourceFileLoader.get_code)  # type: ignore[method-assign]
for floor in json.loads(sys.argv[1]):
    below = {*sys.modules}
    for module in floor:
        for name in [each for each in sys.modules if each.startswith("memdown.") and each not in below]:
            del sys.modules[name]
        if fault := failed(module):
            print(fault)
    for module in floor:
        failed(module)
