"""Reading with an account of every line, checking and mending. `Memory` hands over to these."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from memdown.acts.check import engine, remembered, repository
from memdown.acts.check.remembered import Overview
from memdown.diagnostics import SEVERITIES, Diagnostic, Rule
from memdown.errors import NotFound, quote, way
from memdown.lazy import LazyModule
from memdown.markdown import tokens
from memdown.project import Project
from memdown.record import Document, days_of

if TYPE_CHECKING:
    from memdown.acts.check import account
    from memdown.acts.check.account import Counts, Run
    from memdown.dialects import hollow
else:
    account, hollow = LazyModule("memdown.acts.check.account"), LazyModule("memdown.dialects.hollow")


class FileReading(Struct, frozen=True):
    """A file as it was read, and what became of its lines."""

    document: Document
    diagnostics: list[Diagnostic]
    lines: "Counts"
    kinds: str
    """What each line is, a letter a line: r for record, p for prose, d for diagnostic, - for blank."""

    def runs(self) -> "Iterator[Run]":
        """The same with neighbours put together, and the names of records and prose."""
        return account.runs(self.document, self.kinds)


class Severe(Protocol):
    """What has a severity."""

    @property
    def severity(self) -> str: ...


class Checked(Struct, frozen=True):
    """What `check` looked at and found; `before` are the files that fixes changed, `made` what they were for."""

    documents: list[Document]
    diagnostics: list[Diagnostic]
    before: list[Document] = []
    made: list[Diagnostic] = []

    def __iter__(self) -> Iterator[Diagnostic]:
        """What was found, file by file."""
        return iter(self.diagnostics)


def read(document: Document) -> FileReading:
    """A file with the account of its lines."""
    diagnostics = engine.check([document], engine.Selection(), whole=False)
    wrong = [each.span for each in diagnostics if each.severity == "error"]
    kinds = account.kinds(document, engine.unread(diagnostics), wrong)
    return FileReading(document, diagnostics, account.counts(kinds), kinds)


def selection(root: Project, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> engine.Selection:
    """The rules to apply: those asked for, else those the configuration names."""
    chosen = root.config.check
    profile = root.config.journal.profile
    return engine.selection(select or chosen.select, (*chosen.ignore, *ignore), root.config.secrets.allow, profile)


def rule(code: str) -> Rule:
    """A rule by its code or its name."""
    for each in engine.all_rules():
        if code.upper() == each.code or code.lower() == each.name:
            return each
    raise NotFound(f"No rule has the code {quote(code)}; see {way('explain')}.")


def check(root: Project, paths: Sequence[str], chosen: engine.Selection) -> Checked:
    """What is wrong with the files given, or with all memory of the project."""
    recalled = remembered.recall(root, chosen) if not paths else None
    if recalled is not None:
        return Checked(recalled.documents(), recalled.diagnostics(chosen))
    return afresh(root, paths, chosen)


def afresh(root: Project, paths: Sequence[str], chosen: engine.Selection) -> Checked:
    """The same, whatever was found before."""
    documents = list(_chosen(root, paths))
    return Checked(documents, repository.check(root, documents, chosen, whole=not paths))


def overview(root: Project) -> Overview:
    """What is there and how well it is, counted."""
    chosen = selection(root)
    known = remembered.overview(root, chosen)
    if known is not None:
        return known
    checked = afresh(root, (), chosen)
    records = (record for document in checked.documents for record in document.records if not hollow.is_hollow(record))
    return Overview(
        dict(Counter(document.dialect or "" for document in checked.documents)),
        days_of(records),
        sum(tokens.estimate(document.text) for document in checked.documents),
        {severity: sum(each.severity == severity for each in checked.diagnostics) for severity in SEVERITIES},
    )


def fails(root: Project, found: Iterable[Severe], *, strict: bool = False) -> bool:
    """The one verdict: whether something is an error, or a file too large to be read; when strict, warnings count."""
    return bool(root.left_out) or any(each.severity in failing(root, strict=strict) for each in found)


def failing(root: Project, *, strict: bool = False) -> tuple[str, ...]:
    """The severities that fail a check."""
    return ("error", "warning") if strict or root.config.check.strict else ("error",)


def fix(
    root: Project, paths: Sequence[str], chosen: engine.Selection, *, unsafe: bool, hints: bool, write: bool
) -> Checked:
    """The same after every fix that applies; `write=False` only shows what would change.

    Without `hints`, what only informs stays as it is.
    """
    if write:
        for path in paths:
            root.inside(path)
    with root.files.lock(when=write), root.snapshot():
        before = list(_chosen(root, paths))
        if chosen.verifies:
            repository.surround(root, before, chosen)
        mended = [engine.mended(document, chosen, root.parse, unsafe=unsafe, hints=hints) for document in before]
        after, made = [each.document for each in mended], [found for each in mended for found in each.made]
        changed = [old for old, new in zip(before, after, strict=True) if old.text != new.text]
        if write:
            with root.files.group() as group:
                for old, new in zip(before, after, strict=True):
                    if old.text != new.text:
                        group.save(old.path, new.text, over=old.text)
    return Checked(after, repository.check(root, after, chosen, whole=not paths), changed, made)


def _chosen(root: Project, paths: Sequence[str]) -> Iterator[Document]:
    if not paths:
        yield from root.documents()
    for path in root.progress(root.files_at(paths), "reading"):
        yield root.document(path)
