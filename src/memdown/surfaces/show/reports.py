"""Diagnostics for people, for GitHub's annotations, and as SARIF for code scanning."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import quote

from memdown import VERSION
from memdown.diagnostics import Diagnostic, Rule
from memdown.lazy import LazyModule
from memdown.record import Document
from memdown.text import Lines

if TYPE_CHECKING:
    from memdown.store import patch
else:
    patch = LazyModule("memdown.store.patch")

Style = Callable[[str, str], str]
"""Colours a text as a severity or kind of line would be, or leaves it as it is."""

_FILES = 10
"""Files in which a rule is told, unless everything is."""

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def counted(number: int, severity: str) -> str:
    """`1 error`, `2 errors`, `3 notes`."""
    return f"{number:,} {_LEVELS[severity]}{'s' if number > 1 else ''}"


def loud(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """What is shown unless everything is asked for."""
    return [each for each in found if each.severity != "info"]


def text(
    found: Iterable[Diagnostic], documents: Iterable[Document], style: Style, *, everything: bool = True
) -> Iterator[str]:
    """A line each: place, severity, code, what is wrong; a mark when there is a fix.

    Without `everything`, info is left out, and a rule tells the first of its places in each of ten files and counts
    the others.
    """
    by_path = {document.path: document for document in documents}
    shown = list(found) if everything else loud(found)
    times = Counter((each.path, each.code, each.severity) for each in shown)
    files: Counter[str] = Counter()
    for each in shown:
        rest = times.pop((each.path, each.code, each.severity), 0) if not everything else 1
        files[each.code] += bool(rest) and not everything
        if not rest or files[each.code] > _FILES:
            continue
        line, column = by_path[each.path].lines.position(each.span.start)
        fix = "" if each.fix is None else " [fix]" if each.fix.safe else " [unsafe fix]"
        severity = style(each.severity, each.severity)
        more = style("dim", f" (and {rest - 1:,} more in this file)") if rest > 1 else ""
        yield f"{each.path}:{line}:{column}: {severity} {each.code} {each.message}{fix}{more}"
    for code, number in files.items():
        if number > _FILES:
            yield style("dim", f"{code}: {number - _FILES:,} more files; use --all to show them.")


def github(found: Iterable[Diagnostic], documents: Iterable[Document]) -> Iterator[str]:
    """Workflow commands that GitHub shows as annotations of the changed lines."""
    by_path = {document.path: document for document in documents}
    for each in found:
        line, column, end_line, end_column = _region(each, by_path[each.path].lines)
        place = f"file={_property(each.path)},line={line},col={column},endLine={end_line},endColumn={end_column}"
        title = _property(f"{each.code} {each.name}")
        yield f"::{_COMMANDS[each.severity]} {place},title={title}::{_data(each.message)}"


def annotation(level: str, path: str, line: int, title: str, message: str) -> str:
    """One workflow command of GitHub about a line."""
    return f"::{level} file={_property(path)},line={line},title={_property(title)}::{_data(message)}"


def _data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")


def sarif(found: Iterable[Diagnostic], documents: Iterable[Document], rules: list[Rule]) -> dict[str, object]:
    """A SARIF 2.1.0 log with one run."""
    by_path = {document.path: document for document in documents}
    index = {rule.code: number for number, rule in enumerate(rules)}
    driver = {"name": "memdown", "version": VERSION, "rules": [_sarif_rule(rule) for rule in rules]}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "results": [_sarif_result(each, by_path[each.path].lines, index[each.code]) for each in found],
            }
        ],
    }


def _sarif_rule(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.page.partition("\n")[0]},
        "help": {"text": rule.page, "markdown": rule.page},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _sarif_result(found: Diagnostic, lines: Lines, rule: int) -> dict[str, object]:
    line, column, end_line, end_column = _region(found, lines)
    artifact = {"uri": quote(found.path, errors="surrogateescape")}
    region = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
    result: dict[str, object] = {
        "ruleId": found.code,
        "ruleIndex": rule,
        "level": _LEVELS[found.severity],
        "message": {"text": found.message},
        "locations": [{"physicalLocation": {"artifactLocation": artifact, "region": region}}],
    }
    if found.fix:
        replacements = [
            {
                "deletedRegion": {
                    "charOffset": edit.span.start,
                    "charLength": edit.span.end - edit.span.start,
                },
                "insertedContent": {"text": edit.new},
            }
            for edit in found.fix.edits
        ]
        change = {"artifactLocation": artifact, "replacements": replacements}
        result["fixes"] = [{"description": {"text": found.fix.description}, "artifactChanges": [change]}]
    return result


def _region(found: Diagnostic, lines: Lines) -> tuple[int, int, int, int]:
    return (*lines.position(found.span.start), *lines.position(found.span.end))


def diff(before: Document, after: Document, style: Style) -> Iterator[str]:
    """A unified diff of one file; control characters other than line ends are shown as they are."""
    return text_diff(f"a/{before.path}", before.text, f"b/{after.path}", after.text, style)


def text_diff(old_name: str, old: str, new_name: str, new: str, style: Style) -> Iterator[str]:
    """The same of two texts."""
    for line in patch.lines(old_name, old, new_name, new):
        kind = {"+": "added", "-": "removed", "@": "place"}.get(line[0], "")
        yield style(kind, line)
