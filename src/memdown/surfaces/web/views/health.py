"""What is wrong, counted by rule: a part of the overview that may take a moment."""

from collections import Counter

from memdown.memory import Memory
from memdown.surfaces.web.views import checked
from memdown.surfaces.web.views.model import PageRequest, View

_RULES = 8


def show(memory: Memory, _: PageRequest) -> View:
    found = checked.everything(memory).found
    rules = Counter((each.severity, each.code, each.name) for each in found if each.severity != "info")
    values = {"rules": sorted(rules.items(), key=lambda each: (each[0][0], -each[1]))[:_RULES]}
    return View("health.html", "Health", {**values, "severities": Counter(each.severity for each in found)})
