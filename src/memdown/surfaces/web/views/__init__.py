"""Every page and every act of the page, by the name in its address."""

from memdown.surfaces.web.views import (
    cost,
    decisions,
    files,
    findings,
    health,
    history,
    overview,
    record,
    review,
    search,
    steps,
    tasks,
    timeline,
)
from memdown.surfaces.web.views.model import Do, Show

SHOWS: dict[str, Show] = {
    "": overview.show,
    "complete": search.complete,
    "cost": cost.show,
    "day": timeline.day,
    "decisions": decisions.show,
    "files": files.show,
    "findings": findings.show,
    "fix": findings.fix,
    "health": health.show,
    "history": history.show,
    "record": record.show,
    "review": review.show,
    "search": search.show,
    "step": steps.show,
    "suppress": findings.suppress,
    "tasks": tasks.show,
    "timeline": timeline.show,
}
DOES: dict[str, Do] = {
    "drop": review.drop,
    "edit": review.edit,
    "fix": findings.do_fix,
    "keep": review.keep,
    "move": tasks.move,
    "redo": steps.redo,
    "suppress": findings.do_suppress,
    "take": review.take,
    "undo": steps.undo,
}
NAVIGATION = (
    ("", "Overview", "o"),
    ("timeline", "Timeline", "t"),
    ("search", "Search", "s"),
    ("decisions", "Decisions", "d"),
    ("tasks", "Tasks", "b"),
    ("findings", "Findings", "f"),
    ("review", "Review", "r"),
    ("files", "Files", "l"),
    ("cost", "Cost", "c"),
)
"""What the menu lists, and the key that opens it after `g`."""
