"""The layered store: fifteen methods and a few more. Reached as `memory.layers`."""

from memdown.memory.layers.store import Layers
from memdown.memory.layers.values import (
    Age,
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
    QualityChecks,
    SearchResult,
    StalenessReport,
)

__all__ = [
    "Age",
    "Appended",
    "Created",
    "Deleted",
    "LayerUpdated",
    "LayerValidation",
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
]
