"""Versions and commands: what manifests, lock files and task files say, now and at every commit that changed them."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from memdown import git, scan
from memdown.claims.versions import agrees, folded
from memdown.evidence.model import FRESH, Answer, not_found
from memdown.git import Commit
from memdown.git.past import UNCOMMITTED, GitPast
from memdown.markdown.formats import Plain, read_json, read_toml, read_yaml, table
from memdown.patterns import lazy
from memdown.scan.model import manifests
from memdown.store.tree import Tree

_MOST = 300
"""Commits of manifests that are looked at."""
_EXACT = frozenset(("go.mod", "npm-shrinkwrap.json", "package.resolved"))
"""Files with exact versions that are not called a lock."""
_TARGET = lazy(r"^([A-Za-z][\w./-]*)(?:[ \t]+[\w./-]+){0,9}[ \t]*:(?![=:])", re.M)
_PHONY = lazy(r"^\.PHONY[ \t]*:([^\n]*)", re.M)
_RECIPE = lazy(r"^@?([A-Za-z][\w-]*)(?:[ \t][^:=\n]*)?:(?!=)", re.M)
_TOX = lazy(r"^\[testenv:([^\]\n]+)\]|^env_?list\s*=([^\[\n]*(?:\n[ \t]+[^\n]+)*)", re.M)
_SESSION = lazy(r"^@nox\.session[^\n]*\n(?:@[^\n]*\n)*def (\w+)", re.M)
_RAKE = lazy(r"^\s*task[ \t(]+:?[\"']?(\w+)", re.M)
_NAMES = (
    "package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock deno.json deno.jsonc"
    " pyproject.toml setup.cfg setup.py uv.lock poetry.lock pdm.lock Pipfile Pipfile.lock *requirements*.txt"
    " *requirements*.in tox.ini noxfile.py Makefile makefile GNUmakefile justfile Justfile"
    " .justfile Taskfile.yml Taskfile.yaml Cargo.toml Cargo.lock go.mod composer.json composer.lock Gemfile"
    " Gemfile.lock Rakefile pom.xml build.gradle build.gradle.kts *.csproj .nvmrc .node-version .python-version"
    " .ruby-version .java-version .go-version .tool-versions mise.toml .mise.toml compose.yaml compose.yml"
    " docker-compose.yaml docker-compose.yml"
).split()
_REQUIREMENTS = "requirements"
"""A folder whose texts are all of one kind, however deep."""
GLOBS = (*(f"**/{name}" for name in _NAMES), f"**/{_REQUIREMENTS}/**/*.txt")
_FILE = re.compile("|".join(re.escape(name).replace(r"\*", "[^/]*") for name in _NAMES))


class Facts(Struct, frozen=True):
    """What the manifests of one state say."""

    versions: Mapping[str, Mapping[str, str]]
    """By the folded name of a library or language, its versions, each with the file that says so."""
    asked: Mapping[str, Mapping[str, str]]
    """The same of manifests alone: a lock file may have a later version that goes with what they ask for."""
    commands: Mapping[str, Mapping[str, str]]
    """By runner, what it can run, each with the file that says so."""


class _GitTree(Tree):
    """Manifests, those of a commit or those that are not checked out read from git."""

    def __init__(self, root: Path, names: Sequence[str], objects: Mapping[str, str]) -> None:
        super().__init__(root, names)
        self._texts = dict(zip(objects, git.texts_of(root, list(objects.values())), strict=True))

    def _bytes(self, name: str, most: int) -> bytes | None:
        if name not in self._texts:
            return super()._bytes(name, most)
        data = self._texts[name]
        return data if data is None or len(data) <= most else None


class ManifestEvidence:
    """Versions and commands of a project."""

    def __init__(self, root: Path, files: Sequence[str], past: GitPast, package: str = "") -> None:
        """`package` is a folder in it; then manifests count that are in it or in a folder around it."""
        self.root = root
        self._package = package
        self.past = past
        self._files = files
        self._states: list[tuple[Commit, Facts]] = []
        self._more: Iterator[tuple[Commit, Facts]] | None = None
        self._by_objects: dict[tuple[tuple[str, str], ...], Facts] = {}

    @cached_property
    def now(self) -> Facts:
        names = [name for name in self._files if self._counts(name)]
        if all((self.root / name).exists() for name in names):
            return facts(Tree(self.root, names))
        left_out = git.not_checked_out(self.root)
        return facts(_GitTree(self.root, names, {name: left_out[name] for name in names if name in left_out}))

    def version(self, name: str, constraint: str) -> Answer | None:
        """How a version stands; None when nothing shows that it is about a library of this project."""
        key = folded(name)
        there = self.now.versions.get(key)
        if _has(self.now.versions, key, constraint):
            return FRESH
        if not there and key not in self._ever:
            return None
        culprit = self._last(lambda each: _has(each.versions, key, constraint))
        if not culprit and not _has(self.now.asked, key, constraint):  # a lock file had more than was asked for
            culprit = self._last(lambda each: _has(each.asked, key, constraint))
        if not there:
            return Answer("gone", commit=culprit) if culprit else None
        now = f"{next(iter(there))} ({next(iter(there.values()))})"
        if culprit or not self.past.is_known:
            return Answer("changed", now, culprit, "" if culprit else self.past.missing)
        return Answer("unknown", now, note=f"there is another version, and {self.past.missing or 'this one never was'}")

    def command(self, runner: str, name: str) -> Answer:
        """How a command stands."""
        family = _FAMILY.get(runner, runner)
        if self._runs(self.now, family, name):
            return FRESH
        culprit = self._last(lambda each: self._runs(each, family, name))
        if culprit:
            return Answer("gone", commit=culprit)
        if not self.past.is_known and self.now.commands.get(family):
            return Answer("gone", note=self.past.missing)
        return not_found(self.past, "no file ever defined what it runs")

    @staticmethod
    def _runs(known: Facts, family: str, name: str) -> bool:
        there = known.commands.get(family, {})
        return name in there or (name.partition("/")[0] in there and "/" in name)

    @cached_property
    def _ever(self) -> frozenset[str]:
        """The libraries and languages that some manifest had once: most of what looks like a version is of none."""
        return frozenset(name for _, before in self._history() for name in before.versions)

    def _last(self, holds: Callable[[Facts], bool]) -> Commit | None:
        """The commit after which something no longer held; None when it never did."""
        return next((commit for commit, before in self._history() if holds(before)), None)

    def _history(self) -> Iterator[tuple[Commit, Facts]]:
        at = 0
        while True:
            if at == len(self._states):
                self._more = self._more or self._walk()
                entry = next(self._more, None)
                if entry is None:
                    return
                self._states.append(entry)
            yield self._states[at]
            at += 1

    def _walk(self) -> Iterator[tuple[Commit, Facts]]:
        """What changed a manifest, the newest first, each with what was so before it: commits, and what is in none."""
        if self.past.is_known:
            yield UNCOMMITTED, self._at("HEAD")
        for _, commit in zip(range(_MOST), self.past.touching(GLOBS), strict=False):
            yield commit, self._at(f"{commit.commit}^")

    def _at(self, commit: str) -> Facts:
        """What the manifests of a commit say."""
        listed = git.files_at(self.root, commit)
        objects = {name: each for name, each in listed.items() if self._counts(name)}
        key = tuple(sorted(objects.items()))
        if key not in self._by_objects:
            self._by_objects[key] = facts(_GitTree(self.root, sorted(objects), objects))
        return self._by_objects[key]

    def _counts(self, name: str) -> bool:
        folder = name.rpartition("/")[0]
        inside = not self._package or f"{folder}/".startswith(f"{self._package}/") or not folder
        return (inside or f"{self._package}/".startswith(f"{folder}/")) and is_manifest(name)


def _has(versions: Mapping[str, Mapping[str, str]], key: str, constraint: str) -> bool:
    return any(agrees(constraint, each) for each in versions.get(key, ()))


def is_manifest(name: str) -> bool:
    """Whether a file says versions or commands, by its name."""
    *folders, last = name.split("/")
    return bool(_FILE.fullmatch(last)) or (last.endswith(".txt") and _REQUIREMENTS in folders)


def facts(tree: Tree) -> Facts:
    """What the manifests of a tree say."""
    survey = scan.survey(tree).found
    locked: dict[str, dict[str, str]] = {}
    asked: dict[str, dict[str, str]] = {}
    for each in survey.libraries:
        file = each.source.rpartition("/")[2].lower()
        is_exact = "lock" in file or file in _EXACT
        if each.version:
            (locked if is_exact else asked).setdefault(folded(each.name), {}).setdefault(each.version, each.source)
        if each.required:
            asked.setdefault(folded(each.name), {}).setdefault(each.required, each.source)
    for fact in survey.requirements:
        asked.setdefault(folded(fact.name), {}).setdefault(fact.value, fact.source)
    for fact in survey.services:
        image, _, tag = fact.value.rpartition(":")
        if image and tag[:1].isdigit():
            asked.setdefault(folded(image.rpartition("/")[2]), {}).setdefault(tag, fact.source)
    return Facts({**asked, **locked}, asked, _commands(tree))


# Commands

_FAMILY = {"pnpm": "npm", "yarn": "npm", "bun": "npm", "uv": "python", "poetry": "python", "pdm": "python"} | {
    "pipenv": "python", "hatch": "python", "poe": "python", "task": "task"
}  # fmt: skip


def _commands(tree: Tree) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for family, names, read in _SOURCES:
        for name in manifests(tree, *names):
            for each in read(tree, name):
                found.setdefault(family, {}).setdefault(each, name)
    return found


def _json_scripts(key: str) -> Callable[[Tree, str], Iterator[str]]:
    return lambda tree, name: iter(table(tree.data(name, read_json), key))


def _matches(*patterns: re.Pattern[str]) -> Callable[[Tree, str], Iterator[str]]:
    def read(tree: Tree, name: str) -> Iterator[str]:
        text = tree.text(name) or ""
        for pattern in patterns:
            for match in pattern.finditer(text):
                yield from (word for group in match.groups() if group for word in re.split(r"[\s,{}]+", group) if word)

    return read


def _python(tree: Tree, name: str) -> Iterator[str]:
    data: Plain = tree.data(name, read_toml)
    for path in (
        *(("project", "scripts"), ("project", "gui-scripts"), ("tool", "poetry", "scripts"), ("tool", "poe", "tasks")),
        *(("tool", "taskipy", "tasks"), ("tool", "pdm", "scripts"), ("tool", "hatch", "envs", "default", "scripts")),
    ):
        yield from table(data, *path)


def _cargo(tree: Tree, name: str) -> Iterator[str]:
    data: Plain = tree.data(name, read_toml)
    rows = data.get("bin") if isinstance(data, dict) else None
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and isinstance(row.get("name"), str):
            yield str(row["name"])
    title = table(data, "package").get("name")
    if isinstance(title, str):
        yield title


_SOURCES: tuple[tuple[str, tuple[str, ...], Callable[[Tree, str], Iterator[str]]], ...] = (
    ("npm", ("package.json",), _json_scripts("scripts")),
    ("deno", ("deno.json", "deno.jsonc"), _json_scripts("tasks")),
    ("composer", ("composer.json",), _json_scripts("scripts")),
    ("make", ("Makefile", "makefile", "GNUmakefile"), _matches(_TARGET, _PHONY)),
    ("just", ("justfile", "Justfile", ".justfile"), _matches(_RECIPE)),
    ("task", ("Taskfile.yml", "Taskfile.yaml"), lambda tree, name: iter(table(tree.data(name, read_yaml), "tasks"))),
    ("task", ("pyproject.toml",), _python),
    ("python", ("pyproject.toml",), _python),
    ("tox", ("tox.ini",), _matches(_TOX)),
    ("nox", ("noxfile.py",), _matches(_SESSION)),
    ("rake", ("Rakefile",), _matches(_RAKE)),
    ("cargo", ("Cargo.toml",), _cargo),
)
