"""What the layered store answers with. The JSON of each has the keys of the store's interface, and no others."""

from msgspec import UNSET, Struct, UnsetType


class LayerValue(Struct, frozen=True, rename="camel"):
    """Keys as the interface spells them."""


class MemoryEntry(LayerValue, frozen=True, kw_only=True):
    """A memory as it was read."""

    id: str
    layer: str
    project_name: str | None
    """None in the layer of agents, which belongs to no project."""
    skill_name: str | UnsetType = UNSET
    agent_name: str | UnsetType = UNSET
    file_type: str
    content: str
    """The whole file, stamp and all."""
    created_at: str | None = None
    """Files do not say it, and nothing is made up."""
    updated_at: str | None
    staleness: str
    """fresh, aging or stale."""
    line_count: int
    metadata: dict[str, str] | UnsetType = UNSET
    """An advisory, when it is stale."""


class NewEntry(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A memory to be made. What follows from other fields may be given and is not used."""

    layer: str
    file_type: str
    project_name: str | None = None
    skill_name: str | None = None
    command_name: str | None = None
    agent_name: str | None = None
    content: str = ""
    id: str | None = None
    """When given, it has to be the one that the other fields make."""
    created_at: str | None = None
    updated_at: str | None = None
    staleness: str | None = None
    line_count: int | None = None
    quality_checks: dict[str, object] | None = None


class Created(LayerValue, frozen=True):
    """A memory that was made."""

    id: str
    path: str
    created: bool


class LayerUpdated(LayerValue, frozen=True):
    """A memory that has other content now."""

    id: str
    updated: bool
    line_count: int
    warning: str | None = None


class PruneAction(LayerValue, frozen=True):
    """One thing that pruning did to a memory."""

    id: str
    action: str
    """archived, removed or flagged."""
    reason: str


class Appended(LayerValue, frozen=True):
    """A memory that has more content now."""

    id: str
    appended: bool
    line_count: int
    pruned: bool
    prune_details: list[PruneAction] | None = None
    warning: str | UnsetType = UNSET
    """When it is longer than it should be."""


class Deleted(LayerValue, frozen=True):
    """Whether there was something to delete."""

    id: str
    deleted: bool


class PruneResult(LayerValue, frozen=True):
    """What pruning did, or would do."""

    pruned: list[PruneAction]
    warnings: list[str]


class Age(LayerValue, frozen=True):
    """How old a memory is; None when no stamp says it."""

    id: str
    path: str
    updated_at: str | None
    days_since_update: int | None


class StalenessReport(LayerValue, frozen=True):
    """All memories by age, the oldest first; those without a stamp lead the stale ones."""

    fresh: list[Age]
    aging: list[Age]
    stale: list[Age]


class ProjectMemory(LayerValue, frozen=True):
    """Everything about one project."""

    shared: list[MemoryEntry]
    skills: dict[str, list[MemoryEntry]]
    commands: list[MemoryEntry]


class Match(LayerValue, frozen=True):
    """A line that was found."""

    id: str
    path: str
    line_number: int
    line_content: str
    context: str
    """The line with up to two before and two after it."""


class SearchResult(LayerValue, frozen=True):
    matches: list[Match]


class QualityChecks(LayerValue, frozen=True):
    completeness: bool
    specificity: bool
    growth_rate: str
    """healthy, stagnant or unknown."""


class LineNote(LayerValue, frozen=True):
    """A line, and the message about it."""

    line: int
    text: str


class QualityDetails(LayerValue, frozen=True):
    """What the checks rest on."""

    score: float
    """The part of what a project_overview should tell that is there; 1 for other memories."""
    missing: list[str]
    claims: int
    vague_lines: list[LineNote]
    """Claims without a path, a name, a line or a version."""
    vague_phrases: list[LineNote]
    absolute_paths: list[LineNote]
    invocations: int


class LayerValidation(LayerValue, frozen=True):
    """How good a memory is."""

    id: str
    checks: QualityChecks
    suggestions: list[str]
    details: QualityDetails
