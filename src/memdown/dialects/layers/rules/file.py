"""Rules about a memory as a file: its name, its size, and what its lines are worth."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from memdown.diagnostics import Finding, first_line, rule, rule_across, shown_at
from memdown.dialects.layers import grammar, quality, stamps
from memdown.dialects.layers.read import address_of
from memdown.dialects.layers.touch import stale_since
from memdown.record import Document
from memdown.text import Span


@rule("LYR010", "warning")
def name_invalid(doc: Document) -> Iterator[Finding]:
    """A name in the path is not one that an id can have.

    Names of projects, skills, agents and file types are letters, digits, `.`, `_` and `-`, with a letter or digit
    first. Other names cannot be requested, and some file systems cannot store them.

    Bad memory/projects/my+api/project_profile.md:
        <!-- Last Updated: 2026-01-15 -->

        # Profile
    Good memory/projects/my-api/project_profile.md:
        <!-- Last Updated: 2026-01-15 -->

        # Profile
    """
    address = address_of(doc.path)
    parts = (address.skill, address.owner, *address.file_type.split("/"))
    for part in dict.fromkeys(parts):
        fault = grammar.name_fault(part) if part else None
        if fault:
            yield Finding(first_line(doc), f"The name `{_shown(part or '')}` {fault}.")


def _shown(name: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in name[:60])


@rule("LYR011", "info")
def file_nested(doc: Document) -> Iterator[Finding]:
    """The file is in a folder of its own, deeper than any id leads.

    It is searched and its age is reported, but it has no id.

    Bad memory/agents/hephaestus/skills_created/parser.md:
        <!-- Last Updated: 2026-01-15 -->

        # Parser
    Good memory/agents/hephaestus/skills_created_parser.md:
        <!-- Last Updated: 2026-01-15 -->

        # Parser
    """
    if "/" in address_of(doc.path).file_type:
        yield Finding(first_line(doc), f"No id leads to {doc.path}: it is one folder too deep; move it up.")


@rule_across("LYR012", "error")
def name_clash(docs: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """Two memories have names that differ in capitals only.

    macOS and Windows cannot store both: one replaces the other.

    Bad memory/projects/my-api/project_profile.md:
        <!-- Last Updated: 2026-01-15 -->

        # Profile
    and memory/projects/My-API/project_profile.md:
        <!-- Last Updated: 2026-01-15 -->

        # Profile
    Good memory/projects/my-api/project_profile.md:
        <!-- Last Updated: 2026-01-15 -->

        # Profile
    """
    by_name: dict[str, list[Document]] = defaultdict(list)
    for doc in docs:
        by_name[doc.path.casefold()].append(doc)
    for same in by_name.values():
        for doc in same[1:]:
            yield doc, Finding(first_line(doc), f"Only case distinguishes {doc.path} from {same[0].path}; rename one.")


@rule_across("LYR013", "warning")
def id_in_two_stores(docs: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """Two stores in one project have a memory with the same id.

    Only one store is written and read by id, so the other memory is forgotten.

    Bad memory/projects/my-api/project_profile.md:
        <!-- Last Updated: 2026-01-15 -->

        # Profile
    and forge-plugin/memory/projects/my-api/project_profile.md:
        <!-- Last Updated: 2026-01-15 -->

        # Profile
    Good memory/projects/my-api/project_profile.md:
        <!-- Last Updated: 2026-01-15 -->

        # Profile
    """
    by_id: dict[str, list[Document]] = defaultdict(list)
    for doc in docs:
        by_id[address_of(doc.path).id].append(doc)
    for same in by_id.values():
        for doc in same[1:]:
            yield doc, Finding(first_line(doc), f"{same[0].path} has the same id as {doc.path}; rename one.")


@rule("LYR020", "warning")
def too_long(doc: Document) -> Iterator[Finding]:
    """The memory is longer than it should be.

    More than 500 lines of any memory, 200 of a `project_overview` or 300 of a `review_history` cost more to read than
    they give. Archives may have any length. `layers.max-lines` and its neighbours set other limits.

    Bad (bytes memory/skills/code-review/my-api/project_overview.md):
        x\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\n
        x\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\n
        x\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\n
        x\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\n
        x\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\n
        x\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\n
        x\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\n
        x\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\nx\\n
    Good memory/skills/code-review/my-api/project_overview.md:
        <!-- Last Updated: 2026-01-15 -->

        # Project Overview
    """
    file_type = address_of(doc.path).file_type
    for warning in grammar.size_warnings(file_type, len(doc.lines), doc.settings.layers)[:1]:
        yield Finding(first_line(doc), warning)


@rule("LYR021", "warning")
def empty(doc: Document) -> Iterator[Finding]:
    """The memory says nothing.

    Anyone who reads it gets an empty answer that looks like knowledge.

    Bad:
        <!-- Last Updated: 2026-01-15 -->
    Good:
        <!-- Last Updated: 2026-01-15 -->

        # Project Overview

        The API is written in Python 3.12.
    """
    if not doc.text[stamps.body_start(doc.text) :].strip():
        yield Finding(first_line(doc), "The memory has no content below its stamp; write some, or delete the file.")


@rule("LYR022", "warning")
def stale(doc: Document) -> Iterator[Finding]:
    """The memory was last updated more than 90 days ago.

    Much of it may no longer be true. Compare it with the code, and update it or its stamp. `layers.aging-days` sets
    another age. Archives may have any age, and LYR001 reports memories without a stamp. `memdown check --select LYR022
    --strict` fails if there is one, for use in CI.

    Bad:
        <!-- Last Updated: 2025-01-15 -->

        # Notes
    Good:
        <!-- Last Updated: 2026-01-15 -->

        # Notes
    """
    today = doc.today
    since = stale_since(doc.path, doc.text, today, doc.settings) if today else None
    if since and stamps.day_counted(doc.text, doc.settings.layers):
        yield Finding(first_line(doc), f"The memory was {since}; verify it, then update its stamp.")


@rule("LYR030", "warning")
def absolute_path(doc: Document) -> Iterator[Finding]:
    """A line names a path that only one computer has.

    Memory is shared. Write paths relative to the project.

    Bad:
        <!-- Last Updated: 2026-01-15 -->

        - Settings are in /home/ann/my-api/src/settings.py
    Good:
        <!-- Last Updated: 2026-01-15 -->

        - Settings are in `src/settings.py`
    """
    for span in quality.absolute_paths(doc.text):
        yield Finding(span, f"The path {shown_at(doc, span)} is machine-specific; write it relative to the project.")


@rule("LYR031", "info")
def vague(doc: Document) -> Iterator[Finding]:
    """More than three lines use words that name nothing.

    `several`, `various`, `uses custom`: later readers learn nothing from it. Name the file, the function
    or the version.

    Bad:
        <!-- Last Updated: 2026-01-15 -->

        - Uses custom auth
        - Has some N+1 queries
        - There are flaky tests
        - Various helpers
    Good:
        <!-- Last Updated: 2026-01-15 -->

        - `src/auth/jwt.py` checks tokens in `verify()`
    """
    found = list(quality.phrases(doc.text))
    if len(found) > quality.VAGUE_PHRASE_LINES:
        for span in found:
            yield Finding(
                Span(span.start, span.end), f"{shown_at(doc, span)} is vague; say which file, function or version."
            )


@rule("LYR032", "info")
def overview_incomplete(doc: Document) -> Iterator[Finding]:
    """A `project_overview` leaves out something that every one should cover.

    These are the language and the framework with their versions, the pattern of the architecture, the key conventions
    and the approach to testing.

    Bad memory/skills/code-review/my-api/project_overview.md:
        <!-- Last Updated: 2026-01-15 -->

        - Python 3.12
    Good memory/skills/code-review/my-api/project_overview.md:
        <!-- Last Updated: 2026-01-15 -->

        - Python 3.12, FastAPI 0.104
        - Layered architecture: `src/api/`, `src/db/`
        - Naming conventions: snake_case
        - Tests run with pytest 8.2 from `tests/`
    """
    if address_of(doc.path).file_type == "project_overview":
        for topic in doc.of(quality.missing_topics):
            yield Finding(first_line(doc), f"The overview does not cover the {topic}; add it.")


@rule("LYR033", "info")
def claims_without_reference(doc: Document) -> Iterator[Finding]:
    """More than three in ten claims name no path, function, line or version.

    Nobody can verify them later, so nobody will trust them.

    Bad:
        <!-- Last Updated: 2026-01-15 -->

        - Tokens are checked at the door
        - Sessions end after a while
    Good:
        <!-- Last Updated: 2026-01-15 -->

        - `src/auth/jwt.py` checks tokens in `verify()`
        - Sessions end after an hour: `src/auth/session.py:12`
    """
    found = doc.of(quality.claims)
    unproven = [claim for claim in found if not claim.specific]
    if len(unproven) > quality.LARGEST_VAGUE_PART * len(found):
        message = f"{len(unproven)} of {len(found)} claims name no path, function, line or version; add one."
        yield Finding(unproven[0].span, message)
