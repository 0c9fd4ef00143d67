"""The same pages as plain files: every page that another one links to, each written once. Needs the extra `web`."""

import hashlib
import json
import re
import shutil
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from memdown import VERSION
from memdown.errors import MemdownError, Refused, Unreadable, quote
from memdown.memory import Memory
from memdown.record import Mark, Record
from memdown.surfaces.web import markup, offline
from memdown.surfaces.web.views import NAVIGATION, SHOWS, checked
from memdown.surfaces.web.views.files import page_of
from memdown.surfaces.web.views.model import PageRequest

LIST = ".memdown-export.json"
"""The names of the files of an export, so that the next one can take their place and nothing else's."""
_STATIC = ("app.css", "app.js", "chart.js", "find.js", "icon.svg")
_VENDOR = ("uplot.min.css", "uplot.min.js", "uplot.LICENSE")
POLICY = (
    "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file:; form-action 'none';"
    " base-uri 'none'"
)
"""As strict as the server's; what is opened from a disk has no origin that 'self' could mean everywhere."""
_OWN_PAGE = 10_000
"""Records that get a page, the newest; a link to an older one leads to its line in its file."""
_CHUNK = 5000
_UNFIT = re.compile(r"[^a-z0-9]+")
_SLUG = 40


class ExportedPages(Struct, frozen=True):
    """What was written."""

    folder: str
    pages: int
    files: list[str]


class _Target(Struct, frozen=True):
    """A page that is to be written."""

    page: str
    given: tuple[tuple[str, str], ...]
    name: str


class PageFiles:
    """Pages on their way to a folder."""

    def __init__(self, memory: Memory, folder: Path) -> None:
        self._memory = memory
        self._folder = folder
        self._names: dict[tuple[str, tuple[tuple[str, str], ...]], str] = {}
        self._waiting: deque[_Target] = deque()
        self._older: dict[str, tuple[str, int]] = {}
        """Where the records are that get no page of their own."""
        self._templates = markup.environment(self._link)
        self._templates.globals.update(
            static=lambda name: f"static/{name}",
            navigation=NAVIGATION,
            live=False,
            policy=POLICY,
            watched=False,
            version=VERSION,
        )

    def write(self) -> ExportedPages:
        """Write all pages, and take away those of an earlier export that are no more."""
        before = self._earlier()
        with self._memory.snapshot():
            return self._write(before)

    def _write(self, before: set[str]) -> ExportedPages:
        checked.everything(self._memory)
        self._folder.mkdir(parents=True, exist_ok=True)
        written = [*self._write_static()]
        self._link("")
        written += self._write_index()
        while self._waiting:
            target = self._waiting.popleft()
            (self._folder / target.name).write_bytes(self._page(target).encode("utf-8", "replace"))
            written.append(target.name)
        (self._folder / LIST).write_text(json.dumps(sorted(written), indent=1), "utf-8")
        for name in before - set(written):
            (self._folder / name).unlink(missing_ok=True)
        return ExportedPages(str(self._folder), sum(name.endswith(".html") for name in written), sorted(written))

    def _earlier(self) -> set[str]:
        """The files of an earlier export in the folder; a folder with other files in it is refused."""
        if not self._folder.exists():
            return set()
        try:
            names = {each.name for each in self._folder.iterdir()}
            if not names:
                return set()
            listed = json.loads((self._folder / LIST).read_text("utf-8")) if LIST in names else None
        except (OSError, ValueError) as error:
            raise Unreadable(f"{quote(str(self._folder))} cannot be exported to: {error}.") from error
        if not isinstance(listed, list):
            raise Refused(f"{quote(str(self._folder))} has other files in it; choose an empty or a new folder.")
        plain = re.compile(r"(?:static/(?:vendor/)?|search/)?[\w.-]+")
        return {name for name in listed if isinstance(name, str) and plain.fullmatch(name) and ".." not in name}

    def _write_static(self) -> list[str]:
        names = [*_STATIC, *(f"vendor/{name}" for name in _VENDOR)]
        (self._folder / "static" / "vendor").mkdir(parents=True, exist_ok=True)
        for name in names:
            shutil.copyfile(markup.STATIC / name, self._folder / "static" / name)
        return [f"static/{name}" for name in names]

    def _write_index(self) -> list[str]:
        """What the pages search by."""
        (self._folder / offline.FOLDER).mkdir(exist_ok=True)
        written = []
        for name, text in offline.of_records(self._records(), self._memory.now(), self._own).files():
            written.append(f"{offline.FOLDER}/{name}")
            (self._folder / written[-1]).write_bytes(text.encode("utf-8", "replace"))
        return written

    def _records(self) -> Iterator[list[Mark]]:
        """All records, the newest first."""
        everything, offset = self._memory.questions.parse(""), 0
        while marks := self._memory.questions.page(everything, offset=offset, limit=_CHUNK).found.marks:
            yield marks
            offset += len(marks)

    def _own(self, record: Record, number: int) -> str:
        """The page of a record, by how many are newer."""
        if number >= _OWN_PAGE:
            self._older[record.id] = (record.path, record.line)
        return self._link("record", id=record.id)

    def _page(self, target: _Target) -> str:
        request = PageRequest(dict(target.given), as_file=True)
        try:
            view = SHOWS[target.page](self._memory, request)
            template, title, values = view.template, view.title, view.values
            if target.page == "":  # where a server adds it later
                values = SHOWS["health"](self._memory, request).values | values
        except MemdownError as error:
            template, title, values = "error.html", "Not here", {"sentence": str(error), "diff": "", "back": ""}
        common = {
            "title": title,
            "here": target.page,
            "request": request,
            "project": self._memory.root.name,
            "now": self._memory.now(),
            "notices": (),  # who exports is told, not who reads it next week
        }
        return self._templates.get_template(template).render(common | values)

    def _link(self, page: str, /, **given: object) -> str:
        """The file of a page, which is to be written too."""
        older = self._older.get(str(given.get("id"))) if page == "record" else None
        if older is not None:
            page, given = "files", {"path": older[0], "line": older[1], "anchor": f"L{older[1]}"}
        anchor = given.pop("anchor", None)
        line = given.pop("line", None)
        if line is not None:
            given["page"] = page_of(int(str(line)))
        if given.get("page") == 1:
            del given["page"]
        values = tuple(sorted((name, str(value)) for name, value in given.items() if value not in (None, "", 0, False)))
        key = (page, values)
        if key not in self._names:
            self._names[key] = _file_name(page, values)
            # The next page of a file comes right behind it, as long as what was read of it is at hand.
            add = self._waiting.appendleft if page == "files" else self._waiting.append
            add(_Target(page, values, self._names[key]))
        return self._names[key] + (f"#{anchor}" if anchor else "")


def export(memory: Memory, folder: Path) -> ExportedPages:
    """Write every page into a folder that is new, empty or an earlier export."""
    return PageFiles(memory, folder).write()


def _file_name(page: str, given: tuple[tuple[str, str], ...]) -> str:
    if not given:
        return f"{page or 'index'}.html"
    said = " ".join(value for _, value in given).lower()
    slug = _UNFIT.sub("-", said)[:_SLUG].strip("-")
    digest = hashlib.sha256(repr(given).encode("utf-8", "replace")).hexdigest()[:10]
    return "-".join(filter(None, (page or "index", slug, digest))) + ".html"
