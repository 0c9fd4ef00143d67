"""Rules about what memory says of the code. They find what `verify` finds, where the repository is asked for it."""

from collections.abc import Iterator

from memdown.diagnostics import Finding, Fix, rule
from memdown.errors import quote, way
from memdown.evidence import mend
from memdown.record import CONTRADICTION, REVIEW, Document, Statement
from memdown.text import Span


@rule("VER001", "warning")
def cited_code_moved(doc: Document) -> Iterator[Finding]:
    """The text names a file, a folder or a line that is elsewhere now.

    Git knows the new path. In the examples, `repository` stands for git's answer.

    ## Fix

    The fix writes the new path; this is safe. Decision logs and cards keep what was written, and are left to you.

    Bad (json repository):
        {"moved": {"src/db.py": "src/pool.py"}}
    and memory-bank/systemPatterns.md:
        # System Patterns

        ## Key Components
        - `src/db.py` holds the pool.
    Good (json repository):
        {"moved": {"src/db.py": "src/pool.py"}}
    and memory-bank/systemPatterns.md:
        # System Patterns

        ## Key Components
        - `src/pool.py` holds the pool.
    """
    for each in _found(doc, "moved"):
        yield _finding(doc, each, f"is now {quote(each.now or '')}{_since(each)}; correct it", safe=True)


@rule("VER002", "warning")
def cited_code_gone(doc: Document) -> Iterator[Finding]:
    """The text names something that the code no longer has: a file, a function, a command, a variable.

    It existed once, but readers will no longer find it. Say what replaced it, mark the record as superseded, or
    confirm that it is still valid: `memdown verify --confirm ID`.

    Bad (json repository):
        {"gone": ["src/old.py"]}
    and memory-bank/systemPatterns.md:
        # System Patterns

        ## Key Components
        - `src/old.py` bills customers.
    Good (json repository):
        {"gone": ["src/old.py"]}
    and memory-bank/systemPatterns.md:
        # System Patterns

        ## Key Components
        - `src/old.py` was deleted; invoices are sent by hand.
    """
    for each in _found(doc, "gone"):
        yield _finding(doc, each, f"is gone{_since(each)}; say what replaced it, or {way('verify --confirm')}")


@rule("VER003", "warning")
def stated_version_changed(doc: Document) -> Iterator[Finding]:
    """The text states a version of a library or a language, and the project has another one now.

    The version may be written in part: `React 18` goes with 18.3.1.

    ## Fix

    The fix writes the project's version, as precise as the old one was. This is unsafe: other statements about the old
    version may not apply to the new one.

    Bad (json repository):
        {"changed": {"React 18.2": "19.1.0 (package-lock.json)"}}
    and memory-bank/techContext.md:
        # Tech Context

        ## Technology Stack
        - React 18.2
    Good (json repository):
        {"changed": {"React 18.2": "19.1.0 (package-lock.json)"}}
    and memory-bank/techContext.md:
        # Tech Context

        ## Technology Stack
        - React 19.1
    """
    for each in _found(doc, "changed", "version"):
        yield _finding(doc, each, f"is now {each.now}{_since(each)}; correct it")


@rule("VER004", "warning")
def stated_value_changed(doc: Document) -> Iterator[Finding]:
    """The text states the value of a constant or a setting, and the code has another one now.

    ## Fix

    The value of the code is written. This is unsafe: the reason that the text gives may be one for the old value only.

    Bad (json repository):
        {"changed": {"POOL_SIZE=10": "20"}}
    and memory-bank/techContext.md:
        # Tech Context

        ## Constraints
        - `POOL_SIZE = 10`, since the database allows no more.
    Good (json repository):
        {"changed": {"POOL_SIZE=10": "20"}}
    and memory-bank/techContext.md:
        # Tech Context

        ## Constraints
        - `POOL_SIZE = 20`, since the database allows no more.
    """
    for each in _found(doc, "changed", "literal"):
        yield _finding(doc, each, f"is now {each.now}{_since(each)}; correct it")


@rule("VER005", "warning")
def cited_code_changed(doc: Document) -> Iterator[Finding]:
    """The text cites lines or a symbol, and they are not what they were when it was written.

    Only a person can tell whether the text is still valid. Correct it, or confirm it: `memdown verify --confirm ID`.

    Bad (json repository):
        {"changed": {"src/db.py": "src/db.py has 20 lines"}}
    and memory-bank/systemPatterns.md:
        # System Patterns

        ## Key Components
        - `src/db.py:42` opens the pool.
    Good (json repository):
        {"changed": {"src/db.py": "src/db.py has 20 lines"}}
    and memory-bank/systemPatterns.md:
        # System Patterns

        ## Key Components
        - `src/pool.py:12` opens the pool.
    """
    for each in _found(doc, "changed", "path", "quote", "symbol"):
        what = f"changed{_since(each)}{f': {each.now}' if each.now else ''}"
        yield _finding(doc, each, f"{what}; correct the text, or {way('verify --confirm')}")


@rule("VER006", "warning")
def records_contradict(doc: Document) -> Iterator[Finding]:
    """Two records in force give different values for one subject.

    It is a version, a value, a port, a choice, an owner or a place. Readers of either one may be misled. Correct one,
    or mark it as superseded. Records with different scopes may differ, and so may versions if the project has several.

    Bad memory-bank/techContext.md:
        # Tech Context

        ## Technology Stack
        - **Database**: PostgreSQL 15

        ## Constraints
        - **Database**: MySQL, as the host offers no other.
    Good memory-bank/techContext.md:
        # Tech Context

        ## Technology Stack
        - **Database**: PostgreSQL 15

        ## Constraints
        - **Database**: one PostgreSQL for all tenants.
    """
    for each in _found(doc, "unknown", CONTRADICTION):
        yield Finding(Span(each.start, each.end), f"{each.note}; correct one of the two, or mark it as superseded.")


@rule("VER007", "warning")
def review_overdue(doc: Document) -> Iterator[Finding]:
    """A record was to be looked at again by a day that is over.

    A record that cites no code cannot be verified, so it has a review date instead, and perhaps a reviewer. Review it
    and confirm it (`memdown verify --confirm ID`), or correct it and move the date.

    Bad memory-bank/productContext.md:
        # Product Context

        ## Why This Exists
        Bakers pay by invoice. <!-- memdown: review-by 2026-01-31 by Ann -->
    Good memory-bank/productContext.md:
        # Product Context

        ## Why This Exists
        Bakers pay by invoice. <!-- memdown: review-by 2027-01-31 by Ann -->
    """
    for each in _found(doc, "unknown", REVIEW):
        yield Finding(Span(each.start, each.end), f"This was {each.note}; review it, then {way('verify --confirm')}.")


def _found(doc: Document, state: str, *kinds: str) -> Iterator[Statement]:
    """The statements of a text in this state; not those of the file where this is another text, as one with fixes."""
    here = doc.around.statements(doc.path) if doc.around else ()
    chosen = (each for each in here if each.state == state and (not kinds or each.kind in kinds))
    return (each for each in chosen if doc.text[each.start : each.end].strip() == each.claim)


def _since(each: Statement) -> str:
    return f" since {each.commit[:7]} ({each.author}, {(each.since or '')[:10]})" if each.commit else ""


def _finding(doc: Document, each: Statement, what: str, *, safe: bool = False) -> Finding:
    span = Span(each.start, each.end)
    edit = mend.edit_of(doc, each)
    fix = Fix(f"write {edit.new}", (edit,), safe=safe, evident=safe) if edit else None
    return Finding(span, f"{quote(each.claim.partition(chr(10))[0])} {what}.", fix)
