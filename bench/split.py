"""Splitting a decision log of 2,000 entries into its entries, beside reading its bytes and counting its lines.

    python bench/split.py

Prints the shortest of 25 runs each, and the ratio (20x is the limit).
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from memdown.dialects.sem.split import split

ENTRY = """\
### 2026-02-15T14:32:15-0800: decision: Model selection {}

**type:** decision  
**timestamp:** 2026-02-15T14:32:15-0800  
**author:** Ann  
**scope:** team  
**tags:** models, cost  

**summary:** Agents choose their own models.

**details:**

{}```js
code();
```

**rationale:** Cost.

---

"""


def best(work: Callable[[], object]) -> float:
    """Milliseconds of the shortest of 25 runs."""
    times = []
    for _ in range(25):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times) * 1e3


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    text = "".join(ENTRY.format(number, "A line of text that goes on for a bit.\n" * 8) for number in range(2000))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "decisions.md"
        path.write_text(text, "utf-8")
        counting = best(lambda: path.read_bytes().count(b"\n"))
    splitting = best(lambda: split(text, "log"))
    print(f"{len(text) / 1e6:.2f} MB, {len(split(text, 'log'))} entries")
    print(f"read and count lines {counting:6.2f} ms")
    print(f"split into entries   {splitting:6.2f} ms  {splitting / counting:5.1f}x")


if __name__ == "__main__":
    main()
