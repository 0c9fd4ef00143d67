"""Memory as files: each line by what it was read as."""

from msgspec import Struct

from memdown.acts.check import FileReading
from memdown.diagnostics import Diagnostic
from memdown.dialects.hollow import is_hollow
from memdown.errors import NotFound, quote
from memdown.memory import Memory
from memdown.surfaces.web import editors
from memdown.surfaces.web.views.model import Pager, PageRequest, View

_LINES = 1000
_LONGEST = 2000
"""Characters of a line that are shown."""
_FILES = 200
_KINDS = {"r": "record", "p": "prose", "d": "unread", "-": "blank"}


class ShownLine(Struct, frozen=True):
    """A line of a file, as a page shows it."""

    number: int
    kind: str
    text: str
    cut: bool
    record: str
    """The id of the record that begins here."""
    findings: list[Diagnostic]


def show(memory: Memory, request: PageRequest) -> View:
    if request.text("path"):
        return _file(memory, request)
    files = memory.questions.files()
    pager = Pager(request.page(), _FILES, len(files))
    most = max((each.size for each in files), default=1) or 1
    shown = files[pager.offset : pager.offset + _FILES]
    return View("files.html", "Files", {"files": shown, "pager": pager, "most": most, "all": len(files)})


def page_of(line: int) -> int:
    """The page of a file that has a line."""
    return max((line - 1) // _LINES + 1, 1)


class LastReading:
    """The file that was shown last, as it was read: its next page is often asked for."""

    def __init__(self) -> None:
        self.key = ("", "")
        self.reading: FileReading | None = None
        self.begins: dict[int, str] = {}
        """The ids of the records that begin at a line."""
        self.wrong: dict[int, list[Diagnostic]] = {}

    def close(self) -> None:
        self.reading = None

    def of(self, memory: Memory, path: str) -> FileReading:
        key = (path, memory.questions.state())
        if self.reading is None or self.key != key:
            self.reading, self.key = memory.read(str(memory.root / path)), key
            # A bare heading is a record to rules only, and has no page.
            shown = {each.id for each in self.reading.document.records if not is_hollow(each)}
            runs = (run for run in self.reading.runs() if run.kind == "record" and run.of in shown)
            self.begins = {run.line: run.of for run in runs if run.of}
            self.wrong = {}
            for each in self.reading.diagnostics:
                self.wrong.setdefault(self.reading.document.lines.at(each.span.start) + 1, []).append(each)
        return self.reading


def _file(memory: Memory, request: PageRequest) -> View:
    path = request.text("path")
    if path not in {each.path for each in memory.questions.files()} and path not in memory.names():
        raise NotFound(f"There is no memory file {quote(path)}; the page Files lists them.")
    last = memory.opened(LastReading)
    reading = last.of(memory, path)
    document, begins, wrong = reading.document, last.begins, last.wrong
    line = request.text("line")
    page = page_of(int(line)) if line.isascii() and line.isdigit() and len(line) < 9 else request.page()
    pager = Pager(page, _LINES, len(reading.kinds))
    shown = []
    for at in range(pager.offset, pager.last_shown):
        text = document.lines.span(at).of(document.text).rstrip("\r\n")
        kind = _KINDS[reading.kinds[at]]
        shown.append(
            ShownLine(
                at + 1, kind, text[:_LONGEST], len(text) > _LONGEST, begins.get(at + 1) or "", wrong.get(at + 1, [])
            )
        )
    values = {"path": path, "lines": shown, "pager": pager, "counts": reading.lines, "document": document}
    return View("file.html", path, {**values, "editor": editors.address(str(memory.root / path), 1)})
