"""The dialects are rooms of one shape, loaded when they are needed."""

import subprocess
import sys
import time

import pytest

from memdown.dialects import DIALECTS, Dialect, read_as, rules
from memdown.homes import HOMES

bank = DIALECTS["bank"]
cards = DIALECTS["cards"]
journal = DIALECTS["journal"]
layers = DIALECTS["layers"]
okf = DIALECTS["okf"]
sem = DIALECTS["sem"]

ROOMS: dict[str, Dialect] = {"layers": layers, "bank": bank, "journal": journal, "sem": sem, "cards": cards, "okf": okf}
"""Named here so that the type checker compares every room with the shape."""


def test_every_dialect_has_a_room_and_a_home() -> None:
    assert set(DIALECTS) == set(ROOMS) == set(HOMES)


def test_every_dialect_has_rules() -> None:
    assert all(rules(name) for name in DIALECTS)


def test_a_dialect_is_loaded_when_it_is_used() -> None:
    script = (
        "import sys; from memdown.memory import Memory; from memdown.dialects import DIALECTS;"
        "loaded = lambda: sorted(n for n in sys.modules if n.startswith('memdown.dialects.'));"
        "print(loaded()); DIALECTS['cards'].claims('memories/a.md', ''); print('memdown.dialects.cards' in loaded())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[]", "True"]


HOSTILE = {
    "a heading of dashes": ("bank", "memory-bank/decisionLog.md", "# Log\n\n### Decision: {}\n", "-"),
    "a milestone of dashes": ("bank", "memory-bank/progress.md", "## {}\n", "—"),
    "items in items": ("bank", "memory-bank/progress.md", "## Completed\n{}x\n", "- "),
    "numbers in numbers": ("bank", "memory-bank/activeContext.md", "## Next Steps\n{}\n", "1. "),
    "a heading that is closed and closed": ("journal", "memory-bank/edit_history.md", "# 2026-01-01{}\n", " #"),
    "an author of blanks": ("sem", ".squad/decisions.md", "### 2026-01-01: x\n**By:** {}x\n", "\u00a0"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_long_line_is_read_in_linear_time(case: str) -> None:
    dialect, path, text, piece = HOSTILE[case]
    started = time.process_time()
    read_as(dialect, path, text.replace("{}", piece * 50_000))
    assert time.process_time() - started < 20  # a minute and more when each character looked at all others
