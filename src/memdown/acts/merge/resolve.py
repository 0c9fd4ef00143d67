"""Memory files that a merge left in conflict: merged from what git has of both sides, or from the markers in them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec import Struct, structs

from memdown import git
from memdown.acts.merge import Merged, merge
from memdown.acts.merge.choices import choices, chosen
from memdown.acts.merge.renumber import renumber_files
from memdown.git import merges
from memdown.markdown.line_ends import split_lines
from memdown.markdown.merge_comments import MARK, NEWER
from memdown.patterns import lazy
from memdown.project import Project
from memdown.text import Edit, decode

Side = Literal["kept", "other"]

_MARKER = lazy(r"(<{7}|\|{7}|={7}|>{7})(?: .*)?\r?$")
_SETTLED = NEWER.partition(";")[0]
OPEN, _SETTLED_CODE = "MRG001", "MRG002"
"""The rules that report what was kept from both sides, and what was decided by the newer one."""


class OpenQuestion(Struct, frozen=True):
    """Something that was kept from both sides."""

    path: str
    line: int
    code: str = OPEN
    kept: str = ""
    """What stands there, or stands first; empty where it takes a person to make one text of both."""
    other: str = ""


class Resolution(Struct, frozen=True):
    """One file that was in conflict."""

    path: str
    before: str
    after: str
    notes: list[str]
    is_merged: bool = True
    """Whether it was merged now, and not only chosen in, or numbered anew."""
    renamed: str | None = None
    """What it is called now, where that changed."""


class Resolved(Struct, frozen=True):
    """What became of the files in conflict."""

    resolved: list[str]
    open: list[OpenQuestion]
    skipped: list[str]
    """Files that one side deleted: whether they stay is for a person to say."""
    files: list[Resolution]
    dry_run: bool
    merging: bool = False
    """Whether the merge itself is not committed yet."""


def in_conflict(project: Project) -> list[str]:
    """The memory files that a merge left in conflict, as git's index has them."""
    return sorted(_stages(project))


def resolve(
    project: Project,
    paths: Sequence[str] = (),
    *,
    write: bool = True,
    keep_both: bool = False,
    picks: Mapping[OpenQuestion, Side] | None = None,
) -> Resolved:
    """Merge the memory files that are in conflict, those given or all; one step that can be undone.

    Files where all was decided are staged; with `keep_both`, those where something was kept from both sides are, too.
    `picks` answers open questions, also those that earlier merges left in files, and those that the newer side decided;
    without any in it, it lists them.
    """
    with project.files.lock(when=write):
        names = project.files_at(paths) if paths else None
        stages = {name: each for name, each in _stages(project).items() if names is None or name in names}
        skipped = sorted(name for name, each in stages.items() if not {"2", "3"} <= each.keys())
        found = [*_from_stages(project, {name: each for name, each in stages.items() if name not in skipped})]
        found += _from_markers(project, names, stages)
        if picks is not None:
            found += _from_comments(project, names, {each.path for each in found})
            found = [_picked(each, picks) for each in found]
        found, numbered = _renumbered(project, found) if not paths else (found, [])
        if write:
            done = [each for each in found if each.path in stages and (keep_both or not [*_open(each)])]
            if numbered and merges.is_going_on(project.root):
                done += [each for each in found if each.path in numbered and each.path not in stages]
            staged = [name for each in done for name in (each.path, each.renamed) if name]
            if staged:
                project.files.note_outside(msgspec.json.encode(merges.indexed(project.root, staged)).decode())
            project.write(change for each in found for change in _changes(each))
            merges.stage(project.root, staged)
    questions = [question for each in found for question in _open(each, settled=picks is not None)]
    return Resolved(
        [each.path for each in found], questions, skipped, found, not write, merges.is_going_on(project.root)
    )


def reverse(project: Project, changes: str) -> str | None:
    """Take back what a step staged; the changes that this was. None for a step of another kind."""
    try:
        change = msgspec.json.decode(changes, type=merges.IndexChange)
    except msgspec.ValidationError:
        return None
    return msgspec.json.encode(merges.unstage(project.root, change)).decode()


def _changes(each: Resolution) -> Iterator[tuple[str, str | None, str | None]]:
    if each.renamed is not None:
        yield each.path, each.before, None
        yield each.renamed, None, each.after
    elif each.before != each.after:
        yield each.path, each.before, each.after


def _renumbered(project: Project, found: list[Resolution]) -> tuple[list[Resolution], list[str]]:
    """The same, and other files, where the sides of a merge gave one number to different things; which those are."""
    commits = merges.sides(project.root)
    if commits is None:
        return found, []
    sides = [git.files_at(project.root, commit) for commit in commits]
    memory = {*project.names()}
    names = sorted(name for name in {*sides[1], *sides[2]} & memory if len({side.get(name) for side in sides}) > 1)
    base, ours, theirs = (_texts(project, {name: side[name] for name in memory if name in side}) for side in sides)
    after = {each.path: each.after for each in found}
    now = {name: after[name] if name in after else project.text(name) for name in names}
    changed, called, notes = renumber_files(base, ours, theirs, now)
    known = {each.path: each for each in found}
    numbered = sorted({*changed, *called})
    for name in numbered:
        each = known.get(name) or Resolution(name, project.text(name), now[name], [], is_merged=False)
        each = structs.replace(each, after=changed.get(name, each.after), renamed=called.get(name))
        known[name] = structs.replace(each, notes=[*each.notes, *notes])
        notes = []
    return [*known.values()], numbered


def _texts(project: Project, objects: dict[str, str]) -> dict[str, str]:
    texts = git.texts_of(project.root, [*objects.values()])
    return {name: decode(text) for name, text in zip(objects, texts, strict=True) if text is not None}


def _stages(project: Project) -> dict[str, dict[str, str]]:
    """The memory files in conflict, with the text of each side by the number of its stage."""
    found: dict[str, dict[str, str]] = {}
    for name, each in merges.unmerged(project.root).items():
        if project.parse(name, "").dialect is not None or any(
            project.parse(name, text).dialect for text in each.values()
        ):
            found[name] = each
    return found


def _from_stages(project: Project, stages: dict[str, dict[str, str]]) -> Iterator[Resolution]:
    for name, each in stages.items():
        before = project.files.find(name)
        if before is None:
            continue
        merged = merge(each.get("1", ""), each["2"], each["3"])
        if before in (*each.values(), merged.text) or "<<<<<<<" in before:
            yield _resolution(name, before, merged)
        else:  # neither git nor the driver wrote this
            yield Resolution(name, before, before, ["edited since the merge, and left as it is"], is_merged=False)


def _from_markers(
    project: Project, names: Sequence[str] | None, done: dict[str, dict[str, str]]
) -> Iterator[Resolution]:
    """Files with markers that git takes for merged: from what was merged, else with what is outside as the base."""
    for name in names if names is not None else project.names():
        text = project.text(name) if name not in done else ""
        sides = _sides(text) if "<<<<<<<" in text else None
        if sides is not None:
            yield _resolution(name, text, _from_parents(project, name, text) or merge(*sides))


def _from_comments(project: Project, names: Sequence[str] | None, done: Collection[str]) -> Iterator[Resolution]:
    """Files in which an earlier merge kept both sides."""
    for name in names if names is not None else project.names():
        if name not in done and MARK in (text := project.text(name)):
            resolution = Resolution(name, text, text, [], is_merged=False)
            if any(_open(resolution, settled=True)):
                yield resolution


def _picked(each: Resolution, picks: Mapping[OpenQuestion, Side]) -> Resolution:
    """The same with what a person chose."""
    edits: list[Edit] = []
    sides = {question.line: picks[question] for question in _open(each, settled=True) if question in picks}
    for choice in choices(each.after):
        side = sides.get(choice.line)
        edits += choice.keep if side == "kept" else choice.take if side == "other" else ()
    return structs.replace(each, after=chosen(each.after, edits)) if edits else each


def _from_parents(project: Project, name: str, text: str) -> Merged | None:
    """The merge that left markers, made again from what it merges; None where git does not have it."""
    base, ours, theirs = merges.merge_going_on(project.root, name)
    if ours is not None and theirs is not None:  # staged as it is, or `resolve` was undone
        return merge(base or "", ours, theirs)
    for commit in merges.merges_of(project.root, name):
        committed, base, ours, theirs = merges.merge_of(project.root, commit, name)
        if committed is None or ours is None or theirs is None or "<<<<<<<" not in committed:
            continue
        merged = merge(base or "", ours, theirs)
        if text != committed:  # it was edited since
            merged = merge(committed, text, merged.text)
        return merged if "<<<<<<<" not in merged.text else None
    return None


def _sides(text: str) -> tuple[str, str, str] | None:
    """The base, ours and theirs that markers stand for; None where they are not whole.

    `<<<<<<< SEARCH` begins an example of how assistants edit a file.
    """
    parts: dict[str, list[str]] = {"|": [], "<": [], "=": []}
    part, is_example, is_marked = "", False, False
    for line in split_lines(text, keepends=True):
        is_text = is_example or line.startswith("<<<<<<< SEARCH")
        is_example = is_text and not line.startswith(">>>>>>>")
        mark = None if is_text else _MARKER.match(line.rstrip("\n"))
        is_marked |= mark is not None
        if mark is None:
            for each in (part,) if part else parts:
                parts[each].append(line)
        elif (mark[1][0] in "<") == bool(part) or (mark[1][0] == ">" and part != "="):
            return None
        else:
            part = "" if mark[1][0] == ">" else mark[1][0]
    return ("".join(parts["|"]), "".join(parts["<"]), "".join(parts["="])) if is_marked and not part else None


def _resolution(name: str, before: str, merged: Merged) -> Resolution:
    return Resolution(name, before, merged.text, merged.notes)


def _open(each: Resolution, *, settled: bool = False) -> Iterator[OpenQuestion]:
    """What is to be chosen; with `settled`, also where the newer side has been."""
    if MARK not in each.after:
        return
    to_choose = {choice.line: choice for choice in choices(each.after)}
    for number, line in enumerate(each.after.split("\n"), 1):
        if MARK in line and (settled or _SETTLED not in line):
            code = _SETTLED_CODE if _SETTLED in line else OPEN
            choice = to_choose.get(number)
            yield OpenQuestion(each.path, number, code, *((choice.kept, choice.other) if choice else ()))
