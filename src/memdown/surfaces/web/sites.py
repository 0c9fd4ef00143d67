"""What the page can show: the memory of a project, or that of a hub. Each has its pages, and what answers them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from memdown.memory import Memory
from memdown.surfaces.web.views import DOES, NAVIGATION, SHOWS, hub
from memdown.surfaces.web.views.model import Done, PageRequest, View

M = TypeVar("M")


class Site(ABC, Generic[M]):
    """Pages and acts about something that is opened once for each thread."""

    navigation: Sequence[tuple[str, str, str]]
    shows: Mapping[str, Callable[[Any, PageRequest], View]]
    does: Mapping[str, Callable[[Any, PageRequest], Done]]
    slow: frozenset[str] = frozenset()
    """Pages that may take long; one is made at a time, so that no other page waits for them."""
    root: str | None = None
    """The folder whose changes open pages show by themselves."""

    @abstractmethod
    def open(self) -> M: ...

    @abstractmethod
    def facts(self, memory: M) -> dict[str, Any]:
        """What every page says."""


class ProjectSite(Site[Memory]):
    """The memory of a project."""

    navigation = NAVIGATION
    shows = SHOWS
    does = DOES
    slow = frozenset({"findings", "health", "history"})

    def __init__(self, root: str, mode: str | None) -> None:
        self.root = root
        self._mode = mode

    def open(self) -> Memory:
        return Memory.open(self.root or "", mode=self._mode)

    def facts(self, memory: Memory) -> dict[str, Any]:
        return {"project": memory.root.name, "now": memory.now(), "notices": memory.notices()}


class HubSite(Site[hub.Asking]):
    """The memory of all projects on a hub, to read."""

    navigation = hub.NAVIGATION
    shows = hub.SHOWS
    does: Mapping[str, Callable[[Any, PageRequest], Done]] = MappingProxyType({})

    def __init__(self, address: str) -> None:
        self._address = address

    def open(self) -> hub.Asking:
        return hub.asking(self._address)

    def facts(self, memory: hub.Asking) -> dict[str, Any]:
        del memory
        return {"project": "Hub", "now": datetime.now(UTC), "notices": []}
