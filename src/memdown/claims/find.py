"""Finding claims: one walk over the blocks of a text, each line looked at once."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise, takewhile

from msgspec import Struct, structs

from memdown.claims import grammar, words
from memdown.claims.declared import declared
from memdown.claims.model import CodeClaim
from memdown.claims.versions import constraint
from memdown.markdown import frontmatter
from memdown.markdown.blocks import Block, scan
from memdown.markdown.frontmatter import FrontMatterEntry, FrontMatterValue
from memdown.markdown.line_ends import split_lines
from memdown.patterns import lazy
from memdown.record import SINCE, Document, Record
from memdown.text import Span

LinePattern = tuple[Callable[["_ClaimLine"], None], Callable[["_ClaimLine"], bool]]
"""What finds claims in a line, and whether the line has the sign of such claims, which is seen fast."""
_LONGEST_LINE = 4000
"""A longer line is data."""
_DIGITS = 2
"""A whole number with more of them is a port, a count or a year, and no version."""
_QUOTED = 3
"""Lines that a quotation has at least, so that it is not found by chance."""
_BUILT_IN = frozenset(
    "install i ci init publish add remove rm uninstall update upgrade audit create exec dlx link login whoami view"
    " info list ls outdated version config cache run why pack prune global workspace workspaces dedupe set x up"
    " create-react-app require notice warn error ERR store approve-builds patch patch-commit import fetch rebuild"
    " doctor token ping search fund explain dist-tag deprecate owner access team org bin root prefix"
    " help pkg query".split()
)
"""What package managers do by themselves, and what they say."""
_LIBRARIES = frozenset(
    "alpine angular babylon backbone bootstrap bull cannon chart chai d3 day discord electron ember express fabric"
    " handlebars hapi highlight hono jest jquery koa knockout leaflet lodash matter mermaid mocha moment nest next"
    " node nuxt p5 paper passport phaser pixi plotly polymer preact prism puppeteer ramda react require reveal sails"
    " socket solid stimulus svelte tensorflow three turbo underscore video vue web3 webpack".split()
)
"""What is called so with `.js` behind it, and is no file where it has a capital."""
_NO_FILES = frozenset("alpine angular backbone d3 discord ember nest next node nuxt p5 react svelte three vue".split())
"""Those that hardly any file is called by."""
_STYLES = frozenset(
    "snake_case camelCase PascalCase kebab_case UPPER_CASE SCREAMING_SNAKE_CASE lower_case"
    " MAJOR.MINOR.PATCH MAJOR.MINOR".split()
)
"""Ways to spell a name, which are no names."""
_WORDS = frozenset("click express go lit motion nest next rich solid swift turbo".split())
"""Libraries that are called by a word, and are written with a capital or with a whole version where they are meant."""
_RUN = lazy(r"[a-z][a-z0-9_-]{0,30} (?:--?)?[a-z][a-z0-9_-]{0,30} ", re.ASCII)
"""A program and what it is to do, as a command begins, and hardly any folder."""
_OF_TWO = lazy(r"[A-Z][a-z]{1,20}/[a-z]{1,20}|[A-Z][\w-]{1,40}/[A-Z]\w{0,40}-[\w-]{1,60}", re.ASCII)
"""Two words of prose, `Gain/loss`, or somebody's repository, `Ann/Scotland-Yard`."""
_STYLED = lazy(r"\d(?:px|r?em|v[hw]|fr|deg)\b", re.ASCII)
"""A measure of a style sheet."""
_WRITES = frozenset("-o --out --output --outfile --outdir > >> touch mkdir cp mv rm -rf git add".split())


def find(document: Document) -> list[CodeClaim]:
    """The claims of a text, in the order of their places, and those that are declared in it."""
    return document.of(reader_of(document))


def reader_of(document: Document) -> Callable[[str], list[CodeClaim]]:
    """What finds the claims of a text whose records are known."""
    return _Reader(_titles(document))


def paths(document: Document) -> list[CodeClaim]:
    """Only the files and folders that a text says are there, which takes less time."""
    if not grammar.may_be_path(document.text):
        return []
    return document.of(_Reader(_titles(document), only_paths=True))


def _titles(document: Document) -> frozenset[int | str]:
    """Where decisions begin, and what they are called."""
    return frozenset(each for record in document.records if record.kind in SINCE for each in _title(record))


def _title(record: Record) -> tuple[int | str, ...]:
    if record.title and words.is_labelled_plan(record.title):
        return ()
    return (record.span.start, record.title) if record.title else (record.span.start,)


class _Reader(Struct, frozen=True):
    """Reads the claims of a text whose decisions are known."""

    titles: frozenset[int | str]
    only_paths: bool = False

    def __call__(self, text: str) -> list[CodeClaim]:
        if self.only_paths:
            return [each for each in _found(text, self.titles, only_paths=True) if each.kind == "path"]
        found = [*declared(text), *_found(text, self.titles)]
        return sorted(found, key=lambda each: (each.span.start, each.span.end))


class _Heading:
    """A heading over the text that is looked at, with what it and those above it say: asked for where claims may be."""

    __slots__ = ("_above", "_aside", "_dated", "_is_title", "_text", "level")

    def __init__(self, level: int, text: str, above: "_Heading | None", *, is_title: bool) -> None:
        self.level = level
        self._text = text
        self._above = above
        self._is_title = is_title
        """The title of a decision says what holds, whatever its words."""
        self._aside: bool | None = None
        self._dated: bool | None = None

    @property
    def aside(self) -> bool:
        if self._aside is None:
            own = not self._is_title and words.is_aside(self._text)
            self._aside = own or (self._above is not None and self._above.aside)
        return self._aside

    @property
    def dated(self) -> bool:
        if self._dated is None:
            self._dated = words.is_dated(self._text) or (self._above is not None and self._above.dated)
        return self._dated


def _found(text: str, titles: frozenset[int | str], *, only_paths: bool = False) -> Iterator[CodeClaim]:
    simple = frontmatter.plain(text)
    if simple:
        body = simple[1]
        if not only_paths or _names_file(text, body):
            yield from _in_plain(text, body, only_paths=only_paths)
    else:
        front = frontmatter.read(text)
        body = front.body if front else 0
        yield from _in_front(text, front.entries if front else (), only_paths=only_paths)
    marks = [match.start() for match in grammar.MAY_BE_PATH.finditer(text, body)] if only_paths else []
    if only_paths and not marks:
        return
    headings = [_Heading(0, "", None, is_title=False)]
    open_tasks = -1
    label: Block | None = None
    """The paragraph right above a list, which may say that the list tells of something else than what is so."""
    cited: CodeClaim | None = None
    at = 0
    """How many of the marks are passed."""
    for block, after in pairwise((*_scanned(text, body, marks), None)):
        assert block is not None
        if block.kind == "heading":
            heading = block.content.of(text)
            is_title = block.span.start in titles or heading in titles
            _enter(headings, block.level, heading, is_title=is_title)
        if block.kind == "item" and block.task is not None:
            open_tasks = max(open_tasks, block.span.end)  # what is to be done, or was done
        if block.kind == "item" and label and not words.is_over_list_aside(label.span.of(text)):
            label = None
        if block.kind == "item" and label and block.depth >= label.depth:
            open_tasks = max(open_tasks, block.span.end)
        elif block.span.start >= open_tasks:
            label = block if block.kind == "paragraph" else None
        if only_paths:
            while at < len(marks) and marks[at] < block.span.start:
                at += 1
            if at == len(marks) or marks[at] >= block.span.end:
                continue
        if block.span.start < open_tasks or headings[-1].aside:
            continue
        here = []
        if block.kind in ("paragraph", "table", "heading"):
            here = list(_in_lines(text, block.span.start, block.span.end, only_paths=only_paths))
            paths = [each for each in here if each.kind == "path" and "." in each.target.rpartition("/")[2]]
            is_before = (
                after is not None
                and after.kind == "fence"
                and text[block.span.start : block.span.end].rstrip().endswith(":")
            )
            cited = paths[-1] if paths and is_before else None
        elif block.kind == "fence" and not only_paths:
            here = list(_in_fence(text, block, cited))
            cited = None
        if here:
            yield from (structs.replace(each, dated=True) for each in here) if headings[-1].dated else here


def _scanned(text: str, body: int, marks: Sequence[int]) -> Iterator[Block]:
    """The blocks of a text; where marks are given, those up to the last of them."""
    if not marks:
        return scan(text, body)
    return takewhile(lambda block: block.span.start <= marks[-1], scan(text, body))


def _names_file(text: str, end: int) -> bool:
    """Whether what stands before some place may name a file or a folder."""
    return "/" in text[:end] or grammar.MAY_BE_PATH.search(text, 0, end) is not None


def _enter(headings: list[_Heading], level: int, heading: str, *, is_title: bool) -> None:
    while headings[-1].level >= level:
        headings.pop()
    headings.append(_Heading(level, heading, headings[-1], is_title=is_title))


def _in_front(text: str, entries: Sequence[FrontMatterEntry], *, only_paths: bool) -> Iterator[CodeClaim]:
    """What the values of front matter say; those of `claims` are declared."""
    for entry in entries:
        if entry.key != "claims":
            yield from _in_value(text, entry.value, only_paths=only_paths)


def _in_value(text: str, value: FrontMatterValue, *, only_paths: bool) -> Iterator[CodeClaim]:
    yield from _in_front(text, value.entries, only_paths=only_paths)
    for item in value.items:
        yield from _in_value(text, item, only_paths=only_paths)
    if not value.text:
        return
    yield from _in_scalar(text, value.span.start, value.span.end, only_paths=only_paths)


def _in_plain(text: str, body: int, *, only_paths: bool) -> Iterator[CodeClaim]:
    """The same of the simplest front matter, a value or an item on each line, which need not be read for it."""
    at = text.index("\n") + 1
    key = ""
    for line in text[at : text.rindex("\n---", 0, body)].split("\n"):
        is_item = line.startswith("  - ")
        if not is_item:
            key = line.partition(":")[0]
        start = 4 if is_item else len(key) + 2
        if key != "claims" and _may_tell(line, start):
            yield from _in_scalar(text, at + start, at + len(line), only_paths=only_paths)
        at += len(line) + 1


def _may_tell(line: str, start: int) -> bool:
    """Whether a value may name a file, or has several words: most are an id, a time or a keyword."""
    return line.find(" ", start) > 0 or line.find("/", start) > 0 or line.find(".", start) > 0 or "::" in line


def _in_scalar(text: str, start: int, end: int, *, only_paths: bool) -> Iterator[CodeClaim]:
    bare = text[start:end].strip("\"'")
    named = bare.removeprefix("file:").lstrip()
    claim = None
    if "/" in named or "." in named or "::" in named:
        begin = text.index(named, start, end)
        claim = _path(named, begin, begin + len(named))
    if claim and claim.sure > 0.9:
        yield claim
    elif " " in bare:  # one word alone is an id, a time, a keyword
        yield from _in_lines(text, start, end, only_paths=only_paths)


def _in_lines(text: str, at: int, end: int, *, only_paths: bool) -> Iterable[CodeClaim]:
    passage = text[at:end]
    if not grammar.may_claim(passage):
        return ()
    # A list that all add to: most of ten thousand records have three claims, and each came up through six generators.
    found: list[CodeClaim] = []
    patterns = _ONLY_PATHS if only_paths else _PATTERNS
    is_calm = words.is_calm(passage)
    for line in split_lines(passage, keepends=True):
        may = not only_paths or grammar.MAY_BE_PATH.search(line)
        if may and len(line) <= _LONGEST_LINE and not line.lstrip(" >*-").startswith("~~"):
            _in_line(_ClaimLine(text, at, at + len(line), is_calm, found), patterns)
        at += len(line)
    return found


class _ClaimLine:
    """A line of a text, in which claims are looked for."""

    __slots__ = ("end", "found", "is_calm", "is_logged", "start", "taken", "text")

    def __init__(self, text: str, start: int, end: int, is_calm: bool, found: list[CodeClaim]) -> None:
        self.text = text
        self.start = start
        self.end = end
        self.is_calm = is_calm
        """Whether no sentence of its paragraph can tell of something else than what is so."""
        self.is_logged = not is_calm and words.is_logged(text, start)
        self.found = found
        """Where its claims are added."""
        self.taken: list[tuple[int, int]] = []
        """Pieces of code and links, which were looked at."""

    def has_taken(self, start: int, end: int) -> bool:
        return any(first <= start and end <= last for first, last in self.taken)

    def add(self, span: tuple[int, int], claim: CodeClaim) -> None:
        """Add a claim, unless its sentence tells of what was or will be."""
        text = self.text
        if _is_aside(text, span, claim):
            return
        if claim.kind == "symbol" and not claim.value and "." not in claim.target and words.is_folder(text, span[1]):
            claim = CodeClaim("path", claim.span, f"{claim.target}/", sure=0.7)
        if not self.is_calm:
            around = words.around(text, *span)
            if words.tells_of_change(around, versions=claim.kind in ("version", "port")):
                return
            if self.is_logged or words.is_dated(around):
                claim = structs.replace(claim, dated=True)
        self.found.append(claim)


def _in_line(line: _ClaimLine, patterns: Sequence[LinePattern]) -> None:
    text, start, end = line.text, line.start, line.end
    if not line.is_calm and words.is_label_aside(text, start):
        return
    pieces = list(grammar.CODE.finditer(text, start, end))
    denied = () if line.is_calm else {match[1] for match in pieces if words.is_denied(text, match.start())}
    for match in pieces:
        line.taken.append(match.span())
        # What is denied is so wherever else the line has it.
        if match[1] not in denied and (claim := _of_code(match[1], *match.span(1))):
            line.add(match.span(), claim)
    if text.find("](", start, end) >= 0:
        for match in grammar.LINKED.finditer(text, start, end):
            line.taken.append(match.span())
            if claim := _path(match[1].partition("#")[0], *match.span(1)):
                line.add(match.span(), claim)
    for pattern, may_match in patterns:
        if may_match(line):
            pattern(line)


def _is_aside(text: str, span: tuple[int, int], claim: CodeClaim) -> bool:
    """Whether the words beside a claim make it something else: a branch, or a value that a thing has at times."""
    if claim.kind == "literal":
        return words.is_condition(text, *span, constant=claim.target.isupper())
    is_folder = claim.kind == "path" and claim.sure <= 0.7 and not claim.target.endswith("/")
    if not is_folder or "." in claim.target:
        return False
    is_pair = claim.target.count("/") == 1
    return words.is_branch(text, *span) or (is_pair and words.is_repository(words.around(text, *span)))


def _has_bare_slash(line: _ClaimLine) -> bool:
    """Whether a line has a slash outside of code and links."""
    at = line.text.find("/", line.start, line.end)
    while at >= 0:
        last = next((last for first, last in line.taken if first <= at < last), None)
        if last is None:
            return True
        at = line.text.find("/", last, line.end)
    return False


def _bare(line: _ClaimLine) -> None:
    for match in grammar.BARE.finditer(line.text, line.start, line.end):
        if not line.has_taken(*match.span()) and (claim := _path(match[0], *match.span())):
            line.add(match.span(), structs.replace(claim, sure=min(claim.sure, 0.8)))


def _may_pin(line: _ClaimLine) -> bool:
    return grammar.MAY_PIN.search(line.text, line.start, line.end) is not None


def _versions(line: _ClaimLine) -> None:
    for match in grammar.PIN.finditer(line.text, line.start, line.end):
        if match["name"] in _WORDS and match["gap"] == " " and match["version"].isdigit():
            continue  # "the next 3 pages"
        if not match["version"].isdigit() or (len(match["version"]) <= _DIGITS and match["version"] != "0"):
            claim = CodeClaim("version", Span(*match.span("version")), match["name"], constraint(match), 0.9)
            line.add(match.span(), claim)


def _may_be_url(line: _ClaimLine) -> bool:
    return line.text.find("://", line.start, line.end) >= 0


def _urls(line: _ClaimLine) -> None:
    for match in grammar.URL.finditer(line.text, line.start, line.end):
        if not grammar.PLACEHOLDER.search(match[0]):
            line.add(match.span(), CodeClaim("url", Span(*match.span()), match[0], sure=0.9))


def _may_be_port(line: _ClaimLine) -> bool:
    return grammar.MAY_BE_PORT.search(line.text, line.start, line.end) is not None


def _ports(line: _ClaimLine) -> None:
    for match in grammar.PORT.finditer(line.text, line.start, line.end):
        if not line.has_taken(*match.span()):
            line.add(match.span(), CodeClaim("port", Span(*match.span(1)), match[1], sure=0.8))


def _of_code(code: str, start: int, end: int) -> CodeClaim | None:
    """What a piece of code claims; None when it may be anything."""
    literal = grammar.LITERAL.fullmatch(code) if "=" in code else None
    if literal and not (
        literal["name"].isalpha() and literal["name"].islower() and literal["value"][0] in "\"'"
    ):  # as an attribute of HTML
        return CodeClaim("literal", Span(start, end), literal["name"], literal["value"], 0.9)
    if run := _command(code):
        return CodeClaim("command", Span(start, end), run[1], run[0], 0.95)
    if grammar.COMMIT.fullmatch(code):
        return CodeClaim("commit", Span(start, end), code, sure=0.8)
    return _path(code, start, end) or _name(code, start, end) or _spaced_path(code, start, end)


def _spaced_path(code: str, start: int, end: int) -> CodeClaim | None:
    """A file with a space in its path; as likely a command, which only whoever knows the files can tell."""
    if " " not in code or code != code.strip() or " /" in code or "/ " in code:
        return None
    if _RUN.match(code) or all("/" in part and "." in part.rpartition("/")[2] for part in code.split(" ")):
        return None  # `lamdera make src/Main.elm`, `tests/a.py tests/b.py`
    joined = code.replace(" ", "_")
    claim = _path(joined, start, end)
    if claim is None or claim.kind != "path" or claim.sure <= 0.7:
        return None
    at = joined.index(claim.target)
    return structs.replace(claim, target=code[at : at + len(claim.target)], sure=0.75)


def _is_file_name(code: str) -> bool:
    return code.partition(".")[0] in grammar.BARE_NAMES


def _command(code: str) -> tuple[str, str] | None:
    """The runner and what it runs."""
    match = grammar.RUNNERS.match(code) if " " in code or "\t" in code else None
    if not match or grammar.PLACEHOLDER.search(code):
        return None
    runner, *rest = match["runner"].split()
    if match["name"] in _BUILT_IN and "run" not in rest and runner != "make":
        return None
    return runner, match["name"]


def _path(code: str, start: int, end: int) -> CodeClaim | None:
    if "/" not in code and "." not in code and not code.startswith(grammar.BARE_NAMES):
        return None
    match = grammar.PATH.fullmatch(code)
    if not match or not match["path"].strip("./0123456789") or grammar.PLACEHOLDER.search(match["path"]):
        return None
    path = match["path"]
    parts = path.rstrip("/").split("/")
    file, dot, ending = parts[-1].rpartition(".")
    is_file = (bool(dot) and ending.lower() in grammar.ENDINGS and bool(file)) or parts[-1] in grammar.BARE_NAMES
    folders = [part.lower() for part in (parts[:-1] if is_file else parts)]
    if not grammar.NEVER.isdisjoint(folders) or (folders and folders[0] in grammar.OUTER):
        return None
    is_made = not grammar.MADE.isdisjoint(folders)
    if is_made and (not is_file or match["symbol"]):
        return None
    if not is_file and ("/" not in path or not grammar.MEDIA.isdisjoint(folders)):
        return None
    if not is_file and (parts[0].startswith("@") or not all(parts) or not (parts[1:] or path.endswith("/"))):
        # A folder may as well be the name of a package or part of an address, unless the slash at its end says so.
        return None
    if not is_file and not path.endswith("/") and (dot or not all(part.isascii() for part in parts)):
        return None
    if not is_file and parts[0].lower() in grammar.BRANCHES:
        return None
    if "/" not in path and ending.lower() == "js" and file.lower() in (_NO_FILES if file.islower() else _LIBRARIES):
        return None  # Next.js, Node.js
    if "/" not in path and ending in grammar.FIELDS and not file.startswith("."):
        return None  # `process.env`, `schema.properties`
    if "/" not in path and not match["symbol"] and (code.endswith("()") or (ending == "conf" and file[:1].isupper())):
        return None  # `response.json()`, `Celery.conf`
    if not is_file and not path.endswith("/") and _OF_TWO.fullmatch(path):
        return None
    if not is_file and _is_elsewhere(parts):
        return None
    if match["colons"] == ":" and (
        ending.lower() not in grammar.PROGRAMS or match["symbol"].lower() in grammar.NO_SYMBOL
    ):
        return None
    if is_file and match["symbol"]:
        return CodeClaim("symbol", Span(start, end), path, match["symbol"], 0.95)
    is_capital = ending.lower() == "js" and file[:1].isupper() and "/" not in path  # may be a library after all
    sure = 0.7 if is_made else 0.95 if is_file and "/" in path else 0.85 if is_file and not is_capital else 0.7
    return CodeClaim("path", Span(start, end), path, match["line"] or "", sure)


def _is_elsewhere(parts: Sequence[str]) -> bool:
    """Whether what looks like a folder is an address, or an environment with its own copies of everything."""
    return bool(grammar.DOMAIN.fullmatch(parts[0])) or any(each.lower().endswith(("-env", "venv")) for each in parts)


def _name(code: str, start: int, end: int) -> CodeClaim | None:
    if code in _STYLES:
        return None
    if grammar.CAPS.fullmatch(code):
        return CodeClaim("variable", Span(start, end), code, sure=0.85)
    match = grammar.CALL.fullmatch(code)
    if not match or _is_file_name(code) or code.endswith(".js"):
        return None
    if match["args"] and (grammar.PLACEHOLDER.search(match["args"]) or _STYLED.search(match["args"])):
        return None
    if "." in code and code.isupper():  # `POLI.TA` of a stock exchange
        return None
    if (match["args"] or "").startswith("--") or (match["call"] and match["name"].isupper()):
        return None  # `var(--primary)` of a style sheet, `UNIQUE(name)` of a table
    name = match["name"].replace("::", ".").replace("#", ".")
    owner, _, last = name.rpartition(".")
    is_named = bool(
        grammar.SNAKE.fullmatch(last) or (grammar.HUMPS.fullmatch(last) and not last.isupper()) or owner[:1].isupper()
    )
    if not is_named and not (match["call"] and len(last) > 2):
        return None
    return CodeClaim("symbol", Span(start, end), name, sure=0.9 if match["call"] else 0.8)


def _in_fence(text: str, block: Block, cited: CodeClaim | None) -> Iterator[CodeClaim]:
    language, _, rest = block.info.strip().partition(" ")
    if language.lower() in grammar.SHELLS or not language:
        yield from _in_shell(text, block, is_shell=bool(language))
        if language or not cited:
            return
    lines = [line for line in split_lines(block.content.of(text)) if line.strip()]
    named = _path(rest.strip().removeprefix("title=").strip("\"'{}"), 0, 0) if rest else None
    target = named or cited
    if (
        target
        and target.kind == "path"
        and len(lines) >= _QUOTED
        and not any("..." in line or "…" in line for line in lines)
    ):
        yield CodeClaim("quote", block.content, target.target, sure=0.8)


def _in_shell(text: str, block: Block, *, is_shell: bool) -> Iterator[CodeClaim]:
    at = block.content.start
    for line in split_lines(block.content.of(text), keepends=True):
        bare = line.strip()
        begin = at + len(line) - len(line.lstrip())
        at += len(line)
        if bare.startswith("$ "):
            bare, begin = bare[2:].lstrip(), begin + bare.index(bare[2:].lstrip())
        elif not is_shell or bare.startswith("#"):
            continue
        yield from _in_command(bare.partition(" #")[0].rstrip(), begin)


def _in_command(line: str, begin: int) -> Iterator[CodeClaim]:
    """What one command of a shell runs, and the scripts it names."""
    if len(line) > _LONGEST_LINE:
        return
    at = 0
    for part in re.split(r"(&&|;|\|\|?)", line):
        bare = part.strip()
        place = begin + at + part.find(bare) if bare else begin
        at += len(part)
        run = _command(bare)
        if run:
            yield CodeClaim("command", Span(place, place + len(bare)), run[1], run[0], 0.95)
        elif bare and not _WRITES.intersection(bare.split()):
            yield from _scripts(bare, place)


def _scripts(command: str, begin: int) -> Iterator[CodeClaim]:
    for match in re.finditer(r"\S+", command):
        claim = _path(match.group(), begin + match.start(), begin + match.end())
        if claim and claim.kind == "path" and "/" in claim.target and claim.sure > 0.9:
            yield claim


_ONLY_PATHS: tuple[LinePattern, ...] = ((_bare, _has_bare_slash),)
_PATTERNS: tuple[LinePattern, ...] = (*_ONLY_PATHS, (_versions, _may_pin), (_ports, _may_be_port), (_urls, _may_be_url))
