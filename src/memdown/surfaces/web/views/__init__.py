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
    ("", "Overview"),
    ("timeline", "Timeline"),
    ("search", "Search"),
    ("decisions", "Decisions"),
    ("tasks", "Tasks"),
    ("findings", "Findings"),
    ("review", "Review"),
    ("files", "Files"),
    ("cost", "Cost"),
)
"""What the menu lists."""
