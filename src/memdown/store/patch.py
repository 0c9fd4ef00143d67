"""Changes of files as a patch that `git apply` takes."""

import difflib
import re


def patch(name: str, before: str | None, after: str | None) -> str:
    """A unified diff of one file; None is no file."""
    old = f"a/{name}" if before is not None else "/dev/null"
    new = f"b/{name}" if after is not None else "/dev/null"
    one, two = (re.findall(r"[^\n]*\n|[^\n]+", text or "") for text in (before, after))
    lines = difflib.unified_diff(one, two, old, new)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
