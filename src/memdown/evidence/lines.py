"""Lines of code that memory cites: `src/db.py:42`, and quotations, compared with the file as it was then and is now."""

from pathlib import Path

from msgspec import Struct

from memdown import git
from memdown.evidence.codefiles import names_in, readable
from memdown.evidence.model import FRESH, Answer, unknown
from memdown.evidence.symbols import SymbolReader
from memdown.git.past import UNCOMMITTED, GitPast
from memdown.markdown.line_ends import split_lines
from memdown.text import decode

_LARGEST = 2_000_000
_NEAR = 3
"""Lines that a citation may be off by and still be right."""


class LineEvidence:
    """The cited lines of files."""

    def __init__(self, root: Path, past: GitPast, reader: SymbolReader) -> None:
        self._root = root
        self._reader = reader
        self._past = past
        self._then: dict[tuple[str, str], str | None] = {}

    def line(self, path: str, number: int, since: str | None) -> Answer:
        """How a line stands, cited by its number when the commit `since` was the last one."""
        now = self._now(path)
        if now is None:
            return unknown("the file cannot be read as text")
        then = self._at(since, path) if since else None
        if then is None or number > len(then) or not then[number - 1]:
            return FRESH if number <= len(now) else Answer("changed", f"{path} has {len(now)} lines")
        cited = then[number - 1]
        if _is_near(now, cited, number):
            return FRESH
        places = [at for at, line in enumerate(now, 1) if line == cited]
        if len(places) == 1:
            return Answer("moved", f"{path}:{places[0]}", self._shifted(path, since or "", cited, number))
        commit = self._culprit(path, since or "", cited)
        return unknown("the line occurs in several places") if places else Answer("changed", commit=commit)

    def quote(self, path: str, quoted: str, since: str | None) -> Answer:
        """How quoted lines stand, blank ones and indentation aside."""
        lines = _normal(quoted)
        now = self._now(path)
        if now is None:
            return unknown("the file cannot be read as text")
        if _has(now, lines):
            return FRESH
        then = self._at(since, path) if since else None
        if then is None or not _has(then, lines):
            return unknown("the file never had these lines in this form")
        return Answer("changed", commit=self._culprit(path, since or "", *lines))

    def symbol(self, path: str, name: str, since: str | None) -> Answer | None:
        """How a function or class stands whose body was read at a commit: found by its name, not its line.

        None when nobody can tell.
        """
        text = self._text_now(path) if since else None
        now = self._body(path, text, name) if text else None
        then = self._body(path, self._text_at(since, path), name) if since and now else None
        if not since or now is None or then is None or then.body == now.body:
            return None
        changed = (each for each in self._after(since, path) if self._differs(each, path, name, then.body))
        commit = next(changed, None)
        found = git.resolve(self._root, commit) if commit else UNCOMMITTED
        return Answer("changed", commit=found, note="its body changed", how=now.how)

    def lost(self, path: str, name: str, since: str) -> "git.Commit | None":
        """The first commit after one at which a file no longer defines what it defined then; None when it did not."""
        if not self._defines(since, path, name):
            return None
        lost = (each for each in self._after(since, path) if not self._defines(each, path, name))
        commit = next(lost, None)
        return git.resolve(self._root, commit) if commit else UNCOMMITTED

    def had_word(self, path: str, word: str, since: str) -> bool:
        """Whether a file had a word at a commit; also where nobody can tell."""
        text = self._text_at(since, path)
        return text is None or word in text

    def _defines(self, commit: str, path: str, name: str) -> bool:
        text = self._text_at(commit, path)
        data = readable(text.encode("utf-8", "surrogateescape")) if text else b""
        found = self._reader.read(path, data) if data else None
        return bool(found.of(name)) if found else _last(name) in names_in(data)

    def _differs(self, commit: str, path: str, name: str, body: str) -> bool:
        found = self._body(path, self._text_at(commit, path), name)
        return found is None or found.body != body

    def _body(self, path: str, text: str | None, name: str) -> "_Body | None":
        """What a function or class does, without its comments and layout; None when there is none."""
        found = self._reader.read(path, text.encode("utf-8", "surrogateescape"), [_last(name)]) if text else None
        body = found.body(name) if found else None
        return _Body(body, found.how) if found and body else None

    def _culprit(self, path: str, since: str, *lines: str) -> "git.Commit | None":
        """The first commit after one at which the lines are no longer in the file; they are not there now."""
        for commit in self._after(since, path):
            if not _has(self._at(commit, path) or [], list(lines)):
                return git.resolve(self._root, commit)
        return UNCOMMITTED

    def _shifted(self, path: str, since: str, line: str, number: int) -> "git.Commit | None":
        """The first commit after one at which a line is no longer where it was cited."""
        for commit in self._after(since, path):
            if not _is_near(self._at(commit, path) or [], line, number):
                return git.resolve(self._root, commit)
        return UNCOMMITTED

    def _after(self, since: str, path: str) -> list[str]:
        """The commits after one that changed a file, the first of them first."""
        only = ("--format=%H", "--reverse", f"{since}..HEAD", "--", f":(literal){path}")
        return git.output(self._root, "log", *only).split()

    def _now(self, path: str) -> list[str] | None:
        text = self._text_now(path)
        return None if text is None else [" ".join(line.split()) for line in text.split("\n")]

    def _text_now(self, path: str) -> str | None:
        try:
            with (self._root / path).open("rb") as file:
                data = file.read(_LARGEST)
        except FileNotFoundError:  # git lists it, so that it is only not checked out
            return self._text_at("HEAD", path)
        except OSError:
            return None
        return None if b"\0" in data else decode(data)

    def _at(self, commit: str, path: str) -> list[str] | None:
        text = self._text_at(commit, path)
        return None if text is None else [" ".join(line.split()) for line in text.split("\n")]

    def _text_at(self, commit: str, path: str) -> str | None:
        if (commit, path) not in self._then:
            self._then[commit, path] = self._past.text_at(commit, path)
        return self._then[commit, path]


class _Body(Struct, frozen=True):
    body: str
    how: str


def _last(name: str) -> str:
    return name.replace("::", ".").rpartition(".")[2]


def _is_near(lines: list[str], cited: str, number: int) -> bool:
    return number <= len(lines) and cited in lines[max(number - 1 - _NEAR, 0) : number + _NEAR]


def _normal(text: str) -> list[str]:
    return [" ".join(line.split()) for line in split_lines(text) if line.strip()]


def _has(lines: list[str], wanted: list[str]) -> bool:
    whole = "\n".join(line for line in lines if line)
    return "\n".join(("", *wanted, "")) in f"\n{whole}\n"
