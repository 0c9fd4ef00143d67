"""What hooks and tools put before assistants, in tokens: the ledger added up."""

from collections.abc import Iterable

from msgspec import Struct

from memdown.project import Project
from memdown.store import ledger
from memdown.store.state import STATE


class Sum(Struct, frozen=True):
    """What one name stands for in all."""

    name: str
    calls: int
    tokens: int


class SessionCost(Struct, frozen=True):
    """What one session was sent."""

    session: str
    first: str
    last: str
    calls: int
    tokens: int


class Spending(Struct, frozen=True):
    """The ledger of one root."""

    tokens: int
    calls: int
    hooks: list[Sum]
    tools: list[Sum]
    sessions: list[SessionCost]


def cost(project: Project, session: str | None = None) -> Spending:
    """What hooks and tools sent, in one session or in all of them."""
    rows = [row for row in ledger.read(str(project.root / STATE)) if session is None or row.session.startswith(session)]
    return Spending(
        tokens=sum(row.tokens for row in rows),
        calls=len(rows),
        hooks=_sums(row for row in rows if row.surface == "hook"),
        tools=_sums(row for row in rows if row.surface != "hook"),
        sessions=_sessions(rows),
    )


def _sums(rows: Iterable[ledger.Cost]) -> list[Sum]:
    """By name, the dearest first."""
    found: dict[str, list[int]] = {}
    for row in rows:
        found.setdefault(row.name, []).append(row.tokens)
    sums = [Sum(name, len(tokens), sum(tokens)) for name, tokens in found.items()]
    return sorted(sums, key=lambda each: (-each.tokens, each.name))


def _sessions(rows: Iterable[ledger.Cost]) -> list[SessionCost]:
    """The newest first."""
    found: dict[str, list[ledger.Cost]] = {}
    for row in rows:
        found.setdefault(row.session, []).append(row)
    sessions = [
        SessionCost(name, costs[0].at, costs[-1].at, len(costs), sum(row.tokens for row in costs))
        for name, costs in found.items()
    ]
    return sorted(sessions, key=lambda each: (each.last, each.session), reverse=True)
