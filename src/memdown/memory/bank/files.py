"""The files of a memory bank as a client handles them: list, read, write a new one, replace one, change one section."""

from datetime import UTC, datetime

from msgspec import Struct

from memdown.acts import whole
from memdown.acts.edit import hash_of
from memdown.dialects.bank import grammar, names, parts
from memdown.dialects.bank.items import made, replaced_end
from memdown.dialects.bank.sections import BankSection, named, outline
from memdown.dialects.bank.templates import Layer
from memdown.errors import Exists, Invalid, NotFound, Refused, Stale, quote
from memdown.homes import is_bank
from memdown.memory.bank.operations import Bank
from memdown.patterns import lazy
from memdown.project import Project
from memdown.store import check_name
from memdown.text import Edit, Span, apply, eol_of, with_eol

_MORE = lazy(r"[:：]|\d{4}")


class BankFile(Struct, frozen=True):
    """A file of the bank."""

    name: str
    """Below the folder of the bank."""
    size: int
    modified: str


class Text(Struct, frozen=True):
    """A file of the bank as it was read."""

    path: str
    content: str
    modified: str
    hash: str
    """SHA-256 of its bytes, for a later write that must not meet another text."""


class Saved(Struct, frozen=True):
    """A file as it was written."""

    path: str
    hash: str


class BankFiles:
    """The files of one project's bank, by their names below its folder.

    A name in other capitals, and any name that one of the seven goes by, stands for the file that is there.
    """

    def __init__(self, root: Project) -> None:
        self._root = root
        self._home = Bank(root).home()

    def listed(self) -> list[BankFile]:
        """Every Markdown file of the bank, those of its folders too."""
        names = list(self._root.below(self._home)) if (self._root.root / self._home).is_dir() else []
        return [self._file(name) for name in names]

    def read(self, file: str) -> Text:
        name = self._name(file)
        if not self._root.files.exists(name):
            raise NotFound(f"{quote(file)} does not exist in the memory bank; list_project_files lists the files.")
        content = self._root.files.read(name)
        return Text(name, content, self._modified(name), hash_of(content))

    def write(self, file: str, content: str) -> Saved:
        """Write a new file."""
        name = self._name(file)
        refuse_escaped(content)
        with self._root.files.lock():
            if self._root.files.exists(name):
                raise Exists(f"{_called(file, name)} exists already; call memory_bank_update to replace it.")
            self._root.files.save(name, content, over=None)
        return Saved(name, hash_of(content))

    def replace(self, file: str, content: str, *, expected: str | None = None, force: bool = False) -> Saved:
        """Write a file anew; with `expected`, only over the text that has this hash.

        A log of decisions or an archive keeps its entries, unless `force` drops them.
        """
        name = self._name(file)
        refuse_escaped(content)
        with self._root.files.lock():
            before = self._before(file, name, expected)
            whole.refuse_loss(self._root, name, before, content, force=force)
            if content != before:
                self._root.files.save(name, content, over=before)
        return Saved(name, hash_of(content))

    def patch(
        self, file: str, title: str, content: str, *, expected: str | None = None, replace: bool = False
    ) -> Saved:
        """Put a new text below one heading; everything else in the file stays as it is, byte by byte.

        Sub-sections stay too, unless `replace` drops them.
        """
        name = self._name(file)
        refuse_escaped(content)
        with self._root.files.lock():
            before = self._before(file, name, expected)
            layer = grammar.layer_of(self._root.config.canonical_path(name))
            after = patched(before, title, content, layer, replace=replace)
            whole.refuse_loss(self._root, name, before, after)
            if after != before:
                self._root.files.save(name, after, over=before)
        return Saved(name, hash_of(after))

    def _before(self, file: str, name: str, expected: str | None) -> str:
        if not self._root.files.exists(name):
            raise NotFound(f"{quote(file)} does not exist in the memory bank; call memory_bank_write to create it.")
        before = self._root.files.read(name)
        if expected is not None and expected != hash_of(before):
            raise Stale(f"{quote(file)} changed since it was read: its hash is now {hash_of(before)}; read it again.")
        if any("\udc80" <= char <= "\udcff" for char in before):
            raise Refused(f"{quote(file)} has bytes that are not UTF-8, which this would lose; fix the file first.")
        return before

    def _name(self, file: str) -> str:
        """The name in the root of a file of the bank, as it is on disk; all others are refused."""
        name = f"{self._home}/{self._on_disk(check_name(file.removeprefix(f'{self._home}/')))}"
        if not name.endswith(".md"):
            raise Refused(f"{quote(file)} is refused: a memory bank has only .md files; choose such a name.")
        if not self._root.files.path(name).is_relative_to(self._root.files.path(self._home)):
            raise Refused(f"{quote(file)} is refused: a symbolic link leads out of the memory bank; remove the link.")
        return name

    def _on_disk(self, file: str) -> str:
        """What a file is called that is there under this name, or under another that means the same; else as given."""
        start = len(self._home) + 1
        there = [name[start:] for name in self._root.below(self._home)]
        folder, _, inner = file.partition("/")
        if inner and is_bank(folder) and not any(name.startswith(f"{folder}/") for name in there):
            file = inner  # as people name it from the root
        if file in there:
            return file
        layer = grammar.layer_of(f"{grammar.HOMES[0]}/{file}")
        one = self._root.bank_files().get(layer.file) if layer and file.lower().endswith(".md") else None
        return one[start:] if one else next((name for name in there if name.lower() == file.lower()), file)

    def _file(self, name: str) -> BankFile:
        path = self._root.files.path(name)
        return BankFile(name.removeprefix(f"{self._home}/"), path.stat().st_size, self._modified(name))

    def _modified(self, name: str) -> str:
        at = datetime.fromtimestamp(self._root.files.path(name).stat().st_mtime, UTC)
        return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _called(file: str, name: str) -> str:
    """A file as it was asked for, and as it is called where that is another name."""
    return quote(file) if name.endswith(file) else f"{quote(file)}, which is {name} here,"


def refuse_escaped(content: str) -> None:
    """Refuse a text whose line breaks were escaped twice on their way here: it would become one long line."""
    if "\\n" in content and "\n" not in content:
        raise Invalid(
            "The content has \\n as two characters and no line break: it was escaped twice;"
            " send line breaks as one JSON escape."
        )


def patched(text: str, title: str, content: str, layer: Layer | None = None, *, replace: bool = False) -> str:
    """The text with another body below one heading; `replace` drops its sub-sections too.

    A section of the template that was left out is made, where the file is written as its template is.
    """
    if layer and (missing := parts.missing_part(text, layer, _bare(title), content)):
        return made(layer.file, text, missing)
    doc = outline(text)
    before = doc.sections
    at = _only(before, title, layer)
    section = before[at]
    end = replaced_end(doc, section, content, section.tree_end, replace=replace)
    eol = eol_of(text)
    body = with_eol(content.strip("\r\n"), eol)
    # A heading keeps a blank line on both sides, and the file its line end.
    new = f"{eol}{body}{eol}{'' if end == len(text) else eol}" if body else eol
    if not text[: section.body].endswith(("\n", "\r")):
        new = eol + new
    after = apply(text, [Edit(Span(section.body, end), new)])
    rest = [each for each in before if each.head.start >= end]
    if not _keeps(before[: at + 1], rest, outline(after).sections):
        raise Refused(
            f"The content would change the headings after {quote(title)}: close its code fences and comments,"
            f" and use headings below level {section.level}."
        )
    return after


def _bare(title: str) -> str:
    return title.strip().lstrip("#").strip()


def _only(sections: list[BankSection], title: str, layer: Layer | None) -> int:
    """Which section is meant: the one that is called so, else the one that stands for the same in its file."""
    bare = _bare(title)
    found = [number for number, section in enumerate(sections) if section.title.casefold() == bare.casefold()]
    if not found and layer is not None and (same := names.canonical(bare, layer)) is not None:
        own = zip(sections, named(sections, layer), strict=True)
        # One that says more than its name, as of which day it is, is an entry of a log.
        found = [number for number, (each, known) in enumerate(own) if known == same and not _MORE.search(each.title)]
    if len(found) == 1:
        return found[0]
    if found:
        raise Refused(f"{len(found)} sections are called {quote(title)}; change the file with memory_bank_update.")
    known = ", ".join(section.title for section in sections[:20]) or "none"
    raise NotFound(f"There is no section {quote(title)}; there are: {known}.")


def _keeps(first: list[BankSection], last: list[BankSection], after: list[BankSection]) -> bool:
    """Whether all other headings are still there, and the new ones are deeper than the one above them."""
    found = [(section.level, section.title) for section in after]
    inserted = after[len(first) : len(after) - len(last)]
    return (
        len(after) >= len(first) + len(last)
        and found[: len(first)] == [(section.level, section.title) for section in first]
        and found[len(after) - len(last) :] == [(section.level, section.title) for section in last]
        and all(section.level > first[-1].level for section in inserted)
    )
