"""What is wrong, by file and rule, with the page of the rule, the fix as a difference first, and silencing it."""

from collections import Counter

from msgspec import Struct

from memdown.diagnostics import SEVERITIES, Diagnostic
from memdown.errors import Invalid, NotFound, quote
from memdown.memory import Memory
from memdown.surfaces.web.views import checked, shown
from memdown.surfaces.web.views.model import Done, Pager, PageRequest, View, difference

_SIZE = 100


class FoundAt(Struct, frozen=True):
    """A finding and its line."""

    diagnostic: Diagnostic
    line: int


def show(memory: Memory, request: PageRequest) -> View:
    known = checked.everything(memory)
    code, severity, path = request.text("code"), request.text("severity"), request.text("path")
    # Notes are in the way of what is wrong, and worth the page where nothing is.
    with_notes = bool(code or path) or all(each.severity == "info" for each in known.found)
    at: Counter[str] = Counter()
    every = []
    for each in known.found:
        every.append(FoundAt(each, known.lines[each.path][at[each.path]]))
        at[each.path] += 1
    wanted = [
        each
        for each in every
        if (not code or each.diagnostic.code == code)
        and (each.diagnostic.severity == severity if severity else with_notes or each.diagnostic.severity != "info")
        and (not path or each.diagnostic.path == path)
    ]
    wanted.sort(key=lambda each: SEVERITIES.index(each.diagnostic.severity))
    pager = Pager(request.page(), _SIZE, len(wanted))
    return View(
        "findings.html",
        "Findings",
        {
            "found": wanted[pager.offset : pager.offset + _SIZE],
            "pager": pager,
            "severities": Counter(each.severity for each in known.found),
            "rules": Counter((each.code, each.name) for each in known.found).most_common(40),
            "notes_left_out": 0 if with_notes or severity else sum(each.severity == "info" for each in known.found),
            "chosen": {"code": code, "severity": severity, "path": path},
            "rule": memory.rule(code) if code else None,
            "files": len({each.path for each in known.found}),
        },
    )


def fix(memory: Memory, request: PageRequest) -> View:
    """What a fix would change."""
    path, code = _named(memory, request)
    unsafe = bool(request.text("unsafe"))
    with memory.snapshot():
        done = memory.fix([str(memory.root / path)], chosen=memory.selection([code]), unsafe=unsafe, write=False)
        after = next((each.text for each in done.documents if each.path == path), "")
        diff = difference(memory.text(path), after, path)
        known = shown.fingerprint(memory, path)
    values = {"path": path, "rule": memory.rule(code), "diff": diff, "unsafe": unsafe, "hash": known}
    return View("fix.html", f"Fix {code}", values)


def do_fix(memory: Memory, request: PageRequest) -> Done:
    path, code = _named(memory, request)
    with memory.files.lock():
        memory.require_unchanged({path: request.text("hash")})
        memory.fix([str(memory.root / path)], chosen=memory.selection([code]), unsafe=bool(request.text("unsafe")))
    return Done(f"Fixed {code} in {path}", "findings")


def do_suppress(memory: Memory, request: PageRequest) -> Done:
    path, code = _named(memory, request)
    line = request.text("line")
    if not (line.isascii() and line.isdigit() and len(line) < 9):
        raise Invalid("A line is a number.")
    with memory.files.lock():
        memory.require_unchanged({path: request.text("hash")})
        memory.suppress(path, int(line), code)
    return Done(f"{code} is silenced at line {line} of {path}", "findings")


def suppress(memory: Memory, request: PageRequest) -> View:
    """Asks before a rule is silenced at a line."""
    path, code = _named(memory, request)
    values = {
        "path": path,
        "rule": memory.rule(code),
        "line": request.text("line"),
        "hash": shown.fingerprint(memory, path),
    }
    return View("suppress.html", f"Silence {code}", values)


def _named(memory: Memory, request: PageRequest) -> tuple[str, str]:
    path, code = request.text("path"), request.text("code")
    if path not in {each.path for each in memory.questions.files()}:
        raise NotFound(f"There is no memory file {quote(path)}.")
    return path, memory.rule(code).code
