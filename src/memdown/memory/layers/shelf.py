"""Where the store is and what is in it: the folder, the files, and a memory as it was read."""

from collections.abc import Iterable, Iterator
from datetime import date

from msgspec import UNSET

from memdown.dialects.layers import grammar, stamps
from memdown.dialects.layers.grammar import Address
from memdown.errors import BadConfig, NotFound, Refused, quote, way
from memdown.memory.layers.report import aged
from memdown.memory.layers.values import MemoryEntry
from memdown.project import Project
from memdown.text import Lines

ADVISORY = "[POTENTIALLY STALE]"


class Shelf:
    """The files of one store, by address."""

    def __init__(self, root: Project) -> None:
        self.root = root
        self.files = root.files
        self.settings = root.config.layers

    def home(self) -> str:
        """The folder of the store: the configured one, else the first known folder that has a layer in it."""
        chosen = self.settings.folder
        if chosen:
            if set(chosen.split("/")).intersection(grammar.FOLDERS.values()):
                raise BadConfig(f"layers.folder is {quote(chosen)}, but a part of it is the name of a layer's folder.")
            return chosen
        for home in grammar.HOMES:
            if self._has_layers(home):
                return home
        if self.root.root.name == "memory" and any(
            (self.root.root / folder).is_dir() for folder in grammar.FOLDERS.values()
        ):
            raise Refused(f"{self.root.root} is a store itself; give the folder that holds it as the root.")
        return grammar.HOMES[0]

    def _has_layers(self, home: str) -> bool:
        return any((self.root.root / home / folder).is_dir() for folder in grammar.FOLDERS.values())

    def today(self) -> date:
        return self.root.now().date()

    def size_warnings(self, file_type: str, text: str) -> list[str]:
        return grammar.size_warnings(file_type, len(Lines(text)), self.settings)

    def name(self, address: Address) -> str:
        """The file of an address, relative to the root."""
        return f"{self.home()}/{address.place}"

    def text(self, address: Address) -> str | None:
        """What a memory says; None when there is none."""
        return self.files.find(self.name(address))

    def text_or_error(self, address: Address) -> str:
        text = self.text(address)
        if text is None:
            raise NotFound(f"There is no memory {quote(address.id)}; run {way('layer create')} to create it.")
        return text

    def names(self, folder: str = "") -> list[str]:
        """Every Markdown file of the store, or of one of its folders; none when the folder is not a store."""
        home = self.home()
        if not self._has_layers(home):
            return []
        return list(self.root.below(f"{home}/{folder}" if folder else home))

    def places(self, folder: str = "") -> Iterator[tuple[str, str]]:
        """The memories of the store, or of one of its folders: the name of each, and its path inside the store."""
        start = len(self.home()) + 1
        for name in self.names(folder):
            place = name[start:]
            if not grammar.is_structural(place):
                yield name, place

    def addresses(self, folder: str = "") -> Iterator[Address]:
        """Memories that an id leads to, by file name."""
        for _, place in self.places(folder):
            address = grammar.located(place)
            if address and "/" not in address.file_type:
                yield address

    def entries(self, folder: str, *, archives: bool) -> list[MemoryEntry]:
        """The memories in one folder of the store."""
        chosen = [each for each in self.addresses(folder) if archives or not each.is_archive]
        return [entry for each in chosen if (entry := self.entry(each))]

    def entry(self, address: Address) -> MemoryEntry | None:
        """A memory as it is read."""
        text = self.text(address)
        if text is None:
            return None
        day, _ = aged(address.id, text, self.today(), self.settings, self.root.tell)
        state, since = stamps.staleness(text, self.today(), self.settings)
        return MemoryEntry(
            id=address.id,
            layer=address.layer,
            project_name=address.project,
            skill_name=address.skill or UNSET,
            agent_name=address.owner if address.layer == "agent" else UNSET,
            file_type=address.file_type,
            content=text,
            updated_at=day.isoformat() if day else None,
            staleness=state,
            line_count=len(Lines(text)),
            metadata={"advisory": f"{ADVISORY} {since}; verify before use."} if state == "stale" else UNSET,
        )


def chosen(addresses: Iterable[Address], scope: str, project: str | None, skill: str | None) -> Iterator[Address]:
    """The addresses of a scope: everything, one project, or one skill."""
    for each in addresses:
        wanted = {
            "all": True,
            "project": each.project is not None and each.project == project,
            "skill": each.skill is not None and each.skill == skill and project in (None, each.owner),
        }
        if wanted[scope]:
            yield each
