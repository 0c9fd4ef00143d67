"""Beginning a memory bank, and what assistants read about it: modes, rules files, the system prompt."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from memdown import git
from memdown.acts import add, prompt
from memdown.acts.init import brief
from memdown.acts.init.brief import BriefText
from memdown.dialects import BEGUN, DIALECTS
from memdown.dialects.bank import modes
from memdown.dialects.bank.items import section_of
from memdown.dialects.bank.layouts import CANONICAL, layout_of
from memdown.dialects.bank.modes import Mode
from memdown.dialects.bank.sections import outline
from memdown.dialects.bank.templates import LAYERS, QUESTIONS, Layer, render, section_with
from memdown.errors import Invalid, NotFound, way
from memdown.homes import HOMES, NOUNS
from memdown.markdown.placeholders import unfilled
from memdown.memory.bank.operations import Bank
from memdown.project import Project, bank_files_in
from memdown.scan import recent, rulefiles, survey
from memdown.scan.describe import sections
from memdown.scan.rulefiles import RuleFile
from memdown.store.files import FileEdit
from memdown.store.tree import Tree

_BRIEF = LAYERS[0].file


class BankInit(Struct, frozen=True):
    """What was made, or would be made, and what was there already."""

    root: str
    created: list[str]
    """The files that were made, and those that were empty."""
    kept: list[str]
    texts: dict[str, str]
    """The new files."""
    notes: list[str]
    """What the scan passed over, a sentence each, without its period."""
    filled: list[str] = []
    """Those of the created files that were there, and empty."""
    merged: list[str] = []
    """Files that were there and got what the brief says."""
    open: list[str] = []
    """Sections of the new files that only a person can fill, as `file: section`."""
    layout: str | None = None
    """Whose files were there before; None when there were none."""
    renamed: dict[str, str] = {}
    """Old and new names of files."""
    same: dict[str, str] = {}
    """The same of files that were not renamed, because only the case of letters would change."""
    sources: list[str] = []
    """What the new files say something from: the brief, the code base, git."""
    beside: list[str] = []
    """What is said of other memory that the project had before its bank, a sentence each."""
    left_out: list[str] = []
    """Files of the seven that the layout of the bank does not have, and that were not made."""
    brief: str | None = None
    """The brief that was there already, and stays."""


class Setup:
    """What is done once for a project."""

    def __init__(self, root: Project) -> None:
        self._root = root

    def begin(
        self,
        text: str | None = None,
        *,
        answers: Mapping[str, str] | None = None,
        write: bool = True,
        merge: bool = False,
        adopt: bool = False,
        rename: bool = False,
    ) -> BankInit:
        """Make the files of a bank that are missing or empty, from a brief, the code base and git.

        `answers` are texts by the section of a template that they belong to. Files that say something stay; with
        `merge`, a brief and answers fill their placeholders, and a brief adds to its own file. A bank of another
        layout keeps to the files of that, and to those that the brief and answers are for, unless `adopt` asks for all
        seven, and then there has to be a bank. New files are called as in its layout; `rename` gives all of them the
        canonical names.
        """
        if text is not None and not text.strip():
            raise Invalid(f"the brief is empty; say what the project is for, or leave {way('--brief')} out")
        with self._root.files.lock(when=write):
            folder = Bank(self._root).home()
            there = {file: f"{folder}/{name}" for file, name in bank_files_in(self._root.root / folder).items()}
            tree = self._tree()
            if adopt and not there:
                raise NotFound(f"No memory bank to adopt in {self._root.root}; run {way('init')} to create one.")
            draft = self._draft(text, answers or {})
            wanted = {name: f"{folder}/{file}" for file, name in there.items()} if rename else {}
            # Two names that only case tells apart are one file for macOS and Windows.
            renamed = {old: new for old, new in wanted.items() if old.lower() != new.lower()}
            same = {old: new for old, new in wanted.items() if old not in renamed and old != new}
            empty = dict(self._empty(there))
            layout = layout_of({file: name.rpartition("/")[2] for file, name in there.items()})
            given = {_BRIEF} if text is not None else {section_with(heading)[0].file for heading in answers or ()}
            wanted_files = CANONICAL.files.keys() if adopt else layout.files.keys() | given
            missing = [layer for layer in LAYERS if layer.file not in there or layer.file in empty]
            left_out = [layer.file for layer in missing if layer.file not in wanted_files]
            missing = [layer for layer in missing if layer.file in wanted_files]
            made, sources = self._new(missing, draft, tree, has_answers=bool(answers), has_brief=text is not None)
            own = {} if rename else layout.files
            names = {file: f"{folder}/{own.get(file, file)}" for file in made}
            names |= {file: renamed.get(name, name) for file, name in there.items()}
            new_files = [FileEdit(names[file], empty.get(file), new) for file, new in made.items()]
            changed = list(self._merged(there, draft, but=empty)) if merge else []
            if write:
                with self._root.files.group() as group:
                    for old, new in renamed.items():
                        group.rename(old, new, over=self._root.files.read(old))
                    for edit in (*new_files, *changed):
                        group.save(edit.name, edit.after, over=edit.before)
        self._report(tree)
        texts = {edit.name: edit.after for edit in (*new_files, *changed)}
        kept = [name for file, name in there.items() if name not in texts and file not in empty]
        merged = [edit.name for edit in changed]
        return BankInit(
            root=str(self._root.root),
            created=[edit.name for edit in new_files],
            kept=[renamed.get(name, name) for name in kept + merged],
            texts=texts,
            notes=tree.notes,
            filled=[edit.name for edit in new_files if edit.before is not None],
            merged=merged,
            open=_left_open(texts),
            layout=layout.name if there else None,
            renamed=renamed,
            same=same,
            sources=sources,
            beside=self._beside() if new_files and not there else [],
            left_out=left_out,
            brief=there[_BRIEF] if there.get(_BRIEF) in kept else None,
        )

    def _beside(self) -> list[str]:
        """What is said where a bank is begun in a project that keeps its memory in another folder."""
        told: list[str] = []
        for name in add.signed(self._root, DIALECTS):
            if HOMES[name] is not HOMES["bank"]:
                kinds = ", ".join(add.kinds_kept(self._root, name))
                writes = f", and {way('add KIND')} keeps writing there ({kinds})" if kinds else ""
                lacks = f"; {way('init', '--dialect', name)} creates what it lacks" if name in BEGUN else ""
                told.append(f"This project keeps a {NOUNS[name]} in {self._root.home(name)}/{writes}{lacks}.")
        return told

    def unanswered(self, text: str | None = None) -> list[str]:
        """Headings of the questions that the bank leaves open, and for missing files a brief and the code."""
        folder = Bank(self._root).home()
        there = bank_files_in(self._root.root / folder)
        texts = {file: self._root.files.read(f"{folder}/{name}") for file, name in there.items()}
        stated, known = self._draft(text, {}).files, sections(survey(self._tree()))
        for layer in LAYERS:
            if not texts.get(layer.file, "").strip():
                texts[layer.file] = render(layer, known.get(layer.file, {}) | stated.get(layer.file, {}))
        return [heading for heading in QUESTIONS if not _is_filled(texts, heading)]

    def _tree(self) -> Tree:
        return Tree(self._root.root, git.files(self._root.root) or None)

    def _draft(self, text: str | None, answers: Mapping[str, str]) -> BriefText:
        draft = BriefText({}, [])
        if text is not None:
            draft = brief.parse(text, self._root.now().date().isoformat())
        for heading, answer in answers.items():
            layer, section = section_with(heading)
            bullet = section.body.partition("\n")[0].rpartition("[")[0]
            draft.set(layer.file, heading, f"{bullet}{answer}")
        draft.answered = answers.keys()
        return draft

    def _empty(self, there: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """Those of the files that have nothing but white space, and that."""
        for file, name in there.items():
            text = self._root.files.read(name)
            if not text.removeprefix("\ufeff").strip():
                yield file, text

    def _merged(self, there: Mapping[str, str], draft: BriefText, but: Collection[str]) -> Iterator[FileEdit]:
        for layer in LAYERS:
            if layer.file in there and layer.file not in but:
                before = self._root.files.read(there[layer.file])
                after = brief.merged(layer, before, draft)
                if after != before:
                    yield FileEdit(there[layer.file], before, after)

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

    def _new(
        self, missing: Sequence[Layer], draft: BriefText, tree: Tree, *, has_brief: bool, has_answers: bool
    ) -> tuple[dict[str, str], list[str]]:
        """Files as they would be made, and what they say something from."""
        known, work = sections(survey(tree)), recent.sections(self._root.root)
        files = [layer.file for layer in missing]
        given = {
            "the brief": (has_brief,),
            "your answers": (has_answers,),
            "the code base": (known.get(file) for file in files),
            "git": (work.get(file) for file in files),
        }
        sources = [name for name, said in given.items() if any(said)]
        # Who begins with nothing gets the templates; else what nobody could fill in would hide what is known.
        whole = not sources and len(missing) == len(LAYERS)
        made = {}
        for layer in missing:
            stated = draft.files.get(layer.file, {})
            seen = known.get(layer.file, {}) | work.get(layer.file, {})
            # The brief says what a project is meant to be, the code base what it is made of.
            filled = seen | stated if layer.file == _BRIEF else brief.agreed(stated, seen)
            more = draft.more if layer.file == _BRIEF else ()
            made[layer.file] = render(layer, filled, more, draft.intros.get(layer.file, ""), whole=whole)
        return made, sources


def _is_filled(texts: Mapping[str, str], heading: str) -> bool:
    layer, _ = section_with(heading)
    text = texts.get(layer.file, "")
    section = section_of(outline(text), layer, heading)
    return section is not None and not unfilled(text[section.body : section.tree_end])


def _left_open(texts: Mapping[str, str]) -> list[str]:
    """Sections that hold only their placeholder."""
    return [
        f"{name.rpartition('/')[2]}: {section.title}"
        for name, text in texts.items()
        for section in outline(text).sections
        if unfilled(text[section.body : section.end])
    ]
