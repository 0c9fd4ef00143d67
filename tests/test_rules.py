"""Every rule's page is true: its bad example fires, its good one does not, and its fix mends it for good."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType

from memdown.acts.check import engine, proof
from memdown.claims import find
from memdown.claims.force import tells_of_past
from memdown.diagnostics import Diagnostic, Fix, Rule
from memdown.dialects import parse
from memdown.evidence.contradictions import contradictions
from memdown.evidence.in_force import ClaimInForce
from memdown.evidence.model import Answer
from memdown.evidence.statements import denied, overdue, statement, target
from memdown.record import Document, Statement
from memdown.text import Edit, Span, decode

RULES = engine.all_rules()
DEFAULT_PATHS = {
    "BNK": "memory-bank/progress.md",
    "CRD": "memories/3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b.md",
    "JNL": "memory-bank/edit_history.md",
    "LYR": "memory/projects/my-api/notes.md",
    "MD": "notes.md",
    "MRG": "notes.md",
    "OKF": "knowledge/metrics/revenue.md",
    "SEC": "notes.md",
    "SEM": ".squad/decisions.md",
    "VER": "memory-bank/systemPatterns.md",
}
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
EXAMPLE = re.compile(r"^(?P<fence>`{3,})(?P<kind>\w+) ?(?P<path>\S*)\n(?P<text>.*?)^(?P=fence)$", re.M | re.S)


def examples(rule: Rule, heading: str) -> list[Document]:
    """The documents under a heading of the page."""
    section = re.split(r"^## (?:Bad|Good|Fix)$", rule.page.partition(f"## {heading}\n")[2], maxsplit=1, flags=re.M)[0]
    family = re.match("[A-Z]+", rule.code)
    assert family
    around = Repository() if rule.code in ("VER006", "VER007") else None
    documents = []
    for match in EXAMPLE.finditer(section):
        if match["path"] == "repository":
            around = Repository(**json.loads(match["text"]))
            continue
        path = match["path"] or DEFAULT_PATHS[family.group()]
        documents.append(parse(path, _text(match["kind"], match["text"]), now=NOW))
        documents[-1].around = around
        if around:
            around.documents[path] = documents[-1]
    return documents


class Repository:
    """What a page says the repository around its examples is."""

    def __init__(
        self,
        paths: Sequence[str] = (),
        versions: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
        behind: Mapping[str, int] = MappingProxyType({}),
        moved: Mapping[str, str] = MappingProxyType({}),
        changed: Mapping[str, str] = MappingProxyType({}),
        gone: Sequence[str] = (),
    ) -> None:
        self._paths, self._versions, self._behind = paths, versions, behind
        self._stands: dict[str, tuple[str, str | None]] = {
            **{target: ("moved", now) for target, now in moved.items()},
            **{target: ("changed", now) for target, now in changed.items()},
            **dict.fromkeys(gone, ("gone", None)),
        }
        self.documents: dict[str, Document] = {}

    def paths(self) -> Sequence[str]:
        return self._paths

    def is_bare(self) -> bool:
        return not self._paths

    def has(self, path: str) -> bool:
        return path in self._paths

    def versions(self) -> Mapping[str, Mapping[str, str]]:
        return self._versions

    def behind(self, path: str) -> int | None:
        return self._behind.get(path)

    def statements(self, path: str) -> Sequence[Statement]:
        """What the examples claim, as the page says it stands."""
        doc = self.documents[path]
        claims = [ClaimInForce(each, doc, None, None) for each in find(doc)]
        states = [self._stands.get(target(each.claim), ("fresh", None)) for each in claims]
        looked_up = [statement(each, Answer(*stands)) for each, stands in zip(claims, states, strict=True)]
        opposed = (denied(*pair) for pair in contradictions([doc], lambda each: each.records, dict))
        return [*looked_up, *opposed, *overdue([doc], tells_of_past, NOW.date().isoformat())]


def _text(kind: str, text: str) -> str:
    """`bytes` examples are written with escapes, for what a page cannot show; `repeated300` stands for 300 times as much."""
    if kind.startswith("repeated"):
        return text * int(kind.removeprefix("repeated"))
    return decode(text[:-1].encode().decode("unicode_escape").encode("latin-1")) if kind == "bytes" else text


def fires(rule: Rule, documents: list[Document]) -> bool:
    return bool(engine.check(documents, engine.Selection(select=(rule.code,))))


def test_the_bad_example_fires() -> None:
    assert [rule.code for rule in RULES if not fires(rule, examples(rule, "Bad"))] == []


def test_without_hints_all_else_is_found() -> None:
    """Findings of a rule may weigh less than it does, never more, so that rules of hints can be left out."""
    for rule in RULES:
        documents = examples(rule, "Bad")
        found = [each for each in engine.check(documents, engine.Selection()) if each.severity != "info"]
        without = engine.check(documents, engine.Selection(), hints=False)
        assert [each for each in without if each.severity != "info"] == found, rule.code


def test_the_good_example_does_not() -> None:
    assert [rule.code for rule in RULES if not examples(rule, "Good")] == []
    assert [rule.code for rule in RULES if fires(rule, examples(rule, "Good"))] == []


def test_the_fix_mends_it_and_changes_nothing_the_second_time() -> None:
    for rule in RULES:
        only = engine.Selection(select=(rule.code,))
        for document in examples(rule, "Bad"):
            found = engine.check([document], only)
            once = engine.fixed(document, only, parse, unsafe=True)
            assert engine.fixed(once, only, parse, unsafe=True).text == once.text, rule.code
            if found and all(each.fix for each in found):
                assert once.text != document.text, rule.code
                assert not engine.check([once], only), rule.code


def test_a_safe_fix_keeps_every_value() -> None:
    for rule in RULES:
        only = engine.Selection(select=(rule.code,))
        for document in examples(rule, "Bad"):
            safe = [each for each in engine.check([document], only, whole=False) if each.fix and each.fix.safe]
            found = [each for each in safe if each.fix and not each.fix.evident]
            assert proof.proven(document, found, parse) == found, rule.code


def test_a_fix_that_changes_a_value_is_not_made_as_a_safe_one() -> None:
    text = "### 2026-01-05\n\n#### 10:00 UTC - T1: A\n- Created `a.py` — x\n- Created `b.py` — y\n"
    document = parse("memory-bank/edit_history.md", text)
    dash, path = text.index("—"), text.index("b.py")
    good = fix("X1", Span(dash, dash + 1), "-")
    bad = fix("X2", Span(path, path + 1), "c")
    time = fix("X3", Span(text.index("10:00"), text.index("10:00") + 2), "11")
    assert proof.proven(document, [good], parse) == [good]
    assert proof.proven(document, [good, bad, time], parse) == [good]


def fix(code: str, span: Span, text: str) -> Diagnostic:
    return Diagnostic("memory-bank/edit_history.md", code, "x", "error", "", span, Fix("", (Edit(span, text),)))


def test_a_page_tells_of_a_fix_when_there_is_one() -> None:
    fixed = [rule for rule in RULES if any(each.fix for each in found_in_bad(rule))]
    assert [rule.code for rule in fixed if "## Fix" not in rule.page] == []


def test_findings_are_sentences() -> None:
    for each in (each for rule in RULES for each in found_in_bad(rule)):
        assert each.message[0].isupper() or each.message[0] in "'`\"0123456789" or ".md" in each.message.split()[0]
        assert each.message.endswith(".")
        assert "\n" not in each.message


def found_in_bad(rule: Rule) -> Sequence[Diagnostic]:
    return engine.check(examples(rule, "Bad"), engine.Selection(select=(rule.code,)))


def test_codes_are_unique_and_well_formed() -> None:
    codes = [rule.code for rule in RULES]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"(MD0|BNK|SEM|CRD|LYR|JNL|OKF|CNV|VER|SEC|MRG)\d\d\d?", code) for code in codes)
