"""Parts of the overview that take a moment: what is wrong, untouched files, what all costs to read."""

from collections import Counter

from memdown.memory import Memory
from memdown.surfaces.web.views import checked
from memdown.surfaces.web.views.model import PageRequest, View

_RULES = 8
_FILES = 6


def show(memory: Memory, _: PageRequest) -> View:
    found = checked.everything(memory).found
    rules = Counter((each.severity, each.code, each.name) for each in found if each.severity != "info")
    values: dict[str, object] = {"rules": sorted(rules.items(), key=lambda each: (each[0][0], -each[1]))[:_RULES]}
    values |= {"severities": Counter(each.severity for each in found), "tokens": memory.status().tokens}
    values["untouched"] = memory.stale(_FILES, dated=False).found
    return View("health.html", "Health", values)
