"""The interface of the layered store: what an assistant asks for, and what it writes."""

from collections.abc import Callable, Mapping
from typing import TypeVar, Unpack

import msgspec
from msgspec import UNSET, structs

from memdown import archiver
from memdown.acts import whole
from memdown.acts.add import Added
from memdown.archiver import ArchivePlan
from memdown.dialects.draft import DraftFields
from memdown.dialects.due import Due
from memdown.dialects.layers import due, grammar, quality, write
from memdown.dialects.layers.grammar import Address
from memdown.dialects.layers.headings import ONE_MORE
from memdown.errors import Exists, Invalid, Refused, quote, way
from memdown.memory.layers import counters, grep, remember
from memdown.memory.layers.report import id_of, report
from memdown.memory.layers.shelf import Shelf, chosen
from memdown.memory.layers.validation import validation
from memdown.memory.layers.values import (
    Appended,
    Created,
    Deleted,
    LayerUpdated,
    LayerValidation,
    Match,
    MemoryEntry,
    NewEntry,
    ProjectMemory,
    PruneAction,
    PruneResult,
    SearchResult,
    StalenessReport,
)
from memdown.project import Project
from memdown.record import Document
from memdown.text import Lines, Span, apply, is_blank

T = TypeVar("T")

SCOPES = ("all", "project", "skill")


class Layers:
    """The layered store of one memory."""

    def __init__(self, root: Project) -> None:
        self._shelf = Shelf(root)
        self._files = root.files
        self._root = root

    def path_of(self, id: str) -> str:
        """The file of a memory, relative to the root, whether or not it is there."""
        return self._shelf.name(grammar.from_id(id))

    # Writing

    def create(self, entry: NewEntry | Mapping[str, object] | None = None, **fields: object) -> Created:
        """Make a memory of an entry, or of its fields by name; keys may be spelled fileType or file_type.

        Its id follows from its other fields; its stamp is of today.
        """
        if not isinstance(entry, NewEntry):
            entry = _converted({**(entry or {}), **fields}, NewEntry, "entry cannot be made")
        address = _address(entry.layer, entry.project_name, entry.file_type, entry.skill_name, entry.agent_name)
        if entry.id is not None and grammar.from_id(entry.id) != address:
            raise Invalid(f"The id {quote(entry.id)} does not match the other fields, which make {quote(address.id)}.")
        return self._create(address, entry.content)

    def create_at(self, id: str, content: str) -> Created:
        """The same by id."""
        return self._create(grammar.from_id(id), content)

    def _create(self, address: Address, content: str) -> Created:
        text = write.fresh(content, self._shelf.today())
        name = self._shelf.name(address)
        with self._files.lock():
            if self._files.exists(name):
                raise Exists(f"{quote(address.id)} exists already; {way('layer update')} changes it.")
            self._files.save(name, text, over=None)
            self._count(address, text)
        return Created(address.id, name, created=True)

    def update(self, id: str, content: str, *, force: bool = False) -> LayerUpdated:
        """Give a memory other content, and the stamp of today.

        A history or an archive keeps its entries, unless `force` drops them.
        """
        address = grammar.from_id(id)
        name = self._shelf.name(address)
        with self._files.lock():
            text = self._shelf.text_or_error(address)
            write.refuse_damaged(name, text)
            if is_blank(content) and not is_blank(write.bare(text)):
                raise Refused(
                    f"The new content for {quote(address.id)} is empty; {way('layer delete', address.id)} deletes it."
                )
            new = apply(text, write.rewritten(text, content, self._shelf.today()))
            whole.refuse_loss(self._root, name, text, new, force=force)
            self._files.save(name, new, over=text)
            self._count(address, new)
        warnings = self._shelf.size_warnings(address.file_type, new)
        return LayerUpdated(address.id, updated=True, line_count=len(Lines(new)), warning=" ".join(warnings) or None)

    def upsert(self, id: str, content: str, *, force: bool = False) -> Created | LayerUpdated:
        """Update a memory, or create it when it is not there."""
        address = grammar.from_id(id)
        with self._files.lock():
            there = self._files.exists(self._shelf.name(address))
            return self.update(id, content, force=force) if there else self._create(address, content)

    def append(self, id: str, content: str) -> Appended:
        """Add content at the end of a memory, and prune it by the rules of its type."""
        address = grammar.from_id(id)
        name = self._shelf.name(address)
        with self._files.lock():
            text = self._shelf.text_or_error(address)
            write.refuse_damaged(name, text)
            longer = self._longer(text, content)
            known = counters.load(self._files)
            counted = counters.count(known, address.id, len(Lines(longer)))
            if address.file_type in ONE_MORE:
                plan = self._plan(address, text)
                pruned = plan.after != text
                plan = structs.replace(plan, after=self._longer(plan.after, content))
            else:
                plan = self._plan(address, longer)
                pruned = plan.after != longer
            archiver.save(self._root, [plan], {name: text})
            counters.save(self._files, known)
        new = plan.after
        left = dict.fromkeys(each.reason for each, _ in plan.stays if each.target)
        return Appended(
            address.id,
            appended=True,
            line_count=len(Lines(new)),
            pruned=pruned,
            prune_details=_actions(address, plan, counted.invocations) or None,
            warning=" ".join([*left, *self._shelf.size_warnings(address.file_type, new)]) or UNSET,
        )

    def _longer(self, text: str, content: str) -> str:
        return apply(text, [*write.restamped(text, self._shelf.today()), *write.appended(text, content)])

    def remember(self, kind: str, title: str, **given: Unpack[DraftFields]) -> Added:
        """Write what has a kind and no address, as a decision, below the others of its kind."""
        return remember.remember(self._shelf, kind, title, given)

    def delete(self, id: str) -> Deleted:
        """Delete a memory's file; its archive and its folder stay."""
        address = grammar.from_id(id)
        with self._files.lock():
            text = self._shelf.text(address)
            if text is not None:
                self._files.delete(self._shelf.name(address), over=text)
        return Deleted(address.id, deleted=text is not None)

    def record_invocation(self, skill_name: str, project_name: str) -> int:
        """Count one use of a skill on a project, for all memories it has of it; how many those are."""
        folder = _folder("skill-specific", project_name, skill_name)
        with self._files.lock():
            known = counters.load(self._files)
            used = [each for each in self._shelf.addresses(folder) if not each.is_archive]
            for each in used:
                counters.count(known, each.id, len(Lines(self._shelf.text_or_error(each))))
            if used:
                counters.save(self._files, known)
        return len(used)

    def _count(self, address: Address, text: str) -> None:
        known = counters.load(self._files)
        counters.count(known, address.id, len(Lines(text)))
        counters.save(self._files, known)

    # Reading

    def read(
        self,
        layer: str,
        project_name: str | None = None,
        file_type: str | None = None,
        skill_name: str | None = None,
        command_name: str | None = None,  # noqa: ARG002 - part of the interface, and of no path
        agent_name: str | None = None,
    ) -> MemoryEntry | None:
        """A memory by its names, or by its id alone; None when there is none."""
        if file_type is None and project_name is None:
            return self._shelf.entry(grammar.from_id(layer))
        return self._shelf.entry(_address(layer, project_name, file_type or "", skill_name, agent_name))

    def get_project_profile(self, project_name: str) -> MemoryEntry | None:
        return self.read("shared-project", project_name, "project_profile")

    def get_shared_project_memory(self, project_name: str, *, archives: bool = False) -> list[MemoryEntry]:
        """What all skills know of a project."""
        return self._shelf.entries(_folder("shared-project", project_name), archives=archives)

    def get_skill_memory(self, skill_name: str, project_name: str, *, archives: bool = False) -> list[MemoryEntry]:
        """What a skill knows of a project; nothing means that it is there for the first time."""
        return self._shelf.entries(_folder("skill-specific", project_name, skill_name), archives=archives)

    def get_command_memory(self, project_name: str, *, archives: bool = False) -> list[MemoryEntry]:
        return self._shelf.entries(_folder("command", project_name), archives=archives)

    def get_agent_memory(self, agent_name: str, *, archives: bool = False) -> list[MemoryEntry]:
        return self._shelf.entries(_folder("agent", agent_name), archives=archives)

    def get_by_project(self, project_name: str, *, archives: bool = False) -> ProjectMemory:
        """Everything about a project but what agents know, which belongs to no project."""
        skills = sorted({each.skill or "" for each in self._shelf.addresses("skills") if each.owner == project_name})
        return ProjectMemory(
            shared=self.get_shared_project_memory(project_name, archives=archives),
            skills={
                skill: found
                for skill in skills
                if (found := self._shelf.entries(f"skills/{skill}/{project_name}", archives=archives))
            },
            commands=self.get_command_memory(project_name, archives=archives),
        )

    def search(
        self, pattern: str, layer: str | None = None, project_name: str | None = None, *, ignore_case: bool = False
    ) -> SearchResult:
        """Lines that match a regular expression, archives included; one that is none is searched for as text."""
        wanted = grammar.layer_named(layer) if layer else None
        regex, notice = grep.compiled(pattern, ignore_case=ignore_case)
        if notice:
            self._root.tell(notice.removesuffix("."))
        texts = []
        for name, place in self._shelf.places():
            address = grammar.located(place)
            if wanted and (address is None or address.layer != wanted):
                continue
            if project_name and (address is None or address.project != project_name):
                continue
            texts.append((id_of(place), name, self._files.read(name)))
        try:
            with grep.limited():
                return SearchResult([match for each in texts for match in _matches(*each, regex.search)])
        except grep.TooSlow:
            self._root.tell("The pattern took too long, so it was searched for as text")
            plain = pattern.casefold() if ignore_case else pattern
            fold = str.casefold if ignore_case else str
            return SearchResult(
                [match for each in texts for match in _matches(*each, lambda line: plain in fold(line))]
            )

    def get_staleness_report(self) -> StalenessReport:
        """All memories by age; only the first block of each file is read."""
        home, today = self._shelf.home(), self._shelf.today()
        return report(self._files, self._shelf.names(), home, today, self._shelf.settings, self._root.tell)

    def validate(self, id: str) -> LayerValidation:
        """How complete, specific and alive a memory is. Writes nothing."""
        address = grammar.from_id(id)
        text = self._shelf.text_or_error(address)
        counter = counters.load(self._files).get(address.id, counters.Counter())
        return validation(address, self._root.parse(self._shelf.name(address), text), counter)

    # Pruning

    def prune(
        self,
        policy: Mapping[str, object] | None = None,
        *,
        scope: str = "all",
        project_name: str | None = None,
        skill_name: str | None = None,
        dry_run: bool = False,
    ) -> PruneResult:
        """Shorten histories and lists of issues by their rules; what leaves a memory is in its archive.

        `policy` may hold the same as a mapping: scope, projectName, skillName, dryRun.
        """
        if policy is not None:
            return self.prune(**structs.asdict(_converted(policy, _Policy, "policy cannot be used")))
        _check_scope(scope, project_name, skill_name)
        with self._files.lock(when=not dry_run):
            known = counters.load(self._files)
            plans = {
                each: self._plan(each, text)
                for each in chosen(self._shelf.addresses(), scope, project_name, skill_name)
                if (text := self._shelf.text(each)) is not None
            }
            if not dry_run:
                archiver.save(self._root, list(plans.values()))
        counts = {each: known[each.id].invocations for each in plans if each.id in known}
        return PruneResult(
            [action for each, plan in plans.items() for action in _actions(each, plan, counts.get(each, 0))],
            [f"{each.id}: {warning}" for each, plan in plans.items() for warning in self._warnings(each, plan)],
        )

    def _plan(self, address: Address, text: str) -> ArchivePlan:
        name, target = self._shelf.name(address), self._shelf.name(address.archive)
        return shortened(self._root, name, target, address.file_type, text)

    def _warnings(self, address: Address, plan: ArchivePlan) -> list[str]:
        stays = dict.fromkeys(each.reason for each, _ in plan.stays)
        return [*stays, *self._shelf.size_warnings(address.file_type, plan.after)]


def shortened(project: Project, name: str, archive: str, file_type: str, text: str) -> ArchivePlan:
    """What the rules of a memory's type make of its text; nothing is written."""
    doc = Document(name, text, dialect="layers", now=project.now(), settings=project.config)
    if due.shortens(file_type, text, project.files.find(archive) or ""):
        return archiver.plan(project, doc, due.archivist(file_type, archive, doc))
    if file_type not in due.TYPES:
        return ArchivePlan(name, text, text)
    left = "It or its archive has bytes that are not UTF-8, so it is left."
    return ArchivePlan(name, text, text, stays=[(Due(0, Span(0, 0), "", "", reason=left), 0)])


def _actions(address: Address, plan: ArchivePlan, invocations: int) -> list[PruneAction]:
    """What pruning did to a memory, and what people should do."""
    actions = [PruneAction(address.id, each.action, each.reason) for each in plan.done]
    if address.file_type == "common_patterns" and invocations >= quality.GROWTH_RUNS:
        reason = f"{invocations} invocations: verify that its patterns are still in the code."
        actions.append(PruneAction(address.id, "flagged", reason))
    return actions


class _Policy(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    scope: str = "all"
    project_name: str | None = None
    skill_name: str | None = None
    dry_run: bool = False


def _converted(given: Mapping[str, object], kind: type[T], what: str) -> T:
    try:
        return msgspec.convert({_camel(key): value for key, value in given.items()}, kind)
    except msgspec.ValidationError as error:
        raise Invalid(f"The {what}: {error}.") from None


def _camel(key: str) -> str:
    first, *rest = key.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _address(layer: str, project: str | None, file_type: str, skill: str | None, agent: str | None) -> Address:
    return grammar.address(layer, file_type, project=project, skill=skill, agent=agent)


def _folder(layer: str, owner: str, skill: str | None = None) -> str:
    """The folder of a project or an agent in a layer, inside the store."""
    names = [(skill, "skill name"), (owner, "agent name" if layer == "agent" else "project name")]
    checked = [grammar.checked_name(name, what) for name, what in names if name is not None]
    return "/".join((grammar.FOLDERS[layer], *checked))


def _matches(id: str, name: str, text: str, matches: Callable[[str], object]) -> list[Match]:
    return [Match(id, name, *found) for found in grep.lines_with(text, matches)]


def _check_scope(scope: str, project: str | None, skill: str | None) -> None:
    if scope not in SCOPES:
        raise Invalid(f"{quote(scope)} is not a scope; use {', '.join(SCOPES)}.")
    if scope == "project" and not project:
        raise Invalid("To prune a project, name it.")
    if scope == "skill" and not skill:
        raise Invalid("To prune a skill's memory, name the skill.")
