"""A small project for the page: a shop's memory over a few months, made by memdown itself. No real project is in it."""

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memdown.memory import Memory

NOW = "2026-02-01T12:00:00Z"
_DAY = datetime(2026, 2, 1, 12, tzinfo=UTC)

# Days before now, who, title, why, scope, which earlier one (by place in the list) it replaces.
_DECISIONS: list[tuple[int, str, str, str, str, int | None]] = [
    (210, "Ann", "Sessions live in the database", "One store is enough for the first year.", "team", None),
    (196, "Bo", "Prices are integers in cents", "Floats lost a cent on every third invoice.", "project", None),
    (171, "Chen", "One Postgres, no read replicas", "We do not have the traffic.", "project", None),
    (150, "Ann", "Feature flags come from a file", "A service would be one more thing to run.", "team", None),
    (128, "Dara", "Search uses trigram indexes", "Typos are a third of all queries.", "project", None),
    (96, "Bo", "Invoices are immutable", "An auditor asked who had changed one, and nobody knew.", "project", None),
    (61, "Ann", "Sessions live in Redis", "In the database, every request wrote a row.", "team", 0),
    (47, "Chen", "Reports read from a replica", "Month's end made checkout slow.", "project", 2),
    (22, "Dara", "Search moves to its own service", "The index outgrew the database.", "project", 4),
    (12, "Bo", "Refunds are new invoices", "They follow from immutable ones.", "project", None),
    (5, "Ann", "Rate limits are per account, not per address", "Offices share one address.", "team", None),
    (3, "Dara", "Paging is by key, not by number", "Page 400 took nine seconds.", "project", None),
    (1, "Chen", "Backups are restored every Monday", "A backup that nobody restored is a hope.", "team", None),
]
_CARDS = [
    (170, "Pool size is 10", "With 5 connections the load test timed out.", ["database", "pool"]),
    (95, "The tax service rounds half up", "Ours rounds half to even; see `billing/round.py`.", ["billing", "tax"]),
    (9, "Redis evicts sessions at 4 GB", "Raise `maxmemory` **before** the sale.", ["redis", "sessions"]),
    (2, "Chrome caches 308 for ever", "Use 307 while a route may still move.", ["web"]),
]
_BANK = {
    "projectbrief.md": "# Project Brief\n\n## Overview\n\nHarbor is a shop for second-hand boats.\n",
    "activeContext.md": (
        "# Active Context\n\n## Current Focus\n\nCheckout in one page, without an account.\n\n## Recent Changes\n\n"
        "- 2026-01-30: Rate limits per account\n- 2026-01-28: Search pages by key\n\n## Blockers\n\n"
        "- The tax service has no sandbox\n\n## Next Steps\n\n1. Measure the new checkout with real carts\n"
        "2. Remove the old checkout in March\n"
    ),
    "progress.md": (
        "# Progress\n\n## Completed\n\n- [x] Import of listings — 2026-01-12\n- [x] Search by length — 2026-01-20\n\n"
        "## In Progress\n\n- [ ] Checkout in one page\n- [ ] Photos in three sizes\n\n## Upcoming\n\n"
        "- [ ] Offers between users\n- [ ] Saved searches\n"
    ),
    "decisionLog.md": "# Decision Log\n",
}


_WAITING = "5d0c1b7e-3f2a-4c8e-9d6b-7a1e2f3c4b5d"
_CAPTURED = f"""---
id: {_WAITING}
subject: The sale starts at midnight UTC
keywords:
  - sale
applies_to: global
occurred_at: '2026-01-31T09:00:00Z'
---

Not at midnight in Oslo: the banner counts down to **UTC**.
"""
_SESSIONS = [
    (26, 900, 2),
    (21, 1400, 5),
    (15, 700, 1),
    (11, 2100, 8),
    (8, 1300, 3),
    (4, 1700, 6),
    (2, 950, 2),
    (1, 1850, 4),
]


def make(root: Path) -> None:
    """Write the project into an empty folder, as a repository with one commit."""
    for name, text in _BANK.items():
        place = root / "memory-bank" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    (root / ".squad").mkdir()
    ids: list[str] = []
    for ago, author, title, why, scope, replaces in _DECISIONS:
        with _then(root, ago) as memory:
            added = memory.add(
                "decision",
                title,
                dialect="sem",
                why=why,
                text=f"{title}.",
                author=author,
                scope=scope,
                supersedes=[ids[replaces]] if replaces is not None else [],
            )
            ids.append(added.record.id)
    for ago, title, text, tags in _CARDS:
        with _then(root, ago) as memory:
            memory.cards.add(title, text, keywords=tags)
    with _then(root, 40) as memory:
        memory.add("directive", "Ask before you add a dependency", dialect="sem", author="Ann", text="Ask first.")
    card = next(each for each in (root / "memories").glob("*.md") if "Pool size" in each.read_text("utf-8"))
    card.write_text(card.read_text("utf-8").replace("keywords:\n", "keywords:\n  - Database\n"), "utf-8")
    waiting = root / "memories" / "inbox" / f"{_WAITING}.md"
    waiting.parent.mkdir()
    waiting.write_text(_CAPTURED, "utf-8")
    for words in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=Ann", "-c", "user.email=a@b.c", "commit", "-qm", "All"],
    ):
        subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)
    _spend(root)


def _spend(root: Path) -> None:
    """What assistants were sent in some sessions."""
    lines = []
    for number, (ago, tokens, calls) in enumerate(_SESSIONS):
        at = (_DAY - timedelta(days=ago)).strftime("%Y-%m-%dT%H:%M:%SZ")
        lines.append(f"{at}\tsession-{number + 1}\thook\tSessionStart\t{tokens}")
        lines += [f"{at}\tsession-{number + 1}\thook\tUserPromptSubmit\t{180 + 15 * call}" for call in range(calls)]
        lines += [f"{at}\tsession-{number + 1}\tmcp\tsearch_memory\t{310 + 40 * call}" for call in range(calls // 2)]
    state = root / ".memdown"
    state.mkdir(exist_ok=True)
    (state / "costs.tsv").write_text("\n".join(lines) + "\n", "utf-8")


def _then(root: Path, ago: int) -> Memory:
    return Memory(root, now=lambda: _DAY - timedelta(days=ago))
