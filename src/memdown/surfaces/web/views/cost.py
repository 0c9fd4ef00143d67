"""What assistants were sent: tokens by session, hook and tool."""

from memdown.memory import Memory
from memdown.surfaces.web.views.model import PageRequest, View

_SESSIONS = 60


def show(memory: Memory, _: PageRequest) -> View:
    spent = memory.cost()
    sessions = spent.sessions[:_SESSIONS]
    return View(
        "cost.html",
        "Cost",
        {
            "spent": spent,
            "sessions": sessions,
            "most": max((each.tokens for each in (*spent.hooks, *spent.tools)), default=1) or 1,
            "most_session": max((each.tokens for each in sessions), default=1) or 1,
        },
    )
