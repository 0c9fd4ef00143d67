"""The layered store: fifteen methods and a few more. Reached as `memory.layers`."""

from memdown.memory.layers.store import Layers
from memdown.memory.layers.values import (
    Age,
    Appended,
    Created,
    Deleted,
    Match,
    MemoryEntry,
    NewEntry,
    ProjectMemory,
    PruneAction,
    PruneResult,
    QualityChecks,
    SearchResult,
    StalenessReport,
    Updated,
    Validation,
)

__all__ = [
    "Age",
    "Appended",
    "Created",
    "Deleted",
    "Layers",
    "Match",
    "MemoryEntry",
    "NewEntry",
    "ProjectMemory",
    "PruneAction",
    "PruneResult",
    "QualityChecks",
    "SearchResult",
    "StalenessReport",
    "Updated",
    "Validation",
]
