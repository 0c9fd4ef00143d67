"""The layered store: fifteen methods and a few more. Reached as `memory.layers`."""

from memdown.memory.layers.store import Layers
from memdown.memory.layers.values import (
    Age,
    Created,
    LayerValidation,
    MemoryEntry,
    ProjectMemory,
    PruneResult,
    SearchResult,
    StalenessReport,
)

__all__ = [
    "Age",
    "Created",
    "LayerValidation",
    "Layers",
    "MemoryEntry",
    "ProjectMemory",
    "PruneResult",
    "SearchResult",
    "StalenessReport",
]
