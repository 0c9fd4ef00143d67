"""Beginning a memory bank, and what assistants read about it: modes, rules files, the system prompt."""

from msgspec import Struct

from memdown import git
from memdown.acts import prompt
from memdown.acts.init import brief
from memdown.dialects.bank import modes
from memdown.dialects.bank.modes import Mode
from memdown.dialects.bank.templates import LAYERS, Layer, render
from memdown.errors import Invalid, way
from memdown.memory.bank.operations import Bank
from memdown.project import Project, bank_files_in
from memdown.scan import rulefiles, survey
from memdown.scan.describe import sections
from memdown.scan.rulefiles import RuleFile
from memdown.store.files import FileEdit
from memdown.store.outside import read_any
from memdown.store.tree import Tree

_BRIEF = LAYERS[0].file


class BankInit(Struct, frozen=True):
    """What was made, or would be made, and what was there already."""

    root: str
    created: list[str]
    kept: list[str]
    texts: dict[str, str]
    """The new files."""
    notes: list[str]
    """What the scan passed over, a sentence each, without its period."""


class Setup:
    """What is done once for a project."""

    def __init__(self, root: Project) -> None:
        self._root = root

    def begin(self, text: str | None = None, *, write: bool = True) -> BankInit:
        """Make the files of a bank that are missing, from a brief and the code base. No file is ever overwritten."""
        if text is not None and not text.strip():
            raise Invalid(f"the brief is empty; say what the project is for, or leave {way('--brief')} out")
        with self._root.files.lock(when=write):
            folder = Bank(self._root).home()
            there = {file: f"{folder}/{name}" for file, name in bank_files_in(self._root.root / folder).items()}
            tree = Tree(self._root.root, git.files(self._root.root) or None)
            texts = {f"{folder}/{layer.file}": new for layer, new in self._new(text, tree) if layer.file not in there}
            if write:
                self._root.files.save_all(FileEdit(name, None, new) for name, new in texts.items())
        self._report(tree)
        return BankInit(str(self._root.root), list(texts), list(there.values()), texts, tree.notes)

    def brief(self, given: str) -> str:
        """A brief as a person gives it: the text itself, or @ and the name of a file of the project."""
        if not given.startswith("@"):
            return given
        name = self._root.files.name_of(given[1:])
        return read_any(self._root.files.path(name))

    def mode(self, request: str | None = None, *, named: str | None = None) -> Mode:
        """The mode that is named, or that a request asks for."""
        if named is not None:
            return modes.named(named)
        return modes.DEFAULT if request is None else modes.for_request(request)

    def rules(self, path: str | None = None, *, mode: str | None = None) -> list[RuleFile]:
        """The rules files that apply to a file in a mode, else in the one that is set, the ones that win first."""
        name = self._root.files.name_of(path) if path is not None else None
        tree = Tree(self._root.root, ())
        found = rulefiles.applying(tree, name, mode or self._root.mode)
        self._report(tree)
        return found

    def prompt(self, mode: str | None = None) -> str:
        """The system prompt about the memory of the project."""
        return prompt.text(self._root, modes.named(mode) if mode is not None else None)

    def _report(self, tree: Tree) -> None:
        for note in tree.notes:
            self._root.tell(note)

    def _new(self, text: str | None, tree: Tree) -> list[tuple[Layer, str]]:
        """All seven files as they would be made."""
        known = sections(survey(tree))
        draft = brief.parse(text, self._root.now().date().isoformat()) if text is not None else brief.BriefText({}, [])
        made = []
        for layer in LAYERS:
            stated, seen = draft.files.get(layer.file, {}), known.get(layer.file, {})
            # The brief says what a project is meant to be, the code base what it is made of.
            filled = seen | stated if layer.file == _BRIEF else brief.agreed(stated, seen)
            more = draft.more if layer.file == _BRIEF else ()
            made.append((layer, render(layer, filled, more, draft.titles)))
        return made
