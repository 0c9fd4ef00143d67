"""The first page: where the work stands, what was decided of late, how old the rest is, what is wrong."""

from memdown.memory import Memory
from memdown.record import Mark
from memdown.surfaces.web.views.model import PageRequest, View

_SOME = 8
"""Records that are listed where none is new and nothing was decided."""
_STANDING = ("focus", "state", "doing", "step", "blocker", "next", "paused", "directives", "proposed")


def show(memory: Memory, _: PageRequest) -> View:
    parts = {part.name: part for part in memory.briefing()}
    look = memory.overview()
    return View(
        "overview.html",
        "Overview",
        {
            "look": look,
            "standing": [parts[name] for name in _STANDING if name in parts],
            "some": [] if look.decided or look.earlier or look.changed else _some(memory),
            "paths": {each.path for each in memory.questions.files()},
            "uncommitted": parts.get("since"),
            "most": max((each.tokens for each in look.costs), default=1) or 1,
        },
    )


def _some(memory: Memory) -> list[Mark]:
    return memory.questions.page(memory.questions.parse("-is:superseded"), limit=_SOME).found.marks
