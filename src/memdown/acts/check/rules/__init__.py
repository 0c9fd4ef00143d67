"""Every rule there is: those about any text, and each dialect's own."""

from collections.abc import Iterator

from memdown import dialects
from memdown.acts.check.rules import assistants, duplicates, secrets, structure, text, verification
from memdown.acts.check.suppress import suppressions
from memdown.diagnostics import Finding, Rule, rule, rules_of
from memdown.errors import quote, way
from memdown.record import Document


@rule("MD030", "warning")
def unknown_suppression(doc: Document) -> Iterator[Finding]:
    """A comment suppresses a code that no rule has.

    It does nothing, most likely because of a slip of the pen. `memdown explain` lists all codes.

    Bad:
        # Notes

        Some text. <!-- memdown: ignore[MD999] -->
    Good:
        # Notes

        Some text. <!-- memdown: ignore[MD002] -->
    """
    found = doc.of(suppressions)
    known = [each.code for each in all_rules()] if found else []
    for suppression in found:
        for code in suppression.codes:
            if not any(each.startswith(code) for each in known):
                yield Finding(suppression.span, f"No rule has the code {quote(code)}; see {way('explain')}.")


_MODULES = (text, structure, duplicates, secrets, assistants, verification)
RULES: tuple[Rule, ...] = (*rules_of(*_MODULES), unknown_suppression)


def all_rules() -> list[Rule]:
    """Every rule there is, ordered by code."""
    own = [*RULES, *(each for dialect in dialects.DIALECTS for each in dialects.rules(dialect))]
    return sorted(own, key=lambda each: each.code)
