"""Lines of code that memory cites: `src/db.py:42`, and quotations, compared with the file as it was then and is now."""

from pathlib import Path

from memdown import git
from memdown.evidence.model import FRESH, Answer, unknown
from memdown.git.past import GitPast
from memdown.text import decode

_LARGEST = 2_000_000
_NEAR = 3
"""Lines that a citation may be off by and still be right."""


class LineEvidence:
    """The cited lines of files."""

    def __init__(self, root: Path, past: GitPast) -> None:
        self._root = root
        self._past = past
        self._then: dict[tuple[str, str], list[str] | None] = {}

    def line(self, path: str, number: int, since: str | None) -> Answer:
        """How a line stands, cited by its number when the commit `since` was the last one."""
        now = self._now(path)
        if now is None:
            return unknown("the file cannot be read as text")
        then = self._at(since, path) if since else None
        if then is None or number > len(then) or not then[number - 1]:
            return FRESH if number <= len(now) else Answer("changed", f"{path} has {len(now)} lines")
        cited = then[number - 1]
        if number <= len(now) and cited in now[max(number - 1 - _NEAR, 0) : number + _NEAR]:
            return FRESH
        places = [at for at, line in enumerate(now, 1) if line == cited]
        if len(places) == 1:
            return Answer("moved", f"{path}:{places[0]}")
        commit = self._culprit(path, since or "", cited)
        return unknown("the line stands in several places") if places else Answer("changed", commit=commit)

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
            return unknown("the file never had these lines as they stand here")
        return Answer("changed", commit=self._culprit(path, since or "", *lines))

    def _culprit(self, path: str, since: str, *lines: str) -> "git.Commit | None":
        """The first commit after one at which the lines are no longer in the file."""
        only = ("--format=%H", "--reverse", f"{since}..HEAD", "--", f":(literal){path}")
        for commit in git.output(self._root, "log", *only).split():
            if not _has(self._at(commit, path) or [], list(lines)):
                return git.resolve(self._root, commit)
        return None

    def _now(self, path: str) -> list[str] | None:
        try:
            with (self._root / path).open("rb") as file:
                data = file.read(_LARGEST)
        except OSError:
            return None
        return None if b"\0" in data else [" ".join(line.split()) for line in decode(data).split("\n")]

    def _at(self, commit: str, path: str) -> list[str] | None:
        if (commit, path) not in self._then:
            text = git.output(self._root, "show", f"{commit}:./{path}")
            self._then[commit, path] = [" ".join(line.split()) for line in text.split("\n")] if text else None
        return self._then[commit, path]


def _normal(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def _has(lines: list[str], wanted: list[str]) -> bool:
    whole = "\n".join(line for line in lines if line)
    return "\n".join(("", *wanted, "")) in f"\n{whole}\n"
