"""Answers to claims: each kind is asked of the evidence that knows it, which is gathered once for all of them."""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Self

from msgspec import structs

from memdown import git, homes
from memdown.claims import CodeClaim, grammar
from memdown.evidence.codefiles import CodeFiles, NamesBefore
from memdown.evidence.in_force import ClaimInForce
from memdown.evidence.lines import LineEvidence
from memdown.evidence.manifests import ManifestEvidence, is_manifest
from memdown.evidence.model import FRESH, NOT_COMMITTED, Answer, not_found, unknown
from memdown.evidence.names import NEVER, NameEvidence
from memdown.evidence.paths import PathEvidence
from memdown.evidence.symbols import SymbolReader
from memdown.git.past import UNCOMMITTED, GitPast
from memdown.project import Project
from memdown.store.tree import Tree

_BASELINES = 12


class ClaimLookup:
    """The evidence for the claims of one run."""

    def __init__(self, project: Project, claims: Sequence[CodeClaim], before: NamesBefore | None = None) -> None:
        """`before` is what was found in files of code before."""
        self._project = project
        self._claims = claims
        self._past = GitPast(project.root)
        self._blamed: dict[str, dict[int, str]] = {}
        self._had: dict[tuple[str, str], bool] = {}
        self._packages: dict[str, ManifestEvidence] = {}
        self._reader = SymbolReader()
        self._before = before

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._reader.close()

    def answer(self, in_force: ClaimInForce) -> Answer | None:
        """How a claim stands; None for what turns out to be none."""
        claim = in_force.claim
        answer = self._asked(in_force, claim)
        if answer and answer.commit is UNCOMMITTED:
            note = f"{answer.note}, {NOT_COMMITTED}" if answer.note else NOT_COMMITTED
            answer = structs.replace(answer, commit=None, note=note)
        if answer and answer.state != "fresh" and not self._past.is_known and not self.code:
            return unknown("there is no code here, only memory")
        if answer is None or not claim.absent:
            return answer
        if answer.state == "fresh":
            return Answer("changed", "it is there")
        return FRESH

    def _asked(self, in_force: ClaimInForce, claim: CodeClaim) -> Answer | None:
        if claim.kind == "path":
            return self._path(in_force, claim)
        if claim.kind == "url":
            return self._url(in_force, claim)
        if claim.kind == "version":
            return self._manifest(in_force, lambda each: each.version(claim.target, claim.value))
        if claim.kind == "command":
            return self._manifest(in_force, lambda each: each.command(claim.value, claim.target))
        if claim.kind == "commit":
            return FRESH if claim.target in self._commits else not_found(self._past, "this clone has no such commit")
        if claim.kind == "quote":
            found = self.paths.find(claim.target, in_force.document.path)
            quoted = claim.span.of(in_force.document.text)
            return self._lines.quote(found, quoted, self._since(in_force)) if found else None
        if claim.kind == "literal":
            return self._names.literal(claim.target, claim.value)
        if claim.kind == "symbol":
            answer = self._in_file(in_force, claim) if claim.value else self._names.symbol(claim.target)
            # A name that this code never had is of a library, or of the language.
            return None if answer is NEVER and not claim.declared else answer
        return self._names.word(claim.target)

    def _path(self, in_force: ClaimInForce, claim: CodeClaim) -> Answer | None:
        if left := self._left(in_force, claim):
            return left
        answer = self.paths.answer(claim.target, in_force.document.path, sure=claim.sure)
        if answer.state == "unknown" and grammar.is_doubtful(claim.target) and not claim.declared:
            return None  # no file is or was called so
        if answer.state != "fresh" or not claim.value:
            return answer
        found = self.paths.find(claim.target, in_force.document.path) or claim.target
        return self._lines.line(found, int(claim.value), self._since(in_force))

    def _url(self, in_force: ClaimInForce, claim: CodeClaim) -> Answer | None:
        """How an address stands; None for one of another repository, or of a branch that is not here."""
        if self._before:
            self._before.looked_at(f"{homes.git_folder(str(self._project.root))}/config")
        match = grammar.URL.fullmatch(claim.target)
        if not match or match["repository"].lower() not in self._past.remotes:
            return None
        if match["commit"]:
            return (
                FRESH if self._past.known([match["commit"]]) else not_found(self._past, "this clone has no such commit")
            )
        path, revision = match["path"], match["revision"]
        if not self._past.moves(revision):
            known = git.resolve(self._project.root, revision)
            return FRESH if known and self._past.had(known.commit, path) else unknown("this clone has no such revision")
        line = match["line"] or ""
        return self._path(in_force, structs.replace(claim, kind="path", target=path, value=line))

    def _manifest(self, in_force: ClaimInForce, ask: Callable[[ManifestEvidence], Answer | None]) -> Answer | None:
        """What manifests say: those of the package that the memory is in, and when these know nothing of it, all."""
        package = self._package(in_force.document.path)
        if package and package not in self._packages:
            self._packages[package] = ManifestEvidence(self._project.root, self.code, self._past, package)
        answer = ask(self._packages[package]) if package else None
        return answer if answer and answer.state != "unknown" else ask(self.manifests)

    def _package(self, path: str) -> str:
        """The folder around a file of memory that has a manifest of its own; empty for the project itself."""
        folder = path.rpartition("/")[0]
        while folder and folder not in self._with_manifests:
            folder = folder.rpartition("/")[0]
        return folder

    @cached_property
    def _with_manifests(self) -> frozenset[str]:
        return frozenset(name.rpartition("/")[0] for name in self.code if is_manifest(name))

    def _left(self, in_force: ClaimInForce, claim: CodeClaim) -> Answer | None:
        """Where a path went that was there when the claim was written, though another file ends with it."""

        def was_there(path: str) -> bool:
            commit = self._written(in_force)
            if commit and (commit, path) not in self._had:
                self._had[commit, path] = self._past.had(commit, path)
            return bool(commit) and self._had[commit or "", path]

        return self.paths.left(claim.target, in_force.document.path, was_there)

    def _in_file(self, in_force: ClaimInForce, claim: CodeClaim) -> Answer:
        if left := self._left(in_force, claim):
            return left
        found = self.paths.find(claim.target, in_force.document.path)
        if found is None:
            return self.paths.answer(claim.target, in_force.document.path, sure=claim.sure)
        answer = self._names.in_file(found, claim.value)
        since = self._since(in_force)
        if answer.state == "fresh":
            return self._lines.symbol(found, claim.value, since) or answer
        if since is None or answer.state not in ("moved", "gone"):
            return answer
        last = claim.value.replace("::", ".").rpartition(".")[2]
        if answer.state == "gone" and not claim.declared and not self._lines.had_word(found, last, since):
            return unknown("the file did not have it when this was written")
        commit = self._lines.lost(found, claim.value, since)
        return structs.replace(answer, commit=commit) if commit else answer

    def _since(self, in_force: ClaimInForce) -> str | None:
        """The commit at which a claim was written, or confirmed last; the last one for what is not committed."""
        return (self._written(in_force) or "HEAD") if self._past.is_known else None

    def _written(self, in_force: ClaimInForce) -> str | None:
        """The commit at which a claim was written, or confirmed last; None when it is not committed."""
        name = in_force.document.path
        if name not in self._blamed:
            self._blamed[name] = self._past.line_commits(name)
        at = in_force.confirmed.at if in_force.confirmed else in_force.claim.span.start
        line = in_force.document.lines.at(at) + 1
        return self._blamed[name].get(line)

    @cached_property
    def _files(self) -> list[str]:
        repository = self._project.repository
        if repository.is_known:
            return repository.files()
        return Tree(self._project.root, None).names

    @cached_property
    def code(self) -> list[str]:
        """Files that are no memory."""
        inside = tuple(f"{home}/" for dialect in homes.HOMES for home in self._project.config.homes(dialect))
        return [name for name in self._files if not name.startswith(inside)]

    @cached_property
    def _around(self) -> Path | None:
        """The working tree that the project is only a folder of."""
        top = homes.working_tree(str(self._project.root))
        return Path(top) if top and Path(top) != self._project.root else None

    @cached_property
    def paths(self) -> PathEvidence:
        """The files of the project, now and before."""
        repository = self._project.repository
        deleted = sorted(repository.tracked().difference(self._files)) if repository.is_known else ()
        return PathEvidence(
            *(self._project.root, self._files, self._past),
            top=self._around,
            deleted=deleted,
            looked_at=self._before.looked_at if self._before else None,
        )

    @cached_property
    def manifests(self) -> ManifestEvidence:
        """Versions and commands of the project."""
        return ManifestEvidence(self._project.root, self.code, self._past)

    @cached_property
    def _lines(self) -> LineEvidence:
        return LineEvidence(self._project.root, self._past, self._reader)

    @cached_property
    def _commits(self) -> set[str]:
        return self._past.known(each.target for each in self._claims if each.kind == "commit")

    @cached_property
    def _names(self) -> NameEvidence:
        wanted = set()
        for each in self._claims:
            if each.kind in ("symbol", "literal", "variable", "port"):
                named = each.value if each.kind == "symbol" and each.value else each.target.rpartition("::")[2]
                wanted.update(named.replace("::", ".").split("."))
        literals = [(each.target, each.value) for each in self._claims if each.kind == "literal"]
        files = CodeFiles(self._project.root, self.code, self._before)
        names = NameEvidence(files, self._past, wanted, self._reader, literals, self._around)
        code = frozenset(self.code)
        memory = [name for name in self._files if name not in code]
        names.baselines = self._past.commits_of(memory, _BASELINES)
        return names
