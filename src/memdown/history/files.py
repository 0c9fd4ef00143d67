"""Which files of a commit are memory."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from memdown import dialects
from memdown.dialects import DIALECTS
from memdown.errors import Refused
from memdown.settings.config import Config
from memdown.store.names import check_name


def folders(settled: Config) -> list[str]:
    """The folders that may hold memory."""
    return list(dict.fromkeys(home for dialect in DIALECTS for home in settled.read_homes(dialect)))


def memory_files(names: Iterable[str], settled: Config, tell: Callable[[str], None]) -> Iterator[str]:
    """As for files on the disk: what is below a folder of memory, whatever its case, and has a name that is safe."""
    homes = [home.split("/") for home in folders(settled)]
    hidden = settled.hidden()
    for name in names:
        above = name.split("/")[:-1]
        if not name.endswith(".md") or not any(_is_below(above, home) for home in homes) or dialects.is_merged(name):
            continue
        try:
            yield check_name(name, hidden)
        except Refused as error:
            if not any(part.startswith(".") and part not in hidden for part in name.split("/")):
                tell(str(error))  # what is hidden is meant to be


def _is_below(above: Sequence[str], home: Sequence[str]) -> bool:
    # What is hidden counts in its exact spelling alone.
    pairs = zip(above, home, strict=False)
    return len(above) >= len(home) and all(
        one == two if two.startswith(".") else one.lower() == two.lower() for one, two in pairs
    )
