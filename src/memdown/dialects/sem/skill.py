"""The skill file that teaches an agent the format, made from the tables that read and check it."""

from datetime import datetime, timedelta, timezone

from memdown.dialects.draft import draft
from memdown.dialects.sem import grammar
from memdown.dialects.sem.write import entry_text, prepare
from memdown.markdown import frontmatter
from memdown.record import Link, Record

NAME = "squad-memory-format"
DESCRIPTION = "How to write decisions, memories, notes and directives so that people and tools can read them."
PLACE = f"skills/{NAME}/SKILL.md"
"""Where the skill lies inside the home of a project."""

_PACIFIC = timezone(timedelta(hours=-8))

_WHEN = {
    "decision": "the team agreed on something that binds everybody",
    "memory": "you learned something from your work that you, or others, will need again",
    "note": "others should know something, and nobody has to act",
    "directive": 'a person gave a rule: "always …", "never …", "from now on …"',
}

EXAMPLES: tuple[Record, ...] = (
    prepare(
        draft(
            "decision",
            "Retries with growing pauses",
            author="Ann",
            summary="Failed calls to the payment service are tried three times, with growing pauses.",
            text="The pauses are 1, 2 and 4 seconds.\n\n"
            "- Calls that charge a card carry a key, so that none counts twice.\n"
            "- After the third failure the order waits for a person.",
            why="One call in a thousand fails for no reason, and the next one succeeds.",
            tags=("payments", "reliability"),
            contributors=("Bob",),
            related=(Link("issue", "#18"), Link("pr", "#42")),
        ),
        datetime(2026, 2, 15, 14, 32, 15, tzinfo=_PACIFIC),
    ),
    prepare(
        draft(
            "memory",
            "The test database needs a moment",
            author="Bob",
            summary="Wait for the health check before the first query, or one run in ten fails.",
            text="```sh\nmake db-wait\nmake test\n```",
            tags=("tests", "database"),
        ),
        datetime(2026, 2, 15, 15, 45, 30, tzinfo=_PACIFIC),
    ),
    prepare(
        draft(
            "note",
            "The staging server moved",
            author="Bob",
            summary="Staging runs in the new data centre; its address did not change.",
            expires="2026-06-01T00:00:00-0700",
        ),
        datetime(2026, 2, 16, 9, 0, tzinfo=_PACIFIC),
    ),
    prepare(
        draft(
            "directive",
            "No secrets in the log",
            author="Carol",
            summary="Never write keys, passwords or customer data into a memory file.",
            why="The log is in version control, and everybody can read it for good.",
        ),
        datetime(2026, 2, 15, 10, 15, tzinfo=_PACIFIC),
    ),
)


def text() -> str:
    """The whole file."""
    return f"{_front_matter()}\n{_context()}\n{_patterns()}\n{_examples()}\n{_anti_patterns()}"


def _front_matter() -> str:
    return frontmatter.write(
        (
            ("name", NAME),
            ("description", DESCRIPTION),
            ("domain", "team-memory"),
            ("confidence", "high"),
            ("source", "memdown"),
        )
    )


def _context() -> str:
    kinds = "\n".join(f"- **{kind}**: {_WHEN[kind]}." for kind in grammar.KINDS)
    return f"""\
# Writing entries

## Context

The log of a project is read by agents, by people and by tools. An entry in one fixed form can be found, filtered and
replaced; text in a form of its own is only ever read from top to bottom. Use this form for every new entry. Entries in
older forms stay as they are.

Write an entry when:

{kinds}
"""


def _patterns() -> str:
    rows = "\n".join(
        f"| `{name}` | {'yes' if name in grammar.REQUIRED else 'no'} | {about} |"
        for name, about in grammar.FIELDS.items()
    )
    return f"""\
## Patterns

**Let the tool write.** `memdown add decision TITLE --author NAME --summary TEXT --rationale TEXT` stamps the time, puts
the entry into the right file and refuses what cannot be read back. `memory`, `note` and `directive` work the same way.
By hand, follow the rest of this page, and run `memdown check` afterwards.

**The heading** is `### timestamp: type: title`. Type and timestamp are repeated as fields, and must agree with it.

**Fields** are bold names in small letters at the beginning of a line, in this order:

| field | required | what it holds |
|---|---|---|
{rows}

**Time.** Take it from the clock, with the offset of the place you are in: `date +%Y-%m-%dT%H:%M:%S%z` prints the right
form. Never guess a date. Two entries of one time should have different titles.

**Summary.** One sentence, at most {grammar.SUMMARY_LIMIT} characters. It need not be the title.

**Rationale.** Every decision and every directive says why.

**Scope.** `team` unless you mean somebody else: `project` for the whole project, `agent:<name>` for one agent,
`skill:<name>` for a skill. A memory is for its author if it names no scope. One entry has one scope.

**Related** lines are `- type: identifier`, where the type is one of {", ".join(grammar.RELATED_TYPES)}.

**Replacing an entry.** Write a new one, with the old one's timestamp in `supersedes`. Leave the old one in place.

**The end** of an entry is a blank line and `---` on a line of its own.

**Where it goes.** Decisions, directives and notes go to the end of `decisions.md`, or as a file of their own into
`decisions/inbox/` when several agents write at once. A memory goes to the end of `agents/<name>/history.md`.
"""


def _examples() -> str:
    shown = "\n".join(f"A {record.kind}:\n\n````markdown\n{entry_text(record)}````\n" for record in EXAMPLES)
    return f"## Examples\n\n{shown}"


def _anti_patterns() -> str:
    return """\
## Anti-Patterns

- **A date without a time**, or a time without an offset. All entries of a day then look the same.
- **Names of fields with capitals** (`**Author:**`). Small letters tell a field from bold text.
- **A line `---` inside the text.** It ends the entry for most readers. Write `***`, or `\\---`.
- **Headings of level 1 to 3 inside the text.** Use level 4 and deeper.
- **A line in the text that begins like a field** (`**summary:** …`). Put a backslash before it.
- **Several scopes** (`agent:ann, agent:bob`). Choose `team`, or write two entries.
- **Changing an old entry** to say something new. Replace it, so that the reason for the old one is not lost.
- **A summary that tells everything.** The whole story belongs in `details`.
- **A code fence that is not closed.** It swallows the entries below it.
"""
