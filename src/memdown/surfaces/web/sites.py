"""What the page can show: the memory of a project, or that of a hub. Each has its pages, and what answers them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from memdown.memory import Memory
from memdown.settings import config
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
    name = "Hub"
    """What stands above every page."""

    @abstractmethod
    def open(self, held: M | None = None) -> M:
        """What answers; the same as is held, unless its settings are others by now."""

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
        self.root, self.name = root, Path(root).name
        self._mode = mode

    def open(self, held: Memory | None = None) -> Memory:
        if held is not None:
            if held.config == config.load(held.root):
                return held
            held.close()
        return Memory.open(self.root or "", mode=self._mode)

    def facts(self, memory: Memory) -> dict[str, Any]:
        return {"project": self.name, "now": memory.now(), "notices": memory.notices()}


class HubSite(Site[hub.Asking]):
    """The memory of all projects on a hub, to read."""

    navigation = hub.NAVIGATION
    shows = hub.SHOWS
    does: Mapping[str, Callable[[Any, PageRequest], Done]] = MappingProxyType({})

    def __init__(self, address: str) -> None:
        self._address = address

    def open(self, held: hub.Asking | None = None) -> hub.Asking:
        return hub.asking(self._address) if held is None else held

    def facts(self, memory: hub.Asking) -> dict[str, Any]:
        del memory
        return {"project": self.name, "now": datetime.now(UTC), "notices": []}
