"""Changes of files as a patch that `git apply` takes."""

import difflib
import re
from collections.abc import Iterator


def patch(name: str, before: str | None, after: str | None) -> str:
    """A unified diff of one file; None is no file."""
    old = f"a/{name}" if before is not None else "/dev/null"
    new = f"b/{name}" if after is not None else "/dev/null"
    return "".join(f"{line}\n" for line in lines(old, before or "", new, after or ""))


def lines(old_name: str, old: str, new_name: str, new: str) -> Iterator[str]:
    """The lines of a unified diff of two texts, without their ends; one says where a text ends without one."""
    one, two = (re.findall(r"[^\n]*\n|[^\n]+", text) for text in (old, new))
    for line in difflib.unified_diff(one, two, old_name, new_name):
        yield line.removesuffix("\n")
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"
